/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudallf in a stream: tables that are made while it goes on, presets. What all
 * elements do in one is in ../frames/contract.c. */

#include "llf_test.h"

#define CAPS "video/x-raw,format=NV12,width=60,height=44,framerate=0/1"

static GstBuffer *
picture (guint32 seed)
{
  GstVideoInfo info;

  llf_info (&info, CAPS);
  return draw_buffer (&info, seed);
}

static GstHarness *
started (const gchar * properties)
{
  GstHarness *h = llf_new (properties);

  gst_harness_set_src_caps_str (h, CAPS);
  return h;
}

/* A copy of @in through @h. */
static GstBuffer *
run_copy (GstHarness * h, GstBuffer * in)
{
  return run (h, gst_buffer_copy_deep (in));
}

static GstElement *
find_llf (GstHarness * h)
{
  GstElement *element = gst_harness_find_element (h, "cudallf");

  fail_unless (element != NULL);
  return element;
}

TEST (one_level_changes_nothing_and_says_so)
{
  g_autoptr (GstHarness) h = started ("alpha=0.3");
  g_autoptr (GstBus) bus = take_bus (h, "cudallf");
  g_autoptr (GstBuffer) in = picture (1);

  gst_harness_set (h, "cudallf", "pyramid-levels", 1, NULL);
  g_autoptr (GstBuffer) out = run_copy (h, in);
  fail_unless (same_bytes (out, in));
  gst_buffer_unref (out);
  fail_unless_equals_int (count_told (bus, "pyramid-levels=2"), 1);
  gst_buffer_unref (run (h, picture (2)));
  fail_unless_equals_int (count_told (bus, "pyramid-levels=2"), 0);
  /* two filter */
  gst_harness_set (h, "cudallf", "pyramid-levels", 2, NULL);
  out = run_copy (h, in);
  fail_unless_equals_int (count_told (bus, "pyramid-levels=2"), 0);
  fail_if (same_bytes (out, in));
}

/* Properties */

/* With a live source no frame waits for a table, none is lost, every one uses
 * the old table or the new, and eventually the new one. */
TEST (live_frames_go_on_until_the_table_is_ready)
{
  g_autoptr (GstHarness) h = started ("");
  g_autoptr (GstBuffer) in = picture (1), old = filtered ("", CAPS, in);
  GstBuffer *new = filtered ("curve=power quality=high sigma=0.3", CAPS, in);
  gboolean seen_new = FALSE;

  gst_harness_set_live (h, TRUE);
  gst_buffer_unref (run_copy (h, in));
  gst_harness_set (h, "cudallf", "curve", 0, "quality", 2, "sigma", .3, NULL);
  for (guint i = 0; i < 3000 && !seen_new; i++) {
    GstBuffer *out = run_copy (h, in);

    seen_new = same_bytes (out, new);
    fail_unless (seen_new || same_bytes (out, old), "frame %u", i);
    gst_buffer_unref (out);
    g_usleep (10000);
  }
  fail_unless (seen_new);
  gst_buffer_unref (new);
}

/* Of many requests the last one wins. */
TEST (the_newest_request_wins)
{
  g_autoptr (GstHarness) h = started ("");
  g_autoptr (GstBuffer) in = picture (1);
  g_autoptr (GstBuffer) want = filtered ("sigma=0.17", CAPS, in);
  gboolean found = FALSE;

  gst_harness_set_live (h, TRUE);
  for (guint i = 0; i < 30; i++) {
    gst_harness_set (h, "cudallf", "sigma", .1 + i * .01, NULL);
    gst_buffer_unref (run_copy (h, in));
  }
  gst_harness_set (h, "cudallf", "sigma", .17, NULL);
  for (guint i = 0; i < 3000 && !found; i++) {
    GstBuffer *out = run_copy (h, in);

    found = same_bytes (out, want);
    gst_buffer_unref (out);
    g_usleep (10000);
  }
  fail_unless (found);
  for (guint i = 0; i < 5; i++) {
    g_autoptr (GstBuffer) out = run_copy (h, in);

    assert_same_bytes (out, want, "afterwards");
  }
}

TEST (presets_can_be_loaded)
{
  static const gchar *const names[] = { "Detail", "Clarity", "Smooth",
    "Compress"
  };
  g_autoptr (GstHarness) h = started ("");
  g_autoptr (GstElement) element = find_llf (h);
  GstBuffer *in = picture (1), *last = NULL;
  gdouble alpha, beta;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    fail_unless (gst_preset_load_preset (GST_PRESET (element), names[i]), "%s",
        names[i]);
    g_object_get (element, "alpha", &alpha, "beta", &beta, NULL);
    fail_unless ((alpha < 1) == (i != 2) && (beta < 1) == (i == 3), "%s",
        names[i]);
    GstBuffer *out = run_copy (h, in);
    fail_if (last && same_bytes (out, last));
    gst_clear_buffer (&last);
    last = out;
  }
  gst_clear_buffer (&last);
  gst_buffer_unref (in);
  gst_object_unref (element);
  gst_harness_teardown (h);
  h = gst_harness_new_parse ("cudallf backend=cpu @preset=Smooth");
  fail_unless (h != NULL);
  element = find_llf (h);
  g_object_get (element, "alpha", &alpha, NULL);
  fail_unless (alpha > 1);
}

static void
count_notify (GObject * object, GParamSpec * pspec, gpointer count)
{
  ++*(guint *) count;
}

TEST (the_error_bound_is_published)
{
  g_autoptr (GstHarness) h = llf_new ("curve=power");
  g_autoptr (GstElement) element = find_llf (h);
  g_autoptr (GstBuffer) in = picture (1);
  gdouble coarse, fine;
  guint n = 0, rank;

  g_signal_connect (element, "notify::error-bound", G_CALLBACK (count_notify),
      &n);
  gst_harness_set_src_caps_str (h, CAPS);
  gst_buffer_unref (run_copy (h, in));
  g_object_get (element, "error-bound", &coarse, "active-rank", &rank, NULL);
  fail_unless_equals_int (rank, 8);
  fail_unless (coarse > 0);
  gst_harness_set (h, "cudallf", "quality", CS_LLF_HIGH, NULL);
  gst_buffer_unref (run_copy (h, in));
  g_object_get (element, "error-bound", &fine, "active-rank", &rank, NULL);
  fail_unless_equals_int (rank, 16);
  fail_unless (fine > 0 && fine < coarse);
  fail_unless_equals_int (n, 2);
  gst_harness_set (h, "cudallf", "quality", CS_LLF_EXACT, NULL);
  gst_buffer_unref (run_copy (h, in));
  g_object_get (element, "error-bound", &fine, "active-rank", &rank, NULL);
  fail_unless_equals_int (rank, 0);
  fail_unless (fine >= 0 && fine < .1);
  gst_element_set_state (element, GST_STATE_READY);
  g_object_get (element, "error-bound", &fine, NULL);
  fail_unless (fine == -1);
}

/* No flicker */

static gdouble
texture_of (GstBuffer * buffer, const GstVideoInfo * info)
{
  gdouble sum = 0, squares = 0;
  GstVideoFrame frame;
  guint n = 0;

  fail_unless (gst_video_frame_map (&frame, info, buffer, GST_MAP_READ));
  for (guint y = 8; y < 56; y++)
    for (guint x = 8; x < 56; x++, n++) {
      const gdouble code = get_code (&frame, 0, x, y);

      sum += code;
      squares += code * code;
    }
  gst_video_frame_unmap (&frame);
  return sqrt (squares / n - sum * sum / n / n);
}

/* A texture of four codes in a frame that gets lighter by 40: its strength
 * stays. */
TEST (a_fade_does_not_flicker)
{
  g_autofree gchar *caps = llf_caps ("GRAY8", 64, 64, "");
  gdouble least = G_MAXDOUBLE, most = 0;
  g_autoptr (GstHarness) h = llf_new ("");
  GstVideoInfo info;

  llf_info (&info, caps);
  gst_harness_set_src_caps_str (h, caps);
  for (guint i = 0; i < 60; i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
    GstVideoFrame frame;

    fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_WRITE));
    for (guint y = 0; y < 64; y++)
      for (guint x = 0; x < 64; x++)
        set_code (&frame, 0, x, y, 90 + i * 40 / 60 + ((x / 2 + y / 2) % 2 ? 2 :
                -2));
    gst_video_frame_unmap (&frame);
    buffer = run (h, buffer);
    gdouble texture = texture_of (buffer, &info);
    least = MIN (least, texture);
    most = MAX (most, texture);
    gst_buffer_unref (buffer);
  }
  fail_unless (least > 2.5, "the texture is %g", least);
  fail_unless (most <= 1.05 * least, "from %g to %g", least, most);
}

TEST (a_frame_too_large_is_an_error)
{
  g_autoptr (GstHarness) h = llf_new ("");
  g_autoptr (GstBus) bus = take_bus (h, "cudallf");

  gst_harness_set_src_caps_str (h, "video/x-raw,format=GRAY8,width=70000,"
      "height=1,framerate=0/1");
  fail_unless (gst_harness_push (h, gst_buffer_new_allocate (NULL, 70000,
              NULL)) != GST_FLOW_OK);
  assert_message (bus, GST_MESSAGE_ERROR, "");
}

SUITE (streams) {}
