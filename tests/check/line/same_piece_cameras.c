/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The line's triggers as cameras tell of them, that are in the world of votes.
 * Each run of the line begins with all cameras that are there. */

#include "same_piece_belt.h"

#include "check.h"
#include "votes_world.h"

/* Of the time between triggers */
#define TOLERANCE_SHARE 4

static gboolean
is_there (const Script * script, guint view, gint64 time)
{
  for (guint i = 0; i < script->n_faults; i++) {
    const Fault *fault = &script->faults[i];

    if (fault->kind == FAULT_CAMERA && fault->amount % script->views == view
        && time >= fault->from && time < fault->to)
      return FALSE;
  }
  return TRUE;
}

/* That a camera is gone is seen a little later. */
static void
add_presence (const Script * script, guint view, gint64 from, gint64 to)
{
  gboolean was_there = FALSE;

  for (gint64 time = from; time < to; time += MS) {
    const gboolean is = is_there (script, view, time);

    if (is && !was_there)
      add_event (JOIN, view, START + time);
    if (was_there && !is) {
      add_event (UNPLUG, view, START + time);
      add_event (LEAVE, view, START + time + throw (900) * MS);
    }
    was_there = is;
  }
}

/* Of one camera or all: it has not seen the pulse, or its picture is lost. */
static void
add_missed (gint64 time)
{
  const guint32 one = 1u << throw (world.views);

  switch (throw (4)) {
    case 0:
      add_pulse (time, ~one, 0);
      break;
    case 1:
      add_pulse (time, G_MAXUINT32, one);
      break;
    case 2:
      add_pulse (time, G_MAXUINT32, G_MAXUINT32);
      break;
    default:
      break;
  }
}

static guint
find_spiking (const Script * script)
{
  for (guint i = 0; i < script->n_faults; i++)
    if (script->faults[i].kind == FAULT_SPIKE)
      return script->faults[i].amount % script->views;
  return 0;
}

static void
add_cup (const Belt * belt, const Script * script, guint cup)
{
  const gint64 taken = belt_find_time (belt, cup), time = START + taken;
  const gint64 gap = belt_find_time (belt, cup + 1) - taken;

  if (belt_has_fault (belt, script, FAULT_BLIND, cup))
    return;
  if (belt_has_fault (belt, script, FAULT_MISSED, cup))
    add_missed (time);
  else
    add_pulse (time, G_MAXUINT32, 0);
  if (gap > 0 && belt_has_fault (belt, script, FAULT_DOUBLE, cup))
    add_pulse (time + gap * (5 + throw (26)) / 100, G_MAXUINT32, 0);
  if (gap > 0 && belt_has_fault (belt, script, FAULT_SPIKE, cup))
    add_spike (find_spiking (script), time + gap * throw (1000) / 1000);
}

static void
take_triggers (Belt * belt, gint64 to)
{
  for (guint i = 0; i < world.n_triggers; i++) {
    const Fired *fired = &world.triggers[i];
    const gboolean is_blind = fired->n_pictures == 0;
    const Trigger trigger = { fired->time - START, fired->known - START,
      (is_blind ? fired->time : fired->first) - START,
      (is_blind ? fired->time : fired->last) - START, is_blind
    };

    if (trigger.known >= to)
      return;
    g_array_append_val (belt->triggers, trigger);
    if (!is_blind)
      belt->is_seen[belt_find_cup (belt, trigger.taken)] = TRUE;
  }
}

static void
run_between (Belt * belt, const Script * script, gint64 from, gint64 to)
{
  const gint64 period = (gint64) (SECOND / script->rate);

  make_world (script->views, script->min_cameras);
  world.votes.tolerance = period / TOLERANCE_SHARE;
  world.votes.cups = script->cups;
  for (guint v = 0; v < script->views; v++) {
    world.devices[v].takes = script->latency + throw (3) * MS;
    add_presence (script, v, from, to);
  }
  for (guint cup = 1; belt_find_time (belt, cup) >= 0; cup++) {
    const gint64 time = belt_find_time (belt, cup);

    if (time >= from && time < to)
      add_cup (belt, script, cup);
  }
  take_pictures (MIN (script->jitter, period / 10) / MS);
  run_world ();
  take_triggers (belt, to);
}

void
belt_add_cameras (Belt * belt, const Script * script)
{
  gint64 from = 0, to;

  world_random = script->seed + 1;
  begin ("cameras of script %u", script->seed);
  while (from < script->length) {
    const gboolean is_up = !script_find (script, FAULT_RESTART, from);

    for (to = from; to < script->length
        && is_up == !script_find (script, FAULT_RESTART, to);)
      to += MS;
    if (is_up)
      run_between (belt, script, from, to);
    from = to;
  }
  end ();
}
