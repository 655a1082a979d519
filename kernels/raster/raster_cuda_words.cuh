/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Pictures whose pixels are words with a colour in their first three bytes, and
 * a fourth that stays as it is: what is painted most. */

#include "raster_cuda.h"

/**
 * CsRasterWords:
 * @in: (nullable): words behind all marks; otherwise it is @constant
 * @out: words that are written, but for their last byte
 * @shifts: of each byte's colour in CsMark.rgba
 * @by_two: whether two words at once may be written
 */
typedef struct
{
  const guint8 *in;
  guint8 *out;
  gsize in_row, out_row;
  gint32 by_two, shifts[3];
  float constant[3], opacity;
} CsRasterWords;

/* Returns: whether pictures of format @f are such; then @words is set */
static inline gboolean
cs_raster_words_init (CsRasterWords * words, const CsRasterFormat * f)
{
  guint8 *out = MIN (MIN (f->out[0], f->out[1]), f->out[2]);
  const guint8 *in = f->has_frame ? MIN (MIN (f->in[0], f->in[1]), f->in[2]) :
      NULL;
  guint found = 0;

  if (!f->is_plain || f->wide || f->max != 255 || f->model != CS_PICTURE_RGB)
    return FALSE;
  for (int c = 0; c < 3; c++) {
    const gsize at = f->out[c] - out;

    if (at > 2 || f->out_pixel[c] != 4 || f->out_row[c] != f->out_row[0] ||
        (in && ((gsize) (f->in[c] - in) != at || f->in_pixel[c] != 4 ||
                f->in_row[c] != f->in_row[0])))
      return FALSE;
    words->shifts[at] = 24 - 8 * c;
    words->constant[at] = f->constant[c];
    found |= 1u << at;
  }
  words->out = out;
  words->in = in;
  words->out_row = f->out_row[0];
  words->in_row = f->in_row[0];
  words->opacity = f->opacity;
  words->by_two = ((gsize) out | words->out_row) % 8 == 0;
  return found == 7 && ((gsize) out | words->out_row) % 4 == 0 &&
      (!in || ((gsize) in | words->in_row) % 4 == 0);
}

/* Colours of what lies behind a pixel. */
static __device__ __forceinline__ void
read_behind (const CsRasterWords & a, int x, int y, float behind[3])
{
  guint32 word;

  for (int j = 0; j < 3; j++)
    behind[j] = a.constant[j];
  if (!a.in)
    return;
  word = *(const guint32 *) (a.in + (size_t) y * a.in_row + (size_t) x * 4);
  for (int j = 0; j < 3; j++)
    behind[j] = cs_raster_byte (word >> 8 * j & 255);
}

/* A mark's colours; returns its alpha. */
static __device__ __forceinline__ float
word_color (const CsRasterWords & a, guint32 rgba, float color[3])
{
  for (int j = 0; j < 3; j++)
    color[j] = cs_raster_byte (rgba >> a.shifts[j] & 255);
  return cs_raster_byte (rgba & 255) * a.opacity;
}

/* cs_raster_round (255, v) for v from 0 to 1, and bits above it that are always
 * the same. */
static __device__ __forceinline__ guint32
code_of (float v)
{
  return __float_as_uint (__fadd_rd (255.f * v + .5f, 8388608.f));
}

static __device__ __forceinline__ guint32
pack (guint32 a, guint32 b, guint32 c)
{
  return (a & 255) | (b & 255) << 8 | (c & 255) << 16;
}

static __device__ __forceinline__ guint32
mix_word (guint32 old, guint32 word)
{
  return (old & 0xff000000u) | (word & 0xffffffu);
}

/* Writes the 2 x 2 pixels from (@x, @y) on that lie in a picture of @width x
 * @height; their fourth bytes stay. */
static __device__ __forceinline__ void
write_words (const CsRasterWords & a, int x, int y, int width, int height,
    const guint32 words[4])
{
#pragma unroll
  for (int row = 0; row < 2; row++) {
    guint8 *at = a.out + (size_t) (y + row) * a.out_row + (size_t) x * 4;

    if (y + row >= height || x >= width)
      continue;
    if (a.by_two && x + 1 < width) {
      uint2 two = *(uint2 *) at;

      two.x = mix_word (two.x, words[2 * row]);
      two.y = mix_word (two.y, words[2 * row + 1]);
      *(uint2 *) at = two;
      continue;
    }
    *(guint32 *) at = mix_word (*(guint32 *) at, words[2 * row]);
    if (x + 1 < width)
      ((guint32 *) at)[1] = mix_word (((guint32 *) at)[1], words[2 * row + 1]);
  }
}
