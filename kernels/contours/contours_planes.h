/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Planes: what targets are contours of when it is not a channel as it is. A
 * plane is computed once per frame, from left to right:
 *
 *   own         a channel, or the sum or maximum of a group of channels
 *   exclusive   less the greatest of all other channels
 *   adaptive    less the mean of a window and an offset
 *   border      minus infinity around
 *
 * Planes are of single precision, of double precision for doubles; each step
 * but the first is rounded once. Targets of channels read the input itself
 * where all but the first step are off.
 */

#include "contours.h"
#include "contours_math.h"

G_BEGIN_DECLS

/**
 * CsPlaneSource:
 * @first, @n: its channels, in #CsContoursPlanes.members
 * @lowest: the lowest of them
 */
typedef struct
{
  guint32 first, n, lowest;
} CsPlaneSource;

/**
 * CsContoursPlanes:
 * @n_planes: number of planes
 * @sources: what each is made of
 * @members: @n_members channels
 * @of_target: plane of each target, -1 if the target reads its channel itself
 * @all: no target reads the input itself
 * @border: rows and columns of minus infinity at each side
 * @n_channels: channels that an image must have
 */
typedef struct
{
  guint n_planes;
  CsPlaneSource *sources;
  guint32 *members;
  guint n_members;
  gint *of_target;
  gboolean all;
  guint border;
  guint n_channels;
} CsContoursPlanes;

/* The planes that @params, which are valid, need; owned by the caller. */
void cs_contours_planes_init (CsContoursPlanes * planes,
    const CsContoursParams * params);
void cs_contours_planes_clear (CsContoursPlanes * planes);

gboolean cs_contours_planes_equal (const CsContoursPlanes * a,
    const CsContoursPlanes * b, guint n_targets);

/* Whether a target or plane reads channel @channel. */
gboolean cs_contours_planes_use (const CsContoursPlanes * planes,
    const CsContoursParams * params, guint channel);

/**
 * CsContoursView:
 * @input: the image that targets without a plane read, or, if all have one, the
 *     planes themselves
 * @planes: the planes, one each channel; none if its width is 0
 * @mask: what @input's mask may point to
 * @type: of the user's samples
 * @border: rows and columns at each side that are not the user's
 *
 * What a frame's contours are found in.
 */
typedef struct
{
  CsContoursInput input;
  CsImage planes;
  CsImage mask;
  CsSampleType type;
  guint border;
} CsContoursView;

/* The shape of @n planes of @image, dense, without data. */
CsImage cs_contours_planes_shape (const CsImage * image, guint n, guint border);

/* Bins of the histogram of target @t of samples of @type; @codes: one for each
 * code. */
guint cs_contours_n_bins (const CsContoursParams * params, guint t,
    CsSampleType type, gboolean * codes);

/* Arithmetic of both backends */

CS_MATH_FN double
cs_plane_add (int max, double value, double sample)
{
  if (max)
    return sample > value || sample != sample ? sample : value;
  return value + sample;
}

/* Of a plane that wins against an equal one, above the level of 0. */
#define CS_PLANE_WON 0x1p-126

/* @own less the best of others; @wins: against an equal one. */
CS_MATH_FN double
cs_plane_exclusive (double own, double other, int wins)
{
  if (own == other)
    return wins ? CS_PLANE_WON : 0.;
  return own - other;
}

CS_MATH_FN double
cs_plane_adaptive (double sample, double sum, double count, double offset)
{
  return sample - sum / count - offset;
}

/* The index that the image, of @n samples, is continued with at @i. */
CS_MATH_FN int64_t
cs_plane_reflect (int64_t i, int64_t n)
{
  const int64_t period = 2 * n;

  if (i >= 0 && i < n)
    return i;
  int64_t at = i % period;
  at = at < 0 ? at + period : at;
  return at < n ? at : period - 1 - at;
}

/*
 * Sums of windows. A row or column continued by half a window at either end is
 * p[0], p[1], ...; window i has p[i] .. p[i + size - 1]. It is cut at b, the
 * first multiple of the size from i on: its sum is
 *   (p[i] + (p[i + 1] + ... (p[b - 2] + p[b - 1])))
 *   + (((p[b] + p[b + 1]) + p[b + 2]) + ... + p[i + size - 1]);
 * the first part is absent if b = i. First along rows, then the sums along
 * columns.
 */

/* The variance between @low samples with the sum of bins @low_sum and the others
 * of all, times the square of their number; -1 if there are none. */
CS_MATH_FN double
cs_otsu_variance (uint64_t low, uint64_t low_sum, uint64_t all,
    uint64_t all_sum)
{
  const double w1 = (double) low, w2 = (double) (all - low);

  if (low == 0 || low == all)
    return -1.;
  const double d = (double) low_sum / w1 - (double) (all_sum - low_sum) / w2;
  return w1 * w2 * d * d;
}

/* The bin of @sample among CS_OTSU_BINS from @low to @high. */
CS_MATH_FN int
cs_otsu_bin (double sample, double low, double high)
{
  const double at = (sample - low) / (high - low) * CS_OTSU_BINS;

  return at < CS_OTSU_BINS - 1 ? (int) at : CS_OTSU_BINS - 1;
}

CS_MATH_FN double
cs_otsu_level (int bin, double low, double high)
{
  return low + (bin + .5) * ((high - low) / CS_OTSU_BINS);
}

G_END_DECLS
