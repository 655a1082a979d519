/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudallf on every format: luma equals the kernel's result, colour is scaled by
 * the definition; ranges, matrices, strides, sizes. */

#include "llf_test.h"

#define WIDTH 61
#define HEIGHT 43

static const CsLlfSettings all = { .amount = 1 };

/* Luma, and chroma as it was */

static void
assert_luma (const GstVideoFrame * in, const GstVideoFrame * out,
    const CsLlfSettings * settings, const gchar * what)
{
  const CsLlfParams params = llf_params (&in->info);
  g_autofree guint16 *want = plan_luma (&params, in, settings);
  const guint w = GST_VIDEO_FRAME_WIDTH (in);
  guint changed = 0;

  for (guint i = 0; i < w * GST_VIDEO_FRAME_HEIGHT (in); i++) {
    const guint got = get_code (out, 0, i % w, i / w);

    fail_unless (got == want[i], "%s: luma %u,%u is %u, not %u", what, i % w,
        i / w, got, want[i]);
    changed += want[i] != get_code (in, 0, i % w, i / w);
  }
  fail_unless (w < 16 || changed > 100, "%s: nothing happened", what);
}

static void
assert_same_component (const GstVideoFrame * a, const GstVideoFrame * b,
    guint c, const gchar * what)
{
  for (guint y = 0; y < (guint) GST_VIDEO_FRAME_COMP_HEIGHT (a, c); y++)
    for (guint x = 0; x < (guint) GST_VIDEO_FRAME_COMP_WIDTH (a, c); x++)
      fail_unless (get_code (a, c, x, y) == get_code (b, c, x, y),
          "%s: component %u at %u,%u", what, c, x, y);
}

/* Chroma that follows, in double precision from the luma codes. */

static gdouble
unit_of (const GstVideoFrame * frame, gdouble code)
{
  const guint shift = GST_VIDEO_FRAME_COMP_DEPTH (frame, 0) - 8;

  if (is_limited (&frame->info))
    return (code - (16u << shift)) / (219u << shift);
  return code / ((256u << shift) - 1);
}

static gdouble
mean_luma (const GstVideoFrame * frame, guint x, guint y)
{
  const GstVideoFormatInfo *finfo = frame->info.finfo;
  const guint sub_x = GST_VIDEO_FORMAT_INFO_W_SUB (finfo, 1);
  const guint sub_y = GST_VIDEO_FORMAT_INFO_H_SUB (finfo, 1);
  gdouble sum = 0;
  guint n = 0;

  for (guint j = y << sub_y; j < (y + 1) << sub_y; j++)
    for (guint i = x << sub_x; i < (x + 1) << sub_x; i++)
      if (i < (guint) GST_VIDEO_FRAME_WIDTH (frame) &&
          j < (guint) GST_VIDEO_FRAME_HEIGHT (frame)) {
        sum += get_code (frame, 0, i, j);
        n++;
      }
  return unit_of (frame, sum / n);
}

static void
assert_scaled_chroma (const GstVideoFrame * in, const GstVideoFrame * out,
    guint c, const gchar * what)
{
  const guint depth = GST_VIDEO_FRAME_COMP_DEPTH (in, c);
  const gdouble neutral = 1u << (depth - 1);
  Difference difference = { 0, };

  for (guint y = 0; y < (guint) GST_VIDEO_FRAME_COMP_HEIGHT (in, c); y++)
    for (guint x = 0; x < (guint) GST_VIDEO_FRAME_COMP_WIDTH (in, c); x++) {
      const gdouble ratio = colour_ratio (mean_luma (in, x, y),
          mean_luma (out, x, y));
      const gdouble want = neutral + ratio * (get_code (in, c, x, y) - neutral);

      compare_codes (&difference, get_code (out, c, x, y),
          CLAMP (want, 0, (1u << depth) - 1) + .5);
    }
  assert_close (&difference, what);
}

/* RGB, in double precision from the kernel's luma. */

static gdouble
rgb_luma (const GstVideoFrame * frame, guint x, guint y)
{
  gdouble kr, kb;

  if (!gst_video_color_matrix_get_Kr_Kb (frame->info.colorimetry.matrix, &kr,
          &kb))
    gst_video_color_matrix_get_Kr_Kb (GST_VIDEO_COLOR_MATRIX_BT709, &kr, &kb);
  return (kr * get_code (frame, 0, x, y) + kb * get_code (frame, 2, x, y) +
      (1 - kr - kb) * get_code (frame, 1, x, y)) / 255;
}

static void
assert_rgb (const GstVideoFrame * in, const GstVideoFrame * out,
    const gchar * what)
{
  const guint w = GST_VIDEO_FRAME_WIDTH (in), h = GST_VIDEO_FRAME_HEIGHT (in);
  const CsLlfParams params = llf_params (&in->info);
  g_autofree gfloat *before = g_new (gfloat, w * h);
  g_autofree gfloat *after = g_new (gfloat, w * h);
  Difference difference = { 0, };

  for (guint i = 0; i < w * h; i++)
    before[i] = rgb_luma (in, i % w, i / w);
  run_plan (&params, cs_image_gray (before, CS_SAMPLE_F32, w, h, 4 * w), 0,
      after, &all);
  for (guint i = 0; i < w * h; i++) {
    const gdouble ratio = colour_ratio (before[i], after[i]);

    for (guint c = 0; c < 3; c++) {
      const gdouble value = after[i] + ratio *
          (get_code (in, c, i % w, i / w) / 255. - before[i]);

      compare_codes (&difference, get_code (out, c, i % w, i / w),
          CLAMP (value * 255, 0, 255) + .5);
    }
  }
  assert_close (&difference, what);
}

static void
assert_frame (const GstVideoInfo * info, GstBuffer * in, GstBuffer * out,
    gboolean scaled, const gchar * what)
{
  GstVideoFrame a, b;

  fail_unless (gst_video_frame_map (&a, info, in, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&b, info, out, GST_MAP_READ));
  if (GST_VIDEO_INFO_IS_RGB (info)) {
    assert_rgb (&a, &b, what);
    if (GST_VIDEO_INFO_HAS_ALPHA (info))
      assert_same_component (&a, &b, 3, what);
  } else {
    assert_luma (&a, &b, &all, what);
    for (guint c = 1; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++)
      if (scaled)
        assert_scaled_chroma (&a, &b, c, what);
      else
        assert_same_component (&a, &b, c, what);
  }
  gst_video_frame_unmap (&a);
  gst_video_frame_unmap (&b);
}

static void
check_format (const gchar * format, guint width, guint height,
    const gchar * more, gboolean scaled)
{
  g_autofree gchar *caps = llf_caps (format, width, height, more);
  GstVideoInfo info;

  llf_info (&info, caps);
  g_autoptr (GstBuffer) in = draw_buffer (&info, 7);
  g_autofree gchar *properties = g_strdup_printf ("quality=%s chroma=%s",
      test_quality == CS_LLF_SAMPLED ? "sampled" : "normal",
      scaled ? "scale" : "keep");
  g_autoptr (GstBuffer) out = filtered (properties, caps, in);
  assert_frame (&info, in, out, scaled, caps);
}

TEST_LOOP (luma_is_the_kernels_and_chroma_stays, 0, G_N_ELEMENTS (all_formats))
{
  test_quality = CS_LLF_SAMPLED;
  check_format (all_formats[__i__], WIDTH, HEIGHT, "", FALSE);
  check_format (all_formats[__i__], 64, 32, "", FALSE);
}

/* The default's table takes its time: one format of each kind of samples. */
TEST_LOOP (luma_is_the_kernels_with_the_default_quality, 0, 3)
{
  static const gchar *const formats[] = { "NV12", "P010_10LE", "RGB" };

  check_format (formats[__i__], WIDTH, HEIGHT, "", FALSE);
}

TEST_LOOP (chroma_follows_if_asked_to, 0, G_N_ELEMENTS (all_formats))
{
  test_quality = CS_LLF_SAMPLED;
  check_format (all_formats[__i__], WIDTH, HEIGHT, "", TRUE);
  check_format (all_formats[__i__], 64, 32, "", TRUE);
  /* more chroma than a block of the kernel */
  check_format (all_formats[__i__], 1025, 3, "", TRUE);
}

TEST_LOOP (every_size_is_filtered, 0, G_N_ELEMENTS (all_formats))
{
  static const guint sizes[][2] = { {1, 1}, {1, 7}, {7, 1}, {2, 2}, {3, 5},
  {17, 9}, {2, 33}
  };

  test_quality = CS_LLF_SAMPLED;
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    check_format (all_formats[__i__], sizes[i][0], sizes[i][1], "",
        (__i__ + i) % 2);
}

TEST (ranges_and_matrices_count)
{
  static const gchar *const colorimetries[] = {
    ",colorimetry=bt709", ",colorimetry=bt601", ",colorimetry=1:3:5:1",
    ",colorimetry=bt2020-10", ",colorimetry=2:6:5:1",
  };
  static const gchar *const rgb[] = {
    ",colorimetry=sRGB", ",colorimetry=1:4:7:1", ",colorimetry=1:3:5:1",
  };

  test_quality = CS_LLF_SAMPLED;
  for (guint i = 0; i < G_N_ELEMENTS (colorimetries); i++) {
    check_format ("NV12", WIDTH, HEIGHT, colorimetries[i], TRUE);
    check_format ("I420_10LE", WIDTH, HEIGHT, colorimetries[i], TRUE);
  }
  for (guint i = 0; i < G_N_ELEMENTS (rgb); i++) {
    check_format ("RGBA", WIDTH, HEIGHT, rgb[i], FALSE);
    check_format ("BGR", WIDTH, HEIGHT, rgb[i], FALSE);
  }
}

TEST (the_range_makes_a_difference)
{
  gchar *limited = llf_caps ("NV12", WIDTH, HEIGHT, ",colorimetry=2:4:7:1");
  gchar *full = llf_caps ("NV12", WIDTH, HEIGHT, ",colorimetry=1:4:7:1");
  GstVideoInfo info;

  llf_info (&info, limited);
  g_autoptr (GstBuffer) in = draw_buffer (&info, 3);
  g_autoptr (GstBuffer) a = filtered ("", limited, in);
  g_autoptr (GstBuffer) b = filtered ("", full, in);
  fail_if (same_bytes (a, b));
  g_free (limited);
  g_free (full);
}

/* Exact cases */

static GstBuffer *
flat_buffer (const GstVideoInfo * info, guint code)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (info),
      NULL);
  GstVideoFrame frame;

  gst_buffer_memset (buffer, 0, 0x5a, -1);
  fail_unless (gst_video_frame_map (&frame, info, buffer, GST_MAP_READWRITE));
  for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS (&frame); c++) {
    const guint depth = GST_VIDEO_FRAME_COMP_DEPTH (&frame, c);

    for (guint y = 0; y < (guint) GST_VIDEO_FRAME_COMP_HEIGHT (&frame, c); y++)
      for (guint x = 0; x < (guint) GST_VIDEO_FRAME_COMP_WIDTH (&frame, c); x++)
        set_code (&frame, c, x, y, ((code + 40 * c) % 256) << (depth - 8));
  }
  gst_video_frame_unmap (&frame);
  return buffer;
}

TEST_LOOP (flat_frames_do_not_change, 0, G_N_ELEMENTS (all_formats))
{
  static const gchar *const curves[] = {
    "quality=sampled chroma=scale",
    /* its table takes its time: one format of each kind */
    "quality=fast curve=power sigma=0.1 alpha=0.25 beta=0.5",
  };
  g_autofree gchar *caps = llf_caps (all_formats[__i__], 19, 11, "");
  GstVideoInfo info;

  llf_info (&info, caps);
  for (guint i = 0; i < (__i__ % 3 == 2 ? 2 : 1); i++) {
    g_autoptr (GstHarness) h = llf_new (curves[i]);

    gst_harness_set_src_caps_str (h, caps);
    for (guint code = 0; code < 256; code++) {
      g_autoptr (GstBuffer) in = flat_buffer (&info, code);
      g_autoptr (GstBuffer) out = run (h, gst_buffer_copy_deep (in));

      assert_same_bytes (out, in, caps);
    }
  }
}

/* Gray gives the same result in all formats. */
TEST (gray_rgb_is_filtered_as_gray)
{
  g_autofree gchar *gray_caps = llf_caps ("GRAY8", WIDTH, HEIGHT, "");
  g_autofree gchar *rgb_caps = llf_caps ("RGB", WIDTH, HEIGHT, "");
  GstVideoInfo gray_info, rgb_info;
  GstVideoFrame from, to;

  llf_info (&gray_info, gray_caps);
  llf_info (&rgb_info, rgb_caps);
  g_autoptr (GstBuffer) gray = draw_buffer (&gray_info, 5);
  g_autoptr (GstBuffer) rgb = draw_buffer (&rgb_info, 5);
  fail_unless (gst_video_frame_map (&from, &gray_info, gray, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&to, &rgb_info, rgb, GST_MAP_READWRITE));
  for (guint c = 0; c < 3; c++)
    for (guint y = 0; y < HEIGHT; y++)
      for (guint x = 0; x < WIDTH; x++)
        set_code (&to, c, x, y, get_code (&from, 0, x, y));
  gst_video_frame_unmap (&from);
  gst_video_frame_unmap (&to);
  g_autoptr (GstBuffer) a = filtered ("alpha=0.3", gray_caps, gray);
  g_autoptr (GstBuffer) b = filtered ("alpha=0.3", rgb_caps, rgb);
  fail_unless (gst_video_frame_map (&from, &gray_info, a, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&to, &rgb_info, b, GST_MAP_READ));
  for (guint c = 0; c < 3; c++)
    for (guint y = 0; y < HEIGHT; y++)
      for (guint x = 0; x < WIDTH; x++)
        fail_unless_equals_int (get_code (&to, c, x, y), get_code (&from, 0, x,
                y));
  gst_video_frame_unmap (&from);
  gst_video_frame_unmap (&to);
}

/* Pixels of one plane give what those of three do. */
static void
check_packed (const gchar * format, guint width, const gchar * properties)
{
  gchar *caps[2], *what = g_strdup_printf ("%s, %u columns, %s", format, width,
      properties);
  GstBuffer *in[2], *out[2];
  GstVideoInfo info[2];
  GstVideoFrame from, to;

  for (guint i = 0; i < 2; i++) {
    caps[i] = llf_caps (i ? format : "Y42B", width, HEIGHT, "");
    llf_info (&info[i], caps[i]);
    in[i] = draw_buffer (&info[i], 9);
  }
  fail_unless (gst_video_frame_map (&from, &info[0], in[0], GST_MAP_READ));
  fail_unless (gst_video_frame_map (&to, &info[1], in[1], GST_MAP_READWRITE));
  for (guint c = 0; c < 3; c++)
    for (guint y = 0; y < HEIGHT; y++)
      for (guint x = 0; x < (guint) GST_VIDEO_FRAME_COMP_WIDTH (&from, c); x++)
        set_code (&to, c, x, y, get_code (&from, c, x, y));
  gst_video_frame_unmap (&from);
  gst_video_frame_unmap (&to);
  for (guint i = 0; i < 2; i++)
    out[i] = filtered (properties, caps[i], in[i]);
  fail_if (same_bytes (in[1], out[1]), "%s: nothing happened", what);
  fail_unless (gst_video_frame_map (&from, &info[0], out[0], GST_MAP_READ));
  fail_unless (gst_video_frame_map (&to, &info[1], out[1], GST_MAP_READ));
  for (guint c = 0; c < 3; c++)
    assert_same_component (&from, &to, c, what);
  gst_video_frame_unmap (&from);
  gst_video_frame_unmap (&to);
  for (guint i = 0; i < 2; i++) {
    gst_buffer_unref (in[i]);
    gst_buffer_unref (out[i]);
    g_free (caps[i]);
  }
  g_free (what);
}

TEST (packed_pixels_give_what_planes_give)
{
  static const guint widths[] = { 61, 64, 17, 1025 };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (widths); i++) {
    check_packed (i % 2 ? "YUY2" : "UYVY", widths[i / 2],
        "quality=sampled chroma=scale");
    check_packed (i % 2 ? "YUY2" : "UYVY", widths[i / 2],
        "quality=sampled chroma=keep amount=0.7");
  }
}

/* Layouts */

/* A buffer whose rows are further apart, beginning at @first. */
static GstBuffer *
padded_buffer (const GstVideoInfo * info, guint32 seed, gsize first, gint pad)
{
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0, }, size = first;
  gint stride[GST_VIDEO_MAX_PLANES] = { 0, };
  GstVideoFrame frame;

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    stride[p] = GST_VIDEO_INFO_PLANE_STRIDE (info, p) + pad;
    offset[p] = size;
    size += (gsize) stride[p] * (GST_VIDEO_INFO_HEIGHT (info) + 3);
  }
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  gst_buffer_memset (buffer, 0, 0xa5, -1);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (info), GST_VIDEO_INFO_WIDTH (info),
      GST_VIDEO_INFO_HEIGHT (info), GST_VIDEO_INFO_N_PLANES (info), offset,
      stride);
  fail_unless (gst_video_frame_map (&frame, info, buffer, GST_MAP_READWRITE));
  draw_frame (&frame, seed);
  gst_video_frame_unmap (&frame);
  return buffer;
}

/* Bytes that belong to no pixel are as they were. */
static void
assert_padding (GstBuffer * in, GstBuffer * out, gint pad)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (out);
  g_auto (GstBufferMapInfo) a = GST_MAP_INFO_INIT, b = GST_MAP_INFO_INIT;

  fail_unless (gst_buffer_map (in, &a, GST_MAP_READ));
  fail_unless (gst_buffer_map (out, &b, GST_MAP_READ));
  fail_unless_equals_int (a.size, b.size);
  for (guint y = 0; y < meta->height; y++)
    for (gint i = 1; i <= pad; i++) {
      const gsize at = meta->offset[0] + (y + 1) * meta->stride[0] - i;

      fail_unless_equals_int (b.data[at], 0xa5);
    }
}

TEST_LOOP (strides_are_the_buffers, 0, G_N_ELEMENTS (all_formats))
{
  static const gsize firsts[] = { 0, 32, 1 };
  g_autofree gchar *caps = llf_caps (all_formats[__i__], WIDTH, HEIGHT, "");
  GstVideoInfo info;

  test_quality = CS_LLF_SAMPLED;
  llf_info (&info, caps);
  for (guint i = 0; i < G_N_ELEMENTS (firsts); i++) {
    g_autoptr (GstBuffer) in = padded_buffer (&info, 7, firsts[i], 22);
    g_autoptr (GstHarness) h = llf_new ("quality=sampled chroma=scale");

    gst_harness_set_src_caps_str (h, caps);
    g_autoptr (GstBuffer) out = run (h, gst_buffer_copy_deep (in));
    assert_frame (&info, in, out, TRUE, caps);
    assert_padding (in, out, 16);
    gst_buffer_unref (out);
    /* and out of place */
    gst_buffer_ref (in);
    out = run (h, in);
    fail_if (out == in);
    assert_frame (&info, in, out, TRUE, caps);
  }
}

/* Bits below the significant ones are written as 0, and never read. */
TEST (low_bits_of_p010_do_not_count)
{
  g_autofree gchar *caps = llf_caps ("P010_10LE", WIDTH, HEIGHT, "");
  GstVideoInfo info;
  GstMapInfo map;

  llf_info (&info, caps);
  g_autoptr (GstBuffer) clean = draw_buffer (&info, 9);
  g_autoptr (GstBuffer) dirty = gst_buffer_copy_deep (clean);
  fail_unless (gst_buffer_map (dirty, &map, GST_MAP_READWRITE));
  for (gsize i = 0; i < map.size; i += 2)
    map.data[i] |= 0x2a;
  gst_buffer_unmap (dirty, &map);
  g_autoptr (GstBuffer) a = filtered ("chroma=scale", caps, clean);
  g_autoptr (GstBuffer) b = filtered ("chroma=scale", caps, dirty);
  assert_frame (&info, clean, b, TRUE, caps);
  fail_unless (gst_buffer_map (b, &map, GST_MAP_READ));
  fail_unless_equals_int (map.data[0] & 0x3f, 0);
  gst_buffer_unmap (b, &map);
}

static void
reset (void)
{
  test_quality = CS_LLF_NORMAL;
}

SUITE (formats)
{
  tcase_add_checked_fixture (tcase, reset, NULL);
}
