/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sets under a scale or an affine map: what becomes of each record. */

#include <math.h>

#include "gstshapepoints.h"
#include "gstshapes-private.h"

typedef struct
{
  /* of coordinates that count from the corner of the first pixel, in which a
   * scale has no offset */
  GstShapeAffine m;
  /* each moment as a sum of those of its degree */
  gdouble moments[10][4];
  /* |determinant| */
  gdouble area;
  /* sqrt (area): exact for lengths if the map is a similarity */
  gdouble length;
  gboolean similarity;
  /* orientation is reversed, so points are listed backwards */
  gboolean mirrored;
  gint32 first_id;
} Map;

/* Moments: m00 m10 m01 m20 m11 m02 m30 m21 m12 m03. */

static guint
first_of_degree (guint degree)
{
  return degree * (degree + 1) / 2;
}

/* Coefficients of the product of (@a x + @b y)^@n and @poly, homogeneous of
 * @degree: index k counts the powers of y. */
static void
multiply (gdouble poly[4], guint * degree, gdouble a, gdouble b, guint n)
{
  for (; n > 0; n--, (*degree)++) {
    poly[*degree + 1] = poly[*degree] * b;
    for (guint k = *degree; k > 0; k--)
      poly[k] = poly[k] * a + poly[k - 1] * b;
    poly[0] *= a;
  }
}

/* @m in coordinates that count from the corner. */
static gboolean
map_init (Map * map, const GstShapeAffine * m, gint32 first_id)
{
  const gdouble determinant = m->xx * m->yy - m->xy * m->yx;
  const gdouble across = m->xx * m->xy + m->yx * m->yy;
  const gdouble x = hypot (m->xx, m->yx), y = hypot (m->xy, m->yy);

  *map = (Map) {
    .m = *m,
    .area = fabs (determinant),
    .length = sqrt (fabs (determinant)),
    .similarity = fabs (x - y) <= 1e-12 * x && fabs (across) <= 1e-12 * x * y,
    .mirrored = determinant < 0,
    .first_id = first_id,
  };
  for (guint degree = 0; degree <= 3; degree++)
    for (guint q = 0; q <= degree; q++) {
      gdouble *poly = map->moments[first_of_degree (degree) + q];
      guint done = 0;

      memset (poly, 0, 4 * sizeof (*poly));
      poly[0] = map->area;
      multiply (poly, &done, map->m.xx, map->m.xy, degree - q);
      multiply (poly, &done, map->m.yx, map->m.yy, q);
    }
  return isfinite (determinant) && determinant != 0 && isfinite (m->x0)
      && isfinite (m->y0);
}

static void
map_point (const Map * map, gdouble * x, gdouble * y)
{
  const gdouble x_in = *x + .5, y_in = *y + .5;

  *x = map->m.xx * x_in + map->m.xy * y_in + map->m.x0 - .5;
  *y = map->m.yx * x_in + map->m.yy * y_in + map->m.y0 - .5;
}

/* A unit vector's direction under a similarity. */
static void
map_direction (const Map * map, gdouble * x, gdouble * y)
{
  const gdouble x_in = *x, y_in = *y;

  *x = (map->m.xx * x_in + map->m.xy * y_in) / map->length;
  *y = (map->m.yx * x_in + map->m.yy * y_in) / map->length;
}

static gint32
map_id (const Map * map, gint32 id)
{
  return id < 0 ? id : id + map->first_id;
}

/* Polylines */

static void
map_points (const Map * map, const GstShapePoint * from, gsize n,
    GstShapePoint * to)
{
  for (gsize i = 0; i < n; i++) {
    gdouble x = from[i].x, y = from[i].y;
    GstShapePoint *point = &to[map->mirrored ? n - 1 - i : i];

    map_point (map, &x, &y);
    point->x = x;
    point->y = y;
  }
}

/* Exact if axes stay axes; else the box around the box. Unknown sides stay so,
 * and take the others with them. */
static void
map_bbox (const Map * map, GstShapePolyline * polyline)
{
  const gdouble xs[2] = { polyline->bbox_x0, polyline->bbox_x1 };
  const gdouble ys[2] = { polyline->bbox_y0, polyline->bbox_y1 };

  for (guint i = 0; i < 4; i++) {
    gdouble x = xs[i & 1], y = ys[i >> 1];

    map_point (map, &x, &y);
    if (isnan (x) || isnan (y)) {
      polyline->bbox_x0 = polyline->bbox_y0 = NAN;
      polyline->bbox_x1 = polyline->bbox_y1 = NAN;
      return;
    }
    polyline->bbox_x0 = i == 0 ? x : MIN (polyline->bbox_x0, x);
    polyline->bbox_y0 = i == 0 ? y : MIN (polyline->bbox_y0, y);
    polyline->bbox_x1 = i == 0 ? x : MAX (polyline->bbox_x1, x);
    polyline->bbox_y1 = i == 0 ? y : MAX (polyline->bbox_y1, y);
  }
}

/* @points: the mapped ones, or %NULL. Measures that are unknown stay so. */
static void
map_polyline (const Map * map, const GstShapePoint * points, gsize n,
    GstShapePolyline * polyline)
{
  const gboolean axes = (map->m.xy == 0 && map->m.yx == 0)
      || (map->m.xx == 0 && map->m.yy == 0);
  GstShapePolyline measured = {.area = NAN };

  if (points && (!map->similarity || !axes))
    gst_shape_points_measure (points, n,
        polyline->flags & GST_SHAPE_FLAG_CLOSED, &measured);
  polyline->id = map_id (map, polyline->id);
  polyline->parent = map_id (map, polyline->parent);
  polyline->area *= map->area;
  if (!isnan (measured.area) && !map->similarity
      && !isnan (polyline->perimeter))
    polyline->perimeter = measured.perimeter;
  else
    polyline->perimeter *= map->length;
  map_point (map, &polyline->centroid_x, &polyline->centroid_y);
  map_bbox (map, polyline);
  if (isnan (measured.area) || axes || isnan (polyline->bbox_x0))
    return;
  polyline->bbox_x0 = measured.bbox_x0;
  polyline->bbox_y0 = measured.bbox_y0;
  polyline->bbox_x1 = measured.bbox_x1;
  polyline->bbox_y1 = measured.bbox_y1;
}

/* Moments */

static const guint8 binomial[4][4] = {
  {1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}
};

/* The moment of (x + dx)^p (y + dy)^q. */
static gdouble
shifted_moment (const gdouble * m, gdouble dx, gdouble dy, guint p, guint q)
{
  gdouble sum = 0;

  for (guint i = 0; i <= p; i++)
    for (guint j = 0; j <= q; j++)
      sum += binomial[p][i] * pow (dx, p - i) * binomial[q][j] * pow (dy,
          q - j) * m[first_of_degree (i + j) + j];
  return sum;
}

/* An open polyline that is listed backwards begins elsewhere, and moments are
 * relative to the first point: it was @from, and is @to, both mapped. */
static void
shift_moments (GstShapePoint from, GstShapePoint to, GstShapeMoments * moments)
{
  const gdouble dx = (gdouble) from.x - to.x, dy = (gdouble) from.y - to.y;
  const GstShapeMoments m = *moments;

  for (guint degree = 0; degree <= 3; degree++)
    for (guint q = 0; q <= degree; q++)
      moments->m[first_of_degree (degree) + q] =
          shifted_moment (m.m, dx, dy, degree - q, q);
}

static void
map_moments (const Map * map, GstShapeMoments * moments)
{
  const GstShapeMoments m = *moments;

  for (guint degree = 0; degree <= 3; degree++) {
    const guint first = first_of_degree (degree);

    for (guint q = 0; q <= degree; q++) {
      gdouble sum = 0;

      for (guint k = 0; k <= degree; k++)
        sum += map->moments[first + q][k] * m.m[first + k];
      moments->m[first + q] = sum;
    }
  }
}

/* Hulls' measures, under a similarity; another map keeps none of them. */
static void
map_hull_measures (const Map * map, GstShapeHullMeasures * measures)
{
  measures->feret_max *= map->length;
  map_direction (map, &measures->feret_max_ux, &measures->feret_max_uy);
  measures->feret_min *= map->length;
  map_direction (map, &measures->feret_min_ux, &measures->feret_min_uy);
  map_point (map, &measures->rect_x, &measures->rect_y);
  map_direction (map, &measures->rect_ux, &measures->rect_uy);
  measures->rect_width *= map->length;
  measures->rect_height *= map->length;
  map_point (map, &measures->circle_x, &measures->circle_y);
  measures->circle_r *= map->length;
}

/* An affine map takes an ellipse of minimum area to one: its semi-axes are the
 * singular values of the mapped axes. */
static void
map_ellipse (const Map * map, GstShapeEllipse * e)
{
  const gdouble a = (map->m.xx * e->ux + map->m.xy * e->uy) * e->major;
  const gdouble c = (map->m.yx * e->ux + map->m.yy * e->uy) * e->major;
  const gdouble b = (map->m.xy * e->ux - map->m.xx * e->uy) * e->minor;
  const gdouble d = (map->m.yy * e->ux - map->m.yx * e->uy) * e->minor;
  const gdouble xx = a * a + b * b, xy = a * c + b * d, yy = c * c + d * d;
  const gdouble angle = .5 * atan2 (2 * xy, xx - yy);
  const gdouble half = hypot (.5 * (xx - yy), xy);

  map_point (map, &e->x, &e->y);
  e->major = sqrt (.5 * (xx + yy) + half);
  e->minor = e->major > 0 ? fabs (a * d - b * c) / e->major : 0;
  e->ux = cos (angle);
  e->uy = sin (angle);
}

static void
map_shape_point (const Map * map, GstShapePoint * point)
{
  gdouble x = point->x, y = point->y;

  map_point (map, &x, &y);
  point->x = x;
  point->y = y;
}

/* Under a similarity, as the measures of hulls. */
static void
map_defect (const Map * map, GstShapeDefect * defect)
{
  map_shape_point (map, &defect->start);
  map_shape_point (map, &defect->end);
  map_shape_point (map, &defect->farthest);
  defect->depth *= map->length;
  if (!map->mirrored)
    return;
  GstShapePoint start = defect->start;
  defect->start = defect->end;
  defect->end = start;
}

static void
map_indices (const Map * map, const GstShapeArrays * from, guint32 * to)
{
  for (gsize i = 0; i < from->n_shapes; i++) {
    const gsize first = from->offsets[i], end = from->offsets[i + 1];

    for (gsize k = first; k < end; k++)
      to[k] = from->indices[map->mirrored ? end - 1 - (k - first) : k];
  }
}

/* @layer with the mapped extras of @from, or @layer itself. */
static GstShapeLayer *
map_extras (const Map * map, const GstShapeArrays * from, GstShapeLayer * layer)
{
  guint has = gst_shape_arrays_have (from) & GST_SHAPE_HAS_EXTRAS;
  GstShapeExtras to;

  if (!map->similarity)
    has &= ~GST_SHAPE_HAS_DEFECTS;
  if (!has)
    return layer;
  GstShapeLayer *extended = gst_shape_layer_extend_block (layer, has,
      has & GST_SHAPE_HAS_DEFECTS ? from->n_defects : 0,
      has & GST_SHAPE_HAS_STATISTICS ? from->n_statistics : 0, &to);
  gst_shape_layer_unref (layer);
  if (!extended)
    return NULL;
  for (gsize i = 0; to.ellipses && i < from->n_shapes; i++) {
    to.ellipses[i] = from->ellipses[i];
    map_ellipse (map, &to.ellipses[i]);
  }
  for (gsize i = 0; to.defects && i < from->n_defects; i++) {
    to.defects[i] = from->defects[i];
    map_defect (map, &to.defects[i]);
  }
  if (to.indices)
    map_indices (map, from, to.indices);
  if (to.statistics && from->n_statistics > 0)
    memcpy (to.statistics, from->statistics,
        from->n_statistics * sizeof (*to.statistics));
  return extended;
}

static void
map_polylines (const Map * map, const GstShapeArrays * from, GstShapeBlock * to)
{
  memcpy (to->offsets, from->offsets,
      (from->n_shapes + 1) * sizeof (*to->offsets));
  for (gsize i = 0; i < from->n_shapes; i++) {
    const gsize first = from->offsets[i], n = from->offsets[i + 1] - first;
    GstShapePoint *points = to->points ? to->points + first : NULL;

    if (points)
      map_points (map, from->points + first, n, points);
    to->polylines[i] = from->polylines[i];
    map_polyline (map, points, n, &to->polylines[i]);
    if (to->moments) {
      to->moments[i] = from->moments[i];
      map_moments (map, &to->moments[i]);
      /* without points nobody can tell where the first one is */
      if (map->mirrored && points && n > 0)
        shift_moments (points[n - 1], points[0], &to->moments[i]);
    }
    if (to->hull_measures) {
      to->hull_measures[i] = from->hull_measures[i];
      map_hull_measures (map, &to->hull_measures[i]);
    }
    if (to->annotations)
      to->annotations[i] = from->annotations[i];
  }
}

static void
map_circles (const Map * map, const GstShapeArrays * from, GstShapeBlock * to)
{
  for (gsize i = 0; i < from->n_shapes; i++) {
    gdouble x = from->circles[i].x, y = from->circles[i].y;

    map_point (map, &x, &y);
    to->circles[i] = from->circles[i];
    to->circles[i].x = x;
    to->circles[i].y = y;
    to->circles[i].r = from->circles[i].r * map->length;
    to->circles[i].parent = map_id (map, from->circles[i].parent);
  }
}

static GstShapeLayer *
map_layer (const Map * map, GstShapeLayer * layer, GError ** error)
{
  const GstShapeLayerType type = gst_shape_layer_get_layer_type (layer);
  const GstShapeArrays *from = gst_shape_layer_map_host (layer, error);
  GstShapeBlock to;

  if (!from)
    return NULL;
  guint has = gst_shape_arrays_have (from);
  if (!map->similarity)
    has &= ~GST_SHAPE_HAS_HULL_MEASURES;
  GstShapeLayer *mapped = gst_shape_layer_new_block (type, from->n_shapes,
      from->n_points, has, &to);
  if (mapped && type == GST_SHAPE_LAYER_CIRCLES)
    map_circles (map, from, &to);
  else if (mapped)
    map_polylines (map, from, &to);
  if (mapped)
    gst_shape_layer_copy_class_names (mapped, layer);
  if (mapped && gst_shape_layer_seal (mapped))
    mapped = map_extras (map, from, mapped);
  if (!mapped)
    gst_shapes_fail_memory (error, "no memory for the mapped shapes");
  return mapped;
}

/* Pixels have a size after the map if its axes stay axes, or if they are
 * squares and stay squares. */
static void
map_pixel_size (const Map * map, GstShapeSet * from, GstShapeSet * to)
{
  gdouble x, y, to_x, to_y;

  if (!gst_shape_set_get_pixel_size (from, &x, &y))
    return;
  if (map->m.xy == 0 && map->m.yx == 0) {
    to_x = x / fabs (map->m.xx);
    to_y = y / fabs (map->m.yy);
  } else if (map->m.xx == 0 && map->m.yy == 0) {
    to_x = y / fabs (map->m.xy);
    to_y = x / fabs (map->m.yx);
  } else if (map->similarity && x == y) {
    to_x = to_y = x / map->length;
  } else {
    return;
  }
  /* sizes may leave the range of doubles */
  if (isfinite (to_x) && isfinite (to_y) && to_x > 0. && to_y > 0.)
    gst_shape_set_set_pixel_size (to, to_x, to_y);
}

static GstShapeSet *
map_set (GstShapeSet * set, const Map * map, guint width, guint height,
    GError ** error)
{
  GstShapeSet *mapped = gst_shape_set_new (width, height);

  map_pixel_size (map, set, mapped);
  for (guint i = 0; i < gst_shape_set_get_n_layers (set); i++) {
    GstShapeLayer *layer = map_layer (map, gst_shape_set_get_layer (set, i),
        error);

    if (!layer) {
      gst_shape_set_unref (mapped);
      return NULL;
    }
    gst_shape_set_add_layer (mapped, layer);
  }
  return mapped;
}

GstShapeSet *
gst_shape_set_transform_ids (GstShapeSet * set, const GstShapeAffine * affine,
    guint width, guint height, gint32 first_id, GError ** error)
{
  GstShapeAffine m = *affine;
  Map map;

  m.x0 += .5 - (m.xx + m.xy) / 2;
  m.y0 += .5 - (m.yx + m.yy) / 2;
  if (!map_init (&map, &m, first_id)) {
    gst_shapes_fail (error, "the affine map is singular or not finite");
    return NULL;
  }
  if (first_id > G_MAXINT32 - gst_shape_set_get_next_id (set)) {
    gst_shapes_fail (error, "there are no ids left");
    return NULL;
  }
  return map_set (set, &map, width, height, error);
}

/**
 * gst_shape_set_transform:
 * @set: a set
 * @affine: the map, in pixels
 * @width: width of the frame that the result belongs to, in pixels
 * @height: its height
 * @error: return location for an error
 *
 * The same shapes under an affine map: after a flip, a crop, a rotation, beside
 * a border. Points that leave the frame stay in the shapes. A map that mirrors
 * lists the points of each polyline backwards, so that contours go around high
 * values the same way as before, and holes stay holes.
 *
 * Areas, centroids, moments, circles and boxes follow exactly; boxes of a
 * rotated layer without points become the boxes around the rotated ones. If the
 * map is no similarity (both axes scaled alike, at right angles), perimeters
 * are taken again from the points or, without points, scaled by the root of the
 * determinant, and so are the radii of circles; the measures of hulls
 * (#GstShapeHullMeasures) and their defects are left out. The size of pixels is
 * known afterwards if axes stay axes, or squares squares.
 *
 * Returns: (transfer full): the mapped set; %NULL with @error set when @affine
 *     is singular or not finite, a layer could not be downloaded, or memory ran
 *     out
 *
 * Since: 1.0
 */
GstShapeSet *
gst_shape_set_transform (GstShapeSet * set, const GstShapeAffine * affine,
    guint width, guint height, GError ** error)
{
  g_return_val_if_fail (set != NULL, NULL);
  g_return_val_if_fail (affine != NULL, NULL);

  return gst_shape_set_transform_ids (set, affine, width, height, 0, error);
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
 * of hulls (#GstShapeHullMeasures) and their defects are left out. The size of
 * pixels follows.
 *
 * Returns: (transfer full): the rescaled set; @set itself, with one reference
 *     more, when there is nothing to do or either size has a 0; %NULL with
 *     @error set when a layer could not be downloaded or memory ran out
 *
 * Since: 1.0
 */
GstShapeSet *
gst_shape_set_rescale (GstShapeSet * set, guint width, guint height,
    GError ** error)
{
  GstShapeAffine m = { 0 };
  Map map;

  g_return_val_if_fail (set != NULL, NULL);

  const guint set_width = gst_shape_set_get_width (set);
  const guint set_height = gst_shape_set_get_height (set);
  if ((set_width == width && set_height == height) || set_width == 0
      || set_height == 0 || width == 0 || height == 0)
    return gst_shape_set_ref (set);

  m.xx = (gdouble) width / set_width;
  m.yy = (gdouble) height / set_height;
  map_init (&map, &m, 0);
  return map_set (set, &map, width, height, error);
}

/**
 * gst_shape_set_scale:
 * @set: a set
 * @x: factor of x, positive
 * @y: factor of y, positive
 * @error: return location for an error
 *
 * The same shapes of a frame whose size is multiplied, as
 * gst_shape_set_rescale() does, but for any factors and also without a frame.
 * The size of the frame is rounded.
 *
 * Returns: (transfer full): the scaled set; %NULL with @error set when a factor
 *     is no positive number, the frame becomes larger than 2^31 - 1 pixels or
 *     is lost, a layer could not be downloaded, or memory ran out
 *
 * Since: 1.0
 */
GstShapeSet *
gst_shape_set_scale (GstShapeSet * set, gdouble x, gdouble y, GError ** error)
{
  GstShapeAffine m = { 0 };
  Map map;

  g_return_val_if_fail (set != NULL, NULL);

  const gdouble width = round (gst_shape_set_get_width (set) * x);
  const gdouble height = round (gst_shape_set_get_height (set) * y);
  m.xx = x;
  m.yy = y;
  if (!(x > 0) || !(y > 0) || !map_init (&map, &m, 0)) {
    gst_shapes_fail (error,
        "factors of %g and %g are not both positive numbers", x, y);
    return NULL;
  }
  if (width > G_MAXINT32 || height > G_MAXINT32
      || (width == 0) != (gst_shape_set_get_width (set) == 0)
      || (height == 0) != (gst_shape_set_get_height (set) == 0)) {
    gst_shapes_fail (error, "the frame would be of %g x %g pixels", width,
        height);
    return NULL;
  }
  return map_set (set, &map, (guint) width, (guint) height, error);
}
