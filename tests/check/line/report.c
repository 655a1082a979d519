/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The report of made-up decisions, against figures made by hand */

#include <string.h>

#include <jansson.h>

#include "checks.h"
#include "publish/clock.h"
#include "report.h"
#include "report_looks.h"
#include "truth.h"

static const char line_text[] =
    "[line]\nname=line1\nrecipe=r\noutput=o\ndeadline-ms=50\n"
    "[geometry]\ncolumns=511\nrows=95\nmm-per-pixel=0.8\ncups=5\n"
    "cup-first=51\ncup-pitch=102\ntilt=-45;-15;15;45\n"
    "[lane a]\nsource=simulate\n[lane b]\nsource=simulate\n";

static char *recipe_text;

typedef struct
{
  LineConfig *config;
  LineRecipe *recipe;
  LineReport *report;
} Fixture;

static void
set_up_text (Fixture * fixture, const char *text)
{
  GError *error = NULL;

  fixture->config =
      line_config_parse ("line.ini", text, strlen (text), &error);
  g_assert_no_error (error);
  fixture->recipe = line_recipe_parse ("recipe.ini", recipe_text,
      strlen (recipe_text), &error);
  g_assert_no_error (error);
  fixture->report = line_report_new (fixture->config);
}

static void
set_up (Fixture * fixture)
{
  set_up_text (fixture, line_text);
}

static void
tear_down (Fixture * fixture)
{
  line_report_free (fixture->report);
  line_recipe_unref (fixture->recipe);
  line_config_free (fixture->config);
}

static json_t *
get_json (Fixture * fixture)
{
  g_autofree char *text = line_report_to_json (fixture->report);
  json_t *json = json_loads (text, 0, NULL);

  g_assert_nonnull (json);
  return json;
}

/* The integer or real at a path such as "total.frames.late". */
static gdouble
get (json_t * json, const char *path)
{
  char **names = g_strsplit (path, ".", -1);

  for (guint i = 0; names[i]; i++)
    json = json_object_get (json, names[i]);
  g_strfreev (names);
  g_assert_true (json_is_number (json));
  return json_number_value (json);
}

static void
add (Fixture * fixture, guint lane, guint outlet, LineStatus status,
    gint64 latency, const LineMeasures * measures, const LineTruth * truth)
{
  LinePiece piece = {.n_looks = 20 };
  LineOutcome outcome = {.outlet = outlet,.status = status,
    .is_empty = measures->is_empty && status == LINE_STATUS_OK
  };
  LineDecision decision = {.recipe = fixture->recipe,.piece = &piece,
    .geometry = line_config_get_lane (fixture->config, 0)->geometry,.measures = measures,
    .outcome = &outcome,.to_tensor = latency,.to_shapes = 2 * latency,
    .to_decision = 3 * latency,.is_simulated = truth != NULL
  };

  line_report_decision (fixture->report, lane, &decision, truth);
}

static void
check_metric (Fixture * fixture, const char *line)
{
  g_autofree char *text = line_report_to_metrics (fixture->report);
  g_autofree char *whole = g_strconcat ("\n", line, "\n", NULL);

  if (!strstr (text, whole))
    g_error ("%s is not in %s", line, text);
}

/* A lane's row: pieces, ok, partial, late, late and lost frames */
static void
check_row (const char *text, const char *lane, const guint expected[6])
{
  g_autofree char *begin = g_strdup_printf ("\n%s ", lane);
  guint n[6];

  g_assert_nonnull (strstr (text, begin));
  g_assert_cmpint (sscanf (strstr (text, begin) + strlen (begin),
          "%u %u %u %u %u %u", &n[0], &n[1], &n[2], &n[3], &n[4], &n[5]), ==, 6);
  for (guint i = 0; i < 6; i++)
    g_assert_cmpuint (n[i], ==, expected[i]);
}

/* 136 pieces of 6 ms, 6 of 30 ms */
static void
check_latencies (Fixture * fixture)
{
  static const char *const lines[] = {
    "fruit_line_decision_seconds_bucket{le=\"0.005\"} 0",
    "fruit_line_decision_seconds_bucket{le=\"0.01\"} 136",
    "fruit_line_decision_seconds_bucket{le=\"0.02\"} 136",
    "fruit_line_decision_seconds_bucket{le=\"0.05\"} 142",
    "fruit_line_decision_seconds_bucket{le=\"+Inf\"} 142",
    "fruit_line_decision_seconds_sum 0.996000",
    "fruit_line_decision_seconds_count 142",
    "fruit_line_frames_total{lane=\"a\",state=\"in_time\"} 373",
    "fruit_line_frames_total{lane=\"a\",state=\"late\"} 4",
    "fruit_line_frames_total{lane=\"a\",state=\"refused\"} 1",
    "fruit_line_frames_total{lane=\"b\",state=\"in_time\"} 189",
  };
  const guint pieces[] = { 0, 0, 0, 0, 136, 0, 6, 0, 0, 0, 0, 0 };
  json_auto_t *json = get_json (fixture);

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    check_metric (fixture, lines[i]);
  json_t *histogram = json_object_get (json, "latency_histogram");
  json_t *counts = json_object_get (histogram, "pieces");
  g_assert_cmpuint (json_array_size (counts), ==, G_N_ELEMENTS (pieces));
  for (guint i = 0; i < G_N_ELEMENTS (pieces); i++)
    g_assert_cmpint (json_integer_value (json_array_get (counts, i)), ==,
        pieces[i]);
  g_assert_cmpfloat (json_number_value (json_array_get (json_object_get
              (histogram, "bounds_ms"), 4)), ==, 10);
}

CHECK (counts)
{
  const LineCounts counts[] = {
    {.triggers = 100,.in_time = 373,.late = 4,.refused = 1,
        .losses = {1, 2, 3, 7, 5, 5}},
    /* one is in none of the counts */
    {.triggers = 50,.in_time = 189,.late = 0,.losses = {4, 0, 0, 6, 0, 0}},
  };
  const LineMeasures measures = {.diameter = 45,.surface = 6000 };
  const LineMeasures empty = {.is_empty = TRUE };
  Fixture fixture;

  set_up (&fixture);
  for (guint i = 0; i < 90; i++)
    add (&fixture, 0, 1, LINE_STATUS_OK, 1000, &measures, NULL);
  for (guint i = 0; i < 6; i++)
    add (&fixture, 0, 8, LINE_STATUS_PARTIAL, 5000, &measures, NULL);
  for (guint i = 0; i < 46; i++)
    add (&fixture, 1, i < 3 ? 0 : 2, LINE_STATUS_OK, 1000,
        i < 3 ? &empty : &measures, NULL);
  line_report_lane (fixture.report, 0, &counts[0]);
  g_assert_true (line_report_adds_up (fixture.report));
  line_report_lane (fixture.report, 1, &counts[1]);
  g_assert_false (line_report_adds_up (fixture.report));
  g_assert_cmpuint (line_report_get_pieces (fixture.report), ==, 142);

  json_auto_t *json = get_json (&fixture);
  g_assert_cmpfloat (get (json, "total.pieces"), ==, 142);
  g_assert_cmpfloat (get (json, "total.empty"), ==, 3);
  g_assert_cmpfloat (get (json, "total.outlets.1"), ==, 90);
  g_assert_cmpfloat (get (json, "total.outlets.8"), ==, 6);
  g_assert_cmpfloat (get (json, "lanes.b.outlets.0"), ==, 3);
  g_assert_cmpfloat (get (json, "lanes.b.outlets.2"), ==, 43);
  g_assert_cmpfloat (get (json, "lanes.a.statuses.partial"), ==, 6);
  g_assert_cmpfloat (get (json, "total.triggers"), ==, 150);
  g_assert_cmpfloat (get (json, "total.frames.in_time"), ==, 562);
  g_assert_cmpfloat (get (json, "lanes.a.frames.lost"), ==, 23);
  g_assert_cmpfloat (get (json, "total.frames.lost"), ==, 33);
  g_assert_cmpfloat (get (json, "total.frames.refused"), ==, 1);
  g_assert_cmpfloat (get (json, "total.losses.unfit"), ==, 5);
  g_assert_cmpfloat (get (json, "total.losses.slow"), ==, 3);
  g_assert_cmpfloat (get (json, "total.losses.missing"), ==, 13);
  g_assert_cmpfloat (get (json, "total.losses.incomplete"), ==, 5);
  g_assert_cmpfloat (get (json, "lanes.a.losses.stopped"), ==, 5);
  g_assert_true (json_is_false (json_object_get (json, "adds_up")));
  g_assert_true (json_is_null (json_object_get (json, "truth")));
  /* 136 of 142 are 1000, six 5000: p90 is of the former, p99 of the latter */
  g_assert_cmpfloat_with_epsilon (get (json,
          "latency_us.last_view_to_tensor.p90"), 1000, 11);
  g_assert_cmpfloat_with_epsilon (get (json,
          "latency_us.last_view_to_tensor.p99"), 5000, 51);
  g_assert_cmpfloat (get (json, "latency_us.last_view_to_decision.max"), ==,
      30000);
  g_assert_cmpfloat (get (json, "latency_us.last_tensor_to_decision.max"), ==,
      25000);
  g_autofree char *text = line_report_to_text (fixture.report);
  g_assert_nonnull (strstr (text, "DOES NOT ADD UP"));
  g_assert_null (strstr (text, "truth"));
  check_row (text, "a", (guint[]) {96, 90, 6, 0, 4, 23});
  check_row (text, "b", (guint[]) {46, 46, 0, 0, 0, 10});
  check_row (text, "all", (guint[]) {142, 136, 6, 0, 4, 33});
  g_assert_null (strstr (text, "decisions are missing"));
  check_metric (&fixture, "fruit_line_pieces_total{lane=\"a\",outlet=\"1\"} 90");
  check_metric (&fixture, "fruit_line_pieces_total{lane=\"a\",outlet=\"8\"} 6");
  check_metric (&fixture, "fruit_line_pieces_total{lane=\"b\",outlet=\"2\"} 43");
  check_latencies (&fixture);
  tear_down (&fixture);
}

/* Each figure of its own, so that none is another's. */
CHECK (written)
{
  static const char *const lines[] = {
    "fruit_line_info{line=\"a\\\\b\\\"c\\nd\",software=\"" PACKAGE_VERSION
        "\"} 1",
    "fruit_line_written_total{what=\"decision\"} 11",
    "fruit_line_written_total{what=\"picture\"} 13",
    "fruit_line_unwritten_total{what=\"decision\"} 12",
    "fruit_line_unwritten_total{what=\"picture\"} 14",
    "fruit_line_deleted_files_total 15",
    "fruit_line_deleted_bytes_total 16",
    "fruit_line_events_waiting 18",
    "fruit_line_unsaved_bytes 19",
    "fruit_line_queue_frames{lane=\"a\"} 0",
    "fruit_line_queue_frames{lane=\"b\"} 2",
  };
  Fixture fixture;

  set_up (&fixture);
  line_report_free (fixture.report);
  g_free (fixture.config->name);
  fixture.config->name = g_strdup ("a\\b\"c\nd");
  fixture.report = line_report_new (fixture.config);
  line_report_written (fixture.report, &(LineWritten) {11, 12, 13, 14});
  line_report_kept (fixture.report, &(LineSpoolKept) {15, 16, 17, FALSE});
  line_report_health (fixture.report, &(LineHealth) {0, 18, 19});
  line_report_queue (fixture.report, 1, 2);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    check_metric (&fixture, lines[i]);
  json_auto_t *json = get_json (&fixture);
  g_assert_cmpfloat (get (json, "written.lines"), ==, 11);
  g_assert_cmpfloat (get (json, "written.lines_unwritten"), ==, 12);
  g_assert_cmpfloat (get (json, "written.pictures"), ==, 13);
  g_assert_cmpfloat (get (json, "written.pictures_dropped"), ==, 14);
  g_assert_cmpfloat (get (json, "written.deleted_files"), ==, 15);
  g_assert_cmpfloat (get (json, "written.deleted_bytes"), ==, 16);
  g_assert_cmpfloat (get (json, "health.events_waiting"), ==, 18);
  g_assert_cmpfloat (get (json, "health.bytes_unsaved"), ==, 19);
  g_autofree char *text = line_report_to_text (fixture.report);
  g_assert_nonnull (strstr (text, "decisions are missing in decisions.jsonl"));
  /* of no pieces there is no mean, and there are no shares */
  g_assert_nonnull (strstr (text, "\nseen: fruit in 0 looks"));
  g_assert_null (strstr (text, "was seen of"));
  g_assert_null (strstr (text, "mean diameter"));
  tear_down (&fixture);
}

/* A hundred pieces of 1 to 100 ms to their tensors: each quantile is its own
 * figure, in JSON and in the text. */
CHECK (quantiles)
{
  static const char *const names[] = { "p50", "p90", "p99", "max" };
  static const gdouble ms[] = { 50, 90, 99, 100 };
  const LineMeasures measures = {.diameter = 45,.surface = 6000 };
  gdouble found[4];
  Fixture fixture;

  set_up (&fixture);
  for (guint i = 1; i <= 100; i++)
    add (&fixture, 0, 1, LINE_STATUS_OK, 1000 * i, &measures, NULL);
  json_auto_t *json = get_json (&fixture);
  g_autofree char *text = line_report_to_text (fixture.report);
  g_assert_cmpint (sscanf (strstr (text, "trigger to tensor") + 17,
          "%lf %lf %lf %lf", &found[0], &found[1], &found[2], &found[3]), ==, 4);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    char *path = g_strdup_printf ("latency_us.last_view_to_tensor.%s", names[i]);

    g_assert_cmpfloat_with_epsilon (get (json, path), 1000 * ms[i], 15 * ms[i]);
    g_assert_cmpfloat_with_epsilon (found[i], ms[i], .015 * ms[i]);
    g_free (path);
  }
  tear_down (&fixture);
}

/* Which recipe decides, and what outlets are for: each rule that leads there. */
CHECK (names)
{
  static const char text[] =
      "[recipe]\nname=plum\nclasses=belt;skin;rot\nfruit=skin;rot\n"
      "defects=rot\nundecided-outlet=8\n[limits few]\nrot-mm2=10\n"
      "[rule good]\noutlet=1\nlimits=few\n[rule in-time]\noutlet=1\n"
      "status=ok\n[rule rest]\noutlet=8\n";
  const LineMeasures measures = {.diameter = 45,.surface = 6000 };
  GError *error = NULL;
  Fixture fixture;

  set_up (&fixture);
  json_auto_t *json = get_json (&fixture);
  g_assert_true (json_is_null (json_object_get (json, "recipe")));
  g_assert_cmpfloat (get (json, "deadline_ms"), ==, 50);
  json_decref (json);
  add (&fixture, 0, 1, LINE_STATUS_OK, 1000, &measures, NULL);
  line_recipe_unref (fixture.recipe);
  fixture.recipe = line_recipe_parse ("r.ini", text, strlen (text), &error);
  g_assert_no_error (error);
  add (&fixture, 0, 1, LINE_STATUS_OK, 1000, &measures, NULL);
  json = get_json (&fixture);
  json_t *recipe = json_object_get (json, "recipe");
  g_assert_cmpstr (json_string_value (json_object_get (recipe, "name")), ==,
      "plum");
  g_assert_cmpstr (json_string_value (json_object_get (recipe, "hash")), ==,
      fixture.recipe->hash);
  json_auto_t *outlets = json_pack ("{s:s,s:s,s:s}", "0", "empty", "1",
      "good, in-time", "8", "rest, undecided");
  g_assert_true (json_equal (json_object_get (recipe, "outlets"), outlets));
  g_assert_cmpuint (json_array_size (json_object_get (json, "recipes")), ==, 2);
  tear_down (&fixture);
}

/* One frame too many of one lane is not one too few of another. */
CHECK (sums)
{
  LineCounts counts[] = {
    {.triggers = 10,.in_time = 40,.losses[LINE_LOSS_STOPPED] = 1},
    {.triggers = 10,.in_time = 33,.late = 1,.losses = {
            [LINE_LOSS_STOPPED] = 1,[LINE_LOSS_NOT_FINITE] = 1,
            [LINE_LOSS_OUT_OF_RANGE] = 1,[LINE_LOSS_SUM] = 1,
            [LINE_LOSS_CONSTANT] = 1}},
  };
  Fixture fixture;

  set_up (&fixture);
  line_report_lane (fixture.report, 0, &counts[0]);
  line_report_lane (fixture.report, 1, &counts[1]);
  g_assert_false (line_report_adds_up (fixture.report));
  json_auto_t *json = get_json (&fixture);
  g_assert_true (json_is_false (json_object_get (json, "adds_up")));
  json_decref (json);
  counts[0].in_time--;
  line_report_lane (fixture.report, 0, &counts[0]);
  g_assert_false (line_report_adds_up (fixture.report));
  counts[1].losses[LINE_LOSS_UNFIT]++;
  line_report_lane (fixture.report, 1, &counts[1]);
  g_assert_true (line_report_adds_up (fixture.report));
  json = get_json (&fixture);
  g_assert_true (json_is_true (json_object_get (json, "adds_up")));
  g_assert_cmpfloat (get (json, "total.frames.lost"), ==, 7);
  g_assert_cmpfloat (get (json, "total.losses.not-finite"), ==, 1);
  g_assert_cmpfloat (get (json, "lanes.b.losses.out-of-range"), ==, 1);
  g_assert_cmpfloat (get (json, "lanes.b.losses.sum"), ==, 1);
  g_assert_cmpfloat (get (json, "lanes.a.losses.constant"), ==, 0);
  g_autofree char *text = line_report_to_text (fixture.report);
  g_assert_null (strstr (text, "DOES NOT ADD UP"));
  g_assert_nonnull (strstr (text, "  1 were no good tensors"));
  g_assert_nonnull (strstr (text, "  1 had values that are not finite"));
  g_assert_nonnull (strstr (text, "say exclusive=false in [recipe]\n"));
  g_assert_nonnull (strstr (text, "  2 were not looked at any more when the line "
          "was stopped: nothing is to be done\n"));
  g_free (text);
  text = line_report_to_metrics (fixture.report);
  g_assert_nonnull (strstr (text,
          "fruit_line_frames_total{lane=\"b\",state=\"lost\"} 6\n"));
  g_assert_nonnull (strstr (text,
          "fruit_line_losses_total{lane=\"a\",reason=\"stopped\"} 1\n"));
  g_assert_nonnull (strstr (text,
          "fruit_line_losses_total{lane=\"b\",reason=\"unfit\"} 1\n"));
  g_assert_nonnull (strstr (text,
          "fruit_line_losses_total{lane=\"b\",reason=\"not-finite\"} 1\n"));
  tear_down (&fixture);
}

CHECK (cameras)
{
  const gint64 now = line_clock_now ();
  const LineCameraHealth cameras[] = {
    {"10.0.0.1", TRUE, now - 90000000000, now - 500000000, 7, 1, 2, 3, 5, 6, 4},
    {"10.0.0.2", FALSE, now - 2000000000, 0, 0, 0, 10, 0, 0, 0, 0},
  };
  Fixture fixture;

  set_up (&fixture);
  g_autofree char *text = line_report_to_metrics (fixture.report);
  g_assert_null (strstr (text, "camera"));
  g_free (text);
  line_report_cameras (fixture.report, 1, cameras, 2);
  json_auto_t *json = get_json (&fixture);
  json_t *list = json_object_get (json, "cameras");
  g_assert_cmpuint (json_array_size (list), ==, 2);
  json_t *one = json_array_get (list, 0);
  g_assert_cmpstr (json_string_value (json_object_get (one, "lane")), ==, "b");
  g_assert_cmpstr (json_string_value (json_object_get (one, "camera")), ==,
      "10.0.0.1");
  g_assert_cmpstr (json_string_value (json_object_get (one, "state")), ==,
      "running");
  g_assert_cmpfloat (get (one, "state_s"), >=, 90);
  g_assert_cmpfloat (get (one, "last_frame_s"), >=, 0.5);
  g_assert_cmpfloat (get (one, "frames"), ==, 7);
  g_assert_cmpfloat (get (one, "incomplete"), ==, 1);
  g_assert_cmpfloat (get (one, "missing"), ==, 2);
  g_assert_cmpfloat (get (one, "strays"), ==, 3);
  g_assert_cmpfloat (get (one, "spikes"), ==, 5);
  g_assert_cmpfloat (get (one, "missed"), ==, 6);
  g_assert_cmpfloat (get (one, "reconnects"), ==, 4);
  one = json_array_get (list, 1);
  g_assert_cmpfloat (get (one, "view"), ==, 1);
  g_assert_cmpstr (json_string_value (json_object_get (one, "state")), ==,
      "gone");
  g_assert_true (json_is_null (json_object_get (one, "last_frame_s")));
  text = line_report_to_metrics (fixture.report);
  g_assert_nonnull (strstr (text,
          "fruit_line_camera_running{lane=\"b\",view=\"1\"} 0\n"));
  g_assert_nonnull (strstr (text, "fruit_line_camera_frames_total{lane=\"b\","
          "view=\"0\",state=\"strays\"} 3\n"));
  g_assert_nonnull (strstr (text,
          "fruit_line_camera_spikes_total{lane=\"b\",view=\"0\"} 5\n"));
  g_assert_nonnull (strstr (text,
          "fruit_line_camera_missed_total{lane=\"b\",view=\"0\"} 6\n"));
  g_free (text);
  text = line_report_to_text (fixture.report);
  g_assert_nonnull (strstr (text, "10.0.0.2"));
  tear_down (&fixture);
}

/* Of shipped recipe: 45 mm without marks is for outlet 1, with 30 mm2 of rot for
 * 8, with 50 mm2 of bruise for 2. */
static const LineTruth sound = {.present = TRUE,.diameter_mm = 45,
  .surface_mm2 = 6362
}, rotten = {.present = TRUE,.diameter_mm = 45,.surface_mm2 = 6362,
  .area_mm2[LINE_CLASS_ROT] = 30,.count[LINE_CLASS_ROT] = 1,
  .max_length_mm[LINE_CLASS_ROT] = 6,.max_visible_mm2[LINE_CLASS_ROT] = 29
}, bruised = {.present = TRUE,.diameter_mm = 45,.surface_mm2 = 6362,
  .area_mm2[LINE_CLASS_BRUISE] = 50,.count[LINE_CLASS_BRUISE] = 1,
  .max_length_mm[LINE_CLASS_BRUISE] = 8
}, nothing;

CHECK (expected)
{
  Fixture fixture;
  LineExpected expected;

  set_up (&fixture);
  line_expect (fixture.recipe, &sound, &expected);
  g_assert_cmpuint (expected.outlet, ==, 1);
  line_expect (fixture.recipe, &rotten, &expected);
  g_assert_cmpuint (expected.outlet, ==, 8);
  g_assert_cmpuint (expected.outlet_without_rot, ==, 1);
  line_expect (fixture.recipe, &bruised, &expected);
  g_assert_cmpuint (expected.outlet, ==, 2);
  line_expect (fixture.recipe, &nothing, &expected);
  g_assert_cmpuint (expected.outlet, ==, 0);
  tear_down (&fixture);
}

CHECK (truth)
{
  LineMeasures measures = {.diameter = 45.45,.surface = 6489 };
  const LineMeasures empty = {.is_empty = TRUE };
  Fixture fixture;

  set_up (&fixture);
  for (guint i = 0; i < 6; i++)
    add (&fixture, 0, 1, LINE_STATUS_OK, 1000, &measures, &sound);
  /* one rotten piece passes; one goes elsewhere, but does not pass */
  measures.figures[1].mm2 = 33.6;
  add (&fixture, 0, 8, LINE_STATUS_OK, 1000, &measures, &rotten);
  measures.figures[1].mm2 = 31.5;
  add (&fixture, 0, 1, LINE_STATUS_OK, 1000, &measures, &rotten);
  add (&fixture, 0, 9, LINE_STATUS_UNDECIDED, 1000, &empty, &rotten);
  add (&fixture, 1, 0, LINE_STATUS_OK, 1000, &empty, &nothing);
  json_auto_t *json = get_json (&fixture);
  g_assert_cmpfloat (get (json, "truth.pieces"), ==, 10);
  g_assert_cmpfloat (get (json, "truth.right"), ==, 8);
  g_assert_cmpfloat (get (json, "truth.share"), ==, 0.8);
  g_assert_cmpfloat (get (json, "truth.rotten"), ==, 3);
  g_assert_cmpfloat (get (json, "truth.rotten_missed"), ==, 1);
  /* 45.45 for 45, and 33.6 and 31.5 for 30 */
  g_assert_cmpfloat_with_epsilon (get (json, "truth.diameter_error.max"), 0.01,
      1e-5);
  g_assert_cmpfloat_with_epsilon (get (json, "truth.area_error.max"), 0.12,
      1e-5);
  g_assert_cmpfloat (get (json, "truth.area_error.areas"), ==, 2);
  g_assert_cmpfloat (get (json, "truth.area_error.within_10_percent"), ==, 1);
  /* in order: (0, 0), (1, 1), (8, 1), (8, 8), (8, 9) */
  json_t *pairs = json_object_get (json_object_get (json, "truth"), "outlets");
  g_assert_cmpuint (json_array_size (pairs), ==, 5);
  json_t *pair = json_array_get (pairs, 2);
  g_assert_cmpfloat (get (pair, "expected"), ==, 8);
  g_assert_cmpfloat (get (pair, "outlet"), ==, 1);
  g_assert_cmpfloat (get (pair, "pieces"), ==, 1);
  g_autofree char *text = line_report_to_text (fixture.report);
  g_assert_nonnull (strstr (text, "8 of 10 pieces"));
  g_assert_nonnull (strstr (text, "passed as sound: 1"));
  g_free (text);
  text = line_report_to_line (fixture.report);
  g_assert_nonnull (strstr (text, "10 pieces; outlets 0: 1, 1: 7, 8: 1, 9: 1"));
  tear_down (&fixture);
}

#define VIEWS 4
#define CUPS 5

/* What each view's five looks show of a piece: f fruit, n none, x lost. */
static void
see (Fixture * fixture, guint lane, LineDecision * decision,
    LineMeasures * measures, const char *const *views)
{
  static int there;
  LinePiece piece = {.trigger_time = 1000000000
        * (G_GINT64_CONSTANT (1600000000) - (lane == 0 ? 60 : 0))
  };

  measures->n_shown = 0;
  for (guint c = 0; c < CUPS; c++)
    for (guint v = 0; v < VIEWS; v++) {
      const guint look = c * VIEWS + v;

      piece.looks[look].data = views[v][c] == 'x' ? NULL : &there;
      piece.n_looks += views[v][c] != 'x';
      measures->is_shown[look] = views[v][c] == 'f';
      measures->n_shown += views[v][c] == 'f';
    }
  decision->rules = LINE_RULES_2;
  decision->recipe = fixture->recipe;
  decision->geometry = line_config_get_lane (fixture->config, 0)->geometry;
  decision->piece = &piece;
  decision->measures = measures;
  line_report_decision (fixture->report, lane, decision, NULL);
}

static const char *const all[] = { "fffff", "fffff", "fffff", "fffff" };
static const char *const no_third[] = { "fffff", "fffff", "nnnnn", "fffff" };
static const char *const third_lost[] = { "fffff", "fffff", "xxxxx", "fffff" };
static const char *const one_view[] = { "nnnnn", "fnffn", "nnnnn", "nxnnn" };
static const char *const nothing_there[] = { "nnnnn", "nnnnn", "nnnnn", "nnnnn" };
static const char *const stained[] = { "nnnnn", "nfnfn", "nnnnn", "nnnnn" };
static const char *const all_lost[] = { "xxxxx", "xxxxx", "xxxxx", "xxxxx" };

static void
see_many (Fixture * fixture, guint lane, guint n,
    const char *const *views)
{
  const gboolean is_seen = views == all || views == no_third
      || views == third_lost;
  LineOutcome outcome = { 0 };
  LineDecision decision = {.outcome = &outcome };
  LineMeasures measures = {.diameter = is_seen ? 45 : 0,
    .is_empty = views == nothing_there || views == stained || views == all_lost
  };

  for (guint i = 0; i < n; i++)
    see (fixture, lane, &decision, &measures, views);
}

/* The JSON value at a path in lane b's view. */
static json_t *
get_view (json_t * json, const char *lane, guint view)
{
  json_t *seen = strcmp (lane, "total") == 0 ? json_object_get (json, lane) :
      json_object_get (json_object_get (json, "lanes"), lane);

  return json_array_get (json_object_get (json_object_get (seen, "seen"),
          "views"), view);
}

static void
add_seen_pieces (Fixture * fixture)
{
  static const char *const some[] = { "fffff", "ffnff", "ffxxf", "nnnff" };
  LineOutcome outcome = { 0 };
  LineDecision decision = {.outcome = &outcome };
  LineMeasures measures = {.diameter = 40,.coverage = 0.96,
    .most_coverage = 0.96,.is_turn_measured = TRUE,
    .figures = {{.mm2 = 30,.count = 2}, {.mm2 = 0.5}}
  };
  LineMeasures empty = {.is_empty = TRUE };

  see (fixture, 0, &decision, &measures, all);
  /* 0.72 of 0.96 are three quarters */
  measures = (LineMeasures) {.diameter = 50,.coverage = 0.72,
    .most_coverage = 0.96,.is_inconsistent = TRUE,.is_turn_measured = TRUE,
    .figures = {{.mm2 = 12.25,.count = 1}}
  };
  outcome.doubts = 1 << LINE_DOUBT_LOST | 1 << LINE_DOUBT_COVERAGE
      | 1 << LINE_DOUBT_INCONSISTENT | 1 << LINE_DOUBT_NO_FRUIT;
  see (fixture, 0, &decision, &measures, some);
  outcome.doubts = 0;
  outcome.is_empty = TRUE;
  see (fixture, 0, &decision, &empty, stained);
  outcome.is_empty = FALSE;
  outcome.doubts = 1 << LINE_DOUBT_LOST;
  see (fixture, 1, &decision, &empty, all_lost);
}

/* The second lane has two views. */
CHECK (views)
{
  g_autofree char *two =
      g_strconcat (line_text, "[geometry b]\ntilt=0;1\n", NULL);
  LineCounts counts[] = {
    {.triggers = 10,.in_time = 40},
    {.triggers = 7,.in_time = 13,.late = 1},
  };
  Fixture fixture;

  set_up_text (&fixture, two);
  line_report_lane (fixture.report, 0, &counts[0]);
  line_report_lane (fixture.report, 1, &counts[1]);
  g_assert_true (line_report_adds_up (fixture.report));
  json_auto_t *json = get_json (&fixture);
  static const struct
  {
    const char *lane;
    guint views;
  } lanes[] = { {"a", 4}, {"b", 2} };
  for (guint i = 0; i < G_N_ELEMENTS (lanes); i++) {
    json_t *lane = json_object_get (json_object_get (json, "lanes"),
        lanes[i].lane);

    g_assert_cmpuint (json_array_size (json_object_get (json_object_get (lane,
                    "seen"), "views")), ==, lanes[i].views);
  }
  g_assert_cmpfloat (get (json, "views"), ==, 4);
  g_assert_cmpuint (json_array_size (json_object_get (json_object_get
              (json_object_get (json, "total"), "seen"), "views")), ==, 4);
  g_autofree char *text = line_report_to_text (fixture.report);
  g_assert_nonnull (strstr (text, "\nframes: 54 of 17 triggers = 53 in time + 1 "
          "late + 0 lost\n"));
  g_autofree char *metrics = line_report_to_metrics (fixture.report);
  g_assert_nonnull (strstr (metrics,
          "fruit_line_view_dark{lane=\"a\",view=\"3\"} 0\n"));
  g_assert_nonnull (strstr (metrics,
          "fruit_line_view_dark{lane=\"b\",view=\"1\"} 0\n"));
  g_assert_null (strstr (metrics, "{lane=\"b\",view=\"2\""));
  counts[1].in_time++;
  line_report_lane (fixture.report, 1, &counts[1]);
  g_assert_false (line_report_adds_up (fixture.report));
  tear_down (&fixture);
}

CHECK (seen)
{
  static const char *const lines[] = {
    "fruit_line_looks_total{lane=\"a\",view=\"0\",state=\"fruit\"} 10",
    "fruit_line_looks_total{lane=\"a\",view=\"0\",state=\"none\"} 0",
    "fruit_line_looks_total{lane=\"a\",view=\"1\",state=\"fruit\"} 9",
    "fruit_line_looks_total{lane=\"a\",view=\"1\",state=\"none\"} 1",
    "fruit_line_looks_total{lane=\"a\",view=\"2\",state=\"fruit\"} 8",
    "fruit_line_looks_total{lane=\"a\",view=\"2\",state=\"lost\"} 2",
    "fruit_line_looks_total{lane=\"a\",view=\"3\",state=\"none\"} 3",
    "fruit_line_looks_total{lane=\"b\",view=\"3\",state=\"lost\"} 5",
    "fruit_line_looks_total{lane=\"b\",view=\"3\",state=\"fruit\"} 0",
    "fruit_line_view_dark{lane=\"a\",view=\"3\"} 0",
    "fruit_line_doubts_total{lane=\"a\",doubt=\"lost\"} 1",
    "fruit_line_doubts_total{lane=\"a\",doubt=\"no-fruit\"} 1",
    "fruit_line_doubts_total{lane=\"a\",doubt=\"late\"} 0",
    "fruit_line_doubts_total{lane=\"b\",doubt=\"lost\"} 1",
    "fruit_line_piece_looks_total{lane=\"a\",looks=\"20\"} 1",
    "fruit_line_piece_looks_total{lane=\"a\",looks=\"14\"} 1",
    "fruit_line_coverage_bucket{lane=\"a\",le=\"0.7\"} 0",
    "fruit_line_coverage_bucket{lane=\"a\",le=\"0.8\"} 1",
    "fruit_line_coverage_bucket{lane=\"a\",le=\"0.98\"} 1",
    "fruit_line_coverage_bucket{lane=\"a\",le=\"1\"} 2",
    "fruit_line_coverage_bucket{lane=\"a\",le=\"+Inf\"} 2",
    "fruit_line_coverage_sum{lane=\"a\"} 1.750",
    "fruit_line_coverage_count{lane=\"b\"} 0",
    "fruit_line_diameter_mm_sum{lane=\"a\"} 90.000",
    "fruit_line_diameter_mm_count{lane=\"a\"} 2",
    "fruit_line_empty_total{lane=\"a\"} 1",
    "fruit_line_class_pieces_total{lane=\"a\",class=\"bruise\"} 2",
    "fruit_line_class_mm2_total{lane=\"a\",class=\"bruise\"} 42.250",
    "fruit_line_class_pieces_total{lane=\"a\",class=\"rot\"} 0",
    "fruit_line_class_mm2_total{lane=\"a\",class=\"rot\"} 0.500",
    "fruit_line_class_pieces_total{lane=\"b\",class=\"insect\"} 0",
    "fruit_line_turn_measured_total{lane=\"a\"} 2",
    "fruit_line_inconsistent_total{lane=\"a\"} 1",
  };
  Fixture fixture;

  set_up (&fixture);
  add_seen_pieces (&fixture);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    check_metric (&fixture, lines[i]);
  json_auto_t *json = get_json (&fixture);
  g_assert_cmpfloat (get (get_view (json, "a", 3), "fruit"), ==, 7);
  g_assert_cmpfloat (get (get_view (json, "total", 3), "lost"), ==, 5);
  g_assert_cmpfloat (get (json, "total.seen.doubts.lost"), ==, 2);
  g_assert_cmpfloat (get (json, "lanes.a.seen.doubts.coverage"), ==, 1);
  g_assert_cmpfloat (get (json, "lanes.a.seen.looks_with_fruit.14"), ==, 1);
  g_assert_cmpfloat (get (json, "total.seen.pieces"), ==, 2);
  g_assert_cmpfloat (get (json, "total.seen.mean_diameter_mm"), ==, 45);
  g_assert_cmpfloat (get (json, "total.seen.classes.bruise.mm2"), ==, 42.25);
  g_assert_cmpfloat (get (json, "total.seen.turn_measured"), ==, 2);
  g_assert_cmpfloat (get (json, "total.seen.inconsistent"), ==, 1);
  g_autofree char *text = line_report_to_text (fixture.report);
  g_assert_nonnull (strstr (text, "seen: fruit in 34 looks, none in 4 looks of "
          "the same pieces; 22 looks lost\n"));
  g_assert_nonnull (strstr (text, "a piece was seen of 50.00 % of the pieces"));
  g_assert_nonnull (strstr (text, "doubts, in pieces: lost: 2, no-fruit: 1, "
          "coverage: 1, inconsistent: 1\n"));
  g_assert_null (strstr (text, "DARK"));
  tear_down (&fixture);
}

static GString *told;

static void
note_told (const char *text)
{
  g_string_append (told, text);
}

/* What was told since it was asked last */
static void
check_told (const char *expected)
{
  g_assert_cmpstr (told->str, ==, expected);
  g_string_truncate (told, 0);
}

#define DARK "b: view 2 has shown no fruit in 5 pieces that other views show: " \
  "look at its lamp, its lens and its aim\n"
#define LIGHT "b: view 2 shows fruit again\n"

static void
assert_dark (Fixture * fixture)
{
  json_auto_t *json = get_json (fixture);
  g_autofree char *text = line_report_to_text (fixture->report);

  g_assert_cmpstr (json_string_value (json_object_get (get_view (json, "b", 2),
              "dark_since")), ==, "2020-09-13T12:26:40Z");
  g_assert_cmpstr (json_string_value (json_object_get (get_view (json, "total",
                  2), "dark_since")), ==, "2020-09-13T12:26:40Z");
  g_assert_true (json_is_null (json_object_get (get_view (json, "b", 1),
              "dark_since")));
  g_assert_nonnull (strstr (text, "b: VIEW 2 IS DARK since 2020-09-13T12:26:40Z"
          ));
  check_metric (fixture, "fruit_line_view_dark{lane=\"b\",view=\"2\"} 1");
  check_metric (fixture, "fruit_line_view_dark{lane=\"b\",view=\"1\"} 0");
  check_metric (fixture, "fruit_line_view_dark{lane=\"a\",view=\"2\"} 0");
}

CHECK (dark)
{
  GPrintFunc before = g_set_printerr_handler (note_told);
  Fixture fixture;

  told = g_string_new (NULL);
  set_up (&fixture);
  /* four are none, nor are four more after one that it shows */
  see_many (&fixture, 1, 4, no_third);
  see_many (&fixture, 1, 1, all);
  see_many (&fixture, 1, 4, no_third);
  /* what no view shows says nothing of this one, however much of it comes */
  see_many (&fixture, 1, 20, nothing_there);
  see_many (&fixture, 1, 20, stained);
  see_many (&fixture, 1, 20, all_lost);
  check_told ("");
  check_metric (&fixture, "fruit_line_view_dark{lane=\"b\",view=\"2\"} 0");
  see_many (&fixture, 1, 1, no_third);
  check_told (DARK);
  assert_dark (&fixture);
  /* once */
  see_many (&fixture, 1, 20, no_third);
  see_many (&fixture, 1, 20, nothing_there);
  check_told ("");
  assert_dark (&fixture);
  see_many (&fixture, 1, 1, all);
  check_told (LIGHT);
  check_metric (&fixture, "fruit_line_view_dark{lane=\"b\",view=\"2\"} 0");
  see_many (&fixture, 1, 10, all);
  check_told ("");
  /* some of both */
  see_many (&fixture, 1, 2, third_lost);
  see_many (&fixture, 1, 3, no_third);
  check_told (DARK);
  see_many (&fixture, 1, 1, all);
  check_told (LIGHT);
  see_many (&fixture, 1, 5, third_lost);
  check_told ("b: view 2 has been lost in 5 pieces that other views show: look "
      "at its camera and cable, and at the reasons why frames are lost\n");
  assert_dark (&fixture);
  /* of all lanes the earliest */
  see_many (&fixture, 0, 5, no_third);
  json_auto_t *json = get_json (&fixture);
  g_assert_cmpstr (json_string_value (json_object_get (get_view (json, "total",
                  2), "dark_since")), ==, "2020-09-13T12:25:40Z");
  tear_down (&fixture);
  g_string_free (told, TRUE);
  g_set_printerr_handler (before);
}

/* One view is left, and the piece counts as empty. */
CHECK (mostly_dark)
{
  GPrintFunc before = g_set_printerr_handler (note_told);
  Fixture fixture;

  told = g_string_new (NULL);
  set_up (&fixture);
  see_many (&fixture, 1, 5, one_view);
  for (guint v = 0; v < VIEWS; v++) {
    char *text = g_strdup_printf ("b: view %u has shown no fruit", v);

    g_assert_true ((strstr (told->str, text) != NULL) == (v != 1));
    g_free (text);
  }
  check_metric (&fixture, "fruit_line_looks_total{lane=\"b\",view=\"0\","
      "state=\"none\"} 25");
  tear_down (&fixture);
  g_string_free (told, TRUE);
  g_set_printerr_handler (before);
}

int
main (int argc, char **argv)
{
  g_assert_true (g_file_get_contents (LINE_FILES "/apricot.ini", &recipe_text,
          NULL, NULL));
  g_test_init (&argc, &argv, NULL);
  add_checks ("/report");
  return g_test_run ();
}
