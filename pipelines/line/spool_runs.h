/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "publish/folder.h"

/* Runs have folders of their own, named for their times, in one folder:
 * 2026-11-23T18-05-00Z, the second one of that second with -2 behind it. */

/* Bytes of such a name with the 0 behind it, at most */
#define LINE_SPOOL_RUN 40

gboolean line_spool_is_run (const char *name);

/* The folder of @run in @output; that itself for "". Returns: NULL if it is not
 * there, or is a link */
LineFolder *line_spool_open_run (const char *output, const char *run);

/* Of two such names, the older one is less. */
int line_spool_compare_runs (const char *a, const char *b);

/* The names of all runs in @output that have decisions and are not older than
 * @from (NULL or "": all), the oldest first, to be freed by
 * g_ptr_array_unref(). */
GPtrArray *line_spool_list_runs (const char *output, const char *from);

/* Writes the name of the oldest of them that is newer than @after (NULL or "":
 * of all) to @name. Returns: FALSE if there is none */
gboolean line_spool_find_run (const char *output, const char *after,
    char name[LINE_SPOOL_RUN]);

/* A name for a run that begins at @now, in seconds since 1970, newer than any
 * that is there even if the clock has been set back. To be freed. */
char *line_spool_name_run (const char *output, gint64 now);
