/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapetensordecmodel.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"

CsImage
dec_tensor_get_planes (const DecTensor * tensor, const gsize dims[3])
{
  const CsSampleType type = tensor->type == DEC_TYPE_F16 ? CS_SAMPLE_F16 :
      CS_SAMPLE_F32;
  const gsize size = cs_sample_size (type);
  CsImage image = cs_image_gray (tensor->data, type, (guint) dims[2],
      (guint) dims[1], dims[2] * size);

  image.channels = (guint) dims[0];
  image.channel_stride = dims[1] * dims[2] * size;
  return image;
}

gfloat
dec_clip (gfloat x, gfloat size)
{
  return CLAMP (x, 0.f, size);
}

gboolean
dec_need_size (DecResult * result, gsize width, gsize height, GError ** error)
{
  if (result->width == 0 || result->height == 0) {
    result->width = (guint) width;
    result->height = (guint) height;
  }
  result->input.width = result->width;
  result->input.height = result->height;
  return result->width > 0 || cs_error (error, CS_ERROR_INVALID, "the tensors "
      "do not tell how large the picture is: set width and height");
}

gboolean
dec_check_fields (gsize width, gsize height, GError ** error)
{
  return (width <= CS_INSTANCES_MAX_SIDE && height <= CS_INSTANCES_MAX_SIDE) ||
      cs_error (error, CS_ERROR_LIMIT, "masks of %" G_GSIZE_FORMAT " x %"
      G_GSIZE_FORMAT " samples: a side must be %u at most", width, height,
      CS_INSTANCES_MAX_SIDE);
}

gdouble
dec_get_score (const DecSettings * settings, gdouble usual)
{
  return settings->score < 0 ? usual : settings->score;
}

gboolean
dec_object_is_valid (const DecObject * object)
{
  return isfinite (object->x0) && isfinite (object->y0) &&
      isfinite (object->x1) && isfinite (object->y1) &&
      isfinite (object->score);
}

/* Bits of numbers that are not negative are in their order. */
static guint32
get_key (gfloat score)
{
  guint32 bits;

  score = MAX (score, 0.f);
  memcpy (&bits, &score, sizeof (bits));
  return ~bits;
}

gboolean
dec_sort (DecResult * result, CsArray * objects, gsize max, GError ** error)
{
  const gsize n = objects->len;
  const DecObject *all = (const DecObject *) (gpointer) objects->data;

  if (n > G_MAXINT32)
    return cs_error (error, CS_ERROR_LIMIT, "%" G_GSIZE_FORMAT " objects are "
        "too many", n);
  if (objects->failed || !cs_array_set_size (&result->scratch, n * (sizeof
              (DecObject) + 2 * sizeof (CsSortItem32))))
    return cs_fail_no_memory (error, "the objects of a frame");
  if (n == 0)
    return TRUE;

  CsSortItem32 *items = (CsSortItem32 *) (gpointer) result->scratch.data;
  DecObject *sorted = (DecObject *) (items + 2 * n);

  for (gsize i = 0; i < n; i++)
    items[i] = (CsSortItem32) { get_key (all[i].score), (guint32) i };
  items = cs_sort32 (items, items + n, n);
  for (gsize i = 0; i < n; i++)
    sorted[i] = all[items[i].value];
  memcpy (objects->data, sorted, n * sizeof (*sorted));
  objects->len = MIN (n, max);
  return TRUE;
}
