/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "circles.h"

#include <math.h>
#include <float.h>
#include <string.h>

/* Maximum nesting depth of JSON. */
#define MAX_DEPTH 32

/* Maximum circles of a scene: 2.5 GiB. */
#define MAX_CIRCLES (1u << 27)

/* Maximum length of a number, and of a word quoted in an error. */
#define MAX_NUMBER 63
#define MAX_SHOWN 24

/* Position in a line; no function reads beyond its end. */
typedef struct
{
  const char *at, *end;
  CsArray *circles;
  CsGradientSet *gradients;
  GError **error;
} Reader;

/* The members of a JSON shape read so far. */
typedef struct
{
  gboolean is_circle;
  guint found;
  float values[6];
  guint32 rgba, gradient;
} Shape;

static const char *const velocities[] = { "vx", "vy" };
static const char *const members[] = { "x", "y", "r", "z", "color" };

#define N_NUMBERS 4
#define COLOR N_NUMBERS

static const char expected_line[] =
    "expected a circle as \"x y r z #rrggbbaa\", for instance "
    "\"320 240 50 0 #ff000080\"";

/* Sets the error; the line number is prefixed by the caller. */
static gboolean
G_GNUC_PRINTF (2, 3)
     fail (Reader * reader, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_propagate_error (reader->error, g_error_new_valist (CS_ERROR,
          CS_ERROR_INVALID, format, args));
  va_end (args);
  return FALSE;
}

static gboolean
is_blank (char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

static gboolean
at_end (const Reader * reader)
{
  return reader->at == reader->end;
}

static void
skip_blanks (Reader * reader)
{
  while (!at_end (reader) && is_blank (*reader->at))
    reader->at++;
}

/* The current word in printable form, for errors. */
static gchar *
shown (const Reader * reader)
{
  gsize n = 0;

  while (reader->at + n < reader->end && !is_blank (reader->at[n])
      && n < MAX_SHOWN)
    n++;
  if (n == 0)
    return g_strdup ("the end of the line");
  g_autofree gchar *word = g_malloc (n + 1);
  memcpy (word, reader->at, n);
  word[n] = '\0';
  /* NUL bytes would end the string */
  for (gsize i = 0; i < n; i++)
    word[i] = word[i] ? word[i] : '?';
  g_autofree gchar *text = g_strescape (word, NULL);
  return g_strconcat ("\"", text, "\"", NULL);
}

static gboolean
fail_at (Reader * reader, const char *what)
{
  g_autofree gchar *found = shown (reader);

  return fail (reader, "%s, found %s", what, found);
}

static float
to_float (double value)
{
  if (value > FLT_MAX)
    return INFINITY;
  if (value < -FLT_MAX)
    return -INFINITY;
  return (float) value;
}

/* In the C locale; values that are not finite are accepted, and not drawn. */
static gboolean
read_number (Reader * reader, const char *name, float *value)
{
  char text[MAX_NUMBER + 1], what[64], *end;
  gsize n = 0;

  while (reader->at + n < reader->end && n < MAX_NUMBER
      && (g_ascii_isalnum (reader->at[n]) || reader->at[n] == '+'
          || reader->at[n] == '-' || reader->at[n] == '.')) {
    text[n] = reader->at[n];
    n++;
  }
  text[n] = '\0';
  *value = to_float (g_ascii_strtod (text, &end));
  if (n == 0 || *end != '\0') {
    g_snprintf (what, sizeof (what), "expected a number for %s", name);
    return fail_at (reader, what);
  }
  reader->at += n;
  return TRUE;
}

/* "#rrggbbaa" or "#rrggbb". */
static gboolean
read_color (Reader * reader, guint32 * rgba)
{
  guint32 value = 0;
  guint n = 0;

  if (!at_end (reader) && *reader->at == '#')
    while (reader->at + 1 + n < reader->end && n < 9
        && g_ascii_isxdigit (reader->at[1 + n]))
      value = value << 4 | (guint32) g_ascii_xdigit_value (reader->at[1 + n++]);
  if (n != 6 && n != 8)
    return fail_at (reader, "expected a colour #rrggbb or #rrggbbaa");
  *rgba = n == 6 ? value << 8 | 0xff : value;
  reader->at += 1 + n;
  return TRUE;
}

static gboolean
append (Reader * reader, const float *v, guint32 rgba, guint32 gradient)
{
  const CsCircle circle = { v[0], v[1], v[2], v[3], rgba, v[4], v[5],
    gradient
  };

  if (reader->circles->len >= MAX_CIRCLES)
    return fail (reader, "more than %u circles are too many", MAX_CIRCLES);
  if (cs_array_append_val (reader->circles, circle))
    return TRUE;
  return cs_fail_no_memory (reader->error, "more circles");
}

static gboolean
add_gradient (Reader * reader, const char *text, gsize length,
    guint32 * gradient)
{
  return cs_gradient_set_add (reader->gradients, text, length, cs_color_parse,
      gradient, reader->error);
}

/* Lines of text */

/* A gradient, if there is one: of numbers only "nan" and "inf" are words. */
static gboolean
read_text_gradient (Reader * reader, guint32 * gradient)
{
  const char *start = reader->at;

  if (at_end (reader) || !g_ascii_islower (*start) || *start == 'n'
      || *start == 'i')
    return TRUE;
  while (!at_end (reader) && !is_blank (*reader->at))
    reader->at++;
  if (!add_gradient (reader, start, (gsize) (reader->at - start), gradient))
    return FALSE;
  skip_blanks (reader);
  return TRUE;
}

static gboolean
read_text (Reader * reader)
{
  float values[N_NUMBERS + 2] = { 0 };
  guint32 rgba, gradient = 0;

  for (guint i = 0; i <= N_NUMBERS; i++) {
    if (at_end (reader))
      return fail (reader, "%s is missing; %s",
          i == COLOR ? "the colour" : members[i], expected_line);
    if (!(i == COLOR ? read_color (reader, &rgba) :
            read_number (reader, members[i], &values[i])))
      return FALSE;
    if (!at_end (reader) && !is_blank (*reader->at))
      return fail_at (reader, "expected a blank");
    skip_blanks (reader);
  }
  if (!read_text_gradient (reader, &gradient))
    return FALSE;
  for (guint i = N_NUMBERS; i < N_NUMBERS + 2 && !at_end (reader); i++) {
    if (!read_number (reader, velocities[i - N_NUMBERS], &values[i]))
      return FALSE;
    skip_blanks (reader);
    if (i == N_NUMBERS && at_end (reader))
      return fail (reader, "vy is missing after vx");
  }
  if (!at_end (reader))
    return fail_at (reader, "expected the end of the line");
  return append (reader, values, rgba, gradient);
}

/* JSON: unknown members are validated and skipped. */

static gboolean skip_value (Reader * reader, guint depth);

/* Consumes @c and the blanks around it. */
static gboolean
take (Reader * reader, char c)
{
  skip_blanks (reader);
  if (at_end (reader) || *reader->at != c)
    return FALSE;
  reader->at++;
  skip_blanks (reader);
  return TRUE;
}

static gboolean
expect (Reader * reader, char c)
{
  char what[] = "expected '?' in the JSON";

  what[10] = c;
  return take (reader, c) || fail_at (reader, what);
}

/* The raw bytes between the quotes. */
static gboolean
read_string (Reader * reader, const char **text, gsize * length)
{
  const char *p;

  skip_blanks (reader);
  if (at_end (reader) || *reader->at != '"')
    return fail_at (reader, "expected a '\"' in the JSON");
  for (p = reader->at + 1; p < reader->end && *p != '"'; p++) {
    if (*p == '\\')
      p++;
    if (p < reader->end && (guchar) * p < 0x20)
      break;
  }
  if (p >= reader->end || *p != '"')
    return fail (reader, "a string in the JSON has no end");
  *text = reader->at + 1;
  *length = (gsize) (p - *text);
  reader->at = p + 1;
  skip_blanks (reader);
  return TRUE;
}

static gboolean
equals (const char *text, gsize length, const char *word)
{
  return strlen (word) == length && memcmp (text, word, length) == 0;
}

/* Reads the key of a member. */
static gboolean
read_key (Reader * reader, const char **key, gsize * length)
{
  return read_string (reader, key, length) && expect (reader, ':');
}

static gboolean
skip_object (Reader * reader, guint depth)
{
  const char *key;
  gsize length;

  if (take (reader, '}'))
    return TRUE;
  do {
    if (!read_key (reader, &key, &length) || !skip_value (reader, depth))
      return FALSE;
  } while (take (reader, ','));
  return expect (reader, '}');
}

static gboolean
skip_array (Reader * reader, guint depth)
{
  if (take (reader, ']'))
    return TRUE;
  do {
    if (!skip_value (reader, depth))
      return FALSE;
  } while (take (reader, ','));
  return expect (reader, ']');
}

static gboolean
skip_word (Reader * reader)
{
  static const char *const words[] = { "true", "false", "null" };
  const gsize left = (gsize) (reader->end - reader->at);

  for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
    const gsize n = strlen (words[i]);

    if (left >= n && memcmp (reader->at, words[i], n) == 0) {
      reader->at += n;
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean
skip_value (Reader * reader, guint depth)
{
  const char *text;
  gsize length;
  float number;

  if (depth >= MAX_DEPTH)
    return fail (reader, "the JSON is nested more than %d deep", MAX_DEPTH);
  if (take (reader, '{'))
    return skip_object (reader, depth + 1);
  if (take (reader, '['))
    return skip_array (reader, depth + 1);
  if (!at_end (reader) && *reader->at == '"')
    return read_string (reader, &text, &length);
  return skip_word (reader) || read_number (reader, "a value in the JSON",
      &number);
}

static gboolean
read_json_color (Reader * reader, guint32 * rgba)
{
  Reader string = *reader;
  const char *text;
  gsize length;

  if (!read_string (reader, &text, &length))
    return FALSE;
  string.at = text;
  string.end = text + length;
  if (!read_color (&string, rgba))
    return FALSE;
  return at_end (&string) || fail_at (&string, "expected the end of a colour");
}

/* null stands for a value that is not finite. */
static gboolean
read_json_number (Reader * reader, const char *name, float *value)
{
  const gsize left = (gsize) (reader->end - reader->at);

  if (left >= 4 && memcmp (reader->at, "null", 4) == 0) {
    reader->at += 4;
    *value = NAN;
    return TRUE;
  }
  return read_number (reader, name, value);
}

static gboolean
read_json_gradient (Reader * reader, guint32 * gradient)
{
  const char *text;
  gsize length;

  return read_string (reader, &text, &length) &&
      add_gradient (reader, text, length, gradient);
}

static gboolean
read_member (Reader * reader, Shape * shape, guint depth)
{
  const char *key, *kind;
  gsize length;

  if (!read_key (reader, &key, &length))
    return FALSE;
  if (equals (key, length, "kind")) {
    if (!read_string (reader, &kind, &length))
      return FALSE;
    shape->is_circle = equals (kind, length, "circle");
    return TRUE;
  }
  if (equals (key, length, "gradient"))
    return read_json_gradient (reader, &shape->gradient);
  for (guint i = 0; i <= N_NUMBERS; i++) {
    if (!equals (key, length, members[i]))
      continue;
    shape->found |= 1u << i;
    return i == COLOR ? read_json_color (reader, &shape->rgba) :
        read_json_number (reader, members[i], &shape->values[i]);
  }
  return skip_value (reader, depth);
}

static gboolean
read_shape (Reader * reader, guint depth)
{
  Shape shape = { FALSE, 0, {0}, 0, 0 };

  if (!expect (reader, '{'))
    return FALSE;
  if (!take (reader, '}')) {
    do {
      if (!read_member (reader, &shape, depth))
        return FALSE;
    } while (take (reader, ','));
    if (!expect (reader, '}'))
      return FALSE;
  }
  if (!shape.is_circle)
    return TRUE;
  for (guint i = 0; i <= N_NUMBERS; i++)
    if (!(shape.found & 1u << i))
      return fail (reader, "a circle has no \"%s\"", members[i]);
  return append (reader, shape.values, shape.rgba, shape.gradient);
}

static gboolean
read_shapes (Reader * reader, guint depth)
{
  if (!expect (reader, '['))
    return FALSE;
  if (take (reader, ']'))
    return TRUE;
  do {
    if (!read_shape (reader, depth + 2))
      return FALSE;
  } while (take (reader, ','));
  return expect (reader, ']');
}

/* The line of a frame: an object with the member "shapes". */
static gboolean
read_json (Reader * reader)
{
  gboolean found = FALSE;
  const char *key;
  gsize length;

  if (!expect (reader, '{'))
    return FALSE;
  if (!take (reader, '}')) {
    do {
      if (!read_key (reader, &key, &length))
        return FALSE;
      if (equals (key, length, "shapes")) {
        found = TRUE;
        if (!read_shapes (reader, 1))
          return FALSE;
      } else if (!skip_value (reader, 1)) {
        return FALSE;
      }
    } while (take (reader, ','));
    if (!expect (reader, '}'))
      return FALSE;
  }
  if (!at_end (reader))
    return fail_at (reader, "expected the end of the line after the JSON");
  return found || fail (reader, "the JSON has no \"shapes\": lines are "
      "expected as shapejsonenc writes them");
}

/* Lines */

static gboolean
read_line (Reader * reader)
{
  skip_blanks (reader);
  if (at_end (reader) || *reader->at == '#')
    return TRUE;
  if (*reader->at == '{')
    return read_json (reader);
  return read_text (reader);
}

CsArray *
cs_scene_parse (const char *text, gsize length, CsGradientSet * gradients,
    GError ** error)
{
  static const char mark[] = "\xef\xbb\xbf";
  CsArray *circles = cs_array_new (sizeof (CsCircle));
  const char *at = text, *end = text + length;
  GError *wrong = NULL;
  guint64 line = 1;

  /* byte order mark of UTF-8 */
  if (length >= 3 && memcmp (at, mark, 3) == 0)
    at += 3;
  for (; at < end; line++) {
    const char *stop = memchr (at, '\n', (gsize) (end - at));
    Reader reader = { at, stop ? stop : end, circles, gradients, &wrong };

    if (!read_line (&reader)) {
      g_propagate_prefixed_error (error, wrong, "line %" G_GUINT64_FORMAT ": ",
          line);
      cs_array_free (circles);
      return NULL;
    }
    if (!stop)
      break;
    at = stop + 1;
  }
  return circles;
}
