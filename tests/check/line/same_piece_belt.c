/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "same_piece_belt.h"

#include <math.h>

/* Scripts */

static const gint64 shortest[N_FAULTS] = {
  [FAULT_RESTART] = 100 * MS,[FAULT_PLC_COLD] = 50 * MS,
  [FAULT_PLC_RETAINED] = 50 * MS,[FAULT_SLOW] = 300 * MS,
  [FAULT_SILENT] = 200 * MS,[FAULT_GARBAGE] = 100 * MS,
  [FAULT_LATE] = 300 * MS,[FAULT_STOP] = 300 * MS,[FAULT_BLIND] = 500 * MS,
  [FAULT_STANDS] = 20 * MS,[FAULT_DELAY] = 300 * MS,
  [FAULT_CAMERA] = 1000 * MS
}, longest[N_FAULTS] = {
  [FAULT_RESTART] = 2000 * MS,[FAULT_PLC_COLD] = 2000 * MS,
  [FAULT_PLC_RETAINED] = 2000 * MS,[FAULT_SLOW] = 2000 * MS,
  [FAULT_SILENT] = 3000 * MS,[FAULT_GARBAGE] = 1000 * MS,
  [FAULT_LATE] = 2000 * MS,[FAULT_STOP] = 4000 * MS,[FAULT_BLIND] = 3000 * MS,
  [FAULT_STANDS] = 2000 * MS,[FAULT_DELAY] = 20000 * MS,
  [FAULT_CAMERA] = 4000 * MS
};

/* 0 or 1 often; near its end, or anywhere */
static guint32
pick_count (GRand * rand)
{
  switch (g_rand_int_range (rand, 0, 4)) {
    case 0:
      return g_rand_int_range (rand, 0, 2);
    case 1:
      return -g_rand_int_range (rand, 1, 200);
    case 2:
      return 65536 * g_rand_int_range (rand, 1, 4) - g_rand_int_range (rand, 1,
          200);
    default:
      return g_rand_int (rand);
  }
}

/* A clock is set by some periods often; or by anything. A delay may change by a
 * quarter of one. */
static gint64
pick_amount (const Script * script, GRand * rand, FaultKind kind)
{
  const gdouble period = SECOND / script->rate;

  if (kind == FAULT_DELAY)
    return (gint64) (period * g_rand_double_range (rand, 0, .25));
  switch (g_rand_int_range (rand, 0, 3)) {
    case 0:
      return (gint64) (period * g_rand_int_range (rand, -4, 5));
    case 1:
      return (gint64) (period * g_rand_double_range (rand, -4, 4));
    default:
      return (gint64) g_rand_int (rand) * MS;
  }
}

static void
add_fault (Script * script, GRand * rand, FaultKind kind, gboolean is_long)
{
  Fault *fault = &script->faults[script->n_faults++];

  fault->kind = kind;
  /* now and then from the begin on */
  fault->from = g_rand_int_range (rand, 0, 8) == 0 && shortest[kind] > 0 ? 0 :
      (gint64) (g_rand_double_range (rand, 2, 7) * SECOND);
  fault->to = fault->from + (gint64) g_rand_double_range (rand,
      shortest[kind], longest[kind] + 1);
  if (kind == FAULT_CLOCK || kind == FAULT_DELAY)
    fault->amount = pick_amount (script, rand, kind);
  else if (kind == FAULT_CAMERA || kind == FAULT_SPIKE)
    fault->amount = g_rand_int_range (rand, 0, 12);
  /* not once, but again and again */
  if (shortest[kind] == 0 && is_long)
    fault->to += (gint64) (g_rand_double_range (rand, 0, 2) * SECOND);
}

void
script_init (Script * script, guint32 seed, FaultKind kind, guint n_faults)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);

  *script = (Script) {.seed = seed,.length = 18 * SECOND };
  script->is_even = g_rand_int_range (rand, 0, 4) == 0;
  script->rate = script->is_even ? (g_rand_boolean (rand) ? 25 : 12.5) :
      g_rand_double_range (rand, 5, 30);
  script->slow = script->is_even ? 0 :
      g_rand_double_range (rand, 0, n_faults > 1 ? .9 : .4);
  script->cups = g_rand_int_range (rand, 1, 7);
  guint distance = 1 + ceil (script->rate * g_rand_double_range (rand, .35,
          .6));
  script->distance = MIN (distance, 14);
  script->scan = g_rand_int_range (rand, 1, 11) * MS;
  script->jitter = g_rand_int_range (rand, 100, 7001) * (MS / 1000);
  script->latency = g_rand_int_range (rand, 5000, 5001 + 7000
      - script->jitter / (MS / 1000)) * (MS / 1000);
  /* of cameras that tell when they have sent their pictures */
  if (g_rand_int_range (rand, 0, 4) == 0)
    script->latency += g_rand_int_range (rand, 0, 35) * MS;
  script->is_known = g_rand_int_range (rand, 0, 3) > 0;
  script->answer = g_rand_int_range (rand, 0, 3) > 0 ? 2 * MS :
      g_rand_int_range (rand, 2, 30) * MS;
  script->is_uneven = g_rand_int_range (rand, 0, 3) == 0;
  script->drift = g_rand_double_range (rand, -1e-4, 1e-4)
      * (g_rand_boolean (rand) ? 100 : 1);
  /* seconds before its end, or its half */
  script->tick = g_rand_boolean (rand) ? g_rand_int (rand) :
      (g_rand_boolean (rand) ? 0u : 0x80000000u)
      - g_rand_int_range (rand, 1, 12000);
  script->position = g_rand_boolean (rand) ? g_rand_int (rand) :
      -(guint32) g_rand_int_range (rand, 1, 200000);
  script->next = pick_count (rand);
  script->pitch = g_rand_boolean (rand) ? 1000 : 0;
  for (guint i = 0; i < n_faults; i++)
    add_fault (script, rand, kind < N_FAULTS ? kind :
        (FaultKind) g_rand_int_range (rand, 0, N_FAULTS), n_faults > 1
        && g_rand_int_range (rand, 0, 3) == 0);
}

const Fault *
script_find (const Script * script, FaultKind kind, gint64 time)
{
  for (guint i = 0; i < script->n_faults; i++)
    if (script->faults[i].kind == kind && time >= script->faults[i].from
        && time < script->faults[i].to)
      return &script->faults[i];
  return NULL;
}

/* Belts */

/* Slower than the fastest now and then, and stopped and going on within
 * 200 ms */
static void
run_belt (Belt * belt, const Script * script, GRand * rand)
{
  const gdouble beats = g_rand_double_range (rand, .5, 3);
  gdouble at = 0.5, speed = 1;

  for (guint i = 0; i < belt->n_at; i++) {
    const Fault *stop = script_find (script, FAULT_STOP, i * MS);
    const gdouble swing = script->slow * .5 * (1 - cos (beats * i / 1000));

    speed = stop ? MAX (speed - 1 / 200., 0) :
        MIN (speed + 1 / 200., 1);
    belt->at[i] = at;
    at += speed * (1 - swing) * script->rate / 1000;
  }
}

gdouble
belt_get (const Belt * belt, gint64 time)
{
  const guint i = CLAMP (time / MS, 0, belt->n_at - 2);

  return belt->at[i] + (belt->at[i + 1] - belt->at[i])
      * ((gdouble) (time - i * MS) / MS);
}

gint64
belt_find_cup (const Belt * belt, gint64 time)
{
  return (gint64) floor (belt_get (belt, time) + .5);
}

gint64
belt_find_time (const Belt * belt, gdouble position)
{
  guint low = 0, high = belt->n_at - 1;

  if (position < belt->at[0] || position >= belt->at[high])
    return -1;
  while (high - low > 1) {
    const guint middle = (low + high) / 2;

    if (belt->at[middle] <= position)
      low = middle;
    else
      high = middle;
  }
  gdouble part = belt->at[high] - belt->at[low];
  return (gint64) ((low + (part > 0 ? (position - belt->at[low]) / part : 0))
      * MS);
}

gboolean
belt_is_cut (const Belt * belt, gint64 time)
{
  const gdouble at = belt_get (belt, time), part = at - floor (at);
  const guint cup = (guint) at;

  if (belt->is_missed[cup])
    return FALSE;
  return part < .5 && (!belt->is_double[cup] || part < .15 || part > .35);
}

/* Triggers */

static void
add_trigger (Belt * belt, const Script * script, GRand * rand, gint64 taken)
{
  const Fault *other = script_find (script, FAULT_DELAY, taken);
  const gint64 latency = script->latency + (other ? other->amount : 0);
  const gint64 time = taken + MAX (latency, 0)
      + (gint64) g_rand_double_range (rand, 0, script->jitter);
  const Trigger trigger = { time, time, taken, taken, FALSE };

  g_array_append_val (belt->triggers, trigger);
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  const gint64 left = ((const Trigger *) a)->time;
  const gint64 right = ((const Trigger *) b)->time;

  return (left > right) - (left < right);
}

/* The first cup of a fault, and half of the next ones until it ends; of many
 * missed, all */
gboolean
belt_has_fault (const Belt * belt, const Script * script, FaultKind kind,
    guint cup)
{
  for (guint i = 0; i < script->n_faults; i++) {
    const Fault *fault = &script->faults[i];
    const guint first = (guint) belt_get (belt, fault->from);
    const guint last = (guint) belt_get (belt, fault->to);

    if (fault->kind == kind && cup >= first && cup <= last && (cup == first
            || kind == FAULT_BLIND || cup * 2654435761u >> 31))
      return TRUE;
  }
  return FALSE;
}

static void
add_triggers (Belt * belt, const Script * script, GRand * rand)
{
  gint64 taken;

  for (guint cup = 1; (taken = belt_find_time (belt, cup)) >= 0; cup++) {
    const gint64 next = belt_find_time (belt, cup + 1);

    belt->is_seen[cup] = !belt_has_fault (belt, script, FAULT_MISSED, cup)
        && !belt_has_fault (belt, script, FAULT_BLIND, cup);
    if (belt->is_seen[cup])
      add_trigger (belt, script, rand, taken);
    if (next > taken && belt_has_fault (belt, script, FAULT_SPIKE, cup))
      add_trigger (belt, script, rand, taken
          + (gint64) ((next - taken) * g_rand_double (rand)));
    if (next > taken && belt_has_fault (belt, script, FAULT_DOUBLE, cup))
      add_trigger (belt, script, rand, taken
          + (gint64) ((next - taken) * g_rand_double_range (rand, .05, .3)));
  }
  g_array_sort (belt->triggers, compare);
}

void
belt_init (Belt * belt, const Script * script)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (script->seed + 1);

  belt->n_at = script->length / MS + 1;
  belt->at = g_new (gdouble, belt->n_at);
  run_belt (belt, script, rand);
  guint most = (guint) belt->at[belt->n_at - 1] + 2;
  belt->is_seen = g_new0 (gboolean, most);
  belt->is_missed = g_new0 (gboolean, most);
  belt->is_double = g_new0 (gboolean, most);
  belt->triggers = g_array_new (FALSE, FALSE, sizeof (Trigger));
  for (guint cup = 1; belt_find_time (belt, cup) >= 0; cup++) {
    belt->is_missed[cup] = belt_has_fault (belt, script, FAULT_PLC_MISSED, cup);
    belt->is_double[cup] = belt_has_fault (belt, script, FAULT_PLC_DOUBLE, cup);
  }
  if (script->views > 0)
    belt_add_cameras (belt, script);
  else
    add_triggers (belt, script, rand);
}

void
belt_clear (Belt * belt)
{
  g_free (belt->at);
  g_free (belt->is_seen);
  g_free (belt->is_missed);
  g_free (belt->is_double);
  g_array_free (belt->triggers, TRUE);
}
