/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gradients on the GPU: the colours of a thread's four pixels. */
#pragma once

#include "raster_cuda.h"

/* Working colours, and alpha with opacity. */
struct GradientColors
{
  float color[4][4];

  __device__ __forceinline__ float at (int j, int i) const
  {
    return color[j][i];
  }
};

/* Whether a mark of this run has a gradient. */
static __device__ __forceinline__ bool
has_gradient (const CsRasterPaint & a, guint32 run)
{
  return a.gradients.gradients && (run & CS_GRADIENT_RUN) &&
      !(run & CS_FILL_RUN);
}

/* The mark is the one at @at, for the pixels (@x, @y), (@x + 1, @y),
 * (@x, @y + 1), (@x + 1, @y + 1). */
static __device__ __noinline__ void
find_colors (const CsRasterPaint & a, guint32 at, int x, int y,
    GradientColors * to)
{
  const CsRasterMark *mark = &a.sorted.marks[at];
  const CsGradient *gradient = &a.gradients.gradients[mark->run &
      ~CS_GRADIENT_RUN];
  const CsGradientStop *stop = &a.gradients.stops[gradient->first_stop];
  const CsGradientStop *last = stop + gradient->n_stops - 1;
  const float scale = cs_gradient_scale (mark->radius);
  const guint32 rgba = mark->rgba;
  const float own[4] = { cs_raster_byte (rgba >> 24),
    cs_raster_byte (rgba >> 16 & 255), cs_raster_byte (rgba >> 8 & 255),
    cs_raster_byte (rgba & 255) * a.format.opacity
  };
  float t[4], v[4][4];

#pragma unroll
  for (int i = 0; i < 4; i++) {
    const float dx = (float) (x + (i & 1)) - mark->x;
    const float dy = (float) (y + (i >> 1)) - mark->y;

    t[i] = gradient->kind == CS_GRADIENT_LINEAR ?
        cs_gradient_linear (gradient, scale, dx, dy) :
        cs_gradient_radial (scale, dx, dy);
#pragma unroll
    for (int j = 0; j < 4; j++)
      v[i][j] = stop->color[j];
  }
  for (; stop < last; stop++) {
    const float slope = cs_gradient_slope (stop);

#pragma unroll
    for (int i = 0; i < 4; i++) {
      const float part = cs_gradient_part (stop, slope, t[i]);

#pragma unroll
      for (int j = 0; j < 4; j++)
        v[i][j] += part * (stop[1].color[j] - stop[0].color[j]);
    }
  }
#pragma unroll
  for (int i = 0; i < 4; i++) {
#pragma unroll
    for (int j = 0; j < 4; j++)
      v[i][j] = cs_raster_unit (v[i][j]) * own[j];
    if (gradient->falloff > 0)
      v[i][3] *= cs_gradient_falloff (gradient->falloff, t[i]);
    cs_gradient_working (&a.format, v[i]);
#pragma unroll
    for (int j = 0; j < 4; j++)
      to->color[j][i] = v[i][j];
  }
}
