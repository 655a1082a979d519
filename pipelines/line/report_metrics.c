/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "report_metrics.h"

#include "process.h"
#include "report_cameras.h"
#include "report_seen.h"

#define N G_GUINT64_FORMAT

/* A value of a label: quotes, backslashes and newlines are escaped. */
static char *
escape (const char *text)
{
  GString *out = g_string_new (NULL);

  for (; *text; text++)
    if (*text == '\n')
      g_string_append (out, "\\n");
    else
      g_string_append_printf (out, "%s%c", *text == '"' || *text == '\\' ?
          "\\" : "", *text);
  return g_string_free (out, FALSE);
}

void
line_metrics_head (GString * text, const char *name, const char *type,
    const char *help)
{
  g_string_append_printf (text, "# HELP fruit_line_%s %s\n"
      "# TYPE fruit_line_%s %s\n", name, help, name, type);
}

static void
append_labels (GString * text, const char *name, const char *lane,
    const char *label, const char *value)
{
  g_string_append_printf (text, "fruit_line_%s{lane=\"%s\"", name, lane);
  if (label)
    g_string_append_printf (text, ",%s=\"%s\"", label, value);
}

void
line_metrics_count (GString * text, const char *name, const char *lane,
    const char *label, const char *value, guint64 n)
{
  append_labels (text, name, lane, label, value);
  g_string_append_printf (text, "} %" N "\n", n);
}

void
line_metrics_number (GString * text, const char *name, const char *lane,
    const char *label, const char *value, gdouble number)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  append_labels (text, name, lane, label, value);
  g_string_append_printf (text, "} %s\n", g_ascii_formatd (digits,
          sizeof (digits), "%.3f", number));
}

static void
append_frames (GString * text, const LineReport * report)
{
  line_metrics_head (text, "frames_total", "counter",
      "Views of triggers: in_time + late + lost are triggers x views");
  for (guint i = 0; i < report->n_lanes; i++) {
    const char *lane = report->lane_names[i];
    const LineCounts *counts = &report->lanes[i].counts;

    line_metrics_count (text, "frames_total", lane, "state", "in_time",
        counts->in_time);
    line_metrics_count (text, "frames_total", lane, "state", "late",
        counts->late);
    line_metrics_count (text, "frames_total", lane, "state", "lost",
        line_counts_get_lost (counts));
    line_metrics_count (text, "frames_total", lane, "state", "refused",
        counts->refused);
  }
  line_metrics_head (text, "losses_total", "counter",
      "Frames that were lost, by the reason");
  for (guint i = 0; i < report->n_lanes; i++)
    for (guint k = 0; k < LINE_N_LOSSES; k++)
      line_metrics_count (text, "losses_total", report->lane_names[i],
          "reason", line_loss_names[k], report->lanes[i].counts.losses[k]);
}

static void
append_pieces (GString * text, const LineReport * report)
{
  line_metrics_head (text, "triggers_total", "counter",
      "Triggers that came");
  for (guint i = 0; i < report->n_lanes; i++)
    line_metrics_count (text, "triggers_total", report->lane_names[i], NULL,
        NULL, report->lanes[i].counts.triggers);
  line_metrics_head (text, "pieces_total", "counter", "Pieces by outlet");
  for (guint i = 0; i < report->n_lanes; i++) {
    const GArray *outlets = report->lanes[i].outlets;

    for (guint k = 0; k < outlets->len; k++) {
      const LineTally *one = &g_array_index (outlets, LineTally, k);
      char outlet[12];

      g_snprintf (outlet, sizeof (outlet), "%u", one->outlet);
      line_metrics_count (text, "pieces_total", report->lane_names[i],
          "outlet", outlet, one->n);
    }
  }
  line_metrics_head (text, "decisions_total", "counter", "Pieces by status");
  for (guint i = 0; i < report->n_lanes; i++)
    for (guint k = 0; k < G_N_ELEMENTS (report->lanes[i].statuses); k++)
      line_metrics_count (text, "decisions_total", report->lane_names[i],
          "status", line_status_names[k], report->lanes[i].statuses[k]);
}

static void
append_latency (GString * text, const LineReport * report)
{
  const LineHistogram *histogram = report->latencies[LINE_LATENCY_ALL];
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  line_metrics_head (text, "decision_seconds", "histogram",
      "From the last view's trigger to the decision");
  for (guint i = 0; i < LINE_N_BOUNDS; i++)
    g_string_append_printf (text, "fruit_line_decision_seconds_bucket{le=\"%s\"}"
        " %" N "\n", g_ascii_formatd (number, sizeof (number), "%g",
            line_latency_bounds[i] / 1e6),
        line_histogram_get_below (histogram, line_latency_bounds[i]));
  g_string_append_printf (text, "fruit_line_decision_seconds_bucket{le=\"+Inf\"}"
      " %" N "\n", line_histogram_get_count (histogram));
  g_string_append_printf (text, "fruit_line_decision_seconds_sum %s\n",
      g_ascii_formatd (number, sizeof (number), "%.6f",
          line_histogram_get_sum (histogram) / 1e6));
  g_string_append_printf (text, "fruit_line_decision_seconds_count %" N "\n",
      line_histogram_get_count (histogram));
}

static void
append_written (GString * text, const LineWritten * written)
{
  line_metrics_head (text, "written_total", "counter", "What was written");
  g_string_append_printf (text, "fruit_line_written_total{what=\"decision\"} %" N
      "\nfruit_line_written_total{what=\"picture\"} %" N "\n", written->lines,
      written->pictures);
  line_metrics_head (text, "unwritten_total", "counter",
      "What was not written");
  g_string_append_printf (text, "fruit_line_unwritten_total{what=\"decision\"} %"
      N "\nfruit_line_unwritten_total{what=\"picture\"} %" N "\n",
      written->lines_unwritten, written->pictures_dropped);
}

static void
append_kept (GString * text, const LineSpoolKept * kept)
{
  line_metrics_head (text, "deleted_files_total", "counter",
      "Files of decisions deleted as keep-mb and keep-days say");
  g_string_append_printf (text, "fruit_line_deleted_files_total %" N "\n",
      kept->deleted);
  line_metrics_head (text, "deleted_bytes_total", "counter", "Bytes of those");
  g_string_append_printf (text, "fruit_line_deleted_bytes_total %" N "\n",
      kept->deleted_bytes);
}

static void
append_health (GString * text, const LineReport * report)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  line_metrics_head (text, "heartbeat_age_seconds", "gauge",
      "Since the deciding and the writing thread were both seen alive");
  g_string_append_printf (text, "fruit_line_heartbeat_age_seconds %s\n",
      g_ascii_formatd (number, sizeof (number), "%.3f",
          line_report_get_beat_age (report)));
  line_metrics_head (text, "events_waiting", "gauge",
      "Events that wait to be decided on");
  g_string_append_printf (text, "fruit_line_events_waiting %u\n",
      report->health.events);
  line_metrics_head (text, "unsaved_bytes", "gauge",
      "Decisions that wait for the disk");
  g_string_append_printf (text, "fruit_line_unsaved_bytes %" G_GSIZE_FORMAT
      "\n", report->health.unsaved);
  line_metrics_head (text, "queue_frames", "gauge", "Triggers whose tensors "
      "waited for their shapes, the most in the last second; there is room for 2");
  for (guint i = 0; i < report->n_lanes; i++)
    line_metrics_count (text, "queue_frames", report->lane_names[i], NULL,
        NULL, report->lanes[i].queue);
}

static void
append_truth (GString * text, const LineTruthReport * truth)
{
  if (truth->pieces == 0)
    return;
  line_metrics_head (text, "simulated_pieces_total", "counter",
      "Simulated pieces against their truth");
  g_string_append_printf (text,
      "fruit_line_simulated_pieces_total{result=\"right\"} %" N "\n"
      "fruit_line_simulated_pieces_total{result=\"wrong\"} %" N "\n",
      truth->right, truth->pieces - truth->right);
}

char *
line_report_to_metrics (LineReport * report)
{
  LineReport *copy = line_report_copy (report);
  GString *text = g_string_new (NULL);
  char *line = escape (copy->line);

  line_metrics_head (text, "info", "gauge", "What runs");
  g_string_append_printf (text, "fruit_line_info{line=\"%s\",software=\"%s\"} "
      "1\n", line, PACKAGE_VERSION);
  append_pieces (text, copy);
  append_frames (text, copy);
  line_report_seen_to_metrics (copy, text);
  line_report_cameras_to_metrics (copy, text);
  append_latency (text, copy);
  append_written (text, &copy->written);
  line_plc_report_append_metrics (&copy->plc, text);
  append_kept (text, &copy->kept);
  append_health (text, copy);
  append_truth (text, &copy->truth);
  line_process_append_metrics (text);
  g_free (line);
  line_report_free (copy);
  return g_string_free (text, FALSE);
}
