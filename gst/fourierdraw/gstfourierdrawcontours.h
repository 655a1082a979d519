/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "shapes/gstshapes.h"
#include "strokes/strokes.h"

/**
 * FourierContours:
 * @width: of the picture, in pixels
 * @height: of the picture
 * @points: of all contours, in pixels of the picture
 * @offsets: @n_contours + 1: where the points of each contour begin
 * @n_contours: number of contours
 * @scale: pixels of the picture for each pixel of the copy in which they were
 *     found, which may be smaller; lengths in settings are in its pixels
 * @min_points: contours of fewer points are not worth drawing, where the
 *     settings do not say it
 * @colors: (nullable): the copy's pixels, 0xRRGGBB
 * @color_width: of @colors
 * @color_height: of @colors
 * @rest: (nullable): what of a document is not among them, and what to do
 *
 * The contours of a picture. Reference counted; immutable once complete.
 */
typedef struct
{
  gint ref_count;
  guint width, height;
  CsStrokePoint *points;
  guint32 *offsets;
  gsize n_contours;
  gdouble scale;
  guint min_points;
  guint32 *colors;
  guint color_width, color_height;
  const gchar *rest;
} FourierContours;

#define FOURIER_MIN_POINTS 10
/* of edges, which texture has many of */
#define FOURIER_MIN_EDGE_POINTS 15

/* No contours yet, and memory for @n_contours of @n_points in all. As the two
 * below, %NULL with @error (CS_ERROR) set if memory runs out. */
FourierContours *fourier_contours_new (guint width,
    guint height, gsize n_points, gsize n_contours, GError ** error);
FourierContours *fourier_contours_new_copy (guint width,
    guint height, const CsStrokePoint * points, const guint32 * offsets,
    gsize n_contours, GError ** error);

/* The contours of @set, or, without any, its hulls, scaled to the picture. */
FourierContours *fourier_contours_new_from_set (GstShapeSet * set, guint width,
    guint height, GError ** error);

/* The picture in whose copy they were found has @width x @height pixels:
 * changes points and scale. Before others have a reference. */
void fourier_contours_enlarge (FourierContours * contours,
    guint width, guint height);

/* The picture's colour at (x, y), 0xRRGGBB, or the nearest pixel's; @other if
 * the colours are not known. */
guint fourier_contours_get_color (const FourierContours * contours, gdouble x,
    gdouble y, guint other);

/* Pixels between the points of outlines, at most */
#define FOURIER_SPACING 2.

/* Points of a line from @a to @b, without @a; to @out, unless that is %NULL.
 * Returns: how many */
gsize fourier_divide_line (CsStrokePoint a, CsStrokePoint b,
    CsStrokePoint * out);

FourierContours *fourier_contours_ref (FourierContours * contours);
void fourier_contours_unref (FourierContours * contours);
