/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_CUDA_LLF_SETTINGS_H
#define GST_CUDA_LLF_SETTINGS_H

/* The properties of cudallf: what they are called, what they may be, and what
 * they are now. */

#include <gst/gst.h>

#include "element/gstshapesproperties.h"
#include "llf/llf.h"

G_BEGIN_DECLS

/**
 * GstCudaLlfChroma:
 * @GST_CUDA_LLF_CHROMA_KEEP: the chroma of YUV stays as it is
 * @GST_CUDA_LLF_CHROMA_SCALE: it is multiplied as luma is
 */
typedef enum
{
  GST_CUDA_LLF_CHROMA_KEEP,
  GST_CUDA_LLF_CHROMA_SCALE,
} GstCudaLlfChroma;

/**
 * GstCudaLlfSettings:
 * @table: what the table is made of; depth and range are those of the caps
 * @weights: factors of levels, of which there are @n_weights
 *
 * The values of all properties.
 */
typedef struct
{
  CsLlfParams table;
  gdouble amount;
  guint levels;
  gdouble weights[CS_LLF_MAX_LEVELS];
  guint n_weights;
  GstCudaLlfChroma chroma;
  gdouble error_bound;
  guint active_rank;
} GstCudaLlfSettings;

/* What another table is needed for. */
#define GST_CUDA_LLF_TABLE (1u << 1)

#define GST_CUDA_LLF_UNKNOWN_BOUND (-1.)

extern const GstShapesProperties gst_cuda_llf_properties;

G_END_DECLS

#endif /* GST_CUDA_LLF_SETTINGS_H */
