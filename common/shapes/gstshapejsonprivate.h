/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstshapejson.h"
#include "gstshapetext.h"

/* What several formats of JSON have in common. */

/* A polyline's record without its points and its closing brace, at @end, where
 * there is room for GST_SHAPE_TEXT_RECORD_MAX bytes. Returns where it ends. */
gchar *gst_shape_json_put_record (gchar * end, GstShapeSet * set,
    const GstShapeArrays * arrays, gsize i, gboolean with_image);

/* What of the record is of any number: defects, statistics. Follows it. */
void gst_shape_json_append_lists (GstShapeText * text,
    const GstShapeArrays * arrays, gsize i);

/* The name of a class, if it has one, after other keys. */
void gst_shape_json_append_class_name (GstShapeText * text,
    GstShapeLayer * layer, gint32 class_id);

/* The keys of a frame, from "frame" to "height", without braces. */
void gst_shape_json_append_frame (GstShapeText * text,
    const GstShapeJsonFrame * frame, GstShapeSet * set);

/* Whether a polyline is of another image than the first of a batch. */
gboolean gst_shape_json_has_images (GstShapeSet * set);
