/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the elements answer and report alike when caps and memory are agreed
 * on. */

#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>

/* A GstBaseTransformClass::get_unit_size for raw video: the size of a frame.
 *
 * @size: (out): in bytes
 * Returns: %FALSE if @caps are not those of raw video */
gboolean gst_shapes_get_video_unit_size (GstBaseTransform * trans,
    GstCaps * caps, gsize * size);

/* Shapes that come without a frame, as shapejsondec reads them: buffers that
 * are empty but for their GstShapeMeta. */
#define GST_SHAPES_ALONE_CAPS "application/x-shapes"

gboolean gst_shapes_caps_are_alone (const GstCaps * caps);

/* Adds @api to what an ALLOCATION query says is understood, unless it is there
 * already, and then with its parameters as they are. */
void gst_shapes_propose_meta (GstQuery * query, GType api);

/* Posts the error that a buffer came before its caps. From the streaming
 * thread.
 *
 * Returns: what to return for that buffer */
GstFlowReturn gst_shapes_post_no_caps (GstElement * element);

/* Whether what comes to @sinkpad is live. */
gboolean gst_shapes_is_live (GstPad * sinkpad);

/* The pads "sink" and "src" of an element's class, by their caps, and what
 * gst-inspect-1.0 says of it. The latter is static. */
void gst_shapes_element_class_describe (GstElementClass * klass,
    const gchar * sink_caps, const gchar * src_caps, const gchar * name,
    const gchar * classes, const gchar * description);

/* Sets the caps of @srcpad, which are those of its template, unless it has
 * some: they come before the segment, whether the input has caps or not. */
gboolean gst_shapes_push_fixed_caps (GstPad * srcpad);
