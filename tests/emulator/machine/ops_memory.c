/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Loads and stores. Where all lanes access the memory that the instruction
 * accessed last, that takes a few vector operations; access.c does the
 * others, and finds what is wrong. */

#include "ops.h"
#include "reach.h"

static void
reach_lanes (Warp * warp, Instruction * i, gboolean is_write, guint8 ** where)
{
  reach (warp, i, (gsize) i->size * i->n, is_write, where);
}

#define DEFINE_LOAD(name, type) \
    static void \
    ld_##name (Warp * warp, Instruction * i) \
    { \
      guint8 *where[LANES]; \
 \
      reach_lanes (warp, i, FALSE, where); \
      if (G_UNLIKELY (warp->block->accesses)) \
        races_check_load (warp, i, where, i->size * i->n); \
      for (guint k = 0; k < i->n; k++) { \
        const gsize at = k * sizeof (type); \
 \
        if (i->wide >> k & 1) { \
          guint64 *d = U64 (k); \
 \
          for (guint l = 0; l < LANES; l++) \
            if (warp->active >> l & 1) \
              d[l] = (guint64) *(type *) (where[l] + at); \
        } else { \
          guint32 *d = U32 (k); \
 \
          for (guint l = 0; l < LANES; l++) \
            if (warp->active >> l & 1) \
              d[l] = (guint32) *(type *) (where[l] + at); \
        } \
      } \
    }
#define ROW_LOAD(name, type) {"ld." #name, NULL, ld_##name},

#define DEFINE_STORE(name, type) \
    static void \
    st_##name (Warp * warp, Instruction * i) \
    { \
      guint8 *where[LANES], before[LANES * 32]; \
 \
      reach_lanes (warp, i, TRUE, where); \
      if (G_UNLIKELY (warp->block->accesses)) \
        races_keep (warp, where, i->size * i->n, before); \
      for (guint k = 0; k < i->n; k++) { \
        const gsize at = k * sizeof (type); \
 \
        if (i->wide >> k & 1) { \
          const guint64 *a = U64 (k); \
 \
          for (guint l = 0; l < LANES; l++) \
            if (warp->active >> l & 1) \
              *(type *) (where[l] + at) = (type) a[l]; \
        } else { \
          const guint32 *a = U32 (k); \
 \
          for (guint l = 0; l < LANES; l++) \
            if (warp->active >> l & 1) \
              *(type *) (where[l] + at) = (type) a[l]; \
        } \
      } \
      if (G_UNLIKELY (warp->block->accesses)) \
        races_check_store (warp, i, where, i->size * i->n, before); \
    }
#define ROW_STORE(name, type) {"st." #name, NULL, st_##name},

#define UNSIGNED(X) X (u8, guint8) X (u16, guint16) X (u32, guint32) \
    X (u64, guint64)
#define SIGNED(X) X (s8, gint8) X (s16, gint16) X (s32, gint32)

UNSIGNED (DEFINE_LOAD)
SIGNED (DEFINE_LOAD)
UNSIGNED (DEFINE_STORE)

/* A parameter of the kernel, the same for all lanes */
static void
ld_param (Warp * warp, Instruction * i)
{
  const guint8 *from = warp->run->launch->params + i->offset;

  for (guint k = 0; k < i->n; k++, from += i->size) {
    gint64 value = 0;

    memcpy (&value, from, i->size);
    if (i->kind)
      value = (gint64) ((guint64) value << (64 - 8 * i->size)) >>
          (64 - 8 * i->size);
    if (i->wide >> k & 1) {
      guint64 *d = U64 (k);

      EACH_LANE (d[l] = value);
    } else {
      guint32 *d = U32 (k);

      EACH_LANE (d[l] = value);
    }
  }
}

const Op VARIANT (ops_memory)[] = {
  UNSIGNED (ROW_LOAD)
  SIGNED (ROW_LOAD)
  UNSIGNED (ROW_STORE)
  {"ld.param", NULL, ld_param},
  {NULL, NULL, NULL},
};
