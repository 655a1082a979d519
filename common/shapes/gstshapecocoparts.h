/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What shapes are to COCO: parts of objects. */

#include "gstshaperaster.h"
#include "gstshapewriter.h"

/**
 * GstShapeCocoPart: (skip)
 * @polygon: its index in the writer's list
 * @next: the next part of its object in the list of parts, -1 for none
 * @is_first: it begins an object
 */
typedef struct
{
  gsize polygon;
  gssize next;
  gboolean is_first;
} GstShapeCocoPart;

/* An annotation's bounding box and area. */
typedef struct
{
  gdouble x0, y0, x1, y1, area;
} GstShapeCocoExtent;

/* Shapes that may be objects, an array of GstShapeCocoPart, in order: closed
 * ones of which all is known, but for holes. A hole whose outline is not there
 * is none. Memory that runs out is lost in the text. */
void gst_shape_coco_list_parts (GstShapeWriter * writer,
    GstShapeCocoGroup group_by, CsArray * parts);

/* The value of "segmentation", of @part and those that follow it. Returns:
 * %FALSE if there is nothing to write; then some of it may have been */
gboolean gst_shape_coco_append_polygons (GstShapeWriter * writer,
    const CsArray * parts, const GstShapeCocoPart * part,
    GstShapeCocoExtent * extent);
gboolean gst_shape_coco_append_rle (GstShapeWriter * writer,
    GstShapeRaster * raster, CsArray * runs, guint width, guint height,
    const CsArray * parts, const GstShapeCocoPart * part,
    GstShapeCocoExtent * extent);

static inline const GstShapeCocoPart *
gst_shape_coco_next_part (const CsArray * parts, const GstShapeCocoPart * part)
{
  return part->next < 0 ? NULL :
      &cs_array_index (parts, GstShapeCocoPart, part->next);
}

static inline const GstShapePolygon *
gst_shape_coco_get_polygon (const GstShapeWriter * writer,
    const GstShapeCocoPart * part)
{
  return &cs_array_index (&writer->polygons, GstShapePolygon, part->polygon);
}
