/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "plc_numbers.h"

#include <math.h>

#define MS G_GINT64_CONSTANT (1000000)

/* A clock runs at most one part in so many slower or faster than another. */
#define DRIFT 5000

/* Nanoseconds that a clock is off when it was set anew, not read late */
#define JUMP (200 * MS)

/* Nanoseconds in which clocks do not go apart by more than tolerances allow */
#define FRESH (10 * 1000 * MS)

/* Pairs that have to agree before they are believed; readings, for one alone may
 * be an old one; and how many ways there are to make pairs */
#define ENOUGH 4
#define READINGS 2
#define GUESSES 7

/* Of the time between triggers: how far off a pair may be; how much pairs may
 * differ that agree, and how much those do that cannot be: more than a PLC's scans
 * and cameras make them differ; how well the PLC's clock must be known */
#define TOLERANCE 0.35
#define SPREAD 0.35
#define IMPOSSIBLE 0.6
#define CLOCK 0.4

/* Of the same: how far off an expected delay may be */
#define EXPECTED 0.25

/* Times between triggers, on average, that a pause of the belt takes at least */
#define PAUSE 3.5

/* Nanoseconds that a PLC may note a trigger later than it was */
#define MOST_SCAN (20 * MS)

/* A new pair's weight in the delay */
#define WEIGHT (1.0 / 16)

typedef struct
{
  guint64 trigger;
  guint entry;
  gdouble delay;
} Pair;

/* A reading: number of its first trigger, and the line's time of the PLC's
 * clock's zero */
typedef struct
{
  const LinePlcRing *ring;
  guint64 first;
  gint64 zero;
} Reading;

void
line_plc_numbers_init (LinePlcNumbers * numbers, gint64 period,
    gint64 latest, gdouble expected)
{
  *numbers = (LinePlcNumbers) {.period = period,
    .latest = MIN (latest, GUESSES / 2 * period),
    .expected = expected
  };
}

static LinePlcNumbered *
get_trigger (LinePlcNumbers * numbers, guint64 trigger)
{
  return &numbers->triggers[trigger % LINE_PLC_NUMBERS];
}

void
line_plc_numbers_add (LinePlcNumbers * numbers, gint64 time)
{
  const guint64 trigger = numbers->n_triggers++;

  if (trigger - numbers->first_waiting == LINE_PLC_NUMBERS)
    numbers->first_waiting++;
  *get_trigger (numbers, trigger) = (LinePlcNumbered) {.time = time };
}

/* The PLC's clock */

static gint64
get_zero (const LinePlcNumbers * numbers)
{
  return numbers->least + (numbers->most - numbers->least) / 2;
}

/* By how much that may be wrong */
static gdouble
get_doubt (const LinePlcNumbers * numbers)
{
  return (numbers->most - numbers->least) / 2.;
}

/* What is known better now was not different before: the delay of the last pairs
 * is another one. But since those of long ago clocks have gone apart. */
static void
move_zero (LinePlcNumbers * numbers, gint64 before, gint64 now)
{
  if (numbers->is_agreed && now - numbers->paired_at < FRESH)
    numbers->delay -= get_zero (numbers) - before;
}

/* Between being asked and answering it has looked at its clock: the line's is
 * ahead of it by what its own was less that, at one of both times or between
 * them. Readings that took long say less. Returns: FALSE if it has jumped */
static gboolean
see_clock (LinePlcNumbers * numbers, guint32 now, gint64 asked,
    gint64 answered)
{
  const gint64 drift = (answered - numbers->read_at) / DRIFT;
  const gint64 before = get_zero (numbers);
  gint64 zero, least, most;

  numbers->now += (guint32) (now - (guint32) numbers->now);
  zero = numbers->now * MS;
  least = asked - zero;
  most = answered - zero;
  if (numbers->n_readings > 0 && (least > numbers->most + drift + JUMP
          || most < numbers->least - drift - JUMP))
    return FALSE;
  numbers->most = numbers->n_readings > 0 ?
      MIN (numbers->most + drift, most) : most;
  /* it is a little late if the PLC looks at its clock once a scan */
  numbers->least = MIN (numbers->most, numbers->n_readings > 0 ?
      MAX (numbers->least - drift, least) : least);
  numbers->n_readings++;
  numbers->read_at = answered;
  move_zero (numbers, before, answered);
  return TRUE;
}

/* When the PLC has noted a trigger, by the line's clock. */
static gint64
get_time (const Reading * reading, const LinePlcNumbers * numbers, guint entry)
{
  const guint32 age = reading->ring->now - reading->ring->triggers[entry].time;

  return reading->zero + (numbers->now - (gint64) age) * MS;
}

/* Pairs */

/* Triggers and the PLC's entries that have the same time, both in order. */
static guint
find_pairs (LinePlcNumbers * numbers, const Reading * reading, Pair * pairs)
{
  guint64 trigger = numbers->first_waiting;
  guint entry = MAX (numbers->next, reading->first) - reading->first, n = 0;

  while (trigger < numbers->n_triggers && entry < reading->ring->n) {
    const gdouble delay = get_trigger (numbers, trigger)->time
        - get_time (reading, numbers, entry);

    if (ABS (delay - numbers->delay) <= TOLERANCE * numbers->period)
      pairs[n++] = (Pair) {trigger++, entry++, delay};
    else if (delay < numbers->delay)
      trigger++;
    else
      entry++;
  }
  return n;
}

/* The lane's last triggers are the PLC's last ones, but for a few. @n: pairs, from
 * the last ones back. @delay: of the last ones. @is_impossible: those differ, or
 * all do */
typedef struct
{
  gint64 trigger;
  gint entry;
  guint n;
  gdouble delay;
  gboolean is_impossible;
} Guess;

/* The first trigger of all that is remembered, and that waits. */
static gint64
get_oldest (const LinePlcNumbers * numbers)
{
  const gint64 oldest = numbers->n_triggers > LINE_PLC_NUMBERS ?
      numbers->n_triggers - LINE_PLC_NUMBERS : 0;

  return numbers->is_agreed ? oldest : MAX ((gint64) numbers->first_waiting,
      oldest);
}

static gdouble
get_delay (LinePlcNumbers * numbers, const Reading * reading,
    const Guess * guess, guint i)
{
  return get_trigger (numbers, guess->trigger - i)->time
      - get_time (reading, numbers, guess->entry - i);
}

/* How much the delays of its last @n pairs differ. @mean: set */
static gdouble
get_spread (LinePlcNumbers * numbers, const Reading * reading,
    const Guess * guess, guint n, gdouble * mean)
{
  gdouble least = G_MAXDOUBLE, most = -G_MAXDOUBLE, sum = 0;

  for (guint i = 0; i < n; i++) {
    const gdouble delay = get_delay (numbers, reading, guess, i);

    least = MIN (least, delay);
    most = MAX (most, delay);
    sum += delay;
  }
  *mean = sum / n;
  return most - least;
}

/* Whether its triggers, as far back as they are the PLC's, come after a pause so
 * long that no other guess can be as good: not if some were missed, or were two. */
static gboolean
has_pause (LinePlcNumbers * numbers, const Reading * reading,
    const Guess * guess)
{
  gdouble most = 0, sum = 0, mean;
  guint n = 0;

  while (n + 1 < guess->n && get_spread (numbers, reading, guess, n + 2,
          &mean) <= IMPOSSIBLE * numbers->period) {
    const gdouble interval = get_trigger (numbers, guess->trigger - n)->time
        - get_trigger (numbers, guess->trigger - n - 1)->time;

    most = MAX (most, interval);
    sum += interval;
    n++;
  }
  return n >= ENOUGH && most > PAUSE * (sum - most) / (n - 1);
}

/* @ahead: triggers that the lane has told, and the PLC has not yet */
static void
make_guess (LinePlcNumbers * numbers, const Reading * reading, gint ahead,
    Guess * guess)
{
  const gint first = numbers->is_agreed ? 0 :
      MAX (numbers->next, reading->first) - reading->first;
  gint64 n;

  guess->trigger = (gint64) numbers->n_triggers - 1 - MAX (ahead, 0);
  guess->entry = (gint) reading->ring->n - 1 + MIN (ahead, 0);
  n = MIN (guess->trigger - get_oldest (numbers), guess->entry - first) + 1;
  guess->n = MAX (n, 0);
  guess->is_impossible = guess->n == 0 || get_spread (numbers, reading, guess,
      MIN (guess->n, ENOUGH), &guess->delay) > IMPOSSIBLE * numbers->period;
}

/* What is longer ago speaks for none, or for one: equally far for all. */
static void
look_back (LinePlcNumbers * numbers, const Reading * reading, Guess * guesses)
{
  guint n = G_MAXUINT;
  gdouble mean;

  for (guint i = 0; i < GUESSES; i++)
    if (!guesses[i].is_impossible)
      n = MIN (n, guesses[i].n);
  for (guint i = 0; i < GUESSES; i++)
    if (!guesses[i].is_impossible)
      guesses[i].is_impossible = get_spread (numbers, reading, &guesses[i], n,
          &mean) > IMPOSSIBLE * numbers->period;
}

/* The only one that is left, if its last pairs agree. */
static const Guess *
choose (LinePlcNumbers * numbers, const Reading * reading,
    const Guess * guesses)
{
  const Guess *found = NULL;
  gdouble mean;

  for (guint i = 0; i < GUESSES; i++) {
    if (guesses[i].is_impossible)
      continue;
    if (found)
      return NULL;
    found = &guesses[i];
  }
  return found && found->n >= ENOUGH && get_spread (numbers, reading, found,
      ENOUGH, &mean) <= SPREAD * numbers->period ? found : NULL;
}

/* Of all delays that there may be: the lane sees no trigger earlier than the PLC,
 * but for its scan, or later than would be of use. If there is room for two, only
 * a pause tells. */
static const Guess *
guess_any (LinePlcNumbers * numbers, const Reading * reading, Guess * guesses)
{
  const gdouble doubt = get_doubt (numbers);
  const gdouble least = -MOST_SCAN - doubt, most = numbers->latest + doubt;
  const Guess *chosen;

  for (gint i = 0; i < GUESSES; i++) {
    make_guess (numbers, reading, i - GUESSES / 2, &guesses[i]);
    guesses[i].is_impossible |= guesses[i].delay < least
        || guesses[i].delay > most;
  }
  look_back (numbers, reading, guesses);
  chosen = choose (numbers, reading, guesses);
  return chosen && (most - least <= numbers->period
      || has_pause (numbers, reading, chosen)) ? chosen : NULL;
}

static const Guess *
guess_expected (LinePlcNumbers * numbers, const Reading * reading,
    Guess * guesses)
{
  const gdouble slack = EXPECTED * numbers->period + get_doubt (numbers);

  for (gint i = 0; i < GUESSES; i++) {
    make_guess (numbers, reading, i - GUESSES / 2, &guesses[i]);
    guesses[i].is_impossible |=
        fabs (guesses[i].delay - numbers->expected) > slack;
  }
  return choose (numbers, reading, guesses);
}

static void
find_delay (LinePlcNumbers * numbers, const Reading * reading,
    LinePlcNews * news)
{
  Guess guesses[GUESSES];
  const Guess *chosen = isnan (numbers->expected) ?
      guess_any (numbers, reading, guesses) :
      guess_expected (numbers, reading, guesses);

  if (chosen)
    numbers->delay = chosen->delay;
  numbers->is_agreed = news->is_found = chosen != NULL;
}

/* What was expected may be wrong: a pause tells. */
static void
doubt_delay (LinePlcNumbers * numbers, const Reading * reading)
{
  Guess guesses[GUESSES];
  const Guess *chosen = guess_any (numbers, reading, guesses);

  if (!chosen || fabs (chosen->delay - numbers->delay) < numbers->period / 2.)
    return;
  numbers->expected = chosen->delay;
  numbers->is_agreed = FALSE;
}

/* What is before a pair, on either side, has no partner. Before the first pair
 * of all nothing is known. */
static void
pass_over (LinePlcNumbers * numbers, guint64 trigger, guint64 number,
    LinePlcNews * news)
{
  if (numbers->has_shift)
    news->n_missed += number - numbers->next;
  for (; numbers->first_waiting < trigger; numbers->first_waiting++) {
    get_trigger (numbers, numbers->first_waiting)->pairing = LINE_PLC_ALONE;
    news->n_extra += numbers->has_shift;
  }
}

static void
take_pair (LinePlcNumbers * numbers, const Reading * reading,
    const Pair * pair, LinePlcNews * news)
{
  const LinePlcTrigger *entry = &reading->ring->triggers[pair->entry];
  const guint64 number = reading->first + pair->entry;
  const gint64 shift = number - pair->trigger;
  LinePlcNumbered *trigger = get_trigger (numbers, pair->trigger);

  pass_over (numbers, pair->trigger, number, news);
  *trigger = (LinePlcNumbered) {LINE_PLC_PAIRED, trigger->time, number,
    numbers->epoch, entry->encoder, entry->time
  };
  if (numbers->has_shift && shift != numbers->shift) {
    news->is_shifted = TRUE;
    news->shift += shift - numbers->shift;
  }
  if (!numbers->has_shift || shift != numbers->shift)
    numbers->since = pair->trigger;
  numbers->has_shift = TRUE;
  numbers->shift = shift;
  numbers->delay += (pair->delay - numbers->delay) * WEIGHT;
  numbers->first_waiting = pair->trigger + 1;
  numbers->after_pair = pair->trigger + 1;
  numbers->next = number + 1;
  numbers->paired_at = trigger->time;
  news->n_paired++;
}

/* Readings */

/* It counts anew, or its clock does: nothing of before can be compared. */
static void
begin_again (LinePlcNumbers * numbers, const LinePlcRing * ring)
{
  numbers->has_epoch = TRUE;
  numbers->epoch = ring->epoch;
  numbers->next = ring->next - ring->n;
  numbers->is_agreed = FALSE;
  numbers->n_readings = 0;
}

static gboolean
is_restarted (const LinePlcNumbers * numbers, const LinePlcRing * ring)
{
  return numbers->has_epoch && (ring->epoch != numbers->epoch
      || (gint32) (ring->next - (guint32) numbers->next) < 0
      || (gint32) (ring->now - (guint32) numbers->now) < 0);
}

/* The PLC has forgotten triggers before they were read: those of the lane of that
 * time will never have numbers. */
static void
skip_unread (LinePlcNumbers * numbers, const Reading * reading)
{
  gdouble until;

  if (numbers->next >= reading->first)
    return;
  numbers->next = reading->first;
  until = reading->ring->n == 0 ? reading->zero + numbers->now * MS :
      get_time (reading, numbers, 0);
  until += numbers->delay - TOLERANCE * numbers->period;
  for (; numbers->first_waiting < numbers->n_triggers
      && get_trigger (numbers, numbers->first_waiting)->time < until;
      numbers->first_waiting++)
    get_trigger (numbers, numbers->first_waiting)->pairing = LINE_PLC_ALONE;
}

static void
compare (LinePlcNumbers * numbers, const Reading * reading, LinePlcNews * news)
{
  Pair pairs[LINE_PLC_RING_TRIGGERS];
  guint n;

  if (numbers->is_agreed)
    doubt_delay (numbers, reading);
  if (!numbers->is_agreed)
    find_delay (numbers, reading, news);
  if (!numbers->is_agreed)
    return;
  skip_unread (numbers, reading);
  n = find_pairs (numbers, reading, pairs);
  for (guint i = 0; i < n; i++)
    take_pair (numbers, reading, &pairs[i], news);
}

void
line_plc_numbers_see (LinePlcNumbers * numbers, const LinePlcRing * ring,
    gint64 asked, gint64 answered, LinePlcNews * news)
{
  const gboolean was_agreed = numbers->is_agreed;
  Reading reading = { ring };

  *news = (LinePlcNews) { 0 };
  news->is_restarted = is_restarted (numbers, ring);
  if (news->is_restarted)
    numbers->has_shift = FALSE;
  if (!numbers->has_epoch || news->is_restarted
      || !see_clock (numbers, ring->now, asked, answered)) {
    begin_again (numbers, ring);
    see_clock (numbers, ring->now, asked, answered);
  }
  reading.first = numbers->next + (guint32) (ring->next
      - (guint32) numbers->next) - ring->n;
  reading.zero = get_zero (numbers);
  if (numbers->n_readings >= READINGS
      && numbers->most - numbers->least <= CLOCK * numbers->period)
    compare (numbers, &reading, news);
  if (numbers->is_agreed)
    numbers->expected = numbers->delay;
  numbers->is_agreed = line_plc_numbers_are_agreed (numbers);
  news->is_lost = was_agreed && !numbers->is_agreed;
}

/* So many triggers have come since a pair that the PLC has forgotten which one
 * that was. */
gboolean
line_plc_numbers_are_agreed (const LinePlcNumbers * numbers)
{
  return numbers->is_agreed && numbers->n_triggers - numbers->after_pair
      <= LINE_PLC_RING_TRIGGERS;
}

gboolean
line_plc_numbers_are_awaited (const LinePlcNumbers * numbers, gint64 time)
{
  return numbers->first_waiting < numbers->n_triggers
      && numbers->triggers[numbers->first_waiting % LINE_PLC_NUMBERS].time
      <= time;
}

static LinePlcPairing
get_pairing (const LinePlcNumbers * numbers, guint64 trigger)
{
  return trigger + LINE_PLC_NUMBERS < numbers->n_triggers ? LINE_PLC_ALONE :
      trigger >= numbers->n_triggers ? LINE_PLC_WAITS :
      numbers->triggers[trigger % LINE_PLC_NUMBERS].pairing;
}

LinePlcPairing
line_plc_numbers_find (const LinePlcNumbers * numbers, guint64 first, guint n,
    guint64 * number, LinePlcNumbered * last)
{
  LinePlcPairing pairing = LINE_PLC_PAIRED;

  for (guint i = 0; i < n; i++) {
    const LinePlcNumbered *trigger =
        &numbers->triggers[(first + i) % LINE_PLC_NUMBERS];
    const LinePlcPairing its = get_pairing (numbers, first + i);

    if (its == LINE_PLC_ALONE)
      return LINE_PLC_ALONE;
    if (its == LINE_PLC_WAITS)
      pairing = LINE_PLC_WAITS;
    else if (i == 0)
      *number = trigger->number;
    else if (pairing == LINE_PLC_PAIRED && (trigger->number != *number + i
            || trigger->epoch != last->epoch))
      return LINE_PLC_ALONE;
    *last = *trigger;
  }
  return pairing;
}
