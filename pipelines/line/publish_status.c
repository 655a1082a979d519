/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "publish_status.h"

#include <string.h>

#include "json.h"
#include "metrics.h"
#include "publish_state.h"

#define SCHEMA "fruit-line-publisher/1"
#define MOST (64 << 10)

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

static json_t *
make_string (const char *text)
{
  json_t *string = text ? json_string (text) : NULL;

  return string ? string : json_null ();
}

static json_t *
make_status (const LinePublishStatus * status, gint64 now)
{
  json_t *object = json_object (), *position = json_object ();

  json_object_set_new (object, "schema", json_string (SCHEMA));
  set_count (object, "t_ns", now);
  json_object_set_new (object, "line", make_string (status->line));
  json_object_set_new (object, "target", make_string (status->target));
  json_object_set_new (object, "connected_since_ns", status->connected_at ?
      json_integer (status->connected_at) : json_null ());
  set_count (object, "published", status->published);
  set_count (object, "acknowledged", status->acknowledged);
  set_count (object, "waiting_lines", status->waiting_lines);
  set_count (object, "waiting_bytes", status->waiting_bytes);
  set_count (object, "reconnects", status->reconnects);
  set_count (object, "errors", status->errors);
  set_count (object, "damaged", status->damaged);
  set_count (object, "gaps", status->gaps);
  json_object_set_new (object, "last_error", make_string (status->last_error));
  json_object_set_new (position, "run", make_string (status->position.run));
  set_count (position, "segment", status->position.segment);
  set_count (position, "offset", status->position.offset);
  set_count (position, "lines", status->position.lines);
  json_object_set_new (object, "position", position);
  return object;
}

gboolean
line_publish_status_write (const char *path,
    const LinePublishStatus * status, gint64 now, GError ** error)
{
  json_auto_t *object = make_status (status, now);
  char *json = json_dumps (object, 0);
  g_autofree char *text = g_strconcat (json ? json : "{}", "\n", NULL);
  gboolean good = line_publish_replace (path, text, strlen (text), FALSE,
      error);

  free (json);
  return good;
}

char *
line_publish_status_read (const char *path)
{
  char *text;
  gsize size;

  return line_publish_load (path, MOST, &text, &size, NULL) ? text : NULL;
}

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

  if (g_strcmp0 (schema, SCHEMA) == 0)
    append_status (text, status, now);
  return g_string_free (text, FALSE);
}
