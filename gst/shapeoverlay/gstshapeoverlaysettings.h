/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_OVERLAY_SETTINGS_H
#define GST_SHAPE_OVERLAY_SETTINGS_H

#include "element/gstshapesproperties.h"

/**
 * GstShapeOverlayColorMode:
 * @GST_SHAPE_OVERLAY_COLOR_MODE_CLASS: a colour for each class
 * @GST_SHAPE_OVERLAY_COLOR_MODE_SHAPE: a colour for each shape
 * @GST_SHAPE_OVERLAY_COLOR_MODE_FIXED: one colour
 * @GST_SHAPE_OVERLAY_COLOR_MODE_LEVEL: a map, by the rank of the contour's
 *     level
 * @GST_SHAPE_OVERLAY_COLOR_MODE_REGION: a colour for each region
 * @GST_SHAPE_OVERLAY_COLOR_MODE_AREA: a map, by the logarithm of the area
 * @GST_SHAPE_OVERLAY_COLOR_MODE_CONFIDENCE: a map, by the confidence
 *
 * What a shape's colour says.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_SHAPE_OVERLAY_COLOR_MODE_CLASS,
  GST_SHAPE_OVERLAY_COLOR_MODE_SHAPE,
  GST_SHAPE_OVERLAY_COLOR_MODE_FIXED,
  GST_SHAPE_OVERLAY_COLOR_MODE_LEVEL,
  GST_SHAPE_OVERLAY_COLOR_MODE_REGION,
  GST_SHAPE_OVERLAY_COLOR_MODE_AREA,
  GST_SHAPE_OVERLAY_COLOR_MODE_CONFIDENCE,
} GstShapeOverlayColorMode;

/**
 * GstShapeOverlayLegend:
 * @GST_SHAPE_OVERLAY_LEGEND_NONE: no legend
 * @GST_SHAPE_OVERLAY_LEGEND_TOP_LEFT: in that corner
 * @GST_SHAPE_OVERLAY_LEGEND_TOP_RIGHT: likewise
 * @GST_SHAPE_OVERLAY_LEGEND_BOTTOM_LEFT: likewise
 * @GST_SHAPE_OVERLAY_LEGEND_BOTTOM_RIGHT: likewise
 *
 * Where the legend is.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_SHAPE_OVERLAY_LEGEND_NONE,
  GST_SHAPE_OVERLAY_LEGEND_TOP_LEFT,
  GST_SHAPE_OVERLAY_LEGEND_TOP_RIGHT,
  GST_SHAPE_OVERLAY_LEGEND_BOTTOM_LEFT,
  GST_SHAPE_OVERLAY_LEGEND_BOTTOM_RIGHT,
} GstShapeOverlayLegend;

/* Rows of the frame for which widths are with scale-with-frame. */
#define GST_SHAPE_OVERLAY_REFERENCE_HEIGHT 720.

/**
 * GstShapeOverlaySettings:
 * @colors: the palette, 0xAARRGGBB each, never empty
 * @label: (nullable): a GRefString, so that copies for each frame cost nothing
 * @font: likewise
 *
 * The values of all properties.
 */
typedef struct
{
  gdouble line_width;
  GstShapeOverlayColorMode color_mode;
  guint32 color;
  gdouble opacity, fill_opacity;
  gboolean antialias, draw_contours, draw_hulls, draw_circles, draw_points;
  gboolean fill_hulls, draw_rectangles, draw_ellipses, draw_regions;
  gdouble casing;
  guint32 casing_color;
  gboolean scale_with_frame;
  gdouble font_size;
  GstShapeOverlayLegend legend;
  GArray *colors;
  gchar *label, *font;
} GstShapeOverlaySettings;

extern const GstShapesProperties gst_shape_overlay_properties;

void gst_shape_overlay_settings_init (GstShapeOverlaySettings * settings);
void gst_shape_overlay_settings_clear (GstShapeOverlaySettings * settings);

/* @to, which has been initialised, becomes as @from. */
void gst_shape_overlay_settings_copy (const GstShapeOverlaySettings * from,
    GstShapeOverlaySettings * to);

#endif /* GST_SHAPE_OVERLAY_SETTINGS_H */
