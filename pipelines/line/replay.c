/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "replay.h"

#include <errno.h>
#include <string.h>

#include "publish/file.h"
#include "publish/message.h"
#include "spool_files.h"
#include "replay_difference.h"
#include "replay_lane.h"

/* Differences that are printed one by one */
#define MAX_PRINTED 20

/* @next: no recorded piece is less */
typedef struct
{
  const char *name;
  LineReplayLane *lane;
  guint64 next, later;
} Lane;

/* A piece's outlet in the recording, and now, each in 16 bits */
#define MOVE(from, to) GUINT_TO_POINTER ((from) << 16 | (to))

/* @path: of decisions.jsonl, or a segment; @line: of that, from 1 on
 * @moves: #MOVE to the number of pieces
 * @moved, @other: the first differences, of pieces that go to another outlet and
 *     of others */
typedef struct
{
  FILE *out;
  char *path;
  guint64 line;
  LineConfig *config;
  LineReplayRecipes *recipes;
  gboolean has_other_recipe, has_told_software;
  Lane lanes[LINE_MAX_LANES];
  GHashTable *moves;
  GPtrArray *moved, *other;
  LineReplayResult *result;
} Replay;

/* "FOLDER/decisions.jsonl:LINE: TEXT" */
static gboolean fail (const Replay * replay, GError ** error,
    const char *format, ...) G_GNUC_PRINTF (3, 4);

static gboolean
fail (const Replay * replay, GError ** error, const char *format, ...)
{
  va_list arguments;
  char *text, *clean;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  clean = line_message_text (text, -1);
  line_fail (error, LINE_ERROR_INVALID, "%s:%" G_GUINT64_FORMAT ": %s",
      replay->path, replay->line, clean);
  g_free (clean);
  g_free (text);
  return FALSE;
}

/* @lines: that are printed at the end */
static void
add_difference (Replay * replay, GPtrArray * lines, const Lane * lane,
    guint64 piece, const char *what)
{
  g_autofree char *clean = NULL;

  replay->result->different++;
  if (lines->len == MAX_PRINTED)
    return;
  clean = line_message_text (what, -1);
  g_ptr_array_add (lines, g_strdup_printf ("%s piece %" G_GUINT64_FORMAT
          ": %s", lane->name, piece, clean));
}

/* A piece on one side only. */
static void
add_single (Replay * replay, const Lane * lane, guint64 piece, const char *what)
{
  replay->result->pieces++;
  add_difference (replay, replay->other, lane, piece, what);
}

static void
print_software (Replay * replay, const json_t * recorded,
    const json_t * replayed)
{
  const json_t *old = json_object_get (recorded, "software");
  const json_t *new = json_object_get (replayed, "software");
  g_autofree char *version = NULL;

  if (replay->has_told_software || json_equal (old, new))
    return;
  replay->has_told_software = TRUE;
  version = line_message_text (json_is_string (old) ?
      json_string_value (old) : "?", -1);
  fprintf (replay->out, "recorded by version %s, replayed by %s\n", version,
      json_string_value (new));
}

static gsize
count_moves (const Replay * replay, guint from, guint to)
{
  return GPOINTER_TO_SIZE (g_hash_table_lookup (replay->moves, MOVE (from,
              to)));
}

/* @recorded: loses members. @text: what the lane decides now */
static gboolean
compare (Replay * replay, const Lane * lane, guint64 piece, json_t * recorded,
    const char *text, GError ** error)
{
  json_auto_t *replayed = json_loads (text, 0, NULL);
  guint from, to;
  g_autofree char *difference = NULL;

  /* JSON has no infinite numbers */
  if (!replayed)
    return line_fail (error, LINE_ERROR_INVALID, "%s piece %" G_GUINT64_FORMAT
        ": the recorded shapes make numbers that are not finite: the file of "
        "the lane's events is damaged", lane->name, piece);
  print_software (replay, recorded, replayed);
  from = json_integer_value (json_object_get (recorded, "outlet"));
  to = json_integer_value (json_object_get (replayed, "outlet"));
  difference = line_replay_difference (recorded, replayed,
      replay->has_other_recipe);
  g_hash_table_insert (replay->moves, MOVE (from, to),
      GSIZE_TO_POINTER (count_moves (replay, from, to) + 1));
  replay->result->pieces++;
  replay->result->moved += from != to;
  if (difference)
    add_difference (replay, from != to ? replay->moved : replay->other, lane,
        piece, difference);
  return TRUE;
}

/* Goes on to the recorded @piece; the lane's pieces before it were not
 * recorded. */
static gboolean
handle_piece (Replay * replay, Lane * lane, guint64 piece, json_t * recorded,
    GError ** error)
{
  GError *problem = NULL;
  guint64 number;
  const char *text;

  while ((text = line_replay_lane_peek (lane->lane, &number, &problem))
      && number < piece) {
    add_single (replay, lane, number, "decided now, but not recorded");
    line_replay_lane_drop (lane->lane);
  }
  if (text && number == piece) {
    compare (replay, lane, piece, recorded, text, &problem);
    line_replay_lane_drop (lane->lane);
  } else if (!problem && (text || line_replay_lane_is_whole (lane->lane))) {
    add_single (replay, lane, piece, "recorded, but not decided now");
  } else {
    lane->later++;
  }
  if (!problem)
    return TRUE;
  g_propagate_error (error, problem);
  return FALSE;
}

static Lane *
find_lane (Replay * replay, const json_t * decision)
{
  const char *name = json_string_value (json_object_get (decision, "lane"));

  for (guint i = 0; name && i < replay->config->lanes->len; i++)
    if (strcmp (replay->lanes[i].name, name) == 0)
      return &replay->lanes[i];
  return NULL;
}

static gboolean
handle_decision (Replay * replay, json_t * decision, GError ** error)
{
  const json_t *piece = json_object_get (decision, "piece");
  const json_t *outlet = json_object_get (decision, "outlet");
  const json_int_t number = json_integer_value (piece);
  const json_int_t to = json_integer_value (outlet);
  Lane *lane = find_lane (replay, decision);

  if (!lane)
    return fail (replay, error, "\"lane\" is none of line.ini's");
  if (!json_is_integer (piece) || number < 0)
    return fail (replay, error, "\"piece\" must be a number");
  if (!json_is_integer (outlet) || to < 0 || to > LINE_MAX_OUTLET)
    return fail (replay, error, "\"outlet\" must be from 0 to %d",
        LINE_MAX_OUTLET);
  if ((guint64) number < lane->next)
    return fail (replay, error, "piece %" JSON_INTEGER_FORMAT " of %s is "
        "behind a later one, or twice there", number, lane->name);
  lane->next = (guint64) number + 1;
  return handle_piece (replay, lane, number, decision, error);
}

static gboolean
handle_line (Replay * replay, const GString * line, GError ** error)
{
  json_error_t problem;

  if (line->len > LINE_SPOOL_LONGEST)
    return fail (replay, error, "it is longer than any decision");
  if (line->str[line->len - 1] != '\n')
    return fail (replay, error, "the last line has no end: it was cut off");
  json_t *decision = json_loadb (line->str, line->len, JSON_REJECT_DUPLICATES,
      &problem);
  if (!decision)
    return fail (replay, error, "not a line of JSON: %s", problem.text);
  gboolean good = handle_decision (replay, decision, error);
  json_decref (decision);
  return good;
}

static gboolean
handle_file (Replay * replay, GError ** error)
{
  FILE *file = line_file_open_stream (replay->path, error);
  g_autoptr (GString) line = g_string_new (NULL);
  gboolean good = file != NULL;

  while (good && line_file_read_line (file, LINE_SPOOL_LONGEST, line)) {
    replay->line++;
    good = handle_line (replay, line, error);
  }
  if (good && ferror (file))
    good = line_fail (error, LINE_ERROR_FILE, "%s: %s", replay->path,
        g_strerror (errno));
  if (file)
    fclose (file);
  return good;
}

/* All segments, one after the other. */
static gboolean
handle_lines (Replay * replay, const char *folder, GError ** error)
{
  g_autoptr (LineFolder) run = line_folder_open (folder, FALSE, NULL);
  g_autoptr (GArray) segments = line_spool_list (run);
  gboolean good = TRUE;

  for (guint i = 0; i < segments->len && good; i++) {
    const LineSpoolSegment *one =
        &g_array_index (segments, LineSpoolSegment, i);

    g_free (replay->path);
    replay->path = line_spool_get_path (folder, i + 1, one->is_closed);
    replay->line = 0;
    good = one->number == i + 1 ? handle_file (replay, error) :
        fail (replay, error, "this file is missing: all before the ones that "
        "are there must be there, too");
  }
  if (segments->len == 0)
    good = handle_file (replay, error);
  return good;
}

/* What lanes decide after the last recorded piece. */
static gboolean
handle_rest (Replay * replay, Lane * lane, GError ** error)
{
  GError *problem = NULL;
  guint64 piece, first = 0, n = 0;

  while (line_replay_lane_peek (lane->lane, &piece, &problem)) {
    first = n++ == 0 ? piece : first;
    line_replay_lane_drop (lane->lane);
  }
  if (problem) {
    g_propagate_error (error, problem);
    return FALSE;
  }
  if (!line_replay_lane_is_whole (lane->lane))
    lane->later += n;
  for (guint64 i = 0; i < n && line_replay_lane_is_whole (lane->lane); i++)
    add_single (replay, lane, first + i, "decided now, but not recorded");
  replay->result->later += lane->later;
  return TRUE;
}

/* Those that matter most first. */
static void
print_differences (const Replay * replay)
{
  const guint n_moved = replay->moved->len;
  const guint n = MIN (n_moved + replay->other->len, MAX_PRINTED);

  for (guint i = 0; i < n; i++)
    fprintf (replay->out, "%s\n", (const char *) (i < n_moved ?
            replay->moved->pdata[i] : replay->other->pdata[i - n_moved]));
  if (replay->result->different > n)
    fprintf (replay->out, "and %" G_GUINT64_FORMAT " more\n",
        replay->result->different - n);
}

/* Those that a piece has left or come to, in order. */
static GArray *
find_outlets (const Replay * replay)
{
  GArray *outlets = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree guint8 *is_there = g_malloc0 (LINE_MAX_OUTLET + 1);
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, replay->moves);
  while (g_hash_table_iter_next (&iter, &key, NULL)) {
    const guint from = GPOINTER_TO_UINT (key) >> 16;
    const guint to = GPOINTER_TO_UINT (key) & 0xffff;

    if (from != to)
      is_there[from] = is_there[to] = TRUE;
  }
  for (guint i = 0; i <= LINE_MAX_OUTLET; i++)
    if (is_there[i])
      g_array_append_val (outlets, i);
  return outlets;
}

/* A table, a row for each outlet of the recording and a column for each outlet
 * now, of those that a piece has left or come to; nothing without. */
static void
print_moves (const Replay * replay)
{
  g_autoptr (GArray) outlets = find_outlets (replay);
  FILE *out = replay->out;

  if (outlets->len > 0)
    fprintf (out, "pieces by outlet: recorded in rows, now in columns\n%8s",
        "");
  for (guint i = 0; i < outlets->len; i++)
    fprintf (out, "%8u", g_array_index (outlets, guint, i));
  for (guint i = 0; i < outlets->len; i++) {
    const guint from = g_array_index (outlets, guint, i);

    fprintf (out, "\n%8u", from);
    for (guint j = 0; j < outlets->len; j++)
      fprintf (out, "%8" G_GSIZE_FORMAT, count_moves (replay, from,
              g_array_index (outlets, guint, j)));
  }
  if (outlets->len > 0)
    fputc ('\n', out);
}

static void
print_sums (const Replay * replay)
{
  const LineReplayResult *result = replay->result;

  print_moves (replay);
  for (guint i = 0; i < replay->config->lanes->len; i++)
    if (!line_replay_lane_is_whole (replay->lanes[i].lane))
      fprintf (replay->out, "%s: the recording ends before the lane's end: %"
          G_GUINT64_FORMAT " later pieces were not compared\n",
          replay->lanes[i].name, replay->lanes[i].later);
  fprintf (replay->out, "%" G_GUINT64_FORMAT " pieces, %" G_GUINT64_FORMAT
      " differ, %" G_GUINT64_FORMAT " go to another outlet\n", result->pieces,
      result->different, result->moved);
}

static gboolean
open_lanes (Replay * replay, const char *folder, GError ** error)
{
  gboolean good = TRUE;

  for (guint i = 0; i < replay->config->lanes->len && good; i++) {
    const LineLaneConfig *config = &g_array_index (replay->config->lanes,
        LineLaneConfig, i);
    Lane *lane = &replay->lanes[i];

    lane->name = config->name;
    lane->lane = line_replay_lane_new (folder, replay->config, config,
        replay->recipes, error);
    good = lane->lane != NULL;
  }
  return good;
}

static gboolean
open_folder (Replay * replay, const char *folder, const char *recipe,
    GError ** error)
{
  g_autofree char *path = g_build_filename (folder, "line.ini", NULL);

  replay->path = g_build_filename (folder, "decisions.jsonl", NULL);
  if (g_file_test (path, G_FILE_TEST_EXISTS))
    replay->config = line_config_load (path, error);
  else
    line_fail (error, LINE_ERROR_FILE, "%s is not there: the folder must be "
        "that of a run that was recorded", path);
  if (replay->config)
    replay->recipes = line_replay_recipes_new (folder,
        replay->config->geometries, recipe, error);
  return replay->recipes && open_lanes (replay, folder, error);
}

static void
close_folder (Replay * replay)
{
  for (guint i = 0; i < LINE_MAX_LANES; i++)
    g_clear_pointer (&replay->lanes[i].lane, line_replay_lane_free);
  g_clear_pointer (&replay->recipes, line_replay_recipes_free);
  g_clear_pointer (&replay->config, line_config_free);
  g_hash_table_unref (replay->moves);
  g_ptr_array_unref (replay->moved);
  g_ptr_array_unref (replay->other);
  g_free (replay->path);
  g_free (replay);
}

gboolean
line_replay (const char *folder, const char *recipe, FILE * out,
    LineReplayResult * result, GError ** error)
{
  Replay *replay = g_new0 (Replay, 1);

  memset (result, 0, sizeof (*result));
  replay->out = out;
  replay->result = result;
  replay->has_other_recipe = recipe != NULL;
  replay->moves = g_hash_table_new (NULL, NULL);
  replay->moved = g_ptr_array_new_with_free_func (g_free);
  replay->other = g_ptr_array_new_with_free_func (g_free);
  gboolean good = open_folder (replay, folder, recipe, error)
      && handle_lines (replay, folder, error);
  for (guint i = 0; good && i < replay->config->lanes->len; i++)
    good = handle_rest (replay, &replay->lanes[i], error);
  if (good) {
    print_differences (replay);
    print_sums (replay);
  }
  close_folder (replay);
  return good;
}
