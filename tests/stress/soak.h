/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Runs eight pipelines at once for @seconds, the first third of them to warm
 * up, and prints the process's memory. Returns: whether all go on to the end
 * and memory has not grown since then */
gboolean soak_run (guint seconds);

G_END_DECLS
