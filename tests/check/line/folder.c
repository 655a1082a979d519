/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Folders of outputs: what is there stays whole, and says what is in its way.
 * folders.py plants things in them. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "full.h"
#include "publish/folder.h"

static char *
load (const LineFolder * folder, const char *name)
{
  gsize size;
  char *text;

  g_assert_true (line_folder_load (folder, name, 100, &text, &size, NULL));
  g_assert_cmpuint (strlen (text), ==, size);
  return text;
}

/* A disk that is full leaves the old file, and nothing beside it. */
static void
test_save (const LineFolder * folder)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (line_folder_save (folder, "a", "first", 5, NULL));
  limit_files (5);
  g_assert_false (line_folder_save (folder, "a", "second", 6, &error));
  limit_files (RLIM_INFINITY);
  g_assert_cmpint (errno, ==, EFBIG);
  g_assert_nonnull (strstr (error->message, line_folder_get_path (folder)));
  g_autofree char *text = load (folder, "a");
  g_assert_cmpstr (text, ==, "first");
  g_free (text);
  g_autoptr (GPtrArray) names = line_folder_list (folder);
  /* with . and .. */
  g_assert_cmpuint (names->len, ==, 3);
  g_assert_true (line_folder_save (folder, "a", "2", 1, NULL));
  text = load (folder, "a");
  g_assert_cmpstr (text, ==, "2");
}

/* What a function has said of something that is not what it wants. */
static void
expect_refusal (int fd, int code, const char *says, GError ** error)
{
  const int got = errno;

  g_assert_cmpint (fd, ==, -1);
  g_assert_cmpint (got, ==, code);
  g_assert_nonnull (strstr ((*error)->message, says));
  g_clear_error (error);
}

static void
test_refusals (const LineFolder * folder)
{
  const int in = line_folder_get_fd (folder);
  GError *error = NULL;
  guint64 size = 0;

  g_assert_cmpint (symlinkat ("a", in, "link"), ==, 0);
  g_assert_cmpint (mkfifoat (in, "pipe", 0600), ==, 0);
  g_assert_cmpint (linkat (in, "a", in, "b", 0), ==, 0);
  expect_refusal (line_folder_read (folder, "link", NULL, &error), ELOOP,
      "link: ", &error);
  expect_refusal (line_folder_write_over (folder, "link", &error), ELOOP,
      "symbolic link", &error);
  expect_refusal (line_folder_create (folder, "link", &error), EEXIST,
      "nothing is ever overwritten", &error);
  expect_refusal (line_folder_read (folder, "pipe", NULL, &error), EINVAL,
      "a pipe", &error);
  expect_refusal (line_folder_write_over (folder, "pipe", &error), ENXIO,
      "pipe: ", &error);
  expect_refusal (line_folder_write_over (folder, "b", &error), EINVAL,
      "another name", &error);
  expect_refusal (line_folder_read (folder, "none", NULL, &error), ENOENT,
      "none: ", &error);
  g_assert_false (line_folder_look (folder, "link", NULL, NULL));
  g_assert_false (line_folder_look (folder, "pipe", NULL, NULL));
  g_assert_true (line_folder_look (folder, "b", &size, NULL) && size == 1);
  g_assert_null (line_folder_open_inside (folder, "link", FALSE, NULL));
  g_assert_null (line_folder_open_inside (folder, "a", TRUE, NULL));
  for (guint i = 0; i < 4; i++)
    unlinkat (in, ((const char *[]) {"a", "b", "link", "pipe"})[i], 0);
}

/* It stays the same folder when its path is another one's. */
static void
test_path (const char *path)
{
  g_autofree char *old = g_build_filename (path, "old", NULL);
  g_autofree char *name = g_build_filename (path, "deep", "folder", NULL);
  LineFolder *folder = line_folder_open (name, TRUE, NULL);
  g_autofree char *text = NULL, *file = g_build_filename (old, "a", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (folder);
  g_assert_cmpint (g_rename (name, old), ==, 0);
  g_assert_cmpint (symlink ("/", name), ==, 0);
  g_assert_true (line_folder_save (folder, "a", "x", 1, NULL));
  g_assert_true (g_file_get_contents (file, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "x");
  line_folder_unref (folder);
  g_assert_null (line_folder_open (file, TRUE, &error));
  g_assert_nonnull (strstr (error->message, file));
  g_unlink (name);
  g_unlink (file);
  g_rmdir (old);
  *strrchr (name, G_DIR_SEPARATOR) = '\0';
  g_rmdir (name);
}

int
main (void)
{
  g_autofree char *path = g_dir_make_tmp ("line-XXXXXX", NULL);
  LineFolder *folder = line_folder_open (path, FALSE, NULL);

  signal (SIGXFSZ, SIG_IGN);
  g_assert_nonnull (folder);
  test_save (folder);
  test_refusals (folder);
  test_path (path);
  line_folder_unref (folder);
  g_assert_cmpint (g_rmdir (path), ==, 0);
  return 0;
}
