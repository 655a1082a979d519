/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib-object.h>

/* Defines @storage GType @function (void), which registers the enumeration
 * @Name on the first call. Its values follow, as {number, description, nick};
 * they are in the array @function_values. (G_DEFINE_ENUM_TYPE needs a newer
 * GLib.) */
#define GST_SHAPES_DEFINE_ENUM_TYPE(storage, function, Name, ...) \
static const GEnumValue function##_values[] = { \
  __VA_ARGS__, {0, NULL, NULL} \
}; \
\
storage GType \
function (void) \
{ \
  static gsize type = 0; \
\
  if (g_once_init_enter (&type)) { \
    GType registered = g_enum_register_static (Name, function##_values); \
\
    g_once_init_leave (&type, registered); \
  } \
  return type; \
}
