/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fuzz_shapes.h"

/* How points are laid out: listed one by one; or, which takes few bytes, along
 * a line, a spiral or a zigzag, for long polylines. */
static GstShapePoint
point_on_path (guint path, guint i, GstShapePoint from, GstShapePoint step)
{
  GstShapePoint point = from;

  switch (path) {
    case 0:
      point.x += i * step.x;
      point.y += i * step.y;
      break;
    case 1:
      point.x += (i % 4 < 2 ? 1 : -1) * (gfloat) i * step.x;
      point.y += (i % 4 == 1 || i % 4 == 2 ? 1 : -1) * (gfloat) i * step.y;
      break;
    default:
      point.x += i * step.x;
      point.y += i % 2 ? step.y : 0.f;
      break;
  }
  return point;
}

static GstShapePoint
feed_point (Feed * feed)
{
  GstShapePoint point;

  point.x = feed_coordinate (feed);
  point.y = feed_coordinate (feed);
  return point;
}

GArray *
feed_points (Feed * feed, guint max_points)
{
  GArray *points = g_array_new (FALSE, FALSE, sizeof (GstShapePoint));
  const guint how = feed_u8 (feed);
  guint n = (how & 1 ? feed_u16 (feed) : feed_below (feed, 24)) % max_points;

  if (how & 1) {
    const GstShapePoint from = feed_point (feed), step = feed_point (feed);

    for (guint i = 0; i < n; i++) {
      GstShapePoint point = point_on_path (how >> 2 & 3, i, from, step);

      g_array_append_val (points, point);
    }
  } else {
    for (guint i = 0; i < n; i++) {
      GstShapePoint point = feed_point (feed);

      g_array_append_val (points, point);
    }
  }
  if ((how & 2) && n > 0) {
    GstShapePoint first = g_array_index (points, GstShapePoint, 0);

    g_array_append_val (points, first);
  }
  return points;
}

GArray *
feed_circles (Feed * feed)
{
  GArray *circles = g_array_new (FALSE, FALSE, sizeof (GstShapeCircle));
  guint n = feed_below (feed, 16);

  for (guint i = 0; i < n; i++) {
    GstShapeCircle circle;

    circle.x = feed_coordinate (feed);
    circle.y = feed_coordinate (feed);
    circle.r = feed_coordinate (feed);
    circle.z = feed_coordinate (feed);
    circle.rgba = feed_u32 (feed);
    circle.parent = feed_i32 (feed);
    g_array_append_val (circles, circle);
  }
  return circles;
}

static GstShapePolyline
feed_polyline (Feed * feed)
{
  GstShapePolyline polyline;

  feed_bytes (feed, &polyline, sizeof (polyline));
  polyline.kind %= 2;
  return polyline;
}

#define MAX_HULLS 7

/* What a layer of hulls owns. */
typedef struct
{
  GArray *points;
  guint32 offsets[MAX_HULLS + 1];
  GstShapePolyline polylines[MAX_HULLS];
  GstShapeHullMeasures measures[MAX_HULLS];
} Hulls;

static void
release_hulls (gpointer payload)
{
  g_autofree Hulls *hulls = payload;

  g_array_unref (hulls->points);
}

/* As the hull kernel creates them: there is no other way to a layer with
 * measures of hulls. Takes ownership of @points. */
static GstShapeLayer *
feed_hulls (Feed * feed, GArray * points, const guint32 * offsets,
    const GstShapePolyline * polylines, guint n)
{
  static const GstShapePayloadOps ops = {.release = release_hulls };
  Hulls *hulls = g_new0 (Hulls, 1);
  const GstShapeArrays arrays = {
    .n_shapes = n,
    .n_points = points->len,
    .points = (const GstShapePoint *) (gpointer) points->data,
    .offsets = hulls->offsets,
    .polylines = hulls->polylines,
    .hull_measures = hulls->measures,
  };

  hulls->points = points;
  memcpy (hulls->offsets, offsets, (n + 1) * sizeof (*offsets));
  if (n > 0)
    memcpy (hulls->polylines, polylines, n * sizeof (*polylines));
  feed_bytes (feed, hulls->measures, n * sizeof (*hulls->measures));
  return gst_shape_layer_new (GST_SHAPE_LAYER_POLYLINES, n, points->len,
      &arrays, &ops, hulls);
}

/* @layer with annotations. Takes it. */
static GstShapeLayer *
feed_annotations (Feed * feed, GstShapeLayer * layer)
{
  const gsize n = gst_shape_layer_get_n_shapes (layer);
  GstShapeAnnotation annotations[MAX_HULLS];

  feed_bytes (feed, annotations, n * sizeof (*annotations));
  GstShapeLayer *annotated = gst_shape_layer_annotate (layer, annotations, n);
  FUZZ_CHECK (annotated != NULL, "%zu annotations", n);
  gst_shape_layer_unref (layer);
  return annotated;
}

static GstShapeLayer *
feed_polylines (Feed * feed)
{
  const guint how = feed_u8 (feed), n = how & 7;
  GArray *all = g_array_new (FALSE, FALSE, sizeof (GstShapePoint));
  GstShapePolyline polylines[MAX_HULLS];
  GstShapeMoments moments[MAX_HULLS];
  guint32 offsets[MAX_HULLS + 1] = { 0, };
  GstShapeLayer *layer;

  for (guint i = 0; i < n; i++) {
    g_autoptr (GArray) points = feed_points (feed, 9000);

    polylines[i] = feed_polyline (feed);
    feed_bytes (feed, &moments[i], how & 8 ? sizeof (moments[i]) : 0);
    if (points->len > 0)
      g_array_append_vals (all, points->data, points->len);
    offsets[i + 1] = all->len;
  }
  if (how & 32) {
    layer = feed_hulls (feed, all, offsets, polylines, n);
    FUZZ_CHECK (layer != NULL, "%u hulls", n);
    return how & 64 ? feed_annotations (feed, layer) : layer;
  }
  layer = gst_shape_layer_new_polylines_copy (how & 16 ? NULL :
      (const GstShapePoint *) (gpointer) all->data, all->len, offsets,
      polylines, n, how & 8 ? moments : NULL);
  FUZZ_CHECK (layer != NULL, "%u points", all->len);
  g_array_unref (all);
  return how & 64 ? feed_annotations (feed, layer) : layer;
}

GstShapeSet *
feed_set (Feed * feed)
{
  const guint how = feed_u8 (feed);
  const guint width = feed_u16 (feed), height = feed_u16 (feed);
  GstShapeSet *set = gst_shape_set_new (width, height);

  for (guint i = 0; i < (how & 3); i++)
    if (how & (4 << i)) {
      g_autoptr (GArray) circles = feed_circles (feed);

      gst_shape_set_add_layer (set, gst_shape_layer_new_circles_copy (
              (const GstShapeCircle *) (gpointer) circles->data,
              circles->len));
    } else {
      gst_shape_set_add_layer (set, feed_polylines (feed));
    }
  return set;
}
