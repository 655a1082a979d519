/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstfourierdrawcontours.h"

/* Largest file, in bytes. */
#define SVG_MAX_SIZE (16u << 20)

/* The outlines of what is seen of an SVG document: of basic shapes and paths
 * with a fill or a stroke, where transforms, viewports, uses, styles and clip
 * paths have them (docs/fourierdraw.md). The page is scaled to @width x
 * @height, centred; without a size, all that is drawn. Lines have a point for
 * each two pixels at least.
 *
 * @data: XML, or packed (gzip)
 * Returns: (transfer full): %NULL with @error (CS_ERROR_INVALID, which says
 *     what is wrong, CS_ERROR_LIMIT or CS_ERROR_NO_MEMORY) set */
FourierContours *svg_parse (const gchar * data,
    gsize size, guint width, guint height, GError ** error);

/* The same of a file. Fails with the errors of gst_shapes_file_load(), too. */
FourierContours *svg_load (const gchar * path,
    guint width, guint height, GError ** error);
