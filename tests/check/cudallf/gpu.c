/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cudallf on a GPU equals the CPU in every format, from every kind of memory,
 * within a code, and with hardly any differences. */
#include "gpu_test.h"
#include "llf_test.h"

static const gchar *const cuda_formats[] = {
  "NV12", "I420", "Y444", "P010_10LE", "RGBA", "BGRA", "RGBx", "BGRx", "NV21",
  "YV12", "Y42B", "I420_10LE", "RGB", "BGR",
};

static GstHarness *
llf_on (GstCudaContext * context, const gchar * properties)
{
  g_autofree gchar *line = g_strdup_printf ("cudallf name=l backend=%s %s",
      context ? "cuda" : "cpu", properties);
  GstHarness *h = harness_on (context, line);

  gst_harness_set_live (h, FALSE);
  return h;
}

static GstBuffer *
filter_on (GstCudaContext * context, const gchar * properties,
    const gchar * caps, GstBuffer * buffer)
{
  g_autoptr (GstHarness) h = llf_on (context, properties);

  gst_harness_set_src_caps_str (h, caps);
  return run (h, buffer);
}

/* Samples of more than 8 bits count in the units of 8. */
static void
compare_components (const GstVideoFrame * a, const GstVideoFrame * b, guint c,
    const gchar * what)
{
  const guint depth = GST_VIDEO_FRAME_COMP_DEPTH (a, c);
  const guint most_allowed = depth > 10 ? 1u << (depth - 11) : 1;
  const guint width = GST_VIDEO_FRAME_COMP_WIDTH (a, c);
  const guint height = GST_VIDEO_FRAME_COMP_HEIGHT (a, c);
  guint most = 0, n_different = 0;

  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < width; x++) {
      const gint p = get_code (a, c, x, y), q = get_code (b, c, x, y);
      const guint distance = ABS (p - q);

      most = MAX (most, distance);
      n_different += distance > 0;
    }
  fail_unless (most <= most_allowed, "%s: component %u by up to %u", what, c,
      most);
  /* ten bits round four times as often */
  fail_unless (depth > 10 || n_different * 1000 <=
      width * height * (depth > 8 ? 4 : 1) + 999,
      "%s: component %u, %u of %u differ", what, c, n_different,
      width * height);
}

static void
compare_buffers (const gchar * caps, GstBuffer * a, GstBuffer * b,
    const gchar * what)
{
  GstVideoFrame x, y;
  GstVideoInfo info;

  llf_info (&info, caps);
  fail_unless (gst_video_frame_map (&x, &info, a, GST_MAP_READ), "%s", what);
  fail_unless (gst_video_frame_map (&y, &info, b, GST_MAP_READ), "%s", what);
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (&info); c++)
    compare_components (&x, &y, c, what);
  gst_video_frame_unmap (&x);
  gst_video_frame_unmap (&y);
}

static const gchar *const properties[] = {
  "", "chroma=scale", "chroma=scale curve=power quality=high alpha=0.25",
  "quality=exact amount=0.7 level-weights=<0.5,2.0>",
  "quality=sampled pyramid-levels=3 beta=0.6",
  /* RGB only */
  "color-remapping=rgb-distance",
  "color-remapping=rgb-distance quality=exact alpha=0.3",
};
#define FIRST_OF_RGB (G_N_ELEMENTS (properties) - 2)

static void
check_system (const gchar * format, guint width, guint height, guint p)
{
  g_autofree gchar *caps = llf_caps (format, width, height, "");
  g_autofree gchar *what = g_strdup_printf ("%s %s", caps, properties[p]);
  GstVideoInfo info;
  g_autoptr (GstBuffer) a = NULL, b = NULL, c = NULL;

  llf_info (&info, caps);
  g_autoptr (GstBuffer) in = draw_buffer (&info, 3);
  a = filter_on (NULL, properties[p], caps, gst_buffer_copy_deep (in));
  b = filter_on (test_context, properties[p], caps, gst_buffer_copy_deep (in));
  c = filter_on (test_context, properties[p], caps, gst_buffer_ref (in));
  fail_if (width > 16 && same_bytes (a, in), "%s: nothing happened", what);
  compare_buffers (caps, b, a, what);
  compare_buffers (caps, c, b, what);
}

TEST (test_system_memory_gives_what_the_cpu_gives)
{
  for (guint f = 0; f < G_N_ELEMENTS (all_formats); f++) {
    check_system (all_formats[f], 322, 124, 1);
    check_system (all_formats[f], 61, 43, 4);
  }
  for (guint p = 0; p < G_N_ELEMENTS (properties); p++) {
    if (p < FIRST_OF_RGB)
      check_system ("NV12", 131, 67, p);
    check_system (p % 2 ? "BGR" : "RGBA", 131, 67, p);
  }
}

/* x of 16 bits may differ by 32 codes, which is less than a code of 8 bits, and
 * so may the percentiles. */
TEST (test_hdr_gives_what_the_cpu_gives)
{
  static const gchar *const line = "hdr=srgb sigma=0.066 alpha=0.8 beta=0.2 "
      "quality=high ! capsfilter caps=video/x-raw,format=RGB";
  g_autofree gchar *caps = llf_caps ("ARGB64", 131, 67, "");
  GstVideoInfo info;
  GstMapInfo p, q;

  llf_info (&info, caps);
  GstBuffer *in = draw_buffer (&info, 3);
  GstBuffer *a = filter_on (NULL, line, caps, gst_buffer_copy_deep (in));
  g_autoptr (GstBuffer) b = filter_on (test_context, line, caps, in);
  fail_unless (gst_buffer_map (a, &p, GST_MAP_READ));
  fail_unless (gst_buffer_map (b, &q, GST_MAP_READ));
  fail_unless_equals_int (p.size, q.size);
  /* not what is behind the pixels of a row */
  for (gsize i = 0; i < p.size; i++)
    fail_unless (i % GST_ROUND_UP_4 (3 * 131) >= 3 * 131 ||
        ABS (p.data[i] - q.data[i]) <= 2, "byte %u: %u and %u", (guint) i,
        p.data[i], q.data[i]);
  gst_buffer_unmap (a, &p);
  gst_buffer_unmap (b, &q);
  gst_buffer_unref (a);
}

TEST (test_tiny_frames_give_what_the_cpu_gives)
{
  static const guint sizes[][2] = { {1, 1}, {1, 7}, {7, 1}, {2, 2}, {3, 5} };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    check_system ("I420", sizes[i][0], sizes[i][1], 1);
    check_system ("BGR", sizes[i][0], sizes[i][1], 4);
  }
}

/* In place, and, as after a tee, into its own memory. */
static void
check_cuda_memory (const gchar * line, const gchar * format, guint width,
    guint height)
{
  g_autofree gchar *caps = llf_caps (format, width, height, "");
  g_autofree gchar *cuda_caps = video_caps (CUDA_CAPS, format, width, height);
  GstVideoInfo info;

  llf_info (&info, caps);
  g_autoptr (GstBuffer) in = draw_buffer (&info, 3);
  GstBuffer *cpu = filter_on (NULL, line, caps, gst_buffer_copy_deep (in));
  GstBuffer *device = in_cuda_memory (test_context, caps, in);
  g_autoptr (GstBuffer) a = filter_on (test_context, line, cuda_caps,
      gst_buffer_ref (device));
  fail_if (a == device);
  fail_unless (gst_is_cuda_memory (gst_buffer_peek_memory (a, 0)));
  compare_buffers (caps, a, cpu, cuda_caps);
  compare_buffers (caps, device, in, "the input");
  gst_buffer_unref (device);
  device = in_cuda_memory (test_context, caps, in);
  g_autoptr (GstBuffer) b = filter_on (test_context, line, cuda_caps, device);
  fail_unless (gst_is_cuda_memory (gst_buffer_peek_memory (b, 0)));
  compare_buffers (caps, b, cpu, cuda_caps);
  gst_buffer_unref (cpu);
}

TEST (test_cuda_memory_gives_what_the_cpu_gives)
{
  for (guint f = 0; f < G_N_ELEMENTS (cuda_formats); f++) {
    g_print ("  %s\n", cuda_formats[f]);
    check_cuda_memory ("chroma=scale", cuda_formats[f], 322, 124);
  }
  check_cuda_memory ("color-remapping=rgb-distance", "BGRx", 131, 67);
}

/* The CPU filters what a GPU holds. */
TEST (test_the_cpu_filters_cuda_memory)
{
  g_autofree gchar *caps = llf_caps ("NV12", 322, 124, "");
  g_autofree gchar *cuda_caps = video_caps (CUDA_CAPS, "NV12", 322, 124);
  GstVideoInfo info;

  llf_info (&info, caps);
  g_autoptr (GstBuffer) in = draw_buffer (&info, 3);
  GstBuffer *cpu = filter_on (NULL, "", caps, gst_buffer_copy_deep (in));
  g_autoptr (GstBuffer) a = filter_on (NULL, "", cuda_caps,
      in_cuda_memory (test_context, caps, in));
  compare_buffers (caps, a, cpu, cuda_caps);
  gst_buffer_unref (cpu);
}

/* Buffers of another context on the same GPU, of which a part is filtered. */
TEST (test_another_context_is_adopted)
{
  GstCudaContext *other = gst_cuda_context_new (0);
  g_autofree gchar *caps = llf_caps ("NV12", 322, 124, "");
  g_autofree gchar *cuda_caps = video_caps (CUDA_CAPS, "NV12", 322, 124);
  g_autoptr (GstHarness) h = llf_on (test_context, "split=0.5");
  GstVideoInfo info;
  GstBuffer *cpu, *a;

  fail_unless (other != NULL);
  llf_info (&info, caps);
  g_autoptr (GstBuffer) in = draw_buffer (&info, 3);
  cpu = filter_on (NULL, "split=0.5", caps, gst_buffer_copy_deep (in));
  gst_harness_set_src_caps_str (h, cuda_caps);
  for (guint i = 0; i < 4; i++) {
    GstBuffer *device = in_cuda_memory (i % 2 ? other : test_context, caps, in);

    if (i < 2) {
      a = run (h, device);
    } else {
      a = run (h, gst_buffer_ref (device));
      gst_buffer_unref (device);
    }
    compare_buffers (caps, a, cpu, "another context");
    gst_buffer_unref (a);
  }
  gst_buffer_unref (cpu);
  gst_object_unref (other);
}

/* Properties change, caps change, the memory stays as much. */
TEST (test_a_stream_that_changes)
{
  g_autoptr (GstHarness) h = llf_on (test_context, "chroma=scale");
  g_autoptr (GstElement) element = gst_harness_find_element (h, "cudallf");
  gsize before = 0;

  for (guint i = 0; i < 60; i++) {
    const guint f = i % G_N_ELEMENTS (cuda_formats);
    g_autofree gchar *caps = llf_caps (cuda_formats[f], 322, 124, "");
    g_autofree gchar *used = i % 2 ? g_strdup (caps) : video_caps (CUDA_CAPS,
        cuda_formats[f], 322, 124);
    GstVideoInfo info;

    llf_info (&info, caps);
    GstBuffer *in = draw_buffer (&info, i);
    if (i % 2 == 0) {
      GstBuffer *device = in_cuda_memory (test_context, caps, in);

      gst_buffer_unref (in);
      in = device;
    }
    g_object_set (element, "sigma", .1 + .02 * (i % 5), "rank", 4 * (i % 3),
        "amount", (i % 4) * .5, NULL);
    gst_harness_set_src_caps_str (h, used);
    gst_buffer_unref (run (h, in));
    if (i == 29)
      before = free_device_memory ();
  }
  gsize after = free_device_memory ();
  /* others may use the same GPU; a leak of every frame would be more */
  fail_unless (after + (64 << 20) > before, "%u MiB are gone",
      (guint) ((before - after) >> 20));
}

TEST (test_a_hundred_state_changes)
{
  g_autoptr (GstHarness) h = llf_on (test_context, "quality=sampled");
  g_autoptr (GstElement) element = gst_harness_find_element (h, "cudallf");
  g_autofree gchar *caps = llf_caps ("I420", 64, 48, "");
  GstVideoInfo info;

  llf_info (&info, caps);
  for (guint i = 0; i < 100; i++) {
    gst_harness_set_src_caps_str (h, caps);
    gst_buffer_unref (run (h, draw_buffer (&info, i)));
    fail_unless (gst_element_set_state (element, i % 2 ? GST_STATE_NULL :
            GST_STATE_READY) == GST_STATE_CHANGE_SUCCESS);
    fail_unless (gst_element_set_state (element, GST_STATE_PLAYING) ==
        GST_STATE_CHANGE_SUCCESS);
    gst_harness_push_event (h, gst_event_new_stream_start ("test"));
  }
}

GPU_SUITE (cudallf)
{
  tcase_set_timeout (tcase, 300);
}
