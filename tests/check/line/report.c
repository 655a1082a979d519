/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The report of made-up decisions, against figures made by hand */

#include <string.h>

#include <jansson.h>

#include "clock.h"
#include "report.h"
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
set_up (Fixture * fixture)
{
  GError *error = NULL;

  fixture->config = line_config_parse ("line.ini", line_text,
      strlen (line_text), &error);
  g_assert_no_error (error);
  fixture->recipe = line_recipe_parse ("recipe.ini", recipe_text,
      strlen (recipe_text), &error);
  g_assert_no_error (error);
  fixture->report = line_report_new (fixture->config);
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
  char *text = line_report_to_json (fixture->report);
  json_t *json = json_loads (text, 0, NULL);

  g_assert_nonnull (json);
  g_free (text);
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
  LineOutcome outcome = {.outlet = outlet,.status = status };
  LineDecision decision = {.recipe = fixture->recipe,.piece = &piece,
    .geometry = &fixture->config->geometry,.measures = measures,
    .outcome = &outcome,.to_tensor = latency,.to_shapes = 2 * latency,
    .to_decision = 3 * latency,.is_simulated = truth != NULL
  };

  line_report_decision (fixture->report, lane, &decision, truth);
}

static void
test_counts (void)
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
  json_t *json;
  char *text;

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

  json = get_json (&fixture);
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
  json_decref (json);
  text = line_report_to_text (fixture.report);
  g_assert_nonnull (strstr (text, "DOES NOT ADD UP"));
  g_assert_null (strstr (text, "truth"));
  g_free (text);
  tear_down (&fixture);
}

/* Which recipe decides, and what outlets are for: each rule that leads there. */
static void
test_names (void)
{
  static const char text[] =
      "[recipe]\nname=plum\nclasses=belt;skin;rot\nfruit=skin;rot\n"
      "defects=rot\nundecided-outlet=8\n[limits few]\nrot-mm2=10\n"
      "[rule good]\noutlet=1\nlimits=few\n[rule in-time]\noutlet=1\n"
      "status=ok\n[rule rest]\noutlet=8\n";
  const LineMeasures measures = {.diameter = 45,.surface = 6000 };
  json_t *json, *recipe, *outlets;
  GError *error = NULL;
  Fixture fixture;

  set_up (&fixture);
  json = get_json (&fixture);
  g_assert_true (json_is_null (json_object_get (json, "recipe")));
  g_assert_cmpfloat (get (json, "deadline_ms"), ==, 50);
  json_decref (json);
  add (&fixture, 0, 1, LINE_STATUS_OK, 1000, &measures, NULL);
  line_recipe_unref (fixture.recipe);
  fixture.recipe = line_recipe_parse ("r.ini", text, strlen (text), &error);
  g_assert_no_error (error);
  add (&fixture, 0, 1, LINE_STATUS_OK, 1000, &measures, NULL);
  json = get_json (&fixture);
  recipe = json_object_get (json, "recipe");
  g_assert_cmpstr (json_string_value (json_object_get (recipe, "name")), ==,
      "plum");
  g_assert_cmpstr (json_string_value (json_object_get (recipe, "hash")), ==,
      fixture.recipe->hash);
  outlets = json_pack ("{s:s,s:s,s:s}", "0", "empty", "1", "good, in-time", "8",
      "rest, undecided");
  g_assert_true (json_equal (json_object_get (recipe, "outlets"), outlets));
  g_assert_cmpuint (json_array_size (json_object_get (json, "recipes")), ==, 2);
  json_decref (outlets);
  json_decref (json);
  tear_down (&fixture);
}

/* One frame too many of one lane is not one too few of another. */
static void
test_sums (void)
{
  LineCounts counts[] = {
    {.triggers = 10,.in_time = 40,.losses[LINE_LOSS_STOPPED] = 1},
    {.triggers = 10,.in_time = 33,.late = 1,.losses = {
            [LINE_LOSS_STOPPED] = 1,[LINE_LOSS_NOT_FINITE] = 1,
            [LINE_LOSS_OUT_OF_RANGE] = 1,[LINE_LOSS_SUM] = 1,
            [LINE_LOSS_CONSTANT] = 1}},
  };
  Fixture fixture;
  json_t *json;
  char *text;

  set_up (&fixture);
  line_report_lane (fixture.report, 0, &counts[0]);
  line_report_lane (fixture.report, 1, &counts[1]);
  g_assert_false (line_report_adds_up (fixture.report));
  json = get_json (&fixture);
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
  json_decref (json);
  text = line_report_to_text (fixture.report);
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
  g_free (text);
  tear_down (&fixture);
}

static void
test_cameras (void)
{
  const gint64 now = line_clock_now ();
  const LineCameraHealth cameras[] = {
    {"10.0.0.1", TRUE, now - 90000000000, now - 500000000, 7, 1, 2, 3, 4},
    {"10.0.0.2", FALSE, now - 2000000000, 0, 0, 0, 10, 0, 0},
  };
  Fixture fixture;
  json_t *json, *list, *one;
  char *text;

  set_up (&fixture);
  text = line_report_to_metrics (fixture.report);
  g_assert_null (strstr (text, "camera"));
  g_free (text);
  line_report_cameras (fixture.report, 1, cameras, 2);
  json = get_json (&fixture);
  list = json_object_get (json, "cameras");
  g_assert_cmpuint (json_array_size (list), ==, 2);
  one = json_array_get (list, 0);
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
  g_assert_cmpfloat (get (one, "reconnects"), ==, 4);
  one = json_array_get (list, 1);
  g_assert_cmpfloat (get (one, "view"), ==, 1);
  g_assert_cmpstr (json_string_value (json_object_get (one, "state")), ==,
      "gone");
  g_assert_true (json_is_null (json_object_get (one, "last_frame_s")));
  json_decref (json);
  text = line_report_to_metrics (fixture.report);
  g_assert_nonnull (strstr (text,
          "fruit_line_camera_running{lane=\"b\",view=\"1\"} 0\n"));
  g_assert_nonnull (strstr (text, "fruit_line_camera_frames_total{lane=\"b\","
          "view=\"0\",state=\"strays\"} 3\n"));
  g_free (text);
  text = line_report_to_text (fixture.report);
  g_assert_nonnull (strstr (text, "10.0.0.2"));
  g_free (text);
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

static void
test_expected (void)
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

static void
test_truth (void)
{
  LineMeasures measures = {.diameter = 45.45,.surface = 6489 };
  const LineMeasures empty = {.is_empty = TRUE };
  Fixture fixture;
  json_t *json, *pair;
  char *text;

  set_up (&fixture);
  for (guint i = 0; i < 6; i++)
    add (&fixture, 0, 1, LINE_STATUS_OK, 1000, &measures, &sound);
  /* one rotten piece passes; one goes elsewhere, but does not pass */
  measures.figures[1].mm2 = 33.6;
  add (&fixture, 0, 8, LINE_STATUS_OK, 1000, &measures, &rotten);
  add (&fixture, 0, 1, LINE_STATUS_OK, 1000, &measures, &rotten);
  add (&fixture, 0, 9, LINE_STATUS_UNDECIDED, 1000, &empty, &rotten);
  add (&fixture, 1, 0, LINE_STATUS_OK, 1000, &empty, &nothing);
  json = get_json (&fixture);
  g_assert_cmpfloat (get (json, "truth.pieces"), ==, 10);
  g_assert_cmpfloat (get (json, "truth.right"), ==, 8);
  g_assert_cmpfloat (get (json, "truth.share"), ==, 0.8);
  g_assert_cmpfloat (get (json, "truth.rotten"), ==, 3);
  g_assert_cmpfloat (get (json, "truth.rotten_missed"), ==, 1);
  /* 45.45 for 45, and 33.6 for 30 */
  g_assert_cmpfloat_with_epsilon (get (json, "truth.diameter_error.max"), 0.01,
      1e-5);
  g_assert_cmpfloat_with_epsilon (get (json, "truth.area_error.max"), 0.12,
      1e-5);
  g_assert_cmpfloat (get (json, "truth.area_error.areas"), ==, 2);
  g_assert_cmpfloat (get (json, "truth.area_error.within_10_percent"), ==, 0);
  /* in order: (0, 0), (1, 1), (8, 1), (8, 8), (8, 9) */
  json_t *pairs = json_object_get (json_object_get (json, "truth"), "outlets");
  g_assert_cmpuint (json_array_size (pairs), ==, 5);
  pair = json_array_get (pairs, 2);
  g_assert_cmpfloat (get (pair, "expected"), ==, 8);
  g_assert_cmpfloat (get (pair, "outlet"), ==, 1);
  g_assert_cmpfloat (get (pair, "pieces"), ==, 1);
  json_decref (json);
  text = line_report_to_text (fixture.report);
  g_assert_nonnull (strstr (text, "8 of 10 pieces"));
  g_assert_nonnull (strstr (text, "passed as sound: 1"));
  g_free (text);
  text = line_report_to_line (fixture.report);
  g_assert_nonnull (strstr (text, "10 pieces; outlets 0: 1, 1: 7, 8: 1, 9: 1"));
  g_free (text);
  tear_down (&fixture);
}

int
main (int argc, char **argv)
{
  g_assert_true (g_file_get_contents (LINE_FILES "/apricot.ini", &recipe_text,
          NULL, NULL));
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/report/counts", test_counts);
  g_test_add_func ("/report/names", test_names);
  g_test_add_func ("/report/sums", test_sums);
  g_test_add_func ("/report/cameras", test_cameras);
  g_test_add_func ("/report/expected", test_expected);
  g_test_add_func ("/report/truth", test_truth);
  return g_test_run ();
}
