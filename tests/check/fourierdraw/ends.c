/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How films of fourierdraw end, and what goes on afterwards. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "fourierdraw_test.h"

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
GST_START_TEST (pictures_are_taken_again_after_a_seek)
{
  Film film = film_new ("mode=redraw " SHORT, GRAY_IN, GRAY_OUT ("10/1"));
  GPtrArray *frames;

  fail_unless (seek (&film, 0, 5 * FRAME));
  film_push (&film, square_picture ());
  frames = film_collect (&film);
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
  g_ptr_array_unref (frames);
  film_free (&film);
}

GST_END_TEST;

GST_START_TEST (the_end_has_upstreams_number)
{
  static const gchar *const modes[] = { "mode=redraw " SHORT,
    "mode=live " SHORT
  };
  Film film = film_new (modes[__i__], GRAY (64, 48, "10/1"),
      GRAY_OUT ("10/1"));
  GstEvent *event = gst_event_new_eos ();
  const guint32 number = gst_event_get_seqnum (event);

  film_push (&film, square_picture ());
  fail_unless (gst_harness_push_event (film.h, event));
  event = film_wait_event (&film, GST_EVENT_EOS);
  fail_unless_equals_int (gst_event_get_seqnum (event), number);
  gst_event_unref (event);
  film_free (&film);
}

GST_END_TEST;

static Suite *
fourierdraw_ends_suite (void)
{
  Suite *suite = suite_create ("fourierdraw-ends");
  TCase *tcase = tcase_create ("ends");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, pictures_are_taken_again_after_a_seek);
  tcase_add_loop_test (tcase, the_end_has_upstreams_number, 0, 2);
  return suite;
}

GST_CHECK_MAIN (fourierdraw_ends);
