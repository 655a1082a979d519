/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A file with an input's bytes, for what reads files. */

#include "fuzz.h"

G_BEGIN_DECLS

/* Writes @data to a file in memory. Returns: its path, the same each time */
const gchar *fuzz_file_write (const uint8_t * data, size_t size);

G_END_DECLS
