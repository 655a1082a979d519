/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Tracks of boxes that were made of shapes, back to the shapes. */

#include <gst/gst.h>

#include "shapes/gstshapes.h"

/* The shapes of @buffer, annotated with the tracks that its detected objects
 * are related to. A hull and its contour have the track of the one that has a
 * box.
 *
 * @lacks_ids: (out): whether objects have tracks, but none the id of its shape
 * Returns: (transfer full): the set, unchanged if no shape has a track; %NULL
 *     with @error set if the shapes cannot be read */
GstShapeSet *analytics_annotate_tracks (GstBuffer * buffer,
    GstShapeSet * set, gboolean * lacks_ids, GError ** error);
