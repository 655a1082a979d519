/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstcudacirclessettings.h"

#include "shapes/gstshapesenum.h"

/* Of a circle that brings none. */
#define DEFAULT_CIRCLE_COLOR 0xffffffff

/* What a structure in "circles" is called. */
#define CIRCLE_NAME "circle"

enum
{
  BLEND_GAMMA,
  BLEND_LINEAR,
};

GST_SHAPES_DEFINE_ENUM_TYPE (static, units_get_type, "GstCudaCirclesUnits",
    {GST_CUDA_CIRCLES_UNITS_PIXELS,
        "Pixels of the frame, whose centres are at integers", "pixels"},
    {GST_CUDA_CIRCLES_UNITS_NORMALIZED,
          "0 to 1 across the frame; radii are fractions of its smaller side",
        "normalized"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, markers_get_type, "GstCudaCirclesMarkers",
    {GST_CUDA_CIRCLES_MARKERS_NONE, "Contours are not marked", "none"},
    {GST_CUDA_CIRCLES_MARKERS_ENCLOSING, "The smallest circle around each",
        "enclosing"},
    {GST_CUDA_CIRCLES_MARKERS_EQUIVALENT, "A circle of the same area at the "
          "centroid of each", "equivalent"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, blend_get_type, "GstCudaCirclesBlend",
    {BLEND_GAMMA, "Codes, as nearly everybody does", "gamma"},
    {BLEND_LINEAR, "Light: codes are taken through the curve of sRGB and back",
        "linear"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, background_get_type,
    "GstCudaCirclesBackground",
    {CS_BACKGROUND_FRAME, "The frame", "frame"},
    {CS_BACKGROUND_BLACK, "Black", "black"},
    {CS_BACKGROUND_WHITE, "White", "white"},
    {CS_BACKGROUND_TRANSPARENT, "Nothing in formats with alpha, else black",
        "transparent"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, scene_get_type, "GstCudaCirclesScene",
    {CS_SCENE_NONE, "No scene", "none"},
    {CS_SCENE_RGB, "3 circles that overlap", "rgb"},
    {CS_SCENE_RGBY, "4 circles that overlap, not given in order of depth",
        "rgby"},
    {CS_SCENE_RAND10K, "10 000 circles anywhere", "rand10k"},
    {CS_SCENE_RAND100K, "100 000 circles anywhere", "rand100k"},
    {CS_SCENE_RAND1M, "1 000 000 small circles anywhere", "rand1m"},
    {CS_SCENE_BIGLITTLE, "9000 large circles, and 1000 small ones in a corner "
          "in front of them", "biglittle"},
    {CS_SCENE_LITTLEBIG, "1000 small circles in a corner, and 9000 large ones "
          "in front of them", "littlebig"},
    {CS_SCENE_PATTERN, "A grid of circles that touch, and a finer one in front",
        "pattern"},
    {CS_SCENE_MICRO2M, "2 000 000 tiny circles anywhere", "micro2m"},
    {CS_SCENE_SNOW, "4000 flakes fall", "snow"},
    {CS_SCENE_BOUNCINGBALLS, "48 balls bounce", "bouncingballs"},
    {CS_SCENE_FIREWORKS, "24 rockets rise and burst, again and again",
        "fireworks"},
    {CS_SCENE_HYPNOSIS, "Rings grow", "hypnosis"})

G_STATIC_ASSERT (G_N_ELEMENTS (scene_get_type_values) == CS_N_SCENES + 1);

typedef GstCudaCirclesSettings Settings;

/* Circles as structures */

/* Any sort of number; FALSE if there is none of the name. */
static gboolean
get_number (const GstStructure * structure, const gchar * name, gfloat * number)
{
  const GValue *value = gst_structure_get_value (structure, name);
  GValue as_float = G_VALUE_INIT;
  gboolean ok;

  if (!value || G_VALUE_HOLDS_STRING (value))
    return FALSE;
  g_value_init (&as_float, G_TYPE_FLOAT);
  ok = g_value_transform (value, &as_float);
  if (ok)
    *number = g_value_get_float (&as_float);
  g_value_unset (&as_float);
  return ok;
}

static gboolean
get_color (const GstStructure * structure, guint32 * rgba)
{
  const GValue *value = gst_structure_get_value (structure, "color");
  GValue as_uint = G_VALUE_INIT;
  gboolean ok;

  if (!value)
    return TRUE;
  g_value_init (&as_uint, G_TYPE_UINT);
  ok = g_value_transform (value, &as_uint);
  if (ok)
    *rgba = gst_cuda_circles_color_to_rgba (g_value_get_uint (&as_uint));
  g_value_unset (&as_uint);
  return ok;
}

static gboolean
circle_from_structure (const GstStructure * structure, CsCircle * circle)
{
  *circle = (CsCircle) {
  0.f, 0.f, 0.f, 0.f,
        gst_cuda_circles_color_to_rgba (DEFAULT_CIRCLE_COLOR)};
  return structure && get_number (structure, "x", &circle->x)
      && get_number (structure, "y", &circle->y)
      && get_number (structure, "r", &circle->r)
      && (!gst_structure_has_field (structure, "z")
      || get_number (structure, "z", &circle->z))
      && get_color (structure, &circle->rgba);
}

static gboolean
set_circles (gpointer values, const GValue * array)
{
  Settings *settings = values;
  const guint n = gst_value_array_get_size (array);
  guint i;
  CsCircle circle;

  cs_array_empty (settings->circles);
  for (i = 0; i < n; i++) {
    const GValue *value = gst_value_array_get_value (array, i);

    if (circle_from_structure (gst_value_get_structure (value), &circle))
      cs_array_append_val (settings->circles, circle);
    else
      settings->n_wrong++;
  }
  return TRUE;
}

static void
get_circles (gconstpointer values, GValue * array)
{
  const Settings *settings = values;
  guint i;

  for (i = 0; i < settings->circles->len; i++) {
    const CsCircle *c = &cs_array_index (settings->circles, CsCircle, i);
    GstStructure *structure = gst_structure_new (CIRCLE_NAME,
        "x", G_TYPE_DOUBLE, (gdouble) c->x, "y", G_TYPE_DOUBLE, (gdouble) c->y,
        "r", G_TYPE_DOUBLE, (gdouble) c->r, "z", G_TYPE_DOUBLE, (gdouble) c->z,
        "color", G_TYPE_UINT, c->rgba >> 8 | c->rgba << 24, NULL);
    GValue value = G_VALUE_INIT;

    g_value_init (&value, GST_TYPE_STRUCTURE);
    g_value_take_boxed (&value, structure);
    gst_value_array_append_and_take_value (array, &value);
  }
}

static GParamSpec *
new_circle (void)
{
  return g_param_spec_boxed ("circle", "Circle", "A circle.",
      GST_TYPE_STRUCTURE, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
}

/* Properties */

static const GstShapesProperty rows[] = {
  GST_SHAPES_ENUM (Settings, scene, "scene", "Scene", scene_get_type,
      CS_SCENE_NONE, LIVE,
      "Circles that are built in. The last four move with the stream time, "
      "or by counting frames where there is none; the same time shows the "
      "same picture.", .affects = GST_CUDA_CIRCLES_STILL),
  GST_SHAPES_UINT (Settings, seed, "seed", "Seed", 0, G_MAXUINT32, 0, LIVE,
      "Scenes with another seed have other places and colours; the same seed "
      "gives the same picture on every machine.",
      .affects = GST_CUDA_CIRCLES_STILL),
  GST_SHAPES_STRING (Settings, location, "location", "Location", NULL, READY,
      "A file of circles, read when the element starts: lines of \"x y r z "
      "#rrggbbaa\", of which those that begin with # are comments, or lines "
      "of JSON as shapejsonenc writes them."),
  GST_SHAPES_ARRAY ("circles", "Circles", new_circle, LIVE,
      "Circles, each a structure with the fields x, y, r (numbers), and if "
      "wanted z (a number, larger is farther, 0 by default) and color "
      "(0xAARRGGBB, opaque white by default). The signal add-circle adds "
      "one, clear-circles takes all away.",
      .set = set_circles, .get = get_circles,
      .affects = GST_CUDA_CIRCLES_STILL),
  GST_SHAPES_ENUM (Settings, units, "units", "Units", units_get_type,
      GST_CUDA_CIRCLES_UNITS_PIXELS, LIVE,
      "What the coordinates of circles and of the file at location count.",
      .affects = GST_CUDA_CIRCLES_STILL),
  GST_SHAPES_BOOLEAN (Settings, from_circles, "from-circles", "From circles",
      TRUE, LIVE, "Draw the circles that frames bring along as shapes."),
  GST_SHAPES_ENUM (Settings, from_contours, "from-contours", "From contours",
      markers_get_type, GST_CUDA_CIRCLES_MARKERS_NONE, LIVE,
      "Mark each contour that frames bring along with a circle; holes are "
      "not marked. Without contours, hulls are."),
  GST_SHAPES_BOOLEAN (Settings, from_roi, "from-roi",
      "From regions of interest", FALSE, LIVE,
      "Mark each region of interest (GstVideoRegionOfInterestMeta) with the "
      "circle through its corners."),
  GST_SHAPES_UINT (Settings, marker_color, "marker-color", "Marker color", 0,
      G_MAXUINT32, 0x80d55e00, ANIMATED,
      "Colour of the circles that mark contours and regions, as 0xAARRGGBB. "
      "Markers are in front of all other circles."),
  GST_SHAPES_BOOLEAN (Settings, fill, "fill", "Fill", TRUE, LIVE,
      "Fill circles with their colour.", .affects = GST_CUDA_CIRCLES_STILL),
  GST_SHAPES_DOUBLE (Settings, stroke_width, "stroke-width", "Stroke width", 0.,
      1024., 0., ANIMATED,
      "Width of circles' outlines in pixels, 0 for none. The border is in "
      "the middle of it, and it is drawn right after the circle's filling.",
      .affects = GST_CUDA_CIRCLES_STILL),
  GST_SHAPES_UINT (Settings, stroke_color, "stroke-color", "Stroke color", 0,
      G_MAXUINT32, 0, ANIMATED,
      "Colour of outlines, as 0xAARRGGBB; with an alpha of 0 they have the "
      "circle's own colour, without its transparency.",
      .affects = GST_CUDA_CIRCLES_STILL),
  GST_SHAPES_BOOLEAN (Settings, antialias, "antialias", "Anti-alias", TRUE,
      LIVE,
      "Draw smooth borders. Otherwise pixels whose centre is inside belong "
      "to a circle, and others do not."),
  GST_SHAPES_ENUM (Settings, linear, "blend", "Blend", blend_get_type,
      BLEND_GAMMA, LIVE, "What is mixed where circles are transparent."),
  GST_SHAPES_DOUBLE (Settings, opacity, "opacity", "Opacity", 0., 1., 1.,
      ANIMATED, "Multiplies the alpha of every circle; at 0 none is drawn."),
  GST_SHAPES_ENUM (Settings, background, "background", "Background",
      background_get_type, CS_BACKGROUND_FRAME, LIVE,
      "What is behind the circles."),
  GST_SHAPES_UINT64 (Settings, n_left_out, "circles-left-out",
      "Circles left out", 0, G_MAXUINT64, 0, READ_ONLY,
      "How many circles were left out of the last frame because they are not "
      "finite, have no radius, or lie outside."),
};

const GstShapesProperties gst_cuda_circles_properties =
    GST_SHAPES_PROPERTIES (rows, Settings, 1);
