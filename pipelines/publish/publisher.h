/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "status.h"
#include "transport.h"

/**
 * LinePublisher:
 *
 * Sends the lines of a folder's streams, each stream's in order, and keeps on the
 * disk how far they are acknowledged. Each line is sent at least once, the first
 * time in order. Of what was acknowledged, #LinePublishConfig.in_flight lines at
 * most are sent again after whatever kill.
 */
typedef struct _LinePublisher LinePublisher;

/**
 * LinePublishSource:
 * @name: of the line, or of the publisher
 * @folder: where the lines are
 * @publish: where they go
 * @keep_bytes: of files that are kept, of all streams; 0 for all
 * @keep_days: that files are kept; 0 for ever
 *
 * What is published; outlives the publisher, with all that it refers to. Only
 * files whose lines are all acknowledged are deleted.
 */
typedef struct
{
  char *name, *folder;
  LinePublishConfig *publish;
  guint64 keep_bytes;
  gdouble keep_days;
} LinePublishSource;

/* Returns: microseconds until what was refused is sent again, after @rest the last
 * time; 0: it was not refused before */
gint64 line_publisher_get_rest (gint64 rest);

/* @transport: to be used. Fails if there is another publisher of the same folder,
 * and if the state is damaged or another line's. */
LinePublisher *line_publisher_new (const LinePublishSource * source,
    const LineTransportClass * transport, GError ** error);

/* Saves how far it is. */
void line_publisher_free (LinePublisher * publisher);

/* Does what there is to do, or waits for that, 50 ms at most. What fails is
 * printed when it begins and when it ends, counted, and tried again. */
void line_publisher_step (LinePublisher * publisher);

/* @status: what it refers to is valid until the next step */
void line_publisher_get_status (LinePublisher * publisher,
    LinePublishStatus * status);
