/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapetensordecmodel.h"

#include "base/error.h"

#define WANTED "wanted are, of one picture: YOLO-seg's [4 + classes + k, " \
    "candidates] (or [objects, 6 + k] end to end) and prototypes [k, h, w]; " \
    "RF-DETR-seg's boxes [q, 4], logits [q, classes] and masks [q, h, w]; " \
    "Mask R-CNN's boxes [n, 4], labels [n], scores [n] and masks " \
    "[n, 1, h, w]; or SAM's low-resolution masks [prompts, m, h, w] and IoU " \
    "[prompts, m]"

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
  /* integers are labels; boxes beside masks and logits are no YOLO's */
  if (dec_mask_rcnn_recognise (tensors))
    *model = DEC_MODEL_MASK_RCNN;
  else if (dec_rf_detr_recognise (tensors))
    *model = DEC_MODEL_RF_DETR;
  else if (dec_yolo_recognise (tensors, model))
    return TRUE;
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
  cs_array_empty (&result->scratch);
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
