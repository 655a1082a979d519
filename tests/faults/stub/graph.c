/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Graphs: which kernels they hold, so that a launch is one of these. */

#include "runtime.h"

#include "objects.h"

static GMutex lock;
/* what is captured, by stream; kernels, by graph or executable graph */
static GHashTable *captured, *held;

static void
init (void)
{
  if (held)
    return;
  captured = g_hash_table_new (NULL, NULL);
  held = g_hash_table_new_full (NULL, NULL, NULL,
      (GDestroyNotify) g_ptr_array_unref);
}

static gpointer
new_graph (StubKind kind, GPtrArray * kernels)
{
  gpointer graph = stub_new (kind, 0);

  g_mutex_lock (&lock);
  init ();
  g_hash_table_insert (held, graph, kernels ? g_ptr_array_ref (kernels) :
      g_ptr_array_new ());
  g_mutex_unlock (&lock);
  return graph;
}

static GPtrArray *
get_kernels (StubKind kind, gpointer graph, const gchar * caller)
{
  GPtrArray *kernels;

  stub_use (kind, graph, caller);
  g_mutex_lock (&lock);
  kernels = g_hash_table_lookup (held, graph);
  g_mutex_unlock (&lock);
  return kernels;
}

static void
free_graph (StubKind kind, gpointer graph, const gchar * caller)
{
  get_kernels (kind, graph, caller);
  g_mutex_lock (&lock);
  g_hash_table_remove (held, graph);
  g_mutex_unlock (&lock);
  stub_free (kind, graph, caller);
}

cudaError_t
cudaGraphCreate (cudaGraph_t * graph, unsigned flags)
{
  *graph = new_graph (STUB_GRAPH, NULL);
  return cudaSuccess;
}

cudaError_t
cudaGraphDestroy (cudaGraph_t graph)
{
  free_graph (STUB_GRAPH, graph, __func__);
  return cudaSuccess;
}

cudaError_t
cudaGraphAddKernelNode (cudaGraphNode_t * node, cudaGraph_t graph,
    const cudaGraphNode_t * after, size_t n_after,
    const struct cudaKernelNodeParams *params)
{
  GPtrArray *kernels = get_kernels (STUB_GRAPH, graph, __func__);

  g_ptr_array_add (kernels, params->func);
  *node = GUINT_TO_POINTER (kernels->len);
  return cudaSuccess;
}

cudaError_t
cudaGraphAddDependencies (cudaGraph_t graph, const cudaGraphNode_t * from,
    const cudaGraphNode_t * to, const cudaGraphEdgeData * edges, size_t n)
{
  stub_use (STUB_GRAPH, graph, __func__);
  return cudaSuccess;
}

cudaError_t
cudaGraphInstantiate (cudaGraphExec_t * exec, cudaGraph_t graph,
    unsigned long long flags)
{
  *exec = new_graph (STUB_GRAPH_EXEC, get_kernels (STUB_GRAPH, graph,
          __func__));
  return cudaSuccess;
}

cudaError_t
cudaGraphExecDestroy (cudaGraphExec_t exec)
{
  free_graph (STUB_GRAPH_EXEC, exec, __func__);
  return cudaSuccess;
}

cudaError_t
cudaGraphUpload (cudaGraphExec_t exec, cudaStream_t stream)
{
  stub_use (STUB_GRAPH_EXEC, exec, __func__);
  stub_use (STUB_STREAM, stream, __func__);
  return cudaSuccess;
}

cudaError_t
cudaGraphExecKernelNodeSetParams (cudaGraphExec_t exec, cudaGraphNode_t node,
    const struct cudaKernelNodeParams *params)
{
  GPtrArray *kernels = get_kernels (STUB_GRAPH_EXEC, exec, __func__);
  const guint n = GPOINTER_TO_UINT (node);

  if (n == 0 || n > kernels->len)
    g_error ("%s: there is no such kernel in the graph", __func__);
  g_ptr_array_index (kernels, n - 1) = params->func;
  return cudaSuccess;
}

cudaError_t
cudaGraphLaunch (cudaGraphExec_t exec, cudaStream_t stream)
{
  GPtrArray *kernels = get_kernels (STUB_GRAPH_EXEC, exec, __func__);
  guint i;

  stub_use (STUB_STREAM, stream, __func__);
  for (i = 0; i < kernels->len; i++)
    stub_note_launch (g_ptr_array_index (kernels, i));
  return cudaSuccess;
}

/* Launches during stream capture are recorded immediately. */
cudaError_t
cudaStreamBeginCapture (cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
  stub_use (STUB_STREAM, stream, __func__);
  g_mutex_lock (&lock);
  init ();
  if (!g_hash_table_add (captured, stream))
    g_error ("%s: the stream is captured already", __func__);
  g_mutex_unlock (&lock);
  return cudaSuccess;
}

cudaError_t
cudaStreamEndCapture (cudaStream_t stream, cudaGraph_t * graph)
{
  stub_use (STUB_STREAM, stream, __func__);
  g_mutex_lock (&lock);
  init ();
  if (!g_hash_table_remove (captured, stream))
    g_error ("%s: the stream is not captured", __func__);
  g_mutex_unlock (&lock);
  *graph = new_graph (STUB_GRAPH, NULL);
  return cudaSuccess;
}

void
stub_check_not_captured (cudaStream_t stream, const gchar * caller)
{
  g_mutex_lock (&lock);
  if (captured && g_hash_table_contains (captured, stream))
    g_error ("%s: the stream is being captured", caller);
  g_mutex_unlock (&lock);
}

cudaError_t
cudaStreamIsCapturing (cudaStream_t stream,
    enum cudaStreamCaptureStatus *status)
{
  g_mutex_lock (&lock);
  init ();
  *status = g_hash_table_contains (captured, stream) ?
      cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  g_mutex_unlock (&lock);
  return cudaSuccess;
}
