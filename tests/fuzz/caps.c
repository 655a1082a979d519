/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Caps of tensors: a byte for the layout, a byte for their name, then for each
 * of four fields a byte for its type and its value as a line of text. */

#include "fuzz.h"

#include <math.h>

#include <gst/gst.h>

#include "element/gstshapestensor.h"

static void
set_list (GstStructure * structure, const gchar * name, const gchar * text)
{
  GValue list = G_VALUE_INIT, value = G_VALUE_INIT;

  g_value_init (&list, GST_TYPE_LIST);
  g_value_init (&value, G_TYPE_STRING);
  g_value_set_string (&value, text);
  gst_value_list_append_value (&list, &value);
  g_value_set_static_string (&value, "uint8");
  gst_value_list_append_value (&list, &value);
  gst_structure_take_value (structure, name, &list);
  g_value_unset (&value);
}

/* A field of any type, or none. */
static void
set_field (GstStructure * structure, const gchar * name, Feed * feed)
{
  const guint kind = feed_below (feed, 5);
  g_autofree gchar *text = feed_text (feed, '\n');
  const gint number = (gint) g_ascii_strtoll (text, NULL, 10);

  if (kind == 1)
    gst_structure_set (structure, name, G_TYPE_STRING, text, NULL);
  else if (kind == 2)
    gst_structure_set (structure, name, G_TYPE_INT, number, NULL);
  else if (kind == 3)
    gst_structure_set (structure, name, GST_TYPE_INT_RANGE, MIN (number, 1), 2,
        NULL);
  else if (kind == 4)
    set_list (structure, name, text);
}

static GstCaps *
feed_caps (Feed * feed)
{
  static const gchar *const names[] = { "other/tensors", "other/tensor",
    "other/tensors-flexible", "video/x-raw"
  };
  static const gchar *const fields[] = { "types", "dimensions", "format",
    "num_tensors"
  };
  const guint which = feed_below (feed, 8);
  GstStructure *structure = gst_structure_new_empty (names[which < 4 ? which :
          0]);
  GstCaps *caps = gst_caps_new_empty ();

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    set_field (structure, fields[i], feed);
  gst_caps_append_structure (caps, structure);
  return caps;
}

/* Where tensors pretend to lie. */
#define BASE ((const guint8 *) 4096)

/* All of an image's samples lie inside it, and no two of them coincide. */
static void
check_image (const GstShapesTensorInfo * info, guint index)
{
  const gsize sample = cs_sample_size (info->type);
  CsImage image = gst_shapes_tensor_info_get_image (info, BASE, CS_MEMORY_HOST,
      index);
  gsize last = (image.width - 1) * image.pixel_stride +
      (image.height - 1) * image.row_stride +
      (image.channels - 1) * image.channel_stride;

  FUZZ_CHECK ((gsize) image.data - (gsize) BASE == index * info->image_size,
      "image %u", index);
  FUZZ_CHECK (last + sample == info->image_size, "%zu of %zu bytes",
      last + sample, info->image_size);
  FUZZ_CHECK (image.pixel_stride >= sample && image.row_stride >= sample &&
      image.channel_stride >= sample, "strides");
}

static void
check_info (const GstShapesTensorInfo * info, GstShapesTensorLayout layout)
{
  const gdouble size = (gdouble) cs_sample_size (info->type) *
      info->channels * info->width * info->height * info->images;

  FUZZ_CHECK (info->layout == GST_SHAPES_TENSOR_LAYOUT_HWC ||
      info->layout == GST_SHAPES_TENSOR_LAYOUT_CHW, "%d", info->layout);
  FUZZ_CHECK (layout == GST_SHAPES_TENSOR_LAYOUT_AUTO ||
      layout == info->layout, "%d", info->layout);
  FUZZ_CHECK (info->channels >= 1 && info->width >= 1 && info->height >= 1 &&
      info->images >= 1, "a side of 0");
  /* beyond 2^53 the product is rounded */
  FUZZ_CHECK (fabs (info->size - size) <= size * 1e-12, "%zu bytes, not %g",
      info->size, size);
  FUZZ_CHECK (info->image_size * info->images == info->size, "%zu bytes",
      info->image_size);
  check_image (info, 0);
  check_image (info, info->images - 1);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  Feed feed = { data, size };
  GstShapesTensorLayout layout = feed_below (&feed, 3);
  g_autoptr (GstCaps) caps = feed_caps (&feed);
  GstShapesTensorInfo info;
  g_autoptr (GError) error = NULL;

  gst_shapes_caps_are_tensors (caps);
  gboolean ok = gst_shapes_tensor_info_from_caps (&info, caps, layout, &error);
  FUZZ_CHECK_ERROR (ok, error);
  if (ok)
    check_info (&info, layout);
  return 0;
}
