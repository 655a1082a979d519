/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the PLC does with a piece is what the line has decided of that very
 * piece, whatever goes wrong, or the line has told. In virtual time, by random
 * scripts.
 *
 * SAME_PIECE_SCRIPTS: how many. SAME_PIECE_SEED: that one alone, with all that
 * happens. */

#include <stdlib.h>

#include "same_piece_world.h"

#define SCRIPTS 1000

static const char *const names[] = {
  "spike", "missed trigger", "double trigger", "many missed", "line restarts",
  "PLC misses one", "PLC takes one for two", "PLC cold", "PLC warm", "slow",
  "silent", "garbage", "late", "belt stops", "no fault", "mixed",
};

G_STATIC_ASSERT (G_N_ELEMENTS (names) == N_FAULTS + 2);
#define NO_FAULT N_FAULTS
#define MIXED (N_FAULTS + 1)

/* @awaited: pieces that have to have a decision, and @lacking of them. @wrong:
 * that another one's decision was taken for, and @silent of them */
typedef struct
{
  guint scripts, acted, none, told, awaited, lacking, wrong, silent;
} Sum;

/* One half has one fault, or none, the other one many. */
static guint
begin_script (Script * script, guint32 seed)
{
  const guint kind = seed / 2 % (N_FAULTS + 1);

  if (seed % 2 == 1) {
    script_init (script, seed, N_FAULTS, 2 + seed / 2 % (MAX_FAULTS - 1));
    return MIXED;
  }
  script_init (script, seed, kind, kind == NO_FAULT ? 0 : 1);
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

  for (guint i = 0; i < past->read->len; i++) {
    const gint64 time = g_array_index (past->read, gint64, i);

    if (time >= from && do_compare (&past->belt, cup, time))
      return time + 100 * MS;
  }
  return G_MAXINT64;
}

/* The PLC did not answer until it had forgotten the cup's trigger; that is told. */
static gboolean
is_forgotten (const Past * past, guint cup)
{
  const gint64 from = belt_find_time (&past->belt, cup);
  const gint64 to = belt_find_time (&past->belt, cup + 14);

  return to >= 0 && !has_between (past->read, from, to)
      && has_between (past->failed, from, to);
}

/* The PLC has not had the cup's trigger, or has had two. That is told as soon as
 * triggers after it have been read. */
static gboolean
is_told_of_plc (const Past * past, gint64 from, gint64 to)
{
  for (guint cup = 1; belt_find_time (&past->belt, cup + 1) >= 0; cup++) {
    const gint64 time = belt_find_time (&past->belt, cup);
    gint64 end;

    if (belt_find_time (&past->belt, cup + 1) < from || time > to || !(past->belt.is_missed[cup]
            || past->belt.is_double[cup]))
      continue;
    end = find_end (past, cup);
    if (end == G_MAXINT64 || is_forgotten (past, cup) || has_between (past->told, time, end))
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

    if (belt_find_time (&past->belt, cup + 1) >= from && time <= to && ((past->belt.is_missed[cup]
                && !past->belt.is_seen[cup])
            || (past->belt.is_double[cup] && count_triggers (past, cup) > 1)))
      return TRUE;
  }
  return FALSE;
}

static void
see_wrong (const Past * past, const Script * script, const Act * act, Sum * sum)
{
  const Decision *decision =
      &g_array_index (past->decisions, Decision, act->decision);

  if (decision->cup == act->cup)
    return;
  sum->wrong++;
  { gboolean plc = FALSE; for (guint cup = 1; belt_find_time (&past->belt, cup) >= 0; cup++) { gint64 t = belt_find_time (&past->belt, cup); if (t >= decision->from && t <= act->time && (past->belt.is_missed[cup] || past->belt.is_double[cup])) plc = TRUE;}
  if (!plc) g_print ("NOPLC seed %u at %.3f cup %d got %d\n", script->seed, act->time/1e9, (int) act->cup, (int) decision->cup); else if (script->pitch) g_print ("PITCH seed %u at %.3f cup %d got %d\n", script->seed, act->time/1e9, (int) act->cup, (int) decision->cup);}
  if (has_between (past->told, decision->from, act->time)
      || is_told_of_plc (past, decision->from, act->time)
      || is_common (past, script, decision->from, act->time))
    return;
  sum->silent++;
}

/* From when on each piece has a decision: a second after the begin, three after
 * the fault; with many, never. */
static gint64
find_awaited (const Script * script, guint kind)
{
  if (kind == MIXED || !script->is_known || script->answer * script->rate > .1 * SECOND)
    return G_MAXINT64;
  return kind == NO_FAULT ? SECOND : script->faults[0].to + 3 * SECOND;
}

static void
see_acts (const Past * past, const Script * script, guint kind, Sum * sum)
{
  const gint64 from = find_awaited (script, kind);

  sum->scripts++;
  sum->told += past->told->len;
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
  g_print ("%-22s %5u scripts, %7u acted upon, %6u without decision, %5u told, "
      "%6u awaited: %4u lack; %4u wrong, %4u silently\n", name, sum->scripts,
      sum->acted, sum->none, sum->told, sum->awaited, sum->lacking, sum->wrong,
      sum->silent);
}

/* All scripts */

static guint
get_count (guint n)
{
  const char *count = g_getenv ("SAME_PIECE_SCRIPTS");

  return count ? (guint) atoi (count) : n;
}

static void
print_script (const Script * script, guint kind, const Past * past)
{
  g_print ("%u (%s): %.1f/s, %u cups, distance %u, scan %.0f ms, latency %.1f, "
      "pitch %u, jitter %.1f, answer %.1f%s%s%s\n", script->seed, names[kind], script->rate, script->cups,
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
    const gint64 cup = act->decision < 0 ? -1 :
        g_array_index (past->decisions, Decision, act->decision).cup;

    g_print ("  %.3f: cup %" G_GINT64_FORMAT " of %.3f: %s%" G_GINT64_FORMAT
        "\n", act->time / 1e9, act->cup, belt_find_time (&past->belt,
            act->cup) / 1e9, cup == act->cup ? "" : act->decision < 0 ?
        "none " : "WRONG ", cup);
  }
}

static void
run_script (guint32 seed, gboolean by_counting, Sum * sums)
{
  Script script;
  const guint kind = begin_script (&script, seed);
  Past *past = past_new (&script, by_counting);
  const Sum before = sums[kind];
  Sum *sum = &sums[kind];

  see_acts (past, &script, kind, sum);
  if (g_getenv ("SAME_PIECE_SEED"))
    print_script (&script, kind, past);
  if (!by_counting && (sum->silent > before.silent
          || sum->lacking - before.lacking > (sum->awaited - before.awaited)
          / 50))
    g_print ("%u (%s): %.1f/s, answer %.0f%s%s%s: %u silently wrong, %u of %u "
        "lack\n", seed, names[kind], script.rate, script.answer / 1e6,
        script.is_uneven ? ", uneven" : "", script.is_even ? ", even" : "",
        script.is_known ? ", known" : "",
        sum->silent - before.silent, sum->lacking - before.lacking,
        sum->awaited - before.awaited);
  past_free (past);
}

static void
test_scripts (void)
{
  Sum sums[G_N_ELEMENTS (names)] = { 0 };
  const guint n = get_count (SCRIPTS);

  if (g_getenv ("SAME_PIECE_SEED")) {
    run_script (atoi (g_getenv ("SAME_PIECE_SEED")), FALSE, sums);
    return;
  }
  for (guint i = 0; i < n; i++)
    run_script (i, FALSE, sums);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    print_sum (names[i], &sums[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/same-piece/scripts", test_scripts);
  return g_test_run ();
}
