/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapesnames.h"

#include <string.h>

GQuark
gst_shapes_name_to_quark (const gchar * name)
{
  static GMutex lock;
  static guint n_made = 0;

  g_mutex_lock (&lock);
  GQuark quark = g_quark_try_string (name);
  if (quark == 0 && n_made < GST_SHAPES_NAMES_MAX
      && strlen (name) <= GST_SHAPES_NAME_MAX_BYTES
      && g_utf8_validate (name, -1, NULL)) {
    quark = g_quark_from_string (name);
    n_made++;
  }
  g_mutex_unlock (&lock);
  return quark;
}
