/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:gstshapesallocator
 * @title: Pinned memory
 * @short_description: host memory for fast GPU copies
 *
 * An allocator of aligned host memory, page-locked by operations supplied by
 * the user of a GPU. An application gets one from an element's ALLOCATION
 * answer, or creates its own.
 */

#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "gstshapesallocator.h"
#include "gstshapes-private.h"

#define GST_CAT_DEFAULT gst_shapes_debug_category ()

/* Alignment for cache lines and vector instructions. */
#define MIN_ALIGN 63

/* Page-locked memory is lost to everybody else. Of the machine's memory the
 * process's allocators lock at most this part. */
#define LOCKED_PART 8

typedef struct
{
  GstAllocator parent;

  GstShapesPinnedOps ops;       /* alloc is NULL without page-locking */
  gpointer user_data;
  GDestroyNotify notify;
} GstShapesPinnedAllocator;

typedef struct
{
  GstAllocatorClass parent_class;
} GstShapesPinnedAllocatorClass;

typedef struct
{
  GstMemory mem;

  gpointer block;               /* what to free; NULL in a sub-memory */
  guint8 *data;                 /* aligned */
  gsize locked;                 /* bytes of the block, if page-locked */
} GstShapesPinnedMemory;

static GType gst_shapes_pinned_allocator_get_type (void);

G_DEFINE_TYPE (GstShapesPinnedAllocator, gst_shapes_pinned_allocator,
    GST_TYPE_ALLOCATOR);

/* An aligned address inside a block of at least @size + @align bytes. */
static guint8 *
align_address (gpointer block, gsize align)
{
  return (guint8 *) (((guintptr) block + align) & ~(guintptr) align);
}

/* Bytes that all allocators have locked. */
static GMutex locked_mutex;
static gsize locked;

static gsize
most_locked (void)
{
  static gsize most;

  if (most == 0)
    most = (gsize) sysconf (_SC_PHYS_PAGES) *
        (gsize) sysconf (_SC_PAGESIZE) / LOCKED_PART;
  return most;
}

static gboolean
may_lock (gsize size)
{
  g_mutex_lock (&locked_mutex);
  gboolean may = size <= most_locked () && locked <= most_locked () - size;
  if (may)
    locked += size;
  g_mutex_unlock (&locked_mutex);
  return may;
}

static void
is_unlocked (gsize size)
{
  g_mutex_lock (&locked_mutex);
  locked -= size;
  g_mutex_unlock (&locked_mutex);
}

static gboolean
allocate_block (GstShapesPinnedAllocator * self, gsize size,
    GstShapesPinnedMemory * memory)
{
  memory->locked = 0;
  memory->block = NULL;
  if (self->ops.alloc && may_lock (size)) {
    memory->block = self->ops.alloc (self->user_data, size);
    if (memory->block)
      memory->locked = size;
    else
      is_unlocked (size);
  }
  if (self->ops.alloc && !memory->block)
    GST_DEBUG_OBJECT (self, "no page-locked memory, using ordinary memory");
  if (!memory->block)
    memory->block = cs_try_malloc (size);
  return memory->block != NULL;
}

static GstMemory *
pinned_alloc (GstAllocator * allocator, gsize size,
    GstAllocationParams * params)
{
  gsize align = params->align | gst_memory_alignment | MIN_ALIGN;
  gsize maxsize;

  if (!g_size_checked_add (&maxsize, size, params->prefix)
      || !g_size_checked_add (&maxsize, maxsize, params->padding)
      || maxsize > G_MAXSSIZE - align)
    return NULL;

  GstShapesPinnedMemory *memory = g_new0 (GstShapesPinnedMemory, 1);
  if (!allocate_block ((GstShapesPinnedAllocator *) allocator,
          maxsize + align, memory)) {
    g_free (memory);
    return NULL;
  }
  memory->data = align_address (memory->block, align);
  if (params->flags & GST_MEMORY_FLAG_ZERO_PREFIXED)
    memset (memory->data, 0, params->prefix);
  if (params->flags & GST_MEMORY_FLAG_ZERO_PADDED)
    memset (memory->data + params->prefix + size, 0, params->padding);
  gst_memory_init (GST_MEMORY_CAST (memory), params->flags, allocator, NULL,
      maxsize, align, params->prefix, size);
  return GST_MEMORY_CAST (memory);
}

static void
pinned_free (GstAllocator * allocator, GstMemory * mem)
{
  GstShapesPinnedAllocator *self = (GstShapesPinnedAllocator *) allocator;
  GstShapesPinnedMemory *memory = (GstShapesPinnedMemory *) mem;

  if (memory->block && memory->locked > 0) {
    self->ops.free (self->user_data, memory->block);
    is_unlocked (memory->locked);
  } else {
    g_free (memory->block);
  }
  g_free (memory);
}

static gpointer
pinned_map (GstMemory * mem, gsize maxsize, GstMapFlags flags)
{
  return ((GstShapesPinnedMemory *) mem)->data;
}

static void
pinned_unmap (GstMemory * mem)
{
}

static GstMemory *
pinned_share (GstMemory * mem, gssize offset, gssize size)
{
  GstShapesPinnedMemory *memory = (GstShapesPinnedMemory *) mem;
  GstShapesPinnedMemory *shared = g_new0 (GstShapesPinnedMemory, 1);
  GstMemory *parent = mem->parent ? mem->parent : mem;

  if (size == -1)
    size = mem->size - offset;
  shared->data = memory->data;
  shared->locked = memory->locked;
  gst_memory_init (GST_MEMORY_CAST (shared),
      GST_MINI_OBJECT_FLAGS (parent) | GST_MINI_OBJECT_FLAG_LOCK_READONLY,
      mem->allocator, parent, mem->maxsize, mem->align, mem->offset + offset,
      size);
  return GST_MEMORY_CAST (shared);
}

static gboolean
pinned_is_span (GstMemory * mem1, GstMemory * mem2, gsize * offset)
{
  GstShapesPinnedMemory *first = (GstShapesPinnedMemory *) mem1;
  GstShapesPinnedMemory *second = (GstShapesPinnedMemory *) mem2;

  if (offset)
    *offset = mem1->offset - mem1->parent->offset;
  return first->data + mem1->offset + mem1->size == second->data + mem2->offset;
}

static void
gst_shapes_pinned_allocator_init (GstShapesPinnedAllocator * self)
{
  GstAllocator *allocator = GST_ALLOCATOR_CAST (self);

  allocator->mem_type = GST_SHAPES_PINNED_MEMORY_TYPE;
  allocator->mem_map = pinned_map;
  allocator->mem_unmap = pinned_unmap;
  allocator->mem_share = pinned_share;
  allocator->mem_is_span = pinned_is_span;
  GST_OBJECT_FLAG_SET (self, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}

static void
gst_shapes_pinned_allocator_finalize (GObject * object)
{
  GstShapesPinnedAllocator *self = (GstShapesPinnedAllocator *) object;

  if (self->notify)
    self->notify (self->user_data);
  G_OBJECT_CLASS (gst_shapes_pinned_allocator_parent_class)->finalize (object);
}

static void
gst_shapes_pinned_allocator_class_init (GstShapesPinnedAllocatorClass * klass)
{
  GstAllocatorClass *allocator_class = GST_ALLOCATOR_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = gst_shapes_pinned_allocator_finalize;
  allocator_class->alloc = pinned_alloc;
  allocator_class->free = pinned_free;
}

/**
 * gst_shapes_pinned_allocator_new: (skip)
 * @ops: (nullable): allocation of page-locked memory, copied; %NULL for
 *     ordinary memory
 * @user_data: (nullable): for @ops
 * @notify: (nullable): called with @user_data after the allocator and all its
 *     memory have been freed
 *
 * Creates an allocator of memory aligned to at least 64 bytes. Each block is
 * page-locked with @ops, or ordinary memory if that fails, or if an eighth of
 * the machine's memory has been locked so. It may be freed on any thread.
 *
 * Returns: (transfer full): the allocator
 *
 * Since: 1.0
 */
GstAllocator *
gst_shapes_pinned_allocator_new (const GstShapesPinnedOps * ops,
    gpointer user_data, GDestroyNotify notify)
{
  GstShapesPinnedAllocator *self;

  g_return_val_if_fail (!ops || (ops->alloc && ops->free), NULL);

  self = g_object_new (gst_shapes_pinned_allocator_get_type (), NULL);
  gst_object_ref_sink (self);
  if (ops)
    self->ops = *ops;
  self->user_data = user_data;
  self->notify = notify;
  return GST_ALLOCATOR_CAST (self);
}

/**
 * gst_is_shapes_pinned_memory: (skip)
 * @memory: (nullable): any memory
 *
 * Whether a GPU can copy @memory without staging it.
 *
 * Returns: whether @memory is page-locked memory of such an allocator, or a
 *     sub-memory of it
 *
 * Since: 1.0
 */
gboolean
gst_is_shapes_pinned_memory (GstMemory * memory)
{
  return memory && memory->allocator
      && G_TYPE_CHECK_INSTANCE_TYPE (memory->allocator,
      gst_shapes_pinned_allocator_get_type ())
      && ((GstShapesPinnedMemory *) memory)->locked > 0;
}
