/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "streams.h"

#include <string.h>

#include "base/text.h"
#include "folder.h"

/* Lines, and bytes of them, that are counted ahead at once, at most */
#define COUNTED 50000
#define COUNTED_BYTES (32 << 20)

/* Names that are told, at most, and bytes of one */
#define TOLD 100
#define MOST_TOLD 1024

static void
free_stream (gpointer data)
{
  LinePublishStream *stream = data;

  line_spool_reader_free (stream->reader);
  line_spool_reader_free (stream->ahead);
  g_hash_table_unref (stream->left);
  g_free (stream->name);
  g_free (stream->path);
  g_free (stream);
}

GPtrArray *
line_publish_streams_new (void)
{
  return g_ptr_array_new_with_free_func (free_stream);
}

LinePublishStream *
line_publish_stream_add (GPtrArray * streams, const LinePublishKind * kind,
    const char *name, const char *path, const LineSpoolPosition * position)
{
  LinePublishStream *stream = g_new0 (LinePublishStream, 1);

  stream->name = g_strdup (name);
  stream->path = g_strdup (path);
  stream->position = stream->saved = *position;
  stream->reader = line_spool_reader_new (kind->files, path, position);
  stream->ahead = line_spool_reader_new (kind->files, path, position);
  stream->left = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      g_free);
  g_ptr_array_add (streams, stream);
  return stream;
}

void
line_publish_stream_leave (LinePublishStream * stream, const char *name,
    guint64 size)
{
  if (!g_hash_table_contains (stream->left, name))
    g_hash_table_insert (stream->left, g_strdup (name), g_memdup2 (&size,
            sizeof (size)));
}

void
line_publish_stream_go_back (LinePublishStream * stream,
    const LinePublishKind * kind)
{
  line_spool_reader_free (stream->reader);
  stream->reader = line_spool_reader_new (kind->files, stream->path,
      &stream->position);
  stream->n_read = stream->done_read;
  stream->on_way = 0;
  stream->rest_until = 0;
}

void
line_publish_stream_look_ahead (LinePublishStream * stream)
{
  gsize bytes = 0;

  for (guint i = 0; i < COUNTED && bytes < COUNTED_BYTES; i++) {
    const char *text;
    gsize size = 0;
    LineSpoolResult result = line_spool_reader_next (stream->ahead, &text,
        &size);

    if (result == LINE_SPOOL_WAIT || result == LINE_SPOOL_ERROR)
      break;
    stream->n_ahead += result != LINE_SPOOL_GONE
        && result != LINE_SPOOL_CHANGED;
    bytes += size;
  }
}

void
line_publish_stream_count_anew (LinePublishStream * stream,
    const LinePublishKind * kind)
{
  line_spool_reader_free (stream->ahead);
  stream->ahead = line_spool_reader_new (kind->files, stream->path,
      line_spool_reader_tell (stream->reader));
  stream->n_ahead = stream->n_read;
  line_publish_stream_look_ahead (stream);
}

static gboolean
is_known (const GPtrArray * streams, const char *name)
{
  for (guint i = 0; i < streams->len; i++)
    if (strcmp (((LinePublishStream *) streams->pdata[i])->name, name) == 0)
      return TRUE;
  return FALSE;
}

/* Why @name can be no stream; NULL if it can */
static const char *
find_problem (const GPtrArray * streams, const LineFolder * folder,
    const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LineFolder) inside = line_folder_open_inside (folder, name, FALSE,
      &error);

  if (!inside)
    return "it is no folder, or a symbolic link, or may not be read";
  if (!line_name_is_good (name))
    return LINE_NAME_RULE;
  if (streams->len == LINE_PUBLISH_STREAMS)
    return "there are " G_STRINGIFY (LINE_PUBLISH_STREAMS) " streams already; "
        "those whose folders are gone are forgotten when the publisher starts";
  return NULL;
}

static void
look_at (GPtrArray * streams, const LinePublishKind * kind,
    const LineFolder * folder, const char *name, GHashTable * told)
{
  const char *problem;

  if (*name == '.' || is_known (streams, name)
      || line_folder_look (folder, name, NULL, NULL))
    return;
  g_autofree char *path = g_build_filename (line_folder_get_path (folder),
      name, NULL);
  problem = find_problem (streams, folder, name);
  if (!problem) {
    line_publish_stream_add (streams, kind, name, path,
        &(LineSpoolPosition) {""});
  } else if (g_hash_table_size (told) < TOLD
      && g_hash_table_add (told, g_strdup (name))) {
    g_autofree char *plain = cs_text_make_plain (path, -1, MOST_TOLD, FALSE);

    g_printerr ("%s: it is not published: %s\n", plain, problem);
  }
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

void
line_publish_streams_find (GPtrArray * streams, const LinePublishKind * kind,
    const char *path, GHashTable * told)
{
  g_autoptr (LineFolder) folder = line_folder_open (path, FALSE, NULL);

  if (!folder)
    return;
  g_autoptr (GPtrArray) names = line_folder_list (folder);
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++)
    look_at (streams, kind, folder, names->pdata[i], told);
}
