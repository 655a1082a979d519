/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "replay_lane.h"

#include "decider.h"
#include "publish/file.h"
#include "recording.h"

typedef struct
{
  guint64 piece;
  char *json;
} Decided;

/* @decided: of #Decided, which nobody has taken yet */
struct _LineReplayLane
{
  const LineConfig *config;
  const LineLaneConfig *lane;
  LineReplayRecipes *recipes;
  char *path;
  LineRecording *recording;
  LineDecider *decider;
  GQueue decided;
  gboolean is_whole;
};

static void
keep (const LineDecision * decision, gpointer user)
{
  LineReplayLane *lane = user;
  Decided *decided = g_new (Decided, 1);

  decided->piece = line_decision_get_number (decision);
  decided->json = line_decision_to_json (decision);
  g_queue_push_tail (&lane->decided, decided);
}

LineReplayLane *
line_replay_lane_new (const char *folder, const LineConfig * config,
    const LineLaneConfig * lane_config, LineReplayRecipes * recipes,
    GError ** error)
{
  LineReplayLane *lane = g_new0 (LineReplayLane, 1);
  g_autofree char *name = g_strconcat (lane_config->name, ".events", NULL);

  lane->config = config;
  lane->lane = lane_config;
  lane->recipes = recipes;
  lane->path = g_build_filename (folder, name, NULL);
  g_queue_init (&lane->decided);
  FILE *file = line_file_open_stream (lane->path, error);
  if (file)
    lane->recording = line_recording_open (file, lane->path, error);
  if (!lane->recording)
    g_clear_pointer (&lane, line_replay_lane_free);
  return lane;
}

void
line_replay_lane_free (LineReplayLane * lane)
{
  while (lane->decided.length > 0)
    line_replay_lane_drop (lane);
  g_clear_pointer (&lane->decider, line_decider_free);
  g_clear_pointer (&lane->recording, line_recording_close);
  g_free (lane->path);
  g_free (lane);
}

/* A look has a turn for each cup, or none; and as many tones for each. */
static gboolean
check_cups (const LineReplayLane * lane, const LineEvent * event,
    GError ** error)
{
  const guint cups = lane->lane->geometry->cups;
  const gsize n = event->seen ? event->seen->view.n_turns : 0;

  const gsize n_tones = event->seen ? event->seen->view.n_tones : 0;

  if (n_tones % cups != 0)
    return line_fail (error, LINE_ERROR_INVALID, "%s: byte %" G_GUINT64_FORMAT
        ": a look has %" G_GSIZE_FORMAT " tones; line.ini has %u cups",
        lane->path, line_recording_get_start (lane->recording), n_tones, cups);
  if (n == 0 || n == cups)
    return TRUE;
  return line_fail (error, LINE_ERROR_INVALID, "%s: byte %" G_GUINT64_FORMAT
      ": a look has %" G_GSIZE_FORMAT " turns; line.ini has %u cups",
      lane->path, line_recording_get_start (lane->recording), n, cups);
}

/* A change of the recipe also says that time has passed: it is handled even if
 * the new recipe is the old one. */
static gboolean
prepare (LineReplayLane * lane, LineEvent * event, const char *hash,
    GError ** error)
{
  if (event->type == LINE_EVENT_RECIPE) {
    event->recipe = line_replay_recipes_get (lane->recipes, hash, error);
    if (!event->recipe)
      return FALSE;
  } else if (!lane->decider) {
    return line_fail (error, LINE_ERROR_INVALID, "%s: the first event must "
        "name the recipe (type %d), and is of type %d", lane->path,
        LINE_EVENT_RECIPE, event->type);
  }
  if (!lane->decider)
    lane->decider = line_decider_new (line_recording_get_rules (lane->recording),
        lane->config, lane->lane, event->recipe, NULL, keep, lane);
  lane->is_whole |= event->type == LINE_EVENT_FINISH;
  return TRUE;
}

const char *
line_replay_lane_peek (LineReplayLane * lane, guint64 * piece, GError ** error)
{
  LineEvent event;
  char hash[65];

  while (lane->decided.length == 0) {
    if (!line_recording_next (lane->recording, &event, hash, error))
      return NULL;
    if (!check_cups (lane, &event, error)
        || !prepare (lane, &event, hash, error)) {
      line_event_clear (&event);
      return NULL;
    }
    line_decider_handle (lane->decider, &event);
  }
  Decided *decided = g_queue_peek_head (&lane->decided);
  *piece = decided->piece;
  return decided->json;
}

void
line_replay_lane_drop (LineReplayLane * lane)
{
  Decided *decided = g_queue_pop_head (&lane->decided);

  g_free (decided->json);
  g_free (decided);
}

gboolean
line_replay_lane_is_whole (const LineReplayLane * lane)
{
  return lane->is_whole;
}
