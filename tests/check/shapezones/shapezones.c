/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The element shapezones: what cannot be a zone, files, streams, messages.
 * counts.py has what is counted. */

#include <glib/gstdio.h>
#include <gst/video/video.h>

#include <string.h>

#include "../lib/harness.h"
#include "../lib/messages.h"
#include "../lib/suite.h"
#include "shapes/gstshapes.h"

#define CAPS "video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1"
#define SQUARE "a: 10,10 30,10 30,30 10,30"

static GstHarness *
make_harness (const gchar * settings)
{
  g_autofree gchar *line = g_strdup_printf ("shapezones %s", settings);
  GstHarness *h = gst_harness_new_parse (line);

  fail_unless (h != NULL, "%s", line);
  gst_harness_set_src_caps_str (h, CAPS);
  return h;
}

/* With a square of the side 4 around (x, y), of track 7 */
static GstBuffer *
make_frame (guint i, gfloat x, gfloat y)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 64 * 48, NULL);
  GstShapeSet *set = gst_shape_set_new (64, 48);
  const GstShapePoint points[] = {
    {x - 2, y - 2}, {x + 2, y - 2}, {x + 2, y + 2}, {x - 2, y + 2},
    {x - 2, y - 2}
  };
  const guint32 offsets[] = { 0, 5 };
  const GstShapePolyline polyline = {
    .parent = -1,.flags = GST_SHAPE_FLAG_CLOSED,.area = 16,.centroid_x = x,
    .centroid_y = y,.bbox_x0 = x - 2,.bbox_y0 = y - 2,.bbox_x1 = x + 2,
    .bbox_y1 = y + 2
  };
  const GstShapeAnnotation annotation = { -1, -1, 7 };
  GstShapeLayer *layer = gst_shape_layer_new_polylines_copy (points, 5, offsets,
      &polyline, 1, NULL);

  gst_shape_set_add_layer (set, gst_shape_layer_annotate (layer, &annotation,
          1));
  gst_shape_layer_unref (layer);
  gst_buffer_add_shape_meta (buffer, set);
  gst_shape_set_unref (set);
  GST_BUFFER_PTS (buffer) = i * 40 * GST_MSECOND;
  GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
  return buffer;
}

static const GstStructure *
find_counts (GstBuffer * buffer)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "shapezones");

  fail_unless (meta != NULL);
  return gst_custom_meta_get_structure (meta);
}

/* Of the first zone, or line if there is none */
static guint64
number_of (const GstStructure * counts, const gchar * name)
{
  const GValue *zones = gst_structure_get_value (counts, "zones");
  guint64 number;

  if (gst_value_array_get_size (zones) == 0)
    zones = gst_structure_get_value (counts, "lines");
  fail_unless (gst_value_array_get_size (zones) > 0);
  fail_unless (gst_structure_get_uint64 (gst_value_get_structure
          (gst_value_array_get_value (zones, 0)), name, &number), "%s", name);
  return number;
}

static guint64
push_and_get (GstHarness * h, GstBuffer * frame, const gchar * name)
{
  g_autoptr (GstBuffer) buffer = gst_harness_push_and_pull (h, frame);

  return number_of (find_counts (buffer), name);
}

/* What cannot be */

static const struct
{
  const gchar *property, *value, *problem;
} wrong[] = {
  {"zones", "a: 1,1 2,2", "has 2 different corners; a zone needs at least 3"},
  {"zones", "a: 1,1 1,1 2,2 2,2 1,1", "has 2 different corners"},
  {"zones", "a: 0,0 10,10 10,0 0,10", "crosses or touches itself: its side "
        "from corner 1 and that from corner 3 meet"},
  {"zones", "a: 0,0 10,0 10,10 5,0 0,10", "crosses or touches itself"},
  {"zones", "a: 0,0 10,0 20,0", "has no area"},
  {"zones", "a: 0,0 10,0 5,0 5,9", "crosses or touches itself"},
  {"zones", "a: 0,0 10,0 10,10 / 1,1 2,2", "has 2 different corners"},
  {"zones", "a: 0,0 10,0 ten,10", "\"ten,10\" is no point: corners are "
        "written as"},
  {"zones", "a: 0,0 10 10,10", "is no point"},
  {"zones", "a: 0,0 10,0 10,nan", "is no point"},
  {"zones", "a: 0,0 10,0 10,0x10", "is no point"},
  {"zones", "a: 0,0 10,0 10,1e7", "is no point"},
  {"zones", "a: 0,0 10,0 10,10,10", "is no point"},
  {"zones", "a:", "has no corner"},
  {"zones", "a\t: 0,0 1,0 1,1; b\001: 0,0 1,0 1,1", "without control"},
  {"zones", " : 0,0 1,0 1,1", "1 to 64 bytes"},
  {"zones", SQUARE ";" SQUARE, "two zones or lines \"a\""},
  {"lines", "m: 1,1", "needs at least 2 different corners"},
  {"lines", "m: 1,1 1,1", "needs at least 2 different corners"},
  {"lines", "m: 1,1 2,2 / 3,3 4,4", "a line has no rings"},
  {"zones", "{\"type\":", "this is no GeoJSON: line 1"},
  {"zones", "{\"type\":\"Point\",\"coordinates\":[1,2]}", "feature 1 of the "
        "GeoJSON has the geometry \"Point\": zones are Polygon"},
  {"zones", "{\"type\":\"Feature\"}", "has the geometry \"none\""},
  {"zones", "{\"type\":\"FeatureCollection\",\"features\":[{}]}", "feature 1"},
  {"zones", "{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[1,\"x\"]]]}",
        "a position that is not [x, y]"},
  {"zones", "{\"type\":\"Polygon\",\"coordinates\":[[0,1,2,3]]}",
        "a position that is not [x, y]"},
  {"zones", "{\"type\":\"Polygon\",\"coordinates\":[]}", "needs at least"},
  {"zones", "{\"type\":\"LineString\",\"coordinates\":[[0,0]]}",
        "needs at least 2 different corners"},
  {"zones-location", "/nowhere/zones.geojson", "\"/nowhere/zones.geojson\""},
  {"zones-location", "/dev/zero", "only regular files"},
};

/* Nothing of it starts, and the message says what is wrong. */
TEST_LOOP (what_cannot_be_a_zone_is_refused, 0, G_N_ELEMENTS (wrong))
{
  GstElement *element = gst_element_factory_make ("shapezones", NULL);
  g_autoptr (GstBus) bus = gst_bus_new ();

  gst_object_ref_sink (element);
  gst_element_set_bus (element, bus);
  g_object_set (element, wrong[__i__].property, wrong[__i__].value, NULL);
  gst_element_set_state (element, GST_STATE_PAUSED);
  assert_message (bus, GST_MESSAGE_ERROR, wrong[__i__].problem);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
}

static gchar *
many_corners (guint n_zones, guint n_corners)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n_zones; i++) {
    g_string_append_printf (text, "z%u: %u,0", i, 2 * i);
    for (guint k = 1; k < n_corners; k++)
      g_string_append_printf (text, " %u,%u", 2 * i + (k & 1), k);
    g_string_append (text, ";");
  }
  return g_string_free (text, FALSE);
}

TEST (too_many_zones_and_corners_are_refused)
{
  static const struct
  {
    guint n_zones, n_corners;
    const gchar *problem;
  } cases[] = {
    {257, 2, "more than 256 zones"}, {1, 1001, "more than 1000 corners"},
    {11, 1000, "more than 10000 corners together"}
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstElement *element = gst_element_factory_make ("shapezones", NULL);
    g_autoptr (GstBus) bus = gst_bus_new ();
    g_autofree gchar *lines = many_corners (cases[i].n_zones,
        cases[i].n_corners);

    gst_object_ref_sink (element);
    gst_element_set_bus (element, bus);
    g_object_set (element, "lines", lines, NULL);
    gst_element_set_state (element, GST_STATE_PAUSED);
    assert_message (bus, GST_MESSAGE_ERROR, cases[i].problem);
    gst_element_set_state (element, GST_STATE_NULL);
    gst_element_set_bus (element, NULL);
    gst_object_unref (element);
  }
}

/* Spaces, names left out, empty entries, a repeated first corner */
TEST (texts_of_any_layout_are_read)
{
  g_autoptr (GstHarness) h = make_harness ("zones=\" ;; zone-2 :10,10   30,10 "
      "30,30 10,30 10,10 10,10; ; 1,1 2,1 2,2/5,5 6,5 6,6 ;\" "
      "lines=\"1,1 2,2\"");
  g_autoptr (GstBuffer) buffer = gst_harness_push_and_pull (h,
      make_frame (0, 20, 20));
  const GstStructure *counts = find_counts (buffer);
  const gchar *names[] = { "zone-2", "zone-3", "line-3" };
  const gchar *texts[] = { "10,10 30,10 30,30 10,30",
    "1,1 2,1 2,2 / 5,5 6,5 6,6", "1,1 2,2"
  };

  for (guint i = 0; i < 3; i++) {
    const GValue *value = gst_value_array_get_value (gst_structure_get_value
        (counts, i < 2 ? "zones" : "lines"), i < 2 ? i : 0);
    const GstStructure *zone = gst_value_get_structure (value);

    fail_unless_equals_string (gst_structure_get_string (zone, "name"),
        names[i]);
    fail_unless_equals_string (gst_structure_get_string (zone, "points"),
        texts[i]);
  }
  fail_unless_equals_uint64 (number_of (counts, "inside"), 1);
}

/* Files */

#define FEATURE(name, geometry) "{\"type\":\"Feature\",\"properties\":{" \
    "\"name\":\"" name "\"},\"geometry\":" geometry "}"
#define FILE_OF(features) \
    "{\"type\":\"FeatureCollection\",\"features\":[" features "]}"
#define POLYGON "{\"type\":\"Polygon\",\"coordinates\":[[[10,10],[30,10]," \
    "[30,30],[10,30],[10,10]],[[18,18],[22,18],[22,22],[18,22],[18,18]]]}"

static gchar *
write_file (const gchar * text)
{
  gchar *path = NULL;
  const gint fd = g_file_open_tmp ("zones-XXXXXX.geojson", &path, NULL);

  fail_unless (fd >= 0 && g_close (fd, NULL));
  fail_unless (g_file_set_contents (path, text, -1, NULL));
  return path;
}

TEST (a_file_of_geojson_is_read)
{
  g_autofree gchar *path = write_file (FILE_OF (FEATURE ("gate",
              "{\"type\":\"LineString\",\"coordinates\":[[40,0],[40,48]]}") ","
          FEATURE ("ring", POLYGON) ","
          FEATURE ("two", "{\"type\":\"MultiPolygon\",\"coordinates\":[[[[0,0],"
              "[1,0],[1,1]]],[[[50,40],[60,40],[60,47]]]]}")));
  g_autofree gchar *settings = g_strdup_printf ("zones-location=%s", path);
  g_autoptr (GstHarness) h = make_harness (settings);

  fail_unless_equals_uint64 (push_and_get (h, make_frame (0, 20, 20),
          "inside"), 0);
  fail_unless_equals_uint64 (push_and_get (h, make_frame (1, 12, 20),
          "inside"), 1);
  g_autoptr (GstBuffer) buffer = gst_harness_push_and_pull (h, make_frame (2,
          58, 42));
  const GstShapeAnnotation *annotation =
      gst_shape_set_get_annotations (gst_buffer_get_shape_set (buffer), 0,
      NULL);
  fail_unless_equals_int (annotation->region_id, 1);
  g_remove (path);
}

/* Frames come until what is in the file counts, or for ten seconds. */
static void
push_until (GstHarness * h, guint64 n)
{
  const gint64 end = g_get_monotonic_time () + 10 * G_USEC_PER_SEC;

  while (push_and_get (h, make_frame (0, 20, 20), "inside") != n)
    fail_unless (g_get_monotonic_time () < end);
}

TEST (a_file_that_changes_is_read_again)
{
  g_autofree gchar *path = write_file (FILE_OF (FEATURE ("a", POLYGON)));
  g_autofree gchar *settings = g_strdup_printf ("zones-location=%s", path);
  g_autoptr (GstHarness) h = make_harness (settings);
  g_autoptr (GstBus) bus = take_bus (h, "shapezones");
  const gint64 end = g_get_monotonic_time () + 10 * G_USEC_PER_SEC;

  push_until (h, 0);
  fail_unless (g_file_set_contents (path, FILE_OF (FEATURE ("a", "{\"type\":"
                  "\"Polygon\",\"coordinates\":[[[0,0],[60,40],[0,40]]]}")), -1,
          NULL));
  push_until (h, 1);
  fail_unless_equals_int (count_told (bus, ""), 0);
  /* what cannot be is told once, and what was there stays */
  fail_unless (g_file_set_contents (path, "{", -1, NULL));
  while (!gst_bus_have_pending (bus)) {
    push_until (h, 1);
    fail_unless (g_get_monotonic_time () < end);
  }
  fail_unless_equals_int (count_told (bus, "The zones stay as they were: "), 1);
  fail_unless_equals_int (g_remove (path), 0);
  while (!gst_bus_have_pending (bus)) {
    push_until (h, 1);
    fail_unless (g_get_monotonic_time () < end + 10 * G_USEC_PER_SEC);
  }
  fail_unless_equals_int (count_told (bus, path), 1);
}

/* Streams */

TEST (flushes_lose_the_tracks)
{
  g_autoptr (GstHarness) h = make_harness ("zones=\"" SQUARE "\"");

  fail_unless_equals_uint64 (push_and_get (h, make_frame (0, 20, 20), "lost"),
      0);
  gst_harness_push_event (h, gst_event_new_flush_start ());
  gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
  GstSegment segment;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  g_autoptr (GstBuffer) buffer = gst_harness_push_and_pull (h, make_frame (0,
          20, 20));
  fail_unless_equals_uint64 (number_of (find_counts (buffer), "lost"), 1);
  fail_unless_equals_uint64 (number_of (find_counts (buffer), "appeared"), 2);
  fail_unless_equals_uint64 (number_of (find_counts (buffer), "inside"), 1);
}

/* Pixels of another frame are other places; fractions of it are the same. */
TEST (another_size_loses_the_tracks_and_keeps_the_counts)
{
  g_autoptr (GstHarness) h = make_harness ("relative=true "
      "zones=\"a: .1,.1 .9,.1 .9,.9 .1,.9\"");

  push_and_get (h, make_frame (0, 20, 20), "lost");
  gst_harness_set_src_caps_str (h,
      "video/x-raw,format=GRAY8,width=128,height=96,framerate=25/1");
  g_autoptr (GstBuffer) buffer = gst_harness_push_and_pull (h, make_frame (1,
          20, 20));
  fail_unless_equals_uint64 (number_of (find_counts (buffer), "lost"), 1);
  fail_unless_equals_uint64 (number_of (find_counts (buffer), "appeared"), 2);
}

TEST (frames_that_are_missing_are_counted)
{
  const guint numbers[] = { 0, 1, 4, 5, 15 };
  const guint64 missing[] = { 0, 0, 2, 2, 11 };
  g_autoptr (GstHarness) h = make_harness ("zones=\"" SQUARE "\"");

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    GstBuffer *frame = make_frame (numbers[i], 20, 20);
    guint64 n;

    /* cameras' clocks jitter */
    GST_BUFFER_PTS (frame) += i % 2 * 3 * GST_MSECOND;
    g_autoptr (GstBuffer) buffer = gst_harness_push_and_pull (h, frame);
    fail_unless (gst_structure_get_uint64 (find_counts (buffer),
            "frames-missing", &n));
    fail_unless_equals_uint64 (n, missing[i]);
  }
}

/* A restart begins from nothing. */
TEST (stopping_forgets_the_counts)
{
  g_autoptr (GstHarness) h = make_harness ("zones=\"" SQUARE "\"");

  fail_unless_equals_uint64 (push_and_get (h, make_frame (0, 20, 20),
          "appeared"), 1);
  gst_element_set_state (h->element, GST_STATE_NULL);
  gst_element_set_state (h->element, GST_STATE_PLAYING);
  gst_harness_set_src_caps_str (h, CAPS);
  fail_unless_equals_uint64 (push_and_get (h, make_frame (0, 50, 20),
          "appeared"), 0);
}

/* A gap without shapes is no frame. */
TEST (gaps_pass)
{
  g_autoptr (GstHarness) h = make_harness ("zones=\"" SQUARE "\" max-unseen=0");
  GstBuffer *gap = gst_buffer_new ();

  push_and_get (h, make_frame (0, 20, 20), "lost");
  GST_BUFFER_FLAG_SET (gap, GST_BUFFER_FLAG_GAP);
  gst_buffer_unref (gst_harness_push_and_pull (h, gap));
  fail_unless_equals_uint64 (push_and_get (h, make_frame (1, 20, 20), "lost"),
      0);
}

/* Messages */

TEST (messages_tell_what_happened_and_the_end)
{
  const gfloat places[] = { 5, 8, 12, 14, 16, 50 };
  g_autoptr (GstHarness) h = make_harness ("zones=\"" SQUARE "\" "
      "post-messages=true");
  g_autoptr (GstBus) bus = take_bus (h, "shapezones");
  GstMessage *message;
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    push_and_get (h, make_frame (i, places[i], 20), "inside");
  gst_harness_push_event (h, gst_event_new_eos ());
  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT))) {
    const guint64 times[] = { 2 * 40 * GST_MSECOND, 5 * 40 * GST_MSECOND };
    const GstStructure *told = gst_message_get_structure (message);
    guint64 time;

    fail_unless (gst_structure_has_name (told, "shapezones"));
    fail_unless_equals_int (gst_structure_has_field (told, "events"), n < 2);
    fail_unless_equals_int (gst_structure_get_uint64 (told, "stream-time",
            &time), n < 2);
    if (n < 2)
      fail_unless_equals_uint64 (time, times[n]);
    fail_unless_equals_uint64 (number_of (told, "entered"), 1);
    fail_unless_equals_uint64 (number_of (told, "left"), n > 0);
    gst_message_unref (message);
    n++;
  }
  fail_unless_equals_int (n, 3);
}

TEST (what_cannot_count_is_told_once)
{
  static const struct
  {
    const gchar *settings, *warning;
    gboolean has_shapes;
  } cases[] = {
    {"", "There are no zones", TRUE},
    {"zones=\"" SQUARE "\"", "carry neither shapes nor detected", FALSE},
    {"zones=\"far: 100,0 120,0 120,9\"", "\"far\" lies outside of the frame "
          "of 64 x 48 pixels", TRUE},
    {"relative=true zones=\"" SQUARE "\"", "corners are from 0 to 1", TRUE},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GstHarness) h = make_harness (cases[i].settings);
    g_autoptr (GstBus) bus = take_bus (h, "shapezones");

    for (guint k = 0; k < 3; k++)
      gst_buffer_unref (gst_harness_push_and_pull (h, cases[i].has_shapes ?
              make_frame (k, 20, 20) : gst_buffer_new ()));
    fail_unless_equals_int (count_told (bus, cases[i].warning), 1);
  }
}

/* Drawings */

/* The frame with what is drawn on it, 64 x 48 pixels of RGBA */
static GstBuffer *
draw (const gchar * zones, const gchar * overlay, gboolean has_shapes)
{
  g_autofree gchar *line = g_strdup_printf ("shapezones %s ! shapeoverlay "
      "backend=cpu draw-contours=false antialias=false %s", zones, overlay);
  g_autoptr (GstHarness) h = gst_harness_new_parse (line);
  GstBuffer *frame = has_shapes ? make_frame (0, 20, 20) : gst_buffer_new ();

  gst_harness_set_src_caps_str (h,
      "video/x-raw,format=RGBA,width=64,height=48,framerate=25/1");
  gst_buffer_replace_all_memory (frame, gst_allocator_alloc (NULL, 4 * 64 * 48,
          NULL));
  gst_buffer_memset (frame, 0, 0, 4 * 64 * 48);
  return gst_harness_push_and_pull (h, frame);
}

static guint32
pixel_of (GstBuffer * buffer, guint x, guint y)
{
  guint8 pixel[4] = { 0 };

  gst_buffer_extract (buffer, 4 * (64 * y + x), pixel, 4);
  return (guint32) (pixel[0] << 16 | pixel[1] << 8 | pixel[2]);
}

#define FRAME_ZONE "zones=\"a: 10,16 50,16 50,40 10,40\" "
#define COLORS "color-names=\"#ff0000,#00ff00\" "

TEST (zones_are_drawn_with_their_counts)
{
  for (guint has_shapes = 0; has_shapes < 2; has_shapes++) {
    g_autoptr (GstBuffer) frame = draw (FRAME_ZONE "lines=\"m: 60,46 60,2\"",
        COLORS "line-width=2", has_shapes);
    guint n = 0;

    fail_unless_equals_int (pixel_of (frame, 30, 40), 0xff0000);
    fail_unless_equals_int (pixel_of (frame, 10, 36), 0xff0000);
    fail_unless_equals_int (pixel_of (frame, 30, 30), 0);
    fail_unless_equals_int (pixel_of (frame, 60, 44), 0x00ff00);
    /* a label above the zone */
    for (guint x = 0; x < 64; x++)
      n += pixel_of (frame, x, 8) != 0;
    fail_unless (n > 20, "%u", n);
  }
}

TEST (an_arrow_points_forward)
{
  g_autoptr (GstBuffer) up = draw ("lines=\"m: 30,46 30,2\"", COLORS
      "line-width=1", TRUE);
  g_autoptr (GstBuffer) down = draw ("lines=\"m: 30,2 30,46\"", COLORS
      "line-width=1", TRUE);

  fail_unless_equals_int (pixel_of (up, 34, 24), 0xff0000);
  fail_unless_equals_int (pixel_of (up, 26, 24), 0);
  fail_unless_equals_int (pixel_of (down, 26, 24), 0xff0000);
  fail_unless_equals_int (pixel_of (down, 34, 24), 0);
}

TEST (zones_need_not_be_drawn)
{
  g_autoptr (GstBuffer) frame = draw (FRAME_ZONE, COLORS "draw-zones=false",
      TRUE);

  for (guint i = 0; i < 64 * 48; i++)
    fail_unless_equals_int (pixel_of (frame, i % 64, i / 64), 0);
}

SUITE (shapezones) {}
