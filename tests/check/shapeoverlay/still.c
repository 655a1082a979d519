/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frames that repeat a set: it is collected once, and again whenever something
 * that it depends on changes. The picture is always that of an element that
 * draws for the first time. To tell whether a set has been read again, its points
 * are moved behind the element's back, which nobody else may do. */

#include <gst/video/video.h>

#include <string.h>

#include "../lib/streams.h"
#include "shapes/gstshapes.h"

#define WIDTH 120
#define HEIGHT 90
#define CAPS(width) "video/x-raw,format=GRAY8,width=" #width ",height=90," \
    "framerate=30/1"
#define LINE "shapeoverlay backend=cpu color-mode=fixed color-name=white " \
    "fill-opacity=0.4 label={id} legend=bottom-right "

static GstShapeSet *
make_set (gfloat x)
{
  gchar *json = g_strdup_printf ("{\"version\":1,\"width\":%d,\"height\":%d,"
      "\"shapes\":[{\"id\":7,\"kind\":\"contour\",\"closed\":true,"
      "\"points\":[[%g,20],[%g,20],[%g,50],[%g,50],[%g,20]]}]}", WIDTH, HEIGHT,
      x, x + 30, x + 30, x, x);
  GstShapeSet *set = gst_shape_set_from_json (json, NULL);

  fail_unless (set != NULL, "%s", json);
  g_free (json);
  return set;
}

/* Moves what is immutable. */
static void
move (GstShapeSet * set, gfloat by)
{
  const GstShapeArrays *arrays =
      gst_shape_layer_map_host (gst_shape_set_get_layer (set, 0), NULL);

  for (gsize i = 0; i < arrays->n_points; i++)
    ((GstShapePoint *) arrays->points)[i].x += by;
}

static GstBuffer *
push (GstHarness * h, GstShapeSet * set, guint width, gboolean region)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, width * HEIGHT, NULL);

  gst_buffer_memset (buffer, 0, 30, width * HEIGHT);
  if (set)
    gst_buffer_add_shape_meta (buffer, set);
  if (region)
    gst_buffer_add_video_region_of_interest_meta (buffer, "fruit", 10, 60, 90,
        20);
  return gst_harness_push_and_pull (h, buffer);
}

static GstHarness *
start (const gchar * properties, const gchar * caps)
{
  g_autofree gchar *line = g_strconcat (LINE, properties, NULL);
  GstHarness *h = gst_harness_new_parse (line);

  gst_harness_set_src_caps_str (h, caps);
  return h;
}

/* @buffer is what an element draws that has not seen anything else. */
static void
assert_fresh_of (guint width, const gchar * caps, GstBuffer * buffer,
    GstShapeSet * set, const gchar * properties, gboolean region)
{
  g_autoptr (GstHarness) h = start (properties, caps);
  g_autoptr (GstBuffer) fresh = push (h, set, width, region);

  fail_unless (same_bytes (buffer, fresh), "%s", properties);
}

static void
assert_fresh (GstBuffer * buffer, GstShapeSet * set, const gchar * properties,
    gboolean region)
{
  assert_fresh_of (WIDTH, CAPS (120), buffer, set, properties, region);
}

TEST (a_set_is_collected_once)
{
  g_autoptr (GstHarness) h = start ("", CAPS (120));
  g_autoptr (GstShapeSet) set = make_set (20);
  g_autoptr (GstBuffer) first = push (h, set, WIDTH, FALSE);

  assert_fresh (first, set, "", FALSE);
  move (set, 25);
  g_autoptr (GstBuffer) again = push (h, set, WIDTH, FALSE);
  fail_unless (same_bytes (first, again), "it was read again");

  GstBuffer *other = push (h, NULL, WIDTH, FALSE);
  fail_if (same_bytes (first, other), "drawn without a set");
  gst_buffer_unref (other);
  gst_buffer_unref (again);

  /* back from a frame without shapes */
  again = push (h, set, WIDTH, FALSE);
  fail_if (same_bytes (first, again));
  assert_fresh (again, set, "", FALSE);
}

TEST (another_set_is_drawn)
{
  g_autoptr (GstHarness) h = start ("", CAPS (120));

  for (guint i = 0; i < 8; i++) {
    /* likely where the last one was */
    g_autoptr (GstShapeSet) set = make_set (5 + 10 * (i % 3));
    g_autoptr (GstBuffer) buffer = push (h, set, WIDTH, FALSE);

    assert_fresh (buffer, set, "", FALSE);
  }
}

TEST (properties_count_at_once)
{
  static const gchar *const values[][2] = {
    {"line-width", "5"}, {"opacity", "0.5"}, {"color-name", "gray"},
    {"fill-opacity", "0.9"}, {"draw-points", "true"}, {"casing", "2"},
    {"font-size", "20"}, {"label", "a {id}"}, {"legend", "top-left"},
    {"color-mode", "class"}, {"colors", "<0xff808080,0xff404040>"},
    {"draw-contours", "false"},
  };
  g_autoptr (GstShapeSet) set = make_set (20);
  g_autoptr (GString) properties = g_string_new (NULL);
  g_autoptr (GstHarness) h = start ("", CAPS (120));
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (h->element),
      "shapeoverlay0");

  if (!element)
    element = gst_object_ref (GST_BIN_CHILDREN (h->element)->data);
  gst_buffer_unref (push (h, set, WIDTH, FALSE));
  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    gst_util_set_object_arg (G_OBJECT (element), values[i][0], values[i][1]);
    g_string_append_printf (properties, " %s=\"%s\"", values[i][0],
        values[i][1]);
    g_autoptr (GstBuffer) buffer = push (h, set, WIDTH, FALSE);
    assert_fresh (buffer, set, properties->str, FALSE);
  }
}

TEST (regions_are_each_frame_s_own)
{
  const gchar *properties = "draw-roi=true";
  g_autoptr (GstHarness) h = start (properties, CAPS (120));
  g_autoptr (GstShapeSet) set = make_set (20);

  for (guint i = 0; i < 6; i++) {
    const gboolean region = i % 3 == 1;
    g_autoptr (GstBuffer) buffer = push (h, set, WIDTH, region);

    assert_fresh (buffer, set, properties, region);
  }
}

TEST (frames_of_another_size_are_drawn_anew)
{
  g_autoptr (GstHarness) h = start ("", CAPS (120));
  g_autoptr (GstShapeSet) set = make_set (20);
  g_autoptr (GstBuffer) buffer = push (h, set, WIDTH, FALSE);

  gst_buffer_unref (buffer);
  gst_harness_set_src_caps_str (h, CAPS (240));
  buffer = push (h, set, 240, FALSE);
  assert_fresh_of (240, CAPS (240), buffer, set, "", FALSE);
  gst_buffer_unref (buffer);
  gst_harness_set_src_caps_str (h, CAPS (120));
  buffer = push (h, set, WIDTH, FALSE);
  assert_fresh (buffer, set, "", FALSE);
}

SUITE (still) {}
