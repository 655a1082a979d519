/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * CUDA contexts in builds without libgstcuda, under its names. There is one for
 * each device and process, whoever asks; other plugins neither give nor take
 * one. Only in builds with HAVE_CUDA and without HAVE_GSTCUDA.
 *
 * The functions are this plugin's own and not exported, so that libgstcuda may
 * be in the same process; the type has another name for the same reason.
 */

#include <gst/gst.h>

#include "gstshapesdriver.h"

#define GST_TYPE_SHAPES_CUDA_CONTEXT (gst_shapes_cuda_context_get_type ())
G_DECLARE_FINAL_TYPE (GstShapesCudaContext, gst_shapes_cuda_context,
    GST_SHAPES, CUDA_CONTEXT, GstObject)
typedef GstShapesCudaContext GstCudaContext;

/* The context of GPU @device_id, made if there is none; freed with its last
 * reference. Only after gst_shapes_device_probe() has found a GPU. Thread-safe.
 *
 * Returns: (transfer full) (nullable): %NULL if the GPU gives none */
GstCudaContext *gst_cuda_context_new (guint device_id);

/* Returns: the driver's CUcontext, borrowed */
gpointer gst_cuda_context_get_handle (GstCudaContext * context);

/* Makes @context current in this thread, until gst_cuda_context_pop(). Calls
 * nest. Returns: FALSE if it cannot be current */
gboolean gst_cuda_context_push (GstCudaContext * context);

/* @handle: (out) (optional): what was current */
gboolean gst_cuda_context_pop (CUcontext * handle);

/* Sets @context, unless it is set, to the context of GPU @device_id, or of the
 * first with -1. Neighbours of @element are not asked: they have none to give.
 * Returns: whether it is set */
gboolean gst_cuda_ensure_element_context (GstElement * element, gint device_id,
    GstCudaContext ** context);

/* There is no CUDA memory. */
static inline void
gst_cuda_memory_init_once (void)
{
}
