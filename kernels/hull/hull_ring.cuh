/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The hull of a ring by its points' order: all points at once are compared with
 * their neighbours, and those that are no vertices taken away, until none is. */

#include "hull_ring_math.h"
#include "hull_steps.cuh"

/* Rounds that a ring is given; most take five. */
#define CS_HULL_RING_ROUNDS 32

/**
 * RingSpace:
 * @xy: the points
 * @lists: numbers of those that remain, and of those that remain after them
 *
 * A block's shared memory for the points of a ring.
 */
struct RingSpace
{
  double2 *xy;
  guint16 *lists[2];

  __host__ __device__ static gsize size (guint capacity)
  {
    return capacity * (sizeof (double2) + 2 * sizeof (guint16));
  }

  __device__ RingSpace (void *memory, guint capacity)
  {
    xy = (double2 *) memory;
    lists[0] = (guint16 *) (xy + capacity);
    lists[1] = lists[0] + capacity;
  }
};

/**
 * Ring:
 * @xy: the points
 * @list: numbers of those that remain, in order
 * @n: how many remain
 * @back: the order is clockwise
 */
struct Ring
{
  const double2 *xy;
  const guint16 *list;
  guint n;
  bool back;

  /* The numbers of point k's neighbours, counter-clockwise. */
  __device__ void neighbours (guint k, guint * before, guint * after) const
  {
    const guint a = list[k > 0 ? k - 1 : n - 1];
    const guint b = list[k + 1 < n ? k + 1 : 0];

    *before = back ? b : a;
    *after = back ? a : b;
  }
};

static __device__ __forceinline__ bool
is_same (double2 p, double2 q)
{
  return p.x == q.x && p.y == q.y;
}

/* Loads the @n points from @start on; returns the centre of their bounding box,
 * NAN if one is not finite or it cannot be told. */
static __device__ double2
load_ring (const BlockTeam & team, const RingSpace & space,
    const HullSource & source, guint32 start, guint n)
{
  Box box = { INFINITY, INFINITY, -INFINITY, -INFINITY };
  guint32 n_odd = 0;

  for (guint k = team.rank; k < n; k += team.size ()) {
    double2 p;

    load_point (source, start + k, &p.x, &p.y);
    const Box point = { p.x, p.y, p.x, p.y };

    space.xy[k] = p;
    space.lists[0][k] = k;
    n_odd += !is_finite (p.x, p.y);
    GrowBox () (box, point);
  }
  n_odd = team_sum (team, n_odd);
  box = team.reduce (box, GrowBox ());
  return n_odd ? make_double2 (NAN, NAN) :
      make_double2 (cs_hull_ring_centre (box.x0, box.x1),
      cs_hull_ring_centre (box.y0, box.y1));
}

/* Whether the ring goes around the centre, but for a few steps; and which way. */
static __device__ bool
goes_around (const BlockTeam & team, Ring & ring, double2 centre)
{
  guint32 n_left = 0;

  for (guint k = team.rank; k < ring.n; k += team.size ()) {
    const double2 a = ring.xy[k], b = ring.xy[k + 1 < ring.n ? k + 1 : 0];

    n_left += (a.x - centre.x) * (b.y - centre.y) > (a.y - centre.y) *
        (b.x - centre.x);
  }
  n_left = team_sum (team, n_left);
  ring.back = n_left < ring.n / 2;
  return min (n_left, ring.n - n_left) <= 2 + ring.n / 16;
}

/* What remaining point k is between its neighbours. Of equal ones only the first
 * may be a vertex. */
static __device__ CsHullRingTurn
look_at_vertex (const Ring & ring, double2 centre, guint k)
{
  const guint ip = ring.list[k];
  guint ia, ib;

  ring.neighbours (k, &ia, &ib);
  const double2 a = ring.xy[ia], p = ring.xy[ip], b = ring.xy[ib];

  if (is_same (a, p) || is_same (b, p))
    return (is_same (a, p) && ia < ip) || (is_same (b, p) && ib < ip) ?
        CS_HULL_RING_INSIDE : CS_HULL_RING_UNKNOWN;
  return cs_hull_ring_turn (centre.x, centre.y, a.x, a.y, p.x, p.y, b.x, b.y,
      FALSE);
}

/* Takes away points of the ring, until those that cannot be told are as many as
 * a round takes away. */
static __device__ void
reduce_ring (const BlockTeam & team, const RingSpace & space, Ring & ring,
    double2 centre)
{
  for (guint round = 0; round < CS_HULL_RING_ROUNDS && ring.n > 2; round++) {
    const guint each = (ring.n + team.size () - 1) / team.size ();
    const guint first = team.rank * each, end = min (first + each, ring.n);
    guint16 *to = space.lists[(round + 1) % 2];
    guint32 keeps = 0, n_convex = 0, all;

    for (guint k = first; k < end; k++) {
      const CsHullRingTurn turn = look_at_vertex (ring, centre, k);

      keeps |= (turn != CS_HULL_RING_INSIDE) << (k - first);
      n_convex += turn == CS_HULL_RING_CONVEX;
    }
    /* two numbers below 2^16 in one */
    guint at = exclusive_sum (n_convex << 16 | __popc (keeps), &all) & 0xffff;

    for (; keeps; keeps &= keeps - 1)
      to[at++] = ring.list[first + __ffs (keeps) - 1];
    __syncthreads ();
    const guint n_kept = all & 0xffff, n_removed = ring.n - n_kept;

    ring.list = to;
    ring.n = n_kept;
    if (n_removed <= n_kept - (all >> 16))
      break;
  }
}

/* Writes the ring's points to @hull, counter-clockwise from the lexicographically
 * smallest, if they are a convex polygon. */
static __device__ bool
write_convex (const BlockTeam & team, const Ring & ring, guint32 start,
    guint32 * hull)
{
  guint32 n_left = 0, minimum = 0;

  for (guint k = team.rank; k < ring.n; k += team.size ()) {
    guint ia, ib;

    ring.neighbours (k, &ia, &ib);
    const double2 a = ring.xy[ia], p = ring.xy[ring.list[k]], b = ring.xy[ib];

    n_left += cs_orient (a.x, a.y, p.x, p.y, b.x, b.y) > 0;
    /* how many, and the number of the last one */
    if (cs_hull_ring_minimum (a.x, a.y, p.x, p.y, b.x, b.y))
      minimum += 1u << 16 | k;
  }
  n_left = team_sum (team, n_left);
  minimum = team_sum (team, minimum);
  if (ring.n < 3 || n_left != ring.n || minimum >> 16 != 1)
    return false;
  minimum &= 0xffff;
  for (guint k = team.rank; k < ring.n; k += team.size ()) {
    const gint steps = ring.back ? (gint) (minimum - k) : (gint) (k - minimum);

    hull[steps < 0 ? steps + (gint) ring.n : steps] = start + ring.list[k];
  }
  return true;
}

/* The hull of the @n points from @start on of @source into @hull, if their order
 * says all of it: returns its number of vertices, to all threads. Else returns
 * 0. Ends with a barrier. @space is for at most 8 points of a thread. */
static __device__ guint32
find_ring (const BlockTeam & team, const RingSpace & space,
    const HullSource & source, guint32 start, guint n, bool collinear,
    guint32 * hull)
{
  Ring ring = { space.xy, space.lists[0], n, false };
  bool is_ring = false;

  if (source.via || collinear)
    return 0;
  const double2 centre = load_ring (team, space, source, start, n);

  __syncthreads ();
  if (!isnan (centre.x) && !isnan (centre.y) &&
      goes_around (team, ring, centre)) {
    reduce_ring (team, space, ring, centre);
    is_ring = write_convex (team, ring, start, hull);
  }
  __syncthreads ();
  return is_ring ? ring.n : 0;
}
