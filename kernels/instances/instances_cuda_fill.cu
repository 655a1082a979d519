/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA: values and bits of grids' nodes. */
#include <cuda_fp16.h>

#include "base/cuda_base.h"
#include "instances_cuda.cuh"

static __device__ __forceinline__ float
load (const CsInstancesSamples & samples, uint32_t plane, uint32_t row,
    uint32_t column)
{
  const uint8_t *at = samples.data + plane * samples.plane_stride +
      row * samples.row_stride + column * samples.column_stride;

  return samples.is_half ? __half2float (*(const __half *) at) :
      *(const float *) at;
}

/* A sample of field @field, before it is resized. */
static __device__ float
field_at (const CsInstancesFrame & f, uint32_t field, uint32_t row,
    uint32_t column)
{
  float sum = 0.f;

  if (f.n_coefficients == 0)
    return load (f.fields, field, row, column);
#pragma unroll 8
  for (uint32_t k = 0; k < f.n_coefficients; k++)
    sum += load (f.coefficients, 0, field, k) *
        load (f.fields, k, row, column);
  return sum;
}

/* A sample that the grid has: one of those that count, or 0 beyond. */
static __device__ double
sample_at (const CsInstancesFrame & f, uint32_t field, int32_t row,
    int32_t column)
{
  double right, down;

  if (row < 0 || column < 0 || row >= (int32_t) f.height ||
      column >= (int32_t) f.width)
    return 0.;
  row += (int32_t) f.grid_y;
  column += (int32_t) f.grid_x;
  if (f.resized_width == 0)
    return cs_instances_finite (field_at (f, field, row, column));
  const uint32_t r = cs_instances_resized (row, f.field_height,
      f.resized_height, &down);
  const uint32_t c = cs_instances_resized (column, f.field_width,
      f.resized_width, &right);
  const uint32_t below = r + (down > 0.), next = c + (right > 0.);

  return cs_instances_finite (cs_instances_resize (field_at (f, field, r, c),
          field_at (f, field, r, next), field_at (f, field, below, c),
          field_at (f, field, below, next), right, down));
}

static __device__ double
line_at (const CsInstancesFrame & f, const CsInstancesGrid & grid, int32_t row,
    uint32_t line)
{
  double fraction;
  const int32_t column = cs_instances_tap (&grid.x, line, &fraction);
  const double from = sample_at (f, grid.field, row, column);

  return fraction > 0. ? cs_instances_between (from, sample_at (f, grid.field,
          row, column + 1), fraction) : from;
}

static __device__ float
node_at (const CsInstancesFrame & f, const CsInstancesGrid & grid, uint32_t c,
    uint32_t r)
{
  double fraction;
  const int32_t row = cs_instances_tap (&grid.y, r, &fraction);
  double value = line_at (f, grid, row, c);

  if (fraction > 0.)
    value = cs_instances_between (value, line_at (f, grid, row + 1, c),
        fraction);
  return cs_instances_round (value - f.level);
}

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
  const uint32_t lane = threadIdx.x % 32;

  for (uint32_t word = blockIdx.x * (CS_INSTANCES_THREADS / 32) +
      threadIdx.x / 32; word < f.n_words; word += n_warps) {
    const CsInstancesGrid & grid = f.grids[grid_of (f, word)];
    const uint32_t i = word - (uint32_t) grid.first_word;
    const uint32_t r = i / grid.words, c = i % grid.words * 32 + lane;
    bool above = false;

    if (r >= 1 && r <= grid.y.n && c >= 1 && c <= grid.x.n) {
      const float value = node_at (f, grid, c, r);

      f.values[grid.first_value + (uint64_t) (r - 1) * grid.x.n + c - 1] =
          value;
      above = value > 0.f;
    }
    const uint32_t bits = __ballot_sync (CS_ALL_LANES, above);

    if (lane == 0)
      f.bits[word] = bits;
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
