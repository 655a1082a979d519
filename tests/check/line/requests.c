/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Requests to the page, byte by byte: where they end, what they ask for, which
 * are refused, and whose they are. */

#include "check.h"
#include "checks.h"
#include "web_request.h"

#include <string.h>

#define REFUSED "400 Bad Request"

typedef struct
{
  const char *text;
  gsize end;
} End;

CHECK (ends)
{
  static const End ends[] = {
    {"", 0}, {"a", 0}, {"a\n", 0}, {"a\r\n", 0}, {"a\n\r", 0}, {"a\n\rb", 0},
    {"\n\n", 2}, {"a\n\n", 3}, {"a\n\nb", 3}, {"a\n\r\n", 4},
    {"a\r\n\r\n", 5}, {"a\r\n\n", 4}, {"a\nb\n\r\n\n", 6}, {"a\n\r\r\n\n", 6},
    {"a\r\r\n", 0},
  };

  begin ("ends of requests");
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++) {
    const gsize size = strlen (ends[i].text);
    /* nothing is read behind it */
    g_autofree char *text = g_memdup2 (ends[i].text, MAX (size, 1));

    expect (line_web_request_find_end (text, size) == ends[i].end, "%u: %u", i,
        (guint) line_web_request_find_end (text, size));
    for (gsize n = 0; n < ends[i].end; n++)
      expect (line_web_request_find_end (ends[i].text, n) == 0,
          "%u: after %u bytes", i, (guint) n);
  }
  end ();
}

typedef struct
{
  const char *text, *status, *path, *host;
  gboolean is_head;
} Case;

static const Case cases[] = {
  {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", NULL, "/", "a"},
  {"GET /x/y?a=/b HTTP/1.1\nHost:a.b:80\n\n", NULL, "/x/y", "a.b"},
  {"HEAD /? HTTP/1.0\n\n", NULL, "/", NULL, TRUE},
  {"GET / HTTP/1.0\r\nhOST:\t[::1]:8080 \r\n\r\n", NULL, "/", "::1"},
  {"GET / HTTP/1.1\nA: b\nHost: [fe80::1]\nC:d\n\n", NULL, "/", "fe80::1"},
  {"GET / HTTP/1.9\nHost: a.\n\n", NULL, "/", "a"},
  {"GET / HTTP/1.1\nHost: .\n\n", NULL, "/", "."},
  {"GET / HTTP/1.1\nHost: a:\n", NULL, "/", "a"},
  {"POST / HTTP/1.1\nHost: a\n\n", "405 Method Not Allowed", "/", "a"},
  {"POST /commands HTTP/1.1\nHost: a\n\n", "405 Method Not Allowed",
      "/commands", "a"},
  {"PUT /command HTTP/1.1\nHost: a\n\n", "405 Method Not Allowed", "/command",
      "a"},
  {"get / HTTP/1.1\nHost: a\n\n", "405 Method Not Allowed", "/", "a"},
  {" / HTTP/1.1\nHost: a\n\n", "405 Method Not Allowed", "/", "a"},
  {"GET / HTTP/1.1", REFUSED}, {"\nHost: a\n\n", REFUSED},
  {"GET\nHost: a\n\n", REFUSED}, {"GET /\nHost: a\n\n", REFUSED},
  {"GET x HTTP/1.1\nHost: a\n\n", REFUSED},
  {"GET http://a/ HTTP/1.1\nHost: a\n\n", REFUSED},
  {"GET / HTTP/2.0\nHost: a\n\n", REFUSED},
  {"GET / HTTP/1.\nHost: a\n\n", REFUSED},
  {"GET / HTTP/1.x\nHost: a\n\n", REFUSED},
  {"GET / HTTP/1.10\nHost: a\n\n", REFUSED},
  {"GET / a HTTP/1.1\nHost: a\n\n", REFUSED},
  {"GET / HTTP/1.1\n\n", REFUSED}, {"GET / HTTP/1.1\n\nHost: a\n", REFUSED},
  {"GET / HTTP/1.1\nHost: a\nHost: a\n\n", REFUSED},
  {"GET / HTTP/1.1\nHost : a\n\n", REFUSED},
  {"GET / HTTP/1.1\nHost: a\n b: c\n\n", REFUSED},
  {"GET / HTTP/1.1\nHost: a\nb\n\n", REFUSED},
  {"GET / HTTP/1.1\nHost:\n\n", REFUSED},
  {"GET / HTTP/1.1\nHost: :80\n\n", REFUSED},
  {"GET / HTTP/1.1\nHost: a:b\n\n", REFUSED},
  {"GET / HTTP/1.1\nHost: a:80x\n\n", REFUSED},
  {"GET / HTTP/1.1\nHost: ::1\n\n", REFUSED},
  {"GET / HTTP/1.1\nHost: [::1\n\n", REFUSED},
  {"GET / HTTP/1.1\nHost: [a]\n\n", REFUSED},
  {"GET / HTTP/1.1\nHost: [::1]80\n\n", REFUSED},
  {"GET / HTTP/1.1\nHost: [::1].\n\n", REFUSED},
};

CHECK (cases)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const Case *wanted = &cases[i];
    g_autofree char *text = g_strdup (wanted->text);
    LineWebRequest request;
    const char *status =
        line_web_request_parse (text, strlen (text), &request);

    check_that (g_strcmp0 (status, wanted->status) == 0
        && (g_strcmp0 (status, REFUSED) == 0
            || (g_strcmp0 (request.path, wanted->path) == 0
                && g_strcmp0 (request.host, wanted->host) == 0
                && request.is_head == wanted->is_head)), "%s: %s, %s, %s",
        wanted->text, status ? status : "good", request.path, request.host);
  }
}

typedef struct
{
  const char *headers, *status, *token, *origin;
  gboolean is_json;
  gint64 length;
} Command;

/* What a request that changes something says, and what is none */
static const Command commands[] = {
  {"Host: a\n", NULL, NULL, NULL, FALSE, -1},
  {"Host: a\nAuthorization: Bearer a.b-c=\nContent-Length: 12\n", NULL,
      "a.b-c=", NULL, FALSE, 12},
  {"AUTHORIZATION:bearer  x \nHost: a\ncontent-type: Application/JSON; a=b\n",
      NULL, "x", NULL, TRUE, -1},
  {"Host: a\nAuthorization: Basic x\n", NULL, "", NULL, FALSE, -1},
  {"Host: a\nOrigin: http://b.c:80\n", NULL, NULL, "b.c", FALSE, -1},
  {"Host: a\nOrigin: https://[::1]:80\n", NULL, NULL, "::1", FALSE, -1},
  {"Host: a\nOrigin: null\n", NULL, NULL, "", FALSE, -1},
  {"Host: a\nOrigin:\n", NULL, NULL, "", FALSE, -1},
  {"Host: a\nContent-Type: text/plain\n", NULL, NULL, NULL, FALSE, -1},
  {"Host: a\nContent-Length: 12345678901234567890\n", NULL, NULL, NULL, FALSE,
      G_MAXINT64},
  {"Host: a\nContent-Length: -1\n", REFUSED},
  {"Host: a\nContent-Length: +1\n", REFUSED},
  {"Host: a\nContent-Length: 1, 1\n", REFUSED},
  {"Host: a\nContent-Length:\n", REFUSED},
  {"Host: a\nContent-Length: 1\nContent-Length: 1\n", REFUSED},
  {"Host: a\nTransfer-Encoding: chunked\n", REFUSED},
  {"Host: a\nOrigin: http://a\nOrigin: http://a\n", REFUSED},
  {"Host: a\nAuthorization: Bearer a\nAuthorization: Bearer b\n", REFUSED},
};

CHECK (commands)
{
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++) {
    const Command *wanted = &commands[i];
    g_autofree char *text = g_strconcat ("POST /command?x HTTP/1.1\n",
        wanted->headers, "\n", NULL);
    LineWebRequest request;
    const char *status = line_web_request_parse (text, strlen (text),
        &request);

    check_that (g_strcmp0 (status, wanted->status) == 0 && (status
            || (request.is_command && !request.is_head
                && g_strcmp0 (request.token, wanted->token) == 0
                && g_strcmp0 (request.origin, wanted->origin) == 0
                && request.is_json == wanted->is_json
                && request.length == wanted->length)), "%s: %s, %s, %s",
        wanted->headers, status ? status : "good", request.token,
        request.origin);
  }
}

CHECK (zero)
{
  char text[] = "GET / HTTP/1.1\nHost: a\nB: \0\n\n";
  LineWebRequest request;

  check_that (g_strcmp0 (line_web_request_parse (text, sizeof (text) - 1,
              &request), REFUSED) == 0, "a byte 0");
}

CHECK (hosts)
{
  static const char *const hosts[] = { "first", "Packhouse.example", NULL };
  static const char *const any[] = { "first", "*", NULL };
  /* by whether the server listens at 127.0.0.1, at 192.0.2.7, at all */
  static const struct
  {
    const char *host;
    gboolean is_for[3];
  } wanted[] = {
    {"localhost", {TRUE, TRUE, TRUE}}, {"LocalHost", {TRUE, TRUE, TRUE}},
    {"127.0.0.1", {TRUE, TRUE, TRUE}}, {"127.8.0.1", {TRUE, TRUE, TRUE}},
    {"::1", {TRUE, TRUE, TRUE}}, {"192.0.2.7", {FALSE, TRUE, TRUE}},
    {"192.0.2.8", {FALSE, FALSE, TRUE}}, {"other", {FALSE, FALSE, FALSE}},
    {"localhost.other", {FALSE, FALSE, FALSE}},
    {"2001:db8::1", {FALSE, FALSE, TRUE}},
  };
  static const char *const bound[] = { "127.0.0.1", "192.0.2.7", "0.0.0.0" };

  begin ("whose a name is");
  for (guint i = 0; i < G_N_ELEMENTS (bound); i++) {
    GInetAddress *address = g_inet_address_new_from_string (bound[i]);

    for (guint j = 0; j < G_N_ELEMENTS (wanted); j++)
      expect (line_web_request_is_for (wanted[j].host, address, NULL) ==
          wanted[j].is_for[i], "%s at %s", wanted[j].host, bound[i]);
    expect (line_web_request_is_for (g_get_host_name (), address, NULL) ==
        (i == 2 || g_ascii_strcasecmp (g_get_host_name (), "localhost") == 0),
        "the machine's name at %s", bound[i]);
    expect (line_web_request_is_for ("packhouse.EXAMPLE", address, hosts)
        && line_web_request_is_for ("first", address, hosts)
        && !line_web_request_is_for ("second", address, hosts)
        && line_web_request_is_for ("second", address, any), "names at %s",
        bound[i]);
    g_object_unref (address);
  }
  end ();
}

CHECKS
