/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "web.h"

#include <gio/gio.h>
#include <string.h>

#include "element/gstshapesfile.h"
#include "clock.h"
#include "page.h"
#include "publish_status.h"

/* Clients that are answered at a time, and that are there or wait for that;
 * who comes then is turned away */
#define THREADS 8
#define MOST_CLIENTS 64

/* Seconds that a client has for its request and to take its answer, and bytes of
 * its request */
#define REQUEST_TIME 2
#define ANSWER_TIME 10
#define MOST_REQUEST 8192

/* Files of the ring are not larger, and the newest so many are listed. */
#define MOST_PICTURE (64 << 20)
#define MOST_LISTED 24

struct _LineWeb
{
  LineReport *report;
  char *pictures, *publisher;
  GSocketService *service;
  GThreadPool *pool;
  GCancellable *end;
  guint port;
  /* clients that are answered or wait for that */
  GMutex lock;
  GCond idle;
  guint n_busy;
};

/* Answers */

typedef struct
{
  const char *status, *type;
  char *body;
  gsize size;
} Answer;

static Answer
make_text (const char *type, char *text)
{
  return (Answer) {"200 OK", type, text, strlen (text)};
}

static Answer
make_failure (const char *status)
{
  return (Answer) {status, "text/plain", g_strconcat (status, "\n", NULL),
    strlen (status) + 1};
}

static Answer
get_page (void)
{
  GBytes *page = g_resource_lookup_data (line_page_get_resource (),
      "/line/page.html", G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  Answer answer = { "200 OK", "text/html; charset=utf-8" };

  answer.body = g_bytes_unref_to_data (page, &answer.size);
  return answer;
}

/* NNN.SUFFIX, which no path to somewhere else is. */
static gboolean
is_slot (const char *name, const char *suffix)
{
  return strlen (name) == 3 + strlen (suffix) && g_ascii_isdigit (name[0])
      && g_ascii_isdigit (name[1]) && g_ascii_isdigit (name[2])
      && strcmp (name + 3, suffix) == 0;
}

static Answer
load (const LineWeb * web, const char *name, const char *type)
{
  char *path = g_build_filename (web->pictures, name, NULL);
  Answer answer = { "200 OK", type };

  if (!gst_shapes_file_load (path, MOST_PICTURE, &answer.body, &answer.size,
          NULL))
    answer = make_failure ("404 Not Found");
  g_free (path);
  return answer;
}

typedef struct
{
  char name[8];
  guint64 written_at;
} Slot;

/* The newest first. */
static int
compare_slots (gconstpointer a, gconstpointer b)
{
  const Slot *x = a, *y = b;

  return (x->written_at < y->written_at) - (x->written_at > y->written_at);
}

static GArray *
find_slots (const LineWeb * web)
{
  GArray *slots = g_array_new (FALSE, FALSE, sizeof (Slot));
  GDir *folder = g_dir_open (web->pictures, 0, NULL);
  const char *name;

  while (folder && (name = g_dir_read_name (folder))) {
    char *path = g_build_filename (web->pictures, name, NULL);
    GFile *file = g_file_new_for_path (path);
    GFileInfo *info = is_slot (name, ".json") ? g_file_query_info (file,
        "time::modified,time::modified-usec", 0, NULL, NULL) : NULL;
    Slot slot;

    if (info) {
      g_strlcpy (slot.name, name, 4);
      slot.written_at = g_file_info_get_attribute_uint64 (info,
          "time::modified") * G_USEC_PER_SEC
          + g_file_info_get_attribute_uint32 (info, "time::modified-usec");
      g_array_append_val (slots, slot);
    }
    g_clear_object (&info);
    g_object_unref (file);
    g_free (path);
  }
  g_clear_pointer (&folder, g_dir_close);
  g_array_sort (slots, compare_slots);
  return slots;
}

/* [{"picture":"007.jpg","decision":{...}},...], the newest first */
static Answer
list_pictures (const LineWeb * web)
{
  GArray *slots = find_slots (web);
  GString *text = g_string_new ("[");

  for (guint i = 0; i < MIN (slots->len, MOST_LISTED); i++) {
    char *name = g_strconcat (g_array_index (slots, Slot, i).name, ".json",
        NULL);
    Answer decision = load (web, name, NULL);

    /* it may have been replaced meanwhile, but is never there by half */
    if (g_str_has_prefix (decision.status, "200"))
      g_string_append_printf (text, "%s{\"picture\":\"%.3s.jpg\","
          "\"decision\":%s}", text->len > 1 ? ",\n" : "", name,
          g_strchomp (decision.body));
    g_free (decision.body);
    g_free (name);
  }
  g_string_append (text, "]\n");
  g_array_unref (slots);
  return make_text ("application/json", g_string_free (text, FALSE));
}

/* The line's own, and its publisher's. */
static Answer
get_metrics (const LineWeb * web)
{
  char *own = line_report_to_metrics (web->report);
  char *publisher = web->publisher ?
      line_publish_status_to_metrics (web->publisher, line_clock_now ()) : NULL;
  char *all = g_strconcat (own, publisher, NULL);

  g_free (publisher);
  g_free (own);
  return make_text ("text/plain; version=0.0.4; charset=utf-8", all);
}

static Answer
get_publisher (const LineWeb * web)
{
  char *text = web->publisher ? line_publish_status_read (web->publisher) :
      NULL;

  return text ? make_text ("application/json", text) :
      make_text ("application/json", g_strdup ("null\n"));
}

static Answer
answer_to (const LineWeb * web, const char *path)
{
  if (strcmp (path, "/") == 0)
    return get_page ();
  if (strcmp (path, "/report.json") == 0)
    return make_text ("application/json",
        line_report_to_json (web->report));
  if (strcmp (path, "/metrics") == 0)
    return get_metrics (web);
  if (strcmp (path, "/publisher.json") == 0)
    return get_publisher (web);
  if (strcmp (path, "/pictures.json") == 0)
    return list_pictures (web);
  if (g_str_has_prefix (path, "/pictures/") && is_slot (path + 10, ".jpg"))
    return load (web, path + 10, "image/jpeg");
  return make_failure ("404 Not Found");
}

/* Requests */

/* What is done next with @socket fails at @end, of g_get_monotonic_time(), so
 * that a byte now and then is not enough to stay. Returns: FALSE if that has
 * come */
static gboolean
set_end (GSocket * socket, gint64 end)
{
  const gint64 left = end - g_get_monotonic_time ();

  g_socket_set_timeout (socket, MAX (left, 0) / G_USEC_PER_SEC + 1);
  return left > 0;
}

/* Reads up to the empty line. Returns: FALSE if that does not come */
static gboolean
read_request (const LineWeb * web, GSocket * socket, char *request)
{
  const gint64 end = g_get_monotonic_time () + REQUEST_TIME * G_USEC_PER_SEC;
  gsize n = 0;

  do {
    gssize got = n < MOST_REQUEST - 1 && set_end (socket, end) ?
        g_socket_receive (socket, request + n, MOST_REQUEST - 1 - n, web->end,
        NULL) : 0;

    if (got <= 0)
      return FALSE;
    n += got;
    request[n] = '\0';
  } while (!strstr (request, "\r\n\r\n") && !strstr (request, "\n\n"));
  return TRUE;
}

/* "GET /path?query HTTP/1.1": the path is cut out of it. */
static Answer
answer_request (const LineWeb * web, char *request, gboolean * is_head)
{
  char *path = strchr (request, ' '), *end;

  *is_head = g_str_has_prefix (request, "HEAD ");
  if (!path || !(end = strpbrk (path + 1, " ?\r\n")) || path[1] != '/')
    return make_failure ("400 Bad Request");
  if (!*is_head && !g_str_has_prefix (request, "GET "))
    return make_failure ("405 Method Not Allowed");
  *end = '\0';
  return answer_to (web, path + 1);
}

/* Returns: FALSE if the client does not take it */
static gboolean
send_all (const LineWeb * web, GSocket * socket, const char *data, gsize size,
    gint64 end)
{
  while (size > 0) {
    const gssize n = set_end (socket, end) ?
        g_socket_send (socket, data, size, web->end, NULL) : 0;

    if (n <= 0)
      return FALSE;
    data += n;
    size -= n;
  }
  return TRUE;
}

static void
send_answer (const LineWeb * web, GSocket * socket, const Answer * answer,
    gboolean is_head)
{
  const gint64 end = g_get_monotonic_time () + ANSWER_TIME * G_USEC_PER_SEC;
  char *head = g_strdup_printf ("HTTP/1.1 %s\r\nContent-Type: %s\r\n"
      "Content-Length: %" G_GSIZE_FORMAT "\r\nCache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
      answer->status, answer->type, answer->size);

  if (send_all (web, socket, head, strlen (head), end) && !is_head)
    send_all (web, socket, answer->body, answer->size, end);
  g_free (head);
}

/* In a thread of the pool. Takes @data, a connection. */
static void
serve (gpointer data, gpointer user)
{
  LineWeb *web = user;
  GSocket *socket = g_socket_connection_get_socket (data);
  char *request = g_malloc (MOST_REQUEST);
  gboolean is_head;

  if (read_request (web, socket, request)) {
    Answer answer = answer_request (web, request, &is_head);

    send_answer (web, socket, &answer, is_head);
    g_free (answer.body);
  }
  g_io_stream_close (data, NULL, NULL);
  g_object_unref (data);
  g_free (request);
  g_mutex_lock (&web->lock);
  web->n_busy--;
  g_cond_broadcast (&web->idle);
  g_mutex_unlock (&web->lock);
}

/* Not a GThreadedSocketService: when that has been full, it goes on in the main
 * context of the thread that has become free, where nobody accepts. */
static gboolean
accept_client (GSocketService * service, GSocketConnection * connection,
    GObject * source, gpointer user)
{
  LineWeb *web = user;
  gboolean has_room;

  g_mutex_lock (&web->lock);
  has_room = web->n_busy < MOST_CLIENTS;
  web->n_busy += has_room;
  g_mutex_unlock (&web->lock);
  if (has_room)
    g_thread_pool_push (web->pool, g_object_ref (connection), NULL);
  else
    g_io_stream_close (G_IO_STREAM (connection), NULL, NULL);
  return TRUE;
}

static gboolean
listen_at (LineWeb * web, const char *address, guint port, GError ** error)
{
  GSocketListener *listener = G_SOCKET_LISTENER (web->service);
  GSocketAddress *socket_address =
      g_inet_socket_address_new_from_string (address, port), *effective;

  if (!socket_address) {
    g_set_error (error, LINE_ERROR, LINE_ERROR_INVALID,
        "\"%s\" is no address, as 127.0.0.1 is", address);
    return FALSE;
  }
  if (!g_socket_listener_add_address (listener, socket_address,
          G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, NULL, &effective,
          error)) {
    g_prefix_error (error, "the page at port %u: ", port);
    g_object_unref (socket_address);
    return FALSE;
  }
  web->port =
      g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (effective));
  g_object_unref (effective);
  g_object_unref (socket_address);
  return TRUE;
}

LineWeb *
line_web_new (const char *address, guint port, LineReport * report,
    const char *pictures, const char *publisher, GError ** error)
{
  LineWeb *web = g_new0 (LineWeb, 1);

  g_mutex_init (&web->lock);
  g_cond_init (&web->idle);
  web->report = report;
  web->pictures = g_strdup (pictures);
  web->publisher = g_strdup (publisher);
  web->end = g_cancellable_new ();
  web->pool = g_thread_pool_new (serve, web, THREADS, FALSE, NULL);
  web->service = g_socket_service_new ();
  g_socket_listener_set_backlog (G_SOCKET_LISTENER (web->service),
      MOST_CLIENTS);
  g_signal_connect (web->service, "incoming", G_CALLBACK (accept_client), web);
  if (listen_at (web, address, port, error))
    g_socket_service_start (web->service);
  else
    g_clear_pointer (&web, line_web_free);
  return web;
}

void
line_web_free (LineWeb * web)
{
  g_socket_service_stop (web->service);
  g_socket_listener_close (G_SOCKET_LISTENER (web->service));
  g_cancellable_cancel (web->end);
  g_mutex_lock (&web->lock);
  while (web->n_busy > 0)
    g_cond_wait (&web->idle, &web->lock);
  g_mutex_unlock (&web->lock);
  g_thread_pool_free (web->pool, FALSE, TRUE);
  g_object_unref (web->service);
  g_object_unref (web->end);
  g_cond_clear (&web->idle);
  g_mutex_clear (&web->lock);
  g_free (web->publisher);
  g_free (web->pictures);
  g_free (web);
}

guint
line_web_get_port (const LineWeb * web)
{
  return web->port;
}
