/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/**
 * LineHistogram:
 *
 * Counts of values from 1 to 10^8 in bins that are 1 % wide, so that months of
 * values have quantiles of 1 % in 15 kB. Lower values count as 1, higher ones as
 * 10^8; the maximum is exact.
 */
typedef struct _LineHistogram LineHistogram;

LineHistogram *line_histogram_new (void);
LineHistogram *line_histogram_copy (const LineHistogram * histogram);
void line_histogram_free (LineHistogram * histogram);

void line_histogram_add (LineHistogram * histogram, gdouble value);

guint64 line_histogram_get_count (const LineHistogram * histogram);
/* Takes the values of @before away, which is an earlier copy. The maximum stays. */
void line_histogram_subtract (LineHistogram * histogram,
    const LineHistogram * before);

/* 0 without values. */
gdouble line_histogram_get_max (const LineHistogram * histogram);

/* Of all values, within rounding. */
gdouble line_histogram_get_sum (const LineHistogram * histogram);

/* Returns: how many values are not greater than @bound, within a bin's width: a
 * bin counts if its upper end is not greater */
guint64 line_histogram_get_below (const LineHistogram * histogram,
    gdouble bound);

/* @share: 0 to 1. Returns: the upper end of the bin of the least value that is
 * not less than @share of all, but not more than the maximum; 0 without values */
gdouble line_histogram_get_quantile (const LineHistogram * histogram,
    gdouble share);
