/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* mode=live: a frame for each frame. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstfourierdrawprivate.h"

#include "gstfourierdrawcaps.h"

/* Whether there is nothing to be drawn of pictures like this one. */
static gboolean
is_useless (const GstFourierDraw * self, const GstVideoInfo * info)
{
  return self->drawing->n_contours == 0 ||
      self->contours->width != (guint) info->width ||
      self->contours->height != (guint) info->height;
}

/* Sees to it that there is a drawing, and a new one in time. */
static GstFlowReturn
update_drawing (GstFourierDraw * self, const GstFourierDrawPicture * picture,
    GstClockTime now, GstClockTime frame)
{
  gboolean capture, again, busy;
  GstFlowReturn flow;

  if (!self->drawing) {
    GstFourierDrawTimes times;

    flow = gst_fourier_draw_prepare_picture (self, picture);
    if (flow != GST_FLOW_OK)
      return flow;
    gst_fourier_draw_settings_get_times (&self->current, &times);
    gst_fourier_draw_clock_start (&self->clock, &times, frame, now);
  }
  if (!gst_fourier_draw_collect_job (self, now, frame))
    return GST_FLOW_ERROR;
  g_mutex_lock (&self->lock);
  busy = self->job || self->worker_busy;
  capture = self->capture;
  again = self->restart;
  self->capture = self->restart = FALSE;
  g_mutex_unlock (&self->lock);
  if (capture || (!busy && (is_useless (self, &picture->info) ||
              gst_fourier_draw_clock_is_over (&self->clock, now))))
    gst_fourier_draw_send_job (self, picture);
  else if (again)
    gst_fourier_draw_send_job (self, NULL);
  return GST_FLOW_OK;
}

/* The time that the animation follows: running time, or, without timestamps,
 * counted frames. */
static GstClockTime
get_live_time (GstFourierDraw * self, GstBuffer * buffer)
{
  GstClockTime now = gst_segment_to_running_time (&self->in_segment,
      GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));

  if (!GST_CLOCK_TIME_IS_VALID (now)) {
    if (self->local.fps_n == 0)
      gst_fourier_draw_counter_init (&self->local, GST_FOURIER_DRAW_FPS_N,
          GST_FOURIER_DRAW_FPS_D);
    now = gst_fourier_draw_counter_get_time (&self->local);
  }
  self->local.n++;
  return now;
}

static GstFlowReturn
make_live_frame (GstFourierDraw * self, const GstFourierDrawPicture * picture,
    GstBuffer ** output)
{
  const GstClockTime now = get_live_time (self, picture->buffer);
  const GstClockTime frame =
      gst_fourier_draw_counter_get_frame (&self->counter);
  GstFlowReturn flow;
  gdouble asked;

  asked = gst_fourier_draw_update_clock (self, now, frame,
      gst_segment_to_stream_time (&self->in_segment, GST_FORMAT_TIME,
          GST_BUFFER_PTS (picture->buffer)));
  flow = update_drawing (self, picture, now, frame);
  if (flow == GST_FLOW_OK)
    flow = gst_fourier_draw_make_frame (self, now, asked, picture, output);
  if (flow == GST_FLOW_OK)
    gst_buffer_copy_into (*output, picture->buffer, GST_BUFFER_COPY_TIMESTAMPS
        | GST_BUFFER_COPY_FLAGS, 0, -1);
  return flow;
}

GstFlowReturn
gst_fourier_draw_chain_live (GstFourierDraw * self, GstBuffer * buffer)
{
  GstFourierDrawPicture picture = { buffer, self->in_info };
  GstBuffer *output = NULL;
  GstFlowReturn flow;

  gst_fourier_draw_update_settings (self);
  flow = gst_fourier_draw_ensure_negotiated (self, &self->in_info);
  if (flow == GST_FLOW_OK) {
    gst_fourier_draw_push_segment (self, &self->in_segment);
    flow = make_live_frame (self, &picture, &output);
  }
  gst_fourier_draw_picture_clear (&picture);
  if (flow == GST_FOURIER_DRAW_FLOW_DROPPED)
    return GST_FLOW_OK;
  return flow == GST_FLOW_OK ? gst_pad_push (self->srcpad, output) : flow;
}
