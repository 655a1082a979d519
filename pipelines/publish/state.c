/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* renameat2() */
#define _GNU_SOURCE

#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "message.h"

#define STATE "publisher.state"
#define STATUS "publisher.json"

/* Sizes of such files are multiples of this, so that one is written over
 * another. */
#define SIZE 1024

/* Of a stream, the longest name and all else; bytes of a file */
#define MOST_OF_STREAM (2 * SIZE)
#define MOST_BYTES (LINE_PUBLISH_STREAMS * MOST_OF_STREAM)

/* JSON's integers are signed. */
#define MOST G_MAXINT64

char *
line_publish_state_path (const char *folder)
{
  return g_build_filename (folder, STATE, NULL);
}

char *
line_publish_status_path (const char *folder)
{
  return g_build_filename (folder, STATUS, NULL);
}

/* Returns: the folder of @path, and @name in it, to be freed; or NULL */
static LineFolder *
open_folder_of (const char *path, char **name, GError ** error)
{
  g_autofree char *parent = g_path_get_dirname (path);
  LineFolder *folder = line_folder_open (parent, FALSE, error);

  if (folder)
    *name = g_path_get_basename (path);
  return folder;
}

/* @next: what is written and gets the name @name. Both are there all the time,
 * if the file system can exchange them. */
static gboolean
replace_inside (const LineFolder * folder, const char *next, const char *name,
    const char *text, gsize size, gboolean is_durable, GError ** error)
{
  const int fd = line_folder_write_over (folder, next, error);
  const int at = line_folder_get_fd (folder);

  if (fd < 0)
    return FALSE;
  gboolean good = line_folder_put (fd, text, size) && ftruncate (fd, size) == 0
      && (!is_durable || fsync (fd) == 0)
      && (renameat2 (at, next, at, name, RENAME_EXCHANGE) == 0
      || renameat (at, next, at, name) == 0);
  if (!good)
    line_fail (error, LINE_ERROR_FILE, "%s/%s: %s",
        line_folder_get_path (folder), name, g_strerror (errno));
  else if (is_durable)
    line_folder_sync (folder);
  close (fd);
  return good;
}

gboolean
line_publish_replace (const char *path, const char *text, gsize size,
    gboolean is_durable, GError ** error)
{
  g_autofree char *name = NULL, *next = NULL;
  g_autoptr (LineFolder) folder = open_folder_of (path, &name, error);

  if (!folder)
    return FALSE;
  next = g_strconcat (name, ".new", NULL);
  return replace_inside (folder, next, name, text, size, is_durable, error);
}

gboolean
line_publish_load (const char *path, gsize most, char **text, gsize * size,
    GError ** error)
{
  g_autofree char *name = NULL;
  g_autoptr (LineFolder) folder = open_folder_of (path, &name, error);

  return folder && line_folder_load (folder, name, most, text, size, error);
}

static gboolean
read_count (const json_t * state, const char *name, json_int_t least,
    json_int_t most, guint64 * value)
{
  const json_t *number = json_object_get (state, name);

  *value = json_integer_value (number);
  return json_is_integer (number) && json_integer_value (number) >= least
      && json_integer_value (number) <= most;
}

static gboolean
read_position (const LineSpoolClass * files, const json_t * state,
    LineSpoolPosition * position)
{
  const char *run = json_string_value (json_object_get (state,
          files->has_segments ? "run" : "file"));
  guint64 segment = 0, check = 0;

  if (!run || (*run && !files->is_name (run))
      || g_strlcpy (position->run, run, LINE_SPOOL_NAME) >= LINE_SPOOL_NAME
      || (files->has_segments && !read_count (state, "segment", *run ? 1 : 0,
              G_MAXINT, &segment)))
    return FALSE;
  position->segment = segment;
  if (!read_count (state, "offset", 0, MOST, &position->offset)
      || !read_count (state, "lines", 0, MOST, &position->lines)
      || position->lines > position->offset)
    return FALSE;
  /* what older versions have written lacks the line before */
  if (!json_object_get (state, "last")) {
    line_spool_expect_newline (position);
    return TRUE;
  }
  if (!read_count (state, "check", 0, G_MAXUINT32, &check))
    return FALSE;
  position->check = check;
  return read_count (state, "last", 0, MOST, &position->last)
      && position->last <= position->offset;
}

static gboolean
read_stream (const LinePublishKind * kind, const json_t * state,
    GHashTable * positions)
{
  const char *schema = json_string_value (json_object_get (state, "schema"));
  const char *name = json_string_value (json_object_get (state, kind->owner));
  LineSpoolPosition position = { "" };

  return g_strcmp0 (schema, kind->state_schema) == 0 && name
      && (!kind->has_streams || line_name_is_good (name))
      && g_hash_table_size (positions) < LINE_PUBLISH_STREAMS
      && read_position (kind->files, state, &position)
      && g_hash_table_insert (positions, g_strdup (name),
      g_memdup2 (&position, sizeof (position)));
}

/* Objects, one behind the other, and blanks. Returns: whether there is one, and
 * all are right */
static gboolean
parse (const LinePublishKind * kind, const char *text, gsize size,
    GHashTable * positions)
{
  const char *end = text + size;

  do {
    json_error_t where;
    json_auto_t *state = json_loadb (text, end - text, JSON_REJECT_DUPLICATES
        | JSON_DISABLE_EOF_CHECK, &where);

    if (!state || !read_stream (kind, state, positions))
      return FALSE;
    for (text += where.position; text < end && g_ascii_isspace (*text); text++);
  } while (text < end);
  return TRUE;
}

GHashTable *
line_publish_state_read (const LinePublishKind * kind, const char *path,
    GError ** error)
{
  g_autoptr (GHashTable) positions = g_hash_table_new_full (g_str_hash,
      g_str_equal, g_free, g_free);
  g_autofree char *text = NULL;
  gsize size;

  if (faccessat (AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0
      && errno == ENOENT)
    return g_steal_pointer (&positions);
  if (!line_publish_load (path, MOST_BYTES, &text, &size, error))
    return NULL;
  if (parse (kind, text, size, positions))
    return g_steal_pointer (&positions);
  line_fail (error, LINE_ERROR_INVALID, "%s is damaged: correct it, or move it "
      "away, after which all %s that are still there are published again",
      path, kind->what);
  return NULL;
}

gboolean
line_publish_state_find (GHashTable * positions, const char *path,
    const char *name, LineSpoolPosition * position, GError ** error)
{
  const LineSpoolPosition *found = g_hash_table_lookup (positions, name);
  GHashTableIter iter;
  gpointer other;

  *position = found ? *found : (LineSpoolPosition) {""};
  g_hash_table_iter_init (&iter, positions);
  if (found || !g_hash_table_iter_next (&iter, &other, NULL))
    return TRUE;
  g_autofree char *plain = line_message_text (other, -1);
  return line_fail (error, LINE_ERROR_INVALID, "%s is that of line \"%s\", "
      "not of \"%s\": give each line an output of its own; if the line has a "
      "new name, change it in that file, too", path, plain, name);
}

void
line_publish_state_add (const LinePublishKind * kind, GString * text,
    const char *name, const LineSpoolPosition * position)
{
  json_auto_t *state = json_pack ("{ssssss}", "schema", kind->state_schema,
      kind->owner, name, kind->files->has_segments ? "run" : "file",
      position->run);

  if (kind->files->has_segments)
    set_count (state, "segment", position->segment);
  set_count (state, "offset", position->offset);
  set_count (state, "lines", position->lines);
  set_count (state, "last", position->last);
  set_count (state, "check", position->check);
  char *object = json_dumps (state, 0);
  if (text->len > 0)
    g_string_append_c (text, '\n');
  g_string_append (text, object ? object : "");
  free (object);
}

gboolean
line_publish_state_write (const char *path, GString * text, GError ** error)
{
  const gsize size = (text->len / SIZE + 1) * SIZE;

  while (text->len < size - 1)
    g_string_append_c (text, ' ');
  g_string_append_c (text, '\n');
  return line_publish_replace (path, text->str, text->len, TRUE, error);
}
