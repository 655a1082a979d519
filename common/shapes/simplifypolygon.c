/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Simplified rings that are polygons: no side touches another one. */

#include "simplify.h"

#include <stdlib.h>

/* Attempts with half the tolerance each, before all points stay. */
#define MAX_ATTEMPTS 8
/* Pairs of sides that are compared for each side, on average; rings that need
 * more are no contours, and all their points stay. */
#define MAX_PAIRS 256

/* A side of the simplified ring, from @a to @b; @left and @right are its
 * extent, by which sides are sorted. */
typedef struct
{
  GstShapePoint a, b;
  gfloat left, right;
  gsize number;
} Side;

static gint
compare_sides (gconstpointer a, gconstpointer b)
{
  const gfloat first = ((const Side *) a)->left;
  const gfloat second = ((const Side *) b)->left;

  return first < second ? -1 : first > second;
}

/* Twice the signed area of @a @b @c. */
static gdouble
orient (GstShapePoint a, GstShapePoint b, GstShapePoint c)
{
  return ((gdouble) b.x - a.x) * ((gdouble) c.y - a.y) -
      ((gdouble) b.y - a.y) * ((gdouble) c.x - a.x);
}

/* Whether sides that are not neighbours have a point in common. */
static gboolean
intersects (const Side * p, const Side * q)
{
  if (MAX (p->a.y, p->b.y) < MIN (q->a.y, q->b.y)
      || MAX (q->a.y, q->b.y) < MIN (p->a.y, p->b.y))
    return FALSE;
  return orient (p->a, p->b, q->a) * orient (p->a, p->b, q->b) <= 0
      && orient (q->a, q->b, p->a) * orient (q->a, q->b, p->b) <= 0;
}

/* Whether @q, which begins where @p ends, runs back on it. */
static gboolean
folds_back (const Side * p, const Side * q)
{
  return orient (p->a, p->b, q->b) == 0
      && ((gdouble) p->b.x - p->a.x) * ((gdouble) q->b.x - p->b.x) +
      ((gdouble) p->b.y - p->a.y) * ((gdouble) q->b.y - p->b.y) < 0;
}

static gboolean
sides_conflict (const Side * p, const Side * q, gsize n_sides)
{
  if (q->number == (p->number + 1) % n_sides)
    return folds_back (p, q);
  if (p->number == (q->number + 1) % n_sides)
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
check_polygon (const Side * sides, gsize n)
{
  gsize left = MAX_PAIRS * MAX (n, MAX_PAIRS);

  for (gsize i = 0; i < n; i++)
    for (gsize k = i + 1; k < n && sides[k].left <= sides[i].right; k++) {
      if (sides_conflict (&sides[i], &sides[k], n))
        return CONFLICT;
      if (left-- == 0)
        return TOO_MANY_PAIRS;
    }
  return n >= 3 ? POLYGON : CONFLICT;
}

/* The sides between the points that stay. */
static gboolean
list_sides (Simplifier * simplifier, const GstShapePoint * points, gsize n,
    const guint8 * keep)
{
  CsArray *sides = &simplifier->sides;
  gsize from = 0;

  if (sides->size == 0)
    cs_array_init (sides, sizeof (Side));
  cs_array_empty (sides);
  for (gsize i = 1; i < n; i++) {
    Side side = {.a = points[from],.b = points[i],.number = sides->len };

    if (!keep[i])
      continue;
    side.left = MIN (side.a.x, side.b.x);
    side.right = MAX (side.a.x, side.b.x);
    cs_array_append_val (sides, side);
    from = i;
  }
  if (sides->failed)
    return FALSE;
  qsort (sides->data, sides->len, sizeof (Side), compare_sides);
  return TRUE;
}

const guint8 *
simplifier_run_polygon (Simplifier * simplifier, const GstShapePoint * points,
    gsize n, gdouble tolerance)
{
  Verdict verdict = CONFLICT;

  if (n < 4 || points[0].x != points[n - 1].x || points[0].y != points[n - 1].y)
    return simplifier_run (simplifier, points, n, tolerance);
  for (guint i = 0; i < MAX_ATTEMPTS && verdict == CONFLICT; i++) {
    const guint8 *keep = simplifier_run (simplifier, points, n, tolerance);

    if (!keep || !list_sides (simplifier, points, n, keep))
      return NULL;
    verdict = check_polygon ((const Side *) simplifier->sides.data,
        simplifier->sides.len);
    if (verdict == POLYGON)
      return keep;
    tolerance /= 2;
  }
  memset (simplifier->kept.data, 1, n);
  return (const guint8 *) simplifier->kept.data;
}
