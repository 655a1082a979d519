/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Any tensors, as long as they say, through what finds objects in networks'
 * tensors, and its objects through the kernel that makes polygons of them; and
 * any caps of tensors. */

#include "fuzz.h"

#include <math.h>

#include "base/error.h"
#include "shapetensordec/gstshapetensordecmodel.h"

#define MAX_TENSORS 5
#define MAX_SIDE 40
#define MAX_BYTES (1 << 20)

static const guint sizes[DEC_N_TYPES] = {
  [DEC_TYPE_F32] = 4,[DEC_TYPE_F16] = 2,[DEC_TYPE_I32] = 4,[DEC_TYPE_I64] = 8
};

/* Dimensions that go together are more often than by chance the same: they are
 * of @few. */
static gsize
feed_dimension (Feed * feed, const gsize * few)
{
  const guint n = feed_below (feed, 64);

  return n <= MAX_SIDE ? n : few[n % 4];
}

/* Some numbers are small, some any. */
static void
fill (Feed * feed, DecTensor * tensor, guint8 * data)
{
  const gsize n = tensor->size / sizes[tensor->type];
  const guint32 first = feed_u32 (feed);
  const gsize n_own = feed_below (feed, 128);
  guint32 seed = first | 1;

  for (gsize i = 0; i < n; i++) {
    const gfloat small = ((seed >> 8) / 16777216.f - .4f) * (1 + first % 97);

    seed = seed * 1664525u + 1013904223u;
    if (tensor->type == DEC_TYPE_F32)
      ((gfloat *) (gpointer) data)[i] = small;
    else if (tensor->type == DEC_TYPE_F16)
      ((guint16 *) (gpointer) data)[i] = seed >> (first & 1 ? 16 : 18);
    else if (tensor->type == DEC_TYPE_I32)
      ((gint32 *) (gpointer) data)[i] = (gint32) (seed >> (first & 31));
    else
      ((gint64 *) (gpointer) data)[i] = (gint64) (seed >> (first & 31)) - 3;
  }
  feed_bytes (feed, data, MIN (tensor->size, n_own));
  tensor->data = data;
}

/* Memory of their size and no more; none at all of those that have none. */
static void
feed_tensors (Feed * feed, DecTensors * tensors, guint8 ** memory)
{
  const gsize few[4] = { 4, 1 + feed_below (feed, MAX_SIDE),
    1 + feed_below (feed, MAX_SIDE), 1 + feed_below (feed, MAX_SIDE)
  };

  tensors->n = feed_below (feed, MAX_TENSORS + 1);
  for (guint i = 0; i < tensors->n; i++) {
    DecTensor *tensor = &tensors->tensors[i];
    const guint rank = feed_below (feed, 6);

    *tensor = (DecTensor) {.name = "",.type = feed_below (feed, DEC_N_TYPES) };
    tensor->size = sizes[tensor->type];
    for (guint k = 0; k < rank; k++) {
      const gsize dim = feed_dimension (feed, few);

      /* as dec_tensors_from_caps() leaves them */
      if (tensor->n_dims == 0 && dim == 1)
        continue;
      if (tensor->size * dim > MAX_BYTES)
        break;
      tensor->dims[tensor->n_dims++] = dim;
      tensor->size *= dim;
    }
    memory[i] = tensor->size > 0 ? g_malloc (tensor->size) : NULL;
    if (memory[i])
      fill (feed, tensor, memory[i]);
  }
}

static DecSettings
feed_settings (Feed * feed, DecResult * result)
{
  const guint picture = feed_below (feed, 4), input = feed_below (feed, 4);
  DecSettings settings = {
    .model = feed_below (feed, DEC_MODEL_SAM2 + 1),
    .score = feed_below (feed, 4) ? feed_below (feed, 100) / 100. - .1 : -1.,
    .iou = feed_below (feed, 101) / 100.,
    .agnostic = feed_below (feed, 2),
    .max_objects = 1 + feed_below (feed, 200),
    .stretched = feed_below (feed, 2),
  };

  if (picture > 0) {
    result->width = picture > 2 ? 1 + feed_u32 (feed) % (1u << 20) :
        1 + feed_below (feed, 200);
    result->height = picture > 1 ? 1 + feed_u32 (feed) % (1u << 20) :
        1 + feed_below (feed, 200);
  }
  if (input > 0) {
    result->input_width = 1 + feed_u32 (feed) % (1u << 20);
    result->input_height = 1 + feed_below (feed, 200);
  }
  return settings;
}

static void
check_objects (const DecResult * result, const DecSettings * settings)
{
  const CsInstancesInput *input = &result->input;
  const guint n_fields = input->coefficients ? input->coefficients->height :
      input->fields.channels;
  gfloat last = INFINITY;

  FUZZ_CHECK (result->objects.len <= settings->max_objects, "%u objects",
      (guint) result->objects.len);
  FUZZ_CHECK (result->instances.len == result->objects.len &&
      input->n_instances == result->instances.len, "%u instances",
      (guint) result->instances.len);
  for (gsize i = 0; i < result->objects.len; i++) {
    const DecObject *object = &cs_array_index (&result->objects, DecObject, i);

    FUZZ_CHECK (input->instances[i].field < n_fields, "field %u of %u",
        input->instances[i].field, n_fields);
    FUZZ_CHECK (object->score <= last && isfinite (object->score), "score %g",
        object->score);
    FUZZ_CHECK (object->class_id >= 0, "class %d", object->class_id);
    FUZZ_CHECK (object->x0 >= 0 && object->y0 >= 0 && object->x0 <=
        result->width && object->y0 <= result->height && object->x1 >= 0
        && object->y1 >= 0 && object->x1 <= result->width && object->y1 <=
        result->height, "%g, %g, %g, %g", object->x0, object->y0, object->x1,
        object->y1);
    last = object->score;
  }
}

static void *
keep (void *user_data, gsize size, gboolean host)
{
  CsArray *all = user_data;
  gpointer block = g_malloc (MAX (size, 1));

  cs_array_append_val (all, block);
  return block;
}

static void
check_polygons (CsInstances * plan, const DecResult * result)
{
  CsArray all;
  g_autoptr (GError) error = NULL;
  CsInstancesParams params;

  cs_array_init (&all, sizeof (gpointer));
  CsContoursOutput output = {.alloc = keep,.user_data = &all,.want_host = TRUE };
  cs_instances_params_init (&params);
  params.level = result->level;
  FUZZ_CHECK (cs_instances_set_params (plan, &params, NULL), "level %g",
      params.level);
  const gboolean ok = cs_instances_run (plan, &result->input, &output, &error);
  FUZZ_CHECK_ERROR (ok, error);
  FUZZ_CHECK (ok || !g_error_matches (error, CS_ERROR, CS_ERROR_INVALID), "%s",
      error->message);
  for (gsize i = 0; ok && i < output.n_points; i++)
    FUZZ_CHECK (isfinite (((const gfloat *) output.points)[2 * i]) &&
        isfinite (((const gfloat *) output.points)[2 * i + 1]), "point %u",
        (guint) i);
  for (gsize i = 0; ok && i < output.n_contours; i++)
    FUZZ_CHECK (output.contours[i].image >= 0 &&
        (gsize) output.contours[i].image < result->objects.len, "object %d",
        output.contours[i].image);
  for (gsize i = 0; i < all.len; i++)
    g_free (cs_array_index (&all, gpointer, i));
  cs_array_clear (&all);
}

static void
check_decoding (Feed * feed)
{
  static CsExecutor *executor;
  static CsInstances *plan;
  g_autoptr (GError) error = NULL;
  DecTensors tensors = { .n = 0 };
  DecResult result = { .width = 0 };
  guint8 *memory[MAX_TENSORS] = { NULL };
  CsInstancesParams params;

  if (!plan) {
    cs_instances_params_init (&params);
    executor = cs_executor_new_cpu (1);
    plan = cs_instances_new (&params, executor, NULL);
  }
  cs_array_init (&result.objects, sizeof (DecObject));
  cs_array_init (&result.instances, sizeof (CsInstance));
  cs_array_init (&result.candidates, sizeof (DecObject));
  cs_array_init (&result.scratch, 1);
  const DecSettings settings = feed_settings (feed, &result);
  feed_tensors (feed, &tensors, memory);
  const gboolean ok = dec_decode (&tensors, &settings, &result, &error);
  FUZZ_CHECK_ERROR (ok, error);
  if (ok) {
    check_objects (&result, &settings);
    if (result.instances.len > 0)
      check_polygons (plan, &result);
  }
  cs_array_clear (&result.objects);
  cs_array_clear (&result.instances);
  cs_array_clear (&result.candidates);
  cs_array_clear (&result.scratch);
  for (guint i = 0; i < MAX_TENSORS; i++)
    g_free (memory[i]);
}

static void
check_caps (Feed * feed)
{
  g_autofree gchar *types = feed_text (feed, '\n');
  g_autofree gchar *dimensions = feed_text (feed, '\n');
  g_autoptr (GError) error = NULL;
  g_autoptr (GstCaps) caps = gst_caps_new_simple ("other/tensors", "types",
      G_TYPE_STRING, types, "dimensions", G_TYPE_STRING, dimensions, NULL);
  DecTensors tensors;
  const gboolean ok = dec_tensors_from_caps (&tensors, caps, &error);

  FUZZ_CHECK_ERROR (ok, error);
  if (!ok)
    return;
  FUZZ_CHECK (tensors.n >= 1 && tensors.n <= DEC_MAX_TENSORS, "%u tensors",
      tensors.n);
  for (guint i = 0; i < tensors.n; i++) {
    const DecTensor *tensor = &tensors.tensors[i];
    gsize size = sizes[tensor->type];

    FUZZ_CHECK (tensor->n_dims <= DEC_MAX_RANK && (tensor->n_dims == 0 ||
            tensor->dims[0] != 1), "%u dimensions", tensor->n_dims);
    for (guint k = 0; k < tensor->n_dims; k++)
      FUZZ_CHECK (g_size_checked_mul (&size, size, tensor->dims[k]), "size");
    FUZZ_CHECK (size == tensor->size, "%" G_GSIZE_FORMAT " bytes",
        tensor->size);
  }
  g_free (dec_tensors_describe (&tensors));
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  Feed feed = { data, size };

  if (feed_below (&feed, 8) == 0)
    check_caps (&feed);
  else
    check_decoding (&feed);
  return 0;
}
