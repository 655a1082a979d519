/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstfourierdrawsettings.h"

#include <math.h>
#include <stddef.h>

#include "shapes/gstshapesenum.h"

enum
{
  PROP_MODE = GST_FOURIER_DRAW_FIRST_PROPERTY,
  PROP_DURATION,
  PROP_HOLD,
  PROP_START_DELAY,
  PROP_SPEED,
  PROP_LOOP,
  PROP_PAUSED,
  PROP_DETECT,
  PROP_LEVELS,
  PROP_CANNY_SIGMA,
  PROP_CANNY_LOW,
  PROP_CANNY_HIGH,
  PROP_CANNY_AUTO,
  PROP_BRUSH_ENABLED,
  PROP_BRUSH_RADIUS,
  PROP_EXCLUDE,
  PROP_EXCLUDE_MASK,
  PROP_EXCLUDE_MODE,
  PROP_MERGE_DISTANCE,
  PROP_MERGE_METHOD,
  PROP_MIN_LENGTH,
  PROP_DUPLICATE_DISTANCE,
  PROP_MIN_POINTS,
  PROP_ORDER,
  PROP_N_VECTORS,
  PROP_N_SAMPLES,
  PROP_PATH_MODE,
  PROP_TRAVEL_SPEED,
  PROP_TRAIL,
  PROP_BACKGROUND,
  PROP_CAMERA,
  PROP_SHOW_CIRCLES,
  PROP_SHOW_ARM,
  PROP_SHOW_TIP,
  PROP_FADE_TIME,
  PROP_MIN_RADIUS,
  PROP_GHOST_OPACITY,
  PROP_ZOOM,
  PROP_TRAIL_COLOR,
  PROP_CIRCLE_COLOR,
  PROP_ARM_COLOR,
  PROP_TIP_COLOR,
  PROP_GHOST_COLOR,
  PROP_BRUSH_COLOR,
  PROP_TRAIL_WIDTH,
  PROP_CIRCLE_WIDTH,
  PROP_ARM_WIDTH,
  PROP_TIP_RADIUS,
  PROP_END,
};

#define DEFAULT_MODE GST_FOURIER_DRAW_MODE_AUTO
#define DEFAULT_DURATION 10.
#define DEFAULT_HOLD 2.
#define DEFAULT_START_DELAY 0.
#define DEFAULT_SPEED 1.
#define DEFAULT_LOOP 1
#define DEFAULT_DETECT GST_FOURIER_DRAW_DETECT_CANNY
#define DEFAULT_LEVELS "0.5"
#define DEFAULT_CANNY_SIGMA 3.
#define DEFAULT_CANNY_LOW 10.
#define DEFAULT_CANNY_HIGH 100.
#define DEFAULT_CANNY_AUTO TRUE
#define DEFAULT_BRUSH_RADIUS 12.
#define DEFAULT_EXCLUDE_MODE CS_STROKES_EXCLUDE_POINTS
#define DEFAULT_MERGE_DISTANCE -1.
#define DEFAULT_MERGE_METHOD CS_STROKES_MERGE_ENDS
#define DEFAULT_MIN_POINTS 10
#define DEFAULT_ORDER CS_STROKES_ORDER_ENDPOINTS
#define DEFAULT_PATH_MODE GST_FOURIER_DRAW_PATH_MODE_SINGLE
#define DEFAULT_TRAVEL_SPEED 4.
#define DEFAULT_TRAIL GST_FOURIER_DRAW_TRAIL_FULL
#define DEFAULT_BACKGROUND GST_FOURIER_DRAW_BACKGROUND_BLACK
#define DEFAULT_CAMERA GST_FOURIER_DRAW_CAMERA_FIT
#define DEFAULT_FADE_TIME 3.
#define DEFAULT_MIN_RADIUS 1.
#define DEFAULT_GHOST_OPACITY .15
#define DEFAULT_ZOOM 4.
#define DEFAULT_TRAIL_COLOR 0xffffd34e
#define DEFAULT_CIRCLE_COLOR 0x6056b4e9
#define DEFAULT_ARM_COLOR 0xd0e8eef4
#define DEFAULT_TIP_COLOR 0xffff5a36
#define DEFAULT_GHOST_COLOR 0xffffffff
#define DEFAULT_BRUSH_COLOR 0x80d55e00
#define DEFAULT_TRAIL_WIDTH 2.
#define DEFAULT_CIRCLE_WIDTH 1.
#define DEFAULT_ARM_WIDTH 1.5
#define DEFAULT_TIP_RADIUS 3.5

#define MAX_TIME 86400.
#define MAX_WIDTH 256.

GST_SHAPES_DEFINE_ENUM_TYPE (static, mode_get_type, "GstFourierDrawMode",
    {GST_FOURIER_DRAW_MODE_AUTO, "Live if upstream is, else redraw", "auto"},
    {GST_FOURIER_DRAW_MODE_REDRAW, "A film of each picture", "redraw"},
    {GST_FOURIER_DRAW_MODE_LIVE, "A frame for each frame that comes", "live"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, detect_get_type, "GstFourierDrawDetect",
    {GST_FOURIER_DRAW_DETECT_ISO, "Iso-contours of brightness", "iso"},
    {GST_FOURIER_DRAW_DETECT_CANNY, "Canny's edges", "canny"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, exclude_mode_get_type,
    "GstFourierDrawExclude",
    {CS_STROKES_EXCLUDE_POINTS, "Points under the brush go", "points"},
    {CS_STROKES_EXCLUDE_CONTOURS, "Contours under the brush go", "contours"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, merge_method_get_type,
    "GstFourierDrawMergeMethod",
    {CS_STROKES_MERGE_ENDS, "Open contours are joined by their ends", "ends"},
    {CS_STROKES_MERGE_LIFT, "Contours belong together, the pen is lifted",
        "lift"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, order_get_type, "GstFourierDrawOrder",
    {CS_STROKES_ORDER_NONE, "Biggest first", "none"},
    {CS_STROKES_ORDER_MIN_DISTANCE, "The nearest contour next",
        "min-distance"},
    {CS_STROKES_ORDER_ENDPOINTS, "The contour with the nearest end next",
        "endpoints"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, path_mode_get_type,
    "GstFourierDrawPathMode",
    {GST_FOURIER_DRAW_PATH_MODE_SINGLE, "One arm for all contours", "single"},
    {GST_FOURIER_DRAW_PATH_MODE_PER_CONTOUR, "An arm for each contour",
        "per-contour"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, trail_get_type, "GstFourierDrawTrail",
    {GST_FOURIER_DRAW_TRAIL_FULL, "What was drawn stays", "full"},
    {GST_FOURIER_DRAW_TRAIL_FADE, "What was drawn fades", "fade"},
    {GST_FOURIER_DRAW_TRAIL_NONE, "The pen has no ink", "none"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, background_get_type,
    "GstFourierDrawBackground",
    {GST_FOURIER_DRAW_BACKGROUND_BLACK, "Black", "black"},
    {GST_FOURIER_DRAW_BACKGROUND_FRAME, "The picture itself", "frame"},
    {GST_FOURIER_DRAW_BACKGROUND_TRANSPARENT, "Transparent", "transparent"},
    {GST_FOURIER_DRAW_BACKGROUND_WHITE, "White", "white"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, camera_get_type, "GstFourierDrawCamera",
    {GST_FOURIER_DRAW_CAMERA_FIT, "The whole picture", "fit"},
    {GST_FOURIER_DRAW_CAMERA_FOLLOW_TIP, "The pen's surroundings",
        "follow-tip"})

/* Where each property's value is. */
typedef struct
{
  guint id;
  gsize offset;
} Field;

#define FIELD(id, name) { id, offsetof (GstFourierDrawSettings, name) }

static const Field fields[] = {
  FIELD (PROP_MODE, mode),
  FIELD (PROP_DURATION, duration),
  FIELD (PROP_HOLD, hold),
  FIELD (PROP_START_DELAY, start_delay),
  FIELD (PROP_SPEED, speed),
  FIELD (PROP_LOOP, loop),
  FIELD (PROP_PAUSED, paused),
  FIELD (PROP_DETECT, detect),
  FIELD (PROP_LEVELS, levels),
  FIELD (PROP_CANNY_SIGMA, canny_sigma),
  FIELD (PROP_CANNY_LOW, canny_low),
  FIELD (PROP_CANNY_HIGH, canny_high),
  FIELD (PROP_CANNY_AUTO, canny_auto),
  FIELD (PROP_BRUSH_ENABLED, brush_enabled),
  FIELD (PROP_BRUSH_RADIUS, brush_radius),
  FIELD (PROP_EXCLUDE, exclude),
  FIELD (PROP_EXCLUDE_MASK, exclude_mask),
  FIELD (PROP_EXCLUDE_MODE, exclude_mode),
  FIELD (PROP_MERGE_DISTANCE, merge_distance),
  FIELD (PROP_MERGE_METHOD, merge_method),
  FIELD (PROP_MIN_LENGTH, min_length),
  FIELD (PROP_DUPLICATE_DISTANCE, duplicate_distance),
  FIELD (PROP_MIN_POINTS, min_points),
  FIELD (PROP_ORDER, order),
  FIELD (PROP_N_VECTORS, n_vectors),
  FIELD (PROP_N_SAMPLES, n_samples),
  FIELD (PROP_PATH_MODE, path_mode),
  FIELD (PROP_TRAVEL_SPEED, travel_speed),
  FIELD (PROP_TRAIL, trail),
  FIELD (PROP_BACKGROUND, background),
  FIELD (PROP_CAMERA, camera),
  FIELD (PROP_SHOW_CIRCLES, show_circles),
  FIELD (PROP_SHOW_ARM, show_arm),
  FIELD (PROP_SHOW_TIP, show_tip),
  FIELD (PROP_FADE_TIME, fade_time),
  FIELD (PROP_MIN_RADIUS, min_radius),
  FIELD (PROP_GHOST_OPACITY, ghost_opacity),
  FIELD (PROP_ZOOM, zoom),
  FIELD (PROP_TRAIL_COLOR, trail_color),
  FIELD (PROP_CIRCLE_COLOR, circle_color),
  FIELD (PROP_ARM_COLOR, arm_color),
  FIELD (PROP_TIP_COLOR, tip_color),
  FIELD (PROP_GHOST_COLOR, ghost_color),
  FIELD (PROP_BRUSH_COLOR, brush_color),
  FIELD (PROP_TRAIL_WIDTH, trail_width),
  FIELD (PROP_CIRCLE_WIDTH, circle_width),
  FIELD (PROP_ARM_WIDTH, arm_width),
  FIELD (PROP_TIP_RADIUS, tip_radius),
};

G_STATIC_ASSERT (G_N_ELEMENTS (fields) ==
    PROP_END - GST_FOURIER_DRAW_FIRST_PROPERTY);

void
gst_fourier_draw_settings_init (GstFourierDrawSettings * settings)
{
  const GstFourierDrawSettings defaults = {
    .mode = DEFAULT_MODE,
    .duration = DEFAULT_DURATION,
    .hold = DEFAULT_HOLD,
    .start_delay = DEFAULT_START_DELAY,
    .speed = DEFAULT_SPEED,
    .loop = DEFAULT_LOOP,
    .detect = DEFAULT_DETECT,
    .levels = g_strdup (DEFAULT_LEVELS),
    .canny_sigma = DEFAULT_CANNY_SIGMA,
    .canny_low = DEFAULT_CANNY_LOW,
    .canny_high = DEFAULT_CANNY_HIGH,
    .canny_auto = DEFAULT_CANNY_AUTO,
    .brush_radius = DEFAULT_BRUSH_RADIUS,
    .exclude_mode = DEFAULT_EXCLUDE_MODE,
    .merge_distance = DEFAULT_MERGE_DISTANCE,
    .merge_method = DEFAULT_MERGE_METHOD,
    .min_points = DEFAULT_MIN_POINTS,
    .order = DEFAULT_ORDER,
    .path_mode = DEFAULT_PATH_MODE,
    .travel_speed = DEFAULT_TRAVEL_SPEED,
    .trail = DEFAULT_TRAIL,
    .background = DEFAULT_BACKGROUND,
    .camera = DEFAULT_CAMERA,
    .show_circles = TRUE,
    .show_arm = TRUE,
    .show_tip = TRUE,
    .fade_time = DEFAULT_FADE_TIME,
    .min_radius = DEFAULT_MIN_RADIUS,
    .ghost_opacity = DEFAULT_GHOST_OPACITY,
    .zoom = DEFAULT_ZOOM,
    .trail_color = DEFAULT_TRAIL_COLOR,
    .circle_color = DEFAULT_CIRCLE_COLOR,
    .arm_color = DEFAULT_ARM_COLOR,
    .tip_color = DEFAULT_TIP_COLOR,
    .ghost_color = DEFAULT_GHOST_COLOR,
    .brush_color = DEFAULT_BRUSH_COLOR,
    .trail_width = DEFAULT_TRAIL_WIDTH,
    .circle_width = DEFAULT_CIRCLE_WIDTH,
    .arm_width = DEFAULT_ARM_WIDTH,
    .tip_radius = DEFAULT_TIP_RADIUS,
  };

  *settings = defaults;
}

void
gst_fourier_draw_settings_copy (GstFourierDrawSettings * to,
    const GstFourierDrawSettings * from)
{
  *to = *from;
  to->levels = g_strdup (from->levels);
  to->exclude = g_strdup (from->exclude);
  to->exclude_mask = g_strdup (from->exclude_mask);
}

void
gst_fourier_draw_settings_clear (GstFourierDrawSettings * settings)
{
  g_clear_pointer (&settings->levels, g_free);
  g_clear_pointer (&settings->exclude, g_free);
  g_clear_pointer (&settings->exclude_mask, g_free);
}

static const Field *
find_field (guint id)
{
  if (id < GST_FOURIER_DRAW_FIRST_PROPERTY || id >= PROP_END)
    return NULL;
  return &fields[id - GST_FOURIER_DRAW_FIRST_PROPERTY];
}

gboolean
gst_fourier_draw_settings_set (GstFourierDrawSettings * settings, guint id,
    const GValue * value)
{
  const Field *field = find_field (id);
  gpointer place;

  if (!field)
    return FALSE;
  place = (guint8 *) settings + field->offset;
  if (G_VALUE_HOLDS_DOUBLE (value)) {
    *(gdouble *) place = g_value_get_double (value);
  } else if (G_VALUE_HOLDS_UINT (value)) {
    *(guint *) place = g_value_get_uint (value);
  } else if (G_VALUE_HOLDS_BOOLEAN (value)) {
    *(gboolean *) place = g_value_get_boolean (value);
  } else if (G_VALUE_HOLDS_ENUM (value)) {
    *(guint *) place = g_value_get_enum (value);
  } else {
    g_free (*(gchar **) place);
    *(gchar **) place = g_value_dup_string (value);
  }
  return TRUE;
}

gboolean
gst_fourier_draw_settings_get (const GstFourierDrawSettings * settings,
    guint id, GValue * value)
{
  const Field *field = find_field (id);
  gconstpointer place;

  if (!field)
    return FALSE;
  place = (const guint8 *) settings + field->offset;
  if (G_VALUE_HOLDS_DOUBLE (value))
    g_value_set_double (value, *(const gdouble *) place);
  else if (G_VALUE_HOLDS_UINT (value))
    g_value_set_uint (value, *(const guint *) place);
  else if (G_VALUE_HOLDS_BOOLEAN (value))
    g_value_set_boolean (value, *(const gboolean *) place);
  else if (G_VALUE_HOLDS_ENUM (value))
    g_value_set_enum (value, *(const guint *) place);
  else
    g_value_set_string (value, *(gchar * const *) place);
  return TRUE;
}

/* What others make of them */

static GstClockTime
to_time (gdouble seconds)
{
  return (GstClockTime) (seconds * GST_SECOND + .5);
}

void
gst_fourier_draw_settings_get_times (const GstFourierDrawSettings * settings,
    GstFourierDrawTimes * times)
{
  times->start_delay = to_time (settings->start_delay);
  times->duration = to_time (settings->duration);
  times->hold = to_time (settings->hold);
  times->speed = settings->speed;
  times->loop = settings->loop;
  times->paused = settings->paused;
}

gboolean
gst_fourier_draw_settings_same_drawing (const GstFourierDrawSettings * a,
    const GstFourierDrawSettings * b)
{
  return a->detect == b->detect && g_strcmp0 (a->levels, b->levels) == 0 &&
      a->canny_sigma == b->canny_sigma && a->canny_low == b->canny_low &&
      a->canny_high == b->canny_high && a->canny_auto == b->canny_auto &&
      a->brush_radius == b->brush_radius &&
      g_strcmp0 (a->exclude, b->exclude) == 0 &&
      g_strcmp0 (a->exclude_mask, b->exclude_mask) == 0 &&
      a->exclude_mode == b->exclude_mode &&
      a->merge_distance == b->merge_distance &&
      a->merge_method == b->merge_method &&
      a->min_length == b->min_length &&
      a->duplicate_distance == b->duplicate_distance &&
      a->min_points == b->min_points && a->order == b->order &&
      a->n_samples == b->n_samples && a->path_mode == b->path_mode &&
      a->travel_speed == b->travel_speed;
}

void
gst_fourier_draw_settings_get_strokes (const GstFourierDrawSettings * settings,
    CsStrokesParams * params)
{
  cs_strokes_params_init (params);
  params->merge_distance = settings->merge_distance;
  params->merge = settings->merge_method;
  params->min_points = settings->min_points;
  params->min_length = settings->min_length;
  params->duplicate_distance = settings->duplicate_distance;
  params->order = settings->order;
  params->exclude = settings->exclude_mode;
}

void
gst_fourier_draw_settings_get_edges (const GstFourierDrawSettings * settings,
    CsEdgesParams * params)
{
  cs_edges_params_init (params);
  params->sigma = settings->canny_sigma;
  params->low = MIN (settings->canny_low, settings->canny_high);
  params->high = settings->canny_high;
  params->automatic = settings->canny_auto;
}

static const gchar *
skip_space (const gchar * text)
{
  while (g_ascii_isspace (*text))
    text++;
  return text;
}

gboolean
gst_fourier_draw_parse_levels (const gchar * text, gdouble * levels,
    guint * n_levels, GError ** error)
{
  const gchar *at = skip_space (text ? text : "");
  guint n = 0;

  do {
    gchar *end;
    const gdouble level = g_ascii_strtod (at, &end);

    if (end == at || !isfinite (level) || n == GST_FOURIER_DRAW_MAX_LEVELS)
      goto wrong;
    levels[n++] = level;
    at = skip_space (end);
    if (*at && *at != ',')
      goto wrong;
  } while (*at++);
  *n_levels = n;
  return TRUE;

wrong:
  g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "levels=\"%s\" is not a list "
      "of 1 to %d numbers with commas in between, such as \"0.3,0.6\"",
      text ? text : "", GST_FOURIER_DRAW_MAX_LEVELS);
  return FALSE;
}

/* Descriptions */

#define FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)
#define READY (FLAGS | GST_PARAM_MUTABLE_READY)
#define LIVE (FLAGS | GST_PARAM_MUTABLE_PLAYING)
#define ANIMATED (LIVE | GST_PARAM_CONTROLLABLE)

static void
install_time (GObjectClass * klass)
{
  g_object_class_install_property (klass, PROP_MODE,
      g_param_spec_enum ("mode", "Mode",
          "\"redraw\" makes a film of each picture that comes, with times of "
          "its own; \"live\" gives a frame for each frame that comes, and "
          "takes a new picture when a drawing is finished; \"auto\" is live "
          "if upstream is.", mode_get_type (), DEFAULT_MODE, READY));
  g_object_class_install_property (klass, PROP_DURATION,
      g_param_spec_double ("duration", "Duration",
          "How many seconds drawing takes.", 0., MAX_TIME, DEFAULT_DURATION,
          LIVE));
  g_object_class_install_property (klass, PROP_HOLD,
      g_param_spec_double ("hold", "Hold",
          "How many seconds the finished drawing stays.", 0., MAX_TIME,
          DEFAULT_HOLD, LIVE));
  g_object_class_install_property (klass, PROP_START_DELAY,
      g_param_spec_double ("start-delay", "Start delay",
          "How many seconds the arm waits before it begins to draw.", 0.,
          MAX_TIME, DEFAULT_START_DELAY, LIVE));
  g_object_class_install_property (klass, PROP_SPEED,
      g_param_spec_double ("speed", "Speed",
          "How many times faster everything goes: start delay, drawing and "
          "hold.", .001, 1000., DEFAULT_SPEED, ANIMATED));
  g_object_class_install_property (klass, PROP_LOOP,
      g_param_spec_uint ("loop", "Loop",
          "How many times each picture is drawn; 0 means for ever, until "
          "\"capture\" is emitted.", 0, G_MAXINT, DEFAULT_LOOP, LIVE));
  g_object_class_install_property (klass, PROP_PAUSED,
      g_param_spec_boolean ("paused", "Paused",
          "Whether the arm stands still; frames go on coming.", FALSE, LIVE));
}

static void
install_detect (GObjectClass * klass)
{
  g_object_class_install_property (klass, PROP_DETECT,
      g_param_spec_enum ("detect", "Detect",
          "What to draw of pictures without shapes: \"canny\", edges; \"iso\", "
          "the iso-contours of \"levels\". Pictures that cudacontours has "
          "seen are drawn with the contours that it found.",
          detect_get_type (), DEFAULT_DETECT, LIVE));
  g_object_class_install_property (klass, PROP_LEVELS,
      g_param_spec_string ("levels", "Levels",
          "With detect=iso: the brightness of the contours, 0 to 1, up to 8 "
          "numbers with commas in between, such as \"0.3,0.6\".",
          DEFAULT_LEVELS, LIVE));
  g_object_class_install_property (klass, PROP_CANNY_SIGMA,
      g_param_spec_double ("canny-sigma", "Canny sigma",
          "With detect=canny: how much the picture is blurred first, in "
          "pixels; more leaves fewer and smoother edges.", 0., 20.,
          DEFAULT_CANNY_SIGMA, LIVE));
  g_object_class_install_property (klass, PROP_CANNY_LOW,
      g_param_spec_double ("canny-low", "Canny low",
          "With detect=canny: the gradient that continues an edge, as plain "
          "Sobel sums of 8-bit codes (8 for each code a pixel).", 0., 1e6,
          DEFAULT_CANNY_LOW, LIVE));
  g_object_class_install_property (klass, PROP_CANNY_HIGH,
      g_param_spec_double ("canny-high", "Canny high",
          "With detect=canny: the gradient that begins an edge.", 0., 1e6,
          DEFAULT_CANNY_HIGH, LIVE));
  g_object_class_install_property (klass, PROP_CANNY_AUTO,
      g_param_spec_boolean ("canny-auto", "Canny automatic",
          "With detect=canny: take both gradients from the picture instead of "
          "\"canny-low\" and \"canny-high\".", DEFAULT_CANNY_AUTO, LIVE));
}

static void
install_strokes (GObjectClass * klass)
{
  g_object_class_install_property (klass, PROP_BRUSH_ENABLED,
      g_param_spec_boolean ("brush-enabled", "Brush enabled",
          "Whether the mouse in the video's window erases contours: drag to "
          "erase, scroll to change the brush, press r to draw again without "
          "what was erased.", FALSE, LIVE));
  g_object_class_install_property (klass, PROP_BRUSH_RADIUS,
      g_param_spec_double ("brush-radius", "Brush radius",
          "Radius of the brush of the mouse and of \"exclude\", in pixels of "
          "the picture.", .5, 65536., DEFAULT_BRUSH_RADIUS, LIVE));
  g_object_class_install_property (klass, PROP_EXCLUDE,
      g_param_spec_string ("exclude", "Exclude",
          "Where the brush goes over the picture before it is drawn: strokes "
          "with semicolons in between, each of points \"x,y\" with spaces in "
          "between, such as \"10,10 90,10; 50,40\".", NULL, LIVE));
  g_object_class_install_property (klass, PROP_EXCLUDE_MASK,
      g_param_spec_string ("exclude-mask", "Exclude mask",
          "A binary PGM image of the picture's size: what is under its pixels "
          "that are not 0 (black) is not drawn. Empty: none.", NULL, LIVE));
  g_object_class_install_property (klass, PROP_EXCLUDE_MODE,
      g_param_spec_enum ("exclude-mode", "Exclude mode",
          "What goes: the points under the brush, or all contours that have "
          "such points.", exclude_mode_get_type (), DEFAULT_EXCLUDE_MODE,
          LIVE));
  g_object_class_install_property (klass, PROP_MERGE_DISTANCE,
      g_param_spec_double ("merge-distance", "Merge distance",
          "Contours that come as near as this to each other, in pixels, are "
          "merged by \"merge-method\"; -1 merges none.", -1., 65536.,
          DEFAULT_MERGE_DISTANCE, LIVE));
  g_object_class_install_property (klass, PROP_MERGE_METHOD,
      g_param_spec_enum ("merge-method", "Merge method",
          "How contours are merged: open ones joined by their nearest ends, or "
          "all that are near to each other taken together by \"min-points\" "
          "and \"min-length\", with the pen lifted in between.",
          merge_method_get_type (), DEFAULT_MERGE_METHOD, LIVE));
  g_object_class_install_property (klass, PROP_MIN_POINTS,
      g_param_spec_uint ("min-points", "Least points",
          "Contours of fewer points are not drawn.", 0, G_MAXINT,
          DEFAULT_MIN_POINTS, LIVE));
  g_object_class_install_property (klass, PROP_MIN_LENGTH,
      g_param_spec_double ("min-length", "Least length",
          "Contours shorter than this, in pixels, are not drawn.", 0., 1e9, 0.,
          LIVE));
  g_object_class_install_property (klass, PROP_DUPLICATE_DISTANCE,
      g_param_spec_double ("duplicate-distance", "Duplicate distance",
          "Of points as near as this to each other, in pixels, only the first "
          "is drawn; 0 means equal points, -1 draws all.", -1., 65536., 0.,
          LIVE));
  g_object_class_install_property (klass, PROP_ORDER,
      g_param_spec_enum ("order", "Order",
          "In which order contours are drawn, after the biggest: by size; by "
          "the smallest distance between contours; or by the pen's way, where "
          "contours may be drawn backwards or from another point on.",
          order_get_type (), DEFAULT_ORDER, LIVE));
}

static void
install_series (GObjectClass * klass)
{
  g_object_class_install_property (klass, PROP_N_VECTORS,
      g_param_spec_uint ("n-vectors", "Number of vectors",
          "How many rotating vectors the arm has at most, the longest ones; "
          "0 means all that the drawing needs. \"rms-error\" tells what it "
          "costs.", 0, G_MAXINT, 0, ANIMATED));
  g_object_class_install_property (klass, PROP_N_SAMPLES,
      g_param_spec_uint ("n-samples", "Number of samples",
          "At how many places the path is sampled, rounded up to an even "
          "product of 2, 3 and 5; 0 means about one for each pixel of the "
          "way.", 0, 1 << 20, 0, LIVE));
  g_object_class_install_property (klass, PROP_PATH_MODE,
      g_param_spec_enum ("path-mode", "Path mode",
          "Whether one arm draws all contours, lifting the pen in between, or "
          "each contour has an arm of its own.", path_mode_get_type (),
          DEFAULT_PATH_MODE, LIVE));
  g_object_class_install_property (klass, PROP_TRAVEL_SPEED,
      g_param_spec_double ("travel-speed", "Travel speed",
          "How many times faster than drawing the pen moves when it is "
          "lifted.", .01, 1000., DEFAULT_TRAVEL_SPEED, LIVE));
}

static void
install_look (GObjectClass * klass)
{
  g_object_class_install_property (klass, PROP_TRAIL,
      g_param_spec_enum ("trail", "Trail", "What becomes of the pen's ink.",
          trail_get_type (), DEFAULT_TRAIL, LIVE));
  g_object_class_install_property (klass, PROP_FADE_TIME,
      g_param_spec_double ("fade-time", "Fade time",
          "With trail=fade: after how many seconds ink is gone.", .001,
          MAX_TIME, DEFAULT_FADE_TIME, ANIMATED));
  g_object_class_install_property (klass, PROP_SHOW_CIRCLES,
      g_param_spec_boolean ("show-circles", "Show circles",
          "Draw the circles on which the vectors turn.", TRUE, LIVE));
  g_object_class_install_property (klass, PROP_SHOW_ARM,
      g_param_spec_boolean ("show-arm", "Show arm", "Draw the vectors.", TRUE,
          LIVE));
  g_object_class_install_property (klass, PROP_SHOW_TIP,
      g_param_spec_boolean ("show-tip", "Show tip", "Draw the pen.", TRUE,
          LIVE));
  g_object_class_install_property (klass, PROP_MIN_RADIUS,
      g_param_spec_double ("min-radius", "Least radius",
          "Circles smaller than this, in pixels of the film, are not drawn.",
          0., 65536., DEFAULT_MIN_RADIUS, ANIMATED));
  g_object_class_install_property (klass, PROP_GHOST_OPACITY,
      g_param_spec_double ("ghost-opacity", "Ghost opacity",
          "How much is seen of the contours that are still to be drawn; 0 "
          "hides them.", 0., 1., DEFAULT_GHOST_OPACITY, ANIMATED));
  g_object_class_install_property (klass, PROP_BACKGROUND,
      g_param_spec_enum ("background", "Background",
          "What is behind the drawing. \"frame\", the picture itself, needs "
          "an output of the same format and size; \"transparent\" one with "
          "alpha (black otherwise).", background_get_type (),
          DEFAULT_BACKGROUND, READY));
  g_object_class_install_property (klass, PROP_CAMERA,
      g_param_spec_enum ("camera", "Camera",
          "Show all of the picture, or follow the tip of the pen.",
          camera_get_type (), DEFAULT_CAMERA, LIVE));
  g_object_class_install_property (klass, PROP_ZOOM,
      g_param_spec_double ("zoom", "Zoom",
          "With camera=follow-tip: how many times larger than the whole "
          "picture the pen's surroundings are.", .1, 100., DEFAULT_ZOOM,
          ANIMATED));
}

static void
install_color (GObjectClass * klass, guint id, const gchar * name,
    const gchar * nick, const gchar * blurb, guint value)
{
  g_object_class_install_property (klass, id, g_param_spec_uint (name, nick,
          blurb, 0, G_MAXUINT32, value, ANIMATED));
}

static void
install_length (GObjectClass * klass, guint id, const gchar * name,
    const gchar * nick, const gchar * blurb, gdouble value)
{
  g_object_class_install_property (klass, id, g_param_spec_double (name, nick,
          blurb, .1, MAX_WIDTH, value, LIVE));
}

static void
install_paint (GObjectClass * klass)
{
  install_color (klass, PROP_TRAIL_COLOR, "trail-color", "Trail colour",
      "Colour of the ink, 0xAARRGGBB.", DEFAULT_TRAIL_COLOR);
  install_color (klass, PROP_CIRCLE_COLOR, "circle-color", "Circle colour",
      "Colour of the circles, 0xAARRGGBB.", DEFAULT_CIRCLE_COLOR);
  install_color (klass, PROP_ARM_COLOR, "arm-color", "Arm colour",
      "Colour of the vectors, 0xAARRGGBB.", DEFAULT_ARM_COLOR);
  install_color (klass, PROP_TIP_COLOR, "tip-color", "Tip colour",
      "Colour of the pen, 0xAARRGGBB.", DEFAULT_TIP_COLOR);
  install_color (klass, PROP_GHOST_COLOR, "ghost-color", "Ghost colour",
      "Colour of the contours that are still to be drawn, 0xAARRGGBB; "
      "\"ghost-opacity\" comes on top.", DEFAULT_GHOST_COLOR);
  install_color (klass, PROP_BRUSH_COLOR, "brush-color", "Brush colour",
      "Colour of what the mouse erases until the next drawing begins, "
      "0xAARRGGBB.", DEFAULT_BRUSH_COLOR);
  install_length (klass, PROP_TRAIL_WIDTH, "trail-width", "Trail width",
      "Width of the ink, in pixels of the film.", DEFAULT_TRAIL_WIDTH);
  install_length (klass, PROP_CIRCLE_WIDTH, "circle-width", "Circle width",
      "Width of the circles' lines, in pixels of the film.",
      DEFAULT_CIRCLE_WIDTH);
  install_length (klass, PROP_ARM_WIDTH, "arm-width", "Arm width",
      "Width of the vectors, in pixels of the film.", DEFAULT_ARM_WIDTH);
  install_length (klass, PROP_TIP_RADIUS, "tip-radius", "Tip radius",
      "Radius of the pen, in pixels of the film.", DEFAULT_TIP_RADIUS);
}

void
gst_fourier_draw_settings_install (GObjectClass * klass)
{
  install_time (klass);
  install_detect (klass);
  install_strokes (klass);
  install_series (klass);
  install_look (klass);
  install_paint (klass);
  gst_type_mark_as_plugin_api (mode_get_type (), 0);
  gst_type_mark_as_plugin_api (detect_get_type (), 0);
  gst_type_mark_as_plugin_api (exclude_mode_get_type (), 0);
  gst_type_mark_as_plugin_api (merge_method_get_type (), 0);
  gst_type_mark_as_plugin_api (order_get_type (), 0);
  gst_type_mark_as_plugin_api (path_mode_get_type (), 0);
  gst_type_mark_as_plugin_api (trail_get_type (), 0);
  gst_type_mark_as_plugin_api (background_get_type (), 0);
  gst_type_mark_as_plugin_api (camera_get_type (), 0);
}
