/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_PIXELS_H
#define GST_SHAPE_PIXELS_H

#include "gstshapeset.h"

G_BEGIN_DECLS

/* Both are documented in gstshapepixels.c. */
GST_SHAPES_API GBytes *gst_shape_set_get_masks_bytes (GstShapeSet * set,
    GstShapeKind kind, GError ** error);
GST_SHAPES_API GBytes *gst_shape_set_get_labels_bytes (GstShapeSet * set,
    GstShapeKind kind, GError ** error);

G_END_DECLS

#endif /* GST_SHAPE_PIXELS_H */
