/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Which points of a ring are no vertices of its hull, by its neighbours alone:
 * those in the triangle of the neighbours and a centre, which need be no more
 * than a point of the hull. As Graham's scan ("An efficient algorithm for
 * determining the convex hull of a finite planar set", 1972) this finds the hull
 * of a ring that goes around the centre without turning back; of any other
 * points it finds some that are no vertices. No point that is a vertex is ever
 * taken for another, whatever the order of the points and of the questions, so
 * that what remains has the same hull. The centre of the bounding box is in the
 * hull of any points.
 */

#include "hull_math.h"

/* A part of the ring with the centre on its left: */
typedef enum
{
  CS_HULL_RING_CONVEX,          /* turns left at the point */
  CS_HULL_RING_INSIDE,          /* the point is no vertex */
  CS_HULL_RING_UNKNOWN,         /* turns right, or not at all */
} CsHullRingTurn;

/* Whether (ox, oy), (px, py), (qx, qy) certainly turn left. */
CS_HULL_FN gboolean
cs_hull_ring_left (double ox, double oy, double px, double py, double qx,
    double qy)
{
  const double l = (px - ox) * (qy - oy), r = (py - oy) * (qx - ox);

  return l - r > CS_ORIENT_ERROR_BOUND * (fabs (l) + fabs (r)) +
      CS_ORIENT_UNDERFLOW_BOUND;
}

/* Of point p between a and b, both different from it; with @collinear points on
 * the edges of the hull are to remain. */
CS_HULL_FN CsHullRingTurn
cs_hull_ring_turn (double cx, double cy, double ax, double ay, double px,
    double py, double bx, double by, gboolean collinear)
{
  const gint turn = cs_orient (ax, ay, px, py, bx, by);

  if (turn > 0)
    return CS_HULL_RING_CONVEX;
  return turn < (collinear ? 0 : 1) &&
      cs_hull_ring_left (cx, cy, ax, ay, px, py) &&
      cs_hull_ring_left (cx, cy, px, py, bx, by) &&
      cs_hull_ring_left (cx, cy, ax, ay, bx, by) ? CS_HULL_RING_INSIDE :
      CS_HULL_RING_UNKNOWN;
}

/* The centre of @low and @high; NAN if it cannot be told exactly. */
CS_HULL_FN double
cs_hull_ring_centre (double low, double high)
{
  const double sum = low + high;

  return cs_difference_tail (low, -high, sum) == 0 && fabs (sum) >= 0x1p-1000 ?
      .5 * sum : sum == 0 ? 0 : NAN;
}

/* Whether a ring has its only lexicographic minimum so far at p, between a and
 * b. */
CS_HULL_FN gboolean
cs_hull_ring_minimum (double ax, double ay, double px, double py, double bx,
    double by)
{
  return (px < ax || (px == ax && py < ay)) &&
      (px < bx || (px == bx && py < by));
}
