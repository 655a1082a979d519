/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Parts of frames that cudallf filters: a split, rectangles, a mask, shapes. */

#include <gst/video/navigation.h>

#include <glib/gstdio.h>

#include "llf_test.h"
#include "shapes/gstshapes.h"

#define WIDTH 60
#define HEIGHT 44
#define CAPS "video/x-raw,format=%s,width=60,height=44,framerate=0/1"

/* What a pixel is to be */
typedef enum
{
  BEFORE,
  AFTER,
  BETWEEN,
} Want;

typedef Want (*WantFunc) (guint x, guint y);

static gchar *
make_caps (const gchar * format)
{
  return g_strdup_printf (CAPS, format);
}

static GstBuffer *
picture (const gchar * caps)
{
  GstVideoInfo info;

  llf_info (&info, caps);
  return draw_buffer (&info, 3);
}

/* What the pixels of one sample are to be, if all are alike. */
static Want
want_of (WantFunc want, guint x, guint y, guint sub_x, guint sub_y)
{
  const Want first = want (x << sub_x, y << sub_y);

  for (guint j = 0; j <= sub_y; j++)
    for (guint i = 0; i <= sub_x; i++)
      if (want (MIN ((x << sub_x) + i, WIDTH - 1), MIN ((y << sub_y) + j,
                  HEIGHT - 1)) != first)
        return BETWEEN;
  return first;
}

static void
assert_sample (guint got, guint before, guint after, Want want,
    const gchar * what)
{
  const guint least = MIN (before, after), most = MAX (before, after);

  if (want == BETWEEN)
    fail_unless (got >= least && got <= most, "%s: %u, not %u to %u", what, got,
        least, most);
  else
    fail_unless_equals_int (got, want == AFTER ? after : before);
}

/* Each sample of @out is that of @in or @filtered, as @want says. */
static void
assert_parts (const gchar * caps, GstBuffer * in, GstBuffer * filtered,
    GstBuffer * out, WantFunc want, const gchar * what)
{
  GstVideoFrame a, b, c;
  GstVideoInfo info;
  guint n_changed = 0;

  llf_info (&info, caps);
  fail_unless (gst_video_frame_map (&a, &info, in, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&b, &info, filtered, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&c, &info, out, GST_MAP_READ));
  for (guint n = 0; n < GST_VIDEO_FRAME_N_COMPONENTS (&a); n++) {
    const guint w = GST_VIDEO_FRAME_COMP_WIDTH (&a, n);
    const guint h = GST_VIDEO_FRAME_COMP_HEIGHT (&a, n);

    for (guint y = 0; y < h; y++)
      for (guint x = 0; x < w; x++) {
        const guint before = get_code (&a, n, x, y);
        const guint after = get_code (&b, n, x, y);
        const guint got = get_code (&c, n, x, y);

        assert_sample (got, before, after, want_of (want, x, y, w < WIDTH,
                h < HEIGHT), what);
        n_changed += got != before;
      }
  }
  fail_unless (n_changed > 20, "%s: only %u have changed", what, n_changed);
  gst_video_frame_unmap (&a);
  gst_video_frame_unmap (&b);
  gst_video_frame_unmap (&c);
}

/* @properties on top of @others. */
static void
check_parts (const gchar * format, const gchar * others,
    const gchar * properties, WantFunc want)
{
  g_autofree gchar *caps = make_caps (format);
  g_autofree gchar *both = g_strconcat (others, " ", properties, NULL);
  g_autoptr (GstBuffer) in = picture (caps), all = filtered (others, caps, in);
  g_autoptr (GstBuffer) out = filtered (both, caps, in);

  assert_parts (caps, in, all, out, want, both);
}

static Want
right_of_24 (guint x, guint y)
{
  return x < 24 ? BEFORE : AFTER;
}

static Want
in_rectangles (guint x, guint y)
{
  return (x >= 10 && x < 30 && y >= 5 && y < 25) || (x >= 40 && y >= 30) ?
      AFTER : BEFORE;
}

static Want
in_both (guint x, guint y)
{
  return x < 24 ? BEFORE : in_rectangles (x, y);
}

TEST_LOOP (a_split_shows_before_and_after, 0, G_N_ELEMENTS (all_formats))
{
  check_parts (all_formats[__i__], "chroma=scale", "split=0.4", right_of_24);
}

TEST_LOOP (rectangles_are_filtered_alone, 0, G_N_ELEMENTS (all_formats))
{
  check_parts (all_formats[__i__], "chroma=scale",
      "roi=\"10,5,20,20; 40,30,0,0\"", in_rectangles);
}

TEST (all_parts_must_agree)
{
  check_parts ("I420", "", "split=0.4 roi=\"10,5,20,20;40,30,20,14\"",
      in_both);
}

/* A picture whose pixels are white where in_rectangles() says so. */
static gchar *
write_mask (guint width)
{
  gchar *path = NULL, *header = g_strdup_printf ("P5 %u 44 255\n", width);
  g_autoptr (GString) text = g_string_new (header);
  gint file = g_file_open_tmp ("cudallf-XXXXXX.pgm", &path, NULL);

  fail_unless (file >= 0);
  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < width; x++)
      g_string_append_c (text, in_rectangles (x, y) == AFTER ? 255 : 0);
  fail_unless (g_file_set_contents (path, text->str, text->len, NULL));
  g_free (header);
  g_close (file, NULL);
  return path;
}

TEST (a_mask_is_filtered_where_it_is_not_black)
{
  g_autofree gchar *path = write_mask (WIDTH);
  g_autofree gchar *properties = g_strdup_printf ("mask-location=%s", path);

  check_parts ("NV12", "chroma=scale", properties, in_rectangles);
  check_parts ("P010_10LE", "chroma=scale", properties, in_rectangles);
  g_unlink (path);
}

/* Shapes */

/* Its borders are those of pixels. */
#define X0 11.5f
#define Y0 8.5f
#define X1 39.5f
#define Y1 30.5f

/* A corner at x, y of this frame */
#define AT(x, y) {2 * (x) + .5f, 2 * (y) + .5f}

/* A square with a hole, a disc, and two hulls that overlap. In the coordinates of
 * a frame of twice the size, whose pixel 2 x + .5 is this frame's x. */
static GstShapeSet *
make_shapes (void)
{
  static const GstShapePoint points[] = {
    AT (X0, Y0), AT (X0, Y1), AT (X1, Y1), AT (X1, Y0), AT (X0, Y0),
    {40.5f, 24.5f}, {60.5f, 24.5f}, {60.5f, 44.5f}, {40.5f, 44.5f},
    {40.5f, 24.5f},
    AT (43.5f, 2.5f), AT (52.5f, 2.5f), AT (52.5f, 12.5f), AT (43.5f, 12.5f),
    AT (43.5f, 2.5f),
    AT (48.5f, 6.5f), AT (57.5f, 6.5f), AT (57.5f, 16.5f), AT (48.5f, 16.5f),
    AT (48.5f, 6.5f),
  };
  static const guint32 offsets[] = { 0, 5, 10, 15, 20 };
  static const GstShapePolyline polylines[] = {
    {.id = 0,.parent = -1,.kind = GST_SHAPE_KIND_CONTOUR,
        .flags = GST_SHAPE_FLAG_CLOSED},
    {.id = 1,.parent = 0,.kind = GST_SHAPE_KIND_CONTOUR,
        .flags = GST_SHAPE_FLAG_CLOSED | GST_SHAPE_FLAG_HOLE},
    {.id = 2,.parent = -1,.kind = GST_SHAPE_KIND_HULL,
        .flags = GST_SHAPE_FLAG_CLOSED},
    {.id = 3,.parent = -1,.kind = GST_SHAPE_KIND_HULL,
        .flags = GST_SHAPE_FLAG_CLOSED},
  };
  static const GstShapeCircle circles[] = {
    {.x = 100.5f,.y = 60.5f,.r = 16.f,.rgba = 0xff0000ff,.parent = -1}
  };
  GstShapeSet *set = gst_shape_set_new (2 * WIDTH, 2 * HEIGHT);

  gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy (points,
          G_N_ELEMENTS (points), offsets, polylines, G_N_ELEMENTS (polylines),
          NULL));
  gst_shape_set_add_layer (set, gst_shape_layer_new_circles_copy (circles,
          G_N_ELEMENTS (circles)));
  return set;
}

/* By distances; pixels at the borders are in between, where these are not those
 * of pixels. */
static Want
inside_shapes (guint x, guint y)
{
  const gboolean is_hull = (x > 43 && x < 53 && y > 2 && y < 13)
      || (x > 48 && x < 58 && y > 6 && y < 17);
  const gdouble d = hypot (x - 50., y - 30.) - 8.;
  const gdouble square = MAX (MAX (X0 - x, x - X1), MAX (Y0 - y, y - Y1));
  const gdouble hole = MAX (MAX (20. - x, x - 30.), MAX (12. - y, y - 22.));

  if (fabs (d) <= 1. || fabs (hole) <= 1.)
    return BETWEEN;
  return is_hull || d < 0. || (square < 0. && hole > 0.) ? AFTER : BEFORE;
}

static Want
outside_shapes (guint x, guint y)
{
  const Want want = inside_shapes (x, y);

  return want == BETWEEN ? BETWEEN : want == AFTER ? BEFORE : AFTER;
}

static void
check_shapes (const gchar * format, const gchar * properties, WantFunc want)
{
  g_autofree gchar *caps = make_caps (format);
  g_autoptr (GstBuffer) in = picture (caps), all = filtered ("", caps, in);
  g_autoptr (GstBuffer) with = gst_buffer_copy_deep (in);
  g_autoptr (GstShapeSet) set = make_shapes ();

  gst_buffer_add_shape_meta (with, set);
  g_autoptr (GstBuffer) out = filtered (properties, caps, with);
  assert_parts (caps, in, all, out, want, properties);
}

TEST (shapes_are_filtered_inside)
{
  check_shapes ("GRAY8", "shapes=inside", inside_shapes);
  check_shapes ("RGBA", "shapes=inside", inside_shapes);
  check_shapes ("I420", "shapes=inside", inside_shapes);
}

TEST (shapes_are_filtered_outside)
{
  check_shapes ("GRAY16_LE", "shapes=outside", outside_shapes);
  check_shapes ("NV12", "shapes=outside", outside_shapes);
}

TEST (a_frame_without_shapes_has_no_inside)
{
  g_autofree gchar *caps = make_caps ("NV12");
  g_autoptr (GstBuffer) in = picture (caps);
  g_autoptr (GstBuffer) out = filtered ("shapes=inside", caps, in);
  g_autoptr (GstBuffer) all = filtered ("", caps, in);

  assert_same_bytes (out, in, "no inside");
  gst_buffer_unref (out);
  out = filtered ("shapes=outside", caps, in);
  assert_same_bytes (out, all, "all is outside");
}

/* Changes */

/* One thing changes, and the frame's size does not. */
TEST (parts_change_alone)
{
  static const gchar *const steps[][2] = {
    {"roi", "4,6,20,11"}, {"roi", "30,5,9,20"}, {"roi", ""},
    {"shapes", "inside"}, {"shapes", "outside"}, {"split", "0.3"},
    {"split", "0.7"}, {"shapes", "ignore"},
  };
  g_autoptr (GstHarness) h = llf_new ("");
  g_autoptr (GstElement) element = gst_harness_find_element (h, "cudallf");
  g_autofree gchar *caps = make_caps ("GRAY8");
  g_autoptr (GstBuffer) in = picture (caps);
  g_autoptr (GstShapeSet) set = make_shapes ();
  g_autoptr (GString) all = g_string_new ("");

  gst_buffer_add_shape_meta (in, set);
  gst_harness_set_src_caps_str (h, caps);
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    gst_util_set_object_arg (G_OBJECT (element), steps[i][0], steps[i][1]);
    g_string_append_printf (all, " %s=\"%s\"", steps[i][0], steps[i][1]);
    g_autoptr (GstBuffer) out = run (h, gst_buffer_copy_deep (in));
    g_autoptr (GstBuffer) want = filtered (all->str, caps, in);
    assert_same_bytes (out, want, all->str);
  }
}

static void
navigate (GstHarness * h, GstEvent * event)
{
  fail_unless (event != NULL);
  gst_harness_push_upstream_event (h, event);
}

static gdouble
get_split (GstHarness * h)
{
  gdouble split;

  gst_harness_get (h, "cudallf", "split", &split, NULL);
  return split;
}

/* The mouse moves the split while the first button is down, if there is one. */
TEST (the_mouse_moves_the_split)
{
  g_autoptr (GstHarness) h = llf_new ("");
  g_autofree gchar *caps = make_caps ("NV12");
  g_autoptr (GstBuffer) in = picture (caps), all = filtered ("", caps, in);

  gst_harness_set_src_caps_str (h, caps);
  navigate (h, gst_navigation_event_new_mouse_button_press (1, 30., 5.,
          GST_NAVIGATION_MODIFIER_NONE));
  fail_unless (get_split (h) == 0.);
  gst_harness_set (h, "cudallf", "split", .5, NULL);
  navigate (h, gst_navigation_event_new_mouse_move (24., 5.,
          GST_NAVIGATION_MODIFIER_NONE));
  fail_unless (get_split (h) == .5);
  navigate (h, gst_navigation_event_new_mouse_button_press (3, 30., 5.,
          GST_NAVIGATION_MODIFIER_NONE));
  fail_unless (get_split (h) == .5);
  navigate (h, gst_navigation_event_new_mouse_button_press (1, 15., 5.,
          GST_NAVIGATION_MODIFIER_NONE));
  fail_unless (get_split (h) == .25);
  navigate (h, gst_navigation_event_new_mouse_move (24., 7.,
          GST_NAVIGATION_MODIFIER_NONE));
  fail_unless (get_split (h) == .4);
  GstBuffer *out = run (h, gst_buffer_copy_deep (in));
  assert_parts (caps, in, all, out, right_of_24, "dragged");
  gst_buffer_unref (out);
  navigate (h, gst_navigation_event_new_mouse_move (-4., 7.,
          GST_NAVIGATION_MODIFIER_NONE));
  fail_unless (get_split (h) == .001);
  navigate (h, gst_navigation_event_new_mouse_button_release (1, 15., 5.,
          GST_NAVIGATION_MODIFIER_NONE));
  navigate (h, gst_navigation_event_new_mouse_move (24., 7.,
          GST_NAVIGATION_MODIFIER_NONE));
  fail_unless (get_split (h) == .001);
}

/* Properties and sizes may change from frame to frame. */
TEST (parts_may_change_at_any_time)
{
  static const gchar *const steps[][2] = {
    {"split", "0.4"}, {"roi", "10,5,20,20"}, {"split", "0"},
    {"shapes", "outside"}, {"roi", ""}, {"shapes", "ignore"},
    {"roi", "3,3,0,0"},
  };
  static const gchar *const sizes[] = {
    "video/x-raw,format=NV12,width=60,height=44,framerate=0/1",
    "video/x-raw,format=NV12,width=33,height=61,framerate=0/1",
    "video/x-raw,format=RGB,width=90,height=44,framerate=0/1",
  };
  g_autoptr (GstHarness) h = llf_new ("");
  g_autoptr (GstElement) element = gst_harness_find_element (h, "cudallf");
  g_autoptr (GString) all = g_string_new ("");

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    const gchar *caps = sizes[i % G_N_ELEMENTS (sizes)];
    g_autoptr (GstBuffer) in = picture (caps);

    gst_util_set_object_arg (G_OBJECT (element), steps[i][0], steps[i][1]);
    g_string_append_printf (all, " %s=\"%s\"", steps[i][0], steps[i][1]);
    gst_harness_set_src_caps_str (h, caps);
    g_autoptr (GstBuffer) out = run (h, gst_buffer_copy_deep (in));
    g_autoptr (GstBuffer) want = filtered (all->str, caps, in);
    assert_same_bytes (out, want, all->str);
  }
}

static void
assert_wrong (const gchar * properties, const gchar * what)
{
  g_autoptr (GstHarness) h = llf_new (properties);
  g_autoptr (GstBus) bus = take_bus (h, "cudallf");
  g_autofree gchar *caps = make_caps ("NV12");

  gst_harness_set_src_caps_str (h, caps);
  fail_unless_equals_int (gst_harness_push (h, picture (caps)),
      GST_FLOW_ERROR);
  assert_message (bus, GST_MESSAGE_ERROR, what);
}

TEST (what_is_no_part_is_an_error)
{
  g_autofree gchar *path = write_mask (WIDTH - 1);
  g_autofree gchar *mask = g_strdup_printf ("mask-location=%s",
      path);

  assert_wrong ("roi=abc", "four numbers");
  assert_wrong ("roi=1,2,3", "four numbers");
  assert_wrong ("roi=1,2,3,4,5", "four numbers");
  assert_wrong ("roi=1,2,3,-4", "four numbers");
  assert_wrong ("roi=\"1,2,3,4;\"", "four numbers");
  assert_wrong ("mask-location=/nowhere/at/all.png", "/nowhere/at/all.png");
  assert_wrong (mask, path);
  g_unlink (path);
}

SUITE (areas) {}
