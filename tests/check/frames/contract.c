/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What every element keeps to in a stream: buffers, memory, caps, events,
 * states. Properties are in values.c, gaps in gaps.c. */

#include "elements.h"

static const gchar *const formats[] = {
  "GRAY8", "NV12", "I420", "RGBA", "GRAY16_LE", "NV21", "YV12", "Y42B", "Y444",
  "P010_10LE", "I420_10LE", "BGRA", "RGBx", "BGRx", "RGB", "BGR", "ARGB",
  "ABGR", "xRGB", "xBGR", "YUY2", "UYVY",
};

/* Buffers */

static GstBuffer *
make_dated (const Element * element)
{
  GstCaps *reference = gst_caps_new_empty_simple ("timestamp/x-test");
  GstBuffer *buffer = make_buffer (element, 0);

  GST_BUFFER_PTS (buffer) = 5;
  GST_BUFFER_DURATION (buffer) = 7;
  GST_BUFFER_OFFSET (buffer) = 42;
  GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_TFF);
  gst_buffer_add_reference_timestamp_meta (buffer, reference, 3, 4);
  gst_caps_unref (reference);
  return buffer;
}

static void
assert_dated (const Element * element, GstBuffer * out)
{
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), 5);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (out), 7);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (out), 42);
  fail_unless (gst_buffer_get_reference_timestamp_meta (out, NULL) != NULL,
      "%s", element->line);
  if (!(element->is & ENCODES))
    fail_unless (GST_BUFFER_FLAG_IS_SET (out, GST_VIDEO_BUFFER_FLAG_TFF), "%s",
        element->line);
}

TEST_TO_ADD (a_buffer_is_changed_where_it_is)
{
  const Element *element = &elements[__i__];
  Stream stream = begin (element);
  GstBuffer *in = make_dated (element);
  GstMemory *memory = gst_buffer_peek_memory (in, 0);
  g_autofree gchar *before = text_of (in);
  GstBuffer *out = run (stream.h, in);
  g_autofree gchar *after = text_of (out);

  fail_unless (strcmp (before, after) != 0 || element->is & COMBINES, "%s",
      element->line);
  if (element->is & (PAINTS | FINDS))
    fail_unless (out == in && gst_buffer_peek_memory (out, 0) == memory, "%s",
        element->line);
  assert_dated (element, out);
  fail_unless (!(element->is & ENCODES) ||
      gst_buffer_get_shape_meta (out) == NULL, "%s", element->line);
  gst_buffer_unref (out);
  end (&stream);
}

/* As after a tee. */
TEST_TO_ADD (a_buffer_that_others_hold_is_not_written)
{
  const Element *element = &elements[__i__];
  Stream stream = begin (element);

  for (guint i = 0; i < 20; i++) {
    g_autoptr (GstBuffer) in = make_dated (element);
    g_autofree gchar *before = text_of (in);
    g_autofree gchar *want = fresh (element, element->caps, NULL, 0, in);
    g_autoptr (GstBuffer) out = run (stream.h, gst_buffer_ref (in));
    g_autofree gchar *after = text_of (in);
    g_autofree gchar *result = text_of (out);

    fail_unless_equals_string (after, before);
    fail_unless (element->is & (VARIES | ENCODES) || strcmp (result, want) == 0,
        "%s: %s, not %s", element->line, result, want);
    fail_unless (out != in, "%s", element->line);
    if (element->is & FINDS)
      fail_unless (gst_buffer_peek_memory (in, 0) ==
          gst_buffer_peek_memory (out, 0), "%s copies memory", element->line);
    assert_dated (element, out);
    ASSERT_MINI_OBJECT_REFCOUNT (in, "buffer", 1);
  }
  end (&stream);
}

/* @in with memory that is shared, read-only, or in pieces. */
static GstBuffer *
with_other_memory (GstBuffer * in, const GstMapInfo * map, guint which)
{
  GstBuffer *buffer = gst_buffer_new ();

  if (which == 0)
    gst_buffer_append_memory (buffer, gst_buffer_get_memory (in, 0));
  if (which == 1)
    gst_buffer_append_memory (buffer, gst_memory_new_wrapped
        (GST_MEMORY_FLAG_READONLY, map->data, map->size, 0, map->size, NULL,
            NULL));
  for (gsize at = 0; which == 2 && at < map->size; at += 1000) {
    const gsize size = MIN (1000, map->size - at);
    gpointer piece = g_memdup2 (map->data + at, size);

    gst_buffer_append_memory (buffer, gst_memory_new_wrapped (0, piece, size, 0,
            size, piece, g_free));
  }
  gst_buffer_copy_into (buffer, in, GST_BUFFER_COPY_METADATA, 0, -1);
  return buffer;
}

TEST_TO_ADD (memory_may_be_shared_or_read_only_or_in_pieces)
{
  const Element *element = &elements[__i__];

  for (guint i = 0; i < 3; i++) {
    Stream stream = begin (element);
    GstBuffer *in = make_buffer (element, 0);
    g_autofree gchar *before = text_of (in);
    g_autofree gchar *want = fresh (element, element->caps, NULL, 0, in);
    GstMapInfo map;

    fail_unless (gst_buffer_map (in, &map, GST_MAP_READ));
    assert_result (&stream, element, with_other_memory (in, &map, i), want,
        i == 0 ? "shared" : i == 1 ? "read only" : "in pieces");
    gst_buffer_unmap (in, &map);
    g_autofree gchar *after = text_of (in);
    fail_unless_equals_string (after, before);
    gst_buffer_unref (in);
    end (&stream);
  }
}

/* Not even copied, although others hold it. */
TEST (a_buffer_without_anything_to_do_passes)
{
  static const Element passing[] = {
    {"cudacircles backend=cpu", GRAY},
    {"cudacircles backend=cpu " DISC " opacity=0", GRAY},
    {"cudacircles backend=cpu scene=rand10k opacity=0", GRAY},
    {"cudacircles backend=cpu circles=<[circle,x=99,y=7,r=5]>", GRAY},
    {"cudacircles backend=cpu " DISC " fill=false", GRAY},
    {"cudallf backend=cpu amount=0", GRAY},
    {"cudallf backend=cpu alpha=1 beta=1", GRAY},
    {"cudallf backend=cpu alpha=1 beta=1 quality=exact curve=power "
          "chroma=scale", GRAY},
    {"shapeoverlay backend=cpu opacity=0", GRAY},
    {"shapeoverlay backend=cpu draw-contours=false", GRAY},
  };

  for (guint i = 0; i < G_N_ELEMENTS (passing); i++) {
    Stream stream = begin (&passing[i]);
    GstBuffer *in = make_buffer (&passing[i], 0);
    g_autofree gchar *before = text_of (in);

    fail_unless (gst_buffer_ref (in) == in);
    assert_result (&stream, &passing[i], in, before, "nothing to do");
    ASSERT_MINI_OBJECT_REFCOUNT (in, "buffer", 1);
    fail_unless (run (stream.h, gst_buffer_ref (in)) == in, "%s",
        passing[i].line);
    gst_buffer_unref (in);
    gst_buffer_unref (in);
    end (&stream);
  }
}

/* Those with memory; the others are in gaps.c. */
TEST_TO_ADD (a_gap_is_what_it_should_be)
{
  const Element *element = &elements[__i__];
  Stream stream = begin (element);
  GstBuffer *in = make_buffer (element, 0);
  g_autofree gchar *before = text_of (in);
  const gboolean passes = element->is & (GAP_AS_IS | GAP_EMPTY);
  g_autofree gchar *drawn = fresh (element, element->caps, NULL, 0, in);

  GST_BUFFER_FLAG_SET (in, GST_BUFFER_FLAG_GAP);
  if (element->is & GAP_EMPTY)
    gst_buffer_remove_meta (in, (GstMeta *) gst_buffer_get_shape_meta (in));
  if (element->is & PAINTS)
    gst_buffer_ref (in);
  GstBuffer *out = run (stream.h, in);
  g_autofree gchar *text = text_of (out);
  fail_unless (!passes || out == in, "%s", element->line);
  if (element->is & PAINTS)
    gst_buffer_unref (in);
  if (element->is & GAP_AS_IS) {
    fail_unless_equals_string (text, before);
  } else if (element->is & GAP_EMPTY) {
    GstShapeSet *set = gst_buffer_get_shape_set (out);

    fail_unless (set != NULL, "%s", element->line);
    fail_unless_equals_int (gst_shape_set_get_width (set),
        strcmp (element->caps, POINTS) == 0 ? 0 : WIDTH);
    fail_unless (strstr (text, "\"shapes\":[]") != NULL, "%s", text);
  } else if (!(element->is & VARIES)) {
    fail_unless (strcmp (text, drawn) == 0, "%s: %s, not %s", element->line,
        text, drawn);
  }
  if (!(element->is & (ENCODES | TAKES_TEXT)))
    fail_unless (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_GAP) ==
        (passes || !(element->is & (PAINTS | VARIES))), "%s", element->line);
  gst_buffer_unref (out);
  end (&stream);
}

TEST_TO_ADD (results_outlive_the_element)
{
  const Element *element = &elements[__i__];
  Stream stream = begin (element);
  GstBuffer *in = make_buffer (element, 0);
  g_autofree gchar *want = fresh (element, element->caps, NULL, 0, in);
  g_autoptr (GstBuffer) out = run (stream.h, in);

  end (&stream);
  g_autofree gchar *text = text_of (out);
  fail_unless (element->is & VARIES || strcmp (text, want) == 0, "%s",
      element->line);
}

static gboolean
failing_download (gpointer payload, GstShapeArrays * host, GError ** error)
{
  g_set_error_literal (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
      "the device is gone");
  return FALSE;
}

static void
release_nothing (gpointer payload)
{
}

TEST_TO_ADD (shapes_that_cannot_be_downloaded_are_an_error)
{
  static const GstShapePayloadOps ops = { failing_download, NULL, NULL,
    release_nothing
  };
  const Element *element = &elements[__i__];
  Stream stream = begin (element);
  GstBuffer *in = make_buffer (element, 0);
  GstShapeSet *set = gst_shape_set_new (WIDTH, HEIGHT);

  gst_shape_set_add_layer (set, gst_shape_layer_new (GST_SHAPE_LAYER_POLYLINES,
          3, 9, NULL, &ops, &stream));
  gst_buffer_remove_meta (in, (GstMeta *) gst_buffer_get_shape_meta (in));
  gst_buffer_add_shape_meta (in, set);
  gst_shape_set_unref (set);
  fail_unless_equals_int (gst_harness_push (stream.h, in), GST_FLOW_ERROR);
  g_autofree gchar *text = take_error (&stream, element, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_READ);
  fail_unless (strstr (text, "the device is gone") != NULL, "%s", text);
  /* the next one is read */
  GstBuffer *out = run (stream.h, make_buffer (element, 1));
  gst_buffer_unref (out);
  end (&stream);
}

/* Negotiation */

static gboolean
takes (Stream * stream, const gchar * text)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);
  const gboolean taken = gst_pad_peer_query_accept_caps (stream->h->srcpad,
      caps);

  fail_unless (caps != NULL, "%s", text);
  return taken;
}

/* Shapes and noise, as large as @caps say, or of 24 bytes. */
static GstBuffer *
make_noise (const gchar * text, guint32 seed)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);
  GstVideoInfo info;
  GstMapInfo map;

  if (!g_str_has_prefix (text, "video"))
    info.size = 24;
  else
    fail_unless (gst_video_info_from_caps (&info, caps), "%s", text);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (gsize i = 0; i < map.size; i++) {
    seed = seed * 1664525u + 1013904223u;
    map.data[i] = seed >> 24;
  }
  gst_buffer_unmap (buffer, &map);
  if (info.size > 24)
    add_shapes (buffer);
  GST_BUFFER_PTS (buffer) = 0;
  return buffer;
}

/* A frame that may be written, and one that others hold. */
static void
assert_takes (Stream * stream, const Element * element, const gchar * caps,
    guint32 seed)
{
  g_autoptr (GstBuffer) in = make_noise (caps, seed);
  g_autofree gchar *want = fresh (element, caps, NULL, 0, in);
  const gboolean compares = !(element->is & ENCODES);
  Element lenient = *element;

  lenient.is |= compares ? 0 : VARIES;
  gst_harness_set_src_caps_str (stream->h, caps);
  assert_result (stream, &lenient, gst_buffer_copy_deep (in), want, caps);
  assert_result (stream, &lenient, gst_buffer_ref (in), want, caps);
}

TEST_TO_ADD (caps_may_change_at_any_time)
{
  const Element *element = &elements[__i__];
  Stream stream = begin (element);
  guint n = 0;

  for (guint i = 0; i < 2 * G_N_ELEMENTS (formats); i++) {
    gchar *caps = g_strdup_printf ("video/x-raw,format=%s,width=%u,height=%u,"
        "framerate=0/1%s", formats[i % G_N_ELEMENTS (formats)], 24 + 8 * i,
        8 + 2 * (i % 5), i % 2 ? "" : ",colorimetry=1:4:7:1");

    if (takes (&stream, caps)) {
      assert_takes (&stream, element, caps, i);
      n++;
    }
    if (element->tensor && i % 4 == 1)
      assert_takes (&stream, element, element->tensor, i);
    g_free (caps);
  }
  fail_unless (n >= 40 || element->caps != (const gchar *) GRAY, "%s: %u",
      element->line, n);
  end (&stream);
}

/* Where pools and metadata of downstream are known: once each. */
TEST_TO_ADD (upstream_is_told_what_is_read)
{
  const Element *element = &elements[__i__];
  Stream stream = open_stream (element);
  g_autoptr (GstCaps) caps = gst_caps_from_string (element->caps);
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, TRUE);
  guint video = 0, shape = 0;

  gst_harness_add_propose_allocation_meta (stream.h, GST_VIDEO_META_API_TYPE,
      NULL);
  gst_harness_set_src_caps_str (stream.h, element->caps);
  fail_unless (gst_pad_peer_query (stream.h->srcpad, query), "%s",
      element->line);
  for (guint i = 0; i < gst_query_get_n_allocation_metas (query); i++) {
    const GType api = gst_query_parse_nth_allocation_meta (query, i, NULL);

    video += api == GST_VIDEO_META_API_TYPE;
    shape += api == GST_SHAPE_META_API_TYPE;
  }
  fail_unless (video == !(element->is & NO_VIDEO) &&
      shape == !(element->is & NO_SHAPES), "%s: %u, %u", element->line, video,
      shape);
  /* frames are changed where they are */
  for (guint i = 0; i < gst_query_get_n_allocation_pools (query); i++) {
    GstBufferPool *pool;

    gst_query_parse_nth_allocation_pool (query, i, &pool, NULL, NULL, NULL);
    fail_unless (pool == NULL, "%s", element->line);
  }
  end (&stream);
}

/* Events and time */

TEST_TO_ADD (segments_flushes_seeks_and_the_end_pass)
{
  const Element *element = &elements[__i__];
  Stream stream = begin (element);
  GstBuffer *in = make_buffer (element, 0);
  g_autofree gchar *want = fresh (element, element->caps, NULL, 0, in);
  const GstSegment *got;
  Element lenient = *element;
  GstSegment segment;

  lenient.is |= element->is & ENCODES ? VARIES : 0;
  assert_result (&stream, element, gst_buffer_copy (in), want, "first");
  for (guint i = 0; i < 5; i++) {
    flush (stream.h, i * GST_SECOND);
    assert_event (&stream, element, GST_EVENT_FLUSH_START);
    assert_event (&stream, element, GST_EVENT_FLUSH_STOP);
    assert_result (&stream, &lenient, gst_buffer_copy (in), want, "flush");
  }
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = 5 * GST_SECOND;
  segment.rate = 2;
  fail_unless (gst_harness_push_event (stream.h,
          gst_event_new_segment (&segment)));
  GST_BUFFER_PTS (in) = 6 * GST_SECOND;
  gst_buffer_unref (run (stream.h, gst_buffer_copy (in)));
  g_autoptr (GstEvent) event = gst_pad_get_sticky_event (stream.h->sinkpad,
      GST_EVENT_SEGMENT, 0);
  gst_event_parse_segment (event, &got);
  fail_unless (gst_segment_is_equal (got, &segment), "%s", element->line);
  guint n = gst_harness_upstream_events_received (stream.h);
  gst_harness_push_upstream_event (stream.h, gst_event_new_seek (1.,
          GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0,
          GST_SEEK_TYPE_NONE, -1));
  fail_unless_equals_int (gst_harness_upstream_events_received (stream.h),
      n + 1);
  fail_unless (gst_harness_push_event (stream.h, gst_event_new_eos ()));
  assert_event (&stream, element, GST_EVENT_EOS);
  fail_unless (element->is & ENCODES || !gst_harness_try_pull (stream.h));
  fail_unless_equals_int (gst_harness_push (stream.h, in), GST_FLOW_EOS);
  end (&stream);
}

/* As in the base class: only with qos=true, which metadata has not. */
TEST_TO_ADD (late_frames_are_dropped_only_with_qos)
{
  const Element *element = &elements[__i__];
  Stream stream = begin (element);
  gboolean qos;

  for (guint i = 0; i < 4; i++) {
    if (i > 0)
      g_object_set (stream.element, "qos", i % 2, NULL);
    g_object_get (stream.element, "qos", &qos, NULL);
    fail_unless (i > 0 || !qos || !(element->is & FINDS));
    gst_harness_push_upstream_event (stream.h,
        gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 3., 10 * GST_SECOND,
            100 * GST_SECOND));
    fail_unless_equals_int (gst_harness_push (stream.h, make_buffer (element,
                i)), GST_FLOW_OK);
    GstBuffer *out = gst_harness_try_pull (stream.h);
    fail_unless ((out != NULL) == !qos, "%s",
        element->line);
    gst_clear_buffer (&out);
  }
  end (&stream);
}

TEST_TO_ADD (latency_is_upstreams)
{
  const Element *element = &elements[__i__];
  Stream stream = begin (element);

  gst_harness_set_live (stream.h, TRUE);
  gst_harness_set_upstream_latency (stream.h, 30 * GST_MSECOND);
  gst_buffer_unref (run (stream.h, make_buffer (element, 0)));
  fail_unless_equals_uint64 (gst_harness_query_latency (stream.h),
      30 * GST_MSECOND);
  end (&stream);
}

TEST_TO_ADD (a_hundred_state_changes)
{
  const Element *element = &elements[__i__];
  Stream stream = begin (element);
  GstBuffer *in = make_buffer (element, 0);
  g_autofree gchar *want = fresh (element, element->caps, NULL, 0, in);

  for (guint i = 0; i < 100; i++) {
    gst_harness_set_src_caps_str (stream.h, element->caps);
    assert_result (&stream, element, gst_buffer_copy_deep (in), want,
        "after a state change");
    /* from PAUSED a number goes on */
    change_state (stream.h, stream.element, element->is & ENCODES ? i % 2 : i);
  }
  gst_buffer_unref (in);
  end (&stream);
}

/* Pipelines */

/* The last buffer of the sink @name. */
static gchar *
last_of (GstElement * pipeline, const gchar * name)
{
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), name);
  g_autoptr (GstSample) sample = NULL;

  g_object_get (sink, "last-sample", &sample, NULL);
  fail_unless (sample != NULL, "%s", name);
  return text_of (gst_sample_get_buffer (sample));
}

TEST_TO_ADD (pipelines_with_tees_and_queues_run)
{
  const Element *element = &elements[__i__];

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    gchar *line = g_strdup_printf ("videotestsrc num-buffers=5 pattern=ball ! "
        "video/x-raw,format=%s,width=101,height=67 ! tee name=t ! queue ! %s ! "
        "fakesink name=done async=false t. ! queue ! %s ! queue ! %s ! "
        "fakesink async=false t. ! queue ! fakesink name=plain async=false",
        strcmp (element->caps, DEEP) == 0 ? "ARGB64" : formats[i],
        element->line, element->line, element->line);
    g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);

    fail_unless (pipeline != NULL, "%s", line);
    play_to_end (pipeline, line);
    g_autofree gchar *done = last_of (pipeline, "done");
    g_autofree gchar *plain = last_of (pipeline, "plain");
    gst_element_set_state (pipeline, GST_STATE_NULL);
    fail_unless (strcmp (done, plain) != 0 || element->is & (READS | VARIES),
        "%s", line);
    g_free (line);
  }
}

TEST_TO_ADD (a_pipeline_stops_in_the_middle)
{
  const Element *element = &elements[__i__];
  gchar *line = g_strdup_printf ("videotestsrc is-live=%s ! video/x-raw,"
      "width=320,height=240 ! %s ! queue ! fakesink sync=false",
      element->is & VARIES ? "true" : "false", element->line);

  for (guint i = 0; i < 12; i++)
    if (i % 2) {
      run_and_stop (line, i);
    } else {
      /* before it has begun to play */
      g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);

      gst_element_set_state (pipeline, i % 4 ? GST_STATE_PLAYING :
          GST_STATE_PAUSED);
      gst_element_set_state (pipeline, GST_STATE_NULL);
    }
  g_free (line);
}

static void
add_tests (TCase * tcase, guint i)
{
  const Element *element = &elements[i];
  const Kind is = element->is;
  const gboolean is_base = !(is & (COMBINES | TAKES_TEXT));
  const gboolean is_video = g_str_has_prefix (element->caps, "video");

  if (is_base) {
    ADD_ROW (a_buffer_is_changed_where_it_is);
    ADD_ROW (a_buffer_that_others_hold_is_not_written);
    ADD_ROW (segments_flushes_seeks_and_the_end_pass);
    ADD_ROW (latency_is_upstreams);
  }
  if (is & (PAINTS | FINDS))
    ADD_ROW (late_frames_are_dropped_only_with_qos);
  ADD_ROW (memory_may_be_shared_or_read_only_or_in_pieces);
  ADD_ROW (a_gap_is_what_it_should_be);
  ADD_ROW (results_outlive_the_element);
  if (!(is & TAKES_TEXT))
    ADD_ROW (upstream_is_told_what_is_read);
  if (!(is & COMBINES))
    ADD_ROW (a_hundred_state_changes);
  if (is & READS)
    ADD_ROW (shapes_that_cannot_be_downloaded_are_an_error);
  if (is_video && is_base) {
    ADD_ROW (caps_may_change_at_any_time);
    ADD_ROW (pipelines_with_tees_and_queues_run);
    ADD_ROW (a_pipeline_stops_in_the_middle);
  }
}

SUITE (contract)
{
  tcase_set_timeout (tcase, 60);
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++)
    if (is_there (&elements[i]))
      add_tests (tcase, i);
}
