/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* System calls of a test program, which this defines in place of the C library's:
 * which files were synchronised, and what happens when a reader sees an end. To be
 * included once. */

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <glib.h>

#define MOST_SYNCED 256

typedef struct
{
  ino_t inode;
  off_t size;
} Synced;

static GMutex synced_lock;
static Synced synced[MOST_SYNCED];
static guint n_synced;

/* What is called once, when a read has found the end of its file */
static void (*at_end) (void) G_GNUC_UNUSED;

static int
note_synced (int fd, long call)
{
  struct stat status;

  if (fstat (fd, &status) == 0) {
    g_mutex_lock (&synced_lock);
    synced[n_synced++ % MOST_SYNCED] =
        (Synced) {status.st_ino, status.st_size};
    g_mutex_unlock (&synced_lock);
  }
  return syscall (call, fd);
}

#define SHOWN __attribute__ ((visibility ("default")))
SHOWN int fsync (int fd);
SHOWN int fdatasync (int fd);
SHOWN ssize_t read (int fd, void *data, size_t size);

int
fsync (int fd)
{
  return note_synced (fd, SYS_fsync);
}

int
fdatasync (int fd)
{
  return note_synced (fd, SYS_fdatasync);
}

ssize_t
read (int fd, void *data, size_t size)
{
  const ssize_t n = syscall (SYS_read, fd, data, size);

  if (n == 0 && size > 0 && at_end) {
    void (*const call) (void) = at_end;

    at_end = NULL;
    call ();
  }
  return n;
}

/* Whether all that the file has now was synchronised; a folder, ever. */
static gboolean
was_synced (const char *path)
{
  struct stat status;
  gboolean was = FALSE;

  if (stat (path, &status) != 0)
    return FALSE;
  g_mutex_lock (&synced_lock);
  for (guint i = 0; i < MIN (n_synced, MOST_SYNCED); i++)
    was = was || (synced[i].inode == status.st_ino
        && (S_ISDIR (status.st_mode) || synced[i].size == status.st_size));
  g_mutex_unlock (&synced_lock);
  return was;
}
