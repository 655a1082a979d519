/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lane.h"

#include <errno.h>
#include <string.h>

#include "blocks.h"
#include "desk.h"
#include "finder.h"
#include "source.h"
#include "turns.h"

typedef struct
{
  const LineConfig *config;
  const LineLaneConfig *lane;
  LineTensors *tensors;
  FILE *out;
  LineFinder *finder;
  LineBlocks *blocks;
  LineTurns *turns;
  LineDesk *desk;
  /* pieces of each outlet */
  GHashTable *outlets;
  gint64 told_at;
  GError *error;
} Lane;

/* An element may hold the one before for a moment. */
#define BLOCKS 4

/* Microseconds from one line of progress to the next */
#define TELL_AFTER (2 * G_USEC_PER_SEC)

static void
tell_progress (Lane * lane, guint64 trigger)
{
  const gint64 now = g_get_monotonic_time ();

  if (now - lane->told_at < TELL_AFTER)
    return;
  lane->told_at = now;
  if (lane->lane->source == LINE_SOURCE_SIMULATE)
    g_printerr ("%s: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
        " triggers\n", lane->lane->name, trigger, lane->lane->triggers);
  else
    g_printerr ("%s: %" G_GUINT64_FORMAT " triggers\n", lane->lane->name,
        trigger);
}

static gint
compare_outlets (gconstpointer a, gconstpointer b)
{
  const guint x = GPOINTER_TO_UINT (a), y = GPOINTER_TO_UINT (b);

  return (x > y) - (x < y);
}

static void
count_outlet (Lane * lane, guint outlet)
{
  gpointer key = GUINT_TO_POINTER (outlet);

  g_hash_table_insert (lane->outlets, key, GUINT_TO_POINTER
      (GPOINTER_TO_UINT (g_hash_table_lookup (lane->outlets, key)) + 1));
}

static void
tell_outlets (const Lane * lane)
{
  GList *keys = g_list_sort (g_hash_table_get_keys (lane->outlets),
      compare_outlets);
  GString *text = g_string_new (lane->lane->name);

  for (GList * at = keys; at; at = at->next)
    g_string_append_printf (text, "%s outlet %u: %u", at == keys ? ":" : ",",
        GPOINTER_TO_UINT (at->data),
        GPOINTER_TO_UINT (g_hash_table_lookup (lane->outlets, at->data)));
  g_print ("%s\n", text->str);
  g_string_free (text, TRUE);
  g_list_free (keys);
}

static void
write_decision (const LineDecision * decision, gpointer user)
{
  Lane *lane = user;
  char *json;

  if (lane->error)
    return;
  json = line_decision_to_json (decision);
  if (fputs (json, lane->out) == EOF)
    g_set_error (&lane->error, LINE_ERROR, LINE_ERROR_FILE,
        "decisions cannot be written: %s", g_strerror (errno));
  g_free (json);
  count_outlet (lane, decision->outcome->outlet);
}

/* Returns: FALSE at the end, or with the lane's error set */
static gboolean
find_shapes (Lane * lane, guint64 trigger, LineView * views)
{
  gpointer data = line_blocks_take (lane->blocks), pictures;
  LineLostViews lost;

  if (!data) {
    g_set_error (&lane->error, LINE_ERROR, LINE_ERROR_RUN,
        "there is not enough memory for the tensors of a trigger");
    return FALSE;
  }
  if (line_tensors_next (lane->tensors, data,
          line_finder_get_size (lane->finder), &lost, &lane->error)
      != LINE_TENSORS_GOOD) {
    line_block_give (data);
    return FALSE;
  }
  if (!line_finder_run (lane->finder, data, views, &lane->error))
    return FALSE;
  pictures = line_tensors_take_pictures (lane->tensors);
  if (pictures) {
    line_turns_find (lane->turns, trigger, pictures, 0, views);
    line_block_give (pictures);
  }
  return TRUE;
}

static gboolean
run_trigger (Lane * lane, guint64 trigger, gint64 time)
{
  LineView views[LINE_MAX_VIEWS];
  LineEvent event = {.type = LINE_EVENT_TRIGGER,.time = time };

  if (!find_shapes (lane, trigger, views))
    return FALSE;
  line_desk_handle (lane->desk, &event);
  for (guint v = 0; v < lane->config->geometry.views; v++) {
    LineEvent look = {.type = LINE_EVENT_LOOK,.time = time,
      .trigger = trigger,.view = v,.seen = g_new (LineSeen, 1)
    };

    *look.seen = (LineSeen) {views[v], time, time};
    line_desk_handle (lane->desk, &look);
  }
  return lane->error == NULL;
}

static void
run (Lane * lane)
{
  gint64 time = 0;

  const guint64 n = line_tensors_count (lane->tensors,
      line_finder_get_size (lane->finder));

  for (guint64 t = 0; (!n || t < n) && run_trigger (lane, t, time); t++) {
    time = (gint64) ((t + 1) * 1e9 / lane->config->triggers_per_second);
    tell_progress (lane, t + 1);
  }
}

gboolean
line_lane_run (const LineConfig * config, const LineLaneConfig * lane_config,
    LineRecipe * recipe, FILE * out, GError ** error)
{
  Lane lane = { config, lane_config,.out = out,
    .told_at = g_get_monotonic_time ()
  };

  if (lane_config->source == LINE_SOURCE_SIMULATE
      && lane_config->triggers == 0) {
    g_set_error (error, LINE_ERROR, LINE_ERROR_RUN, "lane %s has no end "
        "(\"triggers\" is 0), and can only be run in real time",
        lane_config->name);
    return FALSE;
  }
  if (lane_config->source == LINE_SOURCE_CAMERA) {
    g_set_error (error, LINE_ERROR, LINE_ERROR_RUN, "lane %s has cameras, and "
        "can only be run in real time", lane_config->name);
    return FALSE;
  }
  lane.tensors = line_tensors_new (config, lane_config, recipe, error);
  if (!lane.tensors)
    return FALSE;
  lane.outlets = g_hash_table_new (NULL, NULL);
  lane.finder = line_finder_new (config, recipe, &lane.error);
  if (lane.finder) {
    lane.desk = line_desk_new (LINE_RULES_2, config, lane_config, recipe, NULL,
        write_decision, &lane);
    lane.blocks = line_blocks_new (line_finder_get_size (lane.finder), BLOCKS,
        NULL);
    lane.turns = line_turns_new (&config->geometry, recipe);
    run (&lane);
    line_turns_free (lane.turns);
    line_desk_free (lane.desk);
    line_finder_free (lane.finder);
    line_blocks_free (lane.blocks);
  }
  if (!lane.error)
    tell_outlets (&lane);
  line_tensors_free (lane.tensors);
  g_hash_table_unref (lane.outlets);
  if (!lane.error)
    return TRUE;
  g_propagate_prefixed_error (error, lane.error, "lane %s: ",
      lane_config->name);
  return FALSE;
}
