/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_SVG_H
#define GST_FOURIER_DRAW_SVG_H

#include "gstfourierdrawcontours.h"

G_BEGIN_DECLS

/* Largest file, in bytes. */
#define GST_FOURIER_DRAW_SVG_MAX_SIZE (16u << 20)

/* The outlines of an SVG document: path, rect, circle, ellipse, line, polyline
 * and polygon, in groups, with transforms; what is in defs, symbol, clipPath,
 * mask, pattern or marker, and styles, texts and uses, are left out. Scaled to
 * @width x @height, centred, as the document's viewBox or size says, or,
 * without either, what it draws. Lines have a point for each two pixels at
 * least.
 *
 * @text: @size bytes that end with a 0
 * Returns: (transfer full): %NULL with @error (CS_ERROR_INVALID, which says
 *     what is wrong, CS_ERROR_LIMIT or CS_ERROR_NO_MEMORY) set */
GstFourierDrawContours *gst_fourier_draw_svg_parse (const gchar * text,
    gsize size, guint width, guint height, GError ** error);

/* The same of a file. Fails with the errors of gst_shapes_file_load(), too. */
GstFourierDrawContours *gst_fourier_draw_svg_load (const gchar * path,
    guint width, guint height, GError ** error);

G_END_DECLS

#endif /* GST_FOURIER_DRAW_SVG_H */
