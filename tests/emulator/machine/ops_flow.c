/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Branches, special registers, and addresses */

#include "ops.h"

#include <time.h>

#include "special.h"

static void
bra (Warp * warp, Instruction * i)
{
  guint32 taken = warp->active;

  if (i->kind)
    taken &= predicate_value (warp, i->o[0]);
  if (taken == warp->active)
    warp->pc = i->target;
  else if (taken)
    warp_branch (warp, taken, i->target);
}

/* by an index, to one of the branches that follow */
static void
brx (Warp * warp, Instruction * i)
{
  const guint32 *index = U32 (0);
  const guint32 active = warp->active;

  for (guint l = 0; l < LANES; l++)
    if (active >> l & 1 && index[l] >= i->n)
      fail_at (warp, i, l, "the index %u is beyond the list of targets",
          index[l]);
  for (guint l = 0; l < LANES; l++) {
    guint32 same = 0;

    if (!(warp->active >> l & 1))
      continue;
    for (guint k = l; k < LANES; k++)
      if (warp->active >> k & 1 && index[k] == index[l])
        same |= 1u << k;
    if (same == warp->active) {
      warp->pc = i->target + index[l];
      return;
    }
    warp_branch (warp, same, i->target + index[l]);
  }
}

static void
do_exit (Warp * warp, Instruction * i)
{
  warp_exit (warp);
}

static void
nothing (Warp * warp, Instruction * i)
{
}

static void
nanosleep_u32 (Warp * warp, Instruction * i)
{
  warp->yields = TRUE;
}

static void
trap (Warp * warp, Instruction * i)
{
  fail_at (warp, i, __builtin_ctz (warp->active), "the kernel traps");
}

static guint32
thread_index (const Warp * warp, guint l, guint axis)
{
  const EmulatorSize *block = &warp->run->launch->block;
  const guint index = warp->index * LANES + l;

  return axis == 0 ? index % block->x : axis == 1 ?
      index / block->x % block->y : index / (block->x * block->y);
}

static guint64
get_special (const Warp * warp, guint special, guint l)
{
  const EmulatorLaunch *launch = warp->run->launch;
  const guint *grid = (const guint *) &launch->grid;
  const guint *size = (const guint *) &launch->block;
  const guint *index = warp->block->index;
  const guint axis = special & 3;

  switch (special & ~3) {
    case SPECIAL_TID:
      return thread_index (warp, l, axis);
    case SPECIAL_NTID:
      return size[axis];
    case SPECIAL_CTAID:
      return index[axis];
    case SPECIAL_NCTAID:
      return grid[axis];
  }
  switch (special) {
    case SPECIAL_LANEID:
      return l;
    case SPECIAL_WARPID:
      return warp->index;
    case SPECIAL_NWARPID:
      return warp->block->n_warps;
    case SPECIAL_SMID:
      return index[0] % 4;
    case SPECIAL_NSMID:
      return 4;
    case SPECIAL_LANEMASK_EQ:
      return 1u << l;
    case SPECIAL_LANEMASK_LE:
      return (2u << l) - 1;
    case SPECIAL_LANEMASK_LT:
      return (1u << l) - 1;
    case SPECIAL_LANEMASK_GE:
      return ~((1u << l) - 1);
    case SPECIAL_LANEMASK_GT:
      return ~((2u << l) - 1);
    case SPECIAL_DYNAMIC_SHARED:
      return launch->shared;
    case SPECIAL_TOTAL_SHARED:
      return warp->run->shared_size;
    default:
      /* clocks */
      return warp->run->n_instructions;
  }
}

static void
mov_special (Warp * warp, Instruction * i)
{
  for (guint l = 0; l < LANES; l++)
    if (warp->active >> l & 1) {
      const guint64 value = get_special (warp, i->target, l);

      if (i->wide & 1)
        U64 (0)[l] = value;
      else
        U32 (0)[l] = value;
    }
}

#define LIST_1(X) \
    X (same_64, "same.64", u64, u64, x) \
    X (from_shared, "cvta.shared.u64", u64, u64, x + SHARED_WINDOW) \
    X (from_local, "cvta.local.u64", u64, u64, x + LOCAL_WINDOW) \
    X (from_param, "cvta.param.u64", u64, u64, x + PARAM_WINDOW) \
    X (to_shared, "cvta.to.shared.u64", u64, u64, x - SHARED_WINDOW) \
    X (to_local, "cvta.to.local.u64", u64, u64, x - LOCAL_WINDOW) \
    X (to_param, "cvta.to.param.u64", u64, u64, x - PARAM_WINDOW)
LIST_1 (DEFINE_1)

#define DEFINE_IS(id, expr) \
    static void \
    id (Warp * warp, Instruction * i) \
    { \
      const guint64 *a = U64 (1); \
      guint32 bits = 0; \
      guint l; \
 \
      for (l = 0; l < LANES; l++) { \
        const guint64 window = WINDOW_OF (a[l]); \
 \
        bits |= (guint32) (expr) << l; \
      } \
      predicate_set (warp, i->o[0], bits); \
    }
DEFINE_IS (is_global, window == 0)
DEFINE_IS (is_shared, window == WINDOW_OF (SHARED_WINDOW))
DEFINE_IS (is_local, window == WINDOW_OF (LOCAL_WINDOW))

const Op VARIANT (ops_flow)[] = {
  LIST_1 (ROW_1)
  {"bra", NULL, bra},
  {"brx", NULL, brx},
  {"exit", "", do_exit},
  {"trap", "", trap},
  {"nothing", NULL, nothing},
  {"nanosleep.u32", "w", nanosleep_u32},
  {"special", NULL, mov_special},
  {"cvta.global.u64", "xx", same_64},
  {"cvta.to.global.u64", "xx", same_64},
  {"isspacep.global", "px", is_global},
  {"isspacep.shared", "px", is_shared},
  {"isspacep.local", "px", is_local},
  {NULL, NULL, NULL},
};
