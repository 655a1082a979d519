/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The order of drawing, a greedy walk. Each step asks for the nearest port (a
 * point where a contour may be begun) of the contours that are left, and then
 * takes the ports of the one found away.
 *
 * Ports are put along a Z-order curve and gathered by eights, eights of eights
 * and so on, each with its bounding box: nearest neighbours are found in a
 * tree of boxes that adapts to any distribution, has no pointers, and loses
 * boxes as its ports go. All bounds are computed with the operations of the
 * distances themselves, whose roundings are monotonic, so that nothing is
 * pruned that would have won: the result is exact and does not depend on the
 * tree's shape.
 */
#include "strokes_private.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "strokes_math.h"

#define FAN 8
#define MAX_LEVELS 12
/* Points that are looked for together. */
#define QUERY_POINTS 16
/* Bits of a coordinate along the curve. */
#define FINE_BITS 14
#define COARSE_BITS 28
#define FINE_EXTENT 16384

/* Eight boxes, and the lowest contour in each; those without live ports are
 * empty: x0 is infinite. */
typedef struct
{
  float x0[FAN], y0[FAN], x1[FAN], y1[FAN];
  guint32 lowest[FAN];
  guint32 n_live;
} Boxes;

/* Eight ports; those that have gone, or never were, are at infinity. */
typedef struct
{
  float x[FAN], y[FAN];
  guint32 contour[FAN];
  guint32 point[FAN];
  guint32 n_live;
} Leaf;

/**
 * Tree:
 * @leaves: n_leaves
 * @levels: boxes of leaves, boxes of those, ... up to one
 * @places: where in the leaves each port is, by number of port
 * @contours, @points: of each port; the point's number within the contour
 * @first_port: of each contour, and the number of all
 */
typedef struct
{
  Leaf *leaves;
  gsize n_leaves;
  Boxes *levels[MAX_LEVELS];
  guint n_levels;
  guint32 *places;
  guint32 *contours, *points;
  guint32 *first_port;
  gsize n_ports;
} Tree;

/**
 * Found:
 * @distance2: DBL_MAX if nothing
 * @contour, @point: what is there, the point within the contour
 */
typedef struct
{
  double distance2;
  guint32 contour, point;
} Found;

/**
 * Query:
 * @x, @y: points, @n of them, whose nearest is looked for
 * @x0, @y0, @x1, @y1: their bounding box
 */
typedef struct
{
  const CsStrokePoint *points;
  guint n;
  float x0, y0, x1, y1;
} Query;

/* --- Ports ---------------------------------------------------------------- */

typedef struct
{
  const CsStrokesList *list;
  CsStrokesOrder order;
} Job;

/* Ports of a contour of @n points; their points are the first, and every one
 * or, when that is not so, the last. */
static gsize
count_ports (const Job * job, const CsStrokePoint * points, gsize n,
    gboolean * all)
{
  const gboolean closed = cs_strokes_is_closed (points, n);

  *all = closed || job->order != CS_STROKES_ORDER_ENDPOINTS;
  return closed ? n - 1 : *all ? n : MIN (n, 2);
}

/* Fills in contour and point of each port. */
static void
list_ports (const Job * job, Tree * tree)
{
  const CsStrokesList *list = job->list;
  guint32 contour, at = 0, i;

  for (contour = 0; contour < list->n_contours; contour++) {
    const guint32 from = list->offsets[contour];
    const gsize n = list->offsets[contour + 1] - from;
    gboolean all;
    const gsize n_ports = count_ports (job, list->points + from, n, &all);

    tree->first_port[contour] = at;
    for (i = 0; i < n_ports; i++, at++) {
      tree->contours[at] = contour;
      tree->points[at] = all || i == 0 ? i : n - 1;
    }
  }
  tree->first_port[contour] = at;
  tree->n_ports = at;
}

static inline const CsStrokePoint *
port_at (const Job * job, const Tree * tree, guint32 port)
{
  return &job->list->points[job->list->offsets[tree->contours[port]] +
      tree->points[port]];
}

/* --- Building ------------------------------------------------------------- */

/* The low 32 bits of @value, one in every other bit. */
static inline guint64
spread (guint64 value)
{
  value = (value | value << 16) & G_GUINT64_CONSTANT (0x0000ffff0000ffff);
  value = (value | value << 8) & G_GUINT64_CONSTANT (0x00ff00ff00ff00ff);
  value = (value | value << 4) & G_GUINT64_CONSTANT (0x0f0f0f0f0f0f0f0f);
  value = (value | value << 2) & G_GUINT64_CONSTANT (0x3333333333333333);
  return (value | value << 1) & G_GUINT64_CONSTANT (0x5555555555555555);
}

typedef struct
{
  float x0, y0, x1, y1;
} Bounds;

static Bounds
find_bounds (const CsStrokePoint * points, gsize n)
{
  Bounds b = { points->x, points->y, points->x, points->y };
  gsize i;

  for (i = 1; i < n; i++) {
    b.x0 = MIN (b.x0, points[i].x);
    b.y0 = MIN (b.y0, points[i].y);
    b.x1 = MAX (b.x1, points[i].x);
    b.y1 = MAX (b.y1, points[i].y);
  }
  return b;
}

typedef struct
{
  guint64 *keys, *other_keys;
  guint32 *ports, *other_ports;
} SortRoom;

static gboolean
sort_room (CsStrokesOrderScratch * scratch, gsize n, SortRoom * room,
    GError ** error)
{
  guint8 *data = cs_scratch_ensure (&scratch->sort, n * 24, error);

  if (!data)
    return FALSE;
  room->keys = (guint64 *) data;
  room->other_keys = room->keys + n;
  room->ports = (guint32 *) (room->other_keys + n);
  room->other_ports = room->ports + n;
  return TRUE;
}

/* Numbers of ports along the curve, in @room->ports. */
static void
sort_ports (const Job * job, const Tree * tree, const SortRoom * room)
{
  const CsStrokesList *list = job->list;
  const Bounds b = find_bounds (list->points, list->n_points);
  const double extent = MAX (MAX ((double) b.x1 - b.x0,
          (double) b.y1 - b.y0), 1e-30);
  const guint n_bits = extent <= FINE_EXTENT ? FINE_BITS : COARSE_BITS;
  const double scale = ((1u << n_bits) - 1) / extent;
  guint32 port;

  for (port = 0; port < tree->n_ports; port++) {
    const CsStrokePoint *p = port_at (job, tree, port);

    room->keys[port] = spread (((double) p->x - b.x0) * scale) |
        spread (((double) p->y - b.y0) * scale) << 1;
    room->ports[port] = port;
  }
  cs_strokes_sort (room->keys, room->ports, room->other_keys,
      room->other_ports, tree->n_ports, 2 * n_bits);
}

static void
leaf_init (Leaf * leaf)
{
  guint i;

  for (i = 0; i < FAN; i++) {
    leaf->x[i] = leaf->y[i] = INFINITY;
    leaf->contour[i] = leaf->point[i] = G_MAXUINT32;
  }
  leaf->n_live = 0;
}

static void
boxes_clear (Boxes * boxes, guint i)
{
  boxes->x0[i] = boxes->y0[i] = INFINITY;
  boxes->x1[i] = boxes->y1[i] = -INFINITY;
  boxes->lowest[i] = G_MAXUINT32;
}

static void
boxes_add_leaf (Boxes * boxes, guint i, const Leaf * leaf)
{
  guint k;

  boxes_clear (boxes, i);
  for (k = 0; k < FAN && leaf->x[k] < INFINITY; k++) {
    boxes->x0[i] = MIN (boxes->x0[i], leaf->x[k]);
    boxes->y0[i] = MIN (boxes->y0[i], leaf->y[k]);
    boxes->x1[i] = MAX (boxes->x1[i], leaf->x[k]);
    boxes->y1[i] = MAX (boxes->y1[i], leaf->y[k]);
    boxes->lowest[i] = MIN (boxes->lowest[i], leaf->contour[k]);
  }
}

static void
boxes_add_boxes (Boxes * boxes, guint i, const Boxes * part)
{
  guint k;

  boxes_clear (boxes, i);
  for (k = 0; k < FAN; k++) {
    boxes->x0[i] = MIN (boxes->x0[i], part->x0[k]);
    boxes->y0[i] = MIN (boxes->y0[i], part->y0[k]);
    boxes->x1[i] = MAX (boxes->x1[i], part->x1[k]);
    boxes->y1[i] = MAX (boxes->y1[i], part->y1[k]);
    boxes->lowest[i] = MIN (boxes->lowest[i], part->lowest[k]);
  }
}

static void
fill_leaves (const Job * job, Tree * tree, const SortRoom * room)
{
  gsize i;

  leaf_init (&tree->leaves[tree->n_leaves - 1]);
  for (i = 0; i < tree->n_ports; i++) {
    Leaf *leaf = &tree->leaves[i / FAN];
    const guint k = i % FAN;
    const guint32 port = room->ports[i];
    const CsStrokePoint *p = port_at (job, tree, port);

    leaf->x[k] = p->x;
    leaf->y[k] = p->y;
    leaf->contour[k] = tree->contours[port];
    leaf->point[k] = tree->points[port];
    leaf->n_live = k + 1;
    tree->places[port] = i;
  }
}

static void
fill_boxes (Tree * tree)
{
  gsize n = tree->n_leaves, i;
  guint level;

  for (level = 0; level < tree->n_levels; level++) {
    Boxes *boxes = tree->levels[level];
    const gsize n_parts = n;

    n = (n + FAN - 1) / FAN;
    for (i = 0; i < n * FAN; i++) {
      Boxes *group = &boxes[i / FAN];

      if (i >= n_parts)
        boxes_clear (group, i % FAN);
      else if (level == 0)
        boxes_add_leaf (group, i % FAN, &tree->leaves[i]);
      else
        boxes_add_boxes (group, i % FAN, &tree->levels[level - 1][i]);
      if (i < n_parts)
        group->n_live = i % FAN + 1;
    }
  }
}

static gboolean
tree_alloc (CsStrokesOrderScratch * scratch, const Job * job, Tree * tree,
    GError ** error)
{
  const gsize n_contours = job->list->n_contours;
  gsize n_boxes = 0, n;
  guint8 *data;
  Boxes *boxes;

  tree->n_leaves = (job->list->n_points + FAN - 1) / FAN;
  for (n = tree->n_leaves; n > 1 || n_boxes == 0; n = (n + FAN - 1) / FAN)
    n_boxes += (n + FAN - 1) / FAN;
  data = cs_scratch_ensure (&scratch->tree, tree->n_leaves * sizeof (Leaf) +
      n_boxes * sizeof (Boxes) + (3 * job->list->n_points + n_contours + 1) *
      sizeof (guint32), error);
  if (!data)
    return FALSE;
  tree->leaves = (Leaf *) data;
  boxes = (Boxes *) (tree->leaves + tree->n_leaves);
  tree->places = (guint32 *) (boxes + n_boxes);
  tree->contours = tree->places + job->list->n_points;
  tree->points = tree->contours + job->list->n_points;
  tree->first_port = tree->points + job->list->n_points;

  list_ports (job, tree);
  tree->n_leaves = (tree->n_ports + FAN - 1) / FAN;
  tree->n_levels = 0;
  for (n = tree->n_leaves; n > 1 || tree->n_levels == 0;) {
    n = (n + FAN - 1) / FAN;
    tree->levels[tree->n_levels++] = boxes;
    boxes += n;
  }
  return TRUE;
}

static gboolean
tree_build (CsStrokesOrderScratch * scratch, const Job * job, Tree * tree,
    GError ** error)
{
  SortRoom room;

  if (!tree_alloc (scratch, job, tree, error) ||
      !sort_room (scratch, tree->n_ports, &room, error))
    return FALSE;
  sort_ports (job, tree, &room);
  fill_leaves (job, tree, &room);
  fill_boxes (tree);
  return TRUE;
}

/* --- Taking away ---------------------------------------------------------- */

/* Part @at of @level has no live ports any more. */
static void
remove_boxes (Tree * tree, guint level, gsize at)
{
  while (level < tree->n_levels) {
    Boxes *group = &tree->levels[level][at / FAN];

    boxes_clear (group, at % FAN);
    if (--group->n_live > 0)
      return;
    at /= FAN;
    level++;
  }
}

static void
remove_contour (Tree * tree, guint32 contour)
{
  guint32 port;

  for (port = tree->first_port[contour]; port < tree->first_port[contour + 1];
      port++) {
    const guint32 place = tree->places[port];
    Leaf *leaf = &tree->leaves[place / FAN];

    leaf->x[place % FAN] = leaf->y[place % FAN] = INFINITY;
    if (--leaf->n_live == 0)
      remove_boxes (tree, 0, place / FAN);
  }
}

/* --- Finding -------------------------------------------------------------- */

static inline gboolean
is_better (double distance2, guint32 contour, guint32 point,
    const Found * found)
{
  if (distance2 != found->distance2)
    return distance2 < found->distance2;
  return contour != found->contour ? contour < found->contour :
      point < found->point;
}

static inline void
search_leaf (const Leaf * leaf, const Query * query, Found * found)
{
  double d[FAN];
  guint i, k;

  for (i = 0; i < query->n; i++) {
    const double x = query->points[i].x, y = query->points[i].y;
    const double limit = found->distance2;
    double least;

    for (k = 0; k < FAN; k++) {
      const double dx = x - leaf->x[k], dy = y - leaf->y[k];

      d[k] = dx * dx + dy * dy;
    }
    least = MIN (MIN (MIN (d[0], d[1]), MIN (d[2], d[3])),
        MIN (MIN (d[4], d[5]), MIN (d[6], d[7])));
    if (least > limit)
      continue;
    for (k = 0; k < FAN; k++) {
      if (is_better (d[k], leaf->contour[k], leaf->point[k], found)) {
        found->distance2 = d[k];
        found->contour = leaf->contour[k];
        found->point = leaf->point[k];
      }
    }
  }
}

/* Least squared distances between the query's box and eight others. */
static inline void
measure_boxes (const Boxes * boxes, const Query * query, double *d)
{
  guint i;

  for (i = 0; i < FAN; i++) {
    const double left = (double) boxes->x0[i] - query->x1;
    const double right = (double) query->x0 - boxes->x1[i];
    const double above = (double) boxes->y0[i] - query->y1;
    const double below = (double) query->y0 - boxes->y1[i];
    const double h = left > right ? left : right;
    const double v = above > below ? above : below;
    const double dx = h > 0 ? h : 0, dy = v > 0 ? v : 0;

    d[i] = dx * dx + dy * dy;
  }
}

/* What is still to be looked at: part @at of @level, or a leaf. */
typedef struct
{
  double distance2;
  guint32 at, level;
  guint32 lowest;
} Todo;

static inline gboolean
is_hopeless (double distance2, guint32 lowest, const Found * found)
{
  return distance2 > found->distance2 ||
      (distance2 == found->distance2 && lowest > found->contour);
}

/* Puts those of eight boxes that may hold something better on the stack, the
 * nearest on top. */
static inline guint
push_boxes (const Boxes * boxes, guint32 at, guint32 level, const double *d,
    const Found * found, Todo * stack, guint n)
{
  const guint bottom = n;
  guint i, k;

  for (i = 0; i < FAN; i++) {
    if (!(d[i] < DBL_MAX) || is_hopeless (d[i], boxes->lowest[i], found))
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

/* Improves on @found. */
CS_CLONES static void
search_tree (const Tree * tree, const Query * query, Found * found)
{
  Todo stack[MAX_LEVELS * FAN];
  double d[FAN];
  guint n;

  measure_boxes (tree->levels[tree->n_levels - 1], query, d);
  n = push_boxes (tree->levels[tree->n_levels - 1], 0, tree->n_levels - 1, d,
      found, stack, 0);
  while (n > 0) {
    const Todo todo = stack[--n];
    const Boxes *boxes;

    if (is_hopeless (todo.distance2, todo.lowest, found))
      continue;
    if (todo.level == 0) {
      search_leaf (&tree->leaves[todo.at], query, found);
      continue;
    }
    boxes = &tree->levels[todo.level - 1][todo.at];
    measure_boxes (boxes, query, d);
    n = push_boxes (boxes, todo.at, todo.level - 1, d, found, stack, n);
  }
}

/* --- The walk ------------------------------------------------------------- */

/* A contour as it is drawn: from this point on, maybe backwards. */
typedef struct
{
  guint32 contour, first;
  gboolean reversed;
} Step;

static Found
find_nearest_point (const Tree * tree, CsStrokePoint pen)
{
  const Query query = { &pen, 1, pen.x, pen.y, pen.x, pen.y };
  Found found = { DBL_MAX, G_MAXUINT32, G_MAXUINT32 };

  search_tree (tree, &query, &found);
  return found;
}

static Found
find_nearest_contour (const Tree * tree, const CsStrokePoint * points, gsize n)
{
  Found found = { DBL_MAX, G_MAXUINT32, G_MAXUINT32 };
  gsize i;

  for (i = 0; i < n; i += QUERY_POINTS) {
    const guint size = MIN (QUERY_POINTS, n - i);
    const Bounds b = find_bounds (points + i, size);
    const Query query = { points + i, size, b.x0, b.y0, b.x1, b.y1 };

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

/* Where the pen is after a step. */
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
  const CsStrokesList *list = job->list;
  const guint32 begin = list->offsets[last->contour];
  Step step = { 0, 0, FALSE };
  Found found;

  if (job->order == CS_STROKES_ORDER_ENDPOINTS) {
    found = find_nearest_point (tree, step_end (job, last));
    return begin_at (job, found.contour, found.point);
  }
  found = find_nearest_contour (tree, list->points + begin,
      list->offsets[last->contour + 1] - begin);
  step.contour = found.contour;
  return step;
}

/* --- Output --------------------------------------------------------------- */

static void
copy_step (const CsStrokePoint * points, gsize n, const Step * step,
    CsStrokePoint * out)
{
  gsize i;

  if (step->reversed) {
    for (i = 0; i < n; i++)
      out[i] = points[n - 1 - i];
  } else if (step->first > 0) {
    /* the last is the first again */
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
  gsize i;

  for (i = 1; i < output->n_contours; i++) {
    const CsStrokePoint *to = output->points + output->offsets[i];

    travel += sqrt (cs_strokes_distance2 (to[-1].x, to[-1].y, to->x, to->y));
  }
  return travel;
}

static gboolean
write_output (CsStrokesOrderScratch * scratch, const CsStrokesList * list,
    const Step * steps, CsStrokesOutput * output, GError ** error)
{
  const gsize n = list->n_contours;
  guint8 *data = cs_scratch_ensure (&scratch->output,
      list->n_points * sizeof (CsStrokePoint) + (2 * n + 1) *
      sizeof (guint32), error);
  CsStrokePoint *points = (CsStrokePoint *) data;
  guint32 *offsets = (guint32 *) (points + list->n_points);
  guint32 *sources = offsets + n + 1;
  gsize i;

  if (!data)
    return FALSE;
  offsets[0] = 0;
  for (i = 0; i < n; i++) {
    const guint32 contour = steps[i].contour, from = list->offsets[contour];
    const guint32 size = list->offsets[contour + 1] - from;

    copy_step (list->points + from, size, &steps[i], points + offsets[i]);
    offsets[i + 1] = offsets[i] + size;
    sources[i] = list->sources[contour];
  }
  output->points = points;
  output->offsets = offsets;
  output->sources = sources;
  return TRUE;
}

static Step *
walk (CsStrokesOrderScratch * scratch, const Job * job, GError ** error)
{
  const gsize n = job->list->n_contours;
  Step *steps = cs_scratch_ensure (&scratch->steps, n * sizeof (Step), error);
  Tree tree;
  gsize i;

  if (!steps || !tree_build (scratch, job, &tree, error))
    return NULL;
  steps[0] = (Step) { 0, 0, FALSE };
  remove_contour (&tree, 0);
  for (i = 1; i < n; i++) {
    steps[i] = next_step (job, &tree, &steps[i - 1]);
    remove_contour (&tree, steps[i].contour);
  }
  return steps;
}

gboolean
cs_strokes_order (CsStrokesOrderScratch * scratch, CsStrokesOrder order,
    const CsStrokesList * list, CsStrokesOutput * output, GError ** error)
{
  const Job job = { list, order };

  output->points = list->points;
  output->offsets = list->offsets;
  output->sources = list->sources;
  output->n_contours = list->n_contours;
  output->n_points = list->n_points;
  if (order != CS_STROKES_ORDER_NONE && list->n_contours > 1) {
    const Step *steps = walk (scratch, &job, error);

    if (!steps || !write_output (scratch, list, steps, output, error))
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
}
