/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which of a PLC's triggers a lane's are, by times made here: belts that run, stop
 * and start, whose lane sees triggers so much later than the PLC, or earlier. What
 * is said must be right; and where something tells, it must be said. */

#include <math.h>
#include <string.h>

#include "check.h"
#include "plc_numbers.h"
#include "plc_rings.h"
#include "random.h"

#define MS G_GINT64_CONSTANT (1000000)
#define MOST 1000
#define BEGIN (1000000 * MS)

static guint64 state = 1;

/* Pulses at the PLC, whose clock is @ahead of the line's, and so much faster; at
 * @stepped_at it was set by @step, or stood still for @still. The lane sees each
 * pulse @delay later. In nanoseconds. @seen_from: pulses before it the lane has not
 * seen; @scan: by which the PLC notes each second one later; @noted_from: nor the
 * PLC these, of which it says nothing */
typedef struct
{
  gint64 period, delay, ahead, scan, stepped_at, step, still;
  gdouble drift;
  gint64 pulses[MOST];
  guint n_pulses, seen_from, noted_from, n_seen;
  guint16 epoch;
  guint32 first_number;
  LinePlcNumbers numbers;
} Belt;

static void
add_pulse (Belt * belt, gint64 interval)
{
  const guint n = belt->n_pulses++;

  g_assert (n < MOST);
  belt->pulses[n] = n ? belt->pulses[n - 1] + interval : BEGIN;
}

static guint32
get_clock (const Belt * belt, gint64 time)
{
  gint64 its = time + belt->ahead + (gint64) ((time - BEGIN) * belt->drift);

  if (belt->stepped_at > 0 && time >= belt->stepped_at)
    its += belt->step - MIN (belt->still, time - belt->stepped_at);
  return (guint32) (its / MS);
}

/* The lane is told of all that it has seen until @time. */
static void
see_pulses (Belt * belt, gint64 time)
{
  while (belt->seen_from + belt->n_seen < belt->n_pulses
      && belt->pulses[belt->seen_from + belt->n_seen] + belt->delay <= time)
    line_plc_numbers_add (&belt->numbers,
        belt->pulses[belt->seen_from + belt->n_seen++] + belt->delay);
}

/* What the PLC says at @noted */
static LinePlcRing
make_ring (const Belt * belt, gint64 noted)
{
  LinePlcRing ring = {.epoch = belt->epoch,.now = get_clock (belt, noted) };
  guint n = 0;

  while (n < belt->n_pulses && belt->pulses[n] <= noted)
    n++;
  ring.next = belt->first_number + n;
  ring.n = n > belt->noted_from ? MIN (n - belt->noted_from, 16) : 0;
  for (guint i = 0; i < ring.n; i++) {
    const guint pulse = n - ring.n + i;

    ring.triggers[i] = (LinePlcTrigger) {
      belt->first_number + pulse, 7 * pulse,
      get_clock (belt, belt->pulses[pulse] + pulse % 2 * belt->scan)
    };
  }
  return ring;
}

/* Asked for at @asked, and there at @time */
static void
read_late (Belt * belt, gint64 noted, gint64 asked, gint64 time,
    LinePlcNews * news)
{
  const LinePlcRing ring = make_ring (belt, noted);

  see_pulses (belt, time);
  line_plc_numbers_see (&belt->numbers, &ring, asked, time, news);
}

static void
read_plc (Belt * belt, gint64 time, LinePlcNews * news)
{
  read_late (belt, time, time - MS / 2, time, news);
}

/* Are the lane's newest trigger and its number of the same pulse? */
static void
check_number (Belt * belt, const char *what)
{
  const guint64 trigger = belt->numbers.after_pair - 1;
  LinePlcNumbered last;
  guint64 number;

  if (!line_plc_numbers_are_agreed (&belt->numbers))
    return;
  expect (line_plc_numbers_find (&belt->numbers, trigger, 1, &number, &last)
      == LINE_PLC_PAIRED, "%s: no pair", what);
  expect ((guint32) number == belt->first_number + belt->seen_from
      + (guint32) trigger, "%s: trigger %u is the PLC's %u, not %u", what,
      (guint) trigger, (guint) number,
      belt->first_number + belt->seen_from + (guint) trigger);
  expect (last.encoder == 7 * (belt->seen_from + trigger), "%s: the encoder",
      what);
}

static void
begin_belt (Belt * belt, gint64 period, gint64 delay, gint64 latest,
    gdouble expected)
{
  *belt = (Belt) {.period = period,.delay = delay,.epoch = 3,
    .ahead = random_below (&state, 1u << 31) * 2 * MS,
    .first_number = random_below (&state, 2) ? random_bits (&state) :
        -random_below (&state, 100)
  };
  line_plc_numbers_init (&belt->numbers, period, latest, expected);
}

/* @n pulses more, and a reading after each. */
static void
run (Belt * belt, guint n, gint64 first_interval, const char *what)
{
  LinePlcNews news;

  for (guint i = 0; i < n; i++) {
    const gint64 jitter = random_below (&state, 4 * MS);

    add_pulse (belt, i ? belt->period : first_interval);
    read_plc (belt, belt->pulses[belt->n_pulses - 1] + 6 * MS + jitter, &news);
    check_number (belt, what);
    expect (!news.is_shifted, "%s: shifted by %d", what, (int) news.shift);
  }
}

/* The belt starts slowly when both watch: from the first triggers on it is known,
 * however late the lane sees them. */
static void
check_start (gint64 period, gint64 delay, gboolean is_new)
{
  Belt belt;
  LinePlcNews news;

  begin ("a belt starts, delay %d ms of %d", (int) (delay / MS),
      (int) (period / MS));
  begin_belt (&belt, period, delay, 300 * MS, NAN);
  if (!is_new)
    for (guint i = 0; i < 20; i++)
      add_pulse (&belt, period);
  belt.seen_from = belt.n_pulses;
  add_pulse (&belt, 60000 * MS);
  belt.n_pulses--;
  read_plc (&belt, belt.pulses[belt.n_pulses] - 30000 * MS, &news);
  run (&belt, 1, is_new ? 0 : 60000 * MS, "first");
  run (&belt, 1, 8 * period, "second");
  run (&belt, 10, 2 * period, "start");
  expect (line_plc_numbers_are_agreed (&belt.numbers), "it is not known");
  run (&belt, 100, period, "later");
  expect (line_plc_numbers_are_agreed (&belt.numbers), "it is lost");
  end ();
}

/* The lane begins while the belt runs. With nothing expected it says nothing, until
 * the belt stops; with what was, it is known soon. */
static void
check_running (gint64 delay, gint64 latest, gdouble expected)
{
  const gboolean is_known = fabs (expected - delay) < 24 * MS
      || latest < 80 * MS;
  Belt belt;

  begin ("a running belt, delay %d ms of %d at most, expected %g",
      (int) (delay / MS), (int) (latest / MS), expected / MS);
  begin_belt (&belt, 100 * MS, delay, latest, expected);
  for (guint i = 0; i < 20; i++)
    add_pulse (&belt, belt.period);
  belt.seen_from = 20;
  run (&belt, 30, belt.period, "running");
  expect (line_plc_numbers_are_agreed (&belt.numbers) == is_known,
      "running: %d", line_plc_numbers_are_agreed (&belt.numbers));
  run (&belt, 20, 1570 * MS, "after a stop");
  expect (line_plc_numbers_are_agreed (&belt.numbers), "after a stop");
  end ();
}

/* What is expected is the delay of the trigger before: a pause shows it, and that
 * is told. */
static void
check_wrong (void)
{
  gboolean is_lost = FALSE, is_shifted = FALSE;
  Belt belt;

  begin ("another delay than is expected");
  begin_belt (&belt, 40 * MS, 7 * MS, 60 * MS, 47 * MS);
  for (guint i = 0; i < 60; i++) {
    LinePlcNews news;

    add_pulse (&belt, i == 30 ? 1000 * MS : belt.period);
    read_plc (&belt, belt.pulses[i] + 10 * MS, &news);
    expect (i != 29 || line_plc_numbers_are_agreed (&belt.numbers),
        "it is not believed");
    is_lost |= news.is_lost;
    is_shifted |= news.is_shifted && news.shift == 1;
    if (i > 36)
      check_number (&belt, "after the pause");
  }
  expect (is_lost || is_shifted, "it is not told");
  expect (line_plc_numbers_are_agreed (&belt.numbers), "it is not known");
  end ();
}

/* A trigger that is none, or one too few, is no pause. */
static void
check_glitch (gboolean is_double)
{
  Belt belt;
  LinePlcNews news;

  begin ("a trigger that is %s", is_double ? "none" : "missed");
  begin_belt (&belt, 40 * MS, 7 * MS, 60 * MS, NAN);
  for (guint i = 0; i < 60; i++) {
    add_pulse (&belt, belt.period);
    if (i == 20 && is_double)
      line_plc_numbers_add (&belt.numbers, belt.pulses[i]);
    if (i == 20 && !is_double)
      belt.seen_from++;
    read_plc (&belt, belt.pulses[i] + 10 * MS, &news);
    expect (!line_plc_numbers_are_agreed (&belt.numbers), "%u: believed", i);
  }
  end ();
}

/* The first answer is an old one, of the time of the trigger before. */
static void
check_old (void)
{
  Belt belt;
  LinePlcNews news;

  begin ("an old answer");
  begin_belt (&belt, 40 * MS, 7 * MS, 60 * MS, 7 * MS);
  for (guint i = 0; i < 30; i++) {
    add_pulse (&belt, belt.period);
    gint64 time = belt.pulses[i] + 10 * MS;
    if (i == 10)
      read_late (&belt, time - belt.period, time - MS / 2, time, &news);
    else if (i > 10)
      read_plc (&belt, time, &news);
    check_number (&belt, "after it");
  }
  expect (line_plc_numbers_are_agreed (&belt.numbers), "it is not known");
  end ();
}

/* Nor is one when all is known a reason to know nothing any more. */
static void
check_odd (void)
{
  Belt belt;
  LinePlcNews news;

  begin ("an old answer, later");
  begin_belt (&belt, 100 * MS, 7 * MS, 60 * MS, 7 * MS);
  run (&belt, 20, 0, "before");
  add_pulse (&belt, belt.period);
  gint64 time = belt.pulses[20] + 10 * MS;
  read_late (&belt, time - 50 * MS, time - MS / 2, time, &news);
  expect (!news.is_lost && !news.is_restarted, "it is lost");
  run (&belt, 1, belt.period, "after");
  expect (line_plc_numbers_are_agreed (&belt.numbers), "it is not known");
  end ();
}

/* A PLC that is asked quickly and answers slowly: its clock may be anything
 * between, and the trigger of the same time the next one's. */
static void
check_slow (void)
{
  Belt belt;
  LinePlcNews news;

  begin ("slow answers");
  begin_belt (&belt, 40 * MS, -15 * MS, 18 * MS, NAN);
  for (guint i = 0; i < 30; i++) {
    add_pulse (&belt, belt.period);
    read_late (&belt, belt.pulses[i] + 5 * MS, belt.pulses[i] + 5 * MS,
        belt.pulses[i] + 20 * MS, &news);
    check_number (&belt, "slow");
  }
  end ();
}

/* Its clock is known better and better: that is no reason to lose a trigger. */
static void
check_better (void)
{
  Belt belt;
  LinePlcNews news;

  begin ("slow answers, and quick ones then");
  begin_belt (&belt, 50 * MS, 17 * MS, 60 * MS, 12 * MS);
  belt.scan = 17 * MS;
  for (guint i = 0; i < 40; i++) {
    add_pulse (&belt, belt.period);
    gint64 time = belt.pulses[i] + 25 * MS;
    read_late (&belt, time, time, time + (i < 12 ? 19 : 1) * MS, &news);
    check_number (&belt, "better");
    expect (news.n_extra + news.n_missed == 0, "%u: one is lost", i);
    expect (i < 6 || line_plc_numbers_are_agreed (&belt.numbers),
        "%u: it is not known", i);
  }
  end ();
}

/* A clock that is fast or slow: nothing is lost, whether the belt runs or stops. */
static void
check_drift (gdouble drift, gint64 latest, gdouble expected)
{
  Belt belt;

  begin ("a clock that is %g %% fast, %d ms at most", drift * 100,
      (int) (latest / MS));
  begin_belt (&belt, 100 * MS, 8 * MS, latest, expected);
  belt.drift = drift;
  run (&belt, 10, 0, "begin");
  for (guint i = 0; i < 9; i++) {
    run (&belt, 100, i % 2 ? 30000 * MS : belt.period, "later");
    expect (line_plc_numbers_are_agreed (&belt.numbers), "%u: it is lost", i);
  }
  end ();
}

/* A clock that is set, or stands still: numbers are right, or it is told that they
 * are not known; and are known again soon. */
static void
check_step (gint64 period, gint64 step, gint64 still, gint64 latest)
{
  const gboolean is_little = ABS (step - still) <= .6 * period;
  gboolean is_told = FALSE;
  Belt belt;

  begin ("each %d ms, a clock set by %d ms that stands for %d ms, %d ms at most",
      (int) (period / MS), (int) (step / MS), (int) (still / MS),
      (int) (latest / MS));
  begin_belt (&belt, period, 8 * MS, latest, 8 * MS);
  belt.stepped_at = BEGIN + 30 * belt.period
      + random_below (&state, belt.period);
  belt.step = step;
  belt.still = still;
  for (guint i = 0; i < 120; i++) {
    const gint64 way = random_below (&state, period / 6);
    const gint64 back = random_below (&state, period / 6);
    LinePlcNews news;

    add_pulse (&belt, belt.period);
    gint64 time = belt.pulses[i] + 12 * MS;
    read_late (&belt, time + way, time, time + way + back, &news);
    check_number (&belt, "later");
    expect (!news.is_shifted, "%u: shifted by %d", i, (int) news.shift);
    is_told |= (news.is_lost && news.is_set) || news.is_restarted;
  }
  expect (is_little || is_told, "it is not told");
  expect (line_plc_numbers_are_agreed (&belt.numbers), "it is lost");
  end ();
}

/* Another delay than is expected, or than it was: a deadline that leaves no other
 * tells it, and else a pause; and that it is not as expected is told. */
static void
check_other (gint64 delay, gint64 other, gint64 latest)
{
  const gboolean is_clear = latest < 80 * MS;
  guint n_told = 0;
  Belt belt;

  begin ("%d ms, and %d ms then, of %d at most", (int) (delay / MS),
      (int) (other / MS), (int) (latest / MS));
  begin_belt (&belt, 100 * MS, delay, latest, 8 * MS);
  for (guint i = 0; i < 200; i++) {
    LinePlcNews news;

    add_pulse (&belt, i == 120 ? 1500 * MS : belt.period);
    belt.delay = i < 40 ? delay : other;
    read_plc (&belt, belt.pulses[i] + 60 * MS, &news);
    check_number (&belt, "later");
    n_told += news.is_unexpected && news.expected < 12 * MS;
    expect (i < 80 || line_plc_numbers_are_agreed (&belt.numbers)
        == (is_clear || i > 125) || (i >= 120 && i <= 125), "%u: %d", i,
        line_plc_numbers_are_agreed (&belt.numbers));
  }
  expect (n_told == !is_clear, "told %u times", n_told);
  end ();
}

/* Rings that contradict themselves, or what they have said before, tell nothing. */
static void
check_contradiction (gboolean is_equal, gboolean is_fixed)
{
  guint n_wrong = 0;
  Belt belt;

  begin ("rings with %s", is_fixed ? "times that stand" : is_equal ?
      "one time" : "two numbers for a trigger");
  begin_belt (&belt, 100 * MS, 8 * MS, 50 * MS, 8 * MS);
  for (guint i = 0; i < 100; i++) {
    LinePlcNews news;

    add_pulse (&belt, belt.period);
    gint64 time = belt.pulses[i] + 20 * MS;
    LinePlcRing ring = make_ring (&belt, time);
    for (guint k = 0; k < ring.n; k++)
      if (is_fixed)
        ring.triggers[k].time = get_clock (&belt, BEGIN);
      else if (is_equal)
        ring.triggers[k].time = ring.triggers[ring.n - 1].time;
      else
        ring.triggers[k].number += i % 2;
    ring.next += is_equal ? 0 : i % 2;
    see_pulses (&belt, time);
    line_plc_numbers_see (&belt.numbers, &ring, time - MS, time, &news);
    expect (!line_plc_numbers_are_agreed (&belt.numbers), "%u: believed", i);
    n_wrong += news.is_wrong;
  }
  expect (n_wrong > 90, "told %u times only", n_wrong);
  end ();
}

/* The PLC forgets triggers before they are read: that does not say that it has not
 * had them. */
static void
check_unread (void)
{
  LinePlcNumbered last;
  LinePlcNews news;
  guint64 number;
  Belt belt;

  begin ("no reading for long");
  begin_belt (&belt, 100 * MS, 8 * MS, 50 * MS, NAN);
  run (&belt, 20, 0, "before");
  for (guint i = 0; i < 24; i++)
    add_pulse (&belt, belt.period);
  read_plc (&belt, belt.pulses[belt.n_pulses - 1] + 20 * MS, &news);
  expect (news.n_paired == 16 && news.n_extra == 0, "%u paired, %u extra",
      news.n_paired, news.n_extra);
  for (guint i = 20; i < 28; i++)
    expect (line_plc_numbers_find (&belt.numbers, i, 1, &number, &last)
        == LINE_PLC_UNREAD, "%u", i);
  end ();
}

/* The PLC counts on, and says nothing of what it has counted: those of the lane
 * until then have no numbers any more, and later ones have theirs. */
static void
check_silent (void)
{
  LinePlcNumbered last;
  LinePlcNews news;
  guint64 number;
  Belt belt;

  begin ("a ring of nothing");
  begin_belt (&belt, 100 * MS, 8 * MS, 50 * MS, NAN);
  run (&belt, 20, 0, "before");
  for (guint i = 0; i < 5; i++)
    add_pulse (&belt, belt.period);
  belt.noted_from = belt.n_pulses;
  read_plc (&belt, belt.pulses[belt.n_pulses - 1] + 60 * MS, &news);
  expect (news.n_paired == 0 && news.n_missed == 0 && news.n_extra == 0
      && !news.is_lost, "%u paired, %u missed, %u extra", news.n_paired,
      news.n_missed, news.n_extra);
  for (guint i = 20; i < 25; i++)
    expect (line_plc_numbers_find (&belt.numbers, i, 1, &number, &last)
        == LINE_PLC_UNREAD, "%u", i);
  expect (!line_plc_numbers_are_awaited (&belt.numbers, G_MAXINT64),
      "nothing waits");
  run (&belt, 20, belt.period, "after");
  expect (belt.numbers.after_pair == 45, "all later ones");
  end ();
}

/* The PLC begins to count anew, by what it says, by its numbers alone, or by its
 * clock alone: that is told once, and its new numbers are known. */
static void
check_restart (guint16 epoch, guint fewer, gint64 earlier)
{
  Belt belt;
  LinePlcNews news;

  begin ("a restart: epoch %u, %u numbers and %d ms back", epoch, fewer,
      (int) (earlier / MS));
  begin_belt (&belt, 100 * MS, 8 * MS, 50 * MS, 8 * MS);
  run (&belt, 20, 0, "before");
  add_pulse (&belt, belt.period);
  read_plc (&belt, belt.pulses[20] + 20 * MS, &news);
  expect (!news.is_restarted && !news.is_lost, "told before");
  belt.epoch = epoch;
  belt.first_number -= fewer;
  belt.ahead -= earlier;
  belt.noted_from = belt.n_pulses;
  for (guint i = 21; i < 50; i++) {
    add_pulse (&belt, belt.period);
    read_plc (&belt, belt.pulses[i] + 20 * MS, &news);
    expect (news.is_restarted == (i == 21) && news.is_lost == (i == 21),
        "trigger %u: %d, lost: %d", i, news.is_restarted, news.is_lost);
    check_number (&belt, "after it");
  }
  expect (line_plc_numbers_are_agreed (&belt.numbers), "it is not known");
  end ();
}

/* Registers: pairs of words, the low one first. */
static void
put_long (guint16 * values, guint32 value)
{
  values[0] = value & 0xffff;
  values[1] = value >> 16;
}

/* What a PLC says at @now whose triggers from @first to before @next were 100 ms
 * apart, the last one 90 ms ago */
static void
make_registers (guint16 * values, guint16 epoch, guint32 first, guint32 next,
    guint32 now)
{
  memset (values, 0, LINE_PLC_RING_REGISTERS * sizeof (*values));
  values[0] = 1;
  values[1] = epoch;
  put_long (values + 2, next);
  put_long (values + 4, now);
  for (guint32 i = first; i < next; i++) {
    guint16 *at = values + 6 + i % 16 * 6;

    put_long (at, i);
    put_long (at + 2, 3 * i);
    put_long (at + 4, now - 90 - (next - 1 - i) * 100);
  }
}

#define FIRST 70000
#define EPOCH_AT 30

/* Events of @lane: its trigger @i is the PLC's FIRST + @i, from the restart at
 * EPOCH_AT on FIRST - 100 + @i. Counts them; *@next is the next one. */
static guint
take_events (LinePlcRings * rings, guint lane, guint64 * next)
{
  LineEvent event;
  guint n = 0;

  while (n < 100 && line_plc_rings_take_event (rings, &event)) {
    const LineNumbering *of = &event.numbering;
    const gint64 shift = event.trigger < EPOCH_AT ? FIRST : FIRST - 100;

    n++;
    expect (event.type == LINE_EVENT_NUMBER, "the type");
    if (!of->is_agreed)
      continue;
    expect (event.lane == lane, "of lane %u", event.lane);
    expect (event.trigger == *next, "trigger %u, not %u",
        (guint) event.trigger, (guint) * next);
    expect (of->shift == shift, "%u: %d", (guint) event.trigger,
        (int) of->shift);
    expect (of->encoder == 3 * (guint32) (event.trigger + shift),
        "%u: the encoder", (guint) event.trigger);
    expect (of->since == (event.trigger < EPOCH_AT ? 0 : EPOCH_AT), "%u: since "
        "%u", (guint) event.trigger, (guint) of->since);
    *next = event.trigger + 1;
  }
  return n;
}

/* Which of the line's pieces, from 5000 on, the PLC's are since it has counted
 * anew, and which are to come */
static void
check_pieces (const LinePlcRings * rings)
{
  guint64 piece = 0;

  for (guint i = EPOCH_AT; i < 2 * EPOCH_AT + 9; i++) {
    const guint32 number = FIRST - 100 + i;
    const LinePlcPairing pairing = line_plc_rings_find_piece (rings, 1, 5000,
        number, &piece);

    expect (pairing == (i < 2 * EPOCH_AT ? LINE_PLC_PAIRED : LINE_PLC_WAITS),
        "piece %u: pairing %u", i, pairing);
    expect (piece == 5000 + i, "piece %u is %u", i, (guint) piece);
  }
  expect (line_plc_rings_find_piece (rings, 1, 5000, FIRST - 100, &piece)
      == LINE_PLC_ALONE, "a piece that was none");
  expect (line_plc_rings_find_piece (rings, 0, 5000, FIRST, &piece)
      == LINE_PLC_UNREAD, "a lane that stands");
}

/* Of two lanes the second one runs. Their deciders are told that there is a PLC, of
 * each trigger once, and once that nothing is known any more. @step: from the
 * first lane's registers to the second one's; 0: both have the same. @delay: of
 * the lane, in milliseconds, where @expected is configured */
static void
check_rings (guint step, guint delay, guint expected)
{
  char *text = g_strdup_printf ("[line]\nname=l\nrecipe=r.ini\noutput=o\n"
      "deadline-ms=50\ntriggers-per-second=10\n"
      "[geometry]\ncolumns=511\nrows=95\nmm-per-pixel=0.8\ncups=5\n"
      "cup-first=51\ncup-pitch=102\nturn=70\ntilt=-45;15\n"
      "[lane a]\nsource=simulate\n[lane b]\nsource=simulate\n"
      "[plc]\naddress=h\nregister=100\narrival-ms=900\ntriggers=2000\ntriggers-delay-ms=%u\n"
      "triggers-step=%u\n", expected, step);
  const guint ring = step > 0;
  guint16 values[LINE_PLC_RING_REGISTERS];
  LinePlcCounts counts = { 0 };
  GError *error = NULL;
  guint64 next = 0;

  begin ("rings %u registers apart, %u ms, %u expected", step, delay, expected);
  LineConfig *config = line_config_parse ("l.ini", text, strlen (text), &error);
  g_assert_no_error (error);
  LinePlcRings *rings = line_plc_rings_new (config, "p", NAN);
  expect (line_plc_rings_get_count (rings) == 1 + ring
      && line_plc_rings_get_register (rings, ring) == 2000 + step,
      "%u rings", line_plc_rings_get_count (rings));
  expect (take_events (rings, 1, &next) == 2, "that there is a PLC");
  for (guint i = 0; i < 2 * EPOCH_AT; i++) {
    const gint64 time = BEGIN + i * 100 * MS;
    const gboolean is_later = i >= EPOCH_AT;
    const guint32 first = is_later ? FIRST - 100 + EPOCH_AT : FIRST;

    line_plc_rings_add (rings, 1, time + delay * MS);
    make_registers (values, is_later ? 9 : 8, MAX (first,
            first + i % EPOCH_AT - MIN (i % EPOCH_AT, 15)),
        first + i % EPOCH_AT + 1, (is_later ? 5000 : 900000) + i * 100);
    line_plc_rings_see (rings, ring, values, time + 90 * MS - MS / 2,
        time + 90 * MS);
    guint n = take_events (rings, 1, &next);
    /* that nothing is known is told at once, and what is, when it is */
    expect (i % EPOCH_AT < 8 || n == 1, "%u: %u events", i, n);
    expect (i != EPOCH_AT || n == 1, "%u events of the restart", n);
  }
  expect (next == 2 * EPOCH_AT, "up to trigger %u", (guint) next);
  check_pieces (rings);
  line_plc_rings_count (rings, &counts);
  expect (counts.restarts == (ring ? 1 : 2), "%u restarts", (guint) counts.restarts);
  g_free (line_plc_rings_take_messages (rings));
  line_plc_rings_free (rings);
  line_config_free (config);
  g_free (text);
  end ();
}

/* Those that a piece is of follow each other, in one epoch. */
static void
check_find (void)
{
  g_autofree LinePlcNumbers *numbers = g_new0 (LinePlcNumbers, 1);
  LinePlcNumbered last;
  guint64 number = 0;

  begin ("triggers of a piece");
  line_plc_numbers_init (numbers, 40 * MS, 60 * MS, NAN);
  for (guint i = 0; i < 8; i++) {
    line_plc_numbers_add (numbers, i * 40 * MS);
    numbers->triggers[i] = (LinePlcNumbered) {LINE_PLC_PAIRED, i * 40 * MS,
      100 + i + (i > 2), 3 + (i > 5), 5, i
    };
  }
  numbers->triggers[7].pairing = LINE_PLC_WAITS;
  expect (line_plc_numbers_find (numbers, 0, 3, &number, &last)
      == LINE_PLC_PAIRED && number == 100 && last.plc_time == 2, "the first");
  expect (line_plc_numbers_find (numbers, 3, 3, &number, &last)
      == LINE_PLC_PAIRED && number == 104 && last.plc_time == 5, "others");
  expect (line_plc_numbers_find (numbers, 1, 3, &number, &last)
      == LINE_PLC_ALONE, "one lacks between them");
  expect (line_plc_numbers_find (numbers, 4, 3, &number, &last)
      == LINE_PLC_ALONE, "the PLC has started between them");
  expect (line_plc_numbers_find (numbers, 6, 2, &number, &last)
      == LINE_PLC_WAITS, "one waits");
  expect (line_plc_numbers_find (numbers, 6, 3, &number, &last)
      == LINE_PLC_WAITS, "one is to come");
  numbers->triggers[3].pairing = LINE_PLC_WAITS;
  expect (line_plc_numbers_find (numbers, 3, 2, &number, &last)
      == LINE_PLC_WAITS && line_plc_numbers_find (numbers, 4, 2, &number, &last)
      == LINE_PLC_PAIRED && number == 105, "the first one waits");
  numbers->first_waiting = 7;
  expect (line_plc_numbers_are_awaited (numbers, 7 * 40 * MS)
      && !line_plc_numbers_are_awaited (numbers, 7 * 40 * MS - 1),
      "it cannot be there before");
  for (guint i = 8; i < LINE_PLC_NUMBERS + 6; i++)
    line_plc_numbers_add (numbers, i * 40 * MS);
  expect (line_plc_numbers_find (numbers, 5, 1, &number, &last)
      == LINE_PLC_UNREAD, "long ago");
  expect (line_plc_numbers_find (numbers, 6, 1, &number, &last)
      == LINE_PLC_PAIRED && number == 107, "only just remembered");
  end ();
}

int
main (void)
{
  static const gint64 periods[] = { 33 * MS, 100 * MS, 200 * MS };

  for (guint i = 0; i < G_N_ELEMENTS (periods); i++)
    for (gint64 share = -1; share <= 12; share++) {
      check_start (periods[i], MAX (periods[i] * share / 8, -18 * MS), FALSE);
      check_start (periods[i], MAX (periods[i] * share / 8, -18 * MS), TRUE);
    }
  for (gint64 delay = -15; delay <= 165; delay += 20) {
    check_running (delay * MS, 200 * MS, NAN);
    check_running (delay * MS, 200 * MS, delay * MS + 15 * MS);
    if (delay <= 65)
      check_running (delay * MS, 70 * MS, NAN);
  }
  check_old ();
  check_odd ();
  check_slow ();
  check_better ();
  check_silent ();
  check_find ();
  check_restart (4, 0, 0);
  check_restart (4, 1000, -777 * MS);
  check_restart (3, 1000, 0);
  check_restart (3, 0, 5000 * MS);
  check_rings (0, 8, 8);
  check_rings (200, 8, 8);
  /* the deadline is 50 ms, and triggers are 100 ms apart */
  check_rings (200, 84, 60);
  for (gint i = -2; i <= 2; i++) {
    check_drift (.005 * i, 50 * MS, NAN);
    check_drift (.005 * i, 200 * MS, 8 * MS);
  }
  for (guint i = 0; i < G_N_ELEMENTS (periods); i++)
    for (gint64 share = 1; share <= 40; share++)
      for (gint64 latest = 20; latest <= 200; latest += 90) {
        check_step (periods[i], share * periods[i] / 10, 0, latest * MS);
        check_step (periods[i], -share * periods[i] / 10, 0, latest * MS);
        check_step (periods[i], 0, share * periods[i] / 10, latest * MS);
      }
  check_other (40 * MS, 40 * MS, 50 * MS);
  check_other (8 * MS, 48 * MS, 50 * MS);
  check_other (50 * MS, 50 * MS, 200 * MS);
  check_other (8 * MS, 55 * MS, 200 * MS);
  check_contradiction (FALSE, FALSE);
  check_contradiction (TRUE, FALSE);
  check_contradiction (TRUE, TRUE);
  check_unread ();
  check_wrong ();
  check_glitch (FALSE);
  check_glitch (TRUE);
  return finish ();
}
