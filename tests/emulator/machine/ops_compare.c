/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Comparisons, selections, and predicates themselves */

#include "ops.h"

#define DEFINE_COMPARISON(name, T, expr) \
    static void \
    name##_##T (Warp * warp, Instruction * i) \
    { \
      const LANE_##T *a = lanes_at (warp, i->o[1]); \
      const LANE_##T *b = lanes_at (warp, i->o[2]); \
      guint32 bits = 0; \
 \
      for (guint l = 0; l < LANES; l++) { \
        const TYPE_##T x = (TYPE_##T) a[l], y = (TYPE_##T) b[l]; \
 \
        bits |= (guint32) !!(expr) << l; \
      } \
      predicate_set (warp, i->o[0], bits); \
      if (i->o[5] >= 0) \
        predicate_set (warp, i->o[5], ~bits); \
    }

#define ROW_COMPARISON(name, T, expr) \
    {"setp." #name "." #T, "p" LETTER_##T LETTER_##T, name##_##T},

#define ORDERS(X, T) \
    X (eq, T, x == y) \
    X (lt, T, x < y) \
    X (le, T, x <= y) \
    X (gt, T, x > y) \
    X (ge, T, x >= y)
#define INTEGERS(X, T) \
    ORDERS (X, T) \
    X (ne, T, x != y)
#define FLOATS(X, T) \
    ORDERS (X, T) \
    X (ne, T, x < y || x > y) \
    X (equ, T, !(x < y || x > y)) \
    X (neu, T, !(x == y)) \
    X (ltu, T, !(x >= y)) \
    X (leu, T, !(x > y)) \
    X (gtu, T, !(x <= y)) \
    X (geu, T, !(x < y)) \
    X (num, T, x == x && y == y) \
    X (nan, T, x != x || y != y)
#define LIST(X) \
    INTEGERS (X, u16) INTEGERS (X, u32) INTEGERS (X, u64) \
    INTEGERS (X, s16) INTEGERS (X, s32) INTEGERS (X, s64) \
    FLOATS (X, f32) FLOATS (X, f64)

LIST (DEFINE_COMPARISON)

/* Other names of unsigned ones */
#define ROWS_UNSIGNED(n, letter) \
    {"setp.lo.u" #n, "p" letter letter, lt_u##n}, \
    {"setp.ls.u" #n, "p" letter letter, le_u##n}, \
    {"setp.hi.u" #n, "p" letter letter, gt_u##n}, \
    {"setp.hs.u" #n, "p" letter letter, ge_u##n}, \
    {"setp.eq.b" #n, "p" letter letter, eq_u##n}, \
    {"setp.ne.b" #n, "p" letter letter, ne_u##n},

#define DEFINE_SELECT(n) \
    static void \
    select_##n (Warp * warp, Instruction * i) \
    { \
      guint##n *d = U##n (0); \
      const guint##n *a = U##n (1), *b = U##n (2); \
      const guint32 p = predicate_value (warp, i->o[3]); \
 \
      EACH_LANE (d[l] = p >> l & 1 ? a[l] : b[l]); \
    }
DEFINE_SELECT (32)
DEFINE_SELECT (64)

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
  LIST (ROW_COMPARISON)
  ROWS_UNSIGNED (16, "h")
  ROWS_UNSIGNED (32, "w")
  ROWS_UNSIGNED (64, "x")
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
