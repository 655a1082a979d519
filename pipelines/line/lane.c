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

typedef struct
{
  const LineConfig *config;
  const LineLaneConfig *lane;
  LineRecipe *recipe;
  FILE *in, *out;
  LineFinder *finder;
  LineTable *table;
  GError *error;
} Lane;

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
    .measures = &measures,.outcome = &outcome,.encoder = -1
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
  line_outcome_clear (&outcome);
}

/* Returns: FALSE at the end of the file, or with the lane's error set */
static gboolean
replay_trigger (Lane * lane, guint64 trigger, gint64 time)
{
  gsize size = line_finder_get_size (lane->finder), n;
  LineView views[LINE_MAX_VIEWS];
  gpointer tensors = cs_try_malloc (size);

  if (!tensors) {
    g_set_error (&lane->error, LINE_ERROR, LINE_ERROR_RUN,
        "there is not enough memory for the tensors of a trigger");
    return FALSE;
  }
  n = fread (tensors, 1, size, lane->in);
  if (n < size) {
    if (n > 0 || ferror (lane->in))
      g_set_error (&lane->error, LINE_ERROR, LINE_ERROR_FILE, "%s: trigger %"
          G_GUINT64_FORMAT " has %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT
          " bytes: a trigger is views x rows x columns x classes floats",
          lane->lane->location, trigger, n, size);
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
  for (guint64 t = 0; replay_trigger (lane, t, time); t++)
    time = (gint64) ((t + 1) * 1e9 / lane->config->triggers_per_second);
  line_table_free (lane->table);
}

gboolean
line_lane_replay (const LineConfig * config, const LineLaneConfig * lane_config,
    LineRecipe * recipe, FILE * out, GError ** error)
{
  Lane lane = { config, lane_config, recipe,.out = out };

  lane.in = fopen (lane_config->location, "rb");
  if (!lane.in) {
    g_set_error (error, LINE_ERROR, LINE_ERROR_FILE, "%s: %s",
        lane_config->location, g_strerror (errno));
    return FALSE;
  }
  lane.finder = line_finder_new (&config->geometry, recipe,
      config->cuda_device_id, &lane.error);
  if (lane.finder) {
    replay_file (&lane);
    line_finder_free (lane.finder);
  }
  fclose (lane.in);
  if (!lane.error)
    return TRUE;
  g_propagate_error (error, lane.error);
  return FALSE;
}
