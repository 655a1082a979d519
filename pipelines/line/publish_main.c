/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "publish_main.h"

#include "publish/options.h"
#include "publish/run.h"
#include "settings.h"

static void
publish (const LineConfig * config, GError ** error)
{
  const LinePublishSource source = { config->name, config->output,
    config->publish
  };

  if (config->publish)
    line_publish_run (&source, error);
  else
    line_fail (error, LINE_ERROR_INVALID, "the configuration has no group "
        "[publish]: docs/publishing.md tells its keys");
}

int
line_publish_main (int argc, char **argv)
{
  const GOptionEntry entries[] = { {NULL} };
  g_autoptr (GError) error = NULL;

  if (!line_options_parse (&argc, &argv, entries, 1, "CONFIG", "Sends the "
          "decisions of all runs in CONFIG's output folder to a broker, until "
          "SIGTERM comes."))
    return 2;
  g_autoptr (LineConfig) config = line_config_load (argv[1], &error);
  if (config)
    publish (config, &error);
  return line_options_end (error);
}
