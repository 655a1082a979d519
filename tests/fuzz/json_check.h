/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A reader of JSON by the letter of RFC 8259, which shares no code with the
 * writer. */

#include <glib.h>

/**
 * JsonFound:
 * @n_shapes: objects in the array "shapes"
 * @points: numbers in the arrays "points", NAN for null; gdouble
 * @point_counts: points in each of those arrays; guint
 * @source: the string "source", or %NULL
 *
 * What the line says.
 */
typedef struct
{
  guint n_shapes;
  GArray *points;
  GArray *point_counts;
  gchar *source;
} JsonFound;

/* Parses @text as one JSON value. @found: (nullable): zeros, or cleared by
 * json_found_clear(). Returns %NULL, or an error with its position. */
gchar *json_check (const gchar * text, gsize size, JsonFound * found);
void json_found_clear (JsonFound * found);
