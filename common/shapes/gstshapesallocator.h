/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPES_ALLOCATOR_H
#define GST_SHAPES_ALLOCATOR_H

#include <gst/gst.h>

#include "gstshapes-prelude.h"

G_BEGIN_DECLS

/**
 * GST_SHAPES_PINNED_MEMORY_TYPE:
 *
 * The memory type of gst_shapes_pinned_allocator_new().
 *
 * Since: 1.0
 */
#define GST_SHAPES_PINNED_MEMORY_TYPE "GstShapesPinnedMemory"

/**
 * GstShapesPinnedOps: (skip)
 * @alloc: @size bytes of page-locked memory, or %NULL
 * @free: frees it, on any thread
 *
 * Allocation of page-locked memory, supplied by elements that use a GPU.
 *
 * Since: 1.0
 */
typedef struct
{
  gpointer (*alloc) (gpointer user_data, gsize size);
  void (*free) (gpointer user_data, gpointer data);

  /*< private >*/
  gpointer _gst_reserved[GST_PADDING];
} GstShapesPinnedOps;

/* An allocator of memory for fast GPU copies. Memory is page-locked with @ops,
 * or ordinary aligned memory if @ops is NULL or fails. */
GST_SHAPES_API GstAllocator *gst_shapes_pinned_allocator_new (const
    GstShapesPinnedOps * ops, gpointer user_data, GDestroyNotify notify);
/* Whether @memory is page-locked memory of such an allocator. */
GST_SHAPES_API gboolean gst_is_shapes_pinned_memory (GstMemory * memory);

G_END_DECLS

#endif /* GST_SHAPES_ALLOCATOR_H */
