/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* fruit-line check|run CONFIG */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gst/gst.h>

#include "calibrate_main.h"
#include "lane.h"

static const char usage[] =
    "fruit-line check CONFIG   look for errors in CONFIG and its recipe\n"
    "fruit-line run CONFIG     decide the pieces of its lanes\n"
    "fruit-line calibrate CONFIG LANE PICTURE\n"
    "                          scale and cups from a picture of balls\n"
    "CONFIG is a file such as pipelines/line/line1.ini; see "
    "docs/fruit-line.md.\n";

static gboolean
run_lanes (LineConfig * config, LineRecipe * recipe, GError ** error)
{
  char *path = g_build_filename (config->output, "decisions.jsonl", NULL);
  gboolean good = TRUE;
  FILE *out;

  out = g_mkdir_with_parents (config->output, 0777) == 0 ?
      fopen (path, "wx") : NULL;
  if (!out) {
    good = FALSE;
    g_set_error (error, LINE_ERROR, LINE_ERROR_FILE, "%s: %s%s", path,
        g_strerror (errno), errno == EEXIST ?
        ": decisions are never overwritten; move it, or change \"output\"" :
        "");
  }
  for (guint i = 0; i < config->lanes->len && good; i++)
    good = line_lane_run (config, &g_array_index (config->lanes,
            LineLaneConfig, i), recipe, out, error);
  if (out && fclose (out) != 0 && good) {
    good = FALSE;
    g_set_error (error, LINE_ERROR, LINE_ERROR_FILE, "%s: %s", path,
        g_strerror (errno));
  }
  g_free (path);
  return good;
}

int
main (int argc, char **argv)
{
  gboolean is_run = argc == 3 && strcmp (argv[1], "run") == 0;
  LineConfig *config;
  LineRecipe *recipe = NULL;
  GError *error = NULL;

  if (argc > 1 && strcmp (argv[1], "calibrate") == 0)
    return line_calibrate_main (argc - 1, argv + 1);
  if (!is_run && (argc != 3 || strcmp (argv[1], "check") != 0)) {
    gboolean is_help = argc == 2 && strcmp (argv[1], "--help") == 0;

    fputs (usage, is_help ? stdout : stderr);
    return is_help ? EXIT_SUCCESS : 2;
  }
  config = line_config_load (argv[2], &error);
  if (config)
    recipe = line_recipe_load (config->recipe, &error);
  if (recipe && is_run) {
    gst_init (NULL, NULL);
    run_lanes (config, recipe, &error);
  } else if (recipe) {
    g_print ("%s and %s are good; recipe %s\n", argv[2], config->recipe,
        recipe->hash);
  }
  g_clear_pointer (&recipe, line_recipe_unref);
  g_clear_pointer (&config, line_config_free);
  if (error)
    g_printerr ("%s\n", error->message);
  return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
