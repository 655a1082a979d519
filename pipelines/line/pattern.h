/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "recipe.h"
#include "settings.h"

/* Into the tensors of a trigger, views x rows x columns x classes: in each cup
 * of each view a fruit that has a mark of each defect, with probabilities of 1
 * and nothing around it. Whoever has found its shapes has memory for those of
 * any usual trigger. */
void line_pattern_paint (const LineGeometry * geometry,
    const LineRecipe * recipe, gfloat * tensors);
