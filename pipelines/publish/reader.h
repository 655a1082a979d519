/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Bytes of a name in a position with the 0 behind it, at most */
#define LINE_SPOOL_NAME 256

/**
 * LineSpoolPosition:
 * @run: name of a file, or of the folder of its run; "" for before the first
 * @segment: of the run, 1 for the first; 0 where files have names
 * @offset: bytes of the file
 * @lines: of the file
 * @last: bytes of the line that ends at @offset, with its newline; 0: not known
 * @check: of that, see reader.c
 *
 * All lines before it are those of older files, and the first @offset bytes,
 * @lines lines, of that one.
 */
typedef struct
{
  char run[LINE_SPOOL_NAME];
  guint segment;
  guint64 offset, lines, last;
  guint32 check;
} LineSpoolPosition;

/* Whether both are the same place. */
gboolean line_spool_is_same (const LineSpoolPosition * a,
    const LineSpoolPosition * b);

/* What is known of a position that has only an offset: a newline is before it. */
void line_spool_expect_newline (LineSpoolPosition * position);

/**
 * LineSpoolResult:
 * @LINE_SPOOL_LINE: a whole line
 * @LINE_SPOOL_WAIT: there is none now
 * @LINE_SPOOL_LONG: a line longer than #LineSpoolClass.longest was passed over
 * @LINE_SPOOL_HALF: so was a line that has no end, and never will: its writer
 *     was ended while it wrote
 * @LINE_SPOOL_GONE: so were lines that are not there any more: files are missing
 * @LINE_SPOOL_CHANGED: the file is not what was read of it: it was truncated, or
 *     another one has its name. It is read from its beginning on
 * @LINE_SPOOL_ERROR: errno says why nothing can be read now
 */
typedef enum
{
  LINE_SPOOL_LINE,
  LINE_SPOOL_WAIT,
  LINE_SPOOL_LONG,
  LINE_SPOOL_HALF,
  LINE_SPOOL_GONE,
  LINE_SPOOL_CHANGED,
  LINE_SPOOL_ERROR,
} LineSpoolResult;

/* Whether a folder is looked at again, which is not all the time. @looked_at:
 * when it was; 0 for at once */
gboolean line_spool_may_look (gint64 * looked_at);

/* The files of one stream of lines, in order. */
typedef struct _LineSpoolFiles LineSpoolFiles;

/**
 * LineSpoolClass:
 * @longest: bytes of a line; a longer one is passed over
 * @has_segments: positions have segments
 * @is_name: whether a file or a run may have that name
 * @open: the stream in @folder, which need not be there
 * @open_file: that of a position. Returns: a descriptor for reading, or -1 with
 *     errno, which is ENOENT if it is not there
 * @is_complete: whether nothing will ever be added to that file, which is open
 *     as @fd
 * @find_next: the file behind @at, which is at its end and open as @fd, or not
 *     there: then @fd is -1. Returns: LINE_SPOOL_LINE with the beginning of the
 *     file in @next, LINE_SPOOL_GONE if files before it are missing, or
 *     LINE_SPOOL_WAIT
 * @get_path: of the file at a position; to be freed
 * @count_bytes: behind a position
 */
typedef struct
{
  gsize longest;
  gboolean has_segments;
  gboolean (*is_name) (const char *name);
  LineSpoolFiles *(*open) (const char *folder);
  void (*close) (LineSpoolFiles * files);
  int (*open_file) (LineSpoolFiles * files, const LineSpoolPosition * at);
  gboolean (*is_complete) (LineSpoolFiles * files,
      const LineSpoolPosition * at, int fd);
  LineSpoolResult (*find_next) (LineSpoolFiles * files,
      const LineSpoolPosition * at, int fd, LineSpoolPosition * next);
  char *(*get_path) (LineSpoolFiles * files, const LineSpoolPosition * at);
  guint64 (*count_bytes) (LineSpoolFiles * files,
      const LineSpoolPosition * at);
} LineSpoolClass;

/**
 * LineSpoolReader:
 *
 * Reads the lines of a stream, in order, while they are written. It never reads
 * half a line, and holds no lock.
 */
typedef struct _LineSpoolReader LineSpoolReader;

LineSpoolReader *line_spool_reader_new (const LineSpoolClass * klass,
    const char *folder, const LineSpoolPosition * from);
void line_spool_reader_free (LineSpoolReader * reader);

/* @text: of a line, without its newline; until the next call */
LineSpoolResult line_spool_reader_next (LineSpoolReader * reader,
    const char **text, gsize * size);

/* Behind what was read or passed over. */
const LineSpoolPosition *line_spool_reader_tell (LineSpoolReader * reader);

/* "PATH:LINE", of what was read or passed over last; to be freed. */
char *line_spool_reader_name (LineSpoolReader * reader);

/* Bytes behind @position. */
guint64 line_spool_reader_count (LineSpoolReader * reader,
    const LineSpoolPosition * position);
