/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "json_check.h"

#include <math.h>
#include <string.h>

#define MAX_DEPTH 16

typedef struct
{
  const gchar *text, *at, *end;
  const gchar *problem;
  JsonFound *found;
  guint depth;
  gboolean in_shapes, in_points;
} Parser;

static gboolean parse_value (Parser * p);

static gboolean
fail (Parser * p, const gchar * problem)
{
  if (!p->problem)
    p->problem = problem;
  return FALSE;
}

static gboolean
next_is (const Parser * p, gchar c)
{
  return p->at < p->end && *p->at == c;
}

static gboolean
take (Parser * p, gchar c)
{
  if (!next_is (p, c))
    return FALSE;
  p->at++;
  return TRUE;
}

static gboolean
take_word (Parser * p, const gchar * word)
{
  gsize n = strlen (word);

  if ((gsize) (p->end - p->at) < n || memcmp (p->at, word, n) != 0)
    return FALSE;
  p->at += n;
  return TRUE;
}

static gboolean
take_digits (Parser * p)
{
  const gchar *start = p->at;

  while (p->at < p->end && *p->at >= '0' && *p->at <= '9')
    p->at++;
  return p->at > start;
}

static gboolean
parse_number (Parser * p, gdouble * number)
{
  const gchar *start = p->at;

  take (p, '-');
  if (!take (p, '0') && !take_digits (p))
    return fail (p, "a number has no digits");
  if (take (p, '.') && !take_digits (p))
    return fail (p, "a number has no digits after its point");
  if (take (p, 'e') || take (p, 'E')) {
    if (!take (p, '+'))
      take (p, '-');
    if (!take_digits (p))
      return fail (p, "a number has no digits in its exponent");
  }
  g_autofree gchar *copy = g_strndup (start, p->at - start);
  *number = g_ascii_strtod (copy, NULL);
  return TRUE;
}

/* A \u escape's four digits; the writer has no use for those of surrogates. */
static gboolean
parse_unicode (Parser * p, GString * value)
{
  gunichar c = 0;

  for (guint i = 0; i < 4; i++) {
    if (p->at == p->end || !g_ascii_isxdigit (*p->at))
      return fail (p, "an escape has fewer than four digits");
    c = c << 4 | (guint) g_ascii_xdigit_value (*p->at++);
  }
  if (c >= 0xd800 && c < 0xe000)
    return fail (p, "an escape is a surrogate");
  g_string_append_unichar (value, c);
  return TRUE;
}

static gboolean
parse_escape (Parser * p, GString * value)
{
  static const gchar from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";

  if (take (p, 'u'))
    return parse_unicode (p, value);
  const gchar *which = p->at < p->end && *p->at ? strchr (from, *p->at) : NULL;
  if (!which)
    return fail (p, "an escape is unknown");
  p->at++;
  g_string_append_c (value, to[which - from]);
  return TRUE;
}

/* The caller frees @value. */
static gboolean
parse_string (Parser * p, GString * value)
{
  if (!take (p, '"'))
    return fail (p, "no string");
  while (!take (p, '"')) {
    if (p->at == p->end)
      return fail (p, "a string has no end");
    if ((guchar) * p->at < 0x20)
      return fail (p, "a string has a control character");
    if (take (p, '\\')) {
      if (!parse_escape (p, value))
        return FALSE;
    } else {
      g_string_append_c (value, *p->at++);
    }
  }
  return TRUE;
}

static void
note_number (Parser * p, gdouble number)
{
  if (p->found && p->in_points)
    g_array_append_val (p->found->points, number);
}

/* The value of member @name. */
static gboolean
parse_member (Parser * p, const gchar * name)
{
  const gboolean top = p->depth == 1;
  gboolean ok;

  if (!p->found)
    return parse_value (p);
  if (top)
    p->in_shapes = strcmp (name, "shapes") == 0;
  p->in_points = !top && strcmp (name, "points") == 0;
  guint before = p->found->points->len;
  if (top && strcmp (name, "source") == 0 && next_is (p, '"')) {
    GString *value = g_string_new (NULL);

    ok = parse_string (p, value);
    g_free (p->found->source);
    p->found->source = g_string_free (value, FALSE);
  } else {
    ok = parse_value (p);
  }
  if (p->in_points) {
    guint n = (p->found->points->len - before) / 2;

    g_array_append_val (p->found->point_counts, n);
  }
  p->in_points = FALSE;
  return ok;
}

static gboolean
parse_object (Parser * p)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal,
      g_free, NULL);
  gboolean ok = TRUE;

  if (p->found && p->in_shapes && p->depth == 3)
    p->found->n_shapes++;
  if (!take (p, '}')) {
    do {
      g_autoptr (GString) name = g_string_new (NULL);

      ok = parse_string (p, name)
          && (take (p, ':') || fail (p, "a member has no colon"))
          && parse_member (p, name->str);
      if (ok && !g_hash_table_add (names, g_strdup (name->str)))
        ok = fail (p, "two members have one name");
    } while (ok && take (p, ','));
    ok = ok && (take (p, '}') || fail (p, "an object has no end"));
  }
  return ok;
}

static gboolean
parse_array (Parser * p)
{
  if (take (p, ']'))
    return TRUE;
  do {
    if (!parse_value (p))
      return FALSE;
  } while (take (p, ','));
  return take (p, ']') || fail (p, "an array has no end");
}

static gboolean
parse_value (Parser * p)
{
  gdouble number = NAN;
  gboolean ok;

  if (++p->depth > MAX_DEPTH)
    return fail (p, "too deep");
  if (take (p, '{')) {
    ok = parse_object (p);
  } else if (take (p, '[')) {
    ok = parse_array (p);
  } else if (next_is (p, '"')) {
    g_autoptr (GString) value = g_string_new (NULL);

    ok = parse_string (p, value);
  } else if (take_word (p, "true") || take_word (p, "false")) {
    ok = TRUE;
  } else {
    ok = take_word (p, "null") || parse_number (p, &number);
    note_number (p, number);
  }
  p->depth--;
  return ok;
}

gchar *
json_check (const gchar * text, gsize size, JsonFound * found)
{
  Parser p = { text, text, text + size, NULL, found, };

  if (found) {
    found->points = g_array_new (FALSE, FALSE, sizeof (gdouble));
    found->point_counts = g_array_new (FALSE, FALSE, sizeof (guint));
  }
  if (!g_utf8_validate_len (text, size, NULL))
    return g_strdup ("it is not UTF-8");
  if (parse_value (&p) && p.at != p.end)
    fail (&p, "something follows");
  return p.problem ? g_strdup_printf ("at byte %zu: %s",
      (gsize) (p.at - text), p.problem) : NULL;
}

void
json_found_clear (JsonFound * found)
{
  g_clear_pointer (&found->points, g_array_unref);
  g_clear_pointer (&found->point_counts, g_array_unref);
  g_clear_pointer (&found->source, g_free);
  found->n_shapes = 0;
}
