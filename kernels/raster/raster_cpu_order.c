/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sorting by depth, and preparing marks, on the CPU. */
#include "raster_cpu.h"

#include <string.h>

#include "base/clones.h"
#include "base/sort.h"

#define CHUNK 8192

/* Marks are fetched this many before they are prepared: order scatters them. */
#define AHEAD 16

/* Makes items of depths. Whether they are in order. */
static gboolean
make_items (const float *depths, gsize n, CsSortItem32 * items)
{
  gboolean is_sorted = TRUE;
  guint32 last = 0;

  for (gsize i = 0; i < n; i++) {
    const guint32 key = cs_raster_depth_key (depths[i]);

    is_sorted &= key >= last;
    last = key;
    items[i] = (CsSortItem32) { key, i };
  }
  return is_sorted;
}

static gboolean
sort_by_depth (CsRasterOrder * order, const CsMarks * marks, GError ** error)
{
  const gsize n = marks->n;
  CsSortItem32 *items;

  items = cs_scratch_ensure (&order->keys_memory, 2 * n * sizeof (*items),
      error);
  if (!items)
    return FALSE;
  order->is_identity = make_items (marks->depths, n, items);
  if (order->is_identity)
    return TRUE;
  order->order = cs_scratch_ensure (&order->indices_memory,
      n * sizeof (guint32), error);
  if (!order->order)
    return FALSE;
  items = cs_sort32 (items, items + n, n);
  for (gsize i = 0; i < n; i++)
    order->order[i] = items[i].value;
  return TRUE;
}

/* @right, @bottom: the last field's column and row */
typedef struct
{
  CsRasterOrder *order;
  const CsRasterJob *job;
  float right, bottom;
  GMutex lock;
} PrepareJob;

static double
mark_area (const CsRasterMark * mark, const CsRasterFormat * f)
{
  const double width = MIN (fabsf (mark->bx) + 2 * mark->radius +
      2 * mark->half_width + 1, f->width);
  const double height = MIN (fabsf (mark->by) + 2 * mark->radius +
      2 * mark->half_width + 1, f->height);

  return width * height;
}

static inline CsFieldRange
find_range (const CsRasterMark * mark, float right, float bottom)
{
  const float reach = mark->radius + mark->half_width + .5f +
      cs_raster_slack (mark);
  const float ex = mark->x + mark->bx, ey = mark->y + mark->by;

  if (mark->radius < 0)
    return (CsFieldRange) { 1, 1, 0, 0 };
  return (CsFieldRange) {
    CLAMP ((MIN (mark->x, ex) - reach) / CS_FIELD, 0, right),
    CLAMP ((MIN (mark->y, ey) - reach) / CS_FIELD, 0, bottom),
    CLAMP ((MAX (mark->x, ex) + reach) / CS_FIELD, 0, right),
    CLAMP ((MAX (mark->y, ey) + reach) / CS_FIELD, 0, bottom)
  };
}

static inline gboolean
is_fill (const CsMark * mark)
{
  return mark->half_width == CS_MARK_FILL;
}

static inline gboolean
prepare_mark (const CsRasterJob * job, const CsMark * from, CsRasterMark * to)
{
  const CsGradients *gradients = job->marks->gradients;

  if (cs_raster_has_gradient (gradients, from) &&
      (from->group & ~CS_MARK_GRADIENT) >= gradients->n) {
    to->radius = -1;
    return FALSE;
  }
  if (!is_fill (from))
    return cs_raster_prepare (from, job->format.width, job->format.height, to);
  const CsFillRegion *region = cs_raster_find_region (job->fills, from);
  if (region)
    return cs_fill_prepare (region, to);
  to->radius = -1;
  return FALSE;
}

/* Whether a mark is in no group with the one before or behind it. */
static inline gboolean
is_alone (const CsRasterJob * job, const CsMark * mark)
{
  return mark->group == 0 || is_fill (mark) ||
      cs_raster_has_gradient (job->marks->gradients, mark);
}

/* @ordinal: its place in the order of painting */
static inline guint32
find_run (const CsRasterJob * job, const CsMark * mark, guint32 ordinal)
{
  if (is_fill (mark))
    return CS_FILL_RUN | mark->group;
  if (cs_raster_has_gradient (job->marks->gradients, mark))
    return CS_GRADIENT_RUN | (mark->group & ~CS_MARK_GRADIENT);
  return ordinal;
}

/* with what it calls inlined: rounding is an instruction in the copy */
CS_CLONES __attribute__ ((flatten)) static void
prepare_chunk (void *user_data, guint index)
{
  PrepareJob *prepare = user_data;
  CsRasterOrder *order = prepare->order;
  const CsRasterFormat *f = &prepare->job->format;
  const CsMark *marks = prepare->job->marks->marks;
  const gsize n = order->n;
  const gsize end = MIN (((gsize) index + 1) * CHUNK, n);
  gboolean has_groups = FALSE;
  guint64 dropped = 0;
  double area = 0;

  for (gsize i = (gsize) index * CHUNK; i < end; i++) {
    const gsize ordinal = n - 1 - i;
    const CsMark *from =
        &marks[order->is_identity ? ordinal : order->order[ordinal]];
    CsRasterMark *to = &order->marks[i];

    if (!order->is_identity && ordinal >= AHEAD)
      __builtin_prefetch (&marks[order->order[ordinal - AHEAD]]);
    if (prepare_mark (prepare->job, from, to))
      area += mark_area (to, f);
    else
      dropped++;
    order->ranges[i] = find_range (to, prepare->right, prepare->bottom);
    to->rgba = from->rgba;
    to->run = find_run (prepare->job, from, (guint32) ordinal);
    has_groups |= !is_alone (prepare->job, from);
  }
  g_mutex_lock (&prepare->lock);
  order->dropped += dropped;
  order->area += area;
  order->has_runs |= has_groups;
  g_mutex_unlock (&prepare->lock);
}

/* Marks of a group take the number and the colour of its first. The ink cuts a
 * group in two. */
static void
join_groups (CsRasterOrder * order, const CsRasterJob * job)
{
  const CsMark *marks = job->marks->marks;

  for (gsize i = 1; i < order->n; i++) {
    CsRasterMark *mark = &order->marks[order->n - 1 - i];

    if (marks[i].group != marks[i - 1].group || i == job->cut ||
        is_alone (job, &marks[i]) || is_alone (job, &marks[i - 1]))
      continue;
    mark->run = mark[1].run;
    mark->rgba = mark[1].rgba;
  }
}

CS_CLONES __attribute__ ((flatten)) static void
reach_chunk (void *user_data, guint index)
{
  CsRasterOrder *order = user_data;
  const gsize end = MIN (((gsize) index + 1) * CHUNK, order->n + CS_LOOK);

  for (gsize i = (gsize) index * CHUNK; i < end; i++) {
    float disc[3];

    order->reach.x[i] = order->reach.y[i] = 0;
    order->reach.reach2[i] = -1;
    if (i >= order->n || order->marks[i].radius < 0)
      continue;
    cs_raster_reach (&order->marks[i], disc);
    order->reach.x[i] = disc[0];
    order->reach.y[i] = disc[1];
    order->reach.reach2[i] = disc[2] * disc[2];
  }
}

gboolean
cs_raster_order_find_reach (CsRasterOrder * order, CsExecutor * executor,
    GError ** error)
{
  const gsize room = order->n + CS_LOOK;

  if (order->has_reach)
    return TRUE;
  order->reach.x = cs_scratch_ensure (&order->reach_memory,
      3 * room * sizeof (float), error);
  if (!order->reach.x)
    return FALSE;
  order->reach.y = order->reach.x + room;
  order->reach.reach2 = order->reach.y + room;
  cs_executor_parallel_for (executor, (room + CHUNK - 1) / CHUNK, reach_chunk,
      order);
  order->has_reach = TRUE;
  return TRUE;
}

gboolean
cs_raster_order_update (CsRasterOrder * order, CsExecutor * executor,
    const CsRasterJob * job, GError ** error)
{
  PrepareJob prepare = {.order = order,.job = job,
    .right = (job->format.width - 1) / CS_FIELD,
    .bottom = (job->format.height - 1) / CS_FIELD
  };
  const gsize n = job->marks->n;
  CsRasterKey key;

  cs_raster_job_key (job, &key);
  if (cs_raster_key_equal (&order->key, &key))
    return TRUE;
  if (!job->marks->depths) {
    order->is_identity = TRUE;
  } else if (!cs_raster_key_same_marks (&order->key, &key)) {
    memset (&order->key, 0, sizeof (order->key));
    if (!sort_by_depth (order, job->marks, error))
      return FALSE;
  }
  memset (&order->key, 0, sizeof (order->key));
  order->marks = cs_scratch_ensure (&order->marks_memory,
      n * sizeof (CsRasterMark), error);
  order->ranges = order->marks ? cs_scratch_ensure (&order->ranges_memory,
      n * sizeof (CsFieldRange), error) : NULL;
  if (!order->ranges)
    return FALSE;
  order->has_reach = FALSE;
  order->n = n;
  order->dropped = job->fills ? job->fills->dropped : 0;
  order->area = 0;
  order->has_runs = FALSE;
  g_mutex_init (&prepare.lock);
  cs_executor_parallel_for (executor, (n + CHUNK - 1) / CHUNK, prepare_chunk,
      &prepare);
  g_mutex_clear (&prepare.lock);
  if (order->has_runs)
    join_groups (order, job);
  order->key = key;
  return TRUE;
}

void
cs_raster_order_clear (CsRasterOrder * order)
{
  cs_scratch_clear (&order->marks_memory);
  cs_scratch_clear (&order->ranges_memory);
  cs_scratch_clear (&order->reach_memory);
  cs_scratch_clear (&order->indices_memory);
  cs_scratch_clear (&order->keys_memory);
}
