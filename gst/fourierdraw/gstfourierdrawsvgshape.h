/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_SVG_SHAPE_H
#define GST_FOURIER_DRAW_SVG_SHAPE_H

#include "gstfourierdrawsvgstyle.h"
#include "gstfourierdrawsvgvalue.h"

/* The outline of a basic shape or a path, up to the first error in it, by a pen
 * that has begun. */
void gst_fourier_draw_svg_draw_shape (GstFourierDrawPen * pen,
    const GstFourierDrawSvgNode * node, const GstFourierDrawSvgStyle * style,
    const GstFourierDrawSvgUnits * units);

/* The number of a property, or @other. */
gdouble gst_fourier_draw_svg_get_length (const GstFourierDrawSvgStyle * style,
    GstFourierDrawSvgProperty property, const GstFourierDrawSvgUnits * units,
    GstFourierDrawSvgOf of, gdouble other);

#endif /* GST_FOURIER_DRAW_SVG_SHAPE_H */
