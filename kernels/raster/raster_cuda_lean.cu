/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Painting discs, by the centre of pixels, on codes of 8 bits in words: what is
 * painted most, with as few instructions as it needs. A block of threads paints
 * 32 x 16 pixels, each of its four warps 16 x 8 of them, each thread 2 x 2. The
 * block finds the discs that touch it, some at a time, nearest first, and puts
 * them into one list, which its warps paint until their pixels are proven.
 * Pixels that are not are painted again from the list, farthest first. A warp
 * that cannot do so writes nothing and leaves its pixels to the painter of all
 * marks. */
#include "base/cuda_warp.cuh"
#include "raster_cuda.h"
#include "raster_cuda_source.cuh"
#include "raster_cuda_words.cuh"

#define WIDTH 32
#define HEIGHT 16
#define WARPS 4
#define THREADS (32 * WARPS)

/* Discs that a thread looks at in one go, and that the list holds. */
#define PER_LANE 2
#define LIST 640

/* Discs of so many words of a mask are candidates in one round; where few of
 * them touch a block, those of four times as many, each thread's in one load. */
#define ROUND_WORDS THREADS
#define CANDIDATES (32 * ROUND_WORDS)

/* Sparse: fewer discs of a round are expected to touch a block. */
#define SPARSE_HITS 16.

/* Discs that a warp paints between looks at whether it is done. */
#define CHECK_EVERY 3

/* When so little is let through, pixels that are not proven are painted again;
 * once more when it is still less. */
#define DARK 1e-7f
#define DARKEST 1e-10f

#define PIXELS 4

/* More than computing a code, and how far a colour is from it, may be wrong: of
 * numbers up to 255.5, three roundings. */
#define CODE_ERROR 4e-5f

/* While more is let through, hardly all of a warp's pixels are proven: of its
 * 384 colours some dozens are too near to another code. */
#define HOPELESS (1.f / (255 * 32))

/* Blocks that a multiprocessor has at work at least: 80 registers each. */
#ifndef CS_RASTER_LEAN_BLOCKS
#define CS_RASTER_LEAN_BLOCKS 6
#endif

/**
 * Disc:
 * @place: centre, radius squared, how far it may cover pixels
 * @paint: alpha and colour
 */
struct Disc
{
  float4 place, paint;
};

struct Shared
{
  Disc list[LIST];
  guint32 counts[WARPS];
  guint16 candidates[CANDIDATES];
  /* of each warp's pixels that are painted again: which, then their codes */
  guint32 again[WARPS][32 * PIXELS];
};

struct Quad
{
  float color[3][PIXELS], through[PIXELS];
};

/* What a thread knows of where it is, and what its warp has done. */
struct Warp
{
  float left, top;              /* the first of the warp's pixels */
  int x, y;                     /* the first of the thread's four */
  unsigned lane, warp;
  guint32 next;                 /* in the list */
  guint32 n_layers, since;
  float least_alpha, dark;
  bool is_done, is_lost;        /* proven; its first discs are forgotten */
  bool is_left;                 /* to the painter of all marks */
};

/* What is painted of discs, with masks. */
typedef struct
{
  CsRasterSorted sorted;
  CsRasterWords words;
  guint8 *left_over;
  gint32 width, height, parity, in_place;
} CsRasterLean;

/* --- Codes ---------------------------------------------------------------- */

/* The bound of raster_math.h for all of a warp's pixels, in codes. What is let through
 * before each of the layers on a pixel is at most (1 - least alpha) times that
 * before the layer before it: together at most 1 / least alpha, which computing
 * it raises by less than the 2 %. Where a sum is above 1 it may round by one
 * unit: so each of them counts as one. */
static __device__ __forceinline__ float
bound_of (const Warp & w)
{
  const float n = (float) w.n_layers;
  /* the quotient, though approximate, is not too small */
  const float through = fminf (n, __fdividef (1.00001f, w.least_alpha));

  return 255.f * cs_raster_bound (3.f * through + n) + CODE_ERROR;
}

/* Proves the codes of a pixel, which are then in @word: everything between no
 * light and all light, or, with @behind, a known colour lies behind. How far
 * colours are from their codes tells whether a bound of @e on both sides, in
 * codes, reaches other ones. */
static __device__ __forceinline__ bool
prove (const Quad & q, int i, float e, const float *behind, guint32 * word)
{
  float least = .5f, most = -.5f;
  guint32 codes[3];

#pragma unroll
  for (int j = 0; j < 3; j++) {
    const float v = behind ? q.color[j][i] + q.through[i] * behind[j] :
        q.color[j][i];
    const float magic = 12582912.f;     /* whose unit is 1 */
    const float near = __fmaf_rn (255.f, v, magic);
    const float from = __fmaf_rn (255.f, v, -(near - magic));

    codes[j] = __float_as_uint (near);
    least = fminf (least, from);
    most = fmaxf (most, from);
  }
  *word = pack (codes[0], codes[1], codes[2]);
  if (!behind)
    most = __fmaf_rn (255.f, q.through[i], most);
  return most < .5f - e && least > e - .5f;
}

/* --- From the back -------------------------------------------------------- */

/* The sequential algorithm on one pixel a lane, for all of the list before
 * @end: @p are bounds of what is behind, and then of the result. */
static __device__ __noinline__ void
paint_again (const Shared & shared, const Warp w, guint32 end, float x,
    float y, float p[6])
{
  float low[3], high[3];

  for (int j = 0; j < 3; j++) {
    low[j] = p[j];
    high[j] = p[3 + j];
  }
  for (guint32 first = (end + 31) / 32 * 32; first > 0;) {
    bool hit = false;

    first -= 32;
    if (first + w.lane < end) {
      const float4 g = shared.list[first + w.lane].place;

      hit = reaches (make_float4 (g.x, g.y, g.w, 0), w.left, w.top,
          w.left + 15, w.top + 7);
    }
    for (unsigned hits = __ballot_sync (CS_ALL_LANES, hit); hits;) {
      const int bit = 31 - __clz (hits);
      const Disc disc = shared.list[first + bit];
      const float dx = x - disc.place.x, dy = y - disc.place.y;
      const float a = dx * dx + dy * dy <= disc.place.z ? disc.paint.x : 0.f;
      const float t = 1.f - a;
      const float m[3] = {
        a * disc.paint.y, a * disc.paint.z, a * disc.paint.w
      };

      hits &= ~(1u << bit);
#pragma unroll
      for (int j = 0; j < 3; j++) {
        low[j] = m[j] + t * low[j];
        high[j] = m[j] + t * high[j];
      }
    }
  }
  for (int j = 0; j < 3; j++) {
    p[j] = low[j];
    p[3 + j] = high[j];
  }
}

/* Settles pixels in @open, a bit for each of the thread's four: paints them
 * again, a pixel a lane, @all: with what is behind all discs. Returns which are
 * not settled; of the others the codes are in @words. */
static __device__ __noinline__ unsigned
settle_again (const CsRasterLean & a, Shared & shared, const Warp w,
    guint32 end, bool all, unsigned open, guint32 words[PIXELS])
{
  guint32 *again = shared.again[w.warp];
  guint32 slots[PIXELS], n = 0;

  for (int i = 0; i < PIXELS; i++) {
    const unsigned mask = __ballot_sync (CS_ALL_LANES, open >> i & 1);

    slots[i] = n + cs_lanes_before (mask, w.lane);
    if (open >> i & 1)
      again[slots[i]] = w.lane << 2 | i;
    n += __popc (mask);
  }
  if (w.lane == 0)
    atomicAdd (&a.sorted.counters->replayed[a.parity], (unsigned long long) n);
  __syncwarp ();
  for (guint32 first = 0; first < n; first += 32) {
    const bool is_mine = first + w.lane < n;
    const guint32 which = is_mine ? again[first + w.lane] : 0;
    const int x = (int) w.left + (which >> 2 & 7) * 2 + (which & 1);
    const int y = (int) w.top + (which >> 5) * 2 + (which >> 1 & 1);
    float p[6] = { 0, 0, 0, 1, 1, 1 };
    guint32 codes[3];
    bool ok = true;

    if (all && is_mine) {
      read_behind (a.words, x, y, p);
      for (int j = 0; j < 3; j++)
        p[3 + j] = p[j];
    }
    paint_again (shared, w, end, x, y, p);
    for (int j = 0; j < 3; j++) {
      codes[j] = code_of (p[j]);
      ok &= codes[j] == code_of (p[3 + j]);
    }
    if (is_mine)
      again[first + w.lane] = pack (codes[0], codes[1], codes[2]) |
          (ok ? 1u << 24 : 0);
  }
  __syncwarp ();
  for (int i = 0; i < PIXELS; i++) {
    if (!(open >> i & 1))
      continue;
    const guint32 result = again[slots[i]];

    if (result >> 24) {
      words[i] = result;
      open &= ~(1u << i);
    }
  }
  __syncwarp ();
  return open;
}

/* --- From the front ------------------------------------------------------- */

/* One layer. Contraction is welcome here: the bound holds. */
static __device__ __forceinline__ void
blend (Quad & q, int i, const float4 paint)
{
  const float w = q.through[i] * paint.x;

  q.color[0][i] = __fmaf_rn (w, paint.y, q.color[0][i]);
  q.color[1][i] = __fmaf_rn (w, paint.z, q.color[1][i]);
  q.color[2][i] = __fmaf_rn (w, paint.w, q.color[2][i]);
  q.through[i] -= w;
}

static __device__ __forceinline__ void
paint_disc (const Disc & disc, bool is_full, const Warp & w, Quad & q)
{
  const float4 paint = disc.paint;

  if (is_full) {
#pragma unroll
    for (int i = 0; i < PIXELS; i++)
      blend (q, i, paint);
    return;
  }
  const float4 place = disc.place;
  const float x0 = w.x - place.x, y0 = w.y - place.y;
  const float x1 = w.x + 1.f - place.x, y1 = w.y + 1.f - place.y;
  const float xx0 = x0 * x0, xx1 = x1 * x1, yy0 = y0 * y0, yy1 = y1 * y1;

  if (xx0 + yy0 <= place.z)
    blend (q, 0, paint);
  if (xx1 + yy0 <= place.z)
    blend (q, 1, paint);
  if (xx0 + yy1 <= place.z)
    blend (q, 2, paint);
  if (xx1 + yy1 <= place.z)
    blend (q, 3, paint);
}

/* Whether every pixel is proven, or lets so little through that it is painted
 * again. */
static __device__ __forceinline__ bool
is_enough (const Quad & q, const Warp & w)
{
  const float most = fmaxf (fmaxf (q.through[0], q.through[1]),
      fmaxf (q.through[2], q.through[3]));
  bool ok = true;
  guint32 word;

  if (__any_sync (CS_ALL_LANES, most > HOPELESS))
    return false;
  const float e = bound_of (w);

#pragma unroll
  for (int i = 0; i < PIXELS; i++)
    ok &= prove (q, i, e, NULL, &word) || q.through[i] < w.dark;
  return __all_sync (CS_ALL_LANES, ok);
}

/* Paints what of the list, up to @end, the warp has not painted, until it is
 * enough: then @w.next is where it has stopped. Returns whether it is. */
static __device__ __forceinline__ bool
paint_list (const Shared & shared, guint32 end, Warp & w, Quad & q)
{
  while (w.next < end) {
    const guint32 first = w.next & ~31u;
    bool hit = false, full = false;

    if (first + w.lane >= w.next && first + w.lane < end) {
      const float4 g = shared.list[first + w.lane].place;
      const float x0 = w.left - g.x, x1 = g.x - (w.left + 15);
      const float y0 = w.top - g.y, y1 = g.y - (w.top + 7);
      const float dx = fmaxf (fmaxf (x0, x1), 0);
      const float dy = fmaxf (fmaxf (y0, y1), 0);
      /* to the corner that is farthest */
      const float ex = fmaxf (-x0, -x1), ey = fmaxf (-y0, -y1);

      hit = dx * dx + dy * dy <= g.w * g.w;
      full = ex * ex + ey * ey < g.z * .99999f;
    }
    const unsigned fulls = __ballot_sync (CS_ALL_LANES, full);

    for (unsigned hits = __ballot_sync (CS_ALL_LANES, hit); hits;
        hits &= hits - 1) {
      const int bit = __ffs (hits) - 1;
      const Disc & disc = shared.list[first + bit];

      paint_disc (disc, fulls >> bit & 1, w, q);
      w.least_alpha = fminf (w.least_alpha, disc.paint.x);
      w.n_layers++;
      if (++w.since < CHECK_EVERY)
        continue;
      w.since = 0;
      if (is_enough (q, w)) {
        w.next = first + bit + 1;
        return true;
      }
    }
    w.next = min (first + 32, end);
  }
  return false;
}

/* --- Writing -------------------------------------------------------------- */

/* The codes of the thread's pixels when enough discs are painted, or ALL there
 * are. Returns which are not proven. */
template < bool ALL > static __device__ __forceinline__ unsigned
prove_all (const CsRasterLean & a, const Warp & w, const Quad & q,
    guint32 words[PIXELS])
{
  const float e = bound_of (w);
  unsigned open = 0;

#pragma unroll
  for (int i = 0; i < PIXELS; i++) {
    const int x = w.x + (i & 1), y = w.y + (i >> 1);
    float behind[3] = { 0, 0, 0 };

    if (ALL && x < a.width && y < a.height)
      read_behind (a.words, x, y, behind);
    if (!prove (q, i, e, ALL ? behind : NULL, &words[i]))
      open |= 1u << i;
  }
  return open;
}

/* What a warp does when it has painted enough, or ALL there is: writes its
 * pixels. Returns whether it has. */
template < bool ALL > static __device__ __forceinline__ bool
settle (const CsRasterLean & a, Shared & shared, const Warp & w, const Quad & q)
{
  guint32 words[PIXELS];

  if (ALL && w.n_layers == 0 && a.in_place)
    return true;
  unsigned open = prove_all < ALL > (a, w, q, words);
  if (__any_sync (CS_ALL_LANES, open)) {
    if (!w.is_lost)
      open = settle_again (a, shared, w, w.next, ALL, open, words);
    if (__any_sync (CS_ALL_LANES, open))
      return false;
  }
  write_words (a.words, w.x, w.y, a.width, a.height, words);
  return true;
}

/* --- A block -------------------------------------------------------------- */

/* Paints what is new in the list. */
static __device__ __forceinline__ void
go_on (const CsRasterLean & a, Shared & shared, guint32 end, Warp & w, Quad & q)
{
  while (!w.is_done && paint_list (shared, end, w, q)) {
    w.is_done = settle < false > (a, shared, w, q);
    if (!w.is_done && (w.is_lost || w.dark <= DARKEST))
      w.is_done = w.is_left = true;
    w.dark = DARKEST;
  }
}

static __device__ __forceinline__ void
begin (const CsRasterLean & a, int left, int top, Warp & w, Quad & q)
{
  const int x = left + (int) (threadIdx.x / 32 & 1) * 16;
  const int y = top + (int) (threadIdx.x / 64) * 8;

  w.lane = threadIdx.x % 32;
  w.warp = threadIdx.x / 32;
  w.left = x;
  w.top = y;
  w.x = x + (int) (w.lane & 7) * 2;
  w.y = y + (int) (w.lane >> 3) * 2;
  w.next = w.n_layers = w.since = 0;
  w.least_alpha = 1;
  w.dark = DARK;
  w.is_lost = w.is_left = false;
  w.is_done = x >= a.width || y >= a.height;
#pragma unroll
  for (int i = 0; i < PIXELS; i++) {
    q.color[0][i] = q.color[1][i] = q.color[2][i] = 0;
    q.through[i] = w.x + (i & 1) < a.width && w.y + (i >> 1) < a.height;
  }
}

/* What is not seen at all is put where it touches nothing. */
static __device__ __forceinline__ void
put_disc (const CsRasterLean & a, guint32 at, Disc * disc)
{
  const CsRasterMark mark = load_mark (a.sorted, at);
  float color[3];
  const float alpha = word_color (a.words, mark.rgba, color);

  disc->place = make_float4 (alpha > 0 ? mark.x : 1e30f, mark.y,
      mark.radius * mark.radius, mark.radius + cs_raster_slack (&mark));
  disc->paint = make_float4 (alpha, color[0], color[1], color[2]);
}

/* The discs of a round of a mask's words, of EACH words for each thread, 1 or
 * 4. Returns how many; where there is no room for them, there are none. */
template < int EACH > static __device__ __forceinline__ guint32
find_candidates (const CsRasterLean & a, Shared & shared,
    const guint32 * words, guint32 base)
{
  const guint32 at = base + threadIdx.x * EACH;
  guint32 word[EACH], total, slot, count = 0;

  if (EACH == 4) {
    const uint4 four = at < a.sorted.mask_words ? __ldg ((const uint4 *)
        (words + at)) : make_uint4 (0, 0, 0, 0);

    memcpy (word, &four, sizeof (word));
  } else {
    word[0] = at < a.sorted.mask_words ? __ldg (words + at) : 0;
  }
#pragma unroll
  for (int j = 0; j < EACH; j++)
    count += __popc (word[j]);
  slot = cs_warp_inclusive_sum (count);
  slot += cs_block_count_before < WARPS > (shared.counts,
      __shfl_sync (CS_ALL_LANES, slot, 31), &total) - count;
  if (EACH > 1 && total > CANDIDATES)
    return total;
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    for (; word[j]; word[j] &= word[j] - 1)
      shared.candidates[slot++] = (guint16) (threadIdx.x * (EACH * 32) +
          j * 32 + __ffs (word[j]) - 1);
  }
  __syncthreads ();
  return total;
}

/* Discs that touch the block, of those that it has looked at. */
struct Found
{
  guint32 at[PER_LANE], before, total;
  unsigned masks[PER_LANE];
};

/* Looks at candidates from number @first on; all threads come here. */
static __device__ __forceinline__ void
find (const CsRasterLean & a, Shared & shared, guint32 base, guint32 first,
    guint32 n, int left, int top, Found & found)
{
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned count = 0;

#pragma unroll
  for (int j = 0; j < PER_LANE; j++) {
    const guint32 i = first + warp * (32 * PER_LANE) + j * 32 + lane;

    found.at[j] = i < n ? base * 32 + shared.candidates[i] : ~0u;
  }
#pragma unroll
  for (int j = 0; j < PER_LANE; j++) {
    const bool hit = found.at[j] != ~0u &&
        reaches (__ldg (&a.sorted.reach[found.at[j]]), left, top,
        left + WIDTH - 1, top + HEIGHT - 1);

    found.masks[j] = __ballot_sync (CS_ALL_LANES, hit);
    count += __popc (found.masks[j]);
  }
  found.before = cs_block_count_before < WARPS > (shared.counts, count,
      &found.total);
}

/* Puts those from number @first up to @end of what was found into the list. */
static __device__ __forceinline__ void
put_found (const CsRasterLean & a, const Found & found, guint32 first,
    guint32 end, Disc * list)
{
  const unsigned lane = threadIdx.x % 32;
  guint32 before = found.before;

#pragma unroll
  for (int j = 0; j < PER_LANE; j++) {
    const guint32 slot = before + cs_lanes_before (found.masks[j], lane);

    if ((found.masks[j] >> lane & 1) && slot >= first && slot < end)
      put_disc (a, found.at[j], &list[slot - first]);
    before += __popc (found.masks[j]);
  }
}

/* Paints what was found; @n_list: how many the list has. Returns whether all
 * warps are done. */
static __device__ __forceinline__ bool
paint_found (const CsRasterLean & a, Shared & shared, const Found & found,
    guint32 & n_list, Warp & w, Quad & q)
{
  guint32 done = 0;

  do {
    if (n_list == LIST && done < found.total) {
      n_list = w.next = 0;
      w.is_lost = true;
    }
    const guint32 end = min (found.total, done + LIST - n_list);
    put_found (a, found, done, end, shared.list + n_list);
    n_list += end - done;
    done = end;
    __syncthreads ();
    go_on (a, shared, n_list, w, q);
    if (__syncthreads_and (w.is_done))
      return true;
  } while (done < found.total);
  return false;
}

/* All discs, nearest first, until all warps are done. */
template < int EACH > static __device__ __forceinline__ void
paint_all (const CsRasterLean & a, Shared & shared, int left, int top,
    Warp & w, Quad & q)
{
  const guint32 *words = a.sorted.masks + (size_t) a.sorted.mask_words *
      (top / CS_RASTER_MASK * a.sorted.masks_per_row + left / CS_RASTER_MASK);
  guint32 n_list = 0;

  for (guint32 base = 0; base < a.sorted.mask_words;) {
    guint32 each = EACH;
    guint32 n = find_candidates < EACH > (a, shared, words, base);

    if (EACH > 1 && n > CANDIDATES) {
      each = 1;
      __syncthreads ();
      n = find_candidates < 1 > (a, shared, words, base);
    }
    for (guint32 first = 0; first < n; first += THREADS * PER_LANE) {
      Found found;

      find (a, shared, base, first, n, left, top, found);
      if (paint_found (a, shared, found, n_list, w, q))
        return;
    }
    base += each * THREADS;
    /* candidates, and counts, are read no more */
    __syncthreads ();
  }
}

template < int EACH > static __global__ void
__launch_bounds__ (THREADS, CS_RASTER_LEAN_BLOCKS)
paint_discs (const __grid_constant__ CsRasterLean a)
{
  __shared__ Shared shared;
  /* the upper and the lower border first: at borders discs are fewer, and take
   * longer to find */
  const int row = blockIdx.y & 1 ? gridDim.y - 1 - blockIdx.y / 2 :
      blockIdx.y / 2;
  const int left = blockIdx.x * WIDTH, top = row * HEIGHT;
  Warp w;
  Quad q;

  begin (a, left, top, w, q);
  if (a.sorted.counters->mixed) {
    w.is_left = true;
  } else if (top < a.height) {
    paint_all < EACH > (a, shared, left, top, w, q);
    if (!w.is_done)
      w.is_left = !settle < true > (a, shared, w, q);
  }
  /* as the painter of all marks divides its blocks */
  if (w.is_left && w.lane == 0)
    atomicAdd (&a.sorted.counters->left_over, 1);
  if (w.lane == 0)
    a.left_over[((row / 2) * gridDim.x + blockIdx.x) * (2 * WARPS) +
        (row & 1) * WARPS + w.warp] = w.is_left;
}

gboolean
cs_raster_cuda_lean_fits (const CsRasterFormat * f)
{
  CsRasterWords words;

  return !f->antialias && cs_raster_words_init (&words, f);
}

static gboolean
is_sparse (const CsRasterFormat * f, double area)
{
  const double side = sqrt (area);

  return 32. * ROUND_WORDS * (side + WIDTH) * (side + HEIGHT) <
      SPARSE_HITS * f->width * f->height;
}

gboolean
cs_raster_cuda_lean_paint (const CsRasterPaint * paint, double area,
    guint8 * left_over, cudaStream_t stream, GError ** error)
{
  const CsRasterFormat *f = &paint->format;
  const dim3 grid (cs_cuda_blocks (f->width, WIDTH),
      cs_cuda_blocks (f->height, CS_RASTER_BLOCK) * 2);
  CsRasterLean lean;

  memset (&lean, 0, sizeof (lean));
  cs_raster_words_init (&lean.words, f);
  lean.sorted = paint->sorted;
  lean.left_over = left_over;
  lean.width = f->width;
  lean.height = f->height;
  lean.parity = paint->parity;
  lean.in_place = paint->in_place;
  if (is_sparse (f, area))
    paint_discs < 4 > <<< grid, THREADS, 0, stream >>> (lean);
  else
    paint_discs < 1 > <<< grid, THREADS, 0, stream >>> (lean);
  return cs_cuda_check (cudaGetLastError (), "paint discs", error);
}
