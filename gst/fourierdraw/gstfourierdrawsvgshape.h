/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef FOURIER_SVG_SHAPE_H
#define FOURIER_SVG_SHAPE_H

#include "gstfourierdrawsvgstyle.h"
#include "gstfourierdrawsvgvalue.h"

/* The outline of a basic shape or a path, up to the first error in it, by a pen
 * that has begun. */
void fourier_svg_draw_shape (FourierPen * pen, const FourierSvgNode * node,
    const FourierSvgStyle * style, const FourierSvgUnits * units);

/* The number of a property, or @other. */
gdouble fourier_svg_get_length (const FourierSvgStyle * style,
    FourierSvgProperty property, const FourierSvgUnits * units,
    FourierSvgOf of, gdouble other);

#endif /* FOURIER_SVG_SHAPE_H */
