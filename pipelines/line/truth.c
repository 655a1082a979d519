/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "truth.h"

#include <string.h>

/* @left_out: a class that the piece is treated as not having; -1 for none */
static void
measure (const LineRecipe * recipe, const LineTruth * truth, gint left_out,
    LineMeasures * measures)
{
  LineFigures *all = &measures->figures[recipe->n_defects];

  memset (measures, 0, sizeof (*measures));
  measures->is_empty = !truth->present;
  if (measures->is_empty)
    return;
  measures->diameter = truth->diameter_mm;
  measures->surface = truth->surface_mm2;
  for (guint i = 0; i < recipe->n_defects; i++) {
    const guint k = recipe->defects[i];

    if ((gint) k == left_out || k >= LINE_SCENE_CLASSES)
      continue;
    measures->figures[i] = (LineFigures) {
      .mm2 = truth->area_mm2[k],
      .percent = 100 * truth->area_mm2[k] / truth->surface_mm2,
      .max_length = truth->max_length_mm[k],.count = truth->count[k]
    };
    all->mm2 += measures->figures[i].mm2;
    all->percent += measures->figures[i].percent;
    all->max_length = MAX (all->max_length, measures->figures[i].max_length);
    all->count += measures->figures[i].count;
  }
}

static guint
get_outlet (const LineRecipe * recipe, const LineMeasures * measures)
{
  LineOutcome outcome;

  line_decide (recipe, measures, LINE_MAX_LOOKS, LINE_STATUS_OK, 0, &outcome);
  guint outlet = outcome.outlet;
  line_outcome_clear (&outcome);
  return outlet;
}

void
line_expect (const LineRecipe * recipe, const LineTruth * truth,
    LineExpected * expected)
{
  measure (recipe, truth, LINE_CLASS_ROT, &expected->measures);
  expected->outlet_without_rot = get_outlet (recipe, &expected->measures);
  measure (recipe, truth, -1, &expected->measures);
  expected->outlet = get_outlet (recipe, &expected->measures);
}
