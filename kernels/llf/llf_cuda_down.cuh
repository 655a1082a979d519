/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Shared by the kernels that downsample: sums with weights 1 4 6 4 1 in both
 * axes become samples. Missing samples are 0, and the sum is divided by the
 * weights of those there are. */
#include "llf_cuda_rank.cuh"

/* Adding this rounds a float to an integer in its low bits: 1.5 * 2^23. */
#define ROUND_MAGIC 12582912.f

static __device__ __forceinline__ float4
finish (float4 sum, float by, bool, uint2 *)
{
  return make_float4 (fmaf (sum.x, by, ROUND_MAGIC) - ROUND_MAGIC,
      fmaf (sum.y, by, ROUND_MAGIC) - ROUND_MAGIC,
      fmaf (sum.z, by, ROUND_MAGIC) - ROUND_MAGIC,
      fmaf (sum.w, by, ROUND_MAGIC) - ROUND_MAGIC);
}

static __device__ __forceinline__ float4
finish (float4 sum, float by, bool, float4 *)
{
  return by * sum;
}

/* Of codes: the first level is rounded to multiples of 2^-8, which matters at
 * borders only, so that the second one's sums are exact, too. */
static __device__ __forceinline__ float
finish (float sum, float by, bool second, float *)
{
  return second ? sum * by : rintf (sum * (by * 256)) * (1.f / 256);
}

/* Of integers; exact. */
static __device__ __forceinline__ uint32_t
finish (uint32_t sum, float by, bool, float *)
{
  return by == 1.f / 256 ? (sum >> 8) + (sum >> 7 & 1) :
      (uint32_t) fmaf ((float) sum, by, .5f);
}

static __device__ __forceinline__ void
put (float4 v, uint2 *to)
{
  const float by = ROUND_MAGIC + LLF_BIAS;

  *to = make_uint2 (__byte_perm (__float_as_uint (v.x + by),
          __float_as_uint (v.y + by), 0x5410),
      __byte_perm (__float_as_uint (v.z + by), __float_as_uint (v.w + by),
          0x5410));
}

static __device__ __forceinline__ void
put (float4 v, float4 *to)
{
  *to = v;
}

static __device__ __forceinline__ void
put (float v, float *to)
{
  *to = v;
}

/* Normalisation of coarse samples from @n ones; 0 of samples that there are
 * not. */
template <bool EDGE> struct DownInverse
{
  int n_coarse;
  float first, last;

  __device__ __forceinline__ DownInverse (int n):
      n_coarse ((n + 1) / 2), first (llf_inverse (llf_down_sum (0, n), 16)),
      last (llf_inverse (llf_down_sum ((n + 1) / 2 - 1, n), 16))
  {
  }

  __device__ __forceinline__ float operator() (int j) const
  {
    if (!EDGE)
      return 1.f / 16;
    return j == 0 ? first : j == n_coarse - 1 ? last :
        (unsigned) j < (unsigned) n_coarse ? 1.f / 16 : 0;
  }
};
