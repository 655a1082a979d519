/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "recipe.h"
#include "rules.h"
#include "surface.h"
#include "tones.h"

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
 * @is_empty: there is no fruit; all else is 0, but @n_shown and @is_shown
 * @n_shown: looks that show a fruit
 * @is_shown: which of them do
 * @is_cut: a look shows a fruit that goes on beyond the picture's edge
 * @roundness: ratio of the smallest Feret diameter of the looks to the greatest
 * @is_inconsistent: looks do not show what they should by the piece's rotation:
 *     areas may be too large
 * @coverage: share of the sphere that was seen at less than 60 degrees
 * @most_coverage: the same if all looks had shown the fruit, and it had turned as
 *     the geometry says
 * @turn: in degrees, from cup to cup
 * @is_turn_measured: by what the looks show; else it is the geometry's
 * @diameter: in mm
 * @surface: in mm2
 * @elongation: of the outline; at least 1
 * @tone: of its skin; all 0 if the recipe does not ask for it, or fewer looks
 *     than its min-looks have it
 * @figures: of the recipe's defects, and then of all of them together
 */
typedef struct
{
  gboolean is_empty, is_cut, is_inconsistent, is_turn_measured;
  guint n_shown;
  gboolean is_shown[LINE_MAX_LOOKS];
  gdouble roundness, coverage, most_coverage, turn;
  gdouble diameter, surface, elongation;
  LineTone tone;
  LineFigures figures[LINE_MAX_CLASSES + 1];
} LineMeasures;

/**
 * line_aggregate:
 * @rules: by which
 * @geometry: of the lane
 * @recipe: whose classes the contours have
 * @looks: cups x views, [cup * views + view]; NULL for a look that is not there
 * @measures: (out): the result
 *
 * Puts together what the looks show of a piece, as docs/fruit-line.md defines.
 *
 * Returns: FALSE with @error set if memory runs out
 */
gboolean line_aggregate (LineRules rules, const LineGeometry * geometry,
    const LineRecipe * recipe, const LineView * const *looks,
    LineMeasures * measures, GError ** error);

/* (nullable): the contour of the fruit in @cup; NULL if @view, the lane's view
 * @index, does not show one. */
const LineContour *line_aggregate_find_fruit (const LineGeometry * geometry,
    const LineRecipe * recipe, const LineView * view, guint index, guint cup);

/* Square millimetres from which on a blemish is large: a network does not make it
 * up. */
gdouble line_aggregate_get_large (const LineGeometry * geometry,
    const LineRecipe * recipe);

/* Leaves of @measures only whether there is a fruit, and which looks show it. */
void line_measures_forget (LineMeasures * measures);
