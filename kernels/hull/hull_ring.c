/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hull of a ring by its points' order, without a sort. */
#include "hull_ring_math.h"

#include <string.h>

#include "base/choose.h"
#include "hull_cpu.h"

/* Points that turn right and cannot be told to be no vertices: of a ring there
 * are few. */
#define MAX_UNKNOWN(n) (2 + (n) / 16)

/* Points that are looked at even if the last one is not the first again. */
#define WORTH_A_LOOK 64

/**
 * Ring:
 * @min_x, @min_y, @max_x, @max_y: its bounding box
 * @area: twice its area, rounded; positive counter-clockwise
 * @odd: 0 if all points are finite
 */
typedef struct
{
  double min_x, min_y, max_x, max_y, area, odd;
} Ring;

static Ring
look_at_any (const CsHullInput * input, gsize first, gsize end)
{
  double x0, y0, x, y, bx, by;
  Ring r;

  cs_hull_load_point (input->points, input->stride, input->type, first, &x0,
      &y0);
  r = (Ring) { x0, y0, x0, y0, 0, (x0 - x0) + (y0 - y0) };
  x = x0;
  y = y0;
  for (gsize i = first + 1; i < end; i++) {
    cs_hull_load_point (input->points, input->stride, input->type, i, &bx, &by);
    r.min_x = MIN (r.min_x, bx);
    r.min_y = MIN (r.min_y, by);
    r.max_x = MAX (r.max_x, bx);
    r.max_y = MAX (r.max_y, by);
    r.area += (x - x0) * (by - y0) - (bx - x0) * (y - y0);
    r.odd += (bx - bx) + (by - by);
    x = bx;
    y = by;
  }
  return r;
}

/* The same for @n packed points in single precision, two at a time. */
typedef float Pair __attribute__ ((vector_size (16), aligned (4), may_alias));

static Ring
look_at_floats (const float *points, gsize n)
{
  const Pair from = { points[0], points[1], points[0], points[1] };
  Pair low = from, high = from, area = { 0 }, odd = from - from;
  gsize i;

  for (i = 0; i + 3 <= n; i += 2) {
    const Pair p = *(const Pair *) (points + 2 * i);
    const Pair next = *(const Pair *) (points + 2 * i + 2);
    const Pair step = next - p, middle = (next - from) + (p - from);

    low = CS_CHOOSE (Pair, next < low, next, low);
    high = CS_CHOOSE (Pair, next > high, next, high);
    area += step * (Pair) { middle[1], middle[0], middle[3], middle[2] };
    odd += next - next;
  }
  Ring r = {
    MIN (low[0], low[2]), MIN (low[1], low[3]), MAX (high[0], high[2]),
    MAX (high[1], high[3]),
    .5 * ((area[1] - area[0]) + (area[3] - area[2])),
    (odd[0] + odd[1]) + (odd[2] + odd[3])
  };
  /* an even number of points has one more; with it the area does not change
   * its sign */
  if (i + 2 == n) {
    const double x = points[2 * i + 2], y = points[2 * i + 3];

    r.min_x = MIN (r.min_x, x);
    r.min_y = MIN (r.min_y, y);
    r.max_x = MAX (r.max_x, x);
    r.max_y = MAX (r.max_y, y);
    r.odd += (x - x) + (y - y);
  }
  return r;
}

static gboolean
is_packed (const CsHullInput * input)
{
  return input->type == CS_HULL_F32 && input->stride == 2 * sizeof (float);
}

static Ring
look_at_ring (const CsHullInput * input, gsize first, gsize end)
{
  return is_packed (input) ?
      look_at_floats ((const float *) input->points + 2 * first, end - first) :
      look_at_any (input, first, end);
}

/* Whether it fills half of its box: what turns back hardly ever does. */
static gboolean
is_full (const Ring * r)
{
  return fabs (r->area) >= (r->max_x - r->min_x) * (r->max_y - r->min_y);
}

/* Appends @p to the @n points at @to, and takes away those before it that are no
 * vertices. */
static inline __attribute__ ((always_inline))
gsize
append (CsHullVertex * to, gsize n, double cx, double cy, const CsHullVertex * p,
    gboolean collinear, gsize * n_unknown)
{
  if (n > 0 && p->x == to[n - 1].x && p->y == to[n - 1].y) {
    to[n - 1].index = MIN (to[n - 1].index, p->index);
    return n;
  }
  while (n > 1) {
    const CsHullVertex *a = &to[n - 2], *q = &to[n - 1];
    const CsHullRingTurn turn = cs_hull_ring_turn (cx, cy, a->x, a->y, q->x,
        q->y, p->x, p->y, collinear);

    if (turn != CS_HULL_RING_INSIDE) {
      *n_unknown += turn == CS_HULL_RING_UNKNOWN;
      break;
    }
    n--;
  }
  to[n] = *p;
  return n + 1;
}

/* Takes away at both ends of the @n points at @at, which are a ring; returns how
 * many are left from *@at on. */
static gsize
close_ring (CsHullVertex ** at, gsize n, double cx, double cy,
    gboolean collinear)
{
  while (n > 2) {
    CsHullVertex *first = *at, *last = &first[n - 1];

    if (first->x == last->x && first->y == last->y) {
      first->index = MIN (first->index, last->index);
      n--;
    } else if (cs_hull_ring_turn (cx, cy, last[-1].x, last[-1].y, last->x,
            last->y, first->x, first->y, collinear) == CS_HULL_RING_INSIDE) {
      n--;
    } else if (cs_hull_ring_turn (cx, cy, last->x, last->y, first->x, first->y,
            first[1].x, first[1].y, collinear) == CS_HULL_RING_INSIDE) {
      ++*at;
      n--;
    } else {
      break;
    }
  }
  return n;
}

/* Whether the @n points at @v are a convex polygon; *@first is then its
 * lexicographically smallest one. */
static gboolean
is_convex (const CsHullVertex * v, gsize n, gsize * first)
{
  guint n_minima = 0;

  for (gsize i = 0; i < n; i++) {
    const CsHullVertex *a = &v[i > 0 ? i - 1 : n - 1], *p = &v[i];
    const CsHullVertex *b = &v[i + 1 < n ? i + 1 : 0];

    if (cs_orient (a->x, a->y, p->x, p->y, b->x, b->y) <= 0)
      return FALSE;
    if (cs_hull_ring_minimum (a->x, a->y, p->x, p->y, b->x, b->y)) {
      *first = i;
      n_minima++;
    }
  }
  return n > 2 && n_minima == 1;
}

static inline __attribute__ ((always_inline))
gsize
scan (CsHullVertex * to, const CsHullInput * input, CsHullType type,
    gsize stride, gsize first, gsize end, double cx, double cy, gboolean back,
    gboolean collinear)
{
  const gsize n = end - first;
  gsize n_to = 0, n_unknown = 0;

  for (gsize i = 0; i < n; i++) {
    CsHullVertex p;

    if (n_unknown > MAX_UNKNOWN (i))
      return 0;
    p.index = back ? end - 1 - i : first + i;
    cs_hull_load_point (input->points, stride, type, p.index, &p.x, &p.y);
    n_to = append (to, n_to, cx, cy, &p, collinear, &n_unknown);
  }
  return n_to;
}

/* Whether it costs little to find that they are in no order, and little memory:
 * all may remain. */
static gboolean
may_be_ring (const CsHullInput * input, gsize first, gsize end)
{
  double x, y, last_x, last_y;

  if (end - first < 4 || end - first > CS_HULL_SHARED)
    return FALSE;
  if (end - first > WORTH_A_LOOK)
    return TRUE;
  cs_hull_load_point (input->points, input->stride, input->type, first, &x, &y);
  cs_hull_load_point (input->points, input->stride, input->type, end - 1,
      &last_x, &last_y);
  return x == last_x && y == last_y;
}

gboolean
cs_hull_find_ring (const CsHullCpu * cpu, CsHullSlot * slot,
    const CsHullInput * input, gsize first, gsize end)
{
  const gboolean collinear = cpu->params->include_collinear;
  gsize n, start = 0;

  cs_hull_reset_slots (slot, 1);
  if (!may_be_ring (input, first, end))
    return FALSE;
  const Ring ring = look_at_ring (input, first, end);
  const double cx = cs_hull_ring_centre (ring.min_x, ring.max_x);
  const double cy = cs_hull_ring_centre (ring.min_y, ring.max_y);
  const gboolean back = ring.area < 0;

  if (ring.odd != 0 || isnan (cx) || isnan (cy) || !is_full (&ring) ||
      !cs_hull_slot_reserve (slot, 2 * (end - first)))
    return FALSE;
  CsHullVertex *v = slot->points.data;
  if (is_packed (input))
    n = scan (v, input, CS_HULL_F32, 2 * sizeof (float), first, end, cx, cy,
        back, collinear);
  else
    n = scan (v, input, input->type, input->stride, first, end, cx, cy, back,
        collinear);
  n = close_ring (&v, n, cx, cy, collinear);
  if (!collinear && is_convex (v, n, &start)) {
    memcpy (v + n, v, start * sizeof (*v));
    slot->chain.hull = v + start;
    slot->chain.n = n;
    cs_hull_take (CS_HULL_RING);
    return TRUE;
  }
  if (n == 0 || n > (end - first) / 2)
    return FALSE;
  memmove (slot->points.data, v, n * sizeof (*v));
  slot->n_points = n;
  cs_hull_take (CS_HULL_RING_PART);
  return cs_hull_finish_set (cpu, slot, end - first);
}
