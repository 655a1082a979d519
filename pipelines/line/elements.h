/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Begins with GStreamer, which then finds this project's elements: where
 * GST_PLUGIN_PATH or the system has none, those that are installed beside the
 * program. */
void line_elements_init (void);

G_END_DECLS
