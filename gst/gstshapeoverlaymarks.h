/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_OVERLAY_MARKS_H
#define GST_SHAPE_OVERLAY_MARKS_H

/*
 * Shapes as marks of the tile engine: what gstshaperaster.h paints on pictures
 * in the host's memory, for pictures on a GPU. The functions mean the same,
 * with two exceptions. Coverage of a pixel is linear in its distance from the
 * edge, which along slanted edges is up to .06 off the area it stands for. And
 * polylines, and circles that become ellipses, are not filled.
 */

#include <glib.h>

#include "base/array.h"
#include "gstshaperaster.h"
#include "raster/raster.h"
#include "shapes/gstshapes.h"

G_BEGIN_DECLS

/**
 * GstShapeMarks:
 * @marks: array of CsMark, in painting order
 * @lacks_filling: something was added that would have been filled
 *
 * The fields are read-only to others.
 */
typedef struct
{
  CsArray *marks;
  gboolean lacks_filling;

  /*< private >*/
  guint width, height;
  gdouble scale_x, scale_y, shift_x, shift_y;
  GstShapePaint paint;
  gint kind;
  guint32 group;
} GstShapeMarks;

void gst_shape_marks_init (GstShapeMarks * self);
void gst_shape_marks_clear (GstShapeMarks * self);

/* Forgets everything added; see gst_shape_raster_begin(). */
void gst_shape_marks_begin (GstShapeMarks * self, guint width, guint height,
    guint set_width, guint set_height);

void gst_shape_marks_add_polyline (GstShapeMarks * self,
    const GstShapePoint * points, gsize n, const GstShapePaint * paint);
void gst_shape_marks_add_dots (GstShapeMarks * self,
    const GstShapePoint * points, gsize n, const GstShapePaint * paint);
void gst_shape_marks_add_circles (GstShapeMarks * self,
    const GstShapeCircle * circles, gsize n, const GstShapePaint * paint);

G_END_DECLS

#endif /* GST_SHAPE_OVERLAY_MARKS_H */
