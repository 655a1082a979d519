/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What cudacontours tells of a stream. What all elements do in one is in
 * ../frames/contract.c. */

#include "contours_test.h"

#define DOT_CAPS VIDEO ("GRAY8", 4, 4)

/* 4 x 4 pixels, one of them bright. */
static GstBuffer *
dot (void)
{
  static const guint8 pixels[16] = {[5] = 255 };

  return buffer_of (pixels, sizeof (pixels));
}

TEST (two_in_series_add_up_with_different_ids)
{
  g_autoptr (GstHarness) h = gst_harness_new_parse ("cudacontours backend=cpu "
      "levels=0.25,0.5 ! cudacontours backend=cpu level=0.75");
  gsize n;

  gst_harness_set_src_caps_str (h, DOT_CAPS);
  g_autoptr (GstBuffer) buffer = run (h, dot ());
  GstShapeSet *set = gst_buffer_get_shape_set (buffer);
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 2);
  const GstShapePolyline *records = gst_shape_set_get_polylines (set, 0, &n);
  fail_unless_equals_int (n, 2);
  fail_unless_equals_int (records[1].id, 1);
  records = gst_shape_set_get_polylines (set, 1, &n);
  fail_unless_equals_int (n, 1);
  fail_unless_equals_int (records[0].id, 2);
  fail_unless_equals_float (records[0].level, 191.25);
}

/* Messages */

TEST (messages_count_contours_by_class)
{
  g_autoptr (GstHarness) h = contours_new ("post-messages=true classes=0,1");
  g_autoptr (GstBus) bus = take_bus (h, "cudacontours");
  guint64 value;
  gfloat pixels[2][16] = { {0,}, {0,} };

  pixels[1][0] = pixels[1][5] = pixels[1][10] = 1;
  gst_harness_set_src_caps_str (h, "other/tensors,format=static,num_tensors=1,"
      "types=float32,dimensions=(string)4:4:2:1,framerate=0/1");
  gst_buffer_unref (run (h, buffer_of (pixels, sizeof (pixels))));
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT);
  fail_unless (message != NULL);
  const GstStructure *structure = gst_message_get_structure (message);
  fail_unless (gst_structure_has_name (structure, "cudacontours"));
  fail_unless (gst_structure_get_uint64 (structure, "n-contours", &value));
  fail_unless_equals_uint64 (value, 3);
  fail_unless (gst_structure_get_uint64 (structure, "n-points", &value));
  fail_unless (value > 9);
  fail_unless (gst_structure_get_uint64 (structure, "timestamp", &value));
  fail_unless_equals_uint64 (value, GST_CLOCK_TIME_NONE);
  const GValue *numbers = gst_structure_get_value (structure,
      "n-contours-by-class");
  fail_unless_equals_int (gst_value_array_get_size (numbers), 2);
  fail_unless_equals_int (g_value_get_uint (gst_value_array_get_value (numbers,
              0)), 0);
  fail_unless_equals_int (g_value_get_uint (gst_value_array_get_value (numbers,
              1)), 3);
  gst_message_unref (message);
}

TEST (messages_have_timestamps)
{
  g_autoptr (GstHarness) h = contours_new ("post-messages=true");
  g_autoptr (GstBus) bus = take_bus (h, "cudacontours");
  GstBuffer *buffer = dot ();
  guint64 value;

  GST_BUFFER_PTS (buffer) = 3 * GST_SECOND;
  gst_harness_set_src_caps_str (h, DOT_CAPS);
  gst_buffer_unref (run (h, buffer));
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT);
  fail_unless (message != NULL);
  for (guint i = 0; i < 3; i++) {
    const gchar *names[] = { "timestamp", "stream-time", "running-time" };

    fail_unless (gst_structure_get_uint64 (gst_message_get_structure (message),
            names[i], &value));
    fail_unless_equals_uint64 (value, 3 * GST_SECOND);
  }
  gst_message_unref (message);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT) == NULL);
}

SUITE (streams) {}
