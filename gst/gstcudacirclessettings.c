/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstcudacirclessettings.h"

#include "shapes/gstshapesenum.h"

enum
{
  PROP_SCENE = GST_CUDA_CIRCLES_FIRST_PROPERTY,
  PROP_SEED,
  PROP_LOCATION,
  PROP_CIRCLES,
  PROP_UNITS,
  PROP_FROM_CIRCLES,
  PROP_FROM_CONTOURS,
  PROP_FROM_ROI,
  PROP_MARKER_COLOR,
  PROP_FILL,
  PROP_STROKE_WIDTH,
  PROP_STROKE_COLOR,
  PROP_ANTIALIAS,
  PROP_BLEND,
  PROP_OPACITY,
  PROP_BACKGROUND,
};

#define DEFAULT_SCENE CS_SCENE_NONE
#define DEFAULT_SEED 0
#define DEFAULT_UNITS GST_CUDA_CIRCLES_UNITS_PIXELS
#define DEFAULT_FROM_CIRCLES TRUE
#define DEFAULT_FROM_CONTOURS GST_CUDA_CIRCLES_MARKERS_NONE
#define DEFAULT_FROM_ROI FALSE
#define DEFAULT_MARKER_COLOR 0x80d55e00
#define DEFAULT_FILL TRUE
#define DEFAULT_STROKE_WIDTH 0.
#define MAX_STROKE_WIDTH 1024.
#define DEFAULT_STROKE_COLOR 0
#define DEFAULT_ANTIALIAS TRUE
#define DEFAULT_BLEND BLEND_GAMMA
#define DEFAULT_OPACITY 1.
#define DEFAULT_BACKGROUND CS_BACKGROUND_FRAME

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
    {CS_SCENE_BIGLITTLE, "9000 large circles, and 1000 small ones in a corner in "
          "front of them", "biglittle"},
    {CS_SCENE_LITTLEBIG, "1000 small circles in a corner, and 9000 large ones in "
          "front of them", "littlebig"},
    {CS_SCENE_PATTERN, "A grid of circles that touch, and a finer one in front",
        "pattern"},
    {CS_SCENE_MICRO2M, "2 000 000 tiny circles anywhere", "micro2m"},
    {CS_SCENE_SNOW, "4000 flakes fall", "snow"},
    {CS_SCENE_BOUNCINGBALLS, "48 balls bounce", "bouncingballs"},
    {CS_SCENE_FIREWORKS, "24 rockets rise and burst, again and again",
        "fireworks"},
    {CS_SCENE_HYPNOSIS, "Rings grow", "hypnosis"})

G_STATIC_ASSERT (G_N_ELEMENTS (scene_get_type_values) == CS_N_SCENES + 1);

void
gst_cuda_circles_settings_init (GstCudaCirclesSettings * settings)
{
  const GstCudaCirclesSettings defaults = {
    .scene = DEFAULT_SCENE,
    .seed = DEFAULT_SEED,
    .circles = cs_array_new (sizeof (CsCircle)),
    .units = DEFAULT_UNITS,
    .from_circles = DEFAULT_FROM_CIRCLES,
    .from_contours = DEFAULT_FROM_CONTOURS,
    .from_roi = DEFAULT_FROM_ROI,
    .marker_color = DEFAULT_MARKER_COLOR,
    .fill = DEFAULT_FILL,
    .stroke_width = DEFAULT_STROKE_WIDTH,
    .stroke_color = DEFAULT_STROKE_COLOR,
    .antialias = DEFAULT_ANTIALIAS,
    .linear = DEFAULT_BLEND,
    .opacity = DEFAULT_OPACITY,
    .background = DEFAULT_BACKGROUND,
  };

  *settings = defaults;
}

void
gst_cuda_circles_settings_clear (GstCudaCirclesSettings * settings)
{
  g_clear_pointer (&settings->circles, cs_array_free);
  g_clear_pointer (&settings->location, g_free);
}

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

static guint
set_circles (GstCudaCirclesSettings * settings, const GValue * array)
{
  const guint n = gst_value_array_get_size (array);
  guint n_wrong = 0, i;
  CsCircle circle;

  cs_array_empty (settings->circles);
  for (i = 0; i < n; i++) {
    const GValue *value = gst_value_array_get_value (array, i);

    if (circle_from_structure (gst_value_get_structure (value), &circle))
      cs_array_append_val (settings->circles, circle);
    else
      n_wrong++;
  }
  return n_wrong;
}

static void
get_circles (const GstCudaCirclesSettings * settings, GValue * array)
{
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

/* Properties */

/* Whether circles that stand still, or their marks, depend on a property. */
static gboolean
changes_marks (guint id)
{
  switch (id) {
    case PROP_SCENE:
    case PROP_SEED:
    case PROP_CIRCLES:
    case PROP_UNITS:
    case PROP_FILL:
    case PROP_STROKE_WIDTH:
    case PROP_STROKE_COLOR:
      return TRUE;
    default:
      return FALSE;
  }
}

guint
gst_cuda_circles_settings_set (GstCudaCirclesSettings * settings,
    GObject * object, guint id, const GValue * value, GParamSpec * pspec)
{
  guint n_wrong = 0;

  if (changes_marks (id))
    settings->generation++;
  switch (id) {
    case PROP_SCENE:
      settings->scene = g_value_get_enum (value);
      break;
    case PROP_SEED:
      settings->seed = g_value_get_uint (value);
      break;
    case PROP_LOCATION:
      g_free (settings->location);
      settings->location = g_value_dup_string (value);
      break;
    case PROP_CIRCLES:
      n_wrong = set_circles (settings, value);
      break;
    case PROP_UNITS:
      settings->units = g_value_get_enum (value);
      break;
    case PROP_FROM_CIRCLES:
      settings->from_circles = g_value_get_boolean (value);
      break;
    case PROP_FROM_CONTOURS:
      settings->from_contours = g_value_get_enum (value);
      break;
    case PROP_FROM_ROI:
      settings->from_roi = g_value_get_boolean (value);
      break;
    case PROP_MARKER_COLOR:
      settings->marker_color = g_value_get_uint (value);
      break;
    case PROP_FILL:
      settings->fill = g_value_get_boolean (value);
      break;
    case PROP_STROKE_WIDTH:
      settings->stroke_width = g_value_get_double (value);
      break;
    case PROP_STROKE_COLOR:
      settings->stroke_color = g_value_get_uint (value);
      break;
    case PROP_ANTIALIAS:
      settings->antialias = g_value_get_boolean (value);
      break;
    case PROP_BLEND:
      settings->linear = g_value_get_enum (value) == BLEND_LINEAR;
      break;
    case PROP_OPACITY:
      settings->opacity = g_value_get_double (value);
      break;
    case PROP_BACKGROUND:
      settings->background = g_value_get_enum (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  return n_wrong;
}

void
gst_cuda_circles_settings_get (const GstCudaCirclesSettings * settings,
    GObject * object, guint id, GValue * value, GParamSpec * pspec)
{
  switch (id) {
    case PROP_SCENE:
      g_value_set_enum (value, settings->scene);
      break;
    case PROP_SEED:
      g_value_set_uint (value, settings->seed);
      break;
    case PROP_LOCATION:
      g_value_set_string (value, settings->location);
      break;
    case PROP_CIRCLES:
      get_circles (settings, value);
      break;
    case PROP_UNITS:
      g_value_set_enum (value, settings->units);
      break;
    case PROP_FROM_CIRCLES:
      g_value_set_boolean (value, settings->from_circles);
      break;
    case PROP_FROM_CONTOURS:
      g_value_set_enum (value, settings->from_contours);
      break;
    case PROP_FROM_ROI:
      g_value_set_boolean (value, settings->from_roi);
      break;
    case PROP_MARKER_COLOR:
      g_value_set_uint (value, settings->marker_color);
      break;
    case PROP_FILL:
      g_value_set_boolean (value, settings->fill);
      break;
    case PROP_STROKE_WIDTH:
      g_value_set_double (value, settings->stroke_width);
      break;
    case PROP_STROKE_COLOR:
      g_value_set_uint (value, settings->stroke_color);
      break;
    case PROP_ANTIALIAS:
      g_value_set_boolean (value, settings->antialias);
      break;
    case PROP_BLEND:
      g_value_set_enum (value, settings->linear ? BLEND_LINEAR : BLEND_GAMMA);
      break;
    case PROP_OPACITY:
      g_value_set_double (value, settings->opacity);
      break;
    case PROP_BACKGROUND:
      g_value_set_enum (value, settings->background);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
}

/* Installation */

#define LIVE (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS \
    | GST_PARAM_MUTABLE_PLAYING)
#define ANIMATED (LIVE | GST_PARAM_CONTROLLABLE)

static void
install_scenes (GObjectClass * klass)
{
  g_object_class_install_property (klass, PROP_SCENE,
      g_param_spec_enum ("scene", "Scene",
          "Circles that are built in. The last four move with the stream time, "
          "or by counting frames where there is none; the same time shows the "
          "same picture.", scene_get_type (), DEFAULT_SCENE, LIVE));
  g_object_class_install_property (klass, PROP_SEED,
      g_param_spec_uint ("seed", "Seed",
          "Scenes with another seed have other places and colours; the same "
          "seed gives the same picture on every machine.",
          0, G_MAXUINT32, DEFAULT_SEED, LIVE));
  g_object_class_install_property (klass, PROP_LOCATION,
      g_param_spec_string ("location", "Location",
          "A file of circles, read when the element starts: lines of "
          "\"x y r z #rrggbbaa\", of which those that begin with # are "
          "comments, or lines of JSON as shapejsonenc writes them.", NULL,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
          GST_PARAM_MUTABLE_READY));
  g_object_class_install_property (klass, PROP_CIRCLES,
      gst_param_spec_array ("circles", "Circles",
          "Circles, each a structure with the fields x, y, r (numbers), and if "
          "wanted z (a number, larger is farther, 0 by default) and color "
          "(0xAARRGGBB, opaque white by default). The signal add-circle adds "
          "one, clear-circles takes all away.",
          g_param_spec_boxed ("circle", "Circle", "A circle.",
              GST_TYPE_STRUCTURE, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS),
          LIVE));
  g_object_class_install_property (klass, PROP_UNITS,
      g_param_spec_enum ("units", "Units",
          "What the coordinates of circles and of the file at location count.",
          units_get_type (), DEFAULT_UNITS, LIVE));
}

static void
install_markers (GObjectClass * klass)
{
  g_object_class_install_property (klass, PROP_FROM_CIRCLES,
      g_param_spec_boolean ("from-circles", "From circles",
          "Draw the circles that frames bring along as shapes.",
          DEFAULT_FROM_CIRCLES, LIVE));
  g_object_class_install_property (klass, PROP_FROM_CONTOURS,
      g_param_spec_enum ("from-contours", "From contours",
          "Mark each contour that frames bring along with a circle; holes are "
          "not marked. Without contours, hulls are.",
          markers_get_type (), DEFAULT_FROM_CONTOURS, LIVE));
  g_object_class_install_property (klass, PROP_FROM_ROI,
      g_param_spec_boolean ("from-roi", "From regions of interest",
          "Mark each region of interest (GstVideoRegionOfInterestMeta) with "
          "the circle through its corners.", DEFAULT_FROM_ROI, LIVE));
  g_object_class_install_property (klass, PROP_MARKER_COLOR,
      g_param_spec_uint ("marker-color", "Marker color",
          "Colour of the circles that mark contours and regions, as "
          "0xAARRGGBB. Markers are in front of all other circles.",
          0, G_MAXUINT32, DEFAULT_MARKER_COLOR, ANIMATED));
}

static void
install_looks (GObjectClass * klass)
{
  g_object_class_install_property (klass, PROP_FILL,
      g_param_spec_boolean ("fill", "Fill",
          "Fill circles with their colour.", DEFAULT_FILL, LIVE));
  g_object_class_install_property (klass, PROP_STROKE_WIDTH,
      g_param_spec_double ("stroke-width", "Stroke width",
          "Width of circles' outlines in pixels, 0 for none. The border is in "
          "the middle of it, and it is drawn right after the circle's "
          "filling.", 0., MAX_STROKE_WIDTH, DEFAULT_STROKE_WIDTH, ANIMATED));
  g_object_class_install_property (klass, PROP_STROKE_COLOR,
      g_param_spec_uint ("stroke-color", "Stroke color",
          "Colour of outlines, as 0xAARRGGBB; with an alpha of 0 they have the "
          "circle's own colour, without its transparency.",
          0, G_MAXUINT32, DEFAULT_STROKE_COLOR, ANIMATED));
  g_object_class_install_property (klass, PROP_ANTIALIAS,
      g_param_spec_boolean ("antialias", "Anti-alias",
          "Draw smooth borders. Otherwise pixels whose centre is inside belong "
          "to a circle, and others do not.", DEFAULT_ANTIALIAS, LIVE));
  g_object_class_install_property (klass, PROP_BLEND,
      g_param_spec_enum ("blend", "Blend",
          "What is mixed where circles are transparent.",
          blend_get_type (), DEFAULT_BLEND, LIVE));
  g_object_class_install_property (klass, PROP_OPACITY,
      g_param_spec_double ("opacity", "Opacity",
          "Multiplies the alpha of every circle; at 0 none is drawn.",
          0., 1., DEFAULT_OPACITY, ANIMATED));
  g_object_class_install_property (klass, PROP_BACKGROUND,
      g_param_spec_enum ("background", "Background",
          "What is behind the circles.",
          background_get_type (), DEFAULT_BACKGROUND, LIVE));
}

void
gst_cuda_circles_settings_install (GObjectClass * klass)
{
  install_scenes (klass);
  install_markers (klass);
  install_looks (klass);
  gst_type_mark_as_plugin_api (scene_get_type (), 0);
  gst_type_mark_as_plugin_api (units_get_type (), 0);
  gst_type_mark_as_plugin_api (markers_get_type (), 0);
  gst_type_mark_as_plugin_api (blend_get_type (), 0);
  gst_type_mark_as_plugin_api (background_get_type (), 0);
}
