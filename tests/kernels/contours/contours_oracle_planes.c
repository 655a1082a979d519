/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contours_oracle_planes.h"

#include <math.h>
#include <string.h>

#include "contours_oracle.h"

gboolean
oracle_has_planes (const CsContoursParams * params)
{
  for (guint t = 0; t < params->n_targets; t++)
    if (params->targets[t].channel >= CS_CONTOURS_GROUP (0))
      return TRUE;
  return params->exclusive || params->adaptive_window ||
      (params->auto_level && params->auto_method == CS_AUTO_LEVEL_OTSU);
}

static CsContoursGroup
members_of (const CsContoursParams * params, guint t)
{
  const guint *channel = &params->targets[t].channel;

  if (*channel >= CS_CONTOURS_GROUP (0))
    return params->groups[*channel - CS_CONTOURS_GROUP (0)];
  return (CsContoursGroup) { channel, 1 };
}

gint32
oracle_class (const CsContoursParams * params, guint t)
{
  const guint channel = params->targets[t].channel;

  return channel >= CS_CONTOURS_GROUP (0) ? params->first_group_class +
      (gint32) (channel - CS_CONTOURS_GROUP (0)) : (gint32) channel;
}

static gboolean
contains (const CsContoursGroup * group, guint channel)
{
  for (guint k = 0; k < group->n_channels; k++)
    if (group->channels[k] == channel)
      return TRUE;
  return FALSE;
}

/* Planes are in single precision unless the input is in double. */
static double
rounded (const CsImage * image, double value)
{
  return image->type == CS_SAMPLE_F64 ? value : (double) (float) value;
}

static double
own_sample (const CsContoursParams * params, const CsImage * image,
    const CsContoursGroup * group, guint row, guint column)
{
  double value = oracle_sample (image, group->channels[0], row, column);
  gboolean nan = isnan (value);

  for (guint k = 1; k < group->n_channels; k++) {
    const double v = oracle_sample (image, group->channels[k], row, column);

    nan |= isnan (v);
    if (params->group_mode == CS_GROUP_SUM)
      value += v;
    else if (v > value)
      value = v;
  }
  return nan ? NAN : value;
}

/* Own less the best other; the lower wins a tie by next to nothing. */
static double
exclusive_sample (const CsImage * image, const CsContoursGroup * group,
    double own, guint row, guint column)
{
  double other = -INFINITY;
  guint best = G_MAXUINT, lowest = G_MAXUINT, c, k;

  for (k = 0; k < group->n_channels; k++)
    lowest = MIN (lowest, group->channels[k]);
  for (c = 0; c < image->channels; c++) {
    const double v = oracle_sample (image, c, row, column);

    if (isnan (v))
      return NAN;
    if (!contains (group, c) && (best == G_MAXUINT || v > other)) {
      other = v;
      best = c;
    }
  }
  if (isnan (own))
    return NAN;
  if (own != other)
    return own - other;
  return lowest < best ? ldexp (1., -126) : 0.;
}

/* Sample @i of a row that goes on by reflection, and edges are repeated. */
static glong
reflected (glong i, glong n)
{
  while (i < 0 || i >= n)
    i = i < 0 ? -1 - i : 2 * n - 1 - i;
  return i;
}

/* The documented order of the sum of @p[i] .. @p[i + size - 1]. */
static double
window_sum (const double *p, gsize i, gsize size)
{
  const gsize cut = (i + size - 1) / size * size;
  double left = 0., right;

  if (cut > i) {
    left = p[cut - 1];
    for (gsize k = cut - 1; k > i; k--)
      left = p[k - 1] + left;
    if (cut == i + size)
      return left;
  }
  right = p[cut];
  for (gsize k = cut + 1; k < i + size; k++)
    right += p[k];
  return cut > i ? left + right : right;
}

/* @n samples, @step apart, replaced by the sums of the windows around them. */
static void
sum_windows (double *samples, gsize step, gsize n, gsize size)
{
  const gsize length = n + size - 1;
  g_autofree double *padded = g_new (double, length);

  for (gsize i = 0; i < length; i++)
    padded[i] = samples[step * (gsize) reflected ((glong) i -
            (glong) (size / 2), (glong) n)];
  for (gsize i = 0; i < n; i++)
    samples[step * i] = window_sum (padded, i, size);
}

static void
subtract_means (const CsContoursParams * params, const CsImage * image,
    double *plane)
{
  const gsize width = image->width, n = width * image->height;
  const gsize size = params->adaptive_window;
  g_autofree double *sums = g_memdup2 (plane, n * sizeof (double));

  for (gsize i = 0; i < image->height; i++)
    sum_windows (sums + i * width, 1, width, size);
  for (gsize i = 0; i < width; i++)
    sum_windows (sums + i, width, image->height, size);
  for (gsize i = 0; i < n; i++) {
    const double mean = sums[i] / (double) (size * size);

    plane[i] = rounded (image, plane[i] - mean - params->adaptive_offset);
  }
}

double *
oracle_plane (const CsContoursParams * params, const CsImage * image, guint t)
{
  const CsContoursGroup group = members_of (params, t);
  double *plane = g_new (double, (gsize) image->width * image->height);

  for (guint r = 0; r < image->height; r++)
    for (guint c = 0; c < image->width; c++) {
      double v = own_sample (params, image, &group, r, c);

      if (params->exclusive)
        v = exclusive_sample (image, &group, v, r, c);
      plane[(gsize) r * image->width + c] = rounded (image, v);
    }
  if (params->adaptive_window)
    subtract_means (params, image, plane);
  return plane;
}

/* The values of the valid samples. */
static GArray *
valid_values (const CsContoursInput * input, const double *plane)
{
  GArray *values = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint r = 0; r < input->image.height; r++)
    for (guint c = 0; c < input->image.width; c++) {
      const double v = plane[(gsize) r * input->image.width + c];

      if (!isnan (v) && (!input->mask ||
              oracle_sample (input->mask, 0, r, c) != 0.))
        g_array_append_val (values, v);
    }
  return values;
}

/* From the weights and means below and above each threshold; sums of integers
 * are exact. */
static guint
best_threshold (const double *counts, guint n)
{
  double best = -1., all = 0., all_sum = 0., w1 = 0., s1 = 0.;
  guint found = G_MAXUINT, i;

  for (i = 0; i < n; i++) {
    all += counts[i];
    all_sum += counts[i] * i;
  }
  for (i = 0; i + 1 < n; i++) {
    w1 += counts[i];
    s1 += counts[i] * i;
    double w2 = all - w1;
    if (w1 == 0. || w2 == 0.)
      continue;
    double distance = s1 / w1 - (all_sum - s1) / w2;
    if (w1 * w2 * distance * distance > best) {
      best = w1 * w2 * distance * distance;
      found = i;
    }
  }
  return found;
}

double
oracle_otsu (const CsContoursParams * params, const CsContoursInput * input,
    guint t, const double *plane)
{
  const CsSampleType type = input->image.type;
  const gboolean codes = params->targets[t].channel < CS_CONTOURS_GROUP (0) &&
      (type == CS_SAMPLE_U8 || type == CS_SAMPLE_U16);
  g_autoptr (GArray) values = valid_values (input, plane);
  double low = INFINITY, high = -INFINITY, level = INFINITY, *counts;
  guint n, i, best;

  for (i = 0; i < values->len; i++) {
    low = MIN (low, g_array_index (values, double, i));
    high = MAX (high, g_array_index (values, double, i));
  }
  if (low <= high && isfinite (high - low)) {
    /* bins without samples make no difference */
    n = codes ? (guint) (high - low) + 1 : 256;
    counts = g_new0 (double, n);
    for (i = 0; i < values->len; i++) {
      const double v = g_array_index (values, double, i);

      if (codes)
        counts[(guint) (v - low)]++;
      else if (high > low)
        counts[(guint) MIN (255., (v - low) / (high - low) * 256.)]++;
    }
    best = best_threshold (counts, n);
    if (best == G_MAXUINT)
      level = low;
    else
      level = codes ? low + best + .5 : low + (best + .5) * ((high - low) / 256.);
    g_free (counts);
  }
  return level;
}
