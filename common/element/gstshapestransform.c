/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapestransform.h"

#include <gst/video/video.h>

#include "gstshapescompute.h"
#include "gstshapesdrops.h"
#include "gstshapesframe.h"
#include "gstshapesnegotiation.h"

GST_DEBUG_CATEGORY_STATIC (gst_shapes_transform_debug);
#define GST_CAT_DEFAULT gst_shapes_transform_debug

struct _GstShapesTransformPrivate
{
  GstShapesCompute compute;
  GstShapesDrops drops;

  /* streaming thread */
  GstAllocator *pinned;
  gboolean downstream_reads_device;
  /* any thread */
  gint asked_downstream;
};

#define gst_shapes_transform_parent_class parent_class
G_DEFINE_ABSTRACT_TYPE_WITH_CODE (GstShapesTransform, gst_shapes_transform,
    GST_TYPE_BASE_TRANSFORM, G_ADD_PRIVATE (GstShapesTransform);
    G_IMPLEMENT_INTERFACE (GST_TYPE_PRESET, NULL);
    GST_DEBUG_CATEGORY_INIT (gst_shapes_transform_debug, "shapestransform", 0,
        "base class of elements that compute on the GPU or the CPU"));

/* Backends */

/* An ALLOCATION query may arrive while the element stops: gst_pad_query() does
 * not look whether the pad is flushing. What the answer depends on has a lock
 * therefore.
 *
 * @pinned: (transfer full) (nullable) */
static void
set_pinned (GstShapesTransform * self, GstAllocator * pinned)
{
  GST_OBJECT_LOCK (self);
  GstAllocator *old = self->priv->pinned;
  self->priv->pinned = pinned;
  GST_OBJECT_UNLOCK (self);
  gst_clear_object (&old);
}

GstAllocator *
gst_shapes_transform_get_pinned (GstShapesTransform * self)
{
  GstAllocator *pinned;

  GST_OBJECT_LOCK (self);
  pinned = self->priv->pinned ? gst_object_ref (self->priv->pinned) : NULL;
  GST_OBJECT_UNLOCK (self);
  return pinned;
}

gboolean
gst_shapes_transform_has_gpu (GstShapesTransform * self)
{
  GST_OBJECT_LOCK (self);
  gboolean has_gpu = self->priv->compute.active == GST_SHAPES_BACKEND_CUDA;
  GST_OBJECT_UNLOCK (self);
  return has_gpu;
}

static gboolean
open_subclass (GstElement * element, GError ** error)
{
  GstShapesTransform *self = GST_SHAPES_TRANSFORM_CAST (element);
  GstShapesTransformClass *klass = GST_SHAPES_TRANSFORM_GET_CLASS (self);
  GstShapesTransformPrivate *priv = self->priv;

  self->executor = priv->compute.executor;
  self->slabs = priv->compute.slabs;
  self->context = priv->compute.context;
  self->stream = priv->compute.stream;
  self->host_executor = priv->compute.host_executor;
  if (self->context)
    set_pinned (self, gst_shapes_slab_pool_new_pinned_allocator (self->slabs));
  return !klass->open || klass->open (self, error);
}

static void
close_subclass (GstElement * element)
{
  GstShapesTransform *self = GST_SHAPES_TRANSFORM_CAST (element);
  GstShapesTransformClass *klass = GST_SHAPES_TRANSFORM_GET_CLASS (self);

  if (klass->close)
    klass->close (self);
  set_pinned (self, NULL);
  self->executor = NULL;
  self->slabs = NULL;
  self->context = NULL;
  self->stream = NULL;
  self->host_executor = NULL;
}

static const GstShapesComputeFuncs compute_funcs = { open_subclass,
  close_subclass
};

static gboolean
gst_shapes_transform_start (GstBaseTransform * trans)
{
  GstShapesTransformPrivate *priv = GST_SHAPES_TRANSFORM_CAST (trans)->priv;

  g_atomic_int_set (&priv->asked_downstream, FALSE);
  return gst_shapes_compute_start (&priv->compute);
}

static gboolean
gst_shapes_transform_stop (GstBaseTransform * trans)
{
  GstShapesTransformPrivate *priv = GST_SHAPES_TRANSFORM_CAST (trans)->priv;

  gst_shapes_compute_stop (&priv->compute);
  gst_shapes_drops_reset (&priv->drops);
  return TRUE;
}

/* Context sharing */

static void
gst_shapes_transform_set_context (GstElement * element, GstContext * context)
{
  gst_shapes_compute_set_context (&GST_SHAPES_TRANSFORM_CAST (element)->
      priv->compute, context);
  GST_ELEMENT_CLASS (parent_class)->set_context (element, context);
}

static gboolean
gst_shapes_transform_query (GstBaseTransform * trans, GstPadDirection direction,
    GstQuery * query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_CONTEXT &&
      gst_shapes_compute_query_context (&GST_SHAPES_TRANSFORM_CAST (trans)->
          priv->compute, query))
    return TRUE;
  return GST_BASE_TRANSFORM_CLASS (parent_class)->query (trans, direction,
      query);
}

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

static GstFlowReturn
gst_shapes_transform_generate_output (GstBaseTransform * trans,
    GstBuffer ** output)
{
  if (!GST_SHAPES_TRANSFORM_GET_CLASS (trans)->passes_gaps ||
      !trans->queued_buf || !gst_shapes_is_empty_gap (trans->queued_buf))
    return GST_BASE_TRANSFORM_CLASS (parent_class)->generate_output (trans,
        output);
  *output = g_steal_pointer (&trans->queued_buf);
  return GST_FLOW_OK;
}

gboolean
gst_shapes_transform_begin (GstShapesTransform * self, GstBuffer * buffer)
{
  return gst_shapes_compute_adopt (&self->priv->compute, buffer) &&
      gst_shapes_compute_begin (&self->priv->compute);
}

void
gst_shapes_transform_end (GstShapesTransform * self)
{
  gst_shapes_compute_end (&self->priv->compute);
}

/* Allocation */

static gboolean
is_system_memory (GstQuery * query)
{
  GstCaps *caps = NULL;

  gst_query_parse_allocation (query, &caps, NULL);
  if (!caps || gst_caps_get_size (caps) == 0)
    return FALSE;
  GstCapsFeatures *features = gst_caps_get_features (caps, 0);
  return !features || gst_caps_features_is_equal (features,
      GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY);
}

/* Page-locked memory is listed first, since upstream takes the first, unless
 * downstream has an allocator of its own. */
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
 * @decide_query is %NULL, and the parent class has asked; unless the subclass
 * offers it. */
static gboolean
gst_shapes_transform_propose_allocation (GstBaseTransform * trans,
    GstQuery * decide_query, GstQuery * query)
{
  GstShapesTransform *self = GST_SHAPES_TRANSFORM_CAST (trans);
  GstAllocator *pinned = gst_shapes_transform_get_pinned (self);

  if (!GST_BASE_TRANSFORM_CLASS (parent_class)->propose_allocation (trans,
          decide_query, query))
    GST_DEBUG_OBJECT (self, "downstream has no wishes");
  gst_shapes_propose_meta (query, GST_SHAPE_META_API_TYPE);
  if (GST_SHAPES_TRANSFORM_GET_CLASS (self)->offers_video_meta)
    gst_shapes_propose_meta (query, GST_VIDEO_META_API_TYPE);
  if (pinned && is_system_memory (query))
    propose_pinned (query, pinned);
  gst_clear_object (&pinned);
  return TRUE;
}

static gboolean
query_downstream (GstShapesTransform * self)
{
  GstPad *pad = GST_BASE_TRANSFORM_SRC_PAD (self);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  const GstStructure *params = NULL;
  gboolean reads = FALSE;
  guint index;

  if (!caps)
    return FALSE;
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, FALSE);
  if (gst_pad_peer_query (pad, query) &&
      gst_query_find_allocation_meta (query, GST_SHAPE_META_API_TYPE, &index)) {
    gst_query_parse_nth_allocation_meta (query, index, &params);
    if (params)
      gst_structure_get_boolean (params, "device-capable", &reads);
  }
  return reads;
}

gboolean
gst_shapes_transform_downstream_reads_device (GstShapesTransform * self)
{
  GstShapesTransformPrivate *priv = self->priv;

  if (!self->context)
    return FALSE;
  if (g_atomic_int_compare_and_exchange (&priv->asked_downstream, FALSE, TRUE))
    priv->downstream_reads_device = query_downstream (self);
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

GstFlowReturn
gst_shapes_transform_fail_buffer (GstShapesTransform * self,
    const gchar * what, GstBuffer * buffer, const GError * error)
{
  if (gst_shapes_drops_take (&self->priv->drops, buffer,
          &GST_BASE_TRANSFORM (self)->segment, error))
    return GST_BASE_TRANSFORM_FLOW_DROPPED;
  gst_shapes_transform_post_error (self, what, error);
  return GST_FLOW_ERROR;
}

GstFlowReturn
gst_shapes_transform_run (GstShapesTransform * self, const gchar * what,
    GstBuffer * buffer, GstShapesTransformFunc func)
{
  GstFlowReturn flow = GST_FLOW_OK;
  GError *error = NULL;

  if (!gst_shapes_transform_begin (self, buffer))
    return GST_FLOW_ERROR;
  if (!func (self, buffer, &error)) {
    flow = gst_shapes_transform_fail_buffer (self, what, buffer, error);
    g_clear_error (&error);
  }
  gst_shapes_transform_end (self);
  return flow;
}

void
gst_shapes_transform_post_error (GstShapesTransform * self, const gchar * what,
    const GError * error)
{
  gst_shapes_compute_post_error (GST_ELEMENT_CAST (self), what, error);
}

/* Object */

static void
gst_shapes_transform_init (GstShapesTransform * self)
{
  GstShapesTransformPrivate *priv =
      gst_shapes_transform_get_instance_private (self);

  self->priv = priv;
  gst_shapes_compute_init (&priv->compute, GST_ELEMENT_CAST (self),
      &compute_funcs);
  gst_shapes_drops_init (&priv->drops, GST_ELEMENT_CAST (self));
}

static void
gst_shapes_transform_finalize (GObject * object)
{
  gst_shapes_compute_finalize (&GST_SHAPES_TRANSFORM_CAST (object)->
      priv->compute);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_shapes_transform_class_init (GstShapesTransformClass * klass)
{
  const gint priv = g_type_class_get_instance_private_offset (klass);
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  object_class->finalize = gst_shapes_transform_finalize;
  gst_shapes_properties_bind (&gst_shapes_compute_properties, object_class,
      priv + G_STRUCT_OFFSET (GstShapesTransformPrivate, compute), NULL);
  gst_shapes_properties_bind (&gst_shapes_drops_properties, object_class,
      priv + G_STRUCT_OFFSET (GstShapesTransformPrivate, drops), NULL);

  GST_ELEMENT_CLASS (klass)->set_context = gst_shapes_transform_set_context;
  trans_class->query = gst_shapes_transform_query;
  trans_class->start = gst_shapes_transform_start;
  trans_class->stop = gst_shapes_transform_stop;
  trans_class->set_caps = gst_shapes_transform_set_caps;
  trans_class->src_event = gst_shapes_transform_src_event;
  trans_class->before_transform = gst_shapes_transform_before_transform;
  trans_class->generate_output = gst_shapes_transform_generate_output;
  trans_class->propose_allocation = gst_shapes_transform_propose_allocation;

  gst_type_mark_as_plugin_api (GST_TYPE_SHAPES_TRANSFORM, 0);
}
