/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawlive.h"

#include "gstfourierdrawoutput.h"

/* Whether the present drawing shows nothing of @picture. */
static gboolean
is_useless (const FourierFrames * frames, const FourierPicture * picture)
{
  return frames->drawing->n_contours == 0 ||
      frames->contours->width != (guint) picture->info.width ||
      frames->contours->height != (guint) picture->info.height;
}

/* If the picture was dropped, the drawing before it stays. */
static gboolean
collect_job (FourierLive * live, GstClockTime frame, GstClockTime now)
{
  FourierFrames *frames = live->player.frames;
  FourierJob *job = fourier_worker_take (live->player.worker);

  if (!job)
    return TRUE;
  GstFlowReturn flow = fourier_frames_use_job (frames, job);
  if (flow == GST_FLOW_OK)
    fourier_frames_start_clock (frames, frame, now);
  return flow != GST_FLOW_ERROR;
}

/* Sends a job if a new drawing is due. */
static void
send_job (FourierLive * live, const FourierPicture * picture, GstClockTime now)
{
  const FourierFrames *frames = live->player.frames;
  FourierWorker *worker = live->player.worker;
  const FourierRequests requests =
      fourier_inbox_take_requests (live->player.inbox,
      FOURIER_REQUEST_CAPTURE | FOURIER_REQUEST_RESTART);

  if ((requests & FOURIER_REQUEST_CAPTURE) ||
      (!fourier_worker_is_busy (worker) &&
          (is_useless (frames, picture) ||
              fourier_clock_is_over (&frames->clock, now))))
    fourier_worker_send (worker, fourier_frames_new_job (frames, picture));
  else if (requests & FOURIER_REQUEST_RESTART)
    fourier_worker_send (worker, fourier_frames_new_job (frames, NULL));
}

static GstFlowReturn
update_drawing (FourierLive * live, const FourierPicture * picture,
    GstClockTime frame, GstClockTime now)
{
  /* nothing is drawn of it */
  if (GST_BUFFER_FLAG_IS_SET (picture->buffer, GST_BUFFER_FLAG_GAP))
    return collect_job (live, frame, now) ? GST_FLOW_OK : GST_FLOW_ERROR;
  if (!live->player.frames->drawing) {
    /* the first picture is drawn at once */
    GstFlowReturn flow = fourier_frames_prepare (live->player.frames, picture);
    if (flow != GST_FLOW_OK)
      return flow;
    fourier_frames_start_clock (live->player.frames, frame, now);
  }
  if (!collect_job (live, frame, now))
    return GST_FLOW_ERROR;
  send_job (live, picture, now);
  return GST_FLOW_OK;
}

/* The running time, or, without timestamps, that of counted frames. */
static GstClockTime
get_time (FourierLive * live, const FourierPicture * picture)
{
  GstClockTime now = fourier_picture_get_running_time (picture);

  if (!GST_CLOCK_TIME_IS_VALID (now)) {
    if (live->counter.fps_n == 0)
      fourier_counter_init (&live->counter, FOURIER_FPS_N, FOURIER_FPS_D);
    now = fourier_counter_get_time (&live->counter);
  }
  live->counter.n++;
  return now;
}

/* Other metadata is of the picture, not of the drawing. */
static gboolean
copy_reference (GstBuffer * picture, GstMeta ** meta, gpointer output)
{
  const GstReferenceTimestampMeta *reference =
      (const GstReferenceTimestampMeta *) *meta;

  if ((*meta)->info->api == GST_REFERENCE_TIMESTAMP_META_API_TYPE)
    gst_buffer_add_reference_timestamp_meta (output, reference->reference,
        reference->timestamp, reference->duration);
  return TRUE;
}

static GstFlowReturn
make_frame (FourierLive * live, const FourierPicture * picture,
    GstBuffer ** output)
{
  FourierFrames *frames = live->player.frames;
  const FourierCounter rate = {.fps_n = frames->output.info.fps_n,
    .fps_d = MAX (1, frames->output.info.fps_d)
  };
  const GstClockTime frame = fourier_counter_get_frame (&rate);
  const GstClockTime now = get_time (live, picture);
  const gdouble progress = fourier_frames_update_clock (frames, frame,
      now, gst_segment_to_stream_time (&picture->segment, GST_FORMAT_TIME,
          GST_BUFFER_PTS (picture->buffer)));
  GstFlowReturn flow = update_drawing (live, picture, frame, now);

  if (flow == GST_FLOW_OK)
    flow = fourier_frames_make (frames, now, progress, picture, 0, output);
  if (flow != GST_FLOW_OK)
    return flow;
  gst_buffer_copy_into (*output, picture->buffer,
      GST_BUFFER_COPY_TIMESTAMPS | GST_BUFFER_COPY_FLAGS, 0, -1);
  gst_buffer_foreach_meta (picture->buffer, copy_reference, *output);
  GST_BUFFER_FLAG_UNSET (*output, GST_BUFFER_FLAG_GAP);
  return GST_FLOW_OK;
}

static GstFlowReturn
live_chain (FourierPlayer * player, const FourierPicture * picture)
{
  FourierLive *live = (FourierLive *) player;
  FourierOutput *out = &player->frames->output;
  GstBuffer *output = NULL;
  gboolean changed;

  fourier_frames_update_settings (player->frames);
  GstFlowReturn flow = fourier_frames_negotiate (player->frames, &picture->info,
      TRUE, &changed);
  if (flow != GST_FLOW_OK)
    return flow;
  if (changed)
    fourier_counter_set_rate (&live->counter, out->info.fps_n,
        MAX (1, out->info.fps_d));
  fourier_output_push_segment (out, &picture->segment);
  if (gst_shapes_is_empty_gap (picture->buffer)) {
    /* its time passes */
    get_time (live, picture);
    return gst_pad_push (player->srcpad, gst_buffer_ref (picture->buffer));
  }
  flow = make_frame (live, picture, &output);
  if (flow == FOURIER_FLOW_DROPPED)
    return GST_FLOW_OK;
  return flow == GST_FLOW_OK ? gst_pad_push (player->srcpad, output) : flow;
}

static gboolean
live_sink_event (FourierPlayer * player, GstEvent * event,
    const GstSegment * segment, gboolean * done)
{
  FourierOutput *output = &player->frames->output;

  *done = TRUE;
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      output->negotiated = FALSE;
      return TRUE;
    case GST_EVENT_SEGMENT:
      output->need_segment = TRUE;
      output->seqnum = gst_event_get_seqnum (event);
      return TRUE;
    case GST_EVENT_GAP:
    case GST_EVENT_SEGMENT_DONE:
      /* not before the segment */
      return output->need_segment;
    case GST_EVENT_EOS:
      fourier_output_push_segment (output, segment);
      return FALSE;
    default:
      return FALSE;
  }
}

static void
live_reset (FourierPlayer * player)
{
  FourierLive *live = (FourierLive *) player;

  fourier_counter_init (&live->counter, live->counter.fps_n,
      MAX (1, live->counter.fps_d));
}

void
fourier_live_init (FourierLive * live, const FourierPlayer * player)
{
  static const FourierPlayerFuncs funcs = {
    .chain = live_chain,
    .sink_event = live_sink_event,
    .reset = live_reset,
  };

  live->player = *player;
  live->player.funcs = &funcs;
}

void
fourier_live_start (FourierLive * live)
{
  fourier_counter_init (&live->counter, 0, 1);
}
