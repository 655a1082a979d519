/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_CUDA_LLF_TABLES_H
#define GST_CUDA_LLF_TABLES_H

#include "llf/llf.h"

G_BEGIN_DECLS

/**
 * GstCudaLlfTables:
 *
 * Makes tables on a thread of its own, so that the streaming thread need not.
 * What was asked for last counts; requests that nobody has begun with are
 * forgotten. Used by one thread at a time.
 */
typedef struct _GstCudaLlfTables GstCudaLlfTables;

GstCudaLlfTables *gst_cuda_llf_tables_new (void);
/* Waits for a table that is being made. */
void gst_cuda_llf_tables_free (GstCudaLlfTables * tables);

/* Asks for the table of @params. Does not wait. */
void gst_cuda_llf_tables_request (GstCudaLlfTables * tables,
    const CsLlfParams * params);

/* Takes a table that is ready.
 *
 * @wait: wait for the one that was asked for last
 * Returns: (transfer full) (nullable): %NULL without @error set if there is
 *     none that has not been taken; with @error if it could not be made */
CsLlfTable *gst_cuda_llf_tables_take (GstCudaLlfTables * tables, gboolean wait,
    GError ** error);

G_END_DECLS

#endif /* GST_CUDA_LLF_TABLES_H */
