/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "image.h"

gsize
cs_sample_size (CsSampleType type)
{
  switch (type) {
    case CS_SAMPLE_U8:
      return 1;
    case CS_SAMPLE_U16:
    case CS_SAMPLE_F16:
      return 2;
    case CS_SAMPLE_F32:
      return 4;
    case CS_SAMPLE_F64:
      return 8;
  }
  g_return_val_if_reached (1);
}

CsImage
cs_image_gray (const void *data, CsSampleType type, guint width, guint height,
    gsize row_stride)
{
  CsImage image = {
    .data = data,
    .type = type,
    .memory = CS_MEMORY_HOST,
    .width = width,
    .height = height,
    .channels = 1,
    .pixel_stride = cs_sample_size (type),
    .row_stride = row_stride,
    .channel_stride = cs_sample_size (type),
  };

  return image;
}
