/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "keep.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "folder.h"

#define DAY (24 * 3600 * (gdouble) G_USEC_PER_SEC)

/* Files that are told as late, at most */
#define TOLD 1000

/* What may be deleted: a file of a stream */
typedef struct
{
  LinePublishStream *stream;
  LineFile file;
} Candidate;

static void
tell_late (LinePublishKeeper * keeper, const LinePublishStream * stream,
    const LineFile * file, const LineFile * behind)
{
  g_autofree char *path = g_build_filename (stream->path, file->name, NULL);

  if (g_hash_table_size (keeper->late) == TOLD
      || g_hash_table_contains (keeper->late, path))
    return;
  g_printerr ("%s: it was written after %s, whose name comes later: what is new "
      "in it is not published; give each pipeline a folder of its own, and each "
      "of its starts names that come after all that are there\n", path,
      behind->name);
  g_hash_table_add (keeper->late, g_steal_pointer (&path));
  keeper->gaps++;
}

/* Whether something was added to a file after it was left. What was left before
 * the publisher began is taken as it is then. */
static gboolean
is_late (const LinePublishStream * stream, const LineFile * file,
    const LineFile * behind)
{
  const guint64 *left = g_hash_table_lookup (stream->left, file->name);

  return file->written_at > behind->written_at
      || (left && *left != file->size);
}

/* Adds what may be deleted of a stream: nothing from a late file on. Returns:
 * bytes of all of it */
static guint64
look_at (LinePublishKeeper * keeper, LinePublishStream * stream,
    GArray * candidates)
{
  g_autoptr (GArray) list = line_files_list (stream->path);
  guint64 bytes = 0;
  gboolean has_late = FALSE;

  for (guint i = 0; i < list->len; i++) {
    Candidate one = { stream, g_array_index (list, LineFile, i) };

    bytes += one.file.size;
    if (has_late || i + 1 == list->len
        || strcmp (one.file.name, stream->saved.run) >= 0)
      continue;
    const LineFile *behind = &g_array_index (list, LineFile, i + 1);
    has_late = is_late (stream, &one.file, behind);
    if (has_late)
      tell_late (keeper, stream, &one.file, behind);
    else
      g_array_append_val (candidates, one);
    line_publish_stream_leave (stream, one.file.name, one.file.size);
  }
  return bytes;
}

static int
compare_times (gconstpointer a, gconstpointer b)
{
  const gint64 x = ((const Candidate *) a)->file.written_at;
  const gint64 y = ((const Candidate *) b)->file.written_at;

  return (x > y) - (x < y);
}

static gboolean
delete_file (LinePublishKeeper * keeper, const Candidate * one)
{
  g_autoptr (LineFolder) folder = line_folder_open (one->stream->path, FALSE,
      NULL);
  const gboolean good = folder && unlinkat (line_folder_get_fd (folder),
      one->file.name, 0) == 0;

  g_printerr ("%s/%s: %s%s\n", one->stream->path, one->file.name, good ?
      "deleted, as keep-mb and keep-days say; all of it is acknowledged" :
      "cannot be deleted: ", good ? "" : g_strerror (errno));
  keeper->deleted += good;
  if (good)
    g_hash_table_remove (one->stream->left, one->file.name);
  return good;
}

static void
tell_held (LinePublishKeeper * keeper, gboolean is_held)
{
  if (is_held && !keeper->is_held)
    g_printerr ("there are more lines than keep-mb says, but what is left is "
        "not acknowledged, or is being written: it is kept\n");
  if (!is_held && keeper->is_held)
    g_printerr ("there are again as many lines as keep-mb says\n");
  keeper->is_held = is_held;
}

void
line_publish_keeper_check (LinePublishKeeper * keeper,
    const GPtrArray * streams, gint64 now)
{
  g_autoptr (GArray) candidates = g_array_new (FALSE, FALSE,
      sizeof (Candidate));
  const gint64 oldest = now - (gint64) (keeper->most_days * DAY);
  guint64 bytes = 0;

  for (guint i = 0; i < streams->len; i++)
    bytes += look_at (keeper, streams->pdata[i], candidates);
  g_array_sort (candidates, compare_times);
  for (guint i = 0; i < candidates->len; i++) {
    const Candidate *one = &g_array_index (candidates, Candidate, i);

    if (!(keeper->most_bytes > 0 && bytes > keeper->most_bytes)
        && !(keeper->most_days > 0 && one->file.written_at < oldest))
      break;
    if (!delete_file (keeper, one))
      break;
    bytes -= one->file.size;
  }
  tell_held (keeper, keeper->most_bytes > 0 && bytes > keeper->most_bytes);
}
