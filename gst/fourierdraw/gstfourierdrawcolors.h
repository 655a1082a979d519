/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef FOURIER_COLORS_H
#define FOURIER_COLORS_H

#include "element/gstshapesframe.h"
#include "gstfourierdrawcontours.h"

/* Sets the colours of @contours, which are those of a copy of @width x @height
 * of the picture in @buffer.
 *
 * Returns: %FALSE with @error set (GST_SHAPES_FRAME_ERROR or CS_ERROR) */
gboolean fourier_read_colors (CsExecutor * executor,
    GstBuffer * buffer, const GstVideoInfo * info, guint width, guint height,
    FourierContours * contours, GError ** error);

#endif /* FOURIER_COLORS_H */
