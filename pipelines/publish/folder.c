/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* F_OFD_SETLK */
#define _GNU_SOURCE

#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "element/gstshapesfile.h"

/* Of what is made, less the umask */
#define FOLDER_MODE 0750
#define FILE_MODE 0640

/* Opening a pipe must not wait for its other end, and a terminal must not
 * become the controlling one. */
#define ALWAYS (O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

struct _LineFolder
{
  gint ref_count;
  char *path;
  int fd;
};

/* What the user can do about an error */
static const char *
find_hint (int code)
{
  switch (code) {
    case ELOOP:
      return ": it is a symbolic link, and none is followed here; move it away";
    case EEXIST:
      return ": nothing is ever overwritten; move it, or change the output";
    case EACCES:
    case EPERM:
      return ": whoever runs this program has no right to it; change the "
          "folder's owner or mode, or the output";
    case EROFS:
      return ": change the output to a folder that can be written to";
    case ENOSPC:
      return ": make room, or change the output";
    default:
      return "";
  }
}

/* errno stays. @name: NULL for the folder itself */
static void
set_error (GError ** error, const LineFolder * folder, const char *name)
{
  const int code = errno;

  line_fail (error, LINE_ERROR_FILE, "%s%s%s: %s%s", folder->path, name ?
      G_DIR_SEPARATOR_S : "", name ? name : "", g_strerror (code),
      find_hint (code));
  errno = code;
}

/* Folders */

/* A folder that is new has its name on the disk then. Returns: FALSE with
 * errno */
static gboolean
make_folder (const char *path)
{
  g_autofree char *parent = g_path_get_dirname (path);
  const gboolean is_new = access (path, F_OK) != 0;

  if (g_mkdir_with_parents (path, FOLDER_MODE) != 0)
    return FALSE;
  const int fd = is_new ? open (parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC) :
      -1;
  if (fd >= 0) {
    fsync (fd);
    close (fd);
  }
  return TRUE;
}

LineFolder *
line_folder_open (const char *path, gboolean make, GError ** error)
{
  LineFolder *folder = g_new0 (LineFolder, 1);

  folder->ref_count = 1;
  folder->path = g_strdup (path);
  folder->fd = make && !make_folder (path) ? -1 :
      open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder->fd < 0) {
    set_error (error, folder, NULL);
    g_clear_pointer (&folder, line_folder_unref);
  }
  return folder;
}

LineFolder *
line_folder_open_inside (const LineFolder * folder, const char *name,
    gboolean make, GError ** error)
{
  int fd = -1;

  if (!make || mkdirat (folder->fd, name, FOLDER_MODE) == 0 || errno == EEXIST)
    fd = openat (folder->fd, name,
        O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) {
    set_error (error, folder, name);
    return NULL;
  }
  LineFolder *inside = g_new0 (LineFolder, 1);
  inside->ref_count = 1;
  inside->path = g_build_filename (folder->path, name, NULL);
  inside->fd = fd;
  return inside;
}

LineFolder *
line_folder_ref (LineFolder * folder)
{
  g_atomic_int_inc (&folder->ref_count);
  return folder;
}

/* errno stays. */
void
line_folder_unref (LineFolder * folder)
{
  const int code = errno;

  if (!g_atomic_int_dec_and_test (&folder->ref_count))
    return;
  if (folder->fd >= 0)
    close (folder->fd);
  g_free (folder->path);
  g_free (folder);
  errno = code;
}

const char *
line_folder_get_path (const LineFolder * folder)
{
  return folder->path;
}

int
line_folder_get_fd (const LineFolder * folder)
{
  return folder->fd;
}

GPtrArray *
line_folder_list (const LineFolder * folder)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  /* a descriptor of its own, which reads from the first name on */
  int fd = openat (folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = fd >= 0 ? fdopendir (fd) : NULL;
  const struct dirent *entry;

  while (stream && (entry = readdir (stream)))
    g_ptr_array_add (names, g_strdup (entry->d_name));
  if (stream)
    closedir (stream);
  else if (fd >= 0)
    close (fd);
  return names;
}

gboolean
line_folder_look (const LineFolder * folder, const char *name,
    guint64 * size, gint64 * written_at)
{
  struct stat status;

  if (fstatat (folder->fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0
      || !S_ISREG (status.st_mode))
    return FALSE;
  if (size)
    *size = (guint64) status.st_size;
  if (written_at)
    *written_at = (gint64) status.st_mtim.tv_sec * G_USEC_PER_SEC
        + status.st_mtim.tv_nsec / 1000;
  return TRUE;
}

void
line_folder_sync (const LineFolder * folder)
{
  fsync (folder->fd);
}

/* Files */

static int
open_file (const LineFolder * folder, const char *name, int flags,
    GError ** error)
{
  int fd = openat (folder->fd, name, flags | O_NOFOLLOW | ALWAYS, FILE_MODE);

  if (fd < 0)
    set_error (error, folder, name);
  return fd;
}

int
line_folder_create (const LineFolder * folder, const char *name,
    GError ** error)
{
  return open_file (folder, name, O_WRONLY | O_APPEND | O_CREAT | O_EXCL,
      error);
}

int
line_folder_create_anew (const LineFolder * folder, const char *name,
    GError ** error)
{
  /* what cannot be removed makes the creation below fail, too */
  (void) unlinkat (folder->fd, name, 0);
  return line_folder_create (folder, name, error);
}

/* Returns: @fd; -1, with that closed, if it is no regular file, or has more than
 * @most_names */
static int
check_file (const LineFolder * folder, const char *name, int fd,
    nlink_t most_names, guint64 * size, GError ** error)
{
  struct stat status;

  if (fd < 0)
    return -1;
  if (fstat (fd, &status) == 0 && S_ISREG (status.st_mode)
      && status.st_nlink <= most_names) {
    if (size)
      *size = (guint64) status.st_size;
    return fd;
  }
  close (fd);
  line_fail (error, LINE_ERROR_FILE, "%s%s%s is a device, a pipe, a folder, or "
      "a file that has another name, too: move it away", folder->path,
      G_DIR_SEPARATOR_S, name);
  errno = EINVAL;
  return -1;
}

int
line_folder_write_over (const LineFolder * folder, const char *name,
    GError ** error)
{
  return check_file (folder, name, open_file (folder, name,
          O_WRONLY | O_CREAT, error), 1, NULL, error);
}

int
line_folder_read (const LineFolder * folder, const char *name,
    guint64 * size, GError ** error)
{
  return check_file (folder, name, open_file (folder, name, O_RDONLY, error),
      G_MAXUINT, size, error);
}

gboolean
line_folder_sync_file (const LineFolder * folder, const char *name,
    GError ** error)
{
  const int fd = line_folder_read (folder, name, NULL, error);

  if (fd < 0)
    return FALSE;
  (void) !fsync (fd);
  close (fd);
  line_folder_sync (folder);
  return TRUE;
}

gboolean
line_folder_load (const LineFolder * folder, const char *name, gsize most,
    char **text, gsize * size, GError ** error)
{
  int fd = line_folder_read (folder, name, NULL, error);
  g_autofree char *path = NULL;

  *text = NULL;
  *size = 0;
  if (fd < 0)
    return FALSE;
  path = g_build_filename (folder->path, name, NULL);
  return gst_shapes_file_load_fd (fd, path, most, text, size, error);
}

gboolean
line_folder_put (int fd, const void *data, gsize size)
{
  const char *from = data;
  gsize done = 0;

  while (done < size) {
    gssize n = pwrite (fd, from + done, size - done, done);

    if (n < 0 && errno == EINTR)
      continue;
    if (n == 0)
      errno = ENOSPC;
    if (n <= 0)
      return FALSE;
    done += n;
  }
  return TRUE;
}

gboolean
line_folder_save (const LineFolder * folder, const char *name,
    const void *data, gsize size, GError ** error)
{
  g_autofree char *next = g_strconcat (name, ".new", NULL);
  int fd = line_folder_create_anew (folder, next, error);
  gboolean good = fd >= 0 && line_folder_put (fd, data, size)
      && renameat (folder->fd, next, folder->fd, name) == 0;

  if (fd >= 0 && !good) {
    set_error (error, folder, name);
    (void) unlinkat (folder->fd, next, 0);
  }
  if (fd >= 0)
    close (fd);
  return good;
}

gboolean
line_folder_claim (int fd)
{
  struct flock lock = {.l_type = F_WRLCK,.l_whence = SEEK_SET };

  return fcntl (fd, F_OFD_SETLK, &lock) == 0
      || (errno != EAGAIN && errno != EACCES);
}

gboolean
line_folder_is_claimed (int fd)
{
  struct flock lock = {.l_type = F_RDLCK,.l_whence = SEEK_SET };

  return fcntl (fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}
