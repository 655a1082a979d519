/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Commands while a line runs: what is one, what is refused and why, what lanes
 * are told, what is in the log, and how a run goes on after one that ended
 * anywhere. What is in force is followed by the events that were posted. */

#include "check.h"
#include "checks.h"
#include "command_log.h"
#include "commander.h"

#include <string.h>
#include <sys/stat.h>

#include <glib/gstdio.h>

#define RECIPE "[recipe]\nname=a\nclasses=belt;skin;rot\nfruit=skin;rot\n" \
    "defects=rot\nundecided-outlet=9\n[rule rest]\noutlet="
#define CONFIG "[line]\nname=test\nrecipe=recipe.ini\nrecipes=recipes\n" \
    "output=out\ndeadline-ms=50\n[geometry]\ncolumns=200\nrows=100\n" \
    "mm-per-pixel=1\ncups=2\ncup-first=0\ncup-pitch=100\ntilt=0\n" \
    "[geometry b]\ncup-pitch=50\n" \
    "[lane a]\nsource=simulate\n[lane b]\nsource=simulate\n"
#define LANES 2
#define MOST 64

/* A line that runs: answers as they came, and what lanes were told last.
 * @next: of each lane */
typedef struct
{
  LineConfig *config;
  LineRecipe *recipe;
  LineEventQueue *queue;
  LineFolder *folder;
  LineLots *lots;
  LineCommander *commander;
  guint64 next[LANES];
  GMutex lock;
  GCond changed;
  guint n_answers;
  guint64 ids[MOST];
  char *whys[MOST], *in_force;
} Line;

static char *base;

static char *
find_path (const char *name)
{
  return g_build_filename (base, name, NULL);
}

static void
put (const char *name, const char *text)
{
  g_autofree char *path = find_path (name);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static guint64
find_next (guint lane, gpointer user)
{
  return ((Line *) user)->next[lane];
}

static void
answered (guint64 id, const char *why, const char *in_force, gpointer user,
    guint64 ticket)
{
  Line *line = user;

  g_mutex_lock (&line->lock);
  line->ids[ticket] = id;
  line->whys[ticket] = g_strdup (why);
  g_free (line->in_force);
  line->in_force = g_strdup (in_force);
  line->n_answers++;
  g_cond_broadcast (&line->changed);
  g_mutex_unlock (&line->lock);
}

static void
start (Line * line, guint64 first)
{
  g_autofree char *path = find_path ("line.ini");
  g_autofree char *out = find_path ("out");
  GError *error = NULL;

  memset (line, 0, sizeof (*line));
  g_mutex_init (&line->lock);
  g_cond_init (&line->changed);
  line->config = line_config_parse (path, CONFIG, strlen (CONFIG), &error);
  g_assert_no_error (error);
  line->recipe = line_recipe_parse ("first", RECIPE "8\n",
      strlen (RECIPE "8\n"), &error);
  g_assert_no_error (error);
  line->queue = line_event_queue_new (256);
  line->folder = line_folder_open (out, TRUE, &error);
  g_assert_no_error (error);
  line->lots = line_lots_new (line->folder, line->folder, &(LineShifts) {0}, LANES);
  for (guint i = 0; i < LANES; i++)
    line->next[i] = first;
  const LineCommanderParts parts = {.config = line->config,
    .recipe = line->recipe,.first = first,.queue = line->queue,
    .folder = line->folder,.lots = line->lots,.next_piece = find_next,
    .user = line
  };
  line->commander = line_commander_new (&parts, &error);
  g_assert_no_error (error);
}

static void
stop (Line * line)
{
  line_commander_close (line->commander);
  line_commander_free (line->commander);
  line_event_queue_free (line->queue);
  line_lots_unref (line->lots);
  line_folder_unref (line->folder);
  line_recipe_unref (line->recipe);
  line_config_free (line->config);
  for (guint i = 0; i < MOST; i++)
    g_free (line->whys[i]);
  g_free (line->in_force);
  g_cond_clear (&line->changed);
  g_mutex_clear (&line->lock);
}

static void
wait_for (Line * line, guint n)
{
  g_mutex_lock (&line->lock);
  while (line->n_answers < n)
    g_cond_wait (&line->changed, &line->lock);
  g_mutex_unlock (&line->lock);
}

/* Returns: why it is refused; NULL if it is done */
static const char *
ask (Line * line, const char *text)
{
  const guint n = line->n_answers;
  GError *error = NULL;
  LineCommand *command = line_command_parse (text, strlen (text), &error);

  g_assert_no_error (error);
  g_assert_true (line_commander_ask (line->commander, "anna", command,
          answered, line, n));
  wait_for (line, n + 1);
  return line->whys[n];
}

/* What the lanes are told, "a 8 a 7@20 b lot L", in this order: recipes by their
 * outlet */
static char *
take_events (Line * line)
{
  GString *text = g_string_new (NULL);
  LineEvent event;

  while (line_event_queue_take (line->queue, &event, 0)) {
    g_string_append_printf (text, "%s%c ", text->len ? " " : "",
        'a' + event.lane);
    if (event.type == LINE_EVENT_LOT)
      g_string_append_printf (text, "lot %s", event.lot ? event.lot : "-");
    else
      g_string_append_printf (text, "%u", g_array_index (event.recipe->rules,
              LineRule, 0).outlet);
    if (event.trigger)
      g_string_append_printf (text, "@%u", (guint) event.trigger);
    line_event_clear (&event);
  }
  return g_string_free (text, FALSE);
}

static void
expect_events (Line * line, const char *wanted)
{
  g_autofree char *events = take_events (line);

  expect (strcmp (events, wanted) == 0, "\"%s\", not \"%s\"", events, wanted);
}

static char *
read_log (void)
{
  g_autofree char *path = find_path ("out/" LINE_COMMANDS);
  char *text = NULL;

  return g_file_get_contents (path, &text, NULL, NULL) ? text : g_strdup ("");
}

static void
empty (const char *name)
{
  g_autofree char *path = find_path (name);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *entry;

  while (dir && (entry = g_dir_read_name (dir))) {
    g_autofree char *file = g_build_filename (path, entry, NULL);

    g_unlink (file);
  }
}

static void
clear_all (void)
{
  empty ("out/lots");
  empty ("out");
  empty ("recipes");
  put ("recipe.ini", RECIPE "8\n");
  put ("recipes/small.ini", RECIPE "6\n");
  put ("recipes/large.ini", RECIPE "7\n");
}

/* Cases */

CHECK (commands)
{
  static const struct
  {
    const char *text, *wrong;
  } cases[] = {
    {"{\"do\":\"reload\"}", NULL},
    {"{\"do\":\"recipe\",\"recipe\":\"a.b-c_D\",\"lane\":\"a\",\"from\":0}",
        NULL},
    {"{\"do\":\"lot-begin\",\"lot\":\"7\",\"grower\":\"\\u00c9va\"}", NULL},
    {"{\"do\":\"lot-end\",\"from\":12}", NULL},
    {"", "object of JSON"}, {"[]", "object of JSON"}, {"null", "object"},
    {"{\"do\":\"reload\"", "object of JSON"},
    {"{\"do\":\"reload\"} x", "object of JSON"},
    {"{\"do\":\"reload\",\"do\":\"reload\"}", "object of JSON"},
    {"{}", "\"do\" says"}, {"{\"do\":7}", "\"do\" says"},
    {"{\"do\":\"start\"}", "\"do\" says"},
    {"{\"do\":\"recipe\"}", "\"recipe\" is missing"},
    {"{\"do\":\"reload\",\"lane\":\"a\"}", "has no \"lane\""},
    {"{\"do\":\"lot-end\",\"lot\":\"a\"}", "has no \"lot\""},
    {"{\"do\":\"lot-begin\"}", "\"lot\" is missing"},
    {"{\"do\":\"recipe\",\"recipe\":\"a\",\"grower lane\":1}", "has no"},
    {"{\"do\":\"recipe\",\"recipe\":\"..\"}", "begins with a letter"},
    {"{\"do\":\"recipe\",\"recipe\":\"../a\"}", "begins with a letter"},
    {"{\"do\":\"recipe\",\"recipe\":\"a/../b\"}", "begins with a letter"},
    {"{\"do\":\"recipe\",\"recipe\":\"/etc/a\"}", "begins with a letter"},
    {"{\"do\":\"recipe\",\"recipe\":\"\"}", "begins with a letter"},
    {"{\"do\":\"recipe\",\"recipe\":\"a\\u0000b\"}", "object of JSON"},
    {"{\"do\":\"recipe\",\"recipe\":\"\\u00e4\"}", "begins with a letter"},
    {"{\"do\":\"recipe\",\"recipe\":[\"a\"]}", "between quotes"},
    {"{\"do\":\"recipe\",\"recipe\":\"a\",\"lane\":\"a/b\"}", "a lane's"},
    {"{\"do\":\"recipe\",\"recipe\":\"a\",\"from\":-1}", "number of a piece"},
    {"{\"do\":\"recipe\",\"recipe\":\"a\",\"from\":1.5}", "number of a piece"},
    {"{\"do\":\"recipe\",\"recipe\":\"a\",\"from\":\"1\"}", "number of a"},
    {"{\"do\":\"recipe\",\"recipe\":\"a\",\"from\":9007199254740992}",
        "number of a piece"},
    {"{\"do\":\"recipe\",\"recipe\":\"a\",\"from\":1e400}", "of JSON"},
    {"{\"do\":\"lot-begin\",\"lot\":\"a\",\"bin\":\"a\\nb\"}", "one line"},
    {"{\"do\":\"lot-begin\",\"lot\":\"../a\"}", "begins with a letter"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const gsize size = strlen (cases[i].text);
    /* nothing is read behind it */
    g_autofree char *text = g_memdup2 (cases[i].text, MAX (size, 1));
    g_autoptr (GError) error = NULL;
    g_autoptr (LineCommand) command = line_command_parse (text, size, &error);

    check_that ((command != NULL) == !cases[i].wrong && (!error
            || strstr (error->message, cases[i].wrong)), "%s: %s",
        cases[i].text, error ? error->message : "no error");
  }
}

CHECK (recipes)
{
  Line line;

  begin ("recipes by name, for a lane, and from a piece on");
  clear_all ();
  start (&line, 100);
  expect_events (&line, "");
  expect (!ask (&line, "{\"do\":\"recipe\",\"recipe\":\"small\"}"), "small");
  expect_events (&line, "a 6 b 6");
  expect (!ask (&line, "{\"do\":\"recipe\",\"recipe\":\"large\",\"lane\":\"b\"}"),
      "large");
  expect_events (&line, "b 7");
  expect (!ask (&line, "{\"do\":\"recipe\",\"recipe\":\"small\",\"lane\":\"b\","
          "\"from\":100}"), "from the next one on");
  expect_events (&line, "b 6@100");
  expect (!ask (&line, "{\"do\":\"reload\"}"), "the first one");
  expect_events (&line, "a 8 b 8");
  line.next[0] = 121;
  const char *why = ask (&line, "{\"do\":\"recipe\",\"recipe\":\"large\","
      "\"from\":120}");
  expect (why && strstr (why, "piece 120 of lane a has been decided: the next "
          "one is 121"), "%s", why);
  why = ask (&line, "{\"do\":\"recipe\",\"recipe\":\"small\",\"lane\":\"c\"}");
  expect (why && strstr (why, "there are: a, b"), "%s", why);
  why = ask (&line, "{\"do\":\"recipe\",\"recipe\":\"none\"}");
  expect (why && strstr (why, "none.ini"), "%s", why);
  expect_events (&line, "");
  for (guint i = 0; i < line.n_answers; i++)
    expect (line.ids[i] == i + 1, "id %u", (guint) line.ids[i]);
  stop (&line);
  end ();
}

/* Whatever is in the file: it is refused, nothing is told, and the log has it. */
static void
check_wrong (Line * line, const char *text, const char *wanted)
{
  put ("recipe.ini", text);
  put ("recipes/other.ini", text);
  for (guint i = 0; i < 2; i++) {
    const char *why = ask (line, i ? "{\"do\":\"reload\"}" :
        "{\"do\":\"recipe\",\"recipe\":\"other\"}");
    g_autofree char *log = read_log ();

    expect (why && strstr (why, wanted), "%s, not %s", why, wanted);
    expect (g_str_has_suffix (log, "}\n") && strstr (strrchr (g_strchomp (log),
                '\n'), "\"refused\""), "the log");
    expect_events (line, "");
  }
}

CHECK (wrong_recipes)
{
  g_autofree char *large = g_strnfill (LINE_INI_MAX + 1, '#');
  g_autofree char *path = find_path ("recipes/pipe.ini");
  Line line;

  begin ("wrong recipes");
  clear_all ();
  start (&line, 0);
  check_wrong (&line, "[recipe", ".ini:1: ");
  check_wrong (&line, "[recipe]\nlevel=0.4\n" RECIPE "6\n", "is there already");
  check_wrong (&line, RECIPE "6\n[limits a]\nspot-mm2=1\n", "limits nothing");
  check_wrong (&line, "[size a]\n" RECIPE "6\n", "no rule names size \"a\"");
  check_wrong (&line, "[recipe]\nname=a\nclasses=belt;skin;rot;scab\n"
      "fruit=skin;rot;scab\ndefects=rot\nundecided-outlet=9\n[rule rest]\n"
      "outlet=6\n", "\"classes\" is another one");
  /* good for lane a's cups alone */
  check_wrong (&line, "[recipe]\nname=a\nclasses=belt;skin;rot\n"
      "fruit=skin;rot\ndefects=rot\nundecided-outlet=9\n[size a]\nmin-mm=60\n"
      "max-mm=80\n[rule large]\noutlet=6\nsize=a\n[rule rest]\noutlet=7\n",
      "(by [geometry b])");
  check_wrong (&line, large, "1048577 bytes");
  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  const char *why = ask (&line, "{\"do\":\"recipe\",\"recipe\":\"pipe\"}");
  expect (why && strstr (why, "only regular files"), "%s", why);
  stop (&line);
  end ();
}

typedef struct
{
  Line *line;
  guint first;
} Operator;

#define COMMANDS 12

static gpointer
operate (gpointer data)
{
  const Operator *own = data;

  for (guint i = 0; i < COMMANDS; i++) {
    const char *text = own->first ? "{\"do\":\"recipe\",\"recipe\":\"large\"}" :
        "{\"do\":\"recipe\",\"recipe\":\"small\"}";

    /* too many wait: that is said, and nothing else */
    while (!line_commander_ask (own->line->commander, own->first ? "anna" :
            "ben", line_command_parse (text, strlen (text), NULL), answered,
            own->line, own->first + i))
      g_thread_yield ();
  }
  return NULL;
}

/* The events in their order are the log's in its order. */
CHECK (two)
{
  Line line;
  g_autoptr (GString) wanted = g_string_new (NULL);

  begin ("two operators at once");
  clear_all ();
  start (&line, 0);
  Operator operators[] = { {&line, 0}, {&line, COMMANDS} };
  GThread *other = g_thread_new ("other", operate, &operators[1]);
  operate (&operators[0]);
  g_thread_join (other);
  wait_for (&line, 2 * COMMANDS);
  g_autofree char *log = read_log ();
  g_auto (GStrv) lines = g_strsplit (log, "\n", -1);
  expect (g_strv_length (lines) == 4 * COMMANDS + 1, "%u lines",
      g_strv_length (lines));
  for (guint i = 0; i < 4 * COMMANDS; i++) {
    g_autofree char *id = g_strdup_printf ("{\"id\":%u,", i / 2 + 1);
    const gboolean is_small = strstr (lines[i], "\"small\"") != NULL;

    expect (g_str_has_prefix (lines[i], id), "%s", lines[i]);
    expect (strstr (lines[i], i % 2 ? "\"answer\":\"done\"" : "\"asked\"") != NULL,
        "%s", lines[i]);
    expect (strstr (lines[i], is_small ? "\"who\":\"ben\"" :
            "\"who\":\"anna\"") != NULL, "%s", lines[i]);
    if (i % 2)
      g_string_append_printf (wanted, is_small ? "%sa 6 b 6" : "%sa 7 b 7",
          wanted->len ? " " : "");
  }
  expect_events (&line, wanted->str);
  stop (&line);
  end ();
}

CHECK (later)
{
  Line line;

  begin ("runs that go on");
  clear_all ();
  start (&line, 0);
  ask (&line, "{\"do\":\"recipe\",\"recipe\":\"small\"}");
  ask (&line, "{\"do\":\"recipe\",\"recipe\":\"large\",\"lane\":\"b\","
      "\"from\":50}");
  ask (&line, "{\"do\":\"lot-begin\",\"lot\":\"L1\",\"bin\":\"=7\"}");
  ask (&line, "{\"do\":\"lot-begin\",\"lot\":\"L2\",\"from\":60}");
  stop (&line);
  /* the files may be other ones by then: what was in force is */
  put ("recipes/small.ini", RECIPE "5\n");
  put ("recipes/large.ini", "");
  start (&line, 50);
  expect_events (&line, "a 6 b 7 a lot L1 b lot L1 a lot L2@60 b lot L2@60");
  stop (&line);
  start (&line, 40);
  expect_events (&line, "a 6 b 7 a lot L1 b lot L1 a lot L2@60 b lot L2@60");
  expect (ask (&line, "{\"do\":\"lot-begin\",\"lot\":\"L1\"}") != NULL,
      "a lot twice");
  ask (&line, "{\"do\":\"reload\"}");
  ask (&line, "{\"do\":\"lot-end\"}");
  expect (ask (&line, "{\"do\":\"lot-end\"}") != NULL, "no lot");
  stop (&line);
  start (&line, 70);
  expect_events (&line, "");
  stop (&line);
  end ();
}

CHECK (damaged)
{
  g_autofree char *small = NULL;
  Line line;

  begin ("copies that were changed");
  clear_all ();
  start (&line, 0);
  ask (&line, "{\"do\":\"recipe\",\"recipe\":\"small\"}");
  stop (&line);
  g_autofree char *out = find_path ("out");
  g_autoptr (GDir) dir = g_dir_open (out, 0, NULL);
  while (!small && dir) {
    const char *name = g_dir_read_name (dir);

    g_assert_nonnull (name);
    if (g_str_has_prefix (name, "recipe-"))
      small = g_strconcat ("out/", name, NULL);
  }
  put (small, RECIPE "1\n");
  start (&line, 9);
  expect_events (&line, "");
  g_autofree char *log = read_log ();
  expect (strstr (log, "\"start\"") != NULL, "the log");
  stop (&line);
  end ();
}

/* The log cut anywhere, as by kill -9: the run that follows has what the last
 * whole answer says, and its log is one again. */
static void
check_cut (const char *text, gsize size, const char *wanted)
{
  g_autofree char *part = g_strndup (text, size);
  Line line;

  put ("out/" LINE_COMMANDS, part);
  start (&line, 0);
  expect_events (&line, wanted);
  expect (!ask (&line, "{\"do\":\"reload\"}"), "another command");
  stop (&line);
  g_autofree char *log = read_log ();
  expect (strncmp (log, part, size) == 0, "what was there is there");
  /* each that was asked is answered */
  g_auto (GStrv) lines = g_strsplit (log, "\n", -1);
  gint n_open = 0;
  for (guint i = 0; lines[i]; i++) {
    json_auto_t *json = json_loads (lines[i], 0, NULL);

    n_open += json_object_get (json, "asked") != NULL;
    n_open -= json_object_get (json, "answer") != NULL;
    expect (n_open == 0 || n_open == 1, "%d are open", n_open);
  }
  expect (n_open == 0, "not all are answered");
}

CHECK (cut_anywhere)
{
  static const char *const wanted[] = { "", "a 6 b 6", "a 6 b 7" };
  guint done = 0;
  Line line;

  begin ("a log that ends anywhere");
  clear_all ();
  start (&line, 0);
  ask (&line, "{\"do\":\"recipe\",\"recipe\":\"small\"}");
  ask (&line, "{\"do\":\"recipe\",\"recipe\":\"none\"}");
  ask (&line, "{\"do\":\"recipe\",\"recipe\":\"large\",\"lane\":\"b\"}");
  stop (&line);
  g_autofree char *text = read_log ();
  const gsize size = strlen (text);
  for (gsize n = 0, line_begin = 0; n <= size; n++) {
    const gboolean is_end = text[n] == '\n';

    /* an answer counts with its last brace: the end of its line may be cut */
    if (is_end) {
      g_autofree char *one = g_strndup (text + line_begin, n - line_begin);

      done += strstr (one, "\"answer\":\"done\"") != NULL;
      line_begin = n + 1;
    }
    if (is_end || n == line_begin || n % 23 == 0)
      check_cut (text, n, wanted[done]);
  }
  expect (done == 2, "%u", done);
  end ();
}

CHECK (silent)
{
  Line line;

  begin ("a log that cannot be written");
  clear_all ();
  start (&line, 0);
  g_autofree char *path = find_path ("out/" LINE_COMMANDS);
  g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
  expect (ask (&line, "{\"do\":\"recipe\",\"recipe\":\"small\"}") != NULL,
      "done without a log");
  expect_events (&line, "");
  g_rmdir (path);
  expect (!ask (&line, "{\"do\":\"recipe\",\"recipe\":\"small\"}"),
      "not done with one");
  expect_events (&line, "a 6 b 6");
  stop (&line);
  end ();
}

/* As of a disk that was full when it should have been written */
CHECK (unanswered)
{
  guint n = 0;
  Line line;

  begin ("answers that are missing before others");
  clear_all ();
  put ("out/" LINE_COMMANDS,
      "{\"id\":1,\"who\":\"ben\",\"asked\":{\"do\":\"lot-end\"}}\n"
      "{\"id\":2,\"who\":\"anna\",\"asked\":{\"do\":\"lot-end\"}}\n"
      "{\"id\":3,\"who\":\"anna\",\"asked\":{\"do\":\"lot-end\"}}\n"
      "{\"id\":3,\"who\":\"anna\",\"answer\":\"refused\",\"why\":\"\"}\n");
  start (&line, 0);
  stop (&line);
  g_autofree char *log = read_log ();
  g_auto (GStrv) lines = g_strsplit (log, "\n", -1);
  for (guint i = 0; lines[i]; i++) {
    json_auto_t *json = json_loads (lines[i], 0, NULL);
    const gint64 id = json_integer_value (json_object_get (json, "id"));

    n += id >= 1 && id <= 3 && json_object_get (json, "answer");
  }
  expect (n == 3, "%u are answered", n);
  end ();
}

/* The last ones, of a line with many lanes, too */
CHECK (shown)
{
  g_autofree char *lanes = g_strnfill (15000, 'x');
  g_autoptr (GString) log = g_string_new (NULL);
  g_autofree char *out = find_path ("out");
  g_autoptr (LineFolder) folder = line_folder_open (out, FALSE, NULL);

  begin ("commands that are shown");
  clear_all ();
  for (guint i = 1; i <= 60; i++)
    g_string_append_printf (log, "{\"id\":%u,\"in_force\":\"%s\"}\n", i, lanes);
  put ("out/" LINE_COMMANDS, log->str);
  g_autofree char *text = line_command_log_read (folder);
  json_auto_t *shown = json_loads (text, 0, NULL);
  expect (json_array_size (shown) == 50
      && json_integer_value (json_object_get (json_array_get (shown, 0), "id"))
      == 11, "%s", text);
  end ();
}

/* What is in force is in the new one, and outlives the run. */
CHECK (removed)
{
  Line line;

  begin ("a log that somebody removes");
  clear_all ();
  start (&line, 0);
  ask (&line, "{\"do\":\"recipe\",\"recipe\":\"small\"}");
  g_autofree char *path = find_path ("out/" LINE_COMMANDS);
  g_assert_cmpint (g_unlink (path), ==, 0);
  ask (&line, "{\"do\":\"recipe\",\"recipe\":\"large\",\"lane\":\"b\"}");
  stop (&line);
  start (&line, 0);
  expect_events (&line, "a 6 b 7");
  stop (&line);
  end ();
}

/* Nothing is told after the end. */
CHECK (closed)
{
  Line line;

  begin ("commands at the end");
  clear_all ();
  start (&line, 0);
  for (guint i = 0; i < 4; i++)
    line_commander_ask (line.commander, "SIGHUP", line_command_new_reload (),
        NULL, NULL, 0);
  stop (&line);
  end ();
}

/* What waits for its piece goes on waiting, in the next run. */
CHECK (closed_early)
{
  Line line;

  begin ("what waits at the end");
  clear_all ();
  start (&line, 0);
  ask (&line, "{\"do\":\"recipe\",\"recipe\":\"large\",\"from\":1000}");
  ask (&line, "{\"do\":\"lot-begin\",\"lot\":\"L\",\"from\":1000}");
  line_commander_close (line.commander);
  g_autofree char *text = line_commander_get_in_force (line.commander);
  expect (strcmp (g_strchomp (text), line.in_force) == 0, "%s, not %s", text,
      line.in_force);
  stop (&line);
  start (&line, 1000);
  expect_events (&line, "a 7 b 7 a lot L b lot L");
  stop (&line);
  end ();
}

static void __attribute__ ((constructor))
make_folders (void)
{
  static const char *const folders[] = { "out", "out/lots", "recipes" };

  base = g_dir_make_tmp ("commands-XXXXXX", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++) {
    g_autofree char *path = find_path (folders[i]);

    g_mkdir (path, 0750);
  }
}

CHECKS
