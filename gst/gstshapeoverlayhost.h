/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_OVERLAY_HOST_H
#define GST_SHAPE_OVERLAY_HOST_H

/* How shapeoverlay draws on frames in system memory. */

#include <gst/video/video.h>

#include "gstshaperaster.h"

G_BEGIN_DECLS

/* Draws what was added to @raster on @buffer, which is writable; one in CUDA
 * memory makes the way to the host and back.
 *
 * @info: of the caps
 * Returns: %FALSE with @error set: GST_SHAPES_FRAME_ERROR for a frame that is
 *     not as @info says, of which nothing was touched, or CS_ERROR */
gboolean gst_shape_overlay_host_draw (GstShapeRaster * raster,
    const GstVideoInfo * info, GstBuffer * buffer, GError ** error);

G_END_DECLS

#endif /* GST_SHAPE_OVERLAY_HOST_H */
