/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Passwords and keys have files of their own, for configurations are copied and
 * read by many. Nothing here or by its callers prints what is in them. */

/* A regular file of this process' user or of root that nobody else may use, of
 * at most 64 KiB. Returns: its text, to be freed by line_secret_free(), or NULL
 * with @error set to what is wrong and what to do */
char *line_secret_load (const char *path, GError ** error);

/* Whether it would be loaded: of files that others read. */
gboolean line_secret_check (const char *path, GError ** error);

/* Leaves nothing of it in memory. */
void line_secret_free (char *secret);
