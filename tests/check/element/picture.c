/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "../lib/suite.h"
#include "element/gstshapesframe.h"

/* Everything that GST_SHAPES_PICTURE_FORMATS lists. */
static const GstVideoFormat formats[] = {
  GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_BGRA, GST_VIDEO_FORMAT_ARGB,
  GST_VIDEO_FORMAT_ABGR, GST_VIDEO_FORMAT_RGBx, GST_VIDEO_FORMAT_BGRx,
  GST_VIDEO_FORMAT_xRGB, GST_VIDEO_FORMAT_xBGR, GST_VIDEO_FORMAT_RGB,
  GST_VIDEO_FORMAT_BGR, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_NV21,
  GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_YV12, GST_VIDEO_FORMAT_Y42B,
  GST_VIDEO_FORMAT_Y444, GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_UYVY,
  GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_GRAY16_LE,
  GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_I420_10LE
};

static void
set_info (GstVideoInfo * info, GstVideoFormat format, guint width, guint height)
{
  gst_video_info_init (info);
  fail_unless (gst_video_info_set_format (info, format, width, height));
}

static GstShapesPictureStage
cpu_stage (void)
{
  GstShapesPictureStage stage;

  gst_shapes_picture_stage_init (&stage, NULL, NULL, NULL);
  return stage;
}

/* Position of a sample according to GStreamer; V of P010, for which it gives
 * byte offset 1, follows U. */
static guint8 *
sample_of_frame (GstVideoFrame * frame, guint c, guint x, guint y)
{
  guint offset = GST_VIDEO_FORMAT_INFO_POFFSET (frame->info.finfo, c);

  if (GST_VIDEO_FRAME_COMP_DEPTH (frame, c) > 8 && offset % 2)
    offset *= 2;
  return (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame,
      GST_VIDEO_FORMAT_INFO_PLANE (frame->info.finfo, c)) + offset +
      y * GST_VIDEO_FRAME_COMP_STRIDE (frame, c) +
      x * GST_VIDEO_FRAME_COMP_PSTRIDE (frame, c);
}

static guint8 *
sample_of_picture (const CsPicture * picture, guint c, guint x, guint y)
{
  return (guint8 *) picture->data[c] + y * picture->row_stride[c] +
      x * picture->pixel_stride[c];
}

/* GStreamer reads in the frame what was written through the picture, sample for
 * sample. */
static void
assert_writes (const GstVideoInfo * info, GstBuffer * buffer)
{
  const guint n = GST_VIDEO_INFO_N_COMPONENTS (info);
  GstShapesPictureStage stage = cpu_stage ();
  GstShapesPicture picture;
  GstVideoFrame frame;

  for (guint pass = 0; pass < 2; pass++) {
    if (pass == 0)
      fail_unless (gst_shapes_picture_map (&picture, &stage, info, buffer,
              NULL, GST_MAP_READWRITE, NULL));
    else
      fail_unless (gst_video_frame_map (&frame, info, buffer, GST_MAP_READ));
    for (guint c = 0; c < n; c++) {
      const guint size = GST_VIDEO_INFO_COMP_DEPTH (info, c) > 8 ? 2 : 1;

      for (guint y = 0; y < (guint) GST_VIDEO_INFO_COMP_HEIGHT (info, c); y++)
        for (guint x = 0; x < (guint) GST_VIDEO_INFO_COMP_WIDTH (info, c);
            x++) {
          const guint16 value = (guint16) (1 + c * 61 + x * 7 + y * 13);

          if (pass == 0)
            memcpy (sample_of_picture (&picture.picture, c, x, y), &value,
                size);
          else
            fail_unless (memcmp (sample_of_frame (&frame, c, x, y), &value,
                    size) == 0, "%s: component %u of %u,%u",
                GST_VIDEO_INFO_NAME (info), c, x, y);
        }
    }
    if (pass == 0) {
      fail_unless_equals_int (picture.picture.memory, CS_MEMORY_HOST);
      fail_unless (gst_shapes_picture_unmap (&picture, TRUE, NULL));
    } else {
      gst_video_frame_unmap (&frame);
    }
  }
  gst_shapes_picture_stage_clear (&stage);
}

TEST_LOOP (every_sample_is_where_gstreamer_has_it, 0, G_N_ELEMENTS (formats))
{
  static const guint sizes[][2] = { {16, 12}, {17, 9}, {1, 1}, {3, 2} };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    GstVideoInfo info;

    set_info (&info, formats[__i__], sizes[i][0], sizes[i][1]);
    g_autoptr (GstBuffer) buffer = gst_buffer_new_allocate (NULL,
        GST_VIDEO_INFO_SIZE (&info), NULL);
    assert_writes (&info, buffer);
  }
}

/* A byte before the frame, so that samples of 16 bits are misaligned. */
TEST_LOOP (samples_that_lie_across_get_back, 0, G_N_ELEMENTS (formats))
{
  GstVideoInfo info;
  gsize offset[GST_VIDEO_MAX_PLANES];

  set_info (&info, formats[__i__], 14, 10);
  g_autoptr (GstBuffer) buffer = gst_buffer_new_allocate (NULL,
      GST_VIDEO_INFO_SIZE (&info) + 1, NULL);
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&info); p++)
    offset[p] = GST_VIDEO_INFO_PLANE_OFFSET (&info, p) + 1;
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      formats[__i__], 14, 10, GST_VIDEO_INFO_N_PLANES (&info), offset,
      info.stride);
  assert_writes (&info, buffer);
}

static CsPicture
described (const gchar * text)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);
  CsPicture picture;
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, caps), "%s", text);
  fail_unless (gst_shapes_picture_describe (&info, &picture), "%s", text);
  return picture;
}

TEST (caps_say_what_codes_mean)
{
  CsPicture p = described ("video/x-raw,format=I420,width=64,height=48,"
      "colorimetry=bt709");

  fail_unless (p.model == CS_PICTURE_YUV && p.type == CS_SAMPLE_U8);
  fail_unless (p.depth == 8 && p.shift == 0 && p.sub_x == 1 && p.sub_y == 1);
  fail_unless (p.kr == .2126 && p.kb == .0722 && p.limited_range);
  p = described ("video/x-raw,format=P010_10LE,width=64,height=48,"
      "colorimetry=1:4:5:1");
  fail_unless (p.type == CS_SAMPLE_U16 && p.depth == 10 && p.shift == 6);
  fail_unless (p.kr == .299 && p.kb == .114 && !p.limited_range);
  p = described ("video/x-raw,format=I420_10LE,width=64,height=48");
  fail_unless (p.type == CS_SAMPLE_U16 && p.depth == 10 && p.shift == 0);
  p = described ("video/x-raw,format=Y42B,width=64,height=48");
  fail_unless (p.sub_x == 1 && p.sub_y == 0);
  p = described ("video/x-raw,format=Y444,width=64,height=720");
  fail_unless (p.sub_x == 0 && p.sub_y == 0 && p.kr == .2126);
  p = described ("video/x-raw,format=GRAY16_LE,width=64,height=48");
  fail_unless (p.model == CS_PICTURE_GRAY && p.depth == 16 && p.shift == 0);
  p = described ("video/x-raw,format=BGRA,width=64,height=48");
  fail_unless (p.model == CS_PICTURE_RGB && !p.premultiplied);
  fail_unless (p.kr == .2126f && p.kb == .0722f && !p.limited_range);
  p = described ("video/x-raw,format=RGB,width=64,height=48,"
      "colorimetry=2:4:5:4");
  fail_unless (p.kr == .299f && p.kb == .114f && p.limited_range);
}

TEST (what_cannot_be_painted_on_is_an_error)
{
  static const GstVideoFormat others[] = { GST_VIDEO_FORMAT_RGB16,
    GST_VIDEO_FORMAT_RGB10A2_LE, GST_VIDEO_FORMAT_YUV9
  };
  GstShapesPictureStage stage = cpu_stage ();
  GstShapesPicture picture;
  g_autoptr (GError) error = NULL;
  GstVideoInfo info;
  GstBuffer *buffer;

  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    set_info (&info, others[i], 16, 16);
    buffer = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (&info), NULL);
    fail_if (gst_shapes_picture_map (&picture, &stage, &info, buffer,
            NULL, GST_MAP_READWRITE, &error));
    fail_unless (error != NULL && strstr (error->message,
            GST_VIDEO_INFO_NAME (&info)));
    g_clear_error (&error);
    gst_buffer_unref (buffer);
  }
  /* too short by a byte: nothing stays mapped */
  set_info (&info, GST_VIDEO_FORMAT_NV12, 16, 16);
  buffer = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (&info) - 1,
      NULL);
  fail_if (gst_shapes_picture_map (&picture, &stage, &info, buffer,
          NULL, GST_MAP_READWRITE, &error));
  fail_unless (g_error_matches (error, GST_SHAPES_FRAME_ERROR,
          GST_SHAPES_FRAME_ERROR_SHORT));
  fail_unless (gst_memory_is_writable (gst_buffer_peek_memory (buffer, 0)));
  gst_buffer_unref (buffer);
  gst_shapes_picture_stage_clear (&stage);
}

TEST_LOOP (alpha_is_there_only_if_the_format_has_it, 0, G_N_ELEMENTS (formats))
{
  GstShapesPictureStage stage = cpu_stage ();
  GstShapesPicture picture;
  GstVideoInfo info;

  set_info (&info, formats[__i__], 4, 4);
  g_autoptr (GstBuffer) buffer = gst_buffer_new_allocate (NULL,
      GST_VIDEO_INFO_SIZE (&info), NULL);
  fail_unless (gst_shapes_picture_map (&picture, &stage, &info, buffer,
          NULL, GST_MAP_READ, NULL));
  gboolean has = picture.picture.data[CS_PICTURE_ALPHA] != NULL;
  fail_unless_equals_int (has, GST_VIDEO_INFO_HAS_ALPHA (&info));
  fail_unless (gst_shapes_picture_unmap (&picture, FALSE, NULL));
  gst_shapes_picture_stage_clear (&stage);
}

TEST_LOOP (components_of_a_picture_are_those_of_the_frame, 0,
    G_N_ELEMENTS (formats))
{
  GstShapesFrame frame;
  CsPicture picture;
  GstVideoInfo info;

  set_info (&info, formats[__i__], 17, 9);
  g_autoptr (GstBuffer) buffer = gst_buffer_new_allocate (NULL,
      GST_VIDEO_INFO_SIZE (&info), NULL);
  fail_unless (gst_shapes_frame_init (&frame, &info, buffer, NULL, NULL, NULL));
  fail_unless (gst_shapes_frame_get_picture (&frame, &picture, NULL));
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (&info); c++) {
    const CsImage a = cs_picture_get_component (&picture, c);
    CsImage b;

    fail_unless (gst_shapes_frame_get_component (&frame, c, &b, NULL));
    fail_unless (a.data == b.data && a.type == b.type);
    fail_unless (a.width == b.width && a.height == b.height);
    fail_unless (a.pixel_stride == b.pixel_stride);
    fail_unless (a.row_stride == b.row_stride);
    fail_unless (a.channels == 1 && a.channel_stride == b.channel_stride);
    fail_unless (a.memory == CS_MEMORY_HOST);
  }
  gst_shapes_frame_unmap (&frame);
}

/* Those who copy pixels read the byte behind the last colour, too. */
TEST (a_picture_without_its_last_byte_is_short)
{
  GstShapesFrame frame;
  CsPicture picture;
  g_autoptr (GError) error = NULL;
  GstVideoInfo info;
  CsImage red;

  set_info (&info, GST_VIDEO_FORMAT_RGBx, 4, 4);
  g_autoptr (GstBuffer) buffer = gst_buffer_new_allocate (NULL,
      GST_VIDEO_INFO_SIZE (&info) - 1, NULL);
  fail_unless (gst_shapes_frame_init (&frame, &info, buffer, NULL, NULL, NULL));
  fail_if (gst_shapes_frame_get_picture (&frame, &picture, &error));
  fail_unless (g_error_matches (error, GST_SHAPES_FRAME_ERROR,
          GST_SHAPES_FRAME_ERROR_SHORT));
  gst_shapes_frame_unmap (&frame);
  fail_unless (gst_shapes_frame_init (&frame, &info, buffer, NULL, NULL, NULL));
  fail_unless (gst_shapes_frame_get_component (&frame, 0, &red, NULL));
  gst_shapes_frame_unmap (&frame);
}

SUITE (picture) {}
