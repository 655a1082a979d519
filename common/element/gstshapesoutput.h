/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Where an element that works in place puts a frame that it had better not
 * write where it is. */

#include <gst/video/video.h>

#include "gstshapestransform.h"

/**
 * GstShapesOutput:
 *
 * @input: (nullable): what gst_shapes_output_prepare() has left alone
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

/* Where what is made from @input goes: a buffer with its metadata, whose pixels
 * are to be written; or @input itself, if it may be, as @in_place says, and
 * that is not slower.
 *
 * @info: of the output pad's caps
 * @output: (out): @input, or another one (transfer full)
 * Returns: an error after posting one */
GstFlowReturn gst_shapes_output_choose (GstShapesOutput * self,
    GstShapesTransform * transform, const GstVideoInfo * info,
    GstBuffer * input, gboolean in_place, GstBuffer ** output);

/* As GstBaseTransformClass.prepare_output_buffer() of an element that works in
 * place: another buffer than @input if that is faster, with @input in
 * @self->input, from which it is to be made; else what the base class chooses,
 * and @self->input is %NULL. */
GstFlowReturn gst_shapes_output_prepare (GstShapesOutput * self,
    GstShapesTransform * transform, const GstVideoInfo * info,
    GstBuffer * input, GstBuffer ** output);

void gst_shapes_output_clear (GstShapesOutput * self);
