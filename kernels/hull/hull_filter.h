/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Discards the points strictly inside a convex polygon in constant time per
 * point: the polygon is split into strips (bins) along x and along y, each with
 * conservative bounds of its interior. */

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

/**
 * CsHullFilter:
 * @x, @y: strips along the axes
 * @origin32, @scale32, @low32, @high32: @x in single precision, rounded
 *     conservatively
 */
typedef struct
{
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

/* keep[i] = 0 if point i of the packed @points is strictly inside by @filter's
 * x strips, else 1; NaN and infinite points are kept. */
void cs_hull_filter_block (const CsHullFilter * filter, CsHullType type,
    const void *points, guint n, guint8 * keep);

/* Whether the finite point is strictly inside, by the y or the x strips. */
gboolean cs_hull_filter_inside_y (const CsHullFilter * filter, double x,
    double y);
gboolean cs_hull_filter_inside_x (const CsHullFilter * filter, double x,
    double y);

G_END_DECLS
