/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "command_log.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes at the end of the file that are read: at the start, more than of some
 * commands, however many lanes there are; of those that are shown, if they do */
#define TAIL (4 << 20)
#define SHOWN (256 << 10)
#define MOST_SHOWN 50

/* @fd: -1 until there is a command. @open: ids of commands without an answer, at
 * the start. @is_broken: what was written by half cannot be taken back */
struct _LineCommandLog
{
  LineFolder *folder;
  char *path;
  int fd;
  guint64 last;
  gboolean is_broken;
};

/* Reading */

/* The end of the file from the beginning of a line on. Returns: FALSE if it is
 * not there, or cannot be read */
static gboolean
read_tail (const LineFolder * folder, gsize most, char **text, gsize * size,
    GError ** error)
{
  guint64 total;
  const int fd = line_folder_read (folder, LINE_COMMANDS, &total, error);

  if (fd < 0)
    return FALSE;
  const guint64 begin = total > most ? total - most : 0;
  char *data = g_malloc (total - begin + 1);
  gsize n = 0;
  gssize got;
  do {
    got = pread (fd, data + n, total - begin - n, begin + n);
    n += MAX (got, 0);
  } while (got > 0 || (got < 0 && errno == EINTR));
  close (fd);
  data[n] = '\0';
  const char *line = begin > 0 ? memchr (data, '\n', n) : NULL;
  if (line) {
    n -= line + 1 - data;
    memmove (data, line + 1, n + 1);
  }
  *text = data;
  *size = n;
  return TRUE;
}

typedef void (*TakeLine) (json_t * line, gpointer user);

/* Calls @take for each line that is one of a log. Returns: how many others there
 * are */
static guint
parse_lines (char *text, gsize size, TakeLine take, gpointer user)
{
  guint wrong = 0;

  for (char *at = text, *end; at < text + size; at = end + 1) {
    end = memchr (at, '\n', text + size - at);
    if (!end)
      end = text + size;
    json_auto_t *line = json_loadb (at, end - at, JSON_REJECT_DUPLICATES, NULL);

    if (json_integer_value (json_object_get (line, "id")) > 0)
      take (line, user);
    else
      wrong++;
  }
  return wrong;
}

/* @in_force: of the last answer. @open: array of what was asked for and not
 * answered, as the disk may have been full then */
typedef struct
{
  guint64 last;
  json_t *in_force, *open;
} Found;

static void
close_command (json_t * open, const json_t * id)
{
  for (gsize i = json_array_size (open); i-- > 0;)
    if (json_equal (json_object_get (json_array_get (open, i), "id"), id))
      json_array_remove (open, i);
}

static void
find (json_t * line, gpointer user)
{
  Found *found = user;
  json_t *in_force = json_object_get (line, "in_force");
  const json_t *id = json_object_get (line, "id");

  found->last = MAX (found->last, (guint64) json_integer_value (id));
  if (json_object_get (line, "asked"))
    json_array_append (found->open, line);
  else
    close_command (found->open, id);
  if (json_is_object (in_force)) {
    json_decref (found->in_force);
    found->in_force = json_incref (in_force);
  }
}

static void
show (json_t * line, gpointer user)
{
  json_t *lines = user;

  json_object_del (line, "in_force");
  json_array_append (lines, line);
  if (json_array_size (lines) > MOST_SHOWN)
    json_array_remove (lines, 0);
}

char *
line_command_log_read (const LineFolder * folder)
{
  static const gsize most[] = { SHOWN, TAIL };
  json_auto_t *lines = json_array ();

  /* lines of many lanes are long */
  for (guint i = 0; i < G_N_ELEMENTS (most)
      && json_array_size (lines) < MOST_SHOWN; i++) {
    g_autofree char *text = NULL;
    gsize size;

    json_array_clear (lines);
    if (read_tail (folder, most[i], &text, &size, NULL))
      parse_lines (text, size, show, lines);
  }
  char *encoded = json_dumps (lines, JSON_COMPACT);
  char *copy = g_strdup_printf ("%s\n", encoded ? encoded : "[]");
  free (encoded);
  return copy;
}

/* Writing */

/* Takes back what could not be written whole. Returns: FALSE */
static gboolean
take_back (LineCommandLog * log, off_t end, GError ** error)
{
  line_fail (error, LINE_ERROR_FILE, "%s cannot be written (%s): nothing is "
      "changed", log->path, g_strerror (errno));
  log->is_broken = ftruncate (log->fd, end) != 0;
  return FALSE;
}

/* Somebody may have removed it: what is written there then is nowhere. */
static gboolean
begin_file (LineCommandLog * log, GError ** error)
{
  struct stat found;

  if (log->fd >= 0 && fstat (log->fd, &found) == 0 && found.st_nlink == 0) {
    close (log->fd);
    log->fd = -1;
    log->is_broken = FALSE;
  }
  if (log->fd < 0) {
    log->fd = line_folder_write_over (log->folder, LINE_COMMANDS, error);
    if (log->fd >= 0)
      line_folder_sync (log->folder);
  }
  if (log->fd >= 0 && log->is_broken)
    return line_fail (error, LINE_ERROR_FILE, "%s has half a line at its end, "
        "which cannot be taken away: nothing is changed until the line is "
        "started anew", log->path);
  return log->fd >= 0;
}

/* On the disk, or not at all. */
static gboolean
append (LineCommandLog * log, const json_t * line, GError ** error)
{
  g_autofree char *text = NULL;
  char *encoded = json_dumps (line, JSON_COMPACT);
  gsize done = 0;

  text = g_strdup_printf ("%s\n", encoded ? encoded : "");
  free (encoded);
  if (!begin_file (log, error))
    return FALSE;
  const off_t end = lseek (log->fd, 0, SEEK_END);
  const gsize size = strlen (text);
  while (done < size) {
    const gssize n = write (log->fd, text + done, size - done);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return take_back (log, end, error);
    done += n;
  }
  return fdatasync (log->fd) == 0 || take_back (log, end, error);
}

static json_t *
begin_line (guint64 id, const char *who)
{
  const gint64 now = g_get_real_time ();
  g_autoptr (GDateTime) second = g_date_time_new_from_unix_utc (now
      / G_USEC_PER_SEC);
  g_autofree char *date = g_date_time_format (second, "%Y-%m-%dT%H:%M:%S");
  g_autofree char *time = g_strdup_printf ("%s.%06uZ", date,
      (guint) (now % G_USEC_PER_SEC));

  return json_pack ("{s:I,s:s,s:s}", "id", (json_int_t) id, "time", time,
      "who", who);
}

guint64
line_command_log_ask (LineCommandLog * log, const char *who,
    const json_t * what, GError ** error)
{
  json_auto_t *line = begin_line (log->last + 1, who);

  json_object_set (line, "asked", (json_t *) what);
  return append (log, line, error) ? ++log->last : 0;
}

gboolean
line_command_log_answer (LineCommandLog * log, guint64 id, const char *who,
    const char *why, const json_t * in_force, GError ** error)
{
  json_auto_t *line = begin_line (id, who);

  json_object_set_new (line, "answer", json_string (why ? "refused" : "done"));
  if (why)
    json_object_set_new (line, "why", json_string (why));
  if (in_force)
    json_object_set (line, "in_force", (json_t *) in_force);
  return append (log, line, error);
}

/* Start */

/* A run that was killed may have left half a line: what follows begins a new
 * one. */
static gboolean
end_last_line (LineCommandLog * log, const char *text, gsize size,
    GError ** error)
{
  if (size == 0 || text[size - 1] == '\n')
    return TRUE;
  return (begin_file (log, error) && lseek (log->fd, 0, SEEK_END) >= 0
      && write (log->fd, "\n", 1) == 1) || line_fail (error, LINE_ERROR_FILE,
      "%s cannot be written: %s", log->path, g_strerror (errno));
}

static gboolean
answer_open (LineCommandLog * log, const Found * found, GError ** error)
{
  gboolean good = TRUE;
  const json_t *line;
  gsize i;

  json_array_foreach (found->open, i, line) {
    const json_t *id = json_object_get (line, "id");
    const char *who = json_string_value (json_object_get (line, "who"));

    good = good && line_command_log_answer (log, json_integer_value (id),
        who ? who : "?", "the line ended before this was answered: nothing was "
        "changed", found->in_force, error);
  }
  return good;
}

LineCommandLog *
line_command_log_open (LineFolder * folder, json_t ** in_force,
    GError ** error)
{
  LineCommandLog *log = g_new0 (LineCommandLog, 1);
  Found found = {.open = json_array () };
  g_autofree char *text = NULL;
  gsize size = 0;
  gboolean good = TRUE;

  *in_force = NULL;
  log->folder = line_folder_ref (folder);
  log->path = g_build_filename (line_folder_get_path (folder), LINE_COMMANDS,
      NULL);
  log->fd = -1;
  if (!read_tail (folder, TAIL, &text, &size, error)) {
    good = errno == ENOENT;
    if (good)
      g_clear_error (error);
  } else {
    good = end_last_line (log, text, size, error);
    const guint wrong = parse_lines (text, size, find, &found);
    if (wrong > 0)
      g_printerr ("%s: lines that are none of commands, and count for nothing: %u\n",
          log->path, wrong);
    log->last = found.last;
    good = good && answer_open (log, &found, error);
  }
  json_decref (found.open);
  *in_force = found.in_force;
  if (!good) {
    g_clear_pointer (in_force, json_decref);
    g_clear_pointer (&log, line_command_log_free);
  }
  return log;
}

void
line_command_log_free (LineCommandLog * log)
{
  if (log->fd >= 0)
    close (log->fd);
  line_folder_unref (log->folder);
  g_free (log->path);
  g_free (log);
}

gboolean
line_command_log_is_used (const LineCommandLog * log)
{
  return log->last > 0;
}
