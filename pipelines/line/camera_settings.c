/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "camera_settings.h"

#include "geometry_settings.h"

#include <string.h>

static const char *const triggers[] = { "software", "hardware", NULL };

void
line_camera_config_free (LineCameraConfig * cameras)
{
  g_strfreev (cameras->ids);
  g_free (cameras->trigger_source);
  g_free (cameras->trigger_activation);
  g_free (cameras->pixel_format);
  g_free (cameras->features);
  g_free (cameras);
}

/* NULL if the key is missing. */
static char *
read_optional (LineIni * ini, const char *group, const char *key)
{
  return line_ini_has (ini, group, key) ?
      line_ini_string (ini, group, key, NULL) : NULL;
}

static gboolean
is_named_before (char **ids, guint n, const char *id)
{
  for (guint i = 0; i < n; i++)
    if (strcmp (ids[i], id) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
is_of_another_lane (const LineConfig * config, const char *id)
{
  for (guint i = 0; i < config->lanes->len; i++) {
    const LineCameraConfig *cameras =
        g_array_index (config->lanes, LineLaneConfig, i).cameras;

    if (cameras && is_named_before (cameras->ids,
            g_strv_length (cameras->ids), id))
      return TRUE;
  }
  return FALSE;
}

static void
read_ids (LineIni * ini, const char *group, const LineConfig * config,
    guint views, LineCameraConfig * cameras)
{
  cameras->ids = line_ini_list (ini, group, "cameras");
  guint n = g_strv_length (cameras->ids);
  if (n != views)
    line_ini_problem (ini, group, "cameras", "\"cameras\" must have the id or "
        "address of a camera for each view, in their order, between "
        "semicolons: %u, as \"tilt\" has, not %u (arv-tool-0.8 lists ids)",
        views, n);
  for (guint i = 0; i < n; i++)
    if (is_named_before (cameras->ids, i, cameras->ids[i])
        || is_of_another_lane (config, cameras->ids[i]))
      line_ini_problem (ini, group, "cameras", "\"cameras\" has the camera "
          "\"%s\" that another view has", cameras->ids[i]);
}

/* Of trigger=hardware. */
static void
read_input (LineIni * ini, const char *group, guint views,
    LineCameraConfig * cameras)
{
  static const char *const keys[] = { "trigger-source", "trigger-activation",
    "min-cameras"
  };

  cameras->trigger_source =
      line_ini_string (ini, group, "trigger-source", "Line0");
  cameras->trigger_activation =
      line_ini_string (ini, group, "trigger-activation", "RisingEdge");
  cameras->min_cameras = line_ini_integer (ini, group, "min-cameras", 1,
      views, MIN (views, 2));
  for (guint i = 0; i < G_N_ELEMENTS (keys) && !cameras->is_hardware; i++)
    if (line_ini_has (ini, group, keys[i])) {
      line_ini_problem (ini, group, keys[i], "\"trigger-source\", "
          "\"trigger-activation\" and \"min-cameras\" are for "
          "trigger=hardware");
      return;
    }
}

static void
read_trigger (LineIni * ini, const char *group, guint views,
    LineCameraConfig * cameras)
{
  g_autofree char *trigger =
      line_ini_string (ini, group, "trigger", "software");
  const gint found = line_ini_find (triggers, trigger);

  if (found < 0)
    line_ini_problem (ini, group, "trigger", "\"trigger\" is software (the line "
        "triggers the cameras) or hardware (a light barrier does), not \"%s\"",
        trigger);
  cameras->is_hardware = found == 1;
  read_input (ini, group, views, cameras);
}

LineCameraConfig *
line_camera_config_read (LineIni * ini, const char *group,
    const LineConfig * config, guint views)
{
  LineCameraConfig *cameras = g_new0 (LineCameraConfig, 1);

  read_ids (ini, group, config, views, cameras);
  read_trigger (ini, group, views, cameras);
  cameras->pixel_format = read_optional (ini, group, "pixel-format");
  cameras->features = read_optional (ini, group, "features");
  line_views_read (ini, group, "exposure-us", 1, 10e6, views,
      cameras->exposure_us);
  line_views_read (ini, group, "gain", 0, 1000, views, cameras->gain);
  line_views_read (ini, group, "offset-x", 0, 65535, views, cameras->offset_x);
  line_views_read (ini, group, "offset-y", 0, 65535, views, cameras->offset_y);
  cameras->packet_size =
      line_ini_integer (ini, group, "packet-size", 0, 16000, 0);
  cameras->timeout_ms = line_ini_integer (ini, group, "frame-timeout-ms", 1,
      60000, MAX (config->deadline_ms * 7 / 10, 1));
  cameras->retention_ms =
      line_ini_integer (ini, group, "frame-retention-ms", 1, 10000, 20);
  return cameras;
}
