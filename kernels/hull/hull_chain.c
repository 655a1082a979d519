/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hull_chain.h"

#include "base/sort.h"
#include "hull_math.h"

static inline gboolean
lower (const CsHullVertex * p, const CsHullVertex * than)
{
  return p->y < than->y || (p->y == than->y && p->index < than->index);
}

static inline gboolean
higher (const CsHullVertex * p, const CsHullVertex * than)
{
  return p->y > than->y || (p->y == than->y && p->index < than->index);
}

/* Of points of equal x only the lowest and the highest may be vertices. */
static gsize
column_ends (const CsHullVertex * points, const CsSortItem * items,
    gsize n, CsHullVertex * to)
{
  const CsHullVertex *low = &points[items[0].value], *high = low;

  for (gsize i = 1; i < n; i++) {
    const CsHullVertex *p = &points[items[i].value];

    if (lower (p, low))
      low = p;
    if (higher (p, high))
      high = p;
  }
  to[0] = *low;
  if (high->y == low->y)
    return 1;
  to[1] = *high;
  return 2;
}

/* All distinct points of equal x, upwards. */
static gsize
column_points (const CsHullVertex * points, CsSortItem * items,
    CsSortItem * other, gsize n, CsHullVertex * to)
{
  gsize i, n_to = 0;

  for (i = 0; i < n; i++)
    items[i].key = cs_hull_key (points[items[i].value].y);
  CsSortItem *sorted = cs_sort (items, other, n);
  for (i = 0; i < n; i++) {
    const CsHullVertex *p = &points[sorted[i].value];

    if (n_to == 0 || p->y != to[n_to - 1].y)
      to[n_to++] = *p;
    else if (p->index < to[n_to - 1].index)
      to[n_to - 1] = *p;
  }
  return n_to;
}

/* The candidates in lexicographic order, into chain->sorted. */
static gsize
sort_points (CsHullChain * chain, const CsHullVertex * points, gsize n,
    gboolean collinear)
{
  CsSortItem *a = chain->items[0].data, *b = chain->items[1].data;
  CsHullVertex *to = chain->sorted.data;
  gsize i, end, n_to = 0;

  for (i = 0; i < n; i++) {
    a[i].key = cs_hull_key (points[i].x);
    a[i].value = i;
  }
  if (cs_sort (a, b, n) == b) {
    b = a;
    a = chain->items[1].data;
  }
  for (i = 0; i < n; i = end) {
    for (end = i + 1; end < n && a[end].key == a[i].key; end++);
    if (end == i + 1)
      to[n_to++] = points[a[i].value];
    else if (collinear)
      n_to += column_points (points, a + i, b + i, end - i, to + n_to);
    else
      n_to += column_ends (points, a + i, end - i, to + n_to);
  }
  return n_to;
}

static inline gboolean
is_popped (const CsHullVertex * a, const CsHullVertex * b,
    const CsHullVertex * c, gint min_sign)
{
  return cs_orient (a->x, a->y, b->x, b->y, c->x, c->y) < min_sign;
}

static inline gsize
push (CsHullVertex * stack, gsize bottom, gsize n_stack,
    const CsHullVertex * point, gint min_sign)
{
  while (n_stack > bottom &&
      is_popped (&stack[n_stack - 2], &stack[n_stack - 1], point, min_sign))
    n_stack--;
  stack[n_stack] = *point;
  return n_stack + 1;
}

/* Andrew's monotone chain over n >= 2 points without duplicates, with the
 * points on its edges. */
static gsize
chain_with_collinear (const CsHullVertex * points, gsize n,
    CsHullVertex * stack)
{
  gsize n_stack = 0, n_lower, i;

  for (i = 0; i < n; i++)
    n_stack = push (stack, 1, n_stack, &points[i], 0);
  n_lower = n_stack;
  for (i = n - 1; i-- > 0;)
    n_stack = push (stack, n_lower, n_stack, &points[i], 0);
  /* all points are collinear: both chains have all of them */
  if (n_lower == n && n_stack == 2 * n - 1) {
    cs_hull_take (CS_HULL_ON_A_LINE);
    return n;
  }
  return n_stack - 1;
}

/* The strict hull: points above the line from the first to the last are only
 * tested for the upper chain, those below only for the lower. Overwrites
 * @points. */
static gsize
strict_chain (CsHullVertex * points, gsize n, CsHullVertex * stack)
{
  const CsHullVertex first = points[0], last = points[n - 1];
  gsize n_stack = 1, n_lower, n_above = 0, i;

  stack[0] = first;
  for (i = 1; i + 1 < n; i++) {
    const CsHullVertex p = points[i];
    const gint side = cs_orient (first.x, first.y, last.x, last.y, p.x, p.y);

    if (side < 0)
      n_stack = push (stack, 1, n_stack, &p, 1);
    else if (side > 0)
      points[n_above++] = p;
  }
  n_stack = push (stack, 1, n_stack, &last, 1);
  n_lower = n_stack;
  for (i = n_above; i-- > 0;)
    n_stack = push (stack, n_lower, n_stack, &points[i], 1);
  if (n_above > 0)
    n_stack = push (stack, n_lower, n_stack, &first, 1) - 1;
  return n_stack;
}

/* At the beginning of a cache line: where its loops lie, by what else is linked,
 * makes up to a fifth of their time. */
__attribute__ ((aligned (64)))
gboolean
cs_hull_chain (CsHullChain * chain, const CsHullVertex * points, gsize n,
    gboolean collinear, GError ** error)
{
  chain->hull = NULL;
  chain->n = 0;
  if (n == 0)
    return TRUE;
  if (!cs_scratch_ensure (&chain->items[0], n * sizeof (CsSortItem), error) ||
      !cs_scratch_ensure (&chain->items[1], n * sizeof (CsSortItem), error) ||
      !cs_scratch_ensure (&chain->sorted, n * sizeof (CsHullVertex), error))
    return FALSE;
  const gsize n_sorted = sort_points (chain, points, n, collinear);
  CsHullVertex *stack = cs_scratch_ensure (&chain->stack,
      2 * n_sorted * sizeof (CsHullVertex), error);
  if (!stack)
    return FALSE;
  CsHullVertex *sorted = chain->sorted.data;
  cs_hull_take (n_sorted == 1 ? CS_HULL_ONE_POINT : collinear ?
      CS_HULL_COLLINEAR : CS_HULL_STRICT);
  if (n_sorted == 1) {
    stack[0] = sorted[0];
    chain->n = 1;
  } else {
    chain->n = collinear ? chain_with_collinear (sorted, n_sorted, stack) :
        strict_chain (sorted, n_sorted, stack);
  }
  chain->hull = stack;
  return TRUE;
}

void
cs_hull_chain_clear (CsHullChain * chain)
{
  cs_scratch_clear (&chain->items[0]);
  cs_scratch_clear (&chain->items[1]);
  cs_scratch_clear (&chain->sorted);
  cs_scratch_clear (&chain->stack);
}
