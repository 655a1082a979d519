/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The files of streams, as they are read while they are written, cut short,
 * replaced and removed; what is deleted of them. */

#include "check.h"
#include "checks.h"
#include "publish/files.h"
#include "publish/folder.h"
#include "publish/keep.h"
#include "publish/shapes.h"
#include "reading.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include <glib/gstdio.h>

/* Bytes by which a line is too long, with its newline */
#define LONGER 300000

static char *folder;

static void
remove_all (const char *path)
{
  GDir *dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir))) {
    g_autofree char *inside = g_build_filename (path, name, NULL);

    if (g_unlink (inside) != 0)
      remove_all (inside);
  }
  if (dir)
    g_dir_close (dir);
  g_rmdir (path);
}

static void
start (const char *what)
{
  begin ("%s", what);
  folder = g_dir_make_tmp ("streams-XXXXXX", NULL);
}

static void
stop (void)
{
  remove_all (folder);
  g_clear_pointer (&folder, g_free);
  end ();
}

static char *
make_path (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

/* Writes to a file as another process would. @mode: of fopen() */
static void
put (const char *name, const char *mode, const char *text)
{
  g_autofree char *path = make_path (name);
  FILE *file = fopen (path, mode);

  g_assert_nonnull (file);
  g_assert_true (fputs (text, file) >= 0 && fclose (file) == 0);
}

static LineSpoolReader *
open_at (const LineSpoolPosition * at)
{
  return line_spool_reader_new (&line_files_by_name, folder, at);
}

static LineSpoolReader *
open_start (void)
{
  return open_at (&(LineSpoolPosition) {""});
}

static void
expect_place (LineSpoolReader * reader, const char *run, guint64 offset,
    guint64 lines)
{
  const LineSpoolPosition *at = line_spool_reader_tell (reader);

  expect (strcmp (at->run, run) == 0 && at->offset == offset
      && at->lines == lines, "%s, %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT,
      at->run, at->offset, at->lines);
}

CHECK (order)
{
  start ("files are read in the order of their names, while they are written");
  LineSpoolReader *reader = open_start ();
  expect_next (reader, LINE_SPOOL_WAIT, NULL);
  put ("b-000001.jsonl", "w", "three\nfo");
  put ("b-000000.jsonl", "w", "one\n\ntwo\n");
  expect_soon (reader, LINE_SPOOL_LINE, "one");
  expect_next (reader, LINE_SPOOL_LINE, "");
  expect_next (reader, LINE_SPOOL_LINE, "two");
  expect_soon (reader, LINE_SPOOL_LINE, "three");
  expect_place (reader, "b-000001.jsonl", 6, 1);
  expect_next (reader, LINE_SPOOL_WAIT, NULL);
  put ("b-000001.jsonl", "a", "ur\n");
  expect_next (reader, LINE_SPOOL_LINE, "four");
  put ("c.jsonl", "w", "fi");
  expect_next (reader, LINE_SPOOL_WAIT, NULL);
  put ("c.jsonl", "a", "ve\n");
  expect_soon (reader, LINE_SPOOL_LINE, "five");
  LineSpoolReader *again = open_at (line_spool_reader_tell (reader));
  expect_next (again, LINE_SPOOL_WAIT, NULL);
  put ("c.jsonl", "a", "six\n");
  expect_soon (again, LINE_SPOOL_LINE, "six");
  expect (line_spool_reader_count (again, &(LineSpoolPosition) {
              "b-000001.jsonl",.offset = 6}) == 5 + 9, "bytes");
  line_spool_reader_free (again);
  line_spool_reader_free (reader);
  stop ();
}

CHECK (half_lines)
{
  start ("half a line is waited for, and passed over when a newer file is there");
  put ("a.jsonl", "w", "one\ntw");
  LineSpoolReader *reader = open_start ();
  expect_next (reader, LINE_SPOOL_LINE, "one");
  expect_next (reader, LINE_SPOOL_WAIT, NULL);
  put ("b.jsonl", "w", "three\n");
  expect_soon (reader, LINE_SPOOL_HALF, NULL);
  g_autofree char *name = line_spool_reader_name (reader);
  expect (g_str_has_suffix (name, "/a.jsonl:2"), "%s", name);
  expect_place (reader, "a.jsonl", 6, 2);
  /* as if the process had ended here */
  LineSpoolReader *again = open_at (line_spool_reader_tell (reader));
  expect_soon (again, LINE_SPOOL_LINE, "three");
  line_spool_reader_free (again);
  expect_next (reader, LINE_SPOOL_LINE, "three");
  line_spool_reader_free (reader);
  stop ();
}

/* As filesink does without append=true when it starts again */
CHECK (truncated)
{
  start ("a file that is cut short is read from its beginning");
  put ("a.jsonl", "w", "one\ntwo\n");
  LineSpoolReader *reader = open_start ();
  expect_next (reader, LINE_SPOOL_LINE, "one");
  expect_next (reader, LINE_SPOOL_LINE, "two");
  expect_next (reader, LINE_SPOOL_WAIT, NULL);
  const LineSpoolPosition at = *line_spool_reader_tell (reader);
  put ("a.jsonl", "w", "1\n");
  expect_next (reader, LINE_SPOOL_CHANGED, NULL);
  g_autofree char *name = line_spool_reader_name (reader);
  expect (g_str_has_suffix (name, "/a.jsonl:3"), "%s", name);
  expect_place (reader, "a.jsonl", 0, 0);
  expect_next (reader, LINE_SPOOL_LINE, "1");
  /* longer than it was, with a newline at the same place */
  put ("a.jsonl", "w", "I\nII\nIII\n");
  expect_next (reader, LINE_SPOOL_CHANGED, NULL);
  expect_next (reader, LINE_SPOOL_LINE, "I");
  line_spool_reader_free (reader);
  /* while no publisher ran */
  put ("a.jsonl", "w", "one\nTWO\nthree\n");
  reader = open_at (&at);
  expect_next (reader, LINE_SPOOL_CHANGED, NULL);
  expect_next (reader, LINE_SPOOL_LINE, "one");
  line_spool_reader_free (reader);
  reader = open_at (&at);
  put ("a.jsonl", "w", "one\ntwo\nthree\n");
  expect_next (reader, LINE_SPOOL_LINE, "three");
  line_spool_reader_free (reader);
  stop ();
}

/* What was read of the half is not glued to what is new; nothing else is read
 * again. A writer whose disk is full takes back what it could not finish. */
CHECK (half_taken_back)
{
  start ("half a line is forgotten when it is taken back");
  put ("a.jsonl", "w", "hal");
  LineSpoolReader *reader = open_start ();
  expect_next (reader, LINE_SPOOL_WAIT, NULL);
  put ("a.jsonl", "w", "one is longer\n");
  expect_next (reader, LINE_SPOOL_LINE, "one is longer");
  put ("a.jsonl", "a", "tw");
  expect_next (reader, LINE_SPOOL_WAIT, NULL);
  put ("a.jsonl", "w", "one is longer\n");
  expect_next (reader, LINE_SPOOL_WAIT, NULL);
  put ("a.jsonl", "a", "three\n");
  expect_next (reader, LINE_SPOOL_LINE, "three");
  expect_place (reader, "a.jsonl", 20, 2);
  line_spool_reader_free (reader);
  stop ();
}

CHECK (replaced)
{
  g_autofree char *from = NULL, *to = NULL;

  start ("another file of the same name is one behind it");
  put ("a.jsonl", "w", "one\n");
  from = make_path ("new");
  to = make_path ("a.jsonl");
  LineSpoolReader *reader = open_start ();
  expect_next (reader, LINE_SPOOL_LINE, "one");
  /* what its writer adds before */
  put ("a.jsonl", "a", "two\n");
  put ("new", "w", "three\n");
  g_assert_cmpint (g_rename (from, to), ==, 0);
  expect_next (reader, LINE_SPOOL_LINE, "two");
  expect_soon (reader, LINE_SPOOL_LINE, "three");
  expect_place (reader, "a.jsonl", 6, 1);
  line_spool_reader_free (reader);
  stop ();
}

CHECK (removed)
{
  start ("of a file that is removed what is written is read");
  put ("a.jsonl", "w", "one\n");
  g_autofree char *path = make_path ("a.jsonl");
  FILE *file = fopen (path, "a");
  LineSpoolReader *reader = open_start ();
  expect_next (reader, LINE_SPOOL_LINE, "one");
  g_unlink (path);
  g_assert_true (fputs ("two\n", file) >= 0 && fclose (file) == 0);
  expect_next (reader, LINE_SPOOL_LINE, "two");
  expect_next (reader, LINE_SPOOL_WAIT, NULL);
  LineSpoolReader *again = open_at (line_spool_reader_tell (reader));
  expect_next (again, LINE_SPOOL_WAIT, NULL);
  put ("b.jsonl", "w", "three\n");
  expect_soon (reader, LINE_SPOOL_LINE, "three");
  /* who has not read it does not know what is missing */
  expect_soon (again, LINE_SPOOL_GONE, NULL);
  g_autofree char *name = line_spool_reader_name (again);
  expect (g_str_has_suffix (name, "/a.jsonl:3"), "%s", name);
  expect_next (again, LINE_SPOOL_LINE, "three");
  line_spool_reader_free (again);
  line_spool_reader_free (reader);
  stop ();
}

CHECK (long_lines)
{
  g_autofree char *most = g_strnfill (LINE_FILES_LONGEST, 'x');

  start ("a line of 16 MiB is read, a longer one is passed over");
  put ("a.jsonl", "w", most);
  put ("a.jsonl", "a", "\n");
  put ("a.jsonl", "a", most);
  /* more than the buffer has */
  g_autofree char *more = g_strnfill (LONGER - 1, 'y');
  put ("a.jsonl", "a", more);
  put ("a.jsonl", "a", "\nz\n");
  LineSpoolReader *reader = open_start ();
  expect_soon (reader, LINE_SPOOL_LINE, most);
  expect_soon (reader, LINE_SPOOL_LONG, NULL);
  const LineSpoolPosition at = *line_spool_reader_tell (reader);
  expect_place (reader, "a.jsonl", 2 * (guint64) LINE_FILES_LONGEST + LONGER + 1, 2);
  LineSpoolReader *again = open_at (&at);
  expect_next (again, LINE_SPOOL_LINE, "z");
  line_spool_reader_free (again);
  expect_next (reader, LINE_SPOOL_LINE, "z");
  line_spool_reader_free (reader);
  stop ();
}

/* Whatever else there is, nobody waits for it. */
CHECK (others)
{
  static const char *const names[] = { "a.json", ".a.jsonl", "a.jsonl.new",
    "\377.jsonl", "a\033.jsonl", "jsonl"
  };
  g_autofree char *pipe = NULL, *inside = NULL, *link = NULL;

  start ("what is no file NAME.jsonl is none of a stream");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    put (names[i], "w", "no\n");
  pipe = make_path ("a.jsonl");
  inside = make_path ("b.jsonl");
  link = make_path ("c.jsonl");
  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  g_assert_cmpint (g_mkdir (inside, 0700), ==, 0);
  g_assert_cmpint (symlink ("a.json", link), ==, 0);
  put ("d.jsonl", "w", "yes\n");
  LineSpoolReader *reader = open_start ();
  expect_next (reader, LINE_SPOOL_LINE, "yes");
  expect_next (reader, LINE_SPOOL_WAIT, NULL);
  g_autoptr (GArray) list = line_files_list (folder);
  expect (list->len == 1, "%u files", list->len);
  line_spool_reader_free (reader);
  reader = open_at (&(LineSpoolPosition) {"a.jsonl"});
  expect_soon (reader, LINE_SPOOL_GONE, NULL);
  line_spool_reader_free (reader);
  stop ();
}

/* Streams */

CHECK (folders)
{
  static const char *const names[] = { "cam2", "cam 1", ".hidden", "a+b",
    "\303\244"
  };
  g_autoptr (GPtrArray) streams = line_publish_streams_new ();
  g_autoptr (GHashTable) told = g_hash_table_new_full (g_str_hash, g_str_equal,
      g_free, NULL);

  start ("each folder with a good name is a stream");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = make_path (names[i]);

    g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
  }
  g_autofree char *link = make_path ("link");
  g_assert_cmpint (symlink ("cam2", link), ==, 0);
  put ("file", "w", "");
  for (guint i = 0; i < 2; i++)
    line_publish_streams_find (streams, &line_publish_shapes, folder, told);
  expect (streams->len == 3, "%u streams", streams->len);
  const LinePublishStream *first = g_ptr_array_index (streams, 0);
  expect (strcmp (first->name, "cam 1") == 0
      && g_str_has_suffix (first->path, "/cam 1"), "%s", first->name);
  expect (g_hash_table_size (told) == 2
      && g_hash_table_contains (told, "a+b")
      && g_hash_table_contains (told, "link"), "%u told",
      g_hash_table_size (told));
  /* what can be one now */
  g_unlink (link);
  g_assert_cmpint (g_mkdir (link, 0700), ==, 0);
  line_publish_streams_find (streams, &line_publish_shapes, folder, told);
  expect (streams->len == 4, "%u streams", streams->len);
  stop ();
}

CHECK (counts)
{
  g_autoptr (GPtrArray) streams = line_publish_streams_new ();
  const char *text;
  gsize size;

  start ("lines that were counted and are not there any more do not wait");
  put ("a.jsonl", "w", "one\ntwo\nthree\n");
  LinePublishStream *stream = line_publish_stream_add (streams,
      &line_publish_shapes, "s", folder, &(LineSpoolPosition) {""});
  line_publish_stream_look_ahead (stream);
  expect (stream->n_ahead == 3, "%" G_GUINT64_FORMAT, stream->n_ahead);
  expect_next (stream->reader, LINE_SPOOL_LINE, "one");
  stream->n_read = 1;
  put ("a.jsonl", "w", "I\nII\n");
  /* two and three are in the buffer */
  expect_next (stream->reader, LINE_SPOOL_LINE, "two");
  expect_next (stream->reader, LINE_SPOOL_LINE, "three");
  stream->n_read = 3;
  expect (line_spool_reader_next (stream->reader, &text, &size)
      == LINE_SPOOL_CHANGED, "it is as it was");
  line_publish_stream_count_anew (stream, &line_publish_shapes);
  expect (stream->n_ahead == 5, "%" G_GUINT64_FORMAT, stream->n_ahead);
  /* what was read is read again from the position on */
  stream->on_way = 3;
  line_publish_stream_go_back (stream, &line_publish_shapes);
  expect (stream->on_way == 0 && stream->n_read == 0, "%u on their way",
      stream->on_way);
  expect_next (stream->reader, LINE_SPOOL_LINE, "I");
  stop ();
}

/* Seconds since 1970 */
#define NOW 2000000000

/* Ten bytes, written at @age seconds before NOW */
static void
put_aged (const char *name, gint64 age)
{
  g_autofree char *path = make_path (name);
  const struct utimbuf times = { NOW - age, NOW - age };

  put (name, "w", "123456789\n");
  g_assert_cmpint (utime (path, &times), ==, 0);
}

static void
expect_names (const char *names)
{
  g_autoptr (GString) got = g_string_new (NULL);
  g_autoptr (GArray) list = line_files_list (folder);

  for (guint i = 0; i < list->len; i++)
    g_string_append_c (got, *g_array_index (list, LineFile, i).name);
  expect (strcmp (got->str, names) == 0, "%s in place of %s", got->str, names);
}

static LinePublishKeeper
make_keeper (guint64 most_bytes)
{
  return (LinePublishKeeper) {
    .most_bytes = most_bytes,.late = g_hash_table_new_full (g_str_hash,
        g_str_equal, g_free, NULL)
  };
}

static void
check_now (LinePublishKeeper * keeper, const GPtrArray * streams)
{
  line_publish_keeper_check (keeper, streams, NOW * (gint64) G_USEC_PER_SEC);
}

CHECK (keep)
{
  const LineSpoolPosition at = { "c.jsonl",.offset = 10 };
  g_autoptr (GPtrArray) streams = line_publish_streams_new ();
  LinePublishKeeper keeper = make_keeper (0);

  start ("only files before the saved position are deleted, the oldest first");
  put_aged ("a.jsonl", 400);
  put_aged ("b.jsonl", 300);
  put_aged ("c.jsonl", 200);
  put_aged ("d.jsonl", 100);
  LinePublishStream *stream = line_publish_stream_add (streams,
      &line_publish_shapes, "s", folder, &at);
  check_now (&keeper, streams);
  expect_names ("abcd");
  keeper.most_bytes = 40;
  check_now (&keeper, streams);
  expect_names ("abcd");
  keeper.most_bytes = 39;
  /* acknowledged, but that is not on the disk */
  stream->saved.run[0] = '\0';
  check_now (&keeper, streams);
  expect_names ("abcd");
  expect (keeper.is_held, "not told");
  stream->saved = at;
  check_now (&keeper, streams);
  expect_names ("bcd");
  expect (!keeper.is_held && keeper.deleted == 1, "held");
  keeper.most_bytes = 0;
  keeper.most_days = 250. / (24 * 3600);
  check_now (&keeper, streams);
  expect_names ("cd");
  keeper.most_bytes = 1;
  check_now (&keeper, streams);
  expect_names ("cd");
  expect (keeper.is_held && keeper.deleted == 2 && keeper.gaps == 0, "held");
  g_hash_table_unref (keeper.late);
  stop ();
}

CHECK (keep_streams)
{
  g_autoptr (GPtrArray) streams = line_publish_streams_new ();
  LinePublishKeeper keeper = make_keeper (30);

  start ("the oldest files of all streams are deleted, as many as are too much");
  for (guint i = 0; i < 2; i++) {
    g_autofree char *name = g_strdup_printf ("s%u", i);
    g_autofree char *path = make_path (name);
    g_autofree char *first = g_build_filename (name, "a.jsonl", NULL);
    g_autofree char *second = g_build_filename (name, "b.jsonl", NULL);
    g_autofree char *third = g_build_filename (name, "c.jsonl", NULL);

    g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
    put_aged (first, i == 0 ? 300 : 500);
    put_aged (second, i == 0 ? 200 : 400);
    put_aged (third, 100);
    line_publish_stream_add (streams, &line_publish_shapes, name, path,
        &(LineSpoolPosition) {"c.jsonl",.offset = 10});
  }
  check_now (&keeper, streams);
  expect (keeper.deleted == 3 && !keeper.is_held, "%" G_GUINT64_FORMAT,
      keeper.deleted);
  for (guint i = 0; i < 2; i++) {
    const LinePublishStream *stream = g_ptr_array_index (streams, i);
    g_autoptr (GArray) list = line_files_list (stream->path);

    expect (list->len == 2 - i, "%u of stream %u", list->len, i);
  }
  g_hash_table_unref (keeper.late);
  stop ();
}

/* As when the clock was set back, or two pipelines write to one folder */
CHECK (late)
{
  const LineSpoolPosition at = { "d.jsonl",.offset = 10 };
  g_autoptr (GPtrArray) streams = line_publish_streams_new ();
  LinePublishKeeper keeper = make_keeper (1);

  start ("what was written after the file behind it is told, and kept");
  put_aged ("a.jsonl", 400);
  put_aged ("b.jsonl", 100);
  put_aged ("c.jsonl", 300);
  put_aged ("d.jsonl", 50);
  line_publish_stream_add (streams, &line_publish_shapes, "s", folder, &at);
  for (guint i = 0; i < 2; i++)
    check_now (&keeper, streams);
  expect_names ("bcd");
  expect (keeper.gaps == 1, "%" G_GUINT64_FORMAT " told", keeper.gaps);
  g_hash_table_unref (keeper.late);
  stop ();
}

/* Its time says nothing if the one behind was written again. */
CHECK (grown)
{
  const LineSpoolPosition at = { "d.jsonl",.offset = 10 };
  g_autoptr (GPtrArray) streams = line_publish_streams_new ();
  LinePublishKeeper keeper = make_keeper (1);

  start ("what has grown since it was left is told, and kept");
  for (guint i = 0; i < 4; i++) {
    const char name[] = { 'a' + i, '.', 'j', 's', 'o', 'n', 'l', 0 };

    put_aged (name, 400 - 100 * i);
  }
  LinePublishStream *stream = line_publish_stream_add (streams,
      &line_publish_shapes, "s", folder, &at);
  line_publish_stream_leave (stream, "b.jsonl", 3);
  for (guint i = 0; i < 2; i++)
    check_now (&keeper, streams);
  expect_names ("bcd");
  expect (keeper.gaps == 1, "%" G_GUINT64_FORMAT " told", keeper.gaps);
  g_hash_table_unref (keeper.late);
  stop ();
}

CHECKS
