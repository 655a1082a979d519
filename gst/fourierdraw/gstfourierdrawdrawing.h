/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_DRAWING_H
#define GST_FOURIER_DRAW_DRAWING_H

/* From a picture to what the arm draws: contours, strokes, Fourier series. */

#include <gst/gst.h>
#include <gst/fft/gstfftf64.h>
#include <gst/video/video.h>

#include "base/array.h"
#include "base/scratch.h"
#include "contours/contours.h"
#include "edges/edges.h"
#include "fourier/fourier.h"
#include "gstfourierdrawsettings.h"
#include "element/gstshapescompute.h"
#include "element/gstshapesgray.h"
#include "strokes/strokes.h"

G_BEGIN_DECLS

/**
 * GstFourierDrawContours:
 * @width: of the picture
 * @height: likewise
 * @points: all contours' points
 * @offsets: @n_contours + 1
 * @n_contours: how many
 *
 * What was found in a picture. Immutable and reference counted.
 */
typedef struct
{
  gint ref_count;
  guint width, height;
  CsStrokePoint *points;
  guint32 *offsets;
  gsize n_contours;
} GstFourierDrawContours;

GstFourierDrawContours *gst_fourier_draw_contours_ref (GstFourierDrawContours * contours);
void gst_fourier_draw_contours_unref (GstFourierDrawContours * contours);

/**
 * GstFourierDrawPart:
 * @fourier: its series
 * @begin: at which part of the drawing it begins, 0 to 1
 * @end: where the next one begins
 */
typedef struct
{
  CsFourier *fourier;
  gdouble begin, end;
} GstFourierDrawPart;

/**
 * GstFourierDrawSegment:
 * @x0: where the pen begins, in pixels of the picture
 * @y0: likewise
 * @x1: where it ends
 * @y1: likewise
 * @begin: when it begins, as a part of the drawing
 * @end: when it ends
 */
typedef struct
{
  gfloat x0, y0, x1, y1;
  gdouble begin, end;
} GstFourierDrawSegment;

/**
 * GstFourierDrawTransform:
 *
 * A fast Fourier transform of the last size that was asked for. Zero-initialise
 * it; of one thread at a time.
 */
typedef struct
{
  guint n;
  GstFFTF64 *fft;
} GstFourierDrawTransform;

/* A #CsRealTransform, whose user data is a #GstFourierDrawTransform. */
void gst_fourier_draw_transform_run (gpointer user_data, guint n,
    const gdouble * samples, gdouble * spectrum);
void gst_fourier_draw_transform_clear (GstFourierDrawTransform * transform);

/**
 * GstFourierDrawDrawing:
 * @contours: of which it was made
 * @points: what is to be drawn, in order, in pixels of the picture
 * @offsets: @n_contours + 1
 * @n_contours: how many; may be 0, and then there are no parts
 * @parts: #GstFourierDrawPart, in order
 * @segments: #GstFourierDrawSegment, in order, what the pen draws with @n_vectors
 * @n_vectors: how many vectors an arm has at most, 0 for all
 * @rms_error: how far the drawing is from the path, in pixels
 * @max_vectors: how many vectors the longest arm has when it has all
 * @serial: another number for each drawing and each number of vectors
 *
 * What the arm draws. Of one thread at a time.
 */
typedef struct
{
  GstFourierDrawContours *contours;
  CsStrokePoint *points;
  guint32 *offsets;
  gsize n_contours;
  CsArray *parts;
  CsArray *segments;
  guint n_vectors, max_vectors;
  gdouble rms_error;
  guint64 serial;
} GstFourierDrawDrawing;

void gst_fourier_draw_drawing_free (GstFourierDrawDrawing * drawing);

/* Draws with other vectors from now on. Without memory for what the pen draws,
 * the @failed of the segments is set. */
void gst_fourier_draw_drawing_set_n_vectors (GstFourierDrawDrawing * drawing,
    guint n_vectors, GstFourierDrawTransform * transform);

/* Which part the pen is in at @progress, and where in it. */
const GstFourierDrawPart *gst_fourier_draw_drawing_locate (const GstFourierDrawDrawing *
    drawing, gdouble progress, guint64 * step, gdouble * fraction);

/**
 * GstFourierDrawPreparer:
 *
 * What makes drawings: plans and scratch memory. Zero-initialise it. Of one
 * thread at a time; between open and close with the CUDA context current.
 */
typedef struct
{
  /*< private >*/
  CsExecutor *executor;
  gpointer stream;
  GstShapesSlabPool *slabs;
  CsContours *iso;
  CsEdges *canny;
  CsStrokes *strokes;
  CsScratch luma;
  GstFourierDrawTransform transform;
} GstFourierDrawPreparer;

/* @compute: whose backend to use, on a stream of its own on a GPU. */
gboolean gst_fourier_draw_preparer_open (GstFourierDrawPreparer * preparer,
    const GstShapesCompute * compute, GError ** error);
void gst_fourier_draw_preparer_close (GstFourierDrawPreparer * preparer);

/* The contours in @buffer's GstShapeMeta, or, without one, those in the picture
 * that @settings ask for.
 *
 * Returns: (transfer full): %NULL with @error set (GST_SHAPES_FRAME_ERROR or
 *     CS_ERROR) */
GstFourierDrawContours *gst_fourier_draw_preparer_find (GstFourierDrawPreparer * preparer,
    GstBuffer * buffer, const GstVideoInfo * info,
    const GstFourierDrawSettings * settings, GError ** error);

/* The drawing of @contours without what is under @mask.
 *
 * @mask: (nullable): what shall not be drawn
 * Returns: (transfer full): %NULL with @error (CS_ERROR) set */
GstFourierDrawDrawing *gst_fourier_draw_preparer_draw (GstFourierDrawPreparer * preparer,
    GstFourierDrawContours * contours, const CsBrushMask * mask,
    const GstFourierDrawSettings * settings, GError ** error);

G_END_DECLS

#endif /* GST_FOURIER_DRAW_DRAWING_H */
