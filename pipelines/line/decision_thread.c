/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decision_thread.h"

#include <string.h>

#include "deciders.h"
#include "publish/clock.h"
#include "recording.h"

/* Microseconds that it waits for an event at most */
#define EVENT_TIMEOUT (G_USEC_PER_SEC / 4)

/* Of the pieces that are not rejected, one in so many is painted. */
#define SAMPLE_EVERY 100

typedef struct
{
  LineDecisionThread *thread;
  guint lane;
  gboolean is_recorded;
} Lane;

struct _LineDecisionThread
{
  LineDecisionParts parts;
  GThread *handle;
  Lane *lanes;
  guint n_lanes;
  LineDeciders *deciders;
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
decided (const LineDecision * decision, gpointer user)
{
  Lane *own = user;
  const LineDecisionParts *parts = &own->thread->parts;
  LineScene *scene = line_station_get_scene (parts->stations[own->lane]);
  LineTruth truth;

  if (parts->plc)
    line_plc_send (parts->plc, own->lane, decision);
  char *json = line_decision_to_json (decision);
  g_autoptr (GBytes) line = g_bytes_new_take (json, strlen (json));
  line_writer_append (own->thread->parts.writer, own->thread->parts.decisions,
      line);
  if (scene)
    line_scene_truth (scene, decision->piece->piece, &truth);
  line_report_decision (parts->report, own->lane, decision,
      scene ? &truth : NULL);
  line_lots_add (parts->lots, own->lane, decision);
  if (parts->pictures && is_worth_a_picture (decision))
    line_pictures_add (parts->pictures, own->lane, decision);
}

/* A recording without one of its events would replay wrongly: it ends there. */
static void
record (LineDecisionThread * thread, guint lane, const LineEvent * event)
{
  const LineDecisionParts *parts = &thread->parts;
  Lane *own = &thread->lanes[lane];

  if (!own->is_recorded)
    return;
  g_autoptr (GBytes) bytes = line_recording_encode (event);
  if (!bytes
      || !line_writer_append (parts->writer, parts->events[lane], bytes)) {
    own->is_recorded = FALSE;
    g_printerr ("%s: the recording ends here: there is no room for it\n",
        g_array_index (parts->config->lanes, LineLaneConfig, lane).name);
  }
}

static void
handled (guint lane, const LineEvent * event, gpointer user)
{
  LineDecisionThread *thread = user;

  if (event->type == LINE_EVENT_TRIGGER && thread->parts.plc)
    line_plc_trigger (thread->parts.plc, lane, event->came);
  record (thread, lane, event);
}

static gpointer
run (gpointer data)
{
  LineDecisionThread *thread = data;

  while (!line_deciders_are_finished (thread->deciders)) {
    const gint64 due = line_deciders_next_due (thread->deciders);
    gint64 until = g_get_monotonic_time () + EVENT_TIMEOUT;

    if (due < G_MAXINT64)
      until = MIN (until, line_clock_to_monotonic (due + 999));
    gint lane = line_deciders_work (thread->deciders, until);
    if (lane >= 0) {
      LineCounts counts = line_deciders_get_counts (thread->deciders, lane);

      line_report_lane (thread->parts.report, lane, &counts);
    }
    g_atomic_int_inc (&thread->pulse);
  }
  return NULL;
}

static LineDecider *
make_decider (LineDecisionThread * thread, guint lane)
{
  const LineDecisionParts *parts = &thread->parts;
  Lane *own = &thread->lanes[lane];

  *own = (Lane) {thread, lane, parts->events != NULL};
  if (own->is_recorded) {
    g_autoptr (GBytes) head = line_recording_head ();

    own->is_recorded = line_writer_append (parts->writer,
        parts->events[lane], head);
  }
  return line_decider_new (LINE_RULES_2, parts->config, &g_array_index
      (parts->config->lanes, LineLaneConfig, lane), parts->recipe,
      read_clock, decided, own);
}

static void
make_deciders (LineDecisionThread * thread)
{
  LineDecider **deciders = g_new (LineDecider *, thread->n_lanes);

  for (guint i = 0; i < thread->n_lanes; i++)
    deciders[i] = make_decider (thread, i);
  thread->deciders = line_deciders_new (deciders, thread->n_lanes,
      thread->parts.queue, read_clock, handled, thread);
  for (guint i = 0; i < thread->n_lanes; i++) {
    LineEvent recipe = {.type = LINE_EVENT_RECIPE,.lane = i,
      .recipe = line_recipe_ref (thread->parts.recipe)
    };
    LineEvent run = {.type = LINE_EVENT_RUN,.lane = i,
      .run = thread->parts.run.id,.trigger = thread->parts.run.first
    };

    line_deciders_handle (thread->deciders, &recipe);
    line_deciders_handle (thread->deciders, &run);
  }
  g_free (deciders);
}

LineDecisionThread *
line_decision_thread_new (const LineDecisionParts * parts, GError ** error)
{
  LineDecisionThread *thread = g_new0 (LineDecisionThread, 1);

  thread->parts = *parts;
  thread->n_lanes = parts->config->lanes->len;
  thread->lanes = g_new0 (Lane, thread->n_lanes);
  make_deciders (thread);
  thread->handle = g_thread_try_new ("line-decisions", run, thread, error);
  if (thread->handle)
    return thread;
  line_decision_thread_free (thread);
  return NULL;
}

void
line_decision_thread_join (LineDecisionThread * thread)
{
  g_thread_join (thread->handle);
}

void
line_decision_thread_free (LineDecisionThread * thread)
{
  line_deciders_free (thread->deciders);
  g_free (thread->lanes);
  g_free (thread);
}

guint
line_decision_thread_get_pulse (LineDecisionThread * thread)
{
  return g_atomic_int_get (&thread->pulse);
}

static void
report_cameras (const LineDecisionThread * thread, guint lane)
{
  const LineDecisionParts *parts = &thread->parts;
  LineCameras *cameras = line_station_get_cameras (parts->stations[lane]);
  LineCameraHealth healths[LINE_MAX_VIEWS];
  const guint views =
      line_config_get_lane (parts->config, lane)->geometry->views;

  if (!cameras)
    return;
  for (guint v = 0; v < views; v++)
    line_cameras_get_health (cameras, v, &healths[v]);
  line_report_cameras (parts->report, lane, healths, views);
}

void
line_decision_thread_report (LineDecisionThread * thread)
{
  const LineDecisionParts *parts = &thread->parts;
  LineWritten written = { 0 };
  guint64 failed = 0;

  line_writer_get_counts (parts->writer, parts->decisions, &written.lines,
      &written.lines_unwritten);
  if (parts->pictures)
    line_pictures_get_counts (parts->pictures, &written.pictures,
        &written.pictures_dropped, &failed);
  written.pictures_dropped += failed;
  for (guint i = 0; i < thread->n_lanes; i++)
    report_cameras (thread, i);
  line_report_written (parts->report, &written);
  if (parts->plc) {
    LinePlcCounts counts;

    line_plc_get_counts (parts->plc, &counts);
    line_report_plc (parts->report, &counts);
  }
}
