/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "report_cameras.h"

#include <math.h>

#include "publish/clock.h"

#define N G_GUINT64_FORMAT

static const LineCameraHealth *
get_health (const LineReport * report, guint lane, guint view)
{
  return &report->lanes[lane].cameras[view];
}

/* Seconds, with three decimals */
static gdouble
get_age (gint64 time)
{
  return round ((line_clock_now () - time) / 1e6) / 1e3;
}

static json_t *
make_camera (const char *lane, guint view, const LineCameraHealth * health)
{
  return json_pack ("{s:s, s:i, s:s, s:s, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:I,"
      " s:o}",
      "lane", lane, "view", (int) view, "camera", health->id,
      "state", health->is_running ? "running" : "gone",
      "state_s", get_age (health->since),
      "frames", (json_int_t) health->frames,
      "incomplete", (json_int_t) health->incomplete,
      "missing", (json_int_t) health->missing,
      "strays", (json_int_t) health->strays,
      "spikes", (json_int_t) health->spikes,
      "missed", (json_int_t) health->missed,
      "reconnects", (json_int_t) health->reconnects,
      "last_frame_s", health->last_time ?
      json_real (get_age (health->last_time)) : json_null ());
}

json_t *
line_report_cameras_to_json (const LineReport * report)
{
  json_t *cameras = json_array ();

  for (guint i = 0; i < report->n_lanes; i++)
    for (guint v = 0; v < report->lanes[i].n_cameras; v++)
      json_array_append_new (cameras, make_camera (report->lane_names[i], v,
              get_health (report, i, v)));
  return cameras;
}

void
line_report_cameras_to_text (const LineReport * report, GString * text)
{
  gboolean has_head = FALSE;

  for (guint i = 0; i < report->n_lanes; i++)
    for (guint v = 0; v < report->lanes[i].n_cameras; v++) {
      const LineCameraHealth *health = get_health (report, i, v);

      if (!has_head)
        g_string_append_printf (text, "\n%-16s %4s %-24s %-8s %9s %10s %8s %7s "
            "%7s %7s %10s\n", "lane", "view", "camera", "state", "frames",
            "incomplete", "missing", "strays", "spikes", "missed",
            "reconnects");
      has_head = TRUE;
      g_string_append_printf (text, "%-16.16s %4u %-24.24s %-8s %9" N " %10" N
          " %8" N " %7" N " %7" N " %7" N " %10" N "\n", report->lane_names[i], v, health->id,
          health->is_running ? "running" : "gone", health->frames,
          health->incomplete, health->missing, health->strays,
          health->spikes, health->missed, health->reconnects);
    }
}

typedef enum
{
  RUNNING,
  FRAMES,
  SPIKES,
  MISSED,
  RECONNECTS,
  LAST_FRAME,
  N_METRICS,
} Metric;

static const char *const heads[N_METRICS] = {
  [RUNNING] = "# HELP fruit_line_camera_running Whether the camera is "
      "connected\n# TYPE fruit_line_camera_running gauge\n",
  [FRAMES] = "# HELP fruit_line_camera_frames_total The camera's views of "
      "triggers, and strays, which are of none\n"
      "# TYPE fruit_line_camera_frames_total counter\n",
  [SPIKES] = "# HELP fruit_line_camera_spikes_total Pulses at the camera's "
      "trigger input that too few other cameras saw\n"
      "# TYPE fruit_line_camera_spikes_total counter\n",
  [MISSED] = "# HELP fruit_line_camera_missed_total Triggers that the camera "
      "did not see, of which others told\n"
      "# TYPE fruit_line_camera_missed_total counter\n",
  [RECONNECTS] = "# HELP fruit_line_camera_reconnects_total Times that the "
      "camera came back\n# TYPE fruit_line_camera_reconnects_total counter\n",
  [LAST_FRAME] = "# HELP fruit_line_camera_last_frame_seconds Since the last "
      "picture\n# TYPE fruit_line_camera_last_frame_seconds gauge\n",
};

static void
append_states (GString * text, const char *labels,
    const LineCameraHealth * health)
{
  const char *const states[] = { "frames", "incomplete", "missing", "strays" };
  const guint64 counts[] = { health->frames, health->incomplete,
    health->missing, health->strays
  };

  for (guint i = 0; i < G_N_ELEMENTS (states); i++)
    g_string_append_printf (text, "fruit_line_camera_frames_total{%s,state="
        "\"%s\"} %" N "\n", labels, states[i], counts[i]);
}

static void
append_count (GString * text, const char *name, const char *labels,
    guint64 count)
{
  g_string_append_printf (text, "fruit_line_camera_%s_total{%s} %" N "\n",
      name, labels, count);
}

static void
append_metric (GString * text, Metric metric, const char *labels,
    const LineCameraHealth * health)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  switch (metric) {
    case RUNNING:
      g_string_append_printf (text, "fruit_line_camera_running{%s} %d\n", labels,
          health->is_running);
      break;
    case FRAMES:
      append_states (text, labels, health);
      break;
    case SPIKES:
      append_count (text, "spikes", labels, health->spikes);
      break;
    case MISSED:
      append_count (text, "missed", labels, health->missed);
      break;
    case RECONNECTS:
      append_count (text, "reconnects", labels, health->reconnects);
      break;
    default:
      if (health->last_time)
        g_string_append_printf (text, "fruit_line_camera_last_frame_seconds{%s}"
            " %s\n", labels, g_ascii_formatd (number, sizeof (number), "%.3f",
                get_age (health->last_time)));
  }
}

/* Lanes' names need no escapes; views stand for cameras. */
void
line_report_cameras_to_metrics (const LineReport * report, GString * text)
{
  for (guint m = 0; m < N_METRICS; m++) {
    gboolean has_head = FALSE;

    for (guint i = 0; i < report->n_lanes; i++)
      for (guint v = 0; v < report->lanes[i].n_cameras; v++) {
        g_autofree char *labels = g_strdup_printf ("lane=\"%s\",view=\"%u\"",
            report->lane_names[i], v);

        if (!has_head)
          g_string_append (text, heads[m]);
        has_head = TRUE;
        append_metric (text, m, labels, get_health (report, i, v));
      }
  }
}
