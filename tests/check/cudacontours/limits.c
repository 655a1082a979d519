/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the contours of a frame may cost. */

#include "contours_test.h"

#define SIDE 64
#define CAPS VIDEO ("GRAY8", 64, 64)
/* as many cells as pixels, with at least 64 per row and column */
#define CELLS ((guint64) SIDE * SIDE)

/* Noise of @n_codes codes, @step apart. */
static GstBuffer *
noise (guint n_codes, guint step)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, SIDE * SIDE, NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);
  g_auto (GstBufferMapInfo) map = GST_MAP_INFO_INIT;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = g_rand_int_range (rand, 0, n_codes) * step;
  return buffer;
}

static guint64
get_dropped (GstHarness * h)
{
  guint64 dropped;

  gst_harness_get (h, "cudacontours", "dropped", &dropped, NULL);
  return dropped;
}

static void
set_limit (GstHarness * h, guint64 limit)
{
  gst_harness_set (h, "cudacontours", "max-memory", limit, NULL);
}

/* Line segments that were found in @buffer: a closed contour has one less than
 * points, and so has an open one. */
static guint64
count_segments (GstBuffer * buffer)
{
  GstShapeSet *set = gst_buffer_get_shape_set (buffer);
  gsize n_points, n_contours;

  gst_shape_set_get_points (set, 0, &n_points);
  gst_shape_set_get_polylines (set, 0, &n_contours);
  return n_points - n_contours;
}

/* A frame passes at the limit that its cost is, with the same contours, and
 * one byte below it does not. */
static void
assert_limit_is_exact (const gchar * properties, guint n_levels,
    guint n_codes, guint step)
{
  g_autoptr (GstHarness) h = contours_new (properties);
  g_autoptr (GstBus) bus = take_bus (h, "cudacontours");

  gst_harness_set_src_caps_str (h, CAPS);
  set_limit (h, 0);
  g_autoptr (GstBuffer) free_one = run (h, noise (n_codes, step));
  fail_unless (count_segments (free_one) > 100);
  guint64 cost = n_levels * CELLS + 64 * count_segments (free_one);

  set_limit (h, cost);
  GstBuffer *limited = run (h, noise (n_codes, step));
  assert_same_layer (gst_buffer_get_shape_set (limited), 0,
      gst_buffer_get_shape_set (free_one), 0, properties);
  gst_buffer_unref (limited);
  fail_unless_equals_uint64 (get_dropped (h), 0);

  set_limit (h, cost - 1);
  fail_unless_equals_int (gst_harness_push (h, noise (n_codes, step)),
      GST_FLOW_OK);
  fail_unless (gst_harness_try_pull (h) == NULL);
  fail_unless_equals_uint64 (get_dropped (h), 1);
  assert_message (bus, GST_MESSAGE_WARNING, "raise max-memory");
}

TEST (the_limit_is_exact)
{
  assert_limit_is_exact ("level=0.5", 1, 256, 1);
  assert_limit_is_exact ("levels=0.3,0.5,0.7 n-threads=1", 3, 256, 1);
}

/* At codes that pixels have, many crossings make no segment. */
TEST (the_limit_is_exact_with_ties)
{
  assert_limit_is_exact ("level=64 level-unit=sample", 1, 3, 64);
  assert_limit_is_exact ("levels=64,128 level-unit=sample "
      "fully-connected=high", 2, 4, 64);
}

TEST (the_stream_goes_on_after_a_frame_beyond_the_limit)
{
  g_autoptr (GstHarness) h =
      contours_new ("max-memory=20000 levels=0.3,0.5,0.7");
  g_autoptr (GstBus) bus = take_bus (h, "cudacontours");
  GstBuffer *black = gst_buffer_new_allocate (NULL, SIDE * SIDE, NULL);

  gst_buffer_memset (black, 0, 0, -1);
  gst_harness_set_src_caps_str (h, CAPS);
  for (guint i = 0; i < 3; i++) {
    fail_unless_equals_int (gst_harness_push (h, noise (256, 1)), GST_FLOW_OK);
    fail_unless (gst_harness_try_pull (h) == NULL);
    gst_buffer_unref (run (h, gst_buffer_ref (black)));
  }
  fail_unless_equals_uint64 (get_dropped (h), 3);
  assert_message (bus, GST_MESSAGE_WARNING, "64 x 64 pixels at 3 levels");
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING |
          GST_MESSAGE_ERROR) == NULL);
  gst_buffer_unref (black);
}

/* The estimate includes pixels at each level, whatever their content; and
 * there is a limit by default. */
TEST (many_levels_of_a_large_frame_are_beyond_the_default)
{
  g_autoptr (GString) properties = g_string_new ("levels=0.5");

  for (guint i = 1; i < 600; i++)
    g_string_append_printf (properties, ",%g", .5 + i / 10000.);
  g_autoptr (GstHarness) h = contours_new (properties->str);
  g_autoptr (GstBus) bus = take_bus (h, "cudacontours");
  gst_harness_set_src_caps_str (h, VIDEO ("GRAY8", 2048, 2048));
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 2048 * 2048, NULL);
  gst_buffer_memset (buffer, 0, 0, -1);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  fail_unless (gst_harness_try_pull (h) == NULL);
  fail_unless_equals_uint64 (get_dropped (h), 1);
  assert_message (bus, GST_MESSAGE_WARNING, "max-memory allows 2048.0 MiB");
}

/* A row of few pixels costs as much as one of 64: its bits take whole words. */
TEST (a_narrow_image_of_many_rows_is_beyond_the_default)
{
  const guint n_rows = 34 << 20;
  g_autoptr (GstHarness) h = contours_new ("");
  g_autoptr (GstBus) bus = take_bus (h, "cudacontours");
  gchar *caps = g_strdup_printf ("other/tensors,format=static,num_tensors=1,"
      "types=uint8,dimensions=2:%u:1:1,framerate=0/1", n_rows);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 2 * n_rows, NULL);

  gst_harness_set_src_caps_str (h, caps);
  gst_buffer_memset (buffer, 0, 0, -1);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  fail_unless (gst_harness_try_pull (h) == NULL);
  fail_unless_equals_uint64 (get_dropped (h), 1);
  assert_message (bus, GST_MESSAGE_WARNING, "max-memory allows 2048.0 MiB");
  g_free (caps);
}

SUITE (limits) {}
