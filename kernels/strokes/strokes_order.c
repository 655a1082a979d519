/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The drawing order: a greedy nearest-neighbour tour. Each step queries the
 * nearest port (a point where a contour may be entered) of the remaining
 * contours, and then removes the ports of the contour found.
 *
 * Consecutive ports of a contour are close together: up to eight are a leaf.
 * Leaves are sorted along a Z-order curve and grouped by eight on each level,
 * with bounding boxes: a pointerless bounding volume hierarchy that adapts to
 * any distribution, and shrinks as contours are removed. The query for the
 * nearest contour uses eight leaves at a time, so that most of the tree is
 * pruned for all of their points at once.
 *
 * Bounds are computed with the same operations as the distances, whose
 * rounding is monotonic, so that pruning is safe: the result is exact and
 * independent of the tree's shape.
 */
#include "strokes_private.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/sort.h"
#include "strokes_math.h"

#define FAN 8
#define MAX_LEVELS 12
/* Maximum side of a leaf, relative to the mean spacing of evenly distributed
 * points. */
#define LEAF_SIDE 4
/* Bits of a coordinate along the curve. */
#define FINE_BITS 14
#define COARSE_BITS 28
#define FINE_EXTENT 16384

typedef struct
{
  float x0, y0, x1, y1;
} Bounds;

/* Eight boxes, and the lowest contour in each; boxes without remaining ports
 * are empty: x0 is infinite. */
typedef struct
{
  float x0[FAN], y0[FAN], x1[FAN], y1[FAN];
  guint32 lowest[FAN];
  guint32 n_live;
} Boxes;

/**
 * Run:
 * @bounds: of @n consecutive ports of @contour, at most eight
 * @first: index of the first one within the contour
 */
typedef struct
{
  Bounds bounds;
  guint32 contour, first, n;
} Run;

/* A run with its ports, padded with infinity. */
typedef struct
{
  float x[FAN], y[FAN];
  Run run;
} Leaf;

/**
 * Tree:
 * @leaves: n_leaves, along the curve
 * @levels: boxes of leaves, boxes of those, ... up to one
 * @places: indices of each contour's leaves, ascending
 * @first_place: of each contour, and the total
 */
typedef struct
{
  Leaf *leaves;
  gsize n_leaves;
  Boxes *levels[MAX_LEVELS];
  guint n_levels;
  guint32 *places;
  guint32 *first_place;
} Tree;

/**
 * Found:
 * @distance2: DBL_MAX if nothing
 * @contour, @point: contour, and index of the point within it
 */
typedef struct
{
  double distance2;
  guint32 contour, point;
} Found;

/**
 * Query:
 * @parts: leaves of the query, @n of them
 * @boxes: their boxes
 * @bounds: bounding box of all, or, without parts, the query point
 */
typedef struct
{
  const Leaf *parts[FAN];
  guint n;
  Boxes boxes;
  Bounds bounds;
} Query;

/* --- Runs ----------------------------------------------------------------- */

typedef struct
{
  const CsStrokesList *list;
  CsStrokesOrder order;
} Job;

static Bounds
find_bounds (const CsStrokePoint * points, gsize n)
{
  Bounds b = { points->x, points->y, points->x, points->y };

  for (gsize i = 1; i < n; i++) {
    b.x0 = MIN (b.x0, points[i].x);
    b.y0 = MIN (b.y0, points[i].y);
    b.x1 = MAX (b.x1, points[i].x);
    b.y1 = MAX (b.y1, points[i].y);
  }
  return b;
}

static inline Bounds
unite_bounds (Bounds a, Bounds b)
{
  return (Bounds) {
  MIN (a.x0, b.x0), MIN (a.y0, b.y0), MAX (a.x1, b.x1), MAX (a.y1, b.y1)};
}

static inline Run
run_new (guint32 contour, guint32 first, CsStrokePoint point)
{
  return (Run) {
    .bounds = {point.x, point.y, point.x, point.y},.contour = contour,
    .first = first,.n = 1,
  };
}

/* FALSE if the run is full, or would become longer than @side. */
static inline gboolean
run_add (Run * run, CsStrokePoint point, double side)
{
  const Bounds at = { point.x, point.y, point.x, point.y };
  const Bounds b = unite_bounds (run->bounds, at);

  if (run->n == FAN || (double) b.x1 - b.x0 > side ||
      (double) b.y1 - b.y0 > side)
    return FALSE;
  run->bounds = b;
  run->n++;
  return TRUE;
}

/* Runs of a contour's ports: all points, or both ends. Returns their number. */
static gsize
list_runs (const Job * job, guint32 contour, double side, Run * runs)
{
  const guint32 from = job->list->offsets[contour];
  const guint32 n = job->list->offsets[contour + 1] - from;
  const CsStrokePoint *points = job->list->points + from;
  const gboolean closed = cs_strokes_is_closed (points, n);
  guint32 i, last = 0;

  runs[0] = run_new (contour, 0, points[0]);
  if (!closed && job->order == CS_STROKES_ORDER_ENDPOINTS) {
    if (n > 1)
      runs[++last] = run_new (contour, n - 1, points[n - 1]);
    return last + 1;
  }
  for (i = 1; i < (closed ? n - 1 : n); i++) {
    if (!run_add (&runs[last], points[i], side))
      runs[++last] = run_new (contour, i, points[i]);
  }
  return last + 1;
}

/* --- Building ------------------------------------------------------------- */

/* Morton code: the low 32 bits of @value moved to the even bits. */
static inline guint64
interleave (guint64 value)
{
  value = (value | value << 16) & G_GUINT64_CONSTANT (0x0000ffff0000ffff);
  value = (value | value << 8) & G_GUINT64_CONSTANT (0x00ff00ff00ff00ff);
  value = (value | value << 4) & G_GUINT64_CONSTANT (0x0f0f0f0f0f0f0f0f);
  value = (value | value << 2) & G_GUINT64_CONSTANT (0x3333333333333333);
  return (value | value << 1) & G_GUINT64_CONSTANT (0x5555555555555555);
}

/**
 * Runs:
 * @runs: @n of them, by contour
 * @bounds: of all points
 * @extent: its longer side
 */
typedef struct
{
  Run *runs;
  gsize n;
  Bounds bounds;
  double extent;
} Runs;

/* Indices of runs along the curve. @items: scratch for twice as many. */
static const CsSortItem *
sort_runs (const Runs * runs, CsSortItem * items)
{
  const guint n_bits = runs->extent <= FINE_EXTENT ? FINE_BITS : COARSE_BITS;
  const double scale = ((1u << n_bits) - 1) / runs->extent;

  for (gsize i = 0; i < runs->n; i++) {
    const Bounds *b = &runs->runs[i].bounds;
    const double x = ((double) b->x0 + b->x1) / 2 - runs->bounds.x0;
    const double y = ((double) b->y0 + b->y1) / 2 - runs->bounds.y0;

    items[i].key = interleave (x * scale) | interleave (y * scale) << 1;
    items[i].value = i;
  }
  return cs_sort (items, items + runs->n, runs->n);
}

static void
leaf_init (Leaf * leaf, const Run * run, const CsStrokesList * list)
{
  const CsStrokePoint *points = list->points + list->offsets[run->contour] +
      run->first;

  for (guint i = 0; i < FAN; i++) {
    leaf->x[i] = i < run->n ? points[i].x : INFINITY;
    leaf->y[i] = i < run->n ? points[i].y : INFINITY;
  }
  leaf->run = *run;
}

/* Fills leaves from the runs, in the order of @items, and lists those of each
 * contour. */
static void
fill_leaves (const Job * job, const Runs * runs, const CsSortItem * items,
    Tree * tree)
{
  guint32 *next = tree->first_place + 1;

  for (gsize i = runs->n; i-- > 0;)
    next[runs->runs[i].contour] = i;
  /* each start advances to the end of its list, the start of the next */
  for (gsize i = 0; i < tree->n_leaves; i++) {
    const Run *run = &runs->runs[items[i].value];

    leaf_init (&tree->leaves[i], run, job->list);
    tree->places[next[run->contour]++] = i;
  }
  tree->first_place[0] = 0;
}

static void
boxes_clear (Boxes * boxes, guint i)
{
  boxes->x0[i] = boxes->y0[i] = INFINITY;
  boxes->x1[i] = boxes->y1[i] = -INFINITY;
  boxes->lowest[i] = G_MAXUINT32;
}

static inline void
boxes_set (Boxes * boxes, guint i, const Run * run)
{
  boxes->x0[i] = run->bounds.x0;
  boxes->y0[i] = run->bounds.y0;
  boxes->x1[i] = run->bounds.x1;
  boxes->y1[i] = run->bounds.y1;
  boxes->lowest[i] = run->contour;
}

static void
boxes_add_boxes (Boxes * boxes, guint i, const Boxes * part)
{
  boxes_clear (boxes, i);
  for (guint k = 0; k < FAN; k++) {
    boxes->x0[i] = MIN (boxes->x0[i], part->x0[k]);
    boxes->y0[i] = MIN (boxes->y0[i], part->y0[k]);
    boxes->x1[i] = MAX (boxes->x1[i], part->x1[k]);
    boxes->y1[i] = MAX (boxes->y1[i], part->y1[k]);
    boxes->lowest[i] = MIN (boxes->lowest[i], part->lowest[k]);
  }
}

static void
fill_boxes (Tree * tree)
{
  gsize n = tree->n_leaves, i;

  for (guint level = 0; level < tree->n_levels; level++) {
    Boxes *boxes = tree->levels[level];
    const gsize n_parts = n;

    n = (n + FAN - 1) / FAN;
    for (i = 0; i < n * FAN; i++) {
      Boxes *group = &boxes[i / FAN];

      if (i >= n_parts)
        boxes_clear (group, i % FAN);
      else if (level == 0)
        boxes_set (group, i % FAN, &tree->leaves[i].run);
      else
        boxes_add_boxes (group, i % FAN, &tree->levels[level - 1][i]);
      if (i < n_parts)
        group->n_live = i % FAN + 1;
    }
  }
}

/* Allocates a tree of @n leaves. Returns scratch to sort them, 2 n items, or
 * %NULL with @error set. */
static CsSortItem *
tree_alloc (CsScratch * scratch, gsize n, gsize n_contours, Tree * tree,
    GError ** error)
{
  gsize n_boxes = 0, k;

  for (k = n; k > 1 || n_boxes == 0; k = (k + FAN - 1) / FAN)
    n_boxes += (k + FAN - 1) / FAN;
  CsSortItem *items = cs_scratch_ensure (scratch, 2 * n * sizeof (CsSortItem) +
      n * sizeof (Leaf) + n_boxes * sizeof (Boxes) +
      (n + n_contours + 1) * sizeof (guint32), error);
  if (!items)
    return NULL;
  tree->leaves = (Leaf *) (items + 2 * n);
  Boxes *boxes = (Boxes *) (tree->leaves + n);
  tree->places = (guint32 *) (boxes + n_boxes);
  tree->first_place = tree->places + n;
  tree->n_leaves = n;
  tree->n_levels = 0;
  for (k = n; k > 1 || tree->n_levels == 0;) {
    k = (k + FAN - 1) / FAN;
    tree->levels[tree->n_levels++] = boxes;
    boxes += k;
  }
  return items;
}

static gboolean
find_runs (CsScratch * scratch, const Job * job, Runs * runs, GError ** error)
{
  const CsStrokesList *list = job->list;

  runs->runs = cs_scratch_ensure (scratch, list->n_points * sizeof (Run),
      error);
  if (!runs->runs)
    return FALSE;
  runs->n = 0;
  runs->bounds = find_bounds (list->points, list->n_points);
  runs->extent = MAX (MAX ((double) runs->bounds.x1 - runs->bounds.x0,
          (double) runs->bounds.y1 - runs->bounds.y0), 1e-30);
  const double side = LEAF_SIDE * runs->extent / sqrt (list->n_points);
  for (gsize i = 0; i < list->n_contours; i++)
    runs->n += list_runs (job, i, side, runs->runs + runs->n);
  return TRUE;
}

static gboolean
tree_build (CsStrokesOrderScratch * scratch, const Job * job, Tree * tree,
    GError ** error)
{
  Runs runs;

  if (!find_runs (&scratch->sort, job, &runs, error))
    return FALSE;
  CsSortItem *items = tree_alloc (&scratch->tree, runs.n, job->list->n_contours,
      tree, error);
  if (!items)
    return FALSE;
  fill_leaves (job, &runs, sort_runs (&runs, items), tree);
  fill_boxes (tree);
  return TRUE;
}

/* --- Removal -------------------------------------------------------------- */

/* Empties part @at of @level. Only the parent's box is refitted; those further
 * up stay conservative. */
static void
remove_boxes (Tree * tree, guint level, gsize at)
{
  while (level < tree->n_levels) {
    Boxes *group = &tree->levels[level][at / FAN];

    boxes_clear (group, at % FAN);
    at /= FAN;
    level++;
    if (--group->n_live > 0) {
      if (level < tree->n_levels)
        boxes_add_boxes (&tree->levels[level][at / FAN], at % FAN, group);
      return;
    }
  }
}

static void
remove_contour (Tree * tree, guint32 contour)
{
  guint32 i;

  for (i = tree->first_place[contour]; i < tree->first_place[contour + 1]; i++)
    remove_boxes (tree, 0, tree->places[i]);
}

/* --- Queries -------------------------------------------------------------- */

static inline gboolean
is_better (double distance2, guint32 contour, guint32 point,
    const Found * found)
{
  if (distance2 != found->distance2)
    return distance2 < found->distance2;
  return contour != found->contour ? contour < found->contour :
      point < found->point;
}

/* Twice the gap between intervals [a0, a1] and [b0, b1], 0 if they overlap.
 * Branchless, since compilers do not vectorise comparisons here; as exact as
 * those. */
static inline double
doubled_gap (float a0, float a1, float b0, float b1)
{
  const double before = (double) b0 - a1, after = (double) a0 - b1;

  return (before + fabs (before)) + (after + fabs (after));
}

/* Squared distances between a box and eight others. */
static inline void
measure_boxes (const float *x0, const float *y0, const float *x1,
    const float *y1, const Bounds * b, double *d)
{
  for (guint i = 0; i < FAN; i++) {
    const double dx = .5 * doubled_gap (x0[i], x1[i], b->x0, b->x1);
    const double dy = .5 * doubled_gap (y0[i], y1[i], b->y0, b->y1);

    d[i] = dx * dx + dy * dy;
  }
}

/* Updates @found with the leaf's port nearest to (x, y). */
static inline void
search_leaf (const Leaf * leaf, double x, double y, Found * found)
{
  double d[FAN], min2;
  guint k;

  for (k = 0; k < FAN; k++) {
    const double dx = x - leaf->x[k], dy = y - leaf->y[k];

    d[k] = dx * dx + dy * dy;
  }
  min2 = MIN (MIN (MIN (d[0], d[1]), MIN (d[2], d[3])),
      MIN (MIN (d[4], d[5]), MIN (d[6], d[7])));
  if (min2 > found->distance2)
    return;
  for (k = 0; d[k] > min2;)
    k++;
  if (is_better (min2, leaf->run.contour, leaf->run.first + k, found)) {
    found->distance2 = min2;
    found->contour = leaf->run.contour;
    found->point = leaf->run.first + k;
  }
}

/* Part @at of @level, or a leaf, still to visit. */
typedef struct
{
  double distance2;
  guint32 at, level;
  guint32 lowest;
} StackEntry;

static inline gboolean
is_pruned (double distance2, guint32 lowest, const Found * found)
{
  return distance2 > found->distance2 ||
      (distance2 == found->distance2 && lowest > found->contour);
}

/* Pushes those of eight boxes that cannot be pruned, the nearest on top. */
static inline guint
push_boxes (const Boxes * boxes, guint32 at, guint32 level, const double *d,
    const Found * found, StackEntry * stack, guint n)
{
  const guint bottom = n;
  guint i, k;

  for (i = 0; i < FAN; i++) {
    if (is_pruned (d[i], boxes->lowest[i], found))
      continue;
    for (k = n++; k > bottom && (stack[k - 1].distance2 < d[i] ||
            (stack[k - 1].distance2 == d[i] &&
                stack[k - 1].lowest < boxes->lowest[i])); k--)
      stack[k] = stack[k - 1];
    stack[k].distance2 = d[i];
    stack[k].at = at * FAN + i;
    stack[k].level = level;
    stack[k].lowest = boxes->lowest[i];
  }
  return n;
}

/* Updates @found with the leaf's ports nearest to the ports of @part, except
 * those too far away from the leaf. */
static inline void
search_part (const Leaf * leaf, const Leaf * part, Found * found)
{
  double d[FAN];

  measure_boxes (part->x, part->y, part->x, part->y, &leaf->run.bounds, d);
  for (guint i = 0; i < part->run.n; i++) {
    if (!is_pruned (d[i], leaf->run.contour, found))
      search_leaf (leaf, part->x[i], part->y[i], found);
  }
}

/* The same for the query point, or the parts near the leaf. */
static inline void
search_parts (const Leaf * leaf, const Query * query, Found * found)
{
  double d[FAN];

  if (query->n == 0) {
    search_leaf (leaf, query->bounds.x0, query->bounds.y0, found);
    return;
  }
  measure_boxes (query->boxes.x0, query->boxes.y0, query->boxes.x1,
      query->boxes.y1, &leaf->run.bounds, d);
  for (guint i = 0; i < query->n; i++) {
    if (!is_pruned (d[i], leaf->run.contour, found))
      search_part (leaf, query->parts[i], found);
  }
}

/* Branch and bound; updates @found. */
CS_CLONES static void
search_tree (const Tree * tree, const Query * query, Found * found)
{
  StackEntry stack[MAX_LEVELS * FAN];
  double d[FAN];
  const Boxes *boxes = tree->levels[tree->n_levels - 1];

  measure_boxes (boxes->x0, boxes->y0, boxes->x1, boxes->y1, &query->bounds, d);
  guint n = push_boxes (boxes, 0, tree->n_levels - 1, d, found, stack, 0);
  while (n > 0) {
    const StackEntry todo = stack[--n];

    if (is_pruned (todo.distance2, todo.lowest, found))
      continue;
    if (todo.level == 0) {
      search_parts (&tree->leaves[todo.at], query, found);
      continue;
    }
    boxes = &tree->levels[todo.level - 1][todo.at];
    measure_boxes (boxes->x0, boxes->y0, boxes->x1, boxes->y1,
        &query->bounds, d);
    n = push_boxes (boxes, todo.at, todo.level - 1, d, found, stack, n);
  }
}

/* --- Tour ----------------------------------------------------------------- */

typedef CsStrokesStep Step;

static Found
find_nearest_point (const Tree * tree, CsStrokePoint pen)
{
  const Query query = { .bounds = {pen.x, pen.y, pen.x, pen.y} };
  Found found = { DBL_MAX, G_MAXUINT32, G_MAXUINT32 };

  search_tree (tree, &query, &found);
  return found;
}

static void
query_init (Query * query, const Tree * tree, const guint32 * places, guint n)
{
  guint i;

  query->n = n;
  for (i = 0; i < n; i++) {
    const Leaf *part = &tree->leaves[places[i]];

    query->parts[i] = part;
    boxes_set (&query->boxes, i, &part->run);
    query->bounds = i == 0 ? part->run.bounds :
        unite_bounds (query->bounds, part->run.bounds);
  }
  for (; i < FAN; i++)
    boxes_clear (&query->boxes, i);
}

static Found
find_nearest_contour (const Tree * tree, guint32 contour)
{
  const guint32 end = tree->first_place[contour + 1];
  Found found = { DBL_MAX, G_MAXUINT32, G_MAXUINT32 };
  Query query;

  for (guint32 i = tree->first_place[contour]; i < end; i += query.n) {
    query_init (&query, tree, tree->places + i, MIN (FAN, end - i));
    search_tree (tree, &query, &found);
  }
  return found;
}

static Step
begin_at (const Job * job, guint32 contour, guint32 point)
{
  const guint32 *offsets = job->list->offsets;
  const guint32 n = offsets[contour + 1] - offsets[contour];
  Step step = { contour, 0, FALSE };

  if (cs_strokes_is_closed (job->list->points + offsets[contour], n))
    step.first = point;
  else
    step.reversed = point > 0;
  return step;
}

/* Position of the pen after a step. */
static CsStrokePoint
step_end (const Job * job, const Step * step)
{
  const CsStrokePoint *points = job->list->points +
      job->list->offsets[step->contour];
  const guint32 n = job->list->offsets[step->contour + 1] -
      job->list->offsets[step->contour];

  if (cs_strokes_is_closed (points, n))
    return points[step->first];
  return points[step->reversed ? 0 : n - 1];
}

static Step
next_step (const Job * job, const Tree * tree, const Step * last)
{
  Step step = { 0, 0, FALSE };

  if (job->order == CS_STROKES_ORDER_ENDPOINTS) {
    Found found = find_nearest_point (tree, step_end (job, last));

    return begin_at (job, found.contour, found.point);
  }
  step.contour = find_nearest_contour (tree, last->contour).contour;
  return step;
}

/* --- Output --------------------------------------------------------------- */

static void
copy_step (const CsStrokePoint * points, gsize n, const Step * step,
    CsStrokePoint * out)
{
  if (step->reversed) {
    for (gsize i = 0; i < n; i++)
      out[i] = points[n - 1 - i];
  } else if (step->first > 0) {
    /* without the repeated last point */
    memcpy (out, points + step->first, (n - 1 - step->first) *
        sizeof (*points));
    memcpy (out + (n - 1 - step->first), points, (step->first + 1) *
        sizeof (*points));
  } else {
    memcpy (out, points, n * sizeof (*points));
  }
}

static double
measure_travel (const CsStrokesOutput * output)
{
  double travel = 0;

  for (gsize i = 1; i < output->n_contours; i++) {
    const CsStrokePoint *to = output->points + output->offsets[i];

    travel += sqrt (cs_strokes_distance2 (to[-1].x, to[-1].y, to->x, to->y));
  }
  return travel;
}

static gboolean
improves (const CsStrokesParams * params)
{
  return params->order == CS_STROKES_ORDER_ENDPOINTS && params->two_opt;
}

/* Joins contours that follow each other within @distance. */
static void
join_close (CsStrokesOutput * output, guint32 * offsets, guint32 * sources,
    double distance)
{
  const gsize n = output->n_contours;
  gsize i, at = 0;

  for (i = 1; i < n; i++) {
    const CsStrokePoint *to = output->points + offsets[i];

    if (cs_strokes_distance2 (to[-1].x, to[-1].y, to->x, to->y) <=
        distance * distance) {
      sources[at] = MIN (sources[at], sources[i]);
    } else {
      offsets[++at] = offsets[i];
      sources[at] = sources[i];
    }
  }
  offsets[at + 1] = offsets[n];
  output->n_contours = at + 1;
}

static gboolean
write_output (CsStrokesOrderScratch * scratch, const CsStrokesParams * params,
    const CsStrokesList * list, const Step * steps, CsStrokesOutput * output,
    GError ** error)
{
  const gsize n = list->n_contours;
  guint8 *data = cs_scratch_ensure (&scratch->output,
      list->n_points * sizeof (CsStrokePoint) + (2 * n + 1) *
      sizeof (guint32), error);

  if (!data)
    return FALSE;
  CsStrokePoint *points = (CsStrokePoint *) data;
  guint32 *offsets = (guint32 *) (points + list->n_points);
  guint32 *sources = offsets + n + 1;

  offsets[0] = 0;
  for (gsize i = 0; i < n; i++) {
    const guint32 contour = steps[i].contour, from = list->offsets[contour];
    const guint32 size = list->offsets[contour + 1] - from;

    copy_step (list->points + from, size, &steps[i], points + offsets[i]);
    offsets[i + 1] = offsets[i] + size;
    sources[i] = list->sources[contour];
  }
  output->points = points;
  output->offsets = offsets;
  output->sources = sources;
  if (improves (params) && cs_strokes_joins_ends (params))
    join_close (output, offsets, sources, params->merge_distance);
  return TRUE;
}

static Step *
walk (CsStrokesOrderScratch * scratch, const Job * job, GError ** error)
{
  const gsize n = job->list->n_contours;
  Step *steps = cs_scratch_ensure (&scratch->steps, n * sizeof (Step), error);
  Tree tree;

  if (!steps || !tree_build (scratch, job, &tree, error))
    return NULL;
  steps[0] = (Step) { 0, 0, FALSE };
  remove_contour (&tree, 0);
  for (gsize i = 1; i < n; i++) {
    steps[i] = next_step (job, &tree, &steps[i - 1]);
    remove_contour (&tree, steps[i].contour);
  }
  return steps;
}

gboolean
cs_strokes_order (CsStrokesOrderScratch * scratch,
    const CsStrokesParams * params, const CsStrokesList * list,
    CsStrokesOutput * output, GError ** error)
{
  const Job job = { list, params->order };

  output->points = list->points;
  output->offsets = list->offsets;
  output->sources = list->sources;
  output->n_contours = list->n_contours;
  output->n_points = list->n_points;
  if (params->order != CS_STROKES_ORDER_NONE && list->n_contours > 1) {
    Step *steps = walk (scratch, &job, error);

    if (steps && improves (params) &&
        !cs_strokes_two_opt (&scratch->tour, list, steps, error))
      return FALSE;
    if (!steps || !write_output (scratch, params, list, steps, output, error))
      return FALSE;
  }
  output->travel = measure_travel (output);
  return TRUE;
}

void
cs_strokes_order_clear (CsStrokesOrderScratch * scratch)
{
  cs_scratch_clear (&scratch->tree);
  cs_scratch_clear (&scratch->sort);
  cs_scratch_clear (&scratch->steps);
  cs_scratch_clear (&scratch->output);
  cs_scratch_clear (&scratch->tour.near);
  cs_scratch_clear (&scratch->tour.tour);
  cs_scratch_clear (&scratch->tour.log);
}
