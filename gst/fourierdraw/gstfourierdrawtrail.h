/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Ink of more than one colour, as marks: lines of a few segments of a drawing,
 * each in the colour of where it begins, with a casing. */

#include <gst/gst.h>

#include "base/array.h"
#include "gstfourierdrawbrush.h"
#include "gstfourierdrawdrawing.h"
#include "gstfourierdrawsettings.h"
#include "raster/raster.h"

/**
 * FourierTrailLook:
 * @source: a #FourierInkSource
 * @color: 0xAARRGGBB
 * @end_color: likewise, of the end of the path
 * @width: of the ink, in pixels of the frame
 * @casing: of the line around it, in pixels of the frame; 0 for none
 *
 * What the marks look like. Compare two with memcmp(); zero-initialise it.
 */
typedef struct
{
  guint source, color, end_color;
  gdouble width, casing;
} FourierTrailLook;

/**
 * FourierTrailTime:
 * @progress: how much of the path is drawn, 0 to 1
 * @fade: progress in which ink fades; 0 if it stays
 */
typedef struct
{
  gdouble progress, fade;
} FourierTrailTime;

/* The look that @settings ask for.
 *
 * Returns: whether it needs marks; otherwise a CsInk will do */
gboolean fourier_trail_get_look (const FourierSettings * settings,
    FourierTrailLook * look);

/* A colour that is seen on @argb: black or white, as opaque. */
guint fourier_get_contrast (guint argb);

/* How many pieces are complete at @progress. They do not change any more. */
guint fourier_trail_count (const FourierDrawing * drawing, gdouble progress);

/* Appends the marks of pieces @first and following as far as they are drawn, in
 * painting order, up to @last. Pieces one after the other give the same picture
 * as all at once, but for rounding of codes in between. */
void fourier_trail_append (CsArray * marks, const FourierDrawing * drawing,
    const FourierTrailLook * look, const FourierView * view,
    const FourierTrailTime * time, guint first, guint last);

/* Number of all pieces. */
guint fourier_trail_get_n_pieces (const FourierDrawing * drawing);
