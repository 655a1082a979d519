/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shapes in the coordinates of a frame of another size. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <math.h>
#include <string.h>

#include "gstshapeset.h"
#include "gstshapes-private.h"

typedef struct
{
  gdouble x, y;
} Scale;

static gdouble
scale_coordinate (gdouble v, gdouble scale)
{
  return (v + .5) * scale - .5;
}

static gdouble
polyline_length (const GstShapePoint * points, gsize n)
{
  gdouble length = 0;

  for (gsize i = 1; i < n; i++)
    length += hypot ((gdouble) points[i].x - points[i - 1].x,
        (gdouble) points[i].y - points[i - 1].y);
  return length;
}

/* Measures that were not taken are 0, and stay so. */
static gboolean
has_position (const GstShapePolyline * polyline)
{
  return polyline->centroid_x != 0 || polyline->centroid_y != 0
      || polyline->bbox_x0 != 0 || polyline->bbox_y0 != 0
      || polyline->bbox_x1 != 0 || polyline->bbox_y1 != 0;
}

static void
scale_polyline (GstShapePolyline * polyline, Scale s)
{
  polyline->area *= s.x * s.y;
  polyline->perimeter *= sqrt (s.x * s.y);
  if (!has_position (polyline))
    return;

  polyline->centroid_x = scale_coordinate (polyline->centroid_x, s.x);
  polyline->centroid_y = scale_coordinate (polyline->centroid_y, s.y);
  polyline->bbox_x0 = scale_coordinate (polyline->bbox_x0, s.x);
  polyline->bbox_y0 = scale_coordinate (polyline->bbox_y0, s.y);
  polyline->bbox_x1 = scale_coordinate (polyline->bbox_x1, s.x);
  polyline->bbox_y1 = scale_coordinate (polyline->bbox_y1, s.y);
}

static void
scale_moments (GstShapeMoments * moments, Scale s)
{
  static const guint8 powers[10][2] = { {0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1},
  {0, 2}, {3, 0}, {2, 1}, {1, 2}, {0, 3}
  };

  for (guint i = 0; i < 10; i++)
    moments->m[i] *= pow (s.x, powers[i][0] + 1) * pow (s.y, powers[i][1] + 1);
}

/* Of a uniform scale; another one turns everything to another angle. */
static void
scale_hull_measures (GstShapeHullMeasures * measures, gdouble scale)
{
  measures->feret_max *= scale;
  measures->feret_min *= scale;
  measures->rect_x = scale_coordinate (measures->rect_x, scale);
  measures->rect_y = scale_coordinate (measures->rect_y, scale);
  measures->rect_width *= scale;
  measures->rect_height *= scale;
  measures->circle_x = scale_coordinate (measures->circle_x, scale);
  measures->circle_y = scale_coordinate (measures->circle_y, scale);
  measures->circle_r *= scale;
}

static void
scale_polylines (const GstShapeArrays * from, GstShapeBlock * to, Scale s)
{
  for (gsize i = 0; to->points && i < from->n_points; i++) {
    to->points[i].x = scale_coordinate (from->points[i].x, s.x);
    to->points[i].y = scale_coordinate (from->points[i].y, s.y);
  }
  for (gsize i = 0; i <= from->n_shapes; i++)
    to->offsets[i] = from->offsets[i];
  for (gsize i = 0; i < from->n_shapes; i++) {
    to->polylines[i] = from->polylines[i];
    scale_polyline (&to->polylines[i], s);
    if (to->points && s.x != s.y && from->polylines[i].perimeter != 0)
      to->polylines[i].perimeter = polyline_length (to->points
          + to->offsets[i], to->offsets[i + 1] - to->offsets[i]);
    if (to->moments) {
      to->moments[i] = from->moments[i];
      scale_moments (&to->moments[i], s);
    }
    if (to->hull_measures) {
      to->hull_measures[i] = from->hull_measures[i];
      scale_hull_measures (&to->hull_measures[i], s.x);
    }
  }
}

static void
scale_circles (const GstShapeArrays * from, GstShapeBlock * to, Scale s)
{
  for (gsize i = 0; i < from->n_shapes; i++) {
    to->circles[i] = from->circles[i];
    to->circles[i].x = scale_coordinate (from->circles[i].x, s.x);
    to->circles[i].y = scale_coordinate (from->circles[i].y, s.y);
    to->circles[i].r = from->circles[i].r * sqrt (s.x * s.y);
  }
}

static GstShapeLayer *
scale_layer (GstShapeLayer * layer, Scale s, GError ** error)
{
  const GstShapeArrays *from = gst_shape_layer_map_host (layer, error);
  GstShapeBlock to;
  GstShapeLayer *scaled;
  guint has;

  if (!from)
    return NULL;
  has = gst_shape_arrays_have (from);
  if (s.x != s.y)
    has &= ~GST_SHAPE_HAS_HULL_MEASURES;
  scaled =
      gst_shape_layer_new_block (gst_shape_layer_get_layer_type (layer),
      from->n_shapes, from->n_points, has, &to);
  if (!scaled) {
    g_set_error_literal (error, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_NO_SPACE_LEFT, "no memory for rescaled shapes");
    return NULL;
  }
  if (gst_shape_layer_get_layer_type (layer) == GST_SHAPE_LAYER_CIRCLES)
    scale_circles (from, &to, s);
  else
    scale_polylines (from, &to, s);
  return gst_shape_layer_seal (scaled) ? scaled : NULL;
}

/**
 * gst_shape_set_rescale:
 * @set: a set
 * @width: the width wanted, in pixels
 * @height: the height wanted, in pixels
 * @error: return location for an error
 *
 * The same shapes in the coordinates of a frame of another size: x becomes
 * (x + .5) * s - .5, so that pixel borders stay pixel borders. Measures and
 * moments follow exactly, except where they cannot: when the axes are scaled
 * differently, perimeters are taken again from the points or, without points,
 * scaled by the geometric mean, and so are the radii of circles; the measures
 * of hulls (#GstShapeHullMeasures) are left out.
 *
 * Returns: (transfer full): the rescaled set; @set itself, with one reference
 *     more, when there is nothing to do or either size has a 0; %NULL with
 *     @error set when a layer could not be downloaded or memory ran out
 *
 * Since: 0.1
 */
GstShapeSet *
gst_shape_set_rescale (GstShapeSet * set, guint width, guint height,
    GError ** error)
{
  const guint old_width = set ? gst_shape_set_get_width (set) : 0;
  const guint old_height = set ? gst_shape_set_get_height (set) : 0;
  GstShapeSet *scaled;
  Scale s;

  g_return_val_if_fail (set != NULL, NULL);

  if ((old_width == width && old_height == height) || old_width == 0
      || old_height == 0 || width == 0 || height == 0)
    return gst_shape_set_ref (set);

  s.x = (gdouble) width / old_width;
  s.y = (gdouble) height / old_height;
  scaled = gst_shape_set_new (width, height);
  for (guint i = 0; i < gst_shape_set_get_n_layers (set); i++) {
    GstShapeLayer *layer = scale_layer (gst_shape_set_get_layer (set, i), s,
        error);

    if (!layer) {
      gst_shape_set_unref (scaled);
      return NULL;
    }
    gst_shape_set_add_layer (scaled, layer);
  }
  return scaled;
}
