/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "gstshapesproperties.h"

/**
 * GstShapesDrops:
 *
 * The frames that an element leaves out because nothing can be done with them:
 * too short, with a GstVideoMeta that contradicts the caps or the memory, in
 * memory that cannot be mapped, or beyond a limit. The stream goes on. The
 * first one of a stream is told as a warning, each one as a QoS message, and
 * the property "dropped" counts them. Part of the element's structure.
 */
typedef struct
{
  /*< private >*/
  GstElement *element;
  /* with the object lock */
  guint64 n;
  gboolean warned;
} GstShapesDrops;

void gst_shapes_drops_init (GstShapesDrops * drops, GstElement * element);

/* A stream begins: its first dropped frame is told again. Counting goes on. */
void gst_shapes_drops_reset (GstShapesDrops * drops);

/* "dropped", read-only, of a GstShapesDrops; with the object lock. */
extern const GstShapesProperties gst_shapes_drops_properties;

/* Counts one. Call it without the object lock, as those that follow.
 *
 * Returns: whether it is the first one of the stream, of which the caller
 *     warns */
gboolean gst_shapes_drops_count (GstShapesDrops * drops);

/* Reports that @buffer, of @segment, was dropped and counted. */
void gst_shapes_drops_report (GstShapesDrops * drops, GstBuffer * buffer,
    const GstSegment * segment);

/* Counts and reports @buffer if @error is one that only concerns this frame:
 * any of GST_SHAPES_FRAME_ERROR, or CS_ERROR_LIMIT.
 *
 * @segment: that @buffer belongs to
 * Returns: whether the frame is to be dropped; otherwise nothing was done, and
 *     @error is to be posted as one */
gboolean gst_shapes_drops_take (GstShapesDrops * drops, GstBuffer * buffer,
    const GstSegment * segment, const GError * error);
