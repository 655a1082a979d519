/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "post.h"

#include <string.h>

#include "message.h"
#include "secret.h"

/* Seconds: the line says after ten that it is not done yet */
#define TIMEOUT 15

/* Bytes of the line's answer, and of a ref, at most */
#define LONGEST_ANSWER (256 << 10)
#define LONGEST_REF 64

/* What a token may have: it is part of a header */
#define TOKEN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" \
    "0123456789-._~+/="

static gboolean
is_ref (const json_t * ref)
{
  return !ref || json_is_null (ref) || json_is_integer (ref)
      || (json_is_string (ref) && json_string_length (ref) <= LONGEST_REF);
}

LinePost *
line_post_new (const void *text, gsize size)
{
  LinePost *post = g_new0 (LinePost, 1);
  json_auto_t *json = size > 0 && size <= LINE_POST_LONGEST ?
      json_loadb (text, size, JSON_REJECT_DUPLICATES, NULL) : NULL;
  json_t *ref = json_object_get (json, "ref");

  post->ref = ref && is_ref (ref) ? json_incref (ref) : json_null ();
  if (size > LINE_POST_LONGEST)
    post->why = "it is too long: a command has at most 2048 bytes";
  else if (!json_is_object (json))
    post->why = "a command is an object of JSON";
  else if (!is_ref (ref))
    post->why = "\"ref\" is a whole number, or a text of at most 64 bytes";
  if (post->why)
    return post;
  json_object_del (json, "ref");
  post->body = json_dumps (json, JSON_COMPACT);
  return post;
}

void
line_post_free (LinePost * post)
{
  json_decref (post->ref);
  free (post->body);
  g_free (post);
}

static char *
dump (const LinePost * post, json_t * json)
{
  json_object_set (json, "ref", post->ref);
  char *text = json_dumps (json, JSON_COMPACT);
  char *copy = g_strdup (text ? text : "{\"answer\":\"unknown\"}");

  free (text);
  return copy;
}

char *
line_post_answer (const LinePost * post, const char *answer, const char *why)
{
  g_autofree char *clean = line_message_text (why, -1);
  json_auto_t *json = json_pack ("{s:s,s:s}", "answer", answer, "why", clean);

  return dump (post, json);
}

/* The line's page may listen at all addresses. */
static const char *
find_host (const LinePublishConfig * config)
{
  const char *host = config->command_host;

  return strcmp (host, "0.0.0.0") == 0 ? "127.0.0.1" :
      strcmp (host, "::") == 0 ? "::1" : host;
}

static char *
make_request (const LinePost * post, const LinePublishConfig * config,
    GError ** error)
{
  const char *host = find_host (config);
  const gboolean is_v6 = strchr (host, ':') != NULL;
  char *token = line_secret_load (config->command_token_file, error);
  char *request = NULL;

  if (!token)
    return NULL;
  token[strcspn (token, "\r\n")] = '\0';
  if (*token && strspn (token, TOKEN) == strlen (token))
    request = g_strdup_printf ("POST /command HTTP/1.1\r\nHost: %s%s%s:%u\r\n"
        "Authorization: Bearer %s\r\nContent-Type: application/json\r\n"
        "Content-Length: %" G_GSIZE_FORMAT "\r\nConnection: close\r\n\r\n%s",
        is_v6 ? "[" : "", host, is_v6 ? "]" : "", config->command_port, token,
        strlen (post->body), post->body);
  else
    line_fail (error, LINE_ERROR_INVALID, "%s: its first line is no token "
        "alone", config->command_token_file);
  line_secret_free (token);
  return request;
}

static GSocketConnection *
connect_line (const LinePublishConfig * config, GCancellable * cancellable,
    GError ** error)
{
  g_autoptr (GSocketClient) client = g_socket_client_new ();

  g_socket_client_set_timeout (client, TIMEOUT);
  g_socket_client_set_enable_proxy (client, FALSE);
  return g_socket_client_connect_to_host (client, find_host (config),
      config->command_port, cancellable, error);
}

/* Sends @request, and reads to the end. Returns: FALSE with @error set */
static gboolean
exchange (GSocketConnection * connection, const char *request,
    GCancellable * cancellable, GString * answer, GError ** error)
{
  GIOStream *stream = G_IO_STREAM (connection);
  GOutputStream *out = g_io_stream_get_output_stream (stream);
  GInputStream *in = g_io_stream_get_input_stream (stream);
  char part[4096];
  gssize n = 0;

  if (!g_output_stream_write_all (out, request, strlen (request), NULL,
          cancellable, error))
    return FALSE;
  do {
    g_string_append_len (answer, part, n);
    n = g_input_stream_read (in, part, sizeof (part), cancellable, error);
  } while (n > 0 && answer->len < LONGEST_ANSWER);
  return n == 0;
}

/* The line's own, if it is one; of its status else */
static char *
make_answer (const LinePost * post, const GString * text)
{
  const char *body = strstr (text->str, "\r\n\r\n");
  guint64 status = 0;

  if (g_str_has_prefix (text->str, "HTTP/1.") && text->len > 12)
    status = g_ascii_strtoull (text->str + 9, NULL, 10);
  if (!body || status == 0)
    return line_post_answer (post, "unknown", "the line's answer is none");
  json_auto_t *json = json_loads (body + 4, JSON_REJECT_DUPLICATES, NULL);
  if (json_is_object (json) && json_object_get (json, "answer"))
    return dump (post, json);
  g_autofree char *why = g_strdup_printf ("%" G_GUINT64_FORMAT ": %s", status,
      body + 4);
  g_strchomp (why);
  return line_post_answer (post, status < 300 ? "unknown" :
      status == 503 ? "busy" : "refused", why);
}

char *
line_post_send (const LinePost * post, const LinePublishConfig * config,
    GCancellable * cancellable, gboolean * was_sent)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *request = make_request (post, config, &error);
  g_autoptr (GSocketConnection) connection =
      request ? connect_line (config, cancellable, &error) : NULL;
  g_autoptr (GString) answer = g_string_new (NULL);

  *was_sent = connection != NULL;
  if (!request)
    return line_post_answer (post, "refused", error->message);
  if (connection && exchange (connection, request, cancellable, answer,
          &error))
    return make_answer (post, answer);
  g_autofree char *why = g_strdup_printf ("the line does not answer: %s",
      error ? error->message : "too much");
  return line_post_answer (post, connection ? "unknown" : "refused", why);
}
