/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "decide.h"
#include "scene.h"

/**
 * LineExpected:
 * @measures: the piece as it is
 * @outlet: that the recipe has for it
 * @outlet_without_rot: that it would have for the same piece, were it not rotten
 *
 * What a simulated piece deserves.
 */
typedef struct
{
  LineMeasures measures;
  guint outlet, outlet_without_rot;
} LineExpected;

/* @recipe: with the simulation's classes, by their positions */
void line_expect (const LineRecipe * recipe, const LineTruth * truth,
    LineExpected * expected);
