/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapetensordectensors.h"

#include <string.h>

#ifdef HAVE_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

#include "base/error.h"
#include "element/gstshapesframe.h"

static const struct
{
  const gchar *name;
  gsize size;
} types[DEC_N_TYPES] = {
  [DEC_TYPE_F32] = {"float32", 4},
  [DEC_TYPE_F16] = {"float16", 2},
  [DEC_TYPE_I32] = {"int32", 4},
  [DEC_TYPE_I64] = {"int64", 8},
};

static gboolean
find_type (const gchar * name, DecType * type)
{
  for (guint i = 0; i < DEC_N_TYPES; i++)
    if (g_strcmp0 (name, types[i].name) == 0) {
      *type = i;
      return TRUE;
    }
  return FALSE;
}

/* --- Dimensions ----------------------------------------------------------- */

/* Takes @n @dims, the outermost first. Fails if there are too many, or too many
 * bytes. */
static gboolean
set_dims (DecTensor * tensor, const gsize * dims, gsize n)
{
  tensor->size = types[tensor->type].size;
  while (n > 0 && dims[0] == 1) {
    dims++;
    n--;
  }
  if (n > DEC_MAX_RANK)
    return FALSE;
  tensor->n_dims = n;
  for (gsize i = 0; i < n; i++) {
    tensor->dims[i] = dims[i];
    if (dims[i] > G_MAXINT32 || (dims[i] > 0 &&
            tensor->size > G_MAXSIZE / 2 / dims[i]))
      return FALSE;
    tensor->size *= dims[i];
  }
  return TRUE;
}

gboolean
dec_tensor_get_dims (const DecTensor * tensor, guint rank, gsize * dims)
{
  if (tensor->n_dims > rank)
    return FALSE;
  for (guint i = 0; i < rank; i++)
    dims[i] = i < rank - tensor->n_dims ? 1 :
        tensor->dims[i - (rank - tensor->n_dims)];
  return TRUE;
}

gboolean
dec_tensor_is_float (const DecTensor * tensor)
{
  return tensor->type == DEC_TYPE_F32 || tensor->type == DEC_TYPE_F16;
}

gdouble
dec_tensor_get (const DecTensor * tensor, gsize i)
{
  switch (tensor->type) {
    case DEC_TYPE_F32:
      return ((const gfloat *) tensor->data)[i];
    case DEC_TYPE_F16:
      return cs_half_to_double (((const guint16 *) tensor->data)[i]);
    case DEC_TYPE_I32:
      return ((const gint32 *) tensor->data)[i];
    default:
      return (gdouble) ((const gint64 *) tensor->data)[i];
  }
}

gchar *
dec_tensors_describe (const DecTensors * tensors)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < tensors->n; i++) {
    const DecTensor *tensor = &tensors->tensors[i];

    g_string_append_printf (text, "%s%s%s%s [", i == 0 ? "" : ", ",
        tensor->name, *tensor->name ? " " : "", types[tensor->type].name);
    for (guint d = 0; d < tensor->n_dims; d++)
      g_string_append_printf (text, "%s%" G_GSIZE_FORMAT, d == 0 ? "" : ", ",
          tensor->dims[d]);
    g_string_append_c (text, ']');
  }
  return g_string_free (text, FALSE);
}

/* --- Caps ----------------------------------------------------------------- */

/* "160:120:32:1", the innermost first. */
static gboolean
read_dims (const gchar * text, DecTensor * tensor)
{
  g_auto (GStrv) parts = g_strsplit (text, ":", -1);
  const guint n = g_strv_length (parts);
  gsize dims[16];

  if (n == 0 || n > G_N_ELEMENTS (dims))
    return FALSE;
  for (guint i = 0; i < n; i++) {
    guint64 value;

    if (!g_ascii_string_to_unsigned (parts[i], 10, 0, G_MAXINT32, &value, NULL))
      return FALSE;
    dims[n - 1 - i] = value;
  }
  return set_dims (tensor, dims, n);
}

static gboolean
read_tensors (DecTensors * tensors, gint n_wanted, const gchar * type_list,
    const gchar * dims_list, GError ** error)
{
  g_auto (GStrv) names = g_strsplit (type_list ? type_list : "", ",", -1);
  g_auto (GStrv) dims = g_strsplit_set (dims_list ? dims_list : "", ",.", -1);
  const guint n = g_strv_length (names);

  if (n == 0 || n > DEC_MAX_TENSORS || g_strv_length (dims) != n ||
      (n_wanted >= 0 && (guint) n_wanted != n))
    return cs_error (error, CS_ERROR_INVALID, "the caps have num_tensors=%d, "
        "types=\"%s\" and dimensions=\"%s\": as many of each are wanted, and "
        "at most %d", n_wanted, type_list ? type_list : "",
        dims_list ? dims_list : "", DEC_MAX_TENSORS);
  for (guint i = 0; i < n; i++) {
    DecTensor *tensor = &tensors->tensors[i];

    tensor->name = "";
    if (!find_type (g_strstrip (names[i]), &tensor->type))
      return cs_error (error, CS_ERROR_INVALID, "tensors of type \"%s\" cannot "
          "be read; make them float32, float16, int32 or int64", names[i]);
    if (!read_dims (g_strstrip (dims[i]), tensor))
      return cs_error (error, CS_ERROR_INVALID, "\"%s\" are no dimensions of a "
          "tensor; write the innermost first, such as 160:120:32:1", dims[i]);
  }
  tensors->n = n;
  return TRUE;
}

gboolean
dec_tensors_from_caps (DecTensors * tensors, const GstCaps * caps,
    GError ** error)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  const gchar *format = gst_structure_get_string (structure, "format");
  gint n = -1;

  memset (tensors, 0, sizeof (*tensors));
  if (!gst_structure_has_name (structure, "other/tensors") ||
      (format && !g_str_equal (format, "static")))
    return cs_error (error, CS_ERROR_INVALID, "only other/tensors,format="
        "static can be read, with types and dimensions of all of them");
  gst_structure_get_int (structure, "num_tensors", &n);
  return read_tensors (tensors, n, gst_structure_get_string (structure,
          "types"), gst_structure_get_string (structure, "dimensions"), error);
}

/* --- Buffers -------------------------------------------------------------- */

/* Maps memory @index of @buffer, or with -1 all. */
static gboolean
map (DecTensors * tensors, GstBuffer * buffer, gint index, GstMapInfo ** info,
    GError ** error)
{
  *info = &tensors->maps[tensors->n_mapped];
  if (!gst_buffer_map_range (buffer, MAX (index, 0), index < 0 ? -1 : 1, *info,
          GST_MAP_READ))
    return cs_fail (error, GST_SHAPES_FRAME_ERROR, GST_SHAPES_FRAME_ERROR_MAP,
        "the memory of tensors cannot be mapped");
  tensors->mapped[tensors->n_mapped++] = buffer;
  return TRUE;
}

void
dec_tensors_unmap (DecTensors * tensors)
{
  while (tensors->n_mapped > 0) {
    tensors->n_mapped--;
    gst_buffer_unmap (tensors->mapped[tensors->n_mapped],
        &tensors->maps[tensors->n_mapped]);
  }
}

/* @size bytes of @data, which are at byte @at of what is mapped. */
static gboolean
take (DecTensor * tensor, const guint8 * data, gsize at, gsize size,
    GError ** error)
{
  if (size < tensor->size)
    return cs_fail (error, GST_SHAPES_FRAME_ERROR, GST_SHAPES_FRAME_ERROR_SHORT,
        "the tensor %s%shas %" G_GSIZE_FORMAT " bytes, but its type and "
        "dimensions need %" G_GSIZE_FORMAT, tensor->name, *tensor->name ? " " :
        "", size, tensor->size);
  if ((guintptr) data % types[tensor->type].size)
    return cs_error (error, CS_ERROR_INVALID, "a tensor of %s begins at byte %"
        G_GSIZE_FORMAT " of its memory, at an address that is no multiple of "
        "its size: give each tensor a memory of its own",
        types[tensor->type].name, at);
  tensor->data = data;
  return TRUE;
}

/* Else they are in a row, perhaps in pieces. */
static gboolean
has_memory_each (const DecTensors * tensors, GstBuffer * buffer)
{
  gboolean each = gst_buffer_n_memory (buffer) == tensors->n;

  for (guint i = 0; each && i < tensors->n; i++)
    each = gst_memory_get_sizes (gst_buffer_peek_memory (buffer, i), NULL,
        NULL) == tensors->tensors[i].size;
  return each;
}

/* More than one picture's, or other tensors than the caps say. */
static gboolean
check_surplus (const DecTensors * tensors, GstBuffer * buffer, GError ** error)
{
  const gsize size = gst_buffer_get_size (buffer);
  gsize wanted = 0;

  for (guint i = 0; i < tensors->n; i++)
    wanted += tensors->tensors[i].size;
  return size <= wanted || cs_error (error, CS_ERROR_INVALID, "a buffer has %"
      G_GSIZE_FORMAT " bytes, but the caps' tensors %" G_GSIZE_FORMAT
      ": correct types and dimensions, or set filesrc's blocksize=%"
      G_GSIZE_FORMAT, size, wanted, wanted);
}

gboolean
dec_tensors_map (DecTensors * tensors, const DecTensors * caps_tensors,
    GstBuffer * buffer, GError ** error)
{
  const guint n = caps_tensors->n;
  const gboolean one_each = has_memory_each (caps_tensors, buffer);
  GstMapInfo *info = NULL;
  gsize at = 0;

  *tensors = *caps_tensors;
  if (!check_surplus (caps_tensors, buffer, error))
    return FALSE;
  if (!one_each && !map (tensors, buffer, -1, &info, error))
    return FALSE;
  for (guint i = 0; i < n; i++) {
    if (one_each && !map (tensors, buffer, (gint) i, &info, error))
      return FALSE;
    at = one_each ? 0 : at;
    if (!take (&tensors->tensors[i], info->data + at, at, info->size - at,
            error))
      return FALSE;
    at += tensors->tensors[i].size;
  }
  return TRUE;
}

#ifdef HAVE_ANALYTICS

static gboolean
read_meta_type (const GstTensor * tensor, DecType * type)
{
  switch (tensor->data_type) {
    case GST_TENSOR_DATA_TYPE_FLOAT32:
      *type = DEC_TYPE_F32;
      return TRUE;
    case GST_TENSOR_DATA_TYPE_FLOAT16:
      *type = DEC_TYPE_F16;
      return TRUE;
    case GST_TENSOR_DATA_TYPE_INT32:
      *type = DEC_TYPE_I32;
      return TRUE;
    case GST_TENSOR_DATA_TYPE_INT64:
      *type = DEC_TYPE_I64;
      return TRUE;
    default:
      return FALSE;
  }
}

/* The order of dimensions in the meta tells how they are meant, not how they
 * lie: decoders of GStreamer see a network's memory as it is, too. */
static gboolean
add_meta_tensor (DecTensors * tensors, const GstTensor * from, GError ** error)
{
  DecTensor *tensor = &tensors->tensors[tensors->n];
  GstMapInfo *info;

  memset (tensor, 0, sizeof (*tensor));
  tensor->name = from->id ? g_quark_to_string (from->id) : "";
  /* others, such as images, are somebody else's */
  if (!from->data || !read_meta_type (from, &tensor->type) ||
      !set_dims (tensor, from->dims, from->num_dims))
    return TRUE;
  if (tensors->n == DEC_MAX_TENSORS - 1)
    return cs_error (error, CS_ERROR_LIMIT, "a frame carries more than %d "
        "tensors", DEC_MAX_TENSORS - 1);
  if (!map (tensors, from->data, -1, &info, error) ||
      !take (tensor, info->data, 0, info->size, error))
    return FALSE;
  tensors->n++;
  return TRUE;
}

gboolean
dec_tensors_map_meta (DecTensors * tensors, GstBuffer * buffer, GError ** error)
{
  gpointer state = NULL;
  GstMeta *meta;

  tensors->n = tensors->n_mapped = 0;
  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state,
              GST_TENSOR_META_API_TYPE))) {
    const GstTensorMeta *tensor_meta = (const GstTensorMeta *) meta;

    for (gsize i = 0; meta->info == GST_TENSOR_META_INFO &&
        i < tensor_meta->num_tensors; i++)
      if (!add_meta_tensor (tensors, tensor_meta->tensors[i], error))
        return FALSE;
  }
  return TRUE;
}

#else

gboolean
dec_tensors_map_meta (DecTensors * tensors, GstBuffer * buffer, GError ** error)
{
  tensors->n = tensors->n_mapped = 0;
  return TRUE;
}

#endif
