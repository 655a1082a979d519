/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bins on the CPU: which marks touch each field. */
#include "raster_cpu.h"

#include <string.h>

#include "base/clones.h"

/* What choosing between bins and the whole array goes by: nanoseconds for
 * looking at a mark, and for putting it into a bin; how many layers a pixel
 * needs until nothing is seen of what is behind. */
#define LOOK_COST .5
#define BIN_COST 5.
#define LAYERS_NEEDED 40.

/* Marks of a part, which is counted and filled in by one thread. */
#define PART 8192

/**
 * BinJob:
 * @counts: for each part one number for each field: how many of its marks touch
 *     the field, then where in the field's bin they go
 * @total: of all counts
 */
typedef struct
{
  const CsRasterBins *bins;
  const CsRasterOrder *order;
  guint32 *counts;
  gsize n_fields, part_size;
  guint64 total;
  GMutex lock;
} BinJob;

static inline gboolean
touches_field (const CsRasterMark * mark, guint field_x, guint field_y)
{
  const float x = (float) field_x * CS_FIELD, y = (float) field_y * CS_FIELD;

  return cs_raster_touches (mark, x, y, x + (CS_FIELD - 1), y + (CS_FIELD - 1));
}

/* For each field that mark @i touches: adds to its number, and fills in. */
static inline guint
each_field (const BinJob * job, gsize i, guint32 * counts, guint32 * items)
{
  const CsFieldRange range = job->order->ranges[i];
  const gboolean is_one = range.x0 == range.x1 && range.y0 == range.y1;
  guint n = 0, x, y;

  for (y = range.y0; y <= range.y1; y++) {
    for (x = range.x0; x <= range.x1; x++) {
      guint32 *count = &counts[y * job->bins->fields_per_row + x];

      if (!is_one && !touches_field (&job->order->marks[i], x, y))
        continue;
      if (items)
        items[*count] = i;
      (*count)++;
      n++;
    }
  }
  return n;
}

CS_CLONES __attribute__ ((flatten)) static void
count_part (void *user_data, guint part)
{
  BinJob *job = user_data;
  const gsize end = MIN ((part + 1) * job->part_size, job->order->n);
  guint32 *counts = job->counts + part * job->n_fields;
  guint64 n = 0;

  memset (counts, 0, job->n_fields * sizeof (guint32));
  for (gsize i = part * job->part_size; i < end; i++)
    n += each_field (job, i, counts, NULL);
  g_mutex_lock (&job->lock);
  job->total += n;
  g_mutex_unlock (&job->lock);
}

static void
fill_part (void *user_data, guint part)
{
  const BinJob *job = user_data;
  const gsize end = MIN ((part + 1) * job->part_size, job->order->n);

  for (gsize i = part * job->part_size; i < end; i++)
    each_field (job, i, job->counts + part * job->n_fields, job->bins->items);
}

/* Whether looking at all marks for each field costs more than bins. */
static gboolean
wants_bins (const CsRasterBins * bins, const CsRasterOrder * order,
    double pixels)
{
  const double fields = (double) bins->fields_per_row * bins->field_rows;
  const double painted = order->n - order->dropped;

  if (painted < 1)
    return FALSE;
  const double mean = MAX (order->area / painted, 1);
  const double needed = MIN (order->n, LAYERS_NEEDED * pixels / mean);
  double entries = sqrt (mean) / CS_FIELD + 1;
  entries *= painted * entries;
  entries = MIN (entries, painted * fields);
  return entries < G_MAXUINT32 / 2 &&
      entries * BIN_COST < fields * needed * LOOK_COST;
}

void
cs_raster_place_parts (guint32 * counts, gsize n_fields, guint n_parts,
    guint32 * starts)
{
  guint32 sum = 0;
  gsize field;

  for (field = 0; field < n_fields; field++) {
    starts[field] = sum;
    for (guint part = 0; part < n_parts; part++) {
      guint32 *count = &counts[part * n_fields + field];
      const guint32 n = *count;

      *count = sum;
      sum += n;
    }
  }
  starts[field] = sum;
}

static gboolean
make_bins (CsRasterBins * bins, CsExecutor * executor,
    const CsRasterOrder * order, GError ** error)
{
  const gsize n_fields = (gsize) bins->fields_per_row * bins->field_rows;
  const guint n_parts = CLAMP (order->n / PART, 1,
      cs_executor_get_n_threads (executor));
  BinJob job = {.bins = bins,.order = order,.n_fields = n_fields,
    .part_size = (order->n + n_parts - 1) / n_parts
  };

  bins->starts = cs_scratch_ensure (&bins->starts_memory,
      (n_fields + 1) * sizeof (guint32), error);
  job.counts = bins->starts ? cs_scratch_ensure (&bins->counts_memory,
      n_fields * n_parts * sizeof (guint32), error) : NULL;
  if (!job.counts)
    return FALSE;
  g_mutex_init (&job.lock);
  cs_executor_parallel_for (executor, n_parts, count_part, &job);
  g_mutex_clear (&job.lock);
  if (job.total >= G_MAXUINT32)
    return TRUE;
  bins->items = cs_scratch_ensure (&bins->items_memory,
      job.total * sizeof (guint32), error);
  if (!bins->items)
    return FALSE;
  cs_raster_place_parts (job.counts, n_fields, n_parts, bins->starts);
  cs_executor_parallel_for (executor, n_parts, fill_part, &job);
  bins->is_used = TRUE;
  return TRUE;
}

gboolean
cs_raster_bins_update (CsRasterBins * bins, CsExecutor * executor,
    const CsRasterOrder * order, guint width, guint height, GError ** error)
{
  if (cs_raster_key_equal (&bins->key, &order->key))
    return TRUE;
  memset (&bins->key, 0, sizeof (bins->key));
  bins->is_used = FALSE;
  bins->fields_per_row = (width + CS_FIELD - 1) / CS_FIELD;
  bins->field_rows = (height + CS_FIELD - 1) / CS_FIELD;
  if (wants_bins (bins, order, (double) width * height) &&
      !make_bins (bins, executor, order, error))
    return FALSE;
  bins->key = order->key;
  return TRUE;
}

void
cs_raster_bins_clear (CsRasterBins * bins)
{
  cs_scratch_clear (&bins->items_memory);
  cs_scratch_clear (&bins->starts_memory);
  cs_scratch_clear (&bins->counts_memory);
}
