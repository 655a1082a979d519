/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPES_OUTPUT_H
#define GST_SHAPES_OUTPUT_H

/* Where an element that works in place puts a frame that it had better not
 * write where it is. */

#include <gst/video/video.h>

#include "gstshapestransform.h"

G_BEGIN_DECLS

/**
 * GstShapesOutput:
 *
 * @input: (nullable): what gst_shapes_output_choose() has left alone
 *
 * Buffers of an element's own, made when first needed: of CUDA memory if its
 * frames are, else of system memory, which is page-locked on a GPU.
 * Zero-initialise it, and clear it when the caps change and in close().
 */
typedef struct
{
  GstBuffer *input;

  /*< private >*/
  GstBufferPool *pool;
} GstShapesOutput;

/* Whether a writable @input should be left alone: on a GPU, if it lies in
 * ordinary memory of the host, to which the GPU's copy takes two to four times
 * as long as to page-locked memory. */
gboolean gst_shapes_output_is_faster (GstShapesTransform * transform,
    GstBuffer * input);

/* A buffer with the metadata of @input, whose pixels are to be written.
 *
 * @info: of the output pad's caps
 * @output: (out) (transfer full)
 * Returns: an error after posting one */
GstFlowReturn gst_shapes_output_acquire (GstShapesOutput * self,
    GstShapesTransform * transform, const GstVideoInfo * info,
    GstBuffer * input, GstBuffer ** output);

/* As GstBaseTransformClass.prepare_output_buffer() of an element that works in
 * place: another buffer than @input if that is faster, with @input in
 * @self->input, from which it is to be made; else what the base class chooses,
 * and @self->input is %NULL. */
GstFlowReturn gst_shapes_output_choose (GstShapesOutput * self,
    GstShapesTransform * transform, const GstVideoInfo * info,
    GstBuffer * input, GstBuffer ** output);

void gst_shapes_output_clear (GstShapesOutput * self);

G_END_DECLS

#endif /* GST_SHAPES_OUTPUT_H */
