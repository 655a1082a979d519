/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "workers.h"

#include <string.h>

#ifdef HAVE_CUDA
#include "base/cuda_memory.h"
#endif

/* Workers that are kept for later calls; each has scratch memory. */
#define MAX_IDLE 4

struct _CsWorkers
{
  const CsContextOps *ops;
  gpointer context;
  gboolean is_auto;
  GMutex lock;
  GQueue idle;                  /* most recently used first; with lock */
};

/*
 * @stream: (nullable): the CUDA stream of @executor
 * @host_executor: (nullable): beside a GPU that was not asked for: the CPU, for
 *     what is done sooner there
 * @contours, @instances, @labels, @hull, @host_hull, @filter, @colour,
 *     @properties, @stats: (nullable): made by the first call that needs it
 * @hull_params: what the hulls were made for
 * @table: (nullable): that of the filters
 * @image: shape that @contours saw last; no data
 */
struct _CsWorker
{
  CsExecutor *executor;
  gpointer stream;
  CsExecutor *host_executor;
  CsContours *contours;
  CsInstances *instances;
  CsLabels *labels;
  CsHullParams hull_params;
  CsHull *hull, *host_hull;
  CsLlfTable *table;
  CsLlf *filter;
  CsLlfColour *colour;
  CsProperties *properties;
  CsStats *stats;
  CsImage image;
};

static CsExecutor *
new_cuda_executor (gpointer * stream, GError ** error)
{
#ifdef HAVE_CUDA
  *stream = cs_cuda_stream_new (error);
  return *stream ? cs_executor_new_cuda (*stream, error) : NULL;
#else
  return cs_executor_new_cuda (NULL, error);
#endif
}

static void
free_stream (gpointer stream)
{
#ifdef HAVE_CUDA
  g_autoptr (GError) error = NULL;

  if (stream && !cs_cuda_stream_free (stream, &error))
    g_info ("%s", error->message);
#endif
}

/* The context is current. */
static void
worker_free (CsWorker * worker)
{
  g_clear_pointer (&worker->contours, cs_contours_free);
  g_clear_pointer (&worker->instances, cs_instances_free);
  g_clear_pointer (&worker->labels, cs_labels_free);
  g_clear_pointer (&worker->hull, cs_hull_free);
  g_clear_pointer (&worker->host_hull, cs_hull_free);
  g_clear_pointer (&worker->filter, cs_llf_free);
  g_clear_pointer (&worker->colour, cs_llf_colour_free);
  g_clear_pointer (&worker->properties, cs_properties_free);
  g_clear_pointer (&worker->stats, cs_stats_free);
  g_clear_pointer (&worker->table, cs_llf_table_unref);
  g_clear_pointer (&worker->executor, cs_executor_free);
  g_clear_pointer (&worker->host_executor, cs_executor_free);
  free_stream (worker->stream);
  g_free (worker);
}

static CsWorker *
worker_new (CsWorkers * workers, GError ** error)
{
  CsWorker *worker = g_new0 (CsWorker, 1);

  worker->executor = workers->ops ?
      new_cuda_executor (&worker->stream, error) : cs_executor_new_cpu (0);
  if (workers->ops && workers->is_auto)
    worker->host_executor = cs_executor_new_cpu (0);
  if (worker->executor)
    return worker;
  worker_free (worker);
  return NULL;
}

CsWorkers *
cs_workers_new (const CsContextOps * ops, gpointer context, gboolean is_auto)
{
  CsWorkers *workers = g_new0 (CsWorkers, 1);

  workers->ops = ops;
  workers->context = context;
  workers->is_auto = is_auto;
  g_mutex_init (&workers->lock);
  g_queue_init (&workers->idle);
  return workers;
}

void
cs_workers_free (CsWorkers * workers)
{
  const guint entered = workers->ops ?
      workers->ops->enter_to_free (workers->context) : 0;

  g_queue_clear_full (&workers->idle, (GDestroyNotify) worker_free);
  if (workers->ops)
    workers->ops->leave_freed (workers->context, entered);
  g_mutex_clear (&workers->lock);
  g_free (workers);
}

static gboolean
has_run (const CsWorker * worker, const CsImage * image)
{
  return worker->image.type == image->type
      && worker->image.width == image->width
      && worker->image.height == image->height
      && worker->image.channels == image->channels;
}

/* With the lock. */
static CsWorker *
take_idle (CsWorkers * workers, const CsImage * image)
{
  GList *found = workers->idle.head;

  if (image) {
    while (found && !has_run (found->data, image))
      found = found->next;
    /* room for another shape: the worker that has waited longest changes */
    if (!found && workers->idle.length == MAX_IDLE)
      found = workers->idle.tail;
  }
  if (!found)
    return NULL;
  CsWorker *worker = found->data;
  g_queue_delete_link (&workers->idle, found);
  return worker;
}

CsWorker *
cs_workers_begin (CsWorkers * workers, const CsImage * image, GError ** error)
{
  if (workers->ops && !workers->ops->enter (workers->context, error))
    return NULL;
  g_mutex_lock (&workers->lock);
  CsWorker *worker = take_idle (workers, image);
  g_mutex_unlock (&workers->lock);
  if (!worker)
    worker = worker_new (workers, error);
  if (worker && image)
    worker->image = *image;
  else if (!worker && workers->ops)
    workers->ops->leave (workers->context);
  return worker;
}

void
cs_workers_end (CsWorkers * workers, CsWorker * worker)
{
  CsWorker *surplus = NULL;

  g_mutex_lock (&workers->lock);
  g_queue_push_head (&workers->idle, worker);
  if (workers->idle.length > MAX_IDLE)
    surplus = g_queue_pop_tail (&workers->idle);
  g_mutex_unlock (&workers->lock);
  if (surplus)
    worker_free (surplus);
  if (workers->ops)
    workers->ops->leave (workers->context);
}

gpointer
cs_worker_get_stream (const CsWorker * worker)
{
  return worker->stream;
}

gboolean
cs_worker_find_contours (CsWorker * worker, const CsContoursParams * params,
    const CsContoursInput * input, CsContoursOutput * output, GError ** error)
{
  if (!worker->contours)
    worker->contours = cs_contours_new (params, worker->executor, error);
  else if (!cs_contours_set_params (worker->contours, params, error))
    return FALSE;
  return worker->contours
      && cs_contours_run (worker->contours, input, output, error);
}

gboolean
cs_worker_find_instances (CsWorker * worker, const CsInstancesParams * params,
    const CsInstancesInput * input, CsContoursOutput * output, GError ** error)
{
  if (!worker->instances)
    worker->instances = cs_instances_new (params, worker->executor, error);
  else if (!cs_instances_set_params (worker->instances, params, error))
    return FALSE;
  return worker->instances
      && cs_instances_run (worker->instances, input, output, error);
}

gboolean
cs_worker_find_labels (CsWorker * worker, const CsLabelsParams * params,
    const CsLabelsInput * input, CsContoursOutput * output, GError ** error)
{
  if (!worker->labels)
    worker->labels = cs_labels_new (params, worker->executor, error);
  else if (!cs_labels_set_params (worker->labels, params, error))
    return FALSE;
  return worker->labels
      && cs_labels_run (worker->labels, input, output, error);
}

CsLabels *
cs_worker_new_labels (CsWorker * worker, const CsLabelsParams * params,
    GError ** error)
{
  return cs_labels_new (params, worker->executor, error);
}

static gboolean
prepare_hull (CsWorker * worker, const CsHullParams * params, GError ** error)
{
  if (worker->hull
      && memcmp (&worker->hull_params, params, sizeof (*params)) == 0)
    return TRUE;
  g_clear_pointer (&worker->hull, cs_hull_free);
  g_clear_pointer (&worker->host_hull, cs_hull_free);
  worker->hull_params = *params;
  worker->hull = cs_hull_new (params, worker->executor, error);
  if (!worker->hull || !worker->host_executor)
    return worker->hull != NULL;
  worker->host_hull = cs_hull_new (params, worker->host_executor, error);
  if (!worker->host_hull)
    g_clear_pointer (&worker->hull, cs_hull_free);
  return worker->host_hull != NULL;
}

gboolean
cs_worker_convex_hull (CsWorker * worker, const CsHullParams * params,
    const CsHullInput * input, CsHullOutput * output, GError ** error)
{
  if (!prepare_hull (worker, params, error))
    return FALSE;
  /* beside a GPU the CPU's plan for a small set */
  const gboolean is_small = worker->host_hull
      && input->memory != CS_MEMORY_DEVICE && output->want_host
      && cs_hull_is_small (worker->host_hull, input);
  return cs_hull_run (is_small ? worker->host_hull : worker->hull, input,
      output, error);
}

/* Filters are in the order of the stream. */
static gboolean
wait_for_stream (CsWorker * worker, GError ** error)
{
#ifdef HAVE_CUDA
  if (worker->stream)
    return cs_cuda_stream_wait (worker->stream, error);
#endif
  return TRUE;
}

/* Both filters have the table that the worker has. */
static void
set_table (CsWorker * worker, CsLlfTable * table)
{
  if (worker->table == table)
    return;
  g_clear_pointer (&worker->table, cs_llf_table_unref);
  worker->table = cs_llf_table_ref (table);
  if (worker->filter)
    cs_llf_set_table (worker->filter, table);
  if (worker->colour)
    cs_llf_colour_set_table (worker->colour, table);
}

gboolean
cs_worker_filter (CsWorker * worker, CsLlfTable * table,
    const CsLlfFrame * frame, const CsLlfSettings * settings, GError ** error)
{
  set_table (worker, table);
  if (!worker->filter)
    worker->filter = cs_llf_new (table, worker->executor, error);
  return worker->filter
      && cs_llf_run (worker->filter, frame, settings, error)
      && wait_for_stream (worker, error);
}

gboolean
cs_worker_filter_colour (CsWorker * worker, CsLlfTable * table,
    const CsPicture * input, const CsPicture * output,
    const CsLlfSettings * settings, GError ** error)
{
  set_table (worker, table);
  if (!worker->colour)
    worker->colour = cs_llf_colour_new (table, worker->executor, error);
  return worker->colour
      && cs_llf_colour_run (worker->colour, input, output, TRUE, settings,
      error) && wait_for_stream (worker, error);
}

gboolean
cs_worker_sum (CsWorker * worker, const CsStatsInput * input,
    CsStatsSums * sums, GError ** error)
{
  if (!worker->stats)
    worker->stats = cs_stats_new (worker->executor, error);
  return worker->stats && cs_stats_run (worker->stats, input, sums, error);
}

gboolean
cs_worker_measure_labels (CsWorker * worker, const CsPropertiesParams * params,
    const CsLabelsPicture * picture, CsPropertiesOutput * output,
    GError ** error)
{
  if (!worker->properties)
    worker->properties = cs_properties_new (params, worker->executor, error);
  else if (!cs_properties_set_params (worker->properties, params, error))
    return FALSE;
  return worker->properties
      && cs_properties_run (worker->properties, picture, output, error);
}
