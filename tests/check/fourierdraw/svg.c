/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Outlines of SVG documents. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <gst/check/gstcheck.h>

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "fourierdraw/gstfourierdrawsvg.h"

static GstFourierDrawContours *
parse (const gchar * text, guint width, guint height)
{
  GError *error = NULL;
  GstFourierDrawContours *contours = gst_fourier_draw_svg_parse (text,
      strlen (text), width, height, &error);

  fail_unless (contours != NULL, "%s", error ? error->message : "");
  return contours;
}

/* The contours of @content in a document of 100 x 100, without scaling; half a
 * pixel is where centres are. */
static GstFourierDrawContours *
draw (const gchar * content)
{
  gchar *text = g_strdup_printf ("<svg viewBox=\"0 0 100 100\">%s</svg>",
      content);
  GstFourierDrawContours *contours = parse (text, 100, 100);

  g_free (text);
  return contours;
}

static gboolean
has_point (const GstFourierDrawContours * contours, guint contour, gdouble x,
    gdouble y)
{
  guint32 i;

  for (i = contours->offsets[contour]; i < contours->offsets[contour + 1]; i++)
    if (hypot (contours->points[i].x + .5 - x,
            contours->points[i].y + .5 - y) < 1e-3)
      return TRUE;
  return FALSE;
}

typedef struct
{
  const gchar *content;
  guint n_contours;
  /* of the first contour: a point that it has, first and last point */
  gdouble has[2], first[2], last[2];
} Case;

/* By hand. */
static const Case cases[] = {
  {"<path d='M10 20L30 20'/>", 1, {20, 20}, {10, 20}, {30, 20}},
  {"<path d='m10,20 20,0 0,30z'/>", 1, {30, 50}, {10, 20}, {10, 20}},
  {"<path d='M1 2H9V8h-4v-2'/>", 1, {9, 8}, {1, 2}, {5, 6}},
  {"<path d='M0 0C0 40 40 40 40 0'/>", 1, {20, 30}, {0, 0}, {40, 0}},
  {"<path d='M0 0Q20 40 40 0'/>", 1, {20, 20}, {0, 0}, {40, 0}},
  {"<path d='M0 0Q10 20 20 0T40 0'/>", 1, {30, -10}, {0, 0}, {40, 0}},
  {"<path d='M0 0c0 10 10 10 10 0s10-10 10 0'/>", 1, {15, -7.5}, {0, 0},
      {20, 0}},
  {"<path d='M10 30A20 20 0 0 1 50 30'/>", 1, {30, 10}, {10, 30}, {50, 30}},
  {"<path d='M10 30a20 20 0 0040 0'/>", 1, {30, 50}, {10, 30}, {50, 30}},
  {"<path d='M10 30A1 1 0 0 1 50 30'/>", 1, {30, 10}, {10, 30}, {50, 30}},
  /* as good as a line, or too large or too small for numbers */
  {"<path d='M10 30A1e17 1e17 0 0 1 50 30V9'/>", 1, {50, 30}, {10, 30},
      {50, 9}},
  {"<path d='M10 30A1e200 1e200 0 0 1 50 30V9'/>", 1, {50, 30}, {10, 30},
      {50, 9}},
  {"<path d='M10 30A1e308 1e-300 9 1 0 50 30V9'/>", 1, {50, 30}, {10, 30},
      {50, 9}},
  {"<path d='M0 0H9zm1 1h5'/>", 2, {9, 0}, {0, 0}, {0, 0}},
  {"<path d='M0 0H9V9zL5 5'/>", 2, {9, 9}, {0, 0}, {0, 0}},
  {"<rect x='10' y='20' width='30' height='40'/>", 1, {40, 60}, {10, 20},
      {10, 20}},
  {"<rect width='40' height='20' rx='10'/>", 1, {40, 10}, {10, 0}, {10, 0}},
  {"<circle cx='50' cy='50' r='20'/>", 1, {50, 70}, {70, 50}, {70, 50}},
  {"<ellipse cx='50' cy='50' rx='20' ry='5'/>", 1, {50, 55}, {70, 50},
      {70, 50}},
  {"<line x1='1' y1='2' x2='1' y2='6'/>", 1, {1, 4}, {1, 2}, {1, 6}},
  {"<polyline points='1,2 5,2,5 9'/>", 1, {5, 2}, {1, 2}, {5, 9}},
  {"<polygon points='1,2 5,2,5 9'/>", 1, {5, 9}, {1, 2}, {1, 2}},
  {"<g transform='translate(10)'><path transform='scale(2,3)' "
      "d='M1 1L5 1'/></g>", 1, {20, 3}, {12, 3}, {20, 3}},
  {"<path transform='rotate(90)' d='M10-20L30-20'/>", 1, {20, 10}, {20, 10},
      {20, 30}},
  {"<path transform='rotate(90 10 10)' d='M20 10L30 10'/>", 1, {10, 20},
      {10, 20}, {10, 30}},
  {"<path transform='matrix(0 1 -1 0 50 0)' d='M20 10L30 10'/>", 1, {40, 20},
      {40, 20}, {40, 30}},
  {"<path transform='skewX(45)' d='M0 10L10 10'/>", 1, {10, 10}, {10, 10},
      {20, 10}},
  {"<path transform='translate(1 2) skewY(45)' d='M10 0L20 0'/>", 1, {11, 12},
      {11, 12}, {21, 22}},
  {"<g transform='translate(9)'></g><path d='M1 2L3 2'/>", 1, {1, 2}, {1, 2},
      {3, 2}},
  {"<defs><g><path d='M0 0L1 1'/></g></defs><path d='M1 2L3 2'/>", 1, {1, 2},
      {1, 2}, {3, 2}},
  {"<g display='none'><path d='M0 0L1 1'/></g><!-- <path d='M0 0'/> -->"
      "<path id='>' d='M1 2L3 2'/>", 1, {1, 2}, {1, 2}, {3, 2}},
};

GST_START_TEST (shapes_are_drawn_where_they_are)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    const Case *c = &cases[i];
    GstFourierDrawContours *contours = draw (c->content);
    const CsStrokePoint *first = contours->points;
    const CsStrokePoint *last = contours->points + contours->offsets[1] - 1;

    fail_unless (contours->n_contours == c->n_contours, "%s: %u contours",
        c->content, (guint) contours->n_contours);
    fail_unless (has_point (contours, 0, c->has[0], c->has[1]), "%s",
        c->content);
    fail_unless (hypot (first->x + .5 - c->first[0],
            first->y + .5 - c->first[1]) < 1e-3, "%s: begins at %g, %g",
        c->content, first->x + .5, first->y + .5);
    fail_unless (hypot (last->x + .5 - c->last[0], last->y + .5 - c->last[1]) <
        1e-3, "%s: ends at %g, %g", c->content, last->x + .5, last->y + .5);
    gst_fourier_draw_contours_unref (contours);
  }
}
GST_END_TEST;

GST_START_TEST (a_document_is_as_large_as_the_picture)
{
  GstFourierDrawContours *contours = parse ("<svg viewBox='10 10 20 10'>"
      "<path d='M10 10L30 20'/></svg>", 200, 200);

  fail_unless (has_point (contours, 0, 0, 50));
  fail_unless (has_point (contours, 0, 200, 150));
  gst_fourier_draw_contours_unref (contours);
  /* without a size, what is drawn */
  contours = parse ("<svg><path d='M-5 0L5 1'/></svg>", 100, 100);
  fail_unless (has_point (contours, 0, 0, 45));
  fail_unless (has_point (contours, 0, 100, 55));
  gst_fourier_draw_contours_unref (contours);
}
GST_END_TEST;

/* Long lines get points in between, so that they are not taken for small. */
GST_START_TEST (lines_have_points_in_between)
{
  GstFourierDrawContours *contours = draw ("<line x1='0' x2='100'/>");
  guint i;

  fail_unless (contours->offsets[1] >= 51);
  for (i = 1; i < contours->offsets[1]; i++)
    fail_unless (fabs (contours->points[i].x - contours->points[i - 1].x) <=
        2.001);
  gst_fourier_draw_contours_unref (contours);
}
GST_END_TEST;

GST_START_TEST (what_is_wrong_is_said)
{
  static const struct
  {
    const gchar *text, *message;
    gint code;
  } wrong[] = {
    {"", "no element svg", CS_ERROR_INVALID},
    {"<svg", "ends within a tag", CS_ERROR_INVALID},
    {"<svg><!-- ", "ends within a tag or a comment", CS_ERROR_INVALID},
    {"<svg><path d='L1 2'/></svg>", "must begin with M", CS_ERROR_INVALID},
    {"<svg><path d='M1 2X3'/></svg>", "unknown command", CS_ERROR_INVALID},
    {"<svg><path d='M1 2L3'/></svg>", "numbers are missing", CS_ERROR_INVALID},
    {"<svg><path d='M1 nan'/></svg>", "numbers are missing", CS_ERROR_INVALID},
    {"<svg><path d='M1e308 0L-1e308 0' transform='scale(9)'/></svg>",
        "too far away", CS_ERROR_INVALID},
    {"<svg><g transform='scale(1,2,3)'/></svg>", "scale(1,2,3)",
        CS_ERROR_INVALID},
    {"<svg><g transform='wobble(1)'/></svg>", "wobble", CS_ERROR_INVALID},
  };
  GString *deep = g_string_new ("<svg>");
  GError *error = NULL;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (wrong); i++) {
    fail_if (gst_fourier_draw_svg_parse (wrong[i].text,
            strlen (wrong[i].text), 10, 10, &error), "%s", wrong[i].text);
    fail_unless (g_error_matches (error, CS_ERROR, wrong[i].code) &&
        strstr (error->message, wrong[i].message), "%s: %s", wrong[i].text,
        error->message);
    g_clear_error (&error);
  }
  for (i = 0; i < 400; i++)
    g_string_append (deep, "<g>");
  fail_if (gst_fourier_draw_svg_parse (deep->str, deep->len, 10, 10, &error));
  fail_unless (g_error_matches (error, CS_ERROR, CS_ERROR_LIMIT));
  g_clear_error (&error);
  g_string_free (deep, TRUE);
  fail_if (gst_fourier_draw_svg_load ("/dev/zero", 10, 10, &error));
  fail_unless (error != NULL);
  g_clear_error (&error);
  fail_if (gst_fourier_draw_svg_load ("/nowhere.svg", 10, 10, &error));
  fail_unless (error != NULL && strstr (error->message, "nowhere"));
  g_clear_error (&error);
}
GST_END_TEST;

static Suite *
svg_suite (void)
{
  Suite *suite = suite_create ("fourierdraw-svg");
  TCase *tc = tcase_create ("svg");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, shapes_are_drawn_where_they_are);
  tcase_add_test (tc, a_document_is_as_large_as_the_picture);
  tcase_add_test (tc, lines_have_points_in_between);
  tcase_add_test (tc, what_is_wrong_is_said);
  return suite;
}

GST_CHECK_MAIN (svg);
