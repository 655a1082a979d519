/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Device code: labels of pixels, and how a ring goes on in a cell. */

#include "labels_cuda.cuh"

/* The number that is at a pixel; the largest of 64 bits without a sign are below
 * 0. */
template <typename T> static __device__ __forceinline__ int64_t
read_number (const CsLabelsFrame & f, uint32_t x, uint32_t y)
{
  return (int64_t) *(const T *) (f.data + y * f.row_stride +
      x * f.pixel_stride);
}

/* Calls FUNCTION <T> (...) for the type of labels. */
#define CALL_FOR_TYPE(f, FUNCTION, ...) \
    ((f).size == 1 ? (f).is_signed ? FUNCTION<int8_t> (__VA_ARGS__) : \
        FUNCTION<uint8_t> (__VA_ARGS__) : \
    (f).size == 2 ? (f).is_signed ? FUNCTION<int16_t> (__VA_ARGS__) : \
        FUNCTION<uint16_t> (__VA_ARGS__) : \
    (f).size == 4 ? (f).is_signed ? FUNCTION<int32_t> (__VA_ARGS__) : \
        FUNCTION<uint32_t> (__VA_ARGS__) : FUNCTION<int64_t> (__VA_ARGS__))

/* Whether it is one that a label may not be. */
static __device__ __forceinline__ bool
is_too_large (const CsLabelsFrame & f, int64_t number)
{
  return f.is_signed ? number > CS_LABELS_MAX :
      (uint64_t) number > CS_LABELS_MAX;
}

static __device__ __forceinline__ bool
is_wanted (const CsLabelsFrame & f, uint32_t label)
{
  uint32_t low = 0, high = f.n_wanted;

  while (low < high) {
    const uint32_t middle = (low + high) / 2;

    if (f.wanted[middle] < label)
      low = middle + 1;
    else
      high = middle;
  }
  return low < f.n_wanted && f.wanted[low] == label;
}

static __device__ __forceinline__ uint32_t
label_of (const CsLabelsFrame & f, int64_t number)
{
  if (number < 0 || number == f.background || number > CS_LABELS_MAX ||
      (f.has_wanted && !is_wanted (f, (uint32_t) number)))
    return CS_LABELS_OUTSIDE;
  return (uint32_t) number + 1;
}

/* Also beyond the picture. */
static __device__ __forceinline__ uint32_t
label_at (const CsLabelsFrame & f, int32_t x, int32_t y)
{
  if ((uint32_t) x >= f.width || (uint32_t) y >= f.height)
    return CS_LABELS_OUTSIDE;
  return label_of (f, CALL_FOR_TYPE (f, read_number, f, x, y));
}

static __device__ __forceinline__ uint32_t
cell_of (uint32_t ul, uint32_t ur, uint32_t ll, uint32_t lr)
{
  return (ul == ur ? CS_LABELS_TOP : 0) | (ul == ll ? CS_LABELS_LEFT : 0) |
      (ur == lr ? CS_LABELS_RIGHT : 0) | (ll == lr ? CS_LABELS_BOTTOM : 0) |
      (ul == lr ? CS_LABELS_FALLING : 0) | (ur == ll ? CS_LABELS_RISING : 0);
}

static __device__ __forceinline__ int
step_x (uint32_t d)
{
  return (d == CS_LABELS_EAST) - (d == CS_LABELS_WEST);
}

static __device__ __forceinline__ int
step_y (uint32_t d)
{
  return (d == CS_LABELS_SOUTH) - (d == CS_LABELS_NORTH);
}

/* The place at the sides of tiles through which the cell of column @c and row @r
 * is entered in direction @d. */
static __device__ __forceinline__ uint32_t
side_of (const CsLabelsFrame & f, uint32_t c, uint32_t r, uint32_t d)
{
  const uint32_t columns = f.tiles_x * CS_LABELS_TILE;
  const uint32_t rows = f.tiles_y * CS_LABELS_TILE;

  if (d == CS_LABELS_EAST || d == CS_LABELS_WEST) {
    const uint32_t line = c / CS_LABELS_TILE + (d == CS_LABELS_WEST);

    return (line * rows + r) * 2 + (d == CS_LABELS_WEST);
  }
  const uint32_t line = r / CS_LABELS_TILE + (d == CS_LABELS_NORTH);

  return ((f.tiles_x + 1) * rows + line * columns + c) * 2 +
      (d == CS_LABELS_NORTH);
}
