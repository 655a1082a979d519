/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "publish/publisher.h"
#include "settings.h"
#include "world.h"

/* The two processes of the world, the line and its publisher: the product's own
 * code, from line_live_run() and from line_publisher_step() on. Both are started
 * again when they are gone. */

typedef struct
{
  guint64 runs, kills;
} ProcessesCounts;

/* @config: outlives it */
void processes_begin (LineConfig * config, const LinePublishSource * source);

/* For world_at() */
void processes_start_line (gpointer data);
void processes_start_publisher (gpointer data);

/* SIGKILL, and a start after @pause. Returns: FALSE if it is not there, or about
 * to end */
gboolean processes_kill_line (gint64 pause);
gboolean processes_kill_publisher (gint64 pause);
gboolean processes_are_both_there (void);

/* SIGTERM, and a start some seconds after the end. */
void processes_end_line (gint64 pause);
void processes_end_publisher (gint64 pause);

/* SIGSTOP for a while, of one that is there. */
void processes_stop_line (gint64 length);
void processes_stop_publisher (gint64 length);

/* SIGHUP: the recipe is read again. */
void processes_reload (void);

/* SIGTERM; nothing is started any more. */
void processes_finish_line (void);

ProcessesCounts processes_get_counts (void);
