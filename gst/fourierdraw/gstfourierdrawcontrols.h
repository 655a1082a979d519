/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_CONTROLS_H
#define GST_FOURIER_DRAW_CONTROLS_H

/* What the application and the streaming threads share through properties. */

#include "gstfourierdrawbrush.h"
#include "gstfourierdrawinbox.h"
#include "gstfourierdrawsettings.h"

/* No progress was set. */
#define GST_FOURIER_DRAW_NO_JUMP (-1.)

/**
 * GstFourierDrawControls:
 *
 * Guarded by the object lock of the element. The functions take it, except
 * where stated.
 */
typedef struct
{
  /*< private >*/
  GstElement *element;
  GstFourierDrawSettings settings;
  guint serial;
  gdouble progress, jump, rms_error, travel;
  GstFourierDrawView view;
} GstFourierDrawControls;

/* progress, rms-error and pen-up-travel, of a GstFourierDrawControls. */
extern const GstShapesProperties gst_fourier_draw_controls_properties;

void gst_fourier_draw_controls_init (GstFourierDrawControls * controls,
    GstElement * element);
void gst_fourier_draw_controls_finalize (GstFourierDrawControls * controls);

/* The element stops: progress, error and travel are 0. */
void gst_fourier_draw_controls_reset (GstFourierDrawControls * controls);

/* With the object lock held. */
void gst_fourier_draw_controls_set (GstFourierDrawControls * controls,
    guint id, const GValue * value);
void gst_fourier_draw_controls_get (const GstFourierDrawControls * controls,
    guint id, GValue * value);

GstFourierDrawMode gst_fourier_draw_controls_get_mode (GstFourierDrawControls *
    controls);
GstFourierDrawBackground gst_fourier_draw_controls_get_background
    (GstFourierDrawControls * controls);

/* Whether frames show pixels of the picture, besides its contours. */
gboolean gst_fourier_draw_controls_needs_pixels (GstFourierDrawControls *
    controls);

/* What "on-eos" asks for. */
GstFourierDrawEnding gst_fourier_draw_controls_get_ending
    (GstFourierDrawControls * controls);

/* Returns: whether the brush is enabled
 * @radius: (out): of the brush
 * @draws: (out): whether its first button draws
 * @view: (out): of the last frame */
gboolean gst_fourier_draw_controls_get_brush (GstFourierDrawControls *
    controls, gdouble * radius, gboolean * draws, GstFourierDrawView * view);

/* Brings a copy of the settings up to date.
 *
 * @serial: (inout): of the copy; 0 at first */
void gst_fourier_draw_controls_copy_settings (GstFourierDrawControls *
    controls, GstFourierDrawSettings * settings, guint * serial);

/* Returns: the progress that was set since the last call, or
 *     GST_FOURIER_DRAW_NO_JUMP */
gdouble gst_fourier_draw_controls_take_jump (GstFourierDrawControls *
    controls);

/* Reports what the last frame shows. */
void gst_fourier_draw_controls_set_frame (GstFourierDrawControls * controls,
    gdouble progress, const GstFourierDrawView * view);
void gst_fourier_draw_controls_set_rms_error (GstFourierDrawControls *
    controls, gdouble rms_error);
void gst_fourier_draw_controls_set_travel (GstFourierDrawControls * controls,
    gdouble travel);

#endif /* GST_FOURIER_DRAW_CONTROLS_H */
