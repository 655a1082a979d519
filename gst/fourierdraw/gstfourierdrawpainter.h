/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Paints a frame: ghost, circles, ink, arm, pen. */

#include <gst/gst.h>

#include "base/scratch.h"
#include "gstfourierdrawbrush.h"
#include "gstfourierdrawdrawing.h"
#include "gstfourierdrawsettings.h"
#include "gstfourierdrawtrail.h"
#include "raster/raster.h"
#include "element/gstshapescompute.h"

/* The strokes of the mouse, painted over a frame. */

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

/**
 * FourierFrame:
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
  const FourierSettings *settings;
  FourierDrawing *drawing;
  guint picture_width, picture_height;
  gdouble progress, seconds, span, arm_opacity;
  const FourierPending *pending;
  CsBackground background;
  guint64 background_id;
} FourierFrame;

/**
 * FourierPainter:
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
  guint n_arms, arm_ends[FOURIER_MAX_ARMS];

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
  FourierTrailLook pieces_look;

  /* ink of the segments before n_inked */
  CsInk *ink;
  guint ink_width, ink_height;
  struct
  {
    guint64 serial;
    FourierView view;
    gdouble width, span;
  } ink_key;
  gboolean ink_valid;
  gdouble inked;
  guint n_inked;

  FourierBrushInk brush_ink;
} FourierPainter;

gboolean fourier_painter_open (FourierPainter * painter,
    const GstShapesCompute * compute, GError ** error);
void fourier_painter_close (FourierPainter * painter);

/* Frames of another size or format follow. */
void fourier_painter_reset (FourierPainter * painter);

/* The whole picture in the frame: as large as possible, centred. */
FourierView fourier_view_fit (guint picture_width,
    guint picture_height, guint width, guint height);

/* Whether fourier_painter_paint() will read the background. */
gboolean fourier_painter_needs_background (const FourierPainter * painter,
    const FourierFrame * frame);

/* Paints @frame on @output.
 *
 * @background: (nullable): with CS_BACKGROUND_FRAME, if it is needed
 * @view: (out): from the picture to the frame
 * Returns: %FALSE with @error (CS_ERROR) set */
gboolean fourier_painter_paint (FourierPainter * painter,
    const FourierFrame * frame, const CsPicture * background,
    const CsPicture * output, FourierView * view, GError ** error);
