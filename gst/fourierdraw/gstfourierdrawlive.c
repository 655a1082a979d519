/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawlive.h"

#include "gstfourierdrawcaps.h"

/* Whether the present drawing shows nothing of @picture. */
static gboolean
is_useless (const GstFourierDrawFrames * frames,
    const GstFourierDrawPicture * picture)
{
  return frames->drawing->n_contours == 0 ||
      frames->contours->width != (guint) picture->info.width ||
      frames->contours->height != (guint) picture->info.height;
}

/* The first picture is drawn at once. */
static GstFlowReturn
begin (GstFourierDrawFrames * frames, const GstFourierDrawPicture * picture,
    GstClockTime frame, GstClockTime now)
{
  const GstFlowReturn flow = gst_fourier_draw_frames_prepare (frames, picture);

  if (flow == GST_FLOW_OK)
    gst_fourier_draw_frames_start_clock (frames, frame, now);
  return flow;
}

/* A dropped picture leaves the drawing before it. */
static gboolean
collect_job (GstFourierDrawLive * live, GstClockTime frame, GstClockTime now)
{
  GstFourierDrawFrames *frames = live->player.frames;
  GstFourierDrawJob *job = gst_fourier_draw_worker_take (live->player.worker);
  GstFlowReturn flow;

  if (!job)
    return TRUE;
  flow = gst_fourier_draw_frames_use_job (frames, job);
  if (flow == GST_FLOW_OK)
    gst_fourier_draw_frames_start_clock (frames, frame, now);
  return flow != GST_FLOW_ERROR;
}

static gboolean
is_gap (const GstFourierDrawPicture * picture)
{
  return GST_BUFFER_FLAG_IS_SET (picture->buffer, GST_BUFFER_FLAG_GAP);
}

/* Sends a job if a new drawing is due. */
static void
send_job (GstFourierDrawLive * live, const GstFourierDrawPicture * picture,
    GstClockTime now)
{
  const GstFourierDrawFrames *frames = live->player.frames;
  GstFourierDrawWorker *worker = live->player.worker;
  const GstFourierDrawRequests requests =
      gst_fourier_draw_inbox_take_requests (live->player.inbox,
      GST_FOURIER_DRAW_REQUEST_CAPTURE | GST_FOURIER_DRAW_REQUEST_RESTART);

  if ((requests & GST_FOURIER_DRAW_REQUEST_CAPTURE) ||
      (!gst_fourier_draw_worker_is_busy (worker) &&
          (is_useless (frames, picture) ||
              gst_fourier_draw_clock_is_over (&frames->clock, now))))
    gst_fourier_draw_worker_send (worker,
        gst_fourier_draw_frames_new_job (frames, picture));
  else if (requests & GST_FOURIER_DRAW_REQUEST_RESTART)
    gst_fourier_draw_worker_send (worker,
        gst_fourier_draw_frames_new_job (frames, NULL));
}

static GstFlowReturn
update_drawing (GstFourierDrawLive * live,
    const GstFourierDrawPicture * picture, GstClockTime frame,
    GstClockTime now)
{
  GstFlowReturn flow;

  /* nothing is drawn of it */
  if (is_gap (picture))
    return collect_job (live, frame, now) ? GST_FLOW_OK : GST_FLOW_ERROR;
  if (!live->player.frames->drawing) {
    flow = begin (live->player.frames, picture, frame, now);
    if (flow != GST_FLOW_OK)
      return flow;
  }
  if (!collect_job (live, frame, now))
    return GST_FLOW_ERROR;
  send_job (live, picture, now);
  return GST_FLOW_OK;
}

/* The running time, or, without timestamps, that of counted frames. */
static GstClockTime
get_time (GstFourierDrawLive * live, const GstFourierDrawPicture * picture)
{
  GstClockTime now = gst_fourier_draw_picture_get_running_time (picture);

  if (!GST_CLOCK_TIME_IS_VALID (now)) {
    if (live->counter.fps_n == 0)
      gst_fourier_draw_counter_init (&live->counter, GST_FOURIER_DRAW_FPS_N,
          GST_FOURIER_DRAW_FPS_D);
    now = gst_fourier_draw_counter_get_time (&live->counter);
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
make_frame (GstFourierDrawLive * live, const GstFourierDrawPicture * picture,
    GstBuffer ** output)
{
  GstFourierDrawFrames *frames = live->player.frames;
  const GstFourierDrawCounter rate = {.fps_n = frames->output.info.fps_n,
    .fps_d = MAX (1, frames->output.info.fps_d)
  };
  const GstClockTime frame = gst_fourier_draw_counter_get_frame (&rate);
  const GstClockTime now = get_time (live, picture);
  const gdouble progress = gst_fourier_draw_frames_update_clock (frames, frame,
      now, gst_segment_to_stream_time (&picture->segment, GST_FORMAT_TIME,
          GST_BUFFER_PTS (picture->buffer)));
  GstFlowReturn flow = update_drawing (live, picture, frame, now);

  if (flow == GST_FLOW_OK)
    flow = gst_fourier_draw_frames_make (frames, now, progress, picture, 0,
        output);
  if (flow != GST_FLOW_OK)
    return flow;
  gst_buffer_copy_into (*output, picture->buffer,
      GST_BUFFER_COPY_TIMESTAMPS | GST_BUFFER_COPY_FLAGS, 0, -1);
  gst_buffer_foreach_meta (picture->buffer, copy_reference, *output);
  GST_BUFFER_FLAG_UNSET (*output, GST_BUFFER_FLAG_GAP);
  return GST_FLOW_OK;
}

static GstFlowReturn
live_chain (GstFourierDrawPlayer * player,
    const GstFourierDrawPicture * picture)
{
  GstFourierDrawLive *live = (GstFourierDrawLive *) player;
  GstFourierDrawOutput *out = &player->frames->output;
  GstBuffer *output = NULL;
  GstFlowReturn flow;
  gboolean changed;

  gst_fourier_draw_frames_update_settings (player->frames);
  flow = gst_fourier_draw_frames_negotiate (player->frames, &picture->info,
      TRUE, &changed);
  if (flow != GST_FLOW_OK)
    return flow;
  if (changed)
    gst_fourier_draw_counter_set_rate (&live->counter, out->info.fps_n,
        MAX (1, out->info.fps_d));
  gst_fourier_draw_output_push_segment (out, &picture->segment);
  if (gst_shapes_is_empty_gap (picture->buffer)) {
    /* its time passes */
    get_time (live, picture);
    return gst_pad_push (player->srcpad, gst_buffer_ref (picture->buffer));
  }
  flow = make_frame (live, picture, &output);
  if (flow == GST_FOURIER_DRAW_FLOW_DROPPED)
    return GST_FLOW_OK;
  return flow == GST_FLOW_OK ? gst_pad_push (player->srcpad, output) : flow;
}

static gboolean
live_sink_event (GstFourierDrawPlayer * player, GstEvent * event,
    const GstSegment * segment, gboolean * done)
{
  GstFourierDrawOutput *output = &player->frames->output;

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
      gst_fourier_draw_output_push_segment (output, segment);
      return FALSE;
    default:
      return FALSE;
  }
}

static void
live_reset (GstFourierDrawPlayer * player)
{
  GstFourierDrawLive *live = (GstFourierDrawLive *) player;

  gst_fourier_draw_counter_init (&live->counter, live->counter.fps_n,
      MAX (1, live->counter.fps_d));
}

void
gst_fourier_draw_live_init (GstFourierDrawLive * live,
    const GstFourierDrawPlayer * player)
{
  static const GstFourierDrawPlayerFuncs funcs = {
    .chain = live_chain,
    .sink_event = live_sink_event,
    .reset = live_reset,
  };

  live->player = *player;
  live->player.funcs = &funcs;
}

void
gst_fourier_draw_live_start (GstFourierDrawLive * live)
{
  gst_fourier_draw_counter_init (&live->counter, 0, 1);
}
