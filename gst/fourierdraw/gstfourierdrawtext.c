/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Texts as outlines to draw. */
#include "gstfourierdrawtext.h"

#include "element/gstshapesfont.h"

/* Share of the picture that a text fills */
#define SHARE .9
/* Pixels of the em by which a text is measured */
#define EM 100.

/* Outlines as the font gives them: pairs of gfloat, and where rings begin. */
typedef struct
{
  CsArray points, rings;
} Outlines;

/* The em at which @lines fill their share of the picture, or 0: nothing to
 * draw. */
static gdouble
fit (gchar ** lines, const gchar * description, guint width, guint height,
    GError ** error)
{
  GstShapesFont *font = gst_shapes_font_new (description, EM, error);
  gdouble widest = 0., line_height;
  guint i;

  if (!font)
    return -1.;
  for (i = 0; lines[i]; i++)
    widest = MAX (widest, gst_shapes_font_measure (font, lines[i]));
  line_height = font->ascent + font->descent;
  gst_shapes_font_free (font);
  return widest > 0. ? EM * SHARE * MIN (width / widest,
      height / (MAX (i, 1) * line_height)) : 0.;
}

static gboolean
lay_out (gchar ** lines, const gchar * description, gdouble em, guint width,
    guint height, Outlines * outlines, GError ** error)
{
  GstShapesFont *font = gst_shapes_font_new (description, em, error);
  gdouble line_height, y;

  if (!font)
    return FALSE;
  line_height = font->ascent + font->descent;
  y = (height - line_height * g_strv_length (lines)) / 2. + font->ascent;
  for (guint i = 0; lines[i]; i++, y += line_height)
    gst_shapes_font_append (font, lines[i], (width -
            gst_shapes_font_measure (font, lines[i])) / 2., y,
        &outlines->points, &outlines->rings);
  gst_shapes_font_free (font);
  if (outlines->points.failed || outlines->rings.failed)
    return cs_fail_no_memory (error, "the outlines of a text");
  return TRUE;
}

static CsStrokePoint
get_point (const Outlines * outlines, gsize i)
{
  const gfloat *p = (const gfloat *) (gconstpointer) outlines->points.data;

  /* pixel centres are at integers */
  return (CsStrokePoint) {
  p[2 * i] - .5f, p[2 * i + 1] - .5f};
}

/* Copies closed rings, or only counts their points. */
static gsize
copy_rings (const Outlines * outlines, FourierContours * contours)
{
  const gsize n_rings = outlines->rings.len;
  gsize ring, i, n = 0;

  for (ring = 0; ring < n_rings; ring++) {
    const gsize first = cs_array_index (&outlines->rings, guint32, ring);
    const gsize end = ring + 1 < n_rings ?
        cs_array_index (&outlines->rings, guint32, ring + 1) :
        outlines->points.len;
    CsStrokePoint last = get_point (outlines, first);

    if (contours)
      contours->points[n] = last;
    n++;
    for (i = first + 1; i <= end; i++) {
      const CsStrokePoint point = get_point (outlines, i < end ? i : first);

      n += fourier_divide_line (last, point,
          contours ? contours->points + n : NULL);
      last = point;
    }
    if (contours)
      contours->offsets[ring + 1] = (guint32) n;
  }
  if (contours)
    contours->n_contours = n_rings;
  return n;
}

static gboolean
check (const gchar * text, GError ** error)
{
  if (!g_utf8_validate (text, -1, NULL))
    return cs_error (error, CS_ERROR_INVALID, "the text is no UTF-8");
  if (g_utf8_strlen (text, -1) > FOURIER_TEXT_MAX)
    return cs_error (error, CS_ERROR_LIMIT, "the text has more than %d "
        "characters; draw parts of it one by one", FOURIER_TEXT_MAX);
  return TRUE;
}

FourierContours *
fourier_text_outline (const gchar * text, const gchar * font,
    guint width, guint height, GError ** error)
{
  FourierContours *contours = NULL;
  Outlines outlines;

  if (!check (text, error))
    return NULL;
  gchar **lines = g_strsplit (text, "\n", -1);
  cs_array_init (&outlines.points, 2 * sizeof (gfloat));
  cs_array_init (&outlines.rings, sizeof (guint32));
  const gdouble em = fit (lines, font, width, height, error);
  if (em == 0. || (em > 0. && lay_out (lines, font, em, width, height,
              &outlines, error)))
    contours = fourier_contours_new (width, height,
        copy_rings (&outlines, NULL), outlines.rings.len, error);
  if (contours)
    copy_rings (&outlines, contours);
  cs_array_clear (&outlines.points);
  cs_array_clear (&outlines.rings);
  g_strfreev (lines);
  return contours;
}
