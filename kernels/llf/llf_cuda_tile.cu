/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Two levels from a level in memory, in tiles: sums of columns, then of rows,
 * in shared memory. There are too few samples for latency to be hidden, so that
 * a thread issues all of its loads at once.
 */
#include "llf_cuda_down.cuh"

/* A tile of level l + 2; its samples of level l + 1, and its columns of level
 * l. */
#define TILE_X 16
#define TILE_Y 4
#define MID_X (2 * TILE_X + 3)
#define MID_Y (2 * TILE_Y + 3)
#define FINE_X (2 * MID_X + 3)
#define TILE_THREADS 256
/* Resident blocks per multiprocessor. */
#define TILE_BLOCKS 4
/* Rows of sums of a column that a thread computes, and the rows it loads. */
#define SUM_ROWS 4
#define LOAD_ROWS (2 * SUM_ROWS + 3)
#define N_STRETCHES ((MID_Y + SUM_ROWS - 1) / SUM_ROWS)
/* A row of sums has those of even columns, then those of odd ones, without bank
 * conflicts when every other one is read. */
#define ODD_SUMS 44
#define SUMS_STRIDE 80

template <typename V> struct TileMemory
{
  V sums[MID_Y * SUMS_STRIDE], mid[MID_X * MID_Y];
};

/* Channels of a group. */
template <typename S> struct ChannelPlane
{
  typedef S Sample;
  typedef float4 Value;

  __device__ __forceinline__ Value widen (S sample) const
  {
    return llf_as_floats (sample);
  }

  __device__ __forceinline__ void store (Value v, S *to) const
  {
    put (v, to);
  }
};

/* G, as integers in @units per code, so that sums are exact. */
struct GrayPlane
{
  typedef float Sample;
  typedef uint32_t Value;
  float units;

  __device__ __forceinline__ Value widen (float sample) const
  {
    return (uint32_t) (sample * units);
  }

  __device__ __forceinline__ void store (Value v, float *to) const
  {
    *to = (float) v * (1 / units);
  }
};

template <typename V> static __device__ __forceinline__ V
sum_5 (V a, V b, V c, V d, V e)
{
  return llf_mad (6.f, c, llf_mad (4.f, b + d, a + e));
}

/* Sums of the tile's columns of level l, of which (x0, y0) is the first
 * sample. */
template <typename Plane, typename V> static __device__ __forceinline__ void
sum_columns (const Plane &plane, const typename Plane::Sample *from, int w,
    int h, int x0, int y0, V *sums)
{
#pragma unroll 1
  for (int item = threadIdx.x; item < FINE_X * N_STRETCHES;
      item += TILE_THREADS) {
    const int stretch = item / FINE_X, x = item - stretch * FINE_X;
    const int px = x0 + x, py = y0 + 2 * SUM_ROWS * stretch;
    const typename Plane::Sample *at = from + (ptrdiff_t) py * w + px;
    V *to = sums + stretch * SUM_ROWS * SUMS_STRIDE + x / 2 +
        (x & 1) * ODD_SUMS;
    typename Plane::Sample raw[LOAD_ROWS];
    V v[LOAD_ROWS];

#pragma unroll
    for (int r = 0; r < LOAD_ROWS; r++) {
      llf_set_zero (&raw[r]);
      if ((unsigned) px < (unsigned) w && (unsigned) (py + r) < (unsigned) h)
        raw[r] = *at;
      at += w;
    }
#pragma unroll
    for (int r = 0; r < LOAD_ROWS; r++)
      v[r] = plane.widen (raw[r]);
#pragma unroll
    for (int i = 0; i < SUM_ROWS; i++)
      if (stretch * SUM_ROWS + i < MID_Y)
        to[i * SUMS_STRIDE] = sum_5 (v[2 * i], v[2 * i + 1], v[2 * i + 2],
            v[2 * i + 3], v[2 * i + 4]);
  }
}

/* The tile's samples of level l + 1, of which (x1, y1) is the first, from the
 * sums of columns. */
template <typename Plane, typename V> static __device__ __forceinline__ void
sum_mid_rows (const Plane &plane, const LlfDeviceLevel &level,
    const LlfDeviceLevel &to, int x1, int y1, const V *sums, V *mid,
    typename Plane::Sample *out)
{
  const DownInverse<true> columns (level.w), rows (level.h);

#pragma unroll 1
  for (int item = threadIdx.x; item < MID_X * MID_Y; item += TILE_THREADS) {
    const int y = item / MID_X, x = item - y * MID_X;
    const int px = x1 + x, py = y1 + y;
    const V *even = sums + y * SUMS_STRIDE + x, *odd = even + ODD_SUMS;
    const V v = finish (sum_5 (even[0], odd[0], even[1], odd[1], even[2]),
        columns (px) * rows (py), false, out);

    mid[item] = v;
    if (x >= 2 && x < 2 * TILE_X + 2 && y >= 2 && y < 2 * TILE_Y + 2 &&
        px < to.w && py < to.h)
      plane.store (v, out + (size_t) py * to.w + px);
  }
}

/* The tile's samples of level l + 2, of which (x2, y2) is the first. */
template <typename Plane, typename V> static __device__ __forceinline__ void
sum_last (const Plane &plane, const LlfDeviceLevel &level,
    const LlfDeviceLevel &to, int x2, int y2, V *sums, const V *mid,
    typename Plane::Sample *out)
{
  const DownInverse<true> columns (level.w), rows (level.h);
  const int y = threadIdx.x / TILE_X, x = threadIdx.x % TILE_X;
  const int px = x2 + x, py = y2 + y;

  for (int item = threadIdx.x; item < MID_X * TILE_Y; item += TILE_THREADS) {
    const int row = item / MID_X;
    const V *at = mid + item + row * MID_X;

    sums[item] = sum_5 (at[0], at[MID_X], at[2 * MID_X], at[3 * MID_X],
        at[4 * MID_X]);
  }
  __syncthreads ();
  if (y < TILE_Y && px < to.w && py < to.h) {
    const V *at = sums + y * MID_X + 2 * x;

    plane.store (finish (sum_5 (at[0], at[1], at[2], at[3], at[4]),
            columns (px) * rows (py), true, out),
        out + (size_t) py * to.w + px);
  }
}

/* Tile (@x2, @y2) of a plane; @second is NULL if there is no level l + 2. */
template <typename Plane> static __device__ __forceinline__ void
tile (const LlfDeviceLevel *levels, const Plane &plane,
    const typename Plane::Sample *from, typename Plane::Sample *first,
    typename Plane::Sample *second, int x2, int y2,
    TileMemory<typename Plane::Value> &memory)
{
  sum_columns (plane, from, levels[0].w, levels[0].h, 4 * x2 - 6, 4 * y2 - 6,
      memory.sums);
  __syncthreads ();
  sum_mid_rows (plane, levels[0], levels[1], 2 * x2 - 2, 2 * y2 - 2,
      memory.sums, memory.mid, first);
  if (!second)
    return;
  __syncthreads ();
  sum_last (plane, levels[1], levels[2], x2, y2, memory.sums, memory.mid,
      second);
}

/* One group of channels, or G, per y of the grid. */
template <bool FIXED> static __global__ void
    __launch_bounds__ (TILE_THREADS, TILE_BLOCKS)
tile_kernel (const __grid_constant__ LlfDevicePyramid pyramid, int l)
{
  typedef typename Stored<FIXED>::Type S;
  __shared__ TileMemory<float4> memory;
  const LlfDeviceLevel *levels = pyramid.levels + l;
  const bool two = l + 2 < pyramid.n;
  const int n_x = ((levels[1].w + 1) / 2 + TILE_X - 1) / TILE_X;
  const int tile_y = blockIdx.x / n_x, tile_x = blockIdx.x - tile_y * n_x;
  const int x2 = tile_x * TILE_X, y2 = tile_y * TILE_Y;
  const int group = blockIdx.y;

  llf_trigger_dependents ();
  llf_dependency_sync ();
  if (group < pyramid.n_groups) {
    const ChannelPlane<S> plane;

    tile (levels, plane,
        (const S *) levels[0].p + (size_t) group * levels[0].w * levels[0].h,
        (S *) levels[1].p + (size_t) group * levels[1].w * levels[1].h,
        two ? (S *) levels[2].p + (size_t) group * levels[2].w * levels[2].h :
        nullptr, x2, y2, memory);
  } else {
    /* the sum of weights is 256: no overflow of 32 bits */
    const GrayPlane plane = { pyramid.n_codes <= 256 ? 65536.f : 16384.f };

    tile (levels, plane, levels[0].g, levels[1].g, two ? levels[2].g : nullptr,
        x2, y2, (TileMemory<uint32_t> &) memory);
  }
}

LlfLaunch
llf_cuda_down_tiles (const LlfDevicePyramid *pyramid, LlfKind kind, int l)
{
  const LlfDeviceLevel *mid = &pyramid->levels[l + 1];
  const size_t n_x = ((mid->w + 1) / 2 + TILE_X - 1) / TILE_X;
  const size_t n_y = ((mid->h + 1) / 2 + TILE_Y - 1) / TILE_Y;

  return LlfLaunch {
    kind.fixed ? (const void *) tile_kernel<true> :
        (const void *) tile_kernel<false>,
    dim3 ((unsigned) (n_x * n_y), pyramid->n_groups + 1), dim3 (TILE_THREADS),
    0 };
}
