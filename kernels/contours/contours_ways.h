/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/ways.h"

G_BEGIN_DECLS

#define CS_CONTOURS_CPU_WAYS(WAY) \
  WAY (CS_CONTOURS_ONE_JOB, "planes in one job") \
  WAY (CS_CONTOURS_JOBS, "planes in several jobs, stitched") \
  WAY (CS_CONTOURS_BANDS, "jobs of several bands") \
  WAY (CS_CONTOURS_SINGLE, "channels one by one") \
  WAY (CS_CONTOURS_GATHERED, "one interleaved channel, gathered") \
  WAY (CS_CONTOURS_INTERLEAVED, "interleaved channels in one pass") \
  WAY (CS_CONTOURS_BESIDE_INTERLEAVED, "planes beside interleaved channels") \
  WAY (CS_CONTOURS_ALL_BELOW, "rows of interleaved channels below the levels") \
  WAY (CS_CONTOURS_COUNTED_EXACTLY, "segments counted exactly") \
  WAY (CS_CONTOURS_MIDRANGE, "levels in the middle of the range") \
  WAY (CS_CONTOURS_NO_MIDRANGE, "no middle of the range") \
  WAY (CS_CONTOURS_OTSU_CODES, "Otsu's levels between codes") \
  WAY (CS_CONTOURS_OTSU_BINS, "Otsu's levels of bins") \
  WAY (CS_CONTOURS_OTSU_EQUAL, "Otsu's levels of equal samples") \
  WAY (CS_CONTOURS_NO_OTSU, "no Otsu's level") \
  WAY (CS_CONTOURS_PLANE_COPY, "planes of one channel") \
  WAY (CS_CONTOURS_PLANE_SUM, "planes that are sums") \
  WAY (CS_CONTOURS_PLANE_FLOATS, "planes that are sums of floats in a row") \
  WAY (CS_CONTOURS_PLANE_MAX, "planes that are maxima") \
  WAY (CS_CONTOURS_PLANE_EXCLUSIVE, "exclusive planes of one channel") \
  WAY (CS_CONTOURS_PLANE_EXCLUSIVE_GROUP, "exclusive planes of groups") \
  WAY (CS_CONTOURS_PLANE_ADAPTIVE, "planes less a local mean") \
  WAY (CS_CONTOURS_PLANE_BORDER, "planes with a border") \
  WAY (CS_CONTOURS_PLANE_MASK, "masks with a border") \
  WAY (CS_CONTOURS_RAY_AT_TOP, "rays that meet a collapsed crossing") \
  WAY (CS_CONTOURS_LEFT_OF_FIRST, \
      "rays from a segment to the left of a contour's first") \
  WAY (CS_CONTOURS_SAME_CELL, "rays that meet a contour begun in their cell") \
  WAY (CS_CONTOURS_DROPPED_EARLY, "short contours dropped before they are points") \
  WAY (CS_CONTOURS_FILTERED, "contours filtered by measures") \
  WAY (CS_CONTOURS_NO_POINTS, "points for measures only") \
  WAY (CS_CONTOURS_EMIT_CHUNKS, "points in several jobs")

#define CS_CONTOURS_CUDA_WAYS(WAY) \
  WAY (CS_CONTOURS_DIRECT, "records published as they are measured") \
  WAY (CS_CONTOURS_GENERAL, "records published at the end") \
  WAY (CS_CONTOURS_GENERAL_AFTER_MANY, "the same after a frame of many") \
  WAY (CS_CONTOURS_GROW_SEGMENTS, "again with more segments") \
  WAY (CS_CONTOURS_GROW_FRAGMENTS, "again with more fragments") \
  WAY (CS_CONTOURS_GROW_CONTOURS, "again with more contours") \
  WAY (CS_CONTOURS_GROW_POINTS, "again with more points") \
  WAY (CS_CONTOURS_MANY_TARGETS, "more levels than a launch carries") \
  WAY (CS_CONTOURS_UPDATE, "new parameters in the same graphs") \
  WAY (CS_CONTOURS_UPDATE_SHAPE, "new parameters, new graphs") \
  WAY (CS_CONTOURS_DOWNLOAD, "results into memory that is not mapped") \
  WAY (CS_CONTOURS_UPLOAD_ONE, "one frame uploaded") \
  WAY (CS_CONTOURS_UPLOAD_SEVERAL, "several frames uploaded beside others") \
  WAY (CS_CONTOURS_NO_UPLOAD, "frames on the GPU already") \
  WAY (CS_CONTOURS_BESIDE, "frames side by side") \
  WAY (CS_CONTOURS_AGAIN_IN_BATCH, "frames of a batch again") \
  WAY (CS_CONTOURS_ALONE_IN_BATCH, "frames of a batch that were not started") \
  WAY (CS_CONTOURS_BANDS_PLANAR, "iso-bands of planar channels downloaded") \
  WAY (CS_CONTOURS_BANDS_INTERLEAVED, "iso-bands of interleaved ones")

enum
{
  CS_CONTOURS_CPU_WAYS (CS_WAY_ID)
  CS_CONTOURS_CUDA_WAYS (CS_WAY_ID)
  CS_CONTOURS_N_WAYS
};

extern gint cs_contours_ways[CS_CONTOURS_N_WAYS];

static inline void
cs_contours_take (guint way)
{
  cs_way_take (&cs_contours_ways[way]);
}

G_END_DECLS
