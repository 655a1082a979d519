/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <jansson.h>

#include "decide.h"
#include "report.h"
#include "publish/folder.h"
#include "shifts.h"

/* Bytes of a report's file, at most */
#define LINE_MOST_LOT (1 << 20)

#define LINE_LOTS "lots"
#define LINE_SHIFTS "shifts"

/**
 * LineLots:
 *
 * What has become of the pieces of lots, of shifts, if there are any, and of a
 * run: counted as they are decided, and written as NAME.json, .csv and .html in a
 * folder, and as run.json, .csv and .html. Lots and shifts go on in the runs that
 * follow.
 * From any thread; references are counted.
 */
typedef struct _LineLots LineLots;

/* @shared: that their folders are in, which are made for the first. Those
 * in them whose run has ended are closed.
 * @output: of the run. @shifts: copied */
LineLots *line_lots_new (LineFolder * shared, LineFolder * output,
    const LineShifts * shifts, guint n_lanes);
LineLots *line_lots_ref (LineLots * lots);
void line_lots_unref (LineLots * lots);

/* Returns: FALSE with @error set if there was a lot of that name, as what is
 * counted for one is not counted for another; or if none can be written */
gboolean line_lots_check (LineLots * lots, const char *name, GError ** error);

/* @lot: see in_force.h, no lot also. @goes_on: it began in a run before; if what
 * that has counted cannot be read, its report is not whole */
void line_lots_begin (LineLots * lots, const json_t * lot, gboolean goes_on);

/* A piece of a lane's is decided, in whatever lot. */
void line_lots_add (LineLots * lots, guint lane,
    const LineDecision * decision);

/* Pieces are weighed, which @report is told, too; before the first of them. */
void line_lots_begin_weights (LineLots * lots, LineReport * report);
/* A piece weighs so many tenths of a gram: it was decided, or will be soon.
 * Returns: FALSE if it is none of the last ones, or was weighed */
gboolean line_lots_weigh (LineLots * lots, guint lane, guint64 piece,
    guint tenths);

/* Writes what has changed. Waits for the disk. @is_end: of the run */
void line_lots_save (LineLots * lots, gboolean is_end);
