/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudacontours in running pipelines: copies, renegotiation, flushes, states,
 * property changes while PLAYING. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "contours_test.h"

#define DOT_CAPS VIDEO ("GRAY8", 4, 4)

/* 4 x 4 pixels, 0 but for one of @value. */
static GstBuffer *
dot (guint8 value)
{
  guint8 pixels[16] = { 0, };
  GstBuffer *buffer;

  pixels[5] = value;
  buffer = buffer_of (pixels, 16);
  GST_BUFFER_PTS (buffer) = 0;
  return buffer;
}

static void
assert_n (GstBuffer * buffer, gsize n)
{
  GstShapeSet *set = gst_buffer_get_shape_set (buffer);

  fail_unless (set != NULL);
  fail_unless_equals_int (n_contours (set), n);
  gst_buffer_unref (buffer);
}

/* Buffers */

GST_START_TEST (the_buffer_itself_passes)
{
  GstHarness *h = contours_new ("");
  GstBuffer *in = dot (255), *out;

  GST_BUFFER_DURATION (in) = 7;
  GST_BUFFER_OFFSET (in) = 42;
  gst_harness_set_src_caps_str (h, DOT_CAPS);
  out = run (h, in);
  fail_unless (out == in);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), 0);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (out), 7);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (out), 42);
  assert_n (out, 1);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (a_buffer_that_others_hold_is_not_written)
{
  GstHarness *h = contours_new ("");
  GstBuffer *in = dot (255), *out;

  gst_harness_set_src_caps_str (h, DOT_CAPS);
  out = run (h, gst_buffer_ref (in));
  fail_if (out == in);
  fail_unless (gst_buffer_get_shape_meta (in) == NULL);
  fail_unless (gst_buffer_peek_memory (in, 0) == gst_buffer_peek_memory (out,
          0));
  assert_n (out, 1);
  ASSERT_MINI_OBJECT_REFCOUNT (in, "buffer", 1);
  gst_buffer_unref (in);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (memory_that_is_read_only_is_enough)
{
  static const guint8 pixels[16] = {[5] = 255 };
  GstHarness *h = contours_new ("");

  gst_harness_set_src_caps_str (h, DOT_CAPS);
  assert_n (run (h, gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY,
              (gpointer) pixels, 16, 0, 16, NULL, NULL)), 1);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (shapes_outlive_buffer_and_element)
{
  GstHarness *h = contours_new ("");
  GstBuffer *buffer;
  GstShapeSet *set;
  gsize n;

  gst_harness_set_src_caps_str (h, DOT_CAPS);
  buffer = run (h, dot (255));
  set = gst_shape_set_ref (gst_buffer_get_shape_set (buffer));
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
  fail_unless (gst_shape_set_get_points (set, 0, &n) != NULL);
  fail_unless_equals_int (n, 5);
  gst_shape_set_unref (set);
}

GST_END_TEST;

GST_START_TEST (a_gap_has_an_empty_set)
{
  GstHarness *h = contours_new ("");
  GstBuffer *in = dot (255), *out;

  GST_BUFFER_FLAG_SET (in, GST_BUFFER_FLAG_GAP);
  gst_harness_set_src_caps_str (h, DOT_CAPS);
  out = run (h, in);
  fail_unless (out == in);
  fail_unless (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_GAP));
  fail_unless_equals_int (gst_shape_set_get_width (gst_buffer_get_shape_set
          (out)), 4);
  assert_n (out, 0);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (two_in_series_add_up_with_different_ids)
{
  GstHarness *h = gst_harness_new_parse ("cudacontours backend=cpu "
      "levels=0.25,0.5 ! cudacontours backend=cpu level=0.75");
  const GstShapePolyline *records;
  GstBuffer *buffer;
  GstShapeSet *set;
  gsize n;

  gst_harness_set_src_caps_str (h, DOT_CAPS);
  buffer = run (h, dot (255));
  set = gst_buffer_get_shape_set (buffer);
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 2);
  records = gst_shape_set_get_polylines (set, 0, &n);
  fail_unless_equals_int (n, 2);
  fail_unless_equals_int (records[1].id, 1);
  records = gst_shape_set_get_polylines (set, 1, &n);
  fail_unless_equals_int (n, 1);
  fail_unless_equals_int (records[0].id, 2);
  fail_unless_equals_float (records[0].level, 191.25);
  assert_n (buffer, 3);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Messages */

GST_START_TEST (messages_count_contours_by_class)
{
  GstBus *bus;
  GstHarness *h = contours_with_bus ("post-messages=true classes=0,1", &bus);
  const GstStructure *structure;
  const GValue *numbers;
  GstMessage *message;
  guint64 value;
  gfloat pixels[2][16] = { {0,}, {0,} };

  pixels[1][0] = pixels[1][5] = pixels[1][10] = 1;
  gst_harness_set_src_caps_str (h, "other/tensors,format=static,num_tensors=1,"
      "types=float32,dimensions=(string)4:4:2:1,framerate=0/1");
  gst_buffer_unref (run (h, buffer_of (pixels, sizeof (pixels))));
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT);
  fail_unless (message != NULL);
  structure = gst_message_get_structure (message);
  fail_unless (gst_structure_has_name (structure, "cudacontours"));
  fail_unless (gst_structure_get_uint64 (structure, "n-contours", &value));
  fail_unless_equals_uint64 (value, 3);
  fail_unless (gst_structure_get_uint64 (structure, "n-points", &value));
  fail_unless (value > 9);
  fail_unless (gst_structure_get_uint64 (structure, "timestamp", &value));
  fail_unless_equals_uint64 (value, GST_CLOCK_TIME_NONE);
  numbers = gst_structure_get_value (structure, "n-contours-by-class");
  fail_unless_equals_int (gst_value_array_get_size (numbers), 2);
  fail_unless_equals_int (g_value_get_uint (gst_value_array_get_value (numbers,
              0)), 0);
  fail_unless_equals_int (g_value_get_uint (gst_value_array_get_value (numbers,
              1)), 3);
  gst_message_unref (message);
  teardown_with_bus (h, bus);
}

GST_END_TEST;

GST_START_TEST (messages_have_timestamps)
{
  GstBus *bus;
  GstHarness *h = contours_with_bus ("post-messages=true", &bus);
  GstBuffer *buffer = dot (255);
  GstMessage *message;
  guint64 value;
  guint i;

  GST_BUFFER_PTS (buffer) = 3 * GST_SECOND;
  gst_harness_set_src_caps_str (h, DOT_CAPS);
  gst_buffer_unref (run (h, buffer));
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT);
  fail_unless (message != NULL);
  for (i = 0; i < 3; i++) {
    const gchar *names[] = { "timestamp", "stream-time", "running-time" };

    fail_unless (gst_structure_get_uint64 (gst_message_get_structure (message),
            names[i], &value));
    fail_unless_equals_uint64 (value, 3 * GST_SECOND);
  }
  gst_message_unref (message);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT) == NULL);
  teardown_with_bus (h, bus);
}

GST_END_TEST;

/* Streams */

GST_START_TEST (caps_may_change_at_any_time)
{
  GstHarness *h = contours_new ("");
  guint i;

  for (i = 0; i < 20; i++) {
    GstBuffer *buffer;

    gst_harness_set_src_caps_str (h, DOT_CAPS);
    assert_n (run (h, dot (255)), 1);
    gst_harness_set_src_caps_str (h, VIDEO ("GRAY8", 8, 2));
    buffer = run (h, dot (255));
    fail_unless_equals_int (gst_shape_set_get_width (gst_buffer_get_shape_set
            (buffer)), 8);
    gst_buffer_unref (buffer);
    gst_harness_set_src_caps_str (h, "other/tensors,format=static,"
        "num_tensors=1,types=uint8,dimensions=(string)1:4:4:1,framerate=0/1");
    assert_n (run (h, dot (255)), 1);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (flushes_and_seeks_pass)
{
  GstHarness *h = contours_new ("");
  guint i;

  gst_harness_set_src_caps_str (h, DOT_CAPS);
  for (i = 0; i < 5; i++) {
    assert_n (run (h, dot (255)), 1);
    flush (h, i * GST_SECOND);
  }
  fail_unless (gst_harness_push_upstream_event (h, gst_event_new_seek (1.,
              GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0,
              GST_SEEK_TYPE_NONE, -1)));
  assert_n (run (h, dot (255)), 1);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (end_of_stream_passes)
{
  GstHarness *h = contours_new ("");
  GstEvent *event;
  gboolean found = FALSE;

  gst_harness_set_src_caps_str (h, DOT_CAPS);
  assert_n (run (h, dot (255)), 1);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  while ((event = gst_harness_try_pull_event (h))) {
    found |= GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    gst_event_unref (event);
  }
  fail_unless (found);
  fail_unless_equals_int (gst_harness_push (h, dot (255)), GST_FLOW_EOS);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (late_frames_are_not_dropped)
{
  GstHarness *h = contours_new ("");
  guint i;

  gst_harness_set_src_caps_str (h, DOT_CAPS);
  for (i = 0; i < 5; i++) {
    gst_harness_push_upstream_event (h,
        gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 3., 10 * GST_SECOND,
            100 * GST_SECOND));
    assert_n (run (h, dot (255)), 1);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (a_hundred_state_changes)
{
  GstHarness *h = contours_new ("");
  GstElement *element = gst_harness_find_element (h, "cudacontours");
  guint i;

  for (i = 0; i < 100; i++) {
    gst_harness_set_src_caps_str (h, DOT_CAPS);
    assert_n (run (h, dot (255)), 1);
    change_state (h, element, i);
  }
  gst_object_unref (element);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Properties */

GST_START_TEST (a_new_value_holds_from_the_next_frame_on)
{
  GstHarness *h = contours_new ("");
  guint i;

  gst_harness_set_src_caps_str (h, DOT_CAPS);
  for (i = 0; i < 50; i++) {
    gst_harness_set (h, "cudacontours", "level", i % 2 ? .7 : .3, NULL);
    assert_n (run (h, dot (128)), i % 2 ? 0 : 1);
  }
  gst_harness_set (h, "cudacontours", "levels", "0.1,0.2,0.3", NULL);
  assert_n (run (h, dot (128)), 3);
  gst_harness_set (h, "cudacontours", "levels", NULL, "level", .3, "min-points",
      6, NULL);
  assert_n (run (h, dot (128)), 0);
  gst_harness_set (h, "cudacontours", "min-points", 0, "roi", "2,2,2,2", NULL);
  assert_n (run (h, dot (128)), 0);
  gst_harness_set (h, "cudacontours", "roi", "", "min-area", 100., NULL);
  assert_n (run (h, dot (128)), 0);
  gst_harness_set (h, "cudacontours", "min-area", 0., NULL);
  assert_n (run (h, dot (128)), 1);
  gst_harness_teardown (h);
}

GST_END_TEST;

typedef struct
{
  GstElement *element;
  gint stop;
} Changer;

static gpointer
change_properties (gpointer data)
{
  Changer *changer = data;
  guint i;

  for (i = 0; !g_atomic_int_get (&changer->stop); i++) {
    g_object_set (changer->element, "level", (i % 10) / 10., "min-points",
        i % 7, "measures", i % 3, "hierarchy", i % 2, "levels",
        i % 4 ? NULL : "0.2,0.4", "roi", i % 5 ? NULL : "1,1,3,3",
        "measures-only", i % 3 == 0, "auto-level", i % 6 == 0, NULL);
  }
  return NULL;
}

GST_START_TEST (properties_may_change_on_any_thread)
{
  GstHarness *h = contours_new ("post-messages=true");
  Changer changer = { gst_harness_find_element (h, "cudacontours"), 0 };
  GThread *thread = g_thread_new ("change", change_properties, &changer);
  guint i;

  gst_harness_set_src_caps_str (h, DOT_CAPS);
  for (i = 0; i < 500; i++) {
    GstBuffer *buffer = run (h, dot (255));

    fail_unless (gst_buffer_get_shape_set (buffer) != NULL);
    gst_buffer_unref (buffer);
  }
  g_atomic_int_set (&changer.stop, 1);
  g_thread_join (thread);
  gst_object_unref (changer.element);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (values_that_can_be_animated_say_so)
{
  GstElement *element = gst_element_factory_make ("cudacontours", NULL);
  const gchar *animated[] = { "level", "min-points", "min-area", "max-area" };
  guint i;

  gst_object_ref_sink (element);
  for (i = 0; i < G_N_ELEMENTS (animated); i++) {
    GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS
        (element), animated[i]);

    fail_unless (pspec->flags & GST_PARAM_CONTROLLABLE);
    fail_unless (pspec->flags & GST_PARAM_MUTABLE_PLAYING);
  }
  gst_object_unref (element);
}

GST_END_TEST;

GST_START_TEST (properties_read_back)
{
  GstElement *element = gst_element_factory_make ("cudacontours", NULL);
  gchar *levels, *classes, *mask, *roi;
  gdouble level, max_area;
  guint64 max_segments;
  gint channel, layout;
  guint depth;

  gst_object_ref_sink (element);
  g_object_get (element, "levels", &levels, "level", &level, "max-area",
      &max_area, NULL);
  fail_unless (levels == NULL);
  fail_unless_equals_float (level, .5);
  fail_unless_equals_float (max_area, G_MAXDOUBLE);
  gst_util_set_object_arg (G_OBJECT (element), "channel", "g");
  gst_util_set_object_arg (G_OBJECT (element), "layout", "chw");
  g_object_set (element, "levels", "1,2", "classes", "3", "mask", "m.pgm",
      "roi", "1,2,3,4", "max-segments", (guint64) 5, "bit-depth", 12, NULL);
  g_object_get (element, "levels", &levels, "classes", &classes, "mask", &mask,
      "roi", &roi, "max-segments", &max_segments, "bit-depth", &depth,
      "channel", &channel, "layout", &layout, NULL);
  fail_unless_equals_string (levels, "1,2");
  fail_unless_equals_string (classes, "3");
  fail_unless_equals_string (mask, "m.pgm");
  fail_unless_equals_string (roi, "1,2,3,4");
  fail_unless_equals_uint64 (max_segments, 5);
  fail_unless_equals_int (depth, 12);
  fail_unless_equals_int (channel, 2);
  fail_unless_equals_int (layout, 2);
  g_free (levels);
  g_free (classes);
  g_free (mask);
  g_free (roi);
  gst_object_unref (element);
}

GST_END_TEST;

/* Pipelines */

#define SOURCE "videotestsrc num-buffers=20 ! video/x-raw,format=%s," \
  "width=101,height=67 ! "

GST_START_TEST (pipelines_with_tees_and_queues_run)
{
  const gchar *formats[] = { "GRAY8", "NV12", "I420", "RGBA" };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (formats); i++) {
    gchar *line = g_strdup_printf (SOURCE "tee name=t ! queue ! "
        "cudacontours ! fakesink sync=false t. ! queue ! cudacontours "
        "level=0.3 ! queue ! cudacontours level=0.7 ! fakesink sync=false "
        "t. ! queue ! fakesink sync=false", formats[i]);

    run_to_end (line);
    g_free (line);
  }
}

GST_END_TEST;

GST_START_TEST (a_pipeline_stops_in_the_middle)
{
  guint i;

  for (i = 0; i < 20; i++)
    run_and_stop ("videotestsrc ! video/x-raw,"
        "format=GRAY8,width=320,height=240 ! cudacontours ! queue ! fakesink "
        "sync=false", i);
}

GST_END_TEST;

static Suite *
streams_suite (void)
{
  Suite *suite = suite_create ("streams");
  TCase *buffers = tcase_create ("buffers"), *streams =
      tcase_create ("streams"), *properties =
      tcase_create ("properties"), *pipelines = tcase_create ("pipelines");

  suite_add_tcase (suite, buffers);
  tcase_add_test (buffers, the_buffer_itself_passes);
  tcase_add_test (buffers, a_buffer_that_others_hold_is_not_written);
  tcase_add_test (buffers, memory_that_is_read_only_is_enough);
  tcase_add_test (buffers, shapes_outlive_buffer_and_element);
  tcase_add_test (buffers, a_gap_has_an_empty_set);
  tcase_add_test (buffers, two_in_series_add_up_with_different_ids);
  tcase_add_test (buffers, messages_count_contours_by_class);
  tcase_add_test (buffers, messages_have_timestamps);
  suite_add_tcase (suite, streams);
  tcase_add_test (streams, caps_may_change_at_any_time);
  tcase_add_test (streams, flushes_and_seeks_pass);
  tcase_add_test (streams, end_of_stream_passes);
  tcase_add_test (streams, late_frames_are_not_dropped);
  tcase_add_test (streams, a_hundred_state_changes);
  suite_add_tcase (suite, properties);
  tcase_add_test (properties, a_new_value_holds_from_the_next_frame_on);
  tcase_add_test (properties, properties_may_change_on_any_thread);
  tcase_add_test (properties, values_that_can_be_animated_say_so);
  tcase_add_test (properties, properties_read_back);
  suite_add_tcase (suite, pipelines);
  tcase_add_test (pipelines, pipelines_with_tees_and_queues_run);
  tcase_add_test (pipelines, a_pipeline_stops_in_the_middle);
  return suite;
}

GST_CHECK_MAIN (streams);
