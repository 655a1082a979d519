/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "painter.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <gst/video/video.h>

/* A picture takes some ten milliseconds. */
#define LIMIT (5 * GST_SECOND)

/* Of Okabe and Ito, but that for the fruit is light and thin. */
static const guint32 palette[] = {
  0xd55e00, 0xcc79a7, 0xf0e442, 0xe69f00, 0x56b4e9, 0x009e73, 0x0072b2,
};

#define FRUIT_COLOR 0xd8d8d8

struct _LinePainter
{
  guint width, height;
  guint64 n_painted;
  GstElement *pipeline, *source, *overlay, *text, *sink;
};

guint32
line_painter_get_color (const LineRecipe * recipe, guint class_id)
{
  for (guint i = 0; i < recipe->n_defects; i++)
    if (recipe->defects[i] == class_id)
      return palette[i % G_N_ELEMENTS (palette)];
  return FRUIT_COLOR;
}

/* textoverlay is in another package, and a picture without text is better than
 * none. */
static char *
describe (const LinePainter * painter)
{
  g_autoptr (GstElementFactory) factory =
      gst_element_factory_find ("textoverlay");

  return g_strdup_printf ("appsrc name=source format=time "
      "caps=video/x-raw,format=RGB,width=%u,height=%u,framerate=0/1 "
      "! shapeoverlay name=overlay backend=cpu n-threads=1 line-width=1.6 "
      "casing=1 legend=top-right font-size=15 %s! videoconvert n-threads=1 "
      "! jpegenc quality=85 ! appsink name=sink sync=false "
      "enable-last-sample=false", painter->width, painter->height, factory ?
      "! textoverlay name=text halignment=left valignment=top xpad=6 ypad=4 "
      "auto-resize=false font-desc=\"Sans 11\" " : "");
}

LinePainter *
line_painter_new (guint width, guint height, GError ** error)
{
  LinePainter *painter = g_new0 (LinePainter, 1);

  painter->width = width;
  painter->height = height;
  g_autofree char *description = describe (painter);
  painter->pipeline = gst_parse_launch_full (description, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, error);
  if (!painter->pipeline) {
    g_prefix_error (error, "pictures need shapeoverlay of this project, and "
        "GStreamer's good plugins (Debian: gstreamer1.0-plugins-good): ");
    g_free (painter);
    return NULL;
  }
  painter->source = gst_bin_get_by_name (GST_BIN (painter->pipeline), "source");
  painter->overlay =
      gst_bin_get_by_name (GST_BIN (painter->pipeline), "overlay");
  painter->text = gst_bin_get_by_name (GST_BIN (painter->pipeline), "text");
  painter->sink = gst_bin_get_by_name (GST_BIN (painter->pipeline), "sink");
  gst_element_set_state (painter->pipeline, GST_STATE_PLAYING);
  return painter;
}

void
line_painter_free (LinePainter * painter)
{
  gst_element_set_state (painter->pipeline, GST_STATE_NULL);
  gst_object_unref (painter->source);
  gst_object_unref (painter->overlay);
  gst_clear_object (&painter->text);
  gst_object_unref (painter->sink);
  gst_object_unref (painter->pipeline);
  g_free (painter);
}

/* Rows in memory have no gaps, in video they usually have. */
static GstBuffer *
make_buffer (LinePainter * painter, guint8 * rgb, GstShapeSet * shapes)
{
  const gsize size = (gsize) painter->width * painter->height * 3;
  gsize offsets[GST_VIDEO_MAX_PLANES] = { 0 };
  gint strides[GST_VIDEO_MAX_PLANES] = { (gint) painter->width * 3 };
  GstBuffer *buffer = gst_buffer_new_wrapped (rgb, size);

  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_RGB, painter->width, painter->height, 1, offsets,
      strides);
  gst_buffer_add_shape_meta (buffer, shapes);
  /* textoverlay leaves out what has no time */
  GST_BUFFER_PTS (buffer) = painter->n_painted++ * GST_SECOND;
  GST_BUFFER_DURATION (buffer) = GST_SECOND;
  return buffer;
}

GBytes *
line_painter_paint (LinePainter * painter, const LineRecipe * recipe,
    GstShapeSet * shapes, const char *text, guint8 * rgb, GError ** error)
{
  g_autoptr (GString) colors = g_string_new (NULL);

  for (guint i = 0; i <= recipe->n_classes; i++)
    g_string_append_printf (colors, "%s#%06x", i ? ", " : "",
        line_painter_get_color (recipe, i));
  g_object_set (painter->overlay, "color-names", colors->str, NULL);
  if (painter->text)
    g_object_set (painter->text, "text", text, NULL);
  gst_app_src_push_buffer (GST_APP_SRC (painter->source),
      make_buffer (painter, rgb, shapes));
  GstSample *sample =
      gst_app_sink_try_pull_sample (GST_APP_SINK (painter->sink), LIMIT);
  if (!sample) {
    g_autoptr (GstBus) bus = gst_element_get_bus (painter->pipeline);
    g_autoptr (GstMessage) message =
        gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);

    if (message)
      gst_message_parse_error (message, error, NULL);
    else
      line_fail (error, LINE_ERROR_RUN, "a picture could not be painted");
    return NULL;
  }
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  gpointer data;
  gsize size;
  gst_buffer_extract_dup (buffer, 0, gst_buffer_get_size (buffer), &data,
      &size);
  GBytes *picture = g_bytes_new_take (data, size);
  gst_sample_unref (sample);
  return picture;
}
