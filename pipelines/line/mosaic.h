/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "decide.h"
#include "shapes/gstshapes.h"

/* A picture of a piece: all its looks side by side, cups from left to right,
 * views from top to bottom, twice as large as they were seen. Above them is
 * room for a line of text, at their right for a legend. */

typedef struct
{
  guint width, height;
} LineMosaicSize;

LineMosaicSize line_mosaic_get_size (const LineGeometry * geometry);

/* Where the look of @cup and @view has its left upper pixel. */
void line_mosaic_get_place (const LineGeometry * geometry, guint cup,
    guint view, guint * x, guint * y);

/* Fills @rgb, of that size, with the background. */
void line_mosaic_clear (const LineGeometry * geometry, guint8 * rgb);

/* Puts the part of a view's picture (rows x columns x 3) in which @cup is in its
 * place. */
void line_mosaic_put (const LineGeometry * geometry, guint cup, guint view,
    const guint8 * picture, guint8 * rgb);

/* Returns: (transfer full): the contours of the fruit and of the defects in the
 * piece's looks, in the mosaic's coordinates, with the recipe's classes and
 * "fruit"; NULL if memory runs out */
GstShapeSet *line_mosaic_get_shapes (const LineDecision * decision);
