/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapesfile.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

struct _GstShapesFile
{
  gchar *path;
  int fd;
  guint64 size;
};

static gboolean
fail_errno (GError ** error, const gchar * what, const gchar * path)
{
  const int code = errno;

  return cs_fail (error, G_FILE_ERROR, g_file_error_from_errno (code),
      "\"%s\" cannot be %s: %s", path, what, g_strerror (code));
}

static gboolean
look_at (GstShapesFile * file, GError ** error)
{
  struct stat status;

  if (CS_OR_FAULT (CS_FAULT_FILE, cs_fail_io (),
          fstat (file->fd, &status)) != 0)
    return fail_errno (error, "read", file->path);
  if (!S_ISREG (status.st_mode))
    return cs_fail (error, G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE,
        "\"%s\" is a device, a pipe or a folder; only regular files are read: "
        "copy it to one", file->path);
  file->size = (guint64) status.st_size;
  return TRUE;
}

/* Takes @fd. */
static GstShapesFile *
take (int fd, const gchar * path, GError ** error)
{
  GstShapesFile *file = g_new0 (GstShapesFile, 1);

  file->path = g_strdup (path);
  file->fd = fd;
  if (!look_at (file, error))
    g_clear_pointer (&file, gst_shapes_file_close);
  return file;
}

GstShapesFile *
gst_shapes_file_open (const gchar * path, GError ** error)
{
  /* a pipe would wait for a writer, a terminal become ours */
  const int fd = CS_OR_FAULT (CS_FAULT_FILE, cs_fail_io (),
      open (path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));

  if (fd >= 0)
    return take (fd, path, error);
  fail_errno (error, "opened", path);
  return NULL;
}

void
gst_shapes_file_close (GstShapesFile * file)
{
  close (file->fd);
  g_free (file->path);
  g_free (file);
}

guint64
gst_shapes_file_get_size (const GstShapesFile * file)
{
  return file->size;
}

gboolean
gst_shapes_file_read (GstShapesFile * file, guint64 offset, gpointer data,
    gsize size, GError ** error)
{
  guint8 *to = data;

  while (size > 0) {
    const ssize_t n = CS_OR_FAULT (CS_FAULT_FILE, cs_fail_io (),
        pread (file->fd, to, size, (off_t) offset));

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return fail_errno (error, "read", file->path);
    if (n == 0)
      return cs_fail (error, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT,
          "\"%s\" ends %" G_GSIZE_FORMAT " bytes too early; it must not change "
          "while it is read", file->path, size);
    to += n;
    size -= (gsize) n;
    offset += (guint64) n;
  }
  return TRUE;
}

static gchar *
read_all (GstShapesFile * file, gsize max_size, GError ** error)
{
  if (file->size > max_size)
    return cs_fail_null (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE, "\"%s\" has %"
        G_GUINT64_FORMAT " bytes; files of up to %" G_GSIZE_FORMAT
        " bytes are read here", file->path, file->size, max_size);
  gchar *data = cs_try_malloc ((gsize) file->size + 1);
  if (!data)
    return cs_fail_null (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE, "there is no "
        "memory for the %" G_GUINT64_FORMAT " bytes of \"%s\"", file->size,
        file->path);
  if (!gst_shapes_file_read (file, 0, data, (gsize) file->size, error)) {
    g_free (data);
    return NULL;
  }
  data[file->size] = '\0';
  return data;
}

/* Takes @file, which may be %NULL. */
static gboolean
load (GstShapesFile * file, gsize max_size, gchar ** data, gsize * size,
    GError ** error)
{
  *data = NULL;
  *size = 0;
  if (!file)
    return FALSE;
  *data = read_all (file, max_size, error);
  if (*data)
    *size = (gsize) file->size;
  gst_shapes_file_close (file);
  return *data != NULL;
}

gboolean
gst_shapes_file_load (const gchar * path, gsize max_size, gchar ** data,
    gsize * size, GError ** error)
{
  return load (gst_shapes_file_open (path, error), max_size, data, size, error);
}

gboolean
gst_shapes_file_load_fd (int fd, const gchar * path, gsize max_size,
    gchar ** data, gsize * size, GError ** error)
{
  return load (take (fd, path, error), max_size, data, size, error);
}
