/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "lane.h"

#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "decide.h"
#include "finder.h"
#include "scene.h"

typedef struct
{
  const LineConfig *config;
  const LineLaneConfig *lane;
  LineRecipe *recipe;
  /* one of both has the tensors */
  FILE *in;
  LineScene *scene;
  FILE *out;
  LineFinder *finder;
  LineTable *table;
  /* pieces of each outlet */
  GHashTable *outlets;
  gint64 told_at;
  GError *error;
} Lane;

/* Microseconds from one line of progress to the next */
#define TELL_AFTER (2 * G_USEC_PER_SEC)

static void
tell_progress (Lane * lane, guint64 trigger)
{
  const gint64 now = g_get_monotonic_time ();

  if (now - lane->told_at < TELL_AFTER)
    return;
  lane->told_at = now;
  if (lane->scene)
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
free_view (gpointer data)
{
  line_view_clear (data);
  g_free (data);
}

static void
decide (const LinePiece * piece, gpointer user)
{
  Lane *lane = user;
  const LineGeometry *geometry = &lane->config->geometry;
  const LineView *looks[LINE_MAX_LOOKS];
  LineMeasures measures;
  LineOutcome outcome;
  LineDecision decision = {.line = lane->config->name,
    .lane = lane->lane->name,.software = PACKAGE_VERSION,
    .geometry = geometry,.recipe = lane->recipe,.piece = piece,
    .measures = &measures,.outcome = &outcome,.encoder = -1,
    .is_simulated = lane->scene != NULL
  };
  char *json;

  for (guint i = 0; i < geometry->cups * geometry->views; i++)
    looks[i] = piece->looks[i].data;
  if (lane->error || !line_aggregate (geometry, lane->recipe, looks,
          &measures, &lane->error))
    return;
  line_decide (lane->recipe, &measures, piece->n_looks, piece->status,
      &outcome);
  if (outcome.status == LINE_STATUS_UNDECIDED)
    memset (&measures, 0, sizeof (measures));
  json = line_decision_to_json (&decision);
  if (fputs (json, lane->out) == EOF)
    g_set_error (&lane->error, LINE_ERROR, LINE_ERROR_FILE,
        "decisions cannot be written: %s", g_strerror (errno));
  g_free (json);
  count_outlet (lane, outcome.outlet);
  line_outcome_clear (&outcome);
}

static gboolean
read_trigger (Lane * lane, guint64 trigger, gpointer tensors, gsize size)
{
  gsize n = fread (tensors, 1, size, lane->in);

  if (n == size)
    return TRUE;
  if (n > 0 || ferror (lane->in))
    g_set_error (&lane->error, LINE_ERROR, LINE_ERROR_FILE, "%s: trigger %"
        G_GUINT64_FORMAT " has %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT
        " bytes: a trigger is views x rows x columns x classes floats",
        lane->lane->location, trigger, n, size);
  return FALSE;
}

static gboolean
simulate_trigger (Lane * lane, guint64 trigger, gfloat * tensors, gsize size)
{
  guint views = lane->config->geometry.views;
  gsize step = size / views / sizeof (gfloat);

  if (trigger == lane->lane->triggers)
    return FALSE;
  for (guint v = 0; v < views; v++)
    if (!line_scene_probabilities (lane->scene, trigger, v,
            tensors + v * step, &lane->error))
      return FALSE;
  return TRUE;
}

/* Returns: FALSE at the end, or with the lane's error set */
static gboolean
replay_trigger (Lane * lane, guint64 trigger, gint64 time)
{
  gsize size = line_finder_get_size (lane->finder);
  LineView views[LINE_MAX_VIEWS];
  gpointer tensors = cs_try_malloc (size);
  gboolean is_there;

  if (!tensors) {
    g_set_error (&lane->error, LINE_ERROR, LINE_ERROR_RUN,
        "there is not enough memory for the tensors of a trigger");
    return FALSE;
  }
  is_there = lane->in ? read_trigger (lane, trigger, tensors, size) :
      simulate_trigger (lane, trigger, tensors, size);
  if (!is_there) {
    g_free (tensors);
    return FALSE;
  }
  if (!line_finder_run (lane->finder, tensors, views, &lane->error))
    return FALSE;
  line_table_trigger (lane->table, time);
  for (guint v = 0; v < lane->config->geometry.views; v++) {
    LineView *view = g_new (LineView, 1);

    *view = views[v];
    line_table_look (lane->table, trigger, v, time, view);
  }
  return lane->error == NULL;
}

static void
replay_file (Lane * lane)
{
  const LineGeometry *geometry = &lane->config->geometry;
  gint64 time = 0;

  lane->table = line_table_new (geometry->views, geometry->cups,
      (gint64) lane->config->deadline_ms * 1000000, decide, free_view, lane);
  for (guint64 t = 0; replay_trigger (lane, t, time); t++) {
    time = (gint64) ((t + 1) * 1e9 / lane->config->triggers_per_second);
    tell_progress (lane, t + 1);
  }
  line_table_free (lane->table);
}

static void
open_scene (Lane * lane)
{
  const LineGeometry *geometry = &lane->config->geometry;
  LineSceneParams params;

  if (lane->recipe->n_classes != LINE_SCENE_CLASSES
      || geometry->views > LINE_SCENE_MAX_VIEWS) {
    g_set_error (&lane->error, LINE_ERROR, LINE_ERROR_RUN, "lane %s: a "
        "simulated lane has %d classes and at most %d views, not %u and %u",
        lane->lane->name, LINE_SCENE_CLASSES, LINE_SCENE_MAX_VIEWS,
        lane->recipe->n_classes, geometry->views);
    return;
  }
  line_scene_params_init (&params);
  params.seed = lane->lane->seed;
  params.views = geometry->views;
  params.columns = geometry->columns;
  params.rows = geometry->rows;
  params.cups = geometry->cups;
  params.mm_per_pixel = geometry->mm_per_pixel;
  params.cup_first = geometry->cup_first;
  params.cup_pitch = geometry->cup_pitch;
  params.turn = geometry->turn;
  for (guint v = 0; v < geometry->views; v++)
    params.tilt[v] = geometry->tilt[v];
  lane->scene = line_scene_new (&params, &lane->error);
}

static void
open_source (Lane * lane)
{
  const char *location = lane->lane->location;

  if (lane->lane->source == LINE_SOURCE_SIMULATE) {
    open_scene (lane);
    return;
  }
  lane->in = fopen (location, "rb");
  if (!lane->in)
    g_set_error (&lane->error, LINE_ERROR, LINE_ERROR_FILE, "%s: %s", location,
        g_strerror (errno));
}

gboolean
line_lane_run (const LineConfig * config, const LineLaneConfig * lane_config,
    LineRecipe * recipe, FILE * out, GError ** error)
{
  Lane lane = { config, lane_config, recipe,.out = out,
    .outlets = g_hash_table_new (NULL, NULL),
    .told_at = g_get_monotonic_time ()
  };

  open_source (&lane);
  if (!lane.error)
    lane.finder = line_finder_new (&config->geometry, recipe,
        config->cuda_device_id, &lane.error);
  if (lane.finder) {
    replay_file (&lane);
    line_finder_free (lane.finder);
  }
  if (lane.in)
    fclose (lane.in);
  if (!lane.error)
    tell_outlets (&lane);
  g_clear_pointer (&lane.scene, line_scene_free);
  g_hash_table_unref (lane.outlets);
  if (!lane.error)
    return TRUE;
  g_propagate_error (error, lane.error);
  return FALSE;
}
