/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The luma of one pixel, the same bits on the CPU and the GPU: compile without
 * contraction. */

#ifdef __CUDACC__
#define CS_LUMA_FN static __host__ __device__ __forceinline__
#else
#define CS_LUMA_FN static inline
#endif

CS_LUMA_FN float
cs_luma (float r, float g, float b, float red_weight, float blue_weight)
{
  return g + red_weight * (r - g) + blue_weight * (b - g);
}
