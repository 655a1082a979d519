/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "message.h"

#include <stdio.h>
#include <string.h>

#define REPLACEMENT "\357\277\275"
#define MORE "..."

gboolean
line_message_is_harmless (gunichar c)
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

/* @longest: bytes, of which not one is exceeded */
static char *
clean (const char *bytes, gssize size, gsize longest, gboolean has_lines)
{
  char *valid = g_utf8_make_valid (bytes, size);
  GString *text = g_string_new (NULL);

  for (const char *at = valid; *at; at = g_utf8_next_char (at)) {
    const gsize n = g_utf8_next_char (at) - at;

    if (text->len + MAX (n, strlen (REPLACEMENT)) + strlen (MORE) > longest) {
      g_string_append (text, MORE);
      break;
    }
    if ((has_lines && *at == '\n')
        || line_message_is_harmless (g_utf8_get_char (at)))
      g_string_append_len (text, at, n);
    else
      g_string_append (text, REPLACEMENT);
  }
  g_free (valid);
  return g_string_free (text, FALSE);
}

char *
line_message_text (const char *bytes, gssize size)
{
  return clean (bytes, size, LINE_MESSAGE_LONGEST, FALSE);
}

static void
write_to (FILE * file, const char *text)
{
  char *cleaned = clean (text, -1, G_MAXSIZE, TRUE);

  fputs (cleaned, file);
  fflush (file);
  g_free (cleaned);
}

static void
print (const char *text)
{
  write_to (stdout, text);
}

static void
print_error (const char *text)
{
  write_to (stderr, text);
}

void
line_message_guard (void)
{
  g_set_print_handler (print);
  g_set_printerr_handler (print_error);
}
