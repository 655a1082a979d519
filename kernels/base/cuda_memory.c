/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda_memory.h"

#include <cuda_runtime_api.h>

#include <stdlib.h>
#include <string.h>

#include "fault.h"

/* What a heap keeps of released memory. */
#define KEPT_BYTES (G_GUINT64_CONSTANT (256) << 20)
/* Memory is page-locked by pages. */
#define PAGE ((gsize) 4096)

/* Whether this thread frees what belongs to a context that is gone. */
static _Thread_local guint context_is_lost;

struct _CsCudaHeap
{
  cudaMemPool_t pool;
  cudaStream_t release_stream, copy_stream;
};

/* Keeps the first error. Non-sticky errors are cleared, so that the next caller
 * does not see them. */
static gboolean
check (cudaError_t result, const char *what, GError ** error)
{
  if (result == cudaSuccess)
    return TRUE;
  cudaGetLastError ();
  if (error && !*error)
    g_set_error (error, CS_ERROR, result == cudaErrorMemoryAllocation ?
        CS_ERROR_NO_MEMORY : CS_ERROR_DEVICE, "%s: %s (%s)", what,
        cudaGetErrorString (result), cudaGetErrorName (result));
  return FALSE;
}

/* What is freed is freed in any case. */
static gboolean
check_free (cudaError_t result, const char *what, GError ** error)
{
  return check (result, what, error);
}

#ifdef CS_FAULT_INJECTION
#define check(result, what, error) \
    check (CS_OR_FAULT (CS_FAULT_CUDA, cudaErrorMemoryAllocation, (result)), \
        (what), (error))
#endif

void
cs_cuda_set_context_lost (gboolean lost)
{
  if (lost)
    context_is_lost++;
  else
    context_is_lost--;
}

gboolean
cs_cuda_context_is_lost (void)
{
  return context_is_lost > 0;
}

/* The documented answer of whatever needs a current context to one that was
 * destroyed is an error; handles that belonged to it may not be touched. */
gboolean
cs_cuda_context_is_alive (void)
{
  cudaEvent_t event = NULL;
  const cudaError_t result = CS_OR_FAULT (CS_FAULT_CUDA,
      cudaErrorMemoryAllocation,
      cudaEventCreateWithFlags (&event, cudaEventDisableTiming));

  if (result == cudaSuccess)
    check_free (cudaEventDestroy (event), "", NULL);
  else
    cudaGetLastError ();
  return result != cudaErrorContextIsDestroyed &&
      result != cudaErrorDeviceUninitialized;
}

/* The pages are the process's own: they stay when the context goes. */
void *
cs_cuda_pinned_alloc (gsize size, GError ** error)
{
  void *data;

  size = size ? (size + PAGE - 1) / PAGE * PAGE : PAGE;
  if (size == 0 || posix_memalign (&data, PAGE, size) != 0)
    return cs_fail_null (error, CS_ERROR, CS_ERROR_NO_MEMORY,
        "cannot allocate %" G_GSIZE_FORMAT " bytes of memory", size);
  if (!check (cudaHostRegister (data, size, cudaHostRegisterPortable |
              cudaHostRegisterMapped), "cannot page-lock memory", error)) {
    free (data);
    return NULL;
  }
  return data;
}

gboolean
cs_cuda_pinned_free (void *data, GError ** error)
{
  const gboolean ok = context_is_lost || !data ||
      check_free (cudaHostUnregister (data), "cannot unlock memory", error);

  free (data);
  return ok;
}

void *
cs_cuda_pinned_ensure (CsCudaPinned * pinned, gsize size, GError ** error)
{
  if (pinned->data && size <= pinned->size)
    return pinned->data;
  cs_cuda_pinned_clear (pinned);
  pinned->data = cs_cuda_pinned_alloc (size + size / 2, error);
  pinned->size = pinned->data ? size + size / 2 : 0;
  return pinned->data;
}

void
cs_cuda_pinned_clear (CsCudaPinned * pinned)
{
  if (pinned->data)
    cs_cuda_pinned_free (pinned->data, NULL);
  pinned->data = NULL;
  pinned->size = 0;
}

void *
cs_cuda_stream_new (GError ** error)
{
  cudaStream_t stream = NULL;

  if (!check (cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking),
          "cannot make a stream", error))
    return NULL;
  return stream;
}

gboolean
cs_cuda_stream_free (void *stream, GError ** error)
{
  return context_is_lost ||
      check_free (cudaStreamDestroy (stream), "cannot free a stream", error);
}

int
cs_cuda_device_of (const void *data)
{
  struct cudaPointerAttributes attributes;

  if (!check (cudaPointerGetAttributes (&attributes, data), "", NULL)
      || (attributes.type != cudaMemoryTypeDevice
          && attributes.type != cudaMemoryTypeManaged))
    return -1;
  return attributes.device;
}

gboolean
cs_cuda_stream_is_blocking (void *stream)
{
  unsigned flags = 0;

  return check (cudaStreamGetFlags (stream, &flags), "", NULL)
      && !(flags & cudaStreamNonBlocking);
}

gboolean
cs_cuda_stream_is_idle (void *stream)
{
  return check (cudaStreamQuery (stream), "", NULL);
}

gboolean
cs_cuda_stream_wait (void *stream, GError ** error)
{
  return check (cudaStreamSynchronize (stream), "cannot wait for a stream",
      error);
}

static gboolean
make_pool (CsCudaHeap * heap, GError ** error)
{
  struct cudaMemPoolProps props;
  guint64 kept = KEPT_BYTES;
  int device = 0;

  if (!check (cudaGetDevice (&device), "cannot ask for the device", error))
    return FALSE;
  memset (&props, 0, sizeof (props));
  props.allocType = cudaMemAllocationTypePinned;
  props.handleTypes = cudaMemHandleTypeNone;
  props.location.type = cudaMemLocationTypeDevice;
  props.location.id = device;
  if (!check (cudaMemPoolCreate (&heap->pool, &props),
          "cannot make a device memory pool", error))
    return FALSE;
  return check (cudaMemPoolSetAttribute (heap->pool,
          cudaMemPoolAttrReleaseThreshold, &kept),
      "cannot set up a device memory pool", error);
}

CsCudaHeap *
cs_cuda_heap_new (GError ** error)
{
  CsCudaHeap *heap = g_new0 (CsCudaHeap, 1);

  heap->release_stream = cs_cuda_stream_new (error);
  if (heap->release_stream)
    heap->copy_stream = cs_cuda_stream_new (error);
  if (!heap->copy_stream || !make_pool (heap, error)) {
    cs_cuda_heap_free (heap);
    return NULL;
  }
  return heap;
}

void
cs_cuda_heap_free (CsCudaHeap * heap)
{
  /* Streams end when their work is done; nothing waits. */
  if (heap->pool && !context_is_lost)
    check_free (cudaMemPoolDestroy (heap->pool), "", NULL);
  if (heap->copy_stream)
    cs_cuda_stream_free (heap->copy_stream, NULL);
  if (heap->release_stream)
    cs_cuda_stream_free (heap->release_stream, NULL);
  g_free (heap);
}

void *
cs_cuda_event_new (GError ** error)
{
  cudaEvent_t event = NULL;

  if (!check (cudaEventCreateWithFlags (&event, cudaEventDisableTiming),
          "cannot make an event", error))
    return NULL;
  return event;
}

gboolean
cs_cuda_event_record (void *event, void *stream, GError ** error)
{
  return check (cudaEventRecord (event, stream), "cannot record an event",
      error);
}

gboolean
cs_cuda_event_is_done (void *event)
{
  return check (cudaEventQuery (event), "", NULL);
}

gboolean
cs_cuda_event_wait (void *event, void *stream, GError ** error)
{
  return check (cudaStreamWaitEvent (stream, event, 0),
      "cannot wait for an event", error);
}

gboolean
cs_cuda_event_free (void *event, GError ** error)
{
  return context_is_lost ||
      check_free (cudaEventDestroy (event), "cannot free an event", error);
}

void *
cs_cuda_heap_alloc (CsCudaHeap * heap, gsize size, void *stream,
    GError ** error)
{
  void *data = NULL;

  if (!check (cudaMallocFromPoolAsync (&data, MAX (size, 1), heap->pool,
              stream), "cannot allocate device memory", error))
    return NULL;
  return data;
}

gboolean
cs_cuda_heap_release (CsCudaHeap * heap, void *data, void **events,
    guint n_events, GError ** error)
{
  gboolean ok = TRUE;
  GError *first = NULL;

  if (context_is_lost)
    return TRUE;
  for (guint i = 0; i < n_events; i++)
    ok &= cs_cuda_event_wait (events[i], heap->release_stream, &first);
  ok &= check_free (cudaFreeAsync (data, heap->release_stream),
      "cannot free device memory", &first);
  if (first)
    g_propagate_error (error, first);
  return ok;
}

static gboolean
queue_copy (void *to, const void *from, gsize size, enum cudaMemcpyKind kind,
    cudaStream_t stream, GError ** error)
{
  return check (cudaMemcpyAsync (to, from, size, kind, stream),
      "cannot copy memory of the GPU", error);
}

static gboolean
wait_for_copies (CsCudaHeap * heap, GError ** error)
{
  return check (cudaStreamSynchronize (heap->copy_stream),
      "cannot copy memory of the GPU", error);
}

gboolean
cs_cuda_heap_download (CsCudaHeap * heap, const CsCudaCopy * copies,
    guint n_copies, GError ** error)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < n_copies && ok; i++)
    ok = queue_copy (copies[i].host, copies[i].device, copies[i].size,
        cudaMemcpyDeviceToHost, heap->copy_stream, error);
  /* those that are under way in any case */
  return wait_for_copies (heap, ok ? error : NULL) && ok;
}

gboolean
cs_cuda_heap_upload (CsCudaHeap * heap, void *device, const void *host,
    gsize size, GError ** error)
{
  return queue_copy (device, host, size, cudaMemcpyHostToDevice,
      heap->copy_stream, error) && wait_for_copies (heap, error);
}
