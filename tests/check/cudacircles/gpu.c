/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cudacircles and shapeoverlay on a GPU: the same pictures as on the CPU, in
 * every kind of memory. */
#include "gpu_test.h"

#include <math.h>

/* libgstcuda 1.22 does not keep planes of I420 with odd heights apart. */
#define WIDTH 322
#define HEIGHT 124

static const gchar *const system_formats[] = { "RGBA", "BGRA", "ARGB", "ABGR",
  "RGBx", "BGRx", "xRGB", "xBGR", "RGB", "BGR", "NV12", "NV21", "I420", "YV12",
  "Y42B", "Y444", "YUY2", "UYVY", "GRAY8", "GRAY16_LE", "P010_10LE", "I420_10LE"
};

static const gchar *const cuda_formats[] = { "NV12", "I420", "Y444",
  "P010_10LE", "RGBA", "BGRA", "RGBx", "BGRx"
};

static const gchar *const circles_properties[] = {
  "scene=rand10k", "scene=rand10k antialias=false seed=3 opacity=0.6",
  "scene=biglittle blend=linear", "scene=pattern background=white "
      "stroke-width=3 stroke-color=0x80000000",
  "scene=fireworks background=transparent", "scene=rgb background=black "
      "fill=false stroke-width=7.5",
  "circles=\"<[circle,x=20,y=30,r=400,color=(uint)0x01ffffff],"
      "[circle,x=0.5,y=0.25,r=7.125,z=-1,color=(uint)0xff102030]>\""
};

/* Comparison */

/* How far two frames are apart. */
typedef struct
{
  guint most;
  guint64 sum, n;
} Difference;

static guint
sample (const GstVideoFrame * frame, guint plane, guint depth, gsize index,
    guint y)
{
  const guint8 *row = (const guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame, plane)
      + (gsize) y * GST_VIDEO_FRAME_PLANE_STRIDE (frame, plane);

  return depth > 8 ? GST_READ_UINT16_LE (row + 2 * index) >>
      (GST_VIDEO_FRAME_FORMAT (frame) == GST_VIDEO_FORMAT_P010_10LE ? 6 : 0) :
      row[index];
}

/* All samples, those of no meaning included. */
static Difference
compare_frames (const gchar * caps, GstBuffer * a, GstBuffer * b)
{
  g_autoptr (GstCaps) parsed = gst_caps_from_string (caps);
  Difference difference = { 0, 0, 0 };
  GstVideoFrame x, y;
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, parsed));
  fail_unless (gst_video_frame_map (&x, &info, a, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&y, &info, b, GST_MAP_READ));
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&info); p++) {
    gint c[GST_VIDEO_MAX_COMPONENTS];

    gst_video_format_info_component (info.finfo, p, c);
    guint depth = GST_VIDEO_INFO_COMP_DEPTH (&info, c[0]);
    guint rows = GST_VIDEO_INFO_COMP_HEIGHT (&info, c[0]);
    gsize n = (gsize) GST_VIDEO_INFO_COMP_WIDTH (&info, c[0]) *
        GST_VIDEO_INFO_COMP_PSTRIDE (&info, c[0]) / (depth > 8 ? 2 : 1);
    for (guint row = 0; row < rows; row++)
      for (gsize i = 0; i < n; i++) {
        const gint off = (gint) sample (&x, p, depth, i, row) -
            (gint) sample (&y, p, depth, i, row);

        difference.most = MAX (difference.most, (guint) ABS (off));
        difference.sum += ABS (off);
        difference.n++;
      }
  }
  gst_video_frame_unmap (&x);
  gst_video_frame_unmap (&y);
  return difference;
}

static void
assert_equal (const gchar * caps, GstBuffer * a, GstBuffer * b,
    const gchar * what)
{
  const Difference d = compare_frames (caps, a, b);

  fail_unless (d.most == 0, "%s: %s: off by %u, all together by %u", caps, what,
      d.most, (guint) d.sum);
}

/* Running */

static GstBuffer *
run_line (GstCudaContext * context, const gchar * line, const gchar * caps,
    GstBuffer * buffer)
{
  g_autoptr (GstHarness) h = harness_on (context, line);

  gst_harness_set_src_caps_str (h, caps);
  buffer = run (h, buffer);
  return buffer;
}

static GstBuffer *
run_circles (GstCudaContext * context, const gchar * backend,
    const gchar * properties, const gchar * caps, GstBuffer * buffer)
{
  g_autofree gchar *line = g_strdup_printf ("cudacircles backend=%s %s",
      backend, properties);

  buffer = run_line (context, line, caps, buffer);
  return buffer;
}

/* cudacircles */

TEST_LOOP (test_system_memory_shows_what_the_cpu_shows, 0,
    G_N_ELEMENTS (system_formats))
{
  const gchar *format = system_formats[__i__];
  g_autofree gchar *caps = video_caps ("", format, WIDTH, HEIGHT);
  g_autoptr (GstBuffer) in = video_noise (caps, __i__);

  for (guint p = 0; p < G_N_ELEMENTS (circles_properties); p++) {
    g_autoptr (GstBuffer) cpu = run_circles (NULL, "cpu", circles_properties[p],
        caps, gst_buffer_copy_deep (in));
    g_autoptr (GstBuffer) cuda = run_circles (test_context, "cuda",
        circles_properties[p], caps, gst_buffer_copy_deep (in));

    fail_if (compare_frames (caps, cpu, in).most == 0, "nothing is painted");
    assert_equal (caps, cuda, cpu, circles_properties[p]);
  }
}

TEST_LOOP (test_cuda_memory_shows_what_the_cpu_shows, 0,
    G_N_ELEMENTS (cuda_formats))
{
  const gchar *format = cuda_formats[__i__];
  g_autofree gchar *caps = video_caps ("", format, WIDTH, HEIGHT);
  g_autofree gchar *on_gpu = video_caps (CUDA_CAPS, format, WIDTH, HEIGHT);
  g_autoptr (GstBuffer) in = video_noise (caps, __i__);

  for (guint p = 0; p < G_N_ELEMENTS (circles_properties); p++) {
    g_autoptr (GstBuffer) cpu = run_circles (NULL, "cpu", circles_properties[p],
        caps, gst_buffer_copy_deep (in));
    g_autoptr (GstBuffer) cuda = run_circles (test_context, "cuda",
        circles_properties[p], on_gpu, in_cuda_memory (test_context, caps, in));

    assert_equal (on_gpu, cuda, cpu, circles_properties[p]);
  }
}

TEST (test_tiny_frames_show_what_the_cpu_shows)
{
  static const guint sizes[][2] = { {1, 1}, {1, 9}, {9, 1}, {2, 2}, {17, 33} };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint f = 0; f < G_N_ELEMENTS (system_formats); f++) {
      g_autofree gchar *caps = video_caps ("", system_formats[f], sizes[i][0],
          sizes[i][1]);
      GstBuffer *in = video_noise (caps, i);
      g_autoptr (GstBuffer) cpu = run_circles (NULL, "cpu", "scene=rand10k",
          caps, gst_buffer_copy_deep (in));
      g_autoptr (GstBuffer) cuda = run_circles (test_context, "cuda",
          "scene=rand10k", caps, in);

      assert_equal (caps, cuda, cpu, "tiny");
    }
}

/* A million circles, some of them on scenes that do not fit any fixed list. */
TEST (test_large_scenes_show_what_the_cpu_shows)
{
  static const gchar *const scenes[] = { "scene=rand100k", "scene=rand1m",
    "scene=micro2m antialias=false", "scene=littlebig"
  };
  g_autofree gchar *caps = video_caps ("", "RGBA", 640, 480);
  g_autoptr (GstBuffer) in = video_noise (caps, 1);

  for (guint i = 0; i < G_N_ELEMENTS (scenes); i++) {
    g_autoptr (GstBuffer) cpu = run_circles (NULL, "cpu", scenes[i], caps,
        gst_buffer_copy_deep (in));
    g_autoptr (GstBuffer) cuda = run_circles (test_context, "cuda", scenes[i],
        caps, gst_buffer_copy_deep (in));

    assert_equal (caps, cuda, cpu, scenes[i]);
  }
}

TEST (test_the_cpu_paints_on_cuda_memory)
{
  g_autofree gchar *caps = video_caps ("", "NV12", WIDTH, HEIGHT);
  g_autofree gchar *on_gpu = video_caps (CUDA_CAPS, "NV12", WIDTH, HEIGHT);
  g_autoptr (GstBuffer) in = video_noise (caps, 1);
  g_autoptr (GstBuffer) host = run_circles (NULL, "cpu", "scene=rand10k", caps,
      gst_buffer_copy_deep (in));
  g_autoptr (GstBuffer) device = run_circles (test_context, "cpu",
      "scene=rand10k", on_gpu, in_cuda_memory (test_context, caps, in));

  assert_equal (on_gpu, device, host, "painted by the CPU");
}

/* As after a tee: the shared frame is not modified. Without alpha, since small
 * alpha values amplify rounding. */
static void
assert_leaves_shared_frames (const gchar * line, const gchar * cpu_line,
    GstShapeSet * set)
{
  g_autofree gchar *caps = video_caps ("", "BGRx", WIDTH, HEIGHT);
  g_autofree gchar *on_gpu = video_caps (CUDA_CAPS, "BGRx", WIDTH, HEIGHT);
  g_autoptr (GstBuffer) in = video_noise (caps, 1);
  g_autoptr (GstBuffer) shared = in_cuda_memory (test_context, caps, in);
  g_autoptr (GstHarness) h = harness_on (test_context, line);
  g_autoptr (GstBuffer) cpu = gst_buffer_copy_deep (in);

  if (set) {
    gst_buffer_add_shape_meta (shared, set);
    gst_buffer_add_shape_meta (cpu, set);
  }
  cpu = run_line (NULL, cpu_line, caps, cpu);
  gst_harness_set_src_caps_str (h, on_gpu);
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstBuffer) cuda = run (h, gst_buffer_ref (shared));

    fail_unless (cuda != shared);
    assert_equal (on_gpu, shared, in, "the shared frame");
    guint off = compare_frames (on_gpu, cuda, cpu).most;
    fail_unless (off <= (set ? 32 : 0), "%s: off by %u", line, off);
    fail_if (compare_frames (on_gpu, cuda, in).most == 0);
  }
}

TEST (test_circles_leave_shared_frames_alone)
{
  assert_leaves_shared_frames ("cudacircles backend=cuda scene=rand10k",
      "cudacircles backend=cpu scene=rand10k", NULL);
}

/* Static scenes are sorted once, and are not mixed up with dynamic circles. */
TEST (test_frames_of_a_stream_show_what_the_cpu_shows)
{
  g_autofree gchar *caps = video_caps ("", "RGBA", WIDTH, HEIGHT);
  GstHarness *a = harness_on (NULL, "cudacircles name=c backend=cpu");
  GstHarness *b = harness_on (test_context, "cudacircles name=c backend=cuda");
  g_autoptr (GstElement) x = gst_harness_find_element (a, "cudacircles");
  g_autoptr (GstElement) y = gst_harness_find_element (b, "cudacircles");

  gst_harness_set_src_caps_str (a, caps);
  gst_harness_set_src_caps_str (b, caps);
  for (guint i = 0; i < 40; i++) {
    GstBuffer *in = video_noise (caps, i);
    /* scenes change now and then; the last four move */
    const gint scene = i / 3 % 14;

    g_object_set (x, "scene", scene == 9 ? 0 : scene, NULL);
    g_object_set (y, "scene", scene == 9 ? 0 : scene, NULL);
    if (i % 5 == 0) {
      g_signal_emit_by_name (x, "add-circle", 10. * i, 20., 30., -1.,
          0x80ff0000u);
      g_signal_emit_by_name (y, "add-circle", 10. * i, 20., 30., -1.,
          0x80ff0000u);
    }
    GST_BUFFER_PTS (in) = i * 40 * GST_MSECOND;
    g_autoptr (GstBuffer) cpu = run (a, gst_buffer_copy_deep (in));
    g_autoptr (GstBuffer) cuda = run (b, in);
    assert_equal (caps, cuda, cpu, "a frame of a stream");
  }
  gst_harness_teardown (a);
  gst_harness_teardown (b);
}

TEST (test_the_context_of_the_memory_is_adopted)
{
  GstCudaContext *other = gst_cuda_context_new (0);
  g_autofree gchar *caps = video_caps ("", "NV12", WIDTH, HEIGHT);
  g_autofree gchar *on_gpu = video_caps (CUDA_CAPS, "NV12", WIDTH, HEIGHT);
  g_autoptr (GstBuffer) in = video_noise (caps, 1);
  g_autoptr (GstBuffer) cpu = run_circles (NULL, "cpu", "scene=rand10k", caps,
      gst_buffer_copy_deep (in));
  g_autoptr (GstHarness) h = harness_on (test_context,
      "cudacircles backend=cuda " "scene=rand10k");

  fail_unless (other != NULL);
  gst_harness_set_src_caps_str (h, on_gpu);
  for (guint i = 0; i < 4; i++) {
    g_autoptr (GstBuffer) cuda = run (h, in_cuda_memory (i % 2 ? other :
            test_context, caps, in));

    assert_equal (on_gpu, cuda, cpu, "another context");
  }
  gst_object_unref (other);
}

/* shapeoverlay */

/* Contours, hulls and circles. */
static GstShapeSet *
make_shapes (guint width, guint height)
{
  static const guint32 offsets[] = { 0, 200, 400, 403 };
  GstShapeSet *set = gst_shape_set_new (width, height);
  GstShapePoint points[403];
  GstShapePolyline records[3] = {
    {.id = 0,.class_id = 0,.parent = -1,.flags = GST_SHAPE_FLAG_CLOSED},
    {.id = 1,.class_id = 1,.parent = 0,.kind = GST_SHAPE_KIND_HULL,
        .flags = GST_SHAPE_FLAG_CLOSED},
    {.id = 2,.class_id = 2,.parent = -1}
  };
  static const GstShapeCircle circles[] = {
    {60, 60, 40, 1, 0xff0000ff, -1}, {80, 60, 30, 2, 0x00ff0080, -1},
    {250, 40, 60, 0, 0x0000ffff, -1}
  };

  for (guint i = 0; i < 200; i++) {
    const gdouble angle = 2. * G_PI * (i % 199) / 199.;
    const gdouble r = 40. + 12. * sin (7. * angle);

    points[i] = (GstShapePoint) {
    (gfloat) (160. + 2. * r * cos (angle)), (gfloat) (60. + r * sin (angle))};
    points[200 + i] = (GstShapePoint) {
    (gfloat) (160. + 104. * cos (angle)), (gfloat) (60. + 52. * sin (angle))};
  }
  points[400] = (GstShapePoint) {
  -50, 100};
  points[401] = (GstShapePoint) {
  400, 80.5f};
  points[402] = (GstShapePoint) {
  NAN, 3};
  gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy (points, 403,
          offsets, records, 3, NULL));
  gst_shape_set_add_layer (set, gst_shape_layer_new_circles_copy (circles, 3));
  return set;
}

static GstBuffer *
gray (const gchar * caps)
{
  GstBuffer *buffer = video_noise (caps, 1);

  gst_buffer_memset (buffer, 0, 0x60, -1);
  return buffer;
}

static GstBuffer *
overlay (GstCudaContext * context, const gchar * properties,
    const gchar * caps, GstBuffer * buffer, GstShapeSet * set)
{
  g_autofree gchar *line = g_strdup_printf ("shapeoverlay %s", properties);

  gst_buffer_add_shape_meta (buffer, set);
  buffer = run_line (context, line, caps, buffer);
  return buffer;
}

TEST_LOOP (test_overlay_on_cuda_memory_shows_what_the_cpu_shows, 0,
    G_N_ELEMENTS (cuda_formats))
{
  static const gchar *const properties[] = { "line-width=3",
    "line-width=2 color-mode=shape draw-points=true",
    "line-width=5 opacity=0.5", "line-width=4 draw-contours=false "
        "draw-hulls=false fill-opacity=0.5"
  };
  const gchar *format = cuda_formats[__i__];
  g_autofree gchar *caps = video_caps ("", format, WIDTH, HEIGHT);
  g_autofree gchar *on_gpu = video_caps (CUDA_CAPS, format, WIDTH, HEIGHT);
  g_autoptr (GstShapeSet) set = make_shapes (WIDTH, HEIGHT);
  g_autoptr (GstBuffer) in = gray (caps);

  for (guint p = 0; p < G_N_ELEMENTS (properties); p++) {
    GstBuffer *cuda = overlay (test_context, properties[p], on_gpu,
        in_cuda_memory (test_context, caps, in), set), *cpu;
    Difference drawn = compare_frames (on_gpu, cuda, in);

    fail_unless (drawn.most > 30, "%s: nothing is drawn", on_gpu);
    /* which the CPU does not know */
    if (g_str_equal (format, "P010_10LE")) {
      gst_buffer_unref (cuda);
      continue;
    }
    cpu = overlay (NULL, properties[p], caps, gst_buffer_copy_deep (in), set);
    Difference d = compare_frames (on_gpu, cuda, cpu);
    fail_unless (d.most <= 24 && d.sum * 16 < drawn.sum, "%s: %s: off by %u, "
        "all together by %u of %u", on_gpu, properties[p], d.most,
        (guint) d.sum, (guint) drawn.sum);
    gst_buffer_unref (cpu);
    gst_buffer_unref (cuda);
  }
}

/* Contours are filled on the CPU, so that is the very same picture. */
TEST (test_filled_contours_on_cuda_memory)
{
  static const gchar *const formats[] = { "NV12", "RGBA", "I420", "BGRx" };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    g_autofree gchar *caps = video_caps ("", formats[f], WIDTH, HEIGHT);
    gchar *on_gpu = video_caps (CUDA_CAPS, formats[f], WIDTH, HEIGHT);
    g_autoptr (GstShapeSet) set = make_shapes (WIDTH, HEIGHT);
    g_autoptr (GstBuffer) in = video_noise (caps, 1);
    g_autoptr (GstBuffer) cpu = overlay (NULL, "fill-opacity=0.4", caps,
        gst_buffer_copy_deep (in), set);
    g_autoptr (GstBuffer) cuda = overlay (test_context, "fill-opacity=0.4",
        on_gpu, in_cuda_memory (test_context, caps, in), set);

    assert_equal (on_gpu, cuda, cpu, "filled");
    g_free (on_gpu);
  }
}

TEST (test_overlay_leaves_shared_frames_alone)
{
  g_autoptr (GstShapeSet) set = make_shapes (WIDTH, HEIGHT);

  assert_leaves_shared_frames ("shapeoverlay line-width=3",
      "shapeoverlay line-width=3", set);
}

/* What cudacontours finds on the GPU is drawn and marked there. */
TEST (test_contours_are_drawn_and_marked_on_the_gpu)
{
  g_autofree gchar *caps = video_caps ("", "NV12", WIDTH, HEIGHT);
  g_autofree gchar *on_gpu = video_caps (CUDA_CAPS, "NV12", WIDTH, HEIGHT);
  g_autoptr (GstBuffer) in = video_noise (caps, 1);
  GstBuffer *cpu = run_line (NULL, "cudacontours backend=cpu min-area=9 ! "
      "cudacircles backend=cpu from-contours=enclosing fill=false "
      "stroke-width=2", caps, gst_buffer_copy_deep (in));
  GstBuffer *cuda = run_line (test_context, "cudacontours backend=cuda "
      "min-area=9 ! cudacircles backend=cuda from-contours=enclosing "
      "fill=false stroke-width=2", on_gpu, in_cuda_memory (test_context, caps, in));

  fail_if (compare_frames (on_gpu, cpu, in).most == 0);
  assert_equal (on_gpu, cuda, cpu, "markers");
  gst_buffer_unref (cpu);
  gst_buffer_unref (cuda);
}

static void
run_many (const gchar * line, GstShapeSet * set, guint n)
{
  g_autofree gchar *caps = video_caps ("", "NV12", WIDTH, HEIGHT);
  g_autofree gchar *on_gpu = video_caps (CUDA_CAPS, "NV12", WIDTH, HEIGHT);
  g_autoptr (GstBuffer) in = video_noise (caps, 1);
  g_autoptr (GstHarness) h = harness_on (test_context, line);

  gst_harness_set_src_caps_str (h, on_gpu);
  while (n--) {
    GstBuffer *buffer = in_cuda_memory (test_context, caps, in);

    if (set)
      gst_buffer_add_shape_meta (buffer, set);
    gst_buffer_unref (run (h, buffer));
  }
}

TEST (test_memory_stays_as_it_is)
{
  g_autoptr (GstShapeSet) set = make_shapes (WIDTH, HEIGHT);

  for (guint i = 0; i < 2; i++) {
    run_many ("cudacircles backend=cuda scene=snow", NULL, 20);
    run_many ("shapeoverlay line-width=3", set, 20);
  }
  gsize before = free_device_memory ();
  for (guint i = 0; i < 10; i++) {
    run_many ("cudacircles backend=cuda scene=snow", NULL, 20);
    run_many ("shapeoverlay line-width=3", set, 20);
  }
  /* what other processes do can be seen too */
  fail_unless (free_device_memory () + (64 << 20) > before, "%u MiB are gone",
      (guint) ((before - free_device_memory ()) >> 20));
}

GPU_SUITE (circles)
{
  tcase_set_timeout (tcase, 120);
}
