/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Shared by the tests of cudahull: contours made by hand, and comparison of
 * hulls. */

#include "../cudacontours/contours_test.h"

#define GRAY_CAPS VIDEO ("GRAY8", 16, 16)

/* A square of side 8 with a dent down to its middle: area 48 of 64. */
static const GstShapePoint dented[] = {
  {2, 2}, {6, 6}, {10, 2}, {10, 10}, {2, 10}, {2, 2}
};

/* Its hull: clockwise on the screen from the leftmost and uppermost vertex. */
static const GstShapePoint dented_hull[] = {
  {2, 2}, {10, 2}, {10, 10}, {2, 10}, {2, 2}
};

/* A harness of "cudahull backend=cpu" and more properties. */
static inline GstHarness *
hull_new (const gchar * properties)
{
  gchar *line = g_strconcat ("cudahull backend=cpu ", properties, NULL);
  GstHarness *h = gst_harness_new_parse (line);

  fail_unless (h != NULL, "%s", line);
  g_free (line);
  return h;
}

/* 16 x 16 pixels of 0. */
static inline GstBuffer *
black (void)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 256, NULL);

  gst_buffer_memset (buffer, 0, 0, -1);
  return buffer;
}

/* A record as a contour finder writes it. */
static inline GstShapePolyline
contour_record (gint32 id, gint32 class_id, gint32 image, gdouble area)
{
  return (GstShapePolyline) {
    .id = id, .parent = -1, .class_id = class_id, .image = image,
    .kind = GST_SHAPE_KIND_CONTOUR, .flags = GST_SHAPE_FLAG_CLOSED,
    .level = 7.5, .area = area,
  };
}

/* A layer of @n dented squares, the i-th moved by 20 * i to the right, numbered
 * from @first_id; classes and images may be %NULL: 0. */
static inline GstShapeLayer *
dented_layer (guint n, gint32 first_id, const gint32 * classes,
    const gint32 * images)
{
  const guint n_points = G_N_ELEMENTS (dented);
  g_autofree GstShapePoint *points = g_new0 (GstShapePoint, n * n_points);
  g_autofree guint32 *offsets = g_new0 (guint32, n + 1);
  g_autofree GstShapePolyline *records = g_new0 (GstShapePolyline, n);

  for (guint i = 0; i < n; i++) {
    for (guint k = 0; k < n_points; k++) {
      points[i * n_points + k] = dented[k];
      points[i * n_points + k].x += 20 * i;
    }
    offsets[i + 1] = (i + 1) * n_points;
    records[i] = contour_record (first_id + i, classes ? classes[i] : 0,
        images ? images[i] : 0, 48);
  }
  return gst_shape_layer_new_polylines_copy (points, n * n_points, offsets,
      records, n, NULL);
}

/* A black picture with such a layer. */
static inline GstBuffer *
dented_buffer (guint n, const gint32 * classes)
{
  g_autoptr (GstShapeSet) set = gst_shape_set_new (16, 16);
  GstBuffer *buffer = black ();

  gst_shape_set_add_layer (set, dented_layer (n, 0, classes, NULL));
  gst_buffer_add_shape_meta (buffer, set);
  return buffer;
}

/* The set of one buffer through a fresh "cudahull PROPERTIES", a reference. */
static inline GstShapeSet *
hulls_of (const gchar * properties, const gchar * caps, GstBuffer * buffer)
{
  return set_of (hull_new (properties), caps, buffer);
}

/* Polyline @index of @layer has these points and no others. */
static inline void
assert_points (GstShapeSet * set, guint layer, guint index,
    const GstShapePoint * expected, gsize n)
{
  const guint32 *offsets = gst_shape_set_get_offsets (set, layer, NULL);
  const GstShapePoint *points = gst_shape_set_get_points (set, layer, NULL);

  fail_unless (points && offsets);
  points += offsets[index];
  fail_unless (offsets[index + 1] - offsets[index] == n, "%u points, not %u",
      offsets[index + 1] - offsets[index], (guint) n);
  for (gsize i = 0; i < n; i++)
    fail_unless (points[i].x == expected[i].x && points[i].y == expected[i].y,
        "point %u is %.9g,%.9g, not %.9g,%.9g", (guint) i, points[i].x,
        points[i].y, expected[i].x, expected[i].y);
}

#define ASSERT_POINTS(set, layer, index, expected) \
  assert_points (set, layer, index, expected, G_N_ELEMENTS (expected))

static inline void
assert_near (gdouble value, gdouble expected)
{
  fail_unless (fabs (value - expected) <= 1e-12 * fabs (expected) + 1e-12,
      "%.17g, not %.17g", value, expected);
}

/* The number of hulls in all layers. */
static inline gsize
n_hulls (GstShapeSet * set)
{
  gsize n = 0, k;

  for (guint layer = 0; layer < gst_shape_set_get_n_layers (set); layer++) {
    const GstShapePolyline *records = gst_shape_set_get_polylines (set, layer,
        &k);

    for (gsize i = 0; i < k; i++)
      n += records[i].kind == GST_SHAPE_KIND_HULL;
  }
  return n;
}
