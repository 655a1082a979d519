/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstshapepolygons.h"
#include "simplify.h"

/**
 * GstShapeRings: (skip)
 * @points: of all rings; each ends with its first point
 * @ends: where each ring's points end, gsize
 * @parts: where each polygon's rings end, gsize: its outline, then its holes
 *
 * A polygon with holes, or several, as they are written. Zero-initialise it;
 * memory is kept from one polygon to the next.
 */
typedef struct
{
  CsArray points, ends, parts;
  /*< private > */
  CsArray places;
} GstShapeRings;

/* Takes polygon @index of @polygons, whose points are all known, and its holes
 * as one part. Returns: %FALSE without memory, as all that follow */
gboolean gst_shape_rings_take (GstShapeRings * rings,
    const CsArray * polygons, gsize index);

/* Leaves points out, as simplifier_run_rings() does. */
gboolean gst_shape_rings_simplify (GstShapeRings * rings,
    Simplifier * simplifier, gdouble tolerance);

/* Splits the polygon where its rings touch themselves or each other at corners,
 * into polygons as OGC and GEOS define them: rings do not touch themselves,
 * those of a polygon touch at single points at most, and its inside is in one
 * piece. Lines there and back are left out; no point moves, and there is no new
 * one. Outlines have a positive area then, and holes a negative one, if there
 * was anything to do. Nothing may be left. Rings that cross themselves or each
 * other between their corners are not mended. */
gboolean gst_shape_rings_make_valid (GstShapeRings * rings);
void gst_shape_rings_clear (GstShapeRings * rings);

/* The points of ring @i; @n of them, the last of which is the first. */
static inline const GstShapePoint *
gst_shape_rings_get (const GstShapeRings * rings, gsize i, gsize * n)
{
  const gsize *ends = &cs_array_index (&rings->ends, gsize, 0);
  const gsize first = i > 0 ? ends[i - 1] : 0;

  *n = ends[i] - first;
  return &cs_array_index (&rings->points, GstShapePoint, first);
}

/* Which points of @set stay, a byte for each in the order of layers, when each
 * polyline is simplified together with its holes; into @keep. Returns: %FALSE
 * with @error set when a layer cannot be downloaded or memory runs out */
gboolean gst_shape_polygons_simplify (GstShapeSet * set,
    gdouble tolerance, CsArray * keep, GError ** error);

/* Twice the signed area. */
gdouble gst_shape_ring_orient (const GstShapePoint * points, gsize n);
