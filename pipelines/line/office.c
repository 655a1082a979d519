/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "office.h"

#include <string.h>

#include "clock.h"
#include "desks.h"
#include "recording.h"

/* Microseconds that it waits for an event at most */
#define PATIENCE (G_USEC_PER_SEC / 4)

/* Beside rejected pieces, each so many'th is painted. */
#define SAMPLE_EVERY 100

typedef struct
{
  LineOffice *office;
  guint lane;
  gboolean is_recorded;
} Seat;

struct _LineOffice
{
  LineOfficeParts parts;
  GThread *thread;
  Seat *seats;
  guint n_seats;
  LineDesks *desks;
  guint pulse;
};

static gint64
read_clock (gpointer user)
{
  return line_clock_now ();
}

static gboolean
is_worth_a_picture (const LineDecision * decision)
{
  const LineRecipe *recipe = decision->recipe;
  const LineRule *last = &g_array_index (recipe->rules, LineRule,
      recipe->rules->len - 1);

  return decision->outcome->outlet == last->outlet
      || decision->piece->piece % SAMPLE_EVERY == 0;
}

static void
write_decision (const LineOffice * office, const LineDecision * decision)
{
  char *json = line_decision_to_json (decision);
  GBytes *line = g_bytes_new_take (json, strlen (json));

  line_writer_append (office->parts.writer, office->parts.decisions, line);
  g_bytes_unref (line);
}

static void
decided (const LineDecision * decision, gpointer user)
{
  Seat *seat = user;
  const LineOfficeParts *parts = &seat->office->parts;
  LineScene *scene = line_station_get_scene (parts->stations[seat->lane]);
  LineTruth truth;

  if (parts->plc)
    line_plc_send (parts->plc, seat->lane, decision);
  write_decision (seat->office, decision);
  if (scene)
    line_scene_truth (scene, decision->piece->piece, &truth);
  line_report_decision (parts->report, seat->lane, decision,
      scene ? &truth : NULL);
  if (parts->pictures && is_worth_a_picture (decision))
    line_pictures_add (parts->pictures, seat->lane, decision);
}

/* A recording that has lost an event would replay wrongly: it ends there. */
static void
record (LineOffice * office, guint lane, const LineEvent * event)
{
  const LineOfficeParts *parts = &office->parts;
  Seat *seat = &office->seats[lane];
  GBytes *bytes;

  if (!seat->is_recorded)
    return;
  bytes = line_recording_encode (event);
  if (!bytes
      || !line_writer_append (parts->writer, parts->events[lane], bytes)) {
    seat->is_recorded = FALSE;
    g_printerr ("%s: the recording ends here: there is no room for it\n",
        g_array_index (parts->config->lanes, LineLaneConfig, lane).name);
  }
  g_clear_pointer (&bytes, g_bytes_unref);
}

static void
handled (guint lane, const LineEvent * event, gpointer user)
{
  LineOffice *office = user;

  if (event->type == LINE_EVENT_TRIGGER && office->parts.plc)
    line_plc_trigger (office->parts.plc, lane, event->came);
  record (office, lane, event);
}

static void
report_lane (const LineOffice * office, guint lane)
{
  LineCounts counts = line_desks_get_counts (office->desks, lane);

  line_report_lane (office->parts.report, lane, &counts);
}

static gpointer
run (gpointer data)
{
  LineOffice *office = data;

  while (!line_desks_are_finished (office->desks)) {
    const gint64 due = line_desks_next_due (office->desks);
    gint64 until = g_get_monotonic_time () + PATIENCE;
    gint lane;

    if (due < G_MAXINT64)
      until = MIN (until, line_clock_to_monotonic (due + 999));
    lane = line_desks_work (office->desks, until);
    if (lane >= 0)
      report_lane (office, lane);
    g_atomic_int_inc (&office->pulse);
  }
  return NULL;
}

static LineDesk *
take_seat (LineOffice * office, guint lane)
{
  const LineOfficeParts *parts = &office->parts;
  Seat *seat = &office->seats[lane];

  *seat = (Seat) {office, lane, parts->events != NULL};
  if (seat->is_recorded) {
    GBytes *head = line_recording_head ();

    seat->is_recorded = line_writer_append (parts->writer,
        parts->events[lane], head);
    g_bytes_unref (head);
  }
  return line_desk_new (LINE_RULES_2, parts->config, &g_array_index
      (parts->config->lanes, LineLaneConfig, lane), parts->recipe,
      read_clock, decided, seat);
}

static void
take_seats (LineOffice * office)
{
  LineDesk **desks = g_new (LineDesk *, office->n_seats);

  for (guint i = 0; i < office->n_seats; i++)
    desks[i] = take_seat (office, i);
  office->desks = line_desks_new (desks, office->n_seats,
      office->parts.mailbox, read_clock, handled, office);
  for (guint i = 0; i < office->n_seats; i++) {
    LineEvent recipe = {.type = LINE_EVENT_RECIPE,.lane = i,
      .recipe = line_recipe_ref (office->parts.recipe)
    };
    LineEvent run = {.type = LINE_EVENT_RUN,.lane = i,
      .run = office->parts.run.id,.trigger = office->parts.run.first
    };

    line_desks_handle (office->desks, &recipe);
    line_desks_handle (office->desks, &run);
  }
  g_free (desks);
}

LineOffice *
line_office_new (const LineOfficeParts * parts, GError ** error)
{
  LineOffice *office = g_new0 (LineOffice, 1);

  office->parts = *parts;
  office->n_seats = parts->config->lanes->len;
  office->seats = g_new0 (Seat, office->n_seats);
  take_seats (office);
  office->thread = g_thread_try_new ("line-decisions", run, office, error);
  if (office->thread)
    return office;
  line_office_free (office);
  return NULL;
}

void
line_office_join (LineOffice * office)
{
  g_thread_join (office->thread);
}

void
line_office_free (LineOffice * office)
{
  line_desks_free (office->desks);
  g_free (office->seats);
  g_free (office);
}

guint
line_office_get_pulse (LineOffice * office)
{
  return g_atomic_int_get (&office->pulse);
}

static void
report_cameras (const LineOffice * office, guint lane)
{
  const LineOfficeParts *parts = &office->parts;
  LineCameras *cameras = line_station_get_cameras (parts->stations[lane]);
  LineCameraHealth healths[LINE_MAX_VIEWS];
  const guint views = parts->config->geometry.views;

  if (!cameras)
    return;
  for (guint v = 0; v < views; v++)
    line_cameras_get_health (cameras, v, &healths[v]);
  line_report_cameras (parts->report, lane, healths, views);
}

void
line_office_report (LineOffice * office)
{
  const LineOfficeParts *parts = &office->parts;
  LineWritten written = { 0 };
  guint64 failed = 0;

  line_writer_get_counts (parts->writer, parts->decisions, &written.lines,
      &written.lines_unwritten);
  if (parts->pictures)
    line_pictures_get_counts (parts->pictures, &written.pictures,
        &written.pictures_dropped, &failed);
  written.pictures_dropped += failed;
  for (guint i = 0; i < office->n_seats; i++)
    report_cameras (office, i);
  line_report_written (parts->report, &written);
  if (parts->plc) {
    LinePlcCounts counts;

    line_plc_get_counts (parts->plc, &counts);
    line_report_plc (parts->report, &counts);
  }
}
