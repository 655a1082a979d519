/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "publish/folder.h"

/* The lots or shifts whose reports were written last, as an array of JSON, the
 * latest first, to be freed. @shared: that their folder is in
 * @path: that folder, LINE_LOTS or LINE_SHIFTS. From any thread */
char *line_lot_list_read (const LineFolder * shared, const char *path);
