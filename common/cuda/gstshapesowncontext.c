/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapesowncontext.h"

struct _GstShapesCudaContext
{
  GstObject parent;

  CUcontext handle;
};

G_DEFINE_TYPE (GstShapesCudaContext, gst_shapes_cuda_context, GST_TYPE_OBJECT)

/* Life */

static void
gst_shapes_cuda_context_init (GstShapesCudaContext * self)
{
}

static void
gst_shapes_cuda_context_finalize (GObject * object)
{
  GstShapesCudaContext *self = GST_SHAPES_CUDA_CONTEXT (object);

  if (self->handle && CuCtxDestroy (self->handle) != CUDA_SUCCESS)
    GST_WARNING_OBJECT (self, "the CUDA context cannot be destroyed");
  G_OBJECT_CLASS (gst_shapes_cuda_context_parent_class)->finalize (object);
}

static void
gst_shapes_cuda_context_class_init (GstShapesCudaContextClass * klass)
{
  G_OBJECT_CLASS (klass)->finalize = gst_shapes_cuda_context_finalize;
}

/* A new context, current in no thread, or NULL. */
static CUcontext
create_handle (guint device_id)
{
  CUcontext handle = NULL;
  CUdevice device;
  CUresult result = CuDeviceGet (&device, device_id);

  if (result == CUDA_SUCCESS)
    result = CuCtxCreate (&handle, 0, device);
  if (result == CUDA_SUCCESS)
    result = CuCtxPopCurrent (NULL);
  if (result == CUDA_SUCCESS)
    return handle;
  GST_WARNING ("no CUDA context of GPU %u: error %d", device_id, (int) result);
  if (handle)
    CuCtxDestroy (handle);
  return NULL;
}

static GstCudaContext *
create (guint device_id)
{
  CUcontext handle = create_handle (device_id);

  if (!handle)
    return NULL;
  GstCudaContext *context =
      gst_object_ref_sink (g_object_new (GST_TYPE_SHAPES_CUDA_CONTEXT, NULL));
  context->handle = handle;
  GST_INFO_OBJECT (context, "context of GPU %u", device_id);
  return context;
}

GstCudaContext *
gst_cuda_context_new (guint device_id)
{
  /* a GWeakRef for each device that was ever asked for */
  static GHashTable *contexts;
  static GMutex lock;
  GWeakRef *known;

  g_mutex_lock (&lock);
  if (!contexts)
    contexts = g_hash_table_new (NULL, NULL);
  known = g_hash_table_lookup (contexts, GUINT_TO_POINTER (device_id));
  if (!known) {
    known = g_new0 (GWeakRef, 1);
    g_weak_ref_init (known, NULL);
    g_hash_table_insert (contexts, GUINT_TO_POINTER (device_id), known);
  }
  GstCudaContext *context = g_weak_ref_get (known);
  if (!context) {
    context = create (device_id);
    g_weak_ref_set (known, context);
  }
  g_mutex_unlock (&lock);
  return context;
}

/* Use */

gpointer
gst_cuda_context_get_handle (GstCudaContext * context)
{
  return context->handle;
}

gboolean
gst_cuda_context_push (GstCudaContext * context)
{
  return CuCtxPushCurrent (context->handle) == CUDA_SUCCESS;
}

gboolean
gst_cuda_context_pop (CUcontext * handle)
{
  return CuCtxPopCurrent (handle) == CUDA_SUCCESS;
}

gboolean
gst_cuda_ensure_element_context (GstElement * element, gint device_id,
    GstCudaContext ** context)
{
  if (!*context)
    *context = gst_cuda_context_new (MAX (device_id, 0));
  return *context != NULL;
}
