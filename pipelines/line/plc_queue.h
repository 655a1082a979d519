/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "plc_registers.h"

/**
 * LinePlcPiece:
 * @lane: index of its lane
 * @slot: what the PLC is told
 * @first: its first trigger, counted by the lane from 0
 * @decided: when, of g_get_monotonic_time()
 * @arrival: when it is at its outlet, in nanoseconds of line_clock_now()
 *
 * A decision on its way to the PLC.
 */
typedef struct
{
  guint lane;
  LinePlcSlot slot;
  guint64 first;
  gint64 decided, arrival;
} LinePlcPiece;

/**
 * LinePlcQueue:
 *
 * Pieces on their way to the PLC, in order, at most as many as there is room
 * for. Those whose arrival has passed are of no use to anybody: they make room.
 * It knows no clock. Not thread-safe.
 */
typedef struct _LinePlcQueue LinePlcQueue;

LinePlcQueue *line_plc_queue_new (guint capacity);
void line_plc_queue_free (LinePlcQueue * queue);

/* Returns: FALSE if there is no room at @now: the piece is dropped */
gboolean line_plc_queue_add (LinePlcQueue * queue, const LinePlcPiece * piece,
    gint64 now);

/* Whether a piece can be taken. */
typedef gboolean (*LinePlcReady) (const LinePlcPiece * piece, gpointer user);

/* Takes the first piece that has not arrived at @now, and is ready. @ready:
 * (nullable): all are. Returns: FALSE if there is none */
gboolean line_plc_queue_take (LinePlcQueue * queue, gint64 now,
    LinePlcReady ready, gpointer user, LinePlcPiece * piece);

guint line_plc_queue_get_length (const LinePlcQueue * queue);

/* Pieces that arrived while they were in the queue. */
guint64 line_plc_queue_get_late (const LinePlcQueue * queue);
/* Pieces that found no room. */
guint64 line_plc_queue_get_dropped (const LinePlcQueue * queue);
