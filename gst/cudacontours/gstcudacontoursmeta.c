/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstcudacontoursprivate.h"
#include "element/gstshapesmessage.h"

static void
warn_of_nothing (GstCudaContours * self)
{
  const gboolean masks = self->current.source == CONTOURS_SOURCE_SEGMENTATION;

  if (self->warned_about_meta)
    return;
  self->warned_about_meta = TRUE;
  GST_SHAPES_WARNING (self, STREAM, FORMAT, ("A frame carries no %s, which "
          "source=%s looks at: it has no contours. Is there an element "
          "upstream that attaches them, and nothing in between that drops "
          "them?", masks ? "masks (GstAnalyticsSegmentationMtd)" :
          "tensors (GstTensorMeta)", masks ? "segmentation" : "tensor-meta"),
      (NULL));
}

/* A tensor of another form than the last one's needs other targets. */
static gboolean
find_tensor (GstCudaContours * self, GstBuffer * buffer,
    ContoursContent * content, GError ** error)
{
  GstShapesMetaTensor tensor;

  if (!gst_shapes_meta_tensor_find (&tensor, buffer, self->current.tensor_id,
          self->current.layout, error))
    return FALSE;
  content->changed = !self->is_tensor ||
      !gst_shapes_tensor_info_equal (&tensor.info, &self->tensor);
  content->samples = tensor.data;
  content->tensor = tensor;
  self->is_tensor = TRUE;
  self->tensor = tensor.info;
  self->width = tensor.info.width;
  self->height = tensor.info.height;
  self->pixel_area = ((gdouble) self->frame_width * self->frame_height) /
      ((gdouble) self->width * self->height);
  return TRUE;
}

gboolean
contours_find_content (GstCudaContours * self, GstBuffer * buffer,
    ContoursContent * content, GError ** error)
{
  memset (content, 0, sizeof (*content));
  content->samples = buffer;
  if (self->current.source == CONTOURS_SOURCE_BUFFER)
    return TRUE;
  content->samples = NULL;
  if (!buffer || GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP))
    return TRUE;
  if (self->current.source == CONTOURS_SOURCE_SEGMENTATION) {
    if (contours_has_masks (buffer))
      content->samples = buffer;
  } else if (gst_shapes_buffer_has_tensors (buffer)) {
    return find_tensor (self, buffer, content, error);
  }
  if (!content->samples)
    warn_of_nothing (self);
  return TRUE;
}

/* Inference elements leave video caps as they are and attach their output,
 * since GStreamer 1.26: contours of the picture are hardly what is wanted. */
void
contours_warn_about_tensors (GstCudaContours * self, GstBuffer * buffer)
{
  if (self->warned_about_meta || !gst_shapes_buffer_has_tensors (buffer))
    return;
  self->warned_about_meta = TRUE;
  GST_SHAPES_WARNING (self, STREAM, FORMAT, ("The frames carry tensors "
          "(GstTensorMeta), but source=buffer finds the contours of the "
          "picture. Set source=tensor-meta to find those of a tensor."),
      (NULL));
}

gboolean
contours_add_to_frame (GstCudaContours * self, GstBuffer * buffer,
    GstShapeSet * set, GError ** error)
{
  GstShapeSet *scaled = gst_shape_set_rescale (set, self->frame_width,
      self->frame_height, error);

  if (!scaled)
    return FALSE;
  gst_buffer_add_shape_meta (buffer, scaled);
  gst_shape_set_unref (scaled);
  return TRUE;
}
