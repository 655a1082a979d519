/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The frames of fourierdraw, of both modes: what they are, and what is painted
 * on them. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstfourierdrawprivate.h"

#include <string.h>

#include "gstfourierdrawcaps.h"

#define GST_CAT_DEFAULT gst_fourier_draw_debug

/* Negotiation */

void
gst_fourier_draw_clear_pool (GstFourierDraw * self)
{
  if (self->pool)
    gst_buffer_pool_set_active (self->pool, FALSE);
  gst_clear_object (&self->pool);
}

static void
get_rate (const GstFourierDraw * self, gint * fps_n, gint * fps_d)
{
  *fps_n = self->out_info.fps_n;
  *fps_d = MAX (1, self->out_info.fps_d);
}

/* What is behind the drawing, as far as it is possible. */
static CsBackground
get_background (const GstFourierDraw * self)
{
  switch (self->current.background) {
    case GST_FOURIER_DRAW_BACKGROUND_FRAME:
      if (self->current.camera == GST_FOURIER_DRAW_CAMERA_FIT)
        return CS_BACKGROUND_FRAME;
      return CS_BACKGROUND_BLACK;
    case GST_FOURIER_DRAW_BACKGROUND_TRANSPARENT:
      return CS_BACKGROUND_TRANSPARENT;
    case GST_FOURIER_DRAW_BACKGROUND_WHITE:
      return CS_BACKGROUND_WHITE;
    default:
      return CS_BACKGROUND_BLACK;
  }
}

static void
warn_camera (GstFourierDraw * self)
{
  if (self->warned_camera ||
      self->current.background != GST_FOURIER_DRAW_BACKGROUND_FRAME ||
      self->current.camera == GST_FOURIER_DRAW_CAMERA_FIT)
    return;
  self->warned_camera = TRUE;
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
      ("background=frame needs camera=fit; the background is black."), (NULL));
}

/* The frame behind must be what is painted on. */
static gboolean
check_background (GstFourierDraw * self, const GstVideoInfo * info)
{
  const GstVideoInfo *out = &self->out_info;

  if (self->current.background != GST_FOURIER_DRAW_BACKGROUND_FRAME ||
      (GST_VIDEO_INFO_FORMAT (info) == GST_VIDEO_INFO_FORMAT (out) &&
          info->width == out->width && info->height == out->height))
    return TRUE;
  GST_ELEMENT_ERROR (self, CORE, NEGOTIATION,
      ("background=frame needs an output of the same format and size as the "
          "input: %s of %d x %d goes in, %s of %d x %d is wanted. Put "
          "videoconvert and videoscale before fourierdraw.",
          gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (info)),
          info->width, info->height,
          gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (out)), out->width,
          out->height), (NULL));
  return FALSE;
}

/* Agrees with downstream on what frames of pictures like @info are. */
static GstFlowReturn
negotiate (GstFourierDraw * self, const GstVideoInfo * info)
{
  GstCaps *caps = gst_fourier_draw_choose_caps (self->srcpad, info,
      self->current.background, self->live, self->compute.context);
  gboolean ok;

  self->negotiated = FALSE;
  if (!caps) {
    GST_ELEMENT_ERROR (self, CORE, NEGOTIATION,
        ("Downstream takes no video that fourierdraw makes. Put videoconvert "
            "after it."), (NULL));
    return GST_FLOW_NOT_NEGOTIATED;
  }
  GST_DEBUG_OBJECT (self, "caps %" GST_PTR_FORMAT, caps);
  ok = gst_video_info_from_caps (&self->out_info, caps) &&
      check_background (self, info) && gst_pad_set_caps (self->srcpad, caps);
  if (ok) {
    gst_fourier_draw_clear_pool (self);
    self->pool = gst_fourier_draw_choose_pool (self->srcpad, caps,
        &self->out_info, self->compute.context);
    ok = self->pool != NULL;
  }
  gst_caps_unref (caps);
  if (!ok)
    return GST_PAD_IS_FLUSHING (self->srcpad) ? GST_FLOW_FLUSHING :
        GST_FLOW_NOT_NEGOTIATED;
  gst_fourier_painter_reset (&self->painter);
  self->negotiated = TRUE;
  return GST_FLOW_OK;
}

GstFlowReturn
gst_fourier_draw_ensure_negotiated (GstFourierDraw * self,
    const GstVideoInfo * info)
{
  GstFlowReturn flow;
  gint fps_n, fps_d;

  if (!gst_pad_check_reconfigure (self->srcpad) && self->negotiated)
    return GST_FLOW_OK;
  if (!gst_shapes_compute_begin (&self->compute))
    return GST_FLOW_ERROR;
  flow = negotiate (self, info);
  gst_shapes_compute_end (&self->compute);
  if (flow != GST_FLOW_OK) {
    gst_pad_mark_reconfigure (self->srcpad);
    return flow;
  }
  get_rate (self, &fps_n, &fps_d);
  gst_fourier_draw_counter_set_rate (&self->counter, fps_n, fps_d);
  gst_fourier_draw_counter_set_rate (&self->local, fps_n, fps_d);
  return GST_FLOW_OK;
}

/* Frames */

/* Whether a controller says where the arm is. */
static gboolean
is_controlled (GstFourierDraw * self)
{
  GstControlBinding *binding =
      gst_object_get_control_binding (GST_OBJECT_CAST (self), "progress");
  const gboolean controlled = binding &&
      !gst_control_binding_is_disabled (binding);

  gst_clear_object (&binding);
  return controlled;
}

/* Takes what the controllers say for this moment, and what was set. Returns:
 * the progress that was asked for since the last frame,
 * GST_FOURIER_DRAW_NO_JUMP if none was. */
static gdouble
sync_settings (GstFourierDraw * self, GstClockTime stream_time)
{
  gdouble jump;

  if (GST_CLOCK_TIME_IS_VALID (stream_time))
    gst_object_sync_values (GST_OBJECT_CAST (self), stream_time);
  gst_fourier_draw_update_settings (self);
  GST_OBJECT_LOCK (self);
  jump = self->jump;
  self->jump = GST_FOURIER_DRAW_NO_JUMP;
  GST_OBJECT_UNLOCK (self);
  return jump;
}

gdouble
gst_fourier_draw_update_clock (GstFourierDraw * self, GstClockTime now,
    GstClockTime frame, GstClockTime stream_time)
{
  const gdouble asked = sync_settings (self, stream_time);
  GstFourierDrawTimes times;

  gst_fourier_draw_settings_get_times (&self->current, &times);
  gst_fourier_draw_clock_set_times (&self->clock, &times, frame, now);
  if (asked == GST_FOURIER_DRAW_NO_JUMP || is_controlled (self))
    return asked;
  /* what is set by hand moves the clock */
  gst_fourier_draw_clock_jump (&self->clock, asked, now);
  return GST_FOURIER_DRAW_NO_JUMP;
}

static void
describe_frame (GstFourierDraw * self, GstClockTime now, gdouble asked,
    const GstVideoInfo * info, GstFourierDrawFrame * frame)
{
  const GstFourierDrawClock *clock = &self->clock;

  memset (frame, 0, sizeof (*frame));
  frame->settings = &self->current;
  frame->drawing = self->drawing && self->drawing->n_contours > 0 ?
      self->drawing : NULL;
  /* the drawing may still be that of a picture of another size */
  frame->picture_width = self->contours ? self->contours->width :
      (guint) info->width;
  frame->picture_height = self->contours ? self->contours->height :
      (guint) info->height;
  frame->progress = gst_fourier_draw_clock_get_progress (clock, now);
  frame->seconds = (gdouble) gst_fourier_draw_clock_get_drawn (clock, now) /
      GST_SECOND;
  frame->span = (gdouble) gst_fourier_draw_clock_get_span (clock) / GST_SECOND;
  if (asked != GST_FOURIER_DRAW_NO_JUMP) {
    frame->progress = asked;
    frame->seconds = asked * frame->span;
  } else if (self->out_info.fps_n == 0 && !self->live) {
    /* a picture that does not move is the finished one */
    frame->progress = 1.;
    frame->seconds = frame->span;
  }
  gst_fourier_draw_brush_get_pending (&self->brush, &self->pending_dabs);
  frame->pending = &self->pending_dabs;
  frame->background = get_background (self);
  frame->background_id = self->live ? 0 : self->picture_id;
}

static void
publish (GstFourierDraw * self, const GstFourierDrawFrame * frame,
    const GstFourierDrawView * view)
{
  GST_OBJECT_LOCK (self);
  self->progress = frame->progress;
  self->view = *view;
  GST_OBJECT_UNLOCK (self);
}

/* Paints on @output. The context is current. */
static gboolean
paint (GstFourierDraw * self, const GstFourierDrawFrame * frame,
    const GstFourierDrawPicture * picture, GstBuffer * output, GError ** error)
{
  const gboolean behind = gst_fourier_painter_needs_background (&self->painter,
      frame);
  GstFourierDrawView view = { 1., 0., 0. };
  GstShapesPicture in, out;
  gboolean painted, ok;

  if (behind && !gst_shapes_picture_map (&in, &self->in_stage, &picture->info,
          picture->buffer, GST_MAP_READ, error))
    return FALSE;
  ok = gst_shapes_picture_map (&out, &self->out_stage, &self->out_info, output,
      GST_MAP_WRITE, error);
  if (ok) {
    painted = gst_fourier_painter_paint (&self->painter, frame,
        behind ? &in.picture : NULL, &out.picture, &view, error);
    ok = gst_shapes_picture_unmap (&out, painted, painted ? error : NULL) &&
        painted;
  }
  if (behind)
    gst_shapes_picture_unmap (&in, FALSE, NULL);
  if (ok)
    publish (self, frame, &view);
  return ok;
}

GstFlowReturn
gst_fourier_draw_make_frame (GstFourierDraw * self, GstClockTime now,
    gdouble asked, const GstFourierDrawPicture * picture, GstBuffer ** output)
{
  GstFourierDrawFrame frame;
  GstFlowReturn flow;
  GError *error = NULL;
  gboolean ok;

  gst_fourier_draw_update_vectors (self);
  warn_camera (self);
  describe_frame (self, now, asked, &picture->info, &frame);
  flow = gst_buffer_pool_acquire_buffer (self->pool, output, NULL);
  if (flow != GST_FLOW_OK)
    return flow;
  if (!gst_shapes_compute_begin (&self->compute)) {
    gst_clear_buffer (output);
    return GST_FLOW_ERROR;
  }
  ok = paint (self, &frame, picture, *output, &error);
  gst_shapes_compute_end (&self->compute);
  if (ok)
    return GST_FLOW_OK;
  flow = gst_fourier_draw_fail_picture (self, picture, error);
  g_clear_error (&error);
  gst_clear_buffer (output);
  return flow;
}

void
gst_fourier_draw_push_segment (GstFourierDraw * self,
    const GstSegment * segment)
{
  GstEvent *event;

  if (!self->need_segment)
    return;
  self->need_segment = FALSE;
  event = gst_event_new_segment (segment);
  if (self->seqnum != GST_SEQNUM_INVALID)
    gst_event_set_seqnum (event, self->seqnum);
  gst_pad_push_event (self->srcpad, event);
}
