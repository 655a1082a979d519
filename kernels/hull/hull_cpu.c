/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hull_cpu.h"

#include <string.h>

#include "base/sort.h"

static void
cpu_destroy (void *state)
{
  CsHullCpu *cpu = state;

  for (guint i = 0; i < cpu->n_slots; i++) {
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

  cpu->params = &plan->params;
  cpu->executor = plan->executor;
  cpu->n_slots = cs_executor_get_n_threads (plan->executor);
  cpu->slots = g_new0 (CsHullSlot, cpu->n_slots);
  for (guint i = 0; i < cpu->n_slots; i++) {
    cpu->slots[i].filter = g_new (CsHullFilter, 1);
    cpu->slots[i].block = g_malloc (CS_HULL_BLOCK * 2 * sizeof (double));
  }
  return cpu;
}

static gboolean
cpu_warm_up (void *state, const CsHullInput * input, GError ** error)
{
  CsHullCpu *cpu = state;

  return cs_scratch_ensure (&cpu->sets,
      (cs_hull_max_hulls (cpu->params, input) + 1) * sizeof (CsHullSet),
      error) != NULL;
}

/* The hulls of many sets: of contours, of classes. */

/* Points of a batch that a thread takes at a time. */
#define CHUNK 8192

typedef struct
{
  CsHullCpu *cpu;
  const CsHullInput *input;
  CsHullSet *sets;
  gint next_chunk;
} BatchJob;

static inline gboolean
is_shared (const CsHullCpu * cpu, const CsHullInput * input, gsize i)
{
  return cpu->n_slots > 1 &&
      input->offsets[i + 1] - input->offsets[i] > CS_HULL_SHARED;
}

static void
find_batch (void *user_data, guint index)
{
  BatchJob *job = user_data;
  CsHullSlot *slot = &job->cpu->slots[index];
  const CsHullInput *input = job->input;
  const gsize n_chunks = input->n_points / CHUNK + 1;
  gsize chunk, i;

  while ((chunk = (guint) g_atomic_int_add (&job->next_chunk, 1)) < n_chunks) {
    /* those that begin among the chunk's points */
    const gsize end = chunk + 1 < n_chunks ? cs_lower_bound (input->offsets,
        input->n_polylines, (chunk + 1) * CHUNK) : input->n_polylines;

    i = cs_lower_bound (input->offsets, input->n_polylines, chunk * CHUNK);
    for (; i < end; i++) {
      if (is_shared (job->cpu, input, i))
        continue;
      cs_hull_take (CS_HULL_POLYLINES);
      if ((!cs_hull_find_ring (job->cpu, slot, input, input->offsets[i],
                  input->offsets[i + 1]) &&
              !cs_hull_find_set (job->cpu, slot, 1, input, input->offsets[i],
                  input->offsets[i + 1])) ||
          !cs_hull_store_set (slot, &job->sets[i]))
        return;
    }
  }
}

static gboolean
find_per_contour (CsHullCpu * cpu, const CsHullInput * input,
    CsHullSet * sets, gsize * n_ignored, GError ** error)
{
  BatchJob job = { cpu, input, sets, 0 };
  const guint n_slots = MIN (cpu->n_slots, input->n_points / CHUNK + 1);

  cs_executor_parallel_for (cpu->executor, n_slots, find_batch, &job);
  for (gsize i = 0; i < input->n_polylines && cpu->n_slots > 1; i++) {
    if (!is_shared (cpu, input, i))
      continue;
    cs_hull_take (CS_HULL_POLYLINE_BY_THREADS);
    if (!cs_hull_find_set (cpu, cpu->slots, cpu->n_slots, input,
            input->offsets[i], input->offsets[i + 1]) ||
        !cs_hull_store_set (cpu->slots, &sets[i]))
      break;
  }
  return cs_hull_collect_slots (cpu, n_ignored, error);
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

  cs_hull_take (CS_HULL_CLASSES);
  sets = cs_scratch_ensure (&cpu->class_sets, (input->n_polylines + 1) *
      (sizeof (CsHullSet) + sizeof (gsize)) + n_classes * sizeof (gsize),
      error);
  if (!sets)
    return FALSE;
  memset (sets, 0, input->n_polylines * sizeof (*sets));
  if (!find_per_contour (cpu, input, sets, n_ignored, error))
    return FALSE;

  /* lists of the polylines of each class; n_polylines ends one */
  gsize *next = (gsize *) (sets + input->n_polylines + 1);
  for (gsize c = 0; c < n_classes; c++)
    next[input->n_polylines + c] = input->n_polylines;
  for (gsize i = input->n_polylines; i-- > 0;) {
    const guint32 class_id = input->contours[i].class_id;

    if (class_id < n_classes) {
      next[i] = next[input->n_polylines + class_id];
      next[input->n_polylines + class_id] = i;
    }
  }

  for (gsize c = 0; c < n_classes; c++) {
    slot->n_points = 0;
    for (gsize i = next[input->n_polylines + c]; i < input->n_polylines;
        i = next[i]) {
      if (sets[i].n == 0)
        continue;
      if (!cs_hull_slot_reserve (slot, sets[i].n))
        return cs_hull_collect_slots (cpu, n_ignored, error);
      for (gsize k = 0; k < sets[i].n; k++)
        cs_hull_slot_take_point (slot, input,
            cs_hull_set_indices (&sets[i])[k]);
    }
    if (!cs_hull_finish_set (cpu, slot, input->n_points) ||
        !cs_hull_store_set (slot, &classes[c]))
      return cs_hull_collect_slots (cpu, n_ignored, error);
  }
  return TRUE;
}

static gboolean
find_sets (CsHullCpu * cpu, const CsHullInput * input, CsHullSet * sets,
    gsize * n_ignored, GError ** error)
{
  const guint n_slots = input->n_points > CS_HULL_SHARED ? cpu->n_slots : 1;

  if (input->mask)
    return cs_hull_find_mask (cpu, input, sets, error);
  if (cpu->params->scope == CS_HULL_SCOPE_PER_CLASS)
    return find_per_class (cpu, input, sets, n_ignored, error);
  if (cpu->params->scope == CS_HULL_SCOPE_PER_CONTOUR && input->offsets)
    return find_per_contour (cpu, input, sets, n_ignored, error);
  if (cs_hull_find_set (cpu, cpu->slots, n_slots, input, 0, input->n_points))
    cs_hull_store_set (cpu->slots, sets);
  return cs_hull_collect_slots (cpu, n_ignored, error);
}

static gboolean
cpu_run (void *state, const CsHullInput * input, CsHullOutput * output,
    GError ** error)
{
  CsHullCpu *cpu = state;
  const gsize n_sets = cs_hull_max_hulls (cpu->params, input);

  if ((input->mask ? input->mask->memory : input->memory) == CS_MEMORY_DEVICE)
    return cs_error (error, CS_ERROR_INVALID,
        "the CPU cannot read points in GPU memory: download them first");
  CsHullSet *sets = cs_scratch_ensure (&cpu->sets,
      (n_sets + 1) * sizeof (CsHullSet), error);
  if (!sets)
    return FALSE;
  memset (sets, 0, n_sets * sizeof (CsHullSet));
  for (guint i = 0; i < cpu->n_slots; i++)
    cpu->slots[i].n_result = cpu->slots[i].n_ignored = 0;
  return find_sets (cpu, input, sets, &output->n_ignored, error) &&
      cs_hull_emit (cpu, input, sets, n_sets, output, error);
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
