/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/**
 * LineRun:
 * @id: 1 to 65535; the next run's is another one
 * @first: number of each lane's first piece, greater than all of the runs before
 * @delay: from the PLC's time of a trigger to a lane's, in nanoseconds, as it was;
 *     NaN if that was not known
 *
 * What tells the pieces of a run from those of others.
 */
typedef struct
{
  guint id;
  guint64 first;
  gdouble delay;
} LineRun;

/* Of a run that no other one goes on from. @now: in seconds since 1970 */
void line_journal_begin (gint64 now, LineRun * run);

/**
 * LineJournal:
 *
 * The file numbers.json in the folder of all runs: which numbers the next one
 * begins with, whenever this one ends. There is one run at a time.
 */
typedef struct _LineJournal LineJournal;

/* Goes on from the run before. @output: the folder, which is made; names the file
 * in messages. @now: in seconds since 1970. @rate: pieces a second of a lane at
 * most; if it is not known any more which numbers there were, those begin that no
 * lane can have reached by @now. @run: set. Returns: NULL with @error set if the
 * file cannot be written, or another process has it */
LineJournal *line_journal_new (const char *output, gint64 now, gdouble rate,
    LineRun * run, GError ** error);
void line_journal_free (LineJournal * journal);

/* No lane has had more than @n triggers. @delay: as #LineRun. @is_end: nor will
 * have; else ten minutes' more are reserved, until this is called again. */
void line_journal_note (LineJournal * journal, guint64 n, gdouble delay,
    gboolean is_end);
