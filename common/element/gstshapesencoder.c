/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapesencoder.h"

#include <gst/video/video.h>

#include "base/error.h"
#include "gstshapesmessage.h"
#include "gstshapesnegotiation.h"
#include "gstshapestags.h"

GST_DEBUG_CATEGORY_STATIC (gst_shapes_encoder_debug);
#define GST_CAT_DEFAULT gst_shapes_encoder_debug

#define gst_shapes_encoder_parent_class parent_class
G_DEFINE_ABSTRACT_TYPE_WITH_CODE (GstShapesEncoder, gst_shapes_encoder,
    GST_TYPE_ELEMENT, G_IMPLEMENT_INTERFACE (GST_TYPE_PRESET, NULL);
    GST_DEBUG_CATEGORY_INIT (gst_shapes_encoder_debug, "shapesencoder", 0,
        "turns shapes into text"));

/* Buffers */

static GstClockTime
buffer_reference (GstBuffer * buffer)
{
  GstReferenceTimestampMeta *meta =
      gst_buffer_get_reference_timestamp_meta (buffer, NULL);

  return meta ? meta->timestamp : GST_CLOCK_TIME_NONE;
}

static GBytes *
encode (GstShapesEncoder * self, GstBuffer * buffer, GError ** error)
{
  GstShapeJsonFrame frame = {
    .frame = self->n_frames,
    .pts = GST_BUFFER_PTS (buffer),
    .offset = GST_BUFFER_OFFSET (buffer),
    .reference = buffer_reference (buffer),
    .width = self->width,
    .height = self->height,
  };
  gchar *tags;

  if (!gst_shapes_tags_from_buffer (buffer, &tags, error))
    return NULL;
  frame.tags = tags;
  GBytes *bytes = GST_SHAPES_ENCODER_GET_CLASS (self)->encode (self, &frame,
      gst_buffer_get_shape_set (buffer), error);
  g_free (tags);
  return bytes;
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

/* Takes @text, which may be empty. */
static GstBuffer *
wrap (GBytes * text)
{
  gsize size;
  gpointer bytes = g_bytes_unref_to_data (text, &size);

  return bytes ? gst_buffer_new_wrapped (bytes, size) : gst_buffer_new ();
}

/* A buffer of @text, with @input's times. Takes @text. */
static GstBuffer *
make_output (GBytes * text, GstBuffer * input)
{
  GstBuffer *output = wrap (text);

  gst_buffer_copy_into (output, input, GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  GST_BUFFER_FLAG_SET (output, GST_BUFFER_FLAGS (input) &
      (GST_BUFFER_FLAG_DISCONT | GST_BUFFER_FLAG_CORRUPTED |
          GST_BUFFER_FLAG_DROPPABLE));
  gst_buffer_foreach_meta (input, copy_reference_timestamp, output);
  return output;
}

/* Drops a frame; not fatal. */
static void
drop (GstShapesEncoder * self, GstBuffer * buffer, const GError * error)
{
  GST_WARNING_OBJECT (self, "frame %" G_GUINT64_FORMAT " is left out: %s",
      self->n_frames, error->message);
  if (gst_shapes_drops_count (&self->drops))
    GST_SHAPES_WARNING (self, STREAM, ENCODE,
        "Frame %" G_GUINT64_FORMAT " is left out: %s. %s. \"dropped\" counts "
        "further ones.", self->n_frames, error->message,
        GST_SHAPES_ENCODER_GET_CLASS (self)->left_out_hint);
  gst_shapes_drops_report (&self->drops, buffer, &self->segment);
}

static gboolean
is_recoverable (const GError * error)
{
  return g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_ENCODE)
      || g_error_matches (error, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_NO_SPACE_LEFT)
      || g_error_matches (error, CS_ERROR, CS_ERROR_NO_MEMORY);
}

static GstFlowReturn
fail (GstShapesEncoder * self, const GError * error)
{
  GST_SHAPES_ERROR_FULL (self, RESOURCE, READ,
      ("The shapes of a frame cannot be read."),
      ("frame %" G_GUINT64_FORMAT ": %s", self->n_frames,
          error ? error->message : "no reason given"));
  return GST_FLOW_ERROR;
}

static GstFlowReturn
chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstShapesEncoder *self = GST_SHAPES_ENCODER (parent);
  GstFlowReturn ret = GST_FLOW_OK;
  GstBuffer *output = NULL;
  GError *error = NULL;

  if (!gst_buffer_get_shape_meta (buffer) &&
      !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP))
    GST_SHAPES_WARN_ONCE (self, self->warned_no_shapes, LIBRARY, SETTINGS,
        "The buffers carry no shapes, so there is nothing to write: put "
        "cudacontours, cudahull or another element that finds shapes upstream "
        "of %s.", GST_OBJECT_NAME (gst_element_get_factory
            (GST_ELEMENT_CAST (self))));
  GBytes *text = encode (self, buffer, &error);
  if (text)
    output = make_output (text, buffer);
  else if (is_recoverable (error))
    drop (self, buffer, error);
  else
    ret = fail (self, error);
  g_clear_error (&error);
  gst_buffer_unref (buffer);
  self->n_frames += ret == GST_FLOW_OK;
  if (!output)
    return ret;
  GST_LOG_OBJECT (self, "%" G_GSIZE_FORMAT " bytes",
      gst_buffer_get_size (output));
  return gst_pad_push (self->srcpad, output);
}

/* Events */

static void
take_caps (GstShapesEncoder * self, GstCaps * caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  gint width = 0, height = 0;

  /* tensors may have fields of these names that mean something else */
  if (g_str_has_prefix (gst_structure_get_name (structure), "video/")
      || g_str_has_prefix (gst_structure_get_name (structure), "image/")) {
    gst_structure_get_int (structure, "width", &width);
    gst_structure_get_int (structure, "height", &height);
  }
  self->width = (guint) MAX (width, 0);
  self->height = (guint) MAX (height, 0);
}

static gboolean
push_segment (GstShapesEncoder * self, GstEvent * event)
{
  const GstSegment *segment;
  GstSegment time;

  gst_shapes_push_fixed_caps (self->srcpad);
  gst_event_parse_segment (event, &segment);
  self->segment = *segment;
  if (segment->format == GST_FORMAT_TIME)
    return gst_pad_push_event (self->srcpad, event);

  gst_segment_init (&time, GST_FORMAT_TIME);
  GstEvent *made = gst_event_new_segment (&time);
  gst_event_set_seqnum (made, gst_event_get_seqnum (event));
  gst_event_unref (event);
  return gst_pad_push_event (self->srcpad, made);
}

/* An empty stream has caps and a segment, too. */
static void
ensure_segment (GstShapesEncoder * self)
{
  GstEvent *event;
  GstSegment time;

  gst_shapes_push_fixed_caps (self->srcpad);
  event = gst_pad_get_sticky_event (self->srcpad, GST_EVENT_SEGMENT, 0);
  if (event) {
    gst_event_unref (event);
    return;
  }
  gst_segment_init (&time, GST_FORMAT_TIME);
  gst_pad_push_event (self->srcpad, gst_event_new_segment (&time));
}

static void
finish (GstShapesEncoder * self)
{
  GstShapesEncoderClass *klass = GST_SHAPES_ENCODER_GET_CLASS (self);
  g_autoptr (GError) error = NULL;

  ensure_segment (self);
  if (!klass->finish)
    return;
  GBytes *text = klass->finish (self, &error);
  if (text) {
    gst_pad_push (self->srcpad, wrap (text));
  } else if (error) {
    GST_SHAPES_ERROR (self, RESOURCE, NO_SPACE_LEFT,
        "The end of the output cannot be written: %s.", error->message);
  }
}

static gboolean
sink_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstShapesEncoder *self = GST_SHAPES_ENCODER (parent);
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      take_caps (self, caps);
      gst_event_unref (event);
      return gst_shapes_push_fixed_caps (self->srcpad);
    case GST_EVENT_SEGMENT:
      return push_segment (self, event);
    case GST_EVENT_EOS:
      finish (self);
      return gst_pad_push_event (self->srcpad, event);
    default:
      return gst_pad_event_default (pad, parent, event);
  }
}

/* Bytes of the output are not bytes of the input. */
static gboolean
is_byte_seek (GstEvent * event)
{
  GstFormat format;

  gst_event_parse_seek (event, NULL, &format, NULL, NULL, NULL, NULL, NULL);
  return format == GST_FORMAT_BYTES;
}

static gboolean
src_event (GstPad * pad, GstObject * parent, GstEvent * event)
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
src_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_SEEKING && is_about_bytes (query)) {
    gst_query_set_seeking (query, GST_FORMAT_BYTES, FALSE, 0, -1);
    return TRUE;
  }
  /* nor are its positions known, nor can they be converted */
  if (is_about_bytes (query) || GST_QUERY_TYPE (query) == GST_QUERY_CONVERT)
    return FALSE;
  return gst_pad_query_default (pad, parent, query);
}

static gboolean
sink_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_ALLOCATION:
      /* buffers are not mapped and end here, so downstream is not asked */
      gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
      gst_query_add_allocation_meta (query, GST_SHAPE_META_API_TYPE, NULL);
      return TRUE;
    default:
      return gst_pad_query_default (pad, parent, query);
  }
}

/* Life */

static GstStateChangeReturn
change_state (GstElement * element, GstStateChange transition)
{
  GstShapesEncoder *self = GST_SHAPES_ENCODER (element);

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    if (GST_SHAPES_ENCODER_GET_CLASS (self)->reset)
      GST_SHAPES_ENCODER_GET_CLASS (self)->reset (self);
    self->n_frames = 0;
    self->width = 0;
    self->height = 0;
    self->warned_no_shapes = FALSE;
    gst_segment_init (&self->segment, GST_FORMAT_TIME);
    gst_shapes_drops_reset (&self->drops);
  }
  return GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
}

/* The templates are the subclass' own. */
static void
constructed (GObject * object)
{
  GstShapesEncoder *self = GST_SHAPES_ENCODER (object);
  GstElementClass *klass = GST_ELEMENT_GET_CLASS (self);

  G_OBJECT_CLASS (parent_class)->constructed (object);

  self->sinkpad = gst_pad_new_from_template
      (gst_element_class_get_pad_template (klass, "sink"), "sink");
  gst_pad_set_chain_function (self->sinkpad, chain);
  gst_pad_set_event_function (self->sinkpad, sink_event);
  gst_pad_set_query_function (self->sinkpad, sink_query);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_template
      (gst_element_class_get_pad_template (klass, "src"), "src");
  gst_pad_set_event_function (self->srcpad, src_event);
  gst_pad_set_query_function (self->srcpad, src_query);
  gst_pad_use_fixed_caps (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}

static void
gst_shapes_encoder_class_init (GstShapesEncoderClass * klass)
{
  G_OBJECT_CLASS (klass)->constructed = constructed;
  GST_ELEMENT_CLASS (klass)->change_state = change_state;
}

static void
gst_shapes_encoder_init (GstShapesEncoder * self)
{
  gst_shapes_drops_init (&self->drops, GST_ELEMENT_CAST (self));
}
