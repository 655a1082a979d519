/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The publisher with a transport of the test's own: what is sent, again, and in
 * what order; its state and status; what is no decision. */

#include "check.h"
#include "checks.h"
#include "full.h"
#include "publish/link.h"
#include "publish/publisher.h"
#include "publish/state.h"
#include "publish_line.h"
#include "publish_metrics.h"
#include "spool_files.h"
#include "watched.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#define RUN "2026-01-02T03-04-05Z"
#define IN_FLIGHT 4

/* The other side: messages in the order in which they come. One transport at a
 * time is open. */
typedef struct
{
  guint64 number;
  char *topic, *key, *text;
} Arrival;

static const LineTransportEvents *other_side;
static GArray *arrivals;
static guint n_opened;

static LineTransport *
open_transport (const LinePublishConfig * config,
    const LineTransportEvents * events, GError ** error)
{
  other_side = events;
  n_opened++;
  return (LineTransport *) & n_opened;
}

static gboolean
send_message (LineTransport * transport, const LineMessage * message,
    GError ** error)
{
  Arrival arrival = { message->number, g_strdup (message->topic),
    g_strdup (message->key), g_strndup (message->data, message->size)
  };

  g_array_append_val (arrivals, arrival);
  return TRUE;
}

static void
close_transport (LineTransport * transport)
{
  other_side = NULL;
}

static const LineTransportClass transport_class = {
  FALSE, open_transport, send_message, close_transport
};

static void
clear_arrival (gpointer data)
{
  Arrival *arrival = data;

  g_free (arrival->topic);
  g_free (arrival->key);
  g_free (arrival->text);
}

/* The line */

static LinePublishConfig publish;
static LinePublishSource source;
static char *spool;
static guint n_written;

static void
start (const char *what)
{
  begin ("%s", what);
  publish = (LinePublishConfig) {.kind = &line_publish_decisions,.host = (char *) "broker",.port = 1883,
    .topic = (char *) "{line}/x/{lane}",.in_flight = IN_FLIGHT
  };
  source = (LinePublishSource) {.name = (char *) "line1",.publish = &publish };
  source.folder = g_dir_make_tmp ("publish-XXXXXX", NULL);
  g_autofree char *folder = g_build_filename (source.folder, RUN, NULL);
  g_assert_cmpint (g_mkdir (folder, 0777), ==, 0);
  spool = g_build_filename (folder, "decisions.jsonl", NULL);
  arrivals = g_array_new (FALSE, FALSE, sizeof (Arrival));
  g_array_set_clear_func (arrivals, clear_arrival);
  n_opened = n_written = 0;
}

static void
stop (void)
{
  const char *const names[] = { "publisher.state", "publisher.state.new",
    "publisher.state.lock", "publisher.json", "publisher.json.new"
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = g_build_filename (source.folder, names[i], NULL);

    g_unlink (path);
  }
  g_unlink (spool);
  *strrchr (spool, '/') = '\0';
  g_rmdir (spool);
  expect (g_rmdir (source.folder) == 0, "something is left behind");
  g_array_unref (arrivals);
  g_clear_pointer (&spool, g_free);
  g_clear_pointer (&source.folder, g_free);
  end ();
}

static void
append (const char *text)
{
  FILE *file = fopen (spool, "a");

  g_assert_true (file && fputs (text, file) >= 0 && fclose (file) == 0);
}

static char *
make_line (guint piece)
{
  return g_strdup_printf ("{\"schema\":\"fruit-line/1\",\"line\":\"l\",\"lane\":"
      "\"a\",\"piece\":%u}", piece);
}

static void
write_lines (guint n)
{
  for (guint i = 0; i < n; i++) {
    g_autofree char *line = make_line (n_written++);

    append (line);
    append ("\n");
  }
}

static void
step (LinePublisher * publisher, guint n)
{
  for (guint i = 0; i < n; i++)
    line_publisher_step (publisher);
}

static LinePublisher *
open_publisher (void)
{
  GError *error = NULL;
  LinePublisher *publisher =
      line_publisher_new (&source, &transport_class, &error);

  expect (publisher != NULL, "%s", error ? error->message : "");
  g_assert_nonnull (publisher);
  return publisher;
}

static void
connect_now (void)
{
  other_side->changed (TRUE, NULL, other_side->user);
}

/* The arrivals from @from on acknowledge as they came. */
static void
acknowledge (guint from, guint n)
{
  for (guint i = from; i < from + n; i++)
    other_side->acknowledged (g_array_index (arrivals, Arrival, i).number,
        other_side->user);
}

/* That @n arrivals have come, those from @from on being pieces from @piece on. */
static void
expect_arrivals (guint n, guint from, guint piece)
{
  expect (arrivals->len == n, "%u arrivals in place of %u", arrivals->len, n);
  for (guint i = from; i < arrivals->len; i++) {
    const Arrival *arrival = &g_array_index (arrivals, Arrival, i);
    g_autofree char *line = make_line (piece + i - from);

    expect (strcmp (arrival->text, line) == 0, "%s in place of %s",
        arrival->text, line);
    expect (strcmp (arrival->topic, "l/x/a") == 0
        && strcmp (arrival->key, "l/a") == 0, "%s, %s", arrival->topic,
        arrival->key);
  }
}

/* Tests */

CHECK (window)
{
  LinePublishStatus status;

  start ("no more lines are on their way than may be, in whatever order they "
      "are acknowledged");
  write_lines (10);
  LinePublisher *publisher = open_publisher ();
  step (publisher, 2);
  expect_arrivals (0, 0, 0);
  connect_now ();
  step (publisher, 3);
  expect_arrivals (IN_FLIGHT, 0, 0);
  /* the first one is missing */
  acknowledge (1, 3);
  step (publisher, 3);
  expect_arrivals (IN_FLIGHT, 0, 0);
  line_publisher_get_status (publisher, &status);
  expect (status.acknowledged == 0 && status.waiting_bytes > 0, "counts");
  acknowledge (0, 1);
  step (publisher, 3);
  expect_arrivals (2 * IN_FLIGHT, 0, 0);
  /* twice, and what was never sent */
  acknowledge (0, 8);
  other_side->acknowledged (1000000, other_side->user);
  step (publisher, 3);
  acknowledge (8, 2);
  step (publisher, 2);
  line_publisher_get_status (publisher, &status);
  expect (status.acknowledged == 10 && status.published == 10
      && status.waiting_lines == 0 && status.waiting_bytes == 0, "the end");
  line_publisher_free (publisher);
  stop ();
}

/* As a kill would leave it: the state that is on the disk at that time. */
CHECK (again)
{
  g_autofree char *before = NULL;
  gsize size;

  start ("after a kill less is sent again than may be on its way");
  g_autofree char *state = line_publish_state_path (source.folder);
  write_lines (12);
  LinePublisher *publisher = open_publisher ();
  connect_now ();
  step (publisher, 2);
  acknowledge (0, 4);
  step (publisher, 2);
  acknowledge (4, 1);
  step (publisher, 1);
  g_assert_true (g_file_get_contents (state, &before, &size, NULL));
  expect_arrivals (8, 0, 0);
  line_publisher_free (publisher);
  /* the end has saved the fifth, a kill would not have */
  g_assert_true (g_file_set_contents (state, before, size, NULL));
  g_array_set_size (arrivals, 0);
  publisher = open_publisher ();
  connect_now ();
  step (publisher, 2);
  expect_arrivals (4, 0, 4);
  acknowledge (0, 4);
  line_publisher_free (publisher);
  /* an end saves what was acknowledged until then */
  g_array_set_size (arrivals, 0);
  publisher = open_publisher ();
  connect_now ();
  step (publisher, 2);
  expect_arrivals (4, 0, 8);
  line_publisher_free (publisher);
  stop ();
}

/* A publisher that has ended has no connection. */
static void
expect_last_status (void)
{
  g_autofree char *path = line_publish_status_path (source.folder);
  g_autofree char *text = line_publish_status_read (path);

  expect (text && strstr (text, "\"connected_since_ns\": null")
      && strstr (text, "\"acknowledged\": 5"), "%s", text);
}

/* The other transport's lines have the places of the first one's. */
CHECK (late_word)
{
  LinePublishMark mark = { 0, 5, 1, {RUN, 1, 1, 1} }, got;
  LinePublishLink *link = line_publish_link_new ("broker");
  const LineTransportEvents *events = line_publish_link_events (link);
  guint n = 0;

  begin ("an acknowledgement of a line that was given up");
  line_publish_link_add (link, &mark);
  line_publish_link_add (link, &mark);
  expect (line_publish_link_get_state (link).bytes == 10, "bytes of two");
  line_publish_link_reset (link);
  for (guint i = 2; i < LINE_PUBLISH_WINDOW; i++)
    events->acknowledged (line_publish_link_add (link, &mark), events->user);
  while (line_publish_link_take (link, &got))
    n++;
  expect (n == LINE_PUBLISH_WINDOW - 2, "%u taken", n);
  mark.read = 7;
  expect (line_publish_link_add (link, &mark) == LINE_PUBLISH_WINDOW,
      "number");
  expect (line_publish_link_get_state (link).bytes == 5, "bytes of one");
  events->acknowledged (0, events->user);
  expect (!line_publish_link_take (link, &got), "it is heard");
  events->acknowledged (LINE_PUBLISH_WINDOW, events->user);
  expect (line_publish_link_take (link, &got) && got.read == 7
      && line_publish_link_get_state (link).bytes == 0, "the new one");
  line_publish_link_free (link);
  end ();
}

/* What a broker does again and again is told once. */
CHECK (connection)
{
  LinePublishLink *link = line_publish_link_new ("broker");
  const LineTransportEvents *events = line_publish_link_events (link);
  LinePublishConnection told;

  begin ("a connection that is made, told twice, refused twice, and lost");
  events->changed (FALSE, "first", events->user);
  events->changed (FALSE, "second", events->user);
  line_publish_link_report (link, FALSE, &told);
  expect (told.connections == 0 && told.failures == 2 && !told.connected_at
      && strcmp (told.why, "second") == 0, "%s", told.why);
  g_free (told.why);
  events->changed (TRUE, NULL, events->user);
  events->changed (TRUE, NULL, events->user);
  events->refused ("third", events->user);
  events->refused ("fourth", events->user);
  line_publish_link_report (link, FALSE, &told);
  expect (told.connections == 1 && told.failures == 1 && told.connected_at
      && strcmp (told.why, "third") == 0, "%s", told.why);
  g_free (told.why);
  events->changed (FALSE, "fifth", events->user);
  line_publish_link_report (link, FALSE, &told);
  expect (told.failures == 1 && !told.connected_at, "still connected");
  g_free (told.why);
  events->changed (TRUE, NULL, events->user);
  line_publish_link_reset (link);
  line_publish_link_report (link, FALSE, &told);
  expect (told.connections == 2 && !told.connected_at, "not reset");
  g_free (told.why);
  line_publish_link_free (link);
  end ();
}

/* The second segment is gone: of the third all lines wait. */
CHECK (gap)
{
  const LineSpoolPosition second = { RUN, 2, 0, 0 };
  LinePublishStatus status;

  start ("lines that are not there any more are told, and do not wait");
  g_autofree char *state = line_publish_state_path (source.folder);
  g_autofree char *third = g_build_filename (source.folder, RUN,
      "decisions-000003.jsonl", NULL);
  g_assert_true (line_publish_state_save (state, "line1", &second, NULL));
  write_lines (3);
  g_assert_cmpint (g_rename (spool, third), ==, 0);
  LinePublisher *publisher = open_publisher ();
  other_side->changed (FALSE, "once", other_side->user);
  other_side->changed (FALSE, "twice", other_side->user);
  connect_now ();
  step (publisher, 2);
  expect_arrivals (3, 0, 0);
  line_publisher_get_status (publisher, &status);
  expect (status.gaps == 1 && status.errors == 3 && status.reconnects == 0
      && status.waiting_lines == 3, "%" G_GUINT64_FORMAT " gaps, %"
      G_GUINT64_FORMAT " lines wait", status.gaps, status.waiting_lines);
  line_publisher_free (publisher);
  g_unlink (third);
  stop ();
}

CHECK (rests)
{
  static const gint64 seconds[] = { 1, 2, 4, 8, 16, 30, 30 };
  gint64 rest = 0;

  begin ("what is refused again and again is sent less and less often");
  for (guint i = 0; i < G_N_ELEMENTS (seconds); i++) {
    rest = line_publisher_get_rest (rest);
    expect (rest == seconds[i] * G_USEC_PER_SEC, "%u: %" G_GINT64_FORMAT, i,
        rest);
  }
  end ();
}

CHECK (refusal)
{
  LinePublishStatus status;

  start ("what is refused is sent again by another transport, in order");
  write_lines (6);
  LinePublisher *publisher = open_publisher ();
  connect_now ();
  step (publisher, 2);
  acknowledge (0, 1);
  acknowledge (2, 1);
  other_side->refused ("for a test", other_side->user);
  step (publisher, 2);
  expect (n_opened == 1 && !other_side, "it is not closed");
  for (guint i = 0; i < 200 && n_opened == 1; i++)
    step (publisher, 1);
  expect (n_opened == 2, "it is not opened again");
  connect_now ();
  step (publisher, 3);
  /* the second and all after it, for order's sake the third, too */
  expect_arrivals (8, 4, 1);
  /* a late word of the old one is not heard */
  acknowledge (1, 3);
  step (publisher, 2);
  line_publisher_get_status (publisher, &status);
  expect (status.acknowledged == 1 && status.errors == 1
      && strcmp (status.last_error, "for a test") == 0, "%"
      G_GUINT64_FORMAT " errors", status.errors);
  acknowledge (4, 4);
  step (publisher, 3);
  expect_arrivals (9, 4, 1);
  line_publisher_get_status (publisher, &status);
  expect (status.acknowledged == 5 && status.waiting_lines == 1
      && status.reconnects == 1, "%" G_GUINT64_FORMAT " wait",
      status.waiting_lines);
  line_publisher_free (publisher);
  expect_last_status ();
  stop ();
}

CHECK (damaged)
{
  static const char *const damaged[] = { "", "{", "[]", "null", "\x01",
    "{\"schema\":\"fruit-line/1\"}", "{\"schema\":\"fruit-line/3\",\"line\":\"l\","
        "\"lane\":\"a\",\"piece\":1}",
    "{\"schema\":\"fruit-line/1\",\"line\":\"l\",\"lane\":\"a/b\",\"piece\":1}",
    "{\"schema\":\"fruit-line/1\",\"line\":\"+\",\"lane\":\"a\",\"piece\":1}",
    "{\"schema\":\"fruit-line/1\",\"line\":\"\\u001b\",\"lane\":\"a\","
        "\"piece\":1}",
    "{\"schema\":\"fruit-line/1\",\"line\":\"\\u0085\",\"lane\":\"a\","
        "\"piece\":1}",
    "{\"schema\":\"fruit-line/1\",\"line\":\"l\",\"lane\":\"a\",\"piece\":-1}",
    "{\"schema\":\"fruit-line/1\",\"line\":\"l\",\"lane\":\"a\",\"piece\":1",
  };
  LinePublishStatus status;

  start ("damaged lines are counted and passed over, whole ones are not");
  write_lines (1);
  for (guint i = 0; i < G_N_ELEMENTS (damaged); i++) {
    append (damaged[i]);
    append ("\n");
  }
  write_lines (1);
  append ("{\"schema\":\"fruit-l");
  LinePublisher *publisher = open_publisher ();
  connect_now ();
  step (publisher, 5);
  expect_arrivals (2, 0, 0);
  line_publisher_get_status (publisher, &status);
  expect (status.damaged == G_N_ELEMENTS (damaged), "%" G_GUINT64_FORMAT
      " damaged", status.damaged);
  char *expected = g_strdup_printf ("decisions.jsonl:%u: it is not JSON",
      (guint) G_N_ELEMENTS (damaged) + 1);
  expect (strstr (status.last_error, expected) != NULL, "%s",
      status.last_error);
  acknowledge (0, 2);
  step (publisher, 2);
  append ("ine/1\",\"line\":\"l\",\"lane\":\"a\",\"piece\":2}\n");
  step (publisher, 2);
  expect_arrivals (3, 0, 0);
  line_publisher_free (publisher);
  g_free (expected);
  stop ();
}

CHECK (start)
{
  g_autoptr (GError) error = NULL;

  start ("one publisher at a time");
  LinePublisher *publisher = open_publisher ();
  expect (!line_publisher_new (&source, &transport_class, &error), "two");
  expect (error && strstr (error->message, "another publisher"), "%s",
      error ? error->message : "no error");
  line_publisher_free (publisher);
  publisher = open_publisher ();
  line_publisher_free (publisher);
  stop ();
}

/* State */

CHECK (state)
{
  static const char *const wrong[] = { "", "{}", "[]", "\xff", "{\"schema\":"
        "\"fruit-line-publisher-state/1\",\"line\":\"line1\"}",
    "{\"schema\":\"fruit-line-publisher-state/1\",\"line\":\"line1\",\"run\":"
        "\"../x\",\"segment\":1,\"offset\":0,\"lines\":0}",
    "{\"schema\":\"fruit-line-publisher-state/1\",\"line\":\"line1\",\"run\":\""
        RUN "\",\"segment\":0,\"offset\":0,\"lines\":0}",
    "{\"schema\":\"fruit-line-publisher-state/1\",\"line\":\"line1\",\"run\":\""
        RUN "\",\"segment\":1,\"offset\":-1,\"lines\":0}",
    "{\"schema\":\"fruit-line-publisher-state/1\",\"line\":\"line1\",\"run\":\""
        RUN "\",\"segment\":1,\"offset\":1,\"lines\":2}",
    "{\"schema\":\"fruit-line-publisher-state/1\",\"line\":\"line1\",\"run\":\""
        RUN "\",\"segment\":1.5,\"offset\":1,\"lines\":1}",
    "{\"schema\":\"fruit-line-publisher-state/1\",\"line\":1,\"run\":\"\","
        "\"segment\":0,\"offset\":0,\"lines\":0}",
    "{\"schema\":\"fruit-line-publisher-state/1\",\"line\":\"line1\",\"run\":\""
        RUN "\",\"segment\":2147483648,\"offset\":1,\"lines\":1}",
    "{\"schema\":\"fruit-line-publisher-state/1\",\"line\":\"line1\",\"run\":\""
        RUN "\",\"segment\":1,\"offset\":1,\"lines\":\"1\"}",
  };
  const LineSpoolPosition some = { RUN, 3, 123456789012, 77 };
  LineSpoolPosition got;
  GError *error = NULL;
  g_autofree char *before = NULL, *after = NULL;

  start ("the state is read as it was written, or not at all");
  g_autofree char *path = line_publish_state_path (source.folder);
  expect (line_publish_state_load (path, "line1", &got, NULL) && !*got.run
      && got.segment == 0, "no state");
  n_synced = 0;
  expect (line_publish_state_save (path, "line1", &some, NULL)
      && line_publish_state_load (path, "line1", &got, NULL)
      && line_spool_compare (&got, &some) == 0 && got.lines == 77, "some");
  expect (was_synced (path) && was_synced (source.folder),
      "it is not on the disk");
  expect (!line_publish_state_load (path, "line2", &got, &error)
      && strstr (error->message, "that of line \"line1\""), "of a line");
  g_clear_error (&error);
  g_assert_true (g_file_set_contents (path, "{\"schema\":\"fruit-line-publisher"
          "-state/1\",\"line\":\"\\u001b[2J\",\"run\":\"\",\"segment\":0,"
          "\"offset\":0,\"lines\":0}", -1, NULL));
  expect (!line_publish_state_load (path, "line1", &got, &error)
      && strstr (error->message, "\"\357\277\275[2J\""), "of a terminal");
  g_clear_error (&error);
  expect (line_publish_state_save (path, "line1", &some, NULL), "again");
  /* a disk without room: the old one stays */
  g_file_get_contents (path, &before, NULL, NULL);
  limit_files (10);
  expect (!line_publish_state_save (path, "line1", &got, &error), "no room");
  limit_files (RLIM_INFINITY);
  g_clear_error (&error);
  g_file_get_contents (path, &after, NULL, NULL);
  expect (strcmp (before, after) == 0, "the old state is damaged");
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_assert_true (g_file_set_contents (path, wrong[i], -1, NULL));
    expect (!line_publish_state_load (path, "line1", &got, &error)
        && strstr (error->message, "is damaged: correct it"), "%s", wrong[i]);
    g_clear_error (&error);
  }
  stop ();
}

/* Of names with as many bytes as there may be. */
CHECK (long_name)
{
  g_autoptr (GString) name = g_string_new (NULL);
  LineSpoolPosition got;
  LinePublishKey key;

  start ("a line's name of 64 letters of four bytes");
  for (guint i = 0; i < LINE_NAME_LONGEST; i++)
    g_string_append (name, "\360\220\214\260");
  expect (line_name_is_good (name->str), "it is a name");
  g_autofree char *path = line_publish_state_path (source.folder);
  expect (line_publish_state_save (path, name->str, &(LineSpoolPosition) {
              RUN, 1, 1, 1}, NULL)
      && line_publish_state_load (path, name->str, &got, NULL), "state");
  char *line = g_strdup_printf ("{\"schema\":\"fruit-line/1\",\"line\":\"%s\","
      "\"lane\":\"a\",\"piece\":1}", name->str);
  expect (line_publish_parse (line, strlen (line), NULL, &key) == NULL
      && strcmp (key.names[0], name->str) == 0, "%s", key.names[0]);
  g_free (line);
  stop ();
}

/* What is a decision, and what any other line lacks */
CHECK (lines)
{
  static const struct
  {
    const char *text, *problem;
  } lines[] = {
    {"{\"schema\":\"fruit-line/1\",\"line\":\"a b\",\"lane\":\"c\",\"piece\":7}",
        NULL},
    {"{\"schema\":\"fruit-line/2\",\"line\":\"a\",\"lane\":\"c_-0\","
          "\"piece\":9223372036854775807,\"more\":[]}", NULL},
    {"{\"schema\":\"fruit-line/3\",\"line\":\"a\",\"lane\":\"c\",\"piece\":7}",
        "schema"},
    {"{\"line\":\"a\",\"lane\":\"c\",\"piece\":7}", "schema"},
    {"{\"schema\":\"fruit-line/2\",\"line\":\"\",\"lane\":\"c\",\"piece\":7}",
        "\"line\""},
    {"{\"schema\":\"fruit-line/2\",\"line\":3,\"lane\":\"c\",\"piece\":7}",
        "\"line\""},
    {"{\"schema\":\"fruit-line/2\",\"line\":\"a\",\"piece\":7}", "\"lane\""},
    {"{\"schema\":\"fruit-line/2\",\"line\":\"a\",\"lane\":\"../c\","
          "\"piece\":7}", "\"lane\""},
    {"{\"schema\":\"fruit-line/2\",\"line\":\"a\",\"lane\":\"c\"}",
        "\"piece\""},
    {"{\"schema\":\"fruit-line/2\",\"line\":\"a\",\"lane\":\"c\","
          "\"piece\":7.0}", "\"piece\""},
    {"{\"schema\":\"fruit-line/2\",\"line\":\"a\",\"lane\":\"c\","
          "\"piece\":-1}", "\"piece\""},
    {"{\"schema\":\"fruit-line/2\",\"line\":\"a\",\"lane\":\"c\","
          "\"piece\":7,\"lane\":\"d\"}", "JSON"},
    {"[\"fruit-line/2\"]", "schema"}, {"", "JSON"}, {"{", "JSON"},
  };
  g_autofree char *name = g_strnfill (LINE_PUBLISH_NAME, 'a');
  LinePublishKey key;

  start ("what is a decision");
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    const char *problem =
        line_publish_parse (lines[i].text, strlen (lines[i].text), NULL,
        &key);

    expect (!problem == !lines[i].problem && (!problem
            || strstr (problem, lines[i].problem)), "%s: %s", lines[i].text,
        problem ? problem : "good");
  }
  char *line = g_strdup_printf ("{\"schema\":\"fruit-line/2\",\"line\":\"%s\","
      "\"lane\":\"a\",\"piece\":1}", name);
  expect (line_publish_parse (line, strlen (line), NULL, &key) != NULL,
      "too long a name");
  g_free (line);
  stop ();
}

/* No blocks are needed where there were some: the file before is written over. */
CHECK (exchange)
{
  const LineSpoolPosition some = { RUN, 3, 5, 1 };
  struct stat first, second, third;

  start ("two files of the state change places");
  g_autofree char *path = line_publish_state_path (source.folder);
  g_assert_true (line_publish_state_save (path, "l", &some, NULL));
  g_assert_true (line_publish_state_save (path, "l", &some, NULL));
  g_assert_cmpint (stat (path, &first), ==, 0);
  g_assert_true (line_publish_state_save (path, "l", &some, NULL));
  g_assert_cmpint (stat (path, &second), ==, 0);
  g_assert_true (line_publish_state_save (path, "l", &some, NULL));
  g_assert_cmpint (stat (path, &third), ==, 0);
  expect (first.st_ino != second.st_ino && first.st_ino == third.st_ino,
      "not the same two");
  stop ();
}

CHECK (status)
{
  const LinePublishProgress progress = { "l", 2, 700, {RUN, 31, 3200, 33} };
  const LinePublishStatus status = {.kind = &line_publish_decisions,
    .name = "l",.target = "mqtt x:1",
    .published = 12,.acknowledged = 10,.waiting_lines = 2,.connected_at = 5,
    .waiting_bytes = 700,.reconnects = 21,.errors = 22,.damaged = 23,
    .gaps = 24,.streams = &progress,.n_streams = 1
  };
  const gint64 second = 1000000000;

  start ("a status is what was written, and nothing else is");
  g_autofree char *path = line_publish_status_path (source.folder);
  g_autofree char *text = line_publish_status_to_metrics (path, 0);
  expect (!*text, "no file: %s", text);
  g_free (text);
  g_assert_true (line_publish_status_write (path, &status, 9 * second, NULL));
  text = line_publish_status_to_metrics (path, 10 * second);
  expect (strstr (text, "\nfruit_line_published_total 12\n")
      && strstr (text, "\nfruit_line_acknowledged_total 10\n")
      && strstr (text, "\nfruit_line_publisher_waiting_lines 2\n")
      && strstr (text, "\nfruit_line_publisher_waiting_bytes 700\n")
      && strstr (text, "\nfruit_line_publisher_reconnects_total 21\n")
      && strstr (text, "\nfruit_line_publisher_errors_total 22\n")
      && strstr (text, "\nfruit_line_publisher_damaged_total 23\n")
      && strstr (text, "\nfruit_line_publisher_gaps_total 24\n")
      && strstr (text, "\nfruit_line_publisher_up 1\n")
      && strstr (text, "\nfruit_line_publisher_connected 1\n"), "%s", text);
  g_free (text);
  text = line_publish_status_to_metrics (path, 20 * second);
  expect (strstr (text, "\nfruit_line_publisher_up 0\n")
      && strstr (text, "\nfruit_line_publisher_connected 0\n"), "%s", text);
  g_free (text);
  text = line_publish_status_to_metrics (path, -20 * second);
  expect (strstr (text, "\nfruit_line_publisher_up 0\n") != NULL,
      "of another time: %s", text);
  g_free (text);
  text = line_publish_status_read (path);
  expect (strstr (text, "\"segment\": 31, \"offset\": 3200, \"lines\": 33}")
      && strstr (text, "\"waiting_bytes\": 700, \"reconnects\": 21, "
          "\"errors\": 22, \"damaged\": 23, \"gaps\": 24,"), "%s", text);
  g_free (text);
  /* what is no count is left out, and no time is near the first there is */
  g_assert_true (g_file_set_contents (path, "{\"schema\":"
          "\"fruit-line-publisher/1\",\"t_ns\":-9223372036854775807,"
          "\"errors\":-1,\"gaps\":\"2\",\"damaged\":0}", -1, NULL));
  text = line_publish_status_to_metrics (path, 10 * second);
  expect (strstr (text, "\nfruit_line_publisher_up 0\n")
      && strstr (text, "\nfruit_line_publisher_damaged_total 0\n")
      && !strstr (text, "errors") && !strstr (text, "gaps"), "%s", text);
  g_free (text);
  g_assert_true (g_file_set_contents (path, "{\"schema\":", -1, NULL));
  text = line_publish_status_to_metrics (path, 0);
  expect (!*text, "half a file: %s", text);
  stop ();
}

int
main (void)
{
  signal (SIGXFSZ, SIG_IGN);
  run_checks ();
  return finish ();
}
