/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudacontours on label pictures on a GPU: the polygons are what the CPU finds,
 * bit for bit, wherever the labels lie. */

#include "gpu_test.h"

#define LABELS "image-source=labels "

static const gchar *const settings[] = {
  LABELS, LABELS "hierarchy=true measures=full min-area=2",
  LABELS "outline=pixels background-label=-1",
  LABELS "classes=120,128,130 measures=none",
  LABELS "min-points=9 max-area=50 positive-orientation=high measures=full",
  LABELS "measures-only=true hierarchy=true",
  LABELS "roi=\"0,0,50,40;50,3,40,61\"",
};

/* The labels of a byte of noise, squares of @side pixels each, as ordinary
 * pictures have them. */
static GstBuffer *
video_of_squares (const gchar * caps, guint side, guint32 seed)
{
  GstBuffer *buffer = video_noise (caps, seed);
  g_autoptr (GstCaps) parsed = gst_caps_from_string (caps);
  g_auto (GstBufferMapInfo) map = GST_MAP_INFO_INIT;
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, parsed));
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READWRITE));
  const guint stride = GST_VIDEO_INFO_PLANE_STRIDE (&info, 0);
  const guint pixel = GST_VIDEO_INFO_COMP_PSTRIDE (&info, 0);
  for (gint y = 0; y < GST_VIDEO_INFO_HEIGHT (&info); y++)
    for (gint x = 0; x < GST_VIDEO_INFO_WIDTH (&info); x++)
      memcpy (map.data + y * stride + x * pixel, map.data + y / side * side *
          stride + x / side * side * pixel, pixel);
  return buffer;
}

TEST (test_label_pictures_give_what_the_cpu_gives)
{
  static const gchar *formats[] = { "GRAY8", "GRAY16_LE", "GRAY16_BE" };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    g_autofree gchar *caps = video_caps ("", formats[f], 97, 67);

    for (guint side = 1; side < 5; side += 3) {
      g_autoptr (GstBuffer) buffer = video_of_squares (caps, side, f);

      for (guint s = 0; s < G_N_ELEMENTS (settings); s++)
        fail_unless (assert_backends_agree (settings[s], caps, buffer) > 0 ||
            f > 0);
    }
  }
}

TEST (test_padded_strides_of_labels_give_what_the_cpu_gives)
{
  static const gchar *formats[] = { "GRAY8", "GRAY16_LE", "GRAY16_BE" };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    g_autofree gchar *large = video_caps ("", formats[f], 120, 80);
    g_autofree gchar *caps = video_caps ("", formats[f], 97, 67);
    g_autoptr (GstBuffer) buffer = video_of_squares (large, 4, f);

    add_large_meta (buffer, gst_video_format_from_string (formats[f]), 120, 80);
    fail_unless (assert_backends_agree (settings[0], caps, buffer) > 0);
    fail_unless (assert_backends_agree (settings[6], caps, buffer) > 0);
  }
}

TEST (test_tiny_label_pictures_give_what_the_cpu_gives)
{
  static const guint sizes[][2] = { {1, 1}, {1, 9}, {9, 1}, {2, 2}, {33, 2} };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autofree gchar *caps = video_caps ("", "GRAY8", sizes[i][0], sizes[i][1]);
    g_autoptr (GstBuffer) buffer = video_noise (caps, i);

    fail_unless (assert_backends_agree (settings[2], caps, buffer) > 0);
  }
}

static const struct
{
  const gchar *type;
  guint size;
} types[] = {
  {"uint8", 1}, {"int8", 1}, {"uint16", 2}, {"int16", 2}, {"int32", 4},
};

TEST (test_label_tensors_give_what_the_cpu_gives)
{
  for (guint t = 0; t < G_N_ELEMENTS (types); t++) {
    g_autofree gchar *caps = g_strdup_printf (TENSOR_CAPS "types=%s,"
        "dimensions=(string)1:47:31:3", types[t].type);
    g_autoptr (GstBuffer) buffer = noise_buffer (47 * 31 * 3 * types[t].size,
        t);

    for (guint s = 0; s < G_N_ELEMENTS (settings); s += 2)
      assert_backends_agree (settings[s], caps, buffer);
  }
}

/* Rows of CUDA memory of this size have no padding, as a tensor's. */
TEST (test_label_tensors_in_cuda_memory_give_what_the_cpu_gives)
{
  const guint width = 512, height = 16;
  g_autofree gchar *video = video_caps ("", "RGBA", width, height);
  g_autoptr (GstBuffer) host = video_of_squares (video, 3, 1);

  for (guint t = 0; t < G_N_ELEMENTS (types); t++) {
    g_autofree gchar *caps = g_strdup_printf (TENSOR_CAPS "types=%s,"
        "dimensions=(string)1:%u:%u:2", types[t].type,
        4 * width / types[t].size, height / 2);
    g_autoptr (GstBuffer) device = in_cuda_memory (test_context, video, host);

    fail_unless_equals_int (gst_buffer_get_video_meta (device)->stride[0],
        4 * width);
    for (guint s = 1; s < G_N_ELEMENTS (settings); s += 4) {
      g_autoptr (GstShapeSet) cpu = contours_of (NULL, settings[s], caps, host);
      g_autoptr (GstShapeSet) cuda = contours_of (test_context, settings[s],
          caps, device);

      assert_same_sets (cuda, cpu, caps);
    }
  }
}

/* Frame after frame of other sizes, with a reader on the device. */
TEST (test_labels_of_a_stream_give_what_the_cpu_gives)
{
  GstHarness *cuda = contours_on (test_context, settings[1]);
  GstHarness *cpu = contours_on (NULL, settings[1]);

  pretend_to_read_on_the_device (cuda);
  for (guint i = 0; i < 12; i++) {
    g_autofree gchar *caps = video_caps ("", "GRAY8", 300 - 40 * (i / 2 % 4),
        50 + 60 * (i / 4));
    g_autoptr (GstBuffer) buffer = video_of_squares (caps, 1 + i % 5, i);

    gst_harness_set_src_caps_str (cuda, caps);
    gst_harness_set_src_caps_str (cpu, caps);
    g_autoptr (GstShapeSet) a = set_of (cuda, buffer);
    g_autoptr (GstShapeSet) b = set_of (cpu, buffer);
    assert_same_sets (a, b, caps);
  }
  gst_harness_teardown (cuda);
  gst_harness_teardown (cpu);
}

GPU_SUITE (labels)
{
  tcase_set_timeout (tcase, 120);
}
