/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Device code: samples to the bits of a tile. THREADS: of its block. */


#include "base/cuda_warp.cuh"
#include "contours_cuda_tile.cuh"

/* Bytes, 16 at a time */

/* The highest bits of a word's bytes follow those of the bytes before. */
static __device__ __forceinline__ uint32_t
append_bytes (uint32_t before, uint32_t bytes)
{
  return __funnelshift_l ((bytes & 0x80808080u) * 0x00204081u, before, 4);
}

/* The highest bit of each byte tells whether this is at least that of @b. */
static __device__ __forceinline__ uint32_t
at_least (uint32_t a, uint32_t b)
{
  const uint32_t difference = (a | 0x80808080u) - (b & 0x7f7f7f7fu);

  return (a & ~b) | (~(a ^ b) & difference);
}

/* ... whether it is equal to that of @b. */
static __device__ __forceinline__ uint32_t
equal_to (uint32_t a, uint32_t b)
{
  return ~((((a ^ b) & 0x7f7f7f7fu) + 0x7f7f7f7fu) | (a ^ b));
}

/* A bit for each of 16 bytes. */
static __device__ __forceinline__ uint32_t
at_least (const uint4 & v, uint32_t b)
{
  uint32_t bits = append_bytes (0, at_least (v.w, b));

  bits = append_bytes (bits, at_least (v.z, b));
  bits = append_bytes (bits, at_least (v.y, b));
  return append_bytes (bits, at_least (v.x, b));
}

static __device__ __forceinline__ uint32_t
equal_to (const uint4 & v, uint32_t b)
{
  uint32_t bits = append_bytes (0, equal_to (v.w, b));

  bits = append_bytes (bits, equal_to (v.z, b));
  bits = append_bytes (bits, equal_to (v.y, b));
  return append_bytes (bits, equal_to (v.x, b));
}

/* Whether a tile's rows are bytes that can be loaded 16 at a time. */
template <typename T> static __device__ __forceinline__ bool
is_packed (const CsFrame & f, const TileRef & at, const CsSource & source)
{
  return sizeof (T) == 1 && !source.derived && !f.mask &&
      source.pixel_stride == 1 && source.row_stride % 16 == 0 &&
      (size_t) source.data % 16 == 0 &&
      (f.width % 16 == 0 || (at.tx + 1) * CS_TILE <= f.width);
}

/* Two threads for each row: half 0 loads columns 0 and 1 .. 16, half 1 columns
 * 17 .. 32 and the last two. */
template <int THREADS> static __device__ __forceinline__ void
load_bytes (const CsFrame & f, TileRef & at, const CsSource & source, Tile & t)
{
  /* the least value above the level; the one that is near it: with others
   * crossings are farther from a pixel than coordinates below 2^31 resolve */
  const int least = at.level < 0. ? 0 : at.level < 255. ?
      (int) at.level + 1 : 256;
  const int nearest = fabs (at.level - 127.5) < 128. ? (int) (at.level + .5) :
      256;
  const bool has_near = fabs (at.level - nearest) < 0x1p-8 && nearest < 256;
  const int left = (int) (at.tx * CS_TILE) - 1;
  const int upper = (int) (at.ty * CS_TILE) - 1;
  const int width = min ((int) f.width - left, SIDE);
  const CsU64 columns = ((1ull << width) - 1) & ~(CsU64) (left < 0);
  bool ties = false;

#pragma unroll 1
  for (int first = threadIdx.x & ~31; first < 2 * SIDE; first += THREADS) {
    const int n = first + threadIdx.x % 32, i = n / 2, half = n % 2;
    const int y = upper + i, x = left + 1 + 16 * half;
    const bool inside = i < SIDE && y >= 0 && y < (int) f.height;
    const uint8_t *row = source.data + (size_t) y * source.row_stride;
    uint4 v = { 0, 0, 0, 0 };
    int a = 0, b = 0;

    if (inside) {
      if (x < (int) f.width)
        v = *(const uint4 *) (row + x);
      if (half == 0 ? left >= 0 : width > 33)
        a = row[half == 0 ? left : left + 33];
      if (half == 1 && width > 34)
        b = row[left + 34];
    }
    const CsU64 valid = inside ? columns : 0;
    uint32_t bits = least > 255 ? 0 : at_least (v, least * 0x01010101u);

    bits = half == 0 ? bits << 1 | (a >= least) :
        bits | (a >= least) << 16 | (b >= least) << 17;
    const uint32_t others = __shfl_down_sync (CS_ALL_LANES, bits, 1);
    uint32_t near = 0, near_others = 0;

    if (has_near) {
      near = equal_to (v, nearest * 0x01010101u);
      near = half == 0 ? near << 1 | (a == nearest) :
          near | (a == nearest) << 16 | (b == nearest) << 17;
      near_others = __shfl_down_sync (CS_ALL_LANES, near, 1);
    }
    if (half == 0 && i < SIDE) {
      const CsU64 tied = (near | (CsU64) near_others << 17) & valid;

      t.rows[i].high.set ((bits | (CsU64) others << 17) & valid);
      t.rows[i].valid.set (valid);
      t.rows[i].near.set (tied);
      ties |= tied != 0;
    }
  }
  at.all_valid = left >= 0 && upper >= 0 && width == SIDE &&
      upper + SIDE <= (int) f.height;
  at.exact = at.level == nearest;
  at.finite = true;
  at.ties = __syncthreads_or (ties);
}

/* Samples of any type and arrangement */

/* A warp loads every few rows: a row's first 32 columns at a time, then the
 * last columns of several. */
#define N_WARPS(THREADS) ((THREADS) / 32)
#define ROWS_PER_WARP(THREADS) \
    ((SIDE + N_WARPS (THREADS) - 1) / N_WARPS (THREADS))
#define END_COLUMNS (SIDE - 32)
#define ENDS_PER_LOAD (32 / END_COLUMNS)
#define LOADS(THREADS) (ROWS_PER_WARP (THREADS) + \
    (ROWS_PER_WARP (THREADS) + ENDS_PER_LOAD - 1) / ENDS_PER_LOAD)

/* A pixel of the tile, clamped to the image, so that loads need no branch and
 * many are in flight. */
struct Pixel
{
  uint32_t x, y;
  bool inside;
};

static __device__ __forceinline__ Pixel
pixel_at (const CsFrame & f, const TileRef & at, int i, int j)
{
  const int x = (int) (at.tx * CS_TILE) - 1 + j;
  const int y = (int) (at.ty * CS_TILE) - 1 + i;
  Pixel pixel;

  pixel.x = min (max (x, 0), (int) f.width - 1);
  pixel.y = min (max (y, 0), (int) f.height - 1);
  pixel.inside = (int) pixel.x == x && (int) pixel.y == y;
  return pixel;
}

/* The pixel of a thread's load @n; false if it has none. */
template <int THREADS> static __device__ __forceinline__ bool
find_local_pixel (int n, int *i, int *j)
{
  const int lane = threadIdx.x % 32;
  int row = n;

  *j = lane;
  if (n >= ROWS_PER_WARP (THREADS)) {
    row = (n - ROWS_PER_WARP (THREADS)) * ENDS_PER_LOAD + lane / END_COLUMNS;
    *j = 32 + lane % END_COLUMNS;
  }
  *i = threadIdx.x / 32 + row * N_WARPS (THREADS);
  return *i < SIDE && (n < ROWS_PER_WARP (THREADS) ||
      lane < ENDS_PER_LOAD * END_COLUMNS);
}

/* A thread's samples; NaN where invalid or outside the image. */
template <typename T, typename V, int THREADS>
static __device__ __forceinline__ void
load_values (const CsFrame & f, const TileRef & at, const CsSource & source,
    V * values)
{
  uint32_t outside = 0;
  int i, j;

#pragma unroll
  for (int n = 0; n < LOADS (THREADS); n++) {
    find_local_pixel<THREADS> (n, &i, &j);
    const Pixel pixel = pixel_at (f, at, i, j);

    values[n] = cs_load<T, V> (source.derived, source.data +
        pixel.y * source.row_stride + pixel.x * source.pixel_stride);
    outside |= pixel.inside ? 0 : 1u << n;
  }
  if (f.mask) {
#pragma unroll
    for (int n = 0; n < LOADS (THREADS); n++) {
      find_local_pixel<THREADS> (n, &i, &j);
      const Pixel pixel = pixel_at (f, at, i, j);
      const uint8_t mask = f.mask[pixel.y * f.mask_row_stride +
          pixel.x * f.mask_pixel_stride];

      outside |= mask ? 0 : 1u << n;
    }
  }
#pragma unroll
  for (int n = 0; n < LOADS (THREADS); n++)
    values[n] = outside >> n & 1 ? (V) NAN : values[n];
}

/* Stores a bit of each sample of the warp's rows, lane n that of its row n. */
template <int THREADS, typename V, typename Test>
static __device__ __forceinline__ void
set_bits (Tile & t, Bits Row::* bits, const V * values, Test test)
{
  const int lane = threadIdx.x % 32;
  const int i = threadIdx.x / 32 + lane * N_WARPS (THREADS);
  Bits mine = { 0, 0 };

#pragma unroll
  for (int n = 0; n < LOADS (THREADS); n++) {
    const uint32_t all = __ballot_sync (CS_ALL_LANES, test (values[n]));
    const int first = (n - ROWS_PER_WARP (THREADS)) * ENDS_PER_LOAD;

    if (n < ROWS_PER_WARP (THREADS))
      mine.low = lane == n ? all : mine.low;
    else if (lane >= first && lane < first + ENDS_PER_LOAD)
      mine.end = all >> END_COLUMNS * (lane - first) &
          cs_bits_below (END_COLUMNS);
  }
  if (lane < ROWS_PER_WARP (THREADS) && i < SIDE)
    t.rows[i].*bits = mine;
}

/* The least and the greatest of a warp's distances. */
static __device__ __forceinline__ void
reduce_range (float & low, float & high)
{
  /* not negative: ordered as their bits */
  low = __uint_as_float (cs_warp_min (__float_as_uint (low)));
  high = __uint_as_float (cs_warp_max (__float_as_uint (high)));
}

static __device__ __forceinline__ void
reduce_range (double & low, double & high)
{
  low = cs_group_min<32> (low);
  high = cs_group_max<32> (high);
}

/* Range of the samples' distances from the level. */
template <typename V> struct DistanceRange
{
  V low, high;
  bool good;
};

/* Whether crossings may collapse onto pixels in this tile: for coordinates
 * below 2^31 this takes a sample much nearer to the level than its neighbour.
 * Returns the distance of those. */
template <typename V, int THREADS> static __device__ __forceinline__ V
find_ties (DistanceRange<V> range, TileRef & at)
{
  __shared__ V lows[N_WARPS (THREADS)], highs[N_WARPS (THREADS)];

  reduce_range (range.low, range.high);
  if (threadIdx.x % 32 == 0) {
    lows[threadIdx.x / 32] = range.low;
    highs[threadIdx.x / 32] = range.high;
  }
  at.all_valid = __syncthreads_and (range.good);
  V low = lows[0], high = highs[0];

  for (int w = 1; w < N_WARPS (THREADS); w++) {
    low = lows[w] < low ? lows[w] : low;
    high = highs[w] > high ? highs[w] : high;
  }
  const V near = high * (V) 1e-5;

  at.ties = !(low > near);
  at.finite = near < (V) INFINITY;
  return near;
}

template <typename T, typename V, int THREADS>
static __device__ __forceinline__ void
load_samples (const CsFrame & f, TileRef & at, const CsSource & source,
    Tile & t)
{
  const V threshold = cs_round_down<V> (at.level), level = (V) at.level;
  DistanceRange<V> range = { (V) INFINITY, 0, true };
  V values[LOADS (THREADS)];
  bool inexact = false;

  load_values<T, V, THREADS> (f, at, source, values);
  set_bits<THREADS> (t, &Row::high, values,
      [=] (V v) { return v > threshold; });
  set_bits<THREADS> (t, &Row::valid, values, [] (V v) { return v == v; });
#pragma unroll
  for (int n = 0; n < LOADS (THREADS); n++) {
    const V distance = fabs (values[n] - level);
    int i, j;

    /* NaNs change nothing */
    range.low = distance < range.low ? distance : range.low;
    range.high = distance > range.high ? distance : range.high;
    range.good &= values[n] == values[n] || !find_local_pixel<THREADS> (n, &i,
        &j);
  }
  const V near = find_ties<V, THREADS> (range, at);

  if (!at.ties)
    return;
  /* also NaN, of infinities */
  set_bits<THREADS> (t, &Row::near, values,
      [=] (V v) { return !(fabs (v - level) > near); });
#pragma unroll
  for (int n = 0; n < LOADS (THREADS); n++)
    inexact |= fabs (values[n] - level) <= near &&
        (double) values[n] != at.level;
  at.exact = !__syncthreads_or (inexact) && at.finite;
}

template <typename T, typename V, int THREADS>
static __device__ __forceinline__ void
load_tile (const CsFrame & f, TileRef & at, Tile & t)
{
  const CsSource source = cs_target_source<V> (&f, at.target);

  if (is_packed<T> (f, at, source))
    load_bytes<THREADS> (f, at, source, t);
  else
    load_samples<T, V, THREADS> (f, at, source, t);
}
