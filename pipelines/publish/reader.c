/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "reader.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK (64 << 10)

/* Microseconds from one look at a folder to the next */
#define LOOK (G_USEC_PER_SEC / 4)

/* Bytes that are read at once: more than a line has, but for those that are
 * passed over, which others need not wait for */
#define MOST_AT_ONCE (16 << 20)

/* Bytes of a line that its check is of: where the numbers of a frame are */
#define CHECKED 256

/* @begin, @end: what is in the buffer and was not returned
 * @searched: of it has no newline
 * @is_passing: in a line that is too long; its first @passed bytes are gone
 * @is_complete: the file has all that it will ever have
 * @last: before what next() returned last */
struct _LineSpoolReader
{
  const LineSpoolClass *class;
  LineSpoolFiles *files;
  LineSpoolPosition position, last;
  int fd;
  char *buffer;
  gsize room, begin, end, searched;
  gboolean is_passing, is_complete;
  guint64 passed;
};

gboolean
line_spool_is_same (const LineSpoolPosition * a, const LineSpoolPosition * b)
{
  return strcmp (a->run, b->run) == 0 && a->segment == b->segment
      && a->offset == b->offset && a->check == b->check;
}

gboolean
line_spool_may_look (gint64 * looked_at)
{
  const gint64 now = g_get_monotonic_time ();

  if (*looked_at != 0 && now - *looked_at < LOOK)
    return FALSE;
  *looked_at = now;
  return TRUE;
}

/* FNV-1a */
static guint32
make_check (const char *bytes, gsize size)
{
  guint32 check = 2166136261u;

  for (gsize i = 0; i < size; i++)
    check = (check ^ (guchar) bytes[i]) * 16777619u;
  return check;
}

void
line_spool_expect_newline (LineSpoolPosition * position)
{
  position->last = MIN (position->offset, 1);
  position->check = make_check ("\n", position->last);
}

LineSpoolReader *
line_spool_reader_new (const LineSpoolClass * class, const char *folder,
    const LineSpoolPosition * from)
{
  LineSpoolReader *reader = g_new0 (LineSpoolReader, 1);

  reader->class = class;
  reader->files = class->open (folder);
  reader->position = reader->last = *from;
  reader->fd = -1;
  reader->room = CHUNK;
  reader->buffer = g_malloc (reader->room);
  return reader;
}

static void
close_file (LineSpoolReader * reader)
{
  if (reader->fd >= 0)
    close (reader->fd);
  reader->fd = -1;
  reader->begin = reader->end = reader->searched = 0;
  reader->is_complete = reader->is_passing = FALSE;
  reader->passed = 0;
}

void
line_spool_reader_free (LineSpoolReader * reader)
{
  close_file (reader);
  g_free (reader->buffer);
  reader->class->close (reader->files);
  g_free (reader);
}

/* Goes to the file behind, if there is one, as find_next() says. */
static LineSpoolResult
go_on (LineSpoolReader * reader)
{
  LineSpoolPosition next = { "" };
  LineSpoolResult result = reader->class->find_next (reader->files,
      &reader->position, reader->fd, &next);

  if (result != LINE_SPOOL_WAIT) {
    close_file (reader);
    reader->position = next;
  }
  return result;
}

/* Returns: LINE_SPOOL_LINE to go on */
static LineSpoolResult
open_file (LineSpoolReader * reader)
{
  if (!*reader->position.run)
    return go_on (reader);
  reader->fd = reader->class->open_file (reader->files, &reader->position);
  if (reader->fd < 0 && errno == ENOENT)
    return go_on (reader);
  if (reader->fd < 0
      || lseek (reader->fd, reader->position.offset, SEEK_SET) < 0)
    return LINE_SPOOL_ERROR;
  return LINE_SPOOL_LINE;
}

/* Whether the file has not the line before the position. */
static gboolean
is_changed (const LineSpoolReader * reader)
{
  const LineSpoolPosition *at = &reader->position;
  const gsize size = MIN (at->last, CHECKED);
  char bytes[CHECKED];

  return size > 0 && (pread (reader->fd, bytes, size, at->offset - at->last)
      != (gssize) size || make_check (bytes, size) != at->check);
}

/* Whether the file has not what was read of an unfinished line: its writer may
 * have taken half a line back. */
static gboolean
is_taken_back (const LineSpoolReader * reader)
{
  const gsize n = reader->end - reader->begin, more = MIN (n, CHECKED);
  const guint64 read_to = reader->position.offset + reader->passed + n;
  char bytes[CHECKED];
  struct stat status;

  if (read_to == reader->position.offset)
    return FALSE;
  return fstat (reader->fd, &status) != 0
      || (guint64) status.st_size < read_to
      || (more > 0 && (pread (reader->fd, bytes, more,
              reader->position.offset + reader->passed) != (gssize) more
          || memcmp (bytes, reader->buffer + reader->begin, more) != 0));
}

/* Returns: FALSE with errno */
static gboolean
read_line_again (LineSpoolReader * reader)
{
  reader->begin = reader->end = reader->searched = 0;
  reader->is_complete = reader->is_passing = FALSE;
  reader->passed = 0;
  return lseek (reader->fd, reader->position.offset, SEEK_SET) >= 0;
}

static void
begin_anew (LineSpoolReader * reader)
{
  close_file (reader);
  reader->last = reader->position;
  reader->position.offset = reader->position.lines = 0;
  reader->position.last = reader->position.check = 0;
}

static gssize
fill (LineSpoolReader * reader)
{
  gssize n;

  if (reader->begin > 0) {
    memmove (reader->buffer, reader->buffer + reader->begin,
        reader->end - reader->begin);
    reader->end -= reader->begin;
    reader->searched -= reader->begin;
    reader->begin = 0;
  }
  if (reader->end == reader->room) {
    reader->room = MIN (2 * reader->room, reader->class->longest + CHUNK);
    reader->buffer = g_realloc (reader->buffer, reader->room);
  }
  do
    n = read (reader->fd, reader->buffer + reader->end,
        reader->room - reader->end);
  while (n < 0 && errno == EINTR);
  reader->end += MAX (n, 0);
  return n;
}

/* Passes over @size bytes of the buffer, which end a line. */
static void
end_line (LineSpoolReader * reader, gsize size)
{
  LineSpoolPosition *at = &reader->position;
  /* the beginning of a long line is gone */
  const gsize last = reader->passed > 0 ? MIN (size, 1) : size;

  reader->last = *at;
  reader->begin += size;
  reader->searched = reader->begin;
  at->offset += reader->passed + size;
  at->lines++;
  at->last = last;
  at->check = make_check (reader->buffer + reader->begin - last,
      MIN (last, CHECKED));
  reader->passed = 0;
  reader->is_passing = FALSE;
}

/* Returns: LINE_SPOOL_WAIT if there is no whole line in the buffer */
static LineSpoolResult
take_line (LineSpoolReader * reader, const char **text, gsize * size)
{
  const char *line = reader->buffer + reader->begin;
  const char *newline = memchr (reader->buffer + reader->searched, '\n',
      reader->end - reader->searched);
  const gsize length = newline ? (gsize) (newline - line) :
      reader->end - reader->begin;
  LineSpoolResult result = LINE_SPOOL_LINE;

  reader->searched = reader->end;
  if (length > reader->class->longest)
    reader->is_passing = TRUE;
  if (!newline) {
    if (reader->is_passing) {
      reader->passed += length;
      reader->begin = reader->end;
    }
    return LINE_SPOOL_WAIT;
  }
  if (reader->is_passing)
    result = LINE_SPOOL_LONG;
  *text = line;
  *size = length;
  end_line (reader, length + 1);
  return result;
}

/* Returns: LINE_SPOOL_LINE to go on, LINE_SPOOL_HALF to report half a line
 * before that, or LINE_SPOOL_WAIT */
static LineSpoolResult
leave_file (LineSpoolReader * reader)
{
  if (reader->end > reader->begin || reader->is_passing) {
    end_line (reader, reader->end - reader->begin);
    return LINE_SPOOL_HALF;
  }
  return go_on (reader);
}

/* At the end of what was read. Returns: LINE_SPOOL_LINE to go on */
static LineSpoolResult
wait_or_leave (LineSpoolReader * reader)
{
  if (reader->is_complete)
    return leave_file (reader);
  reader->is_complete = reader->class->is_complete (reader->files,
      &reader->position, reader->fd);
  return reader->is_complete ? LINE_SPOOL_LINE : LINE_SPOOL_WAIT;
}

LineSpoolResult
line_spool_reader_next (LineSpoolReader * reader, const char **text,
    gsize * size)
{
  LineSpoolResult result;
  gsize read_now = 0;

  for (;;) {
    if (reader->fd < 0) {
      reader->last = reader->position;
      if ((result = open_file (reader)) != LINE_SPOOL_LINE)
        return result;
      continue;
    }
    if ((result = take_line (reader, text, size)) != LINE_SPOOL_WAIT)
      return result;
    if (read_now == 0 && is_changed (reader)) {
      begin_anew (reader);
      return LINE_SPOOL_CHANGED;
    }
    if (read_now == 0 && is_taken_back (reader) && !read_line_again (reader))
      return LINE_SPOOL_ERROR;
    gssize n = fill (reader);
    if (n < 0)
      return LINE_SPOOL_ERROR;
    read_now += n;
    if (n > 0 && read_now > MOST_AT_ONCE)
      return LINE_SPOOL_WAIT;
    if (n == 0 && (result = wait_or_leave (reader)) != LINE_SPOOL_LINE)
      return result;
  }
}

const LineSpoolPosition *
line_spool_reader_tell (LineSpoolReader * reader)
{
  return &reader->position;
}

char *
line_spool_reader_name (LineSpoolReader * reader)
{
  g_autofree char *path = reader->class->get_path (reader->files,
      &reader->last);

  return g_strdup_printf ("%s:%" G_GUINT64_FORMAT, path,
      reader->last.lines + 1);
}

guint64
line_spool_reader_count (LineSpoolReader * reader,
    const LineSpoolPosition * position)
{
  return reader->class->count_bytes (reader->files, position);
}
