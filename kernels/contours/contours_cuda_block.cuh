/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Device code: sums over a block of a polyline's terms, by a warp, in the order
 * that contours_math.h defines. */

#include <stdint.h>

#include "base/cuda_warp.cuh"
#include "base/measures.h"
#include "contours_math.h"

static_assert (CS_SUM_LANES == 32, "one lane per partial sum");

/* Sums and bounding box of up to CS_SUM_BLOCK terms. */
typedef struct
{
  double cross, length, cross_x, cross_y, length_x, length_y;
  double x0, y0, x1, y1;
  double moments[10];
} CsSums;

/* Points, in any memory space. */
struct Points
{
  const void *data;
  int are_double;

  __device__ __forceinline__ double2 at (uint32_t i) const
  {
    if (are_double)
      return ((const double2 *) data)[i];
    const float2 p = ((const float2 *) data)[i];

    return make_double2 (p.x, p.y);
  }
};

/* A warp sums the @n_terms terms, 1 to CS_SUM_BLOCK, from point @start on, of a
 * contour that begins at point @first. */
template <int M> static __device__ __forceinline__ void
sum_block (const Points & points, uint32_t first, uint32_t start,
    uint32_t n_terms, CsSums & sums)
{
  const double2 origin = points.at (first);

  sums = CsSums ();
  sums.x0 = sums.y0 = INFINITY;
  sums.x1 = sums.y1 = -INFINITY;
  for (uint32_t i = threadIdx.x % 32; i < n_terms; i += CS_SUM_LANES) {
    const double2 p = points.at (start + i), q = points.at (start + i + 1);
    const double ax = p.x - origin.x, ay = p.y - origin.y;
    const double bx = q.x - origin.x, by = q.y - origin.y;
    const double cross = cs_term_cross (ax, ay, bx, by);

    sums.cross += cross;
    if (M >= CS_MEASURES_BASIC) {
      const double length = cs_term_length (ax, ay, bx, by);

      sums.length += length;
      sums.cross_x += cross * (ax + bx);
      sums.cross_y += cross * (ay + by);
      sums.length_x += length * (ax + bx);
      sums.length_y += length * (ay + by);
      sums.x0 = fmin (sums.x0, fmin (p.x, q.x));
      sums.y0 = fmin (sums.y0, fmin (p.y, q.y));
      sums.x1 = fmax (sums.x1, fmax (p.x, q.x));
      sums.y1 = fmax (sums.y1, fmax (p.y, q.y));
    }
    if (M >= CS_MEASURES_FULL) {
#pragma unroll
      for (int m = 0; m < CS_N_MOMENTS; m++)
        sums.moments[m] += cs_term_moment (m, cross, ax, ay, bx, by);
    }
  }
  sums.cross = cs_warp_sum (sums.cross);
  if (M >= CS_MEASURES_BASIC) {
    sums.length = cs_warp_sum (sums.length);
    sums.cross_x = cs_warp_sum (sums.cross_x);
    sums.cross_y = cs_warp_sum (sums.cross_y);
    sums.length_x = cs_warp_sum (sums.length_x);
    sums.length_y = cs_warp_sum (sums.length_y);
    sums.x0 = cs_group_min<32> (sums.x0);
    sums.y0 = cs_group_min<32> (sums.y0);
    sums.x1 = cs_group_max<32> (sums.x1);
    sums.y1 = cs_group_max<32> (sums.y1);
  }
  if (M >= CS_MEASURES_FULL) {
#pragma unroll
    for (int m = 0; m < CS_N_MOMENTS; m++)
      sums.moments[m] = cs_warp_sum (sums.moments[m]);
  }
}

#define SUMS_WORDS (sizeof (CsSums) / 8)
/* index of x0 among the fields of CsSums */
#define BOX_WORD 6

static_assert (SUMS_WORDS <= 32, "one lane per sum");

/* Blocks of sums loaded at a time */
#define BATCH_BLOCKS 16

/* A warp adds @n blocks' sums in order, a lane for each field. */
[[maybe_unused]] static __device__ void
sum_items (const CsSums * all, uint32_t n, CsSums & sums)
{
  const int lane = threadIdx.x % 32;
  const int field = lane < (int) SUMS_WORDS ? lane : 0;
  const double *values = (const double *) all;
  double sum = field < BOX_WORD || field >= BOX_WORD + 4 ? 0. :
      field < BOX_WORD + 2 ? INFINITY : -INFINITY;

  for (uint32_t b = 0; b < n; b += BATCH_BLOCKS) {
    double batch[BATCH_BLOCKS];

#pragma unroll
    for (uint32_t k = 0; k < BATCH_BLOCKS; k++)
      batch[k] = __ldcg (&values[min (b + k, n - 1) * SUMS_WORDS + field]);
#pragma unroll
    for (uint32_t k = 0; k < BATCH_BLOCKS; k++) {
      if (b + k < n)
        sum = field < BOX_WORD || field >= BOX_WORD + 4 ? sum + batch[k] :
            field < BOX_WORD + 2 ? fmin (sum, batch[k]) : fmax (sum, batch[k]);
    }
  }
#pragma unroll
  for (int k = 0; k < (int) SUMS_WORDS; k++)
    ((double *) &sums)[k] = __shfl_sync (CS_ALL_LANES, sum, k);
}
