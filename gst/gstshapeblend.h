/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_BLEND_H
#define GST_SHAPE_BLEND_H

/* Second half of the rasteriser: mixes one colour into a picture, weighted by
 * coverage. */

#include "gstshaperaster.h"

G_BEGIN_DECLS

/* Coverage is kept and blended in blocks of this many pixels of a row. */
#define GST_SHAPE_BLOCK 16

/**
 * GstShapeInk:
 * @rgb: the colour
 * @pattern: interleaved RGB: the bytes of a block of pixels
 * @codes: planes: the colour's code in each plane
 *
 * A colour made ready for one surface.
 */
typedef struct
{
  guint8 rgb[3];
  guint8 pattern[4 * GST_SHAPE_BLOCK];
  guint8 codes[3];
} GstShapeInk;

/**
 * GstShapeCoverage:
 * @values: 0 .. 1, @stride for each row; all 0 when nothing is drawn
 * @stride: floats from a row to the next, a multiple of %GST_SHAPE_BLOCK
 * @blocks: a bit for each block of each row whose values may not be 0
 * @n_words: words of @blocks for each row
 *
 * The coverage of some rows of a picture.
 */
typedef struct
{
  gfloat *values;
  gsize stride;
  guint64 *blocks;
  gsize n_words;
} GstShapeCoverage;

/* @argb's alpha is left to the caller. */
void gst_shape_ink_init (GstShapeInk * ink, const GstShapeSurface * surface,
    guint32 argb);

/* Mixes @ink into the @n_rows rows of @surface from @y, which is even, by
 * @coverage (whose first row is @y) times @opacity, and clears @coverage. */
void gst_shape_blend (const GstShapeSurface * surface, const GstShapeInk * ink,
    gfloat opacity, guint y, guint n_rows, const GstShapeCoverage * coverage);

G_END_DECLS

#endif /* GST_SHAPE_BLEND_H */
