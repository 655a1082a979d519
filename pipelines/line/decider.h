/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "decide.h"
#include "event.h"

/**
 * LineDecider:
 *
 * Where the pieces of a lane are decided: its table, the aggregation of looks,
 * the recipe. It knows no source, clock or file: whatever watches a lane, live
 * or recorded, gives it events. Not thread-safe.
 */
typedef struct _LineDecider LineDecider;

/* Now, in the events' nanoseconds. */
typedef gint64 (*LineClock) (gpointer user);

/* Called for each piece, in order. The looks' data are #LineSeen. */
typedef void (*LineDecided) (const LineDecision * decision, gpointer user);

/* @rules: by which pieces are decided. @config, @lane: not copied. @clock:
 * measures how long decisions take, and by LINE_RULES_2 whether they are late;
 * NULL: latencies are 0. @user: of both functions */
LineDecider *line_decider_new (LineRules rules, const LineConfig * config,
    const LineLaneConfig * lane, LineRecipe * recipe, LineClock clock,
    LineDecided decided, gpointer user);
void line_decider_free (LineDecider * decider);

/* Takes what @event owns. A piece for which memory runs out is undecided. By
 * LINE_RULES_2 only a TICK decides, one piece at a time: after each event there
 * are ticks until line_decider_next_due() is later, and what waits for more is due
 * only when all that came before is told. */
void line_decider_handle (LineDecider * decider, LineEvent * event);

/* When a tick has something to do next: G_MAXINT64 for never, G_MININT64 for
 * now. */
gint64 line_decider_next_due (const LineDecider * decider);

/* When the last piece was decided, by the clock: later than the tick that did it
 * if that took its time, or the process stood still. A tick of that time decides
 * the same. */
gint64 line_decider_get_time (const LineDecider * decider);

/* Number of the piece that is decided next. */
guint64 line_decider_get_next (const LineDecider * decider);

LineCounts line_decider_get_counts (const LineDecider * decider);
