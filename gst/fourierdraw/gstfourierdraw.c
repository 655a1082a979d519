/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-fourierdraw
 * @title: fourierdraw
 * @short_description: a robot arm of rotating vectors redraws pictures
 *
 * Connects the contours of a picture to one path, and makes a film in which an
 * arm of rotating vectors (the terms of the path's Fourier series) draws it.
 *
 * The contours are those that #cudacontours or another element has attached to
 * the buffer (#GstShapeMeta); without any, fourierdraw detects contours itself
 * (#GstFourierDraw:detect).
 *
 * ## Redraw and live
 *
 * With mode=redraw each picture becomes a film of #GstFourierDraw:start-delay,
 * #GstFourierDraw:duration and #GstFourierDraw:hold, in a segment that begins
 * at 0. A single image (one buffer, then EOS) is drawn completely before EOS is
 * pushed. Seeking works at any time, also after EOS.
 *
 * With mode=live there is one frame for each input frame, with its timestamp; a
 * new picture is taken when a drawing is finished, and prepared while the old
 * one is still shown. mode=auto is live if upstream is.
 *
 * ## The brush
 *
 * With #GstFourierDraw:brush-enabled the mouse in the video's window erases
 * contours: drag to erase, scroll to resize the brush, press r to draw again
 * without what was erased. #GstFourierDraw::brush-clear brings it back.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 -e filesrc location=fruits.jpg ! jpegdec ! videoconvert ! fourierdraw detect=canny n-vectors=500 ! videoconvert ! x264enc ! mp4mux ! filesink location=fruits.mp4
 * ]| A film that draws a photograph.
 * |[
 * gst-launch-1.0 filesrc location=fruits.jpg ! jpegdec ! videoconvert ! cudacontours level=0.4 min-area=50 ! fourierdraw loop=0 background=frame ! videoconvert ! autovideosink
 * ]| Draws the contours of cudacontours over the photograph, repeatedly.
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! fourierdraw detect=canny canny-auto=true brush-enabled=true duration=5 ! videoconvert ! ximagesink
 * ]| Draws a picture of a camera every seven seconds; the mouse erases.
 *
 * Since: 0.1
 */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstfourierdraw.h"

#include "gstfourierdrawpads.h"
#include "gstfourierdrawprivate.h"
#include "element/gstshapesgray.h"
#include "element/gstshapesframe.h"

GST_DEBUG_CATEGORY (gst_fourier_draw_debug);

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (GST_SHAPES_GRAY_CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (GST_SHAPES_PICTURE_CAPS));

enum
{
  SIGNAL_CAPTURE,
  SIGNAL_BRUSH_CLEAR,
  SIGNAL_FINISH,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

#define gst_fourier_draw_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstFourierDraw, gst_fourier_draw, GST_TYPE_ELEMENT,
    G_IMPLEMENT_INTERFACE (GST_TYPE_PRESET, NULL);
    GST_DEBUG_CATEGORY_INIT (gst_fourier_draw_debug, "fourierdraw", 0,
        "redraws pictures with rotating vectors"));
GST_ELEMENT_REGISTER_DEFINE (fourierdraw, "fourierdraw", GST_RANK_NONE,
    GST_TYPE_FOURIER_DRAW);

/* Properties */

static void
gst_fourier_draw_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (object);

  GST_OBJECT_LOCK (self);
  gst_fourier_draw_controls_set (&self->controls, id, value);
  gst_shapes_properties_set (&gst_shapes_compute_properties, &self->compute, id,
      value);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_fourier_draw_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (object);

  GST_OBJECT_LOCK (self);
  gst_fourier_draw_controls_get (&self->controls, id, value);
  gst_shapes_properties_get (&gst_shapes_compute_properties, &self->compute, id,
      value);
  gst_shapes_properties_get (&gst_shapes_drops_properties, &self->drops, id,
      value);
  GST_OBJECT_UNLOCK (self);
}

/* Action signals */

static void
gst_fourier_draw_capture (GstFourierDraw * self)
{
  gst_fourier_draw_inbox_request (&self->inbox,
      GST_FOURIER_DRAW_REQUEST_CAPTURE);
}

static void
gst_fourier_draw_brush_clear_action (GstFourierDraw * self)
{
  gst_fourier_draw_brush_clear (&self->brush);
}

static void
gst_fourier_draw_finish (GstFourierDraw * self)
{
  g_object_set (self, "progress", 1., NULL);
}

/* Backends */

static gboolean
gst_fourier_draw_open (GstElement * element, GError ** error)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (element);

  return gst_fourier_draw_frames_open (&self->frames, error) &&
      gst_fourier_draw_worker_open (&self->worker, error);
}

static void
gst_fourier_draw_close (GstElement * element)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (element);

  gst_fourier_draw_frames_close (&self->frames);
  gst_fourier_draw_worker_close (&self->worker);
}

static const GstShapesComputeFuncs compute_funcs = {
  gst_fourier_draw_open,
  gst_fourier_draw_close,
};

/* Life */

static gboolean
start (GstFourierDraw * self)
{
  g_atomic_pointer_set (&self->player, NULL);
  self->have_info = FALSE;
  gst_fourier_draw_reset (self);
  gst_fourier_draw_inbox_set_leaky (&self->inbox, FALSE);
  gst_fourier_draw_frames_start (&self->frames);
  gst_fourier_draw_film_start (&self->film);
  gst_fourier_draw_live_start (&self->live);
  return gst_shapes_compute_start (&self->compute);
}

/* The pads are inactive. */
static void
stop (GstFourierDraw * self)
{
  gst_fourier_draw_set_source (self, FALSE);
  gst_fourier_draw_worker_stop (&self->worker);
  gst_fourier_draw_reset (self);
  gst_fourier_draw_frames_stop (&self->frames);
  gst_shapes_drops_reset (&self->drops);
  gst_shapes_aspect_reset (&self->aspect);
  gst_shapes_compute_stop (&self->compute);
  gst_fourier_draw_controls_reset (&self->controls);
}

static GstStateChangeReturn
gst_fourier_draw_change_state (GstElement * element, GstStateChange transition)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !start (self))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_fourier_draw_inbox_set_flushing (&self->inbox, TRUE);
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

/* A film ends when it is told to: what upstream sends has ended long ago. */
static gboolean
gst_fourier_draw_send_event (GstElement * element, GstEvent * event)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (element);

  if (GST_EVENT_TYPE (event) != GST_EVENT_EOS ||
      g_atomic_pointer_get (&self->player) != &self->film.player)
    return GST_ELEMENT_CLASS (parent_class)->send_event (element, event);
  gst_fourier_draw_film_end (&self->film,
      gst_fourier_draw_controls_get_ending (&self->controls),
      gst_event_get_seqnum (event));
  gst_event_unref (event);
  return TRUE;
}

static void
make_pads (GstFourierDraw * self)
{
  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, gst_fourier_draw_chain);
  gst_pad_set_event_function (self->sinkpad, gst_fourier_draw_sink_event);
  gst_pad_set_query_function (self->sinkpad, gst_fourier_draw_sink_query);
  /* caps need not have a frame rate */
  GST_PAD_SET_ACCEPT_INTERSECT (self->sinkpad);
  gst_element_add_pad (GST_ELEMENT_CAST (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_event_function (self->srcpad, gst_fourier_draw_src_event);
  gst_pad_set_query_function (self->srcpad, gst_fourier_draw_src_query);
  gst_pad_set_activatemode_function (self->srcpad,
      gst_fourier_draw_activate_src);
  gst_element_add_pad (GST_ELEMENT_CAST (self), self->srcpad);
}

static void
make_players (GstFourierDraw * self)
{
  const GstFourierDrawPlayer player = {
    .element = GST_ELEMENT_CAST (self),
    .sinkpad = self->sinkpad,
    .srcpad = self->srcpad,
    .inbox = &self->inbox,
    .worker = &self->worker,
    .frames = &self->frames,
  };

  gst_fourier_draw_film_init (&self->film, &player);
  gst_fourier_draw_live_init (&self->live, &player);
}

static void
gst_fourier_draw_init (GstFourierDraw * self)
{
  GstElement *element = GST_ELEMENT_CAST (self);

  make_pads (self);
  gst_shapes_compute_init (&self->compute, element, &compute_funcs);
  gst_shapes_drops_init (&self->drops, element);
  gst_fourier_draw_controls_init (&self->controls, element);
  gst_fourier_draw_brush_init (&self->brush);
  gst_fourier_draw_inbox_init (&self->inbox);
  gst_fourier_draw_worker_init (&self->worker, element, &self->compute,
      &self->brush);
  gst_fourier_draw_frames_init (&self->frames, element, self->srcpad,
      &self->compute, &self->drops, &self->brush, &self->controls,
      &self->worker);
  make_players (self);
}

static void
gst_fourier_draw_finalize (GObject * object)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (object);

  gst_fourier_draw_frames_finalize (&self->frames);
  gst_fourier_draw_worker_finalize (&self->worker);
  gst_fourier_draw_inbox_finalize (&self->inbox);
  gst_fourier_draw_brush_finalize (&self->brush);
  gst_fourier_draw_controls_finalize (&self->controls);
  gst_shapes_compute_finalize (&self->compute);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
install_properties (GObjectClass * klass)
{
  gst_shapes_properties_install (&gst_fourier_draw_controls_properties, klass);
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
   * Draws the next picture now instead of when the present one is finished. If
   * none follows, draws the present one again.
   */
  signals[SIGNAL_CAPTURE] = g_signal_new_class_handler ("capture",
      G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (gst_fourier_draw_capture), NULL, NULL, NULL, G_TYPE_NONE, 0);
  /**
   * GstFourierDraw::brush-clear:
   * @self: the element
   *
   * Restores what the mouse has erased, from the next drawing on.
   */
  signals[SIGNAL_BRUSH_CLEAR] = g_signal_new_class_handler ("brush-clear",
      G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (gst_fourier_draw_brush_clear_action), NULL, NULL, NULL,
      G_TYPE_NONE, 0);
  /**
   * GstFourierDraw::finish:
   * @self: the element
   *
   * Finishes the drawing now; #GstFourierDraw:hold follows, as usual.
   */
  signals[SIGNAL_FINISH] = g_signal_new_class_handler ("finish",
      G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (gst_fourier_draw_finish), NULL, NULL, NULL, G_TYPE_NONE, 0);
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
      "Draws the contours of pictures with an arm of rotating vectors, the "
      "terms of a Fourier series", "The gst-cudashapes authors");
  element_class->change_state = gst_fourier_draw_change_state;
  element_class->set_context = gst_fourier_draw_set_context;
  element_class->send_event = gst_fourier_draw_send_event;
}
