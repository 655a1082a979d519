/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_WORKER_H
#define GST_FOURIER_DRAW_WORKER_H

#include "gstfourierdrawbrush.h"
#include "gstfourierdrawpicture.h"
#include "gstfourierdrawpreparer.h"
#include "gstfourierdrawsettings.h"
#include "element/gstshapescompute.h"

/**
 * GstFourierDrawJob:
 * @picture: whose contours to draw
 * @contours: (nullable): those contours; found in @picture if %NULL
 * @width: of the copy of @picture in which they are found
 * @height: of the copy
 * @settings: how to draw them
 * @drawing: (nullable): the result
 * @error: (nullable): why there is no @drawing
 *
 * A drawing to make. Of one thread at a time: sending hands it over.
 */
typedef struct
{
  GstFourierDrawPicture picture;
  GstFourierDrawContours *contours;
  guint width, height;
  GstFourierDrawSettings settings;
  GstFourierDrawDrawing *drawing;
  GError *error;
  /*< private >*/
  guint64 generation;
} GstFourierDrawJob;

/* Either of @picture or of @contours; takes a reference and copies
 * @settings. */
GstFourierDrawJob *gst_fourier_draw_job_new (const GstFourierDrawPicture *
    picture, GstFourierDrawContours * contours,
    const GstFourierDrawSettings * settings);
void gst_fourier_draw_job_free (GstFourierDrawJob * job);

/**
 * GstFourierDrawWorker:
 *
 * Makes drawings, in a thread of its own or in the caller's. Jobs and results
 * are queues of one, in which the newest replaces the one before. All functions
 * may be called from any thread where nothing else is stated.
 */
typedef struct
{
  /*< private >*/
  GstElement *element;
  GstShapesCompute *compute;
  GstFourierDrawBrush *brush;
  /* of the thread that does a job */
  GstFourierDrawPreparer preparer;

  GMutex lock;
  GCond changed;
  GThread *thread;
  gboolean ends, busy;
  /* results of other generations are dropped */
  guint64 generation;
  GstFourierDrawJob *job, *done;
} GstFourierDrawWorker;

/* @element, for messages, @compute and @brush are borrowed. */
void gst_fourier_draw_worker_init (GstFourierDrawWorker * worker,
    GstElement * element, GstShapesCompute * compute,
    GstFourierDrawBrush * brush);
void gst_fourier_draw_worker_finalize (GstFourierDrawWorker * worker);

/* Of the executor. No job is done meanwhile. */
gboolean gst_fourier_draw_worker_open (GstFourierDrawWorker * worker,
    GError ** error);
void gst_fourier_draw_worker_close (GstFourierDrawWorker * worker);

/* Ends the thread. */
void gst_fourier_draw_worker_stop (GstFourierDrawWorker * worker);

/* Does @job in this thread, after the one that the worker is doing. */
void gst_fourier_draw_worker_run (GstFourierDrawWorker * worker,
    GstFourierDrawJob * job);

/* Queues @job, for _take(). If no thread can be started, does it first.
 *
 * @job: (transfer full) */
void gst_fourier_draw_worker_send (GstFourierDrawWorker * worker,
    GstFourierDrawJob * job);

/* Returns: (transfer full) (nullable): the last job that is done */
GstFourierDrawJob *gst_fourier_draw_worker_take (GstFourierDrawWorker *
    worker);

/* Whether a job waits or is being done. */
gboolean gst_fourier_draw_worker_is_busy (GstFourierDrawWorker * worker);

/* Drops all jobs; _take() will not return the one that is being done. */
void gst_fourier_draw_worker_flush (GstFourierDrawWorker * worker);

#endif /* GST_FOURIER_DRAW_WORKER_H */
