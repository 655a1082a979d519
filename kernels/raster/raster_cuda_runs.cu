/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Painting outlines: many small marks in runs, and fills, in few layers. The
 * sequential algorithm, farthest first, without bounds or proofs. A block of
 * threads paints 32 x 32 pixels, each of its eight warps 16 x 8 of them, each
 * thread 2 x 2. The block puts the marks that touch it into a list, some at a
 * time; each warp takes of these what touches its pixels. The lanes then do not
 * look at all of the warp's pixels for each mark, but share the pixels within
 * the bounds of all marks of a run, one by one: a line about a pixel long covers
 * a dozen. The greatest coverage of each pixel, in shared memory, becomes a
 * layer where the run ends. */
#include "base/cuda_warp.cuh"
#include "raster_cuda.h"
#include "raster_cuda_settle.cuh"
#include "raster_cuda_source.cuh"
#include "raster_cuda_words.cuh"

#define THREADS 256
#define WARPS (THREADS / 32)

/* Pixels of a warp. */
#define WIDTH 16
#define HEIGHT 8

/* Blocks that a multiprocessor has at work at least: 64 registers each; 80 where
 * pictures can be ANY. */
#ifndef CS_RASTER_RUNS_BLOCKS
#define CS_RASTER_RUNS_BLOCKS 4
#endif
#define ANY_BLOCKS 3

/* Words of a mask that a thread looks at in one go, and a block. */
#define PER_LANE 8
#define ROUND_WORDS (THREADS * PER_LANE)

/* FORMAT, of templates: what the picture is. */
#define ANY 0
#define BYTES 1                 /* colours are codes of 8 bits, divided by 255 */
#define WORDS 2                 /* likewise, as raster_cuda_words.cuh has them */

/* @words: of a picture that is such */
typedef struct
{
  CsRasterPaint paint;
  CsRasterWords words;
} RunsArgs;

/**
 * Part:
 * @first: where its pixels begin among those of its run, 13 bits; its first
 *     column and row, 4 bits each; its columns, 5
 * @mark: which in the list, 16 bits; PART_ONE / columns, and a little more
 *
 * The pixels of a warp within a mark's bounds.
 */
struct Part
{
  guint32 first, mark;
};

/* Rows are found without a division: exactly, for a part has at most 128 pixels,
 * and this times what the quotient is more than exact, at most 1, is less than
 * PART_ONE / columns. */
#define PART_SHIFT 12
#define PART_ONE (1 << PART_SHIFT)

/**
 * Shared:
 * @lines: of each mark in the list, farthest first, where it begins, and from
 *     there to its end
 * @shapes: inv, inner, outer and edge, as CsRasterShape has them
 * @sizes: radius and half width
 * @paints: colour and run
 * @bounds: first and last column and row of the block's pixels, a byte each
 * @counts: how many each warp has for the list, or of @words; by turns, so that
 *     all have read the ones before
 * @words: which words of a mask have marks, from the nearest on
 * @cover: of each warp's pixels, a thread's four side by side: coverage by the
 *     run that is being painted, as the bits of a float, which are ordered like it
 * @colors: likewise, for each channel, of pixels that are painted: they would
 *     keep registers that other warps can use
 * @parts: of each warp
 */
template < int FORMAT > struct Shared
{
  static const int CHANNELS = FORMAT == ANY ? 4 : 3;

  float4 lines[THREADS], shapes[THREADS];
  float2 sizes[THREADS];
  uint2 paints[THREADS];
  uchar4 bounds[THREADS];
  guint32 counts[2][WARPS];
  guint16 words[ROUND_WORDS];
  int4 cover[WARPS][32];
  float4 colors[CHANNELS][WARPS][32];
  Part parts[WARPS][32];
};

/**
 * Warp:
 * @x, @y: the first of the thread's pixels
 * @rgba, @run: of what @cover is of
 * @is_pending: whether @cover is not painted yet
 * @touched: which of the thread's pixels are painted, a bit each
 */
struct Warp
{
  int x, y;
  unsigned lane, warp;
  guint32 rgba, run;
  bool is_pending;
  unsigned touched;
};

/* Working colours of four pixels. */
template < int FORMAT > struct __align__ (16) Colors
{
  float v[Shared < FORMAT >::CHANNELS][PIXELS];
};

/* --- The list ------------------------------------------------------------- */

/* The pixels of a block from @start on, a side, that lie from @low to @high.
 * Returns whether there are any. */
static __device__ __forceinline__ bool
find_pixels (float low, float high, float start, unsigned char *first,
    unsigned char *last)
{
  const float from = fmaxf (ceilf (low - start), 0);
  const float to = fminf (floorf (high - start), CS_RASTER_BLOCK - 1);

  /* of what is not there the order of both is not right */
  *first = (unsigned char) fminf (from, CS_RASTER_BLOCK);
  *last = (unsigned char) fmaxf (to, 0);
  return from <= to;
}

/* Whether @mark may cover some of the block's pixels, and which. */
static __device__ __forceinline__ bool
find_bounds (const CsRasterMark & mark, int left, int top, uchar4 * bounds)
{
  const float reach = mark.radius + mark.half_width + .5f +
      cs_raster_slack (&mark);
  const float ex = mark.x + mark.bx, ey = mark.y + mark.by;

  return mark.radius >= 0 && find_pixels (fminf (mark.x, ex) - reach,
      fmaxf (mark.x, ex) + reach, (float) left, &bounds->x, &bounds->y) &&
      find_pixels (fminf (mark.y, ey) - reach, fmaxf (mark.y, ey) + reach,
      (float) top, &bounds->z, &bounds->w);
}

/**
 * Queue:
 * @words: the mask, from the first word of the round on
 * @base: the place of the first mark of the round
 * @left: how many of Shared.words are not looked at yet; the last is the next
 * @turn: of Shared.counts
 *
 * The marks that a block has to look at, in rounds of ROUND_WORDS words of a mask;
 * that of the farthest marks comes first.
 */
struct Queue
{
  const guint32 *words;
  guint32 base, left;
  unsigned turn;
};

/* As cs_block_count_before(), of counts by turns. */
template < int FORMAT > static __device__ __forceinline__ guint32
count_before (Shared < FORMAT > &shared, Queue & q, guint32 count,
    guint32 * total)
{
  return cs_block_count_before < WARPS > (shared.counts[q.turn ^= 1], count,
      total);
}

/* The words of the round that have marks, of @n, a multiple of 4. */
template < int FORMAT > static __device__ __forceinline__ void
find_words (Shared < FORMAT > &shared, Queue & q, guint32 n)
{
  const guint32 first = threadIdx.x * PER_LANE;
  unsigned found = 0;

#pragma unroll
  for (int j = 0; j < PER_LANE; j += 4) {
    const uint4 words = first + j < n ? __ldg ((const uint4 *) (q.words +
            first + j)) : make_uint4 (0, 0, 0, 0);

    found |= ((words.x != 0) | (words.y != 0) << 1 | (words.z != 0) << 2 |
        (words.w != 0) << 3) << j;
  }
  const guint32 sum = cs_warp_inclusive_sum (__popc (found));
  guint32 slot = sum - __popc (found);

  slot += count_before (shared, q, __shfl_sync (CS_ALL_LANES, sum, 31),
      &q.left);
  for (; found; found &= found - 1)
    shared.words[slot++] = (guint16) (first + __ffs (found) - 1);
  __syncthreads ();
}

/* The thread's mark of the next ones, the farthest first. Returns whether there
 * is one. */
template < int FORMAT > static __device__ __forceinline__ bool
find_mark (const Shared < FORMAT > &shared, const Queue & q, guint32 * at)
{
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  if (warp >= q.left)
    return false;
  const guint32 word = shared.words[q.left - 1 - warp];

  *at = q.base + word * 32 + 31 - lane;
  return __ldg (q.words + word) >> (31 - lane) & 1;
}

/* Looks at the next marks, and puts those that touch the block into the list,
 * which has @n, if it has room. Returns whether it has. Called by all threads,
 * which see the new entries after the next barrier. */
template < int FORMAT > static __device__ __forceinline__ bool
list_marks (const CsRasterPaint & a, int left, int top,
    Shared < FORMAT > &shared, Queue & q, guint32 * n)
{
  const unsigned lane = threadIdx.x % 32;
  guint32 slot, total, at;
  CsRasterMark mark;
  CsRasterShape shape;
  uchar4 bounds;
  bool hit = false;

  if (find_mark (shared, q, &at)) {
    mark = load_mark (a.sorted, at);
    hit = find_bounds (mark, left, top, &bounds);
  }
  const unsigned hits = __ballot_sync (CS_ALL_LANES, hit);

  slot = *n + cs_lanes_before (hits, lane) +
      count_before (shared, q, __popc (hits), &total);
  if (*n + total > THREADS)
    return false;
  if (hit) {
    cs_raster_shape (&mark, a.format.antialias, &shape);
    shared.lines[slot] = make_float4 (mark.x, mark.y, mark.bx, mark.by);
    shared.shapes[slot] = make_float4 (shape.inv, shape.inner, shape.outer,
        shape.edge);
    shared.sizes[slot] = make_float2 (mark.radius, mark.half_width);
    shared.paints[slot] = make_uint2 (mark.rgba, mark.run);
    shared.bounds[slot] = bounds;
  }
  *n += total;
  q.left -= min (q.left, WARPS);
  return true;
}

/* --- Layers --------------------------------------------------------------- */

/* What lies behind all marks. */
static __device__ __forceinline__ void
read_pixels (const RunsArgs & a, int x, int y, Colors < WORDS > &colors)
{
  float behind[3] = { 0, 0, 0 };

#pragma unroll
  for (int i = 0; i < PIXELS; i++) {
    if (is_inside (a.paint.format, x + (i & 1), y + (i >> 1)))
      read_behind (a.words, x + (i & 1), y + (i >> 1), behind);
#pragma unroll
    for (int j = 0; j < 3; j++)
      colors.v[j][i] = behind[j];
  }
}

static __device__ __forceinline__ void
read_pixels (const RunsArgs & a, int x, int y, Colors < BYTES > &colors)
{
  const CsRasterFormat & f = a.paint.format;

#pragma unroll
  for (int j = 0; j < 3; j++) {
    const bool is_chroma = f.model == CS_PICTURE_YUV && j > 0;
    const int sub_x = is_chroma ? f.sub_x : 0, sub_y = is_chroma ? f.sub_y : 0;

#pragma unroll
    for (int i = 0; i < PIXELS; i++) {
      const int px = x + (i & 1), py = y + (i >> 1);

      colors.v[j][i] = f.constant[j];
      if (j < f.n_components && f.has_frame && is_inside (f, px, py))
        colors.v[j][i] = cs_raster_byte (f.in[j][(py >> sub_y) * f.in_row[j] +
                (px >> sub_x) * f.in_pixel[j]]);
    }
  }
}

static __device__ __forceinline__ void
read_pixels (const RunsArgs & a, int x, int y, Colors < ANY > &colors)
{
  const CsRasterFormat & f = a.paint.format;

#pragma unroll
  for (int i = 0; i < PIXELS; i++) {
    float behind[4] = { 0, 0, 0, 0 };

    if (is_inside (f, x + (i & 1), y + (i >> 1)))
      behind[3] = cs_raster_background (&f, x + (i & 1), y + (i >> 1), behind);
#pragma unroll
    for (int j = 0; j < 4; j++)
      colors.v[j][i] = behind[j];
  }
}

/* A mark's alpha and its colour, of which the fourth channel is alpha. */
template < int FORMAT > static __device__ __forceinline__ float
find_color (const RunsArgs & a, guint32 rgba, float color[4])
{
  color[3] = 1;
  return FORMAT == WORDS ? word_color (a.words, rgba, color) :
      cs_raster_color (&a.paint.format, rgba, color);
}

/* Colours from shared memory, and to it. */
template < int FORMAT > static __device__ __forceinline__ void
load_colors (const Shared < FORMAT > &shared, const Warp & w,
    Colors < FORMAT > &colors)
{
#pragma unroll
  for (int j = 0; j < shared.CHANNELS; j++)
    *(float4 *) colors.v[j] = shared.colors[j][w.warp][w.lane];
}

template < int FORMAT > static __device__ __forceinline__ void
keep_colors (Shared < FORMAT > &shared, const Warp & w,
    const Colors < FORMAT > &colors)
{
#pragma unroll
  for (int j = 0; j < shared.CHANNELS; j++)
    shared.colors[j][w.warp][w.lane] = *(const float4 *) colors.v[j];
}

/* One layer, of the sequential algorithm. */
template < int FORMAT > static __device__ __forceinline__ void
blend_over (const RunsArgs & a, Shared < FORMAT > &shared,
    const float c[PIXELS], Warp & w)
{
  float color[4];
  const float alpha = find_color < FORMAT > (a, w.rgba, color);
  Colors < FORMAT > colors;
  unsigned touched = 0;

#pragma unroll
  for (int i = 0; i < PIXELS; i++)
    touched |= (alpha * c[i] > 0) << i;
  if (!touched)
    return;
  if (w.touched) {
    load_colors (shared, w, colors);
  } else {
    int x = w.x, y = w.y;

    /* otherwise the compiler computes the addresses before the branch, in all
     * warps */
    asm volatile ("" : "+r" (x), "+r" (y));
    read_pixels (a, x, y, colors);
  }
  w.touched |= touched;
#pragma unroll
  for (int i = 0; i < PIXELS; i++) {
    const float at = alpha * c[i], through = 1.f - at;

#pragma unroll
    for (int j = 0; j < shared.CHANNELS; j++) {
      const float m = at * color[j];

      colors.v[j][i] = m + through * colors.v[j][i];
    }
  }
  keep_colors (shared, w, colors);
}

/* Paints the run that has come to its end; the next finds no coverage. */
template < int FORMAT > static __device__ __forceinline__ void
flush (const RunsArgs & a, Shared < FORMAT > &shared, Warp & w)
{
  int4 *at = &shared.cover[w.warp][w.lane];

  __syncwarp ();
  const int4 cover = *at;

  w.is_pending = false;
  if (cover.x | cover.y | cover.z | cover.w) {
    const float c[PIXELS] = {
      __int_as_float (cover.x), __int_as_float (cover.y),
      __int_as_float (cover.z), __int_as_float (cover.w)
    };

    *at = make_int4 (0, 0, 0, 0);
    blend_over (a, shared, c, w);
  }
  __syncwarp ();
}

/* --- Runs ----------------------------------------------------------------- */

/* The coverage of one of the warp's pixels by a mark of the list. */
template < int FORMAT > static __device__ __forceinline__ void
cover_pixel (const CsRasterPaint & a, Shared < FORMAT > &shared, unsigned warp,
    unsigned mark, int column, int row, float x, float y)
{
  const float4 line = shared.lines[mark], s = shared.shapes[mark];
  const float2 size = shared.sizes[mark];
  const CsRasterShape shape = { s.x, s.y, s.z, s.w };
  const float c = cs_raster_coverage (&shape, size.x, size.y,
      a.format.antialias, cs_raster_distance2 (line.x, line.y, line.z, line.w,
          s.x, x, y));
  const int thread = (row >> 1) * (WIDTH / 2) + (column >> 1);
  int *cover = (int *) &shared.cover[warp][thread] + (row & 1) * 2 +
      (column & 1);

  if (c > 0)
    atomicMax (cover, __float_as_int (c));
}

/* Covers pixels by marks of one run: those of the lanes in @lanes, of which
 * each has @n pixels in @part. */
template < int FORMAT > static __device__ __forceinline__ void
cover_run (const RunsArgs & a, Shared < FORMAT > &shared, unsigned lanes,
    guint32 n, Part part, const Warp & w)
{
  const bool is_mine = lanes >> w.lane & 1;
  const guint32 end = cs_warp_inclusive_sum (is_mine ? n : 0);
  const guint32 first = end - n, total = __shfl_sync (CS_ALL_LANES, end, 31);
  Part *parts = shared.parts[w.warp];
  guint32 before = 0;

  if (is_mine) {
    part.first |= first;
    parts[cs_lanes_before (lanes, w.lane)] = part;
  }
  __syncwarp ();
  for (guint32 base = 0; base < total; base += 32) {
    const guint32 i = base + w.lane;
    /* where parts begin: each lane's is that of the last before it */
    const guint32 begins = cs_warp_or (is_mine && first - base < 32 ?
        1u << (first - base) : 0);

    if (i < total) {
      const Part p = parts[before + __popc (begins & ((2u << w.lane) - 1)) - 1];
      const guint32 k = i - (p.first & 8191);
      const int row = k * (p.mark >> 16) >> PART_SHIFT;
      const int column = (p.first >> 13 & 15) + k - row * (p.first >> 21);
      const int y = (p.first >> 17 & 15) + row;

      cover_pixel (a.paint, shared, w.warp, p.mark & 0xffff, column, y,
          (float) (w.x - (int) (w.lane & 7) * 2 + column),
          (float) (w.y - (int) (w.lane >> 3) * 2 + y));
    }
    before += __popc (begins);
  }
  /* the parts are read */
  __syncwarp ();
}

/* Whether a fill has something within the warp's pixels, which are of one tile
 * of fills. */
static __device__ __forceinline__ bool
fill_touches (const RunsArgs & a, guint32 run, const Warp & w)
{
  const CsFillCuda & fills = a.paint.fills;

  return cs_fill_cell (&fills.regions[run & ~CS_FILL_RUN], fills.cells,
      w.x / CS_FILL_TILE, w.y / CS_FILL_TILE) != CS_FILL_EMPTY;
}

/* The pixels of mark @i of the list within the warp's, in @part, and how many
 * they are. */
template < int FORMAT > static __device__ __forceinline__ guint32
find_part (const Shared < FORMAT > &shared, unsigned i, const Warp & w,
    Part * part)
{
  const uchar4 b = shared.bounds[i];
  const int column = (w.warp & 1) * WIDTH, row = (w.warp >> 1) * HEIGHT;
  const int x0 = max ((int) b.x - column, 0);
  const int x1 = min ((int) b.y - column, WIDTH - 1);
  const int y0 = max ((int) b.z - row, 0);
  const int y1 = min ((int) b.w - row, HEIGHT - 1);
  const int columns = x1 - x0 + 1, rows = y1 - y0 + 1;

  if (columns <= 0 || rows <= 0)
    return 0;
  part->first = x0 << 13 | y0 << 17 | columns << 21;
  part->mark = i | ((guint32) __fdividef (PART_ONE, columns) + 1) << 16;
  return columns * rows;
}

/* The coverage by a fill, as if by a run of its own. */
template < int FORMAT > static __device__ __forceinline__ void
cover_fill (const RunsArgs & a, Shared < FORMAT > &shared, guint32 run,
    const Warp & w)
{
  float c[PIXELS];

  fill_cover (a.paint, run, w.x, w.y, c);
  shared.cover[w.warp][w.lane] = make_int4 (__float_as_int (c[0]),
      __float_as_int (c[1]), __float_as_int (c[2]), __float_as_int (c[3]));
}

/* Paints what touches the warp's pixels of 32 marks of the list; the run of the
 * last one is left pending, unless @is_last. There is one place for painting a
 * run, which is long. */
template < int FORMAT > static __device__ __forceinline__ void
paint_marks (const RunsArgs & a, Shared < FORMAT > &shared, unsigned first,
    unsigned total, bool is_last, Warp & w)
{
  uint2 paint = make_uint2 (0, 0);
  Part part = { 0, 0 };
  guint32 n = 0;

  if (first + w.lane < total) {
    n = find_part (shared, first + w.lane, w, &part);
    paint = shared.paints[first + w.lane];
    if (n > 0 && (paint.y & CS_FILL_RUN) && !fill_touches (a, paint.y, w))
      n = 0;
  }
  for (unsigned hits = __ballot_sync (CS_ALL_LANES, n > 0); hits || is_last;) {
    const int lead = __ffs (hits) - 1;
    const guint32 run = __shfl_sync (CS_ALL_LANES, paint.y, lead & 31);
    unsigned same = 1u << lead;

    if (w.is_pending && (!hits || run != w.run || (run & CS_FILL_RUN)))
      flush (a, shared, w);
    if (!hits)
      break;
    w.rgba = __shfl_sync (CS_ALL_LANES, paint.x, lead);
    w.run = run;
    w.is_pending = true;
    if (run & CS_FILL_RUN) {
      cover_fill (a, shared, run, w);
    } else {
      same = __ballot_sync (CS_ALL_LANES, n > 0 && paint.y == run);
      cover_run (a, shared, same, n, part, w);
    }
    hits &= ~same;
  }
}

/* --- Blocks --------------------------------------------------------------- */

template < int FORMAT > static __device__ __forceinline__ void
begin (int left, int top, Shared < FORMAT > &shared, Warp & w)
{
  w.lane = threadIdx.x % 32;
  w.warp = threadIdx.x / 32;
  w.x = left + (int) (w.warp & 1) * WIDTH + (int) (w.lane & 7) * 2;
  w.y = top + (int) (w.warp >> 1) * HEIGHT + (int) (w.lane >> 3) * 2;
  w.is_pending = false;
  w.rgba = w.run = w.touched = 0;
  shared.cover[w.warp][w.lane] = make_int4 (0, 0, 0, 0);
}

/* Writes the thread's pixels. */
static __device__ __forceinline__ void
write_pixels (const RunsArgs & a, const Warp & w,
    const Colors < WORDS > &colors)
{
  guint32 words[PIXELS];

#pragma unroll
  for (int i = 0; i < PIXELS; i++)
    words[i] = pack (code_of (colors.v[0][i]), code_of (colors.v[1][i]),
        code_of (colors.v[2][i]));
  write_words (a.words, w.x, w.y, a.paint.format.width, a.paint.format.height,
      words);
}

static __device__ __forceinline__ void
write_pixels (const RunsArgs & a, const Warp & w,
    const Colors < BYTES > &colors)
{
  CsRasterFormat f = a.paint.format;

  /* as it is: not looked at for each sample then */
  f.wide = f.shift = 0;
  f.max = 255;
#pragma unroll
  for (int j = 0; j < 3; j++) {
    const bool is_chroma = f.model == CS_PICTURE_YUV && j > 0;
    int codes[PIXELS];

    if (j >= f.n_components)
      continue;
    /* both bounds are the colour */
    prove (f, w.x, w.y, is_chroma, colors.v[j], colors.v[j], codes);
    write_codes (f, w.x, w.y, j, is_chroma, codes);
  }
}

static __device__ __forceinline__ void
write_pixels (const RunsArgs & a, const Warp & w, const Colors < ANY > &colors)
{
  Bounds b;

#pragma unroll
  for (int i = 0; i < PIXELS; i++) {
#pragma unroll
    for (int j = 0; j < 4; j++)
      b.low[j][i] = b.high[j][i] = colors.v[j][i];
  }
  b.touched = w.touched;
  settle (a.paint.format, w.x, w.y, b);
}

/* Paints what is left in the queue; after the last round nothing is pending. All
 * threads come here. */
template < int FORMAT > static __device__ __forceinline__ void
paint_queue (const RunsArgs & a, int left, int top,
    Shared < FORMAT > &shared, Queue & q, Warp & w)
{
  do {
    guint32 n = 0, first = 0;

    while (q.left > 0 && list_marks (a.paint, left, top, shared, q, &n));
    __syncthreads ();
    const bool is_last = q.base == 0 && q.left == 0;
    do {
      paint_marks (a, shared, first, n, is_last && first + 32 >= n, w);
      first += 32;
    } while (first < n);
    /* the list is read */
    if (!is_last)
      __syncthreads ();
  } while (q.left > 0);
}

/* Paints all marks of the block's pixels, farthest first. */
template < int FORMAT > static __device__ __forceinline__ void
paint_all (const RunsArgs & a, int left, int top, Shared < FORMAT > &shared,
    Warp & w)
{
  const CsRasterSorted & sorted = a.paint.sorted;
  const guint32 *words = sorted.masks + (size_t) sorted.mask_words *
      (top / CS_RASTER_BIN * sorted.masks_per_row + left / CS_RASTER_BIN);
  guint32 end = sorted.mask_words;
  Queue q;

  q.turn = 0;
  do {
    const guint32 first = (end - 1) / ROUND_WORDS * ROUND_WORDS;

    q.words = words + first;
    q.base = first * 32;
    find_words (shared, q, end - first);
    paint_queue (a, left, top, shared, q, w);
    end = q.base / 32;
  } while (end > 0);
}

template < int FORMAT > static __global__ void
__launch_bounds__ (THREADS, FORMAT == ANY ? ANY_BLOCKS : CS_RASTER_RUNS_BLOCKS)
paint_runs (const __grid_constant__ RunsArgs a)
{
  __shared__ Shared < FORMAT > shared;
  const CsRasterPaint & p = a.paint;
  const int left = blockIdx.x * CS_RASTER_BLOCK;
  const int top = blockIdx.y * CS_RASTER_BLOCK;
  Colors < FORMAT > colors;
  Warp w;

  if (threadIdx.x == 0 && blockIdx.x == 0 && blockIdx.y == 0)
    p.sorted.counters->replayed[p.parity ^ 1] = 0;
  begin (left, top, shared, w);
  paint_all (a, left, top, shared, w);
  if (!is_inside (p.format, w.x, w.y) || (!w.touched && p.in_place))
    return;
  if (w.touched)
    load_colors (shared, w, colors);
  else
    read_pixels (a, w.x, w.y, colors);
  write_pixels (a, w, colors);
}

gboolean
cs_raster_cuda_runs_paint (const CsRasterPaint * paint, cudaStream_t stream,
    GError ** error)
{
  const CsRasterFormat *f = &paint->format;
  const dim3 grid (cs_cuda_blocks (f->width, CS_RASTER_BLOCK),
      cs_cuda_blocks (f->height, CS_RASTER_BLOCK));
  RunsArgs args;

  memset (&args, 0, sizeof (args));
  args.paint = *paint;
  if (cs_raster_words_init (&args.words, f))
    paint_runs < WORDS > <<< grid, THREADS, 0, stream >>> (args);
  else if (f->is_plain && !f->wide && f->max == 255)
    paint_runs < BYTES > <<< grid, THREADS, 0, stream >>> (args);
  else
    paint_runs < ANY > <<< grid, THREADS, 0, stream >>> (args);
  return cs_cuda_check (cudaGetLastError (), "paint runs", error);
}
