/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_SELECT_H
#define GST_SHAPE_SELECT_H

#include "gstshapeset.h"

G_BEGIN_DECLS

/**
 * GstShapeFilterFunc:
 * @polyline: the record of a contour or hull, with measures taken from its
 *     points if they were unknown
 * @user_data: what gst_shape_set_filter() was given
 *
 * Chooses polylines, in the order of layers and shapes.
 *
 * Returns: whether to keep it
 *
 * Since: 1.0
 */
typedef gboolean (*GstShapeFilterFunc) (const GstShapePolyline * polyline,
    gpointer user_data);

/* Both are documented in gstshapeselect.c. */
GST_SHAPES_API GstShapeSet *gst_shape_set_filter (GstShapeSet * set,
    GstShapeFilterFunc func, gpointer user_data, GError ** error);
GST_SHAPES_API GstShapeSet *gst_shape_set_assign_regions (GstShapeSet * set,
    GstShapeSet * regions, GError ** error);

G_END_DECLS

#endif /* GST_SHAPE_SELECT_H */
