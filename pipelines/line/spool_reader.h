/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "spool.h"
#include "spool_runs.h"

/* A longer line, in bytes, is no decision. */
#define LINE_SPOOL_LONGEST (1 << 20)

/**
 * LineSpoolPosition:
 * @run: folder; "" for before the first
 * @segment: of the run, 1 for the first
 * @offset: bytes of the segment
 * @lines: of the segment
 *
 * All decisions before it are those of older runs, of the run's segments before
 * @segment, and the first @offset bytes, @lines lines, of that.
 */
typedef struct
{
  char run[LINE_SPOOL_RUN];
  guint segment;
  guint64 offset, lines;
} LineSpoolPosition;

/* Order in time. */
int line_spool_compare (const LineSpoolPosition * a,
    const LineSpoolPosition * b);

/**
 * LineSpoolReader:
 *
 * Reads the decisions of all runs in an output folder, in order, while they are
 * written. It never reads half a line, and holds no lock.
 */
typedef struct _LineSpoolReader LineSpoolReader;

/**
 * LineSpoolResult:
 * @LINE_SPOOL_LINE: a whole line
 * @LINE_SPOOL_WAIT: there is none now
 * @LINE_SPOOL_LONG: a line longer than LINE_SPOOL_LONGEST was passed over
 * @LINE_SPOOL_HALF: so was a line that has no end, and never will: its writer
 *     was ended while it wrote
 * @LINE_SPOOL_GONE: so were lines that are not there any more: files are missing
 * @LINE_SPOOL_ERROR: errno says why nothing can be read now
 */
typedef enum
{
  LINE_SPOOL_LINE,
  LINE_SPOOL_WAIT,
  LINE_SPOOL_LONG,
  LINE_SPOOL_HALF,
  LINE_SPOOL_GONE,
  LINE_SPOOL_ERROR,
} LineSpoolResult;

LineSpoolReader *line_spool_reader_new (const char *output,
    const LineSpoolPosition * from);
void line_spool_reader_free (LineSpoolReader * reader);

/* @text: of a line, without its newline; until the next call */
LineSpoolResult line_spool_reader_next (LineSpoolReader * reader,
    const char **text, gsize * size);

/* Behind what was read or passed over. */
const LineSpoolPosition *line_spool_reader_tell (LineSpoolReader * reader);

/* "RUN/FILE:LINE", of what was read or passed over last; to be freed. */
char *line_spool_reader_name (LineSpoolReader * reader);

/* Whether a line begins at @position, as far as there is such a file, else
 * @error is set. */
gboolean line_spool_check (const char *output,
    const LineSpoolPosition * position, GError ** error);

/* Bytes behind @position. */
guint64 line_spool_count_bytes (const char *output,
    const LineSpoolPosition * position);
