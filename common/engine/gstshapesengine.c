/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapesengine.h"

#include "cuda/gstshapescompat.h"
#include "cuda/gstshapesdevice.h"
#include "element/gstshapesbackend.h"
#ifdef HAVE_CUDA
#include "base/cuda_memory.h"
#include "cuda/gstshapescontext.h"
#endif

/* Workers that are kept for later calls; each has scratch memory. */
#define MAX_IDLE_WORKERS 4

struct _GstShapesEngine
{
  GstShapesBackend active;
  gboolean is_auto;
  gpointer context;
  GstShapesSlabPool *slabs;
  GMutex lock;
  GQueue idle;                  /* most recently used first; with lock */
};

#ifdef HAVE_CUDA

static gboolean
enter (GstShapesEngine * engine, GError ** error)
{
  if (!engine->context || gst_cuda_context_push (engine->context))
    return TRUE;
  g_set_error (error, CS_ERROR, CS_ERROR_DEVICE,
      "cannot make the CUDA context current");
  return FALSE;
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
  GError *error = NULL;

  if (stream && !cs_cuda_stream_free (stream, &error)) {
    GST_WARNING ("%s", error->message);
    g_clear_error (&error);
  }
}

static gboolean
open_cuda (GstShapesEngine * engine, gint device_id, GError ** error)
{
  const gchar *reason;
  const guint n_devices = gst_shapes_device_probe (&reason);

  if (n_devices == 0 || device_id >= (gint) n_devices) {
    g_set_error (error, CS_ERROR, CS_ERROR_NOT_SUPPORTED, "%s", reason);
    return FALSE;
  }
  gst_cuda_memory_init_once ();
  engine->context = gst_cuda_context_new (MAX (device_id, 0));
  if (!engine->context) {
    g_set_error (error, CS_ERROR, CS_ERROR_DEVICE, "the GPU gave no CUDA "
        "context (is its memory full?)");
    return FALSE;
  }
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
  g_set_error (error, CS_ERROR, CS_ERROR_NOT_SUPPORTED, "%s", reason);
  return FALSE;
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

GstShapesWorker *
gst_shapes_engine_begin (GstShapesEngine * engine, const CsImage * image,
    GError ** error)
{
  GstShapesWorker *worker;

  if (!enter (engine, error))
    return NULL;
  g_mutex_lock (&engine->lock);
  worker = take_idle (engine, image);
  g_mutex_unlock (&engine->lock);
  if (!worker)
    worker = worker_new (engine, error);
  if (!worker)
    leave (engine);
  else if (image)
    worker->image = *image;
  return worker;
}

void
gst_shapes_engine_end (GstShapesEngine * engine, GstShapesWorker * worker)
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

GstShapesSlabPool *
gst_shapes_engine_get_slabs (GstShapesEngine * engine)
{
  return engine->slabs;
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

static gboolean
engine_find_contours (gpointer engine, const GstShapeImage * image,
    const GstShapeImage * mask, const gdouble * levels, guint n_levels,
    GstShapeContoursFlags flags, GstShapeResultArrays * arrays,
    gpointer * payload, GError ** error)
{
  if (gst_shapes_engine_find_contours (engine, image, mask, levels, n_levels,
          flags, arrays, payload, error))
    return TRUE;
  publish (error);
  return FALSE;
}

static gboolean
engine_convex_hull (gpointer engine, gconstpointer points,
    GstShapeNumber type, gsize n_points, gsize stride,
    GstShapeHullFlags flags, GstShapeResultArrays * arrays,
    gpointer * payload, GError ** error)
{
  if (gst_shapes_engine_convex_hull (engine, points, type, n_points, stride,
          flags, arrays, payload, error))
    return TRUE;
  publish (error);
  return FALSE;
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
