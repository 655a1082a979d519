/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_PAINTER_H
#define GST_FOURIER_DRAW_PAINTER_H

/* One frame of the film: ghost, rings, ink, arm, pen. */

#include <gst/gst.h>

#include "base/scratch.h"
#include "gstfourierdrawbrush.h"
#include "gstfourierdrawink.h"
#include "gstfourierdrawdrawing.h"
#include "gstfourierdrawsettings.h"
#include "raster/raster.h"

G_BEGIN_DECLS

/**
 * GstFourierDrawFrame:
 * @settings: how it looks
 * @drawing: (nullable): what the arm draws
 * @picture_width: size of the picture that is drawn
 * @picture_height: likewise
 * @progress: how far the arm is, 0 to 1
 * @seconds: how long ago it began, in the animation's time
 * @span: how long it takes
 * @pending: (nullable): what the mouse has painted and is still drawn
 * @background: what is behind all
 * @background_id: with CS_BACKGROUND_FRAME: another number for another picture,
 *     0 if every frame has its own
 *
 * A frame that is to be painted.
 */
typedef struct
{
  const GstFourierDrawSettings *settings;
  GstFourierDrawDrawing *drawing;
  guint picture_width, picture_height;
  gdouble progress, seconds, span;
  const GstFourierDrawPending *pending;
  CsBackground background;
  guint64 background_id;
} GstFourierDrawFrame;

/**
 * GstFourierDrawPainter:
 *
 * What paints frames. Zero-initialise it. Of one thread at a time; between open
 * and close, and in all functions, with the CUDA context current.
 */
typedef struct
{
  /*< private >*/
  CsExecutor *executor;
  GstShapesSlabPool *slabs;
  gpointer stream;
  CsRaster *raster, *ghost_raster;
  CsArray *marks, *ghost, *stamps;
  CsArray *joints;

  /* what is behind everything that moves */
  struct
  {
    guint64 serial, background_id;
    CsBackground background;
    guint ghost_color;
    gdouble ghost_opacity, width;
  } base_key;
  gboolean base_valid;
  CsPicture base;
  CsScratch base_host;
  GstShapesSlab *base_slab;
  guint64 ghost_version;

  /* what the pen has left */
  CsInk *ink;
  guint ink_width, ink_height;
  struct
  {
    guint64 serial;
    GstFourierDrawView view;
    gdouble width, span;
  } ink_key;
  gboolean ink_valid;
  gdouble inked;
  guint n_inked;

  GstFourierDrawBrushInk brush_ink;
} GstFourierDrawPainter;

gboolean gst_fourier_draw_painter_open (GstFourierDrawPainter * painter,
    const GstShapesCompute * compute, GError ** error);
void gst_fourier_draw_painter_close (GstFourierDrawPainter * painter);

/* Frames of another size or format follow. */
void gst_fourier_draw_painter_reset (GstFourierDrawPainter * painter);

/* How the whole picture lies in the film: as large as it can be, centred. */
GstFourierDrawView gst_fourier_draw_view_fit (guint picture_width,
    guint picture_height, guint width, guint height);

/* Whether gst_fourier_draw_painter_paint() will look at the background's pixels. */
gboolean gst_fourier_draw_painter_needs_background (const GstFourierDrawPainter *
    painter, const GstFourierDrawFrame * frame);

/* Paints @frame.
 *
 * @background: (nullable): with CS_BACKGROUND_FRAME, if it is needed
 * @view: (out): how the picture lies in it
 * Returns: %FALSE with @error (CS_ERROR) set */
gboolean gst_fourier_draw_painter_paint (GstFourierDrawPainter * painter,
    const GstFourierDrawFrame * frame, const CsPicture * background,
    const CsPicture * output, GstFourierDrawView * view, GError ** error);

G_END_DECLS

#endif /* GST_FOURIER_DRAW_PAINTER_H */
