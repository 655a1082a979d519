/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "shapes.h"

#include <gst/app/gstappsink.h>

#include "base/array.h"
#include "settings.h"

/* How long a sample is waited for before the bus is asked for errors */
#define PATIENCE (100 * GST_MSECOND)

/* Microseconds that shapes may take */
#define LIMIT (5 * G_USEC_PER_SEC)

GstSample *
line_shapes_wait (GstElement * pipeline, GstElement * sink, GError ** error)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  const gint64 end = g_get_monotonic_time () + LIMIT;
  GstSample *sample = NULL;
  gboolean failed = FALSE;

  while (!failed && !sample) {
    sample = gst_app_sink_try_pull_sample (GST_APP_SINK (sink), PATIENCE);
    /* a frame that cannot be computed is dropped with a warning */
    GstMessage *message = sample ? NULL : gst_bus_pop_filtered (bus,
        GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
    if (message) {
      failed = TRUE;
      if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
        gst_message_parse_error (message, error, NULL);
      else
        gst_message_parse_warning (message, error, NULL);
      gst_message_unref (message);
    } else if (!sample && gst_app_sink_is_eos (GST_APP_SINK (sink))) {
      failed = TRUE;
      line_fail (error, LINE_ERROR_RUN, "there is no picture");
    } else if (!sample && g_get_monotonic_time () > end) {
      failed = TRUE;
      line_fail (error, LINE_ERROR_RUN, "no shapes were found within 5 "
          "seconds");
    }
  }
  return sample;
}

static LineContour
make_contour (const GstShapePolyline * polyline, gsize first, gsize n_points)
{
  return (LineContour) {
    .class_id = polyline->class_id,.id = polyline->id,
    .parent = polyline->parent,
    .is_hole = (polyline->flags & GST_SHAPE_FLAG_HOLE) != 0,
    .area = polyline->area,.x0 = polyline->bbox_x0,.y0 = polyline->bbox_y0,
    .x1 = polyline->bbox_x1,.y1 = polyline->bbox_y1,.first = first,
    .n_points = n_points
  };
}

/* Contours come in the order of their ids. */
static LineContour *
find_contour (CsArray * contours, gint32 id)
{
  gsize from = 0, to = contours->len;

  while (from < to) {
    gsize middle = from + (to - from) / 2;
    LineContour *contour = &cs_array_index (contours, LineContour, middle);

    if (contour->id == id)
      return contour;
    if (contour->id < id)
      from = middle + 1;
    else
      to = middle;
  }
  return NULL;
}

static gboolean
add_layer (GstShapeSet * set, guint layer, guint n_views,
    CsArray * contours, CsArray * points)
{
  gsize n, n_hulls = 0, unused;
  const GstShapePolyline *polylines =
      gst_shape_set_get_polylines (set, layer, &n);
  const guint32 *offsets = gst_shape_set_get_offsets (set, layer, &unused);
  const GstShapePoint *all = gst_shape_set_get_points (set, layer, &unused);
  const GstShapeHullMeasures *hulls =
      gst_shape_set_get_hull_measures (set, layer, &n_hulls);

  for (gsize i = 0; i < n; i++) {
    const GstShapePolyline *polyline = &polylines[i];
    CsArray *list = &contours[CLAMP (polyline->image, 0, (gint) n_views - 1)];
    CsArray *at = &points[list - contours];

    if (polyline->kind == GST_SHAPE_KIND_CONTOUR
        && (polyline->flags & GST_SHAPE_FLAG_CLOSED)) {
      gsize n_points = offsets[i + 1] - offsets[i];
      LineContour contour = make_contour (polyline, at->len, n_points);

      cs_array_append_val (list, contour);
      /* both are two floats */
      cs_array_append (at, all + offsets[i], n_points);
    } else if (polyline->kind == GST_SHAPE_KIND_HULL && i < n_hulls) {
      LineContour *contour = find_contour (list, polyline->parent);

      if (!contour)
        continue;
      contour->feret_min = hulls[i].feret_min;
      contour->feret_max = hulls[i].feret_max;
      contour->circle_x = hulls[i].circle_x;
      contour->circle_y = hulls[i].circle_y;
    }
  }
  return n == 0 || (polylines && offsets && all);
}

gboolean
line_shapes_read (GstShapeSet * set, guint n_views, LineView * views)
{
  CsArray contours[LINE_MAX_VIEWS], points[LINE_MAX_VIEWS];
  gboolean good = TRUE;

  G_STATIC_ASSERT (sizeof (GstShapePoint) == sizeof (LinePoint));
  for (guint v = 0; v < n_views; v++) {
    cs_array_init (&contours[v], sizeof (LineContour));
    cs_array_init (&points[v], sizeof (LinePoint));
  }
  for (guint i = 0; i < gst_shape_set_get_n_layers (set); i++)
    good = good && add_layer (set, i, n_views, contours, points);
  for (guint v = 0; v < n_views; v++) {
    good = good && !contours[v].failed && !points[v].failed;
    views[v] = (LineView) {(gpointer) contours[v].data, contours[v].len,
      (gpointer) points[v].data};
  }
  for (guint v = 0; v < n_views && !good; v++)
    line_view_clear (&views[v]);
  return good;
}
