/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Zones and lines: what properties and files say, and their geometry. */

#include "element/gstshapeszonetext.h"

/* Zones and lines together, and their corners, at most. */
#define ZONES_MAX 256
#define ZONES_MAX_POINTS 10000
/* Bytes of a name, and of a file, at most. */
#define ZONE_MAX_NAME 64
#define ZONES_MAX_FILE (1 << 20)

/**
 * Zone:
 * @name: unlike those of the list's others
 * @is_line: a line of at least two corners; otherwise a polygon
 * @points: GstShapesZonePoint; of all rings
 * @ends: gsize; where the points of each ring end
 * @low, @high: bounding box
 * @text: the points
 * @source: as they were given
 *
 * A polygon's inside is by the even-odd rule of all its rings. A point on a
 * border is inside if the inside begins below it or to its right, so that of
 * two zones with a common border one has it.
 */
typedef struct
{
  gchar *name;
  gboolean is_line;
  GArray *points, *ends;
  GstShapesZonePoint low, high;
  gchar *text, *source;
} Zone;

/* A list of #Zone for g_ptr_array_unref(): zones, then lines, as they come.
 *
 * @zones: (nullable): "NAME: x,y x,y x,y; ...", or GeoJSON if it begins with a
 *     brace
 * @lines: (nullable): "NAME: x,y x,y; ..."
 * @file: (nullable): content of a file of GeoJSON
 * @file_size: bytes of that
 * Returns: %NULL with @error set (GST_LIBRARY_ERROR_SETTINGS), which says which
 *     zone cannot be and why */
GPtrArray *zones_parse (const gchar * zones, const gchar * lines,
    const gchar * file, gsize file_size, GError ** error);

/* The zones of @list, whose coordinates are fractions of a picture of @width x
 * @height, in pixels. */
GPtrArray *zones_scale (const GPtrArray * list, guint width, guint height);

/* Whether both were given alike. */
gboolean zone_is_same (const Zone * a, const Zone * b);

gboolean zone_contains (const Zone * zone, gdouble x, gdouble y);

/* How far (x, y) is from the zone's border, or from the line. */
gdouble zone_get_distance (const Zone * zone, gdouble x, gdouble y);

/* Whether the ray from @p to the right crosses the edge from @a to @b: what is
 * odd over a ring is inside. */
gboolean zone_edge_is_crossed (const GstShapesZonePoint * a,
    const GstShapesZonePoint * b, const GstShapesZonePoint * p);

gdouble zone_edge_get_distance (const GstShapesZonePoint * a,
    const GstShapesZonePoint * b, const GstShapesZonePoint * p);

/* How often the straight way from @from to @to crosses a line forward, from its
 * left to its right as seen by who walks along it, less how often backward.
 * What is on the line counts as below it or to its right. */
gint zone_count_crossings (const Zone * line, const GstShapesZonePoint * from,
    const GstShapesZonePoint * to);

/* Whether the straight lines a-b and c-d have a point in common. */
gboolean zone_lines_meet (const GstShapesZonePoint * a,
    const GstShapesZonePoint * b, const GstShapesZonePoint * c,
    const GstShapesZonePoint * d);
