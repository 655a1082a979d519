/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* fourierdraw with a time of its own: films of pictures, seeks, ends. */

#include <unistd.h>

#include <glib/gstdio.h>
#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>

#include "fourierdraw_test.h"

/* 20 frames of drawing at 10 a second and 5 of hold. */
#define SHORT "duration=2 hold=0.5 " ONLY_INK
#define SHORT_FRAMES 25
#define FRAME (GST_SECOND / 10)

static void
assert_times (GPtrArray * frames, guint64 begin)
{
  for (guint i = 0; i < frames->len; i++) {
    GstBuffer *frame = frame_of (frames, i);

    fail_unless_equals_uint64 (GST_BUFFER_PTS (frame), (begin + i) * FRAME);
    fail_unless_equals_uint64 (GST_BUFFER_DURATION (frame), FRAME);
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (frame), begin + i);
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET_END (frame), begin + i + 1);
    fail_unless (GST_BUFFER_FLAG_IS_SET (frame, GST_BUFFER_FLAG_DISCONT) ==
        (i == 0));
  }
}

static gboolean
seek (Film * film, gdouble rate, GstSeekFlags flags, GstClockTime start,
    GstClockTime stop)
{
  return gst_harness_push_upstream_event (film->h, gst_event_new_seek (rate,
          GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET, start,
          GST_CLOCK_TIME_IS_VALID (stop) ? GST_SEEK_TYPE_SET :
          GST_SEEK_TYPE_NONE, stop));
}

/* Drops what has come so far. */
static void
forget (Film * film)
{
  GstBuffer *buffer;
  GstEvent *event;

  while ((buffer = gst_harness_try_pull (film->h)))
    gst_buffer_unref (buffer);
  while ((event = gst_harness_try_pull_event (film->h)))
    gst_event_unref (event);
}

/* A film that has been seen to its end, with its frames. */
static Film
ended_film (const gchar * properties, GPtrArray ** frames)
{
  Film film = film_new (properties, GRAY_IN, GRAY_OUT ("10/1"));

  film_push (&film, square_picture ());
  film_eos (&film);
  *frames = film_collect (&film);
  return film;
}

/* Films */

TEST (a_picture_becomes_a_film)
{
  g_autoptr (GPtrArray) frames = film_of (SHORT, GRAY_IN, GRAY_OUT ("10/1"),
      square_picture ());

  fail_unless_equals_int (frames->len, SHORT_FRAMES);
  assert_times (frames, 0);
  /* nothing at first, more and more, and then all */
  fail_unless_equals_int (count_bright (frame_of (frames, 0)), 0);
  fail_unless (count_bright (frame_of (frames, 10)) >
      count_bright (frame_of (frames, 5)));
  fail_unless (count_bright (frame_of (frames, 19)) > 80);
  fail_unless (same_bytes (frame_of (frames, 19), frame_of (frames, 24)));
  fail_if (same_bytes (frame_of (frames, 18), frame_of (frames, 19)));
}

TEST (the_segment_is_its_own)
{
  g_auto (Film) film = film_new (SHORT, GRAY_IN, GRAY_OUT ("10/1"));
  const GstSegment *segment;
  GstSegment in;

  gst_segment_init (&in, GST_FORMAT_TIME);
  in.start = in.time = in.position = 7 * GST_SECOND;
  in.stop = 8 * GST_SECOND;
  gst_harness_push_event (film.h, gst_event_new_segment (&in));
  film_push (&film, square_picture ());
  g_autoptr (GstEvent) event = film_wait_event (&film, GST_EVENT_SEGMENT);
  gst_event_parse_segment (event, &segment);
  fail_unless (segment->format == GST_FORMAT_TIME);
  fail_unless_equals_uint64 (segment->start, 0);
  fail_unless_equals_uint64 (segment->base, 0);
  fail_unless_equals_uint64 (segment->stop, GST_CLOCK_TIME_NONE);
}

TEST (pictures_follow_each_other)
{
  g_auto (Film) film = film_new (SHORT, GRAY_IN, GRAY_OUT ("10/1"));

  film_push (&film, square_picture ());
  film_push (&film, two_squares ());
  film_push (&film, square_picture ());
  film_eos (&film);
  g_autoptr (GPtrArray) frames = film_collect (&film);
  fail_unless_equals_int (frames->len, 3 * SHORT_FRAMES);
  assert_times (frames, 0);
  fail_unless (same_bytes (frame_of (frames, 24), frame_of (frames, 74)));
  fail_if (same_bytes (frame_of (frames, 24), frame_of (frames, 49)));
  fail_unless_equals_int (count_bright (frame_of (frames, 25)), 0);
}

TEST (no_picture_is_no_film)
{
  g_auto (Film) film = film_new (SHORT, GRAY_IN, GRAY_OUT ("10/1"));

  film_eos (&film);
  g_autoptr (GPtrArray) frames = film_collect (&film);
  fail_unless_equals_int (frames->len, 0);
}

TEST (passes_are_alike)
{
  g_autoptr (GPtrArray) frames = film_of (SHORT "loop=3 start-delay=0.5",
      GRAY_IN, GRAY_OUT ("10/1"), square_picture ());

  fail_unless_equals_int (frames->len, 90);
  assert_times (frames, 0);
  for (guint i = 0; i < 60; i++)
    fail_unless (same_bytes (frame_of (frames, i), frame_of (frames, i + 30)),
        "frame %u", i);
}

TEST (speed_makes_fewer_frames)
{
  g_autoptr (GPtrArray) frames = film_of (SHORT "speed=2.5", GRAY_IN,
      GRAY_OUT ("10/1"), square_picture ());

  fail_unless_equals_int (frames->len, 10);
}

/* Rates */

static void
assert_rate (const gchar * in, const gchar * out, gint fps_n, gint fps_d,
    guint n_frames)
{
  g_auto (Film) film = film_new (SHORT, in, out);
  gint n, d;

  film_push (&film, square_picture ());
  film_eos (&film);
  g_autoptr (GPtrArray) frames = film_collect (&film);
  fail_unless_equals_int (frames->len, n_frames);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (film.h->sinkpad);
  fail_unless (gst_structure_get_fraction (gst_caps_get_structure (caps, 0),
          "framerate", &n, &d));
  fail_unless (n == fps_n && d == fps_d, "%d/%d", n, d);
}

TEST (the_rate_is_downstreams_or_upstreams_or_30)
{
  assert_rate (GRAY_IN, "video/x-raw,format=GRAY8", 30, 1, 75);
  assert_rate (GRAY (64, 48, "12/1"), "video/x-raw,format=GRAY8", 12, 1, 30);
  assert_rate (GRAY (64, 48, "12/1"), GRAY_OUT ("20/1"), 20, 1, 50);
  assert_rate (GRAY_IN, GRAY_OUT ("30000/1001"), 30000, 1001, 75);
  assert_rate (GRAY_IN, GRAY_OUT ("[1/1, 15/1]"), 15, 1, 38);
}

TEST (a_still_is_the_finished_drawing)
{
  g_autoptr (GPtrArray) film = film_of (SHORT, GRAY_IN, GRAY_OUT ("10/1"),
      square_picture ());
  g_autoptr (GPtrArray) still = film_of (SHORT, GRAY_IN, GRAY_OUT ("0/1"),
      square_picture ());

  fail_unless_equals_int (still->len, 1);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (frame_of (still, 0)), 0);
  fail_unless (same_bytes (frame_of (still, 0), frame_of (film, 24)));
}

/* Seeks */

TEST (a_seek_in_the_middle_shows_what_playing_shows)
{
  g_autoptr (GPtrArray) played = NULL;
  g_auto (Film) film = ended_film (SHORT, &played);

  for (guint start = 0; start < SHORT_FRAMES; start += 7) {
    fail_unless (seek (&film, 1., GST_SEEK_FLAG_FLUSH, start * FRAME,
            GST_CLOCK_TIME_NONE));
    g_autoptr (GPtrArray) frames = film_collect (&film);
    fail_unless_equals_int (frames->len, SHORT_FRAMES - start);
    assert_times (frames, start);
    for (guint i = 0; i < frames->len; i++)
      fail_unless (same_bytes (frame_of (frames, i), frame_of (played,
                  start + i)), "frame %u after a seek to %u", i, start);
  }
}

TEST (a_seek_while_frames_come)
{
  g_auto (Film) film = film_new (SHORT "loop=0", GRAY_IN, GRAY_OUT ("10/1"));

  film_push (&film, square_picture ());
  for (guint i = 0; i < 10; i++) {
    const GstClockTime start = (17 - i) * FRAME;
    gboolean found = FALSE;

    gst_buffer_unref (gst_harness_pull (film.h));
    fail_unless (seek (&film, 1., GST_SEEK_FLAG_FLUSH, start,
            GST_CLOCK_TIME_NONE));
    while (!found) {
      g_autoptr (GstBuffer) frame = gst_harness_pull (film.h);

      fail_unless (frame != NULL);
      found = GST_BUFFER_PTS (frame) == start &&
          GST_BUFFER_FLAG_IS_SET (frame, GST_BUFFER_FLAG_DISCONT);
    }
  }
}

TEST (a_seek_without_flush_goes_on_with_a_new_segment)
{
  g_auto (Film) film = film_new (SHORT "loop=0", GRAY_IN, GRAY_OUT ("10/1"));
  const GstSegment *segment;

  film_push (&film, square_picture ());
  film_eos (&film);
  gst_buffer_unref (gst_harness_pull (film.h));
  gst_event_unref (film_wait_event (&film, GST_EVENT_SEGMENT));
  fail_unless (seek (&film, 1., GST_SEEK_FLAG_NONE, 1020 * FRAME,
          GST_CLOCK_TIME_NONE));
  g_autoptr (GstEvent) event = film_wait_event (&film, GST_EVENT_SEGMENT);
  gst_event_parse_segment (event, &segment);
  fail_unless_equals_uint64 (segment->start, 1020 * FRAME);
  g_object_set (film.element, "loop", 1, NULL);
  g_autoptr (GPtrArray) frames = film_collect (&film);
  GstBuffer *frame = frame_of (frames, frames->len - 1);
  fail_unless (GST_BUFFER_PTS (frame) >= 1019 * FRAME);
}

TEST (a_seek_may_have_an_end)
{
  g_autoptr (GPtrArray) frames = NULL;
  g_auto (Film) film = ended_film (SHORT, &frames);

  g_ptr_array_unref (frames);
  fail_unless (seek (&film, 1., GST_SEEK_FLAG_FLUSH, 3 * FRAME, 9 * FRAME));
  frames = film_collect (&film);
  fail_unless_equals_int (frames->len, 6);
  assert_times (frames, 3);
  g_ptr_array_unref (frames);

  fail_unless (seek (&film, 1., GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_SEGMENT,
          3 * FRAME, 9 * FRAME));
  frames = film_collect_until (&film, GST_EVENT_SEGMENT_DONE);
  fail_unless_equals_int (frames->len, 6);
}

TEST (seeks_have_their_number)
{
  g_autoptr (GPtrArray) frames = NULL;
  g_auto (Film) film = ended_film (SHORT, &frames);
  static const GstEventType types[] = { GST_EVENT_FLUSH_START,
    GST_EVENT_FLUSH_STOP, GST_EVENT_SEGMENT, GST_EVENT_EOS
  };
  GstEvent *event = gst_event_new_seek (1., GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0);
  const guint32 number = gst_event_get_seqnum (event);

  forget (&film);
  fail_unless (gst_harness_push_upstream_event (film.h, event));
  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    event = film_wait_event (&film, types[i]);
    fail_unless_equals_int (gst_event_get_seqnum (event), number);
    gst_event_unref (event);
  }
}

TEST (a_seek_before_the_first_picture)
{
  Film film = film_new ("mode=redraw " SHORT, GRAY_IN, GRAY_OUT ("10/1"));
  g_autoptr (GPtrArray) played = film_of (SHORT, GRAY_IN, GRAY_OUT ("10/1"),
      square_picture ());
  gint64 length;

  fail_unless (seek (&film, 1., GST_SEEK_FLAG_FLUSH, 12 * FRAME,
          GST_CLOCK_TIME_NONE));
  film_push (&film, square_picture ());
  film_eos (&film);
  g_autoptr (GPtrArray) frames = film_collect (&film);
  fail_unless_equals_int (frames->len, SHORT_FRAMES - 12);
  fail_unless (same_bytes (frame_of (frames, 0), frame_of (played, 12)));
  g_ptr_array_unref (frames);
  /* the film has its whole length, and its begin */
  fail_unless (gst_pad_peer_query_duration (film.h->sinkpad, GST_FORMAT_TIME,
          &length));
  fail_unless_equals_uint64 (length, SHORT_FRAMES * FRAME);
  fail_unless (seek (&film, 1., GST_SEEK_FLAG_FLUSH, 5 * FRAME,
          GST_CLOCK_TIME_NONE));
  frames = film_collect (&film);
  fail_unless_equals_int (frames->len, SHORT_FRAMES - 5);
  fail_unless (same_bytes (frame_of (frames, 0), frame_of (played, 5)));
  film_free (&film);
}

TEST (what_cannot_be_sought_is_refused)
{
  g_autoptr (GPtrArray) frames = NULL;
  g_auto (Film) film = ended_film (SHORT, &frames);

  fail_if (seek (&film, -1., GST_SEEK_FLAG_FLUSH, 0, GST_CLOCK_TIME_NONE));
  fail_if (gst_harness_push_upstream_event (film.h, gst_event_new_seek (1.,
              GST_FORMAT_BYTES, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0,
              GST_SEEK_TYPE_NONE, 0)));
}

/* Queries */

TEST (queries_are_about_the_film)
{
  g_autoptr (GPtrArray) frames = NULL;
  g_auto (Film) film = ended_film (SHORT, &frames);
  g_autoptr (GstQuery) query = gst_query_new_seeking (GST_FORMAT_TIME);
  gint64 time, start, end;
  GstClockTime min, max;
  gboolean yes;

  fail_unless (gst_pad_peer_query_duration (film.h->sinkpad, GST_FORMAT_TIME,
          &time));
  fail_unless_equals_uint64 (time, SHORT_FRAMES * FRAME);
  fail_unless (gst_pad_peer_query_position (film.h->sinkpad, GST_FORMAT_TIME,
          &time));
  fail_unless_equals_uint64 (time, (SHORT_FRAMES - 1) * FRAME);
  fail_unless (gst_pad_peer_query (film.h->sinkpad, query));
  gst_query_parse_seeking (query, NULL, &yes, &start, &end);
  fail_unless (yes && start == 0 && end == SHORT_FRAMES * FRAME);
  gst_query_unref (query);

  query = gst_query_new_seeking (GST_FORMAT_BYTES);
  fail_unless (gst_pad_peer_query (film.h->sinkpad, query));
  gst_query_parse_seeking (query, NULL, &yes, NULL, NULL);
  fail_if (yes);
  gst_query_unref (query);

  query = gst_query_new_latency ();
  fail_unless (gst_pad_peer_query (film.h->sinkpad, query));
  gst_query_parse_latency (query, &yes, &min, &max);
  fail_unless (!yes && min == 0 && max == GST_CLOCK_TIME_NONE);
}

TEST (a_film_for_ever_has_no_duration)
{
  g_auto (Film) film = film_new (SHORT "loop=0", GRAY_IN, GRAY_OUT ("10/1"));
  gint64 time;

  film_push (&film, square_picture ());
  film_eos (&film);
  for (guint i = 0; i < 3 * SHORT_FRAMES; i++)
    gst_buffer_unref (gst_harness_pull (film.h));
  fail_if (gst_pad_peer_query_duration (film.h->sinkpad, GST_FORMAT_TIME,
          &time));
}

/* Flushes, captures */

TEST (a_flush_begins_anew)
{
  g_auto (Film) film = film_new (SHORT "loop=0", GRAY_IN, GRAY_OUT ("10/1"));
  GstSegment segment;

  film_push (&film, square_picture ());
  for (guint i = 0; i < 7; i++)
    gst_buffer_unref (gst_harness_pull (film.h));
  fail_unless (gst_harness_push_event (film.h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (film.h,
          gst_event_new_flush_stop (TRUE)));
  forget (&film);
  g_object_set (film.element, "loop", 1, NULL);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (film.h, gst_event_new_segment (&segment));
  film_push (&film, two_squares ());
  film_eos (&film);
  g_autoptr (GPtrArray) frames = film_collect (&film);
  fail_unless_equals_int (frames->len, SHORT_FRAMES);
  assert_times (frames, 0);
}

/* Pulls frames until there is one with ink at the right end of the left
 * square's side only, or both. */
static gboolean
wait_for_square (Film * film, gboolean middle)
{
  for (guint i = 0; i < 10000; i++) {
    GstBuffer *frame = gst_harness_pull (film->h);
    const gboolean left = pixel (frame, 14, 16) > 0;
    const gboolean center = pixel (frame, 32, 14) > 0;

    gst_buffer_unref (frame);
    if (middle ? center && !left : left && !center)
      return TRUE;
  }
  return FALSE;
}

TEST (capture_takes_the_next_picture)
{
  g_auto (Film) film = film_new (SHORT "loop=0", GRAY_IN, GRAY_OUT ("10/1"));

  film_push (&film, square_picture ());
  fail_unless (wait_for_square (&film, TRUE));
  film_push (&film, two_squares ());
  /* for ever: it waits */
  fail_unless (wait_for_square (&film, TRUE));
  g_signal_emit_by_name (film.element, "capture");
  fail_unless (wait_for_square (&film, FALSE));
}

/* Properties while it runs */

TEST (a_paused_arm_stands_still)
{
  Film film = film_new (SHORT "paused=true", GRAY_IN, GRAY_OUT ("10/1"));
  gdouble progress;

  film_push (&film, square_picture ());
  film_eos (&film);
  for (guint i = 0; i < 60; i++) {
    g_autoptr (GstBuffer) frame = gst_harness_pull (film.h);

    fail_unless_equals_int (count_bright (frame), 0);
  }
  g_object_get (film.element, "progress", &progress, NULL);
  fail_unless (progress == 0.);
  g_object_set (film.element, "paused", FALSE, NULL);
  g_autoptr (GPtrArray) frames = film_collect (&film);
  fail_unless (frames->len >= SHORT_FRAMES - 1);
  fail_unless (count_bright (frame_of (frames, frames->len - 1)) > 80);
  film_free (&film);
}

TEST (progress_can_be_set)
{
  g_autoptr (GPtrArray) whole = film_of (SHORT, GRAY_IN, GRAY_OUT ("10/1"),
      square_picture ());
  g_autoptr (GPtrArray) frames = film_of (SHORT "progress=1", GRAY_IN,
      GRAY_OUT ("10/1"), square_picture ());

  /* from the end of the drawing on: the last of it, and the hold */
  fail_unless_equals_int (frames->len, 6);
  fail_unless (same_bytes (frame_of (frames, 0), frame_of (whole, 24)));
}

static void
control (GstElement * element, const gchar * property, gdouble from,
    gdouble to)
{
  g_autoptr (GstControlSource) source = gst_interpolation_control_source_new ();
  GstTimedValueControlSource *timed = GST_TIMED_VALUE_CONTROL_SOURCE (source);

  g_object_set (source, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
  gst_timed_value_control_source_set (timed, 0, from);
  gst_timed_value_control_source_set (timed, 2 * GST_SECOND, to);
  gst_object_add_control_binding (GST_OBJECT (element),
      gst_direct_control_binding_new_absolute (GST_OBJECT (element), property,
          source));
}

TEST (a_controller_holds_the_arm)
{
  g_autoptr (GPtrArray) whole = film_of (SHORT, GRAY_IN, GRAY_OUT ("10/1"),
      square_picture ());
  g_auto (Film) film = film_new (SHORT, GRAY_IN, GRAY_OUT ("10/1"));

  /* backwards */
  control (film.element, "progress", 1., 0.);
  film_push (&film, square_picture ());
  film_eos (&film);
  g_autoptr (GPtrArray) frames = film_collect (&film);
  fail_unless_equals_int (frames->len, SHORT_FRAMES);
  fail_unless (same_bytes (frame_of (frames, 0), frame_of (whole, 24)));
  fail_unless (count_bright (frame_of (frames, 5)) >
      count_bright (frame_of (frames, 15)));
  fail_unless_equals_int (count_bright (frame_of (frames, 20)), 0);
}

TEST (a_controller_changes_the_number_of_vectors)
{
  g_auto (Film) film = film_new (SHORT, GRAY_IN, GRAY_OUT ("10/1"));
  gdouble rms_error;

  control (film.element, "n-vectors", 1., 10.);
  film_push (&film, square_picture ());
  film_eos (&film);
  g_autoptr (GPtrArray) frames = film_collect (&film);
  g_autoptr (GPtrArray) whole = film_of (SHORT "n-vectors=10", GRAY_IN,
      GRAY_OUT ("10/1"), square_picture ());
  fail_unless (same_bytes (frame_of (frames, 24), frame_of (whole, 24)));
  fail_if (same_bytes (frame_of (frames, 15), frame_of (whole, 15)));
  g_object_get (film.element, "rms-error", &rms_error, NULL);
  fail_unless (rms_error > 0. && rms_error < 2., "%g", rms_error);
}

/* Forms */

TEST (all_formats_and_odd_sizes)
{
  static const gchar *formats[] = { "RGBA", "BGRA", "ARGB", "ABGR", "RGBx",
    "BGRx", "xRGB", "xBGR", "RGB", "BGR", "NV12", "NV21", "I420", "YV12",
    "Y42B", "Y444", "YUY2", "UYVY", "GRAY8", "GRAY16_LE", "P010_10LE", "I420_10LE"
  };
  static const guint sizes[][2] = { {1, 1}, {1, 7}, {5, 1}, {33, 17} };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    for (guint k = 0; k < G_N_ELEMENTS (sizes); k++) {
      gchar *in = g_strdup_printf ("video/x-raw,format=GRAY8,width=%u,"
          "height=%u,framerate=0/1", sizes[k][0], sizes[k][1]);
      g_autofree gchar *out =
          g_strdup_printf ("video/x-raw,format=%s,framerate=4/1", formats[i]);
      GstBuffer *picture = gray_picture (sizes[k][0], sizes[k][1], 90);
      const GstShapePoint center = { sizes[k][0] / 2., sizes[k][1] / 2. };

      add_squares (picture, sizes[k][0], sizes[k][1], &center, 1, 2);
      g_autoptr (GPtrArray) frames = film_of ("duration=1 hold=0 min-points=1",
          in, out, picture);
      fail_unless (frames->len == 4, "%s", out);
      fail_unless (count_bright (frame_of (frames, 3)) > 0, "%s of %u x %u",
          formats[i], sizes[k][0], sizes[k][1]);
      g_free (in);
    }
}

TEST (pictures_may_change_their_size)
{
  g_auto (Film) film = film_new (SHORT, GRAY_IN, "video/x-raw,format=GRAY8,"
      "framerate=10/1");
  static const GstShapePoint center = { 8, 8 };

  film_push (&film, square_picture ());
  gst_harness_set_src_caps_str (film.h, GRAY (16, 16, "0/1"));
  GstBuffer *picture = gray_picture (16, 16, 0);
  add_squares (picture, 16, 16, &center, 1, 8);
  film_push (&film, picture);
  film_eos (&film);
  g_autoptr (GPtrArray) frames = film_collect (&film);
  fail_unless_equals_int (frames->len, 2 * SHORT_FRAMES);
  assert_times (frames, 0);
  fail_unless_equals_int (gst_buffer_get_size (frame_of (frames, 24)),
      WIDTH * HEIGHT);
  fail_unless_equals_int (gst_buffer_get_size (frame_of (frames, 25)), 256);
  fail_unless (count_bright (frame_of (frames, 49)) > 30);
}

TEST (a_film_may_be_larger_than_its_picture)
{
  g_autoptr (GPtrArray) frames = film_of (SHORT, GRAY_IN,
      "video/x-raw,format=GRAY8,width=256,framerate=10/1", square_picture ());

  fail_unless_equals_int (gst_buffer_get_size (frame_of (frames, 0)),
      256 * 192);
  fail_unless (count_bright (frame_of (frames, 24)) > 4 * 70);
}

TEST (what_downstream_does_not_take_is_an_error)
{
  g_auto (Film) film = film_new (SHORT, GRAY_IN, "video/x-raw,format=v210");

  gst_harness_push (film.h, square_picture ());
  assert_message (film.bus, GST_MESSAGE_ERROR, "videoconvert");
}

TEST (no_contours_are_a_background_and_one_warning)
{
  Film film = film_new ("mode=redraw " SHORT, GRAY_IN, GRAY_OUT ("10/1"));

  film_push (&film, gray_picture (WIDTH, HEIGHT, 128));
  film_push (&film, gray_picture (WIDTH, HEIGHT, 128));
  film_eos (&film);
  g_autoptr (GPtrArray) frames = film_collect (&film);
  fail_unless_equals_int (frames->len, 2 * SHORT_FRAMES);
  for (guint i = 0; i < frames->len; i++)
    fail_unless_equals_int (count_bright (frame_of (frames, i)), 0);
  assert_message (film.bus, GST_MESSAGE_WARNING, "no contours");
  GstMessage *message = gst_bus_pop_filtered (film.bus, GST_MESSAGE_WARNING);
  fail_unless (message == NULL);
  film_free (&film);
}

/* It is none of one picture, which would be left out with a warning. */
TEST (a_file_beyond_a_limit_is_an_error)
{
  g_autoptr (GString) text = g_string_new ("mode=still svg-location=");
  g_autofree gchar *path = NULL;
  gint file = g_file_open_tmp ("deep-XXXXXX.svg", &path, NULL);
  g_autoptr (GString) deep = g_string_new ("<svg>");

  fail_unless (file >= 0 && close (file) == 0);
  for (guint i = 0; i < 300; i++)
    g_string_append (deep, "<g>");
  fail_unless (g_file_set_contents (path, deep->str, -1, NULL));
  g_auto (Film) film = film_new (g_string_append (text, path)->str, GRAY_IN,
      GRAY_OUT ("0/1"));
  gst_harness_push (film.h, square_picture ());
  assert_message (film.bus, GST_MESSAGE_ERROR, "within each other");
  g_unlink (path);
}

/* Life */

TEST (states_come_and_go)
{
  GstElement *pipeline = gst_parse_launch ("videotestsrc pattern=ball "
      "num-buffers=3 ! video/x-raw,width=64,height=48 ! fourierdraw "
      "backend=cpu duration=0.3 hold=0 min-points=1 ! fakesink sync=false",
      NULL);
  g_autoptr (GRand) random = g_rand_new_with_seed (7);

  for (guint i = 0; i < 100; i++) {
    const GstState state = g_rand_int_range (random, GST_STATE_NULL,
        GST_STATE_PLAYING + 1);

    fail_if (gst_element_set_state (pipeline, state) ==
        GST_STATE_CHANGE_FAILURE);
    if (i % 3 == 0)
      gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

TEST (a_pipeline_ends_and_can_be_rewound)
{
  GstElement *pipeline = gst_parse_launch ("videotestsrc pattern=ball "
      "num-buffers=2 ! video/x-raw,width=64,height=48 ! fourierdraw "
      "backend=cpu duration=0.3 hold=0 min-points=1 ! fakesink sync=false",
      NULL);

  for (guint i = 0; i < 3; i++) {
    play_to_end (pipeline, "rewound");
    fail_unless (gst_element_seek_simple (pipeline, GST_FORMAT_TIME,
            GST_SEEK_FLAG_FLUSH, 100 * GST_MSECOND));
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

SUITE (fourierdraw_redraw) {}
