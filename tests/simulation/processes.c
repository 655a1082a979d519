/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "processes.h"

#include <signal.h>
#include <string.h>

#include "broker.h"
#include "cameras.h"
#include "disk.h"
#include "event_queue.h"
#include "faults.h"
#include "live.h"
#include "loop.h"
#include "office.h"
#include "pieces.h"
#include "pictures.h"
#include "publish/publisher.h"
#include "results.h"
#include "recipe_check.h"
#include "spool_runs.h"
#include "web.h"
#include "writer.h"

#define SECOND G_GINT64_CONSTANT (1000000)

/* Bytes that may wait for the disk: less than the line's, so that some do not */
#define BACKLOG (256 * 1024)

/* Microseconds after which a process that has failed is started again */
#define RESTART (5 * SECOND)

typedef struct
{
  Process *process;
  gboolean is_ending, has_ended;
} Own;

static struct
{
  LineConfig *config;
  const LinePublishSource *source;
  Own line, publisher;
  gboolean is_finishing;
  ProcessesCounts counts;
} my;

static gboolean
is_there (const Own * own)
{
  return world_process_is_alive (own->process) && !own->is_ending
      && !own->has_ended;
}

/* The line */

static gpointer
line_main (gpointer data)
{
  g_autoptr (GError) error = NULL;
  LineConfig *config = my.config;
  LineRecipe *recipe = line_recipe_load_checked (config->recipe,
      config->geometries, &error);
  g_autofree char *name = line_spool_name_run (config->output,
      world_time_of_day () / SECOND);
  g_autofree char *output = g_build_filename (config->output, name, NULL);
  LineLiveOptions options = { config, recipe, output, config->output,.port = 0 };

  if (recipe) {
    my.counts.runs++;
    results_begin_run ();
    pieces_begin_run ();
    office_begin_run ();
    if (line_live_run (&options, &error)) {
      g_autofree char *report = g_build_filename (output, "report.json", NULL);

      pieces_check_report (report);
      office_check_run (output);
    }
    line_recipe_unref (recipe);
  }
  if (error)
    world_tell ("the line ends: %s", error->message);
  if (error && strstr (error->message, "unaccounted"))
    world_fail ("the line ends: %s", error->message);
  if (error && !faults_are_recent ())
    world_fail ("the line ends, and nothing else fails: %s", error->message);
  my.line.has_ended = TRUE;
  if (!my.line.is_ending && !my.is_finishing)
    world_at (world_now () + RESTART, processes_start_line, NULL);
  return NULL;
}

/* Between the line's threads, and on the way to its files: */

void __real_line_cameras_trigger (LineCameras * cameras, gint64 time);
void __real_line_event_queue_post (LineEventQueue * queue,
    const LineEvent * event);
gint __real_line_writer_add (LineWriter * writer, LineFolder * folder,
    const char *name, gsize backlog, GError ** error);
gboolean __real_line_writer_append (LineWriter * writer, gint file,
    GBytes * line);
void __real_line_writer_close (LineWriter * writer);
void __wrap_line_cameras_trigger (LineCameras * cameras, gint64 time);
void __wrap_line_event_queue_post (LineEventQueue * queue,
    const LineEvent * event);
gint __wrap_line_writer_add (LineWriter * writer, LineFolder * folder,
    const char *name, gsize backlog, GError ** error);
gboolean __wrap_line_writer_append (LineWriter * writer, gint file,
    GBytes * line);
void __wrap_line_writer_close (LineWriter * writer);

void
__wrap_line_cameras_trigger (LineCameras * cameras, gint64 time)
{
  pieces_begin_triggers (time);
  __real_line_cameras_trigger (cameras, time);
}

void
__wrap_line_event_queue_post (LineEventQueue * queue, const LineEvent * event)
{
  pieces_check_event (event);
  __real_line_event_queue_post (queue, event);
}

gint
__wrap_line_writer_add (LineWriter * writer, LineFolder * folder,
    const char *name, gsize backlog, GError ** error)
{
  return __real_line_writer_add (writer, folder, name, BACKLOG, error);
}

static void
note_written (LineWriter * writer, gint file)
{
  guint64 written, dropped;

  line_writer_get_counts (writer, file, &written, &dropped);
  results_note_written (written);
}

gboolean
__wrap_line_writer_append (LineWriter * writer, gint file, GBytes * line)
{
  gsize size;
  const char *text = g_bytes_get_data (line, &size);

  /* it may arrive before the writer returns */
  results_append (pieces_check_decision (text, size), text, size - 1);
  const gboolean is_taken = __real_line_writer_append (writer, file, line);
  if (!is_taken)
    results_drop_last ();
  if (line_writer_get_waiting (writer, file) > BACKLOG)
    world_fail ("%" G_GSIZE_FORMAT " bytes wait for the disk, and %u may",
        line_writer_get_waiting (writer, file), BACKLOG);
  note_written (writer, file);
  return is_taken;
}

void
__wrap_line_writer_close (LineWriter * writer)
{
  __real_line_writer_close (writer);
  note_written (writer, 0);
}

/* Not in the world: the page, and pictures. Who gives commands is */

LineWeb *
line_web_new (const char *address, guint port, const char *const *hosts,
    const LineWebSources * sources, LineTokens * tokens, GError ** error)
{
  g_clear_pointer (&tokens, line_tokens_free);
  office_open (sources->commander);
  return (LineWeb *) &my;
}

void
line_web_free (LineWeb * web)
{
  office_close ();
}

guint
line_web_get_port (const LineWeb * web)
{
  return 0;
}

LinePictures *
line_pictures_new (const LineConfig * config, LineFolder * folder,
    guint n_slots, LineLookAt look_at, gpointer user, GError ** error)
{
  return NULL;
}

void
line_pictures_free (LinePictures * pictures)
{
}

void
line_pictures_add (LinePictures * pictures, guint lane,
    const LineDecision * decision)
{
}

void
line_pictures_get_counts (LinePictures * pictures, guint64 * written,
    guint64 * dropped, guint64 * failed)
{
}

/* The publisher */

static gpointer
publisher_main (gpointer data)
{
  g_autoptr (GError) error = NULL;
  LinePublisher *publisher = line_publisher_new (my.source,
      broker_get_transport (), &error);
  LinePublishStatus status;

  if (!publisher && !(disk_get_faults () & DISK_FULL))
    world_fail ("the publisher does not start: %s", error->message);
  while (publisher && !my.publisher.is_ending) {
    line_publisher_step (publisher);
    if (my.is_finishing)
      line_publisher_get_status (publisher, &status);
  }
  if (publisher)
    line_publisher_free (publisher);
  my.publisher.has_ended = TRUE;
  if (!my.publisher.is_ending)
    world_at (world_now () + RESTART, processes_start_publisher, NULL);
  return NULL;
}

/* Both */

/* A slow disk may keep the one that was there before. Returns: whether it is to
 * begin now */
static gboolean
begin (Own * own, void (*start) (gpointer data), const char *name)
{
  if (world_process_is_alive (own->process) && !own->has_ended) {
    world_at (world_now () + SECOND, start, NULL);
    return FALSE;
  }
  *own = (Own) {.process = world_process_new (name)};
  return TRUE;
}

void
processes_start_line (gpointer data)
{
  if (begin (&my.line, processes_start_line, "line"))
    world_spawn (my.line.process, line_main, NULL);
}

void
processes_start_publisher (gpointer data)
{
  if (!begin (&my.publisher, processes_start_publisher, "publisher"))
    return;
  results_disturb ();
  world_spawn (my.publisher.process, publisher_main, NULL);
}

static gboolean
kill_one (Own * own, gint64 pause, void (*start) (gpointer data))
{
  if (!is_there (own))
    return FALSE;
  world_kill (own->process);
  if (own == &my.line)
    office_lose_line ();
  my.counts.kills++;
  world_at (world_now () + pause, start, NULL);
  return TRUE;
}

gboolean
processes_kill_line (gint64 pause)
{
  return kill_one (&my.line, pause, processes_start_line);
}

gboolean
processes_kill_publisher (gint64 pause)
{
  return kill_one (&my.publisher, pause, processes_start_publisher);
}

gboolean
processes_are_both_there (void)
{
  return is_there (&my.line) && is_there (&my.publisher);
}

/* One that it does not handle yet ends it. */
static void
signal_line (int number)
{
  if (loop_signal (my.line.process, number))
    return;
  world_kill (my.line.process);
  office_lose_line ();
}

void
processes_end_line (gint64 pause)
{
  if (!is_there (&my.line))
    return;
  my.line.is_ending = TRUE;
  signal_line (SIGTERM);
  world_at (world_now () + pause, processes_start_line, NULL);
}

void
processes_end_publisher (gint64 pause)
{
  if (!is_there (&my.publisher))
    return;
  my.publisher.is_ending = TRUE;
  world_at (world_now () + pause, processes_start_publisher, NULL);
}

void
processes_stop_line (gint64 length)
{
  if (!is_there (&my.line))
    return;
  world_stop (my.line.process, world_now () + length);
  /* it cannot sync what it has just written */
  results_hold (world_now () + length + RESTART);
  pieces_excuse (world_now () + length + SECOND);
}

void
processes_stop_publisher (gint64 length)
{
  if (is_there (&my.publisher))
    world_stop (my.publisher.process, world_now () + length);
}

void
processes_reload (void)
{
  if (!is_there (&my.line))
    return;
  signal_line (SIGHUP);
  if (!world_process_is_alive (my.line.process))
    world_at (world_now () + RESTART, processes_start_line, NULL);
}

void
processes_finish_line (void)
{
  my.is_finishing = TRUE;
  signal_line (SIGTERM);
}

ProcessesCounts
processes_get_counts (void)
{
  return my.counts;
}

void
processes_begin (LineConfig * config, const LinePublishSource * source)
{
  memset (&my, 0, sizeof (my));
  my.config = config;
  my.source = source;
}
