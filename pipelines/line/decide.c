/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decide.h"

#include <math.h>
#include <string.h>

const char *const line_doubt_names[LINE_N_DOUBTS] = {
  [LINE_DOUBT_LOST] = "lost",
  [LINE_DOUBT_NO_FRUIT] = "no-fruit",
  [LINE_DOUBT_SHAPE] = "shape",
  [LINE_DOUBT_COVERAGE] = "coverage",
  [LINE_DOUBT_INCONSISTENT] = "inconsistent",
  [LINE_DOUBT_NO_CLASS] = "no-class",
  [LINE_DOUBT_LATE] = "late",
  [LINE_DOUBT_NUMBER] = "number",
};

static void
add_reason (LineOutcome * outcome, const char *reason)
{
  for (guint i = 0; i < outcome->reasons->len; i++)
    if (strcmp (g_ptr_array_index (outcome->reasons, i), reason) == 0)
      return;
  g_ptr_array_add (outcome->reasons, g_strdup (reason));
}

/* NaN if it is not known: then no limit of it holds. */
static gdouble
get_tone (const LineTone * tone, const LineLimit * limit)
{
  const gdouble a = tone->lab[1], b = tone->lab[2];

  if (tone->looks == 0)
    return NAN;
  switch (limit->measure) {
    case LINE_MEASURE_LIGHTNESS:
      return tone->lab[0];
    case LINE_MEASURE_A:
      return a;
    case LINE_MEASURE_B:
      return b;
    case LINE_MEASURE_CHROMA:
      return sqrt (a * a + b * b);
    case LINE_MEASURE_HUE:
      return atan2 (b, a) * 180 / G_PI;
    default:
      return tone->shares[limit->of];
  }
}

static gdouble
get_figure (const LineMeasures * measures, const LineLimit * limit)
{
  if (limit->measure == LINE_MEASURE_ELONGATION)
    return measures->elongation;
  if (limit->measure > LINE_MEASURE_COUNT)
    return get_tone (&measures->tone, limit);
  const LineFigures *figures = &measures->figures[limit->of];

  switch (limit->measure) {
    case LINE_MEASURE_MM2:
      return figures->mm2;
    case LINE_MEASURE_LENGTH:
      return figures->max_length;
    case LINE_MEASURE_PERCENT:
      return figures->percent;
    default:
      return figures->count;
  }
}

static gboolean
size_holds (const LineRecipe * recipe, const LineRule * rule, gdouble diameter)
{
  if (!rule->sizes)
    return TRUE;
  for (guint i = 0; i < recipe->sizes->len; i++) {
    const LineSize *size = &g_array_index (recipe->sizes, LineSize, i);

    if ((rule->sizes >> i & 1) && diameter >= size->min_mm
        && diameter < size->max_mm)
      return TRUE;
  }
  return FALSE;
}

static gboolean
limits_hold (const LineLimits * limits, const LineMeasures * measures,
    LineOutcome * outcome)
{
  gboolean hold = TRUE;

  for (guint i = 0; i < limits->limits->len; i++) {
    const LineLimit *limit = &g_array_index (limits->limits, LineLimit, i);

    const gdouble figure = get_figure (measures, limit);

    if (limit->is_least ? figure >= limit->value : figure <= limit->value)
      continue;
    hold = FALSE;
    g_autofree char *reason =
        g_strdup_printf ("%s.%s", limits->name, limit->key);
    add_reason (outcome, reason);
  }
  return hold;
}

static gboolean
rule_holds (const LineRecipe * recipe, const LineRule * rule,
    const LineMeasures * measures, LineOutcome * outcome)
{
  gboolean hold = TRUE;

  if (!size_holds (recipe, rule, measures->diameter)) {
    hold = FALSE;
    add_reason (outcome, "size");
  }
  if (rule->limits >= 0 && !limits_hold (&g_array_index (recipe->limits,
              LineLimits, rule->limits), measures, outcome))
    hold = FALSE;
  if (rule->statuses && !(rule->statuses >> outcome->status & 1)) {
    hold = FALSE;
    add_reason (outcome, "status");
  }
  return hold;
}

/* The area of blemishes that belongs to none of the classes */
static gdouble
get_unnamed (const LineRecipe * recipe, const LineMeasures * measures)
{
  gdouble named = 0;

  for (guint k = 0; k < recipe->n_defects; k++)
    named += measures->figures[k].mm2;
  return measures->figures[recipe->n_defects].mm2 - named;
}

guint
line_find_doubts (const LineGeometry * geometry, const LineRecipe * recipe,
    const LinePiece * piece, const LineMeasures * measures, LineStatus status)
{
  guint doubts = 0;

  if (piece->n_looks < geometry->cups * geometry->views)
    doubts |= 1u << LINE_DOUBT_LOST;
  if (measures->n_shown > 0 && measures->n_shown < piece->n_looks)
    doubts |= 1u << LINE_DOUBT_NO_FRUIT;
  if (status == LINE_STATUS_LATE)
    doubts |= 1u << LINE_DOUBT_LATE;
  if (measures->is_empty)
    return doubts;
  if (measures->is_cut || measures->roundness < recipe->min_roundness)
    doubts |= 1u << LINE_DOUBT_SHAPE;
  if (measures->coverage < recipe->min_coverage * measures->most_coverage)
    doubts |= 1u << LINE_DOUBT_COVERAGE;
  if (measures->is_inconsistent)
    doubts |= 1u << LINE_DOUBT_INCONSISTENT;
  if (get_unnamed (recipe, measures) >=
      line_aggregate_get_large (geometry, recipe))
    doubts |= 1u << LINE_DOUBT_NO_CLASS;
  return doubts;
}

void
line_decide (const LineRecipe * recipe, const LineMeasures * measures,
    guint n_looks, LineStatus status, guint doubts, LineOutcome * outcome)
{
  const gboolean has_looks = n_looks >= recipe->min_looks
      && status != LINE_STATUS_UNDECIDED && !(doubts >> LINE_DOUBT_NUMBER & 1);

  outcome->reasons = g_ptr_array_new_with_free_func (g_free);
  outcome->doubts = doubts;
  outcome->status = status;
  outcome->is_empty = FALSE;
  if (!has_looks && !(doubts >> LINE_DOUBT_LATE & 1))
    outcome->status = LINE_STATUS_UNDECIDED;
  else if (status == LINE_STATUS_OK && doubts)
    outcome->status = LINE_STATUS_PARTIAL;
  if (!has_looks) {
    outcome->outlet = recipe->undecided_outlet;
    add_reason (outcome, "undecided");
    return;
  }
  /* not known to be empty: a look was lost, or shows a fruit */
  if (measures->is_empty && doubts & ~(1u << LINE_DOUBT_LATE)) {
    outcome->outlet = recipe->undecided_outlet;
    add_reason (outcome, "undecided");
    return;
  }
  if (measures->is_empty) {
    outcome->is_empty = TRUE;
    outcome->outlet = recipe->empty_outlet;
    add_reason (outcome, "empty");
    return;
  }
  for (guint i = 0; i < recipe->rules->len; i++) {
    const LineRule *rule = &g_array_index (recipe->rules, LineRule, i);

    /* the last one always holds */
    if (rule_holds (recipe, rule, measures, outcome)) {
      g_ptr_array_insert (outcome->reasons, 0, g_strdup (rule->name));
      outcome->outlet = rule->outlet;
      return;
    }
  }
}

void
line_outcome_clear (LineOutcome * outcome)
{
  g_clear_pointer (&outcome->reasons, g_ptr_array_unref);
}
