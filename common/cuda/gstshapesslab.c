/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapesslab.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "gstshapescompat.h"
#include "gstshapescontext.h"
#include "gstshapessizes.h"
#ifdef HAVE_CUDA
#include "gstshapesdeviceblocks.h"
#endif

GST_DEBUG_CATEGORY_STATIC (gst_shapes_slab_debug);
#define GST_CAT_DEFAULT gst_shapes_slab_debug

#define ALIGNMENT 256
/* Page-locked blocks are not smaller than this class, and so many of it are
 * made at once: locking takes a tenth of a millisecond, in which the whole
 * process gets no memory. */
#define PINNED_CLASS 6
#define PINNED_AT_ONCE 16

/* Free list node, stored in an idle block itself. */
typedef struct _IdleBlock IdleBlock;
struct _IdleBlock
{
  IdleBlock *next;
};

typedef struct
{
  gpointer data;
  guint size_class;
  gboolean pinned;
} HostBlock;

struct _GstShapesSlabPool
{
  gatomicrefcount ref_count;
  GMutex lock;
  IdleBlock *idle[GST_SHAPES_N_SIZES];
  gsize idle_size;
  gboolean pinned;
  GPtrArray *chunks;            /* page-locked, of blocks of PINNED_CLASS */
#ifdef HAVE_CUDA
  GstCudaContext *context;
  CsCudaHeap *heap;
  GstShapesDeviceBlocks *blocks;
#endif
};

struct _GstShapesSlab
{
  GstShapesSlabPool *pool;
  HostBlock host;
  GstShapeArrays device_arrays;
#ifdef HAVE_CUDA
  GstShapesDeviceBlock *device;
  /* that may still write; %NULL once the result is complete */
  gpointer stream;
#endif
};

static void
init_debug (void)
{
  static gsize done = 0;

  if (g_once_init_enter (&done)) {
    GST_DEBUG_CATEGORY_INIT (gst_shapes_slab_debug, "shapesslab", 0,
        "memory of shapes");
    g_once_init_leave (&done, 1);
  }
}

#ifdef HAVE_CUDA

/* Log only: no owner left to report to. */
static void
log_and_clear (GError ** error)
{
  if (*error)
    GST_WARNING ("%s", (*error)->message);
  g_clear_error (error);
}

static gpointer
pinned_alloc (GstCudaContext * context, gsize size)
{
  GError *error = NULL;

  if (!gst_cuda_context_push (context))
    return NULL;
  gpointer data = cs_cuda_pinned_alloc (size, &error);
  gst_cuda_context_pop (NULL);
  log_and_clear (&error);
  return data;
}

static void
pinned_free (GstCudaContext * context, gpointer data)
{
  const guint entered = gst_shapes_context_enter_to_free (context);
  GError *error = NULL;

  cs_cuda_pinned_free (data, &error);
  gst_shapes_context_leave (entered);
  log_and_clear (&error);
}

static gpointer
allocator_alloc (gpointer pool, gsize size)
{
  return pinned_alloc (((GstShapesSlabPool *) pool)->context, size);
}

static void
allocator_free (gpointer pool, gpointer data)
{
  pinned_free (((GstShapesSlabPool *) pool)->context, data);
}

static const GstShapesPinnedOps pinned_ops = { allocator_alloc,
  allocator_free
};

static gboolean
pool_init_device (GstShapesSlabPool * pool, gpointer context, GError ** error)
{
  pool->context = gst_object_ref (context);
  if (!gst_shapes_context_hold (pool->context, error))
    return FALSE;
  if (!gst_cuda_context_push (pool->context))
    return cs_error (error, CS_ERROR_DEVICE, "cannot make the CUDA context "
        "current");
  pool->heap = cs_cuda_heap_new (error);
  if (pool->heap)
    pool->blocks = gst_shapes_device_blocks_new (pool->heap);
  gst_cuda_context_pop (NULL);
  pool->pinned = TRUE;
  return pool->heap != NULL;
}

static void
pool_clear_device (GstShapesSlabPool * pool)
{
  if (pool->heap) {
    const guint entered = gst_shapes_context_enter_to_free (pool->context);

    gst_shapes_device_blocks_free (pool->blocks);
    cs_cuda_heap_free (pool->heap);
    gst_shapes_context_leave (entered);
  }
  gst_clear_object (&pool->context);
}

static gpointer
block_memory_new (GstShapesSlabPool * pool, gsize size, gboolean * pinned)
{
  gpointer data = pool->pinned ? pinned_alloc (pool->context, size) : NULL;

  *pinned = data != NULL;
  return data ? data : cs_aligned_alloc (ALIGNMENT, size);
}

static void
block_memory_free (GstShapesSlabPool * pool, gpointer data, gboolean pinned)
{
  if (pinned)
    pinned_free (pool->context, data);
  else
    free (data);
}

#else

static gpointer
block_memory_new (GstShapesSlabPool * pool, gsize size, gboolean * pinned)
{
  *pinned = FALSE;
  return cs_aligned_alloc (ALIGNMENT, size);
}

static void
block_memory_free (GstShapesSlabPool * pool, gpointer data, gboolean pinned)
{
  free (data);
}

#endif

static gboolean
is_of_chunk (guint size_class, gboolean pinned)
{
  return pinned && size_class == PINNED_CLASS;
}

/* With the lock. */
static void
push_idle (GstShapesSlabPool * pool, guint size_class, gpointer data)
{
  IdleBlock *idle = data;

  idle->next = pool->idle[size_class];
  pool->idle[size_class] = idle;
  pool->idle_size += gst_shapes_block_size (size_class);
}

/* The first block of a new chunk, whose others are idle then. */
static gpointer
chunk_new (GstShapesSlabPool * pool, gboolean * pinned)
{
  const gsize size = gst_shapes_block_size (PINNED_CLASS);
  guint8 *chunk = block_memory_new (pool, PINNED_AT_ONCE * size, pinned);

  if (!*pinned) {
    free (chunk);
    return cs_aligned_alloc (ALIGNMENT, size);
  }
  g_mutex_lock (&pool->lock);
  g_ptr_array_add (pool->chunks, chunk);
  for (guint i = 1; i < PINNED_AT_ONCE; i++)
    push_idle (pool, PINNED_CLASS, chunk + i * size);
  g_mutex_unlock (&pool->lock);
  return chunk;
}

GstShapesSlabPool *
gst_shapes_slab_pool_new (gpointer context, GError ** error)
{
  GstShapesSlabPool *pool = g_new0 (GstShapesSlabPool, 1);

  init_debug ();
  g_atomic_ref_count_init (&pool->ref_count);
  g_mutex_init (&pool->lock);
  pool->chunks = g_ptr_array_new ();
#ifdef HAVE_CUDA
  if (context && !pool_init_device (pool, context, error)) {
    gst_shapes_slab_pool_unref (pool);
    return NULL;
  }
#else
  if (context) {
    g_set_error (error, CS_ERROR, CS_ERROR_NOT_SUPPORTED,
        "this build has no CUDA backend");
    gst_shapes_slab_pool_unref (pool);
    return NULL;
  }
#endif
  return pool;
}

void
gst_shapes_slab_pool_prefill (GstShapesSlabPool * pool)
{
  gboolean pinned = FALSE;
  gpointer first = pool->pinned ? chunk_new (pool, &pinned) : NULL;

  if (!pinned) {
    free (first);
    return;
  }
  g_mutex_lock (&pool->lock);
  push_idle (pool, PINNED_CLASS, first);
  g_mutex_unlock (&pool->lock);
}

GstShapesSlabPool *
gst_shapes_slab_pool_ref (GstShapesSlabPool * pool)
{
  g_atomic_ref_count_inc (&pool->ref_count);
  return pool;
}

void
gst_shapes_slab_pool_unref (GstShapesSlabPool * pool)
{
  if (!g_atomic_ref_count_dec (&pool->ref_count))
    return;
  for (guint i = 0; i < GST_SHAPES_N_SIZES; i++) {
    while (pool->idle[i] && !is_of_chunk (i, pool->pinned)) {
      IdleBlock *block = pool->idle[i];

      pool->idle[i] = block->next;
      block_memory_free (pool, block, pool->pinned);
    }
  }
  for (guint i = 0; i < pool->chunks->len; i++)
    block_memory_free (pool, g_ptr_array_index (pool->chunks, i), TRUE);
  g_ptr_array_unref (pool->chunks);
#ifdef HAVE_CUDA
  pool_clear_device (pool);
#endif
  g_mutex_clear (&pool->lock);
  g_free (pool);
}

gpointer
gst_shapes_slab_pool_get_context (GstShapesSlabPool * pool)
{
#ifdef HAVE_CUDA
  return pool->context;
#else
  return NULL;
#endif
}

gsize
gst_shapes_slab_pool_get_idle_size (GstShapesSlabPool * pool)
{
  g_mutex_lock (&pool->lock);
  const gsize size = pool->idle_size;
  g_mutex_unlock (&pool->lock);
  return size;
}

GstAllocator *
gst_shapes_slab_pool_new_pinned_allocator (GstShapesSlabPool * pool)
{
#ifdef HAVE_CUDA
  if (pool->context)
    return gst_shapes_pinned_allocator_new (&pinned_ops,
        gst_shapes_slab_pool_ref (pool), (GDestroyNotify)
        gst_shapes_slab_pool_unref);
#endif
  return NULL;
}

/* A recycled or new block of at least @size bytes; data is %NULL when out of
 * memory. */
static HostBlock
host_block_new (GstShapesSlabPool * pool, gsize size)
{
  HostBlock block = { NULL, gst_shapes_size_class (size), pool->pinned };

  if (block.size_class == GST_SHAPES_N_SIZES)
    return block;
  if (pool->pinned)
    block.size_class = MAX (block.size_class, PINNED_CLASS);
  g_mutex_lock (&pool->lock);
  if (pool->idle[block.size_class]) {
    block.data = pool->idle[block.size_class];
    pool->idle[block.size_class] = pool->idle[block.size_class]->next;
    pool->idle_size -= gst_shapes_block_size (block.size_class);
  }
  g_mutex_unlock (&pool->lock);
  if (!block.data && is_of_chunk (block.size_class, pool->pinned))
    block.data = chunk_new (pool, &block.pinned);
  else if (!block.data)
    block.data = block_memory_new (pool,
        gst_shapes_block_size (block.size_class), &block.pinned);
  return block;
}

/* Recycles the block, unless enough are idle. Ordinary memory that replaced
 * page-locked memory is freed. */
static void
host_block_free (GstShapesSlabPool * pool, HostBlock * block)
{
  const gsize size = gst_shapes_block_size (block->size_class);

  if (!block->data)
    return;
  g_mutex_lock (&pool->lock);
  const gboolean keep = is_of_chunk (block->size_class, block->pinned) ||
      (block->pinned == pool->pinned &&
      pool->idle_size + size <= GST_SHAPES_MAX_IDLE_SIZE);
  if (keep)
    push_idle (pool, block->size_class, block->data);
  g_mutex_unlock (&pool->lock);
  if (!keep)
    block_memory_free (pool, block->data, block->pinned);
  block->data = NULL;
}

GstShapesSlab *
gst_shapes_slab_new (GstShapesSlabPool * pool, gpointer stream)
{
  GstShapesSlab *slab = g_new0 (GstShapesSlab, 1);

  slab->pool = gst_shapes_slab_pool_ref (pool);
#ifdef HAVE_CUDA
  slab->stream = stream;
#endif
  return slab;
}

#ifdef HAVE_CUDA

/* What is queued on @stream uses the device block. The context is current. */
static void
slab_mark (GstShapesSlab * slab, gpointer stream)
{
  GError *error = NULL;

  gst_shapes_device_blocks_mark (slab->pool->blocks, slab->device, stream,
      &error);
  log_and_clear (&error);
}

/* The device block is for others. */
static void
slab_give_device (GstShapesSlab * slab)
{
  GstShapesSlabPool *pool = slab->pool;
  GstShapesDeviceBlock *block = g_steal_pointer (&slab->device);
  GError *error = NULL;

  if (gst_shapes_device_blocks_keep (pool->blocks, block))
    return;
  const guint entered = gst_shapes_context_enter_to_free (pool->context);
  gst_shapes_device_blocks_drop (pool->blocks, block, &error);
  gst_shapes_context_leave (entered);
  log_and_clear (&error);
}

static gpointer
slab_alloc_device (GstShapesSlab * slab, gsize size)
{
  GError *error = NULL;

  if (!slab->pool->blocks)
    return NULL;
  if (slab->device) {
    if (slab->stream)
      slab_mark (slab, slab->stream);
    slab_give_device (slab);
  }
  slab->device = gst_shapes_device_blocks_take (slab->pool->blocks, size,
      slab->stream, &error);
  log_and_clear (&error);
  return slab->device ? slab->device->data : NULL;
}

static void
slab_clear_device (GstShapesSlab * slab)
{
  if (!slab->device)
    return;
  if (slab->stream) {
    const guint entered =
        gst_shapes_context_enter_to_free (slab->pool->context);

    if (!cs_cuda_context_is_lost ())
      slab_mark (slab, slab->stream);
    gst_shapes_context_leave (entered);
  }
  slab_give_device (slab);
}

gboolean
gst_shapes_slab_upload (GstShapesSlab * slab, gconstpointer data, gsize size,
    gpointer * device, GError ** error)
{
  *device = slab_alloc_device (slab, size);
  if (!*device)
    return cs_error (error, CS_ERROR_NO_MEMORY, "cannot allocate %"
        G_GSIZE_FORMAT " bytes on the GPU", size);
  /* allocated in order of the slab's stream; the copy runs on another */
  if (CuStreamSynchronize (slab->stream) != CUDA_SUCCESS)
    return cs_error (error, CS_ERROR_DEVICE, "cannot synchronise with the GPU");
  return cs_cuda_heap_upload (slab->pool->heap, *device, data, size, error);
}

#else

static gpointer
slab_alloc_device (GstShapesSlab * slab, gsize size)
{
  return NULL;
}

gboolean
gst_shapes_slab_upload (GstShapesSlab * slab, gconstpointer data, gsize size,
    gpointer * device, GError ** error)
{
  return cs_error (error, CS_ERROR_NOT_SUPPORTED, "this build has no CUDA "
      "backend");
}

#endif

void *
gst_shapes_slab_alloc (void *data, gsize size, gboolean host)
{
  GstShapesSlab *slab = data;

  if (!host)
    return slab_alloc_device (slab, size);
  host_block_free (slab->pool, &slab->host);
  slab->host = host_block_new (slab->pool, size);
  return slab->host.data;
}

void
gst_shapes_slab_finish (GstShapesSlab * slab)
{
#ifdef HAVE_CUDA
  slab->stream = NULL;
#endif
}

void
gst_shapes_slab_free (GstShapesSlab * slab)
{
#ifdef HAVE_CUDA
  slab_clear_device (slab);
#endif
  host_block_free (slab->pool, &slab->host);
  gst_shapes_slab_pool_unref (slab->pool);
  g_free (slab);
}

static void
payload_release (gpointer payload)
{
  gst_shapes_slab_free (payload);
}

#ifdef HAVE_CUDA

/* An array of a layer: location of its pointer, and its size. */
typedef struct
{
  gsize field, size;
} ArrayPart;

#define MAX_PARTS 6

static guint
list_parts (const GstShapeArrays * arrays, ArrayPart parts[MAX_PARTS])
{
  const gsize n = arrays->n_shapes;
  guint i = 0;

#define ADD_PART(name, length) \
  if (arrays->name) \
    parts[i++] = (ArrayPart) { G_STRUCT_OFFSET (GstShapeArrays, name), \
        (length) * sizeof (*arrays->name) }

  ADD_PART (points, arrays->n_points);
  ADD_PART (offsets, n + 1);
  ADD_PART (polylines, n);
  ADD_PART (moments, n);
  ADD_PART (circles, n);
  ADD_PART (hull_measures, n);
#undef ADD_PART
  return i;
}

/* Size of an array, padded to the alignment. */
static gsize
part_room (const ArrayPart * part)
{
  return (part->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Host memory of the arrays' exact size; the device block may be larger, since
 * it was allocated from an estimate. */
static guint8 *
alloc_for_parts (GstShapesSlab * slab, const ArrayPart * parts, guint n_parts,
    GError ** error)
{
  gsize size = 0;

  for (guint i = 0; i < n_parts; i++)
    size += part_room (&parts[i]);
  guint8 *data = gst_shapes_slab_alloc (slab, size, TRUE);
  if (!data)
    g_set_error (error, CS_ERROR, CS_ERROR_NO_MEMORY,
        "cannot allocate %" G_GSIZE_FORMAT " bytes for shapes", size);
  return data;
}

static gboolean
payload_download (gpointer payload, GstShapeArrays * host, GError ** error)
{
  GstShapesSlab *slab = payload;
  ArrayPart parts[MAX_PARTS];
  CsCudaCopy copies[MAX_PARTS];
  const guint n = list_parts (&slab->device_arrays, parts);
  guint8 *at = alloc_for_parts (slab, parts, n, error);

  if (!at)
    return FALSE;
  if (!gst_cuda_context_push (slab->pool->context))
    return cs_error (error, CS_ERROR_DEVICE, "the CUDA context of these shapes "
        "is gone");
  *host = slab->device_arrays;
  for (guint i = 0; i < n; i++) {
    gpointer *field = G_STRUCT_MEMBER_P (host, parts[i].field);

    copies[i] = (CsCudaCopy) { at, *field, parts[i].size };
    *field = at;
    at += part_room (&parts[i]);
  }
  gboolean ok = cs_cuda_heap_download (slab->pool->heap, copies, n, error);
  gst_cuda_context_pop (NULL);
  return ok;
}

static gboolean
payload_map_device (gpointer payload, gpointer context, gpointer stream,
    GstShapeArrays * device)
{
  GstShapesSlab *slab = payload;

  if (context != (gpointer) slab->pool->context)
    return FALSE;
  *device = slab->device_arrays;
  return TRUE;
}

static void
payload_unmap_device (gpointer payload, gpointer stream)
{
  GstShapesSlab *slab = payload;

  if (!gst_cuda_context_push (slab->pool->context)) {
    GST_WARNING ("the CUDA context of device memory is gone");
    return;
  }
  slab_mark (slab, stream);
  gst_cuda_context_pop (NULL);
}

static const GstShapePayloadOps device_ops = {
  payload_download, payload_map_device, payload_unmap_device, payload_release
};

#endif

static const GstShapePayloadOps host_ops = {
  NULL, NULL, NULL, payload_release
};

GstShapeLayer *
gst_shapes_slab_to_layer (GstShapesSlab * slab, GstShapeLayerType type,
    const GstShapeArrays * host, const GstShapeArrays * device)
{
  const GstShapeArrays *either = host ? host : device;

  g_return_val_if_fail (either != NULL, NULL);
  gst_shapes_slab_finish (slab);
#ifdef HAVE_CUDA
  if (device) {
    slab->device_arrays = *device;
    return gst_shape_layer_new (type, either->n_shapes, either->n_points, host,
        &device_ops, slab);
  }
#endif
  return gst_shape_layer_new (type, either->n_shapes, either->n_points, host,
      &host_ops, slab);
}

GstShapeLayer *
gst_shapes_empty_layer_new (void)
{
  static const GstShapeArrays nothing;

  return gst_shape_layer_new (GST_SHAPE_LAYER_POLYLINES, 0, 0, &nothing, NULL,
      NULL);
}
