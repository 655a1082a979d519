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

#include "gstfourierdraw.h"

#include <string.h>

#include <gst/video/video.h>

#include "gstfourierdrawbrush.h"
#include "gstfourierdrawcaps.h"
#include "gstfourierdrawdrawing.h"
#include "gstfourierdrawpicture.h"
#include "gstfourierdrawsettings.h"
#include "gstfourierdrawtime.h"
#include "gstshapescompute.h"
#include "gstshapesgray.h"
#include "gstshapespicture.h"
#include "shapes/gstshapes.h"

GST_DEBUG_CATEGORY_STATIC (gst_fourier_draw_debug);
#define GST_CAT_DEFAULT gst_fourier_draw_debug

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (GST_SHAPES_GRAY_CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (GST_SHAPES_PICTURE_CAPS));

/* What errors begin with. */
#define CANNOT "Cannot draw"

enum
{
  PROP_0,
  PROP_PROGRESS,
  PROP_RMS_ERROR,
  /* GST_SHAPES_COMPUTE_N_PROPERTIES of them */
  PROP_COMPUTE,
};

enum
{
  SIGNAL_CAPTURE,
  SIGNAL_BRUSH_CLEAR,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

/* No progress was asked for. */
#define NO_JUMP (-1.)

/* A frame that came, and its format. */
typedef struct
{
  GstBuffer *buffer;
  GstVideoInfo info;
} Picture;

/* A drawing that is made while the old one is shown: of a picture, or of
 * contours that were found in one. */
typedef struct
{
  Picture picture;
  GstFourierContours *contours;
  GstFourierDrawSettings settings;
  GstFourierDrawing *drawing;
  GError *error;
} Job;

struct _GstFourierDraw
{
  GstElement parent;

  GstPad *sinkpad, *srcpad;
  GstShapesCompute compute;
  GstFourierDrawBrush brush;

  /* with the object lock */
  GstFourierDrawSettings settings;
  guint settings_serial;
  gdouble progress, jump, rms_error;
  GstFourierDrawView view;

  /* with this lock; the condition tells of any change */
  GMutex lock;
  GCond cond;
  gboolean flushing, interrupted;
  gboolean mode_known, live, upstream_live;
  Picture pending;
  gboolean eos;
  guint32 eos_seqnum;
  gboolean capture, restart;
  GstFlowReturn flow;
  GstClockTime position, end;
  GThread *worker;
  gboolean worker_ends;
  gboolean worker_busy;
  Job *job, *done;

  /* the sink pad's streaming thread */
  GstVideoInfo in_info;
  gboolean have_info;
  GstSegment in_segment;

  /* the thread that makes frames: the source pad's task, or, when live, the
   * sink pad's streaming thread */
  GstFourierDrawSettings current;
  guint current_serial;
  Picture picture;
  guint64 picture_id;
  GstFourierContours *contours;
  GstFourierDrawing *drawing;
  GstFourierDrawSettings prepared;
  gboolean active, still_done;
  GstFourierDrawClock clock;
  guint64 pass;
  /* of the stream, and of the picture */
  GstFourierDrawCounter counter, local;
  GstClockTime picture_start;
  GstSegment segment;
  gboolean need_segment, need_discont;
  guint32 seqnum;
  GstVideoInfo out_info;
  gboolean negotiated;
  GstBufferPool *pool;
  GArray *dabs;
  GstFourierTransform transform;
  gboolean warned_empty, warned_camera;

  /* between open and close */
  GstFourierPainter painter;
  GstShapesPictureStage in_stage, out_stage;
  GstFourierPreparer preparer;
};

#define gst_fourier_draw_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstFourierDraw, gst_fourier_draw, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (gst_fourier_draw_debug, "fourierdraw", 0,
        "redraws pictures with rotating vectors"));
GST_ELEMENT_REGISTER_DEFINE (fourierdraw, "fourierdraw", GST_RANK_NONE,
    GST_TYPE_FOURIER_DRAW);

/* Small things */

static void
picture_clear (Picture * picture)
{
  gst_clear_buffer (&picture->buffer);
}

static void
picture_set (Picture * picture, GstBuffer * buffer, const GstVideoInfo * info)
{
  gst_buffer_replace (&picture->buffer, buffer);
  picture->info = *info;
}

static void
job_free (Job * job)
{
  picture_clear (&job->picture);
  g_clear_pointer (&job->contours, gst_fourier_contours_unref);
  g_clear_pointer (&job->drawing, gst_fourier_drawing_free);
  gst_fourier_draw_settings_clear (&job->settings);
  g_clear_error (&job->error);
  g_free (job);
}

static gboolean
is_live (GstFourierDraw * self)
{
  gboolean live;

  g_mutex_lock (&self->lock);
  live = self->mode_known && self->live;
  g_mutex_unlock (&self->lock);
  return live;
}

/* Whether the film has its own time: also before it is known, if it is set. */
static gboolean
is_redraw (GstFourierDraw * self)
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

/* Properties */

static gboolean
is_compute_property (guint id)
{
  return id >= PROP_COMPUTE &&
      id < PROP_COMPUTE + GST_SHAPES_COMPUTE_N_PROPERTIES;
}

static void
gst_fourier_draw_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (object);
  gboolean known = TRUE;

  if (is_compute_property (id)) {
    gst_shapes_compute_set_property (&self->compute, id - PROP_COMPUTE, value);
    return;
  }
  GST_OBJECT_LOCK (self);
  if (id == PROP_PROGRESS) {
    self->jump = g_value_get_double (value);
  } else {
    known = gst_fourier_draw_settings_set (&self->settings, id, value);
    self->settings_serial++;
  }
  GST_OBJECT_UNLOCK (self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
gst_fourier_draw_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (object);
  gboolean known = TRUE;

  if (is_compute_property (id)) {
    gst_shapes_compute_get_property (&self->compute, id - PROP_COMPUTE, value);
    return;
  }
  GST_OBJECT_LOCK (self);
  if (id == PROP_PROGRESS)
    g_value_set_double (value, self->jump != NO_JUMP ? self->jump :
        self->progress);
  else if (id == PROP_RMS_ERROR)
    g_value_set_double (value, self->rms_error);
  else
    known = gst_fourier_draw_settings_get (&self->settings, id, value);
  GST_OBJECT_UNLOCK (self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

/* The properties as they are now, for the thread that makes frames. */
static void
update_settings (GstFourierDraw * self)
{
  GST_OBJECT_LOCK (self);
  if (self->settings_serial != self->current_serial) {
    gst_fourier_draw_settings_clear (&self->current);
    gst_fourier_draw_settings_copy (&self->current, &self->settings);
    self->current_serial = self->settings_serial;
  }
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

static void
restart (GstFourierDraw * self)
{
  g_mutex_lock (&self->lock);
  self->restart = TRUE;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
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

/* Drawings: one thread at a time prepares them */

/* Makes a drawing of @contours, which are found in @picture first if there are
 * none yet. */
static gboolean
prepare (GstFourierDraw * self, const Picture * picture,
    const GstFourierDrawSettings * settings, GstFourierContours ** contours,
    GstFourierDrawing ** drawing, GError ** error)
{
  CsBrushMask *mask = NULL;

  *drawing = NULL;
  if (!gst_shapes_compute_begin (&self->compute)) {
    g_set_error (error, CS_ERROR, CS_ERROR_DEVICE, "the GPU is gone");
    return FALSE;
  }
  if (!*contours)
    *contours = gst_fourier_preparer_find (&self->preparer, picture->buffer,
        &picture->info, settings, error);
  if (*contours && gst_fourier_draw_brush_make_mask (&self->brush, settings,
          (*contours)->width, (*contours)->height, &mask, error))
    *drawing = gst_fourier_preparer_draw (&self->preparer, *contours, mask,
        settings, error);
  g_clear_pointer (&mask, cs_brush_mask_free);
  gst_shapes_compute_end (&self->compute);
  return *drawing != NULL;
}

static void
warn_empty (GstFourierDraw * self)
{
  if (self->warned_empty)
    return;
  self->warned_empty = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FAILED,
      ("There are no contours to draw in a picture. Try other levels, "
          "detect=canny, or a smaller min-points."), (NULL));
}

static void
set_rms_error (GstFourierDraw * self)
{
  const gdouble rms_error = self->drawing ? self->drawing->rms_error : 0.;
  gboolean changed;

  GST_OBJECT_LOCK (self);
  changed = self->rms_error != rms_error;
  self->rms_error = rms_error;
  GST_OBJECT_UNLOCK (self);
  if (changed)
    g_object_notify (G_OBJECT (self), "rms-error");
}

/* The drawing is drawn from now on. Takes the references. */
static void
use_drawing (GstFourierDraw * self, GstFourierContours * contours,
    GstFourierDrawing * drawing, const GstFourierDrawSettings * settings)
{
  g_clear_pointer (&self->contours, gst_fourier_contours_unref);
  g_clear_pointer (&self->drawing, gst_fourier_drawing_free);
  self->contours = contours;
  self->drawing = drawing;
  gst_fourier_draw_settings_clear (&self->prepared);
  gst_fourier_draw_settings_copy (&self->prepared, settings);
  set_rms_error (self);
  if (drawing->n_contours == 0)
    warn_empty (self);
  GST_DEBUG_OBJECT (self, "a drawing of %" G_GSIZE_FORMAT " contours, %u "
      "vectors", drawing->n_contours, drawing->max_vectors);
}

/* Prepares a drawing in this thread. */
static gboolean
draw_picture (GstFourierDraw * self, const Picture * picture)
{
  GstFourierContours *contours = NULL;
  GstFourierDrawing *drawing = NULL;
  GError *error = NULL;

  if (!prepare (self, picture, &self->current, &contours, &drawing, &error)) {
    gst_shapes_compute_post_error (GST_ELEMENT_CAST (self), CANNOT, error);
    g_clear_pointer (&contours, gst_fourier_contours_unref);
    g_clear_error (&error);
    return FALSE;
  }
  use_drawing (self, contours, drawing, &self->current);
  return TRUE;
}

/* The worker: prepares drawings while frames go on; the newest wins */

static gpointer
work (gpointer user_data)
{
  GstFourierDraw *self = user_data;

  g_mutex_lock (&self->lock);
  while (!self->worker_ends) {
    Job *job = self->job;

    if (!job) {
      g_cond_wait (&self->cond, &self->lock);
      continue;
    }
    self->job = NULL;
    self->worker_busy = TRUE;
    g_mutex_unlock (&self->lock);
    prepare (self, &job->picture, &job->settings, &job->contours,
        &job->drawing, &job->error);
    picture_clear (&job->picture);
    g_mutex_lock (&self->lock);
    self->worker_busy = FALSE;
    g_clear_pointer (&self->done, job_free);
    self->done = job;
  }
  g_mutex_unlock (&self->lock);
  return NULL;
}

/* @picture: (nullable): of which to make a drawing, %NULL for the present
 *     contours */
static void
send_job (GstFourierDraw * self, const Picture * picture)
{
  Job *job = g_new0 (Job, 1);

  if (picture)
    picture_set (&job->picture, picture->buffer, &picture->info);
  else
    job->contours = gst_fourier_contours_ref (self->contours);
  gst_fourier_draw_settings_copy (&job->settings, &self->current);
  g_mutex_lock (&self->lock);
  g_clear_pointer (&self->job, job_free);
  self->job = job;
  if (!self->worker)
    self->worker = g_thread_new ("fourierdraw", work, self);
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
}

static void
stop_worker (GstFourierDraw * self)
{
  GThread *worker;

  g_mutex_lock (&self->lock);
  worker = self->worker;
  self->worker = NULL;
  self->worker_ends = TRUE;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
  if (worker)
    g_thread_join (worker);
  self->worker_ends = FALSE;
  g_clear_pointer (&self->job, job_free);
  g_clear_pointer (&self->done, job_free);
}

/* Forgets what is being prepared. */
static void
drop_jobs (GstFourierDraw * self)
{
  g_mutex_lock (&self->lock);
  g_clear_pointer (&self->job, job_free);
  g_clear_pointer (&self->done, job_free);
  g_mutex_unlock (&self->lock);
}

/* Negotiation */

static void
clear_pool (GstFourierDraw * self)
{
  if (self->pool)
    gst_buffer_pool_set_active (self->pool, FALSE);
  gst_clear_object (&self->pool);
}

static void
get_rate (const GstFourierDraw * self, gint * fps_n, gint * fps_d)
{
  *fps_n = self->out_info.fps_n;
  *fps_d = MAX (1, self->out_info.fps_d);
}

/* What is behind the drawing, as far as it is possible. */
static CsBackground
get_background (const GstFourierDraw * self)
{
  switch (self->current.background) {
    case GST_FOURIER_DRAW_BACKGROUND_FRAME:
      if (self->current.camera == GST_FOURIER_DRAW_CAMERA_FIT)
        return CS_BACKGROUND_FRAME;
      return CS_BACKGROUND_BLACK;
    case GST_FOURIER_DRAW_BACKGROUND_TRANSPARENT:
      return CS_BACKGROUND_TRANSPARENT;
    case GST_FOURIER_DRAW_BACKGROUND_WHITE:
      return CS_BACKGROUND_WHITE;
    default:
      return CS_BACKGROUND_BLACK;
  }
}

static void
warn_camera (GstFourierDraw * self)
{
  if (self->warned_camera ||
      self->current.background != GST_FOURIER_DRAW_BACKGROUND_FRAME ||
      self->current.camera == GST_FOURIER_DRAW_CAMERA_FIT)
    return;
  self->warned_camera = TRUE;
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
      ("background=frame needs camera=fit; the background is black."), (NULL));
}

/* The frame behind must be what is painted on. */
static gboolean
check_background (GstFourierDraw * self, const GstVideoInfo * info)
{
  const GstVideoInfo *out = &self->out_info;

  if (self->current.background != GST_FOURIER_DRAW_BACKGROUND_FRAME ||
      (GST_VIDEO_INFO_FORMAT (info) == GST_VIDEO_INFO_FORMAT (out) &&
          info->width == out->width && info->height == out->height))
    return TRUE;
  GST_ELEMENT_ERROR (self, CORE, NEGOTIATION,
      ("background=frame needs an output of the same format and size as the "
          "input: %s of %d x %d goes in, %s of %d x %d is wanted. Put "
          "videoconvert and videoscale before fourierdraw.",
          gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (info)),
          info->width, info->height,
          gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (out)), out->width,
          out->height), (NULL));
  return FALSE;
}

/* Agrees with downstream on what frames of pictures like @info are. */
static GstFlowReturn
negotiate (GstFourierDraw * self, const GstVideoInfo * info)
{
  GstCaps *caps = gst_fourier_draw_choose_caps (self->srcpad, info,
      self->current.background, self->live, self->compute.context);
  gboolean ok;

  self->negotiated = FALSE;
  if (!caps) {
    GST_ELEMENT_ERROR (self, CORE, NEGOTIATION,
        ("Downstream takes no video that fourierdraw makes. Put videoconvert "
            "after it."), (NULL));
    return GST_FLOW_NOT_NEGOTIATED;
  }
  GST_DEBUG_OBJECT (self, "caps %" GST_PTR_FORMAT, caps);
  ok = gst_video_info_from_caps (&self->out_info, caps) &&
      check_background (self, info) && gst_pad_set_caps (self->srcpad, caps);
  if (ok) {
    clear_pool (self);
    self->pool = gst_fourier_draw_choose_pool (self->srcpad, caps,
        &self->out_info, self->compute.context);
    ok = self->pool != NULL;
  }
  gst_caps_unref (caps);
  if (!ok)
    return GST_PAD_IS_FLUSHING (self->srcpad) ? GST_FLOW_FLUSHING :
        GST_FLOW_NOT_NEGOTIATED;
  gst_fourier_painter_reset (&self->painter);
  self->negotiated = TRUE;
  return GST_FLOW_OK;
}

static GstFlowReturn
ensure_negotiated (GstFourierDraw * self, const GstVideoInfo * info)
{
  GstFlowReturn flow;
  gint fps_n, fps_d;

  if (!gst_pad_check_reconfigure (self->srcpad) && self->negotiated)
    return GST_FLOW_OK;
  if (!gst_shapes_compute_begin (&self->compute))
    return GST_FLOW_ERROR;
  flow = negotiate (self, info);
  gst_shapes_compute_end (&self->compute);
  if (flow != GST_FLOW_OK) {
    gst_pad_mark_reconfigure (self->srcpad);
    return flow;
  }
  get_rate (self, &fps_n, &fps_d);
  gst_fourier_draw_counter_set_rate (&self->counter, fps_n, fps_d);
  gst_fourier_draw_counter_set_rate (&self->local, fps_n, fps_d);
  return GST_FLOW_OK;
}

/* Frames */

/* Whether a controller says where the arm is. */
static gboolean
is_controlled (GstFourierDraw * self)
{
  GstControlBinding *binding =
      gst_object_get_control_binding (GST_OBJECT_CAST (self), "progress");
  const gboolean controlled = binding &&
      !gst_control_binding_is_disabled (binding);

  gst_clear_object (&binding);
  return controlled;
}

/* Takes what the controllers say for this moment, and what was set. Returns:
 * the progress that was asked for since the last frame, NO_JUMP if none was. */
static gdouble
sync_settings (GstFourierDraw * self, GstClockTime stream_time)
{
  gdouble jump;

  if (GST_CLOCK_TIME_IS_VALID (stream_time))
    gst_object_sync_values (GST_OBJECT_CAST (self), stream_time);
  update_settings (self);
  GST_OBJECT_LOCK (self);
  jump = self->jump;
  self->jump = NO_JUMP;
  GST_OBJECT_UNLOCK (self);
  return jump;
}

/* Moves the clock to @now with the present settings. Returns: the progress that
 * a controller asks for, or NO_JUMP. */
static gdouble
update_clock (GstFourierDraw * self, GstClockTime now, GstClockTime frame,
    GstClockTime stream_time)
{
  const gdouble asked = sync_settings (self, stream_time);
  GstFourierDrawTimes times;

  gst_fourier_draw_settings_get_times (&self->current, &times);
  gst_fourier_draw_clock_set_times (&self->clock, &times, frame, now);
  if (asked == NO_JUMP || is_controlled (self))
    return asked;
  /* what is set by hand moves the clock */
  gst_fourier_draw_clock_jump (&self->clock, asked, now);
  return NO_JUMP;
}

static void
describe_frame (GstFourierDraw * self, GstClockTime now, gdouble asked,
    const GstVideoInfo * info, GstFourierDrawFrame * frame)
{
  const GstFourierDrawClock *clock = &self->clock;

  memset (frame, 0, sizeof (*frame));
  frame->settings = &self->current;
  frame->drawing = self->drawing && self->drawing->n_contours > 0 ?
      self->drawing : NULL;
  /* the drawing may still be that of a picture of another size */
  frame->picture_width = self->contours ? self->contours->width :
      (guint) info->width;
  frame->picture_height = self->contours ? self->contours->height :
      (guint) info->height;
  frame->progress = gst_fourier_draw_clock_get_progress (clock, now);
  frame->seconds = (gdouble) gst_fourier_draw_clock_get_drawn (clock, now) /
      GST_SECOND;
  frame->span = (gdouble) gst_fourier_draw_clock_get_span (clock) / GST_SECOND;
  if (asked != NO_JUMP) {
    frame->progress = asked;
    frame->seconds = asked * frame->span;
  } else if (self->out_info.fps_n == 0 && !self->live) {
    /* a picture that does not move is the finished one */
    frame->progress = 1.;
    frame->seconds = frame->span;
  }
  g_array_set_size (self->dabs, 0);
  gst_fourier_draw_brush_get_pending (&self->brush, self->dabs);
  frame->dabs = self->dabs;
  frame->background = get_background (self);
  frame->background_id = self->live ? 0 : self->picture_id;
}

static void
publish (GstFourierDraw * self, const GstFourierDrawFrame * frame,
    const GstFourierDrawView * view)
{
  GST_OBJECT_LOCK (self);
  self->progress = frame->progress;
  self->view = *view;
  GST_OBJECT_UNLOCK (self);
}

/* The number of vectors may change while they turn. */
static void
update_vectors (GstFourierDraw * self)
{
  GstFourierDrawing *drawing = self->drawing;

  if (!drawing || drawing->n_vectors == self->current.n_vectors)
    return;
  gst_fourier_drawing_set_n_vectors (drawing, self->current.n_vectors,
      &self->transform);
  set_rms_error (self);
}

/* Paints on @output. The context is current. */
static gboolean
paint (GstFourierDraw * self, const GstFourierDrawFrame * frame,
    const Picture * picture, GstBuffer * output, GError ** error)
{
  const gboolean behind = gst_fourier_painter_needs_background (&self->painter,
      frame);
  GstFourierDrawView view = { 1., 0., 0. };
  GstShapesPicture in, out;
  gboolean painted, ok;

  if (behind && !gst_shapes_picture_map (&in, &self->in_stage, &picture->info,
          picture->buffer, GST_MAP_READ, error))
    return FALSE;
  ok = gst_shapes_picture_map (&out, &self->out_stage, &self->out_info, output,
      GST_MAP_WRITE, error);
  if (ok) {
    painted = gst_fourier_painter_paint (&self->painter, frame,
        behind ? &in.picture : NULL, &out.picture, &view, error);
    ok = gst_shapes_picture_unmap (&out, painted, painted ? error : NULL) &&
        painted;
  }
  if (behind)
    gst_shapes_picture_unmap (&in, FALSE, NULL);
  if (ok)
    publish (self, frame, &view);
  return ok;
}

/* A new frame of the film: the state at @now over @picture. */
static GstFlowReturn
make_frame (GstFourierDraw * self, GstClockTime now, gdouble asked,
    const Picture * picture, GstBuffer ** output)
{
  GstFourierDrawFrame frame;
  GstFlowReturn flow;
  GError *error = NULL;
  gboolean ok;

  update_vectors (self);
  warn_camera (self);
  describe_frame (self, now, asked, &picture->info, &frame);
  flow = gst_buffer_pool_acquire_buffer (self->pool, output, NULL);
  if (flow != GST_FLOW_OK)
    return flow;
  if (!gst_shapes_compute_begin (&self->compute)) {
    gst_clear_buffer (output);
    return GST_FLOW_ERROR;
  }
  ok = paint (self, &frame, picture, *output, &error);
  gst_shapes_compute_end (&self->compute);
  if (ok)
    return GST_FLOW_OK;
  gst_shapes_compute_post_error (GST_ELEMENT_CAST (self), CANNOT, error);
  g_clear_error (&error);
  gst_clear_buffer (output);
  return GST_FLOW_ERROR;
}

static void
push_segment (GstFourierDraw * self, const GstSegment * segment)
{
  GstEvent *event;

  if (!self->need_segment)
    return;
  self->need_segment = FALSE;
  event = gst_event_new_segment (segment);
  if (self->seqnum != GST_SEQNUM_INVALID)
    gst_event_set_seqnum (event, self->seqnum);
  gst_pad_push_event (self->srcpad, event);
}

/* Redraw: the task of the source pad */

typedef enum
{
  WORK_NONE,
  WORK_TAKE,
  WORK_FRAME,
  WORK_EOS,
} Work;

/* Whether all of the picture has been shown. */
static gboolean
is_over (const GstFourierDraw * self)
{
  if (self->local.fps_n == 0 && self->negotiated)
    return self->still_done;
  return gst_fourier_draw_clock_is_over (&self->clock,
      gst_fourier_draw_counter_get_time (&self->local));
}

static Work
find_work (GstFourierDraw * self)
{
  if (self->flushing || self->interrupted)
    return WORK_NONE;
  if (self->capture && !self->pending.buffer && self->eos && self->active) {
    /* there will be no other picture than this one */
    self->capture = FALSE;
    self->restart = TRUE;
  }
  if (self->pending.buffer && (!self->active || self->capture ||
          (is_over (self) && !self->restart)))
    return WORK_TAKE;
  if (self->active && (self->restart || !is_over (self)))
    return WORK_FRAME;
  return self->eos ? WORK_EOS : WORK_NONE;
}

static Work
wait_for_work (GstFourierDraw * self)
{
  Work work;

  g_mutex_lock (&self->lock);
  while ((work = find_work (self)) == WORK_NONE && !self->flushing &&
      !self->interrupted)
    g_cond_wait (&self->cond, &self->lock);
  g_mutex_unlock (&self->lock);
  return work;
}

/* Begins the first pass of the present picture. */
static void
start_clock (GstFourierDraw * self)
{
  GstFourierDrawTimes times;

  gst_fourier_draw_settings_get_times (&self->current, &times);
  gst_fourier_draw_clock_start (&self->clock, &times,
      gst_fourier_draw_counter_get_frame (&self->local),
      gst_fourier_draw_counter_get_time (&self->local));
  self->pass = 0;
  self->still_done = FALSE;
}

/* The running time of a picture of a live source: the film begins then. */
static void
set_base (GstFourierDraw * self, GstBuffer * buffer)
{
  GstClockTime base = gst_segment_to_running_time (&self->in_segment,
      GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));

  if (self->upstream_live && self->need_segment && self->picture_id == 0 &&
      GST_CLOCK_TIME_IS_VALID (base))
    self->segment.base = base;
}

static GstFlowReturn
take_picture (GstFourierDraw * self)
{
  const gboolean first = !self->active;

  g_mutex_lock (&self->lock);
  if (!self->pending.buffer) {
    g_mutex_unlock (&self->lock);
    return GST_FLOW_OK;
  }
  if (!gst_video_info_is_equal (&self->picture.info, &self->pending.info))
    self->negotiated = FALSE;
  picture_set (&self->picture, self->pending.buffer, &self->pending.info);
  picture_clear (&self->pending);
  self->capture = self->restart = FALSE;
  set_base (self, self->picture.buffer);
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);

  update_settings (self);
  self->picture_id++;
  if (!draw_picture (self, &self->picture))
    return GST_FLOW_ERROR;
  self->active = TRUE;
  gst_fourier_draw_counter_init (&self->local, self->counter.fps_n,
      MAX (1, self->counter.fps_d));
  start_clock (self);
  /* a seek may have come before the first picture */
  self->picture_start = first ? 0 :
      gst_fourier_draw_counter_get_time (&self->counter);
  if (first && gst_fourier_draw_counter_get_time (&self->counter) > 0) {
    const GstClockTime time =
        gst_fourier_draw_counter_get_time (&self->counter);

    gst_fourier_draw_counter_seek (&self->local, time);
    gst_fourier_draw_clock_seek (&self->clock, 0,
        gst_fourier_draw_counter_get_time (&self->local));
  }
  return GST_FLOW_OK;
}

/* What changes drawings, and not only how they look. */
static gboolean
needs_preparing (GstFourierDraw * self)
{
  g_array_set_size (self->dabs, 0);
  gst_fourier_draw_brush_get_pending (&self->brush, self->dabs);
  return self->dabs->len > 0 ||
      !gst_fourier_draw_settings_same_drawing (&self->prepared,
      &self->current);
}

/* Draws again when it was asked for, and with what was erased and set in the
 * meantime when a new pass begins. */
static GstFlowReturn
check_restart (GstFourierDraw * self)
{
  const guint64 pass = gst_fourier_draw_clock_get_pass (&self->clock,
      gst_fourier_draw_counter_get_time (&self->local));
  gboolean asked;

  g_mutex_lock (&self->lock);
  asked = self->restart;
  self->restart = FALSE;
  g_mutex_unlock (&self->lock);
  update_settings (self);
  if (!asked && (pass == self->pass || !needs_preparing (self))) {
    self->pass = pass;
    return GST_FLOW_OK;
  }
  self->pass = pass;
  if (!draw_picture (self, &self->picture))
    return GST_FLOW_ERROR;
  if (asked)
    start_clock (self);
  return GST_FLOW_OK;
}

/* What queries are told. */
static void
tell_times (GstFourierDraw * self, GstClockTime position)
{
  GstFourierDrawTimes times;
  const GstClockTime frame =
      gst_fourier_draw_counter_get_frame (&self->local);
  GstClockTime total;
  gboolean changed;

  gst_fourier_draw_settings_get_times (&self->current, &times);
  total = gst_fourier_draw_times_get_total (&times, frame);
  g_mutex_lock (&self->lock);
  self->position = position;
  if (self->eos && self->counter.fps_n > 0 && !self->pending.buffer &&
      GST_CLOCK_TIME_IS_VALID (total))
    total += self->picture_start;
  else
    total = GST_CLOCK_TIME_NONE;
  changed = total != self->end;
  self->end = total;
  g_mutex_unlock (&self->lock);
  self->segment.position = position;
  if (!changed)
    return;
  self->segment.duration = total;
  gst_element_post_message (GST_ELEMENT_CAST (self),
      gst_message_new_duration_changed (GST_OBJECT_CAST (self)));
}

static void
stamp_frame (GstFourierDraw * self, GstBuffer * buffer)
{
  GST_BUFFER_PTS (buffer) =
      gst_fourier_draw_counter_get_time (&self->counter);
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_OFFSET (buffer) = self->counter.n;
  GST_BUFFER_OFFSET_END (buffer) = self->counter.n + 1;
  if (self->counter.fps_n > 0)
    GST_BUFFER_DURATION (buffer) =
        gst_fourier_draw_counter_get_end (&self->counter) -
        GST_BUFFER_PTS (buffer);
  else
    GST_BUFFER_DURATION (buffer) = GST_CLOCK_TIME_NONE;
  if (self->need_discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  else
    GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_DISCONT);
  self->need_discont = FALSE;
}

static GstFlowReturn
push_frame (GstFourierDraw * self)
{
  const GstClockTime time =
      gst_fourier_draw_counter_get_time (&self->counter);
  const GstClockTime now = gst_fourier_draw_counter_get_time (&self->local);
  GstBuffer *buffer = NULL;
  GstFlowReturn flow;
  gdouble asked;

  if (GST_CLOCK_TIME_IS_VALID (self->segment.stop) &&
      time >= self->segment.stop)
    return GST_FLOW_EOS;
  push_segment (self, &self->segment);
  asked = update_clock (self, now,
      gst_fourier_draw_counter_get_frame (&self->local),
      gst_segment_to_stream_time (&self->segment, GST_FORMAT_TIME, time));
  tell_times (self, time);
  flow = make_frame (self, now, asked, &self->picture, &buffer);
  if (flow != GST_FLOW_OK)
    return flow;
  stamp_frame (self, buffer);
  self->counter.n++;
  self->local.n++;
  self->still_done = TRUE;
  return gst_pad_push (self->srcpad, buffer);
}

static GstFlowReturn
do_work (GstFourierDraw * self, Work work)
{
  GstFlowReturn flow;

  if (work == WORK_EOS)
    return GST_FLOW_EOS;
  if (work == WORK_TAKE)
    flow = take_picture (self);
  else
    flow = check_restart (self);
  if (flow == GST_FLOW_OK && self->active)
    flow = ensure_negotiated (self, &self->picture.info);
  if (flow == GST_FLOW_OK && self->active && !is_over (self))
    flow = push_frame (self);
  return flow;
}

/* All is shown, or the segment is over. */
static void
push_end (GstFourierDraw * self)
{
  guint32 seqnum;
  GstEvent *event;

  push_segment (self, &self->segment);
  g_mutex_lock (&self->lock);
  seqnum = self->seqnum != GST_SEQNUM_INVALID ? self->seqnum :
      self->eos_seqnum;
  g_mutex_unlock (&self->lock);
  if (self->segment.flags & GST_SEGMENT_FLAG_SEGMENT) {
    const gint64 position = self->segment.position;
    GstMessage *message = gst_message_new_segment_done (GST_OBJECT_CAST (self),
        GST_FORMAT_TIME, position);

    if (seqnum != GST_SEQNUM_INVALID)
      gst_message_set_seqnum (message, seqnum);
    gst_element_post_message (GST_ELEMENT_CAST (self), message);
    event = gst_event_new_segment_done (GST_FORMAT_TIME, position);
  } else {
    event = gst_event_new_eos ();
  }
  if (seqnum != GST_SEQNUM_INVALID)
    gst_event_set_seqnum (event, seqnum);
  gst_pad_push_event (self->srcpad, event);
}

/* The task ends with @flow; upstream hears of it. */
static void
end_task (GstFourierDraw * self, GstFlowReturn flow)
{
  GST_DEBUG_OBJECT (self, "pausing: %s", gst_flow_get_name (flow));
  gst_pad_pause_task (self->srcpad);
  g_mutex_lock (&self->lock);
  if (flow != GST_FLOW_OK && flow != GST_FLOW_FLUSHING)
    self->flow = flow;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
  if (flow == GST_FLOW_EOS) {
    tell_times (self, self->segment.position);
    push_end (self);
  } else if (flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS) {
    GST_ELEMENT_FLOW_ERROR (self, flow);
    gst_pad_push_event (self->srcpad, gst_event_new_eos ());
  }
}

static void
gst_fourier_draw_loop (gpointer user_data)
{
  GstFourierDraw *self = user_data;
  const Work work = wait_for_work (self);
  GstFlowReturn flow;

  if (work == WORK_NONE) {
    gst_pad_pause_task (self->srcpad);
    return;
  }
  flow = do_work (self, work);
  if (flow != GST_FLOW_OK)
    end_task (self, flow);
}

/* Stops the task where it is; its stream lock is held afterwards. */
static void
interrupt_task (GstFourierDraw * self)
{
  g_mutex_lock (&self->lock);
  self->interrupted = TRUE;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
  gst_pad_pause_task (self->srcpad);
  GST_PAD_STREAM_LOCK (self->srcpad);
}

static void
release_task (GstFourierDraw * self)
{
  g_mutex_lock (&self->lock);
  self->interrupted = FALSE;
  g_mutex_unlock (&self->lock);
  GST_PAD_STREAM_UNLOCK (self->srcpad);
}

static void
start_task (GstFourierDraw * self)
{
  gst_pad_start_task (self->srcpad, gst_fourier_draw_loop, self, NULL);
}

/* Forgets the stream. The thread that makes frames rests. */
static void
reset_stream (GstFourierDraw * self)
{
  g_mutex_lock (&self->lock);
  picture_clear (&self->pending);
  self->eos = FALSE;
  self->eos_seqnum = GST_SEQNUM_INVALID;
  self->capture = self->restart = FALSE;
  self->flow = GST_FLOW_OK;
  self->position = 0;
  self->end = GST_CLOCK_TIME_NONE;
  g_mutex_unlock (&self->lock);
  picture_clear (&self->picture);
  g_clear_pointer (&self->contours, gst_fourier_contours_unref);
  g_clear_pointer (&self->drawing, gst_fourier_drawing_free);
  self->active = self->still_done = FALSE;
  gst_fourier_draw_counter_init (&self->counter, self->counter.fps_n,
      MAX (1, self->counter.fps_d));
  self->local = self->counter;
  self->picture_start = 0;
  self->picture_id = 0;
  gst_segment_init (&self->segment, GST_FORMAT_TIME);
  self->need_segment = self->need_discont = TRUE;
  self->seqnum = GST_SEQNUM_INVALID;
}

/* Seeking */

/* The present picture as it is at @time of the film. */
static void
seek_picture (GstFourierDraw * self, GstClockTime time)
{
  const GstClockTime within = time > self->picture_start ?
      time - self->picture_start : 0;

  gst_fourier_draw_counter_seek (&self->counter, time);
  if (!self->active)
    return;
  gst_fourier_draw_counter_seek (&self->local, within);
  gst_fourier_draw_clock_seek (&self->clock, 0,
      gst_fourier_draw_counter_get_time (&self->local));
  self->pass = gst_fourier_draw_clock_get_pass (&self->clock,
      gst_fourier_draw_counter_get_time (&self->local));
  self->still_done = FALSE;
}

static gboolean
perform_seek (GstFourierDraw * self, GstEvent * event)
{
  GstSeekType start_type, stop_type;
  GstSegment segment = self->segment;
  gint64 start, stop;
  gboolean update;
  GstSeekFlags flags;
  GstFormat format;
  gdouble rate;

  gst_event_parse_seek (event, &rate, &format, &flags, &start_type, &start,
      &stop_type, &stop);
  if (!gst_segment_do_seek (&segment, rate, format, flags, start_type, start,
          stop_type, stop, &update))
    return FALSE;
  self->segment = segment;
  seek_picture (self, segment.position);
  self->need_segment = self->need_discont = TRUE;
  self->seqnum = gst_event_get_seqnum (event);
  return TRUE;
}

/* Goes to another time of the film, also after its end. */
static gboolean
seek (GstFourierDraw * self, GstEvent * event)
{
  GstSeekFlags flags;
  GstFormat format;
  gdouble rate;
  gboolean flush, done;
  GstEvent *out;

  gst_event_parse_seek (event, &rate, &format, &flags, NULL, NULL, NULL, NULL);
  if (format != GST_FORMAT_TIME || rate <= 0.) {
    GST_DEBUG_OBJECT (self, "cannot seek by %s at rate %g",
        gst_format_get_name (format), rate);
    return FALSE;
  }
  flush = (flags & GST_SEEK_FLAG_FLUSH) != 0;
  if (flush) {
    out = gst_event_new_flush_start ();
    gst_event_set_seqnum (out, gst_event_get_seqnum (event));
    gst_pad_push_event (self->srcpad, out);
  }
  interrupt_task (self);
  done = perform_seek (self, event);
  if (flush) {
    out = gst_event_new_flush_stop (TRUE);
    gst_event_set_seqnum (out, gst_event_get_seqnum (event));
    gst_pad_push_event (self->srcpad, out);
  }
  g_mutex_lock (&self->lock);
  self->flow = GST_FLOW_OK;
  g_mutex_unlock (&self->lock);
  release_task (self);
  start_task (self);
  return done;
}

/* Live: a frame for each frame */

static gboolean
collect_job (GstFourierDraw * self, GstClockTime now, GstClockTime frame)
{
  GstFourierDrawTimes times;
  GError *error;
  Job *job;

  g_mutex_lock (&self->lock);
  job = self->done;
  self->done = NULL;
  g_mutex_unlock (&self->lock);
  if (!job)
    return TRUE;
  error = job->error;
  if (error) {
    gst_shapes_compute_post_error (GST_ELEMENT_CAST (self), CANNOT, error);
    job_free (job);
    return FALSE;
  }
  use_drawing (self, g_steal_pointer (&job->contours),
      g_steal_pointer (&job->drawing), &job->settings);
  job_free (job);
  gst_fourier_draw_settings_get_times (&self->current, &times);
  gst_fourier_draw_clock_start (&self->clock, &times, frame, now);
  return TRUE;
}

/* Whether there is nothing to be drawn of pictures like this one. */
static gboolean
is_useless (const GstFourierDraw * self, const GstVideoInfo * info)
{
  return self->drawing->n_contours == 0 ||
      self->contours->width != (guint) info->width ||
      self->contours->height != (guint) info->height;
}

/* Sees to it that there is a drawing, and a new one in time. */
static gboolean
update_drawing (GstFourierDraw * self, const Picture * picture,
    GstClockTime now, GstClockTime frame)
{
  gboolean capture, again, busy;

  if (!self->drawing) {
    GstFourierDrawTimes times;

    if (!draw_picture (self, picture))
      return FALSE;
    gst_fourier_draw_settings_get_times (&self->current, &times);
    gst_fourier_draw_clock_start (&self->clock, &times, frame, now);
  }
  if (!collect_job (self, now, frame))
    return FALSE;
  g_mutex_lock (&self->lock);
  busy = self->job || self->worker_busy;
  capture = self->capture;
  again = self->restart;
  self->capture = self->restart = FALSE;
  g_mutex_unlock (&self->lock);
  if (capture || (!busy && (is_useless (self, &picture->info) ||
              gst_fourier_draw_clock_is_over (&self->clock, now))))
    send_job (self, picture);
  else if (again)
    send_job (self, NULL);
  return TRUE;
}

/* The time that the animation follows: running time, or, without timestamps,
 * counted frames. */
static GstClockTime
get_live_time (GstFourierDraw * self, GstBuffer * buffer)
{
  GstClockTime now = gst_segment_to_running_time (&self->in_segment,
      GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));

  if (!GST_CLOCK_TIME_IS_VALID (now)) {
    if (self->local.fps_n == 0)
      gst_fourier_draw_counter_init (&self->local, GST_FOURIER_DRAW_FPS_N,
          GST_FOURIER_DRAW_FPS_D);
    now = gst_fourier_draw_counter_get_time (&self->local);
  }
  self->local.n++;
  return now;
}

static GstFlowReturn
make_live_frame (GstFourierDraw * self, const Picture * picture,
    GstBuffer ** output)
{
  const GstClockTime now = get_live_time (self, picture->buffer);
  const GstClockTime frame =
      gst_fourier_draw_counter_get_frame (&self->counter);
  GstFlowReturn flow;
  gdouble asked;

  asked = update_clock (self, now, frame,
      gst_segment_to_stream_time (&self->in_segment, GST_FORMAT_TIME,
          GST_BUFFER_PTS (picture->buffer)));
  if (!update_drawing (self, picture, now, frame))
    return GST_FLOW_ERROR;
  flow = make_frame (self, now, asked, picture, output);
  if (flow == GST_FLOW_OK)
    gst_buffer_copy_into (*output, picture->buffer, GST_BUFFER_COPY_TIMESTAMPS
        | GST_BUFFER_COPY_FLAGS, 0, -1);
  return flow;
}

static GstFlowReturn
chain_live (GstFourierDraw * self, GstBuffer * buffer)
{
  Picture picture = { buffer, self->in_info };
  GstBuffer *output = NULL;
  GstFlowReturn flow;

  update_settings (self);
  flow = ensure_negotiated (self, &self->in_info);
  if (flow == GST_FLOW_OK) {
    push_segment (self, &self->in_segment);
    flow = make_live_frame (self, &picture, &output);
  }
  picture_clear (&picture);
  return flow == GST_FLOW_OK ? gst_pad_push (self->srcpad, output) : flow;
}

/* Input */

/* Whether upstream is a camera or the like. */
static gboolean
query_upstream_live (GstFourierDraw * self)
{
  GstQuery *query = gst_query_new_latency ();
  gboolean live = FALSE;

  if (gst_pad_peer_query (self->sinkpad, query))
    gst_query_parse_latency (query, &live, NULL, NULL);
  gst_query_unref (query);
  return live;
}

static void
decide_mode (GstFourierDraw * self)
{
  const gboolean upstream_live = query_upstream_live (self);
  guint mode;

  GST_OBJECT_LOCK (self);
  mode = self->settings.mode;
  GST_OBJECT_UNLOCK (self);
  g_mutex_lock (&self->lock);
  self->upstream_live = upstream_live;
  self->live = mode == GST_FOURIER_DRAW_MODE_LIVE ||
      (mode == GST_FOURIER_DRAW_MODE_AUTO && upstream_live);
  self->mode_known = TRUE;
  g_mutex_unlock (&self->lock);
  GST_INFO_OBJECT (self, "mode %s", self->live ? "live" : "redraw");
}

/* Leaves the picture for the task: the last one has been taken before, or, from
 * a camera, is given up. */
static GstFlowReturn
chain_redraw (GstFourierDraw * self, GstBuffer * buffer)
{
  GstFlowReturn flow;

  g_mutex_lock (&self->lock);
  while (self->pending.buffer && !self->upstream_live && !self->flushing &&
      self->flow == GST_FLOW_OK)
    g_cond_wait (&self->cond, &self->lock);
  flow = self->flushing ? GST_FLOW_FLUSHING : self->flow;
  if (flow == GST_FLOW_OK) {
    picture_set (&self->pending, buffer, &self->in_info);
    g_cond_broadcast (&self->cond);
  }
  g_mutex_unlock (&self->lock);
  gst_buffer_unref (buffer);
  if (flow == GST_FLOW_OK)
    start_task (self);
  return flow;
}

static GstFlowReturn
gst_fourier_draw_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (parent);

  if (!self->have_info) {
    GST_ELEMENT_ERROR (self, CORE, NEGOTIATION,
        ("A buffer came before its caps."), (NULL));
    gst_buffer_unref (buffer);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  if (!self->mode_known)
    decide_mode (self);
  return self->live ? chain_live (self, buffer) : chain_redraw (self, buffer);
}

/* Events */

static gboolean
take_caps (GstFourierDraw * self, GstCaps * caps)
{
  GstVideoInfo info;

  if (!gst_video_info_from_caps (&info, caps) || info.width < 1 ||
      info.height < 1) {
    GST_ELEMENT_ERROR (self, CORE, NEGOTIATION,
        ("Cannot make sense of the caps of the input."),
        ("%" GST_PTR_FORMAT, caps));
    return FALSE;
  }
  self->in_info = info;
  self->have_info = TRUE;
  /* the task finds out itself, when it takes the next picture */
  if (is_live (self))
    self->negotiated = FALSE;
  return TRUE;
}

static void
take_segment (GstFourierDraw * self, GstEvent * event)
{
  const GstSegment *segment;

  gst_event_parse_segment (event, &segment);
  self->in_segment = *segment;
  if (segment->format != GST_FORMAT_TIME)
    gst_segment_init (&self->in_segment, GST_FORMAT_TIME);
  if (is_live (self)) {
    self->need_segment = TRUE;
    self->seqnum = gst_event_get_seqnum (event);
  }
}

/* The end of the pictures is not yet the end of the film. */
static gboolean
take_eos (GstFourierDraw * self, GstEvent * event)
{
  if (!self->mode_known || self->live) {
    if (self->mode_known)
      push_segment (self, &self->in_segment);
    return gst_pad_push_event (self->srcpad, event);
  }
  g_mutex_lock (&self->lock);
  self->eos = TRUE;
  self->eos_seqnum = gst_event_get_seqnum (event);
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
  gst_event_unref (event);
  start_task (self);
  return TRUE;
}

static gboolean
begin_flush (GstFourierDraw * self, GstEvent * event)
{
  gboolean pushed;

  g_mutex_lock (&self->lock);
  self->flushing = TRUE;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
  pushed = gst_pad_push_event (self->srcpad, event);
  gst_pad_pause_task (self->srcpad);
  return pushed;
}

static gboolean
end_flush (GstFourierDraw * self, GstEvent * event)
{
  gboolean pushed;

  /* the task has ended, or ends now */
  GST_PAD_STREAM_LOCK (self->srcpad);
  drop_jobs (self);
  reset_stream (self);
  gst_segment_init (&self->in_segment, GST_FORMAT_TIME);
  g_mutex_lock (&self->lock);
  self->flushing = FALSE;
  g_mutex_unlock (&self->lock);
  pushed = gst_pad_push_event (self->srcpad, event);
  GST_PAD_STREAM_UNLOCK (self->srcpad);
  return pushed;
}

static gboolean
gst_fourier_draw_sink_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (parent);
  gboolean taken;
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      taken = take_caps (self, caps);
      gst_event_unref (event);
      return taken;
    case GST_EVENT_SEGMENT:
      take_segment (self, event);
      gst_event_unref (event);
      return TRUE;
    case GST_EVENT_EOS:
      return take_eos (self, event);
    case GST_EVENT_FLUSH_START:
      return begin_flush (self, event);
    case GST_EVENT_FLUSH_STOP:
      return end_flush (self, event);
    case GST_EVENT_GAP:
    case GST_EVENT_SEGMENT_DONE:
      if (is_live (self) && !self->need_segment)
        return gst_pad_event_default (pad, parent, event);
      gst_event_unref (event);
      return TRUE;
    default:
      return gst_pad_event_default (pad, parent, event);
  }
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

static gboolean
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
      if (!is_redraw (self))
        return gst_pad_event_default (pad, parent, event);
      done = seek (self, event);
      gst_event_unref (event);
      return done;
    case GST_EVENT_QOS:
    case GST_EVENT_STEP:
      /* about times that are not upstream's */
      if (!is_redraw (self))
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

static void
answer_caps (GstQuery * query, GstCaps * caps)
{
  GstCaps *filter;

  gst_query_parse_caps (query, &filter);
  if (filter) {
    GstCaps *common = gst_caps_intersect_full (filter, caps,
        GST_CAPS_INTERSECT_FIRST);

    gst_query_set_caps_result (query, common);
    gst_caps_unref (common);
  } else {
    gst_query_set_caps_result (query, caps);
  }
}

static gboolean
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
      answer_caps (query, caps);
      gst_caps_unref (caps);
      return TRUE;
    default:
      if (is_redraw (self) && answer_redraw_query (self, query, &answered))
        return answered;
      return gst_pad_query_default (pad, parent, query);
  }
}

/* With the picture behind the drawing, what goes in is what comes out. */
static GstCaps *
get_sink_caps (GstFourierDraw * self)
{
  GstCaps *template = gst_pad_get_pad_template_caps (self->sinkpad);
  GstCaps *peer, *out, *caps;
  guint background, i;

  GST_OBJECT_LOCK (self);
  background = self->settings.background;
  GST_OBJECT_UNLOCK (self);
  if (background != GST_FOURIER_DRAW_BACKGROUND_FRAME)
    return template;
  out = gst_pad_get_pad_template_caps (self->srcpad);
  peer = gst_caps_make_writable (gst_pad_peer_query_caps (self->srcpad, out));
  for (i = 0; i < gst_caps_get_size (peer); i++) {
    GstStructure *structure = gst_caps_get_structure (peer, i);

    gst_structure_remove_fields (structure, "framerate", "colorimetry",
        "chroma-site", NULL);
    /* in whatever memory */
    gst_caps_set_features (peer, i, gst_caps_features_new_any ());
  }
  caps = gst_caps_intersect_full (peer, template, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (peer);
  gst_caps_unref (out);
  gst_caps_unref (template);
  return caps;
}

static gboolean
gst_fourier_draw_sink_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (parent);
  GstCaps *caps;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CONTEXT:
      if (gst_shapes_compute_query_context (&self->compute, query))
        return TRUE;
      return gst_pad_query_default (pad, parent, query);
    case GST_QUERY_ALLOCATION:
      /* what we make is not what comes, so downstream is not asked */
      gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
      gst_query_add_allocation_meta (query, GST_SHAPE_META_API_TYPE, NULL);
      return TRUE;
    case GST_QUERY_CAPS:
      caps = get_sink_caps (self);
      answer_caps (query, caps);
      gst_caps_unref (caps);
      return TRUE;
    default:
      return gst_pad_query_default (pad, parent, query);
  }
}

/* Life */

static gboolean
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

static gboolean
start (GstFourierDraw * self)
{
  reset_stream (self);
  update_settings (self);
  gst_segment_init (&self->in_segment, GST_FORMAT_TIME);
  self->have_info = self->mode_known = self->live = FALSE;
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
  stop_worker (self);
  clear_pool (self);
  reset_stream (self);
  gst_shapes_compute_stop (&self->compute);
  gst_fourier_transform_clear (&self->transform);
  gst_fourier_draw_settings_clear (&self->prepared);
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
  gst_fourier_draw_brush_init (&self->brush);
  gst_fourier_draw_settings_init (&self->settings);
  self->settings_serial = 1;
  self->jump = NO_JUMP;
  self->view.scale = 1.;
  gst_video_info_init (&self->picture.info);
  self->dabs = g_array_new (FALSE, FALSE, sizeof (GstFourierDrawDab));
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  make_pads (self);
}

static void
gst_fourier_draw_finalize (GObject * object)
{
  GstFourierDraw *self = GST_FOURIER_DRAW (object);

  gst_fourier_draw_settings_clear (&self->settings);
  gst_fourier_draw_settings_clear (&self->current);
  gst_fourier_draw_settings_clear (&self->prepared);
  gst_fourier_draw_brush_finalize (&self->brush);
  gst_shapes_compute_finalize (&self->compute);
  g_array_unref (self->dabs);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
install_properties (GObjectClass * klass)
{
  gst_shapes_compute_install_properties (klass, PROP_COMPUTE);
  gst_fourier_draw_settings_install (klass);
  g_object_class_install_property (klass, PROP_PROGRESS,
      g_param_spec_double ("progress", "Progress",
          "How much of the way the arm has gone, 0 to 1. Setting it puts the "
          "arm there, and the film goes on from there; a controller holds it "
          "where it says for each frame, while the film's time goes on.", 0.,
          1., 0., G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
          GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE));
  g_object_class_install_property (klass, PROP_RMS_ERROR,
      g_param_spec_double ("rms-error", "RMS error",
          "How far the arm's drawing is from the path through the contours, "
          "in pixels of the picture (root mean square): what \"n-vectors\" "
          "costs.", 0., G_MAXDOUBLE, 0., G_PARAM_READABLE |
          G_PARAM_STATIC_STRINGS));
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
