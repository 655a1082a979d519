/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_OVERLAY_COLLECT_H
#define GST_SHAPE_OVERLAY_COLLECT_H

/* From shapes and settings to marks. */

#include <gst/video/video.h>

#include "gstshapeoverlaycolors.h"
#include "gstshapeoverlayfill.h"
#include "gstshapeoverlaylabels.h"
#include "gstshapeoverlaymarks.h"
#include "gstshapeoverlaysettings.h"
#include "base/array.h"
#include "base/error.h"
#include "shapes/gstshapes.h"

/* A circle, and its place in the layer. */
typedef struct
{
  GstShapeCircle circle;
  gsize index;
} GstShapeOverlayIndexed;

/**
 * GstShapeOverlayCollection:
 * @marks: what was collected
 *
 * Collects the shapes of one frame. Memory is kept from frame to frame.
 */
typedef struct
{
  GstShapeMarks marks;

  /*< private >*/
  const GstShapeOverlaySettings *settings;
  gdouble scale, frame_area;
  GstShapeOverlayColors colors;
  GstShapeOverlayLabels labels;
  GstShapeOverlaySelection selection;
  CsArray hollow;               /* gboolean */
  CsArray sorted;               /* GstShapeOverlayIndexed */
} GstShapeOverlayCollection;

void gst_shape_overlay_collection_init (GstShapeOverlayCollection * self);
void gst_shape_overlay_collection_clear (GstShapeOverlayCollection * self);

/* Forgets what was collected. @settings is borrowed until the next frame.
 *
 * @set: (nullable): whose layers will be added
 * @width: of the frame, in pixels
 * @height: likewise
 * @warning: set if labels cannot be drawn, once for each reason
 * Returns: whether layers are to be added, and then ended */
gboolean gst_shape_overlay_collection_begin (GstShapeOverlayCollection * self,
    const GstShapeOverlaySettings * settings, GstShapeSet * set, guint width,
    guint height, GError ** warning);

/* Adds the layer of index @layer of the set, mapped as @arrays. Fails with
 * CS_ERROR_NO_MEMORY, or CS_ERROR_LIMIT if memory runs out for the choice of
 * filled regions. */
gboolean gst_shape_overlay_collection_add (GstShapeOverlayCollection * self,
    GstShapeSet * set, guint layer, const GstShapeArrays * arrays,
    GError ** error);

/* Adds a region of interest of the frame, whether or not there are layers. */
void gst_shape_overlay_collection_add_region (GstShapeOverlayCollection * self,
    const GstVideoRegionOfInterestMeta * region);

/* Adds labels and the legend, after all layers. Fails with
 * CS_ERROR_NO_MEMORY. */
gboolean gst_shape_overlay_collection_end (GstShapeOverlayCollection * self,
    GError ** error);

#endif /* GST_SHAPE_OVERLAY_COLLECT_H */
