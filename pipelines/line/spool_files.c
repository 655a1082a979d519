/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "spool_files.h"

#include <string.h>

/* @folder: of @run; NULL for none */
struct _LineSpoolFiles
{
  char *output, *run;
  LineFolder *folder;
  gint64 looked_at;
};

int
line_spool_compare (const LineSpoolPosition * a, const LineSpoolPosition * b)
{
  int order = !*a->run || !*b->run ? !!*a->run - !!*b->run :
      line_spool_compare_runs (a->run, b->run);

  if (order == 0)
    order = (a->segment > b->segment) - (a->segment < b->segment);
  if (order == 0)
    order = (a->offset > b->offset) - (a->offset < b->offset);
  return order;
}

static LineSpoolFiles *
open_files (const char *output)
{
  LineSpoolFiles *files = g_new0 (LineSpoolFiles, 1);

  files->output = g_strdup (output);
  return files;
}

static void
close_files (LineSpoolFiles * files)
{
  g_clear_pointer (&files->folder, line_folder_unref);
  g_free (files->run);
  g_free (files->output);
  g_free (files);
}

/* The folder of the position's run, which stays open; NULL if it is not there */
static const LineFolder *
get_folder (LineSpoolFiles * files, const LineSpoolPosition * at)
{
  if (g_strcmp0 (files->run, at->run) != 0) {
    g_clear_pointer (&files->folder, line_folder_unref);
    g_free (files->run);
    files->run = g_strdup (at->run);
  }
  if (!files->folder && *at->run)
    files->folder = line_spool_open_run (files->output, at->run);
  return files->folder;
}

static int
open_file (LineSpoolFiles * files, const LineSpoolPosition * at)
{
  return line_spool_open (get_folder (files, at), at->segment);
}

/* Looks for a newer run, but not all the time. */
static gboolean
find_newer_run (LineSpoolFiles * files, const LineSpoolPosition * at,
    LineSpoolPosition * next)
{
  if (!line_spool_may_look (&files->looked_at)
      || !line_spool_find_run (files->output, at->run, next->run))
    return FALSE;
  files->looked_at = 0;
  next->segment = 1;
  return TRUE;
}

static gboolean
is_complete (LineSpoolFiles * files, const LineSpoolPosition * at, int fd)
{
  LineSpoolPosition next = { "" };

  return line_spool_is_closed (get_folder (files, at), at->segment)
      || (find_newer_run (files, at, &next) && !line_folder_is_claimed (fd));
}

/* A segment is at its end. */
static LineSpoolResult
find_behind (LineSpoolFiles * files, const LineSpoolPosition * at,
    LineSpoolPosition * next)
{
  if (line_spool_is_closed (get_folder (files, at), at->segment)) {
    g_strlcpy (next->run, at->run, LINE_SPOOL_NAME);
    next->segment = at->segment + 1;
    return LINE_SPOOL_LINE;
  }
  next->segment = 1;
  return line_spool_find_run (files->output, at->run, next->run) ?
      LINE_SPOOL_LINE : LINE_SPOOL_WAIT;
}

/* A segment is not there: not yet, or not any more. */
static LineSpoolResult
find_behind_gap (LineSpoolFiles * files, const LineSpoolPosition * at,
    LineSpoolPosition * next)
{
  const LineFolder *folder = get_folder (files, at);
  /* the oldest segment that is there of those behind; 0 if there is none */
  g_autoptr (GArray) segments = line_spool_list (folder);
  guint number = 0;

  for (guint i = 0; i < segments->len && !number; i++) {
    guint one = g_array_index (segments, LineSpoolSegment, i).number;

    number = one > at->segment ? one : 0;
  }
  if (number > 0) {
    g_strlcpy (next->run, at->run, LINE_SPOOL_NAME);
    next->segment = number;
    return LINE_SPOOL_GONE;
  }
  if (!find_newer_run (files, at, next))
    return LINE_SPOOL_WAIT;
  /* nothing is missing if it ended when the segment before was closed */
  return !*at->run || line_spool_is_closed (folder, at->segment - 1) ?
      LINE_SPOOL_LINE : LINE_SPOOL_GONE;
}

static LineSpoolResult
find_next (LineSpoolFiles * files, const LineSpoolPosition * at, int fd,
    LineSpoolPosition * next)
{
  return fd < 0 ? find_behind_gap (files, at, next) :
      find_behind (files, at, next);
}

static char *
get_path (LineSpoolFiles * files, const LineSpoolPosition * at)
{
  g_autofree char *folder = g_build_filename (files->output, at->run, NULL);

  return line_spool_get_path (folder, at->segment,
      line_spool_is_closed (get_folder (files, at), at->segment));
}

static guint64
count_bytes (LineSpoolFiles * files, const LineSpoolPosition * position)
{
  g_autoptr (GPtrArray) runs = line_spool_list_runs (files->output,
      position->run);
  guint64 bytes = 0;

  for (guint i = 0; i < runs->len; i++) {
    LineSpoolPosition end = { "" };
    g_autoptr (LineFolder) folder =
        line_spool_open_run (files->output, runs->pdata[i]);
    g_autoptr (GArray) segments = line_spool_list (folder);

    g_strlcpy (end.run, runs->pdata[i], LINE_SPOOL_NAME);
    for (guint k = 0; k < segments->len; k++) {
      const LineSpoolSegment *one =
          &g_array_index (segments, LineSpoolSegment, k);

      end.segment = one->number;
      end.offset = one->size;
      if (line_spool_compare (&end, position) <= 0)
        continue;
      bytes += one->size;
      if (end.segment == position->segment
          && strcmp (end.run, position->run) == 0)
        bytes -= position->offset;
    }
  }
  return bytes;
}

const LineSpoolClass line_spool_decisions = {
  LINE_SPOOL_LONGEST, TRUE, line_spool_is_run, open_files, close_files,
  open_file, is_complete, find_next, get_path, count_bytes
};
