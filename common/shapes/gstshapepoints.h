/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What is known of a polyline by its points. Not installed. */

#include <math.h>

#include "base/orient.h"
#include "gstshapeset.h"

static inline gboolean
gst_shape_points_are_finite (const GstShapePoint * points, gsize n)
{
  guint not_finite = 0;

  /* without a branch, so that it is done by vectors */
  for (gsize i = 0; i < n; i++)
    not_finite |= !(fabsf (points[i].x) <= G_MAXFLOAT)
        | !(fabsf (points[i].y) <= G_MAXFLOAT);
  return not_finite == 0;
}

/* The same number, or both none. */
static inline gboolean
gst_shape_coordinates_are_equal (gfloat a, gfloat b)
{
  return a == b || (isnan (a) && isnan (b));
}

/* Whether the last of @n points repeats the first; none needs no repetition. */
static inline gboolean
gst_shape_points_are_closed (const GstShapePoint * points, gsize n)
{
  return n == 0 || (gst_shape_coordinates_are_equal (points[0].x,
          points[n - 1].x) && gst_shape_coordinates_are_equal (points[0].y,
          points[n - 1].y));
}

/* Positive if @p is to the right of the line from @a down to @b, with x to the
 * right and y down; 0 if it is on it. Exact. */
static inline gint
gst_shape_points_orient (GstShapePoint a, GstShapePoint b, GstShapePoint p)
{
  return cs_orient (a.x, a.y, p.x, p.y, b.x, b.y);
}

/* Where @p is: 1 inside of the ring of @n points, 0 on its line, -1 outside.
 * The last point may repeat the first. Exact. */
static inline gint
gst_shape_points_locate (const GstShapePoint * ring, gsize n, GstShapePoint p)
{
  gint where = -1;

  for (gsize i = 0, k = n - 1; i < n; k = i++) {
    const gboolean down = ring[k].y <= ring[i].y;
    const GstShapePoint a = down ? ring[k] : ring[i];
    const GstShapePoint b = down ? ring[i] : ring[k];

    if (p.y < a.y || p.y > b.y)
      continue;
    const gint side = gst_shape_points_orient (a, b, p);
    if (side == 0 && p.x >= MIN (a.x, b.x) && p.x <= MAX (a.x, b.x))
      return 0;
    if (side > 0 && p.y < b.y)
      where = -where;
  }
  return where;
}

/* The box around @n points, at least one. */
static inline void
gst_shape_points_bound (const GstShapePoint * points, gsize n,
    GstShapePoint * low, GstShapePoint * high)
{
  *low = *high = points[0];
  for (gsize i = 1; i < n; i++) {
    low->x = MIN (low->x, points[i].x);
    low->y = MIN (low->y, points[i].y);
    high->x = MAX (high->x, points[i].x);
    high->y = MAX (high->y, points[i].y);
  }
}

/* The area, perimeter, centroid and bounding box of @n points, as cudacontours
 * defines them (contours_math.h), and the same bits. All are NaN without points
 * or if one is not finite. Other members of @measured stay. */
void gst_shape_points_measure (const GstShapePoint * points,
    gsize n, gboolean closed, GstShapePolyline * measured);

/* The measures that are not known. */
void gst_shape_polyline_forget (GstShapePolyline * polyline);

/* Those that @polyline lacks from the points. Returns: whether it has all */
gboolean gst_shape_polyline_complete (GstShapePolyline * polyline,
    const GstShapePoint * points, gsize n);
