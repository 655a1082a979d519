/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_OVERLAY_DEVICE_H
#define GST_SHAPE_OVERLAY_DEVICE_H

/* How shapeoverlay draws on frames in the memory of a GPU. Only in builds with
 * CUDA. */

#include <gst/video/video.h>

#include "base/array.h"
#include "raster/raster.h"

G_BEGIN_DECLS

/**
 * GstShapeOverlayDevice:
 *
 * The tile engine in one CUDA context.
 */
typedef struct _GstShapeOverlayDevice GstShapeOverlayDevice;

/* The GstCudaContext of @buffer's memory, borrowed; %NULL if it is not CUDA
 * memory. */
gpointer gst_shape_overlay_device_find_context (GstBuffer * buffer);

/* @context: a GstCudaContext, a reference is taken
 * Returns: the engine, or %NULL with @error (CS_ERROR) set */
GstShapeOverlayDevice *gst_shape_overlay_device_new (gpointer context,
    GError ** error);
void gst_shape_overlay_device_free (GstShapeOverlayDevice * self);
gpointer gst_shape_overlay_device_get_context (GstShapeOverlayDevice * self);

/* Paints @marks (CsMark) on @buffer, which is writable. Fails with CS_ERROR or
 * GST_SHAPES_FRAME_ERROR. */
gboolean gst_shape_overlay_device_draw (GstShapeOverlayDevice * self,
    const GstVideoInfo * info, GstBuffer * buffer, const CsArray * marks,
    GError ** error);

G_END_DECLS

#endif /* GST_SHAPE_OVERLAY_DEVICE_H */
