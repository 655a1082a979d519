/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "alarms.h"
#include "report.h"
#include "trends.h"

/**
 * LineWatch:
 *
 * Looks at a run's report once a second: what is wrong, and how it has done in
 * each minute.
 */
typedef struct _LineWatch LineWatch;

/* @config: outlives it */
LineWatch *line_watch_new (const LineConfig * config);
void line_watch_free (LineWatch * watch);

void line_watch_look (LineWatch * watch, LineReport * report);

/* Of @watch; they are there as long as it is. */
LineAlarms *line_watch_get_alarms (const LineWatch * watch);
LineTrends *line_watch_get_trends (const LineWatch * watch);
