/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Any text as fourierdraw's property "exclude": strokes of the brush; and what
 * is read as a mask. */

#include "fuzz.h"

#include <math.h>

#include "fourierdraw/gstfourierdrawbrush.h"

#define RADIUS 3.

static gboolean
is_blank (const gchar * text)
{
  while (g_ascii_isspace (*text) || *text == ';')
    text++;
  return *text == '\0';
}

static guint
count (const gchar * text, gchar what)
{
  guint n = 0;

  for (; *text; text++)
    n += *text == what;
  return n;
}

/* The strokes that @dabs are written as read back as the same. */
static void
check_reads_back (const GArray * dabs)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < dabs->len; i++) {
    const FourierDab *dab = &g_array_index (dabs, FourierDab, i);

    g_string_append_printf (text, "%s%s,", i ? "; " : "",
        g_ascii_dtostr (number, sizeof (number), dab->x0));
    g_string_append_printf (text, "%s ",
        g_ascii_dtostr (number, sizeof (number), dab->y0));
    g_string_append_printf (text, "%s ,",
        g_ascii_dtostr (number, sizeof (number), dab->x1));
    g_string_append (text, g_ascii_dtostr (number, sizeof (number), dab->y1));
  }
  g_autoptr (GArray) again = fourier_parse_strokes (text->str, RADIUS, NULL);
  FUZZ_CHECK (again && again->len == dabs->len, "%s", text->str);
  for (guint i = 0; i < dabs->len; i++) {
    const FourierDab *a = &g_array_index (dabs, FourierDab, i);
    const FourierDab *b = &g_array_index (again, FourierDab, i);

    FUZZ_CHECK (a->x0 == b->x0 && a->y0 == b->y0 && a->x1 == b->x1
        && a->y1 == b->y1, "stroke %u of %s", i, text->str);
  }
}

static void
check_mask (const GArray * dabs)
{
  CsBrushMask *mask = cs_brush_mask_new (40, 30, NULL);

  for (guint i = 0; i < MIN (dabs->len, 64); i++) {
    const FourierDab *dab = &g_array_index (dabs, FourierDab, i);

    cs_brush_mask_stroke (mask, dab->x0, dab->y0, dab->x1, dab->y1,
        dab->radius);
    if (dab->x1 > -.5 && dab->x1 < 39.5 && dab->y1 > -.5 && dab->y1 < 29.5)
      FUZZ_CHECK (cs_brush_mask_contains (mask, dab->x1, dab->y1),
          "%g,%g is not under the brush", dab->x1, dab->y1);
  }
  cs_brush_mask_free (mask);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  g_autofree gchar *text = g_strndup ((const gchar *) data, size);
  GError *error = NULL;
  GArray *dabs = fourier_parse_strokes (text, RADIUS, &error);

  FUZZ_CHECK_ERROR (dabs != NULL, error);
  g_clear_error (&error);
  if (dabs) {
    FUZZ_CHECK ((dabs->len == 0) == is_blank (text), "%u dabs of \"%s\"",
        dabs->len, text);
    FUZZ_CHECK (dabs->len <= count (text, ','), "%u dabs of \"%s\"", dabs->len,
        text);
    for (guint i = 0; i < dabs->len; i++) {
      const FourierDab *dab = &g_array_index (dabs, FourierDab, i);

      FUZZ_CHECK (isfinite (dab->x0) && isfinite (dab->y0)
          && isfinite (dab->x1) && isfinite (dab->y1)
          && dab->radius == RADIUS, "dab %u", i);
    }
    check_reads_back (dabs);
    check_mask (dabs);
    g_array_unref (dabs);
  }
  return 0;
}
