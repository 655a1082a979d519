/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "plc_queue.h"

/* @pieces: array of LinePlcPiece */
struct _LinePlcQueue
{
  GArray *pieces;
  guint capacity;
  guint64 late, dropped;
};

LinePlcQueue *
line_plc_queue_new (guint capacity)
{
  LinePlcQueue *queue = g_new0 (LinePlcQueue, 1);

  queue->capacity = capacity;
  queue->pieces = g_array_sized_new (FALSE, FALSE, sizeof (LinePlcPiece),
      capacity);
  return queue;
}

void
line_plc_queue_free (LinePlcQueue * queue)
{
  g_array_unref (queue->pieces);
  g_free (queue);
}

static const LinePlcPiece *
get_piece (const LinePlcQueue * queue, guint i)
{
  return &g_array_index (queue->pieces, LinePlcPiece, i);
}

static void
remove_late (LinePlcQueue * queue, gint64 now)
{
  guint n = 0;

  while (n < queue->pieces->len && get_piece (queue, n)->arrival <= now)
    n++;
  if (n > 0)
    g_array_remove_range (queue->pieces, 0, n);
  queue->late += n;
}

gboolean
line_plc_queue_add (LinePlcQueue * queue, const LinePlcPiece * piece,
    gint64 now)
{
  if (queue->pieces->len == queue->capacity)
    remove_late (queue, now);
  if (queue->pieces->len == queue->capacity) {
    queue->dropped++;
    return FALSE;
  }
  g_array_append_val (queue->pieces, *piece);
  return TRUE;
}

gboolean
line_plc_queue_take (LinePlcQueue * queue, gint64 now, LinePlcReady ready,
    gpointer user, LinePlcPiece * piece)
{
  remove_late (queue, now);
  for (guint i = 0; i < queue->pieces->len; i++) {
    *piece = *get_piece (queue, i);
    if (piece->arrival > now && (!ready || ready (piece, user))) {
      g_array_remove_index (queue->pieces, i);
      return TRUE;
    }
  }
  return FALSE;
}

guint
line_plc_queue_get_length (const LinePlcQueue * queue)
{
  return queue->pieces->len;
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
