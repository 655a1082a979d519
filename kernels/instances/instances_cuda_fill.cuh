/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Device code: values and bits of grids' nodes. */

#include <cuda_fp16.h>

#include "instances_cuda.cuh"

static __device__ __forceinline__ float
cs_instances_load (const CsInstancesSamples & samples, uint32_t plane, uint32_t row,
    uint32_t column)
{
  const uint8_t *at = samples.data + plane * samples.plane_stride +
      row * samples.row_stride + column * samples.column_stride;

  return samples.is_half ? __half2float (*(const __half *) at) :
      *(const float *) at;
}

/* A sample of field @field, before it is resized. @factors: the field's
 * coefficients, in shared memory; %NULL to read them */
static __device__ float
cs_instances_field_at (const CsInstancesFrame & f, const float *factors,
    uint32_t field, uint32_t row, uint32_t column)
{
  const uint8_t *at = f.fields.data + row * f.fields.row_stride +
      column * f.fields.column_stride;
  float sum = 0.f;

  if (f.n_coefficients == 0)
    return cs_instances_load (f.fields, field, row, column);
  if (!factors || f.fields.is_half) {
    for (uint32_t k = 0; k < f.n_coefficients; k++)
      sum += (factors ? factors[k] : cs_instances_load (f.coefficients, 0,
              field, k)) * cs_instances_load (f.fields, k, row, column);
    return sum;
  }
#pragma unroll 32
  for (uint32_t k = 0; k < f.n_coefficients; k++, at += f.fields.plane_stride)
    sum += factors[k] * *(const float *) at;
  return sum;
}

static __device__ float
cs_instances_resized_at (const CsInstancesFrame & f, const float *factors,
    uint32_t field, uint32_t row, uint32_t column)
{
  double right, down;
  float corner[4];
  const uint32_t r = cs_instances_resized (row, f.field_height,
      f.resized_height, &down);
  const uint32_t c = cs_instances_resized (column, f.field_width,
      f.resized_width, &right);

#pragma unroll 1
  for (uint32_t i = 0; i < 4; i++)
    corner[i] = cs_instances_field_at (f, factors, field,
        r + (i > 1 && down > 0.), c + ((i & 1) && right > 0.));
  return cs_instances_resize (corner[0], corner[1], corner[2], corner[3],
      right, down);
}

/* A sample that the grid has: one of those that count, or 0 beyond. Not inlined:
 * a block that runs through its code once waits for the instructions. */
static __device__ __noinline__ float
cs_instances_sample_at (const CsInstancesFrame & f, const float *factors,
    uint32_t field, int32_t row, int32_t column)
{
  if (row < 0 || column < 0 || row >= (int32_t) f.height ||
      column >= (int32_t) f.width)
    return 0.f;
  row += (int32_t) f.grid_y;
  column += (int32_t) f.grid_x;
  return f.resized_width == 0 ? cs_instances_field_at (f, factors, field, row,
      column) : cs_instances_resized_at (f, factors, field, row, column);
}

/**
 * CsInstancesBase:
 * @samples: %NULL, or the samples from (@column, @row) on, @columns x @rows
 *
 * What a grid is computed from.
 */
typedef struct
{
  const float *samples;
  int32_t column, row;
  uint32_t columns, rows;
} CsInstancesBase;

static __device__ __forceinline__ CsInstancesBase
cs_instances_base (const CsInstancesGrid & grid)
{
  const CsInstancesBase base = { NULL, grid.x.tap[0], grid.y.tap[0],
    (uint32_t) (grid.x.tap[1] - grid.x.tap[0]) + 1 + (grid.x.fraction[1] > 0.),
    (uint32_t) (grid.y.tap[1] - grid.y.tap[0]) + 1 + (grid.y.fraction[1] > 0.)
  };

  return base;
}

static __device__ __forceinline__ double
cs_instances_based (const CsInstancesFrame & f, const CsInstancesGrid & grid,
    const CsInstancesBase & base, int32_t row, int32_t column)
{
  return cs_instances_finite (base.samples ?
      base.samples[(uint32_t) (row - base.row) * base.columns +
          (uint32_t) (column - base.column)] :
      cs_instances_sample_at (f, NULL, grid.field, row, column));
}

/* A row of samples where line @line of columns is. */
static __device__ double
cs_instances_line_at (const CsInstancesFrame & f, const CsInstancesGrid & grid,
    const CsInstancesBase & base, int32_t row, uint32_t line)
{
  double fraction;
  const int32_t column = cs_instances_tap (&grid.x, line, &fraction);
  const double from = cs_instances_based (f, grid, base, row, column);

  return fraction > 0. ? cs_instances_between (from, cs_instances_based (f,
          grid, base, row, column + 1), fraction) : from;
}

static __device__ float
cs_instances_node_at (const CsInstancesFrame & f, const CsInstancesGrid & grid,
    const CsInstancesBase & base, uint32_t c, uint32_t r)
{
  double fraction;
  const int32_t row = cs_instances_tap (&grid.y, r, &fraction);
  double value = cs_instances_line_at (f, grid, base, row, c);

  if (fraction > 0.)
    value = cs_instances_between (value, cs_instances_line_at (f, grid, base,
            row + 1, c), fraction);
  return cs_instances_round (value - f.level);
}

/* A warp computes word @i of @grid's: of its 32 nodes @values, those of the whole
 * grid, and one of its @bits. */
static __device__ __forceinline__ void
cs_instances_fill_word (const CsInstancesFrame & f,
    const CsInstancesGrid & grid, const CsInstancesBase & base, uint32_t i,
    float *values, uint32_t *bits)
{
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t r = i / grid.words, c = i % grid.words * 32 + lane;
  bool above = false;

  if (r >= 1 && r <= grid.y.n && c >= 1 && c <= grid.x.n) {
    const float value = cs_instances_node_at (f, grid, base, c, r);

    values[(uint64_t) (r - 1) * grid.x.n + c - 1] = value;
    above = value > 0.f;
  }
  const uint32_t word = __ballot_sync (CS_ALL_LANES, above);

  if (lane == 0)
    bits[i] = word;
}
