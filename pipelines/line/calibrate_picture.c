/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "calibrate_picture.h"

#include "publish/file.h"
#include "shapes.h"

/* Pictures of cameras have more. */
#define MIN_GRAYS 16

/* Fails if the file cannot be read: GStreamer would say so in other words. */
static char *
make_uri (const char *path, GError ** error)
{
  FILE *file = line_file_open_stream (path, error);

  if (!file)
    return NULL;
  fclose (file);
  return gst_filename_to_uri (path, error);
}

static GstElement *
make_pipeline (const char *uri, gint cuda_device_id, GError ** error)
{
  g_autofree char *description = g_strdup_printf ("uridecodebin name=source ! "
      "videoconvert ! video/x-raw,format=GRAY8 ! cudacontours "
      "level-method=otsu min-area=50 cuda-device-id=%d ! cudahull "
      "source=contours measures=full cuda-device-id=%d ! appsink name=sink "
      "sync=false enable-last-sample=false", cuda_device_id, cuda_device_id);
  GstElement *pipeline = gst_parse_launch_full (description, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, error);
  g_autoptr (GstElement) source = NULL;

  if (!pipeline) {
    g_prefix_error (error, "GStreamer cannot make the elements (is "
        "GST_PLUGIN_PATH set to the folder of this project's plugin?): ");
    return NULL;
  }
  source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_object_set (source, "uri", uri, NULL);
  return pipeline;
}

static gboolean
check_size (const LineGeometry * geometry, GstSample * sample, GError ** error)
{
  GstStructure *caps = gst_caps_get_structure (gst_sample_get_caps (sample), 0);
  gint width = 0, height = 0;

  gst_structure_get_int (caps, "width", &width);
  gst_structure_get_int (caps, "height", &height);
  if (width == (gint) geometry->columns && height == (gint) geometry->rows)
    return TRUE;
  return line_fail (error, LINE_ERROR_INVALID, "it has %d columns and %d rows, "
      "but a view has %u and %u by [geometry]: take a picture with the lane's "
      "camera, and cut it as the views are", width, height, geometry->columns,
      geometry->rows);
}

/* A picture with no values between those of the discs and of the ground, such
 * as one that a threshold has been applied to: its edges may lie anywhere
 * within a pixel. */
static gboolean
check_edges (const LineGeometry * geometry, GstSample * sample, GError ** error)
{
  gboolean seen[256] = { FALSE };
  guint n = 0;
  GstMapInfo map;

  if (!gst_buffer_map (gst_sample_get_buffer (sample), &map, GST_MAP_READ))
    return line_fail (error, LINE_ERROR_RUN, "it cannot be read");
  for (gsize i = 0; i < map.size; i++) {
    /* rows are filled up to whole words */
    if (i % (map.size / geometry->rows) < geometry->columns) {
      n += !seen[map.data[i]];
      seen[map.data[i]] = TRUE;
    }
  }
  gst_buffer_unmap (gst_sample_get_buffer (sample), &map);
  return n >= MIN_GRAYS || line_fail (error, LINE_ERROR_INVALID, "it has %u "
      "gray values only, so that edges are known to a pixel at best: take the "
      "picture as the camera gives it, without a threshold", n);
}

gboolean
line_calibrate_picture (const LineGeometry * geometry, gint cuda_device_id,
    const char *path, LineView * view, GError ** error)
{
  g_autofree char *uri = make_uri (path, error);
  g_autoptr (GstElement) pipeline = uri ?
      make_pipeline (uri, cuda_device_id, error) : NULL;
  g_autoptr (GstElement) sink = NULL;
  GstShapeSet *set;
  gboolean good = FALSE;

  if (!pipeline)
    return FALSE;
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_autoptr (GstSample) sample = line_shapes_wait (pipeline, sink, error);
  if (sample && check_size (geometry, sample, error)
      && check_edges (geometry, sample, error)) {
    set = gst_buffer_get_shape_set (gst_sample_get_buffer (sample));
    good = set && line_shapes_read (set, 1, view);
    if (!good)
      line_fail (error, LINE_ERROR_RUN, "there is not enough memory for its "
          "contours");
  }
  if (!good)
    g_prefix_error (error, "%s: ", path);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return good;
}
