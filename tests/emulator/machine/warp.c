/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Warps: lanes at the same instruction run together, those with the lowest
 * program counter first, so that lanes that parted meet again. */

#include "machine.h"

#include <string.h>

/* one slice in so many runs other lanes first, in case those that would run
 * wait for them */
#define SLICES_IN_ORDER 16

void
warp_set_active (Warp * warp, guint32 active)
{
  warp->active = active;
  for (guint l = 0; l < LANES; l++)
    warp->mask[l] = -(active >> l & 1);
}

static void
push (Warp * warp, guint32 lanes, guint32 pc, State state, guint barrier)
{
  g_assert (warp->n_fragments < LANES);
  warp->fragments[warp->n_fragments++] = (Fragment) {
  lanes, pc, state, barrier};
}

void
warp_block (Warp * warp, State state, guint32 pc, guint barrier)
{
  push (warp, warp->active, pc, state, barrier);
  warp->active = 0;
  warp->event = TRUE;
}

void
warp_branch (Warp * warp, guint32 taken, guint32 target)
{
  push (warp, taken, target, CAN_RUN, 0);
  warp_set_active (warp, warp->active & ~taken);
  warp->event = TRUE;
}

void
warp_exit (Warp * warp)
{
  Block *block = warp->block;

  block->n_live -= __builtin_popcount (warp->active);
  warp->live &= ~warp->active;
  warp->active = 0;
  warp->event = TRUE;
  for (guint k = 0; k < warp->n_fragments; k++)
    if (warp->fragments[k].state == WAITS_FOR_LANES)
      warp->fragments[k].state = CAN_RUN;
  for (guint k = 0; k < N_BARRIERS; k++)
    barrier_check (block, k);
}

static void
drop_fragment (Warp * warp, guint k)
{
  warp->fragments[k] = warp->fragments[--warp->n_fragments];
}

/* Adds lanes that wait at the same instruction to the active ones. */
static guint32
join (Warp * warp, guint32 pc)
{
  guint32 active = warp->active;
  guint k = 0;

  while (k < warp->n_fragments) {
    const Fragment *f = &warp->fragments[k];

    if (f->state == WAITS_FOR_LANES && f->pc == pc) {
      active |= f->lanes;
      drop_fragment (warp, k);
    } else
      k++;
  }
  return active;
}

guint32
warp_gather (Warp * warp, const guint32 * members)
{
  const guint32 first = members[__builtin_ctz (warp->active)];
  const guint32 pc = warp->pc - 1;
  guint32 different = 0, ready = 0, active;

  for (guint l = 0; l < LANES; l++) {
    different |= (members[l] ^ first) & warp->mask[l];
    if (warp->active >> l & 1 && !(members[l] >> l & 1))
      fail_at (warp, &warp->run->kernel->code[pc], l,
          "the lane is not among the members 0x%x", members[l]);
  }
  if (!different && !(first & warp->live & ~warp->active))
    return warp->active;
  active = join (warp, pc);
  for (guint l = 0; l < LANES; l++)
    if (active >> l & 1 && !(members[l] & warp->live & ~active))
      ready |= 1u << l;
  warp_set_active (warp, active);
  if (!ready) {
    warp_block (warp, WAITS_FOR_LANES, pc, 0);
    return 0;
  }
  if (active & ~ready)
    push (warp, active & ~ready, pc, WAITS_FOR_LANES, 0);
  warp_set_active (warp, ready);
  return ready;
}

/* Chooses the lanes to run. Returns: whether there are any */
static gboolean
pick (Warp * warp, gboolean last)
{
  guint32 pc = 0, lanes = 0, stop = G_MAXUINT32;
  gboolean found = FALSE;

  if (warp->active)
    push (warp, warp->active, warp->pc, CAN_RUN, 0);
  for (guint k = 0; k < warp->n_fragments; k++) {
    const Fragment *f = &warp->fragments[k];

    if (f->state == CAN_RUN && (!found || (f->pc < pc) != last)) {
      pc = f->pc;
      found = TRUE;
    }
  }
  for (guint k = 0; k < warp->n_fragments;) {
    const Fragment *f = &warp->fragments[k];

    if (f->state == CAN_RUN && f->pc == pc) {
      lanes |= f->lanes;
      drop_fragment (warp, k);
      continue;
    }
    if (f->state == CAN_RUN && !last)
      stop = MIN (stop, f->pc);
    k++;
  }
  warp->pc = pc;
  warp->stop = stop;
  warp_set_active (warp, lanes);
  return found;
}

gboolean
warp_can_run (const Warp * warp)
{
  if (warp->active)
    return TRUE;
  for (guint k = 0; k < warp->n_fragments; k++)
    if (warp->fragments[k].state == CAN_RUN)
      return TRUE;
  return FALSE;
}

/* An instruction for some of the active lanes. It is none that branches or
 * waits. */
static void
run_guarded (Warp * warp, Instruction * i)
{
  const guint32 active = warp->active;
  guint32 lanes = warp->predicates[i->guard];

  if (i->guard_kind == GUARD_UNLESS)
    lanes = ~lanes;
  lanes &= active;
  if (!lanes)
    return;
  if (lanes == active) {
    i->execute (warp, i);
    return;
  }
  warp_set_active (warp, lanes);
  i->execute (warp, i);
  warp_set_active (warp, active);
}

gboolean
warp_run (Warp * warp, guint budget)
{
  Instruction *const code = warp->run->kernel->code;
  const gboolean last = ++warp->n_slices % SLICES_IN_ORDER == 0;
  guint left = budget;

  warp->event = TRUE;
  while (left > 0) {
    if (G_UNLIKELY (warp->event || warp->pc >= warp->stop)) {
      warp->event = FALSE;
      if (!pick (warp, last))
        break;
    }
    Instruction *i = &code[warp->pc++];
    left--;
    if (G_LIKELY (i->guard_kind == GUARD_NONE))
      i->execute (warp, i);
    else
      run_guarded (warp, i);
    if (G_UNLIKELY (warp->yields)) {
      warp->yields = FALSE;
      break;
    }
  }
  warp->run->n_instructions += budget - left;
  return left < budget;
}
