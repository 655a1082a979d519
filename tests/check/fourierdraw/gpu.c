/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* fourierdraw on a GPU: its frames are the CPU's, bit for bit. */

#include "gpu_test.h"

#include <math.h>
#include <stdlib.h>

#define WIDTH 320
#define HEIGHT 180
#define IN(format) "video/x-raw,format=" format ",width=320,height=180," \
  "framerate=0/1"
#define OUT(format) "video/x-raw,format=" format ",framerate=8/1"
#define CUDA_OUT(format) "video/x-raw" CUDA_CAPS ",format=" format \
  ",framerate=8/1"

#define SHORT "duration=2 hold=0.25 min-points=3 "
#define N_FRAMES 18
#define FEW "duration=0.25 hold=0 min-points=3 "

/* Some blobs of a gray that changes slowly, as RGBA or gray. */
static GstBuffer *
make_picture (const gchar * format)
{
  GstVideoInfo info;
  GstVideoFrame frame;

  gst_video_info_set_format (&info, gst_video_format_from_string (format),
      WIDTH, HEIGHT);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
  gst_buffer_memset (buffer, 0, 128, -1);
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_WRITE));
  for (guint c = 0; c < (GST_VIDEO_INFO_IS_RGB (&info) ? 3 : 1); c++)
    for (guint y = 0; y < HEIGHT; y++) {
      guint8 *row = (guint8 *) GST_VIDEO_FRAME_COMP_DATA (&frame, c) +
          y * GST_VIDEO_FRAME_COMP_STRIDE (&frame, c);

      for (guint x = 0; x < WIDTH; x++)
        row[x * GST_VIDEO_FRAME_COMP_PSTRIDE (&frame, c)] =
            128. + 60. * sin (x / 17. + c) * cos (y / 13.) +
            50. * sin (hypot (x - 200., y - 90.) / 9.);
    }
  gst_video_frame_unmap (&frame);
  GST_BUFFER_PTS (buffer) = 0;
  return buffer;
}

/* The frames of "fourierdraw PROPERTIES" on the GPU or the CPU. */
static GPtrArray *
frames_of (gboolean cuda, const gchar * properties, const gchar * in,
    const gchar * out, GstBuffer * picture)
{
  GPtrArray *frames = g_ptr_array_new_with_free_func ((GDestroyNotify)
      gst_buffer_unref);
  gchar *line = g_strdup_printf ("fourierdraw name=f backend=%s mode=redraw "
      "%s", cuda ? "cuda" : "cpu", properties);
  g_autoptr (GstHarness) h = harness_on (cuda ? test_context : NULL, line);
  GstBuffer *buffer;

  gst_harness_set_sink_caps_str (h, out);
  gst_harness_set_src_caps_str (h, in);
  fail_unless_equals_int (gst_harness_push (h, gst_buffer_ref (picture)),
      GST_FLOW_OK);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  for (;;) {
    g_autoptr (GstEvent) event = gst_harness_pull_event (h);
    const gboolean end = event && GST_EVENT_TYPE (event) == GST_EVENT_EOS;

    fail_unless (event != NULL, "%s does not end", line);
    if (end)
      break;
  }
  while ((buffer = gst_harness_try_pull (h)))
    g_ptr_array_add (frames, buffer);
  g_free (line);
  return frames;
}

/* Whether the samples of component @c are the same. */
static gboolean
same_component (const GstVideoFrame * a, const GstVideoFrame * b, guint c)
{
  const guint size = GST_VIDEO_FRAME_COMP_DEPTH (a, c) > 8 ? 2 : 1;
  const guint width = GST_VIDEO_FRAME_COMP_WIDTH (a, c);
  const guint height = GST_VIDEO_FRAME_COMP_HEIGHT (a, c);

  for (guint y = 0; y < height; y++) {
    const guint8 *p = (const guint8 *) GST_VIDEO_FRAME_COMP_DATA (a, c) +
        y * GST_VIDEO_FRAME_COMP_STRIDE (a, c);
    const guint8 *q = (const guint8 *) GST_VIDEO_FRAME_COMP_DATA (b, c) +
        y * GST_VIDEO_FRAME_COMP_STRIDE (b, c);

    for (guint x = 0; x < width; x++)
      if (memcmp (p + x * GST_VIDEO_FRAME_COMP_PSTRIDE (a, c),
              q + x * GST_VIDEO_FRAME_COMP_PSTRIDE (b, c), size) != 0)
        return FALSE;
  }
  return TRUE;
}

/* The samples that count: padding does not, nor the x of RGBx. */
static void
assert_same_frame (GstBuffer * a, GstBuffer * b, const GstVideoInfo * info,
    guint number, const gchar * what)
{
  GstVideoFrame x, y;

  fail_unless (gst_video_frame_map (&x, info, a, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&y, info, b, GST_MAP_READ));
  for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS (&x); c++)
    fail_unless (same_component (&x, &y, c),
        "%s: frame %u differs in component %u", what, number, c);
  gst_video_frame_unmap (&x);
  gst_video_frame_unmap (&y);
}

/* Both backends' films of the test picture. */
static void
assert_same_films (const gchar * properties, const gchar * in_format,
    const gchar * format, gboolean cuda_memory)
{
  g_autoptr (GstBuffer) picture = make_picture (in_format);
  g_autofree gchar *in = g_strdup_printf (IN ("%s"), in_format);
  g_autofree gchar *host = g_strdup_printf (OUT ("%s"), format);
  g_autofree gchar *device = g_strdup_printf (CUDA_OUT ("%s"), format);
  g_autofree gchar *what = g_strdup_printf ("%s, %s%s", properties, format,
      cuda_memory ? " in CUDA memory" : "");
  g_autoptr (GPtrArray) cpu = frames_of (FALSE, properties, in, host, picture);
  g_autoptr (GPtrArray) gpu = frames_of (TRUE, properties, in, cuda_memory
      ? device : host, picture);
  GstVideoInfo info;

  gst_video_info_set_format (&info, gst_video_format_from_string (format),
      WIDTH, HEIGHT);
  fail_unless (cpu->len == N_FRAMES, "%s: %u frames", what, cpu->len);
  fail_unless_equals_int (gpu->len, cpu->len);
  for (guint i = 0; i < cpu->len; i++)
    assert_same_frame (g_ptr_array_index (gpu, i), g_ptr_array_index (cpu, i),
        &info, i, what);
  /* something is drawn */
  fail_if (gst_buffer_get_size (g_ptr_array_index (cpu, 0)) == 0);
}

TEST (frames_are_the_cpus)
{
  static const gchar *looks[] = {
    SHORT "detect=iso levels=0.5",
    SHORT "detect=canny canny-sigma=1",
    SHORT "detect=canny canny-auto=false",
    SHORT "detect=canny canny-low=40 detect-size=150 ink-source=picture",
    SHORT "detect=iso levels=0.5 detect-size=100",
    SHORT "detect=iso levels=0.3,0.6 n-vectors=40 trail=fade fade-time=0.7",
    SHORT "detect=iso levels=0.5 order=min-distance merge-distance=3 "
        "duplicate-distance=0.5 min-length=20",
    SHORT "detect=iso levels=0.5 path-mode=per-contour background=white",
    SHORT "detect=iso levels=0.5 exclude=\"20,20 300,160; 100,100\" "
        "brush-radius=9",
    SHORT "detect=iso levels=0.5 exclude=\"20,20 300,160\" "
        "exclude-mode=contours order=none",
    SHORT "detect=iso levels=0.5 camera=follow-tip zoom=3",
    SHORT "detect=iso levels=0.5 background=transparent ghost-opacity=0.4",
    SHORT "detect=iso levels=0.99",
  };

  for (guint i = 0; i < G_N_ELEMENTS (looks); i++)
    assert_same_films (looks[i], "GRAY8", "RGBA", i % 2 == 0);
}

TEST (frames_of_all_formats_are_the_cpus)
{
  static const gchar *formats[] = { "RGBA", "BGRA", "RGBx", "BGRx", "RGB",
    "NV12", "I420", "Y444", "YUY2", "GRAY8", "P010_10LE"
  };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    assert_same_films (SHORT "detect=iso levels=0.5", "NV12", formats[i],
        FALSE);
}

TEST (frames_in_cuda_memory_are_the_cpus)
{
  static const gchar *formats[] = { "RGBA", "BGRA", "RGBx", "BGRx", "NV12",
    "I420", "Y444", "P010_10LE"
  };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    assert_same_films (SHORT "detect=canny canny-sigma=1.5", "RGBA",
        formats[i], TRUE);
}

TEST (the_picture_can_be_behind)
{
  static const gchar *formats[] = { "RGBA", "NV12", "I420" };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    assert_same_films (SHORT "detect=iso levels=0.5 background=frame",
        formats[i], formats[i], i == 1);
}

/* From the decoder's memory to the encoder's. */
TEST (pictures_may_be_in_cuda_memory)
{
  GstHarness *h = harness_on (test_context, "cudaupload ! fourierdraw name=f "
      "backend=cuda mode=redraw duration=1 hold=0 detect=iso "
      "background=frame ! "
      "video/x-raw" CUDA_CAPS ",format=NV12,framerate=10/1 ! cudadownload");
  GstBuffer *picture = make_picture ("NV12");
  g_autoptr (GstElement) element = gst_harness_find_element (h, "fourierdraw");
  gint active;

  gst_harness_set_src_caps_str (h, IN ("NV12"));
  fail_unless_equals_int (gst_harness_push (h, picture), GST_FLOW_OK);
  for (guint i = 0; i < 10; i++) {
    g_autoptr (GstBuffer) frame = gst_harness_pull (h);

    fail_unless (frame != NULL);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (frame),
        i * GST_SECOND / 10);
  }
  g_object_get (element, "active-backend", &active, NULL);
  fail_unless_equals_int (active, 1);
  gst_harness_teardown (h);
}

/* A copy of @picture that a GPU has written: reading it on the host downloads
 * it, which its memory remembers. */
static GstBuffer *
written_by_gpu (GstBuffer * picture, const gchar * caps)
{
  GstBuffer *buffer = in_cuda_memory (test_context, caps, picture);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map,
          (GstMapFlags) (GST_MAP_READWRITE | GST_MAP_CUDA)));
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

static gboolean
is_only_on_gpu (GstBuffer * buffer)
{
  return GST_MEMORY_FLAG_IS_SET (gst_buffer_peek_memory (buffer, 0),
      GST_CUDA_MEMORY_TRANSFER_NEED_DOWNLOAD);
}

static void
assert_picture_stays (const gchar * properties, const gchar * format)
{
  g_autoptr (GstBuffer) picture = make_picture (format);
  g_autofree gchar *in = g_strdup_printf (IN ("%s"), format);
  g_autofree gchar *cuda_in = video_caps (CUDA_CAPS, format, WIDTH, HEIGHT);
  g_autoptr (GstBuffer) there = written_by_gpu (picture, cuda_in);
  g_autoptr (GPtrArray) cpu = frames_of (FALSE, properties, in, OUT ("RGBA"),
      picture);
  g_autoptr (GPtrArray) gpu = frames_of (TRUE, properties, cuda_in,
      CUDA_OUT ("RGBA"), there);
  GstVideoInfo info;

  fail_unless (is_only_on_gpu (there), "%s, %s: downloaded", properties,
      format);
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_RGBA, WIDTH, HEIGHT);
  fail_unless_equals_int (gpu->len, cpu->len);
  for (guint i = 0; i < cpu->len; i++)
    assert_same_frame (g_ptr_array_index (gpu, i), g_ptr_array_index (cpu, i),
        &info, i, properties);
}

TEST (pictures_in_cuda_memory_stay_there)
{
  static const gchar *formats[] = { "NV12", "RGBA", "P010_10LE" };
  static const gchar *looks[] = {
    FEW "detect=canny canny-sigma=1",
    FEW "detect=canny canny-sigma=1 detect-size=150",
    FEW "detect=iso levels=0.5",
    FEW "detect=iso levels=0.4,0.6 detect-size=100",
  };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    for (guint k = 0; k < G_N_ELEMENTS (looks); k++)
      assert_picture_stays (looks[k], formats[i]);
}

/* A frame for each frame; the worker prepares on a stream of its own. */
TEST (live_frames_come_while_drawings_are_prepared)
{
  GstHarness *h = harness_on (test_context, "fourierdraw name=f backend=cuda "
      "mode=live duration=0.2 hold=0 detect=canny canny-sigma=1 min-points=1");
  g_autoptr (GstBuffer) picture = make_picture ("RGBA");

  gst_harness_set_src_caps_str (h, "video/x-raw,format=RGBA,width=320,"
      "height=180,framerate=30/1");
  for (guint i = 0; i < 200; i++) {
    GstBuffer *frame = gst_buffer_copy (picture);

    GST_BUFFER_PTS (frame) = i * GST_SECOND / 30;
    gst_buffer_unref (run (h, frame));
  }
  gst_harness_teardown (h);
}

TEST (states_come_and_go)
{
  for (guint i = 0; i < 10; i++) {
    g_autoptr (GstHarness) h = harness_on (test_context, "fourierdraw name=f "
        "backend=cuda loop=0 duration=0.2 mode=redraw min-points=1");

    gst_harness_set_src_caps_str (h, IN ("GRAY8"));
    gst_harness_push (h, make_picture ("GRAY8"));
    gst_buffer_unref (gst_harness_pull (h));
  }
}

GPU_SUITE (fourierdraw)
{
  tcase_set_timeout (tcase, 300);
}
