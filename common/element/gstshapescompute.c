/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapescompute.h"

#include "cuda/gstshapescompat.h"
#include "cuda/gstshapescontext.h"
#include "cuda/gstshapesdevice.h"
#include "gstshapesframe.h"
#include "gstshapesmessage.h"
#ifdef HAVE_CUDA
#include "base/cuda_memory.h"
#endif

/* Properties */

static const GstShapesProperty rows[] = {
  GST_SHAPES_ENUM (GstShapesCompute, backend, "backend", "Backend",
      gst_shapes_backend_get_type, GST_SHAPES_BACKEND_AUTO, READY,
      "Where to compute. \"auto\" takes a GPU when there is one and the CPU "
      "otherwise, and says in an element message \"shapes-backend\" why it "
      "took the CPU; beside a GPU the CPU computes what is sooner done there, "
      "with the same result. \"cuda\" fails without a GPU."),
  GST_SHAPES_INT (GstShapesCompute, device_id, "cuda-device-id",
      "CUDA device ID", -1, G_MAXINT, -1, READY,
      "The GPU to use, counted from 0 as nvidia-smi does; -1 takes the one "
      "that the rest of the pipeline uses, or the first."),
  GST_SHAPES_ENUM (GstShapesCompute, active, "active-backend", "Active backend",
      gst_shapes_backend_get_type, GST_SHAPES_BACKEND_AUTO, READ_ONLY,
      "Where the element computes, known from PAUSED on; \"auto\" until then."),
  GST_SHAPES_UINT (GstShapesCompute, n_threads, "n-threads",
      "Number of threads", 0, G_MAXINT, 0, READY,
      "How many threads the CPU backend uses at most for one frame, the "
      "streaming thread included; 0 means one for each core."),
};

const GstShapesProperties gst_shapes_compute_properties =
    GST_SHAPES_PROPERTIES (rows, GstShapesCompute, 500);

static void
set_active (GstShapesCompute * compute, GstShapesBackend active)
{
  GST_OBJECT_LOCK (compute->element);
  const gboolean changed = compute->active != active;
  compute->active = active;
  GST_OBJECT_UNLOCK (compute->element);
  if (changed)
    g_object_notify (G_OBJECT (compute->element), "active-backend");
}

/* Life */

void
gst_shapes_compute_init (GstShapesCompute * compute, GstElement * element,
    const GstShapesComputeFuncs * funcs)
{
  compute->element = element;
  compute->funcs = funcs;
  gst_shapes_properties_init (&gst_shapes_compute_properties, compute);
  g_rec_mutex_init (&compute->context_lock);
}

void
gst_shapes_compute_finalize (GstShapesCompute * compute)
{
  gst_clear_object ((GstObject **) & compute->shared);
  g_rec_mutex_clear (&compute->context_lock);
}

static void
clear_backend (GstShapesCompute * compute)
{
  g_clear_pointer (&compute->executor, cs_executor_free);
  g_clear_pointer (&compute->host_executor, cs_executor_free);
  g_clear_pointer (&compute->slabs, gst_shapes_slab_pool_unref);
  compute->context = NULL;
  compute->stream = NULL;
}

static CsExecutor *
new_cpu_executor (GstShapesCompute * compute)
{
  GST_OBJECT_LOCK (compute->element);
  const guint n_threads = compute->n_threads;
  GST_OBJECT_UNLOCK (compute->element);
  return cs_executor_new_cpu (n_threads);
}

static gboolean
open_cpu (GstShapesCompute * compute, GError ** error)
{
  compute->slabs = gst_shapes_slab_pool_new (NULL, error);
  if (compute->slabs) {
    compute->executor = new_cpu_executor (compute);
    if (compute->funcs->open (compute->element, error))
      return TRUE;
    compute->funcs->close (compute->element);
  }
  clear_backend (compute);
  return FALSE;
}

#ifdef HAVE_CUDA

/* The context is current. */
static gboolean
make_cuda (GstShapesCompute * compute, GError ** error)
{
  GST_OBJECT_LOCK (compute->element);
  const gboolean is_auto = compute->backend == GST_SHAPES_BACKEND_AUTO;
  GST_OBJECT_UNLOCK (compute->element);
  if (is_auto)
    compute->host_executor = new_cpu_executor (compute);
  compute->stream = cs_cuda_stream_new (error);
  if (!compute->stream)
    return FALSE;
  compute->slabs = gst_shapes_slab_pool_new (compute->context, error);
  if (!compute->slabs)
    return FALSE;
  compute->executor = cs_executor_new_cuda (compute->stream, error);
  return compute->executor != NULL;
}

/* The context is current. */
static void
clear_cuda (GstShapesCompute * compute)
{
  gpointer stream = compute->stream;
  g_autoptr (GError) error = NULL;

  clear_backend (compute);
  if (stream && !cs_cuda_stream_free (stream, &error))
    GST_WARNING_OBJECT (compute->element, "%s", error->message);
}

static gboolean
open_cuda (GstShapesCompute * compute, GstCudaContext * context,
    GError ** error)
{
  if (!gst_cuda_context_push (context))
    return cs_error (error, CS_ERROR_DEVICE, "cannot make the CUDA context "
        "current");
  compute->context = gst_object_ref (context);
  gboolean ok = make_cuda (compute, error);
  if (ok && !compute->funcs->open (compute->element, error)) {
    compute->funcs->close (compute->element);
    ok = FALSE;
  }
  if (!ok)
    clear_cuda (compute);
  gst_cuda_context_pop (NULL);
  if (!ok)
    gst_object_unref (context);
  return ok;
}

static void
close_cuda (GstShapesCompute * compute)
{
  GstCudaContext *context = compute->context;
  const guint entered = gst_shapes_context_enter_to_free (context);

  compute->funcs->close (compute->element);
  clear_cuda (compute);
  gst_shapes_context_leave (entered);
  gst_object_unref (context);
}

/* The pipeline's context, or a new one. A reference that the caller drops. */
static GstCudaContext *
find_context (GstShapesCompute * compute, gint device_id, GError ** error)
{
  const gchar *reason;
  const guint n_devices = gst_shapes_device_probe (&reason);
  GstCudaContext *context = NULL;

  if (n_devices == 0)
    return cs_fail_null (error, CS_ERROR, CS_ERROR_NOT_SUPPORTED, "%s", reason);
  if (device_id >= (gint) n_devices)
    return cs_fail_null (error, CS_ERROR, CS_ERROR_NOT_SUPPORTED, "there is no "
        "GPU cuda-device-id=%d: %s", device_id, reason);
  gst_cuda_memory_init_once ();
  g_rec_mutex_lock (&compute->context_lock);
  if (gst_cuda_ensure_element_context (compute->element, device_id,
          (GstCudaContext **) & compute->shared))
    context = gst_object_ref (compute->shared);
  g_rec_mutex_unlock (&compute->context_lock);
  if (!context)
    g_set_error (error, CS_ERROR, CS_ERROR_DEVICE, "the GPU gave no CUDA "
        "context (is its memory full?)");
  return context;
}

static gboolean
try_cuda (GstShapesCompute * compute, GError ** error)
{
  GST_OBJECT_LOCK (compute->element);
  const gint device_id = compute->device_id;
  GST_OBJECT_UNLOCK (compute->element);
  GstCudaContext *context = find_context (compute, device_id, error);
  if (!context)
    return FALSE;
  const gboolean ok = open_cuda (compute, context, error);
  gst_object_unref (context);
  return ok;
}

#else

static gboolean
try_cuda (GstShapesCompute * compute, GError ** error)
{
  const gchar *reason;

  gst_shapes_device_probe (&reason);
  return cs_error (error, CS_ERROR_NOT_SUPPORTED, "%s", reason);
}

#endif

#ifdef HAVE_GSTCUDA

static guint
context_device (GstCudaContext * context)
{
  guint device_id = 0;

  g_object_get (context, "cuda-device-id", &device_id, NULL);
  return device_id;
}

static gboolean
device_is_allowed (GstShapesCompute * compute, GstCudaContext * context)
{
  GST_OBJECT_LOCK (compute->element);
  const gint device_id = compute->device_id;
  GST_OBJECT_UNLOCK (compute->element);
  return device_id < 0 || (guint) device_id == context_device (context);
}

/* Replaces the context by @context. */
static gboolean
change_context (GstShapesCompute * compute, GstCudaContext * context)
{
  g_autoptr (GError) error = NULL;

  GST_INFO_OBJECT (compute->element, "adopting the CUDA context %"
      GST_PTR_FORMAT " of the incoming memory", context);
  close_cuda (compute);
  g_rec_mutex_lock (&compute->context_lock);
  gpointer old = compute->shared;
  compute->shared = gst_object_ref (context);
  g_rec_mutex_unlock (&compute->context_lock);
  gst_clear_object ((GstObject **) & old);
  if (open_cuda (compute, context, &error))
    return TRUE;
  gst_shapes_compute_post_error (compute->element, "Cannot use the CUDA "
      "context of the incoming memory", error);
  return FALSE;
}

gboolean
gst_shapes_compute_adopt (GstShapesCompute * compute, GstBuffer * buffer)
{
  GstMemory *memory = compute->context && buffer &&
      gst_buffer_n_memory (buffer) > 0 ? gst_buffer_peek_memory (buffer, 0) :
      NULL;

  if (!memory || !gst_is_cuda_memory (memory))
    return TRUE;
  GstCudaContext *context = GST_CUDA_MEMORY_CAST (memory)->context;
  if (context == compute->context || !device_is_allowed (compute, context))
    return TRUE;
  return change_context (compute, context);
}

#else

gboolean
gst_shapes_compute_adopt (GstShapesCompute * compute, GstBuffer * buffer)
{
  return TRUE;
}

#endif

/* Says once for each start why the CPU is used. */
static void
report_backend (GstShapesCompute * compute, const gchar * reason)
{
  const gchar *name = gst_shapes_backend_to_string (GST_SHAPES_BACKEND_CPU);

  GST_INFO_OBJECT (compute->element, "backend %s: %s", name, reason);
  gst_element_post_message (compute->element,
      gst_message_new_element (GST_OBJECT_CAST (compute->element),
          gst_structure_new ("shapes-backend",
              "backend", G_TYPE_STRING, name,
              "reason", G_TYPE_STRING, reason, NULL)));
}

static gboolean
start_cpu (GstShapesCompute * compute, const gchar * reason)
{
  g_autoptr (GError) error = NULL;

  if (!open_cpu (compute, &error)) {
    gst_shapes_compute_post_error (compute->element, "Cannot start", error);
    return FALSE;
  }
  set_active (compute, GST_SHAPES_BACKEND_CPU);
  if (reason)
    report_backend (compute, reason);
  return TRUE;
}

gboolean
gst_shapes_compute_start (GstShapesCompute * compute)
{
  g_autoptr (GError) error = NULL;
  gboolean ok = FALSE;

  GST_OBJECT_LOCK (compute->element);
  GstShapesBackend backend = compute->backend;
  GST_OBJECT_UNLOCK (compute->element);

  if (backend == GST_SHAPES_BACKEND_CPU)
    return start_cpu (compute, NULL);
  if (try_cuda (compute, &error)) {
    set_active (compute, GST_SHAPES_BACKEND_CUDA);
    GST_INFO_OBJECT (compute->element, "backend cuda");
    return TRUE;
  }
  if (backend == GST_SHAPES_BACKEND_AUTO) {
    ok = start_cpu (compute, error->message);
  } else if (!g_error_matches (error, CS_ERROR, CS_ERROR_NOT_SUPPORTED) &&
      !g_error_matches (error, CS_ERROR, CS_ERROR_DEVICE)) {
    gst_shapes_compute_post_error (compute->element, "Cannot start", error);
  } else {
    GST_SHAPES_ERROR (compute->element, RESOURCE, NOT_FOUND,
        "No GPU can be used: %s. Set backend=cpu or backend=auto to compute on "
        "the CPU.", error->message);
  }
  return ok;
}

void
gst_shapes_compute_stop (GstShapesCompute * compute)
{
#ifdef HAVE_CUDA
  if (compute->context) {
    close_cuda (compute);
  } else
#endif
  if (compute->executor) {
    compute->funcs->close (compute->element);
    clear_backend (compute);
  }
  g_rec_mutex_lock (&compute->context_lock);
  gst_clear_object ((GstObject **) & compute->shared);
  g_rec_mutex_unlock (&compute->context_lock);
  set_active (compute, GST_SHAPES_BACKEND_AUTO);
}

gboolean
gst_shapes_compute_begin (GstShapesCompute * compute)
{
#ifdef HAVE_CUDA
  if (compute->context && !gst_cuda_context_push (compute->context)) {
    GST_SHAPES_ERROR (compute->element, RESOURCE, FAILED,
        "The GPU's CUDA context cannot be used.");
    return FALSE;
  }
#endif
  return compute->executor != NULL;
}

void
gst_shapes_compute_end (GstShapesCompute * compute)
{
#ifdef HAVE_CUDA
  if (compute->context)
    gst_cuda_context_pop (NULL);
#endif
}

/* Context sharing */

void
gst_shapes_compute_set_context (GstShapesCompute * compute,
    GstContext * context)
{
#ifdef HAVE_GSTCUDA

  if (!gst_context_has_context_type (context, GST_CUDA_CONTEXT_TYPE) ||
      gst_shapes_device_probe (NULL) == 0)
    return;
  GST_OBJECT_LOCK (compute->element);
  const gint device_id = compute->device_id;
  GST_OBJECT_UNLOCK (compute->element);
  g_rec_mutex_lock (&compute->context_lock);
  gst_cuda_handle_set_context (compute->element, context, device_id,
      (GstCudaContext **) & compute->shared);
  g_rec_mutex_unlock (&compute->context_lock);
#endif
}

gboolean
gst_shapes_compute_query_context (GstShapesCompute * compute, GstQuery * query)
{
  gboolean answered = FALSE;
#ifdef HAVE_GSTCUDA
  GstCudaContext *context = NULL;

  /* While this element is asking its neighbours, one of them may ask back from
   * another thread: then there is nothing to tell yet, and waiting for each
   * other would never end. */
  if (!g_rec_mutex_trylock (&compute->context_lock))
    return FALSE;
  if (compute->shared)
    context = gst_object_ref (compute->shared);
  g_rec_mutex_unlock (&compute->context_lock);
  if (!context)
    return FALSE;
  answered = gst_cuda_handle_context_query (compute->element, query, context);
  gst_object_unref (context);
#endif
  return answered;
}

/* Errors */

void
gst_shapes_compute_post_error (GstElement * element, const gchar * what,
    const GError * error)
{
  if (error->domain == GST_SHAPES_FRAME_ERROR)
    GST_SHAPES_ERROR (element, STREAM, FORMAT, "Cannot read a frame: %s.",
        error->message);
  else if (g_error_matches (error, CS_ERROR, CS_ERROR_NO_MEMORY))
    GST_SHAPES_ERROR (element, RESOURCE, NO_SPACE_LEFT, "%s: %s.", what,
        error->message);
  else if (g_error_matches (error, CS_ERROR, CS_ERROR_DEVICE))
    GST_SHAPES_ERROR (element, RESOURCE, FAILED, "%s: %s.", what,
        error->message);
  else if (g_error_matches (error, CS_ERROR, CS_ERROR_NOT_SUPPORTED))
    GST_SHAPES_ERROR (element, RESOURCE, NOT_FOUND, "%s: %s.", what,
        error->message);
  else if (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ))
    GST_SHAPES_ERROR (element, RESOURCE, READ, "%s: %s.", what, error->message);
  else
    GST_SHAPES_ERROR (element, LIBRARY, SETTINGS, "%s: %s.", what,
        error->message);
}
