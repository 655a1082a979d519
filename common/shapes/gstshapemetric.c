/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Measures in millimetres. */

#include <math.h>

#include "gstshapeset.h"
#include "gstshapes-private.h"

/* Points as the pixel size places them. */
typedef struct
{
  const GstShapePoint *points;
  gsize n;
  gdouble x, y;
} Placed;

static gdouble
length_of (const Placed * p)
{
  gdouble sum = 0;

  for (gsize i = 1; i < p->n; i++)
    sum += hypot (((gdouble) p->points[i].x - p->points[i - 1].x) * p->x,
        ((gdouble) p->points[i].y - p->points[i - 1].y) * p->y);
  return sum;
}

/* (b - a) x (d - c) */
static gdouble
cross (const Placed * p, gsize a, gsize b, gsize c, gsize d)
{
  const GstShapePoint *v = p->points;

  return (((gdouble) v[b].x - v[a].x) * ((gdouble) v[d].y - v[c].y) -
      ((gdouble) v[b].y - v[a].y) * ((gdouble) v[d].x - v[c].x)) * p->x * p->y;
}

static gdouble
distance (const Placed * p, gsize a, gsize b)
{
  return hypot (((gdouble) p->points[b].x - p->points[a].x) * p->x,
      ((gdouble) p->points[b].y - p->points[a].y) * p->y);
}

static void
take_distance (const Placed * p, gsize a, gsize b, GstShapeMetric * metric)
{
  metric->feret_max = MAX (metric->feret_max, distance (p, a, b));
}

/* Rotating calipers over the vertices of a closed hull, whose last point is the
 * first (Shamos 1978). Steps over collinear vertices, too. */
static void
measure_diameters (const Placed * p, GstShapeMetric * metric)
{
  const gsize n = p->n - 1;
  gsize far = n > 1 ? 1 : 0;

  metric->feret_max = 0;
  metric->feret_min = n >= 3 ? INFINITY : 0;
  for (gsize i = 0; i < n; i++) {
    const gsize next = (i + 1) % n;
    const gdouble length = distance (p, i, next);
    gsize steps = 0;

    take_distance (p, i, far, metric);
    take_distance (p, next, far, metric);
    while (length > 0 && steps++ < n
        && cross (p, i, next, far, (far + 1) % n) >= 0) {
      far = (far + 1) % n;
      take_distance (p, i, far, metric);
      take_distance (p, next, far, metric);
    }
    if (length > 0)
      metric->feret_min = MIN (metric->feret_min,
          fabs (cross (p, i, next, i, far)) / length);
  }
}

void
gst_shape_arrays_get_metric (const GstShapeArrays * arrays, gsize i,
    gdouble x, gdouble y, GstShapeMetric * metric)
{
  const GstShapeHullMeasures *hull = arrays->hull_measures
      && arrays->polylines[i].kind == GST_SHAPE_KIND_HULL ?
      &arrays->hull_measures[i] : NULL;
  const Placed placed = {
    .points = arrays->points ? arrays->points + arrays->offsets[i] : NULL,
    .n = arrays->offsets[i + 1] - arrays->offsets[i],.x = x,.y = y
  };
  GstShapePolyline polyline;

  gst_shape_arrays_get_measures (arrays, i, &polyline);
  *metric = (GstShapeMetric) { NAN, NAN, NAN, NAN, NAN };
  metric->area = polyline.area * x * y;
  metric->equivalent_diameter = sqrt (4 * fabs (metric->area) / G_PI);
  if (x == y) {
    metric->perimeter = polyline.perimeter * x;
    if (hull) {
      metric->feret_min = hull->feret_min * x;
      metric->feret_max = hull->feret_max * x;
    }
  } else if (placed.points) {
    metric->perimeter = length_of (&placed);
    if (hull && placed.n >= 2)
      measure_diameters (&placed, metric);
  }
}

/**
 * gst_shape_set_get_metric:
 * @set: a set
 * @layer: index of the layer
 * @index: index of the polyline in its layer
 * @metric: (out caller-allocates): the measures
 *
 * A polyline's measures in millimetres. With pixels that are no squares,
 * lengths are taken again from the points; without points they are unknown.
 *
 * Returns: %FALSE, and NaN, when there is no such polyline, or the set has no
 *     pixel size
 *
 * Since: 1.0
 */
gboolean
gst_shape_set_get_metric (GstShapeSet * set, guint layer, gsize index,
    GstShapeMetric * metric)
{
  const GstShapeArrays *arrays;
  gdouble x, y;

  g_return_val_if_fail (set != NULL, FALSE);
  g_return_val_if_fail (metric != NULL, FALSE);

  *metric = (GstShapeMetric) { NAN, NAN, NAN, NAN, NAN };
  GstShapeLayer *found = gst_shape_set_get_layer (set, layer);
  arrays = found ? gst_shape_layer_map_host (found, NULL) : NULL;
  if (!arrays || !arrays->polylines || index >= arrays->n_shapes
      || !gst_shape_set_get_pixel_size (set, &x, &y))
    return FALSE;
  gst_shape_arrays_get_metric (arrays, index, x, y, metric);
  return TRUE;
}
