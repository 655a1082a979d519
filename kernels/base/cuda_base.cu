/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda_base.h"

#define ALIGNMENT 256

gboolean
(cs_cuda_check) (cudaError_t status, const char *what, GError ** error)
{
  if (status == cudaSuccess)
    return TRUE;
  cudaGetLastError ();
  if (!error || !*error)
    g_set_error (error, CS_ERROR, status == cudaErrorMemoryAllocation ?
        CS_ERROR_NO_MEMORY : CS_ERROR_DEVICE, "cannot %s: %s (%s)", what,
        cudaGetErrorString (status), cudaGetErrorName (status));
  return FALSE;
}

gboolean
cs_cuda_get_attribute (enum cudaDeviceAttr attribute, int *value,
    GError ** error)
{
  int device;

  return cs_cuda_check (cudaGetDevice (&device), "find the GPU", error) &&
      cs_cuda_check (cudaDeviceGetAttribute (value, attribute, device),
      "query the GPU", error);
}

void *
cs_cuda_scratch_ensure (CsCudaScratch * scratch, gsize size,
    cudaStream_t stream, GError ** error)
{
  gsize grown = (size + scratch->size / 2 + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
  void *data = NULL;

  if (scratch->data && size <= scratch->size)
    return scratch->data;
  if (!cs_cuda_check (cudaMallocAsync (&data, grown, stream),
          "allocate device memory", error))
    return NULL;
  cs_cuda_scratch_clear (scratch, stream);
  scratch->data = data;
  scratch->size = grown;
  return data;
}

void
cs_cuda_scratch_clear (CsCudaScratch * scratch, cudaStream_t stream)
{
  if (scratch->data && !cs_cuda_context_is_lost () &&
      cudaFreeAsync (scratch->data, stream) != cudaSuccess)
    cudaGetLastError ();
  scratch->data = NULL;
  scratch->size = 0;
}

gboolean
cs_cuda_staging_init (CsCudaStaging * staging, GError ** error)
{
  return cs_cuda_check (cudaEventCreateWithFlags (&staging->copied,
          cudaEventDisableTiming), "make an event", error);
}

void *
cs_cuda_staging_get (CsCudaStaging * staging, gsize size, GError ** error)
{
  return cs_cuda_check (cudaEventSynchronize (staging->copied),
      "wait for an upload", error) ?
      cs_cuda_pinned_ensure (&staging->memory, size, error) : NULL;
}

gboolean
cs_cuda_staging_upload (CsCudaStaging * staging, void *to, gsize size,
    cudaStream_t stream, GError ** error)
{
  return cs_cuda_check (cudaMemcpyAsync (to, staging->memory.data, size,
          cudaMemcpyHostToDevice, stream), "upload", error) &&
      cs_cuda_check (cudaEventRecord (staging->copied, stream),
      "record an event", error);
}

void
cs_cuda_staging_clear (CsCudaStaging * staging)
{
  if (staging->copied && !cs_cuda_context_is_lost ()) {
    cudaEventSynchronize (staging->copied);
    cudaEventDestroy (staging->copied);
    cudaGetLastError ();
  }
  staging->copied = NULL;
  cs_cuda_pinned_clear (&staging->memory);
}

gboolean
cs_cuda_carve_again (CsCudaCarver * carver, CsCudaScratch * scratch,
    cudaStream_t stream, GError ** error)
{
  if (carver->base)
    return FALSE;
  carver->base = (guint8 *) cs_cuda_scratch_ensure (scratch, carver->used,
      stream, error);
  carver->used = 0;
  return carver->base != NULL;
}

gboolean
cs_cuda_graph_begin (CsCudaGraph * graph, GError ** error)
{
  cs_cuda_graph_clear (graph);
  return cs_cuda_check (cudaGraphCreate (&graph->graph, 0), "make a graph",
      error);
}

static void
fill_params (cudaKernelNodeParams * params, const void *kernel,
    guint n_blocks, guint n_threads, void **args)
{
  *params = cudaKernelNodeParams ();
  params->func = (void *) kernel;
  params->gridDim = dim3 (n_blocks);
  params->blockDim = dim3 (n_threads);
  params->kernelParams = args;
}

gboolean
cs_cuda_graph_add_kernel (CsCudaGraph * graph, const void *kernel,
    guint n_blocks, guint n_threads, void **args, cudaGraphNode_t * node,
    GError ** error)
{
  cudaKernelNodeParams params;
  cudaGraphNode_t added;

  fill_params (&params, kernel, n_blocks, n_threads, args);
  if (!cs_cuda_check (cudaGraphAddKernelNode (&added, graph->graph,
              graph->n_nodes ? &graph->last : NULL, graph->n_nodes ? 1 : 0,
              &params), "add a kernel to a graph", error))
    return FALSE;
  graph->last = added;
  graph->n_nodes++;
  if (node)
    *node = added;
  return TRUE;
}

gboolean
cs_cuda_graph_end (CsCudaGraph * graph, cudaStream_t stream, GError ** error)
{
  return cs_cuda_check (cudaGraphInstantiate (&graph->exec, graph->graph, 0),
      "finish a graph", error) &&
      cs_cuda_check (cudaGraphUpload (graph->exec, stream), "upload a graph",
      error);
}

gboolean
cs_cuda_graph_set_args (CsCudaGraph * graph, cudaGraphNode_t node,
    const void *kernel, guint n_blocks, guint n_threads, void **args,
    GError ** error)
{
  cudaKernelNodeParams params;

  fill_params (&params, kernel, n_blocks, n_threads, args);
  return cs_cuda_check (cudaGraphExecKernelNodeSetParams (graph->exec, node,
          &params), "update a graph", error);
}

gboolean
cs_cuda_graph_launch (CsCudaGraph * graph, cudaStream_t stream, GError ** error)
{
  return cs_cuda_check (cudaGraphLaunch (graph->exec, stream),
      "launch a graph", error);
}

void
cs_cuda_graph_clear (CsCudaGraph * graph)
{
  const gboolean is_lost = cs_cuda_context_is_lost ();

  if (graph->exec && !is_lost && cudaGraphExecDestroy (graph->exec) != cudaSuccess)
    cudaGetLastError ();
  if (graph->graph && !is_lost && cudaGraphDestroy (graph->graph) != cudaSuccess)
    cudaGetLastError ();
  graph->graph = NULL;
  graph->exec = NULL;
  graph->n_nodes = 0;
}
