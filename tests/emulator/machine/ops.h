/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Operations: what executes an instruction of a name. The files ops_*.c are
 * compiled twice, for the baseline and for x86-64-v3, and the machine picks
 * one.
 */

#include "machine.h"

/* Operands of an instruction, one letter each: w 32 bits, h 16 bits, x 64
 * bits, f and d of floating point, p a predicate that is set, q one that is
 * read. NULL: the decoder has a function of its own */
typedef struct
{
  const gchar *name;
  const gchar *operands;
  Execute execute;
} Op;

#ifdef EMULATOR_FAST
#define VARIANT(name) name##_fast
#else
#define VARIANT(name) name##_plain
#endif

extern const Op ops_int_plain[], ops_int_fast[];
extern const Op ops_float_plain[], ops_float_fast[];
extern const Op ops_compare_plain[], ops_compare_fast[];
extern const Op ops_convert_plain[], ops_convert_fast[];
extern const Op ops_memory_plain[], ops_memory_fast[];
extern const Op ops_atomic_plain[], ops_atomic_fast[];
extern const Op ops_sync_plain[], ops_sync_fast[];
extern const Op ops_flow_plain[], ops_flow_fast[];

/* The operation of this name, or NULL */
const Op *op_find (const gchar * name);

/* Types by their names in PTX: what a lane holds, and what is computed with */
#define LANE_u16 guint32
#define LANE_s16 guint32
#define LANE_u32 guint32
#define LANE_s32 guint32
#define LANE_u64 guint64
#define LANE_s64 guint64
#define LANE_f32 float
#define LANE_f64 double
#define TYPE_u16 guint16
#define TYPE_s16 gint16
#define TYPE_u32 guint32
#define TYPE_s32 gint32
#define TYPE_u64 guint64
#define TYPE_s64 gint64
#define TYPE_f32 float
#define TYPE_f64 double
#define RESULT_u16 guint16
#define RESULT_s16 guint16
#define RESULT_u32 guint32
#define RESULT_s32 guint32
#define RESULT_u64 guint64
#define RESULT_s64 guint64
#define RESULT_f32 float
#define RESULT_f64 double
#define LETTER_u16 "h"
#define LETTER_s16 "h"
#define LETTER_u32 "w"
#define LETTER_s32 "w"
#define LETTER_u64 "x"
#define LETTER_s64 "x"
#define LETTER_f32 "f"
#define LETTER_f64 "d"

/* Floating point and its bits */
typedef union
{
  guint32 u;
  float f;
} Bits32;

typedef union
{
  guint64 u;
  double f;
} Bits64;

static inline float
as_float (guint32 bits)
{
  return ((Bits32) {.u = bits}).f;
}

static inline double
as_double (guint64 bits)
{
  return ((Bits64) {.u = bits}).f;
}

/* Single precision gives one NaN. */
static inline float
one_nan (float x)
{
  return x == x ? x : as_float (0x7fffffff);
}

/* @statement for each active lane l. Operands are the same registers or apart,
 * so that lanes are independent. */
#define EACH_LANE(statement) \
    G_STMT_START { \
      if (G_LIKELY (warp->active == ALL_LANES)) { \
        _Pragma ("GCC ivdep") \
        for (guint l = 0; l < LANES; l++) { \
          statement; \
        } \
      } else { \
        const guint32 *mask_ = warp->mask; \
        _Pragma ("GCC ivdep") \
        for (guint l = 0; l < LANES; l++) \
          if (mask_[l]) { \
            statement; \
          } \
      } \
    } G_STMT_END

/* Functions of one, two and three operands x, y, z, and their rows */
#define DEFINE_1(id, name, D, A, expr) \
    static void \
    id (Warp * warp, Instruction * i) \
    { \
      LANE_##D *d = lanes_at (warp, i->o[0]); \
      const LANE_##A *a = lanes_at (warp, i->o[1]); \
      EACH_LANE (const TYPE_##A x = (TYPE_##A) a[l]; \
          d[l] = (RESULT_##D) (expr)); \
    }
#define DEFINE_2(id, name, D, A, B, expr) \
    static void \
    id (Warp * warp, Instruction * i) \
    { \
      LANE_##D *d = lanes_at (warp, i->o[0]); \
      const LANE_##A *a = lanes_at (warp, i->o[1]); \
      const LANE_##B *b = lanes_at (warp, i->o[2]); \
      EACH_LANE (const TYPE_##A x = (TYPE_##A) a[l]; \
          const TYPE_##B y = (TYPE_##B) b[l]; \
          d[l] = (RESULT_##D) (expr)); \
    }
#define DEFINE_3(id, name, D, A, B, C, expr) \
    static void \
    id (Warp * warp, Instruction * i) \
    { \
      LANE_##D *d = lanes_at (warp, i->o[0]); \
      const LANE_##A *a = lanes_at (warp, i->o[1]); \
      const LANE_##B *b = lanes_at (warp, i->o[2]); \
      const LANE_##C *c = lanes_at (warp, i->o[3]); \
      EACH_LANE (const TYPE_##A x = (TYPE_##A) a[l]; \
          const TYPE_##B y = (TYPE_##B) b[l]; \
          const TYPE_##C z = (TYPE_##C) c[l]; \
          d[l] = (RESULT_##D) (expr)); \
    }
#define ROW_1(id, name, D, A, expr) {name, LETTER_##D LETTER_##A, id},
#define ROW_2(id, name, D, A, B, expr) \
    {name, LETTER_##D LETTER_##A LETTER_##B, id},
#define ROW_3(id, name, D, A, B, C, expr) \
    {name, LETTER_##D LETTER_##A LETTER_##B LETTER_##C, id},
