/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "writer.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Microseconds: of an idle round, from one try to the next and from one
 * fdatasync() to the next, and of the last tries at the end */
#define ROUND (G_USEC_PER_SEC / 2)
#define RETRY G_USEC_PER_SEC
#define LAST_TRIES (2 * G_USEC_PER_SEC)

typedef struct
{
  char *path;
  int fd;
  guint64 written, dropped;
  /* there is something that fdatasync() has not seen */
  gboolean is_dirty;
} File;

typedef struct
{
  gint file;
  GBytes *bytes;
} Record;

struct _LineWriter
{
  GMutex lock;
  GCond changed;
  GThread *thread;
  gsize capacity, waiting;
  GQueue records;
  GArray *files;
  gboolean is_ending;
  /* the last write failed, and that was said */
  gboolean is_failing;
  gint64 end, synced_at;
  guint pulse;
};

static File *
get_file (LineWriter * writer, gint file)
{
  return &g_array_index (writer->files, File, file);
}

/* Waits for @time microseconds, or until something changes. */
static void
nap (LineWriter * writer, gint64 time)
{
  g_cond_wait_until (&writer->changed, &writer->lock,
      g_get_monotonic_time () + time);
}

/* Called without the lock. Returns: how much of @data was written */
static gsize
write_some (LineWriter * writer, const File * file, const guint8 * data,
    gsize size)
{
  gsize done = 0;

  while (done < size) {
    gssize n = write (file->fd, data + done, size - done);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      if (!writer->is_failing)
        g_printerr ("%s: %s; trying again each second\n", file->path,
            n < 0 ? g_strerror (errno) : "nothing can be written");
      writer->is_failing = TRUE;
      return done;
    }
    done += n;
  }
  if (writer->is_failing)
    g_printerr ("%s: can be written again\n", file->path);
  writer->is_failing = FALSE;
  return done;
}

static gboolean
has_to_give_up (const LineWriter * writer)
{
  return writer->is_ending && g_get_monotonic_time () >= writer->end;
}

/* Takes back what there is of a record that could not be written whole. */
static void
take_back (const File * file, gsize done)
{
  off_t end = lseek (file->fd, 0, SEEK_END);

  if (done == 0 || end < (off_t) done)
    return;
  if (ftruncate (file->fd, end - done) != 0)
    g_printerr ("%s: half a record is at its end: %s\n", file->path,
        g_strerror (errno));
}

/* With the lock, which is given up while a file is written. */
static void
write_record (LineWriter * writer, const Record * record)
{
  File *file = get_file (writer, record->file);
  gsize size, done = 0;
  const guint8 *data = g_bytes_get_data (record->bytes, &size);

  while (done < size) {
    gint64 next = g_get_monotonic_time () + RETRY;

    g_mutex_unlock (&writer->lock);
    done += write_some (writer, file, data + done, size - done);
    g_mutex_lock (&writer->lock);
    while (done < size && g_get_monotonic_time () < next
        && !has_to_give_up (writer)) {
      writer->pulse++;
      nap (writer, ROUND / 2);
    }
    if (done < size && has_to_give_up (writer))
      break;
  }
  if (done == size)
    file->written++;
  else
    file->dropped++;
  if (done < size)
    take_back (file, done);
  file->is_dirty = TRUE;
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

  g_mutex_lock (&writer->lock);
  while (!writer->is_ending || writer->records.length > 0) {
    Record *record = g_queue_pop_head (&writer->records);

    writer->pulse++;
    if (record) {
      write_record (writer, record);
      writer->waiting -= g_bytes_get_size (record->bytes);
      g_bytes_unref (record->bytes);
      g_free (record);
      g_cond_broadcast (&writer->changed);
    } else {
      nap (writer, ROUND);
    }
    sync_files (writer);
  }
  g_mutex_unlock (&writer->lock);
  return NULL;
}

LineWriter *
line_writer_new (gsize capacity)
{
  LineWriter *writer = g_new0 (LineWriter, 1);

  g_mutex_init (&writer->lock);
  g_cond_init (&writer->changed);
  g_queue_init (&writer->records);
  writer->capacity = capacity;
  writer->files = g_array_new (FALSE, TRUE, sizeof (File));
  return writer;
}

void
line_writer_free (LineWriter * writer)
{
  g_mutex_lock (&writer->lock);
  writer->is_ending = TRUE;
  writer->end = g_get_monotonic_time () + LAST_TRIES;
  g_cond_broadcast (&writer->changed);
  g_mutex_unlock (&writer->lock);
  if (writer->thread)
    g_thread_join (writer->thread);
  for (guint i = 0; i < writer->files->len; i++) {
    File *file = get_file (writer, i);

    fsync (file->fd);
    close (file->fd);
    g_free (file->path);
  }
  g_array_free (writer->files, TRUE);
  g_cond_clear (&writer->changed);
  g_mutex_clear (&writer->lock);
  g_free (writer);
}

gint
line_writer_add (LineWriter * writer, const char *path, GError ** error)
{
  File file = { g_strdup (path) };

  file.fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC,
      0666);
  if (file.fd < 0) {
    g_set_error (error, LINE_ERROR, LINE_ERROR_FILE, "%s: %s%s", path,
        g_strerror (errno), errno == EEXIST ?
        ": nothing is ever overwritten; move it, or change the output" : "");
    g_free (file.path);
    return -1;
  }
  g_array_append_val (writer->files, file);
  return writer->files->len - 1;
}

gboolean
line_writer_append (LineWriter * writer, gint file, GBytes * bytes)
{
  gsize size = g_bytes_get_size (bytes);
  gboolean has_room;

  g_mutex_lock (&writer->lock);
  if (!writer->thread)
    writer->thread = g_thread_try_new ("line-writer", run, writer, NULL);
  has_room = writer->thread && size <= writer->capacity - writer->waiting;
  if (has_room) {
    Record *record = g_new (Record, 1);

    *record = (Record) {file, g_bytes_ref (bytes)};
    g_queue_push_tail (&writer->records, record);
    writer->waiting += size;
    g_cond_broadcast (&writer->changed);
  } else {
    get_file (writer, file)->dropped++;
  }
  g_mutex_unlock (&writer->lock);
  return has_room;
}

void
line_writer_flush (LineWriter * writer)
{
  gint64 end = g_get_monotonic_time () + LAST_TRIES;

  g_mutex_lock (&writer->lock);
  while (writer->waiting > 0
      && g_cond_wait_until (&writer->changed, &writer->lock, end));
  g_mutex_unlock (&writer->lock);
}

void
line_writer_get_counts (LineWriter * writer, gint file, guint64 * written,
    guint64 * dropped)
{
  g_mutex_lock (&writer->lock);
  *written = get_file (writer, file)->written;
  *dropped = get_file (writer, file)->dropped;
  g_mutex_unlock (&writer->lock);
}

guint
line_writer_get_pulse (LineWriter * writer)
{
  guint pulse;

  g_mutex_lock (&writer->lock);
  pulse = writer->pulse;
  g_mutex_unlock (&writer->lock);
  return pulse;
}
