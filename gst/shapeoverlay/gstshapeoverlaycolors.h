/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Colours of contours and hulls, by color-mode. */

#include "gstshapeoverlaysettings.h"
#include "shapes/gstshapes.h"

/**
 * OverlayColors:
 *
 * Levels that contours have had in this stream, in increasing order, so that
 * the colour of a level does not depend on which others a frame has.
 */
typedef struct
{
  GArray *levels;               /* gdouble */
} OverlayColors;

void overlay_colors_init (OverlayColors * self);
void overlay_colors_clear (OverlayColors * self);

/* Takes note of the levels of a layer's contours. */
void overlay_colors_add_levels (OverlayColors * self,
    const GstShapeArrays * arrays);

/* Returns: the colour of polyline @i, 0xAARRGGBB
 *
 * @frame_area: of the space of the shapes, in pixels */
guint32 overlay_colors_get (const OverlayColors * self,
    const OverlaySettings * settings, const GstShapeArrays * arrays,
    gsize i, gdouble frame_area);

/* Returns: the map's colour at @t, from 0 to 1; gray for NaN */
guint32 overlay_colors_map (gdouble t);

/* Where on the map an area is. */
gdouble overlay_colors_area (gdouble area, gdouble frame_area);
