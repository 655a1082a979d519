/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "picture.h"

guint
cs_picture_get_n_components (const CsPicture * picture)
{
  return picture->model == CS_PICTURE_GRAY ? 1 : 3;
}

CsImage
cs_picture_get_component (const CsPicture * picture, guint c)
{
  const gboolean is_chroma = picture->model == CS_PICTURE_YUV &&
      (c == 1 || c == 2);
  const guint sub_x = is_chroma ? picture->sub_x : 0;
  const guint sub_y = is_chroma ? picture->sub_y : 0;

  return (CsImage) {
    .data = picture->data[c],
    .type = picture->type,
    .memory = picture->memory,
    .width = (picture->width + sub_x) >> sub_x,
    .height = (picture->height + sub_y) >> sub_y,
    .channels = 1,
    .pixel_stride = picture->pixel_stride[c],
    .row_stride = picture->row_stride[c],
    .channel_stride = cs_sample_size (picture->type),
  };
}
