/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The nearest ports of each port, by a tree that is halved along the longer
 * side of its points (k-d tree). */
#include "strokes_near.h"

#include <float.h>

#include "strokes_math.h"

/* Ranges of at most so many points are not halved. */
#define LEAF 8

/**
 * Tree:
 * @points: @n points
 * @order: their indices: a range is a node, its middle the point that halves it
 * @axes: of each middle: 0 for x, 1 for y
 */
typedef struct
{
  const CsStrokePoint *points;
  guint32 *order;
  guint8 *axes;
} Tree;

/* The nearest so far, in order. */
typedef struct
{
  CsStrokePoint point;
  guint32 self, n;
  guint32 *near;
  double distances2[CS_STROKES_N_NEAR];
} Query;

static inline float
get_key (const Tree * tree, guint32 at, guint axis)
{
  const CsStrokePoint *point = &tree->points[tree->order[at]];

  return axis ? point->y : point->x;
}

static guint
find_axis (const Tree * tree, guint32 low, guint32 high)
{
  CsStrokePoint min = tree->points[tree->order[low]], max = min;

  for (guint32 i = low + 1; i < high; i++) {
    const CsStrokePoint *point = &tree->points[tree->order[i]];

    min.x = MIN (min.x, point->x);
    min.y = MIN (min.y, point->y);
    max.x = MAX (max.x, point->x);
    max.y = MAX (max.y, point->y);
  }
  return max.y - min.y > max.x - min.x;
}

/* Hoare's selection: what is before @middle is not greater, what is after it
 * not less. */
static void
halve (Tree * tree, guint32 low, guint32 high, guint32 middle, guint axis)
{
  gint64 left = low, right = (gint64) high - 1;

  while (left < right) {
    const float pivot = get_key (tree, (left + right) / 2, axis);
    gint64 i = left, j = right;

    while (i <= j) {
      while (get_key (tree, i, axis) < pivot)
        i++;
      while (get_key (tree, j, axis) > pivot)
        j--;
      if (i <= j) {
        const guint32 other = tree->order[i];

        tree->order[i++] = tree->order[j];
        tree->order[j--] = other;
      }
    }
    if (middle <= j)
      right = j;
    else if (middle >= i)
      left = i;
    else
      return;
  }
}

static void
build (Tree * tree, guint32 low, guint32 high)
{
  /* the deeper half by recursion: halves differ by one */
  while (high - low > LEAF) {
    const guint32 middle = low + (high - low) / 2;
    const guint axis = find_axis (tree, low, high);

    halve (tree, low, high, middle, axis);
    tree->axes[middle] = axis;
    build (tree, low, middle);
    low = middle + 1;
  }
}

static inline double
get_limit (const Query * query)
{
  return query->n < CS_STROKES_N_NEAR ? DBL_MAX :
      query->distances2[CS_STROKES_N_NEAR - 1];
}

static inline void
visit (const Tree * tree, guint32 port, Query * query)
{
  const CsStrokePoint *point = &tree->points[port];
  const double d = cs_strokes_distance2 (query->point.x, query->point.y,
      point->x, point->y);
  guint32 k;

  if (port / 2 == query->self / 2)
    return;
  if (query->n == CS_STROKES_N_NEAR) {
    k = CS_STROKES_N_NEAR - 1;
    if (d > query->distances2[k] ||
        (d == query->distances2[k] && port > query->near[k]))
      return;
  } else {
    k = query->n++;
  }
  for (; k > 0 && (query->distances2[k - 1] > d ||
          (query->distances2[k - 1] == d && query->near[k - 1] > port)); k--) {
    query->distances2[k] = query->distances2[k - 1];
    query->near[k] = query->near[k - 1];
  }
  query->distances2[k] = d;
  query->near[k] = port;
}

static void
search (const Tree * tree, guint32 low, guint32 high, Query * query)
{
  while (high - low > LEAF) {
    const guint32 middle = low + (high - low) / 2;
    const guint axis = tree->axes[middle];
    const double gap = (double) (axis ? query->point.y : query->point.x) -
        get_key (tree, middle, axis);

    visit (tree, tree->order[middle], query);
    if (gap < 0.)
      search (tree, low, middle, query);
    else
      search (tree, middle + 1, high, query);
    /* of many equal points the first found will do */
    if (gap * gap >= get_limit (query))
      return;
    if (gap < 0.)
      low = middle + 1;
    else
      high = middle;
  }
  for (guint32 i = low; i < high; i++)
    visit (tree, tree->order[i], query);
}

gboolean
cs_strokes_find_near (CsScratch * scratch, const CsStrokePoint * points,
    guint32 n, guint32 * near, GError ** error)
{
  Tree tree = {.points = points };

  tree.order = cs_scratch_ensure (scratch, (gsize) n * (sizeof (guint32) + 1),
      error);
  if (!tree.order)
    return FALSE;
  tree.axes = (guint8 *) (tree.order + n);
  for (guint32 i = 0; i < n; i++)
    tree.order[i] = i;
  build (&tree, 0, n);
  for (guint32 i = 0; i < n; i++) {
    Query query = {.point = points[i],.self = i };

    query.near = near + (gsize) i * CS_STROKES_N_NEAR;
    search (&tree, 0, n, &query);
    for (guint32 k = query.n; k < CS_STROKES_N_NEAR; k++)
      query.near[k] = CS_STROKES_NO_PORT;
  }
  return TRUE;
}
