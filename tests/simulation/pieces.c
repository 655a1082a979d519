/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "pieces.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "devices.h"
#include "disk.h"
#include "looks.h"
#include "machine.h"
#include "office.h"
#include "table.h"

/* Microseconds: from a decision to its line; from the last sign of a thread's life
 * to a heartbeat */
#define SLACK 20000
#define HONEST (3 * G_USEC_PER_SEC / 2)

/* Microseconds after which a run's first pictures have come */
#define BEGUN (5 * G_USEC_PER_SEC)

/* Microseconds after which cameras have found out what each other's triggers
 * are */
#define AWARE (40 * G_USEC_PER_SEC)

/* Of a mean diameter, in mm */
#define ACCURACY 0.1


/* In place of pulses: of a trigger that no look has told of yet; of a piece one of
 * whose triggers is none of the machine's, or whose triggers do not follow each
 * other */
#define UNKNOWN (-2)
#define SPIKE (-3)
#define MIXED (-4)

/* Of a run: the pulse of each trigger; when it came; what was told of its views, as
 * bits */
typedef struct
{
  gint64 pulse, came;
  guint32 lost, seen;
} Trigger;

typedef struct
{
  guint outlet;
  gboolean is_good;
} Decided;

/* @statuses, @outlets: of the run
 * @decided: of the run, by number; @told: outlets of good pieces that the PLC has
 *     and the file does not
 * @bases: of all recipes, by hash; @base: that of the one in force */
static struct
{
  guint views, cups;
  gboolean has_triggers, is_expected, is_recipe_sure, is_anchored;
  gint64 deadline, excused_until, began_at, first_at, beat_at;
  GArray *triggers;
  GHashTable *decided, *told, *bases;
  guint base, n_run, acknowledged, statuses[4];
  guint64 last;
  PiecesCounts counts;
} my;

static Trigger *
get_trigger (guint64 trigger)
{
  return &g_array_index (my.triggers, Trigger, trigger);
}

/* From nanoseconds of the time of day */
static gint64
to_world (gint64 time)
{
  return time / 1000 - (world_time_of_day () - world_now ());
}

void
pieces_begin_triggers (gint64 came)
{
  if (!my.has_triggers && !my.is_anchored)
    machine_anchor (to_world (came));
  my.is_anchored = TRUE;
}

/* What is told to who decides */

static void
add_trigger (gint64 came)
{
  const gint64 time = to_world (came);
  Trigger trigger = { UNKNOWN, time };

  if (!my.has_triggers)
    trigger.pulse = machine_find (time);
  if (my.triggers->len == 0)
    my.first_at = world_now ();
  g_array_append_val (my.triggers, trigger);
}

/* Whether two cameras have been well for so long that a spike at a third one is
 * known to be one */
static void
check_spike (guint64 trigger)
{
  const gint64 since = world_now () - AWARE;
  guint n = 0;

  for (guint v = 0; v < my.views; v++)
    n += devices_get_sound_since (v) < since;
  if (n > 1 && my.began_at < since && my.excused_until < since)
    world_fail ("trigger %" G_GUINT64_FORMAT " is a spike at one camera",
        trigger);
}

/* All looks of a trigger are of one pulse, and were given. */
static void
check_look (const LineEvent * event, Trigger * trigger)
{
  const gint64 pulse = looks_find_pulse (&event->seen->view);

  my.counts.looks++;
  if (trigger->pulse == UNKNOWN)
    trigger->pulse = pulse;
  world_tell ("trigger %" G_GUINT64_FORMAT ", view %u: pulse %"
      G_GINT64_FORMAT, event->trigger, event->view, pulse);
  /* the first pictures may be late, and nobody knows */
  const gboolean is_begun = world_now () - my.first_at > BEGUN
      || my.first_at > my.excused_until;
  if (pulse != trigger->pulse && is_begun)
    world_fail ("trigger %" G_GUINT64_FORMAT " is pulse %" G_GINT64_FORMAT
        ", and view %u shows pulse %" G_GINT64_FORMAT, event->trigger,
        trigger->pulse, event->view, pulse);
  if (pulse < 0)
    check_spike (event->trigger);
  else if (!looks_were_given (pulse, event->view))
    world_fail ("trigger %" G_GUINT64_FORMAT " has a look of view %u that was "
        "not given", event->trigger, event->view);
}

void
pieces_check_event (const LineEvent * event)
{
  if (event->type == LINE_EVENT_TRIGGER) {
    add_trigger (event->came);
    return;
  }
  if (event->type != LINE_EVENT_LOOK && event->type != LINE_EVENT_LOST)
    return;
  if (event->trigger >= my.triggers->len) {
    world_fail ("a look of trigger %" G_GUINT64_FORMAT ", which has not come",
        event->trigger);
    return;
  }
  Trigger *trigger = get_trigger (event->trigger);
  const guint32 bit = 1u << event->view;
  if ((trigger->lost | trigger->seen) & bit)
    world_fail ("view %u of trigger %" G_GUINT64_FORMAT " ends twice",
        event->view, event->trigger);
  if (event->type == LINE_EVENT_LOST) {
    world_tell ("trigger %" G_GUINT64_FORMAT ", view %u: %s", event->trigger,
        event->view, line_loss_names[event->loss]);
    trigger->lost |= bit;
    return;
  }
  trigger->seen |= bit;
  check_look (event, trigger);
}

/* Decisions */

/* The outlet of a good piece, without the base; 8: none where something is
 * sold */
static guint
find_outlet (const MachinePiece * piece)
{
  if (piece->diameter == 0)
    return 0;
  if (piece->is_rotten)
    return 8;
  return piece->diameter >= 40 ? 1 : 2;
}

/* Pieces that are not sold are anywhere else. */
static gboolean
is_right (const MachinePiece * piece, guint outlet)
{
  const guint right = find_outlet (piece);

  return outlet % 10 == right || (right == 8 && outlet % 10 == 9);
}

void
pieces_check_outlet (gint64 pulse, guint outlet, const char *whose)
{
  const MachinePiece piece = machine_get_piece (pulse);

  if (!is_right (&piece, outlet))
    world_fail ("%s piece of pulse %" G_GINT64_FORMAT ", of %.0f mm%s, goes to "
        "outlet %u as good", whose, pulse, piece.diameter, piece.is_rotten ?
        " and rotten" : "", outlet);
}

/* The pulse with which the piece came, if its triggers are successive ones, as
 * far as looks have told of them */
static gint64
find_pulse (guint64 piece)
{
  gint64 pulse = UNKNOWN;

  if (piece + my.cups > my.triggers->len)
    return UNKNOWN;
  for (guint c = 0; c < my.cups; c++) {
    const gint64 its = get_trigger (piece + c)->pulse;

    if (its == UNKNOWN)
      continue;
    if (its < 0)
      return SPIKE;
    if (pulse >= 0 && its != pulse + c)
      return MIXED;
    pulse = its - c;
  }
  return pulse;
}

static void
check_good (const json_t * decision, guint64 piece, guint outlet)
{
  const gint64 pulse = find_pulse (piece);
  const json_t *view;
  gsize i;

  my.counts.good++;
  if (pulse >= 0)
    pieces_check_outlet (pulse, outlet, "the line's");
  if (pulse == SPIKE)
    world_fail ("piece %" G_GUINT64_FORMAT " is ok, and has a trigger that was "
        "none", piece);
  json_array_foreach (json_object_get (decision, "views"), i, view)
      if (!(get_trigger (piece + i / my.views)->seen >> i % my.views & 1)
      || !json_is_true (json_object_get (view, "ok")))
    world_fail ("piece %" G_GUINT64_FORMAT " is ok, and view %u of cup %u was "
        "not seen", piece, (guint) i % my.views, (guint) i / my.views);
}

/* What was measured is what the machine's piece is. */
static void
check_diameter (guint64 piece, gdouble diameter)
{
  const gint64 pulse = find_pulse (piece);

  if (pulse >= 0 && diameter > 0
      && fabs (diameter - machine_get_piece (pulse).diameter) > ACCURACY)
    world_fail ("piece %" G_GUINT64_FORMAT " has %.2f mm, and that of pulse %"
        G_GINT64_FORMAT " %.0f", piece, diameter, pulse,
        machine_get_piece (pulse).diameter);
}

/* Late is late, and nothing else is. */
static void
check_time (const json_t * decision, guint64 piece, guint status)
{
  const gint64 told = to_world (json_integer_value (json_object_get (decision,
              "t_trigger_ns")));
  const guint64 last = piece + my.cups - 1;
  const gint64 came = last < my.triggers->len ? get_trigger (last)->came : told;
  const gint64 age = world_now () - came;

  if (ABS (told - came) > SLACK)
    world_fail ("piece %" G_GUINT64_FORMAT " has a trigger that came %.1f ms "
        "earlier", piece, (told - came) / 1e3);
  if (status != LINE_STATUS_LATE && age > my.deadline + SLACK
      && !pieces_are_excused ())
    world_fail ("piece %" G_GUINT64_FORMAT " is %s, and was decided %.1f ms "
        "after its last trigger", piece, line_status_names[status], age / 1e3);
  if (status == LINE_STATUS_LATE && age < my.deadline)
    world_fail ("piece %" G_GUINT64_FORMAT " is late after %.1f ms", piece,
        age / 1e3);
}

static void
check_expected (guint64 piece, guint status, guint outlet)
{
  const gint64 pulse = find_pulse (piece);

  if (!my.is_expected)
    return;
  if (pulse < 0) {
    world_fail ("all is well, and the triggers of piece %" G_GUINT64_FORMAT
        " are not the machine's", piece);
    return;
  }
  const MachinePiece truth = machine_get_piece (pulse);
  if (!is_right (&truth, outlet) || (status != LINE_STATUS_OK
          && !truth.is_rotten))
    world_fail ("all is well, and piece %" G_GUINT64_FORMAT ", of %.0f mm%s, "
        "is %s and goes to outlet %u", piece, truth.diameter, truth.is_rotten ?
        " and rotten" : "", line_status_names[status], outlet);
}

static guint
find_status (const json_t * decision)
{
  const char *name = json_string_value (json_object_get (decision, "status"));
  guint status = 0;

  while (status < 4 && g_strcmp0 (name, line_status_names[status]) != 0)
    status++;
  return status;
}

static void
check_recipe (const json_t * decision, guint outlet)
{
  const char *hash = json_string_value (json_object_get (decision, "recipe"));
  gpointer base = NULL;

  if (!g_hash_table_lookup_extended (my.bases, hash, NULL, &base))
    world_fail ("a decision by recipe %s, which nobody has given", hash);
  else if (outlet / 10 != GPOINTER_TO_UINT (base))
    world_fail ("outlet %u is not of recipe %s", outlet, hash);
  else if (my.is_recipe_sure && GPOINTER_TO_UINT (base) != my.base)
    world_fail ("all is well, and a decision is by an old recipe");
}

/* The PLC */

/* It may get a piece before the file of decisions does. */
void
pieces_check_slot (guint32 number, guint outlet)
{
  const Decided *decided = g_hash_table_lookup (my.decided,
      GUINT_TO_POINTER (number));

  if (!decided)
    g_hash_table_insert (my.told, GUINT_TO_POINTER (number),
        GUINT_TO_POINTER (outlet));
  else if (!decided->is_good || decided->outlet != outlet)
    world_fail ("the PLC gets piece %u as good, for outlet %u, which was not "
        "decided", number, outlet);
}

static void
check_told (guint32 number)
{
  gpointer outlet;

  if (g_hash_table_steal_extended (my.told, GUINT_TO_POINTER (number), NULL,
          &outlet))
    pieces_check_slot (number, GPOINTER_TO_UINT (outlet));
}

void
pieces_acknowledge (guint n)
{
  my.acknowledged += n;
}

/* A thread that was seen to live before its disk stuck is told once to live. */
void
pieces_check_beat (void)
{
  const gint64 since = disk_get_stuck_since ();

  if (since < G_MAXINT64 && my.beat_at > since + HONEST)
    world_fail ("the heart beats, and nothing was written for %.1f s",
        (world_now () - since) / 1e6);
  my.beat_at = world_now ();
}

guint64
pieces_check_decision (const char *text, gsize size)
{
  json_error_t error;
  json_auto_t *decision = json_loadb (text, size, 0, &error);
  const guint64 number = (guint64) json_integer_value (json_object_get
      (decision, "piece"));
  const guint status = find_status (decision);
  const guint outlet = (guint) json_integer_value (json_object_get (decision,
          "outlet"));
  const guint64 piece = my.n_run++;
  Decided *decided = g_new (Decided, 1);

  my.counts.decisions++;
  if (!decision || status == 4) {
    world_fail ("a line of decisions is none");
    g_free (decided);
    return 0;
  }
  if (piece > 0 && number != my.last + 1)
    world_fail ("piece %" G_GUINT64_FORMAT " comes after piece %"
        G_GUINT64_FORMAT, number, my.last);
  my.last = number;
  my.statuses[status]++;
  g_autofree char *doubts = json_dumps (json_object_get (decision, "doubts"),
      JSON_COMPACT);
  world_tell ("piece %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT " of the run: "
      "%s, outlet %u, doubts %s", number, piece, line_status_names[status],
      outlet, doubts ? doubts : "none");
  *decided = (Decided) {outlet, status == LINE_STATUS_OK};
  g_hash_table_insert (my.decided, GUINT_TO_POINTER ((guint32) number),
      decided);
  check_told ((guint32) number);
  check_recipe (decision, outlet);
  office_check_decision (number, outlet / 10, decision);
  check_time (decision, piece, status);
  if (status == LINE_STATUS_OK)
    check_good (decision, piece, outlet);
  check_diameter (piece, json_number_value (json_object_get (decision,
              "diameter_mm")));
  check_expected (piece, status, outlet);
  return number;
}

/* The report */

static guint64
get_count (const json_t * object, const char *name)
{
  return (guint64) json_integer_value (json_object_get (object, name));
}

static guint64
sum_counts (json_t * object)
{
  const char *name;
  json_t *value;
  guint64 sum = 0;

  json_object_foreach (object, name, value)
      sum += (guint64) json_integer_value (value);
  return sum;
}

static void
compare (const char *what, guint64 told, guint64 is)
{
  if (told != is)
    world_fail ("the report has %" G_GUINT64_FORMAT " %s, and there were %"
        G_GUINT64_FORMAT, told, what, is);
}

static void
check_frames (json_t * total)
{
  json_t *frames = json_object_get (total, "frames");
  guint64 seen = 0, lost = 0;

  for (guint64 i = 0; i < my.triggers->len; i++) {
    seen += (guint64) __builtin_popcount (get_trigger (i)->seen);
    lost += (guint64) __builtin_popcount (get_trigger (i)->lost);
  }
  compare ("triggers", get_count (total, "triggers"), my.triggers->len);
  compare ("looks", get_count (frames, "in_time") + get_count (frames, "late"),
      seen);
  compare ("lost looks", get_count (frames, "lost"), lost);
  compare ("losses", sum_counts (json_object_get (total, "losses")), lost);
  compare ("looks, all together", seen + lost, my.triggers->len * my.views);
}

void
pieces_check_report (const char *path)
{
  json_error_t error;
  json_auto_t *report = json_load_file (path, 0, &error);
  json_t *total = json_object_get (report, "total");
  json_t *plc = json_object_get (report, "plc");

  if (!report) {
    world_fail ("%s is no report: %s", path, error.text);
    return;
  }
  if (!json_is_true (json_object_get (report, "adds_up")))
    world_fail ("the report does not add up");
  compare ("pieces", get_count (total, "pieces"), my.n_run);
  compare ("pieces by outlet", sum_counts (json_object_get (total, "outlets")),
      my.n_run);
  for (guint i = 0; i < 4; i++)
    compare (line_status_names[i], get_count (json_object_get (total,
                "statuses"), line_status_names[i]), my.statuses[i]);
  check_frames (total);
  if (json_is_object (plc))
    compare ("pieces of the PLC", get_count (plc, "written") + get_count (plc,
            "late") + get_count (plc, "dropped") + get_count (plc, "refused")
        + get_count (plc, "unnumbered"), my.n_run);
  if (json_is_object (plc) && get_count (plc, "written") > my.acknowledged)
    world_fail ("the report has %" G_GUINT64_FORMAT " pieces written into the "
        "PLC, which has acknowledged %u", get_count (plc, "written"),
        my.acknowledged);
}

/* Life */

void
pieces_excuse (gint64 until)
{
  my.excused_until = MAX (my.excused_until, until);
}

gboolean
pieces_are_excused (void)
{
  return world_now () <= my.excused_until;
}

void
pieces_expect_all (gboolean is_expected)
{
  my.is_expected = is_expected;
}

void
pieces_expect_recipe (void)
{
  my.is_recipe_sure = TRUE;
}

PiecesCounts
pieces_get_counts (void)
{
  return my.counts;
}

void
pieces_add_recipe (const char *hash, guint base)
{
  g_hash_table_insert (my.bases, g_strdup (hash), GUINT_TO_POINTER (base));
}

void
pieces_set_recipe (const char *hash, guint base)
{
  pieces_add_recipe (hash, base);
  my.base = base;
}

void
pieces_begin_run (void)
{
  g_array_set_size (my.triggers, 0);
  g_hash_table_remove_all (my.decided);
  g_hash_table_remove_all (my.told);
  my.n_run = my.acknowledged = 0;
  my.is_anchored = FALSE;
  my.began_at = world_now ();
  memset (my.statuses, 0, sizeof (my.statuses));
}

void
pieces_begin (guint views, guint cups, gboolean has_triggers, gint64 deadline)
{
  memset (&my, 0, sizeof (my));
  my.views = views;
  my.cups = cups;
  my.has_triggers = has_triggers;
  my.deadline = deadline;
  my.excused_until = -1;
  my.triggers = g_array_new (FALSE, TRUE, sizeof (Trigger));
  my.decided = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  my.told = g_hash_table_new (NULL, NULL);
  my.bases = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

void
pieces_end (void)
{
  g_clear_pointer (&my.triggers, g_array_unref);
  g_clear_pointer (&my.decided, g_hash_table_unref);
  g_clear_pointer (&my.told, g_hash_table_unref);
  g_clear_pointer (&my.bases, g_hash_table_unref);
}
