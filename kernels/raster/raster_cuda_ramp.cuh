/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Gradients of discs, for the painter of discs on words: at one pixel exactly,
 * and of most gradients, at a thread's four pixels, nearly, in as few
 * instructions as they need. */

#include "raster_cuda.h"
#include "raster_cuda_words.cuh"

/* What a disc's colour depends on; 0: on nothing. */
#define RAMP 1                  /* a gradient */
#define RAMP_LINEAR 2           /* along a line */
#define RAMP_FADES 4            /* alpha changes from stop to stop */
#define RAMP_COLORED 8          /* colours do */
#define RAMP_FALLS 16           /* there is a falloff */
#define RAMP_EXACT 32           /* computed exactly: the others do not matter */

/* What is farther, in units of CS_RASTER_UNIT, is computed exactly at once. */
#define RAMP_ERROR 48.f

/**
 * Ramp:
 * @scale: cs_gradient_scale() of the disc
 * @slope: cs_gradient_slope() of the first stop
 * @at: where that is
 * @alpha: the disc's own
 * @first: alpha of the first stop
 * @change: what is added up to the second
 * @x: the direction, along a line; around a centre, the falloff
 * @y: likewise
 * @color_change: of colours, multiplied by the disc's own
 * @alpha_error: how far at most, in units of CS_RASTER_UNIT, alphas are from
 *     the exact ones
 * @color_error: likewise colours
 * @gradient: its index
 * @rgba: the disc's own colour
 *
 * A gradient, for a disc. Its paint is that of the first stop.
 */
struct __align__ (16) Ramp
{
  float scale, slope, at, alpha;
  float first, change, x, y;
  float color_change[3], alpha_error, color_error;
  guint32 gradient, rgba;
};

/* Approximate, of normal numbers: within 2^-23, 2^-23 and 2^-22 of the result. */
static __device__ __forceinline__ float
near_root (float v)
{
  float root;

  asm ("sqrt.approx.ftz.f32 %0, %1;" : "=f" (root) : "f" (v));
  return root;
}

static __device__ __forceinline__ float
near_inverse_root (float v)
{
  float root;

  asm ("rsqrt.approx.ftz.f32 %0, %1;" : "=f" (root) : "f" (v));
  return root;
}

static __device__ __forceinline__ float
near_power_of_2 (float v)
{
  float power;

  asm ("ex2.approx.ftz.f32 %0, %1;" : "=f" (power) : "f" (v));
  return power;
}

/* The root as sqrtf() rounds it, of what is neither 0 nor as small or large as
 * its special cases. */
static __device__ __forceinline__ float
exact_root (float v)
{
  const float inverse = near_inverse_root (v), root = v * inverse;

  return __fmaf_rn (__fmaf_rn (-root, root, v), .5f * inverse, root);
}

/* Which of red, green, blue and alpha is first in paint, and which follow. */
static __device__ __forceinline__ int
channel_of (const CsRasterWords & a, int i)
{
  return i > 0 ? 3 - a.shifts[i - 1] / 8 : 3;
}

/* Alpha and colours of a disc at a pixel that is (@dx, @dy) from its centre. The
 * same bits as on the CPU. */
static __device__ __noinline__ float4
ramp_color (const CsRasterWords & a, const CsGradients & gradients,
    const Ramp & ramp, float dx, float dy)
{
  const CsGradient *gradient = &gradients.gradients[ramp.gradient];
  const CsGradientStop *stop = &gradients.stops[gradient->first_stop];
  const CsGradientStop *last = stop + gradient->n_stops - 1;
  const float t = gradient->kind == CS_GRADIENT_LINEAR ?
      cs_gradient_linear (gradient, ramp.scale, dx, dy) :
      cs_gradient_radial (ramp.scale, dx, dy);
  float v[4], own[4];

  own[0] = word_color (a, ramp.rgba, own + 1);
#pragma unroll
  for (int j = 0; j < 4; j++)
    v[j] = stop->color[channel_of (a, j)];
  for (; stop < last; stop++) {
    const float part = cs_gradient_part (stop, cs_gradient_slope (stop), t);

#pragma unroll
    for (int j = 0; j < 4; j++) {
      const int from = channel_of (a, j);

      v[j] += part * (stop[1].color[from] - stop[0].color[from]);
    }
  }
#pragma unroll
  for (int j = 0; j < 4; j++)
    v[j] = cs_raster_unit (v[j]) * own[j];
  if (gradient->falloff > 0)
    v[0] *= cs_gradient_falloff (gradient->falloff, t);
  return make_float4 (v[0], v[1], v[2], v[3]);
}

/* The same of two stops at most. What does not change is @paint already. */
static __device__ __forceinline__ float4
two_stops_color (const CsRasterWords & a, const CsGradients & gradients,
    const Ramp & ramp, unsigned kind, const float4 paint, float dx, float dy,
    float d2)
{
  const float t = kind & RAMP_LINEAR ?
      __saturatef (((dx * ramp.x + dy * ramp.y) * ramp.scale + 1.f) * .5f) :
      __saturatef ((d2 > 0 ? exact_root (d2) : 0) * ramp.scale);
  const float part = __saturatef ((t - ramp.at) * ramp.slope);
  float v[4] = { paint.x, paint.y, paint.z, paint.w };

  if (kind & RAMP_FADES)
    v[0] = __saturatef (ramp.first + part * ramp.change) * ramp.alpha;
  if (kind & RAMP_COLORED) {
    const CsGradientStop *stop =
        &gradients.stops[gradients.gradients[ramp.gradient].first_stop];

#pragma unroll
    for (int j = 1; j < 4; j++) {
      const int from = channel_of (a, j);

      v[j] = __saturatef (stop[0].color[from] + part * (stop[1].color[from] -
              stop[0].color[from])) *
          cs_raster_byte (ramp.rgba >> a.shifts[j - 1] & 255);
    }
  }
  if (kind & RAMP_FALLS)
    v[0] *= cs_gradient_falloff (ramp.x, t);
  return make_float4 (v[0], v[1], v[2], v[3]);
}

/* The ramp of a disc of @radius, whose own alpha and colours are @paint, which
 * is then the first stop's; its index and colour are there. Returns what it
 * depends on.
 *
 * Where the parts are nearly right. Let M be the greatest distance of a pixel
 * from the centre, scaled, and s the slope. Exactly, the distance, its scale
 * and what lies before the stop are rounded; here the root, what it is
 * multiplied by, the beginning and the sum: a part is wrong by at most
 * s (5 M + 6) + 2 units, also along a line, where there are two products. A
 * product with a change, which is at most the part's error times it, and all
 * other roundings add 6. exp() as it is computed exactly, a series to the power
 * of 16, is within 23 units of exp(), 2^x within 4, and what goes into it is
 * wrong by less than 11 times itself: together 31. */
static __device__ __forceinline__ unsigned
ramp_of (const CsRasterWords & a, const CsGradients & gradients, float radius,
    float4 * paint, Ramp * ramp)
{
  const CsGradient gradient = gradients.gradients[ramp->gradient];
  const CsGradientStop *stop = &gradients.stops[gradient.first_stop];
  const CsGradientStop *last = stop + gradient.n_stops - 1;
  const bool is_linear = gradient.kind == CS_GRADIENT_LINEAR;
  const float scale = cs_gradient_scale (radius);
  const float slope = gradient.n_stops > 1 ? cs_gradient_slope (stop) : 0;
  const float own[4] = { paint->x, paint->y, paint->z, paint->w };
  const float parts = slope * (5 * (radius + .5f) * scale + 6) + 2;
  float begin[4], change[4], most = 0;
  unsigned kind = RAMP | (is_linear ? RAMP_LINEAR : 0) |
      (gradient.falloff > 0 ? RAMP_FALLS : 0);

#pragma unroll
  for (int j = 0; j < 4; j++) {
    const int from = channel_of (a, j);

    begin[j] = stop->color[from] * own[j];
    change[j] = last->color[from] - stop->color[from];
    if (change[j] != 0)
      kind |= j > 0 ? RAMP_COLORED : RAMP_FADES;
    if (j > 0)
      most = fmaxf (most, fabsf (change[j] * own[j]));
  }
  ramp->scale = scale;
  ramp->alpha_error = ramp->color_error = 0;
  if (kind & (RAMP_FADES | RAMP_FALLS))
    ramp->alpha_error = fabsf (change[0] * own[0]) * parts +
        (kind & RAMP_FALLS ? 6 + 31 : 6);
  if (kind & RAMP_COLORED)
    ramp->color_error = most * parts + 6;
  if (gradient.n_stops > 2 || (is_linear && (kind & RAMP_FALLS)) ||
      fmaxf (ramp->alpha_error, ramp->color_error) > RAMP_ERROR)
    return RAMP_EXACT;
  *paint = make_float4 (begin[0], begin[1], begin[2], begin[3]);
  ramp->slope = slope;
  ramp->at = stop->at;
  ramp->alpha = own[0];
  ramp->first = stop->color[3];
  ramp->change = change[0];
  ramp->x = is_linear ? gradient.x : gradient.falloff;
  ramp->y = gradient.y;
#pragma unroll
  for (int j = 0; j < 3; j++)
    ramp->color_change[j] = change[j + 1] * own[j + 1];
  return kind;
}

/* Which parts of the change are reached by four pixels at (@x0 or @x1, @y0 or
 * @y1) from the centre, whose squares together are @d2. */
static __device__ __forceinline__ void
follow_ramp (const Ramp & ramp, unsigned kind, const float d2[4], float x0,
    float x1, float y0, float y1, float parts[4])
{
  const float each = ramp.scale * ramp.slope;

  if (kind & RAMP_LINEAR) {
    const float begin = (.5f - ramp.at) * ramp.slope;
    const float x = .5f * each * ramp.x, y = .5f * each * ramp.y;
    const float upper = __fmaf_rn (y0, y, begin);
    const float lower = __fmaf_rn (y1, y, begin);

    parts[0] = __saturatef (__fmaf_rn (x0, x, upper));
    parts[1] = __saturatef (__fmaf_rn (x1, x, upper));
    parts[2] = __saturatef (__fmaf_rn (x0, x, lower));
    parts[3] = __saturatef (__fmaf_rn (x1, x, lower));
  } else {
    const float begin = -ramp.at * ramp.slope;

#pragma unroll
    for (int i = 0; i < 4; i++)
      parts[i] = __saturatef (__fmaf_rn (near_root (d2[i]), each, begin));
  }
}

/* Multiplies the alphas of four pixels by the falloff. */
static __device__ __forceinline__ void
fall_off (const Ramp & ramp, const float d2[4], float alphas[4])
{
  const float scale2 = ramp.scale * ramp.scale;
  const float at_border = ramp.x * -1.442695041f;

#pragma unroll
  for (int i = 0; i < 4; i++)
    alphas[i] *= near_power_of_2 (__saturatef (d2[i] * scale2) * at_border);
}
