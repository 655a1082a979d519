/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "alarms.h"
#include "report_data.h"

/**
 * LineCauses:
 *
 * What is wrong with a line, found in its report once a second. Of what is
 * counted, the last minute is looked at. For one thread.
 */
typedef struct _LineCauses LineCauses;

LineCauses *line_causes_new (guint n_lanes);
void line_causes_free (LineCauses * causes);

/* @report: as it is now. @publisher: (nullable): publisher.json, NULL if there
 * is none; it is looked at if @has_publisher. @now: ns since 1970. Returns: array
 * of #LineCause, whose names are the report's */
GArray *line_causes_find (LineCauses * causes, const LineReport * report,
    gboolean has_publisher, const char *publisher, gint64 now);
