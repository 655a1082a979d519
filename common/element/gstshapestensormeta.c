/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapestensormeta.h"

#include <string.h>

#ifdef HAVE_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

#include "base/error.h"

#define RANK GST_SHAPES_TENSOR_RANK

gboolean
gst_shapes_check_analytics (const gchar * what, GError ** error)
{
#ifdef HAVE_ANALYTICS
  return TRUE;
#else
  return cs_error (error, CS_ERROR_NOT_SUPPORTED, "%s needs a build with "
      "GStreamer's analytics library, 1.26 or later", what);
#endif
}

gboolean
gst_shapes_buffer_has_tensors (GstBuffer * buffer)
{
  const GType api = g_type_from_name ("GstTensorMetaAPI");

  return api != 0 && gst_buffer_get_meta (buffer, api) != NULL;
}

/* Where the sample (@channel, @row, 0) of a column-major image lies, and how
 * many samples further the next one of its row. */
static gsize
find_row (const GstShapesTensorInfo * info, gsize channel, gsize row,
    gsize * step)
{
  if (info->layout == GST_SHAPES_TENSOR_LAYOUT_HWC) {
    *step = info->height;
    return row + channel * info->height * info->width;
  }
  *step = (gsize) info->channels * info->height;
  return channel + row * info->channels;
}

#define COPY_ROW(type) \
  for (gsize x = 0; x < info->width; x++) \
    ((type *) to)[x * to_step] = ((const type *) from)[x * from_step]

static void
copy_row (const GstShapesTensorInfo * info, const guint8 * from,
    gsize from_step, guint8 * to, gsize to_step)
{
  switch (cs_sample_size (info->type)) {
    case 1:
      COPY_ROW (guint8);
      break;
    case 2:
      COPY_ROW (guint16);
      break;
    default:
      COPY_ROW (guint32);
      break;
  }
}

gconstpointer
gst_shapes_meta_tensor_rearrange (const GstShapesMetaTensor * tensor,
    gconstpointer data, CsScratch * scratch, GError ** error)
{
  const GstShapesTensorInfo *info = &tensor->info;
  const gsize sample = cs_sample_size (info->type);
  guint8 *out = cs_scratch_ensure (scratch, info->size, error);
  CsImage image;

  if (!out)
    return NULL;
  image = gst_shapes_tensor_info_get_image (info, out, CS_MEMORY_HOST, 0);
  for (gsize channel = 0; channel < info->channels; channel++) {
    for (gsize row = 0; row < info->height; row++) {
      gsize step;
      const gsize first = find_row (info, channel, row, &step);

      copy_row (info, (const guint8 *) data + first * sample, step,
          out + channel * image.channel_stride + row * image.row_stride,
          image.pixel_stride / sample);
    }
  }
  return out;
}

#ifdef HAVE_ANALYTICS

static const gchar *
get_name (const GstTensor * tensor)
{
  return tensor->id ? g_quark_to_string (tensor->id) : "";
}

/* All tensors of all metas, borrowed. */
static GPtrArray *
list_tensors (GstBuffer * buffer)
{
  GPtrArray *tensors = g_ptr_array_new ();
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state,
              GST_TENSOR_META_API_TYPE))) {
    const GstTensorMeta *tensor_meta = (const GstTensorMeta *) meta;

    for (gsize i = 0; meta->info == GST_TENSOR_META_INFO &&
        i < tensor_meta->num_tensors; i++)
      g_ptr_array_add (tensors, tensor_meta->tensors[i]);
  }
  return tensors;
}

static gchar *
list_names (const GPtrArray * tensors)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < tensors->len; i++)
    g_string_append_printf (names, "%s\"%s\"", i == 0 ? "" : ", ",
        get_name (g_ptr_array_index (tensors, i)));
  return g_string_free (names, FALSE);
}

static const GstTensor *
choose_tensor (const GPtrArray * tensors, const gchar * id, GError ** error)
{
  const gboolean any = !id || !*id;
  const GstTensor *found = NULL;
  guint n_found = 0;

  for (guint i = 0; i < tensors->len; i++) {
    const GstTensor *tensor = g_ptr_array_index (tensors, i);

    if (any || g_str_equal (get_name (tensor), id)) {
      found = tensor;
      n_found++;
    }
  }
  if (n_found == 1)
    return found;
  g_autofree gchar *names = list_names (tensors);
  if (tensors->len == 0)
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "a frame carries no "
        "tensors (GstTensorMeta)");
  else if (any)
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "a frame carries %u "
        "tensors; choose one with tensor-id: %s", tensors->len, names);
  else if (n_found == 0)
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "a frame carries no tensor "
        "tensor-id=\"%s\"; it has %s", id, names);
  else
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "a frame carries %u "
        "tensors tensor-id=\"%s\"; give them names of their own", n_found, id);
  return NULL;
}

static gboolean
read_type (const GstTensor * tensor, CsSampleType * type, GError ** error)
{
  static const gchar *names[] = {
    "int4", "int8", "int16", "int32", "int64", "uint4", "uint8", "uint16",
    "uint32", "uint64", "float16", "float32", "float64", "bfloat16"
  };
  const guint code = tensor->data_type;

  switch (tensor->data_type) {
    case GST_TENSOR_DATA_TYPE_UINT8:
      *type = CS_SAMPLE_U8;
      return TRUE;
    case GST_TENSOR_DATA_TYPE_UINT16:
      *type = CS_SAMPLE_U16;
      return TRUE;
    case GST_TENSOR_DATA_TYPE_FLOAT16:
      *type = CS_SAMPLE_F16;
      return TRUE;
    case GST_TENSOR_DATA_TYPE_FLOAT32:
      *type = CS_SAMPLE_F32;
      return TRUE;
    default:
      return cs_error (error, CS_ERROR_INVALID, "the tensor \"%s\" is "
          "of type %s; only float32, float16, uint8 and uint16 can be read",
          get_name (tensor), code < G_N_ELEMENTS (names) ? names[code] :
          "unknown");
  }
}

static gchar *
print_dimensions (const GstTensor * tensor)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < tensor->num_dims; i++)
    g_string_append_printf (text, "%s%" G_GSIZE_FORMAT, i == 0 ? "" : " x ",
        tensor->dims[i]);
  return g_string_free (text, FALSE);
}

/* From the last one, missing ones are 1; those of one image. */
static gboolean
read_dimensions (const GstTensor * tensor, guint dimensions[RANK])
{
  for (guint i = 0; i < RANK; i++)
    dimensions[i] = 1;
  for (gsize i = 0; i < tensor->num_dims; i++) {
    const gsize value = tensor->dims[tensor->num_dims - 1 - i];

    if (value < 1 || value > G_MAXINT32 || (i >= RANK - 1 && value != 1))
      return FALSE;
    if (i < RANK)
      dimensions[i] = value;
  }
  return tensor->num_dims >= 2;
}

static gboolean
read_info (const GstTensor * tensor, GstShapesTensorLayout layout,
    GstShapesTensorInfo * info, GError ** error)
{
  guint dimensions[RANK];
  CsSampleType type;

  if (!read_type (tensor, &type, error))
    return FALSE;
  if (!read_dimensions (tensor, dimensions)) {
    g_autofree gchar *text = print_dimensions (tensor);

    return cs_error (error, CS_ERROR_INVALID, "the tensor \"%s\" of %s is not "
        "one image; its dimensions are to be rows x columns, rows x columns x "
        "channels or channels x rows x columns, after any number of 1",
        get_name (tensor), text);
  }
  /* of two dimensions none is channels */
  if (tensor->num_dims == 2)
    layout = GST_SHAPES_TENSOR_LAYOUT_CHW;
  return gst_shapes_tensor_info_init (info, type, dimensions, layout, error);
}

gboolean
gst_shapes_meta_tensor_find (GstShapesMetaTensor * tensor, GstBuffer * buffer,
    const gchar * id, GstShapesTensorLayout layout, GError ** error)
{
  GPtrArray *tensors = list_tensors (buffer);
  const GstTensor *found = choose_tensor (tensors, id, error);

  g_ptr_array_unref (tensors);
  if (!found || !read_info (found, layout, &tensor->info, error))
    return FALSE;
  if (!found->data)
    return cs_error (error, CS_ERROR_INVALID, "the tensor \"%s\" has no data",
        get_name (found));
  tensor->data = found->data;
  tensor->column_major = found->dims_order == GST_TENSOR_DIM_ORDER_COL_MAJOR;
  return TRUE;
}

#else

gboolean
gst_shapes_meta_tensor_find (GstShapesMetaTensor * tensor, GstBuffer * buffer,
    const gchar * id, GstShapesTensorLayout layout, GError ** error)
{
  return gst_shapes_check_analytics ("GstTensorMeta", error);
}

#endif
