/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "scan.h"

#include <string.h>

/* @has_others: characters outside of ASCII */
typedef struct
{
  const char *at, *end;
  guint depth;
  gboolean has_others;
} Scan;

static gboolean scan_value (Scan * scan);

static inline char
peek (const Scan * scan)
{
  return scan->at < scan->end ? *scan->at : '\0';
}

static inline void
skip_space (Scan * scan)
{
  while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t'
          || *scan->at == '\n' || *scan->at == '\r'))
    scan->at++;
}

/* Passes over @c. Returns: FALSE if something else is there */
static inline gboolean
take (Scan * scan, char c)
{
  if (scan->at == scan->end || *scan->at != c)
    return FALSE;
  scan->at++;
  return TRUE;
}

static gboolean
scan_escape (Scan * scan)
{
  const char c = peek (scan);

  if (c == '\0' || !strchr ("\"\\/bfnrtu", c))
    return FALSE;
  scan->at++;
  for (guint i = 0; c == 'u' && i < 4; i++)
    if (!g_ascii_isxdigit (peek (scan)))
      return FALSE;
    else
      scan->at++;
  return TRUE;
}

static gboolean
scan_string (Scan * scan)
{
  if (!take (scan, '"'))
    return FALSE;
  while (scan->at < scan->end) {
    const guchar c = *scan->at++;

    if (c == '"')
      return TRUE;
    if (c < ' ' || (c == '\\' && !scan_escape (scan)))
      return FALSE;
    scan->has_others |= c >= 0x80;
  }
  return FALSE;
}

static gboolean
scan_digits (Scan * scan)
{
  const char *begin = scan->at;

  while (scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9')
    scan->at++;
  return scan->at > begin;
}

static gboolean
scan_number (Scan * scan)
{
  take (scan, '-');
  if (!take (scan, '0') && !scan_digits (scan))
    return FALSE;
  if (take (scan, '.') && !scan_digits (scan))
    return FALSE;
  if (!take (scan, 'e') && !take (scan, 'E'))
    return TRUE;
  if (!take (scan, '-'))
    take (scan, '+');
  return scan_digits (scan);
}

static gboolean
scan_word (Scan * scan, const char *word)
{
  const gsize length = strlen (word);

  if ((gsize) (scan->end - scan->at) < length
      || memcmp (scan->at, word, length) != 0)
    return FALSE;
  scan->at += length;
  return TRUE;
}

/* Behind a value. Returns: whether there is another one; else it ended with
 * @end, if @good */
static gboolean
has_more (Scan * scan, char end, gboolean * good)
{
  skip_space (scan);
  if (take (scan, ','))
    return TRUE;
  *good = take (scan, end);
  return FALSE;
}

static gboolean
scan_array (Scan * scan)
{
  gboolean good = TRUE;

  scan->at++;
  skip_space (scan);
  if (take (scan, ']'))
    return TRUE;
  do
    good = scan_value (scan);
  while (good && has_more (scan, ']', &good));
  return good;
}

/* Whether a value is, or begins, as @name does in quotes. */
static gboolean
is_name (const char *begin, const char *end, const char *name)
{
  const gsize length = strlen (name);

  return (gsize) (end - begin) == length + 2
      && memcmp (begin + 1, name, length) == 0;
}

/* @name: of a member that is looked for, NULL for none. @value, @value_size: of
 * that */
static gboolean
scan_object (Scan * scan, const char *name, const char **value,
    gsize * value_size)
{
  gboolean good = TRUE;

  if (!take (scan, '{'))
    return FALSE;
  skip_space (scan);
  if (take (scan, '}'))
    return TRUE;
  do {
    skip_space (scan);
    const char *begin = scan->at;
    if (!scan_string (scan))
      return FALSE;
    const gboolean is_it = name && !*value && is_name (begin, scan->at, name);
    skip_space (scan);
    if (!take (scan, ':'))
      return FALSE;
    skip_space (scan);
    begin = scan->at;
    good = scan_value (scan);
    if (is_it) {
      *value = begin;
      *value_size = scan->at - begin;
    }
  } while (good && has_more (scan, '}', &good));
  return good;
}

static gboolean
scan_value (Scan * scan)
{
  gboolean good;

  skip_space (scan);
  switch (peek (scan)) {
    case '[':
    case '{':
      if (scan->depth == LINE_SCAN_DEEPEST)
        return FALSE;
      scan->depth++;
      good = *scan->at == '[' ? scan_array (scan) :
          scan_object (scan, NULL, NULL, NULL);
      scan->depth--;
      return good;
    case '"':
      return scan_string (scan);
    case 't':
      return scan_word (scan, "true");
    case 'f':
      return scan_word (scan, "false");
    case 'n':
      return scan_word (scan, "null");
    default:
      return scan_number (scan);
  }
}

gboolean
line_scan_object (const char *text, gsize size, const char *name,
    const char **value, gsize * value_size)
{
  Scan scan = { text, text + size };

  *value = NULL;
  *value_size = 0;
  skip_space (&scan);
  if (!scan_object (&scan, name, value, value_size))
    return FALSE;
  skip_space (&scan);
  return scan.at == scan.end
      && (!scan.has_others || g_utf8_validate_len (text, size, NULL));
}
