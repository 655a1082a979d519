/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the kernels of check-emulator compute, and the same on the host in
 * another way */

#include <glib.h>

G_BEGIN_DECLS

/* Operations in single precision, in four directions each */
enum
{
  ROUND_NEAREST,
  ROUND_DOWN,
  ROUND_UP,
  ROUND_ZERO,
  N_ROUNDS,
};

enum
{
  FLOAT_ADD,
  FLOAT_MUL,
  FLOAT_DIV,
  FLOAT_SQRT,
  FLOAT_FMA,
  N_FLOATS,
};

#define N_ROUNDED (N_FLOATS * N_ROUNDS)

void expect_rounded (float a, float b, float c, float results[N_ROUNDED]);

/* Integers: each bit or byte by itself */
enum
{
  INT_CLZ,
  INT_POPC,
  INT_BREV,
  INT_FFS,
  INT_PERM,
  INT_MULHI,
  INT_UMULHI,
  INT_FUNNEL_L,
  INT_FUNNEL_R,
  INT_SAD,
  INT_SHIFT_LEFT,
  INT_SHIFT_RIGHT,
  INT_SHIFT_SIGNED,
  INT_DIV,
  INT_REM,
  N_INTS,
};

void expect_ints (guint32 a, guint32 b, guint32 c, guint32 results[N_INTS]);

/* Conversions of a double, and of its bits */
enum
{
  CVT_S32_RZ,
  CVT_S32_RN,
  CVT_S32_RD,
  CVT_S32_RU,
  CVT_U32_RZ,
  CVT_S64_RZ,
  CVT_U64_RZ,
  CVT_S32_OF_FLOAT,
  CVT_U32_OF_FLOAT,
  CVT_FLOAT_RN,
  CVT_FLOAT_RD,
  CVT_FLOAT_RU,
  CVT_FLOAT_RZ,
  CVT_FLOAT_OF_S64,
  CVT_FLOAT_OF_U32,
  CVT_HALF,
  N_CVTS,
};

void expect_conversions (double x, guint64 results[N_CVTS]);

/* values.cu */
void check_rounding (void);
void check_integers (void);
void check_conversions (void);
/* lanes.cu */
void check_shuffles (void);
void check_votes (void);
void check_divergence (void);
void check_atomics (void);
/* blocks.cu */
void check_barriers (void);
void check_chain (void);
void check_grid_barrier (void);
void check_memory (void);
void check_graph (void);
/* mistakes.cu: a kernel that does something wrong, and what is said of it */
typedef struct
{
  const gchar *name, *message;
  void (*make) (void);
} Mistake;
extern const Mistake mistakes[];

G_END_DECLS
