/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* shapestats on a GPU: the statistics of contours and hulls are what the CPU
 * finds, bit for bit, of frames and tensors in system and CUDA memory, and of
 * shapes that are on the host or on the GPU. */

#include "gpu_test.h"

#define WIDTH 322
#define HEIGHT 124

static const gchar *const formats[] = { "NV12", "I420", "Y444", "P010_10LE",
  "RGBA", "BGRA", "RGBx", "BGRx"
};

/* The set that @line makes of @buffer. */
static GstShapeSet *
measure (GstCudaContext * context, const gchar * line, const gchar * caps,
    GstBuffer * buffer)
{
  g_autoptr (GstHarness) h = harness_on (context, line);

  gst_harness_set_src_caps_str (h, caps);
  return set_of (h, buffer);
}

/* Returns: how many pixels were inside */
static guint64
assert_same_statistics (GstShapeSet * a, GstShapeSet * b, const gchar * what)
{
  guint64 n = 0;

  assert_same_sets (a, b, what);
  for (guint layer = 0; layer < gst_shape_set_get_n_layers (b); layer++) {
    const GstShapeArrays *x =
        gst_shape_layer_map_host (gst_shape_set_get_layer (a, layer), NULL);
    const GstShapeArrays *y =
        gst_shape_layer_map_host (gst_shape_set_get_layer (b, layer), NULL);
    const GstShapeStatistic *statistics = x->statistics;
    const GstShapeAnnotation *annotations = x->annotations;

    fail_unless (x->n_statistics == y->n_statistics, "%s: %u statistics, not "
        "%u", what, (guint) x->n_statistics, (guint) y->n_statistics);
    ASSERT_SAME_BYTES (statistics, y->statistics, y->n_statistics, what);
    ASSERT_SAME_BYTES (annotations, y->annotations, y->n_shapes, what);
    for (gsize i = 0; i < y->n_statistics; i++)
      n += y->statistics[i].n_pixels;
  }
  return n;
}

/* What @line with CUDA finds in @device, described by @cuda_caps, is what the
 * other one finds in @host on the CPU. */
static void
assert_agrees (const gchar * cuda_line, const gchar * cuda_caps,
    GstBuffer * device, const gchar * cpu_line, const gchar * host_caps,
    GstBuffer * host)
{
  GstShapeSet *cuda = measure (test_context, cuda_line, cuda_caps, device);
  g_autoptr (GstShapeSet) cpu = measure (NULL, cpu_line, host_caps, host);

  fail_unless (assert_same_statistics (cuda, cpu, cuda_caps) > 100);
  gst_shape_set_unref (cuda);
}

/* Lines are freed by the next call. */
static const gchar *
line_of (const gchar * finder, const gchar * format, const gchar * backend)
{
  static gchar *lines[2];
  static guint n;
  const gboolean lab = strstr (format, "RGB") || strstr (format, "BGR");
  gchar **line = &lines[n++ % 2];

  g_free (*line);
  *line = g_strdup_printf ("%s ! shapestats name=s backend=%s%s", finder,
      backend, lab ? " lab=true" : "");
  return *line;
}

TEST (test_frames_in_cuda_memory_give_what_the_cpu_gives)
{
  static const gchar *const cuda[] = {
    "cudacontours backend=cuda level=0.5 hierarchy=true min-points=6",
    "cudacontours backend=cuda level=0.5 ! cudahull backend=cuda",
    "cudacontours backend=cpu level=0.5 hierarchy=true",
  };
  static const gchar *const cpu[] = {
    "cudacontours backend=cpu level=0.5 hierarchy=true min-points=6",
    "cudacontours backend=cpu level=0.5 ! cudahull backend=cpu",
    "cudacontours backend=cpu level=0.5 hierarchy=true",
  };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    g_autofree gchar *host_caps = video_caps ("", formats[f], WIDTH, HEIGHT);
    gchar *cuda_caps = video_caps (CUDA_CAPS, formats[f], WIDTH, HEIGHT);
    g_autoptr (GstBuffer) host = video_noise (host_caps, f);
    GstBuffer *device = in_cuda_memory (test_context, host_caps, host);

    for (guint i = 0; i < G_N_ELEMENTS (cuda); i++)
      assert_agrees (line_of (cuda[i], formats[f], i == 1 ? "auto" : "cuda"),
          cuda_caps, device, line_of (cpu[i], formats[f], "cpu"), host_caps,
          host);
    gst_buffer_unref (device);
    g_free (cuda_caps);
  }
}

TEST (test_frames_in_system_memory_give_what_the_cpu_gives)
{
  static const gchar *const all[] = { "GRAY8", "GRAY16_LE", "NV12",
    "P010_10LE", "RGBA", "BGRx", "RGB"
  };

  for (guint f = 0; f < G_N_ELEMENTS (all); f++) {
    const gchar *cpu = "cudacontours backend=cpu level=0.5 hierarchy=true";
    g_autofree gchar *large = video_caps ("", all[f], WIDTH + 30, HEIGHT + 6);
    g_autofree gchar *caps = video_caps ("", all[f], WIDTH, HEIGHT);
    g_autoptr (GstBuffer) padded = video_noise (large, f);
    g_autoptr (GstBuffer) dense = video_noise (caps, f);

    add_large_meta (padded, gst_video_format_from_string (all[f]), WIDTH + 30,
        HEIGHT + 6);
    assert_agrees (line_of ("cudacontours backend=cuda level=0.5 "
            "hierarchy=true", all[f], "cuda"), caps, padded,
        line_of (cpu, all[f], "cpu"), caps, padded);
    assert_agrees (line_of (cpu, all[f], "auto"), caps, dense,
        line_of (cpu, all[f], "cpu"), caps, dense);
  }
}

TEST (test_page_locked_frames_give_what_the_cpu_gives)
{
  g_autofree gchar *caps = video_caps ("", "RGBA", WIDTH, HEIGHT);
  GstHarness *cuda = harness_on (test_context, "cudacontours backend=cuda "
      "level=0.5 hierarchy=true ! shapestats backend=auto lab=true");
  g_autoptr (GstBuffer) host = video_noise (caps, 3);

  gst_harness_set_src_caps_str (cuda, caps);
  g_autoptr (GstBuffer) pinned = in_pinned_memory (cuda, caps, host);
  g_autoptr (GstShapeSet) a = set_of (cuda, pinned);
  g_autoptr (GstShapeSet) b = measure (NULL,
      "cudacontours backend=cpu level=0.5 hierarchy=true ! "
      "shapestats backend=cpu lab=true", caps, host);
  fail_unless (assert_same_statistics (a, b, "page-locked memory") > 100);
  gst_harness_teardown (cuda);
}

TEST (test_tensors_give_what_the_cpu_gives)
{
  static const struct
  {
    const gchar *type, *level;
    guint size;
  } types[] = {
    {"uint8", "128", 1},
    {"uint16", "20000", 2},
    {"float16", "0.5", 2},
    {"float32", "0.5", 4}
  };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint chw = 0; chw < 2; chw++) {
      gchar *caps = g_strdup_printf (TENSOR_CAPS "types=%s,dimensions=%s",
          types[t].type, chw ? "97:43:5:2" : "5:97:43:2");
      gchar *lines[2];
      GstBuffer *buffer = noise_buffer (97 * 43 * 5 * 2 * types[t].size, t);

      for (guint i = 0; i < 2; i++)
        lines[i] = g_strdup_printf ("cudacontours backend=%s level=%s "
            "hierarchy=true layout=%s ! shapestats backend=%s layout=%s",
            i ? "cpu" : "cuda", types[t].level, chw ? "chw" : "hwc",
            i ? "cpu" : "cuda", chw ? "chw" : "hwc");
      assert_agrees (lines[0], caps, buffer, lines[1], caps, buffer);
      g_free (lines[0]);
      g_free (lines[1]);
      gst_buffer_unref (buffer);
      g_free (caps);
    }
}

/* The same element, frame by frame: memory that it keeps does not grow, and
 * contents of before are not seen again. */
TEST (test_many_frames_give_what_the_cpu_gives)
{
  GstHarness *cuda = harness_on (test_context, "cudacontours backend=cuda "
      "level=0.5 hierarchy=true ! shapestats backend=cuda lab=true");
  GstHarness *cpu = harness_on (NULL, "cudacontours backend=cpu level=0.5 "
      "hierarchy=true ! shapestats backend=cpu lab=true");
  g_autofree gchar *host_caps = video_caps ("", "RGBA", WIDTH, HEIGHT);
  g_autofree gchar *cuda_caps = video_caps (CUDA_CAPS, "RGBA", WIDTH, HEIGHT);
  gsize used = 0;

  gst_harness_set_src_caps_str (cuda, cuda_caps);
  gst_harness_set_src_caps_str (cpu, host_caps);
  for (guint i = 0; i < 60; i++) {
    GstBuffer *host = video_noise (host_caps, i % 7);
    GstBuffer *device = in_cuda_memory (test_context, host_caps, host);
    GstShapeSet *a = set_of (cuda, device), *b = set_of (cpu, host);

    fail_unless (assert_same_statistics (a, b, "many frames") > 100);
    gst_shape_set_unref (a);
    gst_shape_set_unref (b);
    gst_buffer_unref (device);
    gst_buffer_unref (host);
    if (i == 20)
      used = free_device_memory ();
  }
  fail_unless (free_device_memory () + (64 << 20) >= used,
      "the GPU's memory is used up");
  gst_harness_teardown (cuda);
  gst_harness_teardown (cpu);
}

GPU_SUITE (stats)
{
  tcase_set_timeout (tcase, 120);
}
