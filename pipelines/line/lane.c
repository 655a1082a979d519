/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lane.h"

#include <errno.h>

#include "blocks.h"
#include "deciders.h"
#include "finder.h"
#include "recording.h"
#include "skin.h"
#include "source.h"
#include "turns.h"

typedef struct
{
  const LineConfig *config;
  const LineLaneConfig *lane;
  LineTensors *tensors;
  /* @events: NULL if it is not recorded */
  FILE *out, *events;
  LineFinder *finder;
  LineBlocks *blocks;
  /* (nullable): without a network; if the recipe does not ask for colours */
  LineTurns *turns;
  LineSkin *skin;
  LineDeciders *deciders;
  /* as it is computed */
  gint64 time;
  /* pieces of each outlet */
  GHashTable *outlets;
  gint64 told_at, complained_at;
  GError *error;
} Lane;

/* Blocks of tensors: an element may hold the previous one for a moment. */
#define BLOCKS 4

/* Microseconds from one line of progress to the next, and from one of unfit
 * tensors */
#define TELL_AFTER (2 * G_USEC_PER_SEC)
#define COMPLAIN_AFTER G_USEC_PER_SEC

static void
print_progress (Lane * lane, guint64 trigger)
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

static void
complain (Lane * lane, const char *complaint)
{
  const gint64 now = g_get_monotonic_time ();

  if (lane->complained_at && now - lane->complained_at < COMPLAIN_AFTER)
    return;
  lane->complained_at = now;
  g_printerr ("%s: %s\n", lane->lane->name, complaint);
}

static gint
compare_outlets (gconstpointer a, gconstpointer b)
{
  const guint x = GPOINTER_TO_UINT (a), y = GPOINTER_TO_UINT (b);

  return (x > y) - (x < y);
}

static void
print_outlets (const Lane * lane)
{
  g_autoptr (GList) keys = g_list_sort (g_hash_table_get_keys (lane->outlets),
      compare_outlets);
  g_autoptr (GString) text = g_string_new (lane->lane->name);

  for (GList * at = keys; at; at = at->next)
    g_string_append_printf (text, "%s outlet %u: %u", at == keys ? ":" : ",",
        GPOINTER_TO_UINT (at->data),
        GPOINTER_TO_UINT (g_hash_table_lookup (lane->outlets, at->data)));
  g_print ("%s\n", text->str);
}

static void
write_decision (const LineDecision * decision, gpointer user)
{
  Lane *lane = user;
  gpointer key = GUINT_TO_POINTER (decision->outcome->outlet);

  if (lane->error)
    return;
  g_autofree char *json = line_decision_to_json (decision);
  if (fputs (json, lane->out) == EOF)
    g_set_error (&lane->error, LINE_ERROR, LINE_ERROR_FILE,
        "decisions cannot be written: %s", g_strerror (errno));
  g_hash_table_insert (lane->outlets, key,
      GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (lane->outlets,
                  key)) + 1));
}

static gint64
read_clock (gpointer user)
{
  return ((Lane *) user)->time;
}

/* Takes @bytes. */
static void
write_events (Lane * lane, GBytes * bytes)
{
  gsize size = 0;
  const guint8 *data = bytes ? g_bytes_get_data (bytes, &size) : NULL;

  if (!lane->error && (!bytes || fwrite (data, 1, size, lane->events) != size))
    g_set_error (&lane->error, LINE_ERROR, LINE_ERROR_FILE, "its recording "
        "cannot be written: %s", g_strerror (bytes ? errno : ENOMEM));
  g_clear_pointer (&bytes, g_bytes_unref);
}

static void
record (guint index, const LineEvent * event, gpointer user)
{
  Lane *lane = user;

  if (lane->events)
    write_events (lane, line_recording_encode (event));
}

/* @lost: set, views that have none. Returns: FALSE at the end, or with the
 * lane's error set */
static gboolean
find_shapes (Lane * lane, guint64 trigger, LineView * views,
    LineLostViews * lost)
{
  gpointer data = line_blocks_take (lane->blocks), pictures;

  if (!data) {
    g_set_error (&lane->error, LINE_ERROR, LINE_ERROR_RUN,
        "there is not enough memory for the tensors of a trigger");
    return FALSE;
  }
  if (line_tensors_next (lane->tensors, data,
          line_finder_get_size (lane->finder), lost, &lane->error)
      != LINE_TENSORS_GOOD) {
    line_block_give (data);
    return FALSE;
  }
  const char *complaint = line_tensors_get_complaint (lane->tensors);
  if (complaint)
    complain (lane, complaint);
  if (line_lost_views_get_all (lost)
      == (1u << lane->lane->geometry->views) - 1) {
    line_block_give (data);
    return TRUE;
  }
  if (!line_finder_run (lane->finder, data, views, &lane->error))
    return FALSE;
  pictures = line_tensors_take_pictures (lane->tensors);
  if (pictures && lane->turns)
    line_turns_find (lane->turns, trigger, pictures,
        line_lost_views_get_all (lost), views);
  if (pictures && lane->skin)
    line_skin_measure (lane->skin, pictures, line_lost_views_get_all (lost),
        views);
  g_clear_pointer (&pictures, line_block_give);
  return TRUE;
}

static gboolean
run_trigger (Lane * lane, guint64 trigger)
{
  LineView views[LINE_MAX_VIEWS] = { {0} };
  LineEvent event = {.type = LINE_EVENT_TRIGGER,.came = lane->time };
  LineLostViews lost;

  if (!find_shapes (lane, trigger, views, &lost))
    return FALSE;
  guint32 all = line_lost_views_get_all (&lost);
  line_deciders_handle (lane->deciders, &event);
  for (guint i = 0; i < LINE_N_LOSSES; i++)
    for (guint v = 0; v < lane->lane->geometry->views; v++) {
      LineEvent loss = {.type = LINE_EVENT_LOST,.trigger = trigger,.view = v,
          .loss = i };

      if (lost.by[i] & (1u << v))
        line_deciders_handle (lane->deciders, &loss);
    }
  for (guint v = 0; v < lane->lane->geometry->views; v++)
    if (all & (1u << v))
      line_view_clear (&views[v]);
    else {
      /* The shapes of a view have been found. Takes @view. */
      LineEvent look = {.type = LINE_EVENT_LOOK,.trigger = trigger,.view = v,
          .seen = g_new (LineSeen, 1) };

      *look.seen = (LineSeen) {views[v], lane->time, lane->time};
      line_deciders_handle (lane->deciders, &look);
    }
  return lane->error == NULL;
}

static void
run (Lane * lane, LineRecipe * recipe)
{
  LineEvent first = {.type = LINE_EVENT_RECIPE,
    .recipe = line_recipe_ref (recipe)
  };
  LineEvent last = {.type = LINE_EVENT_FINISH };
  const guint64 n = line_tensors_count (lane->tensors,
      line_finder_get_size (lane->finder));

  if (lane->events)
    write_events (lane, line_recording_head ());
  line_deciders_handle (lane->deciders, &first);
  for (guint64 t = 0; (!n || t < n) && run_trigger (lane, t); t++) {
    lane->time = (gint64) ((t + 1) * 1e9 / lane->config->triggers_per_second);
    print_progress (lane, t + 1);
  }
  if (!lane->error)
    line_deciders_handle (lane->deciders, &last);
}

static gboolean
check_lane (const LineLaneConfig * lane_config, GError ** error)
{
  if (lane_config->source == LINE_SOURCE_SIMULATE && lane_config->triggers == 0)
    return line_fail (error, LINE_ERROR_RUN, "lane %s has no end (\"triggers\" "
        "is 0), and can only be run in real time", lane_config->name);
  if (lane_config->is_repeated)
    return line_fail (error, LINE_ERROR_RUN, "lane %s has no end (\"repeat\" "
        "is true), and can only be run in real time", lane_config->name);
  if (lane_config->source == LINE_SOURCE_CAMERA)
    return line_fail (error, LINE_ERROR_RUN, "lane %s has cameras, and can "
        "only be run in real time", lane_config->name);
  return TRUE;
}

gboolean
line_lane_run (const LineConfig * config, const LineLaneConfig * lane_config,
    LineRecipe * recipe, FILE * out, FILE * events, GError ** error)
{
  Lane lane = { config, lane_config,.out = out,.events = events,
    .told_at = g_get_monotonic_time ()
  };

  if (!check_lane (lane_config, error))
    return FALSE;
  lane.tensors = line_tensors_new (config, lane_config, recipe, error);
  if (!lane.tensors)
    return FALSE;
  lane.outlets = g_hash_table_new (NULL, NULL);
  lane.finder = line_finder_new (config, lane_config->geometry, recipe,
      &lane.error);
  if (lane.finder) {
    LineDecider *decider = line_decider_new (LINE_RULES_2, lane.config,
        lane.lane, recipe, NULL, write_decision, &lane);

    /* nothing waits in a queue: each event is handled when it happens */
    lane.deciders = line_deciders_new (&decider, 1, NULL, read_clock, record,
        &lane);
    lane.blocks = line_blocks_new (line_finder_get_size (lane.finder), BLOCKS,
        NULL);
    if (lane_config->network)
      lane.turns = line_turns_new (lane_config->geometry, recipe);
    if (recipe->has_colour)
      lane.skin = line_skin_new (lane_config->geometry, recipe);
    run (&lane, recipe);
    /* Of all triggers. */
    const LineCounts counts = line_deciders_get_counts (lane.deciders, 0);
    g_autoptr (GString) text = g_string_new (NULL);
    for (guint i = 0; i < LINE_N_LOSSES; i++)
      if (counts.losses[i] > 0)
        g_string_append_printf (text, "%s %s: %" G_GUINT64_FORMAT,
            text->len > 0 ? "," : "", line_loss_names[i], counts.losses[i]);
    if (text->len > 0)
      g_printerr ("%s: lost views of triggers:%s\n", lane.lane->name,
          text->str);
    g_clear_pointer (&lane.turns, line_turns_free);
    g_clear_pointer (&lane.skin, line_skin_free);
    line_deciders_free (lane.deciders);
    line_finder_free (lane.finder);
    line_blocks_free (lane.blocks);
  }
  if (!lane.error)
    print_outlets (&lane);
  line_tensors_free (lane.tensors);
  g_hash_table_unref (lane.outlets);
  if (!lane.error)
    return TRUE;
  g_propagate_prefixed_error (error, lane.error, "lane %s: ",
      lane_config->name);
  return FALSE;
}
