/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Reads the image @path, a binary PGM, PNG or JPEG of @width x @height pixels,
 * as a mask. What the file holds decides, not its name. A PNG or JPEG is
 * decoded by pngdec or jpegdec and nothing else, after the size in its header
 * has been compared; a file of more than 64 MiB is not.
 *
 * Returns: (transfer full): width * height bytes, 255 where the gray value is
 *     not 0 (PGM, PNG), or at least half of white (JPEG, which smears what lies
 *     beside an edge); or %NULL with @error, which names @path and says what to
 *     do: G_FILE_ERROR or G_IO_ERROR */
guint8 *gst_shapes_mask_load (const gchar * path, guint width, guint height,
    GError ** error);
