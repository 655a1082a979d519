/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "replay_main.h"

#include "publish/options.h"
#include "replay.h"

/* As diff(1) */
enum
{
  STATUS_SAME,
  STATUS_DIFFERENT,
  STATUS_ERROR,
};

static int
replay (const char *folder, const char *recipe)
{
  LineReplayResult result;
  g_autoptr (GError) error = NULL;
  int status = STATUS_ERROR;

  if (line_replay (folder, recipe, stdout, &result, &error))
    status = result.different ? STATUS_DIFFERENT : STATUS_SAME;
  fflush (stdout);
  if (error)
    g_printerr ("%s\n", error->message);
  return status;
}

int
line_replay_main (int argc, char **argv)
{
  g_autofree char *recipe = NULL;
  const GOptionEntry entries[] = {
    {"recipe", 'r', 0, G_OPTION_ARG_FILENAME, &recipe,
        "A recipe that decides in place of the recorded ones", "FILE"},
    {NULL}
  };
  int status = STATUS_ERROR;

  if (line_options_parse (&argc, &argv, entries, 1, "FOLDER", "Decides the "
          "pieces of a recorded run again, and compares. FOLDER: of the run's "
          "output.\nExit status: 0 if nothing differs, 1 if something does, 2 "
          "for an error."))
    status = replay (argv[1], recipe);
  return status;
}
