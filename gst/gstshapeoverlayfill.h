/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_OVERLAY_FILL_H
#define GST_SHAPE_OVERLAY_FILL_H

#include "shapes/gstshapes.h"

G_BEGIN_DECLS

/* Says which of @n polylines, of one class, level and image, are filled
 * together by the even-odd rule, such that a hole takes away from the region
 * that it lies in, and from nothing else. From the outermost inwards, a region
 * is filled unless the next closed polyline around it that is filled is a
 * region, too, and a hole only if that is one; what is open is not. @hollow[i]
 * becomes %FALSE where it is. Rows of pixels beyond @height are not looked at.
 * Polylines that cross rows some ten million times are all filled. */
void gst_shape_overlay_select_filled (const GstShapePoint * points,
    const guint32 * offsets, const GstShapePolyline * polylines, gsize n,
    guint height, gboolean * hollow);

G_END_DECLS

#endif /* GST_SHAPE_OVERLAY_FILL_H */
