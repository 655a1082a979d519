/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapesdrops.h"

#include "base/error.h"
#include "gstshapesframe.h"
#include "gstshapesmessage.h"

static const GstShapesProperty rows[] = {
  GST_SHAPES_UINT64 (GstShapesDrops, n, "dropped", "Dropped frames", 0,
      G_MAXUINT64, 0, READ_ONLY, "How many frames were left out because they "
      "were too short, their GstVideoMeta contradicted the caps or the memory, "
      "or they went beyond a limit; of text, lines and documents beyond a "
      "limit, and lines that could not be read."),
};

const GstShapesProperties gst_shapes_drops_properties =
    GST_SHAPES_PROPERTIES (rows, GstShapesDrops, 1000);

void
gst_shapes_drops_init (GstShapesDrops * drops, GstElement * element)
{
  drops->element = element;
  drops->n = 0;
  drops->warned = FALSE;
}

void
gst_shapes_drops_reset (GstShapesDrops * drops)
{
  GST_OBJECT_LOCK (drops->element);
  drops->warned = FALSE;
  GST_OBJECT_UNLOCK (drops->element);
}

/* What to do about it, where the error itself does not say so. */
static const gchar *
get_advice (const GError * error)
{
  if (error->domain != GST_SHAPES_FRAME_ERROR)
    return "";
  switch (error->code) {
    case GST_SHAPES_FRAME_ERROR_SHORT:
      return " Is it the last one of a file? If all are, set filesrc's "
          "blocksize to the frame's size.";
    case GST_SHAPES_FRAME_ERROR_LAYOUT:
      return " The element that made the frame must give it a GstVideoMeta "
          "that fits its memory and the caps.";
    default:
      return " Put an element that copies frames to system memory before this "
          "one.";
  }
}

gboolean
gst_shapes_drops_count (GstShapesDrops * drops)
{
  GST_OBJECT_LOCK (drops->element);
  drops->n++;
  const gboolean is_first = !drops->warned;
  drops->warned = TRUE;
  GST_OBJECT_UNLOCK (drops->element);
  return is_first;
}

void
gst_shapes_drops_report (GstShapesDrops * drops, GstBuffer * buffer,
    const GstSegment * segment)
{
  const GstClockTime pts = GST_BUFFER_PTS (buffer);
  guint64 running_time = GST_CLOCK_TIME_NONE;
  guint64 stream_time = GST_CLOCK_TIME_NONE;

  if (segment->format == GST_FORMAT_TIME) {
    running_time = gst_segment_to_running_time (segment, GST_FORMAT_TIME, pts);
    stream_time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME, pts);
  }
  GST_OBJECT_LOCK (drops->element);
  const guint64 n = drops->n;
  GST_OBJECT_UNLOCK (drops->element);
  GstMessage *message = gst_message_new_qos (GST_OBJECT_CAST (drops->element),
      FALSE, running_time, stream_time, pts, GST_BUFFER_DURATION (buffer));
  /* how many were not dropped is not known */
  gst_message_set_qos_stats (message, GST_FORMAT_BUFFERS, G_MAXUINT64, n);
  gst_element_post_message (drops->element, message);
}

gboolean
gst_shapes_drops_take (GstShapesDrops * drops, GstBuffer * buffer,
    const GstSegment * segment, const GError * error)
{
  /* others concern more than one frame */
  if (!error || (error->domain != GST_SHAPES_FRAME_ERROR &&
          !g_error_matches (error, CS_ERROR, CS_ERROR_LIMIT)))
    return FALSE;
  GST_INFO_OBJECT (drops->element, "dropping a frame: %s", error->message);
  if (gst_shapes_drops_count (drops))
    GST_SHAPES_WARNING (drops->element, STREAM, FORMAT,
        "A buffer %s: %s.%s The property \"dropped\" goes on counting.",
        g_error_matches (error, GST_SHAPES_FRAME_ERROR,
            GST_SHAPES_FRAME_ERROR_SHORT) ? "was too short and is left out" :
        "is left out", error->message, get_advice (error));
  gst_shapes_drops_report (drops, buffer, segment);
  return TRUE;
}
