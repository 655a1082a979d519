/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Painting where few marks lie on a pixel: the sequential algorithm, tile by
 * tile. Marks are neither sorted nor prepared as a whole: one pass puts them
 * into tiles, in no order; a block of threads for each tile sorts what it has
 * in shared memory and paints it, farthest first, which needs no proof. */
#include "base/cuda_warp.cuh"
#include "raster_cuda.h"
#include "raster_cuda_prepare.cuh"
#include "raster_cuda_words.cuh"

#define THREADS 256

/* A tile's pixels, each a thread's; a warp's are 8 x 4. */
#define TILE CS_RASTER_TILE
#define WARP_WIDTH 8
#define WARP_HEIGHT 4

/* A mark that touches more tiles than that is not for this way. */
#define MAX_TOUCHED 1024

/* --- Into tiles ----------------------------------------------------------- */

/* Marks for each thread: more of them are under way at once. */
#define SCATTER_EACH 4

/* Up to so many have a warp each, which puts them into 32 tiles at once. */
#define WARP_EACH 32768

struct ScatterArgs
{
  CsRasterPrepare p;
  CsRasterDirectCuda tiles;
  CsRasterCounters *counters;
};

/* The tiles with pixels that @mark may cover; returns how many. */
static __device__ int
tile_range (const ScatterArgs & a, const CsRasterMark & mark, Range * range)
{
  const float reach = mark.radius + mark.half_width +
      (a.tiles.antialias ? .5f : 0.f) + cs_raster_slack (&mark);
  const float ex = mark.x + mark.bx, ey = mark.y + mark.by;
  const float right = a.p.width - 1, bottom = a.p.height - 1;
  const float x0 = fmaxf (ceilf (fminf (mark.x, ex) - reach), 0);
  const float y0 = fmaxf (ceilf (fminf (mark.y, ey) - reach), 0);
  const float x1 = fminf (floorf (fmaxf (mark.x, ex) + reach), right);
  const float y1 = fminf (floorf (fmaxf (mark.y, ey) + reach), bottom);

  if (!(x0 <= x1 && y0 <= y1))
    return 0;
  range->x0 = (int) x0 / TILE;
  range->y0 = (int) y0 / TILE;
  range->x1 = (int) x1 / TILE;
  range->y1 = (int) y1 / TILE;
  return (range->x1 - range->x0 + 1) * (range->y1 - range->y0 + 1);
}

static __device__ __forceinline__ bool
touches_tile (const CsRasterMark & mark, int x, int y)
{
  return cs_raster_touches (&mark, x * TILE, y * TILE, x * TILE + TILE - 1,
      y * TILE + TILE - 1);
}

/* LANES threads, of which this is number @lane, share a mark. */
template < int LANES > static __device__ void
put_into_tiles (const ScatterArgs & a, const CsRasterMark & mark,
    guint64 entry, int lane)
{
  Range range;
  const int n = tile_range (a, mark, &range);

  /* what is not painted this way need not be put anywhere */
  if (n > MAX_TOUCHED ||
      *(const volatile unsigned *) &a.counters->direct_failed) {
    a.counters->direct_failed = 1;
    return;
  }
  for (int i = lane, x = range.x0 + lane, y = range.y0; i < n;
      i += LANES, x += LANES) {
    for (; x > range.x1; x -= range.x1 - range.x0 + 1)
      y++;
    if (n > 2 && !touches_tile (mark, x, y))
      continue;
    const guint32 tile = y * a.tiles.tiles_per_row + x;
    const guint32 slot = atomicAdd (&a.tiles.counts[tile], 1);

    if (slot < a.tiles.room)
      a.tiles.entries[(size_t) tile * a.tiles.room + slot] = entry;
    else
      a.counters->direct_failed = 1;
  }
}

static __device__ __forceinline__ guint64
entry_of (const CsRasterPrepare & p, guint32 i)
{
  return (guint64) (p.depths ? cs_raster_depth_key (p.depths[i]) : i) << 32 | i;
}

static __global__ void __launch_bounds__ (THREADS)
scatter_marks (const __grid_constant__ ScatterArgs a)
{
  const guint32 first = blockIdx.x * (SCATTER_EACH * THREADS) + threadIdx.x;
  CsMark from[SCATTER_EACH];
  guint64 entries[SCATTER_EACH];
  Tally tally = { 0, 0, 0, false };

#pragma unroll
  for (int j = 0; j < SCATTER_EACH; j++) {
    const guint32 i = first + j * THREADS;

    if (i < a.p.n) {
      from[j] = load_mark_as_given (a.p.marks, i);
      entries[j] = entry_of (a.p, i);
    }
  }
#pragma unroll
  for (int j = 0; j < SCATTER_EACH; j++) {
    CsRasterMark mark;

    if (first + j * THREADS >= a.p.n)
      continue;
    if (!cs_raster_prepare (&from[j], a.p.width, a.p.height, &mark)) {
      tally.dropped++;
      continue;
    }
    tally_mark (mark, a.p.width, a.p.height, tally);
    put_into_tiles < 1 > (a, mark, entries[j], 0);
  }
  add_tally (tally, a.counters);
}

/* A warp for each mark. */
static __global__ void __launch_bounds__ (THREADS)
scatter_few (const __grid_constant__ ScatterArgs a)
{
  const guint32 i = blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  Tally tally = { 0, 0, 0, false };
  CsRasterMark mark;

  if (i < a.p.n) {
    const CsMark from = load_mark_as_given (a.p.marks, i);
    const guint64 entry = entry_of (a.p, i);

    if (cs_raster_prepare (&from, a.p.width, a.p.height, &mark)) {
      if (lane == 0)
        tally_mark (mark, a.p.width, a.p.height, tally);
      put_into_tiles < 32 > (a, mark, entry, lane);
    } else {
      tally.dropped = lane == 0;
    }
  }
  add_tally (tally, a.counters);
}

gboolean
cs_raster_cuda_direct_scatter (CsRasterDirectCuda * tiles,
    const CsRasterPrepare * p, CsRasterCounters * counters,
    cudaStream_t stream, GError ** error)
{
  CsCudaCarver carver = { NULL, 0 };
  ScatterArgs args;

  tiles->tiles_per_row = (p->width + TILE - 1) / TILE;
  tiles->tile_rows = (p->height + TILE - 1) / TILE;
  const gsize n = (gsize) tiles->tiles_per_row * tiles->tile_rows;
  do {
    tiles->counts = CS_CUDA_CARVE (&carver, guint32, n);
    tiles->entries = CS_CUDA_CARVE (&carver, guint64, n * tiles->room);
  } while (cs_cuda_carve_again (&carver, &tiles->memory, stream, error));
  if (!carver.base)
    return FALSE;
  args.p = *p;
  args.tiles = *tiles;
  args.counters = counters;
  if (!cs_cuda_check (cudaMemsetAsync (counters, 0, sizeof (*counters),
              stream), "clear counters", error) ||
      !cs_cuda_check (cudaMemsetAsync (tiles->counts, 0,
              n * sizeof (guint32), stream), "clear tiles", error))
    return FALSE;
  if (p->n <= WARP_EACH)
    scatter_few <<< cs_cuda_blocks (p->n, THREADS / 32), THREADS, 0,
        stream >>> (args);
  else
    scatter_marks <<< cs_cuda_blocks (p->n, SCATTER_EACH * THREADS), THREADS,
        0, stream >>> (args);
  return cs_cuda_check (cudaGetLastError (), "put marks into tiles", error);
}

/* --- Sorting a tile's ----------------------------------------------------- */

/* A tile's marks are spread over buckets by how far they are, and those of a
 * bucket count how many come before them; up to FEW, which are most tiles' in
 * most pictures, do so without buckets. */
#define BUCKETS 512
#define FEW 64

/**
 * Shared:
 * @sums: read in wide words, which hold nothing that is written meanwhile
 * @starts: where each bucket begins, and the end of the last
 *
 * And in dynamic shared memory, for each of the tile's marks, @Item.
 */
struct Shared
{
  alignas (16) guint32 sums[THREADS / 32];
  guint32 starts[BUCKETS + 1];
  unsigned least, greatest;
};

/**
 * A mark as a tile paints it.
 * @place: a disc's centre, or of a disc around another mark
 * @size: the radius, squared where all are discs; of what is not one its index,
 *     as bits
 * @reach: of a disc around all that it covers; negative: what is not a disc
 * @paint: alpha and the working colour; where all are discs, 1 - alpha and the
 *     colour multiplied by alpha
 */
struct Item
{
  float4 *geometry, *paint;
};

/* How far back a mark lies, increasing in the order of keys. */
static __device__ __forceinline__ float
position_of (guint32 key, bool has_depths)
{
  if (!has_depths)
    return (float) key;
  const float depth = __uint_as_float (key >> 31 ? key : 0x7fffffffu - key);

  /* NaN is farthest */
  return depth < 1e30f ? fminf (-depth, 1e30f) : -1e30f;
}

/* Where the marks of each thread go; all of the block come here. PER: how many
 * a thread has at most. */
template < int PER > static __device__ __forceinline__ void
rank_many (const guint64 mine[PER], guint32 n, bool has_depths,
    Shared & shared, guint64 * sorted, guint32 rank[PER])
{
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned least = ~0u, greatest = 0;
  guint32 bucket[PER], slot[PER];

  shared.starts[2 * threadIdx.x] = shared.starts[2 * threadIdx.x + 1] = 0;
  if (threadIdx.x == 0) {
    shared.least = ~0u;
    shared.greatest = 0;
  }
  __syncthreads ();
#pragma unroll
  for (int k = 0; k < PER; k++) {
    if (k * THREADS + threadIdx.x < n) {
      least = min (least, (guint32) (mine[k] >> 32));
      greatest = max (greatest, (guint32) (mine[k] >> 32));
    }
  }
  least = cs_warp_min (least);
  greatest = cs_warp_max (greatest);
  if (lane == 0) {
    atomicMin (&shared.least, least);
    atomicMax (&shared.greatest, greatest);
  }
  __syncthreads ();
  const float low = position_of (shared.least, has_depths);
  const float span = position_of (shared.greatest, has_depths) - low;
  const float scale = span > 0 ? BUCKETS / span : 0;

#pragma unroll
  for (int k = 0; k < PER; k++) {
    if (k * THREADS + threadIdx.x < n) {
      const float at = (position_of ((guint32) (mine[k] >> 32), has_depths) -
          low) * scale;

      bucket[k] = (guint32) fminf (fmaxf (at, 0), BUCKETS - 1);
      slot[k] = atomicAdd (&shared.starts[bucket[k]], 1);
    }
  }
  __syncthreads ();
  /* sums of all counts before */
  const guint32 a = shared.starts[2 * threadIdx.x];
  const guint32 b = shared.starts[2 * threadIdx.x + 1];
  guint32 sum = cs_warp_inclusive_sum (a + b);

  if (lane == 31)
    shared.sums[warp] = sum;
  __syncthreads ();
  sum -= a + b;
  for (unsigned w = 0; w < warp; w++)
    sum += shared.sums[w];
  shared.starts[2 * threadIdx.x] = sum;
  shared.starts[2 * threadIdx.x + 1] = sum + a;
  if (threadIdx.x == 0)
    shared.starts[BUCKETS] = n;
  __syncthreads ();
#pragma unroll
  for (int k = 0; k < PER; k++) {
    if (k * THREADS + threadIdx.x < n)
      sorted[shared.starts[bucket[k]] + slot[k]] = mine[k];
  }
  __syncthreads ();
#pragma unroll
  for (int k = 0; k < PER; k++) {
    rank[k] = 0;
    if (k * THREADS + threadIdx.x < n) {
      const guint32 end = shared.starts[bucket[k] + 1];

      rank[k] = shared.starts[bucket[k]];
      for (guint32 j = shared.starts[bucket[k]]; j < end; j++)
        rank[k] += sorted[j] < mine[k];
    }
  }
}

template < int PER > static __device__ __forceinline__ void
rank_entries (const guint64 mine[PER], guint32 n, bool has_depths,
    Shared & shared, guint64 * sorted, guint32 rank[PER])
{
  if (n > FEW) {
    rank_many < PER > (mine, n, has_depths, shared, sorted, rank);
    return;
  }
  if (threadIdx.x < n)
    sorted[threadIdx.x] = mine[0];
  __syncthreads ();
  rank[0] = 0;
  if (threadIdx.x < n) {
    for (guint32 j = 0; j < n; j++)
      rank[0] += sorted[j] < mine[0];
  }
}

/* @words: of a picture that is such */
struct DirectArgs
{
  CsRasterWords words;
  CsRasterFormat format;
  CsRasterDirectCuda tiles;
  const CsMark *marks;
  CsRasterCounters *counters;
  gint32 has_depths, in_place;
};

/* What is painted: plain discs on words, plain discs, anything. */
enum
{
  WORDS, DISCS, ANY
};

/* How far from its centre a disc may cover pixels. */
static __device__ __forceinline__ float
disc_reach (const CsRasterMark & mark, int antialias)
{
  return mark.radius + (antialias ? .5f : 0.f) + cs_raster_slack (&mark);
}

template < int WHAT > static __device__ __forceinline__ void
put_item (const DirectArgs & a, guint32 i, guint32 rank, const Item & items)
{
  const CsMark from = load_mark_as_given (a.marks, i);
  float color[3], alpha, disc[3];
  CsRasterMark mark;

  cs_raster_prepare (&from, a.format.width, a.format.height, &mark);
  alpha = WHAT == WORDS ? word_color (a.words, from.rgba, color) :
      cs_raster_color (&a.format, from.rgba, color);
  if (WHAT != ANY) {
    /* what is not seen at all leaves a pixel as it is */
    items.geometry[rank] = make_float4 (mark.x, mark.y, alpha > 0 ?
        mark.radius * mark.radius : -1, disc_reach (mark, false));
    items.paint[rank] = make_float4 (1.f - alpha, alpha * color[0],
        alpha * color[1], alpha * color[2]);
    return;
  }
  if (is_disc (mark)) {
    items.geometry[rank] = make_float4 (mark.x, mark.y, mark.radius,
        disc_reach (mark, a.format.antialias));
  } else {
    cs_raster_reach (&mark, disc);
    items.geometry[rank] = make_float4 (disc[0], disc[1], __uint_as_float (i),
        -disc[2]);
  }
  items.paint[rank] = make_float4 (alpha, color[0], color[1], color[2]);
}

/* --- Painting ------------------------------------------------------------- */

/* A thread's pixel. */
struct Pixel
{
  int x, y;
  unsigned lane;
  bool is_inside, is_touched;
  float color[4];               /* working colour and alpha */
};

/* The coverage of a pixel by an item of those that are not all plain. */
static __device__ __forceinline__ float
cover_item (const DirectArgs & a, const float4 geometry, float x, float y)
{
  CsRasterMark mark;
  CsRasterShape shape;
  float d2;

  if (geometry.w < 0) {
    const CsMark from = load_mark_as_given (a.marks,
        __float_as_uint (geometry.z));

    cs_raster_prepare (&from, a.format.width, a.format.height, &mark);
  } else {
    mark.x = geometry.x;
    mark.y = geometry.y;
    mark.radius = geometry.z;
    mark.bx = mark.by = mark.half_width = 0;
  }
  cs_raster_shape (&mark, a.format.antialias, &shape);
  if (shape.inv != 0) {
    d2 = cs_raster_distance2 (mark.x, mark.y, mark.bx, mark.by, shape.inv, x,
        y);
  } else {
    const float dx = x - mark.x, dy = y - mark.y;

    d2 = dx * dx + dy * dy;
  }
  return cs_raster_coverage (&shape, mark.radius, mark.half_width,
      a.format.antialias, d2);
}

template < int WHAT > static __device__ __forceinline__ void
paint_item (const DirectArgs & a, const Item & items, guint32 i, Pixel & p)
{
  const float4 geometry = items.geometry[i];
  const float x = p.x, y = p.y;

  if (WHAT == ANY) {
    const float c = cover_item (a, geometry, x, y);
    const float4 paint = items.paint[i];
    const float alpha = paint.x * c, rest = 1.f - alpha;

    if (!(alpha > 0))
      return;
    p.color[0] = alpha * paint.y + rest * p.color[0];
    p.color[1] = alpha * paint.z + rest * p.color[1];
    p.color[2] = alpha * paint.w + rest * p.color[2];
    p.color[3] = alpha + rest * p.color[3];
    p.is_touched = true;
  } else {
    const float dx = x - geometry.x, dy = y - geometry.y;

    if (dx * dx + dy * dy <= geometry.z) {
      const float4 paint = items.paint[i];

      p.color[0] = paint.y + paint.x * p.color[0];
      p.color[1] = paint.z + paint.x * p.color[1];
      p.color[2] = paint.w + paint.x * p.color[2];
      p.is_touched = true;
    }
  }
}

/* All items, farthest first. */
template < int WHAT > static __device__ __forceinline__ void
paint_items (const DirectArgs & a, const Item & items, guint32 n, Pixel & p)
{
  const float left = p.x - (int) (p.lane % WARP_WIDTH);
  const float top = p.y - (int) (p.lane / WARP_WIDTH);

  for (guint32 first = 0; first < n; first += 32) {
    bool hit = false;

    if (first + p.lane < n) {
      const float4 g = items.geometry[first + p.lane];
      const float dx = fmaxf (fmaxf (left - g.x,
              g.x - (left + WARP_WIDTH - 1)), 0);
      const float dy = fmaxf (fmaxf (top - g.y,
              g.y - (top + WARP_HEIGHT - 1)), 0);

      hit = dx * dx + dy * dy <= g.w * g.w;
    }
    for (unsigned hits = __ballot_sync (CS_ALL_LANES, hit); hits;
        hits &= hits - 1)
      paint_item < WHAT > (a, items, first + __ffs (hits) - 1, p);
  }
}

/* The components of a pixel, between 0 and 1. */
static __device__ __forceinline__ void
finish_pixel (const CsRasterFormat & f, Pixel & p)
{
  float same[4];

  if (f.is_plain || !p.is_inside)
    return;
  if (f.has_frame && !p.is_touched) {
    cs_raster_read_components (&f, p.x, p.y, p.color);
    return;
  }
  for (int j = 0; j < 4; j++)
    same[j] = p.color[j];
  cs_raster_finish (&f, p.color, same);
}

/* The mean over the pixels of a chroma sample, for the lane of its first: each
 * row, then the rows. All lanes come here. */
static __device__ __forceinline__ float
mean_of_lanes (const CsRasterFormat & f, const Pixel & p, float v)
{
  const float right = __shfl_down_sync (CS_ALL_LANES, v, 1);
  const bool two = f.sub_x && p.x + 1 < f.width;
  const float sum = two ? v + right : v;
  const float below = __shfl_down_sync (CS_ALL_LANES, sum, WARP_WIDTH);
  const bool rows = f.sub_y && p.y + 1 < f.height;

  return (rows ? sum + below : sum) * ((two ? .5f : 1.f) * (rows ? .5f : 1.f));
}

static __device__ __forceinline__ void
write_pixel (const DirectArgs & a, Pixel & p)
{
  const CsRasterFormat & f = a.format;
  const unsigned touched = __ballot_sync (CS_ALL_LANES, p.is_touched);
  /* of the four that share a chroma sample */
  const unsigned first = p.lane & ~1u & ~(unsigned) WARP_WIDTH;
  const bool stays = a.in_place &&
      !(touched >> first & (3u | 3u << WARP_WIDTH));

  finish_pixel (f, p);
#pragma unroll
  for (int j = 0; j < 4; j++) {
    const bool is_chroma = f.model == CS_PICTURE_YUV && (j == 1 || j == 2);
    const int sub_x = is_chroma ? f.sub_x : 0, sub_y = is_chroma ? f.sub_y : 0;
    float v = p.color[j];

    if (j == 3 ? !f.has_alpha : j >= f.n_components)
      continue;
    if (sub_x || sub_y)
      v = mean_of_lanes (f, p, v);
    if (p.is_inside && !stays && !(sub_x & p.x) && !(sub_y & p.y))
      cs_raster_write (&f, j, p.x >> sub_x, p.y >> sub_y,
          cs_raster_round (f.max, v));
  }
}

/* A word's colours, and the word. */
static __device__ __forceinline__ guint32
read_word (const CsRasterWords & words, Pixel & p)
{
  read_behind (words, p.x, p.y, p.color);
  return *(const guint32 *) (words.out + (size_t) p.y * words.out_row +
      (size_t) p.x * 4);
}

static __device__ __forceinline__ void
write_word (const CsRasterWords & words, const Pixel & p, guint32 old)
{
  *(guint32 *) (words.out + (size_t) p.y * words.out_row + (size_t) p.x * 4) =
      mix_word (old, pack (code_of (p.color[0]), code_of (p.color[1]),
          code_of (p.color[2])));
}

static __device__ __forceinline__ void
begin_pixel (const CsRasterFormat & f, Pixel & p)
{
  const unsigned warp = threadIdx.x / 32;

  p.lane = threadIdx.x % 32;
  p.x = blockIdx.x * TILE + warp % (TILE / WARP_WIDTH) * WARP_WIDTH +
      p.lane % WARP_WIDTH;
  p.y = blockIdx.y * TILE + warp / (TILE / WARP_WIDTH) * WARP_HEIGHT +
      p.lane / WARP_WIDTH;
  p.is_inside = p.x < f.width && p.y < f.height;
  p.is_touched = false;
  p.color[0] = p.color[1] = p.color[2] = p.color[3] = 0;
}

/* Sorts a tile's marks, @n of them, and paints them on the pixel. */
template < int PER, int WHAT > static __device__ __forceinline__ void
paint_tile (const DirectArgs & a, const guint64 * entries, guint32 n,
    unsigned char *dynamic, Shared & shared, Pixel & p)
{
  guint64 *sorted = (guint64 *) dynamic;
  guint64 mine[PER];
  guint32 rank[PER];
  Item items;

  items.geometry = (float4 *) (sorted + PER * THREADS);
  items.paint = items.geometry + PER * THREADS;
#pragma unroll
  for (int k = 0; k < PER; k++) {
    if (k * THREADS + threadIdx.x < n)
      mine[k] = entries[k * THREADS + threadIdx.x];
  }
  rank_entries < PER > (mine, n, a.has_depths, shared, sorted, rank);
#pragma unroll
  for (int k = 0; k < PER; k++) {
    if (k * THREADS + threadIdx.x < n)
      put_item < WHAT > (a, (guint32) mine[k], rank[k], items);
  }
  __syncthreads ();
  paint_items < WHAT > (a, items, n, p);
}

/* PER * THREADS: how much room a tile has. */
template < int PER, bool HAS_WORDS > static __global__ void
__launch_bounds__ (THREADS)
paint_tiles (const __grid_constant__ DirectArgs a)
{
  extern __shared__ __align__ (16) unsigned char dynamic[];
  __shared__ Shared shared;
  const CsRasterFormat & f = a.format;
  const guint32 tile = blockIdx.y * a.tiles.tiles_per_row + blockIdx.x;
  const guint64 *entries = a.tiles.entries + (size_t) tile * (PER * THREADS);
  const guint32 n = a.tiles.counts[tile];
  const bool is_mixed = a.counters->mixed;
  Pixel p;

  if (a.counters->direct_failed || (n == 0 && a.in_place))
    return;
  begin_pixel (f, p);
  if (HAS_WORDS && !is_mixed) {
    const guint32 old = p.is_inside ? read_word (a.words, p) : 0;

    paint_tile < PER, WORDS > (a, entries, n, dynamic, shared, p);
    if (p.is_inside && (p.is_touched || !a.in_place))
      write_word (a.words, p, old);
    return;
  }
  if (p.is_inside)
    p.color[3] = cs_raster_background (&f, p.x, p.y, p.color);
  if (HAS_WORDS || f.antialias || f.has_alpha || is_mixed)
    paint_tile < PER, ANY > (a, entries, n, dynamic, shared, p);
  else
    paint_tile < PER, DISCS > (a, entries, n, dynamic, shared, p);
  write_pixel (a, p);
}

template < int PER > static void
launch_tiles (const DirectArgs & args, bool has_words, cudaStream_t stream)
{
  const dim3 grid (args.tiles.tiles_per_row, args.tiles.tile_rows);
  const size_t size = PER * THREADS * (sizeof (guint64) + 2 * sizeof (float4));

  if (has_words)
    paint_tiles < PER, true > <<< grid, THREADS, size, stream >>> (args);
  else
    paint_tiles < PER, false > <<< grid, THREADS, size, stream >>> (args);
}

gboolean
cs_raster_cuda_direct_paint (const CsRasterDirectCuda * tiles,
    const CsRasterPrepare * p, const CsRasterPaint * paint,
    cudaStream_t stream, GError ** error)
{
  DirectArgs args;
  const bool has_words = !paint->format.antialias &&
      cs_raster_words_init (&args.words, &paint->format);

  args.format = paint->format;
  args.tiles = *tiles;
  args.marks = p->marks;
  args.counters = paint->sorted.counters;
  args.has_depths = p->depths != NULL;
  args.in_place = paint->in_place;
  if (tiles->room <= THREADS)
    launch_tiles < 1 > (args, has_words, stream);
  else if (tiles->room <= 2 * THREADS)
    launch_tiles < 2 > (args, has_words, stream);
  else
    launch_tiles < 4 > (args, has_words, stream);
  return cs_cuda_check (cudaGetLastError (), "paint tiles", error);
}

void
cs_raster_cuda_direct_clear (CsRasterDirectCuda * tiles, cudaStream_t stream)
{
  cs_cuda_scratch_clear (&tiles->memory, stream);
}
