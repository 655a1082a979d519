/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapeoverlaysettings.h"

#include <gst/gst.h>

#include "shapes/gstshapesenum.h"

/* Categorical colours that stay apart with the common kinds of colour vision:
 * those of Okabe and Ito, "Color Universal Design" (2008), without black, in an
 * order that suits photographs. */
static const guint32 default_colors[] = {
  0xff56b4e9,                   /* sky blue */
  0xffe69f00,                   /* orange */
  0xff009e73,                   /* bluish green */
  0xfff0e442,                   /* yellow */
  0xffcc79a7,                   /* reddish purple */
  0xffd55e00,                   /* vermillion */
  0xff0072b2,                   /* blue */
};

GST_SHAPES_DEFINE_ENUM_TYPE (static, gst_shape_overlay_color_mode_get_type,
    "GstShapeOverlayColorMode",
    {GST_SHAPE_OVERLAY_COLOR_MODE_CLASS,
        "The colour of the shape's class in colors", "class"},
    {GST_SHAPE_OVERLAY_COLOR_MODE_SHAPE,
        "Another one of colors for each shape, by its id", "shape"},
    {GST_SHAPE_OVERLAY_COLOR_MODE_FIXED, "The colour given by color", "fixed"})

static gboolean
set_colors (gpointer values, const GValue * array)
{
  GArray *colors = ((GstShapeOverlaySettings *) values)->colors;
  guint i, n = gst_value_array_get_size (array);

  g_array_set_size (colors, 0);
  for (i = 0; i < n; i++) {
    guint32 color = g_value_get_uint (gst_value_array_get_value (array, i));

    g_array_append_val (colors, color);
  }
  if (n == 0)
    g_array_append_vals (colors, default_colors, G_N_ELEMENTS (default_colors));
  return TRUE;
}

static void
get_colors (gconstpointer values, GValue * array)
{
  const GArray *colors = ((const GstShapeOverlaySettings *) values)->colors;
  GValue value = G_VALUE_INIT;
  guint i;

  g_value_init (&value, G_TYPE_UINT);
  for (i = 0; i < colors->len; i++) {
    g_value_set_uint (&value, g_array_index (colors, guint32, i));
    gst_value_array_append_value (array, &value);
  }
  g_value_unset (&value);
}

static GParamSpec *
new_color (void)
{
  return g_param_spec_uint ("color", "Color", "A colour as 0xAARRGGBB.", 0,
      G_MAXUINT32, 0, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
}

/* For the rows. */
typedef GstShapeOverlaySettings Settings;

static const GstShapesProperty rows[] = {
  GST_SHAPES_DOUBLE (Settings, line_width, "line-width", "Line width", 0.,
      256., 2.0, ANIMATED,
      "Width of lines, in pixels of the frame. Lines thinner than a pixel "
      "are drawn fainter; 0 draws no lines, which leaves the filling."),
  GST_SHAPES_ENUM (Settings, color_mode, "color-mode", "Color mode",
      gst_shape_overlay_color_mode_get_type, GST_SHAPE_OVERLAY_COLOR_MODE_CLASS,
      ANIMATED,
      "What the colour of a contour or hull says: its class, which shape it "
      "is, or nothing. Circles have their own colour unless it is fixed."),
  GST_SHAPES_UINT (Settings, color, "color", "Color", 0, G_MAXUINT32,
      0xffd55e00, ANIMATED,
      "Colour of everything with color-mode=fixed, as 0xAARRGGBB."),
  GST_SHAPES_ARRAY ("colors", "Colors", new_color, LIVE,
      "Colours of class 0, 1, and so on with color-mode=class, or of shapes "
      "with color-mode=shape, each as 0xAARRGGBB; repeated when there are "
      "more classes. Empty means seven colours that people with "
      "colour-blindness can tell apart (Okabe and Ito's, without black).",
      .set = set_colors, .get = get_colors),
  GST_SHAPES_DOUBLE (Settings, opacity, "opacity", "Opacity", 0., 1., 1.0,
      ANIMATED,
      "How much everything drawn hides the frame, from 0 (nothing is drawn "
      "and frames pass through untouched) to 1 (hides it). Multiplies the "
      "alpha of colours."),
  GST_SHAPES_DOUBLE (Settings, fill_opacity, "fill-opacity", "Fill opacity", 0.,
      1., 0.0, ANIMATED,
      "How much the filling of closed contours and of circles hides the "
      "frame, from 0 (they are not filled) to 1. Holes stay empty, but with "
      "color-mode=shape they have a filling of their own. Multiplied by "
      "opacity."),
  GST_SHAPES_BOOLEAN (Settings, draw_contours, "draw-contours", "Draw contours",
      TRUE, ANIMATED, "Draw contours, with solid lines."),
  GST_SHAPES_BOOLEAN (Settings, draw_hulls, "draw-hulls", "Draw hulls", TRUE,
      ANIMATED, "Draw convex hulls, with dashed lines in a lighter shade."),
  GST_SHAPES_BOOLEAN (Settings, draw_circles, "draw-circles", "Draw circles",
      TRUE, ANIMATED, "Draw circles, with solid lines, from far to near."),
  GST_SHAPES_BOOLEAN (Settings, draw_points, "draw-points", "Draw points",
      FALSE, ANIMATED,
      "Also draw a dot, two line widths across, on each point of the "
      "contours and hulls that are drawn."),
};

const GstShapesProperties gst_shape_overlay_properties =
    GST_SHAPES_PROPERTIES (rows, GstShapeOverlaySettings, 1);

void
gst_shape_overlay_settings_init (GstShapeOverlaySettings * settings)
{
  gst_shapes_properties_init (&gst_shape_overlay_properties, settings);
  settings->colors = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_append_vals (settings->colors, default_colors,
      G_N_ELEMENTS (default_colors));
}

void
gst_shape_overlay_settings_clear (GstShapeOverlaySettings * settings)
{
  g_clear_pointer (&settings->colors, g_array_unref);
}

void
gst_shape_overlay_settings_copy (const GstShapeOverlaySettings * from,
    GstShapeOverlaySettings * to)
{
  GArray *colors = to->colors;

  *to = *from;
  to->colors = colors;
  g_array_set_size (colors, 0);
  g_array_append_vals (colors, from->colors->data, from->colors->len);
}
