/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "settings.h"

#include "camera_settings.h"
#include "geometry_settings.h"
#include "publish/names.h"
#include "publish_line.h"
#include "scene.h"

#include <math.h>
#include <string.h>

static const char *const sources[] = { "simulate", "replay", "camera", NULL };

const char *const line_backends[] = { "auto", "cpu", "cuda", NULL };

static void
clear_lane (gpointer data)
{
  LineLaneConfig *lane = data;

  g_free (lane->name);
  g_free (lane->location);
  g_clear_pointer (&lane->cameras, line_camera_config_free);
  g_strfreev (lane->network);
}

void
line_config_free (LineConfig * config)
{
  g_bytes_unref (config->text);
  g_free (config->address);
  g_strfreev (config->hosts);
  g_free (config->folder);
  g_free (config->name);
  g_free (config->recipe);
  g_free (config->recipes);
  g_free (config->tokens);
  g_free (config->output);
  line_plc_settings_clear (&config->plc);
  g_clear_pointer (&config->publish, line_publish_config_free);
  g_array_free (config->lanes, TRUE);
  g_ptr_array_unref (config->geometries);
  g_free (config);
}

const LineLaneConfig *
line_config_get_lane (const LineConfig * config, guint lane)
{
  return &g_array_index (config->lanes, LineLaneConfig, lane);
}

/* A path beside the file. */
static char *
read_path (LineIni * ini, const char *file, const char *group,
    const char *key, const char *fallback)
{
  g_autofree char *value = line_ini_string (ini, group, key, fallback);
  g_autofree char *folder = g_path_get_dirname (file);

  return g_path_is_absolute (value) ? g_strdup (value) :
      g_build_filename (folder, value, NULL);
}

static LineClass
read_blemish (LineIni * ini, const char *group)
{
  g_autofree char *blemish = line_ini_string (ini, group, "blemish", "none");
  gint found = line_ini_find (line_scene_classes, blemish);

  if (found < LINE_CLASS_BRUISE && strcmp (blemish, "none") != 0)
    line_ini_problem (ini, group, "blemish", "\"blemish\" is none, bruise, "
        "rot, scab, russet, hail, scar or insect, not \"%s\"", blemish);
  return found < LINE_CLASS_BRUISE ? LINE_CLASS_BELT : (LineClass) found;
}

/* Returns: bits */
static guint32
read_dark (LineIni * ini, const char *group, guint views)
{
  g_auto (GStrv) names = line_ini_list (ini, group, "dark");
  guint32 dark = 0;

  for (guint i = 0; names[i]; i++) {
    guint64 view;

    if (g_ascii_string_to_unsigned (names[i], 10, 0, views - 1, &view, NULL))
      dark |= 1u << view;
    else
      line_ini_problem (ini, group, "dark", "\"dark\" has numbers of views, 0 "
          "to %u, between semicolons, not \"%s\"", views - 1, names[i]);
  }
  return dark;
}

/* What a simulated lane shows. */
static void
read_simulation (LineIni * ini, const char *group, const LineConfig * config,
    LineLaneConfig * lane)
{
  lane->seed = line_ini_integer (ini, group, "seed", 0, G_MAXUINT32,
      config->lanes->len + 1);
  lane->triggers =
      line_ini_integer (ini, group, "triggers", 0, G_MAXUINT32, 600);
  lane->noise_seed =
      line_ini_integer (ini, group, "noise-seed", 0, G_MAXUINT32, 1);
  lane->burst = line_ini_integer (ini, group, "burst", 0, 100000, 0);
  lane->empty = line_ini_number (ini, group, "empty", 0, 1, 0);
  lane->blemish = read_blemish (ini, group);
  lane->slip = line_ini_number (ini, group, "slip", 0, 60, 0);
  lane->still = line_ini_number (ini, group, "still", 0, 1, 0);
  lane->hop = line_ini_number (ini, group, "hop", 0, 1, 0);
  if (lane->still + lane->hop > 1)
    line_ini_problem (ini, group, "hop", "\"still\" and \"hop\" are shares of "
        "the same pieces: together at most 1");
  lane->irregular = line_ini_number (ini, group, "irregular", 0, 0.03, 0);
  lane->dark = read_dark (ini, group, lane->geometry->views);
  lane->dark_from =
      line_ini_integer (ini, group, "dark-from", 0, G_MAXUINT32, 0);
}

/* A command line, as a shell would split it. Cameras have no tensors without. */
static void
read_network (LineIni * ini, const char *group, LineLaneConfig * lane)
{
  g_autofree char *text = line_ini_string (ini, group, "network",
      lane->source == LINE_SOURCE_CAMERA ? NULL : "");
  g_autoptr (GError) error = NULL;

  if (*text && !g_shell_parse_argv (text, NULL, &lane->network, &error))
    line_ini_problem (ini, group, "network", "\"network\" is no command: %s",
        error->message);
  lane->network_timeout_ms =
      line_ini_integer (ini, group, "network-timeout-ms", 1, 60000, 1000);
  lane->network_start_ms =
      line_ini_integer (ini, group, "network-start-ms", 1, 60000, 20000);
}

static void
read_lane (LineIni * ini, LineConfig * config, const char *file,
    const char *group, const char *name)
{
  LineLaneConfig lane = { g_strdup (name) };
  g_autofree char *source = line_ini_string (ini, group, "source", NULL);
  gint found = line_ini_find (sources, source);

  if (!line_name_is_lane (name))
    line_ini_problem (ini, group, NULL, LINE_LANE_NAME_RULE);
  if (found < 0 && *source)
    line_ini_problem (ini, group, "source",
        "\"source\" is simulate, replay or camera, not \"%s\"", source);
  lane.source = (LineSource) MAX (found, 0);
  lane.geometry = line_geometry_read (ini, name, config->geometries);
  if (lane.source == LINE_SOURCE_REPLAY) {
    lane.location = read_path (ini, file, group, "location", NULL);
    lane.is_repeated = line_ini_boolean (ini, group, "repeat", FALSE);
  } else if (lane.source == LINE_SOURCE_CAMERA) {
    lane.cameras = line_camera_config_read (ini, group, config,
        lane.geometry->views);
    read_network (ini, group, &lane);
  } else {
    read_simulation (ini, group, config, &lane);
    read_network (ini, group, &lane);
  }
  g_array_append_val (config->lanes, lane);
}

/* Where the page is, and by which names it is asked for. */
static void
read_page (LineIni * ini, LineConfig * config)
{
  config->port = line_ini_integer (ini, "line", "port", 0, 65535, 0);
  config->address = line_ini_string (ini, "line", "address", "127.0.0.1");
  if (*config->address && !line_name_is_host (config->address))
    line_ini_problem (ini, "line", "address", LINE_HOST_RULE, "address");
  config->hosts = line_ini_list (ini, "line", "hosts");
  for (guint i = 0; config->hosts[i]; i++)
    if (config->hosts[i][strcspn (config->hosts[i], "/: \t")])
      line_ini_problem (ini, "line", "hosts", "\"hosts\" are names alone, as "
          "packhouse.example is, with semicolons between them, not \"%s\"",
          config->hosts[i]);
}

/* How long decisions stay, and where they go. */
static void
read_spool (LineIni * ini, LineConfig * config, const char *file)
{
  config->segment_bytes = (guint64) (1e6 * line_ini_number (ini, "line",
          "segment-mb", 0.01, 1e6, 0));
  config->keep_bytes = (guint64) (1e6 * line_ini_number (ini, "line", "keep-mb",
          0.01, 1e9, 0));
  config->keep_days = line_ini_number (ini, "line", "keep-days", 0.01, 1e5, 0);
  if (config->segment_bytes == 0 && (config->keep_bytes > 0
          || config->keep_days > 0))
    line_ini_problem (ini, "line", config->keep_bytes > 0 ? "keep-mb" :
        "keep-days", "\"keep-mb\" and \"keep-days\" need \"segment-mb\": only "
        "whole files are deleted");
  config->publish = line_publish_config_read (ini, file,
      &line_publish_decisions, config->name);
  if (config->publish)
    line_publish_config_set_page (ini, config->publish, config->address,
        config->port);
}

static void
read_lanes (LineIni * ini, LineConfig * config, const char *file)
{
  const char *const *groups = line_ini_groups (ini);
  guint n = 0;

  for (guint i = 0; groups[i]; i++) {
    const char *name = line_ini_group_name (ini, groups[i], "lane");

    if (name && n++ < LINE_MAX_LANES)
      read_lane (ini, config, file, groups[i], name);
  }
  if (n == 0 || n > LINE_MAX_LANES)
    line_ini_problem (ini, "line", NULL, "there must be 1 to %d groups "
        "[lane NAME], not %u", LINE_MAX_LANES, n);
  if (n == 0)
    line_geometry_read (ini, "", config->geometries);
  line_geometry_check_names (ini);
}

LineConfig *
line_config_parse (const char *name, const char *text, gsize size,
    GError ** error)
{
  LineConfig *config = g_new0 (LineConfig, 1);
  g_autoptr (LineIni) ini = line_ini_new (name, text, size);

  config->text = g_bytes_new (text, size);
  config->lanes = g_array_new (FALSE, TRUE, sizeof (LineLaneConfig));
  g_array_set_clear_func (config->lanes, clear_lane);
  config->geometries = g_ptr_array_new_with_free_func (line_geometry_free);
  config->folder = g_path_get_dirname (name);
  config->name = line_ini_string (ini, "line", "name", NULL);
  if (*config->name && !line_name_is_good (config->name))
    line_ini_problem (ini, "line", "name", "\"%s\": " LINE_NAME_RULE,
        config->name);
  config->recipe = read_path (ini, name, "line", "recipe", NULL);
  config->output = read_path (ini, name, "line", "output", NULL);
  if (line_ini_has (ini, "line", "recipes"))
    config->recipes = read_path (ini, name, "line", "recipes", NULL);
  if (line_ini_has (ini, "line", "token-file"))
    config->tokens = read_path (ini, name, "line", "token-file", NULL);
  config->deadline_ms =
      line_ini_integer (ini, "line", "deadline-ms", 1, 60000, -1);
  config->triggers_per_second =
      line_ini_number (ini, "line", "triggers-per-second", 0.1, 1000, 10);
  g_autofree char *backend = line_ini_string (ini, "line", "backend", "auto");
  const gint found = line_ini_find (line_backends, backend);

  if (found < 0 && *backend)
    line_ini_problem (ini, "line", "backend",
        "\"backend\" is auto, cpu or cuda, not \"%s\"", backend);
  config->backend = (LineBackend) MAX (found, 0);
  config->cuda_device_id =
      line_ini_integer (ini, "line", "cuda-device-id", -1, 1024, -1);
  config->pictures = line_ini_integer (ini, "line", "pictures", 0, 999, 64);
  read_page (ini, config);
  config->record = line_ini_boolean (ini, "line", "record", FALSE);
  line_shifts_read (ini, "line", "shifts", &config->shifts);
  read_spool (ini, config, name);
  read_lanes (ini, config, name);
  line_plc_settings_read (ini, config->lanes->len, config->deadline_ms,
      config->triggers_per_second, &config->plc);
  gboolean good = line_ini_check (ini, error);
  if (!good)
    g_clear_pointer (&config, line_config_free);
  return config;
}

LineConfig *
line_config_load (const char *path, GError ** error)
{
  g_autofree char *text = NULL;
  gsize size;

  return line_ini_load (path, &text, &size, error) ?
      line_config_parse (path, text, size, error) : NULL;
}
