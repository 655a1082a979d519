/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "event_queue.h"

#include "publish/lock.h"

struct _LineEventQueue
{
  GMutex lock;
  GCond not_empty, not_full;
  guint capacity, first, n;
  LineEvent *events;
};

LineEventQueue *
line_event_queue_new (guint capacity)
{
  LineEventQueue *queue = g_new0 (LineEventQueue, 1);

  g_mutex_init (&queue->lock);
  g_cond_init (&queue->not_empty);
  g_cond_init (&queue->not_full);
  queue->capacity = capacity;
  queue->events = g_new0 (LineEvent, capacity);
  return queue;
}

void
line_event_queue_free (LineEventQueue * queue)
{
  for (guint i = 0; i < queue->n; i++)
    line_event_clear (&queue->events[(queue->first + i) % queue->capacity]);
  g_cond_clear (&queue->not_empty);
  g_cond_clear (&queue->not_full);
  g_mutex_clear (&queue->lock);
  g_free (queue->events);
  g_free (queue);
}

void
line_event_queue_post (LineEventQueue * queue, const LineEvent * event)
{
  LINE_LOCK (&queue->lock);

  while (queue->n == queue->capacity)
    g_cond_wait (&queue->not_full, &queue->lock);
  queue->events[(queue->first + queue->n++) % queue->capacity] = *event;
  g_cond_signal (&queue->not_empty);
}

gboolean
line_event_queue_take (LineEventQueue * queue, LineEvent * event, gint64 until)
{
  LINE_LOCK (&queue->lock);

  while (queue->n == 0
      && g_cond_wait_until (&queue->not_empty, &queue->lock, until));
  gboolean is_there = queue->n > 0;
  if (is_there) {
    *event = queue->events[queue->first];
    queue->first = (queue->first + 1) % queue->capacity;
    queue->n--;
    g_cond_signal (&queue->not_full);
  }
  return is_there;
}

guint
line_event_queue_count (LineEventQueue * queue)
{
  LINE_LOCK (&queue->lock);

  return queue->n;
}
