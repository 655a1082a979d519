/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_CUDA_LLF_POOL_H
#define GST_CUDA_LLF_POOL_H

/* Output buffers for frames that are not writable, and the pictures of
 * buffers. */

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

#include "element/gstshapesframe.h"

G_BEGIN_DECLS

/* A buffer with the metadata of @input, of the memory of @input.
 *
 * @pool: (inout) (nullable): made with the first buffer, until
 *     gst_cuda_llf_clear_pool()
 * @info: of the output pad's caps
 * @cuda_caps: whether these are of CUDA memory
 * Returns: an error after posting one; the CUDA context, if any, is current */
GstFlowReturn gst_cuda_llf_acquire_output (GstBaseTransform * trans,
    GstBufferPool ** pool, const GstVideoInfo * info, gboolean cuda_caps,
    GstBuffer * input, GstBuffer ** output);

/* Frees *@pool, which may be %NULL, and sets it to %NULL. */
void gst_cuda_llf_clear_pool (GstBufferPool ** pool);

/* As gst_shapes_frame_get_picture(); the byte of a pixel that belongs to no
 * colour is alpha, which is kept, or written. */
gboolean gst_cuda_llf_get_picture (GstShapesFrame * frame,
    CsPicture * picture, GError ** error);

G_END_DECLS

#endif /* GST_CUDA_LLF_POOL_H */
