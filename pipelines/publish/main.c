/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudashapes-publish CONFIG: see docs/publishing.md */

#include <signal.h>

#include "message.h"
#include "options.h"
#include "run.h"
#include "shapes.h"

static gboolean
publish (const char *path, gboolean is_check, GError ** error)
{
  LinePublishSource *source = line_shapes_config_load (path, error);

  if (!source)
    return FALSE;
  const gboolean good = is_check || line_publish_run (source, error);
  line_shapes_config_free (source);
  return good;
}

int
main (int argc, char **argv)
{
  gboolean is_check = FALSE;
  const GOptionEntry entries[] = {
    {"check", 0, 0, G_OPTION_ARG_NONE, &is_check,
        "Look for errors in CONFIG, and end", NULL},
    {NULL}
  };
  g_autoptr (GError) error = NULL;

  line_message_guard ();
  /* a full disk is an error, no reason to end */
  signal (SIGPIPE, SIG_IGN);
  signal (SIGXFSZ, SIG_IGN);
  g_set_prgname ("cudashapes-publish");
  if (!line_options_parse (&argc, &argv, entries, 1, "CONFIG", "Sends the lines "
          "of JSON that shapejsonenc has written to CONFIG's folder to a broker, "
          "until SIGTERM comes."))
    return 2;
  if (publish (argv[1], is_check, &error) && is_check)
    g_print ("%s: good\n", argv[1]);
  return line_options_end (error);
}
