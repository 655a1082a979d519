/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Caps of tensors: a byte for the layout, a byte that says whether the rest is
 * caps as text or the values of three fields, then that text. */

#include "fuzz.h"

#include <math.h>

#include <gst/gst.h>
#include <sanitizer/lsan_interface.h>

#include "gstshapestensor.h"

/* "types", "dimensions" and "format" separated by newlines; an empty one is
 * left out. */
static GstCaps *
caps_of_fields (Feed * feed)
{
  static const gchar *const names[] = { "types", "dimensions", "format" };
  GstStructure *structure = gst_structure_new_empty ("other/tensors");
  GstCaps *caps = gst_caps_new_empty ();

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    gchar *value = feed_text (feed, '\n');

    if (*value)
      gst_structure_set (structure, names[i], G_TYPE_STRING, value, NULL);
    g_free (value);
  }
  gst_caps_append_structure (caps, structure);
  return caps;
}

static GstCaps *
caps_of_text (Feed * feed)
{
  gchar *text = feed_text (feed, '\0');
  GstCaps *caps;

  /* some versions lose memory when the text is no caps */
  fuzz_set_quiet (TRUE);
  __lsan_disable ();
  caps = gst_caps_from_string (text);
  __lsan_enable ();
  fuzz_set_quiet (FALSE);
  g_free (text);
  if (caps && (gst_caps_is_any (caps) || gst_caps_is_empty (caps)))
    gst_clear_caps (&caps);
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
  GstCaps *caps = feed_below (&feed, 2) ? caps_of_text (&feed) :
      caps_of_fields (&feed);
  GstShapesTensorInfo info;
  GError *error = NULL;
  gboolean ok;

  if (!caps)
    return 0;
  gst_shapes_caps_are_tensors (caps);
  ok = gst_shapes_tensor_info_from_caps (&info, caps, layout, &error);
  FUZZ_CHECK_ERROR (ok, error);
  if (ok)
    check_info (&info, layout);
  g_clear_error (&error);
  gst_caps_unref (caps);
  return 0;
}
