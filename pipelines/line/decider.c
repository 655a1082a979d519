/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decider.h"

/* Triggers whose encoder is remembered: more than those of pieces that are not
 * decided yet */
#define ENCODERS 64

/* How the PLC counts. @has_plc: it does. @before: the shift before the present
 * one; @shifted: by so much it has changed, which no decision has told yet */
typedef struct
{
  gboolean has_plc, has_shift;
  LineNumbering present;
  gint64 before, shifted;
  guint64 triggers[ENCODERS];
  gint64 encoders[ENCODERS];
} Numbers;

struct _LineDecider
{
  LineRules rules;
  const LineConfig *config;
  const LineLaneConfig *lane;
  LineRecipe *recipe;
  /* (nullable): a #GRefString */
  char *lot;
  LineTable *table;
  guint run;
  guint64 first;
  Numbers numbers;
  /* of the last decision, once it was made */
  gint64 time;
  LineClock clock;
  LineDecided decided;
  gpointer user;
};

/* The look that came last; of several at the same time, the first. */
static const LineLook *
find_last (const LineDecider * decider, const LinePiece * piece)
{
  const LineGeometry *geometry = decider->lane->geometry;

  for (guint i = 0; i < geometry->cups * geometry->views; i++)
    if (piece->looks[i].data && piece->looks[i].time == piece->last_time)
      return &piece->looks[i];
  return NULL;
}

static void
measure_latency (const LineDecider * decider, LineDecision * decision)
{
  const LineLook *look = find_last (decider, decision->piece);
  const LineSeen *seen = look ? look->data : NULL;

  if (!decider->clock || !seen)
    return;
  decision->to_tensor = (seen->tensor_time - seen->trigger_time) / 1000;
  decision->to_shapes = (look->time - seen->tensor_time) / 1000;
  decision->to_decision = (decider->time - look->time) / 1000;
}

/* Returns: the PLC's number of the piece; -1 if it is not known, or if the
 * shift has changed between two of the piece's triggers: it has looks of two of
 * the PLC's pieces */
static gint64
find_number (const Numbers * numbers, guint64 piece, guint cups)
{
  const LineNumbering *present = &numbers->present;

  if (!present->is_agreed)
    return -1;
  if (piece >= present->since)
    return (guint32) (piece + present->shift);
  return piece + cups <= present->since ?
      (gint64) (guint32) (piece + numbers->before) : -1;
}

static void
take_numbering (Numbers * numbers, guint64 trigger,
    const LineNumbering * numbering)
{
  numbers->has_plc = TRUE;
  if (!numbering->is_agreed) {
    numbers->present.is_agreed = FALSE;
    return;
  }
  if (!numbers->has_shift) {
    numbers->before = numbering->shift;
    for (guint i = 0; i < ENCODERS; i++)
      numbers->encoders[i] = -1;
  } else if (numbering->shift != numbers->present.shift) {
    numbers->before = numbers->present.shift;
    numbers->shifted += numbering->shift - numbers->before;
  }
  numbers->has_shift = TRUE;
  numbers->present = *numbering;
  numbers->triggers[trigger % ENCODERS] = trigger;
  numbers->encoders[trigger % ENCODERS] = numbering->encoder;
}

/* What a decision says of the run, and of the PLC's piece. */
static void
number (LineDecider * decider, LineDecision * decision)
{
  Numbers *numbers = &decider->numbers;
  const guint cups = decider->lane->geometry->cups;
  const guint64 piece = decision->piece->piece;

  decision->run = decider->run;
  decision->first = decider->first;
  decision->has_plc = numbers->has_plc;
  decision->plc_piece = find_number (numbers, piece, cups);
  /* the PLC's are of 32 bits */
  decision->plc_shift = (gint32) numbers->shifted;
  const guint at = piece % ENCODERS;
  decision->encoder = numbers->has_shift && numbers->triggers[at] == piece ?
      numbers->encoders[at] : -1;
  numbers->shifted = 0;
}

static void
decide (const LinePiece * piece, gpointer user)
{
  LineDecider *decider = user;
  const LineGeometry *geometry = decider->lane->geometry;
  const LineView *looks[LINE_MAX_LOOKS];
  LineMeasures measures;
  LineOutcome outcome;
  LineDecision decision = {.rules = decider->rules,.line = decider->config->name,
    .lane = decider->lane->name,.software = PACKAGE_VERSION,
    .geometry = geometry,.recipe = decider->recipe,.piece = piece,
    .measures = &measures,.outcome = &outcome,.lot = decider->lot,
    .is_simulated = decider->lane->source == LINE_SOURCE_SIMULATE
  };
  guint n_looks = piece->n_looks, doubts = 0;

  for (guint i = 0; i < geometry->cups * geometry->views; i++) {
    const LineSeen *seen = piece->looks[i].data;

    looks[i] = seen ? &seen->view : NULL;
  }
  if (!line_aggregate (decider->rules, geometry, decider->recipe, looks, &measures,
          NULL))
    n_looks = 0;
  /* Reads the clock when the piece is measured: by rules 2 it is late if its
   * deadline has passed by then. */
  const gint64 deadline = (gint64) decider->config->deadline_ms * 1000000;
  decider->time = decider->clock ? decider->clock (decider->user) : 0;
  LineStatus status = decider->rules != LINE_RULES_1
      && decider->time > piece->trigger_time + deadline ? LINE_STATUS_LATE :
      piece->status;
  number (decider, &decision);
  if (decider->rules != LINE_RULES_1) {
    doubts = line_find_doubts (geometry, decider->recipe, piece, &measures,
        status);
    if (decision.has_plc && decision.plc_piece < 0)
      doubts |= 1u << LINE_DOUBT_NUMBER;
    if (!measures.is_empty)
      n_looks = MIN (n_looks, measures.n_shown);
  }
  line_decide (decider->recipe, &measures, n_looks, status, doubts, &outcome);
  if (n_looks < decider->recipe->min_looks
      || outcome.status == LINE_STATUS_UNDECIDED)
    line_measures_forget (&measures);
  measure_latency (decider, &decision);
  decider->decided (&decision, decider->user);
  line_outcome_clear (&outcome);
}

LineDecider *
line_decider_new (LineRules rules, const LineConfig * config,
    const LineLaneConfig * lane,
    LineRecipe * recipe, LineClock clock, LineDecided decided, gpointer user)
{
  LineDecider *decider = g_new0 (LineDecider, 1);

  decider->rules = rules;
  decider->config = config;
  decider->lane = lane;
  decider->recipe = line_recipe_ref (recipe);
  decider->clock = clock;
  decider->decided = decided;
  decider->user = user;
  decider->table = line_table_new (rules, lane->geometry->views,
      lane->geometry->cups, (gint64) config->deadline_ms * 1000000, decide,
      (GDestroyNotify) line_seen_free, decider);
  return decider;
}

void
line_decider_free (LineDecider * decider)
{
  line_table_free (decider->table);
  line_recipe_unref (decider->recipe);
  g_clear_pointer (&decider->lot, g_ref_string_release);
  g_free (decider);
}

void
line_decider_handle (LineDecider * decider, LineEvent * event)
{
  switch (event->type) {
    case LINE_EVENT_TRIGGER:
      line_table_trigger (decider->table, event->time, event->came);
      break;
    case LINE_EVENT_LOOK:
      line_table_look (decider->table, event->trigger, event->view, event->time,
          g_steal_pointer (&event->seen));
      break;
    case LINE_EVENT_LOST:
      line_table_lost (decider->table, event->trigger, event->view, event->loss,
          event->time);
      break;
    case LINE_EVENT_TICK:
      line_table_tick (decider->table, event->time);
      break;
    case LINE_EVENT_RECIPE:
      if (decider->rules == LINE_RULES_1)
        line_table_tick (decider->table, event->time);
      line_recipe_unref (decider->recipe);
      decider->recipe = g_steal_pointer (&event->recipe);
      break;
    case LINE_EVENT_RUN:
      decider->run = event->run;
      decider->first = event->trigger;
      break;
    case LINE_EVENT_NUMBER:
      take_numbering (&decider->numbers, event->trigger, &event->numbering);
      break;
    case LINE_EVENT_LOT:
      g_clear_pointer (&decider->lot, g_ref_string_release);
      decider->lot = g_steal_pointer (&event->lot);
      break;
    case LINE_EVENT_FINISH:
      line_table_finish (decider->table, event->time);
      break;
  }
  line_event_clear (event);
}

gint64
line_decider_next_due (const LineDecider * decider)
{
  return line_table_next_due (decider->table);
}

gint64
line_decider_get_time (const LineDecider * decider)
{
  return decider->time;
}

guint64
line_decider_get_next (const LineDecider * decider)
{
  return decider->first + line_table_get_next (decider->table);
}

LineCounts
line_decider_get_counts (const LineDecider * decider)
{
  return line_table_get_counts (decider->table);
}
