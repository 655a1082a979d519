/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Comparisons, selections, and predicates themselves */

#include "ops.h"

#define DEFINE_COMPARISON(id, T, expr) \
    static void \
    id (Warp * warp, Instruction * i) \
    { \
      const LANE_##T *a = lanes_at (warp, i->o[1]); \
      const LANE_##T *b = lanes_at (warp, i->o[2]); \
      guint32 bits = 0; \
      guint l; \
 \
      for (l = 0; l < LANES; l++) { \
        const TYPE_##T x = (TYPE_##T) a[l], y = (TYPE_##T) b[l]; \
 \
        bits |= (guint32) !!(expr) << l; \
      } \
      predicate_set (warp, i->o[0], bits); \
      if (i->o[5] >= 0) \
        predicate_set (warp, i->o[5], ~bits); \
    }

#define COMPARISONS(T) \
    DEFINE_COMPARISON (eq_##T, T, x == y) \
    DEFINE_COMPARISON (ne_##T, T, x != y) \
    DEFINE_COMPARISON (lt_##T, T, x < y) \
    DEFINE_COMPARISON (le_##T, T, x <= y) \
    DEFINE_COMPARISON (gt_##T, T, x > y) \
    DEFINE_COMPARISON (ge_##T, T, x >= y)
#define COMPARISONS_FLOAT(T) \
    DEFINE_COMPARISON (eq_##T, T, x == y) \
    DEFINE_COMPARISON (ne_##T, T, x < y || x > y) \
    DEFINE_COMPARISON (lt_##T, T, x < y) \
    DEFINE_COMPARISON (le_##T, T, x <= y) \
    DEFINE_COMPARISON (gt_##T, T, x > y) \
    DEFINE_COMPARISON (ge_##T, T, x >= y) \
    DEFINE_COMPARISON (equ_##T, T, !(x < y || x > y)) \
    DEFINE_COMPARISON (neu_##T, T, !(x == y)) \
    DEFINE_COMPARISON (ltu_##T, T, !(x >= y)) \
    DEFINE_COMPARISON (leu_##T, T, !(x > y)) \
    DEFINE_COMPARISON (gtu_##T, T, !(x <= y)) \
    DEFINE_COMPARISON (geu_##T, T, !(x < y)) \
    DEFINE_COMPARISON (num_##T, T, x == x && y == y) \
    DEFINE_COMPARISON (nan_##T, T, x != x || y != y)

COMPARISONS (u16)
COMPARISONS (s16)
COMPARISONS (u32)
COMPARISONS (s32)
COMPARISONS (u64)
COMPARISONS (s64)
COMPARISONS_FLOAT (f32)
COMPARISONS_FLOAT (f64)

#define ROW(name, T, id) {name, "p" LETTER_##T LETTER_##T, id},
#define ROWS(T) \
    ROW ("setp.eq." #T, T, eq_##T) \
    ROW ("setp.ne." #T, T, ne_##T) \
    ROW ("setp.lt." #T, T, lt_##T) \
    ROW ("setp.le." #T, T, le_##T) \
    ROW ("setp.gt." #T, T, gt_##T) \
    ROW ("setp.ge." #T, T, ge_##T)
#define ROWS_UNSIGNED(T, bits) \
    ROWS (T) \
    ROW ("setp.lo." #T, T, lt_##T) \
    ROW ("setp.ls." #T, T, le_##T) \
    ROW ("setp.hi." #T, T, gt_##T) \
    ROW ("setp.hs." #T, T, ge_##T) \
    ROW ("setp.eq." bits, T, eq_##T) \
    ROW ("setp.ne." bits, T, ne_##T)
#define ROWS_FLOAT(T) \
    ROWS (T) \
    ROW ("setp.equ." #T, T, equ_##T) \
    ROW ("setp.neu." #T, T, neu_##T) \
    ROW ("setp.ltu." #T, T, ltu_##T) \
    ROW ("setp.leu." #T, T, leu_##T) \
    ROW ("setp.gtu." #T, T, gtu_##T) \
    ROW ("setp.geu." #T, T, geu_##T) \
    ROW ("setp.num." #T, T, num_##T) \
    ROW ("setp.nan." #T, T, nan_##T)

static void
select_32 (Warp * warp, Instruction * i)
{
  guint32 *d = U32 (0);
  const guint32 *a = U32 (1), *b = U32 (2);
  const guint32 p = predicate_value (warp, i->o[3]);

  EACH_LANE (d[l] = p >> l & 1 ? a[l] : b[l]);
}

static void
select_64 (Warp * warp, Instruction * i)
{
  guint64 *d = U64 (0);
  const guint64 *a = U64 (1), *b = U64 (2);
  const guint32 p = predicate_value (warp, i->o[3]);

  EACH_LANE (d[l] = p >> l & 1 ? a[l] : b[l]);
}

#define DEFINE_PREDICATE(id, expr) \
    static void \
    id (Warp * warp, Instruction * i) \
    { \
      const guint32 x = predicate_value (warp, i->o[1]); \
      const guint32 y = predicate_value (warp, i->o[2]); \
 \
      (void) y; \
      predicate_set (warp, i->o[0], (expr)); \
    }
DEFINE_PREDICATE (and_pred, x & y)
DEFINE_PREDICATE (or_pred, x | y)
DEFINE_PREDICATE (xor_pred, x ^ y)
DEFINE_PREDICATE (not_pred, ~x)
DEFINE_PREDICATE (copy_pred, x)

const Op VARIANT (ops_compare)[] = {
  ROWS_UNSIGNED (u16, "b16")
  ROWS_UNSIGNED (u32, "b32")
  ROWS_UNSIGNED (u64, "b64")
  ROWS (s16)
  ROWS (s32)
  ROWS (s64)
  ROWS_FLOAT (f32)
  ROWS_FLOAT (f64)
  {"selp.b16", "hhhq", select_32},
  {"selp.u16", "hhhq", select_32},
  {"selp.s16", "hhhq", select_32},
  {"selp.b32", "wwwq", select_32},
  {"selp.u32", "wwwq", select_32},
  {"selp.s32", "wwwq", select_32},
  {"selp.f32", "fffq", select_32},
  {"selp.b64", "xxxq", select_64},
  {"selp.u64", "xxxq", select_64},
  {"selp.s64", "xxxq", select_64},
  {"selp.f64", "dddq", select_64},
  {"and.pred", "pqq", and_pred},
  {"or.pred", "pqq", or_pred},
  {"xor.pred", "pqq", xor_pred},
  {"not.pred", "pq", not_pred},
  {"mov.pred", "pq", copy_pred},
  {NULL, NULL, NULL},
};
