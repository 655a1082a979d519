/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Scanning PTX */

#include <glib.h>
#include <string.h>

static inline void
skip_blanks (const gchar ** at)
{
  while (g_ascii_isspace (**at))
    ++*at;
}

static inline gboolean
is_word (gchar c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '$' || c == '%' || c == '.';
}

/* A name, number or directive, or "" */
static inline gchar *
scan_word (const gchar ** at)
{
  const gchar *begin;

  skip_blanks (at);
  begin = *at;
  while (is_word (**at))
    ++*at;
  return g_strndup (begin, *at - begin);
}

static inline gboolean
skip_char (const gchar ** at, gchar c)
{
  skip_blanks (at);
  if (**at != c)
    return FALSE;
  ++*at;
  return TRUE;
}
