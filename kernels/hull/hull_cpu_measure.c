/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The measures of a hull from its vertices. */
#include "hull_cpu.h"

#include <string.h>

#include "base/choose.h"
#include "base/clones.h"

static CsHullSums
sum_edges (const double *v, guint n)
{
  CsHullSums sums[CS_HULL_LANES_LARGE];
  const guint lanes = cs_hull_sum_lanes (n);

  for (guint i = 0; i < lanes; i++)
    sums[i] = (CsHullSums) { 0 };
  for (guint i = 0; i < n; i++) {
    const CsHullSums edge = cs_hull_edge_sums (v, n, i);

    cs_hull_sums_add (&sums[i % lanes], &edge);
  }
  for (guint half = lanes / 2; half > 0; half /= 2) {
    for (guint i = 0; i < half; i++)
      cs_hull_sums_add (&sums[i], &sums[i + half]);
  }
  return sums[0];
}

static void
find_bbox (const double *v, guint n, CsContour * hull)
{
  /* + 0. turns -0 into 0, so that the result does not depend on the order */
  hull->bbox_x0 = hull->bbox_x1 = v[0] + 0.;
  hull->bbox_y0 = hull->bbox_y1 = v[1] + 0.;
  for (guint i = 1; i < n; i++) {
    hull->bbox_x0 = MIN (hull->bbox_x0, v[2 * i] + 0.);
    hull->bbox_x1 = MAX (hull->bbox_x1, v[2 * i] + 0.);
    hull->bbox_y0 = MIN (hull->bbox_y0, v[2 * i + 1] + 0.);
    hull->bbox_y1 = MAX (hull->bbox_y1, v[2 * i + 1] + 0.);
  }
}

typedef double Four __attribute__ ((vector_size (32)));
typedef gint64 FourMask __attribute__ ((vector_size (32)));

/**
 * Polygon:
 * @v, @n: vertices {x, y}, at least three
 * @x, @y: the same, and the first one four times more
 * @dx, @dy: edges as vectors, twice one after the other, and three more
 */
typedef struct
{
  const double *v;
  guint n;
  double *x, *y, *dx, *dy;
} Polygon;

static CS_CLONES void
take_apart (Polygon * p, double *scratch)
{
  const double *v = p->v;
  const guint n = p->n;
  double *x = p->x = scratch, *y = p->y = x + n + 4;
  double *dx = p->dx = y + n + 4, *dy = p->dy = dx + 2 * n + 3;

  for (guint i = 0; i < n; i++) {
    x[i] = v[2 * i];
    y[i] = v[2 * i + 1];
  }
  for (guint i = n; i < n + 4; i++) {
    x[i] = v[0];
    y[i] = v[1];
  }
  for (guint i = 0; i < n; i++) {
    dx[i] = dx[i + n] = x[i + 1] - x[i];
    dy[i] = dy[i + n] = y[i + 1] - y[i];
  }
  for (guint i = 0; i < 3; i++) {
    dx[2 * n + i] = dx[i];
    dy[2 * n + i] = dy[i];
  }
}

/* The best of cs_hull_circle_vertex() for side (a, b). */
static CS_CLONES CsHullExtreme
find_opposite (const Polygon * p, guint a, guint b)
{
  const FourMask sign = (FourMask) { 0 } + G_MAXINT64;
  const Four infinity = (Four) { 0 } + INFINITY;
  const Four ax = (Four) { 0 } + p->x[a], ay = (Four) { 0 } + p->y[a];
  const Four bx = (Four) { 0 } + p->x[b], by = (Four) { 0 } + p->y[b];
  const Four sx = bx - ax, sy = by - ay;
  Four best = -infinity;
  FourMask at = { -1, -1, -1, -1 }, index = { 0, 1, 2, 3 };
  CsHullExtreme e = cs_hull_extreme_none (-INFINITY);

  for (guint k = 0; k < p->n; k += 4, index += 4) {
    Four x, y;

    memcpy (&x, p->x + k, sizeof (x));
    memcpy (&y, p->y + k, sizeof (y));
    const Four cosine = (ax - x) * (bx - x) + (ay - y) * (by - y);
    const Four sine = (Four) ((FourMask) (sx * (y - ay) - sy * (x - ax)) &
        sign);
    const Four limit = CS_CHOOSE (Four, cosine > 0, infinity, -infinity);
    const Four value = CS_CHOOSE (Four, sine > 0, cosine / sine, limit);
    const FourMask better = value > best;

    best = CS_CHOOSE (Four, better, value, best);
    at = (index & better) | (at & ~better);
  }
  for (guint i = 0; i < 4; i++) {
    const CsHullExtreme lane = { best[i], (guint32) at[i], (guint32) at[i] };

    cs_hull_extreme_max (&e, &lane);
  }
  return e;
}

static void
find_circle (const Polygon * p, guint first, CsHullFeatures * f)
{
  guint a = first, b = cs_hull_wrap (first + 1, p->n), step;

  for (step = 0; step < cs_hull_circle_max_steps (p->n); step++) {
    const CsHullExtreme best = find_opposite (p, a, b);

    if (cs_hull_circle_step (p->v, &a, &b, &best, &f->circle_x, &f->circle_y))
      break;
  }
}

/* An edge's direction, or the direction at a right angle to one side of it. */
typedef enum
{
  ALONG,
  RIGHT,
  LEFT,
} Side;

static gint
turn_exactly (const Polygon * p, guint i, guint j, Side side)
{
  const guint k = cs_hull_wrap (j, p->n);

  if (side == ALONG)
    return cs_hull_edges_cross (p->v, p->n, i, k);
  return cs_hull_edges_dot (p->v, p->n, i, k) * (side == RIGHT ? 1 : -1);
}

/* The first edge from j up to @end that does not turn left of a direction at edge
 * i. Three edges are looked at together, and counted: no processor would predict
 * a branch for each. */
static inline __attribute__ ((always_inline))
guint
pass_edges (const Polygon * p, guint i, guint j, guint end, Side side)
{
  const double dx = p->dx[i], dy = p->dy[i];
  const double ux = side == ALONG ? dx : side == RIGHT ? dy : -dy;
  const double uy = side == ALONG ? dy : side == RIGHT ? -dx : dx;
  guint n_left;

  do {
    guint left[3], open = 0;

    for (guint k = 0; k < 3; k++) {
      const double l = ux * p->dy[j + k], r = uy * p->dx[j + k];
      const double det = l - r;
      const double bound = CS_ORIENT_ERROR_BOUND * (fabs (l) + fabs (r)) +
          CS_ORIENT_UNDERFLOW_BOUND;

      left[k] = (det > bound) & (j + k < end);
      open |= !(fabs (det) > bound) & (j + k < end);
    }
    if (G_UNLIKELY (open)) {
      for (guint k = 0; k < 3; k++)
        left[k] = j + k < end && turn_exactly (p, i, j + k, side) > 0;
    }
    n_left = left[0] + (left[0] & left[1]) + (left[0] & left[1] & left[2]);
    j += n_left;
  } while (G_UNLIKELY (n_left == 3));
  return j;
}

/* Rotating calipers at all edges, n >= 3: the antipodal vertices of an edge are
 * not before those of the edge before it. */
static CsHullCaliper
rotate_calipers (const Polygon * p)
{
  const guint n = p->n;
  CsHullCaliper best = cs_hull_caliper_none ();
  guint far = 1, ahead = 1, back = 1;

  for (guint i = 0; i < n; i++) {
    far = pass_edges (p, i, MAX (far, i + 1), i + n - 1, ALONG);
    ahead = pass_edges (p, i, MAX (ahead, i + 1), far, RIGHT);
    back = pass_edges (p, i, MAX (back, far), i + n, LEFT);
    const CsHullAntipodes steps = { far - i, ahead - i, back - i };

    cs_hull_caliper_edge (&best, p->v, n, i, &steps);
  }
  return best;
}

static CS_CLONES double
find_radius (const double *v, guint n, double x, double y)
{
  double most = 0;

  for (guint i = 0; i < n; i++) {
    const double dx = v[2 * i] - x, dy = v[2 * i + 1] - y;
    const double square = dx * dx + dy * dy;

    most = square > most ? square : most;
  }
  return sqrt (most);
}

static void
find_features (const double *v, guint n, double *scratch, CsHullFeatures * f)
{
  *f = (CsHullFeatures) { 0 };
  cs_hull_features_degenerate (f, v, n);
  if (n >= 3) {
    Polygon polygon = { v, n };

    take_apart (&polygon, scratch);
    const CsHullCaliper best = rotate_calipers (&polygon);
    const CsHullAntipodes steps = cs_hull_antipodes (v, n,
        cs_hull_extreme_index (&best.rect));

    cs_hull_features_finish (f, v, n, &best, &steps);
    find_circle (&polygon, cs_hull_extreme_index (&best.diameter), f);
  }
  f->circle_r = find_radius (v, n, f->circle_x, f->circle_y);
}

void
cs_hull_measure (const double *v, guint n, double *scratch, CsMeasures measures,
    double contour_area, CsContour * hull, CsHullFeatures * features)
{
  const CsHullSums sums = sum_edges (v, n);

  find_bbox (v, n, hull);
  cs_hull_record_finish (hull, v, n, &sums, measures, contour_area);
  if (features)
    find_features (v, n, scratch, features);
}
