/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "message.h"

#include <stdio.h>

#include "base/text.h"

#define AT_ONCE 6
#define PAUSE (10 * G_USEC_PER_SEC)

gboolean
line_message_may (LineMessageLimit * limit, gint64 now)
{
  const gint64 past = limit->n > 0 ? (now - limit->time) / PAUSE : 0;

  if (limit->n == 0)
    limit->time = now;
  limit->time += past * PAUSE;
  limit->n -= MIN (past, limit->n);
  if (limit->n == AT_ONCE)
    return FALSE;
  limit->n++;
  return TRUE;
}

char *
line_message_text (const char *bytes, gssize size)
{
  return cs_text_make_plain (bytes, size, LINE_MESSAGE_LONGEST, FALSE);
}

static void
write_to (FILE * file, const char *text)
{
  g_autofree char *cleaned = cs_text_make_plain (text, -1, G_MAXSIZE, TRUE);

  fputs (cleaned, file);
  fflush (file);
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
