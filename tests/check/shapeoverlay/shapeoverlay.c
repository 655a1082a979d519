/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <gst/video/video.h>

#include <math.h>
#include <string.h>

#include "../lib/harness.h"
#include "../lib/suite.h"
#include "shapes/gstshapes.h"

#define RED 0xffff0000u

static const gchar *const formats[] = {
  "RGBA", "BGRA", "ARGB", "ABGR", "RGBx", "BGRx", "xRGB", "xBGR", "RGB", "BGR",
  "NV12", "NV21", "I420", "YV12", "Y42B", "Y444", "YUY2", "UYVY", "GRAY8",
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
  "GRAY16_LE", "P010_10LE", "I420_10LE"
#endif
};

/* Shapes */

static GstShapeLayer *
polyline_layer (const GstShapePoint * points, gsize n, GstShapeKind kind,
    gint class_id)
{
  guint32 offsets[2] = { 0, (guint32) n };
  GstShapePolyline polyline = { 0, };

  polyline.parent = -1;
  polyline.class_id = class_id;
  polyline.kind = kind;
  if (points[0].x == points[n - 1].x && points[0].y == points[n - 1].y)
    polyline.flags = GST_SHAPE_FLAG_CLOSED;
  return gst_shape_layer_new_polylines_copy (points, n, offsets, &polyline, 1,
      NULL);
}

/* A set that takes over @layer. */
static GstShapeSet *
set_with (guint width, guint height, GstShapeLayer * layer)
{
  GstShapeSet *set = gst_shape_set_new (width, height);

  gst_shape_set_add_layer (set, layer);
  return set;
}

static void
add_set (GstBuffer * buffer, GstShapeSet * set)
{
  gst_buffer_add_shape_meta (buffer, set);
  gst_shape_set_unref (set);
}

/* From (4, 4) to (20, 20) on a 32 x 24 frame. */
static GstShapeSet *
square_set (guint width, guint height, gfloat scale, gint class_id)
{
  GstShapePoint points[5] = { {4, 4}, {20, 4}, {20, 20}, {4, 20}, {4, 4} };

  for (guint i = 0; i < 5; i++) {
    points[i].x = (points[i].x + .5f) * scale - .5f;
    points[i].y = (points[i].y + .5f) * scale - .5f;
  }
  return set_with (width, height, polyline_layer (points, 5,
          GST_SHAPE_KIND_CONTOUR, class_id));
}

static GstShapeSet *
circle_set (guint width, guint height, GstShapeCircle circle)
{
  return set_with (width, height, gst_shape_layer_new_circles_copy (&circle,
          1));
}

/* Frames */

static GstCaps *
make_caps (const gchar * format, gint width, gint height,
    const gchar * colorimetry)
{
  GstCaps *caps = gst_caps_new_simple ("video/x-raw",
      "format", G_TYPE_STRING, format, "width", G_TYPE_INT, width,
      "height", G_TYPE_INT, height, "framerate", GST_TYPE_FRACTION, 0, 1, NULL);

  if (colorimetry)
    gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING, colorimetry, NULL);
  return caps;
}

/* What a frame is before something is drawn: another code in each component,
 * and opaque. */
static guint
background (guint component)
{
  static const guint8 codes[] = { 60, 110, 150, 255 };

  return codes[component];
}

/* Likewise, of as many bits as the frame's samples have. */
static guint
deep_background (GstVideoFrame * frame, guint component)
{
  return background (component)
      << (GST_VIDEO_FRAME_COMP_DEPTH (frame, component) - 8);
}

static gboolean
is_deep (GstVideoFrame * frame)
{
  return GST_VIDEO_FRAME_COMP_DEPTH (frame, 0) > 8;
}

/* What GStreamer calls the offset of V of P010 is half of U. */
static guint8 *
sample_at (GstVideoFrame * frame, guint component, gint x, gint y)
{
  guint8 *data = GST_VIDEO_FRAME_COMP_DATA (frame, component);
  const gint offset = GST_VIDEO_FRAME_COMP_POFFSET (frame, component);

  return data + y * GST_VIDEO_FRAME_COMP_STRIDE (frame, component)
      + x * GST_VIDEO_FRAME_COMP_PSTRIDE (frame, component)
      + (is_deep (frame) ? offset % 2 : 0);
}

static guint
code_at (GstVideoFrame * frame, guint component, gint x, gint y)
{
  const guint8 *at = sample_at (frame, component, x, y);

  if (!is_deep (frame))
    return *at;
  return GST_READ_UINT16_LE (at)
      >> GST_VIDEO_FORMAT_INFO_SHIFT (frame->info.finfo, component);
}

static void
set_code (GstVideoFrame * frame, guint component, gint x, gint y, guint code)
{
  guint8 *at = sample_at (frame, component, x, y);

  if (is_deep (frame))
    GST_WRITE_UINT16_LE (at, code
        << GST_VIDEO_FORMAT_INFO_SHIFT (frame->info.finfo, component));
  else
    *at = (guint8) code;
}

/* @padding more bytes in each row than the caps say. */
static GstBuffer *
make_frame (GstCaps * caps, gint padding)
{
  GstVideoInfo info;
  GstVideoFrame frame;

  fail_unless (gst_video_info_from_caps (&info, caps));
  if (padding > 0) {
    GstVideoAlignment align;

    gst_video_alignment_reset (&align);
    align.padding_right = (guint) padding;
    align.padding_bottom = 2;
    fail_unless (gst_video_info_align (&info, &align));
  }
  GstBuffer *buffer = gst_buffer_new_allocate (NULL,
      GST_VIDEO_INFO_SIZE (&info), NULL);
  gst_buffer_memset (buffer, 0, 0xab, gst_buffer_get_size (buffer));
  if (padding > 0)
    gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
        GST_VIDEO_INFO_FORMAT (&info), (guint) GST_VIDEO_INFO_WIDTH (&info),
        (guint) GST_VIDEO_INFO_HEIGHT (&info), GST_VIDEO_INFO_N_PLANES (&info),
        info.offset, info.stride);
  gst_video_info_from_caps (&info, caps);
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READWRITE));
  for (guint i = 0; i < GST_VIDEO_FRAME_N_COMPONENTS (&frame); i++)
    for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (&frame, i); y++)
      for (gint x = 0; x < GST_VIDEO_FRAME_COMP_WIDTH (&frame, i); x++)
        set_code (&frame, i, x, y, deep_background (&frame, i));
  for (guint i = 0; padding > 0 && i < GST_VIDEO_FRAME_N_PLANES (&frame); i++)
    fail_unless (GST_VIDEO_FRAME_PLANE_STRIDE (&frame, i)
        > info.stride[i] - 4 * padding);
  gst_video_frame_unmap (&frame);
  GST_BUFFER_PTS (buffer) = 0;
  return buffer;
}

static GstHarness *
make_harness (GstCaps * caps)
{
  GstHarness *h = gst_harness_new ("shapeoverlay");

  g_object_set (h->element, "color", RED, NULL);
  gst_util_set_object_arg (G_OBJECT (h->element), "color-mode", "fixed");
  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  return h;
}

static GstBuffer *
draw (GstHarness * h, GstBuffer * frame)
{
  GstBuffer *out = gst_harness_push_and_pull (h, frame);

  fail_unless (out != NULL);
  return out;
}

/* The code that @weight of @code over @below makes. */
static gint
mixed (guint below, gdouble code, gdouble weight)
{
  return (gint) floor (below + weight * (code - below) + .5);
}

#define assert_code(frame, component, x, y, expected) G_STMT_START { \
  gint got_ = (gint) code_at (frame, component, x, y), expected_ = expected; \
  fail_unless (ABS (got_ - expected_) <= 1, \
      "%s, component %u at %d,%d is %d, not %d", \
      GST_VIDEO_INFO_NAME (&(frame)->info), component, x, y, got_, expected_); \
} G_STMT_END

/* Red, as R, G, B, alpha or as Y, Cb, Cr. */
typedef struct
{
  const gchar *colorimetry;
  gdouble codes[4];
} Red;

static const Red red_rgb = { NULL, {255, 0, 0, 255} };

static const Red red_yuv[] = {
  {"bt601", {81, 90, 240}},
  {"bt709", {63, 102, 240}},
  {"bt2020", {74, 97, 240}},
  {"1:4:0:0", {76, 85, 255}},   /* full range, bt601 */
  {"1:3:0:0", {54, 99, 255}},   /* full range, bt709 */
};
static const Red red_gray = { "1:4:0:0", {76} };

/* Of 10 bits: 16 + 219 * .299, 128 - 224 * .299 / 1.772 and 240, times 4. */
static const Red red_deep_yuv = { "bt601", {325.924, 360.81, 960} };
static const Red red_deep_gray = { "1:4:0:0", {.299 * 65535} };

/* Coverage of the rows from the one above the square's upper edge on. */
static const gdouble row_coverage[] = { 0., .5, 1., .5, 0., 0. };

/* How much of sample (10, y) of a component is covered by the upper edge of a
 * square whose line has @opacity: the mean over its pixels. */
static gdouble
sample_coverage (const GstVideoInfo * info, guint component, gint y)
{
  gint n = 1 << GST_VIDEO_FORMAT_INFO_H_SUB (info->finfo, component);
  gdouble sum = 0.;

  for (gint i = y * n; i < (y + 1) * n; i++)
    sum += i >= 2 && i < 8 ? row_coverage[i - 2] : 0.;
  return sum / n;
}

static void
assert_square (GstBuffer * buffer, GstCaps * caps, const Red * red,
    gdouble opacity)
{
  GstVideoInfo info;
  GstVideoFrame frame;

  gst_video_info_from_caps (&info, caps);
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  for (guint i = 0; i < GST_VIDEO_FRAME_N_COMPONENTS (&frame); i++) {
    gint x = 10 >> GST_VIDEO_FORMAT_INFO_W_SUB (info.finfo, i);

    for (gint y = 0; y < 8 >> GST_VIDEO_FORMAT_INFO_H_SUB (info.finfo, i); y++)
      assert_code (&frame, i, x, y, mixed (deep_background (&frame, i),
              red->codes[i], opacity * sample_coverage (&info, i, y)));
  }
  gst_video_frame_unmap (&frame);
}

static void
check_square (const gchar * format, const Red * red, gdouble opacity)
{
  g_autoptr (GstCaps) caps = make_caps (format, 32, 24, red->colorimetry);
  g_autoptr (GstHarness) h = make_harness (caps);
  g_autoptr (GstBuffer) frame = make_frame (caps, 0);

  g_object_set (h->element, "opacity", opacity, NULL);
  add_set (frame, square_set (32, 24, 1.f, 0));
  frame = draw (h, frame);
  assert_square (frame, caps, red, opacity);
}

static const Red *
red_of (const gchar * format)
{
  if (strchr (format, 'R') != NULL && strchr (format, 'B') != NULL)
    return &red_rgb;
  if (g_str_has_suffix (format, "_10LE"))
    return &red_deep_yuv;
  if (g_str_equal (format, "GRAY16_LE"))
    return &red_deep_gray;
  return g_str_equal (format, "GRAY8") ? &red_gray : &red_yuv[0];
}

TEST (test_square_contour_has_full_half_and_no_pixels_in_each_format)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    check_square (formats[i], red_of (formats[i]), 1.);
}

TEST (test_opacity_mixes_in_each_format)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    check_square (formats[i], red_of (formats[i]), .4);
}

TEST (test_yuv_colours_follow_matrix_and_range_of_the_caps)
{
  for (guint i = 0; i < G_N_ELEMENTS (red_yuv); i++) {
    check_square ("NV12", &red_yuv[i], 1.);
    check_square ("Y444", &red_yuv[i], 1.);
  }
}

TEST (test_padding_byte_is_left_alone)
{
  g_autoptr (GstCaps) caps = make_caps ("RGBx", 32, 24, NULL);
  g_autoptr (GstHarness) h = make_harness (caps);
  g_autoptr (GstBuffer) frame = make_frame (caps, 0);
  g_auto (GstBufferMapInfo) map = GST_MAP_INFO_INIT;

  add_set (frame, square_set (32, 24, 1.f, 0));
  frame = draw (h, frame);
  gst_buffer_map (frame, &map, GST_MAP_READ);
  for (gsize i = 3; i < map.size; i += 4)
    fail_unless_equals_int (map.data[i], 0xab);
}

TEST (test_transparent_frames_become_opaque_where_something_is_drawn)
{
  g_autoptr (GstCaps) caps = make_caps ("BGRA", 32, 24, NULL);
  g_autoptr (GstHarness) h = make_harness (caps);
  g_autoptr (GstBuffer) buffer = make_frame (caps, 0);
  GstVideoInfo info;
  GstVideoFrame frame;

  gst_buffer_memset (buffer, 0, 0, gst_buffer_get_size (buffer));
  add_set (buffer, square_set (32, 24, 1.f, 0));
  buffer = draw (h, buffer);
  gst_video_info_from_caps (&info, caps);
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  /* half-covered pixels are half transparent, not half black */
  assert_code (&frame, 0, 10, 4, 255);
  assert_code (&frame, 3, 10, 4, 255);
  assert_code (&frame, 0, 10, 3, 255);
  assert_code (&frame, 1, 10, 3, 0);
  assert_code (&frame, 3, 10, 3, 128);
  assert_code (&frame, 3, 10, 10, 0);
  gst_video_frame_unmap (&frame);
}

TEST (test_shapes_of_another_size_are_rescaled)
{
  static const gfloat scales[] = { .5f, 2.f, 20.f };

  for (guint i = 0; i < G_N_ELEMENTS (scales); i++) {
    g_autoptr (GstCaps) caps = make_caps ("I420", 32, 24, "bt601");
    g_autoptr (GstHarness) h = make_harness (caps);
    g_autoptr (GstBuffer) frame = make_frame (caps, 0);

    add_set (frame, square_set ((guint) (32 * scales[i]),
            (guint) (24 * scales[i]), scales[i], 0));
    frame = draw (h, frame);
    assert_square (frame, caps, &red_yuv[0], 1.);
  }
}

/* Everything that is not padding. */
static void
assert_same_picture (GstBuffer * a, GstBuffer * b, GstCaps * caps)
{
  GstVideoInfo info;
  GstVideoFrame fa, fb;

  gst_video_info_from_caps (&info, caps);
  fail_unless (gst_video_frame_map (&fa, &info, a, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&fb, &info, b, GST_MAP_READ));
  for (guint i = 0; i < GST_VIDEO_FRAME_N_COMPONENTS (&fa); i++)
    for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (&fa, i); y++)
      for (gint x = 0; x < GST_VIDEO_FRAME_COMP_WIDTH (&fa, i); x++)
        fail_unless_equals_int (code_at (&fa, i, x, y), code_at (&fb, i, x, y));
  gst_video_frame_unmap (&fa);
  gst_video_frame_unmap (&fb);
}

/* Bytes that belong to no sample are 0xab in @before; no sample is. */
static void
assert_padding_untouched (GstBuffer * before, GstBuffer * after)
{
  g_auto (GstBufferMapInfo) a = GST_MAP_INFO_INIT, b = GST_MAP_INFO_INIT;

  gst_buffer_map (before, &a, GST_MAP_READ);
  gst_buffer_map (after, &b, GST_MAP_READ);
  fail_unless_equals_uint64 (a.size, b.size);
  for (gsize i = 0; i < a.size; i++)
    fail_if (a.data[i] == 0xab && b.data[i] != 0xab);
}

TEST (test_odd_sizes_and_padded_strides_in_each_format)
{
  static const gint sizes[][2] = { {1, 1}, {2, 1}, {1, 3}, {17, 5}, {33, 21} };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    for (guint k = 0; k < G_N_ELEMENTS (sizes); k++) {
      GstCaps *caps = make_caps (formats[i], sizes[k][0], sizes[k][1], NULL);
      g_autoptr (GstHarness) h = make_harness (caps);
      g_autoptr (GstBuffer) plain = make_frame (caps, 0);
      g_autoptr (GstBuffer) padded = make_frame (caps, 13);
      g_autoptr (GstBuffer) before = make_frame (caps, 13);
      GstVideoInfo info;
      GstVideoFrame frame;

      g_object_set (h->element, "color", 0xffffffffu, "fill-opacity", .5, NULL);
      add_set (plain, square_set (24, 24, 1.f, 0));
      add_set (padded, square_set (24, 24, 1.f, 0));
      plain = draw (h, plain);
      padded = draw (h, padded);
      assert_same_picture (plain, padded, caps);
      assert_padding_untouched (before, padded);

      gst_video_info_from_caps (&info, caps);
      fail_unless (gst_video_frame_map (&frame, &info, plain, GST_MAP_READ));
      fail_unless (code_at (&frame, 0, sizes[k][0] / 2, sizes[k][1] / 2)
          > deep_background (&frame, 0));
      gst_video_frame_unmap (&frame);
      gst_caps_unref (caps);
    }
}

TEST (test_last_odd_row_and_column_of_chroma_are_whole)
{
  g_autoptr (GstCaps) caps = make_caps ("I420", 7, 5, "bt601");
  g_autoptr (GstHarness) h = make_harness (caps);
  g_autoptr (GstBuffer) buffer = make_frame (caps, 0);
  GstShapePoint corner[2] = { {6, 4}, {6, 4}
  };
  GstVideoInfo info;
  GstVideoFrame frame;

  add_set (buffer, set_with (7, 5, polyline_layer (corner, 2,
              GST_SHAPE_KIND_CONTOUR, 0)));
  buffer = draw (h, buffer);
  gst_video_info_from_caps (&info, caps);
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  /* one pixel is all that this chroma sample has */
  assert_code (&frame, 0, 6, 4, 81);
  assert_code (&frame, 1, 3, 2, 90);
  assert_code (&frame, 2, 3, 2, 240);
  gst_video_frame_unmap (&frame);
}

/* Colours */

static guint32
pixel (GstBuffer * buffer, gint width, gint x, gint y)
{
  guint8 p[4];

  gst_buffer_extract (buffer, (gsize) (y * width + x) * 4, p, 4);
  return (guint32) p[3] << 24 | (guint32) p[0] << 16 | (guint32) p[1] << 8
      | p[2];
}

static guint32
colour_of (GstHarness * h, GstCaps * caps, GstShapeSet * set, gint x, gint y)
{
  g_autoptr (GstBuffer) frame = make_frame (caps, 0);

  add_set (frame, set);
  frame = draw (h, frame);
  return pixel (frame, 32, x, y);
}

TEST (test_classes_have_the_colours_of_the_palette)
{
  static const guint32 expected[] = {
    0xff56b4e9, 0xffe69f00, 0xff009e73, 0xfff0e442, 0xffcc79a7, 0xffd55e00,
    0xff0072b2, 0xff56b4e9
  };
  g_autoptr (GstCaps) caps = make_caps ("RGBA", 32, 24, NULL);
  g_autoptr (GstHarness) h = gst_harness_new ("shapeoverlay");

  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  for (gint i = 0; i < (gint) G_N_ELEMENTS (expected); i++)
    fail_unless_equals_int_hex (colour_of (h, caps, square_set (32, 24, 1.f,
                i), 10, 4), expected[i]);
  /* never outside of the palette */
  colour_of (h, caps, square_set (32, 24, 1.f, -1), 10, 4);

  gst_util_set_object_arg (G_OBJECT (h->element), "colors",
      "<0xff102030, 0xff405060>");
  fail_unless_equals_int_hex (colour_of (h, caps, square_set (32, 24, 1.f, 0),
          10, 4), 0xff102030);
  fail_unless_equals_int_hex (colour_of (h, caps, square_set (32, 24, 1.f, 3),
          10, 4), 0xff405060);
  gst_util_set_object_arg (G_OBJECT (h->element), "color-mode", "shape");
  fail_unless_equals_int_hex (colour_of (h, caps, square_set (32, 24, 1.f, 3),
          10, 4), 0xff102030);
  gst_util_set_object_arg (G_OBJECT (h->element), "color-mode", "fixed");
  g_object_set (h->element, "color", 0xff0a0b0cu, NULL);
  fail_unless_equals_int_hex (colour_of (h, caps, square_set (32, 24, 1.f, 3),
          10, 4), 0xff0a0b0c);
}

/* By the size of the frame that shapes were found in: here of 16 x 16, of which
 * an area of 16 is the middle. */
TEST (test_areas_are_those_of_the_shapes_frame)
{
  g_autoptr (GstCaps) caps = make_caps ("RGBA", 32, 24, NULL);
  g_autoptr (GstHarness) h = make_harness (caps);

  gst_util_set_object_arg (G_OBJECT (h->element), "color-mode", "area");
  fail_unless_equals_int_hex (colour_of (h, caps, square_set (16, 16, .25f, 0),
          5, 1), 0xff7d7c78);
  fail_unless_equals_int_hex (colour_of (h, caps, square_set (32, 8, .25f, 0),
          5, 3), 0xff7d7c78);
}

TEST (test_palette_can_be_read_back_and_reset)
{
  GstElement *element = gst_check_setup_element ("shapeoverlay");
  GValue value = G_VALUE_INIT;

  gst_util_set_object_arg (G_OBJECT (element), "colors", "<1, 2, 3>");
  g_value_init (&value, GST_TYPE_ARRAY);
  g_object_get_property (G_OBJECT (element), "colors", &value);
  fail_unless_equals_int (gst_value_array_get_size (&value), 3);
  fail_unless_equals_int (g_value_get_uint (gst_value_array_get_value (&value,
              2)), 3);
  g_value_reset (&value);
  g_object_set_property (G_OBJECT (element), "colors", &value);
  g_object_get_property (G_OBJECT (element), "colors", &value);
  fail_unless_equals_int (gst_value_array_get_size (&value), 7);
  g_value_unset (&value);
  gst_check_teardown_element (element);
}

TEST (test_circles_have_their_own_colour_unless_it_is_fixed)
{
  GstShapeCircle circle = { 12, 12, 6, 0, 0x123456ff, -1 };
  g_autoptr (GstCaps) caps = make_caps ("RGBA", 32, 24, NULL);
  g_autoptr (GstHarness) h = gst_harness_new ("shapeoverlay");

  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  fail_unless_equals_int_hex (colour_of (h, caps, circle_set (32, 24, circle),
          18, 12), 0xff123456);
  gst_util_set_object_arg (G_OBJECT (h->element), "color-mode", "fixed");
  g_object_set (h->element, "color", RED, NULL);
  fail_unless_equals_int_hex (colour_of (h, caps, circle_set (32, 24, circle),
          18, 12), RED);
  /* filled */
  g_object_set (h->element, "fill-opacity", 1., NULL);
  fail_unless_equals_int_hex (colour_of (h, caps, circle_set (32, 24, circle),
          12, 12), RED);
}

/* Whatever their order in the layer, nearer ones hide those behind; of circles
 * of one depth the later one does. */
TEST (test_circles_are_drawn_from_far_to_near)
{
  static const GstShapeCircle circles[] = {
    {12, 12, 6, 1, 0x010203ff, -1}, {12, 12, 6, 3, 0x040506ff, -1},
    {12, 12, 6, NAN, 0x070809ff, -1}, {12, 12, 6, 1, 0x0a0b0cff, -1},
    {12, 12, 6, 2, 0x0d0e0fff, -1}
  };
  g_autoptr (GstCaps) caps = make_caps ("RGBA", 32, 24, NULL);
  g_autoptr (GstHarness) h = gst_harness_new ("shapeoverlay");

  g_object_set (h->element, "fill-opacity", 1., NULL);
  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  fail_unless_equals_int_hex (colour_of (h, caps, set_with (32, 24,
              gst_shape_layer_new_circles_copy (circles, 5)), 12, 12),
      0xff0a0b0c);
  fail_unless_equals_int_hex (colour_of (h, caps, set_with (32, 24,
              gst_shape_layer_new_circles_copy (circles, 3)), 12, 12),
      0xff010203);
  fail_unless_equals_int_hex (colour_of (h, caps, set_with (32, 24,
              gst_shape_layer_new_circles_copy (circles + 1, 2)), 12, 12),
      0xff040506);
}

TEST (test_hulls_are_dashed_and_lighter)
{
  GstShapePoint points[2] = { {0, 12}, {31, 12}
  };
  g_autoptr (GstCaps) caps = make_caps ("RGBA", 32, 24, NULL);
  g_autoptr (GstHarness) h = make_harness (caps);
  g_autoptr (GstBuffer) frame = make_frame (caps, 0);
  guint light = 0, untouched = 0;

  add_set (frame, set_with (32, 24, polyline_layer (points, 2,
              GST_SHAPE_KIND_HULL, 0)));
  frame = draw (h, frame);
  for (gint x = 0; x < 32; x++) {
    light += pixel (frame, 32, x, 12) == 0xffff5f5f;
    untouched += pixel (frame, 32, x, 12) == 0xff3c6e96;
  }
  fail_unless (light >= 12, "%u pixels are light red", light);
  fail_unless (untouched >= 6, "%u pixels lie between dashes", untouched);
}

TEST (test_filling_leaves_holes_empty)
{
  GstShapePoint points[10] = { {2, 2}, {22, 2}, {22, 22}, {2, 22}, {2, 2},
  {8, 8}, {8, 16}, {16, 16}, {16, 8}, {8, 8}
  };
  guint32 offsets[3] = { 0, 5, 10 };
  GstShapePolyline polylines[2] = { {0,}, };
  g_autoptr (GstCaps) caps = make_caps ("RGBA", 32, 24, NULL);
  g_autoptr (GstHarness) h = make_harness (caps);
  g_autoptr (GstBuffer) frame = make_frame (caps, 0);

  polylines[0].flags = GST_SHAPE_FLAG_CLOSED;
  polylines[1].flags = GST_SHAPE_FLAG_CLOSED | GST_SHAPE_FLAG_HOLE;
  g_object_set (h->element, "fill-opacity", 1., "line-width", 0., NULL);
  add_set (frame, set_with (32, 24, gst_shape_layer_new_polylines_copy (points,
              10, offsets, polylines, 2, NULL)));
  frame = draw (h, frame);
  fail_unless_equals_int_hex (pixel (frame, 32, 5, 12), RED);
  fail_unless_equals_int_hex (pixel (frame, 32, 12, 12), 0xff3c6e96);
  fail_unless_equals_int_hex (pixel (frame, 32, 19, 12), RED);
  fail_unless_equals_int_hex (pixel (frame, 32, 26, 12), 0xff3c6e96);
}

TEST (test_points_are_drawn_as_dots)
{
  GstShapePoint points[2] = { {4, 12}, {28, 12}
  };
  g_autoptr (GstCaps) caps = make_caps ("RGBA", 32, 24, NULL);
  g_autoptr (GstHarness) h = make_harness (caps);
  g_autoptr (GstBuffer) frame = make_frame (caps, 0);

  g_object_set (h->element, "draw-points", TRUE, "line-width", 3., NULL);
  add_set (frame, set_with (32, 24, polyline_layer (points, 2,
              GST_SHAPE_KIND_CONTOUR, 0)));
  frame = draw (h, frame);
  fail_unless_equals_int_hex (pixel (frame, 32, 4, 14), RED);
  fail_unless_equals_int_hex (pixel (frame, 32, 16, 14), 0xff3c6e96);
}

/* Nothing to draw */

typedef enum
{
  NO_META,
  EMPTY_SET,
  ALL_OUTSIDE,
  MEASURES_ONLY,
} Nothing;

static void
measures_release (gpointer payload)
{
}

static GstShapeLayer *
measures_layer (void)
{
  static const GstShapePayloadOps ops = { NULL, NULL, NULL, measures_release };
  static const guint32 offsets[2] = { 0, 5 };
  static const GstShapePolyline polylines[1];
  GstShapeArrays arrays = { 0, };

  arrays.n_shapes = 1;
  arrays.n_points = 5;
  arrays.offsets = offsets;
  arrays.polylines = polylines;
  return gst_shape_layer_new (GST_SHAPE_LAYER_POLYLINES, 1, 5, &arrays, &ops,
      NULL);
}

static void
make_nothing (Nothing what, GstBuffer * frame)
{
  GstShapeCircle circle = { 90, 90, 5, 0, RED, -1 };

  switch (what) {
    case NO_META:
      break;
    case EMPTY_SET:
      add_set (frame, gst_shape_set_new (32, 24));
      break;
    case ALL_OUTSIDE:
      add_set (frame, circle_set (32, 24, circle));
      break;
    case MEASURES_ONLY:
      add_set (frame, set_with (32, 24, measures_layer ()));
      break;
  }
}

TEST_LOOP (test_frame_on_which_nothing_is_drawn_passes_untouched, NO_META,
    MEASURES_ONLY + 1)
{
  g_autoptr (GstCaps) caps = make_caps ("NV12", 32, 24, NULL);
  g_autoptr (GstHarness) h = make_harness (caps);
  GstBuffer *frame = make_frame (caps, 0);

  make_nothing ((Nothing) __i__, frame);
  /* somebody else has it too, so it is not writable */
  g_autoptr (GstBuffer) shared = gst_buffer_ref (frame);
  g_autoptr (GstBuffer) out = draw (h, frame);
  fail_unless (out == shared);
}

TEST (test_wild_coordinates_are_survived)
{
  GstShapePoint points[6] = { {NAN, 1}, {1e30f, -1e30f}, {-INFINITY, 4},
  {3e38f, 3e38f}, {-3e38f, -3e38f}, {NAN, 1}
  };
  GstShapeCircle circle = { 1e30f, -1e30f, 1.5e30f, NAN, 0xffffffff, -1 };
  g_autoptr (GstCaps) caps = make_caps ("Y42B", 33, 21, NULL);
  g_autoptr (GstHarness) h = make_harness (caps);
  GstBuffer *frame = make_frame (caps, 0);
  GstShapeSet *set = circle_set (1, 4000, circle);
  GstShapeLayer *contour = polyline_layer (points, 6, GST_SHAPE_KIND_CONTOUR,
      0);
  GstShapeLayer *hull = polyline_layer (points, 6, GST_SHAPE_KIND_HULL, 0);

  gst_shape_set_add_layer (set, contour);
  gst_shape_set_add_layer (set, hull);
  g_object_set (h->element, "fill-opacity", 1., "draw-points", TRUE, NULL);
  add_set (frame, set);
  gst_buffer_unref (draw (h, frame));
}

SUITE (shapeoverlay) {}
