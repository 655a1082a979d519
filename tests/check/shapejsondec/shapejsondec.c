/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lines of JSON in, shapes out. */

#include <gst/video/gstvideometa.h>

#include <math.h>
#include <string.h>

#include "../lib/harness.h"
#include "../lib/suite.h"
#include "shapes/gstshapes.h"

#define HEAD "{\"frame\":7,\"source\":\"cam1\",\"pts\":40000000," \
    "\"reference-timestamp\":99,\"offset\":12,\"width\":64,\"height\":48," \
    "\"shapes\":["
#define CONTOUR "{\"id\":3,\"kind\":\"contour\",\"class\":2,\"level\":127.5," \
    "\"closed\":true,\"hole\":true,\"parent\":1,\"area\":-4.25," \
    "\"perimeter\":8.5,\"centroid\":[1.5,2.5],\"bbox\":[1,2,3,4]," \
    "\"points\":[[1,2],[3,2.5],[1,2]]}"
#define OPEN "{\"id\":4,\"kind\":\"contour\",\"class\":0,\"level\":null," \
    "\"closed\":false,\"hole\":false,\"parent\":null,\"area\":0," \
    "\"perimeter\":0,\"centroid\":[0,0],\"bbox\":[0,0,0,0]," \
    "\"points\":[[0.1,0.2]]}"
#define HULL "{\"id\":5,\"kind\":\"hull\",\"class\":0,\"level\":0," \
    "\"closed\":true,\"hole\":false,\"parent\":3,\"area\":2,\"perimeter\":6," \
    "\"centroid\":[1,1],\"bbox\":[0,0,2,1],\"solidity\":0.75," \
    "\"feret\":[1,2],\"min-area-rect\":{\"center\":[3,4],\"size\":[2,1]," \
    "\"angle\":90},\"enclosing-circle\":{\"x\":5,\"y\":6,\"r\":7}}"
#define CIRCLE "{\"kind\":\"circle\",\"x\":1,\"y\":2,\"r\":3,\"z\":0.5," \
    "\"color\":\"#12ab34ff\",\"parent\":null}"
#define LINE HEAD CONTOUR "," OPEN "," HULL "," CIRCLE "]}\n"

static GstHarness *
make_harness (void)
{
  GstHarness *h = gst_harness_new ("shapejsondec");

  gst_harness_set_src_caps_str (h, "application/x-ndjson");
  return h;
}

static GstFlowReturn
push_bytes (GstHarness * h, const gchar * text, gsize size)
{
  GstBuffer *buffer = size ? gst_buffer_new_memdup (text, size) :
      gst_buffer_new ();

  return gst_harness_push (h, buffer);
}

static void
push_text (GstHarness * h, const gchar * text)
{
  fail_unless_equals_int (push_bytes (h, text, strlen (text)), GST_FLOW_OK);
}

static guint64
dropped_of (GstHarness * h)
{
  guint64 dropped;

  g_object_get (h->element, "dropped", &dropped, NULL);
  return dropped;
}

static const GstShapeArrays *
arrays_of (GstShapeSet * set, guint layer)
{
  return gst_shape_layer_map_host (gst_shape_set_get_layer (set, layer), NULL);
}

static void
check_contours (const GstShapeArrays * arrays)
{
  const GstShapePolyline *p = arrays->polylines;

  fail_unless_equals_int (arrays->n_shapes, 2);
  fail_unless_equals_int (arrays->n_points, 4);
  fail_unless_equals_int (arrays->offsets[1], 3);
  fail_unless (arrays->points[1].x == 3.f && arrays->points[1].y == 2.5f);
  fail_unless (arrays->points[3].x == .1f && arrays->points[3].y == .2f);
  fail_unless (p->id == 3 && p->parent == 1 && p->class_id == 2);
  fail_unless_equals_int (p->kind, GST_SHAPE_KIND_CONTOUR);
  fail_unless_equals_int (p->flags,
      GST_SHAPE_FLAG_CLOSED | GST_SHAPE_FLAG_HOLE);
  fail_unless (p->level == 127.5 && p->area == -4.25 && p->perimeter == 8.5);
  fail_unless (p->centroid_x == 1.5 && p->centroid_y == 2.5);
  fail_unless (p->bbox_x0 == 1 && p->bbox_y0 == 2 && p->bbox_x1 == 3
      && p->bbox_y1 == 4);
  fail_unless (p[1].id == 4 && p[1].parent == -1 && isnan (p[1].level));
  fail_unless_equals_int (p[1].flags, 0);
}

static void
check_hull (const GstShapeArrays * arrays)
{
  const GstShapeHullMeasures *m = arrays->hull_measures;

  fail_unless_equals_int (arrays->n_shapes, 1);
  fail_unless (arrays->points == NULL && m != NULL);
  fail_unless_equals_int (arrays->polylines->kind, GST_SHAPE_KIND_HULL);
  fail_unless (arrays->polylines->solidity == .75);
  fail_unless (m->feret_min == 1 && m->feret_max == 2);
  fail_unless (m->rect_x == 3 && m->rect_y == 4 && m->rect_width == 2
      && m->rect_height == 1);
  fail_unless (fabs (m->rect_ux) < 1e-15 && m->rect_uy == 1.);
  fail_unless (m->circle_x == 5 && m->circle_y == 6 && m->circle_r == 7);
}

static void
check_circle (const GstShapeArrays * arrays)
{
  const GstShapeCircle *c = arrays->circles;

  fail_unless_equals_int (arrays->n_shapes, 1);
  fail_unless (c->x == 1.f && c->y == 2.f && c->r == 3.f && c->z == .5f);
  fail_unless_equals_int (c->rgba, 0x12ab34ff);
  fail_unless_equals_int (c->parent, -1);
}

/* The buffer that LINE becomes. */
static void
check_buffer (GstBuffer * buffer)
{
  GstShapeSet *set = gst_buffer_get_shape_set (buffer);
  GstReferenceTimestampMeta *reference =
      gst_buffer_get_reference_timestamp_meta (buffer, NULL);

  fail_unless (set != NULL);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), 40 * GST_MSECOND);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), 12);
  fail_unless (reference != NULL && reference->timestamp == 99);
  fail_unless_equals_int (gst_buffer_get_size (buffer), 0);
  fail_unless_equals_int (gst_shape_set_get_width (set), 64);
  fail_unless_equals_int (gst_shape_set_get_height (set), 48);
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 3);
  check_contours (arrays_of (set, 0));
  check_hull (arrays_of (set, 1));
  check_circle (arrays_of (set, 2));
}

TEST (a_line_becomes_shapes)
{
  g_autoptr (GstHarness) h = make_harness ();

  push_text (h, LINE);
  GstBuffer *buffer = gst_harness_pull (h);
  check_buffer (buffer);
  gst_buffer_unref (buffer);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad);
  fail_unless (gst_structure_has_name (gst_caps_get_structure (caps, 0),
          "application/x-shapes"));
  fail_unless_equals_uint64 (dropped_of (h), 0);
}

/* Two lines, the second without a newline, split at every byte. */
TEST (lines_may_be_cut_anywhere)
{
  static const gchar text[] = LINE LINE;
  const gsize size = strlen (text) - 1;

  for (gsize cut = 0; cut <= size; cut++) {
    g_autoptr (GstHarness) h = make_harness ();

    fail_unless_equals_int (push_bytes (h, text, cut), GST_FLOW_OK);
    fail_unless_equals_int (push_bytes (h, text + cut, size - cut),
        GST_FLOW_OK);
    fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
    for (guint i = 0; i < 2; i++) {
      g_autoptr (GstBuffer) buffer = gst_harness_try_pull (h);

      fail_unless (buffer != NULL, "cut at %u", (guint) cut);
      check_buffer (buffer);
    }
    fail_unless (gst_harness_try_pull (h) == NULL);
    fail_unless_equals_uint64 (dropped_of (h), 0);
  }
}

/* shapejsonenc writes again what was read. */
TEST (what_was_read_is_written_again)
{
  static const gchar *const lines[] = {
    "{\"version\":1,\"frame\":0,\"pts\":null,\"offset\":null,"
        "\"width\":null,\"height\":null,"
        "\"shapes\":[]}\n",
    "{\"version\":1,\"frame\":0,\"pts\":1,\"offset\":2,"
        "\"width\":64,\"height\":48,"
        "\"shapes\":[" CIRCLE "," CONTOUR "," OPEN "," CIRCLE "]}\n",
    "{\"version\":1,\"frame\":0,\"pts\":1,"
        "\"reference-timestamp\":5,\"offset\":null,"
        "\"width\":1,\"height\":1,\"shapes\":[" HULL "]}\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    GstHarness *h = gst_harness_new_parse ("shapejsondec ! shapejsonenc");
    GstMapInfo map;

    gst_harness_set_src_caps_str (h, "application/x-ndjson");
    push_text (h, lines[i]);
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
    gst_buffer_map (buffer, &map, GST_MAP_READ);
    fail_unless (map.size == strlen (lines[i])
        && memcmp (map.data, lines[i], map.size) == 0, "%.*s",
        (gint) map.size, map.data);
    gst_buffer_unmap (buffer, &map);
    gst_harness_teardown (h);
  }
}

/* Numbers of every size, as they were. */
TEST (coordinates_are_exact)
{
  const guint n = 20000;
  g_autofree GstShapePoint *points = g_new (GstShapePoint, n);
  const guint32 offsets[] = { 0, n };
  const GstShapePolyline polyline = {.area = 1. / 3. };
  g_autoptr (GstShapeSet) set = gst_shape_set_new (1, 1);
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  GError *error = NULL;

  for (guint i = 0; i < n; i++) {
    guint32 bits[2] = { g_rand_int (random), g_rand_int (random) };

    memcpy (&points[i], bits, sizeof (bits));
    if (!isfinite (points[i].x) || !isfinite (points[i].y) || i % 2)
      points[i] = (GstShapePoint) {
        (gfloat) g_rand_double_range (random, -9, 4000),
            (gfloat) g_rand_double_range (random, -1, 1)
      };
  }
  gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy (points, n,
          offsets, &polyline, 1, NULL));
  g_autofree gchar *text = gst_shape_set_to_json (set, NULL);
  g_autoptr (GstShapeSet) read = gst_shape_set_from_json (text, &error);
  fail_unless (read != NULL, "%s", error ? error->message : "");
  GstShapePoint *back = (GstShapePoint *) arrays_of (read, 0)->points;
  for (guint i = 0; i < n; i++)
    fail_unless (back[i].x == points[i].x && back[i].y == points[i].y,
        "%.9g %.9g became %.9g %.9g", points[i].x, points[i].y, back[i].x,
        back[i].y);
  fail_unless (arrays_of (read, 0)->polylines->area == 1. / 3.);
}

static void
assert_dropped (GstHarness * h, GstBus * bus, const gchar * what, guint64 nth)
{
  g_autoptr (GError) error = NULL;
  guint64 reported;

  fail_unless (gst_harness_try_pull (h) == NULL, "%s", what);
  fail_unless_equals_uint64 (dropped_of (h), nth);
  g_autoptr (GstMessage) message = gst_bus_pop (bus);
  fail_unless (message
      && GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING, "%s", what);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, what) != NULL, "%s, not %s",
      error->message, what);
  fail_unless (strstr (error->message, "Line 2 ") != NULL, "%s",
      error->message);
  gst_message_unref (message);
  message = gst_bus_pop (bus);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_QOS);
  gst_message_parse_qos_stats (message, NULL, NULL, &reported);
  fail_unless_equals_uint64 (reported, nth);
  fail_unless (gst_bus_pop (bus) == NULL);
}

/* Between two good lines, which are not lost. */
static void
refuse_line (const gchar * line, const gchar * what)
{
  g_autoptr (GstHarness) h = make_harness ();
  g_autoptr (GstBus) bus = gst_bus_new ();

  gst_element_set_bus (h->element, bus);
  g_object_set (h->element, "max-size", (guint64) 200000, NULL);
  push_text (h, LINE);
  gst_buffer_unref (gst_harness_pull (h));
  push_text (h, line);
  push_text (h, "\n");
  assert_dropped (h, bus, what, 1);
  push_text (h, LINE);
  gst_buffer_unref (gst_harness_pull (h));
  gst_element_set_bus (h->element, NULL);
}

#define SHAPES(text) "{\"shapes\":[" text "]}"

TEST (a_damaged_line_is_left_out_and_says_what_is_wrong)
{
  refuse_line ("{\"frame\":0,", "byte 12: a key is missing");
  refuse_line ("not JSON", "byte 1: it is not an object");
  refuse_line ("[1,2]", "not an object");
  refuse_line ("{}", "shapes is not an array");
  refuse_line ("{\"shapes\":{}}", "shapes is not an array");
  refuse_line ("{\"shapes\":[]} x", "byte 15: something follows the object");
  refuse_line ("{\"version\":2,\"shapes\":[]}", "version is 2");
  refuse_line ("{\"pts\":-5,\"shapes\":[]}", "pts");
  refuse_line ("{\"width\":1e9,\"shapes\":[]}", "width");
  refuse_line ("{\"height\":5000000000,\"shapes\":[]}", "height");
  refuse_line ("{\"source\":5,\"shapes\":[]}", "source");
  refuse_line ("{\"tags\":{\"a\":[12345678901234567890]},\"shapes\":[]}",
      "tags has a number that is too large");
  refuse_line ("{\"tags\":{\"a\":-1e999},\"shapes\":[]}",
      "tags has a number that is too large");
  refuse_line (SHAPES ("5"), "shapes[0].kind");
  refuse_line (SHAPES ("{\"kind\":\"square\"}"), "shapes[0].kind");
  refuse_line (SHAPES (CIRCLE "," CONTOUR ",{}"), "shapes[2].kind");
  refuse_line (SHAPES ("{\"kind\":\"contour\",\"id\":\"a\"}"), "shapes[0].id");
  refuse_line (SHAPES ("{\"kind\":\"contour\",\"id\":4294967296}"),
      "32 bits");
  refuse_line (SHAPES ("{\"kind\":\"contour\",\"closed\":1}"),
      "shapes[0].closed");
  refuse_line (SHAPES ("{\"kind\":\"contour\",\"bbox\":[1,2,3]}"),
      "shapes[0].bbox is not four numbers");
  refuse_line (SHAPES ("{\"kind\":\"contour\",\"area\":\"x\"}"),
      "shapes[0].area");
  refuse_line (SHAPES ("{\"kind\":\"contour\",\"points\":5}"),
      "shapes[0].points is not an array");
  refuse_line (SHAPES (OPEN ",{\"kind\":\"contour\",\"points\":[[1,2],[3]]}"),
      "shapes[1].points[1] is not two numbers");
  refuse_line (SHAPES ("{\"kind\":\"circle\",\"color\":\"#12\"}"), "#rrggbbaa");
  refuse_line (SHAPES ("{\"kind\":\"circle\",\"color\":\"#12345 78\"}"),
      "#rrggbbaa");
  refuse_line (SHAPES ("{\"kind\":\"circle\",\"r\":1e39}"),
      "shapes[0].r is not in single precision");
  refuse_line (SHAPES ("{\"kind\":\"contour\",\"points\":[[1,1e39]]}"),
      "shapes[0].points[0]");
  refuse_line (SHAPES ("{\"kind\":\"contour\",\"area\":1e400}"),
      "shapes[0].area is not a number");
  refuse_line ("{\"a\":\"\033[31m\"}", "a control character is in a string");
  refuse_line ("{\"a\":\"\xff\"}", "byte 7: it is not UTF-8");
}

TEST (deep_and_endless_lines_are_left_out)
{
  g_autofree gchar *brackets = g_strnfill (190000, '[');
  g_autofree gchar *deep = g_strconcat ("{\"a\":", brackets, NULL);
  g_autofree gchar *endless = g_strnfill (200001, ' ');

  refuse_line (deep, "too deep");
  refuse_line (endless, "max-size");
}

/* Memory is bounded by the limit for lines of any length. */
TEST (a_line_without_an_end_takes_no_memory)
{
  g_autoptr (GstHarness) h = make_harness ();
  gchar part[65536];

  memset (part, '[', sizeof (part));
  g_object_set (h->element, "max-size", (guint64) 100000, NULL);
  for (guint i = 0; i < 1000; i++)
    fail_unless_equals_int (push_bytes (h, part, sizeof (part)), GST_FLOW_OK);
  fail_unless_equals_uint64 (dropped_of (h), 1);
  push_text (h, "\n" LINE);
  gst_buffer_unref (gst_harness_pull (h));
  fail_unless_equals_uint64 (dropped_of (h), 1);
}

TEST (a_flush_forgets_the_line_that_has_begun)
{
  g_autoptr (GstHarness) h = make_harness ();
  GstSegment segment;

  push_text (h, HEAD);
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_BYTES);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  push_text (h, "\n\r\n" LINE);
  GstBuffer *buffer = gst_harness_pull (h);
  check_buffer (buffer);
  gst_buffer_unref (buffer);
  fail_unless_equals_uint64 (dropped_of (h), 0);
}

TEST (a_line_without_a_time_gets_that_of_its_buffer)
{
  g_autoptr (GstHarness) h = make_harness ();
  GstBuffer *buffer = gst_buffer_new_memdup ("{\"shapes\":[]}\n", 14);

  GST_BUFFER_PTS (buffer) = 5;
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  buffer = gst_harness_pull (h);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), 5);
  fail_unless (gst_buffer_get_shape_set (buffer) != NULL);
  gst_buffer_unref (buffer);
}

/* Many shapes of few bytes may not become more memory than a line should. */
TEST (lines_that_would_become_large_are_left_out)
{
  g_autoptr (GString) kinds = g_string_new ("{\"shapes\":[");
  g_autoptr (GString) defects = g_string_new ("{\"shapes\":[{\"kind\":\"hull\","
      "\"defects\":[");
  g_autoptr (GString) tags = g_string_new ("{\"tags\":{\"regions\":[");

  for (guint i = 0; i < 4000; i++)
    g_string_append_printf (kinds, "{\"kind\":\"%s\"},", i % 2 ? "hull" :
        "contour");
  g_string_append (kinds, "{\"kind\":\"hull\"}]}");
  refuse_line (kinds->str, "more memory than a line of its size may");
  for (guint i = 0; i < 60000; i++)
    g_string_append (defects, "{},");
  g_string_append (defects, "{}]}]}");
  refuse_line (defects->str, "more memory than a line of its size may");
  for (guint i = 0; i < 60000; i++)
    g_string_append (tags, "{},   ");
  g_string_append (tags, "{}]},\"shapes\":[]}");
  refuse_line (tags->str, "max-size");
  g_string_truncate (tags, 5000 * strlen ("{},   "));
  g_string_append (tags, "{}]},\"shapes\":[]}");
  refuse_line (tags->str, "tags has more than 4096 values");
}

#define TAGS "{\"metas\":{\"lane\":{\"number\":3,\"speed\":1.5," \
    "\"full\":true,\"name\":\"left\"}},\"regions\":[{\"id\":7," \
    "\"type\":\"cup\",\"x\":1,\"y\":2,\"width\":30,\"height\":40}]}"

static GstBuffer *
decode (const gchar * tags, const gchar * metas)
{
  g_autoptr (GstHarness) h = make_harness ();
  gchar *line = g_strdup_printf ("{\"tags\":%s,\"shapes\":[]}\n", tags);

  /* the names are read when the element starts */
  gst_element_set_state (h->element, GST_STATE_READY);
  g_object_set (h->element, "metas", metas, NULL);
  gst_element_set_state (h->element, GST_STATE_PLAYING);
  push_text (h, line);
  GstBuffer *buffer = gst_harness_pull (h);
  g_free (line);
  return buffer;
}

static const gchar *
tags_text (GstBuffer * buffer)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "shape-tags");

  return meta ? gst_structure_get_string (gst_custom_meta_get_structure (meta),
      "json") : NULL;
}

TEST (tags_become_regions_and_text)
{
  g_autoptr (GstBuffer) buffer = decode (TAGS, NULL);
  GstVideoRegionOfInterestMeta *roi =
      gst_buffer_get_video_region_of_interest_meta_id (buffer, 7);

  fail_unless (roi->x == 1 && roi->y == 2 && roi->w == 30 && roi->h == 40);
  fail_unless_equals_string (g_quark_to_string (roi->roi_type), "cup");
  fail_unless_equals_string (tags_text (buffer), "{\"lane\":{\"number\":3,"
      "\"speed\":1.5,\"full\":true,\"name\":\"left\"}}");
}

TEST (tags_become_the_metas_that_the_application_lists)
{
  g_autoptr (GstBuffer) buffer = decode (TAGS, "encoder, lane");
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "lane");
  gint64 number = 0;
  gdouble speed = 0;
  gboolean full = FALSE;

  fail_unless (gst_meta_get_info ("encoder") != NULL);
  fail_unless (meta != NULL && tags_text (buffer) == NULL);
  fail_unless (gst_structure_get (gst_custom_meta_get_structure (meta),
          "number", G_TYPE_INT64, &number, "speed", G_TYPE_DOUBLE, &speed,
          "full", G_TYPE_BOOLEAN, &full, NULL));
  fail_unless (number == 3 && speed == 1.5 && full);
  fail_unless_equals_string (gst_structure_get_string
      (gst_custom_meta_get_structure (meta), "name"), "left");
}

static void
check_round_trip (const gchar * metas)
{
  g_autoptr (GstHarness) h = gst_harness_new ("shapejsonenc");
  GstMapInfo map;

  gst_harness_set_src_caps_str (h, "application/x-ndjson");
  gst_harness_push (h, decode (TAGS, metas));
  g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless (g_strstr_len ((gchar *) map.data, map.size,
          ",\"tags\":" TAGS ",\"shapes\":[") != NULL, "%.*s",
      (int) map.size, (gchar *) map.data);
  gst_buffer_unmap (buffer, &map);
}

TEST (tags_go_through_unchanged)
{
  check_round_trip (NULL);
  check_round_trip ("lane");
}

TEST (tags_that_are_none_are_left_out)
{
  static const gchar *const tags[] = {
    "{\"metas\":[1],\"regions\":{}}", "{\"regions\":[1,null,[]]}", "{}",
    "{\"metas\":{\"lane\":3}}"
  };

  for (guint i = 0; i < G_N_ELEMENTS (tags); i++) {
    g_autoptr (GstBuffer) buffer = decode (tags[i], "lane");
    gpointer state = NULL;
    guint n = 0;

    while (gst_buffer_iterate_meta (buffer, &state))
      n++;
    /* the shapes, and from 1.28 on their companion */
    fail_unless (n <= 2, "%s: %u", tags[i], n);
  }
}

/* What is registered stays, and a plugin that is loaded later could not register
 * its type of that name any more. */
TEST (no_name_in_a_line_is_registered)
{
  static const gchar *const names[] = {
    "GstPngEnc", "GstNetAddressMeta", "GstVideoMeta", "StrangersMeta"
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    gchar *tags = g_strdup_printf ("{\"metas\":{\"%s\":{\"a\":1}}}", names[i]);
    const GType before = g_type_from_name (names[i]);
    g_autoptr (GstBuffer) buffer = decode (tags, "lane");

    fail_unless (g_type_from_name (names[i]) == before, "%s", names[i]);
    fail_unless (strstr (tags_text (buffer), names[i]) != NULL);
    g_free (tags);
  }
}

TEST (names_that_are_not_for_metas_are_an_error)
{
  static const gchar *const names[] = {
    "GstPngEnc", "lane,GstVideoMeta", "GstBuffer", "GObject", "a b", "9", "m",
    "shape-tags", "\xff"
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GstElement *element = gst_element_factory_make ("shapejsondec", NULL);

    g_object_set (element, "metas", names[i], NULL);
    fail_unless (gst_element_set_state (element, GST_STATE_PAUSED) ==
        GST_STATE_CHANGE_FAILURE, "%s", names[i]);
    fail_unless (g_type_from_name ("GstPngEnc") == 0);
    gst_element_set_state (element, GST_STATE_NULL);
    gst_object_unref (element);
  }
}

/* Names become quarks, which stay. */
TEST (names_of_regions_and_fields_are_bounded)
{
  guint n_types = 0, n_fields = 0;

  for (guint i = 0; i < 10000; i++) {
    gchar *tags = g_strdup_printf ("{\"metas\":{\"lane\":{\"field-%u\":1}},"
        "\"regions\":[{\"type\":\"type-%u\"}]}", i, i);
    g_autofree gchar *field = g_strdup_printf ("field-%u", i);
    g_autofree gchar *type = g_strdup_printf ("type-%u", i);
    g_autoptr (GstBuffer) buffer = decode (tags, "lane");
    GstVideoRegionOfInterestMeta *roi =
        gst_buffer_get_video_region_of_interest_meta (buffer);

    fail_unless_equals_string (g_quark_to_string (roi->roi_type),
        g_quark_try_string (type) ? type : "region");
    n_types += g_quark_try_string (type) != 0;
    n_fields += g_quark_try_string (field) != 0;
    g_free (tags);
  }
  fail_unless (n_types > 0 && n_fields > 0);
  fail_unless (n_types + n_fields > 8000 && n_types + n_fields <= 8192, "%u",
      n_types + n_fields);
}

SUITE (shapejsondec) {}
