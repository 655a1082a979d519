/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Simplified rings that are polygons: no side touches another one.
 *
 * Each run of points that are left out goes around an area with the side in its
 * place. What is in one of these comes to the other side of the ring. So rings
 * stay where they are to each other if sides do not touch, and no ring has its
 * first point, which always stays, in such an area of another one.
 */

#include "simplify.h"

#include <stdlib.h>

#include "gstshapepoints.h"

/* Attempts with half the tolerance each, before all points stay. */
#define MAX_ATTEMPTS 8
/* Comparisons for each side, on average; rings that need more are no contours,
 * and all their points stay. */
#define MAX_PAIRS 256

/* A side of a simplified ring, from @a to @b; @left and @right are its extent,
 * by which sides are sorted. @next is the number of the one that follows. */
typedef struct
{
  GstShapePoint a, b;
  gfloat left, right;
  gsize number, next;
} Side;

/* A point that stays, for all of its ring. */
typedef struct
{
  GstShapePoint at;
  gsize ring;
} Probe;

static gint
compare_probes (gconstpointer a, gconstpointer b)
{
  const gfloat first = ((const Probe *) a)->at.x;
  const gfloat second = ((const Probe *) b)->at.x;

  return first < second ? -1 : first > second;
}

static gint
compare_sides (gconstpointer a, gconstpointer b)
{
  const gfloat first = ((const Side *) a)->left;
  const gfloat second = ((const Side *) b)->left;

  return first < second ? -1 : first > second;
}

/* Whether sides that are not neighbours have a point in common. */
static gboolean
intersects (const Side * p, const Side * q)
{
  if (MAX (p->a.y, p->b.y) < MIN (q->a.y, q->b.y)
      || MAX (q->a.y, q->b.y) < MIN (p->a.y, p->b.y))
    return FALSE;
  return gst_shape_points_orient (p->a, p->b, q->a) *
      gst_shape_points_orient (p->a, p->b, q->b) <= 0
      && gst_shape_points_orient (q->a, q->b, p->a) *
      gst_shape_points_orient (q->a, q->b, p->b) <= 0;
}

/* Whether @q, which begins where @p ends, runs back on it. */
static gboolean
folds_back (const Side * p, const Side * q)
{
  return gst_shape_points_orient (p->a, p->b, q->b) == 0
      && ((gdouble) p->b.x - p->a.x) * ((gdouble) q->b.x - p->b.x) +
      ((gdouble) p->b.y - p->a.y) * ((gdouble) q->b.y - p->b.y) < 0;
}

static gboolean
sides_conflict (const Side * p, const Side * q)
{
  if (q->number == p->next)
    return folds_back (p, q);
  if (p->number == q->next)
    return folds_back (q, p);
  return intersects (p, q);
}

typedef enum
{
  POLYGON,
  CONFLICT,
  TOO_MANY_PAIRS,
} Verdict;

/* Compares each side with those that begin to the left of its end: sorted by
 * their left ends, these follow it. */
static Verdict
check_sides (const Side * sides, gsize n, gsize * left)
{
  for (gsize i = 0; i < n; i++)
    for (gsize k = i + 1; k < n && sides[k].left <= sides[i].right; k++) {
      if (sides_conflict (&sides[i], &sides[k]))
        return CONFLICT;
      if ((*left)-- == 0)
        return TOO_MANY_PAIRS;
    }
  return POLYGON;
}

/* The sides between the points that stay of a ring. Returns: whether they are
 * three at least */
static gboolean
list_ring (CsArray * sides, const GstShapePoint * points, gsize begin,
    gsize end, const guint8 * keep)
{
  const gsize first = sides->len;
  gsize from = begin;

  for (gsize i = begin + 1; i < end; i++) {
    Side side = {.a = points[from],.b = points[i],.number = sides->len,.next =
          sides->len + 1
    };

    if (!keep[i])
      continue;
    side.left = MIN (side.a.x, side.b.x);
    side.right = MAX (side.a.x, side.b.x);
    cs_array_append_val (sides, side);
    from = i;
  }
  if (sides->len < first + 3)
    return FALSE;
  cs_array_index (sides, Side, sides->len - 1).next = first;
  return TRUE;
}

/* Whether another ring is where points @first to @last of @ring become a
 * side. */
static Verdict
check_run (const CsArray * probes, const GstShapePoint * points, gsize first,
    gsize last, gsize ring, gsize * left)
{
  gfloat x0 = points[first].x, x1 = x0, y0 = points[first].y, y1 = y0;
  gsize low = 0, high = probes->len;

  for (gsize i = first + 1; i <= last; i++) {
    x0 = MIN (x0, points[i].x);
    x1 = MAX (x1, points[i].x);
    y0 = MIN (y0, points[i].y);
    y1 = MAX (y1, points[i].y);
  }
  while (low < high) {
    const gsize middle = low + (high - low) / 2;

    if (cs_array_index (probes, Probe, middle).at.x < x0)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < probes->len; low++) {
    const Probe *probe = &cs_array_index (probes, Probe, low);

    if (probe->at.x > x1)
      break;
    if ((*left)-- == 0)
      return TOO_MANY_PAIRS;
    if (probe->ring != ring && probe->at.y >= y0 && probe->at.y <= y1
        && gst_shape_points_locate (points + first, last - first + 1,
            probe->at) >= 0)
      return CONFLICT;
  }
  return POLYGON;
}

/* What is to be simplified. */
typedef struct
{
  const GstShapePoint *points;
  const gsize *ends;
  gsize n_rings;
} Rings;

static gsize
begin_of (const Rings * rings, gsize ring)
{
  return ring > 0 ? rings->ends[ring - 1] : 0;
}

static Verdict
check_runs (Simplifier * simplifier, const Rings * rings, gsize * left)
{
  const guint8 *keep = (const guint8 *) simplifier->kept.data;
  Verdict verdict = POLYGON;

  for (gsize r = 0; verdict == POLYGON && r < rings->n_rings; r++) {
    gsize from = begin_of (rings, r);

    for (gsize i = from + 1; verdict == POLYGON && i < rings->ends[r]; i++) {
      if (!keep[i])
        continue;
      if (i > from + 1)
        verdict = check_run (&simplifier->probes, rings->points, from, i, r,
            left);
      from = i;
    }
  }
  return verdict;
}

/* Whether what stays is a polygon; %FALSE without memory. */
static gboolean
check_rings (Simplifier * simplifier, const Rings * rings, Verdict * verdict)
{
  const guint8 *keep = (const guint8 *) simplifier->kept.data;
  CsArray *sides = &simplifier->sides;

  *verdict = CONFLICT;
  cs_array_empty (sides);
  for (gsize r = 0; r < rings->n_rings; r++) {
    const gsize begin = begin_of (rings, r), end = rings->ends[r];

    if (end - begin >= 4 && !list_ring (sides, rings->points, begin, end, keep))
      return !sides->failed;
  }
  if (sides->failed)
    return FALSE;
  gsize left = MAX_PAIRS * MAX (sides->len, MAX_PAIRS);
  if (sides->len > 0)
    qsort (sides->data, sides->len, sizeof (Side), compare_sides);
  *verdict = check_sides ((const Side *) (gpointer) sides->data, sides->len,
      &left);
  if (*verdict == POLYGON && rings->n_rings > 1)
    *verdict = check_runs (simplifier, rings, &left);
  return TRUE;
}

static gboolean
list_probes (Simplifier * simplifier, const Rings * rings)
{
  CsArray *probes = &simplifier->probes;

  if (probes->size == 0) {
    cs_array_init (probes, sizeof (Probe));
    cs_array_init (&simplifier->sides, sizeof (Side));
  }
  cs_array_empty (probes);
  for (gsize r = 0; r < rings->n_rings; r++) {
    const gsize begin = begin_of (rings, r);

    if (rings->ends[r] > begin) {
      const Probe probe = { rings->points[begin], r };

      cs_array_append_val (probes, probe);
    }
  }
  if (probes->len > 1)
    qsort (probes->data, probes->len, sizeof (Probe), compare_probes);
  return !probes->failed;
}

const guint8 *
simplifier_run_rings (Simplifier * simplifier, const GstShapePoint * points,
    const gsize * ends, gsize n_rings, gdouble tolerance)
{
  const Rings rings = { points, ends, n_rings };
  const gsize n = n_rings > 0 ? ends[n_rings - 1] : 0;
  Verdict verdict = CONFLICT;

  if (!simplifier_prepare (simplifier, n) || !list_probes (simplifier, &rings))
    return NULL;
  for (guint i = 0; i < MAX_ATTEMPTS && verdict == CONFLICT; i++) {
    for (gsize r = 0; r < n_rings; r++) {
      const gsize begin = begin_of (&rings, r);

      if (ends[r] - begin < 4)
        memset (simplifier->kept.data + begin, 1, ends[r] - begin);
      else
        simplifier_run_range (simplifier, points, begin, ends[r], tolerance);
    }
    if (simplifier->spans.failed || !check_rings (simplifier, &rings, &verdict))
      return NULL;
    if (verdict == POLYGON)
      return (const guint8 *) simplifier->kept.data;
    tolerance /= 2;
  }
  memset (simplifier->kept.data, 1, n);
  return (const guint8 *) simplifier->kept.data;
}

const guint8 *
simplifier_run_polygon (Simplifier * simplifier, const GstShapePoint * points,
    gsize n, gdouble tolerance)
{
  if (n < 4 || points[0].x != points[n - 1].x || points[0].y != points[n - 1].y)
    return simplifier_run (simplifier, points, n, tolerance);
  return simplifier_run_rings (simplifier, points, &n, 1, tolerance);
}
