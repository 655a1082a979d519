/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapesengine.h"

#include "contours/contours.h"
#include "cuda/gstshapescompat.h"
#include "cuda/gstshapesdevice.h"
#include "cuda/gstshapesslab.h"
#include "element/gstshapesbackend.h"
#include "hull/hull.h"
#ifdef HAVE_CUDA
#include "base/cuda_memory.h"
#include "cuda/gstshapescontext.h"
#endif

/* Workers that are kept for later calls; each has scratch memory. */
#define MAX_IDLE_WORKERS 4

/**
 * GstShapesEngine:
 *
 * A backend and the workers on it that wait for the next call. Any thread.
 */
typedef struct
{
  GstShapesBackend active;
  gboolean is_auto;
  gpointer context;
  GstShapesSlabPool *slabs;
  GMutex lock;
  GQueue idle;                  /* most recently used first; with lock */
} GstShapesEngine;

/**
 * GstShapesWorker:
 * @executor: where it computes
 * @stream: (nullable): the CUDA stream of @executor
 * @host_executor: (nullable): beside a GPU that backend "auto" has chosen: the
 *     CPU, for what is done sooner there
 * @contours: (nullable): made by the first call that needs it
 * @hull: (nullable): made by the first call that needs it
 * @host_hull: (nullable): the same on @host_executor
 * @collinear: what @hull was made for
 * @image: (nullable): shape that @contours saw last; no data
 *
 * What one call at a time computes with.
 */
typedef struct
{
  CsExecutor *executor;
  gpointer stream;
  CsExecutor *host_executor;
  CsContours *contours;
  CsHull *hull, *host_hull;
  gboolean collinear;
  CsImage image;
} GstShapesWorker;

#ifdef HAVE_CUDA

static gboolean
enter (GstShapesEngine * engine, GError ** error)
{
  if (!engine->context || gst_cuda_context_push (engine->context))
    return TRUE;
  return cs_fail (error, CS_ERROR, CS_ERROR_DEVICE, "cannot make the CUDA "
      "context current");
}

static void
leave (GstShapesEngine * engine)
{
  if (engine->context)
    gst_cuda_context_pop (NULL);
}

static guint
enter_to_free (GstShapesEngine * engine)
{
  return engine->context ? gst_shapes_context_enter_to_free (engine->context)
      : 0;
}

static void
leave_freed (GstShapesEngine * engine, guint entered)
{
  if (engine->context)
    gst_shapes_context_leave (entered);
}

static CsExecutor *
new_cuda_executor (gpointer * stream, GError ** error)
{
  *stream = cs_cuda_stream_new (error);
  return *stream ? cs_executor_new_cuda (*stream, error) : NULL;
}

static void
free_stream (gpointer stream)
{
  g_autoptr (GError) error = NULL;

  if (stream && !cs_cuda_stream_free (stream, &error))
    GST_WARNING ("%s", error->message);
}

static gboolean
open_cuda (GstShapesEngine * engine, gint device_id, GError ** error)
{
  const gchar *reason;
  const guint n_devices = gst_shapes_device_probe (&reason);

  if (n_devices == 0 || device_id >= (gint) n_devices)
    return cs_fail (error, CS_ERROR, CS_ERROR_NOT_SUPPORTED, "%s", reason);
  gst_cuda_memory_init_once ();
  engine->context = gst_cuda_context_new (MAX (device_id, 0));
  if (!engine->context)
    return cs_fail (error, CS_ERROR, CS_ERROR_DEVICE, "the GPU gave no CUDA "
        "context (is its memory full?)");
  engine->slabs = gst_shapes_slab_pool_new (engine->context, error);
  if (!engine->slabs)
    gst_clear_object ((GstObject **) & engine->context);
  return engine->slabs != NULL;
}

#else

static gboolean
enter (GstShapesEngine * engine, GError ** error)
{
  return TRUE;
}

static void
leave (GstShapesEngine * engine)
{
}

static guint
enter_to_free (GstShapesEngine * engine)
{
  return 0;
}

static void
leave_freed (GstShapesEngine * engine, guint entered)
{
}

static CsExecutor *
new_cuda_executor (gpointer * stream, GError ** error)
{
  g_return_val_if_reached (NULL);
}

static void
free_stream (gpointer stream)
{
}

static gboolean
open_cuda (GstShapesEngine * engine, gint device_id, GError ** error)
{
  const gchar *reason;

  gst_shapes_device_probe (&reason);
  return cs_fail (error, CS_ERROR, CS_ERROR_NOT_SUPPORTED, "%s", reason);
}

#endif

/* Workers. The context is current. */

static void
worker_free (GstShapesWorker * worker)
{
  g_clear_pointer (&worker->contours, cs_contours_free);
  g_clear_pointer (&worker->hull, cs_hull_free);
  g_clear_pointer (&worker->host_hull, cs_hull_free);
  g_clear_pointer (&worker->executor, cs_executor_free);
  g_clear_pointer (&worker->host_executor, cs_executor_free);
  free_stream (worker->stream);
  g_free (worker);
}

static GstShapesWorker *
worker_new (GstShapesEngine * engine, GError ** error)
{
  GstShapesWorker *worker = g_new0 (GstShapesWorker, 1);

  worker->executor = engine->context ?
      new_cuda_executor (&worker->stream, error) : cs_executor_new_cpu (0);
  if (engine->context && engine->is_auto)
    worker->host_executor = cs_executor_new_cpu (0);
  if (worker->executor)
    return worker;
  worker_free (worker);
  return NULL;
}

static gboolean
has_run (const GstShapesWorker * worker, const CsImage * image)
{
  return worker->image.type == image->type
      && worker->image.width == image->width
      && worker->image.height == image->height
      && worker->image.channels == image->channels;
}

static GstShapesWorker *
take_idle (GstShapesEngine * engine, const CsImage * image)
{
  GList *found = engine->idle.head;
  GstShapesWorker *worker = NULL;

  if (image) {
    while (found && !has_run (found->data, image))
      found = found->next;
    /* room for another shape: the worker that has waited longest changes */
    if (!found && engine->idle.length == MAX_IDLE_WORKERS)
      found = engine->idle.tail;
  }
  if (found) {
    worker = found->data;
    g_queue_delete_link (&engine->idle, found);
  }
  return worker;
}

/* Kernels' errors in the words of a public domain. */
static void
publish (GError ** error)
{
  GError *own = error ? *error : NULL;
  GQuark domain = GST_RESOURCE_ERROR;
  gint code = GST_RESOURCE_ERROR_FAILED;

  if (!own || own->domain != CS_ERROR)
    return;
  switch ((CsError) own->code) {
    case CS_ERROR_INVALID:
    case CS_ERROR_LIMIT:
      domain = GST_LIBRARY_ERROR;
      code = GST_LIBRARY_ERROR_SETTINGS;
      break;
    case CS_ERROR_NO_MEMORY:
      code = GST_RESOURCE_ERROR_NO_SPACE_LEFT;
      break;
    case CS_ERROR_NOT_SUPPORTED:
      code = GST_RESOURCE_ERROR_NOT_FOUND;
      break;
    case CS_ERROR_DEVICE:
      break;
  }
  own->domain = domain;
  own->code = code;
}

/* A worker that nobody else has until end(); the one that saw @image (nullable)
 * last, if it is idle. The engine's CUDA context, if any, is current until
 * then. Returns: %NULL with @error set */
static GstShapesWorker *
begin (GstShapesEngine * engine, const CsImage * image, GError ** error)
{
  if (!enter (engine, error)) {
    publish (error);
    return NULL;
  }
  g_mutex_lock (&engine->lock);
  GstShapesWorker *worker = take_idle (engine, image);
  g_mutex_unlock (&engine->lock);
  if (!worker)
    worker = worker_new (engine, error);
  if (worker && image) {
    worker->image = *image;
  } else if (!worker) {
    publish (error);
    leave (engine);
  }
  return worker;
}

static void
end (GstShapesEngine * engine, GstShapesWorker * worker)
{
  GstShapesWorker *surplus = NULL;

  g_mutex_lock (&engine->lock);
  g_queue_push_head (&engine->idle, worker);
  if (engine->idle.length > MAX_IDLE_WORKERS)
    surplus = g_queue_pop_tail (&engine->idle);
  g_mutex_unlock (&engine->lock);
  if (surplus)
    worker_free (surplus);
  leave (engine);
}

/* A call: arrays to kernels, results to arrays */

/* A result is kept on the host; on a device only until it has come. */
typedef struct
{
  GstShapesSlab *host, *device;
} Slabs;

static void
slabs_init (Slabs * slabs, GstShapesEngine * engine,
    const GstShapesWorker * worker)
{
  slabs->host = gst_shapes_slab_new (engine->slabs, worker->stream);
  slabs->device = gst_shapes_slab_new (engine->slabs, worker->stream);
}

static void *
slabs_alloc (void *data, gsize size, gboolean host)
{
  Slabs *slabs = data;

  return gst_shapes_slab_alloc (host ? slabs->host : slabs->device, size, host);
}

/* Returns: the result's memory, %NULL without one */
static gpointer
slabs_finish (Slabs * slabs, gboolean ok)
{
  if (ok) {
    gst_shapes_slab_finish (slabs->device);
    gst_shapes_slab_finish (slabs->host);
  }
  gst_shapes_slab_free (slabs->device);
  if (ok)
    return slabs->host;
  gst_shapes_slab_free (slabs->host);
  return NULL;
}

static CsSampleType
sample_type (GstShapeNumber type)
{
  switch (type) {
    case GST_SHAPE_NUMBER_U8:
      return CS_SAMPLE_U8;
    case GST_SHAPE_NUMBER_U16:
      return CS_SAMPLE_U16;
    case GST_SHAPE_NUMBER_F16:
      return CS_SAMPLE_F16;
    case GST_SHAPE_NUMBER_F32:
      return CS_SAMPLE_F32;
    default:
      return CS_SAMPLE_F64;
  }
}

static CsImage
view (const GstShapeImage * image)
{
  const CsImage result = {
    .data = image->data,
    .type = sample_type (image->type),
    .memory = CS_MEMORY_HOST,
    .width = image->width,
    .height = image->height,
    .channels = image->channels,
    .pixel_stride = image->pixel_stride,
    .row_stride = image->row_stride,
    .channel_stride = image->channel_stride,
  };

  return result;
}

static gboolean
prepare_contours (GstShapesWorker * worker, const CsContoursParams * params,
    GError ** error)
{
  if (worker->contours)
    return cs_contours_set_params (worker->contours, params, error);
  worker->contours = cs_contours_new (params, worker->executor, error);
  return worker->contours != NULL;
}

static void
set_params (CsContoursParams * params, const gdouble * levels, guint n_levels,
    GstShapeContoursFlags flags, CsContoursTarget * targets, guint n_targets)
{
  const gboolean bands = (flags & GST_SHAPE_CONTOURS_BANDS) != 0;

  for (guint i = 0; i < n_targets; i++) {
    targets[i].channel = bands ? i / n_levels : i;
    targets[i].level = n_levels == 0 ? 0. :
        levels[bands ? i % n_levels : n_levels > 1 ? i : 0];
  }
  cs_contours_params_init (params);
  params->targets = targets;
  params->n_targets = n_targets;
  params->auto_level = n_levels == 0;
  params->bands = bands;
  params->fully_connected_high =
      (flags & GST_SHAPE_CONTOURS_FULLY_CONNECTED_HIGH) != 0;
  params->positive_orientation_high =
      (flags & GST_SHAPE_CONTOURS_POSITIVE_ORIENTATION_HIGH) != 0;
  params->hierarchy = (flags & GST_SHAPE_CONTOURS_HIERARCHY) != 0;
  params->points = CS_POINTS_F64;
  params->measures = flags & GST_SHAPE_CONTOURS_MOMENTS ? CS_MEASURES_FULL :
      flags & GST_SHAPE_CONTOURS_MEASURES ? CS_MEASURES_BASIC :
      CS_MEASURES_NONE;
}

static void
swap_coordinates (gdouble * points, gsize n_points)
{
  for (gsize i = 0; i < n_points; i++) {
    const gdouble x = points[2 * i];

    points[2 * i] = points[2 * i + 1];
    points[2 * i + 1] = x;
  }
}

static void
take_contours (const CsContoursOutput * output, GstShapeContoursFlags flags,
    GstShapeResultArrays * arrays)
{
  arrays->n_shapes = output->n_contours;
  arrays->n_points = output->n_points;
  arrays->points = output->points;
  arrays->offsets = output->offsets;
  arrays->polylines = (GstShapePolyline *) output->contours;
  arrays->moments = (GstShapeMoments *) output->moments;
  if (flags & GST_SHAPE_CONTOURS_ROWS_FIRST)
    swap_coordinates (arrays->points, arrays->n_points);
}

static gboolean
engine_find_contours (gpointer engine, const GstShapeImage * image,
    const GstShapeImage * mask, const gdouble * levels, guint n_levels,
    GstShapeContoursFlags flags, GstShapeResultArrays * arrays,
    gpointer * payload, GError ** error)
{
  const CsImage mask_view = mask ? view (mask) : (CsImage) { NULL };
  const CsContoursInput input = {
    .image = view (image),
    .mask = mask ? &mask_view : NULL,
  };
  GstShapesWorker *worker = begin (engine, &input.image, error);
  const guint n_targets =
      image->channels * (flags & GST_SHAPE_CONTOURS_BANDS ? n_levels : 1);
  CsContoursParams params;
  Slabs slabs;
  CsContoursOutput output = {
    .alloc = slabs_alloc,
    .user_data = &slabs,
    .want_host = TRUE,
  };

  if (!worker)
    return FALSE;
  CsContoursTarget *targets = g_new (CsContoursTarget, n_targets);
  set_params (&params, levels, n_levels, flags, targets, n_targets);
  slabs_init (&slabs, engine, worker);
  const gboolean ok = prepare_contours (worker, &params, error)
      && cs_contours_run (worker->contours, &input, &output, error);
  if (ok)
    take_contours (&output, flags, arrays);
  *payload = slabs_finish (&slabs, ok);
  end (engine, worker);
  if (!ok)
    publish (error);
  g_free (targets);
  return ok;
}

static gboolean
prepare_hull (GstShapesWorker * worker, gboolean collinear, GError ** error)
{
  CsHullParams params;

  if (worker->hull && worker->collinear == collinear)
    return TRUE;
  g_clear_pointer (&worker->hull, cs_hull_free);
  g_clear_pointer (&worker->host_hull, cs_hull_free);
  cs_hull_params_init (&params);
  params.include_collinear = collinear;
  params.points = CS_HULL_POINTS_NONE;
  params.measures = CS_MEASURES_FULL;
  worker->collinear = collinear;
  worker->hull = cs_hull_new (&params, worker->executor, error);
  if (!worker->hull || !worker->host_executor)
    return worker->hull != NULL;
  worker->host_hull = cs_hull_new (&params, worker->host_executor, error);
  return worker->host_hull != NULL;
}

/* The plan for @input: beside a GPU the CPU's for a small set or batch. */
static CsHull *
choose_hull (GstShapesWorker * worker, const CsHullInput * input)
{
  return worker->host_hull && cs_hull_is_small (worker->host_hull, input) ?
      worker->host_hull : worker->hull;
}

static void
take_hull (const CsHullOutput * output, GstShapeResultArrays * arrays)
{
  arrays->n_shapes = output->n_hulls;
  arrays->n_points = output->n_points;
  arrays->n_ignored = output->n_ignored;
  arrays->offsets = output->offsets;
  arrays->indices = output->indices;
  arrays->polylines = (GstShapePolyline *) output->hulls;
  arrays->hull_measures = (GstShapeHullMeasures *) output->features;
}

static gboolean
engine_convex_hull (gpointer engine, gconstpointer points, GstShapeNumber type,
    gsize n_points, gsize stride, GstShapeHullFlags flags,
    GstShapeResultArrays * arrays, gpointer * payload, GError ** error)
{
  const CsHullInput input = {
    .points = points,
    .type = type == GST_SHAPE_NUMBER_F64 ? CS_HULL_F64 :
        type == GST_SHAPE_NUMBER_F32 ? CS_HULL_F32 : CS_HULL_I32,
    .memory = CS_MEMORY_HOST,
    .n_points = n_points,
    .stride = stride,
  };
  GstShapesWorker *worker = begin (engine, NULL, error);
  Slabs slabs;
  CsHullOutput output = {
    .alloc = slabs_alloc,
    .user_data = &slabs,
    .want_host = TRUE,
  };
  gboolean ok;

  if (!worker)
    return FALSE;
  slabs_init (&slabs, engine, worker);
  ok = prepare_hull (worker, (flags & GST_SHAPE_HULL_INCLUDE_COLLINEAR) != 0,
      error) && cs_hull_run (choose_hull (worker, &input), &input, &output,
      error);
  if (ok)
    take_hull (&output, arrays);
  *payload = slabs_finish (&slabs, ok);
  end (engine, worker);
  if (!ok)
    publish (error);
  return ok;
}

/* GstShapeEngineOps */

static void
engine_close (gpointer data)
{
  GstShapesEngine *engine = data;
  const guint entered = enter_to_free (engine);

  g_queue_clear_full (&engine->idle, (GDestroyNotify) worker_free);
  leave_freed (engine, entered);
  g_clear_pointer (&engine->slabs, gst_shapes_slab_pool_unref);
  gst_clear_object ((GstObject **) & engine->context);
  g_mutex_clear (&engine->lock);
  g_free (engine);
}

static gboolean
open_backend (GstShapesEngine * engine, GstShapesBackend backend,
    gint device_id, GError ** error)
{
  GError *no_cuda = NULL;

  engine->is_auto = backend == GST_SHAPES_BACKEND_AUTO;
  if (backend != GST_SHAPES_BACKEND_CPU) {
    engine->active = GST_SHAPES_BACKEND_CUDA;
    if (open_cuda (engine, device_id, &no_cuda))
      return TRUE;
    if (backend == GST_SHAPES_BACKEND_CUDA) {
      g_propagate_prefixed_error (error, no_cuda, "no GPU can be used: ");
      return FALSE;
    }
    GST_INFO ("computing on the CPU: %s", no_cuda->message);
    g_clear_error (&no_cuda);
  }
  engine->active = GST_SHAPES_BACKEND_CPU;
  engine->slabs = gst_shapes_slab_pool_new (NULL, error);
  return engine->slabs != NULL;
}

static gpointer
engine_open (const gchar * backend, gint device_id, GError ** error)
{
  GEnumClass *backends = g_type_class_ref (GST_TYPE_SHAPES_BACKEND);
  const GEnumValue *value = g_enum_get_value_by_nick (backends, backend);
  GstShapesEngine *engine = NULL;

  if (value) {
    engine = g_new0 (GstShapesEngine, 1);
    g_mutex_init (&engine->lock);
    g_queue_init (&engine->idle);
    if (!open_backend (engine, value->value, device_id, error)) {
      engine_close (engine);
      engine = NULL;
      publish (error);
    }
  } else {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "there is no backend \"%s\": it is auto, cuda or cpu", backend);
  }
  g_type_class_unref (backends);
  return engine;
}

static const gchar *
engine_get_active_backend (gpointer engine)
{
  return gst_shapes_backend_to_string (((GstShapesEngine *) engine)->active);
}

void
gst_shapes_engine_register (void)
{
  static const GstShapeEngineOps ops = {
    .open = engine_open,
    .get_active_backend = engine_get_active_backend,
    .close = engine_close,
    .find_contours = engine_find_contours,
    .convex_hull = engine_convex_hull,
    .release = (GDestroyNotify) gst_shapes_slab_free,
  };

  gst_shape_engine_set_ops (&ops);
}
