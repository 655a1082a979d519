/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawsettings.h"

#include <math.h>

#include "base/text.h"
#include "element/gstshapesframe.h"
#include "shapes/gstshapesenum.h"

/* All files of the element that log are above this one. */
GST_DEBUG_CATEGORY (fourier_debug);

#define MAX_TIME 86400.
#define MAX_WIDTH 256.
/* With these, faces keep their eyes, and texture does not turn into strokes. */
#define DETECT_SIZE 800
#define CANNY_SIGMA 1.5
/* Lines are as wide as set in films of at most this width and height. */
#define FILM_SIZE 1920.

GST_SHAPES_DEFINE_ENUM_TYPE (static, mode_get_type, "GstFourierDrawMode",
    {FOURIER_MODE_AUTO, "Live if upstream is, otherwise redraw", "auto"},
    {FOURIER_MODE_REDRAW, "A film of each picture", "redraw"},
    {FOURIER_MODE_LIVE, "A frame for each input frame", "live"},
    {FOURIER_MODE_STILL, "The finished drawing of each picture", "still"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, on_eos_get_type, "GstFourierDrawOnEos",
    {FOURIER_ON_EOS_CUT, "The film ends at once", "cut"},
    {FOURIER_ON_EOS_FINISH, "The pass is drawn to its end", "finish"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, detect_get_type, "GstFourierDrawDetect",
    {FOURIER_DETECT_ISO, "Iso-contours of brightness", "iso"},
    {FOURIER_DETECT_CANNY, "Canny's edges", "canny"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, exclude_mode_get_type,
    "GstFourierDrawExclude",
    {CS_STROKES_EXCLUDE_POINTS, "Points under the brush", "points"},
    {CS_STROKES_EXCLUDE_CONTOURS, "Contours with points under the brush",
        "contours"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, merge_method_get_type,
    "GstFourierDrawMergeMethod",
    {CS_STROKES_MERGE_ENDS, "Open contours are joined at their ends", "ends"},
    {CS_STROKES_MERGE_LIFT, "Near contours count together, the pen is lifted",
        "lift"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, order_get_type, "GstFourierDrawOrder",
    {CS_STROKES_ORDER_NONE, "Largest first", "none"},
    {CS_STROKES_ORDER_MIN_DISTANCE, "The nearest contour next", "min-distance"},
    {CS_STROKES_ORDER_ENDPOINTS, "The contour with the nearest end next",
        "endpoints"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, path_mode_get_type,
    "GstFourierDrawPathMode",
    {FOURIER_PATH_MODE_SINGLE, "One arm for all contours", "single"},
    {FOURIER_PATH_MODE_PER_CONTOUR, "An arm for each contour", "per-contour"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, trail_get_type, "GstFourierDrawTrail",
    {FOURIER_TRAIL_FULL, "The ink stays", "full"},
    {FOURIER_TRAIL_FADE, "The ink fades", "fade"},
    {FOURIER_TRAIL_NONE, "No ink", "none"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, brush_mode_get_type,
    "GstFourierDrawBrushMode",
    {FOURIER_BRUSH_MODE_ERASE, "The first button erases", "erase"},
    {FOURIER_BRUSH_MODE_DRAW, "The first button draws", "draw"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, ink_source_get_type,
    "GstFourierDrawInkSource",
    {FOURIER_INK_SOURCE_COLOR, "One colour", "color"},
    {FOURIER_INK_SOURCE_PICTURE, "The picture's colours", "picture"},
    {FOURIER_INK_SOURCE_GRADIENT, "From one colour to another", "gradient"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, camera_get_type, "GstFourierDrawCamera",
    {FOURIER_CAMERA_FIT, "The whole picture", "fit"},
    {FOURIER_CAMERA_FOLLOW_TIP, "The surroundings of the pen", "follow-tip"})

typedef FourierSettings Settings;

static const GstShapesProperty rows[] = {
  GST_SHAPES_ENUM (Settings, mode, "mode", "Mode", mode_get_type,
      FOURIER_MODE_AUTO, READY,
      "\"redraw\" makes a film of each picture, with timestamps of its own; "
      "\"live\" outputs one frame for each input frame, and takes a new "
      "picture when a drawing is finished; \"still\" outputs one frame for "
      "each picture, its finished drawing; \"auto\" is live if upstream is."),
  GST_SHAPES_DOUBLE (Settings, duration, "duration", "Duration", 0., MAX_TIME,
      10., LIVE, "Duration of drawing, in seconds."),
  GST_SHAPES_DOUBLE (Settings, hold, "hold", "Hold", 0., MAX_TIME, 2., LIVE,
      "Time for which the finished drawing is shown, in seconds."),
  GST_SHAPES_DOUBLE (Settings, start_delay, "start-delay", "Start delay", 0.,
      MAX_TIME, 0., LIVE, "Time before the arm begins to draw, in seconds."),
  GST_SHAPES_DOUBLE (Settings, speed, "speed", "Speed", .001, 1000., 1.,
      ANIMATED, "Speed factor of start delay, drawing and hold."),
  GST_SHAPES_UINT (Settings, loop, "loop", "Loop", 0, G_MAXINT, 1, LIVE,
      "Number of times that each picture is drawn; 0 repeats it until "
      "\"capture\" is emitted."),
  GST_SHAPES_ENUM (Settings, on_eos, "on-eos", "On EOS", on_eos_get_type,
      FOURIER_ON_EOS_CUT, LIVE, "What an EOS event that is sent to the element "
      "or the pipeline (Ctrl-C with gst-launch-1.0 -e) does to a film: \"cut\" "
      "ends it at once, \"finish\" draws the present pass to its end; a second "
      "one ends it at once. The end of the input does neither."),
  GST_SHAPES_BOOLEAN (Settings, paused, "paused", "Paused", FALSE, LIVE,
      "Whether the arm stands still; frames continue."),
  GST_SHAPES_ENUM (Settings, detect, "detect", "Detect", detect_get_type,
      FOURIER_DETECT_CANNY, LIVE,
      "What to detect in pictures without shape metadata: \"canny\", edges; "
      "\"iso\", the iso-contours of \"levels\". Contours in the metadata, as "
      "those of cudacontours, take precedence.", .affects = FOURIER_DRAWING),
  GST_SHAPES_UINT (Settings, detect_size, "detect-size", "Detection size", 0,
      G_MAXINT, DETECT_SIZE, LIVE, "Contours are detected in a copy of the "
      "picture of at most so many pixels in width and height; 0 for no such "
      "limit. The copy is not larger than the picture in the film either, "
      "unless the camera follows the tip.", .affects = FOURIER_DRAWING),
  GST_SHAPES_STRING (Settings, svg, "svg-location", "SVG file", NULL, LIVE,
      "An SVG file, .svg or .svgz, whose outlines are drawn instead of the "
      "picture's contours, its page as large as the picture: all that has a "
      "fill or a stroke and is not hidden, except texts. Empty: none.",
      .affects = FOURIER_DRAWING),
  GST_SHAPES_STRING (Settings, text, "text", "Text", NULL, LIVE,
      "A text whose letters' outlines are drawn instead of the picture's "
      "contours, as large as the picture; lines between newlines. "
      "\"svg-location\" takes precedence. Empty: none. Needs a build with "
      "Pango.", .affects = FOURIER_DRAWING),
  GST_SHAPES_STRING (Settings, font, "font", "Font", "Sans", LIVE,
      "Font of \"text\", as Pango names it (\"Sans Bold\"); a size in it is "
      "ignored.", .affects = FOURIER_DRAWING),
  GST_SHAPES_STRING (Settings, levels, "levels", "Levels", "0.5", LIVE,
      "With detect=iso: the levels of the contours, from 0, black, to 1, "
      "white: up to 8 numbers separated by commas, such as \"0.3,0.6\".",
      .affects = FOURIER_DRAWING),
  GST_SHAPES_DOUBLE (Settings, canny_sigma, "canny-sigma", "Canny sigma", 0.,
      20., CANNY_SIGMA, LIVE, "With detect=canny: standard deviation of the "
      "Gaussian blur, in pixels; a larger one gives fewer and smoother edges.",
      .affects = FOURIER_DRAWING),
  GST_SHAPES_DOUBLE (Settings, canny_low, "canny-low", "Canny low", 0., 1e6,
      10., LIVE, "With detect=canny: lower hysteresis threshold, the gradient "
      "that continues an edge, in unnormalised Sobel sums of 8-bit codes (8 "
      "for a slope of one code per pixel).", .affects = FOURIER_DRAWING),
  GST_SHAPES_DOUBLE (Settings, canny_high, "canny-high", "Canny high", 0., 1e6,
      100., LIVE, "With detect=canny: upper hysteresis threshold, the gradient "
      "that begins an edge.", .affects = FOURIER_DRAWING),
  GST_SHAPES_BOOLEAN (Settings, canny_auto, "canny-auto", "Canny automatic",
      TRUE, LIVE, "With detect=canny: choose both thresholds from the picture "
      "instead of \"canny-low\" and \"canny-high\". No edge begins below "
      "\"canny-low\".", .affects = FOURIER_DRAWING),
  GST_SHAPES_BOOLEAN (Settings, brush_enabled, "brush-enabled", "Brush enabled",
      FALSE, LIVE, "Whether the mouse in the video's window erases contours "
      "and adds strokes: drag with the first button to erase, with the third "
      "to draw, scroll to resize the brush, press r to draw again, u to undo "
      "the last stroke."),
  GST_SHAPES_ENUM (Settings, brush_mode, "brush-mode", "Brush mode",
      brush_mode_get_type, FOURIER_BRUSH_MODE_ERASE, LIVE,
      "What the first button of the mouse does; the third does the other."),
  GST_SHAPES_DOUBLE (Settings, brush_radius, "brush-radius", "Brush radius", .5,
      65536., 12., LIVE, "Radius of the brush of the mouse and of \"exclude\", "
      "in pixels of the picture.", .affects = FOURIER_DRAWING),
  GST_SHAPES_STRING (Settings, exclude, "exclude", "Exclude", NULL, LIVE,
      "Brush strokes over the contours to exclude: strokes separated by "
      "semicolons, each of points \"x,y\" separated by spaces, such as "
      "\"10,10 90,10; 50,40\".", .affects = FOURIER_DRAWING),
  GST_SHAPES_STRING (Settings, exclude_mask, "exclude-mask-location",
      "Exclude mask file", NULL, LIVE,
      "A PNG, JPEG or binary PGM image of the picture's size: what is under "
      "its pixels that are not 0 (black; in a JPEG, at least half of white) "
      "is excluded. Empty: none.", .affects = FOURIER_DRAWING),
  GST_SHAPES_ENUM (Settings, exclude_mode, "exclude-mode", "Exclude mode",
      exclude_mode_get_type, CS_STROKES_EXCLUDE_POINTS, LIVE,
      "What is excluded: the points under the brush, or all contours that "
      "have such points.", .affects = FOURIER_DRAWING),
  GST_SHAPES_DOUBLE (Settings, merge_distance, "merge-distance",
      "Merge distance", -1., 65536., -1., LIVE,
      "Contours at most this far from each other, in pixels, are merged by "
      "\"merge-method\"; -1 merges none.", .affects = FOURIER_DRAWING),
  GST_SHAPES_ENUM (Settings, merge_method, "merge-method", "Merge method",
      merge_method_get_type, CS_STROKES_MERGE_ENDS, LIVE,
      "How contours are merged: open ones joined at their nearest ends, or "
      "near ones counted together for \"min-points\" and \"min-length\", "
      "with the pen lifted in between.", .affects = FOURIER_DRAWING),
  GST_SHAPES_DOUBLE (Settings, min_length, "min-length", "Minimum length", 0.,
      1e9, 0., ANIMATED,
      "Contours shorter than this, in pixels, are not drawn.",
      .affects = FOURIER_DRAWING),
  GST_SHAPES_DOUBLE (Settings, duplicate_distance, "duplicate-distance",
      "Duplicate distance", -1., 65536., 0., LIVE, "Of points at most this far "
      "from each other, in pixels, only the first is drawn; 0 means equal "
      "points, -1 draws all.", .affects = FOURIER_DRAWING),
  GST_SHAPES_UINT (Settings, min_points, "min-points", "Least points", 0,
      G_MAXINT, 0, ANIMATED,
      "Leave out contours of fewer points; 0 takes 15 for edges and 10 for all "
      "other contours, 1 draws all.", .affects = FOURIER_DRAWING),
  GST_SHAPES_ENUM (Settings, order, "order", "Order", order_get_type,
      CS_STROKES_ORDER_ENDPOINTS, LIVE, "In which order contours are drawn, "
      "after the largest: by size; by the smallest distance between contours; "
      "or by the pen's path, where contours may be reversed or begin at "
      "another point.", .affects = FOURIER_DRAWING),
  GST_SHAPES_BOOLEAN (Settings, two_opt, "two-opt", "Two-opt", FALSE, LIVE,
      "With order=endpoints: whether to look for an order in which the lifted "
      "pen travels less, usually by a fifth.", .affects = FOURIER_DRAWING),
  GST_SHAPES_DOUBLE (Settings, simplify, "simplify", "Simplify", 0., 65536., 0.,
      LIVE, "Points that are at most this far from the line between those that "
      "remain are left out, in pixels; 0 keeps all.",
      .affects = FOURIER_DRAWING),
  GST_SHAPES_UINT (Settings, n_vectors, "n-vectors", "Number of vectors", 0,
      G_MAXINT, 0, ANIMATED, "Maximum number of rotating vectors of the arm, "
      "the longest ones; 0 takes all. \"rms-error\" is the error."),
  GST_SHAPES_UINT (Settings, n_samples, "n-samples", "Number of samples", 0,
      1 << 20, 0, LIVE, "Number of samples of the path, rounded up to an even "
      "product of 2, 3 and 5; 0 takes about one for each pixel of the path.",
      .affects = FOURIER_DRAWING),
  GST_SHAPES_ENUM (Settings, path_mode, "path-mode", "Path mode",
      path_mode_get_type, FOURIER_PATH_MODE_SINGLE, LIVE,
      "Whether one arm draws all contours, lifting the pen in between, or "
      "each contour has an arm of its own.", .affects = FOURIER_DRAWING),
  GST_SHAPES_UINT (Settings, arms, "arms", "Arms", 1, FOURIER_MAX_ARMS, 1, LIVE,
      "How many arms draw at the same time. They share the contours, so that "
      "they finish together, \"n-vectors\" and \"n-samples\".",
      .affects = FOURIER_DRAWING),
  GST_SHAPES_DOUBLE (Settings, travel_speed, "travel-speed", "Travel speed",
      .01, 1000., 4., LIVE,
      "Speed of the lifted pen, relative to that of the drawing pen.",
      .affects = FOURIER_DRAWING),
  GST_SHAPES_BOOLEAN (Settings, attach_shapes, "attach-shapes",
      "Attach shapes", FALSE, LIVE,
      "Whether frames carry the contours that are drawn, as shapes in drawing "
      "order: for shapesvgenc and a plotter, or for shapejsonenc."),
  GST_SHAPES_STRING (Settings, json_location, "json-location",
      "JSON location", NULL, LIVE,
      "A file to which each drawing is written when it begins, replacing the "
      "one before: its strokes and the vectors of its arms. Empty: none."),
  GST_SHAPES_ENUM (Settings, trail, "trail", "Trail", trail_get_type,
      FOURIER_TRAIL_FULL, LIVE,
      "Whether the ink stays, fades, or is not drawn."),
  GST_SHAPES_ENUM (Settings, ink_source, "ink-source", "Ink source",
      ink_source_get_type, FOURIER_INK_SOURCE_COLOR, LIVE,
      "Where the ink's colour is from: \"trail-color\"; the picture, where the "
      "pen is; or from \"trail-color\" to \"gradient-color\" along the path.",
      .affects = FOURIER_DRAWING),
  GST_SHAPES_ENUM (Settings, background, "background", "Background",
      gst_shapes_background_get_type, CS_BACKGROUND_BLACK, READY,
      "What is behind the drawing. \"frame\", the picture itself, needs an "
      "output of the same format and size; \"transparent\" one with alpha "
      "(otherwise it is black, with a warning)."),
  GST_SHAPES_ENUM (Settings, camera, "camera", "Camera", camera_get_type,
      FOURIER_CAMERA_FIT, LIVE,
      "Show the whole picture, or follow the tip of the pen."),
  GST_SHAPES_BOOLEAN (Settings, draw_circles, "draw-circles", "Draw circles",
      TRUE, ANIMATED, "Draw the circles on which the vectors turn."),
  GST_SHAPES_BOOLEAN (Settings, draw_arm, "draw-arm", "Draw arm", TRUE,
      ANIMATED, "Draw the vectors."),
  GST_SHAPES_BOOLEAN (Settings, draw_tip, "draw-tip", "Draw tip", TRUE,
      ANIMATED, "Draw the pen."),
  GST_SHAPES_DOUBLE (Settings, arm_fade, "arm-fade", "Arm fade", -1., MAX_TIME,
      .5, LIVE, "Time in which arm, circles and pen fade out when the drawing "
      "is finished, in seconds of \"hold\"; -1 keeps them."),
  GST_SHAPES_DOUBLE (Settings, fade_time, "fade-time", "Fade time", .001,
      MAX_TIME, 3., ANIMATED,
      "With trail=fade: the time in which ink fades, in seconds."),
  GST_SHAPES_DOUBLE (Settings, min_radius, "min-radius", "Minimum radius", 0.,
      65536., 1., ANIMATED,
      "Circles smaller than this, in pixels of the film, are not drawn."),
  GST_SHAPES_DOUBLE (Settings, ghost_opacity, "ghost-opacity", "Ghost opacity",
      0., 1., .15, ANIMATED,
      "Opacity of the contours that are to be drawn; 0 hides them."),
  GST_SHAPES_DOUBLE (Settings, zoom, "zoom", "Zoom", .1, 100., 4., ANIMATED,
      "With camera=follow-tip: magnification relative to the whole picture."),
  GST_SHAPES_COLOR (Settings, trail_color, "trail-color", "Trail colour",
      0xffffd34e, ANIMATED, "Colour of the ink, 0xAARRGGBB.", 0),
  GST_SHAPES_COLOR (Settings, gradient_color, "gradient-color",
      "Gradient colour", 0xff56b4e9, ANIMATED, "With ink-source=gradient: "
      "colour of the ink at the end of the path, 0xAARRGGBB.", 0),
  GST_SHAPES_COLOR (Settings, circle_color, "circle-color", "Circle colour",
      0x6056b4e9, ANIMATED, "Colour of the circles, 0xAARRGGBB.", 0),
  GST_SHAPES_COLOR (Settings, arm_color, "arm-color", "Arm colour", 0xd0e8eef4,
      ANIMATED, "Colour of the vectors, 0xAARRGGBB.", 0),
  GST_SHAPES_COLOR (Settings, tip_color, "tip-color", "Tip colour", 0xffff5a36,
      ANIMATED, "Colour of the pen, 0xAARRGGBB.", 0),
  GST_SHAPES_COLOR (Settings, ghost_color, "ghost-color", "Ghost colour",
      0xffffffff, ANIMATED, "Colour of the contours that are to be drawn, "
      "0xAARRGGBB; \"ghost-opacity\" multiplies its alpha.", 0),
  GST_SHAPES_COLOR (Settings, brush_color, "brush-color", "Brush colour",
      0x80d55e00, ANIMATED, "Colour of the mouse's strokes until the next "
      "drawing begins, 0xAARRGGBB.", 0),
  GST_SHAPES_DOUBLE (Settings, trail_width, "trail-width", "Trail width", .1,
      MAX_WIDTH, 2., ANIMATED, "Width of the ink, in pixels of the film."),
  GST_SHAPES_DOUBLE (Settings, casing, "casing", "Casing", 0., MAX_WIDTH, 0.,
      ANIMATED, "Width of a border along both sides of ink, circles, arm and "
      "pen, in pixels of the film, black around bright colours and white "
      "around dark ones, which keeps them visible on any ground. 0: none."),
  GST_SHAPES_DOUBLE (Settings, width_scale, "width-scale", "Width scale", 0.,
      MAX_WIDTH, 0., ANIMATED, "Factor on all widths and radii of the film. 0 "
      "takes 1 for films of at most 1920 pixels in width and height; larger "
      "ones are in proportion, so that they look the same."),
  GST_SHAPES_DOUBLE (Settings, circle_width, "circle-width", "Circle width", .1,
      MAX_WIDTH, 1., ANIMATED,
      "Width of the circles' lines, in pixels of the film."),
  GST_SHAPES_DOUBLE (Settings, arm_width, "arm-width", "Arm width", .1,
      MAX_WIDTH, 1.5, ANIMATED, "Width of the vectors, in pixels of the film."),
  GST_SHAPES_DOUBLE (Settings, tip_radius, "tip-radius", "Tip radius", .1,
      MAX_WIDTH, 3.5, ANIMATED, "Radius of the pen, in pixels of the film."),
};

const GstShapesProperties fourier_properties =
    GST_SHAPES_PROPERTIES (rows, Settings, 100);

/* Looks */

void
fourier_settings_scale_widths (FourierSettings * settings,
    guint width, guint height)
{
  const gdouble scale = settings->width_scale > 0. ? settings->width_scale :
      MAX (1., MAX (width, height) / FILM_SIZE);

  settings->trail_width *= scale;
  settings->circle_width *= scale;
  settings->arm_width *= scale;
  settings->tip_radius *= scale;
  settings->casing *= scale;
  settings->min_radius *= scale;
}

/* Parameters */

static GstClockTime
to_time (gdouble seconds)
{
  return (GstClockTime) (seconds * GST_SECOND + .5);
}

void
fourier_settings_get_times (const FourierSettings * settings,
    FourierTimes * times)
{
  times->start_delay = to_time (settings->start_delay);
  times->duration = to_time (settings->duration);
  times->hold = to_time (settings->hold);
  times->speed = settings->speed;
  times->loop = settings->loop;
  times->paused = settings->paused;
}

void
fourier_settings_get_strokes (const FourierSettings * settings,
    gdouble scale, guint min_points, CsStrokesParams * params)
{
  cs_strokes_params_init (params);
  params->merge_distance = settings->merge_distance * scale;
  params->merge = settings->merge_method;
  params->min_points = settings->min_points > 0 ? settings->min_points :
      min_points;
  params->min_length = settings->min_length * scale;
  params->duplicate_distance = settings->duplicate_distance * scale;
  params->order = settings->order;
  params->two_opt = settings->two_opt;
  params->simplify = settings->simplify * scale;
  params->exclude = settings->exclude_mode;
}

void
fourier_settings_get_edges (const FourierSettings * settings,
    CsEdgesParams * params)
{
  cs_edges_params_init (params);
  params->sigma = settings->canny_sigma;
  params->low = MIN (settings->canny_low, settings->canny_high);
  params->high = settings->canny_high;
  params->automatic = settings->canny_auto;
}

gboolean
fourier_parse_levels (const gchar * text, gdouble * levels,
    guint * n_levels, GError ** error)
{
  const gchar *at = cs_text_skip_space (text ? text : "");
  guint n = 0;

  do {
    gchar *end;
    const gdouble level = g_ascii_strtod (at, &end);

    if (end == at || !isfinite (level) || n == FOURIER_MAX_LEVELS)
      goto wrong;
    levels[n++] = level;
    at = cs_text_skip_space (end);
    if (*at && *at != ',')
      goto wrong;
  } while (*at++);
  *n_levels = n;
  return TRUE;

wrong:
  return cs_error (error, CS_ERROR_INVALID, "levels=\"%s\" is not a "
      "list of 1 to %d numbers separated by commas, such as \"0.3,0.6\"",
      text ? text : "", FOURIER_MAX_LEVELS);
}
