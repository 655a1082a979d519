/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "store.h"

#include "base/memory.h"
#ifdef HAVE_CUDA
#include "base/cuda_memory.h"
#include "cuda/gstshapesdeviceblocks.h"
#endif

/* Blocks of the host that wait for the next result: so many, of so many bytes
 * in all. Fresh memory costs as much as a result. */
#define MAX_IDLE 8
#define MAX_IDLE_BYTES (G_GUINT64_CONSTANT (256) << 20)
#define ALIGNMENT 256

/* @is_pinned: page-locked, for results that a GPU brings */
typedef struct
{
  void *data;
  gsize size;
  gboolean is_pinned;
} Block;

struct _CsStore
{
  gint refs;
  CsGpu *gpu;
  gpointer stream;
  Block host;
#ifdef HAVE_CUDA
  GstShapesDeviceBlock *device;
#endif
  GMutex lock;
  GPtrArray *readers;           /* (nullable): streams; with lock */
};

static GMutex idle_lock;
static Block idle[MAX_IDLE];    /* least recently used first */
static guint n_idle;
static guint64 idle_bytes;

static void
block_free (Block block)
{
#ifdef HAVE_CUDA
  if (block.is_pinned) {
    if (cs_gpu_is_usable (NULL))
      cs_cuda_pinned_free (block.data, NULL);
    return;
  }
#endif
  free (block.data);
}

static Block
block_make (gsize size, gboolean is_pinned)
{
  /* the next result may be somewhat larger */
  const gsize rounded = (size + size / 8 + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
  Block block = {.size = rounded,.is_pinned = is_pinned };

#ifdef HAVE_CUDA
  if (is_pinned) {
    block.data = cs_cuda_pinned_alloc (rounded, NULL);
    return block;
  }
#endif
  block.data = cs_aligned_alloc (ALIGNMENT, rounded);
  return block;
}

/* With the lock. */
static Block
idle_remove (guint at)
{
  const Block block = idle[at];

  n_idle--;
  for (guint i = at; i < n_idle; i++)
    idle[i] = idle[i + 1];
  idle_bytes -= block.size;
  return block;
}

/* Not one that is far too large: it may be wanted soon. */
static gboolean
fits (const Block * block, gsize size, gboolean is_pinned)
{
  return block->is_pinned == is_pinned && block->size >= size
      && block->size / 8 <= size + 4096;
}

static Block
block_take (gsize size, gboolean is_pinned)
{
  g_mutex_lock (&idle_lock);
  for (guint i = n_idle; i-- > 0;)
    if (fits (&idle[i], size, is_pinned)) {
      const Block block = idle_remove (i);

      g_mutex_unlock (&idle_lock);
      return block;
    }
  g_mutex_unlock (&idle_lock);
  return block_make (size, is_pinned);
}

static void
block_give (Block block)
{
  Block surplus[MAX_IDLE + 1];
  guint n_surplus = 0;

  if (!block.data)
    return;
  g_mutex_lock (&idle_lock);
  while (n_idle > 0 && (n_idle == MAX_IDLE
          || idle_bytes + block.size > MAX_IDLE_BYTES))
    surplus[n_surplus++] = idle_remove (0);
  if (block.size <= MAX_IDLE_BYTES) {
    idle[n_idle++] = block;
    idle_bytes += block.size;
  } else {
    surplus[n_surplus++] = block;
  }
  g_mutex_unlock (&idle_lock);
  while (n_surplus > 0)
    block_free (surplus[--n_surplus]);
}

CsStore *
cs_store_new (CsGpu * gpu, gpointer stream)
{
  CsStore *store = g_new0 (CsStore, 1);

  store->refs = 1;
  store->gpu = gpu;
  store->stream = stream;
  g_mutex_init (&store->lock);
  return store;
}

CsStore *
cs_store_ref (CsStore * store)
{
  g_atomic_int_inc (&store->refs);
  return store;
}

#ifdef HAVE_CUDA

/* For the next result, after what its streams have been given. The context is
 * current. */
static void
release_device (CsStore * store)
{
  GstShapesDeviceBlocks *blocks = store->gpu->blocks;

  if (!store->device)
    return;
  if (store->stream)
    cs_store_add_reader (store, store->stream);
  for (guint i = 0; store->readers && i < store->readers->len; i++) {
    gpointer stream = store->readers->pdata[i];

    if (stream == CS_BLOCKING_STREAMS)
      stream = CS_LEGACY_STREAM;
    else if (cs_cuda_stream_is_idle (stream))
      continue;
    gst_shapes_device_blocks_mark (blocks, store->device, stream, NULL);
  }
  if (!gst_shapes_device_blocks_keep (blocks, store->device))
    gst_shapes_device_blocks_drop (blocks, store->device, NULL);
  store->device = NULL;
}

#endif

static void
store_free (CsStore * store)
{
#ifdef HAVE_CUDA
  if (store->gpu && cs_gpu_is_usable (NULL)) {
    const guint entered = cs_gpu_ops.enter_to_free (store->gpu);

    release_device (store);
    block_give (store->host);
    cs_gpu_ops.leave_freed (store->gpu, entered);
  }
#endif
  if (!store->gpu)
    block_give (store->host);
  g_clear_pointer (&store->readers, g_ptr_array_unref);
  g_mutex_clear (&store->lock);
  g_free (store);
}

void
cs_store_unref (CsStore * store)
{
  if (g_atomic_int_dec_and_test (&store->refs))
    store_free (store);
}

void *
cs_store_alloc (void *data, gsize size, gboolean host)
{
  CsStore *store = data;

  if (host) {
    block_give (store->host);
    store->host = block_take (size, store->gpu != NULL);
    return store->host.data;
  }
#ifdef HAVE_CUDA
  release_device (store);
  store->device = gst_shapes_device_blocks_take (store->gpu->blocks, size,
      store->stream, NULL);
  return store->device ? store->device->data : NULL;
#else
  g_return_val_if_reached (NULL);
#endif
}

void
cs_store_finish (CsStore * store)
{
  store->stream = NULL;
}

void
cs_store_add_reader (CsStore * store, gpointer stream)
{
  g_mutex_lock (&store->lock);
  if (!store->readers)
    store->readers = g_ptr_array_new ();
  if (!g_ptr_array_find (store->readers, stream, NULL))
    g_ptr_array_add (store->readers, stream);
  g_mutex_unlock (&store->lock);
}

CsGpu *
cs_store_get_gpu (const CsStore * store)
{
  return store->gpu;
}

gboolean
cs_store_download (CsStore * store, void *host, const void *device,
    gsize size, GError ** error)
{
#ifdef HAVE_CUDA
  const CsCudaCopy copy = { host, device, size };

  if (!cs_gpu_is_usable (error) || !cs_gpu_ops.enter (store->gpu, error))
    return FALSE;
  const gboolean ok = cs_cuda_heap_download (store->gpu->heap, &copy, 1,
      error);
  cs_gpu_ops.leave (store->gpu);
  return ok;
#else
  g_return_val_if_reached (FALSE);
#endif
}
