/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mailbox.h"

struct _LineMailbox
{
  GMutex lock;
  GCond not_empty, not_full;
  guint capacity, first, n;
  LineEvent *events;
};

LineMailbox *
line_mailbox_new (guint capacity)
{
  LineMailbox *mailbox = g_new0 (LineMailbox, 1);

  g_mutex_init (&mailbox->lock);
  g_cond_init (&mailbox->not_empty);
  g_cond_init (&mailbox->not_full);
  mailbox->capacity = capacity;
  mailbox->events = g_new0 (LineEvent, capacity);
  return mailbox;
}

void
line_mailbox_free (LineMailbox * mailbox)
{
  for (guint i = 0; i < mailbox->n; i++)
    line_event_clear (&mailbox->events[(mailbox->first + i)
            % mailbox->capacity]);
  g_cond_clear (&mailbox->not_empty);
  g_cond_clear (&mailbox->not_full);
  g_mutex_clear (&mailbox->lock);
  g_free (mailbox->events);
  g_free (mailbox);
}

void
line_mailbox_post (LineMailbox * mailbox, const LineEvent * event)
{
  g_mutex_lock (&mailbox->lock);
  while (mailbox->n == mailbox->capacity)
    g_cond_wait (&mailbox->not_full, &mailbox->lock);
  mailbox->events[(mailbox->first + mailbox->n++) % mailbox->capacity] =
      *event;
  g_cond_signal (&mailbox->not_empty);
  g_mutex_unlock (&mailbox->lock);
}

gboolean
line_mailbox_take (LineMailbox * mailbox, LineEvent * event, gint64 until)
{
  gboolean is_there;

  g_mutex_lock (&mailbox->lock);
  while (mailbox->n == 0
      && g_cond_wait_until (&mailbox->not_empty, &mailbox->lock, until));
  is_there = mailbox->n > 0;
  if (is_there) {
    *event = mailbox->events[mailbox->first];
    mailbox->first = (mailbox->first + 1) % mailbox->capacity;
    mailbox->n--;
    g_cond_signal (&mailbox->not_full);
  }
  g_mutex_unlock (&mailbox->lock);
  return is_there;
}

guint
line_mailbox_count (LineMailbox * mailbox)
{
  guint n;

  g_mutex_lock (&mailbox->lock);
  n = mailbox->n;
  g_mutex_unlock (&mailbox->lock);
  return n;
}
