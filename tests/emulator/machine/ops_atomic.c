/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Atomic operations: lane after lane. Nothing else runs at the same time. */

#include "ops.h"
#include "reach.h"

/* The operation reads @x in memory and @y, and for cas @z. */
#define DEFINE_ATOMIC(id, L, T, expr) \
    static void \
    id (Warp * warp, Instruction * i) \
    { \
      guint8 *where[LANES]; \
      const L *b = lanes_at (warp, i->o[1]); \
      const L *c = lanes_at (warp, i->o[2]); \
      L *d = lanes_at (warp, i->o[0]); \
      guint l; \
 \
      reach (warp, i, sizeof (T), TRUE, where); \
      if (G_UNLIKELY (warp->block->accesses)) { \
        races_check_load (warp, i, where, sizeof (T)); \
        races_check_store (warp, i, where, sizeof (T), NULL); \
      } \
      for (l = 0; l < LANES; l++) \
        if (warp->active >> l & 1) { \
          T *at = (T *) where[l]; \
          const T x = *at, y = (T) b[l], z = (T) c[l]; \
 \
          (void) z; \
          *at = (expr); \
          if (i->n) \
            d[l] = x; \
        } \
    }

#define INTEGERS(L, U, S, n) \
    DEFINE_ATOMIC (add_##n, L, U, x + y) \
    DEFINE_ATOMIC (and_##n, L, U, x & y) \
    DEFINE_ATOMIC (or_##n, L, U, x | y) \
    DEFINE_ATOMIC (xor_##n, L, U, x ^ y) \
    DEFINE_ATOMIC (exch_##n, L, U, y) \
    DEFINE_ATOMIC (cas_##n, L, U, x == y ? z : x) \
    DEFINE_ATOMIC (inc_##n, L, U, x >= y ? 0 : x + 1) \
    DEFINE_ATOMIC (dec_##n, L, U, x == 0 || x > y ? y : x - 1) \
    DEFINE_ATOMIC (min_u##n, L, U, x < y ? x : y) \
    DEFINE_ATOMIC (max_u##n, L, U, x > y ? x : y) \
    DEFINE_ATOMIC (min_s##n, L, S, x < y ? x : y) \
    DEFINE_ATOMIC (max_s##n, L, S, x > y ? x : y)
INTEGERS (guint32, guint32, gint32, 32)
INTEGERS (guint64, guint64, gint64, 64)
DEFINE_ATOMIC (add_f32, float, float, x + y)
DEFINE_ATOMIC (add_f64, double, double, x + y)

#define ROWS(n) \
    {"atom.add.u" #n, NULL, add_##n}, \
    {"atom.add.s" #n, NULL, add_##n}, \
    {"atom.and.b" #n, NULL, and_##n}, \
    {"atom.or.b" #n, NULL, or_##n}, \
    {"atom.xor.b" #n, NULL, xor_##n}, \
    {"atom.exch.b" #n, NULL, exch_##n}, \
    {"atom.cas.b" #n, NULL, cas_##n}, \
    {"atom.inc.u" #n, NULL, inc_##n}, \
    {"atom.dec.u" #n, NULL, dec_##n}, \
    {"atom.min.u" #n, NULL, min_u##n}, \
    {"atom.max.u" #n, NULL, max_u##n}, \
    {"atom.min.s" #n, NULL, min_s##n}, \
    {"atom.max.s" #n, NULL, max_s##n},

const Op VARIANT (ops_atomic)[] = {
  ROWS (32)
  ROWS (64)
  {"atom.add.f32", NULL, add_f32},
  {"atom.add.f64", NULL, add_f64},
  {NULL, NULL, NULL},
};
