/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shapes of another aspect ratio than the frame: all elements that draw them on
 * it, or add others to them, warn once a stream. */

#include <gst/video/video.h>

#include <string.h>

#include "../lib/streams.h"
#include "shapes/gstshapes.h"

#define GRAY(width, height) "video/x-raw,format=GRAY8,framerate=25/1,width=" \
    #width ",height=" #height

static const gchar *const elements[] = {
  "shapeoverlay backend=cpu",
  "cudacircles backend=cpu from-contours=enclosing",
  "fourierdraw backend=cpu mode=live",
  "cudacontours backend=cpu",
  "cudahull backend=cpu source=mask",
};

/* A square contour of a frame of @width x @height pixels. */
static GstShapeSet *
make_square (guint width, guint height)
{
  static const GstShapePoint points[] = { {4, 4}, {9, 4}, {9, 9}, {4, 4} };
  static const guint32 offsets[] = { 0, 4 };
  const GstShapePolyline line = {.parent = -1,.flags = GST_SHAPE_FLAG_CLOSED };
  GstShapeSet *set = gst_shape_set_new (width, height);

  gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy (points, 4,
          offsets, &line, 1, NULL));
  return set;
}

static void
push_frames (GstHarness * h, GstShapeSet * set, gsize size)
{
  for (guint i = 0; i < 2; i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

    gst_buffer_memset (buffer, 0, 0, -1);
    GST_BUFFER_PTS (buffer) = i * GST_SECOND / 25;
    if (set)
      gst_buffer_add_shape_meta (buffer, set);
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  }
}

/* Warnings about two frames of @caps with @set (may be NULL), in each of two
 * streams. */
static void
check_warnings (const gchar * element, GstShapeSet * set, const gchar * text,
    guint expected)
{
  g_autoptr (GstHarness) h = gst_harness_new_parse (element);
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, caps));
  gst_element_set_bus (h->element, bus);
  gst_harness_set_drop_buffers (h, TRUE);
  for (guint stream = 0; stream < 2; stream++) {
    gst_harness_play (h);
    gst_harness_set_src_caps (h, gst_caps_ref (caps));
    push_frames (h, set, GST_VIDEO_INFO_SIZE (&info));
    guint n = count_told (bus, "aspect ratio");
    fail_unless (n == expected, "%s, %s: %u warnings in stream %u", element,
        text, n, stream);
    gst_element_set_state (h->element, GST_STATE_READY);
  }
  gst_element_set_bus (h->element, NULL);
}

static void
check_size (const gchar * element, guint width, guint height,
    const gchar * caps, guint expected)
{
  g_autoptr (GstShapeSet) set = make_square (width, height);

  check_warnings (element, set, caps, expected);
}

TEST_LOOP (test_a_scaled_frame_is_no_warning, 0, G_N_ELEMENTS (elements))
{
  const gchar *element = elements[__i__];

  check_size (element, 320, 240, GRAY (320, 240), 0);
  check_size (element, 320, 240, GRAY (160, 120), 0);
  /* to whole pixels */
  check_size (element, 320, 240, GRAY (107, 80), 0);
  /* with pixels that are no squares */
  check_size (element, 640, 480, GRAY (720, 480) ",pixel-aspect-ratio=8/9", 0);
  /* of no frame */
  check_size (element, 0, 0, GRAY (160, 120), 0);
  check_warnings (element, NULL, GRAY (320, 180), 0);
}

TEST_LOOP (test_another_aspect_ratio_is_one_warning, 0, G_N_ELEMENTS (elements))
{
  /* cropped, turned */
  check_size (elements[__i__], 320, 240, GRAY (320, 180), 1);
  check_size (elements[__i__], 320, 240, GRAY (240, 320), 1);
}

/* Circles of its own are drawn where they are. */
TEST (test_shapes_that_are_not_drawn_are_no_warning)
{
  check_size ("cudacircles backend=cpu circles=<[circle,x=9,y=9,r=4]>", 320,
      240, GRAY (320, 180), 0);
  check_size ("cudahull backend=cpu source=contours", 320, 240,
      GRAY (320, 180), 0);
}

SUITE (aspect) {}
