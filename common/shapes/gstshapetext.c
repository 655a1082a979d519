/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapetext.h"

#include "gstshapes-private.h"

void
gst_shape_text_append_string (GstShapeText * text, const gchar * string)
{
  g_autofree gchar *valid = g_utf8_make_valid (string, -1);

  gst_shape_text_append (text, "\"");
  for (const gchar * c = valid; *c; c++) {
    if (*c == '"' || *c == '\\')
      gst_shape_text_append (text, "\\");
    if ((guchar) * c < 0x20) {
      gchar escape[8];

      g_snprintf (escape, sizeof (escape), "\\u%04x", *c);
      gst_shape_text_append (text, escape);
    } else {
      cs_array_append (&text->bytes, c, 1);
    }
  }
  gst_shape_text_append (text, "\"");
}

/* A point is two numbers and four signs. */
#define POINT_MAX (2 * NUMFMT_MAX + 4)
#define POINTS_AT_ONCE 256

static inline gchar *
put_point (gchar * end, const GstShapeTextPoints * format, GstShapePoint point)
{
  if (format->open)
    *end++ = format->open;
  end = numfmt_float (end, point.x + format->shift);
  *end++ = format->between;
  end = numfmt_float (end, point.y + format->shift);
  if (format->close)
    *end++ = format->close;
  *end++ = format->after;
  return end;
}

void
gst_shape_text_append_points (GstShapeText * text,
    const GstShapeTextPoints * format, const GstShapePoint * points, gsize n,
    const guint8 * keep, gboolean backwards)
{
  const gsize begin = text->bytes.len;

  for (gsize i = 0; i < n;) {
    const gsize stop = MIN (i + POINTS_AT_ONCE, n);

    gchar *end = gst_shape_text_reserve (text, POINTS_AT_ONCE * POINT_MAX);
    if (!end)
      return;
    for (; i < stop; i++) {
      const gsize at = backwards ? n - 1 - i : i;

      if (!keep || keep[at])
        end = put_point (end, format, points[at]);
    }
    gst_shape_text_advance (text, end);
  }
  if (text->bytes.len > begin)
    text->bytes.len--;
}

GBytes *
gst_shape_text_finish (GstShapeText * text, GError ** error)
{
  if (!gst_shape_text_is_lost (text)) {
    GBytes *bytes = g_bytes_new_take (text->bytes.data, text->bytes.len);
    cs_array_init (&text->bytes, 1);
    return bytes;
  }
  if (text->bytes.failed)
    gst_shapes_fail_memory (error,
        "there is not enough memory for a text of more than %" G_GSIZE_FORMAT
        " bytes", text->bytes.len);
  else
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_ENCODE,
        "the text of the shapes is longer than %" G_GSIZE_FORMAT " bytes",
        text->max_size);
  cs_array_clear (&text->bytes);
  return NULL;
}
