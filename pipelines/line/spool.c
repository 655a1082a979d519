/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* renameat2() */
#define _GNU_SOURCE

#include "spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "decisions-"
#define SUFFIX ".jsonl"
#define MOST_NUMBER 999999999

/* Under this name a segment is made. */
#define NEXT "decisions.jsonl.new"

/* With the number after the last one */
#define MOST_NAME sizeof (PREFIX "1000000000" SUFFIX)

static const char *
name_segment (char name[MOST_NAME], guint number, gboolean is_closed)
{
  if (!is_closed)
    return LINE_SPOOL_CURRENT;
  g_snprintf (name, MOST_NAME, PREFIX "%06u" SUFFIX, number);
  return name;
}

char *
line_spool_get_path (const char *folder, guint number, gboolean is_closed)
{
  char name[MOST_NAME];

  return g_build_filename (folder, name_segment (name, number, is_closed),
      NULL);
}

/* Returns: the number in a closed segment's name, as it would be written; 0 if it
 * is none */
static guint
read_number (const char *name)
{
  char right[MOST_NAME];

  if (!g_str_has_prefix (name, PREFIX))
    return 0;
  guint64 number = g_ascii_strtoull (name + strlen (PREFIX), NULL, 10);
  return number <= MOST_NUMBER
      && strcmp (name, name_segment (right, number, TRUE)) == 0 ? number : 0;
}

static void
add_segment (GArray * segments, const LineFolder * folder, guint number,
    gboolean is_closed)
{
  LineSpoolSegment segment = { number,.is_closed = is_closed };
  char name[MOST_NAME];

  if (line_folder_look (folder, name_segment (name, number, is_closed),
          &segment.size, &segment.written_at)) {
    segment.written_at /= G_USEC_PER_SEC;
    g_array_append_val (segments, segment);
  }
}

static int
compare_segments (gconstpointer a, gconstpointer b)
{
  const LineSpoolSegment *x = a, *y = b;

  return (x->number > y->number) - (x->number < y->number);
}

GArray *
line_spool_list (const LineFolder * folder)
{
  GArray *segments = g_array_new (FALSE, FALSE, sizeof (LineSpoolSegment));
  guint last = 0;

  if (!folder)
    return segments;
  g_autoptr (GPtrArray) names = line_folder_list (folder);
  for (guint i = 0; i < names->len; i++) {
    guint number = read_number (names->pdata[i]);

    if (number > 0)
      add_segment (segments, folder, number, TRUE);
    last = MAX (last, number);
  }
  g_array_sort (segments, compare_segments);
  add_segment (segments, folder, last + 1, FALSE);
  return segments;
}

gboolean
line_spool_is_closed (const LineFolder * folder, guint number)
{
  char name[MOST_NAME];

  return folder && line_folder_look (folder, name_segment (name, number, TRUE),
      NULL, NULL);
}

/* Only regular files are segments, as in line_spool_list(). */
static int
open_segment (const LineFolder * folder, guint number, gboolean is_closed)
{
  char name[MOST_NAME];
  int fd = line_folder_read (folder, name_segment (name, number, is_closed),
      NULL, NULL);

  if (fd < 0 && (errno == EINVAL || errno == ELOOP))
    errno = ENOENT;
  return fd;
}

/* The number that decisions.jsonl has, if it is there. */
static guint
find_last_number (const LineFolder * folder)
{
  g_autoptr (GArray) segments = line_spool_list (folder);
  guint n = segments->len, number = 0;

  if (n > 0 && !g_array_index (segments, LineSpoolSegment, n - 1).is_closed)
    number = g_array_index (segments, LineSpoolSegment, n - 1).number;
  return number;
}

int
line_spool_open (const LineFolder * folder, guint number)
{
  int fd = -1;

  errno = ENOENT;
  if (folder)
    fd = open_segment (folder, number, TRUE);
  if (fd >= 0 || errno != ENOENT || !folder)
    return fd;
  if (find_last_number (folder) == number) {
    fd = open_segment (folder, number, FALSE);
    if (fd < 0 && errno != ENOENT)
      return -1;
  }
  /* it may have been closed meanwhile: then none, or another one, has the name */
  if (fd >= 0 && !line_spool_is_closed (folder, number))
    return fd;
  if (fd >= 0)
    close (fd);
  return open_segment (folder, number, TRUE);
}

gboolean
line_spool_delete (const LineFolder * folder, const LineSpoolSegment * segment)
{
  char name[MOST_NAME];

  return unlinkat (line_folder_get_fd (folder), name_segment (name,
          segment->number, segment->is_closed), 0) == 0;
}

/* Gives both files their names, or none. */
static gboolean
rename_both (int folder, const char *closed)
{
  int failed = renameat2 (folder, LINE_SPOOL_CURRENT, folder, closed,
      RENAME_NOREPLACE);

  /* not all file systems have it */
  if (failed && errno == EINVAL)
    failed = faccessat (folder, closed, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ?
        (errno = EEXIST, -1) :
        renameat (folder, LINE_SPOOL_CURRENT, folder, closed);
  if (failed)
    return FALSE;
  if (renameat (folder, NEXT, folder, LINE_SPOOL_CURRENT) != 0) {
    int code = errno;

    (void) !renameat (folder, closed, folder, LINE_SPOOL_CURRENT);
    errno = code;
    return FALSE;
  }
  return TRUE;
}

int
line_spool_cut (const LineFolder * folder, int fd, guint number,
    GError ** error)
{
  const int in = line_folder_get_fd (folder);
  char closed[MOST_NAME];
  int new = line_folder_create_anew (folder, NEXT, error);

  if (new < 0)
    return -1;
  line_folder_claim (new);
  name_segment (closed, number, TRUE);
  if (fdatasync (fd) != 0 || !rename_both (in, closed)) {
    line_fail (error, LINE_ERROR_FILE, "%s/%s: %s",
        line_folder_get_path (folder), closed, g_strerror (errno));
    close (new);
    unlinkat (in, NEXT, 0);
    return -1;
  }
  close (fd);
  line_folder_sync (folder);
  return new;
}
