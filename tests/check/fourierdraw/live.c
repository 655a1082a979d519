/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* fourierdraw with a frame for each frame. */

#include "fourierdraw_test.h"

#define LIVE "mode=live duration=1 hold=0.5 " ONLY_INK
#define LIVE_IN GRAY (64, 48, "10/1")
#define FRAME (GST_SECOND / 10)
/* Frames after which what is prepared meanwhile must have come. */
#define TIMEOUT 20000

/* Pushes @picture as frame @i, takes what comes of it. */
static GstBuffer *
run_picture (Film * film, GstBuffer * picture, guint i)
{
  GST_BUFFER_PTS (picture) = i * FRAME;
  GST_BUFFER_DURATION (picture) = FRAME;
  film_push (film, picture);
  return gst_harness_pull (film->h);
}

/* Whether the ink is of the square in the middle. */
static gboolean
shows_middle (GstBuffer * frame)
{
  return pixel (frame, 32, 14) > 0 && pixel (frame, 14, 16) == 0;
}

static gboolean
shows_two (GstBuffer * frame)
{
  return pixel (frame, 14, 16) > 0 && pixel (frame, 32, 14) == 0;
}

/* Pushes pictures until the film shows what it shall. Returns: frames that were
 * pushed. */
static guint
run_until (Film * film, GstBuffer * (*picture) (void), guint i,
    gboolean (*shows) (GstBuffer *))
{
  const guint begin = i;

  for (; i < begin + TIMEOUT; i++) {
    GstBuffer *frame = run_picture (film, picture (), i);
    const gboolean found = shows (frame);

    gst_buffer_unref (frame);
    if (found)
      return i + 1 - begin;
    g_usleep (100);
  }
  fail ("it is never shown");
  return 0;
}

TEST (a_frame_for_each_frame)
{
  g_auto (Film) film = film_new (LIVE, LIVE_IN, NULL);

  for (guint i = 0; i < 40; i++) {
    g_autoptr (GstBuffer) frame = run_picture (&film, square_picture (), i + 1000);

    fail_unless_equals_uint64 (GST_BUFFER_PTS (frame), (i + 1000) * FRAME);
    fail_unless_equals_uint64 (GST_BUFFER_DURATION (frame), FRAME);
    fail_unless_equals_int (gst_harness_buffers_in_queue (film.h), 0);
  }
}

TEST (the_arm_follows_running_time)
{
  g_autoptr (GPtrArray) whole = film_of ("duration=1 hold=0.5 " ONLY_INK,
      GRAY_IN, GRAY_OUT ("10/1"), square_picture ());
  g_auto (Film) film = film_new (LIVE, LIVE_IN, GRAY_OUT ("10/1"));
  static const guint times[] = { 0, 3, 4, 9, 14 };

  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    g_autoptr (GstBuffer) frame = run_picture (&film, square_picture (), times[i]);

    fail_unless (same_bytes (frame, frame_of (whole, times[i])), "frame %u",
        times[i]);
  }
}

TEST (frames_without_times_count)
{
  g_auto (Film) film = film_new (LIVE, LIVE_IN, GRAY_OUT ("10/1"));
  guint bright = 0;

  for (guint i = 0; i < 10; i++) {
    g_autoptr (GstBuffer) picture = square_picture ();

    GST_BUFFER_PTS (picture) = GST_CLOCK_TIME_NONE;
    film_push (&film, picture);
    picture = gst_harness_pull (film.h);
    fail_unless (count_bright (picture) >= bright);
    bright = count_bright (picture);
  }
  fail_unless (bright > 70);
}

TEST (auto_is_live_when_upstream_is)
{
  Film film = film_new ("duration=1 hold=0.5 " ONLY_INK, LIVE_IN, NULL);

  gst_harness_set_live (film.h, TRUE);
  gst_buffer_unref (run_picture (&film, square_picture (), 5));
  fail_unless (gst_harness_try_pull (film.h) == NULL);
  film_free (&film);
}

TEST (a_new_picture_is_taken_after_the_old_one)
{
  g_auto (Film) film = film_new (LIVE, LIVE_IN, GRAY_OUT ("10/1"));
  guint i;

  for (i = 0; i < 10; i++)
    gst_buffer_unref (run_picture (&film, square_picture (), i));
  /* the old one is drawn and held, whatever comes */
  for (; i < 15; i++) {
    g_autoptr (GstBuffer) frame = run_picture (&film, two_squares (), i);

    fail_unless (shows_middle (frame), "frame %u", i);
  }
  run_until (&film, two_squares, i, shows_two);
}

TEST (capture_does_not_wait)
{
  g_auto (Film) film = film_new (LIVE "loop=0", LIVE_IN, GRAY_OUT ("10/1"));
  guint i;

  for (i = 0; i < 50; i++) {
    g_autoptr (GstBuffer) frame = run_picture (&film, i == 0 ? square_picture () :
        two_squares (), i);

    fail_if (shows_two (frame));
  }
  g_signal_emit_by_name (film.element, "capture");
  run_until (&film, two_squares, i, shows_two);
}

/* A camera that begins in the dark. */
TEST (what_is_empty_is_looked_at_again)
{
  g_auto (Film) film = film_new (LIVE, LIVE_IN, GRAY_OUT ("10/1"));
  guint i;

  for (i = 0; i < 5; i++) {
    g_autoptr (GstBuffer) frame = run_picture (&film, gray_picture (WIDTH,
            HEIGHT, 77), i);

    fail_unless_equals_int (count_bright (frame), 0);
  }
  assert_message (film.bus, GST_MESSAGE_WARNING, "no contours");
  run_until (&film, square_picture, i, shows_middle);
}

TEST (the_frame_can_be_behind)
{
  g_auto (Film) film = film_new (LIVE "background=frame", LIVE_IN, NULL);

  for (guint i = 0; i < 12; i++) {
    GstBuffer *picture = square_picture ();

    gst_buffer_memset (picture, 0, 10 * i, -1);
    g_autoptr (GstBuffer) frame = run_picture (&film, picture, i);
    fail_unless_equals_int (pixel (frame, 0, 0), 10 * i);
    if (i == 11)
      fail_unless (pixel (frame, 32, 14) > 200);
  }
}

static GstBuffer *
small_picture (void)
{
  static const GstShapePoint center = { 8, 12 };
  GstBuffer *picture = gray_picture (16, 24, 0);

  add_squares (picture, 16, 24, &center, 1, 10);
  return picture;
}

/* The upper side of the small square, and its corner. */
static gboolean
shows_small (GstBuffer * frame)
{
  guint8 side = 0, middle = 0;

  fail_unless_equals_int (gst_buffer_get_size (frame), 16 * 24);
  gst_buffer_extract (frame, 7 * 16 + 8, &side, 1);
  gst_buffer_extract (frame, 12 * 16 + 8, &middle, 1);
  return side > 128 && middle == 0;
}

TEST (caps_may_change)
{
  g_auto (Film) film = film_new (LIVE "loop=0", LIVE_IN, NULL);

  gst_buffer_unref (run_picture (&film, square_picture (), 0));
  gst_harness_set_src_caps_str (film.h, GRAY (16, 24, "10/1"));
  /* a picture of another size is drawn without waiting */
  run_until (&film, small_picture, 1, shows_small);
}

TEST (a_flush_begins_anew)
{
  g_auto (Film) film = film_new (LIVE "loop=0", LIVE_IN, GRAY_OUT ("10/1"));
  GstSegment segment;

  gst_buffer_unref (run_picture (&film, square_picture (), 0));
  g_autoptr (GstBuffer) frame = run_picture (&film, square_picture (), 12);
  fail_unless (shows_middle (frame));
  gst_buffer_unref (frame);
  fail_unless (gst_harness_push_event (film.h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (film.h,
          gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (film.h, gst_event_new_segment (&segment));
  gst_buffer_unref (run_picture (&film, two_squares (), 0));
  frame = run_picture (&film, two_squares (), 12);
  fail_unless (shows_two (frame));
}

/* A film of a camera: its time is its own, and frames are given up. */
TEST (redraw_of_a_live_source_does_not_hold_it_up)
{
  Film film = film_new ("mode=redraw loop=0 duration=1 hold=0 " ONLY_INK,
      LIVE_IN, GRAY_OUT ("10/1"));

  gst_harness_set_live (film.h, TRUE);
  for (guint i = 0; i < 20; i++) {
    GstBuffer *picture = square_picture ();

    GST_BUFFER_PTS (picture) = i * FRAME;
    film_push (&film, picture);
  }
  for (guint i = 0; i < 30; i++) {
    g_autoptr (GstBuffer) frame = gst_harness_pull (film.h);

    fail_unless_equals_uint64 (GST_BUFFER_PTS (frame), i * FRAME);
  }
  film_free (&film);
}

TEST (a_live_pipeline_runs)
{
  GstElement *pipeline = gst_parse_launch ("videotestsrc is-live=true "
      "pattern=ball num-buffers=20 ! video/x-raw,width=64,height=48,"
      "framerate=60/1 ! fourierdraw backend=cpu duration=0.1 hold=0 "
      "min-points=1 ! fakesink name=sink sync=true", NULL);

  for (guint i = 0; i < 3; i++) {
    play_to_end (pipeline, "live");
    gst_element_set_state (pipeline, GST_STATE_NULL);
  }
  gst_object_unref (pipeline);
}

SUITE (fourierdraw_live) {}
