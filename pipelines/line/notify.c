/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "notify.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct _LineNotify
{
  int fd;
  struct sockaddr_un address;
  socklen_t size;
  gboolean is_failing;
};

/* Returns: FALSE if @path is neither a path nor "@" and a name of Linux's
 * abstract ones, or too long */
static gboolean
set_address (LineNotify * notify, const char *path)
{
  const gsize n = strlen (path);

  if ((path[0] != '/' && path[0] != '@') || n < 2
      || n >= sizeof (notify->address.sun_path))
    return FALSE;
  notify->address.sun_family = AF_UNIX;
  memcpy (notify->address.sun_path, path, n);
  if (path[0] == '@')
    notify->address.sun_path[0] = '\0';
  notify->size = offsetof (struct sockaddr_un, sun_path) + n + (path[0] == '/');
  return TRUE;
}

LineNotify *
line_notify_new (void)
{
  LineNotify *notify = g_new0 (LineNotify, 1);
  const char *path = g_getenv ("NOTIFY_SOCKET");

  notify->fd = -1;
  if (!path || !*path)
    return notify;
  if (set_address (notify, path))
    notify->fd = socket (AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  else
    errno = EINVAL;
  if (notify->fd < 0)
    g_printerr ("NOTIFY_SOCKET=%s: %s: the service manager is told nothing\n",
        path, g_strerror (errno));
  g_unsetenv ("NOTIFY_SOCKET");
  return notify;
}

void
line_notify_free (LineNotify * notify)
{
  if (notify->fd >= 0)
    close (notify->fd);
  g_free (notify);
}

void
line_notify_tell (LineNotify * notify, const char *state)
{
  const gsize n = strlen (state);

  if (notify->fd < 0)
    return;
  gboolean failed = sendto (notify->fd, state, n, MSG_NOSIGNAL | MSG_DONTWAIT,
      (const struct sockaddr *) &notify->address, notify->size) != (gssize) n;
  if (failed && !notify->is_failing)
    g_printerr ("the service manager is not told \"%s\": %s\n", state,
        g_strerror (errno));
  notify->is_failing = failed;
}
