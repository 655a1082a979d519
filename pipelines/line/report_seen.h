/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "report_data.h"

/* What was seen, as JSON and as text. Reports are copies. */

/* Returns: the member "seen" of a lane, or of all together */
json_t *line_report_seen_to_json (const LineReport * report,
    const LineLooksReport * looks);
/* @sum: of all lanes */
void line_report_seen_to_text (const LineReport * report,
    const LineLooksReport * sum, GString * text);
