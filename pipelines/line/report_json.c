/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "process.h"
#include "report_cameras.h"
#include "report_seen.h"

#include <math.h>
#include <stdlib.h>

#include "publish/clock.h"
#include "publish/json.h"

/* With so many decimals. */
static void
set_number (json_t * object, const char *name, gdouble value, gdouble decimals)
{
  const gdouble scale = pow (10, decimals);

  json_object_set_new (object, name, json_real (round (value * scale) / scale));
}

static void
set_time (json_t * object, const char *name, gint64 microseconds)
{
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_utc (microseconds
      / G_USEC_PER_SEC);
  g_autofree char *text = g_date_time_format (time, "%Y-%m-%dT%H:%M:%SZ");

  json_object_set_new (object, name, json_string (text));
}

static json_t *
make_lane (const LineReport * report, const LineLaneReport * lane)
{
  json_t *object = json_object (), *outlets = json_object ();
  json_t *statuses = json_object (), *frames = json_object ();
  json_t *losses = json_object ();

  for (guint i = 0; i < lane->outlets->len; i++) {
    const LineTally *one = &g_array_index (lane->outlets, LineTally, i);
    char name[12];

    g_snprintf (name, sizeof (name), "%u", one->outlet);
    set_count (outlets, name, one->n);
  }
  for (guint i = 0; i < G_N_ELEMENTS (lane->statuses); i++)
    set_count (statuses, line_status_names[i], lane->statuses[i]);
  set_count (frames, "in_time", lane->counts.in_time);
  set_count (frames, "late", lane->counts.late);
  set_count (frames, "lost", line_counts_get_lost (&lane->counts));
  set_count (frames, "refused", lane->counts.refused);
  for (guint i = 0; i < LINE_N_LOSSES; i++)
    set_count (losses, line_loss_names[i], lane->counts.losses[i]);
  set_count (object, "pieces", lane->pieces);
  set_count (object, "empty", lane->empty);
  set_count (object, "triggers", lane->counts.triggers);
  json_object_set_new (object, "outlets", outlets);
  json_object_set_new (object, "statuses", statuses);
  json_object_set_new (object, "frames", frames);
  json_object_set_new (object, "losses", losses);
  json_object_set_new (object, "seen", line_report_seen_to_json (report,
          &lane->looks));
  return object;
}

static json_t *
make_latencies (const LineReport * report)
{
  json_t *all = json_object ();

  for (guint i = 0; i < LINE_N_LATENCIES; i++) {
    const LineHistogram *histogram = report->latencies[i];
    json_t *one = json_object ();

    set_number (one, "p50", line_histogram_get_quantile (histogram, 0.5), 0);
    set_number (one, "p90", line_histogram_get_quantile (histogram, 0.9), 0);
    set_number (one, "p99", line_histogram_get_quantile (histogram, 0.99), 0);
    set_number (one, "max", line_histogram_get_max (histogram), 0);
    json_object_set_new (all, line_latency_names[i], one);
  }
  return all;
}

/* How many decisions took longer than the bound before, and not longer than
 * this one; the last ones are all others. */
static json_t *
make_histogram (const LineHistogram * histogram)
{
  json_t *bounds = json_array (), *counts = json_array ();
  json_t *object = json_object ();
  guint64 last = 0;

  for (guint i = 0; i < LINE_N_BOUNDS; i++) {
    const guint64 n =
        line_histogram_get_below (histogram, line_latency_bounds[i]);

    json_array_append_new (bounds, json_real (line_latency_bounds[i] / 1e3));
    json_array_append_new (counts, json_integer ((json_int_t) (n - last)));
    last = n;
  }
  json_array_append_new (counts, json_integer ((json_int_t)
          (line_histogram_get_count (histogram) - last)));
  json_object_set_new (object, "bounds_ms", bounds);
  json_object_set_new (object, "pieces", counts);
  return object;
}

static json_t *
make_error (const LineHistogram * histogram)
{
  json_t *error = json_object ();

  set_number (error, "p99",
      line_histogram_get_quantile (histogram, 0.99) / 1e6, 5);
  set_number (error, "max", line_histogram_get_max (histogram) / 1e6, 5);
  return error;
}

static json_t *
make_pairs (const GArray * pairs)
{
  json_t *list = json_array ();

  for (guint i = 0; i < pairs->len; i++) {
    const LineTally *pair = &g_array_index (pairs, LineTally, i);
    json_t *one = json_object ();

    set_count (one, "expected", pair->expected);
    set_count (one, "outlet", pair->outlet);
    set_count (one, "pieces", pair->n);
    json_array_append_new (list, one);
  }
  return list;
}

static json_t *
make_truth (const LineTruthReport * truth)
{
  json_t *object = json_object (), *areas;

  set_count (object, "pieces", truth->pieces);
  set_count (object, "right", truth->right);
  set_number (object, "share", (gdouble) truth->right / truth->pieces, 5);
  json_object_set_new (object, "outlets", make_pairs (truth->pairs));
  set_count (object, "rotten", truth->rotten);
  set_count (object, "rotten_missed", truth->missed);
  json_object_set_new (object, "diameter_error", make_error (truth->diameters));
  areas = make_error (truth->area_errors);
  set_count (areas, "areas", truth->areas);
  set_count (areas, "within_10_percent", truth->near_areas);
  json_object_set_new (object, "area_error", areas);
  return object;
}

static json_t *
make_written (const LineWritten * written, const LineSpoolKept * kept)
{
  json_t *object = json_object ();

  set_count (object, "lines", written->lines);
  set_count (object, "lines_unwritten", written->lines_unwritten);
  set_count (object, "pictures", written->pictures);
  set_count (object, "pictures_dropped", written->pictures_dropped);
  set_count (object, "deleted_files", kept->deleted);
  set_count (object, "deleted_bytes", kept->deleted_bytes);
  return object;
}

/* The process and its heart. */
static json_t *
make_health (const LineReport * report)
{
  json_t *object = json_object ();
  LineProcess process;

  line_process_read (&process);
  set_number (object, "heartbeat_age_s", line_report_get_beat_age (report), 3);
  set_count (object, "events_waiting", report->health.events);
  set_count (object, "bytes_unsaved", report->health.unsaved);
  set_count (object, "resident_bytes", process.resident);
  set_count (object, "descriptors", process.descriptors);
  set_count (object, "threads", process.threads);
  set_number (object, "cpu_s", process.cpu_s, 3);
  return object;
}

/* @name: one more of those that lead to the outlet */
static void
add_name (json_t * outlets, guint outlet, const char *name)
{
  char key[12], *names;

  g_snprintf (key, sizeof (key), "%u", outlet);
  const char *before = json_string_value (json_object_get (outlets, key));
  names = before ? g_strconcat (before, ", ", name, NULL) : g_strdup (name);
  json_object_set_new (outlets, key, json_string (names));
  g_free (names);
}

/* That of the last decision, and what its outlets are for. */
static json_t *
make_recipe (const LineRecipe * recipe)
{
  json_t *object, *outlets;

  if (!recipe)
    return json_null ();
  object = json_object ();
  outlets = json_object ();
  json_object_set_new (object, "name", json_string (recipe->name));
  json_object_set_new (object, "hash", json_string (recipe->hash));
  add_name (outlets, recipe->empty_outlet, "empty");
  for (guint i = 0; i < recipe->rules->len; i++) {
    const LineRule *rule = &g_array_index (recipe->rules, LineRule, i);

    add_name (outlets, rule->outlet, rule->name);
  }
  add_name (outlets, recipe->undecided_outlet, "undecided");
  json_object_set_new (object, "outlets", outlets);
  return object;
}

static json_t *
make_report (const LineReport * report)
{
  const gint64 now = line_clock_now () / 1000;
  json_t *object = json_object (), *recipes = json_array ();
  json_t *lanes = json_object ();
  LineLaneReport sum;

  line_report_sum (report, &sum);
  json_object_set_new (object, "schema", json_string ("fruit-line-report/1"));
  json_object_set_new (object, "line", json_string (report->line));
  json_object_set_new (object, "software", json_string (PACKAGE_VERSION));
  json_object_set_new (object, "simulated",
      json_boolean (report->is_simulated));
  for (guint i = 0; i < report->recipes->len; i++)
    json_array_append_new (recipes,
        json_string (g_ptr_array_index (report->recipes, i)));
  json_object_set_new (object, "recipes", recipes);
  json_object_set_new (object, "recipe", make_recipe (report->recipe));
  set_count (object, "deadline_ms", report->deadline_ms);
  set_time (object, "begin", report->begin);
  set_time (object, "end", now);
  set_number (object, "seconds", (now - report->begin) / 1e6, 3);
  set_count (object, "views", sum.looks.n_views);
  json_object_set_new (object, "adds_up",
      json_boolean (line_report_is_whole (report)));
  json_object_set_new (object, "total", make_lane (report, &sum));
  for (guint i = 0; i < report->n_lanes; i++)
    json_object_set_new (lanes, report->lane_names[i],
        make_lane (report, &report->lanes[i]));
  json_object_set_new (object, "lanes", lanes);
  json_object_set_new (object, "cameras", line_report_cameras_to_json (report));
  json_object_set_new (object, "latency_us", make_latencies (report));
  json_object_set_new (object, "latency_histogram",
      make_histogram (report->latencies[LINE_LATENCY_ALL]));
  json_object_set_new (object, "plc", line_plc_report_to_json (&report->plc));
  json_object_set_new (object, "written", make_written (&report->written,
          &report->kept));
  json_object_set_new (object, "health", make_health (report));
  json_object_set_new (object, "truth", report->truth.pieces > 0 ?
      make_truth (&report->truth) : json_null ());
  line_lane_report_clear (&sum);
  return object;
}

char *
line_report_to_json (LineReport * report)
{
  g_autoptr (LineReport) copy = line_report_copy (report);
  json_auto_t *object = make_report (copy);
  char *encoded =
      json_dumps (object, JSON_INDENT (2) | JSON_REAL_PRECISION (9));
  char *text = g_strconcat (encoded ? encoded : "null", "\n", NULL);

  free (encoded);
  return text;
}
