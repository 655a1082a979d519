/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudallf in running pipelines: buffers, property changes while PLAYING,
 * controllers, presets, renegotiation, states. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>

#include "llf_test.h"

#define CAPS "video/x-raw,format=NV12,width=60,height=44,framerate=0/1"

/* The table takes no time: for tests that make many */
#define CHEAP "quality=sampled"

static GstBuffer *
picture (guint32 seed)
{
  GstVideoInfo info;

  llf_info (&info, CAPS);
  return draw_buffer (&info, seed);
}

static GstHarness *
started (const gchar * properties)
{
  GstHarness *h = llf_new (properties);

  gst_harness_set_src_caps_str (h, CAPS);
  return h;
}

/* A copy of @in through @h. */
static GstBuffer *
run_copy (GstHarness * h, GstBuffer * in)
{
  return run (h, gst_buffer_copy_deep (in));
}

static GstElement *
find_llf (GstHarness * h)
{
  GstElement *element = gst_harness_find_element (h, "cudallf");

  fail_unless (element != NULL);
  return element;
}

/* Buffers */

GST_START_TEST (a_frame_is_filtered_where_it_is)
{
  GstHarness *h = started ("");
  GstBuffer *in = picture (1), *copy = gst_buffer_copy_deep (in), *out;

  GST_BUFFER_PTS (in) = 5;
  GST_BUFFER_DURATION (in) = 7;
  GST_BUFFER_OFFSET (in) = 42;
  out = run (h, in);
  fail_unless (out == in);
  fail_if (same_bytes (out, copy));
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), 5);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (out), 7);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (out), 42);
  gst_buffer_unref (out);
  gst_buffer_unref (copy);
  gst_harness_teardown (h);
}

GST_END_TEST;

static void
assert_copied (GstHarness * h, GstBuffer * in, GstBuffer * out,
    GstBuffer * want, GstBuffer * original)
{
  fail_if (out == in);
  assert_same_bytes (in, original, "the input");
  assert_same_bytes (out, want, "the output");
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), 5);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (out), 7);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (out), 42);
  fail_unless (GST_BUFFER_FLAG_IS_SET (out, GST_VIDEO_BUFFER_FLAG_TFF));
  fail_unless (gst_buffer_get_reference_timestamp_meta (out, NULL) != NULL);
}

/* As after a tee: a buffer of its own pool, with all metadata. */
GST_START_TEST (a_frame_that_others_hold_is_not_written)
{
  GstHarness *h = started (CHEAP);
  GstCaps *reference = gst_caps_new_empty_simple ("timestamp/x-test");
  GstBuffer *original = picture (1), *want = filtered (CHEAP, CAPS, original);
  guint i;

  for (i = 0; i < 20; i++) {
    GstBuffer *in = gst_buffer_copy_deep (original), *out;

    GST_BUFFER_PTS (in) = 5;
    GST_BUFFER_DURATION (in) = 7;
    GST_BUFFER_OFFSET (in) = 42;
    GST_BUFFER_FLAG_SET (in, GST_VIDEO_BUFFER_FLAG_TFF);
    gst_buffer_add_reference_timestamp_meta (in, reference, 3, 4);
    out = run (h, gst_buffer_ref (in));
    assert_copied (h, in, out, want, original);
    ASSERT_MINI_OBJECT_REFCOUNT (in, "buffer", 1);
    gst_buffer_unref (in);
    gst_buffer_unref (out);
  }
  gst_buffer_unref (original);
  gst_buffer_unref (want);
  gst_caps_unref (reference);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (memory_that_others_hold_is_not_written)
{
  GstHarness *h = started (CHEAP);
  GstBuffer *original = picture (1), *want = filtered (CHEAP, CAPS, original);
  GstBuffer *in = gst_buffer_copy_deep (original);
  GstBuffer *out = run (h, gst_buffer_copy (in));

  assert_same_bytes (in, original, "the input");
  assert_same_bytes (out, want, "the output");
  gst_buffer_unref (original);
  gst_buffer_unref (want);
  gst_buffer_unref (in);
  gst_buffer_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (read_only_memory_is_not_written)
{
  GstHarness *h = started (CHEAP);
  GstBuffer *original = picture (1), *want = filtered (CHEAP, CAPS, original);
  GstBuffer *out;
  GstMapInfo map;

  fail_unless (gst_buffer_map (original, &map, GST_MAP_READ));
  out = run (h, gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY,
          map.data, map.size, 0, map.size, NULL, NULL));
  assert_same_bytes (out, want, "the output");
  gst_buffer_unmap (original, &map);
  gst_buffer_unref (original);
  gst_buffer_unref (want);
  gst_buffer_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Planes in memories of their own. */
GST_START_TEST (a_frame_may_lie_in_pieces)
{
  GstHarness *h = started ("chroma=scale " CHEAP);
  GstBuffer *original = picture (1);
  GstBuffer *want = filtered ("chroma=scale " CHEAP, CAPS, original);
  GstBuffer *pieces = gst_buffer_new (), *out;
  const gsize size = gst_buffer_get_size (original);
  gsize at;

  for (at = 0; at < size; at += 1000) {
    GstBuffer *piece = gst_buffer_copy_region (original, GST_BUFFER_COPY_MEMORY
        | GST_BUFFER_COPY_DEEP, at, MIN (1000, size - at));

    gst_buffer_append_memory (pieces, gst_buffer_get_memory (piece, 0));
    gst_buffer_unref (piece);
  }
  out = run (h, pieces);
  assert_same_bytes (out, want, "the output");
  gst_buffer_unref (original);
  gst_buffer_unref (want);
  gst_buffer_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (a_gap_passes_as_it_is)
{
  GstHarness *h = started (CHEAP);
  GstBuffer *in = picture (1), *copy = gst_buffer_copy_deep (in), *out;

  GST_BUFFER_FLAG_SET (in, GST_BUFFER_FLAG_GAP);
  gst_buffer_ref (in);
  out = run (h, in);
  fail_unless (out == in);
  fail_unless (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_GAP));
  assert_same_bytes (out, copy, "the gap");
  gst_buffer_unref (in);
  gst_buffer_unref (out);
  gst_buffer_unref (copy);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Not even copied, although it is shared. */
static void
assert_passes (const gchar * properties)
{
  GstHarness *h = started (properties);
  GstBuffer *in = picture (1), *copy = gst_buffer_copy_deep (in), *out;

  out = run (h, gst_buffer_ref (in));
  fail_unless (out == in, "%s", properties);
  assert_same_bytes (out, copy, properties);
  gst_buffer_unref (in);
  gst_buffer_unref (out);
  gst_buffer_unref (copy);
  gst_harness_teardown (h);
}

GST_START_TEST (nothing_to_do_is_passthrough)
{
  assert_passes ("amount=0");
  assert_passes ("alpha=1 beta=1");
  assert_passes ("alpha=1 beta=1 quality=exact curve=power chroma=scale");
}

GST_END_TEST;

/* How many warnings there are, which name what to set instead. */
static guint
count_level_warnings (GstBus * bus)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING))) {
    GError *error = NULL;

    gst_message_parse_warning (message, &error, NULL);
    n += strstr (error->message, "levels=2") != NULL;
    g_error_free (error);
    gst_message_unref (message);
  }
  return n;
}

GST_START_TEST (one_level_changes_nothing_and_says_so)
{
  GstHarness *h = started ("alpha=0.3");
  GstElement *element = find_llf (h);
  GstBus *bus = gst_bus_new ();
  GstBuffer *buffer = picture (1), *same = gst_buffer_copy_deep (buffer);
  GstMapInfo map;

  gst_element_set_bus (element, bus);
  g_object_set (element, "levels", 1, NULL);
  buffer = run (h, buffer);
  fail_unless (gst_buffer_map (same, &map, GST_MAP_READ));
  fail_unless (gst_buffer_memcmp (buffer, 0, map.data, map.size) == 0);
  gst_buffer_unmap (same, &map);
  gst_buffer_unref (buffer);
  fail_unless_equals_int (count_level_warnings (bus), 1);
  gst_buffer_unref (run (h, picture (2)));
  fail_unless_equals_int (count_level_warnings (bus), 0);
  /* two filter */
  g_object_set (element, "levels", 2, NULL);
  buffer = run (h, gst_buffer_copy_deep (same));
  fail_unless_equals_int (count_level_warnings (bus), 0);
  fail_unless (gst_buffer_map (same, &map, GST_MAP_READ));
  fail_unless (gst_buffer_memcmp (buffer, 0, map.data, map.size) != 0);
  gst_buffer_unmap (same, &map);
  gst_buffer_unref (buffer);
  gst_buffer_unref (same);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (a_short_buffer_is_left_out_with_a_warning)
{
  GstHarness *h = started (CHEAP);
  GstElement *element = find_llf (h);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GstBuffer *buffer;

  gst_element_set_bus (element, bus);
  fail_unless_equals_int (gst_harness_push (h, gst_buffer_new_allocate (NULL,
              100, NULL)), GST_FLOW_OK);
  fail_unless (gst_harness_try_pull (h) == NULL);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  fail_unless (message != NULL);
  gst_message_unref (message);
  buffer = picture (1);
  gst_buffer_unref (run (h, buffer));
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Allocation */

GST_START_TEST (upstream_gets_downstreams_pool)
{
  GstHarness *h = llf_new ("");
  GstBufferPool *pool = gst_video_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstCaps *caps = gst_caps_from_string (CAPS);
  GstBufferPool *offered = NULL;
  GstVideoInfo info;
  GstQuery *query;
  guint size;

  llf_info (&info, CAPS);
  size = GST_VIDEO_INFO_SIZE (&info);
  gst_buffer_pool_config_set_params (config, caps, size, 3, 0);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  gst_harness_add_propose_allocation_meta (h, GST_VIDEO_META_API_TYPE, NULL);
  gst_harness_set_src_caps_str (h, CAPS);
  query = gst_query_new_allocation (caps, TRUE);
  fail_unless (gst_pad_peer_query (h->srcpad, query));
  fail_unless (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE,
          NULL));
  if (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_parse_nth_allocation_pool (query, 0, &offered, NULL, NULL, NULL);
  /* it proposes no pool of its own: frames are filtered in place */
  fail_unless (offered == NULL);
  gst_query_unref (query);
  gst_object_unref (pool);
  gst_caps_unref (caps);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Streams */

GST_START_TEST (caps_may_change_at_any_time)
{
  GstHarness *h = llf_new ("quality=sampled chroma=scale");
  guint i;

  for (i = 0; i < 2 * G_N_ELEMENTS (all_formats); i++) {
    gchar *caps = llf_caps (all_formats[i % G_N_ELEMENTS (all_formats)],
        24 + 8 * i, 8 + 2 * (i % 5), i % 2 ? "" : ",colorimetry=1:4:7:1");
    GstVideoInfo info;
    GstBuffer *in, *want, *out;

    llf_info (&info, caps);
    in = draw_buffer (&info, i);
    want = filtered ("quality=sampled chroma=scale", caps, in);
    gst_harness_set_src_caps_str (h, caps);
    out = run_copy (h, in);
    assert_same_bytes (out, want, caps);
    gst_buffer_unref (out);
    out = run (h, gst_buffer_ref (in));
    assert_same_bytes (out, want, caps);
    gst_buffer_unref (out);
    gst_buffer_unref (in);
    gst_buffer_unref (want);
    g_free (caps);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (flushes_and_seeks_pass)
{
  GstHarness *h = started (CHEAP);
  GstBuffer *in = picture (1);
  guint i;

  for (i = 0; i < 5; i++) {
    gst_buffer_unref (run_copy (h, in));
    flush (h, i * GST_SECOND);
  }
  gst_buffer_unref (run_copy (h, in));
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  gst_buffer_unref (in);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* QoS as in the base class: late frames are not filtered. */
GST_START_TEST (late_frames_are_dropped_only_with_qos)
{
  GstHarness *h = started (CHEAP);
  guint qos;

  for (qos = 0; qos < 2; qos++) {
    GstBuffer *in = picture (1);

    gst_harness_set (h, "cudallf", "qos", qos == 0, NULL);
    GST_BUFFER_PTS (in) = 0;
    gst_harness_push_upstream_event (h,
        gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 3., 10 * GST_SECOND,
            100 * GST_SECOND));
    fail_unless_equals_int (gst_harness_push (h, in), GST_FLOW_OK);
    in = gst_harness_try_pull (h);
    fail_unless ((in != NULL) == (qos == 1));
    gst_clear_buffer (&in);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (it_adds_no_latency)
{
  GstHarness *h = started (CHEAP);

  gst_harness_set_live (h, TRUE);
  gst_harness_set_upstream_latency (h, 30 * GST_MSECOND);
  fail_unless_equals_uint64 (gst_harness_query_latency (h), 30 * GST_MSECOND);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (a_hundred_state_changes)
{
  GstHarness *h = llf_new (CHEAP);
  GstElement *element = find_llf (h);
  GstBuffer *in = picture (1), *want = filtered (CHEAP, CAPS, in);
  guint i;

  for (i = 0; i < 100; i++) {
    GstBuffer *out;

    gst_harness_set_src_caps_str (h, CAPS);
    out = run_copy (h, in);
    assert_same_bytes (out, want, "after a state change");
    gst_buffer_unref (out);
    change_state (h, element, i);
  }
  gst_buffer_unref (in);
  gst_buffer_unref (want);
  gst_object_unref (element);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Properties */

/* Each of these changes the picture from the next frame on, with the same
 * result as if set from the start. */
GST_START_TEST (a_new_value_holds_from_the_next_frame_on)
{
  /* most where a table takes no time */
  static const gchar *const changes[] = {
    "quality=sampled", "sigma=0.1", "alpha=0.25", "beta=0.5",
    "intensity-levels=5", "curve=power", "quality=exact", "amount=0.5",
    "amount=-1", "amount=1", "levels=2", "levels=0", "level-weights=<0.0,3.0>",
    "chroma=scale", "alpha=1.5", "curve=smooth", "quality=fast", "rank=3",
    "rank=0", "quality=high",
  };
  GstHarness *h = started ("");
  GstElement *element = find_llf (h);
  GString *all = g_string_new ("");
  GstBuffer *in = picture (1), *last = NULL;
  guint i, n_same = 0;

  for (i = 0; i < G_N_ELEMENTS (changes); i++) {
    gchar **parts = g_strsplit (changes[i], "=", 2);
    GstBuffer *out, *want;

    gst_util_set_object_arg (G_OBJECT (element), parts[0], parts[1]);
    g_string_append_printf (all, " %s", changes[i]);
    want = filtered (all->str, CAPS, in);
    out = run_copy (h, in);
    assert_same_bytes (out, want, all->str);
    n_same += last && same_bytes (out, last);
    gst_clear_buffer (&last);
    last = out;
    gst_buffer_unref (want);
    g_strfreev (parts);
  }
  fail_unless (n_same <= 2, "%u changes did nothing", n_same);
  gst_buffer_unref (last);
  gst_buffer_unref (in);
  g_string_free (all, TRUE);
  gst_object_unref (element);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* With a live source no frame waits for a table, none is lost, every one uses
 * the old table or the new, and eventually the new one. */
GST_START_TEST (live_frames_go_on_until_the_table_is_ready)
{
  GstHarness *h = started ("");
  GstBuffer *in = picture (1), *old = filtered ("", CAPS, in);
  GstBuffer *new = filtered ("curve=power quality=high sigma=0.3", CAPS, in);
  gboolean seen_new = FALSE;
  guint i;

  gst_harness_set_live (h, TRUE);
  gst_buffer_unref (run_copy (h, in));
  gst_harness_set (h, "cudallf", "curve", 0, "quality", 2, "sigma", .3, NULL);
  for (i = 0; i < 3000 && !seen_new; i++) {
    GstBuffer *out = run_copy (h, in);

    seen_new = same_bytes (out, new);
    fail_unless (seen_new || same_bytes (out, old), "frame %u", i);
    gst_buffer_unref (out);
    g_usleep (10000);
  }
  fail_unless (seen_new);
  gst_buffer_unref (in);
  gst_buffer_unref (old);
  gst_buffer_unref (new);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Of many requests the last one wins. */
GST_START_TEST (the_newest_request_wins)
{
  GstHarness *h = started ("");
  GstBuffer *in = picture (1), *want = filtered ("sigma=0.17", CAPS, in);
  gboolean found = FALSE;
  guint i;

  gst_harness_set_live (h, TRUE);
  for (i = 0; i < 30; i++) {
    gst_harness_set (h, "cudallf", "sigma", .1 + i * .01, NULL);
    gst_buffer_unref (run_copy (h, in));
  }
  gst_harness_set (h, "cudallf", "sigma", .17, NULL);
  for (i = 0; i < 3000 && !found; i++) {
    GstBuffer *out = run_copy (h, in);

    found = same_bytes (out, want);
    gst_buffer_unref (out);
    g_usleep (10000);
  }
  fail_unless (found);
  for (i = 0; i < 5; i++) {
    GstBuffer *out = run_copy (h, in);

    assert_same_bytes (out, want, "afterwards");
    gst_buffer_unref (out);
  }
  gst_buffer_unref (in);
  gst_buffer_unref (want);
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
    g_object_set (changer->element, "sigma", .1 + (i % 10) / 20., "alpha",
        .3 + (i % 7) / 5., "amount", (i % 5) / 4., "levels", i % 4, "chroma",
        i % 2, "rank", i % 9, "curve", i % 2, NULL);
    gst_util_set_object_arg (G_OBJECT (changer->element), "level-weights",
        i % 2 ? "<>" : "<0.5,2.0,1.0>");
    g_usleep (200);
  }
  return NULL;
}

GST_START_TEST (properties_may_change_on_any_thread)
{
  GstHarness *h = started ("");
  GstBuffer *in = picture (1);
  Changer changer = { find_llf (h), 0 };
  GThread *thread;
  guint i;

  gst_harness_set_live (h, TRUE);
  thread = g_thread_new ("change", change_properties, &changer);
  for (i = 0; i < 300; i++)
    gst_buffer_unref (run_copy (h, in));
  g_atomic_int_set (&changer.stop, 1);
  g_thread_join (thread);
  gst_object_unref (changer.element);
  gst_buffer_unref (in);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (a_controller_moves_amount)
{
  GstHarness *h = started (CHEAP);
  GstElement *element = find_llf (h);
  GstControlSource *source = gst_interpolation_control_source_new ();
  GstTimedValueControlSource *values = GST_TIMED_VALUE_CONTROL_SOURCE (source);
  GstBuffer *in = picture (1);
  guint i;

  g_object_set (source, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
  fail_unless (gst_object_add_control_binding (GST_OBJECT (element),
          gst_direct_control_binding_new_absolute (GST_OBJECT (element),
              "amount", source)));
  gst_timed_value_control_source_set (values, 0, 0.);
  gst_timed_value_control_source_set (values, 4 * GST_SECOND, 2.);
  for (i = 0; i <= 4; i++) {
    gchar *properties = g_strdup_printf (CHEAP " amount=%g", i * .5);
    GstBuffer *buffer = gst_buffer_copy_deep (in), *out;
    GstBuffer *want = filtered (properties, CAPS, in);

    GST_BUFFER_PTS (buffer) = i * GST_SECOND;
    out = run (h, buffer);
    assert_same_bytes (out, want, properties);
    gst_buffer_unref (out);
    gst_buffer_unref (want);
    g_free (properties);
  }
  gst_object_unref (source);
  gst_buffer_unref (in);
  gst_object_unref (element);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (presets_can_be_loaded)
{
  static const gchar *const names[] = { "Detail", "Clarity", "Smooth",
    "Compress"
  };
  GstHarness *h = started ("");
  GstElement *element = find_llf (h);
  GstBuffer *in = picture (1), *last = NULL, *out;
  gdouble alpha, beta;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (names); i++) {
    fail_unless (gst_preset_load_preset (GST_PRESET (element), names[i]), "%s",
        names[i]);
    g_object_get (element, "alpha", &alpha, "beta", &beta, NULL);
    fail_unless ((alpha < 1) == (i != 2) && (beta < 1) == (i == 3), "%s",
        names[i]);
    out = run_copy (h, in);
    fail_if (last && same_bytes (out, last));
    gst_clear_buffer (&last);
    last = out;
  }
  gst_clear_buffer (&last);
  gst_buffer_unref (in);
  gst_object_unref (element);
  gst_harness_teardown (h);
  h = gst_harness_new_parse ("cudallf backend=cpu @preset=Smooth");
  fail_unless (h != NULL);
  element = find_llf (h);
  g_object_get (element, "alpha", &alpha, NULL);
  fail_unless (alpha > 1);
  gst_object_unref (element);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (properties_read_back)
{
  GstElement *element = gst_element_factory_make ("cudallf", NULL);
  const GValue *weight;
  GValue array = G_VALUE_INIT;
  gdouble amount, sigma, alpha, beta, bound;
  gint quality, curve, chroma;
  guint levels, rank, intensities;

  gst_object_ref_sink (element);
  g_object_get (element, "amount", &amount, "sigma", &sigma, "alpha", &alpha,
      "beta", &beta, "quality", &quality, "curve", &curve, "error-bound",
      &bound, NULL);
  fail_unless (amount == 1 && sigma == .2 && alpha == .5 && beta == 1);
  fail_unless (quality == CS_LLF_NORMAL && curve == CS_LLF_SMOOTH);
  fail_unless (bound == -1);
  gst_util_set_object_arg (G_OBJECT (element), "level-weights", "<0.5,2.0>");
  gst_util_set_object_arg (G_OBJECT (element), "chroma", "scale");
  g_object_set (element, "levels", 5, "rank", 7, "intensity-levels", 9, NULL);
  g_object_get (element, "levels", &levels, "rank", &rank, "intensity-levels",
      &intensities, "chroma", &chroma, NULL);
  fail_unless (levels == 5 && rank == 7 && intensities == 9 && chroma == 1);
  g_value_init (&array, GST_TYPE_ARRAY);
  g_object_get_property (G_OBJECT (element), "level-weights", &array);
  fail_unless_equals_int (gst_value_array_get_size (&array), 2);
  weight = gst_value_array_get_value (&array, 1);
  fail_unless_equals_float (g_value_get_double (weight), 2.);
  g_value_unset (&array);
  gst_object_unref (element);
}

GST_END_TEST;

static void
count_notify (GObject * object, GParamSpec * pspec, gpointer count)
{
  ++*(guint *) count;
}

GST_START_TEST (the_error_bound_is_published)
{
  GstHarness *h = llf_new ("curve=power");
  GstElement *element = find_llf (h);
  GstBuffer *in = picture (1);
  gdouble coarse, fine;
  guint n = 0, rank;

  g_signal_connect (element, "notify::error-bound", G_CALLBACK (count_notify),
      &n);
  gst_harness_set_src_caps_str (h, CAPS);
  gst_buffer_unref (run_copy (h, in));
  g_object_get (element, "error-bound", &coarse, "active-rank", &rank, NULL);
  fail_unless_equals_int (rank, 8);
  fail_unless (coarse > 0);
  gst_harness_set (h, "cudallf", "quality", CS_LLF_HIGH, NULL);
  gst_buffer_unref (run_copy (h, in));
  g_object_get (element, "error-bound", &fine, "active-rank", &rank, NULL);
  fail_unless_equals_int (rank, 16);
  fail_unless (fine > 0 && fine < coarse);
  fail_unless_equals_int (n, 2);
  gst_harness_set (h, "cudallf", "quality", CS_LLF_EXACT, NULL);
  gst_buffer_unref (run_copy (h, in));
  g_object_get (element, "error-bound", &fine, "active-rank", &rank, NULL);
  fail_unless_equals_int (rank, 0);
  fail_unless (fine >= 0 && fine < .1);
  gst_element_set_state (element, GST_STATE_READY);
  g_object_get (element, "error-bound", &fine, NULL);
  fail_unless (fine == -1);
  gst_buffer_unref (in);
  gst_object_unref (element);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (values_that_can_be_animated_say_so)
{
  GstElement *element = gst_element_factory_make ("cudallf", NULL);
  GObjectClass *klass = G_OBJECT_GET_CLASS (element);
  const gchar *live[] = { "amount", "sigma", "alpha", "beta", "curve",
    "quality", "levels", "level-weights", "chroma", "rank"
  };
  guint i;

  gst_object_ref_sink (element);
  for (i = 0; i < G_N_ELEMENTS (live); i++) {
    const GParamSpec *pspec = g_object_class_find_property (klass, live[i]);

    fail_unless (pspec->flags & GST_PARAM_MUTABLE_PLAYING, "%s", live[i]);
    fail_unless (!(pspec->flags & GST_PARAM_CONTROLLABLE) == (i > 0), "%s",
        live[i]);
  }
  gst_object_unref (element);
}

GST_END_TEST;

/* No flicker */

static gdouble
texture_of (GstBuffer * buffer, const GstVideoInfo * info)
{
  gdouble sum = 0, squares = 0;
  GstVideoFrame frame;
  guint x, y, n = 0;

  fail_unless (gst_video_frame_map (&frame, info, buffer, GST_MAP_READ));
  for (y = 8; y < 56; y++) {
    for (x = 8; x < 56; x++, n++) {
      const gdouble code = get_code (&frame, 0, x, y);

      sum += code;
      squares += code * code;
    }
  }
  gst_video_frame_unmap (&frame);
  return sqrt (squares / n - sum * sum / n / n);
}

/* A texture of four codes in a frame that gets lighter by 40: its strength
 * stays. */
GST_START_TEST (a_fade_does_not_flicker)
{
  gchar *caps = llf_caps ("GRAY8", 64, 64, "");
  gdouble least = G_MAXDOUBLE, most = 0;
  GstHarness *h = llf_new ("");
  GstVideoInfo info;
  guint i, x, y;

  llf_info (&info, caps);
  gst_harness_set_src_caps_str (h, caps);
  for (i = 0; i < 60; i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
    gdouble texture;
    GstVideoFrame frame;

    fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_WRITE));
    for (y = 0; y < 64; y++)
      for (x = 0; x < 64; x++)
        set_code (&frame, 0, x, y, 90 + i * 40 / 60 + ((x / 2 + y / 2) % 2 ? 2 :
                -2));
    gst_video_frame_unmap (&frame);
    buffer = run (h, buffer);
    texture = texture_of (buffer, &info);
    least = MIN (least, texture);
    most = MAX (most, texture);
    gst_buffer_unref (buffer);
  }
  fail_unless (least > 2.5, "the texture is %g", least);
  fail_unless (most <= 1.05 * least, "from %g to %g", least, most);
  g_free (caps);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Errors */

GST_START_TEST (a_gpu_that_is_not_there_is_an_error)
{
  GstElement *element = gst_element_factory_make ("cudallf", NULL);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GError *error = NULL;

  gst_object_ref_sink (element);
  g_object_set (element, "cuda-device-id", 4711, NULL);
  gst_util_set_object_arg (G_OBJECT (element), "backend", "cuda");
  gst_element_set_bus (element, bus);
  fail_unless (gst_element_set_state (element, GST_STATE_PAUSED) ==
      GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_NOT_FOUND), "%s", error->message);
  g_clear_error (&error);
  gst_message_unref (message);
  gst_element_set_bus (element, NULL);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
}

GST_END_TEST;

GST_START_TEST (a_frame_too_large_is_an_error)
{
  GstHarness *h = llf_new ("");
  GstElement *element = find_llf (h);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GstBuffer *buffer;

  gst_element_set_bus (element, bus);
  gst_harness_set_src_caps_str (h, "video/x-raw,format=GRAY8,width=70000,"
      "height=1,framerate=0/1");
  buffer = gst_buffer_new_allocate (NULL, 70000, NULL);
  fail_unless (gst_harness_push (h, buffer) != GST_FLOW_OK);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_unref (message);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Pipelines */

GST_START_TEST (pipelines_with_tees_and_queues_run)
{
  gchar *line = g_strdup_printf ("videotestsrc num-buffers=20 ! video/x-raw,"
      "format=%s,width=101,height=67 ! tee name=t ! queue ! cudallf " CHEAP
      " ! fakesink sync=false t. ! queue ! cudallf sigma=0.3 " CHEAP
      " ! queue ! cudallf alpha=2 " CHEAP " ! fakesink sync=false "
      "t. ! queue ! fakesink sync=false",
      all_formats[__i__]);

  run_to_end (line);
  g_free (line);
}

GST_END_TEST;

GST_START_TEST (a_pipeline_stops_in_the_middle)
{
  guint i;

  for (i = 0; i < 5; i++) {
    GstElement *pipeline = play_line ("videotestsrc is-live=true ! "
        "video/x-raw,format=NV12,width=320,height=240 ! cudallf name=l ! "
        "queue ! fakesink sync=false");
    GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), "l");

    g_object_set (element, "sigma", .1 + i * .01, NULL);
    g_usleep (15000 * i);
    gst_object_unref (element);
    stop_playing (pipeline);
  }
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
  tcase_add_test (buffers, a_frame_is_filtered_where_it_is);
  tcase_add_test (buffers, one_level_changes_nothing_and_says_so);
  tcase_add_test (buffers, a_frame_that_others_hold_is_not_written);
  tcase_add_test (buffers, memory_that_others_hold_is_not_written);
  tcase_add_test (buffers, read_only_memory_is_not_written);
  tcase_add_test (buffers, a_frame_may_lie_in_pieces);
  tcase_add_test (buffers, a_gap_passes_as_it_is);
  tcase_add_test (buffers, nothing_to_do_is_passthrough);
  tcase_add_test (buffers, a_short_buffer_is_left_out_with_a_warning);
  tcase_add_test (buffers, upstream_gets_downstreams_pool);
  suite_add_tcase (suite, streams);
  tcase_add_test (streams, caps_may_change_at_any_time);
  tcase_add_test (streams, flushes_and_seeks_pass);
  tcase_add_test (streams, late_frames_are_dropped_only_with_qos);
  tcase_add_test (streams, it_adds_no_latency);
  tcase_add_test (streams, a_hundred_state_changes);
  suite_add_tcase (suite, properties);
  tcase_add_test (properties, a_new_value_holds_from_the_next_frame_on);
  tcase_add_test (properties, live_frames_go_on_until_the_table_is_ready);
  tcase_add_test (properties, the_newest_request_wins);
  tcase_add_test (properties, properties_may_change_on_any_thread);
  tcase_add_test (properties, a_controller_moves_amount);
  tcase_add_test (properties, presets_can_be_loaded);
  tcase_add_test (properties, properties_read_back);
  tcase_add_test (properties, the_error_bound_is_published);
  tcase_add_test (properties, values_that_can_be_animated_say_so);
  tcase_add_test (properties, a_fade_does_not_flicker);
  suite_add_tcase (suite, pipelines);
  tcase_add_test (pipelines, a_gpu_that_is_not_there_is_an_error);
  tcase_add_test (pipelines, a_frame_too_large_is_an_error);
  tcase_add_loop_test (pipelines, pipelines_with_tees_and_queues_run, 0,
      G_N_ELEMENTS (all_formats));
  tcase_add_test (pipelines, a_pipeline_stops_in_the_middle);
  return suite;
}

GST_CHECK_MAIN (streams);
