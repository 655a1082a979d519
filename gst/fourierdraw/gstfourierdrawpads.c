/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstfourierdrawpads.h"

#include "gstfourierdrawcaps.h"
#include "gstfourierdrawdebug.h"
#include "gstfourierdrawprivate.h"
#include "element/gstshapesframe.h"
#include "element/gstshapesmessage.h"
#include "element/gstshapesnegotiation.h"

/* The mode */

static GstFourierDrawPlayer *
get_player (GstFourierDraw * self)
{
  return g_atomic_pointer_get (&self->player);
}

/* Whatever upstream is. */
static gboolean
is_film (GstFourierDrawMode mode)
{
  return mode == GST_FOURIER_DRAW_MODE_REDRAW ||
      mode == GST_FOURIER_DRAW_MODE_STILL;
}

/* Also before the first picture, if the mode is set. Returns: (nullable) */
static GstFourierDrawPlayer *
get_expected_player (GstFourierDraw * self)
{
  GstFourierDrawPlayer *player = get_player (self);

  if (!player && is_film (gst_fourier_draw_controls_get_mode
          (&self->controls)))
    player = &self->film.player;
  return player;
}

static gboolean
query_upstream_live (GstFourierDraw * self)
{
  GstQuery *query = gst_query_new_latency ();
  gboolean live = FALSE;

  if (gst_pad_peer_query (self->sinkpad, query))
    gst_query_parse_latency (query, &live, NULL, NULL);
  gst_query_unref (query);
  return live;
}

static GstFourierDrawPlayer *
choose_player (GstFourierDraw * self)
{
  const gboolean upstream_live = query_upstream_live (self);
  const GstFourierDrawMode mode =
      gst_fourier_draw_controls_get_mode (&self->controls);
  const gboolean live = mode == GST_FOURIER_DRAW_MODE_LIVE ||
      (mode == GST_FOURIER_DRAW_MODE_AUTO && upstream_live);
  GstFourierDrawPlayer *player = live ? &self->live.player :
      &self->film.player;

  GST_INFO_OBJECT (self, "mode %s", live ? "live" : "redraw");
  gst_fourier_draw_film_set_upstream (&self->film, upstream_live,
      mode == GST_FOURIER_DRAW_MODE_AUTO);
  g_atomic_pointer_set (&self->player, player);
  gst_fourier_draw_set_source (self, !live);
  return player;
}

/* The sink pad */

/* Whether what will be read of @buffer is there: contours that it carries need
 * no pixels, and neither does a gap without any. */
static gboolean
check_buffer (GstFourierDraw * self, GstBuffer * buffer, GError ** error)
{
  GstShapesFrame frame;

  if (gst_shapes_is_empty_gap (buffer) ||
      (!gst_fourier_draw_controls_needs_pixels (&self->controls) &&
          (gst_buffer_get_shape_set (buffer) ||
              GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP))))
    return TRUE;
  return gst_shapes_frame_init (&frame, &self->info, buffer,
      self->compute.context, NULL, error);
}

GstFlowReturn
gst_fourier_draw_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (parent);
  GstFourierDrawPicture picture = { buffer, self->info, self->segment };
  GstFourierDrawPlayer *player = get_player (self);
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
  gst_fourier_draw_picture_clear (&picture);
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
    GST_SHAPES_ERROR (self, CORE, NEGOTIATION,
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
  gboolean pushed;

  gst_fourier_draw_inbox_set_flushing (&self->inbox, TRUE);
  pushed = gst_pad_push_event (self->srcpad, event);
  gst_pad_pause_task (self->srcpad);
  return pushed;
}

static gboolean
end_flush (GstFourierDraw * self, GstEvent * event)
{
  gboolean pushed;

  /* waits for the task */
  GST_PAD_STREAM_LOCK (self->srcpad);
  gst_fourier_draw_worker_flush (&self->worker);
  gst_fourier_draw_reset (self);
  gst_fourier_draw_inbox_set_flushing (&self->inbox, FALSE);
  pushed = gst_pad_push_event (self->srcpad, event);
  GST_PAD_STREAM_UNLOCK (self->srcpad);
  return pushed;
}

/* Those of which the mode decides. Before there is one, only the end of the
 * stream is forwarded. */
static gboolean
play_event (GstFourierDraw * self, GstPad * pad, GstEvent * event)
{
  GstFourierDrawPlayer *player = get_player (self);
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

gboolean
gst_fourier_draw_sink_event (GstPad * pad, GstObject * parent, GstEvent * event)
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
  guint i;

  if (gst_fourier_draw_controls_get_background (&self->controls) !=
      GST_FOURIER_DRAW_BACKGROUND_FRAME)
    return template;
  out = gst_pad_get_pad_template_caps (self->srcpad);
  peer = gst_caps_make_writable (gst_pad_peer_query_caps (self->srcpad, out));
  for (i = 0; i < gst_caps_get_size (peer); i++) {
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

/* @caps: (transfer full) */
static gboolean
answer_caps (GstQuery * query, GstCaps * caps)
{
  gst_fourier_draw_answer_caps (query, caps);
  gst_caps_unref (caps);
  return TRUE;
}

gboolean
gst_fourier_draw_sink_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (parent);

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CONTEXT:
      return gst_shapes_compute_query_context (&self->compute, query) ||
          gst_pad_query_default (pad, parent, query);
    case GST_QUERY_ALLOCATION:
      /* not downstream's: the frames are others */
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
  GstFourierDrawAction action;
  GstFourierDrawView view;
  gboolean draws;
  gdouble radius;

  if (!gst_fourier_draw_controls_get_brush (&self->controls, &radius, &draws,
          &view) || !gst_event_get_structure (event))
    return FALSE;
  action = gst_fourier_draw_brush_navigate (&self->brush, event, draws,
      &view, &radius);
  if (action == GST_FOURIER_DRAW_ACTION_RADIUS)
    g_object_set (self, "brush-radius", radius, NULL);
  else if (action == GST_FOURIER_DRAW_ACTION_REDRAW)
    gst_fourier_draw_inbox_request (&self->inbox,
        GST_FOURIER_DRAW_REQUEST_RESTART);
  return action != GST_FOURIER_DRAW_ACTION_NONE;
}

gboolean
gst_fourier_draw_src_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (parent);
  GstFourierDrawPlayer *player = get_expected_player (self);
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

gboolean
gst_fourier_draw_src_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (parent);
  GstFourierDrawPlayer *player = get_expected_player (self);
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

gboolean
gst_fourier_draw_activate_src (GstPad * pad, GstObject * parent,
    GstPadMode mode, gboolean active)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  gst_fourier_draw_inbox_set_flushing (&self->inbox, !active);
  gst_fourier_draw_inbox_set_active (&self->inbox, active);
  return active || gst_pad_stop_task (pad);
}
