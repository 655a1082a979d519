/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "desk.h"

#include <string.h>

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

struct _LineDesk
{
  LineRules rules;
  const LineConfig *config;
  const LineLaneConfig *lane;
  LineRecipe *recipe;
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

/* The look that came last, of equal ones the first. */
static const LineLook *
find_last (const LineDesk * desk, const LinePiece * piece)
{
  const LineGeometry *geometry = &desk->config->geometry;

  for (guint i = 0; i < geometry->cups * geometry->views; i++)
    if (piece->looks[i].data && piece->looks[i].time == piece->last_time)
      return &piece->looks[i];
  return NULL;
}

/* Reads the clock when the piece is measured: by rules 2 it is late if its
 * deadline has passed by then. */
static LineStatus
find_status (LineDesk * desk, const LinePiece * piece)
{
  const gint64 deadline = (gint64) desk->config->deadline_ms * 1000000;

  desk->time = desk->clock ? desk->clock (desk->user) : 0;
  return desk->rules != LINE_RULES_1
      && desk->time > piece->trigger_time + deadline ? LINE_STATUS_LATE :
      piece->status;
}

static void
measure_latency (const LineDesk * desk, LineDecision * decision)
{
  const LineLook *look = find_last (desk, decision->piece);
  const LineSeen *seen = look ? look->data : NULL;

  if (!desk->clock || !seen)
    return;
  decision->to_tensor = (seen->tensor_time - seen->trigger_time) / 1000;
  decision->to_shapes = (look->time - seen->tensor_time) / 1000;
  decision->to_decision = (desk->time - look->time) / 1000;
}

/* The shift has changed between two of a piece's triggers: it has looks of two
 * of the PLC's pieces. Returns: -1 then, and if nothing is known */
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

static gint64
find_encoder (const Numbers * numbers, guint64 trigger)
{
  const guint at = trigger % ENCODERS;

  return numbers->has_shift && numbers->triggers[at] == trigger ?
      numbers->encoders[at] : -1;
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
number (LineDesk * desk, LineDecision * decision)
{
  Numbers *numbers = &desk->numbers;
  const guint cups = desk->config->geometry.cups;
  const guint64 piece = decision->piece->piece;

  decision->run = desk->run;
  decision->first = desk->first;
  decision->has_plc = numbers->has_plc;
  decision->plc_piece = find_number (numbers, piece, cups);
  /* the PLC's are of 32 bits */
  decision->plc_shift = (gint32) numbers->shifted;
  decision->encoder = find_encoder (numbers, piece);
  numbers->shifted = 0;
}

static void
decide (const LinePiece * piece, gpointer user)
{
  LineDesk *desk = user;
  const LineGeometry *geometry = &desk->config->geometry;
  const LineView *looks[LINE_MAX_LOOKS];
  LineMeasures measures;
  LineOutcome outcome;
  LineDecision decision = {.rules = desk->rules,.line = desk->config->name,
    .lane = desk->lane->name,.software = PACKAGE_VERSION,
    .geometry = geometry,.recipe = desk->recipe,.piece = piece,
    .measures = &measures,.outcome = &outcome,
    .is_simulated = desk->lane->source == LINE_SOURCE_SIMULATE
  };
  guint n_looks = piece->n_looks, doubts = 0;
  LineStatus status;

  for (guint i = 0; i < geometry->cups * geometry->views; i++) {
    const LineSeen *seen = piece->looks[i].data;

    looks[i] = seen ? &seen->view : NULL;
  }
  if (!line_aggregate (desk->rules, geometry, desk->recipe, looks, &measures,
          NULL))
    n_looks = 0;
  status = find_status (desk, piece);
  number (desk, &decision);
  if (desk->rules != LINE_RULES_1) {
    doubts = line_find_doubts (geometry, desk->recipe, piece, &measures,
        status);
    if (decision.has_plc && decision.plc_piece < 0)
      doubts |= 1u << LINE_DOUBT_NUMBER;
    if (!measures.is_empty)
      n_looks = MIN (n_looks, measures.n_shown);
  }
  line_decide (desk->recipe, &measures, n_looks, status, doubts, &outcome);
  if (n_looks < desk->recipe->min_looks
      || outcome.status == LINE_STATUS_UNDECIDED)
    line_measures_forget (&measures);
  measure_latency (desk, &decision);
  desk->decided (&decision, desk->user);
  line_outcome_clear (&outcome);
}

LineDesk *
line_desk_new (LineRules rules, const LineConfig * config,
    const LineLaneConfig * lane,
    LineRecipe * recipe, LineClock clock, LineDecided decided, gpointer user)
{
  LineDesk *desk = g_new0 (LineDesk, 1);

  desk->rules = rules;
  desk->config = config;
  desk->lane = lane;
  desk->recipe = line_recipe_ref (recipe);
  desk->clock = clock;
  desk->decided = decided;
  desk->user = user;
  desk->table = line_table_new (rules, config->geometry.views,
      config->geometry.cups, (gint64) config->deadline_ms * 1000000, decide,
      (GDestroyNotify) line_seen_free, desk);
  return desk;
}

void
line_desk_free (LineDesk * desk)
{
  line_table_free (desk->table);
  line_recipe_unref (desk->recipe);
  g_free (desk);
}

void
line_desk_handle (LineDesk * desk, LineEvent * event)
{
  switch (event->type) {
    case LINE_EVENT_TRIGGER:
      line_table_trigger (desk->table, event->time, event->came);
      break;
    case LINE_EVENT_LOOK:
      line_table_look (desk->table, event->trigger, event->view, event->time,
          g_steal_pointer (&event->seen));
      break;
    case LINE_EVENT_LOST:
      line_table_lost (desk->table, event->trigger, event->view, event->loss,
          event->time);
      break;
    case LINE_EVENT_TICK:
      line_table_tick (desk->table, event->time);
      break;
    case LINE_EVENT_RECIPE:
      if (desk->rules == LINE_RULES_1)
        line_table_tick (desk->table, event->time);
      line_recipe_unref (desk->recipe);
      desk->recipe = g_steal_pointer (&event->recipe);
      break;
    case LINE_EVENT_RUN:
      desk->run = event->run;
      desk->first = event->trigger;
      break;
    case LINE_EVENT_NUMBER:
      take_numbering (&desk->numbers, event->trigger, &event->numbering);
      break;
    case LINE_EVENT_FINISH:
      line_table_finish (desk->table, event->time);
      break;
  }
  line_event_clear (event);
}

gint64
line_desk_next_due (const LineDesk * desk)
{
  return line_table_next_due (desk->table);
}

gint64
line_desk_get_time (const LineDesk * desk)
{
  return desk->time;
}

LineCounts
line_desk_get_counts (const LineDesk * desk)
{
  return line_table_get_counts (desk->table);
}
