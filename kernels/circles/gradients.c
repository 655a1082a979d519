/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gradients.h"

#include <math.h>
#include <string.h>

/* Of "glow" and "snow". */
#define FALLOFF 4.f

/* Gradients that a new one is compared with. */
#define RECENT 64

/* Longest argument. */
#define MAX_ARGUMENT 63

#define SYNTAX "; there are radial:COLOUR:..., linear:ANGLE:COLOUR:..., " \
    "glow:COLOUR:... and snow, for instance radial:ffffff:ff000080"

/* What a gradient is called. */
typedef struct
{
  float angle;
  gboolean is_snow;
} CsGradientLook;

/* A gradient that is being read. */
typedef struct
{
  CsGradient gradient;
  CsGradientStop stops[CS_GRADIENT_MAX_STOPS];
  gboolean has_place[CS_GRADIENT_MAX_STOPS];
  CsGradientLook look;
  CsColorFunc color;
  GError **error;
} Reader;

/* The assignment's ramp. */
static const CsGradientStop snow[] = {
  {0.f, {1.f, 1.f, 1.f, 1.f}},
  {.25f, {1.f, 1.f, 1.f, 1.f}},
  {.5f, {.8f, .9f, 1.f, 1.f}},
  {.75f, {.8f, .9f, 1.f, 1.f}},
  {1.f, {.8f, .8f, 1.f, 1.f}},
};

static gboolean
G_GNUC_PRINTF (2, 3)
     fail (Reader * reader, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_autofree gchar *message = g_strdup_vprintf (format, args);
  va_end (args);
  /* what is quoted may be any bytes */
  g_autofree gchar *valid = g_utf8_make_valid (message, -1);
  return cs_error (reader->error, CS_ERROR_INVALID, "%s", valid);
}

gboolean
cs_color_parse (const char *text, guint32 * rgba)
{
  guint32 value = 0;
  guint n;

  text += *text == '#';
  for (n = 0; n < 9 && g_ascii_isxdigit (text[n]); n++)
    value = value << 4 | (guint32) g_ascii_xdigit_value (text[n]);
  if (text[n] != '\0' || (n != 6 && n != 8))
    return FALSE;
  *rgba = n == 6 ? value << 8 | 0xff : value;
  return TRUE;
}

/* Numbers are in the C locale, and finite. */
static gboolean
read_number (const char *text, float least, float most, float *number)
{
  char *end;
  const double value = g_ascii_strtod (text, &end);

  *number = (float) value;
  return end != text && *end == '\0' && value >= least && value <= most;
}

static gboolean
read_stop (Reader * reader, char *text)
{
  const guint n = reader->gradient.n_stops;
  CsGradientStop *stop = &reader->stops[n];
  char *place = strchr (text, '/');
  guint32 rgba;

  if (n == CS_GRADIENT_MAX_STOPS)
    return fail (reader, "more than %d colours", CS_GRADIENT_MAX_STOPS);
  if (place) {
    *place++ = '\0';
    if (!read_number (g_strstrip (place), 0, 1, &stop->at))
      return fail (reader, "\"/%s\" is no place from 0 to 1", place);
    reader->has_place[n] = TRUE;
  }
  g_strstrip (text);
  if (!cs_color_parse (text, &rgba) && !reader->color (text, &rgba))
    return fail (reader, "\"%s\" is no colour, such as #rrggbb or #rrggbbaa",
        text);
  for (guint i = 0; i < 4; i++)
    stop->color[i] = (rgba >> (24 - 8 * i) & 255) / 255.f;
  reader->gradient.n_stops++;
  return TRUE;
}

static gboolean
read_argument (Reader * reader, char *text, guint index)
{
  if (reader->gradient.kind != CS_GRADIENT_LINEAR || index > 0)
    return read_stop (reader, text);
  return read_number (g_strstrip (text), -360, 360, &reader->look.angle) ||
      fail (reader, "\"%s\" is no angle from -360 to 360 degrees", text);
}

static gboolean
read_arguments (Reader * reader, const char *text, const char *end)
{
  char argument[MAX_ARGUMENT + 1];

  for (guint i = 0;; i++) {
    const char *colon = memchr (text, ':', (gsize) (end - text));
    const gsize n = (gsize) ((colon ? colon : end) - text);

    if (n > MAX_ARGUMENT)
      return fail (reader, "a colour of %" G_GSIZE_FORMAT " bytes is none", n);
    memcpy (argument, text, n);
    argument[n] = '\0';
    if (!read_argument (reader, argument, i))
      return FALSE;
    if (!colon)
      return TRUE;
    text = colon + 1;
  }
}

/* Stops without a place lie evenly between those with one; the first is at 0,
 * the last at 1. */
static gboolean
place_stops (Reader * reader)
{
  const guint n = reader->gradient.n_stops;
  CsGradientStop *stops = reader->stops;
  guint i, j, last = 0;

  if (!reader->has_place[0])
    stops[0].at = 0;
  reader->has_place[0] = TRUE;
  if (!reader->has_place[n - 1])
    stops[n - 1].at = 1;
  reader->has_place[n - 1] = TRUE;
  for (i = 1; i < n; i++) {
    if (!reader->has_place[i])
      continue;
    if (stops[i].at < stops[last].at)
      return fail (reader, "a colour at %g lies behind one at %g",
          stops[last].at, stops[i].at);
    for (j = last + 1; j < i; j++)
      stops[j].at = stops[last].at + (stops[i].at - stops[last].at) *
          ((float) (j - last) / (float) (i - last));
    last = i;
  }
  return TRUE;
}

static gboolean
is_word (const char *text, gsize length, const char *word)
{
  return strlen (word) == length && memcmp (text, word, length) == 0;
}

/* "snow" or "glow". */
static gboolean
read_simple (Reader * reader, const char *text, gsize length)
{
  reader->gradient.falloff = FALLOFF;
  reader->look.is_snow = is_word (text, length, "snow");
  if (reader->look.is_snow) {
    memcpy (reader->stops, snow, sizeof (snow));
    reader->gradient.n_stops = G_N_ELEMENTS (snow);
    return TRUE;
  }
  reader->stops[0] = snow[0];
  reader->gradient.n_stops = 1;
  return is_word (text, length, "glow") || fail (reader,
      "\"%.*s\" is no gradient" SYNTAX, (int) MIN (length, MAX_ARGUMENT), text);
}

static gboolean
read_gradient (Reader * reader, const char *text, gsize length)
{
  CsGradient *g = &reader->gradient;
  const char *colon = memchr (text, ':', length);
  const gsize n = colon ? (gsize) (colon - text) : length;

  if (!colon)
    return read_simple (reader, text, length);
  if (is_word (text, n, "linear"))
    g->kind = CS_GRADIENT_LINEAR;
  else if (is_word (text, n, "glow"))
    g->falloff = FALLOFF;
  else if (!is_word (text, n, "radial"))
    return fail (reader, "\"%.*s\" is no gradient" SYNTAX,
        (int) MIN (n, MAX_ARGUMENT), text);
  if (!read_arguments (reader, colon + 1, text + length))
    return FALSE;
  if (g->n_stops == 0)
    return fail (reader, "a gradient has no colour" SYNTAX);
  if (g->kind == CS_GRADIENT_LINEAR) {
    const double angle = reader->look.angle * (G_PI / 180);

    g->x = (float) cos (angle);
    g->y = (float) sin (angle);
  }
  return place_stops (reader);
}

CsGradientSet *
cs_gradient_set_new (void)
{
  CsGradientSet *set = g_new (CsGradientSet, 1);

  set->gradients = cs_array_new (sizeof (CsGradient));
  set->stops = cs_array_new (sizeof (CsGradientStop));
  set->looks = cs_array_new (sizeof (CsGradientLook));
  return set;
}

void
cs_gradient_set_free (CsGradientSet * set)
{
  cs_array_free (set->gradients);
  cs_array_free (set->stops);
  cs_array_free (set->looks);
  g_free (set);
}

void
cs_gradient_set_empty (CsGradientSet * set)
{
  cs_array_empty (set->gradients);
  cs_array_empty (set->stops);
  cs_array_empty (set->looks);
}

CsGradients
cs_gradient_set_get (const CsGradientSet * set)
{
  return (CsGradients) {
    (const CsGradient *) set->gradients->data,
    (const CsGradientStop *) set->stops->data,
    set->gradients->len, set->stops->len
  };
}

gboolean
cs_gradient_set_has_failed (const CsGradientSet * set)
{
  return set->gradients->failed || set->stops->failed || set->looks->failed;
}

static const CsGradientLook *
look_of (const CsGradientSet * set, guint32 number)
{
  return &cs_array_index (set->looks, CsGradientLook, number - 1);
}

/* Whether gradient @number is the one that has been read. */
static gboolean
is_same (const CsGradientSet * set, guint32 number, const Reader * reader)
{
  const CsGradient *a = &cs_array_index (set->gradients, CsGradient,
      number - 1);
  const CsGradient *b = &reader->gradient;

  return a->kind == b->kind && a->x == b->x && a->y == b->y &&
      a->falloff == b->falloff && a->n_stops == b->n_stops &&
      look_of (set, number)->is_snow == reader->look.is_snow &&
      look_of (set, number)->angle == reader->look.angle &&
      memcmp (&cs_array_index (set->stops, CsGradientStop, a->first_stop),
      reader->stops, b->n_stops * sizeof (CsGradientStop)) == 0;
}

static gboolean
fail_memory (GError ** error)
{
  return cs_fail_no_memory (error, "more gradients");
}

gboolean
cs_gradient_set_add (CsGradientSet * set, const char *text, gsize length,
    CsColorFunc color, guint32 * number, GError ** error)
{
  Reader reader = {.color = color,.error = error };
  CsGradient *g = &reader.gradient;

  if (!read_gradient (&reader, text, length))
    return FALSE;
  for (guint32 i = 0; i < MIN (set->gradients->len, RECENT); i++) {
    *number = (guint32) set->gradients->len - i;
    if (is_same (set, *number, &reader))
      return TRUE;
  }
  g->first_stop = (guint32) set->stops->len;
  *number = (guint32) set->gradients->len + 1;
  return (cs_array_append (set->stops, reader.stops, g->n_stops) &&
      cs_array_append_val (set->looks, reader.look) &&
      cs_array_append_val (set->gradients, *g)) || fail_memory (error);
}

guint32
cs_gradient_set_append (CsGradientSet * set, const CsGradientSet * from)
{
  const guint32 before = (guint32) set->gradients->len;
  const guint32 stops_before = (guint32) set->stops->len;

  if (!cs_array_append (set->stops, from->stops->data, from->stops->len) ||
      !cs_array_append (set->looks, from->looks->data, from->looks->len) ||
      !cs_array_append (set->gradients, from->gradients->data,
          from->gradients->len))
    return before;
  for (gsize i = before; i < set->gradients->len; i++)
    cs_array_index (set->gradients, CsGradient, i).first_stop += stops_before;
  return before;
}

static void
append_number (GString * text, float number)
{
  gchar digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (text, g_ascii_formatd (digits, sizeof (digits), "%.9g",
          number));
}

gchar *
cs_gradient_set_to_text (const CsGradientSet * set, guint32 number)
{
  const CsGradient *g = &cs_array_index (set->gradients, CsGradient,
      number - 1);
  const CsGradientLook *look = look_of (set, number);

  if (look->is_snow)
    return g_strdup ("snow");
  GString *text = g_string_new (g->kind == CS_GRADIENT_LINEAR ? "linear:" :
      g->falloff > 0 ? "glow" : "radial");
  if (g->kind == CS_GRADIENT_LINEAR)
    append_number (text, look->angle);
  for (guint i = 0; i < g->n_stops; i++) {
    const CsGradientStop *stop = &cs_array_index (set->stops, CsGradientStop,
        g->first_stop + i);

    g_string_append_c (text, ':');
    for (guint j = 0; j < 4; j++)
      g_string_append_printf (text, "%02x",
          (guint) (stop->color[j] * 255.f + .5f));
    g_string_append_c (text, '/');
    append_number (text, stop->at);
  }
  return g_string_free (text, FALSE);
}

guint32
cs_gradient_set_color (const CsGradientSet * set, guint32 number, guint32 rgba,
    float z)
{
  const float near = 1.f - z;

  if (number == 0 || !look_of (set, number)->is_snow)
    return rgba;
  float bracket = .6f + .4f * near;
  bracket = bracket > 0.f ? MIN (bracket, 1.f) : 0.f;
  return 0xffffff00u | (guint32) (255.f * .5f * bracket + .5f);
}
