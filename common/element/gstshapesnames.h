/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Names that come with data, and that GStreamer wants as quarks: types of
 * regions, labels of objects, fields of structures. Quarks are never freed, so
 * a process makes only so many of them out of data. */

#include <glib.h>

/* In a process, and bytes of each, beside the names that it has anyway. */
#define GST_SHAPES_NAMES_MAX 8192
#define GST_SHAPES_NAME_MAX_BYTES 128

/* 0 if @name is no quark yet, and may not become one: it is too long, not
 * UTF-8, or there are enough. Thread-safe. */
GQuark gst_shapes_name_to_quark (const gchar * name);
