/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapesmessage.h"

#include "base/text.h"

/* Bytes of a message, which says what to do and names a file. */
#define MAX_SIZE 8192

static gchar *
take_plain (gchar * text)
{
  gchar *plain = text ? cs_text_make_plain (text, -1, MAX_SIZE, TRUE) : NULL;

  g_free (text);
  return plain;
}

void
gst_shapes_message_post (GstElement * element, GstMessageType type,
    GQuark domain, gint code, gchar * text, gchar * debug, const gchar * file,
    const gchar * function, gint line)
{
  gst_element_message_full (element, type, domain, code, take_plain (text),
      take_plain (debug), file, function, line);
}

void
gst_shapes_check_alpha (GstElement * element, const GstVideoInfo * info,
    gboolean * warned)
{
  if (!GST_VIDEO_INFO_HAS_ALPHA (info))
    GST_SHAPES_WARN_ONCE (element, *warned, LIBRARY, SETTINGS,
        "background=transparent needs a format with alpha, which %s is not: "
        "the background is black. Ask for one, such as "
        "video/x-raw,format=RGBA, or set background=black or white.",
        GST_VIDEO_INFO_NAME (info));
}

GstStructure *
gst_shapes_message_new_report (GstBaseTransform * trans,
    const gchar * name, GstBuffer * buffer)
{
  const GstSegment *segment = &trans->segment;
  const GstClockTime pts = GST_BUFFER_PTS (buffer);
  guint64 stream_time = GST_CLOCK_TIME_NONE;
  guint64 running_time = GST_CLOCK_TIME_NONE;

  if (segment->format == GST_FORMAT_TIME) {
    stream_time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME, pts);
    running_time = gst_segment_to_running_time (segment, GST_FORMAT_TIME, pts);
  }
  return gst_structure_new (name,
      "timestamp", G_TYPE_UINT64, pts,
      "stream-time", G_TYPE_UINT64, stream_time,
      "running-time", G_TYPE_UINT64, running_time,
      "duration", G_TYPE_UINT64, GST_BUFFER_DURATION (buffer),
      "offset", G_TYPE_UINT64, GST_BUFFER_OFFSET (buffer), NULL);
}
