/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A PLC at the other end of a connection that answers byte for byte: the whole
 * answer has the time, not each of its bytes; one that is busy until a piece has
 * arrived; and one that takes one piece at a time. */

#include <string.h>

#include <gio/gio.h>

#include "plc.h"
#include "plc_link.h"
#include "publish/clock.h"

/* Bytes of requests that write one register, and read two, and of the answers; of
 * one that is an exception */
#define WRITE 15
#define WRITTEN 12
#define READ 12
#define IS_READ 13
#define EXCEPTION 9
#define REGISTER 100

/* @pause_ms: before each byte of an answer; 0: it is one piece
 * @is_read: what it is asked; else one register is written
 * @exception: of the protocol, that it answers with; 0 for none
 * @n: bytes that were sent until the other side was gone, or the answer whole */
typedef struct
{
  GSocket *listener;
  GThread *thread;
  guint16 port;
  guint pause_ms, n;
  gboolean is_read;
  guint8 exception;
} Plc;

static gboolean
read_request (GSocket * socket, guint8 * request, gsize size)
{
  for (gsize n = 0; n < size;) {
    const gssize more = g_socket_receive (socket, (char *) request + n,
        size - n, NULL, NULL);

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

/* Returns: its size */
static guint
make_answer (const Plc * plc, const guint8 * request, guint8 * bytes)
{
  static const guint8 read[] = { 4, 0x12, 0x34, 0x56, 0x78 };

  memcpy (bytes, request, WRITTEN);
  if (plc->exception) {
    bytes[5] = EXCEPTION - 6;
    bytes[7] |= 0x80;
    bytes[8] = plc->exception;
    return EXCEPTION;
  }
  if (!plc->is_read) {
    /* that it was written, which repeats where and how many */
    bytes[5] = WRITTEN - 6;
    return WRITTEN;
  }
  bytes[5] = IS_READ - 6;
  memcpy (bytes + 8, read, sizeof (read));
  return IS_READ;
}

static gpointer
answer_slowly (gpointer user)
{
  Plc *plc = user;
  g_autoptr (GSocket) socket = g_socket_accept (plc->listener, NULL, NULL);
  guint8 request[WRITE], bytes[IS_READ];

  g_assert_nonnull (socket);
  g_assert_true (read_request (socket, request, plc->is_read ? READ : WRITE));
  guint size = make_answer (plc, request, bytes);
  if (plc->pause_ms == 0)
    plc->n = g_socket_send (socket, (char *) bytes, size, NULL, NULL);
  while (plc->n < size && send_byte (plc, socket, bytes[plc->n]))
    plc->n++;
  return NULL;
}

static void
start (Plc * plc, GThreadFunc serve)
{
  GInetAddress *loopback = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  GSocketAddress *address = g_inet_socket_address_new (loopback, 0);

  plc->listener = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_STREAM,
      G_SOCKET_PROTOCOL_TCP, NULL);
  g_assert_true (g_socket_bind (plc->listener, address, TRUE, NULL));
  g_assert_true (g_socket_listen (plc->listener, NULL));
  g_object_unref (address);
  address = g_socket_get_local_address (plc->listener, NULL);
  plc->port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (address));
  g_object_unref (address);
  g_object_unref (loopback);
  plc->thread = g_thread_new ("plc", serve, plc);
}

static void
end (Plc * plc)
{
  g_thread_join (plc->thread);
  g_object_unref (plc->listener);
}

static LinePlcAnswer
ask (LinePlcLink * link, gboolean is_read)
{
  guint16 values[2] = { 7 };

  if (!is_read)
    return line_plc_link_write (link, REGISTER, values, 1);
  LinePlcAnswer answer = line_plc_link_read (link, REGISTER, values, 2);
  if (answer == LINE_PLC_ANSWER_OK) {
    g_assert_cmpuint (values[0], ==, 0x1234);
    g_assert_cmpuint (values[1], ==, 0x5678);
  }
  return answer;
}

/* Returns: what asking the PLC with @timeout_ms came to. Answers that are
 * exceptions leave the connection as it is. */
static LinePlcAnswer
ask_plc (Plc plc, guint timeout_ms, guint * n_sent)
{
  GError *error = NULL;
  LinePlcConfig config;

  start (&plc, answer_slowly);
  config = (LinePlcConfig) {.address = (char *) "127.0.0.1",.port = plc.port,
    .unit = 1,.timeout_ms = timeout_ms
  };
  LinePlcLink *link = line_plc_link_new (&config, &error);
  g_assert_no_error (error);
  g_assert_cmpint (line_plc_link_open (link), ==, LINE_PLC_ANSWER_OK);
  LinePlcAnswer answer = ask (link, plc.is_read);
  g_assert_cmpint (line_plc_link_is_open (link), ==,
      answer == LINE_PLC_ANSWER_OK || plc.exception);
  line_plc_link_free (link);
  end (&plc);
  *n_sent = plc.n;
  return answer;
}

static LinePlcAnswer
ask_one (gboolean is_read, guint pause_ms, guint timeout_ms, guint * n_sent)
{
  return ask_plc ((Plc) {.is_read = is_read,.pause_ms = pause_ms}, timeout_ms,
      n_sent);
}

static void
test_whole (gconstpointer is_read)
{
  const gboolean reads = GPOINTER_TO_INT (is_read);
  guint n;

  g_assert_cmpint (ask_one (reads, 0, 60000, &n), ==, LINE_PLC_ANSWER_OK);
  g_assert_cmpuint (n, ==, reads ? IS_READ : WRITTEN);
}

static void
test_in_time (gconstpointer is_read)
{
  const gboolean reads = GPOINTER_TO_INT (is_read);
  guint n;

  g_assert_cmpint (ask_one (reads, 2, 10000, &n), ==, LINE_PLC_ANSWER_OK);
  g_assert_cmpuint (n, ==, reads ? IS_READ : WRITTEN);
}

/* Each byte comes in time, the answer does not. */
static void
test_drip (gconstpointer is_read)
{
  guint n;

  g_assert_cmpint (ask_one (GPOINTER_TO_INT (is_read), 150, 400, &n), ==,
      LINE_PLC_ANSWER_SILENT);
  g_assert_cmpuint (n, <, WRITTEN);
}

/* The protocol's: one who is busy, or whose gateway waits, is asked again. */
static void
test_exceptions (gconstpointer is_read)
{
  static const struct
  {
    guint8 exception;
    LinePlcAnswer answer;
  } cases[] = {
    {1, LINE_PLC_ANSWER_REFUSED}, {2, LINE_PLC_ANSWER_REFUSED},
    {3, LINE_PLC_ANSWER_REFUSED}, {4, LINE_PLC_ANSWER_REFUSED},
    {5, LINE_PLC_ANSWER_BUSY}, {6, LINE_PLC_ANSWER_BUSY},
    {7, LINE_PLC_ANSWER_REFUSED}, {8, LINE_PLC_ANSWER_REFUSED},
    {10, LINE_PLC_ANSWER_REFUSED}, {11, LINE_PLC_ANSWER_BUSY},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    guint n;

    g_assert_cmpint (ask_plc ((Plc) {.is_read = GPOINTER_TO_INT (is_read),
                .exception = cases[i].exception}, 10000, &n), ==,
        cases[i].answer);
    g_assert_cmpuint (n, ==, EXCEPTION);
  }
}

/* @plc: what the server is started by. @n: requests that write a piece; the first
 * is answered when @arrival has passed */
typedef struct
{
  Plc plc;
  GMutex lock;
  GCond changed;
  gint64 arrival;
  guint n;
} BusyPlc;

/* A request that writes any values. Returns: FALSE if the other side has gone */
static gboolean
read_write (GSocket * socket, guint8 * request, gboolean * is_piece)
{
  *is_piece = FALSE;
  if (!read_request (socket, request, 6)
      || !read_request (socket, request + 6, request[5]))
    return FALSE;
  for (guint i = 13; i < 6u + request[5]; i++)
    *is_piece |= request[i] != 0;
  return TRUE;
}

static void
be_busy (BusyPlc * busy, gboolean is_piece, guint8 * exception)
{
  g_mutex_lock (&busy->lock);
  busy->n += is_piece;
  *exception = is_piece && busy->n == 1 ? 6 : 0;
  gint64 arrival = busy->arrival;
  g_cond_signal (&busy->changed);
  g_mutex_unlock (&busy->lock);
  while (*exception && line_clock_now () <= arrival)
    g_usleep (1000);
}

static gpointer
answer_busily (gpointer user)
{
  BusyPlc *busy = user;
  g_autoptr (GSocket) socket = g_socket_accept (busy->plc.listener, NULL, NULL);
  guint8 request[6 + 255], bytes[IS_READ];
  gboolean is_piece;

  while (read_write (socket, request, &is_piece)) {
    Plc plc = { 0 };

    be_busy (busy, is_piece, &plc.exception);
    g_socket_send (socket, (char *) bytes, make_answer (&plc, request, bytes),
        NULL, NULL);
  }
  return NULL;
}

/* Pieces arrive after @arrival_ms, of which @slots have room. */
static LineConfig *
configure (guint port, guint arrival_ms, guint slots)
{
  char *text = g_strdup_printf ("[line]\nname=test\nrecipe=r.ini\noutput=out\n"
      "deadline-ms=50\n[geometry]\ncolumns=32\nrows=8\nmm-per-pixel=5\n"
      "cups=1\ncup-first=15\ncup-pitch=30\ntilt=0;0\n[lane a]\n"
      "source=simulate\n[plc]\naddress=127.0.0.1\nport=%u\nregister=100\n"
      "slots=%u\narrival-ms=%u\ntimeout-ms=10000\n", port, slots, arrival_ms);
  GError *error = NULL;
  LineConfig *config = line_config_parse ("line.ini", text, strlen (text),
      &error);

  g_assert_no_error (error);
  g_free (text);
  return config;
}

/* Returns: whether the PLC was asked to take it before it arrived */
static gboolean
send_piece (BusyPlc * busy, LinePlc * line, guint number)
{
  const LinePiece piece = {.piece = number,.trigger_time = line_clock_now () };
  const LineOutcome outcome = {.outlet = 3 };
  const LineDecision decision = {.piece = &piece,.outcome = &outcome };

  g_mutex_lock (&busy->lock);
  busy->arrival = piece.trigger_time + 300 * G_GINT64_CONSTANT (1000000);
  line_plc_send (line, 0, &decision);
  while (busy->n == 0 && g_cond_wait_until (&busy->changed, &busy->lock,
          line_clock_to_monotonic (busy->arrival)));
  gboolean is_there = busy->n > 0;
  g_mutex_unlock (&busy->lock);
  return is_there;
}

/* A piece that arrives while the PLC is busy is not written again, for its slot
 * may be another one's. */
static void
test_arrival (void)
{
  const LineRun run = { 1 };
  BusyPlc busy = { {0} };
  LinePlcCounts counts;
  guint n = 0;

  start (&busy.plc, answer_busily);
  g_autoptr (LineConfig) config = configure (busy.plc.port, 300, 8);
  LinePlc *line = line_plc_new (config, &run, NULL, NULL, NULL, NULL);
  while (!send_piece (&busy, line, n++));
  line_plc_close (line);
  line_plc_get_counts (line, &counts);
  g_assert_cmpuint (busy.n, ==, 1);
  g_assert_cmpuint (counts.late, ==, n);
  g_assert_cmpuint (counts.written, ==, 0);
  g_assert_cmpuint (counts.errors, ==, 1);
  line_plc_free (line);
  end (&busy.plc);
}

/* @plc: what the server is started by. @numbers: of the pieces that were written;
 * @n: how many, with the one that is not answered before @is_open; @n_refused:
 * requests of several pieces */
typedef struct
{
  Plc plc;
  GMutex lock;
  GCond changed;
  gboolean is_open;
  guint n, n_refused, numbers[8];
} NarrowPlc;

/* Bytes of a slot, of which the fourth and fifth words are the piece's number */
#define SLOT 24

/* Returns: the exception that it is answered with, or 0 */
static guint8
take_slots (NarrowPlc * narrow, const guint8 * request, gboolean is_piece)
{
  guint8 exception = 0;

  g_mutex_lock (&narrow->lock);
  if (is_piece && request[12] > SLOT) {
    narrow->n_refused++;
    exception = 3;
  } else if (is_piece) {
    g_assert_cmpuint (narrow->n, <, G_N_ELEMENTS (narrow->numbers));
    narrow->numbers[narrow->n++] = request[13 + 6] << 8 | request[13 + 7];
  }
  g_cond_signal (&narrow->changed);
  while (is_piece && !narrow->is_open)
    g_cond_wait (&narrow->changed, &narrow->lock);
  g_mutex_unlock (&narrow->lock);
  return exception;
}

static gpointer
answer_narrowly (gpointer user)
{
  NarrowPlc *narrow = user;
  GSocket *socket = g_socket_accept (narrow->plc.listener, NULL, NULL);
  guint8 request[6 + 255], bytes[IS_READ];
  gboolean is_piece;

  while (read_write (socket, request, &is_piece)) {
    const Plc plc = {.exception = take_slots (narrow, request, is_piece) };

    g_socket_send (socket, (char *) bytes, make_answer (&plc, request, bytes),
        NULL, NULL);
  }
  g_object_unref (socket);
  return NULL;
}

static GString *messages;

static void
take_message (const char *text)
{
  g_string_append (messages, text);
}

static void
send_pieces (LinePlc * line, guint first, guint n)
{
  for (guint i = first; i < first + n; i++) {
    const LinePiece piece = {.piece = i,.trigger_time = line_clock_now () };
    const LineOutcome outcome = {.outlet = 3 };
    const LineDecision decision = {.piece = &piece,.outcome = &outcome };

    line_plc_send (line, 0, &decision);
  }
}

/* Two pieces that have come while it was silent are refused together, and written
 * one by one then; all of it is told. */
static void
test_narrow (void)
{
  static const char *const said[] = { ": answers\n", ": refuses ",
    ": takes "
  };
  const GPrintFunc printerr = g_set_printerr_handler (take_message);
  const LineRun run = { 1 };
  NarrowPlc narrow = { {0} };
  LinePlcCounts counts;

  messages = g_string_new (NULL);
  start (&narrow.plc, answer_narrowly);
  g_autoptr (LineConfig) config = configure (narrow.plc.port, 60000, 1300);
  LinePlc *line = line_plc_new (config, &run, NULL, NULL, NULL, NULL);
  send_pieces (line, 1, 1);
  g_mutex_lock (&narrow.lock);
  while (narrow.n == 0)
    g_cond_wait (&narrow.changed, &narrow.lock);
  send_pieces (line, 2, 2);
  narrow.is_open = TRUE;
  g_cond_signal (&narrow.changed);
  while (narrow.n < 3 && narrow.n_refused < 2)
    g_cond_wait (&narrow.changed, &narrow.lock);
  g_mutex_unlock (&narrow.lock);
  line_plc_close (line);
  g_set_printerr_handler (printerr);
  line_plc_get_counts (line, &counts);
  g_assert_cmpuint (narrow.n_refused, ==, 1);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpuint (narrow.numbers[i], ==, i + 1);
  g_assert_cmpuint (counts.written, ==, 3);
  g_assert_cmpuint (counts.refused, ==, 0);
  g_assert_cmpuint (counts.late, ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (said); i++) {
    const char *at = strstr (messages->str, said[i]);

    if (!at || strstr (at + 1, said[i]))
      g_error ("not once \"%s\": %s", said[i], messages->str);
  }
  line_plc_free (line);
  end (&narrow.plc);
  g_string_free (messages, TRUE);
}

static void
add (const char *what, gboolean is_read, GTestDataFunc function)
{
  g_autofree char *path = g_strdup_printf ("/plc/slow/%s/%s", is_read ? "read"
      : "write", what);

  g_test_add_data_func (path, GINT_TO_POINTER (is_read), function);
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
  for (gint is_read = 0; is_read < 2; is_read++) {
    add ("whole", is_read, test_whole);
    add ("in-time", is_read, test_in_time);
    add ("drip", is_read, test_drip);
    add ("exceptions", is_read, test_exceptions);
  }
  g_test_add_func ("/plc/slow/arrival", test_arrival);
  g_test_add_func ("/plc/slow/narrow", test_narrow);
  return g_test_run ();
}
