/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Atomic operations: lane after lane. Nothing else runs at the same time. */

#include "ops.h"
#include "reach.h"

/* The operation reads @x in memory and @y, and for cas @z. */
#define DEFINE_ATOMIC(name, type, L, T, expr) \
    static void \
    name##_##type (Warp * warp, Instruction * i) \
    { \
      guint8 *where[LANES]; \
      const L *b = lanes_at (warp, i->o[1]); \
      const L *c = lanes_at (warp, i->o[2]); \
      L *d = lanes_at (warp, i->o[0]); \
 \
      reach (warp, i, sizeof (T), TRUE, where); \
      if (G_UNLIKELY (warp->block->accesses)) { \
        races_check_load (warp, i, where, sizeof (T)); \
        races_check_store (warp, i, where, sizeof (T), NULL); \
      } \
      for (guint l = 0; l < LANES; l++) \
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

#define ROW_ATOMIC(name, type, L, T, expr) \
    {"atom." #name "." #type, NULL, name##_##type},

#define INTEGERS(X, n) \
    X (add, u##n, guint##n, guint##n, x + y) \
    X (add, s##n, guint##n, guint##n, x + y) \
    X (and, b##n, guint##n, guint##n, x & y) \
    X (or, b##n, guint##n, guint##n, x | y) \
    X (xor, b##n, guint##n, guint##n, x ^ y) \
    X (exch, b##n, guint##n, guint##n, y) \
    X (cas, b##n, guint##n, guint##n, x == y ? z : x) \
    X (inc, u##n, guint##n, guint##n, x >= y ? 0 : x + 1) \
    X (dec, u##n, guint##n, guint##n, x == 0 || x > y ? y : x - 1) \
    X (min, u##n, guint##n, guint##n, x < y ? x : y) \
    X (max, u##n, guint##n, guint##n, x > y ? x : y) \
    X (min, s##n, guint##n, gint##n, x < y ? x : y) \
    X (max, s##n, guint##n, gint##n, x > y ? x : y)
#define LIST(X) \
    INTEGERS (X, 32) INTEGERS (X, 64) \
    X (add, f32, float, float, x + y) \
    X (add, f64, double, double, x + y)

LIST (DEFINE_ATOMIC)

const Op VARIANT (ops_atomic)[] = {
  LIST (ROW_ATOMIC)
  {NULL, NULL, NULL},
};
