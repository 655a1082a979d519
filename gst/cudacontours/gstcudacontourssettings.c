/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstcudacontourssettings.h"

#include <math.h>

#include "shapes/gstshapesenum.h"

/* Noise of 4K at three levels. */
#define DEFAULT_MAX_MEMORY (G_GUINT64_CONSTANT (2) << 30)

GST_SHAPES_DEFINE_ENUM_TYPE (static, side_get_type, "GstCudaContoursSide",
    {GST_CUDA_CONTOURS_SIDE_LOW, "The pixels at or below the level", "low"},
    {GST_CUDA_CONTOURS_SIDE_HIGH, "The pixels above the level", "high"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, measures_get_type,
    "GstCudaContoursMeasures",
    {CS_MEASURES_NONE, "The signed area only", "none"},
    {CS_MEASURES_BASIC, "Area, perimeter, centroid, bounding box", "basic"},
    {CS_MEASURES_FULL, "Those and the moments to third order", "full"})

typedef GstCudaContoursSettings Settings;

static const GstShapesProperty rows[] = {
  GST_SHAPES_DOUBLE (Settings, level, "level", "Level", -G_MAXDOUBLE,
      G_MAXDOUBLE, 0.5, ANIMATED,
      "The value whose iso-lines are found, in the unit that \"level-unit\" "
      "says: 0.5 is mid-gray of any video. Pixels above it are inside, "
      "pixels equal to it outside. For tensors always in the tensor's own "
      "unit, such as 0.5 of a probability. Not used with \"levels\" or "
      "\"auto-level\"."),
  GST_SHAPES_ENUM (Settings, level_unit, "level-unit", "Unit of the level",
      gst_shapes_level_unit_get_type, GST_SHAPES_LEVEL_UNIT_NORMALIZED, LIVE,
      "What \"level\" and \"levels\" count for video. \"normalized\": 0 to 1 "
      "of the full range of code values, whatever the bit depth. \"sample\": "
      "the code value itself, so that 128 means 128. The level in the "
      "results is always the code value."),
  GST_SHAPES_STRING (Settings, levels, "levels", "Levels", NULL, LIVE,
      "Several levels instead of one, with commas in between, such as "
      "\"0.25,0.5,0.75\": every one gives contours of its own. For a tensor "
      "of several classes give one level for all, or as many as classes, "
      "each for its own class. Not used with \"auto-level\". Empty: use "
      "\"level\"."),
  GST_SHAPES_STRING (Settings, classes, "classes", "Classes", NULL, LIVE,
      "The channels of a tensor to look at, counted from 0 with commas in "
      "between, such as \"0,3,7\"; a shape's class is its channel. Empty: "
      "all. Not for video, see \"channel\"."),
  GST_SHAPES_BOOLEAN (Settings, auto_level, "auto-level", "Automatic level",
      FALSE, LIVE,
      "Take the middle between the darkest and the brightest valid pixel of "
      "each frame (of each class) as the level. Flickers on video whose "
      "brightest pixel does."),
  GST_SHAPES_ENUM (Settings, channel, "channel", "Channel",
      gst_shapes_channel_get_type, GST_SHAPES_CHANNEL_LUMA, LIVE,
      "What of the video to look at. \"luma\" is the Y of YUV and gray "
      "formats; of RGB formats it is computed by the weights of the caps' "
      "colorimetry, unrounded. \"r\", \"g\", \"b\" and \"a\" are for formats "
      "that have them. Not for tensors, see \"classes\"."),
  GST_SHAPES_UINT (Settings, bit_depth, "bit-depth", "Bit depth", 0, 16, 0,
      LIVE,
      "How many of the 16 bits of GRAY16_LE the camera uses, the low ones: "
      "10, 12 or 14 make \"level\" count up to 1023, 4095 or 16383. 0 means "
      "all 16. Other formats know their depth."),
  GST_SHAPES_ENUM (Settings, layout, "layout", "Tensor layout",
      gst_shapes_tensor_layout_get_type, GST_SHAPES_TENSOR_LAYOUT_AUTO, LIVE,
      "Which dimension of a tensor is what, counted from the innermost: "
      "\"hwc\" is channels:width:height:images, \"chw\" is "
      "width:height:channels:images. \"auto\" takes the channels to be what "
      "there is less of, and fails when the first dimension is more than "
      "half and less than twice the third."),
  GST_SHAPES_ENUM (Settings, fully_connected, "fully-connected",
      "Fully connected", side_get_type, GST_CUDA_CONTOURS_SIDE_LOW, LIVE,
      "Which pixels touch across a corner where two high and two low ones "
      "meet crosswise. scikit-image's parameter of the same name."),
  GST_SHAPES_ENUM (Settings, positive_orientation, "positive-orientation",
      "Positive orientation", side_get_type, GST_CUDA_CONTOURS_SIDE_LOW, LIVE,
      "Which pixels contours wind around counter-clockwise as seen on the "
      "screen. scikit-image's parameter of the same name."),
  GST_SHAPES_UINT (Settings, min_points, "min-points", "Least points", 0,
      G_MAXINT32, 0, ANIMATED,
      "Drop contours of fewer points; a closed contour's last point, which "
      "repeats its first, counts. 0 keeps all."),
  GST_SHAPES_DOUBLE (Settings, min_area, "min-area", "Least area", 0,
      G_MAXDOUBLE, 0, ANIMATED,
      "Drop contours around less than this, in square pixels; open contours "
      "are closed by a straight line. 20 removes the grain of a noisy camera."),
  GST_SHAPES_DOUBLE (Settings, max_area, "max-area", "Largest area", 0,
      G_MAXDOUBLE, G_MAXDOUBLE, ANIMATED,
      "Drop contours around more than this, in square pixels. The default "
      "keeps all."),
  GST_SHAPES_STRING (Settings, mask, "mask", "Mask file", NULL, LIVE,
      "A PNG, JPEG or binary PGM image of the frame's size: where it is 0 "
      "(black; in a JPEG, darker than half of white), pixels do not count, "
      "and contours end beside them. Read once, when it is first needed; "
      "another name reads another file. Empty: no mask."),
  GST_SHAPES_BOOLEAN (Settings, mask_alpha, "mask-alpha", "Mask by alpha",
      FALSE, LIVE,
      "Leave out the pixels whose alpha is 0, as \"mask\" does; for formats "
      "with 8 bits of alpha, and instead of \"mask\"."),
  GST_SHAPES_STRING (Settings, roi, "roi", "Region of interest", NULL, LIVE,
      "Look at a part of the picture only, as \"x,y,width,height\" in "
      "pixels, such as \"100,50,640,480\"; a width or height of 0 reaches to "
      "the edge. Coordinates in the results stay those of the whole picture. "
      "Empty: all of it."),
  GST_SHAPES_UINT64 (Settings, max_segments, "max-segments",
      "Expected segments", 0, G_MAXUINT32, 0, LIVE,
      "How many line segments (about as many as points) a frame is expected "
      "to have, to reserve memory for before the first one; 0 guesses. No "
      "limit: a frame that has more is computed again with more memory, and "
      "nothing is lost."),
  GST_SHAPES_UINT64 (Settings, max_memory, "max-memory", "Most memory", 0,
      G_MAXUINT64, DEFAULT_MAX_MEMORY, LIVE,
      "How much memory the contours of a frame may take, in bytes: one for "
      "each pixel (of at least 64 x 64) at each level of each class, and 64 "
      "for each line segment. "
      "A frame that would take more is left out, before memory is made for "
      "it. 0 is no limit."),
  GST_SHAPES_ENUM (Settings, measures, "measures", "Measures",
      measures_get_type, CS_MEASURES_BASIC, LIVE,
      "What to measure of every contour: only the signed area; or also "
      "perimeter, centroid and bounding box; or also moments, which give "
      "orientation, eccentricity and axis lengths."),
  GST_SHAPES_BOOLEAN (Settings, measures_only, "measures-only", "Measures only",
      FALSE, LIVE,
      "Leave the points out: a contour is then about 100 bytes, however long."),
  GST_SHAPES_BOOLEAN (Settings, hierarchy, "hierarchy", "Hierarchy", FALSE,
      LIVE,
      "Find for every closed contour the innermost closed contour that "
      "encloses it, and write its id as the parent; off, there are no "
      "parents. Holes are marked in any case."),
  GST_SHAPES_BOOLEAN (Settings, post_messages, "post-messages", "Post messages",
      FALSE, LIVE,
      "Post an element message \"cudacontours\" for every frame, with its "
      "timestamps and the numbers of contours and points, in all and by "
      "class."),
};

const GstShapesProperties gst_cuda_contours_properties =
    GST_SHAPES_PROPERTIES (rows, Settings, 1);

/* Lists */

static const gchar *
skip_space (const gchar * text)
{
  while (g_ascii_isspace (*text))
    text++;
  return text;
}

GArray *
gst_cuda_contours_parse_numbers (const gchar * name, const gchar * text,
    GError ** error)
{
  GArray *numbers = g_array_new (FALSE, FALSE, sizeof (gdouble));
  const gchar *at = skip_space (text ? text : "");

  while (*at) {
    gchar *end;
    const gdouble number = g_ascii_strtod (at, &end);

    if (end == at || !isfinite (number))
      goto wrong;
    g_array_append_val (numbers, number);
    at = skip_space (end);
    if (*at == ',') {
      at = skip_space (at + 1);
      if (!*at)
        goto wrong;
    } else if (*at) {
      goto wrong;
    }
  }
  return numbers;

wrong:
  g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "%s=\"%s\" is not a list of "
      "numbers with commas in between, such as \"0.25,0.5\"", name, text);
  g_array_unref (numbers);
  return NULL;
}

GArray *
gst_cuda_contours_parse_indices (const gchar * name, const gchar * text,
    GError ** error)
{
  GArray *numbers = gst_cuda_contours_parse_numbers (name, text, NULL);
  GArray *indices = g_array_new (FALSE, FALSE, sizeof (guint));
  guint i;

  if (!numbers)
    goto wrong;
  for (i = 0; i < numbers->len; i++) {
    const gdouble number = g_array_index (numbers, gdouble, i);
    const guint index = number >= 0 && number <= G_MAXINT32 ? number : 0;

    if (number != index)
      goto wrong;
    g_array_append_val (indices, index);
  }
  g_array_unref (numbers);
  return indices;

wrong:
  g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "%s=\"%s\" is not a list of "
      "whole numbers from 0 with commas in between, such as \"0,3\"", name,
      text);
  g_clear_pointer (&numbers, g_array_unref);
  g_array_unref (indices);
  return NULL;
}
