/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CS_RASTER_WARP_CUH
#define CS_RASTER_WARP_CUH

/* Sums and extremes of a whole warp, for all of its lanes: one instruction from
 * compute capability 8.0 on, five steps before. */

static __device__ __forceinline__ unsigned int
warp_add (unsigned int value)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync (~0u, value);
#else
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_xor_sync (~0u, value, step);
  return value;
#endif
}

static __device__ __forceinline__ unsigned int
warp_max (unsigned int value)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync (~0u, value);
#else
  for (int step = 16; step > 0; step /= 2)
    value = max (value, __shfl_xor_sync (~0u, value, step));
  return value;
#endif
}

static __device__ __forceinline__ unsigned int
warp_min (unsigned int value)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync (~0u, value);
#else
  return ~warp_max (~value);
#endif
}

#endif /* CS_RASTER_WARP_CUH */
