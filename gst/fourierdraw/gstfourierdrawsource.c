/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The source pad of fourierdraw: its task and seeking are in
 * gstfourierdrawredraw.c. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstfourierdrawprivate.h"

#include "gstfourierdrawcaps.h"

/* Events */

static void
restart (GstFourierDraw * self)
{
  g_mutex_lock (&self->lock);
  self->restart = TRUE;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
}

/* Whether the event of the window was for the brush. */
static gboolean
navigate (GstFourierDraw * self, GstEvent * event)
{
  GstFourierDrawAction action;
  GstFourierDrawView view;
  gdouble radius;
  gboolean enabled;

  GST_OBJECT_LOCK (self);
  enabled = self->settings.brush_enabled;
  radius = self->settings.brush_radius;
  view = self->view;
  GST_OBJECT_UNLOCK (self);
  if (!enabled || !gst_event_get_structure (event))
    return FALSE;
  action = gst_fourier_draw_brush_navigate (&self->brush, event, &view,
      &radius);
  switch (action) {
    case GST_FOURIER_DRAW_ACTION_RADIUS:
      g_object_set (self, "brush-radius", radius, NULL);
      break;
    case GST_FOURIER_DRAW_ACTION_REDRAW:
      restart (self);
      break;
    default:
      break;
  }
  return action != GST_FOURIER_DRAW_ACTION_NONE;
}

gboolean
gst_fourier_draw_src_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (parent);
  gboolean done;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_NAVIGATION:
      if (!navigate (self, event))
        return gst_pad_event_default (pad, parent, event);
      gst_event_unref (event);
      return TRUE;
    case GST_EVENT_SEEK:
      if (!gst_fourier_draw_is_redraw (self))
        return gst_pad_event_default (pad, parent, event);
      done = gst_fourier_draw_seek (self, event);
      gst_event_unref (event);
      return done;
    case GST_EVENT_QOS:
    case GST_EVENT_STEP:
      /* about times that are not upstream's */
      if (!gst_fourier_draw_is_redraw (self))
        return gst_pad_event_default (pad, parent, event);
      gst_event_unref (event);
      return GST_EVENT_TYPE (event) == GST_EVENT_QOS;
    default:
      return gst_pad_event_default (pad, parent, event);
  }
}

/* Queries */

static gboolean
answer_duration (GstFourierDraw * self, GstQuery * query)
{
  GstClockTime end;
  GstFormat format;

  gst_query_parse_duration (query, &format, NULL);
  g_mutex_lock (&self->lock);
  end = self->end;
  g_mutex_unlock (&self->lock);
  if (format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID (end))
    return FALSE;
  gst_query_set_duration (query, GST_FORMAT_TIME, end);
  return TRUE;
}

static gboolean
answer_position (GstFourierDraw * self, GstQuery * query)
{
  GstClockTime position;
  GstFormat format;

  gst_query_parse_position (query, &format, NULL);
  if (format != GST_FORMAT_TIME)
    return FALSE;
  g_mutex_lock (&self->lock);
  position = self->position;
  g_mutex_unlock (&self->lock);
  gst_query_set_position (query, GST_FORMAT_TIME, position);
  return TRUE;
}

static gboolean
answer_seeking (GstFourierDraw * self, GstQuery * query)
{
  GstClockTime end;
  GstFormat format;

  gst_query_parse_seeking (query, &format, NULL, NULL, NULL);
  g_mutex_lock (&self->lock);
  end = self->end;
  g_mutex_unlock (&self->lock);
  if (format == GST_FORMAT_TIME)
    gst_query_set_seeking (query, format, TRUE, 0,
        GST_CLOCK_TIME_IS_VALID (end) ? (gint64) end : -1);
  else
    gst_query_set_seeking (query, format, FALSE, 0, -1);
  return TRUE;
}

/* A film has no latency; that of a camera's pictures is the time until the film
 * begins. */
static gboolean
answer_latency (GstFourierDraw * self, GstQuery * query)
{
  GstClockTime min = 0;
  gboolean live = FALSE;

  if (gst_pad_peer_query (self->sinkpad, query))
    gst_query_parse_latency (query, &live, &min, NULL);
  if (!live)
    min = 0;
  gst_query_set_latency (query, live, min, GST_CLOCK_TIME_NONE);
  return TRUE;
}

static gboolean
answer_redraw_query (GstFourierDraw * self, GstQuery * query,
    gboolean * answered)
{
  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_DURATION:
      *answered = answer_duration (self, query);
      return TRUE;
    case GST_QUERY_POSITION:
      *answered = answer_position (self, query);
      return TRUE;
    case GST_QUERY_SEEKING:
      *answered = answer_seeking (self, query);
      return TRUE;
    case GST_QUERY_LATENCY:
      *answered = answer_latency (self, query);
      return TRUE;
    case GST_QUERY_CONVERT:
      *answered = FALSE;
      return TRUE;
    default:
      return FALSE;
  }
}

gboolean
gst_fourier_draw_src_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (parent);
  gboolean answered;
  GstCaps *caps;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CONTEXT:
      if (gst_shapes_compute_query_context (&self->compute, query))
        return TRUE;
      return gst_pad_query_default (pad, parent, query);
    case GST_QUERY_CAPS:
      caps = gst_pad_get_pad_template_caps (pad);
      gst_fourier_draw_answer_caps (query, caps);
      gst_caps_unref (caps);
      return TRUE;
    default:
      if (gst_fourier_draw_is_redraw (self) &&
          answer_redraw_query (self, query, &answered))
        return answered;
      return gst_pad_query_default (pad, parent, query);
  }
}

/* Activation */

gboolean
gst_fourier_draw_activate_src (GstPad * pad, GstObject * parent,
    GstPadMode mode, gboolean active)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  g_mutex_lock (&self->lock);
  self->flushing = !active;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
  return active || gst_pad_stop_task (pad);
}
