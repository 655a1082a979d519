/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fuzz_images.h"

#include <math.h>
#include <stdlib.h>

/* A float above these, as a half, is not finite. */
#define HALF_EXPONENT 0x7c00

void *
fuzz_pool_alloc (void *user_data, gsize size, gboolean host)
{
  FuzzPool *pool = user_data;

  FUZZ_CHECK (host, "device memory on the CPU");
  g_clear_pointer (&pool->data, free);
  if (!pool->fails)
    pool->data = aligned_alloc (256, MAX ((size + 255) / 256, 1) * 256);
  return pool->data;
}

CsExecutor *
fuzz_executor (gboolean more)
{
  static CsExecutor *executors[2];

  if (!executors[more])
    executors[more] = cs_executor_new_cpu (more ? 3 : 1);
  return executors[more];
}

static double
half_to_double (guint16 half)
{
  const gint exponent = half >> 10 & 31;
  const gint mantissa = half & 1023;
  const double size = exponent == 31 ? (mantissa ? NAN : INFINITY) :
      exponent ? ldexp (1024 + mantissa, exponent - 25) : ldexp (mantissa, -24);

  return half & 0x8000 ? -size : size;
}

double
fuzz_image_get (const CsImage * image, guint x, guint y)
{
  const guint8 *at = (const guint8 *) image->data + x * image->pixel_stride +
      y * image->row_stride;
  guint64 bits = 0;
  double wide;
  float single;

  memcpy (&bits, at, cs_sample_size (image->type));
  memcpy (&single, &bits, sizeof (single));
  memcpy (&wide, &bits, sizeof (wide));
  switch (image->type) {
    case CS_SAMPLE_F16:
      return half_to_double ((guint16) bits);
    case CS_SAMPLE_F32:
      return single;
    case CS_SAMPLE_F64:
      return wide;
    default:
      return bits;
  }
}

void
feed_strides (Feed * feed, CsImage * image)
{
  const gsize sample = cs_sample_size (image->type);
  const guint layout = feed_below (feed, 8), padding = feed_u8 (feed);

  if (layout == 7) {
    image->pixel_stride = feed_u8 (feed);
    image->row_stride = feed_u16 (feed);
    image->channel_stride = feed_u16 (feed);
  } else if (layout & 1) {
    image->channel_stride = sample;
    image->pixel_stride = sample * (image->channels + padding % 3);
    image->row_stride = image->pixel_stride * image->width +
        sample * (padding / 3 % 5);
  } else {
    image->pixel_stride = sample * (layout & 2 ? 1 + padding % 3 : 1);
    image->row_stride = image->pixel_stride * image->width +
        sample * (padding / 3 % 5);
    image->channel_stride = image->row_stride * image->height;
  }
}

static gsize
image_span (const CsImage * image)
{
  if (image->width == 0 || image->height == 0 || image->channels == 0)
    return 0;
  return (image->width - 1) * image->pixel_stride +
      (image->height - 1) * image->row_stride +
      (image->channels - 1) * image->channel_stride +
      cs_sample_size (image->type);
}

/* Fills memory with samples made of the bytes, which are repeated. */
static void
fill_samples (guint8 * data, gsize n, CsSampleType type, const guint8 * bytes,
    gsize n_bytes, guint bias)
{
  for (gsize i = 0; i < n; i++) {
    const guint8 byte = bytes[i % n_bytes] + bias * (guint) (i / n_bytes);

    switch (type) {
      case CS_SAMPLE_U8:
        data[i] = byte;
        break;
      case CS_SAMPLE_U16:
        ((guint16 *) data)[i] = byte * 257;
        break;
      case CS_SAMPLE_F16:
        /* 0 .. 15.9 in steps, infinity for 255 */
        ((guint16 *) data)[i] = byte == 255 ? HALF_EXPONENT : byte << 6;
        break;
      case CS_SAMPLE_F32:
        ((float *) data)[i] = byte == 254 ? NAN : byte == 255 ? -INFINITY :
            byte / 4.f;
        break;
      default:
        ((double *) data)[i] = byte == 254 ? NAN : byte == 255 ? INFINITY :
            byte / 4.;
        break;
    }
  }
}

static void
fill_bytes (guint8 * data, gsize size, const guint8 * bytes, gsize n_bytes)
{
  for (gsize i = 0; i < size; i++)
    data[i] = bytes[i % n_bytes];
}

void
fuzz_image_fill (FuzzImage * picture, Feed * feed)
{
  const gsize sample = cs_sample_size (picture->image.type);
  const gsize size = image_span (&picture->image);
  const guint how = feed_u8 (feed);
  /* the pattern moves from row to row unless its length divides them */
  const gsize n_bytes = CLAMP (feed->size, 1, 1 + (gsize) (how >> 2) * 8);
  const guint8 zero = 0, *bytes = feed->size ? feed->data : &zero;

  picture->data = g_malloc (MAX (size, 1));
  picture->image.data = picture->data;
  /* strides that are not multiples of a sample end in half of one */
  fill_bytes (picture->data, size, bytes, n_bytes);
  if (how & 1)
    fill_samples (picture->data, size / sample, picture->image.type, bytes,
        n_bytes, how & 2 ? 37 : 0);
}
