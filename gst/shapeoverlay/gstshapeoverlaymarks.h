/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Shapes as marks and fills of the painter (raster/raster.h), in the order in
 * which they are added. Consecutive shapes with equal paint make up one
 * *group*: its closed polylines are filled together by the even-odd rule, so
 * that holes stay empty, then its outlines are painted as one, so that joints,
 * crossings and doubled lines are not blended twice. Pixel centres are at
 * integer coordinates.
 */

#include <glib.h>

#include "base/array.h"
#include "raster/raster.h"
#include "shapes/gstshapes.h"

/**
 * GstShapePaint:
 * @argb: 0xAARRGGBB
 * @line_opacity: 0 .. 1, multiplies the colour's alpha; 0: no outlines
 * @fill_opacity: 0 .. 1, likewise for what closed polylines and circles
 *     enclose; 0: nothing is filled
 * @line_width: width of outlines in pixels
 * @dashed: outlines of polylines are dashed
 * @hollow: closed polylines are not filled; those of one group can differ
 * @group: shapes with different numbers are not grouped
 */
typedef struct
{
  guint32 argb;
  gfloat line_opacity;
  gfloat fill_opacity;
  gfloat line_width;
  gboolean dashed;
  gboolean hollow;
  guint group;
} GstShapePaint;

/**
 * GstShapeMarks:
 *
 * What is to be painted on one frame. The memory is kept from frame to frame.
 */
typedef struct
{
  /*< private >*/
  CsArray *marks;               /* CsMark */
  CsArray *fills;               /* CsFill */
  CsArray *rings;               /* guint32 */
  CsArray *points;              /* pairs of gfloat */
  CsFills all_fills;
  guint width, height;
  gdouble scale_x, scale_y, shift_x, shift_y;
  GstShapePaint paint;
  gint kind;
  guint32 group;
} GstShapeMarks;

void gst_shape_marks_init (GstShapeMarks * self);
void gst_shape_marks_clear (GstShapeMarks * self);

/* Forgets everything added. What is added next lies in a space of @set_width x
 * @set_height pixels and is rescaled to @width x @height, the size of the
 * frame; a @set_width or @set_height of 0 means the frame's own. */
void gst_shape_marks_begin (GstShapeMarks * self, guint width, guint height,
    guint set_width, guint set_height);

/* Adds a polyline of @n points. It is filled if it is closed (its last point
 * equals its first). Segments with a non-finite end are left out, and polylines
 * with one are not filled. A single point makes a dot. */
void gst_shape_marks_add_polyline (GstShapeMarks * self,
    const GstShapePoint * points, gsize n, const GstShapePaint * paint);

/* Adds a dot of @paint's line width on each of @n points. */
void gst_shape_marks_add_dots (GstShapeMarks * self,
    const GstShapePoint * points, gsize n, const GstShapePaint * paint);

/* Adds @n circles, all in @paint's colour whatever theirs; their radius is the
 * middle of the outline. Circles that are not finite or have no radius are left
 * out. Anisotropic rescaling makes them ellipses. */
void gst_shape_marks_add_circles (GstShapeMarks * self,
    const GstShapeCircle * circles, gsize n, const GstShapePaint * paint);

/* What follows is in pixels of the frame, not rescaled. */

/* From the space of what is added to the frame's. */
void gst_shape_marks_map (const GstShapeMarks * self, gdouble * x, gdouble * y);

/* Begins a region of colour @argb (nonzero rule), whose rings the caller
 * appends to the arrays rings and points, and then counts. */
void gst_shape_marks_begin_region (GstShapeMarks * self, guint32 argb,
    gdouble opacity);
void gst_shape_marks_add_rings (GstShapeMarks * self, guint n);

/* Adds a filled rectangle. */
void gst_shape_marks_add_box (GstShapeMarks * self, gdouble x0, gdouble y0,
    gdouble x1, gdouble y1, guint32 argb, gdouble opacity);

/* Whether nothing that was added can touch the frame. */
gboolean gst_shape_marks_is_empty (const GstShapeMarks * self);

/* Whether memory ran out, so that something is missing. */
gboolean gst_shape_marks_have_failed (const GstShapeMarks * self);

/* Returns: what to paint, valid until something is added or begun */
CsMarks gst_shape_marks_get (GstShapeMarks * self);
