/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef FOURIER_INK_H
#define FOURIER_INK_H

/* The strokes of the mouse, painted over a frame. */

#include "gstfourierdrawbrush.h"
#include "raster/raster.h"

/**
 * FourierBrushInk:
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
  FourierView view;
  guint64 epoch, next;
  GArray *stamps;
} FourierBrushInk;

void fourier_brush_ink_clear (FourierBrushInk * self);

/* Paints @pending over @picture in @rgba (0xRRGGBBAA), once where dabs overlap.
 *
 * @executor: the same one until fourier_brush_ink_clear()
 * Returns: %FALSE with @error (CS_ERROR) set */
gboolean fourier_brush_ink_paint (FourierBrushInk * self, CsExecutor * executor,
    const FourierPending * pending, guint32 rgba, const FourierView * view,
    const CsPicture * picture, GError ** error);

#endif /* FOURIER_INK_H */
