/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Inside the CUDA backend. Three kernels:
 *
 *   fill       a warp for each word of a grid's nodes: their values and bits
 *   trace      a block for each object: segments are numbered in raster order,
 *              linked to those of the cells beside, ranked by pointer jumping,
 *              and write their points where their ring has them; warps measure
 *              rings
 *   publish    a block for each object: where its rings are in the result, after
 *              those of the objects before; copies what is kept
 *
 * What a frame needs of segments, points and rings is taken from common memory
 * with atomic counters. Which part of it an object gets depends on chance, the
 * result does not. What does not fit is counted, and the host starts again with
 * more.
 */

#include <cuda_runtime.h>
#include <stdint.h>

#include "contours/contours_cuda_block.cuh"
#include "instances_private.h"

#define CS_INSTANCES_THREADS 256
#define CS_INSTANCES_NONE 0xffffffffu

typedef unsigned long long CsInstancesU64;

/* Samples of fields, or coefficients: on the device. */
typedef struct
{
  const uint8_t *data;
  size_t column_stride, row_stride, plane_stride;
  uint32_t is_half;
} CsInstancesSamples;

/* A segment: its cell, row * (columns + 1) + column; which of two it is, and its
 * edges: k << 4 | to << 2 | from. */
typedef struct __align__ (8)
{
  uint32_t cell, info;
} CsInstancesSegment;

/**
 * CsInstancesCudaRing:
 * @first_point, @n_points: in the common points
 * @leader: its first segment, of the object's
 * @link: of a hole, the object's ring that is its outer one, or another hole in
 *     the same
 * @kept, @index: whether it is part of the result, and its number there
 */
typedef struct
{
  CsContour contour;
  CsContourMoments moments;
  uint32_t first_point, n_points, leader, link, kept, index;
} CsInstancesCudaRing;

/* Of an object. */
typedef struct
{
  uint32_t first_ring, n_rings, n_kept, n_kept_points;
} CsInstancesCudaPlace;

typedef struct
{
  CsInstancesU64 segments, points, rings;
} CsInstancesCounters;

/* What the host reads, in page-locked memory. */
typedef struct
{
  CsInstancesCounters counters;
  CsInstancesU64 n_contours, n_points, n_dropped;
} CsInstancesPublished;

/* Where a result lies; %NULL without one. */
typedef struct
{
  float2 *points;
  uint32_t *offsets;
  CsContour *contours;
  CsContourMoments *moments;
} CsInstancesArrays;

/**
 * CsInstancesFrame:
 * @grid_x, @grid_y, @width, @height: the samples that count
 * @field_width, @field_height: of a field, if it is resized to @resized_width
 *     and @resized_height
 * @coefficients: without data if there are none
 * @word_base: of each word of cells the object's number of its first segment
 * @next, @weights, @leaders: of each segment
 * @ring_of: of a ring's leader
 * @jumps: for objects of many segments
 *
 * Arguments of the kernels.
 */
typedef struct
{
  const CsInstancesGrid *grids;
  uint32_t n_grids, n_words;
  CsInstancesSamples fields, coefficients;
  uint32_t n_coefficients;
  uint32_t grid_x, grid_y, width, height, field_width, field_height;
  uint32_t resized_width, resized_height;
  double level, tolerance, min_area;
  CsMeasures measures;
  int32_t first_id;
  float *values;
  uint32_t *bits, *word_base;
  CsInstancesSegment *segments;
  uint32_t *next, *weights, *leaders, *ring_of;
  CsInstancesU64 *jumps;
  float2 *points;
  CsInstancesCudaRing *rings;
  CsInstancesCudaPlace *places;
  CsInstancesCounters *counters;
  uint32_t max_segments, max_points, max_rings;
  CsInstancesArrays out, host;
  uint32_t max_contours, max_contour_points;
  CsInstancesPublished *published;
} CsInstancesFrame;

static __device__ __forceinline__ bool
cs_instances_overflow (const CsInstancesFrame * f)
{
  return f->counters->segments > f->max_segments ||
      f->counters->points > f->max_points ||
      f->counters->rings > f->max_rings;
}

/* Exclusive sum of @value over the block's threads, and that of all in
 * @total. All threads come here, and meet again before @counts is used. */
static __device__ __forceinline__ uint32_t
cs_instances_scan (uint32_t counts[CS_INSTANCES_THREADS / 32], uint32_t value,
    uint32_t * total)
{
  const uint32_t sum = cs_warp_inclusive_sum (value);
  const uint32_t all = __shfl_sync (CS_ALL_LANES, sum, 31);

  return cs_block_count_before<CS_INSTANCES_THREADS / 32> (counts, all, total) +
      sum - value;
}

/* Queue the kernels. */
gboolean cs_instances_cuda_fill (const CsInstancesFrame * frame,
    cudaStream_t stream, GError ** error);
gboolean cs_instances_cuda_trace (const CsInstancesFrame * frame,
    cudaStream_t stream, GError ** error);
gboolean cs_instances_cuda_publish (const CsInstancesFrame * frame,
    cudaStream_t stream, GError ** error);
