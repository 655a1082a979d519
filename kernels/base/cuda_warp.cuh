/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Reductions and scans of a warp, or of groups of its lanes; all lanes of the
 * warp take part. And a scan of the warps of a block. */

#include <stdint.h>

#define CS_ALL_LANES 0xffffffffu

/* The sum of @value over the LANES lanes of a group, in all of them: of each
 * lane and the one LANES / 2 further, of those sums, and so on. */
template <int LANES, typename T> static __device__ __forceinline__ T
cs_group_sum (T value)
{
  for (int step = LANES / 2; step > 0; step /= 2)
    value += __shfl_xor_sync (CS_ALL_LANES, value, step);
  return value;
}

/* The least and the greatest @value of a group, in all of its lanes. */
template <int LANES> static __device__ __forceinline__ double
cs_group_min (double value)
{
  for (int step = LANES / 2; step > 0; step /= 2)
    value = fmin (value, __shfl_xor_sync (CS_ALL_LANES, value, step));
  return value;
}

template <int LANES> static __device__ __forceinline__ double
cs_group_max (double value)
{
  for (int step = LANES / 2; step > 0; step /= 2)
    value = fmax (value, __shfl_xor_sync (CS_ALL_LANES, value, step));
  return value;
}

/* The sum of @value over a warp, in all lanes. */
template <typename T> static __device__ __forceinline__ T
cs_warp_sum (T value)
{
  return cs_group_sum<32> (value);
}

#ifdef CS_CUDA_FROM_80
/* One instruction from compute capability 8.0 on. */
static __device__ __forceinline__ uint32_t
cs_warp_sum (uint32_t value)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync (CS_ALL_LANES, value);
#else
  return cs_group_sum<32> (value);
#endif
}

/* The greatest and the least @value of a warp, in all lanes. */
static __device__ __forceinline__ uint32_t
cs_warp_max (uint32_t value)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync (CS_ALL_LANES, value);
#else
  for (int step = 16; step > 0; step /= 2)
    value = max (value, __shfl_xor_sync (CS_ALL_LANES, value, step));
  return value;
#endif
}

/* All bits that a lane has, in all lanes. */
static __device__ __forceinline__ uint32_t
cs_warp_or (uint32_t bits)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync (CS_ALL_LANES, bits);
#else
  for (int step = 16; step > 0; step /= 2)
    bits |= __shfl_xor_sync (CS_ALL_LANES, bits, step);
  return bits;
#endif
}

static __device__ __forceinline__ uint32_t
cs_warp_min (uint32_t value)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync (CS_ALL_LANES, value);
#else
  return ~cs_warp_max (~value);
#endif
}
#else
/* The file is not among those of kernels/meson.build that have code of their own
 * from 8.0 on: it would get that for 7.5. */
uint32_t cs_warp_sum (uint32_t) = delete;
uint32_t cs_warp_max (uint32_t) = delete;
uint32_t cs_warp_min (uint32_t) = delete;
uint32_t cs_warp_or (uint32_t) = delete;
#endif

/* All bits that a lane of a group has, in all of its lanes. */
template <int LANES> static __device__ __forceinline__ uint32_t
cs_group_or (uint32_t bits)
{
#pragma unroll
  for (int step = LANES / 2; step > 0; step /= 2)
    bits |= __shfl_xor_sync (CS_ALL_LANES, bits, step);
  return bits;
}

/* The sum of @value in this lane and those before it in its group. */
template <int LANES> static __device__ __forceinline__ uint32_t
cs_group_inclusive_sum (uint32_t value)
{
  const uint32_t lane = threadIdx.x % LANES;

#pragma unroll
  for (uint32_t step = 1; step < LANES; step *= 2) {
    const uint32_t other = __shfl_up_sync (CS_ALL_LANES, value, step, LANES);

    value += lane >= step ? other : 0;
  }
  return value;
}

static __device__ __forceinline__ uint32_t
cs_warp_inclusive_sum (uint32_t value)
{
  return cs_group_inclusive_sum<32> (value);
}

/* How many of the lanes in @mask are before @lane. */
static __device__ __forceinline__ uint32_t
cs_lanes_before (uint32_t mask, uint32_t lane)
{
  return __popc (mask & ((1u << lane) - 1));
}

/* The sum of @count, a number of each of a block's WARPS warps, over the warps
 * before this one, and over all of them in @total. All threads come here, and
 * meet again before @counts, in shared memory, is used for anything else. */
template <int WARPS> static __device__ __forceinline__ uint32_t
cs_block_count_before (uint32_t counts[WARPS], uint32_t count, uint32_t *total)
{
  const unsigned warp = threadIdx.x / 32;
  uint32_t before = 0;

  if (threadIdx.x % 32 == 0)
    counts[warp] = count;
  __syncthreads ();
  *total = 0;
#pragma unroll
  for (unsigned w = 0; w < WARPS; w++) {
    before += w < warp ? counts[w] : 0;
    *total += counts[w];
  }
  return before;
}
