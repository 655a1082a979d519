/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-shapejsonenc
 * @title: shapejsonenc
 * @short_description: turns shapes into lines of JSON
 *
 * Writes one line of JSON for every buffer, with the contours, hulls and
 * circles of its #GstShapeMeta, regardless of the buffer's content:
 *
 * |[
 * {"frame":0,"source":"cam1","pts":0,"offset":0,"width":640,"height":480,
 *  "shapes":[...]}
 * ]|
 *
 * A buffer without shapes gives `"shapes":[]`; then the size is that of the
 * caps, or null if they have none. A #GstReferenceTimestampMeta gives
 * `"reference-timestamp"`. `frame` counts the buffers from 0 since the element
 * was started. Numbers never depend on the locale.
 *
 * The output has a TIME segment: that of the input, or one from 0 if the input
 * has a BYTES segment, as from filesrc. Timestamps, duration and offset are
 * those of the input buffers.
 *
 * #GstShapeJsonEnc:points, #GstShapeJsonEnc:simplify and
 * #GstShapeJsonEnc:max-shapes reduce the size. A line longer than
 * #GstShapeJsonEnc:max-line-size, or for which there is no memory, is dropped,
 * counted in #GstShapeJsonEnc:dropped and reported in a QoS message, the first
 * one of a stream also in a warning; `frame` counts dropped lines, too.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 filesrc location=fruits.jpg ! jpegdec ! videoconvert ! video/x-raw,format=GRAY8 ! cudacontours level=0.5 ! shapejsonenc ! filesink location=fruits.jsonl
 * ]| Every contour of a photograph.
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! cudacontours ! shapejsonenc source-id=cam1 points=none ! tcpserversink port=5000
 * ]| Measures only, over the network.
 * |[
 * gst-launch-1.0 videotestsrc ! cudacontours ! tee name=t ! queue ! shapeoverlay ! videoconvert ! autovideosink t. ! queue ! shapejsonenc points=simplified simplify=0.5 ! filesink location=shapes.jsonl
 * ]| Displays contours and writes simplified ones to a file.
 *
 * Since: 0.1
 */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapejsonenc.h"

#include <gst/video/video.h>

#include "element/gstshapesdrops.h"
#include "element/gstshapesproperties.h"
#include "shapes/gstshapes.h"

GST_DEBUG_CATEGORY_STATIC (gst_shape_json_enc_debug);
#define GST_CAT_DEFAULT gst_shape_json_enc_debug

#define SRC_CAPS "application/x-ndjson"

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (SRC_CAPS));

typedef struct
{
  gchar *source_id;
  GstShapeJsonOptions options;
  guint64 max_line_size;
} Settings;

struct _GstShapeJsonEnc
{
  GstElement parent;

  GstPad *sinkpad, *srcpad;

  /* properties, with the object lock */
  Settings settings;

  GstShapesDrops drops;

  /* streaming thread */
  guint64 n_frames;
  guint width, height;
  GstSegment segment;
};

#define gst_shape_json_enc_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstShapeJsonEnc, gst_shape_json_enc, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (gst_shape_json_enc_debug, "shapejsonenc", 0,
        "turns shapes into lines of JSON"));
GST_ELEMENT_REGISTER_DEFINE (shapejsonenc, "shapejsonenc", GST_RANK_NONE,
    GST_TYPE_SHAPE_JSON_ENC);

/* Properties */

static const GstShapesProperty rows[] = {
  GST_SHAPES_STRING (Settings, source_id, "source-id", "Source ID", NULL, LIVE,
      "Name of the camera or file, written to every line as \"source\"; "
      "omitted if not set."),
  GST_SHAPES_ENUM (Settings, options.points, "points", "Points",
      gst_shape_json_points_get_type, GST_SHAPE_JSON_POINTS_FULL, LIVE,
      "Which points of contours and hulls to write."),
  GST_SHAPES_DOUBLE (Settings, options.simplify, "simplify", "Simplify", 0.,
      1e6, 0.5, LIVE,
      "With points=simplified, the maximum distance of a removed point from "
      "the simplified line, in pixels (Douglas-Peucker algorithm)."),
  GST_SHAPES_UINT (Settings, options.max_shapes, "max-shapes", "Maximum shapes",
      0, G_MAXUINT, 0, LIVE,
      "Write at most the first so many shapes of each buffer; 0 writes all."),
  GST_SHAPES_UINT64 (Settings, max_line_size, "max-line-size",
      "Maximum line size", 0, G_MAXUINT64, 64 * 1024 * 1024, LIVE,
      "Drop lines of more than this many bytes, including the newline; 0 is no "
      "limit."),
};

static const GstShapesProperties properties =
    GST_SHAPES_PROPERTIES (rows, Settings, 1);

static void
gst_shape_json_enc_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstShapeJsonEnc *self = GST_SHAPE_JSON_ENC (object);

  GST_OBJECT_LOCK (self);
  gst_shapes_properties_set (&properties, &self->settings, id, value);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_shape_json_enc_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstShapeJsonEnc *self = GST_SHAPE_JSON_ENC (object);

  GST_OBJECT_LOCK (self);
  gst_shapes_properties_get (&properties, &self->settings, id, value);
  gst_shapes_properties_get (&gst_shapes_drops_properties, &self->drops, id,
      value);
  GST_OBJECT_UNLOCK (self);
}

/* Buffers */

static GstClockTime
buffer_reference (GstBuffer * buffer)
{
  GstReferenceTimestampMeta *meta =
      gst_buffer_get_reference_timestamp_meta (buffer, NULL);

  return meta ? meta->timestamp : GST_CLOCK_TIME_NONE;
}

/* The buffer's line. */
static GBytes *
gst_shape_json_enc_write (GstShapeJsonEnc * self, GstBuffer * buffer,
    GError ** error)
{
  Settings now = { 0, };
  GstShapeJsonFrame frame;
  GBytes *line;

  GST_OBJECT_LOCK (self);
  gst_shapes_properties_copy (&properties, &now, &self->settings);
  GST_OBJECT_UNLOCK (self);

  frame.frame = self->n_frames;
  frame.source = now.source_id;
  frame.pts = GST_BUFFER_PTS (buffer);
  frame.offset = GST_BUFFER_OFFSET (buffer);
  frame.reference = buffer_reference (buffer);
  frame.width = self->width;
  frame.height = self->height;

  line = gst_shape_json_make_line (&frame, gst_buffer_get_shape_set (buffer),
      &now.options, (gsize) MIN (now.max_line_size, G_MAXSIZE), error);
  gst_shapes_properties_clear (&properties, &now);
  return line;
}

static gboolean
copy_reference_timestamp (GstBuffer * buffer, GstMeta ** meta, gpointer output)
{
  if ((*meta)->info->api == GST_REFERENCE_TIMESTAMP_META_API_TYPE) {
    GstReferenceTimestampMeta *from = (GstReferenceTimestampMeta *) * meta;

    gst_buffer_add_reference_timestamp_meta (output, from->reference,
        from->timestamp, from->duration);
  }
  return TRUE;
}

/* A buffer of @line (transfer full), with the timestamps of @input. */
static GstBuffer *
gst_shape_json_enc_make_output (GBytes * line, GstBuffer * input)
{
  gsize size;
  gpointer text = g_bytes_unref_to_data (line, &size);
  GstBuffer *output = gst_buffer_new_wrapped (text, size);

  gst_buffer_copy_into (output, input, GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  if (GST_BUFFER_IS_DISCONT (input))
    GST_BUFFER_FLAG_SET (output, GST_BUFFER_FLAG_DISCONT);
  gst_buffer_foreach_meta (input, copy_reference_timestamp, output);
  return output;
}

/* Drops a frame's line; not fatal. */
static void
gst_shape_json_enc_drop (GstShapeJsonEnc * self, GstBuffer * buffer,
    const GError * error)
{
  GST_WARNING_OBJECT (self, "frame %" G_GUINT64_FORMAT " is left out: %s",
      self->n_frames, error->message);
  if (gst_shapes_drops_count (&self->drops))
    GST_ELEMENT_WARNING (self, STREAM, ENCODE,
        ("The line of frame %" G_GUINT64_FORMAT " is left out: %s. Raise "
            "max-line-size, or write less with points=simplified, points=none "
            "or max-shapes. \"dropped\" counts further ones.", self->n_frames,
            error->message), (NULL));
  gst_shapes_drops_report (&self->drops, buffer, &self->segment);
}

static gboolean
is_recoverable (const GError * error)
{
  return g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_ENCODE)
      || g_error_matches (error, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_NO_SPACE_LEFT);
}

static GstFlowReturn
gst_shape_json_enc_fail (GstShapeJsonEnc * self, const GError * error)
{
  GST_ELEMENT_ERROR (self, RESOURCE, READ,
      ("The shapes of a frame cannot be read."),
      ("frame %" G_GUINT64_FORMAT ": %s", self->n_frames,
          error ? error->message : "no reason given"));
  return GST_FLOW_ERROR;
}

static GstFlowReturn
gst_shape_json_enc_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstShapeJsonEnc *self = GST_SHAPE_JSON_ENC (parent);
  GstFlowReturn ret = GST_FLOW_OK;
  GstBuffer *output = NULL;
  GError *error = NULL;
  GBytes *line = gst_shape_json_enc_write (self, buffer, &error);

  if (line)
    output = gst_shape_json_enc_make_output (line, buffer);
  else if (is_recoverable (error))
    gst_shape_json_enc_drop (self, buffer, error);
  else
    ret = gst_shape_json_enc_fail (self, error);
  g_clear_error (&error);
  gst_buffer_unref (buffer);
  self->n_frames += ret == GST_FLOW_OK;
  if (!output)
    return ret;
  GST_LOG_OBJECT (self, "a line of %" G_GSIZE_FORMAT " bytes",
      gst_buffer_get_size (output));
  return gst_pad_push (self->srcpad, output);
}

/* Events */

/* The caps come before the segment, whether the input has caps or not. */
static gboolean
gst_shape_json_enc_push_caps (GstShapeJsonEnc * self)
{
  GstCaps *caps;
  gboolean pushed;

  if (gst_pad_has_current_caps (self->srcpad))
    return TRUE;
  caps = gst_caps_new_empty_simple (SRC_CAPS);
  pushed = gst_pad_set_caps (self->srcpad, caps);
  gst_caps_unref (caps);
  return pushed;
}

static void
gst_shape_json_enc_take_caps (GstShapeJsonEnc * self, GstCaps * caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  gint width = 0, height = 0;

  /* in caps of tensors, fields of these names may have other meanings */
  if (g_str_has_prefix (gst_structure_get_name (structure), "video/")
      || g_str_has_prefix (gst_structure_get_name (structure), "image/")) {
    gst_structure_get_int (structure, "width", &width);
    gst_structure_get_int (structure, "height", &height);
  }
  self->width = (guint) MAX (width, 0);
  self->height = (guint) MAX (height, 0);
}

static gboolean
gst_shape_json_enc_push_segment (GstShapeJsonEnc * self, GstEvent * event)
{
  const GstSegment *segment;
  GstSegment time;
  GstEvent *made;

  gst_shape_json_enc_push_caps (self);
  gst_event_parse_segment (event, &segment);
  self->segment = *segment;
  if (segment->format == GST_FORMAT_TIME)
    return gst_pad_push_event (self->srcpad, event);

  gst_segment_init (&time, GST_FORMAT_TIME);
  made = gst_event_new_segment (&time);
  gst_event_set_seqnum (made, gst_event_get_seqnum (event));
  gst_event_unref (event);
  return gst_pad_push_event (self->srcpad, made);
}

/* EOS before the first buffer: stream-start, caps and segment are still due. */
static void
gst_shape_json_enc_complete (GstShapeJsonEnc * self)
{
  GstEvent *event;
  GstSegment time;

  gst_shape_json_enc_push_caps (self);
  event = gst_pad_get_sticky_event (self->srcpad, GST_EVENT_SEGMENT, 0);
  if (event) {
    gst_event_unref (event);
    return;
  }
  gst_segment_init (&time, GST_FORMAT_TIME);
  gst_pad_push_event (self->srcpad, gst_event_new_segment (&time));
}

static gboolean
gst_shape_json_enc_sink_event (GstPad * pad, GstObject * parent,
    GstEvent * event)
{
  GstShapeJsonEnc *self = GST_SHAPE_JSON_ENC (parent);
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      gst_shape_json_enc_take_caps (self, caps);
      gst_event_unref (event);
      return gst_shape_json_enc_push_caps (self);
    case GST_EVENT_SEGMENT:
      return gst_shape_json_enc_push_segment (self, event);
    case GST_EVENT_EOS:
      gst_shape_json_enc_complete (self);
      return gst_pad_push_event (self->srcpad, event);
    default:
      return gst_pad_event_default (pad, parent, event);
  }
}

/* Byte positions of the output do not map to the input. */
static gboolean
is_byte_seek (GstEvent * event)
{
  GstFormat format;

  gst_event_parse_seek (event, NULL, &format, NULL, NULL, NULL, NULL, NULL);
  return format == GST_FORMAT_BYTES;
}

static gboolean
gst_shape_json_enc_src_event (GstPad * pad, GstObject * parent,
    GstEvent * event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK && is_byte_seek (event)) {
    gst_event_unref (event);
    return FALSE;
  }
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
is_about_bytes (GstQuery * query)
{
  GstFormat format = GST_FORMAT_UNDEFINED;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_POSITION:
      gst_query_parse_position (query, &format, NULL);
      break;
    case GST_QUERY_DURATION:
      gst_query_parse_duration (query, &format, NULL);
      break;
    case GST_QUERY_SEEKING:
      gst_query_parse_seeking (query, &format, NULL, NULL, NULL);
      break;
    default:
      break;
  }
  return format == GST_FORMAT_BYTES;
}

static gboolean
gst_shape_json_enc_src_query (GstPad * pad, GstObject * parent,
    GstQuery * query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_SEEKING && is_about_bytes (query)) {
    gst_query_set_seeking (query, GST_FORMAT_BYTES, FALSE, 0, -1);
    return TRUE;
  }
  /* byte positions are unknown, and cannot be converted */
  if (is_about_bytes (query) || GST_QUERY_TYPE (query) == GST_QUERY_CONVERT)
    return FALSE;
  return gst_pad_query_default (pad, parent, query);
}

static gboolean
gst_shape_json_enc_sink_query (GstPad * pad, GstObject * parent,
    GstQuery * query)
{
  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_ALLOCATION:
      /* buffers are neither mapped nor forwarded: answered without
       * downstream */
      gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
      gst_query_add_allocation_meta (query, GST_SHAPE_META_API_TYPE, NULL);
      return TRUE;
    default:
      return gst_pad_query_default (pad, parent, query);
  }
}

/* Life cycle */

static GstStateChangeReturn
gst_shape_json_enc_change_state (GstElement * element,
    GstStateChange transition)
{
  GstShapeJsonEnc *self = GST_SHAPE_JSON_ENC (element);

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    self->n_frames = 0;
    self->width = 0;
    self->height = 0;
    gst_segment_init (&self->segment, GST_FORMAT_TIME);
    gst_shapes_drops_reset (&self->drops);
  }
  return GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
}

static void
gst_shape_json_enc_finalize (GObject * object)
{
  GstShapeJsonEnc *self = GST_SHAPE_JSON_ENC (object);

  gst_shapes_properties_clear (&properties, &self->settings);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_shape_json_enc_class_init (GstShapeJsonEncClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->set_property = gst_shape_json_enc_set_property;
  object_class->get_property = gst_shape_json_enc_get_property;
  object_class->finalize = gst_shape_json_enc_finalize;
  gst_shapes_properties_install (&properties, object_class);
  gst_shapes_properties_install (&gst_shapes_drops_properties, object_class);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Shape JSON encoder",
      "Codec/Encoder/Metadata",
      "Turns the contours, hulls and circles found in a frame into a line of "
      "JSON", "The gst-cudashapes authors");
  element_class->change_state = gst_shape_json_enc_change_state;
}

static void
gst_shape_json_enc_init (GstShapeJsonEnc * self)
{
  gst_shapes_properties_init (&properties, &self->settings);
  gst_shapes_drops_init (&self->drops, GST_ELEMENT_CAST (self));

  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, gst_shape_json_enc_chain);
  gst_pad_set_event_function (self->sinkpad, gst_shape_json_enc_sink_event);
  gst_pad_set_query_function (self->sinkpad, gst_shape_json_enc_sink_query);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_event_function (self->srcpad, gst_shape_json_enc_src_event);
  gst_pad_set_query_function (self->srcpad, gst_shape_json_enc_src_query);
  gst_pad_use_fixed_caps (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}
