/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "run_main.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <gst/gst.h>

#include "cameras.h"
#include "coverage.h"
#include "elements.h"
#include "lane.h"
#include "live.h"
#include "plc.h"
#include "publish/options.h"
#include "recipe_check.h"
#include "recipes.h"
#include "recording.h"
#include "spool.h"
#include "spool_runs.h"
#include "tokens.h"

typedef struct
{
  char *output;
  gint lanes, port;
  gdouble seconds;
  gboolean record, fast;
} Options;

/* Who may change something is known before anything begins. */
static gboolean
check_tokens (const LineConfig * config, GError ** error)
{
  LineTokens *tokens = config->tokens ?
      line_tokens_load (config->tokens, error) : NULL;
  const gboolean good = tokens || !config->tokens;

  g_clear_pointer (&tokens, line_tokens_free);
  return good;
}

static LineRecipe *
load (const char *path, LineConfig ** config, GError ** error)
{
  LineRecipe *recipe = NULL;

  *config = line_config_load (path, error);
  if (*config && line_cameras_check (*config, error)
      && check_tokens (*config, error))
    recipe = line_recipe_load_checked ((*config)->recipe,
        (*config)->geometries, error);
  return recipe;
}

/* Fast */

static FILE *
begin_file (const LineFolder * folder, const char *name, GError ** error)
{
  const int fd = line_folder_create (folder, name, error);

  return fd >= 0 ? fdopen (fd, "w") : NULL;
}

/* @good: whether all went well until now; else @error is set. Returns: whether
 * it still does */
static gboolean
end_file (FILE * file, gboolean good, const char *output, const char *name,
    GError ** error)
{
  const gboolean is_written = !file || fclose (file) == 0;

  if (good && !is_written)
    line_fail (error, LINE_ERROR_FILE, "%s: %s cannot be written: %s", output,
        name, g_strerror (errno));
  return good && is_written;
}

static gboolean
run_recorded (LineConfig * config, const LineLaneConfig * lane,
    LineRecipe * recipe, LineFolder * folder, FILE * out, const char *output,
    GError ** error)
{
  g_autofree char *name = g_strconcat (lane->name, ".events", NULL);
  FILE *events = begin_file (folder, name, error);
  const gboolean good = events
      && line_lane_run (config, lane, recipe, out, events, error);

  return end_file (events, good, output, name, error);
}

static gboolean
run_lanes (LineConfig * config, LineRecipe * recipe, const char *output,
    gboolean record, GError ** error)
{
  g_autoptr (LineFolder) folder = line_folder_open (output, TRUE, error);
  FILE *out = folder ? begin_file (folder, LINE_SPOOL_CURRENT, error) : NULL;
  gboolean good = out
      && (!record || line_recording_begin (config, recipe, folder, error));

  for (guint i = 0; i < config->lanes->len && good; i++) {
    const LineLaneConfig *lane =
        &g_array_index (config->lanes, LineLaneConfig, i);

    good = record ? run_recorded (config, lane, recipe, folder, out, output,
        error) : line_lane_run (config, lane, recipe, out, NULL, error);
  }
  good = end_file (out, good, output, LINE_SPOOL_CURRENT, error);
  return good;
}

/* Live */

/* A folder of this run's own, named for its time. */
static char *
name_output (const char *folder)
{
  g_autofree char *name = line_spool_name_run (folder,
      g_get_real_time () / G_USEC_PER_SEC);

  return g_build_filename (folder, name, NULL);
}

static gboolean
run_live (const LineConfig * config, LineRecipe * recipe,
    const Options * options, const char *folder, GError ** error)
{
  g_autofree char *output = options->output ? g_strdup (options->output) :
      name_output (folder);
  LineLiveOptions live = { config, recipe, output,
    options->output ? NULL : folder,
    (guint64) (options->seconds * config->triggers_per_second + 0.5),
    options->record || config->record,
    options->port >= 0 ? options->port : config->port ? (gint) config->port : -1
  };
  const gboolean good = (!config->plc.address || line_plc_check (config, error))
      && line_live_run (&live, error);

  /* the status is what is left */
  signal (SIGTERM, SIG_IGN);
  signal (SIGINT, SIG_IGN);
  return good;
}

/* Of pieces that have a size; without sizes of all. */
static void
find_sizes (const LineGeometry * geometry, const LineRecipe * recipe,
    gdouble * least, gdouble * most)
{
  const gdouble widest = line_geometry_get_widest (geometry);

  *least = recipe->sizes->len > 0 ? widest : 0;
  *most = recipe->sizes->len > 0 ? 0 : widest;
  for (guint i = 0; i < recipe->sizes->len; i++) {
    const LineSize *size = &g_array_index (recipe->sizes, LineSize, i);

    *least = MIN (*least, size->min_mm);
    *most = MAX (*most, size->max_mm);
  }
  *least = MAX (*least, recipe->min_diameter);
  *most = MIN (*most, widest);
}

static void
print_reach (const LineGeometry * geometry, gdouble diameter)
{
  g_print ("%u views and %u cups see %.0f %% of a piece of %.0f mm at less than "
      "60 degrees\n", geometry->views, geometry->cups,
      100 * line_coverage_reach (geometry, diameter), diameter);
}

static void
print_lanes (const LineConfig * config, const LineGeometry * geometry)
{
  const char *separator = "";

  for (guint i = 0; i < config->lanes->len; i++) {
    const LineLaneConfig *lane = line_config_get_lane (config, i);

    if (lane->geometry != geometry)
      continue;
    g_print ("%s%s", separator, lane->name);
    separator = ", ";
  }
  g_print (":\n");
}

/* On rollers small pieces turn further than large ones. */
static void
print_reaches (const LineConfig * config, const LineRecipe * recipe)
{
  for (guint i = 0; i < config->geometries->len; i++) {
    const LineGeometry *geometry = g_ptr_array_index (config->geometries, i);
    gdouble least, most;

    if (config->geometries->len > 1)
      print_lanes (config, geometry);
    find_sizes (geometry, recipe, &least, &most);
    if (geometry->travel == 0) {
      print_reach (geometry, (least + most) / 2);
    } else {
      print_reach (geometry, least);
      print_reach (geometry, most);
    }
  }
}

int
line_check_main (int argc, char **argv)
{
  const GOptionEntry entries[] = { {NULL} };
  g_autoptr (LineConfig) config = NULL;
  g_autoptr (GError) error = NULL;

  if (!line_options_parse (&argc, &argv, entries, 1, "CONFIG",
          "Looks for errors in CONFIG and its recipes; opens nothing else."))
    return 2;
  g_autoptr (LineRecipe) recipe = load (argv[1], &config, &error);
  if (recipe && (!config->recipes || (line_recipes_check (config->recipes,
                  recipe, config->geometries, &error)
              && line_recipes_check_numbers (config->recipes, &config->plc,
                  &error)))
      && (!config->plc.address || line_plc_check (config, &error))) {
    g_print ("%s and %s are good; recipe %s\n", argv[1], config->recipe,
        recipe->hash);
    print_reaches (config, recipe);
  }
  return line_options_end (error);
}

int
line_run_main (int argc, char **argv)
{
  Options options = {.port = -1 };
  const GOptionEntry entries[] = {
    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
        "Folder for decisions, report and pictures; the configuration's, and in "
          "it one for each run, if not given", "FOLDER"},
    {"seconds", 's', 0, G_OPTION_ARG_DOUBLE, &options.seconds,
        "End after so many seconds", "N"},
    {"record", 0, 0, G_OPTION_ARG_NONE, &options.record,
        "Record all lanes' shapes, for fruit-line replay", NULL},
    {"port", 'p', 0, G_OPTION_ARG_INT, &options.port,
        "Port of a page that shows the line, and of /metrics; 0: any free one",
          "N"},
    {"fast", 0, 0, G_OPTION_ARG_NONE, &options.fast,
        "As fast as it goes, one lane after the other; times are computed, so "
          "that the same files make the same lines", NULL},
    {NULL}
  };
  g_autoptr (LineConfig) config = NULL;
  g_autoptr (GError) error = NULL;

  if (!line_options_parse (&argc, &argv, entries, 1, "CONFIG", "Runs a line."))
    return 2;
  g_autoptr (LineRecipe) recipe = load (argv[1], &config, &error);
  if (recipe)
    line_elements_init ();
  if (recipe && options.fast)
    run_lanes (config, recipe, options.output ? options.output :
        config->output, options.record || config->record, &error);
  else if (recipe)
    run_live (config, recipe, &options, config->output, &error);
  g_free (options.output);
  return line_options_end (error);
}

/* The shipped configuration, whose last group is a simulated lane, with more of
 * them; time ends it. */
static LineConfig *
make_simulation (guint lanes, GError ** error)
{
  const char *path = LINE_INI_RESOURCE "/line/line1.ini";
  g_autoptr (GString) text = NULL;
  gsize size;
  g_autofree char *shipped = NULL;

  if (!line_ini_load (path, &shipped, &size, error))
    return NULL;
  text = g_string_new_len (shipped, size);
  g_string_append (text, "triggers=0\n");
  for (guint i = 2; i <= lanes; i++) {
    /* Another lane like that of @shipped, with fruits of its own. */
    const char *keys = strstr (shipped, "source=");

    /* the seed is the last of them */
    g_string_append_printf (text, "[lane lane%u]\n%.*sseed=%u\ntriggers=0\n", i,
        (int) (strstr (keys, "seed=") - keys), keys, i);
  }
  return line_config_parse (path, text->str, text->len, error);
}

int
line_simulate_main (int argc, char **argv)
{
  Options options = {.lanes = 1,.port = 0,.seconds = 60 };
  const GOptionEntry entries[] = {
    {"seconds", 's', 0, G_OPTION_ARG_DOUBLE, &options.seconds,
        "How long (60)", "N"},
    {"lanes", 'l', 0, G_OPTION_ARG_INT, &options.lanes,
        "Lanes of ten pieces a second (1); the simulation itself takes a "
          "quarter of a core for each", "N"},
    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
        "Folder for decisions, report and pictures; in fruit-line-output, if "
          "not given", "FOLDER"},
    {"record", 0, 0, G_OPTION_ARG_NONE, &options.record,
        "Record all lanes' shapes, for fruit-line replay", NULL},
    {"port", 'p', 0, G_OPTION_ARG_INT, &options.port,
        "Port of the page that shows the line (any free one)",
          "N"},
    {NULL}
  };
  g_autoptr (LineConfig) config = NULL;
  g_autoptr (LineRecipe) recipe = NULL;
  g_autoptr (GError) error = NULL;

  if (!line_options_parse (&argc, &argv, entries, 0, NULL, "Runs a simulated line, which "
          "needs no camera and no network, and tells how often it was right."))
    return 2;
  if (options.lanes < 1 || options.lanes > LINE_MAX_LANES
      || !(options.seconds >= 1 && options.seconds <= 1e7)) {
    g_printerr ("there can be 1 to %d lanes, for 1 to 10,000,000 seconds\n",
        LINE_MAX_LANES);
    g_free (options.output);
    return 2;
  }
  config = make_simulation (options.lanes, &error);
  if (config)
    recipe = line_recipe_load_checked (config->recipe, config->geometries,
        &error);
  if (recipe) {
    line_elements_init ();
    run_live (config, recipe, &options, "fruit-line-output", &error);
  }
  g_free (options.output);
  return line_options_end (error);
}
