/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/cuda_memory.h"

/**
 * GstShapesDeviceBlocks:
 *
 * Device memory that is recycled, and the events that say when its users are
 * done. Recycling asks the driver for nothing: its functions that make and free
 * things exclude all other threads of the context, and those of many streams
 * would wait for each other. Safe from any thread.
 */
typedef struct _GstShapesDeviceBlocks GstShapesDeviceBlocks;

/**
 * GstShapesDeviceBlock:
 * @data: device memory, aligned to 256
 */
typedef struct _GstShapesDeviceBlock GstShapesDeviceBlock;
struct _GstShapesDeviceBlock
{
  gpointer data;
  /*< private > */
  GstShapesDeviceBlock *next;
  guint size_class;
  GPtrArray *events;
};

/* @heap: where its memory is from; it must stay. */
GstShapesDeviceBlocks *gst_shapes_device_blocks_new (CsCudaHeap * heap);

/* All blocks must have been given back. The context is current, or lost. */
void gst_shapes_device_blocks_free (GstShapesDeviceBlocks * blocks);

/* At least @size bytes for use on @stream, which waits for earlier users only
 * if the GPU has no memory that is free. The context is current. Returns: %NULL
 * with @error set */
GstShapesDeviceBlock *gst_shapes_device_blocks_take
    (GstShapesDeviceBlocks * blocks, gsize size, gpointer stream,
    GError ** error);

/* What has been queued on @stream uses the block. The context is current.
 * Returns: FALSE with @error set if others will not wait for it */
gboolean gst_shapes_device_blocks_mark (GstShapesDeviceBlocks * blocks,
    GstShapesDeviceBlock * block, gpointer stream, GError ** error);

/* For others, once those that are marked are done. Needs no context. Returns:
 * FALSE if too many are idle, and the block is to be dropped */
gboolean gst_shapes_device_blocks_keep (GstShapesDeviceBlocks * blocks,
    GstShapesDeviceBlock * block);

/* Frees a block, once those that are marked are done. The context is current,
 * or lost. Returns: FALSE with @error set to the first error */
gboolean gst_shapes_device_blocks_drop (GstShapesDeviceBlocks * blocks,
    GstShapesDeviceBlock * block, GError ** error);
