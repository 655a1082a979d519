/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CS_HULL_FILTER_H
#define CS_HULL_FILTER_H

/* Dropping the points that lie strictly inside a convex polygon, at the same
 * price whatever the number of its edges: the polygon is cut into strips (bins)
 * along x and along y, each with bounds between which a point of the strip is
 * certainly strictly inside. */

#include "hull.h"

G_BEGIN_DECLS

#define CS_HULL_MAX_BINS 2048

/* A point on its way to the hull, in the precision of the predicates. */
typedef struct
{
  double x, y;
  guint64 index;
} CsHullVertex;

/**
 * CsHullBins:
 * @origin: where bin 1 begins
 * @scale: bins a unit
 * @n_bins: bins within the polygon: 1 .. n_bins. Bins 0 and n_bins + 1 are
 *     what lies beyond, and nothing is inside there; 0 when unusable.
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
 * @origin32, @scale32, @low32, @high32: @x in single precision, rounded to the
 *     safe side
 */
typedef struct
{
  CsHullBins x, y;
  float origin32, scale32;
  float low32[CS_HULL_MAX_BINS + 2], high32[CS_HULL_MAX_BINS + 2];
} CsHullFilter;

/* Fills in @filter from the convex polygon of @n vertices, counter-clockwise,
 * for points of @type, with @n_bins strips. FALSE when that polygon cannot
 * serve: fewer than three vertices, or magnitudes that leave no room for
 * rounding. */
gboolean cs_hull_filter_init (CsHullFilter * filter,
    const CsHullVertex * polygon, guint n, CsHullType type, guint n_bins);

/* keep[i] = 0 where point i of the packed @points is found strictly inside by
 * @filter's x strips, else 1; NaN and infinite points are kept. */
void cs_hull_filter_block (const CsHullFilter * filter, CsHullType type,
    const void *points, guint n, guint8 * keep);

/* Whether the finite point is strictly inside, by the y or the x strips. */
gboolean cs_hull_filter_inside_y (const CsHullFilter * filter, double x,
    double y);
gboolean cs_hull_filter_inside_x (const CsHullFilter * filter, double x,
    double y);

G_END_DECLS

#endif /* CS_HULL_FILTER_H */
