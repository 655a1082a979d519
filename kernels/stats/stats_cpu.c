/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stats_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clones.h"
#include "stats_math.h"
#include "stats_samples.h"

/**
 * Job:
 * @batch: regions that a thread takes at once
 * @failed: a thread had no memory
 */
typedef struct
{
  const CsStatsInput *input;
  CsStatsSums *sums;
  CsStatsReader reader;
  gsize batch;
  gint failed;
} Job;

/* Regions */

/* The first component of what @region lies in. */
static CsImage
image_of (const CsStatsInput * input, const CsStatsRegion * region)
{
  return input->kind == CS_STATS_PROBABILITY ? input->images[region->image] :
      cs_picture_get_component (input->picture, 0);
}

/* The first pixel at or to the right of where a side crosses a row. */
typedef struct
{
  gint row, x;
} Crossing;

/* Of one region; memory is kept from region to region. Row r (from @top on)
 * has the crossings from starts[r] up to, not with, starts[r + 1]. */
typedef struct
{
  CsImage image;
  CsArray found;                /* Crossing, in the order of sides */
  CsArray starts;               /* gsize */
  CsArray crossings;            /* gint, by rows */
  gint top, bottom;
} Rows;

/* Sides that are computed at once, with vectors. */
#define SIDES 128

/* The points of sides i from i to i + 1; the rows at or below them; the first
 * row that a side crosses, how many, and where it crosses the first. */
typedef struct
{
  double x[SIDES + 1], y[SIDES + 1];
  gint rows[SIDES + 1], first[SIDES], n[SIDES], crossings[SIDES];
} Sides;

/* Where the side i crosses row @y. */
static inline gint
cross (const Sides * sides, guint i, gint y, double width)
{
  return cs_stats_cross (sides->x[i], sides->y[i], sides->x[i + 1],
      sides->y[i + 1], y, width);
}

/* @points: @n, after the point 0 of @sides. A side crosses the rows from its
 * upper end on up to, not with, its lower end. Most are shorter than a row is
 * high: where they cross one is computed in any case. */
CS_CLONES static void
prepare_sides (Sides * sides, const float *points, guint n,
    const CsStatsInput * input, double width, double height)
{
  const double scale_x = input->scale_x, scale_y = input->scale_y;

  for (guint i = 0; i < n; i++) {
    sides->x[i + 1] = cs_stats_place (points[2 * i], scale_x);
    sides->y[i + 1] = cs_stats_place (points[2 * i + 1], scale_y);
    sides->rows[i + 1] = cs_stats_ceil (sides->y[i + 1], height);
  }
  for (guint i = 0; i < n; i++) {
    const gint above = sides->rows[i], below = sides->rows[i + 1];

    sides->first[i] = MIN (above, below);
    sides->n[i] = cs_stats_is_finite (sides->x[i], sides->y[i],
        sides->x[i + 1], sides->y[i + 1]) ? ABS (above - below) : 0;
    sides->crossings[i] = cross (sides, i, sides->first[i], width);
  }
}

static gboolean
take_sides (Rows * rows, const Sides * sides, guint n)
{
  const double width = rows->image.width;
  Crossing *found;

  if (!cs_array_reserve (&rows->found, n))
    return FALSE;
  for (guint i = 0; i < n; i++) {
    found = (Crossing *) (gpointer) rows->found.data + rows->found.len;
    *found = (Crossing) { sides->first[i], sides->crossings[i] };
    rows->found.len += sides->n[i] > 0;
    if (G_LIKELY (sides->n[i] <= 1))
      continue;
    if (!cs_array_reserve (&rows->found, (gsize) sides->n[i] + n))
      return FALSE;
    found = (Crossing *) (gpointer) rows->found.data + rows->found.len;
    for (gint k = 1; k < sides->n[i]; k++)
      *found++ = (Crossing) { sides->first[i] + k,
        cross (sides, i, sides->first[i] + k, width)};
    rows->found.len += (gsize) sides->n[i] - 1;
  }
  return TRUE;
}

static gboolean
add_ring (Rows * rows, const CsStatsInput * input, const CsStatsRing * ring)
{
  const double width = rows->image.width, height = rows->image.height;
  Sides sides;

  if (ring->n == 0)
    return TRUE;
  sides.x[0] = sides.y[0] = 0;
  sides.rows[0] = 0;
  /* the first side comes from the last point */
  prepare_sides (&sides, ring->points + 2 * (ring->n - 1), 1, input, width,
      height);
  sides.x[0] = sides.x[1];
  sides.y[0] = sides.y[1];
  sides.rows[0] = sides.rows[1];
  for (gsize i = 0; i < ring->n; i += SIDES) {
    const guint n = (guint) MIN (ring->n - i, SIDES);

    prepare_sides (&sides, ring->points + 2 * i, n, input, width, height);
    if (!take_sides (rows, &sides, n))
      return FALSE;
    sides.x[0] = sides.x[n];
    sides.y[0] = sides.y[n];
    sides.rows[0] = sides.rows[n];
  }
  return TRUE;
}

static void
find_range (Rows * rows)
{
  const Crossing *found = (const Crossing *) (gconstpointer) rows->found.data;
  gint top = (gint) rows->image.height, bottom = 0;

  for (gsize i = 0; i < rows->found.len; i++) {
    top = MIN (top, found[i].row);
    bottom = MAX (bottom, found[i].row + 1);
  }
  rows->top = top;
  rows->bottom = MAX (top, bottom);
}

/* Sorts what was found by rows. First starts[r] is where row r begins, and, when
 * the crossings are there, where it ends. */
static gboolean
sort_by_rows (Rows * rows)
{
  const Crossing *found = (const Crossing *) (gconstpointer) rows->found.data;
  const gsize n = rows->found.len;
  const gsize n_rows = (gsize) (rows->bottom - rows->top);

  if (!cs_array_set_size (&rows->starts, n_rows + 1)
      || !cs_array_set_size (&rows->crossings, n))
    return FALSE;
  gsize *starts = (gsize *) (gpointer) rows->starts.data;
  gint *crossings = (gint *) (gpointer) rows->crossings.data;
  memset (starts, 0, (n_rows + 1) * sizeof (*starts));
  for (gsize i = 0; i < n; i++)
    starts[found[i].row - rows->top + 1]++;
  for (gsize i = 0; i < n_rows; i++)
    starts[i + 1] += starts[i];
  for (gsize i = 0; i < n; i++) {
    crossings[starts[found[i].row - rows->top]++] = found[i].x;
    /* the next row is far away */
    __builtin_prefetch ((gconstpointer) ((guintptr) rows->image.data +
            found[i].row * rows->image.row_stride +
            found[i].x * rows->image.pixel_stride));
  }
  return TRUE;
}

static gboolean
find_rows (Rows * rows, const CsStatsInput * input,
    const CsStatsRegion * region)
{
  rows->image = image_of (input, region);
  cs_array_empty (&rows->found);
  for (gsize r = 0; r < region->n_rings; r++)
    if (!add_ring (rows, input, &input->rings[region->first_ring + r]))
      return FALSE;
  find_range (rows);
  return sort_by_rows (rows);
}

static int
compare (const void *a, const void *b)
{
  const gint x = *(const gint *) a, y = *(const gint *) b;

  return (x > y) - (x < y);
}

/* More crossings of a row than this are rare, and would take long. */
#define MAX_INSERTED 64

static void
sort (gint * values, gsize n)
{
  gsize i, k;

  if (n > MAX_INSERTED) {
    qsort (values, n, sizeof (*values), compare);
    return;
  }
  for (i = 1; i < n; i++) {
    const gint value = values[i];

    for (k = i; k > 0 && values[k - 1] > value; k--)
      values[k] = values[k - 1];
    values[k] = value;
  }
}

static void
add_rows (CsStatsBlock * block, const Job * job, const CsStatsRegion * region,
    const Rows * rows, CsStatsSums * sums)
{
  const gsize *ends = (const gsize *) (gconstpointer) rows->starts.data;
  gint *crossings = (gint *) (gpointer) rows->crossings.data;
  const gint n = rows->bottom - rows->top;
  gsize first = 0;

  for (gint r = 0; r < n; r++) {
    gint *x = crossings + first;

    sort (x, ends[r] - first);
    for (gsize i = 0; i + 1 < ends[r] - first; i += 2)
      if (x[i + 1] > x[i])
        cs_stats_block_add (block, &job->reader, region,
            (guint) (rows->top + r), (guint) x[i], (guint) (x[i + 1] - x[i]),
            sums);
    first = ends[r];
  }
  cs_stats_block_flush (block, &job->reader, sums);
}

static gboolean
run_region (Job * job, gsize index, Rows * rows, CsStatsBlock * block)
{
  const CsStatsRegion *region = &job->input->regions[index];
  const guint n_channels = cs_stats_get_n_channels (job->input->kind);
  CsStatsSums *sums = job->sums + index * n_channels;

  for (guint c = 0; c < n_channels; c++)
    sums[c] = (CsStatsSums) { 0, 0, 0, G_MAXINT32, G_MININT32 };
  if (!find_rows (rows, job->input, region))
    return FALSE;
  add_rows (block, job, region, rows, sums);
  for (guint c = 0; c < n_channels; c++)
    if (sums[c].n == 0)
      sums[c].minimum = sums[c].maximum = 0;
  return TRUE;
}

/* Regions from @index * job->batch on. */
static void
run_batch (void *user_data, guint index)
{
  Job *job = user_data;
  const gsize end = MIN (((gsize) index + 1) * job->batch,
      job->input->n_regions);
  gsize i = (gsize) index * job->batch;
  CsStatsBlock block;
  Rows rows;

  cs_stats_block_init (&block);
  cs_array_init (&rows.found, sizeof (Crossing));
  cs_array_init (&rows.starts, sizeof (gsize));
  cs_array_init (&rows.crossings, sizeof (gint));
  while (i < end && run_region (job, i, &rows, &block))
    i++;
  if (i < end)
    g_atomic_int_set (&job->failed, 1);
  cs_array_clear (&rows.found);
  cs_array_clear (&rows.starts);
  cs_array_clear (&rows.crossings);
}

static void *
cpu_create (CsExecutor * executor, GError ** error)
{
  return executor;
}

static gboolean
cpu_warm_up (void *state, CsStatsKind kind, gsize n_regions, gsize n_points,
    GError ** error)
{
  if (kind == CS_STATS_LAB)
    cs_lab_get_table ();
  return TRUE;
}

static gboolean
cpu_run (void *state, const CsStatsInput * input, CsStatsSums * sums,
    GError ** error)
{
  CsExecutor *executor = state;
  Job job = {.input = input,.sums = sums };

  cs_stats_reader_init (&job.reader, input);
  /* enough for all threads, and memory is not allocated for each region */
  job.batch = CLAMP (input->n_regions / 64, 1, 64);
  cs_executor_parallel_for (executor, (guint) ((input->n_regions +
              job.batch - 1) / job.batch), run_batch, &job);
  if (!job.failed)
    return TRUE;
  return cs_fail_no_memory (error, "the rows of regions");
}

static void
cpu_destroy (void *state)
{
}

const CsStatsBackend cs_stats_cpu_backend = {
  .create = cpu_create,
  .warm_up = cpu_warm_up,
  .run = cpu_run,
  .destroy = cpu_destroy,
};
