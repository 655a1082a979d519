/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strokes_data.h"

#include <math.h>

#include "../lib/random.h"

static const char *const names[] = {
  "walks", "grid", "dots", "equal", "chain", "strange", "squares", "pairs",
  "field"
};

const char *
data_name (DataKind kind)
{
  return names[kind];
}

/* A walk of @n points, one more if it comes back; whole steps on a grid. */
static void
add_walk (Drawing * d, guint64 * state, gsize n, double side, gboolean grid,
    gboolean closed)
{
  double x = side * random_unit (state), y = side * random_unit (state);
  double angle = 7 * random_unit (state);
  const gsize first = d->n_points;

  for (gsize i = 0; i < n; i++) {
    drawing_add (d, grid ? floor (x) : x, grid ? floor (y) : y);
    angle += 1.5 * (random_unit (state) - .5);
    x += cos (angle);
    y += sin (angle);
  }
  if (closed)
    drawing_add (d, d->points[first].x, d->points[first].y);
  drawing_end_contour (d, d->n_contours);
}

static void
fill_walks (Drawing * d, guint64 * state, gsize n, gboolean grid)
{
  const double side = 2 + 3 * sqrt (n) * random_unit (state);

  while (d->n_points < n) {
    const gsize size = 1 + random_below (state, 24);

    add_walk (d, state, MIN (size, n - d->n_points), side, grid,
        random_below (state, 3) == 0);
  }
}

static void
fill_dots (Drawing * d, guint64 * state, gsize n)
{
  const guint side = 2 + random_below (state, 30);

  while (d->n_points < n) {
    drawing_add (d, random_below (state, side), random_below (state, side));
    drawing_end_contour (d, d->n_contours);
  }
}

static void
fill_equal (Drawing * d, guint64 * state, gsize n)
{
  while (d->n_points < n) {
    drawing_add (d, 3.5, -1.25);
    if (random_below (state, 3) == 0)
      drawing_end_contour (d, d->n_contours);
  }
  drawing_end_contour (d, d->n_contours);
}

static void
fill_chain (Drawing * d, guint64 * state, gsize n)
{
  const gsize n_dashes = MAX (n / 3, 1);
  g_autofree guint *order = g_new (guint, n_dashes);

  for (gsize i = 0; i < n_dashes; i++) {
    const gsize other = random_below (state, i + 1);

    order[i] = order[other];
    order[other] = i;
  }
  for (gsize i = 0; i < n_dashes; i++) {
    for (gsize k = 0; k < 3; k++)
      drawing_add (d, 4. * order[i] + k, order[i] / 10);
    drawing_end_contour (d, d->n_contours);
  }
}

static double
strange_number (guint64 * state)
{
  static const double values[] = { NAN, INFINITY, -INFINITY, 0., -0., 1e38,
    -1e38, 0x1p24, 0x1p24 + 2, -0x1p24, 1e-45, -1e-45, 1e-20, 1, 2, -.5, .5,
    16777215
  };

  return values[random_below (state, G_N_ELEMENTS (values))];
}

static void
fill_strange (Drawing * d, guint64 * state, gsize n)
{
  while (d->n_points < n) {
    if (random_below (state, 3) == 0)
      drawing_add (d, strange_number (state), strange_number (state));
    else
      drawing_add (d, random_below (state, 9) - 4., random_below (state, 3));
    while (random_below (state, 8) == 0)
      drawing_end_contour (d, d->n_contours);
  }
  drawing_end_contour (d, d->n_contours);
}

static void
fill_squares (Drawing * d, guint64 * state, gsize n)
{
  while (d->n_points < n) {
    const guint x = random_below (state, 12), y = random_below (state, 12);
    const guint side = 1 + random_below (state, 3);

    for (guint i = 0; i <= 4 * side; i++) {
      const guint edge = i / side % 4, at = i % side;

      drawing_add (d, x + (edge == 0 ? at : edge == 1 ? side : edge == 2 ?
              side - at : 0), y + (edge == 0 ? 0 : edge == 1 ? at :
              edge == 2 ? side : side - at));
    }
    drawing_end_contour (d, d->n_contours);
  }
}

static void
fill_pairs (Drawing * d, guint64 * state, gsize n)
{
  while (d->n_points < n) {
    const double x = random_below (state, 20), y = random_below (state, 20);

    drawing_add (d, x, y);
    drawing_add (d, x + random_below (state, 3), y);
    if (random_below (state, 2))
      drawing_add (d, x, y);
    drawing_end_contour (d, d->n_contours);
  }
}

static void
fill_field (Drawing * d, guint64 * state, gsize n)
{
  while (d->n_points < n) {
    const double size = 400 * pow (random_unit (state), 8);

    add_walk (d, state, 1 + size, 2 * sqrt (n), FALSE,
        random_below (state, 2) == 0);
  }
}

Drawing *
data_new (DataKind kind, guint64 seed, gsize n)
{
  /* the last contour may be longer, each may be closed, some may be empty */
  Drawing *d = drawing_new (3 * n + 1000, 8 * n + 1000);
  guint64 state = seed * 1000 + kind;

  switch (kind) {
    case DATA_WALKS:
      fill_walks (d, &state, n, FALSE);
      break;
    case DATA_GRID:
      fill_walks (d, &state, n, TRUE);
      break;
    case DATA_DOTS:
      fill_dots (d, &state, n);
      break;
    case DATA_EQUAL:
      fill_equal (d, &state, n);
      break;
    case DATA_CHAIN:
      fill_chain (d, &state, n);
      break;
    case DATA_STRANGE:
      fill_strange (d, &state, n);
      break;
    case DATA_SQUARES:
      fill_squares (d, &state, n);
      break;
    case DATA_PAIRS:
      fill_pairs (d, &state, n);
      break;
    default:
      fill_field (d, &state, n);
      break;
  }
  return d;
}

/* An outline around (x, y) whose points are some .8 pixels apart. */
static void
add_outline (Drawing * d, guint64 * state, double x, double y, gsize n,
    gboolean closed)
{
  const double radius = n * .8 / (closed ? 2 * G_PI : 3.);
  const double wave = .3 * random_unit (state), phase = 7 * random_unit (state);
  const gsize first = d->n_points;

  for (gsize i = 0; i < n; i++) {
    const double t = (closed ? 2 * G_PI : 3.) * i / n;
    const double r = radius * (1 + wave * sin (3 * t + phase));
    const double px = x + r * cos (t + phase), py = y + r * sin (t + phase);

    /* marching squares have one coordinate on the grid, and now and then two */
    if (random_below (state, 200) == 0)
      drawing_add (d, floor (px), floor (py));
    else if (i % 2)
      drawing_add (d, floor (px), py);
    else
      drawing_add (d, px, floor (py));
  }
  if (closed)
    drawing_add (d, d->points[first].x, d->points[first].y);
  drawing_end_contour (d, d->n_contours);
}

Drawing *
data_picture (gsize n, double *side)
{
  Drawing *d = drawing_new (2 * n + 10000, n + 10);
  guint64 state = 5;

  /* 83.6 k points are in some 1800 x 1800 pixels */
  *side = MAX (sqrt (n * 40.), 64);
  while (d->n_points < n) {
    /* many small ones, a few long */
    const double u = random_unit (&state);
    const gsize size = MIN (10 + 12 / (u + .006), n - d->n_points);

    add_outline (d, &state, *side * random_unit (&state),
        *side * random_unit (&state), MAX (size, 1),
        size > 3 && random_below (&state, 3) == 0);
  }
  return d;
}
