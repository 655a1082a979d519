/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The library as a whole. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapemeta.h"
#include "gstshapesversion.h"

/**
 * gst_shapes_version:
 * @major: (out) (optional): major version
 * @minor: (out) (optional): minor version
 * @micro: (out) (optional): micro version
 *
 * The version of the library that is in use, which may be later than that of
 * the headers (%GST_SHAPES_VERSION_MAJOR and so on).
 *
 * Since: 0.1
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

/**
 * gst_shapes_init:
 *
 * Registers #GstShapeMeta, so that shapes that come from another process (by
 * unixfdsrc, for example) are not lost. Call this after gst_init() in a program
 * that only receives shapes. Elsewhere there is no need: every first use of the
 * library after gst_init() does it, and so do its plugin and the import in
 * Python. Any number of calls, from any thread.
 *
 * Returns: %FALSE before gst_init(), when nothing can be registered
 *
 * Since: 0.1
 */
gboolean
gst_shapes_init (void)
{
  return gst_is_initialized () && gst_shape_meta_get_info () != NULL;
}
