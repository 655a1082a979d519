/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

#include "gstfourierdrawbrush.h"
#include "gstfourierdrawpicture.h"
#include "gstfourierdrawsettings.h"
#include "element/gstshapescompute.h"
#include "base/scratch.h"
#include "contours/contours.h"
#include "edges/edges.h"
#include "gstfourierdrawdrawing.h"

/* From a picture to its drawing. */

/**
 * FourierPreparer:
 *
 * The plans and scratch memory that drawings are made with. Zero-initialise it.
 * Of one thread at a time, with the CUDA context current.
 */
typedef struct
{
  /*< private >*/
  CsExecutor *executor;
  gpointer stream;
  GstShapesSlabPool *slabs;
  CsContours *iso;
  CsEdges *canny;
  CsStrokes *strokes;
  CsScratch gray;
  FourierTransform transform;
} FourierPreparer;

/**
 * FourierJob:
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
  FourierPicture picture;
  FourierContours *contours;
  guint width, height;
  FourierSettings settings;
  FourierDrawing *drawing;
  GError *error;
  /*< private >*/
  guint64 generation;
} FourierJob;

/* Either of @picture or of @contours; takes a reference and copies
 * @settings. */
FourierJob *fourier_job_new (const FourierPicture * picture,
    FourierContours * contours, const FourierSettings * settings);
void fourier_job_free (FourierJob * job);

/**
 * FourierWorker:
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
  FourierBrush *brush;
  /* of the thread that does a job */
  FourierPreparer preparer;

  GMutex lock;
  GCond changed;
  GThread *thread;
  gboolean ends, busy;
  /* results of other generations are dropped */
  guint64 generation;
  FourierJob *job, *done;
} FourierWorker;

/* @element, for messages, @compute and @brush are borrowed. */
void fourier_worker_init (FourierWorker * worker, GstElement * element,
    GstShapesCompute * compute, FourierBrush * brush);
void fourier_worker_finalize (FourierWorker * worker);

/* Of the executor. No job is done meanwhile. */
gboolean fourier_worker_open (FourierWorker * worker, GError ** error);
void fourier_worker_close (FourierWorker * worker);

/* Ends the thread. */
void fourier_worker_stop (FourierWorker * worker);

/* Does @job in this thread, after the one that the worker is doing. */
void fourier_worker_run (FourierWorker * worker, FourierJob * job);

/* Queues @job, for _take(). If no thread can be started, does it first.
 *
 * @job: (transfer full) */
void fourier_worker_send (FourierWorker * worker, FourierJob * job);

/* Returns: (transfer full) (nullable): the last job that is done */
FourierJob *fourier_worker_take (FourierWorker * worker);

/* Whether a job waits or is being done. */
gboolean fourier_worker_is_busy (FourierWorker * worker);

/* Drops all jobs; _take() will not return the one that is being done. */
void fourier_worker_flush (FourierWorker * worker);
