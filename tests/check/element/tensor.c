/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "../lib/suite.h"
#include "base/error.h"
#include "element/gstshapestensor.h"

#define STATIC "other/tensors,format=static,num_tensors=1,"

static gboolean
parse (const gchar * text, GstShapesTensorLayout layout,
    GstShapesTensorInfo * info, GError ** error)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);

  fail_unless (caps != NULL, "%s", text);
  fail_unless (gst_shapes_caps_are_tensors (caps));
  return gst_shapes_tensor_info_from_caps (info, caps, layout, error);
}

static void
assert_shape (const gchar * dimensions, GstShapesTensorLayout layout,
    GstShapesTensorLayout expected, guint channels, guint width, guint height,
    guint images)
{
  gchar *text = g_strconcat (STATIC "types=float32,dimensions=(string)",
      dimensions, NULL);
  GstShapesTensorInfo info;
  GError *error = NULL;

  fail_unless (parse (text, layout, &info, &error), "%s",
      error ? error->message : "");
  fail_unless_equals_int (info.layout, expected);
  fail_unless_equals_int (info.channels, channels);
  fail_unless_equals_int (info.width, width);
  fail_unless_equals_int (info.height, height);
  fail_unless_equals_int (info.images, images);
  fail_unless_equals_uint64 (info.image_size,
      (guint64) 4 * channels * width * height);
  fail_unless_equals_uint64 (info.size, info.image_size * images);
  g_free (text);
}

static void
assert_refused (const gchar * text, const gchar * what)
{
  GstShapesTensorInfo info;
  g_autoptr (GError) error = NULL;

  fail_if (parse (text, GST_SHAPES_TENSOR_LAYOUT_AUTO, &info, &error), "%s",
      text);
  fail_unless (error != NULL && error->domain == CS_ERROR);
  fail_unless (strstr (error->message, what) != NULL, "%s: %s", text,
      error->message);
}

#define AUTO GST_SHAPES_TENSOR_LAYOUT_AUTO
#define HWC GST_SHAPES_TENSOR_LAYOUT_HWC
#define CHW GST_SHAPES_TENSOR_LAYOUT_CHW

TEST (layouts_say_which_dimension_is_what)
{
  assert_shape ("12:511:95:1", HWC, HWC, 12, 511, 95, 1);
  assert_shape ("511:95:12:1", CHW, CHW, 12, 511, 95, 1);
  assert_shape ("3:4:3:2", HWC, HWC, 3, 4, 3, 2);
  assert_shape ("3:4:3:2", CHW, CHW, 3, 3, 4, 2);
}

TEST (automatic_layout_takes_the_smaller_for_channels)
{
  assert_shape ("12:511:95:1", AUTO, HWC, 12, 511, 95, 1);
  assert_shape ("511:95:12:1", AUTO, CHW, 12, 511, 95, 1);
  assert_shape ("1:511:95:1", AUTO, HWC, 1, 511, 95, 1);
  assert_shape ("511:95:1:1", AUTO, CHW, 1, 511, 95, 1);
  assert_shape ("511:95", AUTO, CHW, 1, 511, 95, 1);
  assert_shape ("2:9:4:8", AUTO, HWC, 2, 9, 4, 8);
  assert_shape ("1:1:1:1", AUTO, HWC, 1, 1, 1, 1);
  assert_shape ("1", AUTO, HWC, 1, 1, 1, 1);
}

TEST (dimensions_beyond_the_fourth_must_be_1)
{
  assert_shape ("12:511:95:2:1:1:1:1", AUTO, HWC, 12, 511, 95, 2);
  assert_refused (STATIC "types=uint8,dimensions=(string)12:511:95:1:2",
      "not those of images");
}

TEST (ambiguous_dimensions_ask_for_a_layout)
{
  assert_refused (STATIC "types=uint8,dimensions=(string)3:4:3:1",
      "layout=hwc");
  assert_refused (STATIC "types=uint8,dimensions=(string)12:4:13:1",
      "layout=chw");
}

TEST (every_type_has_its_size)
{
  const struct
  {
    const gchar *name;
    CsSampleType type;
  } types[] = {
    {"float32", CS_SAMPLE_F32}, {"float16", CS_SAMPLE_F16},
    {"uint8", CS_SAMPLE_U8}, {"uint16", CS_SAMPLE_U16},
  };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    gchar *text = g_strdup_printf (STATIC "types=%s,dimensions=(string)2:7:5:1",
        types[i].name);
    GstShapesTensorInfo info;

    fail_unless (parse (text, AUTO, &info, NULL));
    fail_unless_equals_int (info.type, types[i].type);
    fail_unless_equals_uint64 (info.size, 70 * cs_sample_size (types[i].type));
    g_free (text);
  }
}

TEST (what_cannot_be_read_is_refused_with_what_to_do)
{
  assert_refused ("other/tensor,type=uint8", "obsolete");
  assert_refused ("other/tensors,format=flexible", "format=static");
  assert_refused ("other/tensors,format=sparse", "format=static");
  assert_refused ("other/tensors,format=static,num_tensors=2,types=(string)"
      "\"uint8,uint8\",dimensions=(string)\"2:7:5:1,2:7:5:1\"", "tensor_demux");
  assert_refused ("other/tensors,format=static,num_tensors=(string)two",
      "tensor_demux");
  assert_refused (STATIC "types=int64,dimensions=(string)2:7:5:1", "int64");
  assert_refused (STATIC "types=(int)3,dimensions=(string)2:7:5:1", "(none)");
  assert_refused (STATIC "types=uint8", "not those of images");
}

TEST (damaged_dimensions_are_refused)
{
  const gchar *dimensions[] = { "\"\"", "0:1:1", "1:0:1", "a", "1:a", "1:",
    ":1", "1::1", "-1:2:3", "1.5:2:3", "\" 1:2\"", "1:2:3:0", "99999999999:1",
    "1:2;3", "18446744073709551617:1"
  };

  for (guint i = 0; i < G_N_ELEMENTS (dimensions); i++) {
    GstStructure *structure = gst_structure_new ("other/tensors", "format",
        G_TYPE_STRING, "static", "num_tensors", G_TYPE_INT, 1, "types",
        G_TYPE_STRING, "uint8", "dimensions", G_TYPE_STRING, dimensions[i],
        NULL);
    g_autoptr (GstCaps) caps = gst_caps_new_full (structure, NULL);
    GstShapesTensorInfo info;
    g_autoptr (GError) error = NULL;

    fail_if (gst_shapes_tensor_info_from_caps (&info, caps, AUTO, &error),
        "%s", dimensions[i]);
    fail_unless (g_error_matches (error, CS_ERROR, CS_ERROR_INVALID));
  }
}

TEST (sizes_beyond_memory_are_refused)
{
  assert_refused (STATIC "types=float32,dimensions=(string)"
      "2147483647:2147483647:1:2147483647", "larger than any memory");
}

TEST (images_are_views_of_the_batch)
{
  GstShapesTensorInfo info;
  guint8 data[2 * 3 * 2 * 7];

  fail_unless (parse (STATIC "types=uint8,dimensions=(string)3:2:7:2", AUTO,
          &info, NULL));
  CsImage image = gst_shapes_tensor_info_get_image (&info, data, CS_MEMORY_HOST,
      1);
  fail_unless (image.data == data + 42);
  fail_unless_equals_int (image.channels, 3);
  fail_unless_equals_int (image.pixel_stride, 3);
  fail_unless_equals_int (image.row_stride, 6);
  fail_unless_equals_int (image.channel_stride, 1);

  fail_unless (parse (STATIC "types=float16,dimensions=(string)2:7:3:2", CHW,
          &info, NULL));
  image = gst_shapes_tensor_info_get_image (&info, data, CS_MEMORY_HOST, 0);
  fail_unless (image.data == data);
  fail_unless_equals_int (image.width, 2);
  fail_unless_equals_int (image.height, 7);
  fail_unless_equals_int (image.pixel_stride, 2);
  fail_unless_equals_int (image.row_stride, 4);
  fail_unless_equals_int (image.channel_stride, 28);
}

SUITE (tensor) {}
