/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <jansson.h>

/* JSON's integers are signed; no count is as great. */
static inline void
set_count (json_t * object, const char *name, guint64 n)
{
  json_object_set_new (object, name, json_integer ((json_int_t) n));
}
