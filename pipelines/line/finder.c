/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "finder.h"

#include <string.h>

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>

#include "base/array.h"
#include "shapes/gstshapes.h"

/* An error of an element is looked for when nothing has come for this long. */
#define PATIENCE (100 * GST_MSECOND)

/* Microseconds that shapes may take */
#define LIMIT (5 * G_USEC_PER_SEC)

struct _LineFinder
{
  guint n_views;
  gsize size;
  GstElement *pipeline, *source, *sink;
};

static void
append_channels (GString * text, const char *name, const guint * channels,
    guint n)
{
  g_string_append_printf (text, "%s=", name);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%u", i ? "+" : "", channels[i]);
}

static void
append_level (GString * text, const char *separator, gdouble level)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (text, "%s%s", separator,
      g_ascii_dtostr (number, sizeof (number), level));
}

/* As docs/fruit-line.md says. */
static char *
describe (const LineGeometry * geometry, const LineRecipe * recipe,
    gint cuda_device_id)
{
  GString *text = g_string_new (NULL);

  g_string_printf (text, "appsrc name=source format=time caps=other/tensors,"
      "format=static,num_tensors=1,types=float32,framerate=0/1,"
      "dimensions=%u:%u:%u:%u ! cudacontours layout=hwc cuda-device-id=%d "
      "close-at-border=true hierarchy=true classes=", recipe->n_classes,
      geometry->columns, geometry->rows, geometry->views, cuda_device_id);
  for (guint i = 0; i < recipe->n_defects; i++)
    g_string_append_printf (text, "%s%u", i ? "," : "", recipe->defects[i]);
  append_channels (text, " class-groups=\"fruit", recipe->fruit,
      recipe->n_fruit);
  append_channels (text, ", defect", recipe->defects, recipe->n_defects);
  g_string_append (text, "\" levels=");
  for (guint i = 0; i < recipe->n_defects; i++)
    append_level (text, i ? "," : "", recipe->class_level);
  append_level (text, ",", recipe->level);
  append_level (text, ",", recipe->level);
  append_level (text, " min-area=", recipe->min_area);
  g_string_append_printf (text, " ! cudahull source=contours measures=full "
      "cuda-device-id=%d ! appsink name=sink sync=false "
      "enable-last-sample=false", cuda_device_id);
  return g_string_free (text, FALSE);
}

LineFinder *
line_finder_new (const LineGeometry * geometry, const LineRecipe * recipe,
    gint cuda_device_id, GError ** error)
{
  LineFinder *finder = g_new0 (LineFinder, 1);
  char *description = describe (geometry, recipe, cuda_device_id);

  finder->n_views = geometry->views;
  finder->size = (gsize) geometry->views * geometry->rows * geometry->columns
      * recipe->n_classes * sizeof (gfloat);
  finder->pipeline = gst_parse_launch_full (description, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, error);
  g_free (description);
  if (!finder->pipeline) {
    g_prefix_error (error, "GStreamer cannot make the elements (is "
        "GST_PLUGIN_PATH set to the build's folder gst?): ");
    g_free (finder);
    return NULL;
  }
  finder->source = gst_bin_get_by_name (GST_BIN (finder->pipeline), "source");
  finder->sink = gst_bin_get_by_name (GST_BIN (finder->pipeline), "sink");
  gst_element_set_state (finder->pipeline, GST_STATE_PLAYING);
  return finder;
}

void
line_finder_free (LineFinder * finder)
{
  gst_element_set_state (finder->pipeline, GST_STATE_NULL);
  gst_object_unref (finder->source);
  gst_object_unref (finder->sink);
  gst_object_unref (finder->pipeline);
  g_free (finder);
}

gsize
line_finder_get_size (const LineFinder * finder)
{
  return finder->size;
}

static GstSample *
wait_for_sample (LineFinder * finder, GError ** error)
{
  GstBus *bus = gst_element_get_bus (finder->pipeline);
  const gint64 end = g_get_monotonic_time () + LIMIT;
  GstSample *sample = NULL;
  gboolean failed = FALSE;

  while (!failed && !sample) {
    GstMessage *message;

    sample = gst_app_sink_try_pull_sample (GST_APP_SINK (finder->sink),
        PATIENCE);
    /* a frame that cannot be computed is dropped with a warning */
    message = sample ? NULL : gst_bus_pop_filtered (bus,
        GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
    if (message) {
      failed = TRUE;
      if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
        gst_message_parse_error (message, error, NULL);
      else
        gst_message_parse_warning (message, error, NULL);
      gst_message_unref (message);
    } else if (!sample && g_get_monotonic_time () > end) {
      failed = TRUE;
      g_set_error (error, LINE_ERROR, LINE_ERROR_RUN,
          "no shapes were found within 5 seconds");
    }
  }
  gst_object_unref (bus);
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
add_layer (LineFinder * finder, GstShapeSet * set, guint layer,
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
    CsArray *list = &contours[CLAMP (polyline->image, 0,
            (gint) finder->n_views - 1)];
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

static gboolean
read_shapes (LineFinder * finder, GstShapeSet * set, LineView * views)
{
  CsArray contours[LINE_MAX_VIEWS], points[LINE_MAX_VIEWS];
  gboolean good = TRUE;

  for (guint v = 0; v < finder->n_views; v++) {
    cs_array_init (&contours[v], sizeof (LineContour));
    cs_array_init (&points[v], sizeof (LinePoint));
  }
  for (guint i = 0; i < gst_shape_set_get_n_layers (set); i++)
    good = good && add_layer (finder, set, i, contours, points);
  for (guint v = 0; v < finder->n_views; v++) {
    good = good && !contours[v].failed && !points[v].failed;
    views[v] = (LineView) {(gpointer) contours[v].data, contours[v].len,
      (gpointer) points[v].data};
  }
  for (guint v = 0; v < finder->n_views && !good; v++)
    line_view_clear (&views[v]);
  return good;
}

gboolean
line_finder_run (LineFinder * finder, gpointer tensors, LineView * views,
    GError ** error)
{
  GstBuffer *buffer = gst_buffer_new_wrapped_full (0, tensors, finder->size, 0,
      finder->size, tensors, line_block_give);
  GstSample *sample;
  GstShapeSet *set;
  gboolean good;

  G_STATIC_ASSERT (sizeof (GstShapePoint) == sizeof (LinePoint));
  gst_app_src_push_buffer (GST_APP_SRC (finder->source), buffer);
  sample = wait_for_sample (finder, error);
  if (!sample)
    return FALSE;
  set = gst_buffer_get_shape_set (gst_sample_get_buffer (sample));
  good = set && read_shapes (finder, set, views);
  if (!good)
    g_set_error (error, LINE_ERROR, LINE_ERROR_RUN,
        "there is not enough memory for a trigger's shapes");
  gst_sample_unref (sample);
  return good;
}
