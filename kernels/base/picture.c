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

/* Rows of a picture's copy, and its planes, begin at multiples of this. */
#define ALIGNMENT 256

/* Bits of the components from @c on whose samples lie between those of @c; the
 * first byte of them all becomes @low, and the bytes of a row @row. */
static guint
find_plane (const CsPicture * picture, guint c, const guint8 ** low,
    gsize * row)
{
  const CsImage first = cs_picture_get_component (picture, c);
  guint members = 0, i;

  *low = first.data;
  *row = 0;
  for (i = c; i < CS_PICTURE_MAX_COMPONENTS; i++) {
    const CsImage other = cs_picture_get_component (picture, i);
    const guint8 *data = other.data;
    const gssize distance = data - (const guint8 *) first.data;

    if (!data || other.row_stride != first.row_stride ||
        ABS (distance) >= (gssize) MAX (first.pixel_stride, other.pixel_stride))
      continue;
    members |= 1u << i;
    *low = MIN (*low, data);
    *row = MAX (*row, other.width * other.pixel_stride);
  }
  *row = (*row + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  return members;
}

gsize
cs_picture_place (const CsPicture * picture, void *memory, CsPicture * copy)
{
  guint done = 0, c, i;
  gsize size = 0;

  if (memory)
    *copy = *picture;
  for (c = 0; c < CS_PICTURE_MAX_COMPONENTS; c++) {
    const CsImage image = cs_picture_get_component (picture, c);
    const guint8 *low;
    gsize row;

    if (!image.data || done >> c & 1)
      continue;
    const guint members = find_plane (picture, c, &low, &row);
    done |= members;
    for (i = c; memory && i < CS_PICTURE_MAX_COMPONENTS; i++) {
      if (!(members >> i & 1))
        continue;
      copy->data[i] = (guint8 *) memory + size +
          ((const guint8 *) picture->data[i] - low);
      copy->row_stride[i] = row;
    }
    size += row * image.height;
  }
  return size;
}
