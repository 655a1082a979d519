/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "plc_numbers.h"

#include <math.h>
#include <string.h>

#define MS G_GINT64_CONSTANT (1000000)

/* Readings in succession whose clock is not that of before: one may be an old
 * answer, two say that it was set. */
#define ODD 2

/* New triggers that are not as late as was expected, until that is forgotten */
#define UNEXPECTED 16

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

/* Of the same: how far off an expected delay may be; by how much intervals may
 * differ around a trigger that one side has not had; how close triggers are that
 * cannot be; how late a clock may be that is looked at once a scan */
#define EXPECTED 0.25
#define INTERVALS 0.5
#define TOO_CLOSE 0.25
#define LATE 0.4

/* Times between triggers, on average, that a pause of the belt takes at least */
#define PAUSE 3.5

/* A new pair's weight in the delay that is expected once it is not known any more:
 * a clock that was set by little makes a wrong one for a while. */
#define WEIGHT (1. / 64)

/* Nanoseconds that a PLC may note a trigger later than it was */
#define MOST_SCAN (20 * MS)

typedef struct
{
  guint64 trigger;
  guint entry;
  gdouble delay;
} Pair;

/* A reading, and the number of its first trigger */
typedef struct
{
  const LinePlcRing *ring;
  guint64 first;
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

/* By how much the PLC's clock may be wrong */
static gdouble
get_doubt (const LinePlcNumbers * numbers)
{
  return (numbers->clock.zero.most - numbers->clock.zero.least) / 2.;
}

/* The PLC's triggers */

static LinePlcSeen *
get_seen (LinePlcNumbers * numbers, guint64 number)
{
  return &numbers->seen[number % LINE_PLC_RING_TRIGGERS];
}

/* When the PLC has noted its triggers, by the line's clock. Each reading tells
 * of it; the longer ago a trigger was, the less exactly. */
static void
see_triggers (LinePlcNumbers * numbers, const Reading * reading)
{
  for (guint i = 0; i < reading->ring->n; i++) {
    const guint32 its = reading->ring->triggers[i].time;
    const LinePlcBounds time = line_plc_clock_get_time (&numbers->clock,
        reading->ring->now - its);
    LinePlcSeen *seen = get_seen (numbers, reading->first + i);

    if (seen->is_there && seen->number == reading->first + i)
      line_plc_bounds_narrow (&seen->time, time.least, time.most);
    else
      *seen = (LinePlcSeen) {TRUE, reading->first + i, its, time};
  }
}

static gint64
get_time (LinePlcNumbers * numbers, const Reading * reading, guint entry)
{
  return line_plc_bounds_get_middle (&get_seen (numbers, reading->first + entry)->time);
}

/* Whether they contradict themselves, or what it has said of them before. */
static gboolean
is_contradiction (LinePlcNumbers * numbers, const Reading * reading)
{
  const LinePlcRing *ring = reading->ring;
  guint n_close = 0;

  for (guint i = 0; i < ring->n; i++) {
    const LinePlcSeen *seen = get_seen (numbers, reading->first + i);

    if (seen->is_there && seen->number == reading->first + i
        && seen->plc_time != ring->triggers[i].time)
      return TRUE;
    n_close += i > 0 && (guint32) (ring->triggers[i].time
        - ring->triggers[i - 1].time) * MS < TOO_CLOSE * numbers->period;
  }
  return ring->n >= ENOUGH && n_close * 2 >= ring->n;
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
        - get_time (numbers, reading, entry);

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

/* How much the delays of the guess's last @n pairs differ. @mean: set */
static gdouble
get_spread (LinePlcNumbers * numbers, const Reading * reading,
    const Guess * guess, guint n, gdouble * mean)
{
  gdouble least = G_MAXDOUBLE, most = -G_MAXDOUBLE, sum = 0;

  for (guint i = 0; i < n; i++) {
    const gdouble delay = get_trigger (numbers, guess->trigger - i)->time
        - get_time (numbers, reading, guess->entry - i);

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
  const gint first = MAX (numbers->is_agreed ? numbers->begun :
      numbers->next, reading->first) - reading->first;

  guess->trigger = (gint64) numbers->n_triggers - 1 - MAX (ahead, 0);
  guess->entry = (gint) reading->ring->n - 1 + MIN (ahead, 0);
  gint64 n = MIN (guess->trigger - get_oldest (numbers),
      guess->entry - first) + 1;
  guess->n = MAX (n, 0);
  guess->is_impossible = guess->n == 0 || get_spread (numbers, reading, guess,
      MIN (guess->n, ENOUGH), &guess->delay) > IMPOSSIBLE * numbers->period;
}

/* The only guess that is left, if its last pairs agree. */
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

  for (gint i = 0; i < GUESSES; i++) {
    make_guess (numbers, reading, i - GUESSES / 2, &guesses[i]);
    guesses[i].is_impossible |= guesses[i].delay < least
        || guesses[i].delay > most;
  }
  /* What is longer ago speaks for none, or for one: equally far for all. */
  guint n = G_MAXUINT;
  gdouble mean;
  for (guint i = 0; i < GUESSES; i++)
    if (!guesses[i].is_impossible)
      n = MIN (n, guesses[i].n);
  for (guint i = 0; i < GUESSES; i++)
    if (!guesses[i].is_impossible)
      guesses[i].is_impossible = get_spread (numbers, reading, &guesses[i], n,
          &mean) > IMPOSSIBLE * numbers->period;
  const Guess *chosen = choose (numbers, reading, guesses);
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

/* The expected delay is wrong if new triggers contradict it again and again. */
static void
doubt_expected (LinePlcNumbers * numbers, const Guess * guesses,
    LinePlcNews * news)
{
  gboolean is_plausible = FALSE;

  for (guint i = 0; i < GUESSES; i++)
    is_plausible |= guesses[i].n >= ENOUGH && !guesses[i].is_impossible;
  if (!is_plausible || numbers->n_triggers == numbers->doubted_at)
    return;
  numbers->doubted_at = numbers->n_triggers;
  if (++numbers->n_doubts < UNEXPECTED)
    return;
  news->is_unexpected = TRUE;
  news->expected = numbers->expected;
  numbers->expected = NAN;
}

/* The expected delay narrows the choice only if there is one. */
static void
find_delay (LinePlcNumbers * numbers, const Reading * reading,
    LinePlcNews * news)
{
  Guess any[GUESSES], expected[GUESSES];
  const Guess *chosen = guess_any (numbers, reading, any);

  if (!chosen && !isnan (numbers->expected)) {
    chosen = guess_expected (numbers, reading, expected);
    if (!chosen)
      doubt_expected (numbers, any, news);
  }
  if (chosen) {
    numbers->delay = chosen->delay;
    numbers->n_doubts = 0;
    if (!(fabs (chosen->delay - numbers->expected)
            <= EXPECTED * numbers->period))
      numbers->expected = chosen->delay;
  }
  numbers->is_agreed = news->is_found = chosen != NULL;
}

/* The expected delay may be wrong: a pause tells. */
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
    get_trigger (numbers, numbers->first_waiting)->pairing =
        numbers->has_shift ? LINE_PLC_ALONE : LINE_PLC_UNREAD;
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
  numbers->first_waiting = pair->trigger + 1;
  numbers->after_pair = pair->trigger + 1;
  numbers->next = number + 1;
  news->n_paired++;
}

/* Of the last pairs, as far as the PLC remembers them */
static void
follow_delay (LinePlcNumbers * numbers)
{
  gdouble sum = 0;
  guint n = 0;

  for (guint64 i = numbers->after_pair; i > numbers->before_pairs
      && i + LINE_PLC_RING_TRIGGERS > numbers->after_pair; i--) {
    const LinePlcNumbered *trigger = get_trigger (numbers, i - 1);
    const LinePlcSeen *seen = get_seen (numbers, trigger->number);

    if (trigger->pairing != LINE_PLC_PAIRED || !seen->is_there
        || seen->number != trigger->number)
      continue;
    sum += trigger->time - line_plc_bounds_get_middle (&seen->time);
    n++;
  }
  if (n > 0)
    numbers->delay = sum / n;
}

/* If one side has not had a trigger, or two, both have had the same time since the
 * last pair. If they have not, the PLC's clock was set. */
static gboolean
is_plausible (LinePlcNumbers * numbers, const Reading * reading,
    const Pair * pair)
{
  const gint64 shift = reading->first + pair->entry - pair->trigger;
  gint64 lane, its;

  if (!numbers->has_shift || shift == numbers->shift)
    return TRUE;
  const LinePlcNumbered *last = get_trigger (numbers, numbers->after_pair - 1);
  lane = get_trigger (numbers, pair->trigger)->time - last->time;
  its = (guint32) (reading->ring->triggers[pair->entry].time
      - last->plc_time) * MS;
  return lane > LINE_PLC_RING_TRIGGERS * numbers->period
      || ABS (lane - its) <= INTERVALS * numbers->period + lane * LINE_PLC_DRIFT;
}

/* Readings */

/* Nothing of before can be compared. @next: of the PLC's triggers from here on */
static void
begin_again (LinePlcNumbers * numbers, const LinePlcRing * ring, guint64 next)
{
  numbers->has_epoch = TRUE;
  numbers->epoch = ring->epoch;
  line_plc_clock_begin (&numbers->clock, ring->now, MIN (MOST_SCAN,
          LATE * numbers->period));
  numbers->next = numbers->begun = next;
  numbers->before_pairs = numbers->after_pair;
  numbers->has_shift = FALSE;
  numbers->is_agreed = FALSE;
  numbers->n_odd = 0;
  memset (numbers->seen, 0, sizeof (numbers->seen));
}

static gboolean
is_restarted (const LinePlcNumbers * numbers, const LinePlcRing * ring)
{
  return numbers->has_epoch && (ring->epoch != numbers->epoch
      || (gint32) (ring->next - (guint32) numbers->next) < 0
      || (gint32) (ring->now - (guint32) numbers->clock.now) < 0);
}

/* The PLC's clock was set: triggers from before have other times than they
 * say. */
static void
set_anew (LinePlcNumbers * numbers, const Reading * reading, LinePlcNews * news)
{
  news->is_set = TRUE;
  begin_again (numbers, reading->ring, reading->first + reading->ring->n);
}

/* The PLC has forgotten triggers before they were read: those of the lane of that
 * time will never have numbers. */
static void
skip_unread (LinePlcNumbers * numbers, const Reading * reading)
{
  if (numbers->next >= reading->first)
    return;
  numbers->next = reading->first;
  gdouble until = reading->ring->n
      == 0 ? line_plc_bounds_get_middle (&numbers->clock.zero)
      + numbers->clock.now * MS : get_time (numbers, reading, 0);
  until += numbers->delay - TOLERANCE * numbers->period;
  for (; numbers->first_waiting < numbers->n_triggers
      && get_trigger (numbers, numbers->first_waiting)->time < until;
      numbers->first_waiting++)
    get_trigger (numbers, numbers->first_waiting)->pairing = LINE_PLC_UNREAD;
}

static void
compare (LinePlcNumbers * numbers, const Reading * reading, LinePlcNews * news)
{
  Pair pairs[LINE_PLC_RING_TRIGGERS];

  if (numbers->is_agreed)
    doubt_delay (numbers, reading);
  if (!numbers->is_agreed)
    find_delay (numbers, reading, news);
  if (!numbers->is_agreed)
    return;
  skip_unread (numbers, reading);
  guint n = find_pairs (numbers, reading, pairs);
  for (guint i = 0; i < n && numbers->is_agreed; i++)
    if (is_plausible (numbers, reading, &pairs[i]))
      take_pair (numbers, reading, &pairs[i], news);
    else
      set_anew (numbers, reading, news);
  follow_delay (numbers);
  numbers->expected += (numbers->delay - numbers->expected)
      * MIN (WEIGHT * news->n_paired, 1);
}

/* Returns: FALSE if it says nothing that can be used */
static gboolean
begin_reading (LinePlcNumbers * numbers, Reading * reading, gint64 asked,
    gint64 answered, LinePlcNews * news)
{
  const LinePlcRing *ring = reading->ring;
  const guint32 first = ring->next - ring->n;

  news->is_restarted = is_restarted (numbers, ring);
  if (!numbers->has_epoch || ring->epoch != numbers->epoch)
    begin_again (numbers, ring, first);
  else if (news->is_restarted)
    begin_again (numbers, ring, (guint64) first + ring->n);
  reading->first = numbers->next + (guint32) (ring->next
      - (guint32) numbers->next) - ring->n;
  news->is_wrong = is_contradiction (numbers, reading);
  if (news->is_wrong) {
    begin_again (numbers, ring, reading->first + ring->n);
  } else if (!line_plc_clock_see (&numbers->clock, ring->now, asked,
          answered)) {
    if (++numbers->n_odd < ODD)
      return FALSE;
    set_anew (numbers, reading, news);
    line_plc_clock_see (&numbers->clock, ring->now, asked, answered);
  } else {
    numbers->n_odd = 0;
  }
  see_triggers (numbers, reading);
  return !news->is_wrong && numbers->clock.n_readings >= READINGS
      && line_plc_numbers_know_clock (numbers);
}

void
line_plc_numbers_see (LinePlcNumbers * numbers, const LinePlcRing * ring,
    gint64 asked, gint64 answered, LinePlcNews * news)
{
  const gboolean was_agreed = numbers->is_agreed;
  Reading reading = { ring };

  *news = (LinePlcNews) { 0 };
  if (begin_reading (numbers, &reading, asked, answered, news)) {
    follow_delay (numbers);
    compare (numbers, &reading, news);
  }
  numbers->is_agreed = line_plc_numbers_are_agreed (numbers);
  news->is_lost = was_agreed && !numbers->is_agreed;
}

gboolean
line_plc_numbers_know_clock (const LinePlcNumbers * numbers)
{
  return 2 * get_doubt (numbers) <= CLOCK * numbers->period;
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
  return trigger + LINE_PLC_NUMBERS < numbers->n_triggers ? LINE_PLC_UNREAD :
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

    if (its == LINE_PLC_ALONE || its == LINE_PLC_UNREAD)
      return its;
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
