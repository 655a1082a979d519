/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What instance networks put out, and how their own packages make masks of it:
 *
 *   gstshapetensordec.c --> gstshapetensordecmodel.c
 *                                    |
 *                                    +--> gstshapetensordecyolo.c ---+
 *                                    +--> gstshapetensordecother.c --+
 *                                                                    |
 *                                         gstshapetensordecobjects.c <
 */

#include "base/array.h"
#include "gstshapetensordectensors.h"
#include "instances/instances.h"

/**
 * DecModel:
 * @DEC_MODEL_AUTO: by names and dimensions
 * @DEC_MODEL_YOLO: YOLOv8-seg, YOLO11-seg of ultralytics: [4 + classes + k,
 *     candidates] and k prototypes, [k, h, w]
 * @DEC_MODEL_YOLO_END2END: YOLO26-seg, or exports with nms=True: [objects,
 *     6 + k] and prototypes
 * @DEC_MODEL_RF_DETR: boxes [q, 4], logits of classes [q, c], of masks
 *     [q, h, w]
 * @DEC_MODEL_MASK_RCNN: boxes [n, 4], labels [n], scores [n], masks [n, 1, h,
 *     w], placed as Detectron2 does
 * @DEC_MODEL_MASK_RCNN_TORCHVISION: the same, placed as torchvision does
 * @DEC_MODEL_SAM: low-resolution masks [prompts, m, 256, 256] and predicted IoU
 *     [prompts, m]
 * @DEC_MODEL_SAM2: the same of SAM 2, whose input is stretched
 */
typedef enum
{
  DEC_MODEL_AUTO,
  DEC_MODEL_YOLO,
  DEC_MODEL_YOLO_END2END,
  DEC_MODEL_RF_DETR,
  DEC_MODEL_MASK_RCNN,
  DEC_MODEL_MASK_RCNN_TORCHVISION,
  DEC_MODEL_SAM,
  DEC_MODEL_SAM2,
} DecModel;

/**
 * DecSettings:
 * @score: what the score of an object exceeds; negative: as usual with the
 *     network
 * @iou: YOLO only: of two objects of a class whose boxes overlap more, the one
 *     with the lower score is left out
 * @agnostic: not only of a class
 * @max_objects: of a frame, those of the highest scores
 * @stretched: the network's input is the picture stretched, without borders
 */
typedef struct
{
  DecModel model;
  gdouble score, iou;
  gboolean agnostic;
  guint max_objects;
  gboolean stretched;
} DecSettings;

/**
 * DecObject:
 * @x0, @y0, @x1, @y1: the box in the picture, of corners: pixel 0 is from 0 to
 *     1
 * @score: 0 to 1
 * @class_id: from 0 on
 * @field: of the tensors' fields, or the row of coefficients
 */
typedef struct
{
  gfloat x0, y0, x1, y1;
  gfloat score;
  gint32 class_id;
  guint32 field;
} DecObject;

/**
 * DecResult:
 * @width, @height: the picture's, set by the caller; 0: the network's input's
 * @input_width, @input_height: the network's input, set by the caller; 0: the
 *     picture's. Others than Mask R-CNN tell it
 * @objects: of #DecObject, by descending score
 * @candidates: what they are chosen of
 * @scratch: of bytes, to sort them
 * @instances: of #CsInstance, one for each
 * @input: for cs_instances_run(), but for its instances
 * @level: of the fields
 *
 * What is found in a frame. Fields and coefficients are in the tensors' memory.
 */
typedef struct
{
  guint width, height, input_width, input_height;
  CsArray objects, instances;
  CsArray candidates, scratch;
  CsInstancesInput input;
  CsImage coefficients;
  gdouble level;
} DecResult;

/* Finds the objects in @tensors. Fails with CS_ERROR_INVALID, which lists what
 * is wanted and what there is, or CS_ERROR_NO_MEMORY. */
gboolean dec_decode (const DecTensors * tensors, const DecSettings * settings,
    DecResult * result, GError ** error);

/* --- Of the networks ------------------------------------------------------ */

/* Whether there are the tensors of a YOLO of the kind @model, or with
 * DEC_MODEL_AUTO of one that it is set to. */
gboolean dec_yolo_recognise (const DecTensors * tensors, DecModel * model);
gboolean dec_yolo_decode (const DecTensors * tensors,
    const DecSettings * settings, DecResult * result, GError ** error);

gboolean dec_rf_detr_recognise (const DecTensors * tensors);
gboolean dec_rf_detr_decode (const DecTensors * tensors,
    const DecSettings * settings, DecResult * result, GError ** error);

gboolean dec_mask_rcnn_recognise (const DecTensors * tensors);
gboolean dec_mask_rcnn_decode (const DecTensors * tensors,
    const DecSettings * settings, DecResult * result, GError ** error);

gboolean dec_sam_recognise (const DecTensors * tensors);
gboolean dec_sam_decode (const DecTensors * tensors,
    const DecSettings * settings, DecResult * result, GError ** error);

/* --- For them: gstshapetensordecobjects.c --------------------------------- */

/* Fields, or prototypes: @dims are those of planes, rows and columns. */
CsImage dec_tensor_get_planes (const DecTensor * tensor, const gsize dims[3]);

/* The picture's size, if nobody has set it: @width x @height, unless these are
 * 0. */
gboolean dec_need_size (DecResult * result, gsize width, gsize height,
    GError ** error);

/* @objects of @result, of scores that are not negative, sorted by descending
 * score, equal ones in the order that they are in; at most @max. */
gboolean dec_sort (DecResult * result, CsArray * objects, gsize max,
    GError ** error);

/* That a side of fields, @width x @height, is not larger than can be. */
gboolean dec_check_fields (gsize width, gsize height, GError ** error);

/* Whether the box of @object is one: finite, and what is none has no area. */
gboolean dec_object_is_valid (const DecObject * object);

/* The score that objects exceed. */
gdouble dec_get_score (const DecSettings * settings, gdouble usual);

/* x * scale + offset, or what is next to it in [0, size]. */
gfloat dec_clip (gfloat x, gfloat size);
