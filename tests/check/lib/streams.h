/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the programs that test elements in harnesses and pipelines share. */

#include "harness.h"
#include "messages.h"
#include "suite.h"

/* Pushes @buffer, takes the result. */
static inline GstBuffer *
run (GstHarness * h, GstBuffer * buffer)
{
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  buffer = gst_harness_pull (h);
  fail_unless (buffer != NULL);
  return buffer;
}

static inline gboolean
same_bytes (GstBuffer * a, GstBuffer * b)
{
  g_auto (GstBufferMapInfo) map = GST_MAP_INFO_INIT;

  fail_unless (gst_buffer_map (a, &map, GST_MAP_READ));
  return gst_buffer_get_size (b) == map.size && gst_buffer_memcmp (b, 0,
      map.data, map.size) == 0;
}

/* Streams and states */

/* As a seek to @start does it. */
static inline void
flush (GstHarness * h, GstClockTime start)
{
  GstSegment segment;

  fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = start;
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
}

/* Cycles through a lower state, selected by @i, which loses caps. */
static inline void
change_state (GstHarness * h, GstElement * element, guint i)
{
  static const GstState states[] = { GST_STATE_NULL, GST_STATE_READY,
    GST_STATE_PAUSED
  };

  fail_unless (gst_element_set_state (element, states[i % 3]) ==
      GST_STATE_CHANGE_SUCCESS);
  fail_unless (gst_element_set_state (element, GST_STATE_PLAYING) ==
      GST_STATE_CHANGE_SUCCESS);
  /* sticky events are gone after READY */
  gst_harness_push_event (h, gst_event_new_stream_start ("test"));
}

/* Pipelines */

/* @pipeline, which is @line, plays up to the end, without an error. */
static inline void
play_to_end (GstElement * pipeline, const gchar * line)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (bus,
      60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message != NULL, "%s", line);
  fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS, "%s", line);
}

static inline void
run_to_end (const gchar * line)
{
  GError *error = NULL;
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, &error);

  fail_unless (pipeline != NULL && !error, "%s", error ? error->message : "");
  play_to_end (pipeline, line);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* The pipeline @line, which plays: its sinks have a buffer. */
static inline GstElement *
play_line (const gchar * line)
{
  GstElement *pipeline = gst_parse_launch (line, NULL);
  GstState state = GST_STATE_NULL;

  fail_unless (pipeline != NULL, "%s", line);
  fail_if (gst_element_set_state (pipeline, GST_STATE_PLAYING) ==
      GST_STATE_CHANGE_FAILURE, "%s", line);
  fail_unless_equals_int (gst_element_get_state (pipeline, &state, NULL,
          20 * GST_SECOND), GST_STATE_CHANGE_SUCCESS);
  fail_unless_equals_int (state, GST_STATE_PLAYING);
  return pipeline;
}

/* Stops and frees what has not come to its end, without an error, and is held by
 * nobody then. */
static inline void
stop_playing (GstElement * pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);

  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR | GST_MESSAGE_EOS)
      == NULL);
  gst_object_unref (bus);
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
  ASSERT_OBJECT_REFCOUNT (pipeline, "pipeline", 1);
  gst_object_unref (pipeline);
}

/* The pipeline @line stops @ms milliseconds after it has begun to play. */
static inline void
run_and_stop (const gchar * line, guint ms)
{
  GstElement *pipeline = play_line (line);

  g_usleep (1000 * ms);
  stop_playing (pipeline);
}
