/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Shared by the kernels of the factored filter. For 8 bits P is rounded to 16
 * bits, so that its sums are exact in any order: filtering commutes with
 * rotation and reflection, bit for bit. */
#include "llf_cuda.cuh"

#define WARP 32

/* Source of samples. */
enum Source
{
  LEVEL,
  BYTES,
  ANY_SAMPLES,
};

template <bool FIXED> struct Stored
{
  typedef float4 Type;
};

template <> struct Stored<true>
{
  typedef uint2 Type;
};

static __device__ __forceinline__ float
lerp (float a, float b, float f)
{
  return fmaf (f, b - a, a);
}
