/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <cuda_fp16.h>
#include <stdint.h>

#include "base/cuda_base.h"
#include "base/cuda_warp.cuh"

extern "C" {
#include "stats_cuda.h"
}

#define THREADS 128
#define WARPS (THREADS / 32)

/* A tile: of a contour that is not large there is one. Half a warp holds the
 * words of a row. */
#define TILE_ROWS 32
#define TILE_WORDS 16
#define TILE_COLUMNS (32 * TILE_WORDS)

/* Coordinates up to here are computed to far less than a pixel. */
#define NEAR 0x1p30

typedef CsStatsCudaJob Job;
typedef CsStatsCudaRegion Region;
typedef CsStatsCudaChunk Chunk;
typedef CsStatsCudaImage Image;
typedef CsStatsCudaTile Tile;

/* --- Sides ---------------------------------------------------------------- */

/* A side, and the rows that it crosses: from @first up to, not with, @end. */
struct Side
{
  double ax, ay, bx, by;
  int32_t first, end;
  bool is_finite;
};

static __device__ __forceinline__ Side
load_side (const Job & job, const Chunk & chunk, uint32_t i, double height)
{
  const float2 *points = (const float2 *) chunk.points;
  const uint32_t from = chunk.first + i;
  const float2 a = points[from];
  const float2 b = points[from + 1 < chunk.n_points ? from + 1 : 0];
  Side side;

  side.ax = cs_stats_place (a.x, job.scale_x);
  side.ay = cs_stats_place (a.y, job.scale_y);
  side.bx = cs_stats_place (b.x, job.scale_x);
  side.by = cs_stats_place (b.y, job.scale_y);

  const int32_t from_row = cs_stats_ceil (side.ay, height);
  const int32_t to_row = cs_stats_ceil (side.by, height);

  side.is_finite = cs_stats_is_finite (side.ax, side.ay, side.bx, side.by);
  side.first = min (from_row, to_row);
  side.end = side.is_finite ? max (from_row, to_row) : side.first;
  return side;
}

static __device__ __forceinline__ bool
is_near (const Side & side)
{
  return fmax (fmax (fabs (side.ax), fabs (side.ay)),
      fmax (fabs (side.bx), fabs (side.by))) <= NEAR;
}

/* --- Bounds and tiles ----------------------------------------------------- */

/* Of pixels from crossing to crossing. */
struct Bounds
{
  uint32_t top, bottom, left, right;
  bool is_open;
};

/* Those of a chunk, in all lanes. */
static __device__ __forceinline__ Bounds
bound_chunk (const Job & job, const Chunk & chunk, const Image & image)
{
  const double width = image.width, height = image.height;
  Bounds bounds = { INT32_MAX, 0, INT32_MAX, 0, false };

  for (uint32_t k = threadIdx.x % 32; k < chunk.n; k += 32) {
    const Side side = load_side (job, chunk, k, height);

    bounds.is_open |= !side.is_finite;
    if (side.first >= side.end)
      continue;
    /* a crossing lies between the ends, but for rounding, which may be as large
     * as coordinates are */
    const bool near = is_near (side);
    const int32_t from = cs_stats_ceil (fmin (side.ax, side.bx), width);
    const int32_t to = cs_stats_ceil (fmax (side.ax, side.bx), width);

    bounds.top = min (bounds.top, (uint32_t) side.first);
    bounds.bottom = max (bounds.bottom, (uint32_t) side.end);
    bounds.left = min (bounds.left, (uint32_t) (near ? max (from - 1, 0) : 0));
    bounds.right = max (bounds.right, (uint32_t) (near ?
            min (to + 1, image.width) : image.width));
  }
  bounds.top = cs_warp_min (bounds.top);
  bounds.bottom = cs_warp_max (bounds.bottom);
  bounds.left = cs_warp_min (bounds.left);
  bounds.right = cs_warp_max (bounds.right);
  bounds.is_open = __any_sync (CS_ALL_LANES, bounds.is_open);
  return bounds;
}

/* Extends those of the region, by one lane. Returns: whether they are complete,
 * and then the region's in @bounds */
static __device__ __forceinline__ bool
extend_region (Region * region, Bounds * bounds)
{
  if (bounds->is_open)
    atomicOr (&region->is_open, 1u);
  if (bounds->top < bounds->bottom) {
    atomicMin (&region->top, (int32_t) bounds->top);
    atomicMax (&region->bottom, (int32_t) bounds->bottom);
    atomicMin (&region->left, (int32_t) bounds->left);
    atomicMax (&region->right, (int32_t) bounds->right);
  }
  __threadfence ();
  if (atomicAdd (&region->n_done, 1u) + 1 < region->n_chunks)
    return false;
  __threadfence ();
  /* as other blocks have left it, not as this one has read it before */
  bounds->top = __ldcg (&region->top);
  bounds->bottom = __ldcg (&region->bottom);
  bounds->left = __ldcg (&region->left);
  bounds->right = __ldcg (&region->right);
  return true;
}

/* Lists the tiles of a region; its bounds are those of the first lane. */
static __device__ __forceinline__ void
list_tiles (const Job & job, uint32_t i, const Bounds & bounds)
{
  const uint32_t lane = threadIdx.x % 32;
  const int32_t top = __shfl_sync (CS_ALL_LANES, bounds.top, 0);
  const int32_t bottom = __shfl_sync (CS_ALL_LANES, bounds.bottom, 0);
  const int32_t right = __shfl_sync (CS_ALL_LANES, bounds.right, 0);
  /* rows of pixels begin at whole words */
  const int32_t left = __shfl_sync (CS_ALL_LANES, bounds.left, 0) & ~31;

  if (top >= bottom || left >= right)
    return;
  const uint32_t n_columns = (right - left + TILE_COLUMNS - 1) / TILE_COLUMNS;
  const uint32_t n_rows = (bottom - top + TILE_ROWS - 1) / TILE_ROWS;
  const uint64_t n = (uint64_t) n_columns * n_rows;
  unsigned long long base = 0;

  if (lane == 0)
    base = atomicAdd ((unsigned long long *) job.n_tiles, n);
  base = __shfl_sync (CS_ALL_LANES, base, 0);
  for (uint64_t k = lane; k < n && base + k < job.capacity; k += 32) {
    const Tile tile = { i, left + (int32_t) (k % n_columns) * TILE_COLUMNS,
      top + (int32_t) (k / n_columns) * TILE_ROWS };

    job.tiles[base + k] = tile;
  }
}

/* A warp for each chunk and each region: clears sums, finds the chunk's bounds,
 * and lists the tiles of its region after the last one. */
static __global__ void __launch_bounds__ (THREADS)
make_tiles (const Job job)
{
  const uint32_t i = blockIdx.x * WARPS + threadIdx.x / 32;
  const uint32_t lane = threadIdx.x % 32;

  if (i < job.n_regions && lane < job.n_channels) {
    const CsStatsSums none = { 0, 0, 0, INT32_MAX, INT32_MIN };

    job.sums[(size_t) i * job.n_channels + lane] = none;
  }
  if (i >= job.n_chunks)
    return;
  const Chunk chunk = job.chunks[i];
  Region *region = &job.regions[chunk.region];
  Bounds bounds = bound_chunk (job, chunk, job.images[region->image]);
  bool is_complete = false;

  if (lane == 0) {
    job.chunk_rows[2 * (size_t) i] = bounds.top;
    job.chunk_rows[2 * (size_t) i + 1] = bounds.bottom;
    is_complete = extend_region (region, &bounds);
  }
  if (__any_sync (CS_ALL_LANES, is_complete))
    list_tiles (job, chunk.region, bounds);
}

/* --- Crossings of a tile -------------------------------------------------- */

/* Bits of pixels, and, of open regions, the last crossing of each row. */
struct Mask
{
  uint32_t bits[TILE_ROWS][TILE_WORDS];
  int32_t ends[TILE_ROWS];
};

static __device__ __forceinline__ void
mark_side (Mask * mask, const Side & side, const Tile & tile, bool is_open,
    double width)
{
  const int32_t end = min (side.end, tile.y + TILE_ROWS);

  for (int32_t y = max (side.first, tile.y); y < end; y++) {
    const int32_t crossing = cs_stats_cross (side.ax, side.ay, side.bx,
        side.by, y, width);
    /* those on the left count for the whole row */
    const int32_t x = max (crossing - tile.x, 0);

    if (is_open)
      atomicMax (&mask->ends[y - tile.y], crossing);
    if (x < TILE_COLUMNS)
      atomicXor (&mask->bits[y - tile.y][x / 32], 1u << x % 32);
  }
}

/* The chunks of the region are dealt out to the lanes of all warps; a warp works
 * on those of its lanes that cross the tile's rows. */
static __device__ void
mark_crossings (const Job & job, const Region & region, const Tile & tile,
    Mask * mask)
{
  const Image *image = &job.images[region.image];
  const double width = image->width, height = image->height;
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;

  for (uint32_t base = 0; base < region.n_chunks; base += THREADS) {
    const uint32_t own = base + lane * WARPS + warp;
    bool crosses = false;

    if (own < region.n_chunks) {
      const int32_t *rows = job.chunk_rows +
          2 * (size_t) (region.first_chunk + own);

      crosses = rows[0] < tile.y + TILE_ROWS && rows[1] > tile.y;
    }
    for (uint32_t left = __ballot_sync (CS_ALL_LANES, crosses); left != 0;
        left &= left - 1) {
      const Chunk chunk = job.chunks[region.first_chunk + base +
          (__ffs (left) - 1) * WARPS + warp];

      for (uint32_t k = lane; k < chunk.n; k += 32)
        mark_side (mask, load_side (job, chunk, k, height), tile,
            region.is_open, width);
    }
  }
}

/* --- Samples -------------------------------------------------------------- */

enum Source { BYTES, WORDS, LUMA, WIDE_LUMA, LAB, SHARES };

template <Source SOURCE> struct Type
{
  static const int N = SOURCE == LAB ? 3 : 1;
};

static __device__ __forceinline__ const uint8_t *
sample_at (const Image & image, int32_t x, int32_t y)
{
  return image.data + y * image.row_stride + x * image.pixel_stride;
}

static __device__ __forceinline__ uint32_t
read_byte (const Job & job, int c, int32_t x, int32_t y)
{
  return *sample_at (job.components[c], x, y);
}

static __device__ __forceinline__ uint32_t
read_word (const Job & job, int c, int32_t x, int32_t y)
{
  return *(const uint16_t *) sample_at (job.components[c], x, y) >> job.shift;
}

static __device__ __forceinline__ double
read_share (const uint8_t * at, CsSampleType type)
{
  switch (type) {
    case CS_SAMPLE_U8:
      return *at / 255.;
    case CS_SAMPLE_U16:
      return *(const uint16_t *) at / 65535.;
    case CS_SAMPLE_F16:
      return __half2float (*(const __half *) at);
    case CS_SAMPLE_F32:
      return *(const float *) at;
    default:
      return *(const double *) at;
  }
}

/* The samples of a pixel that is inside of the picture or image. */
template <Source SOURCE> static __device__ __forceinline__ void
read_pixel (const Job & job, const Region & region, int32_t x, int32_t y,
    int32_t * samples)
{
  if (SOURCE == BYTES) {
    samples[0] = read_byte (job, 0, x, y);
  } else if (SOURCE == WORDS) {
    samples[0] = read_word (job, 0, x, y);
  } else if (SOURCE == LUMA) {
    samples[0] = cs_stats_luma (job.weights, read_byte (job, 0, x, y),
        read_byte (job, 1, x, y), read_byte (job, 2, x, y));
  } else if (SOURCE == WIDE_LUMA) {
    samples[0] = cs_stats_wide_luma (job.weights, read_word (job, 0, x, y),
        read_word (job, 1, x, y), read_word (job, 2, x, y));
  } else if (SOURCE == LAB) {
    cs_lab_convert (job.lab, read_byte (job, 0, x, y),
        read_byte (job, 1, x, y), read_byte (job, 2, x, y), samples);
  } else {
    const Image *image = &job.images[region.image];

    samples[0] = cs_stats_round_share (read_share (sample_at (*image, x, y) +
            region.channel * image->channel_stride, image->type));
  }
}

/* --- Sums ----------------------------------------------------------------- */

/* A thread's, of a tile: few enough samples for sums in 32 bits. */
template <int N> struct Totals
{
  uint32_t n;
  int32_t sums[N], minima[N], maxima[N];
  unsigned long long squares[N];

  __device__ __forceinline__ Totals () : n (0)
  {
    for (int c = 0; c < N; c++) {
      sums[c] = 0;
      squares[c] = 0;
      minima[c] = INT32_MAX;
      maxima[c] = INT32_MIN;
    }
  }

  __device__ __forceinline__ void add (const int32_t * samples)
  {
    n++;
    for (int c = 0; c < N; c++) {
      const int64_t sample = samples[c];

      sums[c] += samples[c];
      squares[c] += (unsigned long long) (sample * sample);
      minima[c] = min (minima[c], samples[c]);
      maxima[c] = max (maxima[c], samples[c]);
    }
  }
};

/* Signed numbers as unsigned ones in the same order, and back. */
static __device__ __forceinline__ uint32_t
flip (uint32_t value)
{
  return value ^ 0x80000000u;
}

/* Adds those of a warp to the region's. */
template <int N> static __device__ __forceinline__ void
add_totals (const Totals<N> & totals, CsStatsSums * sums)
{
  const uint32_t n = cs_warp_sum (totals.n);

  if (n == 0)
    return;
  for (int c = 0; c < N; c++) {
    const int32_t sum = (int32_t) cs_warp_sum ((uint32_t) totals.sums[c]);
    const unsigned long long squares = cs_warp_sum (totals.squares[c]);
    const int32_t low = (int32_t) flip (cs_warp_min (flip (totals.minima[c])));
    const int32_t high = (int32_t) flip (cs_warp_max (flip (totals.maxima[c])));

    if (threadIdx.x % 32 > 0)
      continue;
    atomicAdd ((unsigned long long *) &sums[c].n, (unsigned long long) n);
    atomicAdd ((unsigned long long *) &sums[c].sum,
        (unsigned long long) (long long) sum);
    atomicAdd ((unsigned long long *) &sums[c].squares, squares);
    atomicMin (&sums[c].minimum, low);
    atomicMax (&sums[c].maximum, high);
  }
}

/* A word of pixels that are inside, of crossings from the left on: @lane's of
 * the 16 of its row, which are those of half a warp. */
static __device__ __forceinline__ uint32_t
fill_word (uint32_t word, uint32_t lane)
{
  for (int step = 1; step < 32; step *= 2)
    word ^= word << step;

  /* words with an odd number of crossings turn those on their right over */
  const uint32_t odd = __ballot_sync (CS_ALL_LANES, word >> 31);
  const uint32_t before = ((1u << lane) - 1) &
      (lane < TILE_WORDS ? 0xffffu : ~0xffffu);

  return __popc (odd & before) % 2 ? ~word : word;
}

/* Pixels beyond an open row's last crossing are not inside: it bounds none. */
static __device__ __forceinline__ uint32_t
cut_word (uint32_t word, int32_t n)
{
  return n >= 32 ? word : n <= 0 ? 0 : word & ((1u << n) - 1);
}

/* Words of @BATCH are read at once, so that one need not wait for the other. */
#define BATCH 4

/* Adds the pixels of two rows from @y on, of which @word has a part in each
 * lane. */
template <Source SOURCE> static __device__ __forceinline__ void
sum_rows (const Job & job, const Region & region, const Tile & tile, int32_t y,
    uint32_t word, Totals<Type<SOURCE>::N> * totals)
{
  const uint32_t lane = threadIdx.x % 32;
  uint32_t left = __ballot_sync (CS_ALL_LANES, word != 0);

  while (left != 0) {
    int32_t samples[BATCH][Type<SOURCE>::N];
    bool inside[BATCH];

#pragma unroll
    for (int i = 0; i < BATCH; i++) {
      const uint32_t k = left != 0 ? __ffs (left) - 1 : 0;
      const uint32_t bits = __shfl_sync (CS_ALL_LANES, word, k);

      inside[i] = left != 0 && bits >> lane & 1;
      left &= left - 1;
      if (inside[i])
        read_pixel<SOURCE> (job, region, tile.x + k % TILE_WORDS * 32 + lane,
            y + k / TILE_WORDS, samples[i]);
    }
#pragma unroll
    for (int i = 0; i < BATCH; i++)
      if (inside[i])
        totals->add (samples[i]);
  }
}

template <Source SOURCE> static __device__ void
sum_tile (const Job & job, const Tile & tile, Mask * mask)
{
  const Region region = job.regions[tile.region];
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int32_t n_rows = min (region.bottom - tile.y, TILE_ROWS);
  Totals<Type<SOURCE>::N> totals;

  mark_crossings (job, region, tile, mask);
  __syncthreads ();
  for (int32_t first = 2 * warp; first < n_rows; first += 2 * WARPS) {
    const int32_t row = first + lane / TILE_WORDS;
    uint32_t word = fill_word (mask->bits[row][lane % TILE_WORDS], lane);

    if (region.is_open)
      word = cut_word (word, mask->ends[row] -
          (tile.x + (int32_t) (lane % TILE_WORDS) * 32));
    sum_rows<SOURCE> (job, region, tile, tile.y + first, word, &totals);
  }
  add_totals (totals, job.sums + (size_t) tile.region * Type<SOURCE>::N);
}

template <Source SOURCE>
static __global__ void __launch_bounds__ (THREADS)
sum_tiles (const Job job)
{
  __shared__ Mask mask;
  const uint64_t n = min (*job.n_tiles, job.capacity);

  if (blockIdx.x == 0 && threadIdx.x == 0)
    *job.n_found = *job.n_tiles;
  for (uint64_t i = blockIdx.x; i < n; i += gridDim.x) {
    for (int k = threadIdx.x; k < TILE_ROWS * TILE_WORDS; k += THREADS)
      mask.bits[0][k] = 0;
    if (threadIdx.x < TILE_ROWS)
      mask.ends[threadIdx.x] = 0;
    __syncthreads ();
    sum_tile<SOURCE> (job, job.tiles[i], &mask);
    /* before the next one is cleared */
    __syncthreads ();
  }
}

/* --- Launching ------------------------------------------------------------ */

typedef void (*Kernel) (const Job job);

static Kernel
find_kernel (const Job * job)
{
  const bool is_wide = job->components[0].type == CS_SAMPLE_U16;

  if (job->kind == CS_STATS_PROBABILITY)
    return sum_tiles<SHARES>;
  if (job->kind == CS_STATS_LAB)
    return sum_tiles<LAB>;
  if (job->is_rgb)
    return is_wide ? sum_tiles<WIDE_LUMA> : sum_tiles<LUMA>;
  return is_wide ? sum_tiles<WORDS> : sum_tiles<BYTES>;
}

extern "C" gboolean
cs_stats_cuda_launch (const CsStatsCudaJob * job, guint n_blocks,
    void *user_stream, GError ** error)
{
  cudaStream_t stream = (cudaStream_t) user_stream;

  make_tiles <<<cs_cuda_blocks (MAX (job->n_regions, job->n_chunks), WARPS),
      THREADS, 0, stream>>> (*job);
  find_kernel (job) <<<n_blocks, THREADS, 0, stream>>> (*job);
  return cs_cuda_check (cudaGetLastError (), "sum up samples inside shapes",
      error);
}

extern "C" gboolean
cs_stats_cuda_load (GError ** error)
{
  const void *kernels[] = {
    (const void *) make_tiles,
    (const void *) sum_tiles<BYTES>, (const void *) sum_tiles<WORDS>,
    (const void *) sum_tiles<LUMA>, (const void *) sum_tiles<WIDE_LUMA>,
    (const void *) sum_tiles<LAB>, (const void *) sum_tiles<SHARES>,
  };
  cudaFuncAttributes attributes;

  for (gsize i = 0; i < G_N_ELEMENTS (kernels); i++)
    if (!cs_cuda_check (cudaFuncGetAttributes (&attributes, kernels[i]),
            "load the kernels of statistics", error))
      return FALSE;
  return TRUE;
}
