/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The tensors of a buffer: its memory, which other/tensors caps describe, or
 * GstTensorMeta of GStreamer 1.26 and later. */

#include <gst/gst.h>

#include "base/image.h"

/* Tensors of a frame, and dimensions of one. */
#define DEC_MAX_TENSORS 16
#define DEC_MAX_RANK 8

typedef enum
{
  DEC_TYPE_F32,
  DEC_TYPE_F16,
  DEC_TYPE_I32,
  DEC_TYPE_I64,
  DEC_N_TYPES,
} DecType;

/**
 * DecTensor:
 * @name: "" without one
 * @dims: @n_dims, the outermost first, none of the first being 1: an only
 *     image's, an only object's
 * @data: @size bytes on the host, aligned for the type
 */
typedef struct
{
  const gchar *name;
  DecType type;
  guint n_dims;
  gsize dims[DEC_MAX_RANK];
  gconstpointer data;
  gsize size;
} DecTensor;

typedef struct
{
  DecTensor tensors[DEC_MAX_TENSORS];
  guint n;

  /*< private >*/
  GstBuffer *mapped[DEC_MAX_TENSORS];
  GstMapInfo maps[DEC_MAX_TENSORS];
  guint n_mapped;
} DecTensors;

/* Reads other/tensors caps: tensors without data. Fails with CS_ERROR_INVALID,
 * saying what to change. */
gboolean dec_tensors_from_caps (DecTensors * tensors, const GstCaps * caps,
    GError ** error);

/* The tensors of @caps_tensors in the memory of @buffer, one memory each or all
 * in a row; unmapped by dec_tensors_unmap(), also after a failure. */
gboolean dec_tensors_map (DecTensors * tensors, const DecTensors * caps_tensors,
    GstBuffer * buffer, GError ** error);

/* Those that @buffer carries as metadata; none is no failure. */
gboolean dec_tensors_map_meta (DecTensors * tensors, GstBuffer * buffer,
    GError ** error);
void dec_tensors_unmap (DecTensors * tensors);

/* Returns: (transfer full): names, types and dimensions, for messages */
gchar *dec_tensors_describe (const DecTensors * tensors);

/* The @rank dimensions of @tensor, with any number of 1 before its own. FALSE:
 * it has more. */
gboolean dec_tensor_get_dims (const DecTensor * tensor, guint rank,
    gsize * dims);

/* Element @i as a number. */
gdouble dec_tensor_get (const DecTensor * tensor, gsize i);

/* Whether it has single or half precision. */
gboolean dec_tensor_is_float (const DecTensor * tensor);
