/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "machine.h"

/* Of the time between pulses: how much it varies, and how far a time may be off */
#define JITTER 50
#define TOLERANCE 3

/* Diameters that follow each other differ by eight millimetres or more, and none
 * is where two sizes meet. */
static const gdouble diameters[] = { 31, 43, 51, 35, 47, 55, 33, 45, 53, 37,
  49
};

/* @anchor: when pulse @base came, and later ones by the clock; -1: they are in
 * @times */
static struct
{
  guint views, cups;
  gint64 period, paused_until, anchor, base;
  guint64 salt;
  GArray *times;
  void (*pulsed) (gint64 pulse);
} machine;

static gpointer
move (gpointer data)
{
  gint64 time = world_now () + machine.period;

  for (;;) {
    world_sleep_until (time);
    if (world_now () < machine.paused_until) {
      time = machine.paused_until;
      continue;
    }
    const gint64 now = world_now ();
    g_array_append_val (machine.times, now);
    machine.pulsed (machine.times->len - 1);
    time += machine.period - machine.period / JITTER
        + (gint64) world_below (2 * machine.period / JITTER);
    /* never nearer than that, whatever took its time */
    time = MAX (time, now + machine.period - machine.period / JITTER);
  }
  return NULL;
}

void
machine_begin (guint views, guint cups, guint rate,
    void (*pulsed) (gint64 pulse))
{
  machine.views = views;
  machine.cups = cups;
  machine.period = G_USEC_PER_SEC / rate;
  machine.pulsed = pulsed;
  machine.paused_until = 0;
  machine.anchor = -1;
  machine.base = 0;
  machine.salt = world_random ();
  machine.times = g_array_new (FALSE, FALSE, sizeof (gint64));
  if (pulsed)
    world_spawn (world_process_new ("machine"), move, NULL);
}

void
machine_end (void)
{
  g_clear_pointer (&machine.times, g_array_unref);
}

gint64
machine_count (void)
{
  if (machine.pulsed)
    return machine.times->len;
  return machine.anchor < 0 ? 0 : machine.base
      + (world_now () - machine.anchor) / machine.period + 1;
}

gint64
machine_get_time (gint64 pulse)
{
  return machine.pulsed ? g_array_index (machine.times, gint64, pulse) :
      machine.anchor + (pulse - machine.base) * machine.period;
}

gint64
machine_draw_between (void)
{
  return machine.period * 4 / 10 + (gint64) world_below (machine.period / 5);
}

void
machine_pause (gint64 time)
{
  machine.paused_until = MAX (machine.paused_until, time);
}

/* What was on the belt before is gone. */
void
machine_anchor (gint64 time)
{
  machine.base = machine_count () + 100;
  machine.anchor = time;
}

gint64
machine_find (gint64 time)
{
  const gint64 n = machine_count ();
  gint64 best = -1, least = machine.period / TOLERANCE;

  if (!machine.pulsed) {
    const gint64 after = time - machine.anchor + machine.period / 2;

    return machine.anchor < 0 || after < 0 ? -1 :
        machine.base + after / machine.period;
  }
  for (gint64 i = n - 1; i >= 0 && machine_get_time (i) > time
      - 2 * machine.period; i--) {
    const gint64 distance = ABS (machine_get_time (i) - time);

    if (distance >= least)
      continue;
    least = distance;
    best = i;
  }
  return best;
}

MachinePiece
machine_get_piece (gint64 piece)
{
  guint64 z = (guint64) piece + machine.salt;

  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  z ^= z >> 31;
  return (MachinePiece) {
    z % 12 == 0 ? 0 : diameters[(guint64) piece % G_N_ELEMENTS (diameters)],
        z / 12 % 10 == 0, z / 120 % machine.cups, z / 1200 % machine.views
  };
}
