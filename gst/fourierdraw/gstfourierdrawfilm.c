/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawfilm.h"

#include "element/gstshapesmessage.h"

/* Pictures */

/* What downstream has of the picture. */
static FourierShown
get_shown (const FourierFilm * film)
{
  const FourierClock *clock = &film->player.frames->clock;
  const GstClockTime now = fourier_counter_get_time (&film->local);
  gboolean over;

  if (!film->active)
    return FOURIER_SHOWN_NOTHING;
  if (film->local.fps_n == 0 && film->player.frames->output.negotiated)
    over = film->still_done;
  else
    over = fourier_clock_is_over (clock, now) ||
        fourier_clock_get_pass (clock, now) > film->last_pass;
  return over ? FOURIER_SHOWN_ALL : FOURIER_SHOWN_PART;
}

/* Begins the first pass of the present picture. */
static void
start_clock (FourierFilm * film)
{
  fourier_frames_start_clock (film->player.frames,
      fourier_counter_get_frame (&film->local),
      fourier_counter_get_time (&film->local));
  film->pass = 0;
  film->still_done = FALSE;
}

/* The present picture as it is at @time of it. */
static void
seek_within (FourierFilm * film, GstClockTime time)
{
  FourierClock *clock = &film->player.frames->clock;

  fourier_counter_seek (&film->local, time);
  fourier_clock_seek (clock, 0, fourier_counter_get_time (&film->local));
}

/* Replaces the present picture. Takes the reference. */
static void
begin_picture (FourierFilm * film, FourierPicture * picture)
{
  const gboolean first = film->picture_id == 0;
  const GstClockTime time = fourier_counter_get_time (&film->counter);

  if (!gst_video_info_is_equal (&film->picture.info, &picture->info))
    film->player.frames->output.negotiated = FALSE;
  fourier_picture_clear (&film->picture);
  film->picture = *picture;
  film->picture_id++;
  film->active = TRUE;
  fourier_counter_init (&film->local, film->counter.fps_n,
      MAX (1, film->counter.fps_d));
  start_clock (film);
  film->picture_start = first ? 0 : time;
  /* after a seek before the first picture */
  if (first && time > 0)
    seek_within (film, time);
}

/* If the picture is dropped, the one before stays. */
static GstFlowReturn
take_picture (FourierFilm * film)
{
  FourierPicture picture;

  if (!fourier_inbox_take (film->player.inbox, &picture))
    return GST_FLOW_OK;
  GstClockTime base = fourier_picture_get_running_time (&picture);
  if (film->upstream_live && film->player.frames->output.need_segment &&
      film->picture_id == 0 && GST_CLOCK_TIME_IS_VALID (base))
    film->segment.base = base;
  fourier_frames_update_settings (film->player.frames);
  GstFlowReturn flow = fourier_frames_prepare (film->player.frames, &picture);
  if (flow == GST_FLOW_OK)
    begin_picture (film, &picture);
  else
    fourier_picture_clear (&picture);
  return flow == FOURIER_FLOW_DROPPED ? GST_FLOW_OK : flow;
}

/* No more frames of a dropped picture. */
static GstFlowReturn
end_picture (FourierFilm * film, GstFlowReturn flow)
{
  if (flow != FOURIER_FLOW_DROPPED)
    return flow;
  film->active = FALSE;
  return GST_FLOW_OK;
}

/* Makes the drawing again on request, and when a pass begins and it is
 * outdated. */
static GstFlowReturn
check_restart (FourierFilm * film)
{
  FourierFrames *frames = film->player.frames;
  const guint64 pass = fourier_clock_get_pass (&frames->clock,
      fourier_counter_get_time (&film->local));
  const gboolean new_pass = pass != film->pass;
  const gboolean asked = fourier_inbox_take_requests (film->player.inbox,
      FOURIER_REQUEST_RESTART) != 0;

  fourier_frames_update_settings (frames);
  film->pass = pass;
  if (!asked && !(new_pass && fourier_frames_is_outdated (frames)))
    return GST_FLOW_OK;
  GstFlowReturn flow = fourier_frames_prepare (frames, &film->picture);
  if (flow == GST_FLOW_OK && asked)
    start_clock (film);
  return end_picture (film, flow);
}

/* Frames */

/* For queries. The end is known when the last picture is. */
static void
set_times (FourierFilm * film, GstClockTime position)
{
  GstClockTime end = GST_CLOCK_TIME_NONE;

  if (film->counter.fps_n > 0 &&
      fourier_inbox_is_last (film->player.inbox, NULL))
    end = fourier_frames_get_total (film->player.frames,
        fourier_counter_get_frame (&film->local));
  if (GST_CLOCK_TIME_IS_VALID (end))
    end += film->picture_start;
  GST_OBJECT_LOCK (film->player.element);
  film->position = position;
  const gboolean changed = end != film->end;
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
stamp_frame (FourierFilm * film, GstBuffer * buffer)
{
  const FourierCounter *counter = &film->counter;

  GST_BUFFER_PTS (buffer) = fourier_counter_get_time (counter);
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_OFFSET (buffer) = counter->n;
  GST_BUFFER_OFFSET_END (buffer) = counter->n + 1;
  GST_BUFFER_DURATION (buffer) = counter->fps_n == 0 ? GST_CLOCK_TIME_NONE :
      fourier_counter_get_end (counter) - GST_BUFFER_PTS (buffer);
  if (film->need_discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  else
    GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_DISCONT);
  film->need_discont = FALSE;
}

static GstFlowReturn
push_frame (FourierFilm * film)
{
  FourierFrames *frames = film->player.frames;
  const GstClockTime time = fourier_counter_get_time (&film->counter);
  const GstClockTime now = fourier_counter_get_time (&film->local);
  GstBuffer *buffer = NULL;

  if (GST_CLOCK_TIME_IS_VALID (film->segment.stop) &&
      time >= film->segment.stop)
    return GST_FLOW_EOS;
  fourier_output_push_segment (&frames->output, &film->segment);
  const gdouble progress = fourier_frames_update_clock (frames,
      fourier_counter_get_frame (&film->local), now,
      gst_segment_to_stream_time (&film->segment, GST_FORMAT_TIME, time));
  set_times (film, time);
  GstFlowReturn flow = fourier_frames_make (frames, now, progress,
      &film->picture, film->picture_id, &buffer);
  if (flow != GST_FLOW_OK)
    return end_picture (film, flow);
  stamp_frame (film, buffer);
  film->counter.n++;
  film->local.n++;
  film->still_done = TRUE;
  return gst_pad_push (film->player.srcpad, buffer);
}

static GstFlowReturn
negotiate (FourierFilm * film)
{
  const GstVideoInfo *info = &film->player.frames->output.info;
  gboolean changed;
  const GstFlowReturn flow = fourier_frames_negotiate (film->player.frames,
      &film->picture.info, FALSE, &changed);

  if (flow == GST_FLOW_OK && changed) {
    fourier_counter_set_rate (&film->counter, info->fps_n,
        MAX (1, info->fps_d));
    fourier_counter_set_rate (&film->local, info->fps_n, MAX (1, info->fps_d));
  }
  return flow;
}

/* The task */

static GstFlowReturn
do_work (FourierFilm * film, FourierWork work)
{
  GstFlowReturn flow;

  if (work == FOURIER_WORK_EOS)
    return GST_FLOW_EOS;
  if (work == FOURIER_WORK_TAKE)
    flow = take_picture (film);
  else
    flow = check_restart (film);
  if (flow == GST_FLOW_OK && film->active)
    flow = negotiate (film);
  if (flow == GST_FLOW_OK && get_shown (film) == FOURIER_SHOWN_PART)
    flow = push_frame (film);
  return flow;
}

/* The end of the stream or of the segment. */
static void
push_end (FourierFilm * film)
{
  FourierOutput *output = &film->player.frames->output;
  GstElement *element = film->player.element;
  guint32 seqnum;
  GstEvent *event;

  fourier_output_push_segment (output, &film->segment);
  fourier_inbox_is_last (film->player.inbox, &seqnum);
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
end_task (FourierFilm * film, GstFlowReturn flow)
{
  GstPad *srcpad = film->player.srcpad;

  GST_DEBUG_OBJECT (film->player.element, "pausing: %s",
      gst_flow_get_name (flow));
  gst_pad_pause_task (srcpad);
  if (flow != GST_FLOW_OK && flow != GST_FLOW_FLUSHING)
    fourier_inbox_set_flow (film->player.inbox, flow);
  if (flow == GST_FLOW_EOS) {
    set_times (film, film->segment.position);
    push_end (film);
  } else if (flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS) {
    GST_ELEMENT_FLOW_ERROR (film->player.element, flow);
    gst_pad_push_event (srcpad, gst_event_new_eos ());
  }
}

static void
loop (gpointer user_data)
{
  FourierFilm *film = user_data;

  /* Of a film that is ending, the present pass is the last. */
  if (film->active && film->last_pass == G_MAXUINT64 &&
      fourier_inbox_is_ending (film->player.inbox))
    film->last_pass = fourier_clock_get_pass (&film->player.frames->clock,
        fourier_counter_get_time (&film->local));
  FourierWork work = fourier_inbox_wait (film->player.inbox, get_shown (film));
  if (work == FOURIER_WORK_NONE) {
    gst_pad_pause_task (film->player.srcpad);
    return;
  }
  GstFlowReturn flow = do_work (film, work);
  if (flow != GST_FLOW_OK)
    end_task (film, flow);
}

/* Starts or resumes it, unless the pad is not active. From any thread. */
static void
start_task (FourierFilm * film)
{
  fourier_inbox_start (film->player.inbox, film->player.srcpad, loop, film);
}

/* The sink pad */

static GstFlowReturn
film_chain (FourierPlayer * player, const FourierPicture * picture)
{
  FourierFilm *film = (FourierFilm *) player;

  /* no picture */
  if (GST_BUFFER_FLAG_IS_SET (picture->buffer, GST_BUFFER_FLAG_GAP))
    return GST_FLOW_OK;
  /* a film draws each of its pictures, which takes time */
  if (film->expects_one && ++film->n_arrived == 2)
    GST_SHAPES_WARNING (player->element, STREAM, FORMAT,
        "A second picture has come: each picture is drawn for as long as "
        "duration and hold say, so that a film may take hours. mode=live draws "
        "along with a film, mode=still outputs a finished drawing for each "
        "picture, mode=redraw does this without a warning.");
  GstFlowReturn flow = fourier_inbox_put (player->inbox, picture);
  if (flow == GST_FLOW_OK)
    start_task (film);
  return flow;
}

/* The end of the pictures is not that of the film; upstream's segment and gaps
 * do not apply to it. */
static gboolean
film_sink_event (FourierPlayer * player, GstEvent * event,
    const GstSegment * segment, gboolean * done)
{
  *done = TRUE;
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
    fourier_inbox_put_eos (player->inbox, gst_event_get_seqnum (event));
    start_task ((FourierFilm *) player);
  }
  return TRUE;
}

/* Seeking */

static void
seek_stream (FourierFilm * film, GstClockTime time)
{
  fourier_counter_seek (&film->counter, time);
  if (!film->active)
    return;
  seek_within (film, time > film->picture_start ?
      time - film->picture_start : 0);
  film->pass = fourier_clock_get_pass (&film->player.frames->clock,
      fourier_counter_get_time (&film->local));
  film->still_done = FALSE;
}

/* With the stream lock of the source pad held. */
static gboolean
perform_seek (FourierFilm * film, GstEvent * event)
{
  FourierOutput *output = &film->player.frames->output;
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
push_flush (FourierFilm * film, GstEvent * flush, GstEvent * seek)
{
  gst_event_set_seqnum (flush, gst_event_get_seqnum (seek));
  gst_pad_push_event (film->player.srcpad, flush);
}

/* Also after the end of the film. */
static gboolean
seek (FourierFilm * film, GstEvent * event)
{
  GstPad *srcpad = film->player.srcpad;
  GstSeekFlags flags;
  GstFormat format;
  gdouble rate;

  gst_event_parse_seek (event, &rate, &format, &flags, NULL, NULL, NULL, NULL);
  if (format != GST_FORMAT_TIME || rate <= 0.) {
    GST_DEBUG_OBJECT (film->player.element, "cannot seek by %s at rate %g",
        gst_format_get_name (format), rate);
    return FALSE;
  }
  if (flags & GST_SEEK_FLAG_FLUSH)
    push_flush (film, gst_event_new_flush_start (), event);
  fourier_inbox_set_interrupted (film->player.inbox, TRUE);
  gst_pad_pause_task (srcpad);
  GST_PAD_STREAM_LOCK (srcpad);
  const gboolean done = perform_seek (film, event);
  if (flags & GST_SEEK_FLAG_FLUSH)
    push_flush (film, gst_event_new_flush_stop (TRUE), event);
  fourier_inbox_resume (film->player.inbox);
  fourier_inbox_set_interrupted (film->player.inbox, FALSE);
  GST_PAD_STREAM_UNLOCK (srcpad);
  start_task (film);
  return done;
}

static gboolean
film_src_event (FourierPlayer * player, GstEvent * event, gboolean * done)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_SEEK:
      *done = seek ((FourierFilm *) player, event);
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
get_time (FourierFilm * film, const GstClockTime * member)
{
  GST_OBJECT_LOCK (film->player.element);
  GstClockTime time = *member;
  GST_OBJECT_UNLOCK (film->player.element);
  return time;
}

static gboolean
answer_seeking (FourierFilm * film, GstQuery * query)
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
answer_latency (FourierFilm * film, GstQuery * query)
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
film_src_query (FourierPlayer * player, GstQuery * query, gboolean * done)
{
  FourierFilm *film = (FourierFilm *) player;
  const GstClockTime end = get_time (film, &film->end);
  GstFormat format;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_DURATION:
      gst_query_parse_duration (query, &format, NULL);
      *done = format == GST_FORMAT_TIME && GST_CLOCK_TIME_IS_VALID (end);
      if (*done)
        gst_query_set_duration (query, format, end);
      return TRUE;
    case GST_QUERY_POSITION:
      gst_query_parse_position (query, &format, NULL);
      *done = format == GST_FORMAT_TIME;
      if (*done)
        gst_query_set_position (query, format, get_time (film,
                &film->position));
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
film_reset (FourierPlayer * player)
{
  FourierFilm *film = (FourierFilm *) player;

  fourier_picture_clear (&film->picture);
  film->active = film->still_done = FALSE;
  fourier_counter_init (&film->counter, film->counter.fps_n,
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
fourier_film_init (FourierFilm * film, const FourierPlayer * player)
{
  static const FourierPlayerFuncs funcs = {
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
fourier_film_start (FourierFilm * film)
{
  film->upstream_live = FALSE;
  fourier_counter_init (&film->counter, 0, 1);
  film->local = film->counter;
}

void
fourier_film_set_upstream (FourierFilm * film, gboolean live, gboolean one)
{
  film->upstream_live = live;
  film->expects_one = one;
  film->n_arrived = 0;
  fourier_inbox_set_leaky (film->player.inbox, live);
}

void
fourier_film_end (FourierFilm * film, FourierEnding ending, guint32 seqnum)
{
  fourier_inbox_request_end (film->player.inbox, ending, seqnum);
}
