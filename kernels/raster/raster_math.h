/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The arithmetic of the tile engine, the same bits on the CPU and the GPU:
 * compile without contraction, with exact division and square root.
 *
 * A pixel's colour while marks are painted is its *working* colour: three
 * channels (one for gray) between 0 and 1, multiplied by alpha if the picture
 * has alpha:
 *   RGB         codes divided by the greatest code
 *   YUV, gray   likewise, so that marks' colours are converted once each
 *   linear RGB  linear light, from a table with an entry for each code
 *   linear YUV  linear light of red, green and blue in 16 bits
 *   linear gray linear light of luma in 16 bits
 * Finishing turns a working colour into components between 0 and 1, which
 * are averaged where chroma is subsampled, multiplied by the greatest code and
 * rounded.
 *
 * Everything from a working colour to a code is monotone, also after rounding:
 * that is what proves a pixel whose colour is only known to lie between two
 * bounds. Finishing therefore takes bounds, and gives them.
 */

#include <math.h>

#include <glib.h>

#include "raster.h"

#ifdef __CUDACC__
#define CS_RASTER_FN static __host__ __device__ __forceinline__
#else
#define CS_RASTER_FN static inline
#endif

/* for functions that are shorter than a call of them */
#ifdef __CUDACC__
#define CS_RASTER_SMALL_FN CS_RASTER_FN
#else
#define CS_RASTER_SMALL_FN static inline __attribute__ ((always_inline))
#endif

/* Half a unit in the last place of 1: the relative error of one rounding. */
#define CS_RASTER_UNIT (1.f / 16777216.f)

/* A pixel that is not proven when so little is let through is painted again. */
#define CS_RASTER_DARK 1e-9f

/* --- Geometry ------------------------------------------------------------- */

/**
 * CsRasterMark:
 * @x: where the mark begins, snapped
 * @y: likewise
 * @bx: from there to its end
 * @by: likewise
 * @radius: below 0: the mark is not painted
 * @half_width: 0: filled
 * @rgba: that of its group's first mark
 * @run: the same for marks that are painted as one, and no others
 *
 * A mark as it is painted.
 */
typedef struct
{
  float x, y, bx, by;
  float radius, half_width;
  guint32 rgba;
  guint32 run;
} CsRasterMark;

#define CS_RASTER_MAX_COORDINATE 1073741824.f   /* 2^30 */
#define CS_RASTER_MAX_SIZE 1099511627776.f      /* 2^40 */

CS_RASTER_SMALL_FN float
cs_raster_min (float a, float b)
{
  return a < b ? a : b;
}

CS_RASTER_SMALL_FN float
cs_raster_max (float a, float b)
{
  return a > b ? a : b;
}

CS_RASTER_SMALL_FN float
cs_raster_snap (float v)
{
  return rintf (v * 256.f) * (1.f / 256.f);
}

/* Whether @v can be a coordinate; false for NaN. */
CS_RASTER_SMALL_FN int
cs_raster_in_reach (float v)
{
  return v >= -CS_RASTER_MAX_COORDINATE && v <= CS_RASTER_MAX_COORDINATE;
}

/* How much farther than its own size a mark may reach by rounding, and a
 * little more. */
CS_RASTER_SMALL_FN float
cs_raster_slack (const CsRasterMark * mark)
{
  return (fabsf (mark->x) + fabsf (mark->y) + fabsf (mark->bx) +
      fabsf (mark->by) + mark->radius + mark->half_width) * (1.f / 524288.f) +
      1.f / 64;
}

/* Whether @mark may cover a pixel whose centre lies in a rectangle; at borders
 * it may say yes in vain, but never no. */
CS_RASTER_FN int
cs_raster_touches (const CsRasterMark * mark, float x0, float y0, float x1,
    float y1)
{
  const float slack = cs_raster_slack (mark) + .5f;
  const float reach = mark->radius + mark->half_width + slack;
  const float ex = mark->x + mark->bx, ey = mark->y + mark->by;
  const float is_line = mark->bx != 0 || mark->by != 0;
  float dx, dy;

  if (!(mark->radius >= 0))
    return 0;
  if (cs_raster_min (mark->x, ex) > x1 + reach ||
      cs_raster_max (mark->x, ex) < x0 - reach ||
      cs_raster_min (mark->y, ey) > y1 + reach ||
      cs_raster_max (mark->y, ey) < y0 - reach)
    return 0;
  if (is_line) {
    /* the rectangle as a disc around its middle */
    const float cx = .5f * (x0 + x1), cy = .5f * (y0 + y1);
    const float hx = x1 - cx, hy = y1 - cy;
    const float half = sqrtf (hx * hx + hy * hy) + slack;

    dx = cx - mark->x;
    dy = cy - mark->y;
    float t = (dx * mark->bx + dy * mark->by) /
        (mark->bx * mark->bx + mark->by * mark->by);
    t = cs_raster_min (cs_raster_max (t, 0), 1);
    dx -= t * mark->bx;
    dy -= t * mark->by;
    const float d = sqrtf (dx * dx + dy * dy);
    if (d > reach + half)
      return 0;
    return !(mark->half_width > 0 &&
        d + half < mark->radius - mark->half_width - slack);
  }
  dx = cs_raster_max (cs_raster_max (x0 - mark->x, mark->x - x1), 0);
  dy = cs_raster_max (cs_raster_max (y0 - mark->y, mark->y - y1), 0);
  if (dx * dx + dy * dy > reach * reach)
    return 0;
  if (mark->half_width > 0) {
    const float hole = mark->radius - mark->half_width - slack;

    dx = cs_raster_max (mark->x - x0, x1 - mark->x);
    dy = cs_raster_max (mark->y - y0, y1 - mark->y);
    return !(hole > 0 && dx * dx + dy * dy < hole * hole);
  }
  return 1;
}

/* A disc (x, y, radius) around all that @mark may cover, generously. */
CS_RASTER_FN void
cs_raster_reach (const CsRasterMark * mark, float disc[3])
{
  const float hx = .5f * mark->bx, hy = .5f * mark->by;

  disc[0] = mark->x + hx;
  disc[1] = mark->y + hy;
  disc[2] = (sqrtf (hx * hx + hy * hy) + mark->radius + mark->half_width +
      .5f + 2 * cs_raster_slack (mark)) * 1.00001f;
}

/* Snaps the geometry of @from. @rgba and @run are the caller's. Returns whether
 * it can be painted at all on @width x @height pixels. */
CS_RASTER_FN int
cs_raster_prepare (const CsMark * from, int width, int height,
    CsRasterMark * mark)
{
  const float radius = cs_raster_min (from->radius, CS_RASTER_MAX_SIZE);
  const float half_width = cs_raster_min (from->half_width, CS_RASTER_MAX_SIZE);
  const int ok = cs_raster_in_reach (from->x0) &&
      cs_raster_in_reach (from->y0) && cs_raster_in_reach (from->x1) &&
      cs_raster_in_reach (from->y1) && from->radius >= 0 &&
      from->half_width >= 0 && from->radius <= 3.4028234e38f &&
      from->half_width <= 3.4028234e38f;

  mark->radius = -1;
  mark->x = mark->y = mark->bx = mark->by = mark->half_width = 0;
  if (!ok)
    return 0;
  mark->x = cs_raster_snap (from->x0);
  mark->y = cs_raster_snap (from->y0);
  mark->bx = cs_raster_snap (from->x1) - mark->x;
  mark->by = cs_raster_snap (from->y1) - mark->y;
  mark->radius = cs_raster_snap (radius);
  mark->half_width = cs_raster_snap (half_width);
  /* a disc or capsule that begins inside of the picture touches it */
  if (mark->half_width == 0 && mark->radius > 0 && mark->x >= 0 &&
      mark->x <= width - 1.f && mark->y >= 0 && mark->y <= height - 1.f)
    return 1;
  if ((mark->radius > 0 || mark->half_width > 0) &&
      cs_raster_touches (mark, 0, 0, width - 1.f, height - 1.f))
    return 1;
  mark->radius = -1;
  return 0;
}

/**
 * CsRasterShape:
 * @inv: 1 / (bx^2 + by^2), 0 if both ends are one
 * @inner: squared distance up to which the pixel is covered in full, below 0:
 *     nowhere, for filled marks
 * @outer: squared distance beyond which the pixel is not covered, likewise
 * @edge: the distance at which coverage becomes 0
 *
 * What of a mark's coverage can be computed beforehand.
 */
typedef struct
{
  float inv, inner, outer, edge;
} CsRasterShape;

/* Coverage falls from 1 to 0 between radius - .5 and radius + .5. As the root
 * of x^2, rounded, is x, and rounding keeps order, a squared distance below
 * (radius - .5)^2 has coverage 1 and one above (radius + .5)^2 has 0, exactly
 * as if the root had been taken. A radius beyond 2^15 may have lost the .5:
 * then the root is always taken. */
CS_RASTER_FN void
cs_raster_shape (const CsRasterMark * mark, int antialias,
    CsRasterShape * shape)
{
  const float b = mark->bx * mark->bx + mark->by * mark->by;
  const float inside = mark->radius - .5f;

  shape->inv = b > 0 ? 1.f / b : 0;
  if (mark->half_width > 0) {
    shape->inner = -1;
    shape->outer = 3.4028234e38f;
    shape->edge = antialias ? mark->half_width + .5f : mark->half_width;
  } else if (antialias) {
    shape->edge = mark->radius + .5f;
    shape->inner = inside >= 0 && mark->radius < 32768 ? inside * inside : -1;
    shape->outer = shape->edge * shape->edge;
  } else {
    shape->edge = mark->radius;
    shape->inner = shape->outer = mark->radius * mark->radius;
  }
}

/* The squared distance of a pixel from the line between a mark's ends. */
CS_RASTER_FN float
cs_raster_distance2 (float x, float y, float bx, float by, float inv,
    float px, float py)
{
  float dx = px - x, dy = py - y;
  float t = (dx * bx + dy * by) * inv;

  t = cs_raster_min (cs_raster_max (t, 0), 1);
  dx -= t * bx;
  dy -= t * by;
  return dx * dx + dy * dy;
}

/* The coverage at squared distance @d2. */
CS_RASTER_FN float
cs_raster_coverage (const CsRasterShape * shape, float radius,
    float half_width, int antialias, float d2)
{
  if (d2 <= shape->inner)
    return 1;
  if (d2 > shape->outer)
    return 0;
  float d = sqrtf (d2);
  if (half_width > 0)
    d = fabsf (d - radius);
  if (!antialias)
    return d <= shape->edge ? 1.f : 0.f;
  return cs_raster_min (cs_raster_max (shape->edge - d, 0), 1);
}

/* --- Order ---------------------------------------------------------------- */

/* A depth as a number that is larger where it is painted later: nearer is
 * later, NaN comes first. */
CS_RASTER_FN guint32
cs_raster_depth_key (float depth)
{
  union
  {
    float f;
    guint32 u;
  } bits;

  if (depth != depth)
    return 0;
  bits.f = depth + 0.f;         /* -0 is 0 */
  if (bits.u >> 31)
    return bits.u;
  return 0x7fffffffu - bits.u;
}

/* A time as a number that is larger when it is later, and never 0. */
CS_RASTER_FN guint32
cs_raster_time_key (float time)
{
  union
  {
    float f;
    guint32 u;
  } bits;

  bits.f = time;
  return bits.u >> 31 ? ~bits.u : bits.u | 0x80000000u;
}

CS_RASTER_FN float
cs_raster_key_time (guint32 key)
{
  union
  {
    float f;
    guint32 u;
  } bits;

  bits.u = key >> 31 ? key & 0x7fffffffu : ~key;
  return bits.f;
}

/* --- Ink ------------------------------------------------------------------ */

/**
 * CsInkPixel:
 * @coverage: the bits of a float from 0 to 1, which are ordered like it
 * @time: cs_raster_time_key()
 *
 * All zero: never touched.
 */
typedef struct
{
  guint32 coverage, time;
} CsInkPixel;

/**
 * CsRasterInk:
 * @pixels: rows of @width
 * @blocks: for each 16 x 16 pixels, rows of @blocks_per_row, whether there is
 *     any ink
 * @after: how many marks lie under it
 * @alpha: its alpha, opacity included
 * @color: its working colour
 */
typedef struct
{
  const CsInkPixel *pixels;
  const guint8 *blocks;
  guint32 width, blocks_per_row;
  gsize after;
  float alpha, color[3];
  float now, fade;
} CsRasterInk;

#define CS_INK_BLOCK 16

CS_RASTER_FN float
cs_raster_ink_alpha (const CsRasterInk * ink, CsInkPixel pixel, int antialias)
{
  union
  {
    float f;
    guint32 u;
  } bits;

  bits.u = pixel.coverage;
  float coverage = bits.f;
  if (!antialias)
    coverage = coverage >= .5f ? 1.f : 0.f;
  if (pixel.coverage == 0)
    return 0;
  const float time = cs_raster_key_time (pixel.time);
  if (!(time <= ink->now))
    return 0;
  float left = 1;
  if (ink->fade > 0)
    left = cs_raster_min (cs_raster_max (1.f - (ink->now - time) / ink->fade,
            0), 1);
  return ink->alpha * (coverage * left);
}

/* --- Colours -------------------------------------------------------------- */

/**
 * CsRasterFormat:
 * @model: as the picture's
 * @n_channels: of the working colour, 1 or 3
 * @n_components: colour components of the picture, 1 or 3
 * @has_alpha: the picture has
 * @premultiplied: its components are multiplied by alpha
 * @linear: light is mixed
 * @is_plain: finishing does nothing: no alpha, not linear
 * @wide: samples are of 16 bits
 * @max: the greatest code
 * @table_max: the last entry of both tables
 * @decode: linear light of each code (linear only)
 * @encode: linear light from which on each code is given (linear only)
 * @bytes: linear light of the codes of marks' colours
 * @has_frame: the background is the input; otherwise it is @constant
 * @constant: a working colour
 * @black: components of a pixel without alpha
 *
 * What a picture is made of, for kernels.
 */
typedef struct
{
  gint32 model, n_channels, n_components;
  gint32 has_alpha, premultiplied, linear, is_plain;
  gint32 wide, shift, sub_x, sub_y;
  gint32 width, height;
  gint32 antialias, has_frame, table_max;
  float opacity, max;
  float kr, kg, kb;
  float y_scale, y_offset, c_offset, cb_scale, cr_scale;
  float cb_full, cr_full;
  float constant[3], constant_alpha, black[3];
  const float *decode, *encode, *bytes;
  const guint8 *in[4];
  guint8 *out[4];
  gsize in_pixel[4], in_row[4], out_pixel[4], out_row[4];
} CsRasterFormat;

CS_RASTER_FN float
cs_raster_unit (float v)
{
  return cs_raster_min (cs_raster_max (v, 0), 1);
}

CS_RASTER_FN int
cs_raster_round (float max, float v)
{
  return (int) (max * cs_raster_max (v, 0) + .5f);
}

/* The code of linear light: the greatest whose least light is not more. */
CS_RASTER_FN int
cs_raster_encode (const CsRasterFormat * f, float light)
{
  int low = 0, high = f->table_max;

  while (low < high) {
    const int middle = (low + high + 1) >> 1;

    if (f->encode[middle] <= light)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

CS_RASTER_FN void
cs_raster_to_yuv (const CsRasterFormat * f, float r, float g, float b,
    float out[3])
{
  const float y = f->kr * r + f->kg * g + f->kb * b;

  out[0] = cs_raster_unit (f->y_offset + f->y_scale * y);
  out[1] = cs_raster_unit (f->c_offset + f->cb_scale * (b - y));
  out[2] = cs_raster_unit (f->c_offset + f->cr_scale * (r - y));
}

/* @v / 255, as division rounds it (tested for all 256). */
CS_RASTER_FN float
cs_raster_byte (guint32 v)
{
#ifdef __CUDA_ARCH__
  const float x = (float) v, q = x * (1.f / 255.f);

  return __fmaf_rn (__fmaf_rn (-q, 255.f, x), 1.f / 255.f, q);
#else
  return v / 255.f;
#endif
}

/* Red, green and blue of codes to a working colour, unless light of colours is
 * mixed. */
CS_RASTER_FN void
cs_raster_from_rgb (const CsRasterFormat * f, float color[3])
{
  if (f->model == CS_PICTURE_YUV) {
    const float red = color[0], green = color[1], blue = color[2];

    cs_raster_to_yuv (f, red, green, blue, color);
  } else if (f->model == CS_PICTURE_GRAY) {
    const float y = cs_raster_unit (f->kr * color[0] + f->kg * color[1] +
        f->kb * color[2]);

    color[0] = f->linear ? f->decode[cs_raster_round (65535, y)] :
        cs_raster_unit (f->y_offset + f->y_scale * y);
    color[1] = color[2] = 0;
  }
}

/* A mark's alpha with opacity, and its working colour. */
CS_RASTER_FN float
cs_raster_color (const CsRasterFormat * f, guint32 rgba, float color[3])
{
  const guint32 r = rgba >> 24, g = rgba >> 16 & 255, b = rgba >> 8 & 255;

  if (f->linear && f->model != CS_PICTURE_GRAY) {
    color[0] = f->bytes[r];
    color[1] = f->bytes[g];
    color[2] = f->bytes[b];
  } else {
    color[0] = cs_raster_byte (r);
    color[1] = cs_raster_byte (g);
    color[2] = cs_raster_byte (b);
    cs_raster_from_rgb (f, color);
  }
  return cs_raster_byte (rgba & 255) * f->opacity;
}

CS_RASTER_FN float
cs_raster_sample (const CsRasterFormat * f, const guint8 * at)
{
  const int code = f->wide ? *(const guint16 *) at >> f->shift : *at;

  return cs_raster_min (code / f->max, 1);
}

/* The components of the input's pixel, before anything is done to them. */
CS_RASTER_FN void
cs_raster_read_components (const CsRasterFormat * f, int x, int y,
    float component[4])
{
  component[1] = component[2] = 0;
  for (int i = 0; i < f->n_components; i++) {
    const int is_chroma = f->model == CS_PICTURE_YUV && i > 0;
    const gsize column = is_chroma ? x >> f->sub_x : x;
    const gsize row = is_chroma ? y >> f->sub_y : y;

    component[i] = cs_raster_sample (f, f->in[i] + row * f->in_row[i] +
        column * f->in_pixel[i]);
  }
  component[3] = 1;
  if (f->has_alpha)
    component[3] = cs_raster_sample (f, f->in[3] + y * f->in_row[3] +
        x * f->in_pixel[3]);
}

/* Components without alpha to light. */
CS_RASTER_FN void
cs_raster_to_light (const CsRasterFormat * f, float color[3])
{
  if (f->model == CS_PICTURE_GRAY) {
    color[0] = cs_raster_unit ((color[0] - f->y_offset) / f->y_scale);
  } else if (f->model == CS_PICTURE_YUV) {
    const float y = (color[0] - f->y_offset) / f->y_scale;
    const float b = y + (color[1] - f->c_offset) / f->cb_scale;
    const float r = y + (color[2] - f->c_offset) / f->cr_scale;

    color[0] = cs_raster_unit (r);
    color[1] = cs_raster_unit ((y - f->kr * r - f->kb * b) / f->kg);
    color[2] = cs_raster_unit (b);
  }
  for (int i = 0; i < f->n_channels; i++)
    color[i] = f->decode[cs_raster_round ((float) f->table_max, color[i])];
}

/* The working colour of what lies behind all marks; returns its alpha. */
CS_RASTER_FN float
cs_raster_background (const CsRasterFormat * f, int x, int y, float color[3])
{
  float component[4];

  if (!f->has_frame) {
    for (int i = 0; i < 3; i++)
      color[i] = f->constant[i];
    return f->constant_alpha;
  }
  cs_raster_read_components (f, x, y, component);
  for (int i = 0; i < 3; i++)
    color[i] = component[i];
  if (f->is_plain)
    return 1;
  if (f->linear) {
    if (f->premultiplied) {
      for (int i = 0; i < f->n_components; i++)
        color[i] = component[3] > 0 ?
            cs_raster_min (color[i] / component[3], 1) : 0;
    }
    cs_raster_to_light (f, color);
  }
  if (f->has_alpha && (f->linear || !f->premultiplied)) {
    for (int i = 0; i < f->n_channels; i++)
      color[i] *= component[3];
  }
  return component[3];
}

/* Finishing of linear light: components between 0 and 1 from bounds. */
CS_RASTER_FN void
cs_raster_finish_light (const CsRasterFormat * f, float low[3], float high[3])
{
  const float scale = (float) f->table_max;

  for (int i = 0; i < f->n_channels; i++) {
    low[i] = cs_raster_encode (f, low[i]) / scale;
    high[i] = cs_raster_encode (f, high[i]) / scale;
  }
  if (f->model == CS_PICTURE_GRAY) {
    low[0] = cs_raster_unit (f->y_offset + f->y_scale * low[0]);
    high[0] = cs_raster_unit (f->y_offset + f->y_scale * high[0]);
  } else if (f->model == CS_PICTURE_YUV) {
    const float y0 = f->kr * low[0] + f->kg * low[1] + f->kb * low[2];
    const float y1 = f->kr * high[0] + f->kg * high[1] + f->kb * high[2];
    const float b0 = low[2], b1 = high[2], r0 = low[0], r1 = high[0];

    low[0] = cs_raster_unit (f->y_offset + f->y_scale * y0);
    high[0] = cs_raster_unit (f->y_offset + f->y_scale * y1);
    low[1] = cs_raster_unit (f->c_offset + f->cb_scale * (b0 - y1));
    high[1] = cs_raster_unit (f->c_offset + f->cb_scale * (b1 - y0));
    low[2] = cs_raster_unit (f->c_offset + f->cr_scale * (r0 - y1));
    high[2] = cs_raster_unit (f->c_offset + f->cr_scale * (r1 - y0));
  }
}

/* Turns bounds of a working colour and of its alpha (index 3) into bounds of
 * components. Where both bounds are the same, so are the results. */
CS_RASTER_FN void
cs_raster_finish (const CsRasterFormat * f, float low[4], float high[4])
{
  const int divides = f->has_alpha && (f->linear || !f->premultiplied);

  if (f->is_plain)
    return;
  if (divides && high[3] <= 0) {
    for (int i = 0; i < 3; i++)
      low[i] = high[i] = f->premultiplied ? 0 : f->black[i];
    low[3] = high[3] = 0;
    return;
  }
  if (divides && low[3] <= 0) {
    for (int i = 0; i < 3; i++) {
      low[i] = 0;
      high[i] = 1;
    }
    low[3] = 0;
    return;
  }
  if (divides) {
    for (int i = 0; i < f->n_channels; i++) {
      low[i] = cs_raster_min (cs_raster_max (low[i], 0) / high[3], 1);
      high[i] = cs_raster_min (high[i] / low[3], 1);
    }
  }
  if (f->linear)
    cs_raster_finish_light (f, low, high);
  if (f->linear && f->has_alpha && f->premultiplied) {
    for (int i = 0; i < f->n_components; i++) {
      low[i] *= low[3];
      high[i] *= high[3];
    }
  }
}

CS_RASTER_FN void
cs_raster_write (const CsRasterFormat * f, int component, int column, int row,
    int code)
{
  guint8 *at = f->out[component] + row * f->out_row[component] +
      column * f->out_pixel[component];

  if (f->wide)
    *(guint16 *) at = (guint16) (code << f->shift);
  else
    *at = (guint8) code;
}

/* --- Proof ----------------------------------------------------------------
 *
 * Painting goes from the nearest layer backwards, with what is let through, T
 * (1 at first), and the sum so far, C (0 at first): for a layer of alpha a and
 * colour v,
 *   w = T a,  C += w v,  T -= w.
 * The sequential algorithm goes the other way, p = a v + (1 - a) p. In real
 * numbers both give X = C + T p, where p, of what is behind, lies in [0, 1].
 * With u = 2^-24, a rounding changes a value in [0, 1] by at most u / 2, and
 * any value by at most u times itself. K is the number of layers so far, S the
 * sum of T before each of them.
 *
 * The sequential algorithm rounds 1 - a, (1 - a) p, a v and their sum, by u / 2
 * at most each (it never gives more than 1: a v + (1 - a) p with both at 1 and
 * 1 - a rounded differs from 1 by less than u, and rounds to 1). What layer i
 * errs by, 2 u, is multiplied by the T of all layers before it: together 2 u S.
 *
 * The other way: w errs by u w, T - w by u (T - w): T by at most u T before the
 * layer. An error of T changes the result by at most as much, because the rest
 * lies in [0, 1]: together u S. The rounding of w and of w v changes C by at
 * most 2 u w, together 2 u, as the w add up to 1. The sum rounds by u / 2 for
 * each layer: u K / 2.
 *
 * Together u (3 S + K / 2 + 2), which is what @error adds up, plus 2 for
 * computing the bounds themselves. Terms in u^2 are smaller than K u times
 * that; 2 % are added, which is enough up to K u = .01, beyond which the bound
 * is so wide (several codes of 255) that it proves nothing anyway. Where C is
 * above 1, its sum may round by u instead of u / 2, but only while w, and with
 * it the error, is smaller than the errors so far and the rest of T: twice the
 * bound. Alpha is 1 - T + T p, whose error is smaller.
 */

CS_RASTER_FN float
cs_raster_bound (float error)
{
  return (error + 4.f) * (1.02f * CS_RASTER_UNIT);
}
