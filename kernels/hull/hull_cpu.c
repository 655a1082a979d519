/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hull_private.h"

#include <math.h>
#include <string.h>

#include "base/ids.h"
#include "hull_chain.h"
#include "hull_cpu.h"
#include "hull_math.h"

/* Points a thread takes at a time. */
#define CHUNK 65536
/* Points that are filtered, then looked at, at a time. */
#define BLOCK 512
/* Sets up to this size are sorted as they are. */
#define DIRECT 192
/* Survivors that are worth another pass of the filter. */
#define ANOTHER_PASS 2048
#define MAX_SAMPLE 4096
/* A thread replaces the points it has kept by their hull when they are more
 * than this, and twice what was left the last time: so memory stays in
 * proportion to the hull, and sorting within the cache. */
#define REDUCE (1 << 18)
/* Sets larger than this are worth all threads, smaller ones share them. */
#define SHARED (1 << 17)
/* Points and hulls of a batch that a thread takes at a time. */
#define BATCH_CHUNK 8192
#define EMIT_CHUNK 256

/* --- Points --------------------------------------------------------------- */

static inline void
load_point (const CsHullInput * input, gsize i, double *x, double *y)
{
  const guint8 *p = (const guint8 *) input->points + i * input->stride;

  switch (input->type) {
    case CS_HULL_F32:
      *x = ((const float *) p)[0];
      *y = ((const float *) p)[1];
      break;
    case CS_HULL_F64:
      *x = ((const double *) p)[0];
      *y = ((const double *) p)[1];
      break;
    default:
      *x = ((const gint32 *) p)[0];
      *y = ((const gint32 *) p)[1];
      break;
  }
}

/* Room for @n more points in @slot. */
static gboolean
reserve_points (CsHullSlot * slot, gsize n)
{
  CsScratch larger = { NULL, 0 };
  const gsize size = (slot->n_points + n) * sizeof (CsHullVertex);

  if (slot->points.data && size <= slot->points.size)
    return TRUE;
  if (slot->error || !cs_scratch_ensure (&larger, size + size / 2,
          &slot->error))
    return FALSE;
  if (slot->n_points > 0)
    memcpy (larger.data, slot->points.data,
        slot->n_points * sizeof (CsHullVertex));
  cs_scratch_clear (&slot->points);
  slot->points = larger;
  return TRUE;
}

static inline void
add_point (CsHullSlot * slot, double x, double y, guint64 index)
{
  CsHullVertex *vertex =
      (CsHullVertex *) slot->points.data + slot->n_points++;

  vertex->x = x;
  vertex->y = y;
  vertex->index = index;
}

/* Replaces @slot's points by their hull when they have become many. */
static gboolean
reduce_points (const CsHullCpu * cpu, CsHullSlot * slot)
{
  if (slot->n_points < slot->reduce_at)
    return TRUE;
  if (!cs_hull_chain (&slot->chain, slot->points.data, slot->n_points,
          cpu->params->include_collinear, &slot->error))
    return FALSE;
  memcpy (slot->points.data, slot->chain.hull,
      slot->chain.n * sizeof (CsHullVertex));
  slot->n_points = slot->chain.n;
  slot->reduce_at = MAX (REDUCE, 2 * slot->n_points);
  return TRUE;
}

/* Adds point i of the input to @slot unless it cannot count. */
static inline void
take_point (CsHullSlot * slot, const CsHullInput * input,
    const CsHullFilter * filter, gsize i)
{
  double x, y;

  load_point (input, i, &x, &y);
  if (!isfinite (x) || !isfinite (y))
    slot->n_ignored++;
  else if (!filter || !cs_hull_filter_inside_y (filter, x, y))
    add_point (slot, x, y, i);
}

/* Points first .. first + n - 1, n <= BLOCK, packed in @slot if they are
 * not. */
static const void *
pack_block (CsHullSlot * slot, const CsHullInput * input, gsize first, gsize n)
{
  const guint8 *from = (const guint8 *) input->points + first * input->stride;
  const gsize size = cs_hull_type_size (input->type);
  gsize i;

  if (input->stride == size)
    return from;
  for (i = 0; i < n; i++)
    memcpy (slot->block + i * size, from + i * input->stride, size);
  return slot->block;
}

static void
filter_block (CsHullSlot * slot, const CsHullInput * input,
    const CsHullFilter * filter, gsize first, gsize n)
{
  guint64 keep[BLOCK / 8];
  gsize word, i;

  keep[(n - 1) / 8] = 0;
  cs_hull_filter_block (filter, input->type,
      pack_block (slot, input, first, n), n, (guint8 *) keep);
  for (word = 0; 8 * word < n; word++) {
    if (keep[word] == 0)
      continue;
    for (i = 8 * word; i < MIN (8 * word + 8, n); i++) {
      if (((const guint8 *) keep)[i])
        take_point (slot, input, filter, first + i);
    }
  }
}

/* Adds what may be on the hull of points first .. end - 1 to @slot. */
static void
take_points (const CsHullCpu * cpu, CsHullSlot * slot,
    const CsHullInput * input, const CsHullFilter * filter, gsize first,
    gsize end)
{
  gsize i, n;

  for (; first < end; first += n) {
    n = MIN (BLOCK, end - first);
    if (!reserve_points (slot, n))
      return;
    if (filter) {
      filter_block (slot, input, filter, first, n);
    } else {
      for (i = first; i < first + n; i++)
        take_point (slot, input, NULL, i);
    }
    if (!reduce_points (cpu, slot))
      return;
  }
}

/* --- One set -------------------------------------------------------------- */

static guint
n_bins_for (gsize n)
{
  guint n_bins = CS_HULL_MAX_BINS;

  while (n_bins > 64 && n_bins > n / 16)
    n_bins /= 2;
  return n_bins;
}

static gsize
n_sample_for (gsize n)
{
  return CLAMP (n / 32, 32, MAX_SAMPLE);
}

/* The filter of a sample of points first .. end - 1, or %NULL if there is none
 * that would do. */
static const CsHullFilter *
sample_input (CsHullSlot * slot, const CsHullInput * input, gsize first,
    gsize end)
{
  const gsize n = end - first, n_sample = n_sample_for (n);
  const gsize step = n / n_sample;
  gsize i;

  slot->n_points = 0;
  if (!reserve_points (slot, n_sample))
    return NULL;
  for (i = 0; i < n_sample; i++)
    take_point (slot, input, NULL, first + i * step);
  slot->n_ignored = 0;
  if (!cs_hull_chain (&slot->chain, slot->points.data, slot->n_points, FALSE,
          &slot->error))
    return NULL;
  slot->n_points = 0;
  if (!cs_hull_filter_init (slot->filter, slot->chain.hull, slot->chain.n,
          input->type, n_bins_for (n)))
    return NULL;
  return slot->filter;
}

/* Drops of @slot's points what lies inside the hull of a sample of them. FALSE
 * if that was hardly anything, or on error. */
static gboolean
filter_again (CsHullSlot * slot)
{
  const gsize n = slot->n_points, n_sample = CLAMP (n / 4, 256, MAX_SAMPLE);
  CsHullVertex *points = slot->points.data;
  gsize i, kept = 0;

  if (!reserve_points (slot, n_sample))
    return FALSE;
  points = slot->points.data;
  for (i = 0; i < n_sample; i++)
    points[n + i] = points[i * (n / n_sample)];
  if (!cs_hull_chain (&slot->chain, points + n, n_sample, FALSE, &slot->error))
    return FALSE;
  if (!cs_hull_filter_init (slot->filter, slot->chain.hull, slot->chain.n,
          CS_HULL_F64, n_bins_for (n)))
    return FALSE;
  for (i = 0; i < n; i++) {
    const CsHullVertex p = points[i];

    points[kept] = p;
    kept += !cs_hull_filter_inside_x (slot->filter, p.x, p.y) &&
        !cs_hull_filter_inside_y (slot->filter, p.x, p.y);
  }
  slot->n_points = kept;
  return kept < n - n / 4;
}

typedef struct
{
  const CsHullCpu *cpu;
  CsHullSlot *slots;
  const CsHullInput *input;
  const CsHullFilter *filter;
  gsize first, end;
  gint next_chunk;
} SetJob;

static void
take_chunks (void *user_data, guint index)
{
  SetJob *job = user_data;
  const gsize n_chunks = (job->end - job->first + CHUNK - 1) / CHUNK;
  gsize chunk;

  while ((chunk = (guint) g_atomic_int_add (&job->next_chunk, 1)) < n_chunks) {
    const gsize first = job->first + chunk * CHUNK;

    take_points (job->cpu, &job->slots[index], job->input, job->filter, first,
        MIN (first + CHUNK, job->end));
  }
}

/* Moves the points of the other slots to the first. */
static gboolean
gather_slots (CsHullSlot * slots, guint n_slots)
{
  guint i;

  for (i = 0; i < n_slots; i++) {
    CsHullSlot *slot = &slots[i];

    if (slot->error)
      g_propagate_error (&slots->error, g_steal_pointer (&slot->error));
    if (slots->error)
      return FALSE;
    if (i == 0)
      continue;
    if (!reserve_points (slots, slot->n_points))
      return FALSE;
    if (slot->n_points > 0)
      memcpy ((CsHullVertex *) slots->points.data + slots->n_points,
          slot->points.data, slot->n_points * sizeof (CsHullVertex));
    slots->n_points += slot->n_points;
    slots->n_ignored += slot->n_ignored;
    slot->n_points = slot->n_ignored = 0;
  }
  return TRUE;
}

static void
add_pass (CsHullStats * stats, gsize survivors)
{
  if (stats->n_passes < CS_HULL_MAX_PASSES)
    stats->survivors[stats->n_passes++] = survivors;
}

/* The hull of @slot's points, which are left of @n, into its chain. */
static gboolean
finish_set (const CsHullCpu * cpu, CsHullSlot * slot, gsize n)
{
  guint pass;

  /* when the first pass kept most points another one would too */
  for (pass = 1; pass < CS_HULL_MAX_PASSES && slot->n_points > ANOTHER_PASS &&
      slot->n_points < n / 2; pass++) {
    const gboolean paid = filter_again (slot);

    if (slot->error)
      return FALSE;
    add_pass (&slot->stats, slot->n_points);
    if (!paid)
      break;
  }
  slot->stats.sorted = slot->n_points;
  return cs_hull_chain (&slot->chain, slot->points.data, slot->n_points,
      cpu->params->include_collinear, &slot->error);
}

/* The hull of points first .. end - 1 into slots[0].chain, with @n_slots
 * threads. */
static gboolean
find_hull (const CsHullCpu * cpu, CsHullSlot * slots, guint n_slots,
    const CsHullInput * input, gsize first, gsize end)
{
  SetJob job = { cpu, slots, input, NULL, first, end, 0 };
  guint i;

  for (i = 0; i < n_slots; i++) {
    slots[i].n_points = 0;
    slots[i].reduce_at = REDUCE;
  }
  memset (&slots->stats, 0, sizeof (slots->stats));
  if (end - first > DIRECT) {
    const gsize n_ignored = slots->n_ignored;

    job.filter = sample_input (slots, input, first, end);
    slots->n_ignored = n_ignored;
    if (slots->error)
      return FALSE;
  }
  if (n_slots > 1)
    cs_executor_parallel_for (cpu->executor, n_slots, take_chunks, &job);
  else
    take_points (cpu, slots, input, job.filter, first, end);
  if (!gather_slots (slots, n_slots))
    return FALSE;
  if (job.filter)
    add_pass (&slots->stats, slots->n_points);
  return finish_set (cpu, slots, end - first);
}

/* --- Results -------------------------------------------------------------- */

/* Keeps the indices of the hull in @slot's chain as those of @set. */
static gboolean
store_hull (CsHullSlot * slot, CsHullSet * set)
{
  const gsize n = slot->chain.n, size = (slot->n_result + n) * sizeof (guint32);
  guint32 *to;
  gsize i;

  set->n = n;
  if (n == 0)
    return TRUE;
  if (!slot->result.data || size > slot->result.size) {
    CsScratch larger = { NULL, 0 };

    if (!cs_scratch_ensure (&larger, size + size / 2, &slot->error))
      return FALSE;
    if (slot->n_result > 0)
      memcpy (larger.data, slot->result.data,
          slot->n_result * sizeof (guint32));
    cs_scratch_clear (&slot->result);
    slot->result = larger;
  }
  set->slot = slot;
  set->start = slot->n_result;
  to = (guint32 *) slot->result.data + slot->n_result;
  for (i = 0; i < n; i++)
    to[i] = slot->chain.hull[i].index;
  slot->n_result += n;
  return TRUE;
}

static inline const guint32 *
set_indices (const CsHullSet * set)
{
  return (const guint32 *) set->slot->result.data + set->start;
}

/* --- Many sets ------------------------------------------------------------ */

typedef struct
{
  CsHullCpu *cpu;
  const CsHullInput *input;
  CsHullSet *sets;
  gint next_chunk;
} BatchJob;

/* The first polyline that begins at @point or later. */
static gsize
first_polyline_at (const CsHullInput * input, gsize point)
{
  gsize low = 0, high = input->n_polylines;

  while (low < high) {
    const gsize middle = low + (high - low) / 2;

    if (input->offsets[middle] < point)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static inline gboolean
is_shared (const CsHullCpu * cpu, const CsHullInput * input, gsize i)
{
  return cpu->n_slots > 1 &&
      input->offsets[i + 1] - input->offsets[i] > SHARED;
}

static void
find_batch (void *user_data, guint index)
{
  BatchJob *job = user_data;
  CsHullSlot *slot = &job->cpu->slots[index];
  const CsHullInput *input = job->input;
  const gsize n_chunks = input->n_points / BATCH_CHUNK + 1;
  gsize chunk, i;

  while ((chunk = (guint) g_atomic_int_add (&job->next_chunk, 1)) < n_chunks) {
    const gsize end = chunk + 1 < n_chunks ?
        first_polyline_at (input, (chunk + 1) * BATCH_CHUNK) :
        input->n_polylines;

    for (i = first_polyline_at (input, chunk * BATCH_CHUNK); i < end; i++) {
      if (is_shared (job->cpu, input, i))
        continue;
      if (!find_hull (job->cpu, slot, 1, input, input->offsets[i],
              input->offsets[i + 1]) || !store_hull (slot, &job->sets[i]))
        return;
    }
  }
}

/* Adds up what the slots ignored, and passes on what failed. */
static gboolean
collect_slots (CsHullCpu * cpu, gsize * n_ignored, GError ** error)
{
  GError *first = NULL;
  guint i;

  *n_ignored = 0;
  for (i = 0; i < cpu->n_slots; i++) {
    CsHullSlot *slot = &cpu->slots[i];

    *n_ignored += slot->n_ignored;
    if (slot->error && !first)
      first = g_steal_pointer (&slot->error);
    g_clear_error (&slot->error);
  }
  if (first)
    g_propagate_error (error, first);
  return first == NULL;
}

static gboolean
find_per_contour (CsHullCpu * cpu, const CsHullInput * input, CsHullSet * sets,
    gsize * n_ignored, GError ** error)
{
  BatchJob job = { cpu, input, sets, 0 };
  const guint n_slots = MIN (cpu->n_slots, input->n_points / BATCH_CHUNK + 1);
  gsize i;

  cs_executor_parallel_for (cpu->executor, n_slots, find_batch, &job);
  for (i = 0; i < input->n_polylines && cpu->n_slots > 1; i++) {
    if (is_shared (cpu, input, i) && (!find_hull (cpu, cpu->slots,
                cpu->n_slots, input, input->offsets[i],
                input->offsets[i + 1]) || !store_hull (cpu->slots, &sets[i])))
      break;
  }
  return collect_slots (cpu, n_ignored, error);
}

/* The vertices of the polylines' hulls are what the classes' hulls are made
 * of. */
static gboolean
find_per_class (CsHullCpu * cpu, const CsHullInput * input,
    CsHullSet * classes, gsize * n_ignored, GError ** error)
{
  const gsize n_classes = cpu->params->n_classes;
  CsHullSlot *slot = cpu->slots;
  CsHullSet *sets;
  gsize i, c, *next;

  sets = cs_scratch_ensure (&cpu->class_sets, (input->n_polylines + 1) *
      (sizeof (CsHullSet) + sizeof (gsize)) + n_classes * sizeof (gsize),
      error);
  if (!sets)
    return FALSE;
  memset (sets, 0, input->n_polylines * sizeof (*sets));
  if (!find_per_contour (cpu, input, sets, n_ignored, error))
    return FALSE;

  /* lists of the polylines of each class; n_polylines ends one */
  next = (gsize *) (sets + input->n_polylines + 1);
  for (c = 0; c < n_classes; c++)
    next[input->n_polylines + c] = input->n_polylines;
  for (i = input->n_polylines; i-- > 0;) {
    const guint32 class_id = input->contours[i].class_id;

    if (class_id < n_classes) {
      next[i] = next[input->n_polylines + class_id];
      next[input->n_polylines + class_id] = i;
    }
  }

  for (c = 0; c < n_classes; c++) {
    slot->n_points = 0;
    for (i = next[input->n_polylines + c]; i < input->n_polylines;
        i = next[i]) {
      gsize k;

      if (sets[i].n == 0)
        continue;
      if (!reserve_points (slot, sets[i].n))
        return collect_slots (cpu, n_ignored, error);
      for (k = 0; k < sets[i].n; k++)
        take_point (slot, input, NULL, set_indices (&sets[i])[k]);
    }
    if (!finish_set (cpu, slot, input->n_points) ||
        !store_hull (slot, &classes[c]))
      return collect_slots (cpu, n_ignored, error);
  }
  return TRUE;
}

/* --- Masks ---------------------------------------------------------------- */

typedef struct
{
  CsHullCpu *cpu;
  const CsImage *mask;
  double level;
  gint next_chunk;
} MaskJob;

#define MASK_ROWS 16

static gboolean
row_is_empty (const MaskJob * job, guint y)
{
  guint first, last;

  return !cs_hull_mask_row (job->mask, y, job->level, &first, &last);
}

/* Only a row's ends can be vertices; with collinear points also whatever lies
 * on the uppermost and the lowest row. */
static void
take_row (CsHullSlot * slot, const MaskJob * job, guint y, gboolean whole)
{
  const guint64 row = (guint64) y * job->mask->width;
  guint first, last, x;

  if (!cs_hull_mask_row (job->mask, y, job->level, &first, &last))
    return;
  if (!reserve_points (slot, whole ? last - first + 1 : 2))
    return;
  add_point (slot, first, y, row + first);
  for (x = first + 1; whole && x < last; x++) {
    if (cs_hull_mask_pixel (job->mask, x, y, job->level))
      add_point (slot, x, y, row + x);
  }
  if (last > first)
    add_point (slot, last, y, row + last);
}

static void
take_rows (void *user_data, guint index)
{
  MaskJob *job = user_data;
  CsHullSlot *slot = &job->cpu->slots[index];
  const guint height = job->mask->height;
  guint chunk, first, last, y, end;

  while ((chunk = (guint) g_atomic_int_add (&job->next_chunk, 1)) <
      (height + MASK_ROWS - 1) / MASK_ROWS) {
    end = MIN ((chunk + 1) * MASK_ROWS, height);
    if (!job->cpu->params->include_collinear) {
      for (y = chunk * MASK_ROWS; y < end; y++)
        take_row (slot, job, y, FALSE);
    } else {
      /* rows that may be the image's outermost: the chunk's outermost */
      first = chunk * MASK_ROWS;
      while (first < end && row_is_empty (job, first))
        first++;
      last = end;
      while (last > first && row_is_empty (job, last - 1))
        last--;
      for (y = first; y < last; y++)
        take_row (slot, job, y, y == first || y + 1 == last);
    }
    if (!reduce_points (job->cpu, slot))
      return;
  }
}

static gboolean
find_mask (CsHullCpu * cpu, const CsHullInput * input, CsHullSet * set,
    GError ** error)
{
  MaskJob job = { cpu, input->mask, input->level, 0 };
  gsize n_ignored;
  guint i;

  for (i = 0; i < cpu->n_slots; i++) {
    cpu->slots[i].n_points = 0;
    cpu->slots[i].reduce_at = REDUCE;
  }
  memset (&cpu->slots->stats, 0, sizeof (cpu->slots->stats));
  if (input->mask->width > 0 && input->mask->height > 0)
    cs_executor_parallel_for (cpu->executor,
        MIN (cpu->n_slots, (input->mask->height + MASK_ROWS - 1) / MASK_ROWS),
        take_rows, &job);
  if (gather_slots (cpu->slots, cpu->n_slots) &&
      finish_set (cpu, cpu->slots, 0))
    store_hull (cpu->slots, set);
  return collect_slots (cpu, &n_ignored, error);
}

/* --- Output --------------------------------------------------------------- */

typedef struct
{
  CsHullCpu *cpu;
  const CsHullInput *input;
  const CsHullOutput *output;
  const CsHullSet *sets;
  const gsize *set_of_hull;
  gint next_chunk;
} EmitJob;

static void
load_index (const CsHullInput * input, guint32 index, double *x, double *y)
{
  if (input->mask) {
    *x = index % input->mask->width;
    *y = index / input->mask->width;
  } else {
    load_point (input, index, x, y);
  }
}

/* Point @index in the form asked for to position @at of the output. */
static void
emit_point (const EmitJob * job, guint32 index, gsize at)
{
  const CsHullInput *input = job->input;
  double x, y;

  if (job->output->indices)
    job->output->indices[at] = index;
  if (job->cpu->params->points == CS_HULL_POINTS_NONE)
    return;
  if (job->cpu->params->points == CS_HULL_POINTS_INPUT && !input->mask) {
    const gsize size = cs_hull_type_size (input->type);

    memcpy ((guint8 *) job->output->points + at * size,
        (const guint8 *) input->points + index * input->stride, size);
    return;
  }
  load_index (input, index, &x, &y);
  if (job->cpu->params->points == CS_HULL_POINTS_INPUT) {
    ((gint32 *) job->output->points)[2 * at] = x;
    ((gint32 *) job->output->points)[2 * at + 1] = y;
  } else {
    ((float *) job->output->points)[2 * at] = x;
    ((float *) job->output->points)[2 * at + 1] = y;
  }
}

/* The strict vertices among a hull's @n at @v, in place. */
static guint
strict_vertices (double *v, guint n)
{
  const double x0 = v[0], y0 = v[1];
  guint i, n_strict = 0;

  if (n < 3)
    return n;
  for (i = 0; i < n; i++) {
    const double x = v[2 * i], y = v[2 * i + 1];
    const double next_x = i + 1 < n ? v[2 * i + 2] : x0;
    const double next_y = i + 1 < n ? v[2 * i + 3] : y0;
    const double *before = v + 2 * (n_strict > 0 ? n_strict - 1 : n - 1);

    if (cs_hull_orient (before[0], before[1], x, y, next_x, next_y) != 0) {
      v[2 * n_strict] = x;
      v[2 * n_strict++ + 1] = y;
    }
  }
  if (n_strict == 0) {
    v[2] = v[2 * n - 2];
    v[3] = v[2 * n - 1];
    n_strict = 2;
  }
  return n_strict;
}

static gboolean
emit_hull (const EmitJob * job, CsHullSlot * slot, gsize hull)
{
  const gsize set_index = job->set_of_hull[hull];
  const CsHullSet *set = &job->sets[set_index];
  const guint32 *indices = set_indices (set);
  const gsize start = job->output->offsets[hull];
  CsContour *record = &job->output->hulls[hull];
  double area, *v;
  gsize i;
  guint n;

  v = cs_scratch_ensure (&slot->vertices, 2 * set->n * sizeof (double),
      &slot->error);
  if (!v)
    return FALSE;
  for (i = 0; i < set->n; i++) {
    emit_point (job, indices[i], start + i);
    load_index (job->input, indices[i], &v[2 * i], &v[2 * i + 1]);
  }
  if (job->cpu->params->closed)
    emit_point (job, indices[0], start + set->n);

  n = job->cpu->params->include_collinear ? strict_vertices (v, set->n) :
      set->n;
  cs_hull_record_init (job->cpu->params, job->input, set_index, record, &area);
  record->id = cs_ids_get (job->input->first_id, hull);
  cs_hull_measure (v, n, job->cpu->params->measures, area, record,
      job->output->features ? &job->output->features[hull] : NULL);
  return TRUE;
}

static void
emit_hulls (void *user_data, guint index)
{
  EmitJob *job = user_data;
  const gsize n_hulls = job->output->n_hulls;
  gsize chunk, hull;

  while ((chunk = (guint) g_atomic_int_add (&job->next_chunk, 1)) *
      EMIT_CHUNK < n_hulls) {
    for (hull = chunk * EMIT_CHUNK;
        hull < MIN ((chunk + 1) * EMIT_CHUNK, n_hulls); hull++) {
      if (!emit_hull (job, &job->cpu->slots[index], hull))
        return;
    }
  }
}

static gboolean
emit (CsHullCpu * cpu, const CsHullInput * input, const CsHullSet * sets,
    gsize n_sets, CsHullOutput * output, GError ** error)
{
  EmitJob job = { cpu, input, output, sets, NULL, 0 };
  const gsize closing = cpu->params->closed ? 1 : 0;
  CsHullLayout layout;
  gsize *set_of_hull, i, at, n_ignored;
  void *block;

  set_of_hull = cs_scratch_ensure (&cpu->set_of_hull,
      (n_sets + 1) * sizeof (gsize), error);
  if (!set_of_hull)
    return FALSE;
  for (i = 0; i < n_sets; i++) {
    if (sets[i].n > 0) {
      set_of_hull[output->n_hulls++] = i;
      output->n_points += sets[i].n + closing;
    }
  }
  job.set_of_hull = set_of_hull;

  cs_hull_layout (cpu->params, cs_hull_input_type (input), output->n_hulls,
      output->n_points, &layout);
  block = output->alloc (output->user_data, layout.size, TRUE);
  if (!block) {
    g_set_error (error, CS_ERROR, CS_ERROR_NO_MEMORY,
        "no %" G_GSIZE_FORMAT " bytes for the hulls", layout.size);
    return FALSE;
  }
  cs_hull_output_set_host (output, cpu->params, &layout, block);
  for (i = at = 0; i < output->n_hulls; i++) {
    output->offsets[i] = at;
    at += sets[set_of_hull[i]].n + closing;
  }
  output->offsets[i] = at;

  cs_executor_parallel_for (cpu->executor,
      MIN (cpu->n_slots, output->n_hulls / EMIT_CHUNK + 1), emit_hulls, &job);
  return collect_slots (cpu, &n_ignored, error);
}

/* --- Backend -------------------------------------------------------------- */

static void
cpu_destroy (void *state)
{
  CsHullCpu *cpu = state;
  guint i;

  for (i = 0; i < cpu->n_slots; i++) {
    CsHullSlot *slot = &cpu->slots[i];

    cs_hull_chain_clear (&slot->chain);
    cs_scratch_clear (&slot->points);
    cs_scratch_clear (&slot->result);
    cs_scratch_clear (&slot->vertices);
    g_free (slot->filter);
    g_free (slot->block);
  }
  cs_scratch_clear (&cpu->sets);
  cs_scratch_clear (&cpu->class_sets);
  cs_scratch_clear (&cpu->set_of_hull);
  g_free (cpu->slots);
  g_free (cpu);
}

static void *
cpu_create (const CsHull * plan, GError ** error)
{
  CsHullCpu *cpu = g_new0 (CsHullCpu, 1);
  guint i;

  cpu->params = &plan->params;
  cpu->executor = plan->executor;
  cpu->n_slots = cs_executor_get_n_threads (plan->executor);
  cpu->slots = g_new0 (CsHullSlot, cpu->n_slots);
  for (i = 0; i < cpu->n_slots; i++) {
    cpu->slots[i].filter = g_new (CsHullFilter, 1);
    cpu->slots[i].block = g_malloc (BLOCK * 2 * sizeof (double));
  }
  return cpu;
}

static gsize
n_sets_for (const CsHullCpu * cpu, const CsHullInput * input)
{
  return cs_hull_max_hulls (cpu->params, input);
}

static gboolean
cpu_warm_up (void *state, const CsHullInput * input, GError ** error)
{
  CsHullCpu *cpu = state;

  return cs_scratch_ensure (&cpu->sets,
      (n_sets_for (cpu, input) + 1) * sizeof (CsHullSet), error) != NULL;
}

static gboolean
find_sets (CsHullCpu * cpu, const CsHullInput * input, CsHullSet * sets,
    gsize * n_ignored, GError ** error)
{
  const guint n_slots = input->n_points > SHARED ? cpu->n_slots : 1;

  if (input->mask)
    return find_mask (cpu, input, sets, error);
  if (cpu->params->scope == CS_HULL_SCOPE_PER_CLASS)
    return find_per_class (cpu, input, sets, n_ignored, error);
  if (cpu->params->scope == CS_HULL_SCOPE_PER_CONTOUR && input->offsets)
    return find_per_contour (cpu, input, sets, n_ignored, error);
  if (find_hull (cpu, cpu->slots, n_slots, input, 0, input->n_points))
    store_hull (cpu->slots, sets);
  return collect_slots (cpu, n_ignored, error);
}

static gboolean
cpu_run (void *state, const CsHullInput * input, CsHullOutput * output,
    GError ** error)
{
  CsHullCpu *cpu = state;
  const gsize n_sets = n_sets_for (cpu, input);
  CsHullSet *sets;
  guint i;

  if ((input->mask ? input->mask->memory : input->memory) ==
      CS_MEMORY_DEVICE) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "the CPU cannot read points in GPU memory: download them first");
    return FALSE;
  }
  sets = cs_scratch_ensure (&cpu->sets, (n_sets + 1) * sizeof (CsHullSet),
      error);
  if (!sets)
    return FALSE;
  memset (sets, 0, n_sets * sizeof (CsHullSet));
  for (i = 0; i < cpu->n_slots; i++)
    cpu->slots[i].n_result = cpu->slots[i].n_ignored = 0;
  return find_sets (cpu, input, sets, &output->n_ignored, error) &&
      emit (cpu, input, sets, n_sets, output, error);
}

static void
cpu_get_stats (const void *state, CsHullStats * stats)
{
  *stats = ((const CsHullCpu *) state)->slots->stats;
}

const CsHullBackend cs_hull_cpu_backend = {
  .create = cpu_create,
  .warm_up = cpu_warm_up,
  .run = cpu_run,
  .get_stats = cpu_get_stats,
  .destroy = cpu_destroy,
};
