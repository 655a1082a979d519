/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudacircles in every format, every scene, every size: the picture is that of
 * the literal renderer. */

#include "circles_test.h"

static const gchar *const formats[] = { "RGBA", "BGRA", "ARGB", "ABGR", "RGBx",
  "BGRx", "xRGB", "xBGR", "RGB", "BGR", "NV12", "NV21", "I420", "YV12",
  "Y42B", "Y444", "YUY2", "UYVY", "GRAY8", "GRAY16_LE", "P010_10LE", "I420_10LE"
};

/* A few circles of every sort; the last two are equally far. */
static const CsCircle few[] = {
  {10.f, 8.f, 6.5f, .5f, 0xff000080}, {16.25f, 9.f, 7.f, .25f, 0x00ff0080},
  {21.f, 14.5f, 5.f, .75f, 0x2040ffff}, {3.f, 20.f, 8.f, 1.f, 0xffff0040},
  {30.f, 3.f, 12.f, 0.f, 0xffffff20}, {19.f, 17.f, 4.f, 0.f, 0x00000080}
};

#define FEW "circles=\"<" \
  "[circle,x=10.,y=8.,r=6.5,z=.5,color=(uint)0x80ff0000]," \
  "[circle,x=16.25,y=9.,r=7.,z=.25,color=(uint)0x8000ff00]," \
  "[circle,x=21,y=14.5,r=5,z=.75,color=(uint)0xff2040ff]," \
  "[circle,x=3.,y=20.,r=8.,z=1.,color=(uint)0x40ffff00]," \
  "[circle,x=30.,y=3.,r=12.,color=(uint)0x20ffffff]," \
  "[circle,x=19.,y=17.,r=4.,z=0.,color=(uint)0x80000000]>\" "

TEST_LOOP (every_format, 0, G_N_ELEMENTS (formats))
{
  const gchar *format = formats[__i__];

  assert_paints_on (FEW, format, 33, 25, NULL, few, G_N_ELEMENTS (few), TRUE,
      1.f);
  assert_paints_on (FEW "antialias=false opacity=0.7", format, 32, 24, NULL,
      few, G_N_ELEMENTS (few), FALSE, .7f);
}

TEST_LOOP (every_size, 0, G_N_ELEMENTS (formats))
{
  static const guint sizes[][2] = { {1, 1}, {2, 1}, {1, 2}, {3, 3}, {7, 40},
  {255, 3}, {64, 64}, {65, 33}
  };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    assert_paints_on (FEW, formats[__i__], sizes[i][0], sizes[i][1], NULL, few,
        G_N_ELEMENTS (few), TRUE, 1.f);
}

TEST (matrices_and_ranges)
{
  static const gchar *const colorimetries[] = { "bt601", "bt709", "bt2020",
    "1:4:5:1", "1:3:5:1"
  };
  static const gchar *const yuv[] = { "I420", "Y444", "P010_10LE" };

  for (guint i = 0; i < G_N_ELEMENTS (colorimetries); i++)
    for (guint k = 0; k < G_N_ELEMENTS (yuv); k++) {
      gchar *more = g_strdup_printf (",colorimetry=%s", colorimetries[i]);
      g_autoptr (GstHarness) h = circles_new (FEW);
      GstVideoInfo info;
      g_autofree gchar *caps = make_caps (&info, yuv[k], 32, 24, more);
      GstBuffer *buffer = noise_buffer (&info, 3);
      Canvas canvas;

      canvas_init (&canvas, &info, buffer);
      gst_harness_set_src_caps_str (h, caps);
      buffer = run (h, buffer);
      canvas_paint_all (&canvas, few, G_N_ELEMENTS (few),
          GST_VIDEO_INFO_COMP_DEPTH (&info, 0), TRUE, 1.f);
      assert_shows (buffer, &info, &canvas, caps);
      gst_buffer_unref (buffer);
      canvas_clear (&canvas);
      g_free (more);
    }
}

static void
check_scene (CsScene scene, guint32 seed, guint width, guint height,
    gboolean antialias)
{
  const gsize n = cs_scene_get_n_circles (scene);
  g_autofree CsCircle *circles = g_new (CsCircle, n);
  gchar *properties = g_strdup_printf ("scene=%s seed=%u antialias=%d",
      cs_scene_get_name (scene), seed, antialias);
  GstVideoInfo info;

  g_free (make_caps (&info, "RGBA", width, height, ""));
  cs_scene_make (scene, seed, 0., circles);
  for (gsize i = 0; i < n; i++)
    circles[i] = to_frame (circles[i], &info);
  assert_paints_on (properties, "RGBA", width, height, NULL, circles, n,
      antialias, 1.f);
  g_free (properties);
}

/* The reference renderer tests every pixel against every circle, hence smaller
 * pictures for larger scenes. */
TEST_LOOP (every_scene, CS_SCENE_RGB, CS_N_SCENES)
{
  const CsScene scene = (CsScene) __i__;
  const gsize n = cs_scene_get_n_circles (scene);
  const guint side = n > 500000 ? 5 : n > 50000 ? 16 : n > 5000 ? 40 : 90;

  check_scene (scene, 0, side, side, FALSE);
  check_scene (scene, 99, side + side / 2, side, TRUE);
}

static void
assert_background (const gchar * properties, const gchar * format,
    const guint * codes)
{
  g_autoptr (GstHarness) h = circles_new (properties);
  GstVideoInfo info;
  g_autofree gchar *caps = make_caps (&info, format, 9, 7, "");
  g_autoptr (GstBuffer) buffer = noise_buffer (&info, 1);
  GstVideoFrame frame;

  gst_harness_set_src_caps_str (h, caps);
  buffer = run (h, buffer);
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS (&frame); c++) {
    const guint x = GST_VIDEO_FRAME_COMP_WIDTH (&frame, c) - 1;
    const guint y = GST_VIDEO_FRAME_COMP_HEIGHT (&frame, c) - 1;

    fail_unless (get_code (&frame, c, 0, 0) == codes[c]
        && get_code (&frame, c, x, y) == codes[c],
        "%s %s: component %u is %u, not %u", properties, format, c,
        get_code (&frame, c, x, y), codes[c]);
  }
  gst_video_frame_unmap (&frame);
}

TEST (backgrounds)
{
  static const guint black[] = { 0, 0, 0, 255 };
  static const guint white[] = { 255, 255, 255, 255 };
  static const guint nothing[] = { 0, 0, 0, 0 };
  static const guint black_yuv[] = { 16, 128, 128 };
  static const guint white_yuv[] = { 235, 128, 128 };
  static const guint white_yuv_10[] = { 940, 512, 512 };

  assert_background ("background=black", "BGRA", black);
  assert_background ("background=white", "ARGB", white);
  assert_background ("background=transparent", "RGBA", nothing);
  assert_background ("background=transparent", "RGB", black);
  assert_background ("background=black", "I420", black_yuv);
  assert_background ("background=white", "NV12", white_yuv);
  assert_background ("background=transparent", "NV21", black_yuv);
  assert_background ("background=white", "P010_10LE", white_yuv_10);
  assert_background ("background=white", "GRAY8", white);
  /* a circle that covers all of it */
  assert_background ("background=transparent circles=\"<[circle,x=4,y=3,r=99]>"
      "\"", "RGBA", white);
}

/* The warnings of two frames of @format. */
static guint
count_warnings (const gchar * properties, const gchar * format)
{
  g_autoptr (GstHarness) h = circles_new (properties);
  g_autoptr (GstBus) bus = take_bus (h, "cudacircles");
  GstVideoInfo info;
  g_autofree gchar *caps = make_caps (&info, format, 9, 7, "");

  gst_harness_set_src_caps_str (h, caps);
  for (guint i = 0; i < 2; i++)
    gst_buffer_unref (run (h, noise_buffer (&info, 1)));
  return count_told (bus, "alpha");
}

TEST (transparency_that_cannot_be_is_told)
{
  fail_unless_equals_int (count_warnings ("background=transparent", "RGB"), 1);
  fail_unless_equals_int (count_warnings ("background=transparent", "NV12"), 1);
  fail_unless_equals_int (count_warnings ("background=transparent", "RGBA"), 0);
  fail_unless_equals_int (count_warnings ("background=black", "RGB"), 0);
}

/* Half of black and half of white: in light, that is code 188. */
TEST (linear_light)
{
  static const guint half_gamma[] = { 128, 128, 128, 255 };
  static const guint half_linear[] = { 188, 188, 188, 255 };

  assert_background ("background=black circles=\"<[circle,x=4,y=3,r=99,"
      "color=(uint)0x80ffffff]>\"", "RGBA", half_gamma);
  assert_background ("background=black blend=linear circles=\"<[circle,x=4,y=3,"
      "r=99,color=(uint)0x80ffffff]>\"", "RGBA", half_linear);
}

/* A ring where there is only an outline: the middle stays the frame's. */
TEST (outlines)
{
  GstHarness *h = circles_new ("background=black fill=false stroke-width=4 "
      "antialias=false stroke-color=0xff00ff00 circles=\"<[circle,x=20,y=20,"
      "r=10,color=(uint)0x80ff0000]>\"");
  GstVideoInfo info;
  g_autofree gchar *caps = make_caps (&info, "RGB", 41, 41, "");
  g_autoptr (GstBuffer) buffer = run ((gst_harness_set_src_caps_str (h, caps),
          h), noise_buffer (&info, 1));
  GstVideoFrame frame;

  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  for (guint x = 0; x < 41; x++) {
    const gint d = ABS ((gint) x - 20);
    const gboolean inside = d >= 8 && d <= 12;

    fail_unless (get_code (&frame, 0, x, 20) == 0
        && get_code (&frame, 1, x, 20) == (inside ? 255 : 0), "column %u", x);
  }
  gst_video_frame_unmap (&frame);
  gst_buffer_unref (buffer);

  /* by default it has the circle's colour, without its transparency */
  set_property (h, "stroke-color", "0");
  set_property (h, "fill", "true");
  buffer = run (h, noise_buffer (&info, 1));
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  fail_unless_equals_int (get_code (&frame, 0, 20, 20), 128);
  fail_unless_equals_int (get_code (&frame, 0, 29, 20), 255);
  fail_unless_equals_int (get_code (&frame, 0, 33, 20), 0);
  gst_video_frame_unmap (&frame);
  gst_harness_teardown (h);
}

SUITE (formats) {}
