/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstcudacontourssettings.h"

#include <math.h>

#include "shapes/gstshapesenum.h"

enum
{
  PROP_LEVEL = GST_CUDA_CONTOURS_FIRST_PROPERTY,
  PROP_LEVEL_UNIT,
  PROP_LEVELS,
  PROP_CLASSES,
  PROP_AUTO_LEVEL,
  PROP_CHANNEL,
  PROP_BIT_DEPTH,
  PROP_LAYOUT,
  PROP_FULLY_CONNECTED,
  PROP_POSITIVE_ORIENTATION,
  PROP_MIN_POINTS,
  PROP_MIN_AREA,
  PROP_MAX_AREA,
  PROP_MASK,
  PROP_MASK_ALPHA,
  PROP_ROI,
  PROP_MAX_SEGMENTS,
  PROP_MAX_MEMORY,
  PROP_MEASURES,
  PROP_MEASURES_ONLY,
  PROP_HIERARCHY,
  PROP_POST_MESSAGES,
};

#define DEFAULT_LEVEL 0.5
#define DEFAULT_LEVEL_UNIT GST_SHAPES_LEVEL_UNIT_NORMALIZED
#define DEFAULT_CHANNEL GST_SHAPES_CHANNEL_LUMA
#define DEFAULT_LAYOUT GST_SHAPES_TENSOR_LAYOUT_AUTO
#define DEFAULT_SIDE GST_CUDA_CONTOURS_SIDE_LOW
#define DEFAULT_MEASURES CS_MEASURES_BASIC
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

void
gst_cuda_contours_settings_init (GstCudaContoursSettings * settings)
{
  const GstCudaContoursSettings defaults = {
    .level = DEFAULT_LEVEL,
    .level_unit = DEFAULT_LEVEL_UNIT,
    .channel = DEFAULT_CHANNEL,
    .layout = DEFAULT_LAYOUT,
    .fully_connected = DEFAULT_SIDE,
    .positive_orientation = DEFAULT_SIDE,
    .max_area = G_MAXDOUBLE,
    .measures = DEFAULT_MEASURES,
    .max_memory = DEFAULT_MAX_MEMORY,
  };

  *settings = defaults;
}

void
gst_cuda_contours_settings_copy (GstCudaContoursSettings * to,
    const GstCudaContoursSettings * from)
{
  *to = *from;
  to->levels = g_strdup (from->levels);
  to->classes = g_strdup (from->classes);
  to->mask = g_strdup (from->mask);
  to->roi = g_strdup (from->roi);
}

void
gst_cuda_contours_settings_clear (GstCudaContoursSettings * settings)
{
  g_clear_pointer (&settings->levels, g_free);
  g_clear_pointer (&settings->classes, g_free);
  g_clear_pointer (&settings->mask, g_free);
  g_clear_pointer (&settings->roi, g_free);
}

/* Setting a property to what it is already, as a controller does on every
 * frame, changes nothing. */

static gboolean
set_double (gdouble * place, const GValue * value)
{
  const gdouble new_value = g_value_get_double (value);
  const gboolean changed = *place != new_value;

  *place = new_value;
  return changed;
}

static gboolean
set_uint (guint * place, guint new_value)
{
  const gboolean changed = *place != new_value;

  *place = new_value;
  return changed;
}

static gboolean
set_boolean (gboolean * place, const GValue * value)
{
  const gboolean new_value = g_value_get_boolean (value);
  const gboolean changed = *place != new_value;

  *place = new_value;
  return changed;
}

static gboolean
set_string (gchar ** place, const GValue * value)
{
  const gboolean changed = g_strcmp0 (*place, g_value_get_string (value)) != 0;

  if (changed) {
    g_free (*place);
    *place = g_value_dup_string (value);
  }
  return changed;
}

#define SET_ENUM(place, value) \
  ((place) != (guint) g_value_get_enum (value) ? \
      ((place) = g_value_get_enum (value), TRUE) : FALSE)

void
gst_cuda_contours_settings_set (GstCudaContoursSettings * settings,
    GObject * object, guint id, const GValue * value, GParamSpec * pspec,
    gboolean * changed)
{
  *changed = FALSE;
  switch (id) {
    case PROP_LEVEL:
      *changed = set_double (&settings->level, value);
      break;
    case PROP_LEVEL_UNIT:
      *changed = SET_ENUM (settings->level_unit, value);
      break;
    case PROP_LEVELS:
      *changed = set_string (&settings->levels, value);
      break;
    case PROP_CLASSES:
      *changed = set_string (&settings->classes, value);
      break;
    case PROP_AUTO_LEVEL:
      *changed = set_boolean (&settings->auto_level, value);
      break;
    case PROP_CHANNEL:
      *changed = SET_ENUM (settings->channel, value);
      break;
    case PROP_BIT_DEPTH:
      *changed = set_uint (&settings->bit_depth, g_value_get_uint (value));
      break;
    case PROP_LAYOUT:
      *changed = SET_ENUM (settings->layout, value);
      break;
    case PROP_FULLY_CONNECTED:
      *changed = SET_ENUM (settings->fully_connected, value);
      break;
    case PROP_POSITIVE_ORIENTATION:
      *changed = SET_ENUM (settings->positive_orientation, value);
      break;
    case PROP_MIN_POINTS:
      *changed = set_uint (&settings->min_points, g_value_get_uint (value));
      break;
    case PROP_MIN_AREA:
      *changed = set_double (&settings->min_area, value);
      break;
    case PROP_MAX_AREA:
      *changed = set_double (&settings->max_area, value);
      break;
    case PROP_MASK:
      *changed = set_string (&settings->mask, value);
      break;
    case PROP_MASK_ALPHA:
      *changed = set_boolean (&settings->mask_alpha, value);
      break;
    case PROP_ROI:
      *changed = set_string (&settings->roi, value);
      break;
    case PROP_MAX_SEGMENTS:
      *changed = settings->max_segments != g_value_get_uint64 (value);
      settings->max_segments = g_value_get_uint64 (value);
      break;
    case PROP_MAX_MEMORY:
      *changed = settings->max_memory != g_value_get_uint64 (value);
      settings->max_memory = g_value_get_uint64 (value);
      break;
    case PROP_MEASURES:
      *changed = SET_ENUM (settings->measures, value);
      break;
    case PROP_MEASURES_ONLY:
      *changed = set_boolean (&settings->measures_only, value);
      break;
    case PROP_HIERARCHY:
      *changed = set_boolean (&settings->hierarchy, value);
      break;
    case PROP_POST_MESSAGES:
      *changed = set_boolean (&settings->post_messages, value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
}

void
gst_cuda_contours_settings_get (const GstCudaContoursSettings * settings,
    GObject * object, guint id, GValue * value, GParamSpec * pspec)
{
  switch (id) {
    case PROP_LEVEL:
      g_value_set_double (value, settings->level);
      break;
    case PROP_LEVEL_UNIT:
      g_value_set_enum (value, settings->level_unit);
      break;
    case PROP_LEVELS:
      g_value_set_string (value, settings->levels);
      break;
    case PROP_CLASSES:
      g_value_set_string (value, settings->classes);
      break;
    case PROP_AUTO_LEVEL:
      g_value_set_boolean (value, settings->auto_level);
      break;
    case PROP_CHANNEL:
      g_value_set_enum (value, settings->channel);
      break;
    case PROP_BIT_DEPTH:
      g_value_set_uint (value, settings->bit_depth);
      break;
    case PROP_LAYOUT:
      g_value_set_enum (value, settings->layout);
      break;
    case PROP_FULLY_CONNECTED:
      g_value_set_enum (value, settings->fully_connected);
      break;
    case PROP_POSITIVE_ORIENTATION:
      g_value_set_enum (value, settings->positive_orientation);
      break;
    case PROP_MIN_POINTS:
      g_value_set_uint (value, settings->min_points);
      break;
    case PROP_MIN_AREA:
      g_value_set_double (value, settings->min_area);
      break;
    case PROP_MAX_AREA:
      g_value_set_double (value, settings->max_area);
      break;
    case PROP_MASK:
      g_value_set_string (value, settings->mask);
      break;
    case PROP_MASK_ALPHA:
      g_value_set_boolean (value, settings->mask_alpha);
      break;
    case PROP_ROI:
      g_value_set_string (value, settings->roi);
      break;
    case PROP_MAX_SEGMENTS:
      g_value_set_uint64 (value, settings->max_segments);
      break;
    case PROP_MAX_MEMORY:
      g_value_set_uint64 (value, settings->max_memory);
      break;
    case PROP_MEASURES:
      g_value_set_enum (value, settings->measures);
      break;
    case PROP_MEASURES_ONLY:
      g_value_set_boolean (value, settings->measures_only);
      break;
    case PROP_HIERARCHY:
      g_value_set_boolean (value, settings->hierarchy);
      break;
    case PROP_POST_MESSAGES:
      g_value_set_boolean (value, settings->post_messages);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
}

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

/* Descriptions */

#define FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)
#define LIVE (FLAGS | GST_PARAM_MUTABLE_PLAYING)
#define ANIMATED (LIVE | GST_PARAM_CONTROLLABLE)

static void
install_what (GObjectClass * klass)
{
  g_object_class_install_property (klass, PROP_LEVEL,
      g_param_spec_double ("level", "Level",
          "The value whose iso-lines are found, in the unit that \"level-unit\" "
          "says: 0.5 is mid-gray of any video. Pixels above it are inside, "
          "pixels equal to it outside. For tensors always in the tensor's own "
          "unit, such as 0.5 of a probability. Not used with \"levels\" or "
          "\"auto-level\".", -G_MAXDOUBLE, G_MAXDOUBLE, DEFAULT_LEVEL,
          ANIMATED));
  g_object_class_install_property (klass, PROP_LEVEL_UNIT,
      g_param_spec_enum ("level-unit", "Unit of the level",
          "What \"level\" and \"levels\" count for video. \"normalized\": 0 to "
          "1 of the full range of code values, whatever the bit depth. "
          "\"sample\": the code value itself, so that 128 means 128. The level "
          "in the results is always the code value.",
          GST_TYPE_SHAPES_LEVEL_UNIT, DEFAULT_LEVEL_UNIT, LIVE));
  g_object_class_install_property (klass, PROP_LEVELS,
      g_param_spec_string ("levels", "Levels",
          "Several levels instead of one, with commas in between, such as "
          "\"0.25,0.5,0.75\": every one gives contours of its own. For a "
          "tensor of several classes give one level for all, or as many as "
          "classes, each for its own class. Not used with \"auto-level\". "
          "Empty: use \"level\".", NULL, LIVE));
  g_object_class_install_property (klass, PROP_CLASSES,
      g_param_spec_string ("classes", "Classes",
          "The channels of a tensor to look at, counted from 0 with commas in "
          "between, such as \"0,3,7\"; a shape's class is its channel. Empty: "
          "all. Not for video, see \"channel\".", NULL, LIVE));
  g_object_class_install_property (klass, PROP_AUTO_LEVEL,
      g_param_spec_boolean ("auto-level", "Automatic level",
          "Take the middle between the darkest and the brightest valid pixel "
          "of each frame (of each class) as the level. Flickers on video whose "
          "brightest pixel does.", FALSE, LIVE));
  g_object_class_install_property (klass, PROP_CHANNEL,
      g_param_spec_enum ("channel", "Channel",
          "What of the video to look at. \"luma\" is the Y of YUV and gray "
          "formats; of RGB formats it is computed by the weights of the caps' "
          "colorimetry, unrounded. \"r\", \"g\", \"b\" and \"a\" are for "
          "formats that have them. Not for tensors, see \"classes\".",
          GST_TYPE_SHAPES_CHANNEL, DEFAULT_CHANNEL, LIVE));
  g_object_class_install_property (klass, PROP_BIT_DEPTH,
      g_param_spec_uint ("bit-depth", "Bit depth",
          "How many of the 16 bits of GRAY16_LE the camera uses, the low ones: "
          "10, 12 or 14 make \"level\" count up to 1023, 4095 or 16383. "
          "0 means all 16. Other formats know their depth.", 0, 16, 0, LIVE));
  g_object_class_install_property (klass, PROP_LAYOUT,
      g_param_spec_enum ("layout", "Tensor layout",
          "Which dimension of a tensor is what, counted from the innermost: "
          "\"hwc\" is channels:width:height:images, \"chw\" is "
          "width:height:channels:images. \"auto\" takes the channels to be "
          "what there is less of, and fails when the first dimension is more "
          "than half and less than twice the third.",
          GST_TYPE_SHAPES_TENSOR_LAYOUT, DEFAULT_LAYOUT, LIVE));
}

static void
install_how (GObjectClass * klass)
{
  g_object_class_install_property (klass, PROP_FULLY_CONNECTED,
      g_param_spec_enum ("fully-connected", "Fully connected",
          "Which pixels touch across a corner where two high and two low ones "
          "meet crosswise. scikit-image's parameter of the same name.",
          side_get_type (), DEFAULT_SIDE, LIVE));
  g_object_class_install_property (klass, PROP_POSITIVE_ORIENTATION,
      g_param_spec_enum ("positive-orientation", "Positive orientation",
          "Which pixels contours wind around counter-clockwise as seen on the "
          "screen. scikit-image's parameter of the same name.",
          side_get_type (), DEFAULT_SIDE, LIVE));
  g_object_class_install_property (klass, PROP_HIERARCHY,
      g_param_spec_boolean ("hierarchy", "Hierarchy",
          "Find for every closed contour the smallest one around it, and write "
          "its id as the parent; off, there are no parents. Holes are marked "
          "in any case.", FALSE, LIVE));
  g_object_class_install_property (klass, PROP_MIN_POINTS,
      g_param_spec_uint ("min-points", "Least points",
          "Drop contours of fewer points; a closed contour's last point, which "
          "repeats its first, counts. 0 keeps all.",
          0, G_MAXINT32, 0, ANIMATED));
  g_object_class_install_property (klass, PROP_MIN_AREA,
      g_param_spec_double ("min-area", "Least area",
          "Drop contours around less than this, in square pixels; open "
          "contours are closed by a straight line. 20 removes the grain of a "
          "noisy camera.", 0, G_MAXDOUBLE, 0, ANIMATED));
  g_object_class_install_property (klass, PROP_MAX_AREA,
      g_param_spec_double ("max-area", "Largest area",
          "Drop contours around more than this, in square pixels. The default "
          "keeps all.",
          0, G_MAXDOUBLE, G_MAXDOUBLE, ANIMATED));
  g_object_class_install_property (klass, PROP_MASK,
      g_param_spec_string ("mask", "Mask file",
          "A binary PGM image of the frame's size: where it is 0 (black), "
          "pixels do not count, and contours end beside them. Read once, when "
          "it is first needed; another name reads another file. Empty: no "
          "mask.", NULL, LIVE));
  g_object_class_install_property (klass, PROP_MASK_ALPHA,
      g_param_spec_boolean ("mask-alpha", "Mask by alpha",
          "Leave out the pixels whose alpha is 0, as \"mask\" does; for "
          "formats with 8 bits of alpha, and instead of \"mask\".",
          FALSE, LIVE));
  g_object_class_install_property (klass, PROP_ROI,
      g_param_spec_string ("roi", "Region of interest",
          "Look at a part of the picture only, as \"x,y,width,height\" in "
          "pixels, such as \"100,50,640,480\"; a width or height of 0 reaches "
          "to the edge. Coordinates in the results stay those of the whole "
          "picture. Empty: all of it.", NULL, LIVE));
  g_object_class_install_property (klass, PROP_MAX_SEGMENTS,
      g_param_spec_uint64 ("max-segments", "Expected segments",
          "How many line segments (about as many as points) a frame is "
          "expected to have, to reserve memory for before the first one; "
          "0 guesses. No limit: a frame that has more is computed again with "
          "more memory, and nothing is lost.", 0, G_MAXUINT32, 0, LIVE));
  g_object_class_install_property (klass, PROP_MAX_MEMORY,
      g_param_spec_uint64 ("max-memory", "Most memory",
          "How much memory the contours of a frame may take, in bytes: one for "
          "each pixel at each level of each class, and 64 for each line "
          "segment. A frame that would take more is left out, before memory is "
          "made for it. 0 is no limit.", 0, G_MAXUINT64, DEFAULT_MAX_MEMORY,
          LIVE));
  g_object_class_install_property (klass, PROP_MEASURES,
      g_param_spec_enum ("measures", "Measures",
          "What to measure of every contour: only the signed area; or also "
          "perimeter, centroid and bounding box; or also moments, which give "
          "orientation, eccentricity and axis lengths.",
          measures_get_type (), DEFAULT_MEASURES, LIVE));
  g_object_class_install_property (klass, PROP_MEASURES_ONLY,
      g_param_spec_boolean ("measures-only", "Measures only",
          "Leave the points out: a contour is then about 100 bytes, however "
          "long.", FALSE, LIVE));
  g_object_class_install_property (klass, PROP_POST_MESSAGES,
      g_param_spec_boolean ("post-messages", "Post messages",
          "Post an element message \"cudacontours\" for every frame, with its "
          "timestamps and the numbers of contours and points, in all and by "
          "class.", FALSE, LIVE));
}

void
gst_cuda_contours_settings_install (GObjectClass * klass)
{
  install_what (klass);
  install_how (klass);
  gst_type_mark_as_plugin_api (GST_TYPE_SHAPES_LEVEL_UNIT, 0);
  gst_type_mark_as_plugin_api (side_get_type (), 0);
  gst_type_mark_as_plugin_api (GST_TYPE_SHAPES_CHANNEL, 0);
  gst_type_mark_as_plugin_api (measures_get_type (), 0);
  gst_type_mark_as_plugin_api (GST_TYPE_SHAPES_TENSOR_LAYOUT, 0);
}
