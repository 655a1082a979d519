/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What both ways of handing marks to blocks of threads do with each mark. */

#include "raster_cuda.h"

#include "base/cuda_warp.cuh"

/* Cells of the picture that a mark touches, by its bounds. */
struct Range
{
  int x0, y0, x1, y1;
};

static __device__ __forceinline__ Range
cell_range (const CsRasterMark & mark, int width, int height, int side)
{
  const float reach = mark.radius + mark.half_width + .5f +
      cs_raster_slack (&mark);
  const float ex = mark.x + mark.bx, ey = mark.y + mark.by;
  const float right = (float) ((width - 1) / side);
  const float bottom = (float) ((height - 1) / side);
  const float scale = 1.f / side;
  Range range;

  range.x0 = (int) fminf (fmaxf ((fminf (mark.x, ex) - reach) * scale, 0),
      right);
  range.y0 = (int) fminf (fmaxf ((fminf (mark.y, ey) - reach) * scale, 0),
      bottom);
  range.x1 = (int) fminf (fmaxf ((fmaxf (mark.x, ex) + reach) * scale, 0),
      right);
  range.y1 = (int) fminf (fmaxf ((fmaxf (mark.y, ey) + reach) * scale, 0),
      bottom);
  return range;
}

static __device__ __forceinline__ CsMark
load_mark_as_given (const CsMark * marks, guint32 i)
{
  const float4 *from = (const float4 *) &marks[i];
  const float4 p = __ldg (from), q = __ldg (from + 1);
  CsMark mark;

  mark.x0 = p.x;
  mark.y0 = p.y;
  mark.x1 = p.z;
  mark.y1 = p.w;
  mark.radius = q.x;
  mark.half_width = q.y;
  mark.rgba = __float_as_uint (q.z);
  mark.group = __float_as_uint (q.w);
  return mark;
}

/* What a thread has counted; as in CsRasterCounters. */
struct Tally
{
  unsigned dropped, entries;
  float area;
  bool is_mixed;
};

static __device__ __forceinline__ bool
is_disc (const CsRasterMark & mark)
{
  return mark.half_width == 0 && mark.bx == 0 && mark.by == 0;
}

/* Counts a mark that is painted; returns how many bins it touches. */
static __device__ __forceinline__ unsigned
tally_mark (const CsRasterMark & mark, int width, int height, Tally & tally)
{
  const Range range = cell_range (mark, width, height, CS_RASTER_BIN);
  const float size = 2 * (mark.radius + mark.half_width) + 1;
  const unsigned entries = (range.x1 - range.x0 + 1) *
      (range.y1 - range.y0 + 1);

  tally.is_mixed |= !is_disc (mark);
  tally.entries += entries;
  tally.area += fminf (size + fabsf (mark.bx), (float) width) *
      fminf (size + fabsf (mark.by), (float) height);
  return entries;
}

/* Of all lanes, for all of them. */
static __device__ __forceinline__ Tally
sum_of_warp (Tally tally)
{
  tally.dropped = cs_warp_sum (tally.dropped);
  tally.entries = cs_warp_sum (tally.entries);
  tally.area = cs_warp_sum (tally.area);
  tally.is_mixed = __any_sync (CS_ALL_LANES, tally.is_mixed);
  return tally;
}

/* What all threads of the block have counted, for the first one; all of them
 * come here, and once. */
static __device__ __forceinline__ void
add_up (Tally tally, Tally * sum)
{
  __shared__ unsigned sums[3];
  __shared__ float areas;

  if (threadIdx.x == 0) {
    sums[0] = sums[1] = sums[2] = 0;
    areas = 0;
  }
  tally = sum_of_warp (tally);
  __syncthreads ();
  if (threadIdx.x % 32 == 0) {
    atomicAdd (&sums[0], tally.dropped);
    atomicAdd (&sums[1], tally.entries);
    atomicOr (&sums[2], (unsigned) tally.is_mixed);
    atomicAdd (&areas, tally.area);
  }
  __syncthreads ();
  if (threadIdx.x == 0) {
    sum->dropped = sums[0];
    sum->entries = sums[1];
    sum->is_mixed = sums[2];
    sum->area = areas;
  }
}

/* Adds what all threads of the block have counted; likewise. */
static __device__ __forceinline__ void
add_tally (Tally tally, CsRasterCounters * counters)
{
  Tally sum;

  add_up (tally, &sum);
  if (threadIdx.x == 0) {
    if (sum.is_mixed)
      counters->mixed = 1;
    if (sum.dropped)
      atomicAdd (&counters->dropped, (unsigned long long) sum.dropped);
    atomicAdd (&counters->entries, (unsigned long long) sum.entries);
    atomicAdd (&counters->area, (double) sum.area);
  }
}
