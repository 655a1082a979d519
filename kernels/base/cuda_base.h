/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What every CUDA backend stands on, for .cu files only: errors as GError,
 * scratch memory that only grows, and graphs whose kernels get new arguments
 * for each frame. The context of the executor's stream is current around every
 * call; work is ordered by that stream, and a stream of a kernel's own forks
 * from it and joins it again.
 */

#include <glib.h>

#include <cuda_runtime.h>

#include "cuda_memory.h"
#include "error.h"
#include "fault.h"

G_BEGIN_DECLS

/* Whether @status is success; otherwise sets @error (CS_ERROR_NO_MEMORY or
 * CS_ERROR_DEVICE; "cannot @what: ..."), and takes the error away from the
 * runtime, which would report it again to the next caller. */
gboolean cs_cuda_check (cudaError_t status, const char *what, GError ** error);

#ifdef CS_FAULT_INJECTION
#define cs_cuda_check(status, what, error) \
    cs_cuda_check (CS_OR_FAULT (CS_FAULT_CUDA, cudaErrorMemoryAllocation, \
            (status)), (what), (error))
#endif

/* Asks the current GPU. */
gboolean cs_cuda_get_attribute (enum cudaDeviceAttr attribute, int *value,
    GError ** error);

/**
 * CsCudaScratch:
 *
 * Device memory that only grows, in stream order, by half again each time, as
 * #CsScratch. Zero-initialise it. Contents do not survive growth. Aligned to
 * 256 bytes.
 */
typedef struct
{
  void *data;
  gsize size;
} CsCudaScratch;

/* At least @size bytes, and at least one, for use on @stream, or %NULL with
 * @error set and @scratch as it was. */
void *cs_cuda_scratch_ensure (CsCudaScratch * scratch, gsize size,
    cudaStream_t stream, GError ** error);
void cs_cuda_scratch_clear (CsCudaScratch * scratch, cudaStream_t stream);

/**
 * CsCudaStaging:
 *
 * Page-locked memory that the device copies from. Zero-initialise it.
 */
typedef struct
{
  CsCudaPinned memory;
  cudaEvent_t copied;
} CsCudaStaging;

gboolean cs_cuda_staging_init (CsCudaStaging * staging, GError ** error);

/* At least @size bytes, when what was in them is copied. */
void *cs_cuda_staging_get (CsCudaStaging * staging, gsize size,
    GError ** error);

/* Copies the first @size bytes to device memory, in the order of @stream. */
gboolean cs_cuda_staging_upload (CsCudaStaging * staging, void *to, gsize size,
    cudaStream_t stream, GError ** error);
void cs_cuda_staging_clear (CsCudaStaging * staging);

/* How many blocks of @size there are for @n elements. */
static inline guint
cs_cuda_blocks (gsize n, guint size)
{
  return (guint) ((n + size - 1) / size);
}

/**
 * CsCudaCarver:
 *
 * Cuts one block of scratch memory into arrays, each aligned to 256 bytes. With
 * a %NULL @base it only counts, and arrays are %NULL. Zero-initialise it, and
 * cut twice, first to learn the size:
 *
 * |[
 *   do {
 *     keys = CS_CUDA_CARVE (&carver, guint32, n);
 *     values = CS_CUDA_CARVE (&carver, float, n);
 *   } while (cs_cuda_carve_again (&carver, scratch, stream, error));
 *   if (!carver.base)
 *     return FALSE;
 * ]|
 */
typedef struct
{
  guint8 *base;
  gsize used;
} CsCudaCarver;

static inline void *
cs_cuda_carve (CsCudaCarver * carver, gsize n, gsize size)
{
  const gsize at = carver->used;

  carver->used += (n * size + 255) / 256 * 256;
  return carver->base ? carver->base + at : NULL;
}

#define CS_CUDA_CARVE(carver, type, n) \
    ((type *) cs_cuda_carve ((carver), (n), sizeof (type)))

/* Asked after the cuts: whether to make them again. %TRUE once: then @scratch
 * is large enough for all of them, for use on @stream, and @base is its memory,
 * which it keeps; not %NULL even if every array is empty. Without memory,
 * %FALSE at once, with @error set, @base %NULL and @scratch as it was. */
gboolean cs_cuda_carve_again (CsCudaCarver * carver, CsCudaScratch * scratch,
    cudaStream_t stream, GError ** error);

/**
 * CsCudaGraph:
 *
 * A chain of kernels that is launched at once. Built by adding kernels between
 * cs_cuda_graph_begin() and cs_cuda_graph_end(); each runs after the one before
 * it. Zero-initialise it.
 */
typedef struct
{
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t last;
  guint n_nodes;
} CsCudaGraph;

gboolean cs_cuda_graph_begin (CsCudaGraph * graph, GError ** error);

/* Adds @kernel, whose arguments @args points to; they are copied. Returns the
 * node for cs_cuda_graph_set_args() in @node, unless it is %NULL. */
gboolean cs_cuda_graph_add_kernel (CsCudaGraph * graph, const void *kernel,
    guint n_blocks, guint n_threads, void **args, cudaGraphNode_t * node,
    GError ** error);
gboolean cs_cuda_graph_end (CsCudaGraph * graph, cudaStream_t stream,
    GError ** error);

/* New arguments for a kernel of the finished graph, from the next launch on. */
gboolean cs_cuda_graph_set_args (CsCudaGraph * graph, cudaGraphNode_t node,
    const void *kernel, guint n_blocks, guint n_threads, void **args,
    GError ** error);
gboolean cs_cuda_graph_launch (CsCudaGraph * graph, cudaStream_t stream,
    GError ** error);
void cs_cuda_graph_clear (CsCudaGraph * graph);

G_END_DECLS
