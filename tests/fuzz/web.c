/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a client may send to the line's page: whatever it is, the request is
 * refused, or has a path and says for whom it is, which is the line only by one
 * of its two names or a loopback address. */

#include "web_request.h"

#include "fuzz.h"

static void
check_request (const LineWebRequest * request, const char *text, gsize size)
{
  const char *const hosts[] = { "line.example", NULL };
  GInetAddress *address = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);

  FUZZ_CHECK (request->path[0] == '/' && !strchr (request->path, '?')
      && !strchr (request->path, ' '), "%s", request->path);
  FUZZ_CHECK (request->path >= text && request->path < text + size, "path");
  if (request->host) {
    FUZZ_CHECK (*request->host && request->host >= text
        && request->host < text + size, "host");
    FUZZ_CHECK (!line_web_request_is_for (request->host, address, hosts)
        || g_ascii_strcasecmp (request->host, "localhost") == 0
        || g_ascii_strcasecmp (request->host, hosts[0]) == 0
        || !request->host[strspn (request->host, "0123456789:.")], "%s",
        request->host);
  }
  g_object_unref (address);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  g_autofree char *text = g_malloc (size + 1);
  LineWebRequest request;
  const char *refusal;

  memcpy (text, data, size);
  gsize end = line_web_request_find_end (text, size);
  FUZZ_CHECK (end <= size, "%" G_GSIZE_FORMAT, end);
  /* what is not all there yet is not when there is less of it, either */
  for (gsize i = 0; end == 0 && i < MIN (size, 64); i++)
    FUZZ_CHECK (line_web_request_find_end (text, i) == 0, "%" G_GSIZE_FORMAT,
        i);
  text[end > 0 ? end : size] = '\0';
  refusal = line_web_request_parse (text, end > 0 ? end : size, &request);
  if (!refusal)
    check_request (&request, text, size + 1);
  return 0;
}
