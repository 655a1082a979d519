/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the application and the streaming threads share through properties. */

#include "gstfourierdrawbrush.h"
#include "gstfourierdrawsettings.h"

/* No progress was set. */
#define FOURIER_NO_JUMP (-1.)

/**
 * FourierControls:
 *
 * Guarded by the object lock of the element. The functions take it, except
 * where stated.
 */
typedef struct
{
  /*< private >*/
  GstElement *element;
  FourierSettings settings;
  guint serial;
  gdouble progress, jump, rms_error, travel;
  FourierView view;
} FourierControls;

/* progress, rms-error and pen-up-travel, of a FourierControls. */
extern const GstShapesProperties fourier_controls_properties;

void fourier_controls_init (FourierControls * controls, GstElement * element);
void fourier_controls_finalize (FourierControls * controls);

/* The element stops: progress, error and travel are 0. */
void fourier_controls_reset (FourierControls * controls);

/* What @setting, a field of the settings, is at present. */
guint fourier_controls_read (FourierControls * controls, const guint * setting);

/* Returns: whether the brush is enabled
 * @radius: (out): of the brush
 * @draws: (out): whether its first button draws
 * @view: (out): of the last frame */
gboolean fourier_controls_get_brush (FourierControls * controls,
    gdouble * radius, gboolean * draws, FourierView * view);

/* Brings a copy of the settings up to date.
 *
 * @serial: (inout): of the copy; 0 at first */
void fourier_controls_copy_settings (FourierControls * controls,
    FourierSettings * settings, guint * serial);

/* Returns: the progress that was set since the last call, or
 *     FOURIER_NO_JUMP */
gdouble fourier_controls_take_jump (FourierControls * controls);

/* Reports what the last frame shows. */
void fourier_controls_set_frame (FourierControls * controls,
    gdouble progress, const FourierView * view);
void fourier_controls_set_rms_error (FourierControls * controls,
    gdouble rms_error);
void fourier_controls_set_travel (FourierControls * controls, gdouble travel);
