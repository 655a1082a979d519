/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Where the marks of a block of threads come from: a bin, or all of them. */

#include "raster_cuda.h"

struct Source
{
  const guint32 *bin;
  guint32 n;
};

static __device__ __forceinline__ guint32
source_at (const Source & source, guint32 i)
{
  return source.bin ? __ldg (source.bin + i) : i;
}

/* The source of pixels that lie in one bin, as (@left, @top) does. */
static __device__ __forceinline__ Source
source_of (const CsRasterSorted & sorted, int left, int top)
{
  Source source;

  source.bin = NULL;
  source.n = sorted.n;
  if (sorted.bins && !sorted.counters->overflow) {
    const guint32 bin = top / CS_RASTER_BIN * sorted.bins_per_row +
        left / CS_RASTER_BIN;

    source.bin = sorted.bins + sorted.starts[bin];
    source.n = sorted.starts[bin + 1] - sorted.starts[bin];
  }
  return source;
}

/* Whether a disc around a mark touches a rectangle. */
static __device__ __forceinline__ bool
reaches (float4 reach, float left, float top, float right, float bottom)
{
  const float dx = fmaxf (fmaxf (left - reach.x, reach.x - right), 0);
  const float dy = fmaxf (fmaxf (top - reach.y, reach.y - bottom), 0);

  return reach.z >= 0 && dx * dx + dy * dy <= reach.z * reach.z;
}

/* A prepared mark. */
static __device__ __forceinline__ CsRasterMark
load_mark (const CsRasterSorted & sorted, guint32 at)
{
  const float4 *from = (const float4 *) &sorted.marks[at];
  const float4 p = __ldg (from), q = __ldg (from + 1);
  CsRasterMark mark;

  mark.x = p.x;
  mark.y = p.y;
  mark.bx = p.z;
  mark.by = p.w;
  mark.radius = q.x;
  mark.half_width = q.y;
  mark.rgba = __float_as_uint (q.z);
  mark.run = __float_as_uint (q.w);
  return mark;
}
