/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Regions of the shapes of a set, and sets with what was found in them. */

#include "base/array.h"
#include "shapes/gstshapes.h"
#include "stats/stats.h"

/**
 * StatsReader:
 * @context, @stream: (nullable): of the GPU that reads the points
 *
 * Who measures.
 */
typedef struct
{
  gpointer context, stream;
} StatsReader;

/**
 * StatsRegions:
 * @rings, @regions: of #CsStatsRing and #CsStatsRegion
 * @mapped: layers whose points are read on a GPU
 * @n_shapes: polylines of all layers; polyline i, counted over these, is region
 *     of_shape[i], or -1 if it has none
 */
typedef struct
{
  CsArray rings, regions, mapped;
  gpointer stream;
  gint32 *of_shape;
  gsize n_shapes;
  gboolean lacks_points;
} StatsRegions;

/* A region for each polyline with points: the inside of a hull, or that of a
 * contour without those of its holes (closed contours around low values whose
 * parent it is).
 *
 * @reader: on a GPU points that are there are not copied; what it does has been
 *     queued when the regions are cleared
 * @n_images, @n_channels: of a tensor, whose shapes of other images and classes
 *     have no region; 0 for video
 * Returns: %FALSE with @error set if a layer could not be downloaded, or
 *     without memory */
gboolean stats_regions_init (StatsRegions * regions,
    GstShapeSet * set, const StatsReader * reader, guint n_images,
    guint n_channels, GError ** error);
void stats_regions_clear (StatsRegions * regions);

/* The shapes of @set with the statistics @sums of their regions, beside those
 * of other channels that they have. A probability is also the confidence.
 *
 * @steps: of a sample's unit, of gray
 * Returns: (transfer full): %NULL when out of memory */
GstShapeSet *stats_regions_annotate (const StatsRegions * regions,
    GstShapeSet * set, CsStatsKind kind, const CsStatsSums * sums,
    gdouble steps);
