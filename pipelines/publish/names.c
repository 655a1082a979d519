/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "names.h"

#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

/* Characters of a name in the domain name system, at most, and some for a
 * network interface */
#define HOST_LONGEST 300

static gboolean
is_of (const char *text, const char *characters, gsize longest)
{
  const gsize n = strspn (text, characters);

  return n > 0 && n <= longest && text[n] == '\0';
}

gboolean
line_name_is_good (const char *name)
{
  const char *at = name;
  guint n = 0;

  if (!g_utf8_validate (name, -1, NULL)
      || !g_unichar_isalnum (g_utf8_get_char (name)))
    return FALSE;
  for (; *at && n <= LINE_NAME_LONGEST; at = g_utf8_next_char (at), n++) {
    const gunichar c = g_utf8_get_char (at);

    if (!g_unichar_isalnum (c) && !g_unichar_ismark (c)
        && !(c < 128 && strchr (" _-.", (int) c)))
      return FALSE;
  }
  return n <= LINE_NAME_LONGEST;
}

gboolean
line_name_is_lane (const char *name)
{
  return is_of (name, LETTERS DIGITS "_-", LINE_NAME_LONGEST);
}

gboolean
line_name_is_file (const char *name)
{
  return g_ascii_isalnum (*name)
      && is_of (name, LETTERS DIGITS "_-.", LINE_NAME_LONGEST);
}

char *
line_name_of_file (const char *file, const char *suffix)
{
  if (!g_str_has_suffix (file, suffix))
    return NULL;
  g_autofree char *name = g_strndup (file, strlen (file) - strlen (suffix));
  return line_name_is_file (name) ? g_steal_pointer (&name) : NULL;
}

gboolean
line_name_is_host (const char *name)
{
  /* "%": the interface of a link-local address */
  return *name != '-' && is_of (name, LETTERS DIGITS "_-.:[]%", HOST_LONGEST);
}
