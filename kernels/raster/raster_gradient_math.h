/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What a gradient (CsGradient) does to a mark's colour at a pixel, the same bits
 * on the CPU and the GPU, in steps without branches that depend on the pixel. */

#include "raster_math.h"

/* The bit of a mark's run that says that it has a gradient, and is by itself;
 * the others are the gradient's index. There are no more than 2^30 marks. */
#define CS_GRADIENT_RUN 0x40000000u

/* What distances are multiplied by. */
CS_RASTER_FN float
cs_gradient_scale (float radius)
{
  return radius > 0 ? 1.f / radius : 0;
}

/* Where on the gradient a pixel lies that is (@dx, @dy) from the mark's
 * beginning; @scale: of the mark. */
CS_RASTER_FN float
cs_gradient_radial (float scale, float dx, float dy)
{
  return cs_raster_min (sqrtf (dx * dx + dy * dy) * scale, 1);
}

CS_RASTER_FN float
cs_gradient_linear (const CsGradient * g, float scale, float dx, float dy)
{
  return cs_raster_unit (((dx * g->x + dy * g->y) * scale + 1.f) * .5f);
}

/* Slopes are limited, so that two stops at one place are a step. */
CS_RASTER_FN float
cs_gradient_slope (const CsGradientStop * stop)
{
  return 1.f / cs_raster_max (stop[1].at - stop[0].at, 1e-9f);
}

/* How much of the change from a stop to the next one is reached at @t. A colour
 * is the first stop's and all these parts of changes. */
CS_RASTER_FN float
cs_gradient_part (const CsGradientStop * stop, float slope, float t)
{
  return cs_raster_unit ((t - stop[0].at) * slope);
}

/* exp (-falloff t^2): the 16th power of a Taylor series, up to 1e-6. */
CS_RASTER_FN float
cs_gradient_falloff (float falloff, float t)
{
  const float x = t * t * falloff * (1.f / 16.f);
  float v = 1.f - x * (1.f / 5.f) * (1.f - x * (1.f / 6.f));

  v = 1.f - x * (1.f / 3.f) * (1.f - x * (1.f / 4.f) * v);
  v = 1.f - x * (1.f - x * (1.f / 2.f) * v);
  v = v * v;
  v = v * v;
  v = v * v;
  return v * v;
}

/* A colour of codes, between 0 and 1, to a working colour. */
CS_RASTER_FN void
cs_gradient_working (const CsRasterFormat * f, float color[3])
{
  const float max = (float) f->table_max;

  if (f->linear && f->model != CS_PICTURE_GRAY) {
    color[0] = f->decode[cs_raster_round (max, color[0])];
    color[1] = f->decode[cs_raster_round (max, color[1])];
    color[2] = f->decode[cs_raster_round (max, color[2])];
  } else {
    cs_raster_from_rgb (f, color);
  }
}
