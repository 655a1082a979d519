/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "options.h"

#include <stdlib.h>

gboolean
line_options_parse (int *argc, char ***argv, const GOptionEntry * entries,
    int n_words, const char *words, const char *summary)
{
  g_autoptr (GOptionContext) context = g_option_context_new (words);
  g_autoptr (GError) error = NULL;

  g_option_context_set_summary (context, summary);
  g_option_context_add_main_entries (context, entries, NULL);
  gboolean good = g_option_context_parse (context, argc, argv, &error);
  if (good && *argc != n_words + 1) {
    g_autofree char *help = g_option_context_get_help (context, TRUE, NULL);

    g_printerr ("%s", help);
    good = FALSE;
  }
  if (error)
    g_printerr ("%s\n", error->message);
  return good;
}

int
line_options_end (const GError * error)
{
  if (error)
    g_printerr ("%s\n", error->message);
  return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
