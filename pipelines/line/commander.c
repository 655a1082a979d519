/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "commander.h"

#include <string.h>
#include <unistd.h>

#include "command_log.h"
#include "in_force.h"
#include "plc_command.h"
#include "publish/clock.h"
#include "publish/lock.h"
#include "publish/message.h"
#include "publish/names.h"
#include "recipe_check.h"
#include "recipes.h"

/* Commands that wait */
#define MOST_JOBS 16

/* What somebody has asked for. @text: it is no command, for @wrong */
typedef struct
{
  char *who, *text, *wrong;
  LineCommand *command;
  LineAnswered answered;
  gpointer user;
  guint64 ticket;
} Job;

/* What a command that is good changes. @lot: (nullable): of JSON */
typedef struct
{
  json_t *in_force, *lot;
  LineRecipe *recipe;
} Change;

/* Referenced by its owner and by the thread, which has a disk to wait for, and
 * may outlive everything but what is referenced here. */
struct _LineCommander
{
  gint ref_count;
  char *path, *recipes, **lanes;
  json_t *plc;
  GPtrArray *geometries;
  LineRecipe *recipe;
  LineFolder *folder, *recording;
  LineLots *lots;
  LineAlarms *alarms;

  /* of the thread; it changes what is in force with the lock */
  LineCommandLog *log;
  json_t *in_force;

  /* with the lock; the queue and what @next_piece needs are there until it is
   * closed */
  GMutex lock;
  GCond changed;
  gboolean is_closed;
  GQueue jobs;
  LineEventQueue *queue;
  LineNextPiece next_piece;
  gpointer user;
};

static void
free_job (Job * job)
{
  g_free (job->who);
  g_free (job->text);
  g_free (job->wrong);
  g_clear_pointer (&job->command, line_command_free);
  g_free (job);
}

static void
unref (LineCommander * commander)
{
  if (!g_atomic_int_dec_and_test (&commander->ref_count))
    return;
  g_queue_clear_full (&commander->jobs, (GDestroyNotify) free_job);
  g_clear_pointer (&commander->log, line_command_log_free);
  json_decref (commander->in_force);
  json_decref (commander->plc);
  g_clear_pointer (&commander->lots, line_lots_unref);
  g_clear_pointer (&commander->alarms, line_alarms_unref);
  g_clear_pointer (&commander->recording, line_folder_unref);
  line_folder_unref (commander->folder);
  line_recipe_unref (commander->recipe);
  g_ptr_array_unref (commander->geometries);
  g_strfreev (commander->lanes);
  g_free (commander->recipes);
  g_free (commander->path);
  g_cond_clear (&commander->changed);
  g_mutex_clear (&commander->lock);
  g_free (commander);
}

static void
clear_change (Change * change)
{
  json_decref (change->in_force);
  json_decref (change->lot);
  g_clear_pointer (&change->recipe, line_recipe_unref);
}

/* Recipes */

/* As it is used, on the disk: a later run takes it from there. */
static gboolean
keep_recipe (const LineCommander * commander, const LineRecipe * recipe,
    GError ** error)
{
  g_autofree char *name = line_recipe_name_copy ("", recipe->hash);

  return line_recipe_copy (recipe, commander->folder, error)
      && (!commander->recording
      || line_recipe_copy (recipe, commander->recording, error))
      && line_folder_sync_file (commander->folder, name, error);
}

static LineRecipe *
load_recipe (const LineCommander * commander, const LineCommand * command,
    GError ** error)
{
  g_autofree char *path = NULL;

  if (command->kind == LINE_COMMAND_RECIPE && !commander->recipes) {
    line_fail (error, LINE_ERROR_INVALID, "there are no recipes by name: add "
        "recipes=FOLDER to [line] of the configuration, and start the line "
        "anew");
    return NULL;
  }
  path = command->kind == LINE_COMMAND_RECIPE ?
      line_recipes_find (commander->recipes, command->recipe) :
      g_strdup (commander->path);
  LineRecipe *recipe = line_recipe_load_checked (path, commander->geometries,
      error);
  if (recipe
      && (!line_recipe_is_compatible (commander->recipe, recipe, error)
          || !keep_recipe (commander, recipe, error)))
    g_clear_pointer (&recipe, line_recipe_unref);
  return recipe;
}

/* @next: number of the piece of @lane that is decided next. Returns: FALSE once it
 * is closed, and nobody knows */
static gboolean
find_next_piece (LineCommander * commander, guint lane, guint64 * next,
    GError ** error)
{
  LINE_LOCK (&commander->lock);

  if (commander->is_closed)
    return line_fail (error, LINE_ERROR_RUN, "the line is ending: ask again when "
        "it runs");
  *next = commander->next_piece (lane, commander->user);
  return TRUE;
}

static gboolean
check_from (const LineCommander * commander, guint lane, guint64 next,
    gint64 from, GError ** error)
{
  return from < 0 || (guint64) from >= next || line_fail (error,
      LINE_ERROR_INVALID, "piece %" G_GINT64_FORMAT " of lane %s has been "
      "decided: the next one is %" G_GUINT64_FORMAT, from,
      commander->lanes[lane], next);
}

static gboolean
prepare_recipe (LineCommander * commander, const LineCommand * command,
    Change * change, GError ** error)
{
  if (command->lane && !g_strv_contains ((const char *const *)
          commander->lanes, command->lane)) {
    g_autofree char *lanes = g_strjoinv (", ", commander->lanes);

    return line_fail (error, LINE_ERROR_INVALID, "there is no lane \"%s\"; "
        "there are: %s", command->lane, lanes);
  }
  change->recipe = load_recipe (commander, command, error);
  if (!change->recipe)
    return FALSE;
  json_auto_t *what = line_in_force_make_recipe (command->recipe,
      change->recipe);
  for (guint i = 0; commander->lanes[i]; i++) {
    json_t *place = line_in_force_get (change->in_force, commander->lanes[i]);
    guint64 next = 0;

    if (!find_next_piece (commander, i, &next, error))
      return FALSE;
    line_in_force_settle (place, next);
    if (command->lane && strcmp (command->lane, commander->lanes[i]) != 0)
      continue;
    const gint64 from = line_command_get_from (command, i);
    if (!check_from (commander, i, next, from, error))
      return FALSE;
    line_in_force_put (place, what, from);
  }
  return TRUE;
}

/* Lots */

static json_t *
make_lot (const LineCommand * command)
{
  json_t *lot = line_command_to_json (command);

  json_object_del (lot, "do");
  if (!command->lot)
    json_object_set_new (lot, "lot", json_null ());
  return lot;
}

/* A lot is of all lanes. It has begun, or ended, when the last of them is there. */
static gboolean
prepare_lot (LineCommander * commander, const LineCommand * command,
    Change * change, GError ** error)
{
  json_t *place = line_in_force_get (change->in_force, NULL);
  guint64 least = G_MAXUINT64;

  if (!commander->lots)
    return line_fail (error, LINE_ERROR_INVALID, "this line has no lots");
  for (guint i = 0; commander->lanes[i]; i++) {
    guint64 next = 0;

    if (!find_next_piece (commander, i, &next, error)
        || !check_from (commander, i, next, command->from, error))
      return FALSE;
    least = MIN (least, next);
  }
  line_in_force_settle (place, least);
  if (!command->lot && json_is_null (json_object_get (place, "lot"))
      && json_is_null (json_object_get (place, "next")))
    return line_fail (error, LINE_ERROR_INVALID, "no lot has begun");
  if (command->lot && !line_lots_check (commander->lots, command->lot, error))
    return FALSE;
  change->lot = make_lot (command);
  line_in_force_put (place, change->lot, command->from);
  return TRUE;
}

/* What is to be done */

static void
post_recipe (LineEventQueue * queue, guint lane, LineRecipe * recipe,
    gint64 from)
{
  const LineEvent event = {.type = LINE_EVENT_RECIPE,.lane = lane,
    .recipe = line_recipe_ref (recipe),.trigger = MAX (from, 0)
  };

  line_event_queue_post (queue, &event);
}

static void
post_lot (const LineCommander * commander, const json_t * lot, gint64 from)
{
  const char *name = json_string_value (json_object_get (lot, "lot"));

  for (guint i = 0; commander->lanes[i]; i++) {
    const LineEvent event = {.type = LINE_EVENT_LOT,.lane = i,
      .lot = name ? g_ref_string_new (name) : NULL,.trigger = MAX (from, 0)
    };

    line_event_queue_post (commander->queue, &event);
  }
}

/* With the lock */
static void
post (LineCommander * commander, const Job * job, const Change * change)
{
  const LineCommand *command = job->command;

  if (command->kind == LINE_COMMAND_ALARM_ACK) {
    line_alarms_acknowledge (commander->alarms, (guint64) command->alarm,
        job->who, line_clock_now ());
    return;
  }
  if (change->lot) {
    post_lot (commander, change->lot, command->from);
    return;
  }
  for (guint i = 0; commander->lanes[i]; i++)
    if (!command->lane || strcmp (command->lane, commander->lanes[i]) == 0)
      post_recipe (commander->queue, i, change->recipe,
          line_command_get_from (command, i));
}

/* What is asked for, for the log */
static json_t *
get_asked (const Job * job)
{
  return job->command ? line_command_to_json (job->command) :
      json_pack ("{s:s}", "text", job->text);
}

static void
tell (const LineCommander * commander, const Job * job, const char *why)
{
  const char *hash = json_string_value (json_object_get (line_in_force_get
          (commander->in_force, commander->lanes[0]), "hash"));
  json_auto_t *json = get_asked (job);
  char *text = json_dumps (json, JSON_COMPACT);

  if (!job->command || job->command->kind != LINE_COMMAND_RELOAD
      || job->command->words[0] != 0)
    g_printerr ("%s: %s: %s%s\n", job->who, text ? text : "?",
        why ? "refused: " : "done", why ? why : "");
  else if (why)
    g_printerr ("%s\nrecipe %.12s stays\n", why, hash);
  else
    g_printerr ("recipe %.12s from now on\n", hash);
  free (text);
}

/* @change: NULL if it is refused */
static void
answer (LineCommander * commander, const Job * job, guint64 id,
    const Change * change, const char *why)
{
  LINE_LOCK (&commander->lock);

  if (change) {
    json_decref (commander->in_force);
    commander->in_force = json_incref (change->in_force);
  }
  if (commander->is_closed)
    return;
  if (change)
    post (commander, job, change);
  tell (commander, job, why);
  if (job->answered) {
    char *text = json_dumps (commander->in_force, JSON_COMPACT);

    job->answered (id, why, text ? text : "null", job->user, job->ticket);
    free (text);
  }
}

char *
line_commander_get_in_force (LineCommander * commander)
{
  g_mutex_lock (&commander->lock);
  json_auto_t *in_force = json_deep_copy (commander->in_force);
  g_mutex_unlock (&commander->lock);
  guint64 least = G_MAXUINT64, next = 0;
  guint i = 0;

  for (; commander->lanes[i] && find_next_piece (commander, i, &next, NULL);
      i++) {
    line_in_force_settle (line_in_force_get (in_force, commander->lanes[i]),
        next);
    least = MIN (least, next);
  }
  if (!commander->lanes[i])
    line_in_force_settle (line_in_force_get (in_force, NULL), least);
  char *encoded = json_dumps (in_force, JSON_COMPACT);
  char *text = g_strdup_printf ("%s\n", encoded ? encoded : "null");
  free (encoded);
  return text;
}

static gboolean
prepare (LineCommander * commander, const Job * job, Change * change,
    GError ** error)
{
  if (!job->command)
    return line_fail (error, LINE_ERROR_INVALID, "%s", job->wrong);
  if (job->command->wrong)
    return line_fail (error, LINE_ERROR_INVALID, "%s",
        job->command->wrong);
  if (job->command->kind == LINE_COMMAND_ALARM_ACK)
    return commander->alarms ? line_alarms_check (commander->alarms,
        (guint64) job->command->alarm, error) : line_fail (error,
        LINE_ERROR_INVALID, "this line has no alarms");
  return job->command->kind == LINE_COMMAND_LOT_BEGIN
      || job->command->kind == LINE_COMMAND_LOT_END ?
      prepare_lot (commander, job->command, change, error) :
      prepare_recipe (commander, job->command, change, error);
}

static void
carry_out (LineCommander * commander, const Job * job)
{
  json_auto_t *asked = get_asked (job);
  g_autoptr (GError) error = NULL, other = NULL;
  Change change = {.in_force = json_deep_copy (commander->in_force) };
  const guint64 id = line_command_log_ask (commander->log, job->who, asked,
      &error);
  gboolean good = id > 0 && prepare (commander, job, &change, &error);

  if (job->command && job->command->words[0] != 0)
    line_plc_command_note (good ? change.in_force : commander->in_force,
        job->command, good);
  if (good)
    good = line_command_log_answer (commander->log, id, job->who, NULL,
        change.in_force, &error);
  else if (id > 0 && !line_command_log_answer (commander->log, id, job->who,
          error->message, commander->in_force, &other))
    g_printerr ("%s\n", other->message);
  /* before its first piece, and without the lock, as the disk is waited for */
  if (good && change.lot)
    line_lots_begin (commander->lots, change.lot, FALSE);
  answer (commander, job, id, good ? &change : NULL,
      good ? NULL : error->message);
  clear_change (&change);
}

static Job *
take (LineCommander * commander)
{
  LINE_LOCK (&commander->lock);

  while (commander->jobs.length == 0 && !commander->is_closed)
    g_cond_wait (&commander->changed, &commander->lock);
  return commander->is_closed ? NULL : g_queue_pop_head (&commander->jobs);
}

static gpointer
run (gpointer data)
{
  LineCommander *commander = data;
  Job *job;

  while ((job = take (commander))) {
    carry_out (commander, job);
    free_job (job);
  }
  unref (commander);
  return NULL;
}

/* Start */

/* Returns: NULL if the lane begins with the configuration's recipe: what the log
 * says is that, or cannot be had */
static LineRecipe *
find_recipe (const LineCommander * commander, const char *lane,
    const json_t * what)
{
  const char *name = json_string_value (json_object_get (what, "recipe"));
  const char *hash = json_string_value (json_object_get (what, "hash"));
  LineRecipe *recipe = NULL;
  g_autoptr (GError) error = NULL;

  if (!name || !hash || strlen (hash) != 64 || strspn (hash,
          "0123456789abcdef") != 64)
    return NULL;
  g_autofree char *path = line_recipe_name_copy (line_folder_get_path
      (commander->folder), hash);
  recipe = line_recipe_load (path, &error);
  if (recipe && strcmp (recipe->hash, hash) != 0)
    line_fail (&error, LINE_ERROR_INVALID, "%s was changed", path);
  if (!recipe || error || !line_recipe_is_compatible (commander->recipe,
          recipe, &error) || !keep_recipe (commander, recipe, &error)) {
    g_clear_pointer (&recipe, line_recipe_unref);
    g_printerr ("lane %s had recipe %s, and begins with the configuration's: "
        "%s\n", lane, name, error->message);
  }
  return recipe;
}

/* What the log says of @lane goes on, if it can be had; @first is decided
 * next. */
static void
go_on_with_recipe (LineCommander * commander, guint lane, json_t * place,
    guint64 first)
{
  const char *name = commander->lanes[lane];
  json_t *own = line_in_force_get (commander->in_force, name);

  line_in_force_settle (place, first);
  json_t *next = json_object_get (place, "next");
  LineRecipe *recipe = find_recipe (commander, name, place);
  const json_t *from = json_object_get (next, "from");
  if (recipe) {
    const char *called = json_string_value (json_object_get (place, "recipe"));
    json_auto_t *what = line_in_force_make_recipe (called, recipe);

    line_in_force_put (own, what, -1);
    post_recipe (commander->queue, lane, recipe, -1);
    g_printerr ("lane %s goes on with recipe %s (%.12s)\n", name, called,
        recipe->hash);
    line_recipe_unref (recipe);
  }
  recipe = find_recipe (commander, name, next);
  if (recipe && json_is_integer (from)) {
    json_auto_t *what = line_in_force_make_recipe (json_string_value
        (json_object_get (next, "recipe")), recipe);

    line_in_force_put (own, what, json_integer_value (from));
    post_recipe (commander->queue, lane, recipe, json_integer_value (from));
  }
  g_clear_pointer (&recipe, line_recipe_unref);
}

/* Returns: whether it is one of a command */
static gboolean
is_lot (const json_t * lot)
{
  const char *name = json_string_value (json_object_get (lot, "lot"));

  return json_is_object (lot) && (!name || line_name_is_file (name));
}

static void
go_on_with_lot (LineCommander * commander, json_t * place, guint64 first)
{
  json_t *own = line_in_force_get (commander->in_force, NULL);
  const char *name;

  line_in_force_settle (place, first);
  json_t *next = json_object_get (place, "next");
  const json_t *from = json_object_get (next, "from");
  if (!commander->lots || !is_lot (place))
    return;
  json_auto_t *now = json_deep_copy (place);
  json_object_del (now, "next");
  if ((name = json_string_value (json_object_get (now, "lot")))) {
    line_in_force_put (own, now, -1);
    line_lots_begin (commander->lots, now, TRUE);
    post_lot (commander, now, -1);
    g_printerr ("lot %s goes on\n", name);
  }
  if (is_lot (next) && json_is_integer (from)) {
    line_in_force_put (own, next, json_integer_value (from));
    line_lots_begin (commander->lots, next, FALSE);
    post_lot (commander, next, json_integer_value (from));
  }
}

/* The start of a run is in the log, too, once there is one. */
static gboolean
go_on (LineCommander * commander, json_t * in_force, guint64 first,
    GError ** error)
{
  json_auto_t *start = json_pack ("{s:s,s:I}", "do", "start", "piece",
      (json_int_t) first);

  for (guint i = 0; commander->lanes[i]; i++) {
    json_t *place = line_in_force_get (in_force, commander->lanes[i]);

    if (place)
      go_on_with_recipe (commander, i, place, first);
  }
  if (commander->plc)
    json_object_set (commander->in_force, "plc", commander->plc);
  json_t *lot = line_in_force_get (in_force, NULL);
  if (lot)
    go_on_with_lot (commander, lot, first);
  if (!line_command_log_is_used (commander->log))
    return TRUE;
  const guint64 id = line_command_log_ask (commander->log, "start", start,
      error);
  return id > 0 && line_command_log_answer (commander->log, id, "start", NULL,
      commander->in_force, error);
}

static gboolean
start_thread (LineCommander * commander, GError ** error)
{
  g_atomic_int_inc (&commander->ref_count);
  GThread *thread = g_thread_try_new ("line-commands", run, commander, error);

  /* never joined: its disk may hang */
  if (thread)
    g_thread_unref (thread);
  else
    unref (commander);
  return thread != NULL;
}

static char **
get_lanes (const LineConfig * config)
{
  char **lanes = g_new0 (char *, config->lanes->len + 1);

  for (guint i = 0; i < config->lanes->len; i++)
    lanes[i] = g_strdup (g_array_index (config->lanes, LineLaneConfig,
            i).name);
  return lanes;
}

LineCommander *
line_commander_new (const LineCommanderParts * parts, GError ** error)
{
  LineCommander *commander = g_new0 (LineCommander, 1);
  json_t *in_force;

  commander->ref_count = 1;
  g_mutex_init (&commander->lock);
  g_cond_init (&commander->changed);
  g_queue_init (&commander->jobs);
  commander->path = g_strdup (parts->config->recipe);
  commander->recipes = g_strdup (parts->config->recipes);
  commander->lanes = get_lanes (parts->config);
  commander->geometries = g_ptr_array_ref (parts->config->geometries);
  commander->recipe = line_recipe_ref (parts->recipe);
  commander->folder = line_folder_ref (parts->folder);
  commander->recording =
      parts->recording ? line_folder_ref (parts->recording) : NULL;
  commander->lots = parts->lots ? line_lots_ref (parts->lots) : NULL;
  commander->alarms = parts->alarms ? line_alarms_ref (parts->alarms) : NULL;
  commander->queue = parts->queue;
  commander->next_piece = parts->next_piece;
  commander->user = parts->user;
  commander->in_force = line_in_force_new (parts->config, parts->recipe);
  commander->log = line_command_log_open (parts->folder, &in_force, error);
  if (commander->log)
    commander->plc = json_incref (json_object_get (in_force, "plc"));
  const gboolean good = commander->log && go_on (commander, in_force,
      parts->first, error) && start_thread (commander, error);
  json_decref (in_force);
  if (!good)
    g_clear_pointer (&commander, unref);
  return commander;
}

const json_t *
line_commander_get_plc (const LineCommander * commander)
{
  return commander->plc;
}

void
line_commander_close (LineCommander * commander)
{
  g_mutex_lock (&commander->lock);
  commander->is_closed = TRUE;
  g_cond_broadcast (&commander->changed);
  g_mutex_unlock (&commander->lock);
}

void
line_commander_free (LineCommander * commander)
{
  unref (commander);
}

/* With the lock: a file that is to be read, and has not been begun to be, need
 * not be read twice. */
static gboolean
is_waiting (const LineCommander * commander, const LineCommand * command)
{
  const Job *last = g_queue_peek_tail ((GQueue *) & commander->jobs);

  return command->kind == LINE_COMMAND_RELOAD && last && !last->answered
      && last->command && last->command->kind == LINE_COMMAND_RELOAD;
}

/* With the lock */
static void
add (LineCommander * commander, Job * job)
{
  g_queue_push_tail (&commander->jobs, job);
  g_cond_broadcast (&commander->changed);
}

gboolean
line_commander_ask (LineCommander * commander, const char *who,
    LineCommand * command, LineAnswered answered, gpointer user,
    guint64 ticket)
{
  LINE_LOCK (&commander->lock);

  if ((!answered && is_waiting (commander, command))
      || commander->jobs.length >= MOST_JOBS) {
    const gboolean is_there = commander->jobs.length < MOST_JOBS;

    line_command_free (command);
    return is_there;
  }
  Job *job = g_new (Job, 1);
  *job = (Job) {.who = g_strdup (who),.command = command,
    .answered = answered,.user = user,.ticket = ticket
  };
  add (commander, job);
  return TRUE;
}

gboolean
line_commander_ask_text (LineCommander * commander, const char *who,
    const char *text, gsize size, LineAnswered answered, gpointer user,
    guint64 ticket)
{
  g_autoptr (GError) error = NULL;
  LineCommand *command = line_command_parse (text, size, &error);

  if (command)
    return line_commander_ask (commander, who, command, answered, user,
        ticket);
  LINE_LOCK (&commander->lock);
  if (commander->jobs.length >= MOST_JOBS)
    return FALSE;
  Job *job = g_new (Job, 1);
  *job = (Job) {.who = g_strdup (who),.text = line_message_text (text, size),
    .wrong = g_strdup (error->message),.answered = answered,.user = user,
    .ticket = ticket
  };
  add (commander, job);
  return TRUE;
}
