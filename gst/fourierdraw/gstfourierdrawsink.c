/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sink pad of fourierdraw. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstfourierdrawprivate.h"

#include "gstfourierdrawcaps.h"
#include "element/gstshapesframe.h"
#include "element/gstshapesnegotiation.h"

#define GST_CAT_DEFAULT gst_fourier_draw_debug

/* Buffers */

/* Whether upstream is a camera or the like. */
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

static void
decide_mode (GstFourierDraw * self)
{
  const gboolean upstream_live = query_upstream_live (self);
  guint mode;

  GST_OBJECT_LOCK (self);
  mode = self->settings.mode;
  GST_OBJECT_UNLOCK (self);
  g_mutex_lock (&self->lock);
  self->upstream_live = upstream_live;
  self->live = mode == GST_FOURIER_DRAW_MODE_LIVE ||
      (mode == GST_FOURIER_DRAW_MODE_AUTO && upstream_live);
  self->mode_known = TRUE;
  g_mutex_unlock (&self->lock);
  GST_INFO_OBJECT (self, "mode %s", self->live ? "live" : "redraw");
}

/* Leaves the picture for the task: the last one has been taken before, or, from
 * a camera, is given up. */
static GstFlowReturn
chain_redraw (GstFourierDraw * self, GstBuffer * buffer)
{
  GstFlowReturn flow;

  g_mutex_lock (&self->lock);
  while (self->pending.buffer && !self->upstream_live && !self->flushing &&
      self->flow == GST_FLOW_OK)
    g_cond_wait (&self->cond, &self->lock);
  flow = self->flushing ? GST_FLOW_FLUSHING : self->flow;
  if (flow == GST_FLOW_OK) {
    gst_fourier_draw_picture_set (&self->pending, buffer, &self->in_info);
    g_cond_broadcast (&self->cond);
  }
  g_mutex_unlock (&self->lock);
  gst_buffer_unref (buffer);
  if (flow == GST_FLOW_OK)
    gst_fourier_draw_start_task (self);
  return flow;
}

/* Whether all of @buffer that will be looked at is there: contours that it
 * carries need no pixels, and neither does one without content. */
static gboolean
check_buffer (GstFourierDraw * self, GstBuffer * buffer, GError ** error)
{
  GstShapesFrame frame;
  guint background;

  GST_OBJECT_LOCK (self);
  background = self->settings.background;
  GST_OBJECT_UNLOCK (self);
  if (background != GST_FOURIER_DRAW_BACKGROUND_FRAME &&
      (gst_buffer_get_shape_set (buffer) ||
          GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP)))
    return TRUE;
  return gst_shapes_frame_init (&frame, &self->in_info, buffer,
      self->compute.context, NULL, error);
}

GstFlowReturn
gst_fourier_draw_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (parent);
  GError *error = NULL;

  if (!self->have_info) {
    gst_buffer_unref (buffer);
    return gst_shapes_post_no_caps (GST_ELEMENT_CAST (self));
  }
  if (!check_buffer (self, buffer, &error)) {
    gst_shapes_drops_take (&self->drops, buffer, &self->in_segment, error);
    g_clear_error (&error);
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  }
  if (!self->mode_known)
    decide_mode (self);
  return self->live ? gst_fourier_draw_chain_live (self, buffer) :
      chain_redraw (self, buffer);
}

/* Events */

static gboolean
take_caps (GstFourierDraw * self, GstCaps * caps)
{
  GstVideoInfo info;

  if (!gst_video_info_from_caps (&info, caps) || info.width < 1 ||
      info.height < 1) {
    GST_ELEMENT_ERROR (self, CORE, NEGOTIATION,
        ("Cannot make sense of the caps of the input."),
        ("%" GST_PTR_FORMAT, caps));
    return FALSE;
  }
  self->in_info = info;
  self->have_info = TRUE;
  /* the task finds out itself, when it takes the next picture */
  if (gst_fourier_draw_is_live (self))
    self->negotiated = FALSE;
  return TRUE;
}

static void
take_segment (GstFourierDraw * self, GstEvent * event)
{
  const GstSegment *segment;

  gst_event_parse_segment (event, &segment);
  self->in_segment = *segment;
  if (segment->format != GST_FORMAT_TIME)
    gst_segment_init (&self->in_segment, GST_FORMAT_TIME);
  if (gst_fourier_draw_is_live (self)) {
    self->need_segment = TRUE;
    self->seqnum = gst_event_get_seqnum (event);
  }
}

/* The end of the pictures is not yet the end of the film. */
static gboolean
take_eos (GstFourierDraw * self, GstEvent * event)
{
  if (!self->mode_known || self->live) {
    if (self->mode_known)
      gst_fourier_draw_push_segment (self, &self->in_segment);
    return gst_pad_push_event (self->srcpad, event);
  }
  g_mutex_lock (&self->lock);
  self->eos = TRUE;
  self->eos_seqnum = gst_event_get_seqnum (event);
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
  gst_event_unref (event);
  gst_fourier_draw_start_task (self);
  return TRUE;
}

static gboolean
begin_flush (GstFourierDraw * self, GstEvent * event)
{
  gboolean pushed;

  g_mutex_lock (&self->lock);
  self->flushing = TRUE;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
  pushed = gst_pad_push_event (self->srcpad, event);
  gst_pad_pause_task (self->srcpad);
  return pushed;
}

static gboolean
end_flush (GstFourierDraw * self, GstEvent * event)
{
  gboolean pushed;

  /* the task has ended, or ends now */
  GST_PAD_STREAM_LOCK (self->srcpad);
  gst_fourier_draw_drop_jobs (self);
  gst_fourier_draw_reset_stream (self);
  gst_segment_init (&self->in_segment, GST_FORMAT_TIME);
  g_mutex_lock (&self->lock);
  self->flushing = FALSE;
  g_mutex_unlock (&self->lock);
  pushed = gst_pad_push_event (self->srcpad, event);
  GST_PAD_STREAM_UNLOCK (self->srcpad);
  return pushed;
}

gboolean
gst_fourier_draw_sink_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (parent);
  gboolean taken;
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      taken = take_caps (self, caps);
      gst_event_unref (event);
      return taken;
    case GST_EVENT_SEGMENT:
      take_segment (self, event);
      gst_event_unref (event);
      return TRUE;
    case GST_EVENT_EOS:
      return take_eos (self, event);
    case GST_EVENT_FLUSH_START:
      return begin_flush (self, event);
    case GST_EVENT_FLUSH_STOP:
      return end_flush (self, event);
    case GST_EVENT_GAP:
    case GST_EVENT_SEGMENT_DONE:
      if (gst_fourier_draw_is_live (self) && !self->need_segment)
        return gst_pad_event_default (pad, parent, event);
      gst_event_unref (event);
      return TRUE;
    default:
      return gst_pad_event_default (pad, parent, event);
  }
}

/* Queries */

/* With the picture behind the drawing, what goes in is what comes out. */
static GstCaps *
get_sink_caps (GstFourierDraw * self)
{
  GstCaps *template = gst_pad_get_pad_template_caps (self->sinkpad);
  GstCaps *peer, *out, *caps;
  guint background, i;

  GST_OBJECT_LOCK (self);
  background = self->settings.background;
  GST_OBJECT_UNLOCK (self);
  if (background != GST_FOURIER_DRAW_BACKGROUND_FRAME)
    return template;
  out = gst_pad_get_pad_template_caps (self->srcpad);
  peer = gst_caps_make_writable (gst_pad_peer_query_caps (self->srcpad, out));
  for (i = 0; i < gst_caps_get_size (peer); i++) {
    GstStructure *structure = gst_caps_get_structure (peer, i);

    gst_structure_remove_fields (structure, "framerate", "colorimetry",
        "chroma-site", NULL);
    /* in whatever memory */
    gst_caps_set_features (peer, i, gst_caps_features_new_any ());
  }
  caps = gst_caps_intersect_full (peer, template, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (peer);
  gst_caps_unref (out);
  gst_caps_unref (template);
  return caps;
}

gboolean
gst_fourier_draw_sink_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (parent);
  GstCaps *caps;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CONTEXT:
      if (gst_shapes_compute_query_context (&self->compute, query))
        return TRUE;
      return gst_pad_query_default (pad, parent, query);
    case GST_QUERY_ALLOCATION:
      /* what we make is not what comes, so downstream is not asked */
      gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
      gst_query_add_allocation_meta (query, GST_SHAPE_META_API_TYPE, NULL);
      return TRUE;
    case GST_QUERY_CAPS:
      caps = get_sink_caps (self);
      gst_fourier_draw_answer_caps (query, caps);
      gst_caps_unref (caps);
      return TRUE;
    default:
      return gst_pad_query_default (pad, parent, query);
  }
}
