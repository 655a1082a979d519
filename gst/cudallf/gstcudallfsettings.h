/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The properties of cudallf. */

#include <gst/gst.h>

#include "element/gstshapesproperties.h"
#include "llf/llf.h"

/**
 * LlfChroma:
 * @LLF_CHROMA_KEEP: the chroma of YUV is unchanged
 * @LLF_CHROMA_SCALE: it is scaled with luma
 */
typedef enum
{
  LLF_CHROMA_KEEP,
  LLF_CHROMA_SCALE,
} LlfChroma;

/**
 * LlfShapes:
 * @LLF_SHAPES_IGNORE: shapes are of no matter
 * @LLF_SHAPES_INSIDE: only their inside is filtered
 * @LLF_SHAPES_OUTSIDE: only what is outside of them
 */
typedef enum
{
  LLF_SHAPES_IGNORE,
  LLF_SHAPES_INSIDE,
  LLF_SHAPES_OUTSIDE,
} LlfShapes;

/**
 * LlfHdr:
 * @LLF_HDR_NONE: frames are of a display's range
 * @LLF_HDR_LINEAR: tone mapping of linear light
 * @LLF_HDR_SRGB: of the coding of sRGB
 * @LLF_HDR_PQ: of SMPTE ST 2084
 * @LLF_HDR_HLG: of ARIB STD-B67
 *
 * From the second on in the order of #CsLlfCoding.
 */
typedef enum
{
  LLF_HDR_NONE,
  LLF_HDR_LINEAR,
  LLF_HDR_SRGB,
  LLF_HDR_PQ,
  LLF_HDR_HLG,
} LlfHdr;

/**
 * LlfSettings:
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
  LlfChroma chroma;
  gdouble split;
  gchar *region, *mask;
  LlfShapes shapes;
  LlfHdr hdr;
  gdouble hdr_range, hdr_contrast;
  gdouble error_bound;
  guint active_rank;
} LlfSettings;

/* .affects of properties that need another table. */
#define LLF_TABLE (1u << 1)
/* .affects of properties that say where, but the split. */
#define LLF_AREA (1u << 2)

#define LLF_UNKNOWN_BOUND (-1.)

extern const GstShapesProperties llf_properties;
