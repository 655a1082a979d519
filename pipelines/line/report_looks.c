/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "report_looks.h"

const gdouble line_share_bounds[LINE_N_SHARES] =
    { 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1 };

static guint
count_there (const LineDecision * decision, guint view)
{
  const LineGeometry *geometry = decision->geometry;
  guint n = 0;

  for (guint c = 0; c < geometry->cups; c++)
    n += decision->piece->looks[c * geometry->views + view].data != NULL;
  return n;
}

/* Of a piece that some view shows */
static void
look_for_dark (LineViewReport * view, guint bit, gboolean is_shown,
    gboolean is_there, gint64 time, LineDarkness * darkness)
{
  if (is_shown) {
    darkness->ended |= view->dark_since ? bit : 0;
    view->unseen = 0;
    view->has_looks = FALSE;
    view->dark_since = 0;
    return;
  }
  if (view->unseen++ == 0)
    view->unseen_since = time;
  view->has_looks |= is_there;
  if (view->unseen == LINE_DARK_PIECES) {
    view->dark_since = view->unseen_since;
    darkness->begun |= bit;
    darkness->lost |= view->has_looks ? 0 : bit;
  }
}

static void
add_views (LineLooksReport * looks, const LineDecision * decision,
    LineDarkness * darkness)
{
  for (guint v = 0; v < decision->geometry->views; v++) {
    LineViewReport *view = &looks->views[v];
    const guint n_there = count_there (decision, v);
    const LineGeometry *geometry = decision->geometry;
    guint n_shown = 0;
    for (guint c = 0; c < geometry->cups; c++)
      n_shown += decision->measures->is_shown[c * geometry->views + v];

    view->lost += decision->geometry->cups - n_there;
    if (decision->measures->is_empty)
      continue;
    view->fruit += n_shown;
    view->none += n_there - n_shown;
    look_for_dark (view, 1u << v, n_shown > 0, n_there > 0,
        decision->piece->trigger_time, darkness);
  }
}

static void
add_share (LineLooksReport * looks, gdouble share)
{
  guint bin = 0;

  while (bin < LINE_N_SHARES && share > line_share_bounds[bin])
    bin++;
  looks->shares[bin]++;
  looks->share_sum += share;
}

/* Of a piece that was seen and measured. */
static void
add_measures (LineLooksReport * looks, const LineDecision * decision)
{
  const LineMeasures *measures = decision->measures;

  looks->shown[MIN (measures->n_shown, LINE_MAX_LOOKS)]++;
  looks->diameters++;
  looks->diameter_sum += measures->diameter;
  if (measures->most_coverage > 0)
    add_share (looks, MIN (measures->coverage / measures->most_coverage, 1));
  looks->inconsistent += measures->is_inconsistent;
  looks->turned += measures->is_turn_measured;
  for (guint i = 0; i < decision->recipe->n_defects; i++) {
    looks->class_pieces[i] += measures->figures[i].count > 0;
    looks->class_mm2[i] += measures->figures[i].mm2;
  }
}

void
line_looks_report_add (LineLooksReport * looks, const LineDecision * decision,
    LineDarkness * darkness)
{
  *darkness = (LineDarkness) { 0 };
  add_views (looks, decision, darkness);
  for (guint i = 0; i < LINE_N_DOUBTS; i++)
    looks->doubts[i] += decision->outcome->doubts >> i & 1;
  /* an empty or undecided piece has no diameter */
  if (decision->measures->diameter > 0)
    add_measures (looks, decision);
}

void
line_darkness_print (const LineDarkness * darkness, const char *lane)
{
  for (guint v = 0; v < LINE_MAX_VIEWS; v++) {
    if (darkness->lost >> v & 1)
      g_printerr ("%s: view %u has been lost in %d pieces that other views "
          "show: look at its camera and cable, and at the reasons why frames "
          "are lost\n", lane, v, LINE_DARK_PIECES);
    else if (darkness->begun >> v & 1)
      g_printerr ("%s: view %u has shown no fruit in %d pieces that other views "
          "show: look at its lamp, its lens and its aim\n", lane, v,
          LINE_DARK_PIECES);
    if (darkness->ended >> v & 1)
      g_printerr ("%s: view %u shows fruit again\n", lane, v);
  }
}

void
line_looks_report_sum (LineLooksReport * sum, const LineLooksReport * looks)
{
  sum->n_views = MAX (sum->n_views, looks->n_views);
  for (guint i = 0; i < LINE_MAX_VIEWS; i++) {
    sum->views[i].fruit += looks->views[i].fruit;
    sum->views[i].none += looks->views[i].none;
    sum->views[i].lost += looks->views[i].lost;
    if (looks->views[i].dark_since && (!sum->views[i].dark_since
            || looks->views[i].dark_since < sum->views[i].dark_since))
      sum->views[i].dark_since = looks->views[i].dark_since;
  }
  for (guint i = 0; i < LINE_N_DOUBTS; i++)
    sum->doubts[i] += looks->doubts[i];
  for (guint i = 0; i < G_N_ELEMENTS (sum->shown); i++)
    sum->shown[i] += looks->shown[i];
  for (guint i = 0; i < G_N_ELEMENTS (sum->shares); i++)
    sum->shares[i] += looks->shares[i];
  for (guint i = 0; i < LINE_MAX_CLASSES; i++) {
    sum->class_pieces[i] += looks->class_pieces[i];
    sum->class_mm2[i] += looks->class_mm2[i];
  }
  sum->share_sum += looks->share_sum;
  sum->diameters += looks->diameters;
  sum->diameter_sum += looks->diameter_sum;
  sum->inconsistent += looks->inconsistent;
  sum->turned += looks->turned;
}

guint64
line_looks_report_count_shares (const LineLooksReport * looks)
{
  guint64 n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (looks->shares); i++)
    n += looks->shares[i];
  return n;
}
