/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "spool_files.h"
#include "settings.h"

/**
 * LineSpoolKeeper:
 *
 * Deletes the oldest decisions when there are too many: closed segments of this
 * run, and all of the older ones that are beside it. Recordings are kept
 * whatever there is, and with a publisher all that it has not had acknowledged.
 */
typedef struct _LineSpoolKeeper LineSpoolKeeper;

/**
 * LineSpoolKept:
 * @deleted: files, since the keeper was made
 * @deleted_bytes: in them
 * @bytes: that are there
 * @is_held: there are too many, but what is oldest may not be deleted
 */
typedef struct
{
  guint64 deleted, deleted_bytes, bytes;
  gboolean is_held;
} LineSpoolKept;

/* @output: folder of a run. Returns: NULL if @config sets no limit */
LineSpoolKeeper *line_spool_keeper_new (const LineConfig * config,
    const char *output);
void line_spool_keeper_free (LineSpoolKeeper * keeper);

/* Deletes what is too much at @now, in seconds since 1970, and prints that. */
void line_spool_keeper_check (LineSpoolKeeper * keeper, gint64 now,
    LineSpoolKept * kept);
