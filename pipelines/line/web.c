/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "web.h"

#include <errno.h>
#include <gio/gio.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

#include "web_command.h"

/* Clients of an address, and of all but this machine */
#define MOST_OF_ONE 16
#define MOST_REMOTE 48
#define MOST_CLIENTS (MOST_REMOTE + MOST_OF_ONE)

/* Microseconds that a client has for its request, to take its answer, and to
 * see that it has it all; that it waits for a command of its own; for which nobody
 * is accepted if that fails */
#define REQUEST_TIME (2 * G_USEC_PER_SEC)
#define ANSWER_TIME (10 * G_USEC_PER_SEC)
#define FAREWELL_TIME (G_USEC_PER_SEC / 2)
#define COMMAND_TIME (10 * G_USEC_PER_SEC)
#define PAUSE (G_USEC_PER_SEC / 2)

/* The thread rests for so many times the time that it has worked, but not for
 * more microseconds at once: clients have a quarter of a core at most. */
#define REST 3
#define MOST_REST (G_USEC_PER_SEC / 20)

/* Bytes of a request, and of what is sent to a client before it is another
 * one's turn */
#define MOST_REQUEST 8192
#define TURN (64 << 10)

/* Of the clients of this machine */
#define LOOPBACK 0

/* What is waited for besides clients: the end, the listener, and answers to
 * commands */
#define OTHERS 3

/* Only a command has a body, and is carried out by somebody else meanwhile. In
 * the farewell the client closes first, so that it sees all that was sent:
 * closing while something of it is unread would take back what is on its
 * way. */
typedef enum
{
  PHASE_REQUEST,
  PHASE_BODY,
  PHASE_COMMAND,
  PHASE_ANSWER,
  PHASE_FAREWELL,
} Phase;

/* @place: LOOPBACK, or the same for all clients of an address
 * @end: when it is closed
 * @ticket: of its command, of no other client's
 * @size: of what there is of the request
 * @body: where the body begins, which has @length bytes; @who sends it
 * @head: of the answer, with its body if that is in memory
 * @left: bytes of the answer's file
 * @done: of the head, then of the file */
typedef struct
{
  GSocket *socket;
  guint64 place;
  gint64 end;
  Phase phase;
  guint64 ticket;
  char request[MOST_REQUEST];
  gsize size, body, length;
  const char *who;
  LineWebAnswer answer;
  GString *head;
  guint64 done;
} Client;

/* @clients: those that came first are first */
struct _LineWeb
{
  LineWebSources sources;
  LineTokens *tokens;
  LineWebCommands *commands;
  guint64 tickets;
  GInetAddress *address;
  char **hosts;
  guint port;
  GSocket *listener;
  GThread *thread;
  GCancellable *end;
  GPtrArray *clients;
  gint64 paused_until;
};

/* Clients */

static void
free_client (gpointer data)
{
  Client *client = data;

  g_socket_close (client->socket, NULL);
  g_object_unref (client->socket);
  line_web_answer_clear (&client->answer);
  if (client->head)
    g_string_free (client->head, TRUE);
  g_free (client);
}

static guint64
find_place (GSocket * socket)
{
  g_autoptr (GSocketAddress) remote =
      g_socket_get_remote_address (socket, NULL);
  GInetAddress *address = remote ? g_inet_socket_address_get_address
      (G_INET_SOCKET_ADDRESS (remote)) : NULL;
  const guint8 *bytes = address ? g_inet_address_to_bytes (address) : NULL;
  guint64 place = G_MAXUINT64;

  if (address && g_inet_address_get_is_loopback (address)) {
    place = LOOPBACK;
  } else if (bytes && g_inet_address_get_family (address)
      == G_SOCKET_FAMILY_IPV4) {
    place = GUINT32_FROM_BE (*(const guint32 *) bytes);
  } else if (bytes) {
    const guint8 mapped[12] = {[10] = 0xff, 0xff };

    memcpy (&place, bytes, sizeof (place));
    place = GUINT64_FROM_BE (place);
    if (memcmp (bytes, mapped, sizeof (mapped)) == 0) {
      /* an IPv4 address at a socket of IPv6 */
      place = ((guint32) bytes[12] << 24) | (bytes[13] << 16)
          | (bytes[14] << 8) | bytes[15];
      place = bytes[12] == 127 ? LOOPBACK : place;
    }
  }
  return place;
}

static guint
count_clients (const LineWeb * web, guint64 place)
{
  guint n = 0;

  for (guint i = 0; i < web->clients->len; i++)
    n += ((const Client *) web->clients->pdata[i])->place == place;
  return n;
}

/* The place of the remote client whose place has the most; of several that has
 * the one that came first. */
static guint64
find_fullest (const LineWeb * web)
{
  guint64 fullest = LOOPBACK;
  guint most = 0;

  for (guint i = 0; i < web->clients->len; i++) {
    const guint64 place = ((const Client *) web->clients->pdata[i])->place;
    const guint n = place == LOOPBACK ? 0 : count_clients (web, place);

    if (n > most) {
      most = n;
      fullest = place;
    }
  }
  return fullest;
}

static void
drop_first (LineWeb * web, guint64 place)
{
  for (guint i = 0; i < web->clients->len; i++) {
    if (((const Client *) web->clients->pdata[i])->place == place) {
      g_ptr_array_remove_index (web->clients, i);
      return;
    }
  }
}

/* Answers */

static void
begin_answer (Client * client, LineWebAnswer answer, gboolean is_head)
{
  g_autofree char *head = line_web_answer_get_head (&answer);

  client->head = g_string_new (head);
  if (!is_head && answer.body)
    g_string_append_len (client->head, answer.body, answer.size);
  if (is_head || answer.body)
    line_web_answer_clear (&answer);
  client->answer = answer;
  client->phase = PHASE_ANSWER;
  client->end = g_get_monotonic_time () + ANSWER_TIME;
}

/* @request: of a command, whose head has @size bytes */
static void
begin_command (const LineWeb * web, Client * client,
    const LineWebRequest * request, gsize size)
{
  const gboolean is_own = !request->origin
      || line_web_request_is_for (request->origin, web->address,
      (const char *const *) web->hosts);
  LineWebAnswer refusal;

  if (!line_web_commands_check (web->commands, request, is_own, &client->who,
          &refusal)) {
    begin_answer (client, refusal, FALSE);
  } else if (size + request->length > MOST_REQUEST - 1) {
    begin_answer (client, line_web_answer_refuse ("413 Content Too Large",
            NULL), FALSE);
  } else {
    client->body = size;
    client->length = request->length;
    client->phase = PHASE_BODY;
  }
}

/* Once its body is there */
static void
ask_command (const LineWeb * web, Client * client)
{
  LineWebAnswer refusal;

  if (client->size - client->body < client->length)
    return;
  client->phase = PHASE_COMMAND;
  client->end = g_get_monotonic_time () + COMMAND_TIME;
  if (!line_web_commands_ask (web->commands, client->who,
          client->request + client->body, client->length, client->ticket,
          &refusal))
    begin_answer (client, refusal, FALSE);
}

static void
answer_request (const LineWeb * web, Client * client, gsize size)
{
  LineWebRequest request;

  const char first = client->request[size];
  client->request[size] = '\0';
  const char *refusal = line_web_request_parse (client->request, size,
      &request);
  client->request[size] = first;
  if (request.host && !line_web_request_is_for (request.host, web->address,
          (const char *const *) web->hosts))
    begin_answer (client, line_web_answer_refuse ("421 Misdirected Request",
            "This line is not known by the name that it was asked for by: ask "
            "for its address,\nor add the name to \"hosts\" in [line] of its "
            "configuration.\n"), FALSE);
  else if (refusal)
    begin_answer (client, line_web_answer_refuse (refusal, NULL), FALSE);
  else if (request.is_command)
    begin_command (web, client, &request, size);
  else
    begin_answer (client, line_web_answer (&web->sources, request.path),
        request.is_head);
}

/* These functions return FALSE if the client is finished or gone, and TRUE,
 * having done nothing, if it is not ready. */

static gboolean
is_waiting (GError * error)
{
  const gboolean is = g_error_matches (error, G_IO_ERROR,
      G_IO_ERROR_WOULD_BLOCK);

  g_clear_error (&error);
  return is;
}

static gboolean
read_request (const LineWeb * web, Client * client)
{
  const gsize room = MOST_REQUEST - 1 - client->size;
  GError *error = NULL;
  gssize n = g_socket_receive_with_blocking (client->socket,
      client->request + client->size, room, FALSE, NULL, &error);

  if (n < 0)
    return is_waiting (error);
  if (n == 0)
    return FALSE;
  client->size += n;
  gsize size = client->phase == PHASE_BODY ? 0 : line_web_request_find_end
      (client->request, client->size);
  if (size > 0)
    answer_request (web, client, size);
  if (client->phase == PHASE_BODY)
    ask_command (web, client);
  else if (client->phase == PHASE_REQUEST && (gsize) n == room)
    begin_answer (client, line_web_answer_refuse
        ("431 Request Header Fields Too Large", NULL), FALSE);
  return TRUE;
}

/* Returns: bytes at @data that are to be sent now; 0 if there are no more, or
 * the file is shorter than it was */
static gsize
find_data (Client * client, char *buffer, const char **data)
{
  const LineWebAnswer *answer = &client->answer;
  gssize n;

  if (client->head) {
    *data = client->head->str + client->done;
    return MIN (client->head->len - client->done, TURN);
  }
  *data = buffer;
  if (answer->fd < 0 || client->done >= answer->size)
    return 0;
  do
    n = pread (answer->fd, buffer, MIN (answer->size - client->done, TURN),
        client->done);
  while (n < 0 && errno == EINTR);
  return MAX (n, 0);
}

static gboolean
send_answer (Client * client)
{
  char buffer[TURN];
  const char *data;
  const gsize size = find_data (client, buffer, &data);
  GError *error = NULL;

  if (size == 0) {
    client->phase = PHASE_FAREWELL;
    client->end = g_get_monotonic_time () + FAREWELL_TIME;
    return client->done >= client->answer.size
        && g_socket_shutdown (client->socket, FALSE, TRUE, NULL);
  }
  gssize n = g_socket_send_with_blocking (client->socket, data, size, FALSE,
      NULL, &error);
  if (n < 0)
    return is_waiting (error);
  client->done += n;
  if (client->head && client->done == client->head->len) {
    g_string_free (g_steal_pointer (&client->head), TRUE);
    client->done = 0;
  }
  return TRUE;
}

static gboolean
say_farewell (Client * client)
{
  char buffer[MOST_REQUEST];
  GError *error = NULL;
  gssize n = g_socket_receive_with_blocking (client->socket, buffer,
      sizeof (buffer), FALSE, NULL, &error);

  return n > 0 || (n < 0 && is_waiting (error));
}

static gboolean
serve (const LineWeb * web, Client * client)
{
  if (client->phase <= PHASE_BODY && !read_request (web, client))
    return FALSE;
  switch (client->phase) {
    case PHASE_ANSWER:
      return send_answer (client);
    case PHASE_FAREWELL:
      return say_farewell (client);
    default:
      return TRUE;
  }
}

/* Answers to commands go to those who still wait for them. */
static void
deliver_answers (LineWeb * web)
{
  LineWebAnswer answer;
  guint64 ticket;

  while (line_web_commands_take (web->commands, &ticket, &answer)) {
    Client *found = NULL;

    for (guint i = 0; i < web->clients->len && !found; i++) {
      Client *client = web->clients->pdata[i];

      if (client->ticket == ticket && client->phase == PHASE_COMMAND)
        found = client;
    }
    if (found)
      begin_answer (found, answer, FALSE);
    else
      line_web_answer_clear (&answer);
  }
}

/* Returns: FALSE if the client's time is over */
static gboolean
give_time (Client * client, gint64 now)
{
  if (now < client->end)
    return TRUE;
  if (client->phase != PHASE_COMMAND)
    return FALSE;
  begin_answer (client, line_web_commands_put_off (), FALSE);
  return TRUE;
}

/* The thread */

/* As many as an address may have, so that all of them are looked at before one
 * of them has to go. */
static void
accept_clients (LineWeb * web)
{
  for (guint i = 0; i < MOST_OF_ONE; i++) {
    GError *error = NULL;
    GSocket *socket = g_socket_accept (web->listener, NULL, &error);

    if (!socket) {
      /* there may be no more descriptors, and then it would fail at once */
      if (!is_waiting (error))
        web->paused_until = g_get_monotonic_time () + PAUSE;
      return;
    }
    Client *client = g_new0 (Client, 1);
    g_socket_set_blocking (socket, FALSE);
    g_socket_set_option (socket, IPPROTO_TCP, TCP_NODELAY, 1, NULL);
    client->socket = socket;
    client->place = find_place (socket);
    client->answer.fd = -1;
    client->ticket = ++web->tickets;
    client->end = g_get_monotonic_time () + REQUEST_TIME;
    if (count_clients (web, client->place) >= MOST_OF_ONE)
      drop_first (web, client->place);
    else if (client->place != LOOPBACK
        && web->clients->len - count_clients (web, LOOPBACK) >= MOST_REMOTE)
      drop_first (web, find_fullest (web));
    g_ptr_array_add (web->clients, client);
  }
}

/* What a client is waited for to do */
static gushort
get_events (const Client * client)
{
  return client->phase == PHASE_ANSWER ? G_IO_OUT :
      client->phase == PHASE_COMMAND ? 0 : G_IO_IN;
}

/* Waits until there is something to do. @polls: the others, and the clients */
static void
wait_for_work (LineWeb * web, GPollFD polls[OTHERS + MOST_CLIENTS])
{
  gint64 now = g_get_monotonic_time (), end = now + G_USEC_PER_SEC;

  polls[1].events = now < web->paused_until ? 0 : G_IO_IN;
  if (now < web->paused_until)
    end = MIN (end, web->paused_until);
  for (guint i = 0; i < web->clients->len; i++) {
    const Client *client = web->clients->pdata[i];

    polls[OTHERS + i] = (GPollFD) {
    g_socket_get_fd (client->socket), get_events (client), 0};
    end = MIN (end, client->end);
  }
  g_poll (polls, OTHERS + web->clients->len,
      (gint) ((MAX (end - now, 0) + 999) / 1000));
}

static gpointer
run (gpointer data)
{
  LineWeb *web = data;
  GPollFD polls[OTHERS + MOST_CLIENTS] = { {0} };

  g_cancellable_make_pollfd (web->end, &polls[0]);
  polls[1].fd = g_socket_get_fd (web->listener);
  polls[2] = (GPollFD) {
  line_web_commands_get_fd (web->commands), G_IO_IN, 0};
  while (!g_cancellable_is_cancelled (web->end)) {
    wait_for_work (web, polls);
    gint64 begin = g_get_monotonic_time ();
    /* Clients that are there come first: a new one may take the place of one of
     * them. */
    const gint64 now = g_get_monotonic_time ();
    for (guint i = web->clients->len; i-- > 0;) {
      Client *client = web->clients->pdata[i];

      if (!give_time (client, now) || (polls[OTHERS + i].revents
              && (client->phase == PHASE_COMMAND || !serve (web, client))))
        g_ptr_array_remove_index (web->clients, i);
    }
    if (polls[2].revents)
      deliver_answers (web);
    if (polls[1].revents)
      accept_clients (web);
    g_usleep (MIN (REST * (g_get_monotonic_time () - begin), MOST_REST));
  }
  g_cancellable_release_fd (web->end);
  return NULL;
}

/* Start and end */

static gboolean
listen_at (LineWeb * web, guint port, GError ** error)
{
  g_autoptr (GSocketAddress) address =
      g_inet_socket_address_new (web->address, port);
  g_autoptr (GSocketAddress) bound = NULL;

  web->listener = g_socket_new (g_inet_address_get_family (web->address),
      G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, error);
  if (web->listener) {
    g_socket_set_blocking (web->listener, FALSE);
    g_socket_set_listen_backlog (web->listener, 4 * MOST_CLIENTS);
    if (g_socket_bind (web->listener, address, TRUE, error)
        && g_socket_listen (web->listener, error))
      bound = g_socket_get_local_address (web->listener, error);
  }
  if (!bound) {
    g_prefix_error (error, "the page at port %u: ", port);
    return FALSE;
  }
  web->port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound));
  return TRUE;
}

LineWeb *
line_web_new (const char *address, guint port, const char *const *hosts,
    const LineWebSources * sources, LineTokens * tokens, GError ** error)
{
  LineWeb *web = g_new0 (LineWeb, 1);

  web->sources = *sources;
  web->sources.recipes = g_strdup (sources->recipes);
  web->sources.publisher = g_strdup (sources->publisher);
  web->tokens = tokens;
  web->address = g_inet_address_new_from_string (address);
  web->hosts = g_strdupv ((char **) hosts);
  web->end = g_cancellable_new ();
  web->clients = g_ptr_array_new_with_free_func (free_client);
  if (!web->address)
    line_fail (error, LINE_ERROR_INVALID, "\"%s\" is no address, as 127.0.0.1 "
        "is", address);
  else if (listen_at (web, port, error) && (web->commands =
          line_web_commands_new (sources->commander, tokens, error)))
    web->thread = g_thread_try_new ("line-web", run, web, error);
  if (!web->thread)
    g_clear_pointer (&web, line_web_free);
  return web;
}

void
line_web_free (LineWeb * web)
{
  g_cancellable_cancel (web->end);
  if (web->thread)
    g_thread_join (web->thread);
  g_ptr_array_unref (web->clients);
  g_clear_object (&web->listener);
  g_clear_object (&web->address);
  g_object_unref (web->end);
  g_strfreev (web->hosts);
  g_clear_pointer (&web->commands, line_web_commands_free);
  g_clear_pointer (&web->tokens, line_tokens_free);
  g_free (web->sources.recipes);
  g_free (web->sources.publisher);
  g_free (web);
}

guint
line_web_get_port (const LineWeb * web)
{
  return web->port;
}
