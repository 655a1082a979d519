/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Reads the names of classes, one a line. Returns: (transfer full): the names,
 * to be freed with one g_free(); %NULL with @error set */
gchar **gst_shapes_load_labels (const gchar * path, GError ** error);
