/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstcudallfpool.h"

#include "cuda/gstshapescompat.h"
#include "cuda/gstshapescudacaps.h"

#ifdef HAVE_GSTCUDA
#include <gst/cuda/gstcudabufferpool.h>
#endif

static GstBufferPool *
new_pool (GstBuffer * input, gboolean cuda_caps)
{
#ifdef HAVE_GSTCUDA
  GstMemory *memory = gst_buffer_n_memory (input) > 0 ?
      gst_buffer_peek_memory (input, 0) : NULL;

  if (cuda_caps && memory && gst_is_cuda_memory (memory))
    return gst_cuda_buffer_pool_new (GST_CUDA_MEMORY_CAST (memory)->context);
#endif
  return gst_video_buffer_pool_new ();
}

void
gst_cuda_llf_clear_pool (GstBufferPool ** pool)
{
  if (*pool)
    gst_buffer_pool_set_active (*pool, FALSE);
  gst_clear_object (pool);
}

static gboolean
ensure_pool (GstBaseTransform * trans, GstBufferPool ** pool,
    const GstVideoInfo * info, gboolean cuda_caps, GstBuffer * input)
{
  GstStructure *config;
  GstCaps *caps;

  if (*pool)
    return TRUE;
  *pool = new_pool (input, cuda_caps);
  caps = gst_pad_get_current_caps (GST_BASE_TRANSFORM_SRC_PAD (trans));
  config = gst_buffer_pool_get_config (*pool);
  gst_buffer_pool_config_set_params (config, caps, GST_VIDEO_INFO_SIZE (info),
      0, 0);
  gst_buffer_pool_config_add_option (config,
      GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_shapes_cuda_pool_add_stream (*pool, config);
  gst_clear_caps (&caps);
  if (gst_buffer_pool_set_config (*pool, config) &&
      gst_buffer_pool_set_active (*pool, TRUE))
    return TRUE;
  gst_cuda_llf_clear_pool (pool);
  GST_ELEMENT_ERROR (trans, RESOURCE, SETTINGS,
      ("There is no memory for filtered frames."), (NULL));
  return FALSE;
}

GstFlowReturn
gst_cuda_llf_acquire_output (GstBaseTransform * trans, GstBufferPool ** pool,
    const GstVideoInfo * info, gboolean cuda_caps, GstBuffer * input,
    GstBuffer ** output)
{
  GstFlowReturn flow;

  if (!ensure_pool (trans, pool, info, cuda_caps, input))
    return GST_FLOW_ERROR;
  flow = gst_buffer_pool_acquire_buffer (*pool, output, NULL);
  if (flow != GST_FLOW_OK)
    return flow;
  if (gst_buffer_copy_into (*output, input, (GstBufferCopyFlags)
          (GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS |
              GST_BUFFER_COPY_META), 0, -1))
    return GST_FLOW_OK;
  gst_clear_buffer (output);
  return GST_FLOW_ERROR;
}

gboolean
gst_cuda_llf_get_picture (GstShapesFrame * frame, CsPicture * picture,
    GError ** error)
{
  const GstVideoFormat format = GST_VIDEO_INFO_FORMAT (frame->info);
  guint8 *first;

  if (!gst_shapes_frame_get_picture (frame, picture, error))
    return FALSE;
  if (picture->data[CS_PICTURE_ALPHA] || picture->pixel_stride[0] != 4)
    return TRUE;
  first = MIN ((guint8 *) picture->data[0], (guint8 *) picture->data[2]);
  picture->data[CS_PICTURE_ALPHA] = format == GST_VIDEO_FORMAT_xRGB ||
      format == GST_VIDEO_FORMAT_xBGR ? first - 1 : first + 3;
  picture->pixel_stride[CS_PICTURE_ALPHA] = picture->pixel_stride[0];
  picture->row_stride[CS_PICTURE_ALPHA] = picture->row_stride[0];
  return TRUE;
}
