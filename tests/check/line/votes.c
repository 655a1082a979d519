/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Triggers by agreement of cameras, in worlds whose truth is known. A trigger is
 * a pulse, by its place in a table, and a picture is of the pulse at which it was
 * taken. */

#include <stdlib.h>

#include "check.h"
#include "checks.h"
#include "votes_world.h"

/* Named ones */

/* Ten pulses from @time on. Returns: the time after them */
static gint64
add_pulses (gint64 time)
{
  for (guint i = 0; i < 10; i++, time += PERIOD)
    add_pulse (time, G_MAXUINT32, 0);
  return time;
}

static guint
count_spikes (guint view)
{
  return world.devices[view].spikes;
}

/* A spike at one camera, so many milliseconds after a pulse or before the next
 * one: no picture but its own is lost. */
static void
check_spike (guint views, gint ms)
{
  begin ("a spike at one of %u cameras, %d ms from a pulse", views, ms);
  make_world (views, 2);
  join_all ();
  gint64 time = add_pulses (START + SECOND);
  add_spike (1, time + ms * MS - (ms > 0 ? PERIOD : 0));
  add_pulses (time);
  take_pictures (1);
  run_world ();
  expect_pulses (2);
  expect (count_spikes (1) == 1 && count_spikes (0) == 0, "%u, %u are counted",
      count_spikes (1), count_spikes (0));
  for (guint v = 0; v < views; v++)
    expect (world.devices[v].n_used == 20, "view %u has %u looks", v,
        world.devices[v].n_used);
  end ();
}

/* Spikes while the belt stands are no triggers, not even when it is long, or when
 * the other camera is asked, and is there. */
static void
check_standing (guint views)
{
  begin ("spikes while the belt stands, %u cameras", views);
  make_world (views, 2);
  join_all ();
  add_spike (0, START + 2 * SECOND);
  gint64 time = add_pulses (START + 5 * SECOND);
  for (guint i = 0; i < 40; i++)
    add_spike (i < 35 ? 0 : 1, time + 3 * SECOND + i * 90 * SECOND);
  time += 3600 * SECOND;
  add_pulses (time);
  take_pictures (1);
  run_world ();
  expect_pulses (2);
  expect (count_spikes (0) == 36 && count_spikes (1) == 5,
      "%u, %u are counted", count_spikes (0), count_spikes (1));
  for (guint v = 0; v < views; v++)
    expect (world.devices[v].n_used >= 19, "view %u has %u looks", v,
        world.devices[v].n_used);
  end ();
}

/* Two pulses that all see, so many milliseconds apart, are two triggers. */
static void
check_double (gint ms)
{
  begin ("two pulses, %d ms apart", ms);
  make_world (3, 2);
  join_all ();
  gint64 time = add_pulses (START + SECOND);
  add_pulse (time - PERIOD + ms * MS, G_MAXUINT32, 0);
  add_pulses (time);
  take_pictures (1);
  run_world ();
  expect_pulses (2);
  end ();
}

/* A pulse that one camera has not seen: it is in step at the next one. */
static void
check_missed (guint views)
{
  begin ("a pulse that one of %u cameras does not see", views);
  make_world (views, 2);
  join_all ();
  gint64 time = add_pulses (START + SECOND);
  add_pulse (time, G_MAXUINT32 - 1, 0);
  add_pulses (time + PERIOD);
  take_pictures (1);
  run_world ();
  expect_pulses (2);
  expect (world.devices[0].missed == (views > 2)
      && count_spikes (1) == (views == 2), "%u missed, %u spikes",
      world.devices[0].missed, count_spikes (1));
  for (guint v = 0; v < views; v++)
    expect ((int) world.devices[v].n_used == 21 - (v == 0 || views == 2),
        "view %u has %u looks", v, world.devices[v].n_used);
  end ();
}

/* One of two is unplugged: the other's triggers wait until that is known; and one
 * that was there, and had seen nothing, did not see the spike when it leaves. */
static void
check_unplugged (gboolean is_spike)
{
  begin ("one of two cameras is unplugged after a %s", is_spike ? "spike" :
      "pulse");
  make_world (2, 2);
  join_all ();
  gint64 time = add_pulses (START + SECOND);
  if (is_spike)
    add_spike (0, time);
  else
    add_pulse (time, 1, 0);
  add_event (UNPLUG, 1, time + (is_spike ? SECOND : -MS));
  add_event (LEAVE, 1, time + 2 * SECOND);
  time = add_pulses (time + 3 * SECOND);
  take_pictures (1);
  run_world ();
  expect_pulses (1);
  expect (count_spikes (0) == (guint) is_spike && world.votes.is_alone,
      "%u spikes are counted", count_spikes (0));
  end ();
}

/* A camera that comes back in a pause is in step at once, or learns while the
 * belt moves; one alone is told of meanwhile. */
static void
check_back (gboolean is_pause)
{
  begin ("a camera that comes back %s", is_pause ? "in a pause" :
      "while the belt moves");
  make_world (2, 2);
  join_all ();
  gint64 time = add_pulses (START + SECOND);
  add_event (UNPLUG, 1, time - PERIOD + MS);
  add_event (LEAVE, 1, time - PERIOD + 2 * MS);
  time = add_pulses (time);
  add_event (JOIN, 1, time - PERIOD + 60 * MS);
  time = add_pulses (time + (is_pause ? SECOND : 0));
  add_pulses (time);
  take_pictures (1);
  run_world ();
  expect_pulses (1);
  expect (!world.votes.is_alone && world.triggers[15].is_alone, "alone");
  expect (world.devices[0].n_used == 40 && world.devices[1].n_used
      >= (is_pause ? 29 : 20), "%u and %u looks", world.devices[0].n_used,
      world.devices[1].n_used);
  end ();
}

/* All cameras lose a picture: their ids tell of the trigger. */
CHECK (unseen)
{
  begin ("a picture that all cameras lose");
  make_world (3, 2);
  join_all ();
  gint64 time = add_pulses (START + SECOND);
  add_pulse (time, G_MAXUINT32, G_MAXUINT32);
  add_pulses (time + PERIOD);
  take_pictures (1);
  run_world ();
  expect_pulses (2);
  expect (world.triggers[10].n_pictures == 0
      && world.triggers[11].n_pictures == 3, "looks");
  end ();
}

/* After a pause a busy host dates the same pulse differently for two cameras: it
 * is one trigger, and none of those pictures is used. */
CHECK (apart)
{
  begin ("a pulse that two cameras date differently");
  make_world (2, 2);
  world.devices[0].ppm = 80;
  world.devices[1].ppm = -80;
  join_all ();
  gint64 time = add_pulses (START + SECOND) + 1000 * SECOND;
  add_pulses (time);
  take_pictures (0);
  stall (time, 60 * MS);
  run_world ();
  expect_pulses (2);
  expect (world.triggers[10].n_pictures == 0 && world.devices[0].n_used >= 18
      && world.devices[1].n_used >= 18, "%u, %u looks", world.devices[0].n_used,
      world.devices[1].n_used);
  end ();
}

/* A camera has come back in a pause; its first picture, of which only the arrival
 * is known, comes when the next one is taken. */
CHECK (first_late)
{
  begin ("a first picture that comes a period late");
  make_world (3, 2);
  join_all ();
  gint64 time = add_pulses (START + SECOND);
  add_event (UNPLUG, 2, time);
  add_event (LEAVE, 2, time + MS);
  add_event (JOIN, 2, time + SECOND);
  time += 2 * SECOND;
  add_pulses (time);
  take_pictures (1);
  stall (time, PERIOD + 2 * MS);
  run_world ();
  expect_pulses (2);
  end ();
}

/* A host that has not warmed up yet: the first pictures come late, of two cameras
 * with the next ones, and those after them at irregular times. What nobody is sure
 * of is not used; no camera is out of step for that. */
CHECK (cold)
{
  static const gint64 late[] = { 46, 12, 17, 25, 20, 30, 18, 26, 16, 29 };

  begin ("first pictures that come late, and others irregularly");
  make_world (4, 2);
  join_all ();
  add_pulses (START + SECOND);
  add_pulses (START + 2 * SECOND);
  take_pictures (0);
  for (guint i = 0; i < world.n_events; i++) {
    Event *event = &world.events[i];

    if (event->kind == PICTURE)
      event->arrival = event->time + (event->pulse == 0 && event->view > 1 ?
          PERIOD + MS : late[event->pulse % G_N_ELEMENTS (late)] * MS);
  }
  run_world ();
  expect_pulses (2);
  for (guint v = 0; v < 4; v++)
    expect (world.devices[v].n_lost == 0 && world.devices[v].n_used
        >= (v < 2 ? 15 : 9), "view %u has %u looks, is %u times out of step", v,
        world.devices[v].n_used, world.devices[v].n_lost);
  end ();
}

/* Two pictures of a camera, the second of a spike, are dated before the pulse, by
 * another camera's time: they are of the pulse and the spike, not the reverse. */
CHECK (order)
{
  begin ("a spike just after the pulse, at a camera that is early");
  make_world (4, 2);
  for (guint v = 0; v < 4; v++)
    world.devices[v].takes = (v == 2 ? 2 : 8) * MS;
  join_all ();
  gint64 time = add_pulses (START + SECOND);
  add_spike (0, time - 60 * MS);
  add_spike (2, time + MS);
  add_pulses (time);
  take_pictures (0);
  for (guint i = 0; i < world.n_events; i++)
    if (world.events[i].view >= 2 && world.events[i].time >= time
        && world.events[i].time <= time + MS)
      world.events[i].arrival = world.events[i].time
          + (world.events[i].view == 2 ? 9 : 15) * MS;
  run_world ();
  expect_pulses (2);
  end ();
}

/* All cameras are gone, and come back: no piece has looks from before and
 * after. */
CHECK (all_gone)
{
  begin ("all cameras go and come back");
  make_world (2, 2);
  join_all ();
  gint64 time = add_pulses (START + SECOND);
  for (guint v = 0; v < 2; v++) {
    add_event (UNPLUG, v, time + SECOND);
    add_event (LEAVE, v, time + SECOND + MS);
    add_event (JOIN, v, time + 2 * SECOND);
  }
  add_pulses (time + 3 * SECOND);
  take_pictures (1);
  run_world ();
  expect (world.n_triggers == 20 + CUPS, "%u triggers", world.n_triggers);
  for (guint n = 0; n < world.n_triggers; n++)
    expect (world.triggers[n].n_pictures == (n >= 10 && n < 10 + CUPS ? 0 : 2),
        "trigger %u has %u pictures", n, world.triggers[n].n_pictures);
  end ();
}

/* Heads of pictures are lost: what remains is a vote, with no look. */
CHECK (remains)
{
  begin ("a picture without its head");
  make_world (2, 2);
  join_all ();
  gint64 time = add_pulses (START + SECOND);
  add_pulses (time);
  for (guint i = 0; i < world.n_events; i++)
    if (world.events[i].pulse == 12 && world.events[i].view == 1)
      world.events[i].kind = REMAINS;
  take_pictures (1);
  for (guint i = 0; i < world.n_events; i++)
    if (world.events[i].time > world.pulses[12] + 90 * MS)
      world.events[i].kind = LOST;
  run_world ();
  expect (world.n_triggers == 13 && world.triggers[12].n_pictures == 1,
      "%u triggers", world.n_triggers);
  end ();
}

/* Random ones */

static gint64
random_gap (guint most_s)
{
  const guint dice = throw (100);

  if (dice < 2)
    return SECOND + throw (most_s) * SECOND;
  if (dice < 5)
    return (60 + throw (25)) * MS;
  return PERIOD - 8 * MS + throw (16) * MS;
}

/* One fault at most between two pulses, of kinds that can be told apart. */
static void
add_fault (guint enough, gint64 time, gint64 gap)
{
  const guint32 one = 1u << throw (world.views);
  const guint view = throw (world.views);
  const gboolean is_regular = gap > 80 * MS;

  switch (is_regular ? throw (30) : 30) {
    case 0:
      add_spike (view, time + throw (gap / MS) * MS);
      add_pulse (time, G_MAXUINT32, 0);
      break;
    case 1:
      /* of two cameras, neither at the same time, nor at a pulse */
      add_spike (view, time + 30 * MS);
      add_spike ((view + 1) % world.views, time + gap - 10 * MS);
      add_pulse (time, G_MAXUINT32, 0);
      break;
    case 2:
      add_pulse (time, world.views > enough ? ~one : G_MAXUINT32, 0);
      break;
    case 3:
      add_pulse (time, G_MAXUINT32, one);
      break;
    case 4:
      add_pulse (time, G_MAXUINT32, throw (1u << world.views));
      break;
    case 5:
      /* a few spikes */
      for (guint i = 0; i < 4 && gap > SECOND; i++)
        add_spike (view, time + (i + 1) * gap / 6);
      add_pulse (time, G_MAXUINT32, 0);
      break;
    case 6:
      add_pulse (time, one, 0);
      break;
    default:
      add_pulse (time, G_MAXUINT32, 0);
  }
}

/* Triggers are all pulses of enough cameras, exactly. */
static void
check_exactly (guint seed)
{
  const guint views = 2 + seed % 3, enough = 2 + throw (views - 1);
  gint64 time = START + SECOND + throw (10) * SECOND;
  guint n_faults = 0;

  begin ("exact script %u, %u of %u cameras", seed, enough, views);
  make_world (views, enough);
  join_all ();
  for (guint i = 0; i < 200; i++) {
    const gint64 gap = random_gap (60);

    /* a fault has to be over before the next one */
    if (i > 12 && i < 180 && n_faults + 4 < i && throw (2)) {
      add_fault (enough, time, gap);
      n_faults = i;
      time += gap > 80 * MS ? gap : PERIOD;
      continue;
    }
    add_pulse (time, G_MAXUINT32, 0);
    time += i < 12 || i >= n_faults + 4 ? gap : PERIOD;
  }
  take_pictures (3);
  run_world ();
  expect_pulses (enough);
  for (guint v = 0; v < views; v++)
    expect (world.devices[v].n_lost == 0 && world.devices[v].n_refused <= 12,
        "view %u: %u pictures refused, %u times out of step", v,
        world.devices[v].n_refused, world.devices[v].n_lost);
  end ();
}

/* Spikes of two cameras are not at the same time; else anything may happen. */
static void
add_wild_spikes (gint64 end)
{
  gint64 time = START + 5 * SECOND;
  guint view = 0;

  while (time < end) {
    view = throw (3) ? view : throw (world.views);
    add_spike (view, time);
    time += (61 + throw (1500)) * MS;
    if (throw (10) == 0)
      time += throw (60) * SECOND;
  }
}

static gboolean
add_wild_absence (guint view, gint64 end)
{
  const gint64 time = START + throw ((end - START) / MS) * MS;

  if (throw (2))
    return FALSE;
  add_event (UNPLUG, view, time);
  add_event (LEAVE, view, time + throw (900) * MS);
  add_event (JOIN, view, time + SECOND + throw (4000) * MS);
  return TRUE;
}

static void
check_wild (guint seed)
{
  const guint views = 2 + seed % 3, enough = 2 + throw (views - 1);
  const gboolean has_spikes = throw (2);
  const guint faults = throw (20), most_s = throw (2) ? 20 : 3000;
  gint64 time = START + SECOND + throw (3) * SECOND;
  gboolean has_absence = FALSE;

  begin ("wild script %u, %u of %u cameras", seed, enough, views);
  make_world (views, enough);
  join_all ();
  for (guint i = 0; i < 200; i++) {
    guint32 seers = G_MAXUINT32, lost = 0;

    for (guint v = 0; v < views; v++) {
      if (throw (200) < faults)
        seers &= ~(1u << v);
      if (throw (200) < faults)
        lost |= 1u << v;
    }
    /* a spike is not told from a pulse of which the others' pictures are lost */
    if (has_spikes && count_bits (seers & ~lost & ((1u << views) - 1))
        < MAX (enough, views - 1))
      lost = 0;
    add_pulse (time, seers, lost);
    time += random_gap (most_s);
  }
  if (has_spikes)
    add_wild_spikes (time);
  if (throw (2))
    for (guint v = 0; v < views; v++)
      has_absence = add_wild_absence (v, time) || has_absence;
  take_pictures (throw (10));
  /* at first pulses, and after long pauses, nobody knows what is late by a whole
   * period */
  for (guint i = throw (6); i > 0; i--)
    stall (world.pulses[5 + throw (195)] - throw (50) * MS,
        throw (has_absence || most_s > 20 ? 60 : 300) * MS);
  run_world ();
  guint n = find_wrong (enough);
  expect (n == world.n_triggers, "trigger %u is no pulse of %u cameras, or its "
      "pictures are of several", n, enough);
  end ();
}

/* Long pauses, after which clocks are wrong by more than the tolerance, and a host
 * that handles nothing for up to three periods, just then. Returns: whether a
 * picture is taken for another pulse's */
static gboolean
is_late_wrong (guint seed)
{
  const guint views = 2 + seed % 3, enough = 2 + throw (views - 1);
  gint64 time = START + SECOND;

  make_world (views, enough);
  join_all ();
  for (guint i = 0; i < 200; i++) {
    /* a camera that misses the first ones may be as late as the others */
    add_pulse (time, i % 20 < 5 || throw (50) ? G_MAXUINT32 :
        ~(1u << throw (views)), 0);
    if (throw (50) == 0)
      add_spike (throw (views), time + 50 * MS);
    time += i % 20 == 19 ? (1 + throw (4000)) * SECOND : PERIOD;
  }
  take_pictures (2);
  for (guint i = 20; i < 200; i += 20)
    stall (world.pulses[i + throw (3)] - throw (50) * MS, throw (300) * MS);
  run_world ();
  return find_wrong (enough) < world.n_triggers;
}

/* It may be that late pictures look like prompt ones: of nine such pauses in each
 * script, in less than one of two hundred scripts. */
static void
check_late (guint n)
{
  guint n_wrong = 0;

  begin ("%u late scripts", n);
  for (guint i = 0; i < n; i++) {
    world_random = 2000000 + i;
    n_wrong += is_late_wrong (i);
  }
  expect (n_wrong <= n / 200, "%u are wrong", n_wrong);
  end ();
}

int
main (int argc, char **argv)
{
  const guint n = argc > 1 ? atoi (argv[1]) : 3000;

  for (guint views = 2; views <= 4; views++) {
    static const gint at[] = { 2, 10, 24, 30, 50, 70, 76, 90, -30, -10, -3 };

    for (guint i = 0; i < G_N_ELEMENTS (at); i++)
      check_spike (views, at[i]);
    check_standing (views);
    check_missed (views);
  }
  check_double (10);
  check_double (30);
  check_double (60);
  check_unplugged (FALSE);
  check_unplugged (TRUE);
  check_back (FALSE);
  check_back (TRUE);
  run_checks ();
  for (guint i = 0; i < n; i++) {
    world_random = 1000 + i;
    check_exactly (i);
  }
  for (guint i = 0; i < n; i++) {
    world_random = 1000000 + i;
    check_wild (i);
  }
  check_late (n);
  return finish ();
}
