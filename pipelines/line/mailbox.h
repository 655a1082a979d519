/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LINE_MAILBOX_H
#define LINE_MAILBOX_H

#include "event.h"

G_BEGIN_DECLS

/**
 * LineMailbox:
 *
 * Events on their way from many threads to one, in order, bounded.
 */
typedef struct _LineMailbox LineMailbox;

LineMailbox *line_mailbox_new (guint capacity);
/* Clears the events that are left. */
void line_mailbox_free (LineMailbox * mailbox);

/* Takes what @event owns. Waits while the mailbox is full. */
void line_mailbox_post (LineMailbox * mailbox, const LineEvent * event);

/* Waits for an event until @until, of g_get_monotonic_time(). Returns: FALSE if
 * none has come */
gboolean line_mailbox_take (LineMailbox * mailbox, LineEvent * event,
    gint64 until);

/* Events that wait. */
guint line_mailbox_count (LineMailbox * mailbox);

G_END_DECLS

#endif /* LINE_MAILBOX_H */
