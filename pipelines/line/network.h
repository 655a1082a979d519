/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "publish/ini.h"

/**
 * LineNetwork:
 *
 * A network as a child process: pictures go to its standard input, tensors come
 * from its standard output, as docs/fruit-line.md defines. A child that ends,
 * answers too late or wrongly is ended, and started again, at most once a
 * second. For one thread, but for line_network_cancel(). The program has to
 * ignore SIGPIPE.
 */
typedef struct _LineNetwork LineNetwork;

/* Starts the child. @argv: the command, copied; a program with a slash in its
 * name is relative to @folder. @folder: it is run in; NULL for this one */
LineNetwork *line_network_new (const char *const *argv, const char *folder,
    guint rows, guint columns, guint classes, GError ** error);

/* The child has half a second to end by itself, then it is ended. */
void line_network_free (LineNetwork * network);

/* @rgb: rows x columns x 3. @tensor: rows x columns x classes. @timeout: in
 * microseconds; some 40 ms more may pass to end a child that has failed.
 * Returns: FALSE with @error set; @tensor may have changed */
gboolean line_network_run (LineNetwork * network, const guint8 * rgb,
    gfloat * tensor, gint64 timeout, GError ** error);

/* Whether the child has answered once. One that has not may still be loading
 * its model. */
gboolean line_network_is_loaded (const LineNetwork * network);

/* From any thread: a run in progress and all later ones fail at once. */
void line_network_cancel (LineNetwork * network);
