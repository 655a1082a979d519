/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shapes under affine maps: measures that were mapped are those of the mapped
 * points, taken here as sums over triangles. */

#include "shapes_test.h"

#include <math.h>

#define N_POLYGONS 40
#define MAX_POINTS 12

typedef struct
{
  GstShapePoint points[N_POLYGONS * MAX_POINTS];
  guint32 offsets[N_POLYGONS + 1];
  GstShapePolyline polylines[N_POLYGONS];
  GstShapeMoments moments[N_POLYGONS];
} Polygons;

/* The integral of x^p y^q over the triangle 0 a b, signed: Gauss' rule of seven
 * points, which is exact up to the fifth degree. */
static gdouble
integrate_triangle (gdouble ax, gdouble ay, gdouble bx, gdouble by, guint p,
    guint q)
{
  const gdouble r = sqrt (15), u = (6 - r) / 21, v = (6 + r) / 21;
  const gdouble places[7][3] = {
    {1. / 3, 1. / 3, 9. / 40},
    {u, u, (155 - r) / 1200}, {1 - 2 * u, u, (155 - r) / 1200},
    {u, 1 - 2 * u, (155 - r) / 1200},
    {v, v, (155 + r) / 1200}, {1 - 2 * v, v, (155 + r) / 1200},
    {v, 1 - 2 * v, (155 + r) / 1200},
  };
  gdouble sum = 0;

  for (guint i = 0; i < 7; i++)
    sum += places[i][2] * pow (places[i][0] * ax + places[i][1] * bx, p) *
        pow (places[i][0] * ay + places[i][1] * by, q);
  return sum * (ax * by - ay * bx) / 2;
}

static void
measure (const GstShapePoint * points, guint n, GstShapePolyline * line,
    GstShapeMoments * moments)
{
  static const guint8 powers[10][2] = { {0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1},
  {0, 2}, {3, 0}, {2, 1}, {1, 2}, {0, 3}
  };
  const gdouble x0 = points[0].x, y0 = points[0].y;

  memset (moments, 0, sizeof (*moments));
  line->perimeter = 0;
  line->bbox_x0 = line->bbox_x1 = x0;
  line->bbox_y0 = line->bbox_y1 = y0;
  for (guint i = 1; i < n; i++) {
    const GstShapePoint a = points[i - 1], b = points[i];

    for (guint m = 0; m < 10; m++)
      moments->m[m] += integrate_triangle (a.x - x0, a.y - y0, b.x - x0,
          b.y - y0, powers[m][0], powers[m][1]);
    line->perimeter += hypot (b.x - a.x, b.y - a.y);
    line->bbox_x0 = MIN (line->bbox_x0, b.x);
    line->bbox_y0 = MIN (line->bbox_y0, b.y);
    line->bbox_x1 = MAX (line->bbox_x1, b.x);
    line->bbox_y1 = MAX (line->bbox_y1, b.y);
  }
  line->area = moments->m[0];
  line->centroid_x = x0 + moments->m[1] / moments->m[0];
  line->centroid_y = y0 + moments->m[2] / moments->m[0];
}

/* Convex, so that no sum cancels; every second one is open, every third runs
 * the other way. */
static GstShapeSet *
make_polygons (GRand * rand, Polygons * made)
{
  GstShapeSet *set = gst_shape_set_new (320, 200);
  guint n_points = 0;

  memset (made, 0, sizeof (*made));
  for (guint i = 0; i < N_POLYGONS; i++) {
    const guint n = g_rand_int_range (rand, 4, MAX_POINTS);
    const gdouble x = g_rand_double_range (rand, 0, 320);
    const gdouble y = g_rand_double_range (rand, 0, 200);
    const gdouble r = g_rand_double_range (rand, 4, 60);
    const gboolean closed = i % 2 == 0;
    GstShapePoint *points = made->points + n_points;

    for (guint k = 0; k < n; k++) {
      const guint of = closed ? n - 1 : n;
      const gdouble angle = 2 * G_PI * (k % of) / of * (i % 3 ? 1 : -1);

      points[k].x = x + r * cos (angle);
      points[k].y = y + .6 * r * sin (angle);
    }
    made->polylines[i] = (GstShapePolyline) {
      .id = i, .parent = (gint) i - 1, .level = .5,
      .flags = closed ? GST_SHAPE_FLAG_CLOSED : 0,
    };
    measure (points, n, &made->polylines[i], &made->moments[i]);
    n_points += n;
    made->offsets[i + 1] = n_points;
  }
  gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy
      (made->points, n_points, made->offsets, made->polylines, N_POLYGONS,
          made->moments));
  return set;
}

/* What single precision leaves of @value. */
static void
assert_near (gdouble value, gdouble wanted, gdouble scale)
{
  fail_unless (fabs (value - wanted) <= 2e-4 * (fabs (wanted) + scale),
      "%.9g is not %.9g", value, wanted);
}

static void
assert_measures_are_those_of_the_points (GstShapeSet * set, guint i,
    const GstShapePolyline * before)
{
  gsize n;
  const GstShapePoint *points = gst_shape_set_get_points (set, 0, &n);
  const guint32 *offsets = gst_shape_set_get_offsets (set, 0, &n);
  const GstShapePolyline *line =
      &gst_shape_set_get_polylines (set, 0, &n)[i];
  const GstShapeMoments *moments =
      &gst_shape_set_get_moments (set, 0, &n)[i];
  GstShapePolyline wanted;
  GstShapeMoments m;

  measure (points + offsets[i], offsets[i + 1] - offsets[i], &wanted, &m);
  assert_near (line->area, wanted.area, 1);
  fail_unless ((line->area < 0) == (before->area < 0));
  assert_near (line->perimeter, wanted.perimeter, 1);
  assert_near (line->centroid_x, wanted.centroid_x, 1);
  assert_near (line->centroid_y, wanted.centroid_y, 1);
  assert_near (line->bbox_x0, wanted.bbox_x0, 1);
  assert_near (line->bbox_y0, wanted.bbox_y0, 1);
  assert_near (line->bbox_x1, wanted.bbox_x1, 1);
  assert_near (line->bbox_y1, wanted.bbox_y1, 1);
  for (guint k = 0; k < 10; k++) {
    const guint degree = k == 0 ? 0 : k < 3 ? 1 : k < 6 ? 2 : 3;

    assert_near (moments->m[k], m.m[k], fabs (m.m[0]) *
        pow (wanted.perimeter, degree));
  }
  fail_unless_equals_int (line->id, before->id);
  fail_unless_equals_int (line->parent, before->parent);
  fail_unless_equals_int (line->flags, before->flags);
}

TEST (measures_are_those_of_the_mapped_points)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);

  for (guint round = 0; round < 50; round++) {
    Polygons made;
    g_autoptr (GstShapeSet) set = make_polygons (rand, &made);
    GstShapeAffine m = {
      .xx = g_rand_double_range (rand, -2, 2),
      .xy = g_rand_double_range (rand, -2, 2),
      .x0 = g_rand_double_range (rand, -50, 50),
      .yx = g_rand_double_range (rand, -2, 2),
      .yy = g_rand_double_range (rand, -2, 2),
      .y0 = g_rand_double_range (rand, -50, 50),
    };

    if (round % 3 == 0)
      m.xy = m.yx = 0;
    if (fabs (m.xx * m.yy - m.xy * m.yx) < .1)
      m.xx += 3;
    GstShapeSet *mapped = gst_shape_set_transform (set, &m, 640, 480, NULL);
    fail_unless (mapped != NULL);
    fail_unless_equals_int (gst_shape_set_get_width (mapped), 640);
    fail_unless_equals_int (gst_shape_set_get_height (mapped), 480);
    for (guint i = 0; i < N_POLYGONS; i++)
      assert_measures_are_those_of_the_points (mapped, i, &made.polylines[i]);
    gst_shape_set_unref (mapped);
  }
}

TEST (a_flip_and_its_inverse_give_the_same_points)
{
  const GstShapeAffine flip = { -1, 0, 319, 0, 1, 0 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (6);
  Polygons made;
  g_autoptr (GstShapeSet) set = make_polygons (rand, &made);
  GstShapeSet *once = gst_shape_set_transform (set, &flip, 320, 200, NULL);
  GstShapeSet *twice = gst_shape_set_transform (once, &flip, 320, 200, NULL);
  gsize n;
  const GstShapePoint *points = gst_shape_set_get_points (twice, 0, &n);
  const GstShapePoint *mirrored = gst_shape_set_get_points (once, 0, &n);

  for (gsize i = 0; i < n; i++) {
    fail_unless (fabs (points[i].x - made.points[i].x) < 1e-3);
    fail_unless (points[i].y == made.points[i].y);
  }
  /* listed backwards */
  fail_unless (fabs (mirrored[made.offsets[1] - 1].x - (319 -
              made.points[0].x)) < 1e-3);
  gst_shape_set_unref (twice);
  gst_shape_set_unref (once);
}

TEST (circles_follow)
{
  const GstShapeCircle circle = {.x = 10,.y = 20,.r = 3,.z = 7,
    .rgba = 0x11223344,.parent = -1
  };
  /* a quarter turn and twice the size */
  const GstShapeAffine turn = { 0, -2, 100, 2, 0, 5 };
  g_autoptr (GstShapeSet) set = gst_shape_set_new (64, 64);
  gsize n;

  gst_shape_set_add_layer (set, gst_shape_layer_new_circles_copy (&circle, 1));
  GstShapeSet *mapped = gst_shape_set_transform (set, &turn, 128, 128, NULL);
  const GstShapeCircle *to = gst_shape_set_get_circles (mapped, 0, &n);
  fail_unless_equals_int (n, 1);
  fail_unless_equals_float (to->x, 60);
  fail_unless_equals_float (to->y, 25);
  fail_unless_equals_float (to->r, 6);
  fail_unless_equals_float (to->z, 7);
  fail_unless_equals_int (to->rgba, 0x11223344);
  fail_unless_equals_int (to->parent, -1);
  gst_shape_set_unref (mapped);
}

TEST (a_map_without_an_inverse_is_an_error)
{
  const GstShapeAffine maps[] = {
    {0, 0, 0, 0, 0, 0}, {1, 2, 0, 2, 4, 0}, {NAN, 0, 0, 0, 1, 0},
    {1, 0, INFINITY, 0, 1, 0},
  };
  g_autoptr (GstShapeSet) set = gst_shape_set_new (64, 64);

  for (guint i = 0; i < G_N_ELEMENTS (maps); i++) {
    g_autoptr (GError) error = NULL;

    fail_unless (gst_shape_set_transform (set, &maps[i], 64, 64, &error)
        == NULL);
    fail_unless (g_error_matches (error, GST_LIBRARY_ERROR,
            GST_LIBRARY_ERROR_FAILED));
  }
}

SUITE (shapetransform)
{
  shapes_note_criticals ();
}
