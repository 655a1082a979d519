/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapetensordecmodel.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

#define WANTED "wanted are, of one picture: YOLO-seg's [4 + classes + k, " \
    "candidates] (or [objects, 6 + k] end to end) and prototypes [k, h, w]; " \
    "RF-DETR-seg's boxes [q, 4], logits [q, classes] and masks [q, h, w]; " \
    "Mask R-CNN's boxes [n, 4], labels [n], scores [n] and masks " \
    "[n, 1, h, w]; or SAM's low-resolution masks [prompts, m, h, w] and IoU " \
    "[prompts, m]"

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

/* --- Order ---------------------------------------------------------------- */

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

/* --- Models --------------------------------------------------------------- */

static gboolean
fail_model (const DecTensors * tensors, const gchar * why, GError ** error)
{
  g_autofree gchar *seen = dec_tensors_describe (tensors);

  return cs_error (error, CS_ERROR_INVALID, "%s: %s; there are %s", why, WANTED,
      *seen ? seen : "no tensors");
}

static gboolean
choose_model (const DecTensors * tensors, DecModel * model, GError ** error)
{
  if (dec_yolo_recognise (tensors, model))
    return TRUE;
  /* integers are labels */
  if (dec_mask_rcnn_recognise (tensors))
    *model = DEC_MODEL_MASK_RCNN;
  else if (dec_rf_detr_recognise (tensors))
    *model = DEC_MODEL_RF_DETR;
  else if (dec_sam_recognise (tensors))
    *model = DEC_MODEL_SAM;
  else
    return fail_model (tensors, "the tensors are those of no network that is "
        "known", error);
  return TRUE;
}

static gboolean
has_tensors_of (const DecTensors * tensors, DecModel model)
{
  switch (model) {
    case DEC_MODEL_YOLO:
    case DEC_MODEL_YOLO_END2END:
      return dec_yolo_recognise (tensors, &model);
    case DEC_MODEL_RF_DETR:
      return dec_rf_detr_recognise (tensors);
    case DEC_MODEL_MASK_RCNN:
    case DEC_MODEL_MASK_RCNN_TORCHVISION:
      return dec_mask_rcnn_recognise (tensors);
    default:
      return dec_sam_recognise (tensors);
  }
}

static gboolean
decode (const DecTensors * tensors, const DecSettings * settings,
    DecResult * result, GError ** error)
{
  switch (settings->model) {
    case DEC_MODEL_YOLO:
    case DEC_MODEL_YOLO_END2END:
      return dec_yolo_decode (tensors, settings, result, error);
    case DEC_MODEL_RF_DETR:
      return dec_rf_detr_decode (tensors, settings, result, error);
    case DEC_MODEL_MASK_RCNN:
    case DEC_MODEL_MASK_RCNN_TORCHVISION:
      return dec_mask_rcnn_decode (tensors, settings, result, error);
    default:
      return dec_sam_decode (tensors, settings, result, error);
  }
}

gboolean
dec_decode (const DecTensors * tensors, const DecSettings * settings,
    DecResult * result, GError ** error)
{
  DecSettings known = *settings;

  cs_array_empty (&result->objects);
  cs_array_empty (&result->instances);
  cs_array_empty (&result->candidates);
  result->input = (CsInstancesInput) { {0}, };
  result->level = 0.;
  if (known.model == DEC_MODEL_AUTO ? !choose_model (tensors, &known.model,
          error) : !has_tensors_of (tensors, known.model) &&
      !fail_model (tensors, "the tensors are not those of the network that "
          "\"model\" names", error))
    return FALSE;
  if (!decode (tensors, &known, result, error))
    return FALSE;
  if (result->objects.failed || result->instances.failed)
    return cs_fail_no_memory (error, "the objects of a frame");
  result->input.instances = (const CsInstance *) (gpointer)
      result->instances.data;
  result->input.n_instances = result->instances.len;
  return TRUE;
}
