/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The piece table against a model that keeps all events in arrays and looks
 * through them for every piece. */

#include "check.h"
#include "checks.h"
#include "random.h"
#include "table.h"

#include <string.h>

#define MAX_TRIGGERS 200
#define NEVER G_MAXINT64

typedef struct
{
  guint64 piece;
  gint64 trigger_time;
  LineStatus status;
  /* the number that each look's data is, 0 without one */
  guint looks[LINE_MAX_LOOKS];
} Outcome;

typedef struct
{
  LineRules rules;
  guint views, cups, n_triggers, next;
  gint64 deadline, due;
  gint64 triggers[MAX_TRIGGERS];
  gint64 arrivals[MAX_TRIGGERS][LINE_MAX_VIEWS];
  gboolean lost[MAX_TRIGGERS][LINE_MAX_VIEWS];
  LineLoss losses[MAX_TRIGGERS][LINE_MAX_VIEWS];
  GArray *expected, *decided;
  guint freed;
} Model;

static guint
data_of (guint trigger, guint view)
{
  return 1 + trigger * LINE_MAX_VIEWS + view;
}

static void
decide (const LinePiece * piece, gpointer user)
{
  Model *model = user;
  Outcome outcome = { piece->piece, piece->trigger_time, piece->status };
  guint n = 0;

  for (guint i = 0; i < model->cups * model->views; i++) {
    outcome.looks[i] = GPOINTER_TO_UINT (piece->looks[i].data);
    n += outcome.looks[i] != 0;
  }
  expect (n == piece->n_looks, "%u looks, %u said", n, piece->n_looks);
  g_array_append_val (model->decided, outcome);
}

static guint n_freed;

static void
count_freed (gpointer data)
{
  n_freed++;
}

/* What must have been decided when nothing else happens until @time, at most
 * @most pieces. @end: as if all waiting were over. */
static void
model_decide (Model * model, gint64 time, guint most, gboolean end)
{
  for (; most > 0 && model->next + model->cups <= model->n_triggers; most--) {
    gint64 last = model->triggers[model->next + model->cups - 1];
    Outcome outcome = { model->next, last, LINE_STATUS_OK };
    guint there = 0, open = 0;

    for (guint c = 0; c < model->cups; c++)
      for (guint v = 0; v < model->views; v++) {
        guint t = model->next + c;

        if (model->arrivals[t][v] != NEVER) {
          outcome.looks[c * model->views + v] = data_of (t, v);
          there++;
        } else if (!model->lost[t][v]) {
          open++;
        }
      }
    if (open > 0 && time < last + model->due && !end)
      return;
    if (there < model->cups * model->views)
      outcome.status = LINE_STATUS_PARTIAL;
    if (there == 0)
      outcome.status = LINE_STATUS_UNDECIDED;
    if (time > last + model->deadline && (there > 0 || model->rules == 2))
      outcome.status = LINE_STATUS_LATE;
    g_array_append_val (model->expected, outcome);
    model->next++;
  }
}

static guint
below (guint64 * random, guint n)
{
  return random_below (random, n);
}

/* Some triggers came a while ago, some before others that are known, and of
 * some it is not known when. */
static void
do_trigger (Model * model, LineTable * table, guint64 * random, gint64 time)
{
  const guint t = model->n_triggers++;
  const gint64 came = below (random, 3) ? 1 + time - below (random, 90) : 0;

  if (model->rules == 1 || came == 0)
    model->triggers[t] = time;
  else
    model->triggers[t] = came;
  if (model->rules == 2 && t > 0
      && model->triggers[t] <= model->triggers[t - 1])
    model->triggers[t] = model->triggers[t - 1] + 1;
  line_table_trigger (table, time, came);
}

static void
do_event (Model * model, LineTable * table, guint64 * random, gint64 time)
{
  guint what = below (random, 20), t = model->n_triggers;
  guint v = below (random, model->views);

  /* by the newer rules only ticks decide, one piece each */
  if (model->rules == 1)
    model_decide (model, time, G_MAXUINT, FALSE);
  if (what < 3 && t < MAX_TRIGGERS) {
    do_trigger (model, table, random, time);
  } else if (what < 18 && t > 0) {
    guint back = below (random, 8) ? below (random, 2) : below (random, 7);

    t -= MIN (t, 1 + back);
    if (what == 3) {
      const LineLoss loss = below (random, LINE_N_LOSSES);

      if (model->arrivals[t][v] == NEVER && !model->lost[t][v]) {
        model->lost[t][v] = TRUE;
        model->losses[t][v] = loss;
      }
      line_table_lost (table, t, v, loss, time);
    } else {
      gboolean fresh = model->arrivals[t][v] == NEVER;

      if (fresh)
        model->arrivals[t][v] = time;
      expect (fresh == line_table_look (table, t, v, time,
              GUINT_TO_POINTER (data_of (t, v))), "look of %u, %u", t, v);
    }
  } else {
    line_table_tick (table, time);
    model_decide (model, time, model->rules == 1 ? G_MAXUINT : 1, FALSE);
  }
  if (model->rules == 1)
    model_decide (model, time, G_MAXUINT, FALSE);
  /* the table says when there is something to do */
  while (model->rules == 2 && below (random, 8)
      && line_table_next_due (table) <= time) {
    const guint next = model->next;

    line_table_tick (table, time);
    model_decide (model, time, 1, FALSE);
    expect (model->next == next + 1, "a tick that was due decided nothing");
  }
}

static void
compare (Model * model, LineCounts counts)
{
  guint64 in_time = 0, late = 0, open = 0, lost = 0;
  guint64 losses[LINE_N_LOSSES] = { 0 };

  for (guint t = 0; t < model->n_triggers; t++)
    for (guint v = 0; v < model->views; v++)
      if (model->arrivals[t][v] == NEVER && model->lost[t][v])
        losses[model->losses[t][v]]++;
      else if (model->arrivals[t][v] == NEVER)
        open++;
      else if (model->arrivals[t][v] >= model->triggers[t] + model->due)
        late++;
      else
        in_time++;
  expect (counts.in_time == in_time && counts.late == late,
      "%d and %d for %d in time, %d late", (gint) counts.in_time,
      (gint) counts.late, (gint) in_time, (gint) late);
  for (guint i = 0; i < LINE_N_LOSSES; i++) {
    expect (counts.losses[i] == losses[i], "%d for %d %s",
        (gint) counts.losses[i], (gint) losses[i], line_loss_names[i]);
    lost += losses[i];
  }
  expect (line_counts_get_lost (&counts) == lost, "all losses");
  expect (counts.triggers * model->views == in_time + late + lost + open,
      "the sum");
  expect (model->expected->len == model->decided->len, "%u for %u pieces",
      model->decided->len, model->expected->len);
  for (guint i = 0; i < MIN (model->expected->len, model->decided->len); i++) {
    Outcome *a = &g_array_index (model->expected, Outcome, i);
    Outcome *b = &g_array_index (model->decided, Outcome, i);

    expect (a->piece == b->piece && a->status == b->status
        && a->trigger_time == b->trigger_time
        && memcmp (a->looks, b->looks, sizeof (a->looks)) == 0,
        "piece %u: %s for %s", i, line_status_names[b->status],
        line_status_names[a->status]);
  }
}

static guint statuses[2][4];

static void
check_random_events (LineRules rules, guint64 seed)
{
  guint64 random = seed;
  g_autofree Model *model = g_new0 (Model, 1);
  gint64 time = 100;
  guint pace = 1 + below (&random, 40);

  begin ("rules %d, random events %" G_GUINT64_FORMAT, rules, seed);
  model->rules = rules;
  model->views = 1 + below (&random, 4);
  model->cups = 1 + below (&random, 5);
  model->deadline = 20 + 10 * below (&random, 20);
  model->due = model->deadline / 10 * 9;
  model->expected = g_array_new (FALSE, FALSE, sizeof (Outcome));
  model->decided = g_array_new (FALSE, FALSE, sizeof (Outcome));
  for (guint t = 0; t < MAX_TRIGGERS; t++)
    for (guint v = 0; v < LINE_MAX_VIEWS; v++)
      model->arrivals[t][v] = NEVER;
  n_freed = 0;
  LineTable *table = line_table_new (rules, model->views, model->cups,
      model->deadline, decide, count_freed, model);
  for (guint i = 0; i < 1000; i++)
    do_event (model, table, &random, time += below (&random, pace));
  model_decide (model, time, G_MAXUINT, TRUE);
  line_table_finish (table, time);
  compare (model, line_table_get_counts (table));
  {
    LineCounts counts = line_table_get_counts (table);

    line_table_free (table);
    expect (n_freed == counts.in_time + counts.late + counts.refused,
        "%u freed", n_freed);
  }
  for (guint i = 0; i < model->decided->len; i++)
    statuses[rules - 1][g_array_index (model->decided, Outcome, i).status]++;
  g_array_free (model->expected, TRUE);
  g_array_free (model->decided, TRUE);
  end ();
}

CHECK (unwrap)
{
  guint64 counter = 0;
  guint64 random = 3;

  begin ("frame ids of 16 bits");
  /* the camera's side: counted from 1, 65535 is followed by 1 */
  for (guint64 frame = 0, id = 1; frame < 200000; frame++) {
    if (below (&random, 10) > 0) {
      counter = line_unwrap_id (counter, id);
      expect (counter == frame, "%" G_GUINT64_FORMAT, counter);
    }
    id = id == 65535 ? 1 : id + 1;
  }
  expect (line_unwrap_id (65536, 65535) == 65534, "back over the end");
  expect (line_unwrap_id (7, 0) == 7, "0 is none");
  expect (line_unwrap_id (0, 30000) == 29999, "a great step");
  expect (line_unwrap_id (0, 65535) == 65534, "not below 0");
  end ();
}

CHECK (waiting)
{
  g_autofree Model *model = g_new0 (Model, 1);

  begin ("when the table wants to be called");
  model->views = model->cups = 1;
  model->decided = g_array_new (FALSE, FALSE, sizeof (Outcome));
  LineTable *table = line_table_new (LINE_RULES_1, 1, 1, 100, decide, NULL,
      model);
  expect (line_table_next_due (table) == G_MAXINT64, "nothing to wait for");
  line_table_trigger (table, 1000, 0);
  expect (line_table_next_due (table) == 1090, "nine tenths");
  line_table_tick (table, 1089);
  expect (model->decided->len == 0, "too early");
  line_table_tick (table, 1090);
  expect (model->decided->len == 1, "due");
  expect (!line_table_look (table, 1, 0, 1091, NULL), "of the future");
  expect (!line_table_look (table, 0, 1, 1091, NULL), "of no view");
  expect (line_table_get_counts (table).refused == 2, "refused");
  line_table_free (table);
  g_array_free (model->decided, TRUE);
  end ();
}

/* Views whose triggers are forgotten, for their pieces were decided long ago. */
CHECK (forgotten)
{
  g_autofree Model *model = g_new0 (Model, 1);

  begin ("views of forgotten triggers");
  model->views = 2;
  model->cups = 1;
  model->decided = g_array_new (FALSE, FALSE, sizeof (Outcome));
  n_freed = 0;
  LineTable *table = line_table_new (LINE_RULES_1, 2, 1, 100, decide,
      count_freed, model);
  /* nothing comes of the first trigger, and all of the others */
  for (guint64 t = 0; t < 1000; t++) {
    line_table_trigger (table, t * 100, 0);
    for (guint v = 0; t > 0 && v < 2; v++)
      line_table_look (table, t, v, t * 100, GUINT_TO_POINTER (data_of (t, v)));
  }
  expect (model->decided->len == 1000, "%u pieces", model->decided->len);
  LineCounts counts = line_table_get_counts (table);
  expect (counts.in_time == 1998 && line_counts_get_lost (&counts) == 0,
      "neither there nor lost yet");
  expect (line_table_look (table, 0, 0, 100000, GUINT_TO_POINTER (1)), "taken");
  line_table_lost (table, 0, 1, LINE_LOSS_SLOW, 100000);
  /* of no trigger, of no view, and of one that is there */
  line_table_lost (table, 1000, 1, LINE_LOSS_SLOW, 100000);
  line_table_lost (table, 0, 2, LINE_LOSS_SLOW, 100000);
  line_table_lost (table, 999, 0, LINE_LOSS_SLOW, 100000);
  expect (!line_table_look (table, 0, 2, 100000, NULL), "of no view");
  counts = line_table_get_counts (table);
  expect (counts.in_time == 1998 && counts.late == 1 && counts.refused == 1
      && counts.losses[LINE_LOSS_SLOW] == 1
      && line_counts_get_lost (&counts) == 1, "one is late, one is lost");
  line_table_free (table);
  expect (n_freed == 1999, "%u freed", n_freed);
  g_array_free (model->decided, TRUE);
  end ();
}

int
main (void)
{
  for (guint64 seed = 1; seed <= 200; seed++)
    for (guint rules = LINE_RULES_1; rules <= LINE_RULES_2; rules++)
      check_random_events ((LineRules) rules, seed);
  for (guint rules = 0; rules < 2; rules++)
    for (guint i = 0; i < 4; i++)
      check_that (statuses[rules][i] > 100, "%u pieces are %s",
          statuses[rules][i], line_status_names[i]);
  run_checks ();
  return finish ();
}
