/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hulls into the output, with their measures. */
#include "hull_cpu.h"

#include <string.h>

#include "base/ids.h"
#include "hull_math.h"
#include "hull_private.h"

/* Hulls that a thread takes at a time, and vertices that are worth one. */
#define CHUNK 16
#define WORTH_A_THREAD 1024

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
    cs_hull_load_point (input->points, input->stride, input->type, index, x, y);
  }
}

/* Writes point @index to place @at of the output, in the form asked for. */
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

    if (cs_orient (before[0], before[1], x, y, next_x, next_y) != 0) {
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
  const guint32 *indices = cs_hull_set_indices (set);
  const gsize start = job->output->offsets[hull];
  CsContour *record = &job->output->hulls[hull];
  double area, *v;

  v = cs_scratch_ensure (&slot->vertices, (job->output->features ? 8 * set->n +
          14 : 2 * set->n) * sizeof (double), &slot->error);
  if (!v)
    return FALSE;
  for (gsize i = 0; i < set->n; i++) {
    emit_point (job, indices[i], start + i);
    load_index (job->input, indices[i], &v[2 * i], &v[2 * i + 1]);
  }
  if (job->cpu->params->closed)
    emit_point (job, indices[0], start + set->n);

  guint n = job->cpu->params->include_collinear ? strict_vertices (v, set->n) :
      set->n;
  cs_hull_record_init (job->cpu->params, job->input, set_index, record, &area);
  record->id = cs_ids_get (job->input->first_id, hull);
  cs_hull_measure (v, n, v + 2 * set->n, job->cpu->params->measures, area,
      record, job->output->features ? &job->output->features[hull] : NULL);
  return TRUE;
}

static void
emit_hulls (void *user_data, guint index)
{
  EmitJob *job = user_data;
  const gsize n_hulls = job->output->n_hulls;
  gsize chunk, hull;

  while ((chunk = (guint) g_atomic_int_add (&job->next_chunk, 1)) *
      CHUNK < n_hulls) {
    for (hull = chunk * CHUNK;
        hull < MIN ((chunk + 1) * CHUNK, n_hulls); hull++) {
      if (!emit_hull (job, &job->cpu->slots[index], hull))
        return;
    }
  }
}

gboolean
cs_hull_emit (CsHullCpu * cpu, const CsHullInput * input,
    const CsHullSet * sets, gsize n_sets, CsHullOutput * output,
    GError ** error)
{
  EmitJob job = { cpu, input, output, sets, NULL, 0 };
  const gsize closing = cpu->params->closed ? 1 : 0;
  CsHullLayout layout;
  gsize *set_of_hull, i, at, n_ignored;

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
  void *block = output->alloc (output->user_data, layout.size, TRUE);
  if (!block)
    return cs_error (error, CS_ERROR_NO_MEMORY, "no %" G_GSIZE_FORMAT
        " bytes for the hulls", layout.size);
  cs_hull_output_set_host (output, cpu->params, &layout, block);
  for (i = at = 0; i < output->n_hulls; i++) {
    output->offsets[i] = at;
    at += sets[set_of_hull[i]].n + closing;
  }
  output->offsets[i] = at;

  cs_executor_parallel_for (cpu->executor,
      MIN (cpu->n_slots, MIN (output->n_hulls / CHUNK, output->n_points /
              WORTH_A_THREAD) + 1), emit_hulls, &job);
  return cs_hull_collect_slots (cpu, &n_ignored, error);
}
