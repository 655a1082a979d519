/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "recipe.h"
#include "settings.h"

/**
 * LineLiveOptions:
 * @config: the line, with its lanes
 * @recipe: what it starts with
 * @output: folder of this run; must have nothing of another run
 * @runs: (nullable): folder of the runs before, whose numbers go on
 * @triggers: of each lane at most; 0 for no limit
 * @record: whether lanes' events are recorded
 * @port: of the page, 0 for any; -1 for none
 */
typedef struct
{
  const LineConfig *config;
  LineRecipe *recipe;
  const char *output, *runs;
  guint64 triggers;
  gboolean record;
  gint port;
} LineLiveOptions;

/**
 * line_live_run:
 * @options: of the run
 * @error: place for an error of the start
 *
 * Runs a line in real time, until its lanes' sources end, or SIGTERM or SIGINT
 * comes; SIGHUP reads the recipe again. A clock gives the triggers; a lane has
 * a thread for its source and one for its shapes; one thread decides for all
 * lanes, one writes.
 *
 * Once lanes run, what fails in one is printed and counted, and the others go
 * on. The report is printed and written at the end.
 *
 * Returns: FALSE with @error set if it could not start, or a frame is
 *     unaccounted for
 */
gboolean line_live_run (const LineLiveOptions * options, GError ** error);
