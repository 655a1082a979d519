/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Device code: crossings of the level with the edges of cells. */

#include "contours_cuda.cuh"
#include "contours_cuda_samples.cuh"
#include "contours_math.h"

/* A crossed edge: the samples at its ends, and its first pixel. */
template <typename V> struct CrossedEdge
{
  V from, to;
  uint32_t column, row;
  bool down;

  __device__ __forceinline__ double2 point (const CsFrame * f,
      double level) const
  {
    const double t = cs_crossing_fraction ((double) from, (double) to, level);
    double2 at = { f->origin_x + column, f->origin_y + row };

    if (down)
      at.y += t;
    else
      at.x += t;
    return at;
  }
};

/* The edge of the cell at pixel @pixel. */
template <typename T, typename V>
static __device__ __forceinline__ CrossedEdge<V>
find_crossing (const CsFrame * f, uint32_t target, uint32_t pixel, int edge)
{
  const uint32_t cell_row = pixel / f->width;
  const uint32_t row = cell_row + (edge == CS_EDGE_B);
  const uint32_t column = pixel - cell_row * f->width + (edge == CS_EDGE_R);
  const bool down = edge == CS_EDGE_L || edge == CS_EDGE_R;
  const CsSource source = cs_target_source<V> (f, target);
  const uint8_t *from = source.data + row * source.row_stride +
      column * source.pixel_stride;
  const uint8_t *to = from + (down ? source.row_stride : source.pixel_stride);
  const CrossedEdge<V> crossed = { cs_load<T, V> (source.derived, from),
    cs_load<T, V> (source.derived, to), column, row, down
  };

  return crossed;
}
