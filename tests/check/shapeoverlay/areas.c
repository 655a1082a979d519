/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * What the painter makes of lines and circles, against the area of each pixel
 * that lies in the shape itself: 64 x 64 samples, of which each is in a strip,
 * a disc or a ring, or is not. The painter goes by the distance of the pixel's
 * centre instead (raster.h), which is something else for slanting edges and
 * where they are curved. What follows for the tolerances, in pixels:
 *
 * - An edge across a pixel's corner differs by up to (sqrt (2) - 1)^2 / 4 =
 *   .043, both edges of a thin line by twice that; in the corner between two
 *   lines the greater coverage is taken, not the sum.
 * - Along an edge that crosses pixels in ever other ways these differences
 *   cancel, so that the area in all is right, and its middle; but a disc is
 *   pi / 12 larger, and so are the two round ends of a line together.
 *
 * A line that is half a pixel beside its place, or 10 % too wide, is beyond.
 */

#include <math.h>

#include "../lib/suite.h"
#include "scene.h"

#define SAMPLES 64
#define MAX_STRIPS 64

/* Of one pixel; of the area in all, in parts of it and in pixels, and how much
 * larger it is painted; of its middle, in pixels. */
typedef struct
{
  gdouble pixel, part, area, excess, middle;
} Tolerance;

/* Of a disc, and of both ends of a line. */
#define ROUND_EXCESS (G_PI / 12.)

static const Tolerance straight = { .09, .006, 0., 0., .11 };
static const Tolerance round_ended = { .15, .01, .3, ROUND_EXCESS, .13 };
static const Tolerance ring_shaped = { .15, .003, .1, 0., .05 };

typedef struct
{
  GstShapePoint a, b;
} Strip;

/* Whether (@x, @y) is at most @radius from a strip's middle line, or from one
 * of its ends. */
static gboolean
is_on_strip (gdouble x, gdouble y, const Strip * strip, gdouble radius)
{
  const gdouble bx = (gdouble) strip->b.x - strip->a.x;
  const gdouble by = (gdouble) strip->b.y - strip->a.y;
  const gdouble length2 = bx * bx + by * by;
  const gdouble ax = x - strip->a.x, ay = y - strip->a.y;
  const gdouble ex = x - strip->b.x, ey = y - strip->b.y;
  const gdouble along = ax * bx + ay * by, across = ax * by - ay * bx;

  return ax * ax + ay * ay <= radius * radius
      || ex * ex + ey * ey <= radius * radius
      || (along > 0. && along < length2
      && across * across <= radius * radius * length2);
}

/* The scene's strips that can touch a pixel. */
static guint
find_strips (const Scene * scene, guint x, guint y, Strip * strips)
{
  const gfloat reach = .5f * scene->paint.line_width + .5f;
  guint n = 0;

  for (guint i = 0; i < scene->n_lines; i++) {
    const Line *line = &scene->lines[i];

    for (gsize k = 0; k < MAX (line->n - 1, 1); k++) {
      const GstShapePoint a = scene_map (scene, line->points[k]);
      const GstShapePoint b = scene_map (scene,
          line->points[MIN (k + 1, line->n - 1)]);

      if (MIN (a.x, b.x) <= x + reach && MAX (a.x, b.x) >= x - reach
          && MIN (a.y, b.y) <= y + reach && MAX (a.y, b.y) >= y - reach)
        strips[n++] = (Strip) { a, b };
    }
  }
  return n;
}

static gboolean
is_on_circle (gdouble x, gdouble y, const GstShapeCircle * c, gdouble radius)
{
  const gdouble d2 = (x - c->x) * (x - c->x) + (y - c->y) * (y - c->y);
  const gdouble inner = MAX (c->r - radius, 0.), outer = c->r + radius;

  return d2 >= inner * inner && d2 <= outer * outer;
}

static gboolean
is_in_circle (gdouble x, gdouble y, const GstShapeCircle * c)
{
  return (x - c->x) * (x - c->x) + (y - c->y) * (y - c->y) <= c->r * c->r;
}

static gboolean
is_covered (const Scene * scene, const Strip * strips, guint n, gdouble x,
    gdouble y)
{
  const gdouble radius = .5 * scene->paint.line_width;

  for (guint i = 0; i < n; i++)
    if (is_on_strip (x, y, &strips[i], radius))
      return TRUE;
  for (guint i = 0; i < scene->n_circles; i++) {
    const GstShapeCircle *c = &scene->circles[i];

    if (scene->paint.line_opacity > 0.f ? is_on_circle (x, y, c, radius) :
        is_in_circle (x, y, c))
      return TRUE;
  }
  return FALSE;
}

/* How much of a pixel lies in the scene. */
static gdouble
pixel_area (const Scene * scene, guint x, guint y)
{
  Strip strips[MAX_STRIPS];
  const guint n = find_strips (scene, x, y, strips);
  guint in = 0;

  for (guint k = 0; k < SAMPLES; k++)
    for (guint i = 0; i < SAMPLES; i++)
      in += is_covered (scene, strips, n, x - .5 + (i + .5) / SAMPLES,
          y - .5 + (k + .5) / SAMPLES);
  return (gdouble) in / (SAMPLES * SAMPLES);
}

/* An area and where its middle is. */
typedef struct
{
  gdouble area, x, y;
} Sum;

static void
sum_add (Sum * sum, gdouble area, guint x, guint y)
{
  sum->area += area;
  sum->x += area * x;
  sum->y += area * y;
}

static void
assert_areas (const Scene * scene, const Tolerance * tolerance)
{
  g_autofree guint8 *data = scene_render (scene, 1);
  Sum painted = { 0., 0., 0. }, sampled = { 0., 0., 0. };
  gdouble largest = 0.;
  guint at_x = 0, at_y = 0;

  for (guint y = 0; y < scene->height; y++)
    for (guint x = 0; x < scene->width; x++) {
      const gdouble is = data[y * scene->width + x] / 255.;
      const gdouble should = pixel_area (scene, x, y);

      sum_add (&painted, is, x, y);
      sum_add (&sampled, should, x, y);
      if (fabs (is - should) > largest) {
        largest = fabs (is - should);
        at_x = x;
        at_y = y;
      }
    }
  gdouble more = painted.area - tolerance->excess - sampled.area;
  gdouble dx = painted.x / painted.area - sampled.x / sampled.area;
  gdouble dy = painted.y / painted.area - sampled.y / sampled.area;
  fail_unless (largest <= tolerance->pixel, "%u,%u is off by %.4f", at_x, at_y,
      largest);
  fail_unless (fabs (more) <= tolerance->part * sampled.area +
      tolerance->area, "%.3f pixels too much of %.3f", more, sampled.area);
  fail_unless (hypot (dx, dy) <= tolerance->middle,
      "the middle is off by %.3f,%.3f", dx, dy);
}

/* Lines that leave the picture, so that their ends do not count; none at 45
 * degrees, where all pixels are crossed in the same way. */
static void
assert_directions (gfloat width, const Tolerance * tolerance)
{
  for (guint k = 0; k < 12; k++) {
    const gdouble angle = k * G_PI / 12. + (k % 6 == 3 ? .1 : 0.);
    const gfloat dx = (gfloat) (60. * cos (angle));
    const gfloat dy = (gfloat) (60. * sin (angle));
    const GstShapePoint points[2] = { {14.3f - dx, 13.6f - dy},
    {14.3f + dx, 13.6f + dy}
    };
    const Line line = { points, 2 };
    const Scene scene = { 30, 28, &line, 1, NULL, 0, line_paint (width) };

    assert_areas (&scene, tolerance);
  }
}

TEST (test_straight_lines_are_as_wide_as_they_say)
{
  static const gfloat widths[] = { 1.f, 1.4f, 2.f, 3.7f, 8.f };

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    assert_directions (widths[i], &straight);
}

/* They are painted a pixel wide and fainter, in steps of 1/255; what they cover
 * in all stays. */
TEST (test_thin_lines_cover_as_much_as_they_should)
{
  static const gfloat widths[] = { .3f, .5f, .8f };
  static const Tolerance thin = { .12, .02, 0., 0., .31 };

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    assert_directions (widths[i], &thin);
}

TEST (test_lines_begin_and_end_round)
{
  static const gfloat widths[] = { 1.f, 2.f, 3.f, 6.f };

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    for (guint k = 0; k < 9; k++) {
      const GstShapePoint points[2] = { {9.1f, 8.4f},
      {9.1f + k * 1.37f, 8.4f + k * 1.61f}
      };
      const Line line = { points, k == 0 ? 1 : 2 };
      const Scene scene = { 30, 30, &line, 1, NULL, 0,
        line_paint (widths[i])
      };

      assert_areas (&scene, &round_ended);
    }
}

TEST (test_closed_polylines)
{
  static const gfloat widths[] = { 1.f, 2.f, 5.f };
  GstShapePoint ring[61];

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++) {
    const Line line = { ring, wobbly_ring (ring, 60, 20.2, 19.7, 13.) };
    const Scene scene = { 41, 40, &line, 1, NULL, 0, line_paint (widths[i]) };

    assert_areas (&scene, &ring_shaped);
  }
}

TEST (test_polylines_with_corners)
{
  static const gfloat widths[] = { 1.f, 2.f, 5.f };
  static const GstShapePoint zigzag[] = {
    {5, 5}, {20.5f, 10.25f}, {36, 6}, {31.3f, 30.1f}, {18, 20}, {6.7f, 33}
  };
  static const Tolerance cornered = { .33, .015, .2, ROUND_EXCESS, .16 };
  const Line line = { zigzag, G_N_ELEMENTS (zigzag) };

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++) {
    Scene scene = { 41, 40, &line, 1, NULL, 0, line_paint (widths[i]) };

    assert_areas (&scene, &cornered);
    /* of a space that is twice as wide, and lower */
    scene.set_width = 82;
    scene.set_height = 30;
    assert_areas (&scene, &cornered);
  }
}

TEST (test_circles)
{
  static const gfloat radii[] = { 2.f, 3.1f, 9.4f };
  static const gfloat widths[] = { 1.f, 2.f, 3.f };

  for (guint i = 0; i < G_N_ELEMENTS (radii); i++) {
    const GstShapeCircle circle = { 13.3f, 12.2f, radii[i], 0, WHITE, -1 };
    Scene scene = { 27, 25, NULL, 0, &circle, 1, fill_paint () };

    assert_areas (&scene, &round_ended);
    for (guint k = 0; k < G_N_ELEMENTS (widths); k++) {
      scene.paint = line_paint (widths[k]);
      assert_areas (&scene, &ring_shaped);
    }
  }
}

/* The outline of a stretched circle, as a polyline and as a circle. */
static void
assert_ellipse (gdouble r, gint tolerance)
{
  const GstShapeCircle circle = { 24, 30, (gfloat) r, 0, WHITE, -1 };
  GstShapePoint points[401];
  const Line line = { points, 401 };
  Scene ellipse = { 96, 64, NULL, 0, &circle, 1, line_paint (3.f), NULL, 48, 64
  };
  Scene polygon = ellipse;

  for (guint i = 0; i <= 400; i++)
    points[i] = (GstShapePoint) {
      (gfloat) (24. + r * cos (2. * G_PI * (i % 400) / 400.)),
      (gfloat) (30. + r * sin (2. * G_PI * (i % 400) / 400.))
    };
  polygon.circles = NULL;
  polygon.n_circles = 0;
  polygon.lines = &line;
  polygon.n_lines = 1;
  for (guint k = 0; k < 2; k++) {
    if (k == 1)
      ellipse.paint = polygon.paint = fill_paint ();
    g_autofree guint8 *a = scene_render (&ellipse, 1);
    g_autofree guint8 *b = scene_render (&polygon, 1);
    for (guint i = 0; i < 96 * 64; i++)
      fail_unless (ABS (a[i] - b[i]) <= tolerance, "%u,%u is %d, not %d",
          i % 96, i / 96, a[i], b[i]);
  }
}

TEST (test_circles_become_ellipses)
{
  assert_ellipse (18., 20);
  /* of few sides */
  assert_ellipse (4., 40);
}

SUITE (areas) {}
