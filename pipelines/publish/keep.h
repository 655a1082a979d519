/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "streams.h"

/**
 * LinePublishKeeper:
 * @most_bytes: of files that are kept; 0 for all
 * @most_days: that they are kept; 0 for ever
 * @late: names of files that were told, with their paths
 * @deleted: files
 * @gaps: places where lines are not published: files that were told
 * @is_held: there are too many files, but they may not be deleted
 *
 * Looks after the files of streams that are behind what is acknowledged.
 */
typedef struct
{
  guint64 most_bytes;
  gdouble most_days;
  GHashTable *late;
  guint64 deleted, gaps;
  gboolean is_held;
} LinePublishKeeper;

/* Prints, once, each file that was written after the one behind it was: what is
 * new in it is not read. Deletes the oldest files if there are too many, but only
 * those that are read to their end, whose acknowledgement is on the disk, and
 * prints that. @now: microseconds since 1970 */
void line_publish_keeper_check (LinePublishKeeper * keeper,
    const GPtrArray * streams, gint64 now);
