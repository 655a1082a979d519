/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "spool_reader.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define CHUNK (64 << 10)

/* Bytes that are read at once: more than a line has, but for those that are
 * passed over, which others need not wait for */
#define MOST_AT_ONCE (16 << 20)

/* Microseconds from one look for a newer run to the next */
#define LOOK (G_USEC_PER_SEC / 4)

/* @begin, @end: what is in the buffer and was not returned
 * @searched: of it has no newline
 * @is_passing: in a line that is too long; its first @passed bytes are gone
 * @is_complete: the file has all that it will ever have
 * @last: before what next() returned last */
struct _LineSpoolReader
{
  char *output;
  LineFolder *folder;
  LineSpoolPosition position, last;
  int fd;
  char *buffer;
  gsize room, begin, end, searched;
  gboolean is_passing, is_complete;
  guint64 passed;
  gint64 looked_at;
};

int
line_spool_compare (const LineSpoolPosition * a, const LineSpoolPosition * b)
{
  int order = !*a->run || !*b->run ? !!*a->run - !!*b->run :
      line_spool_compare_runs (a->run, b->run);

  if (order == 0)
    order = (a->segment > b->segment) - (a->segment < b->segment);
  if (order == 0)
    order = (a->offset > b->offset) - (a->offset < b->offset);
  return order;
}

LineSpoolReader *
line_spool_reader_new (const char *output, const LineSpoolPosition * from)
{
  LineSpoolReader *reader = g_new0 (LineSpoolReader, 1);

  reader->output = g_strdup (output);
  reader->position = reader->last = *from;
  if (*from->run)
    reader->folder = line_spool_open_run (output, from->run);
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
  g_clear_pointer (&reader->folder, line_folder_unref);
  g_free (reader->output);
  g_free (reader);
}

static void
go_to_segment (LineSpoolReader * reader, guint number)
{
  close_file (reader);
  reader->position.segment = number;
  reader->position.offset = reader->position.lines = 0;
}

/* Looks for a newer run, but not all the time. */
static gboolean
find_newer_run (LineSpoolReader * reader, char name[LINE_SPOOL_RUN])
{
  const gint64 now = g_get_monotonic_time ();

  if (reader->looked_at != 0 && now - reader->looked_at < LOOK)
    return FALSE;
  reader->looked_at = now;
  if (!line_spool_find_run (reader->output, reader->position.run, name))
    return FALSE;
  reader->looked_at = 0;
  return TRUE;
}

static void
go_to_run (LineSpoolReader * reader, const char *name)
{
  g_strlcpy (reader->position.run, name, LINE_SPOOL_RUN);
  g_clear_pointer (&reader->folder, line_folder_unref);
  reader->folder = line_spool_open_run (reader->output, name);
  go_to_segment (reader, 1);
}

/* The segment is not there: not yet, or not any more. Returns: LINE_SPOOL_LINE
 * to go on */
static LineSpoolResult
go_on_behind_gap (LineSpoolReader * reader)
{
  char name[LINE_SPOOL_RUN];
  /* the oldest segment that is there of those behind; 0 if there is none */
  g_autoptr (GArray) segments = line_spool_list (reader->folder);
  guint number = 0;

  for (guint i = 0; i < segments->len && !number; i++) {
    guint one = g_array_index (segments, LineSpoolSegment, i).number;

    number = one > reader->position.segment ? one : 0;
  }

  if (number > 0) {
    go_to_segment (reader, number);
    return LINE_SPOOL_GONE;
  }
  if (!find_newer_run (reader, name))
    return LINE_SPOOL_WAIT;
  /* nothing is missing if it ended when the segment before was closed */
  gboolean is_end = line_spool_is_closed (reader->folder,
      reader->position.segment - 1);
  go_to_run (reader, name);
  return is_end ? LINE_SPOOL_LINE : LINE_SPOOL_GONE;
}

/* Returns: LINE_SPOOL_LINE if a file is open */
static LineSpoolResult
open_file (LineSpoolReader * reader)
{
  char name[LINE_SPOOL_RUN];

  if (!*reader->position.run) {
    if (!find_newer_run (reader, name))
      return LINE_SPOOL_WAIT;
    go_to_run (reader, name);
  }
  if (!reader->folder)
    reader->folder = line_spool_open_run (reader->output, reader->position.run);
  reader->fd = line_spool_open (reader->folder, reader->position.segment);
  if (reader->fd < 0 && errno == ENOENT)
    return go_on_behind_gap (reader);
  if (reader->fd < 0
      || lseek (reader->fd, reader->position.offset, SEEK_SET) < 0)
    return LINE_SPOOL_ERROR;
  return LINE_SPOOL_LINE;
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
    reader->room = MIN (2 * reader->room, LINE_SPOOL_LONGEST + CHUNK);
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
  reader->last = reader->position;
  reader->position.offset += reader->passed + size;
  reader->position.lines++;
  reader->begin += size;
  reader->searched = reader->begin;
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
  if (length > LINE_SPOOL_LONGEST)
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

/* At the file's end. Whether nothing will ever be added to it. */
static gboolean
is_complete (LineSpoolReader * reader)
{
  char name[LINE_SPOOL_RUN];

  return line_spool_is_closed (reader->folder, reader->position.segment)
      || (find_newer_run (reader, name)
      && !line_spool_is_claimed (reader->fd));
}

/* Returns: LINE_SPOOL_LINE to go on, LINE_SPOOL_HALF to report half a line
 * before that, or LINE_SPOOL_WAIT */
static LineSpoolResult
leave_file (LineSpoolReader * reader)
{
  char name[LINE_SPOOL_RUN];

  if (reader->end > reader->begin || reader->is_passing) {
    end_line (reader, reader->end - reader->begin);
    return LINE_SPOOL_HALF;
  }
  if (line_spool_is_closed (reader->folder, reader->position.segment)) {
    go_to_segment (reader, reader->position.segment + 1);
    return LINE_SPOOL_LINE;
  }
  if (!line_spool_find_run (reader->output, reader->position.run, name))
    return LINE_SPOOL_WAIT;
  go_to_run (reader, name);
  return LINE_SPOOL_LINE;
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
    gssize n = fill (reader);
    if (n < 0)
      return LINE_SPOOL_ERROR;
    read_now += n;
    if (n > 0 && read_now > MOST_AT_ONCE)
      return LINE_SPOOL_WAIT;
    if (n > 0)
      continue;
    if (reader->is_complete) {
      if ((result = leave_file (reader)) != LINE_SPOOL_LINE)
        return result;
    } else if (!(reader->is_complete = is_complete (reader))) {
      return LINE_SPOOL_WAIT;
    }
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
  const LineSpoolPosition *last = &reader->last;
  g_autofree char *folder = g_build_filename (reader->output, last->run, NULL);
  g_autoptr (LineFolder) run = line_spool_open_run (reader->output, last->run);
  g_autofree char *path = line_spool_get_path (folder, last->segment,
      line_spool_is_closed (run, last->segment));

  return g_strdup_printf ("%s:%" G_GUINT64_FORMAT, path, last->lines + 1);
}

gboolean
line_spool_check (const char *output, const LineSpoolPosition * position,
    GError ** error)
{
  g_autoptr (LineFolder) folder = line_spool_open_run (output, position->run);
  int fd = position->offset > 0 ?
      line_spool_open (folder, position->segment) : -1;
  char bytes[2] = "\n";

  /* a file that is gone is told by the reader; one that is not longer may end
   * with half a line */
  gboolean good = fd < 0 || pread (fd, bytes, 2, position->offset - 1) < 2
      || bytes[0] == '\n';
  if (!good)
    line_fail (error, LINE_ERROR_INVALID, "no line of segment %u of %s begins "
        "at byte %" G_GUINT64_FORMAT, position->segment, position->run,
        position->offset);
  if (fd >= 0)
    close (fd);
  return good;
}

guint64
line_spool_count_bytes (const char *output, const LineSpoolPosition * position)
{
  g_autoptr (GPtrArray) runs = line_spool_list_runs (output, position->run);
  guint64 bytes = 0;

  for (guint i = 0; i < runs->len; i++) {
    LineSpoolPosition end = { "" };
    g_autoptr (LineFolder) folder =
        line_spool_open_run (output, runs->pdata[i]);
    g_autoptr (GArray) segments = line_spool_list (folder);

    g_strlcpy (end.run, runs->pdata[i], LINE_SPOOL_RUN);
    for (guint k = 0; k < segments->len; k++) {
      const LineSpoolSegment *one =
          &g_array_index (segments, LineSpoolSegment, k);

      end.segment = one->number;
      end.offset = one->size;
      if (line_spool_compare (&end, position) <= 0)
        continue;
      bytes += one->size;
      if (end.segment == position->segment
          && strcmp (end.run, position->run) == 0)
        bytes -= position->offset;
    }
  }
  return bytes;
}
