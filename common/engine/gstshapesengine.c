/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapesengine.h"

#include "arrays/workers.h"
#include "cuda/gstshapescompat.h"
#include "cuda/gstshapesdevice.h"
#include "cuda/gstshapesslab.h"
#include "element/gstshapesbackend.h"
#ifdef HAVE_CUDA
#include "cuda/gstshapescontext.h"
#endif

/**
 * GstShapesEngine:
 *
 * A backend, its workers and the memory of its results. Any thread.
 */
typedef struct
{
  GstShapesBackend active;
  gpointer context;
  GstShapesSlabPool *slabs;
  CsWorkers *workers;
} GstShapesEngine;

#ifdef HAVE_CUDA

static gboolean
enter (gpointer context, GError ** error)
{
  if (gst_cuda_context_push (context))
    return TRUE;
  return cs_fail (error, CS_ERROR, CS_ERROR_DEVICE, "cannot make the CUDA "
      "context current");
}

static void
leave (gpointer context)
{
  gst_cuda_context_pop (NULL);
}

static void
leave_freed (gpointer context, guint entered)
{
  gst_shapes_context_leave (entered);
}

static const CsContextOps context_ops = {
  .enter = enter,
  .leave = leave,
  .enter_to_free = gst_shapes_context_enter_to_free,
  .leave_freed = leave_freed,
};

static gboolean
open_cuda (GstShapesEngine * engine, gint device_id, gboolean is_auto,
    GError ** error)
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
  if (engine->slabs)
    engine->workers = cs_workers_new (&context_ops, engine->context, is_auto);
  else
    gst_clear_object ((GstObject **) & engine->context);
  return engine->slabs != NULL;
}

#else

static gboolean
open_cuda (GstShapesEngine * engine, gint device_id, gboolean is_auto,
    GError ** error)
{
  const gchar *reason;

  gst_shapes_device_probe (&reason);
  return cs_fail (error, CS_ERROR, CS_ERROR_NOT_SUPPORTED, "%s", reason);
}

#endif

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

static CsWorker *
begin (GstShapesEngine * engine, const CsImage * image, GError ** error)
{
  CsWorker *worker = cs_workers_begin (engine->workers, image, error);

  if (!worker)
    publish (error);
  return worker;
}

/* A call: arrays to kernels, results to arrays */

/* A result is kept on the host; on a device only until it has come. */
typedef struct
{
  GstShapesSlab *host, *device;
} Slabs;

static void
slabs_init (Slabs * slabs, GstShapesEngine * engine, const CsWorker * worker)
{
  gpointer stream = cs_worker_get_stream (worker);

  slabs->host = gst_shapes_slab_new (engine->slabs, stream);
  slabs->device = gst_shapes_slab_new (engine->slabs, stream);
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
  CsWorker *worker = begin (engine, &input.image, error);
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
  const gboolean ok = cs_worker_find_contours (worker, &params, &input,
      &output, error);
  if (ok)
    take_contours (&output, flags, arrays);
  *payload = slabs_finish (&slabs, ok);
  cs_workers_end (((GstShapesEngine *) engine)->workers, worker);
  if (!ok)
    publish (error);
  g_free (targets);
  return ok;
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
  CsWorker *worker = begin (engine, NULL, error);
  Slabs slabs;
  CsHullParams params;
  CsHullOutput output = {
    .alloc = slabs_alloc,
    .user_data = &slabs,
    .want_host = TRUE,
  };

  if (!worker)
    return FALSE;
  slabs_init (&slabs, engine, worker);
  cs_hull_params_init (&params);
  params.include_collinear = (flags & GST_SHAPE_HULL_INCLUDE_COLLINEAR) != 0;
  params.points = CS_HULL_POINTS_NONE;
  params.measures = CS_MEASURES_FULL;
  const gboolean ok = cs_worker_convex_hull (worker, &params, &input, &output,
      error);
  if (ok)
    take_hull (&output, arrays);
  *payload = slabs_finish (&slabs, ok);
  cs_workers_end (((GstShapesEngine *) engine)->workers, worker);
  if (!ok)
    publish (error);
  return ok;
}

/* GstShapeEngineOps */

static void
engine_close (gpointer data)
{
  GstShapesEngine *engine = data;

  g_clear_pointer (&engine->workers, cs_workers_free);
  g_clear_pointer (&engine->slabs, gst_shapes_slab_pool_unref);
  gst_clear_object ((GstObject **) & engine->context);
  g_free (engine);
}

static gboolean
open_backend (GstShapesEngine * engine, GstShapesBackend backend,
    gint device_id, GError ** error)
{
  GError *no_cuda = NULL;

  if (backend != GST_SHAPES_BACKEND_CPU) {
    engine->active = GST_SHAPES_BACKEND_CUDA;
    if (open_cuda (engine, device_id, backend == GST_SHAPES_BACKEND_AUTO,
            &no_cuda))
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
  engine->workers = cs_workers_new (NULL, NULL, FALSE);
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
