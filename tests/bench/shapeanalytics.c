/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Milliseconds that shapeanalytics takes for a frame, by the number of its
 * shapes: the median of many, without what a passthrough takes. */

#include <gst/analytics/analytics.h>
#include <gst/check/gstharness.h>

#include <math.h>
#include <stdlib.h>

#include "shapes/gstshapes.h"

#define FRAMES 200
#define CAPS "video/x-raw,format=GRAY8,width=1920,height=1080,framerate=30/1"

/* Contours, or hulls whose rectangles are at any angle. */
static GstShapeLayer *
make_layer (guint n, gboolean hulls)
{
  GstShapePolyline *records = g_new0 (GstShapePolyline, n);
  GstShapeHullMeasures *measures = g_new0 (GstShapeHullMeasures, n);
  guint32 *offsets = g_new0 (guint32, n + 1);
  GstShapeArrays arrays = {
    .n_shapes = n,
    .offsets = offsets,
    .polylines = records,
    .hull_measures = hulls ? measures : NULL,
  };

  for (guint i = 0; i < n; i++) {
    const gdouble x = i % 40 * 48, y = i / 40 * 40 % 1080;

    records[i].id = i;
    records[i].parent = -1;
    records[i].kind = hulls ? GST_SHAPE_KIND_HULL : GST_SHAPE_KIND_CONTOUR;
    records[i].bbox_x0 = x;
    records[i].bbox_y0 = y;
    records[i].bbox_x1 = x + 40;
    records[i].bbox_y1 = y + 30;
    measures[i].rect_x = x + 20;
    measures[i].rect_y = y + 15;
    measures[i].rect_ux = cos (i);
    measures[i].rect_uy = sin (i);
    measures[i].rect_width = 40;
    measures[i].rect_height = 20;
  }
  /* never freed: payloads of elements belong to slabs */
  return gst_shape_layer_new (GST_SHAPE_LAYER_POLYLINES, n, 0, &arrays, NULL,
      NULL);
}

static GstBuffer *
make_frame (GstShapeSet * set, gboolean with_meta)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 1920 * 1080, NULL);

  gst_buffer_add_shape_meta (buffer, set);
  if (with_meta)
    gst_buffer_add_analytics_relation_meta (buffer);
  return buffer;
}

/* Every object gets a track, as a tracker does it. */
static void
track (GstBuffer * buffer)
{
  GstAnalyticsRelationMeta *meta =
      gst_buffer_get_analytics_relation_meta (buffer);
  const gsize n = gst_analytics_relation_get_length (meta);

  for (gsize i = 0; i < n; i++) {
    GstAnalyticsMtd object = { i, meta }, mtd;

    if (gst_analytics_mtd_get_mtd_type (&object) ==
        gst_analytics_od_mtd_get_mtd_type () &&
        gst_analytics_relation_meta_add_tracking_mtd (meta, i, 0, &mtd))
      gst_analytics_relation_meta_set_relation (meta,
          GST_ANALYTICS_REL_TYPE_RELATE_TO, i, mtd.id);
  }
}

static int
compare (const void *a, const void *b)
{
  const gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return x < y ? -1 : x > y;
}

static gdouble
push (GstHarness * h, GstBuffer * buffer, GstBuffer ** out)
{
  const gint64 start = g_get_monotonic_time ();

  gst_harness_push (h, buffer);
  *out = gst_harness_pull (h);
  return (g_get_monotonic_time () - start) / 1000.;
}

static gdouble
measure (const gchar * chain, GstShapeSet * set, gboolean with_meta, guint n)
{
  GstHarness *h = gst_harness_new_parse (chain);
  gdouble times[FRAMES];

  gst_harness_set_src_caps_str (h, CAPS);
  for (guint i = 0; i < n; i++) {
    GstBuffer *out;

    times[i] = push (h, make_frame (set, with_meta), &out);
    gst_buffer_unref (out);
  }
  gst_harness_teardown (h);
  qsort (times, n, sizeof (*times), compare);
  return times[n / 2];
}

static gdouble
measure_tracks (GstShapeSet * set, guint n)
{
  GstHarness *boxes = gst_harness_new_parse ("shapeanalytics ids=true "
      "max-boxes=10000");
  GstHarness *tracks = gst_harness_new_parse ("shapeanalytics transfer=tracks");
  gdouble times[FRAMES];

  gst_harness_set_src_caps_str (boxes, CAPS);
  gst_harness_set_src_caps_str (tracks, CAPS);
  for (guint i = 0; i < n; i++) {
    GstBuffer *out;

    push (boxes, make_frame (set, FALSE), &out);
    track (out);
    times[i] = push (tracks, out, &out);
    gst_buffer_unref (out);
  }
  gst_harness_teardown (tracks);
  gst_harness_teardown (boxes);
  qsort (times, n, sizeof (*times), compare);
  return times[n / 2];
}

static void
print_row (guint n)
{
  const gchar *chain = "shapeanalytics ids=true max-boxes=10000";
  const guint frames = n > 1000 ? 15 : FRAMES;
  g_autoptr (GstShapeSet) contours = gst_shape_set_new (1920, 1080);
  g_autoptr (GstShapeSet) hulls = gst_shape_set_new (1920, 1080);

  gst_shape_set_add_layer (contours, make_layer (n, FALSE));
  gst_shape_set_add_layer (hulls, make_layer (n, TRUE));
  gdouble nothing = measure ("identity", contours, FALSE, frames);
  g_print ("| %u | %.3f | %.3f | %.3f | %.3f |\n", n,
      measure (chain, contours, FALSE, frames) - nothing,
      measure (chain, hulls, FALSE, frames) - nothing,
      measure (chain, contours, TRUE, frames) - nothing,
      measure_tracks (contours, n > 1000 ? 3 : 20) - nothing);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_print ("Milliseconds a frame, GStreamer %s\n\n", gst_version_string ());
  g_print ("| shapes | boxes | oriented | beside other metadata | tracks back "
      "|\n|---|---|---|---|---|\n");
  print_row (10);
  print_row (100);
  print_row (1000);
  print_row (5000);
  return 0;
}
