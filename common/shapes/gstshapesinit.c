/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The library as a whole: what every part of it uses. */

#include "gstshapes-private.h"
#include "gstshapesversion.h"

#ifndef GST_DISABLE_GST_DEBUG
GstDebugCategory *
gst_shapes_debug_category (void)
{
  static gsize category = 0;

  if (g_once_init_enter (&category)) {
    gsize made = (gsize) _gst_debug_category_new ("shapes", 0, "shape sets");

    g_once_init_leave (&category, made);
  }
  return (GstDebugCategory *) category;
}
#endif

static gboolean (*first_use) (void);

void
gst_shapes_set_first_use (gboolean (*init) (void))
{
  first_use = init;
}

void
gst_shapes_use (void)
{
  if (first_use)
    first_use ();
}

gboolean
gst_shapes_fail_with (GError ** error, GQuark domain, gint code,
    const gchar * format, ...)
{
  va_list args;

  va_start (args, format);
  g_propagate_error (error, g_error_new_valist (domain, code, format, args));
  va_end (args);
  return FALSE;
}

/**
 * gst_shapes_version:
 * @major: (out) (optional): major version
 * @minor: (out) (optional): minor version
 * @micro: (out) (optional): micro version
 *
 * The version of the library that is in use, which may be later than that of
 * the headers (%GST_SHAPES_VERSION_MAJOR and so on).
 *
 * Since: 1.0
 */
void
gst_shapes_version (guint * major, guint * minor, guint * micro)
{
  if (major)
    *major = GST_SHAPES_VERSION_MAJOR;
  if (minor)
    *minor = GST_SHAPES_VERSION_MINOR;
  if (micro)
    *micro = GST_SHAPES_VERSION_MICRO;
}
