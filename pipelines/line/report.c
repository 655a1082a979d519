/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "publish/lock.h"
#include "report_data.h"

#include <math.h>
#include <string.h>

#include "publish/clock.h"
#include "truth.h"

const char *const line_latency_names[LINE_N_LATENCIES] = {
  [LINE_LATENCY_TENSOR] = "last_view_to_tensor",
  [LINE_LATENCY_SHAPES] = "to_shapes",
  [LINE_LATENCY_DECISION] = "to_decision",
  [LINE_LATENCY_AFTER_TENSOR] = "last_tensor_to_decision",
  [LINE_LATENCY_ALL] = "last_view_to_decision",
};

const gdouble line_latency_bounds[LINE_N_BOUNDS] = {
  500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000,
};

static GArray *
new_tally (void)
{
  return g_array_new (FALSE, FALSE, sizeof (LineTally));
}

LineReport *
line_report_new (const LineConfig * config)
{
  LineReport *report = g_new0 (LineReport, 1);

  g_mutex_init (&report->lock);
  report->line = g_strdup (config->name);
  report->n_lanes = config->lanes->len;
  report->deadline_ms = config->deadline_ms;
  report->begin = line_clock_now () / 1000;
  report->started = g_get_monotonic_time ();
  report->recipes = g_ptr_array_new_with_free_func (g_free);
  report->lane_names = g_new0 (char *, report->n_lanes + 1);
  report->lanes = g_new0 (LineLaneReport, report->n_lanes);
  for (guint i = 0; i < report->n_lanes; i++) {
    const LineLaneConfig *lane = line_config_get_lane (config, i);

    report->lane_names[i] = g_strdup (lane->name);
    report->lanes[i].looks.n_views = lane->geometry->views;
    report->lanes[i].outlets = new_tally ();
    report->lanes[i].weights = new_tally ();
  }
  for (guint i = 0; i < LINE_N_LATENCIES; i++)
    report->latencies[i] = line_histogram_new ();
  report->truth.pairs = new_tally ();
  report->truth.diameters = line_histogram_new ();
  report->truth.area_errors = line_histogram_new ();
  return report;
}

static gpointer
copy_text (gconstpointer text, gpointer user)
{
  return g_strdup (text);
}

LineReport *
line_report_copy (LineReport * report)
{
  LINE_LOCK (&report->lock);
  LineReport *copy = g_memdup2 (report, sizeof (*report));

  copy->line = g_strdup (report->line);
  copy->recipes = g_ptr_array_copy (report->recipes, copy_text, NULL);
  copy->recipe = report->recipe ? line_recipe_ref (report->recipe) : NULL;
  copy->lane_names = g_strdupv (report->lane_names);
  copy->lanes = g_memdup2 (report->lanes,
      report->n_lanes * sizeof (*report->lanes));
  for (guint i = 0; i < report->n_lanes; i++) {
    copy->lanes[i].outlets = g_array_copy (report->lanes[i].outlets);
    copy->lanes[i].weights = g_array_copy (report->lanes[i].weights);
  }
  for (guint i = 0; i < LINE_N_LATENCIES; i++)
    copy->latencies[i] = line_histogram_copy (report->latencies[i]);
  copy->truth.pairs = g_array_copy (copy->truth.pairs);
  copy->truth.diameters = line_histogram_copy (copy->truth.diameters);
  copy->truth.area_errors = line_histogram_copy (copy->truth.area_errors);
  g_mutex_init (&copy->lock);
  return copy;
}

void
line_lane_report_clear (LineLaneReport * lane)
{
  g_clear_pointer (&lane->outlets, g_array_unref);
  g_clear_pointer (&lane->weights, g_array_unref);
}

void
line_report_free (LineReport * report)
{
  for (guint i = 0; i < report->n_lanes; i++)
    line_lane_report_clear (&report->lanes[i]);
  for (guint i = 0; i < LINE_N_LATENCIES; i++)
    line_histogram_free (report->latencies[i]);
  g_array_unref (report->truth.pairs);
  line_histogram_free (report->truth.diameters);
  line_histogram_free (report->truth.area_errors);
  g_ptr_array_unref (report->recipes);
  g_clear_pointer (&report->recipe, line_recipe_unref);
  g_strfreev (report->lane_names);
  g_free (report->lanes);
  g_free (report->line);
  g_mutex_clear (&report->lock);
  g_free (report);
}

/* Counts in order of outlets that were expected, then of those that came. */
static void
tally (GArray * tallies, guint expected, guint outlet, guint64 n)
{
  LineTally new = { expected, outlet, n };
  guint at = 0;

  for (; at < tallies->len; at++) {
    LineTally *old = &g_array_index (tallies, LineTally, at);

    if (old->expected == expected && old->outlet == outlet) {
      old->n += n;
      return;
    }
    if (old->expected > expected
        || (old->expected == expected && old->outlet > outlet))
      break;
  }
  g_array_insert_val (tallies, at, new);
}

static void
add_recipe (LineReport * report, const LineRecipe * recipe)
{
  const char *hash = recipe->hash;

  if (report->recipe == recipe)
    return;
  g_clear_pointer (&report->recipe, line_recipe_unref);
  report->recipe = line_recipe_ref ((LineRecipe *) recipe);
  for (guint i = report->recipes->len; i-- > 0;)
    if (strcmp (g_ptr_array_index (report->recipes, i), hash) == 0)
      return;
  g_ptr_array_add (report->recipes, g_strdup (hash));
}

static void
add_latencies (LineReport * report, const LineDecision * decision)
{
  const gint64 after = decision->to_shapes + decision->to_decision;
  const gint64 values[LINE_N_LATENCIES] = {
    [LINE_LATENCY_TENSOR] = decision->to_tensor,
    [LINE_LATENCY_SHAPES] = decision->to_shapes,
    [LINE_LATENCY_DECISION] = decision->to_decision,
    [LINE_LATENCY_AFTER_TENSOR] = after,
    [LINE_LATENCY_ALL] = decision->to_tensor + after,
  };

  /* a piece without looks has none */
  if (decision->piece->n_looks > 0)
    for (guint i = 0; i < LINE_N_LATENCIES; i++)
      line_histogram_add (report->latencies[i], values[i]);
}

static void
compare_measures (LineTruthReport * report, const LineRecipe * recipe,
    const LineMeasures * found, const LineMeasures * truth)
{
  if (found->is_empty || truth->is_empty || found->diameter == 0)
    return;
  line_histogram_add (report->diameters,
      1e6 * fabs (found->diameter / truth->diameter - 1));
  for (guint i = 0; i < recipe->n_defects; i++) {
    const gdouble area = truth->figures[i].mm2;
    const gdouble error = fabs (found->figures[i].mm2 / area - 1);

    if (area < LINE_COMPARED_MM2)
      continue;
    report->areas++;
    report->near_areas += error <= 0.1;
    line_histogram_add (report->area_errors, 1e6 * error);
  }
}

static void
compare (LineTruthReport * report, const LineDecision * decision,
    const LineTruth * truth)
{
  const guint outlet = decision->outcome->outlet;
  LineExpected expected;

  line_expect (decision->recipe, truth, &expected);
  report->pieces++;
  report->right += outlet == expected.outlet;
  tally (report->pairs, expected.outlet, outlet, 1);
  if (truth->max_visible_mm2[LINE_CLASS_ROT] >= LINE_ROTTEN_MM2) {
    report->rotten++;
    report->missed += outlet != expected.outlet
        && outlet == expected.outlet_without_rot;
  }
  /* only pieces with all of their looks are measured that well */
  if (decision->outcome->status == LINE_STATUS_OK)
    compare_measures (report, decision->recipe, decision->measures,
        &expected.measures);
}

void
line_report_decision (LineReport * report, guint lane_index,
    const LineDecision * decision, const LineTruth * truth)
{
  LineLaneReport *lane = &report->lanes[lane_index];
  LineDarkness darkness;

  g_mutex_lock (&report->lock);
  report->is_simulated = report->is_simulated || decision->is_simulated;
  add_recipe (report, decision->recipe);
  lane->pieces++;
  lane->empty += decision->outcome->is_empty;
  lane->statuses[decision->outcome->status]++;
  tally (lane->outlets, 0, decision->outcome->outlet, 1);
  line_looks_report_add (&lane->looks, decision, &darkness);
  add_latencies (report, decision);
  if (truth)
    compare (&report->truth, decision, truth);
  g_mutex_unlock (&report->lock);
  line_darkness_print (&darkness, report->lane_names[lane_index]);
}

void
line_report_lane (LineReport * report, guint lane, const LineCounts * counts)
{
  LINE_LOCK (&report->lock);

  report->lanes[lane].counts = *counts;
}

void
line_report_cameras (LineReport * report, guint lane,
    const LineCameraHealth * cameras, guint n_cameras)
{
  LINE_LOCK (&report->lock);

  report->lanes[lane].n_cameras = n_cameras;
  memcpy (report->lanes[lane].cameras, cameras, n_cameras * sizeof (*cameras));
}

void
line_report_written (LineReport * report, const LineWritten * written)
{
  LINE_LOCK (&report->lock);

  report->written = *written;
}

void
line_report_plc (LineReport * report, const LinePlcCounts * counts)
{
  LINE_LOCK (&report->lock);

  report->plc = *counts;
}

void
line_report_health (LineReport * report, const LineHealth * health)
{
  LINE_LOCK (&report->lock);

  report->health = *health;
}

void
line_report_kept (LineReport * report, const LineSpoolKept * kept)
{
  LINE_LOCK (&report->lock);

  report->kept = *kept;
}

void
line_report_queue (LineReport * report, guint lane, guint frames)
{
  LINE_LOCK (&report->lock);

  report->lanes[lane].queue = frames;
}

gdouble
line_report_get_beat_age (const LineReport * report)
{
  const gint64 from = report->health.beat_at ? report->health.beat_at :
      report->started;

  return (g_get_monotonic_time () - from) / 1e6;
}

void
line_report_weigh (LineReport * report, guint lane, guint outlet,
    guint tenths)
{
  LINE_LOCK (&report->lock);

  report->lanes[lane].weighed++;
  tally (report->lanes[lane].weights, 0, outlet, tenths);
}

static void
add_lane (LineLaneReport * sum, const LineLaneReport * lane)
{
  sum->pieces += lane->pieces;
  sum->empty += lane->empty;
  for (guint i = 0; i < G_N_ELEMENTS (sum->statuses); i++)
    sum->statuses[i] += lane->statuses[i];
  for (guint i = 0; i < lane->outlets->len; i++) {
    const LineTally *one = &g_array_index (lane->outlets, LineTally, i);

    tally (sum->outlets, 0, one->outlet, one->n);
  }
  sum->counts.triggers += lane->counts.triggers;
  sum->counts.in_time += lane->counts.in_time;
  sum->counts.late += lane->counts.late;
  sum->counts.refused += lane->counts.refused;
  for (guint i = 0; i < LINE_N_LOSSES; i++)
    sum->counts.losses[i] += lane->counts.losses[i];
  line_looks_report_sum (&sum->looks, &lane->looks);
}

void
line_report_sum (const LineReport * report, LineLaneReport * sum)
{
  memset (sum, 0, sizeof (*sum));
  sum->outlets = new_tally ();
  for (guint i = 0; i < report->n_lanes; i++)
    add_lane (sum, &report->lanes[i]);
}

gboolean
line_report_is_whole (const LineReport * report)
{
  gboolean is_whole = TRUE;

  for (guint i = 0; i < report->n_lanes; i++) {
    const LineCounts *counts = &report->lanes[i].counts;

    is_whole = is_whole && counts->triggers
        * report->lanes[i].looks.n_views ==
        counts->in_time + counts->late + line_counts_get_lost (counts);
  }
  return is_whole;
}

gboolean
line_report_adds_up (LineReport * report)
{
  LINE_LOCK (&report->lock);

  return line_report_is_whole (report);
}

guint64
line_report_get_pieces (LineReport * report)
{
  guint64 pieces = 0;
  LINE_LOCK (&report->lock);

  for (guint i = 0; i < report->n_lanes; i++)
    pieces += report->lanes[i].pieces;
  return pieces;
}

guint64
line_report_get_lane_pieces (LineReport * report, guint lane)
{
  LINE_LOCK (&report->lock);

  return report->lanes[lane].pieces;
}
