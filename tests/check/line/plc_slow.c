/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A PLC at the other end of a connection that answers byte for byte: the whole
 * answer has the time, not each of its bytes. */

#include <string.h>

#include <gio/gio.h>

#include "plc_link.h"

/* Of requests for one register, and of what answers them */
#define REQUEST 15
#define ANSWER 12
#define REGISTER 100

/* @pause_ms: before each byte of an answer; 0: it is one piece
 * @n: bytes that were sent until the other side was gone, or the answer whole */
typedef struct
{
  GSocket *listener;
  GThread *thread;
  guint16 port;
  guint pause_ms, n;
} Plc;

static gboolean
read_request (GSocket * socket, guint8 * request)
{
  for (gsize n = 0; n < REQUEST;) {
    const gssize more = g_socket_receive (socket, (char *) request + n,
        REQUEST - n, NULL, NULL);

    if (more <= 0)
      return FALSE;
    n += more;
  }
  return TRUE;
}

/* Returns: FALSE if the other side has gone */
static gboolean
send_byte (Plc * plc, GSocket * socket, guint8 byte)
{
  return !g_socket_condition_timed_wait (socket, G_IO_IN | G_IO_HUP,
      plc->pause_ms * 1000, NULL, NULL)
      && g_socket_send (socket, (char *) &byte, 1, NULL, NULL) == 1;
}

static gpointer
answer (gpointer user)
{
  Plc *plc = user;
  GSocket *socket = g_socket_accept (plc->listener, NULL, NULL);
  guint8 request[REQUEST], bytes[ANSWER];

  g_assert_nonnull (socket);
  g_assert_true (read_request (socket, request));
  /* that it was written, which repeats where and how many */
  memcpy (bytes, request, ANSWER);
  bytes[5] = ANSWER - 6;
  if (plc->pause_ms == 0)
    plc->n = g_socket_send (socket, (char *) bytes, ANSWER, NULL, NULL);
  while (plc->n < ANSWER && send_byte (plc, socket, bytes[plc->n]))
    plc->n++;
  g_object_unref (socket);
  return NULL;
}

static void
start (Plc * plc, guint pause_ms)
{
  GInetAddress *loopback = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  GSocketAddress *address = g_inet_socket_address_new (loopback, 0);

  *plc = (Plc) {.pause_ms = pause_ms };
  plc->listener = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_STREAM,
      G_SOCKET_PROTOCOL_TCP, NULL);
  g_assert_true (g_socket_bind (plc->listener, address, TRUE, NULL));
  g_assert_true (g_socket_listen (plc->listener, NULL));
  g_object_unref (address);
  address = g_socket_get_local_address (plc->listener, NULL);
  plc->port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (address));
  g_object_unref (address);
  g_object_unref (loopback);
  plc->thread = g_thread_new ("plc", answer, plc);
}

static void
end (Plc * plc)
{
  g_thread_join (plc->thread);
  g_object_unref (plc->listener);
}

/* Returns: what is written to a PLC of @pause_ms with @timeout_ms came to */
static LinePlcAnswer
write_one (guint pause_ms, guint timeout_ms, guint * n_sent)
{
  const guint16 value = 7;
  GError *error = NULL;
  Plc plc;
  LinePlcConfig config;
  LinePlcLink *link;
  LinePlcAnswer answer;

  start (&plc, pause_ms);
  config = (LinePlcConfig) {.address = (char *) "127.0.0.1",.port = plc.port,
    .unit = 1,.timeout_ms = timeout_ms
  };
  link = line_plc_link_new (&config, &error);
  g_assert_no_error (error);
  g_assert_cmpint (line_plc_link_open (link), ==, LINE_PLC_ANSWER_OK);
  answer = line_plc_link_write (link, REGISTER, &value, 1);
  g_assert_cmpint (line_plc_link_is_open (link), ==,
      answer == LINE_PLC_ANSWER_OK);
  line_plc_link_free (link);
  end (&plc);
  *n_sent = plc.n;
  return answer;
}

static void
test_whole (void)
{
  guint n;

  g_assert_cmpint (write_one (0, 60000, &n), ==, LINE_PLC_ANSWER_OK);
  g_assert_cmpuint (n, ==, ANSWER);
}

static void
test_in_time (void)
{
  guint n;

  g_assert_cmpint (write_one (2, 10000, &n), ==, LINE_PLC_ANSWER_OK);
  g_assert_cmpuint (n, ==, ANSWER);
}

/* Each byte comes in time, the answer does not. */
static void
test_drip (void)
{
  guint n;

  g_assert_cmpint (write_one (150, 400, &n), ==, LINE_PLC_ANSWER_SILENT);
  g_assert_cmpuint (n, <, ANSWER);
}

int
main (int argc, char **argv)
{
  const LinePlcConfig any = {.address = (char *) "127.0.0.1",.port = 502,
    .unit = 1,.timeout_ms = 1
  };
  LinePlcLink *link = line_plc_link_new (&any, NULL);

  /* a build without libmodbus */
  if (!link)
    return 77;
  line_plc_link_free (link);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plc/slow/whole", test_whole);
  g_test_add_func ("/plc/slow/in-time", test_in_time);
  g_test_add_func ("/plc/slow/drip", test_drip);
  return g_test_run ();
}
