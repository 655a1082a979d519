/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define _GNU_SOURCE

#include "disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files that are at most this large are kept as they were synced; larger ones
 * only grow. */
#define SMALL (256 * 1024)

/* Microseconds that a call takes at most: ordinarily, and if the disk is slow */
#define CALL 20
#define SYNC (30 * 1000)
#define SLOW (3 * G_USEC_PER_SEC)

/* Descriptors of this process, at most */
#define MOST_OPEN 4096

/* Microseconds after which a system writes by itself, at the latest */
#define WRITE_BACK (30 * G_USEC_PER_SEC)

/* Less than all is written once in so many times. */
#define SHORT 40

#define WRAPPED(type, name, ...) \
  type __real_##name (__VA_ARGS__); \
  type __wrap_##name (__VA_ARGS__)

WRAPPED (int, open64, const char *path, int flags, ...);
WRAPPED (int, openat64, int at, const char *name, int flags, ...);
WRAPPED (int, close, int fd);
WRAPPED (int, closedir, DIR * stream);
WRAPPED (ssize_t, write, int fd, const void *data, size_t size);
WRAPPED (ssize_t, pwrite64, int fd, const void *data, size_t size,
    off_t offset);
WRAPPED (int, ftruncate64, int fd, off_t size);
WRAPPED (int, fsync, int fd);
WRAPPED (int, fdatasync, int fd);
WRAPPED (int, renameat, int from, const char *old, int to, const char *new);
WRAPPED (int, renameat2, int from, const char *old, int to, const char *new,
    unsigned int flags);
WRAPPED (int, unlinkat, int at, const char *name, int flags);
WRAPPED (int, mkdirat, int at, const char *name, mode_t mode);

/* @fd: of the world's own, while it is dirty; else -1
 * @synced: bytes that outlive a power cut
 * @content: those, of a small file
 * @dirty_since: when there was more first; 0: there is no more */
typedef struct
{
  ino_t number;
  int fd;
  guint64 synced;
  GBytes *content;
  gint64 dirty_since;
} File;

typedef enum
{
  MADE,
  RENAMED,
  EXCHANGED,
  REMOVED,
  FOLDER_MADE,
} Change;

/* A name that a power cut may undo. @backup: of the file that lost its name, in
 * the world's own folder; NULL for none */
typedef struct
{
  Change change;
  char *path, *new_path, *backup;
} Name;

static struct
{
  char *folder, *backups;
  const Process *owners[MOST_OPEN];
  GHashTable *files;            /* of inode numbers */
  GPtrArray *names;             /* Name, in their order */
  guint faults, n_backups;
  gint64 stuck_since;
} disk;

/* Microseconds from one look to the next, at a disk that is stuck */
#define LOOK 20000

/* Names */

/* As it is in the world's folder, or NULL; to be freed */
static char *
get_path (int at, const char *name)
{
  char link[64], folder[4096] = "";

  if (!disk.folder)
    return NULL;
  if (name && *name == '/') {
    g_strlcpy (folder, name, sizeof (folder));
  } else {
    g_snprintf (link, sizeof (link), "/proc/self/fd/%d", at);
    const ssize_t n = readlink (link, folder, sizeof (folder) - 1);
    folder[MAX (n, 0)] = '\0';
  }
  if (!g_str_has_prefix (folder, disk.folder))
    return NULL;
  return !name || *name == '/' ? g_strdup (folder) : g_build_filename (folder,
      name, NULL);
}

static void
name_free (gpointer data)
{
  Name *name = data;

  if (name->backup)
    (void) unlink (name->backup);
  g_free (name->backup);
  g_free (name->path);
  g_free (name->new_path);
  g_free (name);
}

/* The file stays there under a name of the world's. */
static char *
back_up (const char *path)
{
  char *backup = g_strdup_printf ("%s/%u", disk.backups, disk.n_backups++);

  if (link (path, backup) != 0)
    g_clear_pointer (&backup, g_free);
  return backup;
}

/* Takes the paths. */
static void
note (Change change, char *path, char *new_path, char *backup)
{
  Name *name = g_new (Name, 1);

  *name = (Name) {change, path, new_path, backup };
  g_ptr_array_add (disk.names, name);
}

static void
undo (const Name * name)
{
  switch (name->change) {
    case MADE:
      (void) unlink (name->path);
      break;
    case FOLDER_MADE:
      (void) rmdir (name->path);
      break;
    case RENAMED:
      (void) rename (name->new_path, name->path);
      break;
    case EXCHANGED:
      (void) __real_renameat2 (AT_FDCWD, name->path, AT_FDCWD, name->new_path,
          RENAME_EXCHANGE);
      break;
    case REMOVED:
      break;
  }
  if (name->backup)
    (void) !link (name->backup, name->change == REMOVED ? name->path :
        name->new_path);
}

/* Files */

static void
file_free (gpointer data)
{
  File *file = data;

  if (file->fd >= 0)
    __real_close (file->fd);
  g_clear_pointer (&file->content, g_bytes_unref);
  g_free (file);
}

static File *
find_file (int fd)
{
  struct stat status;

  if (!disk.files || fstat (fd, &status) != 0 || !S_ISREG (status.st_mode))
    return NULL;
  return g_hash_table_lookup (disk.files, GSIZE_TO_POINTER (status.st_ino));
}

static void
add_file (int fd)
{
  struct stat status;
  File *file = g_new0 (File, 1);

  fstat (fd, &status);
  file->number = status.st_ino;
  file->fd = -1;
  g_hash_table_replace (disk.files, GSIZE_TO_POINTER (file->number), file);
}

static GBytes *
read_all (const File * file)
{
  struct stat status;

  if (fstat (file->fd, &status) != 0 || status.st_size > SMALL)
    return NULL;
  guint8 *data = g_malloc (MAX (status.st_size, 1));
  const ssize_t n = pread (file->fd, data, status.st_size, 0);
  return g_bytes_new_take (data, MAX (n, 0));
}

static void
take_as_synced (File * file)
{
  struct stat status;

  if (file->dirty_since == 0)
    return;

  fstat (file->fd, &status);
  file->synced = status.st_size;
  file->dirty_since = 0;
  g_clear_pointer (&file->content, g_bytes_unref);
  file->content = read_all (file);
  __real_close (file->fd);
  file->fd = -1;
}

static void
make_dirty (File * file, int fd)
{
  char path[64];

  if (file->dirty_since != 0)
    return;
  file->dirty_since = world_now ();
  g_snprintf (path, sizeof (path), "/proc/self/fd/%d", fd);
  file->fd = __real_open64 (path, O_RDWR | O_CLOEXEC);
  if (file->fd < 0)
    g_error ("%s: %s", path, g_strerror (errno));
}

/* The world's time, as a file's */
static void
touch (int fd)
{
  const gint64 now = world_time_of_day ();
  const struct timespec time = { now / G_USEC_PER_SEC,
    now % G_USEC_PER_SEC * 1000
  };
  const struct timespec times[2] = { time, time };

  futimens (fd, times);
}

/* A part of what is not synced survives. */
static void
tear (File * file)
{
  g_autoptr (GBytes) now = file->dirty_since > 0 ? read_all (file) : NULL;
  gsize size = 0, old_size = 0;

  if (file->dirty_since == 0)
    return;
  if (!now) {
    struct stat status;

    fstat (file->fd, &status);
    const guint64 more = status.st_size - MIN (file->synced,
        (guint64) status.st_size);
    (void) !__real_ftruncate64 (file->fd, file->synced + world_below (more +
            1));
  } else {
    const guint8 *data = g_bytes_get_data (now, &size);
    const guint8 *old = file->content ? g_bytes_get_data (file->content,
        &old_size) : NULL;
    /* what only grew keeps its beginning */
    const gboolean grew = size >= old_size && (old_size == 0
        || memcmp (data, old, old_size) == 0);
    const gsize kept = (grew ? old_size : 0) + world_below ((grew ? size -
            old_size : size) + 1);

    (void) !__real_ftruncate64 (file->fd, MAX (kept, grew ? 0 : old_size));
    if (!grew && old_size > kept)
      (void) !__real_pwrite64 (file->fd, old + kept, old_size - kept, kept);
  }
  take_as_synced (file);
}

/* Calls */

static gboolean
is_ours (int fd)
{
  return fd >= 0 && fd < MOST_OPEN && disk.owners[fd] != NULL;
}

static void
spend (gint64 most)
{
  const gint64 begin = world_now ();

  if (disk.faults & DISK_SLOW)
    world_sleep_until (begin + world_delay (SLOW));
  else if (most > CALL)
    world_sleep_until (begin + world_delay (most));
  else
    world_spend (most);
}

static int
take (int fd, const char *path, gboolean is_new)
{
  if (fd < 0 || !path)
    return fd;
  g_assert_cmpint (fd, <, MOST_OPEN);
  disk.owners[fd] = world_get_process ();
  if (is_new) {
    world_tell ("makes %s", path + strlen (disk.folder));
    add_file (fd);
    touch (fd);
    note (MADE, g_strdup (path), NULL, NULL);
  }
  return fd;
}

static int
open_at (int at, const char *name, int flags, mode_t mode)
{
  g_autofree char *path = world_is_inside () ? get_path (at, name) : NULL;
  gboolean is_new = FALSE;

  if (path) {
    spend (CALL);
    is_new = (flags & O_CREAT) && access (path, F_OK) != 0;
  }
  if (is_new && (disk.faults & DISK_FULL)) {
    errno = ENOSPC;
    return -1;
  }
  return take (__real_openat64 (at, name, flags, mode), path, is_new);
}

int
__wrap_openat64 (int at, const char *name, int flags, ...)
{
  va_list arguments;
  mode_t mode = 0;

  va_start (arguments, flags);
  if (flags & O_CREAT)
    mode = va_arg (arguments, mode_t);
  va_end (arguments);
  return open_at (at, name, flags, mode);
}

int
__wrap_open64 (const char *path, int flags, ...)
{
  va_list arguments;
  mode_t mode = 0;

  va_start (arguments, flags);
  if (flags & O_CREAT)
    mode = va_arg (arguments, mode_t);
  va_end (arguments);
  return open_at (AT_FDCWD, path, flags, mode);
}

int
__wrap_close (int fd)
{
  if (is_ours (fd))
    disk.owners[fd] = NULL;
  return __real_close (fd);
}

int
__wrap_closedir (DIR * stream)
{
  const int fd = dirfd (stream);

  if (is_ours (fd))
    disk.owners[fd] = NULL;
  return __real_closedir (stream);
}

void
disk_close_all (const Process * process)
{
  disk.stuck_since = G_MAXINT64;
  for (int fd = 0; fd < MOST_OPEN; fd++)
    if (disk.owners[fd] == process) {
      disk.owners[fd] = NULL;
      __real_close (fd);
    }
}

/* How much of it can be written; -1 with errno: nothing */
static gssize
limit (gsize size)
{
  spend (CALL);
  if (disk.faults & DISK_FULL) {
    /* the last bytes that there were */
    if (size > 1 && world_one_in (8))
      return (gssize) (1 + world_below (size - 1));
    errno = ENOSPC;
    return -1;
  }
  return size > 1 && world_one_in (SHORT) ? (gssize) (1 + world_below (size -
          1)) : (gssize) size;
}

static ssize_t
written (int fd, ssize_t n)
{
  File *file = find_file (fd);

  if (file && n > 0) {
    make_dirty (file, fd);
    touch (fd);
  }
  return n;
}

static void
wait_while_stuck (int fd)
{
  if (!(disk.faults & DISK_STUCK))
    return;
  g_autofree char *path = get_path (fd, NULL);
  g_autofree char *name = path ? g_path_get_basename (path) : g_strdup ("");
  while ((disk.faults & DISK_STUCK) && g_str_has_prefix (name, "decisions")) {
    disk.stuck_since = MIN (disk.stuck_since, world_now ());
    world_sleep_until (world_now () + LOOK);
  }
}

gint64
disk_get_stuck_since (void)
{
  return disk.stuck_since;
}

ssize_t
__wrap_write (int fd, const void *data, size_t size)
{
  if (!is_ours (fd))
    return __real_write (fd, data, size);
  wait_while_stuck (fd);
  const gssize most = limit (size);
  return most < 0 ? -1 : written (fd, __real_write (fd, data, most));
}

ssize_t
__wrap_pwrite64 (int fd, const void *data, size_t size, off_t offset)
{
  if (!is_ours (fd))
    return __real_pwrite64 (fd, data, size, offset);
  /* what is written over has its room */
  struct stat status;
  const gboolean has_room = fstat (fd, &status) == 0
      && offset + (off_t) size <= status.st_size;
  const gssize most = has_room ? (gssize) size : limit (size);
  return most < 0 ? -1 : written (fd, __real_pwrite64 (fd, data, most, offset));
}

int
__wrap_ftruncate64 (int fd, off_t size)
{
  if (is_ours (fd)) {
    spend (CALL);
    File *file = find_file (fd);

    if (file)
      make_dirty (file, fd);
  }
  return __real_ftruncate64 (fd, size);
}

/* One that is removed while it is dirty stays until somebody looks again. */
static gboolean
is_gone (gpointer key, gpointer data, gpointer user)
{
  const File *file = data;
  struct stat status;

  return file->fd >= 0 && (fstat (file->fd, &status) != 0
      || status.st_nlink == 0);
}

/* Names are as they are, for ever. */
static void
keep_names (void)
{
  gboolean any_removed = FALSE;

  for (guint i = 0; i < disk.names->len; i++)
    any_removed |= ((Name *) g_ptr_array_index (disk.names, i))->change != MADE;
  g_ptr_array_set_size (disk.names, 0);
  if (any_removed)
    g_hash_table_foreach_remove (disk.files, is_gone, NULL);
}

static int
sync_now (int fd)
{
  spend (SYNC);
  if (disk.faults & DISK_NO_SYNC) {
    errno = EIO;
    return -1;
  }
  File *file = find_file (fd);
  if (file)
    take_as_synced (file);
  else
    /* a folder: its names, and all that changed before */
    keep_names ();
  return 0;
}

int
__wrap_fsync (int fd)
{
  return is_ours (fd) ? sync_now (fd) : __real_fsync (fd);
}

int
__wrap_fdatasync (int fd)
{
  return is_ours (fd) ? sync_now (fd) : __real_fdatasync (fd);
}

int
__wrap_renameat2 (int from, const char *old, int to, const char *new,
    unsigned int flags)
{
  char *path = get_path (from, old), *new_path = get_path (to, new);
  char *backup = NULL;
  int failed;

  if (!path || !new_path) {
    g_free (path);
    g_free (new_path);
    return __real_renameat2 (from, old, to, new, flags);
  }
  spend (CALL);
  /* a new name may need room in its folder */
  if ((disk.faults & DISK_FULL) && access (new_path, F_OK) != 0
      && world_one_in (2)) {
    g_free (path);
    g_free (new_path);
    errno = ENOSPC;
    return -1;
  }
  if (flags == 0 && access (new_path, F_OK) == 0)
    backup = back_up (new_path);
  failed = __real_renameat2 (from, old, to, new, flags);
  if (failed) {
    const int code = errno;

    if (backup)
      (void) unlink (backup);
    g_free (backup);
    g_free (path);
    g_free (new_path);
    errno = code;
    return failed;
  }
  world_tell ("renames %s", path + strlen (disk.folder));
  note (flags & RENAME_EXCHANGE ? EXCHANGED : RENAMED, path, new_path, backup);
  return 0;
}

int
__wrap_renameat (int from, const char *old, int to, const char *new)
{
  return __wrap_renameat2 (from, old, to, new, 0);
}

int
__wrap_unlinkat (int at, const char *name, int flags)
{
  char *path = get_path (at, name);
  char *backup;

  if (!path || flags) {
    g_free (path);
    return __real_unlinkat (at, name, flags);
  }
  spend (CALL);
  backup = back_up (path);
  if (__real_unlinkat (at, name, flags) != 0) {
    const int code = errno;

    if (backup)
      (void) unlink (backup);
    g_free (backup);
    g_free (path);
    errno = code;
    return -1;
  }
  world_tell ("removes %s", path + strlen (disk.folder));
  note (REMOVED, path, NULL, backup);
  return 0;
}

int
__wrap_mkdirat (int at, const char *name, mode_t mode)
{
  char *path = get_path (at, name);
  const int failed = __real_mkdirat (at, name, mode);

  if (path && !failed)
    note (FOLDER_MADE, path, NULL, NULL);
  else
    g_free (path);
  return failed;
}

/* The world's side */

void
disk_set_faults (guint faults)
{
  world_tell ("disk: faults %u", faults);
  disk.faults = faults;
  if (!(faults & DISK_STUCK))
    disk.stuck_since = G_MAXINT64;
}

guint
disk_get_faults (void)
{
  return disk.faults;
}

static gint
compare_numbers (gconstpointer a, gconstpointer b)
{
  const File *const *x = a, *const *y = b;

  return ((*x)->number > (*y)->number) - ((*x)->number < (*y)->number);
}

void
disk_cut_power (void)
{
  const guint kept = (guint) world_below (disk.names->len + 1);
  g_autoptr (GPtrArray) files = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer file;

  world_tell ("power is cut: %u of %u names stay", kept, disk.names->len);
  g_hash_table_iter_init (&iter, disk.files);
  while (g_hash_table_iter_next (&iter, NULL, &file))
    g_ptr_array_add (files, file);
  g_ptr_array_sort (files, compare_numbers);
  for (guint i = 0; i < files->len; i++)
    tear (g_ptr_array_index (files, i));
  while (disk.names->len > kept) {
    undo (g_ptr_array_index (disk.names, disk.names->len - 1));
    g_ptr_array_set_size (disk.names, disk.names->len - 1);
  }
  g_ptr_array_set_size (disk.names, 0);
}

void
disk_write_back (void)
{
  GHashTableIter iter;
  gpointer file;

  if (disk.faults & DISK_NO_SYNC)
    return;
  keep_names ();
  g_hash_table_iter_init (&iter, disk.files);
  while (g_hash_table_iter_next (&iter, NULL, &file))
    if (((File *) file)->dirty_since > 0
        && world_now () - ((File *) file)->dirty_since >= WRITE_BACK)
      take_as_synced (file);
}

void
disk_begin (const char *folder)
{
  memset (&disk, 0, sizeof (disk));
  disk.folder = g_strdup (folder);
  disk.stuck_since = G_MAXINT64;
  disk.backups = g_strconcat (folder, ".backups", NULL);
  (void) mkdir (disk.backups, 0700);
  disk.files = g_hash_table_new_full (NULL, NULL, NULL, file_free);
  disk.names = g_ptr_array_new_with_free_func (name_free);
}

void
disk_end (void)
{
  g_ptr_array_unref (disk.names);
  g_hash_table_unref (disk.files);
  (void) rmdir (disk.backups);
  g_clear_pointer (&disk.folder, g_free);
  g_clear_pointer (&disk.backups, g_free);
  disk.files = NULL;
}
