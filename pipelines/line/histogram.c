/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "histogram.h"

#include <math.h>

#define WIDTH 1.01
#define TOP 1e8

/* log (TOP) / log (WIDTH), rounded up */
#define BINS 1852

struct _LineHistogram
{
  guint64 n, bins[BINS];
  gdouble max, sum;
};

LineHistogram *
line_histogram_new (void)
{
  return g_new0 (LineHistogram, 1);
}

LineHistogram *
line_histogram_copy (const LineHistogram * histogram)
{
  return g_memdup2 (histogram, sizeof (*histogram));
}

void
line_histogram_free (LineHistogram * histogram)
{
  g_free (histogram);
}

void
line_histogram_add (LineHistogram * histogram, gdouble value)
{
  const gdouble bin = log (CLAMP (value, 1, TOP)) / log (WIDTH);

  histogram->bins[MIN ((guint) bin, BINS - 1)]++;
  histogram->max = histogram->n ? MAX (histogram->max, value) : value;
  histogram->sum += value;
  histogram->n++;
}

void
line_histogram_subtract (LineHistogram * histogram,
    const LineHistogram * before)
{
  for (guint i = 0; i < BINS; i++)
    histogram->bins[i] -= before->bins[i];
  histogram->n -= before->n;
  histogram->sum -= before->sum;
}

guint64
line_histogram_get_count (const LineHistogram * histogram)
{
  return histogram->n;
}

gdouble
line_histogram_get_max (const LineHistogram * histogram)
{
  return histogram->max;
}

gdouble
line_histogram_get_sum (const LineHistogram * histogram)
{
  return histogram->sum;
}

guint64
line_histogram_get_below (const LineHistogram * histogram, gdouble bound)
{
  guint64 n = 0;

  for (guint i = 0; i < BINS && pow (WIDTH, i + 1) <= bound; i++)
    n += histogram->bins[i];
  return bound >= TOP ? histogram->n : n;
}

gdouble
line_histogram_get_quantile (const LineHistogram * histogram, gdouble share)
{
  const gdouble rank = MAX (ceil (share * histogram->n), 1);
  guint64 n = 0;

  if (histogram->n == 0)
    return 0;
  for (guint i = 0; i < BINS; i++) {
    n += histogram->bins[i];
    if (n >= rank)
      return MIN (pow (WIDTH, i + 1), histogram->max);
  }
  return histogram->max;
}
