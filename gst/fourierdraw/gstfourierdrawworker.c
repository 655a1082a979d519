/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The drawings of fourierdraw: made by the thread that makes frames, or by a
 * worker while frames go on. One thread at a time makes them. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstfourierdrawprivate.h"

#include "base/fault.h"

#define GST_CAT_DEFAULT gst_fourier_draw_debug

/* A drawing that is made while the old one is shown: of a picture, or of
 * contours that were found in one. */
struct _GstFourierDrawJob
{
  guint64 generation;
  GstFourierDrawPicture picture;
  GstFourierContours *contours;
  GstFourierDrawSettings settings;
  GstFourierDrawing *drawing;
  GError *error;
};

static void
job_free (GstFourierDrawJob * job)
{
  gst_fourier_draw_picture_clear (&job->picture);
  g_clear_pointer (&job->contours, gst_fourier_contours_unref);
  g_clear_pointer (&job->drawing, gst_fourier_drawing_free);
  gst_shapes_properties_clear (&gst_fourier_draw_properties, &job->settings);
  g_clear_error (&job->error);
  g_free (job);
}

/* Drawings */

/* Makes a drawing of @contours, which are found in @picture first if there are
 * none yet. */
static gboolean
prepare (GstFourierDraw * self, const GstFourierDrawPicture * picture,
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
  gst_shapes_properties_copy (&gst_fourier_draw_properties, &self->prepared,
      settings);
  set_rms_error (self);
  if (drawing->n_contours == 0)
    warn_empty (self);
  GST_DEBUG_OBJECT (self, "a drawing of %" G_GSIZE_FORMAT " contours, %u "
      "vectors", drawing->n_contours, drawing->max_vectors);
}

/* After a flush the worker may still be at a picture from before. */
static void
wait_for_worker (GstFourierDraw * self)
{
  g_mutex_lock (&self->lock);
  while (self->worker_busy)
    g_cond_wait (&self->cond, &self->lock);
  g_mutex_unlock (&self->lock);
}

GstFlowReturn
gst_fourier_draw_prepare_picture (GstFourierDraw * self,
    const GstFourierDrawPicture * picture)
{
  GstFourierContours *contours = NULL;
  GstFourierDrawing *drawing = NULL;
  GstFlowReturn flow;
  GError *error = NULL;

  wait_for_worker (self);
  if (!prepare (self, picture, &self->current, &contours, &drawing, &error)) {
    flow = gst_fourier_draw_fail_picture (self, picture, error);
    g_clear_pointer (&contours, gst_fourier_contours_unref);
    g_clear_error (&error);
    return flow;
  }
  use_drawing (self, contours, drawing, &self->current);
  return GST_FLOW_OK;
}

void
gst_fourier_draw_update_vectors (GstFourierDraw * self)
{
  GstFourierDrawing *drawing = self->drawing;

  if (!drawing || drawing->n_vectors == self->current.n_vectors)
    return;
  gst_fourier_drawing_set_n_vectors (drawing, self->current.n_vectors,
      &self->transform);
  set_rms_error (self);
}

/* The worker: the newest job wins */

/* What is done is for the frame thread, unless it was given up meanwhile. With
 * the lock held. */
static void
finish_job (GstFourierDraw * self, GstFourierDrawJob * job)
{
  self->worker_busy = FALSE;
  if (job->generation == self->job_generation) {
    g_clear_pointer (&self->done, job_free);
    self->done = job;
  } else {
    job_free (job);
  }
  g_cond_broadcast (&self->cond);
}

/* With the lock, which is let go of meanwhile: makes the drawing of the job that
 * waits. */
static void
do_job (GstFourierDraw * self)
{
  GstFourierDrawJob *job = g_steal_pointer (&self->job);

  self->worker_busy = TRUE;
  g_mutex_unlock (&self->lock);
  prepare (self, &job->picture, &job->settings, &job->contours, &job->drawing,
      &job->error);
  if (!job->error)
    gst_fourier_draw_picture_clear (&job->picture);
  g_mutex_lock (&self->lock);
  finish_job (self, job);
}

static gpointer
work (gpointer user_data)
{
  GstFourierDraw *self = user_data;

  g_mutex_lock (&self->lock);
  while (!self->worker_ends) {
    if (self->job)
      do_job (self);
    else
      g_cond_wait (&self->cond, &self->lock);
  }
  g_mutex_unlock (&self->lock);
  return NULL;
}

/* With the lock. Returns: whether there is a worker */
static gboolean
ensure_worker (GstFourierDraw * self)
{
  GError *error = NULL;

  if (self->worker)
    return TRUE;
  self->worker = cs_thread_try_new ("fourierdraw", work, self, &error);
  if (!self->worker) {
    GST_WARNING_OBJECT (self, "a drawing is made on the streaming thread: %s",
        error->message);
    g_clear_error (&error);
  }
  return self->worker != NULL;
}

void
gst_fourier_draw_send_job (GstFourierDraw * self,
    const GstFourierDrawPicture * picture)
{
  GstFourierDrawJob *job = g_new0 (GstFourierDrawJob, 1);

  if (picture)
    gst_fourier_draw_picture_set (&job->picture, picture->buffer,
        &picture->info);
  else
    job->contours = gst_fourier_contours_ref (self->contours);
  gst_shapes_properties_copy (&gst_fourier_draw_properties, &job->settings,
      &self->current);
  g_mutex_lock (&self->lock);
  job->generation = self->job_generation;
  g_clear_pointer (&self->job, job_free);
  self->job = job;
  if (ensure_worker (self))
    g_cond_broadcast (&self->cond);
  else
    do_job (self);
  g_mutex_unlock (&self->lock);
}

gboolean
gst_fourier_draw_collect_job (GstFourierDraw * self, GstClockTime now,
    GstClockTime frame)
{
  GstFourierDrawTimes times;
  GstFourierDrawJob *job;
  GstFlowReturn flow;

  g_mutex_lock (&self->lock);
  job = self->done;
  self->done = NULL;
  g_mutex_unlock (&self->lock);
  if (!job)
    return TRUE;
  if (job->error) {
    flow = gst_fourier_draw_fail_picture (self, &job->picture, job->error);
    job_free (job);
    return flow != GST_FLOW_ERROR;
  }
  use_drawing (self, g_steal_pointer (&job->contours),
      g_steal_pointer (&job->drawing), &job->settings);
  job_free (job);
  gst_fourier_draw_settings_get_times (&self->current, &times);
  gst_fourier_draw_clock_start (&self->clock, &times, frame, now);
  return TRUE;
}

void
gst_fourier_draw_drop_jobs (GstFourierDraw * self)
{
  g_mutex_lock (&self->lock);
  self->job_generation++;
  g_clear_pointer (&self->job, job_free);
  g_clear_pointer (&self->done, job_free);
  g_mutex_unlock (&self->lock);
}

void
gst_fourier_draw_stop_worker (GstFourierDraw * self)
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
