/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hull of a mask. */
#include "hull_cpu.h"

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
  if (!cs_hull_slot_reserve (slot, whole ? last - first + 1 : 2))
    return;
  cs_hull_slot_add_point (slot, first, y, row + first);
  for (x = first + 1; whole && x < last; x++) {
    if (cs_hull_mask_pixel (job->mask, x, y, job->level))
      cs_hull_slot_add_point (slot, x, y, row + x);
  }
  if (last > first)
    cs_hull_slot_add_point (slot, last, y, row + last);
}

static void
take_rows (void *user_data, guint index)
{
  MaskJob *job = user_data;
  CsHullSlot *slot = &job->cpu->slots[index];
  const guint height = job->mask->height;
  guint chunk, first, last, y, end;

  cs_hull_take (job->cpu->params->include_collinear ? CS_HULL_MASK_PIXELS :
      CS_HULL_MASK_ROWS);
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
    if (!cs_hull_slot_reduce (job->cpu, slot))
      return;
  }
}

gboolean
cs_hull_find_mask (CsHullCpu * cpu, const CsHullInput * input, CsHullSet * set,
    GError ** error)
{
  MaskJob job = { cpu, input->mask, input->level, 0 };
  gsize n_ignored;

  cs_hull_reset_slots (cpu->slots, cpu->n_slots);
  if (input->mask->width > 0 && input->mask->height > 0)
    cs_executor_parallel_for (cpu->executor,
        MIN (cpu->n_slots, (input->mask->height + MASK_ROWS - 1) / MASK_ROWS),
        take_rows, &job);
  if (cs_hull_gather_slots (cpu->slots, cpu->n_slots) &&
      cs_hull_finish_set (cpu, cpu->slots, 0))
    cs_hull_store_set (cpu->slots, set);
  return cs_hull_collect_slots (cpu, &n_ignored, error);
}
