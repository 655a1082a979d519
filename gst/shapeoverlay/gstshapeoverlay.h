/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_OVERLAY_H
#define GST_SHAPE_OVERLAY_H

#include "element/gstshapestransform.h"

G_BEGIN_DECLS

#define GST_TYPE_SHAPE_OVERLAY (gst_shape_overlay_get_type ())
G_DECLARE_FINAL_TYPE (GstShapeOverlay, gst_shape_overlay, GST, SHAPE_OVERLAY,
    GstShapesTransform)

GST_ELEMENT_REGISTER_DECLARE (shapeoverlay);

G_END_DECLS

#endif /* GST_SHAPE_OVERLAY_H */
