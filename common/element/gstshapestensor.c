/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapestensor.h"

#include <string.h>

#include "base/error.h"
#include "shapes/gstshapesenum.h"

#define RANK GST_SHAPES_TENSOR_RANK

GST_SHAPES_DEFINE_ENUM_TYPE (, gst_shapes_tensor_layout_get_type,
    "GstShapesTensorLayout",
    {GST_SHAPES_TENSOR_LAYOUT_AUTO, "Channels are what there is less of",
        "auto"},
    {GST_SHAPES_TENSOR_LAYOUT_HWC, "Dimensions C:W:H, channels of a pixel "
          "lie together", "hwc"},
    {GST_SHAPES_TENSOR_LAYOUT_CHW, "Dimensions W:H:C, pixels of a channel "
          "lie together", "chw"})

gboolean
gst_shapes_caps_are_tensors (const GstCaps * caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);

  return g_str_has_prefix (gst_structure_get_name (structure), "other/tensor");
}

static gboolean
parse_type (const gchar * name, CsSampleType * type, GError ** error)
{
  static const struct
  {
    const gchar *name;
    CsSampleType type;
  } types[] = {
    {"float32", CS_SAMPLE_F32},
    {"float16", CS_SAMPLE_F16},
    {"uint8", CS_SAMPLE_U8},
    {"uint16", CS_SAMPLE_U16},
  };

  for (guint i = 0; name && i < G_N_ELEMENTS (types); i++) {
    if (g_str_equal (name, types[i].name)) {
      *type = types[i].type;
      return TRUE;
    }
  }
  return cs_error (error, CS_ERROR_INVALID, "tensors of type \"%s\" "
      "cannot be read; make them float32, float16, uint8 or uint16 (for "
      "instance with tensor_transform mode=typecast option=float32)",
      name ? name : "(none)");
}

/* "12:511:95:1" into four numbers; more dimensions must be 1. */
static gboolean
read_dimensions (const gchar * text, guint dimensions[RANK])
{
  const gchar *at = text;
  guint i;

  for (i = 0; i < RANK; i++)
    dimensions[i] = 1;
  for (i = 0; at && *at; i++) {
    gchar *end;
    guint64 value = 0;

    if (g_ascii_isdigit (*at))
      value = g_ascii_strtoull (at, &end, 10);
    if (value < 1 || value > G_MAXINT32 || (*end != ':' && *end != '\0') ||
        (*end == ':' && end[1] == '\0') || (i >= RANK && value != 1))
      break;
    if (i < RANK)
      dimensions[i] = value;
    at = *end ? end + 1 : end;
  }
  return at && *at == '\0' && i > 0;
}

static gboolean
parse_dimensions (const gchar * text, guint dimensions[RANK], GError ** error)
{
  if (read_dimensions (text, dimensions))
    return TRUE;
  return cs_error (error, CS_ERROR_INVALID, "the tensor's dimensions "
      "\"%s\" are not those of images; write channels:width:height:images or "
      "width:height:channels:images, all at least 1, such as 12:511:95:1",
      text ? text : "(none)");
}

static gboolean
choose_layout (const guint dimensions[RANK], GstShapesTensorLayout * layout,
    GError ** error)
{
  const guint first = dimensions[0], third = dimensions[2];

  if (*layout != GST_SHAPES_TENSOR_LAYOUT_AUTO)
    return TRUE;
  if (first <= third / 2 || (first == 1 && third == 1)) {
    *layout = GST_SHAPES_TENSOR_LAYOUT_HWC;
  } else if (third <= first / 2) {
    *layout = GST_SHAPES_TENSOR_LAYOUT_CHW;
  } else {
    return cs_error (error, CS_ERROR_INVALID, "the tensor's dimensions "
        "%u:%u:%u do not tell which is the number of channels; set layout=hwc "
        "if it is the first, layout=chw if it is the third", first,
        dimensions[1], third);
  }
  return TRUE;
}

/* Only one static tensor; the name says what else there is. */
static gboolean
check_kind (const GstStructure * structure, GError ** error)
{
  const gchar *format = gst_structure_get_string (structure, "format");
  gint n_tensors = 1;

  if (gst_structure_has_name (structure, "other/tensor")) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "the obsolete caps "
        "other/tensor cannot be read; send other/tensors,format=static,"
        "num_tensors=1,types=float32,dimensions=C:W:H:1 instead");
    return FALSE;
  }
  if (format && !g_str_equal (format, "static"))
    return cs_error (error, CS_ERROR_INVALID, "tensors of format=%s cannot be "
        "read, as their size is not in the caps; send format=static (a "
        "capsfilter other/tensors,format=static makes NNStreamer do it)",
        format);
  if (gst_structure_has_field (structure, "num_tensors") &&
      (!gst_structure_get_int (structure, "num_tensors", &n_tensors) ||
          n_tensors != 1))
    return cs_error (error, CS_ERROR_INVALID, "buffers of %d tensors cannot be "
        "read; pick one with tensor_demux, so that num_tensors=1", n_tensors);
  return TRUE;
}

static gboolean
compute_size (GstShapesTensorInfo * info, gsize size, GError ** error)
{
  if (g_size_checked_mul (&size, size, info->channels) &&
      g_size_checked_mul (&size, size, info->width) &&
      g_size_checked_mul (&size, size, info->height) &&
      g_size_checked_mul (&info->size, size, info->images) &&
      info->size <= G_MAXSSIZE) {
    info->image_size = size;
    return TRUE;
  }
  return cs_error (error, CS_ERROR_LIMIT, "the tensor's dimensions are larger "
      "than any memory");
}

/* All but the type, with samples of @size bytes. */
static gboolean
set_dimensions (GstShapesTensorInfo * info, gsize size,
    const guint dimensions[RANK], GstShapesTensorLayout layout, GError ** error)
{
  if (!choose_layout (dimensions, &layout, error))
    return FALSE;
  info->layout = layout;
  if (layout == GST_SHAPES_TENSOR_LAYOUT_HWC) {
    info->channels = dimensions[0];
    info->width = dimensions[1];
    info->height = dimensions[2];
  } else {
    info->width = dimensions[0];
    info->height = dimensions[1];
    info->channels = dimensions[2];
  }
  info->images = dimensions[3];
  return compute_size (info, size, error);
}

gboolean
gst_shapes_tensor_info_init (GstShapesTensorInfo * info, CsSampleType type,
    const guint dimensions[RANK], GstShapesTensorLayout layout, GError ** error)
{
  info->type = type;
  return set_dimensions (info, cs_sample_size (type), dimensions, layout,
      error);
}

gboolean
gst_shapes_tensor_info_equal (const GstShapesTensorInfo * a,
    const GstShapesTensorInfo * b)
{
  return a->type == b->type && a->layout == b->layout &&
      a->channels == b->channels && a->width == b->width &&
      a->height == b->height && a->images == b->images;
}

gboolean
gst_shapes_tensor_info_from_caps (GstShapesTensorInfo * info,
    const GstCaps * caps, GstShapesTensorLayout layout, GError ** error)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  guint dimensions[RANK];
  CsSampleType type;

  return check_kind (structure, error) &&
      parse_type (gst_structure_get_string (structure, "types"), &type,
      error) &&
      parse_dimensions (gst_structure_get_string (structure, "dimensions"),
      dimensions, error) &&
      gst_shapes_tensor_info_init (info, type, dimensions, layout, error);
}

static gboolean
parse_labels (const gchar * name, GstShapesLabelsInfo * labels,
    GError ** error)
{
  static const struct
  {
    const gchar *name;
    GstShapesLabelsInfo labels;
  } types[] = {
    {"uint8", {1, FALSE}},
    {"int8", {1, TRUE}},
    {"uint16", {2, FALSE}},
    {"int16", {2, TRUE}},
    {"uint32", {4, FALSE}},
    {"int32", {4, TRUE}},
    {"uint64", {8, FALSE}},
    {"int64", {8, TRUE}},
  };

  for (guint i = 0; name && i < G_N_ELEMENTS (types); i++) {
    if (g_str_equal (name, types[i].name)) {
      *labels = types[i].labels;
      return TRUE;
    }
  }
  return cs_error (error, CS_ERROR_INVALID, "a tensor of type \"%s\" has no "
      "labels; make it one of integers (for instance with tensor_transform "
      "mode=typecast option=int32)", name ? name : "(none)");
}

gboolean
gst_shapes_labels_info_from_caps (GstShapesLabelsInfo * labels,
    GstShapesTensorInfo * info, const GstCaps * caps,
    GstShapesTensorLayout layout, GError ** error)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  guint dimensions[RANK];

  if (!check_kind (structure, error) ||
      !parse_labels (gst_structure_get_string (structure, "types"), labels,
          error) ||
      !parse_dimensions (gst_structure_get_string (structure, "dimensions"),
          dimensions, error) ||
      !set_dimensions (info, labels->size, dimensions, layout, error))
    return FALSE;
  if (info->channels == 1)
    return TRUE;
  return cs_error (error, CS_ERROR_INVALID, "a tensor of labels has one "
      "channel, not %u (is layout right?); take the greatest channel first, "
      "or find contours of channels with image-source=buffer", info->channels);
}

CsImage
gst_shapes_tensor_info_get_image (const GstShapesTensorInfo * info,
    gconstpointer data, CsMemory memory, guint index)
{
  const gsize sample = cs_sample_size (info->type);
  const gboolean hwc = info->layout == GST_SHAPES_TENSOR_LAYOUT_HWC;
  const gsize pixel = hwc ? sample * info->channels : sample;
  CsImage image = {
    /* only its shape may be asked for */
    .data = data ? (const guint8 *) data + index * info->image_size : NULL,
    .type = info->type,
    .memory = memory,
    .width = info->width,
    .height = info->height,
    .channels = info->channels,
    .pixel_stride = pixel,
    .row_stride = pixel * info->width,
    .channel_stride = hwc ? sample : sample * info->width * info->height,
  };

  return image;
}

static gboolean
parse_point_type (const gchar * name, GstShapesPointsInfo * info,
    GError ** error)
{
  static const struct
  {
    const gchar *name;
    GstShapesPointType type;
    gsize alignment;
  } types[] = {
    {"float32", GST_SHAPES_POINT_F32, sizeof (gfloat)},
    {"float64", GST_SHAPES_POINT_F64, sizeof (gdouble)},
    {"int32", GST_SHAPES_POINT_I32, sizeof (gint32)},
  };

  for (guint i = 0; name && i < G_N_ELEMENTS (types); i++) {
    if (g_str_equal (name, types[i].name)) {
      info->type = types[i].type;
      info->alignment = types[i].alignment;
      return TRUE;
    }
  }
  return cs_error (error, CS_ERROR_INVALID, "points of type \"%s\" "
      "cannot be read; make them float32, float64 or int32 (for instance with "
      "tensor_transform mode=typecast option=float32)", name ? name : "(none)");
}

gboolean
gst_shapes_points_info_from_caps (GstShapesPointsInfo * info,
    const GstCaps * caps, GError ** error)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  const gchar *text = gst_structure_get_string (structure, "dimensions");
  guint dimensions[RANK];

  if (!check_kind (structure, error) ||
      !parse_point_type (gst_structure_get_string (structure, "types"), info,
          error))
    return FALSE;
  if (!read_dimensions (text, dimensions) || dimensions[0] != 2 ||
      dimensions[2] != 1 || dimensions[3] != 1)
    return cs_error (error, CS_ERROR_INVALID, "the tensor's "
        "dimensions \"%s\" are not those of points; write 2:N:1:1 for N "
        "points, x before y, such as 2:4000000:1:1", text ? text : "(none)");
  info->n_points = dimensions[1];
  if (g_size_checked_mul (&info->size, info->n_points, 2 * info->alignment))
    return TRUE;
  return cs_error (error, CS_ERROR_LIMIT, "%" G_GSIZE_FORMAT
      " points are larger than any memory", info->n_points);
}
