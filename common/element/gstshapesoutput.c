/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapesoutput.h"

#include "gstshapesmessage.h"
#include "base/cuda_copy.h"
#include "cuda/gstshapescompat.h"

#ifdef HAVE_CUDA

static GstMemory *
first_memory (GstBuffer * buffer)
{
  return gst_buffer_n_memory (buffer) > 0 ? gst_buffer_peek_memory (buffer,
      0) : NULL;
}

/* Of a GPU that shares the host's memory: then nothing is copied. */
static gboolean
is_reached (GstMemory * memory)
{
  GstMapInfo map;

  if (!gst_memory_map (memory, &map, GST_MAP_READ))
    return TRUE;
  const gboolean reached = cs_cuda_reach (map.data) != NULL;
  gst_memory_unmap (memory, &map);
  return reached;
}

/* Whether @input lies in ordinary memory of the host, to which the GPU's copy
 * takes two to four times as long as to page-locked memory. What downstream has
 * allocated is of another type. */
static gboolean
is_slow (GstShapesTransform * transform, GstBuffer * input)
{
  GstMemory *memory = first_memory (input);

  return transform->context && memory &&
      gst_memory_is_type (memory, GST_ALLOCATOR_SYSMEM) && !is_reached (memory);
}

#else

static gboolean
is_slow (GstShapesTransform * transform, GstBuffer * input)
{
  return FALSE;
}

#endif

static GstBufferPool *
new_pool (GstShapesTransform * transform, GstCaps * caps, GstBuffer * input,
    GstStructure ** config)
{
  GstAllocator *pinned;
  GstBufferPool *pool;
#ifdef HAVE_GSTCUDA
  GstMemory *memory = first_memory (input);

  if (memory && gst_is_cuda_memory (memory) && gst_caps_features_contains
      (gst_caps_get_features (caps, 0), GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY)) {
    pool = gst_cuda_buffer_pool_new (GST_CUDA_MEMORY_CAST (memory)->context);
    *config = gst_buffer_pool_get_config (pool);
    gst_shapes_cuda_pool_add_stream (pool, *config);
    return pool;
  }
#endif
  pool = gst_video_buffer_pool_new ();
  *config = gst_buffer_pool_get_config (pool);
  pinned = gst_shapes_transform_get_pinned (transform);
  if (pinned)
    gst_buffer_pool_config_set_allocator (*config, pinned, NULL);
  gst_clear_object (&pinned);
  return pool;
}

static gboolean
ensure_pool (GstShapesOutput * self, GstShapesTransform * transform,
    const GstVideoInfo * info, GstBuffer * input)
{
  GstStructure *config;
  GstCaps *caps;

  if (self->pool)
    return TRUE;
  caps = gst_pad_get_current_caps (GST_BASE_TRANSFORM_SRC_PAD (transform));
  self->pool = new_pool (transform, caps, input, &config);
  gst_buffer_pool_config_set_params (config, caps, GST_VIDEO_INFO_SIZE (info),
      0, 0);
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_clear_caps (&caps);
  if (gst_buffer_pool_set_config (self->pool, config) &&
      gst_buffer_pool_set_active (self->pool, TRUE))
    return TRUE;
  gst_shapes_output_clear (self);
  GST_SHAPES_ERROR (transform, RESOURCE, SETTINGS,
      "There is no memory for output frames.");
  return FALSE;
}

static GstFlowReturn
acquire (GstShapesOutput * self, GstShapesTransform * transform,
    const GstVideoInfo * info, GstBuffer * input, GstBuffer ** output)
{
  GstFlowReturn flow;

  if (!ensure_pool (self, transform, info, input))
    return GST_FLOW_ERROR;
  flow = gst_buffer_pool_acquire_buffer (self->pool, output, NULL);
  if (flow != GST_FLOW_OK)
    return flow;
  if (gst_buffer_copy_into (*output, input, (GstBufferCopyFlags)
          (GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS |
              GST_BUFFER_COPY_META), 0, -1))
    return GST_FLOW_OK;
  gst_clear_buffer (output);
  return GST_FLOW_ERROR;
}

GstFlowReturn
gst_shapes_output_choose (GstShapesOutput * self,
    GstShapesTransform * transform, const GstVideoInfo * info,
    GstBuffer * input, gboolean in_place, GstBuffer ** output)
{
  GstFlowReturn flow = GST_FLOW_OK;

  *output = input;
  /* adopting the input's context closes the element, and clears the pool */
  if (!gst_shapes_transform_begin (transform, input))
    return GST_FLOW_ERROR;
  if (!in_place || is_slow (transform, input))
    flow = acquire (self, transform, info, input, output);
  gst_shapes_transform_end (transform);
  return flow;
}

GstFlowReturn
gst_shapes_output_prepare (GstShapesOutput * self,
    GstShapesTransform * transform, const GstVideoInfo * info,
    GstBuffer * input, GstBuffer ** output)
{
  GstBaseTransformClass *klass = GST_BASE_TRANSFORM_CLASS
      (g_type_class_peek (GST_TYPE_SHAPES_TRANSFORM));
  const GstFlowReturn flow = gst_shapes_output_choose (self, transform, info,
      input, TRUE, output);

  self->input = flow == GST_FLOW_OK && *output != input ? input : NULL;
  return flow == GST_FLOW_OK && !self->input ? klass->prepare_output_buffer
      (GST_BASE_TRANSFORM (transform), input, output) : flow;
}

void
gst_shapes_output_clear (GstShapesOutput * self)
{
  if (self->pool)
    gst_buffer_pool_set_active (self->pool, FALSE);
  gst_clear_object (&self->pool);
  self->input = NULL;
}
