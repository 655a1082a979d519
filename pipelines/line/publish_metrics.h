/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* What a publisher says of itself at @path as Prometheus' text; "" if there is no
 * such file or it is damaged. Never fails. @now: ns since 1970. To be freed. */
char *line_publish_status_to_metrics (const char *path, gint64 now);
