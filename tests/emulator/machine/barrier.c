/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Barriers of blocks. Threads that have exited are not waited for. */

#include "machine.h"

#include <string.h>

#include "special.h"

/* What the reduction gives to lanes that waited at instruction @i */
static void
give_result (Warp * warp, const Barrier * barrier, const Instruction * i,
    guint32 lanes, guint n_threads)
{
  if (i->kind == REDUCE_POPC) {
    for (guint l = 0; l < LANES; l++)
      if (lanes >> l & 1)
        U32 (0)[l] = barrier->n_true;
    return;
  }
  gboolean value = i->kind == REDUCE_AND ? barrier->n_true == n_threads :
      barrier->n_true > 0;
  guint32 *predicate = &warp->predicates[i->o[0] >> 1];
  *predicate = value ? *predicate | lanes : *predicate & ~lanes;
}

void
barrier_check (Block * block, guint index)
{
  Barrier *barrier = &block->barriers[index];
  guint32 passed[LANES] = { 0 };

  if (barrier->n_arrived == 0 || barrier->n_arrived <
      (barrier->expected ? barrier->expected : block->n_live))
    return;
  for (guint k = 0; k < block->n_warps; k++) {
    Warp *warp = &block->warps[k];

    for (guint j = 0; j < warp->n_fragments; j++) {
      Fragment *f = &warp->fragments[j];

      if (f->state != WAITS_FOR_BLOCK || f->barrier != index)
        continue;
      f->state = CAN_RUN;
      warp->event = TRUE;
      passed[k / 32] |= 1u << k % 32;
      if (barrier->reduction)
        give_result (warp, barrier, &block->run->kernel->code[f->pc - 1],
            f->lanes, barrier->n_threads);
    }
  }
  races_pass_barrier (block, passed);
  memset (barrier, 0, sizeof (*barrier));
}

void
barrier_arrive (Warp * warp, guint index, guint expected,
    Instruction * reduction, guint32 values, gboolean waits)
{
  Block *block = warp->block;
  Barrier *barrier = &block->barriers[index % N_BARRIERS];
  const guint n = __builtin_popcount (warp->active);

  /* whole warps are counted if a number is given */
  barrier->n_arrived += expected && warp->active == warp->live ? LANES : n;
  barrier->n_threads += n;
  barrier->expected = expected;
  barrier->n_true += __builtin_popcount (values & warp->active);
  barrier->reduction = reduction;
  if (waits)
    warp_block (warp, WAITS_FOR_BLOCK, warp->pc, index % N_BARRIERS);
  barrier_check (block, index % N_BARRIERS);
}
