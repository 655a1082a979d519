/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Discs on the CPU of which few lie on a pixel: the sequential algorithm, field
 * by field. Marks are neither sorted as a whole nor prepared in order, which
 * would scatter reads over all of them: they are read as they lie, handed to
 * the fields they touch, and sorted there, in the cache. */
#include "raster_cpu.h"

#include <string.h>

#include "base/clones.h"

/* Up to so many layers on a pixel, and pixels of a mark, on an average, all
 * marks are painted: looking for what is seen costs more. Larger marks only
 * where hardly any lies on another. */
#define MAX_LAYERS 12.
#define MAX_PIXELS 32.
#define SPARSE_LAYERS 1.
#define SPARSE_PIXELS 256.

/* Marks that are looked at before all are. */
#define SAMPLES 256

/* Marks of a part, which one thread hands to fields. */
#define PART 8192

/**
 * DirectJob:
 * @discs: of all marks; radius below 0: it is not painted
 * @counts: for each part one number for each field: how many of its discs touch
 *     the field, then where they go
 * @area: of all discs, in pixels
 * @is_off: something else is among the marks
 */
typedef struct
{
  CsRasterDirect *direct;
  const CsRasterJob *job;
  CsDisc *discs;
  guint32 *counts;
  gsize n_fields, part_size;
  guint fields_per_row, field_rows;
  guint64 total, dropped;
  double area;
  gint is_off;
  GMutex lock;
} DirectJob;

static inline gboolean
is_plain_disc (const CsMark * mark)
{
  return mark->half_width == 0 && mark->group == 0 && mark->x0 == mark->x1 &&
      mark->y0 == mark->y1;
}

/* Whether @n discs of @area pixels together are painted directly. */
static gboolean
area_fits (const CsRasterFormat * f, double area, double n)
{
  const double layers = area / ((double) f->width * f->height);

  return (area <= MAX_PIXELS * n && layers <= MAX_LAYERS) ||
      (area <= SPARSE_PIXELS * n && layers <= SPARSE_LAYERS);
}

/* Whether some of the marks are small discs, few of which lie on a pixel. */
static gboolean
samples_fit (const CsRasterJob * job)
{
  const CsMarks *marks = job->marks;
  const gsize step = MAX (marks->n / SAMPLES, 1);
  double sum = 0, n = 0;

  for (gsize i = 0; i < marks->n; i += step, n++) {
    const CsMark *mark = &marks->marks[i];

    if (!is_plain_disc (mark))
      return FALSE;
    if (mark->radius > 0)
      sum += G_PI * (double) mark->radius * mark->radius;
  }
  /* the samples may be off by a factor of two */
  return cs_raster_direct == CS_DIRECT_ALWAYS ||
      area_fits (&job->format, .5 * sum / n * marks->n, marks->n);
}

/* For each field that a disc's bounds touch: adds to its number, and fills
 * in. */
static inline guint
each_field (const DirectJob * job, const CsDisc * disc, guint32 * counts,
    guint32 key)
{
  const float reach = disc->radius + 1.f + (fabsf (disc->x) +
      fabsf (disc->y) + disc->radius) * (1.f / 262144.f);
  const float right = job->fields_per_row - 1, bottom = job->field_rows - 1;
  const guint x0 = CLAMP ((disc->x - reach) / CS_FIELD, 0, right);
  const guint x1 = CLAMP ((disc->x + reach) / CS_FIELD, 0, right);
  const guint y0 = CLAMP ((disc->y - reach) / CS_FIELD, 0, bottom);
  const guint y1 = CLAMP ((disc->y + reach) / CS_FIELD, 0, bottom);
  const CsRasterDirect *direct = job->direct;
  guint n = 0, x, y;

  for (y = y0; y <= y1; y++) {
    for (x = x0; x <= x1; x++, n++) {
      const guint field = y * job->fields_per_row + x;
      const guint32 at = counts[field]++;

      if (!direct->discs)
        continue;
      direct->discs[at] = *disc;
      direct->items[at] = (CsSortItem32) { key, at - direct->starts[field] };
    }
  }
  return n;
}

/* with the preparation inlined: rounding is an instruction in the copy */
CS_CLONES __attribute__ ((flatten)) static void
count_part (void *user_data, guint part)
{
  DirectJob *job = user_data;
  const CsMark *marks = job->job->marks->marks;
  const gint width = job->job->format.width, height = job->job->format.height;
  const gsize end = MIN ((part + 1) * job->part_size, job->job->marks->n);
  guint32 *counts = job->counts + part * job->n_fields;
  guint64 n = 0, dropped = 0;
  double area = 0;

  memset (counts, 0, job->n_fields * sizeof (guint32));
  for (gsize i = part * job->part_size; i < end; i++) {
    CsDisc *disc = &job->discs[i];
    CsRasterMark mark;

    if (!is_plain_disc (&marks[i])) {
      /* marks that are not finite are none either: they are not painted
       * directly */
      g_atomic_int_set (&job->is_off, TRUE);
      return;
    }
    if (i % 1024 == 0 && g_atomic_int_get (&job->is_off))
      return;
    disc->radius = -1;
    if (!cs_raster_prepare (&marks[i], width, height, &mark)) {
      dropped++;
      continue;
    }
    *disc = (CsDisc) { mark.x, mark.y, mark.radius, marks[i].rgba };
    area += G_PI * (double) mark.radius * mark.radius;
    n += each_field (job, disc, counts, 0);
  }
  g_mutex_lock (&job->lock);
  job->total += n;
  job->area += area;
  job->dropped += dropped;
  g_mutex_unlock (&job->lock);
}

static void
fill_part (void *user_data, guint part)
{
  const DirectJob *job = user_data;
  const float *depths = job->job->marks->depths;
  const gsize end = MIN ((part + 1) * job->part_size, job->job->marks->n);
  guint32 *counts = job->counts + part * job->n_fields;

  for (gsize i = part * job->part_size; i < end; i++) {
    if (job->discs[i].radius >= 0)
      each_field (job, &job->discs[i], counts,
          depths ? cs_raster_depth_key (depths[i]) : 0);
  }
}

static gboolean
counts_fit (const DirectJob * job)
{
  const double painted = job->job->marks->n - job->dropped;

  if (job->is_off || job->total >= G_MAXUINT32 / 2)
    return FALSE;
  return cs_raster_direct == CS_DIRECT_ALWAYS ||
      area_fits (&job->job->format, job->area, painted);
}

/* Counts, and if that fits, hands out. */
static gboolean
hand_out (DirectJob * job, CsExecutor * executor, guint n_parts,
    GError ** error)
{
  CsRasterDirect *direct = job->direct;

  direct->discs = NULL;
  cs_executor_parallel_for (executor, n_parts, count_part, job);
  if (!counts_fit (job))
    return TRUE;
  direct->items = cs_scratch_ensure (&direct->items_memory,
      2 * job->total * sizeof (CsSortItem32), error);
  if (!direct->items)
    return FALSE;
  direct->others = direct->items + job->total;
  direct->discs = cs_scratch_ensure (&direct->discs_memory,
      job->total * sizeof (CsDisc), error);
  if (!direct->discs)
    return FALSE;
  cs_raster_place_parts (job->counts, job->n_fields, n_parts, direct->starts);
  memset (direct->is_sorted, !job->job->marks->depths, job->n_fields);
  cs_executor_parallel_for (executor, n_parts, fill_part, job);
  direct->dropped = job->dropped;
  direct->is_used = TRUE;
  return TRUE;
}

gboolean
cs_raster_direct_update (CsRasterDirect * direct, CsExecutor * executor,
    const CsRasterJob * job, GError ** error)
{
  const CsRasterFormat *f = &job->format;
  const gsize n = job->marks->n;
  const guint n_parts = CLAMP (n / PART, 1,
      cs_executor_get_n_threads (executor));
  DirectJob d = {.direct = direct,.job = job,
    .part_size = (n + n_parts - 1) / n_parts,
    .fields_per_row = (f->width + CS_FIELD - 1) / CS_FIELD,
    .field_rows = (f->height + CS_FIELD - 1) / CS_FIELD
  };
  CsRasterKey key;

  cs_raster_job_key (job, &key);
  if (!job->ink && cs_raster_key_equal (&direct->key, &key))
    return TRUE;
  memset (&direct->key, 0, sizeof (direct->key));
  direct->is_used = FALSE;
  if (!cs_raster_job_is_plain (job) || cs_raster_direct == CS_DIRECT_NEVER ||
      !samples_fit (job))
    return TRUE;
  d.n_fields = (gsize) d.fields_per_row * d.field_rows;
  direct->starts = cs_scratch_ensure (&direct->starts_memory,
      (d.n_fields + 1) * (sizeof (guint32) + 1), error);
  d.counts = direct->starts ? cs_scratch_ensure (&direct->counts_memory,
      d.n_fields * n_parts * sizeof (guint32), error) : NULL;
  d.discs = d.counts ? cs_scratch_ensure (&direct->marks_memory,
      n * sizeof (CsDisc), error) : NULL;
  if (!d.discs)
    return FALSE;
  direct->is_sorted = (guint8 *) (direct->starts + d.n_fields + 1);
  g_mutex_init (&d.lock);
  const gboolean ok = hand_out (&d, executor, n_parts, error);
  g_mutex_clear (&d.lock);
  if (ok)
    direct->key = key;
  return ok;
}

void
cs_raster_direct_paint (const CsRasterDirect * direct,
    const CsRasterFormat * format, CsCells * cells, guint field)
{
  const guint32 start = direct->starts[field];
  const gsize n = direct->starts[field + 1] - start;
  CsSortItem32 *items = direct->items + start;

  if (!direct->is_sorted[field]) {
    CsSortItem32 *sorted = cs_sort32 (items, direct->others + start, n);

    if (sorted != items)
      memcpy (items, sorted, n * sizeof (*items));
    direct->is_sorted[field] = TRUE;
  }
  cs_lanes ()->paint_discs (format, cells, direct->discs + start, items, n);
  cs_lanes ()->write_cells (format, cells);
}

void
cs_raster_direct_clear (CsRasterDirect * direct)
{
  cs_scratch_clear (&direct->marks_memory);
  cs_scratch_clear (&direct->discs_memory);
  cs_scratch_clear (&direct->items_memory);
  cs_scratch_clear (&direct->starts_memory);
  cs_scratch_clear (&direct->counts_memory);
}
