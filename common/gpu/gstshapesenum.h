/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPES_ENUM_H
#define GST_SHAPES_ENUM_H

#include <glib-object.h>

/* Defines @storage GType @function (void), which registers the enumeration
 * @Name with its @values on the first call. (GLib's G_DEFINE_ENUM_TYPE is
 * newer than the GLib that is needed.) */
#define GST_SHAPES_DEFINE_ENUM_TYPE(storage, function, Name, values) \
storage GType \
function (void) \
{ \
  static gsize type = 0; \
\
  if (g_once_init_enter (&type)) { \
    GType registered = g_enum_register_static (Name, values); \
\
    g_once_init_leave (&type, registered); \
  } \
  return type; \
}

#endif /* GST_SHAPES_ENUM_H */
