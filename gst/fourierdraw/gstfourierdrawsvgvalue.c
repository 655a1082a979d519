/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawsvgvalue.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

#define PIXELS_PER_INCH 96.

static gboolean
is_end (const gchar * text)
{
  return *cs_text_skip_space (text) == '\0';
}

gboolean
svg_is_word (const gchar * text, const gchar * word)
{
  const gsize length = strlen (word);

  if (!text)
    return FALSE;
  text = cs_text_skip_space (text);
  return g_ascii_strncasecmp (text, word, length) == 0 &&
      is_end (text + length);
}

/* What a percentage is a hundredth of. */
static gdouble
get_whole (const SvgUnits * units, SvgOf of)
{
  switch (of) {
    case SVG_OF_WIDTH:
      return units->width;
    case SVG_OF_HEIGHT:
      return units->height;
    case SVG_OF_DIAGONAL:
      return hypot (units->width, units->height) / G_SQRT2;
    default:
      return units->font_size;
  }
}

/* User units of a unit. Returns: 0 if it is not known */
static gdouble
get_unit (const gchar * name, const SvgUnits * units, SvgOf of)
{
  static const struct
  {
    const gchar *name;
    gdouble pixels;
  } absolute[] = {
    {"px", 1.},
    {"in", PIXELS_PER_INCH},
    {"cm", PIXELS_PER_INCH / 2.54},
    {"mm", PIXELS_PER_INCH / 25.4},
    {"q", PIXELS_PER_INCH / 101.6},
    {"pt", PIXELS_PER_INCH / 72.},
    {"pc", PIXELS_PER_INCH / 6.},
  };

  if (is_end (name))
    return 1.;
  if (svg_is_word (name, "%"))
    return get_whole (units, of) / 100.;
  if (svg_is_word (name, "em"))
    return units->font_size;
  if (svg_is_word (name, "ex"))
    return units->font_size / 2.;
  for (guint i = 0; i < G_N_ELEMENTS (absolute); i++)
    if (svg_is_word (name, absolute[i].name))
      return absolute[i].pixels;
  return 0.;
}

gboolean
svg_read_length (const gchar * text, const SvgUnits * units,
    SvgOf of, gdouble * length)
{
  gdouble number, unit;

  if (!text || !fourier_read_number (&text, &number))
    return FALSE;
  unit = is_end (text) || !g_ascii_isspace (*text) ?
      get_unit (text, units, of) : 0.;
  if (unit == 0. && !svg_is_word (text, "%"))
    return FALSE;
  if (!isfinite (number * unit))
    return FALSE;
  *length = number * unit;
  return TRUE;
}

gdouble
svg_read_opacity (const gchar * text)
{
  gdouble number;

  if (!text || !fourier_read_number (&text, &number))
    return 1.;
  return CLAMP (*text == '%' ? number / 100. : number, 0., 1.);
}

gboolean
svg_read_view_box (const gchar * text, gdouble * box)
{
  for (guint i = 0; i < 4; i++)
    if (!text || !fourier_read_number (&text, &box[i]))
      return FALSE;
  return is_end (text) && box[2] >= 0. && box[3] >= 0.;
}

/* How much of what is left over goes before the inner box. */
static gdouble
read_share (const gchar * text)
{
  return strncmp (text, "Min", 3) == 0 ? 0. :
      strncmp (text, "Max", 3) == 0 ? 1. : .5;
}

FourierMatrix
svg_fit (const gdouble * inner, const gdouble * outer, const gchar * aspect)
{
  FourierMatrix m = { outer[2] / inner[2], 0., 0., outer[3] / inner[3],
    0., 0.
  };
  gdouble x = 0., y = 0.;

  aspect = cs_text_skip_space (aspect ? aspect : "");
  if (g_str_has_prefix (aspect, "defer"))
    aspect = cs_text_skip_space (aspect + strlen ("defer"));
  if (!g_str_has_prefix (aspect, "none")) {
    const gboolean known = strlen (aspect) >= 8 && aspect[0] == 'x' &&
        aspect[4] == 'Y';

    m.a = m.d = known && svg_is_word (aspect + 8, "slice") ?
        MAX (m.a, m.d) : MIN (m.a, m.d);
    x = known ? read_share (aspect + 1) : .5;
    y = known ? read_share (aspect + 5) : .5;
  }
  m.e = outer[0] + x * (outer[2] - inner[2] * m.a) - inner[0] * m.a;
  m.f = outer[1] + y * (outer[3] - inner[3] * m.d) - inner[1] * m.d;
  return m;
}

/* Conditions */

/* Whether one of the user's languages is @language, or of its kind. */
static gboolean
is_spoken (const gchar * language, gsize length)
{
  const gchar *const *own = g_get_language_names ();

  for (guint i = 0; own[i]; i++) {
    /* POSIX has no language; English is what programs speak then */
    gchar *name = g_strdup (strcmp (own[i], "C") == 0 && i == 0 ? "en" :
        own[i]);

    g_strdelimit (name, "_", '-');
    name[strcspn (name, ".@")] = '\0';
    const gboolean same = g_ascii_strncasecmp (name, language, length) == 0 &&
        (name[length] == '\0' || name[length] == '-');
    g_free (name);
    if (same)
      return TRUE;
  }
  return FALSE;
}

static gboolean
speaks (const gchar * languages)
{
  while (*languages) {
    while (*languages == ',' || g_ascii_isspace (*languages))
      languages++;
    const gsize length = strcspn (languages, ", \t\r\n");
    if (length > 0 && is_spoken (languages, length))
      return TRUE;
    languages += length;
  }
  return FALSE;
}

gboolean
svg_conditions_hold (const gchar * features,
    const gchar * extensions, const gchar * languages)
{
  static const gchar known[] = "http://www.w3.org/TR/SVG11/feature#";

  /* SVG 2 takes all features for granted */
  if (features && !g_str_has_prefix (cs_text_skip_space (features), known))
    return FALSE;
  return !extensions && (!languages || speaks (languages));
}

/* Shapes */

#define OF_WIDTH SVG_OF_WIDTH
#define OF_HEIGHT SVG_OF_HEIGHT
#define OF_DIAGONAL SVG_OF_DIAGONAL

gdouble
svg_get_length (const SvgStyle * style, SvgProperty property,
    const SvgUnits * units, SvgOf of, gdouble other)
{
  svg_read_length (style->values[property], units, of, &other);
  return other;
}

#define get_length svg_get_length

static void
draw_points (FourierPen * pen, const gchar * text, gboolean closed)
{
  gdouble x, y, x0 = 0., y0 = 0.;
  guint n = 0;

  while (text && fourier_read_number (&text, &x) &&
      fourier_read_number (&text, &y)) {
    if (n++ == 0)
      fourier_pen_move (pen, x0 = x, y0 = y);
    else
      fourier_pen_line (pen, x, y);
  }
  if (closed && n > 1)
    fourier_pen_line (pen, x0, y0);
}

static void
draw_rect (FourierPen * pen, const SvgStyle * style, const SvgUnits * units)
{
  const gdouble x = get_length (style, SVG_X, units, OF_WIDTH, 0.);
  const gdouble y = get_length (style, SVG_Y, units, OF_HEIGHT, 0.);
  const gdouble w = get_length (style, SVG_WIDTH, units, OF_WIDTH, 0.);
  const gdouble h = get_length (style, SVG_HEIGHT, units, OF_HEIGHT, 0.);
  const gdouble round_x = get_length (style, SVG_RX, units, OF_WIDTH, -1.);
  const gdouble round_y = get_length (style, SVG_RY, units, OF_HEIGHT, -1.);
  gdouble rx = round_x < 0. ? round_y : round_x;
  gdouble ry = round_y < 0. ? round_x : round_y;

  if (!(w > 0.) || !(h > 0.))
    return;
  rx = CLAMP (rx, 0., w / 2.);
  ry = CLAMP (ry, 0., h / 2.);
  fourier_pen_move (pen, x + rx, y);
  fourier_pen_line (pen, x + w - rx, y);
  fourier_pen_ellipse (pen, x + w - rx, y + ry, rx, ry, 0.,
      -G_PI / 2., G_PI / 2.);
  fourier_pen_line (pen, x + w, y + ry);
  fourier_pen_line (pen, x + w, y + h - ry);
  fourier_pen_ellipse (pen, x + w - rx, y + h - ry, rx, ry, 0., 0., G_PI / 2.);
  fourier_pen_line (pen, x + w - rx, y + h);
  fourier_pen_line (pen, x + rx, y + h);
  fourier_pen_ellipse (pen, x + rx, y + h - ry, rx, ry, 0.,
      G_PI / 2., G_PI / 2.);
  fourier_pen_line (pen, x, y + h - ry);
  fourier_pen_line (pen, x, y + ry);
  fourier_pen_ellipse (pen, x + rx, y + ry, rx, ry, 0., G_PI, G_PI / 2.);
  fourier_pen_line (pen, x + rx, y);
}

static void
draw_ellipse (FourierPen * pen, const SvgStyle * style,
    const SvgUnits * units, gboolean circle)
{
  const gdouble x = get_length (style, SVG_CX, units, OF_WIDTH, 0.);
  const gdouble y = get_length (style, SVG_CY, units, OF_HEIGHT, 0.);
  gdouble rx, ry;

  if (circle) {
    rx = ry = get_length (style, SVG_R, units, OF_DIAGONAL, 0.);
  } else {
    rx = get_length (style, SVG_RX, units, OF_WIDTH, -1.);
    ry = get_length (style, SVG_RY, units, OF_HEIGHT, rx);
    rx = rx < 0. ? ry : rx;
  }
  if (!(rx > 0.) || !(ry > 0.))
    return;
  fourier_pen_move (pen, x + rx, y);
  fourier_pen_ellipse (pen, x, y, rx, ry, 0., 0., 2. * G_PI);
  fourier_pen_line (pen, x + rx, y);
}

static void
draw_line (FourierPen * pen, const SvgNode * node, const SvgUnits * units)
{
  gdouble x1 = 0., y1 = 0., x2 = 0., y2 = 0.;

  svg_read_length (svg_node_get (node,
          "x1"), units, OF_WIDTH, &x1);
  svg_read_length (svg_node_get (node,
          "y1"), units, OF_HEIGHT, &y1);
  svg_read_length (svg_node_get (node,
          "x2"), units, OF_WIDTH, &x2);
  svg_read_length (svg_node_get (node,
          "y2"), units, OF_HEIGHT, &y2);
  fourier_pen_move (pen, x1, y1);
  fourier_pen_line (pen, x2, y2);
}

void
svg_draw_shape (FourierPen * pen, const SvgNode * node,
    const SvgStyle * style, const SvgUnits * units)
{
  const gchar *text;

  switch (node->kind) {
    case SVG_PATH:
      text = svg_node_get (node, "d");
      if (text)
        fourier_pen_path (pen, text);
      break;
    case SVG_RECT:
      draw_rect (pen, style, units);
      break;
    case SVG_CIRCLE:
    case SVG_ELLIPSE:
      draw_ellipse (pen, style, units, node->kind == SVG_CIRCLE);
      break;
    case SVG_POLYLINE:
    case SVG_POLYGON:
      draw_points (pen, svg_node_get (node, "points"),
          node->kind == SVG_POLYGON);
      break;
    case SVG_LINE:
      draw_line (pen, node, units);
      break;
    default:
      break;
  }
  fourier_pen_end (pen);
}
