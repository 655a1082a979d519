/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "circles.h"

#include <math.h>

/* Maximum points of the support set. */
#define MAX_SUPPORT 3

/* Usually about ten rounds; a bound, since rounding could prevent
 * termination. */
#define MAX_ROUNDS 200

/* Tolerance of containment, relative to the radius. */
#define SLACK 1e-12

typedef struct
{
  double x, y;
} Point;

typedef struct
{
  double x, y, r;
} Circle;

static gboolean
is_finite_point (const float *p)
{
  return isfinite (p[0]) && isfinite (p[1]);
}

static double
distance (const Circle * c, const Point * p)
{
  return hypot (p->x - c->x, p->y - c->y);
}

static gboolean
encloses (const Circle * c, const Point * points, guint n)
{
  for (guint i = 0; i < n; i++)
    if (distance (c, &points[i]) > c->r * (1. + SLACK))
      return FALSE;
  return TRUE;
}

static Circle
circle_of_two (const Point * a, const Point * b)
{
  return (Circle) {
  .5 * (a->x + b->x), .5 * (a->y + b->y),
        .5 * hypot (b->x - a->x, b->y - a->y)};
}

/* The circumcircle of three points; of infinite radius if they are
 * collinear. */
static Circle
circle_of_three (const Point * a, const Point * b, const Point * c)
{
  const double bx = b->x - a->x, by = b->y - a->y;
  const double cx = c->x - a->x, cy = c->y - a->y;
  const double twice = 2. * (bx * cy - by * cx);
  const double bb = bx * bx + by * by, cc = cx * cx + cy * cy;
  const double x = (cy * bb - by * cc) / twice, y = (bx * cc - cx * bb) / twice;

  if (!isfinite (x) || !isfinite (y))
    return (Circle) { a->x, a->y, INFINITY };
  return (Circle) { a->x + x, a->y + y, hypot (x, y) };
}

/* Keeps @circle, through the points in @used, if it is the smallest so far that
 * encloses all of @points. */
static void
consider (Circle circle, guint used, const Point * points, guint n,
    Circle * best, guint * best_used)
{
  if (circle.r < best->r && encloses (&circle, points, n)) {
    *best = circle;
    *best_used = used;
  }
}

/* The smallest enclosing circle of at most four points, the last of which is on
 * it, by exhaustive search. Reduces @points to its support set, at most
 * three. */
static Circle
circle_of_few (Point * points, guint * n)
{
  const guint last = *n - 1;
  Circle best = { 0., 0., INFINITY };
  guint used = 0, kept = 0, i, k;

  for (i = 0; i < last; i++) {
    consider (circle_of_two (&points[i], &points[last]), 1u << i, points, *n,
        &best, &used);
    for (k = i + 1; k < last; k++)
      consider (circle_of_three (&points[i], &points[k], &points[last]),
          1u << i | 1u << k, points, *n, &best, &used);
  }
  used |= 1u << last;
  for (i = 0; i <= last; i++)
    if (used & 1u << i)
      points[kept++] = points[i];
  *n = kept;
  return best;
}

/* The point farthest from the centre of @circle; FALSE if none is finite. */
static gboolean
find_farthest (const float *xy, gsize n, const Circle * circle, Point * point,
    double *far)
{
  double max2 = -1.;
  gsize i, at = 0;

  for (i = 0; i < n; i++) {
    const double dx = xy[2 * i] - circle->x, dy = xy[2 * i + 1] - circle->y;
    const double d = dx * dx + dy * dy;

    /* false for NaN */
    if (d > max2 && is_finite_point (xy + 2 * i)) {
      max2 = d;
      at = i;
    }
  }
  if (max2 < 0.)
    return FALSE;
  *point = (Point) { xy[2 * at], xy[2 * at + 1] };
  *far = sqrt (max2);
  return TRUE;
}

gboolean
cs_enclosing_circle (const float *xy, gsize n, double *x, double *y, double *r)
{
  Point points[MAX_SUPPORT + 1], farthest;
  Circle circle = { 0., 0., 0. };
  guint n_points = 1, round;
  double far;

  if (!find_farthest (xy, n, &circle, &points[0], &far))
    return FALSE;
  circle = (Circle) { points[0].x, points[0].y, 0. };
  for (round = 0; round < MAX_ROUNDS; round++) {
    find_farthest (xy, n, &circle, &farthest, &far);
    if (far <= circle.r * (1. + SLACK))
      break;
    points[n_points++] = farthest;
    Circle next = circle_of_few (points, &n_points);
    if (!(next.r > circle.r) || !isfinite (next.r))
      break;
    circle = next;
  }
  find_farthest (xy, n, &circle, &farthest, &far);
  *x = circle.x;
  *y = circle.y;
  *r = MAX (circle.r, far);
  return TRUE;
}
