/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/**
 * GstShapesFile:
 *
 * A file that a property names. Only regular files are opened: a device never
 * ends, and a pipe could block for ever.
 */
typedef struct _GstShapesFile GstShapesFile;

/* Returns: (transfer full): the file, to be read from its beginning, or %NULL
 *     with @error set (G_FILE_ERROR, or G_IO_ERROR_NOT_REGULAR_FILE) that names
 *     @path */
GstShapesFile *gst_shapes_file_open (const gchar * path, GError ** error);
void gst_shapes_file_close (GstShapesFile * file);

/* Bytes when it was opened. */
guint64 gst_shapes_file_get_size (const GstShapesFile * file);

/* Reads @size bytes from byte @offset on.
 *
 * Returns: %FALSE with @error set (G_FILE_ERROR, or G_IO_ERROR_PARTIAL_INPUT if
 *     there are fewer) that names the file */
gboolean gst_shapes_file_read (GstShapesFile * file, guint64 offset,
    gpointer data, gsize size, GError ** error);

/* All of the file @path, if it has at most @max_size bytes.
 *
 * @data: (out) (transfer full): ends with a 0 that does not count
 * Returns: %FALSE with @error set: of gst_shapes_file_open() and
 *     gst_shapes_file_read(), or G_IO_ERROR_NO_SPACE, which names the limit, or
 *     out of memory */
gboolean gst_shapes_file_load (const gchar * path, gsize max_size,
    gchar ** data, gsize * size, GError ** error);

/* The same of a file that is open. @fd: is closed. @path: for errors */
gboolean gst_shapes_file_load_fd (int fd, const gchar * path, gsize max_size,
    gchar ** data, gsize * size, GError ** error);
