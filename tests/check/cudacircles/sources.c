/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where cudacircles has its circles from: properties, signals, files, shapes
 * and regions of interest. */

#include "circles_test.h"

#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARKER 0xd55e0080u      /* the default marker-color */

static gchar *
write_file (const gchar * text)
{
  GError *error = NULL;
  gchar *path;
  gint fd = g_file_open_tmp ("circles-XXXXXX", &path, &error);

  fail_unless (fd >= 0, "%s", error ? error->message : "");
  g_close (fd, NULL);
  fail_unless (g_file_set_contents (path, text, -1, NULL));
  return path;
}

static void
assert_paints_file (const gchar * text, const gchar * properties,
    const CsCircle * circles, gsize n)
{
  g_autofree gchar *path = write_file (text);
  g_autofree gchar *line = g_strdup_printf ("location=%s %s", path, properties);

  assert_paints_on (line, "RGB", 40, 30, NULL, circles, n, TRUE, 1.f);
  g_unlink (path);
}

TEST (a_file_of_circles)
{
  static const CsCircle circles[] = {
    {10, 20, 9, 1, 0xff000080}, {14, 12, 8, .5f, 0x00ff00ff}
  };
  static const CsCircle normalized[] = {
    {.5f * 40 - .5f, .25f * 30 - .5f, .2f * 30, 0, 0x0000ffc0}
  };

  assert_paints_file ("# two\n14 12 8 .5 #00ff00\n\n10 20 9 1 #ff000080\n", "",
      circles, 2);
  assert_paints_file ("{\"frame\":0,\"shapes\":[{\"kind\":\"circle\",\"x\":10,"
      "\"y\":20,\"r\":9,\"z\":1,\"color\":\"#ff000080\",\"parent\":null},"
      "{\"kind\":\"circle\",\"x\":14,\"y\":12,\"r\":8,\"z\":0.5,"
      "\"color\":\"#00ff00ff\",\"parent\":null}]}\n", "", circles, 2);
  assert_paints_file (".5 .25 .2 0 #0000ffc0", "units=normalized", normalized,
      1);
  assert_paints_file ("", "", NULL, 0);
}

/* The error of an element that does not start, which says @text. */
static void
assert_does_not_start (const gchar * location, GQuark domain, gint code,
    const gchar * text)
{
  GstElement *element = gst_element_factory_make ("cudacircles", NULL);
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GError) error = NULL;

  gst_element_set_bus (element, bus);
  g_object_set (element, "location", location, NULL);
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, domain, code)
      && strstr (error->message, text), "%s", error->message);
  gst_message_unref (message);
  gst_element_set_bus (element, NULL);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
}

TEST (a_wrong_file_names_the_line)
{
  gchar *path = write_file ("1 2 3 4 #ffffff\n# fine\n1 2 three 4 #ffffff\n");

  assert_does_not_start (path, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
      "line 3");
  assert_does_not_start (path, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
      path);
  g_unlink (path);
  assert_does_not_start (path, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_OPEN_READ, path);
  /* what never ends, or blocks */
  assert_does_not_start ("/dev/zero", GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_OPEN_READ, "only regular files");
  fail_unless (mkfifo (path, 0600) == 0);
  assert_does_not_start (path, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_OPEN_READ, "only regular files");
  g_unlink (path);
  fail_unless (g_file_set_contents (path, "", 0, NULL));
  fail_unless (truncate (path, 1 << 29) == 0);
  assert_does_not_start (path, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_OPEN_READ, "up to 268435456 bytes");
  g_unlink (path);
  g_free (path);
}

/* The warning about "circles" set to @text. */
static void
assert_warns (const gchar * text, const gchar * what)
{
  GstElement *element = gst_element_factory_make ("cudacircles", NULL);
  g_autoptr (GstBus) bus = gst_bus_new ();

  gst_element_set_bus (element, bus);
  set_from_text (element, "circles", text);
  assert_message (bus, GST_MESSAGE_WARNING, what);
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
}

/* As on a launch line, where properties are set before there is a bus. */
TEST (a_wrong_circle_is_named_at_the_start)
{
  GstElement *element = gst_element_factory_make ("cudacircles", NULL);
  g_autoptr (GstBus) bus = gst_bus_new ();

  set_from_text (element, "circles", "<[c,x=8,y=6,r=2],[c,x=8,y=6,radius=2]>");
  gst_element_set_bus (element, bus);
  gst_element_set_state (element, GST_STATE_PAUSED);
  assert_message (bus, GST_MESSAGE_WARNING,
      "1 of the circles are left out; circle 1 has a field \"radius\"");
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_state (element, GST_STATE_PAUSED);
  ck_assert_uint_eq (count_told (bus, "left out"), 0);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
}

TEST (a_wrong_circle_is_named)
{
  assert_warns ("<[c,x=1,y=2,r=3],[c,x=80,y=60,r=20,colour=red]>",
      "1 of the circles are left out; circle 1 has a field \"colour\"");
  assert_warns ("<[c,x=80,y=60]>", "circle 0 has no field \"r\"");
  assert_warns ("<[c,x=80,y=60,r=big]>", "circle 0 has r=big, which is no");
  assert_warns ("<[c,x=8,y=6,r=2],[c,x=8,y=6,r=2],[c,x=1,y=1,r=1,color=redd]>",
      "circle 2 has color=redd, which is no colour");
  assert_warns ("<[c,x=8,y=6,r=2,vx=fast],[c,r=2]>",
      "2 of the circles are left out; circle 0 has vx=fast");
}

/* A frame of 40 x 30 at @time, of circles on white. */
static GstBuffer *
paint_at (const gchar * properties, GstClockTime time)
{
  g_autofree gchar *line = g_strconcat ("background=white ", properties, NULL);
  g_autoptr (GstHarness) h = circles_new (line);
  GstVideoInfo info;
  g_autofree gchar *caps = make_caps (&info, "RGB", 40, 30, "");
  GstBuffer *in = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (&info),
      NULL);

  gst_harness_set_src_caps_str (h, caps);
  gst_buffer_memset (in, 0, 7, -1);
  GST_BUFFER_PTS (in) = time;
  return run (h, in);
}

static void
assert_same_picture (const gchar * a, GstClockTime a_time, const gchar * b,
    GstClockTime b_time, gboolean same)
{
  g_autoptr (GstBuffer) x = paint_at (a, a_time), y = paint_at (b, b_time);

  fail_unless (same_bytes (x, y) == same, "%s and %s", a, b);
}

/* Where a circle is follows from the time of the frame alone. */
TEST (circles_move_with_the_time)
{
  static const gchar moving[] =
      "circles=<[c,x=10,y=9,r=4,vx=4,vy=-2,color=red]>";
  g_autofree gchar *path = write_file ("10 9 4 0 #ff0000 4 -2\n");
  g_autofree gchar *file = g_strdup_printf ("location=%s", path);

  assert_same_picture (moving, 0, "circles=<[c,x=10,y=9,r=4,color=red]>", 0,
      TRUE);
  assert_same_picture (moving, 2 * GST_SECOND,
      "circles=<[c,x=18,y=5,r=4,color=red]>", 0, TRUE);
  assert_same_picture (file, 2 * GST_SECOND,
      "circles=<[c,x=18,y=5,r=4,color=red]>", 0, TRUE);
  assert_same_picture ("gravity=3 circles=<[c,x=10,y=9,r=4,vx=4,color=red]>",
      2 * GST_SECOND, "circles=<[c,x=18,y=15,r=4,color=red]>", 0, TRUE);
  /* the right border is at 39.5, the centre's at 35.5 */
  assert_same_picture ("bounce=true circles=<[c,x=30,y=9,r=4,vx=4,color=red]>",
      2 * GST_SECOND, "circles=<[c,x=33,y=9,r=4,color=red]>", 0, TRUE);
  assert_same_picture (moving, 2 * GST_SECOND, moving, GST_SECOND, FALSE);
  g_unlink (path);
}

#define SHADED "radial:ffffff:ff000080/0.5"

/* The warning of a frame with the gradient @text. */
static void
assert_no_gradient (const gchar * text, const gchar * what)
{
  g_autoptr (GstHarness) h = circles_new ("circles=<[c,x=8,y=6,r=5]>");
  g_autoptr (GstElement) element = find_circles (h);
  g_autoptr (GstBus) bus = gst_bus_new ();
  GstVideoInfo info;
  g_autofree gchar *caps = make_caps (&info, "RGB", 40, 30, "");

  gst_element_set_bus (element, bus);
  g_object_set (element, "gradient", text, NULL);
  gst_harness_set_src_caps_str (h, caps);
  gst_buffer_unref (run (h, noise_buffer (&info, 1)));
  assert_message (bus, GST_MESSAGE_WARNING, what);
  gst_element_set_bus (element, NULL);
}

/* A circle's own gradient, of the file or the property, comes before that of
 * the element. What is painted is checked in check-circles. */
TEST (gradients_of_all_sources)
{
  static const gchar own[] = "circles=<[c,x=20,y=15,r=12,color=steelblue,"
      "gradient=" SHADED "]>";
  static const gchar flat[] = "circles=<[c,x=20,y=15,r=12,color=steelblue]>";
  g_autofree gchar *path = write_file ("20 15 12 0 #4682b4 " SHADED "\n");
  g_autofree gchar *file = g_strdup_printf ("gradient=glow location=%s", path);
  g_autofree gchar *all = g_strdup_printf ("gradient=\"%s\" %s", SHADED, flat);
  gchar *other = g_strdup_printf ("gradient=\"linear:30:red:blue\" %s", own);
  gchar *moving = g_strdup_printf ("gradient=snow circles=<[c,x=20,y=13,"
      "r=12,vy=2,color=steelblue,gradient=%s]>", SHADED);
  /* out of sight, with another gradient */
  gchar *far = write_file ("-900 -900 12 0 #4682b4 linear:30:ff0000:0000ff\n");
  g_autofree gchar *beside = g_strdup_printf ("location=%s %s", far, moving);

  assert_same_picture (own, 0, flat, 0, FALSE);
  assert_same_picture (own, 0, all, 0, TRUE);
  assert_same_picture (own, 0, other, 0, TRUE);
  assert_same_picture (own, 0, file, 0, TRUE);
  assert_same_picture (moving, GST_SECOND, own, 0, TRUE);
  assert_same_picture (beside, GST_SECOND, own, 0, TRUE);
  assert_same_picture ("scene=snow gradient=snow", 0, "scene=snow", 0, FALSE);
  assert_same_picture ("gradient=\"radial:red\" fill=false stroke-width=3 "
      "circles=<[c,x=20,y=15,r=12]>", 0, "fill=false stroke-width=3 "
      "circles=<[c,x=20,y=15,r=12]>", 0, TRUE);
  assert_no_gradient ("radial:red:oops", "\"oops\" is no colour");
  assert_no_gradient ("conic:red:blue", "\"conic\" is no gradient");
  assert_warns ("<[c,x=1,y=1,r=1,gradient=glow],"
      "[c,x=1,y=1,r=1,gradient=shiny]>",
      "circle 1 has gradient=\"shiny\": \"shiny\" is no gradient");
  assert_warns ("<[c,x=1,y=1,r=1,gradient=7]>", "a gradient that is no text");
  g_unlink (path);
  g_unlink (far);
  g_free (far);
  g_free (other);
  g_free (moving);
}

/* rgby is not sorted by depth. */
TEST (a_scene_in_its_own_order)
{
  CsCircle circles[4];

  cs_scene_make (CS_SCENE_RGBY, 0, 0., circles);
  for (guint i = 0; i < 4; i++) {
    circles[i].x = circles[i].x * 40 - .5f;
    circles[i].y = circles[i].y * 30 - .5f;
    circles[i].r *= 30;
    circles[i].z = 1.f;
  }
  assert_paints_on ("scene=rgby scene-order=array", "RGB", 40, 30, NULL,
      circles, 4, TRUE, 1.f);
  assert_same_picture ("scene=rgby", 0, "scene=rgby scene-order=array", 0,
      FALSE);
}

/* A still picture is painted twice, then copied: the same bits, whatever was in
 * the frame, until something changes. */
TEST (still_pictures_stay_the_same)
{
  static const gchar *const formats[] = { "RGBA", "BGR", "NV12", "I420",
    "P010_10LE", "GRAY8", "YUY2", "Y444", "xRGB"
  };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    g_autoptr (GstHarness) h = circles_new ("scene=pattern background=black");
    g_autoptr (GstBuffer) first = NULL;
    GstVideoInfo info;
    g_autofree gchar *caps = make_caps (&info, formats[f], 41, 31, "");

    gst_harness_set_src_caps_str (h, caps);
    for (guint i = 0; i < 9; i++) {
      GstBuffer *in = gst_buffer_new_allocate (NULL,
          GST_VIDEO_INFO_SIZE (&info), NULL);

      gst_buffer_memset (in, 0, 9, -1);
      if (f == 0)
        gst_buffer_memset (in, 0, 9 * i, -1);
      if (i == 5)
        set_property (h, "opacity", "0.5");
      if (i == 6)
        set_property (h, "opacity", "1.0");
      g_autoptr (GstBuffer) out = run (h, in);
      gboolean same = first && same_bytes (out, first);
      fail_unless (!first || same == (i != 5), "%s, frame %u", formats[f], i);
      if (!first)
        first = gst_buffer_ref (out);
    }
  }
}

TEST (the_property_reads_as_it_was_set)
{
  GstElement *element = gst_element_factory_make ("cudacircles", NULL);
  GValue array = G_VALUE_INIT;
  gdouble x, z;
  guint color;

  set_from_text (element, "circles",
      "<[circle,x=1,y=2.5,r=(float)3,color=(uint)0x80102030],"
      "[circle,x=4,y=5,r=6,z=7,gradient=linear:90:red:0000ff80]>");
  g_value_init (&array, GST_TYPE_ARRAY);
  g_object_get_property (G_OBJECT (element), "circles", &array);
  fail_unless_equals_int (gst_value_array_get_size (&array), 2);
  const GstStructure *structure =
      gst_value_get_structure (gst_value_array_get_value (&array, 0));
  fail_unless (gst_structure_get (structure, "x", G_TYPE_DOUBLE, &x, "z",
          G_TYPE_DOUBLE, &z, "color", G_TYPE_UINT, &color, NULL));
  fail_unless (x == 1. && z == 0. && color == 0x80102030);
  structure = gst_value_get_structure (gst_value_array_get_value (&array, 1));
  fail_unless_equals_string (gst_structure_get_string (structure, "gradient"),
      "linear:90:ff0000ff/0:0000ff80/1");
  /* and can be set as it reads */
  g_object_set_property (G_OBJECT (element), "circles", &array);
  g_value_unset (&array);
  g_value_init (&array, GST_TYPE_ARRAY);
  g_object_get_property (G_OBJECT (element), "circles", &array);
  fail_unless_equals_int (gst_value_array_get_size (&array), 2);
  g_value_unset (&array);
  gst_object_unref (element);
}

TEST (what_is_no_circle_is_left_out)
{
  g_autoptr (GstHarness) h = circles_new ("");
  g_autoptr (GstElement) element = find_circles (h);
  g_autoptr (GstBus) bus = gst_bus_new ();
  GValue array = G_VALUE_INIT;

  gst_element_set_bus (element, bus);
  set_property (h, "circles", "<[circle,x=1,y=2],[circle,x=1,y=2,r=(string)3],"
      "[circle,x=1,y=2,r=3,color=(string)reddish],[circle,x=1,y=2,r=3]>");
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  fail_unless (message != NULL);
  gst_message_unref (message);
  g_value_init (&array, GST_TYPE_ARRAY);
  g_object_get_property (G_OBJECT (element), "circles", &array);
  fail_unless_equals_int (gst_value_array_get_size (&array), 1);
  g_value_unset (&array);
  gst_element_set_bus (element, NULL);
}

TEST (dropped_circles_are_counted)
{
  g_autoptr (GstHarness) h = circles_new ("circles=\"<[circle,x=1,y=1,r=0],"
      "[circle,x=1,y=1,r=-1],[circle,x=-50,y=1,r=3],[circle,x=1,y=1,r=2]>\"");
  g_autoptr (GstElement) element = find_circles (h);
  GstVideoInfo info;
  g_autofree gchar *caps = make_caps (&info, "GRAY8", 16, 16, "");

  g_signal_emit_by_name (element, "add-circle", (gdouble) NAN, 0., 1., 0., 0u);
  gst_harness_set_src_caps_str (h, caps);
  for (guint i = 0; i < 3; i++) {
    gst_buffer_unref (run (h, noise_buffer (&info, 1)));
    fail_unless_equals_uint64 (get_left_out (h), 4);
  }
  g_signal_emit_by_name (element, "clear-circles");
  gst_buffer_unref (run (h, noise_buffer (&info, 1)));
  fail_unless_equals_uint64 (get_left_out (h), 0);
}

TEST (signals_change_the_next_frame)
{
  static const CsCircle circles[] = {
    {5, 5, 4, 0, 0xff0000ff}, {8, 8, 4, -1, 0x00ff0080}
  };
  g_autoptr (GstHarness) h = circles_new ("");
  g_autoptr (GstElement) element = find_circles (h);
  GstVideoInfo info;
  g_autofree gchar *caps = make_caps (&info, "RGBA", 20, 20, "");
  GstBuffer *buffer;
  Canvas canvas;

  gst_harness_set_src_caps_str (h, caps);
  for (guint n = 0; n <= 2; n++) {
    buffer = noise_buffer (&info, n);
    canvas_init (&canvas, &info, buffer);
    canvas_paint_all (&canvas, circles, n, 8, TRUE, 1.f);
    buffer = run (h, buffer);
    assert_shows (buffer, &info, &canvas, "added");
    gst_buffer_unref (buffer);
    canvas_clear (&canvas);
    if (n == 0)
      g_signal_emit_by_name (element, "add-circle", 5., 5., 4., 0.,
          0xffff0000u);
    else
      g_signal_emit_by_name (element, "add-circle", 8., 8., 4., -1.,
          0x8000ff00u);
  }
  g_signal_emit_by_name (element, "clear-circles");
  g_autoptr (GstBuffer) before = noise_buffer (&info, 5);
  buffer = run (h, noise_buffer (&info, 5));
  fail_unless (same_bytes (before, buffer));
  gst_buffer_unref (buffer);
}

static gpointer
change_circles (gpointer data)
{
  GstElement *element = data;

  for (guint i = 0; i < 3000; i++) {
    g_signal_emit_by_name (element, "add-circle", i % 40 * 1., i % 30 * 1., 3.,
        i * .1, 0x80ffffffu);
    if (i % 50 == 0)
      g_signal_emit_by_name (element, "clear-circles");
    if (i % 100 == 0)
      g_object_set (element, "scene", i / 100 % 4, "stroke-width", i % 3 * 1.,
          NULL);
  }
  return NULL;
}

TEST (signals_from_another_thread_while_frames_pass)
{
  g_autoptr (GstHarness) h = circles_new ("");
  g_autoptr (GstElement) element = find_circles (h);
  GstVideoInfo info;
  g_autofree gchar *caps = make_caps (&info, "I420", 40, 30, "");

  gst_harness_set_src_caps_str (h, caps);
  GThread *thread = g_thread_new ("changes", change_circles, element);
  for (guint i = 0; i < 200; i++)
    gst_buffer_unref (run (h, noise_buffer (&info, i)));
  g_thread_join (thread);
  /* what was set last is what counts then */
  g_object_set (element, "scene", 0, "background", CS_BACKGROUND_BLACK, NULL);
  g_signal_emit_by_name (element, "clear-circles");
  gst_buffer_unref (run (h, noise_buffer (&info, 1)));
  fail_unless_equals_uint64 (get_left_out (h), 0);
}

/* Shapes */

static void
add_layer (GstBuffer * buffer, guint width, guint height,
    GstShapeLayer * layer)
{
  g_autoptr (GstShapeSet) set = gst_shape_set_new (width, height);

  gst_shape_set_add_layer (set, layer);
  gst_buffer_add_shape_meta (buffer, set);
}

/* A buffer with shapes, and the expected picture. */
static void
assert_paints_shapes (const gchar * properties, GstShapeLayer * layer,
    guint set_width, guint set_height, const CsCircle * circles, gsize n)
{
  GstVideoInfo info;

  g_free (make_caps (&info, "RGBA", 60, 40, ""));
  GstBuffer *buffer = noise_buffer (&info, 4);
  add_layer (buffer, set_width, set_height, layer);
  assert_paints_on (properties, "RGBA", 60, 40, buffer, circles, n, TRUE, 1.f);
}

static const GstShapeCircle shape_circles[] = {
  {10, 20, 8, 3, 0xff0000ff, -1}, {16, 20, 8, 5, 0x00ff0080, -1},
  {13, 24, 8, 3, 0x0000ff80, 2}
};

TEST (circles_of_the_meta)
{
  static const CsCircle same[] = {
    {10, 20, 8, 3, 0xff0000ff}, {16, 20, 8, 5, 0x00ff0080},
    {13, 24, 8, 3, 0x0000ff80}
  };
  static const CsCircle doubled[] = {
    {20.5f, 40.5f, 16, 3, 0xff0000ff}, {32.5f, 40.5f, 16, 5, 0x00ff0080},
    {26.5f, 48.5f, 16, 3, 0x0000ff80}
  };

  assert_paints_shapes ("", gst_shape_layer_new_circles_copy (shape_circles,
          3), 60, 40, same, 3);
  assert_paints_shapes ("", gst_shape_layer_new_circles_copy (shape_circles,
          3), 0, 0, same, 3);
  /* the frame is twice as large as the shapes' coordinate space */
  assert_paints_shapes ("", gst_shape_layer_new_circles_copy (shape_circles,
          3), 30, 20, doubled, 3);
  assert_paints_shapes ("from-circles=false",
      gst_shape_layer_new_circles_copy (shape_circles, 3), 60, 40, NULL, 0);
}

/* A square, a hole in it, a triangle that is not closed, whose record has no
 * area, and the hull of the square. */
static GstShapeLayer *
polylines (gboolean with_contours, gboolean with_points)
{
  static const GstShapePoint points[] = {
    {10, 10}, {20, 10}, {20, 20}, {10, 20}, {10, 10},
    {14, 14}, {14, 16}, {16, 16}, {14, 14},
    {40, 30}, {50, 30}, {45, 31},
    {10, 10}, {20, 10}, {20, 20}, {10, 20}, {10, 10}
  };
  static const guint32 offsets[] = { 0, 5, 9, 12, 17 };
  GstShapePolyline records[4] = {
    {.id = 0,.flags = GST_SHAPE_FLAG_CLOSED,.area = 100,.centroid_x = 15,
        .centroid_y = 15},
    {.id = 1,.flags = GST_SHAPE_FLAG_CLOSED | GST_SHAPE_FLAG_HOLE,.area = -2},
    {.id = 2,.perimeter = 15},
    {.id = 3,.kind = GST_SHAPE_KIND_HULL,.flags = GST_SHAPE_FLAG_CLOSED,
        .area = 100,.centroid_x = 15,.centroid_y = 15}
  };

  if (!with_contours)
    return gst_shape_layer_new_polylines_copy (points + 12, 5,
        (const guint32[]) {0, 5}, records + 3, 1, NULL);
  if (!with_points)
    return gst_shape_layer_new_polylines_copy (NULL, 17, offsets, records, 4,
        NULL);
  return gst_shape_layer_new_polylines_copy (points, 17, offsets, records, 4,
      NULL);
}

TEST (contours_are_marked)
{
  const CsCircle enclosing[] = {
    {15, 15, sqrtf (50.f), 0, MARKER}, {45, 30, 5, 0, MARKER}
  };
  const CsCircle equivalent[] = {
    {15, 15, (gfloat) sqrt (100. / G_PI), 0, MARKER}
  };
  const CsCircle recoloured[] = {
    {15, 15, sqrtf (50.f), 0, 0x00ff00ff}, {45, 30, 5, 0, 0x00ff00ff}
  };

  assert_paints_shapes ("", polylines (TRUE, TRUE), 60, 40, NULL, 0);
  assert_paints_shapes ("from-contours=enclosing", polylines (TRUE, TRUE), 60,
      40, enclosing, 2);
  assert_paints_shapes ("from-contours=equivalent", polylines (TRUE, TRUE), 60,
      40, equivalent, 1);
  assert_paints_shapes ("from-contours=enclosing marker-color=0xff00ff00",
      polylines (TRUE, TRUE), 60, 40, recoloured, 2);
  /* without contours, hulls are */
  assert_paints_shapes ("from-contours=enclosing", polylines (FALSE, TRUE), 60,
      40, enclosing, 1);
  assert_paints_shapes ("from-contours=equivalent", polylines (TRUE, FALSE),
      60, 40, equivalent, 1);
}

TEST (contours_without_points_are_warned_about_once)
{
  g_autoptr (GstHarness) h = circles_new ("from-contours=enclosing");
  g_autoptr (GstElement) element = find_circles (h);
  g_autoptr (GstBus) bus = gst_bus_new ();
  GstVideoInfo info;
  g_autofree gchar *caps = make_caps (&info, "RGBA", 60, 40, "");

  gst_element_set_bus (element, bus);
  gst_harness_set_src_caps_str (h, caps);
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstBuffer) buffer = noise_buffer (&info, 1);

    add_layer (buffer, 60, 40, polylines (TRUE, FALSE));
    g_autoptr (GstBuffer) before = noise_buffer (&info, 1);
    buffer = run (h, buffer);
    fail_unless (same_bytes (buffer, before));
  }
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  fail_unless (message != NULL);
  gst_message_unref (message);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  gst_element_set_bus (element, NULL);
}

/* Markers are in front of everything else. */
TEST (markers_are_nearest)
{
  const CsCircle circles[] = {
    {15, 15, 30, -1e30f, 0x0000ffff}, {15, 15, sqrtf (50.f), -2e38f, MARKER},
    {45, 30, 5, -2e38f, MARKER}
  };

  assert_paints_shapes ("from-contours=enclosing circles=\"<[circle,x=15,y=15,"
      "r=30,z=-1e30,color=(uint)0xff0000ff]>\"", polylines (TRUE, TRUE), 60, 40,
      circles, 3);
}

TEST (regions_of_interest_are_marked)
{
  static const CsCircle circles[] = {
    {24.5f, 21.5f, 10, 0, MARKER}, {2.5f, 3.f, 2.5f, 0, MARKER}
  };
  GstVideoInfo info;

  g_free (make_caps (&info, "RGBA", 60, 40, ""));
  for (guint i = 0; i < 2; i++) {
    GstBuffer *buffer = noise_buffer (&info, 4);

    gst_buffer_add_video_region_of_interest_meta (buffer, "ball", 17, 16, 16,
        12);
    gst_buffer_add_video_region_of_interest_meta (buffer, "ball", 1, 2, 4, 3);
    assert_paints_on (i ? "from-roi=true" : "", "RGBA", 60, 40, buffer, circles,
        i ? 2 : 0, TRUE, 1.f);
  }
}

/* What cudacontours finds in a picture of two bright discs. */
TEST (contours_of_a_picture)
{
  GstHarness *h = gst_harness_new_parse ("cudacontours backend=cpu ! "
      "cudacircles name=c backend=cpu from-contours=enclosing fill=false "
      "stroke-width=2 marker-color=0xffffffff");
  GstVideoInfo info;
  g_autofree gchar *caps = make_caps (&info, "GRAY8", 64, 64, "");
  g_autoptr (GstBuffer) buffer = gst_buffer_new_allocate (NULL, 64 * 64, NULL);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (guint y = 0; y < 64; y++)
    for (guint x = 0; x < 64; x++)
      map.data[64 * y + x] = hypot (x - 20., y - 30.) < 10. ? 200 : 0;
  gst_buffer_unmap (buffer, &map);
  gst_harness_set_src_caps_str (h, caps);
  buffer = run (h, buffer);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless_equals_int (map.data[64 * 30 + 20], 200);
  fail_unless_equals_int (map.data[64 * 30 + 60], 0);
  fail_unless (map.data[64 * 30 + 30] == 255 || map.data[64 * 30 + 29] == 255);
  fail_unless (map.data[64 * 20 + 20] == 255 || map.data[64 * 21 + 20] == 255);
  gst_buffer_unmap (buffer, &map);
  gst_harness_teardown (h);
}

SUITE (sources) {}
