/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/array.h"
#include "gstshapeset.h"

/**
 * GstShapePolygon: (skip)
 * @layer: its layer
 * @arrays: of its layer
 * @index: of its polyline there
 * @first_point: where its points begin among those of all polygons
 * @first_hole: where its first hole is in the list, -1 for none
 * @next_hole: the next hole of the same polygon, -1 for none
 * @is_joined: it is a hole in another one
 */
typedef struct
{
  GstShapeLayer *layer;
  const GstShapeArrays *arrays;
  gsize index, first_point;
  gssize first_hole, next_hole;
  gboolean is_joined;
} GstShapePolygon;

/* All polylines of a set as an array of GstShapePolygon, in their order: closed
 * contours around low values are holes of the closed contour around high values
 * that is their parent; those without one stand alone. They are valid as long
 * as @set is. Returns: %FALSE with @error set, when a layer cannot be
 * downloaded or memory runs out; @polygons is to be cleared all the same */
gboolean gst_shape_polygons_init (CsArray * polygons,
    GstShapeSet * set, GError ** error);

/* Whether polygon @index is closed, and it and its holes have points that are
 * all finite. */
gboolean gst_shape_polygon_is_known (const CsArray * polygons, gsize index);

static inline const GstShapePolyline *
gst_shape_polygon_get_record (const GstShapePolygon * polygon)
{
  return &polygon->arrays->polylines[polygon->index];
}

/* %NULL if there are no points. */
static inline const GstShapePoint *
gst_shape_polygon_get_points (const GstShapePolygon * polygon, gsize * n)
{
  const guint32 *offsets = polygon->arrays->offsets + polygon->index;

  *n = offsets[1] - offsets[0];
  return polygon->arrays->points ? polygon->arrays->points + offsets[0] : NULL;
}
