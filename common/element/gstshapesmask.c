/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapesmask.h"

#include <gst/base/gsttypefindhelper.h>
#include <string.h>

#include "base/memory.h"
#include "gstshapesfile.h"
#include "gstshapesframe.h"
#include "gstshapespgm.h"

#define MAX_FILE_SIZE ((gsize) 64 << 20)
/* Longer than any magic. */
#define HEAD_SIZE 16
#define TIMEOUT (10 * GST_SECOND)

/* A PNG begins with its IHDR chunk, whose first numbers are the size. */
static gboolean
find_png_size (const guint8 * data, gsize size, gint * width, gint * height)
{
  if (size < 24 || memcmp (data + 12, "IHDR", 4) != 0)
    return FALSE;
  *width = GST_READ_UINT32_BE (data + 16);
  *height = GST_READ_UINT32_BE (data + 20);
  return TRUE;
}

/* A JPEG's is in a marker somewhere, which typefinding looks for. */
static gboolean
find_jpeg_size (const guint8 * data, gsize size, gint * width, gint * height)
{
  GstCaps *caps = gst_type_find_helper_for_data (NULL, data, size, NULL);
  const GstStructure *structure = caps ? gst_caps_get_structure (caps, 0) :
      NULL;
  const gboolean found = structure
      && gst_structure_has_name (structure, "image/jpeg")
      && gst_structure_get_int (structure, "width", width)
      && gst_structure_get_int (structure, "height", height);

  gst_clear_caps (&caps);
  return found;
}

/**
 * Decoder:
 * @magic: what files begin with
 * @media_type: of caps
 * @find_size: reads the header; fails if it is damaged
 * @threshold: least gray value of what belongs to the mask
 */
typedef struct
{
  const gchar *magic;
  gsize magic_size;
  const gchar *media_type;
  const gchar *element;
  gboolean (*find_size) (const guint8 * data, gsize size, gint * width,
      gint * height);
  guint8 threshold;
} Decoder;

static const Decoder decoders[] = {
  {"\211PNG\r\n\032\n", 8, "image/png", "pngdec", find_png_size, 1},
  {"\377\330\377", 3, "image/jpeg", "jpegdec", find_jpeg_size, 128},
};

static const Decoder *
find_decoder (const guint8 * head, gsize size)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (decoders); i++)
    if (size >= decoders[i].magic_size
        && memcmp (head, decoders[i].magic, decoders[i].magic_size) == 0)
      return &decoders[i];
  return NULL;
}

static gboolean
check_size (gint width, gint height, guint wanted_width, guint wanted_height,
    GError ** error)
{
  if (width == (gint) wanted_width && height == (gint) wanted_height)
    return TRUE;
  return cs_fail (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "it has %d x %d "
      "pixels, the frame %u x %u; scale one of them", width, height,
      wanted_width, wanted_height);
}

/* What the decoder says is wrong. */
static void
set_bus_error (GstElement * pipeline, GError ** error)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  g_autoptr (GError) reason = NULL;

  if (message)
    gst_message_parse_error (message, &reason, NULL);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "it cannot be "
      "decoded: %s", reason ? reason->message : "no picture came out of it");
  gst_clear_message (&message);
}

static void
threshold_rows (const CsImage * image, guint8 threshold, guint8 * mask)
{
  const guint8 *row = image->data;

  for (guint y = 0; y < image->height; y++, row += image->row_stride)
    for (guint x = 0; x < image->width; x++)
      *mask++ = row[x * image->pixel_stride] >= threshold ? 255 : 0;
}

static guint8 *
make_mask (const Decoder * decoder, GstSample * sample, guint width,
    guint height, GError ** error)
{
  GstShapesFrame frame;
  GstVideoInfo info;
  guint8 *mask = NULL;
  CsImage image;

  if (!gst_video_info_from_caps (&info, gst_sample_get_caps (sample))
      || !check_size (info.width, info.height, width, height, error)
      || !gst_shapes_frame_init (&frame, &info, gst_sample_get_buffer (sample),
          NULL, NULL, error))
    return NULL;
  if (gst_shapes_frame_get_component (&frame, 0, &image, error)) {
    mask = cs_try_malloc ((gsize) width * height);
    if (mask)
      threshold_rows (&image, decoder->threshold, mask);
    else
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE,
          "there is no memory for its %u x %u pixels", width, height);
  }
  gst_shapes_frame_unmap (&frame);
  return mask;
}

/* Plays @data, which is taken, up to its first picture. */
static GstSample *
play (GstElement * pipeline, const Decoder * decoder, gchar * data, gsize size)
{
  GstElement *source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstCaps) caps = gst_caps_new_empty_simple (decoder->media_type);
  g_autoptr (GstBuffer) buffer = gst_buffer_new_wrapped (data, size);
  GstFlowReturn flow;
  GstSample *sample = NULL;

  g_object_set (source, "caps", caps, "format", GST_FORMAT_BYTES, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_signal_emit_by_name (source, "push-buffer", buffer, &flow);
  g_signal_emit_by_name (source, "end-of-stream", &flow);
  g_signal_emit_by_name (sink, "try-pull-sample", (guint64) TIMEOUT, &sample);
  gst_object_unref (source);
  gst_object_unref (sink);
  return sample;
}

/* Takes @data. */
static guint8 *
decode (const Decoder * decoder, gchar * data, gsize size, guint width,
    guint height, GError ** error)
{
  gchar *line = g_strdup_printf ("appsrc name=source max-bytes=0 ! %s ! "
      "videoconvert ! video/x-raw,format=GRAY8 ! appsink name=sink sync=false "
      "max-buffers=1", decoder->element);
  g_autoptr (GstElement) pipeline = gst_parse_launch_full (line, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, NULL);
  guint8 *mask = NULL;

  g_free (line);
  if (!pipeline) {
    g_free (data);
    return cs_fail_null (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
        "GStreamer's elements appsrc, %s and videoconvert are needed; install "
        "gstreamer1.0-plugins-base and -good, or make a binary PGM of it",
        decoder->element);
  }
  GstSample *sample = play (pipeline, decoder, data, size);
  if (sample)
    mask = make_mask (decoder, sample, width, height, error);
  else
    set_bus_error (pipeline, error);
  if (sample)
    gst_sample_unref (sample);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return mask;
}

static guint8 *
load_coded (const Decoder * decoder, const gchar * path, guint width,
    guint height, GError ** error)
{
  gchar *data;
  gsize size;
  gint w, h;

  if (!gst_shapes_file_load (path, MAX_FILE_SIZE, &data, &size, error))
    return NULL;
  if (!decoder->find_size ((const guint8 *) data, size, &w, &h)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "its header is damaged");
  } else if (check_size (w, h, width, height, error)) {
    return decode (decoder, data, size, width, height, error);
  }
  g_free (data);
  return NULL;
}

static guint8 *
load (GstShapesFile * file, const gchar * path, guint width, guint height,
    GError ** error)
{
  guint8 head[HEAD_SIZE];
  const gsize size = MIN (gst_shapes_file_get_size (file), HEAD_SIZE);

  if (!gst_shapes_file_read (file, 0, head, size, error))
    return NULL;
  const Decoder *decoder = find_decoder (head, size);
  return decoder ? load_coded (decoder, path, width, height, error) :
      gst_shapes_pgm_read (file, width, height, error);
}

guint8 *
gst_shapes_mask_load (const gchar * path, guint width, guint height,
    GError ** error)
{
  GstShapesFile *file = gst_shapes_file_open (path, error);

  if (!file)
    return NULL;
  guint8 *mask = load (file, path, width, height, error);
  if (!mask)
    g_prefix_error (error, "the image \"%s\" cannot be used: ", path);
  gst_shapes_file_close (file);
  return mask;
}
