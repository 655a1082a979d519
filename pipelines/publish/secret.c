/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* explicit_bzero() */
#define _DEFAULT_SOURCE

#include "secret.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "ini.h"

#define LONGEST (64 << 10)

/* An access list shows as rights of the group: so systemd gives credentials of
 * root to a service's user. The group of root has no others in it. */
static gboolean
is_private (const struct stat *status)
{
  const guint others = status->st_mode & 077;

  return others == 0 || (others == 040 && status->st_uid == 0
      && status->st_gid == 0);
}

static gboolean
check (const char *path, const struct stat *status, GError ** error)
{
  if (status->st_uid != geteuid () && status->st_uid != 0)
    line_fail (error, LINE_ERROR_INVALID, "%s: it has a secret, and belongs to "
        "user %u, not to this program's user %u or to root: chown %u it", path,
        (guint) status->st_uid, (guint) geteuid (), (guint) geteuid ());
  else if (!is_private (status))
    line_fail (error, LINE_ERROR_INVALID, "%s: it has a secret, and others "
        "than its owner may use it (mode %04o): chmod 600 it, and change the "
        "secret if they may have read it", path, (guint) (status->st_mode &
            07777));
  else if (status->st_size > LONGEST)
    line_fail (error, LINE_ERROR_INVALID, "%s: larger than 64 KiB: this is no "
        "secret", path);
  else
    return TRUE;
  return FALSE;
}

/* Returns: a descriptor, or -1 with @error set */
static int
open_secret (const char *path, GError ** error)
{
  struct stat status;
  const int fd = line_file_open (path, &status, error);

  if (fd < 0 || check (path, &status, error))
    return fd;
  close (fd);
  return -1;
}

char *
line_secret_load (const char *path, GError ** error)
{
  const int fd = open_secret (path, error);
  gsize size = 0;
  gssize n;

  if (fd < 0)
    return NULL;
  char *secret = g_malloc0 (LONGEST + 1);
  do {
    n = read (fd, secret + size, LONGEST - size);
    size += MAX (n, 0);
  } while (n > 0 || (n < 0 && errno == EINTR));
  if (n < 0) {
    line_fail (error, LINE_ERROR_FILE, "%s: %s", path, g_strerror (errno));
    g_clear_pointer (&secret, line_secret_free);
  }
  close (fd);
  if (secret && strlen (secret) < size) {
    line_fail (error, LINE_ERROR_INVALID, "%s: it has a byte 0, behind which "
        "nothing would be read: write it anew, as text", path);
    g_clear_pointer (&secret, line_secret_free);
  }
  return secret;
}

gboolean
line_secret_check (const char *path, GError ** error)
{
  const int fd = open_secret (path, error);

  if (fd >= 0)
    close (fd);
  return fd >= 0;
}

void
line_secret_free (char *secret)
{
  /* what is behind its end may have been part of it */
  if (secret)
    explicit_bzero (secret, LONGEST + 1);
  g_free (secret);
}
