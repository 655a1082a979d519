/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "decider.h"
#include "event_queue.h"

/**
 * LineDeciders:
 *
 * The deciders of all lanes, by LINE_RULES_2, and the queue that has their events.
 * What waits for nothing is decided at once. What is due without something it
 * waits for is decided when all has been read that had come by then: who stood
 * still does not call missing what only was not read. The queue is bounded, so
 * that no flood of events puts this off for ever. Not thread-safe.
 */
typedef struct _LineDeciders LineDeciders;

/* Called for each event of @lane as it has to be recorded: before the decider takes
 * what it owns. A TICK comes after it was handled, with the time at which its
 * piece was decided. */
typedef void (*LineHandled) (guint lane, const LineEvent * event,
    gpointer user);

/* @deciders: one for each lane; taken. @queue: outlives it. @clock: that of the
 * deciders. @user: of both functions */
LineDeciders *line_deciders_new (LineDecider * const *deciders, guint n_deciders,
    LineEventQueue * queue, LineClock clock, LineHandled handled,
    gpointer user);
void line_deciders_free (LineDeciders * deciders);

/* Takes what @event owns; its time is set. */
void line_deciders_handle (LineDeciders * deciders, LineEvent * event);

/* Handles the next event of the queue, for which it waits until @until, of
 * g_get_monotonic_time(), and decides what is due. Returns: its lane; -1 for
 * none */
gint line_deciders_work (LineDeciders * deciders, gint64 until);

/* When something is due next, by the clock; G_MAXINT64 for never. */
gint64 line_deciders_next_due (const LineDeciders * deciders);

/* Has each lane had its FINISH? */
gboolean line_deciders_are_finished (const LineDeciders * deciders);

LineCounts line_deciders_get_counts (const LineDeciders * deciders, guint lane);
