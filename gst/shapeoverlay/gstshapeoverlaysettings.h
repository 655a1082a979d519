/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "element/gstshapesproperties.h"

/**
 * OverlayColorMode:
 * @OVERLAY_COLOR_MODE_CLASS: a colour for each class
 * @OVERLAY_COLOR_MODE_SHAPE: a colour for each shape
 * @OVERLAY_COLOR_MODE_FIXED: one colour
 * @OVERLAY_COLOR_MODE_LEVEL: a map, by the rank of the contour's
 *     level
 * @OVERLAY_COLOR_MODE_REGION: a colour for each region
 * @OVERLAY_COLOR_MODE_AREA: a map, by the logarithm of the area
 * @OVERLAY_COLOR_MODE_CONFIDENCE: a map, by the confidence
 *
 * What a shape's colour says.
 *
 * Since: 1.0
 */
typedef enum
{
  OVERLAY_COLOR_MODE_CLASS,
  OVERLAY_COLOR_MODE_SHAPE,
  OVERLAY_COLOR_MODE_FIXED,
  OVERLAY_COLOR_MODE_LEVEL,
  OVERLAY_COLOR_MODE_REGION,
  OVERLAY_COLOR_MODE_AREA,
  OVERLAY_COLOR_MODE_CONFIDENCE,
} OverlayColorMode;

/**
 * OverlayLegend:
 * @OVERLAY_LEGEND_NONE: no legend
 * @OVERLAY_LEGEND_TOP_LEFT: in that corner
 * @OVERLAY_LEGEND_TOP_RIGHT: likewise
 * @OVERLAY_LEGEND_BOTTOM_LEFT: likewise
 * @OVERLAY_LEGEND_BOTTOM_RIGHT: likewise
 *
 * Where the legend is.
 *
 * Since: 1.0
 */
typedef enum
{
  OVERLAY_LEGEND_NONE,
  OVERLAY_LEGEND_TOP_LEFT,
  OVERLAY_LEGEND_TOP_RIGHT,
  OVERLAY_LEGEND_BOTTOM_LEFT,
  OVERLAY_LEGEND_BOTTOM_RIGHT,
} OverlayLegend;

/* Rows of the frame for which widths are with scale-with-frame. */
#define OVERLAY_REFERENCE_HEIGHT 720.

/**
 * OverlaySettings:
 * @colors: the palette, 0xAARRGGBB each, never empty
 * @label: (nullable): a GRefString, so that copies for each frame cost nothing
 * @font: likewise
 *
 * The values of all properties.
 */
typedef struct
{
  gdouble line_width;
  OverlayColorMode color_mode;
  guint32 color;
  gdouble opacity, fill_opacity;
  gboolean antialias, draw_contours, draw_hulls, draw_circles, draw_points;
  gboolean fill_hulls, draw_rectangles, draw_ellipses, draw_roi, draw_zones;
  gdouble casing;
  guint32 casing_color;
  gboolean scale_with_frame;
  gdouble font_size;
  OverlayLegend legend;
  GArray *colors;
  gchar *label, *font;
} OverlaySettings;

extern const GstShapesProperties overlay_properties;

void overlay_settings_init (OverlaySettings * settings);
void overlay_settings_clear (OverlaySettings * settings);

/* @to, which has been initialised, becomes as @from. */
void overlay_settings_copy (const OverlaySettings * from, OverlaySettings * to);
