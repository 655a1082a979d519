/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "journal.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <jansson.h>

#include "publish/folder.h"
#include "spool_runs.h"

#define NAME "numbers.json"

/* Bytes of the file: always the same, and within a sector, so that it is never
 * written by half */
#define SIZE 96

#define IDS 65535

/* Numbers are reserved for so many seconds: longer than a system takes to write
 * to a disk that is slow and full */
#define RESERVE 600

/* The greatest number that is believed: a reader of JSON that uses doubles
 * knows it, and all that follow in a run, exactly. The greatest delay that is,
 * in microseconds */
#define MOST (G_GINT64_CONSTANT (1) << 52)
#define MOST_DELAY 10e6

struct _LineJournal
{
  char *path;
  int fd;
  LineRun run;
  guint64 reserve;
  gboolean is_failing;
};

/* Reading */

static gdouble
read_delay (const json_t * json)
{
  const json_t *delay = json_object_get (json, "delay_us");
  const gdouble us = json_is_integer (delay) ?
      (gdouble) json_integer_value (delay) : NAN;

  return fabs (us) <= MOST_DELAY ? us * 1e3 : NAN;
}

static gboolean
parse (const char *text, gsize size, LineRun * run)
{
  json_auto_t *json = json_loadb (text, size, JSON_REJECT_DUPLICATES, NULL);
  const json_t *id = json_object_get (json, "run");
  const json_t *next = json_object_get (json, "next");
  const gboolean is_good = json_is_integer (id) && json_is_integer (next)
      && json_integer_value (id) >= 1 && json_integer_value (id) <= IDS
      && json_integer_value (next) >= 0 && json_integer_value (next) <= MOST;

  if (is_good)
    *run = (LineRun) {1 + json_integer_value (id) % IDS,
      json_integer_value (next), read_delay (json)};
  return is_good;
}

void
line_journal_begin (gint64 now, LineRun * run)
{
  *run = (LineRun) {1 + now % IDS, 0, NAN};
}

static gboolean
has_runs (const char *output)
{
  g_autoptr (GPtrArray) runs = line_spool_list_runs (output, NULL);

  return runs->len > 0;
}

/* Begins with numbers that no lane can have reached by @now. */
static void
begin_anew (const LineJournal * journal, gint64 now, gdouble rate,
    gboolean is_damaged, LineRun * run)
{
  line_journal_begin (now, run);
  run->first = now * (guint64) ceil (rate);
  g_printerr ("%s %s: pieces go on from %" G_GUINT64_FORMAT ", which is beyond "
      "all that there can have been\n", journal->path, is_damaged ?
      "is damaged" : "is missing, though there were runs", run->first);
}

static void
go_on (LineJournal * journal, const LineFolder * folder, gint64 now,
    gdouble rate)
{
  g_autofree char *text = NULL;
  guint64 size = 0;
  gsize n;

  (void) line_folder_look (folder, NAME, &size, NULL);
  if (!line_folder_load (folder, NAME, SIZE, &text, &n, NULL)
      || !parse (text, n, &journal->run)) {
    if (size > 0 || has_runs (line_folder_get_path (folder)))
      begin_anew (journal, now, rate, size > 0, &journal->run);
    else
      line_journal_begin (now, &journal->run);
  }
}

/* Writing */

static gboolean
put (const LineJournal * journal, guint64 next, gdouble delay)
{
  char text[32] = "null", line[SIZE + 1];

  if (fabs (delay) <= MOST_DELAY * 1e3)
    g_snprintf (text, sizeof (text), "%.0f", delay / 1e3);
  g_snprintf (line, sizeof (line), "{\"run\":%5u,\"next\":%20" G_GUINT64_FORMAT
      ",\"delay_us\":%12s}%*s\n", journal->run.id, next, text, SIZE - 66, "");
  g_assert (strlen (line) == SIZE);
  return line_folder_put (journal->fd, line, SIZE);
}

/* Writes the file to the disk: else it could be empty after a loss of power. One
 * that cannot be written is no damaged one for the next run. */
static gboolean
begin (LineJournal * journal, GError ** error)
{
  const off_t before = lseek (journal->fd, 0, SEEK_END);

  if (put (journal, journal->run.first + journal->reserve, journal->run.delay)
      && ftruncate (journal->fd, SIZE) == 0) {
    (void) !fdatasync (journal->fd);
    return TRUE;
  }
  line_fail (error, LINE_ERROR_FILE, "%s: %s: without it pieces would have numbers "
      "of others; make room, or change the output", journal->path,
      g_strerror (errno));
  (void) !ftruncate (journal->fd, before);
  return FALSE;
}

/* Locks the file; on a file system without locks nobody is kept out. */
static gboolean
take (LineJournal * journal, GError ** error)
{
  if (flock (journal->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    return TRUE;
  return line_fail (error, LINE_ERROR_FILE, "%s: another run has this output: "
      "end it, or change the output", journal->path);
}

LineJournal *
line_journal_new (const char *output, gint64 now, gdouble rate,
    LineRun * run, GError ** error)
{
  g_autoptr (LineFolder) folder = line_folder_open (output, TRUE, error);
  const int fd = folder ? line_folder_write_over (folder, NAME, error) : -1;
  LineJournal *journal = g_new0 (LineJournal, 1);
  gboolean good = fd >= 0;

  journal->path = g_build_filename (output, NAME, NULL);
  journal->fd = fd;
  journal->reserve = ceil (RESERVE * rate);
  good = good && take (journal, error);
  if (good) {
    go_on (journal, folder, now, rate);
    *run = journal->run;
    good = begin (journal, error);
  }
  if (good)
    line_folder_sync (folder);
  else
    g_clear_pointer (&journal, line_journal_free);
  return journal;
}

void
line_journal_free (LineJournal * journal)
{
  if (journal->fd >= 0)
    close (journal->fd);
  g_free (journal->path);
  g_free (journal);
}

void
line_journal_note (LineJournal * journal, guint64 n, gdouble delay,
    gboolean is_end)
{
  const gboolean failed = !put (journal, journal->run.first + n
      + (is_end ? 0 : journal->reserve), delay);

  if (failed && !journal->is_failing)
    g_printerr ("%s: %s: the numbers of pieces may be given again\n",
        journal->path, g_strerror (errno));
  journal->is_failing = failed;
}
