/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstcudahullsettings.h"

#include "element/gstshapespixelsize.h"
#include "shapes/gstshapesenum.h"

GST_SHAPES_DEFINE_ENUM_TYPE (static, source_get_type, "GstCudaHullSource",
    {HULL_SOURCE_AUTO, "Contours if the buffer has shapes from cudacontours, "
        "else the points of a tensor, else pixels", "auto"},
    {HULL_SOURCE_CONTOURS, "The points of the contours", "contours"},
    {HULL_SOURCE_MASK, "The centres of the pixels above the level", "mask"},
    {HULL_SOURCE_POINTS, "The points of a tensor", "points"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, scope_get_type, "GstCudaHullScope",
    {CS_HULL_SCOPE_PER_CONTOUR, "A hull of each contour", "per-contour"},
    {CS_HULL_SCOPE_PER_CLASS, "A hull of each class's contours", "per-class"},
    {CS_HULL_SCOPE_ALL, "One hull of all contours", "all"})

const gchar *
hull_source_to_string (HullSource source)
{
  return source_get_type_values[source].value_nick;
}

typedef HullSettings Settings;

static const GstShapesProperty rows[] = {
  GST_SHAPES_ENUM (Settings, source, "source", "Source", source_get_type,
      HULL_SOURCE_AUTO, LIVE, "Source of the points. \"auto\" uses those of "
      "\"location\" if it is set, else the contours if the buffer has shapes "
      "from cudacontours, else the points if it is a tensor of 2:N numbers, "
      "else the pixels of video above \"level\"."),
  GST_SHAPES_ENUM (Settings, scope, "scope", "Scope", scope_get_type,
      CS_HULL_SCOPE_PER_CONTOUR, LIVE,
      "Which contours share a hull; never those of different images of a "
      "batch. Pixels and points have a single hull."),
  GST_SHAPES_DOUBLE (Settings, level, "level", "Level", -G_MAXDOUBLE,
      G_MAXDOUBLE, 0.5, ANIMATED, "With source=mask: the threshold above which "
      "pixels are inside, in the unit given by \"level-unit\": 0.5 is mid-gray "
      "of any video. Pixels equal to it are outside."),
  GST_SHAPES_ENUM (Settings, level_unit, "level-unit", "Unit of the level",
      gst_shapes_level_unit_get_type, GST_SHAPES_LEVEL_UNIT_NORMALIZED, LIVE,
      "Unit of \"level\". \"normalized\": 0 to 1 over the full range of code "
      "values, at any bit depth. \"sample\": code values, such as 128."),
  GST_SHAPES_ENUM (Settings, channel, "channel", "Channel",
      gst_shapes_channel_get_type, GST_SHAPES_CHANNEL_LUMA, LIVE,
      "With source=mask: channel of the video to process. \"luma\" is Y of YUV "
      "and gray formats; for RGB formats it is computed, unrounded, with the "
      "weights of the caps' colorimetry. \"r\", \"g\", \"b\" and \"a\" need "
      "formats that have them."),
  GST_SHAPES_UINT (Settings, bit_depth, "bit-depth", "Bit depth", 0, 16, 0,
      LIVE, "Significant low bits of GRAY16_LE. 0 means all 16. Ignored for "
      "other formats."),
  GST_SHAPES_BOOLEAN (Settings, include_collinear, "include-collinear",
      "Include collinear points", FALSE, LIVE,
      "Also return the distinct points on the hulls' edges, in order."),
  GST_SHAPES_ENUM (Settings, measures, "measures", "Measures",
      gst_shapes_measures_get_type, CS_MEASURES_BASIC, LIVE,
      "Measures of every hull: only the area; also perimeter, centroid, "
      "bounding box and solidity (area of the contour / area of the hull); or "
      "also Feret diameters, minimum-area rectangle and smallest enclosing "
      "circle."),
  GST_SHAPES_BOOLEAN (Settings, ellipse, "ellipse", "Smallest ellipse", FALSE,
      LIVE, "Also find the ellipse of minimum area around every hull."),
  GST_SHAPES_BOOLEAN (Settings, defects, "defects", "Convexity defects", FALSE,
      LIVE,
      "With scope=per-contour: also find the convexity defects of the "
      "contours, each with its deepest point: the parts between neighbouring "
      "vertices of the hull where the contour is not on it."),
  GST_SHAPES_DOUBLE (Settings, defect_min_depth, "defect-min-depth",
      "Minimum depth of defects", 0., G_MAXDOUBLE, 0., LIVE,
      "Leave out convexity defects of less than this depth, in pixels."),
  GST_SHAPES_BOOLEAN (Settings, indices, "indices", "Indices", FALSE, LIVE,
      "Also give each point of a hull its index among the points of which the "
      "hull was found."),
  GST_SHAPES_PIXEL_SIZE (Settings, pixel_size),
  GST_SHAPES_STRING (Settings, location, "location", "Location", NULL, READY,
      "A CSV file of points, a line with x and y for each, whose hull every "
      "buffer gets, with source=auto or points."),
  GST_SHAPES_BOOLEAN (Settings, replace, "replace", "Replace contours", FALSE,
      LIVE, "Remove the contours from the buffers' shapes; hulls then have no "
      "parents. Otherwise hulls are added."),
  GST_SHAPES_BOOLEAN (Settings, post_messages, "post-messages", "Post messages",
      FALSE, LIVE, "Post an element message \"cudahull\" for every buffer, "
      "with its timestamps, the numbers of hulls, of their points and of "
      "ignored points, and the mean and minimum solidity."),
  GST_SHAPES_UINT64 (Settings, n_ignored, "ignored", "Ignored points", 0,
      G_MAXUINT64, 0, READ_ONLY,
      "Number of points ignored because a coordinate was NaN or infinite."),
};

const GstShapesProperties hull_properties =
    GST_SHAPES_PROPERTIES (rows, Settings, 1);
