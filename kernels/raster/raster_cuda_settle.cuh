/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Four pixels of the painter of all marks: how marks cover them, layers, and
 * from bounds to codes. */

#include "raster_cuda.h"

/* A mark with all that can be computed once for many pixels. 64 bytes. */
struct Staged
{
  float x, y, inner, outer;
  float alpha, color[3];
  float bx, by, inv, edge;
  float radius, half_width;
  guint32 at, run;
};

/* Four pixels: (0, 0), (1, 0), (0, 1), (1, 1). */
#define PIXELS 4

/* Sums of the layers so far; what is behind all marks is added at the end. */
struct Quad
{
  float color[3][PIXELS], through[PIXELS], error[PIXELS];
};

/* --- Coverage ------------------------------------------------------------- */

static __device__ __forceinline__ float
cover_at (const Staged * s, float d2, int antialias)
{
  CsRasterShape shape;

  shape.inner = s->inner;
  shape.outer = s->outer;
  shape.edge = s->edge;
  return cs_raster_coverage (&shape, s->radius, s->half_width, antialias, d2);
}

/* The coverage of the four pixels. */
static __device__ __forceinline__ void
cover (const Staged * s, int antialias, float px, float py, float c[PIXELS])
{
  const float4 q = *(const float4 *) &s->x;
  const float x0 = px - q.x, y0 = py - q.y;
  const float x1 = px + 1.f - q.x, y1 = py + 1.f - q.y;
  float d2[PIXELS];
  bool at_edge = false;

  if (s->inv != 0) {
    d2[0] = cs_raster_distance2 (q.x, q.y, s->bx, s->by, s->inv, px, py);
    d2[1] = cs_raster_distance2 (q.x, q.y, s->bx, s->by, s->inv, px + 1.f, py);
    d2[2] = cs_raster_distance2 (q.x, q.y, s->bx, s->by, s->inv, px, py + 1.f);
    d2[3] = cs_raster_distance2 (q.x, q.y, s->bx, s->by, s->inv, px + 1.f,
        py + 1.f);
  } else {
    const float xx0 = x0 * x0, xx1 = x1 * x1, yy0 = y0 * y0, yy1 = y1 * y1;

    d2[0] = xx0 + yy0;
    d2[1] = xx1 + yy0;
    d2[2] = xx0 + yy1;
    d2[3] = xx1 + yy1;
  }
#pragma unroll
  for (int i = 0; i < PIXELS; i++)
    c[i] = d2[i] <= q.z ? 1.f : 0.f;
  /* without antialiasing, only rings need the root */
  if (!antialias && q.z >= 0)
    return;
#pragma unroll
  for (int i = 0; i < PIXELS; i++)
    at_edge |= d2[i] > q.z && d2[i] <= q.w;
  if (at_edge) {
#pragma unroll
    for (int i = 0; i < PIXELS; i++)
      c[i] = cover_at (s, d2[i], antialias);
  }
}

static __device__ void
ink_cover (const CsRasterPaint & a, int x, int y, float c[PIXELS])
{
  const bool is_there = x < a.format.width && y < a.format.height &&
      a.ink.blocks[(size_t) (y / CS_INK_BLOCK) * a.ink.blocks_per_row +
          x / CS_INK_BLOCK];

#pragma unroll
  for (int i = 0; i < PIXELS; i++) {
    const int px = x + (i & 1), py = y + (i >> 1);

    c[i] = 0;
    if (is_there && px < a.format.width && py < a.format.height)
      c[i] = cs_raster_ink_alpha (&a.ink,
          a.ink.pixels[(size_t) py * a.ink.width + px], a.format.antialias);
  }
}

/* Four pixels of one tile. */
static __device__ __forceinline__ void
fill_cover (const CsRasterPaint & a, guint32 run, int x, int y, float c[PIXELS])
{
  const CsFillRegion *region = &a.fills.regions[run & ~CS_FILL_RUN];
  const guint32 cell = cs_fill_cell (region, a.fills.cells,
      x / CS_FILL_TILE, y / CS_FILL_TILE);
  const guint16 *packed = a.fills.packed +
      (size_t) (cell - CS_FILL_BLOCK) * CS_FILL_TILE_PIXELS +
      y % CS_FILL_TILE * CS_FILL_TILE + x % CS_FILL_TILE;

#pragma unroll
  for (int i = 0; i < PIXELS; i++) {
    if (cell < CS_FILL_BLOCK)
      c[i] = cell == CS_FILL_FULL ? 1.f : 0.f;
    else
      c[i] = cs_fill_coverage (packed[(i >> 1) * CS_FILL_TILE + (i & 1)],
          a.format.antialias);
  }
}

/* --- Blending ------------------------------------------------------------- */

/* The colour of a layer, the same for all pixels; GradientColors has one for
 * each. */
struct OneColor
{
  float alpha;
  const float *color;

  /* a channel, the fourth is alpha, for a pixel */
  __device__ __forceinline__ float at (int j, int) const
  {
    return j < 3 ? color[j] : alpha;
  }
};

/* One layer from the front. Contraction is welcome here: the bound holds. */
template < typename Color > static __device__ __forceinline__ void
blend (Quad & q, const float c[PIXELS], const Color & color)
{
#pragma unroll
  for (int i = 0; i < PIXELS; i++) {
    const float a = color.at (3, i) * c[i];
    const float t = q.through[i], w = t * a;

    q.error[i] += a > 0 ? __fmaf_rn (3.f, t, .5f) : 0.f;
    q.color[0][i] = __fmaf_rn (w, color.at (0, i), q.color[0][i]);
    q.color[1][i] = __fmaf_rn (w, color.at (1, i), q.color[1][i]);
    q.color[2][i] = __fmaf_rn (w, color.at (2, i), q.color[2][i]);
    q.through[i] = t - w;
  }
}

/* --- From bounds to codes ------------------------------------------------- */

static __device__ __forceinline__ bool
is_inside (const CsRasterFormat & f, int x, int y)
{
  return x < f.width && y < f.height;
}

/* The mean over the pixels of a chroma sample of component bounds @v, for the
 * sample whose first pixel is @i: each row, then the rows. */
static __device__ __forceinline__ float
mean (const CsRasterFormat & f, int x, int y, const float v[PIXELS], int i)
{
  const bool two = f.sub_x && x + 1 < f.width;
  const bool rows = f.sub_y && y + 1 < f.height;
  float sum = v[i];
  float n = 1;

  if (f.sub_x && two) {
    sum += v[i | 1];
    n = .5f;
  }
  if (rows) {
    sum += f.sub_x && two ? v[2] + v[3] : v[(i & 1) | 2];
    n *= .5f;
  }
  return sum * n;
}

/* Codes of one component of the four pixels from bounds; -1 where they differ,
 * and nothing where there is no sample. Returns whether all are proven. */
static __device__ __forceinline__ bool
prove (const CsRasterFormat & f, int x, int y, bool is_chroma,
    const float low[PIXELS], const float high[PIXELS], int codes[PIXELS])
{
  bool ok = true;

#pragma unroll
  for (int i = 0; i < PIXELS; i++) {
    float l = low[i], h = high[i];

    if (!is_inside (f, x + (i & 1), y + (i >> 1)))
      continue;
    if (is_chroma && (f.sub_x || f.sub_y)) {
      if ((f.sub_x && (i & 1)) || (f.sub_y && (i & 2)))
        continue;
      l = mean (f, x, y, low, i);
      h = mean (f, x, y, high, i);
    }
    codes[i] = cs_raster_round (f.max, l);
    ok &= codes[i] == cs_raster_round (f.max, h);
  }
  return ok;
}

static __device__ __forceinline__ void
write_codes (const CsRasterFormat & f, int x, int y, int component,
    bool is_chroma, const int codes[PIXELS])
{
  const int sub_x = is_chroma ? f.sub_x : 0, sub_y = is_chroma ? f.sub_y : 0;

#pragma unroll
  for (int i = 0; i < PIXELS; i++) {
    if (!is_inside (f, x + (i & 1), y + (i >> 1)) || (sub_x && (i & 1)) ||
        (sub_y && (i & 2)))
      continue;
    cs_raster_write (&f, component, (x + (i & 1)) >> sub_x,
        (y + (i >> 1)) >> sub_y, codes[i]);
  }
}

/* Bounds of the working colours and alpha of four pixels. */
struct Bounds
{
  float low[4][PIXELS], high[4][PIXELS];
  unsigned touched;
};

/* Writes the four pixels if bounds give the same codes. Formats with alpha or
 * light, for which there is more to compute than to move. */
static __device__ __noinline__ bool
settle (const CsRasterFormat & f, int x, int y, Bounds & b)
{
  int codes[4][PIXELS];
  bool ok = true;

  if (!f.is_plain) {
    for (int i = 0; i < PIXELS; i++) {
      const int px = x + (i & 1), py = y + (i >> 1);
      float low[4], high[4];

      if (!is_inside (f, px, py))
        continue;
      if (f.has_frame && !(b.touched >> i & 1)) {
        cs_raster_read_components (&f, px, py, low);
        for (int j = 0; j < 4; j++)
          high[j] = low[j];
      } else {
        for (int j = 0; j < 4; j++) {
          low[j] = b.low[j][i];
          high[j] = b.high[j][i];
        }
        cs_raster_finish (&f, low, high);
      }
      for (int j = 0; j < 4; j++) {
        b.low[j][i] = low[j];
        b.high[j][i] = high[j];
      }
    }
  }
  for (int j = 0; j < 4; j++) {
    const bool is_chroma = f.model == CS_PICTURE_YUV && (j == 1 || j == 2);

    if (j == 3 ? f.has_alpha : j < f.n_components)
      ok &= prove (f, x, y, is_chroma, b.low[j], b.high[j], codes[j]);
  }
  if (!ok)
    return false;
  for (int j = 0; j < 4; j++) {
    const bool is_chroma = f.model == CS_PICTURE_YUV && (j == 1 || j == 2);

    if (j == 3 ? f.has_alpha : j < f.n_components)
      write_codes (f, x, y, j, is_chroma, codes[j]);
  }
  return true;
}

static __device__ __forceinline__ void
bound_pixel (const Quad & q, int i, const float *behind, Bounds & b)
{
  const float t = q.through[i];
  float e = cs_raster_bound (q.error[i]);

  if (q.color[0][i] > 1 || q.color[1][i] > 1 || q.color[2][i] > 1)
    e *= 2;
  for (int j = 0; j < 4; j++) {
    const float c = j < 3 ? q.color[j][i] : 1 - t;

    if (behind && !(q.error[i] > 0)) {
      b.low[j][i] = b.high[j][i] = behind[j];
    } else {
      const float sum = behind ? c + t * behind[j] : c;

      b.low[j][i] = fmaxf (sum - e, 0);
      b.high[j][i] = fminf ((behind ? sum : c + t) + e, 1);
    }
  }
  if (q.error[i] > 0)
    b.touched |= 1u << i;
}

/* Tries to prove and write the four pixels; @is_last: all marks are painted. */
static __device__ __noinline__ bool
settle_quad (const CsRasterFormat & f, int x, int y, const Quad & q,
    bool is_last)
{
  Bounds b;

  b.touched = 0;
  for (int i = 0; i < PIXELS; i++) {
    float behind[4];

    if (is_last && is_inside (f, x + (i & 1), y + (i >> 1)))
      behind[3] = cs_raster_background (&f, x + (i & 1), y + (i >> 1), behind);
    bound_pixel (q, i, is_last ? behind : NULL, b);
  }
  return settle (f, x, y, b);
}

/* One component of what lies behind four pixels, for plain formats. */
static __device__ __forceinline__ void
read_plain (const CsRasterFormat & f, int x, int y, int j, float behind[PIXELS])
{
  const bool is_chroma = f.model == CS_PICTURE_YUV && j > 0;
  const int sub_x = is_chroma ? f.sub_x : 0, sub_y = is_chroma ? f.sub_y : 0;

#pragma unroll
  for (int i = 0; i < PIXELS; i++) {
    const int px = x + (i & 1), py = y + (i >> 1);

    behind[i] = f.constant[j];
    if (f.has_frame && is_inside (f, px, py))
      behind[i] = cs_raster_sample (&f, f.in[j] + (py >> sub_y) * f.in_row[j] +
          (px >> sub_x) * f.in_pixel[j]);
  }
}

/* The same for codes that are painted as they are, in registers. */
template < bool LAST > static __device__ __forceinline__ bool
settle_plain (const CsRasterFormat & f, int x, int y, const Quad & q)
{
  int codes[3][PIXELS];
  float low[PIXELS], high[PIXELS], e[PIXELS];
  bool ok = true;

#pragma unroll
  for (int i = 0; i < PIXELS; i++) {
    e[i] = cs_raster_bound (q.error[i]);
    if (q.color[0][i] > 1 || q.color[1][i] > 1 || q.color[2][i] > 1)
      e[i] *= 2;
    if (LAST && !(q.error[i] > 0))
      e[i] = 0;
  }
#pragma unroll
  for (int j = 0; j < 3; j++) {
    float behind[PIXELS];

    if (j >= f.n_components)
      continue;
    if (LAST)
      read_plain (f, x, y, j, behind);
#pragma unroll
    for (int i = 0; i < PIXELS; i++) {
      const float c = q.color[j][i], t = q.through[i];
      const float least = LAST ? c + t * behind[i] : c;
      const float most = LAST ? least : c + t;

      low[i] = fmaxf (least - e[i], 0);
      high[i] = fminf (most + e[i], 1);
    }
    ok &= prove (f, x, y, f.model == CS_PICTURE_YUV && j > 0, low, high,
        codes[j]);
  }
  if (!ok)
    return false;
#pragma unroll
  for (int j = 0; j < 3; j++) {
    if (j < f.n_components)
      write_codes (f, x, y, j, f.model == CS_PICTURE_YUV && j > 0, codes[j]);
  }
  return true;
}
