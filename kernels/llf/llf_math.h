/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Weights of the pyramid operators, and the guard of black and white, for C and
 * for device code: the same bits without contraction. */

#ifdef __CUDACC__
#define CS_LLF_FN static __host__ __device__ __forceinline__
#else
#define CS_LLF_FN static inline
#endif

/* Weights of the samples 2 j - 2 .. 2 j + 2 of n in coarse sample j: [1 4 6 4
 * 1], renormalised at borders. */
CS_LLF_FN void
cs_llf_down_weights (int j, int n, float w[5])
{
  const int at = 2 * j;

  w[0] = w[1] = at >= 2 ? 1.f : 0.f;
  w[1] *= 4.f;
  w[2] = 6.f;
  w[3] = at + 1 < n ? 4.f : 0.f;
  w[4] = at + 2 < n ? 1.f : 0.f;
  const float sum = w[0] + w[1] + w[2] + w[3] + w[4];
  w[0] /= sum;
  w[1] /= sum;
  w[2] /= sum;
  w[3] /= sum;
  w[4] /= sum;
}

/* Weights of the coarse samples i / 2 - 1 .. i / 2 + 1 (rounded down) of m in
 * fine sample i: (1 6 1) / 8 for an even one, the mean of both neighbours for
 * an odd one; renormalised at borders. */
CS_LLF_FN void
cs_llf_up_weights (int i, int m, float w[3])
{
  const int at = i / 2;
  const float left = at > 0 ? 1.f : 0.f, right = at + 1 < m ? 1.f : 0.f;

  if (i % 2) {
    w[0] = 0.f;
    w[1] = right > 0.f ? .5f : 1.f;
    w[2] = right > 0.f ? .5f : 0.f;
  } else {
    const float sum = left + 6.f + right;

    w[0] = left / sum;
    w[1] = 6.f / sum;
    w[2] = right / sum;
  }
}

/**
 * CsLlfToneGuard:
 * @black: value of black
 * @white: value of white
 * @slope: 1 / the width of the guard, in values; 0: there is none
 */
typedef struct
{
  float black, white, slope;
} CsLlfToneGuard;

/* What is left of the @change of a @value with a guard: see llf.h. */
CS_LLF_FN float
cs_llf_guard_tone (const CsLlfToneGuard * guard, float value, float change)
{
  const float below = value - guard->black, above = guard->white - value;
  const float nearer = below < above ? below : above;
  const float fade = nearer * guard->slope;

  if (!(nearer > 0.f))
    return 0.f;
  change *= fade < 1.f ? fade : 1.f;
  const float room = change < 0.f ? below : above;
  const float size = change < 0.f ? -change : change;
  return change * (room / (room + size));
}
