/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <jansson.h>

/* Bounds of the histogram that is written, in microseconds */
#define LINE_PLC_N_BOUNDS 9
extern const gdouble line_plc_bounds[LINE_PLC_N_BOUNDS];

/**
 * LinePlcCounts:
 * @is_used: there is a PLC; else all is 0
 * @is_answering: its last request was answered
 * @since: when that became so, of g_get_monotonic_time()
 * @written: pieces that the PLC has acknowledged before their arrival
 * @late: pieces that it has not
 * @dropped: pieces that found no room in the queue
 * @refused: pieces that it has answered with an exception
 * @unnumbered: pieces whose triggers are not successive ones of the PLC's
 * @errors: requests and connections that failed
 * @reconnects: connections after the first
 * @p50: of the microseconds from a decision until it was acknowledged, of
 *     written pieces, as are:
 * @p90: a quantile
 * @p99: a quantile
 * @max: the greatest
 * @sum: of them all
 * @below: how many were not greater than each of the bounds
 * @has_weights: it notes what pieces weigh; else these four are 0
 * @weights: that were taken
 * @weights_missed: that were overwritten before they were read, or damaged
 * @weights_refused: that cannot be
 * @weights_strange: of no piece that is known
 * @has_triggers: it notes its triggers; else all that follows is 0
 * @lanes: that are compared with them
 * @agreed: lanes of which is known which triggers are the same
 * @shifts: times that they were others than before
 * @restarts: times that the PLC began to count anew, for each lane
 * @extra: triggers of lanes that the PLC has not had
 * @missed: triggers of the PLC that lanes have not had
 * @delay: from the PLC's time of a trigger to a lane's, in nanoseconds, of the
 *     lane where it is greatest
 */
typedef struct
{
  gboolean is_used, is_answering;
  gint64 since;
  guint64 written, late, dropped, refused, unnumbered, errors, reconnects;
  gdouble p50, p90, p99, max, sum;
  guint64 below[LINE_PLC_N_BOUNDS];
  gboolean has_weights;
  guint64 weights, weights_missed, weights_refused, weights_strange;
  gboolean has_triggers;
  guint lanes, agreed;
  guint64 shifts, restarts, extra, missed;
  gdouble delay;
} LinePlcCounts;

/* Returns: the member "plc" of a report; null if there is no PLC */
json_t *line_plc_report_to_json (const LinePlcCounts * counts);

/* Appends nothing if there is no PLC. */
void line_plc_report_append_text (const LinePlcCounts * counts,
    GString * text);
/* In Prometheus' text format */
void line_plc_report_append_metrics (const LinePlcCounts * counts,
    GString * text);
