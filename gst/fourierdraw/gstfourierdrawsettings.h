/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_SETTINGS_H
#define GST_FOURIER_DRAW_SETTINGS_H

/* The settings of fourierdraw, which are properties. */

#include <gst/gst.h>

#include "edges/edges.h"
#include "gstfourierdrawtime.h"
#include "element/gstshapesproperties.h"
#include "strokes/strokes.h"

/**
 * GstFourierDrawMode:
 * @GST_FOURIER_DRAW_MODE_AUTO: live if upstream is live, otherwise redraw
 * @GST_FOURIER_DRAW_MODE_REDRAW: a film of each picture
 * @GST_FOURIER_DRAW_MODE_LIVE: a frame for each input frame
 * @GST_FOURIER_DRAW_MODE_STILL: the finished drawing of each picture
 */
typedef enum
{
  GST_FOURIER_DRAW_MODE_AUTO,
  GST_FOURIER_DRAW_MODE_REDRAW,
  GST_FOURIER_DRAW_MODE_LIVE,
  GST_FOURIER_DRAW_MODE_STILL,
} GstFourierDrawMode;

/**
 * GstFourierDrawDetect:
 * @GST_FOURIER_DRAW_DETECT_ISO: iso-contours of luma
 * @GST_FOURIER_DRAW_DETECT_CANNY: Canny's edges
 */
typedef enum
{
  GST_FOURIER_DRAW_DETECT_ISO,
  GST_FOURIER_DRAW_DETECT_CANNY,
} GstFourierDrawDetect;

/**
 * GstFourierDrawPathMode:
 * @GST_FOURIER_DRAW_PATH_MODE_SINGLE: one series for the whole drawing
 * @GST_FOURIER_DRAW_PATH_MODE_PER_CONTOUR: a series for each contour
 */
typedef enum
{
  GST_FOURIER_DRAW_PATH_MODE_SINGLE,
  GST_FOURIER_DRAW_PATH_MODE_PER_CONTOUR,
} GstFourierDrawPathMode;

/**
 * GstFourierDrawTrail:
 * @GST_FOURIER_DRAW_TRAIL_FULL: the ink stays
 * @GST_FOURIER_DRAW_TRAIL_FADE: the ink fades
 * @GST_FOURIER_DRAW_TRAIL_NONE: no ink
 */
typedef enum
{
  GST_FOURIER_DRAW_TRAIL_FULL,
  GST_FOURIER_DRAW_TRAIL_FADE,
  GST_FOURIER_DRAW_TRAIL_NONE,
} GstFourierDrawTrail;

/**
 * GstFourierDrawBrushMode:
 * @GST_FOURIER_DRAW_BRUSH_MODE_ERASE: the first button erases, the third draws
 * @GST_FOURIER_DRAW_BRUSH_MODE_DRAW: the other way round
 */
typedef enum
{
  GST_FOURIER_DRAW_BRUSH_MODE_ERASE,
  GST_FOURIER_DRAW_BRUSH_MODE_DRAW,
} GstFourierDrawBrushMode;

/**
 * GstFourierDrawInkSource:
 * @GST_FOURIER_DRAW_INK_SOURCE_COLOR: one colour
 * @GST_FOURIER_DRAW_INK_SOURCE_PICTURE: the picture's, where the pen is
 * @GST_FOURIER_DRAW_INK_SOURCE_GRADIENT: from one colour to another along the
 *     path
 */
typedef enum
{
  GST_FOURIER_DRAW_INK_SOURCE_COLOR,
  GST_FOURIER_DRAW_INK_SOURCE_PICTURE,
  GST_FOURIER_DRAW_INK_SOURCE_GRADIENT,
} GstFourierDrawInkSource;

/**
 * GstFourierDrawBackground:
 * @GST_FOURIER_DRAW_BACKGROUND_BLACK: black
 * @GST_FOURIER_DRAW_BACKGROUND_FRAME: the picture itself
 * @GST_FOURIER_DRAW_BACKGROUND_TRANSPARENT: transparent, in formats with
 *     alpha
 * @GST_FOURIER_DRAW_BACKGROUND_WHITE: white
 */
typedef enum
{
  GST_FOURIER_DRAW_BACKGROUND_BLACK,
  GST_FOURIER_DRAW_BACKGROUND_FRAME,
  GST_FOURIER_DRAW_BACKGROUND_TRANSPARENT,
  GST_FOURIER_DRAW_BACKGROUND_WHITE,
} GstFourierDrawBackground;

/**
 * GstFourierDrawCamera:
 * @GST_FOURIER_DRAW_CAMERA_FIT: the whole picture
 * @GST_FOURIER_DRAW_CAMERA_FOLLOW_TIP: the surroundings of the pen
 */
typedef enum
{
  GST_FOURIER_DRAW_CAMERA_FIT,
  GST_FOURIER_DRAW_CAMERA_FOLLOW_TIP,
} GstFourierDrawCamera;

/**
 * GstFourierDrawOnEos:
 * @GST_FOURIER_DRAW_ON_EOS_CUT: the film ends at once
 * @GST_FOURIER_DRAW_ON_EOS_FINISH: the pass is drawn to its end
 */
typedef enum
{
  GST_FOURIER_DRAW_ON_EOS_CUT,
  GST_FOURIER_DRAW_ON_EOS_FINISH,
} GstFourierDrawOnEos;

/**
 * GstFourierDrawSettings:
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
  gboolean show_circles, show_arm, show_tip;
  gdouble arm_fade;
  gdouble fade_time, min_radius, ghost_opacity, zoom;
  guint trail_color, circle_color, arm_color, tip_color, ghost_color;
  guint brush_color, gradient_color;
  gdouble trail_width, circle_width, arm_width, tip_radius, casing;
  gdouble width_scale;
} GstFourierDrawSettings;

#define GST_FOURIER_DRAW_MAX_LEVELS 8
#define GST_FOURIER_DRAW_MAX_ARMS 64

/* Affects drawings: with the same values of these settings, a picture has the
 * same drawing. */
#define GST_FOURIER_DRAW_DRAWING (1u << 1)

extern const GstShapesProperties gst_fourier_draw_properties;

void gst_fourier_draw_settings_get_times (const GstFourierDrawSettings *
    settings, GstFourierDrawTimes * times);

/* Multiplies widths and radii for a film of @width x @height. */
void gst_fourier_draw_settings_scale_widths (GstFourierDrawSettings * settings,
    guint width, guint height);

/* @scale: on lengths: pixels of the contours for each pixel of the settings
 * @min_points: if the settings name none */
void gst_fourier_draw_settings_get_strokes (const GstFourierDrawSettings *
    settings, gdouble scale, guint min_points, CsStrokesParams * params);
void gst_fourier_draw_settings_get_edges (const GstFourierDrawSettings *
    settings, CsEdgesParams * params);

/* Parses 1 to GST_FOURIER_DRAW_MAX_LEVELS levels. Fails with CS_ERROR_INVALID,
 * saying what is allowed. */
gboolean gst_fourier_draw_parse_levels (const gchar * text, gdouble * levels,
    guint * n_levels, GError ** error);

#endif /* GST_FOURIER_DRAW_SETTINGS_H */
