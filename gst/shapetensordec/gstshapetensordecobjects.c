/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapetensordecmodel.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

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

static gint
compare_scores (gconstpointer a, gconstpointer b, gpointer objects)
{
  const guint32 i = *(const guint32 *) a, j = *(const guint32 *) b;
  const gfloat p = ((const DecObject *) objects)[i].score;
  const gfloat q = ((const DecObject *) objects)[j].score;

  return p > q ? -1 : p < q ? 1 : i < j ? -1 : i > j;
}

gboolean
dec_sort (CsArray * objects, gsize max, GError ** error)
{
  const gsize n = objects->len;
  const DecObject *all = (const DecObject *) (gpointer) objects->data;
  g_autofree guint32 *order = cs_try_new (guint32, n + 1);
  g_autofree DecObject *sorted = cs_try_new (DecObject, n + 1);

  if (objects->failed || !order || !sorted)
    return cs_fail_no_memory (error, "the objects of a frame");
  for (gsize i = 0; i < n; i++)
    order[i] = (guint32) i;
  g_qsort_with_data (order, (gint) n, sizeof (*order), compare_scores,
      (gpointer) all);
  for (gsize i = 0; i < n; i++)
    sorted[i] = all[order[i]];
  if (n > 0)
    memcpy (objects->data, sorted, n * sizeof (*sorted));
  objects->len = MIN (n, max);
  return TRUE;
}
