/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Hazards of shared memory: two warps access a byte, one of them writes it,
 * and no barrier that both came to lies between. Each warp counts barriers; on
 * leaving one, all have the greatest count plus 1. What is written again as it
 * was is no hazard, nor are atomic and volatile accesses among each other.
 * Within a warp nothing is checked. */

#include <string.h>

#include "machine.h"
#include "reach.h"

#define NOBODY 0xffff
#define SEVERAL 0xfffe

typedef struct
{
  guint32 write_count, read_count;
  guint16 writer, reader;
  guint8 is_atomic;             /* the write */
} Access;

gsize
races_size (gsize shared_size)
{
  return shared_size * sizeof (Access);
}

void
races_reset (Block * block, gsize shared_size)
{
  const Access none = { 0, 0, NOBODY, NOBODY, FALSE };
  Access *accesses = block->accesses;

  for (gsize k = 0; k < shared_size; k++)
    accesses[k] = none;
}

static void
fail_race (const Warp * warp, const Instruction * i, guint lane, gsize at,
    const gchar * now, const gchar * before, guint other)
{
  gchar *whom = other == SEVERAL ? g_strdup ("several warps") :
      g_strdup_printf ("warp %u", other);

  fail_at (warp, i, lane, "warp %u %s byte %" G_GSIZE_FORMAT " of shared "
      "memory, which %s %s, and no barrier lies between", warp->index, now,
      at, whom, before);
}

static void
note_read (Warp * warp, Instruction * i, guint lane, gsize at,
    gboolean is_atomic)
{
  Access *access = &((Access *) warp->block->accesses)[at];

  if (access->writer != NOBODY && access->writer != warp->index &&
      access->write_count >= warp->n_barriers &&
      !(is_atomic && access->is_atomic))
    fail_race (warp, i, lane, at, "reads", "has written", access->writer);
  if (is_atomic)
    return;
  if (access->reader != NOBODY && access->reader != warp->index &&
      access->read_count >= warp->n_barriers)
    access->reader = SEVERAL;
  else
    access->reader = warp->index;
  access->read_count = warp->n_barriers;
}

static void
note_write (Warp * warp, Instruction * i, guint lane, gsize at,
    gboolean is_atomic)
{
  Access *access = &((Access *) warp->block->accesses)[at];

  if (access->writer != NOBODY && access->writer != warp->index &&
      access->write_count >= warp->n_barriers &&
      !(is_atomic && access->is_atomic))
    fail_race (warp, i, lane, at, "writes", "has written", access->writer);
  if (access->reader != NOBODY && access->reader != warp->index &&
      access->read_count >= warp->n_barriers)
    fail_race (warp, i, lane, at, "writes", "has read", access->reader);
  access->writer = warp->index;
  access->write_count = warp->n_barriers;
  access->is_atomic = is_atomic;
}

/* The byte of the block's own shared memory, or @size */
static gsize
own_byte (const Warp * warp, const guint8 * where)
{
  const gsize size = warp->run->shared_size;
  const gsize at = where - warp->block->shared;

  return at < size ? at : size;
}

void
races_check_load (Warp * warp, Instruction * i, guint8 * const *where,
    gsize width)
{
  for (guint l = 0; l < LANES; l++)
    for (gsize k = 0; k < width && warp->active >> l & 1; k++) {
      const gsize at = own_byte (warp, where[l] + k);

      if (at < warp->run->shared_size)
        note_read (warp, i, l, at, i->target & ACCESS_IS_ATOMIC);
    }
}

void
races_check_store (Warp * warp, Instruction * i, guint8 * const *where,
    gsize width, const guint8 * before)
{
  for (guint l = 0; l < LANES; l++)
    for (gsize k = 0; k < width && warp->active >> l & 1; k++) {
      const gsize at = own_byte (warp, where[l] + k);

      if (at < warp->run->shared_size && (!before ||
              before[l * width + k] != where[l][k]))
        note_write (warp, i, l, at, i->target & ACCESS_IS_ATOMIC);
    }
}

void
races_keep (const Warp * warp, guint8 * const *where, gsize width,
    guint8 * before)
{
  for (guint l = 0; l < LANES; l++)
    if (warp->active >> l & 1)
      memcpy (before + l * width, where[l], width);
}

void
races_pass_barrier (Block * block, guint32 warps_passed[])
{
  guint32 greatest = 0;

  for (guint w = 0; w < block->n_warps; w++)
    if (warps_passed[w / 32] >> w % 32 & 1)
      greatest = MAX (greatest, block->warps[w].n_barriers);
  for (guint w = 0; w < block->n_warps; w++)
    if (warps_passed[w / 32] >> w % 32 & 1)
      block->warps[w].n_barriers = greatest + 1;
}
