/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/array.h"
#include "shapes/gstshapes.h"

/**
 * OverlaySelection:
 *
 * Memory of the choice, kept from frame to frame.
 */
typedef struct
{
  /*< private >*/
  CsArray crossings;
  CsArray starts;               /* gsize: where each row's crossings begin */
  CsArray decided;              /* gboolean */
  CsArray stack;                /* guint: polylines */
} OverlaySelection;

void overlay_selection_init (OverlaySelection * self);
void overlay_selection_clear (OverlaySelection * self);

/* Sets @error to CS_ERROR_LIMIT, which concerns one frame. Returns: FALSE */
gboolean overlay_selection_fail (GError ** error);

/* Says which of @n polylines, of one class, level and image, are filled
 * together by the even-odd rule, such that a hole takes away from the region
 * that it lies in, and from nothing else. From the outermost inwards, a region
 * is filled unless the next closed polyline around it that is filled is a
 * region, too, and a hole only if that is one; what is open is not. @hollow[i]
 * becomes %FALSE where it is. Rows of pixels beyond @height are not looked at.
 * Polylines that cross rows some ten million times are all filled.
 *
 * Returns: FALSE with @error set (CS_ERROR_LIMIT) if memory runs out */
gboolean overlay_select_filled (OverlaySelection * self,
    const GstShapePoint * points, const guint32 * offsets,
    const GstShapePolyline * polylines, gsize n, guint height,
    gboolean * hollow, GError ** error);
