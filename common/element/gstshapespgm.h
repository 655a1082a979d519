/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstshapesfile.h"

/* Reads a binary PGM image (P5, 8 or 16 bit, one image), the form of masks.
 *
 * @data: the file's bytes
 * @width: (out): at least 1
 * @height: (out): at least 1
 * Returns: (transfer full): width * height bytes, 255 where the sample is not
 *     0, or %NULL with @error (G_IO_ERROR_INVALID_DATA) saying what to do */
guint8 *gst_shapes_pgm_parse (gconstpointer data, gsize size, guint * width,
    guint * height, GError ** error);

/* The same of @file, whose image must have @width x @height pixels: its header
 * is looked at before the samples are read. Also fails with the errors of
 * gst_shapes_file_read(). */
guint8 *gst_shapes_pgm_read (GstShapesFile * file, guint width, guint height,
    GError ** error);
