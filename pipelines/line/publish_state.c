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

#include "element/gstshapesfile.h"
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

static gboolean
write_all (int fd, const char *text, gsize size)
{
  gsize done = 0;

  while (done < size) {
    gssize n = pwrite (fd, text + done, size - done, done);

    if (n < 0 && errno == EINTR)
      continue;
    if (n == 0)
      errno = ENOSPC;
    if (n <= 0)
      return FALSE;
    done += n;
  }
  return ftruncate (fd, size) == 0;
}

/* Both names are there all the time, if the file system can exchange them. */
static gboolean
exchange (const char *next, const char *path)
{
  return renameat2 (AT_FDCWD, next, AT_FDCWD, path, RENAME_EXCHANGE) == 0
      || rename (next, path) == 0;
}

static void
sync_folder_of (const char *path)
{
  char *folder = g_path_get_dirname (path);
  int fd = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (fd >= 0) {
    fsync (fd);
    close (fd);
  }
  g_free (folder);
}

gboolean
line_publish_replace (const char *path, const char *text, gsize size,
    gboolean is_durable, GError ** error)
{
  char *next = g_strconcat (path, ".new", NULL);
  int fd = open (next, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  gboolean good = fd >= 0 && write_all (fd, text, size)
      && (!is_durable || fsync (fd) == 0) && exchange (next, path);

  if (!good)
    g_set_error (error, LINE_ERROR, LINE_ERROR_FILE, "%s: %s", path,
        g_strerror (errno));
  else if (is_durable)
    sync_folder_of (path);
  if (fd >= 0)
    close (fd);
  g_free (next);
  return good;
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
  json_t *state = json_loadb (text, size, JSON_REJECT_DUPLICATES, NULL);
  const char *schema = json_string_value (json_object_get (state, "schema"));
  const char *name = json_string_value (json_object_get (state, "line"));
  char *plain = line_message_text (name ? name : "", -1);
  gboolean good = FALSE;

  if (g_strcmp0 (schema, SCHEMA) != 0 || !name
      || !read_position (state, position))
    g_set_error (error, LINE_ERROR, LINE_ERROR_INVALID, "%s is damaged: correct "
        "it, or move it away, after which all decisions that are still there "
        "are published again", path);
  else if (strcmp (name, line) != 0)
    g_set_error (error, LINE_ERROR, LINE_ERROR_INVALID, "%s is that of line "
        "\"%s\", not of \"%s\": give each line an output of its own; if the "
        "line has a new name, change it in that file, too", path, plain, line);
  else
    good = TRUE;
  g_free (plain);
  json_decref (state);
  return good;
}

gboolean
line_publish_state_load (const char *path, const char *line,
    LineSpoolPosition * position, GError ** error)
{
  gsize size;
  char *text;
  gboolean good;

  memset (position, 0, sizeof (*position));
  if (access (path, F_OK) != 0 && errno == ENOENT)
    return TRUE;
  if (!gst_shapes_file_load (path, SIZE, &text, &size, error))
    return FALSE;
  good = parse (path, text, size, line, position, error);
  g_free (text);
  return good;
}

gboolean
line_publish_state_save (const char *path, const char *line,
    const LineSpoolPosition * position, GError ** error)
{
  json_t *state = json_pack ("{sssssssIsIsI}", "schema", SCHEMA, "line",
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
    g_set_error (error, LINE_ERROR, LINE_ERROR_INVALID, "%s: the line's name is "
        "too long", path);
  }
  free (text);
  json_decref (state);
  return good;
}
