/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

#include "shapes/gstshapeset.h"

/**
 * GstShapesAspect:
 *
 * Whether an element has warned of shapes of another aspect ratio than the
 * frame that it draws them on, or adds others to. Frames are scaled, with or
 * without their pixels' aspect ratio, and shapes with them; anything else moves
 * the picture under the shapes, and before GStreamer 1.28 they do not follow.
 * Zero-initialise it, and reset it when a stream ends. Of one thread at a time.
 */
typedef struct
{
  /*< private >*/
  gboolean warned;
} GstShapesAspect;

/* Warns on @element's bus, once a stream, if @set (may be NULL) has another
 * aspect ratio than a frame of @info. Call it without the object lock. */
void gst_shapes_aspect_check (GstShapesAspect * aspect, GstElement * element,
    const GstShapeSet * set, const GstVideoInfo * info);

/* A stream ends. */
void gst_shapes_aspect_reset (GstShapesAspect * aspect);
