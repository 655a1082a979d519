/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_OVERLAY_COLORS_H
#define GST_SHAPE_OVERLAY_COLORS_H

/* Colours of contours and hulls, by color-mode. */

#include "gstshapeoverlaysettings.h"
#include "base/array.h"
#include "shapes/gstshapes.h"

/**
 * GstShapeOverlayColors:
 *
 * Levels that contours have had in this stream, in increasing order, so that
 * the colour of a level does not depend on which others a frame has.
 */
typedef struct
{
  GArray *levels;               /* gdouble */
} GstShapeOverlayColors;

void gst_shape_overlay_colors_init (GstShapeOverlayColors * self);
void gst_shape_overlay_colors_clear (GstShapeOverlayColors * self);

/* Takes note of the levels of a layer's contours. */
void gst_shape_overlay_colors_add_levels (GstShapeOverlayColors * self,
    const GstShapeArrays * arrays);

/* Returns: the colour of polyline @i, 0xAARRGGBB
 *
 * @frame_area: of the space of the shapes, in pixels */
guint32 gst_shape_overlay_colors_get (const GstShapeOverlayColors * self,
    const GstShapeOverlaySettings * settings, const GstShapeArrays * arrays,
    gsize i, gdouble frame_area);

/* Returns: the map's colour at @t, from 0 to 1; gray for NaN */
guint32 gst_shape_overlay_colors_map (gdouble t);

/* Where on the map an area is. */
gdouble gst_shape_overlay_colors_area (gdouble area, gdouble frame_area);

#endif /* GST_SHAPE_OVERLAY_COLORS_H */
