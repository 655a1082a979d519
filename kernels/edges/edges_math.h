/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The arithmetic of one pixel, the same bits on the CPU and the GPU: compile
 * without contraction.
 */

#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#define CS_EDGES_FN static __host__ __device__ __forceinline__
#else
#define CS_EDGES_FN static inline
#endif

/* tan (22.5 degrees) */
#define CS_EDGES_TAN 0.414213562f

/* Float samples are clamped to this; NaN becomes 0. */
#define CS_EDGES_MAX_SAMPLE 1e6f

CS_EDGES_FN float
cs_edges_from_u16 (uint16_t sample)
{
  return sample * (255.f / 65535.f);
}

CS_EDGES_FN float
cs_edges_from_float (float sample, float scale)
{
  const float value = sample * scale * 255.f;

  if (!(value == value))
    return 0;
  return value > CS_EDGES_MAX_SAMPLE ? CS_EDGES_MAX_SAMPLE :
      value < -CS_EDGES_MAX_SAMPLE ? -CS_EDGES_MAX_SAMPLE : value;
}

/* Sobel operator on rows a, b and c. */
CS_EDGES_FN void
cs_edges_gradient (float a0, float a1, float a2, float b0, float b2, float c0,
    float c1, float c2, float *gx, float *gy)
{
  *gx = ((a2 - a0) + (c2 - c0)) + 2.f * (b2 - b0);
  *gy = ((c0 - a0) + (c2 - a2)) + 2.f * (c1 - a1);
}

/* Quantised gradient direction: 0 to 3 for (1, 0), (1, 1), (0, 1), (-1, 1). */
CS_EDGES_FN uint8_t
cs_edges_direction (float gx, float gy)
{
  const float ax = fabsf (gx), ay = fabsf (gy);
  const uint8_t diagonal = (gx < 0) == (gy < 0) ? 1 : 3;

  return ay <= ax * CS_EDGES_TAN ? 0 : ax <= ay * CS_EDGES_TAN ? 2 : diagonal;
}

CS_EDGES_FN int
cs_edges_step_x (uint8_t direction)
{
  return direction == 3 ? -1 : direction != 2;
}

CS_EDGES_FN int
cs_edges_step_y (uint8_t direction)
{
  return direction != 0;
}

/* Non-maximum suppression: whether a magnitude is a maximum between its
 * neighbours; of two equal ones the first. */
CS_EDGES_FN int
cs_edges_is_ridge (float before, float here, float after)
{
  return here > before && here >= after;
}

/* Maximum offset of a point from its pixel: below half, so that no two points
 * are equal. */
#define CS_EDGES_MAX_OFFSET .49f

/* Offset, in steps, of the maximum of the parabola through three magnitudes,
 * given as squares. */
CS_EDGES_FN float
cs_edges_offset (float before2, float here2, float after2)
{
  const float a = sqrtf (before2), b = sqrtf (here2), c = sqrtf (after2);
  const float curvature = (a - b) + (c - b);
  const float offset = curvature < 0 ? .5f * (a - c) / curvature : 0.f;

  return offset > CS_EDGES_MAX_OFFSET ? CS_EDGES_MAX_OFFSET :
      offset < -CS_EDGES_MAX_OFFSET ? -CS_EDGES_MAX_OFFSET : offset;
}
