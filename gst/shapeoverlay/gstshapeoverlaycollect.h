/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* From shapes and settings to marks. */

#include <gst/video/video.h>

#include "gstshapeoverlaycolors.h"
#include "gstshapeoverlayfill.h"
#include "gstshapeoverlaylabels.h"
#include "gstshapeoverlaymarks.h"
#include "gstshapeoverlaysettings.h"
#include "base/array.h"
#include "shapes/gstshapes.h"

/* A circle, and its place in the layer. */
typedef struct
{
  GstShapeCircle circle;
  gsize index;
} OverlayIndexed;

/**
 * OverlayCollection:
 * @marks: what was collected
 * @scale: of widths, by which they are in pixels of the frame
 *
 * Collects the shapes of one frame. Memory is kept from frame to frame.
 */
typedef struct
{
  GstShapeMarks marks;
  const OverlaySettings *settings;
  gdouble scale;
  OverlayLabels labels;

  /*< private >*/
  gdouble frame_area;
  OverlayColors colors;
  OverlaySelection selection;
  CsArray hollow;               /* gboolean */
  CsArray sorted;               /* OverlayIndexed */
} OverlayCollection;

void overlay_collection_init (OverlayCollection * self);
void overlay_collection_clear (OverlayCollection * self);

/* Forgets what was collected. @settings is borrowed until the next frame.
 *
 * @set: (nullable): whose layers will be added
 * @has_zones: whether zones will be added
 * @width: of the frame, in pixels
 * @height: likewise
 * @warning: set if labels cannot be drawn, once for each reason
 * Returns: whether these are to be added, and then ended */
gboolean overlay_collection_begin (OverlayCollection * self,
    const OverlaySettings * settings, GstShapeSet * set, gboolean has_zones,
    guint width, guint height, GError ** warning);

/* Adds the layer of index @layer of the set, mapped as @arrays. Fails with
 * CS_ERROR_NO_MEMORY, or CS_ERROR_LIMIT if memory runs out for the choice of
 * filled regions. */
gboolean overlay_collection_add (OverlayCollection * self, GstShapeSet * set,
    guint layer, const GstShapeArrays * arrays, GError ** error);

/* Adds a region of interest of the frame, whether or not there are layers. */
void overlay_collection_add_region (OverlayCollection * self,
    const GstVideoRegionOfInterestMeta * region);

/* The colour of what has the number @i. */
guint32 overlay_collection_get_color (const OverlayCollection * self, guint i);

/* Adds lines, in the space of the shapes. */
void overlay_collection_add_outline (OverlayCollection * self,
    const GstShapePoint * points, gsize n, guint32 argb);

/* From a pixel of the frame to the space of the shapes. */
void overlay_collection_unmap (const OverlayCollection * self, gdouble * x,
    gdouble * y);

/* Adds labels and the legend, after all layers. Fails with
 * CS_ERROR_NO_MEMORY. */
gboolean overlay_collection_end (OverlayCollection * self, GError ** error);
