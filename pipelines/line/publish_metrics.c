/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "publish_metrics.h"

#include <jansson.h>

#include "metrics.h"
#include "publish/status.h"
#include "publish_line.h"

/* A status that is older than this, in ns, does not count. */
#define FRESH (5 * G_GINT64_CONSTANT (1000000000))

typedef struct
{
  const char *key, *name, *type, *help;
} Metric;

static const Metric metrics[] = {
  {"published", "fruit_line_published_total", "counter",
      "Decisions sent to the broker, repetitions too"},
  {"acknowledged", "fruit_line_acknowledged_total", "counter",
      "Decisions that the broker has acknowledged"},
  {"waiting_lines", "fruit_line_publisher_waiting_lines", "gauge",
      "Decisions that are not acknowledged"},
  {"waiting_bytes", "fruit_line_publisher_waiting_bytes", "gauge",
      "Bytes of those"},
  {"reconnects", "fruit_line_publisher_reconnects_total", "counter",
      "Connections after the first"},
  {"errors", "fruit_line_publisher_errors_total", "counter",
      "What the publisher could not do, and tried again"},
  {"damaged", "fruit_line_publisher_damaged_total", "counter",
      "Damaged lines that were passed over"},
  {"gaps", "fruit_line_publisher_gaps_total", "counter",
      "Places where decisions are not there any more"},
};

static void
append_status (GString * text, const json_t * status, gint64 now)
{
  const gint64 time = json_integer_value (json_object_get (status, "t_ns"));
  const gboolean is_up = time > now - FRESH && time < now + FRESH;

  line_metrics_number (text, "fruit_line_publisher_up", "gauge", "Whether the "
      "publisher runs", "%.0f", is_up);
  line_metrics_number (text, "fruit_line_publisher_connected", "gauge",
      "Whether it has a connection", "%.0f", is_up
      && json_is_integer (json_object_get (status, "connected_since_ns")));
  for (guint i = 0; i < G_N_ELEMENTS (metrics); i++) {
    const json_t *value = json_object_get (status, metrics[i].key);

    if (json_is_integer (value) && json_integer_value (value) >= 0)
      line_metrics_number (text, metrics[i].name, metrics[i].type,
          metrics[i].help, "%.0f", json_integer_value (value));
  }
}

char *
line_publish_status_to_metrics (const char *path, gint64 now)
{
  GString *text = g_string_new (NULL);
  g_autofree char *json = line_publish_status_read (path);
  json_auto_t *status = json ? json_loads (json, JSON_REJECT_DUPLICATES, NULL) :
      NULL;
  const char *schema = json_string_value (json_object_get (status, "schema"));

  if (g_strcmp0 (schema, line_publish_decisions.status_schema) == 0)
    append_status (text, status, now);
  return g_string_free (text, FALSE);
}
