/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The local Laplacian filter with differences of colour: the remapping of Paris,
 * Hasinoff and Kautz of RGB,
 *   d (i - g) = unit (i - g) * delta (|i - g|),
 * with |.| the Euclidean distance of R, G and B of 0 to 1, and delta the change
 * of the curve. The sum over the levels is that of llf.h, for each of R, G, B.
 *
 * The factorisation is d (i - g) = sum_k u_k (i) v_k (g) with vectors v_k and
 * scalars u_k, of which a pyramid is made each. The first three u are R, G and
 * B; the others Gaussian functions about fixed colours, which are products of
 * functions of one channel. v_k is a least squares fit at the nodes of a grid,
 * in which it is interpolated in tetrahedra. */

#include "llf_colour_private.h"
#include "llf_private.h"
#include "llf_rgb_math.h"

G_BEGIN_DECLS

/**
 * CsLlfRgbTable:
 * @rank: number of u: 8, 16 or 32; with an exact filter 8, of which the first
 *     three are used
 * @u: factors of u_k for code i of channel c at [(c * 256 + i) * rank + k]
 * @v: component c of v_k, of node n (n = (r * NODES + g) * NODES + b) at
 *     [(n * 3 + c) * rank + k]; %NULL with an exact filter
 * @profile: delta at distances of 1 / (255 PHASES); of the exact filter only
 */
struct _CsLlfRgbTable
{
  guint rank;
  float *u, *v, *profile;
};

/* Terms for @params: their rank rounded up, or their quality's. */
guint cs_llf_rgb_get_rank (const CsLlfParams * params);

/* Fails with CS_ERROR_NO_MEMORY. */
CsLlfRgbTable *cs_llf_rgb_table_new (const CsLlfParams * params,
    GError ** error);
void cs_llf_rgb_table_free (CsLlfRgbTable * table);

/**
 * CsLlfRgbBackend:
 * @create: scratch memory for frames
 * @warm_up: allocates it. Fails with CS_ERROR_NO_MEMORY
 * @run: filters R, G and B of a job, whose lumas and weights are not used, in
 *     memory of the backend; the pyramid has two levels at least. Fails as
 *     @warm_up, on CUDA also with CS_ERROR_DEVICE
 */
typedef struct
{
  void *(*create) (CsExecutor * executor);
  gboolean (*warm_up) (void *state, CsLlfTable * table,
      const CsLlfPyramid * pyramid, GError ** error);
  gboolean (*run) (void *state, CsLlfTable * table, const CsLlfRgbJob * job,
      const CsLlfPyramid * pyramid, GError ** error);
  void (*destroy) (void *state);
} CsLlfRgbBackend;

extern const CsLlfRgbBackend cs_llf_rgb_cpu_backend;
/* Only in builds with HAVE_CUDA. */
extern const CsLlfRgbBackend cs_llf_rgb_cuda_backend;

G_END_DECLS
