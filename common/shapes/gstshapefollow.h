/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_FOLLOW_H
#define GST_SHAPE_FOLLOW_H

#include "gstshapetransform.h"

G_BEGIN_DECLS

/* Makes the shapes of @buffer, which has a #GstShapeMeta, follow the picture
 * through elements that transform metas by a matrix. Does nothing before
 * GStreamer 1.28, which has none. */
G_GNUC_INTERNAL void gst_shape_follow_attach (GstBuffer * buffer);

/* gst_shape_set_transform() that adds @first_id to all ids. */
G_GNUC_INTERNAL GstShapeSet *gst_shape_set_transform_ids (GstShapeSet * set,
    const GstShapeAffine * affine, guint width, guint height, gint32 first_id,
    GError ** error);

G_END_DECLS

#endif /* GST_SHAPE_FOLLOW_H */
