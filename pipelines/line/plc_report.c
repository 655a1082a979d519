/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "plc_report.h"

#include <math.h>

#include "metrics.h"
#include "publish/json.h"

#define N G_GUINT64_FORMAT

const gdouble line_plc_bounds[LINE_PLC_N_BOUNDS] = {
  500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000,
};

/* JSON */

static json_t *
make_triggers (const LinePlcCounts * counts)
{
  if (!counts->has_triggers)
    return json_null ();
  json_t *object = json_object ();
  set_count (object, "lanes", counts->lanes);
  set_count (object, "agreed", counts->agreed);
  set_count (object, "resynchronised", counts->shifts);
  set_count (object, "restarts", counts->restarts);
  set_count (object, "extra", counts->extra);
  set_count (object, "missed", counts->missed);
  json_object_set_new (object, "delay_ms",
      json_real (round (counts->delay / 1e4) / 100));
  return object;
}

json_t *
line_plc_report_to_json (const LinePlcCounts * counts)
{
  json_t *object, *latency;

  if (!counts->is_used)
    return json_null ();
  object = json_object ();
  set_count (object, "written", counts->written);
  set_count (object, "late", counts->late);
  set_count (object, "dropped", counts->dropped);
  set_count (object, "refused", counts->refused);
  set_count (object, "unnumbered", counts->unnumbered);
  set_count (object, "errors", counts->errors);
  set_count (object, "reconnects", counts->reconnects);
  json_object_set_new (object, "answering",
      json_boolean (counts->is_answering));
  json_object_set_new (object, "state_s",
      json_real (round (MAX (g_get_monotonic_time () - counts->since, 0) / 1e5)
          / 10));
  latency = json_object ();
  json_object_set_new (latency, "p50", json_real (round (counts->p50)));
  json_object_set_new (latency, "p90", json_real (round (counts->p90)));
  json_object_set_new (latency, "p99", json_real (round (counts->p99)));
  json_object_set_new (latency, "max", json_real (round (counts->max)));
  json_object_set_new (object, "latency_us", latency);
  json_object_set_new (object, "triggers", make_triggers (counts));
  return object;
}

/* Text */

void
line_plc_report_append_text (const LinePlcCounts * counts, GString * text)
{
  if (!counts->is_used)
    return;
  if (counts->written > 0)
    g_string_append_printf (text, "PLC: %" N " pieces written, acknowledged "
        "after %.2f ms (p50), %.2f (p99), %.2f (max)\n", counts->written,
        counts->p50 / 1e3, counts->p99 / 1e3, counts->max / 1e3);
  else
    g_string_append (text, "PLC: 0 pieces written, nothing was acknowledged\n");
  g_string_append_printf (text, "  not there before they arrived: %" N " late, %"
      N " dropped, %" N " refused, %" N " unnumbered; %" N " errors, %" N
      " reconnects%s\n", counts->late, counts->dropped, counts->refused,
      counts->unnumbered, counts->errors, counts->reconnects, counts->late
      + counts->dropped + counts->refused + counts->unnumbered > 0 ?
      ": messages above say why" : "");
  if (counts->has_triggers)
    g_string_append_printf (text, "  its triggers are those of %u of %u lanes; "
        "resynchronised %" N " times, %" N " restarts; %" N " extra, %" N
        " missed\n", counts->agreed, counts->lanes, counts->shifts,
        counts->restarts, counts->extra, counts->missed);
}

/* Metrics */

static void
append_triggers (GString * text, const LinePlcCounts * counts)
{
  line_metrics_number (text, "fruit_line_plc_lanes", "gauge", "Lanes whose "
      "triggers are compared with the PLC's", "%.0f", counts->lanes);
  line_metrics_number (text, "fruit_line_plc_lanes_agreed", "gauge", "Lanes of "
      "which is known which triggers are the PLC's", "%.0f", counts->agreed);
  line_metrics_number (text, "fruit_line_plc_resynchronised_total", "counter",
      "Times that a lane's triggers were others of the PLC's than before",
      "%.0f", counts->shifts);
  line_metrics_number (text, "fruit_line_plc_restarts_total", "counter",
      "Times that the PLC began to count anew, for each lane", "%.0f",
      counts->restarts);
  line_metrics_head (text, "fruit_line_plc_triggers_total", "counter",
      "Triggers that only one side has had");
  g_string_append_printf (text,
      "fruit_line_plc_triggers_total{only=\"line\"} %" N "\n"
      "fruit_line_plc_triggers_total{only=\"plc\"} %" N "\n",
      counts->extra, counts->missed);
  line_metrics_number (text, "fruit_line_plc_trigger_delay_seconds", "gauge",
      "From the PLC's time of a trigger to a lane's, where it is greatest",
      "%.6f", counts->delay / 1e9);
}

static void
append_weights (GString * text, const LinePlcCounts * counts)
{
  line_metrics_head (text, "fruit_line_plc_weights_total", "counter",
      "Weights by what became of them");
  g_string_append_printf (text,
      "fruit_line_plc_weights_total{result=\"taken\"} %" N "\n"
      "fruit_line_plc_weights_total{result=\"missed\"} %" N "\n"
      "fruit_line_plc_weights_total{result=\"refused\"} %" N "\n"
      "fruit_line_plc_weights_total{result=\"strange\"} %" N "\n",
      counts->weights, counts->weights_missed, counts->weights_refused,
      counts->weights_strange);
}

void
line_plc_report_append_metrics (const LinePlcCounts * counts, GString * text)
{
  if (!counts->is_used)
    return;
  line_metrics_head (text, "fruit_line_plc_pieces_total", "counter",
      "Pieces by what became of them at the PLC");
  g_string_append_printf (text,
      "fruit_line_plc_pieces_total{result=\"written\"} %" N "\n"
      "fruit_line_plc_pieces_total{result=\"late\"} %" N "\n"
      "fruit_line_plc_pieces_total{result=\"dropped\"} %" N "\n"
      "fruit_line_plc_pieces_total{result=\"refused\"} %" N "\n"
      "fruit_line_plc_pieces_total{result=\"unnumbered\"} %" N "\n",
      counts->written, counts->late, counts->dropped, counts->refused,
      counts->unnumbered);
  line_metrics_number (text, "fruit_line_plc_errors_total", "counter",
      "Requests and connections that failed", "%.0f", counts->errors);
  line_metrics_number (text, "fruit_line_plc_reconnects_total", "counter",
      "Connections after the first", "%.0f", counts->reconnects);
  line_metrics_number (text, "fruit_line_plc_answering", "gauge", "Whether the "
      "PLC has answered the last request", "%.0f", counts->is_answering);
  if (counts->has_weights)
    append_weights (text, counts);
  line_metrics_histogram (text, "fruit_line_plc_seconds", "From the decision "
      "until the PLC has acknowledged it", line_plc_bounds, counts->below,
      LINE_PLC_N_BOUNDS, counts->written, counts->sum);
  if (counts->has_triggers)
    append_triggers (text, counts);
}
