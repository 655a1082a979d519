/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_TRANSFORM_H
#define GST_SHAPE_TRANSFORM_H

#include "gstshapeset.h"

G_BEGIN_DECLS

/**
 * GstShapeAffine:
 * @xx: x' for each x
 * @xy: x' for each y
 * @x0: x' of the origin
 * @yx: y' for each x
 * @yy: y' for each y
 * @y0: y' of the origin
 *
 * x' = @xx x + @xy y + @x0, y' = @yx x + @yy y + @y0, in pixels whose centres
 * are at integer coordinates: a horizontal flip of a frame of width w is
 * x' = w - 1 - x, a scale by s is x' = s x + (s - 1) / 2.
 *
 * Since: 1.0
 */
typedef struct
{
  gdouble xx, xy, x0;
  gdouble yx, yy, y0;
} GstShapeAffine;

GST_SHAPES_API GstShapeSet *gst_shape_set_transform (GstShapeSet * set,
    const GstShapeAffine * affine, guint width, guint height, GError ** error);
GST_SHAPES_API GstShapeSet *gst_shape_set_scale (GstShapeSet * set, gdouble x,
    gdouble y, GError ** error);

G_END_DECLS

#endif /* GST_SHAPE_TRANSFORM_H */
