/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Discards the points strictly inside a convex polygon in constant time per
 * point: the polygon is split into strips (bins) along x and along y, each with
 * conservative bounds of its interior. Before that, where there is AVX2, its
 * core: eight strips with two lines each, which registers hold. */

#include "hull.h"

G_BEGIN_DECLS

#define CS_HULL_MAX_BINS 2048

/* A candidate vertex, in the precision of the predicates. */
typedef struct
{
  double x, y;
  guint64 index;
} CsHullVertex;

/**
 * CsHullBins:
 * @origin: start of bin 1
 * @scale: bins per unit
 * @n_bins: bins of the polygon: 1 .. n_bins. Bins 0 and n_bins + 1 are outside
 *     of it; 0 if the filter cannot be used.
 * @low, @high: a point of bin k between low[k] and high[k], both exclusive, is
 *     strictly inside
 */
typedef struct
{
  double origin, scale;
  guint n_bins;
  double low[CS_HULL_MAX_BINS + 2], high[CS_HULL_MAX_BINS + 2];
} CsHullBins;

/* Strips of the core. */
#define CS_HULL_CORE 8

/**
 * CsHullCore:
 * @origin, @scale: u = (x - origin) * scale, in single precision, is in strip
 *     floor (u)
 * @is_there: else it cannot be used
 * @low_slope, @low, @high_slope, @high: a point of strip k above u *
 *     low_slope[k] + low[k] and below the other line is strictly inside
 */
typedef struct
{
  float origin, scale;
  gboolean is_there;
  float low_slope[CS_HULL_CORE], low[CS_HULL_CORE];
  float high_slope[CS_HULL_CORE], high[CS_HULL_CORE];
} CsHullCore;

/**
 * CsHullFilter:
 * @core: most of the polygon
 * @x, @y: strips along the axes
 * @origin32, @scale32, @low32, @high32: @x in single precision, rounded
 *     conservatively
 */
typedef struct
{
  CsHullCore core;
  CsHullBins x, y;
  float origin32, scale32;
  float low32[CS_HULL_MAX_BINS + 2], high32[CS_HULL_MAX_BINS + 2];
} CsHullFilter;

/* Fills in @filter from the convex polygon of @n vertices, counter-clockwise,
 * for points of @type, with @n_bins strips. FALSE if the polygon cannot be
 * used: fewer than three vertices, or too large or too thin for the error
 * bounds. */
gboolean cs_hull_filter_init (CsHullFilter * filter,
    const CsHullVertex * polygon, guint n, CsHullType type, guint n_bins);

/* Whether this machine's filters have a core. */
gboolean cs_hull_filter_has_core (void);

/* Points that cs_hull_filter_block() takes at most. */
#define CS_HULL_BLOCK 512

/* Writes which of the @n packed @points are not strictly inside by @filter to
 * @kept, in order, and returns how many they are; NaN and infinite points are
 * kept. */
guint cs_hull_filter_block (const CsHullFilter * filter, CsHullType type,
    const void *points, guint n, guint16 * kept);

/* Whether the finite point is strictly inside, by the y or the x strips. */
gboolean cs_hull_filter_inside_y (const CsHullFilter * filter, double x,
    double y);
gboolean cs_hull_filter_inside_x (const CsHullFilter * filter, double x,
    double y);

G_END_DECLS
