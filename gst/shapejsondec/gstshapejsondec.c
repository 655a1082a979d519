/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-shapejsondec
 * @title: shapejsondec
 * @short_description: turns lines of JSON back into shapes
 *
 * Parses the output of shapejsonenc and compatible lines: newline-delimited
 * JSON from a file, a socket, or the program of a neural network. Each line
 * becomes an empty buffer with a #GstShapeMeta, and the timestamp, offset and
 * reference timestamp of the line. A line without a timestamp gets that of the
 * buffer in which it ended.
 *
 * Lines may be split into buffers anywhere. A line that is malformed, or longer
 * than #GstShapeJsonDec:max-size, is dropped, counted in
 * #GstShapeJsonDec:dropped and reported in a QoS message; the first of a stream
 * also in a warning with the line number and the reason.
 *
 * Lines may come from strangers: what is made of one takes at most 16 times its
 * size and 3 MiB of memory, and no name in it is registered as a type. Tags
 * become GstCustomMetas of their names only if #GstShapeJsonDec:metas lists
 * them; others are text in the meta "shape-tags".
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 filesrc location=shapes.jsonl ! shapejsondec ! shapejsonenc points=none ! fdsink
 * ]| Reduces a file with all points to measures.
 *
 * Since: 1.0
 */

#include <gst/gst.h>
#include <string.h>

#include "base/array.h"
#include "element/gstshapesdrops.h"
#include "element/gstshapesmessage.h"
#include "element/gstshapesnegotiation.h"
#include "element/gstshapesproperties.h"
#include "element/gstshapestags.h"
#include "shapes/gstshapes.h"

#define GST_TYPE_SHAPE_JSON_DEC (gst_shape_json_dec_get_type ())
G_DECLARE_FINAL_TYPE (GstShapeJsonDec, gst_shape_json_dec, GST, SHAPE_JSON_DEC,
    GstElement)

GST_DEBUG_CATEGORY_STATIC (json_dec_debug);
#define GST_CAT_DEFAULT json_dec_debug

typedef struct
{
  guint64 max_size;
  gchar *metas;
} Settings;

struct _GstShapeJsonDec
{
  GstElement parent;

  GstPad *sinkpad, *srcpad;

  /* with the object lock */
  Settings settings;

  GstShapesDrops drops;

  /* streaming thread */
  GstSegment segment;
  gchar **metas;                /* names of "metas" */
  CsArray line;                 /* gchar: incomplete line */
  guint64 n_lines;
  gboolean is_skipping;         /* until the end of a line that is too long */
};

#define gst_shape_json_dec_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstShapeJsonDec, gst_shape_json_dec, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (json_dec_debug, "shapejsondec", 0,
        "turns lines of JSON into shapes"));
GST_ELEMENT_REGISTER_DECLARE (shapejsondec);
GST_ELEMENT_REGISTER_DEFINE (shapejsondec, "shapejsondec", GST_RANK_NONE,
    GST_TYPE_SHAPE_JSON_DEC);

/* Properties */

static const GstShapesProperty rows[] = {
  GST_SHAPES_UINT64 (Settings, max_size, "max-size", "Maximum size", 0,
      G_MAXUINT64, 64 * 1024 * 1024, LIVE, "Leave out lines of more than this "
      "many bytes, without the newline; 0 leaves out none. What is made of a "
      "line takes up to 16 times its size and 3 MiB of memory."),
  GST_SHAPES_STRING (Settings, metas, "metas", "Metas", NULL, READY,
      "Names of GstCustomMetas, separated by commas: tags of a line with these "
      "names become such metas, which are registered. Other tags become text "
      "in one meta, \"shape-tags\"."),
};

static const GstShapesProperties properties =
    GST_SHAPES_PROPERTIES (rows, Settings, 1);

static gsize
get_max_size (GstShapeJsonDec * self)
{
  guint64 size;

  GST_OBJECT_LOCK (self);
  size = self->settings.max_size;
  GST_OBJECT_UNLOCK (self);
  return size == 0 ? G_MAXSIZE : (gsize) MIN (size, G_MAXSIZE);
}

/* Lines */

/* Drops a malformed line; not fatal. @input: the buffer in which it ended */
static void
drop_line (GstShapeJsonDec * self, GstBuffer * input, const gchar * why)
{
  GST_WARNING_OBJECT (self, "line %" G_GUINT64_FORMAT " is left out: %s",
      self->n_lines, why);
  if (gst_shapes_drops_count (&self->drops))
    GST_SHAPES_WARNING (self, STREAM, DECODE,
        "Line %" G_GUINT64_FORMAT " is left out: %s. \"dropped\" counts "
        "further ones.", self->n_lines, why);
  gst_shapes_drops_report (&self->drops, input, &self->segment);
}

static gboolean
is_blank (const gchar * line, gsize size)
{
  for (gsize i = 0; i < size; i++)
    if (!g_ascii_isspace (line[i]))
      return FALSE;
  return TRUE;
}

static void
add_reference (GstBuffer * buffer, GstClockTime reference)
{
  if (!GST_CLOCK_TIME_IS_VALID (reference))
    return;
  g_autoptr (GstCaps) caps = gst_caps_new_empty_simple ("timestamp/x-unknown");
  gst_buffer_add_reference_timestamp_meta (buffer, caps, reference,
      GST_CLOCK_TIME_NONE);
}

/* The buffer of a line; NULL without memory for its tags. */
static GstBuffer *
make_buffer (GstShapeJsonDec * self, GstShapeSet * set,
    const GstShapeJsonFrame * frame, GstBuffer * input, GError ** error)
{
  GstBuffer *output = gst_buffer_new ();

  GST_BUFFER_PTS (output) = GST_CLOCK_TIME_IS_VALID (frame->pts) ? frame->pts :
      GST_BUFFER_PTS (input);
  GST_BUFFER_OFFSET (output) = frame->offset;
  if (GST_BUFFER_IS_DISCONT (input))
    GST_BUFFER_FLAG_SET (output, GST_BUFFER_FLAG_DISCONT);
  add_reference (output, frame->reference);
  gst_buffer_add_shape_meta (output, set);
  if (frame->tags && !gst_shapes_tags_to_buffer (frame->tags,
          (const gchar * const *) self->metas, output, error))
    g_clear_pointer (&output, gst_buffer_unref);
  return output;
}

static GstFlowReturn
take_line (GstShapeJsonDec * self, const gchar * line, gsize size,
    GstBuffer * input)
{
  GstBuffer *output = NULL;
  GstShapeJsonFrame frame;
  g_autoptr (GError) error = NULL;

  self->n_lines++;
  if (is_blank (line, size))
    return GST_FLOW_OK;
  GstShapeSet *set = gst_shape_json_read_line (line, size, &frame, &error);
  if (set) {
    output = make_buffer (self, set, &frame, input, &error);
    gst_shape_set_unref (set);
    gst_shape_json_frame_clear (&frame);
  }
  if (output)
    return gst_pad_push (self->srcpad, output);
  drop_line (self, input, error->message);
  return GST_FLOW_OK;
}

/* Appends a part of an incomplete line. */
static void
append_part (GstShapeJsonDec * self, const gchar * part, gsize size,
    GstBuffer * input)
{
  if (self->is_skipping)
    return;
  if (size <= get_max_size (self) - MIN (self->line.len, get_max_size (self))
      && cs_array_append (&self->line, part, size))
    return;
  self->n_lines++;
  drop_line (self, input, self->line.failed ? "there is no memory for it" :
      "it is longer than max-size");
  cs_array_clear (&self->line);
  self->is_skipping = TRUE;
}

/* Completes a line with its last part. */
static GstFlowReturn
end_line (GstShapeJsonDec * self, const gchar * part, gsize size,
    GstBuffer * input)
{
  GstFlowReturn flow = GST_FLOW_OK;

  /* fast path: the whole line is in this buffer */
  if (self->line.len == 0 && !self->is_skipping && size <= get_max_size (self))
    return take_line (self, part, size, input);
  append_part (self, part, size, input);
  if (!self->is_skipping)
    flow = take_line (self, self->line.data, self->line.len, input);
  cs_array_empty (&self->line);
  self->is_skipping = FALSE;
  return flow;
}

static GstFlowReturn
take_bytes (GstShapeJsonDec * self, const gchar * data, gsize size,
    GstBuffer * input)
{
  const gchar *end = data + size, *newline;
  GstFlowReturn flow = GST_FLOW_OK;

  while (flow == GST_FLOW_OK && data < end
      && (newline = memchr (data, '\n', (gsize) (end - data)))) {
    flow = end_line (self, data, (gsize) (newline - data), input);
    data = newline + 1;
  }
  if (flow == GST_FLOW_OK && data < end)
    append_part (self, data, (gsize) (end - data), input);
  return flow;
}

static GstFlowReturn
json_dec_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstShapeJsonDec *self = GST_SHAPE_JSON_DEC (parent);
  GstFlowReturn flow;
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    GST_SHAPES_ERROR (self, RESOURCE, READ,
        "A buffer of lines cannot be read.");
    gst_buffer_unref (buffer);
    return GST_FLOW_ERROR;
  }
  flow = take_bytes (self, (const gchar *) map.data, map.size, buffer);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
  return flow;
}

/* Events */

static void
reset_line (GstShapeJsonDec * self)
{
  cs_array_clear (&self->line);
  self->is_skipping = FALSE;
}

/* The last line may lack a newline. */
static void
finish_line (GstShapeJsonDec * self)
{
  g_autoptr (GstBuffer) none = gst_buffer_new ();

  if (self->line.len > 0)
    end_line (self, NULL, 0, none);
  reset_line (self);
}

/* Timestamps are in the lines: a BYTES segment becomes a TIME segment from
 * 0. */
static gboolean
push_segment (GstShapeJsonDec * self, GstEvent * event)
{
  gst_shapes_push_fixed_caps (self->srcpad);
  gst_event_copy_segment (event, &self->segment);
  if (self->segment.format == GST_FORMAT_TIME)
    return gst_pad_push_event (self->srcpad, event);
  gst_segment_init (&self->segment, GST_FORMAT_TIME);
  GstEvent *made = gst_event_new_segment (&self->segment);
  gst_event_set_seqnum (made, gst_event_get_seqnum (event));
  gst_event_unref (event);
  return gst_pad_push_event (self->srcpad, made);
}

static gboolean
json_dec_sink_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstShapeJsonDec *self = GST_SHAPE_JSON_DEC (parent);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_unref (event);
      return gst_shapes_push_fixed_caps (self->srcpad);
    case GST_EVENT_SEGMENT:
      return push_segment (self, event);
    case GST_EVENT_FLUSH_STOP:
      reset_line (self);
      break;
    case GST_EVENT_EOS:
      finish_line (self);
      break;
    default:
      break;
  }
  return gst_pad_event_default (pad, parent, event);
}

/* Seeking is not supported. */
static gboolean
json_dec_src_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstFormat format;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_SEEKING:
      gst_query_parse_seeking (query, &format, NULL, NULL, NULL);
      gst_query_set_seeking (query, format, FALSE, 0, -1);
      return TRUE;
    case GST_QUERY_POSITION:
    case GST_QUERY_DURATION:
    case GST_QUERY_CONVERT:
      return FALSE;
    default:
      return gst_pad_query_default (pad, parent, query);
  }
}

static gboolean
json_dec_src_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK) {
    gst_event_unref (event);
    return FALSE;
  }
  return gst_pad_event_default (pad, parent, event);
}

/* Life cycle */

/* Names come from the application alone: a name that a stranger had registered
 * would keep a plugin from registering its own type. */
static gboolean
register_metas (GstShapeJsonDec * self)
{
  g_autoptr (GError) error = NULL;

  GST_OBJECT_LOCK (self);
  gchar **names = g_strsplit (self->settings.metas ? self->settings.metas : "",
      ",", -1);
  GST_OBJECT_UNLOCK (self);
  for (guint i = 0; names[i] && !error; i++)
    if (strcmp (g_strstrip (names[i]), GST_SHAPES_TAGS_META) == 0)
      g_set_error (&error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
          "%s is the meta of all names that are not listed.", names[i]);
    else if (*names[i])
      gst_shapes_tags_register (names[i], &error);
  g_strfreev (self->metas);
  self->metas = names;
  if (!error)
    return TRUE;
  GST_SHAPES_ERROR (self, LIBRARY, SETTINGS, "metas: %s", error->message);
  return FALSE;
}

static GstStateChangeReturn
json_dec_change_state (GstElement * element, GstStateChange transition)
{
  GstShapeJsonDec *self = GST_SHAPE_JSON_DEC (element);

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    self->n_lines = 0;
    gst_segment_init (&self->segment, GST_FORMAT_TIME);
    gst_shapes_drops_reset (&self->drops);
    if (!register_metas (self))
      return GST_STATE_CHANGE_FAILURE;
  }
  GstStateChangeReturn changed =
      GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    reset_line (self);
  return changed;
}

static void
json_dec_finalize (GObject * object)
{
  GstShapeJsonDec *self = GST_SHAPE_JSON_DEC (object);

  cs_array_clear (&self->line);
  g_strfreev (self->metas);
  gst_shapes_properties_clear (&properties, &self->settings);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_shape_json_dec_class_init (GstShapeJsonDecClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->finalize = json_dec_finalize;
  gst_shapes_properties_bind (&properties, object_class,
      G_STRUCT_OFFSET (GstShapeJsonDec, settings), NULL);
  gst_shapes_properties_bind (&gst_shapes_drops_properties, object_class,
      G_STRUCT_OFFSET (GstShapeJsonDec, drops), NULL);

  gst_shapes_element_class_describe (element_class,
      "application/x-ndjson; application/json", GST_SHAPES_ALONE_CAPS,
      "Shape JSON decoder", "Codec/Decoder/Metadata",
      "Turns lines of JSON back into contours, hulls and circles");
  element_class->change_state = json_dec_change_state;
}

static void
gst_shape_json_dec_init (GstShapeJsonDec * self)
{
  gst_shapes_properties_init (&properties, &self->settings);
  gst_shapes_drops_init (&self->drops, GST_ELEMENT_CAST (self));
  gst_segment_init (&self->segment, GST_FORMAT_TIME);
  cs_array_init (&self->line, 1);

  self->sinkpad = gst_pad_new_from_template (gst_element_get_pad_template
      (GST_ELEMENT (self), "sink"), "sink");
  gst_pad_set_chain_function (self->sinkpad, json_dec_chain);
  gst_pad_set_event_function (self->sinkpad, json_dec_sink_event);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_template (gst_element_get_pad_template
      (GST_ELEMENT (self), "src"), "src");
  gst_pad_set_event_function (self->srcpad, json_dec_src_event);
  gst_pad_set_query_function (self->srcpad, json_dec_src_query);
  gst_pad_use_fixed_caps (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}
