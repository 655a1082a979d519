/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-fourierdraw
 * @title: fourierdraw
 * @short_description: a robot arm of rotating vectors redraws pictures
 *
 * Takes the contours of a picture, orders them into one long stroke, and makes
 * a film in which an arm of rotating vectors (the terms of the stroke's Fourier
 * series) draws it.
 *
 * The contours are those that #cudacontours or another element has attached to
 * the buffer (#GstShapeMeta); without any, fourierdraw looks for contours
 * itself (#GstFourierDraw:detect).
 *
 * ## Redraw and live
 *
 * With mode=redraw each picture that comes becomes a film of
 * #GstFourierDraw:start-delay, #GstFourierDraw:duration and
 * #GstFourierDraw:hold, with a segment of its own from 0 on. A single image
 * (one buffer, then EOS) is drawn completely before EOS goes out. Seeking works
 * at any time, also after EOS.
 *
 * With mode=live there is one frame for each frame that comes, with its
 * timestamp; a new picture is taken when a drawing is finished, and prepared
 * while the old one is still shown. mode=auto is live when upstream is.
 *
 * ## The brush
 *
 * With #GstFourierDraw:brush-enabled the mouse in the video's window erases
 * contours: drag to erase, scroll to change the brush's size, press r to draw
 * again without what was erased. #GstFourierDraw::brush-clear brings it back.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 -e filesrc location=fruits.jpg ! jpegdec ! videoconvert ! fourierdraw detect=canny n-vectors=500 ! videoconvert ! x264enc ! mp4mux ! filesink location=fruits.mp4
 * ]| A film of a photograph being drawn.
 * |[
 * gst-launch-1.0 filesrc location=fruits.jpg ! jpegdec ! videoconvert ! cudacontours level=0.4 min-area=50 ! fourierdraw loop=0 background=frame ! videoconvert ! autovideosink
 * ]| The contours of cudacontours, drawn over the photograph, again and again.
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! fourierdraw detect=canny canny-auto=true brush-enabled=true duration=5 ! videoconvert ! ximagesink
 * ]| What a camera sees, drawn anew every seven seconds; the mouse erases.
 *
 * Since: 0.1
 */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstfourierdrawprivate.h"

#include <string.h>

#include "element/gstshapesframe.h"

GST_DEBUG_CATEGORY (gst_fourier_draw_debug);
#define GST_CAT_DEFAULT gst_fourier_draw_debug

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (GST_SHAPES_GRAY_CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (GST_SHAPES_PICTURE_CAPS));

enum
{
  SIGNAL_CAPTURE,
  SIGNAL_BRUSH_CLEAR,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

#define gst_fourier_draw_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstFourierDraw, gst_fourier_draw, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (gst_fourier_draw_debug, "fourierdraw", 0,
        "redraws pictures with rotating vectors"));
GST_ELEMENT_REGISTER_DEFINE (fourierdraw, "fourierdraw", GST_RANK_NONE,
    GST_TYPE_FOURIER_DRAW);

/* What the other files share */

void
gst_fourier_draw_picture_clear (GstFourierDrawPicture * picture)
{
  gst_clear_buffer (&picture->buffer);
}

void
gst_fourier_draw_picture_set (GstFourierDrawPicture * picture,
    GstBuffer * buffer, const GstVideoInfo * info)
{
  gst_buffer_replace (&picture->buffer, buffer);
  picture->info = *info;
}

gboolean
gst_fourier_draw_is_live (GstFourierDraw * self)
{
  gboolean live;

  g_mutex_lock (&self->lock);
  live = self->mode_known && self->live;
  g_mutex_unlock (&self->lock);
  return live;
}

gboolean
gst_fourier_draw_is_redraw (GstFourierDraw * self)
{
  gboolean redraw;

  g_mutex_lock (&self->lock);
  redraw = self->mode_known && !self->live;
  if (!self->mode_known) {
    GST_OBJECT_LOCK (self);
    redraw = self->settings.mode == GST_FOURIER_DRAW_MODE_REDRAW;
    GST_OBJECT_UNLOCK (self);
  }
  g_mutex_unlock (&self->lock);
  return redraw;
}

void
gst_fourier_draw_update_settings (GstFourierDraw * self)
{
  GST_OBJECT_LOCK (self);
  if (self->settings_serial != self->current_serial) {
    gst_shapes_properties_copy (&gst_fourier_draw_properties, &self->current,
        &self->settings);
    self->current_serial = self->settings_serial;
  }
  GST_OBJECT_UNLOCK (self);
}

GstFlowReturn
gst_fourier_draw_fail_picture (GstFourierDraw * self,
    const GstFourierDrawPicture * picture, const GError * error)
{
  GstSegment none;

  /* a film's task does not know what segment its picture came in */
  gst_segment_init (&none, GST_FORMAT_UNDEFINED);
  if (picture->buffer && gst_shapes_drops_take (&self->drops, picture->buffer,
          self->live ? &self->in_segment : &none, error))
    return GST_FOURIER_DRAW_FLOW_DROPPED;
  gst_shapes_compute_post_error (GST_ELEMENT_CAST (self),
      GST_FOURIER_DRAW_CANNOT, error);
  return GST_FLOW_ERROR;
}

/* Properties */

static gboolean
set_progress (gpointer element, const GValue * value)
{
  ((GstFourierDraw *) element)->jump = g_value_get_double (value);
  return TRUE;
}

static void
get_progress (gconstpointer element, GValue * value)
{
  const GstFourierDraw *self = element;

  g_value_set_double (value, self->jump != GST_FOURIER_DRAW_NO_JUMP ?
      self->jump : self->progress);
}

/* Those that are not settings. */
static const GstShapesProperty rows[] = {
  GST_SHAPES_DOUBLE (GstFourierDraw, progress, "progress", "Progress", 0., 1.,
      0., ANIMATED,
      "How much of the way the arm has gone, 0 to 1. Setting it puts the arm "
      "there, and the film goes on from there; a controller holds it where it "
      "says for each frame, while the film's time goes on.",
      .set = set_progress, .get = get_progress),
  GST_SHAPES_DOUBLE (GstFourierDraw, rms_error, "rms-error", "RMS error", 0.,
      G_MAXDOUBLE, 0., READ_ONLY,
      "How far the arm's drawing is from the path through the contours, in "
      "pixels of the picture (root mean square): what \"n-vectors\" costs."),
};

static const GstShapesProperties properties =
    GST_SHAPES_PROPERTIES (rows, GstFourierDraw, 1);

static void
gst_fourier_draw_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (object);

  GST_OBJECT_LOCK (self);
  gst_shapes_properties_set (&properties, self, id, value);
  gst_shapes_properties_set (&gst_shapes_compute_properties, &self->compute, id,
      value);
  if (gst_shapes_properties_set (&gst_fourier_draw_properties, &self->settings,
          id, value))
    self->settings_serial++;
  GST_OBJECT_UNLOCK (self);
}

static void
gst_fourier_draw_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (object);

  GST_OBJECT_LOCK (self);
  gst_shapes_properties_get (&properties, self, id, value);
  gst_shapes_properties_get (&gst_shapes_compute_properties, &self->compute, id,
      value);
  gst_shapes_properties_get (&gst_shapes_drops_properties, &self->drops, id,
      value);
  gst_shapes_properties_get (&gst_fourier_draw_properties, &self->settings, id,
      value);
  GST_OBJECT_UNLOCK (self);
}

/* Actions, from any thread */

static void
gst_fourier_draw_capture (GstFourierDraw * self)
{
  g_mutex_lock (&self->lock);
  self->capture = TRUE;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
}

static void
gst_fourier_draw_brush_clear_action (GstFourierDraw * self)
{
  gst_fourier_draw_brush_clear (&self->brush);
}

/* Backends */

static gboolean
gst_fourier_draw_open (GstElement * element, GError ** error)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (element);
  const GstShapesCompute *compute = &self->compute;

  gst_shapes_picture_stage_init (&self->in_stage, compute->slabs,
      compute->context, compute->stream);
  gst_shapes_picture_stage_init (&self->out_stage, compute->slabs,
      compute->context, compute->stream);
  return gst_fourier_painter_open (&self->painter, compute, error) &&
      gst_fourier_preparer_open (&self->preparer, compute, error);
}

static void
gst_fourier_draw_close (GstElement * element)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (element);

  gst_shapes_picture_stage_clear (&self->in_stage);
  gst_shapes_picture_stage_clear (&self->out_stage);
  gst_fourier_painter_close (&self->painter);
  gst_fourier_preparer_close (&self->preparer);
}

static const GstShapesComputeFuncs compute_funcs = {
  gst_fourier_draw_open,
  gst_fourier_draw_close,
};

/* Life */

static gboolean
start (GstFourierDraw * self)
{
  gst_fourier_draw_reset_stream (self);
  gst_fourier_draw_update_settings (self);
  gst_segment_init (&self->in_segment, GST_FORMAT_TIME);
  /* queries may come already */
  g_mutex_lock (&self->lock);
  self->have_info = self->mode_known = self->live = FALSE;
  g_mutex_unlock (&self->lock);
  self->negotiated = self->warned_empty = self->warned_camera = FALSE;
  gst_fourier_draw_counter_init (&self->counter, 0, 1);
  self->local = self->counter;
  memset (&self->clock, 0, sizeof (self->clock));
  return gst_shapes_compute_start (&self->compute);
}

/* No thread is at work any more. */
static void
stop (GstFourierDraw * self)
{
  gst_fourier_draw_stop_worker (self);
  gst_fourier_draw_clear_pool (self);
  gst_fourier_draw_reset_stream (self);
  gst_shapes_drops_reset (&self->drops);
  gst_shapes_compute_stop (&self->compute);
  gst_fourier_transform_clear (&self->transform);
  gst_shapes_properties_clear (&gst_fourier_draw_properties, &self->prepared);
  GST_OBJECT_LOCK (self);
  self->progress = self->rms_error = 0.;
  GST_OBJECT_UNLOCK (self);
}

static GstStateChangeReturn
gst_fourier_draw_change_state (GstElement * element, GstStateChange transition)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !start (self))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    g_mutex_lock (&self->lock);
    self->flushing = TRUE;
    g_cond_broadcast (&self->cond);
    g_mutex_unlock (&self->lock);
  }
  result = GST_ELEMENT_CLASS (parent_class)->change_state (element,
      transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY ||
      (transition == GST_STATE_CHANGE_READY_TO_PAUSED &&
          result == GST_STATE_CHANGE_FAILURE))
    stop (self);
  return result;
}

static void
gst_fourier_draw_set_context (GstElement * element, GstContext * context)
{
  gst_shapes_compute_set_context (&GST_FOURIER_DRAW (element)->compute,
      context);
  GST_ELEMENT_CLASS (parent_class)->set_context (element, context);
}

static void
make_pads (GstFourierDraw * self)
{
  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, gst_fourier_draw_chain);
  gst_pad_set_event_function (self->sinkpad, gst_fourier_draw_sink_event);
  gst_pad_set_query_function (self->sinkpad, gst_fourier_draw_sink_query);
  gst_element_add_pad (GST_ELEMENT_CAST (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_event_function (self->srcpad, gst_fourier_draw_src_event);
  gst_pad_set_query_function (self->srcpad, gst_fourier_draw_src_query);
  gst_pad_set_activatemode_function (self->srcpad,
      gst_fourier_draw_activate_src);
  gst_element_add_pad (GST_ELEMENT_CAST (self), self->srcpad);
}

static void
gst_fourier_draw_init (GstFourierDraw * self)
{
  gst_shapes_compute_init (&self->compute, GST_ELEMENT_CAST (self),
      &compute_funcs);
  gst_shapes_drops_init (&self->drops, GST_ELEMENT_CAST (self));
  gst_fourier_draw_brush_init (&self->brush);
  gst_shapes_properties_init (&gst_fourier_draw_properties, &self->settings);
  self->settings_serial = 1;
  self->jump = GST_FOURIER_DRAW_NO_JUMP;
  self->view.scale = 1.;
  gst_video_info_init (&self->picture.info);
  self->pending_dabs.dabs = g_array_new (FALSE, FALSE, sizeof (GstFourierDrawDab));
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  make_pads (self);
}

static void
gst_fourier_draw_finalize (GObject * object)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (object);

  gst_shapes_properties_clear (&gst_fourier_draw_properties, &self->settings);
  gst_shapes_properties_clear (&gst_fourier_draw_properties, &self->current);
  gst_shapes_properties_clear (&gst_fourier_draw_properties, &self->prepared);
  gst_fourier_draw_brush_finalize (&self->brush);
  gst_shapes_compute_finalize (&self->compute);
  g_array_unref (self->pending_dabs.dabs);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
install_properties (GObjectClass * klass)
{
  gst_shapes_properties_install (&properties, klass);
  gst_shapes_properties_install (&gst_shapes_compute_properties, klass);
  gst_shapes_properties_install (&gst_shapes_drops_properties, klass);
  gst_shapes_properties_install (&gst_fourier_draw_properties, klass);
}

static void
install_signals (GObjectClass * klass)
{
  /**
   * GstFourierDraw::capture:
   * @self: the element
   *
   * Takes the next picture at once instead of when the present one is finished.
   * When there is none to come, draws the present one again.
   */
  signals[SIGNAL_CAPTURE] = g_signal_new_class_handler ("capture",
      G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (gst_fourier_draw_capture), NULL, NULL, NULL, G_TYPE_NONE, 0);
  /**
   * GstFourierDraw::brush-clear:
   * @self: the element
   *
   * Brings back what the mouse has erased, from the next drawing on.
   */
  signals[SIGNAL_BRUSH_CLEAR] = g_signal_new_class_handler ("brush-clear",
      G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (gst_fourier_draw_brush_clear_action), NULL, NULL, NULL,
      G_TYPE_NONE, 0);
}

static void
gst_fourier_draw_class_init (GstFourierDrawClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->set_property = gst_fourier_draw_set_property;
  object_class->get_property = gst_fourier_draw_get_property;
  object_class->finalize = gst_fourier_draw_finalize;
  install_properties (object_class);
  install_signals (object_class);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class,
      "Fourier drawing machine", "Filter/Effect/Video",
      "Makes a film in which an arm of rotating vectors, a Fourier series, "
      "draws the contours of pictures", "The gst-cudashapes authors");
  element_class->change_state = gst_fourier_draw_change_state;
  element_class->set_context = gst_fourier_draw_set_context;
}
