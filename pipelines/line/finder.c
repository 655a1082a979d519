/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "finder.h"

#include <string.h>

#include <gst/app/gstappsrc.h>
#include <gst/gst.h>

#include "shapes.h"

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
describe (const LineConfig * config, const LineRecipe * recipe)
{
  const LineGeometry *geometry = &config->geometry;
  GString *text = g_string_new (NULL);

  g_string_printf (text, "appsrc name=source format=time caps=other/tensors,"
      "format=static,num_tensors=1,types=float32,framerate=0/1,"
      "dimensions=%u:%u:%u:%u ! cudacontours layout=hwc backend=%s "
      "cuda-device-id=%d close-at-border=true hierarchy=true classes=",
      recipe->n_classes, geometry->columns, geometry->rows, geometry->views,
      line_backends[config->backend], config->cuda_device_id);
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
      "backend=%s cuda-device-id=%d ! appsink name=sink sync=false "
      "enable-last-sample=false", line_backends[config->backend],
      config->cuda_device_id);
  return g_string_free (text, FALSE);
}

LineFinder *
line_finder_new (const LineConfig * config, const LineRecipe * recipe,
    GError ** error)
{
  const LineGeometry *geometry = &config->geometry;
  LineFinder *finder = g_new0 (LineFinder, 1);
  char *description = describe (config, recipe);

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

gboolean
line_finder_run (LineFinder * finder, gpointer tensors, LineView * views,
    GError ** error)
{
  GstBuffer *buffer = gst_buffer_new_wrapped_full (0, tensors, finder->size, 0,
      finder->size, tensors, line_block_give);
  GstSample *sample;
  GstShapeSet *set;
  gboolean good;

  gst_app_src_push_buffer (GST_APP_SRC (finder->source), buffer);
  sample = line_shapes_wait (finder->pipeline, finder->sink, error);
  if (!sample)
    return FALSE;
  set = gst_buffer_get_shape_set (gst_sample_get_buffer (sample));
  good = set && line_shapes_read (set, finder->n_views, views);
  if (!good)
    g_set_error (error, LINE_ERROR, LINE_ERROR_RUN,
        "there is not enough memory for a trigger's shapes");
  gst_sample_unref (sample);
  return good;
}
