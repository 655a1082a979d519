/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapeblend.h"

#include <math.h>
#include <string.h>

#include "base/clones.h"

#define BLOCK GST_SHAPE_BLOCK

/* Weights are 0 .. ONE. 255 * ONE + ONE / 2 fits 16 bits, so the mixing of
 * bytes runs in 16-bit lanes; full weight gives the ink's code exactly. */
#define ONE 256

#define ALWAYS_INLINE inline __attribute__ ((always_inline))

static guint8
to_code (gdouble value)
{
  return (guint8) CLAMP (floor (value + .5), 0., 255.);
}

void
gst_shape_ink_init (GstShapeInk * ink, const GstShapeSurface * surface,
    guint32 argb)
{
  gdouble r, g, b, luma, cb, cr;
  guint8 pixel[4] = { 0 };
  guint i;

  for (i = 0; i < 3; i++)
    ink->rgb[i] = (guint8) (argb >> (16 - 8 * i));

  if (surface->pixel_bytes > 0) {
    for (i = 0; i < 3; i++)
      pixel[surface->offsets[i]] = ink->rgb[i];
    if (surface->offsets[3] >= 0)
      pixel[surface->offsets[3]] = 255;
    for (i = 0; i < BLOCK; i++)
      memcpy (ink->pattern + i * surface->pixel_bytes, pixel,
          surface->pixel_bytes);
    return;
  }

  r = ink->rgb[0] / 255.;
  g = ink->rgb[1] / 255.;
  b = ink->rgb[2] / 255.;
  luma = surface->kr * r + (1. - surface->kr - surface->kb) * g
      + surface->kb * b;
  cb = (b - luma) / (2. * (1. - surface->kb));
  cr = (r - luma) / (2. * (1. - surface->kr));
  if (surface->full_range) {
    ink->codes[0] = to_code (255. * luma);
    ink->codes[1] = to_code (128. + 255. * cb);
    ink->codes[2] = to_code (128. + 255. * cr);
  } else {
    ink->codes[0] = to_code (16. + 219. * luma);
    ink->codes[1] = to_code (128. + 224. * cb);
    ink->codes[2] = to_code (128. + 224. * cr);
  }
}

static ALWAYS_INLINE guint8
mix (guint8 below, guint8 ink, guint16 weight)
{
  return (guint8) ((guint16) (below * (guint16) (ONE - weight)
          + ink * weight + ONE / 2) >> 8);
}

/* The weights of a block, which becomes empty. */
static ALWAYS_INLINE void
take_weights (gfloat * values, gfloat scale, guint16 * weights)
{
  guint i;

  for (i = 0; i < BLOCK; i++) {
    weights[i] = (guint16) (gint32) (values[i] * scale + .5f);
    values[i] = 0.f;
  }
}

static ALWAYS_INLINE void
mix_bytes (guint8 * below, const guint8 * ink, const guint16 * weights, guint n)
{
  guint i;

  if (n == BLOCK) {
    for (i = 0; i < BLOCK; i++)
      below[i] = mix (below[i], ink[i], weights[i]);
  } else {
    for (i = 0; i < n; i++)
      below[i] = mix (below[i], ink[i], weights[i]);
  }
}

/* @n pixels that have an unassociated alpha other than 255: the "over" of a
 * transparent picture. */
static void
mix_transparent (guint8 * below, const GstShapeSurface * surface,
    const GstShapeInk * ink, const guint16 * weights, guint n)
{
  guint i, k;

  for (i = 0; i < n; i++, below += 4) {
    guint8 *alpha = below + surface->offsets[3];
    gfloat weight = weights[i] * (1.f / ONE);
    gfloat behind = (1.f - weight) * *alpha * (1.f / 255.f);
    gfloat sum = weight + behind;

    if (weights[i] == 0)
      continue;
    for (k = 0; k < 3; k++) {
      guint8 *code = below + surface->offsets[k];

      *code = (guint8) ((weight * ink->rgb[k] + behind * *code) / sum + .5f);
    }
    *alpha = (guint8) (255.f * sum + .5f);
  }
}

static ALWAYS_INLINE gboolean
is_opaque (const guint8 * alpha, guint n)
{
  guint8 all = 255;
  guint i;

  for (i = 0; i < n; i++)
    all &= alpha[4 * i];
  return all == 255;
}

static ALWAYS_INLINE void
mix_pixels_4 (guint8 * below, const GstShapeSurface * surface,
    const GstShapeInk * ink, const guint16 * weights, guint n)
{
  guint16 bytes[4 * BLOCK];
  guint16 keep[4] = { 0 };
  guint i, k;

  if (surface->offsets[3] >= 0 && !surface->premultiplied
      && !is_opaque (below + surface->offsets[3], n)) {
    mix_transparent (below, surface, ink, weights, n);
    return;
  }
  /* a padding byte stays as it is */
  for (k = 0; k < 4; k++)
    if (surface->offsets[k] >= 0)
      keep[surface->offsets[k]] = 0xffff;
  for (i = 0; i < BLOCK; i++)
    for (k = 0; k < 4; k++)
      bytes[4 * i + k] = weights[i] & keep[k];
  for (k = 0; k < 4; k++)
    mix_bytes (below + k * n, ink->pattern + k * n, bytes + k * n, n);
}

static ALWAYS_INLINE void
mix_pixels_3 (guint8 * below, const GstShapeInk * ink, const guint16 * weights,
    guint n)
{
  guint16 bytes[3 * BLOCK];
  guint i, k;

  for (i = 0; i < BLOCK; i++)
    for (k = 0; k < 3; k++)
      bytes[3 * i + k] = weights[i];
  for (k = 0; k < 3; k++)
    mix_bytes (below + k * n, ink->pattern + k * n, bytes + k * n, n);
}

/* @n samples of a plane */
static ALWAYS_INLINE void
mix_samples (guint8 * below, guint pixel_stride, guint8 code,
    const guint16 * weights, guint n)
{
  guint i;

  if (pixel_stride == 1 && n == BLOCK) {
    for (i = 0; i < BLOCK; i++)
      below[i] = mix (below[i], code, weights[i]);
  } else {
    for (i = 0; i < n; i++)
      below[i * pixel_stride] = mix (below[i * pixel_stride], code, weights[i]);
  }
}

/* A chroma sample is covered as much as the pixels it belongs to are, those
 * that exist: @n columns and @n_rows rows. Returns the number of samples. */
static ALWAYS_INLINE guint
chroma_weights (const GstShapeSurface * surface,
    guint16 weights[2][BLOCK], guint n, guint n_rows, guint16 * chroma)
{
  const guint16 *upper = weights[0], *lower = weights[n_rows - 1];
  guint16 sums[BLOCK];
  guint i;

  for (i = 0; i < BLOCK; i++)
    sums[i] = upper[i] + lower[i];
  if (!surface->sub_x) {
    for (i = 0; i < BLOCK; i++)
      chroma[i] = (sums[i] + 1) >> 1;
    return n;
  }
  if (n % 2 != 0)
    sums[n] = sums[n - 1];
  for (i = 0; i < BLOCK / 2; i++)
    chroma[i] = (sums[2 * i] + sums[2 * i + 1] + 2) >> 2;
  return (n + 1) / 2;
}

static ALWAYS_INLINE void
mix_chroma (const GstShapeSurface * surface, const GstShapeInk * ink, guint x,
    guint y, guint n, guint n_rows, guint16 weights[2][BLOCK])
{
  guint16 chroma[BLOCK];
  guint n_samples, plane;

  n_samples = chroma_weights (surface, weights, n, n_rows, chroma);
  for (plane = 1; plane < 3; plane++) {
    guint stride = surface->pixel_stride[plane];
    guint8 *below = surface->data[plane]
        + (gssize) (y >> surface->sub_y) * surface->row_stride[plane]
        + (gsize) (x >> surface->sub_x) * stride;

    mix_samples (below, stride, ink->codes[plane], chroma, n_samples);
  }
}

/* One block of one row, or of the two rows that share their chroma. */
static ALWAYS_INLINE void
mix_block (const GstShapeSurface * surface, const GstShapeInk * ink, guint x,
    guint y, guint n_rows, guint16 weights[2][BLOCK])
{
  guint n = MIN (BLOCK, surface->width - x);
  guint row;

  for (row = 0; row < n_rows; row++) {
    guint8 *below = surface->data[0]
        + (gssize) (y + row) * surface->row_stride[0];

    if (surface->pixel_bytes == 4)
      mix_pixels_4 (below + 4 * (gsize) x, surface, ink, weights[row], n);
    else if (surface->pixel_bytes == 3)
      mix_pixels_3 (below + 3 * (gsize) x, ink, weights[row], n);
    else
      mix_samples (below + (gsize) x * surface->pixel_stride[0],
          surface->pixel_stride[0], ink->codes[0], weights[row], n);
  }
  if (surface->pixel_bytes == 0 && surface->n_planes == 3)
    mix_chroma (surface, ink, x, y, n, n_rows, weights);
}

CS_CLONES void
gst_shape_blend (const GstShapeSurface * surface, const GstShapeInk * ink,
    gfloat opacity, guint y, guint n_rows, const GstShapeCoverage * coverage)
{
  gboolean pairs = surface->pixel_bytes == 0 && surface->sub_y == 1;
  guint step = pairs ? 2 : 1;
  gfloat scale = opacity * ONE;
  guint16 weights[2][BLOCK];
  guint row, i;
  gsize word;

  for (row = 0; row < n_rows; row += step) {
    guint n = MIN (step, n_rows - row);
    gfloat *values = coverage->values + row * coverage->stride;
    guint64 *blocks = coverage->blocks + row * coverage->n_words;

    for (word = 0; word < coverage->n_words; word++) {
      guint64 bits = blocks[word];

      blocks[word] = 0;
      if (n == 2) {
        bits |= blocks[coverage->n_words + word];
        blocks[coverage->n_words + word] = 0;
      }
      for (; bits != 0; bits &= bits - 1) {
        gsize x = (word * 64 + (gsize) __builtin_ctzll (bits)) * BLOCK;

        for (i = 0; i < n; i++)
          take_weights (values + i * coverage->stride + x, scale, weights[i]);
        /* spans may run over the right edge */
        if (x < surface->width)
          mix_block (surface, ink, (guint) x, y + row, n, weights);
      }
    }
  }
}
