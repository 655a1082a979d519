/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef FOURIER_PREPARER_H
#define FOURIER_PREPARER_H

/* From a picture to its drawing. */

#include <gst/gst.h>
#include <gst/video/video.h>

#include "base/scratch.h"
#include "contours/contours.h"
#include "edges/edges.h"
#include "gstfourierdrawdrawing.h"
#include "gstfourierdrawsettings.h"
#include "element/gstshapescompute.h"
#include "element/gstshapesgray.h"

/**
 * FourierPreparer:
 *
 * The plans and scratch memory that drawings are made with. Zero-initialise it.
 * Of one thread at a time, with the CUDA context current.
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
  CsScratch luma, small;
  FourierTransform transform;
} FourierPreparer;

/* On the backend of @compute; on a GPU, with a stream of its own. */
gboolean fourier_preparer_open (FourierPreparer * preparer,
    const GstShapesCompute * compute, GError ** error);
void fourier_preparer_close (FourierPreparer * preparer);

/* The contours of @buffer's GstShapeMeta, or, without one, those that are
 * detected in a copy of the picture, in pixels of the picture.
 *
 * @width: of the copy, at most the picture's
 * @height: of the copy
 * Returns: (transfer full): %NULL with @error set (GST_SHAPES_FRAME_ERROR or
 *     CS_ERROR) */
FourierContours *fourier_preparer_find (FourierPreparer * preparer,
    GstBuffer * buffer, const GstVideoInfo * info, guint width, guint height,
    const FourierSettings * settings, GError ** error);

/* The drawing of @contours.
 *
 * @mask: (nullable): what to exclude
 * Returns: (transfer full): %NULL with @error (CS_ERROR) set */
FourierDrawing *fourier_preparer_draw (FourierPreparer * preparer,
    FourierContours * contours, const CsBrushMask * mask,
    const FourierSettings * settings, GError ** error);

#endif /* FOURIER_PREPARER_H */
