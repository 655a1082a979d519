/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Milliseconds of processor time a frame of shapezones: shapes that move over a frame of 1920 x
 * 1080 pixels with ten zones of twelve corners and ten lines. */

#include <gst/check/gstharness.h>

#include <math.h>

#include "../kernels/lib/timing.h"
#include "shapes/gstshapes.h"

#define WIDTH 1920
#define HEIGHT 1080
#define FRAMES 200
#define CORNERS 16

/* Where shape @i is in frame @t: it goes to and fro, in steps of up to three
 * pixels. */
static GstShapePoint
place (guint i, guint t)
{
  const gdouble x = fmod (i * 127.3 + t * (1 + i % 3), 2 * WIDTH);
  const gdouble y = fmod (i * 71.9 + t * (i % 4) * .7, 2 * HEIGHT);

  return (GstShapePoint) {
  (gfloat) (x < WIDTH ? x : 2 * WIDTH - x),
        (gfloat) (y < HEIGHT ? y : 2 * HEIGHT - y)};
}

/* Polygons of CORNERS corners, 24 pixels across, as cudacontours gives them */
static GstBuffer *
make_frame (guint n, guint t)
{
  GstBuffer *buffer = gst_buffer_new ();
  g_autoptr (GstShapeSet) set = gst_shape_set_new (WIDTH, HEIGHT);
  g_autofree GstShapePoint *points = g_new (GstShapePoint, n * (CORNERS + 1));
  g_autofree guint32 *offsets = g_new (guint32, n + 1);
  g_autofree GstShapePolyline *records = g_new0 (GstShapePolyline, n);
  g_autofree GstShapeAnnotation *tracks = g_new (GstShapeAnnotation, n);

  for (guint i = 0; i < n; i++) {
    const GstShapePoint at = place (i, t);

    for (guint k = 0; k <= CORNERS; k++) {
      const gdouble angle = 2 * G_PI * (k % CORNERS) / CORNERS;

      points[i * (CORNERS + 1) + k] = (GstShapePoint) {
      at.x + (gfloat) (12 * cos (angle)), at.y + (gfloat) (12 * sin (angle))};
    }
    offsets[i] = i * (CORNERS + 1);
    records[i] = (GstShapePolyline) {
      .id = (gint32) i,.parent = -1,.class_id = i % 3,
      .flags = GST_SHAPE_FLAG_CLOSED,.area = 441,.centroid_x = at.x,
      .centroid_y = at.y,.bbox_x0 = at.x - 12,.bbox_y0 = at.y - 12,
      .bbox_x1 = at.x + 12,.bbox_y1 = at.y + 12
    };
    tracks[i] = (GstShapeAnnotation) { -1, -1, i };
  }
  offsets[n] = n * (CORNERS + 1);
  g_autoptr (GstShapeLayer) layer = gst_shape_layer_new_polylines_copy (points,
      offsets[n], offsets, records, n, NULL);
  gst_shape_set_add_layer (set, gst_shape_layer_annotate (layer, tracks, n));
  gst_buffer_add_shape_meta (buffer, set);
  GST_BUFFER_PTS (buffer) = t * GST_SECOND / 30;
  return buffer;
}

static gchar *
make_zones (void)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < 10; i++) {
    g_string_append_printf (text, "z%u:", i);
    for (guint k = 0; k < 12; k++)
      g_string_append_printf (text, " %.0f,%.0f",
          300 + i % 5 * 330 + 250 * cos (k * G_PI / 6),
          300 + i / 5 * 480 + 250 * sin (k * G_PI / 6));
    g_string_append_c (text, ';');
  }
  return g_string_free (text, FALSE);
}

static gchar *
make_lines (void)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < 10; i++)
    g_string_append_printf (text, "l%u: %u,0 %u,1080;", i, 100 + 180 * i,
        180 + 170 * i);
  return g_string_free (text, FALSE);
}

/* The median, in milliseconds */
static gdouble
measure (guint n, const gchar * settings)
{
  g_autofree gchar *zones = make_zones (), *lines = make_lines ();
  g_autofree gchar *line = g_strdup_printf ("shapezones zones=\"%s\" "
      "lines=\"%s\" %s", zones, lines, settings);
  GstHarness *h = gst_harness_new_parse (line);
  gint64 times[FRAMES];

  gst_harness_set_src_caps_str (h, "application/x-shapes");
  for (guint t = 0; t < FRAMES; t++) {
    GstBuffer *frame = make_frame (n, t);
    const gint64 begin = busy_time ();

    frame = gst_harness_push_and_pull (h, frame);
    times[t] = busy_time () - begin;
    gst_buffer_unref (frame);
  }
  gst_harness_teardown (h);
  return median_time (times, FRAMES) / 1000.;
}

int
main (int argc, char **argv)
{
  static const gchar *const ways[] = { "", "anchor=any", "tracks=overlap" };

  gst_init (&argc, &argv);
  g_print ("| shapes | tracks given | `anchor=any` | `tracks=overlap` |\n"
      "|---|---|---|---|\n");
  for (guint n = 100; n <= 10000; n *= 10) {
    g_print ("| %u ", n);
    for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
      g_print ("| %.3f ", measure (n, ways[i]));
    g_print ("|\n");
  }
  return 0;
}
