/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef OVERLAY_AROUND_H
#define OVERLAY_AROUND_H

/* What is drawn around shapes: rectangles and ellipses of hulls, regions of
 * interest. They have outlines only. */

#include "gstshapeoverlaymarks.h"

/* Adds the rectangle of minimum area. */
void overlay_add_rectangle (GstShapeMarks * marks,
    const GstShapeHullMeasures * measures, const GstShapePaint * paint);

/* Adds the ellipse, as a polygon that lies within a twentieth of a pixel of
 * it, unless it is larger than some 10,000 pixels. */
void overlay_add_ellipse (GstShapeMarks * marks,
    const GstShapeEllipse * ellipse, const GstShapePaint * paint);

/* Adds a rectangle of whole pixels of the frame, around them. */
void overlay_add_region (GstShapeMarks * marks, guint x, guint y,
    guint width, guint height, const GstShapePaint * paint);

#endif /* OVERLAY_AROUND_H */
