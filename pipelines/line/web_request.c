/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "web_request.h"

#include <string.h>

#define BAD "400 Bad Request"

/* That anything is changed at */
#define COMMAND "/command"

/* Digits of a length: longer ones are none of a command's */
#define MOST_DIGITS 9

gsize
line_web_request_find_end (const char *text, gsize size)
{
  for (const char *at = text; (at = memchr (at, '\n', text + size - at));) {
    at++;
    if (at < text + size && *at == '\n')
      return at + 1 - text;
    if (at + 1 < text + size && at[0] == '\r' && at[1] == '\n')
      return at + 2 - text;
  }
  return 0;
}

/* Cuts the line off that begins at *@text, which is behind it then. Returns: NULL
 * at the end */
static char *
take_line (char **text)
{
  char *line = *text, *end = strchr (line, '\n');

  if (!end)
    return NULL;
  *text = end + 1;
  *end = '\0';
  if (end > line && end[-1] == '\r')
    end[-1] = '\0';
  return line;
}

/* "NAME", "NAME:PORT", "[ADDRESS]:PORT". Returns: NULL if it is none of them */
static const char *
parse_host (char *text)
{
  char *end = *text == '[' ? strchr (text, ']') : text + strcspn (text, ":");

  if (!end || end == text || (*text == '[' && !memchr (text, ':', end - text)))
    return NULL;
  char *port = *end == ']' ? end + 1 : end;
  if (*port && (*port != ':' || port[1 + strspn (port + 1, "0123456789")]))
    return NULL;
  /* a name may be written with the dot of the root */
  if (*text != '[' && end - text > 1 && end[-1] == '.')
    end--;
  *end = '\0';
  return *text == '[' ? text + 1 : text;
}

/* "GET /path?query HTTP/1.1" */
static const char *
parse_first (char *line, LineWebRequest * request, gboolean * needs_host)
{
  char *path = strchr (line, ' ');
  char *version = path ? strchr (path + 1, ' ') : NULL;

  if (!version || path[1] != '/' || !g_str_has_prefix (version, " HTTP/1.")
      || !g_ascii_isdigit (version[8]) || version[9] != '\0')
    return BAD;
  *needs_host = version[8] > '0';
  *path = *version = '\0';
  request->path = path + 1;
  path[1 + strcspn (path + 1, "?")] = '\0';
  request->is_head = strcmp (line, "HEAD") == 0;
  request->is_command = strcmp (line, "POST") == 0
      && strcmp (request->path, COMMAND) == 0;
  return request->is_head || request->is_command || strcmp (line, "GET") == 0 ? NULL :
      "405 Method Not Allowed";
}

/* "http://HOST:PORT" */
static const char *
parse_origin (char *text)
{
  char *at = strstr (text, "://");
  const char *host = at ? parse_host (at + 3) : NULL;

  return host ? host : "";
}

/* Of a command. Returns: FALSE if it is said twice, or is none */
static gboolean
take_header (LineWebRequest * request, const char *name, char *value)
{
  if (g_ascii_strcasecmp (name, "authorization") == 0) {
    const gboolean is_second = request->token != NULL;

    request->token = g_ascii_strncasecmp (value, "bearer ", 7) == 0 ?
        g_strchug (value + 7) : "";
    return !is_second;
  }
  if (g_ascii_strcasecmp (name, "origin") == 0) {
    const gboolean is_second = request->origin != NULL;

    request->origin = parse_origin (value);
    return !is_second;
  }
  if (g_ascii_strcasecmp (name, "content-type") == 0) {
    value[strcspn (value, "; \t")] = '\0';
    request->is_json = g_ascii_strcasecmp (value, "application/json") == 0;
  } else if (g_ascii_strcasecmp (name, "content-length") == 0) {
    const gsize n = strspn (value, "0123456789");

    if (n == 0 || value[n] || request->length >= 0)
      return FALSE;
    request->length = n > MOST_DIGITS ? G_MAXINT64 :
        g_ascii_strtoll (value, NULL, 10);
  }
  /* a body whose length is to be found would be read as another's request */
  return g_ascii_strcasecmp (name, "transfer-encoding") != 0;
}

const char *
line_web_request_parse (char *text, gsize size, LineWebRequest * request)
{
  gboolean needs_host = TRUE;
  char *line;

  *request = (LineWebRequest) {.length = -1 };
  if (memchr (text, '\0', size) || !(line = take_line (&text)))
    return BAD;
  const char *refusal = parse_first (line, request, &needs_host);
  while ((line = take_line (&text)) && *line) {
    char *colon = strchr (line, ':');

    /* a line that goes on with the one before has no place here, either */
    if (!colon || strcspn (line, " \t") < (gsize) (colon - line))
      return BAD;
    *colon = '\0';
    if (g_ascii_strcasecmp (line, "host") != 0) {
      if (request->is_command
          && !take_header (request, line, g_strstrip (colon + 1)))
        return BAD;
      continue;
    }
    if (request->host || !(request->host = parse_host (g_strstrip (colon + 1))))
      return BAD;
  }
  return request->host || !needs_host ? refusal : BAD;
}

gboolean
line_web_request_is_for (const char *host, GInetAddress * address,
    const char *const *hosts)
{
  const gboolean is_any = g_inet_address_get_is_any (address);
  g_autoptr (GInetAddress) asked = g_inet_address_new_from_string (host);
  gboolean is_known = asked ? is_any || g_inet_address_get_is_loopback (asked)
      || g_inet_address_equal (asked, address) :
      g_ascii_strcasecmp (host, "localhost") == 0
      || (is_any && g_ascii_strcasecmp (host, g_get_host_name ()) == 0);

  for (guint i = 0; hosts && hosts[i] && !is_known; i++)
    is_known = strcmp (hosts[i], "*") == 0
        || g_ascii_strcasecmp (hosts[i], host) == 0;
  return is_known;
}
