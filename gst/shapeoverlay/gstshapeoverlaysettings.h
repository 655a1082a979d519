/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_OVERLAY_SETTINGS_H
#define GST_SHAPE_OVERLAY_SETTINGS_H

#include "element/gstshapesproperties.h"

G_BEGIN_DECLS

/**
 * GstShapeOverlayColorMode:
 * @GST_SHAPE_OVERLAY_COLOR_MODE_CLASS: a colour for each class
 * @GST_SHAPE_OVERLAY_COLOR_MODE_SHAPE: a colour for each shape
 * @GST_SHAPE_OVERLAY_COLOR_MODE_FIXED: one colour
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
} GstShapeOverlayColorMode;

/**
 * GstShapeOverlaySettings:
 * @colors: the palette, 0xAARRGGBB each, never empty
 *
 * The values of all properties.
 */
typedef struct
{
  gdouble line_width;
  GstShapeOverlayColorMode color_mode;
  guint32 color;
  gdouble opacity, fill_opacity;
  gboolean draw_contours, draw_hulls, draw_circles, draw_points;
  GArray *colors;
} GstShapeOverlaySettings;

extern const GstShapesProperties gst_shape_overlay_properties;

void gst_shape_overlay_settings_init (GstShapeOverlaySettings * settings);
void gst_shape_overlay_settings_clear (GstShapeOverlaySettings * settings);

/* @to, which has been initialised, becomes as @from. */
void gst_shape_overlay_settings_copy (const GstShapeOverlaySettings * from,
    GstShapeOverlaySettings * to);

G_END_DECLS

#endif /* GST_SHAPE_OVERLAY_SETTINGS_H */
