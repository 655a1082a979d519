/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPES_PRIVATE_H
#define GST_SHAPES_PRIVATE_H

#include "gstshapeset.h"

G_BEGIN_DECLS

/* The library's debug category, "shapes", made on first use: there is no
 * initialisation function that an application would have to call. */
#ifndef GST_DISABLE_GST_DEBUG
G_GNUC_INTERNAL GstDebugCategory *gst_shapes_debug_category (void);
#endif

/* Readers rely on these sizes: arrays are handed out as bytes. */
G_STATIC_ASSERT (sizeof (GstShapePoint) == 8);
G_STATIC_ASSERT (sizeof (GstShapePolyline) == 104);
G_STATIC_ASSERT (sizeof (GstShapeMoments) == 80);
G_STATIC_ASSERT (sizeof (GstShapeCircle) == 24);

/* Host memory for one layer's arrays, all in one block. */
typedef struct
{
  GstShapePoint *points;
  guint32 *offsets;
  GstShapePolyline *polylines;
  GstShapeMoments *moments;
  GstShapeCircle *circles;
} GstShapeBlock;

/* Makes a layer whose arrays are uninitialised memory in @block, which the
 * layer owns; only those that the layer has are not %NULL. The caller fills
 * them, offsets included, and calls gst_shape_layer_seal() before it hands the
 * layer to anybody. %NULL when there is not that much memory. */
G_GNUC_INTERNAL GstShapeLayer *gst_shape_layer_new_block (GstShapeLayerType
    type, gsize n_shapes, gsize n_points, gboolean has_points,
    gboolean has_moments, GstShapeBlock * block);

/* Whether what was filled in is a layer. If not, @layer is released. */
G_GNUC_INTERNAL gboolean gst_shape_layer_seal (GstShapeLayer * layer);

G_END_DECLS

#endif /* GST_SHAPES_PRIVATE_H */
