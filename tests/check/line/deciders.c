/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lanes' deciders that read a queue by a clock that stands wherever the test puts
 * it, so that whoever decides can stand still, too. Whether a piece is late, and
 * which looks it must have, is found from what was posted, and when. */

#include "check.h"
#include "checks.h"
#include "deciders.h"
#include "random.h"
#include "recording.h"

#include <string.h>

#define MS G_GINT64_CONSTANT (1000000)
#define VIEWS 2
#define CUPS 2
#define LANES 2
#define MAX_TRIGGERS 60
#define DEADLINE (50 * MS)
#define DUE (45 * MS)
#define CAPACITY 64
#define NEVER G_MAXINT64

static const char config_text[] =
    "[line]\nname=test\nrecipe=r.ini\noutput=out\ndeadline-ms=50\n[geometry]\n"
    "columns=256\nrows=96\nmm-per-pixel=0.5\ncups=2\ncup-first=51\n"
    "cup-pitch=102\ntilt=0;0\n[lane a]\nsource=simulate\n[lane b]\n"
    "source=simulate\n";
static const char recipe_text[] =
    "[recipe]\nname=test\nclasses=belt;skin;rot\nfruit=skin;rot\ndefects=rot\n"
    "undecided-outlet=9\nmin-looks=2\n[rule all]\noutlet=1\n";

/* Pieces without a fruit go elsewhere. */
static const char other_text[] =
    "[recipe]\nname=test\nclasses=belt;skin;rot\nfruit=skin;rot\ndefects=rot\n"
    "undecided-outlet=9\nempty-outlet=4\nmin-looks=2\n[rule all]\noutlet=2\n";

/* @posted: when each look was. @now, @first: of the clock, and of the next
 * trigger's came. @pause: how long the process stands still while it measures a
 * piece */
typedef struct
{
  LineConfig *config;
  LineRecipe *recipe, *other;
  LineEventQueue *queue;
  LineDeciders *deciders;
  gint64 now, pause;
  gint64 came[LANES][MAX_TRIGGERS], posted[LANES][MAX_TRIGGERS][VIEWS];
  guint n_triggers[LANES], n_decided[LANES], n_late;
  gint64 last_time[LANES];
  GString *decisions;
  GByteArray *events[LANES];
} Line;

typedef struct
{
  Line *line;
  guint lane;
} Lane;

static Lane lanes[LANES];

static gint64
read_clock (gpointer user)
{
  return ((Line *) user)->now;
}

/* Asked for when a piece has been measured. */
static gint64
read_decider_clock (gpointer user)
{
  Line *line = ((Lane *) user)->line;

  line->now += line->pause;
  line->pause = 0;
  return line->now;
}

/* All that was posted before the piece was due has been read. */
static void
check_looks (const Line * line, guint lane, const LinePiece * piece, gint64 due)
{
  for (guint i = 0; i < CUPS * VIEWS; i++) {
    const gint64 posted =
        line->posted[lane][piece->piece + i / VIEWS][i % VIEWS];

    expect (piece->looks[i].data || posted >= due, "lane %u, piece %u decided "
        "without a look that was posted %d us before it was due", lane,
        (guint) piece->piece, (gint) ((due - posted) / 1000));
  }
}

/* Of the look that was read last, which says when its tensor came. */
static void
check_latency (const Line * line, const LineDecision * decision)
{
  const gint64 tensor_us[] = { 3000, 7000 };
  const LinePiece *piece = decision->piece;
  const LineLook *last = NULL;

  for (guint i = 0; i < CUPS * VIEWS; i++)
    if (piece->looks[i].data && (!last || piece->looks[i].time > last->time))
      last = &piece->looks[i];
  if (!last)
    return;
  const LineSeen *seen = last->data;
  expect (decision->to_tensor == tensor_us[0]
      || decision->to_tensor == tensor_us[1], "%" G_GINT64_FORMAT " us to its "
      "tensor", decision->to_tensor);
  expect (ABS (decision->to_tensor + decision->to_shapes
          + decision->to_decision - (line->now - seen->trigger_time) / 1000)
      <= 3, "%" G_GINT64_FORMAT " us to its shapes", decision->to_shapes);
}

static void
append_decision (GString * decisions, const LineDecision * decision)
{
  g_string_append_printf (decisions, "%s %" G_GUINT64_FORMAT " at %"
      G_GINT64_FORMAT ": outlet %u, %s, %u looks%s%s\n", decision->lane,
      decision->piece->piece, decision->piece->trigger_time,
      decision->outcome->outlet, line_status_names[decision->outcome->status],
      decision->piece->n_looks, decision->lot ? ", lot " : "",
      decision->lot ? decision->lot : "");
}

static void
decided (const LineDecision * decision, gpointer user)
{
  const Lane *own = user;
  Line *line = own->line;
  const LinePiece *piece = decision->piece;
  const gint64 came = line->came[own->lane][piece->piece + CUPS - 1];
  const gboolean is_late = line->now > came + DEADLINE;

  expect (piece->piece == line->n_decided[own->lane], "piece %u for %u",
      (guint) piece->piece, line->n_decided[own->lane]);
  line->n_decided[own->lane]++;
  line->n_late += is_late;
  expect (piece->trigger_time == came, "its trigger's time");
  expect ((decision->outcome->status == LINE_STATUS_LATE) == is_late,
      "decided after %d us: %s", (gint) ((line->now - came) / 1000),
      line_status_names[decision->outcome->status]);
  expect (piece->n_looks >= 2 || decision->outcome->outlet == 9,
      "too few looks for an outlet");
  check_looks (line, own->lane, piece, came + DUE);
  check_latency (line, decision);
  append_decision (line->decisions, decision);
}

static void
handled (guint lane, const LineEvent * event, gpointer user)
{
  Line *line = user;
  g_autoptr (GBytes) bytes = line_recording_encode (event);
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  expect (event->time >= line->last_time[lane], "back in time");
  line->last_time[lane] = event->time;
  g_byte_array_append (line->events[lane], data, size);
}

static void
open_line (Line * line)
{
  LineDecider *deciders[LANES];
  GError *error = NULL;

  memset (line, 0, sizeof (*line));
  line->config = line_config_parse ("line.ini", config_text,
      strlen (config_text), &error);
  g_assert_no_error (error);
  line->recipe = line_recipe_parse ("r.ini", recipe_text,
      strlen (recipe_text), &error);
  g_assert_no_error (error);
  line->other = line_recipe_parse ("r.ini", other_text, strlen (other_text),
      &error);
  g_assert_no_error (error);
  line->queue = line_event_queue_new (CAPACITY);
  line->now = 1000 * MS;
  line->decisions = g_string_new (NULL);
  for (guint i = 0; i < LANES; i++) {
    g_autoptr (GBytes) head = line_recording_head ();
    gsize size;
    const guint8 *data = g_bytes_get_data (head, &size);

    line->events[i] = g_byte_array_new ();
    g_byte_array_append (line->events[i], data, size);
    lanes[i] = (Lane) {line, i};
    deciders[i] = line_decider_new (LINE_RULES_2, line->config, &g_array_index
        (line->config->lanes, LineLaneConfig, i), line->recipe,
        read_decider_clock, decided, &lanes[i]);
    for (guint t = 0; t < MAX_TRIGGERS; t++)
      for (guint v = 0; v < VIEWS; v++)
        line->posted[i][t][v] = NEVER;
  }
  line->deciders = line_deciders_new (deciders, LANES, line->queue, read_clock,
      handled, line);
}

static void
close_line (Line * line)
{
  line_deciders_free (line->deciders);
  line_event_queue_free (line->queue);
  for (guint i = 0; i < LANES; i++)
    g_byte_array_unref (line->events[i]);
  g_string_free (line->decisions, TRUE);
  line_recipe_unref (line->recipe);
  line_recipe_unref (line->other);
  line_config_free (line->config);
}

static void
post_trigger (Line * line, guint lane, gint64 came)
{
  const guint t = line->n_triggers[lane]++;
  LineEvent event = {.type = LINE_EVENT_TRIGGER,.lane = lane,.came = came };

  line->came[lane][t] = came;
  if (t > 0 && came <= line->came[lane][t - 1])
    line->came[lane][t] = line->came[lane][t - 1] + 1;
  line_event_queue_post (line->queue, &event);
}

static LineSeen *
see_nothing (void)
{
  LineSeen *seen = g_new0 (LineSeen, 1);

  seen->view.contours = g_new (LineContour, 1);
  seen->view.points = g_new (LinePoint, 1);
  return seen;
}

static void
post_look (Line * line, guint lane, guint trigger, guint view)
{
  LineEvent event = {.type = LINE_EVENT_LOOK,.lane = lane,.trigger = trigger,
    .view = view,.seen = see_nothing ()
  };

  event.seen->trigger_time = line->came[lane][trigger];
  event.seen->tensor_time = event.seen->trigger_time + (3 + 4 * view) * MS;
  line->posted[lane][trigger][view] = line->now;
  line_event_queue_post (line->queue, &event);
}

static void
post_looks (Line * line, guint lane, guint trigger)
{
  for (guint v = 0; v < VIEWS; v++)
    post_look (line, lane, trigger, v);
}

/* Never waits. */
static void
work (Line * line)
{
  line_deciders_work (line->deciders, 0);
}

static void
work_off (Line * line)
{
  while (line_event_queue_count (line->queue) > 0)
    work (line);
  work (line);
}

/* Cases */

CHECK (waiting_trigger)
{
  g_autofree Line *line = g_new (Line, 1);

  begin ("triggers that waited for 1.4 seconds");
  open_line (line);
  for (guint t = 0; t < 3; t++) {
    post_trigger (line, 0, line->now);
    post_looks (line, 0, t);
    /* the second and the third come at the same time */
    line->now += t == 0 ? 100 * MS : 0;
  }
  line->now += 1400 * MS;
  work_off (line);
  expect (line->n_decided[0] == 2 && line->n_late == 2, "%u of %u are late",
      line->n_late, line->n_decided[0]);
  close_line (line);
  end ();
}

/* When all is due, but not late yet: the older rules decide without the looks
 * that are behind the trigger in the queue. */
CHECK (unread_looks)
{
  g_autofree Line *line = g_new (Line, 1);

  begin ("looks that came in time, and were read late");
  open_line (line);
  post_trigger (line, 0, line->now - 100 * MS);
  post_looks (line, 0, 0);
  work_off (line);
  post_trigger (line, 0, line->now);
  line->now += 10 * MS;
  post_looks (line, 0, 1);
  post_trigger (line, 0, line->now);
  line->now += 37 * MS;
  work (line);
  expect (line->n_decided[0] == 0, "decided before its looks were read");
  work_off (line);
  expect (line->n_decided[0] == 1 && line->n_late == 0, "in time");
  expect (strstr (line->decisions->str, "4 looks") != NULL, "%s",
      line->decisions->str);
  /* one whose looks do not come is decided by time alone */
  work (line);
  expect (line->n_decided[0] == 1, "too early");
  line->now += 46 * MS;
  work (line);
  expect (line->n_decided[0] == 2, "due");
  close_line (line);
  end ();
}

/* The other lane's events never end. */
CHECK (flood)
{
  g_autofree Line *line = g_new (Line, 1);
  guint n = 0;

  begin ("a flood of events");
  open_line (line);
  post_trigger (line, 0, line->now - 10 * MS);
  post_trigger (line, 0, line->now);
  post_trigger (line, 1, line->now);
  work_off (line);
  line->now += 60 * MS;
  for (guint i = 0; i < CAPACITY - 1; i++)
    post_look (line, 1, 0, 0);
  for (; line->n_decided[0] == 0 && n < 100 * CAPACITY; n++) {
    post_look (line, 1, 0, 0);
    work (line);
  }
  expect (n <= 2 * CAPACITY, "decided after %u events", n);
  expect (line_deciders_get_counts (line->deciders, 1).refused > 0, "a flood");
  close_line (line);
  end ();
}

CHECK (pause)
{
  g_autofree Line *line = g_new (Line, 1);

  begin ("a process that stands still while it measures a piece");
  open_line (line);
  for (guint t = 0; t < 3; t++) {
    post_trigger (line, 0, line->now);
    post_looks (line, 0, t);
    line->now += 1 * MS;
  }
  line->pause = 1200 * MS;
  work_off (line);
  expect (line->n_decided[0] == 2 && line->n_late == 2, "%u of %u are late",
      line->n_late, line->n_decided[0]);
  close_line (line);
  end ();
}

/* Random events, and what was recorded of them */

static void
replayed (const LineDecision * decision, gpointer user)
{
  append_decision (user, decision);
}

/* Returns: what the events of a lane decide */
static GString *
replay (const Line * line, guint lane)
{
  FILE *file = fmemopen (line->events[lane]->data, line->events[lane]->len,
      "rb");
  LineRecording *recording = line_recording_open (file, "events", NULL);
  GString *decisions = g_string_new (NULL);
  LineDecider *decider = line_decider_new (line_recording_get_rules (recording),
      line->config, &g_array_index (line->config->lanes, LineLaneConfig, lane),
      line->recipe, NULL, replayed, decisions);
  g_autoptr (GError) error = NULL;
  LineEvent event;
  char hash[65];

  while (line_recording_next (recording, &event, hash, &error)) {
    if (event.type == LINE_EVENT_RECIPE)
      event.recipe = line_recipe_ref (strcmp (hash, line->other->hash) == 0 ?
          line->other : line->recipe);
    line_decider_handle (decider, &event);
  }
  expect (!error, "%s", error ? error->message : "");
  line_decider_free (decider);
  line_recording_close (recording);
  return decisions;
}

static void
compare_replay (const Line * line)
{
  for (guint i = 0; i < LANES; i++) {
    const char *name = g_array_index (line->config->lanes, LineLaneConfig,
        i).name;
    g_autoptr (GString) mine = g_string_new (NULL), again = replay (line, i);
    char **lines = g_strsplit (line->decisions->str, "\n", -1);

    for (guint n = 0; lines[n]; n++)
      if (g_str_has_prefix (lines[n], name))
        g_string_append_printf (mine, "%s\n", lines[n]);
    expect (strcmp (mine->str, again->str) == 0, "decided\n%sreplayed\n%s",
        mine->str, again->str);
    g_strfreev (lines);
  }
}

/* What waits for its piece */

static void
post_recipe (Line * line, guint lane, LineRecipe * recipe, guint64 from)
{
  const LineEvent event = {.type = LINE_EVENT_RECIPE,.lane = lane,
    .recipe = line_recipe_ref (recipe),.trigger = from
  };

  line_event_queue_post (line->queue, &event);
}

static void
post_lot (Line * line, guint lane, const char *name, guint64 from)
{
  const LineEvent event = {.type = LINE_EVENT_LOT,.lane = lane,
    .lot = name ? g_ref_string_new (name) : NULL,.trigger = from
  };

  line_event_queue_post (line->queue, &event);
}

static void
run_pieces (Line * line, guint n)
{
  for (guint i = 0; i < n; i++) {
    for (guint lane = 0; lane < LANES; lane++) {
      const guint t = line->n_triggers[lane];

      post_trigger (line, lane, line->now);
      post_looks (line, lane, t);
    }
    work_off (line);
    line->now += 10 * MS;
  }
}

/* A lane, its pieces from @first on, and what is said of each. */
static void
expect_pieces (const Line * line, const char *lane, guint first, guint n,
    const char *what)
{
  for (guint i = 0; i < n; i++) {
    g_autofree char *begin = g_strdup_printf ("%s %u at ", lane, first + i);
    const char *at = strstr (line->decisions->str, begin);
    g_autofree char *said = at ? g_strndup (at, strcspn (at, "\n")) : NULL;

    expect (said && strstr (said, what) && g_str_has_suffix (said, what),
        "%s, not %s", said, what);
  }
}

CHECK (pieces_that_are_waited_for)
{
  g_autofree Line *line = g_new (Line, 1);
  const char *first = "outlet 0, ok, 4 looks", *other = "outlet 4, ok, 4 looks";

  begin ("recipes and lots from a piece on");
  open_line (line);
  run_pieces (line, 3);
  /* all in one queue: b's at once, a's from piece 5 on, which the second one
   * puts off */
  post_recipe (line, 1, line->other, 0);
  post_recipe (line, 0, line->other, 4);
  post_recipe (line, 0, line->other, 5);
  post_lot (line, 0, "L1", 3);
  post_lot (line, 1, "L1", 6);
  run_pieces (line, 4);
  post_lot (line, 0, NULL, 8);
  post_recipe (line, 1, line->recipe, 2);
  /* what is said now takes the place of what waits */
  post_recipe (line, 0, line->recipe, 12);
  post_recipe (line, 0, line->recipe, 0);
  run_pieces (line, 8);
  expect (line->n_decided[0] == 14 && line->n_decided[1] == 14, "%u and %u",
      line->n_decided[0], line->n_decided[1]);
  expect_pieces (line, "a", 0, 3, first);
  expect_pieces (line, "a", 3, 2, "outlet 0, ok, 4 looks, lot L1");
  expect_pieces (line, "a", 5, 1, "outlet 4, ok, 4 looks, lot L1");
  expect_pieces (line, "a", 6, 2, "outlet 0, ok, 4 looks, lot L1");
  expect_pieces (line, "a", 8, 6, first);
  expect_pieces (line, "b", 0, 2, first);
  expect_pieces (line, "b", 2, 4, other);
  expect_pieces (line, "b", 6, 8, "outlet 0, ok, 4 looks, lot L1");
  compare_replay (line);
  close_line (line);
  end ();
}

/* What is asked for while the next piece is the one that something waits for does
 * not take that piece away. */
CHECK (pieces_that_come_next)
{
  g_autofree Line *line = g_new (Line, 1);

  begin ("another lot and recipe, just before the piece that one waits for");
  open_line (line);
  run_pieces (line, 3);
  post_lot (line, 0, "L1", 3);
  post_recipe (line, 0, line->other, 3);
  run_pieces (line, 1);
  expect (line->n_decided[0] == 3, "%u", line->n_decided[0]);
  post_lot (line, 0, "L2", 5);
  post_recipe (line, 0, line->recipe, 6);
  run_pieces (line, 5);
  expect_pieces (line, "a", 0, 3, "outlet 0, ok, 4 looks");
  expect_pieces (line, "a", 3, 2, "outlet 4, ok, 4 looks, lot L1");
  expect_pieces (line, "a", 5, 1, "outlet 4, ok, 4 looks, lot L2");
  expect_pieces (line, "a", 6, 2, "outlet 0, ok, 4 looks, lot L2");
  compare_replay (line);
  close_line (line);
  end ();
}

static void
do_something (Line * line, guint64 * random)
{
  const guint lane = random_below (random, LANES);
  const guint what = random_below (random, 12), n = line->n_triggers[lane];
  const guint back = random_below (random, 4), v = random_below (random, VIEWS);

  if (line_event_queue_count (line->queue) == CAPACITY)
    work (line);
  if (what < 2 && n < MAX_TRIGGERS)
    post_trigger (line, lane, line->now - random_below (random, 20) * MS);
  else if (what < 8 && n > back
      && line->posted[lane][n - 1 - back][v] == NEVER)
    post_look (line, lane, n - 1 - back, v);
  else
    for (guint i = random_below (random, 6); i > 0; i--)
      work (line);
}

static guint n_pieces, n_late;

static void
check_random (guint64 seed)
{
  g_autofree Line *line = g_new (Line, 1);
  guint64 random = seed;

  begin ("random events and pauses, seed %u", (guint) seed);
  open_line (line);
  for (guint i = 0; i < 2000; i++) {
    line->now += random_below (&random, 4) * MS / 2;
    if (random_below (&random, 150) == 0)
      line->now += random_below (&random, 500) * MS;
    if (random_below (&random, 50) == 0)
      line->pause = random_below (&random, 100) * MS;
    do_something (line, &random);
  }
  line->now += 1000 * MS;
  work_off (line);
  for (guint i = 0; i < LANES; i++)
    expect (line->n_decided[i] + CUPS - 1 == line->n_triggers[i], "%u of %u",
        line->n_decided[i], line->n_triggers[i]);
  n_pieces += line->n_decided[0] + line->n_decided[1];
  n_late += line->n_late;
  compare_replay (line);
  close_line (line);
  end ();
}

int
main (void)
{
  run_checks ();
  for (guint64 seed = 1; seed <= 60; seed++)
    check_random (seed);
  check_that (n_late > 200 && n_pieces - n_late > 200, "%u of %u pieces late",
      n_late, n_pieces);
  return finish ();
}
