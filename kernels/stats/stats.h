/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/**
 * Sums of samples inside polygons, for many polygons in one pass.
 *
 * A region is bounded by rings of points; open ones are closed by a line. A
 * pixel belongs to it if its centre, which has integer coordinates, is inside by
 * the even-odd rule: if an odd number of sides cross its row at or to the left
 * of it. A side crosses the rows from its upper end on up to, not with, its lower
 * end. So regions that share a side share no pixel, and holes, as further rings,
 * are left out.
 *
 * Samples are integers, or are rounded to them (CsStatsKind), so that sums do
 * not depend on the order: any number of threads, or another backend, gives the
 * same.
 */

#include <glib.h>

#include "base/executor.h"
#include "base/picture.h"

G_BEGIN_DECLS

/**
 * CsStatsKind:
 * @CS_STATS_GRAY: component 0 of the picture, code values; of RGB its luma in
 *     steps of 1 / CS_STATS_LUMA_STEPS (8 bits) or 1 (more)
 * @CS_STATS_LAB: L*, a*, b* (CIE 1976, D65, sRGB) of RGB of 8 bits, in steps of
 *     1 / CS_STATS_LAB_STEPS
 * @CS_STATS_PROBABILITY: a channel of the image, from 0 to 1, in steps of
 *     1 / CS_STATS_PROBABILITY_STEPS; integers are taken as shares of their
 *     largest value, NaN as 0
 */
typedef enum
{
  CS_STATS_GRAY,
  CS_STATS_LAB,
  CS_STATS_PROBABILITY,
} CsStatsKind;

#define CS_STATS_LUMA_STEPS 256
#define CS_STATS_LAB_STEPS 256
#define CS_STATS_PROBABILITY_STEPS 65535
#define CS_STATS_MAX_CHANNELS 3

/* 3 for CS_STATS_LAB, else 1. */
guint cs_stats_get_n_channels (CsStatsKind kind);

/**
 * CsStatsRing:
 * @points: @n points {float x, y}, fewer than 2^31; the last may repeat the
 *     first
 * @memory: where they lie; those on a GPU are in stream order, and aligned to 8
 *     bytes
 */
typedef struct
{
  const float *points;
  gsize n;
  CsMemory memory;
} CsStatsRing;

/**
 * CsStatsRegion:
 * @first_ring, @n_rings: its rings
 * @channel: of the image, for CS_STATS_PROBABILITY
 * @image: index of the image
 */
typedef struct
{
  gsize first_ring, n_rings;
  guint channel, image;
} CsStatsRegion;

/**
 * CsStatsInput:
 * @kind: what is summed up
 * @picture: of CS_STATS_GRAY and CS_STATS_LAB
 * @images: @n_images of CS_STATS_PROBABILITY
 * @rings: of all regions
 * @regions: @n_regions, fewer than 2^31
 * @scale_x, @scale_y: points are at (x + .5) * scale - .5
 *
 * Data and strides of samples are multiples of a sample's size. On the CPU
 * everything is in memory of the host; on CUDA samples and points are where
 * they say, and uploaded if that is the host: of a picture only what is read.
 */
typedef struct
{
  CsStatsKind kind;
  const CsPicture *picture;
  const CsImage *images;
  guint n_images;
  const CsStatsRing *rings;
  const CsStatsRegion *regions;
  gsize n_regions;
  double scale_x, scale_y;
} CsStatsInput;

/**
 * CsStatsSums:
 * @n: pixels
 * @sum: of the samples, in the kind's steps
 * @squares: of their squares
 * @minimum, @maximum: 0 without pixels
 */
typedef struct
{
  guint64 n;
  gint64 sum;
  guint64 squares;
  gint32 minimum, maximum;
} CsStatsSums;

/**
 * CsStats:
 *
 * A plan. Not thread-safe.
 */
typedef struct _CsStats CsStats;

/* @executor outlives the plan. Fails with CS_ERROR_NOT_SUPPORTED, or on CUDA
 * with CS_ERROR_NO_MEMORY or CS_ERROR_DEVICE. */
CsStats *cs_stats_new (CsExecutor * executor, GError ** error);

/* Makes what runs of @kind with up to @n_regions regions of @n_points points
 * will need: tables, and memory. Later runs allocate no more for these, but for
 * samples that they upload. */
gboolean cs_stats_warm_up (CsStats * stats, CsStatsKind kind, gsize n_regions,
    gsize n_points, GError ** error);

/* @sums: cs_stats_get_n_channels() for each region, on the host; both backends
 * give the same. Complete on return, which on CUDA is after everything that the
 * executor's stream had been given. Fails with CS_ERROR_INVALID (a picture
 * without RGB of 8 bits for CS_STATS_LAB, a channel or image that is not there,
 * strides of half samples, memory of a GPU on the CPU), CS_ERROR_LIMIT,
 * CS_ERROR_NO_MEMORY or CS_ERROR_DEVICE. */
gboolean cs_stats_run (CsStats * stats, const CsStatsInput * input,
    CsStatsSums * sums, GError ** error);

void cs_stats_free (CsStats * stats);

/* Mean and standard deviation (of the population) of sums in steps of
 * 1 / @steps; NaN without pixels. */
void cs_stats_describe (const CsStatsSums * sums, double steps, double *mean,
    double *deviation);

G_END_DECLS
