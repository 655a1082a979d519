/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawworker.h"

#include "base/fault.h"
#include "gstfourierdrawdebug.h"

/* Jobs */

FourierJob *
fourier_job_new (const FourierPicture * picture,
    FourierContours * contours, const FourierSettings * settings)
{
  FourierJob *job = g_new0 (FourierJob, 1);

  if (picture)
    fourier_picture_copy (&job->picture, picture);
  if (contours)
    job->contours = fourier_contours_ref (contours);
  gst_shapes_properties_copy (&fourier_properties, &job->settings, settings);
  return job;
}

void
fourier_job_free (FourierJob * job)
{
  fourier_picture_clear (&job->picture);
  g_clear_pointer (&job->contours, fourier_contours_unref);
  g_clear_pointer (&job->drawing, fourier_drawing_free);
  gst_shapes_properties_clear (&fourier_properties, &job->settings);
  g_clear_error (&job->error);
  g_free (job);
}

/* Finds the contours of the picture, unless they are known, and draws them. */
static void
do_job (FourierWorker * worker, FourierJob * job)
{
  FourierContours *all = NULL;
  CsBrushMask *mask = NULL;

  if (!gst_shapes_compute_begin (worker->compute)) {
    g_set_error (&job->error, CS_ERROR, CS_ERROR_DEVICE, "the GPU is gone");
    return;
  }
  if (!job->contours)
    job->contours = fourier_preparer_find (&worker->preparer,
        job->picture.buffer, &job->picture.info, job->width, job->height,
        &job->settings, &job->error);
  /* before the mask: then nothing is pending */
  if (job->contours)
    all = fourier_brush_add_strokes (worker->brush, job->contours, &job->error);
  if (all && fourier_brush_make_mask (worker->brush,
          &job->settings, all->width, all->height, &mask, &job->error))
    job->drawing = fourier_preparer_draw (&worker->preparer, all,
        mask, &job->settings, &job->error);
  g_clear_pointer (&all, fourier_contours_unref);
  g_clear_pointer (&mask, cs_brush_mask_free);
  gst_shapes_compute_end (worker->compute);
  /* upstream's pool may be small */
  if (job->drawing)
    fourier_picture_clear (&job->picture);
}

/* Life */

void
fourier_worker_init (FourierWorker * worker, GstElement * element,
    GstShapesCompute * compute, FourierBrush * brush)
{
  worker->element = element;
  worker->compute = compute;
  worker->brush = brush;
  g_mutex_init (&worker->lock);
  g_cond_init (&worker->changed);
}

void
fourier_worker_finalize (FourierWorker * worker)
{
  g_mutex_clear (&worker->lock);
  g_cond_clear (&worker->changed);
}

gboolean
fourier_worker_open (FourierWorker * worker, GError ** error)
{
  return fourier_preparer_open (&worker->preparer, worker->compute, error);
}

void
fourier_worker_close (FourierWorker * worker)
{
  fourier_preparer_close (&worker->preparer);
}

void
fourier_worker_stop (FourierWorker * worker)
{
  GThread *thread;

  g_mutex_lock (&worker->lock);
  thread = g_steal_pointer (&worker->thread);
  worker->ends = TRUE;
  g_cond_broadcast (&worker->changed);
  g_mutex_unlock (&worker->lock);
  if (thread)
    g_thread_join (thread);
  worker->ends = FALSE;
  fourier_worker_flush (worker);
}

/* The thread */

/* Does the job that waits. With the lock held, which is released meanwhile. */
static void
do_next (FourierWorker * worker)
{
  FourierJob *job = g_steal_pointer (&worker->job);

  worker->busy = TRUE;
  g_mutex_unlock (&worker->lock);
  do_job (worker, job);
  g_mutex_lock (&worker->lock);
  worker->busy = FALSE;
  if (job->generation == worker->generation) {
    g_clear_pointer (&worker->done, fourier_job_free);
    worker->done = job;
  } else {
    fourier_job_free (job);
  }
  g_cond_broadcast (&worker->changed);
}

static gpointer
work (gpointer user_data)
{
  FourierWorker *worker = user_data;

  g_mutex_lock (&worker->lock);
  while (!worker->ends) {
    if (worker->job)
      do_next (worker);
    else
      g_cond_wait (&worker->changed, &worker->lock);
  }
  g_mutex_unlock (&worker->lock);
  return NULL;
}

/* With the lock held. */
static gboolean
ensure_thread (FourierWorker * worker)
{
  GError *error = NULL;

  if (worker->thread)
    return TRUE;
  worker->thread = cs_thread_try_new ("fourierdraw", work, worker, &error);
  if (!worker->thread) {
    GST_WARNING_OBJECT (worker->element,
        "a drawing is made on the streaming thread: %s", error->message);
    g_clear_error (&error);
  }
  return worker->thread != NULL;
}

void
fourier_worker_run (FourierWorker * worker, FourierJob * job)
{
  /* after a flush it may still do one from before */
  g_mutex_lock (&worker->lock);
  while (worker->busy)
    g_cond_wait (&worker->changed, &worker->lock);
  g_mutex_unlock (&worker->lock);
  do_job (worker, job);
}

void
fourier_worker_send (FourierWorker * worker, FourierJob * job)
{
  g_mutex_lock (&worker->lock);
  job->generation = worker->generation;
  g_clear_pointer (&worker->job, fourier_job_free);
  worker->job = job;
  if (ensure_thread (worker))
    g_cond_broadcast (&worker->changed);
  else
    do_next (worker);
  g_mutex_unlock (&worker->lock);
}

FourierJob *
fourier_worker_take (FourierWorker * worker)
{
  FourierJob *job;

  g_mutex_lock (&worker->lock);
  job = g_steal_pointer (&worker->done);
  g_mutex_unlock (&worker->lock);
  return job;
}

gboolean
fourier_worker_is_busy (FourierWorker * worker)
{
  gboolean busy;

  g_mutex_lock (&worker->lock);
  busy = worker->job || worker->busy;
  g_mutex_unlock (&worker->lock);
  return busy;
}

void
fourier_worker_flush (FourierWorker * worker)
{
  g_mutex_lock (&worker->lock);
  worker->generation++;
  g_clear_pointer (&worker->job, fourier_job_free);
  g_clear_pointer (&worker->done, fourier_job_free);
  g_mutex_unlock (&worker->lock);
}
