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
fourier_svg_is_word (const gchar * text, const gchar * word)
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
get_whole (const FourierSvgUnits * units, FourierSvgOf of)
{
  switch (of) {
    case FOURIER_SVG_OF_WIDTH:
      return units->width;
    case FOURIER_SVG_OF_HEIGHT:
      return units->height;
    case FOURIER_SVG_OF_DIAGONAL:
      return hypot (units->width, units->height) / G_SQRT2;
    default:
      return units->font_size;
  }
}

/* User units of a unit. Returns: 0 if it is not known */
static gdouble
get_unit (const gchar * name, const FourierSvgUnits * units, FourierSvgOf of)
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
  guint i;

  if (is_end (name))
    return 1.;
  if (fourier_svg_is_word (name, "%"))
    return get_whole (units, of) / 100.;
  if (fourier_svg_is_word (name, "em"))
    return units->font_size;
  if (fourier_svg_is_word (name, "ex"))
    return units->font_size / 2.;
  for (i = 0; i < G_N_ELEMENTS (absolute); i++)
    if (fourier_svg_is_word (name, absolute[i].name))
      return absolute[i].pixels;
  return 0.;
}

gboolean
fourier_svg_read_length (const gchar * text, const FourierSvgUnits * units,
    FourierSvgOf of, gdouble * length)
{
  gdouble number, unit;

  if (!text || !fourier_read_number (&text, &number))
    return FALSE;
  unit = is_end (text) || !g_ascii_isspace (*text) ?
      get_unit (text, units, of) : 0.;
  if (unit == 0. && !fourier_svg_is_word (text, "%"))
    return FALSE;
  if (!isfinite (number * unit))
    return FALSE;
  *length = number * unit;
  return TRUE;
}

gdouble
fourier_svg_read_opacity (const gchar * text)
{
  gdouble number;

  if (!text || !fourier_read_number (&text, &number))
    return 1.;
  return CLAMP (*text == '%' ? number / 100. : number, 0., 1.);
}

gboolean
fourier_svg_read_view_box (const gchar * text, gdouble * box)
{
  guint i;

  for (i = 0; i < 4; i++)
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
fourier_svg_fit (const gdouble * inner, const gdouble * outer,
    const gchar * aspect)
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

    m.a = m.d = known && fourier_svg_is_word (aspect + 8, "slice") ?
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
  guint i;

  for (i = 0; own[i]; i++) {
    /* POSIX has no language; English is what programs speak then */
    gchar *name = g_strdup (strcmp (own[i], "C") == 0 && i == 0 ? "en" :
        own[i]);
    gboolean same;

    g_strdelimit (name, "_", '-');
    name[strcspn (name, ".@")] = '\0';
    same = g_ascii_strncasecmp (name, language, length) == 0 &&
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
    gsize length;

    while (*languages == ',' || g_ascii_isspace (*languages))
      languages++;
    length = strcspn (languages, ", \t\r\n");
    if (length > 0 && is_spoken (languages, length))
      return TRUE;
    languages += length;
  }
  return FALSE;
}

gboolean
fourier_svg_conditions_hold (const gchar * features,
    const gchar * extensions, const gchar * languages)
{
  static const gchar known[] = "http://www.w3.org/TR/SVG11/feature#";

  /* SVG 2 takes all features for granted */
  if (features && !g_str_has_prefix (cs_text_skip_space (features), known))
    return FALSE;
  return !extensions && (!languages || speaks (languages));
}
