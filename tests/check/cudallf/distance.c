/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cudallf color-remapping=rgb-distance: the oracle's result in all orders of
 * bytes, and which caps, qualities and backends there are. */
#include "../../kernels/llf/llf_oracle_rgb.h"
#include "llf_test.h"

#define WIDTH 14
#define HEIGHT 11

static const gchar *const formats[] = { "RGBA", "BGRA", "ARGB", "ABGR", "RGBx",
  "BGRx", "xRGB", "xBGR", "RGB", "BGR",
};

/* The oracle's codes of a frame, 0 to 255. */
static void
expect_oracle (const CsLlfParams * params, const GstVideoFrame * before,
    const GstVideoFrame * after)
{
  gdouble rgb[WIDTH * HEIGHT * 3], want[WIDTH * HEIGHT * 3];

  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH; x++)
      for (guint c = 0; c < 3; c++)
        rgb[(y * WIDTH + x) * 3 + c] = get_code (before, c, x, y) / 255.;
  llf_oracle_rgb (params, rgb, WIDTH, HEIGHT, want);
  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH; x++) {
      for (guint c = 0; c < 3; c++) {
        const gdouble code = CLAMP (want[(y * WIDTH + x) * 3 + c], 0, 1) * 255;

        fail_unless (fabs (get_code (after, c, x, y) - code) <= .52,
            "%u of (%u, %u): %u, not %g", c, x, y, get_code (after, c, x, y),
            code);
      }
      if (GST_VIDEO_FRAME_N_COMPONENTS (after) == 4)
        fail_unless_equals_int (get_code (after, 3, x, y),
            get_code (before, 3, x, y));
    }
}

TEST_LOOP (test_formats, 0, G_N_ELEMENTS (formats))
{
  g_autofree gchar *caps = llf_caps (formats[__i__], WIDTH, HEIGHT, "");
  GstHarness *h = llf_new ("color-remapping=rgb-distance quality=exact "
      "sigma=0.4 alpha=0.4 beta=0.7");
  GstVideoFrame before, after;
  GstVideoInfo info;
  CsLlfParams params;

  cs_llf_params_init (&params);
  params.sigma = .4;
  params.alpha = .4;
  params.beta = .7;
  params.noise_guard = 0;
  llf_info (&info, caps);
  gst_harness_set_src_caps_str (h, caps);
  g_autoptr (GstBuffer) in = gst_buffer_new_allocate (NULL,
      GST_VIDEO_INFO_SIZE (&info), NULL);
  fail_unless (gst_video_frame_map (&before, &info, in, GST_MAP_WRITE));
  draw_frame (&before, 3);
  gst_video_frame_unmap (&before);
  GstBuffer *out = gst_harness_push_and_pull (h, gst_buffer_ref (in));
  fail_unless (out != NULL && out != in);
  fail_unless (gst_video_frame_map (&before, &info, in, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&after, &info, out, GST_MAP_READ));
  expect_oracle (&params, &before, &after);
  gst_video_frame_unmap (&before);
  gst_video_frame_unmap (&after);
  gst_buffer_unref (out);
  gst_harness_teardown (h);
}

static gboolean
accepts (GstHarness * h, const gchar * format)
{
  g_autofree gchar *text = llf_caps (format, WIDTH, HEIGHT, "");
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);

  return gst_pad_query_accept_caps (h->element-> sinkpads->data, caps);
}

TEST (test_caps)
{
  g_autoptr (GstHarness) h = llf_new ("color-remapping=rgb-distance");
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (all_formats); i++)
    n += accepts (h, all_formats[i]);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    fail_unless (accepts (h, formats[i]), "%s", formats[i]);
  fail_unless_equals_int (n, G_N_ELEMENTS (formats));
  gst_harness_teardown (h);
  h = llf_new ("");
  for (guint i = 0; i < G_N_ELEMENTS (all_formats); i++)
    fail_unless (accepts (h, all_formats[i]), "%s", all_formats[i]);
}

/* Runs a line to its end; the error's text, or NULL.
 *
 * Returns: (transfer full) (nullable) */
static gchar *
run_line (const gchar * properties, guint * rank, gdouble * bound,
    gint * backend)
{
  gchar *text = NULL, *line = g_strdup_printf ("videotestsrc num-buffers=2 ! "
      "video/x-raw,format=I420,width=40,height=30 ! videoconvert ! cudallf "
      "name=llf %s ! videoconvert ! fakesink", properties);
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstElement) llf = gst_bin_get_by_name (GST_BIN (pipeline), "llf");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (bus,
      GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    g_autoptr (GError) error = NULL;

    gst_message_parse_error (message, &error, NULL);
    text = g_strdup (error->message);
  }
  g_object_get (llf, "active-rank", rank, "error-bound", bound,
      "active-backend", backend, NULL);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_free (line);
  return text;
}

TEST (test_qualities)
{
  static const struct
  {
    const gchar *properties;
    guint rank;
  } cases[] = { {"quality=fast", 8}, {"", 16}, {"quality=high", 32},
  {"rank=3", 8}, {"rank=9 backend=auto", 16}, {"rank=32", 32},
  {"quality=exact", 0}, {"curve=power noise-guard=0.02", 16},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *line = g_strconcat ("color-remapping=rgb-distance ",
        cases[i].properties, NULL);
    guint rank;
    gdouble bound;
    gint backend;
    gchar *error = run_line (line, &rank, &bound, &backend);

    fail_unless (error == NULL, "%s: %s", line, error);
    fail_unless_equals_int (rank, cases[i].rank);
    fail_unless_equals_float (bound, -1);
    /* also where there is a GPU */
    fail_unless_equals_int (backend, 2);
  }
}

TEST (test_errors)
{
  guint rank;
  gdouble bound;
  gint backend;
  g_autofree gchar *error = run_line ("color-remapping=rgb-distance "
      "quality=sampled", &rank, &bound, &backend);

  fail_unless (error && strstr (error, "sampled"), "%s", error);
}

SUITE (distance) {}
