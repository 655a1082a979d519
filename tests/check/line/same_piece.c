/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the PLC does with a piece is what the line has decided of that very
 * piece, whatever goes wrong, or the line has told. In virtual time, by random
 * scripts.
 *
 * SAME_PIECE_SCRIPTS: how many. SAME_PIECE_SEED: that one alone, with all that
 * happens. */

#include <stdlib.h>

#include "checks.h"
#include "same_piece_world.h"

#define SCRIPTS 1000

static const char *const names[] = {
  "spike", "missed trigger", "double trigger", "many missed", "line restarts",
  "PLC misses one", "PLC takes one for two", "PLC cold", "PLC warm", "slow",
  "silent", "garbage", "late", "clock is set", "clock stands",
  "other delay", "belt stops", "camera gone", "no fault", "mixed",
};

G_STATIC_ASSERT (G_N_ELEMENTS (names) == N_FAULTS + 2);
#define NO_FAULT N_FAULTS
#define MIXED (N_FAULTS + 1)

/* @needless: of @told, by a PLC that answers within the time between triggers.
 * @awaited: pieces that have to have a decision, and @lacking of them. @wrong:
 * that another one's decision was taken for, and @silent of them; in @disagreed
 * scripts */
typedef struct
{
  guint scripts, acted, none, told, needless, awaited, lacking, wrong, silent, disagreed;
} Sum;

/* How line and PLC know of triggers */
typedef enum
{
  /* both count their own, and never compare */
  BY_COUNTING,
  BY_NUMBERS,
  /* and the line's are those of cameras that agree */
  BY_CAMERAS,
} Way;

/* A camera is gone, and another one spikes: with two, its spikes are triggers. */
static void
add_alone (Script * script)
{
  Fault *gone = &script->faults[0];

  gone->kind = FAULT_CAMERA;
  gone->to = gone->from + 3 * SECOND;
  gone->amount = 0;
  script->faults[1] = *gone;
  script->faults[1].kind = FAULT_SPIKE;
  script->faults[1].amount = 1;
}

/* One half has one fault, or none, the other one many. */
static guint
begin_script (Script * script, guint32 seed, Way way)
{
  const gboolean is_mixed = seed % 2 == 1;
  const guint kind = is_mixed ? MIXED : seed / 2 % (N_FAULTS + 1);

  if (is_mixed)
    script_init (script, seed, N_FAULTS, 2 + seed / 2 % (MAX_FAULTS - 1));
  else
    script_init (script, seed, kind, kind == NO_FAULT ? 0 : 1);
  if (way == BY_CAMERAS) {
    script->views = 2 + seed / 4 % 3;
    script->min_cameras = 2 + seed / 12 % (script->views - 1);
    if (is_mixed && seed / 2 % 2)
      add_alone (script);
  }
  return kind;
}

/* Told */

static gboolean
has_between (const GArray * times, gint64 from, gint64 to)
{
  for (guint i = 0; i < times->len; i++) {
    const gint64 time = g_array_index (times, gint64, i);

    if (time >= from && time <= to)
      return TRUE;
  }
  return FALSE;
}

/* Whether a reading at @time shows two triggers after that of @cup that both have
 * had, among the PLC's last. */
static gboolean
do_compare (const Belt * belt, guint cup, gint64 time)
{
  const gdouble at = belt_get (belt, time - 50 * MS);
  guint n = 0;

  for (guint i = MAX (cup + 1, (guint) MAX (at - 14, 0)); i <= at; i++)
    n += belt->is_seen[i] && !belt->is_missed[i] && !belt->is_double[i];
  return n >= 2;
}

/* When the line can know of a fault of the PLC at @cup. */
static gint64
find_end (const Past * past, guint cup)
{
  const gint64 from = belt_find_time (&past->belt, cup);

  for (guint i = 0; i < past->clear->len; i++) {
    const gint64 time = g_array_index (past->clear, gint64, i);

    if (time >= from && do_compare (&past->belt, cup, time))
      return time + 100 * MS;
  }
  return G_MAXINT64;
}

/* The PLC had forgotten the cup's trigger before it said enough; that it did not
 * answer meanwhile is told. */
static gboolean
is_forgotten (const Past * past, guint cup, gint64 end)
{
  const gint64 from = belt_find_time (&past->belt, cup);
  const gint64 to = belt_find_time (&past->belt, cup + 14);

  return to >= 0 && end > to && has_between (past->failed, from, to);
}

/* The PLC has not had the cup's trigger, or has had two. That is told as soon as
 * triggers after it have been read. */
static gboolean
is_told_of_plc (const Past * past, gint64 from, gint64 to)
{
  for (guint cup = 1; belt_find_time (&past->belt, cup + 1) >= 0; cup++) {
    const gint64 time = belt_find_time (&past->belt, cup);

    if (belt_find_time (&past->belt, cup + 1) < from || time > to
        || !(past->belt.is_missed[cup] || past->belt.is_double[cup]))
      continue;
    gint64 end = find_end (past, cup);
    if (end == G_MAXINT64 || is_forgotten (past, cup, end)
        || has_between (past->told, time, end))
      return TRUE;
  }
  return FALSE;
}

/* Triggers of the line since the cup's time, and before the next cup's */
static guint
count_triggers (const Past * past, guint cup)
{
  const gint64 from = belt_find_time (&past->belt, cup);
  const gint64 to = belt_find_time (&past->belt, cup + 1);
  guint n = 0;

  for (guint i = 0; i < past->belt.triggers->len; i++) {
    const Trigger *trigger = &g_array_index (past->belt.triggers, Trigger, i);

    n += trigger->taken >= from && trigger->taken < to;
  }
  return n;
}

/* Line and PLC have both not had the same cup's trigger, or both two: only an
 * encoder tells. */
static gboolean
is_common (const Past * past, const Script * script, gint64 from, gint64 to)
{
  if (script->pitch > 0)
    return FALSE;
  for (guint cup = 1; belt_find_time (&past->belt, cup + 1) >= 0; cup++) {
    const gint64 time = belt_find_time (&past->belt, cup);

    if (belt_find_time (&past->belt, cup + 1) >= from && time <= to
        && ((past->belt.is_missed[cup]
                && !past->belt.is_seen[cup])
            || (past->belt.is_double[cup] && count_triggers (past, cup) > 1)))
      return TRUE;
  }
  return FALSE;
}

static gboolean
is_right (const Decision * decision, const Act * act)
{
  return decision->cup == act->cup || decision->cup == NO_LOOKS;
}

static void
see_wrong (const Past * past, const Script * script, const Act * act, Sum * sum)
{
  const Decision *decision =
      &g_array_index (past->decisions, Decision, act->decision);

  if (is_right (decision, act))
    return;
  sum->wrong++;
  /* who only counts knows nothing to tell */
  if (past->read->len == 0
      || !(has_between (past->told, decision->from, act->time)
          || is_told_of_plc (past, decision->from, act->time)
          || is_common (past, script, decision->from, act->time)))
    sum->silent++;
}

/* From when on each piece has a decision: a second after the begin, three after
 * the fault, and if its clock is set, when it has forgotten the triggers of before;
 * with many, never, nor if the line cannot know by how much it sees triggers later,
 * or the PLC is too slow for its belt. */
static gint64
find_awaited (const Script * script, guint kind)
{
  if (kind == MIXED || kind == FAULT_DELAY || !script->is_known
      || script->answer * script->rate > .1 * SECOND)
    return G_MAXINT64;
  if (kind == NO_FAULT)
    return SECOND;
  return script->faults[0].to + 3 * SECOND + (kind == FAULT_CLOCK ?
      (gint64) (16 * SECOND / (script->rate * (1 - script->slow))) : 0);
}

static void
see_acts (const Past * past, const Script * script, guint kind, Sum * sum)
{
  const gint64 from = find_awaited (script, kind);

  sum->scripts++;
  sum->told += past->told->len;
  if (2 * script->answer * script->rate < SECOND)
    sum->needless += past->told->len;
  for (guint i = 0; i < past->acts->len; i++) {
    const Act *act = &g_array_index (past->acts, Act, i);
    const gboolean is_awaited = belt_find_time (&past->belt, act->cup) >= from;

    sum->awaited += is_awaited;
    sum->lacking += is_awaited && act->decision < 0;
    if (act->decision < 0) {
      sum->none++;
    } else {
      sum->acted++;
      see_wrong (past, script, act, sum);
    }
  }
}

static void
print_sum (const char *name, const Sum * sum)
{
  if (sum->scripts == 0)
    return;
  g_print ("%-22s %5u scripts, %7u acted upon, %6u without decision, %5u told, "
      "%6u awaited: %4u lack; %4u wrong, %4u silently\n", name, sum->scripts,
      sum->acted, sum->none, sum->told, sum->awaited, sum->lacking, sum->wrong,
      sum->silent);
}

/* All scripts */

static void
print_script (const Script * script, guint kind, const Past * past)
{
  g_print ("%u (%s): %.1f/s, %u cups, distance %u, scan %.0f ms, latency %.1f, "
      "pitch %u, jitter %.1f, answer %.1f%s%s%s\n", script->seed, names[kind],
      script->rate, script->cups,
      script->distance, script->scan / 1e6, script->latency / 1e6,
      script->pitch, script->jitter / 1e6, script->answer / 1e6,
      script->is_uneven ? ", uneven" : "", script->is_even ? ", even" : "",
      script->is_known ? ", known" : "");
  for (guint i = 0; i < script->n_faults; i++)
    g_print ("  %s: %.3f to %.3f s\n", names[script->faults[i].kind],
        script->faults[i].from / 1e9, script->faults[i].to / 1e9);
  for (guint i = 0; i < past->told->len; i++)
    g_print ("  told at %.3f\n", g_array_index (past->told, gint64, i) / 1e9);
  for (guint i = 0; i < past->acts->len; i++) {
    const Act *act = &g_array_index (past->acts, Act, i);
    const Decision *decision = act->decision < 0 ? NULL :
        &g_array_index (past->decisions, Decision, act->decision);

    g_print ("  %.3f: cup %" G_GINT64_FORMAT " of %.3f: %s%" G_GINT64_FORMAT
        "\n", act->time / 1e9, act->cup, belt_find_time (&past->belt,
            act->cup) / 1e9, !decision ? "none " : is_right (decision,
            act) ? "" : "WRONG ", decision ? decision->cup : -1);
  }
}

static void
run_script (guint32 seed, Way way, Sum * sums)
{
  Script script;
  const guint kind = begin_script (&script, seed, way);
  Past *past = past_new (&script, way == BY_COUNTING);
  Sum *sum = &sums[kind];
  const guint silent = sum->silent, wrong = sum->wrong;

  see_acts (past, &script, kind, sum);
  sum->disagreed += sum->wrong > wrong;
  if (g_getenv ("SAME_PIECE_SEED"))
    print_script (&script, kind, past);
  if (way != BY_COUNTING && sum->silent > silent)
    g_print ("SAME_PIECE_SEED=%u (%s): %u silently wrong\n", seed, names[kind],
        sum->silent - silent);
  past_free (past);
}

static void
run_scripts (Way way, Sum * sums)
{
  const char *seed = g_getenv ("SAME_PIECE_SEED");
  const char *n = g_getenv ("SAME_PIECE_SCRIPTS");
  const guint first = seed ? atoi (seed) : 0;
  const guint last = seed ? first + 1 : n ? (guint) atoi (n) : SCRIPTS;

  for (guint i = first; i < last; i++)
    run_script (i, way, sums);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    print_sum (names[i], &sums[i]);
}

/* Tests */

static void
expect_same (const Sum * sums)
{
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_assert_cmpuint (sums[i].silent, ==, 0);
    g_assert_cmpuint (sums[i].lacking * 100, <=, sums[i].awaited);
    /* the PLC's own faults alone are told afterwards */
    if (i != MIXED && i != FAULT_PLC_MISSED && i != FAULT_PLC_DOUBLE)
      g_assert_cmpuint (sums[i].wrong, ==, 0);
  }
  /* nor does it tell what is not so */
  g_assert_cmpuint (sums[NO_FAULT].needless, ==, 0);
  g_assert_cmpuint (sums[FAULT_STOP].needless, ==, 0);
}

CHECK (numbers)
{
  Sum sums[G_N_ELEMENTS (names)] = { 0 };

  run_scripts (BY_NUMBERS, sums);
  expect_same (sums);
  g_assert_cmpuint (world_n_back, >, 0);
}

/* A spike at one of several cameras is no trigger, so there is nothing to tell;
 * what votes cannot tell, the PLC's numbers do. */
CHECK (cameras)
{
  Sum sums[G_N_ELEMENTS (names)] = { 0 };

  run_scripts (BY_CAMERAS, sums);
  expect_same (sums);
  g_assert_cmpuint (sums[FAULT_SPIKE].told, ==, 0);
}

/* The same world, in which both only count: it is right while nothing happens, and
 * one fault is enough. */
CHECK (counting)
{
  static const guint enough[] = { FAULT_SPIKE, FAULT_MISSED, FAULT_DOUBLE,
    FAULT_PLC_MISSED, FAULT_PLC_DOUBLE, MIXED
  };
  Sum sums[G_N_ELEMENTS (names)] = { 0 };

  run_scripts (BY_COUNTING, sums);
  if (g_getenv ("SAME_PIECE_SEED"))
    return;
  g_assert_cmpuint (sums[NO_FAULT].wrong, ==, 0);
  g_assert_cmpuint (sums[NO_FAULT].acted, >, 0);
  g_assert_cmpuint (sums[NO_FAULT].lacking * 100, <=, sums[NO_FAULT].awaited);
  for (guint i = 0; i < G_N_ELEMENTS (enough); i++)
    g_assert_cmpuint (sums[enough[i]].disagreed * 2, >,
        sums[enough[i]].scripts);
}

GLIB_CHECKS ("/same-piece")
