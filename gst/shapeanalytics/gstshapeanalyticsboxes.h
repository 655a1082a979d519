/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Boxes of shapes: which there are, and how they become metadata. */

#include <gst/gst.h>
#include <gst/analytics/analytics.h>

#include "base/array.h"
#include "element/gstshapesobjects.h"
#include "shapes/gstshapes.h"

/**
 * AnalyticsBox:
 * @x, @y, @width, @height: in whole pixels from the frame's upper left corner,
 *     before the rotation
 * @rotation: about the box's centre, clockwise as seen on the screen, in
 *     radians from 0 to pi
 * @confidence: 0 to 1
 * @class_id: of its polyline
 * @id: of its polyline
 * @contour: of a hull the id of its contour, else -1
 * @is_hull: of a hull, which has no holes
 * @area: by which boxes are chosen if there are too many
 *
 * The box of a polyline.
 */
typedef struct
{
  gint x, y, width, height;
  gfloat rotation;
  gfloat confidence;
  gint32 class_id;
  gint32 id, contour;
  gboolean is_hull;
  gdouble area;
} AnalyticsBox;

/**
 * AnalyticsShape:
 * @id: of the polyline in the buffer's set of shapes
 * @contour: if that is a hull, the id of its contour, else -1
 *
 * What a detected object that was a shape is related to: the data of the
 * metadata "gst-shapes-shape".
 */
typedef struct
{
  gint32 id, contour;
} AnalyticsShape;

GstAnalyticsMtdType analytics_shape_get_mtd_type (void);

/* The boxes of the polylines of @set, whose coordinates are the frame's, in
 * their order; the @max_boxes largest ones. With @oriented that of a hull which
 * has measures is its minimum-area rectangle. Polylines with neither a bounding
 * box nor points have none.
 *
 * @n_left_out: (out): how many were too many
 * Returns: AnalyticsBox, for cs_array_free(), or %NULL with @error set
 *     if the shapes cannot be read, or without memory */
CsArray *analytics_collect_boxes (GstShapeSet * set, GstShapesObjectKind kind,
    gboolean oriented, guint max_boxes, guint * n_left_out, GError ** error);

/* The name of a class: of @labels (nullable), those of 0, 1 and so on, or else
 * by its number. */
GQuark analytics_get_label (gint32 class_id, gchar ** labels);

/* Attaches @boxes to @buffer as detected objects, each related to its class.
 *
 * @labels: (nullable): names of the classes 0, 1, ...
 * @ids: whether each is also related to its shape
 * Returns: %FALSE if there is no memory for them */
gboolean analytics_attach_boxes (GstBuffer * buffer,
    const CsArray * boxes, gchar ** labels, gboolean ids);
