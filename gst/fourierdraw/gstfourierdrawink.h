/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_INK_H
#define GST_FOURIER_DRAW_INK_H

/* The strokes of the mouse, painted over a frame. */

#include "gstfourierdrawbrush.h"
#include "raster/raster.h"

/**
 * GstFourierDrawBrushInk:
 *
 * The strokes of the mouse in one view; a frame adds the new ones.
 * Zero-initialise it. Of one thread at a time, with the CUDA context current.
 */
typedef struct
{
  /*< private >*/
  CsRaster *raster;
  CsInk *ink;
  guint width, height;
  gboolean valid;
  GstFourierDrawView view;
  guint64 epoch, next;
  GArray *stamps;
} GstFourierDrawBrushInk;

void gst_fourier_draw_brush_ink_clear (GstFourierDrawBrushInk * self);

/* Paints @pending over @picture in @rgba (0xRRGGBBAA), once where dabs overlap.
 *
 * @executor: the same one until gst_fourier_draw_brush_ink_clear()
 * Returns: %FALSE with @error (CS_ERROR) set */
gboolean gst_fourier_draw_brush_ink_paint (GstFourierDrawBrushInk * self,
    CsExecutor * executor, const GstFourierDrawPending * pending,
    guint32 rgba, const GstFourierDrawView * view, const CsPicture * picture,
    GError ** error);

#endif /* GST_FOURIER_DRAW_INK_H */
