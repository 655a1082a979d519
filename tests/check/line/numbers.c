/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which of a PLC's triggers a lane's are, by times made here: belts that run, stop
 * and start, whose lane sees triggers so much later than the PLC, or earlier. What
 * is said must be right; and where something tells, it must be said. */

#include <math.h>

#include "check.h"
#include "plc_numbers.h"
#include "random.h"

#define MS G_GINT64_CONSTANT (1000000)
#define MOST 400

static guint64 state = 1;

/* Pulses at the PLC, whose clock is @ahead of the line's; the lane sees each
 * @delay later. In nanoseconds. @seen_from: pulses before it the lane has not
 * seen; @scan: by which the PLC notes each second one later; @noted_from: nor the PLC these, of which it says nothing */
typedef struct
{
  gint64 period, delay, ahead, scan;
  gint64 pulses[MOST];
  guint n_pulses, seen_from, noted_from, n_seen;
  guint32 first_number;
  LinePlcNumbers numbers;
} Belt;

static void
add_pulse (Belt * belt, gint64 interval)
{
  const guint n = belt->n_pulses++;

  g_assert (n < MOST);
  belt->pulses[n] = n ? belt->pulses[n - 1] + interval : 1000000 * MS;
}

static guint32
get_clock (const Belt * belt, gint64 time)
{
  return (guint32) ((time + belt->ahead) / MS);
}

/* The lane is told of all that it has seen until @time; then the PLC is read, and
 * says what was at @noted: asked for at @asked. */
static void
read_late (Belt * belt, gint64 noted, gint64 asked, gint64 time,
    LinePlcNews * news)
{
  LinePlcRing ring = {.epoch = 3,.now = get_clock (belt, noted) };
  guint n = 0;

  while (belt->seen_from + belt->n_seen < belt->n_pulses
      && belt->pulses[belt->seen_from + belt->n_seen] + belt->delay <= time)
    line_plc_numbers_add (&belt->numbers,
        belt->pulses[belt->seen_from + belt->n_seen++] + belt->delay);
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
  *belt = (Belt) {.period = period,.delay = delay,
    .ahead = random_below (&state, 1u << 31) * 2 * MS,
    .first_number = random_bits (&state)
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
    gint64 time;

    add_pulse (&belt, belt.period);
    time = belt.pulses[i] + 10 * MS;
    if (i == 10)
      read_late (&belt, time - belt.period, time - MS / 2, time, &news);
    else if (i > 10)
      read_plc (&belt, time, &news);
    check_number (&belt, "after it");
  }
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
    gint64 time;

    add_pulse (&belt, belt.period);
    time = belt.pulses[i] + 25 * MS;
    read_late (&belt, time, time, time + (i < 12 ? 19 : 1) * MS, &news);
    check_number (&belt, "better");
    expect (news.n_extra + news.n_missed == 0, "%u: one is lost", i);
    expect (i < 6 || line_plc_numbers_are_agreed (&belt.numbers),
        "%u: it is not known", i);
  }
  end ();
}

/* Those that a piece is of follow each other, in one epoch. */
static void
check_find (void)
{
  LinePlcNumbers *numbers = g_new0 (LinePlcNumbers, 1);
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
  g_free (numbers);
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
  check_slow ();
  check_better ();
  check_find ();
  check_wrong ();
  check_glitch (FALSE);
  check_glitch (TRUE);
  return finish ();
}
