/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The memory of one result, on the host, on a GPU, or both. */

#include "gpu.h"

G_BEGIN_DECLS

/**
 * CsStore:
 * @gpu: (nullable): where @device lies; %NULL: the CPU has computed
 * @stream: (nullable): the stream that writes to it, until it is complete
 *
 * Reference counted; any thread.
 */
typedef struct _CsStore CsStore;

CsStore *cs_store_new (CsGpu * gpu, gpointer stream);
CsStore *cs_store_ref (CsStore * store);

/* Device memory is used again when all streams that cs_store_add_reader() was
 * told of have done what they had been given. The host does not wait. */
void cs_store_unref (CsStore * store);

/* As kernels' alloc callbacks. The context is current. */
void *cs_store_alloc (void *store, gsize size, gboolean host);

/* What it was made for is complete. */
void cs_store_finish (CsStore * store);

/* What a stream's number means in the protocols of arrays: the default one; and
 * here, all that this one waits for. */
#define CS_LEGACY_STREAM ((gpointer) 1)
#define CS_BLOCKING_STREAMS ((gpointer) 3)

/* @stream, of a consumer, may read device memory until the store is freed. */
void cs_store_add_reader (CsStore * store, gpointer stream);

CsGpu *cs_store_get_gpu (const CsStore * store);

/* @size bytes at @device to the host. Returns: FALSE with @error set */
gboolean cs_store_download (CsStore * store, void *host, const void *device,
    gsize size, GError ** error);

G_END_DECLS
