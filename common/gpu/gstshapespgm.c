/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapespgm.h"

#include <string.h>

#define MAX_SIDE 65535

typedef struct
{
  const guint8 *data;
  gsize size, at;
} Reader;

/* To the next character that is neither white space nor in a comment. */
static void
skip_space (Reader * reader)
{
  while (reader->at < reader->size) {
    if (reader->data[reader->at] == '#') {
      while (reader->at < reader->size && reader->data[reader->at] != '\n')
        reader->at++;
    } else if (!g_ascii_isspace (reader->data[reader->at])) {
      return;
    } else {
      reader->at++;
    }
  }
}

/* A number from 1 to 65535. */
static gboolean
read_number (Reader * reader, guint * number)
{
  *number = 0;
  skip_space (reader);
  while (reader->at < reader->size &&
      g_ascii_isdigit (reader->data[reader->at]) && *number <= MAX_SIDE)
    *number = 10 * *number + reader->data[reader->at++] - '0';
  return *number >= 1 && *number <= MAX_SIDE;
}

static gboolean
read_header (Reader * reader, guint * width, guint * height, guint * maximum,
    GError ** error)
{
  if (reader->size < 2 || memcmp (reader->data, "P5", 2) != 0) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "it is not a "
        "binary PGM image; make one with \"convert mask.png mask.pgm\" or "
        "\"gst-launch-1.0 filesrc location=mask.png ! decodebin ! "
        "videoconvert ! video/x-raw,format=GRAY8 ! pnmenc ! filesink "
        "location=mask.pgm\"");
    return FALSE;
  }
  reader->at = 2;
  if (!read_number (reader, width) || !read_number (reader, height) ||
      !read_number (reader, maximum) || reader->at >= reader->size ||
      !g_ascii_isspace (reader->data[reader->at])) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "its PGM header "
        "is damaged: width, height and maximum must be numbers from 1 to %d",
        MAX_SIDE);
    return FALSE;
  }
  /* a single white space, then samples */
  reader->at++;
  return TRUE;
}

guint8 *
gst_shapes_pgm_parse (gconstpointer data, gsize size, guint * width,
    guint * height, GError ** error)
{
  Reader reader = { data, size, 0 };
  guint maximum;
  gsize n, sample_size, i;
  const guint8 *samples;
  guint8 *mask;

  if (!read_header (&reader, width, height, &maximum, error))
    return NULL;
  n = (gsize) * width * *height;
  sample_size = maximum > 255 ? 2 : 1;
  /* no product that 32 bits are too few for */
  if ((size - reader.at) / sample_size < n) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "its %u x %u "
        "samples are not all there: the file is cut off", *width, *height);
    return NULL;
  }
  samples = reader.data + reader.at;
  mask = g_malloc (n);
  for (i = 0; i < n; i++) {
    const gboolean set = sample_size == 1 ? samples[i] != 0 :
        (samples[2 * i] | samples[2 * i + 1]) != 0;

    mask[i] = set ? 255 : 0;
  }
  return mask;
}

guint8 *
gst_shapes_pgm_load (const gchar * path, guint * width, guint * height,
    GError ** error)
{
  gchar *data;
  gsize size;
  guint8 *mask;

  if (!g_file_get_contents (path, &data, &size, error))
    return NULL;
  mask = gst_shapes_pgm_parse (data, size, width, height, error);
  if (!mask)
    g_prefix_error (error, "the image \"%s\" cannot be read: ", path);
  g_free (data);
  return mask;
}
