/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * RF-DETR-seg as PostProcess of rfdetr 1.11 does it, Mask R-CNN as
 * _do_paste_mask() of Detectron2 or paste_masks_in_image() of torchvision, and
 * Segment Anything as Sam.postprocess_masks() of segment-anything 1.0.
 */
#include "gstshapetensordecmodel.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

static const DecTensor *
find_tensor (const DecTensors * tensors, guint rank, const gsize * wanted,
    gboolean is_float, const DecTensor * except)
{
  gsize dims[4];

  for (guint i = 0; i < tensors->n; i++) {
    const DecTensor *tensor = &tensors->tensors[i];
    gboolean fits = tensor != except && dec_tensor_get_dims (tensor, rank,
        dims) && (dec_tensor_is_float (tensor) || !is_float);

    for (guint k = 0; fits && k < rank; k++)
      fits = wanted[k] == G_MAXSIZE || dims[k] == wanted[k];
    if (fits)
      return tensor;
  }
  return NULL;
}

/* The tensor of masks: the one with the most dimensions, of which there are at
 * least three when it has more than one mask; @n of them. */
static const DecTensor *
find_masks (const DecTensors * tensors, guint rank, gsize * dims)
{
  const DecTensor *found = NULL;

  for (guint i = 0; i < tensors->n; i++) {
    const DecTensor *tensor = &tensors->tensors[i];

    if (dec_tensor_is_float (tensor) && tensor->n_dims >= 2 &&
        tensor->n_dims <= rank && (!found || tensor->n_dims > found->n_dims ||
            (tensor->n_dims == found->n_dims && tensor->size > found->size)))
      found = tensor;
  }
  return found && dec_tensor_get_dims (found, rank, dims) ? found : NULL;
}

/* --- RF-DETR -------------------------------------------------------------- */

#define DETR_SCORE .5

typedef struct
{
  const DecTensor *boxes, *logits, *masks;
  gsize n, n_classes, dims[3];
} Detr;

static gboolean
find_detr (const DecTensors * tensors, Detr * detr)
{
  detr->masks = find_masks (tensors, 3, detr->dims);
  if (!detr->masks || detr->dims[1] < 2 || detr->dims[2] < 2)
    return FALSE;
  detr->n = detr->dims[0];
  const gsize box[2] = { detr->n, 4 }, any[2] = { detr->n, G_MAXSIZE };

  detr->boxes = find_tensor (tensors, 2, box, TRUE, NULL);
  if (!detr->boxes)
    return FALSE;
  detr->logits = find_tensor (tensors, 2, any, TRUE, detr->boxes);
  if (!detr->logits || detr->logits == detr->masks)
    return FALSE;
  gsize dims[2];

  dec_tensor_get_dims (detr->logits, 2, dims);
  detr->n_classes = dims[1];
  return detr->n_classes >= 1;
}

gboolean
dec_rf_detr_recognise (const DecTensors * tensors)
{
  Detr detr;

  return find_detr (tensors, &detr);
}

static DecObject
detr_object (const Detr * detr, gsize i, const DecResult * result)
{
  const gfloat width = result->width, height = result->height;
  gfloat box[4];
  DecObject object = {.field = (guint32) i };

  for (guint k = 0; k < 4; k++)
    box[k] = (gfloat) dec_tensor_get (detr->boxes, 4 * i + k);
  box[2] = MAX (box[2], 0.f);
  box[3] = MAX (box[3], 0.f);
  object.x0 = dec_clip ((box[0] - .5f * box[2]) * width, width);
  object.y0 = dec_clip ((box[1] - .5f * box[3]) * height, height);
  object.x1 = dec_clip ((box[0] + .5f * box[2]) * width, width);
  object.y1 = dec_clip ((box[1] + .5f * box[3]) * height, height);
  return object;
}

/* Every likely class of every query is an object. */
static void
list_detr (const Detr * detr, gfloat score, DecResult * result)
{
  for (gsize i = 0; i < detr->n; i++) {
    DecObject object = detr_object (detr, i, result);

    for (gsize c = 0; c < detr->n_classes; c++) {
      object.score = (gfloat) (1. / (1. + exp (-dec_tensor_get (detr->logits,
                      i * detr->n_classes + c))));
      object.class_id = (gint32) c;
      if (object.score > score && dec_object_is_valid (&object))
        cs_array_append_val (&result->objects, object);
    }
  }
}

/* Fields cover the picture. */
static void
add_covering (DecResult * result, const DecObject * object, gsize width,
    gsize height)
{
  CsInstance one = {
    .field = object->field,
    .class_id = object->class_id,
    .x0 = -INFINITY,.y0 = -INFINITY,.x1 = INFINITY,.y1 = INFINITY,
    .step_x = (gdouble) result->width / width,
    .step_y = (gdouble) result->height / height,
  };

  one.origin_x = (one.step_x - 1.) / 2.;
  one.origin_y = (one.step_y - 1.) / 2.;
  cs_array_append_val (&result->instances, one);
}

gboolean
dec_rf_detr_decode (const DecTensors * tensors, const DecSettings * settings,
    DecResult * result, GError ** error)
{
  Detr detr;

  if (!find_detr (tensors, &detr) || !dec_check_fields (detr.dims[2],
          detr.dims[1], error) || !dec_need_size (result, 0, 0, error))
    return FALSE;
  result->input.fields = dec_tensor_get_planes (detr.masks, detr.dims);
  list_detr (&detr, (gfloat) dec_get_score (settings, DETR_SCORE), result);
  /* as many as queries, whatever the classes */
  if (!dec_sort (result, &result->objects, MIN (detr.n,
              settings->max_objects), error))
    return FALSE;
  for (gsize i = 0; i < result->objects.len; i++)
    add_covering (result, &cs_array_index (&result->objects, DecObject, i),
        detr.dims[2], detr.dims[1]);
  return TRUE;
}

/* --- Mask R-CNN ----------------------------------------------------------- */

#define RCNN_SCORE .5
#define RCNN_LEVEL .5

typedef struct
{
  const DecTensor *boxes, *labels, *scores, *masks;
  gsize n, dims[4];
} Rcnn;

static const DecTensor *
find_labels (const DecTensors * tensors, gsize n)
{
  gsize found;

  for (guint i = 0; i < tensors->n; i++)
    if (!dec_tensor_is_float (&tensors->tensors[i]) &&
        dec_tensor_get_dims (&tensors->tensors[i], 1, &found) && found == n)
      return &tensors->tensors[i];
  return NULL;
}

/* One class's masks, [n, 1, h, w], or without the dimension of 1; labels are
 * integers. */
static gboolean
find_rcnn (const DecTensors * tensors, Rcnn * rcnn)
{
  rcnn->masks = find_masks (tensors, 4, rcnn->dims);
  if (!rcnn->masks || rcnn->dims[2] < 1 || rcnn->dims[3] < 1)
    return FALSE;
  if (rcnn->dims[0] == 1) {
    rcnn->dims[0] = rcnn->dims[1];
    rcnn->dims[1] = 1;
  }
  rcnn->n = rcnn->dims[0];
  const gsize box[2] = { rcnn->n, 4 }, each[1] = { rcnn->n };

  rcnn->boxes = find_tensor (tensors, 2, box, TRUE, rcnn->masks);
  rcnn->scores = find_tensor (tensors, 1, each, TRUE, rcnn->boxes);
  rcnn->labels = find_labels (tensors, rcnn->n);
  return rcnn->boxes && rcnn->scores && rcnn->labels && rcnn->dims[1] == 1;
}

gboolean
dec_mask_rcnn_recognise (const DecTensors * tensors)
{
  Rcnn rcnn;

  return find_rcnn (tensors, &rcnn);
}

/* Detectron2: a sample is a part of the box. */
static void
place_sampled (CsInstance * one, const DecObject * object, gsize width,
    gsize height)
{
  one->step_x = (object->x1 - object->x0) / (gdouble) width;
  one->step_y = (object->y1 - object->y0) / (gdouble) height;
  one->origin_x = object->x0 + .5 * one->step_x - .5;
  one->origin_y = object->y0 + .5 * one->step_y - .5;
}

/* torchvision: the box, enlarged for a sample of 0 on each side, is rounded to
 * pixels, which the mask is resized to. */
static void
place_pasted_axis (gfloat begin, gfloat end, gsize size, gdouble * origin,
    gdouble * step)
{
  const gfloat scale = (gfloat) ((gdouble) (size + 2) / size);
  const gfloat half = (end - begin) * .5f * scale;
  const gfloat centre = (end + begin) * .5f;
  const gint64 first = (gint64) (centre - half);
  const gint64 last = (gint64) (centre + half);
  const gint64 n = MAX (last - first + 1, 1);

  *step = (gdouble) n / (size + 2);
  /* of the first sample that is not a border's */
  *origin = first + 1.5 * *step - .5;
}

static void
add_in_box (DecResult * result, const DecObject * object, const gsize * dims,
    gboolean pasted)
{
  CsInstance one = {
    .field = object->field,
    .class_id = object->class_id,
    .x0 = -INFINITY,.y0 = -INFINITY,.x1 = INFINITY,.y1 = INFINITY,
  };

  if (pasted) {
    place_pasted_axis (object->x0, object->x1, dims[3], &one.origin_x,
        &one.step_x);
    place_pasted_axis (object->y0, object->y1, dims[2], &one.origin_y,
        &one.step_y);
  } else {
    place_sampled (&one, object, dims[3], dims[2]);
  }
  cs_array_append_val (&result->instances, one);
}

/* From pixels of the network's input, which is the picture or is scaled to
 * it. */
static void
list_rcnn (const Rcnn * rcnn, gfloat score, DecResult * result)
{
  const gfloat width = result->width, height = result->height;
  const gfloat sx = result->input_width > 0 ? width / result->input_width : 1.f;
  const gfloat sy = result->input_height > 0 ? height / result->input_height :
      1.f;

  for (gsize i = 0; i < rcnn->n; i++) {
    const gdouble label = dec_tensor_get (rcnn->labels, i);
    const DecObject object = {
      dec_clip ((gfloat) dec_tensor_get (rcnn->boxes, 4 * i) * sx, width),
      dec_clip ((gfloat) dec_tensor_get (rcnn->boxes, 4 * i + 1) * sy, height),
      dec_clip ((gfloat) dec_tensor_get (rcnn->boxes, 4 * i + 2) * sx, width),
      dec_clip ((gfloat) dec_tensor_get (rcnn->boxes, 4 * i + 3) * sy, height),
      (gfloat) dec_tensor_get (rcnn->scores, i),
      label >= 0 && label < G_MAXINT16 ? (gint32) label : 0, (guint32) i
    };

    if (object.score > score && dec_object_is_valid (&object) &&
        object.x1 > object.x0 && object.y1 > object.y0)
      cs_array_append_val (&result->objects, object);
  }
}

gboolean
dec_mask_rcnn_decode (const DecTensors * tensors, const DecSettings * settings,
    DecResult * result, GError ** error)
{
  const gboolean pasted = settings->model == DEC_MODEL_MASK_RCNN_TORCHVISION;
  Rcnn rcnn;

  if (!find_rcnn (tensors, &rcnn) || !dec_check_fields (rcnn.dims[3],
          rcnn.dims[2], error) || !dec_need_size (result,
          result->input_width, result->input_height, error))
    return FALSE;
  const gsize planes[3] = { rcnn.n, rcnn.dims[2], rcnn.dims[3] };

  result->level = RCNN_LEVEL;
  result->input.outside = CS_INSTANCES_ZEROS;
  result->input.fields = dec_tensor_get_planes (rcnn.masks, planes);
  list_rcnn (&rcnn, (gfloat) dec_get_score (settings, RCNN_SCORE), result);
  if (!dec_sort (result, &result->objects, settings->max_objects, error))
    return FALSE;
  for (gsize i = 0; i < result->objects.len; i++)
    add_in_box (result, &cs_array_index (&result->objects, DecObject, i),
        rcnn.dims, pasted);
  return TRUE;
}

/* --- Segment Anything ----------------------------------------------------- */

/* The side of the network's input to that of its masks. */
#define SAM_STEP 4

typedef struct
{
  const DecTensor *masks, *iou;
  gsize dims[4];
} Sam;

/* The predicted IoU of @n masks, @m of each prompt. */
static const DecTensor *
find_iou (const DecTensors * tensors, const DecTensor * masks, gsize n, gsize m)
{
  const gsize wanted[2] = { n / m, m };

  return find_tensor (tensors, 2, wanted, TRUE, masks);
}

/* The smallest square masks: there are also those of the picture's size. */
static gboolean
find_sam (const DecTensors * tensors, Sam * sam)
{
  gsize dims[4];

  sam->masks = NULL;
  for (guint i = 0; i < tensors->n; i++) {
    const DecTensor *tensor = &tensors->tensors[i];

    if (!dec_tensor_is_float (tensor) || tensor->n_dims < 2 ||
        !dec_tensor_get_dims (tensor, 4, dims) || dims[2] != dims[3] ||
        dims[2] < 2 || dims[0] < 1 || dims[1] < 1 ||
        (sam->masks && tensor->size >= sam->masks->size) ||
        !find_iou (tensors, tensor, dims[0] * dims[1], dims[1]))
      continue;
    sam->masks = tensor;
    sam->iou = find_iou (tensors, tensor, dims[0] * dims[1], dims[1]);
    memcpy (sam->dims, dims, sizeof (dims));
  }
  return sam->masks != NULL;
}

gboolean
dec_sam_recognise (const DecTensors * tensors)
{
  Sam sam;

  return find_sam (tensors, &sam);
}

/* Of each prompt's masks the one with the greatest predicted IoU. */
static void
list_sam (const Sam * sam, gfloat score, DecResult * result)
{
  const gsize m = sam->dims[1];

  for (gsize prompt = 0; prompt < sam->dims[0]; prompt++) {
    DecObject best = {.x1 = result->width,.y1 = result->height,.score =
          -INFINITY };

    for (gsize k = 0; k < m; k++) {
      const gfloat iou = (gfloat) dec_tensor_get (sam->iou, prompt * m + k);

      if (iou > best.score) {
        best.score = iou;
        best.field = (guint32) (prompt * m + k);
      }
    }
    if (best.score > score && isfinite (best.score))
      cs_array_append_val (&result->objects, best);
  }
}

gboolean
dec_sam_decode (const DecTensors * tensors, const DecSettings * settings,
    DecResult * result, GError ** error)
{
  CsInstancesInput *input = &result->input;
  Sam sam;

  if (!find_sam (tensors, &sam) || !dec_check_fields (SAM_STEP * sam.dims[3],
          SAM_STEP * sam.dims[2], error) || !dec_need_size (result,
          SAM_STEP * sam.dims[3], SAM_STEP * sam.dims[2], error))
    return FALSE;
  const gsize planes[3] = { sam.dims[0] * sam.dims[1], sam.dims[2],
    sam.dims[3]
  };
  guint width = (guint) sam.dims[3], height = (guint) sam.dims[2];

  input->fields = dec_tensor_get_planes (sam.masks, planes);
  list_sam (&sam, (gfloat) dec_get_score (settings, 0.), result);
  if (!dec_sort (result, &result->objects, settings->max_objects, error))
    return FALSE;
  if (settings->model != DEC_MODEL_SAM2 && !settings->stretched) {
    /* enlarged to the network's input, in whose upper left the picture is */
    const guint side = SAM_STEP * width;
    const gdouble scale = (gdouble) side / MAX (result->width, result->height);

    input->resized_width = input->resized_height = side;
    width = input->grid_width = MAX ((guint) (result->width * scale + .5), 1);
    height = input->grid_height = MAX ((guint) (result->height * scale + .5),
        1);
  }
  for (gsize i = 0; i < result->objects.len; i++)
    add_covering (result, &cs_array_index (&result->objects, DecObject, i),
        width, height);
  return TRUE;
}
