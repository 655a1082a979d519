/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The arithmetic shared by both backends, the same bits on the CPU and the GPU:
 * compile without contraction.
 */

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define CS_STROKES_FN static __host__ __device__ __forceinline__
#else
#define CS_STROKES_FN static inline
#endif

/* Points beyond this are excluded, like those that are not finite. */
#define CS_STROKES_MAX_COORDINATE 16777216.f

/* Side of a cell relative to the distance: two points of a cell are always
 * close, and close points are at most CS_STROKES_CELL_RADIUS cells apart, with
 * a margin for rounding on both sides. */
#define CS_STROKES_CELL .7
#define CS_STROKES_CELL_RADIUS 2
/* Neighbours of a cell in one half-plane. */
#define CS_STROKES_HALF_RING 12

/* Smallest distance between different floats. */
#define CS_STROKES_MIN_DISTANCE 0x1p-149

/**
 * CsStrokesGrid:
 * @inverse: cells per pixel; 0: each point is a cell of its own
 * @limit: squared distance
 */
typedef struct
{
  double inverse, limit;
} CsStrokesGrid;

CS_STROKES_FN CsStrokesGrid
cs_strokes_grid (double distance)
{
  CsStrokesGrid grid;

  grid.inverse = distance < CS_STROKES_MIN_DISTANCE ? 0 : 1 / (CS_STROKES_CELL *
      distance);
  grid.limit = distance * distance;
  return grid;
}

/* floor(), for which baseline x86-64 has no instruction. */
CS_STROKES_FN double
cs_strokes_floor (double value)
{
#ifdef __CUDA_ARCH__
  return floor (value);
#else
  double whole;

  /* larger numbers are integers */
  if (!(value > -0x1p52 && value < 0x1p52))
    return value;
  whole = (double) (int64_t) value;
  return whole > value ? whole - 1 : whole;
#endif
}

/* Column or row of a coordinate's cell: an integer, in double precision
 * because it may exceed the range of integer types. Never -0. */
CS_STROKES_FN double
cs_strokes_cell (CsStrokesGrid grid, float value)
{
  if (grid.inverse == 0)
    return value;
  return cs_strokes_floor (value * grid.inverse) + 0.;
}

CS_STROKES_FN uint64_t
cs_strokes_bits (double value)
{
#ifdef __CUDA_ARCH__
  return __double_as_longlong (value);
#else
  uint64_t bits;

  memcpy (&bits, &value, sizeof (bits));
  return bits;
#endif
}

CS_STROKES_FN uint32_t
cs_strokes_hash (double column, double row)
{
  const uint64_t a = cs_strokes_bits (column), b = cs_strokes_bits (row);
  uint64_t h = (a ^ (b << 29 | b >> 35)) * UINT64_C (0x9e3779b97f4a7c15);

  h = (h ^ h >> 32 ^ b) * UINT64_C (0xd6e8feb86659fd93);
  return h >> 32;
}

/* Neighbour @i of a cell in one half-plane, so that every pair of cells is
 * visited once. */
CS_STROKES_FN void
cs_strokes_neighbour (int i, int *column, int *row)
{
  if (i < 2) {
    *column = i + 1;
    *row = 0;
  } else {
    *column = (i - 2) % 5 - 2;
    *row = (i - 2) / 5 + 1;
  }
}

CS_STROKES_FN double
cs_strokes_distance2 (float x0, float y0, float x1, float y1)
{
  const double dx = (double) x0 - x1, dy = (double) y0 - y1;

  return dx * dx + dy * dy;
}

CS_STROKES_FN int
cs_strokes_is_near (float value)
{
  return value >= -CS_STROKES_MAX_COORDINATE &&
      value <= CS_STROKES_MAX_COORDINATE;
}

/* Whether the mask's pixel nearest to (x, y) is set; @stride: 32-bit words per
 * row. */
CS_STROKES_FN int
cs_strokes_is_masked (const uint32_t * bits, uint32_t width, uint32_t height,
    uint32_t stride, double x, double y)
{
  const double column = cs_strokes_floor (x + .5);
  const double row = cs_strokes_floor (y + .5);

  if (!(column >= 0 && row >= 0 && column < width && row < height))
    return 0;
  const uint32_t i = (uint32_t) column;
  return bits[(size_t) (uint32_t) row * stride + i / 32] >> (i % 32) & 1;
}

/* Fixed-point unit of lengths, so that sums do not depend on the order;
 * segments are clamped to 65536 pixels, so that no sum overflows. */
#define CS_STROKES_LENGTH_UNIT 0x1p-16

CS_STROKES_FN uint64_t
cs_strokes_length (float x0, float y0, float x1, float y1)
{
  const double length = sqrt (cs_strokes_distance2 (x0, y0, x1, y1));

  return (uint64_t) ((length < 65536 ? length : 65536) /
      CS_STROKES_LENGTH_UNIT);
}

/* The minimum length in these units. */
CS_STROKES_FN uint64_t
cs_strokes_min_length (double pixels)
{
  const double units = ceil (pixels / CS_STROKES_LENGTH_UNIT);

  return units < 0x1p63 ? (uint64_t) units : UINT64_C (1) << 63;
}
