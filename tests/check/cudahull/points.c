/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Hulls of pixels and of the points of tensors. */

#include "hull_test.h"

#include <math.h>

#define POINTS "other/tensors,format=static,num_tensors=1,framerate=0/1," \
  "types=%s,dimensions=(string)2:%u:1:1"

/* Pixels */

/* 16 x 16 pixels, 0 but for four of @value that have a trapezium in between,
 * and one of @value inside. */
static GstBuffer *
corners (guint8 value)
{
  GstBuffer *buffer = black ();
  g_auto (GstBufferMapInfo) map = GST_MAP_INFO_INIT;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  map.data[16 * 3 + 5] = map.data[16 * 3 + 9] = value;
  map.data[16 * 11 + 2] = map.data[16 * 11 + 12] = value;
  map.data[16 * 7 + 7] = value;
  return buffer;
}

static const GstShapePoint trapezium[] = {
  {2, 11}, {5, 3}, {9, 3}, {12, 11}, {2, 11}
};

TEST (pixels_above_the_level_have_a_hull)
{
  g_autoptr (GstShapeSet) set = hulls_of ("", GRAY_CAPS, corners (200));
  gsize n;

  fail_unless_equals_int (gst_shape_set_get_width (set), 16);
  fail_unless_equals_int (gst_shape_set_get_height (set), 16);
  const GstShapePolyline *record = gst_shape_set_get_polylines (set, 0, &n);
  fail_unless_equals_int (n, 1);
  ASSERT_POINTS (set, 0, 0, trapezium);
  fail_unless_equals_int (record->id, 0);
  fail_unless_equals_int (record->parent, -1);
  fail_unless_equals_float (record->level, 127.5);
  fail_unless_equals_float (record->area, 56);
  fail_unless (isnan (record->solidity));
}

TEST (levels_mean_what_they_mean_for_contours)
{
  const struct
  {
    const gchar *properties;
    guint n;
    gdouble level;
  } cases[] = {
    {"level=0.7", 1, 178.5}, {"level=0.8", 0, 0},
    {"level=199 level-unit=sample", 1, 199},
    {"level=200 level-unit=sample", 0, 0},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstShapeSet *set = hulls_of (cases[i].properties, GRAY_CAPS, corners (200));

    fail_unless (n_hulls (set) == cases[i].n, "%s", cases[i].properties);
    if (cases[i].n)
      fail_unless_equals_float (gst_shape_set_get_polylines (set, 0,
              NULL)->level, cases[i].level);
    gst_shape_set_unref (set);
  }
}

TEST (every_format_has_the_hull_of_gray8)
{
  const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_GRAY8,
    GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_YUY2,
    GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_BGRA, GST_VIDEO_FORMAT_GRAY16_LE,
    GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_I420_12LE
  };
  guint8 picture[HEIGHT][WIDTH] = { {0,}, };
  GstShapePoint expected[] = { {1, 4}, {7, 2}, {20, 9}, {6, 15}, {1, 4} };

  for (guint i = 0; i < 4; i++)
    picture[(guint) expected[i].y][(guint) expected[i].x] = 255;
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstVideoInfo info;

    gst_video_info_init (&info);
    gst_video_info_set_format (&info, formats[i], WIDTH, HEIGHT);
    g_autofree gchar *caps = caps_text (&info);
    g_autoptr (GstShapeSet) set = hulls_of ("level=0.25", caps,
        gray_buffer (&info, picture));
    ASSERT_POINTS (set, 0, 0, expected);
    fail_unless_equals_float (gst_shape_set_get_polylines (set, 0, NULL)->level,
        ((1u << GST_VIDEO_INFO_COMP_DEPTH (&info, 0)) - 1) * .25);
  }
}

TEST (the_source_can_be_chosen)
{
  GstBuffer *buffer = gst_buffer_make_writable (dented_buffer (1, NULL));

  gst_buffer_memset (buffer, 16 * 5 + 4, 255, 1);
  g_autoptr (GstShapeSet) set = hulls_of ("source=mask", GRAY_CAPS, buffer);
  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 2);
  fail_unless_equals_float (gst_shape_set_get_polylines (set, 1, NULL)->bbox_x0,
      4);
  fail_unless_equals_int (gst_shape_set_get_polylines (set, 1, NULL)->id, 1);
}

TEST (hulls_found_before_are_no_contours)
{
  g_autoptr (GstHarness) h = gst_harness_new_parse ("cudahull backend=cpu ! "
      "cudahull backend=cpu level=0.1");

  gst_harness_set_src_caps_str (h, GRAY_CAPS);
  g_autoptr (GstBuffer) buffer = run (h, corners (200));
  GstShapeSet *set = gst_buffer_get_shape_set (buffer);
  fail_unless_equals_int (n_hulls (set), 2);
  ASSERT_POINTS (set, 1, 0, trapezium);
  fail_unless_equals_float (gst_shape_set_get_polylines (set, 1, NULL)->level,
      25.5);
}

TEST (a_level_that_no_pixel_crosses_is_a_warning_once)
{
  g_autoptr (GstHarness) h = hull_new ("level=128");
  g_autoptr (GstBus) bus = take_bus (h, "cudahull");

  gst_harness_set_src_caps_str (h, GRAY_CAPS);
  for (guint i = 0; i < 3; i++)
    gst_buffer_unref (run (h, corners (200)));
  assert_message (bus, GST_MESSAGE_WARNING, "level-unit");
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
}

/* Tensors */

static gchar *
points_caps (const gchar * type, guint n)
{
  return g_strdup_printf (POINTS, type, n);
}

/* The hull of @n points given as doubles, through a tensor of @type. */
static GstShapeSet *
tensor_hull (const gchar * properties, const gchar * type,
    const gdouble (*points)[2], guint n)
{
  const gboolean is_double = g_str_equal (type, "float64");
  const gsize size = is_double ? 8 : 4;
  guint8 *data = g_malloc (2 * n * size);
  g_autofree gchar *caps = points_caps (type, n);

  for (guint i = 0; i < 2 * n; i++) {
    const gdouble value = points[i / 2][i % 2];

    if (is_double)
      ((gdouble *) (gpointer) data)[i] = value;
    else if (g_str_equal (type, "float32"))
      ((gfloat *) (gpointer) data)[i] = value;
    else
      ((gint32 *) (gpointer) data)[i] = value;
  }
  return hulls_of (properties, caps, gst_buffer_new_wrapped (data,
          2 * n * size));
}

static const gdouble cloud[][2] = {
  {3, 1}, {-4, 2}, {0, 0}, {5, -2}, {5, -2}, {1, 7}, {2, 2}, {-4, 2}, {0, -6}
};

static const GstShapePoint cloud_hull[] = {
  {-4, 2}, {0, -6}, {5, -2}, {1, 7}, {-4, 2}
};

TEST (points_of_every_type_have_a_hull)
{
  const gchar *types[] = { "float32", "float64", "int32" };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    GstShapeSet *set = tensor_hull ("", types[i], cloud, G_N_ELEMENTS (cloud));

    fail_unless_equals_int (gst_shape_set_get_width (set), 0);
    fail_unless_equals_int (gst_shape_set_get_n_layers (set), 1);
    ASSERT_POINTS (set, 0, 0, cloud_hull);
    fail_unless_equals_float (gst_shape_set_get_polylines (set, 0, NULL)->area,
        60.5);
    gst_shape_set_unref (set);
  }
}

TEST (few_points_have_small_hulls)
{
  const gdouble equal[][2] = { {3, 4}, {3, 4}, {3, 4} };
  const gdouble line[][2] = { {0, 1}, {2, 5}, {1, 3}, {0, 1} };
  const GstShapePoint one[] = { {3, 4}, {3, 4} };
  const GstShapePoint two[] = { {0, 1}, {2, 5}, {0, 1} };
  GstShapeSet *set = tensor_hull ("measures=full", "float32", equal, 1);

  ASSERT_POINTS (set, 0, 0, one);
  fail_unless_equals_float (gst_shape_set_get_polylines (set, 0, NULL)->area,
      0);
  fail_unless_equals_float (gst_shape_set_get_hull_measures (set, 0,
          NULL)->circle_r, 0);
  fail_unless_equals_float (gst_shape_set_get_hull_measures (set, 0,
          NULL)->circle_y, 4);
  gst_shape_set_unref (set);
  set = tensor_hull ("", "int32", equal, 3);
  ASSERT_POINTS (set, 0, 0, one);
  gst_shape_set_unref (set);
  set = tensor_hull ("", "float64", line, 4);
  ASSERT_POINTS (set, 0, 0, two);
  gst_shape_set_unref (set);
}

TEST (points_that_are_not_finite_are_left_out_with_one_warning)
{
  const gfloat points[][2] = { {0, 0}, {NAN, 9}, {4, 0}, {9, INFINITY}, {0, 4},
  {-INFINITY, NAN}
  };
  const GstShapePoint expected[] = { {0, 0}, {4, 0}, {0, 4}, {0, 0} };
  g_autofree gchar *caps = points_caps ("float32", 6);
  g_autoptr (GstHarness) h = hull_new ("");
  g_autoptr (GstBus) bus = take_bus (h, "cudahull");
  guint64 ignored;

  gst_harness_set_src_caps_str (h, caps);
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstBuffer) buffer = run (h, buffer_of (points, sizeof (points)));

    ASSERT_POINTS (gst_buffer_get_shape_set (buffer), 0, 0, expected);
  }
  gst_harness_get (h, "cudahull", "ignored", &ignored, NULL);
  fail_unless_equals_uint64 (ignored, 9);
  assert_message (bus, GST_MESSAGE_WARNING, "3 points with a coordinate");
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
}

TEST (nothing_but_nan_is_an_empty_layer)
{
  const gdouble points[][2] = { {NAN, NAN}, {NAN, 1} };
  g_autoptr (GstShapeSet) set = tensor_hull ("", "float64", points, 2);

  fail_unless_equals_int (gst_shape_set_get_n_layers (set), 1);
  fail_unless_equals_int (n_contours (set), 0);
}

TEST (points_may_lie_at_odd_addresses)
{
  GstBuffer *buffer = buffer_of ("?", 1);
  g_autofree gchar *caps = points_caps ("int32", 3);
  const gint32 triangle[] = { 0, 0, 5, 0, 0, 7 };
  const GstShapePoint expected[] = { {0, 0}, {5, 0}, {0, 7}, {0, 0} };
  GstBuffer *points = buffer_of (triangle, sizeof (triangle));

  buffer = gst_buffer_make_writable (gst_buffer_append (buffer, points));
  gst_buffer_replace_all_memory (buffer, gst_buffer_get_all_memory (buffer));
  gst_buffer_resize (buffer, 1, -1);
  g_autoptr (GstShapeSet) set = hulls_of ("", caps, buffer);
  ASSERT_POINTS (set, 0, 0, expected);
}

TEST (many_points_have_the_hull_of_their_corners)
{
  const guint n = 300000;
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 8 * n, NULL);
  const GstShapePoint expected[] = { {-1, -1}, {2, -1}, {2, 2}, {-1, 2},
  {-1, -1}
  };
  g_autofree gchar *caps = points_caps ("float32", n);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint i = 0; i < 2 * n; i++)
    ((gfloat *) (gpointer) map.data)[i] = g_rand_double (rand);
  for (guint i = 0; i < 4; i++)
    memcpy (map.data + 8 * 70000 * i, &expected[i], 8);
  gst_buffer_unmap (buffer, &map);
  g_autoptr (GstShapeSet) set = hulls_of ("", caps, buffer);
  ASSERT_POINTS (set, 0, 0, expected);
}

TEST (tensors_with_contours_need_not_be_points)
{
  GstHarness *h = gst_harness_new_parse ("cudacontours backend=cpu ! "
      "cudahull backend=cpu");
  gfloat samples[2][16] = { {0,}, {0,} };

  samples[1][5] = 1;
  gst_harness_set_src_caps_str (h, "other/tensors,format=static,num_tensors=1,"
      "types=float32,dimensions=(string)4:4:1:2,framerate=0/1");
  g_autoptr (GstBuffer) buffer = run (h, buffer_of (samples, sizeof (samples)));
  GstShapeSet *set = gst_buffer_get_shape_set (buffer);
  fail_unless_equals_int (n_hulls (set), 1);
  fail_unless_equals_int (gst_shape_set_get_polylines (set,
          gst_shape_set_get_n_layers (set) - 1, NULL)->image, 1);
  gst_harness_teardown (h);
}

/* Errors */

static void
assert_refused (const gchar * properties, const gchar * caps, gsize size,
    const gchar * what)
{
  g_autoptr (GstHarness) h = hull_new (properties);
  g_autoptr (GstBus) bus = take_bus (h, "cudahull");
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_memset (buffer, 0, 0, -1);
  gst_harness_set_src_caps_str (h, caps);
  fail_if (gst_harness_push (h, buffer) == GST_FLOW_OK);
  assert_message (bus, GST_MESSAGE_ERROR, what);
  fail_unless (gst_harness_try_pull (h) == NULL);
}

#define STATIC "other/tensors,format=static,num_tensors=1,framerate=0/1,"

TEST (input_of_another_form_is_an_error_that_says_what_to_do)
{
  assert_refused ("", STATIC "types=float32,dimensions=(string)3:4:1:1", 48,
      "carry no contours, and the tensor's dimensions");
  assert_refused ("source=points", STATIC
      "types=float32,dimensions=(string)2:4:2:1", 64, "2:N:1:1");
  assert_refused ("source=points", STATIC
      "types=float16,dimensions=(string)2:4:1:1", 16, "option=float32");
  assert_refused ("source=points", STATIC "types=float32", 16, "2:N:1:1");
  assert_refused ("", "other/tensors,format=flexible,framerate=0/1", 64,
      "format=static");
  assert_refused ("", "other/tensor,type=float32,dimension=(string)2:4:1:1,"
      "framerate=0/1", 64, "obsolete");
  assert_refused ("source=points", GRAY_CAPS, 256, "set source=mask");
  assert_refused ("source=mask", STATIC
      "types=float32,dimensions=(string)2:4:1:1", 32, "source=points");
  assert_refused ("channel=r", GRAY_CAPS, 256, "channel=luma");
  assert_refused ("", STATIC "types=float32,dimensions=(string)2:4:1:1", 33,
      "blocksize=32");
}

TEST (more_points_than_the_limit_are_an_error)
{
  assert_refused ("", STATIC "types=int32,dimensions=(string)2:268435457:1:1",
      64, "the limit is 2^28");
  assert_refused ("", STATIC "types=float64,dimensions=(string)"
      "2:2147483647:1:1", 64, "the limit is 2^28");
}

TEST (a_file_of_points_ends_with_a_short_buffer)
{
  g_autoptr (GstHarness) h = hull_new ("");
  g_autoptr (GstBus) bus = take_bus (h, "cudahull");
  g_autofree gchar *caps = points_caps ("float32", 9);
  guint64 dropped;

  gst_harness_set_src_caps_str (h, caps);
  for (guint i = 0; i < 2; i++)
    fail_unless_equals_int (gst_harness_push (h, gst_buffer_new_allocate (NULL,
                71, NULL)), GST_FLOW_OK);
  fail_unless (gst_harness_try_pull (h) == NULL);
  gst_harness_get (h, "cudahull", "dropped", &dropped, NULL);
  fail_unless_equals_uint64 (dropped, 2);
  assert_message (bus, GST_MESSAGE_WARNING, "too short");
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
}

SUITE (points) {}
