/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* bench-shapeoverlay [FRAMES [ROW]]: milliseconds that shapeoverlay takes for a
 * 1080p frame with 200, 1 000 and 20 000 noisy contours: outlines, fillings and
 * both, of one class or each in a colour of its own. Each frame has a set of its
 * own, or all have the same one ("still"). Prints a table. */

#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "shapes/gstshapes.h"

#define WIDTH 1920
#define HEIGHT 1080
#define WARM_UP 3

/* Appends a closed contour of points about a pixel apart. */
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

/* @n contours side by side, in a new set. */
static GstShapeSet *
make_set (guint n)
{
  const gdouble cell = sqrt ((gdouble) WIDTH * HEIGHT / n);
  const guint columns = (guint) (WIDTH / cell);
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
    polylines[i].level = .5;
    polylines[i].flags = GST_SHAPE_FLAG_CLOSED;
    append_contour (random, points, (i % columns + .5) * cell,
        (i / columns + .5) * cell, .4 * cell);
  }
  offsets[n] = points->len;
  gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy (
          (const GstShapePoint *) (gpointer) points->data, points->len,
          offsets, polylines, n, NULL));
  g_print ("%u contours, %u points\n", n, points->len);
  return set;
}

/* @buffer with a set of its own, of the same layers. */
static GstBuffer *
renew (GstBuffer * buffer, GstShapeSet * set)
{
  g_autoptr (GstShapeSet) own = gst_shape_set_new (WIDTH, HEIGHT);

  gst_shape_set_add_layer (own,
      gst_shape_layer_ref (gst_shape_set_get_layer (set, 0)));
  buffer = gst_buffer_make_writable (buffer);
  gst_buffer_remove_meta (buffer,
      (GstMeta *) gst_buffer_get_shape_meta (buffer));
  gst_buffer_add_shape_meta (buffer, own);
  return buffer;
}

/* Milliseconds a frame; @busy: of processor time. */
static gdouble
measure (GstShapeSet * set, const gchar * format, const gchar * properties,
    gboolean still, guint n_frames, gdouble * busy)
{
  g_autofree gchar *line = g_strdup_printf ("shapeoverlay %s", properties);
  gchar *caps = g_strdup_printf ("video/x-raw,format=%s,width=%d,height=%d,"
      "framerate=30/1", format, WIDTH, HEIGHT);
  GstHarness *h = gst_harness_new_parse (line);
  GstVideoInfo info;
  GstBuffer *buffer;
  gint64 begin = 0;
  clock_t clock_begin = 0;

  gst_video_info_set_format (&info, gst_video_format_from_string (format),
      WIDTH, HEIGHT);
  gst_harness_set_src_caps_str (h, caps);
  buffer = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (&info), NULL);
  gst_buffer_memset (buffer, 0, 100, GST_VIDEO_INFO_SIZE (&info));
  gst_buffer_add_shape_meta (buffer, set);
  for (guint i = 0; i < n_frames + WARM_UP; i++) {
    if (i == WARM_UP) {
      begin = g_get_monotonic_time ();
      clock_begin = clock ();
    }
    if (!still)
      buffer = renew (buffer, set);
    if (gst_harness_push (h, buffer) != GST_FLOW_OK)
      g_error ("%s does not run", line);
    buffer = gst_harness_pull (h);
  }
  begin = g_get_monotonic_time () - begin;
  *busy = (clock () - clock_begin) * 1000. / CLOCKS_PER_SEC / n_frames;
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
  g_free (caps);
  return begin / 1000. / n_frames;
}

int
main (int argc, char **argv)
{
  static const gchar *const formats[] = { "NV12", "RGBA" };
  static const gchar *const ways[][2] = {
    {"outlines", "fill-opacity=0"},
    {"fillings", "fill-opacity=0.3 line-width=0"},
    {"both", "fill-opacity=0.3"},
    {"both, in many colours", "fill-opacity=0.3 color-mode=shape"},
    {"both, one thread", "fill-opacity=0.3 n-threads=1"},
    {"outlines, labels, legend", "label={id} legend=top-left"},
    {"outlines with casings", "casing=1.5"},
  };
  static const guint numbers[] = { 200, 1000, 20000 };
  const guint n_frames = argc > 1 ? (guint) atoi (argv[1]) : 30;

  gst_init (NULL, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    g_autoptr (GstShapeSet) set = make_set (numbers[i]);

    for (guint j = 0; j < G_N_ELEMENTS (ways); j++) {
      if (argc > 2 && !g_str_has_prefix (ways[j][0], argv[2]))
        continue;
      for (guint k = 0; k < G_N_ELEMENTS (formats); k++) {
        g_print ("%-26s %s", ways[j][0], formats[k]);
        for (guint still = 0; still < 2; still++) {
          gdouble busy, ms = measure (set, formats[k], ways[j][1], still,
              n_frames, &busy);

          g_print ("   %s %8.2f ms %8.2f busy", still ? "still" : "", ms, busy);
        }
        g_print ("\n");
      }
    }
  }
  return 0;
}
