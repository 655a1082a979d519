/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Outlines of texts. */

#include <math.h>
#include <string.h>

#include "../lib/suite.h"
#include "base/error.h"
#include "element/gstshapesfont.h"
#include "fourierdraw/gstfourierdrawtext.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FourierContours, fourier_contours_unref)

typedef struct
{
  gdouble x0, y0, x1, y1;
} Box;

static FourierContours *
outline (const gchar * text, guint width, guint height)
{
  GError *error = NULL;
  FourierContours *contours = fourier_text_outline (text,
      "Sans", width, height, &error);

  fail_unless (contours != NULL, "%s", error ? error->message : "");
  return contours;
}

/* Of contours from @first up to, not with, @end. */
static Box
find_box (const FourierContours * contours, gsize first, gsize end)
{
  Box box = { G_MAXDOUBLE, G_MAXDOUBLE, -G_MAXDOUBLE, -G_MAXDOUBLE };

  for (guint32 i = contours->offsets[first]; i < contours->offsets[end]; i++) {
    box.x0 = MIN (box.x0, contours->points[i].x);
    box.y0 = MIN (box.y0, contours->points[i].y);
    box.x1 = MAX (box.x1, contours->points[i].x);
    box.y1 = MAX (box.y1, contours->points[i].y);
  }
  return box;
}

/* In any font an o has a hole, an i a dot, and an l neither. */
TEST_TO_ADD (letters_have_their_outlines)
{
  static const struct
  {
    const gchar *text;
    gsize n;
  } cases[] = { {"o", 2}, {"i", 2}, {"l", 1}, {"oil", 5}, {" ", 0}, {"\n", 0},
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (FourierContours) contours = outline (cases[i].text, 200, 100);

    fail_unless (contours->n_contours == cases[i].n, "\"%s\" has %"
        G_GSIZE_FORMAT " outlines", cases[i].text, contours->n_contours);
  }
}

TEST_TO_ADD (outlines_are_closed_and_dense)
{
  g_autoptr (FourierContours) contours = outline ("Elk", 640, 480);

  for (gsize c = 0; c < contours->n_contours; c++) {
    const guint32 first = contours->offsets[c];
    const guint32 last = contours->offsets[c + 1] - 1;
    const CsStrokePoint *p = contours->points;

    fail_unless (last > first + 10);
    fail_unless (memcmp (&p[first], &p[last], sizeof (*p)) == 0,
        "outline %" G_GSIZE_FORMAT " is open", c);
    for (guint32 i = first; i < last; i++)
      fail_unless (hypot (p[i + 1].x - p[i].x, p[i + 1].y - p[i].y) < 2.001);
  }
}

/* Wide texts by the width, high ones by the height; in the middle of the
 * picture. Letters have some air at their sides and above. */
TEST_TO_ADD (texts_fill_the_picture)
{
  static const gchar *const texts[] = { "MMMMMMMMMMMM", "M" };

  for (guint i = 0; i < 2; i++) {
    const guint width = i == 0 ? 600 : 200, height = 200;
    g_autoptr (FourierContours) contours = outline (texts[i], width, height);
    const Box box = find_box (contours, 0, contours->n_contours);
    const gdouble share = i == 0 ? (box.x1 - box.x0) / width :
        (box.y1 - box.y0) / height;

    fail_unless (box.x0 >= 0 && box.y0 >= 0 && box.x1 < width && box.y1 <
        height, "%g, %g to %g, %g", box.x0, box.y0, box.x1, box.y1);
    fail_unless (share > (i == 0 ? .85 : .5) && share <= .91, "%g", share);
    fail_unless (fabs (box.x0 + box.x1 + 1 - width) < .02 * width, "%g to %g",
        box.x0, box.x1);
  }
}

TEST_TO_ADD (lines_are_below_each_other)
{
  g_autoptr (FourierContours) contours = outline ("l\nl", 100, 200);

  fail_unless (contours->n_contours == 2);
  Box above = find_box (contours, 0, 1);
  Box below = find_box (contours, 1, 2);
  fail_unless (above.y1 < below.y0, "%g, %g", above.y1, below.y0);
  fail_unless (fabs (above.x0 - below.x0) < 1e-3);
}

TEST_TO_ADD (no_font_is_sans)
{
  g_autoptr (FourierContours) sans = fourier_text_outline ("o", "Sans", 50,
      50, NULL);
  g_autoptr (FourierContours) none = fourier_text_outline ("o", NULL, 50,
      50, NULL);

  fail_unless (sans && none);
  fail_unless_equals_int (none->n_contours, sans->n_contours);
  fail_unless (!memcmp (none->points, sans->points,
          sans->offsets[sans->n_contours] * sizeof (*sans->points)));
}

TEST (what_is_no_text_is_refused)
{
  g_autoptr (GString) longest = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  fail_if (fourier_text_outline ("\xff", "Sans", 10, 10, &error));
  fail_unless (g_error_matches (error, CS_ERROR, CS_ERROR_INVALID));
  g_clear_error (&error);
  /* letters count, not their bytes */
  for (guint i = 0; i < FOURIER_TEXT_MAX; i++)
    g_string_append (longest, "\xc3\xa4");
  FourierContours *contours = fourier_text_outline (longest->str, "Sans", 10,
      10, &error);
  fail_unless (contours || !g_error_matches (error, CS_ERROR,
          CS_ERROR_LIMIT));
  g_clear_pointer (&contours, fourier_contours_unref);
  g_clear_error (&error);
  g_string_append (longest, "\xc3\xa4");
  fail_if (fourier_text_outline (longest->str, "Sans", 10, 10,
          &error));
  fail_unless (g_error_matches (error, CS_ERROR, CS_ERROR_LIMIT));
}

SUITE (text)
{
  GError *error = NULL;
  GstShapesFont *font = gst_shapes_font_new ("Sans", 20., &error);

  if (font) {
    ADD (letters_have_their_outlines);
    ADD (outlines_are_closed_and_dense);
    ADD (texts_fill_the_picture);
    ADD (lines_are_below_each_other);
    ADD (no_font_is_sans);
    gst_shapes_font_free (font);
  } else {
    g_print ("not tried: %s\n", error->message);
    g_clear_error (&error);
  }
}
