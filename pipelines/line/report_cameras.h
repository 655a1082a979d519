/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <jansson.h>

#include "report_data.h"

/* The cameras' part of each form of a report, which is a copy. */

json_t *line_report_cameras_to_json (const LineReport * report);
void line_report_cameras_to_text (const LineReport * report, GString * text);
void line_report_cameras_to_metrics (const LineReport * report,
    GString * text);
