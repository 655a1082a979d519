/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A mask of shapes, whose pixels say which shape they belong to. */

#include <gst/gst.h>

#include "base/array.h"
#include "shapes/gstshapes.h"

/* Attaches a GstAnalyticsSegmentationMtd of instances to @buffer: the region
 * i + 1 is the shape of the i-th box, 0 the background. A pixel belongs to the
 * smallest shape that its centre is inside of, or to none if that is a hole. A
 * classification of as many classes as regions is related to it.
 *
 * @set: the shapes, in coordinates of the frame
 * @boxes: AnalyticsBox
 * @labels: (nullable): names of the classes 0, 1, ...
 * Returns: %FALSE with @error set if the shapes cannot be read, or there is no
 *     memory */
gboolean analytics_attach_mask (GstBuffer * buffer,
    GstShapeSet * set, const CsArray * boxes, gchar ** labels, GError ** error);
