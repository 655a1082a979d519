/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* mode=redraw: the task of the source pad, which makes a film of each picture,
 * and seeking in that film. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstfourierdrawprivate.h"

#define GST_CAT_DEFAULT gst_fourier_draw_debug

/* The task */

typedef enum
{
  WORK_NONE,
  WORK_TAKE,
  WORK_FRAME,
  WORK_EOS,
} Work;

/* Whether all of the picture has been shown. */
static gboolean
is_over (const GstFourierDraw * self)
{
  if (self->local.fps_n == 0 && self->negotiated)
    return self->still_done;
  return gst_fourier_draw_clock_is_over (&self->clock,
      gst_fourier_draw_counter_get_time (&self->local));
}

static Work
find_work (GstFourierDraw * self)
{
  if (self->flushing || self->interrupted)
    return WORK_NONE;
  if (self->capture && !self->pending.buffer && self->eos && self->active) {
    /* there will be no other picture than this one */
    self->capture = FALSE;
    self->restart = TRUE;
  }
  if (self->pending.buffer && (!self->active || self->capture ||
          (is_over (self) && !self->restart)))
    return WORK_TAKE;
  if (self->active && (self->restart || !is_over (self)))
    return WORK_FRAME;
  return self->eos ? WORK_EOS : WORK_NONE;
}

static Work
wait_for_work (GstFourierDraw * self)
{
  Work work;

  g_mutex_lock (&self->lock);
  while ((work = find_work (self)) == WORK_NONE && !self->flushing &&
      !self->interrupted)
    g_cond_wait (&self->cond, &self->lock);
  g_mutex_unlock (&self->lock);
  return work;
}

/* Begins the first pass of the present picture. */
static void
start_clock (GstFourierDraw * self)
{
  GstFourierDrawTimes times;

  gst_fourier_draw_settings_get_times (&self->current, &times);
  gst_fourier_draw_clock_start (&self->clock, &times,
      gst_fourier_draw_counter_get_frame (&self->local),
      gst_fourier_draw_counter_get_time (&self->local));
  self->pass = 0;
  self->still_done = FALSE;
}

/* The running time of a picture of a live source: the film begins then. */
static void
set_base (GstFourierDraw * self, GstBuffer * buffer)
{
  GstClockTime base = gst_segment_to_running_time (&self->in_segment,
      GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));

  if (self->upstream_live && self->need_segment && self->picture_id == 0 &&
      GST_CLOCK_TIME_IS_VALID (base))
    self->segment.base = base;
}

/* @picture is in the place of the one before. Takes the reference. */
static void
begin_picture (GstFourierDraw * self, GstFourierDrawPicture * picture)
{
  /* a seek may have come before the first one */
  const gboolean first = self->picture_id == 0;

  if (!gst_video_info_is_equal (&self->picture.info, &picture->info))
    self->negotiated = FALSE;
  gst_fourier_draw_picture_clear (&self->picture);
  self->picture = *picture;
  self->picture_id++;
  self->active = TRUE;
  gst_fourier_draw_counter_init (&self->local, self->counter.fps_n,
      MAX (1, self->counter.fps_d));
  start_clock (self);
  self->picture_start = first ? 0 :
      gst_fourier_draw_counter_get_time (&self->counter);
  if (first && gst_fourier_draw_counter_get_time (&self->counter) > 0) {
    const GstClockTime time =
        gst_fourier_draw_counter_get_time (&self->counter);

    gst_fourier_draw_counter_seek (&self->local, time);
    gst_fourier_draw_clock_seek (&self->clock, 0,
        gst_fourier_draw_counter_get_time (&self->local));
  }
}

/* What was left out is not shown any more. */
static GstFlowReturn
end_picture (GstFourierDraw * self, GstFlowReturn flow)
{
  if (flow != GST_FOURIER_DRAW_FLOW_DROPPED)
    return flow;
  self->active = FALSE;
  return GST_FLOW_OK;
}

/* If the picture is left out, the one before stays. */
static GstFlowReturn
take_picture (GstFourierDraw * self)
{
  GstFourierDrawPicture picture;
  GstFlowReturn flow;

  g_mutex_lock (&self->lock);
  picture = self->pending;
  self->pending.buffer = NULL;
  if (picture.buffer) {
    self->capture = self->restart = FALSE;
    set_base (self, picture.buffer);
    g_cond_broadcast (&self->cond);
  }
  g_mutex_unlock (&self->lock);
  if (!picture.buffer)
    return GST_FLOW_OK;

  gst_fourier_draw_update_settings (self);
  flow = gst_fourier_draw_prepare_picture (self, &picture);
  if (flow == GST_FLOW_OK)
    begin_picture (self, &picture);
  else
    gst_fourier_draw_picture_clear (&picture);
  return flow == GST_FOURIER_DRAW_FLOW_DROPPED ? GST_FLOW_OK : flow;
}

/* What changes drawings, and not only how they look. */
static gboolean
needs_preparing (GstFourierDraw * self)
{
  gst_fourier_draw_brush_get_pending (&self->brush, &self->pending_dabs);
  return self->pending_dabs.dabs->len > 0 ||
      !gst_shapes_properties_same (&gst_fourier_draw_properties,
      &self->prepared, &self->current, GST_FOURIER_DRAW_DRAWING);
}

/* Draws again when it was asked for, and with what was erased and set in the
 * meantime when a new pass begins. */
static GstFlowReturn
check_restart (GstFourierDraw * self)
{
  const guint64 pass = gst_fourier_draw_clock_get_pass (&self->clock,
      gst_fourier_draw_counter_get_time (&self->local));
  GstFlowReturn flow;
  gboolean asked;

  g_mutex_lock (&self->lock);
  asked = self->restart;
  self->restart = FALSE;
  g_mutex_unlock (&self->lock);
  gst_fourier_draw_update_settings (self);
  if (!asked && (pass == self->pass || !needs_preparing (self))) {
    self->pass = pass;
    return GST_FLOW_OK;
  }
  self->pass = pass;
  flow = gst_fourier_draw_prepare_picture (self, &self->picture);
  if (flow == GST_FLOW_OK && asked)
    start_clock (self);
  return end_picture (self, flow);
}

/* What queries are told. */
static void
tell_times (GstFourierDraw * self, GstClockTime position)
{
  GstFourierDrawTimes times;
  const GstClockTime frame =
      gst_fourier_draw_counter_get_frame (&self->local);
  GstClockTime total;
  gboolean changed;

  gst_fourier_draw_settings_get_times (&self->current, &times);
  total = gst_fourier_draw_times_get_total (&times, frame);
  g_mutex_lock (&self->lock);
  self->position = position;
  if (self->eos && self->counter.fps_n > 0 && !self->pending.buffer &&
      GST_CLOCK_TIME_IS_VALID (total))
    total += self->picture_start;
  else
    total = GST_CLOCK_TIME_NONE;
  changed = total != self->end;
  self->end = total;
  g_mutex_unlock (&self->lock);
  self->segment.position = position;
  if (!changed)
    return;
  self->segment.duration = total;
  gst_element_post_message (GST_ELEMENT_CAST (self),
      gst_message_new_duration_changed (GST_OBJECT_CAST (self)));
}

static void
stamp_frame (GstFourierDraw * self, GstBuffer * buffer)
{
  GST_BUFFER_PTS (buffer) =
      gst_fourier_draw_counter_get_time (&self->counter);
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_OFFSET (buffer) = self->counter.n;
  GST_BUFFER_OFFSET_END (buffer) = self->counter.n + 1;
  if (self->counter.fps_n > 0)
    GST_BUFFER_DURATION (buffer) =
        gst_fourier_draw_counter_get_end (&self->counter) -
        GST_BUFFER_PTS (buffer);
  else
    GST_BUFFER_DURATION (buffer) = GST_CLOCK_TIME_NONE;
  if (self->need_discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  else
    GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_DISCONT);
  self->need_discont = FALSE;
}

static GstFlowReturn
push_frame (GstFourierDraw * self)
{
  const GstClockTime time =
      gst_fourier_draw_counter_get_time (&self->counter);
  const GstClockTime now = gst_fourier_draw_counter_get_time (&self->local);
  GstBuffer *buffer = NULL;
  GstFlowReturn flow;
  gdouble asked;

  if (GST_CLOCK_TIME_IS_VALID (self->segment.stop) &&
      time >= self->segment.stop)
    return GST_FLOW_EOS;
  gst_fourier_draw_push_segment (self, &self->segment);
  asked = gst_fourier_draw_update_clock (self, now,
      gst_fourier_draw_counter_get_frame (&self->local),
      gst_segment_to_stream_time (&self->segment, GST_FORMAT_TIME, time));
  tell_times (self, time);
  flow = gst_fourier_draw_make_frame (self, now, asked, &self->picture,
      &buffer);
  if (flow != GST_FLOW_OK)
    return end_picture (self, flow);
  stamp_frame (self, buffer);
  self->counter.n++;
  self->local.n++;
  self->still_done = TRUE;
  return gst_pad_push (self->srcpad, buffer);
}

static GstFlowReturn
do_work (GstFourierDraw * self, Work work)
{
  GstFlowReturn flow;

  if (work == WORK_EOS)
    return GST_FLOW_EOS;
  if (work == WORK_TAKE)
    flow = take_picture (self);
  else
    flow = check_restart (self);
  if (flow == GST_FLOW_OK && self->active)
    flow = gst_fourier_draw_ensure_negotiated (self, &self->picture.info);
  if (flow == GST_FLOW_OK && self->active && !is_over (self))
    flow = push_frame (self);
  return flow;
}

/* All is shown, or the segment is over. */
static void
push_end (GstFourierDraw * self)
{
  guint32 seqnum;
  GstEvent *event;

  gst_fourier_draw_push_segment (self, &self->segment);
  g_mutex_lock (&self->lock);
  seqnum = self->seqnum != GST_SEQNUM_INVALID ? self->seqnum :
      self->eos_seqnum;
  g_mutex_unlock (&self->lock);
  if (self->segment.flags & GST_SEGMENT_FLAG_SEGMENT) {
    const gint64 position = self->segment.position;
    GstMessage *message = gst_message_new_segment_done (GST_OBJECT_CAST (self),
        GST_FORMAT_TIME, position);

    if (seqnum != GST_SEQNUM_INVALID)
      gst_message_set_seqnum (message, seqnum);
    gst_element_post_message (GST_ELEMENT_CAST (self), message);
    event = gst_event_new_segment_done (GST_FORMAT_TIME, position);
  } else {
    event = gst_event_new_eos ();
  }
  if (seqnum != GST_SEQNUM_INVALID)
    gst_event_set_seqnum (event, seqnum);
  gst_pad_push_event (self->srcpad, event);
}

/* The task ends with @flow; upstream hears of it. */
static void
end_task (GstFourierDraw * self, GstFlowReturn flow)
{
  GST_DEBUG_OBJECT (self, "pausing: %s", gst_flow_get_name (flow));
  gst_pad_pause_task (self->srcpad);
  g_mutex_lock (&self->lock);
  if (flow != GST_FLOW_OK && flow != GST_FLOW_FLUSHING)
    self->flow = flow;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
  if (flow == GST_FLOW_EOS) {
    tell_times (self, self->segment.position);
    push_end (self);
  } else if (flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS) {
    GST_ELEMENT_FLOW_ERROR (self, flow);
    gst_pad_push_event (self->srcpad, gst_event_new_eos ());
  }
}

static void
gst_fourier_draw_loop (gpointer user_data)
{
  GstFourierDraw *self = user_data;
  const Work work = wait_for_work (self);
  GstFlowReturn flow;

  if (work == WORK_NONE) {
    gst_pad_pause_task (self->srcpad);
    return;
  }
  flow = do_work (self, work);
  if (flow != GST_FLOW_OK)
    end_task (self, flow);
}

void
gst_fourier_draw_start_task (GstFourierDraw * self)
{
  gst_pad_start_task (self->srcpad, gst_fourier_draw_loop, self, NULL);
}

void
gst_fourier_draw_reset_stream (GstFourierDraw * self)
{
  g_mutex_lock (&self->lock);
  gst_fourier_draw_picture_clear (&self->pending);
  self->eos = FALSE;
  self->eos_seqnum = GST_SEQNUM_INVALID;
  self->capture = self->restart = FALSE;
  self->flow = GST_FLOW_OK;
  self->position = 0;
  self->end = GST_CLOCK_TIME_NONE;
  g_mutex_unlock (&self->lock);
  gst_fourier_draw_picture_clear (&self->picture);
  g_clear_pointer (&self->contours, gst_fourier_contours_unref);
  g_clear_pointer (&self->drawing, gst_fourier_drawing_free);
  self->active = self->still_done = FALSE;
  gst_fourier_draw_counter_init (&self->counter, self->counter.fps_n,
      MAX (1, self->counter.fps_d));
  self->local = self->counter;
  self->picture_start = 0;
  self->picture_id = 0;
  gst_segment_init (&self->segment, GST_FORMAT_TIME);
  self->need_segment = self->need_discont = TRUE;
  self->seqnum = GST_SEQNUM_INVALID;
}

/* Seeking */

/* Stops the task where it is; its stream lock is held afterwards. */
static void
interrupt_task (GstFourierDraw * self)
{
  g_mutex_lock (&self->lock);
  self->interrupted = TRUE;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
  gst_pad_pause_task (self->srcpad);
  GST_PAD_STREAM_LOCK (self->srcpad);
}

static void
release_task (GstFourierDraw * self)
{
  g_mutex_lock (&self->lock);
  self->interrupted = FALSE;
  g_mutex_unlock (&self->lock);
  GST_PAD_STREAM_UNLOCK (self->srcpad);
}

/* The present picture as it is at @time of the film. */
static void
seek_picture (GstFourierDraw * self, GstClockTime time)
{
  const GstClockTime within = time > self->picture_start ?
      time - self->picture_start : 0;

  gst_fourier_draw_counter_seek (&self->counter, time);
  if (!self->active)
    return;
  gst_fourier_draw_counter_seek (&self->local, within);
  gst_fourier_draw_clock_seek (&self->clock, 0,
      gst_fourier_draw_counter_get_time (&self->local));
  self->pass = gst_fourier_draw_clock_get_pass (&self->clock,
      gst_fourier_draw_counter_get_time (&self->local));
  self->still_done = FALSE;
}

static gboolean
perform_seek (GstFourierDraw * self, GstEvent * event)
{
  GstSeekType start_type, stop_type;
  GstSegment segment = self->segment;
  gint64 start, stop;
  gboolean update;
  GstSeekFlags flags;
  GstFormat format;
  gdouble rate;

  gst_event_parse_seek (event, &rate, &format, &flags, &start_type, &start,
      &stop_type, &stop);
  if (!gst_segment_do_seek (&segment, rate, format, flags, start_type, start,
          stop_type, stop, &update))
    return FALSE;
  self->segment = segment;
  seek_picture (self, segment.position);
  self->need_segment = self->need_discont = TRUE;
  self->seqnum = gst_event_get_seqnum (event);
  return TRUE;
}

gboolean
gst_fourier_draw_seek (GstFourierDraw * self, GstEvent * event)
{
  GstSeekFlags flags;
  GstFormat format;
  gdouble rate;
  gboolean flush, done;
  GstEvent *out;

  gst_event_parse_seek (event, &rate, &format, &flags, NULL, NULL, NULL, NULL);
  if (format != GST_FORMAT_TIME || rate <= 0.) {
    GST_DEBUG_OBJECT (self, "cannot seek by %s at rate %g",
        gst_format_get_name (format), rate);
    return FALSE;
  }
  flush = (flags & GST_SEEK_FLAG_FLUSH) != 0;
  if (flush) {
    out = gst_event_new_flush_start ();
    gst_event_set_seqnum (out, gst_event_get_seqnum (event));
    gst_pad_push_event (self->srcpad, out);
  }
  interrupt_task (self);
  done = perform_seek (self, event);
  if (flush) {
    out = gst_event_new_flush_stop (TRUE);
    gst_event_set_seqnum (out, gst_event_get_seqnum (event));
    gst_pad_push_event (self->srcpad, out);
  }
  g_mutex_lock (&self->lock);
  self->flow = GST_FLOW_OK;
  g_mutex_unlock (&self->lock);
  release_task (self);
  gst_fourier_draw_start_task (self);
  return done;
}
