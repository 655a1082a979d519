/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "report_seen.h"

#include <math.h>

#include "publish/json.h"

#define N G_GUINT64_FORMAT

/* To be freed. @time: of the clock, in nanoseconds */
static char *
format_time (gint64 time)
{
  g_autoptr (GDateTime) date =
      g_date_time_new_from_unix_utc (time / 1000000000);

  return g_date_time_format (date, "%Y-%m-%dT%H:%M:%SZ");
}

/* JSON */

static json_t *
make_view (const LineViewReport * view)
{
  g_autofree char *since =
      view->dark_since ? format_time (view->dark_since) : NULL;

  return json_pack ("{s:I, s:I, s:I, s:s?}",
      "fruit", (json_int_t) view->fruit, "none", (json_int_t) view->none,
      "lost", (json_int_t) view->lost, "dark_since", since);
}

static json_t *
make_shown (const LineLooksReport * looks)
{
  json_t *shown = json_object ();

  for (guint i = 0; i < G_N_ELEMENTS (looks->shown); i++) {
    char name[12];

    g_snprintf (name, sizeof (name), "%u", i);
    if (looks->shown[i] > 0)
      set_count (shown, name, looks->shown[i]);
  }
  return shown;
}

static json_t *
make_coverage (const LineLooksReport * looks)
{
  json_t *bounds = json_array (), *pieces = json_array ();

  for (guint i = 0; i < LINE_N_SHARES; i++)
    json_array_append_new (bounds, json_real (line_share_bounds[i]));
  for (guint i = 0; i < G_N_ELEMENTS (looks->shares); i++)
    json_array_append_new (pieces,
        json_integer ((json_int_t) looks->shares[i]));
  return json_pack ("{s:o, s:o}", "bounds", bounds, "pieces", pieces);
}

static json_t *
make_classes (const LineReport * report, const LineLooksReport * looks)
{
  const LineRecipe *recipe = report->recipe;
  json_t *classes = json_object ();

  for (guint i = 0; recipe && i < recipe->n_defects; i++)
    json_object_set_new (classes, recipe->classes[recipe->defects[i]],
        json_pack ("{s:I, s:f}",
            "pieces", (json_int_t) looks->class_pieces[i],
            "mm2", round (looks->class_mm2[i] * 100) / 100));
  return classes;
}

static gdouble
get_mean_diameter (const LineLooksReport * looks)
{
  return looks->diameters ? looks->diameter_sum / looks->diameters : 0;
}

json_t *
line_report_seen_to_json (const LineReport * report,
    const LineLooksReport * looks)
{
  json_t *mean = looks->diameters ?
      json_real (round (get_mean_diameter (looks) * 100) / 100) : json_null ();
  json_t *views = json_array (), *doubts = json_object ();

  for (guint v = 0; v < looks->n_views; v++)
    json_array_append_new (views, make_view (&looks->views[v]));
  for (guint i = 0; i < LINE_N_DOUBTS; i++)
    set_count (doubts, line_doubt_names[i], looks->doubts[i]);
  return json_pack ("{s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:I, s:I}",
      "views", views, "doubts", doubts,
      "looks_with_fruit", make_shown (looks),
      "coverage", make_coverage (looks),
      "pieces", (json_int_t) looks->diameters, "mean_diameter_mm", mean,
      "classes", make_classes (report, looks),
      "inconsistent", (json_int_t) looks->inconsistent,
      "turn_measured", (json_int_t) looks->turned);
}

/* Text */

static void
append_dark (const LineReport * report, GString * text)
{
  for (guint i = 0; i < report->n_lanes; i++)
    for (guint v = 0; v < report->lanes[i].looks.n_views; v++) {
      const LineViewReport *view = &report->lanes[i].looks.views[v];

      if (!view->dark_since)
        continue;
      g_autofree char *since = format_time (view->dark_since);
      g_string_append_printf (text, "%s: VIEW %u IS DARK since %s: it shows no "
          "fruit that other views show; look at its lamp, its lens and its "
          "aim\n", report->lane_names[i], v, since);
    }
}

/* Of pieces, those above one of the bounds. */
static gdouble
get_share_above (const LineLooksReport * looks, gdouble bound)
{
  guint64 n = 0;

  for (guint i = 0; i < LINE_N_SHARES; i++)
    if (line_share_bounds[i] >= bound)
      n += looks->shares[i + 1];
  return (gdouble) n / line_looks_report_count_shares (looks);
}

void
line_report_seen_to_text (const LineReport * report,
    const LineLooksReport * sum, GString * text)
{
  guint64 fruit = 0, none = 0, lost = 0;

  for (guint v = 0; v < sum->n_views; v++) {
    fruit += sum->views[v].fruit;
    none += sum->views[v].none;
    lost += sum->views[v].lost;
  }
  g_string_append_printf (text, "\nseen: fruit in %" N " looks, none in %" N
      " looks of the same pieces; %" N " looks lost\n", fruit, none, lost);
  if (sum->diameters > 0)
    g_string_append_printf (text, "mean diameter of %" N " pieces: %.2f mm; "
        "rotation measured: %" N "; contradicted by looks: %" N "\n",
        sum->diameters, get_mean_diameter (sum), sum->turned,
        sum->inconsistent);
  if (line_looks_report_count_shares (sum) > 0)
    g_string_append_printf (text, "more than 95 %% of what the lane can see of "
        "a piece was seen of %.2f %% of the pieces\n",
        100 * get_share_above (sum, 0.95));
  guint n = 0;
  for (guint i = 0; i < LINE_N_DOUBTS; i++)
    if (sum->doubts[i] > 0)
      g_string_append_printf (text, "%s%s: %" N, n++ ? ", " : "doubts, in "
          "pieces: ", line_doubt_names[i], sum->doubts[i]);
  if (n > 0)
    g_string_append_c (text, '\n');
  append_dark (report, text);
}
