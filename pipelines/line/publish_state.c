/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* renameat2() */
#define _GNU_SOURCE

#include "publish_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "message.h"

#define SCHEMA "fruit-line-publisher-state/1"
#define STATE "publisher.state"
#define STATUS "publisher.json"

/* All such files have one size, so that one is written over another. */
#define SIZE 1024

/* JSON's integers are signed. */
#define MOST G_MAXINT64

char *
line_publish_state_path (const char *output)
{
  return g_build_filename (output, STATE, NULL);
}

char *
line_publish_status_path (const char *output)
{
  return g_build_filename (output, STATUS, NULL);
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
read_position (const json_t * state, LineSpoolPosition * position)
{
  const char *run = json_string_value (json_object_get (state, "run"));
  guint64 segment;

  if (!run || (*run && !line_spool_is_run (run))
      || g_strlcpy (position->run, run, LINE_SPOOL_RUN) >= LINE_SPOOL_RUN
      || !read_count (state, "segment", *run ? 1 : 0, G_MAXINT, &segment))
    return FALSE;
  position->segment = segment;
  return read_count (state, "offset", 0, MOST, &position->offset)
      && read_count (state, "lines", 0, MOST, &position->lines)
      && position->lines <= position->offset;
}

static gboolean
parse (const char *path, const char *text, gsize size, const char *line,
    LineSpoolPosition * position, GError ** error)
{
  json_auto_t *state = json_loadb (text, size, JSON_REJECT_DUPLICATES, NULL);
  const char *schema = json_string_value (json_object_get (state, "schema"));
  const char *name = json_string_value (json_object_get (state, "line"));
  g_autofree char *plain = line_message_text (name ? name : "", -1);

  if (g_strcmp0 (schema, SCHEMA) != 0 || !name
      || !read_position (state, position))
    return line_fail (error, LINE_ERROR_INVALID, "%s is damaged: correct it, "
        "or move it away, after which all decisions that are still there are "
        "published again", path);
  if (strcmp (name, line) != 0)
    return line_fail (error, LINE_ERROR_INVALID, "%s is that of line \"%s\", "
        "not of \"%s\": give each line an output of its own; if the line has a new "
        "name, change it in that file, too", path, plain, line);
  return TRUE;
}

gboolean
line_publish_state_load (const char *path, const char *line,
    LineSpoolPosition * position, GError ** error)
{
  gsize size;
  g_autofree char *text = NULL;

  memset (position, 0, sizeof (*position));
  if (faccessat (AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0
      && errno == ENOENT)
    return TRUE;
  if (!line_publish_load (path, SIZE, &text, &size, error))
    return FALSE;
  return parse (path, text, size, line, position, error);
}

gboolean
line_publish_state_save (const char *path, const char *line,
    const LineSpoolPosition * position, GError ** error)
{
  json_auto_t *state = json_pack ("{sssssssIsIsI}", "schema", SCHEMA, "line",
      line, "run", position->run, "segment", (json_int_t) position->segment,
      "offset", (json_int_t) position->offset,
      "lines", (json_int_t) position->lines);
  char *text = state ? json_dumps (state, 0) : NULL;
  gsize length = text ? strlen (text) : SIZE;
  gboolean good = FALSE;

  if (length < SIZE) {
    char padded[SIZE];

    memset (padded, ' ', SIZE);
    memcpy (padded, text, length);
    padded[SIZE - 1] = '\n';
    good = line_publish_replace (path, padded, SIZE, TRUE, error);
  } else {
    line_fail (error, LINE_ERROR_INVALID, "%s: the line's name is too long",
        path);
  }
  free (text);
  return good;
}
