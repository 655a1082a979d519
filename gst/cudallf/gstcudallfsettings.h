/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_CUDA_LLF_SETTINGS_H
#define GST_CUDA_LLF_SETTINGS_H

/* The properties of cudallf. */

#include <gst/gst.h>

#include "element/gstshapesproperties.h"
#include "llf/llf.h"

/**
 * GstCudaLlfChroma:
 * @GST_CUDA_LLF_CHROMA_KEEP: the chroma of YUV is unchanged
 * @GST_CUDA_LLF_CHROMA_SCALE: it is scaled with luma
 */
typedef enum
{
  GST_CUDA_LLF_CHROMA_KEEP,
  GST_CUDA_LLF_CHROMA_SCALE,
} GstCudaLlfChroma;

/**
 * GstCudaLlfShapes:
 * @GST_CUDA_LLF_SHAPES_IGNORE: shapes are of no matter
 * @GST_CUDA_LLF_SHAPES_INSIDE: only their inside is filtered
 * @GST_CUDA_LLF_SHAPES_OUTSIDE: only what is outside of them
 */
typedef enum
{
  GST_CUDA_LLF_SHAPES_IGNORE,
  GST_CUDA_LLF_SHAPES_INSIDE,
  GST_CUDA_LLF_SHAPES_OUTSIDE,
} GstCudaLlfShapes;

/**
 * GstCudaLlfHdr:
 * @GST_CUDA_LLF_HDR_NONE: frames are of a display's range
 * @GST_CUDA_LLF_HDR_LINEAR: tone mapping of linear light
 * @GST_CUDA_LLF_HDR_SRGB: of the coding of sRGB
 * @GST_CUDA_LLF_HDR_PQ: of SMPTE ST 2084
 * @GST_CUDA_LLF_HDR_HLG: of ARIB STD-B67
 *
 * From the second on in the order of #CsLlfCoding.
 */
typedef enum
{
  GST_CUDA_LLF_HDR_NONE,
  GST_CUDA_LLF_HDR_LINEAR,
  GST_CUDA_LLF_HDR_SRGB,
  GST_CUDA_LLF_HDR_PQ,
  GST_CUDA_LLF_HDR_HLG,
} GstCudaLlfHdr;

/**
 * GstCudaLlfSettings:
 * @table: parameters of the table; depth and range are set from the caps
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
  gdouble tone_guard;
  GstCudaLlfChroma chroma;
  gdouble split;
  gchar *region, *mask;
  GstCudaLlfShapes shapes;
  GstCudaLlfHdr hdr;
  gdouble hdr_range, hdr_contrast;
  gdouble error_bound;
  guint active_rank;
} GstCudaLlfSettings;

/* .affects of properties that need another table. */
#define GST_CUDA_LLF_TABLE (1u << 1)
/* .affects of properties that say where, but the split. */
#define GST_CUDA_LLF_AREA (1u << 2)

#define GST_CUDA_LLF_UNKNOWN_BOUND (-1.)

extern const GstShapesProperties gst_cuda_llf_properties;

#endif /* GST_CUDA_LLF_SETTINGS_H */
