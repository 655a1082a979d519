/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstcudahullsettings.h"

#include "shapes/gstshapesenum.h"

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

const gchar *
gst_cuda_hull_source_to_string (GstCudaHullSource source)
{
  return source_get_type_values[source].value_nick;
}

typedef GstCudaHullSettings Settings;

static const GstShapesProperty rows[] = {
  GST_SHAPES_ENUM (Settings, source, "source", "Source", source_get_type,
      GST_CUDA_HULL_SOURCE_AUTO, LIVE,
      "What to find hulls of. \"auto\" takes the contours if the buffer has "
      "shapes from cudacontours, else the points if it is a tensor of 2:N "
      "numbers, else the pixels of video above \"level\"."),
  GST_SHAPES_ENUM (Settings, scope, "scope", "Scope", scope_get_type,
      CS_HULL_SCOPE_PER_CONTOUR, LIVE,
      "Which contours share a hull. Those of different images of a batch "
      "never do. Pixels and points have one hull."),
  GST_SHAPES_DOUBLE (Settings, level, "level", "Level", -G_MAXDOUBLE,
      G_MAXDOUBLE, 0.5, ANIMATED,
      "With source=mask: the hull is that of the pixels above this level, in "
      "the unit that \"level-unit\" says: 0.5 is mid-gray of any video. "
      "Pixels equal to it are outside."),
  GST_SHAPES_ENUM (Settings, level_unit, "level-unit", "Unit of the level",
      gst_shapes_level_unit_get_type, GST_SHAPES_LEVEL_UNIT_NORMALIZED, LIVE,
      "What \"level\" counts. \"normalized\": 0 to 1 of the full range of "
      "code values, whatever the bit depth. \"sample\": the code value "
      "itself, so that 128 means 128."),
  GST_SHAPES_ENUM (Settings, channel, "channel", "Channel",
      gst_shapes_channel_get_type, GST_SHAPES_CHANNEL_LUMA, LIVE,
      "With source=mask: what of the video to look at. \"luma\" is the Y of "
      "YUV and gray formats; of RGB formats it is computed by the weights of "
      "the caps' colorimetry, unrounded. \"r\", \"g\", \"b\" and \"a\" are "
      "for formats that have them."),
  GST_SHAPES_UINT (Settings, bit_depth, "bit-depth", "Bit depth", 0, 16, 0,
      LIVE,
      "How many of the 16 bits of GRAY16_LE the camera uses, the low ones. 0 "
      "means all 16. Other formats know their depth."),
  GST_SHAPES_BOOLEAN (Settings, include_collinear, "include-collinear",
      "Include collinear points", FALSE, LIVE,
      "Also return the points on the hulls' edges, in their order, each "
      "place once."),
  GST_SHAPES_ENUM (Settings, measures, "measures", "Measures",
      measures_get_type, CS_MEASURES_BASIC, LIVE,
      "What to measure of every hull: only the area; or also perimeter, "
      "centroid, bounding box and solidity (the contour's area by the "
      "hull's); or also the Feret diameters, the rectangle of minimum area "
      "and the smallest enclosing circle."),
  GST_SHAPES_BOOLEAN (Settings, replace, "replace", "Replace contours", FALSE,
      LIVE,
      "Take the contours out of the buffers' shapes; hulls then have no "
      "parents. Off, hulls are added."),
  GST_SHAPES_BOOLEAN (Settings, post_messages, "post-messages", "Post messages",
      FALSE, LIVE,
      "Post an element message \"cudahull\" for every buffer, with its "
      "timestamps, the numbers of hulls, of their points and of points left "
      "out, and the mean and the lowest solidity."),
  GST_SHAPES_UINT64 (Settings, n_ignored, "ignored", "Ignored points", 0,
      G_MAXUINT64, 0, READ_ONLY,
      "How many points were left out because a coordinate was NaN or "
      "infinite."),
};

const GstShapesProperties gst_cuda_hull_properties =
    GST_SHAPES_PROPERTIES (rows, Settings, 1);
