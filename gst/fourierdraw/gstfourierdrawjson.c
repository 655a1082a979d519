/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawjson.h"

/* Digits that give the same float, and double, again. */
#define FLOAT_FORMAT "%.9g"
#define DOUBLE_FORMAT "%.17g"

static void
append_number (GString * text, const gchar * format, gdouble number)
{
  gchar buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (text, g_ascii_formatd (buffer, sizeof (buffer), format,
          number));
}

static void
append_pair (GString * text, const gchar * format, gdouble a, gdouble b)
{
  append_number (text, format, a);
  g_string_append_c (text, ',');
  append_number (text, format, b);
  g_string_append_c (text, ']');
}

static void
append_strokes (GString * text, const FourierDrawing * drawing)
{
  gsize i, k;

  for (i = 0; i < drawing->n_contours; i++) {
    g_string_append (text, i > 0 ? ",\n[" : "\n[");
    for (k = drawing->offsets[i]; k < drawing->offsets[i + 1]; k++) {
      g_string_append (text, k > drawing->offsets[i] ? ",[" : "[");
      append_pair (text, FLOAT_FORMAT, drawing->points[k].x,
          drawing->points[k].y);
    }
    g_string_append_c (text, ']');
  }
}

static void
append_part (GString * text, const FourierDrawing * drawing,
    const FourierPart * part)
{
  const guint n = fourier_drawing_get_n_vectors (drawing, part);
  gdouble re, im;
  guint i;
  gint k;

  g_string_append_printf (text, "{\"arm\":%u,\"begin\":", part->arm);
  append_number (text, DOUBLE_FORMAT, part->begin);
  g_string_append (text, ",\"end\":");
  append_number (text, DOUBLE_FORMAT, part->end);
  g_string_append_printf (text, ",\"samples\":%u,\"vectors\":[",
      cs_fourier_get_n_samples (part->fourier));
  for (i = 0; i <= n; i++) {
    cs_fourier_get_vector (part->fourier, i, &k, &re, &im);
    g_string_append_printf (text, "%s[%d,", i > 0 ? "," : "", k);
    append_pair (text, DOUBLE_FORMAT, re, im);
  }
  g_string_append (text, "]}");
}

GString *
fourier_drawing_to_json (const FourierDrawing * drawing)
{
  GString *text = g_string_new (NULL);
  gsize i;

  g_string_append_printf (text, "{\"width\":%u,\"height\":%u,\"strokes\":[",
      drawing->contours->width, drawing->contours->height);
  append_strokes (text, drawing);
  g_string_append (text, "],\n\"parts\":[");
  for (i = 0; i < drawing->parts->len; i++) {
    g_string_append (text, i > 0 ? ",\n" : "\n");
    append_part (text, drawing, &cs_array_index (drawing->parts,
            FourierPart, i));
  }
  g_string_append (text, "]}\n");
  return text;
}

gboolean
fourier_drawing_save (const FourierDrawing * drawing,
    const gchar * path, GError ** error)
{
  GString *text;
  gboolean ok;

  /* it would be replaced */
  if (g_file_test (path, G_FILE_TEST_EXISTS)
      && !g_file_test (path, G_FILE_TEST_IS_REGULAR)) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "\"%s\" is a device, "
        "a pipe or a folder", path);
    return FALSE;
  }
  text = fourier_drawing_to_json (drawing);
  ok = g_file_set_contents (path, text->str, text->len, error);
  g_string_free (text, TRUE);
  return ok;
}
