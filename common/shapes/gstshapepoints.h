/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_POINTS_H
#define GST_SHAPE_POINTS_H

/* What is known of a polyline by its points. Not installed. */

#include <math.h>

#include "gstshapeset.h"

G_BEGIN_DECLS

static inline gboolean
gst_shape_points_are_finite (const GstShapePoint * points, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (!isfinite (points[i].x) || !isfinite (points[i].y))
      return FALSE;
  return TRUE;
}

/* Whether the last of @n points repeats the first. */
static inline gboolean
gst_shape_points_are_closed (const GstShapePoint * points, gsize n)
{
  return n > 0 && points[0].x == points[n - 1].x
      && points[0].y == points[n - 1].y;
}

/* The arc length of @n points, in pixels. */
static inline gdouble
gst_shape_points_length (const GstShapePoint * points, gsize n)
{
  gdouble length = 0;

  for (gsize i = 1; i < n; i++)
    length += hypot ((gdouble) points[i].x - points[i - 1].x,
        (gdouble) points[i].y - points[i - 1].y);
  return length;
}

/* Sets the bounding box of @polyline to that of @n points, at least one. */
static inline void
gst_shape_points_bound (const GstShapePoint * points, gsize n,
    GstShapePolyline * polyline)
{
  polyline->bbox_x0 = polyline->bbox_y0 = INFINITY;
  polyline->bbox_x1 = polyline->bbox_y1 = -INFINITY;
  for (gsize i = 0; i < n; i++) {
    polyline->bbox_x0 = MIN (polyline->bbox_x0, points[i].x);
    polyline->bbox_y0 = MIN (polyline->bbox_y0, points[i].y);
    polyline->bbox_x1 = MAX (polyline->bbox_x1, points[i].x);
    polyline->bbox_y1 = MAX (polyline->bbox_y1, points[i].y);
  }
}

/* The area, perimeter, centroid and bounding box of @n points, as cudacontours
 * defines them (contours_math.h), and the same bits. All are NaN without points
 * or if one is not finite. Other members of @measured stay. */
G_GNUC_INTERNAL void gst_shape_points_measure (const GstShapePoint * points,
    gsize n, gboolean closed, GstShapePolyline * measured);

/* The measures that are not known. */
G_GNUC_INTERNAL void gst_shape_polyline_forget (GstShapePolyline * polyline);

/* Those that @polyline lacks from the points. Returns: whether it has all */
G_GNUC_INTERNAL gboolean gst_shape_polyline_complete (GstShapePolyline *
    polyline, const GstShapePoint * points, gsize n);

G_END_DECLS

#endif /* GST_SHAPE_POINTS_H */
