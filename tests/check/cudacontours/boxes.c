/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudacontours in the boxes of detected objects that frames carry: the
 * contours are those of a frame with a region of interest for each box, which
 * the test works out by hand. */

#include "contours_test.h"

#include <gst/analytics/analytics.h>

#define FRAME_WIDTH 60
#define FRAME_HEIGHT 40
#define CAPS VIDEO ("GRAY8", 60, 40)

static GstBuffer *
make_frame (void)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, FRAME_WIDTH * FRAME_HEIGHT,
      NULL);
  g_auto (GstBufferMapInfo) map = GST_MAP_INFO_INIT;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = (i * 2654435761u >> 13) & 0xff;
  return buffer;
}

static GstShapeSet *
push_frame (GstHarness * h, GstBuffer * buffer)
{
  fail_unless (gst_harness_push (h, buffer) == GST_FLOW_OK);
  buffer = gst_harness_pull (h);
  GstShapeSet *set = gst_shape_set_ref (gst_buffer_get_shape_set (buffer));
  gst_buffer_unref (buffer);
  return set;
}

static GstHarness *
start (void)
{
  GstHarness *h = contours_new ("roi-source=meta");

  gst_harness_set_src_caps_str (h, CAPS);
  return h;
}

static void
add_region (GstBuffer * buffer, guint x, guint y, guint width, guint height,
    gint id)
{
  gst_buffer_add_video_region_of_interest_meta (buffer, "r", x, y, width,
      height)->id = id;
}

static guint
add_object (GstBuffer * buffer, gint x, gint y, gint width, gint height,
    gfloat angle)
{
  GstAnalyticsODMtd object;

  fail_unless (gst_analytics_relation_meta_add_oriented_od_mtd
      (gst_buffer_add_analytics_relation_meta (buffer),
          g_quark_from_static_string ("thing"), x, y, width, height, angle, 1,
          &object));
  return object.id;
}

/* Sets with the same text are the same. */
static void
assert_same_text (GstShapeSet * set, GstShapeSet * expected)
{
  g_autofree gchar *a = gst_shape_set_to_json (set, NULL);
  g_autofree gchar *b = gst_shape_set_to_json (expected, NULL);

  fail_unless_equals_string (a, b);
  gst_shape_set_unref (set);
  gst_shape_set_unref (expected);
}

TEST (boxes_of_objects_are_regions)
{
  static const struct
  {
    gint x, y, width, height;
    gdouble angle;
    guint region[4];
  } cases[] = {
    {10, 5, 20, 12, 0, {10, 5, 20, 12}},
    {-7, -3, 20, 12, 0, {0, 0, 13, 9}},
    {50, 30, 20, 12, 0, {50, 30, 10, 10}},
    /* a quarter turn about (20, 11), a half one, one and a half */
    {10, 5, 20, 12, G_PI / 2, {14, 1, 12, 20}},
    {10, 5, 20, 12, G_PI, {10, 5, 20, 12}},
    {10, 5, 20, 12, 1.5 * G_PI, {14, 1, 12, 20}},
    /* a square of 10 on its corner is 14.14 wide, around (25, 15) */
    {20, 10, 10, 10, G_PI / 4, {17, 7, 16, 16}},
    /* sides of 3 and 4 along 4:3 of 5: 4.8 wide, 5 high, around
     * (32, 19.5) */
    {30, 18, 4, 3, .9272952180016122, {29, 17, 6, 5}},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const guint *r = cases[i].region;
    g_autoptr (GstHarness) h = start ();
    GstBuffer *boxed = make_frame (), *marked = make_frame ();

    GST_INFO ("case %u", i);
    add_region (marked, r[0], r[1], r[2], r[3], add_object (boxed, cases[i].x,
            cases[i].y, cases[i].width, cases[i].height, cases[i].angle));
    GstShapeSet *set = push_frame (h, boxed);
    fail_unless (n_contours (set) > 0);
    assert_same_text (set, push_frame (h, marked));
  }
}

TEST (both_kinds_come_in_order)
{
  g_autoptr (GstHarness) h = start ();
  GstBuffer *both = make_frame (), *marked = make_frame ();
  guint first = add_object (both, 1, 2, 20, 15, 0);

  add_region (both, 30, 20, 25, 15, 9);
  guint second = add_object (both, 35, 1, 20, 15, 0);
  add_region (both, 2, 20, 12, 18, 8);
  fail_unless (first != second);
  add_region (marked, 30, 20, 25, 15, 9);
  add_region (marked, 2, 20, 12, 18, 8);
  add_region (marked, 1, 2, 20, 15, first);
  add_region (marked, 35, 1, 20, 15, second);
  assert_same_text (push_frame (h, both), push_frame (h, marked));
}

/* Nothing of them is in the frame, or they have no size. */
TEST (boxes_elsewhere_have_no_contours)
{
  static const gint boxes[][4] = {
    {60, 0, 10, 10}, {0, 40, 10, 10}, {-20, 3, 10, 10}, {3, -20, 10, 10},
    {5, 5, 0, 10}, {5, 5, 10, -4}, {G_MAXINT, G_MAXINT, G_MAXINT, G_MAXINT},
    {G_MININT, G_MININT, 5, 5},
  };
  g_autoptr (GstHarness) h = start ();
  GstBuffer *buffer = make_frame ();

  for (guint i = 0; i < G_N_ELEMENTS (boxes); i++)
    add_object (buffer, boxes[i][0], boxes[i][1], boxes[i][2], boxes[i][3], 0);
  add_object (buffer, 5, 5, 10, 10, NAN);
  g_autoptr (GstShapeSet) set = push_frame (h, buffer);
  fail_unless_equals_int (n_contours (set), 0);
}

SUITE (boxes) {}
