/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "llf_private.h"

G_BEGIN_DECLS

/* Pixels per chunk; intermediate results are on the stack. Even. */
#define CHUNK 64

/**
 * CsLlfRows:
 * @down_codes: a row of @m samples of level 1, from five rows of @n codes with
 *     weights @w, and the table u
 * @down_floats: a row of a coarser level
 * @up_codes: for pixels @x0 (even) to @x1, at most CHUNK, the sums over k of
 *     v_k up_k, with v the table's row of the pixel's code, up_k interpolated
 *     from three coarse rows of @m samples with weights @w. The size of @out
 *     is a multiple of 4.
 * @up_nodes: the sums of v_k (P_k - up_k), v interpolated between nodes at @g
 * @up_colours: the sums of v_k (P_k - up_k) of R, G and B (see
 *     llf_rgb_private.h), for pixels @x0 to @x1 whose P_k are at @own; four
 *     floats each, of which the last one is 0
 *
 * Loops over a row, specialised for a table's stride.
 */
typedef struct
{
  void (*down_codes) (const float *table, const guint16 * const rows[5],
      const float w[5], int n, float *out, int m);
  void (*down_floats) (const float *const rows[5], const float w[5], int n,
      float *out, int m);
  void (*up_codes) (const float *table, const guint16 * codes,
      const float *const rows[3], const float w[3], int m, int x0, int x1,
      float *out);
  void (*up_nodes) (const float *table, const float *g, const float *p,
      const float *const rows[3], const float w[3], int m, int x0, int x1,
      float *out);
  void (*up_colours) (const float *table, const float *own,
      const float *const rows[3], const float w[3], int m, int x0, int x1,
      float *out);
} CsLlfRows;

/* For strides 4, 8, 16 and 32; the fastest for this CPU. */
const CsLlfRows *cs_llf_rows (guint stride);

G_END_DECLS
