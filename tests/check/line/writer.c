/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* LineWriter, with a disk that is full for a while: a limit on files' size */

#include <signal.h>
#include <string.h>

#include <glib/gstdio.h>

#include "full.h"
#include "writer.h"

#define RECORD "0123456789abcde\n"
#define SIZE 16

static char *
make_path (const LineFolder * in, const char *name)
{
  return g_build_filename (line_folder_get_path (in), name, NULL);
}

static void
append (LineWriter * writer, gint file, gboolean has_room)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (RECORD, SIZE);

  g_assert_true (line_writer_append (writer, file, bytes) == has_room);
}

static gsize
count_records (const char *path)
{
  g_autofree char *text = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &text, &size, NULL));
  /* whole ones only */
  g_assert_cmpuint (size % SIZE, ==, 0);
  for (gsize i = 0; i < size; i += SIZE)
    g_assert_true (memcmp (text + i, RECORD, SIZE) == 0);
  return size / SIZE;
}

static void
wait_until_written (LineWriter * writer, gint file, guint64 n)
{
  guint64 written = 0, dropped;

  for (guint i = 0; i < 3000 && written < n; i++) {
    line_writer_get_counts (writer, file, &written, &dropped);
    g_usleep (10000);
  }
  g_assert_cmpuint (written, ==, n);
}

static void
test_order (const LineFolder * in)
{
  g_autofree char *one = make_path (in, "one"), *two = make_path (in, "two");
  LineWriter *writer = line_writer_new ();
  gint files[2] = { line_writer_add (writer, in, "one", 1 << 20, NULL),
    line_writer_add (writer, in, "two", 1 << 20, NULL)
  };
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (line_writer_add (writer, in, "one", 1, &error), ==, -1);
  g_assert_nonnull (strstr (error->message, "nothing is ever overwritten"));
  for (guint i = 0; i < 3000; i++)
    append (writer, files[i % 3 == 0], TRUE);
  wait_until_written (writer, files[0], 2000);
  wait_until_written (writer, files[1], 1000);
  line_writer_free (writer);
  g_assert_cmpuint (count_records (one), ==, 2000);
  g_assert_cmpuint (count_records (two), ==, 1000);
  g_unlink (one);
  g_unlink (two);
}

/* Full in the middle of the fourth record: it and those after it wait, as many
 * as there is room for; then there is space again. */
static void
test_full (const LineFolder * in)
{
  g_autofree char *path = make_path (in, "full");
  LineWriter *writer = line_writer_new ();
  gint file = line_writer_add (writer, in, "full", 10 * SIZE, NULL);
  g_autofree char *other_path = make_path (in, "other");
  gint other = line_writer_add (writer, in, "other", 100, NULL);
  guint64 written, dropped = 0;
  guint n_dropped = 0;

  limit_files (3 * SIZE + 5);
  for (guint i = 0; i < 3; i++)
    append (writer, file, TRUE);
  wait_until_written (writer, file, 3);
  for (guint i = 0; i < 10; i++)
    append (writer, file, TRUE);
  for (guint i = 0; i < 4; i++, n_dropped++)
    append (writer, file, FALSE);
  /* another file goes on */
  append (writer, other, TRUE);
  wait_until_written (writer, other, 1);
  guint pulse = line_writer_get_pulse (writer);
  /* it tries again each second */
  for (guint i = 0; i < 3000 && line_writer_get_pulse (writer) == pulse; i++)
    g_usleep (10000);
  g_assert_cmpuint (line_writer_get_pulse (writer), !=, pulse);
  line_writer_get_counts (writer, file, &written, &dropped);
  g_assert_cmpuint (written, ==, 3);
  g_assert_cmpuint (dropped, ==, n_dropped);
  limit_files (RLIM_INFINITY);
  wait_until_written (writer, file, 13);
  line_writer_free (writer);
  g_assert_cmpuint (count_records (path), ==, 13);
  g_unlink (path);
  g_unlink (other_path);
}

/* Full until the end: what could not be written is not there by half. */
static void
test_full_to_the_end (const LineFolder * in)
{
  g_autofree char *path = make_path (in, "end");
  LineWriter *writer = line_writer_new ();
  gint file = line_writer_add (writer, in, "end", 1 << 20, NULL);
  guint64 written, dropped;

  limit_files (3 * SIZE + 5);
  for (guint i = 0; i < 10; i++)
    append (writer, file, TRUE);
  line_writer_close (writer);
  line_writer_get_counts (writer, file, &written, &dropped);
  g_assert_cmpuint (written, ==, 3);
  g_assert_cmpuint (dropped, ==, 7);
  append (writer, file, FALSE);
  line_writer_free (writer);
  limit_files (RLIM_INFINITY);
  g_assert_cmpuint (count_records (path), ==, 3);
  g_unlink (path);
}

/* Appends until @is_so. */
static void
append_until (LineWriter * writer, gint file, gboolean (*is_so) (const char *path,
        guint64 dropped), const char *path)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (RECORD, SIZE);
  guint64 written, dropped = 0;

  for (guint i = 0; i < 3000 && !is_so (path, dropped); i++) {
    line_writer_append (writer, file, bytes);
    line_writer_get_counts (writer, file, &written, &dropped);
    g_usleep (10000);
  }
  g_assert_true (is_so (path, dropped));
}

static gboolean
is_there (const char *path, guint64 dropped)
{
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

static gboolean
is_dropped (const char *path, guint64 dropped)
{
  return dropped > 0;
}

/* Somebody removes the file: what follows is in another one of its name. */
static void
test_replaced (const LineFolder * in)
{
  g_autofree char *path = make_path (in, "replaced");
  LineWriter *writer = line_writer_new ();
  gint file = line_writer_add (writer, in, "replaced", 1 << 20, NULL);

  append (writer, file, TRUE);
  wait_until_written (writer, file, 1);
  g_unlink (path);
  append_until (writer, file, is_there, path);
  append (writer, file, TRUE);
  append (writer, file, TRUE);
  line_writer_free (writer);
  g_assert_cmpuint (count_records (path), >=, 2);
  g_unlink (path);
}

/* The same of its folder: what follows counts as not written. */
static void
test_removed (const LineFolder * above)
{
  LineFolder *in = line_folder_open_inside (above, "removed", TRUE, NULL);
  g_autofree char *path = make_path (in, "file");
  LineWriter *writer = line_writer_new ();
  gint file = line_writer_add (writer, in, "file", 1 << 20, NULL);

  append (writer, file, TRUE);
  wait_until_written (writer, file, 1);
  g_unlink (path);
  g_assert_cmpint (g_rmdir (line_folder_get_path (in)), ==, 0);
  append_until (writer, file, is_dropped, path);
  append (writer, file, FALSE);
  line_writer_free (writer);
  line_folder_unref (in);
}

int
main (void)
{
  g_autofree char *folder = g_dir_make_tmp ("line-XXXXXX", NULL);
  LineFolder *in = line_folder_open (folder, FALSE, NULL);

  signal (SIGXFSZ, SIG_IGN);
  test_order (in);
  test_full (in);
  test_full_to_the_end (in);
  test_replaced (in);
  test_removed (in);
  line_folder_unref (in);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  return 0;
}
