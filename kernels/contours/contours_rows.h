/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* CPU: thresholding of rows of samples into bitmaps; sample i is bit i % 64 of
 * word i / 64. */

#include "base/image.h"

G_BEGIN_DECLS

/**
 * CsRowThreshold:
 * @type: type of the samples
 * @u8, @u16, @f16, @f32, @f64: the threshold, in the member for @type: a sample
 *     is above the level exactly when it is greater; @f16 is an ordered half
 *
 * A level rounded down to the samples' type, so that vectors are compared
 * without conversion.
 */
typedef struct
{
  CsSampleType type;
  union
  {
    guint8 u8;
    guint16 u16;
    gint16 f16;
    gfloat f32;
    gdouble f64;
  };
} CsRowThreshold;

/* The threshold equivalent to "sample > @level". A level below the range of an
 * integer type makes all samples low instead of high; either way there are no
 * contours. */
void cs_row_threshold_init (CsRowThreshold * threshold, CsSampleType type,
    double level);

/* The threshold that no sample exceeds. */
void cs_row_threshold_init_never (CsRowThreshold * threshold,
    CsSampleType type);

/* Writes @threshold to element @i of an array of the samples' type (gint16 for
 * halves). */
void cs_row_threshold_store (const CsRowThreshold * threshold, void *array,
    guint i);

/* Number of words for @n bits. */
#define CS_ROW_WORDS(n) (((n) + 63) / 64)

/* Compares @n samples at @row with @threshold, or, if it is not %NULL, sample i
 * with element i of @thresholds: @bytes[i] becomes 0 or 1. Returns whether a
 * sample is NaN. */
gboolean cs_row_above (const CsRowThreshold * threshold, const void *thresholds,
    const void *row, guint n, guint8 * bytes);

/* Whether each of @n samples is valid: not NaN, and its mask byte,
 * @mask[(i / @slots) * @mask_stride], not 0. @mask may be %NULL. */
void cs_row_valid (CsSampleType type, const void *row, guint n,
    const guint8 * mask, gsize mask_stride, guint slots, guint8 * bytes);

/* Packs @n of @bytes into CS_ROW_WORDS (n) words of @bits. @bytes has 64 bytes
 * of padding, which are overwritten. */
void cs_row_pack (guint8 * bytes, guint n, guint64 * bits);

/* Channels that are packed at once. */
#define CS_ROW_AT_ONCE 8

/* The same for interleaved channels, @n samples of each, @stride bytes apart:
 * channel i begins at @bytes + i, and goes to @bits[i], which may be %NULL.
 * @bytes has 64 * @stride + CS_ROW_AT_ONCE bytes of padding; their values do not
 * matter. */
void cs_row_pack_each (const guint8 * bytes, guint stride, guint n,
    guint64 * const bits[CS_ROW_AT_ONCE]);

/* Whether all of @n bytes are 0. */
gboolean cs_row_is_zero (const guint8 * bytes, guint n);

/* Extends @low and @high by the valid ones of @n samples, @stride bytes apart;
 * @mask, which may be %NULL, has a byte every @mask_stride. */
void cs_row_range (CsSampleType type, const void *row, gsize stride, guint n,
    const guint8 * mask, gsize mask_stride, double *low, double *high);

/* Adds the valid ones of @n samples, as cs_row_range(), to @bins: the sample's
 * own, with @codes, else that of cs_otsu_bin(). */
void cs_row_count (CsSampleType type, const void *row, gsize stride, guint n,
    const guint8 * mask, gsize mask_stride, gboolean codes, double low,
    double high, guint32 * bins);

/* Gathers @n samples, @stride bytes apart, into @out. */
void cs_row_gather (CsSampleType type, const void *row, gsize stride, guint n,
    void *out);

G_END_DECLS
