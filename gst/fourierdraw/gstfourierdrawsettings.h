/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The settings of fourierdraw, which are properties. */

#include <gst/gst.h>

#include "base/picture.h"
#include "edges/edges.h"
#include "gstfourierdrawtime.h"
#include "element/gstshapesproperties.h"
#include "strokes/strokes.h"

/* Of all files of the element. */
GST_DEBUG_CATEGORY_EXTERN (fourier_debug);
#define GST_CAT_DEFAULT fourier_debug

/**
 * FourierMode:
 * @FOURIER_MODE_AUTO: live if upstream is live, otherwise redraw
 * @FOURIER_MODE_REDRAW: a film of each picture
 * @FOURIER_MODE_LIVE: a frame for each input frame
 * @FOURIER_MODE_STILL: the finished drawing of each picture
 */
typedef enum
{
  FOURIER_MODE_AUTO,
  FOURIER_MODE_REDRAW,
  FOURIER_MODE_LIVE,
  FOURIER_MODE_STILL,
} FourierMode;

/**
 * FourierDetect:
 * @FOURIER_DETECT_ISO: iso-contours of luma
 * @FOURIER_DETECT_CANNY: Canny's edges
 */
typedef enum
{
  FOURIER_DETECT_ISO,
  FOURIER_DETECT_CANNY,
} FourierDetect;

/**
 * FourierPathMode:
 * @FOURIER_PATH_MODE_SINGLE: one series for the whole drawing
 * @FOURIER_PATH_MODE_PER_CONTOUR: a series for each contour
 */
typedef enum
{
  FOURIER_PATH_MODE_SINGLE,
  FOURIER_PATH_MODE_PER_CONTOUR,
} FourierPathMode;

/**
 * FourierTrail:
 * @FOURIER_TRAIL_FULL: the ink stays
 * @FOURIER_TRAIL_FADE: the ink fades
 * @FOURIER_TRAIL_NONE: no ink
 */
typedef enum
{
  FOURIER_TRAIL_FULL,
  FOURIER_TRAIL_FADE,
  FOURIER_TRAIL_NONE,
} FourierTrail;

/**
 * FourierBrushMode:
 * @FOURIER_BRUSH_MODE_ERASE: the first button erases, the third draws
 * @FOURIER_BRUSH_MODE_DRAW: the other way round
 */
typedef enum
{
  FOURIER_BRUSH_MODE_ERASE,
  FOURIER_BRUSH_MODE_DRAW,
} FourierBrushMode;

/**
 * FourierInkSource:
 * @FOURIER_INK_SOURCE_COLOR: one colour
 * @FOURIER_INK_SOURCE_PICTURE: the picture's, where the pen is
 * @FOURIER_INK_SOURCE_GRADIENT: from one colour to another along the
 *     path
 */
typedef enum
{
  FOURIER_INK_SOURCE_COLOR,
  FOURIER_INK_SOURCE_PICTURE,
  FOURIER_INK_SOURCE_GRADIENT,
} FourierInkSource;

/**
 * FourierCamera:
 * @FOURIER_CAMERA_FIT: the whole picture
 * @FOURIER_CAMERA_FOLLOW_TIP: the surroundings of the pen
 */
typedef enum
{
  FOURIER_CAMERA_FIT,
  FOURIER_CAMERA_FOLLOW_TIP,
} FourierCamera;

/**
 * FourierOnEos:
 * @FOURIER_ON_EOS_CUT: the film ends at once
 * @FOURIER_ON_EOS_FINISH: the pass is drawn to its end
 */
typedef enum
{
  FOURIER_ON_EOS_CUT,
  FOURIER_ON_EOS_FINISH,
} FourierOnEos;

/**
 * FourierSettings:
 *
 * Times in seconds, lengths in pixels, colours 0xAARRGGBB.
 */
typedef struct
{
  /* time */
  guint mode;
  gdouble duration, hold, start_delay, speed;
  guint loop, on_eos;
  gboolean paused;
  /* contours */
  guint detect, detect_size;
  gchar *levels;
  gdouble canny_sigma, canny_low, canny_high;
  gboolean canny_auto;
  gboolean brush_enabled;
  guint brush_mode;
  gdouble brush_radius;
  gchar *exclude, *exclude_mask;
  gchar *svg, *text, *font, *json_location;
  guint exclude_mode, merge_method;
  gdouble merge_distance, min_length, duplicate_distance;
  guint min_points, order;
  gboolean two_opt;
  gdouble simplify;
  /* the series */
  guint n_vectors, n_samples, path_mode, arms;
  gdouble travel_speed;
  /* the frames */
  gboolean attach_shapes;
  guint trail, background, camera, ink_source;
  gboolean draw_circles, draw_arm, draw_tip;
  gdouble arm_fade;
  gdouble fade_time, min_radius, ghost_opacity, zoom;
  guint trail_color, circle_color, arm_color, tip_color, ghost_color;
  guint brush_color, gradient_color;
  gdouble trail_width, circle_width, arm_width, tip_radius, casing;
  gdouble width_scale;
} FourierSettings;

#define FOURIER_MAX_LEVELS 8
#define FOURIER_MAX_ARMS 64

/* Affects drawings: with the same values of these settings, a picture has the
 * same drawing. */
#define FOURIER_DRAWING (1u << 1)

extern const GstShapesProperties fourier_properties;

void fourier_settings_get_times (const FourierSettings * settings,
    FourierTimes * times);

/* Multiplies widths and radii for a film of @width x @height. */
void fourier_settings_scale_widths (FourierSettings * settings,
    guint width, guint height);

/* @scale: on lengths: pixels of the contours for each pixel of the settings
 * @min_points: if the settings name none */
void fourier_settings_get_strokes (const FourierSettings * settings,
    gdouble scale, guint min_points, CsStrokesParams * params);
void fourier_settings_get_edges (const FourierSettings * settings,
    CsEdgesParams * params);

/* Parses 1 to FOURIER_MAX_LEVELS levels. Fails with CS_ERROR_INVALID,
 * saying what is allowed. */
gboolean fourier_parse_levels (const gchar * text, gdouble * levels,
    guint * n_levels, GError ** error);
