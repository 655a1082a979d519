/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Inside the CUDA backend:
 *
 *   find       a warp for each tile of 32 x 32 cells: the rings that lie in it,
 *              and of the others its *fragments*, from the side where one enters
 *              to that where it leaves; a lane follows each from cell to cell
 *   join       fragments ranked across tiles by pointer jumping; what rings are
 *              made of is added up at the fragment with the last cell
 *   list       rings that are large enough, to be sorted by label and first cell
 *   (sort)
 *   number     rings in order: their points and items, to be summed up
 *   (sum)
 *   rays       which ring one meets to its left: see labels_cpu_parents.c
 *   emit       again a lane for each fragment, which writes its points where
 *              they belong
 *   measure    a warp per 256 points of a ring, an *item*; the last one writes the
 *              record
 *
 * What does not fit is counted, and the host starts again with more.
 */

#include <cuda_runtime.h>
#include <stdint.h>

#include "base/cuda_jump.cuh"
#include "base/cuda_sort.h"
#include "contours/contours_cuda_block.cuh"
#include "labels_math.h"
#include "labels_private.h"

#define CS_LABELS_TILE 32
#define CS_LABELS_THREADS 256
#define CS_LABELS_NONE 0xffffffffu

typedef unsigned long long CsLabelsU64;

/**
 * CsLabelsFragment:
 * @label: the ring's
 * @begin: where it enters the tile: direction << 16 | cell of that
 * @side: and the number of that side; CS_LABELS_NONE for a whole ring, which
 *     begins after its last cell
 * @n_points: of its cells
 * @last: twice its last cell in raster order, or one more: which of two of the
 *     ring's segments in that
 * @n_last: points up to that one's
 */
typedef struct __align__ (8)
{
  uint32_t label, begin, side, n_points, last, n_last;
} CsLabelsFragment;

/**
 * CsLabelsRing:
 * @first: its first cell
 * @n_points: without the first one again
 * @index: in the result; CS_LABELS_NONE if it is left out
 * @met: the ring that a ray to its left meets, or CS_LABELS_NONE
 * @area: eight times, if rings may be left out for it
 *
 * A ring is that fragment that has its last cell; others only begin with this.
 */
typedef struct __align__ (8)
{
  uint32_t first, n_points, index, met;
  long long area;
} CsLabelsRing;

/* Whether fragment @i, which has a ring's last cell, is of a hole: its last segment
 * comes from the left, and that of others from above. */
#define CS_LABELS_IS_HOLE(frame, i) ((frame).fragments[i].last & 1)

/* Where a fragment is: its ring, and the number of its first point there, which
 * may be below 0 or beyond the end. */
typedef struct __align__ (8)
{
  uint32_t ring;
  int32_t rank;
} CsLabelsPlace;

/* Of a frame. @bad: the first pixel whose label is too large, from the end of
 * all numbers back. @has_changed: whether tiles do not fit together, as somebody
 * writes labels while they are read: then results are of no use, but no kernel
 * goes beyond its memory, or on for ever. */
typedef struct
{
  CsLabelsU64 n_fragments, n_points, n_steps;
  uint32_t n_rings, n_dropped, max_label, bad, has_changed, unused;
} CsLabelsCounters;

/* Where a result lies. */
typedef struct
{
  float2 *points;
  uint32_t *offsets;
  CsContour *contours;
  CsContourMoments *moments;
} CsLabelsArrays;

/* The fragments of a tile that begin at a side, and its rings. */
typedef struct __align__ (16)
{
  uint32_t first, n, first_ring, n_rings;
} CsLabelsTile;

/**
 * CsLabelsFrame:
 * @columns, @rows: of cells: one more than of pixels
 * @n_sides: places at sides of tiles, for each of which @ends has the fragment
 *     that ends there
 * @label_bits, @cell_bits: of the keys
 * @sums: points and items of the rings before each, and of all
 * @item_ring, @item_sums: of each item
 * @n_done: of each ring how many of its items
 *
 * Arguments of the kernels.
 */
typedef struct
{
  const uint8_t *data;
  size_t pixel_stride, row_stride;
  uint32_t size, is_signed;
  int64_t background;
  const uint32_t *wanted;
  uint32_t n_wanted, has_wanted;
  uint32_t width, height, columns, rows, tiles_x, tiles_y, n_sides;
  uint32_t pixels, hierarchy;
  double min_area;
  CsMeasures measures;
  float origin_x, origin_y;
  int32_t first_id, image_index;
  uint32_t label_bits, cell_bits;
  CsLabelsCounters *counters;
  uint32_t *ends;
  CsLabelsTile *tiles;
  CsLabelsFragment *fragments;
  CsLabelsRing *rings;
  CsLabelsPlace *places;
  CsJump *jumps;
  CsLabelsU64 *keys, *sorted_keys;
  uint32_t *roots, *sorted_roots;
  CsCudaPair *counts, *sums;
  uint32_t *item_ring, *n_done;
  CsSums *item_sums;
  uint32_t max_fragments, max_rings, max_points, max_items;
  CsLabelsArrays out;
} CsLabelsFrame;

/* Whether something has not fitted: then the frame is abandoned. */
static __device__ __forceinline__ bool
cs_labels_overflow (const CsLabelsFrame & f)
{
  const CsLabelsCounters *counters = f.counters;

  return counters->n_fragments > f.max_fragments ||
      counters->n_rings > f.max_rings ||
      ((CsLabelsU64) counters->max_label + 1) >> f.label_bits || counters->bad ||
      counters->has_changed;
}

static __device__ __forceinline__ bool
cs_labels_result_overflow (const CsLabelsFrame & f)
{
  return cs_labels_overflow (f) || f.sums[f.max_rings].first > f.max_points ||
      f.sums[f.max_rings].second > f.max_items;
}

/* Queue the kernels. */
gboolean cs_labels_cuda_find (const CsLabelsFrame * frame, cudaStream_t stream,
    GError ** error);
gboolean cs_labels_cuda_join (const CsLabelsFrame * frame, cudaStream_t stream,
    GError ** error);
gboolean cs_labels_cuda_number (const CsLabelsFrame * frame,
    cudaStream_t stream, GError ** error);
gboolean cs_labels_cuda_rays (const CsLabelsFrame * frame, cudaStream_t stream,
    GError ** error);
gboolean cs_labels_cuda_emit (const CsLabelsFrame * frame, cudaStream_t stream,
    GError ** error);
gboolean cs_labels_cuda_measure (const CsLabelsFrame * frame,
    cudaStream_t stream, GError ** error);
