/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Shared by the CUDA backend's kernels. In device memory G is in codes, and P
 * is scaled so that the largest u_k of a channel is LLF_UNITS; v is scaled
 * inversely. */
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime.h>

#include "base/image.h"
#include "llf_math.h"

#define LLF_MAX_LEVELS 17
#define LLF_NODES 256
#define LLF_PHASES 16
#define LLF_MAX_CODES 1024
/* Channels are stored in groups of four: [group][y][x][4]. */
#define LLF_GROUP 4
#define LLF_UNITS 32767.f
#define LLF_BIAS 32768

/**
 * LlfTables:
 * @u: channels of code i, [group * n_codes + i]
 * @code_v: their factors at codes, as @u
 * @v: factors at nodes, [group * (LLF_NODES + 2) + node]
 * @v0: factor of G at nodes, for G in codes
 * @code: code_d and code_v0 of a code, for G in codes
 * @fine: d of the exact filter, as CsLlfTable's
 *
 * A table in device memory.
 */
struct LlfTables
{
  const float4 *u, *code_v, *v;
  const float *v0, *fine;
  const float2 *code;
};

/**
 * LlfDeviceLevel:
 * @p: ushort4, of which LLF_BIAS is 0, or float4; not of level 0
 * @g: Gaussian pyramid, in codes; not of level 0
 * @c: sum of this level's coefficients and those of coarser ones, as @n_c
 *     partial sums
 */
struct LlfDeviceLevel
{
  int w, h, n_c;
  void *p;
  float *g, *c;
};

/* Constants of a graph. @to_node: nodes per code. */
struct LlfDevicePyramid
{
  LlfDeviceLevel levels[LLF_MAX_LEVELS];
  int n, n_codes, n_groups;
  float to_node;
  LlfTables tables;
};

/* Arguments that may change with every frame. */
struct LlfDeviceFrame
{
  const uint8_t *in;
  uint8_t *out;
  size_t in_pixel, in_row, out_pixel, out_row;
  int type, shift, depth;
  CsLlfToneGuard guard;
};

struct LlfDeviceWeights
{
  float level[LLF_MAX_LEVELS];
};

/**
 * LlfLaunch:
 *
 * Launch configuration of a graph's kernel; @shared is dynamic shared memory in
 * bytes.
 */
struct LlfLaunch
{
  const void *function;
  dim3 blocks, threads;
  size_t shared;
};

/**
 * LlfKind:
 * @fixed: P is ushort4
 * @bytes: the frame's samples are contiguous CS_SAMPLE_U8 with 32-bit offsets,
 *     and rows of input are aligned to 4
 * @guarded: the frame has a guard
 */
struct LlfKind
{
  bool fixed, bytes, guarded;
};

/* Levels 1 and 2 from the frame. Arguments: pyramid, frame, rows of level 2 per
 * warp. */
LlfLaunch llf_cuda_down (const LlfDevicePyramid *pyramid, LlfKind kind,
    int *rows);
/* Levels @l + 1 and @l + 2 from level @l, which is not the first. Arguments:
 * pyramid, l. */
LlfLaunch llf_cuda_down_tiles (const LlfDevicePyramid *pyramid, LlfKind kind,
    int l);

/* All levels coarser than @l, and the coefficients down to those of level @l.
 * Arguments: pyramid, weights, l. */
LlfLaunch llf_cuda_coarse (const LlfDevicePyramid *pyramid, LlfKind kind,
    int l);
/* Maximum pixels of the level where this starts: few blocks work on it, so that
 * two more kernels of many blocks are faster. It is level 6 of 1920x1080, with
 * 510 pixels, and of 3840x2160, with 2040. */
#define LLF_COARSE_PIXELS 2560

/* Coefficients of levels @l + 1 and @l, added to those of level l + 2.
 * Arguments: pyramid, weights, frame, l, whether to synchronise before the
 * first read. */
LlfLaunch llf_cuda_up (const LlfDevicePyramid *pyramid, LlfKind kind, int l);

/* The exact filter's weights of one direction, in device memory. */
struct LlfExactWeights
{
  const int32_t *start, *count;
  const float *a, *b;
  int support;
};

/**
 * LlfExact:
 * @codes: the frame's codes, of @pitch in a row; uint8_t if there are 256
 * @partials: partial sums of four coefficients over a strip of rows
 * @n_strips: strips per coefficient of this level
 * @first: this level's first item; coarsest level first
 */
struct LlfExact
{
  LlfExactWeights columns[LLF_MAX_LEVELS], rows[LLF_MAX_LEVELS];
  void *codes;
  float4 *partials;
  int pitch, n_items;
  int n_strips[LLF_MAX_LEVELS], first[LLF_MAX_LEVELS];
};

/* Splits the work into items. */
void llf_cuda_exact_items (const LlfDevicePyramid *pyramid, LlfExact *exact);
/* Arguments: pyramid, frame, exact. */
LlfLaunch llf_cuda_exact_codes (const LlfDevicePyramid *pyramid,
    const LlfExact *exact);
/* All levels but the first; arguments: pyramid, weights, exact. */
LlfLaunch llf_cuda_exact_sums (const LlfDevicePyramid *pyramid,
    const LlfExact *exact);
/* Level @l from its sums and the coarser level; arguments: pyramid, weights,
 * exact, l. */
LlfLaunch llf_cuda_exact_collapse (const LlfDevicePyramid *pyramid, int l);
/* The first level, and the frame; arguments: pyramid, weights, frame, exact. */
LlfLaunch llf_cuda_exact_first (const LlfDevicePyramid *pyramid);

#ifdef __CUDACC__

#ifdef CS_CUDA_FROM_90
/* --- Programmatic dependent launch ---------------------------------------- */

/* Waits until the previous kernel of the graph has completed. */
static __device__ __forceinline__ void
llf_dependency_sync (void)
{
#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile ("griddepcontrol.wait;":::"memory");
#endif
}

/* Lets the next kernel of the graph start. */
static __device__ __forceinline__ void
llf_trigger_dependents (void)
{
#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile ("griddepcontrol.launch_dependents;":::"memory");
#endif
}
#endif /* CS_CUDA_FROM_90 */

/* --- Samples -------------------------------------------------------------- */

/* The raw bits of a sample. */
template <bool BYTES = false> static __device__ __forceinline__ uint32_t
llf_load (const LlfDeviceFrame &frame, int x, int y)
{
  if (BYTES)
    return frame.in[(uint32_t) y * (uint32_t) frame.in_row + x];

  const uint8_t *at = frame.in + y * frame.in_row + x * frame.in_pixel;

  if (frame.type == CS_SAMPLE_U8)
    return *at;
  if (frame.type == CS_SAMPLE_U16) {
    const uint32_t value = *(const uint16_t *) at >> frame.shift;

    return min (value, (1u << frame.depth) - 1);
  }
  return *(const uint32_t *) at;
}

template <bool BYTES = false> static __device__ __forceinline__ uint32_t
llf_code (const LlfDeviceFrame &frame, int n_codes, uint32_t sample)
{
  if (BYTES || frame.type == CS_SAMPLE_U8)
    return sample;
  if (frame.type == CS_SAMPLE_U16)
    return sample >> (frame.depth > 10 ? frame.depth - 10 : 0);

  const float value = __uint_as_float (sample);

  return (uint32_t) ((value > 0 ? (value < 1 ? value : 1) : 0) *
      (n_codes - 1) + .5f);
}

/* What is left of the @change of a sample, which is a code of at most @max_code,
 * or a float if that is 0. */
template <bool GUARDED> static __device__ __forceinline__ float
llf_guarded (const LlfDeviceFrame &frame, uint32_t sample, float max_code,
    float change)
{
  if (!GUARDED)
    return change;
  return cs_llf_guard_tone (&frame.guard, max_code == 0 ?
      __uint_as_float (sample) : (float) sample * (1.f / max_code), change);
}

/* Adds @change to a sample. */
template <bool BYTES, bool GUARDED> static __device__ __forceinline__ void
llf_store (const LlfDeviceFrame &frame, int x, int y, uint32_t sample,
    float change)
{
  if (BYTES) {
    const float value = fmaf (255.f, llf_guarded<GUARDED> (frame,
            sample, 255, change), (float) sample);

    frame.out[(uint32_t) y * (uint32_t) frame.out_row + x] =
        (int) (fminf (fmaxf (value, 0.f), 255.f) + .5f);
    return;
  }

  uint8_t *at = frame.out + y * frame.out_row + x * frame.out_pixel;

  if (frame.type == CS_SAMPLE_F32) {
    const float value = __uint_as_float (sample);

    *(float *) at = (value == value ? value : 0) +
        llf_guarded<GUARDED> (frame, sample, 0, change);
    return;
  }

  const float max_code = (float) ((1u << frame.depth) - 1);
  const float value = (float) sample + max_code *
      llf_guarded<GUARDED> (frame, sample, max_code, change);
  const int rounded = (int) (fminf (fmaxf (value, 0.f), max_code) + .5f);

  if (frame.type == CS_SAMPLE_U8)
    *at = rounded;
  else
    *(uint16_t *) at = rounded << frame.shift;
}

/* --- Weights -------------------------------------------------------------- */

/* Sum of the weights 1 4 6 4 1 that lie within a row of @n, for coarse sample
 * @j; 0 if there is no such sample. */
static __device__ __forceinline__ int
llf_down_sum (int j, int n)
{
  const int at = 2 * j;

  if (j < 0 || at >= n)
    return 0;
  return (j > 0 ? 5 : 0) + 6 + (at + 1 < n ? 4 : 0) + (at + 2 < n ? 1 : 0);
}

/* Normalisation of one axis; @sum is @whole except at borders. The product over
 * both axes does not depend on their order. */
static __device__ __forceinline__ float
llf_inverse (int sum, int whole)
{
  return sum == whole ? 1.f / whole : __fdividef (1.f, (float) sum);
}

/* --- Values --------------------------------------------------------------- */

static __device__ __forceinline__ float4
llf_mad (float a, float4 b, float4 c)
{
  return make_float4 (fmaf (a, b.x, c.x), fmaf (a, b.y, c.y),
      fmaf (a, b.z, c.z), fmaf (a, b.w, c.w));
}

static __device__ __forceinline__ float
llf_mad (float a, float b, float c)
{
  return fmaf (a, b, c);
}

static __device__ __forceinline__ uint32_t
llf_mad (float a, uint32_t b, uint32_t c)
{
  return (uint32_t) a * b + c;
}

static __device__ __forceinline__ float4
operator+ (float4 a, float4 b)
{
  return make_float4 (a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

static __device__ __forceinline__ float4
operator* (float a, float4 b)
{
  return make_float4 (a * b.x, a * b.y, a * b.z, a * b.w);
}

static __device__ __forceinline__ float
llf_dot (float4 a, float4 b, float sum)
{
  return fmaf (a.w, b.w, fmaf (a.z, b.z, fmaf (a.y, b.y, fmaf (a.x, b.x,
                  sum))));
}

/* Unpacks four biased numbers: their bits become the low mantissa bits of
 * 2^23. */
static __device__ __forceinline__ float4
llf_as_floats (uint2 v)
{
  const float base = 8388608.f + LLF_BIAS;

  return make_float4 (
      __uint_as_float (__byte_perm (v.x, 0x4b000000, 0x7610)) - base,
      __uint_as_float (__byte_perm (v.x, 0x4b000000, 0x7632)) - base,
      __uint_as_float (__byte_perm (v.y, 0x4b000000, 0x7610)) - base,
      __uint_as_float (__byte_perm (v.y, 0x4b000000, 0x7632)) - base);
}

/* The value of missing samples. */
static __device__ __forceinline__ void
llf_set_zero (uint2 *v)
{
  *v = make_uint2 (LLF_BIAS << 16 | LLF_BIAS, LLF_BIAS << 16 | LLF_BIAS);
}

static __device__ __forceinline__ void
llf_set_zero (float4 *v)
{
  *v = make_float4 (0, 0, 0, 0);
}

static __device__ __forceinline__ void
llf_set_zero (float *v)
{
  *v = 0;
}

static __device__ __forceinline__ float4
llf_as_floats (float4 v)
{
  return v;
}

/* A cell of 2 x 2 samples from 3 x 3 coarse ones, missing ones 0, with weights
 * 1 6 1 and 1 1. Bitwise equivariant under rotation and reflection. */
static __device__ __forceinline__ void
llf_up_cell (const float *c, int stride, float out[4])
{
  const float *t = c + stride, *b = t + stride;

  out[0] = fmaf (36.f, t[1], fmaf (6.f, (c[1] + t[0]) + (t[2] + b[1]),
          (c[0] + b[2]) + (c[2] + b[0])));
  out[1] = fmaf (6.f, t[1] + t[2], (c[1] + c[2]) + (b[1] + b[2]));
  out[2] = fmaf (6.f, t[1] + b[1], (t[0] + b[0]) + (t[2] + b[2]));
  out[3] = (t[1] + b[2]) + (t[2] + b[1]);
}

/* Normalisation of sample @i of such a sum in one axis, with @m coarse
 * samples. */
static __device__ __forceinline__ float
llf_up_inverse (int i, int m)
{
  const int at = i >> 1, right = at + 1 < m;

  return i & 1 ? right ? .5f : 1.f :
      llf_inverse ((at > 0 ? 1 : 0) + 6 + right, 8);
}

#endif /* __CUDACC__ */
