/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_INK_H
#define GST_FOURIER_DRAW_INK_H

/* What the brush has painted, over a frame of the film. */

#include "gstfourierdrawbrush.h"
#include "raster/raster.h"

G_BEGIN_DECLS

/**
 * GstFourierDrawBrushInk:
 *
 * The brush's paint in one view of the picture: a frame costs the moves that
 * are new. Zero-initialise it. Of one thread at a time, with the CUDA context
 * current.
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

/* Paints @pending over @picture, in @rgba (0xRRGGBBAA); where moves cross, no
 * thicker than elsewhere.
 *
 * @executor: the same until gst_fourier_draw_brush_ink_clear()
 * Returns: %FALSE with @error (CS_ERROR) set */
gboolean gst_fourier_draw_brush_ink_paint (GstFourierDrawBrushInk * self,
    CsExecutor * executor, const GstFourierDrawPending * pending,
    guint32 rgba, const GstFourierDrawView * view, const CsPicture * picture,
    GError ** error);

G_END_DECLS

#endif /* GST_FOURIER_DRAW_INK_H */
