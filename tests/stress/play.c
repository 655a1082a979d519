/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A whole pipeline, treated as an application does: flushing and other seeks,
 * state changes that are not waited for, EOS, properties, in any order and at
 * any time. After that, a seek to the beginning must play to the end. */

#include "play.h"

#include <string.h>

#include <gst/gst.h>

#include "random.h"
#include "watchdog.h"

#define MAX_ACTIONS 20
#define N_FRAMES 50
/* videotestsrc writes beyond its memory where its ball has no room. */
#define MIN_SIDE 48
#define FRAME (GST_SECOND / 25)
#define LENGTH (N_FRAMES * FRAME)
/* Microseconds between looks; the watchdog gives up when nothing happens. */
#define PAUSE 2000
#define MAX_PREROLL (10 * G_USEC_PER_SEC)

/**
 * Play:
 * @is_counted: whether as many frames come out as go in, unless a QoS message
 *     tells of one that does not
 * @is_seekable: whether all branches are; else EOS ends the film
 * @frames: that have come out since the last flush
 * @eos: whether EOS has come out since then
 * @skipped: QoS messages during the last seek and later
 */
typedef struct
{
  GRand *random;
  GstElement *pipeline;
  GstBus *bus;
  GPtrArray *elements;
  gboolean is_counted, is_seekable;
  gint frames, eos;
  guint skipped;
  gboolean failed;
} Play;

static GstPadProbeReturn
look_at_output (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  Play *play = user_data;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER)
    g_atomic_int_inc (&play->frames);
  else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS)
    g_atomic_int_set (&play->eos, TRUE);
  else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) ==
      GST_EVENT_FLUSH_STOP) {
    g_atomic_int_set (&play->frames, 0);
    g_atomic_int_set (&play->eos, FALSE);
  }
  return GST_PAD_PROBE_OK;
}

static void
take_messages (Play * play)
{
  GstMessage *message;

  while ((message = gst_bus_pop (play->bus))) {
    play->failed |= GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR;
    play->skipped += GST_MESSAGE_TYPE (message) == GST_MESSAGE_QOS;
    gst_message_unref (message);
  }
}

/* What is done */

static gboolean
seek_to (Play * play, gdouble rate, GstSeekFlags flags, GstClockTime start,
    GstClockTime stop)
{
  return gst_element_seek (play->pipeline, rate, GST_FORMAT_TIME, flags,
      GST_SEEK_TYPE_SET, (gint64) start, GST_SEEK_TYPE_SET, (gint64) stop);
}

/* Otherwise the sink keeps the streaming thread, for which EOS and a seek that
 * does not flush wait. */
static gboolean
is_playing (Play * play)
{
  GstState state;

  return gst_element_get_state (play->pipeline, &state, NULL, 0) ==
      GST_STATE_CHANGE_SUCCESS && state == GST_STATE_PLAYING;
}

static void
seek (Play * play)
{
  static const gdouble rates[] = { 1., 1., 2., .5, -1. };
  GRand *random = play->random;
  const gdouble rate = rates[random_below (random, G_N_ELEMENTS (rates))];
  const GstClockTime start = random_below (random, N_FRAMES) * FRAME;
  GstSeekFlags flags = GST_SEEK_FLAG_FLUSH;

  if (random_one_in (random, 5) && is_playing (play))
    flags = GST_SEEK_FLAG_NONE;
  if (random_one_in (random, 3))
    flags |= GST_SEEK_FLAG_ACCURATE;
  /* backwards there must be an end */
  seek_to (play, rate, flags, start, rate > 0. && random_one_in (random, 2) ?
      GST_CLOCK_TIME_NONE : start + (1 + random_below (random, 20)) * FRAME);
}

static void
set_state (Play * play, GstState state)
{
  play->failed |= gst_element_set_state (play->pipeline, state) ==
      GST_STATE_CHANGE_FAILURE;
}

static void
ask (Play * play)
{
  gint64 time;

  gst_element_query_position (play->pipeline, GST_FORMAT_TIME, &time);
  gst_element_query_duration (play->pipeline, GST_FORMAT_TIME, &time);
}

/* For some frames, or the end. */
static void
wait_for_frames (Play * play)
{
  const gint n = g_atomic_int_get (&play->frames) +
      (gint) random_below (play->random, 5);

  for (guint i = 0; i < 10 && g_atomic_int_get (&play->frames) < n
      && !g_atomic_int_get (&play->eos); i++)
    g_usleep (PAUSE);
}

static void
act (Play * play)
{
  static const GstState states[] = { GST_STATE_NULL, GST_STATE_READY,
    GST_STATE_PAUSED, GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_PLAYING,
    GST_STATE_PLAYING
  };
  GRand *random = play->random;

  switch (random_below (random, 12)) {
    case 0:
    case 1:
    case 2:
      set_state (play, states[random_below (random, G_N_ELEMENTS (states))]);
      break;
    case 3:
      random_property (random, g_ptr_array_index (play->elements,
              random_below (random, play->elements->len)));
      break;
    case 4:
      if (is_playing (play))
        gst_element_send_event (play->pipeline, gst_event_new_eos ());
      break;
    case 5:
      ask (play);
      break;
    case 6:
    case 7:
      wait_for_frames (play);
      break;
    default:
      seek (play);
      break;
  }
}

/* Sometimes GstBin does not go on to PLAYING after a seek during a state change
 * that was not waited for, although the sink has its frame. */
static void
reach_playing (Play * play)
{
  gint64 end = g_get_monotonic_time () + MAX_PREROLL;

  set_state (play, GST_STATE_PLAYING);
  while (!play->failed && gst_element_get_state (play->pipeline, NULL, NULL,
          PAUSE * GST_USECOND) == GST_STATE_CHANGE_ASYNC) {
    take_messages (play);
    if (g_atomic_int_get (&play->frames) == 0 || g_get_monotonic_time () < end)
      continue;
    set_state (play, GST_STATE_READY);
    set_state (play, GST_STATE_PLAYING);
    end = G_MAXINT64;
  }
}

/* Nothing but an error may keep the film from its end. Returns: (transfer full)
 * (nullable): what is wrong */
static gchar *
play_to_the_end (Play * play)
{
  reach_playing (play);
  play->skipped = 0;
  if (!play->failed && !seek_to (play, 1., GST_SEEK_FLAG_FLUSH, 0, LENGTH)) {
    if (play->is_seekable)
      return g_strdup ("no seek to the beginning");
    gst_element_send_event (play->pipeline, gst_event_new_eos ());
  }
  while (!play->failed && !g_atomic_int_get (&play->eos)) {
    take_messages (play);
    g_usleep (PAUSE);
  }
  take_messages (play);
  if (play->failed || !play->is_counted || play->skipped > 0
      || play->frames == N_FRAMES)
    return NULL;
  return g_strdup_printf ("%d frames came out, not %d", play->frames, N_FRAMES);
}

/* Life */

/* A source without an end, which a seek to it has, but for a film, which seeks
 * within itself. */
static gchar *
make_line (GRand * random, gboolean * is_counted)
{
  gboolean takes_tensors;

  gchar *chain = random_chain (random, is_counted, &takes_tensors);
  while (takes_tensors) {
    g_free (chain);
    chain = random_chain (random, is_counted, &takes_tensors);
  }
  gchar *line = g_strdup_printf ("videotestsrc num-buffers=%d pattern=ball ! "
      "video/x-raw,width=%u,height=%u,framerate=25/1 ! %s ! "
      "fakesink name=out sync=%s",
      strstr (chain, "fourierdraw duration") ? 5 : -1,
      MIN_SIDE + random_below (random, 64),
      MIN_SIDE + random_below (random, 64), chain,
      random_one_in (random, 8) ? "true" : "false");
  g_free (chain);
  return line;
}

static void
play_begin (Play * play, const gchar * line)
{
  play->pipeline = gst_parse_launch (line, NULL);
  play->bus = gst_element_get_bus (play->pipeline);
  play->elements = find_elements (GST_BIN (play->pipeline));
  g_autoptr (GstElement) out = gst_bin_get_by_name (GST_BIN (play->pipeline),
      "out");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (out, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER |
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
      look_at_output, play, NULL);
}

static void
play_end (Play * play)
{
  gst_element_set_state (play->pipeline, GST_STATE_NULL);
  g_ptr_array_unref (play->elements);
  gst_object_unref (play->bus);
  gst_object_unref (play->pipeline);
  g_rand_free (play->random);
}

gchar *
play_run (guint32 seed, Totals * totals)
{
  Play play = {.random = g_rand_new_with_seed (seed) };
  g_autofree gchar *line = make_line (play.random, &play.is_counted);
  gchar *wrong = NULL;
  guint n;

  play.is_seekable = strstr (line, "shapejsondec") == NULL;
  watchdog_begin (seed, line);
  play_begin (&play, line);
  for (n = random_below (play.random, MAX_ACTIONS); n > 0 && !play.failed; n--) {
    act (&play);
    take_messages (&play);
    watchdog_beat ();
  }
  if (!play.failed)
    wrong = play_to_the_end (&play);
  totals->frames += (guint) play.frames;
  totals->counted += !play.failed;
  totals->errors += play.failed;
  totals->sessions++;
  play_end (&play);
  return wrong;
}
