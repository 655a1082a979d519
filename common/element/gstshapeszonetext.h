/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Corners of zones and lines as text: "10,20 100,20 100,200", in pixels, with a
 * '/' between the rings of a zone; and the GstCustomMeta that says what is in
 * zones and has crossed lines. */

#include <glib.h>

/* Corners of a zone, at most. */
#define GST_SHAPES_ZONE_MAX_POINTS 1000
/* A coordinate's absolute value, at most. */
#define GST_SHAPES_ZONE_MAX_COORDINATE 1e6

#define GST_SHAPES_ZONES_META "shapezones"

typedef struct
{
  gdouble x, y;
} GstShapesZonePoint;

/* Appends what the @size bytes at @text say, a part of a text that ends with a
 * 0: #GstShapesZonePoint to @points, and to @ends, gsize, where each ring's
 * points end.
 *
 * Returns: %FALSE with @error set (GST_LIBRARY_ERROR_SETTINGS) if it says
 *     nothing, something else, or too much */
gboolean gst_shapes_zone_text_parse (const gchar * text, gsize size,
    GArray * points, GArray * ends, GError ** error);

/* Leaves out points from @first on that repeat the one before, and unless
 * @is_line the last one if it repeats the first. */
void gst_shapes_zone_points_tidy (GArray * points, gsize first,
    gboolean is_line);

/* The text, with numbers of at most 9 digits; for g_free(). */
gchar *gst_shapes_zone_text_format (const GArray * points,
    const GArray * ends);
