/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <gst/video/video.h>

#include <glib/gstdio.h>

#include <locale.h>

#include "../lib/streams.h"
#include "shapes/gstshapes.h"

/* A line begins so. */
#define BEGIN "{\"version\":1,"

#define CAPS_VIDEO "video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1"
#define CAPS_TENSOR "other/tensors,format=static,num_tensors=1,width=5,height=4"

/* Shapes and buffers */

static const GstShapePoint triangle[] = { {.5f, 1}, {4, 1}, {4, 3.25f}, {.5f,
    1}
};

static GstShapeLayer *
triangle_layer (gint32 id)
{
  static const guint32 offsets[] = { 0, 4 };
  GstShapePolyline polyline = { 0, };

  polyline.id = id;
  polyline.parent = -1;
  polyline.class_id = 3;
  polyline.flags = GST_SHAPE_FLAG_CLOSED;
  polyline.level = .5;
  polyline.area = 3.9375;
  return gst_shape_layer_new_polylines_copy (triangle, 4, offsets, &polyline,
      1, NULL);
}

#define TRIANGLE_HEAD "{\"id\":0,\"kind\":\"contour\",\"class\":3," \
    "\"level\":0.5,\"closed\":true,\"hole\":false,\"parent\":null," \
    "\"area\":3.9375,\"perimeter\":0,\"centroid\":[0,0],\"bbox\":[0,0,0,0]"
#define TRIANGLE TRIANGLE_HEAD ",\"points\":[[0.5,1],[4,1],[4,3.25],[0.5,1]]}"

static GstShapeSet *
triangle_set (void)
{
  GstShapeSet *set = gst_shape_set_new (32, 24);

  gst_shape_set_add_layer (set, triangle_layer (0));
  return set;
}

static GstBuffer *
make_buffer (GstShapeSet * set)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 16, NULL);

  if (set) {
    gst_buffer_add_shape_meta (buffer, set);
    gst_shape_set_unref (set);
  }
  return buffer;
}

static GstHarness *
make_harness (const gchar * caps)
{
  GstHarness *h = gst_harness_new ("shapejsonenc");

  gst_harness_set_src_caps_str (h, caps);
  return h;
}

static gchar *
text_of (GstBuffer * buffer)
{
  gsize size = gst_buffer_get_size (buffer);
  gchar *text = g_malloc (size + 1);

  gst_buffer_extract (buffer, 0, text, size);
  text[size] = '\0';
  return text;
}

static gchar *
line_of (GstHarness * h, GstBuffer * buffer)
{
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, buffer);

  fail_unless (out != NULL);
  return text_of (out);
}

static void
assert_line (GstHarness * h, GstBuffer * buffer, const gchar * expected)
{
  g_autofree gchar *line = line_of (h, buffer);

  fail_unless_equals_string (line, expected);
}

/* Lines */

TEST (test_each_buffer_is_a_line_with_its_shapes)
{
  g_autoptr (GstHarness) h = make_harness (CAPS_VIDEO);
  GstBuffer *buffer = make_buffer (triangle_set ());

  GST_BUFFER_PTS (buffer) = 40 * GST_MSECOND;
  GST_BUFFER_OFFSET (buffer) = 9;
  assert_line (h, buffer, BEGIN "\"frame\":0,\"pts\":40000000,\"offset\":9,"
      "\"width\":32,\"height\":24,\"shapes\":[" TRIANGLE "]}\n");
  buffer = make_buffer (triangle_set ());
  assert_line (h, buffer, BEGIN "\"frame\":1,\"pts\":null,\"offset\":null,"
      "\"width\":32,\"height\":24,\"shapes\":[" TRIANGLE "]}\n");
}

TEST (test_buffer_without_shapes_has_an_empty_array_and_size_of_caps)
{
  g_autoptr (GstHarness) h = make_harness (CAPS_VIDEO);

  assert_line (h, make_buffer (NULL), BEGIN "\"frame\":0,\"pts\":null,"
      "\"offset\":null,\"width\":64,\"height\":48,\"shapes\":[]}\n");
  assert_line (h, make_buffer (gst_shape_set_new (7, 5)), BEGIN "\"frame\":1,"
      "\"pts\":null,\"offset\":null,\"width\":7,\"height\":5,"
      "\"shapes\":[]}\n");
}

TEST (test_size_of_tensors_is_null)
{
  g_autoptr (GstHarness) h = make_harness (CAPS_TENSOR);

  assert_line (h, make_buffer (NULL), BEGIN "\"frame\":0,\"pts\":null,"
      "\"offset\":null,\"width\":null,\"height\":null,\"shapes\":[]}\n");
}

TEST (test_size_follows_renegotiation_and_output_caps_stay)
{
  g_autoptr (GstHarness) h = make_harness (CAPS_VIDEO);
  guint n_caps = 0;
  GstEvent *event;

  g_free (line_of (h, make_buffer (NULL)));
  gst_harness_set_src_caps_str (h,
      "video/x-raw,format=NV12,width=6,height=3,framerate=0/1");
  assert_line (h, make_buffer (NULL), BEGIN "\"frame\":1,\"pts\":null,"
      "\"offset\":null,\"width\":6,\"height\":3,\"shapes\":[]}\n");
  gst_harness_set_src_caps_str (h, CAPS_TENSOR);
  assert_line (h, make_buffer (NULL), BEGIN "\"frame\":2,\"pts\":null,"
      "\"offset\":null,\"width\":null,\"height\":null,\"shapes\":[]}\n");

  while ((event = gst_harness_try_pull_event (h))) {
    n_caps += GST_EVENT_TYPE (event) == GST_EVENT_CAPS;
    gst_event_unref (event);
  }
  fail_unless_equals_int (n_caps, 1);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad);
  fail_unless (gst_structure_has_name (gst_caps_get_structure (caps, 0),
          "application/x-ndjson"));
}

TEST (test_source_id_is_written_and_escaped)
{
  g_autoptr (GstHarness) h = make_harness (CAPS_TENSOR);

  g_object_set (h->element, "source-id", "cam \"1\"\n", NULL);
  assert_line (h, make_buffer (NULL), BEGIN "\"frame\":0,"
      "\"source\":\"cam \\\"1\\\"\\u000a\",\"pts\":null,\"offset\":null,"
      "\"width\":null,\"height\":null,\"shapes\":[]}\n");
  g_object_set (h->element, "source-id", NULL, NULL);
  assert_line (h, make_buffer (NULL), BEGIN "\"frame\":1,\"pts\":null,"
      "\"offset\":null,\"width\":null,\"height\":null,\"shapes\":[]}\n");
}

TEST (test_points_may_be_left_out_or_simplified)
{
  static const GstShapePoint points[] = { {0, 0}, {1, .01f}, {2, 0}, {3, 0} };
  static const guint32 offsets[] = { 0, 4 };
  GstShapePolyline polyline = {.parent = -1 };
  g_autoptr (GstHarness) h = make_harness (CAPS_VIDEO);
  GstShapeSet *set = gst_shape_set_new (8, 8);

  gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy (points, 4,
          offsets, &polyline, 1, NULL));
  gst_util_set_object_arg (G_OBJECT (h->element), "points", "none");
  g_autofree gchar *line = line_of (h, make_buffer (gst_shape_set_ref (set)));
  fail_unless (strstr (line, "\"area\"") && !strstr (line, "points"));
  g_free (line);
  gst_util_set_object_arg (G_OBJECT (h->element), "points", "simplified");
  line = line_of (h, make_buffer (gst_shape_set_ref (set)));
  fail_unless (strstr (line, "\"points\":[[0,0],[3,0]]") != NULL, "%s", line);
  g_free (line);
  g_object_set (h->element, "simplify", .001, NULL);
  line = line_of (h, make_buffer (set));
  fail_unless (strstr (line, "[1,0.0") != NULL, "%s", line);
}

TEST (test_max_shapes_keeps_the_first)
{
  g_autoptr (GstHarness) h = make_harness (CAPS_VIDEO);
  GstShapeSet *set = triangle_set ();

  gst_shape_set_add_layer (set, triangle_layer (1));
  g_object_set (h->element, "max-shapes", 1, NULL);
  assert_line (h, make_buffer (set), BEGIN "\"frame\":0,\"pts\":null,"
      "\"offset\":null,\"width\":32,\"height\":24,\"shapes\":[" TRIANGLE
      "]}\n");
}

static guint64
dropped_of (GstHarness * h)
{
  guint64 dropped;

  g_object_get (h->element, "dropped", &dropped, NULL);
  return dropped;
}

/* The shapes of @n triangles: as long as it takes. */
static GstBuffer *
make_long_buffer (guint n)
{
  GstShapeSet *set = triangle_set ();

  for (guint i = 1; i < n; i++)
    gst_shape_set_add_layer (set,
        gst_shape_layer_ref (gst_shape_set_get_layer (set, 0)));
  return make_buffer (set);
}

static void
expect_dropped (GstHarness * h, GstBus * bus, GstBuffer * buffer,
    guint64 dropped, gboolean warned)
{
  GstMessage *message;
  guint64 reported;

  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  fail_unless (gst_harness_try_pull (h) == NULL);
  fail_unless_equals_uint64 (dropped_of (h), dropped);
  if (warned) {
    message = gst_bus_pop (bus);
    fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_WARNING);
    gst_message_unref (message);
  }
  message = gst_bus_pop (bus);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_QOS);
  gst_message_parse_qos_stats (message, NULL, NULL, &reported);
  fail_unless_equals_uint64 (reported, dropped);
  gst_message_unref (message);
}

TEST (test_lines_that_are_too_long_are_left_out_and_counted)
{
  g_autoptr (GstHarness) h = make_harness (CAPS_VIDEO);
  g_autoptr (GstBus) bus = gst_bus_new ();

  gst_element_set_bus (h->element, bus);
  g_autofree gchar *line = line_of (h, make_long_buffer (100));
  gsize size = strlen (line);
  g_free (line);
  g_object_set (h->element, "max-size", (guint64) size, NULL);
  g_free (line_of (h, make_long_buffer (100)));
  fail_unless_equals_uint64 (dropped_of (h), 0);

  g_object_set (h->element, "max-size", (guint64) size - 1, NULL);
  expect_dropped (h, bus, make_long_buffer (100), 1, TRUE);
  expect_dropped (h, bus, make_long_buffer (5000), 2, FALSE);
  line = line_of (h, make_buffer (NULL));
  fail_unless (g_str_has_prefix (line, BEGIN "\"frame\":4,"), "%s", line);
  g_free (line);

  g_object_set (h->element, "max-size", (guint64) 0, NULL);
  line = line_of (h, make_long_buffer (5000));
  fail_unless (strlen (line) > 40 * size);
  fail_unless_equals_uint64 (dropped_of (h), 2);
  gst_element_set_bus (h->element, NULL);
}

TEST (test_reference_timestamp_is_written_and_passed_on)
{
  g_autoptr (GstHarness) h = make_harness (CAPS_TENSOR);
  g_autoptr (GstBuffer) buffer = make_buffer (NULL);
  GstCaps *reference = gst_caps_new_empty_simple ("timestamp/x-unix");

  gst_buffer_add_reference_timestamp_meta (buffer, reference,
      1234567890123456789, GST_CLOCK_TIME_NONE);
  buffer = gst_harness_push_and_pull (h, buffer);
  g_autofree gchar *line = text_of (buffer);
  fail_unless (strstr (line, "\"reference-timestamp\":1234567890123456789,")
      != NULL, "%s", line);
  GstReferenceTimestampMeta *meta =
      gst_buffer_get_reference_timestamp_meta (buffer, reference);
  fail_unless (meta != NULL && meta->timestamp == 1234567890123456789);
  gst_caps_unref (reference);
}

static gboolean
is_comma_locale (const gchar * name)
{
  return setlocale (LC_ALL, name) && *localeconv ()->decimal_point == ',';
}

static void
remove_folder (const gchar * folder)
{
  const gchar *argv[] = { "rm", "-r", folder, NULL };

  g_spawn_sync (NULL, (gchar **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
      NULL, NULL, NULL, NULL);
}

/* Few machines have such a locale, so one is made if need be. */
static gboolean
set_comma_locale (const gchar * folder)
{
  if (is_comma_locale ("de_DE.UTF-8") || is_comma_locale ("fr_FR.UTF-8"))
    return TRUE;
  /* Makes a locale that writes 0,5 in @folder, where localedef and its data are
   * installed. */
  g_autofree gchar *path = g_build_filename (folder, "de_DE.UTF-8", NULL);
  const gchar *argv[] = { "localedef", "--no-archive", "-f", "UTF-8", "-i",
    "de_DE", path, NULL
  };

  g_spawn_sync (NULL, (gchar **) argv, NULL, G_SPAWN_SEARCH_PATH
      | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL,
      NULL, NULL, NULL, NULL);
  g_setenv ("LOCPATH", folder, TRUE);
  return is_comma_locale ("de_DE.UTF-8");
}

TEST (test_numbers_do_not_depend_on_the_locale)
{
  g_autoptr (GstHarness) h = make_harness (CAPS_VIDEO);
  g_autofree gchar *folder = g_dir_make_tmp ("shapejsonenc-XXXXXX", NULL);

  fail_unless (folder != NULL);
  if (!set_comma_locale (folder))
    g_print ("no locale with a decimal comma can be had; not tested\n");
  assert_line (h, make_buffer (triangle_set ()), BEGIN
      "\"frame\":0,\"pts\":null,"
      "\"offset\":null,\"width\":32,\"height\":24,\"shapes\":[" TRIANGLE
      "]}\n");
  setlocale (LC_ALL, "C");
  remove_folder (folder);
}

TEST (test_json_parser_reads_the_lines)
{
  static const gchar script[] =
      "import json, sys\n"
      "lines = [json.loads(l) for l in open(sys.argv[1], encoding='utf-8')]\n"
      "assert [l['frame'] for l in lines] == [0, 1, 2], lines\n"
      "assert [len(l['shapes']) for l in lines] == [2, 0, 2], lines\n"
      "assert lines[0]['source'] == 'caf\\u00e9 \\\\ \"x\"', lines\n"
      "contour, circle = lines[0]['shapes']\n"
      "assert contour['points'][2] == [4, 3.25], contour\n"
      "assert contour['parent'] is None and contour['closed'] is True\n"
      "assert circle['color'] == '#10203040' and circle['r'] == 2.5\n"
      "assert circle['x'] is None, circle\n";
  const gchar *python = g_getenv ("TEST_PYTHON");
  GstShapeCircle circle = { __builtin_nanf (""), 2, 2.5f, 0, 0x10203040, -1 };
  GstHarness *h = make_harness (CAPS_VIDEO);
  g_autoptr (GString) text = g_string_new (NULL);
  gchar *path = NULL;
  gint status;

  g_object_set (h->element, "source-id", "caf\303\251 \\ \"x\"", NULL);
  for (guint i = 0; i < 3; i++) {
    GstShapeSet *set = i == 1 ? NULL : triangle_set ();

    if (set)
      gst_shape_set_add_layer (set, gst_shape_layer_new_circles_copy (&circle,
              1));
    g_autofree gchar *line = line_of (h, make_buffer (set));
    g_string_append (text, line);
  }
  gst_harness_teardown (h);
  if (!python || !*python) {
    g_print ("python3 is not there; not tested\n");
  } else {
    const gchar *argv[] = { python, "-c", script, NULL, NULL };
    gint fd = g_file_open_tmp ("shapejsonenc-XXXXXX.jsonl", &path, NULL);

    fail_unless (fd >= 0);
    g_close (fd, NULL);
    fail_unless (g_file_set_contents (path, text->str, (gssize) text->len,
            NULL));
    argv[3] = path;
    fail_unless (g_spawn_sync (NULL, (gchar **) argv, NULL,
            G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, &status, NULL));
    fail_unless_equals_int (status, 0);
    g_unlink (path);
    g_free (path);
  }
}

/* Begins a stream that is counted in bytes; @caps may be %NULL. */
static GstHarness *
make_byte_harness (const gchar * caps)
{
  GstHarness *h = gst_harness_new ("shapejsonenc");
  GstSegment segment;

  gst_harness_push_event (h, gst_event_new_stream_start ("bytes"));
  if (caps) {
    g_autoptr (GstCaps) parsed = gst_caps_from_string (caps);

    gst_harness_push_event (h, gst_event_new_caps (parsed));
  }
  gst_segment_init (&segment, GST_FORMAT_BYTES);
  segment.start = 100;
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  return h;
}

static void
assert_default_time_segment (GstHarness * h)
{
  GstEvent *event = gst_pad_get_sticky_event (h->sinkpad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;

  fail_unless (event != NULL);
  gst_event_parse_segment (event, &segment);
  fail_unless_equals_int (segment->format, GST_FORMAT_TIME);
  fail_unless_equals_uint64 (segment->start, 0);
  fail_unless_equals_uint64 (segment->time, 0);
  gst_event_unref (event);
}

/* With and without caps, as after capsfilter and after filesrc */
TEST_LOOP (test_byte_stream_gets_a_time_segment, 0, 2)
{
  g_autoptr (GstHarness) h = make_byte_harness (__i__ ? CAPS_TENSOR : NULL);
  GstBuffer *buffer = make_buffer (triangle_set ());

  GST_BUFFER_OFFSET (buffer) = 100;
  assert_line (h, buffer, BEGIN "\"frame\":0,\"pts\":null,\"offset\":100,"
      "\"width\":32,\"height\":24,\"shapes\":[" TRIANGLE "]}\n");
  assert_default_time_segment (h);
}

/* The types of the sticky and serialized events that came out, in order. */
static gchar *
event_names (GstHarness * h)
{
  GString *names = g_string_new (NULL);
  GstEvent *event;

  while ((event = gst_harness_try_pull_event (h))) {
    g_string_append_printf (names, "%s ", GST_EVENT_TYPE_NAME (event));
    gst_event_unref (event);
  }
  return g_string_free (names, FALSE);
}

TEST_LOOP (test_caps_come_before_the_segment, 0, 2)
{
  g_autoptr (GstHarness) h = make_byte_harness (__i__ ? CAPS_TENSOR : NULL);

  gst_harness_push_event (h, gst_event_new_eos ());
  g_autofree gchar *names = event_names (h);
  fail_unless (g_str_has_suffix (names, "stream-start caps segment eos "),
      "%s", names);
}

TEST (test_stream_that_ends_before_it_began_is_complete)
{
  g_autoptr (GstHarness) h = gst_harness_new ("shapejsonenc");

  gst_harness_push_event (h, gst_event_new_stream_start ("empty"));
  gst_harness_push_event (h, gst_event_new_eos ());
  g_autofree gchar *names = event_names (h);
  fail_unless (g_str_has_suffix (names, "caps segment eos "), "%s", names);
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 0);
}

TEST (test_flush_goes_on_counting_and_restart_counts_anew)
{
  g_autoptr (GstHarness) h = make_harness (CAPS_TENSOR);

  g_free (line_of (h, make_buffer (NULL)));
  flush (h, 0);
  g_autofree gchar *line = line_of (h, make_buffer (NULL));
  fail_unless (g_str_has_prefix (line, BEGIN "\"frame\":1,"), "%s", line);
  g_free (line);

  gst_element_set_state (h->element, GST_STATE_NULL);
  gst_harness_play (h);
  gst_harness_set_src_caps_str (h, CAPS_TENSOR);
  line = line_of (h, make_buffer (NULL));
  fail_unless (g_str_has_prefix (line, BEGIN "\"frame\":0,"), "%s", line);
}

TEST (test_bytes_of_the_input_say_nothing_about_the_output)
{
  g_autoptr (GstHarness) h = make_byte_harness (NULL);
  g_autoptr (GstQuery) query = gst_query_new_seeking (GST_FORMAT_BYTES);
  gboolean seekable = TRUE;
  gint64 value;

  fail_if (gst_pad_peer_query_duration (h->sinkpad, GST_FORMAT_BYTES, &value));
  fail_if (gst_pad_peer_query_position (h->sinkpad, GST_FORMAT_BYTES, &value));
  fail_unless (gst_pad_peer_query (h->sinkpad, query));
  gst_query_parse_seeking (query, NULL, &seekable, NULL, NULL);
  fail_if (seekable);
  fail_if (gst_harness_push_upstream_event (h, gst_event_new_seek (1.,
              GST_FORMAT_BYTES, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0,
              GST_SEEK_TYPE_NONE, 0)));
}

SUITE (shapejsonenc) {}
