/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapezonesreport.h"

#include <math.h>

/* With its fields, at most */
#define ZONE_VALUES 14
#define CLASS_VALUES 8
#define EVENT_VALUES 7

/* @left: values that may be told yet
 * @n_classes, @n_events: left out */
typedef struct
{
  const ZonesCounter *counter;
  const GPtrArray *zones;
  gboolean has_classes;
  gint left;
  guint64 n_classes, n_events;
} Report;

static gint
count_values (const GValue * value)
{
  gint n = 1;

  if (GST_VALUE_HOLDS_ARRAY (value)) {
    for (guint i = 0; i < gst_value_array_get_size (value); i++)
      n += count_values (gst_value_array_get_value (value, i));
  } else if (GST_VALUE_HOLDS_STRUCTURE (value)) {
    const GstStructure *structure = gst_value_get_structure (value);

    for (gint i = 0; i < gst_structure_n_fields (structure); i++)
      n += count_values (gst_structure_get_value (structure,
              gst_structure_nth_field_name (structure, i)));
  }
  return n;
}

static void
append (GValue * array, GstStructure * structure)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&value, structure);
  gst_value_array_append_and_take_value (array, &value);
}

/* What is there under @name already, or nothing. */
static void
begin_array (const GstStructure * structure, const gchar * name, GValue * array)
{
  const GValue *there = gst_structure_get_value (structure, name);

  g_value_init (array, GST_TYPE_ARRAY);
  if (there && GST_VALUE_HOLDS_ARRAY (there))
    g_value_copy (there, array);
}

static void
set_class (const Report * report, GstStructure * structure, gint32 class_id)
{
  const gchar *name = zones_counter_get_class_name (report->counter, class_id);

  if (report->has_classes)
    gst_structure_set (structure, "class", G_TYPE_INT, class_id, NULL);
  if (name)
    gst_structure_set (structure, "class-name", G_TYPE_STRING, name, NULL);
}

static void
set_numbers (GstStructure * structure, gboolean is_line,
    const ZoneNumbers * numbers, guint64 untracked)
{
  if (is_line)
    gst_structure_set (structure,
        "forward", G_TYPE_UINT64, numbers->forward,
        "backward", G_TYPE_UINT64, numbers->backward, NULL);
  else
    gst_structure_set (structure,
        "inside", G_TYPE_UINT64, numbers->inside + untracked,
        "entered", G_TYPE_UINT64, numbers->entered,
        "left", G_TYPE_UINT64, numbers->left,
        "appeared", G_TYPE_UINT64, numbers->appeared,
        "lost", G_TYPE_UINT64, numbers->lost, NULL);
}

static void
set_classes (Report * report, GstStructure * structure, gboolean is_line,
    const ZoneCount * count)
{
  GValue classes = G_VALUE_INIT;

  g_value_init (&classes, GST_TYPE_ARRAY);
  for (guint i = 0; i < count->classes->len; i++) {
    const ZoneClass *class = &g_array_index (count->classes, ZoneClass, i);
    GstStructure *of;

    if (report->left < CLASS_VALUES) {
      report->n_classes++;
      continue;
    }
    report->left -= CLASS_VALUES;
    of = gst_structure_new_empty ("class");
    set_class (report, of, class->class_id);
    set_numbers (of, is_line, &class->numbers, class->untracked);
    append (&classes, of);
  }
  gst_structure_take_value (structure, "classes", &classes);
}

static GstStructure *
report_zone (Report * report, guint i)
{
  const Zone *zone = g_ptr_array_index (report->zones, i);
  const ZoneCount *count = &g_array_index (report->counter->counts, ZoneCount,
      i);
  GstStructure *structure = gst_structure_new (zone->is_line ? "line" : "zone",
      "name", G_TYPE_STRING, zone->name, NULL);

  set_numbers (structure, zone->is_line, &count->all, count->untracked);
  if (!zone->is_line)
    gst_structure_set (structure, "unseen", G_TYPE_UINT64, count->unseen, NULL);
  if (!zone->is_line && isfinite (count->area))
    gst_structure_set (structure, "area", G_TYPE_DOUBLE, count->area, NULL);
  if (count->n_dwells > 0)
    gst_structure_set (structure,
        "mean-dwell", G_TYPE_UINT64, count->dwell_sum / count->n_dwells,
        "max-dwell", G_TYPE_UINT64, count->dwell_max, NULL);
  set_classes (report, structure, zone->is_line, count);
  gst_structure_set (structure, "points", G_TYPE_STRING, zone->text, NULL);
  return structure;
}

static GstStructure *
report_event (const Report * report, const ZoneEvent * event)
{
  static const gchar *names[] = {
    [ZONE_EVENT_ENTERED] = "entered",[ZONE_EVENT_LEFT] = "left",
    [ZONE_EVENT_APPEARED] = "appeared",[ZONE_EVENT_LOST] = "lost",
    [ZONE_EVENT_FORWARD] = "forward",[ZONE_EVENT_BACKWARD] = "backward"
  };
  const Zone *zone = g_ptr_array_index (report->zones, event->zone);
  GstStructure *structure = gst_structure_new ("event",
      "event", G_TYPE_STRING, names[event->type],
      zone->is_line ? "line" : "zone", G_TYPE_STRING, zone->name,
      "track-id", G_TYPE_INT64, event->track, NULL);

  set_class (report, structure, event->class_id);
  if (GST_CLOCK_TIME_IS_VALID (event->dwell))
    gst_structure_set (structure, "dwell", G_TYPE_UINT64, event->dwell, NULL);
  return structure;
}

static void
report_events (Report * report, GstStructure * structure)
{
  const CsArray *events = &report->counter->events;
  const gsize room = (gsize) MAX (report->left, 0) / 2 / EVENT_VALUES;
  const gsize n = MIN (events->len, room);
  GValue array = G_VALUE_INIT;

  begin_array (structure, "events", &array);
  for (gsize i = 0; i < n; i++)
    append (&array, report_event (report, &cs_array_index (events, ZoneEvent,
                i)));
  if (gst_value_array_get_size (&array) > 0)
    gst_structure_take_value (structure, "events", &array);
  else
    g_value_unset (&array);
  report->left -= (gint) n * EVENT_VALUES;
  report->n_events = events->len - n;
}

/* Added to what another one has left out. */
static void
set_left_out (GstStructure * structure, const gchar * name, guint64 n)
{
  guint64 before = 0;

  gst_structure_get_uint64 (structure, name, &before);
  if (before + n > 0)
    gst_structure_set (structure, name, G_TYPE_UINT64, before + n, NULL);
}

void
zones_report_fill (GstStructure * structure, const ZonesCounter * counter,
    const GPtrArray * zones, guint width, guint height, guint64 frames_missing,
    gboolean has_classes)
{
  Report report = { counter, zones, has_classes, ZONES_REPORT_MAX_VALUES, 0,
    0
  };
  GValue arrays[2] = { G_VALUE_INIT, G_VALUE_INIT };

  for (gint i = 0; i < gst_structure_n_fields (structure); i++)
    report.left -= count_values (gst_structure_get_value (structure,
            gst_structure_nth_field_name (structure, i)));
  report.left -= (gint) zones->len * ZONE_VALUES;
  report_events (&report, structure);
  begin_array (structure, "zones", &arrays[0]);
  begin_array (structure, "lines", &arrays[1]);
  for (guint i = 0; i < zones->len; i++) {
    const Zone *zone = g_ptr_array_index (zones, i);

    append (&arrays[zone->is_line != FALSE], report_zone (&report, i));
  }
  gst_structure_set (structure, "width", G_TYPE_UINT, width,
      "height", G_TYPE_UINT, height,
      "frames-missing", G_TYPE_UINT64, frames_missing, NULL);
  gst_structure_take_value (structure, "zones", &arrays[0]);
  gst_structure_take_value (structure, "lines", &arrays[1]);
  set_left_out (structure, "events-left-out", report.n_events);
  set_left_out (structure, "classes-left-out", report.n_classes);
}
