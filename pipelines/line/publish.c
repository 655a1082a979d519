/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "publish.h"

#include <errno.h>
#include <unistd.h>

#include "clock.h"
#include "message.h"
#include "publish_link.h"
#include "publish_line.h"
#include "publish_state.h"

/* Microseconds: that a step waits; from one saved position to the next if there
 * is no hurry; from one status to the next; after a refusal, at first and at
 * most */
#define PATIENCE (G_USEC_PER_SEC / 20)
#define SAVE G_USEC_PER_SEC
#define TELL G_USEC_PER_SEC
#define LEAST_REST G_USEC_PER_SEC
#define MOST_REST (30 * G_USEC_PER_SEC)

/* Lines that a step counts ahead, at most */
#define COUNTED 50000

/* Damaged lines of which each is printed; after these, one in so many is. */
#define PRINTED 20
#define PRINTED_LATER 1000

/* Numbers are those of the link: lines before @saved are acknowledged, and that is
 * on the disk; sent - saved < in_flight before another one is sent.
 * @position: behind all that is acknowledged, @done_read lines were read before it
 * @rest, @wait_until: after a refusal */
struct _LinePublisher
{
  const LineConfig *config;
  const LinePublishConfig *publish;
  const LineTransportClass *class;
  LinePublishLink *link;
  LineTransport *transport;
  LineSpoolReader *reader, *ahead;
  char *state_path, *status_path, *target;
  int lock_fd;
  LineSpoolPosition position, saved_position;
  guint64 saved, n_read, n_ahead, done_read;
  gint64 saved_at, told_at, wait_until, rest, connected_at;
  gboolean cannot_save, cannot_tell;
  int read_error;
  guint64 published, acknowledged, damaged, gaps, errors, connections;
  char *last_error;
};

/* What happened */

static void
note_error (LinePublisher * publisher, const char *text)
{
  publisher->errors++;
  g_free (publisher->last_error);
  publisher->last_error = line_message_text (text, -1);
}

/* All that is acknowledged without a gap. */
static void
take_acknowledged (LinePublisher * publisher)
{
  guint n = line_publish_link_take (publisher->link, &publisher->position,
      &publisher->done_read);

  publisher->acknowledged += n;
  if (n > 0)
    publisher->rest = 0;
  LinePublishConnection connection;
  line_publish_link_report (publisher->link, publisher->rest > 0, &connection);
  if (connection.failures > 0) {
    publisher->errors += connection.failures - 1;
    note_error (publisher, connection.why);
  }
  publisher->connections = connection.connections;
  publisher->connected_at = connection.connected_at;
  g_free (connection.why);
  /* what was passed over needs no acknowledgement */
  const LinePublishState state = line_publish_link_get_state (publisher->link);
  if (state.done == state.sent) {
    publisher->position = *line_spool_reader_tell (publisher->reader);
    publisher->done_read = publisher->n_read;
  }
}

static void
save (LinePublisher * publisher)
{
  g_autoptr (GError) error = NULL;

  publisher->saved_at = g_get_monotonic_time ();
  if (line_publish_state_save (publisher->state_path, publisher->config->name,
          &publisher->position, &error)) {
    publisher->saved = line_publish_link_get_state (publisher->link).done;
    publisher->saved_position = publisher->position;
    if (publisher->cannot_save)
      g_printerr ("%s: can be written again\n", publisher->state_path);
  } else {
    note_error (publisher, error->message);
    if (!publisher->cannot_save)
      g_printerr ("%s: nothing is published until that can be written\n",
          error->message);
  }
  publisher->cannot_save = error != NULL;
}

static void
save_if_due (LinePublisher * publisher)
{
  const guint hurry = MAX (publisher->publish->in_flight / 2, 1);
  const gint64 age = g_get_monotonic_time () - publisher->saved_at;

  if (line_spool_compare (&publisher->position, &publisher->saved_position) != 0
      && (age >= SAVE || (!publisher->cannot_save
              && line_publish_link_get_state (publisher->link).done
              - publisher->saved >= hurry)))
    save (publisher);
}

/* Again */

static void
close_transport (LinePublisher * publisher)
{
  if (publisher->transport)
    publisher->class->close (publisher->transport);
  publisher->transport = NULL;
}

gint64
line_publisher_get_rest (gint64 rest)
{
  return rest == 0 ? LEAST_REST : MIN (2 * rest, MOST_REST);
}

/* Something was refused: from the first line on that is not acknowledged all
 * are sent again, by a transport that knows nothing of them. */
static void
go_back (LinePublisher * publisher)
{
  close_transport (publisher);
  take_acknowledged (publisher);
  const LinePublishState state = line_publish_link_get_state (publisher->link);
  line_publish_link_reset (publisher->link);
  if (publisher->saved == state.done)
    publisher->saved = state.sent;
  publisher->rest = line_publisher_get_rest (publisher->rest);
  publisher->wait_until = g_get_monotonic_time () + publisher->rest;
  line_spool_reader_free (publisher->reader);
  publisher->reader = line_spool_reader_new (publisher->config->output,
      &publisher->position);
  publisher->n_read = publisher->done_read;
}

/* Lines */

static void
report_damaged (LinePublisher * publisher, const char *what)
{
  g_autofree char *name = line_spool_reader_name (publisher->reader);
  g_autofree char *text =
      g_strdup_printf ("%s: %s; it is not published", name, what);

  publisher->damaged++;
  note_error (publisher, text);
  if (publisher->damaged <= PRINTED || publisher->damaged % PRINTED_LATER == 0)
    g_printerr ("%s (damaged lines: %" G_GUINT64_FORMAT ")\n", text,
        publisher->damaged);
}

static void
report_gap (LinePublisher * publisher)
{
  g_autofree char *name = line_spool_reader_name (publisher->reader);
  const LineSpoolPosition *next = line_spool_reader_tell (publisher->reader);
  g_autofree char *text =
      g_strdup_printf ("%s and what follows it is not there any more; "
      "going on with segment %u of %s", name, next->segment, next->run);

  publisher->gaps++;
  note_error (publisher, text);
  g_printerr ("%s\n", text);
}

static void
report_read_error (LinePublisher * publisher, int code)
{
  const LineSpoolPosition *at = line_spool_reader_tell (publisher->reader);

  if (code == publisher->read_error)
    return;
  publisher->read_error = code;
  if (code == 0)
    return;
  g_autofree char *text = g_strdup_printf ("segment %u of %s in %s: %s",
      at->segment, at->run, publisher->config->output, g_strerror (code));
  note_error (publisher, text);
  g_printerr ("%s; trying again until it can be read\n", text);
}

static void
send_line (LinePublisher * publisher, const char *text, gsize size)
{
  char topic[LINE_PUBLISH_TOPIC], key[2 * LINE_PUBLISH_NAME];
  LineMessage message = { 0, topic, key, text, size };
  LinePublishKey whose;
  const char *problem = line_publish_parse (text, size, &whose);
  g_autoptr (GError) error = NULL;

  if (!problem && !line_publish_config_topic (publisher->publish, whose.line,
          whose.lane, topic))
    problem = "its \"line\" makes no topic";
  if (problem) {
    report_damaged (publisher, problem);
    return;
  }
  g_snprintf (key, sizeof (key), "%s/%s", whose.line, whose.lane);
  message.number = line_publish_link_add (publisher->link,
      line_spool_reader_tell (publisher->reader), publisher->n_read);
  publisher->published++;
  if (!publisher->class->send (publisher->transport, &message, &error))
    line_publish_link_refuse (publisher->link, error->message);
}

/* Returns: whether there was something to read */
static gboolean
read_line (LinePublisher * publisher)
{
  const char *text;
  gsize size;
  LineSpoolResult result =
      line_spool_reader_next (publisher->reader, &text, &size);

  report_read_error (publisher, result == LINE_SPOOL_ERROR ? errno : 0);
  if (result == LINE_SPOOL_LINE || result == LINE_SPOOL_LONG
      || result == LINE_SPOOL_HALF)
    publisher->n_read++;
  if (result == LINE_SPOOL_LINE)
    send_line (publisher, text, size);
  else if (result == LINE_SPOOL_LONG)
    report_damaged (publisher, "it is longer than any decision");
  else if (result == LINE_SPOOL_HALF)
    report_damaged (publisher, "it has no end: it was cut off");
  else if (result == LINE_SPOOL_GONE)
    report_gap (publisher);
  return result != LINE_SPOOL_WAIT && result != LINE_SPOOL_ERROR;
}

static gboolean
can_send (LinePublisher * publisher)
{
  const LinePublishState state = line_publish_link_get_state (publisher->link);

  return !state.is_refused
      && (publisher->class->can_queue || state.is_connected)
      && state.sent - publisher->saved < publisher->publish->in_flight;
}

/* Returns: whether anything was read */
static gboolean
send_some (LinePublisher * publisher)
{
  gboolean has_read = FALSE;

  for (guint i = 0; i < publisher->publish->in_flight; i++) {
    if (!can_send (publisher) || !read_line (publisher))
      break;
    has_read = TRUE;
  }
  return has_read;
}

static void
write_status (LinePublisher * publisher)
{
  LinePublishStatus status;
  g_autoptr (GError) error = NULL;

  if (g_get_monotonic_time () - publisher->told_at < TELL)
    return;
  publisher->told_at = g_get_monotonic_time ();
  for (guint i = 0; i < COUNTED; i++) {
    const char *text;
    gsize size;
    LineSpoolResult result = line_spool_reader_next (publisher->ahead, &text,
        &size);

    if (result == LINE_SPOOL_WAIT || result == LINE_SPOOL_ERROR)
      break;
    publisher->n_ahead += result != LINE_SPOOL_GONE;
  }
  line_publisher_get_status (publisher, &status);
  if (!line_publish_status_write (publisher->status_path, &status,
          line_clock_now (), &error)) {
    note_error (publisher, error->message);
    if (!publisher->cannot_tell)
      g_printerr ("%s\n", error->message);
  }
  publisher->cannot_tell = error != NULL;
}

void
line_publisher_step (LinePublisher * publisher)
{
  take_acknowledged (publisher);
  save_if_due (publisher);
  if (line_publish_link_get_state (publisher->link).is_refused)
    go_back (publisher);
  if (!publisher->transport
      && g_get_monotonic_time () >= publisher->wait_until) {
    g_autoptr (GError) error = NULL;

    publisher->transport = publisher->class->open (publisher->publish,
        line_publish_link_events (publisher->link), &error);
    if (!publisher->transport)
      line_publish_link_refuse (publisher->link, error->message);
  }
  write_status (publisher);
  if (!publisher->transport || !send_some (publisher))
    line_publish_link_wait (publisher->link, PATIENCE);
}

void
line_publisher_get_status (LinePublisher * publisher,
    LinePublishStatus * status)
{
  const guint64 ahead = publisher->n_ahead;

  *status = (LinePublishStatus) {
    .line = publisher->config->name,.target = publisher->target,
    .last_error = publisher->last_error,.published = publisher->published,
    .acknowledged = publisher->acknowledged,.errors = publisher->errors,
    .damaged = publisher->damaged,.gaps = publisher->gaps,
    .reconnects = MAX (publisher->connections, 1) - 1,
    .connected_at = publisher->connected_at,.position = publisher->position
  };
  status->waiting_lines = ahead - MIN (ahead, publisher->done_read);
  status->waiting_bytes = line_spool_count_bytes (publisher->config->output,
      &publisher->position);
}

/* Start and end */

/* One publisher at a time has a folder. */
static gboolean
take_lock (LinePublisher * publisher, GError ** error)
{
  g_autoptr (LineFolder) folder =
      line_folder_open (publisher->config->output, TRUE, error);

  if (!folder)
    return FALSE;
  publisher->lock_fd = line_folder_write_over (folder, LINE_PUBLISH_LOCK,
      error);
  if (publisher->lock_fd >= 0 && !line_spool_claim (publisher->lock_fd))
    line_fail (error, LINE_ERROR_RUN, "%s: another publisher has this folder: "
        "end it, or leave it to it", publisher->config->output);
  return !*error;
}

static gboolean
open_state (LinePublisher * publisher, GError ** error)
{
  const char *output = publisher->config->output;

  if (!take_lock (publisher, error)
      || !line_publish_state_load (publisher->state_path,
          publisher->config->name, &publisher->position, error))
    return FALSE;
  if (!line_spool_check (output, &publisher->position, error)) {
    g_prefix_error (error, "%s does not belong to these decisions; move it "
        "away, after which all that are still there are published again: ",
        publisher->state_path);
    return FALSE;
  }
  publisher->saved_position = publisher->position;
  publisher->reader = line_spool_reader_new (output, &publisher->position);
  publisher->ahead = line_spool_reader_new (output, &publisher->position);
  return TRUE;
}

LinePublisher *
line_publisher_new (const LineConfig * config,
    const LineTransportClass * transport, GError ** error)
{
  LinePublisher *publisher = g_new0 (LinePublisher, 1);
  const LinePublishConfig *publish = config->publish;
  GError *problem = NULL;

  publisher->config = config;
  publisher->publish = publish;
  publisher->class = transport;
  publisher->lock_fd = -1;
  publisher->state_path = line_publish_state_path (config->output);
  publisher->status_path = line_publish_status_path (config->output);
  publisher->target = publish->transport == LINE_TRANSPORT_KAFKA ?
      g_strdup_printf ("kafka %s", publish->brokers) :
      g_strdup_printf ("mqtt %s:%u", publish->host, publish->port);
  publisher->link = line_publish_link_new (publisher->target);
  if (open_state (publisher, &problem))
    publisher->transport = transport->open (publish,
        line_publish_link_events (publisher->link), &problem);
  if (!problem)
    return publisher;
  g_propagate_error (error, problem);
  line_publisher_free (publisher);
  return NULL;
}

void
line_publisher_free (LinePublisher * publisher)
{
  const gboolean has_begun = publisher->transport != NULL;

  close_transport (publisher);
  if (publisher->reader) {
    take_acknowledged (publisher);
    line_publish_link_reset (publisher->link);
    publisher->connected_at = 0;
    if (line_spool_compare (&publisher->position,
            &publisher->saved_position) != 0)
      save (publisher);
    publisher->told_at = 0;
    if (has_begun)
      write_status (publisher);
    line_spool_reader_free (publisher->reader);
    line_spool_reader_free (publisher->ahead);
  }
  if (publisher->lock_fd >= 0)
    close (publisher->lock_fd);
  g_free (publisher->state_path);
  g_free (publisher->status_path);
  g_free (publisher->target);
  g_free (publisher->last_error);
  line_publish_link_free (publisher->link);
  g_free (publisher);
}
