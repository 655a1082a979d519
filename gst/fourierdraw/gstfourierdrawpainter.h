/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_PAINTER_H
#define GST_FOURIER_DRAW_PAINTER_H

/* Paints a frame: ghost, circles, ink, arm, pen. */

#include <gst/gst.h>

#include "base/scratch.h"
#include "gstfourierdrawbrush.h"
#include "gstfourierdrawink.h"
#include "gstfourierdrawdrawing.h"
#include "gstfourierdrawsettings.h"
#include "gstfourierdrawtrail.h"
#include "raster/raster.h"
#include "element/gstshapescompute.h"

/**
 * GstFourierDrawFrame:
 * @settings: colours, widths, what to show
 * @drawing: (nullable): what the arm draws
 * @picture_width: of the drawing's picture, in pixels
 * @picture_height: of the drawing's picture
 * @progress: of the arm, 0 to 1
 * @seconds: since the arm began, for fading
 * @span: what the whole path takes, in seconds
 * @arm_opacity: of arm, circles and pen, 0 to 1
 * @pending: (nullable): strokes of the mouse that the drawing still has
 * @background: below everything else
 * @background_id: with CS_BACKGROUND_FRAME: unique for each picture; 0 if each
 *     frame has its own
 *
 * A frame to paint.
 */
typedef struct
{
  const GstFourierDrawSettings *settings;
  GstFourierDrawDrawing *drawing;
  guint picture_width, picture_height;
  gdouble progress, seconds, span, arm_opacity;
  const GstFourierDrawPending *pending;
  CsBackground background;
  guint64 background_id;
} GstFourierDrawFrame;

/**
 * GstFourierDrawPainter:
 *
 * Paints frames, and keeps what the next one can use. Zero-initialise it. Of
 * one thread at a time, with the CUDA context current.
 */
typedef struct
{
  /*< private >*/
  CsExecutor *executor;
  /* (nullable): the CPU's, beside a GPU */
  CsExecutor *own_executor;
  GstShapesSlabPool *slabs;
  gpointer stream;
  CsRaster *raster, *ghost_raster;
  CsArray *marks, *ghost, *stamps;
  /* of all arms; where those of each end */
  CsArray *joints, *turned;
  guint n_arms, arm_ends[GST_FOURIER_DRAW_MAX_ARMS];

  /* background and ghost, the same in many frames */
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
  /* pieces of the trail in the base */
  CsArray *pieces;
  guint n_pieces;
  GstFourierDrawTrailLook pieces_look;

  /* ink of the segments before n_inked */
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

/* The whole picture in the frame: as large as possible, centred. */
GstFourierDrawView gst_fourier_draw_view_fit (guint picture_width,
    guint picture_height, guint width, guint height);

/* Whether gst_fourier_draw_painter_paint() will read the background. */
gboolean gst_fourier_draw_painter_needs_background (const
    GstFourierDrawPainter * painter, const GstFourierDrawFrame * frame);

/* Paints @frame on @output.
 *
 * @background: (nullable): with CS_BACKGROUND_FRAME, if it is needed
 * @view: (out): from the picture to the frame
 * Returns: %FALSE with @error (CS_ERROR) set */
gboolean gst_fourier_draw_painter_paint (GstFourierDrawPainter * painter,
    const GstFourierDrawFrame * frame, const CsPicture * background,
    const CsPicture * output, GstFourierDrawView * view, GError ** error);

#endif /* GST_FOURIER_DRAW_PAINTER_H */
