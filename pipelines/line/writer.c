/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "writer.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "publish/lock.h"
#include "spool.h"

/* Microseconds: of an idle round; from one try to the next, and from one
 * fdatasync() to the next; of the last tries at the end */
#define ROUND (G_USEC_PER_SEC / 2)
#define RETRY G_USEC_PER_SEC
#define LAST_TRIES (2 * G_USEC_PER_SEC)

/* @done: bytes of the first record that are in the file
 * @retry_at: when the disk was full: when to try again, else 0
 * @is_dirty: there is something that fdatasync() has not seen
 * @segment_bytes: after which the next segment begins; 0 for never
 * @segment: number of the one that is written
 * @size: of that
 * @cut_at: when it could not be closed: when to try again, else 0
 * @is_lost: somebody has removed it, and there can be no other one */
typedef struct
{
  const LineFolder *folder;
  char *name, *path;
  int fd;
  gsize capacity, waiting, done;
  GQueue records;
  guint64 written, dropped;
  gint64 retry_at;
  gboolean is_dirty;
  guint64 segment_bytes, size;
  guint segment;
  gint64 cut_at;
  gboolean is_lost;
} File;

struct _LineWriter
{
  GMutex lock;
  GCond changed;
  GThread *thread;
  GPtrArray *files;
  gboolean is_ending;
  gint64 end, synced_at;
  guint pulse;
};

static File *
get_file (LineWriter * writer, gint file)
{
  return g_ptr_array_index (writer->files, file);
}

/* Called without the lock. Returns: how much of @data was written; less than
 * @size with errno set */
static gsize
write_some (const File * file, const guint8 * data, gsize size)
{
  gsize done = 0;

  while (done < size) {
    gssize n = write (file->fd, data + done, size - done);

    if (n < 0 && errno == EINTR)
      continue;
    if (n == 0)
      errno = ENOSPC;
    if (n <= 0)
      break;
    done += n;
  }
  return done;
}

/* With the lock, which is given up meanwhile. No other thread uses @file's file
 * or its segments. */
static void
cut (LineWriter * writer, File * file)
{
  g_autoptr (GError) error = NULL;

  g_mutex_unlock (&writer->lock);
  int fd = line_spool_cut (file->folder, file->fd, file->segment, &error);
  if (error && file->cut_at == 0)
    g_printerr ("%s; the file before it grows until that works\n",
        error->message);
  g_mutex_lock (&writer->lock);
  file->cut_at = error ? g_get_monotonic_time () + RETRY : 0;
  if (fd >= 0) {
    file->fd = fd;
    file->segment++;
    file->size = 0;
    file->is_dirty = FALSE;
  }
}

/* With the lock, which is given up while the file is written. */
static void
write_record (LineWriter * writer, File * file)
{
  GBytes *record = g_queue_peek_head (&file->records);
  gsize size, n;
  const guint8 *data = g_bytes_get_data (record, &size);

  g_mutex_unlock (&writer->lock);
  n = write_some (file, data + file->done, size - file->done);
  int code = errno;
  g_mutex_lock (&writer->lock);
  file->done += n;
  file->is_dirty = file->is_dirty || n > 0;
  if (file->done < size) {
    /* A file that cannot be written to is tried again in a second. */
    if (file->retry_at == 0)
      g_printerr ("%s: %s; trying again each second\n", file->path,
          g_strerror (code));
    file->retry_at = g_get_monotonic_time () + RETRY;
    return;
  }
  if (file->retry_at != 0)
    g_printerr ("%s: can be written again\n", file->path);
  file->retry_at = 0;
  file->done = 0;
  file->written++;
  file->waiting -= size;
  file->size += size;
  g_bytes_unref (g_queue_pop_head (&file->records));
  if (file->segment_bytes > 0 && file->size >= file->segment_bytes
      && file->cut_at <= g_get_monotonic_time ())
    cut (writer, file);
}

/* Returns: the first file that waits to be written at @now; NULL if none
 * does */
static File *
find_work (LineWriter * writer, gint64 now)
{
  for (guint i = 0; i < writer->files->len; i++) {
    File *file = get_file (writer, i);

    if (file->records.length > 0 && file->retry_at <= now)
      return file;
  }
  return NULL;
}

/* As cut(). What is written to a file that has no name any more is nowhere: a new
 * one takes its place, and its name. */
static void
replace_removed (LineWriter * writer, File * file)
{
  g_autoptr (GError) error = NULL;
  struct stat found;

  if (file->is_lost || fstat (file->fd, &found) != 0 || found.st_nlink > 0)
    return;
  g_mutex_unlock (&writer->lock);
  g_printerr ("%s was removed, and all that was in it: files of a run that goes "
      "on must stay\n", file->path);
  const int fd = line_folder_create (file->folder, file->name, &error);
  if (fd >= 0) {
    line_folder_claim (fd);
    line_folder_sync (file->folder);
    close (file->fd);
  } else {
    g_printerr ("%s; nothing more is written there: end the line, and start it "
        "anew\n", error->message);
  }
  g_mutex_lock (&writer->lock);
  file->is_lost = fd < 0;
  if (fd >= 0) {
    file->fd = fd;
    file->done = file->size = 0;
  }
}

static void
sync_files (LineWriter * writer)
{
  if (g_get_monotonic_time () - writer->synced_at < RETRY)
    return;
  for (guint i = 0; i < writer->files->len; i++) {
    File *file = get_file (writer, i);

    if (!file->is_dirty)
      continue;
    replace_removed (writer, file);
    file->is_dirty = FALSE;
    g_mutex_unlock (&writer->lock);
    fdatasync (file->fd);
    g_mutex_lock (&writer->lock);
  }
  writer->synced_at = g_get_monotonic_time ();
}

static gpointer
run (gpointer data)
{
  LineWriter *writer = data;
  LINE_LOCK (&writer->lock);

  while (!writer->is_ending || ((find_work (writer, G_MAXINT64) != NULL)
          && g_get_monotonic_time () < writer->end)) {
    const gint64 now = g_get_monotonic_time ();
    File *file = find_work (writer, now);

    writer->pulse++;
    if (file)
      write_record (writer, file);
    else
      g_cond_wait_until (&writer->changed, &writer->lock, now + ROUND);
    sync_files (writer);
  }
  return NULL;
}

LineWriter *
line_writer_new (void)
{
  LineWriter *writer = g_new0 (LineWriter, 1);

  g_mutex_init (&writer->lock);
  g_cond_init (&writer->changed);
  writer->files = g_ptr_array_new ();
  return writer;
}

/* Removes what there is of a record that could not be written whole. */
static void
take_back (File * file)
{
  off_t end = lseek (file->fd, 0, SEEK_END);

  if (file->done > 0 && end >= (off_t) file->done
      && ftruncate (file->fd, end - file->done) != 0)
    g_printerr ("%s: half a record is at its end: %s\n", file->path,
        g_strerror (errno));
  file->done = 0;
}

void
line_writer_close (LineWriter * writer)
{
  g_mutex_lock (&writer->lock);
  writer->is_ending = TRUE;
  writer->end = g_get_monotonic_time () + LAST_TRIES;
  g_cond_broadcast (&writer->changed);
  g_mutex_unlock (&writer->lock);
  if (writer->thread)
    g_thread_join (writer->thread);
  writer->thread = NULL;
  for (guint i = 0; i < writer->files->len; i++) {
    File *file = get_file (writer, i);

    take_back (file);
    file->dropped += file->records.length;
    g_queue_clear_full (&file->records, (GDestroyNotify) g_bytes_unref);
    fsync (file->fd);
  }
}

void
line_writer_free (LineWriter * writer)
{
  line_writer_close (writer);
  for (guint i = 0; i < writer->files->len; i++) {
    File *file = get_file (writer, i);

    close (file->fd);
    g_free (file->name);
    g_free (file->path);
    g_free (file);
  }
  g_ptr_array_unref (writer->files);
  g_cond_clear (&writer->changed);
  g_mutex_clear (&writer->lock);
  g_free (writer);
}

gint
line_writer_add (LineWriter * writer, const LineFolder * folder,
    const char *name, gsize capacity, GError ** error)
{
  int fd = line_folder_create (folder, name, error);

  if (fd < 0)
    return -1;
  line_folder_claim (fd);
  /* fdatasync() of a file keeps its bytes, and not its name */
  line_folder_sync (folder);
  File *file = g_new0 (File, 1);
  *file = (File) {.folder = folder,.fd = fd,.capacity = capacity,
    .name = g_strdup (name),
    .path = g_build_filename (line_folder_get_path (folder), name, NULL)
  };
  g_queue_init (&file->records);
  g_ptr_array_add (writer->files, file);
  return writer->files->len - 1;
}

void
line_writer_set_segments (LineWriter * writer, gint number, guint64 bytes)
{
  File *file = get_file (writer, number);

  file->segment_bytes = bytes;
  file->segment = 1;
}

gboolean
line_writer_append (LineWriter * writer, gint number, GBytes * record)
{
  const gsize size = g_bytes_get_size (record);
  LINE_LOCK (&writer->lock);
  File *file = get_file (writer, number);

  if (!writer->thread && !writer->is_ending)
    writer->thread = g_thread_try_new ("line-writer", run, writer, NULL);
  gboolean has_room = writer->thread && !file->is_lost
      && size <= file->capacity - file->waiting;
  if (has_room) {
    g_queue_push_tail (&file->records, g_bytes_ref (record));
    file->waiting += size;
    g_cond_broadcast (&writer->changed);
  } else {
    file->dropped++;
  }
  return has_room;
}

void
line_writer_get_counts (LineWriter * writer, gint number, guint64 * written,
    guint64 * dropped)
{
  LINE_LOCK (&writer->lock);
  const File *file = get_file (writer, number);

  *written = file->written;
  *dropped = file->dropped;
}

gsize
line_writer_get_waiting (LineWriter * writer, gint number)
{
  LINE_LOCK (&writer->lock);

  return get_file (writer, number)->waiting;
}

guint
line_writer_get_pulse (LineWriter * writer)
{
  LINE_LOCK (&writer->lock);

  /* before there is anything to write there is no thread that could hang */
  if (!writer->thread)
    writer->pulse++;
  return writer->pulse;
}
