/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "heartbeat.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define NAME "heartbeat"

#define MOST_PULSES 4

struct _LineHeartbeat
{
  char *path;
  int fd;
  guint pulses[MOST_PULSES];
  gboolean is_failing;
};

LineHeartbeat *
line_heartbeat_new (const LineFolder * folder, GError ** error)
{
  int fd = line_folder_write_over (folder, NAME, error);

  if (fd < 0)
    return NULL;
  /* what was there before may have been longer */
  (void) !ftruncate (fd, 0);
  LineHeartbeat *heartbeat = g_new0 (LineHeartbeat, 1);
  heartbeat->path = g_build_filename (line_folder_get_path (folder), NAME,
      NULL);
  heartbeat->fd = fd;
  return heartbeat;
}

void
line_heartbeat_free (LineHeartbeat * heartbeat)
{
  close (heartbeat->fd);
  g_free (heartbeat->path);
  g_free (heartbeat);
}

gboolean
line_heartbeat_beat (LineHeartbeat * heartbeat, const guint * pulses, guint n,
    guint64 pieces)
{
  char line[80];

  g_assert (n <= MOST_PULSES);
  for (guint i = 0; i < n; i++)
    if (pulses[i] == heartbeat->pulses[i])
      return FALSE;
  memcpy (heartbeat->pulses, pulses, n * sizeof (*pulses));
  /* a watchdog compares it with the time of day, which may have been set */
  g_snprintf (line, sizeof (line), "{\"t_ns\":%20" G_GINT64_FORMAT
      ",\"pieces\":%20" G_GUINT64_FORMAT "}\n",
      1000 * g_get_real_time (), pieces);
  gboolean failed = !line_folder_put (heartbeat->fd, line, strlen (line));
  if (failed && !heartbeat->is_failing)
    g_printerr ("%s: %s\n", heartbeat->path, g_strerror (errno));
  heartbeat->is_failing = failed;
  return TRUE;
}
