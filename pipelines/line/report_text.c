/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "report_cameras.h"
#include "report_seen.h"

#include "publish/clock.h"
#include "publish/lock.h"

#define N G_GUINT64_FORMAT

static void
append_lane (GString * text, const char *name, const LineLaneReport * lane)
{
  const LineCounts *counts = &lane->counts;

  g_string_append_printf (text, "%-16.16s %9" N " %9" N " %8" N " %6" N " %6" N
      " %9" N "   ", name, lane->pieces, lane->statuses[LINE_STATUS_OK],
      lane->statuses[LINE_STATUS_PARTIAL], lane->statuses[LINE_STATUS_LATE],
      counts->late, line_counts_get_lost (counts));
  for (guint i = 0; i < lane->outlets->len; i++) {
    const LineTally *one = &g_array_index (lane->outlets, LineTally, i);

    g_string_append_printf (text, "%s%u: %" N, i ? ", " : "", one->outlet,
        one->n);
  }
  g_string_append_c (text, '\n');
}

static void
append_latencies (GString * text, const LineReport * report)
{
  static const char *const names[LINE_N_LATENCIES] = {
    [LINE_LATENCY_TENSOR] = "trigger to tensor",
    [LINE_LATENCY_SHAPES] = "tensor to shapes",
    [LINE_LATENCY_DECISION] = "shapes to decision",
    [LINE_LATENCY_AFTER_TENSOR] = "tensor to decision",
    [LINE_LATENCY_ALL] = "trigger to decision",
  };

  g_string_append_printf (text, "\n%-24s %9s %9s %9s %9s\n",
      "last view's, in ms", "p50", "p90", "p99", "max");
  for (guint i = 0; i < LINE_N_LATENCIES; i++) {
    const LineHistogram *one = report->latencies[i];

    g_string_append_printf (text, "%-24s %9.2f %9.2f %9.2f %9.2f\n", names[i],
        line_histogram_get_quantile (one, 0.5) / 1e3,
        line_histogram_get_quantile (one, 0.9) / 1e3,
        line_histogram_get_quantile (one, 0.99) / 1e3,
        line_histogram_get_max (one) / 1e3);
  }
}

static void
append_truth (GString * text, const LineTruthReport * truth)
{
  g_string_append_printf (text, "\nagainst the truth: %" N " of %" N
      " pieces went where they should have (%.2f %%)\n", truth->right,
      truth->pieces, 100.0 * truth->right / truth->pieces);
  for (guint i = 0; i < truth->pairs->len; i++) {
    const LineTally *pair = &g_array_index (truth->pairs, LineTally, i);

    if (pair->expected != pair->outlet)
      g_string_append_printf (text, "  %" N " went to outlet %u in place of "
          "%u\n", pair->n, pair->outlet, pair->expected);
  }
  g_string_append_printf (text, "  rotten: %" N ", of them passed as sound: %" N
      "\n  diameter off by at most %.2f %%, areas of %d mm2 and more by %.1f %% "
      "(%" N " of %" N " within 10 %%)\n", truth->rotten, truth->missed,
      line_histogram_get_max (truth->diameters) / 1e4, LINE_COMPARED_MM2,
      line_histogram_get_max (truth->area_errors) / 1e4, truth->near_areas,
      truth->areas);
}

/* Why frames were lost, and what to do. */
static void
append_losses (GString * text, const LineCounts * counts)
{
  static const char *const advice[LINE_N_LOSSES] = {
    [LINE_LOSS_UNFIT] = "were no good tensors, or no shapes could be found: "
        "messages above say why",
    [LINE_LOSS_CROWDED] = "came faster than shapes are found: fewer lanes for "
        "this machine, or a GPU",
    [LINE_LOSS_SLOW] = "were not made in time by the network or the "
        "simulation: a faster one, or fewer lanes",
    [LINE_LOSS_MISSING] = "pictures did not come in time: messages above say "
        "which cameras were gone; else a greater frame-timeout-ms, and see "
        "docs/cameras.md",
    [LINE_LOSS_INCOMPLETE] = "pictures did not come whole: packets are lost on "
        "the network, see docs/cameras.md",
    [LINE_LOSS_STOPPED] = "were not looked at any more when the line was "
        "stopped: nothing is to be done",
    [LINE_LOSS_NOT_FINITE] = "had values that are not finite: the network is "
        "broken, or its model is",
    [LINE_LOSS_OUT_OF_RANGE] = "had values that are no probabilities: if the "
        "network gives logits, say logits=true in [recipe]",
    [LINE_LOSS_SUM] = "had probabilities that do not add up to 1: if the "
        "classes do not exclude each other, say exclusive=false in [recipe]",
    [LINE_LOSS_CONSTANT] = "had the same probabilities everywhere: the network "
        "did not see the picture, see to camera, lamp and model",
    [LINE_LOSS_FROZEN] = "were the same as before though they show fruit: the "
        "network gives old answers or its camera old pictures, start both "
        "again; or the belt stands still",
  };

  for (guint i = 0; i < LINE_N_LOSSES; i++)
    if (counts->losses[i] > 0)
      g_string_append_printf (text, "  %" N " %s\n", counts->losses[i],
          advice[i]);
}

/* What is wrong, and what to do. */
static void
append_advice (GString * text, const LineReport * report,
    const LineLaneReport * sum)
{
  guint64 frames = 0;

  for (guint i = 0; i < report->n_lanes; i++)
    frames += report->lanes[i].counts.triggers
        * report->lanes[i].looks.n_views;
  g_string_append_printf (text, "frames: %" N " of %" N " triggers = %" N
      " in time + %" N " late + %" N " lost%s\n", frames,
      sum->counts.triggers, sum->counts.in_time, sum->counts.late,
      line_counts_get_lost (&sum->counts),
      line_report_is_whole (report) ? "" : ": THIS DOES NOT ADD UP");
  append_losses (text, &sum->counts);
  if (report->written.lines_unwritten > 0)
    g_string_append (text, "decisions are missing in decisions.jsonl: make "
        "room on the disk\n");
}

char *
line_report_to_text (LineReport * report)
{
  g_autoptr (LineReport) copy = line_report_copy (report);
  GString *text = g_string_new (NULL);
  LineLaneReport sum;

  line_report_sum (copy, &sum);
  g_string_append_printf (text, "%s%s, %.1f s\n\n", copy->line,
      copy->is_simulated ? " (simulated)" : "",
      (line_clock_now () / 1000 - copy->begin) / 1e6);
  g_string_append_printf (text, "%-16s %9s %9s %8s %6s %6s %9s   %s\n", "", "",
      "", "", "pieces", "frames", "frames", "");
  g_string_append_printf (text, "%-16s %9s %9s %8s %6s %6s %9s   %s\n", "lane",
      "pieces", "ok", "partial", "late", "late", "lost", "outlets");
  for (guint i = 0; i < copy->n_lanes; i++)
    append_lane (text, copy->lane_names[i], &copy->lanes[i]);
  if (copy->n_lanes > 1)
    append_lane (text, "all", &sum);
  line_report_seen_to_text (copy, &sum.looks, text);
  line_report_cameras_to_text (copy, text);
  append_latencies (text, copy);
  if (copy->truth.pieces > 0)
    append_truth (text, &copy->truth);
  line_plc_report_append_text (&copy->plc, text);
  g_string_append_printf (text, "\nwritten: %" N " decisions, %" N
      " pictures; not written: %" N " decisions, %" N " pictures\n",
      copy->written.lines, copy->written.pictures,
      copy->written.lines_unwritten, copy->written.pictures_dropped);
  if (copy->kept.deleted > 0)
    g_string_append_printf (text, "deleted, as too old or too much: %" N
        " files of decisions, %.1f MB\n", copy->kept.deleted,
        copy->kept.deleted_bytes / 1e6);
  append_advice (text, copy, &sum);
  line_lane_report_clear (&sum);
  return g_string_free (text, FALSE);
}

char *
line_report_to_line (LineReport * report)
{
  GString *text = g_string_new (NULL);
  LineLaneReport sum;
  LINE_LOCK (&report->lock);

  line_report_sum (report, &sum);
  g_string_append_printf (text, "%" N " pieces", sum.pieces);
  for (guint i = 0; i < sum.outlets->len; i++) {
    const LineTally *one = &g_array_index (sum.outlets, LineTally, i);

    g_string_append_printf (text, "%s %u: %" N, i ? "," : "; outlets",
        one->outlet, one->n);
  }
  if (report->truth.pieces > 0)
    g_string_append_printf (text, "; right: %" N, report->truth.right);
  g_string_append_printf (text, "; frames lost: %" N "; decided %.1f ms after "
      "the trigger (p99)", line_counts_get_lost (&sum.counts),
      line_histogram_get_quantile (report->latencies[LINE_LATENCY_ALL],
          0.99) / 1e3);
  line_lane_report_clear (&sum);
  return g_string_free (text, FALSE);
}
