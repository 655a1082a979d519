/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Iso-bands of cudacontours. */

#include <glib/gstdio.h>

#include "contours_test.h"

static const GstShapePolyline *
records_of (GstShapeSet * set, guint n)
{
  gsize found;
  const GstShapePolyline *records = gst_shape_set_get_polylines (set, 0,
      &found);

  fail_unless_equals_int (found, n);
  return records;
}

/* Of all rings of @level and @class_id; holes are negative. */
static gdouble
area_of (GstShapeSet * set, guint class_id, gdouble level)
{
  gsize n;
  const GstShapePolyline *records = gst_shape_set_get_polylines (set, 0, &n);
  gdouble area = 0;

  for (gsize i = 0; i < n; i++)
    if (records[i].class_id == (gint32) class_id && records[i].level == level)
      area += records[i].area;
  return area;
}

TEST (a_peak_is_a_hole_below_and_a_polygon_above)
{
  GstShapeSet *set = contours_of ("bands=true level-unit=sample levels=-1,96,200",
      VIDEO ("GRAY8", 4, 3), buffer_of ("\0\0\0\0\0\300\0\0\0\0\0", 12));
  const GstShapePolyline *records = records_of (set, 3);
  const GstShapePoint *points = gst_shape_set_get_points (set, 0, NULL);

  fail_unless_equals_int (records[0].flags, GST_SHAPE_FLAG_CLOSED);
  fail_unless_equals_int (records[0].parent, -1);
  fail_unless_equals_float (records[0].level, -1);
  fail_unless_equals_float (records[0].area, 6);
  fail_unless_equals_int (records[1].flags,
      GST_SHAPE_FLAG_CLOSED | GST_SHAPE_FLAG_HOLE);
  fail_unless_equals_int (records[1].parent, records[0].id);
  fail_unless_equals_float (records[1].area, -.5);
  fail_unless_equals_int (records[2].flags, GST_SHAPE_FLAG_CLOSED);
  fail_unless_equals_int (records[2].parent, -1);
  fail_unless_equals_float (records[2].level, 96);
  fail_unless_equals_float (records[2].area, .5);
  fail_unless_equals_float (records[2].perimeter, 4 * sqrt (.5));
  /* clockwise from the upper left corner */
  fail_unless (points[0].x == 0 && points[0].y == 0);
  fail_unless (points[1].x == 3 && points[1].y == 0);
  fail_unless (points[2].x == 3 && points[2].y == 2);
  gst_shape_set_unref (set);
}

TEST (bands_tile_the_picture_in_every_order_of_levels)
{
  const gchar *orders[] = {
    "bands=true level-unit=sample levels=-1,20,85,200,255",
    "bands=true level-unit=sample levels=255,85,-1,200,20",
    "bands=true levels=1,0.333333333333333333,-0.00392156862745098,"
        "0.784313725490196,0.0784313725490196"
  };
  guint8 picture[HEIGHT][WIDTH];
  g_autoptr (GstShapeSet) first = NULL;

  draw (picture, 3);
  for (guint i = 0; i < G_N_ELEMENTS (orders); i++) {
    g_autoptr (GstShapeSet) set = gray8_contours (orders[i], picture);

    if (i == 0) {
      first = gst_shape_set_ref (set);
      gdouble area = area_of (set, 0, -1) + area_of (set, 0, 20) +
          area_of (set, 0, 85) + area_of (set, 0, 200);
      fail_unless (fabs (area - (WIDTH - 1) * (HEIGHT - 1)) < 1e-3, "%g", area);
    }
    assert_same_layer (set, 0, first, 0, orders[i]);
  }
}

TEST (bands_end_at_the_region_and_at_masks)
{
  guint8 picture[HEIGHT][WIDTH] = { {0,} };
  g_autoptr (GstShapeSet) set =
      gray8_contours ("bands=true levels=-1,1 roi=3,4,6,5", picture);
  const GstShapePolyline *record = records_of (set, 1);

  fail_unless_equals_float (record->bbox_x0, 3);
  fail_unless_equals_float (record->bbox_y0, 4);
  fail_unless_equals_float (record->bbox_x1, 8);
  fail_unless_equals_float (record->bbox_y1, 8);
  fail_unless_equals_float (record->area, 20);
  gst_shape_set_unref (set);
  /* without alpha in the middle there are no cells around it */
  set = contours_of ("bands=true levels=-1,1 mask-alpha=true",
      VIDEO ("RGBA", 4, 4),
      buffer_of ("\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1"
          "\1\1\1\1\1\1\1\0\1\1\1\1\1\1\1\1"
          "\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1"
          "\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1", 64));
  record = records_of (set, 1);
  fail_unless_equals_float (record->area, 5);
}

#define TENSOR(channels, width, height) \
  "other/tensors,format=static,num_tensors=1,types=float32,dimensions=" \
  #channels ":" #width ":" #height ":1,framerate=0/1"

TEST (all_levels_apply_to_each_class)
{
  /* two classes: a ramp, and the same the other way round */
  const gfloat samples[] = { 0, 3, 1, 2, 2, 1, 3, 0, 0, 3, 1, 2, 2, 1, 3, 0 };
  GstShapeSet *set = contours_of ("layout=hwc bands=true levels=2.5,0.5,1",
      TENSOR (2, 4, 2), buffer_of (samples, sizeof (samples)));
  const GstShapePolyline *records = records_of (set, 4);

  for (guint i = 0; i < 4; i++) {
    fail_unless_equals_int (records[i].class_id, i / 2);
    fail_unless_equals_float (records[i].level, i % 2 ? 1 : .5);
    fail_unless_equals_float (records[i].area, i % 2 ? 1.5 : .5);
  }
  gst_shape_set_unref (set);
}

TEST (filters_take_holes_with_their_ring)
{
  const gchar *properties =
      "bands=true level-unit=sample levels=-1,96,200 min-area=%g max-area=%g";
  const struct
  {
    gdouble low, high;
    guint n;
  } cases[] = { {0, 7, 3}, {1, 7, 1}, {0, 5, 1}, {0, .1, 0} };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *line = g_strdup_printf (properties, cases[i].low, cases[i].high);
    g_autoptr (GstShapeSet) set = contours_of (line, VIDEO ("GRAY8", 4, 3),
        buffer_of ("\0\0\0\0\0\300\0\0\0\0\0", 12));

    fail_unless_equals_int (n_contours (set), cases[i].n);
    g_free (line);
  }
}

static void
assert_error (const gchar * properties, const gchar * what)
{
  g_autoptr (GstHarness) h = contours_new (properties);
  g_autoptr (GstBus) bus = take_bus (h, "cudacontours");

  gst_harness_set_src_caps_str (h, VIDEO ("GRAY8", 4, 3));
  gst_harness_push (h, buffer_of ("\0\0\0\0\0\300\0\0\0\0\0", 12));
  assert_message (bus, GST_MESSAGE_ERROR, what);
}

TEST (levels_that_make_no_bands_are_errors)
{
  assert_error ("bands=true", "between two levels");
  assert_error ("bands=true levels=0.5", "between two levels");
  assert_error ("bands=true levels=0.5,0.25,0.5", "has 0.5 twice");
  assert_error ("bands=true levels=0.25,0.5 auto-level=true",
      "unset auto-level");
  assert_error ("bands=true levels=0.25,nan", "levels");
}

TEST (bands_come_and_go_while_playing)
{
  g_autoptr (GstHarness) h = contours_new ("levels=0.25,0.75");

  gst_harness_set_src_caps_str (h, VIDEO ("GRAY8", 4, 3));
  for (guint i = 0; i < 6; i++) {
    gst_harness_set (h, "cudacontours", "bands", i % 2 == 1, NULL);
    if (i > 2)
      gst_harness_set (h, "cudacontours", "levels", "0.25,0.5,0.75", NULL);
    GstBuffer *buffer = run (h, buffer_of ("\0\0\0\0\0\377\0\0\0\0\0", 12));
    /* contours at each level; a ring for each band but its hole */
    fail_unless_equals_int (n_contours (gst_buffer_get_shape_set (buffer)),
        i % 2 == 0 ? (i > 2 ? 3 : 2) : (i > 2 ? 4 : 2));
    gst_buffer_unref (buffer);
  }
}

/* What a picture's shapes come to as text. */
static gchar *
encode (const gchar * encoder)
{
  gchar *line = g_strdup_printf ("cudacontours backend=cpu bands=true "
      "level-unit=sample levels=-1,96,200 ! %s", encoder);
  g_autoptr (GstHarness) h = gst_harness_new_parse (line);
  GstMapInfo map;

  gst_harness_set_src_caps_str (h, VIDEO ("GRAY8", 4, 3));
  GstBuffer *buffer = run (h, buffer_of ("\0\0\0\0\0\300\0\0\0\0\0", 12));
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  gchar *text = g_strndup ((const gchar *) map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
  g_free (line);
  return text;
}

TEST (geojson_has_polygons_with_holes)
{
  g_autofree gchar *text = encode ("shapegeojsonenc");

  fail_unless (strstr (text, "\"type\":\"Polygon\",\"coordinates\":["
          "[[0,0],[3,0],[3,2],[0,2],[0,0]],"
          "[[1,0.5],[0.5,1],[1,1.5],[1.5,1],[1,0.5]]]") != NULL, "%s", text);
  fail_unless (strstr (text, "\"type\":\"Polygon\",\"coordinates\":["
          "[[1,0.5],[1.5,1],[1,1.5],[0.5,1],[1,0.5]]]") != NULL, "%s", text);
}

TEST (json_has_levels_and_parents)
{
  g_autofree gchar *text = encode ("shapejsonenc");

  fail_unless (strstr (text, "\"id\":1,\"kind\":\"contour\",\"class\":0,"
          "\"level\":-1,\"closed\":true,\"hole\":true,\"parent\":0") != NULL,
      "%s", text);
}

TEST (bands_have_names_regions_and_millimetres)
{
  g_autofree gchar *path = g_strdup_printf ("%s/bands-labels-%u.txt",
      g_get_tmp_dir (), g_random_int ());
  g_autofree gchar *properties = g_strdup_printf ("bands=true levels=-1,1 "
      "labels-location=%s pixel-size=0.5,0.25 roi=\"0,0,5,4;5,4,7,6\"", path);
  guint8 picture[HEIGHT][WIDTH] = { {0,} };

  fail_unless (g_file_set_contents (path, "skin", -1, NULL));
  g_autoptr (GstShapeSet) set = gray8_contours (properties, picture);
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 2);
  for (guint i = 0; i < 2; i++) {
    /* a rectangle between pixel centres: 4 x 3 and 6 x 5 pixels */
    const gdouble area = i ? 30 : 12;
    const gdouble around = i ? 6 * .5 + 5 * .25 : 4 * .5 + 3 * .25;
    GstShapeMetric metric;
    gsize n;

    fail_unless_equals_int (gst_shape_set_get_annotations (set, i,
            &n)[0].region_id, i);
    fail_unless_equals_int (n, 1);
    fail_unless_equals_string (gst_shape_layer_get_class_name
        (gst_shape_set_get_layer (set, i), 0), "skin");
    fail_unless (gst_shape_set_get_metric (set, i, 0, &metric));
    fail_unless_equals_float (metric.area, area / 8);
    fail_unless_equals_float (metric.perimeter, 2 * around);
  }
  g_remove (path);
}

SUITE (bands) {}
