/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "votes_world.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "random.h"

World world;
guint64 world_random = 1;

guint
throw (guint n)
{
  return random_below (&world_random, n);
}

guint
count_bits (guint32 bits)
{
  return bits ? 1 + count_bits (bits & (bits - 1)) : 0;
}

/* Making */

static void
fire (guint64 n, gint64 time, guint32 awaited, gpointer user)
{
  Fired *trigger = &world.triggers[n];

  expect (n == world.n_triggers && n < MOST_EVENTS, "trigger %u is the %u",
      (guint) n, world.n_triggers);
  expect (n == 0 || time >= world.triggers[n - 1].time,
      "trigger %u is before the last one", (guint) n);
  *trigger = (Fired) {.time = time,.known = world.now,.awaited = awaited,
    .is_alone = world.votes.is_alone
  };
  world.n_triggers++;
}

void
make_world (guint views, guint min_cameras)
{
  memset (&world, 0, sizeof (world));
  world.views = views;
  world.votes = (LineCameraVotes) {.views = views,
    .min_cameras = min_cameras,.cups = CUPS,.tolerance = TOLERANCE,
    .fired = fire
  };
  for (guint v = 0; v < views; v++)
    world.devices[v] = (Device) {
      .ahead = (gint64) throw (1u << 30) * 1000 - 500 * SECOND,
      .ppm = (gint64) throw (161) - 80,
      .takes = (2 + throw (8)) * MS,
      .id = throw (3) ? 1 + throw (65535) : 65500 + throw (35),
      .is_wide = throw (4) == 0
    };
}

Event *
add_event (Kind kind, guint view, gint64 time)
{
  Event *event = &world.events[world.n_events++];

  g_assert (world.n_events <= MOST_EVENTS);
  *event = (Event) {kind, view, NO_PULSE, time,.arrival = time};
  return event;
}

void
add_pulse (gint64 time, guint32 seers, guint32 lost)
{
  const guint n = world.n_pulses++;

  g_assert (n < MOST_PULSES);
  world.pulses[n] = time;
  for (guint v = 0; v < world.views; v++)
    if (seers & (1u << v))
      add_event (lost & (1u << v) ? LOST : PICTURE, v, time)->pulse = n;
}

void
add_spike (guint view, gint64 time)
{
  add_event (PICTURE, view, time);
}

static int
compare_numbers (gint64 a, gint64 b)
{
  return a < b ? -1 : a > b;
}

static int
compare (const Event * a, const Event * b, gboolean by_arrival)
{
  int order = by_arrival ? compare_numbers (a->arrival, b->arrival) :
      compare_numbers (a->time, b->time);

  if (order == 0)
    order = compare_numbers (b->kind, a->kind);
  if (order == 0)
    order = compare_numbers (a->view, b->view);
  return order ? order : compare_numbers (a->time, b->time);
}

static int
compare_times (gconstpointer a, gconstpointer b)
{
  return compare (a, b, FALSE);
}

static int
compare_arrivals (gconstpointer a, gconstpointer b)
{
  return compare (a, b, TRUE);
}

void
take_pictures (guint jitter_ms)
{
  gboolean is_there[MOST_VIEWS] = { FALSE };
  gint64 arrivals[MOST_VIEWS] = { 0 };

  qsort (world.events, world.n_events, sizeof (Event), compare_times);
  for (guint i = 0; i < world.n_events; i++) {
    Event *event = &world.events[i];
    Device *device = &world.devices[event->view];
    gint64 late = throw (jitter_ms * 1000 + 1) * 1000;

    if (event->kind > LOST) {
      is_there[event->view] = event->kind == JOIN;
      if (event->kind == JOIN && throw (2))
        device->id = 1;
      continue;
    }
    if (!is_there[event->view]) {
      event->kind = LOST;
      continue;
    }
    if (event->pulse != NO_PULSE) {
      world.takers[event->pulse] |= 1u << event->view;
      if (event->kind == PICTURE)
        world.receivers[event->pulse] |= 1u << event->view;
    }
    event->camera_time = event->time + device->ahead
        + event->time / 1000000 * device->ppm;
    event->id = device->id;
    device->id = device->id == G_MAXUINT16 && !device->is_wide ? 1 :
        device->id + 1;
    event->arrival = MAX (arrivals[event->view] + 1,
        event->time + device->takes + late);
    /* the rest of it is waited for */
    if (event->kind == REMAINS)
      event->arrival += 20 * MS;
    if (event->kind != LOST)
      arrivals[event->view] = event->arrival;
    world.taken[world.n_taken++] = *event;
  }
}

void
stall (gint64 time, gint64 length)
{
  for (guint i = 0; i < world.n_events; i++)
    if (world.events[i].arrival > time
        && world.events[i].arrival < time + length) {
      world.events[i].arrival = time + length;
      world.events[i].is_stalled = TRUE;
    }
}

/* Running */

static void
take_verdicts (void)
{
  for (guint v = 0; v < world.views; v++) {
    Device *device = &world.devices[v];
    LineCameraVerdict verdict;

    while (line_camera_votes_take (&world.votes, v, &verdict)) {
      const Event *event = &world.events[device->waiting[0]];
      Fired *trigger = &world.triggers[verdict.trigger % MOST_EVENTS];

      memmove (device->waiting, device->waiting + 1,
          --device->n_waiting * sizeof (device->waiting[0]));
      device->spikes += verdict.spikes;
      device->missed += verdict.missed;
      device->n_lost += verdict.is_lost;
      expect (verdict.trigger == LINE_NO_TRIGGER
          || verdict.trigger < world.n_triggers, "trigger %u of %u",
          (guint) verdict.trigger, world.n_triggers);
      if (verdict.trigger == LINE_NO_TRIGGER
          || !(trigger->awaited & (1u << v))) {
        device->n_refused += event->pulse != NO_PULSE;
        continue;
      }
      device->n_used++;
      trigger->first = trigger->n_pictures ? MIN (trigger->first,
          event->time) : event->time;
      trigger->last = trigger->n_pictures ? MAX (trigger->last,
          event->time) : event->time;
      trigger->n_pictures++;
    }
  }
}

static void
leave (guint view)
{
  world.devices[view].n_waiting = 0;
  world.devices[view].is_plugged = FALSE;
  line_camera_votes_leave (&world.votes, view);
}

/* Who is silent is asked whether it is there, after its pictures are handled. */
static void
ask_the_silent (gint64 now)
{
  for (guint v = 0; v < world.views; v++) {
    gboolean is_new;

    if (!line_camera_votes_get_silence (&world.votes, v, now - TIMEOUT,
            &is_new) || !is_new)
      continue;
    if (world.devices[v].is_plugged)
      line_camera_votes_deny (&world.votes, v, now - TIMEOUT);
    else
      leave (v);
    take_verdicts ();
  }
}

static void
handle (guint i)
{
  const Event *event = &world.events[i];
  const guint v = event->view;
  Device *device = &world.devices[v];

  switch (event->kind) {
    case JOIN:
      memset (&device->sync, 0, sizeof (device->sync));
      device->is_plugged = TRUE;
      line_camera_votes_join (&world.votes, v, event->arrival);
      break;
    case UNPLUG:
      device->is_plugged = FALSE;
      break;
    case LEAVE:
      leave (v);
      break;
    case REMAINS:
      line_camera_votes_see_remains (&world.votes, v, event->arrival,
          TIMEOUT);
      break;
    case PICTURE:
      line_camera_sync_see (&device->sync, event->id, event->camera_time,
          event->arrival);
      if (line_camera_votes_see (&world.votes, v, &device->sync))
        device->waiting[device->n_waiting++] = i;
      else
        device->n_refused += event->pulse != NO_PULSE;
      break;
    case LOST:
      break;
  }
}

void
run_world (void)
{
  qsort (world.events, world.n_events, sizeof (Event), compare_arrivals);
  for (guint i = 0; i < world.n_events && !case_has_failed (); i++) {
    world.now = world.events[i].arrival;
    if (!world.events[i].is_stalled)
      ask_the_silent (world.events[i].arrival - 1);
    handle (i);
    take_verdicts ();
    line_camera_votes_expire (&world.votes,
        world.events[i].arrival - TIMEOUT);
    take_verdicts ();
  }
}

void
join_all (void)
{
  for (guint v = 0; v < world.views; v++)
    add_event (JOIN, v, START - (1 + v) * MS);
}

/* Truth */

/* Cameras' times are off by a few milliseconds, as pictures come. */
#define NEAR (TOLERANCE + 12 * MS)

static gboolean
is_of (const Fired * trigger, guint pulse)
{
  return trigger->n_pictures == 0
      || (ABS (trigger->first - world.pulses[pulse]) <= NEAR
      && ABS (trigger->last - world.pulses[pulse]) <= NEAR);
}

void
expect_pulses (guint enough)
{
  guint n = 0;

  for (guint p = 0; p < world.n_pulses; p++) {
    if (count_bits (world.takers[p]) < enough)
      continue;
    expect (n < world.n_triggers, "pulse %u is no trigger", p);
    if (n < world.n_triggers)
      expect (is_of (&world.triggers[n], p), "trigger %u has pictures of %u to "
          "%u ms from pulse %u", n, (guint) ((world.triggers[n].first
                  - world.pulses[p]) / MS), (guint) ((world.triggers[n].last
                  - world.pulses[p]) / MS), p);
    n++;
    if (case_has_failed ())
      return;
  }
  expect (n == world.n_triggers, "%u triggers of %u pulses", world.n_triggers,
      n);
}

/* Cameras that have a picture of that time, or lost one that may have been: by
 * their ids nobody knows of which time it was. */
static guint32
find_takers (guint pulse)
{
  const gint64 time = world.pulses[pulse];
  guint32 takers = 0;

  for (guint v = 0; v < world.views; v++) {
    gboolean has_lost = FALSE;

    for (guint i = 0; i < world.n_taken; i++) {
      const Event *event = &world.taken[i];

      if (event->view != v)
        continue;
      if (ABS (event->time - time) <= NEAR)
        takers |= 1u << v;
      if (event->kind == PICTURE && event->time > time)
        break;
      has_lost = event->kind == PICTURE ? FALSE : TRUE;
    }
    if (has_lost)
      takers |= 1u << v;
  }
  return takers;
}

guint
find_wrong (guint enough)
{
  gint64 last = 0;
  guint p = 0;

  for (guint n = 0; n < world.n_triggers; n++) {
    const Fired *trigger = &world.triggers[n];

    if (trigger->n_pictures == 0)
      continue;
    if (trigger->last - trigger->first > 2 * TOLERANCE
        || trigger->first <= last)
      return n;
    last = trigger->last;
    if (trigger->is_alone)
      continue;
    while (p < world.n_pulses && !(is_of (trigger, p)
            && count_bits (find_takers (p)) >= enough))
      p++;
    if (p == world.n_pulses)
      return n;
    p++;
  }
  return world.n_triggers;
}
