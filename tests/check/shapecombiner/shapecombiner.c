/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frames and shapes arrive on two pads, in any order. */

#include <gst/base/gstaggregator.h>
#include <gst/video/video.h>

#include "../lib/harness.h"
#include "../lib/suite.h"
#include "shapes/gstshapes.h"

#define CAPS "video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1"
#define FRAME (GST_SECOND / 25)

/* The element's pads: @video has its source pad, too. */
typedef struct
{
  GstHarness *video, *shapes;
} Pair;

/* Without caps and segment of the frames. */
static Pair
make_unstarted_pair (const gchar * properties)
{
  g_autofree gchar *line = g_strdup_printf ("shapecombiner %s", properties);
  g_autoptr (GstElement) element = gst_parse_launch (line, NULL);
  Pair pair;

  fail_unless (element != NULL, "%s", line);
  pair.video = gst_harness_new_with_element (element, "sink_video", "src");
  pair.shapes = gst_harness_new_with_element (element, "sink_shapes", NULL);
  gst_harness_set_src_caps_str (pair.shapes, "application/x-shapes");
  return pair;
}

static Pair
make_pair (const gchar * properties)
{
  Pair pair = make_unstarted_pair (properties);

  gst_harness_set_src_caps_str (pair.video, CAPS);
  return pair;
}

static void
pair_clear (Pair * pair)
{
  gst_harness_teardown (pair->shapes);
  gst_harness_teardown (pair->video);
}

static guint64
counter_of (Pair * pair, const gchar * name)
{
  guint64 n;

  g_object_get (pair->video->element, name, &n, NULL);
  return n;
}

static GstBuffer *
make_frame (guint64 number)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 64 * 48, NULL);

  GST_BUFFER_PTS (buffer) = number * FRAME;
  GST_BUFFER_DURATION (buffer) = FRAME;
  GST_BUFFER_OFFSET (buffer) = number;
  return buffer;
}

/* A circle of radius @number + 1 in a space half as wide as the frame. */
static GstBuffer *
make_shapes (guint64 number)
{
  const GstShapeCircle circle = { 4.f, 5.f, number + 1.f, 0.f, 0xff, -1 };
  GstBuffer *buffer = gst_buffer_new ();
  GstShapeSet *set = gst_shape_set_new (32, 24);

  gst_shape_set_add_layer (set, gst_shape_layer_new_circles_copy (&circle, 1));
  gst_buffer_add_shape_meta (buffer, set);
  gst_shape_set_unref (set);
  GST_BUFFER_PTS (buffer) = number * FRAME;
  GST_BUFFER_OFFSET (buffer) = number;
  return buffer;
}

static void
push_frame (Pair * pair, guint64 number)
{
  fail_unless_equals_int (gst_harness_push (pair->video, make_frame (number)),
      GST_FLOW_OK);
}

static void
push_shapes (Pair * pair, guint64 number)
{
  fail_unless_equals_int (gst_harness_push (pair->shapes, make_shapes (number)),
      GST_FLOW_OK);
}

/* Frame @number is output, with the shapes of @shapes, or none if it is -1. */
static void
expect_frame (Pair * pair, guint64 number, gint shapes)
{
  g_autoptr (GstBuffer) buffer = gst_harness_pull (pair->video);

  fail_unless (buffer != NULL, "frame %" G_GUINT64_FORMAT, number);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), number * FRAME);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), number);
  fail_unless_equals_int (gst_buffer_get_size (buffer), 64 * 48);
  GstShapeSet *set = gst_buffer_get_shape_set (buffer);
  fail_unless ((set != NULL) == (shapes >= 0), "frame %" G_GUINT64_FORMAT,
      number);
  if (set) {
    const GstShapeCircle *circle = gst_shape_set_get_circles (set, 0, NULL);

    fail_unless_equals_int (gst_shape_set_get_width (set), 64);
    fail_unless_equals_int (gst_shape_set_get_height (set), 48);
    /* (x + .5) * 2 - .5 */
    fail_unless (circle->x == 8.5f && circle->y == 10.5f);
    fail_unless (circle->r == 2.f * (shapes + 1), "%g", circle->r);
  }
}

TEST (frames_get_the_shapes_of_their_time)
{
  Pair pair = make_pair ("");

  for (guint i = 0; i < 5; i++) {
    push_frame (&pair, i);
    push_shapes (&pair, i);
    expect_frame (&pair, i, i);
  }
  fail_unless_equals_uint64 (counter_of (&pair, "combined"), 5);
  fail_unless_equals_uint64 (counter_of (&pair, "frames-without-shapes"), 0);
  fail_unless_equals_uint64 (counter_of (&pair, "unused-shapes"), 0);
  pair_clear (&pair);
}

/* Frames 0, 1, 3, 4 and shapes of 0, 2 and 4. */
static void
push_with_holes (Pair * pair)
{
  push_frame (pair, 0);
  push_shapes (pair, 0);
  push_frame (pair, 1);
  push_shapes (pair, 2);
  push_frame (pair, 3);
  push_shapes (pair, 4);
  push_frame (pair, 4);
}

TEST (what_is_missing_is_counted)
{
  Pair pair = make_pair ("");

  push_with_holes (&pair);
  expect_frame (&pair, 0, 0);
  expect_frame (&pair, 1, -1);
  expect_frame (&pair, 3, -1);
  expect_frame (&pair, 4, 4);
  fail_unless_equals_uint64 (counter_of (&pair, "combined"), 2);
  fail_unless_equals_uint64 (counter_of (&pair, "frames-without-shapes"), 2);
  fail_unless_equals_uint64 (counter_of (&pair, "unused-shapes"), 1);
  pair_clear (&pair);
}

TEST (missing_shapes_may_be_the_last_ones)
{
  Pair pair = make_pair ("missing=last");

  push_with_holes (&pair);
  expect_frame (&pair, 0, 0);
  expect_frame (&pair, 1, 0);
  expect_frame (&pair, 3, 0);
  expect_frame (&pair, 4, 4);
  pair_clear (&pair);
}

/* So that an overlay sees that nothing has changed. */
TEST (the_last_shapes_are_the_same_set)
{
  Pair pair = make_pair ("missing=last");
  GstBuffer *frames[4];

  push_with_holes (&pair);
  for (guint i = 0; i < 4; i++)
    frames[i] = gst_harness_pull (pair.video);
  for (guint i = 1; i < 3; i++)
    fail_unless (gst_buffer_get_shape_set (frames[i]) ==
        gst_buffer_get_shape_set (frames[0]), "frame %u was scaled again", i);
  fail_if (gst_buffer_get_shape_set (frames[3]) ==
      gst_buffer_get_shape_set (frames[0]));
  for (guint i = 0; i < 4; i++)
    gst_buffer_unref (frames[i]);
  pair_clear (&pair);
}

TEST (frames_without_shapes_may_be_left_out)
{
  Pair pair = make_pair ("missing=drop");

  push_with_holes (&pair);
  expect_frame (&pair, 0, 0);
  expect_frame (&pair, 4, 4);
  fail_unless_equals_uint64 (counter_of (&pair, "frames-without-shapes"), 2);
  pair_clear (&pair);
}

static GstBuffer *
shift (GstBuffer * buffer, gint64 by)
{
  GST_BUFFER_PTS (buffer) += by;
  return buffer;
}

TEST (times_may_differ_by_half_a_frame)
{
  Pair pair = make_pair ("");

  push_frame (&pair, 1);
  gst_harness_push (pair.shapes, shift (make_shapes (1), FRAME / 2));
  expect_frame (&pair, 1, 1);
  push_frame (&pair, 2);
  gst_harness_push (pair.shapes, shift (make_shapes (2), -(gint64) FRAME / 2));
  expect_frame (&pair, 2, 2);
  push_frame (&pair, 3);
  gst_harness_push (pair.shapes, shift (make_shapes (3), FRAME / 2 + 1));
  expect_frame (&pair, 3, -1);
  pair_clear (&pair);
}

TEST (the_tolerance_can_be_set)
{
  Pair pair = make_pair ("tolerance=5");

  push_frame (&pair, 1);
  gst_harness_push (pair.shapes, shift (make_shapes (1), -5));
  expect_frame (&pair, 1, 1);
  push_frame (&pair, 2);
  gst_harness_push (pair.shapes, shift (make_shapes (2), 6));
  expect_frame (&pair, 2, -1);
  pair_clear (&pair);
}

TEST (offsets_match_where_there_are_no_times)
{
  Pair pair = make_pair ("match=offset");
  GstBuffer *shapes = make_shapes (7);

  GST_BUFFER_PTS (shapes) = GST_CLOCK_TIME_NONE;
  gst_harness_push (pair.shapes, shapes);
  push_frame (&pair, 7);
  expect_frame (&pair, 7, 7);
  pair_clear (&pair);
}

static GstBuffer *
mark (GstBuffer * buffer, gint number)
{
  GstCustomMeta *meta = gst_buffer_add_custom_meta (buffer, "TestFrameMeta");

  gst_structure_set (gst_custom_meta_get_structure (meta), "number",
      G_TYPE_INT, number, NULL);
  return buffer;
}

TEST (a_custom_meta_matches)
{
  static const gchar *tags[] = { NULL };

  gst_meta_register_custom ("TestFrameMeta", tags, NULL, NULL, NULL);
  Pair pair =
      make_pair ("match=meta match-meta=TestFrameMeta match-field=number");
  gst_harness_push (pair.shapes, mark (make_shapes (9), 30));
  gst_harness_push (pair.video, mark (make_frame (2), 29));
  expect_frame (&pair, 2, -1);
  gst_harness_push (pair.video, mark (make_frame (3), 30));
  expect_frame (&pair, 3, 9);
  /* one that has none */
  push_shapes (&pair, 4);
  gst_harness_push (pair.video, mark (make_frame (5), 31));
  gst_harness_push_event (pair.shapes, gst_event_new_eos ());
  expect_frame (&pair, 5, -1);
  fail_unless_equals_uint64 (counter_of (&pair, "unused-shapes"), 1);
  pair_clear (&pair);
}

TEST (frames_go_on_when_shapes_are_over)
{
  Pair pair = make_pair ("");

  push_frame (&pair, 0);
  push_shapes (&pair, 0);
  gst_harness_push_event (pair.shapes, gst_event_new_eos ());
  push_frame (&pair, 1);
  push_frame (&pair, 2);
  expect_frame (&pair, 0, 0);
  expect_frame (&pair, 1, -1);
  expect_frame (&pair, 2, -1);
  pair_clear (&pair);
}

/* Pixels are unchanged, and writable frames are not copied. */
TEST (frames_are_not_copied)
{
  Pair pair = make_pair ("");
  GstBuffer *frame = make_frame (0);
  GstMemory *memory = gst_buffer_peek_memory (frame, 0);

  push_shapes (&pair, 0);
  gst_harness_push (pair.video, frame);
  GstBuffer *out = gst_harness_pull (pair.video);
  fail_unless (out == frame);
  fail_unless (gst_buffer_peek_memory (out, 0) == memory);
  fail_unless (gst_buffer_get_shape_set (out) != NULL);
  gst_buffer_unref (out);
  pair_clear (&pair);
}

/* Its own shapes stay. */
TEST (shapes_are_added_to_those_of_the_frame)
{
  Pair pair = make_pair ("");
  GstBuffer *frame = make_frame (0);
  const GstShapeCircle circle = { 1.f, 1.f, 1.f, 0.f, 0xff, -1 };
  GstShapeSet *set = gst_shape_set_new (64, 48);

  gst_shape_set_add_layer (set, gst_shape_layer_new_circles_copy (&circle, 1));
  gst_buffer_add_shape_meta (frame, set);
  gst_shape_set_unref (set);
  push_shapes (&pair, 0);
  gst_harness_push (pair.video, frame);
  frame = gst_harness_pull (pair.video);
  set = gst_buffer_get_shape_set (frame);
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 2);
  gst_buffer_unref (frame);
  pair_clear (&pair);
}

/* As a flushing seek of the whole pipeline: one on each pad, of one number. */
static void
flush (Pair * pair)
{
  GstHarness *const pads[] = { pair->video, pair->shapes };
  g_autoptr (GstEvent) start = gst_event_new_flush_start ();
  g_autoptr (GstEvent) stop = gst_event_new_flush_stop (TRUE);
  GstSegment segment;

  gst_event_set_seqnum (stop, gst_event_get_seqnum (start));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  for (guint i = 0; i < 2; i++)
    gst_harness_push_event (pads[i], gst_event_ref (start));
  for (guint i = 0; i < 2; i++)
    gst_harness_push_event (pads[i], gst_event_ref (stop));
  for (guint i = 0; i < 2; i++)
    gst_harness_push_event (pads[i], gst_event_new_segment (&segment));
}

TEST (a_flush_forgets_the_last_shapes)
{
  Pair pair = make_pair ("missing=last");

  push_frame (&pair, 0);
  push_shapes (&pair, 0);
  expect_frame (&pair, 0, 0);
  flush (&pair);
  push_frame (&pair, 1);
  push_shapes (&pair, 2);
  expect_frame (&pair, 1, -1);
  pair_clear (&pair);
}

/* In a live pipeline a frame waits for the latency, then is pushed. */
TEST (a_live_frame_does_not_wait_for_ever)
{
  Pair pair = make_pair ("latency=1000000");

  gst_harness_use_systemclock (pair.video);
  gst_harness_set_live (pair.video, TRUE);
  gst_harness_set_upstream_latency (pair.video, 0);
  gst_harness_play (pair.video);
  push_frame (&pair, 0);
  GstBuffer *frame = gst_harness_pull (pair.video);
  fail_unless (frame != NULL);
  fail_unless (gst_buffer_get_shape_set (frame) == NULL);
  gst_buffer_unref (frame);
  fail_unless_equals_uint64 (counter_of (&pair, "frames-without-shapes"), 1);
  pair_clear (&pair);
}

/* Those of the base class, some of which only newer ones have. It selects when a
 * buffer arrives before the frames' segment; with a clock a thread of its own
 * may be earlier. */
TEST (frames_come_with_each_selection_of_the_start_time)
{
  GEnumClass *selections =
      g_type_class_ref (gst_aggregator_start_time_selection_get_type ());

  for (guint i = 0; i < selections->n_values; i++) {
    Pair pair = make_unstarted_pair ("start-time=9");

    gst_element_set_clock (pair.video->element, NULL);
    g_object_set (pair.video->element, "start-time-selection",
        selections->values[i].value, NULL);
    push_shapes (&pair, 0);
    gst_harness_set_src_caps_str (pair.video, CAPS);
    push_frame (&pair, 0);
    expect_frame (&pair, 0, 0);
    pair_clear (&pair);
  }
  g_type_class_unref (selections);
}

static void
expect_seek (const gchar * shapes, gboolean expected)
{
  g_autofree gchar *line = g_strdup_printf ("videotestsrc ! c.sink_video %s ! "
      "c.sink_shapes shapecombiner name=c ! fakesink", shapes);
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), "c");
  g_autoptr (GstQuery) query = gst_query_new_seeking (GST_FORMAT_TIME);
  gboolean seekable;

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  fail_unless (gst_element_query (element, query));
  gst_query_parse_seeking (query, NULL, &seekable, NULL, NULL);
  fail_unless_equals_int (seekable, expected);
  fail_unless_equals_int (gst_element_seek_simple (element, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH, FRAME), expected);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (element);
}

TEST (both_streams_seek_or_none)
{
  expect_seek ("videotestsrc", TRUE);
  expect_seek ("appsrc", FALSE);
}

TEST (match_meta_without_a_name_is_an_error)
{
  GstElement *element = gst_parse_launch ("shapecombiner match=meta", NULL);
  g_autoptr (GstBus) bus = gst_bus_new ();

  gst_element_set_bus (element, bus);
  gst_element_set_state (element, GST_STATE_PAUSED);
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_unref (message);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
}

SUITE (shapecombiner) {}
