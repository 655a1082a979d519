/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hull of one set of points. */
#include "hull_cpu.h"

#include <string.h>

/* Points a thread takes at a time. */
#define CHUNK 65536
/* Sets up to this size are sorted as they are. */
#define DIRECT 192
/* Survivors that are worth another pass of the filter. */
#define ANOTHER_PASS 2048
#define MAX_SAMPLE 4096
/* A thread replaces the points it has kept by their hull when they are more
 * than this, and twice what was left the last time: so memory stays in
 * proportion to the hull, and sorting within the cache. */
#define REDUCE (1 << 18)

/* --- Points --------------------------------------------------------------- */

/* Room for @n more elements of @size bytes behind the @used ones. */
static gboolean
reserve (CsScratch * scratch, gsize used, gsize n, gsize size, GError ** error)
{
  const gsize all = (used + n) * size;
  CsScratch larger = { NULL, 0 };

  if (scratch->data && all <= scratch->size)
    return TRUE;
  if (*error || !cs_scratch_ensure (&larger, all + all / 2, error))
    return FALSE;
  if (used > 0)
    memcpy (larger.data, scratch->data, used * size);
  cs_scratch_clear (scratch);
  *scratch = larger;
  return TRUE;
}

gboolean
cs_hull_slot_reserve (CsHullSlot * slot, gsize n)
{
  return reserve (&slot->points, slot->n_points, n, sizeof (CsHullVertex),
      &slot->error);
}

gboolean
cs_hull_slot_reduce (const CsHullCpu * cpu, CsHullSlot * slot)
{
  if (slot->n_points < slot->reduce_at)
    return TRUE;
  if (!cs_hull_chain (&slot->chain, slot->points.data, slot->n_points,
          cpu->params->include_collinear, &slot->error))
    return FALSE;
  cs_hull_take (CS_HULL_REDUCED);
  memcpy (slot->points.data, slot->chain.hull,
      slot->chain.n * sizeof (CsHullVertex));
  slot->n_points = slot->chain.n;
  slot->reduce_at = MAX (REDUCE, 2 * slot->n_points);
  return TRUE;
}

/* Points first .. first + n - 1, n <= CS_HULL_BLOCK, without gaps: where they
 * are, or copied to @slot. */
static const void *
pack_block (CsHullSlot * slot, const CsHullInput * input, gsize first, gsize n)
{
  const guint8 *from = (const guint8 *) input->points + first * input->stride;
  const gsize size = cs_hull_type_size (input->type);

  if (input->stride == size)
    return from;
  cs_hull_take (CS_HULL_PACKED);
  for (gsize i = 0; i < n; i++)
    memcpy (slot->block + i * size, from + i * input->stride, size);
  return slot->block;
}

static void
filter_block (CsHullSlot * slot, const CsHullInput * input,
    const CsHullFilter * filter, gsize first, gsize n)
{
  guint16 kept[CS_HULL_BLOCK];
  const guint n_kept = cs_hull_filter_block (filter, input->type,
      pack_block (slot, input, first, n), n, kept);

  for (guint i = 0; i < n_kept; i++)
    cs_hull_slot_take_point (slot, input, first + kept[i]);
}

/* Adds what may be on the hull of points first .. end - 1 to @slot. */
static void
take_points (const CsHullCpu * cpu, CsHullSlot * slot,
    const CsHullInput * input, const CsHullFilter * filter, gsize first,
    gsize end)
{
  gsize i, n;

  for (; first < end; first += n) {
    n = MIN (CS_HULL_BLOCK, end - first);
    if (!cs_hull_slot_reserve (slot, n))
      return;
    if (filter) {
      filter_block (slot, input, filter, first, n);
    } else {
      for (i = first; i < first + n; i++)
        cs_hull_slot_take_point (slot, input, i);
    }
    if (!cs_hull_slot_reduce (cpu, slot))
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

  slot->n_points = 0;
  if (!cs_hull_slot_reserve (slot, n_sample))
    return NULL;
  for (gsize i = 0; i < n_sample; i++)
    cs_hull_slot_take_point (slot, input, first + i * step);
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

  if (!cs_hull_slot_reserve (slot, n_sample))
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

void
cs_hull_reset_slots (CsHullSlot * slots, guint n_slots)
{
  for (guint i = 0; i < n_slots; i++) {
    slots[i].n_points = 0;
    slots[i].reduce_at = REDUCE;
  }
  memset (&slots->stats, 0, sizeof (slots->stats));
}

gboolean
cs_hull_gather_slots (CsHullSlot * slots, guint n_slots)
{
  for (guint i = 0; i < n_slots; i++) {
    CsHullSlot *slot = &slots[i];

    if (slot->error)
      g_propagate_error (&slots->error, g_steal_pointer (&slot->error));
    if (slots->error)
      return FALSE;
    if (i == 0)
      continue;
    if (!cs_hull_slot_reserve (slots, slot->n_points))
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

gboolean
cs_hull_finish_set (const CsHullCpu * cpu, CsHullSlot * slot, gsize n)
{
  guint pass;

  /* when the first pass kept most points another one would too */
  if (slot->n_points > ANOTHER_PASS && slot->n_points >= n / 2)
    cs_hull_take (CS_HULL_MOST_KEPT);
  for (pass = 1; pass < CS_HULL_MAX_PASSES && slot->n_points > ANOTHER_PASS &&
      slot->n_points < n / 2; pass++) {
    const gboolean paid = filter_again (slot);

    if (slot->error)
      return FALSE;
    add_pass (&slot->stats, slot->n_points);
    cs_hull_take (paid ? CS_HULL_AGAIN : CS_HULL_AGAIN_IN_VAIN);
    if (!paid)
      break;
  }
  slot->stats.sorted = slot->n_points;
  return cs_hull_chain (&slot->chain, slot->points.data, slot->n_points,
      cpu->params->include_collinear, &slot->error);
}

gboolean
cs_hull_find_set (const CsHullCpu * cpu, CsHullSlot * slots, guint n_slots,
    const CsHullInput * input, gsize first, gsize end)
{
  SetJob job = { cpu, slots, input, NULL, first, end, 0 };

  cs_hull_reset_slots (slots, n_slots);
  if (end - first > DIRECT) {
    const gsize n_ignored = slots->n_ignored;

    job.filter = sample_input (slots, input, first, end);
    slots->n_ignored = n_ignored;
    if (slots->error)
      return FALSE;
    cs_hull_take (job.filter ? CS_HULL_FILTERED : CS_HULL_NO_FILTER);
  } else {
    cs_hull_take (CS_HULL_WHOLE);
  }
  if (n_slots > 1)
    cs_hull_take (CS_HULL_BY_THREADS);
  if (n_slots > 1)
    cs_executor_parallel_for (cpu->executor, n_slots, take_chunks, &job);
  else
    take_points (cpu, slots, input, job.filter, first, end);
  if (!cs_hull_gather_slots (slots, n_slots))
    return FALSE;
  if (job.filter)
    add_pass (&slots->stats, slots->n_points);
  return cs_hull_finish_set (cpu, slots, end - first);
}

/* --- Results -------------------------------------------------------------- */

gboolean
cs_hull_store_set (CsHullSlot * slot, CsHullSet * set)
{
  const gsize n = slot->chain.n;

  set->n = n;
  if (n == 0)
    return TRUE;
  if (!reserve (&slot->result, slot->n_result, n, sizeof (guint32),
          &slot->error))
    return FALSE;
  set->slot = slot;
  set->start = slot->n_result;
  guint32 *to = (guint32 *) slot->result.data + slot->n_result;
  for (gsize i = 0; i < n; i++)
    to[i] = slot->chain.hull[i].index;
  slot->n_result += n;
  return TRUE;
}

gboolean
cs_hull_collect_slots (CsHullCpu * cpu, gsize * n_ignored, GError ** error)
{
  GError *first = NULL;

  *n_ignored = 0;
  for (guint i = 0; i < cpu->n_slots; i++) {
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
