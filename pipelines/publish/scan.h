/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Values in values, at most */
#define LINE_SCAN_DEEPEST 100

/* Whether the @size bytes of @text, any ones, are one JSON object (RFC 8259).
 * Allocates nothing. @value: of the object's first member @name, as it is
 * written, @value_size bytes of @text; NULL if there is none */
gboolean line_scan_object (const char *text, gsize size, const char *name,
    const char **value, gsize * value_size);
