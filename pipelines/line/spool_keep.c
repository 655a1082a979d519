/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "spool_keep.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "publish/state.h"
#include "publish_line.h"

#define DAY (24 * 3600)

/* What is deleted at once: a segment, or the last two of a run that has ended:
 * decisions.jsonl has its number from the one before. */
typedef struct
{
  char run[LINE_SPOOL_RUN];
  LineSpoolSegment segments[2];
  guint n;
} Unit;

/* @parent: of @run, where older runs are; @run is "" if it is in a folder that
 * is not named as runs are: then @parent is its own
 * @state: the publisher's; NULL without one */
struct _LineSpoolKeeper
{
  char *line, *parent, *run, *state;
  guint64 most_bytes;
  gint64 most_seconds;
  LineSpoolKept kept;
};

LineSpoolKeeper *
line_spool_keeper_new (const LineConfig * config, const char *output)
{
  if (config->keep_bytes == 0 && config->keep_days == 0)
    return NULL;
  LineSpoolKeeper *keeper = g_new0 (LineSpoolKeeper, 1);
  keeper->line = g_strdup (config->name);
  keeper->run = g_path_get_basename (output);
  if (line_spool_is_run (keeper->run)) {
    keeper->parent = g_path_get_dirname (output);
  } else {
    *keeper->run = '\0';
    keeper->parent = g_strdup (output);
  }
  if (config->publish)
    keeper->state = line_publish_state_path (config->output);
  keeper->most_bytes = config->keep_bytes;
  keeper->most_seconds = (gint64) (config->keep_days * DAY);
  return keeper;
}

void
line_spool_keeper_free (LineSpoolKeeper * keeper)
{
  g_free (keeper->line);
  g_free (keeper->parent);
  g_free (keeper->run);
  g_free (keeper->state);
  g_free (keeper);
}

/* Whether the run's last segment is being written, or may be. */
static gboolean
is_open (const LineSpoolKeeper * keeper, const char *run,
    const LineFolder * folder, guint number)
{
  if (strcmp (run, keeper->run) == 0)
    return TRUE;
  int fd = line_spool_open (folder, number);
  gboolean is_claimed = fd < 0 || line_folder_is_claimed (fd);
  if (fd >= 0)
    close (fd);
  return is_claimed;
}

static void
add_unit (GArray * units, const char *run, const LineSpoolSegment * segments,
    guint n)
{
  Unit unit = {.n = n };

  g_strlcpy (unit.run, run, sizeof (unit.run));
  memcpy (unit.segments, segments, n * sizeof (*segments));
  g_array_append_val (units, unit);
}

/* Adds what may be deleted of a run, and all its bytes. */
static void
add_run (const LineSpoolKeeper * keeper, const char *run, GArray * units,
    guint64 * bytes)
{
  g_autoptr (LineFolder) folder = line_spool_open_run (keeper->parent, run);
  g_autoptr (GArray) list = line_spool_list (folder);
  const LineSpoolSegment *segments = (const LineSpoolSegment *) list->data;
  const guint n = list->len;
  /* the newest closed segment, and what is behind it */
  guint rest = n > 1 && !segments[n - 1].is_closed ? 2 : MIN (n, 1);

  for (guint i = 0; i < n; i++)
    *bytes += segments[i].size;
  if (folder && !(faccessat (line_folder_get_fd (folder), "line.ini", F_OK,
              AT_SYMLINK_NOFOLLOW) == 0)) {
    for (guint i = 0; i + rest < n; i++)
      add_unit (units, run, &segments[i], 1);
    if (rest > 0 && !is_open (keeper, run, folder, segments[n - 1].number))
      add_unit (units, run, &segments[n - rest], rest);
  }
}

static GArray *
find_units (const LineSpoolKeeper * keeper, guint64 * bytes)
{
  GArray *units = g_array_new (FALSE, FALSE, sizeof (Unit));
  g_autoptr (GPtrArray) runs = NULL;

  *bytes = 0;
  if (!*keeper->run) {
    add_run (keeper, "", units, bytes);
    return units;
  }
  runs = line_spool_list_runs (keeper->parent, NULL);
  for (guint i = 0; i < runs->len; i++)
    add_run (keeper, runs->pdata[i], units, bytes);
  return units;
}

/* Without a publisher all may be deleted; with one whose state cannot be read,
 * nothing. */
static gboolean
is_acknowledged (const LineSpoolKeeper * keeper, const Unit * unit)
{
  LineSpoolPosition done, end = { "", unit->segments[unit->n - 1].number };

  if (!keeper->state)
    return TRUE;
  if (!*unit->run
      || !line_publish_state_load (keeper->state, keeper->line, &done, NULL))
    return FALSE;
  g_strlcpy (end.run, unit->run, sizeof (end.run));
  end.offset = unit->segments[unit->n - 1].size;
  /* at its end, that is: in the next one */
  done.offset = done.lines = 0;
  return line_spool_compare (&end, &done) < 0;
}

/* The newest is deleted first, so that the others keep their numbers. */
static gboolean
delete_unit (LineSpoolKeeper * keeper, const Unit * unit, guint64 * bytes)
{
  g_autoptr (LineFolder) folder =
      line_spool_open_run (keeper->parent, unit->run);
  gboolean good = folder != NULL;

  for (guint i = unit->n; i-- > 0 && good;) {
    const LineSpoolSegment *one = &unit->segments[i];
    g_autofree char *path = line_spool_get_path (line_folder_get_path (folder),
        one->number, one->is_closed);

    good = line_spool_delete (folder, one);
    if (good) {
      keeper->kept.deleted++;
      keeper->kept.deleted_bytes += one->size;
      *bytes -= one->size;
    }
    g_printerr ("%s: %s%s\n", path, good ? "deleted, as keep-mb and keep-days "
        "say" : "cannot be deleted: ", good ? keeper->state ?
        "; all of it is acknowledged" : "" : g_strerror (errno));
  }
  return good;
}

static gboolean
is_too_much (const LineSpoolKeeper * keeper, const Unit * unit,
    guint64 bytes, gint64 now)
{
  const gint64 age = now - unit->segments[unit->n - 1].written_at;

  return (keeper->most_bytes > 0 && bytes > keeper->most_bytes)
      || (keeper->most_seconds > 0 && age > keeper->most_seconds);
}

void
line_spool_keeper_check (LineSpoolKeeper * keeper, gint64 now,
    LineSpoolKept * kept)
{
  guint64 bytes;
  g_autoptr (GArray) units = find_units (keeper, &bytes);
  const Unit *held = NULL;

  for (guint i = 0; i < units->len && !held; i++) {
    const Unit *unit = &g_array_index (units, Unit, i);

    if (!is_too_much (keeper, unit, bytes, now))
      break;
    if (!is_acknowledged (keeper, unit))
      held = unit;
    else if (!delete_unit (keeper, unit, &bytes))
      break;
  }
  if (held && !keeper->kept.is_held)
    g_printerr ("%s: there are more decisions than keep-mb and keep-days say, "
        "but from %s on they are not acknowledged: they are kept; see to the "
        "publisher\n", keeper->parent, held->run);
  if (!held && keeper->kept.is_held)
    g_printerr ("%s: decisions are again as keep-mb and keep-days say\n",
        keeper->parent);
  keeper->kept.is_held = held != NULL;
  keeper->kept.bytes = bytes;
  *kept = keeper->kept;
}
