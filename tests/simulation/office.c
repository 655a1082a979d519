/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "office.h"

#include <string.h>

#include "controller.h"
#include "disk.h"
#include "expected.h"
#include "lot_counts.h"

#define SECOND G_GINT64_CONSTANT (1000000)

/* Who asks */
#define WHO "anna"

/* Pieces by which a number may be too small, or has to be greater */
#define AHEAD 600
#define SURELY 20

typedef enum
{
  RECIPE,
  RECIPE_LATER,
  RECIPE_PAST,
  RECIPE_MISSING,
  RECIPE_UNFIT,
  RECIPE_LANE,
  RELOAD,
  LOT,
  LOT_LATER,
  LOT_AGAIN,
  LOT_END,
  LOT_END_LATER,
  NONSENSE,
  N_ORDERS
} Kind;

/* @value: see expected.h; @place is none for what has to be refused. @is_by_plc: it
 * stands until it is answered, by whatever run; @has_met: kills, or a disk's faults,
 * since it was given */
typedef struct
{
  Kind kind;
  gboolean is_wrong, is_by_plc, has_met;
  ExpectedPlace place;
  guint value;
  gint64 from;
  char *text;
} Order;

/* @next: piece that is decided next, as far as decisions say
 * @has_begun: it has decided one in this run
 * @has_failed: the disk, in this run; @has_ever_failed: in any
 * @answers: of commands by their id: whether they were done */
static struct
{
  char *folder;
  gint64 mean;
  gboolean is_over, is_asking, wants_reload, has_begun, has_failed,
      has_ever_failed;
  LineCommander *commander;
  Process *line;
  Order order;
  guint64 next, n_orders;
  GHashTable *answers;
  OfficeCounts counts;
} my;

/* What is asked for */

static char *
make_from (gint64 from)
{
  return from < 0 ? g_strdup ("") : g_strdup_printf (",\"from\":%"
      G_GINT64_FORMAT, from);
}

static void
draw_from (Order * order)
{
  const guint64 back = 1 + world_below (AHEAD);
  const gboolean is_later = order->kind == RECIPE_LATER
      || order->kind == LOT_LATER || order->kind == LOT_END_LATER;

  order->from = -1;
  if (is_later)
    order->from = (gint64) (my.next + SURELY + world_below (AHEAD));
  else if (order->kind == RECIPE_PAST)
    order->from = (gint64) (my.next - MIN (my.next, back));
}

static char *
write_recipe_order (const Order * order, const char *from)
{
  const gboolean is_for_lane = world_one_in (2);

  if (order->kind == RECIPE_MISSING)
    return g_strdup ("{\"do\":\"recipe\",\"recipe\":\"none\"}");
  if (order->kind == RECIPE_UNFIT)
    return g_strdup ("{\"do\":\"recipe\",\"recipe\":\"unfit\"}");
  if (order->kind == RECIPE_LANE)
    return g_strdup ("{\"do\":\"recipe\",\"recipe\":\"r4\",\"lane\":\"b\"}");
  return g_strdup_printf ("{\"do\":\"recipe\",\"recipe\":\"r%u\"%s%s}",
      order->value, is_for_lane ? ",\"lane\":\"a\"" : "", from);
}

static char *
write_order (const Order * order)
{
  g_autofree char *from = make_from (order->from);

  switch (order->kind) {
    case RELOAD:
      return g_strdup ("{\"do\":\"reload\"}");
    case LOT:
    case LOT_LATER:
      return g_strdup_printf ("{\"do\":\"lot-begin\",\"lot\":\"%s\"%s}",
          lot_counts_get_name (order->value), from);
    case LOT_AGAIN:
      return g_strdup_printf ("{\"do\":\"lot-begin\",\"lot\":\"%s\"}",
          lot_counts_get_name (lot_counts_get_last ()));
    case LOT_END:
    case LOT_END_LATER:
      return g_strdup_printf ("{\"do\":\"lot-end\"%s}", from);
    case NONSENSE:
      return g_strdup ("{\"do\":\"lot-end\",\"recipe\":\"r4\"}");
    default:
      return write_recipe_order (order, from);
  }
}

/* A lot's name that was used is refused if its lot has begun. */
static gboolean
is_wrong (Kind kind)
{
  return kind == RECIPE_PAST || kind == RECIPE_MISSING || kind == RECIPE_UNFIT
      || kind == RECIPE_LANE || kind == LOT_AGAIN || kind == NONSENSE;
}

static Order
draw_order (Kind kind)
{
  Order order = {.kind = kind,.is_wrong = is_wrong (kind) };

  draw_from (&order);
  if (kind == LOT || kind == LOT_LATER) {
    (void) lot_counts_add ();
    order.value = lot_counts_get_last ();
  } else if (kind < RECIPE_MISSING) {
    order.value = OFFICE_FIRST_RECIPE + (guint) world_below (OFFICE_RECIPES);
  }
  order.place = kind < LOT ? EXPECTED_RECIPE : EXPECTED_LOT;
  order.text = write_order (&order);
  order.is_by_plc = controller_has_commands () && my.n_orders % 2 == 1
      && (kind == RECIPE || kind == RECIPE_MISSING || kind == RECIPE_LANE);
  return order;
}

/* What is answered */

/* What is right may be refused if the disk fails; if its piece has been decided
 * meanwhile, as of a line that catches up; or if there is no lot to be ended. */
static gboolean
may_be_refused (void)
{
  const gboolean is_end = my.order.kind == LOT_END
      || my.order.kind == LOT_END_LATER;

  return my.has_failed || my.order.has_met || disk_get_faults ()
      || my.order.is_wrong
      || (my.order.from >= 0 && (guint64) my.order.from <= my.next)
      || my.order.kind == RELOAD
      || (is_end && expected_is_possible (EXPECTED_LOT, 0));
}

static void
take_answer (const char *why)
{
  my.is_asking = FALSE;
  if (why)
    my.counts.refused++;
  else
    my.counts.done++;
  if (!why && my.order.is_wrong)
    world_fail ("%s is done, and is wrong", my.order.text);
  if (why && !may_be_refused ())
    world_fail ("%s is refused: %s", my.order.text, why);
  if (!my.order.is_wrong)
    expected_answer (why == NULL, my.next);
}

void
office_answer (gboolean is_done)
{
  if (my.is_asking && my.order.is_by_plc)
    take_answer (is_done ? NULL : "by the PLC");
  else
    world_fail ("a command of the PLC is answered that nobody waits for");
}

static void
answered (guint64 id, const char *why, const char *in_force, gpointer user,
    guint64 ticket)
{
  world_tell ("command %" G_GUINT64_FORMAT ": %s", id, why ? why : "done");
  my.has_ever_failed = my.has_ever_failed || disk_get_faults ();
  if (!my.is_asking || ticket != my.n_orders) {
    world_fail ("a command is answered that nobody waits for");
    return;
  }
  if (id > 0)
    g_hash_table_insert (my.answers, GSIZE_TO_POINTER (id),
        GUINT_TO_POINTER (why == NULL));
  take_answer (why);
}

static gpointer
ask (gpointer data)
{
  world_tell ("asks %s", my.order.text);
  /* it may be about to end, and have closed its commander */
  if (my.commander && !line_commander_ask_text (my.commander, WHO,
          my.order.text, strlen (my.order.text), answered, NULL, my.n_orders))
    world_fail ("too many commands wait, and nobody has asked");
  return NULL;
}

static void
order (Kind kind)
{
  g_free (my.order.text);
  my.order = draw_order (kind);
  my.is_asking = TRUE;
  my.n_orders++;
  if (!my.order.is_wrong)
    expected_ask (my.order.place, my.order.value, my.order.from, my.next);
  if (my.order.is_by_plc)
    controller_give (kind == RECIPE_MISSING ? 9 : my.order.value,
        kind == RECIPE_LANE ? 1 : 65535);
  else
    world_spawn (my.line, ask, NULL);
}

static gboolean
is_free (void)
{
  return my.commander && my.has_begun && !my.is_asking && !expected_is_open ();
}

static void
try_reload (gpointer data)
{
  if (!my.wants_reload)
    return;
  if (is_free ()) {
    my.wants_reload = FALSE;
    order (RELOAD);
  }
  world_at (world_now () + SECOND, try_reload, NULL);
}

void
office_reload (void)
{
  const gboolean is_waiting = my.wants_reload;

  my.wants_reload = TRUE;
  if (!is_waiting)
    world_at (world_now (), try_reload, NULL);
}

/* Nobody asks for a lot of a name that may not have been taken. */
static void
draw (void)
{
  const Kind kind = (Kind) world_below (N_ORDERS);

  if (kind == LOT_AGAIN && (lot_counts_get_last () == 0
          || !expected_is_possible (EXPECTED_LOT, lot_counts_get_last ())))
    return;
  if (kind == RECIPE_PAST && my.next == 0)
    return;
  order (kind);
}

void
office_start (gpointer data)
{
  if (my.is_over || my.mean == 0)
    return;
  if (is_free ())
    draw ();
  world_at (world_now () + 1 + (gint64) world_below ((guint64) my.mean * 2),
      office_start, NULL);
}

void
office_stop (void)
{
  my.is_over = TRUE;
}

/* The line */

void
office_begin_run (void)
{
  const gboolean is_standing = my.is_asking && my.order.is_by_plc;

  if (my.is_asking && !is_standing)
    my.counts.unanswered++;
  if (my.is_asking && my.order.kind == RELOAD)
    office_reload ();
  my.is_asking = is_standing;
  my.has_begun = my.has_failed = FALSE;
  my.order.has_met = TRUE;
  expected_begin_run ();
  lot_counts_begin_run ();
  if (is_standing && !my.order.is_wrong)
    expected_ask (my.order.place, my.order.value, my.order.from, my.next);
}

void
office_open (LineCommander * commander)
{
  my.commander = commander;
  my.line = world_get_process ();
}

void
office_close (void)
{
  my.commander = NULL;
}

void
office_lose_line (void)
{
  my.commander = NULL;
  lot_counts_excuse ();
}

void
office_check_decision (guint64 number, guint base, const json_t * decision)
{
  const guint recipe = base >= OFFICE_FIRST_RECIPE ? base : 0;
  const char *name = json_string_value (json_object_get (decision, "lot"));
  const gint lot = lot_counts_find (name);

  my.next = number + 1;
  my.has_begun = TRUE;
  if (disk_get_faults ()) {
    my.has_failed = my.has_ever_failed = my.order.has_met = TRUE;
    lot_counts_excuse ();
  }
  lot_counts_take_of_run (decision);
  if (my.mean == 0)
    return;
  if (!expected_check (EXPECTED_RECIPE, recipe, number))
    world_fail ("piece %" G_GUINT64_FORMAT " is decided by recipe %u, which "
        "nobody has asked for", number, base);
  if (lot < 0 || !expected_check (EXPECTED_LOT, (guint) lot, number))
    world_fail ("piece %" G_GUINT64_FORMAT " is of %s%s, which it should not "
        "be of", number, name ? "lot " : "no lot", name ? name : "");
  else if (lot > 0)
    lot_counts_take ((guint) lot, decision);
}

/* The log */

static void
check_answer (guint64 id, const json_t * line)
{
  const char *answer = json_string_value (json_object_get (line, "answer"));
  gpointer is_done;

  if (g_hash_table_lookup_extended (my.answers, GSIZE_TO_POINTER (id), NULL,
          &is_done) && (g_strcmp0 (answer, "done") == 0) != (is_done != NULL))
    world_fail ("command %" G_GUINT64_FORMAT " was %s, and the log says %s", id,
        is_done ? "done" : "refused", answer);
}

/* One line asks, the next one answers; numbers follow each other. Half lines are
 * passed over. If the disk failed an answer may be missing, or come later, from the
 * next run. */
static void
check_log (void)
{
  g_autofree char *path = g_build_filename (my.folder, "commands.jsonl", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GHashTable) open = g_hash_table_new (NULL, NULL);
  guint64 last = 0;

  if (!g_file_get_contents (path, &text, NULL, NULL)) {
    if (g_hash_table_size (my.answers) > 0)
      world_fail ("there is no log, and commands were answered");
    return;
  }
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i]; i++) {
    json_auto_t *line = json_loads (lines[i], 0, NULL);
    const guint64 id = (guint64) json_integer_value (json_object_get (line,
            "id"));
    const gboolean is_asked = json_object_get (line, "asked") != NULL;

    if (!line)
      continue;
    if (is_asked ? id != last + 1 || (g_hash_table_size (open) > 0
            && !my.has_ever_failed) :
        !g_hash_table_remove (open, GSIZE_TO_POINTER (id)))
      world_fail ("the log has line %u after command %" G_GUINT64_FORMAT ": %s",
          i + 1, last, lines[i]);
    if (is_asked) {
      g_hash_table_add (open, GSIZE_TO_POINTER (id));
      last = id;
    } else {
      check_answer (id, line);
    }
  }
  if (g_hash_table_size (open) > 0 && !my.has_ever_failed)
    world_fail ("a command up to %" G_GUINT64_FORMAT " has no answer in the end",
        last);
}

void
office_check_run (const char *folder)
{
  lot_counts_check_run (folder);
}

void
office_check_reports (void)
{
  if (my.mean == 0)
    return;
  check_log ();
  if (my.is_asking && my.order.is_by_plc)
    world_fail ("the PLC's command has no answer in the end");
  my.counts.lots = lot_counts_check ();
}

gboolean
office_is_manned (void)
{
  return my.mean > 0;
}

OfficeCounts
office_get_counts (void)
{
  return my.counts;
}

void
office_begin (const char *folder, gint64 mean)
{
  memset (&my, 0, sizeof (my));
  my.folder = g_strdup (folder);
  my.mean = mean;
  my.answers = g_hash_table_new (NULL, NULL);
  expected_begin ();
  lot_counts_begin (folder);
}

void
office_end (void)
{
  g_clear_pointer (&my.answers, g_hash_table_unref);
  g_clear_pointer (&my.folder, g_free);
  g_clear_pointer (&my.order.text, g_free);
  expected_end ();
  lot_counts_end ();
}
