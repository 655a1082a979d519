/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CS_LLF_RGB_PRIVATE_H
#define CS_LLF_RGB_PRIVATE_H

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

/* Subdivision of an 8-bit code at which delta of the exact filter is tabulated;
 * linear between. */
#define CS_LLF_RGB_PHASES 16
/* Entries of it: the distance from black to white is 441.7 codes. */
#define CS_LLF_RGB_PROFILE (442 * CS_LLF_RGB_PHASES + 2)

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
 * CsLlfRgb:
 *
 * Scratch memory for frames, on the CPU.
 */
typedef struct _CsLlfRgb CsLlfRgb;

CsLlfRgb *cs_llf_rgb_new (CsExecutor * executor);
/* Takes %NULL. */
void cs_llf_rgb_free (CsLlfRgb * plan);

/* Allocates scratch. Fails with CS_ERROR_NO_MEMORY. */
gboolean cs_llf_rgb_warm_up (CsLlfRgb * plan, const CsLlfTable * table,
    const CsLlfPyramid * pyramid, GError ** error);

/* Filters R, G and B of @job, whose lumas are not used; @pyramid has two levels
 * at least. Fails as cs_llf_rgb_warm_up(). */
gboolean cs_llf_rgb_run (CsLlfRgb * plan, const CsLlfTable * table,
    const CsLlfRgbJob * job, const CsLlfPyramid * pyramid, GError ** error);

G_END_DECLS

#endif /* CS_LLF_RGB_PRIVATE_H */
