/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "plc_rings.h"

#include "publish/message.h"

#include <math.h>

#define MS G_GINT64_CONSTANT (1000000)

/* Nanoseconds: from a trigger until the PLC has noted it; from a reading to the
 * next, if nothing has happened, if something is awaited, and after a failure */
#define SETTLED (10 * MS)
#define IDLE (1000 * MS)
#define LEAST_RETRY (5 * MS)
#define MOST_RETRY (50 * MS)
#define RETRY (20 * MS)

/* Readings in succession that are none, after which it is told: a PLC may be read
 * while it writes */
#define WRONG 4

/* From one message of a lane to the next of the same kind */
#define PAUSE (10 * 1000 * MS)

typedef struct
{
  guint reg;
  gint64 read_at, due;
  guint n_wrong;
} Ring;

/* @next: the trigger that its decider is told of next; @since: from which on it has
 * been told the same @shift; @is_told: whether it knows that they agree.
 * @unclear_at: when that was not so, and told, last */
typedef struct
{
  const char *name;
  LinePlcNumbers numbers;
  guint64 next, since;
  gint64 shift;
  gboolean is_begun, is_told;
  gint64 unclear_at;
  LineMessageLimit limit;
} Lane;

struct _LinePlcRings
{
  const LineConfig *config;
  const char *plc;
  gint64 period;
  Ring *rings;
  Lane *lanes;
  guint n_rings, n_lanes;
  guint64 shifts, restarts, extra, missed;
  GString *said;
};

/* The lane sees no trigger later than would be of use, or is said. */
static gint64
find_latest (const LinePlcRings * rings)
{
  const gint64 deadline = rings->config->deadline_ms * MS;
  const gdouble delay = rings->config->plc.delay;

  return isnan (delay) ? deadline :
      MAX (deadline, delay * MS + rings->period / 4);
}

LinePlcRings *
line_plc_rings_new (const LineConfig * config, const char *name, gdouble delay)
{
  const gdouble expected = isnan (config->plc.delay) ? delay :
      config->plc.delay;
  LinePlcRings *rings = g_new0 (LinePlcRings, 1);

  rings->config = config;
  rings->plc = name;
  rings->said = g_string_new (NULL);
  rings->period = 1e9 / config->triggers_per_second;
  rings->n_lanes = config->lanes->len;
  rings->n_rings = config->plc.step == 0 ? 1 : rings->n_lanes;
  rings->rings = g_new0 (Ring, rings->n_rings);
  for (guint i = 0; i < rings->n_rings; i++)
    rings->rings[i].reg = config->plc.triggers + i * config->plc.step;
  rings->lanes = g_new0 (Lane, rings->n_lanes);
  for (guint i = 0; i < rings->n_lanes; i++) {
    rings->lanes[i].name =
        g_array_index (config->lanes, LineLaneConfig, i).name;
    line_plc_numbers_init (&rings->lanes[i].numbers, rings->period,
        find_latest (rings), expected * MS);
  }
  return rings;
}

void
line_plc_rings_free (LinePlcRings * rings)
{
  g_string_free (rings->said, TRUE);
  g_free (rings->lanes);
  g_free (rings->rings);
  g_free (rings);
}

static guint
find_ring (const LinePlcRings * rings, guint lane)
{
  return rings->n_rings == 1 ? 0 : lane;
}

void
line_plc_rings_add (LinePlcRings * rings, guint lane, gint64 time)
{
  Ring *ring = &rings->rings[find_ring (rings, lane)];

  line_plc_numbers_add (&rings->lanes[lane].numbers, time);
  ring->due = MIN (ring->due, MAX (time + SETTLED,
          ring->read_at + LEAST_RETRY));
}

guint
line_plc_rings_get_next (const LinePlcRings * rings, gint64 * time)
{
  guint next = 0;

  for (guint i = 1; i < rings->n_rings; i++)
    if (rings->rings[i].due < rings->rings[next].due)
      next = i;
  *time = rings->rings[next].due;
  return next;
}

guint
line_plc_rings_get_count (const LinePlcRings * rings)
{
  return rings->n_rings;
}

guint
line_plc_rings_get_register (const LinePlcRings * rings, guint ring)
{
  return rings->rings[ring].reg;
}

void
line_plc_rings_fail (LinePlcRings * rings, guint ring, gint64 now)
{
  rings->rings[ring].read_at = now;
  rings->rings[ring].due = now + RETRY;
}

/* Messages */

static void say (LinePlcRings * rings, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

static void
say (LinePlcRings * rings, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_string_append_vprintf (rings->said, format, arguments);
  va_end (arguments);
}

char *
line_plc_rings_take_messages (LinePlcRings * rings)
{
  if (rings->said->len == 0)
    return NULL;
  char *said = g_string_free (rings->said, FALSE);
  rings->said = g_string_new (NULL);
  return said;
}

static void
report_clock (LinePlcRings * rings, Lane * lane, gint64 now)
{
  const LinePlcNumbers *numbers = &lane->numbers;
  if (numbers->n_triggers == 0 || line_plc_numbers_are_agreed (&lane->numbers)
      || now - lane->unclear_at < PAUSE)
    return;
  if (lane->unclear_at == 0) {
    lane->unclear_at = now;
    return;
  }
  lane->unclear_at = now;
  if (!line_plc_numbers_know_clock (numbers))
    say (rings, "%s: %s takes %.0f ms to tell its triggers: those of the lane, "
        "%.0f ms apart, cannot be told apart, and pieces are undecided\n",
        lane->name, rings->plc, (numbers->clock.zero.most
            - numbers->clock.zero.least) / 1e6, rings->period / 1e6);
  else
    say (rings, "%s: which of the triggers of %s are this lane's is not known, "
        "and pieces are undecided: all come at equal times, or not at the same: "
        "stop the belt for a second, or set triggers-delay-ms; else see that it "
        "counts the same light barrier, and that its clock runs\n", lane->name,
        rings->plc);
}

static void
report_news (LinePlcRings * rings, Lane * lane, const LinePlcNews * news,
    gint64 now)
{
  const LinePlcNumbers *numbers = &lane->numbers;
  const gboolean is_news = news->is_restarted || news->is_lost
      || news->is_unexpected || news->is_found || news->is_shifted;

  if (!is_news || !line_message_may (&lane->limit, now / 1000))
    return;
  if (news->is_restarted)
    say (rings, "%s: %s counts anew\n", lane->name, rings->plc);
  if (news->is_lost)
    say (rings, "%s: its triggers are not those of %s any more%s: pieces are "
        "undecided\n", lane->name, rings->plc, news->is_set ?
        ", whose clock was set, or stood still" : news->is_wrong ?
        ", which says other things of them than before" : "");
  if (news->is_unexpected)
    say (rings, "%s: it does not see the triggers of %s %.1f ms later, as was "
        "expected: a pause of the belt will tell%s\n", lane->name, rings->plc,
        news->expected / 1e6, isnan (rings->config->plc.delay) ? "" :
        "; correct triggers-delay-ms");
  if (news->is_found)
    say (rings, "%s: its triggers are those of %s: number %" G_GUINT64_FORMAT
        " is the PLC's %" G_GUINT64_FORMAT ", seen %.1f ms later%s\n",
        lane->name, rings->plc, numbers->since, numbers->since
        + numbers->shift, numbers->delay / 1e6, fabs (numbers->delay
            - rings->config->plc.delay * MS) > rings->period / 2. ?
        ": correct triggers-delay-ms" : "");
  if (news->is_shifted)
    say (rings, "%s: out of step with %s, which had %+" G_GINT64_FORMAT
        " triggers: resynchronised at trigger %" G_GUINT64_FORMAT
        ", the PLC's %" G_GUINT64_FORMAT "\n", lane->name, rings->plc,
        news->shift, numbers->since, numbers->since + numbers->shift);
}

static void
report_wrong (LinePlcRings * rings, Ring * ring, const char *wrong)
{
  if (++ring->n_wrong == WRONG)
    say (rings, "%s: registers %u to %u are not what it has noted of its "
        "triggers: %s\n", rings->plc, ring->reg,
        ring->reg + LINE_PLC_RING_REGISTERS - 1, wrong);
}

/* Readings */

/* Returns: FALSE if it contradicts itself, or those before */
static gboolean
see_lane (LinePlcRings * rings, Lane * lane, const LinePlcRing * values,
    gint64 asked, gint64 answered)
{
  LinePlcNews news;

  line_plc_numbers_see (&lane->numbers, values, asked, answered, &news);
  rings->shifts += news.is_shifted;
  rings->restarts += news.is_restarted;
  rings->extra += news.n_extra;
  rings->missed += news.n_missed;
  report_news (rings, lane, &news, answered);
  if (line_plc_numbers_are_agreed (&lane->numbers))
    lane->unclear_at = 0;
  else
    report_clock (rings, lane, answered);
  return !news.is_wrong;
}

/* A trigger is awaited until the next ones of the PLC would have driven it out. */
static gboolean
is_awaited (const LinePlcRings * rings, const Lane * lane, gint64 now)
{
  const LinePlcNumbers *numbers = &lane->numbers;
  const guint64 last = numbers->n_triggers - 1;

  return line_plc_numbers_are_awaited (numbers, now) && now -
      numbers->triggers[last % LINE_PLC_NUMBERS].time
      < LINE_PLC_RING_TRIGGERS * rings->period;
}

static gint64
find_due (const LinePlcRings * rings, guint ring, gint64 now)
{
  for (guint i = 0; i < rings->n_lanes; i++)
    if (find_ring (rings, i) == ring
        && is_awaited (rings, &rings->lanes[i], now))
      return now + CLAMP (rings->period / 4, LEAST_RETRY, MOST_RETRY);
  return now + IDLE;
}

void
line_plc_rings_see (LinePlcRings * rings, guint index, const guint16 * values,
    gint64 asked, gint64 answered)
{
  Ring *ring = &rings->rings[index];
  LinePlcRing read;
  const char *wrong = line_plc_ring_decode (values, &read);

  if (wrong) {
    report_wrong (rings, ring, wrong);
    line_plc_rings_fail (rings, index, answered);
    return;
  }
  for (guint i = 0; i < rings->n_lanes; i++)
    if (find_ring (rings, i) == index
        && !see_lane (rings, &rings->lanes[i], &read, asked, answered))
      wrong = "its triggers are others than before, or at equal times";
  if (wrong)
    report_wrong (rings, ring, wrong);
  else
    ring->n_wrong = 0;
  ring->read_at = answered;
  ring->due = find_due (rings, index, answered);
}

/* The next trigger that has its number, of those that are not told. */
static const LinePlcNumbered *
find_news (Lane * lane)
{
  const LinePlcNumbers *numbers = &lane->numbers;

  if (lane->next + LINE_PLC_NUMBERS < numbers->n_triggers)
    lane->next = numbers->n_triggers - LINE_PLC_NUMBERS;
  for (; lane->next < numbers->first_waiting; lane->next++) {
    const LinePlcNumbered *trigger =
        &numbers->triggers[lane->next % LINE_PLC_NUMBERS];

    if (trigger->pairing == LINE_PLC_PAIRED)
      return trigger;
  }
  return NULL;
}

static void
make_event (Lane * lane, const LinePlcNumbered * trigger, LineEvent * event)
{
  const gint64 shift = trigger->number - lane->next;

  if (!lane->is_told || shift != lane->shift)
    lane->since = lane->next;
  lane->shift = shift;
  lane->is_told = TRUE;
  event->trigger = lane->next++;
  event->numbering = (LineNumbering) {
    TRUE, lane->since, shift, trigger->encoder
  };
}

/* The first event also tells that there is a PLC that counts. */
static gboolean
take_news (Lane * lane, LineEvent * event)
{
  const gboolean is_agreed = line_plc_numbers_are_agreed (&lane->numbers);
  const LinePlcNumbered *trigger = is_agreed ? find_news (lane) : NULL;

  if (trigger) {
    make_event (lane, trigger, event);
  } else if (lane->is_begun && (is_agreed || !lane->is_told)) {
    return FALSE;
  } else {
    lane->is_told = FALSE;
  }
  lane->is_begun = TRUE;
  return TRUE;
}

gboolean
line_plc_rings_take_event (LinePlcRings * rings, LineEvent * event)
{
  for (guint i = 0; i < rings->n_lanes; i++) {
    *event = (LineEvent) {.type = LINE_EVENT_NUMBER,.lane = i };
    if (take_news (&rings->lanes[i], event))
      return TRUE;
  }
  return FALSE;
}

LinePlcPairing
line_plc_rings_find (const LinePlcRings * rings, guint lane, guint64 first,
    guint n, guint64 * number, LinePlcNumbered * last)
{
  return line_plc_numbers_find (&rings->lanes[lane].numbers, first, n, number,
      last);
}

/* Among those that are remembered, by whatever shift they had */
static LinePlcPairing
find_trigger (const LinePlcNumbers * numbers, guint32 number, guint64 * index)
{
  const guint64 n = numbers->n_triggers;

  for (guint64 i = 1; i <= MIN (n, LINE_PLC_NUMBERS); i++) {
    const LinePlcNumbered *trigger =
        &numbers->triggers[(n - i) % LINE_PLC_NUMBERS];

    if (trigger->pairing == LINE_PLC_PAIRED
        && (guint32) trigger->number == number)
      return *index = n - i, LINE_PLC_PAIRED;
  }
  return LINE_PLC_ALONE;
}

LinePlcPairing
line_plc_rings_find_piece (const LinePlcRings * rings, guint lane,
    guint64 first, guint32 number, guint64 * piece)
{
  const LinePlcNumbers *numbers = rings ? &rings->lanes[lane].numbers : NULL;
  const guint64 next = numbers ? numbers->n_triggers : 0;
  const guint64 shift = numbers ? (guint64) numbers->shift : first;
  /* the PLC has its lower 32 bits */
  const gint64 index = (gint64) next + (gint32) (number - (guint32) (next
          + shift));
  guint64 found = (guint64) MAX (index, 0);
  LinePlcPairing pairing = LINE_PLC_PAIRED;

  if (!numbers)
    return *piece = (guint64) MAX ((gint64) first + index, 0), pairing;
  if (!line_plc_numbers_are_agreed (numbers) || !numbers->has_shift)
    return LINE_PLC_UNREAD;
  if (index >= (gint64) numbers->first_waiting)
    pairing = LINE_PLC_WAITS;
  else if (index < (gint64) numbers->since
      || next - found <= LINE_PLC_NUMBERS)
    pairing = find_trigger (numbers, number, &found);
  *piece = first + found;
  return pairing;
}

void
line_plc_rings_count (const LinePlcRings * rings, LinePlcCounts * counts)
{
  counts->has_triggers = TRUE;
  counts->lanes = rings->n_lanes;
  counts->shifts = rings->shifts;
  counts->restarts = rings->restarts;
  counts->extra = rings->extra;
  counts->missed = rings->missed;
  for (guint i = 0; i < rings->n_lanes; i++) {
    const Lane *lane = &rings->lanes[i];

    if (!line_plc_numbers_are_agreed (&lane->numbers))
      continue;
    counts->agreed++;
    if (fabs (lane->numbers.delay) > fabs (counts->delay))
      counts->delay = lane->numbers.delay;
  }
}
