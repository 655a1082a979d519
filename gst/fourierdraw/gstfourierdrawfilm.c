/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawfilm.h"

#include "gstfourierdrawdebug.h"
#include "element/gstshapesmessage.h"

/* Pictures */

/* What downstream has of the picture. */
static GstFourierDrawShown
get_shown (const GstFourierDrawFilm * film)
{
  const GstFourierDrawClock *clock = &film->player.frames->clock;
  const GstClockTime now = gst_fourier_draw_counter_get_time (&film->local);
  gboolean over;

  if (!film->active)
    return GST_FOURIER_DRAW_SHOWN_NOTHING;
  if (film->local.fps_n == 0 && film->player.frames->output.negotiated)
    over = film->still_done;
  else
    over = gst_fourier_draw_clock_is_over (clock, now) ||
        gst_fourier_draw_clock_get_pass (clock, now) > film->last_pass;
  return over ? GST_FOURIER_DRAW_SHOWN_ALL : GST_FOURIER_DRAW_SHOWN_PART;
}

/* Begins the first pass of the present picture. */
static void
start_clock (GstFourierDrawFilm * film)
{
  gst_fourier_draw_frames_start_clock (film->player.frames,
      gst_fourier_draw_counter_get_frame (&film->local),
      gst_fourier_draw_counter_get_time (&film->local));
  film->pass = 0;
  film->still_done = FALSE;
}

static void
set_base (GstFourierDrawFilm * film, const GstFourierDrawPicture * picture)
{
  const GstClockTime base =
      gst_fourier_draw_picture_get_running_time (picture);

  if (film->upstream_live && film->player.frames->output.need_segment &&
      film->picture_id == 0 && GST_CLOCK_TIME_IS_VALID (base))
    film->segment.base = base;
}

/* The present picture as it is at @time of it. */
static void
seek_within (GstFourierDrawFilm * film, GstClockTime time)
{
  GstFourierDrawClock *clock = &film->player.frames->clock;

  gst_fourier_draw_counter_seek (&film->local, time);
  gst_fourier_draw_clock_seek (clock, 0,
      gst_fourier_draw_counter_get_time (&film->local));
}

/* Replaces the present picture. Takes the reference. */
static void
begin_picture (GstFourierDrawFilm * film, GstFourierDrawPicture * picture)
{
  const gboolean first = film->picture_id == 0;
  const GstClockTime time = gst_fourier_draw_counter_get_time (&film->counter);

  if (!gst_video_info_is_equal (&film->picture.info, &picture->info))
    film->player.frames->output.negotiated = FALSE;
  gst_fourier_draw_picture_clear (&film->picture);
  film->picture = *picture;
  film->picture_id++;
  film->active = TRUE;
  gst_fourier_draw_counter_init (&film->local, film->counter.fps_n,
      MAX (1, film->counter.fps_d));
  start_clock (film);
  film->picture_start = first ? 0 : time;
  /* after a seek before the first picture */
  if (first && time > 0)
    seek_within (film, time);
}

/* If the picture is dropped, the one before stays. */
static GstFlowReturn
take_picture (GstFourierDrawFilm * film)
{
  GstFourierDrawPicture picture;
  GstFlowReturn flow;

  if (!gst_fourier_draw_inbox_take (film->player.inbox, &picture))
    return GST_FLOW_OK;
  set_base (film, &picture);
  gst_fourier_draw_frames_update_settings (film->player.frames);
  flow = gst_fourier_draw_frames_prepare (film->player.frames, &picture);
  if (flow == GST_FLOW_OK)
    begin_picture (film, &picture);
  else
    gst_fourier_draw_picture_clear (&picture);
  return flow == GST_FOURIER_DRAW_FLOW_DROPPED ? GST_FLOW_OK : flow;
}

/* No more frames of a dropped picture. */
static GstFlowReturn
end_picture (GstFourierDrawFilm * film, GstFlowReturn flow)
{
  if (flow != GST_FOURIER_DRAW_FLOW_DROPPED)
    return flow;
  film->active = FALSE;
  return GST_FLOW_OK;
}

/* Makes the drawing again on request, and when a pass begins and it is
 * outdated. */
static GstFlowReturn
check_restart (GstFourierDrawFilm * film)
{
  GstFourierDrawFrames *frames = film->player.frames;
  const guint64 pass = gst_fourier_draw_clock_get_pass (&frames->clock,
      gst_fourier_draw_counter_get_time (&film->local));
  const gboolean new_pass = pass != film->pass;
  const gboolean asked =
      gst_fourier_draw_inbox_take_requests (film->player.inbox,
      GST_FOURIER_DRAW_REQUEST_RESTART) != 0;
  GstFlowReturn flow;

  gst_fourier_draw_frames_update_settings (frames);
  film->pass = pass;
  if (!asked && !(new_pass && gst_fourier_draw_frames_is_outdated (frames)))
    return GST_FLOW_OK;
  flow = gst_fourier_draw_frames_prepare (frames, &film->picture);
  if (flow == GST_FLOW_OK && asked)
    start_clock (film);
  return end_picture (film, flow);
}

/* Frames */

/* For queries. The end is known when the last picture is. */
static void
set_times (GstFourierDrawFilm * film, GstClockTime position)
{
  GstClockTime end = GST_CLOCK_TIME_NONE;
  gboolean changed;

  if (film->counter.fps_n > 0 &&
      gst_fourier_draw_inbox_is_last (film->player.inbox, NULL))
    end = gst_fourier_draw_frames_get_total (film->player.frames,
        gst_fourier_draw_counter_get_frame (&film->local));
  if (GST_CLOCK_TIME_IS_VALID (end))
    end += film->picture_start;
  GST_OBJECT_LOCK (film->player.element);
  film->position = position;
  changed = end != film->end;
  film->end = end;
  GST_OBJECT_UNLOCK (film->player.element);
  film->segment.position = position;
  if (!changed)
    return;
  film->segment.duration = end;
  gst_element_post_message (film->player.element,
      gst_message_new_duration_changed (GST_OBJECT_CAST
          (film->player.element)));
}

static void
stamp_frame (GstFourierDrawFilm * film, GstBuffer * buffer)
{
  const GstFourierDrawCounter *counter = &film->counter;

  GST_BUFFER_PTS (buffer) = gst_fourier_draw_counter_get_time (counter);
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_OFFSET (buffer) = counter->n;
  GST_BUFFER_OFFSET_END (buffer) = counter->n + 1;
  GST_BUFFER_DURATION (buffer) = counter->fps_n == 0 ? GST_CLOCK_TIME_NONE :
      gst_fourier_draw_counter_get_end (counter) - GST_BUFFER_PTS (buffer);
  if (film->need_discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  else
    GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_DISCONT);
  film->need_discont = FALSE;
}

static GstFlowReturn
push_frame (GstFourierDrawFilm * film)
{
  GstFourierDrawFrames *frames = film->player.frames;
  const GstClockTime time = gst_fourier_draw_counter_get_time (&film->counter);
  const GstClockTime now = gst_fourier_draw_counter_get_time (&film->local);
  GstBuffer *buffer = NULL;
  GstFlowReturn flow;
  gdouble progress;

  if (GST_CLOCK_TIME_IS_VALID (film->segment.stop) &&
      time >= film->segment.stop)
    return GST_FLOW_EOS;
  gst_fourier_draw_output_push_segment (&frames->output, &film->segment);
  progress = gst_fourier_draw_frames_update_clock (frames,
      gst_fourier_draw_counter_get_frame (&film->local), now,
      gst_segment_to_stream_time (&film->segment, GST_FORMAT_TIME, time));
  set_times (film, time);
  flow = gst_fourier_draw_frames_make (frames, now, progress, &film->picture,
      film->picture_id, &buffer);
  if (flow != GST_FLOW_OK)
    return end_picture (film, flow);
  stamp_frame (film, buffer);
  film->counter.n++;
  film->local.n++;
  film->still_done = TRUE;
  return gst_pad_push (film->player.srcpad, buffer);
}

static GstFlowReturn
negotiate (GstFourierDrawFilm * film)
{
  const GstVideoInfo *info = &film->player.frames->output.info;
  gboolean changed;
  const GstFlowReturn flow =
      gst_fourier_draw_frames_negotiate (film->player.frames,
      &film->picture.info, FALSE, &changed);

  if (flow == GST_FLOW_OK && changed) {
    gst_fourier_draw_counter_set_rate (&film->counter, info->fps_n,
        MAX (1, info->fps_d));
    gst_fourier_draw_counter_set_rate (&film->local, info->fps_n,
        MAX (1, info->fps_d));
  }
  return flow;
}

/* The task */

static GstFlowReturn
do_work (GstFourierDrawFilm * film, GstFourierDrawWork work)
{
  GstFlowReturn flow;

  if (work == GST_FOURIER_DRAW_WORK_EOS)
    return GST_FLOW_EOS;
  if (work == GST_FOURIER_DRAW_WORK_TAKE)
    flow = take_picture (film);
  else
    flow = check_restart (film);
  if (flow == GST_FLOW_OK && film->active)
    flow = negotiate (film);
  if (flow == GST_FLOW_OK && get_shown (film) == GST_FOURIER_DRAW_SHOWN_PART)
    flow = push_frame (film);
  return flow;
}

/* The end of the stream or of the segment. */
static void
push_end (GstFourierDrawFilm * film)
{
  GstFourierDrawOutput *output = &film->player.frames->output;
  GstElement *element = film->player.element;
  guint32 seqnum;
  GstEvent *event;

  gst_fourier_draw_output_push_segment (output, &film->segment);
  gst_fourier_draw_inbox_is_last (film->player.inbox, &seqnum);
  if (output->seqnum != GST_SEQNUM_INVALID)
    seqnum = output->seqnum;
  if (film->segment.flags & GST_SEGMENT_FLAG_SEGMENT) {
    const gint64 position = film->segment.position;
    GstMessage *message = gst_message_new_segment_done (GST_OBJECT_CAST
        (element), GST_FORMAT_TIME, position);

    if (seqnum != GST_SEQNUM_INVALID)
      gst_message_set_seqnum (message, seqnum);
    gst_element_post_message (element, message);
    event = gst_event_new_segment_done (GST_FORMAT_TIME, position);
  } else {
    event = gst_event_new_eos ();
  }
  if (seqnum != GST_SEQNUM_INVALID)
    gst_event_set_seqnum (event, seqnum);
  gst_pad_push_event (film->player.srcpad, event);
}

static void
end_task (GstFourierDrawFilm * film, GstFlowReturn flow)
{
  GstPad *srcpad = film->player.srcpad;

  GST_DEBUG_OBJECT (film->player.element, "pausing: %s",
      gst_flow_get_name (flow));
  gst_pad_pause_task (srcpad);
  if (flow != GST_FLOW_OK && flow != GST_FLOW_FLUSHING)
    gst_fourier_draw_inbox_set_flow (film->player.inbox, flow);
  if (flow == GST_FLOW_EOS) {
    set_times (film, film->segment.position);
    push_end (film);
  } else if (flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS) {
    GST_ELEMENT_FLOW_ERROR (film->player.element, flow);
    gst_pad_push_event (srcpad, gst_event_new_eos ());
  }
}

/* Of a film that is ending, the present pass is the last. */
static void
check_ending (GstFourierDrawFilm * film)
{
  if (film->active && film->last_pass == G_MAXUINT64 &&
      gst_fourier_draw_inbox_is_ending (film->player.inbox))
    film->last_pass = gst_fourier_draw_clock_get_pass
        (&film->player.frames->clock,
        gst_fourier_draw_counter_get_time (&film->local));
}

static void
loop (gpointer user_data)
{
  GstFourierDrawFilm *film = user_data;
  GstFourierDrawWork work;
  GstFlowReturn flow;

  check_ending (film);
  work = gst_fourier_draw_inbox_wait (film->player.inbox, get_shown (film));
  if (work == GST_FOURIER_DRAW_WORK_NONE) {
    gst_pad_pause_task (film->player.srcpad);
    return;
  }
  flow = do_work (film, work);
  if (flow != GST_FLOW_OK)
    end_task (film, flow);
}

/* Starts or resumes it, unless the pad is not active. From any thread. */
static void
start_task (GstFourierDrawFilm * film)
{
  gst_fourier_draw_inbox_start (film->player.inbox, film->player.srcpad, loop,
      film);
}

/* The sink pad */

/* A film draws each of its pictures, which takes time. */
static void
check_arrival (GstFourierDrawFilm * film)
{
  if (!film->expects_one || ++film->n_arrived != 2)
    return;
  GST_SHAPES_WARNING (film->player.element, STREAM, FORMAT,
      ("A second picture has come: each picture is drawn for as long as "
          "duration and hold say, so that a film may take hours. mode=live "
          "draws along with a film, mode=still outputs a finished drawing for "
          "each picture, mode=redraw does this without a warning."), (NULL));
}

static GstFlowReturn
film_chain (GstFourierDrawPlayer * player,
    const GstFourierDrawPicture * picture)
{
  GstFlowReturn flow;

  /* no picture */
  if (GST_BUFFER_FLAG_IS_SET (picture->buffer, GST_BUFFER_FLAG_GAP))
    return GST_FLOW_OK;
  check_arrival ((GstFourierDrawFilm *) player);
  flow = gst_fourier_draw_inbox_put (player->inbox, picture);
  if (flow == GST_FLOW_OK)
    start_task ((GstFourierDrawFilm *) player);
  return flow;
}

/* The end of the pictures is not that of the film; upstream's segment and gaps
 * do not apply to it. */
static gboolean
film_sink_event (GstFourierDrawPlayer * player, GstEvent * event,
    const GstSegment * segment, gboolean * done)
{
  *done = TRUE;
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
    gst_fourier_draw_inbox_put_eos (player->inbox,
        gst_event_get_seqnum (event));
    start_task ((GstFourierDrawFilm *) player);
  }
  return TRUE;
}

/* Seeking */

static void
seek_stream (GstFourierDrawFilm * film, GstClockTime time)
{
  gst_fourier_draw_counter_seek (&film->counter, time);
  if (!film->active)
    return;
  seek_within (film, time > film->picture_start ?
      time - film->picture_start : 0);
  film->pass = gst_fourier_draw_clock_get_pass (&film->player.frames->clock,
      gst_fourier_draw_counter_get_time (&film->local));
  film->still_done = FALSE;
}

/* With the stream lock of the source pad held. */
static gboolean
perform_seek (GstFourierDrawFilm * film, GstEvent * event)
{
  GstFourierDrawOutput *output = &film->player.frames->output;
  GstSeekType start_type, stop_type;
  GstSegment segment = film->segment;
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
  film->segment = segment;
  film->last_pass = G_MAXUINT64;
  seek_stream (film, segment.position);
  output->need_segment = film->need_discont = TRUE;
  output->seqnum = gst_event_get_seqnum (event);
  return TRUE;
}

static void
push_flush (GstFourierDrawFilm * film, GstEvent * flush, GstEvent * seek)
{
  gst_event_set_seqnum (flush, gst_event_get_seqnum (seek));
  gst_pad_push_event (film->player.srcpad, flush);
}

/* Also after the end of the film. */
static gboolean
seek (GstFourierDrawFilm * film, GstEvent * event)
{
  GstPad *srcpad = film->player.srcpad;
  GstSeekFlags flags;
  GstFormat format;
  gdouble rate;
  gboolean done;

  gst_event_parse_seek (event, &rate, &format, &flags, NULL, NULL, NULL, NULL);
  if (format != GST_FORMAT_TIME || rate <= 0.) {
    GST_DEBUG_OBJECT (film->player.element, "cannot seek by %s at rate %g",
        gst_format_get_name (format), rate);
    return FALSE;
  }
  if (flags & GST_SEEK_FLAG_FLUSH)
    push_flush (film, gst_event_new_flush_start (), event);
  gst_fourier_draw_inbox_set_interrupted (film->player.inbox, TRUE);
  gst_pad_pause_task (srcpad);
  GST_PAD_STREAM_LOCK (srcpad);
  done = perform_seek (film, event);
  if (flags & GST_SEEK_FLAG_FLUSH)
    push_flush (film, gst_event_new_flush_stop (TRUE), event);
  gst_fourier_draw_inbox_resume (film->player.inbox);
  gst_fourier_draw_inbox_set_interrupted (film->player.inbox, FALSE);
  GST_PAD_STREAM_UNLOCK (srcpad);
  start_task (film);
  return done;
}

static gboolean
film_src_event (GstFourierDrawPlayer * player, GstEvent * event,
    gboolean * done)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_SEEK:
      *done = seek ((GstFourierDrawFilm *) player, event);
      return TRUE;
    case GST_EVENT_QOS:
      /* its times are not upstream's */
      *done = TRUE;
      return TRUE;
    case GST_EVENT_STEP:
      *done = FALSE;
      return TRUE;
    default:
      return FALSE;
  }
}

/* Queries */

static GstClockTime
get_time (GstFourierDrawFilm * film, const GstClockTime * member)
{
  GstClockTime time;

  GST_OBJECT_LOCK (film->player.element);
  time = *member;
  GST_OBJECT_UNLOCK (film->player.element);
  return time;
}

static gboolean
answer_duration (GstFourierDrawFilm * film, GstQuery * query)
{
  const GstClockTime end = get_time (film, &film->end);
  GstFormat format;

  gst_query_parse_duration (query, &format, NULL);
  if (format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID (end))
    return FALSE;
  gst_query_set_duration (query, GST_FORMAT_TIME, end);
  return TRUE;
}

static gboolean
answer_position (GstFourierDrawFilm * film, GstQuery * query)
{
  GstFormat format;

  gst_query_parse_position (query, &format, NULL);
  if (format != GST_FORMAT_TIME)
    return FALSE;
  gst_query_set_position (query, GST_FORMAT_TIME, get_time (film,
          &film->position));
  return TRUE;
}

static gboolean
answer_seeking (GstFourierDrawFilm * film, GstQuery * query)
{
  const GstClockTime end = get_time (film, &film->end);
  GstFormat format;

  gst_query_parse_seeking (query, &format, NULL, NULL, NULL);
  if (format == GST_FORMAT_TIME)
    gst_query_set_seeking (query, format, TRUE, 0,
        GST_CLOCK_TIME_IS_VALID (end) ? (gint64) end : -1);
  else
    gst_query_set_seeking (query, format, FALSE, 0, -1);
  return TRUE;
}

/* A film has no latency; of a live source, it has that of the pictures. */
static gboolean
answer_latency (GstFourierDrawFilm * film, GstQuery * query)
{
  GstClockTime min = 0;
  gboolean live = FALSE;

  if (gst_pad_peer_query (film->player.sinkpad, query))
    gst_query_parse_latency (query, &live, &min, NULL);
  if (!live)
    min = 0;
  gst_query_set_latency (query, live, min, GST_CLOCK_TIME_NONE);
  return TRUE;
}

static gboolean
film_src_query (GstFourierDrawPlayer * player, GstQuery * query,
    gboolean * done)
{
  GstFourierDrawFilm *film = (GstFourierDrawFilm *) player;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_DURATION:
      *done = answer_duration (film, query);
      return TRUE;
    case GST_QUERY_POSITION:
      *done = answer_position (film, query);
      return TRUE;
    case GST_QUERY_SEEKING:
      *done = answer_seeking (film, query);
      return TRUE;
    case GST_QUERY_LATENCY:
      *done = answer_latency (film, query);
      return TRUE;
    case GST_QUERY_CONVERT:
      *done = FALSE;
      return TRUE;
    default:
      return FALSE;
  }
}

/* Life */

static void
film_reset (GstFourierDrawPlayer * player)
{
  GstFourierDrawFilm *film = (GstFourierDrawFilm *) player;

  gst_fourier_draw_picture_clear (&film->picture);
  film->active = film->still_done = FALSE;
  gst_fourier_draw_counter_init (&film->counter, film->counter.fps_n,
      MAX (1, film->counter.fps_d));
  film->local = film->counter;
  film->picture_start = 0;
  film->picture_id = 0;
  film->last_pass = G_MAXUINT64;
  gst_segment_init (&film->segment, GST_FORMAT_TIME);
  film->need_discont = TRUE;
  GST_OBJECT_LOCK (player->element);
  film->position = 0;
  film->end = GST_CLOCK_TIME_NONE;
  GST_OBJECT_UNLOCK (player->element);
}

void
gst_fourier_draw_film_init (GstFourierDrawFilm * film,
    const GstFourierDrawPlayer * player)
{
  static const GstFourierDrawPlayerFuncs funcs = {
    .chain = film_chain,
    .sink_event = film_sink_event,
    .src_event = film_src_event,
    .src_query = film_src_query,
    .reset = film_reset,
  };

  film->player = *player;
  film->player.funcs = &funcs;
  gst_video_info_init (&film->picture.info);
}

void
gst_fourier_draw_film_start (GstFourierDrawFilm * film)
{
  film->upstream_live = FALSE;
  gst_fourier_draw_counter_init (&film->counter, 0, 1);
  film->local = film->counter;
}

void
gst_fourier_draw_film_set_upstream (GstFourierDrawFilm * film, gboolean live,
    gboolean one)
{
  film->upstream_live = live;
  film->expects_one = one;
  film->n_arrived = 0;
  gst_fourier_draw_inbox_set_leaky (film->player.inbox, live);
}

void
gst_fourier_draw_film_end (GstFourierDrawFilm * film,
    GstFourierDrawEnding ending, guint32 seqnum)
{
  gst_fourier_draw_inbox_request_end (film->player.inbox, ending, seqnum);
}
