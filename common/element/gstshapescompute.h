/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "base/executor.h"
#include "gstshapesbackend.h"
#include "gstshapesproperties.h"
#include "cuda/gstshapesslab.h"

/**
 * GstShapesComputeFuncs:
 * @open: the executor is there: make what belongs to it. May be called again
 *     after @close. When it fails on CUDA, backend=auto tries again on the CPU.
 * @close: the executor is about to go: free what was made on it. Also called
 *     after an @open that failed.
 *
 * The CUDA context, if any, is current in both.
 */
typedef struct
{
  gboolean (*open) (GstElement * element, GError ** error);
  void (*close) (GstElement * element);
} GstShapesComputeFuncs;

/**
 * GstShapesCompute:
 * @executor: where kernels run, from start to stop
 * @slabs: where results live, from start to stop
 * @context: (nullable): the GstCudaContext, %NULL on the CPU
 * @stream: (nullable): the CUDA stream of @executor, %NULL on the CPU
 * @host_executor: (nullable): beside a GPU that backend=auto has chosen, an
 *     executor on the CPU, from start to stop, for what is done sooner there:
 *     little data that is in host memory. %NULL on the CPU, and with
 *     backend=cuda, which asks for the GPU
 *
 * What every element that computes has in common, GstShapesTransform's or not:
 * the properties backend, cuda-device-id, active-backend and n-threads, the
 * choice of the backend, and sharing of CUDA contexts with the pipeline. Part
 * of the element's structure.
 */
typedef struct
{
  CsExecutor *executor;
  GstShapesSlabPool *slabs;
  gpointer context;
  gpointer stream;
  CsExecutor *host_executor;

  /*< private >*/
  GstElement *element;
  const GstShapesComputeFuncs *funcs;
  /* properties, with the object lock */
  GstShapesBackend backend, active;
  gint device_id;
  guint n_threads;
  /* the context arrives by messages and queries on any thread */
  GRecMutex context_lock;
  gpointer shared;
} GstShapesCompute;

/* Of a GstShapesCompute; with the object lock. */
extern const GstShapesProperties gst_shapes_compute_properties;

void gst_shapes_compute_init (GstShapesCompute * compute, GstElement * element,
    const GstShapesComputeFuncs * funcs);
void gst_shapes_compute_finalize (GstShapesCompute * compute);

/* READY to PAUSED: chooses the backend. Returns: %FALSE after posting an
 * error. */
gboolean gst_shapes_compute_start (GstShapesCompute * compute);

/* PAUSED to READY, when no thread computes any more. */
void gst_shapes_compute_stop (GstShapesCompute * compute);

/* On CUDA: changes to the CUDA context of @buffer's memory if that is another
 * one on an allowed device; @funcs close and open. @buffer: (nullable).
 * Returns: %FALSE after posting an error. */
gboolean gst_shapes_compute_adopt (GstShapesCompute * compute,
    GstBuffer * buffer);

/* Makes the CUDA context, if there is one, current on this thread. Returns:
 * %FALSE after posting an error; else call gst_shapes_compute_end(). */
gboolean gst_shapes_compute_begin (GstShapesCompute * compute);
void gst_shapes_compute_end (GstShapesCompute * compute);

/* For GstElementClass.set_context(), before chaining up. */
void gst_shapes_compute_set_context (GstShapesCompute * compute,
    GstContext * context);

/* Answers a CONTEXT query on a pad; FALSE if there is nothing to tell. */
gboolean gst_shapes_compute_query_context (GstShapesCompute * compute,
    GstQuery * query);

/* Posts @error, which a kernel or the frame access reported, as the element
 * message it deserves. */
void gst_shapes_compute_post_error (GstElement * element, const gchar * what,
    const GError * error);
