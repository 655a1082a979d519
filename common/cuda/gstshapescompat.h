/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPES_COMPAT_H
#define GST_SHAPES_COMPAT_H

/* libgstcuda's headers, and what differs between its versions 1.22 and 1.24 to
 * 1.28. Next to nothing in a build without CUDA. */

#include <gst/gst.h>

#ifdef HAVE_CUDA

#ifndef GST_USE_UNSTABLE_API
#define GST_USE_UNSTABLE_API
#endif
#include <gst/cuda/cuda-gst.h>
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>

/* Before 1.24 whoever wrote a CUDA memory has finished before handing it on.
 * Since then the writer may still be at work on the memory's own stream. */
#if GST_CHECK_VERSION (1, 23, 1)
#include <gst/cuda/gstcudastream.h>
#define GST_SHAPES_CUDA_MEMORY_HAS_STREAM 1
#else
#define GST_SHAPES_CUDA_MEMORY_HAS_STREAM 0
#endif

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
#define CuMemcpy2DAsync(copy, stream) \
    CS_OR_FAULT (CS_FAULT_CUDA, CUDA_ERROR_UNKNOWN, \
        CuMemcpy2DAsync ((copy), (stream)))
#endif

G_BEGIN_DECLS

/* Waits until @memory may be read, or with @is_written written, on @stream.
 * What was queued on the memory's own stream may be still under way: the flag
 * GST_CUDA_MEMORY_TRANSFER_NEED_SYNC tells of its writer only, but a recycled
 * memory may have a reader there, too. Nothing to do on the same stream. */
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

/* For the @config of a @pool that an element fills: memory with a stream, on
 * which or with which a reader orders its work. Without one a reader could
 * still be at a memory that has come back to the pool. */
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

/* After @memory was written on @stream: before 1.24, and when @stream is not
 * the memory's own, waits for the stream; else marks the memory as in work. */
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

G_END_DECLS

#else

#define gst_shapes_cuda_pool_add_stream(pool, config) G_STMT_START { } G_STMT_END

#endif /* HAVE_CUDA */

#endif /* GST_SHAPES_COMPAT_H */
