/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_TRAIL_H
#define GST_FOURIER_DRAW_TRAIL_H

/* Ink of more than one colour, as marks: lines of a few segments of a drawing,
 * each in the colour of where it begins, with a casing. */

#include <gst/gst.h>

#include "base/array.h"
#include "gstfourierdrawbrush.h"
#include "gstfourierdrawdrawing.h"
#include "gstfourierdrawsettings.h"
#include "raster/raster.h"

/**
 * GstFourierDrawTrailLook:
 * @source: a #GstFourierDrawInkSource
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
} GstFourierDrawTrailLook;

/**
 * GstFourierDrawTrailTime:
 * @progress: how much of the path is drawn, 0 to 1
 * @fade: progress in which ink fades; 0 if it stays
 */
typedef struct
{
  gdouble progress, fade;
} GstFourierDrawTrailTime;

/* The look that @settings ask for.
 *
 * Returns: whether it needs marks; otherwise a CsInk will do */
gboolean gst_fourier_draw_trail_get_look (const GstFourierDrawSettings *
    settings, GstFourierDrawTrailLook * look);

/* A colour that is seen on @argb: black or white, as opaque. */
guint gst_fourier_draw_get_contrast (guint argb);

/* How many pieces are complete at @progress. They do not change any more. */
guint gst_fourier_draw_trail_count (const GstFourierDrawDrawing * drawing,
    gdouble progress);

/* Appends the marks of pieces @first and following as far as they are drawn, in
 * painting order, up to @last. Pieces one after the other give the same picture
 * as all at once, but for rounding of codes in between. */
void gst_fourier_draw_trail_append (CsArray * marks,
    const GstFourierDrawDrawing * drawing,
    const GstFourierDrawTrailLook * look, const GstFourierDrawView * view,
    const GstFourierDrawTrailTime * time, guint first, guint last);

/* Number of all pieces. */
guint gst_fourier_draw_trail_get_n_pieces (const GstFourierDrawDrawing *
    drawing);

#endif /* GST_FOURIER_DRAW_TRAIL_H */
