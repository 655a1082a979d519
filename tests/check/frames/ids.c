/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frames whose shapes have nearly all the ids that there are. */

#include "../lib/streams.h"
#include "shapes/gstshapes.h"

#define SIDE 16
#define CAPS "video/x-raw,format=GRAY8,width=16,height=16,framerate=25/1"

/* Each adds one shape to a frame with a bright square. */
static const gchar *const elements[] = {
  "cudacontours backend=cpu",
  "cudacontours backend=cpu hierarchy=true min-area=1",
  "cudahull backend=cpu source=mask",
  "cudahull backend=cpu source=contours",
  "cudahull backend=cpu source=contours scope=all",
};

/* With one contour, whose id is @id. */
static GstBuffer *
make_frame (gint32 id)
{
  static const GstShapePoint points[] = { {4, 4}, {11, 4}, {11, 11}, {4, 4} };
  static const guint32 offsets[] = { 0, 4 };
  const GstShapePolyline line = {.id = id,.parent = -1,
    .flags = GST_SHAPE_FLAG_CLOSED
  };
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, SIDE * SIDE, NULL);
  g_autoptr (GstShapeSet) set = gst_shape_set_new (SIDE, SIDE);

  gst_buffer_memset (buffer, 0, 0, -1);
  for (guint y = 4; y < 12; y++)
    gst_buffer_memset (buffer, y * SIDE + 4, 255, 8);
  gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy (points, 4,
          offsets, &line, 1, NULL));
  gst_buffer_add_shape_meta (buffer, set);
  return buffer;
}

TEST_LOOP (ids_stay_unique_to_the_last, 0, G_N_ELEMENTS (elements))
{
  const gchar *line = elements[__i__];
  g_autofree gchar *name = g_strndup (line, strcspn (line, " "));
  g_autoptr (GstHarness) h = gst_harness_new_parse (line);
  g_autoptr (GstBus) bus = take_bus (h, name);
  guint64 dropped;
  gsize n;

  gst_harness_set_src_caps_str (h, CAPS);
  fail_unless_equals_int (gst_harness_push (h, make_frame (G_MAXINT32)),
      GST_FLOW_OK);
  assert_message (bus, GST_MESSAGE_WARNING, "ids end at 2147483647");
  fail_unless_equals_int (gst_harness_push (h, make_frame (G_MAXINT32 - 1)),
      GST_FLOW_OK);
  fail_unless (gst_harness_try_pull (h) == NULL);
  gst_harness_get (h, name, "dropped", &dropped, NULL);
  fail_unless_equals_uint64 (dropped, 2);

  GstBuffer *buffer = run (h, make_frame (G_MAXINT32 - 2));
  GstShapeSet *set = gst_buffer_get_shape_set (buffer);
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 2);
  const GstShapePolyline *records = gst_shape_set_get_polylines (set, 1, &n);
  fail_unless_equals_int (n, 1);
  fail_unless_equals_int (records[0].id, G_MAXINT32 - 1);
  fail_unless_equals_int (gst_shape_set_get_next_id (set), G_MAXINT32);
  gst_buffer_unref (buffer);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);
}

SUITE (ids) {}
