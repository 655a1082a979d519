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

/* The sum of products of single precision. */
static __device__ __forceinline__ float
cs_instances_product_at (const CsInstancesFrame & f, uint32_t field, uint32_t row,
    uint32_t column)
{
  const uint8_t *sample = f.fields.data + row * f.fields.row_stride +
      column * f.fields.column_stride;
  const uint8_t *factor = f.coefficients.data +
      field * f.coefficients.row_stride;
  float sum = 0.f;

#pragma unroll 16
  for (uint32_t k = 0; k < f.n_coefficients; k++) {
    sum += *(const float *) factor * *(const float *) sample;
    sample += f.fields.plane_stride;
    factor += f.coefficients.column_stride;
  }
  return sum;
}

/* A sample of field @field, before it is resized. */
static __device__ float
cs_instances_field_at (const CsInstancesFrame & f, uint32_t field, uint32_t row,
    uint32_t column)
{
  float sum = 0.f;

  if (f.n_coefficients == 0)
    return cs_instances_load (f.fields, field, row, column);
  if (!f.fields.is_half && !f.coefficients.is_half)
    return cs_instances_product_at (f, field, row, column);
  for (uint32_t k = 0; k < f.n_coefficients; k++)
    sum += cs_instances_load (f.coefficients, 0, field, k) *
        cs_instances_load (f.fields, k, row, column);
  return sum;
}

/* A sample that the grid has: one of those that count, or 0 beyond. */
static __device__ double
cs_instances_sample_at (const CsInstancesFrame & f, uint32_t field, int32_t row,
    int32_t column)
{
  double right, down;

  if (row < 0 || column < 0 || row >= (int32_t) f.height ||
      column >= (int32_t) f.width)
    return 0.;
  row += (int32_t) f.grid_y;
  column += (int32_t) f.grid_x;
  if (f.resized_width == 0)
    return cs_instances_finite (cs_instances_field_at (f, field, row, column));
  const uint32_t r = cs_instances_resized (row, f.field_height,
      f.resized_height, &down);
  const uint32_t c = cs_instances_resized (column, f.field_width,
      f.resized_width, &right);
  const uint32_t below = r + (down > 0.), next = c + (right > 0.);

  return cs_instances_finite (cs_instances_resize (cs_instances_field_at (f, field, r, c),
          cs_instances_field_at (f, field, r, next), cs_instances_field_at (f, field, below, c),
          cs_instances_field_at (f, field, below, next), right, down));
}

static __device__ double
cs_instances_line_at (const CsInstancesFrame & f, const CsInstancesGrid & grid, int32_t row,
    uint32_t line)
{
  double fraction;
  const int32_t column = cs_instances_tap (&grid.x, line, &fraction);
  const double from = cs_instances_sample_at (f, grid.field, row, column);

  return fraction > 0. ? cs_instances_between (from, cs_instances_sample_at (f, grid.field,
          row, column + 1), fraction) : from;
}

static __device__ float
cs_instances_node_at (const CsInstancesFrame & f, const CsInstancesGrid & grid, uint32_t c,
    uint32_t r)
{
  double fraction;
  const int32_t row = cs_instances_tap (&grid.y, r, &fraction);
  double value = cs_instances_line_at (f, grid, row, c);

  if (fraction > 0.)
    value = cs_instances_between (value, cs_instances_line_at (f, grid, row + 1, c),
        fraction);
  return cs_instances_round (value - f.level);
}

/* A warp computes word @i of @grid's: of its 32 nodes @values, those of the whole
 * grid, and one of its @bits. */
static __device__ __forceinline__ void
cs_instances_fill_word (const CsInstancesFrame & f,
    const CsInstancesGrid & grid, uint32_t i, float *values, uint32_t *bits)
{
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t r = i / grid.words, c = i % grid.words * 32 + lane;
  bool above = false;

  if (r >= 1 && r <= grid.y.n && c >= 1 && c <= grid.x.n) {
    const float value = cs_instances_node_at (f, grid, c, r);

    values[(uint64_t) (r - 1) * grid.x.n + c - 1] = value;
    above = value > 0.f;
  }
  const uint32_t word = __ballot_sync (CS_ALL_LANES, above);

  if (lane == 0)
    bits[i] = word;
}
