/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstshapepolygons.h"

/**
 * GstShapeRun: (skip)
 * @row: of the picture; its column, where axes are exchanged
 * @first: the first pixel
 * @end: the one after the last
 *
 * Neighbouring pixels of a row that belong to a shape.
 */
typedef struct
{
  guint32 row, first, end;
} GstShapeRun;

/**
 * GstShapeRaster: (skip)
 * @runs: what was found last, an array of GstShapeRun
 *
 * Finds the pixels of polygons. Scratch memory is kept from one to the next;
 * zero-initialise it.
 */
typedef struct
{
  CsArray runs;
  /*< private > */
  CsArray events, starts, solid, blocked;
} GstShapeRaster;

/* The pixels of polygon @index of @polygons, an array of GstShapePolygon, in a
 * picture of @width x @height, from row to row and from left to right; runs of
 * a row do not touch. @by_columns: x and y change places, and so do rows and
 * columns. A pixel belongs to a polygon if its centre is inside the outline
 * (even-odd), inside none of its holes, and on no line of them; decisions are
 * exact. A polygon that is open or has a point that is not finite has none.
 * Memory is that of the outline's length. Returns: %FALSE when it runs out */
gboolean gst_shape_raster_run (GstShapeRaster * raster,
    const CsArray * polygons, gsize index, guint width, guint height,
    gboolean by_columns);
void gst_shape_raster_clear (GstShapeRaster * raster);
