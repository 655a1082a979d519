/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-fourierdraw
 * @title: fourierdraw
 * @short_description: a robot arm of rotating vectors redraws pictures
 *
 * Connects the contours of a picture to one path, and makes a film in which an
 * arm of rotating vectors (the terms of the path's Fourier series) draws it.
 *
 * The contours are those that #cudacontours or another element has attached to
 * the buffer (#GstShapeMeta); without any, fourierdraw detects contours itself
 * (#GstFourierDraw:detect).
 *
 * ## Redraw and live
 *
 * With mode=redraw each picture becomes a film of #GstFourierDraw:start-delay,
 * #GstFourierDraw:duration and #GstFourierDraw:hold, in a segment that begins
 * at 0. A single image (one buffer, then EOS) is drawn completely before EOS is
 * pushed. Seeking works at any time, also after EOS.
 *
 * With mode=live there is one frame for each input frame, with its timestamp; a
 * new picture is taken when a drawing is finished, and prepared while the old
 * one is still shown. mode=auto is live if upstream is.
 *
 * ## The brush
 *
 * With #GstFourierDraw:brush-enabled the mouse in the video's window erases
 * contours: drag to erase, scroll to resize the brush, press r to draw again
 * without what was erased. #GstFourierDraw::brush-clear brings it back.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 -e filesrc location=fruits.jpg ! jpegdec ! videoconvert ! fourierdraw detect=canny n-vectors=500 ! videoconvert ! x264enc ! mp4mux ! filesink location=fruits.mp4
 * ]| A film that draws a photograph.
 * |[
 * gst-launch-1.0 filesrc location=fruits.jpg ! jpegdec ! videoconvert ! cudacontours level=0.4 min-area=50 ! fourierdraw loop=0 background=frame ! videoconvert ! autovideosink
 * ]| Draws the contours of cudacontours over the photograph, repeatedly.
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! fourierdraw detect=canny canny-auto=true brush-enabled=true duration=5 ! videoconvert ! ximagesink
 * ]| Draws a picture of a camera every seven seconds; the mouse erases.
 *
 * Since: 1.0
 */

#include <gst/gst.h>

#include "gstfourierdrawfilm.h"
#include "gstfourierdrawlive.h"
#include "element/gstshapesaspect.h"
#include "element/gstshapesframe.h"
#include "element/gstshapesgray.h"
#include "element/gstshapesmessage.h"
#include "element/gstshapesnegotiation.h"

#define GST_TYPE_FOURIER_DRAW (gst_fourier_draw_get_type ())
G_DECLARE_FINAL_TYPE (GstFourierDraw, gst_fourier_draw, GST, FOURIER_DRAW,
    GstElement)

struct _GstFourierDraw
{
  GstElement parent;

  GstPad *sinkpad, *srcpad;
  GstShapesCompute compute;

  /* guarded by the object lock */
  FourierControls controls;
  GstShapesDrops drops;

  /* used by several threads, each with a lock of its own; the object lock may
   * be taken inside, not outside */
  FourierBrush brush;
  FourierInbox inbox;
  FourierWorker worker;

  /* the mode, %NULL until the first picture; atomic */
  FourierPlayer *player;

  /* the sink pad's streaming thread */
  GstVideoInfo info;
  gboolean have_info;
  GstShapesAspect aspect;
  GstSegment segment;

  /* the thread that makes frames: the source pad's task, or, with mode=live,
   * the sink pad's streaming thread */
  FourierFrames frames;
  FourierFilm film;
  FourierLive live;
};

enum
{
  SIGNAL_CAPTURE,
  SIGNAL_BRUSH_CLEAR,
  SIGNAL_FINISH,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

#define gst_fourier_draw_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstFourierDraw, gst_fourier_draw, GST_TYPE_ELEMENT,
    G_IMPLEMENT_INTERFACE (GST_TYPE_PRESET, NULL);
    GST_DEBUG_CATEGORY_INIT (fourier_debug, "fourierdraw", 0,
        "redraws pictures with rotating vectors"));
GST_ELEMENT_REGISTER_DECLARE (fourierdraw);
GST_ELEMENT_REGISTER_DEFINE (fourierdraw, "fourierdraw", GST_RANK_NONE,
    GST_TYPE_FOURIER_DRAW);

/* Properties */

static void
fourier_settings_changed (gpointer self, guint affects)
{
  GST_FOURIER_DRAW (self)->controls.serial++;
}

/* Action signals */

static void
fourier_capture (GstFourierDraw * self)
{
  fourier_inbox_request (&self->inbox, FOURIER_REQUEST_CAPTURE);
}

static void
fourier_brush_clear_action (GstFourierDraw * self)
{
  fourier_brush_clear (&self->brush);
}

static void
fourier_finish (GstFourierDraw * self)
{
  g_object_set (self, "progress", 1., NULL);
}

/* Backends */

static gboolean
fourier_open (GstElement * element, GError ** error)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (element);

  return fourier_frames_open (&self->frames, error) &&
      fourier_worker_open (&self->worker, error);
}

static void
fourier_close (GstElement * element)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (element);

  fourier_frames_close (&self->frames);
  fourier_worker_close (&self->worker);
}

static const GstShapesComputeFuncs compute_funcs = {
  fourier_open,
  fourier_close,
};

/* The mode */

#define read_setting(self, field) \
    fourier_controls_read (&(self)->controls, &(self)->controls.settings.field)

/* Whether the element makes a stream of its own: then the pipeline sends it
 * what it sends to sources, such as EOS. */
static void
set_source (GstFourierDraw * self, gboolean source)
{
  GST_OBJECT_LOCK (self);
  if (source)
    GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_SOURCE);
  else
    GST_OBJECT_FLAG_UNSET (self, GST_ELEMENT_FLAG_SOURCE);
  GST_OBJECT_UNLOCK (self);
}

static FourierPlayer *
get_player (GstFourierDraw * self)
{
  return g_atomic_pointer_get (&self->player);
}

/* Before the first picture it is known if "mode" asks for a film.
 *
 * Returns: (nullable) */
static FourierPlayer *
get_expected_player (GstFourierDraw * self)
{
  FourierPlayer *player = get_player (self);
  const FourierMode mode = read_setting (self, mode);

  return !player && (mode == FOURIER_MODE_REDRAW ||
      mode == FOURIER_MODE_STILL) ? &self->film.player : player;
}

static FourierPlayer *
choose_player (GstFourierDraw * self)
{
  const gboolean upstream_live = gst_shapes_is_live (self->sinkpad);
  const FourierMode mode = read_setting (self, mode);
  const gboolean live = mode == FOURIER_MODE_LIVE ||
      (mode == FOURIER_MODE_AUTO && upstream_live);
  FourierPlayer *player = live ? &self->live.player : &self->film.player;

  GST_INFO_OBJECT (self, "mode %s", live ? "live" : "redraw");
  fourier_film_set_upstream (&self->film, upstream_live,
      mode == FOURIER_MODE_AUTO);
  g_atomic_pointer_set (&self->player, player);
  set_source (self, !live);
  return player;
}

/* The sink pad */

/* Forgets the stream; no other thread uses it. */
static void
reset (GstFourierDraw * self)
{
  fourier_inbox_reset (&self->inbox);
  fourier_frames_reset (&self->frames);
  self->film.player.funcs->reset (&self->film.player);
  self->live.player.funcs->reset (&self->live.player);
  gst_segment_init (&self->segment, GST_FORMAT_TIME);
}

/* Whether what will be read of @buffer is there: contours that it carries need
 * no pixels, and neither does a gap without any. */
static gboolean
check_buffer (GstFourierDraw * self, GstBuffer * buffer, GError ** error)
{
  GstShapesFrame frame;

  if (gst_shapes_is_empty_gap (buffer) ||
      (read_setting (self, background) != CS_BACKGROUND_FRAME &&
          read_setting (self, ink_source) != FOURIER_INK_SOURCE_PICTURE &&
          (gst_buffer_get_shape_set (buffer) ||
              GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP))))
    return TRUE;
  return gst_shapes_frame_init (&frame, &self->info, buffer,
      self->compute.context, NULL, error);
}

static GstFlowReturn
fourier_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (parent);
  FourierPicture picture = { buffer, self->info, self->segment };
  FourierPlayer *player = get_player (self);
  GstFlowReturn flow = GST_FLOW_OK;
  GError *error = NULL;

  if (!self->have_info) {
    flow = gst_shapes_post_no_caps (GST_ELEMENT_CAST (self));
  } else if (!check_buffer (self, buffer, &error)) {
    gst_shapes_drops_take (&self->drops, buffer, &self->segment, error);
    g_clear_error (&error);
  } else {
    gst_shapes_aspect_check (&self->aspect, GST_ELEMENT_CAST (self),
        gst_buffer_get_shape_set (buffer), &self->info);
    if (!player)
      player = choose_player (self);
    flow = player->funcs->chain (player, &picture);
  }
  fourier_picture_clear (&picture);
  return flow;
}

static gboolean
set_caps (GstFourierDraw * self, GstEvent * event)
{
  GstVideoInfo info;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (!gst_video_info_from_caps (&info, caps) || info.width < 1 ||
      info.height < 1) {
    GST_SHAPES_ERROR_FULL (self, CORE, NEGOTIATION,
        ("The caps of the input are invalid."), ("%" GST_PTR_FORMAT, caps));
    return FALSE;
  }
  self->info = info;
  self->have_info = TRUE;
  return TRUE;
}

static void
set_segment (GstFourierDraw * self, GstEvent * event)
{
  const GstSegment *segment;

  gst_event_parse_segment (event, &segment);
  self->segment = *segment;
  if (segment->format != GST_FORMAT_TIME)
    gst_segment_init (&self->segment, GST_FORMAT_TIME);
}

static gboolean
begin_flush (GstFourierDraw * self, GstEvent * event)
{
  fourier_inbox_set_flushing (&self->inbox, TRUE);
  const gboolean pushed = gst_pad_push_event (self->srcpad, event);
  gst_pad_pause_task (self->srcpad);
  return pushed;
}

static gboolean
end_flush (GstFourierDraw * self, GstEvent * event)
{
  /* waits for the task */
  GST_PAD_STREAM_LOCK (self->srcpad);
  fourier_worker_flush (&self->worker);
  reset (self);
  fourier_inbox_set_flushing (&self->inbox, FALSE);
  const gboolean pushed = gst_pad_push_event (self->srcpad, event);
  GST_PAD_STREAM_UNLOCK (self->srcpad);
  return pushed;
}

/* Those of which the mode decides. Before there is one, only the end of the
 * stream is forwarded. */
static gboolean
play_event (GstFourierDraw * self, GstPad * pad, GstEvent * event)
{
  FourierPlayer *player = get_player (self);
  gboolean handled, done = TRUE;

  if (player)
    handled = player->funcs->sink_event (player, event, &self->segment, &done);
  else
    handled = GST_EVENT_TYPE (event) != GST_EVENT_EOS;
  if (!handled)
    return gst_pad_event_default (pad, GST_OBJECT_CAST (self), event);
  gst_event_unref (event);
  return done;
}

static gboolean
fourier_sink_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (parent);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      return begin_flush (self, event);
    case GST_EVENT_FLUSH_STOP:
      return end_flush (self, event);
    case GST_EVENT_CAPS:
      if (set_caps (self, event))
        return play_event (self, pad, event);
      gst_event_unref (event);
      return FALSE;
    case GST_EVENT_SEGMENT:
      set_segment (self, event);
      return play_event (self, pad, event);
    case GST_EVENT_EOS:
    case GST_EVENT_GAP:
    case GST_EVENT_SEGMENT_DONE:
      return play_event (self, pad, event);
    default:
      return gst_pad_event_default (pad, parent, event);
  }
}

/* With background=frame, the formats downstream accepts, in any memory. */
static GstCaps *
get_sink_caps (GstFourierDraw * self)
{
  GstCaps *template = gst_pad_get_pad_template_caps (self->sinkpad);
  GstCaps *peer, *out, *caps;

  if (read_setting (self, background) != CS_BACKGROUND_FRAME)
    return template;
  out = gst_pad_get_pad_template_caps (self->srcpad);
  peer = gst_caps_make_writable (gst_pad_peer_query_caps (self->srcpad, out));
  for (guint i = 0; i < gst_caps_get_size (peer); i++) {
    gst_structure_remove_fields (gst_caps_get_structure (peer, i),
        "framerate", "colorimetry", "chroma-site", NULL);
    gst_caps_set_features (peer, i, gst_caps_features_new_any ());
  }
  caps = gst_caps_intersect_full (peer, template, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (peer);
  gst_caps_unref (out);
  gst_caps_unref (template);
  return caps;
}

/* Answers with what of @caps the query's filter lets through.
 *
 * @caps: (transfer full) */
static gboolean
answer_caps (GstQuery * query, GstCaps * caps)
{
  GstCaps *filter, *common;

  gst_query_parse_caps (query, &filter);
  common = filter ? gst_caps_intersect_full (filter, caps,
      GST_CAPS_INTERSECT_FIRST) : gst_caps_ref (caps);
  gst_query_set_caps_result (query, common);
  gst_caps_unref (common);
  gst_caps_unref (caps);
  return TRUE;
}

static gboolean
fourier_sink_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (parent);

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CONTEXT:
      return gst_shapes_compute_query_context (&self->compute, query) ||
          gst_pad_query_default (pad, parent, query);
    case GST_QUERY_ALLOCATION:
      /* downstream's answer is about frames, not about pictures */
      gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
      gst_query_add_allocation_meta (query, GST_SHAPE_META_API_TYPE, NULL);
      return TRUE;
    case GST_QUERY_CAPS:
      return answer_caps (query, get_sink_caps (self));
    default:
      return gst_pad_query_default (pad, parent, query);
  }
}

/* The source pad */

/* Returns: whether the navigation event was for the brush */
static gboolean
navigate (GstFourierDraw * self, GstEvent * event)
{
  FourierAction action;
  FourierView view;
  gboolean draws;
  gdouble radius;

  if (!fourier_controls_get_brush (&self->controls, &radius, &draws,
          &view) || !gst_event_get_structure (event))
    return FALSE;
  action = fourier_brush_navigate (&self->brush, event, draws, &view, &radius);
  if (action == FOURIER_ACTION_RADIUS)
    g_object_set (self, "brush-radius", radius, NULL);
  else if (action == FOURIER_ACTION_REDRAW)
    fourier_inbox_request (&self->inbox, FOURIER_REQUEST_RESTART);
  return action != FOURIER_ACTION_NONE;
}

static gboolean
fourier_src_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (parent);
  FourierPlayer *player = get_expected_player (self);
  gboolean handled, done = TRUE;

  if (GST_EVENT_TYPE (event) == GST_EVENT_NAVIGATION)
    handled = navigate (self, event);
  else
    handled = player && player->funcs->src_event &&
        player->funcs->src_event (player, event, &done);
  if (!handled)
    return gst_pad_event_default (pad, parent, event);
  gst_event_unref (event);
  return done;
}

static gboolean
fourier_src_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (parent);
  FourierPlayer *player = get_expected_player (self);
  gboolean done;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CONTEXT:
      return gst_shapes_compute_query_context (&self->compute, query) ||
          gst_pad_query_default (pad, parent, query);
    case GST_QUERY_CAPS:
      return answer_caps (query, gst_pad_get_pad_template_caps (pad));
    default:
      if (player && player->funcs->src_query &&
          player->funcs->src_query (player, query, &done))
        return done;
      return gst_pad_query_default (pad, parent, query);
  }
}

static gboolean
fourier_activate_src (GstPad * pad, GstObject * parent,
    GstPadMode mode, gboolean active)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  fourier_inbox_set_flushing (&self->inbox, !active);
  fourier_inbox_set_active (&self->inbox, active);
  return active || gst_pad_stop_task (pad);
}

/* Life */

static gboolean
start (GstFourierDraw * self)
{
  g_atomic_pointer_set (&self->player, NULL);
  self->have_info = FALSE;
  reset (self);
  fourier_inbox_set_leaky (&self->inbox, FALSE);
  fourier_frames_start (&self->frames);
  fourier_film_start (&self->film);
  fourier_live_start (&self->live);
  return gst_shapes_compute_start (&self->compute);
}

/* The pads are inactive. */
static void
stop (GstFourierDraw * self)
{
  set_source (self, FALSE);
  fourier_worker_stop (&self->worker);
  reset (self);
  fourier_frames_stop (&self->frames);
  gst_shapes_drops_reset (&self->drops);
  gst_shapes_aspect_reset (&self->aspect);
  gst_shapes_compute_stop (&self->compute);
  fourier_controls_reset (&self->controls);
}

static GstStateChangeReturn
fourier_change_state (GstElement * element, GstStateChange transition)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !start (self))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    fourier_inbox_set_flushing (&self->inbox, TRUE);
  result = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY ||
      (transition == GST_STATE_CHANGE_READY_TO_PAUSED &&
          result == GST_STATE_CHANGE_FAILURE))
    stop (self);
  return result;
}

static void
fourier_set_context (GstElement * element, GstContext * context)
{
  gst_shapes_compute_set_context (&GST_FOURIER_DRAW (element)->compute,
      context);
  GST_ELEMENT_CLASS (parent_class)->set_context (element, context);
}

/* A film ends when it is told to: what upstream sends has ended long ago. */
static gboolean
fourier_send_event (GstElement * element, GstEvent * event)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (element);

  if (GST_EVENT_TYPE (event) != GST_EVENT_EOS ||
      g_atomic_pointer_get (&self->player) != &self->film.player)
    return GST_ELEMENT_CLASS (parent_class)->send_event (element, event);
  fourier_film_end (&self->film,
      read_setting (self, on_eos) == FOURIER_ON_EOS_FINISH ?
      FOURIER_ENDING_PASS : FOURIER_ENDING_NOW, gst_event_get_seqnum (event));
  gst_event_unref (event);
  return TRUE;
}

static void
make_pads (GstFourierDraw * self)
{
  self->sinkpad = gst_pad_new_from_template (gst_element_get_pad_template
      (GST_ELEMENT (self), "sink"), "sink");
  gst_pad_set_chain_function (self->sinkpad, fourier_chain);
  gst_pad_set_event_function (self->sinkpad, fourier_sink_event);
  gst_pad_set_query_function (self->sinkpad, fourier_sink_query);
  /* caps need not have a frame rate */
  GST_PAD_SET_ACCEPT_INTERSECT (self->sinkpad);
  gst_element_add_pad (GST_ELEMENT_CAST (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_template (gst_element_get_pad_template
      (GST_ELEMENT (self), "src"), "src");
  gst_pad_set_event_function (self->srcpad, fourier_src_event);
  gst_pad_set_query_function (self->srcpad, fourier_src_query);
  gst_pad_set_activatemode_function (self->srcpad, fourier_activate_src);
  gst_element_add_pad (GST_ELEMENT_CAST (self), self->srcpad);
}

static void
make_players (GstFourierDraw * self)
{
  const FourierPlayer player = {
    .element = GST_ELEMENT_CAST (self),
    .sinkpad = self->sinkpad,
    .srcpad = self->srcpad,
    .inbox = &self->inbox,
    .worker = &self->worker,
    .frames = &self->frames,
  };

  fourier_film_init (&self->film, &player);
  fourier_live_init (&self->live, &player);
}

static void
gst_fourier_draw_init (GstFourierDraw * self)
{
  GstElement *element = GST_ELEMENT_CAST (self);

  make_pads (self);
  gst_shapes_compute_init (&self->compute, element, &compute_funcs);
  gst_shapes_drops_init (&self->drops, element);
  fourier_controls_init (&self->controls, element);
  fourier_brush_init (&self->brush);
  fourier_inbox_init (&self->inbox);
  fourier_worker_init (&self->worker, element, &self->compute, &self->brush);
  fourier_frames_init (&self->frames, element, self->srcpad, &self->compute,
      &self->drops, &self->brush, &self->controls, &self->worker);
  make_players (self);
}

static void
fourier_finalize (GObject * object)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (object);

  fourier_frames_finalize (&self->frames);
  fourier_worker_finalize (&self->worker);
  fourier_inbox_finalize (&self->inbox);
  fourier_brush_finalize (&self->brush);
  fourier_controls_finalize (&self->controls);
  gst_shapes_compute_finalize (&self->compute);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
install_signals (GObjectClass * klass)
{
  /**
   * GstFourierDraw::capture:
   * @self: the element
   *
   * Draws the next picture now instead of when the present one is finished. If
   * none follows, draws the present one again.
   */
  signals[SIGNAL_CAPTURE] = g_signal_new_class_handler ("capture",
      G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (fourier_capture), NULL, NULL, NULL, G_TYPE_NONE, 0);
  /**
   * GstFourierDraw::brush-clear:
   * @self: the element
   *
   * Restores what the mouse has erased, from the next drawing on.
   */
  signals[SIGNAL_BRUSH_CLEAR] = g_signal_new_class_handler ("brush-clear",
      G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (fourier_brush_clear_action), NULL, NULL, NULL,
      G_TYPE_NONE, 0);
  /**
   * GstFourierDraw::finish:
   * @self: the element
   *
   * Finishes the drawing now; #GstFourierDraw:hold follows, as usual.
   */
  signals[SIGNAL_FINISH] = g_signal_new_class_handler ("finish",
      G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (fourier_finish), NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
gst_fourier_draw_class_init (GstFourierDrawClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->finalize = fourier_finalize;
  gst_shapes_properties_bind (&fourier_controls_properties, object_class,
      G_STRUCT_OFFSET (GstFourierDraw, controls), NULL);
  gst_shapes_properties_bind (&gst_shapes_compute_properties, object_class,
      G_STRUCT_OFFSET (GstFourierDraw, compute), NULL);
  gst_shapes_properties_bind (&gst_shapes_drops_properties, object_class,
      G_STRUCT_OFFSET (GstFourierDraw, drops), NULL);
  gst_shapes_properties_bind (&fourier_properties, object_class,
      G_STRUCT_OFFSET (GstFourierDraw, controls.settings),
      fourier_settings_changed);
  install_signals (object_class);

  gst_shapes_element_class_describe (element_class, GST_SHAPES_GRAY_CAPS,
      GST_SHAPES_PICTURE_CAPS, "Fourier drawing machine", "Filter/Effect/Video",
      "Draws the contours of pictures with an arm of rotating vectors, the "
      "terms of a Fourier series");
  element_class->change_state = fourier_change_state;
  element_class->set_context = fourier_set_context;
  element_class->send_event = fourier_send_event;
}
