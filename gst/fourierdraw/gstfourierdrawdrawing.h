/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The Fourier series of contours, and the curve that the arm draws. */

#include <gst/fft/gstfftf64.h>
#include <gst/gst.h>

#include "base/array.h"
#include "fourier/fourier.h"
#include "gstfourierdrawcontours.h"
#include "shapes/gstshapeset.h"

/**
 * FourierPart:
 * @fourier: a Fourier series
 * @begin: progress at which its arm begins to draw it, 0 to 1
 * @end: progress at which the arm ends
 * @arm: which one, from 0
 */
typedef struct
{
  CsFourier *fourier;
  gdouble begin, end;
  guint arm;
} FourierPart;

/**
 * FourierSegment:
 * @x0: start point, in pixels of the picture
 * @y0: of the start point
 * @x1: end point
 * @y1: of the end point
 * @begin: progress at which the pen is at the start point
 * @end: progress at which the pen is at the end point
 * @arm: the arm that draws it
 */
typedef struct
{
  gfloat x0, y0, x1, y1;
  gdouble begin, end;
  guint arm;
} FourierSegment;

/**
 * FourierTransform:
 *
 * A fast Fourier transform; keeps the tables of the last size. Zero-initialise
 * it. Of one thread at a time.
 */
typedef struct
{
  guint n;
  GstFFTF64 *fft;
} FourierTransform;

/* A #CsRealTransform, whose user data is a #FourierTransform. */
void fourier_transform_run (gpointer user_data, guint n,
    const gdouble * samples, gdouble * spectrum);
void fourier_transform_clear (FourierTransform * transform);

/**
 * FourierDrawing:
 * @contours: found in the picture
 * @points: of the contours to draw, in order, in pixels of the picture
 * @offsets: @n_contours + 1: where the points of each contour begin
 * @n_contours: number of contours to draw; without any there are no parts
 * @n_arms: how many arms draw at the same time
 * @parts: #FourierPart, by arm, in order
 * @segments: #FourierSegment, by their end: the curve of @n_vectors
 *     vectors
 * @longest: of a segment, from begin to end
 * @n_vectors: number of vectors of all arms, at most; 0 for all
 * @max_vectors: number of vectors of the longest arm if it has all
 * @travel: how far the lifted pen moves between the contours, in pixels of the
 *     picture
 * @rms_error: root mean square distance between the curve and the path, in
 *     pixels of the picture
 * @serial: unique for each drawing and number of vectors
 *
 * The contours to draw, their series, and the curve that the arm draws. Of one
 * thread at a time.
 */
typedef struct
{
  FourierContours *contours;
  CsStrokePoint *points;
  guint32 *offsets;
  gsize n_contours;
  guint n_arms;
  CsArray *parts;
  CsArray *segments;
  gdouble longest;
  guint n_vectors, max_vectors;
  gdouble travel, rms_error;
  guint64 serial;
} FourierDrawing;

/* Without parts and segments yet. Keeps a reference of @contours and copies
 * @strokes, the contours to draw. Returns: (transfer full): %NULL with @error
 * (CS_ERROR) set */
FourierDrawing *fourier_drawing_new (FourierContours * contours,
    const CsStrokesOutput * strokes, GError ** error);
void fourier_drawing_free (FourierDrawing * drawing);

/* The contours to draw as shapes of the picture: polylines in drawing order and
 * direction, which is that of their ids. Their lengths and boxes are measured,
 * and nothing else.
 *
 * Returns: (transfer full): %NULL with @error (CS_ERROR) set */
GstShapeSet *fourier_drawing_new_shapes (const FourierDrawing * drawing,
    GError ** error);

/* Makes the segments. If memory runs out, their @failed is set. */
void fourier_drawing_set_n_vectors (FourierDrawing * drawing,
    guint n_vectors, FourierTransform * transform);

/* How many vectors the arm of @part has at present. */
guint fourier_drawing_get_n_vectors (const FourierDrawing * drawing,
    const FourierPart * part);

/* Returns: (nullable): the part of @arm at @progress
 * @step: (out): the sample of its series
 * @fraction: (out): from there to the next sample, 0 to 1 */
const FourierPart *fourier_drawing_locate (const FourierDrawing * drawing,
    guint arm, gdouble progress, guint64 * step, gdouble * fraction);

/* Writes a drawing as JSON to the file @path, which appears complete.
 *
 * Returns: %FALSE with @error (G_FILE_ERROR) set */
gboolean fourier_drawing_save (const FourierDrawing * drawing,
    const gchar * path, GError ** error);
