/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-shapecombiner
 * @title: shapecombiner
 * @short_description: puts shapes of one stream on the frames of another
 *
 * Receives frames on the pad `sink_video`, and buffers with a #GstShapeMeta on
 * `sink_shapes`: from a branch that runs a neural network on smaller pictures,
 * from shapejsondec, or from another process. The shapes of the matching
 * buffer are scaled to the frame's size and added to the frame's shapes.
 * Pixels are not accessed.
 *
 * Both streams must be in order. #GstShapeCombiner:match selects the key that a
 * frame and its shapes share: the running time, to half a frame, the offset,
 * or a number in a #GstCustomMeta of both. Shapes without a matching frame are
 * dropped and counted.
 *
 * A frame waits until its shapes can no longer arrive; in a live pipeline at
 * most for #GstAggregator:latency, which must cover the latency of the other
 * branch, as must a queue upstream of `sink_video`. #GstShapeCombiner:missing
 * selects what happens to a frame without shapes.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 filesrc location=film.mp4 ! decodebin ! videoconvert ! c.sink_video filesrc location=film.jsonl ! shapejsondec ! c.sink_shapes shapecombiner name=c ! shapeoverlay ! videoconvert ! autovideosink
 * ]| Draws shapes from a file on the video they belong to.
 *
 * Since: 1.0
 */

#include <gst/base/gstaggregator.h>
#include <gst/video/video.h>

#include "element/gstshapesmessage.h"
#include "element/gstshapesproperties.h"
#include "shapes/gstshapes.h"
#include "shapes/gstshapesenum.h"

#define GST_TYPE_SHAPE_COMBINER (gst_shape_combiner_get_type ())
G_DECLARE_FINAL_TYPE (GstShapeCombiner, gst_shape_combiner, GST,
    SHAPE_COMBINER, GstAggregator)

GST_DEBUG_CATEGORY_STATIC (combiner_debug);
#define GST_CAT_DEFAULT combiner_debug

static GstStaticPadTemplate video_template =
    GST_STATIC_PAD_TEMPLATE ("sink_video", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("video/x-raw(ANY)"));
static GstStaticPadTemplate shapes_template =
    GST_STATIC_PAD_TEMPLATE ("sink_shapes", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw(ANY)"));

typedef enum
{
  MATCH_TIME,
  MATCH_OFFSET,
  MATCH_META,
} Match;

typedef enum
{
  MISSING_NONE,
  MISSING_LAST,
  MISSING_DROP,
} Missing;

GST_SHAPES_DEFINE_ENUM_TYPE (static, match_get_type, "GstShapeCombinerMatch",
    {MATCH_TIME, "The running time of their timestamps, to half a frame",
        "time"},
    {MATCH_OFFSET, "Their offsets, as filesrc, shapejsondec and applications "
          "set them", "offset"},
    {MATCH_META, "The number in the field match-field of the GstCustomMeta "
          "match-meta", "meta"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, missing_get_type,
    "GstShapeCombinerMissing",
    {MISSING_NONE, "Push the frame without shapes", "none"},
    {MISSING_LAST, "Use the shapes of the last frame that had some", "last"},
    {MISSING_DROP, "Drop the frame", "drop"})

typedef struct
{
  guint match, missing;
  gchar *match_meta, *match_field;
  guint64 tolerance;
  guint64 n_combined, n_missing, n_unused;
} Settings;

struct _GstShapeCombiner
{
  GstAggregator parent;

  GstAggregatorPad *video, *shapes;

  /* with the object lock */
  Settings settings;

  /* source pad's thread, and serialized events of the video pad */
  GstVideoInfo info;
  GstShapeSet *last;
  gboolean warned_no_shapes, warned_no_match;
};

#define gst_shape_combiner_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstShapeCombiner, gst_shape_combiner,
    GST_TYPE_AGGREGATOR, G_IMPLEMENT_INTERFACE (GST_TYPE_PRESET, NULL);
    GST_DEBUG_CATEGORY_INIT (combiner_debug, "shapecombiner", 0,
        "puts shapes on frames"));
GST_ELEMENT_REGISTER_DECLARE (shapecombiner);
GST_ELEMENT_REGISTER_DEFINE (shapecombiner, "shapecombiner", GST_RANK_NONE,
    GST_TYPE_SHAPE_COMBINER);

/* Properties */

static const GstShapesProperty rows[] = {
  GST_SHAPES_ENUM (Settings, match, "match", "Match", match_get_type,
      MATCH_TIME, READY, "Key by which frames and shapes are matched."),
  GST_SHAPES_STRING (Settings, match_meta, "match-meta", "Match meta", NULL,
      READY, "With match=meta: the name of the GstCustomMeta."),
  GST_SHAPES_STRING (Settings, match_field, "match-field", "Match field", "id",
      READY, "With match=meta: its field, a number that does not decrease."),
  GST_SHAPES_UINT64 (Settings, tolerance, "tolerance", "Tolerance", 0,
      G_MAXUINT64, G_MAXUINT64, LIVE,
      "With match=time: maximum difference of the times in nanoseconds. The "
      "default is half a frame, or 0 without a frame rate."),
  GST_SHAPES_ENUM (Settings, missing, "missing", "Missing", missing_get_type,
      MISSING_NONE, LIVE,
      "What to do with a frame whose shapes have not arrived."),
  GST_SHAPES_UINT64 (Settings, n_combined, "combined", "Combined", 0,
      G_MAXUINT64, 0, READ_ONLY,
      "Number of frames of this stream that were combined with shapes."),
  GST_SHAPES_UINT64 (Settings, n_missing, "frames-without-shapes",
      "Frames without shapes", 0, G_MAXUINT64, 0, READ_ONLY,
      "Number of frames of this stream whose shapes have not arrived, "
      "including dropped ones."),
  GST_SHAPES_UINT64 (Settings, n_unused, "unused-shapes", "Unused shapes", 0,
      G_MAXUINT64, 0, READ_ONLY,
      "Number of buffers with shapes of this stream that matched no frame, or "
      "arrived too late."),
};

static const GstShapesProperties properties =
    GST_SHAPES_PROPERTIES (rows, Settings, 1);

/* The property start-time-selection of GstAggregator. */
#define PROP_START (G_N_ELEMENTS (rows) + 1)

/* With "now", GstAggregator of 1.28 waits at the first buffer for ever for the
 * object lock, which it holds. The segment of the frames goes out, whichever is
 * selected, so that the default, "zero", does the same. */
static void
set_start (GObject * object, const GValue * value, GParamSpec * pspec)
{
  GValue start = G_VALUE_INIT;

  g_value_init (&start, G_VALUE_TYPE (value));
  if (g_value_get_enum (value) <= GST_AGGREGATOR_START_TIME_SELECTION_SET)
    g_value_copy (value, &start);
  G_OBJECT_CLASS (parent_class)->set_property (object, pspec->param_id, &start,
      pspec);
  g_value_unset (&start);
}

static void
combiner_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstShapeCombiner *self = GST_SHAPE_COMBINER (object);

  if (id == PROP_START) {
    set_start (object, value, pspec);
    return;
  }
  GST_OBJECT_LOCK (self);
  gst_shapes_properties_set (&properties, &self->settings, id, value);
  GST_OBJECT_UNLOCK (self);
}

static void
combiner_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstShapeCombiner *self = GST_SHAPE_COMBINER (object);

  if (id == PROP_START) {
    G_OBJECT_CLASS (parent_class)->get_property (object, pspec->param_id,
        value, pspec);
    return;
  }
  GST_OBJECT_LOCK (self);
  gst_shapes_properties_get (&properties, &self->settings, id, value);
  GST_OBJECT_UNLOCK (self);
}

static void
count (GstShapeCombiner * self, guint64 * counter)
{
  GST_OBJECT_LOCK (self);
  ++*counter;
  GST_OBJECT_UNLOCK (self);
}

/* Keys */

static guint64
get_time (GstAggregatorPad * pad, GstBuffer * buffer)
{
  guint64 time = GST_CLOCK_TIME_NONE;

  GST_OBJECT_LOCK (pad);
  if (pad->segment.format == GST_FORMAT_TIME)
    time = gst_segment_to_running_time (&pad->segment, GST_FORMAT_TIME,
        GST_BUFFER_PTS (buffer));
  GST_OBJECT_UNLOCK (pad);
  return time;
}

static guint64
get_field (GstBuffer * buffer, const gchar * name, const gchar * field)
{
  GstCustomMeta *meta = name ? gst_buffer_get_custom_meta (buffer, name) : NULL;
  const GValue *value = meta ? gst_structure_get_value
      (gst_custom_meta_get_structure (meta), field ? field : "id") : NULL;
  GValue number = G_VALUE_INIT;
  guint64 key = G_MAXUINT64;

  if (!value)
    return key;
  g_value_init (&number, G_TYPE_UINT64);
  if (g_value_transform (value, &number))
    key = g_value_get_uint64 (&number);
  g_value_unset (&number);
  return key;
}

/* The key of @buffer; G_MAXUINT64 if it has none. */
static guint64
get_key (GstAggregatorPad * pad, GstBuffer * buffer, const Settings * settings)
{
  switch (settings->match) {
    case MATCH_OFFSET:
      return GST_BUFFER_OFFSET (buffer);
    case MATCH_META:
      return get_field (buffer, settings->match_meta, settings->match_field);
    default:
      return get_time (pad, buffer);
  }
}

static guint64
get_tolerance (GstShapeCombiner * self, const Settings * settings)
{
  const gint n = GST_VIDEO_INFO_FPS_N (&self->info);
  const gint d = GST_VIDEO_INFO_FPS_D (&self->info);

  if (settings->match != MATCH_TIME)
    return 0;
  if (settings->tolerance != G_MAXUINT64)
    return settings->tolerance;
  return n > 0 ? gst_util_uint64_scale_int (GST_SECOND, d, n) / 2 : 0;
}

/* Frames */

static void
set_last (GstShapeCombiner * self, GstShapeSet * set)
{
  g_clear_pointer (&self->last, gst_shape_set_unref);
  self->last = set ? gst_shape_set_ref (set) : NULL;
}

static gboolean
add_shapes (GstShapeCombiner * self, GstBuffer * frame, GstShapeSet * set)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstShapeSet) scaled = gst_shape_set_rescale (set,
      (guint) GST_VIDEO_INFO_WIDTH (&self->info),
      (guint) GST_VIDEO_INFO_HEIGHT (&self->info), &error);

  if (!scaled) {
    GST_SHAPES_ERROR_FULL (self, RESOURCE, READ,
        ("The shapes of a frame cannot be scaled to it."), ("%s",
            error ? error->message : "no reason given"));
    return FALSE;
  }
  gst_buffer_add_shape_meta (frame, scaled);
  /* frames that get it again share it, and nothing is scaled twice */
  if (set == self->last)
    set_last (self, scaled);
  return TRUE;
}

/* Takes the pending frame, adds @set, and pushes it. */
static GstFlowReturn
finish_frame (GstShapeCombiner * self, GstShapeSet * set)
{
  GstAggregator *aggregator = GST_AGGREGATOR (self);
  GstBuffer *frame = gst_aggregator_pad_pop_buffer (self->video);
  GstSegment *segment = &GST_AGGREGATOR_PAD (aggregator->srcpad)->segment;

  if (!frame)
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  if (set) {
    frame = gst_buffer_make_writable (frame);
    if (!add_shapes (self, frame, set)) {
      gst_buffer_unref (frame);
      return GST_FLOW_ERROR;
    }
  }
  if (GST_BUFFER_PTS_IS_VALID (frame))
    segment->position = GST_BUFFER_PTS (frame) +
        (GST_BUFFER_DURATION_IS_VALID (frame) ? GST_BUFFER_DURATION (frame) :
        0);
  return gst_aggregator_finish_buffer (aggregator, frame);
}

static GstFlowReturn
finish_without (GstShapeCombiner * self, const Settings * settings)
{
  count (self, &self->settings.n_missing);
  switch (settings->missing) {
    case MISSING_LAST:
      return finish_frame (self, self->last);
    case MISSING_DROP:
      gst_aggregator_pad_drop_buffer (self->video);
      return GST_FLOW_OK;
    default:
      return finish_frame (self, NULL);
  }
}

/* At the end of a stream. */
static void
check_matches (GstShapeCombiner * self)
{
  GST_OBJECT_LOCK (self);
  const guint64 n_combined = self->settings.n_combined;
  const guint64 n_missing = self->settings.n_missing;
  const guint64 n_unused = self->settings.n_unused;
  GST_OBJECT_UNLOCK (self);
  if (self->warned_no_match || n_combined > 0 || n_missing == 0)
    return;
  self->warned_no_match = TRUE;
  GST_SHAPES_WARNING (self, LIBRARY, SETTINGS,
      "No shapes were combined with %" G_GUINT64_FORMAT " frames: %s.",
      n_missing, n_unused > 0 || gst_aggregator_pad_has_buffer (self->shapes) ?
      "what arrived at sink_shapes matched none of them; see match and "
      "tolerance" : "no buffer arrived at sink_shapes in time");
}

static GstFlowReturn
finish_with (GstShapeCombiner * self)
{
  GstBuffer *shapes = gst_aggregator_pad_pop_buffer (self->shapes);

  count (self, &self->settings.n_combined);
  if (shapes && !gst_buffer_get_shape_meta (shapes)
      && !GST_BUFFER_FLAG_IS_SET (shapes, GST_BUFFER_FLAG_GAP))
    GST_SHAPES_WARN_ONCE (self, self->warned_no_shapes, LIBRARY, SETTINGS,
        "The buffers of sink_shapes carry no shapes, so there is nothing to "
        "combine: put cudacontours, cudahull or another element that finds "
        "shapes upstream of sink_shapes.");
  set_last (self, shapes ? gst_buffer_get_shape_set (shapes) : NULL);
  gst_clear_buffer (&shapes);
  return finish_frame (self, self->last);
}

typedef enum
{
  OLDER,
  EQUAL,
  NEWER,
} Order;

/* Position of shapes relative to a frame. */
static Order
compare (guint64 shapes, guint64 frame, guint64 tolerance)
{
  if (shapes == G_MAXUINT64 || frame == G_MAXUINT64)
    return shapes == G_MAXUINT64 ? OLDER : NEWER;
  if (shapes < frame && frame - shapes > tolerance)
    return OLDER;
  return shapes > frame && shapes - frame > tolerance ? NEWER : EQUAL;
}

/* Whether a buffer is queued on @pad, and its key. Keeps no reference, so that
 * the frame stays writable. */
static gboolean
peek_key (GstAggregatorPad * pad, const Settings * settings, guint64 * key)
{
  g_autoptr (GstBuffer) buffer = gst_aggregator_pad_peek_buffer (pad);

  if (!buffer)
    return FALSE;
  *key = get_key (pad, buffer, settings);
  return TRUE;
}

static GstFlowReturn
combine (GstShapeCombiner * self, const Settings * settings, guint64 frame,
    gboolean is_late)
{
  const guint64 tolerance = get_tolerance (self, settings);
  guint64 shapes;

  while (peek_key (self->shapes, settings, &shapes)) {
    switch (compare (shapes, frame, tolerance)) {
      case OLDER:
        count (self, &self->settings.n_unused);
        gst_aggregator_pad_drop_buffer (self->shapes);
        break;
      case EQUAL:
        return finish_with (self);
      case NEWER:
        return finish_without (self, settings);
    }
  }
  return is_late || gst_aggregator_pad_is_eos (self->shapes) ?
      finish_without (self, settings) : GST_AGGREGATOR_FLOW_NEED_DATA;
}

static GstFlowReturn
combiner_aggregate (GstAggregator * aggregator, gboolean timeout)
{
  GstShapeCombiner *self = GST_SHAPE_COMBINER (aggregator);
  GstFlowReturn flow = GST_AGGREGATOR_FLOW_NEED_DATA;
  Settings settings = { 0, };
  guint64 frame;

  GST_OBJECT_LOCK (self);
  gst_shapes_properties_copy (&properties, &settings, &self->settings);
  GST_OBJECT_UNLOCK (self);
  if (peek_key (self->video, &settings, &frame))
    flow = combine (self, &settings, frame, timeout);
  else if (gst_aggregator_pad_is_eos (self->video)) {
    check_matches (self);
    flow = GST_FLOW_EOS;
  }
  gst_shapes_properties_clear (&properties, &settings);
  return flow;
}

/* Negotiation: the source pad has the caps and segment of the video pad */

static gboolean
take_caps (GstShapeCombiner * self, GstEvent * event)
{
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (!gst_video_info_from_caps (&self->info, caps)) {
    /* unknown memory or format */
    gst_video_info_init (&self->info);
    gst_structure_get_int (gst_caps_get_structure (caps, 0), "width",
        &self->info.width);
    gst_structure_get_int (gst_caps_get_structure (caps, 0), "height",
        &self->info.height);
  }
  gst_aggregator_set_src_caps (GST_AGGREGATOR (self), caps);
  return TRUE;
}

static gboolean
combiner_sink_event (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstEvent * event)
{
  GstShapeCombiner *self = GST_SHAPE_COMBINER (aggregator);
  const GstSegment *segment;

  if (pad == self->video) {
    switch (GST_EVENT_TYPE (event)) {
      case GST_EVENT_CAPS:
        take_caps (self, event);
        break;
      case GST_EVENT_SEGMENT:
        gst_event_parse_segment (event, &segment);
        gst_aggregator_update_segment (aggregator, segment);
        break;
      case GST_EVENT_GAP:
        /* forwarded, not turned into an empty frame */
        return gst_pad_push_event (aggregator->srcpad, event);
      default:
        break;
    }
  }
  return GST_AGGREGATOR_CLASS (parent_class)->sink_event (aggregator, pad,
      event);
}

static gboolean
query_caps (GstAggregator * aggregator, GstQuery * query)
{
  GstCaps *filter, *caps, *template =
      gst_static_pad_template_get_caps (&video_template);

  gst_query_parse_caps (query, &filter);
  caps = gst_pad_peer_query_caps (aggregator->srcpad, filter);
  gst_query_set_caps_result (query, caps);
  if (!gst_caps_is_subset (caps, template)) {
    g_autoptr (GstCaps) common = gst_caps_intersect_full (caps, template,
        GST_CAPS_INTERSECT_FIRST);

    gst_query_set_caps_result (query, common);
  }
  gst_caps_unref (caps);
  gst_caps_unref (template);
  return TRUE;
}

static gboolean
combiner_sink_query (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * query)
{
  GstShapeCombiner *self = GST_SHAPE_COMBINER (aggregator);

  if (pad == self->video) {
    switch (GST_QUERY_TYPE (query)) {
      case GST_QUERY_CAPS:
        return query_caps (aggregator, query);
      case GST_QUERY_ACCEPT_CAPS:
        return gst_pad_peer_query (aggregator->srcpad, query);
      default:
        break;
    }
  }
  return GST_AGGREGATOR_CLASS (parent_class)->sink_query (aggregator, pad,
      query);
}

/* Frames are passed on: downstream may offer a pool. */
static gboolean
combiner_propose_allocation (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * decide_query, GstQuery * query)
{
  GstShapeCombiner *self = GST_SHAPE_COMBINER (aggregator);

  if (pad == self->video)
    return gst_pad_peer_query (aggregator->srcpad, query);
  /* buffers with shapes are not forwarded */
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  gst_query_add_allocation_meta (query, GST_SHAPE_META_API_TYPE, NULL);
  return TRUE;
}

/* What comes in goes out; any video while nothing is linked. */
static gboolean
query_src_caps (GstShapeCombiner * self, GstQuery * query)
{
  GstCaps *filter, *caps;

  gst_query_parse_caps (query, &filter);
  caps = gst_pad_peer_query_caps (GST_PAD (self->video), filter);
  if (gst_caps_is_any (caps)) {
    gst_caps_unref (caps);
    caps = gst_static_pad_template_get_caps (&src_template);
  }
  gst_query_set_caps_result (query, caps);
  gst_caps_unref (caps);
  return TRUE;
}

static gboolean
is_seekable (GstAggregatorPad * pad)
{
  g_autoptr (GstQuery) query = gst_query_new_seeking (GST_FORMAT_TIME);
  gboolean seekable = FALSE;

  if (gst_pad_peer_query (GST_PAD (pad), query))
    gst_query_parse_seeking (query, NULL, &seekable, NULL, NULL);
  return seekable;
}

static gboolean
can_seek (GstShapeCombiner * self)
{
  return is_seekable (self->video) && is_seekable (self->shapes);
}

static gboolean
combiner_src_query (GstAggregator * aggregator, GstQuery * query)
{
  GstShapeCombiner *self = GST_SHAPE_COMBINER (aggregator);
  GstPad *video = GST_PAD (self->video);

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
      return query_src_caps (self, query);
    case GST_QUERY_POSITION:
    case GST_QUERY_DURATION:
    case GST_QUERY_URI:
    case GST_QUERY_SEGMENT:
      return gst_pad_peer_query (video, query);
    case GST_QUERY_SEEKING:
      if (can_seek (self))
        return gst_pad_peer_query (video, query);
      /* fall through - the base class denies it */
    default:
      return GST_AGGREGATOR_CLASS (parent_class)->src_query (aggregator, query);
  }
}

/* If one of both streams went on from where it is, frames and shapes would no
 * longer match; and GstAggregator does not begin again after the end when only
 * one is flushed. */
static gboolean
combiner_src_event (GstAggregator * aggregator, GstEvent * event)
{
  GstShapeCombiner *self = GST_SHAPE_COMBINER (aggregator);

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK && !can_seek (self)) {
    GST_INFO_OBJECT (self, "no seek: not both streams are seekable");
    gst_event_unref (event);
    return FALSE;
  }
  return GST_AGGREGATOR_CLASS (parent_class)->src_event (aggregator, event);
}

/* Life cycle */

static void
reset (GstShapeCombiner * self)
{
  set_last (self, NULL);
}

static GstFlowReturn
combiner_flush (GstAggregator * aggregator)
{
  reset (GST_SHAPE_COMBINER (aggregator));
  return GST_FLOW_OK;
}

static gboolean
combiner_start (GstAggregator * aggregator)
{
  GstShapeCombiner *self = GST_SHAPE_COMBINER (aggregator);
  gboolean has_name;

  GST_OBJECT_LOCK (self);
  has_name = self->settings.match != MATCH_META || self->settings.match_meta;
  self->settings.n_combined = self->settings.n_missing =
      self->settings.n_unused = 0;
  GST_OBJECT_UNLOCK (self);
  gst_video_info_init (&self->info);
  self->warned_no_shapes = self->warned_no_match = FALSE;
  if (!has_name)
    GST_SHAPES_ERROR (self, LIBRARY, SETTINGS,
        "match=meta needs the name of a GstCustomMeta: set match-meta.");
  return has_name;
}

static gboolean
combiner_stop (GstAggregator * aggregator)
{
  reset (GST_SHAPE_COMBINER (aggregator));
  return TRUE;
}

static void
combiner_finalize (GObject * object)
{
  GstShapeCombiner *self = GST_SHAPE_COMBINER (object);

  reset (self);
  gst_shapes_properties_clear (&properties, &self->settings);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_shape_combiner_class_init (GstShapeCombinerClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstAggregatorClass *aggregator_class = GST_AGGREGATOR_CLASS (klass);

  object_class->set_property = combiner_set_property;
  object_class->get_property = combiner_get_property;
  object_class->finalize = combiner_finalize;
  gst_shapes_properties_install (&properties, object_class);
  g_object_class_override_property (object_class, PROP_START,
      "start-time-selection");

  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &video_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &shapes_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &src_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_set_static_metadata (element_class, "Shape combiner",
      "Muxer/Metadata",
      "Puts contours, hulls and circles of one stream on the frames of another",
      "The gst-cudashapes authors");

  aggregator_class->aggregate = combiner_aggregate;
  aggregator_class->flush = combiner_flush;
  aggregator_class->sink_event = combiner_sink_event;
  aggregator_class->sink_query = combiner_sink_query;
  aggregator_class->src_event = combiner_src_event;
  aggregator_class->src_query = combiner_src_query;
  aggregator_class->propose_allocation = combiner_propose_allocation;
  aggregator_class->negotiate = NULL;
  aggregator_class->get_next_time = gst_aggregator_simple_get_next_time;
  aggregator_class->start = combiner_start;
  aggregator_class->stop = combiner_stop;
}

static GstAggregatorPad *
add_pad (GstShapeCombiner * self, GstStaticPadTemplate * template)
{
  g_autoptr (GstPadTemplate) made = gst_static_pad_template_get (template);
  GstPad *pad = g_object_new (GST_TYPE_AGGREGATOR_PAD, "name",
      template->name_template, "direction", GST_PAD_SINK, "template", made,
      NULL);

  gst_element_add_pad (GST_ELEMENT (self), pad);
  return GST_AGGREGATOR_PAD (pad);
}

static void
gst_shape_combiner_init (GstShapeCombiner * self)
{
  gst_shapes_properties_init (&properties, &self->settings);
  gst_video_info_init (&self->info);
  self->video = add_pad (self, &video_template);
  self->shapes = add_pad (self, &shapes_template);
}
