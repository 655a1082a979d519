/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* @json: of line_lot_report_to_json(). Returns: (transfer full): the same as a
 * page of HTML, to be printed: it needs nothing else, and runs nothing. Times are
 * local ones. */
char *line_lot_page (const char *json);
