/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA: values and bits of the nodes of large grids. */
#include "base/cuda_base.h"
#include "instances_cuda_fill.cuh"

/* The grid that word @word belongs to. */
static __device__ uint32_t
grid_of (const CsInstancesFrame & f, uint32_t word)
{
  uint32_t low = 0, high = f.n_grids;

  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;

    if (f.grids[middle].first_word <= word)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static __global__ void
__launch_bounds__ (CS_INSTANCES_THREADS)
fill_nodes (const __grid_constant__ CsInstancesFrame f)
{
  const uint32_t n_warps = gridDim.x * (CS_INSTANCES_THREADS / 32);

  for (uint32_t word = blockIdx.x * (CS_INSTANCES_THREADS / 32) +
      threadIdx.x / 32; word < f.n_words; word += n_warps) {
    const CsInstancesGrid & grid = f.grids[grid_of (f, word)];

    cs_instances_fill_word (f, grid, cs_instances_base (grid),
        word - (uint32_t) grid.first_word, f.values + grid.first_value,
        f.bits + grid.first_word);
  }
}

#define MAX_BLOCKS 65535

gboolean
cs_instances_cuda_fill (const CsInstancesFrame * frame, cudaStream_t stream,
    GError ** error)
{
  const guint blocks = MIN (cs_cuda_blocks (frame->n_words,
          CS_INSTANCES_THREADS / 32), MAX_BLOCKS);

  fill_nodes <<<blocks, CS_INSTANCES_THREADS, 0, stream>>> (*frame);
  return cs_cuda_check (cudaGetLastError (), "compute fields", error);
}
