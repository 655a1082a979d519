/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "../lib/suite.h"
#include "element/gstshapesframe.h"

static void
set_info (GstVideoInfo * info, GstVideoFormat format, guint width, guint height)
{
  gst_video_info_init (info);
  fail_unless (gst_video_info_set_format (info, format, width, height));
}

/* A buffer whose bytes count up. */
static GstBuffer *
counting_buffer (gsize size)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  g_auto (GstBufferMapInfo) map = GST_MAP_INFO_INIT;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < size; i++)
    map.data[i] = i * 7 + i / 251;
  return buffer;
}

static guint
sample (const CsImage * image, guint x, guint y)
{
  const guint8 *at = (const guint8 *) image->data + y * image->row_stride +
      x * image->pixel_stride;

  return image->type == CS_SAMPLE_U8 ? *at : *(const guint16 *) at;
}

/* GStreamer's own idea of the component's samples. */
static guint
expected_sample (GstVideoFrame * frame, guint component, guint x, guint y)
{
  const guint8 *at = (const guint8 *) GST_VIDEO_FRAME_COMP_DATA (frame,
      component) + y * GST_VIDEO_FRAME_COMP_STRIDE (frame, component) +
      x * GST_VIDEO_FRAME_COMP_PSTRIDE (frame, component);

  if (GST_VIDEO_FRAME_COMP_DEPTH (frame, component) <= 8)
    return *at;
  /* of the V of P010 GStreamer says that it is at byte 1 */
  return GST_READ_UINT16_LE (at +
      GST_VIDEO_INFO_COMP_POFFSET (&frame->info, component) % 2);
}

static void
assert_same_as_video_frame (const GstVideoInfo * info, GstBuffer * buffer)
{
  GstShapesFrame frame;
  GstVideoFrame expected;

  fail_unless (gst_video_frame_map (&expected, info, buffer, GST_MAP_READ));
  fail_unless (gst_shapes_frame_init (&frame, info, buffer, NULL, NULL, NULL));
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++) {
    CsImage image;
    GError *error = NULL;

    fail_unless (gst_shapes_frame_get_component (&frame, c, &image, &error),
        "%s", error ? error->message : "");
    fail_unless_equals_int (image.width, GST_VIDEO_INFO_COMP_WIDTH (info, c));
    fail_unless_equals_int (image.height, GST_VIDEO_INFO_COMP_HEIGHT (info, c));
    for (guint y = 0; y < image.height; y++)
      for (guint x = 0; x < image.width; x++)
        fail_unless_equals_int (sample (&image, x, y),
            expected_sample (&expected, c, x, y));
  }
  gst_shapes_frame_unmap (&frame);
  gst_video_frame_unmap (&expected);
}

static const GstVideoFormat formats[] = {
  GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_NV12,
  GST_VIDEO_FORMAT_NV21, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_YV12,
  GST_VIDEO_FORMAT_Y42B, GST_VIDEO_FORMAT_Y444, GST_VIDEO_FORMAT_A420,
  GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_UYVY, GST_VIDEO_FORMAT_AYUV,
  GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_I420_10LE,
  GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_BGR, GST_VIDEO_FORMAT_RGBA,
  GST_VIDEO_FORMAT_ARGB, GST_VIDEO_FORMAT_xBGR, GST_VIDEO_FORMAT_GBRA,
  GST_VIDEO_FORMAT_RGBA64_LE,
};

TEST (components_are_what_gst_video_frame_says)
{
  static const struct
  {
    guint width, height;
  } sizes[] = { {1, 1}, {16, 8}, {17, 9}, {2, 31}, {31, 2} };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    for (guint j = 0; j < G_N_ELEMENTS (sizes); j++) {
      GstVideoInfo info;

      set_info (&info, formats[i], sizes[j].width, sizes[j].height);
      GstBuffer *buffer = counting_buffer (GST_VIDEO_INFO_SIZE (&info));
      assert_same_as_video_frame (&info, buffer);
      gst_buffer_unref (buffer);
    }
}

TEST (strides_and_offsets_come_from_the_meta)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstVideoInfo info;
    GstVideoAlignment alignment;

    set_info (&info, formats[i], 17, 9);
    GstVideoInfo padded = info;
    gst_video_alignment_reset (&alignment);
    alignment.padding_left = alignment.padding_right = 6;
    alignment.padding_top = 4;
    for (guint p = 0; p < GST_VIDEO_MAX_PLANES; p++)
      alignment.stride_align[p] = 63;
    fail_unless (gst_video_info_align (&padded, &alignment));
    GstBuffer *buffer = counting_buffer (GST_VIDEO_INFO_SIZE (&padded));
    gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
        formats[i], 17, 9, GST_VIDEO_INFO_N_PLANES (&padded), padded.offset,
        padded.stride);
    assert_same_as_video_frame (&info, buffer);
    gst_buffer_unref (buffer);
  }
}

TEST (planes_may_lie_in_memories_of_their_own)
{
  GstVideoInfo info;

  set_info (&info, GST_VIDEO_FORMAT_I420, 16, 8);
  g_autoptr (GstBuffer) buffer = counting_buffer (128);
  buffer = gst_buffer_append (buffer, counting_buffer (32));
  buffer = gst_buffer_append (buffer, counting_buffer (32));
  fail_unless_equals_int (gst_buffer_n_memory (buffer), 3);
  /* without it GStreamer's frame would merge them */
  gst_buffer_add_video_meta (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_I420, 16, 8);
  assert_same_as_video_frame (&info, buffer);
  fail_unless_equals_int (gst_buffer_n_memory (buffer), 3);
}

static void
assert_error (const GstVideoInfo * info, GstBuffer * buffer,
    GstShapesFrameError code)
{
  GstShapesFrame frame;
  g_autoptr (GError) error = NULL;
  CsImage image;
  gboolean ok = FALSE;

  if (gst_shapes_frame_init (&frame, info, buffer, NULL, NULL, &error)) {
    ok = gst_shapes_frame_get_component (&frame, 0, &image, &error);
    gst_shapes_frame_unmap (&frame);
  }
  fail_if (ok);
  fail_unless (g_error_matches (error, GST_SHAPES_FRAME_ERROR, code), "%s",
      error->message);
}

TEST (a_buffer_without_the_last_byte_is_short)
{
  GstVideoInfo info;

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    set_info (&info, formats[i], 16, 8);
    /* of the first component's plane: the others are not accessed */
    gsize size = GST_VIDEO_INFO_COMP_OFFSET (&info, 0) -
        GST_VIDEO_INFO_COMP_POFFSET (&info, 0) +
        7 * GST_VIDEO_INFO_COMP_STRIDE (&info, 0) + 1;
    g_autoptr (GstBuffer) buffer = counting_buffer (size);
    assert_error (&info, buffer, GST_SHAPES_FRAME_ERROR_SHORT);
  }
  set_info (&info, GST_VIDEO_FORMAT_GRAY8, 16, 8);
  {
    g_autoptr (GstBuffer) empty = gst_buffer_new ();

    assert_error (&info, empty, GST_SHAPES_FRAME_ERROR_SHORT);
  }
}

TEST (the_last_row_may_lack_its_padding)
{
  GstVideoInfo info;
  GstShapesFrame frame;
  CsImage image;

  /* 17 bytes a row in strides of 20 */
  set_info (&info, GST_VIDEO_FORMAT_GRAY8, 17, 3);
  g_autoptr (GstBuffer) buffer = counting_buffer (2 * 20 + 17);
  fail_unless (gst_shapes_frame_init (&frame, &info, buffer, NULL, NULL, NULL));
  fail_unless (gst_shapes_frame_get_component (&frame, 0, &image, NULL));
  gst_shapes_frame_unmap (&frame);
}

TEST (a_meta_that_contradicts_the_caps_is_an_error)
{
  GstVideoInfo info;
  g_autoptr (GstBuffer) buffer = counting_buffer (1000);
  GstVideoMeta *meta = gst_buffer_add_video_meta (buffer,
      GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 8, 8);

  set_info (&info, GST_VIDEO_FORMAT_GRAY8, 16, 8);
  assert_error (&info, buffer, GST_SHAPES_FRAME_ERROR_LAYOUT);
  set_info (&info, GST_VIDEO_FORMAT_RGB, 8, 8);
  assert_error (&info, buffer, GST_SHAPES_FRAME_ERROR_LAYOUT);
  set_info (&info, GST_VIDEO_FORMAT_GRAY8, 8, 8);
  meta->stride[0] = 7;
  assert_error (&info, buffer, GST_SHAPES_FRAME_ERROR_LAYOUT);
  meta->stride[0] = -8;
  assert_error (&info, buffer, GST_SHAPES_FRAME_ERROR_LAYOUT);
  meta->stride[0] = G_MAXINT;
  assert_error (&info, buffer, GST_SHAPES_FRAME_ERROR_SHORT);
  meta->stride[0] = 8;
  meta->offset[0] = 1000;
  assert_error (&info, buffer, GST_SHAPES_FRAME_ERROR_SHORT);
  meta->offset[0] = G_MAXSIZE - 10;
  assert_error (&info, buffer, GST_SHAPES_FRAME_ERROR_SHORT);
}

/* The blue of the last pixel ends a byte before the pixel does. */
TEST (who_writes_may_touch_whole_pixels)
{
  GstVideoInfo info;
  g_autoptr (GstBuffer) buffer = counting_buffer (1000);
  GstVideoMeta *meta = gst_buffer_add_video_meta (buffer,
      GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_RGBx, 8, 5);
  GstShapesFrame frame;
  CsImage image;
  g_autoptr (GError) error = NULL;

  set_info (&info, GST_VIDEO_FORMAT_RGBx, 8, 5);
  meta->stride[0] = 31;
  fail_unless (gst_shapes_frame_init (&frame, &info, buffer, NULL, NULL, NULL));
  fail_unless (gst_shapes_frame_get_component (&frame, 2, &image, NULL));
  gst_shapes_frame_unmap (&frame);
  fail_unless (gst_shapes_frame_init_writable (&frame, &info, buffer, NULL,
          NULL, NULL));
  fail_if (gst_shapes_frame_get_component (&frame, 2, &image, &error));
  fail_unless (g_error_matches (error, GST_SHAPES_FRAME_ERROR,
          GST_SHAPES_FRAME_ERROR_LAYOUT));
  gst_shapes_frame_unmap (&frame);
}

TEST (odd_strides_of_16_bit_samples_are_an_error)
{
  GstVideoInfo info;
  g_autoptr (GstBuffer) buffer = counting_buffer (1000);
  GstVideoMeta *meta = gst_buffer_add_video_meta (buffer,
      GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY16_LE, 8, 8);

  set_info (&info, GST_VIDEO_FORMAT_GRAY16_LE, 8, 8);
  meta->stride[0] = 17;
  assert_error (&info, buffer, GST_SHAPES_FRAME_ERROR_LAYOUT);
}

TEST (samples_that_lie_across_are_moved)
{
  g_autoptr (GstBuffer) whole = counting_buffer (1000);

  for (guint i = 0; i < 9; i++) {
    g_autoptr (GstBuffer) part = gst_buffer_copy_region (whole,
        GST_BUFFER_COPY_MEMORY, i, 16 * 8 * 2);
    GstShapesFrame frame;
    GstVideoInfo info;
    gconstpointer data;
    CsMemory memory;
    CsImage image;

    set_info (&info, GST_VIDEO_FORMAT_GRAY16_LE, 16, 8);
    fail_unless (gst_shapes_frame_init (&frame, &info, part, NULL, NULL, NULL));
    fail_unless (gst_shapes_frame_get_component (&frame, 0, &image, NULL));
    fail_unless_equals_int ((guintptr) image.data % 2, 0);
    fail_unless_equals_int (gst_buffer_memcmp (part, 0, image.data, 256), 0);
    gst_shapes_frame_unmap (&frame);

    fail_unless (gst_shapes_frame_map_bytes (&frame, part, 100, 8, NULL, NULL,
            &data, &memory, NULL));
    fail_unless_equals_int ((guintptr) data % 8, 0);
    fail_unless_equals_int (memory, CS_MEMORY_HOST);
    fail_unless_equals_int (gst_buffer_memcmp (part, 0, data, 100), 0);
    gst_shapes_frame_unmap (&frame);
  }
}

TEST (bytes_beyond_the_buffer_are_short)
{
  g_autoptr (GstBuffer) buffer = counting_buffer (100);
  GstShapesFrame frame;
  gconstpointer data;
  CsMemory memory;
  g_autoptr (GError) error = NULL;

  fail_if (gst_shapes_frame_map_bytes (&frame, buffer, 101, 4, NULL, NULL,
          &data, &memory, &error));
  fail_unless (g_error_matches (error, GST_SHAPES_FRAME_ERROR,
          GST_SHAPES_FRAME_ERROR_SHORT));
}

TEST (nothing_is_held_after_unmap)
{
  GstVideoInfo info;
  GstShapesFrame frame;
  CsImage image;

  set_info (&info, GST_VIDEO_FORMAT_GRAY8, 16, 8);
  g_autoptr (GstBuffer) buffer = counting_buffer (128);
  fail_unless (gst_shapes_frame_init (&frame, &info, buffer, NULL, NULL, NULL));
  fail_unless (gst_shapes_frame_get_component (&frame, 0, &image, NULL));
  gst_shapes_frame_unmap (&frame);
  ASSERT_MINI_OBJECT_REFCOUNT (buffer, "buffer", 1);
  fail_unless (gst_memory_is_writable (gst_buffer_peek_memory (buffer, 0)));
}

SUITE (frame) {}
