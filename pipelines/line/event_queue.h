/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "event.h"

/**
 * LineEventQueue:
 *
 * Events on their way from many threads to one, in order, bounded.
 */
typedef struct _LineEventQueue LineEventQueue;

LineEventQueue *line_event_queue_new (guint capacity);
/* Clears the events that are left. */
void line_event_queue_free (LineEventQueue * queue);

/* Takes what @event owns. Waits while the queue is full. */
void line_event_queue_post (LineEventQueue * queue, const LineEvent * event);

/* Waits for an event until @until, of g_get_monotonic_time(). Returns: FALSE if
 * none has come */
gboolean line_event_queue_take (LineEventQueue * queue, LineEvent * event,
    gint64 until);

/* Events that wait. */
guint line_event_queue_count (LineEventQueue * queue);
