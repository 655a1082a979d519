/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hull of a mask. */
#include "hull_cpu.h"

#include "base/clones.h"

typedef struct
{
  CsHullCpu *cpu;
  const CsImage *mask;
  double level;
  gint next_chunk;
} MaskJob;

#define MASK_ROWS 16

/* Pixels tested at a time. */
#define BLOCK 128

/* Whether pixel (@x, @y) is greater than @level. */
static gboolean
is_on (const CsImage * mask, guint x, guint y, double level)
{
  const guint8 *p = (const guint8 *) mask->data + y * mask->row_stride +
      x * mask->pixel_stride;

  return cs_sample_load (p, mask->type) > level;
}

/* Whether any of @n packed samples is greater than the threshold. */
#define DEFINE_ANY(name, Type, Threshold) \
CS_CLONES static gboolean \
name (const void *samples, guint n, Threshold threshold) \
{ \
  const Type *p = samples; \
  Type any = 0; \
  guint i; \
\
  for (i = 0; i < n; i++) \
    any = p[i] > threshold ? 1 : any; \
  return any != 0; \
}

DEFINE_ANY (any_u8, guint8, guint8)
DEFINE_ANY (any_u16, guint16, guint16)
DEFINE_ANY (any_f32, float, float)
DEFINE_ANY (any_f64, double, double)

/* @level rounded down to single precision. */
static float
floor_to_float (double level)
{
  const float f = level;

  return f > level ? nextafterf (f, -INFINITY) : f;
}

/* Whether a pixel of x .. x + n - 1 may be above the level. */
static gboolean
any_above (const CsImage * mask, guint x, guint y, guint n, double level)
{
  const guint8 *p = (const guint8 *) mask->data + y * mask->row_stride +
      x * mask->pixel_stride;

  if (mask->pixel_stride != cs_sample_size (mask->type) || level < 0)
    return TRUE;
  switch (mask->type) {
    case CS_SAMPLE_U8:
      return level < 255 && any_u8 (p, n, level);
    case CS_SAMPLE_U16:
      return level < 65535 && any_u16 (p, n, level);
    case CS_SAMPLE_F32:
      return any_f32 (p, n, floor_to_float (level));
    case CS_SAMPLE_F64:
      return any_f64 (p, n, level);
    default:
      return TRUE;
  }
}

/* The first and the last such pixel of row @y; FALSE if there is none. */
static gboolean
find_ends (const CsImage * mask, guint y, double level, guint * first,
    guint * last)
{
  const guint width = mask->width;
  guint x, i, n;

  for (x = 0; x < width; x += n) {
    n = MIN (BLOCK, width - x);
    if (!any_above (mask, x, y, n, level))
      continue;
    for (i = x; i < x + n; i++) {
      if (is_on (mask, i, y, level))
        goto found;
    }
  }
  return FALSE;

found:
  *first = *last = i;
  for (x = width; x > i; x -= n) {
    n = MIN (BLOCK, x - i);
    if (!any_above (mask, x - n, y, n, level))
      continue;
    for (; n > 0; n--, x--) {
      if (is_on (mask, x - 1, y, level)) {
        *last = x - 1;
        return TRUE;
      }
    }
  }
  return TRUE;
}

static gboolean
row_is_empty (const MaskJob * job, guint y)
{
  guint first, last;

  return !find_ends (job->mask, y, job->level, &first, &last);
}

/* Only a row's ends can be vertices; with collinear points also whatever lies
 * on the uppermost and the lowest row. */
static void
take_row (CsHullSlot * slot, const MaskJob * job, guint y, gboolean whole)
{
  const guint64 row = (guint64) y * job->mask->width;
  guint first, last, x;

  if (!find_ends (job->mask, y, job->level, &first, &last) ||
      !cs_hull_slot_reserve (slot, whole ? last - first + 1 : 2))
    return;
  cs_hull_slot_add_point (slot, first, y, row + first);
  for (x = first + 1; whole && x < last; x++) {
    if (is_on (job->mask, x, y, job->level))
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
      /* the outermost rows of the chunk may be those of the image */
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
