/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Tensors that inference elements attach to video frames: GstTensorMeta, of
 * GStreamer 1.26 and later. A build without it finds none. */

#include "base/scratch.h"
#include "gstshapestensor.h"

/**
 * GstShapesMetaTensor:
 * @info: what it is, its innermost dimension the first in memory
 * @data: its samples, borrowed from the buffer that carries it
 * @column_major: whether its outermost dimension is the first in memory
 *     instead, and gst_shapes_meta_tensor_rearrange() is needed
 *
 * A tensor of one image.
 */
typedef struct
{
  GstShapesTensorInfo info;
  GstBuffer *data;
  gboolean column_major;
} GstShapesMetaTensor;

/* Whether this build has GStreamer's analytics library, which @what needs;
 * else @error (CS_ERROR_NOT_SUPPORTED) is set. */
gboolean gst_shapes_check_analytics (const gchar * what, GError ** error);

/* Whether @buffer carries a GstTensorMeta, in any build. */
gboolean gst_shapes_buffer_has_tensors (GstBuffer * buffer);

/* Finds the tensor called @id among all of @buffer, or, without a name, the
 * only one. Dimensions are rows, columns, or these before or after channels,
 * by @layout; before them are only dimensions of 1.
 *
 * @id: (nullable): NULL or "" for the only tensor
 * Returns: %FALSE with @error (CS_ERROR_INVALID) that says which tensors there
 *     are and what to change */
gboolean gst_shapes_meta_tensor_find (GstShapesMetaTensor * tensor,
    GstBuffer * buffer, const gchar * id, GstShapesTensorLayout layout,
    GError ** error);

/* The samples @data of a column-major tensor, which are on the host, in the
 * order of its info.
 *
 * Returns: memory of @scratch, or %NULL with @error (CS_ERROR_NO_MEMORY) */
gconstpointer gst_shapes_meta_tensor_rearrange (const GstShapesMetaTensor *
    tensor, gconstpointer data, CsScratch * scratch, GError ** error);
