/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What calls compute with that have an array and no pipeline: an executor and
 * the plans on it, kept for the next call. Without GStreamer.
 */

#include "contours/contours.h"
#include "hull/hull.h"
#include "instances/instances.h"
#include "labels/labels.h"
#include "llf/llf_colour.h"
#include "properties/properties.h"
#include "stats/stats.h"

G_BEGIN_DECLS

/**
 * CsContextOps:
 * @enter: makes the CUDA context current in this thread; calls nest
 * @leave: ends that
 * @enter_to_free: as @enter, to free what may belong to a context that is gone.
 *     Returns: the argument of @leave_freed
 * @leave_freed: ends that
 */
typedef struct
{
  gboolean (*enter) (gpointer context, GError ** error);
  void (*leave) (gpointer context);
  guint (*enter_to_free) (gpointer context);
  void (*leave_freed) (gpointer context, guint entered);
} CsContextOps;

/**
 * CsWorkers:
 *
 * The workers of one backend that wait for the next call. Any thread.
 */
typedef struct _CsWorkers CsWorkers;

/**
 * CsWorker:
 *
 * What one call at a time computes with. Its functions are called between
 * cs_workers_begin() and cs_workers_end().
 */
typedef struct _CsWorker CsWorker;

/* @ops: (nullable): of @context, a GPU's, which outlives the workers; %NULL for
 *     the CPU
 * @is_auto: beside a GPU the CPU computes what is sooner done there, from and
 *     to the host, with the same bits */
CsWorkers *cs_workers_new (const CsContextOps * ops, gpointer context,
    gboolean is_auto);
void cs_workers_free (CsWorkers * workers);

/* A worker that nobody else has until cs_workers_end(); the one that saw
 * @image (nullable) last, if it waits. The context, if any, is current until
 * then.
 * Returns: %NULL with @error set */
CsWorker *cs_workers_begin (CsWorkers * workers, const CsImage * image,
    GError ** error);
void cs_workers_end (CsWorkers * workers, CsWorker * worker);

/* Returns: the CUDA stream, or %NULL */
gpointer cs_worker_get_stream (const CsWorker * worker);

/* As cs_contours_run(), cs_instances_run(), cs_labels_run(), cs_hull_run(),
 * cs_llf_run() and cs_llf_colour_run(), cs_properties_run(), cs_stats_run();
 * that of filters is complete on return, too. */
gboolean cs_worker_find_contours (CsWorker * worker,
    const CsContoursParams * params, const CsContoursInput * input,
    CsContoursOutput * output, GError ** error);
gboolean cs_worker_find_instances (CsWorker * worker,
    const CsInstancesParams * params, const CsInstancesInput * input,
    CsContoursOutput * output, GError ** error);
gboolean cs_worker_find_labels (CsWorker * worker,
    const CsLabelsParams * params, const CsLabelsInput * input,
    CsContoursOutput * output, GError ** error);
gboolean cs_worker_convex_hull (CsWorker * worker,
    const CsHullParams * params, const CsHullInput * input,
    CsHullOutput * output, GError ** error);
gboolean cs_worker_filter (CsWorker * worker, CsLlfTable * table,
    const CsLlfFrame * frame, const CsLlfSettings * settings, GError ** error);
gboolean cs_worker_filter_colour (CsWorker * worker, CsLlfTable * table,
    const CsPicture * input, const CsPicture * output,
    const CsLlfSettings * settings, GError ** error);
gboolean cs_worker_measure_labels (CsWorker * worker,
    const CsPropertiesParams * params, const CsLabelsPicture * picture,
    CsPropertiesOutput * output, GError ** error);
gboolean cs_worker_sum (CsWorker * worker, const CsStatsInput * input,
    CsStatsSums * sums, GError ** error);

/* A plan for the strips of one picture, which may leave much memory behind: the
 * caller frees it before cs_workers_end(). Returns: %NULL with @error set */
CsLabels *cs_worker_new_labels (CsWorker * worker,
    const CsLabelsParams * params, GError ** error);

G_END_DECLS
