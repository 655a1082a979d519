/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LINE_DESKS_H
#define LINE_DESKS_H

#include "desk.h"
#include "mailbox.h"

G_BEGIN_DECLS

/**
 * LineDesks:
 *
 * The desks of all lanes, by LINE_RULES_2, and the mailbox that has their events.
 * What waits for nothing is decided at once. What is due without something it
 * waits for is decided when all has been read that had come by then: who stood
 * still does not call missing what only was not read. The mailbox is bounded, so
 * that no flood of events puts this off for ever. Not thread-safe.
 */
typedef struct _LineDesks LineDesks;

/* Called for each event of @lane as it has to be recorded: before the desk takes
 * what it owns. A TICK comes after it was handled, with the time at which its
 * piece was decided. */
typedef void (*LineHandled) (guint lane, const LineEvent * event,
    gpointer user);

/* @desks: one for each lane; taken. @mailbox: outlives it. @clock: that of the
 * desks. @user: of both functions */
LineDesks *line_desks_new (LineDesk * const *desks, guint n_desks,
    LineMailbox * mailbox, LineClock clock, LineHandled handled,
    gpointer user);
void line_desks_free (LineDesks * desks);

/* Takes what @event owns; its time is set. */
void line_desks_handle (LineDesks * desks, LineEvent * event);

/* Handles the next event of the mailbox, for which it waits until @until, of
 * g_get_monotonic_time(), and decides what is due. Returns: its lane; -1 for
 * none */
gint line_desks_work (LineDesks * desks, gint64 until);

/* When something is due next, by the clock; G_MAXINT64 for never. */
gint64 line_desks_next_due (const LineDesks * desks);

/* Has each lane had its FINISH? */
gboolean line_desks_are_finished (const LineDesks * desks);

LineCounts line_desks_get_counts (const LineDesks * desks, guint lane);

G_END_DECLS

#endif /* LINE_DESKS_H */
