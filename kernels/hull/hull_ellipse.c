/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hull_ellipse.h"

#include <math.h>

/* kappa may exceed 3 by this factor: the area then by its power of 3/2, which is
 * below CS_ELLIPSE_ERROR. */
#define GAP 5e-7
/* Vertices with a weight; the optimum needs at most five. */
#define SUPPORT 16
#define MAX_STEPS 200
/* Added to the Hessian's diagonal: of more than six vertices, or of some on one
 * ellipse, it has no inverse. */
#define RIDGE 1e-10

typedef struct
{
  double x, y;
} Point;

/* A symmetric matrix of order 3. */
typedef struct
{
  double xx, xy, x, yy, y, one;
} Matrix;

/**
 * Problem:
 * @points, @n: the vertices
 * @ox, @oy, @ax, @bx, @by: points are o + (ax p, bx p + by q): p and q have unit
 *     moments, as the minimum does not depend on the coordinates and the
 *     arithmetic should not
 * @support, @p, @u, @n_support: the vertices with a weight, their coordinates
 *     and weights
 */
typedef struct
{
  const float *points;
  gsize n;
  double ox, oy, ax, bx, by;
  gsize support[SUPPORT];
  Point p[SUPPORT];
  double u[SUPPORT];
  guint n_support;
} Problem;

static Point
normalise (const Problem * problem, gsize i)
{
  Point p;

  p.x = (problem->points[2 * i] - problem->ox) / problem->ax;
  p.y = (problem->points[2 * i + 1] - problem->oy - problem->bx * p.x) /
      problem->by;
  return p;
}

/* FALSE if the points are collinear. */
static gboolean
choose_coordinates (Problem * problem)
{
  double xx = 0, xy = 0, yy = 0;

  problem->ox = problem->oy = 0;
  for (gsize i = 0; i < problem->n; i++) {
    problem->ox += problem->points[2 * i] / (double) problem->n;
    problem->oy += problem->points[2 * i + 1] / (double) problem->n;
  }
  for (gsize i = 0; i < problem->n; i++) {
    const double x = problem->points[2 * i] - problem->ox;
    const double y = problem->points[2 * i + 1] - problem->oy;

    xx += x * x / (double) problem->n;
    xy += x * y / (double) problem->n;
    yy += y * y / (double) problem->n;
  }
  if (!(xx > 0) || !(yy > 0))
    return FALSE;
  problem->ax = sqrt (xx);
  problem->bx = xy / problem->ax;
  yy -= problem->bx * problem->bx;
  problem->by = sqrt (yy > 0 ? yy : 0);
  return problem->by > 1e-12 * fabs (problem->bx);
}

/* The inverse of the sum of u q q^T, q = (x, y, 1). */
static gboolean
invert_moments (const Problem * problem, Matrix * inverse)
{
  Matrix m = { 0 };

  for (guint i = 0; i < problem->n_support; i++) {
    const Point p = problem->p[i];
    const double u = problem->u[i];

    m.xx += u * p.x * p.x;
    m.xy += u * p.x * p.y;
    m.yy += u * p.y * p.y;
    m.x += u * p.x;
    m.y += u * p.y;
    m.one += u;
  }
  inverse->xx = m.yy * m.one - m.y * m.y;
  inverse->xy = m.x * m.y - m.xy * m.one;
  inverse->x = m.xy * m.y - m.x * m.yy;
  inverse->yy = m.xx * m.one - m.x * m.x;
  inverse->y = m.x * m.xy - m.xx * m.y;
  inverse->one = m.xx * m.yy - m.xy * m.xy;
  const double det = m.xx * inverse->xx + m.xy * inverse->xy + m.x * inverse->x;
  inverse->xx /= det;
  inverse->xy /= det;
  inverse->x /= det;
  inverse->yy /= det;
  inverse->y /= det;
  inverse->one /= det;
  return det > 0;
}

static double
kappa (const Matrix * m, Point p)
{
  return m->xx * p.x * p.x + m->yy * p.y * p.y + m->one +
      2 * (m->xy * p.x * p.y + m->x * p.x + m->y * p.y);
}

/* The vertex farthest outside. */
static gsize
find_farthest (const Problem * problem, const Matrix * m, double *largest)
{
  gsize i, best = 0;

  *largest = -1;
  for (i = 0; i < problem->n; i++) {
    const double k = kappa (m, normalise (problem, i));

    if (k > *largest) {
      *largest = k;
      best = i;
    }
  }
  return best;
}

static void
remove_support (Problem * problem, guint i)
{
  problem->n_support--;
  problem->support[i] = problem->support[problem->n_support];
  problem->p[i] = problem->p[problem->n_support];
  problem->u[i] = problem->u[problem->n_support];
}

/* Makes their sum 1. */
static void
scale_weights (Problem * problem)
{
  double sum = 0;

  for (guint i = 0; i < problem->n_support; i++)
    sum += problem->u[i];
  for (guint i = 0; i < problem->n_support; i++)
    problem->u[i] /= sum;
}

/* A vertex without a weight yet; the lightest one makes room. */
static guint
add_support (Problem * problem, gsize vertex)
{
  guint i, lightest = 0;

  for (i = 0; i < problem->n_support; i++) {
    if (problem->support[i] == vertex)
      return i;
    if (problem->u[i] < problem->u[lightest])
      lightest = i;
  }
  if (problem->n_support == SUPPORT) {
    remove_support (problem, lightest);
    scale_weights (problem);
  }
  i = problem->n_support++;
  problem->support[i] = vertex;
  problem->p[i] = normalise (problem, vertex);
  problem->u[i] = 0;
  return i;
}

/* Moves weight to @i. */
static void
move (Problem * problem, guint i, double step)
{
  for (guint k = 0; k < problem->n_support; k++)
    problem->u[k] *= 1 - step;
  problem->u[i] += step;
}

/* The step along @i that maximises the determinant. */
static double
best_step (double k)
{
  return (k - 3) / (3 * (k - 1));
}

/* q_i^T M q_j of vertices with a weight, q = (x, y, 1). */
static double
product (const Matrix * m, Point p, Point q)
{
  return m->xx * p.x * q.x + m->yy * p.y * q.y + m->one +
      m->xy * (p.x * q.y + p.y * q.x) + m->x * (p.x + q.x) + m->y * (p.y + q.y);
}

/* Solves H x = g and H y = 1 for x and y by Cholesky's factors, H of order @n in
 * its lower half. */
static void
solve (double h[SUPPORT][SUPPORT], guint n, const double *g, double *x,
    double *y)
{
  for (guint i = 0; i < n; i++) {
    for (guint j = 0; j <= i; j++) {
      double sum = h[i][j];

      for (guint k = 0; k < j; k++)
        sum -= h[i][k] * h[j][k];
      h[i][j] = i == j ? sqrt (MAX (sum, RIDGE)) : sum / h[j][j];
    }
  }
  for (guint i = 0; i < n; i++) {
    x[i] = g[i];
    y[i] = 1;
    for (guint k = 0; k < i; k++) {
      x[i] -= h[i][k] * x[k];
      y[i] -= h[i][k] * y[k];
    }
    x[i] /= h[i][i];
    y[i] /= h[i][i];
  }
  for (guint i = n; i-- > 0;) {
    for (guint k = i + 1; k < n; k++) {
      x[i] -= h[k][i] * x[k];
      y[i] -= h[k][i] * y[k];
    }
    x[i] /= h[i][i];
    y[i] /= h[i][i];
  }
}

/* Newton's direction for the weights, whose sum it keeps; of the logarithm of
 * the determinant the gradient is kappa, the Hessian minus the squares of the
 * products. Returns: Newton's decrement */
static double
find_direction (const Problem * problem, const Matrix * m,
    const double *kappas, double *d)
{
  double h[SUPPORT][SUPPORT], ones[SUPPORT];
  const guint n = problem->n_support;
  double sum_x = 0, sum_y = 0, decrement = 0;

  for (guint i = 0; i < n; i++) {
    for (guint j = 0; j <= i; j++) {
      const double q = product (m, problem->p[i], problem->p[j]);

      h[i][j] = q * q + (i == j ? RIDGE : 0);
    }
  }
  solve (h, n, kappas, d, ones);
  for (guint i = 0; i < n; i++) {
    sum_x += d[i];
    sum_y += ones[i];
  }
  for (guint i = 0; i < n; i++) {
    d[i] -= sum_x / sum_y * ones[i];
    decrement += d[i] * (kappas[i] - 3);
  }
  return sqrt (MAX (decrement, 0));
}

/* A damped step of Newton, which raises the determinant, as its logarithm is
 * self-concordant. It ends where a weight is 0; that vertex is left out. */
static void
step_support (Problem * problem, const Matrix * m, const double *kappas)
{
  double d[SUPPORT], decrement, step;
  guint i, first = SUPPORT;

  decrement = find_direction (problem, m, kappas, d);
  step = decrement > .25 ? 1 / (1 + decrement) : 1;
  for (i = 0; i < problem->n_support; i++) {
    if (d[i] < 0 && problem->u[i] + step * d[i] <= 0) {
      step = problem->u[i] / -d[i];
      first = i;
    }
  }
  for (i = 0; i < problem->n_support; i++)
    problem->u[i] = MAX (problem->u[i] + step * d[i], 0);
  if (first < SUPPORT)
    remove_support (problem, first);
  scale_weights (problem);
}

/* Solves for the vertices with a weight. */
static gboolean
solve_support (Problem * problem, Matrix * m)
{
  for (guint step = 0; step < MAX_STEPS; step++) {
    double kappas[SUPPORT], largest = -1, smallest = INFINITY;

    if (!invert_moments (problem, m))
      return FALSE;
    for (guint i = 0; i < problem->n_support; i++) {
      kappas[i] = kappa (m, problem->p[i]);
      largest = MAX (largest, kappas[i]);
      smallest = MIN (smallest, kappas[i]);
    }
    if (largest <= 3 * (1 + .5 * GAP) && smallest >= 3 * (1 - .5 * GAP))
      return TRUE;
    step_support (problem, m, kappas);
  }
  return TRUE;
}

/* The vertex farthest from the line through the first two with a weight. */
static gsize
find_off_line (const Problem * problem)
{
  const Point a = problem->p[0], b = problem->p[1];
  double largest = -1;
  gsize i, best = 0;

  for (i = 0; i < problem->n; i++) {
    const Point p = normalise (problem, i);
    const double off = fabs ((b.x - a.x) * (p.y - a.y) -
        (b.y - a.y) * (p.x - a.x));

    if (off > largest) {
      largest = off;
      best = i;
    }
  }
  return best;
}

/* The first weights: the ends along two axes. Where these are but two vertices,
 * a third one, for the matrix to have an inverse. */
static void
choose_support (Problem * problem)
{
  gsize ends[4] = { 0, 0, 0, 0 };
  double extremes[4] = { -INFINITY, -INFINITY, -INFINITY, -INFINITY };

  for (gsize i = 0; i < problem->n; i++) {
    const Point p = normalise (problem, i);
    const double along[4] = { -p.x, p.x, -p.y, p.y };

    for (guint k = 0; k < 4; k++) {
      if (along[k] > extremes[k]) {
        extremes[k] = along[k];
        ends[k] = i;
      }
    }
  }
  problem->n_support = 0;
  for (guint k = 0; k < 4; k++)
    add_support (problem, ends[k]);
  if (problem->n_support == 2)
    add_support (problem, find_off_line (problem));
  for (guint k = 0; k < problem->n_support; k++)
    problem->u[k] = 1. / problem->n_support;
}

/* Axes of { c + L w: |w| <= 1 }, L of columns a, b. */
static void
find_axes (double ax, double ay, double bx, double by, CsEllipse * e)
{
  const double xx = ax * ax + bx * bx, xy = ax * ay + bx * by;
  const double yy = ay * ay + by * by;
  const double half = sqrt (.25 * (xx - yy) * (xx - yy) + xy * xy);
  /* eigenvector of the larger eigenvalue, without cancellation */
  const double d = .5 * fabs (xx - yy) + half;
  double ux = xx >= yy ? d : xy, uy = xx >= yy ? xy : d, length;

  if (half == 0) {
    ux = 1;
    uy = 0;
  }
  length = sqrt (ux * ux + uy * uy);
  e->ux = ux / length;
  e->uy = uy / length;
  if (e->ux < 0 || (e->ux == 0 && e->uy < 0)) {
    e->ux = -e->ux;
    e->uy = -e->uy;
  }
  e->major = sqrt (.5 * (xx + yy) + half);
  /* of a circle, both are the same but for rounding */
  e->minor = e->major > 0 ? MIN (fabs (ax * by - ay * bx) / e->major,
      e->major) : 0;
}

/* The ellipse kappa <= @largest in the points' coordinates: with M's inverse
 * (A b; b^T c) it is (p - m)^T A (p - m) <= @largest - c + b^T A^-1 b. */
static void
make_ellipse (const Problem * problem, const Matrix * m, double largest,
    CsEllipse * e)
{
  const double det = m->xx * m->yy - m->xy * m->xy;
  const double cx = (m->xy * m->y - m->yy * m->x) / det;
  const double cy = (m->xy * m->x - m->xx * m->y) / det;
  /* 1 / c of the moments is 1, so that it is @largest - 1 */
  const double r = sqrt (largest - 1);
  /* A = G^T G, G upper; columns of r G^-1 */
  const double g = sqrt (m->xx), h = m->xy / g, k = sqrt (det) / g;
  const double ax = r / g, bx = -r * h / (g * k), by = r / k;

  e->x = problem->ox + problem->ax * cx;
  e->y = problem->oy + problem->bx * cx + problem->by * cy;
  find_axes (problem->ax * ax, problem->bx * ax, problem->ax * bx,
      problem->bx * bx + problem->by * by, e);
}

/* The segment of collinear points: they are in order, so it goes from the first
 * to the last. */
static void
make_segment (const float *v, gsize n, CsEllipse * e)
{
  gsize i, far = 0;
  double largest = 0;

  for (i = 1; i < n; i++) {
    const double dx = (double) v[2 * i] - v[0];
    const double dy = (double) v[2 * i + 1] - v[1];

    if (dx * dx + dy * dy > largest) {
      largest = dx * dx + dy * dy;
      far = i;
    }
  }
  *e = (CsEllipse) { 0 };
  e->x = v[0] + .5 * ((double) v[2 * far] - v[0]);
  e->y = v[1] + .5 * ((double) v[2 * far + 1] - v[1]);
  find_axes (.5 * ((double) v[2 * far] - v[0]),
      .5 * ((double) v[2 * far + 1] - v[1]), 0, 0, e);
  e->minor = 0;
}

void
cs_hull_find_ellipse (const float *points, gsize n, CsEllipse * ellipse)
{
  Problem problem = {.points = points,.n = n };
  double largest = 3;
  Matrix m = { 0 };

  if (n > 1 && points[0] == points[2 * n - 2] && points[1] == points[2 * n - 1])
    problem.n = --n;
  if (n < 3 || !choose_coordinates (&problem)) {
    make_segment (points, n, ellipse);
    return;
  }
  choose_support (&problem);
  for (gsize round = 0; round < 64 + n; round++) {
    if (!solve_support (&problem, &m)) {
      make_segment (points, n, ellipse);
      return;
    }
    const gsize farthest = find_farthest (&problem, &m, &largest);
    if (largest <= 3 * (1 + GAP))
      break;
    move (&problem, add_support (&problem, farthest), best_step (largest));
  }
  make_ellipse (&problem, &m, largest, ellipse);
}
