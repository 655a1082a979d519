/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define _GNU_SOURCE             /* F_SETPIPE_SZ */
#include "network.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* Bytes that a pipe may hold, the most that everybody may ask for: a tensor of
 * megabytes takes few turns then. */
#define PIPE_SIZE (1 << 20)

#define HEAD_WORDS 5
#define HEAD_SIZE (HEAD_WORDS * 4)

/* Microseconds: from one start to the next; that a child has to end, by itself
 * and after SIGTERM; that a run waits for that; from one look at it to the
 * next */
#define RESTART G_USEC_PER_SEC
#define TIME_TO_END (G_USEC_PER_SEC / 2)
#define TIME_TO_TERMINATE (G_USEC_PER_SEC / 5)
#define REAP_TIME (G_USEC_PER_SEC / 50)
#define LOOK 2000

struct _LineNetwork
{
  char **argv, *folder;
  guint rows, columns, classes;
  /* 0 without a child; one that was told to end may be there without pipes */
  GPid pid;
  /* -1 without one */
  int to, from, cancel;
  gint is_cancelled;
  gint64 started_at, told_to_end_at;
  gboolean is_loaded;
  guint32 tag;
};

/* A picture on its way there, and a tensor on its way back. */
typedef struct
{
  guint8 out_head[HEAD_SIZE], in_head[HEAD_SIZE];
  const guint8 *rgb;
  guint8 *tensor;
  gsize out_size, in_size, sent, got;
} Exchange;

/* Child */

/* Returns: whether it has ended, within @time microseconds */
static gboolean
wait_for_end (GPid pid, gint64 time)
{
  const gint64 end = g_get_monotonic_time () + time;
  pid_t got;

  for (;;) {
    got = waitpid (pid, NULL, WNOHANG);
    if (got == pid || (got < 0 && errno != EINTR))
      return TRUE;
    if (g_get_monotonic_time () >= end)
      return FALSE;
    g_usleep (LOOK);
  }
}

/* Waits @time microseconds. Returns: whether there is no child any more */
static gboolean
reap_child (LineNetwork * network, gint64 time)
{
  if (network->pid && wait_for_end (network->pid, time)) {
    g_spawn_close_pid (network->pid);
    network->pid = 0;
  }
  return network->pid == 0;
}

static void
close_pipe (int *pipe)
{
  if (*pipe >= 0)
    close (*pipe);
  *pipe = -1;
}

static void
close_pipes (LineNetwork * network)
{
  close_pipe (&network->to);
  close_pipe (&network->from);
  network->is_loaded = FALSE;
}

/* A line does not wait for a child that does not heed this: before the next
 * start it is killed. */
static void
tell_to_end (LineNetwork * network)
{
  if (!network->pid)
    return;
  kill (network->pid, SIGTERM);
  network->told_to_end_at = g_get_monotonic_time ();
}

/* Returns: FALSE with @error set if there is one that should have ended */
static gboolean
end_old_child (LineNetwork * network, GError ** error)
{
  const gint64 time = g_get_monotonic_time () - network->told_to_end_at;

  if (network->pid && time >= TIME_TO_TERMINATE)
    kill (network->pid, SIGKILL);
  if (reap_child (network, REAP_TIME))
    return TRUE;
  return line_fail (error, LINE_ERROR_RUN, "the network \"%s\" is started "
      "again when its last process (%d) has ended", network->argv[0],
      (int) network->pid);
}

static gboolean
is_soon (const LineNetwork * network, GError ** error)
{
  const gint64 now = g_get_monotonic_time ();

  if (!network->started_at || now - network->started_at >= RESTART)
    return FALSE;
  line_fail (error, LINE_ERROR_RUN, "the network \"%s\" was started less than "
      "a second ago, and is not there any more", network->argv[0]);
  return TRUE;
}

/* Of this side of the pipes; GLib gives the child no other descriptors. */
static gboolean
set_up_pipe (int pipe, GError ** error)
{
#ifdef F_SETPIPE_SZ
  /* slower without, but no worse */
  fcntl (pipe, F_SETPIPE_SZ, PIPE_SIZE);
#endif
  return fcntl (pipe, F_SETFD, FD_CLOEXEC) == 0
      && g_unix_set_fd_nonblocking (pipe, TRUE, error);
}

static gboolean
start_child (LineNetwork * network, GError ** error)
{
  if (is_soon (network, error) || !end_old_child (network, error))
    return FALSE;
  network->started_at = g_get_monotonic_time ();
  network->told_to_end_at = 0;
  if (!g_spawn_async_with_pipes (network->folder, network->argv, NULL,
          G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
          &network->pid, &network->to, &network->from, NULL, error)) {
    g_prefix_error (error, "the network \"%s\" cannot be started: ",
        network->argv[0]);
    network->pid = 0;
    network->to = network->from = -1;
    return FALSE;
  }
  return set_up_pipe (network->to, error) && set_up_pipe (network->from, error);
}

/* Exchange */

static void
begin (LineNetwork * network, Exchange * exchange)
{
  const guint32 words[HEAD_WORDS] = { 0, ++network->tag, network->rows,
    network->columns, 3
  };
  const gsize pixels = (gsize) network->rows * network->columns;

  for (guint i = 0; i < HEAD_WORDS; i++) {
    const guint32 word = GUINT32_TO_LE (words[i]);

    memcpy (exchange->out_head + 4 * i, &word, 4);
  }
  memcpy (exchange->out_head, "FLNP", 4);
  exchange->out_size = HEAD_SIZE + 3 * pixels;
  exchange->in_size = HEAD_SIZE + pixels * network->classes * sizeof (gfloat);
  exchange->sent = exchange->got = 0;
}

static guint32
read_word (const guint8 * head, guint index)
{
  guint32 word;

  memcpy (&word, head + 4 * index, 4);
  return GUINT32_FROM_LE (word);
}

static gboolean
check_head (const LineNetwork * network, const guint8 * head, GError ** error)
{
  if (memcmp (head, "FLNT", 4) != 0)
    return line_fail (error, LINE_ERROR_RUN, "the network answers with bytes "
        "%02x %02x %02x %02x, which begin no tensor (FLNT): does it print "
        "something else to its standard output?", head[0], head[1], head[2],
        head[3]);
  if (read_word (head, 1) != network->tag)
    return line_fail (error, LINE_ERROR_RUN, "the network answers picture %u, "
        "and was given %u", read_word (head, 1), network->tag);
  if (read_word (head, 2) != network->rows
      || read_word (head, 3) != network->columns
      || read_word (head, 4) != network->classes)
    return line_fail (error, LINE_ERROR_RUN, "the network's tensor has %u "
        "rows, %u columns and %u classes; %u, %u and %u are needed",
        read_word (head, 2), read_word (head, 3), read_word (head, 4),
        network->rows, network->columns, network->classes);
  return TRUE;
}

/* Whether there is just nothing to read or write now, which is no failure. */
static gboolean
is_busy (gssize n)
{
  return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

static gboolean
send_some (LineNetwork * network, Exchange * exchange, GError ** error)
{
  const gboolean is_head = exchange->sent < HEAD_SIZE;
  const guint8 *from = is_head ? exchange->out_head + exchange->sent :
      exchange->rgb + exchange->sent - HEAD_SIZE;
  const gssize n = write (network->to, from,
      (is_head ? HEAD_SIZE : exchange->out_size) - exchange->sent);

  if (n < 0 && !is_busy (n))
    return line_fail (error, LINE_ERROR_RUN, "the network has ended after %"
        G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " bytes of a picture: %s",
        exchange->sent, exchange->out_size, g_strerror (errno));
  exchange->sent += MAX (n, 0);
  return TRUE;
}

static gboolean
receive_some (LineNetwork * network, Exchange * exchange, GError ** error)
{
  const gboolean is_head = exchange->got < HEAD_SIZE;
  guint8 *to = is_head ? exchange->in_head + exchange->got :
      exchange->tensor + exchange->got - HEAD_SIZE;
  const gssize n = read (network->from, to,
      (is_head ? HEAD_SIZE : exchange->in_size) - exchange->got);

  if (n == 0 || (n < 0 && !is_busy (n)))
    return line_fail (error, LINE_ERROR_RUN, "the network has ended after %"
        G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " bytes of its answer%s%s",
        exchange->got, exchange->in_size, n < 0 ? ": " : "", n < 0 ?
        g_strerror (errno) : "");
  exchange->got += MAX (n, 0);
  return !is_head || exchange->got < HEAD_SIZE
      || check_head (network, exchange->in_head, error);
}

/* A child that answers before it has read its picture has to read it all the
 * same, or the next one would begin in its middle. */
static gboolean
exchange_some (LineNetwork * network, Exchange * exchange, gint64 end,
    GError ** error)
{
  const gint64 left = end - g_get_monotonic_time ();
  struct pollfd fds[] = {
    {network->cancel, POLLIN, 0},
    {exchange->got < exchange->in_size ? network->from : -1, POLLIN, 0},
    {exchange->sent < exchange->out_size ? network->to : -1, POLLOUT, 0},
  };

  if (left <= 0)
    return line_fail (error, LINE_ERROR_RUN, "the network has not answered in "
        "time: %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " bytes have come",
        exchange->got, exchange->in_size);
  if (poll (fds, G_N_ELEMENTS (fds), (int) MIN (left / 1000 + 1, 60000)) < 0) {
    if (errno == EINTR)
      return TRUE;
    return line_fail (error, LINE_ERROR_RUN, "poll: %s", g_strerror (errno));
  }
  if (fds[0].revents)
    return line_fail (error, LINE_ERROR_STOPPED, "the network is not waited "
        "for: the line ends");
  return (!fds[2].revents || send_some (network, exchange, error))
      && (!fds[1].revents || receive_some (network, exchange, error));
}

static void
swap_floats (gfloat * floats, gsize n)
{
#if G_BYTE_ORDER == G_BIG_ENDIAN
  for (gsize i = 0; i < n; i++) {
    guint32 bits;

    memcpy (&bits, &floats[i], sizeof (bits));
    bits = GUINT32_FROM_LE (bits);
    memcpy (&floats[i], &bits, sizeof (bits));
  }
#endif
}

gboolean
line_network_run (LineNetwork * network, const guint8 * rgb, gfloat * tensor,
    gint64 timeout, GError ** error)
{
  const gint64 end = g_get_monotonic_time () + timeout;
  Exchange exchange = {.rgb = rgb,.tensor = (guint8 *) tensor };
  gboolean good = TRUE;

  /* when it is cancelled, the exchange fails */
  if (network->to < 0 && !g_atomic_int_get (&network->is_cancelled))
    good = start_child (network, error);
  begin (network, &exchange);
  while (good && !(exchange.sent == exchange.out_size
          && exchange.got == exchange.in_size))
    good = exchange_some (network, &exchange, end, error);
  if (!good && network->to >= 0) {
    close_pipes (network);
    tell_to_end (network);
    reap_child (network, REAP_TIME);
  } else if (good) {
    network->is_loaded = TRUE;
    swap_floats (tensor, (exchange.in_size - HEAD_SIZE) / sizeof (gfloat));
  }
  return good;
}

gboolean
line_network_is_loaded (const LineNetwork * network)
{
  return network->is_loaded;
}

LineNetwork *
line_network_new (const char *const *argv, const char *folder, guint rows,
    guint columns, guint classes, GError ** error)
{
  LineNetwork *network = g_new0 (LineNetwork, 1);

  network->argv = g_strdupv ((char **) argv);
  network->folder = g_strdup (folder);
  network->rows = rows;
  network->columns = columns;
  network->classes = classes;
  network->to = network->from = -1;
  network->cancel = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (network->cancel < 0)
    line_fail (error, LINE_ERROR_RUN, "eventfd: %s", g_strerror (errno));
  if (network->cancel < 0 || !start_child (network, error)) {
    line_network_free (network);
    return NULL;
  }
  return network;
}

void
line_network_free (LineNetwork * network)
{
  close_pipes (network);
  if (!network->told_to_end_at && !reap_child (network, TIME_TO_END))
    tell_to_end (network);
  if (!reap_child (network, TIME_TO_TERMINATE)) {
    kill (network->pid, SIGKILL);
    while (!reap_child (network, G_USEC_PER_SEC));
  }
  close_pipe (&network->cancel);
  g_strfreev (network->argv);
  g_free (network->folder);
  g_free (network);
}

void
line_network_cancel (LineNetwork * network)
{
  const guint64 one = 1;

  g_atomic_int_set (&network->is_cancelled, TRUE);
  if (write (network->cancel, &one, sizeof (one)) < 0)
    g_printerr ("eventfd: %s\n", g_strerror (errno));
}
