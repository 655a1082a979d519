/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The painter of discs on words: what it knows, from sums of layers to codes, and
 * the sequential algorithm on what is not proven. */

#include "base/cuda_warp.cuh"
#include "raster_cuda.h"
#include "raster_cuda_ramp.cuh"
#include "raster_cuda_source.cuh"
#include "raster_cuda_words.cuh"

#define WARPS 4
#define THREADS (32 * WARPS)

/* KIND, of templates: what there is beside discs of one colour, by the centre of
 * pixels. Code of what there is not would cost registers. */
#define SMOOTH 1                /* coverage of pixels in part */
#define GRADIENTS 2

/* Discs that a thread looks at in one go, and that the list holds. */
#define PER_LANE 2
#define LIST(kind) ((kind) & GRADIENTS ? 384u : 640u)

/* Discs of so many words of a mask are candidates in one round; where few of
 * them touch a block, those of four times as many, each thread's in one load. */
#define ROUND_WORDS THREADS
#define CANDIDATES (32 * ROUND_WORDS)

#define PIXELS 4

/* More than computing a code, and how far a colour is from it, may be wrong: of
 * numbers up to 255.5, three roundings. */
#define CODE_ERROR 4e-5f

/**
 * Disc:
 * @place: centre, radius squared or, where pixels are covered in part, how far
 *     away coverage becomes 0, how far it may cover pixels
 * @paint: alpha and colour
 */
struct Disc
{
  float4 place, paint;
};

/* What gradients add to discs: kinds are those of ramp_of(). */
template < guint32 N > struct Ramps
{
  Ramp ramps[N];
  guint8 kinds[N];
};

template <> struct Ramps < 0 > {
};

template < int KIND > struct Shared:Ramps < KIND & GRADIENTS ? LIST (KIND) : 0 >
{
  Disc list[LIST (KIND)];
  guint32 counts[WARPS];
  guint16 candidates[CANDIDATES];
  /* of each warp's pixels that are painted again: which, then their codes */
  guint32 again[WARPS][32 * PIXELS];
};

/* Four pixels. Where alphas differ from pixel to pixel, also the sum of what is
 * let through before each layer, and how wrong alphas and colours are, in units
 * of CS_RASTER_UNIT. */
struct Quad
{
  float color[3][PIXELS], through[PIXELS];
  float seen, alpha_error, color_error;
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
  CsGradients gradients;
  guint8 *left_over;
  gint32 width, height, parity, in_place;
} CsRasterLean;

/* --- Codes ---------------------------------------------------------------- */

/* The bound of raster_math.h for all of a warp's pixels, in codes. What is let through
 * before each of the layers on a pixel is at most (1 - least alpha) times that
 * before the layer before it: together at most 1 / least alpha, which computing
 * it raises by less than the 2 %. Where a sum is above 1 it may round by one
 * unit: so each of them counts as one.
 *
 * Where alphas differ from pixel to pixel, the thread has added up what is let
 * through. An alpha that is wrong changes the result by what is let through
 * before it times its error; colours, whose weights add up to at most 1, by
 * theirs. */
template < int KIND > static __device__ __forceinline__ float
bound_of (const Warp & w, const Quad & q)
{
  const float n = (float) w.n_layers;
  /* the quotient, though approximate, is not too small */
  const float through = fminf (n, KIND ? q.seen :
      __fdividef (1.00001f, w.least_alpha));
  float error = 3.f * through + n;

  if (KIND & GRADIENTS)
    error += q.alpha_error * through + q.color_error;
  return 255.f * cs_raster_bound (error) + CODE_ERROR;
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

/* Squares that are at least so much have a root as exact_root() wants them; of
 * those that are less, other than 0, there are none. */
template < int KIND > static __device__ __forceinline__ float
not_zero (float square)
{
  return KIND & SMOOTH ? fmaxf (square, 1e-30f) : square;
}

/* What is left of @alpha at a pixel, whose squared distance is @d2. */
template < int KIND > static __device__ __forceinline__ float
cover_pixel (const Disc & disc, float d2, float alpha)
{
  if (KIND & SMOOTH)
    return alpha *
        __saturatef (disc.place.z - exact_root (not_zero < KIND > (d2)));
  return d2 <= disc.place.z ? alpha : 0.f;
}

/* Alpha and colours of disc number @i of the list at a pixel, whose squared
 * distance is @d2. */
template < int KIND > static __device__ __forceinline__ float4
color_pixel (const CsRasterLean & a, const Shared < KIND > &shared, guint32 i,
    float dx, float dy, float d2)
{
  if constexpr (KIND & GRADIENTS) {
    const unsigned kind = shared.kinds[i];

    if (kind & RAMP_EXACT)
      return ramp_color (a.words, a.gradients, shared.ramps[i], dx, dy);
    if (kind)
      return two_stops_color (a.words, a.gradients, shared.ramps[i], kind,
          shared.list[i].paint, dx, dy, d2);
  }
  return shared.list[i].paint;
}

/* Which discs of the list from @first to @end touch the warp's pixels. */
template < int KIND > static __device__ __forceinline__ unsigned
find_again (const Shared < KIND > &shared, const Warp & w, guint32 first,
    guint32 end)
{
  bool hit = false;

  if (first + w.lane < end) {
    const float4 g = shared.list[first + w.lane].place;

    hit = reaches (make_float4 (g.x, g.y, g.w, 0), w.left, w.top,
        w.left + 15, w.top + 7);
  }
  return __ballot_sync (CS_ALL_LANES, hit);
}

/* The sequential algorithm on one pixel a lane, for all of the list before
 * @end: @p are bounds of what is behind, and then of the result. */
template < int KIND > static __device__ __noinline__ void
paint_again (const Shared < KIND > &shared, const Warp w, guint32 end, float x,
    float y, float p[6])
{
  float low[3], high[3];

  for (int j = 0; j < 3; j++) {
    low[j] = p[j];
    high[j] = p[3 + j];
  }
  for (guint32 first = (end + 31) / 32 * 32; first > 0;) {
    first -= 32;
    for (unsigned hits = find_again < KIND > (shared, w, first, end); hits;) {
      const int bit = 31 - __clz (hits);
      const Disc disc = shared.list[first + bit];
      const float dx = x - disc.place.x, dy = y - disc.place.y;
      const float a = cover_pixel < KIND > (disc, dx * dx + dy * dy,
          disc.paint.x);
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

/* A layer, of alpha and colours multiplied by it, over what is behind. */
static __device__ __forceinline__ void
blend_over (float value[3], const float4 layer)
{
  const float t = 1.f - layer.x;

  value[0] = layer.y + t * value[0];
  value[1] = layer.z + t * value[1];
  value[2] = layer.w + t * value[2];
}

/* The same where colours take longest: lanes i and i + 16 have the same pixel,
 * one the lower bounds and one the upper, and of two discs each computes one.
 * The result is right in the first sixteen lanes. */
template < int KIND > static __device__ __noinline__ void
paint_ramps_again (const CsRasterLean & a, const Shared < KIND > &shared,
    const Warp w, guint32 end, float x, float y, float p[6])
{
  const bool is_upper = w.lane >= 16;
  float value[3];

  for (int j = 0; j < 3; j++)
    value[j] = is_upper ? p[3 + j] : p[j];
  for (guint32 first = (end + 31) / 32 * 32; first > 0;) {
    first -= 32;
    for (unsigned hits = find_again < KIND > (shared, w, first, end); hits;) {
      const int far = 31 - __clz (hits);
      const unsigned others = hits & ~(1u << far);
      const int near = 31 - __clz (others | 1);
      const guint32 i = first + (is_upper ? near : far);
      const Disc & disc = shared.list[i];
      const float dx = x - disc.place.x, dy = y - disc.place.y;
      const float d2 = dx * dx + dy * dy;
      const float4 paint = color_pixel < KIND > (a, shared, i, dx, dy, d2);
      const float alpha = is_upper && !others ? 0 :
          cover_pixel < KIND > (disc, d2, paint.x);
      const float4 own = make_float4 (alpha, alpha * paint.y, alpha * paint.z,
          alpha * paint.w);
      const float4 other = make_float4 (
          __shfl_xor_sync (CS_ALL_LANES, own.x, 16),
          __shfl_xor_sync (CS_ALL_LANES, own.y, 16),
          __shfl_xor_sync (CS_ALL_LANES, own.z, 16),
          __shfl_xor_sync (CS_ALL_LANES, own.w, 16));

      blend_over (value, is_upper ? other : own);
      blend_over (value, is_upper ? own : other);
      hits = others & ~(1u << near);
    }
  }
  for (int j = 0; j < 3; j++) {
    p[j] = value[j];
    p[3 + j] = __shfl_xor_sync (CS_ALL_LANES, value[j], 16);
  }
}

/* Settles pixels in @open, a bit for each of the thread's four: paints them
 * again, a pixel a lane, or for two with gradients, @all: with what is behind
 * all discs. Returns which are not settled; of the others the codes are in
 * @words. */
template < int KIND > static __device__ __noinline__ unsigned
settle_again (const CsRasterLean & a, Shared < KIND > &shared, const Warp w,
    guint32 end, bool all, unsigned open, guint32 words[PIXELS])
{
  const bool by_two = KIND & GRADIENTS;
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
  for (guint32 first = 0; first < n; first += by_two ? 16 : 32) {
    const guint32 at = first + (by_two ? w.lane % 16 : w.lane);
    const bool is_mine = at < n;
    const guint32 which = is_mine ? again[at] : 0;
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
    if constexpr (KIND & GRADIENTS) {
      paint_ramps_again < KIND > (a, shared, w, end, x, y, p);
      /* two lanes have read it */
      __syncwarp ();
    } else {
      paint_again < KIND > (shared, w, end, x, y, p);
    }
    for (int j = 0; j < 3; j++) {
      codes[j] = code_of (p[j]);
      ok &= codes[j] == code_of (p[3 + j]);
    }
    if (is_mine && !(by_two && w.lane >= 16))
      again[at] = pack (codes[0], codes[1], codes[2]) | (ok ? 1u << 24 : 0);
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
