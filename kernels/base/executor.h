/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "error.h"

G_BEGIN_DECLS

/**
 * CsBackend:
 * @CS_BACKEND_CPU: the calling thread and the process-wide thread pool
 * @CS_BACKEND_CUDA: one CUDA stream
 */
typedef enum
{
  CS_BACKEND_CPU,
  CS_BACKEND_CUDA,
} CsBackend;

/**
 * CsExecutor:
 *
 * Where a plan runs. Made once by the element, borrowed by its plans, and
 * freed after them.
 */
typedef struct _CsExecutor CsExecutor;

/**
 * CsParallelFunc:
 * @user_data: what cs_executor_parallel_for() was given
 * @index: 0 .. n_items - 1, each exactly once, on any thread
 */
typedef void (*CsParallelFunc) (void *user_data, guint index);

/* An executor that uses at most @n_threads threads, the caller's included;
 * 0 means one for each core. */
CsExecutor *cs_executor_new_cpu (guint n_threads);

/* An executor on the CUDA stream @stream (a CUstream or cudaStream_t, borrowed,
 * not the default stream). The caller has made the stream's context current,
 * here and around every use of a plan on this executor. Fails with
 * CS_ERROR_NOT_SUPPORTED in a build without CUDA. */
CsExecutor *cs_executor_new_cuda (void *stream, GError ** error);

void cs_executor_free (CsExecutor * executor);

CsBackend cs_executor_get_backend (const CsExecutor * executor);

/* What a plan on @executor works with: @cpu or @cuda, a structure of functions
 * each. @cuda: CS_IF_CUDA() of it. @what: for the message: "hulls". Returns:
 * %NULL with CS_ERROR_NOT_SUPPORTED set */
gconstpointer cs_executor_choose (const CsExecutor * executor,
    gconstpointer cpu, gconstpointer cuda, const gchar * what, GError ** error);

#ifdef HAVE_CUDA
#define CS_IF_CUDA(backend) (backend)
#else
#define CS_IF_CUDA(backend) NULL
#endif

/* Threads a CPU executor uses at most, at least 1; 1 for CUDA. */
guint cs_executor_get_n_threads (const CsExecutor * executor);

/* The CUDA stream, %NULL for CPU. */
void *cs_executor_get_stream (const CsExecutor * executor);

/* Calls @func for every index below @n_items and returns when all are done.
 * The caller works too; it never waits for a helper thread that has not begun.
 * Runs inline when @n_items or the executor's threads are 1, and as long as no
 * helper can be started, which is tried again later. Safe from any number of
 * threads, with the same executor or others; may be nested. */
void cs_executor_parallel_for (CsExecutor * executor, guint n_items,
    CsParallelFunc func, void *user_data);

/* The same for rows, which threads take in bands of @band_rows, at least 1. */
void cs_executor_for_rows (CsExecutor * executor, guint n_rows,
    guint band_rows, CsParallelFunc func, void *user_data);

G_END_DECLS
