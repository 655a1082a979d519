/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "table.h"

#include <string.h>

/* A trigger's tensors. It is kept until the last piece that it shows, the one
 * of its own number, is decided. */
typedef struct
{
  gint64 time;
  LineLook looks[LINE_MAX_VIEWS];
} Trigger;

/* A trigger is forgotten so many decisions later. A view of it that comes even
 * later counts as late, but whether it had come before is not known any
 * more. */
#define HISTORY 64

struct _LineTable
{
  LineRules rules;
  guint views, cups;
  /* due: when a piece is decided at the latest; the deadline allows for the
   * decision itself */
  gint64 deadline, due;
  LineDecide decide;
  GDestroyNotify free_data;
  gpointer user;
  /* first: of the oldest trigger kept. next_piece: not decided yet */
  GQueue triggers;
  gint64 last_trigger;
  guint64 first, next_piece;
  LineCounts counts;
};

LineTable *
line_table_new (LineRules rules, guint views, guint cups, gint64 deadline,
    LineDecide decide, GDestroyNotify free_data, gpointer user)
{
  LineTable *table = g_new0 (LineTable, 1);

  g_assert (views >= 1 && views <= LINE_MAX_VIEWS);
  g_assert (cups >= 1 && cups <= LINE_MAX_CUPS);
  table->rules = rules;
  table->last_trigger = G_MININT64;
  table->views = views;
  table->cups = cups;
  table->deadline = deadline;
  table->due = deadline - deadline / 10;
  table->decide = decide;
  table->free_data = free_data;
  table->user = user;
  g_queue_init (&table->triggers);
  return table;
}

static void
drop_data (const LineTable * table, gpointer data)
{
  if (data && table->free_data)
    table->free_data (data);
}

static void
clear_data (LineTable * table, Trigger * trigger)
{
  for (guint v = 0; v < table->views; v++) {
    drop_data (table, trigger->looks[v].data);
    trigger->looks[v].data = NULL;
  }
}

void
line_table_free (LineTable * table)
{
  Trigger *trigger;

  while ((trigger = g_queue_pop_head (&table->triggers))) {
    clear_data (table, trigger);
    g_free (trigger);
  }
  g_free (table);
}

static Trigger *
get_trigger (const LineTable * table, guint64 number)
{
  if (number < table->first || number >= table->counts.triggers)
    return NULL;
  return g_queue_peek_nth ((GQueue *) & table->triggers, number - table->first);
}

/* Whether the next piece has had its last trigger */
static gboolean
is_whole (const LineTable * table)
{
  return table->next_piece + table->cups <= table->counts.triggers;
}

static gint64
get_due (const LineTable * table)
{
  return get_trigger (table, table->next_piece + table->cups - 1)->time
      + table->due;
}

static gboolean
is_settled (const LineTable * table)
{
  for (guint c = 0; c < table->cups; c++) {
    const Trigger *trigger = get_trigger (table, table->next_piece + c);

    for (guint v = 0; v < table->views; v++)
      if (trigger->looks[v].time == G_MININT64 && !trigger->looks[v].lost)
        return FALSE;
  }
  return TRUE;
}

static void
collect (const LineTable * table, gint64 time, LinePiece * piece)
{
  memset (piece, 0, sizeof (*piece));
  piece->piece = table->next_piece;
  for (guint c = 0; c < table->cups; c++) {
    const Trigger *trigger = get_trigger (table, table->next_piece + c);

    for (guint v = 0; v < table->views; v++) {
      const LineLook *look = &trigger->looks[v];

      piece->looks[c * table->views + v] = *look;
      if (look->time == G_MININT64)
        continue;
      piece->n_looks++;
      piece->last_time = MAX (piece->last_time, look->time);
    }
    piece->trigger_time = trigger->time;
  }
  if (piece->n_looks == 0 && table->rules == LINE_RULES_1)
    piece->status = LINE_STATUS_UNDECIDED;
  else if (time > piece->trigger_time + table->deadline)
    piece->status = LINE_STATUS_LATE;
  else if (piece->n_looks == 0)
    piece->status = LINE_STATUS_UNDECIDED;
  else if (piece->n_looks < table->cups * table->views)
    piece->status = LINE_STATUS_PARTIAL;
}

/* The trigger of the piece's number shows no later piece. */
static void
decide_next (LineTable * table, gint64 time)
{
  g_autofree LinePiece *piece = g_new (LinePiece, 1);

  collect (table, time, piece);
  table->decide (piece, table->user);
  clear_data (table, get_trigger (table, table->next_piece));
  table->next_piece++;
  while (table->next_piece - table->first > HISTORY) {
    g_free (g_queue_pop_head (&table->triggers));
    table->first++;
  }
}

/* Whether nothing more is waited for: what is settled is decided at once; what
 * is not, when its time is past. */
static gboolean
is_due (const LineTable * table, gint64 time)
{
  return is_whole (table) && (is_settled (table) || time >= get_due (table));
}

/* By rules 1. */
static void
decide_due (LineTable * table, gint64 time)
{
  while (table->rules == LINE_RULES_1 && is_due (table, time))
    decide_next (table, time);
}

void
line_table_tick (LineTable * table, gint64 time)
{
  decide_due (table, time);
  if (table->rules != LINE_RULES_1 && is_due (table, time))
    decide_next (table, time);
}

/* The time of a trigger that is reported at @time */
static gint64
find_time (LineTable * table, gint64 time, gint64 came)
{
  if (table->rules == LINE_RULES_1)
    return time;
  if (table->last_trigger == G_MININT64)
    return came ? came : time;
  return MAX (came ? came : time, table->last_trigger + 1);
}

void
line_table_trigger (LineTable * table, gint64 time, gint64 came)
{
  decide_due (table, time);
  Trigger *trigger = g_new0 (Trigger, 1);
  trigger->time = table->last_trigger = find_time (table, time, came);
  for (guint v = 0; v < table->views; v++)
    trigger->looks[v].time = G_MININT64;
  g_queue_push_tail (&table->triggers, trigger);
  table->counts.triggers++;
  decide_due (table, time);
}

gboolean
line_table_look (LineTable * table, guint64 number, guint view, gint64 time,
    gpointer data)
{
  /* what is due does not wait for it */
  decide_due (table, time);
  if (number < table->first && view < table->views) {
    table->counts.late++;
    drop_data (table, data);
    return TRUE;
  }
  Trigger *trigger = get_trigger (table, number);
  LineLook *look = trigger
      && view < table->views ? &trigger->looks[view] : NULL;
  if (!look || look->time != G_MININT64) {
    table->counts.refused++;
    drop_data (table, data);
    return FALSE;
  }
  if (look->lost)
    table->counts.losses[look->loss]--;
  if (time >= trigger->time + table->due)
    table->counts.late++;
  else
    table->counts.in_time++;
  *look = (LineLook) {.data = data,.time = time };
  /* its pieces are gone */
  if (number < table->next_piece)
    clear_data (table, trigger);
  decide_due (table, time);
  return TRUE;
}

void
line_table_lost (LineTable * table, guint64 number, guint view, LineLoss loss,
    gint64 time)
{
  decide_due (table, time);
  if (view >= table->views || number >= table->counts.triggers)
    return;
  Trigger *trigger = get_trigger (table, number);
  LineLook *look = trigger ? &trigger->looks[view] : NULL;
  /* it came, or the reason is known */
  if (look && (look->time != G_MININT64 || look->lost))
    return;
  table->counts.losses[loss]++;
  if (!look)
    return;
  look->lost = TRUE;
  look->loss = loss;
  decide_due (table, time);
}

gint64
line_table_next_due (const LineTable * table)
{
  if (!is_whole (table))
    return G_MAXINT64;
  return is_settled (table) ? G_MININT64 : get_due (table);
}

void
line_table_finish (LineTable * table, gint64 time)
{
  while (is_whole (table))
    decide_next (table, time);
}

guint64
line_counts_get_lost (const LineCounts * counts)
{
  guint64 lost = 0;

  for (guint i = 0; i < LINE_N_LOSSES; i++)
    lost += counts->losses[i];
  return lost;
}

guint64
line_table_get_next (const LineTable * table)
{
  return table->next_piece;
}

LineCounts
line_table_get_counts (const LineTable * table)
{
  return table->counts;
}

guint64
line_unwrap_id (guint64 last, guint16 id)
{
  if (id == 0)
    return last;
  /* counter n has the id 1 + n mod 65535 */
  gint64 step = (gint64) (id - 1) - (gint64) (last % 65535);
  if (step > 32767)
    step -= 65535;
  else if (step < -32767)
    step += 65535;
  return step < 0 && last < (guint64) - step ? last + 65535 + step :
      last + step;
}
