/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What lanes, warps and blocks do together */

#include "ops.h"

#include <string.h>

/* what a lane reads from one that is not there */
#define NOTHING 0xdeadbeef

enum
{
  SHUFFLE_UP,
  SHUFFLE_DOWN,
  SHUFFLE_BFLY,
  SHUFFLE_IDX,
};

/* The lane that @l reads from. @found: whether it is in its segment */
static inline guint
shuffle_source (guint kind, guint l, guint32 by, guint32 clamp_and_mask,
    gboolean * found)
{
  const gint clamp = clamp_and_mask & 31;
  const gint segment = clamp_and_mask >> 8 & 31;
  const gint last = (l & segment) | (clamp & ~segment & 31);
  const gint first = l & segment;
  gint j;

  by &= 31;
  switch (kind) {
    case SHUFFLE_UP:
      j = (gint) l - (gint) by;
      *found = j >= last;
      break;
    case SHUFFLE_DOWN:
      j = l + by;
      *found = j <= last;
      break;
    case SHUFFLE_BFLY:
      j = l ^ by;
      *found = j <= last;
      break;
    default:
      j = first | (by & ~segment);
      *found = j <= last;
  }
  return *found ? (guint) j : l;
}

/* d[|p], a, b, c, members */
static void
shfl (Warp * warp, Instruction * i)
{
  guint32 ready = warp_gather (warp, U32 (4)), bits = 0;
  guint32 values[LANES];
  const guint32 *by = U32 (2), *clamp = U32 (3);
  guint32 *d = U32 (0);

  if (!ready)
    return;
  memcpy (values, U32 (1), sizeof (values));
  for (guint l = 0; l < LANES; l++)
    if (ready >> l & 1) {
      gboolean found;
      const guint from = shuffle_source (i->kind, l, by[l], clamp[l], &found);

      d[l] = ready >> from & 1 ? values[from] : NOTHING;
      bits |= (guint32) found << l;
    }
  if (i->o[5] >= 0)
    predicate_set (warp, i->o[5], bits);
}

/* d, a, members */
static void
vote_ballot (Warp * warp, Instruction * i)
{
  const guint32 *members = U32 (2);
  guint32 *d = U32 (0), value;

  if (!warp_gather (warp, members))
    return;
  value = predicate_value (warp, i->o[1]) & warp->active;
  EACH_LANE (d[l] = value & members[l]);
}

#define DEFINE_VOTE(id, expr) \
    static void \
    id (Warp * warp, Instruction * i) \
    { \
      const guint32 *members = U32 (2); \
      guint32 value, bits = 0; \
 \
      if (!warp_gather (warp, members)) \
        return; \
      value = predicate_value (warp, i->o[1]); \
      for (guint l = 0; l < LANES; l++) { \
        const guint32 those = members[l] & warp->active; \
        const guint32 yes = value & those; \
 \
        bits |= (guint32) (expr) << l; \
      } \
      predicate_set (warp, i->o[0], bits); \
    }
DEFINE_VOTE (vote_all, yes == those)
DEFINE_VOTE (vote_any, yes != 0)
DEFINE_VOTE (vote_uni, yes == those || yes == 0)

static void
activemask (Warp * warp, Instruction * i)
{
  guint32 *d = U32 (0);
  const guint32 active = warp->active;

  EACH_LANE (d[l] = active);
}

static inline guint64
operand_value (const Warp * warp, const Instruction * i, guint operand, guint l)
{
  return i->wide >> operand & 1 ? U64 (operand)[l] : U32 (operand)[l];
}

/* d, a, members */
static void
match_any (Warp * warp, Instruction * i)
{
  const guint32 *members = U32 (2);

  if (!warp_gather (warp, members))
    return;
  for (guint l = 0; l < LANES; l++)
    if (warp->active >> l & 1) {
      const guint64 value = operand_value (warp, i, 1, l);
      guint32 same = 0;

      for (guint k = 0; k < LANES; k++)
        if (members[l] >> k & warp->active >> k & 1)
          same |= (guint32) (operand_value (warp, i, 1, k) == value) << k;
      /* @d is no operand of others */
      U32 (0)[l] = same;
    }
}

#define DEFINE_REDUCTION(name, type, T, first, expr) \
    static void \
    redux_##name##_##type (Warp * warp, Instruction * i) \
    { \
      const guint32 *members = U32 (2); \
      guint32 values[LANES], *d = U32 (0); \
 \
      if (!warp_gather (warp, members)) \
        return; \
      memcpy (values, U32 (1), sizeof (values)); \
      for (guint l = 0; l < LANES; l++) \
        if (warp->active >> l & 1) { \
          T x = first; \
 \
          for (guint k = 0; k < LANES; k++) \
            if (members[l] >> k & warp->active >> k & 1) { \
              const T y = (T) values[k]; \
 \
              x = (expr); \
            } \
          d[l] = x; \
        } \
    }
#define ROW_REDUCTION(name, type, T, first, expr) \
    {"redux.sync." #name "." #type, "www", redux_##name##_##type},
#define REDUCTIONS(X) \
    X (add, u32, guint32, 0, x + y) \
    X (add, s32, guint32, 0, x + y) \
    X (and, b32, guint32, ALL_LANES, x & y) \
    X (or, b32, guint32, 0, x | y) \
    X (xor, b32, guint32, 0, x ^ y) \
    X (min, u32, guint32, G_MAXUINT32, MIN (x, y)) \
    X (max, u32, guint32, 0, MAX (x, y)) \
    X (min, s32, gint32, G_MAXINT32, MIN (x, y)) \
    X (max, s32, gint32, G_MININT32, MAX (x, y))
REDUCTIONS (DEFINE_REDUCTION)

/* members */
static void
bar_warp (Warp * warp, Instruction * i)
{
  warp_gather (warp, U32 (0));
}

/* A barrier's number and, if not 0, how many threads; of the first lane */
static void
bar_sync (Warp * warp, Instruction * i)
{
  const guint first = __builtin_ctz (warp->active);

  barrier_arrive (warp, U32 (0)[first], U32 (1)[first], NULL, 0, TRUE);
}

static void
bar_arrive (Warp * warp, Instruction * i)
{
  const guint first = __builtin_ctz (warp->active);

  barrier_arrive (warp, U32 (0)[first], U32 (1)[first], NULL, 0, FALSE);
}

/* d, barrier, number, what is counted */
static void
bar_red (Warp * warp, Instruction * i)
{
  const guint first = __builtin_ctz (warp->active);

  barrier_arrive (warp, U32 (1)[first], U32 (2)[first], i,
      predicate_value (warp, i->o[3]), TRUE);
}

const Op VARIANT (ops_sync)[] = {
  {"shfl", NULL, shfl},
  {"vote.ballot", "wqw", vote_ballot},
  {"vote.all", "pqw", vote_all},
  {"vote.any", "pqw", vote_any},
  {"vote.uni", "pqw", vote_uni},
  {"activemask.b32", "w", activemask},
  {"match.any.sync.b32", "www", match_any},
  {"match.any.sync.b64", "wxw", match_any},
  REDUCTIONS (ROW_REDUCTION)
  {"bar.warp.sync", "w", bar_warp},
  {"bar.sync", NULL, bar_sync},
  {"bar.arrive", NULL, bar_arrive},
  {"bar.red.and.pred", NULL, bar_red},
  {"bar.red.or.pred", NULL, bar_red},
  {"bar.red.popc.u32", NULL, bar_red},
  {NULL, NULL, NULL},
};
