/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapesdeviceblocks.h"

#include "gstshapessizes.h"

/* So many idle blocks are asked whether their users are done. */
#define MAX_ASKED 3

/* Those that nobody uses, then those with events, which came first first.
 * @last: if there is a first one */
typedef struct
{
  GstShapesDeviceBlock *first, *last;
} Idle;

struct _GstShapesDeviceBlocks
{
  CsCudaHeap *heap;
  GMutex lock;
  Idle idle[GST_SHAPES_N_SIZES];
  gsize idle_size;
  /* that nobody waits for */
  GPtrArray *events;
};

GstShapesDeviceBlocks *
gst_shapes_device_blocks_new (CsCudaHeap * heap)
{
  GstShapesDeviceBlocks *blocks = g_new0 (GstShapesDeviceBlocks, 1);

  blocks->heap = heap;
  g_mutex_init (&blocks->lock);
  blocks->events = g_ptr_array_new ();
  return blocks;
}

/* With the lock. */
static void
push_idle (GstShapesDeviceBlocks * blocks, GstShapesDeviceBlock * block)
{
  Idle *idle = &blocks->idle[block->size_class];

  block->next = NULL;
  if (!idle->first) {
    idle->first = idle->last = block;
  } else if (block->events->len == 0) {
    block->next = idle->first;
    idle->first = block;
  } else {
    idle->last->next = block;
    idle->last = block;
  }
  blocks->idle_size += gst_shapes_block_size (block->size_class);
}

/* Returns: (nullable): with the lock */
static GstShapesDeviceBlock *
pop_idle (GstShapesDeviceBlocks * blocks, guint size_class)
{
  Idle *idle = &blocks->idle[size_class];
  GstShapesDeviceBlock *block = idle->first;

  if (block) {
    idle->first = block->next;
    blocks->idle_size -= gst_shapes_block_size (size_class);
  }
  return block;
}

void
gst_shapes_device_blocks_free (GstShapesDeviceBlocks * blocks)
{
  for (guint i = 0; i < GST_SHAPES_N_SIZES; i++) {
    GstShapesDeviceBlock *block;

    while ((block = pop_idle (blocks, i)))
      gst_shapes_device_blocks_drop (blocks, block, NULL);
  }
  for (guint i = 0; i < blocks->events->len; i++)
    cs_cuda_event_free (g_ptr_array_index (blocks->events, i), NULL);
  g_ptr_array_unref (blocks->events);
  g_mutex_clear (&blocks->lock);
  g_free (blocks);
}

static GstShapesDeviceBlock *
block_new (GstShapesDeviceBlocks * blocks, guint size_class, gpointer stream,
    GError ** error)
{
  gpointer data = cs_cuda_heap_alloc (blocks->heap,
      gst_shapes_block_size (size_class), stream, error);

  if (!data)
    return NULL;
  GstShapesDeviceBlock *block = g_new0 (GstShapesDeviceBlock, 1);
  block->data = data;
  block->size_class = size_class;
  block->events = g_ptr_array_new ();
  return block;
}

/* Its events have been waited for, or will not be. */
static void
recycle_events (GstShapesDeviceBlocks * blocks, GstShapesDeviceBlock * block)
{
  g_mutex_lock (&blocks->lock);
  g_ptr_array_extend (blocks->events, block->events, NULL, NULL);
  g_mutex_unlock (&blocks->lock);
  g_ptr_array_set_size (block->events, 0);
}

static gboolean
is_unused (const GstShapesDeviceBlock * block)
{
  gboolean done = TRUE;

  for (guint i = 0; i < block->events->len && done; i++)
    done = cs_cuda_event_is_done (g_ptr_array_index (block->events, i));
  return done;
}

/* One whose users are done. Those that are asked in vain go to the end, so that
 * one that is used for long does not hide others. */
static GstShapesDeviceBlock *
take_unused (GstShapesDeviceBlocks * blocks, guint size_class)
{
  GstShapesDeviceBlock *asked[MAX_ASKED], *unused = NULL;
  guint n = 0;

  while (n < MAX_ASKED && !unused) {
    g_mutex_lock (&blocks->lock);
    GstShapesDeviceBlock *block = pop_idle (blocks, size_class);
    g_mutex_unlock (&blocks->lock);
    if (!block)
      break;
    if (is_unused (block))
      unused = block;
    else
      asked[n++] = block;
  }
  g_mutex_lock (&blocks->lock);
  for (guint i = 0; i < n; i++)
    push_idle (blocks, asked[i]);
  g_mutex_unlock (&blocks->lock);
  return unused;
}

/* One for whose users @stream waits. */
static GstShapesDeviceBlock *
take_used (GstShapesDeviceBlocks * blocks, guint size_class, gpointer stream)
{
  gboolean ok = TRUE;

  g_mutex_lock (&blocks->lock);
  GstShapesDeviceBlock *block = pop_idle (blocks, size_class);
  g_mutex_unlock (&blocks->lock);
  for (guint i = 0; block && i < block->events->len && ok; i++)
    ok = cs_cuda_event_wait (g_ptr_array_index (block->events, i), stream,
        NULL);
  if (!ok) {
    gst_shapes_device_blocks_drop (blocks, block, NULL);
    return NULL;
  }
  return block;
}

GstShapesDeviceBlock *
gst_shapes_device_blocks_take (GstShapesDeviceBlocks * blocks, gsize size,
    gpointer stream, GError ** error)
{
  const guint size_class = gst_shapes_size_class (size);
  g_autoptr (GError) refused = NULL;

  if (size_class == GST_SHAPES_N_SIZES)
    return cs_fail_null (error, CS_ERROR, CS_ERROR_NO_MEMORY, "no GPU has %"
        G_GSIZE_FORMAT " bytes", size);
  GstShapesDeviceBlock *block = take_unused (blocks, size_class);
  if (!block)
    block = block_new (blocks, size_class, stream, &refused);
  if (!block)
    block = take_used (blocks, size_class, stream);
  if (block)
    recycle_events (blocks, block);
  else
    g_propagate_error (error, g_steal_pointer (&refused));
  return block;
}

gboolean
gst_shapes_device_blocks_mark (GstShapesDeviceBlocks * blocks,
    GstShapesDeviceBlock * block, gpointer stream, GError ** error)
{
  gpointer event = NULL;

  g_mutex_lock (&blocks->lock);
  if (blocks->events->len > 0)
    event = g_ptr_array_steal_index_fast (blocks->events,
        blocks->events->len - 1);
  g_mutex_unlock (&blocks->lock);
  if (!event)
    event = cs_cuda_event_new (error);
  const gboolean ok = event && cs_cuda_event_record (event, stream, error);
  g_mutex_lock (&blocks->lock);
  if (event)
    g_ptr_array_add (ok ? block->events : blocks->events, event);
  g_mutex_unlock (&blocks->lock);
  return ok;
}

gboolean
gst_shapes_device_blocks_keep (GstShapesDeviceBlocks * blocks,
    GstShapesDeviceBlock * block)
{
  const gsize size = gst_shapes_block_size (block->size_class);

  g_mutex_lock (&blocks->lock);
  gboolean has_room = blocks->idle_size + size <= GST_SHAPES_MAX_IDLE_SIZE;
  if (has_room)
    push_idle (blocks, block);
  g_mutex_unlock (&blocks->lock);
  return has_room;
}

gboolean
gst_shapes_device_blocks_drop (GstShapesDeviceBlocks * blocks,
    GstShapesDeviceBlock * block, GError ** error)
{
  const gboolean ok = cs_cuda_heap_release (blocks->heap, block->data,
      block->events->pdata, block->events->len, error);

  recycle_events (blocks, block);
  g_ptr_array_unref (block->events);
  g_free (block);
  return ok;
}
