/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef FOURIER_JSON_H
#define FOURIER_JSON_H

#include "gstfourierdrawdrawing.h"

/* A drawing as JSON: {"width", "height", "strokes": [[[x, y], ...], ...],
 * "parts": [{"arm", "begin", "end", "samples", "vectors": [[k, re, im], ...]},
 * ...]}. Strokes are in drawing order, the vectors of a part c_0 first, then by
 * length, as many as the drawing has. Lengths are in pixels of the picture.
 *
 * Returns: (transfer full) */
GString *fourier_drawing_to_json (const FourierDrawing * drawing);

/* Writes it to the file @path, which appears complete. Returns: %FALSE with
 * @error (G_FILE_ERROR) set */
gboolean fourier_drawing_save (const FourierDrawing * drawing,
    const gchar * path, GError ** error);

#endif /* FOURIER_JSON_H */
