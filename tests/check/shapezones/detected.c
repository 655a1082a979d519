/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* shapezones and detected objects, where GStreamer has metadata for them. */

#include <gst/analytics/analytics.h>

#include "../lib/harness.h"
#include "../lib/messages.h"
#include "../lib/suite.h"

#define CAPS "video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1"
#define ZONE "zones=\"a: 10,10 30,10 30,30 10,30\" hysteresis=0 "

/* A box of 4 x 6 pixels from (x, y) on. @track: -1 for none */
static void
add_object (GstBuffer * frame, const gchar * type, gint x, gint y, gint track)
{
  GstAnalyticsRelationMeta *meta =
      gst_buffer_get_analytics_relation_meta (frame);
  GstAnalyticsMtd object, tracking;

  if (!meta)
    meta = gst_buffer_add_analytics_relation_meta (frame);
  fail_unless (gst_analytics_relation_meta_add_od_mtd (meta,
          g_quark_from_string (type), x, y, 4, 6, .5, &object));
  fail_unless (track < 0
      || (gst_analytics_relation_meta_add_tracking_mtd (meta, track, 0,
              &tracking)
          && gst_analytics_relation_meta_set_relation (meta,
              GST_ANALYTICS_REL_TYPE_RELATE_TO, object.id, tracking.id)));
}

static GstHarness *
make_harness (const gchar * settings)
{
  g_autofree gchar *line = g_strdup_printf ("shapezones " ZONE "%s", settings);
  GstHarness *h = gst_harness_new_parse (line);

  gst_harness_set_src_caps_str (h, CAPS);
  return h;
}

/* Of the zone, or with @class of that class of it */
static guint64
number_of (GstBuffer * frame, const gchar * class, const gchar * name)
{
  const GstStructure *counts = gst_custom_meta_get_structure
      (gst_buffer_get_custom_meta (frame, "shapezones"));
  const GstStructure *zone = gst_value_get_structure (gst_value_array_get_value
      (gst_structure_get_value (counts, "zones"), 0));
  const GValue *classes = gst_structure_get_value (zone, "classes");
  guint64 number = 0;

  if (!class)
    gst_structure_get_uint64 (zone, name, &number);
  for (guint i = 0; class && i < gst_value_array_get_size (classes); i++) {
    const GstStructure *of = gst_value_get_structure (gst_value_array_get_value
        (classes, i));

    fail_if (gst_structure_has_field (of, "class"));
    if (g_strcmp0 (gst_structure_get_string (of, "class-name"), class) == 0)
      gst_structure_get_uint64 (of, name, &number);
  }
  return number;
}

TEST (objects_are_counted_by_type_and_track)
{
  g_autoptr (GstHarness) h = make_harness ("");
  const gint places[] = { 2, 6, 12, 20, 40 };
  GstBuffer *frame = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
    g_clear_pointer (&frame, gst_buffer_unref);
    frame = gst_buffer_new ();
    GST_BUFFER_PTS (frame) = i * 40 * GST_MSECOND;
    add_object (frame, "person", places[i], 18, 5);
    add_object (frame, "car", 20, 20, 6);
    frame = gst_harness_push_and_pull (h, frame);
    fail_unless_equals_uint64 (number_of (frame, NULL, "inside"),
        1 + (i == 2 || i == 3));
  }
  fail_unless_equals_uint64 (number_of (frame, "person", "entered"), 1);
  fail_unless_equals_uint64 (number_of (frame, "person", "left"), 1);
  fail_unless_equals_uint64 (number_of (frame, "car", "appeared"), 1);
  fail_unless_equals_uint64 (number_of (frame, "car", "inside"), 1);
  fail_unless_equals_uint64 (number_of (frame, NULL, "max-dwell"),
      2 * 40 * GST_MSECOND);
  gst_buffer_unref (frame);
}

/* Pixels' edges are half a pixel from their centres: the box of the columns 8
 * to 11 ends at 11.5, and its middle is 9.5. */
TEST (anchors_of_boxes_are_in_pixels)
{
  static const struct
  {
    const gchar *anchor;
    gint x, y;
    guint64 inside;
  } cases[] = {
    {"centroid", 8, 18, 0}, {"centroid", 9, 18, 1}, {"center", 8, 18, 0},
    {"any", 6, 18, 0}, {"any", 7, 18, 1}, {"bottom", 15, 4, 0},
    {"bottom", 15, 5, 1}, {"bottom", 15, 24, 1}, {"bottom", 15, 25, 0},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *settings = g_strdup_printf ("anchor=%s", cases[i].anchor);
    g_autoptr (GstHarness) h = make_harness (settings);
    GstBuffer *frame = gst_buffer_new ();

    add_object (frame, "person", cases[i].x, cases[i].y, 1);
    frame = gst_harness_push_and_pull (h, frame);
    fail_unless (number_of (frame, NULL, "inside") == cases[i].inside,
        "case %u", i);
    gst_buffer_unref (frame);
  }
}

TEST (without_tracks_they_overlap_or_are_only_inside)
{
  for (guint overlap = 0; overlap < 2; overlap++) {
    g_autoptr (GstHarness) h = make_harness (overlap ? "tracks=overlap" : "");
    g_autoptr (GstBus) bus = take_bus (h, "shapezones");
    GstBuffer *frame = NULL;

    for (guint i = 0; i < 12; i++) {
      g_clear_pointer (&frame, gst_buffer_unref);
      frame = gst_buffer_new ();
      add_object (frame, "person", 2 * i, 18, -1);
      frame = gst_harness_push_and_pull (h, frame);
    }
    fail_unless_equals_uint64 (number_of (frame, NULL, "inside"), 1);
    fail_unless_equals_uint64 (number_of (frame, NULL, "entered"), overlap);
    fail_unless_equals_int (count_told (bus, "tracks=overlap"), !overlap);
    gst_buffer_unref (frame);
  }
}

SUITE (detected) {}
