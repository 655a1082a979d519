/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fake_cuda.h"

#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "base/cuda_memory.h"
#include "base/fault.h"
#include "../lib/check_device.h"
#include "../lib/lock.h"
#include "../lib/random.h"

/* The fake's functions are called without the hook. */
#undef cs_cuda_check
gboolean cs_cuda_check (cudaError_t status, const char *what, GError ** error);

typedef struct
{
  gpointer data;
  gsize size;
  enum cudaMemoryType type;
} Block;

typedef struct
{
  guint8 *to;
  const guint8 *from;
  gsize to_stride, from_stride, row_size, rows;
} Copy;

/* All streams are one queue. */
static GMutex lock;
static GCond changed;
static GQueue copies = G_QUEUE_INIT;
static guint64 n_queued, n_done;
static GThread *gpu;
static GArray *blocks;
static gint fail_after = -1;
static gboolean has_failed, pinned_fails, is_integrated, reads_pageable;
static guint n_events, n_pinned, n_pageable;
static _Thread_local cudaError_t last_error;

struct CUevent_st
{
  guint64 after;
};

static gpointer
gpu_func (gpointer unused)
{
  guint64 random = 1;

  g_mutex_lock (&lock);
  for (;;) {
    Copy *copy;

    while (!(copy = g_queue_peek_head (&copies)))
      g_cond_wait (&changed, &lock);
    g_mutex_unlock (&lock);
    if (random_below (&random, 8) == 0)
      g_usleep (random_below (&random, 200));
    for (gsize y = 0; y < copy->rows; y++)
      memcpy (copy->to + y * copy->to_stride,
          copy->from + y * copy->from_stride, copy->row_size);
    g_mutex_lock (&lock);
    g_free (g_queue_pop_head (&copies));
    n_done++;
    g_cond_broadcast (&changed);
  }
  return NULL;
}

/* With the lock. */
static void
wait_until (guint64 n)
{
  while (n_done < n)
    g_cond_wait (&changed, &lock);
}

static cudaError_t
answer (void)
{
  g_mutex_lock (&lock);
  gboolean fails = fail_after == 0;
  if (fail_after >= 0)
    fail_after--;
  has_failed |= fails;
  g_mutex_unlock (&lock);
  return fails ? cudaErrorUnknown : cudaSuccess;
}

static void
add_block (gpointer data, gsize size, enum cudaMemoryType type)
{
  const Block block = { data, size, type };

  LOCK_HERE (&lock);
  if (!blocks)
    blocks = g_array_new (FALSE, FALSE, sizeof (Block));
  g_array_append_val (blocks, block);
  n_pinned += type == cudaMemoryTypeHost;
}

static void
remove_block (gpointer data)
{
  guint i;

  g_mutex_lock (&lock);
  for (i = 0; g_array_index (blocks, Block, i).data != data;)
    i++;
  n_pinned -= g_array_index (blocks, Block, i).type == cudaMemoryTypeHost;
  g_array_remove_index_fast (blocks, i);
  g_mutex_unlock (&lock);
  free (data);
}

/* With the lock. */
static enum cudaMemoryType
type_of (const void *data)
{
  for (guint i = 0; blocks && i < blocks->len; i++) {
    const Block *block = &g_array_index (blocks, Block, i);

    if ((const guint8 *) data >= (const guint8 *) block->data &&
        (const guint8 *) data < (const guint8 *) block->data + block->size)
      return block->type;
  }
  return cudaMemoryTypeUnregistered;
}

void
fake_cuda_fail_after (gint n)
{
  LOCK_HERE (&lock);
  fail_after = n;
  has_failed = FALSE;
}

gboolean
fake_cuda_has_failed (void)
{
  LOCK_HERE (&lock);
  return has_failed;
}

void
fake_cuda_set_pinned (gboolean works)
{
  pinned_fails = !works;
}

void
fake_cuda_set_integrated (gboolean integrated, gboolean pageable)
{
  is_integrated = integrated;
  reads_pageable = pageable;
}

guint
fake_cuda_count_queued (void)
{
  LOCK_HERE (&lock);
  return n_queued - n_done;
}

guint
fake_cuda_count_events (void)
{
  return n_events;
}

guint
fake_cuda_count_pinned (void)
{
  return n_pinned;
}

guint
fake_cuda_count_pageable (void)
{
  return n_pageable;
}

/* Of the runtime */

cudaError_t
cudaGetLastError (void)
{
  const cudaError_t error = last_error;

  last_error = cudaSuccess;
  return error;
}

cudaError_t
cudaGetDevice (int *device)
{
  *device = 0;
  return answer ();
}

cudaError_t
cudaDeviceGetAttribute (int *value, enum cudaDeviceAttr attribute, int device)
{
  *value = attribute == cudaDevAttrIntegrated ? is_integrated :
      attribute == cudaDevAttrPageableMemoryAccess ? reads_pageable : 0;
  return answer ();
}

cudaError_t
cudaPointerGetAttributes (struct cudaPointerAttributes *attributes,
    const void *data)
{
  memset (attributes, 0, sizeof (*attributes));
  g_mutex_lock (&lock);
  attributes->type = type_of (data);
  g_mutex_unlock (&lock);
  if (attributes->type != cudaMemoryTypeUnregistered)
    attributes->devicePointer = (void *) data;
  return answer ();
}

cudaError_t
cudaEventCreateWithFlags (cudaEvent_t * event, unsigned flags)
{
  const cudaError_t status = answer ();

  if (status == cudaSuccess) {
    *event = g_new0 (struct CUevent_st, 1);
    n_events++;
  }
  return status;
}

cudaError_t
cudaEventDestroy (cudaEvent_t event)
{
  n_events--;
  g_free (event);
  return cudaSuccess;
}

cudaError_t
cudaEventRecord (cudaEvent_t event, cudaStream_t stream)
{
  const cudaError_t status = answer ();

  LOCK_HERE (&lock);
  if (status == cudaSuccess)
    event->after = n_queued;
  return status;
}

cudaError_t
cudaEventQuery (cudaEvent_t event)
{
  cudaError_t status = answer ();

  LOCK_HERE (&lock);
  if (status == cudaSuccess && n_done < event->after)
    status = last_error = cudaErrorNotReady;
  return status;
}

cudaError_t
cudaEventSynchronize (cudaEvent_t event)
{
  g_mutex_lock (&lock);
  wait_until (event->after);
  g_mutex_unlock (&lock);
  return answer ();
}

cudaError_t
cudaStreamSynchronize (cudaStream_t stream)
{
  LOCK_HERE (&lock);
  wait_until (n_queued);
  return cudaSuccess;
}

cudaError_t
cudaMemcpy2DAsync (void *to, size_t to_stride, const void *from,
    size_t from_stride, size_t row_size, size_t rows, enum cudaMemcpyKind kind,
    cudaStream_t stream)
{
  const Copy copy = { to, from, to_stride, from_stride, row_size, rows };
  const cudaError_t status = answer ();

  if (status != cudaSuccess)
    return status;
  g_mutex_lock (&lock);
  if (!gpu)
    gpu = g_thread_new ("gpu", gpu_func, NULL);
  gboolean pageable = type_of (to) == cudaMemoryTypeUnregistered ||
      type_of (from) == cudaMemoryTypeUnregistered;
  n_pageable += pageable;
  g_queue_push_tail (&copies, g_memdup2 (&copy, sizeof (copy)));
  n_queued++;
  g_cond_broadcast (&changed);
  if (pageable)
    wait_until (n_queued);
  g_mutex_unlock (&lock);
  return status;
}

cudaError_t
cudaMemcpyAsync (void *to, const void *from, size_t size,
    enum cudaMemcpyKind kind, cudaStream_t stream)
{
  return cudaMemcpy2DAsync (to, size, from, size, size, 1, kind, stream);
}

/* Of the kernels' files that are not linked */

gboolean
cs_cuda_check (cudaError_t status, const char *what, GError ** error)
{
  if (status == cudaSuccess)
    return TRUE;
  cudaGetLastError ();
  if (!error || !*error)
    g_set_error (error, CS_ERROR, CS_ERROR_DEVICE, "cannot %s: %d", what,
        status);
  return FALSE;
}

gboolean
cs_cuda_context_is_lost (void)
{
  return FALSE;
}

void *
cs_cuda_pinned_alloc (gsize size, GError ** error)
{
  if (!pinned_fails && answer () == cudaSuccess)
    return check_device_alloc_pinned (size);
  g_set_error (error, CS_ERROR, CS_ERROR_NO_MEMORY, "no memory");
  return NULL;
}

gboolean
cs_cuda_pinned_free (void *data, GError ** error)
{
  check_device_free_pinned (data);
  return TRUE;
}

/* Of the test programs' library */

gboolean
check_device_open (char *name, gsize name_size)
{
  g_strlcpy (name, "fake", name_size);
  return TRUE;
}

void *
check_device_stream_new (void)
{
  return &lock;
}

void
check_device_stream_free (void *stream)
{
}

static void *
alloc (gsize size, enum cudaMemoryType type)
{
  void *data = aligned_alloc (256, (size + 256) / 256 * 256);

  add_block (data, (size + 256) / 256 * 256, type);
  return data;
}

void *
check_device_alloc (gsize size)
{
  return alloc (size, cudaMemoryTypeDevice);
}

void
check_device_free (void *data)
{
  remove_block (data);
}

void *
check_device_alloc_pinned (gsize size)
{
  return alloc (size, cudaMemoryTypeHost);
}

void
check_device_free_pinned (void *data)
{
  remove_block (data);
}

void
check_device_copy (void *to, const void *from, gsize size)
{
  cudaStreamSynchronize (NULL);
  memcpy (to, from, size);
}

void
check_device_fill (void *to, guint8 byte, gsize size)
{
  cudaStreamSynchronize (NULL);
  memset (to, byte, size);
}
