/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "heartbeat.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "ini.h"

#define MOST_PULSES 4

struct _LineHeartbeat
{
  char *path;
  int fd;
  guint pulses[MOST_PULSES];
  gboolean is_failing;
};

LineHeartbeat *
line_heartbeat_new (const char *path, GError ** error)
{
  LineHeartbeat *heartbeat;
  int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

  if (fd < 0) {
    g_set_error (error, LINE_ERROR, LINE_ERROR_FILE, "%s: %s", path,
        g_strerror (errno));
    return NULL;
  }
  heartbeat = g_new0 (LineHeartbeat, 1);
  heartbeat->path = g_strdup (path);
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
  gboolean failed;

  g_assert (n <= MOST_PULSES);
  for (guint i = 0; i < n; i++)
    if (pulses[i] == heartbeat->pulses[i])
      return FALSE;
  memcpy (heartbeat->pulses, pulses, n * sizeof (*pulses));
  /* who looks at it compares with the time of day, also after that was set */
  g_snprintf (line, sizeof (line), "{\"t_ns\":%20" G_GINT64_FORMAT
      ",\"pieces\":%20" G_GUINT64_FORMAT "}\n",
      1000 * g_get_real_time (), pieces);
  failed = pwrite (heartbeat->fd, line, strlen (line), 0)
      != (gssize) strlen (line);
  if (failed && !heartbeat->is_failing)
    g_printerr ("%s: %s\n", heartbeat->path, g_strerror (errno));
  heartbeat->is_failing = failed;
  return TRUE;
}
