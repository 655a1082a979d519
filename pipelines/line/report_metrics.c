/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "metrics.h"
#include "process.h"
#include "report_cameras.h"
#include "report_data.h"

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

static void
append_labels (GString * text, const char *name, const char *lane,
    const char *label, const char *value)
{
  g_string_append_printf (text, "fruit_line_%s{lane=\"%s\"", name, lane);
  if (label)
    g_string_append_printf (text, ",%s=\"%s\"", label, value);
}

/* @label: with @value; NULL for none. Values need no escapes, as lanes' names
 * do not. */
static void
append_count (GString * text, const char *name, const char *lane,
    const char *label, const char *value, guint64 n)
{
  append_labels (text, name, lane, label, value);
  g_string_append_printf (text, "} %" N "\n", n);
}

/* With three decimals. */
static void
append_number (GString * text, const char *name, const char *lane,
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
  line_metrics_head (text, "fruit_line_frames_total", "counter", "Views of "
      "triggers: in_time + late + lost are triggers x views");
  for (guint i = 0; i < report->n_lanes; i++) {
    const char *lane = report->lane_names[i];
    const LineCounts *counts = &report->lanes[i].counts;

    append_count (text, "frames_total", lane, "state", "in_time",
        counts->in_time);
    append_count (text, "frames_total", lane, "state", "late", counts->late);
    append_count (text, "frames_total", lane, "state", "lost",
        line_counts_get_lost (counts));
    append_count (text, "frames_total", lane, "state", "refused",
        counts->refused);
  }
  line_metrics_head (text, "fruit_line_losses_total", "counter", "Frames that "
      "were lost, by the reason");
  for (guint i = 0; i < report->n_lanes; i++)
    for (guint k = 0; k < LINE_N_LOSSES; k++)
      append_count (text, "losses_total", report->lane_names[i], "reason",
          line_loss_names[k], report->lanes[i].counts.losses[k]);
}

static void
append_kilograms (GString * text, const char *lane, const GArray * weights)
{
  for (guint i = 0; i < weights->len; i++) {
    const LineTally *one = &g_array_index (weights, LineTally, i);
    char outlet[12];

    g_snprintf (outlet, sizeof (outlet), "%u", one->outlet);
    append_number (text, "kilograms_total", lane, "outlet", outlet,
        (gdouble) one->n / 1e4);
  }
}

static void
append_pieces (GString * text, const LineReport * report)
{
  line_metrics_head (text, "fruit_line_triggers_total", "counter", "Triggers "
      "that came");
  for (guint i = 0; i < report->n_lanes; i++)
    append_count (text, "triggers_total", report->lane_names[i], NULL, NULL,
        report->lanes[i].counts.triggers);
  line_metrics_head (text, "fruit_line_pieces_total", "counter", "Pieces by "
      "outlet");
  for (guint i = 0; i < report->n_lanes; i++) {
    const GArray *outlets = report->lanes[i].outlets;

    for (guint k = 0; k < outlets->len; k++) {
      const LineTally *one = &g_array_index (outlets, LineTally, k);
      char outlet[12];

      g_snprintf (outlet, sizeof (outlet), "%u", one->outlet);
      append_count (text, "pieces_total", report->lane_names[i], "outlet",
          outlet, one->n);
    }
  }
  line_metrics_head (text, "fruit_line_weighed_total", "counter", "Pieces whose "
      "weight came");
  for (guint i = 0; i < report->n_lanes; i++)
    append_count (text, "weighed_total", report->lane_names[i], NULL, NULL,
        report->lanes[i].weighed);
  line_metrics_head (text, "fruit_line_kilograms_total", "counter", "Of those "
      "pieces, by outlet");
  for (guint i = 0; i < report->n_lanes; i++)
    append_kilograms (text, report->lane_names[i], report->lanes[i].weights);
  line_metrics_head (text, "fruit_line_decisions_total", "counter", "Pieces by "
      "status");
  for (guint i = 0; i < report->n_lanes; i++)
    for (guint k = 0; k < G_N_ELEMENTS (report->lanes[i].statuses); k++)
      append_count (text, "decisions_total", report->lane_names[i], "status",
          line_status_names[k], report->lanes[i].statuses[k]);
}

static void
append_looks (GString * text, const LineReport * report)
{
  line_metrics_head (text, "fruit_line_looks_total", "counter", "Looks of "
      "pieces: none are those without fruit that other looks show");
  for (guint i = 0; i < report->n_lanes; i++)
    for (guint v = 0; v < report->lanes[i].looks.n_views; v++) {
      const LineViewReport *view = &report->lanes[i].looks.views[v];

      g_string_append_printf (text,
          "fruit_line_looks_total{lane=\"%s\",view=\"%u\",state=\"fruit\"} %" N
          "\nfruit_line_looks_total{lane=\"%s\",view=\"%u\",state=\"none\"} %" N
          "\nfruit_line_looks_total{lane=\"%s\",view=\"%u\",state=\"lost\"} %" N
          "\n", report->lane_names[i], v, view->fruit, report->lane_names[i],
          v, view->none, report->lane_names[i], v, view->lost);
    }
  line_metrics_head (text, "fruit_line_view_dark", "gauge", "Whether the view "
      "shows no fruit that other views show");
  for (guint i = 0; i < report->n_lanes; i++)
    for (guint v = 0; v < report->lanes[i].looks.n_views; v++)
      g_string_append_printf (text, "fruit_line_view_dark{lane=\"%s\","
          "view=\"%u\"} %d\n", report->lane_names[i], v,
          report->lanes[i].looks.views[v].dark_since != 0);
}

static void
append_doubts (GString * text, const LineReport * report)
{
  line_metrics_head (text, "fruit_line_doubts_total", "counter", "Pieces by "
      "what keeps them from being ok");
  for (guint i = 0; i < report->n_lanes; i++)
    for (guint k = 0; k < LINE_N_DOUBTS; k++)
      append_count (text, "doubts_total", report->lane_names[i], "doubt",
          line_doubt_names[k], report->lanes[i].looks.doubts[k]);
  line_metrics_head (text, "fruit_line_piece_looks_total", "counter", "Pieces "
      "by the number of looks that show the fruit");
  for (guint i = 0; i < report->n_lanes; i++) {
    const LineLooksReport *looks = &report->lanes[i].looks;

    for (guint k = 0; k < G_N_ELEMENTS (looks->shown); k++) {
      char number[12];

      g_snprintf (number, sizeof (number), "%u", k);
      if (looks->shown[k] > 0)
        append_count (text, "piece_looks_total", report->lane_names[i], "looks",
            number, looks->shown[k]);
    }
  }
}

static void
append_coverage (GString * text, const LineReport * report)
{
  line_metrics_head (text, "fruit_line_coverage", "histogram", "Share that was "
      "seen of what the lane can see of a piece");
  for (guint i = 0; i < report->n_lanes; i++) {
    const LineLooksReport *looks = &report->lanes[i].looks;
    const char *lane = report->lane_names[i];
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    guint64 n = 0;

    for (guint k = 0; k < LINE_N_SHARES; k++)
      append_count (text, "coverage_bucket", lane, "le", g_ascii_formatd
          (number, sizeof (number), "%g", line_share_bounds[k]), n +=
          looks->shares[k]);
    n = line_looks_report_count_shares (looks);
    append_count (text, "coverage_bucket", lane, "le", "+Inf", n);
    append_number (text, "coverage_sum", lane, NULL, NULL, looks->share_sum);
    append_count (text, "coverage_count", lane, NULL, NULL, n);
  }
}

/* All recipes of a run have the same classes. */
static void
append_classes (GString * text, const LineReport * report)
{
  const LineRecipe *recipe = report->recipe;

  if (!recipe)
    return;
  line_metrics_head (text, "fruit_line_class_pieces_total", "counter", "Pieces "
      "that have blemishes of the class");
  for (guint i = 0; i < report->n_lanes; i++)
    for (guint k = 0; k < recipe->n_defects; k++)
      append_count (text, "class_pieces_total", report->lane_names[i], "class",
          recipe->classes[recipe->defects[k]],
          report->lanes[i].looks.class_pieces[k]);
  line_metrics_head (text, "fruit_line_class_mm2_total", "counter", "Area of "
      "the class on all pieces");
  for (guint i = 0; i < report->n_lanes; i++)
    for (guint k = 0; k < recipe->n_defects; k++)
      append_number (text, "class_mm2_total", report->lane_names[i], "class",
          recipe->classes[recipe->defects[k]],
          report->lanes[i].looks.class_mm2[k]);
}

static void
append_sums (GString * text, const LineReport * report)
{
  line_metrics_head (text, "fruit_line_diameter_mm", "summary", "Diameters");
  for (guint i = 0; i < report->n_lanes; i++) {
    const LineLooksReport *looks = &report->lanes[i].looks;

    append_number (text, "diameter_mm_sum", report->lane_names[i], NULL, NULL,
        looks->diameter_sum);
    append_count (text, "diameter_mm_count", report->lane_names[i], NULL, NULL,
        looks->diameters);
  }
  line_metrics_head (text, "fruit_line_empty_total", "counter", "Empty cups");
  for (guint i = 0; i < report->n_lanes; i++)
    append_count (text, "empty_total", report->lane_names[i], NULL, NULL,
        report->lanes[i].empty);
  line_metrics_head (text, "fruit_line_turn_measured_total", "counter",
      "Pieces whose rotation was measured");
  for (guint i = 0; i < report->n_lanes; i++)
    append_count (text, "turn_measured_total", report->lane_names[i], NULL,
        NULL, report->lanes[i].looks.turned);
  line_metrics_head (text, "fruit_line_inconsistent_total", "counter", "Pieces "
      "whose looks contradict their rotation");
  for (guint i = 0; i < report->n_lanes; i++)
    append_count (text, "inconsistent_total", report->lane_names[i], NULL, NULL,
        report->lanes[i].looks.inconsistent);
}

static void
append_latency (GString * text, const LineReport * report)
{
  const LineHistogram *histogram = report->latencies[LINE_LATENCY_ALL];
  guint64 below[LINE_N_BOUNDS];

  for (guint i = 0; i < LINE_N_BOUNDS; i++)
    below[i] = line_histogram_get_below (histogram, line_latency_bounds[i]);
  line_metrics_histogram (text, "fruit_line_decision_seconds", "From the last "
      "view's trigger to the decision", line_latency_bounds, below,
      LINE_N_BOUNDS, line_histogram_get_count (histogram),
      line_histogram_get_sum (histogram));
}

static void
append_health (GString * text, const LineReport * report)
{
  line_metrics_number (text, "fruit_line_heartbeat_age_seconds", "gauge",
      "Since the deciding and the writing thread were both seen alive", "%.3f",
      line_report_get_beat_age (report));
  line_metrics_number (text, "fruit_line_events_waiting", "gauge", "Events "
      "that wait to be decided on", "%.0f", report->health.events);
  line_metrics_number (text, "fruit_line_unsaved_bytes", "gauge", "Decisions "
      "that wait for the disk", "%.0f", report->health.unsaved);
  line_metrics_head (text, "fruit_line_queue_frames", "gauge", "Triggers whose "
      "tensors waited for their shapes, the most in the last second; there is "
      "room for 2");
  for (guint i = 0; i < report->n_lanes; i++)
    append_count (text, "queue_frames", report->lane_names[i], NULL, NULL,
        report->lanes[i].queue);
}

static void
append_truth (GString * text, const LineTruthReport * truth)
{
  if (truth->pieces == 0)
    return;
  line_metrics_head (text, "fruit_line_simulated_pieces_total", "counter",
      "Simulated pieces against their truth");
  g_string_append_printf (text,
      "fruit_line_simulated_pieces_total{result=\"right\"} %" N "\n"
      "fruit_line_simulated_pieces_total{result=\"wrong\"} %" N "\n",
      truth->right, truth->pieces - truth->right);
}

char *
line_report_to_metrics (LineReport * report)
{
  g_autoptr (LineReport) copy = line_report_copy (report);
  GString *text = g_string_new (NULL);
  g_autofree char *line = escape (copy->line);

  line_metrics_head (text, "fruit_line_info", "gauge", "What runs");
  g_string_append_printf (text, "fruit_line_info{line=\"%s\",software=\"%s\"} "
      "1\n", line, PACKAGE_VERSION);
  append_pieces (text, copy);
  append_frames (text, copy);
  append_looks (text, copy);
  append_doubts (text, copy);
  append_coverage (text, copy);
  append_classes (text, copy);
  append_sums (text, copy);
  line_report_cameras_to_metrics (copy, text);
  append_latency (text, copy);
  line_metrics_head (text, "fruit_line_written_total", "counter", "What was "
      "written");
  g_string_append_printf (text, "fruit_line_written_total{what=\"decision\"} %"
      N "\nfruit_line_written_total{what=\"picture\"} %" N "\n",
      copy->written.lines, copy->written.pictures);
  line_metrics_head (text, "fruit_line_unwritten_total", "counter", "What was "
      "not written");
  g_string_append_printf (text,
      "fruit_line_unwritten_total{what=\"decision\"} %" N
      "\nfruit_line_unwritten_total{what=\"picture\"} %" N "\n",
      copy->written.lines_unwritten, copy->written.pictures_dropped);
  line_plc_report_append_metrics (&copy->plc, text);
  line_metrics_number (text, "fruit_line_deleted_files_total", "counter",
      "Files of decisions deleted as keep-mb and keep-days say", "%.0f",
      copy->kept.deleted);
  line_metrics_number (text, "fruit_line_deleted_bytes_total", "counter",
      "Bytes of those", "%.0f", copy->kept.deleted_bytes);
  append_health (text, copy);
  append_truth (text, &copy->truth);
  line_process_append_metrics (text);
  return g_string_free (text, FALSE);
}
