/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CS_CONTOURS_CUDA_CHUNKS_CUH
#define CS_CONTOURS_CUDA_CHUNKS_CUH

/* Device code: prefix sums by blocks of CS_CHUNK_THREADS, one per chunk. */

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "contours_cuda.cuh"

typedef cub::BlockReduce<CsU64, CS_CHUNK_THREADS> Reduce;
typedef cub::BlockScan<CsU64, CS_CHUNK_THREADS> Scan;

typedef union
{
  Reduce::TempStorage reduce;
  Scan::TempStorage scan;
} ChunkStorage;

/* Exclusive prefix sum at chunk @chunk, in all threads. */
static __device__ __forceinline__ CsU64
sum_before (const CsU64 * chunks, uint32_t chunk, ChunkStorage & storage,
    CsU64 & shared)
{
  CsU64 sum = 0;

  for (uint32_t i = threadIdx.x; i < chunk; i += CS_CHUNK_THREADS)
    sum += chunks[i];
  sum = Reduce (storage.reduce).Sum (sum);
  if (threadIdx.x == 0)
    shared = sum;
  __syncthreads ();
  return shared;
}

#endif /* CS_CONTOURS_CUDA_CHUNKS_CUH */
