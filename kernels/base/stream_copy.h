/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Copies @rows rows of @row_size bytes, past the caches where the CPU can do
 * that (x86-64): for what this core does not read soon. Strides are bytes from
 * a row to the next. What was written is visible to threads that synchronise
 * with the caller after it. */
void cs_stream_copy (void *to, gsize to_stride, const void *from,
    gsize from_stride, gsize row_size, gsize rows);

G_END_DECLS
