/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The measures of convex hulls, compiled as C and as device code, so that the
 * backends cannot differ. Needs strict IEEE 754 double arithmetic: no contraction, no fast math.
 */

#include <math.h>

#ifndef __CUDACC__
#include "hull_ways.h"
#define CS_ORIENT_DECIDED_BY(what) cs_hull_take (CS_HULL_##what)
#endif

#include "base/orient.h"
#include "hull.h"

#ifdef __CUDACC__
#define CS_HULL_FN static __host__ __device__ __forceinline__
#else
#define CS_HULL_FN static inline
#endif

/* Point @i of those at @points, in double precision. */
CS_HULL_FN void
cs_hull_load_point (const void *points, gsize stride, CsHullType type,
    gsize i, double *x, double *y)
{
  const guint8 *p = (const guint8 *) points + i * stride;

  switch (type) {
    case CS_HULL_F32:
      *x = ((const float *) p)[0];
      *y = ((const float *) p)[1];
      break;
    case CS_HULL_F64:
      *x = ((const double *) p)[0];
      *y = ((const double *) p)[1];
      break;
    default:
      *x = ((const gint32 *) p)[0];
      *y = ((const gint32 *) p)[1];
      break;
  }
}

/* A key whose unsigned order is the order of finite doubles; -0 as 0. */
CS_HULL_FN guint64
cs_hull_key (double value)
{
  union
  {
    double value;
    guint64 bits;
  } u;

  u.value = value + 0.;
  return u.bits >> 63 ? ~u.bits : u.bits | (guint64) 1 << 63;
}

/* --- Measures of a strict hull -------------------------------------------
 *
 * @v: n vertices {x, y}, counter-clockwise. Terms per vertex or edge (edge i
 *     goes
 * from vertex i to the next) are reduced either by a comparison that is a total
 * order, or by sums in the order of cs_hull_sum_lanes(): edge i is added to
 * partial sum i % lanes, in order, then partial sum k + half to k for half =
 * lanes / 2 .. 1 (tree reduction).
 */

#define CS_HULL_TINY 32         /* up to so many vertices: one lane */
#define CS_HULL_LANES_SMALL 32
#define CS_HULL_LANES_LARGE 1024
#define CS_HULL_LARGE 2048      /* more vertices: CS_HULL_LANES_LARGE */

CS_HULL_FN guint
cs_hull_sum_lanes (guint n)
{
  if (n <= CS_HULL_TINY)
    return 1;
  return n <= CS_HULL_LARGE ? CS_HULL_LANES_SMALL : CS_HULL_LANES_LARGE;
}

/**
 * CsHullSums:
 * @cross: twice the area
 * @mx, @my: six times its first moments, about the first vertex
 * @length: arc length
 */
typedef struct
{
  double cross, mx, my, length;
} CsHullSums;

CS_HULL_FN void
cs_hull_sums_add (CsHullSums * sums, const CsHullSums * other)
{
  sums->cross += other->cross;
  sums->mx += other->mx;
  sums->my += other->my;
  sums->length += other->length;
}

CS_HULL_FN guint
cs_hull_wrap (guint i, guint n)
{
  return i >= n ? i - n : i;
}

/* The terms of edge (a, b) of a hull whose first vertex is (x, y). */
CS_HULL_FN CsHullSums
cs_hull_edge_sums_at (double x, double y, double ax, double ay, double bx,
    double by)
{
  const double x0 = ax - x, y0 = ay - y, x1 = bx - x, y1 = by - y;
  const double dx = bx - ax, dy = by - ay;
  CsHullSums sums;

  sums.cross = x0 * y1 - x1 * y0;
  sums.mx = (x0 + x1) * sums.cross;
  sums.my = (y0 + y1) * sums.cross;
  sums.length = sqrt (dx * dx + dy * dy);
  return sums;
}

CS_HULL_FN CsHullSums
cs_hull_edge_sums (const double *v, guint n, guint i)
{
  const double *a = v + 2 * i, *b = v + 2 * cs_hull_wrap (i + 1, n);

  return cs_hull_edge_sums_at (v[0], v[1], a[0], a[1], b[0], b[1]);
}

/* Sign of the cross product of edges i and j. */
CS_HULL_FN gint
cs_hull_edges_cross (const double *v, guint n, guint i, guint j)
{
  const double *a = v + 2 * cs_hull_wrap (i + 1, n), *b = v + 2 * i;
  const double *c = v + 2 * cs_hull_wrap (j + 1, n), *d = v + 2 * j;

  return cs_cross_sign (a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1]);
}

/* Sign of their dot product: the cross product with j rotated by 90 degrees. */
CS_HULL_FN gint
cs_hull_edges_dot (const double *v, guint n, guint i, guint j)
{
  const double *a = v + 2 * cs_hull_wrap (i + 1, n), *b = v + 2 * i;
  const double *c = v + 2 * cs_hull_wrap (j + 1, n), *d = v + 2 * j;

  return cs_cross_sign (a[0], a[1], b[0], b[1], -c[1], c[0], -d[1], d[0]);
}

/* Steps from edge i to the first vertex farthest from its line, n >= 3, by
 * bisection. */
CS_HULL_FN guint
cs_hull_steps_far (const double *v, guint n, guint i)
{
  guint low = 1, high = n - 1;

  while (low < high) {
    const guint middle = (low + high) / 2;

    if (cs_hull_edges_cross (v, n, i, cs_hull_wrap (i + middle, n)) > 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Steps to the extreme vertex along the edge's direction; at most @far. */
CS_HULL_FN guint
cs_hull_steps_ahead (const double *v, guint n, guint i, guint far)
{
  guint low = 1, high = far;

  while (low < high) {
    const guint middle = (low + high) / 2;

    if (cs_hull_edges_dot (v, n, i, cs_hull_wrap (i + middle, n)) > 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Steps to the extreme vertex against the edge's direction, from @far up to
 * n. */
CS_HULL_FN guint
cs_hull_steps_back (const double *v, guint n, guint i, guint far)
{
  guint low = far, high = n;

  while (low < high) {
    const guint middle = (low + high) / 2;

    if (cs_hull_edges_dot (v, n, i, cs_hull_wrap (i + middle, n)) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

CS_HULL_FN double
cs_hull_distance_squared (const double *v, guint i, guint j)
{
  const double dx = v[2 * j] - v[2 * i], dy = v[2 * j + 1] - v[2 * i + 1];

  return dx * dx + dy * dy;
}

/* (b - a) x (d - c) and (b - a) . (d - c), rounded */
CS_HULL_FN double
cs_hull_cross (const double *v, guint a, guint b, guint c, guint d)
{
  return (v[2 * b] - v[2 * a]) * (v[2 * d + 1] - v[2 * c + 1]) -
      (v[2 * b + 1] - v[2 * a + 1]) * (v[2 * d] - v[2 * c]);
}

CS_HULL_FN double
cs_hull_dot (const double *v, guint a, guint b, guint c, guint d)
{
  return (v[2 * b] - v[2 * a]) * (v[2 * d] - v[2 * c]) +
      (v[2 * b + 1] - v[2 * a + 1]) * (v[2 * d + 1] - v[2 * c + 1]);
}

/* A length or area; rounding may have made it negative. */
CS_HULL_FN double
cs_hull_size (double value)
{
  return value < 0 ? 0 : value;
}

/**
 * CsHullExtreme:
 * @value: value compared
 * @a, @b: its vertices or edge; ties are resolved to the lower
 */
typedef struct
{
  double value;
  guint32 a, b;
} CsHullExtreme;

CS_HULL_FN gboolean
cs_hull_extreme_before (const CsHullExtreme * p, const CsHullExtreme * q)
{
  return p->a < q->a || (p->a == q->a && p->b < q->b);
}

CS_HULL_FN void
cs_hull_extreme_max (CsHullExtreme * best, const CsHullExtreme * other)
{
  if (other->value > best->value || (other->value == best->value &&
          cs_hull_extreme_before (other, best)))
    *best = *other;
}

CS_HULL_FN void
cs_hull_extreme_min (CsHullExtreme * best, const CsHullExtreme * other)
{
  if (other->value < best->value || (other->value == best->value &&
          cs_hull_extreme_before (other, best)))
    *best = *other;
}

CS_HULL_FN CsHullExtreme
cs_hull_extreme_none (double value)
{
  CsHullExtreme e;

  e.value = value;
  e.a = e.b = 0xffffffffu;
  return e;
}

/* Its first index; 0 if overflow has left no extreme. */
CS_HULL_FN guint
cs_hull_extreme_index (const CsHullExtreme * e)
{
  return e->a == 0xffffffffu ? 0 : e->a;
}

CS_HULL_FN CsHullExtreme
cs_hull_pair (const double *v, guint i, guint j)
{
  CsHullExtreme e;

  e.value = cs_hull_distance_squared (v, i, j);
  e.a = i < j ? i : j;
  e.b = i < j ? j : i;
  return e;
}

/**
 * CsHullCaliper:
 * @diameter: largest squared distance between antipodal vertices
 * @width: smallest distance from an edge to its farthest vertex; a: the edge
 * @rect: smallest area of a rectangle on an edge; a: the edge
 */
typedef struct
{
  CsHullExtreme diameter, width, rect;
} CsHullCaliper;

CS_HULL_FN CsHullCaliper
cs_hull_caliper_none (void)
{
  CsHullCaliper c;

  c.diameter = cs_hull_extreme_none (-1);
  c.width = cs_hull_extreme_none (INFINITY);
  c.rect = cs_hull_extreme_none (INFINITY);
  return c;
}

CS_HULL_FN void
cs_hull_caliper_add (CsHullCaliper * best, const CsHullCaliper * other)
{
  cs_hull_extreme_max (&best->diameter, &other->diameter);
  cs_hull_extreme_min (&best->width, &other->width);
  cs_hull_extreme_min (&best->rect, &other->rect);
}

/**
 * CsHullAntipodes:
 * @far: steps from an edge to the first vertex farthest from its line
 * @ahead: to the extreme vertex along the edge's direction, at most @far
 * @back: to the one against it, from @far up to n
 */
typedef struct
{
  guint far, ahead, back;
} CsHullAntipodes;

/* Those of edge i, n >= 3, by bisection. */
CS_HULL_FN CsHullAntipodes
cs_hull_antipodes (const double *v, guint n, guint i)
{
  CsHullAntipodes steps;

  steps.far = cs_hull_steps_far (v, n, i);
  steps.ahead = cs_hull_steps_ahead (v, n, i, steps.far);
  steps.back = cs_hull_steps_back (v, n, i, steps.far);
  return steps;
}

/* Rotating calipers (Shamos 1978, Toussaint 1983) at edge i. */
CS_HULL_FN void
cs_hull_caliper_edge (CsHullCaliper * best, const double *v, guint n, guint i,
    const CsHullAntipodes * steps)
{
  const guint next = cs_hull_wrap (i + 1, n);
  const guint far = cs_hull_wrap (i + steps->far, n);
  const guint beyond = cs_hull_wrap (far + 1, n);
  const guint ahead = cs_hull_wrap (i + steps->ahead, n);
  const guint back = cs_hull_wrap (i + steps->back, n);
  const double length2 = cs_hull_distance_squared (v, i, next);
  const double height = cs_hull_size (cs_hull_cross (v, i, next, i, far));
  const double extent = cs_hull_size (cs_hull_dot (v, i, next, back, ahead));
  CsHullExtreme e = cs_hull_pair (v, i, far);

  cs_hull_extreme_max (&best->diameter, &e);
  e = cs_hull_pair (v, next, far);
  cs_hull_extreme_max (&best->diameter, &e);
  e = cs_hull_pair (v, i, beyond);
  cs_hull_extreme_max (&best->diameter, &e);
  e = cs_hull_pair (v, next, beyond);
  cs_hull_extreme_max (&best->diameter, &e);

  e.a = e.b = i;
  e.value = height / sqrt (length2);
  cs_hull_extreme_min (&best->width, &e);
  e.value = height * extent / length2;
  cs_hull_extreme_min (&best->rect, &e);
}

/* The smallest enclosing circle by Chrystal (1885) and Peirce: start with an
 * edge (a, b); the circle through it and the vertex that subtends the smallest
 * angle encloses all vertices. While the triangle is obtuse, continue with its
 * longest side. The radius decreases with every step, and the side grows.
 *
 * Angles are compared in rounded arithmetic. This matters only where vertices
 * are nearly collinear with the side, and there the triangle is obtuse: any of
 * them gives a longer side. The last triangle is acute; its cross product is
 * computed relative to the side, where little cancels out. */

/* Cotangent of the angle at vertex k subtended by (a, b); infinite if k is
 * collinear with them after rounding. */
CS_HULL_FN void
cs_hull_circle_vertex (CsHullExtreme * best, const double *v, guint a, guint b,
    guint k)
{
  CsHullExtreme e;

  if (k == a || k == b)
    return;
  const double cosine = cs_hull_dot (v, k, a, k, b);
  const double sine = fabs (cs_hull_cross (v, a, b, a, k));
  e.value = sine > 0 ? cosine / sine : cosine > 0 ? INFINITY : -INFINITY;
  e.a = e.b = k;
  cs_hull_extreme_max (best, &e);
}

/* The next step from side (*a, *b), whose best vertex is @best. TRUE when the
 * centre has been found. */
CS_HULL_FN gboolean
cs_hull_circle_step (const double *v, guint * a, guint * b,
    const CsHullExtreme * best, double *cx, double *cy)
{
  const guint k = best->a;
  const double *p = v + 2 * *a, *q = v + 2 * *b;
  const double bx = q[0] - p[0], by = q[1] - p[1];

  *cx = p[0] + .5 * bx;
  *cy = p[1] + .5 * by;
  if (!(best->value > 0))
    return TRUE;
  if (cs_hull_dot (v, *a, *b, *a, k) < 0) {
    *a = k;
    return FALSE;
  }
  if (cs_hull_dot (v, *b, *a, *b, k) < 0) {
    *b = k;
    return FALSE;
  }
  const double kx = v[2 * k] - p[0];
  const double ky = v[2 * k + 1] - p[1];
  const double b2 = bx * bx + by * by, k2 = kx * kx + ky * ky;
  const double d = 2 * (bx * ky - by * kx);
  /* the triangle underflows */
  if (d == 0)
    return TRUE;
  *cx = p[0] + (ky * b2 - by * k2) / d;
  *cy = p[1] + (bx * k2 - kx * b2) / d;
  return TRUE;
}

/* Maximum steps for n vertices: rounding could cause a cycle. */
CS_HULL_FN guint
cs_hull_circle_max_steps (guint n)
{
  return n < 64 ? 64 : n;
}

CS_HULL_FN double
cs_hull_distance_to (const double *v, guint i, double x, double y)
{
  const double dx = v[2 * i] - x, dy = v[2 * i + 1] - y;

  return sqrt (dx * dx + dy * dy);
}

CS_HULL_FN void
cs_hull_direction (const double *v, guint i, guint j, double *ux, double *uy)
{
  const double dx = v[2 * j] - v[2 * i], dy = v[2 * j + 1] - v[2 * i + 1];
  const double length = sqrt (dx * dx + dy * dy);

  *ux = length > 0 ? dx / length : 0;
  *uy = length > 0 ? dy / length : 0;
}

/* All of @f except the circle, for n <= 2. */
CS_HULL_FN void
cs_hull_features_degenerate (CsHullFeatures * f, const double *v, guint n)
{
  const guint last = n - 1;

  f->feret_max = f->rect_width = sqrt (cs_hull_distance_squared (v, 0, last));
  cs_hull_direction (v, 0, last, &f->feret_max_ux, &f->feret_max_uy);
  f->feret_min = f->rect_height = 0;
  f->feret_min_ux = 0. - f->feret_max_uy;
  f->feret_min_uy = f->feret_max_ux;
  f->rect_ux = f->feret_max_ux;
  f->rect_uy = f->feret_max_uy;
  f->rect_x = f->circle_x = v[0] + .5 * (v[2 * last] - v[0]);
  f->rect_y = f->circle_y = v[1] + .5 * (v[2 * last + 1] - v[1]);
}

/* The same for n >= 3 from the extremes; @steps are those of the rectangle's
 * edge. */
CS_HULL_FN void
cs_hull_features_finish (CsHullFeatures * f, const double *v, guint n,
    const CsHullCaliper * best, const CsHullAntipodes * steps)
{
  const guint i = cs_hull_extreme_index (&best->rect);
  const guint next = cs_hull_wrap (i + 1, n);
  const guint thin = cs_hull_extreme_index (&best->width);
  const guint far = cs_hull_wrap (i + steps->far, n);
  const guint ahead = cs_hull_wrap (i + steps->ahead, n);
  const guint back = cs_hull_wrap (i + steps->back, n);
  double ux, uy, from, to;

  f->feret_max = sqrt (best->diameter.value);
  cs_hull_direction (v, best->diameter.a, best->diameter.b, &f->feret_max_ux,
      &f->feret_max_uy);
  f->feret_min = best->width.value;
  cs_hull_direction (v, thin, cs_hull_wrap (thin + 1, n), &ux, &uy);
  f->feret_min_ux = 0. - uy;
  f->feret_min_uy = ux;

  cs_hull_direction (v, i, next, &ux, &uy);
  f->rect_ux = ux;
  f->rect_uy = uy;
  from = ux * (v[2 * back] - v[2 * i]) + uy * (v[2 * back + 1] - v[2 * i + 1]);
  to = ux * (v[2 * ahead] - v[2 * i]) + uy * (v[2 * ahead + 1] - v[2 * i + 1]);
  f->rect_width = cs_hull_size (to - from);
  f->rect_height = cs_hull_size (ux * (v[2 * far + 1] - v[2 * i + 1]) -
      uy * (v[2 * far] - v[2 * i]));
  f->rect_x = v[2 * i] + .5 * (from + to) * ux - .5 * f->rect_height * uy;
  f->rect_y = v[2 * i + 1] + .5 * (from + to) * uy + .5 * f->rect_height * ux;
}

/* The record of a hull of n >= 1 vertices from its sums; bounding box first. */
CS_HULL_FN void
cs_hull_record_finish (CsContour * hull, const double *v, guint n,
    const CsHullSums * sums, CsMeasures measures, double contour_area)
{
  /* the cross products of degenerate hulls are exactly 0 */
  hull->area = n >= 3 && sums->cross > 0 ? .5 * sums->cross : 0;
  hull->solidity = NAN;
  if (measures == CS_MEASURES_NONE) {
    hull->perimeter = hull->centroid_x = hull->centroid_y = NAN;
    hull->bbox_x0 = hull->bbox_y0 = hull->bbox_x1 = hull->bbox_y1 = NAN;
    return;
  }
  hull->perimeter = sums->length;
  hull->centroid_x = hull->bbox_x0 + .5 * (hull->bbox_x1 - hull->bbox_x0);
  hull->centroid_y = hull->bbox_y0 + .5 * (hull->bbox_y1 - hull->bbox_y0);
  if (hull->area > 0) {
    hull->centroid_x = v[0] + sums->mx / (3 * sums->cross);
    hull->centroid_y = v[1] + sums->my / (3 * sums->cross);
    if (!isnan (contour_area))
      hull->solidity = fabs (contour_area) / hull->area;
  }
}
