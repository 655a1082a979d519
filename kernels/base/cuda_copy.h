/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Copies of frames between the host and a GPU, for every backend and element.
 * Frames of cameras and decoders are in pageable memory, which a GPU cannot
 * reach: the driver's copy brings them to page-locked memory of its own with
 * one thread. Here the caller and helpers of the process's thread pool do that,
 * past the caches, while the GPU fetches what is there already. Only in builds
 * with HAVE_CUDA.
 */

#include <glib.h>

#include "error.h"

G_BEGIN_DECLS

/**
 * CsCudaRows:
 * @from: first byte of the first row, in any memory
 * @from_stride: bytes from a row to the next
 * @to: where it goes, in any memory; no overlap
 * @to_stride: bytes from a row to the next
 * @row_size: bytes of a row, at most either stride
 * @rows: number of rows
 *
 * What is to be copied. One row of all bytes if there are no others between.
 */
typedef struct
{
  const void *from;
  gsize from_stride;
  void *to;
  gsize to_stride;
  gsize row_size, rows;
} CsCudaRows;

/**
 * CsCudaCopier:
 *
 * The page-locked memory of one plan or element, made by the first copy that
 * needs it and kept. If it cannot be made, the driver copies. Zero-initialise
 * it; not for two threads at once, nor for two streams.
 */
typedef struct
{
  struct _CsCudaRing *ring;
  gboolean failed;
} CsCudaCopier;

/* Queues the copy on @stream, whose context is current. On return pageable
 * memory is free to be changed, or has been written; page-locked memory is or
 * has when @stream has done it. Fails with CS_ERROR_DEVICE or
 * CS_ERROR_NO_MEMORY, and then nothing of @rows is being read or written. */
gboolean cs_cuda_copy (CsCudaCopier * copier, const CsCudaRows * rows,
    void *stream, GError ** error);

/**
 * CsCudaPart:
 * @rows: a part of a copy
 *
 * The rest is for the copier.
 */
typedef struct
{
  CsCudaRows rows;
  gsize per_chunk, pitch;
  guint first_chunk, n_chunks;
} CsCudaPart;

/* Called on the copy's thread when part @part and all before it are queued. May
 * queue work on any stream, but no copy with the same copier. */
typedef void (*CsCudaQueuedFunc) (void *user_data, guint part);

/* The same as one copy for each of @parts in turn, but helpers stay with it from
 * the first to the last. Of parts from the host to a GPU @queued is told, unless
 * it is %NULL, while later ones are still on their way. On failure there may be
 * parts that it has been told of. */
gboolean cs_cuda_copy_parts (CsCudaCopier * copier, CsCudaPart * parts,
    guint n_parts, CsCudaQueuedFunc queued, void *user_data, void *stream,
    GError ** error);

/* One block of @size bytes. */
gboolean cs_cuda_copy_bytes (CsCudaCopier * copier, void *to, const void *from,
    gsize size, void *stream, GError ** error);

void cs_cuda_copier_clear (CsCudaCopier * copier);

/* The address at which kernels read and write @data, which is the host's, where
 * it is; %NULL if it has to be copied, as always on a GPU with memory of its
 * own. On one that shares the host's, page-locked memory can be reached, and
 * other memory if the system allows it. It stays until the stream has done it.
 *
 * The environment variable CUDASHAPES_MAP_FRAMES, if it is 0 or 1, says whether
 * the GPU shares the host's memory, instead of the driver. */
void *cs_cuda_reach (const void *data);

/**
 * CsCudaCopyPolicy:
 * @n_threads: threads that copy, the caller's included; 0 for the driver's copy
 * @chunk_size: bytes that are sent at once
 * @min_size: bytes of the smallest frame that is copied so
 *
 * How pageable memory is copied.
 */
typedef struct
{
  guint n_threads;
  gsize chunk_size, min_size;
} CsCudaCopyPolicy;

/* For test programs: what copiers do that have not copied yet. %NULL: what is
 * right for the number of CPUs that the process may use. Not safe while others
 * copy. */
void cs_cuda_copy_set_policy (const CsCudaCopyPolicy * policy);

G_END_DECLS
