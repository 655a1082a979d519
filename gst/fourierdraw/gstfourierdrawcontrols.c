/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawcontrols.h"

static gboolean
set_progress (gpointer controls, const GValue * value)
{
  ((GstFourierDrawControls *) controls)->jump = g_value_get_double (value);
  return TRUE;
}

static void
get_progress (gconstpointer data, GValue * value)
{
  const GstFourierDrawControls *controls = data;

  g_value_set_double (value, controls->jump != GST_FOURIER_DRAW_NO_JUMP ?
      controls->jump : controls->progress);
}

static const GstShapesProperty rows[] = {
  GST_SHAPES_DOUBLE (GstFourierDrawControls, progress, "progress", "Progress",
      0., 1., 0., ANIMATED,
      "How much of the path is drawn, 0 to 1. Setting it moves the arm there, "
      "and the film continues from there; a controller sets it for each frame, "
      "while the film's time goes on.",
      .set = set_progress, .get = get_progress),
  GST_SHAPES_DOUBLE (GstFourierDrawControls, rms_error, "rms-error",
      "RMS error", 0., G_MAXDOUBLE, 0., READ_ONLY,
      "Root mean square distance between the curve that the arm draws and the "
      "path through the contours, in pixels of the picture: the error of "
      "taking only \"n-vectors\" vectors."),
  GST_SHAPES_DOUBLE (GstFourierDrawControls, travel, "pen-up-travel",
      "Pen-up travel", 0., G_MAXDOUBLE, 0., READ_ONLY,
      "How far the lifted pen moves between the drawing's contours, in pixels "
      "of the picture: what \"order\" shortens."),
};

const GstShapesProperties gst_fourier_draw_controls_properties =
    GST_SHAPES_PROPERTIES (rows, GstFourierDrawControls, 1);

void
gst_fourier_draw_controls_init (GstFourierDrawControls * controls,
    GstElement * element)
{
  controls->element = element;
  gst_shapes_properties_init (&gst_fourier_draw_properties,
      &controls->settings);
  controls->serial = 1;
  controls->jump = GST_FOURIER_DRAW_NO_JUMP;
  controls->view.scale = 1.;
}

void
gst_fourier_draw_controls_finalize (GstFourierDrawControls * controls)
{
  gst_shapes_properties_clear (&gst_fourier_draw_properties,
      &controls->settings);
}

void
gst_fourier_draw_controls_reset (GstFourierDrawControls * controls)
{
  GST_OBJECT_LOCK (controls->element);
  controls->progress = controls->rms_error = controls->travel = 0.;
  GST_OBJECT_UNLOCK (controls->element);
}

void
gst_fourier_draw_controls_set (GstFourierDrawControls * controls, guint id,
    const GValue * value)
{
  gst_shapes_properties_set (&gst_fourier_draw_controls_properties, controls,
      id, value);
  if (gst_shapes_properties_set (&gst_fourier_draw_properties,
          &controls->settings, id, value))
    controls->serial++;
}

void
gst_fourier_draw_controls_get (const GstFourierDrawControls * controls,
    guint id, GValue * value)
{
  gst_shapes_properties_get (&gst_fourier_draw_controls_properties, controls,
      id, value);
  gst_shapes_properties_get (&gst_fourier_draw_properties,
      &controls->settings, id, value);
}

GstFourierDrawMode
gst_fourier_draw_controls_get_mode (GstFourierDrawControls * controls)
{
  GstFourierDrawMode mode;

  GST_OBJECT_LOCK (controls->element);
  mode = controls->settings.mode;
  GST_OBJECT_UNLOCK (controls->element);
  return mode;
}

GstFourierDrawBackground
gst_fourier_draw_controls_get_background (GstFourierDrawControls * controls)
{
  GstFourierDrawBackground background;

  GST_OBJECT_LOCK (controls->element);
  background = controls->settings.background;
  GST_OBJECT_UNLOCK (controls->element);
  return background;
}

gboolean
gst_fourier_draw_controls_needs_pixels (GstFourierDrawControls * controls)
{
  gboolean needed;

  GST_OBJECT_LOCK (controls->element);
  needed = controls->settings.background == GST_FOURIER_DRAW_BACKGROUND_FRAME ||
      controls->settings.ink_source == GST_FOURIER_DRAW_INK_SOURCE_PICTURE;
  GST_OBJECT_UNLOCK (controls->element);
  return needed;
}

GstFourierDrawEnding
gst_fourier_draw_controls_get_ending (GstFourierDrawControls * controls)
{
  GstFourierDrawEnding ending = GST_FOURIER_DRAW_ENDING_NOW;

  GST_OBJECT_LOCK (controls->element);
  if (controls->settings.on_eos == GST_FOURIER_DRAW_ON_EOS_FINISH)
    ending = GST_FOURIER_DRAW_ENDING_PASS;
  GST_OBJECT_UNLOCK (controls->element);
  return ending;
}

gboolean
gst_fourier_draw_controls_get_brush (GstFourierDrawControls * controls,
    gdouble * radius, gboolean * draws, GstFourierDrawView * view)
{
  gboolean enabled;

  GST_OBJECT_LOCK (controls->element);
  enabled = controls->settings.brush_enabled;
  *radius = controls->settings.brush_radius;
  *draws = controls->settings.brush_mode == GST_FOURIER_DRAW_BRUSH_MODE_DRAW;
  *view = controls->view;
  GST_OBJECT_UNLOCK (controls->element);
  return enabled;
}

void
gst_fourier_draw_controls_copy_settings (GstFourierDrawControls * controls,
    GstFourierDrawSettings * settings, guint * serial)
{
  GST_OBJECT_LOCK (controls->element);
  if (*serial != controls->serial)
    gst_shapes_properties_copy (&gst_fourier_draw_properties, settings,
        &controls->settings);
  *serial = controls->serial;
  GST_OBJECT_UNLOCK (controls->element);
}

gdouble
gst_fourier_draw_controls_take_jump (GstFourierDrawControls * controls)
{
  gdouble jump;

  GST_OBJECT_LOCK (controls->element);
  jump = controls->jump;
  controls->jump = GST_FOURIER_DRAW_NO_JUMP;
  GST_OBJECT_UNLOCK (controls->element);
  return jump;
}

void
gst_fourier_draw_controls_set_frame (GstFourierDrawControls * controls,
    gdouble progress, const GstFourierDrawView * view)
{
  GST_OBJECT_LOCK (controls->element);
  controls->progress = progress;
  controls->view = *view;
  GST_OBJECT_UNLOCK (controls->element);
}

/* Of a figure that a property reports as @name. */
static void
set_figure (GstFourierDrawControls * controls, gdouble * figure, gdouble value,
    const gchar * name)
{
  gboolean changed;

  GST_OBJECT_LOCK (controls->element);
  changed = *figure != value;
  *figure = value;
  GST_OBJECT_UNLOCK (controls->element);
  if (changed)
    g_object_notify (G_OBJECT (controls->element), name);
}

void
gst_fourier_draw_controls_set_rms_error (GstFourierDrawControls * controls,
    gdouble rms_error)
{
  set_figure (controls, &controls->rms_error, rms_error, "rms-error");
}

void
gst_fourier_draw_controls_set_travel (GstFourierDrawControls * controls,
    gdouble travel)
{
  set_figure (controls, &controls->travel, travel, "pen-up-travel");
}
