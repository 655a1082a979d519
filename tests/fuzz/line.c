/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Any bytes as a recipe and as a configuration of the fruit line. Every problem
 * has its file and line; what is accepted decides every piece. */

#include "fuzz.h"

#include "decide.h"
#include "recipe_check.h"
#include "settings.h"

#include <stdlib.h>

static void
check_problems (const char *message, gsize n_lines)
{
  char **lines = g_strsplit (message, "\n", -1);

  fuzz_check_plain (message, strlen (message));
  FUZZ_CHECK (g_strv_length (lines) <= LINE_INI_PROBLEMS + 1, "too many");
  for (guint i = 0; lines[i]; i++) {
    char *end;

    if (i == LINE_INI_PROBLEMS) {
      FUZZ_CHECK (g_str_has_prefix (lines[i], "file: and "), "%s", lines[i]);
      continue;
    }

    FUZZ_CHECK (g_str_has_prefix (lines[i], "file:"), "%s", lines[i]);
    gulong line = strtoul (lines[i] + 5, &end, 10);
    FUZZ_CHECK (g_str_has_prefix (end, ": ") && line >= 1 && line <= n_lines,
        "%s", lines[i]);
  }
  g_strfreev (lines);
}

static void
check_decisions (const LineRecipe * recipe)
{
  for (guint i = 0; i < 64; i++) {
    LineMeasures measures = {.is_empty = i == 0,.diameter = i };
    LineOutcome outcome;

    measures.figures[i % 8].mm2 = measures.figures[i % 8].max_length = i;
    line_decide (recipe, &measures, i, (LineStatus) (i % 4), i, &outcome);
    FUZZ_CHECK (outcome.reasons->len > 0, "no reason");
    FUZZ_CHECK (outcome.outlet <= LINE_MAX_OUTLET, "%u", outcome.outlet);
    line_outcome_clear (&outcome);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  LineGeometry geometry = {.views = 2,.cups = 5,.columns = 511,
    .rows = 95,.mm_per_pixel = {0.8, 0.4},.cup_pitch = {102, 95}
  };
  g_autoptr (GPtrArray) geometries = g_ptr_array_new ();
  gsize n_lines = 1;
  GError *error = NULL;
  LineRecipe *recipe;
  LineConfig *config;

  g_ptr_array_add (geometries, &geometry);
  for (gsize i = 0; i < size; i++)
    n_lines += data[i] == '\n';
  recipe = line_recipe_parse ("file", (const char *) data, size, &error);
  FUZZ_CHECK_ERROR (recipe != NULL, error);
  if (recipe) {
    check_decisions (recipe);
    if (!line_recipe_check (recipe, "file", geometries, &error))
      check_problems (error->message, n_lines);
    line_recipe_unref (recipe);
  } else {
    check_problems (error->message, n_lines);
  }
  g_clear_error (&error);
  config = line_config_parse ("file", (const char *) data, size, &error);
  FUZZ_CHECK_ERROR (config != NULL, error);
  if (config)
    line_config_free (config);
  else
    check_problems (error->message, n_lines);
  g_clear_error (&error);
  return 0;
}
