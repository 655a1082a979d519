/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "commander.h"
#include "decide.h"
#include "journal.h"
#include "event_queue.h"
#include "lots.h"
#include "plc_report.h"
#include "settings.h"

/**
 * LinePlc:
 *
 * Writes decisions into the registers of a PLC, by a thread of its own, so that
 * who decides never waits for it. What cannot be written before its piece
 * arrives is not written any more. Whatever the PLC does, it is told once and
 * tried again. Every piece is counted as written, late, dropped, refused or
 * unnumbered. If the PLC notes its triggers, a piece is written when all of its
 * triggers are known to be successive ones of the PLC's, with the PLC's number.
 * Its functions may be called from any thread.
 */
typedef struct _LinePlc LinePlc;

/* Whether this program can write to the PLC of @config; it has one. Connects
 * nothing. */
gboolean line_plc_check (const LineConfig * config, GError ** error);

/* Returns: microseconds from a failure, after so many others, to the next try. A
 * connection may have been idle for too long: the first one is tried again at
 * once. */
gint64 line_plc_get_delay (guint failures);

/* Starts the thread, which connects. @config: outlives it. @run: of the line.
 * @events: that a PLC which notes its
 * triggers has its events posted to; outlives it. @commander: (nullable): that its
 * commands are for; is closed before it, and freed after. @lots: (nullable): that
 * its weights are for; outlives it */
LinePlc *line_plc_new (const LineConfig * config, const LineRun * run,
    LineEventQueue * events, LineCommander * commander, LineLots * lots,
    GError ** error);

/* Decides nothing more: writes what waits, for at most 2 seconds, and then 0 as
 * heartbeat. Nothing may be sent afterwards. */
void line_plc_close (LinePlc * plc);

/* Closes it before, if that was not done. */
void line_plc_free (LinePlc * plc);

/* The lane's next trigger came at @time, in nanoseconds of line_clock_now(). */
void line_plc_trigger (LinePlc * plc, guint lane, gint64 time);

/* Sends a decision; never waits for the PLC. */
void line_plc_send (LinePlc * plc, guint lane, const LineDecision * decision);

/* The line lives: the heartbeat goes on by one. */
void line_plc_beat (LinePlc * plc);

void line_plc_get_counts (LinePlc * plc, LinePlcCounts * counts);
