/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rules and their reasons, and a decision's line byte for byte. */

#include "check.h"
#include "decide.h"

#include <locale.h>
#include <string.h>

static const char recipe_text[] =
    "[recipe]\nname=two\nclasses=belt;skin;rot;scar\nfruit=skin;rot;scar\n"
    "defects=scar;rot\nmin-looks=2\nempty-outlet=7\nundecided-outlet=9\n"
    "[size a]\nmin-mm=30\nmax-mm=40\n[size b]\nmin-mm=45\nmax-mm=60\n"
    "[limits x]\nscar-length-mm=3\nrot-mm2=10\ndefect-count=2\n"
    "[limits y]\nrot-percent=5\n"
    "[rule best]\noutlet=1\nsize=a;b\nlimits=x\nstatus=ok\n"
    "[rule good]\noutlet=2\nlimits=y\nsize=b\n"
    "[rule rest]\noutlet=3\n";

typedef struct
{
  const char *what;
  gdouble diameter, rot_mm2, rot_percent, scar_length;
  guint count, n_looks;
  LineStatus status;
  guint outlet;
  const char *reasons, *status_name;
  guint doubts;
} Case;

static const Case cases[] = {
  {"all holds", 30, 10, 5, 3, 2, 20, LINE_STATUS_OK, 1, "best", "ok"},
  {"the end of a size", 40, 0, 0, 0, 0, 20, LINE_STATUS_OK, 3, "rest size",
      "ok"},
  {"between sizes", 42, 0, 0, 0, 0, 20, LINE_STATUS_OK, 3, "rest size", "ok"},
  {"a long scar", 45, 0, 0, 3.001, 0, 20, LINE_STATUS_OK, 2,
      "good x.scar-length-mm", "ok"},
  {"much of all", 50, 11, 6, 4, 3, 20, LINE_STATUS_OK, 3, "rest "
      "x.scar-length-mm x.rot-mm2 x.defect-count y.rot-percent", "ok"},
  {"a view lost", 50, 0, 0, 0, 0, 19, LINE_STATUS_PARTIAL, 2, "good status",
      "partial"},
  {"too late", 35, 0, 0, 0, 0, 20, LINE_STATUS_LATE, 3, "rest status size",
      "late"},
  {"two looks", 50, 0, 0, 0, 0, 2, LINE_STATUS_PARTIAL, 2, "good status",
      "partial"},
  {"one look", 50, 0, 0, 0, 0, 1, LINE_STATUS_PARTIAL, 9, "undecided",
      "undecided"},
  {"an empty cup", 0, 0, 0, 0, 0, 20, LINE_STATUS_OK, 7, "empty", "ok"},
  {"a cup that one look says is not empty", 0, 0, 0, 0, 0, 20,
        LINE_STATUS_OK, 9, "undecided", "partial", 1 << LINE_DOUBT_NO_FRUIT},
  {"a cup whose looks were lost", 0, 0, 0, 0, 0, 8, LINE_STATUS_PARTIAL, 9,
      "undecided", "partial", 1 << LINE_DOUBT_LOST},
  {"an empty cup, late", 0, 0, 0, 0, 0, 20, LINE_STATUS_LATE, 7, "empty",
      "late", 1 << LINE_DOUBT_LATE},
  {"a doubt", 35, 0, 0, 0, 0, 20, LINE_STATUS_OK, 3, "rest status size",
      "partial", 1 << LINE_DOUBT_SHAPE},
  {"late, of too few looks", 35, 0, 0, 0, 0, 1, LINE_STATUS_LATE, 9,
      "undecided", "late", 1 << LINE_DOUBT_LATE},
  {"a piece that may be another one", 35, 0, 0, 0, 0, 20, LINE_STATUS_OK, 9,
      "undecided", "undecided", 1 << LINE_DOUBT_NUMBER},
  {"the same, late", 35, 0, 0, 0, 0, 20, LINE_STATUS_LATE, 9, "undecided",
      "late", 1 << LINE_DOUBT_NUMBER | 1 << LINE_DOUBT_LATE},
  {"undecided before", 35, 0, 0, 0, 0, 20, LINE_STATUS_UNDECIDED, 9,
      "undecided", "undecided"},
  {"an empty cup without looks", 0, 0, 0, 0, 0, 0, LINE_STATUS_LATE, 9,
      "undecided", "undecided"},
};

static void
check_case (const LineRecipe * recipe, const Case * wanted)
{
  LineMeasures measures = {.is_empty = wanted->diameter == 0,
    .diameter = wanted->diameter
  };
  LineOutcome outcome;

  /* channels 2 and 3, in this order, and all */
  measures.figures[0].mm2 = wanted->rot_mm2;
  measures.figures[0].percent = wanted->rot_percent;
  measures.figures[1].max_length = wanted->scar_length;
  measures.figures[2].count = wanted->count;
  line_decide (recipe, &measures, wanted->n_looks, wanted->status,
      wanted->doubts, &outcome);
  g_ptr_array_add (outcome.reasons, NULL);
  g_autofree char *reasons = g_strjoinv (" ", (char **) outcome.reasons->pdata);
  check_that (outcome.outlet == wanted->outlet
      && strcmp (reasons, wanted->reasons) == 0
      && outcome.is_empty == (strcmp (reasons, "empty") == 0)
      && strcmp (line_status_names[outcome.status], wanted->status_name) == 0,
      "%s: %u %s %s", wanted->what, outcome.outlet, reasons,
      line_status_names[outcome.status]);
  line_outcome_clear (&outcome);
}

static char *
make_line (LineRecipe * recipe, LineRules rules, gint64 plc_piece)
{
  static LinePiece piece = {.piece = G_GUINT64_CONSTANT (5000000000),
    .trigger_time = 1234567890123,.n_looks = 1
  };
  LineGeometry geometry = {.views = 2,.cups = 1 };
  LineMeasures measures = {.diameter = 47.125,.surface = 6976.5150,
    .is_shown = {FALSE, TRUE},.coverage = 0.8445,.most_coverage = 1,
    .turn = 71.996,.is_turn_measured = TRUE
  };
  const guint doubts = 1u << LINE_DOUBT_LOST | 1u << LINE_DOUBT_COVERAGE;
  LineOutcome outcome;
  LineDecision decision = {.rules = rules,.line = "line \"1\"",.lane = "ä",.software = "0.1",
    .geometry = &geometry,.recipe = recipe,.piece = &piece,
    .measures = &measures,.outcome = &outcome,.to_tensor = 1,
    .run = rules == LINE_RULES_1 ? 0 : 65535,.has_plc = TRUE,
    .first = rules == LINE_RULES_1 ? 0 : 70,.plc_piece = plc_piece,
    .plc_shift = -3,.encoder = plc_piece < 0 ? -1 : 4294967295,
    .to_shapes = 22,.to_decision = 333,.is_simulated = TRUE
  };

  piece.looks[0] = (LineLook) {.lost = TRUE,.loss = LINE_LOSS_NOT_FINITE };
  piece.looks[1] = (LineLook) {.data = &piece,.time = 99 };
  measures.figures[0] = (LineFigures) {12.345678, 0.176961, 4.5, 0.98765, 2};
  measures.figures[1].mm2 = -0.0;
  measures.figures[2].mm2 = 0.125;
  line_decide (recipe, &measures, 2, LINE_STATUS_OK, doubts, &outcome);
  char *json = line_decision_to_json (&decision);
  line_outcome_clear (&outcome);
  return json;
}

/* 47.125 and 0.125 are halves exactly: to even. */
static const char wanted_line[] =
    "{\"schema\":\"fruit-line/1\",\"line\":\"line \\\"1\\\"\",\"lane\":\"ä\","
    "\"piece\":5000000000,\"trigger\":5000000000,\"encoder\":null,"
    "\"t_trigger_ns\":1234567890123,\"recipe\":\"%s\",\"software\":\"0.1\","
    "\"views\":[{\"view\":0,\"frame_id\":5000000000,\"t_ns\":null,"
    "\"ok\":false},{\"view\":1,\"frame_id\":5000000000,\"t_ns\":99,"
    "\"ok\":true}],\"diameter_mm\":47.12,\"area_mm2\":6976.52,\"classes\":{"
    "\"rot\":{\"percent\":0.18,\"mm2\":12.35,\"max_length_mm\":4.50,"
    "\"count\":2,\"confidence\":0.9877},"
    "\"scar\":{\"percent\":0.00,\"mm2\":0.00,\"max_length_mm\":0.00,"
    "\"count\":0,\"confidence\":0.0000},"
    "\"defect\":{\"percent\":0.00,\"mm2\":0.12,\"max_length_mm\":0.00,"
    "\"count\":0,\"confidence\":0.0000}},\"outlet\":2,\"reasons\":[\"good\","
    "\"x.rot-mm2\",\"status\"],\"status\":\"partial\",\"latency_us\":{"
    "\"last_view_to_tensor\":1,\"to_shapes\":22,\"to_decision\":333},"
    "\"simulated\":true}\n";

static const char wanted_line2[] =
    "{\"schema\":\"fruit-line/2\",\"line\":\"line \\\"1\\\"\",\"run\":65535,"
    "\"lane\":\"ä\",\"piece\":5000000070,\"trigger\":5000000070,"
    "\"encoder\":4294967295,\"plc\":{\"piece\":41,\"shift\":-3},"
    "\"t_trigger_ns\":1234567890123,\"recipe\":\"%s\",\"software\":\"0.1\","
    "\"views\":[{\"view\":0,\"frame_id\":5000000070,\"t_ns\":null,"
    "\"ok\":false,\"fruit\":false,\"lost\":\"not-finite\"},"
    "{\"view\":1,\"frame_id\":5000000070,\"t_ns\":99,"
    "\"ok\":true,\"fruit\":true}],\"coverage\":0.845,"
    "\"most_coverage\":1.000,\"turn\":72.00,\"turn_measured\":true,"
    "\"inconsistent\":false,\"diameter_mm\":47.12,\"area_mm2\":6976.52,"
    "\"classes\":{"
    "\"rot\":{\"percent\":0.18,\"mm2\":12.35,\"max_length_mm\":4.50,"
    "\"count\":2,\"confidence\":0.9877},"
    "\"scar\":{\"percent\":0.00,\"mm2\":0.00,\"max_length_mm\":0.00,"
    "\"count\":0,\"confidence\":0.0000},"
    "\"defect\":{\"percent\":0.00,\"mm2\":0.12,\"max_length_mm\":0.00,"
    "\"count\":0,\"confidence\":0.0000}},\"outlet\":2,\"reasons\":[\"good\","
    "\"x.rot-mm2\",\"status\"],\"status\":\"partial\","
    "\"doubts\":[\"lost\",\"coverage\"],\"latency_us\":{"
    "\"last_view_to_tensor\":1,\"to_shapes\":22,\"to_decision\":333},"
    "\"simulated\":true}\n";

static void
check_line (LineRecipe * recipe, LineRules rules, gint64 plc_piece,
    const char *line)
{
  char **parts = g_strsplit (line, "%s", 2);
  char *wanted = g_strconcat (parts[0], recipe->hash, parts[1], NULL);
  char *json = make_line (recipe, rules, plc_piece);

  check_that (strcmp (json, wanted) == 0, "a line: %s for %s", json, wanted);
  g_free (json);
  /* a comma for a point, where it is installed */
  if (setlocale (LC_ALL, "de_DE.UTF-8")) {
    json = make_line (recipe, rules, plc_piece);
    check_that (strcmp (json, wanted) == 0, "a line in German: %s", json);
    g_free (json);
  }
  g_free (wanted);
  g_strfreev (parts);
}

static const char colour_text[] =
    "[recipe]\nname=three\nclasses=belt;skin;rot\nfruit=skin;rot\n"
    "defects=rot\nundecided-outlet=9\n[colour red]\nmin-a=20\n"
    "[colour dark]\nmax-lightness=30\n[limits x]\nmin-lightness=40\n"
    "max-lightness=50\nmin-a=-10\nmax-a=30\nmin-b=0\nmax-b=40\nmin-chroma=5\n"
    "max-chroma=42\nmin-hue=-20\nmax-hue=100\nmin-red-percent=50\n"
    "max-dark-percent=1\nmin-elongation=1.2\nmax-elongation=1.5\n"
    "[rule x]\noutlet=1\nlimits=x\n[rule rest]\noutlet=2\n";

/* Of one that is within all limits, what differs, and which then do not hold */
static const struct
{
  LineTone tone;
  gdouble elongation;
  const char *reasons;
} tones[] = {
  {{1, 1, {40, 30, 0}, {50, 1}}, 1.2, "x"},
  {{1, 1, {50, -3, 40}, {100, 0}}, 1.5, "x"},
  {{1, 1, {39.9, 10, 10}, {50, 1}}, 1.2, "rest x.min-lightness"},
  {{1, 1, {50.1, 10, 10}, {50, 1}}, 1.2, "rest x.max-lightness"},
  {{1, 1, {45, -11, 10}, {50, 1}}, 1.2, "rest x.min-a x.max-hue"},
  {{1, 1, {45, 31, 10}, {50, 1}}, 1.2, "rest x.max-a"},
  {{1, 1, {45, 10, -1}, {50, 1}}, 1.2, "rest x.min-b"},
  {{1, 1, {45, 0, 41}, {50, 1}}, 1.2, "rest x.max-b"},
  {{1, 1, {45, 3, 3.9}, {50, 1}}, 1.2, "rest x.min-chroma"},
  {{1, 1, {45, 27, 33}, {50, 1}}, 1.2, "rest x.max-chroma"},
  {{1, 1, {45, 10, -5}, {50, 1}}, 1.2, "rest x.min-b x.min-hue"},
  {{1, 1, {45, 10, 10}, {49.9, 1}}, 1.2, "rest x.min-red-percent"},
  {{1, 1, {45, 10, 10}, {50, 1.1}}, 1.2, "rest x.max-dark-percent"},
  {{1, 1, {45, 10, 10}, {50, 1}}, 1.19, "rest x.min-elongation"},
  {{1, 1, {45, 10, 10}, {50, 1}}, 1.51, "rest x.max-elongation"},
  /* what was not seen is within no limit */
  {{0, 0, {45, 10, 10}, {50, 1}}, 1.2, "rest x.min-lightness x.max-lightness "
        "x.min-a x.max-a x.min-b x.max-b x.min-chroma x.max-chroma x.min-hue "
        "x.max-hue x.min-red-percent x.max-dark-percent"},
};

static void
check_tones (void)
{
  LineRecipe *recipe = line_recipe_parse ("three.ini", colour_text,
      strlen (colour_text), NULL);

  for (guint i = 0; i < G_N_ELEMENTS (tones); i++) {
    const LineMeasures measures = {.diameter = 50,.tone = tones[i].tone,
      .elongation = tones[i].elongation
    };
    LineOutcome outcome;

    line_decide (recipe, &measures, 1, LINE_STATUS_OK, 0, &outcome);
    g_ptr_array_add (outcome.reasons, NULL);
    g_autofree char *reasons =
        g_strjoinv (" ", (char **) outcome.reasons->pdata);
    check_that (strcmp (reasons, tones[i].reasons) == 0, "tone %u: %s for %s", i,
        reasons, tones[i].reasons);
    line_outcome_clear (&outcome);
  }
  line_recipe_unref (recipe);
}

int
main (void)
{
  GError *error = NULL;
  LineRecipe *recipe = line_recipe_parse ("two.ini", recipe_text,
      strlen (recipe_text), &error);

  if (!check_that (recipe != NULL, "%s", error ? error->message : "recipe"))
    return finish ();
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_case (recipe, &cases[i]);
  check_tones ();
  check_line (recipe, LINE_RULES_1, -1, wanted_line);
  check_line (recipe, LINE_RULES_2, 41, wanted_line2);
  line_recipe_unref (recipe);
  return finish ();
}
