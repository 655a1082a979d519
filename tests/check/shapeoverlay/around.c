/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rectangles, ellipses and fillings of hulls, and regions of interest: pixels
 * by their distance from the figure, which is sampled. */

#include <gst/video/video.h>

#include <math.h>
#include <string.h>

#include "../lib/harness.h"
#include "../lib/suite.h"
#include "shapes/gstshapes.h"

#define WIDTH 120
#define HEIGHT 90
#define CAPS "video/x-raw,format=GRAY8,width=120,height=90,framerate=0/1"

#define HEAD "{\"version\":1,\"width\":120,\"height\":90,\"shapes\":["
#define TAIL "]}"
/* a triangle in the corner; its measures are those of something else */
#define HULL "{\"id\":0,\"kind\":\"hull\",\"closed\":true," \
    "\"points\":[[2,2],[8,2],[2,8],[2,2]]"
#define MEASURES ",\"feret\":[1,2],\"min-area-rect\":{\"center\":[60,45]," \
    "\"size\":[50,30],\"angle\":30}," \
    "\"enclosing-circle\":{\"x\":0,\"y\":0,\"r\":1}"
#define ELLIPSE ",\"enclosing-ellipse\":{\"center\":[60.5,44.25]," \
    "\"axes\":[40,17],\"angle\":-20}"

/* Draws the shapes of @json, if any, and a region of interest on black. */
static GstBuffer *
draw (const gchar * properties, const gchar * json, gboolean region,
    GstBus * bus)
{
  gchar *line = g_strconcat ("shapeoverlay backend=cpu color-mode=fixed "
      "color-name=white draw-contours=false ", properties, NULL);
  g_autoptr (GstHarness) h = gst_harness_new_parse (line);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, WIDTH * HEIGHT, NULL);

  gst_buffer_memset (buffer, 0, 0, WIDTH * HEIGHT);
  if (json) {
    g_autoptr (GstShapeSet) set = gst_shape_set_from_json (json, NULL);

    fail_unless (set != NULL);
    gst_buffer_add_shape_meta (buffer, set);
  }
  if (region)
    gst_buffer_add_video_region_of_interest_meta (buffer, "fruit", 20, 10, 60,
        40);
  if (bus)
    gst_element_set_bus (h->element, bus);
  gst_harness_set_src_caps_str (h, CAPS);
  buffer = gst_harness_push_and_pull (h, buffer);
  if (bus)
    gst_element_set_bus (h->element, NULL);
  g_free (line);
  return buffer;
}

typedef void (*Figure) (gdouble t, gdouble * x, gdouble * y);

/* At t from 0 to 1. */
static void
ellipse (gdouble t, gdouble * x, gdouble * y)
{
  const gdouble turn = -20 * G_PI / 180;
  const gdouble a = 40 * cos (2 * G_PI * t), b = 17 * sin (2 * G_PI * t);

  *x = 60.5 + a * cos (turn) - b * sin (turn);
  *y = 44.25 + a * sin (turn) + b * cos (turn);
}

static void
box (gdouble t, gdouble width, gdouble height, gdouble * x, gdouble * y)
{
  const gdouble side = 4 * t - floor (4 * t);

  switch ((guint) (4 * t) % 4) {
    case 0:
      *x = (side - .5) * width;
      *y = -height / 2;
      break;
    case 1:
      *x = width / 2;
      *y = (side - .5) * height;
      break;
    case 2:
      *x = (.5 - side) * width;
      *y = height / 2;
      break;
    default:
      *x = -width / 2;
      *y = (.5 - side) * height;
      break;
  }
}

static void
rectangle (gdouble t, gdouble * x, gdouble * y)
{
  gdouble u, v;

  box (t, 50, 30, &u, &v);
  *x = 60 + u * cos (G_PI / 6) - v * sin (G_PI / 6);
  *y = 45 + u * sin (G_PI / 6) + v * cos (G_PI / 6);
}

/* Around the pixels 20 to 79, 10 to 49. */
static void
region (gdouble t, gdouble * x, gdouble * y)
{
  box (t, 60, 40, x, y);
  *x += 49.5;
  *y += 29.5;
}

/* A line of 2 pixels: white up to .3 from its middle, black from 1.8 on. */
static void
assert_line (GstBuffer * buffer, Figure figure, const gchar * what)
{
  GstMapInfo map;
  guint n_white = 0;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH; x++) {
      const guint8 code = map.data[y * WIDTH + x];
      gdouble least = G_MAXDOUBLE;

      for (guint i = 0; i < 1000; i++) {
        gdouble px, py;

        figure (i / 1000., &px, &py);
        least = MIN (least, hypot (px - x, py - y));
      }
      fail_unless (least > .3 || code == 255, "%s: %u,%u is %u", what, x, y,
          code);
      fail_unless (least < 1.8 || code == 0, "%s: %u,%u is %u", what, x, y,
          code);
      n_white += code == 255;
    }
  fail_unless (n_white > 50, "%s", what);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
}

TEST (rectangles_and_ellipses_are_where_they_are)
{
  const gchar *json = HEAD HULL MEASURES ELLIPSE "}" TAIL;

  assert_line (draw ("draw-hulls=false draw-rectangles=true", json, FALSE,
          NULL), rectangle, "rectangle");
  assert_line (draw ("draw-hulls=false draw-ellipses=true", json, FALSE, NULL),
      ellipse, "ellipse");
}

TEST (regions_are_drawn_with_and_without_shapes)
{
  g_autoptr (GstBus) bus = gst_bus_new ();

  assert_line (draw ("draw-roi=true", NULL, TRUE, bus), region,
      "without shapes");
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  assert_line (draw ("draw-roi=true draw-hulls=false",
          HEAD HULL "}" TAIL, TRUE, NULL), region, "with shapes");
  /* shapes of half the frame's size: regions stay */
  assert_line (draw ("draw-roi=true", "{\"version\":1,\"width\":60,"
          "\"height\":45,\"shapes\":[]}", TRUE, NULL), region, "scaled");
}

static guint8
code_at (GstBuffer * buffer, guint x, guint y)
{
  guint8 code;

  gst_buffer_extract (buffer, y * WIDTH + x, &code, 1);
  return code;
}

#define SQUARE(id, x0, y0, x1, y1) "{\"id\":" #id ",\"kind\":\"hull\"," \
    "\"closed\":true,\"points\":[[" #x0 "," #y0 "],[" #x1 "," #y0 "],[" #x1 \
    "," #y1 "],[" #x0 "," #y1 "],[" #x0 "," #y0 "]]}"

TEST (hulls_are_filled_if_wanted)
{
  /* the second overlaps the first, the third lies within it */
  const gchar *json = HEAD SQUARE (0, 10, 10, 60, 60) ","
      SQUARE (1, 40, 40, 90, 80) "," SQUARE (2, 20, 20, 30, 30) TAIL;
  g_autoptr (GstBuffer) filled =
      draw ("line-width=0 fill-opacity=1 fill-hulls=true", json, FALSE, NULL);
  g_autoptr (GstBuffer) half =
      draw ("line-width=0 fill-opacity=0.5 fill-hulls=true", json, FALSE, NULL);
  GstBuffer *empty = draw ("line-width=0 fill-opacity=1", json, FALSE, NULL);
  static const guint inside[][2] = { {15, 15}, {50, 50}, {80, 70}, {25, 25} };

  for (guint i = 0; i < G_N_ELEMENTS (inside); i++) {
    const guint x = inside[i][0], y = inside[i][1];

    fail_unless_equals_int (code_at (filled, x, y), 255);
    fail_unless_equals_int (code_at (empty, x, y), 0);
    /* each by itself, after the other, with codes rounded */
    fail_unless_equals_int (code_at (half, x, y), i % 2 ? 192 : 128);
  }
  fail_unless_equals_int (code_at (filled, 5, 5), 0);
  fail_unless_equals_int (code_at (filled, 70, 20), 0);
  gst_buffer_unref (empty);
}

static void
assert_warning (const gchar * properties, const gchar * json,
    const gchar * part)
{
  g_autoptr (GstBus) bus = gst_bus_new ();
  GError *error;

  gst_buffer_unref (draw (properties, json, FALSE, bus));
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  fail_unless ((message != NULL) == (part != NULL), "%s", properties);
  if (message) {
    gst_message_parse_warning (message, &error, NULL);
    fail_unless (strstr (error->message, part) != NULL, "%s", error->message);
    g_error_free (error);
    gst_message_unref (message);
  }
}

TEST (what_was_not_measured_is_said)
{
  assert_warning ("draw-rectangles=true", HEAD HULL "}" TAIL, "measures=full");
  assert_warning ("draw-ellipses=true", HEAD HULL MEASURES "}" TAIL,
      "ellipse=true");
  assert_warning ("draw-rectangles=true draw-ellipses=true",
      HEAD HULL MEASURES ELLIPSE "}" TAIL, NULL);
  assert_warning ("", HEAD HULL "}" TAIL, NULL);
}

SUITE (around) {}
