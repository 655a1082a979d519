/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "files.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "folder.h"

#define SUFFIX ".jsonl"

struct _LineSpoolFiles
{
  char *path;
  gint64 looked_at;
};

static gboolean
is_name (const char *name)
{
  return *name != '.' && !strchr (name, '/') && strlen (name) < LINE_SPOOL_NAME
      && g_str_has_suffix (name, SUFFIX) && cs_text_is_all_plain (name);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (((const LineFile *) a)->name, ((const LineFile *) b)->name);
}

GArray *
line_files_list (const char *path)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (LineFile));
  g_autoptr (LineFolder) folder = line_folder_open (path, FALSE, NULL);

  if (!folder)
    return list;
  g_autoptr (GPtrArray) names = line_folder_list (folder);
  for (guint i = 0; i < names->len; i++) {
    const char *name = g_ptr_array_index (names, i);
    LineFile file;

    if (!is_name (name)
        || !line_folder_look (folder, name, &file.size, &file.written_at))
      continue;
    g_strlcpy (file.name, name, sizeof (file.name));
    g_array_append_val (list, file);
  }
  g_array_sort (list, compare_names);
  return list;
}

static LineSpoolFiles *
open_files (const char *path)
{
  LineSpoolFiles *files = g_new0 (LineSpoolFiles, 1);

  files->path = g_strdup (path);
  return files;
}

static void
close_files (LineSpoolFiles * files)
{
  g_free (files->path);
  g_free (files);
}

/* Returns: a descriptor, or -1 with errno. What is no regular file is not
 * there. */
static int
open_name (const LineSpoolFiles * files, const char *name)
{
  g_autoptr (LineFolder) folder = line_folder_open (files->path, FALSE, NULL);
  int fd = folder ? line_folder_read (folder, name, NULL, NULL) : -1;

  if (fd < 0 && (errno == EINVAL || errno == ELOOP || errno == ENOTDIR))
    errno = ENOENT;
  return fd;
}

static int
open_file (LineSpoolFiles * files, const LineSpoolPosition * at)
{
  return open_name (files, at->run);
}

/* Whether the name belongs to another file than @fd. */
static gboolean
is_replaced (const LineSpoolFiles * files, const char *name, int fd)
{
  g_autofree char *path = g_build_filename (files->path, name, NULL);
  struct stat ours, theirs;

  return lstat (path, &theirs) == 0 && S_ISREG (theirs.st_mode)
      && fstat (fd, &ours) == 0
      && (ours.st_ino != theirs.st_ino || ours.st_dev != theirs.st_dev);
}

/* The first name behind @name. Returns: FALSE if there is none */
static gboolean
find_behind (const LineSpoolFiles * files, const char *name,
    char next[LINE_SPOOL_NAME])
{
  g_autoptr (LineFolder) folder = line_folder_open (files->path, FALSE, NULL);
  const char *first = NULL;

  if (!folder)
    return FALSE;
  g_autoptr (GPtrArray) names = line_folder_list (folder);
  for (guint i = 0; i < names->len; i++) {
    const char *one = g_ptr_array_index (names, i);

    if (strcmp (one, name) > 0 && (!first || strcmp (one, first) < 0)
        && is_name (one) && line_folder_look (folder, one, NULL, NULL))
      first = one;
  }
  if (first)
    g_strlcpy (next, first, LINE_SPOOL_NAME);
  return first != NULL;
}

static gboolean
is_complete (LineSpoolFiles * files, const LineSpoolPosition * at, int fd)
{
  char next[LINE_SPOOL_NAME];

  return line_spool_may_look (&files->looked_at) && (is_replaced (files, at->run, fd)
      || find_behind (files, at->run, next));
}

static LineSpoolResult
find_next (LineSpoolFiles * files, const LineSpoolPosition * at, int fd,
    LineSpoolPosition * next)
{
  if (fd >= 0 && is_replaced (files, at->run, fd))
    g_strlcpy (next->run, at->run, LINE_SPOOL_NAME);
  else if ((fd < 0 && !line_spool_may_look (&files->looked_at))
      || !find_behind (files, at->run, next->run))
    return LINE_SPOOL_WAIT;
  files->looked_at = 0;
  return fd >= 0 || !*at->run ? LINE_SPOOL_LINE : LINE_SPOOL_GONE;
}

static char *
get_path (LineSpoolFiles * files, const LineSpoolPosition * at)
{
  return g_build_filename (files->path, at->run, NULL);
}

static guint64
count_bytes (LineSpoolFiles * files, const LineSpoolPosition * at)
{
  g_autoptr (GArray) list = line_files_list (files->path);
  guint64 bytes = 0;

  for (guint i = 0; i < list->len; i++) {
    const LineFile *file = &g_array_index (list, LineFile, i);
    const int order = strcmp (file->name, at->run);

    if (order > 0)
      bytes += file->size;
    else if (order == 0)
      bytes += file->size - MIN (file->size, at->offset);
  }
  return bytes;
}

const LineSpoolClass line_files_by_name = {
  LINE_FILES_LONGEST, FALSE, is_name, open_files, close_files,
  open_file, is_complete, find_next, get_path, count_bytes
};
