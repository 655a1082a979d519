/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudacircles in pipelines that live: frames that others hold, strides, caps
 * that change, times, states, properties that are animated. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "circles_test.h"

#include <gst/controller/controller.h>

#define DISC "circles=\"<[circle,x=9,y=7,r=5,color=(uint)0x80ff0000]>\" "

static const CsCircle disc[] = { {9, 7, 5, 0, 0xff000080} };

/* Frames */

GST_START_TEST (a_writable_frame_is_painted_in_place)
{
  GstHarness *h = circles_new (DISC);
  GstVideoInfo info;
  gchar *caps = make_caps (&info, "RGBA", 20, 15, "");
  GstBuffer *in = noise_buffer (&info, 1), *out;
  GstMemory *memory = gst_buffer_peek_memory (in, 0);

  GST_BUFFER_PTS (in) = 3;
  GST_BUFFER_DURATION (in) = 7;
  GST_BUFFER_OFFSET (in) = 42;
  GST_BUFFER_FLAG_SET (in, GST_BUFFER_FLAG_GAP);
  gst_harness_set_src_caps_str (h, caps);
  out = run (h, in);
  fail_unless (out == in && gst_buffer_peek_memory (out, 0) == memory);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), 3);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (out), 7);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (out), 42);
  /* there is something to see */
  fail_if (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_GAP));
  gst_buffer_unref (out);
  gst_harness_teardown (h);
  g_free (caps);
}

GST_END_TEST;

GST_START_TEST (a_frame_that_others_hold_is_not_written)
{
  GstHarness *h = circles_new (DISC);
  GstVideoInfo info;
  gchar *caps = make_caps (&info, "RGBA", 20, 15, "");
  GstBuffer *in = noise_buffer (&info, 1), *before = noise_buffer (&info, 1);
  GstBuffer *out;
  Canvas canvas;

  gst_harness_set_src_caps_str (h, caps);
  canvas_init (&canvas, &info, in);
  canvas_paint_all (&canvas, disc, 1, 8, TRUE, 1.f);
  out = run (h, gst_buffer_ref (in));
  fail_unless (out != in && same_bytes (in, before));
  assert_shows (out, &info, &canvas, "a copy");
  ASSERT_MINI_OBJECT_REFCOUNT (in, "buffer", 1);
  canvas_clear (&canvas);
  gst_buffer_unref (in);
  gst_buffer_unref (out);
  gst_buffer_unref (before);
  gst_harness_teardown (h);
  g_free (caps);
}

GST_END_TEST;

/* Nothing to paint: the same buffer, even when others hold it. */
GST_START_TEST (frames_without_circles_pass)
{
  static const gchar *const properties[] = { "", DISC "opacity=0",
    "scene=rand10k opacity=0", "circles=\"<[circle,x=99,y=7,r=5]>\"",
    DISC "fill=false"
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (properties); i++) {
    GstHarness *h = circles_new (properties[i]);
    GstVideoInfo info;
    gchar *caps = make_caps (&info, "NV12", 20, 15, "");
    GstBuffer *in = noise_buffer (&info, 1);

    gst_harness_set_src_caps_str (h, caps);
    fail_unless (run (h, gst_buffer_ref (in)) == in, "%s", properties[i]);
    gst_buffer_unref (in);
    gst_buffer_unref (in);
    gst_harness_teardown (h);
    g_free (caps);
  }
}

GST_END_TEST;

static void
assert_tee (const gchar * line)
{
  GstElement *pipeline = gst_parse_launch (line, NULL);
  GstElement *plain = gst_bin_get_by_name (GST_BIN (pipeline), "plain");
  GstElement *painted = gst_bin_get_by_name (GST_BIN (pipeline), "painted");
  GstBus *bus = gst_element_get_bus (pipeline);
  GstSample *a, *b;
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  gst_message_unref (message);
  g_object_get (plain, "last-sample", &a, NULL);
  g_object_get (painted, "last-sample", &b, NULL);
  fail_unless (a && b);
  fail_if (same_bytes (gst_sample_get_buffer (a), gst_sample_get_buffer (b)));
  gst_sample_unref (a);
  gst_sample_unref (b);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (plain);
  gst_object_unref (painted);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
}

GST_START_TEST (behind_a_tee)
{
  assert_tee ("videotestsrc num-buffers=20 pattern=black ! video/x-raw,"
      "format=I420,width=64,height=48 ! tee name=t ! queue ! "
      "fakesink name=plain async=false t. ! queue ! cudacircles backend=cpu "
      "scene=snow ! fakesink name=painted async=false");
}

GST_END_TEST;

/* Rows with padding, and planes with gaps between them, as GstVideoMeta has
 * them: the padding stays as it is. */
GST_START_TEST (padded_strides)
{
  static const gchar *const formats[] = { "RGBA", "RGB", "NV12", "I420",
    "P010_10LE", "GRAY8"
  };
  guint i, p;

  for (i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstHarness *h = circles_new (DISC), *h2 = circles_new (DISC);
    GstVideoInfo info, padded;
    gchar *caps = make_caps (&info, formats[i], 21, 15, "");
    GstVideoAlignment alignment;
    GstBuffer *wide, *dense, *before;
    GstVideoFrame a, b;
    guint c, x, y;

    gst_video_alignment_reset (&alignment);
    alignment.padding_right = 10;
    alignment.padding_bottom = 6;
    alignment.padding_top = 2;
    padded = info;
    fail_unless (gst_video_info_align (&padded, &alignment));
    wide = gst_buffer_new_allocate (NULL, padded.size + 64, NULL);
    gst_buffer_memset (wide, 0, 0xa5, -1);
    for (p = 0; p < GST_VIDEO_INFO_N_PLANES (&padded); p++)
      padded.offset[p] += 32;
    gst_buffer_add_video_meta_full (wide, GST_VIDEO_FRAME_FLAG_NONE,
        GST_VIDEO_INFO_FORMAT (&info), 21, 15,
        GST_VIDEO_INFO_N_PLANES (&padded), padded.offset, padded.stride);
    fill_frame (&info, wide, 9);
    before = gst_buffer_copy_deep (wide);
    dense = noise_buffer (&info, 9);

    gst_harness_set_src_caps_str (h, caps);
    gst_harness_set_src_caps_str (h2, caps);
    wide = run (h, wide);
    dense = run (h2, dense);
    fail_unless (gst_video_frame_map (&a, &info, wide, GST_MAP_READWRITE));
    fail_unless (gst_video_frame_map (&b, &info, dense, GST_MAP_READ));
    for (c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS (&a); c++)
      for (y = 0; y < (guint) GST_VIDEO_FRAME_COMP_HEIGHT (&a, c); y++)
        for (x = 0; x < (guint) GST_VIDEO_FRAME_COMP_WIDTH (&a, c); x++)
          fail_unless (get_code (&a, c, x, y) == get_code (&b, c, x, y),
              "%s: component %u of %u,%u", formats[i], c, x, y);
    gst_video_frame_unmap (&a);
    gst_video_frame_unmap (&b);
    /* with the pixels as they were, all is as it was */
    fill_frame (&info, wide, 9);
    fail_unless (same_bytes (wide, before), "%s: the padding", formats[i]);
    gst_buffer_unref (wide);
    gst_buffer_unref (before);
    gst_buffer_unref (dense);
    gst_harness_teardown (h);
    gst_harness_teardown (h2);
    g_free (caps);
  }
}

GST_END_TEST;

GST_START_TEST (a_short_frame_is_dropped)
{
  GstHarness *h = circles_new (DISC);
  GstVideoInfo info;
  gchar *caps = make_caps (&info, "RGBA", 20, 15, "");

  gst_harness_set_src_caps_str (h, caps);
  fail_unless_equals_int (gst_harness_push (h, gst_buffer_new_allocate (NULL,
              100, NULL)), GST_FLOW_OK);
  fail_unless (gst_harness_try_pull (h) == NULL);
  gst_buffer_unref (run (h, noise_buffer (&info, 1)));
  gst_harness_teardown (h);
  g_free (caps);
}

GST_END_TEST;

/* Negotiation */

GST_START_TEST (renegotiation)
{
  static const struct
  {
    const gchar *format;
    guint width, height;
  } forms[] = { {"RGBA", 32, 24}, {"NV12", 64, 48}, {"GRAY8", 7, 5}, {"RGBA",
          32, 24}, {"I420_10LE", 33, 31}
  };
  GstHarness *h = circles_new ("scene=rgb");
  CsCircle circles[3];
  guint i, k;

  for (i = 0; i < G_N_ELEMENTS (forms); i++) {
    GstVideoInfo info;
    gchar *caps = make_caps (&info, forms[i].format, forms[i].width,
        forms[i].height, "");
    GstBuffer *buffer = noise_buffer (&info, i);
    Canvas canvas;

    cs_scene_make (CS_SCENE_RGB, 0, 0., circles);
    for (k = 0; k < 3; k++)
      circles[k] = to_frame (circles[k], &info);
    canvas_init (&canvas, &info, buffer);
    canvas_paint_all (&canvas, circles, 3, GST_VIDEO_INFO_COMP_DEPTH (&info,
            0), TRUE, 1.f);
    gst_harness_set_src_caps_str (h, caps);
    buffer = run (h, buffer);
    assert_shows (buffer, &info, &canvas, caps);
    canvas_clear (&canvas);
    gst_buffer_unref (buffer);
    g_free (caps);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (allocation_offers_strides_and_shapes)
{
  GstHarness *h = circles_new (DISC);
  GstVideoInfo info;
  gchar *text = make_caps (&info, "NV12", 20, 15, "");
  GstCaps *caps = gst_caps_from_string (text);
  GstQuery *query;

  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  query = gst_query_new_allocation (caps, FALSE);
  fail_unless (gst_pad_peer_query (h->srcpad, query));
  fail_unless (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE,
          NULL));
  fail_unless (gst_query_find_allocation_meta (query, GST_SHAPE_META_API_TYPE,
          NULL));
  gst_query_unref (query);
  gst_caps_unref (caps);
  g_free (text);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Time */

static GstBuffer *
frame_at (const gchar * properties, const gchar * rate, GstClockTime pts,
    guint n_before)
{
  GstHarness *h = circles_new (properties);
  GstVideoInfo info;
  gchar *caps, *text;
  GstBuffer *buffer;

  g_free (make_caps (&info, "RGBA", 48, 48, ""));
  text = g_strdup_printf ("video/x-raw,format=RGBA,width=48,height=48,"
      "framerate=%s", rate);
  caps = text;
  gst_harness_set_src_caps_str (h, caps);
  while (n_before--)
    gst_buffer_unref (run (h, noise_buffer (&info, 2)));
  buffer = noise_buffer (&info, 2);
  GST_BUFFER_PTS (buffer) = pts;
  buffer = run (h, buffer);
  gst_harness_teardown (h);
  g_free (text);
  return buffer;
}

GST_START_TEST (the_same_time_shows_the_same_picture)
{
  static const gchar *const scenes[] = { "scene=snow", "scene=bouncingballs",
    "scene=fireworks", "scene=hypnosis"
  };
  const gchar *properties = scenes[__i__];
  GstBuffer *a = frame_at (properties, "25/1", 4 * GST_SECOND, 0);
  GstBuffer *b = frame_at (properties, "30/1", 4 * GST_SECOND, 3);
  GstBuffer *other = frame_at (properties, "25/1", 4100 * GST_MSECOND, 0);
  /* without times, frames are counted: the 100th of 25 a second */
  GstBuffer *counted = frame_at (properties, "25/1", GST_CLOCK_TIME_NONE, 100);
  GstBuffer *unknown = frame_at (properties, "0/1", GST_CLOCK_TIME_NONE, 120);

  fail_unless (same_bytes (a, b));
  fail_if (same_bytes (a, other));
  fail_unless (same_bytes (a, counted));
  fail_unless (same_bytes (a, unknown));
  gst_buffer_unref (a);
  gst_buffer_unref (b);
  gst_buffer_unref (other);
  gst_buffer_unref (counted);
  gst_buffer_unref (unknown);
}

GST_END_TEST;

/* It is the stream time that counts: where the segment begins, not the PTS. */
GST_START_TEST (a_segment_moves_the_scene)
{
  GstHarness *h = circles_new ("scene=bouncingballs");
  GstVideoInfo info;
  gchar *caps = make_caps (&info, "RGBA", 48, 48, "");
  GstBuffer *a = frame_at ("scene=bouncingballs", "25/1", 2 * GST_SECOND, 0);
  GstBuffer *b = noise_buffer (&info, 2);
  GstSegment segment;

  gst_harness_set_src_caps_str (h, caps);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = 100 * GST_SECOND;
  segment.time = GST_SECOND;
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  GST_BUFFER_PTS (b) = 101 * GST_SECOND;
  b = run (h, b);
  fail_unless (same_bytes (a, b));
  gst_buffer_unref (a);
  gst_buffer_unref (b);
  gst_harness_teardown (h);
  g_free (caps);
}

GST_END_TEST;

GST_START_TEST (opacity_is_animated)
{
  GstHarness *h = circles_new (DISC);
  GstElement *element = find_circles (h);
  GstControlSource *source = gst_interpolation_control_source_new ();
  GstVideoInfo info;
  gchar *caps = make_caps (&info, "RGB", 20, 15, "");
  guint i;

  g_object_set (source, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source),
      0, 0.);
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source),
      4 * GST_SECOND, 1.);
  fail_unless (gst_object_add_control_binding (GST_OBJECT (element),
          gst_direct_control_binding_new_absolute (GST_OBJECT (element),
              "opacity", source)));
  gst_harness_set_src_caps_str (h, caps);
  for (i = 0; i <= 4; i++) {
    GstBuffer *buffer = noise_buffer (&info, i);
    Canvas canvas;

    GST_BUFFER_PTS (buffer) = i * GST_SECOND;
    canvas_init (&canvas, &info, buffer);
    canvas_paint_all (&canvas, disc, 1, 8, TRUE, .25f * i);
    buffer = run (h, buffer);
    assert_shows (buffer, &info, &canvas, "opacity");
    canvas_clear (&canvas);
    gst_buffer_unref (buffer);
  }
  gst_object_unref (source);
  gst_object_unref (element);
  gst_harness_teardown (h);
  g_free (caps);
}

GST_END_TEST;

/* Life */

GST_START_TEST (a_hundred_starts)
{
  GstElement *pipeline = gst_parse_launch ("videotestsrc num-buffers=2 ! "
      "video/x-raw,width=32,height=24 ! cudacircles backend=cpu scene=rand10k "
      "! fakesink", NULL);
  guint i;

  for (i = 0; i < 100; i++) {
    fail_if (gst_element_set_state (pipeline, i % 2 ? GST_STATE_PLAYING :
            GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE);
    if (i % 3 == 0)
      fail_unless (gst_element_get_state (pipeline, NULL, NULL,
              10 * GST_SECOND) == GST_STATE_CHANGE_SUCCESS);
    fail_if (gst_element_set_state (pipeline, i % 5 ? GST_STATE_NULL :
            GST_STATE_READY) == GST_STATE_CHANGE_FAILURE);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

GST_END_TEST;

GST_START_TEST (the_number_of_threads_does_not_matter)
{
  GstBuffer *one = frame_at ("scene=rand10k n-threads=1", "25/1", 0, 0);
  GstBuffer *four = frame_at ("scene=rand10k n-threads=4", "25/1", 0, 0);

  fail_unless (same_bytes (one, four));
  gst_buffer_unref (one);
  gst_buffer_unref (four);
}

GST_END_TEST;

GST_START_TEST (flushing_counts_anew)
{
  GstHarness *h = circles_new ("scene=snow");
  GstVideoInfo info;
  gchar *caps = make_caps (&info, "RGBA", 48, 48, "");
  GstBuffer *first, *later, *again;

  gst_harness_set_src_caps_str (h, caps);
  first = run (h, noise_buffer (&info, 2));
  later = run (h, noise_buffer (&info, 2));
  fail_if (same_bytes (first, later));
  flush (h, 0);
  again = run (h, noise_buffer (&info, 2));
  fail_unless (same_bytes (first, again));
  gst_buffer_unref (first);
  gst_buffer_unref (later);
  gst_buffer_unref (again);
  gst_harness_teardown (h);
  g_free (caps);
}

GST_END_TEST;

static Suite *
streams_suite (void)
{
  Suite *suite = suite_create ("cudacircles-streams");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, a_writable_frame_is_painted_in_place);
  tcase_add_test (tc, a_frame_that_others_hold_is_not_written);
  tcase_add_test (tc, frames_without_circles_pass);
  tcase_add_test (tc, behind_a_tee);
  tcase_add_test (tc, padded_strides);
  tcase_add_test (tc, a_short_frame_is_dropped);
  tcase_add_test (tc, renegotiation);
  tcase_add_test (tc, allocation_offers_strides_and_shapes);
  tcase_add_loop_test (tc, the_same_time_shows_the_same_picture, 0, 4);
  tcase_add_test (tc, a_segment_moves_the_scene);
  tcase_add_test (tc, opacity_is_animated);
  tcase_add_test (tc, a_hundred_starts);
  tcase_add_test (tc, the_number_of_threads_does_not_matter);
  tcase_add_test (tc, flushing_counts_anew);
  return suite;
}

GST_CHECK_MAIN (streams);
