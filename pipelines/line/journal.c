/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "journal.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "spool_runs.h"

#define NAME "numbers.json"

/* Bytes of the file, which is of one size, so that it is always whole */
#define SIZE 96

#define IDS 65535

/* Numbers that a JSON reader of doubles knows exactly */
#define MOST (G_GINT64_CONSTANT (1) << 53)

struct _LineJournal
{
  char *path;
  int fd;
  LineRun run;
  guint64 reserve;
  gboolean is_failing;
};

/* Reading */

static gboolean
parse (const char *text, gsize size, LineRun * run)
{
  json_t *json = json_loadb (text, size, JSON_REJECT_DUPLICATES, NULL);
  const json_int_t id = json_integer_value (json_object_get (json, "run"));
  const json_int_t next = json_integer_value (json_object_get (json, "next"));
  const json_t *delay = json_object_get (json, "delay_us");
  const gboolean is_good = id >= 1 && id <= IDS && next >= 0 && next <= MOST;

  if (is_good)
    *run = (LineRun) {1 + id % IDS, next, json_is_integer (delay) ?
          json_integer_value (delay) * 1e3 : NAN};
  json_decref (json);
  return is_good;
}

/* Returns: whether the run has a good one */
static gboolean
read_journal (const char *output, const char *name, LineRun * run)
{
  LineFolder *folder = line_spool_open_run (output, name);
  char *text = NULL;
  gsize size;
  gboolean good = folder
      && line_folder_load (folder, NAME, SIZE, &text, &size, NULL)
      && parse (text, size, run);

  if (!good && folder && line_folder_look (folder, NAME, NULL, NULL))
    g_printerr ("%s/%s/%s is no journal of a line: numbers go on from a run "
        "before it\n", output, name, NAME);
  g_clear_pointer (&folder, line_folder_unref);
  g_free (text);
  return good;
}

void
line_journal_begin (const char *output, gint64 now, LineRun * run)
{
  GPtrArray *runs = output ? line_spool_list_runs (output, NULL) : NULL;
  gboolean found = FALSE;

  for (guint i = runs ? runs->len : 0; i-- > 0 && !found;)
    found = read_journal (output, runs->pdata[i], run);
  if (!found)
    *run = (LineRun) {1 + now % IDS, 0, NAN};
  g_clear_pointer (&runs, g_ptr_array_unref);
}

/* Writing */

static gboolean
put (const LineJournal * journal, guint64 next, gdouble delay)
{
  char text[32] = "null", line[SIZE + 1];

  if (!isnan (delay))
    g_snprintf (text, sizeof (text), "%.0f", delay / 1e3);
  g_snprintf (line, sizeof (line), "{\"run\":%5u,\"next\":%20" G_GUINT64_FORMAT
      ",\"delay_us\":%12s}%*s\n", journal->run.id, next, text, SIZE - 66, "");
  g_assert (strlen (line) == SIZE);
  return line_folder_put (journal->fd, line, SIZE);
}

LineJournal *
line_journal_new (const LineFolder * folder, const LineRun * run,
    guint64 reserve, GError ** error)
{
  const int fd = line_folder_write_over (folder, NAME, error);
  LineJournal *journal;

  if (fd < 0)
    return NULL;
  journal = g_new0 (LineJournal, 1);
  journal->path = g_build_filename (line_folder_get_path (folder), NAME, NULL);
  journal->fd = fd;
  journal->run = *run;
  journal->reserve = reserve;
  if (!put (journal, run->first + reserve, run->delay)) {
    g_set_error (error, LINE_ERROR, LINE_ERROR_FILE, "%s: %s", journal->path,
        g_strerror (errno));
    g_clear_pointer (&journal, line_journal_free);
  }
  return journal;
}

void
line_journal_free (LineJournal * journal)
{
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
