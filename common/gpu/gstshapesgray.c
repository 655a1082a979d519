/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapesgray.h"

#include "base/error.h"
#include "base/luma.h"
#include "gstshapesenum.h"

static const GEnumValue level_units[] = {
  {GST_SHAPES_LEVEL_UNIT_NORMALIZED, "0 to 1 of the full range of codes",
      "normalized"},
  {GST_SHAPES_LEVEL_UNIT_SAMPLE, "The code value itself", "sample"},
  {0, NULL, NULL}
};

static const GEnumValue channels[] = {
  {GST_SHAPES_CHANNEL_LUMA, "Brightness", "luma"},
  {GST_SHAPES_CHANNEL_R, "Red", "r"},
  {GST_SHAPES_CHANNEL_G, "Green", "g"},
  {GST_SHAPES_CHANNEL_B, "Blue", "b"},
  {GST_SHAPES_CHANNEL_A, "Alpha", "a"},
  {0, NULL, NULL}
};

GST_SHAPES_DEFINE_ENUM_TYPE (, gst_shapes_level_unit_get_type,
    "GstShapesLevelUnit", level_units);
GST_SHAPES_DEFINE_ENUM_TYPE (, gst_shapes_channel_get_type,
    "GstShapesChannel", channels);

CsImage
gst_shapes_region_crop (const GstShapesRegion * region, CsImage image)
{
  image.data = (const guint8 *) image.data +
      region->y * image.row_stride + region->x * image.pixel_stride;
  image.width = region->width;
  image.height = region->height;
  return image;
}

gint
gst_shapes_gray_find_component (const GstVideoFormatInfo * finfo,
    GstShapesChannel channel)
{
  switch (channel) {
    case GST_SHAPES_CHANNEL_LUMA:
      return 0;
    case GST_SHAPES_CHANNEL_A:
      return GST_VIDEO_FORMAT_INFO_HAS_ALPHA (finfo) ?
          (gint) GST_VIDEO_FORMAT_INFO_N_COMPONENTS (finfo) - 1 : -1;
    default:
      return GST_VIDEO_FORMAT_INFO_IS_RGB (finfo) ?
          (gint) channel - GST_SHAPES_CHANNEL_R : -1;
  }
}

/* The weights of the caps' colour matrix, or else of their primaries. */
static void
choose_luma_weights (GstShapesGray * gray)
{
  const GstVideoColorimetry *colorimetry =
      &GST_VIDEO_INFO_COLORIMETRY (&gray->info);
  GstVideoColorMatrix matrix = colorimetry->matrix;
  gdouble red, blue;

  if (!gst_video_color_matrix_get_Kr_Kb (matrix, &red, &blue)) {
    switch (colorimetry->primaries) {
      case GST_VIDEO_COLOR_PRIMARIES_BT2020:
        matrix = GST_VIDEO_COLOR_MATRIX_BT2020;
        break;
      case GST_VIDEO_COLOR_PRIMARIES_BT470M:
      case GST_VIDEO_COLOR_PRIMARIES_BT470BG:
      case GST_VIDEO_COLOR_PRIMARIES_SMPTE170M:
        matrix = GST_VIDEO_COLOR_MATRIX_BT601;
        break;
      default:
        matrix = GST_VIDEO_COLOR_MATRIX_BT709;
        break;
    }
    gst_video_color_matrix_get_Kr_Kb (matrix, &red, &blue);
  }
  gray->red_weight = red;
  gray->blue_weight = blue;
}

gboolean
gst_shapes_gray_set_format (GstShapesGray * gray, const GstVideoInfo * info,
    GstShapesChannel channel, guint bit_depth, GError ** error)
{
  const GstVideoFormatInfo *finfo = info->finfo;
  const gint component = gst_shapes_gray_find_component (finfo, channel);
  guint depth;

  if (component < 0) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "video of format %s has no "
        "such channel; set channel=luma, or convert to RGBA with videoconvert "
        "before", GST_VIDEO_FORMAT_INFO_NAME (finfo));
    return FALSE;
  }
  depth = GST_VIDEO_FORMAT_INFO_DEPTH (finfo, component);
  if (GST_VIDEO_FORMAT_INFO_FORMAT (finfo) == GST_VIDEO_FORMAT_GRAY16_LE &&
      bit_depth > 0)
    depth = bit_depth;
  gray->info = *info;
  gray->component = component;
  gray->range = (1u << depth) - 1;
  gray->code_factor = 1u << GST_VIDEO_FORMAT_INFO_SHIFT (finfo, component);
  gray->computed = channel == GST_SHAPES_CHANNEL_LUMA &&
      GST_VIDEO_FORMAT_INFO_IS_RGB (finfo);
  choose_luma_weights (gray);
  return TRUE;
}

gdouble
gst_shapes_gray_get_code (const GstShapesGray * gray, gdouble level,
    GstShapesLevelUnit unit)
{
  return unit == GST_SHAPES_LEVEL_UNIT_NORMALIZED ? level * gray->range : level;
}

CsImage
gst_shapes_gray_describe (const GstShapesGray * gray,
    const GstShapesRegion * region)
{
  CsSampleType type = CS_SAMPLE_U8;

  if (gray->computed)
    type = CS_SAMPLE_F32;
  else if (GST_VIDEO_INFO_COMP_DEPTH (&gray->info, gray->component) > 8)
    type = CS_SAMPLE_U16;
  return cs_image_gray (NULL, type, region->width, region->height,
      cs_sample_size (type) * region->width);
}

/* Memory for the luma, where the frame is. */
static gfloat *
get_luma_memory (GstShapesGray * gray, GstShapesTransform * transform,
    CsMemory memory, gsize size, GError ** error)
{
  if (memory != CS_MEMORY_DEVICE)
    return cs_scratch_ensure (&gray->luma, size, error);
  if (size > gray->device_size) {
    if (!gray->slab)
      gray->slab = gst_shapes_slab_new (transform->slabs, transform->stream);
    gray->device_size = 0;
    gray->device = gst_shapes_slab_alloc (gray->slab, size, FALSE);
    if (!gray->device) {
      g_set_error (error, CS_ERROR, CS_ERROR_NO_MEMORY,
          "cannot allocate %" G_GSIZE_FORMAT " bytes on the GPU", size);
      return NULL;
    }
    gray->device_size = size;
  }
  return gray->device;
}

static gboolean
compute_luma (GstShapesGray * gray, GstShapesTransform * transform,
    GstShapesFrame * frame, const GstShapesRegion * region, CsImage * image,
    GError ** error)
{
  const gsize row = sizeof (gfloat) * region->width;
  CsMemory memory;
  CsImage rgb[3];
  gfloat *luma;
  guint i;

  for (i = 0; i < 3; i++) {
    if (!gst_shapes_frame_get_component (frame, i, &rgb[i], error))
      return FALSE;
    rgb[i] = gst_shapes_region_crop (region, rgb[i]);
  }
  memory = rgb[0].memory == CS_MEMORY_DEVICE ? CS_MEMORY_DEVICE :
      CS_MEMORY_HOST;
  luma = get_luma_memory (gray, transform, memory, row * region->height, error);
  if (!luma || !cs_luma_run (transform->executor, rgb, gray->red_weight,
          gray->blue_weight, luma, error))
    return FALSE;
  *image = cs_image_gray (luma, CS_SAMPLE_F32, region->width, region->height,
      row);
  image->memory = memory;
  return TRUE;
}

gboolean
gst_shapes_gray_get_image (GstShapesGray * gray,
    GstShapesTransform * transform, GstShapesFrame * frame,
    const GstShapesRegion * region, CsImage * image, GError ** error)
{
  if (gray->computed)
    return compute_luma (gray, transform, frame, region, image, error);
  if (!gst_shapes_frame_get_component (frame, gray->component, image, error))
    return FALSE;
  *image = gst_shapes_region_crop (region, *image);
  return TRUE;
}

void
gst_shapes_gray_clear (GstShapesGray * gray)
{
  cs_scratch_clear (&gray->luma);
  g_clear_pointer (&gray->slab, gst_shapes_slab_free);
  gray->device_size = 0;
}
