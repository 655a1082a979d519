/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Elements whose threads cannot be started: what a thread would have done is
 * done by the thread that pushes frames, with the same result. */

#define _GNU_SOURCE
#include "../fourierdraw/fourierdraw_test.h"
#include "threads.h"

#define N_FRAMES 12

/* Every pixel that @description makes of some frames of noise. */
static GByteArray *
film_bytes (const gchar * description, gboolean without_threads)
{
  GByteArray *bytes = g_byte_array_new ();
  GstHarness *h = gst_harness_new_parse (description);

  g_atomic_int_set (&threads_fail, without_threads);
  gst_harness_set_src_caps_str (h, GRAY (64, 48, "10/1"));
  for (guint i = 0; i < N_FRAMES; i++) {
    g_autoptr (GstBuffer) buffer = gray_picture (WIDTH, HEIGHT, 0);
    GstMapInfo map;

    GST_BUFFER_PTS (buffer) = i * GST_SECOND / 10;
    gst_buffer_map (buffer, &map, GST_MAP_WRITE);
    for (guint k = 0; k < map.size; k++)
      map.data[k] = (guint8) (k * k * 7 + k / 64 * 31 + i);
    gst_buffer_unmap (buffer, &map);
    buffer = gst_harness_push_and_pull (h, buffer);
    fail_unless (buffer != NULL, "%s: frame %u", description, i);
    gst_buffer_map (buffer, &map, GST_MAP_READ);
    g_byte_array_append (bytes, map.data, (guint) map.size);
    gst_buffer_unmap (buffer, &map);
  }
  gst_harness_teardown (h);
  g_atomic_int_set (&threads_fail, FALSE);
  return bytes;
}

static void
check_same (const gchar * description)
{
  const gint before = n_threads_failed;
  /* first, for the pool is the process's and keeps its threads */
  g_autoptr (GByteArray) without = film_bytes (description, TRUE);

  fail_unless (n_threads_failed > before, "%s starts no thread", description);
  g_autoptr (GByteArray) with = film_bytes (description, FALSE);
  fail_unless (without->len == with->len
      && memcmp (without->data, with->data, with->len) == 0, "%s", description);
}

TEST (tables_without_a_thread)
{
  check_same ("cudallf backend=cpu n-threads=4 curve=power");
}

/* Pushes one picture that is drawn, then @picture until it is drawn, too. */
static guint
frames_until (GstBuffer * (*picture) (void), guint limit)
{
  g_auto (Film) film = film_new ("mode=live duration=1 hold=0.5 " ONLY_INK,
      GRAY (64, 48, "10/1"), NULL);
  guint i;

  for (i = 0; i < limit; i++) {
    GstBuffer *buffer = i == 0 ? square_picture () : picture ();

    GST_BUFFER_PTS (buffer) = i * GST_SECOND / 10;
    buffer = gst_harness_push_and_pull (film.h, buffer);
    gboolean drawn = pixel (buffer, 14, 16) > 0 && pixel (buffer, 32, 14) == 0;
    gst_buffer_unref (buffer);
    if (drawn)
      break;
  }
  return i;
}

TEST (drawings_without_a_thread)
{
  g_atomic_int_set (&threads_fail, TRUE);
  guint n = frames_until (two_squares, 100);
  g_atomic_int_set (&threads_fail, FALSE);
  fail_unless (n_threads_failed > 0);
  fail_unless (n < 100, "the second picture is never drawn");
}

SUITE (threads) {}
