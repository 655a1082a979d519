/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapestransform.h"

#include "gstshapescompat.h"
#include "gstshapescontext.h"
#include "gstshapesdevice.h"
#include "gstshapesframe.h"
#ifdef HAVE_CUDA
#include "base/cuda_memory.h"
#endif

GST_DEBUG_CATEGORY_STATIC (gst_shapes_transform_debug);
#define GST_CAT_DEFAULT gst_shapes_transform_debug

enum
{
  PROP_0,
  PROP_BACKEND,
  PROP_CUDA_DEVICE_ID,
  PROP_ACTIVE_BACKEND,
  PROP_N_THREADS,
};

#define DEFAULT_BACKEND GST_SHAPES_BACKEND_AUTO
#define DEFAULT_CUDA_DEVICE_ID (-1)
#define DEFAULT_N_THREADS 0

struct _GstShapesTransformPrivate
{
  /* properties, with the object lock */
  GstShapesBackend backend;
  GstShapesBackend active;
  gint device_id;
  guint n_threads;
  guint64 n_dropped;

  /* streaming thread */
  gboolean warned_short;
  GstAllocator *pinned;
  gboolean downstream_reads_device;
  /* any thread */
  gint asked_downstream;

#ifdef HAVE_CUDA
  /* the context arrives by messages and queries on any thread */
  GRecMutex context_lock;
  GstCudaContext *context;
#endif
};

#define gst_shapes_transform_parent_class parent_class
G_DEFINE_ABSTRACT_TYPE_WITH_CODE (GstShapesTransform, gst_shapes_transform,
    GST_TYPE_BASE_TRANSFORM, G_ADD_PRIVATE (GstShapesTransform);
    GST_DEBUG_CATEGORY_INIT (gst_shapes_transform_debug, "shapestransform", 0,
        "base class of elements that compute on the GPU or the CPU"));

/* Properties */

static void
gst_shapes_transform_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstShapesTransformPrivate *priv = GST_SHAPES_TRANSFORM_CAST (object)->priv;

  GST_OBJECT_LOCK (object);
  switch (id) {
    case PROP_BACKEND:
      priv->backend = g_value_get_enum (value);
      break;
    case PROP_CUDA_DEVICE_ID:
      priv->device_id = g_value_get_int (value);
      break;
    case PROP_N_THREADS:
      priv->n_threads = g_value_get_uint (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (object);
}

static void
gst_shapes_transform_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstShapesTransformPrivate *priv = GST_SHAPES_TRANSFORM_CAST (object)->priv;

  GST_OBJECT_LOCK (object);
  switch (id) {
    case PROP_BACKEND:
      g_value_set_enum (value, priv->backend);
      break;
    case PROP_CUDA_DEVICE_ID:
      g_value_set_int (value, priv->device_id);
      break;
    case PROP_ACTIVE_BACKEND:
      g_value_set_enum (value, priv->active);
      break;
    case PROP_N_THREADS:
      g_value_set_uint (value, priv->n_threads);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (object);
}

static void
set_active (GstShapesTransform * self, GstShapesBackend active)
{
  gboolean changed;

  GST_OBJECT_LOCK (self);
  changed = self->priv->active != active;
  self->priv->active = active;
  GST_OBJECT_UNLOCK (self);
  if (changed)
    g_object_notify (G_OBJECT (self), "active-backend");
}

/* Backends: what executor, slabs, context and stream are made of */

static void
clear_backend (GstShapesTransform * self)
{
  g_clear_pointer (&self->executor, cs_executor_free);
  g_clear_pointer (&self->slabs, gst_shapes_slab_pool_unref);
  gst_clear_object (&self->priv->pinned);
  self->context = NULL;
  self->stream = NULL;
}

static gboolean
make_cpu (GstShapesTransform * self, GError ** error)
{
  guint n_threads;

  GST_OBJECT_LOCK (self);
  n_threads = self->priv->n_threads;
  GST_OBJECT_UNLOCK (self);
  self->slabs = gst_shapes_slab_pool_new (NULL, error);
  self->executor = cs_executor_new_cpu (n_threads);
  return self->slabs != NULL;
}

static gboolean
open_subclass (GstShapesTransform * self, GError ** error)
{
  GstShapesTransformClass *klass = GST_SHAPES_TRANSFORM_GET_CLASS (self);

  return !klass->open || klass->open (self, error);
}

static void
close_subclass (GstShapesTransform * self)
{
  GstShapesTransformClass *klass = GST_SHAPES_TRANSFORM_GET_CLASS (self);

  if (klass->close)
    klass->close (self);
}

static gboolean
open_cpu (GstShapesTransform * self, GError ** error)
{
  if (make_cpu (self, error) && open_subclass (self, error))
    return TRUE;
  if (self->executor)
    close_subclass (self);
  clear_backend (self);
  return FALSE;
}

#ifdef HAVE_CUDA

/* The context is current. */
static gboolean
make_cuda (GstShapesTransform * self, GError ** error)
{
  self->stream = cs_cuda_stream_new (error);
  if (!self->stream)
    return FALSE;
  self->slabs = gst_shapes_slab_pool_new (self->context, error);
  if (!self->slabs)
    return FALSE;
  self->executor = cs_executor_new_cuda (self->stream, error);
  if (!self->executor)
    return FALSE;
  self->priv->pinned = gst_shapes_slab_pool_new_pinned_allocator (self->slabs);
  return TRUE;
}

/* The context is current. */
static void
clear_cuda (GstShapesTransform * self)
{
  GError *error = NULL;
  gpointer stream = self->stream;

  clear_backend (self);
  if (stream && !cs_cuda_stream_free (stream, &error)) {
    GST_WARNING_OBJECT (self, "%s", error->message);
    g_clear_error (&error);
  }
}

static gboolean
open_cuda (GstShapesTransform * self, GstCudaContext * context, GError ** error)
{
  gboolean ok;

  if (!gst_cuda_context_push (context)) {
    g_set_error (error, CS_ERROR, CS_ERROR_DEVICE,
        "cannot make the CUDA context current");
    return FALSE;
  }
  self->context = gst_object_ref (context);
  ok = make_cuda (self, error) && open_subclass (self, error);
  if (!ok) {
    if (self->executor)
      close_subclass (self);
    clear_cuda (self);
  }
  gst_cuda_context_pop (NULL);
  if (!ok)
    gst_object_unref (context);
  return ok;
}

static void
close_cuda (GstShapesTransform * self)
{
  GstCudaContext *context = self->context;
  const gboolean entered = gst_shapes_context_enter_to_free (context);

  close_subclass (self);
  clear_cuda (self);
  gst_shapes_context_leave (entered);
  gst_object_unref (context);
}

/* The pipeline's context, or a new one. A reference that the caller drops. */
static GstCudaContext *
find_context (GstShapesTransform * self, gint device_id, GError ** error)
{
  GstShapesTransformPrivate *priv = self->priv;
  const gchar *reason;
  const guint n_devices = gst_shapes_device_probe (&reason);
  GstCudaContext *context = NULL;

  if (n_devices == 0) {
    g_set_error (error, CS_ERROR, CS_ERROR_NOT_SUPPORTED, "%s", reason);
    return NULL;
  }
  if (device_id >= (gint) n_devices) {
    g_set_error (error, CS_ERROR, CS_ERROR_NOT_SUPPORTED, "there is no GPU "
        "cuda-device-id=%d: %s", device_id, reason);
    return NULL;
  }
  gst_cuda_memory_init_once ();
  g_rec_mutex_lock (&priv->context_lock);
  if (gst_cuda_ensure_element_context (GST_ELEMENT_CAST (self), device_id,
          &priv->context))
    context = gst_object_ref (priv->context);
  g_rec_mutex_unlock (&priv->context_lock);
  if (!context)
    g_set_error (error, CS_ERROR, CS_ERROR_DEVICE, "the GPU gave no CUDA "
        "context (is its memory full?)");
  return context;
}

static gboolean
try_cuda (GstShapesTransform * self, GError ** error)
{
  GstCudaContext *context;
  gint device_id;
  gboolean ok;

  GST_OBJECT_LOCK (self);
  device_id = self->priv->device_id;
  GST_OBJECT_UNLOCK (self);
  context = find_context (self, device_id, error);
  if (!context)
    return FALSE;
  ok = open_cuda (self, context, error);
  gst_object_unref (context);
  return ok;
}

static guint
context_device (GstCudaContext * context)
{
  guint device_id = 0;

  g_object_get (context, "cuda-device-id", &device_id, NULL);
  return device_id;
}

static gboolean
device_is_allowed (GstShapesTransform * self, GstCudaContext * context)
{
  gint device_id;

  GST_OBJECT_LOCK (self);
  device_id = self->priv->device_id;
  GST_OBJECT_UNLOCK (self);
  return device_id < 0 || (guint) device_id == context_device (context);
}

static gboolean
adopt_context (GstShapesTransform * self, GstBuffer * buffer)
{
  GstMemory *memory = buffer && gst_buffer_n_memory (buffer) > 0 ?
      gst_buffer_peek_memory (buffer, 0) : NULL;
  GstShapesTransformPrivate *priv = self->priv;
  GError *error = NULL;
  GstCudaContext *context, *old;

  if (!memory || !gst_is_cuda_memory (memory))
    return TRUE;
  context = GST_CUDA_MEMORY_CAST (memory)->context;
  if (context == self->context || !device_is_allowed (self, context))
    return TRUE;

  GST_INFO_OBJECT (self, "adopting the CUDA context %" GST_PTR_FORMAT
      " of the incoming memory", context);
  close_cuda (self);
  g_rec_mutex_lock (&priv->context_lock);
  old = priv->context;
  priv->context = gst_object_ref (context);
  g_rec_mutex_unlock (&priv->context_lock);
  gst_clear_object (&old);
  if (open_cuda (self, context, &error))
    return TRUE;
  gst_shapes_transform_post_error (self, "Cannot use the CUDA context of the "
      "incoming memory", error);
  g_clear_error (&error);
  return FALSE;
}

#else

static gboolean
try_cuda (GstShapesTransform * self, GError ** error)
{
  const gchar *reason;

  gst_shapes_device_probe (&reason);
  g_set_error (error, CS_ERROR, CS_ERROR_NOT_SUPPORTED, "%s", reason);
  return FALSE;
}

#endif

/* Says once for each start why the CPU is used. */
static void
report_backend (GstShapesTransform * self, GstShapesBackend backend,
    const gchar * reason)
{
  const gchar *name = gst_shapes_backend_to_string (backend);

  GST_INFO_OBJECT (self, "backend %s: %s", name, reason);
  gst_element_post_message (GST_ELEMENT_CAST (self),
      gst_message_new_element (GST_OBJECT_CAST (self),
          gst_structure_new ("shapes-backend",
              "backend", G_TYPE_STRING, name,
              "reason", G_TYPE_STRING, reason, NULL)));
}

static gboolean
start_cpu (GstShapesTransform * self, const gchar * reason)
{
  GError *error = NULL;

  if (!open_cpu (self, &error)) {
    gst_shapes_transform_post_error (self, "Cannot start", error);
    g_clear_error (&error);
    return FALSE;
  }
  set_active (self, GST_SHAPES_BACKEND_CPU);
  if (reason)
    report_backend (self, GST_SHAPES_BACKEND_CPU, reason);
  return TRUE;
}

static gboolean
gst_shapes_transform_start (GstBaseTransform * trans)
{
  GstShapesTransform *self = GST_SHAPES_TRANSFORM_CAST (trans);
  GstShapesBackend backend;
  GError *error = NULL;
  gboolean ok;

  GST_OBJECT_LOCK (self);
  backend = self->priv->backend;
  GST_OBJECT_UNLOCK (self);
  g_atomic_int_set (&self->priv->asked_downstream, FALSE);

  if (backend == GST_SHAPES_BACKEND_CPU)
    return start_cpu (self, NULL);
  if (try_cuda (self, &error)) {
    set_active (self, GST_SHAPES_BACKEND_CUDA);
    GST_INFO_OBJECT (self, "backend cuda");
    return TRUE;
  }
  ok = FALSE;
  if (backend == GST_SHAPES_BACKEND_AUTO) {
    ok = start_cpu (self, error->message);
  } else if (!g_error_matches (error, CS_ERROR, CS_ERROR_NOT_SUPPORTED) &&
      !g_error_matches (error, CS_ERROR, CS_ERROR_DEVICE)) {
    gst_shapes_transform_post_error (self, "Cannot start", error);
  } else {
    GST_ELEMENT_ERROR (self, RESOURCE, NOT_FOUND,
        ("No GPU can be used: %s. Set backend=cpu or backend=auto to compute "
            "on the CPU.", error->message), (NULL));
  }
  g_clear_error (&error);
  return ok;
}

static gboolean
gst_shapes_transform_stop (GstBaseTransform * trans)
{
  GstShapesTransform *self = GST_SHAPES_TRANSFORM_CAST (trans);

#ifdef HAVE_CUDA
  if (self->context) {
    close_cuda (self);
  } else
#endif
  if (self->executor) {
    close_subclass (self);
    clear_backend (self);
  }
#ifdef HAVE_CUDA
  g_rec_mutex_lock (&self->priv->context_lock);
  gst_clear_object (&self->priv->context);
  g_rec_mutex_unlock (&self->priv->context_lock);
#endif
  set_active (self, GST_SHAPES_BACKEND_AUTO);
  self->priv->warned_short = FALSE;
  return TRUE;
}

/* Context sharing */

#ifdef HAVE_CUDA

static void
gst_shapes_transform_set_context (GstElement * element, GstContext * context)
{
  GstShapesTransform *self = GST_SHAPES_TRANSFORM_CAST (element);
  gint device_id;

  if (gst_context_has_context_type (context, GST_CUDA_CONTEXT_TYPE) &&
      gst_shapes_device_probe (NULL) > 0) {
    GST_OBJECT_LOCK (self);
    device_id = self->priv->device_id;
    GST_OBJECT_UNLOCK (self);
    g_rec_mutex_lock (&self->priv->context_lock);
    gst_cuda_handle_set_context (element, context, device_id,
        &self->priv->context);
    g_rec_mutex_unlock (&self->priv->context_lock);
  }
  GST_ELEMENT_CLASS (parent_class)->set_context (element, context);
}

static gboolean
answer_context_query (GstShapesTransform * self, GstQuery * query)
{
  GstCudaContext *context = NULL;
  gboolean answered;

  /* While this element is asking its neighbours, one of them may ask back from
   * another thread: then there is nothing to tell yet, and waiting for each
   * other would never end. */
  if (!g_rec_mutex_trylock (&self->priv->context_lock))
    return FALSE;
  if (self->priv->context)
    context = gst_object_ref (self->priv->context);
  g_rec_mutex_unlock (&self->priv->context_lock);
  if (!context)
    return FALSE;
  answered = gst_cuda_handle_context_query (GST_ELEMENT_CAST (self), query,
      context);
  gst_object_unref (context);
  return answered;
}

static gboolean
gst_shapes_transform_query (GstBaseTransform * trans, GstPadDirection direction,
    GstQuery * query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_CONTEXT &&
      answer_context_query (GST_SHAPES_TRANSFORM_CAST (trans), query))
    return TRUE;
  return GST_BASE_TRANSFORM_CLASS (parent_class)->query (trans, direction,
      query);
}

#endif

/* Buffers */

static void
gst_shapes_transform_before_transform (GstBaseTransform * trans,
    GstBuffer * buffer)
{
  GstClockTime time = GST_BUFFER_PTS (buffer);

  if (trans->segment.format == GST_FORMAT_TIME
      && GST_CLOCK_TIME_IS_VALID (time))
    time = gst_segment_to_stream_time (&trans->segment, GST_FORMAT_TIME, time);
  else
    time = GST_CLOCK_TIME_NONE;
  if (GST_CLOCK_TIME_IS_VALID (time))
    gst_object_sync_values (GST_OBJECT_CAST (trans), time);
}

gboolean
gst_shapes_transform_begin (GstShapesTransform * self, GstBuffer * buffer)
{
#ifdef HAVE_CUDA
  if (!self->context)
    return self->executor != NULL;
  if (!adopt_context (self, buffer))
    return FALSE;
  if (!gst_cuda_context_push (self->context)) {
    GST_ELEMENT_ERROR (self, RESOURCE, FAILED,
        ("The GPU's CUDA context cannot be used."), (NULL));
    return FALSE;
  }
#endif
  return self->executor != NULL;
}

void
gst_shapes_transform_end (GstShapesTransform * self)
{
#ifdef HAVE_CUDA
  if (self->context)
    gst_cuda_context_pop (NULL);
#endif
}

/* Allocation */

static gboolean
is_system_memory (GstQuery * query)
{
  GstCaps *caps = NULL;
  GstCapsFeatures *features;

  gst_query_parse_allocation (query, &caps, NULL);
  if (!caps || gst_caps_get_size (caps) == 0)
    return FALSE;
  features = gst_caps_get_features (caps, 0);
  return !features || gst_caps_features_is_equal (features,
      GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY);
}

/* Page-locked memory comes first, for who asks takes the first, unless
 * downstream wants a kind of memory of its own. */
static void
propose_pinned (GstQuery * query, GstAllocator * pinned)
{
  GstAllocator *wanted = NULL;
  GstAllocationParams params;
  gboolean first = TRUE;

  gst_allocation_params_init (&params);
  if (gst_query_get_n_allocation_params (query) > 0) {
    gst_query_parse_nth_allocation_param (query, 0, &wanted, &params);
    first = !wanted || !g_strcmp0 (wanted->mem_type, GST_ALLOCATOR_SYSMEM);
  }
  params.align |= 255;
  if (first && gst_query_get_n_allocation_params (query) > 0)
    gst_query_set_nth_allocation_param (query, 0, pinned, &params);
  else
    gst_query_add_allocation_param (query, pinned, &params);
  gst_clear_object (&wanted);
}

/* Shapes survive here, and a GPU reads pinned memory faster. A GstVideoMeta is
 * only for downstream to offer when the buffers pass through: then
 * @decide_query is %NULL, and the parent class has asked. */
static gboolean
gst_shapes_transform_propose_allocation (GstBaseTransform * trans,
    GstQuery * decide_query, GstQuery * query)
{
  GstShapesTransform *self = GST_SHAPES_TRANSFORM_CAST (trans);

  if (!GST_BASE_TRANSFORM_CLASS (parent_class)->propose_allocation (trans,
          decide_query, query))
    GST_DEBUG_OBJECT (self, "downstream has no wishes");
  if (!gst_query_find_allocation_meta (query, GST_SHAPE_META_API_TYPE, NULL))
    gst_query_add_allocation_meta (query, GST_SHAPE_META_API_TYPE, NULL);
  if (self->priv->pinned && is_system_memory (query))
    propose_pinned (query, self->priv->pinned);
  return TRUE;
}

static gboolean
ask_downstream (GstShapesTransform * self)
{
  GstPad *pad = GST_BASE_TRANSFORM_SRC_PAD (self);
  GstCaps *caps = gst_pad_get_current_caps (pad);
  const GstStructure *params = NULL;
  gboolean reads = FALSE;
  GstQuery *query;
  guint index;

  if (!caps)
    return FALSE;
  query = gst_query_new_allocation (caps, FALSE);
  if (gst_pad_peer_query (pad, query) &&
      gst_query_find_allocation_meta (query, GST_SHAPE_META_API_TYPE, &index)) {
    gst_query_parse_nth_allocation_meta (query, index, &params);
    if (params)
      gst_structure_get_boolean (params, "device-capable", &reads);
  }
  gst_query_unref (query);
  gst_caps_unref (caps);
  return reads;
}

gboolean
gst_shapes_transform_downstream_reads_device (GstShapesTransform * self)
{
  GstShapesTransformPrivate *priv = self->priv;

  if (!self->context)
    return FALSE;
  if (g_atomic_int_compare_and_exchange (&priv->asked_downstream, FALSE, TRUE))
    priv->downstream_reads_device = ask_downstream (self);
  return priv->downstream_reads_device;
}

/* New caps reach downstream before the next buffer; what it can do may have
 * changed, as when it is another element, which sends RECONFIGURE. */
static gboolean
gst_shapes_transform_set_caps (GstBaseTransform * trans, GstCaps * incaps,
    GstCaps * outcaps)
{
  g_atomic_int_set (&GST_SHAPES_TRANSFORM_CAST (trans)->priv->asked_downstream,
      FALSE);
  return TRUE;
}

static gboolean
gst_shapes_transform_src_event (GstBaseTransform * trans, GstEvent * event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE)
    g_atomic_int_set (&GST_SHAPES_TRANSFORM_CAST (trans)->
        priv->asked_downstream, FALSE);
  return GST_BASE_TRANSFORM_CLASS (parent_class)->src_event (trans, event);
}

/* The end of a file that is no multiple of a frame: counted, not fatal. */
static GstFlowReturn
drop_short_buffer (GstShapesTransform * self, const GError * error)
{
  GST_OBJECT_LOCK (self);
  self->priv->n_dropped++;
  GST_OBJECT_UNLOCK (self);
  GST_WARNING_OBJECT (self, "dropping a buffer: %s", error->message);
  if (!self->priv->warned_short) {
    self->priv->warned_short = TRUE;
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("A buffer was too short and is left out: %s. Is it the last one of "
            "a file? If all are, set filesrc's blocksize to the frame's size.",
            error->message), (NULL));
  }
  return GST_BASE_TRANSFORM_FLOW_DROPPED;
}

GstFlowReturn
gst_shapes_transform_fail_buffer (GstShapesTransform * self,
    const gchar * what, const GError * error)
{
  if (g_error_matches (error, GST_SHAPES_FRAME_ERROR,
          GST_SHAPES_FRAME_ERROR_SHORT))
    return drop_short_buffer (self, error);
  if (error->domain == GST_SHAPES_FRAME_ERROR)
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        ("Cannot read a frame: %s.", error->message), (NULL));
  else
    gst_shapes_transform_post_error (self, what, error);
  return GST_FLOW_ERROR;
}

guint64
gst_shapes_transform_get_n_dropped (GstShapesTransform * self)
{
  return self->priv->n_dropped;
}

GstStructure *
gst_shapes_transform_new_report (GstShapesTransform * self,
    const gchar * name, GstBuffer * buffer)
{
  const GstSegment *segment = &GST_BASE_TRANSFORM (self)->segment;
  const GstClockTime pts = GST_BUFFER_PTS (buffer);
  guint64 stream_time = GST_CLOCK_TIME_NONE;
  guint64 running_time = GST_CLOCK_TIME_NONE;

  if (segment->format == GST_FORMAT_TIME) {
    stream_time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME, pts);
    running_time = gst_segment_to_running_time (segment, GST_FORMAT_TIME, pts);
  }
  return gst_structure_new (name,
      "timestamp", G_TYPE_UINT64, pts,
      "stream-time", G_TYPE_UINT64, stream_time,
      "running-time", G_TYPE_UINT64, running_time,
      "duration", G_TYPE_UINT64, GST_BUFFER_DURATION (buffer),
      "offset", G_TYPE_UINT64, GST_BUFFER_OFFSET (buffer), NULL);
}

void
gst_shapes_transform_post_error (GstShapesTransform * self, const gchar * what,
    const GError * error)
{
  if (g_error_matches (error, CS_ERROR, CS_ERROR_NO_MEMORY))
    GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT,
        ("%s: %s.", what, error->message), (NULL));
  else if (g_error_matches (error, CS_ERROR, CS_ERROR_DEVICE))
    GST_ELEMENT_ERROR (self, RESOURCE, FAILED,
        ("%s: %s.", what, error->message), (NULL));
  else if (g_error_matches (error, CS_ERROR, CS_ERROR_NOT_SUPPORTED))
    GST_ELEMENT_ERROR (self, RESOURCE, NOT_FOUND,
        ("%s: %s.", what, error->message), (NULL));
  else
    GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS,
        ("%s: %s.", what, error->message), (NULL));
}

/* Object */

static void
gst_shapes_transform_init (GstShapesTransform * self)
{
  GstShapesTransformPrivate *priv =
      gst_shapes_transform_get_instance_private (self);

  self->priv = priv;
  priv->backend = DEFAULT_BACKEND;
  priv->active = GST_SHAPES_BACKEND_AUTO;
  priv->device_id = DEFAULT_CUDA_DEVICE_ID;
  priv->n_threads = DEFAULT_N_THREADS;
#ifdef HAVE_CUDA
  g_rec_mutex_init (&priv->context_lock);
#endif
}

static void
gst_shapes_transform_finalize (GObject * object)
{
#ifdef HAVE_CUDA
  GstShapesTransformPrivate *priv = GST_SHAPES_TRANSFORM_CAST (object)->priv;

  gst_clear_object (&priv->context);
  g_rec_mutex_clear (&priv->context_lock);
#endif
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
install_properties (GObjectClass * klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
      GST_PARAM_MUTABLE_READY;

  g_object_class_install_property (klass, PROP_BACKEND,
      g_param_spec_enum ("backend", "Backend",
          "Where to compute. \"auto\" takes a GPU when there is one and the "
          "CPU otherwise, and says in an element message \"shapes-backend\" "
          "why it took the CPU; \"cuda\" fails without a GPU.",
          GST_TYPE_SHAPES_BACKEND, DEFAULT_BACKEND, flags));
  g_object_class_install_property (klass, PROP_CUDA_DEVICE_ID,
      g_param_spec_int ("cuda-device-id", "CUDA device ID",
          "The GPU to use, counted from 0 as nvidia-smi does; -1 takes the "
          "one that the rest of the pipeline uses, or the first.",
          -1, G_MAXINT, DEFAULT_CUDA_DEVICE_ID, flags));
  g_object_class_install_property (klass, PROP_ACTIVE_BACKEND,
      g_param_spec_enum ("active-backend", "Active backend",
          "Where the element computes, known from PAUSED on; \"auto\" until "
          "then.", GST_TYPE_SHAPES_BACKEND, GST_SHAPES_BACKEND_AUTO,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (klass, PROP_N_THREADS,
      g_param_spec_uint ("n-threads", "Number of threads",
          "How many threads the CPU backend uses at most for one frame, the "
          "streaming thread included; 0 means one for each core.",
          0, G_MAXINT, DEFAULT_N_THREADS, flags));
}

static void
gst_shapes_transform_class_init (GstShapesTransformClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  object_class->set_property = gst_shapes_transform_set_property;
  object_class->get_property = gst_shapes_transform_get_property;
  object_class->finalize = gst_shapes_transform_finalize;
  install_properties (object_class);

#ifdef HAVE_CUDA
  GST_ELEMENT_CLASS (klass)->set_context = gst_shapes_transform_set_context;
  trans_class->query = gst_shapes_transform_query;
#endif
  trans_class->start = gst_shapes_transform_start;
  trans_class->stop = gst_shapes_transform_stop;
  trans_class->set_caps = gst_shapes_transform_set_caps;
  trans_class->src_event = gst_shapes_transform_src_event;
  trans_class->before_transform = gst_shapes_transform_before_transform;
  trans_class->propose_allocation = gst_shapes_transform_propose_allocation;

  gst_type_mark_as_plugin_api (GST_TYPE_SHAPES_BACKEND, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_SHAPES_TRANSFORM, 0);
}
