/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapeoverlaysettings.h"

#include <gst/gst.h>

#include "element/gstshapescolor.h"
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

GST_SHAPES_DEFINE_ENUM_TYPE (static, overlay_color_mode_get_type,
    "GstShapeOverlayColorMode",
    {OVERLAY_COLOR_MODE_CLASS,
        "The colour of the shape's class in colors", "class"},
    {OVERLAY_COLOR_MODE_SHAPE,
        "Another one of colors for each shape, by its id", "shape"},
    {OVERLAY_COLOR_MODE_FIXED, "The colour given by color", "fixed"},
    {OVERLAY_COLOR_MODE_LEVEL,
        "From dark blue to yellow, by the rank of the contour's level",
        "level"},
    {OVERLAY_COLOR_MODE_REGION,
        "The colour of the shape's region in colors", "region"},
    {OVERLAY_COLOR_MODE_AREA, "From dark blue (a pixel) to yellow (the frame), "
        "by the area's logarithm", "area"},
    {OVERLAY_COLOR_MODE_CONFIDENCE,
        "From dark blue (0) to yellow (1), gray if unknown", "confidence"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, overlay_legend_get_type,
    "GstShapeOverlayLegend",
    {OVERLAY_LEGEND_NONE, "No legend", "none"},
    {OVERLAY_LEGEND_TOP_LEFT, "Top left", "top-left"},
    {OVERLAY_LEGEND_TOP_RIGHT, "Top right", "top-right"},
    {OVERLAY_LEGEND_BOTTOM_LEFT, "Bottom left", "bottom-left"},
    {OVERLAY_LEGEND_BOTTOM_RIGHT, "Bottom right", "bottom-right"})

static void
set_default_colors (GArray * colors)
{
  g_array_set_size (colors, 0);
  g_array_append_vals (colors, default_colors, G_N_ELEMENTS (default_colors));
}

static gboolean
set_colors (gpointer values, const GValue * array)
{
  GArray *colors = ((OverlaySettings *) values)->colors;
  guint i, n = gst_value_array_get_size (array);

  g_array_set_size (colors, 0);
  for (i = 0; i < n; i++) {
    guint32 color = g_value_get_uint (gst_value_array_get_value (array, i));

    g_array_append_val (colors, color);
  }
  if (n == 0)
    set_default_colors (colors);
  return TRUE;
}

static void
get_colors (gconstpointer values, GValue * array)
{
  const GArray *colors = ((const OverlaySettings *) values)->colors;
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_UINT);
  for (guint i = 0; i < colors->len; i++) {
    g_value_set_uint (&value, g_array_index (colors, guint32, i));
    gst_value_array_append_value (array, &value);
  }
  g_value_unset (&value);
}

static gboolean
set_color_names (gpointer values, const GValue * value)
{
  GArray *colors = ((OverlaySettings *) values)->colors;
  const gchar *text = g_value_get_string (value);

  if (!gst_shapes_colors_parse (text, colors)) {
    gst_shapes_color_warn ("color-names", text);
    return FALSE;
  }
  if (colors->len == 0)
    set_default_colors (colors);
  return TRUE;
}

static void
get_color_names (gconstpointer values, GValue * value)
{
  g_value_take_string (value, gst_shapes_colors_to_string (((const
                  OverlaySettings *) values)->colors));
}

/* A reference-counted copy of @value's string in *@text. */
static gboolean
set_text (gchar ** text, const GValue * value)
{
  const gchar *string = g_value_get_string (value);

  if (g_strcmp0 (string, *text) == 0)
    return FALSE;
  g_clear_pointer (text, g_ref_string_release);
  *text = string ? g_ref_string_new (string) : NULL;
  return TRUE;
}

static gboolean
set_label (gpointer values, const GValue * value)
{
  return set_text (&((OverlaySettings *) values)->label, value);
}

static void
get_label (gconstpointer values, GValue * value)
{
  g_value_set_string (value, ((const OverlaySettings *) values)->label);
}

static gboolean
set_font (gpointer values, const GValue * value)
{
  return set_text (&((OverlaySettings *) values)->font, value);
}

static void
get_font (gconstpointer values, GValue * value)
{
  g_value_set_string (value, ((const OverlaySettings *) values)->font);
}

static GParamSpec *
new_color (void)
{
  return g_param_spec_uint ("color", "Colour", "A colour as 0xAARRGGBB.", 0,
      G_MAXUINT32, 0, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
}

#define DEFAULT_FONT "Sans"

/* For the rows. */
typedef OverlaySettings Settings;

static const GstShapesProperty rows[] = {
  GST_SHAPES_DOUBLE (Settings, line_width, "line-width", "Line width", 0.,
      256., 2.0, ANIMATED,
      "Width of lines, in pixels of the frame. Lines thinner than a pixel "
      "are drawn fainter; 0 draws no lines, which leaves the filling."),
  GST_SHAPES_ENUM (Settings, color_mode, "color-mode", "Colour mode",
      overlay_color_mode_get_type, OVERLAY_COLOR_MODE_CLASS, ANIMATED,
      "What the colour of a contour or hull says: its class, which shape it "
      "is, or nothing. Circles have their own colour unless it is fixed."),
  GST_SHAPES_COLOR (Settings, color, "color", "Color", 0xffd55e00, ANIMATED,
      "Colour of everything with color-mode=fixed, as 0xAARRGGBB.", 0),
  GST_SHAPES_ARRAY ("colors", "Colours", new_color, LIVE,
      "Colours of class 0, 1, and so on with color-mode=class, or of shapes "
      "with color-mode=shape, each as 0xAARRGGBB; repeated when there are "
      "more classes. Empty means seven colours that people with "
      "colour-blindness can tell apart (Okabe and Ito's, without black).",
      .set = set_colors, .get = get_colors),
  {.name = "color-names",.nick = "Colour names",
        .type = GST_SHAPES_PROPERTY_STRING,.flags = GST_SHAPES_PROPERTY_LIVE,
        .set = set_color_names,.get = get_color_names,
        .blurb = "The same as \"colors\", as names of CSS, \"#rrggbb\" or "
        "\"#rrggbbaa\", with commas between: \"red, #00ff00\"."},
  GST_SHAPES_DOUBLE (Settings, opacity, "opacity", "Opacity", 0., 1., 1.0,
      ANIMATED, "How much everything drawn hides the frame, from 0 (nothing is "
      "drawn and frames pass through untouched) to 1 (hides it). Multiplies "
      "the alpha of colours."),
  GST_SHAPES_DOUBLE (Settings, fill_opacity, "fill-opacity", "Fill opacity", 0.,
      1., 0.0, ANIMATED, "How much the filling of closed contours and of "
      "circles hides the frame, from 0 (they are not filled) to 1. Holes stay "
      "empty, but with color-mode=shape they have a filling of their own. "
      "Multiplied by opacity."),
  GST_SHAPES_BOOLEAN (Settings, antialias, "antialias", "Anti-alias", TRUE,
      ANIMATED, "Give borders soft edges. Without it a pixel is filled if its "
      "centre is inside of a shape."),
  GST_SHAPES_BOOLEAN (Settings, draw_contours, "draw-contours", "Draw contours",
      TRUE, ANIMATED, "Draw contours, with solid lines."),
  GST_SHAPES_BOOLEAN (Settings, draw_hulls, "draw-hulls", "Draw hulls", TRUE,
      ANIMATED, "Draw convex hulls, with dashed lines in a lighter shade."),
  GST_SHAPES_BOOLEAN (Settings, draw_circles, "draw-circles", "Draw circles",
      TRUE, ANIMATED, "Draw circles, with solid lines, from far to near."),
  GST_SHAPES_BOOLEAN (Settings, draw_points, "draw-points", "Draw points",
      FALSE, ANIMATED, "Also draw a dot, two line widths across, on each point "
      "of the contours and hulls that are drawn."),
  GST_SHAPES_BOOLEAN (Settings, fill_hulls, "fill-hulls", "Fill hulls", FALSE,
      ANIMATED, "Also fill convex hulls that are drawn, with fill-opacity."),
  GST_SHAPES_BOOLEAN (Settings, draw_rectangles, "draw-rectangles",
      "Draw rectangles", FALSE, ANIMATED, "Draw the rectangle of minimum area "
      "around each hull, which cudahull finds with measures=full."),
  GST_SHAPES_BOOLEAN (Settings, draw_ellipses, "draw-ellipses", "Draw ellipses",
      FALSE, ANIMATED, "Draw the ellipse of minimum area around each hull, "
      "which cudahull finds with ellipse=true."),
  GST_SHAPES_BOOLEAN (Settings, draw_roi, "draw-roi",
      "Draw regions of interest", FALSE, ANIMATED,
      "Draw the frame's regions of interest (GstVideoRegionOfInterestMeta), "
      "each in the colour of its id."),
  GST_SHAPES_BOOLEAN (Settings, draw_zones, "draw-zones", "Draw zones", TRUE,
      ANIMATED, "Draw the zones and lines of shapezones, with their counts. An "
      "arrow points forward across a line."),
  GST_SHAPES_DOUBLE (Settings, casing, "casing", "Casing", 0., 64., 0.,
      ANIMATED, "Width of a border along both sides of lines, in pixels of the "
      "frame, which keeps them visible on any ground. 0: none."),
  GST_SHAPES_COLOR (Settings, casing_color, "casing-color", "Casing colour",
      0xff000000, ANIMATED, "Colour of the casing, as 0xAARRGGBB.", 0),
  GST_SHAPES_BOOLEAN (Settings, scale_with_frame, "scale-with-frame",
      "Scale with frame", FALSE, LIVE,
      "Take the widths of lines and casings, and \"font-size\" unless it is 0, "
      "as those for a frame of 720 rows: they grow with the frame."),
  {.name = "label",.nick = "Label",.type = GST_SHAPES_PROPERTY_STRING,
        .flags = GST_SHAPES_PROPERTY_LIVE,.set = set_label,.get = get_label,
        .blurb = "Text beside each contour, for example \"{class} {area:.0f} "
        "px\"; empty: no text. Fields: {class} (its name, or number), {id}, "
        "{class-id}, {parent}, {region}, {track}, {level}, {area}, {length}, "
        "{area-mm2}, {length-mm}, {confidence}; {{ is a brace. Largest shapes "
        "first, while there is room."},
  {.name = "font",.nick = "Font",.type = GST_SHAPES_PROPERTY_STRING,
        .flags = GST_SHAPES_PROPERTY_LIVE,.set = set_font,.get = get_font,
        .default_value.text = DEFAULT_FONT,
        .blurb = "Font of labels and legend, as Pango names it (\"Sans "
        "Bold\"); a size in it is ignored."},
  GST_SHAPES_DOUBLE (Settings, font_size, "font-size", "Font size", 0., 512.,
      0., LIVE, "Size of labels and legend in pixels; 0: a fortieth of the "
      "frame's height, at least 10."),
  GST_SHAPES_ENUM (Settings, legend, "legend", "Legend",
      overlay_legend_get_type, OVERLAY_LEGEND_NONE, LIVE,
      "Where to explain colours, with the number of contours of each."),
};

const GstShapesProperties overlay_properties =
    GST_SHAPES_PROPERTIES (rows, OverlaySettings, 1);

void
overlay_settings_init (OverlaySettings * settings)
{
  gst_shapes_properties_init (&overlay_properties, settings);
  settings->colors = g_array_new (FALSE, FALSE, sizeof (guint32));
  set_default_colors (settings->colors);
  settings->font = g_ref_string_new (DEFAULT_FONT);
}

void
overlay_settings_clear (OverlaySettings * settings)
{
  g_clear_pointer (&settings->label, g_ref_string_release);
  g_clear_pointer (&settings->font, g_ref_string_release);
  g_clear_pointer (&settings->colors, g_array_unref);
}

void
overlay_settings_copy (const OverlaySettings * from, OverlaySettings * to)
{
  GArray *colors = to->colors;

  g_clear_pointer (&to->label, g_ref_string_release);
  g_clear_pointer (&to->font, g_ref_string_release);
  *to = *from;
  if (to->label)
    g_ref_string_acquire (to->label);
  if (to->font)
    g_ref_string_acquire (to->font);
  to->colors = colors;
  g_array_set_size (colors, 0);
  g_array_append_vals (colors, from->colors->data, from->colors->len);
}
