/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Inside the CUDA backend. One kernel, a block for each object:
 *
 *   fill       warps compute words of the grid's nodes: their values and bits
 *   trace      segments are numbered in raster order, linked to those of the
 *              cells beside, ranked by pointer jumping, and write their points
 *              where their ring has them; warps measure rings
 *   publish    where the object's rings are in the result, after those of the
 *              objects before, which the block waits for; what is kept is copied
 *
 * In a frame with a large grid nodes are computed by a kernel of their own,
 * before it.
 *
 * An object of usual size is in shared memory. What others need of segments,
 * points and rings is taken from common memory with atomic counters. Which part
 * of it an object gets depends on chance, the result does not. What does not fit
 * is counted, and the host starts again with more.
 */

#include <cuda_runtime.h>
#include <stdint.h>

#include "contours/contours_cuda_block.cuh"
#include "instances_private.h"

/* Threads of a block: for few objects, of which a multiprocessor has one, and
 * for many. */
#define CS_INSTANCES_MOST_THREADS 512
#define CS_INSTANCES_THREADS 256
#define CS_INSTANCES_FEW 132
#define CS_INSTANCES_NONE 0xffffffffu

/* Grids of more nodes than this are large. */
#define CS_INSTANCES_LARGE_GRID 4096

typedef unsigned long long CsInstancesU64;

/* Samples of fields, or coefficients: on the device. */
typedef struct
{
  const uint8_t *data;
  size_t column_stride, row_stride, plane_stride;
  uint32_t is_half;
} CsInstancesSamples;

/* A segment: its cell, row << 16 | column; which of two it is, and its edges:
 * k << 4 | to << 2 | from. */
typedef struct __align__ (8)
{
  uint32_t cell, info;
} CsInstancesSegment;

/**
 * CsInstancesCudaRing:
 * @first_point, @n_points: of the object's points
 * @leader: its first segment, of the object's
 * @link: of a hole, the object's ring that is its outer one, or another hole in
 *     the same
 * @kept, @index, @to: whether it is part of the result, and its number and first
 *     point there
 */
typedef struct
{
  CsContour contour;
  CsContourMoments moments;
  uint32_t first_point, n_points, leader, link, kept, index, to;
} CsInstancesCudaRing;

/* Of the rings of one object, or of all up to it: how many are kept, their
 * points, and how many are dropped. */
typedef struct
{
  uint32_t rings, points, dropped;
} CsInstancesSums;

/**
 * CsInstancesStatus:
 * @own, @all: sums of an object, and of all up to it, in the order of
 *     #CsInstancesSums: epoch << 32 | sum, once they are known in the frame
 *     whose epoch that is
 */
typedef struct
{
  CsInstancesU64 own[3], all[3];
} CsInstancesStatus;

/* What is taken of common memory, of all frames. */
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
 * @jumps: two of each segment
 * @base: the counters before the frame
 * @epoch: of the frame
 * @is_filled: whether the nodes are there already
 *
 * Arguments of the kernels. The host's memory, mapped, has the grids unless
 * @is_filled.
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
  CsInstancesStatus *status;
  CsInstancesCounters *counters, base;
  uint32_t epoch, is_filled;
  uint32_t max_segments, max_points, max_rings;
  CsInstancesArrays out, host;
  uint32_t max_contours, max_contour_points;
  CsInstancesPublished *published;
} CsInstancesFrame;

/* Exclusive sum of @value over the block's threads, and that of all in
 * @total. All threads come here, and meet again before @counts is used. */
static __device__ __forceinline__ uint32_t
cs_instances_scan (uint32_t counts[CS_INSTANCES_MOST_THREADS / 32],
    uint32_t value, uint32_t * total)
{
  const uint32_t sum = cs_warp_inclusive_sum (value), warp = threadIdx.x / 32;
  uint32_t before = sum - value, all = 0;

  if (threadIdx.x % 32 == 31)
    counts[warp] = sum;
  __syncthreads ();
#pragma unroll 1
  for (uint32_t w = 0; w < blockDim.x / 32; w++) {
    before += w < warp ? counts[w] : 0;
    all += counts[w];
  }
  *total = all;
  return before;
}

/* Queue the kernels. */
gboolean cs_instances_cuda_fill (const CsInstancesFrame * frame,
    cudaStream_t stream, GError ** error);
gboolean cs_instances_cuda_trace (const CsInstancesFrame * frame,
    cudaStream_t stream, GError ** error);
