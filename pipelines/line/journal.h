/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LINE_JOURNAL_H
#define LINE_JOURNAL_H

#include "folder.h"

G_BEGIN_DECLS

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

/* What follows the last run in the folder @output that has a journal. @output:
 * (nullable): there is none. What is wrong with it is printed. Without a run
 * before, pieces begin with 0, and @id is made of @now, in seconds since 1970. */
void line_journal_begin (const char *output, gint64 now, LineRun * run);

/**
 * LineJournal:
 *
 * A file that says which numbers the next run begins with, whenever this one
 * ends.
 */
typedef struct _LineJournal LineJournal;

/* @folder: of the run. @reserve: pieces of a lane, at least, that it may have until
 * line_journal_note() is called again */
LineJournal *line_journal_new (const LineFolder * folder, const LineRun * run,
    guint64 reserve, GError ** error);
void line_journal_free (LineJournal * journal);

/* No lane has had more than @n triggers. @delay: as #LineRun. @is_end: nor will
 * have. */
void line_journal_note (LineJournal * journal, guint64 n, gdouble delay,
    gboolean is_end);

G_END_DECLS

#endif /* LINE_JOURNAL_H */
