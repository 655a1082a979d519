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
 *
 * Collects the shapes of one frame. Memory is kept from frame to frame.
 */
typedef struct
{
  GstShapeMarks marks;

  /*< private >*/
  const OverlaySettings *settings;
  gdouble scale, frame_area;
  OverlayColors colors;
  OverlayLabels labels;
  OverlaySelection selection;
  CsArray hollow;               /* gboolean */
  CsArray sorted;               /* OverlayIndexed */
} OverlayCollection;

void overlay_collection_init (OverlayCollection * self);
void overlay_collection_clear (OverlayCollection * self);

/* Forgets what was collected. @settings is borrowed until the next frame.
 *
 * @set: (nullable): whose layers will be added
 * @width: of the frame, in pixels
 * @height: likewise
 * @warning: set if labels cannot be drawn, once for each reason
 * Returns: whether layers are to be added, and then ended */
gboolean overlay_collection_begin (OverlayCollection * self,
    const OverlaySettings * settings, GstShapeSet * set, guint width,
    guint height, GError ** warning);

/* Adds the layer of index @layer of the set, mapped as @arrays. Fails with
 * CS_ERROR_NO_MEMORY, or CS_ERROR_LIMIT if memory runs out for the choice of
 * filled regions. */
gboolean overlay_collection_add (OverlayCollection * self, GstShapeSet * set,
    guint layer, const GstShapeArrays * arrays, GError ** error);

/* Adds a region of interest of the frame, whether or not there are layers. */
void overlay_collection_add_region (OverlayCollection * self,
    const GstVideoRegionOfInterestMeta * region);

/* Adds labels and the legend, after all layers. Fails with
 * CS_ERROR_NO_MEMORY. */
gboolean overlay_collection_end (OverlayCollection * self, GError ** error);
