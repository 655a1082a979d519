/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CS_CONTOURS_ROWS_H
#define CS_CONTOURS_ROWS_H

/* CPU: rows of samples compared with a level and packed into bits, bit i of
 * word i / 64 for sample i. */

#include "base/image.h"

G_BEGIN_DECLS

/**
 * CsRowThreshold:
 * @type: type of the samples
 * @u8, @u16, @f16, @f32, @f64: the one of @type counts: a sample is above the
 *     level exactly when it is greater than this; @f16 is an ordered half
 *
 * A level rounded down to the samples' own type, so that whole vectors can be
 * compared without conversion.
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

/* The threshold that equals "sample > @level". A level below every sample of an
 * integer type makes all of them low instead of high, which gives the same
 * contours: none. */
void cs_row_threshold_init (CsRowThreshold * threshold, CsSampleType type,
    double level);

/* A threshold that nothing is above. */
void cs_row_threshold_init_never (CsRowThreshold * threshold,
    CsSampleType type);

/* Writes @threshold to element @i of an array of the samples' type (gint16 for
 * halves). */
void cs_row_threshold_store (const CsRowThreshold * threshold, void *array,
    guint i);

/* Words that @n bits take. */
#define CS_ROW_WORDS(n) (((n) + 63) / 64)

/* Compares @n samples at @row with @threshold, or, if it is not %NULL, sample i
 * with element i of @thresholds: @bytes[i] becomes 0 or 1. Returns whether a
 * sample is NaN. */
gboolean cs_row_above (const CsRowThreshold * threshold, const void *thresholds,
    const void *row, guint n, guint8 * bytes);

/* Whether each of @n samples counts: it is not NaN, and its mask byte,
 * @mask[(i / @slots) * @mask_stride], is not 0. @mask may be %NULL. */
void cs_row_valid (CsSampleType type, const void *row, guint n,
    const guint8 * mask, gsize mask_stride, guint slots, guint8 * bytes);

/* Packs every @stride-th of @bytes, @n in all, into CS_ROW_WORDS (n) words of
 * @bits. @bytes has room for 64 * stride more, which are not looked at but
 * may be read and, when @stride is 1, are overwritten. */
void cs_row_pack (guint8 * bytes, guint stride, guint n, guint64 * bits);

/* Whether all of @n bytes are 0. */
gboolean cs_row_is_zero (const guint8 * bytes, guint n);

/* Extends @low and @high to the samples that count among @n which lie @stride
 * bytes apart; @mask, which may be %NULL, has a byte every @mask_stride. */
void cs_row_range (CsSampleType type, const void *row, gsize stride, guint n,
    const guint8 * mask, gsize mask_stride, double *low, double *high);

/* Copies @n samples that lie @stride bytes apart to @out, packed. */
void cs_row_gather (CsSampleType type, const void *row, gsize stride, guint n,
    void *out);

G_END_DECLS

#endif /* CS_CONTOURS_ROWS_H */
