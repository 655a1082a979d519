/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <string.h>

#include <glib.h>

G_BEGIN_DECLS

/* The first character of @text that is no white space, or its end. */
static inline const gchar *
cs_text_skip_space (const gchar * text)
{
  while (g_ascii_isspace (*text))
    text++;
  return text;
}

/* Whether @c is text and nothing else: no control character, which a terminal
 * obeys, no end of a line, and no change of the direction of text. */
static inline gboolean
cs_text_is_plain (gunichar c)
{
  switch (g_unichar_type (c)) {
    case G_UNICODE_CONTROL:
    case G_UNICODE_SURROGATE:
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR:
      return FALSE;
    case G_UNICODE_FORMAT:
      /* the joiners are parts of words */
      return c == 0x200c || c == 0x200d;
    default:
      return TRUE;
  }
}

/* Whether @text is valid UTF-8 in which every character is plain. */
static inline gboolean
cs_text_is_all_plain (const gchar * text)
{
  if (!g_utf8_validate (text, -1, NULL))
    return FALSE;
  for (; *text; text = g_utf8_next_char (text))
    if (!cs_text_is_plain (g_utf8_get_char (text)))
      return FALSE;
  return TRUE;
}

/* What came from a file, a name or another machine, as text to be shown: valid
 * UTF-8 in which every character is plain, but ends of lines with @has_lines;
 * U+FFFD in place of what was none, "..." at the end of what is longer than
 * @longest bytes. @size: of @bytes; -1 if they end with a 0. For g_free(). */
static inline gchar *
cs_text_make_plain (const gchar * bytes, gssize size, gsize longest,
    gboolean has_lines)
{
  static const gchar replacement[] = "\357\277\275", more[] = "...";
  gchar *valid = g_utf8_make_valid (bytes, size);
  GString *text = g_string_new (NULL);

  for (const gchar * at = valid; *at; at = g_utf8_next_char (at)) {
    const gsize n = (gsize) (g_utf8_next_char (at) - at);

    if (text->len + MAX (n, sizeof (replacement)) + sizeof (more) > longest) {
      g_string_append (text, more);
      break;
    }
    if ((has_lines && *at == '\n') || cs_text_is_plain (g_utf8_get_char (at)))
      g_string_append_len (text, at, (gssize) n);
    else
      g_string_append (text, replacement);
  }
  g_free (valid);
  return g_string_free (text, FALSE);
}

G_END_DECLS
