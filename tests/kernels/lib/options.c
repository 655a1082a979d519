/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "options.h"

#include <stdio.h>
#include <string.h>

gboolean
check_options_parse (int argc, char **argv, guint n_brief, guint n_all,
    CheckOptions * options)
{
  guint64 numbers[2] = { 0, 1 };
  guint n = 0;

  *options = (CheckOptions) {.backend = "cpu" };
  for (int i = 1; i < argc; i++)
    if (strcmp (argv[i], "--backend") == 0 && i + 1 < argc) {
      options->backend = argv[++i];
    } else if (strcmp (argv[i], "--brief") == 0) {
      options->brief = TRUE;
    } else if (strcmp (argv[i], "--bench") == 0) {
      options->measure = TRUE;
    } else if (g_ascii_isdigit (argv[i][0]) && n < G_N_ELEMENTS (numbers)) {
      numbers[n++] = g_ascii_strtoull (argv[i], NULL, 10);
    } else {
      fprintf (stderr, "%s: unknown argument %s\n", argv[0], argv[i]);
      return FALSE;
    }
  options->n_cases = n > 0 ? (guint) numbers[0] :
      options->brief ? n_brief : n_all;
  options->seed = numbers[1];
  return TRUE;
}
