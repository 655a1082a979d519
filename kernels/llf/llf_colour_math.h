/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Scaling of colour, the same bits on the CPU and the GPU: compile without
 * contraction. */

#ifdef __CUDACC__
#define CS_LLF_COLOUR_FN static __host__ __device__ __forceinline__
#else
#define CS_LLF_COLOUR_FN static inline
#endif

/**
 * CsLlfTone:
 * @unit: 1 / @max_code: values are relative to the largest code
 * @max_code: the largest code
 * @black: value of black
 * @gain: 1 / (white - black)
 * @neutral: chroma code of gray
 */
typedef struct
{
  float unit, max_code, black, gain, neutral;
} CsLlfTone;

/* The factor of colour where luma changes from @before to @after. */
CS_LLF_COLOUR_FN float
cs_llf_colour_ratio (const CsLlfTone * tone, float before, float after)
{
  float y = (before - tone->black) * tone->gain;
  float z = (after - tone->black) * tone->gain;

  y = y > 0.f ? y : 0.f;
  z = z > 0.f ? z : 0.f;
  float ratio = (z + .01f) / (y + .01f);
  ratio = ratio < .5f ? .5f : ratio;
  ratio = ratio > 2.f ? 2.f : ratio;
  float fade = y * 16.f;
  fade = fade > 1.f ? 1.f : fade;
  return 1.f + fade * (ratio - 1.f);
}

/* Rounds and clamps to a code. */
CS_LLF_COLOUR_FN int
cs_llf_colour_round (const CsLlfTone * tone, float code)
{
  code = code > 0.f ? code : 0.f;
  code = code < tone->max_code ? code : tone->max_code;
  return (int) (code + .5f);
}

/* R, G or B, of code @code. */
CS_LLF_COLOUR_FN int
cs_llf_colour_rgb (const CsLlfTone * tone, int code, float before, float after,
    float ratio)
{
  return cs_llf_colour_round (tone,
      (after + ratio * ((float) code * tone->unit - before)) * tone->max_code);
}

/* Cb or Cr, of code @code. */
CS_LLF_COLOUR_FN int
cs_llf_colour_chroma (const CsLlfTone * tone, int code, float ratio)
{
  return cs_llf_colour_round (tone,
      tone->neutral + ratio * ((float) code - tone->neutral));
}

/* The mean value of four luma codes. */
CS_LLF_COLOUR_FN float
cs_llf_colour_mean (const CsLlfTone * tone, int a, int b, int c, int d)
{
  return (float) (a + b + c + d) * .25f * tone->unit;
}

/* @weight of 255 parts of the way from @before to @after, rounded; of 8 bits. */
CS_LLF_COLOUR_FN unsigned
cs_llf_colour_blend_8 (unsigned before, unsigned after, unsigned weight)
{
  const unsigned sum = before * (255u - weight) + after * weight + 128u;

  /* is sum / 255 for all sums below 65536 */
  return (sum + (sum >> 8)) >> 8;
}

/* Likewise, of up to 16 bits. */
CS_LLF_COLOUR_FN unsigned
cs_llf_colour_blend_16 (unsigned before, unsigned after, unsigned weight)
{
  return (before * (255u - weight) + after * weight + 127u) / 255u;
}
