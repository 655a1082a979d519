/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapespgm.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

#define MAX_SIDE 65535
/* How much of a file is looked at at once; a header is in the first part. */
#define PART ((gsize) 65536)

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
  if (reader->size < 2 || memcmp (reader->data, "P5", 2) != 0)
    return cs_fail (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "it is not a "
        "PNG, JPEG or binary PGM image; make one with \"convert mask.bmp "
        "mask.png\" or \"gst-launch-1.0 filesrc location=mask.bmp ! decodebin "
        "! videoconvert ! video/x-raw,format=GRAY8 ! pngenc snapshot=true ! "
        "filesink location=mask.png\"");
  reader->at = 2;
  if (!read_number (reader, width) || !read_number (reader, height) ||
      !read_number (reader, maximum) || reader->at >= reader->size ||
      !g_ascii_isspace (reader->data[reader->at]))
    return cs_fail (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "its PGM header is damaged: width, height and maximum must be numbers "
        "from 1 to %d", MAX_SIDE);
  /* a single white space, then samples */
  reader->at++;
  return TRUE;
}

/* What a header says. */
typedef struct
{
  guint width, height;
  gsize n, sample_size;
} Header;

/* Leaves @reader where the samples begin. @size: bytes of the whole image */
static gboolean
parse_header (Reader * reader, guint64 size, Header * header, GError ** error)
{
  guint maximum;

  if (!read_header (reader, &header->width, &header->height, &maximum, error))
    return FALSE;
  header->n = (gsize) header->width * header->height;
  header->sample_size = maximum > 255 ? 2 : 1;
  /* no product that 32 bits are too few for */
  if ((size - reader->at) / header->sample_size >= header->n)
    return TRUE;
  return cs_fail (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "its %u x %u "
      "samples are not all there: the file is cut off", header->width,
      header->height);
}

static guint8 *
make_mask (const Header * header, GError ** error)
{
  guint8 *mask = cs_try_malloc (MAX (header->n, 1));

  if (!mask)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE, "there is no memory "
        "for its %u x %u samples", header->width, header->height);
  return mask;
}

static void
convert (const guint8 * samples, gsize sample_size, gsize n, guint8 * mask)
{
  for (gsize i = 0; i < n; i++) {
    const gboolean set = sample_size == 1 ? samples[i] != 0 :
        (samples[2 * i] | samples[2 * i + 1]) != 0;

    mask[i] = set ? 255 : 0;
  }
}

guint8 *
gst_shapes_pgm_parse (gconstpointer data, gsize size, guint * width,
    guint * height, GError ** error)
{
  Reader reader = { data, size, 0 };
  Header header;

  if (!parse_header (&reader, size, &header, error))
    return NULL;
  guint8 *mask = make_mask (&header, error);
  if (!mask)
    return NULL;
  convert (reader.data + reader.at, header.sample_size, header.n, mask);
  *width = header.width;
  *height = header.height;
  return mask;
}

/* Reads and converts the samples from byte @at on, a part at a time. */
static gboolean
read_samples (GstShapesFile * file, guint64 at, const Header * header,
    guint8 * mask, GError ** error)
{
  guint8 part[PART];
  gsize n;

  for (gsize i = 0; i < header->n; i += n) {
    n = MIN (header->n - i, PART / header->sample_size);
    if (!gst_shapes_file_read (file, at + i * header->sample_size, part,
            n * header->sample_size, error))
      return FALSE;
    convert (part, header->sample_size, n, mask + i);
  }
  return TRUE;
}

guint8 *
gst_shapes_pgm_read (GstShapesFile * file, guint width, guint height,
    GError ** error)
{
  const guint64 size = gst_shapes_file_get_size (file);
  guint8 start[PART];
  Reader reader = { start, MIN (size, PART), 0 };
  Header header;

  if (!gst_shapes_file_read (file, 0, start, reader.size, error) ||
      !parse_header (&reader, size, &header, error))
    return NULL;
  if (header.width != width || header.height != height)
    return cs_fail_null (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "it has %u x %u pixels, the frame %u x %u; scale one of them",
        header.width, header.height, width, height);
  guint8 *mask = make_mask (&header, error);
  if (mask && !read_samples (file, reader.at, &header, mask, error))
    g_clear_pointer (&mask, g_free);
  return mask;
}
