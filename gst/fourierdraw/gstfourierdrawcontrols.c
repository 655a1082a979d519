/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawcontrols.h"

static gboolean
set_progress (gpointer controls, const GValue * value)
{
  ((FourierControls *) controls)->jump = g_value_get_double (value);
  return TRUE;
}

static void
get_progress (gconstpointer data, GValue * value)
{
  const FourierControls *controls = data;

  g_value_set_double (value, controls->jump != FOURIER_NO_JUMP ?
      controls->jump : controls->progress);
}

static const GstShapesProperty rows[] = {
  GST_SHAPES_DOUBLE (FourierControls, progress, "progress", "Progress", 0., 1.,
      0., ANIMATED, "How much of the path is drawn, 0 to 1. Setting it moves "
      "the arm there, and the film continues from there; a controller sets it "
      "for each frame, while the film's time goes on.", .set = set_progress,
      .get = get_progress),
  GST_SHAPES_DOUBLE (FourierControls, rms_error, "rms-error", "RMS error", 0.,
      G_MAXDOUBLE, 0., READ_ONLY, "Root mean square distance between the curve "
      "that the arm draws and the path through the contours, in pixels of the "
      "picture: the error of taking only \"n-vectors\" vectors."),
  GST_SHAPES_DOUBLE (FourierControls, travel, "pen-up-travel",
      "Pen-up travel", 0., G_MAXDOUBLE, 0., READ_ONLY,
      "How far the lifted pen moves between the drawing's contours, in pixels "
      "of the picture: what \"order\" shortens."),
};

const GstShapesProperties fourier_controls_properties =
    GST_SHAPES_PROPERTIES (rows, FourierControls, 1);

void
fourier_controls_init (FourierControls * controls, GstElement * element)
{
  controls->element = element;
  gst_shapes_properties_init (&fourier_properties, &controls->settings);
  controls->serial = 1;
  controls->jump = FOURIER_NO_JUMP;
  controls->view.scale = 1.;
}

void
fourier_controls_finalize (FourierControls * controls)
{
  gst_shapes_properties_clear (&fourier_properties, &controls->settings);
}

void
fourier_controls_reset (FourierControls * controls)
{
  GST_OBJECT_LOCK (controls->element);
  controls->progress = controls->rms_error = controls->travel = 0.;
  GST_OBJECT_UNLOCK (controls->element);
}

guint
fourier_controls_read (FourierControls * controls, const guint * setting)
{
  GST_OBJECT_LOCK (controls->element);
  const guint value = *setting;
  GST_OBJECT_UNLOCK (controls->element);
  return value;
}

gboolean
fourier_controls_get_brush (FourierControls * controls,
    gdouble * radius, gboolean * draws, FourierView * view)
{
  GST_OBJECT_LOCK (controls->element);
  const gboolean enabled = controls->settings.brush_enabled;
  *radius = controls->settings.brush_radius;
  *draws = controls->settings.brush_mode == FOURIER_BRUSH_MODE_DRAW;
  *view = controls->view;
  GST_OBJECT_UNLOCK (controls->element);
  return enabled;
}

void
fourier_controls_copy_settings (FourierControls * controls,
    FourierSettings * settings, guint * serial)
{
  GST_OBJECT_LOCK (controls->element);
  if (*serial != controls->serial)
    gst_shapes_properties_copy (&fourier_properties, settings,
        &controls->settings);
  *serial = controls->serial;
  GST_OBJECT_UNLOCK (controls->element);
}

gdouble
fourier_controls_take_jump (FourierControls * controls)
{
  GST_OBJECT_LOCK (controls->element);
  const gdouble jump = controls->jump;
  controls->jump = FOURIER_NO_JUMP;
  GST_OBJECT_UNLOCK (controls->element);
  return jump;
}

void
fourier_controls_set_frame (FourierControls * controls,
    gdouble progress, const FourierView * view)
{
  GST_OBJECT_LOCK (controls->element);
  controls->progress = progress;
  controls->view = *view;
  GST_OBJECT_UNLOCK (controls->element);
}

/* Sets a figure that the property @name reports. */
static void
set_figure (FourierControls * controls, gdouble * figure, gdouble value,
    const gchar * name)
{
  GST_OBJECT_LOCK (controls->element);
  const gboolean changed = *figure != value;
  *figure = value;
  GST_OBJECT_UNLOCK (controls->element);
  if (changed)
    g_object_notify (G_OBJECT (controls->element), name);
}

void
fourier_controls_set_rms_error (FourierControls * controls, gdouble rms_error)
{
  set_figure (controls, &controls->rms_error, rms_error, "rms-error");
}

void
fourier_controls_set_travel (FourierControls * controls, gdouble travel)
{
  set_figure (controls, &controls->travel, travel, "pen-up-travel");
}
