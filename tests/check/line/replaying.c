/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Recorded runs of two lanes, made here of squares whose length decides where a
 * piece goes, are replayed: as they are, edited, with other recipes, and
 * damaged. */

#include "check.h"
#include "checks.h"
#include "decider.h"
#include "recording.h"
#include "replay.h"
#include "replay_main.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#define TRIGGERS 30
#define PIECES (TRIGGERS - 1)
#define MS 1000000

static const char config_text[] =
    "[line]\nname=test\nrecipe=r.ini\noutput=out\ndeadline-ms=50\n[geometry]\n"
    "columns=256\nrows=96\nmm-per-pixel=0.5\ncups=2\ncup-first=51\n"
    "cup-pitch=102\ntilt=0;0\n[lane lane1]\nsource=simulate\n[lane lane2]\n"
    "source=replay\nlocation=tensors\n";

/* From trigger CHANGE on, the second. */
#define CHANGE 15
static const char recipe_format[] =
    "[recipe]\nname=test\nclasses=belt;skin;rot;scar\nfruit=skin;rot;scar\n"
    "defects=rot;scar\nundecided-outlet=9\nlevel=0.5\nclass-level=0.3\n"
    "min-area=1\n[limits few]\nrot-length-mm=%s\n"
    "[rule good]\noutlet=1\nlimits=few\n[rule rest]\noutlet=8\n";
static const char *const limits[] = { "6.9", "8" };

/* The length of a piece's rot, in pixels of 0.5 mm. */
static guint
get_length (guint64 piece)
{
  return 10 + piece % 10;
}

static guint
get_outlet (guint64 piece, gdouble limit)
{
  return get_length (piece) * 0.5 <= limit ? 1 : 8;
}

/* In place of GLib's, as the line's own arrays ask for it. */
static gboolean is_out_of_memory;

gpointer
g_try_realloc_n (gpointer data, gsize n, gsize size)
{
  return is_out_of_memory ? NULL : g_try_realloc (data, n * size);
}

/* The folder of a recording */

static char *folder;

static char *
name_file (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

static void
write_bytes (const char *name, const void *data, gsize size)
{
  g_autofree char *path = name_file (name);

  if (!g_file_set_contents (path, data, size, NULL))
    g_error ("%s cannot be written", path);
}

static char *
read_bytes (const char *name, gsize * size)
{
  char *path = name_file (name), *data = NULL;

  g_file_get_contents (path, &data, size, NULL);
  g_assert (data);
  g_free (path);
  return data;
}

static void
remove_files (void)
{
  g_autoptr (GDir) files = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (files))) {
    g_autofree char *path = name_file (name);

    g_remove (path);
  }
}

/* A run that is recorded */

typedef struct
{
  LineConfig *config;
  LineRecipe *recipes[2];
  LineDecider *deciders[2];
  GByteArray *events[2];
  /* where each lane's last event is */
  guint last[2];
  GString *decisions;
  gint64 now;
} Run;

/* So that latencies are not 0. */
static gint64
read_clock (gpointer user)
{
  return ((Run *) user)->now + 3 * MS;
}

/* Reasons of decisions, and those of them that are gone */
static guint n_reasons, n_freed;

static void
free_reason (gpointer reason)
{
  n_freed++;
  g_free (reason);
}

static void
write_decision (const LineDecision * decision, gpointer user)
{
  g_autofree char *json = line_decision_to_json (decision);

  n_reasons += decision->outcome->reasons->len;
  g_ptr_array_set_free_func (decision->outcome->reasons, free_reason);
  g_string_append (((Run *) user)->decisions, json);
}

static void
append (GByteArray * file, GBytes * bytes)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  g_byte_array_append (file, data, size);
  g_bytes_unref (bytes);
}

static void
post_one (Run * run, guint lane, LineEvent event)
{
  GBytes *bytes = line_recording_encode (&event);

  g_assert (bytes);
  run->last[lane] = run->events[lane]->len;
  run->now = event.time;
  append (run->events[lane], bytes);
  line_decider_handle (run->deciders[lane], &event);
}

/* What waits for nothing is decided at once. */
static void
post (Run * run, guint lane, LineEvent event)
{
  post_one (run, lane, event);
  while (line_decider_next_due (run->deciders[lane]) == G_MININT64)
    post_one (run, lane, (LineEvent) {LINE_EVENT_TICK,.time = event.time});
}

/* A square with the middle @x, 47. @length: its hull's */
static void
add_square (LineView * view, gint32 class_id, gdouble x, gdouble half,
    gdouble length)
{
  static const gint corners[5][2] =
      { {-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1} };
  const gsize i = view->n_contours++;

  view->contours[i] = (LineContour) {class_id, i, -1, FALSE, 4 * half * half,
    x - half, 47 - half, x + half, 47 + half, 5 * i, 5, length, length, x, 47
  };
  for (guint k = 0; k < 5; k++)
    view->points[5 * i + k] = (LinePoint) {x + corners[k][0] * half,
      47 + corners[k][1] * half
    };
}

/* Both cups: a square fruit of 30 mm, as large as a disc of 33.85, rot on it. */
static LineSeen *
make_seen (guint64 trigger, gint64 time)
{
  LineSeen *seen = g_new0 (LineSeen, 1);

  seen->trigger_time = time;
  seen->tensor_time = time + 2 * MS;
  seen->view.contours = g_new (LineContour, 6);
  seen->view.points = g_new (LinePoint, 30);
  for (guint cup = 0; cup < MIN (trigger + 1, 2); cup++) {
    const gdouble x = 51 + 102 * cup, length = get_length (trigger - cup);

    add_square (&seen->view, 4, x, 30, 60);
    add_square (&seen->view, 5, x, 4, length);
    add_square (&seen->view, 2, x, 4, length);
  }
  return seen;
}

/* Every fifth second view is lost in the second lane. The one of trigger CHANGE
 * does not come: a tick decides the piece that waits for it, in time, by the old
 * recipe, before the new one comes. */
static void
run_trigger (Run * run, guint lane, guint64 trigger)
{
  const gint64 time = (gint64) trigger * 100 * MS;

  post (run, lane, (LineEvent) {LINE_EVENT_TRIGGER,.time = time,.came = time});
  for (guint v = 0; v < 2; v++) {
    const gboolean is_lost = v == 1 && lane == 1 && trigger % 5 == 4;
    LineEvent look = {is_lost ? LINE_EVENT_LOST : LINE_EVENT_LOOK,
      .time = time + 10 * MS,.trigger = trigger,.view = v
    };

    if (v == 1 && trigger == CHANGE)
      continue;
    if (!is_lost)
      look.seen = make_seen (trigger, time);
    post (run, lane, look);
  }
  if (trigger == CHANGE) {
    post (run, lane, (LineEvent) {LINE_EVENT_TICK,.time = time + 46 * MS});
    post (run, lane, (LineEvent) {LINE_EVENT_RECIPE,.time = time + 46 * MS,
          .recipe = line_recipe_ref (run->recipes[1])});
  }
  post (run, lane, (LineEvent) {LINE_EVENT_TICK,.time = time + 60 * MS});
}

static void
open_run (Run * run)
{
  GError *error = NULL;

  *run = (Run) {line_config_parse ("line.ini", config_text,
        strlen (config_text), &error),.decisions = g_string_new (NULL)
  };
  g_assert_no_error (error);
  write_bytes ("line.ini", config_text, strlen (config_text));
  for (guint i = 0; i < 2; i++) {
    g_autofree char *text = g_strdup_printf (recipe_format, limits[i]);

    run->recipes[i] = line_recipe_parse ("r", text, strlen (text), &error);
    g_assert_no_error (error);
    char *name = g_strdup_printf ("recipe-%.12s.ini", run->recipes[i]->hash);
    write_bytes (name, text, strlen (text));
    g_free (name);
  }
  for (guint i = 0; i < 2; i++) {
    run->events[i] = g_byte_array_new ();
    append (run->events[i], line_recording_head ());
    run->deciders[i] = line_decider_new (LINE_RULES_2, run->config, &g_array_index
        (run->config->lanes, LineLaneConfig, i), run->recipes[0], read_clock,
        write_decision, run);
    post (run, i, (LineEvent) {LINE_EVENT_RECIPE,
          .recipe = line_recipe_ref (run->recipes[0])});
  }
}

static void
close_run (Run * run)
{
  write_bytes ("decisions.jsonl", run->decisions->str, run->decisions->len);
  for (guint i = 0; i < 2; i++) {
    write_bytes (i ? "lane2.events" : "lane1.events", run->events[i]->data,
        run->events[i]->len);
    line_decider_free (run->deciders[i]);
    line_recipe_unref (run->recipes[i]);
    g_byte_array_unref (run->events[i]);
  }
  g_string_free (run->decisions, TRUE);
  line_config_free (run->config);
}

/* Where the file of the first lane's events is without its last one. */
static guint whole_but_one;
static char recipe_names[2][24];

static void
make_recording (void)
{
  Run run;

  remove_files ();
  open_run (&run);
  for (guint t = 0; t < TRIGGERS; t++)
    for (guint lane = 0; lane < 2; lane++)
      run_trigger (&run, lane, t);
  for (guint lane = 0; lane < 2; lane++)
    post (&run, lane, (LineEvent) {LINE_EVENT_FINISH,
          .time = (gint64) TRIGGERS * 100 * MS});
  whole_but_one = run.last[0];
  for (guint i = 0; i < 2; i++)
    g_snprintf (recipe_names[i], sizeof (recipe_names[i]),
        "recipe-%.12s.ini", run.recipes[i]->hash);
  close_run (&run);
}

/* What is known of a piece for whose blemishes there was no memory is nothing. */
CHECK (memory)
{
  Run run;

  begin ("no memory for one piece's blemishes");
  open_run (&run);
  n_reasons = n_freed = 0;
  for (guint t = 0; t < 5; t++) {
    /* then piece t - 1 is decided */
    is_out_of_memory = t == 3;
    run_trigger (&run, 0, t);
  }
  is_out_of_memory = FALSE;
  char **decisions = g_strsplit (run.decisions->str, "\n", -1);
  expect (g_strv_length (decisions) == 5, "%s", run.decisions->str);
  for (guint i = 0; i < 4; i++) {
    g_autofree char *outlet = g_strdup_printf ("\"outlet\":%u,", i == 2 ? 9 :
        get_outlet (i, 6.9));

    expect (strstr (decisions[i], outlet) != NULL, "not %s%s", outlet,
        decisions[i]);
    expect (!strstr (decisions[i], "\"undecided\"") == (i != 2), "%s",
        decisions[i]);
  }
  expect (n_reasons >= 4 && n_freed == n_reasons, "%u of %u reasons are gone",
      n_freed, n_reasons);
  g_strfreev (decisions);
  close_run (&run);
  end ();
}

/* Replaying */

/* What is printed, or the error; to be freed. */
static char *
replay (const char *recipe, LineReplayResult * result)
{
  g_autoptr (GError) error = NULL;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream (&text, &size);
  const gboolean good = line_replay (folder, recipe, out, result, &error);

  fclose (out);
  expect (good == !error, "an error or a result");
  char *told = g_strdup (good ? text : error->message);
  free (text);
  return told;
}

static int
get_status (const char *recipe)
{
  char *argv[] = { (char *) "replay", folder, (char *) "--recipe",
    (char *) recipe, NULL
  };

  return line_replay_main (recipe ? 4 : 2, argv);
}

/* All of @texts, up to a NULL, must be printed. */
static void
check_replay (const char *what, const char *recipe, int status,
    LineReplayResult wanted, const char *const *texts)
{
  LineReplayResult result;
  g_autofree char *told = replay (recipe, &result);
  const int seen = get_status (recipe);

  begin ("%s", what);
  expect (seen == status, "status %d for %d", seen, status);
  for (guint i = 0; texts[i]; i++)
    expect (strstr (told, texts[i]) != NULL, "%s in %s", texts[i], told);
  if (status != 2)
    expect (memcmp (&result, &wanted, sizeof (result)) == 0, "%d pieces, %d "
        "different, %d moved, %d later", (int) result.pieces,
        (int) result.different, (int) result.moved, (int) result.later);
  end ();
}

#define TEXTS(...) ((const char *const[]) { __VA_ARGS__, NULL })

/* In a line of decisions.jsonl, of @lane and @piece; without @to the line is
 * taken out. */
static void
edit (const char *lane, guint piece, const char *from, const char *to)
{
  g_autofree char *text = read_bytes ("decisions.jsonl", NULL);
  char **lines = g_strsplit (text, "\n", -1);
  char *key = g_strdup_printf ("\"lane\":\"%s\",\"piece\":%u,", lane, piece);
  g_autoptr (GString) edited = g_string_new (NULL);

  for (guint i = 0; lines[i] && *lines[i]; i++) {
    const gboolean is_it = strstr (lines[i], key) != NULL;
    char **parts = g_strsplit (lines[i], is_it && to ? from : "\n", 2);

    if (!is_it)
      g_string_append_printf (edited, "%s\n", lines[i]);
    else if (to)
      g_string_append_printf (edited, "%s%s%s\n", parts[0], to, parts[1]);
    g_strfreev (parts);
  }
  write_bytes ("decisions.jsonl", edited->str, edited->len);
  g_strfreev (lines);
  g_free (key);
}

/* A recipe with another limit, and with @from replaced. */
static char *
write_recipe (const char *limit, const char *from, const char *to)
{
  g_autofree char *text = g_strdup_printf (recipe_format, limit);
  char **parts = g_strsplit (text, from, 2);
  char *changed = g_strconcat (parts[0], parts[1] ? to : NULL, parts[1], NULL);

  write_bytes ("other.ini", changed, strlen (changed));
  g_free (changed);
  g_strfreev (parts);
  return name_file ("other.ini");
}

CHECK (same)
{
  make_recording ();
  check_replay ("as it was", NULL, 0, (LineReplayResult) {2 * PIECES},
      TEXTS ("58 pieces, 0 differ, 0 go to another outlet"));
  g_autofree char *decisions = read_bytes ("decisions.jsonl", NULL);
  char **lines = g_strsplit (decisions, "\n", -1);
  begin ("what was recorded");
  for (guint i = 0; i < 2 * PIECES; i++) {
    const guint piece = i / 2;
    const guint outlet = get_outlet (piece, piece < CHANGE ? 6.9 : 8);
    g_autofree char *wanted = g_strdup_printf ("\"outlet\":%u,", outlet);

    expect (strstr (lines[i], wanted) != NULL, "piece %u: %s", piece, lines[i]);
    expect (strstr (lines[i], "\"to_decision\":0") == NULL, "latencies");
  }
  expect (strstr (lines[2 * CHANGE - 2], "\"partial\"") != NULL, "in time");
  expect (strstr (lines[2 * CHANGE], "\"late\"") != NULL, "by the tick");
  end ();
  g_strfreev (lines);
}

CHECK (edited)
{
  make_recording ();
  edit ("lane1", 3, "\"software\":\"", "\"software\":7,\"then\":\"");
  check_replay ("software that is a number", NULL, 1,
      (LineReplayResult) {2 * PIECES, 1},
      TEXTS ("recorded by version ?, replayed by", "lane1 piece 3: then "));
  make_recording ();
  edit ("lane1", 3, "\"software\":\"", "\"software\":\"before ");
  check_replay ("other software", NULL, 0, (LineReplayResult) {2 * PIECES},
      TEXTS ("recorded by version before ", "58 pieces, 0 differ"));
  edit ("lane1", 7, "\"outlet\":8", "\"outlet\":5");
  edit ("lane2", 9, "\"diameter_mm\":33.85", "\"diameter_mm\":33.25");
  edit ("lane1", 6, "\"few.rot-length-mm\"", "\"few.rot-mm2\"");
  edit ("lane2", 4, "\"rest\"", "\"end\"");
  edit ("lane2", 11, "\"max_length_mm\":5.50", "\"max_length_mm\":5");
  check_replay ("edited", NULL, 1, (LineReplayResult) {2 * PIECES, 5, 1},
      TEXTS ("lane1 piece 7: outlet 5 -> 8 (by \"rest\")\n"
          /* before all others */
          "lane2 piece 4: outlet 8 as before (by \"rest\")\n"
          "lane1 piece 6: outlet 8 as before (few.rot-length-mm)\n",
          "lane2 piece 9: diameter_mm 33.25 -> 33.85\n",
          "lane2 piece 11: classes.rot.max_length_mm 5 -> 5.5\n",
          "               5       8\n       5       0       1\n"
          "       8       0      23\n",
          "58 pieces, 5 differ, 1 go to another outlet\n"));
  make_recording ();
  edit ("lane1", 0, NULL, NULL);
  edit ("lane2", PIECES - 1, NULL, NULL);
  edit ("lane1", PIECES - 1, "\"piece\":28", "\"piece\":29");
  check_replay ("pieces that are not there", NULL, 1,
      (LineReplayResult) {2 * PIECES + 1, 4}, TEXTS
      ("lane1 piece 0: decided now, but not recorded",
          "lane1 piece 28: decided now, but not recorded",
          "lane1 piece 29: recorded, but not decided now",
          "lane2 piece 28: decided now, but not recorded"));
}

/* Pieces that a recipe with the limit @text, which is @limit, moves. */
static void
check_recipe (gdouble limit, const char *text)
{
  LineReplayResult wanted = { 2 * PIECES };
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);

  make_recording ();
  g_autofree char *recipe = write_recipe (text, "name=test", "name=other");
  for (guint piece = 0; piece < PIECES; piece++) {
    const guint from = get_outlet (piece, piece < CHANGE ? 6.9 : 8);
    const guint to = get_outlet (piece, limit);

    wanted.different += from == to ? 0 : 2;
    if (from != to && wanted.different <= 20)
      g_ptr_array_add (texts, g_strdup_printf ("lane1 piece %u: outlet %u -> %u"
              " (%sfew.rot-length-mm)\n", piece, from, to,
              to == 8 ? "" : "no longer "));
  }
  wanted.moved = wanted.different;
  if (wanted.different > 20)
    g_ptr_array_add (texts, g_strdup_printf ("\nand %d more\n",
            (int) wanted.different - 20));
  g_ptr_array_add (texts, NULL);
  begin ("the limit %s moves pieces", text);
  expect (wanted.moved > 0 && wanted.moved < 2 * PIECES, "%d",
      (int) wanted.moved);
  end ();
  check_replay (text, recipe, 1, wanted,
      (const char *const *) texts->pdata);
}

CHECK (refused)
{
  static const char *const changes[][3] = {
    {"level=0.5", "level=0.6", "\"level\""},
    {"class-level=0.3", "class-level=0.2", "\"class-level\""},
    {"min-area=1", "min-area=2", "\"min-area\""},
    {"belt;skin", "tray;skin", "\"classes\""},
    {"fruit=skin;rot", "fruit=rot", "\"fruit\""},
    {"defects=rot;scar", "defects=rot", "\"defects\""},
    {"level=0.5", "level=5", "other.ini:7: \"level\" is 5"},
  };

  make_recording ();
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    g_autofree char *recipe = write_recipe ("5", changes[i][0], changes[i][1]);

    check_replay (changes[i][1], recipe, 2, (LineReplayResult) {0},
        TEXTS ("other.ini", changes[i][2]));
  }
  check_replay ("no recipe", "missing.ini", 2, (LineReplayResult) {0},
      TEXTS ("missing.ini"));
}

/* A file of a new recording has only @size bytes, at most all but the last one;
 * it is not there if that is 0. */
static void
check_damaged (const char *name, gsize size, const char *const *texts)
{
  gsize whole;
  g_autofree char *path = name_file (name);

  make_recording ();
  g_autofree char *data = read_bytes (name, &whole);
  if (size)
    write_bytes (name, data, MIN (size, whole - 1));
  else
    g_remove (path);
  check_replay (name, NULL, 2, (LineReplayResult) {0}, texts);
}

/* In place of the lane's end there is a look with a turn for each of 3 cups. */
CHECK (turns)
{
  LineEvent look = {.type = LINE_EVENT_LOOK,
    .time = (gint64) TRIGGERS * 100 * MS,.trigger = CHANGE,.view = 1,
    .seen = make_seen (CHANGE, 0)
  };
  g_autoptr (GByteArray) file = g_byte_array_new ();

  make_recording ();
  g_autofree char *data = read_bytes ("lane1.events", NULL);
  g_byte_array_append (file, (const guint8 *) data, whole_but_one);
  look.seen->view.turns = g_new0 (gfloat, 3);
  look.seen->view.n_turns = 3;
  append (file, line_recording_encode (&look));
  write_bytes ("lane1.events", file->data, file->len);
  g_autofree char *error =
      g_strdup_printf ("lane1.events: byte %u: a look has 3 turns; line.ini "
      "has 2 cups", whole_but_one);
  check_replay ("turns of other cups", NULL, 2, (LineReplayResult) {0},
      TEXTS (error));
  line_event_clear (&look);
}

CHECK (trouble)
{
  static const struct
  {
    const char *from, *to, *says;
  } changes[] = {
    {"\"lane\":\"lane1\"", "\"lane\":1",
        "decisions.jsonl:15: \"lane\" is none of"},
    {"\"piece\":7", "\"piece\":\"7\"",
        "decisions.jsonl:15: \"piece\" must be a number"},
    {"\"piece\":7", "\"piece\":-7",
        "decisions.jsonl:15: \"piece\" must be a number"},
    {"\"outlet\":8", "\"outlet\":-8", "decisions.jsonl:15: \"outlet\""},
    {"\"outlet\":8", "\"outlet\":8.5", "decisions.jsonl:15: \"outlet\""},
  };

  check_damaged ("line.ini", 0, TEXTS ("line.ini is not there: the folder must "
          "be that of a run that was recorded"));
  check_damaged ("lane2.events", 0, TEXTS ("lane2.events: No such file"));
  check_damaged ("lane2.events", G_MAXSIZE, TEXTS ("lane2.events: byte ",
          "it was cut off"));
  check_damaged ("lane2.events", 5, TEXTS ("lane2.events: byte 0",
          "it was cut off"));
  check_damaged ("decisions.jsonl", 0, TEXTS ("decisions.jsonl: No such file"));
  check_damaged ("decisions.jsonl", G_MAXSIZE, TEXTS ("decisions.jsonl:58: ",
          "cut off"));
  check_damaged (recipe_names[0], 0, TEXTS (recipe_names[0], "No such file"));
  check_damaged (recipe_names[1], 0, TEXTS (recipe_names[1], "No such file"));
  check_damaged (recipe_names[1], G_MAXSIZE, TEXTS (recipe_names[1],
          "the file was changed"));
  make_recording ();
  edit ("lane1", 7, "\"lane1\"", "\"lane3\"");
  check_replay ("an unknown lane", NULL, 2, (LineReplayResult) {0},
      TEXTS ("decisions.jsonl:15: \"lane\""));
  make_recording ();
  edit ("lane1", 7, "\"piece\":7", "\"piece\":6");
  check_replay ("a piece twice", NULL, 2, (LineReplayResult) {0},
      TEXTS ("decisions.jsonl:15: piece 6 of lane1"));
  make_recording ();
  edit ("lane1", 7, "\"outlet\":8", "\"outlet\":65536");
  check_replay ("an outlet too great", NULL, 2, (LineReplayResult) {0},
      TEXTS ("decisions.jsonl:15: \"outlet\""));
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    make_recording ();
    edit ("lane1", 7, changes[i].from, changes[i].to);
    check_replay (changes[i].to, NULL, 2, (LineReplayResult) {0},
        TEXTS (changes[i].says));
  }
}

/* A file of a new recording is a pipe, or leads to a device. */
static void
check_endless (const char *name, const char *text)
{
  g_autofree char *path = name_file (name);

  make_recording ();
  g_remove (path);
  g_assert (mkfifo (path, 0600) == 0);
  check_replay ("a pipe", NULL, 2, (LineReplayResult) {0},
      TEXTS (name, text));
  g_remove (path);
  g_assert (symlink ("/dev/zero", path) == 0);
  check_replay ("a device", NULL, 2, (LineReplayResult) {0},
      TEXTS (name, text));
  g_remove (path);
  g_assert (g_mkdir (path, 0700) == 0);
  check_replay ("a folder", NULL, 2, (LineReplayResult) {0},
      TEXTS (name, text));
  g_rmdir (path);
}

/* A line without an end, of a file that needs no room. */
CHECK (long)
{
  g_autofree char *path = name_file ("decisions.jsonl");

  make_recording ();
  g_assert (truncate (path, 1 << 30) == 0);
  check_replay ("a long line", NULL, 2, (LineReplayResult) {0},
      TEXTS ("decisions.jsonl:59: it is longer than any decision"));
}

/* What is told has no character that a terminal obeys, and is short. */
static void
check_plain (const char *what, int status, const char *text)
{
  LineReplayResult result;
  g_autofree char *told = replay (NULL, &result);

  begin ("%s", what);
  expect (get_status (NULL) == status, "another status");
  expect (strstr (told, text) != NULL, "%s in %s", text, told);
  expect (g_utf8_validate (told, -1, NULL), "no UTF-8");
  expect (strlen (told) < 5000, "%" G_GSIZE_FORMAT " bytes", strlen (told));
  for (const char *at = told; *at; at++)
    expect (!g_ascii_iscntrl (*at) || *at == '\n', "a character %d", *at);
  end ();
}

CHECK (hostile)
{
  g_autofree char *much = g_strnfill (100000, 'x');
  g_autofree char *version = g_strconcat ("\"software\":\"", much, NULL);
  char *member = g_strconcat ("\"", much, "\":1,\"software\":\"", NULL);

  make_recording ();
  edit ("lane1", 3, "\"software\":\"", "\"software\":\"\\u001b]0;a\\u0007\\n");
  check_plain ("a version that a terminal obeys", 0, "recorded by version "
      "\357\277\275]0;a");
  make_recording ();
  edit ("lane1", 3, "\"software\":\"", version);
  check_plain ("a long version", 0, "xxx..., replayed by ");
  make_recording ();
  edit ("lane1", 3, "\"software\":\"", member);
  check_plain ("a long member", 1, "lane1 piece 3: xxx");
  make_recording ();
  edit ("lane1", 3, "\"software\":\"", "\"\\u001b[2J\":1,\"software\":\"");
  check_plain ("a member that a terminal obeys", 1, "lane1 piece 3: ");
  make_recording ();
  edit ("lane1", 3, "\"software\":", "\033[2J");
  check_plain ("no JSON", 2, "decisions.jsonl:7: not a line of JSON");
  make_recording ();
  edit ("lane1", 3, "\"software\":\"", "\"software\":\"\377\033");
  check_plain ("no UTF-8", 2, "decisions.jsonl:7: not a line of JSON");
  g_free (member);
}

CHECK (words)
{
  char *none[] = { (char *) "replay", NULL };
  char *unknown[] = { (char *) "replay", folder, (char *) "--recipes", NULL };

  check_that (line_replay_main (1, none) == 2, "no folder");
  check_that (line_replay_main (3, unknown) == 2, "an unknown option");
}

/* A lane's recording may have no end: it was killed, or its disk was full. */
CHECK (unfinished)
{
  gsize size;

  make_recording ();
  g_autofree char *data = read_bytes ("lane1.events", &size);
  write_bytes ("lane1.events", data, whole_but_one);
  check_replay ("without its end", NULL, 0, (LineReplayResult) {2 * PIECES},
      TEXTS ("lane1: the recording ends before the lane's end: 0 later"));
  /* head, and the event of the recipe */
  write_bytes ("lane1.events", data, 8 + 24 + 64);
  check_replay ("without all", NULL, 0, (LineReplayResult) {PIECES, 0, 0,
        PIECES}, TEXTS ("lane1: the recording ends before the lane's end: 29"));
}

int
main (void)
{
  folder = g_dir_make_tmp ("line-replaying-XXXXXX", NULL);
  g_assert (folder);
  run_checks ();
  check_recipe (6.9, "6.9");
  check_recipe (8, "8");
  check_recipe (5, "5");
  check_endless ("decisions.jsonl", "only regular files are read");
  check_endless ("lane1.events", "only regular files are read");
  check_endless ("line.ini", "only regular files are read");
  check_endless (recipe_names[0], "only regular files are read");
  remove_files ();
  g_rmdir (folder);
  g_free (folder);
  return finish ();
}
