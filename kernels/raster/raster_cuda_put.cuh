/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Preparing a mark and writing it where it belongs in the order of depths. */

#include "raster_cuda_prepare.cuh"

static __device__ __forceinline__ bool
is_fill (const CsMark & mark)
{
  return mark.half_width == CS_MARK_FILL;
}

static __device__ __forceinline__ bool
has_gradient (const CsMark & mark, int has_gradients)
{
  return has_gradients && (mark.group & CS_MARK_GRADIENT) && !is_fill (mark);
}

static __device__ __forceinline__ float4
reach_of (const CsRasterMark & mark)
{
  float disc[3];

  cs_raster_reach (&mark, disc);
  return make_float4 (disc[0], disc[1], disc[2], 0);
}

/**
 * PrepareArgs:
 * @order, @heads: (nullable): of each place, the farthest first, the mark, and
 *     the place of the first of its run
 * @reach, @marks, @entries: of each place, the nearest first
 * @masks: (nullable): as CsRasterSorted has them
 */
struct PrepareArgs
{
  CsRasterPrepare p;
  const guint32 *order, *heads;
  float4 *reach;
  CsRasterMark *marks;
  guint32 *entries, *masks;
  guint32 mask_words, masks_per_row;
  CsRasterCounters *counters;
};

/* As far as it can be painted. */
static __device__ __forceinline__ bool
prepare_geometry (const CsRasterPrepare & p, const CsMark & from,
    CsRasterMark * mark)
{
  const guint32 gradient = from.group & ~CS_MARK_GRADIENT;

  if (has_gradient (from, p.has_gradients)) {
    mark->run = CS_GRADIENT_RUN | gradient;
    if (gradient >= p.n_gradients) {
      mark->radius = -1;
      mark->x = mark->y = mark->bx = mark->by = mark->half_width = 0;
      return false;
    }
  }
  if (!is_fill (from))
    return cs_raster_prepare (&from, p.width, p.height, mark);
  mark->run = CS_FILL_RUN | from.group;
  if (from.group < p.n_regions)
    return cs_fill_prepare (&p.regions[from.group], mark);
  mark->radius = -1;
  mark->x = mark->y = mark->bx = mark->by = mark->half_width = 0;
  return false;
}

/* Sets the bit of mark @i for all pixels that it may touch. */
static __device__ __forceinline__ void
put_into_masks (const PrepareArgs & a, const CsRasterMark & mark, guint32 i)
{
  const int side = a.p.mask_side;
  const Range range = cell_range (mark, a.p.width, a.p.height, side);

  for (int y = range.y0; y <= range.y1; y++) {
    for (int x = range.x0; x <= range.x1; x++) {
      if (cs_raster_touches (&mark, x * side, y * side, x * side + side - 1,
              y * side + side - 1))
        atomicOr (&a.masks[(size_t) (y * a.masks_per_row + x) * a.mask_words +
                i / 32], 1u << i % 32);
    }
  }
}

/* Writes mark @from, the @i-th from the nearest. */
static __device__ __forceinline__ void
put_mark (const PrepareArgs & a, guint32 i, const CsMark & from, guint32 rgba,
    guint32 run, Tally & tally)
{
  unsigned entries = 0;
  CsRasterMark mark;

  mark.rgba = rgba;
  mark.run = run;
  if (prepare_geometry (a.p, from, &mark)) {
    a.reach[i] = reach_of (mark);
    entries = tally_mark (mark, a.p.width, a.p.height, tally);
    if (a.masks)
      put_into_masks (a, mark, i);
  } else {
    a.reach[i] = make_float4 (0, 0, -1, 0);
    tally.dropped++;
  }
  a.marks[i] = mark;
  a.entries[i] = entries;
}

static __device__ __forceinline__ void
prepare_mark (const PrepareArgs & a, guint32 i, Tally & tally)
{
  const guint32 ordinal = a.p.n - 1 - i;
  const guint32 head = a.heads ? a.heads[ordinal] : ordinal;
  const CsMark from = a.p.marks[a.order ? a.order[ordinal] : ordinal];

  put_mark (a, i, from, a.heads ? a.p.marks[head].rgba : from.rgba, head,
      tally);
}

/* --- In buckets (raster_cuda_buckets.cu) ---------------------------------- */

/* Whether depths like these, as far as is known, can be sorted in buckets. */
gboolean cs_raster_cuda_has_buckets (const CsRasterPrepare * prepare);

/* Clears counters and masks, sorts and prepares. */
gboolean cs_raster_cuda_prepare_in_buckets (CsRasterOrderCuda * order,
    const PrepareArgs * prepare, cudaStream_t stream, GError ** error);

/* Sorts and prepares, slowly, if counters say then that there was no room. */
gboolean cs_raster_cuda_prepare_alone (CsRasterOrderCuda * order,
    const PrepareArgs * prepare, cudaStream_t stream, GError ** error);
