/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LINE_AGGREGATE_H
#define LINE_AGGREGATE_H

#include "recipe.h"
#include "surface.h"

G_BEGIN_DECLS

/**
 * LineFigures:
 * @mm2: of the piece's surface
 * @percent: of the piece's surface
 * @max_length: longest Feret diameter, in mm
 * @count: blemishes in the look that shows most
 * @confidence: 0 to 1: how much of the blemishes no other class claims
 */
typedef struct
{
  gdouble mm2, percent, max_length, confidence;
  guint count;
} LineFigures;

/**
 * LineMeasures:
 * @is_empty: there is no fruit; all else is 0
 * @diameter: in mm
 * @surface: in mm2
 * @figures: of the recipe's defects, and then of all of them together
 */
typedef struct
{
  gboolean is_empty;
  gdouble diameter, surface;
  LineFigures figures[LINE_MAX_CLASSES + 1];
} LineMeasures;

/**
 * line_aggregate:
 * @geometry: of the lane
 * @recipe: whose classes the contours have
 * @looks: cups x views, [cup * views + view]; NULL for a look that is not there
 * @measures: (out): the result
 *
 * Puts together what the looks show of a piece, as docs/fruit-line.md defines.
 *
 * Returns: FALSE with @error set if memory runs out
 */
gboolean line_aggregate (const LineGeometry * geometry,
    const LineRecipe * recipe, const LineView * const *looks,
    LineMeasures * measures, GError ** error);

G_END_DECLS

#endif /* LINE_AGGREGATE_H */
