/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapeoverlaydevice.h"

#include "base/cuda_memory.h"
#include "cuda/gstshapescompat.h"
#include "cuda/gstshapescontext.h"
#include "element/gstshapesframe.h"

struct _GstShapeOverlayDevice
{
  GstCudaContext *context;
  gpointer stream;
  GstShapesSlabPool *slabs;
  CsExecutor *executor;
  CsRaster *raster;
  GstShapesPictureStage stage;
};

gpointer
gst_shape_overlay_device_find_context (GstBuffer * buffer)
{
  GstMemory *memory = gst_buffer_n_memory (buffer) > 0 ?
      gst_buffer_peek_memory (buffer, 0) : NULL;

  /* by name: libgstcuda's functions are for those who have a GPU */
  if (!memory || !gst_memory_is_type (memory, GST_CUDA_MEMORY_TYPE_NAME))
    return NULL;
  return GST_CUDA_MEMORY_CAST (memory)->context;
}

static gboolean
push (GstShapeOverlayDevice * self, GError ** error)
{
  if (gst_cuda_context_push (self->context))
    return TRUE;
  g_set_error (error, CS_ERROR, CS_ERROR_DEVICE,
      "cannot make the CUDA context current");
  return FALSE;
}

/* The context is current. */
static gboolean
make_engine (GstShapeOverlayDevice * self, GError ** error)
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
  gst_shapes_picture_stage_init (&self->stage, self->slabs, self->context,
      self->stream);
  self->raster = cs_raster_new (self->executor, error);
  return self->raster != NULL;
}

GstShapeOverlayDevice *
gst_shape_overlay_device_new (gpointer context, GError ** error)
{
  GstShapeOverlayDevice *self = g_new0 (GstShapeOverlayDevice, 1);
  gboolean ok;

  self->context = gst_object_ref (context);
  ok = push (self, error);
  if (ok) {
    ok = make_engine (self, error);
    gst_cuda_context_pop (NULL);
  }
  if (!ok)
    g_clear_pointer (&self, gst_shape_overlay_device_free);
  return self;
}

void
gst_shape_overlay_device_free (GstShapeOverlayDevice * self)
{
  const guint entered = gst_shapes_context_enter_to_free (self->context);

  g_clear_pointer (&self->raster, cs_raster_free);
  gst_shapes_picture_stage_clear (&self->stage);
  g_clear_pointer (&self->executor, cs_executor_free);
  g_clear_pointer (&self->slabs, gst_shapes_slab_pool_unref);
  if (self->stream)
    cs_cuda_stream_free (self->stream, NULL);
  gst_shapes_context_leave (entered);
  gst_object_unref (self->context);
  g_free (self);
}

gpointer
gst_shape_overlay_device_get_context (GstShapeOverlayDevice * self)
{
  return self->context;
}

/* The context is current. */
static gboolean
paint (GstShapeOverlayDevice * self, const GstVideoInfo * info,
    GstBuffer * buffer, const CsMarks * marks, GError ** error)
{
  GstShapesPicture picture;
  CsRasterSettings settings;
  gboolean painted;

  if (!gst_shapes_picture_map (&picture, &self->stage, info, buffer,
          GST_MAP_READWRITE, error))
    return FALSE;
  cs_raster_settings_init (&settings);
  painted = cs_raster_run (self->raster, marks, &settings, &picture.picture,
      &picture.picture, error);
  return gst_shapes_picture_unmap (&picture, painted, painted ? error : NULL)
      && painted;
}

gboolean
gst_shape_overlay_device_draw (GstShapeOverlayDevice * self,
    const GstVideoInfo * info, GstBuffer * buffer, const CsArray * marks,
    GError ** error)
{
  const CsMarks all = {
    .marks = (const CsMark *) marks->data,
    .n = marks->len,
    .memory = CS_MEMORY_HOST,
  };
  gboolean ok;

  if (marks->failed)
    return cs_fail_no_memory (error, "the shapes of a frame");
  if (!push (self, error))
    return FALSE;
  ok = paint (self, info, buffer, &all, error);
  gst_cuda_context_pop (NULL);
  return ok;
}
