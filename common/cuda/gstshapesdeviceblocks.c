/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapesdeviceblocks.h"

#include "gstshapessizes.h"

struct _GstShapesDeviceBlocks
{
  CsCudaHeap *heap;
  GMutex lock;
  GstShapesDeviceBlock *idle[GST_SHAPES_N_SIZES];
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

void
gst_shapes_device_blocks_free (GstShapesDeviceBlocks * blocks)
{
  for (guint i = 0; i < GST_SHAPES_N_SIZES; i++) {
    while (blocks->idle[i]) {
      GstShapesDeviceBlock *block = blocks->idle[i];

      blocks->idle[i] = block->next;
      gst_shapes_device_blocks_drop (blocks, block, NULL);
    }
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

GstShapesDeviceBlock *
gst_shapes_device_blocks_take (GstShapesDeviceBlocks * blocks, gsize size,
    gpointer stream, GError ** error)
{
  const guint size_class = gst_shapes_size_class (size);
  gboolean ok = TRUE;

  if (size_class == GST_SHAPES_N_SIZES)
    return cs_fail_null (error, CS_ERROR, CS_ERROR_NO_MEMORY, "no GPU has %"
        G_GSIZE_FORMAT " bytes", size);
  g_mutex_lock (&blocks->lock);
  GstShapesDeviceBlock *block = blocks->idle[size_class];
  if (block) {
    blocks->idle[size_class] = block->next;
    blocks->idle_size -= gst_shapes_block_size (size_class);
  }
  g_mutex_unlock (&blocks->lock);
  if (!block)
    return block_new (blocks, size_class, stream, error);
  for (guint i = 0; i < block->events->len && ok; i++)
    ok = cs_cuda_event_wait (g_ptr_array_index (block->events, i), stream,
        error);
  if (!ok) {
    gst_shapes_device_blocks_drop (blocks, block, NULL);
    return NULL;
  }
  recycle_events (blocks, block);
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
  if (has_room) {
    block->next = blocks->idle[block->size_class];
    blocks->idle[block->size_class] = block;
    blocks->idle_size += size;
  }
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
