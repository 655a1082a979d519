/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "jsontext.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Checking: whatever comes, up to @end */

typedef struct
{
  const gchar *at, *end;
  const gchar *problem;
} Checker;

static gboolean check_value (Checker * c, guint depth);

static gboolean
fail (Checker * c, const gchar * problem)
{
  if (!c->problem)
    c->problem = problem;
  return FALSE;
}

static gboolean
is_blank (gchar c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The character at hand, after blanks; 0 at the end. */
static gchar
peek (Checker * c)
{
  while (c->at < c->end && is_blank (*c->at))
    c->at++;
  return c->at < c->end ? *c->at : 0;
}

static gboolean
take (Checker * c, gchar wanted)
{
  if (c->at >= c->end || *c->at != wanted)
    return FALSE;
  c->at++;
  return TRUE;
}

static gboolean
take_digits (Checker * c)
{
  const gchar *begin = c->at;

  while (c->at < c->end && g_ascii_isdigit (*c->at))
    c->at++;
  return c->at > begin;
}

static gboolean
check_number (Checker * c)
{
  take (c, '-');
  if (!take (c, '0') && !take_digits (c))
    return fail (c, "a value is missing");
  if (take (c, '.') && !take_digits (c))
    return fail (c, "a digit is missing");
  if (take (c, 'e') || take (c, 'E')) {
    if (!take (c, '+'))
      take (c, '-');
    if (!take_digits (c))
      return fail (c, "a digit is missing");
  }
  return TRUE;
}

/* Four digits; @unit is what they say. */
static gboolean
take_hex (Checker * c, guint * unit)
{
  *unit = 0;
  for (guint i = 0; i < 4; i++, c->at++) {
    if (c->at >= c->end || !g_ascii_isxdigit (*c->at))
      return fail (c, "\\u lacks a hexadecimal digit");
    *unit = *unit << 4 | (guint) g_ascii_xdigit_value (*c->at);
  }
  return TRUE;
}

static gboolean
check_escape (Checker * c)
{
  guint unit, second = 0;

  if (c->at >= c->end || !strchr ("\"\\/bfnrtu", *c->at))
    return fail (c, "\\ is followed by what is no escape");
  if (*c->at++ != 'u')
    return TRUE;
  if (!take_hex (c, &unit))
    return FALSE;
  if (unit >= 0xd800 && unit < 0xdc00
      && !(take (c, '\\') && take (c, 'u') && take_hex (c, &second)
          && second >= 0xdc00 && second < 0xe000))
    return fail (c, "a surrogate lacks its second half");
  if (unit >= 0xdc00 && unit < 0xe000)
    return fail (c, "a surrogate lacks its first half");
  return unit != 0 || fail (c, "\\u0000 is in a string");
}

static gboolean
check_string (Checker * c)
{
  if (!take (c, '"'))
    return fail (c, "a string is missing");
  while (c->at < c->end && *c->at != '"') {
    if ((guchar) * c->at < 0x20)
      return fail (c, "a control character is in a string");
    if (*c->at++ == '\\' && !check_escape (c))
      return FALSE;
  }
  return take (c, '"') || fail (c, "a string does not end");
}

static gboolean
check_member (Checker * c, guint depth)
{
  if (peek (c) != '"')
    return fail (c, "a key is missing");
  if (!check_string (c))
    return FALSE;
  if (peek (c) != ':')
    return fail (c, "a colon is missing");
  c->at++;
  return check_value (c, depth);
}

static gboolean
check_container (Checker * c, guint depth)
{
  const gboolean is_object = *c->at++ == '{';
  const gchar close = is_object ? '}' : ']';

  if (depth >= JSON_TEXT_MAX_DEPTH)
    return fail (c, "arrays and objects are in each other too deep");
  if (peek (c) == close) {
    c->at++;
    return TRUE;
  }
  for (;;) {
    if (!(is_object ? check_member : check_value) (c, depth + 1))
      return FALSE;
    if (peek (c) == close) {
      c->at++;
      return TRUE;
    }
    if (!take (c, ','))
      return fail (c, is_object ? "a comma or } is missing" :
          "a comma or ] is missing");
  }
}

static gboolean
check_word (Checker * c, const gchar * word)
{
  const gsize n = strlen (word);

  if ((gsize) (c->end - c->at) < n || memcmp (c->at, word, n) != 0)
    return fail (c, "a value is missing");
  c->at += n;
  return TRUE;
}

static gboolean
check_value (Checker * c, guint depth)
{
  switch (peek (c)) {
    case '{':
    case '[':
      return check_container (c, depth);
    case '"':
      return check_string (c);
    case 't':
      return check_word (c, "true");
    case 'f':
      return check_word (c, "false");
    case 'n':
      return check_word (c, "null");
    default:
      return check_number (c);
  }
}

gboolean
json_text_check (const gchar * text, gsize size, gsize * where,
    const gchar ** problem)
{
  Checker c = { text, text + size, NULL };
  const gchar *valid;

  if (!g_utf8_validate_len (text, size, &valid)) {
    c.at = valid;
    c.problem = "it is not UTF-8";
  } else if (peek (&c) != '{') {
    fail (&c, "it is not an object");
  } else if (check_value (&c, 0) && (peek (&c), c.at < c.end)) {
    fail (&c, "something follows the object");
  }
  *where = (gsize) (c.at - text) + 1;
  *problem = c.problem;
  return !c.problem;
}

/* Reading: what has been accepted */

static const gchar *
skip_blanks (const gchar * at)
{
  while (is_blank (*at))
    at++;
  return at;
}

static const gchar *
skip_string (const gchar * at)
{
  for (at++; *at != '"'; at++)
    if (*at == '\\')
      at++;
  return at + 1;
}

/* What ends a scalar, 1, and where a container's depth may change, 2. */
static const guint8 marks[256] = {
  [' '] = 1,['\t'] = 1,['\n'] = 1,['\r'] = 1,[','] = 1,
  ['"'] = 2,['['] = 2,['{'] = 2,[']'] = 3,['}'] = 3
};

static const gchar *
skip_container (const gchar * at)
{
  guint depth = 0;

  do {
    while (!(marks[(guchar) * at] & 2))
      at++;
    if (*at == '"') {
      at = skip_string (at);
      continue;
    }
    depth += *at == '{' || *at == '[' ? 1 : -1;
    at++;
  } while (depth > 0);
  return at;
}

static const gchar *
skip_value (const gchar * at)
{
  if (*at == '"')
    return skip_string (at);
  if (*at == '{' || *at == '[')
    return skip_container (at);
  while (!(marks[(guchar) * at] & 1))
    at++;
  return at;
}

const gchar *
json_text_root (const gchar * text)
{
  return skip_blanks (text);
}

JsonTextType
json_text_get_type (const gchar * value)
{
  if (!value)
    return JSON_TEXT_NONE;
  switch (*value) {
    case '{':
      return JSON_TEXT_OBJECT;
    case '[':
      return JSON_TEXT_ARRAY;
    case '"':
      return JSON_TEXT_STRING;
    case 't':
    case 'f':
      return JSON_TEXT_BOOLEAN;
    case 'n':
      return JSON_TEXT_NULL;
    default:
      return JSON_TEXT_NUMBER;
  }
}

const gchar *
json_text_first (const gchar * value)
{
  if (!value || (*value != '{' && *value != '['))
    return NULL;
  value = skip_blanks (value + 1);
  return *value == '}' || *value == ']' ? NULL : value;
}

const gchar *
json_text_next (const gchar * value)
{
  value = skip_blanks (skip_value (value));
  return *value == ',' ? skip_blanks (value + 1) : NULL;
}

const gchar *
json_text_value_of (const gchar * key)
{
  return skip_blanks (skip_blanks (skip_string (key)) + 1);
}

const gchar *
json_text_get (const gchar * object, const gchar * name)
{
  const gchar *key, *value, *found = NULL;

  if (json_text_get_type (object) != JSON_TEXT_OBJECT)
    return NULL;
  for (key = json_text_first (object); key; key = json_text_next (value)) {
    value = json_text_value_of (key);
    if (json_text_is_string (key, name))
      found = value;
  }
  return found;
}

gsize
json_text_count (const gchar * array, const gchar ** last)
{
  const gchar *item = NULL;
  gsize n = 0;

  if (last)
    *last = NULL;
  if (json_text_get_type (array) == JSON_TEXT_ARRAY)
    item = json_text_first (array);
  for (; item; item = json_text_next (item), n++)
    if (last)
      *last = item;
  return n;
}

/* Whole numbers below 2^53 times or by powers of ten that are doubles are
 * rounded once, and so exact. Most numbers are such. */
static gboolean
get_short_number (const gchar * at, gdouble * number)
{
  static const gdouble powers[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7,
    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15
  };
  const gboolean is_negative = *at == '-';
  const gchar *begin = at += is_negative, *point = NULL;
  guint64 digits = 0;

  for (; g_ascii_isdigit (*at) || *at == '.'; at++) {
    if (*at == '.')
      point = at + 1;
    else
      digits = 10 * digits + (guint64) (*at - '0');
  }
  if (at - begin > 16 || *at == 'e' || *at == 'E' || digits >> 53)
    return FALSE;
  *number = (gdouble) digits / powers[point ? at - point : 0];
  if (is_negative)
    *number = -*number;
  return TRUE;
}

gboolean
json_text_get_number (const gchar * value, gdouble * number)
{
  if (json_text_get_type (value) != JSON_TEXT_NUMBER)
    return FALSE;
  if (get_short_number (value, number))
    return TRUE;
  /* what follows is no part of a number, and there is always something */
  *number = g_ascii_strtod (value, NULL);
  return isfinite (*number);
}

gboolean
json_text_is_real (const gchar * value)
{
  if (json_text_get_type (value) != JSON_TEXT_NUMBER)
    return FALSE;
  value += strspn (value, "-0123456789");
  return *value == '.' || *value == 'e' || *value == 'E';
}

gboolean
json_text_get_integer (const gchar * value, gint64 * number)
{
  if (json_text_get_type (value) != JSON_TEXT_NUMBER)
    return FALSE;
  errno = 0;
  *number = g_ascii_strtoll (value, NULL, 10);
  return errno == 0 && !json_text_is_real (value);
}

gboolean
json_text_get_boolean (const gchar * value, gboolean * is_true)
{
  *is_true = json_text_get_type (value) == JSON_TEXT_BOOLEAN && *value == 't';
  return json_text_get_type (value) == JSON_TEXT_BOOLEAN;
}

/* Strings */

static guint
read_hex (const gchar * at)
{
  guint unit = 0;

  for (guint i = 0; i < 4; i++)
    unit = unit << 4 | (guint) g_ascii_xdigit_value (at[i]);
  return unit;
}

/* The character that begins at @at, in UTF-8, in @out. Returns what follows. */
static const gchar *
read_character (const gchar * at, gchar out[6], guint * size)
{
  static const gchar escapes[] = "bfnrt", meanings[] = "\b\f\n\r\t";

  *size = 1;
  *out = *at++;
  if (*out != '\\')
    return at;
  if (*at == 'u') {
    gunichar character = read_hex (at + 1);
    at += 5;
    if (character >= 0xd800 && character < 0xdc00) {
      character = 0x10000 + ((character - 0xd800) << 10)
          + (read_hex (at + 2) - 0xdc00);
      at += 6;
    }
    *size = (guint) g_unichar_to_utf8 (character, out);
    return at;
  }
  const gchar *escape = strchr (escapes, *at);
  *out = escape ? meanings[escape - escapes] : *at;
  return at + 1;
}

gboolean
json_text_get_string (const gchar * value, gchar * out, gsize size)
{
  gchar character[6];
  gsize length = 0;
  guint n;

  if (json_text_get_type (value) != JSON_TEXT_STRING)
    return FALSE;
  for (value++; *value != '"'; length += n) {
    value = read_character (value, character, &n);
    if (n >= size - length)
      return FALSE;
    memcpy (out + length, character, n);
  }
  out[length] = '\0';
  return TRUE;
}

gboolean
json_text_is_string (const gchar * value, const gchar * text)
{
  gchar character[6];
  guint n;

  if (json_text_get_type (value) != JSON_TEXT_STRING)
    return FALSE;
  for (value++; *value != '"'; text += n) {
    value = read_character (value, character, &n);
    if (strncmp (text, character, n) != 0)
      return FALSE;
  }
  return *text == '\0';
}

gsize
json_text_compact (const gchar * value, gchar * out)
{
  const gchar *end = skip_value (value);
  gsize length = 0;

  while (value < end) {
    const gchar *part = value;

    if (*value == '"')
      value = skip_string (value);
    else
      value++;
    if (is_blank (*part))
      continue;
    if (out)
      memcpy (out + length, part, (gsize) (value - part));
    length += (gsize) (value - part);
  }
  return length;
}
