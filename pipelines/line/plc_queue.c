/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "plc_queue.h"

struct _LinePlcQueue
{
  LinePlcPiece *pieces;
  guint capacity, first, n;
  guint64 late, dropped;
};

LinePlcQueue *
line_plc_queue_new (guint capacity)
{
  LinePlcQueue *queue = g_new0 (LinePlcQueue, 1);

  queue->capacity = capacity;
  queue->pieces = g_new0 (LinePlcPiece, capacity);
  return queue;
}

void
line_plc_queue_free (LinePlcQueue * queue)
{
  g_free (queue->pieces);
  g_free (queue);
}

static void
remove_first (LinePlcQueue * queue)
{
  queue->first = (queue->first + 1) % queue->capacity;
  queue->n--;
}

static void
remove_late (LinePlcQueue * queue, gint64 now)
{
  while (queue->n > 0 && queue->pieces[queue->first].arrival <= now) {
    remove_first (queue);
    queue->late++;
  }
}

gboolean
line_plc_queue_add (LinePlcQueue * queue, const LinePlcPiece * piece,
    gint64 now)
{
  if (queue->n == queue->capacity)
    remove_late (queue, now);
  if (queue->n == queue->capacity) {
    queue->dropped++;
    return FALSE;
  }
  queue->pieces[(queue->first + queue->n++) % queue->capacity] = *piece;
  return TRUE;
}

static LinePlcPiece *
get_piece (const LinePlcQueue * queue, guint i)
{
  return &queue->pieces[(queue->first + i) % queue->capacity];
}

gboolean
line_plc_queue_take (LinePlcQueue * queue, gint64 now, LinePlcReady ready,
    gpointer user, LinePlcPiece * piece)
{
  remove_late (queue, now);
  for (guint i = 0; i < queue->n; i++) {
    *piece = *get_piece (queue, i);
    if (piece->arrival > now && (!ready || ready (piece, user))) {
      /* Those before it stay in order. */
      for (; i > 0; i--)
        *get_piece (queue, i) = *get_piece (queue, i - 1);
      remove_first (queue);
      return TRUE;
    }
  }
  return FALSE;
}

guint
line_plc_queue_get_length (const LinePlcQueue * queue)
{
  return queue->n;
}

guint64
line_plc_queue_get_late (const LinePlcQueue * queue)
{
  return queue->late;
}

guint64
line_plc_queue_get_dropped (const LinePlcQueue * queue)
{
  return queue->dropped;
}
