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

#define DEFINE_LOAD(id, type, extended) \
    static void \
    id (Warp * warp, Instruction * i) \
    { \
      guint8 *where[LANES]; \
      guint k; \
 \
      reach_lanes (warp, i, FALSE, where); \
      if (G_UNLIKELY (warp->block->accesses)) \
        races_check_load (warp, i, where, i->size * i->n); \
      for (k = 0; k < i->n; k++) { \
        const gsize at = k * sizeof (type); \
        guint l; \
 \
        if (i->wide >> k & 1) { \
          guint64 *d = U64 (k); \
 \
          for (l = 0; l < LANES; l++) \
            if (warp->active >> l & 1) \
              d[l] = (guint64) (extended) *(type *) (where[l] + at); \
        } else { \
          guint32 *d = U32 (k); \
 \
          for (l = 0; l < LANES; l++) \
            if (warp->active >> l & 1) \
              d[l] = (guint32) (extended) *(type *) (where[l] + at); \
        } \
      } \
    }
DEFINE_LOAD (ld_u8, guint8, guint64)
DEFINE_LOAD (ld_s8, gint8, gint64)
DEFINE_LOAD (ld_u16, guint16, guint64)
DEFINE_LOAD (ld_s16, gint16, gint64)
DEFINE_LOAD (ld_u32, guint32, guint64)
DEFINE_LOAD (ld_s32, gint32, gint64)
DEFINE_LOAD (ld_u64, guint64, guint64)

#define DEFINE_STORE(id, type) \
    static void \
    id (Warp * warp, Instruction * i) \
    { \
      guint8 *where[LANES], before[LANES * 32]; \
      guint k; \
 \
      reach_lanes (warp, i, TRUE, where); \
      if (G_UNLIKELY (warp->block->accesses)) \
        races_keep (warp, where, i->size * i->n, before); \
      for (k = 0; k < i->n; k++) { \
        const gsize at = k * sizeof (type); \
        guint l; \
 \
        if (i->wide >> k & 1) { \
          const guint64 *a = U64 (k); \
 \
          for (l = 0; l < LANES; l++) \
            if (warp->active >> l & 1) \
              *(type *) (where[l] + at) = (type) a[l]; \
        } else { \
          const guint32 *a = U32 (k); \
 \
          for (l = 0; l < LANES; l++) \
            if (warp->active >> l & 1) \
              *(type *) (where[l] + at) = (type) a[l]; \
        } \
      } \
      if (G_UNLIKELY (warp->block->accesses)) \
        races_check_store (warp, i, where, i->size * i->n, before); \
    }
DEFINE_STORE (st_u8, guint8)
DEFINE_STORE (st_u16, guint16)
DEFINE_STORE (st_u32, guint32)
DEFINE_STORE (st_u64, guint64)

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
  {"ld.u8", NULL, ld_u8},
  {"ld.s8", NULL, ld_s8},
  {"ld.u16", NULL, ld_u16},
  {"ld.s16", NULL, ld_s16},
  {"ld.u32", NULL, ld_u32},
  {"ld.s32", NULL, ld_s32},
  {"ld.u64", NULL, ld_u64},
  {"st.u8", NULL, st_u8},
  {"st.u16", NULL, st_u16},
  {"st.u32", NULL, st_u32},
  {"st.u64", NULL, st_u64},
  {"ld.param", NULL, ld_param},
  {NULL, NULL, NULL},
};
