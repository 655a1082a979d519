/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Memory whose size depends on data: frames, shapes, circles, text. It can run
 * out, which is an error of one frame and never ends the process. What is small
 * and of a fixed size comes from g_new(), which aborts, as everywhere in GLib.
 */

#include <stdlib.h>

#include <glib.h>

#include "fault.h"

G_BEGIN_DECLS

/* As GLib's of these names with a g_; to be freed with g_free(). */
#define cs_try_malloc(size) \
    CS_OR_FAULT (CS_FAULT_MEMORY, NULL, g_try_malloc (size))
#define cs_try_malloc_n(n, size) \
    CS_OR_FAULT (CS_FAULT_MEMORY, NULL, g_try_malloc_n ((n), (size)))
#define cs_try_malloc0_n(n, size) \
    CS_OR_FAULT (CS_FAULT_MEMORY, NULL, g_try_malloc0_n ((n), (size)))
#define cs_try_realloc_n(data, n, size) \
    CS_OR_FAULT (CS_FAULT_MEMORY, NULL, g_try_realloc_n ((data), (n), (size)))
#define cs_try_new(type, n) ((type *) cs_try_malloc_n ((n), sizeof (type)))
#define cs_try_new0(type, n) ((type *) cs_try_malloc0_n ((n), sizeof (type)))

/* As aligned_alloc(); to be freed with free(). */
#define cs_aligned_alloc(alignment, size) \
    CS_OR_FAULT (CS_FAULT_MEMORY, NULL, aligned_alloc ((alignment), (size)))

G_END_DECLS
