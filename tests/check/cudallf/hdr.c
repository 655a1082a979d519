/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudallf with HDR: all formats and tensors give what the kernel does, which
 * has an oracle of its own; caps, segments, live streams, frames and settings
 * that do not fit. */

#include "llf/llf_hdr.h"
#include "llf_test.h"

#define WIDTH 37
#define HEIGHT 26
#define N (WIDTH * HEIGHT)
#define SETTINGS "sigma=0.066 alpha=0.8 beta=0.2 quality=fast "
#define VIDEO "video/x-raw,format=ARGB64,width=37,height=26,framerate=0/1"
#define TENSOR "other/tensors,format=static,num_tensors=1,framerate=0/1,"
/* None of the presets', and takes a while */
#define SLOW "curve=power quality=high sigma=0.0313 rank=32 alpha=0.3"

static const gchar *const formats[] = { "RGBA", "BGRA", "ARGB", "ABGR", "RGBx",
  "BGRx", "xRGB", "xBGR", "RGB", "BGR", "ARGB64",
};

/* --- Frames --------------------------------------------------------------- */

/* Codes of A, R, G, B. Free with g_free(). */
static guint16 *
draw_codes (void)
{
  guint16 *codes = g_new (guint16, 4 * N);
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (guint i = 0; i < 4 * N; i++) {
    /* 15 stops, dark on the left */
    const gdouble stops = 15. * (i / 4 % WIDTH) / (WIDTH - 1);

    codes[i] = i % 4 == 0 ? g_rand_int_range (rand, 0, 65536) :
        exp2 (stops) * g_rand_double_range (rand, 1, 2) - .5;
  }
  return codes;
}

static GstBuffer *
video_buffer (void)
{
  return gst_buffer_new_wrapped (draw_codes (), 8 * N);
}

/* The same light in floats.
 *
 * @planar: one channel after the other */
static GstBuffer *
tensor_buffer (gboolean planar)
{
  g_autofree guint16 *codes = draw_codes ();
  gfloat *values = g_new (gfloat, 3 * N);

  for (guint i = 0; i < N; i++)
    for (guint c = 0; c < 3; c++)
      values[planar ? c * N + i : 3 * i + c] = codes[4 * i + 1 + c] / 65535.;
  return gst_buffer_new_wrapped (values, 12 * N);
}

static GstHarness *
hdr_new (const gchar * properties, const gchar * caps, const gchar * format)
{
  GstHarness *h = llf_new (properties);
  g_autofree gchar *wanted = g_strdup_printf ("video/x-raw,format=%s", format);

  gst_harness_set_sink_caps_str (h, wanted);
  gst_harness_set_src_caps_str (h, caps);
  return h;
}

/* @in, which is taken, through a fresh element. */
static GstBuffer *
mapped (const gchar * properties, const gchar * caps, const gchar * format,
    GstBuffer * in)
{
  g_autoptr (GstHarness) h = hdr_new (properties, caps, format);

  return run (h, in);
}

/* The kernel's picture: A, R, G and B, of 8 bits or of 16. Free with
 * g_free(). */
static guint16 *
want_codes (CsLlfCoding coding, guint bytes)
{
  CsExecutor *executor = cs_executor_new_cpu (1);
  guint16 *in = draw_codes (), *want = g_new (guint16, 4 * N);
  g_autofree guint8 *out = g_new0 (guint8, 4 * N * bytes);
  const CsLlfPrimaries bt2020 = { {.708, .292}, {.17, .797}, {.131, .046},
  {.3127, .329}
  };
  CsLlfHdrFrame frame = {.alpha = in,.coding = coding,.range = 20,
    .contrast = 100,
    .primaries = coding == CS_LLF_CODING_PQ || coding == CS_LLF_CODING_HLG ?
        &bt2020 : NULL
  };
  const CsLlfSettings all = {.amount = 1 };
  CsLlfParams params;
  CsLlfHdr *plan = cs_llf_hdr_new (executor);

  cs_llf_params_init (&params);
  params.quality = CS_LLF_FAST;
  params.sigma = .066;
  params.alpha = .8;
  params.beta = .2;
  params.depth = 16;
  CsLlfTable *table = cs_llf_table_new (&params, NULL);
  CsLlfColour *filter = cs_llf_colour_new (table, executor, NULL);
  frame.input = cs_image_gray (in + 1, CS_SAMPLE_U16, WIDTH, HEIGHT, 8 * WIDTH);
  frame.input.pixel_stride = 8;
  frame.input.channels = 3;
  frame.input.channel_stride = 2;
  frame.output = (CsPicture) {
    .model = CS_PICTURE_RGB,.width = WIDTH,.height = HEIGHT,
    .type = bytes == 1 ? CS_SAMPLE_U8 : CS_SAMPLE_U16,.depth = 8 * bytes,
  };
  for (guint c = 0; c < 4; c++) {
    frame.output.data[c] = out + (c + 1) % 4 * bytes;
    frame.output.pixel_stride[c] = 4 * bytes;
    frame.output.row_stride[c] = 4 * bytes * WIDTH;
  }
  fail_unless (cs_llf_hdr_run (plan, filter, &frame, &all, NULL));
  for (guint i = 0; i < 4 * N; i++)
    want[i] = bytes == 1 ? out[i] : ((guint16 *) out)[i];
  cs_llf_hdr_free (plan);
  cs_llf_colour_free (filter);
  cs_llf_table_unref (table);
  cs_executor_free (executor);
  g_free (in);
  return want;
}

/* @has_alpha: what the input had, otherwise it is opaque */
static void
assert_codes (GstBuffer * buffer, const gchar * format, const guint16 * want,
    gboolean has_alpha)
{
  g_autofree gchar *caps = llf_caps (format, WIDTH, HEIGHT, "");
  const guint opaque = strcmp (format, "ARGB64") ? 255 : 65535;
  GstVideoFrame frame;
  GstVideoInfo info;

  llf_info (&info, caps);
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  for (guint i = 0; i < N; i++)
    for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS (&frame); c++) {
      const guint got = get_code (&frame, c, i % WIDTH, i / WIDTH);
      const guint wanted = c < 3 ? want[4 * i + 1 + c] :
          has_alpha ? want[4 * i] : opaque;

      fail_unless (got == wanted, "%s: %u of %u is %u, not %u", format, c, i,
          got, wanted);
    }
  gst_video_frame_unmap (&frame);
}

/* --- Formats -------------------------------------------------------------- */

TEST_LOOP (every_format_has_the_codes_of_the_kernel, 0, G_N_ELEMENTS (formats))
{
  const gchar *format = formats[__i__];
  const guint bytes = strcmp (format, "ARGB64") ? 1 : 2;
  g_autofree guint16 *want = want_codes (CS_LLF_CODING_LINEAR, bytes);
  g_autoptr (GstBuffer) out = mapped ("hdr=linear " SETTINGS, VIDEO, format,
      video_buffer ());
  g_auto (GstBufferMapInfo) map = GST_MAP_INFO_INIT;

  assert_codes (out, format, want, TRUE);
  fail_unless (gst_buffer_map (out, &map, GST_MAP_READ));
  for (guint i = 0; strchr (format, 'x') && i < N; i++)
    fail_unless_equals_int (map.data[4 * i + (*format == 'x' ? 0 : 3)],
        want[4 * i]);
}

TEST_LOOP (every_coding_is_undone, 0, 4)
{
  static const gchar *const names[] = { "linear", "srgb", "pq", "hlg" };
  g_autofree gchar *line = g_strdup_printf ("hdr=%s " SETTINGS, names[__i__]);
  g_autofree guint16 *want = want_codes ((CsLlfCoding) __i__, 1);
  g_autoptr (GstBuffer) out = mapped (line, VIDEO, "RGBA", video_buffer ());

  assert_codes (out, "RGBA", want, TRUE);
}

TEST_LOOP (tensors_have_the_codes_of_video, 0, 4)
{
  static const gchar *const dimensions[] = { "3:37:26:1", "3:37:26", "37:26:3",
    "37:26:3:1"
  };
  g_autofree guint16 *want = want_codes (CS_LLF_CODING_LINEAR, 1);
  gchar *caps = g_strdup_printf (TENSOR "types=float32,dimensions=(string)%s",
      dimensions[__i__]);
  g_autoptr (GstBuffer) out = mapped ("hdr=linear " SETTINGS, caps, "RGBA",
      tensor_buffer (__i__ > 1));

  assert_codes (out, "RGBA", want, FALSE);
  g_free (caps);
}

/* A tensor of one channel is gray, and floats that are none do no harm. */
TEST (gray_tensors_with_odd_floats_are_gray)
{
  gfloat *values = g_new (gfloat, N);
  GstMapInfo map;

  for (guint i = 0; i < N; i++)
    values[i] = i % 7 == 0 ? NAN : i % 11 == 0 ? INFINITY :
        i % 13 == 0 ? -1.f : i + 1.f;
  g_autoptr (GstBuffer) out = mapped ("hdr=linear " SETTINGS, TENSOR
      "types=float32,dimensions=(string)1:37:26:1", "RGBx",
      gst_buffer_new_wrapped (values, 4 * N));
  fail_unless (gst_buffer_map (out, &map, GST_MAP_READ));
  for (guint i = 0; i < N; i++) {
    const guint8 *pixel = map.data + 4 * i;

    fail_unless (pixel[0] == pixel[1] && pixel[1] == pixel[2]);
    fail_unless_equals_int (pixel[3], 255);
    if (i % 7 == 0 || (i % 13 == 0 && i % 11))
      fail_unless (pixel[0] == 0, "%u: %u", i, pixel[0]);
    else if (i % 11 == 0)
      fail_unless (pixel[0] == 255, "%u: %u", i, pixel[0]);
    else
      fail_unless (pixel[0] > 0, "%u is black", i);
  }
  gst_buffer_unmap (out, &map);
}

/* --- Caps ----------------------------------------------------------------- */

static gboolean
accepts (GstHarness * h, const gchar * text)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);

  return gst_pad_query_accept_caps (h->element-> sinkpads->data, caps);
}

TEST (hdr_takes_its_formats_only_and_nothing_else_takes_them)
{
  static const struct
  {
    const gchar *caps;
    gboolean hdr, none;
  } cases[] = {
    {VIDEO, TRUE, FALSE},
    {TENSOR "types=float32,dimensions=(string)3:37:26:1", TRUE, FALSE},
    {"other/tensors,format=static,num_tensors=1,types=float32,"
          "dimensions=(string)3:37:26:1", TRUE, FALSE},
    {TENSOR "types=uint8,dimensions=(string)3:37:26:1", FALSE, FALSE},
    {"video/x-raw,format=RGBA,width=37,height=26,framerate=0/1", FALSE, TRUE},
    {"video/x-raw,format=NV12,width=37,height=26,framerate=0/1", FALSE, TRUE},
  };
  g_autoptr (GstHarness) hdr = llf_new ("hdr=linear"), none = llf_new ("");

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    fail_unless (accepts (hdr, cases[i].caps) == cases[i].hdr, "%s",
        cases[i].caps);
    fail_unless (accepts (none, cases[i].caps) == cases[i].none, "%s",
        cases[i].caps);
  }
}

/* The output has the input's size and rate, and is of sRGB. */
TEST_LOOP (output_caps_are_those_of_a_display, 0, 2)
{
  static const gchar *const inputs[] = {
    "video/x-raw,format=ARGB64,width=37,height=26,framerate=7/1,"
        "pixel-aspect-ratio=3/2,colorimetry=bt2100-pq",
    "other/tensors,format=static,num_tensors=1,framerate=7/1,types=float32,"
        "dimensions=(string)3:37:26:1",
  };
  g_autoptr (GstHarness) h = hdr_new (__i__ ? "hdr=linear " SETTINGS
      : "hdr=pq " SETTINGS, inputs[__i__], "RGB");
  GstVideoInfo info;

  gst_buffer_unref (run (h, __i__ ? tensor_buffer (FALSE) : video_buffer ()));
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad);
  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless_equals_int (GST_VIDEO_INFO_WIDTH (&info), WIDTH);
  fail_unless_equals_int (GST_VIDEO_INFO_HEIGHT (&info), HEIGHT);
  fail_unless_equals_int (GST_VIDEO_INFO_FPS_N (&info), 7);
  fail_unless_equals_int (GST_VIDEO_INFO_PAR_N (&info), __i__ ? 1 : 3);
  fail_unless_equals_int (info.colorimetry.transfer, GST_VIDEO_TRANSFER_SRGB);
  fail_unless_equals_int (info.colorimetry.primaries,
      GST_VIDEO_COLOR_PRIMARIES_BT709);
  fail_unless (gst_structure_has_field (gst_caps_get_structure (caps, 0),
          "colorimetry"));
}

TEST_LOOP (a_stream_of_another_coding_is_warned_about, 0, 7)
{
  static const struct
  {
    const gchar *hdr, *colorimetry, *told;
  } cases[] = {
    {"linear", "bt2100-pq", "hdr=pq"}, {"pq", "bt2100-hlg", "hdr=hlg"},
    {"srgb", "1:1:1:1", "hdr=linear"}, {"pq", "bt2100-pq", NULL},
    {"hlg", "bt2100-hlg", NULL}, {"linear", "sRGB", NULL},
    {"linear", "1:1:1:1", NULL},
  };
  gchar *line = g_strdup_printf ("hdr=%s " SETTINGS, cases[__i__].hdr);
  g_autofree gchar *caps = g_strdup_printf (VIDEO ",colorimetry=%s",
      cases[__i__].colorimetry);
  g_autoptr (GstHarness) h = llf_new (line);
  g_autoptr (GstBus) bus = take_bus (h, "cudallf");

  gst_harness_set_src_caps_str (h, caps);
  gst_buffer_unref (run (h, video_buffer ()));
  if (cases[__i__].told)
    assert_message (bus, GST_MESSAGE_WARNING, cases[__i__].told);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  g_free (line);
}

/* A tensor says nothing of its coding, and not what video before it said. */
TEST (tensors_after_video_are_not_warned_about)
{
  g_autoptr (GstHarness) h = llf_new ("hdr=linear " SETTINGS);
  g_autoptr (GstBus) bus = take_bus (h, "cudallf");

  gst_harness_set_src_caps_str (h, VIDEO ",colorimetry=bt2100-pq");
  gst_buffer_unref (run (h, video_buffer ()));
  assert_message (bus, GST_MESSAGE_WARNING, "hdr=pq");
  gst_harness_set_src_caps_str (h, TENSOR
      "types=float32,dimensions=(string)3:37:26:1");
  gst_buffer_unref (run (h, tensor_buffer (FALSE)));
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
}

/* Tensors from a file are in bytes, video is in time. */
TEST (a_segment_in_bytes_becomes_one_in_time)
{
  g_autoptr (GstHarness) h = llf_new ("hdr=linear " SETTINGS);
  gboolean found = FALSE;
  GstSegment bytes;
  GstEvent *event;

  gst_segment_init (&bytes, GST_FORMAT_BYTES);
  gst_harness_set_src_caps_str (h, TENSOR
      "types=float32,dimensions=(string)3:37:26:1");
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&bytes)));
  gst_buffer_unref (run (h, tensor_buffer (FALSE)));
  while ((event = gst_harness_try_pull_event (h))) {
    const GstSegment *segment;

    if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
      gst_event_parse_segment (event, &segment);
      fail_unless_equals_int (segment->format, GST_FORMAT_TIME);
      found = TRUE;
    }
    gst_event_unref (event);
  }
  fail_unless (found);
}

/* --- Errors --------------------------------------------------------------- */

TEST_LOOP (what_cannot_be_mapped_is_an_error_that_says_so, 0, 3)
{
  static const struct
  {
    const gchar *properties, *caps, *told;
  } cases[] = {
    {"hdr=pq", "types=float32,dimensions=(string)3:37:26:1", "hdr=linear"},
    {"hdr=linear", "types=float32,dimensions=(string)2:37:26:1", "three"},
    {"hdr=linear", "types=float32,dimensions=(string)3:37:26:2", "one picture"},
  };
  g_autoptr (GstHarness) h = llf_new (cases[__i__].properties);
  g_autoptr (GstBus) bus = take_bus (h, "cudallf");
  g_autofree gchar *caps = g_strconcat (TENSOR, cases[__i__].caps, NULL);

  gst_harness_set_src_caps_str (h, caps);
  fail_unless_equals_int (gst_harness_push (h, tensor_buffer (FALSE)),
      GST_FLOW_NOT_NEGOTIATED);
  assert_message (bus, GST_MESSAGE_ERROR, cases[__i__].told);
}

TEST (distances_in_rgb_are_not_for_hdr)
{
  g_autoptr (GstElement) llf = gst_element_factory_make ("cudallf", NULL);
  g_autoptr (GstBus) bus = gst_bus_new ();

  gst_element_set_bus (llf, bus);
  gst_util_set_object_arg (G_OBJECT (llf), "hdr", "linear");
  gst_util_set_object_arg (G_OBJECT (llf), "color-remapping", "rgb-distance");
  fail_unless_equals_int (gst_element_set_state (llf, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  assert_message (bus, GST_MESSAGE_ERROR, "color-remapping=luma");
  gst_element_set_state (llf, GST_STATE_NULL);
  gst_element_set_bus (llf, NULL);
}

static guint64
get_dropped (GstHarness * h)
{
  guint64 dropped;

  gst_harness_get (h, "cudallf", "dropped", &dropped, NULL);
  return dropped;
}

/* @in, which is taken, of another size or layout. */
static void
assert_dropped (GstHarness * h, GstBuffer * in, guint64 nth)
{
  fail_unless_equals_int (gst_harness_push (h, in), GST_FLOW_OK);
  fail_unless (gst_harness_try_pull (h) == NULL);
  fail_unless_equals_uint64 (get_dropped (h), nth);
}

TEST_LOOP (short_frames_are_dropped_and_counted, 0, 2)
{
  const gboolean is_tensor = __i__ == 1;
  g_autoptr (GstHarness) h = hdr_new ("hdr=linear " SETTINGS, is_tensor ? TENSOR
      "types=float32,dimensions=(string)3:37:26:1" : VIDEO, "RGB");
  g_autoptr (GstBus) bus = take_bus (h, "cudallf");
  GstBuffer *whole = is_tensor ? tensor_buffer (FALSE) : video_buffer ();
  const gsize size = gst_buffer_get_size (whole);
  static const gsize lack[] = { 1, 8, 0 };

  for (guint i = 0; i < G_N_ELEMENTS (lack); i++)
    assert_dropped (h, gst_buffer_copy_region (whole, GST_BUFFER_COPY_ALL, 0,
            lack[i] ? size - lack[i] : 0), i + 1);
  if (!is_tensor) {
    GstBuffer *odd = gst_buffer_copy_deep (whole);
    gsize offset[4] = { 8 };
    gint stride[4] = { 8 * WIDTH };

    gst_buffer_add_video_meta_full (odd, GST_VIDEO_FRAME_FLAG_NONE,
        GST_VIDEO_FORMAT_ARGB64, WIDTH, HEIGHT, 1, offset, stride);
    assert_dropped (h, odd, 4);
  }
  assert_message (bus, GST_MESSAGE_WARNING, "too short");
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);
  gst_buffer_unref (run (h, whole));
}

/* --- Settings ------------------------------------------------------------- */

TEST_LOOP (each_setting_does_something, 0, 8)
{
  static const gchar *const more[] = { "amount=0", "hdr-range=8",
    "hdr-contrast=20", "split=0.5", "roi=0,0,10,10", "beta=0.5",
    "pyramid-levels=2", "tone-guard=0.3"
  };
  gchar *line = g_strconcat ("hdr=linear " SETTINGS, more[__i__], NULL);
  g_autoptr (GstBuffer) plain = mapped ("hdr=linear " SETTINGS, VIDEO, "RGB",
      video_buffer ());
  g_autoptr (GstBuffer) other = mapped (line, VIDEO, "RGB", video_buffer ());

  fail_if (same_bytes (plain, other), "%s", more[__i__]);
  g_free (line);
}

/* All of it left out is an amount of 0, and gaps are mapped, too. */
TEST (what_is_not_filtered_is_mapped_nevertheless)
{
  g_autoptr (GstBuffer) plain = mapped ("hdr=linear amount=0 " SETTINGS, VIDEO,
      "RGB", video_buffer ());
  g_autoptr (GstBuffer) other = mapped ("hdr=linear split=1 " SETTINGS, VIDEO,
      "RGB", video_buffer ());
  GstBuffer *gap = video_buffer ();

  assert_same_bytes (plain, other, "split=1");
  gst_buffer_unref (other);
  GST_BUFFER_FLAG_SET (gap, GST_BUFFER_FLAG_GAP);
  other = mapped ("hdr=linear amount=0 " SETTINGS, VIDEO, "RGB", gap);
  assert_same_bytes (plain, other, "gap");
}

static GstBuffer *
first_of_live (const gchar * properties, gboolean * told)
{
  g_autoptr (GstHarness) h = llf_new (properties);
  g_autoptr (GstBus) bus = take_bus (h, "cudallf");

  gst_harness_set_live (h, TRUE);
  gst_harness_set_sink_caps_str (h, "video/x-raw,format=RGB");
  gst_harness_set_src_caps_str (h, VIDEO);
  GstBuffer *out = run (h, video_buffer ());
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_INFO);
  *told = message != NULL;
  g_clear_pointer (&message, gst_message_unref);
  return out;
}

/* The preset's table comes with the build; another one is waited for by mapping
 * without it. */
TEST (live_streams_do_not_wait)
{
  GstBuffer *want, *got;
  gboolean told;

#ifdef LLF_SHIPPED
  got = first_of_live ("@preset=ToneMap", &told);
  want = mapped ("@preset=ToneMap", VIDEO, "RGB", video_buffer ());
  assert_same_bytes (want, got, "preset");
  fail_if (told);
  gst_buffer_unref (got);
  gst_buffer_unref (want);
#endif
  want = mapped ("hdr=linear amount=0 " SETTINGS, VIDEO, "RGB",
      video_buffer ());
  got = first_of_live ("hdr=linear " SLOW, &told);
  assert_same_bytes (want, got, "slow table");
  fail_unless (told);
  gst_buffer_unref (got);
  gst_buffer_unref (want);
}

/* The input stays, and what others hold, too. */
TEST (the_input_is_not_written)
{
  g_autoptr (GstHarness) h = hdr_new ("hdr=linear " SETTINGS, VIDEO, "ARGB64");
  g_autoptr (GstBuffer) in = video_buffer (), copy = gst_buffer_copy_deep (in);
  g_autoptr (GstBuffer) out = run (h, gst_buffer_ref (in));

  fail_unless (out != in);
  assert_same_bytes (in, copy, "input");
  fail_if (same_bytes (in, out));
}

SUITE (hdr)
{
  tcase_set_timeout (tcase, 120);
}
