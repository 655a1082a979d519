/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stats_samples.h"

#include <math.h>
#include <string.h>

#include "base/clones.h"

/* The part of a row from pixel @x on; its samples fit into a block. */
typedef struct
{
  const CsStatsReader *reader;
  const CsStatsRegion *region;
  guint y, x, n;
} Span;

guint
cs_stats_get_n_channels (CsStatsKind kind)
{
  return kind == CS_STATS_LAB ? 3 : 1;
}

void
cs_stats_get_weights (const CsPicture * picture, gint32 weights[3])
{
  const gboolean has_weights = picture->kr != 0 || picture->kb != 0;

  /* else BT.601's */
  weights[0] = (gint32) ((has_weights ? picture->kr : .299) * 65536 + .5);
  weights[2] = (gint32) ((has_weights ? picture->kb : .114) * 65536 + .5);
  weights[1] = 65536 - weights[0] - weights[2];
}

static void
find_packing (CsStatsReader * reader, const CsPicture * picture)
{
  guint c, last = 0;

  if (picture->model != CS_PICTURE_RGB || picture->type != CS_SAMPLE_U8)
    return;
  for (c = 0; c < 3; c++) {
    if (picture->pixel_stride[c] != 4
        || picture->row_stride[c] != picture->row_stride[0])
      return;
    if (picture->data[c] < picture->data[reader->first])
      reader->first = c;
  }
  for (c = 0; c < 3; c++) {
    const gsize at = (gsize) ((const guint8 *) picture->data[c] -
        (const guint8 *) picture->data[reader->first]);

    if (at > 3)
      return;
    last = MAX (last, (guint) at);
    reader->shifts[c] = 8 * (G_BYTE_ORDER == G_LITTLE_ENDIAN ? (guint) at :
        3 - (guint) at);
  }
  reader->pixel_size = last + 1;
  reader->is_packed = TRUE;
}

void
cs_stats_reader_init (CsStatsReader * reader, const CsStatsInput * input)
{
  *reader = (CsStatsReader) {.input = input };
  if (input->kind == CS_STATS_LAB)
    reader->lab = cs_lab_get_table ();
  if (input->kind == CS_STATS_GRAY) {
    cs_stats_get_weights (input->picture, reader->weights);
    find_packing (reader, input->picture);
  }
}

void
cs_stats_block_init (CsStatsBlock * block)
{
  block->n_bytes = block->n_pixels = block->n = 0;
}

CS_CLONES static void
sum_bytes (CsStatsSums * sums, const guint8 * bytes, guint n)
{
  guint32 sum = 0, squares = 0;
  guint8 low = 255, high = 0;

  for (guint i = 0; i < n; i++) {
    sum += bytes[i];
    squares += (guint32) bytes[i] * bytes[i];
    low = MIN (low, bytes[i]);
    high = MAX (high, bytes[i]);
  }
  sums->sum += sum;
  sums->squares += squares;
  sums->minimum = MIN (sums->minimum, low);
  sums->maximum = MAX (sums->maximum, high);
}

CS_CLONES static void
sum_lumas (CsStatsSums * sums, const guint32 * pixels, guint n,
    const CsStatsReader * reader)
{
  const gint32 weights[] = { reader->weights[0], reader->weights[1],
    reader->weights[2]
  };
  const guint red = reader->shifts[0], green = reader->shifts[1];
  const guint blue = reader->shifts[2];
  gint64 squares = 0;
  gint32 sum = 0, low = G_MAXINT32, high = G_MININT32;

  for (guint i = 0; i < n; i++) {
    const gint32 luma = cs_stats_luma (weights,
        (gint32) (pixels[i] >> red & 255), (gint32) (pixels[i] >> green & 255),
        (gint32) (pixels[i] >> blue & 255));

    sum += luma;
    squares += (gint64) luma * luma;
    low = MIN (low, luma);
    high = MAX (high, luma);
  }
  sums->sum += sum;
  sums->squares += (guint64) squares;
  sums->minimum = MIN (sums->minimum, low);
  sums->maximum = MAX (sums->maximum, high);
}

CS_CLONES static void
sum_samples (CsStatsSums * sums, const gint32 * samples, guint n)
{
  gint64 sum = 0, squares = 0;
  gint32 low = G_MAXINT32, high = G_MININT32;

  for (guint i = 0; i < n; i++) {
    sum += samples[i];
    squares += (gint64) samples[i] * samples[i];
    low = MIN (low, samples[i]);
    high = MAX (high, samples[i]);
  }
  sums->sum += sum;
  sums->squares += (guint64) squares;
  sums->minimum = MIN (sums->minimum, low);
  sums->maximum = MAX (sums->maximum, high);
}

void
cs_stats_block_flush (CsStatsBlock * block, const CsStatsReader * reader,
    CsStatsSums * sums)
{
  const guint n_channels = cs_stats_get_n_channels (reader->input->kind);

  if (block->n_bytes > 0)
    sum_bytes (sums, block->bytes, block->n_bytes);
  if (block->n_pixels > 0)
    sum_lumas (sums, block->pixels, block->n_pixels, reader);
  for (guint c = 0; c < n_channels && block->n > 0; c++)
    sum_samples (&sums[c], block->samples[c], block->n);
  block->n_bytes = block->n_pixels = block->n = 0;
}

static const guint8 *
component (const CsPicture * picture, guint c, const Span * span)
{
  return (const guint8 *) picture->data[c] +
      span->y * picture->row_stride[c] + span->x * picture->pixel_stride[c];
}

/* memcpy() of a run, which is mostly a few dozen bytes. Of a size that has a
 * known limit the compiler makes a string instruction, which takes longer to
 * begin than that. */
static inline void
copy_run (guint8 * to, const guint8 * from, gsize n)
{
  if (n >= 16) {
    for (gsize i = 0; i + 16 < n; i += 16)
      memcpy (to + i, from + i, 16);
    memcpy (to + n - 16, from + n - 16, 16);
  } else if (n >= 8) {
    memcpy (to, from, 8);
    memcpy (to + n - 8, from + n - 8, 8);
  } else if (n >= 4) {
    memcpy (to, from, 4);
    memcpy (to + n - 4, from + n - 4, 4);
  } else {
    for (gsize i = 0; i < n; i++)
      to[i] = from[i];
  }
}

static void
take_bytes (CsStatsBlock * block, const Span * span)
{
  const CsPicture *picture = span->reader->input->picture;
  const gsize stride = picture->pixel_stride[0];
  const guint8 *row = component (picture, 0, span);
  guint8 *bytes = block->bytes + block->n_bytes;

  block->n_bytes += span->n;
  if (stride == 1) {
    copy_run (bytes, row, span->n);
    return;
  }
  for (guint i = 0; i < span->n; i++)
    bytes[i] = row[i * stride];
}

static void
take_words (CsStatsBlock * block, const Span * span)
{
  const CsPicture *picture = span->reader->input->picture;
  const gsize stride = picture->pixel_stride[0];
  const guint shift = picture->shift;
  const guint8 *row = component (picture, 0, span);
  gint32 *samples = block->samples[0] + block->n;

  for (guint i = 0; i < span->n; i++) {
    guint16 sample;

    memcpy (&sample, row + i * stride, sizeof (sample));
    samples[i] = sample >> shift;
  }
  block->n += span->n;
}

/* The last pixel may be the last of all memory. */
static void
take_pixels (CsStatsBlock * block, const Span * span)
{
  const CsStatsReader *reader = span->reader;

  copy_run ((guint8 *) (block->pixels + block->n_pixels),
      component (reader->input->picture, reader->first, span),
      (span->n - 1) * sizeof (*block->pixels) + reader->pixel_size);
  block->n_pixels += span->n;
}

static void
take_luma (CsStatsBlock * block, const Span * span)
{
  const CsPicture *picture = span->reader->input->picture;
  const gint32 *weights = span->reader->weights;
  const gsize *stride = picture->pixel_stride;
  const guint8 *r = component (picture, 0, span);
  const guint8 *g = component (picture, 1, span);
  const guint8 *b = component (picture, 2, span);
  gint32 *samples = block->samples[0] + block->n;
  const guint n = span->n;

  for (guint i = 0; i < n; i++) {
    samples[i] = cs_stats_luma (weights, *r, *g, *b);
    r += stride[0];
    g += stride[1];
    b += stride[2];
  }
  block->n += n;
}

static void
take_wide_luma (CsStatsBlock * block, const Span * span)
{
  const CsPicture *picture = span->reader->input->picture;
  gint32 *samples = block->samples[0] + block->n;

  for (guint i = 0; i < span->n; i++) {
    guint16 rgb[3];

    for (guint c = 0; c < 3; c++) {
      memcpy (&rgb[c], component (picture, c, span) +
          i * picture->pixel_stride[c], sizeof (rgb[c]));
      rgb[c] >>= picture->shift;
    }
    samples[i] = cs_stats_wide_luma (span->reader->weights, rgb[0], rgb[1],
        rgb[2]);
  }
  block->n += span->n;
}

static void
take_lab (CsStatsBlock * block, const Span * span)
{
  const CsPicture *picture = span->reader->input->picture;
  const CsLabTable *table = span->reader->lab;
  const gsize *stride = picture->pixel_stride;
  const guint8 *r = component (picture, 0, span);
  const guint8 *g = component (picture, 1, span);
  const guint8 *b = component (picture, 2, span);
  gint32 *lightness = block->samples[0] + block->n;
  gint32 *reds = block->samples[1] + block->n;
  gint32 *yellows = block->samples[2] + block->n;
  const guint n = span->n;

  for (guint i = 0; i < n; i++) {
    gint32 lab[3];

    cs_lab_convert (table, *r, *g, *b, lab);
    lightness[i] = lab[0];
    reds[i] = lab[1];
    yellows[i] = lab[2];
    r += stride[0];
    g += stride[1];
    b += stride[2];
  }
  block->n += n;
}

static void
take_probability (CsStatsBlock * block, const Span * span)
{
  const CsImage *image = &span->reader->input->images[span->region->image];
  const guint8 *at = (const guint8 *) image->data +
      span->region->channel * image->channel_stride +
      span->y * image->row_stride + span->x * image->pixel_stride;
  const double one = image->type == CS_SAMPLE_U8 ? 255 :
      image->type == CS_SAMPLE_U16 ? 65535 : 1;
  gint32 *samples = block->samples[0] + block->n;

  for (guint i = 0; i < span->n; i++, at += image->pixel_stride) {
    const double sample = cs_sample_load (at, image->type);

    samples[i] = cs_stats_round_share (one > 1 ? sample / one : sample);
  }
  block->n += span->n;
}

/* Reads @span, whose samples fit into @block. */
static void
take (CsStatsBlock * block, const Span * span)
{
  const CsPicture *picture = span->reader->input->picture;

  switch (span->reader->input->kind) {
    case CS_STATS_GRAY:
      if (span->reader->is_packed)
        take_pixels (block, span);
      else if (picture->model == CS_PICTURE_RGB
          && picture->type == CS_SAMPLE_U8)
        take_luma (block, span);
      else if (picture->model == CS_PICTURE_RGB)
        take_wide_luma (block, span);
      else if (picture->type == CS_SAMPLE_U8)
        take_bytes (block, span);
      else
        take_words (block, span);
      break;
    case CS_STATS_LAB:
      take_lab (block, span);
      break;
    case CS_STATS_PROBABILITY:
      take_probability (block, span);
      break;
  }
}

void
cs_stats_block_add (CsStatsBlock * block, const CsStatsReader * reader,
    const CsStatsRegion * region, guint y, guint x, guint n, CsStatsSums * sums)
{
  const guint n_channels = cs_stats_get_n_channels (reader->input->kind);

  for (guint c = 0; c < n_channels; c++)
    sums[c].n += n;
  while (n > 0) {
    const Span span = { reader, region, y, x, MIN (n, CS_STATS_BLOCK) };

    if (block->n_bytes + span.n > sizeof (block->bytes)
        || block->n_pixels + span.n > CS_STATS_BLOCK
        || block->n + span.n > CS_STATS_BLOCK)
      cs_stats_block_flush (block, reader, sums);
    take (block, &span);
    x += span.n;
    n -= span.n;
  }
}
