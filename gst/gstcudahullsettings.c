/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstcudahullsettings.h"

#include "shapes/gstshapesenum.h"

enum
{
  PROP_SOURCE = GST_CUDA_HULL_FIRST_PROPERTY,
  PROP_SCOPE,
  PROP_LEVEL,
  PROP_LEVEL_UNIT,
  PROP_CHANNEL,
  PROP_BIT_DEPTH,
  PROP_INCLUDE_COLLINEAR,
  PROP_MEASURES,
  PROP_REPLACE,
  PROP_POST_MESSAGES,
};

#define DEFAULT_SOURCE GST_CUDA_HULL_SOURCE_AUTO
#define DEFAULT_SCOPE CS_HULL_SCOPE_PER_CONTOUR
#define DEFAULT_LEVEL 0.5
#define DEFAULT_LEVEL_UNIT GST_SHAPES_LEVEL_UNIT_NORMALIZED
#define DEFAULT_CHANNEL GST_SHAPES_CHANNEL_LUMA
#define DEFAULT_MEASURES CS_MEASURES_BASIC

GST_SHAPES_DEFINE_ENUM_TYPE (static, source_get_type, "GstCudaHullSource",
    {GST_CUDA_HULL_SOURCE_AUTO,
        "Contours if the buffer has been searched for some, else the "
          "points of a tensor, else pixels", "auto"},
    {GST_CUDA_HULL_SOURCE_CONTOURS, "The points of the contours", "contours"},
    {GST_CUDA_HULL_SOURCE_MASK, "The centres of the pixels above the level",
        "mask"},
    {GST_CUDA_HULL_SOURCE_POINTS, "The points of a tensor", "points"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, scope_get_type, "GstCudaHullScope",
    {CS_HULL_SCOPE_PER_CONTOUR, "A hull of each contour", "per-contour"},
    {CS_HULL_SCOPE_PER_CLASS, "A hull of each class's contours", "per-class"},
    {CS_HULL_SCOPE_ALL, "One hull of all contours", "all"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, measures_get_type, "GstCudaHullMeasures",
    {CS_MEASURES_NONE, "The area only", "none"},
    {CS_MEASURES_BASIC, "Area, perimeter, centroid, bounding box, solidity",
        "basic"},
    {CS_MEASURES_FULL, "Those, Feret diameters, minimum-area rectangle, "
          "smallest enclosing circle", "full"})

void
gst_cuda_hull_settings_init (GstCudaHullSettings * settings)
{
  const GstCudaHullSettings defaults = {
    .source = DEFAULT_SOURCE,
    .scope = DEFAULT_SCOPE,
    .level = DEFAULT_LEVEL,
    .level_unit = DEFAULT_LEVEL_UNIT,
    .channel = DEFAULT_CHANNEL,
    .measures = DEFAULT_MEASURES,
  };

  *settings = defaults;
}

const gchar *
gst_cuda_hull_source_to_string (GstCudaHullSource source)
{
  return source_get_type_values[source].value_nick;
}

void
gst_cuda_hull_settings_set (GstCudaHullSettings * settings, GObject * object,
    guint id, const GValue * value, GParamSpec * pspec)
{
  switch (id) {
    case PROP_SOURCE:
      settings->source = g_value_get_enum (value);
      break;
    case PROP_SCOPE:
      settings->scope = g_value_get_enum (value);
      break;
    case PROP_LEVEL:
      settings->level = g_value_get_double (value);
      break;
    case PROP_LEVEL_UNIT:
      settings->level_unit = g_value_get_enum (value);
      break;
    case PROP_CHANNEL:
      settings->channel = g_value_get_enum (value);
      break;
    case PROP_BIT_DEPTH:
      settings->bit_depth = g_value_get_uint (value);
      break;
    case PROP_INCLUDE_COLLINEAR:
      settings->include_collinear = g_value_get_boolean (value);
      break;
    case PROP_MEASURES:
      settings->measures = g_value_get_enum (value);
      break;
    case PROP_REPLACE:
      settings->replace = g_value_get_boolean (value);
      break;
    case PROP_POST_MESSAGES:
      settings->post_messages = g_value_get_boolean (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
}

void
gst_cuda_hull_settings_get (const GstCudaHullSettings * settings,
    GObject * object, guint id, GValue * value, GParamSpec * pspec)
{
  switch (id) {
    case PROP_SOURCE:
      g_value_set_enum (value, settings->source);
      break;
    case PROP_SCOPE:
      g_value_set_enum (value, settings->scope);
      break;
    case PROP_LEVEL:
      g_value_set_double (value, settings->level);
      break;
    case PROP_LEVEL_UNIT:
      g_value_set_enum (value, settings->level_unit);
      break;
    case PROP_CHANNEL:
      g_value_set_enum (value, settings->channel);
      break;
    case PROP_BIT_DEPTH:
      g_value_set_uint (value, settings->bit_depth);
      break;
    case PROP_INCLUDE_COLLINEAR:
      g_value_set_boolean (value, settings->include_collinear);
      break;
    case PROP_MEASURES:
      g_value_set_enum (value, settings->measures);
      break;
    case PROP_REPLACE:
      g_value_set_boolean (value, settings->replace);
      break;
    case PROP_POST_MESSAGES:
      g_value_set_boolean (value, settings->post_messages);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
}

/* Descriptions */

#define FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)
#define LIVE (FLAGS | GST_PARAM_MUTABLE_PLAYING)

static void
install_sources (GObjectClass * klass)
{
  g_object_class_install_property (klass, PROP_SOURCE,
      g_param_spec_enum ("source", "Source",
          "What to find hulls of. \"auto\" takes the contours if the buffer "
          "has shapes from cudacontours, else the points if it is a tensor of "
          "2:N numbers, else the pixels of video above \"level\".",
          source_get_type (), DEFAULT_SOURCE, LIVE));
  g_object_class_install_property (klass, PROP_SCOPE,
      g_param_spec_enum ("scope", "Scope",
          "Which contours share a hull. Those of different images of a batch "
          "never do. Pixels and points have one hull.", scope_get_type (),
          DEFAULT_SCOPE, LIVE));
  g_object_class_install_property (klass, PROP_LEVEL,
      g_param_spec_double ("level", "Level",
          "With source=mask: the hull is that of the pixels above this level, "
          "in the unit that \"level-unit\" says: 0.5 is mid-gray of any video. "
          "Pixels equal to it are outside.", -G_MAXDOUBLE, G_MAXDOUBLE,
          DEFAULT_LEVEL, LIVE | GST_PARAM_CONTROLLABLE));
  g_object_class_install_property (klass, PROP_LEVEL_UNIT,
      g_param_spec_enum ("level-unit", "Unit of the level",
          "What \"level\" counts. \"normalized\": 0 to 1 of the full range of "
          "code values, whatever the bit depth. \"sample\": the code value "
          "itself, so that 128 means 128.", GST_TYPE_SHAPES_LEVEL_UNIT,
          DEFAULT_LEVEL_UNIT, LIVE));
  g_object_class_install_property (klass, PROP_CHANNEL,
      g_param_spec_enum ("channel", "Channel",
          "With source=mask: what of the video to look at. \"luma\" is the Y "
          "of YUV and gray formats; of RGB formats it is computed by the "
          "weights of the caps' colorimetry, unrounded. \"r\", \"g\", \"b\" "
          "and \"a\" are for formats that have them.",
          GST_TYPE_SHAPES_CHANNEL, DEFAULT_CHANNEL, LIVE));
  g_object_class_install_property (klass, PROP_BIT_DEPTH,
      g_param_spec_uint ("bit-depth", "Bit depth",
          "How many of the 16 bits of GRAY16_LE the camera uses, the low ones. "
          "0 means all 16. Other formats know their depth.", 0, 16, 0, LIVE));
}

static void
install_results (GObjectClass * klass)
{
  g_object_class_install_property (klass, PROP_INCLUDE_COLLINEAR,
      g_param_spec_boolean ("include-collinear", "Include collinear points",
          "Also return the points on the hulls' edges, in their order, each "
          "place once.", FALSE, LIVE));
  g_object_class_install_property (klass, PROP_MEASURES,
      g_param_spec_enum ("measures", "Measures",
          "What to measure of every hull: only the area; or also perimeter, "
          "centroid, bounding box and solidity (the contour's area by the "
          "hull's); or also the Feret diameters, the rectangle of minimum "
          "area and the smallest enclosing circle.", measures_get_type (),
          DEFAULT_MEASURES, LIVE));
  g_object_class_install_property (klass, PROP_REPLACE,
      g_param_spec_boolean ("replace", "Replace contours",
          "Take the contours out of the buffers' shapes; hulls then have no "
          "parents. Off, hulls are added.", FALSE, LIVE));
  g_object_class_install_property (klass, PROP_POST_MESSAGES,
      g_param_spec_boolean ("post-messages", "Post messages",
          "Post an element message \"cudahull\" for every buffer, with its "
          "timestamps, the numbers of hulls, of their points and of points "
          "left out, and the mean and the lowest solidity.", FALSE, LIVE));
}

void
gst_cuda_hull_settings_install (GObjectClass * klass)
{
  install_sources (klass);
  install_results (klass);
  gst_type_mark_as_plugin_api (source_get_type (), 0);
  gst_type_mark_as_plugin_api (scope_get_type (), 0);
  gst_type_mark_as_plugin_api (measures_get_type (), 0);
  gst_type_mark_as_plugin_api (GST_TYPE_SHAPES_LEVEL_UNIT, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_SHAPES_CHANNEL, 0);
}
