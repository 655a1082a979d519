/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "report_data.h"

/* Minutes that are kept */
#define LINE_MOST_MINUTES 720

/**
 * LineTrends:
 *
 * How a run has done in each of the last twelve hours' minutes. Thread-safe.
 */
typedef struct _LineTrends LineTrends;

LineTrends *line_trends_new (void);
void line_trends_free (LineTrends * trends);

/* Once a second. @report: as it is now. @time: a clock that nobody sets, in
 * microseconds, which minutes are counted by. @now: microseconds since 1970 */
void line_trends_add (LineTrends * trends, const LineReport * report,
    gint64 time, gint64 now);

/* JSON, the oldest minute first; to be freed */
char *line_trends_to_json (LineTrends * trends);
