/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "deciders.h"

/* What can wait for a piece: a recipe, and a lot */
#define KINDS 2

/* @time: of the last event. @due: of the next tick. @waiting: by kind, events
 * that wait for a piece, if @is_waiting */
typedef struct
{
  LineDecider *decider;
  gint64 time, due;
  gboolean is_finished, is_waiting[KINDS];
  LineEvent waiting[KINDS];
} Lane;

/* @looked_at: when the queue was looked at; @unread: of the events that waited
 * then, how many still do */
struct _LineDeciders
{
  Lane *lanes;
  guint n_lanes, n_finished;
  LineEventQueue *queue;
  gint64 looked_at;
  guint unread;
  LineClock clock;
  LineHandled handled;
  gpointer user;
};

LineDeciders *
line_deciders_new (LineDecider * const *all, guint n_deciders, LineEventQueue * queue,
    LineClock clock, LineHandled handled, gpointer user)
{
  LineDeciders *deciders = g_new0 (LineDeciders, 1);

  deciders->n_lanes = n_deciders;
  deciders->lanes = g_new0 (Lane, n_deciders);
  for (guint i = 0; i < n_deciders; i++)
    deciders->lanes[i] = (Lane) {all[i],.due = G_MAXINT64 };
  deciders->queue = queue;
  deciders->clock = clock;
  deciders->handled = handled;
  deciders->user = user;
  return deciders;
}

void
line_deciders_free (LineDeciders * deciders)
{
  for (guint i = 0; i < deciders->n_lanes; i++) {
    line_decider_free (deciders->lanes[i].decider);
    for (guint k = 0; k < KINDS; k++)
      line_event_clear (&deciders->lanes[i].waiting[k]);
  }
  g_free (deciders->lanes);
  g_free (deciders);
}

/* Tells the lane's decider, now. */
static void
hand (LineDeciders * deciders, LineEvent * event)
{
  Lane *own = &deciders->lanes[event->lane];

  event->time = own->time = MAX (deciders->clock (deciders->user), own->time);
  /* a clock of another's may be ahead */
  event->came = MIN (event->came, event->time);
  deciders->handled (event->lane, event, deciders->user);
  line_decider_handle (own->decider, event);
}

/* What has waited for the piece that is decided next. */
static void
hand_waiting (LineDeciders * deciders, Lane * own)
{
  for (guint k = 0; k < KINDS; k++) {
    LineEvent event = own->waiting[k];

    if (own->is_waiting[k]
        && event.trigger <= line_decider_get_next (own->decider)) {
      own->is_waiting[k] = FALSE;
      own->waiting[k] = (LineEvent) { 0 };
      hand (deciders, &event);
    }
  }
}

/* Whether it waits now, for its piece. Takes @event then. What waited before it
 * does so no more: it is in force if its piece is the next one, as whoever asks
 * has been told. */
static gboolean
keep (LineDeciders * deciders, Lane * own, LineEvent * event)
{
  const guint kind = event->type == LINE_EVENT_LOT;

  if (event->type != LINE_EVENT_RECIPE && event->type != LINE_EVENT_LOT)
    return FALSE;
  hand_waiting (deciders, own);
  line_event_clear (&own->waiting[kind]);
  own->is_waiting[kind] = event->trigger > line_decider_get_next
      (own->decider);
  if (own->is_waiting[kind])
    own->waiting[kind] = *event;
  return own->is_waiting[kind];
}

/* Decides the lane's next piece. */
static void
tick (LineDeciders * deciders, guint lane)
{
  Lane *own = &deciders->lanes[lane];
  hand_waiting (deciders, own);
  LineEvent event = {.type = LINE_EVENT_TICK,.lane = lane,
    .time = MAX (deciders->clock (deciders->user), own->time)
  };

  line_decider_handle (own->decider, &event);
  event.time = MAX (event.time, line_decider_get_time (own->decider));
  own->time = event.time;
  own->due = line_decider_next_due (own->decider);
  deciders->handled (lane, &event, deciders->user);
}

static void
decide_until (LineDeciders * deciders, gint64 time)
{
  for (guint i = 0; i < deciders->n_lanes; i++)
    while (deciders->lanes[i].due <= time)
      tick (deciders, i);
}

void
line_deciders_handle (LineDeciders * deciders, LineEvent * event)
{
  const gboolean is_finish = event->type == LINE_EVENT_FINISH;
  const guint lane = event->lane;
  Lane *own = &deciders->lanes[lane];

  if (keep (deciders, own, event))
    return;
  hand (deciders, event);
  own->due = line_decider_next_due (own->decider);
  while (own->due == G_MININT64)
    tick (deciders, lane);
  if (is_finish && !own->is_finished) {
    own->is_finished = TRUE;
    deciders->n_finished++;
  }
}

gint
line_deciders_work (LineDeciders * deciders, gint64 until)
{
  LineEvent event;
  gint lane = -1;

  if (line_event_queue_take (deciders->queue, &event, until)) {
    lane = event.lane;
    line_deciders_handle (deciders, &event);
    deciders->unread -= deciders->unread > 0;
    if (deciders->unread == 0)
      decide_until (deciders, deciders->looked_at);
  }
  if (deciders->unread == 0) {
    deciders->looked_at = deciders->clock (deciders->user);
    deciders->unread = line_event_queue_count (deciders->queue);
  }
  if (deciders->unread == 0)
    decide_until (deciders, deciders->looked_at);
  return lane;
}

gint64
line_deciders_next_due (const LineDeciders * deciders)
{
  gint64 due = G_MAXINT64;

  for (guint i = 0; i < deciders->n_lanes; i++)
    due = MIN (due, deciders->lanes[i].due);
  return due;
}

gboolean
line_deciders_are_finished (const LineDeciders * deciders)
{
  return deciders->n_finished == deciders->n_lanes;
}

LineCounts
line_deciders_get_counts (const LineDeciders * deciders, guint lane)
{
  return line_decider_get_counts (deciders->lanes[lane].decider);
}
