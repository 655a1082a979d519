/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* shapeoverlay on a GPU: labels, legends, casings, fillings of hulls, rectangles,
 * ellipses and regions are what the CPU paints, in system and CUDA memory, also
 * where frames repeat a set. */

#include "gpu_test.h"

#include <string.h>

#define WIDTH 322
#define HEIGHT 124

static const gchar *const formats[] = { "NV12", "I420", "Y444", "P010_10LE",
  "RGBA", "BGRA", "RGBx", "BGRx"
};

static const gchar *const properties[] = {
  "label=\"{id} {area:.1f}\" font-size=14",
  "legend=top-right color-mode=class",
  "label={class} legend=bottom-left casing=2 line-width=3",
  "casing=1.5 casing-color-name=#80ff00c0 color-mode=shape",
  "fill-hulls=true fill-opacity=0.4",
  "draw-rectangles=true line-width=2.5",
  "draw-ellipses=true draw-contours=false casing=1",
  "draw-roi=true color-mode=region",
  "label={id} legend=top-left casing=1 fill-hulls=true fill-opacity=0.3 "
      "draw-rectangles=true draw-ellipses=true draw-roi=true opacity=0.7",
};

static GstShapeSet *
make_set (void)
{
  GError *error = NULL;
  GstShapeSet *set = gst_shape_set_from_json ("{\"version\":1,\"width\":322,"
      "\"height\":124,\"shapes\":["
      "{\"id\":0,\"kind\":\"contour\",\"class\":0,\"closed\":true,"
      "\"points\":[[30,20],[120,31],[90,60.5],[110,99],[40,90],[30,20]]},"
      "{\"id\":1,\"kind\":\"contour\",\"class\":2,\"closed\":true,"
      "\"points\":[[200.25,10],[300,20],[290,70],[210,80],[200.25,10]]}]}",
      &error);

  fail_unless (set != NULL, "%s", error ? error->message : "");
  GstShapeSet *hulls = gst_shape_set_from_json ("{\"version\":1,\"width\":322,"
      "\"height\":124,\"shapes\":["
      "{\"id\":2,\"kind\":\"hull\",\"parent\":0,\"closed\":true,"
      "\"points\":[[30,20],[120,31],[110,99],[40,90],[30,20]],"
      "\"feret\":[70,100],\"min-area-rect\":{\"center\":[74,58],"
      "\"size\":[90,72],\"angle\":10},"
      "\"enclosing-circle\":{\"x\":74,\"y\":58,\"r\":60},"
      "\"enclosing-ellipse\":{\"center\":[74.5,58.25],\"axes\":[62,44],"
      "\"angle\":25}}]}", &error);
  fail_unless (hulls != NULL, "%s", error ? error->message : "");
  gst_shape_set_add_layer (set,
      gst_shape_layer_ref (gst_shape_set_get_layer (hulls, 0)));
  gst_shape_set_unref (hulls);
  return set;
}

/* Bytes that differ. Bits below a sample (P010's lower six) say nothing: who
 * paints a pixel clears them, and who leaves it leaves them. */
static guint
n_different (const gchar * caps, GstBuffer * a, GstBuffer * b)
{
  g_autoptr (GstCaps) parsed = gst_caps_from_string (caps);
  GstVideoFrame x, y;
  GstVideoInfo info;
  guint n = 0;

  fail_unless (gst_video_info_from_caps (&info, parsed));
  fail_unless (gst_video_frame_map (&x, &info, a, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&y, &info, b, GST_MAP_READ));
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&info); p++) {
    gint c[GST_VIDEO_MAX_COMPONENTS];
    guint8 mask[2] = { 0xff, 0xff };

    gst_video_format_info_component (info.finfo, p, c);
    gint size = GST_VIDEO_INFO_COMP_WIDTH (&info, c[0]) *
        GST_VIDEO_INFO_COMP_PSTRIDE (&info, c[0]);
    if (GST_VIDEO_INFO_COMP_DEPTH (&info, c[0]) > 8)
      GST_WRITE_UINT16_LE (mask,
          0xffff << GST_VIDEO_FORMAT_INFO_SHIFT (info.finfo, c[0]));
    for (guint row = 0; row < (guint) GST_VIDEO_INFO_COMP_HEIGHT (&info, c[0]);
        row++) {
      const guint8 *s = (const guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&x, p) +
          (gsize) row * GST_VIDEO_FRAME_PLANE_STRIDE (&x, p);
      const guint8 *t = (const guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&y, p) +
          (gsize) row * GST_VIDEO_FRAME_PLANE_STRIDE (&y, p);

      for (gint i = 0; i < size; i++)
        n += ((s[i] ^ t[i]) & mask[i & 1]) != 0;
    }
  }
  gst_video_frame_unmap (&x);
  gst_video_frame_unmap (&y);
  return n;
}

static GstHarness *
start (GstCudaContext * context, const gchar * backend, const gchar * more,
    const gchar * caps)
{
  gchar *line = g_strdup_printf ("shapeoverlay backend=%s %s", backend, more);
  GstHarness *h = harness_on (context, line);

  gst_harness_set_src_caps_str (h, caps);
  g_free (line);
  return h;
}

static GstBuffer *
draw (GstHarness * h, GstBuffer * buffer, GstShapeSet * set)
{
  gst_buffer_add_shape_meta (buffer, set);
  gst_buffer_add_video_region_of_interest_meta (buffer, "fruit", 11, 7, 250,
      80);
  return run (h, buffer);
}

/* Four frames, whose sets are one, one, another, and the first again. */
static void
check (const gchar * format, const gchar * more, gboolean on_gpu)
{
  g_autofree gchar *caps = video_caps ("", format, WIDTH, HEIGHT);
  g_autofree gchar *cuda_caps = video_caps (on_gpu ? CUDA_CAPS : "", format,
      WIDTH, HEIGHT);
  g_autoptr (GstHarness) a = start (NULL, "cpu", more, caps);
  g_autoptr (GstHarness) b = start (test_context, "cuda", more, cuda_caps);
  GstShapeSet *sets[2] = { make_set (), make_set () };

  for (guint i = 0; i < 4; i++) {
    g_autoptr (GstBuffer) in = video_noise (caps, i);
    GstBuffer *cpu = draw (a, gst_buffer_copy_deep (in), sets[i == 2]);
    g_autoptr (GstBuffer) cuda = draw (b, on_gpu ? in_cuda_memory (test_context,
            caps, in) : gst_buffer_copy_deep (in), sets[i == 2]);

    fail_unless (n_different (caps, cpu, in) > 100, "%s: nothing is drawn",
        more);
    fail_unless (n_different (cuda_caps, cuda, cpu) == 0,
        "%s, frame %u, %s: %u samples differ", format, i, more,
        n_different (cuda_caps, cuda, cpu));
    gst_buffer_unref (cpu);
  }
  gst_shape_set_unref (sets[0]);
  gst_shape_set_unref (sets[1]);
}

TEST_LOOP (test_system_memory_shows_what_the_cpu_shows, 0,
    G_N_ELEMENTS (formats))
{
  for (guint p = 0; p < G_N_ELEMENTS (properties); p++)
    check (formats[__i__], properties[p], FALSE);
}

TEST_LOOP (test_cuda_memory_shows_what_the_cpu_shows, 0, G_N_ELEMENTS (formats))
{
  for (guint p = 0; p < G_N_ELEMENTS (properties); p++)
    check (formats[__i__], properties[p], TRUE);
}

GPU_SUITE (overlay)
{
  tcase_set_timeout (tcase, 120);
}
