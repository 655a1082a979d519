/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Outlines of SVG documents. */

#include <gio/gio.h>

#include <math.h>
#include <string.h>

#include "../lib/suite.h"
#include "base/error.h"
#include "fourierdraw/gstfourierdrawsvg.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FourierContours, fourier_contours_unref)

static FourierContours *
parse (const gchar * text, guint width, guint height)
{
  GError *error = NULL;
  FourierContours *contours = svg_parse (text,
      strlen (text), width, height, &error);

  fail_unless (contours != NULL, "%s", error ? error->message : "");
  return contours;
}

/* Where (0, 0) lies in what draw() makes. */
#define ORIGIN 50.f

/* The contours of @content, in strokes, on a page of 200 x 200 from (-50, -50)
 * on, without scaling; half a pixel is where centres are. */
static FourierContours *
draw (const gchar * content)
{
  gchar *text = g_strdup_printf ("<svg viewBox='-50 -50 200 200' fill='none' "
      "stroke='#000'>%s</svg>", content);
  FourierContours *contours = parse (text, 200, 200);

  for (guint32 i = 0; i < contours->offsets[contours->n_contours]; i++) {
    contours->points[i].x -= ORIGIN;
    contours->points[i].y -= ORIGIN;
  }

  g_free (text);
  return contours;
}

static gboolean
has_point (const FourierContours * contours, guint contour, gdouble x,
    gdouble y)
{
  for (guint32 i = contours->offsets[contour];
      i < contours->offsets[contour + 1]; i++)
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
  {"<path d='M0 0Q10 20 20 0T40 0T60 0'/>", 1, {50, 10}, {0, 0}, {60, 0}},
  {"<path d='M0 0C0 10 10 10 10 0S20-10 20 0S30 10 30 0'/>", 1, {25, 7.5},
      {0, 0}, {30, 0}},
  {"<path d='M0 0c0 10 10 10 10 0s10-10 10 0'/>", 1, {15, -7.5}, {0, 0},
      {20, 0}},
  {"<path d='M10 30A20 20 0 0 1 50 30'/>", 1, {30, 10}, {10, 30}, {50, 30}},
  {"<path d='M10 30a20 20 0 0040 0'/>", 1, {30, 50}, {10, 30}, {50, 30}},
  {"<path d='M10 30A20 10 90 0 1 50 30'/>", 1, {30, -10}, {10, 30}, {50, 30}},
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
  {"<rect width='40' height='20' rx='5' ry='50'/>", 1, {38.5355, 2.9289},
      {5, 0}, {5, 0}},
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
  /* 36.87 and 53.13 degrees, one in the other, are 90 */
  {"<g transform='rotate(36.869898)'><path d='M10-20L30-20' "
      "transform='rotate(53.130102)'/></g>", 1, {20, 10}, {20, 10}, {20, 30}},
  /* a row and a column that are no others: (x, y) to (2x + 5y + 1, 3x + 7y - 4),
   * that by (x + 2y, x / 2 - y) before */
  {"<g transform='matrix(2 3 5 7 1 -4)'><path d='M2 3L4 1' "
      "transform='matrix(1 .5 2 -1 0 0)'/></g>", 1, {7, 6}, {7, 6}, {18, 21}},
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
  /* up to the error */
  {"<path d='M1 2L3 2 5'/><path d='L9 9'/><path d='9'/>", 1, {1, 2}, {1, 2},
      {3, 2}},
  {"<path d='M1 2L3 2X5'/>", 1, {1, 2}, {1, 2}, {3, 2}},
  {"<path d='M1 2L3 2M5 nan'/>", 1, {1, 2}, {1, 2}, {3, 2}},
  {"<path d='M1 2L3 2L1e308 0' transform='scale(9)'/>", 1, {9, 18}, {9, 18},
      {27, 18}},
  {"<polyline points='1,2 3,2 4'/>", 1, {1, 2}, {1, 2}, {3, 2}},
  /* rules in a block that is skipped, and after it */
  {"<style>@media print{b{r:1}path{display:none}@x{i{r:1};path{r:1}}"
      "path{display:none}}rect{display:none}</style><path d='M1 2H3'/>"
      "<rect width='9' height='8'/>", 1, {1, 2}, {1, 2}, {3, 2}},
  {"<style>b>>i{r:1;r:2}@font-face{a:b;path{display:none}}</style>"
      "<path d='M1 2H3'/>", 1, {1, 2}, {1, 2}, {3, 2}},
  /* of several elements with an id the first one */
  {"<defs><path id='a' d='M1 2H3'/><path id='b' d='M9 9H8'/>"
      "<path id='a' d='M4 5H6'/><path id='a' d='M7 8H9'/></defs>"
      "<use href='#a'/>", 1, {1, 2}, {1, 2}, {3, 2}},
  /* transforms that are none */
  {"<path transform='scale(1,2,3)' d='M1 2H3'/>", 1, {1, 2}, {1, 2}, {3, 2}},
  {"<g transform='wobble(1)'><path d='M1 2H3'/></g>", 1, {1, 2}, {1, 2},
      {3, 2}},
  /* an area has a border all around, also where its line does not go */
  {"<path fill='#000' d='M1 2H9V8'/>", 1, {7.4, 6.8}, {1, 2}, {1, 2}},
};

/* What SVG 2 and CSS say, and librsvg 2.54 does not do. */
static const Case unlike_rsvg[] = {
  {"<rect style='transform:translate(10px)' transform='scale(9)' width='5' "
      "height='6'/>", 1, {15, 6}, {10, 0}, {10, 0}},
  {"<polygon points='10,60 40,60 40,90 20'/>", 1, {25, 75}, {10, 60},
      {10, 60}},
  {"<path requiredExtensions='' d='M0 0H1'/><path systemLanguage='xx' "
      "d='M0 0H1'/><path d='M1 2H3'/>", 1, {1, 2}, {1, 2}, {3, 2}},
  {"<switch><title>a</title><path systemLanguage='xx' d='M0 0H1'/>"
      "<path d='M1 2H3'/><path d='M0 0H1'/></switch>", 1, {1, 2}, {1, 2},
      {3, 2}},
  {"<svg id='s' width='0' height='9' viewBox='0 0 10 10'><path d='M1 1H9'/>"
      "</svg><use href='#s' x='20' y='30' width='40' height='40'/>", 1,
      {40, 34}, {24, 34}, {56, 34}},
  {"<symbol id='s'><path d='M1 2H9'/></symbol><use href='#s' width='5' "
      "height='5'/>", 1, {1, 2}, {1, 2}, {5, 2}},
  {"<symbol id='s' overflow='visible'><path d='M1 2H9'/></symbol>"
      "<use href='#s' width='5' height='5'/>", 1, {1, 2}, {1, 2}, {9, 2}},
  {"<clipPath id='a' clip-path='url(#b)'><path d='M0 0H50V50H0z'/></clipPath>"
      "<clipPath id='b'><path d='M10 0H90V50H10z'/></clipPath>"
      "<path clip-path='url(#a)' d='M0 20H90'/>", 1, {50, 20}, {10, 20},
      {50, 20}},
  {"<clipPath id='a'><path clip-path='url(#b)' d='M0 0H50V50H0z'/></clipPath>"
      "<clipPath id='b'><path d='M10 0H90V50H10z'/></clipPath>"
      "<path clip-path='url(#a)' d='M0 20H90'/>", 1, {50, 20}, {10, 20},
      {50, 20}},
  {"<clipPath id='a' clip-path='url(#a)'><path d='M0 0H50V50H0z'/></clipPath>"
      "<path clip-path='url(#a)' d='M0 20H90'/><path d='M1 2H3'/>", 2, {40, 20},
      {0, 20}, {50, 20}},
};

static void
check_cases (const Case * all, guint n)
{
  for (guint i = 0; i < n; i++) {
    const Case *c = &all[i];
    g_autoptr (FourierContours) contours = draw (c->content);
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
  }
}

TEST (shapes_are_drawn_where_they_are)
{
  check_cases (cases, G_N_ELEMENTS (cases));
}

TEST (standards_hold_where_rsvg_differs)
{
  check_cases (unlike_rsvg, G_N_ELEMENTS (unlike_rsvg));
}

TEST (a_document_is_as_large_as_the_picture)
{
  g_autoptr (FourierContours) contours = parse ("<svg viewBox='10 10 20 10'>"
      "<path d='M10 10L30 20'/></svg>", 200, 200);

  fail_unless (has_point (contours, 0, 0, 50));
  fail_unless (has_point (contours, 0, 200, 150));
  fourier_contours_unref (contours);
  /* without a size, what is drawn */
  contours = parse ("<svg><path d='M-5 0L5 1'/></svg>", 100, 100);
  fail_unless (has_point (contours, 0, 0, 45));
  fail_unless (has_point (contours, 0, 100, 55));
}

/* Long lines get points in between, so that they are not taken for small. */
TEST (lines_have_points_in_between)
{
  g_autoptr (FourierContours) contours = draw ("<line x2='100'/>");

  fail_unless (contours->offsets[1] >= 51);
  for (guint i = 1; i < contours->offsets[1]; i++)
    fail_unless (fabs (contours->points[i].x - contours->points[i - 1].x) <=
        2.001);
}

static void
check_error (const gchar * name, const gchar * data, gsize size, gint code,
    const gchar * message)
{
  g_autoptr (GError) error = NULL;

  fail_if (svg_parse (data, size, 10, 10, &error), "%s",
      name);
  fail_unless (g_error_matches (error, CS_ERROR, code) &&
      strstr (error->message, message), "%s: %s", name, error->message);
}

TEST (what_is_wrong_is_said)
{
  static const struct
  {
    const gchar *text, *message;
    gint code;
  } wrong[] = {
    {"", "no element svg", CS_ERROR_INVALID},
    {"<svg", "line 1 is not XML", CS_ERROR_INVALID},
    {"<svg><!-- ", "line 1 is not XML", CS_ERROR_INVALID},
    {"<svg>\n<g></svg>", "line 2 is not XML: mismatched tag",
        CS_ERROR_INVALID},
    {"<html/>", "no element svg", CS_ERROR_INVALID},
    {"<svg xmlns='http://example.com'/>", "no element svg", CS_ERROR_INVALID},
    {"<?xml version='1.0' encoding='klingon'?><svg/>", "save it as UTF-8",
        CS_ERROR_INVALID},
    {"<!DOCTYPE svg [<!ENTITY a SYSTEM '/etc/passwd'>]><svg>&a;</svg>",
        "another file, \"/etc/passwd\"", CS_ERROR_INVALID},
    {"<!DOCTYPE svg [<!ENTITY a SYSTEM '/etc/passwd'>]><svg id='&a;'/>",
        "line 1 is not XML", CS_ERROR_INVALID},
    {"<svg id='&a;'/>", "undefined entity", CS_ERROR_INVALID},
    {"\x1f\x8b\x08 no gzip", "cannot be unpacked", CS_ERROR_INVALID},
    {"<svg><text>a</text></svg>", "Path > Object to Path", CS_ERROR_INVALID},
    {"<svg><image href='a.png'/></svg>", "Path > Trace Bitmap",
        CS_ERROR_INVALID},
    {"<svg><g display='none'><text>a</text><path d='M0 0H9'/></g></svg>",
        "no shape with a fill or a stroke", CS_ERROR_INVALID},
    {"<svg viewBox='0 0 10 10'><path d='M20 0H30'/></svg>", "on the page",
        CS_ERROR_INVALID},
  };
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    check_error (wrong[i].text, wrong[i].text, strlen (wrong[i].text),
        wrong[i].code, wrong[i].message);
  fail_if (svg_load ("/dev/zero", 10, 10, &error));
  fail_unless (error != NULL);
  g_clear_error (&error);
  fail_if (svg_load ("/nowhere.svg", 10, 10, &error));
  fail_unless (error != NULL && strstr (error->message, "nowhere"));
}

TEST (what_is_not_drawn_is_said)
{
  g_autoptr (FourierContours) contours = draw ("<path d='M0 0H9'/>");

  fail_unless (contours->rest == NULL);
  fourier_contours_unref (contours);
  contours = draw ("<path d='M0 0H9'/><text>a</text>");
  fail_unless (strstr (contours->rest, "Object to Path") != NULL);
}

/* @text: n times, after @begin and before @end */
static GString *
repeat (const gchar * begin, const gchar * text, guint n, const gchar * end)
{
  GString *all = g_string_new (begin);

  for (guint i = 0; i < n; i++)
    g_string_append (all, text);
  return g_string_append (all, end);
}

/* Entities, or uses, each of which is ten of the one before. */
static GString *
nest (const gchar * begin, const gchar * format, const gchar * one,
    const gchar * middle)
{
  GString *all = g_string_new (begin);

  for (guint level = 1; level < 12; level++) {
    g_autoptr (GString) ten = g_string_new (NULL);

    for (guint i = 0; i < 10; i++)
      g_string_append_printf (ten, one, level - 1);
    g_string_append_printf (all, format, level, ten->str);
  }
  return g_string_append (all, middle);
}

static GString *
pack (const GString * text)
{
  GConverter *converter = G_CONVERTER (g_zlib_compressor_new
      (G_ZLIB_COMPRESSOR_FORMAT_GZIP, 9));
  GString *packed = g_string_sized_new (1 << 20);
  gsize n_read;

  fail_unless_equals_int (g_converter_convert (converter, text->str, text->len,
          packed->str, 1 << 20, G_CONVERTER_INPUT_AT_END, &n_read,
          &packed->len, NULL), G_CONVERTER_FINISHED);
  g_object_unref (converter);
  return packed;
}

/* Small files that would take all memory, or for ever. */
TEST (bombs_do_not_go_off)
{
  g_autoptr (GString) blank = repeat ("<svg>", " ", 17 << 20, "</svg>");
  const struct
  {
    const gchar *name, *message;
    GString *text;
  } bombs[] = {
    {"deep", "elements within each other; ungroup", repeat ("<svg>", "<g>",
            400, "")},
    {"deep uses", "within each other; ungroup", repeat ("<svg>"
            "<g id='a0'><path d='M0 0H9'/></g>", "", 0, "")},
    {"entities", "entities make it too large", nest ("<!DOCTYPE svg ["
            "<!ENTITY a0 'laugh'>", "<!ENTITY a%u '%s'>", "&a%u;",
            "]><svg><desc>&a11;</desc></svg>")},
    {"entities of an attribute", "entities make it too large", nest
        ("<!DOCTYPE svg [<!ENTITY a0 'laugh'>", "<!ENTITY a%u '%s'>",
            "&a%u;", "]><svg id='&a11;'/>")},
    {"uses", "take too long", nest ("<svg><g id='a0'/>",
            "<g id='a%u'>%s</g>", "<use href='#a%u'/>", "</svg>")},
    {"uses of points", "more than 4194304 points", nest ("<svg "
            "viewBox='0 0 9 9'><circle id='a0' cx='5' cy='5' r='4'/>",
            "<g id='a%u'>%s</g>", "<use href='#a%u'/>", "</svg>")},
    {"clip paths", "take too long", nest ("<svg viewBox='0 0 9 9'>"
            "<clipPath id='c'><circle r='9'/></clipPath><g id='a0'/>",
            "<g id='a%u' clip-path='url(#c)'>%s</g>", "<use href='#a%u'/>",
            "</svg>")},
    {"selectors", "take too long", repeat ("<svg><style>b g g g g g g g g a{"
            "display:none}</style>", "<g>", 200, "<a/>")},
    {"packed", "more than 16 MiB, unpacked", pack (blank)},
  };

  for (guint i = 0; i < 300; i++)
    g_string_append_printf (bombs[1].text, "<g id='a%u'><use href='#a%u'/>"
        "</g>", i + 1, i);
  g_string_append (bombs[1].text, "</svg>");
  for (guint i = 0; i < 200; i++)
    g_string_append (bombs[7].text, "</g>");
  g_string_append (bombs[7].text, "</svg>");
  for (guint i = 0; i < G_N_ELEMENTS (bombs); i++) {
    check_error (bombs[i].name, bombs[i].text->str, bombs[i].text->len,
        strstr (bombs[i].message, "XML") ? CS_ERROR_INVALID : CS_ERROR_LIMIT,
        bombs[i].message);
    g_string_free (bombs[i].text, TRUE);
  }
}

SUITE (svg) {}
