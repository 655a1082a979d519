/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* libgstcuda's headers, and differences between its versions 1.22 to 1.28; or,
 * in builds without it, what stands in for the part of it that is used without
 * CUDA memory. Almost empty without CUDA. */

#include <gst/gst.h>

#ifdef HAVE_CUDA

#ifdef HAVE_GSTCUDA
#ifndef GST_USE_UNSTABLE_API
#define GST_USE_UNSTABLE_API
#endif
#include <gst/cuda/cuda-gst.h>
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>

/* Since 1.24 a CUDA memory has a stream, on which its writer may still be
 * active; before, writers synchronised before passing it on. */
#if GST_CHECK_VERSION (1, 23, 1)
#include <gst/cuda/gstcudastream.h>
#define GST_SHAPES_CUDA_MEMORY_HAS_STREAM 1
#else
#define GST_SHAPES_CUDA_MEMORY_HAS_STREAM 0
#endif
#else
#include "gstshapesdriver.h"
#include "gstshapesowncontext.h"
#endif /* HAVE_GSTCUDA */

#ifdef CS_FAULT_INJECTION
#include "base/fault.h"

#define gst_cuda_context_push(context) \
    CS_OR_FAULT (CS_FAULT_CUDA, FALSE, gst_cuda_context_push (context))
#define gst_cuda_ensure_element_context(element, id, context) \
    CS_OR_FAULT (CS_FAULT_CUDA, FALSE, \
        gst_cuda_ensure_element_context ((element), (id), (context)))
#define CuCtxPushCurrent(context) \
    CS_OR_FAULT (CS_FAULT_CUDA, CUDA_ERROR_UNKNOWN, CuCtxPushCurrent (context))
#define CuStreamSynchronize(stream) \
    CS_OR_FAULT (CS_FAULT_CUDA, CUDA_ERROR_UNKNOWN, \
        CuStreamSynchronize (stream))
#endif

#endif /* HAVE_CUDA */

#ifdef HAVE_GSTCUDA

/* Loads the driver's functions, once per process.
 *
 * Returns: (nullable): why they cannot be called; %NULL if they can */
static inline const gchar *
gst_shapes_cuda_load (void)
{
  return gst_cuda_load_library () ? NULL : "libcuda.so.1 cannot be loaded";
}

/* Waits until @memory may be read, or with @is_written written, on @stream.
 * Work on the memory's own stream may be pending:
 * GST_CUDA_MEMORY_TRANSFER_NEED_SYNC covers its writer only, but recycled
 * memory may have a reader there, too. No-op on the same stream. */
static inline gboolean
gst_shapes_cuda_memory_wait (GstMemory * memory, CUstream stream,
    gboolean is_written)
{
#if GST_SHAPES_CUDA_MEMORY_HAS_STREAM
  GstCudaStream *own =
      gst_cuda_memory_get_stream (GST_CUDA_MEMORY_CAST (memory));

  if (own && gst_cuda_stream_get_handle (own) == stream)
    return TRUE;
  gst_cuda_memory_sync (GST_CUDA_MEMORY_CAST (memory));
  if (own && is_written)
    return CuStreamSynchronize (gst_cuda_stream_get_handle (own)) ==
        CUDA_SUCCESS;
#endif
  return TRUE;
}

/* Adds a stream to the @config of a @pool, for readers to synchronise with.
 * Without one, memory could return to the pool while it is still being read. */
static inline void
gst_shapes_cuda_pool_add_stream (GstBufferPool * pool, GstStructure * config)
{
#if GST_SHAPES_CUDA_MEMORY_HAS_STREAM
  GstCudaStream *stream;

  if (!GST_IS_CUDA_BUFFER_POOL (pool))
    return;
  stream = gst_buffer_pool_config_get_cuda_stream (config);
  if (!stream) {
    stream = gst_cuda_stream_new (GST_CUDA_BUFFER_POOL (pool)->context);
    if (stream)
      gst_buffer_pool_config_set_cuda_stream (config, stream);
  }
  g_clear_pointer (&stream, gst_cuda_stream_unref);
#endif
}

/* After @memory was written on @stream: marks it as NEED_SYNC, or, before 1.24
 * and if @stream is not the memory's own, synchronises. */
static inline gboolean
gst_shapes_cuda_memory_written (GstMemory * memory, CUstream stream)
{
#if GST_SHAPES_CUDA_MEMORY_HAS_STREAM
  GstCudaStream *own =
      gst_cuda_memory_get_stream (GST_CUDA_MEMORY_CAST (memory));

  if (own && gst_cuda_stream_get_handle (own) == stream) {
    GST_MINI_OBJECT_FLAG_SET (memory, GST_CUDA_MEMORY_TRANSFER_NEED_SYNC);
    return TRUE;
  }
#endif
  return CuStreamSynchronize (stream) == CUDA_SUCCESS;
}

#else

#define gst_shapes_cuda_pool_add_stream(pool, config) \
  G_STMT_START { } G_STMT_END

#endif /* HAVE_GSTCUDA */
