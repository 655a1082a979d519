/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Inside the CUDA backend:
 *
 *   count      pieces of each word of 32 pixels that have a label, and the
 *              largest label
 *   (sum)      where each word's pieces are: the host reads how many there are
 *   list       pieces, in raster order: a warp goes down a column of words, and
 *              keeps the bits of five rows
 *   (sort)     their numbers by label, stable
 *   (select)   the first one of each region: the host reads how many there are
 *   add        sums of regions: a thread per few pieces, which it adds to what
 *              others have added
 *   hulls      a thread per small region, a block per large one
 *   moments    of third order, as add
 *   finish     a thread per region: its columns
 *
 * Sums are of integers, so that their order does not matter.
 */

#include <cuda_runtime.h>
#include <stdint.h>

#include "base/cuda_base.h"
#include "properties_finish.h"
#include "properties_private.h"

#define CS_PROPERTIES_THREADS 256
#define CS_PROPERTIES_NONE 0xffffffffu
/* Blocks of large regions, each with memory for its chains */
#define CS_PROPERTIES_LARGE_BLOCKS 264

typedef unsigned long long CsPropertiesU64;

/**
 * CsPropertiesCounters:
 * @max_label: the largest one
 * @bad: CS_PROPERTIES_NONE less the first pixel whose label is too large; 0
 *     without one
 * @n_regions: how many labels there are
 * @n_large: how many regions have a block
 * @next: which of them is taken next
 */
typedef struct
{
  uint32_t max_label, bad, n_regions, n_large, next;
} CsPropertiesCounters;

/* What the host reads. */
typedef struct
{
  CsPropertiesCounters counters;
  uint32_t n_pieces;
} CsPropertiesPublished;

/**
 * CsPropertiesFrame:
 * @data, @pixel_stride, @row_stride, @size, @is_signed: of the labels
 * @n_words: of a row
 * @counts, @bases: of each word its pieces, and those before it
 * @keys, @values: labels of pieces and their numbers, sorted; [1] is scratch
 * @firsts: of each region the first of its pieces, in the order of these
 * @sums, @moments, @convex, @diameter2: of each region
 * @large: regions that have a block
 * @chains: of each block four of @max_chain
 *
 * Arguments of the kernels.
 */
typedef struct
{
  const uint8_t *data;
  size_t pixel_stride, row_stride;
  uint32_t size, is_signed;
  uint32_t width, height, n_words;
  uint32_t *counts, *bases;
  CsPropertiesCounters *counters;
  CsPropertiesPiece *pieces;
  uint32_t n_pieces, n_regions;
  uint32_t *keys[2], *values[2];
  uint32_t *firsts;
  CsPropertiesSums *sums;
  CsPropertiesMoments *moments;
  uint64_t *convex;
  double *diameter2;
  uint32_t *large;
  CsPropertiesPoint *chains;
  uint32_t max_chain;
  CsPropertiesTable table;
} CsPropertiesFrame;

/* Queue the kernels. */
gboolean cs_properties_cuda_count (const CsPropertiesFrame * frame,
    cudaStream_t stream, GError ** error);
gboolean cs_properties_cuda_list (const CsPropertiesFrame * frame,
    gboolean neighbours, cudaStream_t stream, GError ** error);
gboolean cs_properties_cuda_measure (const CsPropertiesFrame * frame,
    cudaStream_t stream, GError ** error);
