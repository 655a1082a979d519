/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Which polylines of a set stand for an object each. */

#include "shapes/gstshapes.h"

/**
 * GstShapesObjectKind:
 * @GST_SHAPES_OBJECT_AUTO: hulls if there are any, else contours
 * @GST_SHAPES_OBJECT_CONTOUR: contours that are no holes
 * @GST_SHAPES_OBJECT_HULL: hulls, but those of holes
 */
typedef enum
{
  GST_SHAPES_OBJECT_AUTO,
  GST_SHAPES_OBJECT_CONTOUR,
  GST_SHAPES_OBJECT_HULL,
} GstShapesObjectKind;

GType gst_shapes_object_kind_get_type (void);

/* Polyline @i of @arrays, those of layer @layer. */
typedef void (*GstShapesObjectFunc) (gpointer user_data, guint layer,
    const GstShapeArrays * arrays, gsize i);

/* Calls @func for the objects of @set, in their order.
 *
 * Returns: %FALSE with @error set if a layer cannot be downloaded, or without
 *     memory */
gboolean gst_shapes_objects_foreach (GstShapeSet * set,
    GstShapesObjectKind kind, GstShapesObjectFunc func, gpointer user_data,
    GError ** error);
