/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "publisher.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "keep.h"
#include "link.h"
#include "message.h"
#include "state.h"

/* Microseconds: that a step waits; from one saved position to the next if there
 * is no hurry; from one status to the next; after a refusal, at first and at
 * most */
#define PATIENCE (G_USEC_PER_SEC / 20)
#define SAVE G_USEC_PER_SEC
#define TELL G_USEC_PER_SEC
#define LEAST_REST G_USEC_PER_SEC
#define MOST_REST (30 * G_USEC_PER_SEC)

/* Microseconds: that a stream without lines is left alone; from one look at the
 * files behind what is acknowledged to the next */
#define REST (G_USEC_PER_SEC / 50)
#define KEEP (5 * G_USEC_PER_SEC)

/* Bytes on their way after which no line is sent */
#define MOST_BYTES (32 << 20)

/* Damaged lines of which each is printed; after these, one in so many is. */
#define PRINTED 20
#define PRINTED_LATER 1000

/* Numbers are those of the link: lines before @saved are acknowledged, and that is
 * on the disk; sent - saved < in_flight before another one is sent.
 * @next: stream that is read next
 * @progress: for the status
 * @told: names that are no streams
 * @rest, @wait_until: after a refusal */
struct _LinePublisher
{
  const LinePublishSource *source;
  const LinePublishConfig *publish;
  const LinePublishKind *kind;
  const LineTransportClass *class;
  LinePublishLink *link;
  LineTransport *transport;
  GPtrArray *streams;
  GArray *progress;
  GHashTable *told;
  LinePublishKeeper keeper;
  char *state_path, *status_path, *target;
  int lock_fd;
  guint next;
  guint64 saved;
  gint64 saved_at, told_at, kept_at, wait_until, rest, connected_at;
  gboolean cannot_save, cannot_tell;
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

static LinePublishStream *
get_stream (LinePublisher * publisher, guint i)
{
  return g_ptr_array_index (publisher->streams, i);
}

static void
take_news (LinePublisher * publisher)
{
  LinePublishConnection connection;

  line_publish_link_report (publisher->link, publisher->rest > 0, &connection);
  if (connection.failures > 0) {
    publisher->errors += connection.failures - 1;
    note_error (publisher, connection.why);
  }
  publisher->connections = connection.connections;
  publisher->connected_at = connection.connected_at;
  g_free (connection.why);
}

/* All that is acknowledged without a gap. */
static void
take_acknowledged (LinePublisher * publisher)
{
  LinePublishMark mark;

  while (line_publish_link_take (publisher->link, &mark)) {
    LinePublishStream *stream = get_stream (publisher, mark.stream);

    stream->position = mark.end;
    stream->done_read = mark.read;
    stream->on_way--;
    publisher->acknowledged++;
    publisher->rest = 0;
  }
  take_news (publisher);
  /* what was passed over needs no acknowledgement */
  for (guint i = 0; i < publisher->streams->len; i++) {
    LinePublishStream *stream = get_stream (publisher, i);

    if (stream->on_way == 0) {
      stream->position = *line_spool_reader_tell (stream->reader);
      stream->done_read = stream->n_read;
    }
  }
}

static gboolean
is_saved (LinePublisher * publisher)
{
  for (guint i = 0; i < publisher->streams->len; i++) {
    const LinePublishStream *stream = get_stream (publisher, i);

    if (!line_spool_is_same (&stream->position, &stream->saved))
      return FALSE;
  }
  return TRUE;
}

static gboolean
write_state (LinePublisher * publisher, GError ** error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < publisher->streams->len; i++) {
    const LinePublishStream *stream = get_stream (publisher, i);

    line_publish_state_add (publisher->kind, text, stream->name,
        &stream->position);
  }
  return line_publish_state_write (publisher->state_path, text, error);
}

static void
save (LinePublisher * publisher)
{
  g_autoptr (GError) error = NULL;

  publisher->saved_at = g_get_monotonic_time ();
  if (write_state (publisher, &error)) {
    publisher->saved = line_publish_link_get_state (publisher->link).done;
    for (guint i = 0; i < publisher->streams->len; i++)
      get_stream (publisher, i)->saved = get_stream (publisher, i)->position;
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
  const guint64 done = line_publish_link_get_state (publisher->link).done;

  if (is_saved (publisher))
    publisher->saved = done;
  else if (age >= SAVE || (!publisher->cannot_save
          && done - publisher->saved >= hurry))
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
  for (guint i = 0; i < publisher->streams->len; i++)
    line_publish_stream_go_back (get_stream (publisher, i), publisher->kind);
}

/* Lines */

static void
report_damaged (LinePublisher * publisher, LinePublishStream * stream,
    const char *what)
{
  g_autofree char *name = line_spool_reader_name (stream->reader);
  g_autofree char *text =
      g_strdup_printf ("%s: %s; it is not published", name, what);

  publisher->damaged++;
  note_error (publisher, text);
  if (publisher->damaged <= PRINTED || publisher->damaged % PRINTED_LATER == 0)
    g_printerr ("%s (damaged lines: %" G_GUINT64_FORMAT ")\n", text,
        publisher->damaged);
}

static void
report_gap (LinePublisher * publisher, LinePublishStream * stream,
    const char *what)
{
  g_autofree char *name = line_spool_reader_name (stream->reader);
  const LineSpoolPosition *next = line_spool_reader_tell (stream->reader);
  g_autofree char *segment = publisher->kind->files->has_segments ?
      g_strdup_printf ("segment %u of ", next->segment) : g_strdup ("");
  g_autofree char *text = g_strdup_printf ("%s%s; going on with %s%s", name,
      what, segment, next->run);

  publisher->gaps++;
  note_error (publisher, text);
  g_printerr ("%s\n", text);
  line_publish_stream_count_anew (stream, publisher->kind);
}

static void
report_read_error (LinePublisher * publisher, LinePublishStream * stream,
    int code)
{
  if (code == stream->read_error)
    return;
  stream->read_error = code;
  if (code == 0)
    return;
  g_autofree char *name = line_spool_reader_name (stream->reader);
  g_autofree char *text = g_strdup_printf ("%s: %s", name, g_strerror (code));
  note_error (publisher, text);
  g_printerr ("%s; trying again until it can be read\n", text);
}

static void
send_line (LinePublisher * publisher, LinePublishStream * stream, guint i,
    const char *text, gsize size)
{
  char topic[LINE_PUBLISH_TOPIC], words[LINE_PUBLISH_NAMES * LINE_PUBLISH_NAME];
  LineMessage message = { 0, topic, words, text, size };
  LinePublishKey key = { {""} };
  const char *problem = publisher->kind->parse (text, size, stream->name, &key);
  g_autoptr (GError) error = NULL;

  if (!problem && !line_publish_config_topic (publisher->publish, &key, topic))
    problem = publisher->kind->no_topic;
  if (problem) {
    report_damaged (publisher, stream, problem);
    return;
  }
  g_snprintf (words, sizeof (words), "%s%s%s", key.names[0],
      *key.names[1] ? "/" : "", key.names[1]);
  const LinePublishMark mark = { i, size, stream->n_read,
    *line_spool_reader_tell (stream->reader)
  };
  message.number = line_publish_link_add (publisher->link, &mark);
  stream->on_way++;
  publisher->published++;
  if (!publisher->class->send (publisher->transport, &message, &error))
    line_publish_link_refuse (publisher->link, error->message);
}

/* Returns: whether there was something to read */
static gboolean
read_line (LinePublisher * publisher, guint i)
{
  LinePublishStream *stream = get_stream (publisher, i);
  const char *text;
  gsize size;

  if (g_get_monotonic_time () < stream->rest_until)
    return FALSE;
  const LineSpoolPosition before = *line_spool_reader_tell (stream->reader);
  LineSpoolResult result = line_spool_reader_next (stream->reader, &text,
      &size);
  if (*before.run && publisher->kind->has_streams && strcmp (before.run,
          line_spool_reader_tell (stream->reader)->run) != 0)
    line_publish_stream_leave (stream, before.run, before.offset);

  report_read_error (publisher, stream, result == LINE_SPOOL_ERROR ? errno : 0);
  if (result == LINE_SPOOL_LINE || result == LINE_SPOOL_LONG
      || result == LINE_SPOOL_HALF)
    stream->n_read++;
  if (result == LINE_SPOOL_LINE)
    send_line (publisher, stream, i, text, size);
  else if (result == LINE_SPOOL_LONG)
    report_damaged (publisher, stream, "it is too long");
  else if (result == LINE_SPOOL_HALF)
    report_damaged (publisher, stream, "it has no end: it was cut off");
  else if (result == LINE_SPOOL_GONE)
    report_gap (publisher, stream, " and what follows it is not there any more");
  else if (result == LINE_SPOOL_CHANGED)
    report_gap (publisher, stream, ": what was read up to there is not there any "
        "more: the file was truncated, or is another one");
  else
    stream->rest_until = g_get_monotonic_time () + REST;
  return result != LINE_SPOOL_WAIT && result != LINE_SPOOL_ERROR;
}

static gboolean
can_send (LinePublisher * publisher)
{
  const LinePublishState state = line_publish_link_get_state (publisher->link);

  return !state.is_refused
      && (publisher->class->can_queue || state.is_connected)
      && state.bytes < MOST_BYTES
      && state.sent - publisher->saved < publisher->publish->in_flight;
}

/* A line of each stream in turn. Returns: whether anything was read */
static gboolean
send_some (LinePublisher * publisher)
{
  const guint n = publisher->streams->len;
  guint n_read = 0, n_empty = 0;

  while (n_read < publisher->publish->in_flight && n_empty < n
      && can_send (publisher)) {
    if (read_line (publisher, publisher->next++ % n)) {
      n_read++;
      n_empty = 0;
    } else {
      n_empty++;
    }
  }
  return n_read > 0;
}

static void
look_after_files (LinePublisher * publisher)
{
  const gint64 now = g_get_monotonic_time ();

  if (!publisher->kind->has_streams)
    return;
  line_publish_streams_find (publisher->streams, publisher->kind,
      publisher->source->folder, publisher->told);
  if (publisher->kept_at != 0 && now - publisher->kept_at < KEEP)
    return;
  publisher->kept_at = now;
  line_publish_keeper_check (&publisher->keeper, publisher->streams,
      g_get_real_time ());
}

static void
write_status (LinePublisher * publisher)
{
  LinePublishStatus status;
  g_autoptr (GError) error = NULL;

  line_publisher_get_status (publisher, &status);
  if (!line_publish_status_write (publisher->status_path, &status,
          line_clock_now (), &error)) {
    note_error (publisher, error->message);
    if (!publisher->cannot_tell)
      g_printerr ("%s\n", error->message);
  }
  publisher->cannot_tell = error != NULL;
}

static void
tell_if_due (LinePublisher * publisher)
{
  if (g_get_monotonic_time () - publisher->told_at < TELL)
    return;
  publisher->told_at = g_get_monotonic_time ();
  look_after_files (publisher);
  for (guint i = 0; i < publisher->streams->len; i++)
    line_publish_stream_look_ahead (get_stream (publisher, i));
  write_status (publisher);
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
  tell_if_due (publisher);
  if (!publisher->transport || !send_some (publisher))
    line_publish_link_wait (publisher->link, PATIENCE);
}

void
line_publisher_get_status (LinePublisher * publisher,
    LinePublishStatus * status)
{
  *status = (LinePublishStatus) {
    .kind = publisher->kind,.name = publisher->source->name,
    .target = publisher->target,.last_error = publisher->last_error,
    .published = publisher->published,.acknowledged = publisher->acknowledged,
    .reconnects = MAX (publisher->connections, 1) - 1,
    .errors = publisher->errors,.damaged = publisher->damaged,
    .gaps = publisher->gaps + publisher->keeper.gaps,
    .deleted = publisher->keeper.deleted,
    .connected_at = publisher->connected_at
  };
  g_array_set_size (publisher->progress, 0);
  for (guint i = 0; i < publisher->streams->len; i++) {
    const LinePublishStream *stream = get_stream (publisher, i);
    const LinePublishProgress one = { stream->name,
      stream->n_ahead - MIN (stream->n_ahead, stream->done_read),
      line_spool_reader_count (stream->reader, &stream->position),
      stream->position
    };

    status->waiting_lines += one.waiting_lines;
    status->waiting_bytes += one.waiting_bytes;
    g_array_append_val (publisher->progress, one);
  }
  status->streams = (const LinePublishProgress *) publisher->progress->data;
  status->n_streams = publisher->progress->len;
}

/* Start and end */

/* One publisher at a time has a folder. */
static gboolean
take_lock (LinePublisher * publisher, GError ** error)
{
  const char *path = publisher->source->folder;
  g_autoptr (LineFolder) folder = line_folder_open (path, TRUE, error);

  if (!folder)
    return FALSE;
  publisher->lock_fd = line_folder_write_over (folder, LINE_PUBLISH_LOCK,
      error);
  if (publisher->lock_fd >= 0 && !line_folder_claim (publisher->lock_fd))
    line_fail (error, LINE_ERROR_RUN, "%s: another publisher has this folder: "
        "end it, or leave it to it", path);
  return !*error;
}

/* Whether a stream that the state knows takes no room of others: where there is
 * none left, one whose folder is gone does. */
static gboolean
is_kept (GHashTable * positions, const char *path)
{
  return g_hash_table_size (positions) < LINE_PUBLISH_STREAMS
      || access (path, F_OK) == 0;
}

/* The streams that are there, and those that the state knows. */
static gboolean
open_streams (LinePublisher * publisher, GHashTable * positions,
    GError ** error)
{
  const char *folder = publisher->source->folder;
  const char *name = publisher->source->name;
  LineSpoolPosition position;
  GHashTableIter iter;
  gpointer key, value;

  if (!publisher->kind->has_streams) {
    if (!line_publish_state_find (positions, publisher->state_path, name,
            &position, error))
      return FALSE;
    line_publish_stream_add (publisher->streams, publisher->kind, name, folder,
        &position);
    return TRUE;
  }
  g_hash_table_iter_init (&iter, positions);
  while (g_hash_table_iter_next (&iter, &key, &value)) {
    g_autofree char *path = g_build_filename (folder, key, NULL);

    if (is_kept (positions, path))
      line_publish_stream_add (publisher->streams, publisher->kind, key, path,
          value);
  }
  return TRUE;
}

static gboolean
open_state (LinePublisher * publisher, GError ** error)
{
  if (!take_lock (publisher, error))
    return FALSE;
  g_autoptr (GHashTable) positions = line_publish_state_read (publisher->kind,
      publisher->state_path, error);
  return positions && open_streams (publisher, positions, error);
}

LinePublisher *
line_publisher_new (const LinePublishSource * source,
    const LineTransportClass * transport, GError ** error)
{
  LinePublisher *publisher = g_new0 (LinePublisher, 1);
  const LinePublishConfig *publish = source->publish;
  GError *problem = NULL;

  publisher->source = source;
  publisher->publish = publish;
  publisher->kind = publish->kind;
  publisher->class = transport;
  publisher->lock_fd = -1;
  publisher->streams = line_publish_streams_new ();
  publisher->progress = g_array_new (FALSE, FALSE,
      sizeof (LinePublishProgress));
  publisher->told = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      NULL);
  publisher->keeper = (LinePublishKeeper) {source->keep_bytes,
    source->keep_days, g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
        NULL)};
  publisher->state_path = line_publish_state_path (source->folder);
  publisher->status_path = line_publish_status_path (source->folder);
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
  take_acknowledged (publisher);
  line_publish_link_reset (publisher->link);
  publisher->connected_at = 0;
  if (!is_saved (publisher))
    save (publisher);
  if (has_begun)
    write_status (publisher);
  if (publisher->lock_fd >= 0)
    close (publisher->lock_fd);
  g_ptr_array_unref (publisher->streams);
  g_array_unref (publisher->progress);
  g_hash_table_unref (publisher->told);
  g_hash_table_unref (publisher->keeper.late);
  g_free (publisher->state_path);
  g_free (publisher->status_path);
  g_free (publisher->target);
  g_free (publisher->last_error);
  line_publish_link_free (publisher->link);
  g_free (publisher);
}
