/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Hulls of contours. */

#include "hull_test.h"

#include <math.h>

TEST (a_contour_has_its_hull)
{
  GstShapeSet *set = hulls_of ("", GRAY_CAPS, dented_buffer (1, NULL));
  gsize n;

  fail_unless_equals_int (gst_shape_set_get_width (set), 16);
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 2);
  ASSERT_POINTS (set, 0, 0, dented);
  ASSERT_POINTS (set, 1, 0, dented_hull);
  const GstShapePolyline *hull = gst_shape_set_get_polylines (set, 1, &n);
  fail_unless_equals_int (n, 1);
  fail_unless_equals_int (hull->kind, GST_SHAPE_KIND_HULL);
  fail_unless_equals_int (hull->flags, GST_SHAPE_FLAG_CLOSED);
  fail_unless_equals_int (hull->id, 1);
  fail_unless_equals_int (hull->parent, 0);
  fail_unless_equals_float (hull->level, 7.5);
  fail_unless_equals_float (hull->area, 64);
  fail_unless_equals_float (hull->perimeter, 32);
  fail_unless_equals_float (hull->solidity, .75);
  fail_unless_equals_float (hull->centroid_x, 6);
  fail_unless_equals_float (hull->bbox_x1, 10);
  fail_unless (gst_shape_set_get_hull_measures (set, 1, NULL) == NULL);
  gst_shape_set_unref (set);
}

TEST (hulls_take_after_their_contours)
{
  const gint32 classes[] = { 3, 1, 3 }, images[] = { 2, 2, 5 };
  GstShapeSet *set = gst_shape_set_new (16, 16);
  GstBuffer *buffer = black ();
  gsize n;

  gst_shape_set_add_layer (set, dented_layer (3, 40, classes, images));
  gst_buffer_add_shape_meta (buffer, set);
  gst_shape_set_unref (set);
  g_autoptr (GstShapeSet) result = hulls_of ("", GRAY_CAPS, buffer);
  const GstShapePolyline *records = gst_shape_set_get_polylines (result, 1, &n);
  fail_unless_equals_int (n, 3);
  for (gsize i = 0; i < n; i++) {
    fail_unless_equals_int (records[i].id, 43 + i);
    fail_unless_equals_int (records[i].parent, 40 + i);
    fail_unless_equals_int (records[i].class_id, classes[i]);
    fail_unless_equals_int (records[i].image, images[i]);
  }
}

TEST (contours_of_a_class_can_share_a_hull)
{
  const gint32 classes[] = { 20, 1, 20 };
  const GstShapePoint shared[] = { {2, 2}, {50, 2}, {50, 10}, {2, 10}, {2, 2} };
  g_autoptr (GstShapeSet) set = hulls_of ("scope=per-class", GRAY_CAPS,
      dented_buffer (3, classes));
  gsize n;
  const GstShapePolyline *records = gst_shape_set_get_polylines (set, 1, &n);

  fail_unless_equals_int (n, 2);
  fail_unless_equals_int (records[0].class_id, 1);
  fail_unless_equals_int (records[1].class_id, 20);
  fail_unless_equals_int (records[1].parent, -1);
  fail_unless_equals_float (records[0].bbox_x0, 22);
  ASSERT_POINTS (set, 1, 1, shared);
}

TEST (all_contours_can_share_a_hull)
{
  const GstShapePoint shared[] = { {2, 2}, {50, 2}, {50, 10}, {2, 10}, {2, 2} };
  GstShapeSet *set = hulls_of ("scope=all", GRAY_CAPS, dented_buffer (3, NULL));
  gsize n;
  const GstShapePolyline *record = gst_shape_set_get_polylines (set, 1, &n);

  fail_unless_equals_int (n, 1);
  fail_unless_equals_int (record->parent, -1);
  fail_unless_equals_int (record->id, 3);
  ASSERT_POINTS (set, 1, 0, shared);
  gst_shape_set_unref (set);
}

TEST (shared_hulls_join_layers_but_not_images)
{
  const gint32 first[] = { 0, 4 }, second[] = { 4, 0 };

  for (guint i = 0; i < 2; i++) {
    GstShapeSet *set = gst_shape_set_new (16, 16), *result;
    GstBuffer *buffer = black ();

    gst_shape_set_add_layer (set, dented_layer (2, 0, NULL, first));
    gst_shape_set_add_layer (set, dented_layer (2, 2, NULL, second));
    gst_buffer_add_shape_meta (buffer, set);
    gst_shape_set_unref (set);
    result = hulls_of (i ? "scope=per-class" : "scope=all", GRAY_CAPS, buffer);
    fail_unless_equals_int (gst_shape_set_get_n_layers (result), 4);
    const GstShapePolyline *a = gst_shape_set_get_polylines (result, 2, NULL);
    const GstShapePolyline *b = gst_shape_set_get_polylines (result, 3, NULL);
    /* each has the first square of one layer and the second of the other */
    fail_unless_equals_int (a->image, 0);
    fail_unless_equals_int (b->image, 4);
    fail_unless_equals_int (a->id, 4);
    fail_unless_equals_int (b->id, 5);
    fail_unless_equals_float (a->area, 28 * 8);
    fail_unless_equals_float (b->area, 28 * 8);
    gst_shape_set_unref (result);
  }
}

TEST (every_layer_of_contours_has_one_of_hulls)
{
  GstShapeSet *set = gst_shape_set_new (16, 16);
  GstBuffer *buffer = black ();
  gsize n;

  gst_shape_set_add_layer (set, dented_layer (2, 0, NULL, NULL));
  gst_shape_set_add_layer (set, dented_layer (1, 2, NULL, NULL));
  gst_buffer_add_shape_meta (buffer, set);
  gst_shape_set_unref (set);
  g_autoptr (GstShapeSet) result = hulls_of ("", GRAY_CAPS, buffer);
  fail_unless_equals_int (gst_shape_set_get_n_layers (result), 4);
  const GstShapePolyline *records = gst_shape_set_get_polylines (result, 2, &n);
  fail_unless_equals_int (n, 2);
  fail_unless_equals_int (records[1].id, 4);
  records = gst_shape_set_get_polylines (result, 3, &n);
  fail_unless_equals_int (n, 1);
  fail_unless_equals_int (records[0].id, 5);
  fail_unless_equals_int (records[0].parent, 2);
}

/* Two dented squares in a layer of their own, the first of them a hull. */
static GstBuffer *
mixed_buffer (void)
{
  g_autoptr (GstShapeSet) set = gst_shape_set_new (16, 16);
  GstBuffer *buffer = black ();
  GstShapePolyline records[2];
  gsize n;

  gst_shape_set_add_layer (set, dented_layer (2, 0, NULL, NULL));
  memcpy (records, gst_shape_set_get_polylines (set, 0, &n), sizeof (records));
  records[0].kind = GST_SHAPE_KIND_HULL;
  g_autoptr (GstShapeSet) mixed = gst_shape_set_new (16, 16);
  gst_shape_set_add_layer (mixed,
      gst_shape_layer_new_polylines_copy (gst_shape_set_get_points (set, 0,
              NULL), 2 * G_N_ELEMENTS (dented), gst_shape_set_get_offsets (set,
              0, NULL), records, 2, NULL));
  gst_buffer_add_shape_meta (buffer, mixed);
  return buffer;
}

TEST (hulls_among_contours_are_left_alone)
{
  g_autoptr (GstShapeSet) set = hulls_of ("", GRAY_CAPS, mixed_buffer ());
  gsize n;
  const GstShapePolyline *record = gst_shape_set_get_polylines (set, 1, &n);

  fail_unless_equals_int (n, 1);
  fail_unless_equals_int (record->parent, 1);
  fail_unless_equals_float (record->bbox_x0, 22);
  gst_shape_set_unref (set);
  set = hulls_of ("scope=all", GRAY_CAPS, mixed_buffer ());
  fail_unless_equals_float (gst_shape_set_get_polylines (set, 1, &n)->area, 64);
  fail_unless_equals_int (n, 1);
}

TEST (two_hull_finders_in_a_row_find_the_same)
{
  g_autoptr (GstHarness) h = gst_harness_new_parse ("cudahull backend=cpu ! "
      "cudahull backend=cpu scope=all");

  gst_harness_set_src_caps_str (h, GRAY_CAPS);
  g_autoptr (GstBuffer) buffer = run (h, dented_buffer (1, NULL));
  GstShapeSet *set = gst_buffer_get_shape_set (buffer);
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 3);
  fail_unless_equals_int (n_hulls (set), 2);
  ASSERT_POINTS (set, 2, 0, dented_hull);
  const GstShapePolyline *record = gst_shape_set_get_polylines (set, 2, NULL);
  fail_unless_equals_int (record->id, 2);
}

TEST (points_on_edges_come_when_asked_for)
{
  const GstShapePoint points[] = { {0, 0}, {1, 0}, {1, 0}, {2, 0}, {2, 2},
  {1, 1}, {0, 2}, {0, 0}
  };
  const GstShapePoint strict[] = { {0, 0}, {2, 0}, {2, 2}, {0, 2}, {0, 0} };
  const GstShapePoint all[] = { {0, 0}, {1, 0}, {2, 0}, {2, 2}, {0, 2}, {0, 0}
  };
  const guint32 offsets[] = { 0, G_N_ELEMENTS (points) };
  const GstShapePolyline record = contour_record (0, 0, 0, 3);

  for (guint i = 0; i < 2; i++) {
    GstShapeSet *set = gst_shape_set_new (16, 16), *result;
    GstBuffer *buffer = black ();

    gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy (points,
            G_N_ELEMENTS (points), offsets, &record, 1, NULL));
    gst_buffer_add_shape_meta (buffer, set);
    gst_shape_set_unref (set);
    result = hulls_of (i ? "include-collinear=true" : "", GRAY_CAPS, buffer);
    if (i)
      ASSERT_POINTS (result, 1, 0, all);
    else
      ASSERT_POINTS (result, 1, 0, strict);
    gst_shape_set_unref (result);
  }
}

TEST (measures_are_what_was_asked)
{
  gsize n;
  g_autoptr (GstShapeSet) set = hulls_of ("measures=none", GRAY_CAPS,
      dented_buffer (1, NULL));
  const GstShapePolyline *record = gst_shape_set_get_polylines (set, 1, NULL);

  fail_unless_equals_float (record->area, 64);
  fail_unless (isnan (record->perimeter));
  fail_unless (isnan (record->centroid_x) && isnan (record->centroid_y));
  fail_unless (isnan (record->bbox_x0) && isnan (record->bbox_y1));
  fail_unless (isnan (record->solidity));
  gst_shape_set_unref (set);

  set = hulls_of ("measures=full", GRAY_CAPS, dented_buffer (2, NULL));
  fail_unless (gst_shape_set_get_hull_measures (set, 0, &n) == NULL);
  fail_unless_equals_int (n, 0);
  const GstShapeHullMeasures *m = gst_shape_set_get_hull_measures (set, 1, &n);
  fail_unless_equals_int (n, 2);
  assert_near (m->feret_max, 8 * M_SQRT2);
  assert_near (fabs (m->feret_max_ux), M_SQRT1_2);
  assert_near (m->feret_min, 8);
  assert_near (m->rect_x, 6);
  assert_near (m->rect_y, 6);
  assert_near (m->rect_width, 8);
  assert_near (m->rect_height, 8);
  assert_near (m->circle_x, 6);
  assert_near (m->circle_y, 6);
  assert_near (m->circle_r, 4 * M_SQRT2);
  assert_near (m[1].circle_x, 26);
}

/* Replacing */

TEST (contours_can_be_replaced)
{
  g_autoptr (GstShapeSet) set = hulls_of ("replace=true", GRAY_CAPS,
      dented_buffer (2, NULL));
  gsize n;

  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 1);
  fail_unless_equals_int (gst_shape_set_get_width (set), 16);
  ASSERT_POINTS (set, 0, 0, dented_hull);
  const GstShapePolyline *records = gst_shape_set_get_polylines (set, 0, &n);
  fail_unless_equals_int (n, 2);
  fail_unless_equals_int (records[0].kind, GST_SHAPE_KIND_HULL);
  fail_unless_equals_int (records[0].parent, -1);
  fail_unless_equals_float (records[0].solidity, .75);
}

TEST (only_contours_are_replaced)
{
  const GstShapeCircle circle = { 1, 2, 3, 0, 0xff0000ff, -1 };
  GstShapeSet *set = gst_shape_set_new (16, 16);
  GstBuffer *buffer = dented_buffer (1, NULL);

  gst_shape_set_add_layer (set, gst_shape_layer_new_circles_copy (&circle, 1));
  gst_buffer_add_shape_meta (buffer, set);
  gst_shape_set_unref (set);
  g_autoptr (GstShapeSet) result = hulls_of ("replace=true", GRAY_CAPS, buffer);
  fail_unless_equals_int (gst_shape_set_get_n_layers (result), 2);
  fail_unless_equals_int (gst_shape_set_get_layer_type (result, 0),
      GST_SHAPE_LAYER_CIRCLES);
  fail_unless_equals_int (n_hulls (result), 1);
}

TEST (a_replaced_set_without_contours_is_empty)
{
  g_autoptr (GstShapeSet) set = hulls_of ("replace=true", GRAY_CAPS,
      dented_buffer (0, NULL));

  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 1);
  fail_unless_equals_int (n_contours (set), 0);
}

/* Little and nothing */

TEST (an_empty_set_has_an_empty_layer_of_hulls)
{
  GstShapeSet *none = gst_shape_set_new (16, 16);
  GstBuffer *buffer = black ();

  gst_buffer_add_shape_meta (buffer, none);
  gst_shape_set_unref (none);
  GstShapeSet *set = hulls_of ("", GRAY_CAPS, buffer);
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 1);
  fail_unless_equals_int (n_contours (set), 0);
  gst_shape_set_unref (set);
  for (guint i = 0; i < 3; i++) {
    const gchar *scopes[] = { "scope=all", "scope=per-class", "" };

    set = hulls_of (scopes[i], GRAY_CAPS, dented_buffer (0, NULL));
    fail_unless_equals_int (gst_shape_set_get_n_layers (set), 2);
    fail_unless_equals_int (n_contours (set), 0);
    gst_shape_set_unref (set);
  }
}

TEST (a_buffer_without_shapes_passes_with_one_warning)
{
  g_autoptr (GstHarness) h = hull_new ("source=contours");
  g_autoptr (GstBus) bus = take_bus (h, "cudahull");

  gst_harness_set_src_caps_str (h, GRAY_CAPS);
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstBuffer) buffer = run (h, black ());

    fail_unless_equals_int (n_contours (gst_buffer_get_shape_set (buffer)), 0);
  }
  assert_message (bus, GST_MESSAGE_WARNING, "put cudacontours upstream");
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
}

TEST (contours_without_points_have_no_hulls_and_one_warning)
{
  const guint32 offsets[] = { 0, 6 };
  const GstShapePolyline record = contour_record (0, 0, 0, 3);
  const gchar *scopes[] = { "", "scope=all", "scope=per-class" };

  for (guint i = 0; i < G_N_ELEMENTS (scopes); i++) {
    g_autoptr (GstHarness) h = hull_new (scopes[i]);
    g_autoptr (GstBus) bus = take_bus (h, "cudahull");
    GstShapeSet *set = gst_shape_set_new (16, 16);
    GstBuffer *buffer = black ();

    gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy (NULL, 6,
            offsets, &record, 1, NULL));
    gst_buffer_add_shape_meta (buffer, set);
    gst_shape_set_unref (set);
    gst_harness_set_src_caps_str (h, GRAY_CAPS);
    buffer = run (h, buffer);
    fail_unless_equals_int (n_hulls (gst_buffer_get_shape_set (buffer)), 0);
    gst_buffer_unref (buffer);
    assert_message (bus, GST_MESSAGE_WARNING, "measures-only=false");
    fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  }
}

TEST (frames_with_classes_beyond_the_limit_are_left_out)
{
  const gint32 classes[] = { 65536 };
  g_autoptr (GstHarness) h = hull_new ("scope=per-class");
  g_autoptr (GstBus) bus = take_bus (h, "cudahull");
  guint64 dropped;

  gst_harness_set_src_caps_str (h, GRAY_CAPS);
  fail_unless_equals_int (gst_harness_push (h, dented_buffer (1, classes)),
      GST_FLOW_OK);
  fail_unless (gst_harness_try_pull (h) == NULL);
  assert_message (bus, GST_MESSAGE_WARNING, "up to 65535");
  gst_harness_get (h, "cudahull", "dropped", &dropped, NULL);
  fail_unless_equals_uint64 (dropped, 1);
}

/* With the contour finder */

TEST (contours_of_a_picture_have_hulls)
{
  g_autoptr (GstHarness) h = gst_harness_new_parse ("cudacontours backend=cpu "
      "hierarchy=true ! cudahull backend=cpu");
  g_autoptr (GstBuffer) buffer = black ();
  GstMapInfo map;
  gsize n, m;

  /* an L and a square */
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint y = 0; y < 16; y++)
    for (guint x = 0; x < 16; x++)
      map.data[16 * y + x] = (x >= 2 && x < 4 && y >= 2 && y < 12) ||
          (x >= 2 && x < 12 && y >= 10 && y < 12) ||
          (x >= 8 && x < 11 && y >= 3 && y < 6) ? 255 : 0;
  gst_buffer_unmap (buffer, &map);
  gst_harness_set_src_caps_str (h, GRAY_CAPS);
  buffer = run (h, buffer);
  GstShapeSet *set = gst_buffer_get_shape_set (buffer);
  const GstShapePolyline *contours = gst_shape_set_get_polylines (set, 0, &n);
  const GstShapePolyline *hulls = gst_shape_set_get_polylines (set, 1, &m);
  fail_unless_equals_int (n, 2);
  fail_unless_equals_int (m, 2);
  for (gsize i = 0; i < n; i++) {
    fail_unless_equals_int (hulls[i].parent, contours[i].id);
    fail_unless (hulls[i].area >= contours[i].area);
    assert_near (hulls[i].solidity, contours[i].area / hulls[i].area);
    fail_unless_equals_float (hulls[i].bbox_x1, contours[i].bbox_x1);
  }
  fail_unless (hulls[0].solidity < .7 && hulls[1].solidity > .99);
}

TEST (hulls_are_written_as_json)
{
  GstHarness *h = gst_harness_new_parse ("cudahull backend=cpu measures=full "
      "replace=true ! shapejsonenc");
  const gchar *expected[] = { "\"kind\":\"hull\",\"class\":0,\"level\":7.5,"
        "\"closed\":true,\"hole\":false,\"parent\":null,\"area\":64,"
        "\"perimeter\":32,\"centroid\":[6,6],\"bbox\":[2,2,10,10],"
        "\"solidity\":0.75,\"feret\":[8,11.313708498984",
    "],\"min-area-rect\":{\"center\":[6,6],\"size\":[8,8],\"angle\":0},"
        "\"enclosing-circle\":{\"x\":6,\"y\":6,\"r\":5.656854249492",
    "},\"points\":[[2,2],[10,2],[10,10],[2,10],[2,2]]}]}\n"
  };
  GstMapInfo map;

  gst_harness_set_src_caps_str (h, GRAY_CAPS);
  g_autoptr (GstBuffer) buffer = run (h, dented_buffer (1, NULL));
  gst_buffer_map (buffer, &map, GST_MAP_READ);
  g_autofree gchar *text = g_strndup ((gchar *) map.data, map.size);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    fail_unless (strstr (text, expected[i]) != NULL, "%s\n not in %s",
        expected[i], text);
  gst_buffer_unmap (buffer, &map);
  gst_harness_teardown (h);
}

TEST (messages_count_hulls)
{
  g_autoptr (GstHarness) h = hull_new ("post-messages=true");
  g_autoptr (GstBus) bus = take_bus (h, "cudahull");
  GstBuffer *buffer = dented_buffer (3, NULL);
  gdouble solidity;
  guint64 value;

  GST_BUFFER_PTS (buffer) = GST_SECOND;
  gst_harness_set_src_caps_str (h, GRAY_CAPS);
  gst_buffer_unref (run (h, buffer));
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT);
  fail_unless (message != NULL);
  const GstStructure *structure = gst_message_get_structure (message);
  fail_unless (gst_structure_has_name (structure, "cudahull"));
  fail_unless_equals_string (gst_structure_get_string (structure, "source"),
      "contours");
  fail_unless (gst_structure_get_uint64 (structure, "n-hulls", &value));
  fail_unless_equals_uint64 (value, 3);
  fail_unless (gst_structure_get_uint64 (structure, "n-points", &value));
  fail_unless_equals_uint64 (value, 15);
  fail_unless (gst_structure_get_uint64 (structure, "n-ignored", &value));
  fail_unless_equals_uint64 (value, 0);
  fail_unless (gst_structure_get_uint64 (structure, "running-time", &value));
  fail_unless_equals_uint64 (value, GST_SECOND);
  fail_unless (gst_structure_get_double (structure, "solidity-mean",
          &solidity));
  fail_unless_equals_float (solidity, .75);
  fail_unless (gst_structure_get_double (structure, "solidity-min", &solidity));
  fail_unless_equals_float (solidity, .75);
  gst_message_unref (message);
}

#define SOURCE "videotestsrc num-buffers=10 ! video/x-raw,width=101,height=67"

TEST (pipelines_run)
{
  run_to_end ("videotestsrc num-buffers=10 ! cudacontours ! cudahull ! "
      "shapejsonenc ! fakesink");
  run_to_end (SOURCE ",format=GRAY8 ! cudacontours ! tee name=t ! queue ! "
      "cudahull measures=full ! fakesink sync=false t. ! queue ! cudahull "
      "scope=all replace=true ! shapejsonenc ! fakesink sync=false t. ! queue "
      "! fakesink sync=false");
  run_to_end (SOURCE ",format=I420 ! cudahull ! queue ! cudahull level=0.7 ! "
      "shapeoverlay ! fakesink sync=false");
}

SUITE (contours) {}
