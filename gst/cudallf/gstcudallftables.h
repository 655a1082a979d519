/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_CUDA_LLF_TABLES_H
#define GST_CUDA_LLF_TABLES_H

#include "llf/llf.h"

/**
 * GstCudaLlfTables:
 *
 * Has tables of the process's cache (llf/llf_cache.h), and what is not there
 * computed on a separate thread. Only the latest request is served; requests
 * not started yet are replaced. Used by one thread at a time.
 */
typedef struct _GstCudaLlfTables GstCudaLlfTables;

GstCudaLlfTables *gst_cuda_llf_tables_new (void);
/* Waits for a table that is being computed. */
void gst_cuda_llf_tables_free (GstCudaLlfTables * tables);

/* Requests the table of @params. Does not block; a table that is in the cache
 * is ready at once. */
void gst_cuda_llf_tables_request (GstCudaLlfTables * tables,
    const CsLlfParams * params);

/* Takes a table that is ready.
 *
 * @wait: wait for the latest request
 * Returns: (transfer full) (nullable): %NULL without @error set if there is no
 *     new one; with @error if it could not be computed */
CsLlfTable *gst_cuda_llf_tables_take (GstCudaLlfTables * tables, gboolean wait,
    GError ** error);

#endif /* GST_CUDA_LLF_TABLES_H */
