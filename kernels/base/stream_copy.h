/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CS_STREAM_COPY_H
#define CS_STREAM_COPY_H

#include <glib.h>

G_BEGIN_DECLS

/* As memcpy(), but past the caches where the CPU can do that (x86-64): for
 * blocks that this core does not read soon. What was written is visible to
 * threads that synchronise with the caller after it. */
void cs_stream_copy (void *to, const void *from, gsize size);

G_END_DECLS

#endif /* CS_STREAM_COPY_H */
