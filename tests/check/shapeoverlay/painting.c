/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * What the painter makes of shapes, against an oracle of coverage: that of lines
 * and circles by the distance of the pixel's centre from their edge, as
 * raster.h defines it; of filled regions by 48 x 48 samples of each pixel.
 *
 * Tolerances are in units of coverage. Geometry is snapped to 1/256 pixel, a
 * code is off by up to 1/510, and the samples by up to 1/96 along an edge that
 * is parallel to an axis.
 */

#include <float.h>
#include <math.h>
#include <string.h>

#include "../lib/suite.h"
#include "base/error.h"
#include "scene.h"

#define SAMPLES 48

/* What lines and circles may be off by. */
#define EXACT .012

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

/* The distance from the dashes of a line that begins at @phase; adds its
 * length. */
static gdouble
distance_to_dashes (const Scene * scene, gdouble x, gdouble y, GstShapePoint a,
    GstShapePoint b, gdouble * phase)
{
  const gdouble width = scene->paint.line_width;
  const gdouble on = MAX (3. * width, 4.);
  const gdouble period = on + MAX (3.5 * width, 5.);
  const gdouble length = hypot ((gdouble) b.x - a.x, (gdouble) b.y - a.y);
  const gdouble ux = ((gdouble) b.x - a.x) / length;
  const gdouble uy = ((gdouble) b.y - a.y) / length;
  const gdouble at = (x - a.x) * ux + (y - a.y) * uy;
  gdouble least = G_MAXDOUBLE;

  /* those near the pixel */
  for (gint k = -2; k <= 2; k++) {
    const gdouble start = (floor ((*phase + at) / period) + k) * period
        - *phase;
    const gdouble from = MAX (start, 0.), to = MIN (start + on, length);
    const gdouble nearest = CLAMP (at, from, to);

    if (from <= to)
      least = MIN (least, hypot (x - a.x - nearest * ux,
              y - a.y - nearest * uy));
  }
  *phase += length;
  return least;
}

/* The distance from the nearest middle of a line. */
static gdouble
distance_to_lines (const Scene * scene, gdouble x, gdouble y)
{
  gdouble least = G_MAXDOUBLE;

  for (guint i = 0; i < scene->n_lines; i++) {
    const Line *line = &scene->lines[i];
    gdouble phase = 0.;

    for (gsize k = 0; k < MAX (line->n - 1, 1); k++) {
      const GstShapePoint a = scene_map (scene, line->points[k]);
      const GstShapePoint b = scene_map (scene, line->points[MIN (k + 1,
                  line->n - 1)]);
      const gdouble d = scene->paint.dashed ?
          distance_to_dashes (scene, x, y, a, b, &phase) :
          distance_to_segment (x, y, a, b);

      least = MIN (least, d);
    }
  }
  return least;
}

static gdouble
distance_to_dots (const Scene * scene, gdouble x, gdouble y)
{
  gdouble least = G_MAXDOUBLE;

  for (gsize k = 0; scene->dots && k < scene->dots->n; k++) {
    const GstShapePoint dot = scene_map (scene, scene->dots->points[k]);

    least = MIN (least, hypot (x - dot.x, y - dot.y));
  }
  return least;
}

/* Lines thinner than a pixel are one pixel wide and fainter. */
static gdouble
line_coverage (const Scene * scene, gdouble x, gdouble y)
{
  const gdouble radius = .5 * MAX (scene->paint.line_width, 1.);
  gdouble dots = CLAMP (radius + .5 - distance_to_dots (scene, x, y), 0., 1.);
  gdouble covered = CLAMP (radius + .5 - distance_to_lines (scene, x, y), 0.,
      1.);

  for (guint i = 0; i < scene->n_circles; i++) {
    const GstShapeCircle *c = &scene->circles[i];
    const gdouble d = fabs (hypot (x - c->x, y - c->y) - c->r);

    covered = MAX (covered, CLAMP (radius + .5 - d, 0., 1.));
  }
  /* dots are painted over lines */
  return (dots + (1. - dots) * covered) * MIN (scene->paint.line_width, 1.);
}

static gboolean
is_inside (const Scene * scene, gdouble x, gdouble y)
{
  gboolean inside = FALSE;

  for (guint i = 0; i < scene->n_lines; i++)
    for (gsize k = 0; k + 1 < scene->lines[i].n; k++) {
      GstShapePoint a = scene_map (scene, scene->lines[i].points[k]);
      GstShapePoint b = scene_map (scene, scene->lines[i].points[k + 1]);

      if ((a.y > y) != (b.y > y)
          && x < a.x + (y - a.y) * ((gdouble) b.x - a.x)
          / ((gdouble) b.y - a.y))
        inside = !inside;
    }
  return inside;
}

/* Whether all of the pixel is on one side of every edge: its corners are .71
 * away. */
static gboolean
is_far_from_edges (const Scene * scene, guint x, guint y)
{
  for (guint i = 0; i < scene->n_lines; i++)
    for (gsize k = 0; k + 1 < scene->lines[i].n; k++)
      if (!(distance_to_segment (x, y,
                  scene_map (scene, scene->lines[i].points[k]),
                  scene_map (scene, scene->lines[i].points[k + 1])) > .75))
        return FALSE;
  return TRUE;
}

static gdouble
fill_coverage (const Scene * scene, guint x, guint y)
{
  guint in = 0;
  gdouble covered = 0.;

  if (scene->n_lines > 0 && is_far_from_edges (scene, x, y))
    in = is_inside (scene, x, y) ? SAMPLES * SAMPLES : 0;
  else if (scene->n_lines > 0) {
    for (guint k = 0; k < SAMPLES; k++)
      for (guint i = 0; i < SAMPLES; i++)
        in += is_inside (scene, x - .5 + (i + .5) / SAMPLES,
            y - .5 + (k + .5) / SAMPLES);
  }
  for (guint i = 0; i < scene->n_circles; i++) {
    const GstShapeCircle *c = &scene->circles[i];

    covered = MAX (covered, CLAMP (c->r + .5 - hypot (x - c->x, y - c->y), 0.,
            1.));
  }
  return MAX (covered, (gdouble) in / (SAMPLES * SAMPLES));
}

/* Of a white scene on a black picture. */
static gdouble
oracle (const Scene * scene, guint x, guint y)
{
  gdouble fill = 0., line = 0.;

  if (scene->paint.fill_opacity > 0.f)
    fill = scene->paint.fill_opacity * fill_coverage (scene, x, y);
  if (scene->paint.line_opacity > 0.f)
    line = scene->paint.line_opacity * line_coverage (scene, x, y);
  return line + (1. - line) * fill;
}

static void
assert_like_oracle (const Scene * scene, gdouble worst)
{
  g_autofree guint8 *data = scene_render (scene, 1);
  gdouble largest = 0.;
  guint at_x = 0, at_y = 0;

  for (guint y = 0; y < scene->height; y++)
    for (guint x = 0; x < scene->width; x++) {
      gdouble expected = oracle (scene, x, y);
      gdouble off = fabs (data[y * scene->width + x] / 255. - expected);

      if (off > largest) {
        largest = off;
        at_x = x;
        at_y = y;
      }
    }
  fail_unless (largest <= worst, "coverage is off by %.4f at %u,%u", largest,
      at_x, at_y);
}

/* Straight lines that leave the picture, so that their ends do not count. */
TEST (test_straight_lines_in_all_directions)
{
  static const gfloat widths[] = { .3f, .7f, 1.f, 1.4f, 2.f, 3.7f };

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    for (guint k = 0; k < 24; k++) {
      gdouble angle = k * G_PI / 24.;
      gfloat dx = (gfloat) (60. * cos (angle));
      gfloat dy = (gfloat) (60. * sin (angle));
      GstShapePoint points[2] = { {12.3f - dx, 11.6f - dy}, {12.3f + dx,
          11.6f + dy}
      };
      Line line = { points, 2 };
      Scene scene = { 25, 23, &line, 1, NULL, 0, line_paint (widths[i]) };

      assert_like_oracle (&scene, EXACT);
    }
}

TEST (test_line_on_a_row_of_pixels_is_hand_computed)
{
  GstShapePoint points[2] = { {2.f, 3.f}, {12.f, 3.f}
  };
  Line line = { points, 2 };
  Scene scene = { 16, 8, &line, 1, NULL, 0, line_paint (2.f) };
  g_autofree guint8 *data = scene_render (&scene, 1);

  /* the row itself is covered, half of its neighbours, nothing beyond */
  fail_unless_equals_int (data[3 * 16 + 7], 255);
  fail_unless_equals_int (data[2 * 16 + 7], 128);
  fail_unless_equals_int (data[4 * 16 + 7], 128);
  fail_unless_equals_int (data[1 * 16 + 7], 0);
  fail_unless_equals_int (data[5 * 16 + 7], 0);
  g_free (data);

  /* a quarter of a pixel lower, a quarter goes over */
  points[0].y = points[1].y = 3.25f;
  data = scene_render (&scene, 1);
  fail_unless_equals_int (data[3 * 16 + 7], 255);
  fail_unless_equals_int (data[2 * 16 + 7], 64);
  fail_unless_equals_int (data[4 * 16 + 7], 191);
}

TEST (test_round_ends_and_dots)
{
  static const gfloat widths[] = { 2.f, 3.f, 6.f };

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    for (guint k = 0; k < 9; k++) {
      GstShapePoint points[2] = { {9.1f, 8.4f}, {9.1f + k * .37f,
          8.4f + k * .61f}
      };
      Line line = { points, k == 0 ? 1 : 2 };
      Scene scene = { 24, 22, &line, 1, NULL, 0, line_paint (widths[i]) };

      assert_like_oracle (&scene, EXACT);
    }
}

TEST (test_polylines_have_no_gaps_or_knots_at_their_joints)
{
  static const gfloat widths[] = { 1.f, 2.f, 5.f };
  static const guint steps[] = { 40, 90, 300 };
  GstShapePoint points[301];

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    for (guint k = 0; k < G_N_ELEMENTS (steps); k++) {
      Line line = { points, wobbly_ring (points, steps[k], 20.2, 19.7, 13.) };
      Scene scene = { 41, 40, &line, 1, NULL, 0, line_paint (widths[i]) };

      assert_like_oracle (&scene, EXACT);
    }
}

TEST (test_translucent_lines_do_not_blend_twice_where_they_join)
{
  GstShapePoint points[5] = { {3, 3}, {12, 3}, {12, 12}, {3, 12}, {3, 3}
  };
  Line line = { points, 5 };
  Scene scene = { 16, 16, &line, 1, NULL, 0, line_paint (2.f) };

  scene.paint.line_opacity = .5f;
  g_autofree guint8 *data = scene_render (&scene, 1);
  fail_unless_equals_int (data[3 * 16 + 7], 128);
  fail_unless_equals_int (data[3 * 16 + 12], 128);
  fail_unless_equals_int (data[3 * 16 + 3], 128);
}

TEST (test_filled_regions_are_exact_and_their_holes_empty)
{
  GstShapePoint outer[91], inner[61];
  Line lines[2] = { {outer, wobbly_ring (outer, 90, 20.3, 19.4, 15.)},
  {inner, wobbly_ring (inner, 60, 21.1, 18.9, 6.)}
  };
  Scene scene = { 41, 39, lines, 2, NULL, 0, fill_paint () };

  assert_like_oracle (&scene, .025);
  /* and where they are cut off by the frame's edges */
  wobbly_ring (outer, 90, 1.3, 30.4, 25.);
  wobbly_ring (inner, 60, 37.1, -.9, 9.);
  assert_like_oracle (&scene, .025);
}

TEST (test_fill_then_outline_are_composited)
{
  GstShapePoint ring[91];
  Line line = { ring, wobbly_ring (ring, 90, 20.3, 19.4, 15.) };
  Scene scene = { 41, 39, &line, 1, NULL, 0, line_paint (2.f) };

  scene.paint.fill_opacity = .3f;
  scene.paint.line_opacity = .8f;
  assert_like_oracle (&scene, .02);
}

TEST (test_rings_and_discs)
{
  GstShapeCircle circles[2] = { {15.3f, 14.2f, 9.4f, 0, WHITE, -1},
  {27.f, 25.5f, 3.1f, 0, WHITE, -1}
  };
  Scene scene = { 33, 31, NULL, 0, circles, 2, line_paint (2.f) };

  assert_like_oracle (&scene, EXACT);
  scene.paint = fill_paint ();
  assert_like_oracle (&scene, EXACT);
}

TEST (test_middles_of_small_circles_are_covered)
{
  GstShapeCircle circle = { 3.f, 3.f, 1.f, 0, WHITE, -1 };
  Scene scene = { 7, 7, NULL, 0, &circle, 1, fill_paint () };
  g_autofree guint8 *data = scene_render (&scene, 1);

  fail_unless_equals_int (data[3 * 7 + 3], 255);
  g_free (data);

  /* a ring so wide that it has no inside, and one that has */
  scene.paint = line_paint (3.f);
  data = scene_render (&scene, 1);
  fail_unless_equals_int (data[3 * 7 + 3], 255);
  g_free (data);
  circle.r = 2.f;
  scene.paint = line_paint (1.f);
  data = scene_render (&scene, 1);
  fail_unless_equals_int (data[3 * 7 + 3], 0);
  fail_unless_equals_int (data[3 * 7 + 5], 255);
}

TEST (test_dashes_lie_on_the_line_and_leave_gaps)
{
  GstShapePoint points[2] = { {1.f, 4.f}, {60.f, 4.f}
  };
  Line line = { points, 2 };
  Scene scene = { 64, 9, &line, 1, NULL, 0, line_paint (2.f) };
  guint on = 0, off = 0;

  scene.paint.dashed = TRUE;
  g_autofree guint8 *data = scene_render (&scene, 1);
  /* six pixels and two round ends, then five without */
  for (guint x = 0; x < 64; x++) {
    on += data[4 * 64 + x] == 255;
    off += data[4 * 64 + x] == 0;
    fail_unless_equals_int (data[1 * 64 + x], 0);
  }
  fail_unless_equals_int (data[4 * 64 + 4], 255);
  fail_unless_equals_int (data[4 * 64 + 11], 0);
  fail_unless_equals_int (data[4 * 64 + 17], 255);
  fail_unless (on >= 28 && on <= 40, "%u pixels are on", on);
  fail_unless (off >= 16 && off <= 28, "%u pixels are off", off);
}

TEST (test_shapes_are_rescaled_to_the_surface)
{
  /* (x + .5) * s - .5: pixel 1 of 8 becomes 3.5 of 20, and .5 of 4 */
  GstShapePoint points[2] = { {1.f, -50.f}, {1.f, 50.f}
  };
  GstShapePaint paint = line_paint (1.f);
  guint8 data[20 * 4] = { 0, };
  CsPicture picture = gray_picture (data, 20, 4);
  Painter painter;

  painter_init (&painter, 1);
  gst_shape_marks_begin (&painter.marks, 20, 4, 8, 8);
  gst_shape_marks_add_polyline (&painter.marks, points, 2, &paint);
  painter_run (&painter, &picture);
  /* 1.5 * 2.5 - .5 = 3.25 */
  fail_unless_equals_int (data[2], 0);
  fail_unless_equals_int (data[3], 191);
  fail_unless_equals_int (data[4], 64);
  fail_unless_equals_int (data[5], 0);

  memset (data, 0, sizeof (data));
  picture = gray_picture (data, 4, 20);
  gst_shape_marks_begin (&painter.marks, 4, 20, 8, 8);
  gst_shape_marks_add_polyline (&painter.marks, points, 2, &paint);
  painter_run (&painter, &picture);
  fail_unless_equals_int (data[4 * 10], 191);
  fail_unless_equals_int (data[4 * 10 + 1], 64);
  painter_clear (&painter);
}

/* Dashes of lines with corners, and of lines from far outside to far outside:
 * they are where they would be. */
TEST (test_dashes_go_on_around_corners_and_outside)
{
  static const GstShapePoint zigzag[] = {
    {5, 5}, {50.5f, 20.25f}, {90, 6}, {80.3f, 55.1f}, {40, 40}, {10.7f, 58}
  };
  static const GstShapePoint points[] = { {-3000, -2000}, {3096, 2064} };
  static const gfloat widths[] = { 2.f, 3.f, 5.f };
  Line line = { zigzag, G_N_ELEMENTS (zigzag) };
  Scene scene = { 96, 64, &line, 1, NULL, 0, };

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++) {
    scene.paint = line_paint (widths[i]);
    scene.paint.dashed = TRUE;
    line = (Line) { zigzag, G_N_ELEMENTS (zigzag) };
    assert_like_oracle (&scene, EXACT);
    line = (Line) { points, 2 };
    assert_like_oracle (&scene, EXACT);
  }
}

TEST (test_lines_dots_and_fillings_of_other_spaces)
{
  static const GstShapePoint zigzag[] = {
    {5, 5}, {50.5f, 20.25f}, {90, 6}, {80.3f, 55.1f}, {41, 40}, {10.7f, 58},
    {5, 5}
  };
  static const guint sizes[][2] = { {48, 32}, {96, 32}, {192, 128}, {60, 50} };
  const Line line = { zigzag, G_N_ELEMENTS (zigzag) };
  const Line dots = { zigzag, 3 };
  Scene scene = { 96, 64, &line, 1, NULL, 0, line_paint (3.f) };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    scene.set_width = sizes[i][0];
    scene.set_height = sizes[i][1];
    scene.paint = line_paint (3.f);
    scene.dots = &dots;
    assert_like_oracle (&scene, EXACT);
    scene.paint = fill_paint ();
    scene.dots = NULL;
    assert_like_oracle (&scene, .025);
  }
}

/* Circles that overlap are one region. */
TEST (test_overlapping_ellipses_are_filled_once)
{
  const GstShapeCircle circles[2] = { {20, 32, 15, 0, WHITE, -1},
  {28, 32, 15, 0, WHITE, -1}
  };
  Scene scene = { 96, 64, NULL, 0, circles, 2, fill_paint (), NULL, 48, 64 };

  scene.paint.fill_opacity = .5f;
  g_autofree guint8 *data = scene_render (&scene, 1);
  fail_unless_equals_int (data[32 * 96 + 48], 128);
  fail_unless_equals_int (data[32 * 96 + 20], 128);
  fail_unless_equals_int (data[32 * 96 + 92], 0);
}

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
add_wild_shapes (GstShapeMarks * marks, guint seed, guint width,
    guint height, GstShapePoint * points, GstShapeCircle * circles)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);

  for (guint i = 0; i < 60; i++) {
    guint n = (guint) g_rand_int_range (rand, 1, 90);
    GstShapePaint paint = { g_rand_int (rand) | 0x40000000u,
      (gfloat) g_rand_double (rand), (gfloat) g_rand_double (rand) - .5f,
      (gfloat) g_rand_double_range (rand, 0., 6.), g_rand_boolean (rand),
      FALSE, i / 2
    };

    for (guint k = 0; k < n; k++) {
      gboolean walk = k > 0 && i % 3 != 0;

      points[k].x = walk ? points[k - 1].x
          + (gfloat) g_rand_double_range (rand, -2., 2.)
          : random_coordinate (rand, width);
      points[k].y = walk ? points[k - 1].y
          + (gfloat) g_rand_double_range (rand, -2., 2.)
          : random_coordinate (rand, height);
    }
    points[n] = points[0];
    for (guint k = 0; k < 5; k++)
      circles[k] = (GstShapeCircle) {
      random_coordinate (rand, width), random_coordinate (rand, height),
          random_coordinate (rand, width) * .5f, 0, WHITE, -1};
    gst_shape_marks_add_polyline (marks, points, n + 1, &paint);
    gst_shape_marks_add_dots (marks, points, n, &paint);
    gst_shape_marks_add_circles (marks, circles, 5, &paint);
    points += n + 1;
    circles += 5;
  }
}

TEST (test_any_number_of_threads_draws_the_same_bits)
{
  static const guint threads[] = { 2, 3, 7, 16 };
  static const guint sizes[][2] = { {1, 1}, {3, 2}, {131, 77}, {640, 481} };
  g_autofree GstShapePoint *points = g_new0 (GstShapePoint, 60 * 91);
  g_autofree GstShapeCircle *circles = g_new0 (GstShapeCircle, 60 * 5);

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint seed = 0; seed < 6; seed++) {
      guint width = sizes[i][0], height = sizes[i][1];
      gsize size = (gsize) width * height;
      g_autofree guint8 *first = NULL;

      for (guint k = 0; k <= G_N_ELEMENTS (threads); k++) {
        g_autofree guint8 *data = g_malloc0 (size);
        const CsPicture picture = gray_picture (data, width, height);
        Painter painter;

        painter_init (&painter, k ? threads[k - 1] : 1);

        /* what the last frame left behind must not show in the next one */
        for (guint pass = 0; pass < 2; pass++) {
          memset (data, 0, size);
          gst_shape_marks_begin (&painter.marks, width, height, seed * 100,
              300);
          add_wild_shapes (&painter.marks, seed, width, height, points,
              circles);
          painter_run (&painter, &picture);
          if (!first)
            first = g_memdup2 (data, size);
          fail_unless (memcmp (first, data, size) == 0,
              "%u threads, pass %u, seed %u, %ux%u",
              cs_executor_get_n_threads (painter.executor), pass, seed, width,
              height);
        }
        painter_clear (&painter);
      }
    }
}

TEST (test_what_lies_outside_or_is_not_finite_is_empty)
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
  Painter painter;

  painter_init (&painter, 1);
  paint.fill_opacity = 1.f;
  gst_shape_marks_begin (&painter.marks, 10, 10, 10, 10);
  gst_shape_marks_add_polyline (&painter.marks, outside, 3, &paint);
  gst_shape_marks_add_polyline (&painter.marks, broken, 3, &paint);
  gst_shape_marks_add_polyline (&painter.marks, inside, 0, &paint);
  gst_shape_marks_add_polyline (&painter.marks, inside, 2, &nothing);
  gst_shape_marks_add_dots (&painter.marks, outside, 3, &paint);
  gst_shape_marks_add_circles (&painter.marks, circles, 4, &paint);
  fail_unless (gst_shape_marks_is_empty (&painter.marks));
  gst_shape_marks_add_polyline (&painter.marks, inside, 2, &paint);
  fail_if (gst_shape_marks_is_empty (&painter.marks));
  painter_clear (&painter);
}

TEST (test_segments_with_a_non_finite_end_are_skipped)
{
  GstShapePoint points[6] = { {1, 3}, {6, 3}, {NAN, 3}, {10, 3}, {14, 3},
  {1, 3}
  };
  GstShapePoint closed[6];
  Line line = { points, 5 };
  Scene scene = { 16, 8, &line, 1, NULL, 0, line_paint (2.f) };
  g_autofree guint8 *data = scene_render (&scene, 1);

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
  data = scene_render (&scene, 1);
  fail_unless_equals_int (data[4 * 16 + 8], 0);
  fail_unless_equals_int (data[4 * 16 + 15], 0);
}

TEST (test_huge_coordinates_end_soon_and_cross_the_frame)
{
  GstShapePoint points[2] = { {-1e30f, 3.f}, {1e30f, 3.f}
  };
  GstShapePoint uneven[2] = { {-1e38f, 3.f}, {1e13f, 3.f} };
  GstShapePoint box[5] = { {-1e30f, -1e30f}, {1e30f, -1e30f}, {1e30f, 1e30f},
  {-1e30f, 1e30f}, {-1e30f, -1e30f}
  };
  GstShapePoint wide[5] = { {-FLT_MAX, 1}, {FLT_MAX, 1}, {FLT_MAX, 4},
  {-FLT_MAX, 4}, {-FLT_MAX, 1}
  };
  GstShapePoint high[5] = { {5, -FLT_MAX}, {9, -FLT_MAX}, {9, FLT_MAX},
  {5, FLT_MAX}, {5, -FLT_MAX}
  };
  GstShapeCircle circle = { 3.f, 1e6f, 1e6f - 5.f, 0, WHITE, -1 };
  Line line = { points, 2 };
  Scene scene = { 16, 8, &line, 1, NULL, 0, line_paint (2.f) };
  g_autofree guint8 *data = scene_render (&scene, 1);

  fail_unless_equals_int (data[3 * 16 + 0], 255);
  fail_unless_equals_int (data[3 * 16 + 15], 255);
  fail_unless_equals_int (data[5 * 16 + 15], 0);
  g_free (data);

  scene.paint.dashed = TRUE;
  g_free (scene_render (&scene, 1));

  /* the far end is nothing beside the near one's distance, and far away */
  line.points = uneven;
  g_free (scene_render (&scene, 1));

  line.points = box;
  line.n = 5;
  scene.paint = fill_paint ();
  data = scene_render (&scene, 1);
  fail_unless_equals_int (data[0], 255);
  fail_unless_equals_int (data[16 * 8 - 1], 255);
  g_free (data);

  /* the largest numbers are numbers */
  line.points = wide;
  data = scene_render (&scene, 1);
  fail_unless_equals_int (data[2 * 16], 255);
  fail_unless_equals_int (data[3 * 16 + 15], 255);
  fail_unless_equals_int (data[5 * 16 + 15], 0);
  g_free (data);
  line.points = high;
  data = scene_render (&scene, 1);
  fail_unless_equals_int (data[6], 255);
  fail_unless_equals_int (data[7 * 16 + 6], 255);
  fail_unless_equals_int (data[7 * 16 + 12], 0);
  g_free (data);

  /* a circle so large that it looks like a line */
  scene.n_lines = 0;
  scene.circles = &circle;
  scene.n_circles = 1;
  scene.paint = line_paint (2.f);
  data = scene_render (&scene, 1);
  fail_unless_equals_int (data[5 * 16 + 3], 255);
  fail_unless_equals_int (data[2 * 16 + 3], 0);
  fail_unless_equals_int (data[7 * 16 + 3], 0);
}

TEST (test_edges_that_are_almost_level_are_filled)
{
  /* ends that differ in their bits, and not once they are in pixels */
  GstShapePoint points[5] = { {2, 1e-20f}, {8, 0}, {8, 4}, {2, 4},
  {2, 1e-20f}
  };
  Line line = { points, 5 };
  Scene scene = { 11, 7, &line, 1, NULL, 0, fill_paint () };
  g_autofree guint8 *data = scene_render (&scene, 1);

  fail_unless_equals_int (data[2 * 11 + 5], 255);
  fail_unless_equals_int (data[0 * 11 + 5], 128);
  fail_unless_equals_int (data[2 * 11 + 10], 0);
}

/* All that is made of wild coordinates is near the frame, and not endless. */
#define WILD_WIDTH 96
#define WILD_HEIGHT 64

TEST (test_marks_are_near_the_frame)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  GstShapePoint points[50];
  GstShapeCircle round[20];
  GstShapeMarks marks;

  gst_shape_marks_init (&marks);
  for (guint k = 0; k < 2000; k++) {
    GstShapePaint paint = line_paint ((gfloat) (1 + k % 7));

    for (gsize i = 0; i < G_N_ELEMENTS (points); i++)
      points[i] = (GstShapePoint) {
      random_coordinate (rand, 100), random_coordinate (rand, 100)};
    for (gsize i = 0; i < G_N_ELEMENTS (round); i++)
      round[i] = (GstShapeCircle) {
      random_coordinate (rand, 100), random_coordinate (rand, 100),
          random_coordinate (rand, 100), 0, 0, -1};
    paint.dashed = k % 2;
    gst_shape_marks_begin (&marks, WILD_WIDTH, WILD_HEIGHT,
        k % 3 ? WILD_WIDTH : 1, WILD_HEIGHT);
    gst_shape_marks_add_polyline (&marks, points, 50, &paint);
    gst_shape_marks_add_dots (&marks, points, 50, &paint);
    gst_shape_marks_add_circles (&marks, round, 20, &paint);
    CsMarks all = gst_shape_marks_get (&marks);
    fail_unless (all.n < 100000, "%" G_GSIZE_FORMAT " marks", all.n);
    for (gsize i = 0; i < all.n; i++) {
      const CsMark *mark = &all.marks[i];

      if (mark->half_width == 0.f)
        fail_unless (mark->x0 > -20 && mark->x1 > -20 && mark->y0 > -20
            && mark->y1 > -20 && mark->x0 < WILD_WIDTH + 20
            && mark->x1 < WILD_WIDTH + 20
            && mark->y0 < WILD_HEIGHT + 20 && mark->y1 < WILD_HEIGHT + 20,
            "mark %" G_GSIZE_FORMAT ": %g,%g to %g,%g", i, mark->x0, mark->y0,
            mark->x1,
            mark->y1);
    }
  }
  gst_shape_marks_clear (&marks);
}

SUITE (painting) {}
