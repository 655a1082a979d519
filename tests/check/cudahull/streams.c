/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudahull in running pipelines: copies, renegotiation, flushes, states,
 * property changes while PLAYING. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "hull_test.h"

#define TRIANGLE_CAPS "other/tensors,format=static,num_tensors=1," \
  "types=int32,dimensions=(string)2:3:1:1,framerate=0/1"

static GstBuffer *
triangle (void)
{
  const gint32 points[] = { 0, 0, 5, 0, 0, 7 };

  return buffer_of (points, sizeof (points));
}

static void
assert_hulls (GstBuffer * buffer, gsize n)
{
  GstShapeSet *set = gst_buffer_get_shape_set (buffer);

  fail_unless (set != NULL);
  fail_unless_equals_int (n_hulls (set), n);
  gst_buffer_unref (buffer);
}

/* Buffers */

GST_START_TEST (the_buffer_itself_passes)
{
  GstHarness *h = hull_new ("");
  GstBuffer *in = dented_buffer (2, NULL), *out;

  GST_BUFFER_PTS (in) = 3;
  GST_BUFFER_DURATION (in) = 7;
  GST_BUFFER_OFFSET (in) = 42;
  gst_harness_set_src_caps_str (h, GRAY_CAPS);
  out = run (h, in);
  fail_unless (out == in);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), 3);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (out), 7);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (out), 42);
  assert_hulls (out, 2);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (a_buffer_that_others_hold_is_not_written)
{
  const gchar *properties[] = { "", "replace=true" };
  guint i;

  for (i = 0; i < 2; i++) {
    GstHarness *h = hull_new (properties[i]);
    GstBuffer *in = dented_buffer (1, NULL), *out;

    gst_harness_set_src_caps_str (h, GRAY_CAPS);
    out = run (h, gst_buffer_ref (in));
    fail_if (out == in);
    fail_unless_equals_int (n_hulls (gst_buffer_get_shape_set (in)), 0);
    fail_unless_equals_int (n_contours (gst_buffer_get_shape_set (in)), 1);
    fail_unless (gst_buffer_peek_memory (in, 0) == gst_buffer_peek_memory (out,
            0));
    assert_hulls (out, 1);
    ASSERT_MINI_OBJECT_REFCOUNT (in, "buffer", 1);
    gst_buffer_unref (in);
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

GST_START_TEST (hulls_outlive_buffer_and_element)
{
  GstShapeSet *set = hulls_of ("measures=full", GRAY_CAPS, dented_buffer (1,
          NULL));

  ASSERT_POINTS (set, 1, 0, dented_hull);
  fail_unless (gst_shape_set_get_hull_measures (set, 1, NULL)->feret_min == 8);
  gst_shape_set_unref (set);
}

GST_END_TEST;

GST_START_TEST (a_gap_has_no_hull_of_pixels_or_points)
{
  const gchar *caps[] = { GRAY_CAPS, TRIANGLE_CAPS };
  guint i;

  for (i = 0; i < 2; i++) {
    GstHarness *h = hull_new ("level=-1");
    GstBuffer *in = i ? triangle () : black ();

    GST_BUFFER_FLAG_SET (in, GST_BUFFER_FLAG_GAP);
    gst_harness_set_src_caps_str (h, caps[i]);
    assert_hulls (run (h, in), 0);
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

GST_START_TEST (messages_count_hulls)
{
  GstBus *bus;
  GstHarness *h = hull_with_bus ("post-messages=true", &bus);
  GstBuffer *buffer = dented_buffer (3, NULL);
  const GstStructure *structure;
  GstMessage *message;
  gdouble solidity;
  guint64 value;

  GST_BUFFER_PTS (buffer) = GST_SECOND;
  gst_harness_set_src_caps_str (h, GRAY_CAPS);
  gst_buffer_unref (run (h, buffer));
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT);
  fail_unless (message != NULL);
  structure = gst_message_get_structure (message);
  fail_unless (gst_structure_has_name (structure, "cudahull"));
  fail_unless_equals_string (gst_structure_get_string (structure, "source"),
      "contours");
  fail_unless (gst_structure_get_uint64 (structure, "n-hulls", &value));
  fail_unless_equals_uint64 (value, 3);
  fail_unless (gst_structure_get_uint64 (structure, "n-points", &value));
  fail_unless_equals_uint64 (value, 15);
  fail_unless (gst_structure_get_uint64 (structure, "n-ignored", &value));
  fail_unless_equals_uint64 (value, 0);
  fail_unless (gst_structure_get_uint64 (structure, "running-time", &value));
  fail_unless_equals_uint64 (value, GST_SECOND);
  fail_unless (gst_structure_get_double (structure, "solidity-mean",
          &solidity));
  fail_unless_equals_float (solidity, .75);
  fail_unless (gst_structure_get_double (structure, "solidity-min", &solidity));
  fail_unless_equals_float (solidity, .75);
  gst_message_unref (message);
  hull_teardown (h, bus);
}

GST_END_TEST;

/* Streams */

GST_START_TEST (caps_may_change_at_any_time)
{
  GstHarness *h = hull_new ("level=0.5");
  guint i;

  for (i = 0; i < 20; i++) {
    gst_harness_set_src_caps_str (h, GRAY_CAPS);
    assert_hulls (run (h, dented_buffer (3, NULL)), 3);
    assert_hulls (run (h, black ()), 0);
    gst_harness_set_src_caps_str (h, VIDEO ("GRAY8", 8, 2));
    assert_hulls (run (h, buffer_of ("\377\0\0\0\0\0\0\0\0\377\0\0\0\0\0\0",
                16)), 1);
    gst_harness_set_src_caps_str (h, TRIANGLE_CAPS);
    assert_hulls (run (h, triangle ()), 1);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (flushes_and_the_end_of_stream_pass)
{
  GstHarness *h = hull_new ("");
  guint i;

  gst_harness_set_src_caps_str (h, GRAY_CAPS);
  for (i = 0; i < 5; i++) {
    assert_hulls (run (h, dented_buffer (1, NULL)), 1);
    flush (h, 0);
  }
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  fail_unless_equals_int (gst_harness_push (h, dented_buffer (1, NULL)),
      GST_FLOW_EOS);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (a_hundred_state_changes)
{
  GstHarness *h = hull_new ("");
  GstElement *element = gst_harness_find_element (h, "cudahull");
  guint i;

  for (i = 0; i < 100; i++) {
    gst_harness_set_src_caps_str (h, GRAY_CAPS);
    assert_hulls (run (h, dented_buffer (1, NULL)), 1);
    change_state (h, element, i);
  }
  gst_object_unref (element);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (upstream_hears_that_shapes_survive)
{
  GstHarness *h = hull_new ("");
  GstCaps *caps = gst_caps_from_string (GRAY_CAPS);
  GstQuery *query = gst_query_new_allocation (caps, FALSE);

  gst_harness_set_src_caps_str (h, GRAY_CAPS);
  fail_unless (gst_pad_peer_query (h->srcpad, query));
  fail_unless (gst_query_find_allocation_meta (query, GST_SHAPE_META_API_TYPE,
          NULL));
  gst_query_unref (query);
  gst_caps_unref (caps);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Properties */

GST_START_TEST (a_new_value_holds_from_the_next_buffer_on)
{
  const gint32 classes[] = { 0, 1, 1 };
  GstHarness *h = hull_new ("");
  guint i;

  gst_harness_set_src_caps_str (h, GRAY_CAPS);
  for (i = 0; i < 20; i++) {
    gst_harness_set (h, "cudahull", "scope", i % 3, NULL);
    assert_hulls (run (h, dented_buffer (3, classes)), i % 3 == 0 ? 1 :
        i % 3 == 1 ? 3 : 2);
  }
  gst_harness_set (h, "cudahull", "source", 2, "level", 0.5, NULL);
  assert_hulls (run (h, dented_buffer (3, classes)), 0);
  gst_harness_set (h, "cudahull", "level", -1., NULL);
  assert_hulls (run (h, dented_buffer (3, classes)), 1);
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

  for (i = 0; !g_atomic_int_get (&changer->stop); i++)
    g_object_set (changer->element, "scope", i % 3, "measures", i % 3,
        "include-collinear", i % 2, "replace", i % 5 == 0, "source",
        i % 4 == 3 ? 2 : 0, "level", (i % 10) / 10., NULL);
  return NULL;
}

GST_START_TEST (properties_may_change_on_any_thread)
{
  GstHarness *h = hull_new ("post-messages=true");
  Changer changer = { gst_harness_find_element (h, "cudahull"), 0 };
  GThread *thread = g_thread_new ("change", change_properties, &changer);
  guint i;

  gst_harness_set_src_caps_str (h, GRAY_CAPS);
  for (i = 0; i < 500; i++) {
    GstBuffer *buffer = run (h, dented_buffer (i % 7, NULL));

    fail_unless (gst_buffer_get_shape_set (buffer) != NULL);
    gst_buffer_unref (buffer);
  }
  g_atomic_int_set (&changer.stop, 1);
  g_thread_join (thread);
  gst_object_unref (changer.element);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (properties_read_back)
{
  const gchar *names[] = { "source", "scope", "level-unit", "channel",
    "measures"
  };
  const gchar *values[] = { "points", "all", "sample", "g", "full" };
  GstElement *element = gst_element_factory_make ("cudahull", NULL);
  gboolean collinear, replace, post;
  gdouble level;
  guint i, depth;

  gst_object_ref_sink (element);
  for (i = 0; i < G_N_ELEMENTS (names); i++) {
    gchar *text;
    GValue value = G_VALUE_INIT;

    gst_util_set_object_arg (G_OBJECT (element), names[i], values[i]);
    g_object_get_property (G_OBJECT (element), names[i], &value);
    text = gst_value_serialize (&value);
    fail_unless_equals_string (text, values[i]);
    g_free (text);
    g_value_unset (&value);
  }
  g_object_set (element, "level", 3., "bit-depth", 12, "include-collinear",
      TRUE, "replace", TRUE, "post-messages", TRUE, NULL);
  g_object_get (element, "level", &level, "bit-depth", &depth,
      "include-collinear", &collinear, "replace", &replace, "post-messages",
      &post, NULL);
  fail_unless_equals_float (level, 3);
  fail_unless_equals_int (depth, 12);
  fail_unless (collinear && replace && post);
  fail_unless (g_object_class_find_property (G_OBJECT_GET_CLASS (element),
          "level")->flags & GST_PARAM_CONTROLLABLE);
  gst_object_unref (element);
}

GST_END_TEST;

/* Pipelines */

#define SOURCE "videotestsrc num-buffers=10 ! video/x-raw,width=101,height=67"

GST_START_TEST (pipelines_run)
{
  run_to_end ("videotestsrc num-buffers=10 ! cudacontours ! cudahull ! "
      "shapejsonenc ! fakesink");
  run_to_end (SOURCE ",format=GRAY8 ! cudacontours ! tee name=t ! queue ! "
      "cudahull measures=full ! fakesink sync=false t. ! queue ! cudahull "
      "scope=all replace=true ! shapejsonenc ! fakesink sync=false t. ! queue "
      "! fakesink sync=false");
  run_to_end (SOURCE ",format=I420 ! cudahull ! queue ! cudahull level=0.7 ! "
      "shapeoverlay ! fakesink sync=false");
}

GST_END_TEST;

GST_START_TEST (a_pipeline_stops_in_the_middle)
{
  guint i;

  for (i = 0; i < 20; i++)
    run_and_stop ("videotestsrc ! video/x-raw,"
        "format=GRAY8,width=320,height=240 ! cudacontours ! cudahull ! queue ! "
        "fakesink sync=false", i);
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
  tcase_add_test (buffers, hulls_outlive_buffer_and_element);
  tcase_add_test (buffers, a_gap_has_no_hull_of_pixels_or_points);
  tcase_add_test (buffers, messages_count_hulls);
  suite_add_tcase (suite, streams);
  tcase_add_test (streams, caps_may_change_at_any_time);
  tcase_add_test (streams, flushes_and_the_end_of_stream_pass);
  tcase_add_test (streams, a_hundred_state_changes);
  tcase_add_test (streams, upstream_hears_that_shapes_survive);
  suite_add_tcase (suite, properties);
  tcase_add_test (properties, a_new_value_holds_from_the_next_buffer_on);
  tcase_add_test (properties, properties_may_change_on_any_thread);
  tcase_add_test (properties, properties_read_back);
  suite_add_tcase (suite, pipelines);
  tcase_add_test (pipelines, pipelines_run);
  tcase_add_test (pipelines, a_pipeline_stops_in_the_middle);
  return suite;
}

GST_CHECK_MAIN (streams);
