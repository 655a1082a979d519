/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstcudallfpicture.h"

gboolean
llf_get_picture (GstShapesFrame * frame, CsPicture * picture, GError ** error)
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
