/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "shapes/gstshapes.h"

/**
 * GstShapesSlabPool:
 *
 * Memory of an element's results: recycled blocks, so that the steady state
 * allocates nothing, on the host, page-locked if there is a GPU, and in stream
 * order on the device. Reference counted: the element and every slab hold a
 * reference, so that the pool outlives the element as long as its shapes are
 * used. Thread-safe.
 */
typedef struct _GstShapesSlabPool GstShapesSlabPool;

/**
 * GstShapesSlab:
 *
 * The memory of one result: at most one block on the host and one on the
 * device. Belongs to one thread until it becomes a layer.
 */
typedef struct _GstShapesSlab GstShapesSlab;

/* @context: (nullable): the GstCudaContext of the results, a reference is
 * taken; %NULL for results on the host only.
 * Returns: the pool, or %NULL with @error set (GPU only). */
GstShapesSlabPool *gst_shapes_slab_pool_new (gpointer context, GError ** error);

/* Makes the first page-locked blocks, of a pool with a context: they are there
 * before the first frame. If that fails, they are made later. */
void gst_shapes_slab_pool_prefill (GstShapesSlabPool * pool);
GstShapesSlabPool *gst_shapes_slab_pool_ref (GstShapesSlabPool * pool);
void gst_shapes_slab_pool_unref (GstShapesSlabPool * pool);

/* The GstCudaContext, borrowed, or %NULL. */
gpointer gst_shapes_slab_pool_get_context (GstShapesSlabPool * pool);

/* Bytes of idle host blocks in the pool. */
gsize gst_shapes_slab_pool_get_idle_size (GstShapesSlabPool * pool);

/* An allocator of pinned memory for upstream elements, or %NULL without a GPU.
 * Its memory keeps the pool alive. */
GstAllocator *gst_shapes_slab_pool_new_pinned_allocator (
    GstShapesSlabPool * pool);

/* @stream: the CUDA stream that writes device memory, or %NULL */
GstShapesSlab *gst_shapes_slab_new (GstShapesSlabPool * pool, gpointer stream);

/* Memory for a result, at least @size bytes aligned to 256; a second call for
 * the same side replaces the first, whose contents are lost. Has the signature
 * of the kernels' alloc callbacks.
 *
 * @slab: a #GstShapesSlab
 * @host: on the host, or on the device, whose context must be current
 * Returns: %NULL when out of memory */
void *gst_shapes_slab_alloc (void *slab, gsize size, gboolean host);

/* Copies @size bytes of @data to device memory of @slab, synchronously, for
 * data that is not part of a layer. The context must be current. */
gboolean gst_shapes_slab_upload (GstShapesSlab * slab, gconstpointer data,
    gsize size, gpointer * device, GError ** error);

/* Creates a layer from the result in @slab, and takes ownership of @slab. The
 * result must be complete: on a device, its stream must be synchronised.
 *
 * @host: (nullable): arrays in the slab's host block
 * @device: (nullable): arrays in the slab's device block; at least one of both
 *     is required
 * Returns: (transfer full): the layer */
GstShapeLayer *gst_shapes_slab_to_layer (GstShapesSlab * slab,
    GstShapeLayerType type, const GstShapeArrays * host,
    const GstShapeArrays * device);

/* Returns: (transfer full): a layer of no polylines */
GstShapeLayer *gst_shapes_empty_layer_new (void);

/* The result in @slab is complete, or there is none: its stream has nothing
 * more to do with it. */
void gst_shapes_slab_finish (GstShapesSlab * slab);

/* Frees a slab that was not published. Unless it is finished, pending work of
 * its stream completes first, in stream order. */
void gst_shapes_slab_free (GstShapesSlab * slab);
