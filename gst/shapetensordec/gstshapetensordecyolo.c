/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * YOLO-seg, as ultralytics 8.4 does it: non_max_suppression() of utils/nms.py,
 * scale_boxes() and process_mask_native() of utils/ops.py.
 */
#include "gstshapetensordecmodel.h"

#include <math.h>

/* Pixels of the network's input to a prototype's sample. */
#define STEP 4

/* What separates boxes of different classes, in pixels. */
#define CLASS_OFFSET 7680.f

#define USUAL_SCORE .25

/* Candidates whose best scores are found at once */
#define CHUNK 1024
#define GROUP 16

/* The package looks at so many candidates, the likeliest. */
#define MAX_CANDIDATES 30000

/**
 * Yolo:
 * @objects: the tensor with boxes, scores, and coefficients
 * @prototypes: [@k, @height, @width]
 * @n: candidates or objects
 * @n_classes: one-to-many only
 * @end2end: rows of objects; else columns of candidates
 */
typedef struct
{
  const DecTensor *objects, *prototypes;
  gsize k, height, width, n, n_classes;
  gboolean end2end;
} Yolo;

/**
 * Letterbox:
 * @gain_x, @gain_y: pixels of the input to one of the picture
 * @left, @top: of the picture in the input
 * @new_width, @new_height: its size there
 *
 * The picture, scaled to fit the network's input and centred there.
 */
typedef struct
{
  gdouble gain_x, gain_y;
  gint left, top, new_width, new_height;
} Letterbox;

/* What @objects and @prototypes are together. Returns: whether a YOLO's */
static gboolean
fit_tensors (const DecTensor * objects, const DecTensor * prototypes,
    DecModel model, Yolo * yolo)
{
  gsize dims[3], rows[2];

  if (prototypes->n_dims != 3 || !dec_tensor_get_dims (prototypes, 3, dims) ||
      !dec_tensor_get_dims (objects, 2, rows) || objects == prototypes ||
      !dec_tensor_is_float (prototypes) || objects->type != prototypes->type ||
      dims[0] < 1 || dims[1] < 1 || dims[2] < 1)
    return FALSE;
  *yolo = (Yolo) { objects, prototypes, dims[0], dims[1], dims[2], 0, 0,
    model != DEC_MODEL_YOLO && rows[1] == 6 + dims[0]
  };
  if (yolo->end2end) {
    yolo->n = rows[0];
    return TRUE;
  }
  if (model == DEC_MODEL_YOLO_END2END || rows[0] <= 4 + dims[0])
    return FALSE;
  yolo->n = rows[1];
  yolo->n_classes = rows[0] - 4 - dims[0];
  return TRUE;
}

/* @model: DEC_MODEL_AUTO for both kinds */
static gboolean
find_tensors (const DecTensors * tensors, DecModel model, Yolo * yolo)
{
  for (guint i = 0; i < tensors->n; i++)
    for (guint j = 0; j < tensors->n; j++)
      if (fit_tensors (&tensors->tensors[j], &tensors->tensors[i], model, yolo))
        return TRUE;
  return FALSE;
}

gboolean
dec_yolo_recognise (const DecTensors * tensors, DecModel * model)
{
  Yolo yolo;

  if (!find_tensors (tensors, *model, &yolo))
    return FALSE;
  *model = yolo.end2end ? DEC_MODEL_YOLO_END2END : DEC_MODEL_YOLO;
  return TRUE;
}

/* --- Places --------------------------------------------------------------- */

/* Where the picture is in an input of @width x @height. */
static Letterbox
fit (const DecSettings * settings, const DecResult * result, gsize width,
    gsize height)
{
  const gdouble w = (gdouble) width / result->width;
  const gdouble h = (gdouble) height / result->height;
  const gdouble gain = MIN (w, h);
  Letterbox box = { w, h, 0, 0, (gint) width, (gint) height };

  if (settings->stretched)
    return box;
  box.new_width = MAX ((gint) rint (result->width * gain), 1);
  box.new_height = MAX ((gint) rint (result->height * gain), 1);
  box.left = (gint) rint (((gint) width - box.new_width) / 2. - .1);
  box.top = (gint) rint (((gint) height - box.new_height) / 2. - .1);
  box.gain_x = (gdouble) box.new_width / result->width;
  box.gain_y = (gdouble) box.new_height / result->height;
  return box;
}

/* The prototypes are enlarged so much that whole samples are cut off with the
 * borders: 1, 2 or 4 times. */
static guint
find_factor (const Letterbox * box, gsize width, gsize height)
{
  const gint padding = ((gint) height - box->new_height) |
      ((gint) width - box->new_width);
  const gint all = padding | padding / 2;

  return all % 4 == 0 ? 1 : all % 2 == 0 ? 2 : 4;
}

static void
place_fields (const Yolo * yolo, const DecSettings * settings,
    DecResult * result)
{
  const gsize dims[3] = { yolo->k, yolo->height, yolo->width };
  const Letterbox box = fit (settings, result, STEP * yolo->width,
      STEP * yolo->height);
  const guint factor = find_factor (&box, STEP * yolo->width,
      STEP * yolo->height);
  const Letterbox grid = fit (settings, result, factor * yolo->width,
      factor * yolo->height);
  CsInstancesInput *input = &result->input;

  input->fields = dec_tensor_get_planes (yolo->prototypes, dims);
  if (factor > 1) {
    input->resized_width = factor * yolo->width;
    input->resized_height = factor * yolo->height;
  }
  input->grid_x = grid.left;
  input->grid_y = grid.top;
  input->grid_width = grid.new_width;
  input->grid_height = grid.new_height;
}

/* Objects' coefficients are where their rows or columns end. */
static void
place_coefficients (const Yolo * yolo, DecResult * result)
{
  const CsSampleType type = result->input.fields.type;
  const gsize size = cs_sample_size (type);
  const gsize first = yolo->end2end ? 6 : (4 + yolo->n_classes) * yolo->n;
  const gsize row = yolo->end2end ? 6 + yolo->k : 1;
  const gsize column = yolo->end2end ? 1 : yolo->n;

  result->coefficients = cs_image_gray ((const guint8 *) yolo->objects->data +
      first * size, type, (guint) yolo->k, (guint) MAX (yolo->n, 1),
      row * size);
  result->coefficients.pixel_stride = column * size;
  result->input.coefficients = &result->coefficients;
}

/* The box as a cropping of pixels: those whose index is not less than its
 * beginning, and less than its end. */
static void
add_instance (DecResult * result, const DecObject * object)
{
  const CsInstancesInput *input = &result->input;
  CsInstance one = {
    .field = object->field,
    .class_id = object->class_id,
    .x0 = ceil (object->x0) - .5,.y0 = ceil (object->y0) - .5,
    .x1 = ceil (object->x1) - .5,.y1 = ceil (object->y1) - .5,
    .step_x = (gdouble) result->width / input->grid_width,
    .step_y = (gdouble) result->height / input->grid_height,
  };

  one.origin_x = (one.step_x - 1.) / 2.;
  one.origin_y = (one.step_y - 1.) / 2.;
  cs_array_append_val (&result->instances, one);
}

/* To the picture. */
static void
place_box (DecObject * object, const Letterbox * box, const DecResult * result)
{
  object->x0 = dec_clip ((gfloat) ((object->x0 - box->left) / box->gain_x),
      result->width);
  object->y0 = dec_clip ((gfloat) ((object->y0 - box->top) / box->gain_y),
      result->height);
  object->x1 = dec_clip ((gfloat) ((object->x1 - box->left) / box->gain_x),
      result->width);
  object->y1 = dec_clip ((gfloat) ((object->y1 - box->top) / box->gain_y),
      result->height);
}

/* --- Candidates ----------------------------------------------------------- */

/* Candidate @i, if its best class is likely enough. */
static void
add_candidate (const Yolo * yolo, gsize i, gfloat score, CsArray * candidates)
{
  const DecTensor *tensor = yolo->objects;
  DecObject object = {.score = -1.f,.field = (guint32) i };
  gfloat box[4];

  for (gsize c = 0; c < yolo->n_classes; c++) {
    const gfloat p = (gfloat) dec_tensor_get (tensor, (4 + c) * yolo->n + i);

    if (p > object.score) {
      object.score = p;
      object.class_id = (gint32) c;
    }
  }
  if (!(object.score > score))
    return;
  for (guint k = 0; k < 4; k++)
    box[k] = (gfloat) dec_tensor_get (tensor, k * yolo->n + i);
  object.x0 = box[0] - box[2] / 2;
  object.y0 = box[1] - box[3] / 2;
  object.x1 = box[0] + box[2] / 2;
  object.y1 = box[1] + box[3] / 2;
  if (dec_object_is_valid (&object))
    cs_array_append_val (candidates, object);
}

/* The greatest score of a class of each of @n candidates from @first on, row by
 * row as the tensor lies: NaN counts as none. */
static void
find_best (const Yolo * yolo, gsize first, guint n, gfloat * best)
{
  const gfloat *row = (const gfloat *) yolo->objects->data + 4 * yolo->n +
      first;

  for (guint i = 0; i < n; i++)
    best[i] = -1.f;
  for (gsize c = 0; c < yolo->n_classes; c++, row += yolo->n) {
    guint i = 0;

    /* a number that is known is made vectors of */
    for (; i + GROUP <= n; i += GROUP)
      for (guint l = 0; l < GROUP; l++)
        best[i + l] = row[i + l] > best[i + l] ? row[i + l] : best[i + l];
    for (; i < n; i++)
      best[i] = row[i] > best[i] ? row[i] : best[i];
  }
}

static void
list_candidates (const Yolo * yolo, gfloat score, CsArray * candidates)
{
  gfloat best[CHUNK];

  for (gsize first = 0; first < yolo->n; first += CHUNK) {
    const guint n = (guint) MIN (yolo->n - first, CHUNK);
    const gboolean known = yolo->objects->type == DEC_TYPE_F32;

    if (known)
      find_best (yolo, first, n, best);
    for (guint i = 0; i < n; i++)
      if (!known || best[i] > score)
        add_candidate (yolo, first + i, score, candidates);
  }
}

/* Rows of finished objects. */
static void
list_objects (const Yolo * yolo, gfloat score, CsArray * objects)
{
  for (gsize i = 0; i < yolo->n; i++) {
    gfloat row[6];

    for (guint k = 0; k < 6; k++)
      row[k] = (gfloat) dec_tensor_get (yolo->objects, i * (6 + yolo->k) + k);
    const DecObject object = { row[0], row[1], row[2], row[3], row[4],
      row[5] >= 0 && row[5] < G_MAXINT16 ? (gint32) row[5] : 0, (guint32) i
    };

    if (object.score > score && dec_object_is_valid (&object))
      cs_array_append_val (objects, object);
  }
}

/* --- Non-maximum suppression ---------------------------------------------- */

/* @object's box, moved to where only those of its class are. Rounding there is
 * the package's, too. */
static DecObject
moved (const DecObject * object, gboolean agnostic)
{
  const gfloat offset = agnostic ? 0.f : object->class_id * CLASS_OFFSET;
  DecObject to = *object;

  to.x0 += offset;
  to.y0 += offset;
  to.x1 += offset;
  to.y1 += offset;
  return to;
}

static gboolean
overlap (const DecObject * a, const DecObject * b, gdouble iou)
{
  const gfloat width = MIN (a->x1, b->x1) - MAX (a->x0, b->x0);
  const gfloat height = MIN (a->y1, b->y1) - MAX (a->y0, b->y0);
  const gfloat both = MAX (width, 0.f) * MAX (height, 0.f);
  const gfloat area_a = (a->x1 - a->x0) * (a->y1 - a->y0);
  const gfloat area_b = (b->x1 - b->x0) * (b->y1 - b->y0);

  return both / (area_a + area_b - both) > iou;
}

/* Of sorted @candidates those that no better one overlaps, at most
 * max_objects. */
static void
suppress (const CsArray * candidates, const DecSettings * settings,
    CsArray * objects)
{
  for (gsize i = 0; i < candidates->len && objects->len <
      settings->max_objects; i++) {
    const DecObject *one = &cs_array_index (candidates, DecObject, i);
    const DecObject here = moved (one, settings->agnostic);
    gboolean keep = TRUE;

    for (gsize k = 0; keep && k < objects->len; k++) {
      const DecObject other = moved (&cs_array_index (objects, DecObject, k),
          settings->agnostic);

      keep = !overlap (&other, &here, settings->iou);
    }
    if (keep)
      cs_array_append_val (objects, *one);
  }
}

gboolean
dec_yolo_decode (const DecTensors * tensors, const DecSettings * settings,
    DecResult * result, GError ** error)
{
  const gfloat score = (gfloat) dec_get_score (settings, USUAL_SCORE);
  Yolo yolo;

  if (!find_tensors (tensors, settings->model, &yolo) ||
      !dec_check_fields (STEP * yolo.width, STEP * yolo.height, error) ||
      !dec_need_size (result, STEP * yolo.width, STEP * yolo.height, error))
    return FALSE;
  if (yolo.n == 0)
    return TRUE;
  place_fields (&yolo, settings, result);
  place_coefficients (&yolo, result);
  if (yolo.end2end)
    list_objects (&yolo, score, &result->candidates);
  else
    list_candidates (&yolo, score, &result->candidates);
  if (!dec_sort (result, &result->candidates, yolo.end2end ? G_MAXSIZE :
          MAX_CANDIDATES, error))
    return FALSE;
  if (yolo.end2end)
    cs_array_append (&result->objects, result->candidates.data,
        MIN (result->candidates.len, settings->max_objects));
  else
    suppress (&result->candidates, settings, &result->objects);

  const Letterbox box = fit (settings, result, STEP * yolo.width,
      STEP * yolo.height);
  for (gsize i = 0; i < result->objects.len; i++) {
    DecObject *object = &cs_array_index (&result->objects, DecObject, i);

    place_box (object, &box, result);
    add_instance (result, object);
  }
  return TRUE;
}
