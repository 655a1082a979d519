/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Parses a command's options; @argv then has the command's word and @n_words
 * more. @words: their names, @summary: what the command does, both for its help.
 * Returns: FALSE with a message or the help printed */
gboolean line_options_parse (int *argc, char ***argv,
    const GOptionEntry * entries, int n_words, const char *words,
    const char *summary);

/* Prints @error, if it is not NULL. Returns: the exit status of a command that
 * ends so */
int line_options_end (const GError * error);
