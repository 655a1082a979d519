/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hull_cpu.h"

#include <string.h>

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
  const guint n_slots = input->n_points > CS_HULL_SHARED ? cpu->n_slots : 1;

  if (input->mask)
    return cs_hull_find_mask (cpu, input, sets, error);
  if (cpu->params->scope == CS_HULL_SCOPE_PER_CLASS)
    return cs_hull_find_per_class (cpu, input, sets, n_ignored, error);
  if (cpu->params->scope == CS_HULL_SCOPE_PER_CONTOUR && input->offsets)
    return cs_hull_find_per_contour (cpu, input, sets, n_ignored, error);
  if (cs_hull_find_set (cpu, cpu->slots, n_slots, input, 0, input->n_points))
    cs_hull_store_set (cpu->slots, sets);
  return cs_hull_collect_slots (cpu, n_ignored, error);
}

static gboolean
cpu_run (void *state, const CsHullInput * input, CsHullOutput * output,
    GError ** error)
{
  CsHullCpu *cpu = state;
  const gsize n_sets = n_sets_for (cpu, input);

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
