/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "desks.h"

/* @time: of the last event. @due: of the next tick */
typedef struct
{
  LineDesk *desk;
  gint64 time, due;
  gboolean is_finished;
} Seat;

/* @looked_at: when the mailbox was looked at; @unread: of the events that waited
 * then, how many still do */
struct _LineDesks
{
  Seat *seats;
  guint n_seats, n_finished;
  LineMailbox *mailbox;
  gint64 looked_at;
  guint unread;
  LineClock clock;
  LineHandled handled;
  gpointer user;
};

LineDesks *
line_desks_new (LineDesk * const *all, guint n_desks, LineMailbox * mailbox,
    LineClock clock, LineHandled handled, gpointer user)
{
  LineDesks *desks = g_new0 (LineDesks, 1);

  desks->n_seats = n_desks;
  desks->seats = g_new0 (Seat, n_desks);
  for (guint i = 0; i < n_desks; i++)
    desks->seats[i] = (Seat) {all[i],.due = G_MAXINT64 };
  desks->mailbox = mailbox;
  desks->clock = clock;
  desks->handled = handled;
  desks->user = user;
  return desks;
}

void
line_desks_free (LineDesks * desks)
{
  for (guint i = 0; i < desks->n_seats; i++)
    line_desk_free (desks->seats[i].desk);
  g_free (desks->seats);
  g_free (desks);
}

/* Decides the lane's next piece. */
static void
tick (LineDesks * desks, guint lane)
{
  Seat *seat = &desks->seats[lane];
  LineEvent event = {.type = LINE_EVENT_TICK,.lane = lane,
    .time = MAX (desks->clock (desks->user), seat->time)
  };

  line_desk_handle (seat->desk, &event);
  event.time = MAX (event.time, line_desk_get_time (seat->desk));
  seat->time = event.time;
  seat->due = line_desk_next_due (seat->desk);
  desks->handled (lane, &event, desks->user);
}

static void
decide_until (LineDesks * desks, gint64 time)
{
  for (guint i = 0; i < desks->n_seats; i++)
    while (desks->seats[i].due <= time)
      tick (desks, i);
}

void
line_desks_handle (LineDesks * desks, LineEvent * event)
{
  const gboolean is_finish = event->type == LINE_EVENT_FINISH;
  const guint lane = event->lane;
  Seat *seat = &desks->seats[lane];

  event->time = seat->time = MAX (desks->clock (desks->user), seat->time);
  /* a clock of another's may be ahead */
  event->came = MIN (event->came, event->time);
  desks->handled (lane, event, desks->user);
  line_desk_handle (seat->desk, event);
  seat->due = line_desk_next_due (seat->desk);
  while (seat->due == G_MININT64)
    tick (desks, lane);
  if (is_finish && !seat->is_finished) {
    seat->is_finished = TRUE;
    desks->n_finished++;
  }
}

static void
look_at_mailbox (LineDesks * desks)
{
  desks->looked_at = desks->clock (desks->user);
  desks->unread = line_mailbox_count (desks->mailbox);
}

gint
line_desks_work (LineDesks * desks, gint64 until)
{
  LineEvent event;
  gint lane = -1;

  if (line_mailbox_take (desks->mailbox, &event, until)) {
    lane = event.lane;
    line_desks_handle (desks, &event);
    desks->unread -= desks->unread > 0;
    if (desks->unread == 0)
      decide_until (desks, desks->looked_at);
  }
  if (desks->unread == 0)
    look_at_mailbox (desks);
  if (desks->unread == 0)
    decide_until (desks, desks->looked_at);
  return lane;
}

gint64
line_desks_next_due (const LineDesks * desks)
{
  gint64 due = G_MAXINT64;

  for (guint i = 0; i < desks->n_seats; i++)
    due = MIN (due, desks->seats[i].due);
  return due;
}

gboolean
line_desks_are_finished (const LineDesks * desks)
{
  return desks->n_finished == desks->n_seats;
}

LineCounts
line_desks_get_counts (const LineDesks * desks, guint lane)
{
  return line_desk_get_counts (desks->seats[lane].desk);
}
