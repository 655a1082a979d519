/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* F_OFD_SETLK, renameat2() */
#define _GNU_SOURCE

#include "spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "decisions-"
#define SUFFIX ".jsonl"
#define MOST_DIGITS 9

/* Under this name a segment is made. */
#define NEXT "decisions.jsonl.new"

char *
line_spool_get_path (const char *folder, guint number, gboolean is_closed)
{
  if (!is_closed)
    return g_build_filename (folder, LINE_SPOOL_CURRENT, NULL);
  return g_strdup_printf ("%s" G_DIR_SEPARATOR_S PREFIX "%06u" SUFFIX, folder,
      number);
}

/* Returns: the number in a closed segment's name; 0 if it is none */
static guint
read_number (const char *name)
{
  const char *digits = name + strlen (PREFIX);
  char *end;
  guint64 number;

  if (!g_str_has_prefix (name, PREFIX) || !g_ascii_isdigit (digits[0]))
    return 0;
  number = g_ascii_strtoull (digits, &end, 10);
  return end - digits >= 6 && end - digits <= MOST_DIGITS
      && strcmp (end, SUFFIX) == 0 ? number : 0;
}

static void
add_segment (GArray * segments, const char *folder, guint number,
    gboolean is_closed)
{
  char *path = line_spool_get_path (folder, number, is_closed);
  struct stat status;

  if (stat (path, &status) == 0 && S_ISREG (status.st_mode)) {
    LineSpoolSegment segment = { number, status.st_size, status.st_mtime,
      is_closed
    };

    g_array_append_val (segments, segment);
  }
  g_free (path);
}

static int
compare_segments (gconstpointer a, gconstpointer b)
{
  const LineSpoolSegment *x = a, *y = b;

  return (x->number > y->number) - (x->number < y->number);
}

GArray *
line_spool_list (const char *folder)
{
  GArray *segments = g_array_new (FALSE, FALSE, sizeof (LineSpoolSegment));
  GDir *names = g_dir_open (folder, 0, NULL);
  const char *name;
  guint last = 0;

  while (names && (name = g_dir_read_name (names))) {
    guint number = read_number (name);

    if (number > 0)
      add_segment (segments, folder, number, TRUE);
    last = MAX (last, number);
  }
  g_clear_pointer (&names, g_dir_close);
  g_array_sort (segments, compare_segments);
  add_segment (segments, folder, last + 1, FALSE);
  return segments;
}

gboolean
line_spool_is_closed (const char *folder, guint number)
{
  char *path = line_spool_get_path (folder, number, TRUE);
  gboolean is_closed = access (path, F_OK) == 0;

  g_free (path);
  return is_closed;
}

static int
open_path (const char *folder, guint number, gboolean is_closed)
{
  char *path = line_spool_get_path (folder, number, is_closed);
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  int code = errno;
  struct stat status;

  /* what line_spool_list() has not: it might never end */
  if (fd >= 0 && (fstat (fd, &status) != 0 || !S_ISREG (status.st_mode))) {
    close (fd);
    fd = -1;
    code = ENOENT;
  }
  g_free (path);
  errno = code;
  return fd;
}

/* The number that decisions.jsonl has, if it is there. */
static guint
find_last_number (const char *folder)
{
  GArray *segments = line_spool_list (folder);
  guint n = segments->len, number = 0;

  if (n > 0 && !g_array_index (segments, LineSpoolSegment, n - 1).is_closed)
    number = g_array_index (segments, LineSpoolSegment, n - 1).number;
  g_array_unref (segments);
  return number;
}

int
line_spool_open (const char *folder, guint number)
{
  int fd = open_path (folder, number, TRUE);

  if (fd >= 0 || errno != ENOENT)
    return fd;
  if (find_last_number (folder) != number) {
    /* after what lists the folder, which changes it */
    errno = ENOENT;
    return -1;
  }
  /* it may be closed meanwhile, after which another one has the name */
  fd = open_path (folder, number, FALSE);
  if (fd >= 0 && line_spool_is_closed (folder, number)) {
    close (fd);
    fd = open_path (folder, number, TRUE);
  }
  return fd;
}

gboolean
line_spool_claim (int fd)
{
  struct flock lock = {.l_type = F_WRLCK,.l_whence = SEEK_SET };

  return fcntl (fd, F_OFD_SETLK, &lock) == 0
      || (errno != EAGAIN && errno != EACCES);
}

gboolean
line_spool_is_claimed (int fd)
{
  struct flock lock = {.l_type = F_RDLCK,.l_whence = SEEK_SET };

  return fcntl (fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

static void
sync_folder (const char *folder)
{
  int fd = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (fd >= 0) {
    fsync (fd);
    close (fd);
  }
}

/* Gives both files their names, or none. */
static gboolean
rename_both (const char *next, const char *current, const char *closed)
{
  int failed = renameat2 (AT_FDCWD, current, AT_FDCWD, closed,
      RENAME_NOREPLACE);

  /* not all file systems have it */
  if (failed && errno == EINVAL)
    failed = access (closed, F_OK) == 0 ? (errno = EEXIST, -1) :
        rename (current, closed);
  if (failed)
    return FALSE;
  if (rename (next, current) != 0) {
    int code = errno;

    (void) !rename (closed, current);
    errno = code;
    return FALSE;
  }
  return TRUE;
}

int
line_spool_cut (const char *folder, int fd, guint number, GError ** error)
{
  char *next = g_build_filename (folder, NEXT, NULL);
  char *current = line_spool_get_path (folder, number, FALSE);
  char *closed = line_spool_get_path (folder, number, TRUE);
  int new = open (next, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC,
      0666);

  if (new >= 0)
    line_spool_claim (new);
  if (new < 0 || fdatasync (fd) != 0 || !rename_both (next, current, closed)) {
    g_set_error (error, LINE_ERROR, LINE_ERROR_FILE, "%s: %s", closed,
        g_strerror (errno));
    if (new >= 0) {
      close (new);
      unlink (next);
    }
    new = -1;
  } else {
    close (fd);
    sync_folder (folder);
  }
  g_free (closed);
  g_free (current);
  g_free (next);
  return new;
}
