/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <jansson.h>

#include "decide.h"

/**
 * LineLotReport:
 *
 * What has become of the pieces of a lot, or of a run: how many of which size
 * went to which outlet, why they were not well seen, which looks were lost, what
 * defects they had. Not thread-safe.
 */
typedef struct _LineLotReport LineLotReport;

/* @what: (nullable): a lot, see in_force.h, or a shift, whose name is its only
 * member; NULL for a run. @is_whole: FALSE if
 * pieces of it are not counted */
LineLotReport *line_lot_report_new (const json_t * what, gboolean is_whole);
/* Goes on with one that was written. If that was while more pieces came, and the
 * run ended then, the last of them are not counted: it is not whole. @was_open:
 * whether more pieces could come. Returns: NULL if @text is none */
LineLotReport *line_lot_report_read (const char *text, gsize size,
    gboolean * was_open);
void line_lot_report_free (LineLotReport * report);
/* What is known of the lot, if that was lost. @what: see in_force.h */
void line_lot_report_name (LineLotReport * report, const json_t * what);

/* Returns: its cell, of an outlet and a size */
guint line_lot_report_add (LineLotReport * report,
    const LineDecision * decision);
/* A piece of @cell weighs so many tenths of a gram. */
void line_lot_report_weigh (LineLotReport * report, guint cell, guint tenths);

/* @is_open: whether more pieces may come. @is_running: whether they do in this
 * run. To be freed */
char *line_lot_report_to_json (const LineLotReport * report,
    gboolean is_open, gboolean is_running);
/* One table: of what kind, its name, its size, pieces (of lost looks: looks),
 * mm2, weighed, kg. No cell is a formula. To be freed */
char *line_lot_report_to_csv (const LineLotReport * report);
