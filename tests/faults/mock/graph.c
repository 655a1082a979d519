/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Graphs: which kernels they hold, so that a launch is one of these. */

#include "runtime.h"

#include "../../kernels/lib/lock.h"
#include "objects.h"
#include "work.h"

static GMutex lock;
/* streams that are captured, and the work; the work of graphs and of
 * executable graphs */
static GHashTable *captured, *held;

static GPtrArray *
new_list (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) mock_free_work);
}

static void
init (void)
{
  if (held)
    return;
  captured = g_hash_table_new (NULL, NULL);
  held = g_hash_table_new_full (NULL, NULL, NULL,
      (GDestroyNotify) g_ptr_array_unref);
}

/* Takes @list. */
static gpointer
new_graph (MockKind kind, GPtrArray * list)
{
  gpointer graph = mock_new (kind, 0);

  LOCK_HERE (&lock);
  init ();
  g_hash_table_insert (held, graph, list);
  return graph;
}

static GPtrArray *
get_work (MockKind kind, gpointer graph, const gchar * caller)
{
  mock_use (kind, graph, caller);
  LOCK_HERE (&lock);
  return g_hash_table_lookup (held, graph);
}

static void
free_graph (MockKind kind, gpointer graph, const gchar * caller)
{
  get_work (kind, graph, caller);
  g_mutex_lock (&lock);
  g_hash_table_remove (held, graph);
  g_mutex_unlock (&lock);
  mock_free (kind, graph, caller);
}

cudaError_t
cudaGraphCreate (cudaGraph_t * graph, unsigned flags)
{
  *graph = new_graph (MOCK_GRAPH, new_list ());
  return cudaSuccess;
}

cudaError_t
cudaGraphDestroy (cudaGraph_t graph)
{
  free_graph (MOCK_GRAPH, graph, __func__);
  return cudaSuccess;
}

static MockWork *
node_work (const struct cudaKernelNodeParams *params)
{
  const MockWork work = mock_kernel_work (params->func, params->gridDim,
      params->blockDim, params->kernelParams, params->sharedMemBytes);

  return g_memdup2 (&work, sizeof (work));
}

cudaError_t
cudaGraphAddKernelNode (cudaGraphNode_t * node, cudaGraph_t graph,
    const cudaGraphNode_t * after, size_t n_after,
    const struct cudaKernelNodeParams *params)
{
  GPtrArray *list = get_work (MOCK_GRAPH, graph, __func__);

  g_ptr_array_add (list, node_work (params));
  *node = GUINT_TO_POINTER (list->len);
  return cudaSuccess;
}

cudaError_t
cudaGraphAddDependencies (cudaGraph_t graph, const cudaGraphNode_t * from,
    const cudaGraphNode_t * to, const cudaGraphEdgeData * edges, size_t n)
{
  mock_use (MOCK_GRAPH, graph, __func__);
  return cudaSuccess;
}

cudaError_t
cudaGraphInstantiate (cudaGraphExec_t * exec, cudaGraph_t graph,
    unsigned long long flags)
{
  GPtrArray *list = get_work (MOCK_GRAPH, graph, __func__);
  GPtrArray *own = new_list ();

  for (guint i = 0; i < list->len; i++)
    g_ptr_array_add (own, mock_copy_work (g_ptr_array_index (list, i)));
  *exec = new_graph (MOCK_GRAPH_EXEC, own);
  return cudaSuccess;
}

cudaError_t
cudaGraphExecDestroy (cudaGraphExec_t exec)
{
  free_graph (MOCK_GRAPH_EXEC, exec, __func__);
  return cudaSuccess;
}

cudaError_t
cudaGraphUpload (cudaGraphExec_t exec, cudaStream_t stream)
{
  mock_use (MOCK_GRAPH_EXEC, exec, __func__);
  mock_use_stream (stream, __func__);
  return cudaSuccess;
}

cudaError_t
cudaGraphExecKernelNodeSetParams (cudaGraphExec_t exec, cudaGraphNode_t node,
    const struct cudaKernelNodeParams *params)
{
  GPtrArray *list = get_work (MOCK_GRAPH_EXEC, exec, __func__);
  const guint n = GPOINTER_TO_UINT (node);

  if (n == 0 || n > list->len)
    g_error ("%s: there is no such kernel in the graph", __func__);
  mock_free_work (g_ptr_array_index (list, n - 1));
  g_ptr_array_index (list, n - 1) = node_work (params);
  return cudaSuccess;
}

cudaError_t
cudaGraphLaunch (cudaGraphExec_t exec, cudaStream_t stream)
{
  GPtrArray *list = get_work (MOCK_GRAPH_EXEC, exec, __func__);

  mock_use_stream (stream, __func__);
  for (guint i = 0; i < list->len; i++) {
    const MockWork *work = g_ptr_array_index (list, i);

    if (work->kind == MOCK_KERNEL)
      mock_note_launch (work->launch.function);
    mock_run_work (work, __func__);
  }
  return cudaSuccess;
}

/* Launches during stream capture are recorded immediately. */
cudaError_t
cudaStreamBeginCapture (cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
  mock_use_stream (stream, __func__);
  LOCK_HERE (&lock);
  init ();
  if (!g_hash_table_insert (captured, stream, new_list ()))
    g_error ("%s: the stream is captured already", __func__);
  return cudaSuccess;
}

cudaError_t
cudaStreamEndCapture (cudaStream_t stream, cudaGraph_t * graph)
{
  mock_use_stream (stream, __func__);
  g_mutex_lock (&lock);
  init ();
  GPtrArray *list = g_hash_table_lookup (captured, stream);
  if (!g_hash_table_remove (captured, stream))
    g_error ("%s: the stream is not captured", __func__);
  g_mutex_unlock (&lock);
  *graph = new_graph (MOCK_GRAPH, list);
  return cudaSuccess;
}

gboolean
mock_capture_work (cudaStream_t stream, const MockWork * work)
{
  if (!emulator_is_enabled ())
    return FALSE;
  g_mutex_lock (&lock);
  GPtrArray *list = captured ? g_hash_table_lookup (captured, stream) : NULL;
  if (list)
    g_ptr_array_add (list, mock_copy_work (work));
  g_mutex_unlock (&lock);
  return list != NULL;
}

void
mock_check_not_captured (cudaStream_t stream, const gchar * caller)
{
  LOCK_HERE (&lock);
  if (captured && g_hash_table_contains (captured, stream))
    g_error ("%s: the stream is being captured", caller);
}

cudaError_t
cudaStreamIsCapturing (cudaStream_t stream,
    enum cudaStreamCaptureStatus *status)
{
  LOCK_HERE (&lock);
  init ();
  *status = g_hash_table_contains (captured, stream) ?
      cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
