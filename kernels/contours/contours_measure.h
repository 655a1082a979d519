/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "contours.h"

G_BEGIN_DECLS

/* Measures the polyline of @n_points, at least 2, at @points (of @format F32 or
 * F64), whose closed flag is set in @contour->flags: fills @contour's area and,
 * with basic, perimeter, centroid and bounding box, and @moments with full.
 * The order of the sums is that of contours_math.h. */
void cs_contours_measure (const void *points, CsPointFormat format,
    gsize n_points, CsMeasures measures, CsContour * contour,
    CsContourMoments * moments);

G_END_DECLS
