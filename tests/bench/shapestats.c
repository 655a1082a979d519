/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* bench-shapestats [FRAMES [FORMAT]]: milliseconds of processor time that shapestats takes,
 * with one thread, for a 1080p frame with 1 000 contours, points about a pixel apart, that enclose
 * a tenth of it. Prints a table. */

#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include <math.h>
#include <stdlib.h>

#include "../kernels/lib/timing.h"
#include "shapes/gstshapes.h"

#define WIDTH 1920
#define HEIGHT 1080
#define COLUMNS 40
#define ROWS 25
#define WARM_UP 3

static void
append_contour (GRand * random, GArray * points, gdouble x, gdouble y,
    gdouble radius)
{
  const guint n = (guint) (2. * G_PI * radius) + 3;
  const guint first = points->len;
  GstShapePoint point;

  for (guint i = 0; i < n; i++) {
    const gdouble angle = 2. * G_PI * i / n;
    const gdouble r = radius + g_rand_double_range (random, -.7, .7);

    point.x = (gfloat) (x + r * cos (angle));
    point.y = (gfloat) (y + r * sin (angle));
    g_array_append_val (points, point);
  }
  point = g_array_index (points, GstShapePoint, first);
  g_array_append_val (points, point);
}

static GstShapeSet *
make_set (void)
{
  const guint n = COLUMNS * ROWS;
  const gdouble radius = sqrt (.1 * WIDTH * HEIGHT / n / G_PI);
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE,
      sizeof (GstShapePoint));
  g_autofree guint32 *offsets = g_new (guint32, n + 1);
  g_autofree GstShapePolyline *polylines = g_new0 (GstShapePolyline, n);
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  GstShapeSet *set = gst_shape_set_new (WIDTH, HEIGHT);

  for (guint i = 0; i < n; i++) {
    offsets[i] = points->len;
    polylines[i].id = (gint32) i;
    polylines[i].parent = -1;
    polylines[i].flags = GST_SHAPE_FLAG_CLOSED;
    append_contour (random, points, (i % COLUMNS + .5) * WIDTH / COLUMNS,
        (i / COLUMNS + .5) * HEIGHT / ROWS, radius);
  }
  offsets[n] = points->len;
  gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy (
          (const GstShapePoint *) (gpointer) points->data, points->len,
          offsets, polylines, n, NULL));
  g_print ("%u contours, %u points", n, points->len);
  return set;
}

/* Pixels inside of all contours, as a share of the frame. */
static gdouble
enclosed (GstBuffer * buffer)
{
  const GstShapeArrays *arrays = gst_shape_layer_map_host (
      gst_shape_set_get_layer (gst_buffer_get_shape_set (buffer), 0), NULL);
  gdouble sum = 0;

  for (gsize i = 0; i < arrays->n_statistics; i++)
    if (arrays->statistics[i].channel == arrays->statistics[0].channel)
      sum += (gdouble) arrays->statistics[i].n_pixels;
  return sum / WIDTH / HEIGHT;
}

static GstBuffer *
make_buffer (const GstVideoInfo * info, GstShapeSet * set)
{
  const gsize size = GST_VIDEO_INFO_SIZE (info);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  g_autoptr (GRand) random = g_rand_new_with_seed (2);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < size; i++)
    map.data[i] = (guint8) (i / 7 + g_rand_int_range (random, 0, 32));
  gst_buffer_unmap (buffer, &map);
  gst_buffer_add_shape_meta (buffer, set);
  return buffer;
}

/* Milliseconds a frame: the median, and the least in @least. */
static gdouble
measure (GstShapeSet * set, const gchar * format, const gchar * properties,
    guint n_frames, gdouble * share, gdouble * least)
{
  g_autofree gchar *line =
      g_strdup_printf ("shapestats n-threads=1 backend=cpu %s", properties);
  gchar *caps = g_strdup_printf ("video/x-raw,format=%s,width=%d,height=%d,"
      "framerate=30/1", format, WIDTH, HEIGHT);
  GstHarness *h = gst_harness_new_parse (line);
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (gint64));
  GstVideoInfo info;

  gst_video_info_set_format (&info, gst_video_format_from_string (format),
      WIDTH, HEIGHT);
  gst_harness_set_src_caps_str (h, caps);
  g_autoptr (GstBuffer) frame = make_buffer (&info, set);
  for (guint i = 0; i < n_frames + WARM_UP; i++) {
    GstBuffer *buffer = gst_buffer_copy (frame);
    gint64 time = busy_time ();

    if (gst_harness_push (h, buffer) != GST_FLOW_OK)
      g_error ("%s does not run", line);
    time = busy_time () - time;
    buffer = gst_harness_pull (h);
    *share = enclosed (buffer);
    gst_buffer_unref (buffer);
    if (i >= WARM_UP)
      g_array_append_val (times, time);
  }
  g_array_sort (times, (GCompareFunc) compare_times);
  *least = g_array_index (times, gint64, 0) / 1000.;
  gdouble median = g_array_index (times, gint64, n_frames / 2) / 1000.;
  gst_harness_teardown (h);
  g_free (caps);
  return median;
}

int
main (int argc, char **argv)
{
  static const gchar *const ways[][2] = {
    {"GRAY8", "gray=true"},
    {"NV12", "gray=true"},
    {"GRAY16_LE", "gray=true"},
    {"RGBA", "gray=true"},
    {"RGBA", "gray=false lab=true"},
  };
  const guint n_frames = MAX (argc > 1 ? (guint) atoi (argv[1]) : 200, 1);

  gst_init (NULL, NULL);
  g_autoptr (GstShapeSet) set = make_set ();
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
    gdouble share, ms, least;

    if (argc > 2 && !g_str_equal (ways[i][0], argv[2]))
      continue;
    ms = measure (set, ways[i][0], ways[i][1], n_frames, &share, &least);

    if (i == 0)
      g_print (", %.3f of the frame\n", share);
    g_print ("%-10s %-20s %8.3f ms, least %.3f\n", ways[i][0],
        ways[i][1], ms, least);
  }
  return 0;
}
