/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The rasteriser against an oracle that takes 24 x 24 samples of each pixel and
 * asks of each whether it lies on a line, in a ring or in a filled region.
 *
 * Tolerances are in units of coverage. The oracle itself is off by up to
 * 1 / 48 along an axis-parallel edge, and codes by 1 / 510.
 */

#include <gst/check/gstcheck.h>

#include <math.h>
#include <string.h>

#include "gstshaperaster.h"

#define SAMPLES 24

#define WHITE 0xffffffffu

typedef struct
{
  const GstShapePoint *points;
  gsize n;
} Line;

/* What is drawn, and how large the picture is. */
typedef struct
{
  guint width, height;
  const Line *lines;
  guint n_lines;
  const GstShapeCircle *circles;
  guint n_circles;
  GstShapePaint paint;
} Scene;

static gdouble
distance_to_segment (gdouble x, gdouble y, GstShapePoint a, GstShapePoint b)
{
  gdouble dx = (gdouble) b.x - a.x, dy = (gdouble) b.y - a.y;
  gdouble length2 = dx * dx + dy * dy;
  gdouble t = 0.;

  if (length2 > 0.)
    t = CLAMP (((x - a.x) * dx + (y - a.y) * dy) / length2, 0., 1.);
  return hypot (x - a.x - t * dx, y - a.y - t * dy);
}

/* Whether the point is within @r of a line. */
static gboolean
is_within (const Scene * scene, gdouble x, gdouble y, gdouble r)
{
  guint i;
  gsize k;

  for (i = 0; i < scene->n_lines; i++)
    for (k = 0; k < MAX (scene->lines[i].n - 1, 1); k++)
      if (distance_to_segment (x, y, scene->lines[i].points[k],
              scene->lines[i].points[MIN (k + 1, scene->lines[i].n - 1)]) <= r)
        return TRUE;
  for (i = 0; i < scene->n_circles; i++)
    if (fabs (hypot (x - scene->circles[i].x, y - scene->circles[i].y)
            - scene->circles[i].r) <= r)
      return TRUE;
  return FALSE;
}

static gboolean
is_on_line (const Scene * scene, gdouble x, gdouble y)
{
  return is_within (scene, x, y, .5 * scene->paint.line_width);
}

/* Whether the pixel may be covered in part. */
static gboolean
is_near (const Scene * scene, gdouble x, gdouble y)
{
  return is_within (scene, x, y, .5 * scene->paint.line_width + .8);
}

static gboolean
is_inside (const Scene * scene, gdouble x, gdouble y)
{
  gboolean inside = FALSE;
  guint i;
  gsize k;

  for (i = 0; i < scene->n_lines; i++) {
    for (k = 0; k + 1 < scene->lines[i].n; k++) {
      GstShapePoint a = scene->lines[i].points[k];
      GstShapePoint b = scene->lines[i].points[k + 1];

      if ((a.y > y) != (b.y > y)
          && x < a.x + (y - a.y) * ((gdouble) b.x - a.x)
          / ((gdouble) b.y - a.y))
        inside = !inside;
    }
  }
  for (i = 0; i < scene->n_circles; i++)
    if (hypot (x - scene->circles[i].x, y - scene->circles[i].y)
        <= scene->circles[i].r)
      inside = TRUE;
  return inside;
}

/* Of a white scene on a black picture. */
static gdouble
oracle (const Scene * scene, guint x, guint y)
{
  guint on = 0, in = 0, i, k;
  gdouble fill, line;

  if (!is_near (scene, x, y))
    return scene->paint.fill_opacity > 0.f && is_inside (scene, x, y) ?
        scene->paint.fill_opacity : 0.;
  for (k = 0; k < SAMPLES; k++) {
    for (i = 0; i < SAMPLES; i++) {
      gdouble sx = x - .5 + (i + .5) / SAMPLES;
      gdouble sy = y - .5 + (k + .5) / SAMPLES;

      on += scene->paint.line_opacity > 0.f && is_on_line (scene, sx, sy);
      in += scene->paint.fill_opacity > 0.f && is_inside (scene, sx, sy);
    }
  }
  line = scene->paint.line_opacity * on / (SAMPLES * SAMPLES);
  fill = scene->paint.fill_opacity * in / (SAMPLES * SAMPLES);
  return line + (1. - line) * fill;
}

static GstShapeSurface
gray_surface (guint8 * data, guint width, guint height)
{
  GstShapeSurface surface = { 0, };

  surface.width = width;
  surface.height = height;
  surface.n_planes = 1;
  surface.data[0] = data;
  surface.row_stride[0] = (gssize) width;
  surface.pixel_stride[0] = 1;
  surface.kr = .299;
  surface.kb = .114;
  surface.full_range = TRUE;
  return surface;
}

static void
add_scene (GstShapeRaster * raster, const Scene * scene)
{
  guint i;

  for (i = 0; i < scene->n_lines; i++)
    gst_shape_raster_add_polyline (raster, scene->lines[i].points,
        scene->lines[i].n, &scene->paint);
  if (scene->n_circles > 0)
    gst_shape_raster_add_circles (raster, scene->circles, scene->n_circles,
        &scene->paint);
}

/* A fresh gray picture of the scene. */
static guint8 *
render (const Scene * scene, guint n_threads)
{
  guint8 *data = g_malloc0 ((gsize) scene->width * scene->height);
  GstShapeSurface surface = gray_surface (data, scene->width, scene->height);
  CsExecutor *executor = cs_executor_new_cpu (n_threads);
  GstShapeRaster *raster = gst_shape_raster_new (executor);

  gst_shape_raster_begin (raster, scene->width, scene->height, 0, 0);
  add_scene (raster, scene);
  fail_unless (gst_shape_raster_draw (raster, &surface, NULL));
  gst_shape_raster_free (raster);
  cs_executor_free (executor);
  return data;
}

static void
assert_like_oracle (const Scene * scene, gdouble worst, gdouble mean)
{
  guint8 *data = render (scene, 1);
  gdouble largest = 0., sum = 0.;
  guint x, y, at_x = 0, at_y = 0, n = 0;

  for (y = 0; y < scene->height; y++) {
    for (x = 0; x < scene->width; x++) {
      gdouble expected = oracle (scene, x, y);
      gdouble off = fabs (data[y * scene->width + x] / 255. - expected);

      if (expected > 0. || data[y * scene->width + x] > 0) {
        sum += off;
        n++;
      }
      if (off > largest) {
        largest = off;
        at_x = x;
        at_y = y;
      }
    }
  }
  g_free (data);
  GST_INFO ("worst %.4f at %u,%u, mean %.4f of %u", largest, at_x, at_y,
      n ? sum / n : 0., n);
  fail_unless (largest <= worst, "coverage is off by %.4f at %u,%u", largest,
      at_x, at_y);
  fail_unless (n == 0 || sum / n <= mean, "mean deviation is %.4f", sum / n);
}

static GstShapePaint
line_paint (gfloat width)
{
  GstShapePaint paint = { WHITE, 1.f, 0.f, width, FALSE, 0 };

  return paint;
}

static GstShapePaint
fill_paint (void)
{
  GstShapePaint paint = { WHITE, 0.f, 1.f, 0.f, FALSE, 0 };

  return paint;
}

/* Straight lines that leave the picture, so that their ends do not count. */
GST_START_TEST (test_straight_lines_in_all_directions_have_exact_coverage)
{
  static const gfloat widths[] = { .3f, .7f, 1.f, 1.4f, 2.f, 3.7f };
  guint i, k;

  for (i = 0; i < G_N_ELEMENTS (widths); i++) {
    for (k = 0; k < 24; k++) {
      gdouble angle = k * G_PI / 24.;
      gfloat dx = (gfloat) (60. * cos (angle));
      gfloat dy = (gfloat) (60. * sin (angle));
      GstShapePoint points[2] = { {12.3f - dx, 11.6f - dy}, {12.3f + dx,
          11.6f + dy}
      };
      Line line = { points, 2 };
      Scene scene = { 25, 23, &line, 1, NULL, 0, line_paint (widths[i]) };

      assert_like_oracle (&scene, .03, .02);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_line_on_a_row_of_pixels_is_hand_computed)
{
  GstShapePoint points[2] = { {2.f, 3.f}, {12.f, 3.f}
  };
  Line line = { points, 2 };
  Scene scene = { 16, 8, &line, 1, NULL, 0, line_paint (2.f) };
  guint8 *data = render (&scene, 1);

  /* the row itself is covered, half of its neighbours, nothing beyond */
  fail_unless_equals_int (data[3 * 16 + 7], 255);
  fail_unless_equals_int (data[2 * 16 + 7], 128);
  fail_unless_equals_int (data[4 * 16 + 7], 128);
  fail_unless_equals_int (data[1 * 16 + 7], 0);
  fail_unless_equals_int (data[5 * 16 + 7], 0);
  g_free (data);

  /* a quarter of a pixel lower, a quarter goes over */
  points[0].y = points[1].y = 3.25f;
  data = render (&scene, 1);
  fail_unless_equals_int (data[3 * 16 + 7], 255);
  fail_unless_equals_int (data[2 * 16 + 7], 64);
  fail_unless_equals_int (data[4 * 16 + 7], 191);
  g_free (data);
}

GST_END_TEST;

GST_START_TEST (test_round_ends_and_dots_are_near_exact)
{
  static const gfloat widths[] = { 2.f, 3.f, 6.f };
  static const gdouble tolerances[] = { .08, .05, .04 };
  guint i, k;

  for (i = 0; i < G_N_ELEMENTS (widths); i++) {
    for (k = 0; k < 9; k++) {
      GstShapePoint points[2] = { {9.1f, 8.4f}, {9.1f + k * .37f,
          8.4f + k * .61f}
      };
      Line line = { points, k == 0 ? 1 : 2 };
      Scene scene = { 24, 22, &line, 1, NULL, 0, line_paint (widths[i]) };

      assert_like_oracle (&scene, tolerances[i], .05);
    }
  }
}

GST_END_TEST;

static gsize
wobbly_ring (GstShapePoint * points, gsize n, gdouble x, gdouble y, gdouble r)
{
  gsize i;

  for (i = 0; i <= n; i++) {
    gdouble angle = 2. * G_PI * (i % n) / n;
    gdouble radius = r * (1. + .15 * sin (5. * angle));

    points[i].x = (gfloat) (x + radius * cos (angle));
    points[i].y = (gfloat) (y + radius * sin (angle));
  }
  return n + 1;
}

GST_START_TEST (test_polylines_have_no_gaps_or_knots_at_their_joints)
{
  static const gfloat widths[] = { 1.f, 2.f, 5.f };
  static const guint steps[] = { 40, 90, 300 };
  GstShapePoint points[301];
  guint i, k;

  for (i = 0; i < G_N_ELEMENTS (widths); i++) {
    for (k = 0; k < G_N_ELEMENTS (steps); k++) {
      Line line = { points, wobbly_ring (points, steps[k], 20.2, 19.7, 13.) };
      Scene scene = { 41, 40, &line, 1, NULL, 0, line_paint (widths[i]) };

      assert_like_oracle (&scene, .12, .015);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_translucent_lines_do_not_blend_twice_where_they_join)
{
  GstShapePoint points[5] = { {3, 3}, {12, 3}, {12, 12}, {3, 12}, {3, 3}
  };
  Line line = { points, 5 };
  Scene scene = { 16, 16, &line, 1, NULL, 0, line_paint (2.f) };
  guint8 *data;

  scene.paint.line_opacity = .5f;
  data = render (&scene, 1);
  fail_unless_equals_int (data[3 * 16 + 7], 128);
  fail_unless_equals_int (data[3 * 16 + 12], 128);
  fail_unless_equals_int (data[3 * 16 + 3], 128);
  g_free (data);
}

GST_END_TEST;

GST_START_TEST (test_filled_regions_are_exact_and_their_holes_empty)
{
  GstShapePoint outer[91], inner[61];
  Line lines[2] = { {outer, wobbly_ring (outer, 90, 20.3, 19.4, 15.)},
  {inner, wobbly_ring (inner, 60, 21.1, 18.9, 6.)}
  };
  Scene scene = { 41, 39, lines, 2, NULL, 0, fill_paint () };

  assert_like_oracle (&scene, .04, .005);
  /* and where they are cut off by the frame's edges */
  wobbly_ring (outer, 90, 1.3, 30.4, 25.);
  wobbly_ring (inner, 60, 37.1, -.9, 9.);
  assert_like_oracle (&scene, .04, .005);
}

GST_END_TEST;

GST_START_TEST (test_fill_then_outline_are_composited)
{
  GstShapePoint ring[91];
  Line line = { ring, wobbly_ring (ring, 90, 20.3, 19.4, 15.) };
  Scene scene = { 41, 39, &line, 1, NULL, 0, line_paint (2.f) };

  scene.paint.fill_opacity = .3f;
  scene.paint.line_opacity = .8f;
  assert_like_oracle (&scene, .08, .01);
}

GST_END_TEST;

GST_START_TEST (test_circles_are_near_exact)
{
  GstShapeCircle circles[2] = { {15.3f, 14.2f, 9.4f, 0, WHITE, -1},
  {27.f, 25.5f, 3.1f, 0, WHITE, -1}
  };
  Scene scene = { 33, 31, NULL, 0, circles, 2, line_paint (2.f) };

  assert_like_oracle (&scene, .06, .012);
  scene.paint = fill_paint ();
  assert_like_oracle (&scene, .04, .005);
}

GST_END_TEST;

GST_START_TEST (test_middles_of_small_circles_are_covered)
{
  GstShapeCircle circle = { 3.f, 3.f, 1.f, 0, WHITE, -1 };
  Scene scene = { 7, 7, NULL, 0, &circle, 1, fill_paint () };
  guint8 *data = render (&scene, 1);

  fail_unless_equals_int (data[3 * 7 + 3], 255);
  g_free (data);

  /* a ring so wide that it has no inside, and one that has */
  scene.paint = line_paint (3.f);
  data = render (&scene, 1);
  fail_unless_equals_int (data[3 * 7 + 3], 255);
  g_free (data);
  circle.r = 2.f;
  scene.paint = line_paint (1.f);
  data = render (&scene, 1);
  fail_unless_equals_int (data[3 * 7 + 3], 0);
  fail_unless_equals_int (data[3 * 7 + 5], 255);
  g_free (data);
}

GST_END_TEST;

GST_START_TEST (test_dashes_lie_on_the_line_and_leave_gaps)
{
  GstShapePoint points[2] = { {1.f, 4.f}, {60.f, 4.f}
  };
  Line line = { points, 2 };
  Scene scene = { 64, 9, &line, 1, NULL, 0, line_paint (2.f) };
  guint8 *data;
  guint x, on = 0, off = 0;

  scene.paint.dashed = TRUE;
  data = render (&scene, 1);
  /* six pixels and two round ends, then five without */
  for (x = 0; x < 64; x++) {
    on += data[4 * 64 + x] == 255;
    off += data[4 * 64 + x] == 0;
    fail_unless_equals_int (data[1 * 64 + x], 0);
  }
  fail_unless_equals_int (data[4 * 64 + 4], 255);
  fail_unless_equals_int (data[4 * 64 + 11], 0);
  fail_unless_equals_int (data[4 * 64 + 17], 255);
  fail_unless (on >= 28 && on <= 40, "%u pixels are on", on);
  fail_unless (off >= 16 && off <= 28, "%u pixels are off", off);
  g_free (data);
}

GST_END_TEST;

GST_START_TEST (test_shapes_are_rescaled_to_the_surface)
{
  /* (x + .5) * s - .5: pixel 1 of 8 becomes 3.5 of 20, and .5 of 4 */
  GstShapePoint points[2] = { {1.f, -50.f}, {1.f, 50.f}
  };
  GstShapePaint paint = line_paint (1.f);
  CsExecutor *executor = cs_executor_new_cpu (1);
  GstShapeRaster *raster = gst_shape_raster_new (executor);
  guint8 data[20 * 4] = { 0, };
  GstShapeSurface surface = gray_surface (data, 20, 4);

  gst_shape_raster_begin (raster, 20, 4, 8, 8);
  gst_shape_raster_add_polyline (raster, points, 2, &paint);
  fail_unless (gst_shape_raster_draw (raster, &surface, NULL));
  /* 1.5 * 2.5 - .5 = 3.25 */
  fail_unless_equals_int (data[2], 0);
  fail_unless_equals_int (data[3], 191);
  fail_unless_equals_int (data[4], 64);
  fail_unless_equals_int (data[5], 0);

  memset (data, 0, sizeof (data));
  surface = gray_surface (data, 4, 20);
  gst_shape_raster_begin (raster, 4, 20, 8, 8);
  gst_shape_raster_add_polyline (raster, points, 2, &paint);
  fail_unless (gst_shape_raster_draw (raster, &surface, NULL));
  fail_unless_equals_int (data[4 * 10], 191);
  fail_unless_equals_int (data[4 * 10 + 1], 64);
  gst_shape_raster_free (raster);
  cs_executor_free (executor);
}

GST_END_TEST;

static gfloat
random_coordinate (GRand * rand, gdouble size)
{
  switch (g_rand_int_range (rand, 0, 40)) {
    case 0:
      return NAN;
    case 1:
      return INFINITY;
    case 2:
      return -INFINITY;
    case 3:
      return 1e30f;
    case 4:
      return -3e38f;
    case 5:
      return (gfloat) g_rand_double_range (rand, -1e6, 1e6);
    default:
      return (gfloat) g_rand_double_range (rand, -.2 * size, 1.2 * size);
  }
}

/* Lines, dashes, dots, fills and circles of all kinds, wild coordinates too. */
static void
add_wild_shapes (GstShapeRaster * raster, guint seed, guint width,
    guint height, GstShapePoint * points, GstShapeCircle * circles)
{
  GRand *rand = g_rand_new_with_seed (seed);
  guint i, k;

  for (i = 0; i < 60; i++) {
    guint n = (guint) g_rand_int_range (rand, 1, 90);
    GstShapePaint paint = { g_rand_int (rand) | 0x40000000u,
      (gfloat) g_rand_double (rand), (gfloat) g_rand_double (rand) - .5f,
      (gfloat) g_rand_double_range (rand, 0., 6.), g_rand_boolean (rand),
      i / 2
    };

    for (k = 0; k < n; k++) {
      gboolean walk = k > 0 && i % 3 != 0;

      points[k].x = walk ? points[k - 1].x
          + (gfloat) g_rand_double_range (rand, -2., 2.)
          : random_coordinate (rand, width);
      points[k].y = walk ? points[k - 1].y
          + (gfloat) g_rand_double_range (rand, -2., 2.)
          : random_coordinate (rand, height);
    }
    points[n] = points[0];
    for (k = 0; k < 5; k++)
      circles[k] = (GstShapeCircle) {
      random_coordinate (rand, width), random_coordinate (rand, height),
          random_coordinate (rand, width) * .5f, 0, WHITE, -1};
    gst_shape_raster_add_polyline (raster, points, n + 1, &paint);
    gst_shape_raster_add_dots (raster, points, n, &paint);
    gst_shape_raster_add_circles (raster, circles, 5, &paint);
    points += n + 1;
    circles += 5;
  }
  g_rand_free (rand);
}

GST_START_TEST (test_any_number_of_threads_draws_the_same_bits)
{
  static const guint threads[] = { 2, 3, 7, 16 };
  static const guint sizes[][2] = { {1, 1}, {3, 2}, {131, 77}, {640, 481} };
  GstShapePoint *points = g_new0 (GstShapePoint, 60 * 91);
  GstShapeCircle *circles = g_new0 (GstShapeCircle, 60 * 5);
  guint i, k, seed;

  for (i = 0; i < G_N_ELEMENTS (sizes); i++) {
    for (seed = 0; seed < 6; seed++) {
      guint width = sizes[i][0], height = sizes[i][1];
      gsize size = (gsize) width * height;
      guint8 *first = NULL;

      for (k = 0; k <= G_N_ELEMENTS (threads); k++) {
        CsExecutor *executor = cs_executor_new_cpu (k ? threads[k - 1] : 1);
        GstShapeRaster *raster = gst_shape_raster_new (executor);
        guint8 *data = g_malloc0 (size);
        GstShapeSurface surface = gray_surface (data, width, height);
        guint pass;

        /* what the last frame left behind must not show in the next one */
        for (pass = 0; pass < 2; pass++) {
          memset (data, 0, size);
          gst_shape_raster_begin (raster, width, height, seed * 100, 300);
          add_wild_shapes (raster, seed, width, height, points, circles);
          fail_unless (gst_shape_raster_draw (raster, &surface, NULL));
          if (!first)
            first = g_memdup2 (data, size);
          fail_unless (memcmp (first, data, size) == 0,
              "%u threads, pass %u, seed %u, %ux%u",
              cs_executor_get_n_threads (executor), pass, seed, width, height);
        }
        g_free (data);
        gst_shape_raster_free (raster);
        cs_executor_free (executor);
      }
      g_free (first);
    }
  }
  g_free (points);
  g_free (circles);
}

GST_END_TEST;

GST_START_TEST (test_what_lies_outside_or_is_not_finite_is_empty)
{
  GstShapePoint outside[3] = { {-30, -30}, {-20, 5}, {-30, 90}
  };
  GstShapePoint broken[3] = { {NAN, 3}, {4, NAN}, {NAN, NAN}
  };
  GstShapeCircle circles[4] = { {5, 5, 0, 0, WHITE, -1}, {5, 5, -2, 0, WHITE,
      -1}, {NAN, 5, 2, 0, WHITE, -1}, {50, 50, 9, 0, WHITE, -1}
  };
  GstShapePaint paint = line_paint (2.f), nothing = line_paint (0.f);
  GstShapePoint inside[2] = { {1, 1}, {8, 8}
  };
  CsExecutor *executor = cs_executor_new_cpu (1);
  GstShapeRaster *raster = gst_shape_raster_new (executor);

  paint.fill_opacity = 1.f;
  gst_shape_raster_begin (raster, 10, 10, 10, 10);
  gst_shape_raster_add_polyline (raster, outside, 3, &paint);
  gst_shape_raster_add_polyline (raster, broken, 3, &paint);
  gst_shape_raster_add_polyline (raster, inside, 0, &paint);
  gst_shape_raster_add_polyline (raster, inside, 2, &nothing);
  gst_shape_raster_add_dots (raster, outside, 3, &paint);
  gst_shape_raster_add_circles (raster, circles, 4, &paint);
  fail_unless (gst_shape_raster_is_empty (raster));
  gst_shape_raster_add_polyline (raster, inside, 2, &paint);
  fail_if (gst_shape_raster_is_empty (raster));
  gst_shape_raster_free (raster);
  cs_executor_free (executor);
}

GST_END_TEST;

GST_START_TEST (test_segments_with_a_non_finite_end_are_skipped)
{
  GstShapePoint points[6] = { {1, 3}, {6, 3}, {NAN, 3}, {10, 3}, {14, 3},
  {1, 3}
  };
  GstShapePoint closed[6];
  Line line = { points, 5 };
  Scene scene = { 16, 8, &line, 1, NULL, 0, line_paint (2.f) };
  guint8 *data = render (&scene, 1);

  fail_unless_equals_int (data[3 * 16 + 4], 255);
  fail_unless_equals_int (data[3 * 16 + 8], 0);
  fail_unless_equals_int (data[3 * 16 + 12], 255);
  g_free (data);

  /* half a region cannot be filled */
  memcpy (closed, points, sizeof (points));
  closed[3].y = 7;
  line.points = closed;
  line.n = 6;
  scene.paint = fill_paint ();
  data = render (&scene, 1);
  fail_unless_equals_int (data[4 * 16 + 8], 0);
  fail_unless_equals_int (data[4 * 16 + 15], 0);
  g_free (data);
}

GST_END_TEST;

GST_START_TEST (test_huge_coordinates_end_soon_and_cross_the_frame)
{
  GstShapePoint points[2] = { {-1e30f, 3.f}, {1e30f, 3.f}
  };
  GstShapePoint uneven[2] = { {-1e38f, 3.f}, {1e13f, 3.f} };
  GstShapePoint box[5] = { {-1e30f, -1e30f}, {1e30f, -1e30f}, {1e30f, 1e30f},
  {-1e30f, 1e30f}, {-1e30f, -1e30f}
  };
  GstShapeCircle circle = { 3.f, 1e6f, 1e6f - 5.f, 0, WHITE, -1 };
  Line line = { points, 2 };
  Scene scene = { 16, 8, &line, 1, NULL, 0, line_paint (2.f) };
  guint8 *data = render (&scene, 1);

  fail_unless_equals_int (data[3 * 16 + 0], 255);
  fail_unless_equals_int (data[3 * 16 + 15], 255);
  fail_unless_equals_int (data[5 * 16 + 15], 0);
  g_free (data);

  scene.paint.dashed = TRUE;
  g_free (render (&scene, 1));

  /* the far end is nothing beside the near one's distance, and far away */
  line.points = uneven;
  g_free (render (&scene, 1));

  line.points = box;
  line.n = 5;
  scene.paint = fill_paint ();
  data = render (&scene, 1);
  fail_unless_equals_int (data[0], 255);
  fail_unless_equals_int (data[16 * 8 - 1], 255);
  g_free (data);

  /* a circle so large that it looks like a line */
  scene.n_lines = 0;
  scene.circles = &circle;
  scene.n_circles = 1;
  scene.paint = line_paint (2.f);
  data = render (&scene, 1);
  fail_unless_equals_int (data[5 * 16 + 3], 255);
  fail_unless_equals_int (data[2 * 16 + 3], 0);
  fail_unless_equals_int (data[7 * 16 + 3], 0);
  g_free (data);
}

GST_END_TEST;

GST_START_TEST (test_edges_that_are_almost_level_are_filled)
{
  /* ends that differ in their bits, and not once they are in pixels */
  GstShapePoint points[5] = { {2, 1e-20f}, {8, 0}, {8, 4}, {2, 4},
  {2, 1e-20f}
  };
  Line line = { points, 5 };
  Scene scene = { 11, 7, &line, 1, NULL, 0, fill_paint () };
  guint8 *data = render (&scene, 1);

  fail_unless_equals_int (data[2 * 11 + 5], 255);
  fail_unless_equals_int (data[0 * 11 + 5], 128);
  fail_unless_equals_int (data[2 * 11 + 10], 0);
  g_free (data);
}

GST_END_TEST;

static Suite *
raster_suite (void)
{
  Suite *suite = suite_create ("shapeoverlay-raster");
  TCase *lines = tcase_create ("lines");
  TCase *robust = tcase_create ("robustness");

  suite_add_tcase (suite, lines);
  tcase_add_test (lines,
      test_straight_lines_in_all_directions_have_exact_coverage);
  tcase_add_test (lines, test_line_on_a_row_of_pixels_is_hand_computed);
  tcase_add_test (lines, test_round_ends_and_dots_are_near_exact);
  tcase_add_test (lines, test_polylines_have_no_gaps_or_knots_at_their_joints);
  tcase_add_test (lines,
      test_translucent_lines_do_not_blend_twice_where_they_join);
  tcase_add_test (lines, test_filled_regions_are_exact_and_their_holes_empty);
  tcase_add_test (lines, test_fill_then_outline_are_composited);
  tcase_add_test (lines, test_circles_are_near_exact);
  tcase_add_test (lines, test_middles_of_small_circles_are_covered);
  tcase_add_test (lines, test_dashes_lie_on_the_line_and_leave_gaps);
  tcase_add_test (lines, test_shapes_are_rescaled_to_the_surface);
  suite_add_tcase (suite, robust);
  tcase_add_test (robust, test_any_number_of_threads_draws_the_same_bits);
  tcase_add_test (robust, test_what_lies_outside_or_is_not_finite_is_empty);
  tcase_add_test (robust, test_segments_with_a_non_finite_end_are_skipped);
  tcase_add_test (robust, test_huge_coordinates_end_soon_and_cross_the_frame);
  tcase_add_test (robust, test_edges_that_are_almost_level_are_filled);
  return suite;
}

GST_CHECK_MAIN (raster);
