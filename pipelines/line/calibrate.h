/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "settings.h"
#include "view.h"

/* Centre and diameter, in pixels. The diameter is that of a disc of the
 * contour's area: noise at the edge cancels out in areas, but makes hulls, and
 * so Feret diameters, larger. */
typedef struct
{
  gdouble x, y, diameter;
} LineDisc;

/**
 * LineCalibration:
 * @n: cups, and discs
 * @discs: by column
 * @cup_first: column of the first disc by the fit
 * @cup_pitch: columns from disc to disc; NaN if there is but one
 * @diameter: mean of the discs, in pixels
 * @off_column: greatest distance of a disc from its column by the fit
 * @off_row: greatest distance from the discs' mean row
 * @off_diameter: greatest difference of a disc's diameter from the mean, as a
 *     share of the mean
 */
typedef struct
{
  guint n;
  LineDisc discs[LINE_MAX_CUPS];
  gdouble cup_first, cup_pitch, diameter;
  gdouble off_column, off_row, off_diameter;
} LineCalibration;

/* Looks among the contours of a picture of a target for one round disc, dark
 * or light, in each of @cups cups, and fits cups to them by least squares.
 * Returns: FALSE with @error set, which says what was found where, if there are
 * not as many, or if memory runs out */
gboolean line_calibrate (const LineView * view, guint cups,
    LineCalibration * calibration, GError ** error);
