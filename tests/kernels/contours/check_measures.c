/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measures from their definitions, not by the formulas of the kernels and of
 * the oracle: integrals by a quadrature over triangles, in long double, and
 * holes by counting what lies between a pixel and the border of the image.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check_contours.h"
#include "../lib/check.h"

#define WIDTH 37
#define HEIGHT 29
#define N_ROUNDS 12

typedef struct
{
  long double x, y;
} Place;

/* A contour of a result. */
typedef struct
{
  const CsContour *record;
  const CsContourMoments *moments;
  const float *f32;             /* or: */
  const double *f64;
  gsize n;
} Shape;

static Shape
shape_at (const CsContoursParams * params, const CsContoursOutput * output,
    gsize i)
{
  const gsize begin = output->offsets[i];
  Shape shape = { &output->contours[i], &output->moments[i], NULL, NULL,
    output->offsets[i + 1] - begin
  };

  if (params->points == CS_POINTS_F64)
    shape.f64 = (const double *) output->points + 2 * begin;
  else
    shape.f32 = (const float *) output->points + 2 * begin;
  return shape;
}

static Place
place_at (const Shape * shape, gsize i)
{
  if (shape->f64)
    return (Place) { shape->f64[2 * i], shape->f64[2 * i + 1] };
  return (Place) { shape->f32[2 * i], shape->f32[2 * i + 1] };
}

/* Integrals */

/* The powers of x and y of each moment. */
static const guint powers[10][2] = {
  {0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}, {3, 0}, {2, 1}, {1, 2}, {0,
      3},
};

static long double
monomial (guint m, long double x, long double y)
{
  return powl (x, powers[m][0]) * powl (y, powers[m][1]);
}

/* Adds the integrals over a triangle, by Strang and Fix's quadrature of four
 * points, exact to third order; and the sums of absolute values. */
static void
add_triangle (Place a, Place b, Place c, long double *sums, long double *sizes)
{
  static const long double corners[4][3] = {
    {1 / 3.L, 1 / 3.L, 1 / 3.L}, {.6L, .2L, .2L}, {.2L, .6L, .2L},
    {.2L, .2L, .6L},
  };
  const long double area = ((b.x - a.x) * (c.y - a.y) -
      (c.x - a.x) * (b.y - a.y)) / 2;

  for (guint k = 0; k < 4; k++) {
    const long double *u = corners[k];
    const long double weight = k ? 25 / 48.L : -27 / 48.L;
    const long double x = u[0] * a.x + u[1] * b.x + u[2] * c.x;
    const long double y = u[0] * a.y + u[1] * b.y + u[2] * c.y;

    for (guint m = 0; m < 10; m++) {
      sums[m] += area * weight * monomial (m, x, y);
      sizes[m] += fabsl (area * weight * monomial (m, x, y));
    }
  }
}

typedef struct
{
  long double m[10], sizes[10]; /* about the first point */
  long double length, length_x, length_y;
  long double x0, y0, x1, y1;
} Integrals;

static Integrals
integrate (const Shape * shape)
{
  const Place first = place_at (shape, 0);
  Integrals sum = { .x0 = INFINITY, .y0 = INFINITY, .x1 = -INFINITY,
    .y1 = -INFINITY
  };
  /* any third corner will do: beside the contour */
  const Place corner = { -1.25L, 2.5L };

  for (gsize i = 0; i < shape->n; i++) {
    const Place p = place_at (shape, i);
    /* from the last one back to the first, be it closed or not */
    const Place q = place_at (shape, (i + 1) % shape->n);

    sum.x0 = fminl (sum.x0, p.x);
    sum.y0 = fminl (sum.y0, p.y);
    sum.x1 = fmaxl (sum.x1, p.x);
    sum.y1 = fmaxl (sum.y1, p.y);
    add_triangle (corner, (Place) { p.x - first.x, p.y - first.y },
        (Place) { q.x - first.x, q.y - first.y }, sum.m, sum.sizes);
    if (i + 1 < shape->n) {
      const long double length = hypotl (q.x - p.x, q.y - p.y);

      sum.length += length;
      sum.length_x += length * (p.x + q.x) / 2;
      sum.length_y += length * (p.y + q.y) / 2;
    }
  }
  return sum;
}

static void
expect_near (const char *what, double got, long double want, long double size)
{
  expect (fabsl (got - want) <= 1e-12L * size + 1e-15L, "%s %.17g, not %.17Lg",
      what, got, want);
}

/* Both are the same where the region is empty or hardly more. */
static void
expect_centroid (const Shape * shape, const Integrals * sum)
{
  const CsContour *record = shape->record;
  const Place first = place_at (shape, 0);
  const gboolean region = (record->flags & CS_CONTOUR_CLOSED) &&
      record->area != 0.;
  const long double area = sum->m[0];

  if (!region && sum->length > 0) {
    expect_near ("x of the curve", record->centroid_x,
        sum->length_x / sum->length, sum->x1);
    expect_near ("y of the curve", record->centroid_y,
        sum->length_y / sum->length, sum->y1);
  } else if (region && fabsl (area) > 1e-3L) {
    /* what cancels out in the quotients is divided by the area, too */
    expect_near ("x of the region", record->centroid_x,
        first.x + sum->m[1] / area, sum->x1 + sum->sizes[1] / fabsl (area));
    expect_near ("y of the region", record->centroid_y,
        first.y + sum->m[2] / area, sum->y1 + sum->sizes[2] / fabsl (area));
  }
}

static void
expect_integrals (const Shape * shape)
{
  const CsContour *record = shape->record;
  const Integrals sum = integrate (shape);

  for (guint m = 0; m < 10; m++)
    expect (fabsl (shape->moments->m[m] - sum.m[m]) <= 1e-12L * sum.sizes[m] +
        1e-15L, "moment %u is %.17g, not %.17Lg", m, shape->moments->m[m],
        sum.m[m]);
  expect_near ("area", record->area, sum.m[0], sum.sizes[0]);
  expect_near ("perimeter", record->perimeter, sum.length, sum.length);
  expect (record->bbox_x0 == sum.x0 && record->bbox_y0 == sum.y0 &&
      record->bbox_x1 == sum.x1 && record->bbox_y1 == sum.y1, "bounding box");
  expect_centroid (shape, &sum);
}

/* Holes */

/* Whether the low pixel next to a crossing of @shape is inside: a ray along the
 * pixel's row to the left crosses the contour an odd number of times. Positions
 * are relative to the image, on its rows or columns of pixels; no point is a
 * pixel. */
static gboolean
is_around_low (const Shape * shape, const double *samples, double level)
{
  guint n_crossings = 0, row = 0, low = 0;

  for (gsize i = 0; i + 1 < shape->n; i++) {
    const Place p = place_at (shape, i);

    if (p.y != floorl (p.y))
      continue;
    row = (guint) p.y;
    low = (guint) p.x + (samples[row * WIDTH + (guint) p.x] > level);
    break;
  }
  for (gsize i = 0; i + 1 < shape->n; i++) {
    const Place p = place_at (shape, i);

    n_crossings += p.y == row && p.x < low;
  }
  return n_crossings % 2 == 1;
}

static gboolean
has_pixels (const Shape * shape)
{
  for (gsize i = 0; i < shape->n; i++) {
    const Place p = place_at (shape, i);

    if (p.x == floorl (p.x) && p.y == floorl (p.y))
      return TRUE;
  }
  return FALSE;
}

static void
expect_hole (const CsContoursParams * params, const Shape * shape,
    const double *samples, double level)
{
  const CsContour *record = shape->record;
  const gboolean reversed = params->positive_orientation_high;

  if (!(record->flags & CS_CONTOUR_CLOSED)) {
    expect (!(record->flags & CS_CONTOUR_HOLE), "an open hole");
    return;
  }
  if (has_pixels (shape))
    return;
  gboolean hole = is_around_low (shape, samples, level);
  expect (!(record->flags & CS_CONTOUR_HOLE) == !hole, "contour %d is %s hole",
      record->id, hole ? "a" : "no");
  expect ((record->area < 0.) == (hole != reversed), "contour %d, %s hole, has"
      " an area of %g", record->id, hole ? "a" : "no", record->area);
}

/* Cases */

static CsContoursParams
make_params (guint round, const CsContoursTarget * target)
{
  CsContoursParams params;

  cs_contours_params_init (&params);
  params.targets = target;
  params.measures = CS_MEASURES_FULL;
  params.points = round % 2 ? CS_POINTS_F64 : CS_POINTS_F32;
  params.fully_connected_high = round / 2 % 2;
  params.positive_orientation_high = round / 4 % 2;
  return params;
}

/* Noise, or noise on a slope, whose contours are long. */
static void
check_noise (const Backend * backend, guint round)
{
  const CsContoursTarget target = { 0, .5 };
  const CsContoursParams params = make_params (round, &target);
  MemoryPool pool = {.cuda = is_cuda (backend) };
  Random random = { round + 3 };
  double samples[WIDTH * HEIGHT];
  CsContoursInput input = { 0, };
  CsContoursOutput output;

  for (gsize i = 0; i < WIDTH * HEIGHT; i++)
    samples[i] = round % 3 ? random_unit (&random) :
        .3 + .3 * random_unit (&random) + .2 * sin (i % WIDTH * .7) *
        cos (i / WIDTH * .5);
  input.image = cs_image_gray (samples, CS_SAMPLE_F64, WIDTH, HEIGHT,
      WIDTH * sizeof (double));
  begin ("%s: measures by definition, round %u", backend->name, round);
  if (backend_run (backend, &params, &input, &pool, &output, NULL)) {
    expect (output.n_contours > 5, "%" G_GSIZE_FORMAT " contours",
        output.n_contours);
    for (gsize i = 0; i < output.n_contours; i++) {
      const Shape shape = shape_at (&params, &output, i);

      expect_integrals (&shape);
      expect_hole (&params, &shape, samples, target.level);
    }
  } else {
    expect (FALSE, "no contours");
  }
  end ();
  memory_pool_clear (&pool);
}

/* As documented: a pit so shallow that its contour is rounded to a point has no
 * area, and is no hole; in double precision, or deeper, it is one. */
static void
check_pit (const Backend * backend, CsPointFormat points, double depth,
    gboolean hole)
{
  const CsContoursTarget target = { 0, .5 };
  MemoryPool pool = {.cuda = is_cuda (backend) };
  CsContoursInput input = {.origin_x = 3000,.origin_y = 1000 };
  double samples[9] = { 1., 1., 1., 1., 0., 1., 1., 1., 1. };
  CsContoursParams params = make_params (0, &target);
  CsContoursOutput output;

  params.points = points;
  samples[4] = .5 - depth;
  input.image = cs_image_gray (samples, CS_SAMPLE_F64, 3, 3,
      3 * sizeof (double));
  begin ("%s: a pit of %g", backend->name, depth);
  if (backend_run (backend, &params, &input, &pool, &output, NULL))
    expect (output.n_contours == 1 && output.contours[0].flags ==
        (CS_CONTOUR_CLOSED | (hole ? CS_CONTOUR_HOLE : 0)) &&
        (output.contours[0].area < 0.) == hole, "flags %u, area %g",
        output.contours[0].flags, output.contours[0].area);
  else
    expect (FALSE, "no contours");
  end ();
  memory_pool_clear (&pool);
}

void
check_measures (Backend ** backends, guint n_backends)
{
  for (guint b = 0; b < n_backends; b++) {
    for (guint round = 0; round < N_ROUNDS; round++)
      if (is_of_part ())
        check_noise (backends[b], round);
    if (is_of_part ()) {
      check_pit (backends[b], CS_POINTS_F32, 1e-6, FALSE);
      check_pit (backends[b], CS_POINTS_F64, 1e-6, TRUE);
      check_pit (backends[b], CS_POINTS_F32, 1e-2, TRUE);
    }
  }
}
