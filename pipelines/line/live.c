/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "live.h"

#include <glib-unix.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "commander.h"
#include "decision_thread.h"
#include "heartbeat.h"
#include "journal.h"
#include "notify.h"
#include "pacer.h"
#include "publish/clock.h"
#include "publish/state.h"
#include "recording.h"
#include "spool_keep.h"
#include "watch.h"
#include "web.h"

/* Events on their way to the deciders */
#define QUEUED_EVENTS 4096

/* Bytes that wait for the disk, of each file: some twenty thousand decisions */
#define BACKLOG (64 << 20)

/* Seconds from one look for old decisions to the next */
#define KEEP 5

/* Seconds from one line of progress to the next, on a terminal and in a log */
#define TELL_TERMINAL 2
#define TELL_LOG 60

typedef struct
{
  const LineLiveOptions *options;
  LineRecipe *recipe;
  LineFolder *shared;
  LineLots *lots;
  LineCommander *commander;
  LineReport *report;
  LineFolder *folder;
  LineWriter *writer;
  LineSpoolKeeper *keeper;
  LineEventQueue *queue;
  LinePictures *pictures;
  LinePlc *plc;
  LineHeartbeat *heartbeat;
  LineRun run;
  LineJournal *journal;
  LineNotify *notify;
  LineHealth health;
  LineDecisionThread *decision_thread;
  LinePacer *pacer;
  LineWatch *watch;
  LineWeb *web;
  guint n_lanes;
  LineStation **stations;
  gint decisions, *events;
  GMainContext *context;
  GMainLoop *loop;
  guint seconds;
  gboolean is_urgent;
} Live;

/* Files */

static gboolean
open_recording (Live * live, GError ** error)
{
  const LineConfig *config = live->options->config;
  gboolean good =
      line_recording_begin (config, live->recipe, live->folder, error);

  live->events = g_new0 (gint, live->n_lanes);
  for (guint i = 0; i < live->n_lanes && good; i++) {
    g_autofree char *name = g_strconcat (g_array_index (config->lanes,
            LineLaneConfig, i).name, ".events", NULL);

    live->events[i] = line_writer_add (live->writer, live->folder, name,
        BACKLOG, error);
    good = live->events[i] >= 0;
  }
  return good;
}

/* The first of its segments in @output. */
static gboolean
open_decisions (Live * live, GError ** error)
{
  const LineConfig *config = live->options->config;
  g_autoptr (GArray) old = line_spool_list (live->folder);
  const gboolean is_used = old->len > 0
      && g_array_index (old, LineSpoolSegment, 0).is_closed;

  if (is_used)
    return line_fail (error, LINE_ERROR_FILE, "%s has decisions of another "
        "run: nothing is ever overwritten; move them, or change the output",
        live->options->output);
  live->decisions = line_writer_add (live->writer, live->folder,
      LINE_SPOOL_CURRENT, BACKLOG, error);
  if (live->decisions < 0)
    return FALSE;
  line_writer_set_segments (live->writer, live->decisions,
      config->segment_bytes);
  live->keeper = line_spool_keeper_new (config, live->options->output);
  return TRUE;
}

/* First of all: a second run must not begin. */
static gboolean
open_journal (Live * live, GError ** error)
{
  const LineLiveOptions *options = live->options;
  const gint64 now = g_get_real_time () / G_USEC_PER_SEC;

  line_journal_begin (now, &live->run);
  if (!options->runs)
    return TRUE;
  live->journal = line_journal_new (options->runs, now,
      options->config->triggers_per_second, &live->run, error);
  return live->journal != NULL;
}

static gboolean
open_files (Live * live, GError ** error)
{
  live->folder = line_folder_open (live->options->output, TRUE, error);
  if (!live->folder)
    return FALSE;
  live->writer = line_writer_new ();
  if (!open_decisions (live, error))
    return FALSE;
  live->heartbeat = line_heartbeat_new (live->folder, error);
  return live->heartbeat && (!live->options->record
      || open_recording (live, error));
}

/* Pictures */

static gboolean
look_at (guint lane, guint64 trigger, guint view, guint8 * rgb, gpointer user)
{
  Live *live = user;
  LineScene *scene = line_station_get_scene (live->stations[lane]);
  LineCameras *cameras = line_station_get_cameras (live->stations[lane]);

  if (cameras)
    return line_cameras_look_at (cameras, trigger, view, rgb);
  return scene && line_scene_render (scene, trigger, view, rgb, NULL, NULL);
}

/* A line without pictures is better than no line. */
static void
open_pictures (Live * live)
{
  const LineConfig *config = live->options->config;
  g_autoptr (GError) error = NULL;
  LineFolder *folder = config->pictures > 0 ? line_folder_open_inside
      (live->folder, LINE_PICTURES, TRUE, &error) : NULL;

  if (folder)
    live->pictures = line_pictures_new (config, folder, config->pictures,
        look_at, live, &error);
  if (error)
    g_printerr ("there will be no pictures: %s\n", error->message);
}

/* Start */

static gboolean
open_stations (Live * live, GError ** error)
{
  gboolean good = TRUE;

  for (guint i = 0; i < live->n_lanes && good; i++) {
    live->stations[i] = line_station_new (live->options->config, i,
        live->recipe, live->queue, error);
    good = live->stations[i] != NULL;
  }
  open_pictures (live);
  return good && line_stations_start (live->stations, live->n_lanes, error);
}

static guint64
find_next_piece (guint lane, gpointer user)
{
  Live *live = user;

  return live->run.first + line_report_get_lane_pieces (live->report, lane);
}

/* What is in force goes on from run to run. */
static gboolean
open_commander (Live * live, GError ** error)
{
  const LineLiveOptions *options = live->options;

  live->shared = options->runs ? line_folder_open (options->runs, TRUE, error) :
      line_folder_ref (live->folder);
  if (!live->shared)
    return FALSE;
  live->lots = line_lots_new (live->shared, live->folder,
      &options->config->shifts, live->n_lanes);
  /* before there is any piece */
  line_lots_save (live->lots, FALSE);
  const LineCommanderParts parts = {.config = options->config,
    .recipe = live->recipe,.first = live->run.first,.queue = live->queue,
    .folder = live->shared,
    .recording = options->record ? live->folder : NULL,.lots = live->lots,
    .alarms = line_watch_get_alarms (live->watch),
    .next_piece = find_next_piece,.user = live
  };
  live->commander = line_commander_new (&parts, error);
  return live->commander != NULL;
}

static gboolean
open_plc (Live * live, GError ** error)
{
  if (live->options->config->plc.address
      && live->options->config->plc.weights >= 0)
    line_lots_begin_weights (live->lots, live->report);
  if (live->options->config->plc.address)
    live->plc = line_plc_new (live->options->config, &live->run,
        live->queue, live->commander, live->lots, error);
  return live->plc || !live->options->config->plc.address;
}

static gboolean
open_decision_thread (Live * live, GError ** error)
{
  LineDecisionParts parts = {.config = live->options->config,
    .recipe = live->recipe,.queue = live->queue,.writer = live->writer,
    .decisions = live->decisions,.events = live->events,
    .stations = live->stations,.report = live->report,
    .pictures = live->pictures,.plc = live->plc,.lots = live->lots,
    .run = live->run
  };

  live->decision_thread = line_decision_thread_new (&parts, error);
  return live->decision_thread != NULL;
}

static gboolean
quit (gpointer user)
{
  g_main_loop_quit (((Live *) user)->loop);
  return G_SOURCE_REMOVE;
}

/* In the pacer's thread. */
static void
paced_out (gpointer user)
{
  Live *live = user;
  g_autoptr (GSource) source = g_idle_source_new ();

  g_source_set_callback (source, quit, live, NULL);
  g_source_attach (source, live->context);
}

static gboolean
open_pacer (Live * live, GError ** error)
{
  g_autofree guint64 *triggers = g_new (guint64, live->n_lanes);
  g_autofree guint *bursts = g_new (guint, live->n_lanes);

  for (guint i = 0; i < live->n_lanes; i++) {
    const guint64 most = live->options->triggers;

    triggers[i] = line_station_get_triggers (live->stations[i]);
    if (most && (!triggers[i] || triggers[i] > most))
      triggers[i] = most;
    bursts[i] = g_array_index (live->options->config->lanes, LineLaneConfig,
        i).burst;
  }
  live->pacer = line_pacer_new (live->options->config->triggers_per_second,
      live->stations, triggers, bursts, live->n_lanes, paced_out, live, error);
  return live->pacer != NULL;
}

/* A line without its page is better than no line. */
static void
open_web (Live * live)
{
  const LineConfig *config = live->options->config;
  g_autofree char *publisher = config->publish ?
      line_publish_status_path (config->output) : NULL;
  const LineWebSources sources = { live->report, live->commander,
    line_watch_get_alarms (live->watch), line_watch_get_trends (live->watch),
    live->folder, live->shared, config->recipes, publisher
  };
  g_autoptr (GError) error = NULL;
  LineTokens *tokens = config->tokens && live->options->port >= 0 ?
      line_tokens_load (config->tokens, &error) : NULL;

  if (live->options->port >= 0 && !error)
    live->web = line_web_new (config->address, live->options->port,
        (const char *const *) config->hosts, &sources, tokens, &error);
  if (error)
    g_printerr ("there will be no page: %s\n", error->message);
  if (live->web)
    g_printerr (strchr (config->address, ':') ? "http://[%s]:%u/ shows it\n" :
        "http://%s:%u/ shows it\n", config->address,
        line_web_get_port (live->web));
}

/* While it runs */

/* Another signal stops nothing of what is written then. */
static gboolean
stop (gpointer user)
{
  Live *live = user;

  live->is_urgent = TRUE;
  (void) quit (live);
  return G_SOURCE_CONTINUE;
}

static gboolean
reload (gpointer user)
{
  Live *live = user;

  if (live->commander && !line_commander_ask (live->commander, "SIGHUP",
          line_command_new_reload (), NULL, NULL, 0))
    g_printerr ("too many commands wait: the recipe is not read again\n");
  return G_SOURCE_CONTINUE;
}

static void
check_old_decisions (Live * live)
{
  LineSpoolKept kept;

  if (!live->keeper || live->seconds % KEEP != 0)
    return;
  line_spool_keeper_check (live->keeper, g_get_real_time () / G_USEC_PER_SEC,
      &kept);
  line_report_kept (live->report, &kept);
}

/* Numbers that this run has given are not given again. */
static void
keep_journal (Live * live, gboolean is_end)
{
  LinePlcCounts counts = {.delay = NAN };
  guint64 most = 0;

  if (!live->journal)
    return;
  if (live->plc)
    line_plc_get_counts (live->plc, &counts);
  for (guint i = 0; i < live->n_lanes; i++)
    if (live->stations[i])
      most = MAX (most, line_station_count_triggers (live->stations[i]));
  line_journal_note (live->journal, most, counts.agreed > 0 ?
      counts.delay : live->run.delay, is_end);
}

/* Beats for the watchdogs, if all threads live. */
static void
beat (Live * live)
{
  const guint pulses[] = { line_decision_thread_get_pulse (live->decision_thread),
    line_writer_get_pulse (live->writer)
  };

  if (line_heartbeat_beat (live->heartbeat, pulses, G_N_ELEMENTS (pulses),
          line_report_get_pieces (live->report))) {
    live->health.beat_at = g_get_monotonic_time ();
    line_notify_tell (live->notify, "WATCHDOG=1");
    if (live->plc)
      line_plc_beat (live->plc);
  }
  live->health.events = line_event_queue_count (live->queue);
  live->health.unsaved =
      line_writer_get_waiting (live->writer, live->decisions);
  line_report_health (live->report, &live->health);
  for (guint i = 0; i < live->n_lanes; i++)
    line_report_queue (live->report, i,
        line_station_take_peak (live->stations[i]));
}

static gboolean
each_second (gpointer user)
{
  Live *live = user;
  const guint every = isatty (STDERR_FILENO) ? TELL_TERMINAL : TELL_LOG;

  /* first, for the rest waits for the disk */
  keep_journal (live, FALSE);
  line_decision_thread_report (live->decision_thread);
  check_old_decisions (live);
  beat (live);
  line_watch_look (live->watch, live->report);
  line_lots_save (live->lots, FALSE);
  if (++live->seconds % every == 0) {
    g_autofree char *line = line_report_to_line (live->report);

    g_printerr ("%u s: %s\n", live->seconds, line);
  }
  return G_SOURCE_CONTINUE;
}

static void
add_source (Live * live, GSource * source, GSourceFunc function)
{
  g_source_set_callback (source, function, live, NULL);
  g_source_attach (source, live->context);
  g_source_unref (source);
}

/* The end */

static void
close_stations (Live * live)
{
  for (guint i = 0; i < live->n_lanes; i++)
    if (live->stations[i])
      line_station_end (live->stations[i], live->is_urgent);
  for (guint i = 0; i < live->n_lanes; i++)
    if (live->stations[i])
      line_station_join (live->stations[i]);
  for (guint i = 0; i < live->n_lanes; i++) {
    LineEvent event = {.type = LINE_EVENT_FINISH,.lane = i };

    if (live->decision_thread)
      line_event_queue_post (live->queue, &event);
  }
}

/* Pieces that can be decided are, then lines are written; then nobody needs the
 * painter, who needs the stations, any more. */
static void
finish (Live * live)
{
  if (live->commander)
    line_commander_close (live->commander);
  g_clear_pointer (&live->pacer, line_pacer_free);
  g_clear_pointer (&live->web, line_web_free);
  close_stations (live);
  if (live->decision_thread) {
    line_decision_thread_join (live->decision_thread);
    if (live->plc)
      line_plc_close (live->plc);
    keep_journal (live, TRUE);
    line_writer_close (live->writer);
    line_decision_thread_report (live->decision_thread);
  }
  if (live->lots)
    line_lots_save (live->lots, TRUE);
  g_clear_pointer (&live->pictures, line_pictures_free);
  g_clear_pointer (&live->decision_thread, line_decision_thread_free);
  g_clear_pointer (&live->plc, line_plc_free);
  g_clear_pointer (&live->commander, line_commander_free);
}

static gboolean
write_report (Live * live, GError ** error)
{
  g_autofree char *json = line_report_to_json (live->report);
  g_autofree char *text = line_report_to_text (live->report);

  g_print ("%s", text);
  gboolean good = line_folder_save (live->folder, "report.json", json,
      strlen (json), error) && line_folder_save (live->folder, "report.txt",
      text, strlen (text), error);
  return good && (line_report_adds_up (live->report) || line_fail (error,
          LINE_ERROR_RUN, "a frame is unaccounted for: this is a fault of this "
          "program"));
}

static void
clear (Live * live)
{
  for (guint i = 0; i < live->n_lanes; i++)
    g_clear_pointer (&live->stations[i], line_station_free);
  g_free (live->stations);
  g_free (live->events);
  g_clear_pointer (&live->heartbeat, line_heartbeat_free);
  g_clear_pointer (&live->journal, line_journal_free);
  g_clear_pointer (&live->keeper, line_spool_keeper_free);
  line_notify_free (live->notify);
  g_clear_pointer (&live->writer, line_writer_free);
  g_clear_pointer (&live->lots, line_lots_unref);
  g_clear_pointer (&live->shared, line_folder_unref);
  g_clear_pointer (&live->folder, line_folder_unref);
  g_clear_pointer (&live->queue, line_event_queue_free);
  g_clear_pointer (&live->watch, line_watch_free);
  g_clear_pointer (&live->report, line_report_free);
  line_recipe_unref (live->recipe);
  g_main_loop_unref (live->loop);
  g_main_context_unref (live->context);
}

static gboolean
start (Live * live, GError ** error)
{
  const gint64 begin = g_get_monotonic_time ();

  if (!open_journal (live, error) || !open_files (live, error))
    return FALSE;
  if (!open_commander (live, error))
    return FALSE;
  if (!open_stations (live, error) || !open_plc (live, error)
      || !open_decision_thread (live, error) || !open_pacer (live, error))
    return FALSE;
  g_printerr ("ready after %.1f s; run %u, pieces from %" G_GUINT64_FORMAT
      " on; %s\n", (g_get_monotonic_time () - begin) / 1e6, live->run.id,
      live->run.first, live->options->output);
  open_web (live);
  line_notify_tell (live->notify, "READY=1");
  return TRUE;
}

gboolean
line_live_run (const LineLiveOptions * options, GError ** error)
{
  Live live = {.options = options,
    .recipe = line_recipe_ref (options->recipe),
    .report = line_report_new (options->config),
    .watch = line_watch_new (options->config),
    .queue = line_event_queue_new (QUEUED_EVENTS),
    .n_lanes = options->config->lanes->len,
    .notify = line_notify_new (),
    .context = g_main_context_new ()
  };

  live.stations = g_new0 (LineStation *, live.n_lanes);
  live.loop = g_main_loop_new (live.context, FALSE);
  add_source (&live, g_unix_signal_source_new (SIGTERM), stop);
  add_source (&live, g_unix_signal_source_new (SIGINT), stop);
  add_source (&live, g_unix_signal_source_new (SIGHUP), reload);
  add_source (&live, g_timeout_source_new_seconds (1), each_second);
  gboolean good = start (&live, error);
  if (good)
    g_main_loop_run (live.loop);
  line_notify_tell (live.notify, "STOPPING=1");
  finish (&live);
  good = good && write_report (&live, error);
  clear (&live);
  return good;
}
