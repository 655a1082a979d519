/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "publisher.h"

/* Publishes until SIGTERM or SIGINT comes, and prints what was done. Before there
 * are threads. Returns: FALSE with @error set if it cannot begin */
gboolean line_publish_run (const LinePublishSource * source, GError ** error);
