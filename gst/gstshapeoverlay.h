/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_OVERLAY_H
#define GST_SHAPE_OVERLAY_H

#include <gst/gst.h>
#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define GST_TYPE_SHAPE_OVERLAY (gst_shape_overlay_get_type ())
G_DECLARE_FINAL_TYPE (GstShapeOverlay, gst_shape_overlay, GST, SHAPE_OVERLAY,
    GstBaseTransform)

/**
 * GstShapeOverlayColorMode:
 * @GST_SHAPE_OVERLAY_COLOR_MODE_CLASS: a colour for each class
 * @GST_SHAPE_OVERLAY_COLOR_MODE_SHAPE: a colour for each shape
 * @GST_SHAPE_OVERLAY_COLOR_MODE_FIXED: one colour
 *
 * What a shape's colour says.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_SHAPE_OVERLAY_COLOR_MODE_CLASS,
  GST_SHAPE_OVERLAY_COLOR_MODE_SHAPE,
  GST_SHAPE_OVERLAY_COLOR_MODE_FIXED,
} GstShapeOverlayColorMode;

GST_ELEMENT_REGISTER_DECLARE (shapeoverlay);

G_END_DECLS

#endif /* GST_SHAPE_OVERLAY_H */
