/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "results.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "broker.h"
#include "disk.h"
#include "journal.h"
#include "publish/clock.h"
#include "publish/publisher.h"
#include "publish/state.h"
#include "publish_line.h"
#include "spool_files.h"
#include "spool_keep.h"
#include "spool_runs.h"
#include "writer.h"

#define SECOND G_GINT64_CONSTANT (1000000)

/* Lines a second, and bytes that may wait for the disk */
#define RATE 10
#define BACKLOG (64 * 1024)

/* In the end all is well for so long: a publisher that was refused waits up to
 * half a minute, each time. */
#define CALM (240 * SECOND)

/* What is written is on the disk after so long, if disk and writer are well; else
 * after what a system takes by itself. */
#define DURABLE (3 * SECOND)
#define WRITTEN_BACK (45 * SECOND)

/* After this without a disturbance nothing arrives again. */
#define UNDISTURBED (120 * SECOND)

typedef enum
{
  KILL_LINE,
  KILL_PUBLISHER,
  END_LINE,
  END_PUBLISHER,
  CUT_POWER,
  FILL_DISK,
  SLOW_DISK,
  STOP_SYNC,
  BREAK_BROKER,
  CUT_CONNECTION,
  REFUSE,
  DELAY_ANSWERS,
  N_KINDS,
} Kind;

static const char *const kinds[] = { "line: SIGKILL", "publisher: SIGKILL",
  "line: SIGTERM", "publisher: SIGTERM", "power cut", "disk full", "disk slow",
  "fsync fails", "broker down", "connection lost", "line refused",
  "answers late"
};

typedef struct
{
  Kind kind;
  gint64 time, length;
} Fault;

/* @must: it has to arrive: its bytes were seen in a file
 * @sure_at: when they are on the disk for sure */
typedef struct
{
  guint32 hash;
  gint64 sure_at;
  gboolean is_dropped, must, has_arrived;
} Line;

/* @next: the line that is written next, as far as is known; @n_written: of the
 * run, before it
 * @unsure: lines before it are on the disk for sure
 * @repeated: arrivals since @disturbed_at that had arrived before
 * @n_at_cut: lines when power was cut: their files may be shorter since than what
 *     was acknowledged of them, and are then read again */
static struct
{
  guint64 seed;
  char *folder, *run;
  LineConfig config;
  LinePublishConfig publish;
  LinePublishSource source;
  GArray *lines, *faults;
  Process *line, *publisher;
  guint64 first, next, n_written, unsure, next_piece, last_arrived, n_arrived;
  guint64 highest_piece;
  guint repeated;
  gboolean is_line_ending, has_line_ended, is_publisher_ending;
  gboolean has_publisher_ended, is_calm;
  guint64 n_at_cut;
  gint64 disturbed_at, unsynced_at;
  ResultsCounts counts;
} my;

/* Lines */

static Line *
get_line (guint64 number)
{
  return &g_array_index (my.lines, Line, number);
}

static char *
make_text (guint64 number, guint64 piece)
{
  const guint n = (guint) (number * 2654435761u >> 24) % 200;

  return g_strdup_printf ("{\"schema\":\"fruit-line/2\",\"line\":\"l\","
      "\"lane\":\"a\",\"piece\":%" G_GUINT64_FORMAT ",\"n\":%" G_GUINT64_FORMAT
      ",\"x\":\"%*s\"}", piece, number, n, "");
}

/* The number that a line has in it */
static gboolean
read_number (const char *text, gsize size, guint64 * number)
{
  g_autofree char *copy = g_strndup (text, size);
  const char *at = strstr (copy, "\"n\":");

  return at && sscanf (at + 4, "%" G_GUINT64_FORMAT, number) == 1
      && *number < my.lines->len;
}

/* The broker's side */

static void
check_order (guint64 number)
{
  for (guint64 i = my.last_arrived; i < number; i++)
    if (get_line (i)->must && !get_line (i)->has_arrived)
      world_fail ("line %" G_GUINT64_FORMAT " arrives before line %"
          G_GUINT64_FORMAT ", which was written before", number, i);
}

static void
check_repetition (guint64 number)
{
  if (number < my.n_at_cut)
    return;
  if (++my.repeated > my.publish.in_flight)
    world_fail ("%u lines arrive again, and %u are on their way at most",
        my.repeated, my.publish.in_flight);
  if (world_now () - my.disturbed_at > UNDISTURBED)
    world_fail ("line %" G_GUINT64_FORMAT " arrives again for no reason",
        number);
}

static void
arrived (const char *text, gsize size)
{
  guint64 number;

  my.counts.arrivals++;
  if (!read_number (text, size, &number)) {
    world_fail ("what arrives is no line: %.*s", (int) MIN (size, 60), text);
    return;
  }
  Line *line = get_line (number);
  g_autofree char *copy = g_strndup (text, size);
  if (g_str_hash (copy) != line->hash)
    world_fail ("line %" G_GUINT64_FORMAT " arrives with other bytes", number);
  world_tell ("arrives %" G_GUINT64_FORMAT, number);
  if (line->has_arrived) {
    my.counts.repetitions++;
    check_repetition (number);
    return;
  }
  if (my.n_arrived > 0 && number < my.last_arrived)
    world_fail ("line %" G_GUINT64_FORMAT " arrives first after line %"
        G_GUINT64_FORMAT, number, my.last_arrived);
  check_order (number);
  line->has_arrived = TRUE;
  my.last_arrived = number;
  my.n_arrived++;
}

/* From now on lines that are on their way may come again. */
static void
disturb (void)
{
  my.disturbed_at = world_now ();
  my.repeated = 0;
}

/* What is on the disk */

static gint64
get_sure_time (void)
{
  return disk_get_faults () ? G_MAXINT64 : world_now () + DURABLE;
}

/* Lines that are not on the disk for sure yet will be at @time. */
static void
put_off (gint64 time)
{
  while (my.unsure < my.lines->len && get_line (my.unsure)->sure_at
      <= world_now ())
    my.unsure++;
  for (guint64 i = my.unsure; i < my.lines->len; i++)
    if (get_line (i)->sure_at > world_now ())
      get_line (i)->sure_at = time;
}

static void
forget_unsure (void)
{
  put_off (G_MAXINT64);
  for (guint64 i = my.unsure; i < my.lines->len; i++)
    if (get_line (i)->sure_at == G_MAXINT64) {
      get_line (i)->must = FALSE;
      get_line (i)->sure_at = 0;
    }
}

/* The line's process */

/* The writer writes in order. */
static void
note_written (LineWriter * writer, gint file)
{
  guint64 written, dropped;

  line_writer_get_counts (writer, file, &written, &dropped);
  for (; my.n_written < written && my.next < my.lines->len; my.next++) {
    Line *line = get_line (my.next);

    if (line->is_dropped)
      continue;
    line->must = TRUE;
    line->sure_at = get_sure_time ();
    my.n_written++;
  }
}

static void
append_line (LineWriter * writer, gint file)
{
  const guint64 number = my.lines->len, piece = my.next_piece++;
  g_autofree char *text = make_text (number, piece);
  g_autofree char *ended = g_strconcat (text, "\n", NULL);
  g_autoptr (GBytes) bytes = g_bytes_new (ended, strlen (ended));
  const Line line = {.hash = g_str_hash (text),.sure_at = G_MAXINT64 };

  if (piece <= my.highest_piece && my.highest_piece > 0)
    world_fail ("piece %" G_GUINT64_FORMAT " has the number of another one",
        piece);
  my.highest_piece = MAX (my.highest_piece, piece);
  my.counts.lines++;
  g_array_append_val (my.lines, line);
  if (!line_writer_append (writer, file, bytes)) {
    get_line (number)->is_dropped = TRUE;
    my.counts.lost++;
    world_tell ("dropped %" G_GUINT64_FORMAT, number);
  }
  if (line_writer_get_waiting (writer, file) > BACKLOG)
    world_fail ("%" G_GSIZE_FORMAT " bytes wait for the disk, and %u may",
        line_writer_get_waiting (writer, file), BACKLOG);
}

/* As the program names it; runs never begin in the same second. */
static char *
name_run (void)
{
  const gint64 now = world_time_of_day () / SECOND;
  g_autoptr (GDateTime) date = g_date_time_new_from_unix_utc (now);

  return g_date_time_format (date, "%Y-%m-%dT%H-%M-%SZ");
}

typedef struct
{
  LineFolder *folder;
  LineWriter *writer;
  LineSpoolKeeper *keeper;
  LineJournal *journal;
  gint file;
} Run;

static gboolean
open_run (Run * run, GError ** error)
{
  g_autofree char *name = name_run ();
  LineRun numbers;

  run->journal = line_journal_new (my.folder, world_time_of_day () / SECOND,
      RATE, &numbers, error);
  if (!run->journal)
    return FALSE;
  g_free (my.run);
  my.run = g_build_filename (my.folder, name, NULL);
  run->folder = line_folder_open (my.run, TRUE, error);
  if (!run->folder)
    return FALSE;
  run->writer = line_writer_new ();
  run->file = line_writer_add (run->writer, run->folder, LINE_SPOOL_CURRENT,
      BACKLOG, error);
  if (run->file < 0)
    return FALSE;
  line_writer_set_segments (run->writer, run->file, my.config.segment_bytes);
  run->keeper = line_spool_keeper_new (&my.config, my.run);
  my.next_piece = numbers.first;
  my.first = my.next = my.lines->len;
  my.n_written = 0;
  my.counts.runs++;
  world_tell ("run %u, pieces from %" G_GUINT64_FORMAT, numbers.id,
      numbers.first);
  return TRUE;
}

static void
close_run (Run * run)
{
  if (run->writer)
    line_writer_free (run->writer);
  g_clear_pointer (&run->keeper, line_spool_keeper_free);
  g_clear_pointer (&run->journal, line_journal_free);
  g_clear_pointer (&run->folder, line_folder_unref);
}

static void
work (Run * run)
{
  const gint64 begin = world_now ();

  for (guint i = 0; !my.is_line_ending; i++) {
    LineSpoolKept kept;

    append_line (run->writer, run->file);
    note_written (run->writer, run->file);
    if (i % RATE == 0)
      line_journal_note (run->journal, i + 1, NAN, FALSE);
    if (i % (5 * RATE) == 0 && run->keeper) {
      line_spool_keeper_check (run->keeper, world_time_of_day () / SECOND,
          &kept);
      my.counts.deleted += kept.deleted > 0;
    }
    world_sleep_until (MAX (world_now (), begin + (i + 1) * SECOND / RATE));
  }
  line_writer_close (run->writer);
  note_written (run->writer, run->file);
  line_journal_note (run->journal, my.lines->len - my.first, NAN, TRUE);
}

static gpointer
line_main (gpointer data)
{
  g_autoptr (GError) error = NULL;
  Run run = { NULL, };

  if (open_run (&run, &error))
    work (&run);
  else if (!(disk_get_faults () & DISK_FULL))
    world_fail ("the line does not start: %s", error->message);
  close_run (&run);
  my.has_line_ended = TRUE;
  return NULL;
}

/* The publisher's process */

static gpointer
publisher_main (gpointer data)
{
  g_autoptr (GError) error = NULL;
  LinePublisher *publisher = line_publisher_new (&my.source,
      broker_get_transport (), &error);
  LinePublishStatus status;

  if (!publisher && !(disk_get_faults () & DISK_FULL))
    world_fail ("the publisher does not start: %s", error->message);
  while (publisher && !my.is_publisher_ending) {
    line_publisher_step (publisher);
    if (my.is_calm)
      line_publisher_get_status (publisher, &status);
  }
  if (publisher)
    line_publisher_free (publisher);
  my.has_publisher_ended = TRUE;
  return NULL;
}

/* Both are started again when they are gone; a slow disk may keep them. */

static void
start_line (gpointer data)
{
  if (world_process_is_alive (my.line) && !my.has_line_ended) {
    world_at (world_now () + SECOND, start_line, NULL);
    return;
  }
  my.is_line_ending = my.has_line_ended = FALSE;
  my.line = world_process_new ("line");
  world_spawn (my.line, line_main, NULL);
}

static void
start_publisher (gpointer data)
{
  if (world_process_is_alive (my.publisher) && !my.has_publisher_ended) {
    world_at (world_now () + SECOND, start_publisher, NULL);
    return;
  }
  my.is_publisher_ending = my.has_publisher_ended = FALSE;
  disturb ();
  my.publisher = world_process_new ("publisher");
  world_spawn (my.publisher, publisher_main, NULL);
}

static void
kill_line (gint64 pause)
{
  world_kill (my.line);
  put_off (disk_get_faults () ? G_MAXINT64 : world_now () + WRITTEN_BACK);
  my.counts.kills++;
  world_at (world_now () + pause, start_line, NULL);
}

static void
kill_publisher (gint64 pause)
{
  world_kill (my.publisher);
  my.counts.kills++;
  world_at (world_now () + pause, start_publisher, NULL);
}

/* Faults */

static gint64
draw_pause (void)
{
  return SECOND + SECOND / 4 + (gint64) world_below (10 * SECOND);
}

static void
cut_power (void)
{
  const gint64 pause = draw_pause ();

  kill_line (pause + (gint64) world_below (SECOND));
  kill_publisher (pause + (gint64) world_below (SECOND));
  forget_unsure ();
  disk_cut_power ();
  /* numbers that could not be reserved */
  if ((disk_get_faults () & DISK_NO_SYNC)
      || world_now () - my.unsynced_at < WRITTEN_BACK)
    my.highest_piece = 0;
  my.n_at_cut = my.lines->len;
  my.counts.power_cuts++;
}

static void
end_disk_fault (gpointer data)
{
  if (GPOINTER_TO_UINT (data) == DISK_NO_SYNC)
    my.unsynced_at = world_now ();
  disk_set_faults (disk_get_faults () & ~GPOINTER_TO_UINT (data));
  if (!disk_get_faults ())
    put_off (world_now () + WRITTEN_BACK);
}

static void
begin_disk_fault (guint fault, gint64 length)
{
  disk_set_faults (disk_get_faults () | fault);
  put_off (G_MAXINT64);
  world_at (world_now () + length, end_disk_fault, GUINT_TO_POINTER (fault));
}

static void
mend_broker (gpointer data)
{
  broker_set_up (TRUE);
}

static void
answer_soon (gpointer data)
{
  broker_set_delay (0);
}

static void
end_gently (Process * process, gboolean * is_ending,
    void (*start) (gpointer data))
{
  /* one that is dead is started again as it is */
  if (!world_process_is_alive (process) || *is_ending)
    return;
  *is_ending = TRUE;
  world_at (world_now () + 15 * SECOND + draw_pause (), start, NULL);
}

static void
happen (gpointer data)
{
  const Fault *fault = data;

  if (my.is_calm)
    return;
  world_tell ("fault: %s", kinds[fault->kind]);
  my.counts.faults++;
  switch (fault->kind) {
    case KILL_LINE:
      if (world_process_is_alive (my.line) && !my.is_line_ending)
        kill_line (draw_pause ());
      break;
    case KILL_PUBLISHER:
      if (world_process_is_alive (my.publisher) && !my.is_publisher_ending)
        kill_publisher (draw_pause ());
      break;
    case END_LINE:
      end_gently (my.line, &my.is_line_ending, start_line);
      break;
    case END_PUBLISHER:
      end_gently (my.publisher, &my.is_publisher_ending, start_publisher);
      break;
    case CUT_POWER:
      if (world_process_is_alive (my.line) && !my.is_line_ending
          && world_process_is_alive (my.publisher) && !my.is_publisher_ending)
        cut_power ();
      break;
    case FILL_DISK:
      begin_disk_fault (DISK_FULL, fault->length);
      break;
    case SLOW_DISK:
      begin_disk_fault (DISK_SLOW, fault->length);
      break;
    case STOP_SYNC:
      begin_disk_fault (DISK_NO_SYNC, fault->length);
      break;
    case BREAK_BROKER:
      broker_set_up (FALSE);
      world_at (world_now () + fault->length, mend_broker, NULL);
      break;
    case CUT_CONNECTION:
      broker_cut ();
      break;
    case REFUSE:
      broker_refuse (1);
      break;
    case DELAY_ANSWERS:
      broker_set_delay (fault->length);
      world_at (world_now () + fault->length, answer_soon, NULL);
      break;
    default:
      break;
  }
}

/* Some worlds have many faults, some few; some kinds are rare in some. */
static void
draw_faults (gint64 end)
{
  const gint64 mean = SECOND << world_below (8);
  guint weights[N_KINDS], sum = 0;
  gint64 time = world_now ();

  for (guint i = 0; i < N_KINDS; i++)
    sum += weights[i] = world_one_in (4) ? 0 : 1 + (guint) world_below (8);
  while (sum > 0 && (time += 1 + (gint64) world_below (2 * mean)) < end) {
    guint64 at = world_below (sum);
    Fault fault = { 0, time, SECOND / 10 + world_delay (200 * SECOND) };

    for (; at >= weights[fault.kind]; fault.kind++)
      at -= weights[fault.kind];
    g_array_append_val (my.faults, fault);
  }
}

/* The world */

static void
write_back (gpointer data)
{
  disk_write_back ();
  world_at (world_now () + 5 * SECOND, write_back, NULL);
}

static void
be_calm (gpointer data)
{
  my.is_calm = TRUE;
  disk_set_faults (0);
  broker_set_up (TRUE);
  broker_set_delay (0);
  broker_refuse (0);
}

static void
end_line (gpointer data)
{
  my.is_line_ending = TRUE;
}

static void
check_all_arrived (void)
{
  for (guint64 i = 0; i < my.lines->len; i++)
    if (get_line (i)->must && !get_line (i)->has_arrived) {
      world_fail ("line %" G_GUINT64_FORMAT " of %u was written and has not "
          "arrived", i, my.lines->len);
      return;
    }
}

static void
begin (guint64 seed, const char *folder)
{
  memset (&my, 0, sizeof (my));
  world_begin (seed);
  disk_begin (folder);
  my.folder = g_strdup (folder);
  my.unsynced_at = -UNDISTURBED;
  my.lines = g_array_new (FALSE, TRUE, sizeof (Line));
  my.faults = g_array_new (FALSE, FALSE, sizeof (Fault));
  my.publish = (LinePublishConfig) {.kind = &line_publish_decisions,
    .host = (char *) "broker",.port = 1883,
    .topic = (char *) "{line}/{lane}",
    .in_flight = 1 + (guint) world_below (world_one_in (2) ? 4 : 60)
  };
  my.config = (LineConfig) {.name = (char *) "l",.output = my.folder,
    .publish = &my.publish,
    .segment_bytes = world_one_in (4) ? 0 : 2000 + world_below (60000),
    .keep_bytes = world_one_in (3) ? 0 : 20000 + world_below (400000)
  };
  my.source = (LinePublishSource) {.name = (char *) "l",.folder = my.folder,
    .publish = &my.publish
  };
  broker_begin (world_one_in (2), arrived, disturb);
  /* what is made once in a process of this machine is made before there are
   * fibers, which would wait for each other */
  (void) line_clock_now ();
}

static void
end (void)
{
  broker_end ();
  world_end ();
  disk_end ();
  g_array_unref (my.lines);
  g_array_unref (my.faults);
  g_free (my.run);
  g_free (my.folder);
}

gboolean
results_run (guint64 seed, gint64 seconds, const char *folder,
    GHashTable * without, ResultsCounts * counts)
{
  begin (seed, folder);
  const gint64 last = world_now () + seconds * SECOND;
  draw_faults (last);
  for (guint i = 0; i < my.faults->len; i++)
    if (!without || !g_hash_table_contains (without, GUINT_TO_POINTER (i)))
      world_at (g_array_index (my.faults, Fault, i).time, happen,
          &g_array_index (my.faults, Fault, i));
  world_at (world_now (), start_line, NULL);
  world_at (world_now () + (gint64) world_below (5 * SECOND), start_publisher,
      NULL);
  world_at (world_now (), write_back, NULL);
  world_at (last, be_calm, NULL);
  world_at (last + CALM - 60 * SECOND, end_line, NULL);
  if (world_run_until (last + CALM))
    check_all_arrived ();
  *counts = my.counts;
  return world_get_failure () == NULL;
}

void
results_end (void)
{
  end ();
}

guint
results_count_faults (void)
{
  return my.faults->len;
}

char *
results_describe_fault (guint number)
{
  const Fault *fault = &g_array_index (my.faults, Fault, number);

  return g_strdup_printf ("%.3f s: %s, for %.1f s", fault->time / 1e6,
      kinds[fault->kind], fault->length / 1e6);
}
