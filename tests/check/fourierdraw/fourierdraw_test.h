/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the programs that test fourierdraw share: pictures with shapes, films,
 * and looking at frames. */

#include <gst/video/video.h>

#include <math.h>
#include <string.h>

#include "../lib/streams.h"
#include "shapes/gstshapes.h"

#define WIDTH 64
#define HEIGHT 48

#define GRAY(width, height, rate) "video/x-raw,format=GRAY8,width=" #width \
  ",height=" #height ",framerate=" rate
/* What films are unless a test says otherwise. */
#define GRAY_IN GRAY (64, 48, "0/1")
#define GRAY_OUT(rate) "video/x-raw,format=GRAY8,framerate=" rate
#define RGBA_OUT(rate) "video/x-raw,format=RGBA,framerate=" rate

/* White ink on black, and nothing else. */
#define ONLY_INK "trail-color=0xffffffff draw-circles=false draw-arm=false " \
  "draw-tip=false ghost-opacity=0 min-points=1 "

/* A film under way: an element between two pads. */
typedef struct
{
  GstHarness *h;
  GstElement *element;
  GstBus *bus;
} Film;

static inline Film
film_new (const gchar * properties, const gchar * in, const gchar * out)
{
  gchar *line = g_strconcat ("fourierdraw backend=cpu ", properties, NULL);
  Film film;

  film.h = gst_harness_new_parse (line);
  fail_unless (film.h != NULL, "%s", line);
  g_free (line);
  film.element = gst_harness_find_element (film.h, "fourierdraw");
  film.bus = gst_bus_new ();
  gst_element_set_bus (film.element, film.bus);
  gst_harness_set_live (film.h, FALSE);
  if (out)
    gst_harness_set_sink_caps_str (film.h, out);
  if (in)
    gst_harness_set_src_caps_str (film.h, in);
  return film;
}

static inline void
film_free (Film * film)
{
  gst_element_set_bus (film->element, NULL);
  gst_object_unref (film->bus);
  gst_object_unref (film->element);
  gst_harness_teardown (film->h);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Film, film_free)

/* A gray picture of @width x @height, all of @value. */
static inline GstBuffer *
gray_picture (guint width, guint height, guint8 value)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL,
      GST_ROUND_UP_4 (width) * height, NULL);

  gst_buffer_memset (buffer, 0, value, -1);
  GST_BUFFER_PTS (buffer) = 0;
  return buffer;
}

/* Gives @buffer contours: squares of @side around @centers, closed, with points
 * at every pixel. */
static inline void
add_squares (GstBuffer * buffer, guint width, guint height,
    const GstShapePoint * centers, guint n, guint side)
{
  g_autoptr (GstShapeSet) set = gst_shape_set_new (width, height);
  const guint n_points = 4 * side + 1;
  g_autofree GstShapePoint *points = g_new (GstShapePoint, n * n_points);
  g_autofree GstShapePolyline *lines = g_new0 (GstShapePolyline, n);
  g_autofree guint32 *offsets = g_new0 (guint32, n + 1);

  for (guint i = 0; i < n; i++) {
    GstShapePoint *p = points + i * n_points;
    const gfloat x0 = centers[i].x - side / 2., y0 = centers[i].y - side / 2.;

    for (guint k = 0; k <= 4 * side; k++) {
      const guint along = k % side, edge = k / side % 4;

      p[k].x = edge == 0 ? x0 + along : edge == 1 ? x0 + side :
          edge == 2 ? x0 + side - along : x0;
      p[k].y = edge == 0 ? y0 : edge == 1 ? y0 + along :
          edge == 2 ? y0 + side : y0 + side - along;
    }
    lines[i].id = i;
    lines[i].parent = -1;
    lines[i].flags = GST_SHAPE_FLAG_CLOSED;
    offsets[i + 1] = offsets[i] + n_points;
  }
  gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy (points,
          n * n_points, offsets, lines, n, NULL));
  gst_buffer_add_shape_meta (buffer, set);
}

/* A black picture with the contour of a square in the middle. */
static inline GstBuffer *
square_picture (void)
{
  static const GstShapePoint center = { 32, 24 };
  GstBuffer *buffer = gray_picture (WIDTH, HEIGHT, 0);

  add_squares (buffer, WIDTH, HEIGHT, &center, 1, 20);
  return buffer;
}

/* Two squares, left and right. */
static inline GstBuffer *
two_squares (void)
{
  static const GstShapePoint centers[2] = { {14, 24}, {50, 24} };
  GstBuffer *buffer = gray_picture (WIDTH, HEIGHT, 0);

  add_squares (buffer, WIDTH, HEIGHT, centers, 2, 16);
  return buffer;
}

static inline void
film_push (Film * film, GstBuffer * buffer)
{
  fail_unless_equals_int (gst_harness_push (film->h, buffer), GST_FLOW_OK);
}

static inline void
film_eos (Film * film)
{
  fail_unless (gst_harness_push_event (film->h, gst_event_new_eos ()));
}

/* Waits for an event of @type, drops those before it; a reference. */
static inline GstEvent *
film_wait_event (Film * film, GstEventType type)
{
  for (;;) {
    GstEvent *event = gst_harness_pull_event (film->h);

    fail_unless (event != NULL, "no %s", gst_event_type_get_name (type));
    if (GST_EVENT_TYPE (event) == type)
      return event;
    gst_event_unref (event);
  }
}

/* All frames until @end, EOS as a rule. */
static inline GPtrArray *
film_collect_until (Film * film, GstEventType end)
{
  GPtrArray *frames = g_ptr_array_new_with_free_func ((GDestroyNotify)
      gst_buffer_unref);
  GstBuffer *buffer;

  gst_event_unref (film_wait_event (film, end));
  while ((buffer = gst_harness_try_pull (film->h)))
    g_ptr_array_add (frames, buffer);
  return frames;
}

static inline GPtrArray *
film_collect (Film * film)
{
  return film_collect_until (film, GST_EVENT_EOS);
}

static inline GstBuffer *
frame_of (GPtrArray * frames, guint i)
{
  fail_unless (i < frames->len, "there are only %u frames", frames->len);
  return g_ptr_array_index (frames, i);
}

/* The frames of "fourierdraw PROPERTIES" of one picture, which it takes. */
static inline GPtrArray *
film_of (const gchar * properties, const gchar * in, const gchar * out,
    GstBuffer * picture)
{
  g_auto (Film) film = film_new (properties, in, out);

  film_push (&film, picture);
  film_eos (&film);
  return film_collect (&film);
}

/* A gray frame of rows of 64 pixels: its sample at (x, y). */
static inline guint8
pixel (GstBuffer * frame, guint x, guint y)
{
  guint8 value = 0;

  fail_unless_equals_int (gst_buffer_extract (frame, y * WIDTH + x, &value, 1),
      1);
  return value;
}

/* The same of RGBA, as 0xRRGGBBAA. */
static inline guint32
rgba_pixel (GstBuffer * frame, guint x, guint y)
{
  guint32 value = 0;

  fail_unless_equals_int (gst_buffer_extract (frame, 4 * (y * WIDTH + x),
          &value, 4), 4);
  return GUINT32_FROM_BE (value);
}

/* How many bytes of @frame are not 0. */
static inline guint
count_bright (GstBuffer * frame)
{
  g_auto (GstBufferMapInfo) map = GST_MAP_INFO_INIT;
  guint n = 0;

  fail_unless (gst_buffer_map (frame, &map, GST_MAP_READ));
  for (gsize i = 0; i < map.size; i++)
    n += map.data[i] != 0;
  return n;
}
