/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which table a frame of cudallf gets, in live streams and others. Each test is
 * a process of its own, so that no table of another test is kept. */

#include "llf_test.h"

#define CAPS "video/x-raw,format=NV12,width=60,height=44,framerate=0/1"
#define WIDER "video/x-raw,format=NV12,width=82,height=44,framerate=0/1"
#define DEEPER "video/x-raw,format=P010_10LE,width=60,height=44,framerate=0/1"

/* None of the presets', and takes a while */
#define SLOW "curve=power quality=high sigma=0.31 rank=32"

static GstBuffer *
picture (const gchar * caps)
{
  GstVideoInfo info;

  llf_info (&info, caps);
  return draw_buffer (&info, 1);
}

static GstHarness *
live_new (const gchar * properties)
{
  GstHarness *h = llf_new (properties);

  gst_harness_set_live (h, TRUE);
  return h;
}

/* The first frame of a live stream in @caps, like @want and with or without the
 * message that frames pass. */
static void
assert_next (GstHarness * h, GstBus * bus, const gchar * caps,
    const gchar * want, gboolean told)
{
  g_autoptr (GstBuffer) in = picture (caps);

  gst_harness_set_src_caps_str (h, caps);
  g_autoptr (GstBuffer) out = run (h, gst_buffer_copy_deep (in));
  if (want) {
    g_autoptr (GstBuffer) expected = filtered (want, caps, in);

    assert_same_bytes (out, expected, want);
    fail_if (same_bytes (out, in), "%s", want);
  } else {
    assert_same_bytes (out, in, "unfiltered");
  }
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_INFO);
  fail_unless ((message != NULL) == told, "%s: message %d", caps,
      message != NULL);
  if (message)
    gst_message_unref (message);
}

/* Presets and defaults: no frame waits, none passes. */
TEST_TO_ADD (a_preset_filters_the_first_frame_of_a_live_stream)
{
  static const gchar *const presets[] = { "", "Detail", "CleanDetail",
    "Clarity", "Smooth", "Compress"
  };
  static const gchar *const caps[] = { CAPS, DEEPER, WIDER };
  const gchar *preset = presets[__i__];
  gchar *line = g_strconcat (*preset ? "@preset=" : "", preset, NULL);
  g_autoptr (GstHarness) h = live_new ("");
  g_autoptr (GstBus) bus = take_bus (h, "cudallf");
  g_autoptr (GstElement) element = gst_harness_find_element (h, "cudallf");

  fail_unless (!*preset ||
      gst_preset_load_preset (GST_PRESET (element), preset));
  for (guint i = 0; i < G_N_ELEMENTS (caps); i++)
    assert_next (h, bus, caps[i], line, FALSE);
  g_free (line);
}

static void
run_until_filtered (GstHarness * h, GstBuffer * in, GstBuffer * want)
{
  gboolean found = FALSE;

  for (guint i = 0; i < 6000 && !found; i++) {
    GstBuffer *out = run (h, gst_buffer_copy_deep (in));

    found = same_bytes (out, want);
    fail_unless (found || same_bytes (out, in), "frame %u is something else",
        i);
    gst_buffer_unref (out);
    g_usleep (10000);
  }
  fail_unless (found);
}

/* The first frames pass, with one message; a new size finds the table again, in
 * this element and in others; a new depth does not. */
TEST (a_live_stream_passes_until_its_first_table_is_there)
{
  g_autoptr (GstHarness) h = live_new (SLOW);
  g_autoptr (GstBus) bus = take_bus (h, "cudallf");
  g_autoptr (GstBuffer) in = picture (CAPS);

  assert_next (h, bus, CAPS, NULL, TRUE);
  g_autoptr (GstBuffer) want = filtered (SLOW, CAPS, in);
  run_until_filtered (h, in, want);
  assert_next (h, bus, WIDER, SLOW, FALSE);
  assert_next (h, bus, CAPS, SLOW, FALSE);
  g_autoptr (GstHarness) other = live_new (SLOW);
  g_autoptr (GstBus) others = take_bus (other, "cudallf");
  assert_next (other, others, WIDER, SLOW, FALSE);
  /* told once is enough */
  assert_next (h, bus, DEEPER, NULL, FALSE);
}

/* What is not live waits for its table, so that its output is reproducible. */
TEST (a_stream_that_is_not_live_waits)
{
  g_autoptr (GstHarness) h = llf_new (SLOW);
  g_autoptr (GstBus) bus = take_bus (h, "cudallf");

  assert_next (h, bus, CAPS, SLOW, FALSE);
  assert_next (h, bus, DEEPER, SLOW, FALSE);
}

/* A setting that is there at once overtakes one that is being computed. */
TEST (a_table_that_is_there_overtakes_one_that_is_not)
{
  g_autoptr (GstHarness) h = live_new ("");
  g_autoptr (GstBuffer) in = picture (CAPS), want = filtered ("", CAPS, in);

  gst_harness_set_src_caps_str (h, CAPS);
  gst_buffer_unref (run (h, gst_buffer_copy_deep (in)));
  gst_harness_set (h, "cudallf", "curve", 0, "quality", 2, NULL);
  gst_buffer_unref (run (h, gst_buffer_copy_deep (in)));
  gst_harness_set (h, "cudallf", "curve", 1, "quality", 1, NULL);
  for (guint i = 0; i < 200; i++) {
    GstBuffer *out = run (h, gst_buffer_copy_deep (in));

    assert_same_bytes (out, want, "the newest settings");
    gst_buffer_unref (out);
    g_usleep (10000);
  }
}

SUITE (tables)
{
#ifdef LLF_SHIPPED
  ADD_LOOP (a_preset_filters_the_first_frame_of_a_live_stream, 0, 6);
#endif
}
