/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstcudacontourssettings.h"

#include <math.h>

#include "base/text.h"
#include "element/gstshapespixelsize.h"
#include "shapes/gstshapesenum.h"

/* Enough for noise in 4K at three levels. */
#define DEFAULT_MAX_MEMORY (G_GUINT64_CONSTANT (2) << 30)

GST_SHAPES_DEFINE_ENUM_TYPE (static, side_get_type, "GstCudaContoursSide",
    {CONTOURS_SIDE_LOW, "The pixels at or below the level", "low"},
    {CONTOURS_SIDE_HIGH, "The pixels above the level", "high"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, source_get_type, "GstCudaContoursSource",
    {CONTOURS_SOURCE_BUFFER, "The picture, or the tensor of "
          "other/tensors", "buffer"},
    {CONTOURS_SOURCE_TENSOR_META, "A tensor that inference attached "
          "to the picture", "tensor-meta"},
    {CONTOURS_SOURCE_SEGMENTATION, "The regions of masks that were "
          "attached to the picture", "segmentation"},
    {CONTOURS_SOURCE_LABELS, "The labels that the values of the picture, or "
          "of the tensor of other/tensors, are", "labels"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, outline_get_type,
    "GstCudaContoursOutline",
    {CS_LABELS_CONTOURS, "Halfway between the pixels' centres", "contours"},
    {CS_LABELS_PIXELS, "Along the pixels' sides", "pixels"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, level_method_get_type,
    "GstCudaContoursLevelMethod",
    {CONTOURS_LEVEL_FIXED, "The properties level and levels", "fixed"},
    {CONTOURS_LEVEL_MIDRANGE, "(min + max) / 2 of each frame", "midrange"},
    {CONTOURS_LEVEL_OTSU, "Otsu's threshold of each frame", "otsu"},
    {CONTOURS_LEVEL_ADAPTIVE, "The mean around each pixel", "adaptive"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, group_mode_get_type,
    "GstCudaContoursGroupMode",
    {CS_GROUP_SUM, "The sum of the channels", "sum"},
    {CS_GROUP_MAX, "The greatest of the channels", "max"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, roi_source_get_type,
    "GstCudaContoursRoiSource",
    {CONTOURS_ROI_PROPERTY, "The property roi", "property"},
    {CONTOURS_ROI_META, "The regions that the frame carries", "meta"})

typedef ContoursSettings Settings;

static const GstShapesProperty rows[] = {
  GST_SHAPES_DOUBLE (Settings, level, "level", "Level", -G_MAXDOUBLE,
      G_MAXDOUBLE, 0.5, ANIMATED,
      "Iso-value of the contours, in the unit given by \"level-unit\": 0.5 is "
      "mid-gray of any video. Pixels above it are inside, pixels equal to it "
      "outside. For tensors always in the tensor's own unit, for example a "
      "probability of 0.5. Ignored with \"levels\" or \"auto-level\"."),
  GST_SHAPES_ENUM (Settings, level_unit, "level-unit", "Unit of the level",
      gst_shapes_level_unit_get_type, GST_SHAPES_LEVEL_UNIT_NORMALIZED, LIVE,
      "Unit of \"level\" and \"levels\" for video. \"normalized\": 0 to 1 over "
      "the full range of code values, at any bit depth. \"sample\": code "
      "values, such as 128. The level in the results is always a code value."),
  GST_SHAPES_STRING (Settings, levels, "levels", "Levels", NULL, LIVE,
      "Comma-separated list of levels, such as \"0.25,0.5,0.75\"; contours are "
      "found at each of them. For a tensor of several classes either one level "
      "for all, or one per class. Ignored with \"auto-level\". Empty: use "
      "\"level\"."),
  GST_SHAPES_STRING (Settings, classes, "classes", "Classes", NULL, LIVE,
      "Comma-separated list of tensor channels to process, counted from 0, "
      "such as \"0,3,7\"; a shape's class is its channel. Empty: all. "
      "\"none\": only \"class-groups\". With image-source=labels or "
      "segmentation these are labels, or ids of regions; empty: all but "
      "\"background-label\". For video see \"channel\"."),
  GST_SHAPES_BOOLEAN (Settings, auto_level, "auto-level", "Automatic level",
      FALSE, LIVE,
      "Use the midrange of the valid pixels of each frame (and class), (min + "
      "max) / 2, as the level: the same as level-method=midrange. The result "
      "flickers if the brightest pixel does."),
  GST_SHAPES_ENUM (Settings, level_method, "level-method", "Level method",
      level_method_get_type, CONTOURS_LEVEL_FIXED, LIVE,
      "How levels are found. \"fixed\": they are \"level\" or \"levels\". "
      "\"midrange\": (min + max) / 2 of the valid pixels of each frame, class "
      "and region. \"otsu\": their threshold by Otsu's method, from a "
      "histogram with a bin for each code of 8 and 16 bits, else 256 from the "
      "least to the greatest. \"adaptive\": each pixel less the mean around "
      "it, see \"adaptive-window\", and the level is 0."),
  GST_SHAPES_UINT (Settings, adaptive_window, "adaptive-window",
      "Adaptive window", 3, CS_ADAPTIVE_MAX_WINDOW, 51, LIVE,
      "With level-method=adaptive: side of the square around each pixel whose "
      "mean the pixel is compared with, in pixels; an odd number."),
  GST_SHAPES_DOUBLE (Settings, adaptive_offset, "adaptive-offset",
      "Adaptive offset", -G_MAXDOUBLE, G_MAXDOUBLE, 0, ANIMATED,
      "With level-method=adaptive: by how much a pixel must exceed the mean "
      "around it to be inside, in the unit of \"level\". May be negative."),
  GST_SHAPES_STRING (Settings, class_groups, "class-groups", "Class groups",
      NULL, LIVE,
      "Groups of a tensor's channels, each of which is a class, after those of "
      "\"classes\": for example \"defect=5+6+7, skin=1..11\". The number of "
      "the first group's class is the tensor's number of channels, that of the "
      "next one more, and so on. Empty: none."),
  GST_SHAPES_ENUM (Settings, group_mode, "group-mode", "Group mode",
      group_mode_get_type, CS_GROUP_SUM, LIVE,
      "How the channels of \"class-groups\" become one, before the level."),
  GST_SHAPES_BOOLEAN (Settings, exclusive, "exclusive", "Exclusive", FALSE,
      LIVE,
      "Find contours around the pixels where a class, or group, of a tensor is "
      "greater than all other channels: at level 0 of its value less the "
      "greatest other one. At equal values the lower channel wins. \"level\" "
      "and \"levels\" are ignored."),
  GST_SHAPES_STRING (Settings, labels, "labels-location", "Labels file", NULL,
      LIVE, "Text file with the names of the classes 0, 1 and so on, one a "
      "line. They name classes in other properties, and messages name them. "
      "Empty: none."),
  GST_SHAPES_ENUM (Settings, source, "image-source", "Image source",
      source_get_type, CONTOURS_SOURCE_BUFFER, LIVE,
      "What to find contours in. \"buffer\": the picture, or the tensor of "
      "other/tensors. \"tensor-meta\": a tensor that an inference element has "
      "attached to the picture (GstTensorMeta, GStreamer 1.26 and later), see "
      "\"tensor-id\". \"segmentation\": the masks that a decoder of tensors "
      "has attached (GstAnalyticsSegmentationMtd); each region becomes "
      "polygons, whose class is the region's id. \"labels\": as \"buffer\", "
      "but values are labels, each of which becomes polygons of that class: "
      "GRAY8, GRAY16, or a tensor of integers with one channel. Shapes are in "
      "the picture's coordinates in any case."),
  GST_SHAPES_STRING (Settings, tensor_id, "tensor-id", "Tensor", NULL, LIVE,
      "Name of the tensor that is wanted with image-source=tensor-meta. Empty: "
      "the only one."),
  GST_SHAPES_INT (Settings, background_label, "background-label",
      "Background label", -1, G_MAXINT32, 0, LIVE,
      "With image-source=labels or segmentation: the label, or region, that "
      "has no polygons unless \"classes\" names it; -1: all have."),
  GST_SHAPES_ENUM (Settings, outline, "outline", "Outline", outline_get_type,
      CS_LABELS_CONTOURS, LIVE,
      "With image-source=labels or segmentation: where polygons lie. "
      "\"contours\": halfway between the centres of two pixels, with corners "
      "cut off, as contours of a binary picture. \"pixels\": along the sides "
      "of pixels, with a point at each corner; they tile the picture, and "
      "areas are numbers of pixels."),
  GST_SHAPES_ENUM (Settings, channel, "channel", "Channel",
      gst_shapes_channel_get_type, GST_SHAPES_CHANNEL_LUMA, LIVE,
      "Channel of the video to process. \"luma\" is Y of YUV and gray formats; "
      "for RGB formats it is computed, unrounded, with the weights of the "
      "caps' colorimetry. \"r\", \"g\", \"b\" and \"a\" need formats that have "
      "them. For tensors see \"classes\"."),
  GST_SHAPES_UINT (Settings, bit_depth, "bit-depth", "Bit depth", 0, 16, 0,
      LIVE, "Significant low bits of GRAY16_LE: 10, 12 or 14 for code values "
      "up to 1023, 4095 or 16383. 0 means all 16. Ignored for other formats."),
  GST_SHAPES_TENSOR_LAYOUT_ROW (Settings, layout),
  GST_SHAPES_ENUM (Settings, fully_connected, "fully-connected",
      "Fully connected", side_get_type, CONTOURS_SIDE_LOW, LIVE,
      "Which pixels are connected diagonally at saddles, where two high and "
      "two low ones meet; as scikit-image's parameter of the same name."),
  GST_SHAPES_ENUM (Settings, positive_orientation, "positive-orientation",
      "Positive orientation", side_get_type, CONTOURS_SIDE_LOW, LIVE,
      "Which pixels contours enclose counter-clockwise, as seen on the "
      "screen; as scikit-image's parameter of the same name."),
  GST_SHAPES_BOOLEAN (Settings, close_at_border, "close-at-border",
      "Close at the border", FALSE, LIVE, "Close contours that would end at "
      "the edge of the picture, or of the region of interest, along that edge, "
      "half a pixel outside of its outermost pixels' centres: every contour is "
      "a polygon then, except beside a mask. Iso-bands go on to the edge."),
  GST_SHAPES_BOOLEAN (Settings, bands, "bands", "Iso-bands", FALSE, LIVE,
      "Find what is between each two neighbours of \"levels\", as filled "
      "polygons, instead of contours: outer rings, and holes whose parent is "
      "their outer ring. A shape's level is the lower one. The levels apply to "
      "each class. The shapes are made on the host."),
  GST_SHAPES_UINT (Settings, min_points, "min-points", "Least points", 0,
      G_MAXINT32, 0, ANIMATED, "Drop contours of fewer points, including the "
      "repeated last point of a closed contour. 0 keeps all."),
  GST_SHAPES_DOUBLE (Settings, min_area, "min-area", "Least area", 0,
      G_MAXDOUBLE, 0, ANIMATED,
      "Drop contours of smaller area, in square pixels; open contours are "
      "closed by a straight line. 20 removes the noise of a camera."),
  GST_SHAPES_DOUBLE (Settings, max_area, "max-area", "Largest area", 0,
      G_MAXDOUBLE, G_MAXDOUBLE, ANIMATED,
      "Drop contours of larger area, in square pixels. The default keeps all."),
  GST_SHAPES_STRING (Settings, class_min_area, "class-min-area",
      "Least areas of classes", NULL, LIVE,
      "Least areas of classes, besides \"min-area\": numbers or names of "
      "classes, each with its area, such as \"5:20, defect:40\". Empty: none."),
  GST_SHAPES_STRING (Settings, class_max_area, "class-max-area",
      "Largest areas of classes", NULL, LIVE,
      "Largest areas of classes, besides \"max-area\"; written as "
      "\"class-min-area\". Empty: none."),
  GST_SHAPES_STRING (Settings, mask, "mask-location", "Mask file", NULL, LIVE,
      "PNG, JPEG or binary PGM image of the frame's size: pixels where it is "
      "0 (black; in a JPEG, darker than half of white) are invalid, and "
      "contours end beside them. Read once, when it is first needed; setting "
      "another name reads another file. Empty: no mask."),
  GST_SHAPES_BOOLEAN (Settings, mask_alpha, "mask-alpha", "Mask by alpha",
      FALSE, LIVE,
      "Treat pixels of alpha 0 as invalid; for formats with 8 bits of alpha, "
      "instead of \"mask-location\"."),
  GST_SHAPES_PIXEL_SIZE (Settings, pixel_size),
  GST_SHAPES_STRING (Settings, roi, "roi", "Region of interest", NULL, LIVE,
      "Process only this region of the picture, as \"x,y,width,height\" in "
      "pixels, such as \"100,50,640,480\"; a width or height of 0 extends to "
      "the edge. Several regions have \";\" between them; shapes then say the "
      "region's number, from 0. Results are in coordinates of the whole "
      "picture. Empty: all of it."),
  GST_SHAPES_ENUM (Settings, roi_source, "roi-source",
      "Source of regions of interest", roi_source_get_type,
      CONTOURS_ROI_PROPERTY, LIVE, "Where regions of interest are from. "
      "\"property\": from \"roi\". \"meta\": those that each frame carries "
      "(GstVideoRegionOfInterestMeta, then GstAnalyticsODMtd); shapes say the "
      "region's id, and frames without regions have no contours."),
  GST_SHAPES_UINT64 (Settings, max_segments, "max-segments",
      "Expected segments", 0, G_MAXUINT32, 0, LIVE,
      "Expected line segments (about as many as points) of a frame, to "
      "preallocate memory for; 0 estimates. Not a limit: a frame with more is "
      "computed again with more memory."),
  GST_SHAPES_UINT64 (Settings, max_memory, "max-memory", "Most memory", 0,
      G_MAXUINT64, DEFAULT_MAX_MEMORY, LIVE, "Memory limit of a frame's "
      "contours in bytes, estimated as 1 for each pixel (of at least 64 x 64) "
      "per level and class, and 64 for each line segment. A frame that exceeds "
      "it is dropped before memory is allocated for it. 0 is no limit."),
  GST_SHAPES_ENUM (Settings, measures, "measures", "Measures",
      gst_shapes_measures_get_type, CS_MEASURES_BASIC, LIVE,
      "Measures of every contour: only the signed area; also perimeter, "
      "centroid and bounding box; or also moments, for orientation, "
      "eccentricity and axis lengths."),
  GST_SHAPES_BOOLEAN (Settings, measures_only, "measures-only", "Measures only",
      FALSE, LIVE,
      "Omit the points: a contour of any length then takes about 100 bytes."),
  GST_SHAPES_BOOLEAN (Settings, hierarchy, "hierarchy", "Hierarchy", FALSE,
      LIVE, "Set the parent of every closed contour: the id of the innermost "
      "closed contour that encloses it. Without it there are no parents; holes "
      "are flagged in any case."),
  GST_SHAPES_BOOLEAN (Settings, post_messages, "post-messages", "Post messages",
      FALSE, LIVE, "Post an element message \"cudacontours\" for every frame, "
      "with its timestamps and the numbers of contours and points, in total "
      "and per class."),
};

const GstShapesProperties contours_properties =
    GST_SHAPES_PROPERTIES (rows, Settings, 1);

/* Lists */

GArray *
contours_parse_numbers (const gchar * name, const gchar * text, GError ** error)
{
  GArray *numbers = g_array_new (FALSE, FALSE, sizeof (gdouble));
  const gchar *at = cs_text_skip_space (text ? text : "");

  while (*at) {
    gchar *end;
    const gdouble number = g_ascii_strtod (at, &end);

    if (end == at || !isfinite (number))
      goto wrong;
    g_array_append_val (numbers, number);
    at = cs_text_skip_space (end);
    if (*at == ',') {
      at = cs_text_skip_space (at + 1);
      if (!*at)
        goto wrong;
    } else if (*at) {
      goto wrong;
    }
  }
  return numbers;

wrong:
  g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "%s=\"%s\" is not a comma-"
      "separated list of numbers, such as \"0.25,0.5\"", name, text);
  g_array_unref (numbers);
  return NULL;
}

GArray *
contours_parse_indices (const gchar * name, const gchar * text, GError ** error)
{
  GArray *numbers = contours_parse_numbers (name, text, NULL);
  GArray *indices = g_array_new (FALSE, FALSE, sizeof (guint));

  if (!numbers)
    goto wrong;
  for (guint i = 0; i < numbers->len; i++) {
    const gdouble number = g_array_index (numbers, gdouble, i);
    const guint index = number >= 0 && number <= G_MAXINT32 ? number : 0;

    if (number != index)
      goto wrong;
    g_array_append_val (indices, index);
  }
  g_array_unref (numbers);
  return indices;

wrong:
  g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "%s=\"%s\" is not a comma-"
      "separated list of integers from 0 on, such as \"0,3\"", name,
      text);
  g_clear_pointer (&numbers, g_array_unref);
  g_array_unref (indices);
  return NULL;
}
