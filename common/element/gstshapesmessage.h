/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

/* Takes @text and @debug, and posts them as plain text (base/text.h): they may
 * have parts of files, of names and of what came over a network. */
void gst_shapes_message_post (GstElement * element, GstMessageType type,
    GQuark domain, gint code, gchar * text, gchar * debug, const gchar * file,
    const gchar * function, gint line);

/* Warns, once, if frames of @info have no alpha, so that
 * background=transparent is black. */
void gst_shapes_check_alpha (GstElement * element, const GstVideoInfo * info,
    gboolean * warned);

/* Returns: (transfer full): the beginning of an element message about @buffer:
 *     its times and its offset */
GstStructure *gst_shapes_message_new_report (GstBaseTransform * trans,
    const gchar * name, GstBuffer * buffer);

/* GST_ELEMENT_ERROR() and the like with plain text. Those named _FULL take the
 * text and what is for debugging in parentheses, as GStreamer's own do; the
 * others only the text, without parentheses. */
#define GST_SHAPES_ERROR(element, domain, code, ...) \
    GST_SHAPES_MESSAGE (element, ERROR, domain, code, (__VA_ARGS__), (NULL))
#define GST_SHAPES_WARNING(element, domain, code, ...) \
    GST_SHAPES_MESSAGE (element, WARNING, domain, code, (__VA_ARGS__), (NULL))
#define GST_SHAPES_ERROR_FULL(element, domain, code, text, debug) \
    GST_SHAPES_MESSAGE (element, ERROR, domain, code, text, debug)
#define GST_SHAPES_WARNING_FULL(element, domain, code, text, debug) \
    GST_SHAPES_MESSAGE (element, WARNING, domain, code, text, debug)
#define GST_SHAPES_INFO_FULL(element, domain, code, text, debug) \
    GST_SHAPES_MESSAGE (element, INFO, domain, code, text, debug)

/* A warning that is posted once, until @flag, which this sets, is %FALSE
 * again. */
#define GST_SHAPES_WARN_ONCE(element, flag, domain, code, ...) \
    G_STMT_START { \
      if (!(flag)) { \
        (flag) = TRUE; \
        GST_SHAPES_WARNING (element, domain, code, __VA_ARGS__); \
      } \
    } G_STMT_END

#define GST_SHAPES_MESSAGE(element, type, domain, code, text, debug) \
    gst_shapes_message_post (GST_ELEMENT (element), GST_MESSAGE_##type, \
        GST_##domain##_ERROR, GST_##domain##_ERROR_##code, \
        _gst_element_error_printf text, _gst_element_error_printf debug, \
        __FILE__, GST_FUNCTION, __LINE__)
