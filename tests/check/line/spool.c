/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Segments as the writer makes them, as they are read while they are written,
 * and what is deleted; names of runs. */

#include "check.h"
#include "checks.h"
#include "spool_keep.h"
#include "writer.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include <glib/gstdio.h>

#include "publish/state.h"
#include "publish_line.h"
#include "reading.h"
#include "watched.h"

#define RUN "2026-01-02T03-04-05Z"
#define LATER "2026-01-02T03-04-06Z"

static char *output;

static char *
make_path (const char *run, const char *name)
{
  return g_build_filename (output, run, name, NULL);
}

static char *
make_folder (const char *run)
{
  char *folder = g_build_filename (output, run, NULL);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0777), ==, 0);
  return folder;
}

static void
remove_all (const char *folder)
{
  GDir *names = g_dir_open (folder, 0, NULL);
  const char *name;

  while (names && (name = g_dir_read_name (names))) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (g_file_test (path, G_FILE_TEST_IS_DIR))
      remove_all (path);
    else
      g_unlink (path);
  }
  g_clear_pointer (&names, g_dir_close);
  g_rmdir (folder);
}

/* A new output folder. */
static void
start (const char *what)
{
  begin ("%s", what);
  output = g_dir_make_tmp ("spool-XXXXXX", NULL);
}

static void
stop (void)
{
  remove_all (output);
  g_clear_pointer (&output, g_free);
  end ();
}

/* Adds @text to a file, as another process would. */
static void
append (const char *run, const char *name, const char *text)
{
  g_autofree char *folder = make_folder (run), *path = make_path (run, name);
  FILE *file = fopen (path, "a");

  g_assert_nonnull (file);
  g_assert_true (fputs (text, file) >= 0 && fclose (file) == 0);
}

static gboolean
is_there (const char *run, const char *name)
{
  g_autofree char *path = make_path (run, name);

  return access (path, F_OK) == 0;
}

static LineSpoolReader *
open_start (void)
{
  return line_spool_reader_new (&line_spool_decisions, output, &(LineSpoolPosition) {""});
}

/* What is written, while its segment may just change its name. */
static void
expect_written (LineSpoolReader * reader, const char *text)
{
  const char *found = NULL;
  gsize size = 0;
  LineSpoolResult got = LINE_SPOOL_WAIT;

  for (guint i = 0; i < 20000 && got == LINE_SPOOL_WAIT; i++) {
    if (i > 0)
      g_usleep (1000);
    got = line_spool_reader_next (reader, &found, &size);
  }
  expect_read (got, found, size, LINE_SPOOL_LINE, text);
}

static void
wait_until_written (LineWriter * writer, guint64 n)
{
  guint64 written = 0, dropped;

  for (guint i = 0; i < 3000 && written < n; i++) {
    line_writer_get_counts (writer, 0, &written, &dropped);
    g_usleep (10000);
  }
  expect (written == n, "%" G_GUINT64_FORMAT " written", written);
}

static void
write_record (LineWriter * writer, guint number)
{
  char *text = g_strdup_printf ("record %06u\n", number);
  g_autoptr (GBytes) bytes = g_bytes_new_take (text, strlen (text));

  g_assert_true (line_writer_append (writer, 0, bytes));
}

/* Read while it is written: 100 records of 14 bytes, segments of 50. */
CHECK (writer)
{
  LineWriter *writer = line_writer_new ();

  start ("a writer's segments are read while they are written");
  g_free (make_folder (RUN));
  LineFolder *folder = line_spool_open_run (output, RUN);
  g_assert_cmpint (line_writer_add (writer, folder, LINE_SPOOL_CURRENT,
          1 << 20, NULL), ==, 0);
  line_writer_set_segments (writer, 0, 50);
  LineSpoolReader *reader = open_start ();
  for (guint i = 0; i < 100; i++) {
    char text[16];

    g_snprintf (text, sizeof (text), "record %06u", i);
    write_record (writer, i);
    if (i % 7 == 0)
      wait_until_written (writer, i + 1);
    if (i % 7 == 0)
      for (guint k = i < 7 ? 0 : i - 6; k <= i; k++) {
        g_snprintf (text, sizeof (text), "record %06u", k);
        expect_written (reader, text);
      }
  }
  wait_until_written (writer, 100);
  expect_written (reader, "record 000099");
  expect_next (reader, LINE_SPOOL_WAIT, NULL);
  /* the last segment is closed after its last record is written */
  line_writer_close (writer);
  g_autoptr (GArray) segments = line_spool_list (folder);
  expect (segments->len == 26, "%u segments", segments->len);
  for (guint i = 0; i < segments->len; i++) {
    const LineSpoolSegment *one =
        &g_array_index (segments, LineSpoolSegment, i);

    expect (one->number == i + 1 && one->is_closed == (i < 25)
        && one->size == (i < 25 ? 4 * 14 : 0), "segment %u", i);
    if (one->is_closed) {
      g_autofree char *name = g_strdup_printf ("decisions-%06u.jsonl", i + 1);
      g_autofree char *path = make_path (RUN, name);

      expect (was_synced (path), "%s is not on the disk", path);
    }
  }
  expect (is_there (RUN, "decisions-000025.jsonl")
      && !is_there (RUN, "decisions.jsonl.new"), "names");
  line_spool_reader_free (reader);
  line_writer_free (writer);
  line_folder_unref (folder);
  stop ();
}

CHECK (half_lines)
{
  start ("half a line is waited for, and passed over when it stays one");
  LineSpoolReader *reader = open_start ();
  expect_next (reader, LINE_SPOOL_WAIT, NULL);
  append (RUN, LINE_SPOOL_CURRENT, "one\ntw");
  expect_soon (reader, LINE_SPOOL_LINE, "one");
  expect_next (reader, LINE_SPOOL_WAIT, NULL);
  append (RUN, LINE_SPOOL_CURRENT, "o\n\nfou");
  expect_next (reader, LINE_SPOOL_LINE, "two");
  expect_next (reader, LINE_SPOOL_LINE, "");
  expect_soon (reader, LINE_SPOOL_WAIT, NULL);
  const LineSpoolPosition *at = line_spool_reader_tell (reader);
  expect (at->offset == 9 && at->lines == 3, "position");
  /* the next run says that this one has ended */
  append (LATER, LINE_SPOOL_CURRENT, "five\n");
  expect_soon (reader, LINE_SPOOL_HALF, NULL);
  g_autofree char *name = line_spool_reader_name (reader);
  expect (g_str_has_suffix (name, RUN "/decisions.jsonl:4"), "%s", name);
  expect_next (reader, LINE_SPOOL_LINE, "five");
  at = line_spool_reader_tell (reader);
  expect (strcmp (at->run, LATER) == 0 && at->segment == 1 && at->offset == 5
      && at->lines == 1, "position in the next run");
  line_spool_reader_free (reader);
  stop ();
}

/* A run is not left while somebody writes it. */
CHECK (claim)
{
  start ("a run is read to its end while it is written");
  append (RUN, LINE_SPOOL_CURRENT, "one\n");
  append (LATER, LINE_SPOOL_CURRENT, "three\n");
  g_autofree char *path = make_path (RUN, LINE_SPOOL_CURRENT);
  int fd = open (path, O_WRONLY | O_APPEND);
  g_assert_true (line_folder_claim (fd));
  LineSpoolReader *reader = open_start ();
  expect_next (reader, LINE_SPOOL_LINE, "one");
  expect_soon (reader, LINE_SPOOL_WAIT, NULL);
  g_assert_cmpint (write (fd, "two\n", 4), ==, 4);
  expect_soon (reader, LINE_SPOOL_LINE, "two");
  expect_soon (reader, LINE_SPOOL_WAIT, NULL);
  close (fd);
  expect_soon (reader, LINE_SPOOL_LINE, "three");
  line_spool_reader_free (reader);
  stop ();
}

/* The writer writes its last line, and closes the segment, between the reader's
 * look at the end and its question whether that is closed. */
static void
write_the_last (void)
{
  g_autofree char *from = make_path (RUN, LINE_SPOOL_CURRENT);
  g_autofree char *to = make_path (RUN, "decisions-000001.jsonl");

  append (RUN, LINE_SPOOL_CURRENT, "two\n");
  g_assert_cmpint (g_rename (from, to), ==, 0);
  append (RUN, LINE_SPOOL_CURRENT, "three\n");
}

/* A name with fewer digits is no segment's; the new one is claimed; where there is a
 * segment already nothing changes. */
CHECK (cut)
{
  start ("a segment is cut, or stays as it was");
  append (RUN, LINE_SPOOL_CURRENT, "one\n");
  append (RUN, "decisions-7.jsonl", "no segment\n");
  LineFolder *folder = line_spool_open_run (output, RUN);
  g_autoptr (GArray) segments = line_spool_list (folder);
  expect (segments->len == 1 && g_array_index (segments, LineSpoolSegment,
          0).number == 1, "%u segments", segments->len);
  g_autofree char *path = make_path (RUN, LINE_SPOOL_CURRENT);
  int fd = open (path, O_RDWR);
  int new = line_spool_cut (folder, fd, 1, NULL);
  g_assert_cmpint (new, >=, 0);
  int other = open (path, O_RDWR);
  expect (line_folder_is_claimed (other), "nobody has the new one");
  close (other);
  g_free (path);
  path = make_path (RUN, "");
  expect (was_synced (path), "its names are not on the disk");
  expect (line_spool_cut (folder, new, 1, NULL) < 0, "there is a first one");
  expect (is_there (RUN, LINE_SPOOL_CURRENT)
      && !is_there (RUN, "decisions.jsonl.new"), "it is not as it was");
  close (new);
  line_folder_unref (folder);
  stop ();
}

/* What is no segment's name is not counted, nor one twice. */
CHECK (names)
{
  static const char *const others[] = { "decisions-00002.jsonl",
    "decisions-0000002.jsonl", "decisions-+00002.jsonl",
    "decisions- 000002.jsonl", "decisions-000002.jsonl.new",
    "decisions-000002.json", "decisions-00002x.jsonl", "decisions-.jsonl",
    "decisions-000000.jsonl", "decisions-1000000000.jsonl",
    "decisions-99999999999999999999.jsonl", "decision", "decisions_000009.jsonl"
  };
  static const guint numbers[] = { 2, 12, 1234567, 1234568 };

  start ("names of segments");
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    append (RUN, others[i], "no segment\n");
  append (RUN, "decisions-1234567.jsonl", "three\n");
  append (RUN, "decisions-000012.jsonl", "second\n");
  append (RUN, "decisions-000002.jsonl", "a\n");
  append (RUN, LINE_SPOOL_CURRENT, "the last\n");
  LineFolder *folder = line_spool_open_run (output, RUN);
  g_autoptr (GArray) segments = line_spool_list (folder);
  expect (segments->len == 4, "%u segments", segments->len);
  for (guint i = 0; i < MIN (segments->len, 4); i++) {
    const LineSpoolSegment *segment =
        &g_array_index (segments, LineSpoolSegment, i);

    expect (segment->number == numbers[i] && segment->is_closed == (i < 3)
        && segment->size == (guint64[]) {2, 7, 6, 9}[i], "%u: %u", i,
        segment->number);
  }
  line_folder_unref (folder);
  stop ();
}

CHECK (last_line)
{
  start ("a line that is written just before a segment is closed");
  append (RUN, LINE_SPOOL_CURRENT, "one\n");
  LineSpoolReader *reader = open_start ();
  expect_next (reader, LINE_SPOOL_LINE, "one");
  at_end = write_the_last;
  expect_next (reader, LINE_SPOOL_LINE, "two");
  expect (!at_end, "the end was seen before");
  expect_next (reader, LINE_SPOOL_LINE, "three");
  line_spool_reader_free (reader);
  stop ();
}

CHECK (long_lines)
{
  g_autofree char *text = g_strnfill (LINE_SPOOL_LONGEST, 'x');
  LineSpoolPosition from = { RUN, 1, 0, 0 };

  start ("lines that are too long are passed over, and no memory with them");
  append (RUN, LINE_SPOOL_CURRENT, text);
  append (RUN, LINE_SPOOL_CURRENT, "\n");
  LineSpoolReader *reader = open_start ();
  expect_next (reader, LINE_SPOOL_LINE, text);
  for (guint i = 0; i < 5; i++)
    append (RUN, LINE_SPOOL_CURRENT, text);
  expect_next (reader, LINE_SPOOL_WAIT, NULL);
  /* so far it may become any line: nothing is passed */
  from.offset = LINE_SPOOL_LONGEST + 1;
  expect (line_spool_compare (line_spool_reader_tell (reader), &from) == 0,
      "position in a long line");
  append (RUN, LINE_SPOOL_CURRENT, "\nnext\n");
  expect_next (reader, LINE_SPOOL_LONG, NULL);
  expect_next (reader, LINE_SPOOL_LINE, "next");
  expect (line_spool_reader_tell (reader)->offset
      == 6 * (guint64) LINE_SPOOL_LONGEST + 7
      && line_spool_reader_tell (reader)->lines == 3, "position behind it");
  line_spool_reader_free (reader);
  stop ();
}

/* Without an end in sight, and others wait. */
CHECK (endless_line)
{
  const char *text;
  gsize size;
  guint n = 0;

  start ("a line without an end is passed over little by little");
  append (RUN, LINE_SPOOL_CURRENT, "x");
  char *path = g_build_filename (output, RUN, LINE_SPOOL_CURRENT, NULL);
  g_assert_true (truncate (path, 100 << 20) == 0);
  append (RUN, LINE_SPOOL_CURRENT, "\nend\n");
  LineSpoolReader *reader = open_start ();
  while (line_spool_reader_next (reader, &text, &size) == LINE_SPOOL_WAIT)
    n++;
  expect (n >= 5 && n <= 10, "%u times", n);
  expect_next (reader, LINE_SPOOL_LINE, "end");
  line_spool_reader_free (reader);
  g_free (path);
  stop ();
}

/* As a state of another folder, or of an older version, would have it */
CHECK (positions)
{
  LineSpoolPosition at = { RUN, 1, 2, 1 };

  start ("a position that is no line's beginning is left for the file's");
  append (RUN, LINE_SPOOL_CURRENT, "one\ntwo\n");
  line_spool_expect_newline (&at);
  LineSpoolReader *reader =
      line_spool_reader_new (&line_spool_decisions, output, &at);
  expect_next (reader, LINE_SPOOL_CHANGED, NULL);
  expect_next (reader, LINE_SPOOL_LINE, "one");
  line_spool_reader_free (reader);
  at.offset = 4;
  reader = line_spool_reader_new (&line_spool_decisions, output, &at);
  expect_next (reader, LINE_SPOOL_LINE, "two");
  at = *line_spool_reader_tell (reader);
  line_spool_reader_free (reader);
  at.check ^= 1;
  reader = line_spool_reader_new (&line_spool_decisions, output, &at);
  expect_next (reader, LINE_SPOOL_CHANGED, NULL);
  expect_next (reader, LINE_SPOOL_LINE, "one");
  line_spool_reader_free (reader);
  stop ();
}

static guint64
count_bytes (const LineSpoolPosition * at)
{
  LineSpoolReader *reader =
      line_spool_reader_new (&line_spool_decisions, output, at);
  guint64 bytes = line_spool_reader_count (reader, at);

  line_spool_reader_free (reader);
  return bytes;
}

CHECK (gaps)
{
  LineSpoolPosition from = { RUN, 2, 0, 0 };

  start ("files that are missing are told");
  append (RUN, "decisions-000004.jsonl", "four\n");
  append (RUN, LINE_SPOOL_CURRENT, "five\n");
  append (LATER, LINE_SPOOL_CURRENT, "six\n");
  expect (count_bytes (&from) == 14, "bytes");
  from = (LineSpoolPosition) {RUN, 4, 3, 0};
  expect (count_bytes (&from) == 11, "bytes behind 3");
  /* the segment of that number of the next run has all of its own */
  from = (LineSpoolPosition) {RUN, 1, 0, 0};
  append (RUN, "decisions-000001.jsonl", "one is more\n");
  from.offset = 10;
  expect (count_bytes (&from) == 2 + 14, "bytes of two");
  from = (LineSpoolPosition) {RUN, 2, 0, 0};
  LineSpoolReader *reader = line_spool_reader_new (&line_spool_decisions, output, &from);
  expect_next (reader, LINE_SPOOL_GONE, NULL);
  expect_next (reader, LINE_SPOOL_LINE, "four");
  expect_next (reader, LINE_SPOOL_LINE, "five");
  expect (line_spool_reader_tell (reader)->segment == 5, "segment");
  expect (count_bytes (line_spool_reader_tell (reader))
      == 4, "bytes behind");
  expect_next (reader, LINE_SPOOL_LINE, "six");
  line_spool_reader_free (reader);
  /* a run that ended when a segment was closed has nothing missing */
  from = (LineSpoolPosition) {RUN, 5, 0, 0};
  remove_all (output);
  append (RUN, "decisions-000004.jsonl", "four\n");
  append (LATER, LINE_SPOOL_CURRENT, "six\n");
  reader = line_spool_reader_new (&line_spool_decisions, output, &from);
  expect_next (reader, LINE_SPOOL_LINE, "six");
  line_spool_reader_free (reader);
  /* one whose folder is gone may have */
  from = (LineSpoolPosition) {"2026-01-01T00-00-00Z", 3, 5, 1};
  reader = line_spool_reader_new (&line_spool_decisions, output, &from);
  expect_next (reader, LINE_SPOOL_GONE, NULL);
  /* so are the first segments of the next one */
  expect_next (reader, LINE_SPOOL_GONE, NULL);
  expect_next (reader, LINE_SPOOL_LINE, "four");
  line_spool_reader_free (reader);
  stop ();
}

/* A segment that would never end, or never begin, is none; reading it goes on
 * with the next one. */
static void
check_endless (const char *what, gboolean is_pipe)
{
  start (what);
  g_autofree char *folder = make_folder (RUN);
  g_autofree char *path = make_path (RUN, "decisions-000002.jsonl");
  append (RUN, "decisions-000001.jsonl", "1\n");
  append (RUN, "decisions-000003.jsonl", "3\n");
  g_assert_cmpint (is_pipe ? mkfifo (path, 0600) :
      symlink ("/dev/zero", path), ==, 0);
  LineSpoolReader *reader = open_start ();
  expect_next (reader, LINE_SPOOL_LINE, "1");
  expect_next (reader, LINE_SPOOL_GONE, NULL);
  expect_next (reader, LINE_SPOOL_LINE, "3");
  line_spool_reader_free (reader);
  stop ();
}

CHECK (runs)
{
  static const char *const wrong[] = { "", "2026-01-02", RUN "-0", RUN "-01",
    RUN "-", RUN "-1", RUN "-1x", RUN "x", "2026-01-02T03:04:05Z",
    RUN "-1234567890"
  };
  char name[LINE_SPOOL_RUN];

  start ("runs are in order of their names, whatever the clock says");
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    expect (!line_spool_is_run (wrong[i]), "\"%s\" is a run", wrong[i]);
  expect (line_spool_is_run (RUN "-10") && line_spool_is_run (RUN "-2")
      && line_spool_is_run (RUN "-999999999"), "a run's name");
  expect (line_spool_compare_runs (RUN "-10", RUN "-9") > 0
      && line_spool_compare_runs (RUN, RUN "-2") < 0
      && line_spool_compare_runs (RUN "-10", LATER) < 0, "order");
  g_autofree char *next = line_spool_name_run (output, 1767323045);
  expect (strcmp (next, RUN) == 0, "%s", next);
  append (RUN, LINE_SPOOL_CURRENT, "");
  g_free (next);
  next = line_spool_name_run (output, 1767323045);
  expect (strcmp (next, RUN "-2") == 0, "%s", next);
  append (next, LINE_SPOOL_CURRENT, "");
  g_free (next);
  /* set back by an hour */
  next = line_spool_name_run (output, 1767323045 - 3600);
  expect (strcmp (next, RUN "-3") == 0, "%s", next);
  g_free (next);
  next = make_folder ("2025-01-01T00-00-00Z");
  append ("notes", LINE_SPOOL_CURRENT, "");
  expect (line_spool_find_run (output, "", name) && strcmp (name, RUN) == 0,
      "the first run");
  expect (line_spool_find_run (output, name, name)
      && strcmp (name, RUN "-2") == 0, "the next run");
  expect (!line_spool_find_run (output, name, name), "no more runs");
  stop ();
}

/* Two runs with segments of 10 bytes; the older one has ended. */
static void
write_segments (void)
{
  append (RUN, "decisions-000001.jsonl", "123456789\n");
  append (RUN, "decisions-000002.jsonl", "123456789\n");
  append (RUN, LINE_SPOOL_CURRENT, "123456789\n");
  append (LATER, "decisions-000001.jsonl", "123456789\n");
  append (LATER, "decisions-000002.jsonl", "123456789\n");
  append (LATER, LINE_SPOOL_CURRENT, "123456789\n");
}

/* What is there, in order: 1 for each file of write_segments(). */
static void
expect_files (const char *files, const char *when)
{
  const char *const runs[] = { RUN, LATER };
  const char *const names[] = { "decisions-000001.jsonl",
    "decisions-000002.jsonl", LINE_SPOOL_CURRENT
  };

  for (guint i = 0; i < 6; i++)
    expect (is_there (runs[i / 3], names[i % 3]) == (files[i] == '1'),
        "%s: %s/%s", when, runs[i / 3], names[i % 3]);
}

static LineSpoolKept
keep (const LineConfig * config, gint64 now)
{
  g_autofree char *folder = make_folder (LATER);
  LineSpoolKeeper *keeper = line_spool_keeper_new (config, folder);
  LineSpoolKept kept;

  line_spool_keeper_check (keeper, now, &kept);
  line_spool_keeper_free (keeper);
  return kept;
}

CHECK (keep)
{
  LineConfig config = {.name = (char *) "line1",.keep_bytes = 45 };
  const gint64 now = g_get_real_time () / G_USEC_PER_SEC;

  start ("the oldest segments are deleted, the last of a run never alone");
  write_segments ();
  LineSpoolKept kept = keep (&config, now);
  expect (kept.deleted == 3 && kept.deleted_bytes == 30 && kept.bytes == 30
      && !kept.is_held, "%" G_GUINT64_FORMAT " deleted", kept.deleted);
  expect_files ("000111", "by size");
  config.keep_bytes = 1;
  kept = keep (&config, now);
  expect_files ("000011", "the running one keeps its newest closed segment");
  config = (LineConfig) {.name = (char *) "line1",.keep_days = 2};
  write_segments ();
  kept = keep (&config, now + 2 * 24 * 3600 - 100);
  expect (kept.deleted == 0, "too young");
  kept = keep (&config, now + 2 * 24 * 3600 + 100);
  expect_files ("000011", "by age");
  remove_all (output);
  write_segments ();
  append (RUN, "line.ini", "");
  kept = keep (&config, now + 2 * 24 * 3600 + 100);
  expect_files ("111011", "a recording stays");
  stop ();
}

static void
save_position (const char *run, guint segment)
{
  g_autofree char *path = line_publish_state_path (output);
  LineSpoolPosition position = { "", segment, 3, 1 };

  g_strlcpy (position.run, run, sizeof (position.run));
  g_assert_true (line_publish_state_save (path, "line1", &position, NULL));
}

CHECK (keep_acknowledged)
{
  LinePublishConfig publish = { 0 };
  LineConfig config = {.name = (char *) "line1",.keep_bytes = 1,
    .publish = &publish
  };

  start ("with a publisher only what is acknowledged is deleted");
  config.output = output;
  write_segments ();
  LineSpoolKept kept = keep (&config, 0);
  expect_files ("111111", "nothing is acknowledged");
  expect (kept.is_held, "not held");
  save_position (RUN, 2);
  keep (&config, 0);
  expect_files ("011111", "one segment is");
  save_position (RUN, 3);
  keep (&config, 0);
  expect_files ("011111", "two are, but the second stays with the third");
  save_position (LATER, 1);
  keep (&config, 0);
  expect_files ("000111", "a run is");
  g_autofree char *path = line_publish_state_path (output);
  g_assert_true (g_file_set_contents (path, "{}", -1, NULL));
  write_segments ();
  keep (&config, 0);
  expect_files ("111111", "the state is damaged");
  save_position (LATER, 3);
  kept = keep (&config, 0);
  expect_files ("000011", "all is that may be");
  stop ();
}

int
main (void)
{
  run_checks ();
  check_endless ("a pipe in place of a segment", TRUE);
  check_endless ("a device in place of a segment", FALSE);
  return finish ();
}
