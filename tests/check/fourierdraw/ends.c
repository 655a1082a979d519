/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How films of fourierdraw end, and what goes on afterwards. */

#include "fourierdraw_test.h"

#include <sys/stat.h>

#include <glib/gstdio.h>

#define SHORT "duration=1 hold=0 " ONLY_INK
#define FRAME (GST_SECOND / 10)

static gboolean
seek (Film * film, GstClockTime start, GstClockTime stop)
{
  return gst_harness_push_upstream_event (film->h, gst_event_new_seek (1.,
          GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, start,
          GST_SEEK_TYPE_SET, stop));
}

/* A film that has reached the end of its segment is over for upstream, too,
 * until a seek: then it takes pictures again. */
TEST (pictures_are_taken_again_after_a_seek)
{
  Film film = film_new ("mode=redraw " SHORT, GRAY_IN, GRAY_OUT ("10/1"));

  fail_unless (seek (&film, 0, 5 * FRAME));
  film_push (&film, square_picture ());
  g_autoptr (GPtrArray) frames = film_collect (&film);
  fail_unless_equals_int (frames->len, 5);
  g_ptr_array_unref (frames);
  fail_unless_equals_int (gst_harness_push (film.h, two_squares ()),
      GST_FLOW_EOS);

  fail_unless (seek (&film, 0, GST_CLOCK_TIME_NONE));
  fail_unless_equals_int (gst_harness_push (film.h, two_squares ()),
      GST_FLOW_OK);
  film_eos (&film);
  frames = film_collect (&film);
  /* of the first picture, then of the second */
  fail_unless_equals_int (frames->len, 2 * 10);
  fail_unless (pixel (frame_of (frames, 9), 14, 16) == 0);
  fail_unless (pixel (frame_of (frames, 19), 14, 16) > 0);
  film_free (&film);
}

TEST_LOOP (the_end_has_upstreams_number, 0, 2)
{
  static const gchar *const modes[] = { "mode=redraw " SHORT,
    "mode=live " SHORT
  };
  g_auto (Film) film = film_new (modes[__i__], GRAY (64, 48, "10/1"),
      GRAY_OUT ("10/1"));
  g_autoptr (GstEvent) event = gst_event_new_eos ();
  const guint32 number = gst_event_get_seqnum (event);

  film_push (&film, square_picture ());
  fail_unless (gst_harness_push_event (film.h, event));
  event = film_wait_event (&film, GST_EVENT_EOS);
  fail_unless_equals_int (gst_event_get_seqnum (event), number);
}

/* The drawing as JSON */

static gchar *
draw_to (const gchar * path)
{
  g_autofree gchar *properties =
      g_strdup_printf ("mode=redraw json-location=%s " SHORT, path);
  g_auto (Film) film = film_new (properties, GRAY_IN, GRAY_OUT ("10/1"));
  GError *error = NULL;
  gchar *warning = NULL;

  film_push (&film, square_picture ());
  film_eos (&film);
  g_ptr_array_unref (film_collect (&film));
  GstMessage *message = gst_bus_pop_filtered (film.bus, GST_MESSAGE_WARNING);
  if (message) {
    gst_message_parse_warning (message, &error, NULL);
    warning = g_strdup (error->message);
    g_error_free (error);
    gst_message_unref (message);
  }
  return warning;
}

TEST (the_drawing_replaces_files_and_nothing_else)
{
  g_autofree gchar *folder = g_dir_make_tmp ("drawing-XXXXXX", NULL);
  g_autofree gchar *file = g_build_filename (folder, "a.json", NULL);
  g_autofree gchar *pipe = g_build_filename (folder, "pipe", NULL);
  g_autofree gchar *text = NULL;

  fail_unless (g_file_set_contents (file, "old", -1, NULL));
  fail_unless_equals_pointer (draw_to (file), NULL);
  fail_unless (g_file_get_contents (file, &text, NULL, NULL));
  fail_unless (g_str_has_prefix (text, "{"), "%s", text);
  fail_unless (mkfifo (pipe, 0600) == 0);
  g_autofree gchar *warning = draw_to (pipe);
  fail_unless (warning && strstr (warning, "is a device, a pipe or a folder"),
      "%s", warning);
  fail_if (g_file_test (pipe, G_FILE_TEST_IS_REGULAR));
  g_unlink (file);
  g_unlink (pipe);
  g_rmdir (folder);
}

/* Endings that are asked for */

static void
count_frame (GstElement * sink, GstBuffer * buffer, GstPad * pad,
    gpointer n_frames)
{
  g_atomic_int_inc ((gint *) n_frames);
}

/* What gst-launch-1.0 -e does on Ctrl-C. Returns: the number of frames */
static gint
interrupt (const gchar * properties)
{
  gchar *line = g_strconcat ("videotestsrc num-buffers=1 pattern=ball ! "
      GRAY_IN " ! fourierdraw backend=cpu loop=0 duration=1 hold=0.5 ",
      properties, " ! ", GRAY_OUT ("10/1"),
      " ! fakesink name=sink signal-handoffs=true", NULL);
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  gint n_frames = 0;

  g_signal_connect (sink, "handoff", G_CALLBACK (count_frame), &n_frames);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (g_atomic_int_get (&n_frames) < 20)
    g_usleep (1000);
  fail_unless (gst_element_send_event (pipeline, gst_event_new_eos ()));
  play_to_end (pipeline, line);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (sink);
  g_free (line);
  return n_frames;
}

TEST (an_endless_film_ends_on_eos)
{
  fail_unless (interrupt ("") >= 20);
}

TEST (a_pass_is_finished_before_the_end)
{
  const gint n_frames = interrupt ("on-eos=finish");

  fail_unless (n_frames >= 30);
  fail_unless_equals_int (n_frames % 15, 0);
}

TEST (a_second_eos_ends_at_once)
{
  Film film = film_new ("mode=redraw loop=0 paused=true on-eos=finish " SHORT,
      GRAY_IN, GRAY_OUT ("10/1"));

  film_push (&film, square_picture ());
  gst_buffer_unref (gst_harness_pull (film.h));
  fail_unless (gst_element_send_event (film.element, gst_event_new_eos ()));
  /* paused: the pass has no end */
  gst_buffer_unref (gst_harness_pull (film.h));
  g_autoptr (GstEvent) event = gst_event_new_eos ();
  gst_event_ref (event);
  fail_unless (gst_element_send_event (film.element, event));
  g_autoptr (GstEvent) out = film_wait_event (&film, GST_EVENT_EOS);
  fail_unless_equals_int (gst_event_get_seqnum (out),
      gst_event_get_seqnum (event));
  /* upstream is told */
  fail_unless_equals_int (gst_harness_push (film.h, two_squares ()),
      GST_FLOW_EOS);
  film_free (&film);
}

TEST (a_film_that_was_ended_goes_on_after_a_seek)
{
  Film film = film_new ("mode=redraw " SHORT, GRAY_IN, GRAY_OUT ("10/1"));

  film_push (&film, square_picture ());
  gst_buffer_unref (gst_harness_pull (film.h));
  fail_unless (gst_element_send_event (film.element, gst_event_new_eos ()));
  gst_event_unref (film_wait_event (&film, GST_EVENT_EOS));
  fail_unless (seek (&film, 0, 5 * FRAME));
  g_autoptr (GPtrArray) frames = film_collect (&film);
  fail_unless (frames->len >= 5);
  fail_unless (GST_BUFFER_PTS (frame_of (frames, frames->len - 1)) ==
      4 * FRAME);
  film_free (&film);
}

/* Of an action, progress is 1 from the next frame on. */
TEST (a_drawing_can_be_finished_at_once)
{
  g_auto (Film) film = film_new ("mode=redraw duration=1000 hold=0.3 " ONLY_INK,
      GRAY_IN, GRAY_OUT ("10/1"));
  gdouble progress;

  film_push (&film, square_picture ());
  gst_buffer_unref (gst_harness_pull (film.h));
  g_signal_emit_by_name (film.element, "finish");
  film_eos (&film);
  g_autoptr (GPtrArray) frames = film_collect (&film);
  fail_unless (frames->len < 1000);
  g_object_get (film.element, "progress", &progress, NULL);
  fail_unless (progress == 1.);
}

/* Messages */

/* The element goes to READY while a picture, or the end, still arrives: a thread
 * that nobody stops would outlive it. */
TEST (nothing_starts_the_thread_of_an_inactive_pad)
{
  g_auto (Film) film = film_new ("mode=redraw", GRAY_IN, GRAY_OUT ("10/1"));
  GstPad *sinkpad = gst_element_get_static_pad (film.element, "sink");
  g_autoptr (GstPad) srcpad = gst_element_get_static_pad (film.element, "src");

  film_push (&film, square_picture ());
  fail_unless (gst_pad_set_active (srcpad, FALSE));
  fail_unless (gst_pad_send_event (sinkpad, gst_event_new_eos ()));
  GST_OBJECT_LOCK (srcpad);
  GstTask *task = GST_PAD_TASK (srcpad);
  GST_OBJECT_UNLOCK (srcpad);
  fail_unless (task == NULL);
  gst_object_unref (sinkpad);
}

TEST (messages_tell_the_progress)
{
  g_auto (Film) film = film_new ("mode=redraw loop=2 " SHORT, GRAY_IN,
      GRAY_OUT ("20/1"));
  g_autoptr (GString) events = g_string_new (NULL);
  GstMessage *message;

  film_push (&film, square_picture ());
  film_eos (&film);
  g_autoptr (GPtrArray) frames = film_collect (&film);
  while ((message = gst_bus_pop_filtered (film.bus, GST_MESSAGE_ELEMENT))) {
    const GstStructure *structure = gst_message_get_structure (message);
    guint64 pass, n_contours;
    guint percent;

    fail_unless (gst_structure_has_name (structure, "fourierdraw"));
    fail_unless (gst_structure_get (structure, "pass", G_TYPE_UINT64, &pass,
            "contours", G_TYPE_UINT64, &n_contours, "percent", G_TYPE_UINT,
            &percent, NULL));
    fail_unless_equals_int (n_contours, 1);
    g_string_append_printf (events, "%s %u of %u;",
        gst_structure_get_string (structure, "event"), percent / 10 * 10,
        (guint) pass);
    gst_message_unref (message);
  }
  fail_unless_equals_string (events->str,
      "begin 0 of 0;progress 10 of 0;progress 20 of 0;progress 30 of 0;"
      "progress 40 of 0;progress 50 of 0;progress 60 of 0;progress 70 of 0;"
      "progress 80 of 0;progress 90 of 0;done 100 of 0;"
      "begin 0 of 1;progress 10 of 1;progress 20 of 1;progress 30 of 1;"
      "progress 40 of 1;progress 50 of 1;progress 60 of 1;progress 70 of 1;"
      "progress 80 of 1;progress 90 of 1;done 100 of 1;");
}

/* The arm */

static guint64
sum_pixels (GstBuffer * frame)
{
  g_auto (GstBufferMapInfo) map = GST_MAP_INFO_INIT;
  guint64 sum = 0;

  fail_unless (gst_buffer_map (frame, &map, GST_MAP_READ));
  for (gsize i = 0; i < map.size; i++)
    sum += map.data[i];
  return sum;
}

/* Without ink, a frame shows arm, circles and pen only. */
static GPtrArray *
film_of_arm (const gchar * properties, const gchar * out)
{
  gchar *all = g_strconcat ("mode=redraw duration=1 hold=1 trail=none "
      "ghost-opacity=0 min-points=1 ", properties, NULL);
  g_auto (Film) film = film_new (all, GRAY_IN, out);

  film_push (&film, square_picture ());
  film_eos (&film);
  GPtrArray *frames = film_collect (&film);
  g_free (all);
  return frames;
}

TEST (the_arm_leaves_the_finished_drawing)
{
  GPtrArray *frames = film_of_arm ("arm-fade=0.4", GRAY_OUT ("10/1"));

  fail_unless_equals_int (frames->len, 20);
  guint64 last = sum_pixels (frame_of (frames, 9));
  fail_unless (last > 0);
  for (guint i = 10; i < 13; i++) {
    const guint64 sum = sum_pixels (frame_of (frames, i));

    fail_unless (sum > 0 && sum < last);
    last = sum;
  }
  for (guint i = 13; i < 20; i++)
    fail_unless (sum_pixels (frame_of (frames, i)) == 0);
  g_ptr_array_unref (frames);

  frames = film_of_arm ("arm-fade=-1", GRAY_OUT ("10/1"));
  fail_unless (sum_pixels (frame_of (frames, 19)) > 0);
  g_ptr_array_unref (frames);
}

TEST (a_still_shows_no_arm)
{
  g_autoptr (GPtrArray) frames = film_of_arm ("", GRAY_OUT ("0/1"));

  fail_unless_equals_int (frames->len, 1);
  fail_unless (sum_pixels (frame_of (frames, 0)) == 0);
}

SUITE (fourierdraw_ends) {}
