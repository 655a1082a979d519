/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "publish_status.h"
#include "publish_transport.h"
#include "settings.h"

/**
 * LinePublisher:
 *
 * Sends the decisions of all runs in a line's output folder, in order, and
 * keeps on the disk how far they are acknowledged. Each line is sent at least
 * once, the first time in order. Of what was acknowledged, less lines than
 * #LinePublishConfig.in_flight are sent again after whatever kill.
 */
typedef struct _LinePublisher LinePublisher;

/* Returns: microseconds until what was refused is sent again, after @rest the last
 * time; 0: it was not refused before */
gint64 line_publisher_get_rest (gint64 rest);

/* @config: has a #LineConfig.publish, and outlives it. @transport: to be used.
 * Fails if there is another publisher of the same folder, and if the state is
 * damaged or another line's. */
LinePublisher *line_publisher_new (const LineConfig * config,
    const LineTransportClass * transport, GError ** error);

/* Saves how far it is. */
void line_publisher_free (LinePublisher * publisher);

/* Does what there is to do, or waits for that, 50 ms at most. What fails is
 * printed when it begins and when it ends, counted, and tried again. */
void line_publisher_step (LinePublisher * publisher);

/* @status: its strings are valid until the next step */
void line_publisher_get_status (LinePublisher * publisher,
    LinePublishStatus * status);
