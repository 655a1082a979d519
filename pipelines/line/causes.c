/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "causes.h"

#include <math.h>
#include <string.h>

/* Seconds that are looked back */
#define WINDOW 60

/* Of frames or pieces: what there is an alarm of, as in alerts.yml */
#define SHARE 0.001

/* Bytes that wait for the disk */
#define WAITING 1000000

/* After so many ns of silence the publisher is gone. */
#define SILENCE (5 * G_GINT64_CONSTANT (1000000000))

/* Of a lane, since the start */
typedef struct
{
  guint64 frames, lost, late, pieces, missed, undecided;
} Counts;

/* @counts: of each lane, at each of the last seconds, in a ring
 * @unwritten: decisions, at each of them
 * @n: seconds so far */
struct _LineCauses
{
  guint n_lanes;
  Counts *counts;
  guint64 unwritten[WINDOW], n;
};

LineCauses *
line_causes_new (guint n_lanes)
{
  LineCauses *causes = g_new0 (LineCauses, 1);

  causes->n_lanes = n_lanes;
  causes->counts = g_new0 (Counts, (gsize) n_lanes * WINDOW);
  return causes;
}

void
line_causes_free (LineCauses * causes)
{
  g_free (causes->counts);
  g_free (causes);
}

static void
add (GArray * found, LineAlarmKind kind, const char *lane, gint view,
    gdouble value)
{
  const LineCause cause = { kind, lane, view, value };

  g_array_append_val (found, cause);
}

static void
add_share (GArray * found, LineAlarmKind kind, const char *lane, guint64 n,
    guint64 all)
{
  if (all > 0 && (gdouble) n / all > SHARE)
    add (found, kind, lane, -1, (gdouble) n / all);
}

static Counts
count (const LineLaneReport * lane)
{
  const LineCounts *counts = &lane->counts;
  const guint64 lost = line_counts_get_lost (counts);

  return (Counts) {
  counts->in_time + counts->late + lost, lost, counts->late, lane->pieces,
        lane->statuses[LINE_STATUS_LATE],
        lane->statuses[LINE_STATUS_UNDECIDED]};
}

static void
find_shares (GArray * found, const char *lane, const Counts * now,
    const Counts * before)
{
  const guint64 frames = now->frames - before->frames;
  const guint64 pieces = now->pieces - before->pieces;

  add_share (found, LINE_ALARM_FRAMES_LOST, lane, now->lost - before->lost,
      frames);
  add_share (found, LINE_ALARM_FRAMES_LATE, lane, now->late - before->late,
      frames);
  add_share (found, LINE_ALARM_DEADLINE_MISSED, lane,
      now->missed - before->missed, pieces);
  add_share (found, LINE_ALARM_UNDECIDED, lane,
      now->undecided - before->undecided, pieces);
}

static void
find_views (GArray * found, const char *name, const LineLaneReport * lane)
{
  for (guint v = 0; v < lane->looks.n_views; v++)
    if (lane->looks.views[v].dark_since != 0)
      add (found, LINE_ALARM_VIEW_DARK, name, (gint) v, NAN);
  for (guint v = 0; v < lane->n_cameras; v++)
    if (!lane->cameras[v].is_running)
      add (found, LINE_ALARM_CAMERA_OFF, name, (gint) v, NAN);
}

static void
find_plc (GArray * found, const LinePlcCounts * plc)
{
  if (plc->is_used && !plc->is_answering)
    add (found, LINE_ALARM_PLC_DOWN, NULL, -1, NAN);
  else if (plc->is_used && plc->has_triggers && plc->agreed < plc->lanes)
    add (found, LINE_ALARM_PLC_OUT_OF_STEP, NULL, -1,
        plc->lanes - plc->agreed);
}

static void
find_publisher (GArray * found, const char *text, gint64 now)
{
  json_auto_t *json = text ? json_loads (text, 0, NULL) : NULL;
  const gint64 told = json_integer_value (json_object_get (json, "t_ns"));

  if (now - told > SILENCE)
    add (found, LINE_ALARM_PUBLISHER_GONE, NULL, -1, NAN);
  else if (json_integer_value (json_object_get (json,
              "connected_since_ns")) == 0)
    add (found, LINE_ALARM_BROKER_DOWN, NULL, -1, NAN);
}

static void
find_written (LineCauses * causes, GArray * found, const LineReport * report)
{
  guint64 *before = &causes->unwritten[causes->n % WINDOW];
  const guint64 unwritten = report->written.lines_unwritten;

  if (report->health.unsaved > WAITING)
    add (found, LINE_ALARM_DISK_WAITS, NULL, -1, report->health.unsaved);
  if (unwritten > *before)
    add (found, LINE_ALARM_DECISIONS_UNWRITTEN, NULL, -1,
        (gdouble) (unwritten - *before));
  *before = unwritten;
}

GArray *
line_causes_find (LineCauses * causes, const LineReport * report,
    gboolean has_publisher, const char *publisher, gint64 now)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (LineCause));

  for (guint i = 0; i < causes->n_lanes; i++) {
    Counts *before = &causes->counts[causes->n % WINDOW * causes->n_lanes + i];
    const Counts counts = count (&report->lanes[i]);

    find_views (found, report->lane_names[i], &report->lanes[i]);
    find_shares (found, report->lane_names[i], &counts, before);
    *before = counts;
  }
  find_plc (found, &report->plc);
  if (has_publisher)
    find_publisher (found, publisher, now);
  find_written (causes, found, report);
  causes->n++;
  return found;
}
