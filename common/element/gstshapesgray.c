/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapesgray.h"

#include "base/error.h"
#include "base/luma.h"
#include "shapes/gstshapesenum.h"

GST_SHAPES_DEFINE_ENUM_TYPE (, gst_shapes_level_unit_get_type,
    "GstShapesLevelUnit",
    {GST_SHAPES_LEVEL_UNIT_NORMALIZED, "0 to 1 of the full range of codes",
        "normalized"},
    {GST_SHAPES_LEVEL_UNIT_SAMPLE, "The code value itself", "sample"})

GST_SHAPES_DEFINE_ENUM_TYPE (, gst_shapes_channel_get_type, "GstShapesChannel",
    {GST_SHAPES_CHANNEL_LUMA, "Brightness", "luma"},
    {GST_SHAPES_CHANNEL_R, "Red", "r"},
    {GST_SHAPES_CHANNEL_G, "Green", "g"},
    {GST_SHAPES_CHANNEL_B, "Blue", "b"},
    {GST_SHAPES_CHANNEL_A, "Alpha", "a"})

CsImage
gst_shapes_region_crop (const GstShapesRegion * region, CsImage image)
{
  if (image.data)
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

gboolean
gst_shapes_gray_set_format (GstShapesGray * gray, const GstVideoInfo * info,
    GstShapesChannel channel, guint bit_depth, GError ** error)
{
  const GstVideoFormatInfo *finfo = info->finfo;
  const gint component = gst_shapes_gray_find_component (finfo, channel);

  if (component < 0)
    return cs_error (error, CS_ERROR_INVALID, "video of format %s has no such "
        "channel; set channel=luma, or convert to RGBA with videoconvert "
        "before", GST_VIDEO_FORMAT_INFO_NAME (finfo));
  guint depth = GST_VIDEO_FORMAT_INFO_DEPTH (finfo, component);
  if (GST_VIDEO_FORMAT_INFO_FORMAT (finfo) == GST_VIDEO_FORMAT_GRAY16_LE &&
      bit_depth > 0)
    depth = bit_depth;
  gray->info = *info;
  gray->component = component;
  gray->range = (1u << depth) - 1;
  gray->code_factor = 1u << GST_VIDEO_FORMAT_INFO_SHIFT (finfo, component);
  gray->computed = channel == GST_SHAPES_CHANNEL_LUMA &&
      GST_VIDEO_FORMAT_INFO_IS_RGB (finfo);
  gst_shapes_choose_luma_weights (info, &gray->red_weight, &gray->blue_weight);
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

/* Device memory that is kept from frame to frame, and grows. */
static gpointer
ensure_device_memory (GstShapesTransform * transform, gsize size,
    GstShapesSlab ** slab, gpointer * device, gsize * have, GError ** error)
{
  if (size <= *have)
    return *device;
  if (!*slab)
    *slab = gst_shapes_slab_new (transform->slabs, transform->stream);
  *have = 0;
  *device = gst_shapes_slab_alloc (*slab, size, FALSE);
  if (!*device)
    return cs_fail_null (error, CS_ERROR, CS_ERROR_NO_MEMORY, "cannot allocate "
        "%" G_GSIZE_FORMAT " bytes on the GPU", size);
  *have = size;
  return *device;
}

#ifdef HAVE_CUDA

/* Bytes from the first sample of a view to the end of the last. */
static gsize
view_extent (const CsImage * image)
{
  return (image->height - 1) * image->row_stride +
      (image->width - 1) * image->pixel_stride + cs_sample_size (image->type);
}

/* Whether the three are interleaved, so that one copy brings all. */
static gboolean
are_interleaved (const CsImage rgb[3])
{
  for (guint i = 1; i < 3; i++) {
    const gssize distance = (const guint8 *) rgb[i].data -
        (const guint8 *) rgb[0].data;

    if (rgb[i].pixel_stride != rgb[0].pixel_stride ||
        rgb[i].row_stride != rgb[0].row_stride ||
        ABS (distance) >= (gssize) rgb[0].pixel_stride)
      return FALSE;
  }
  return TRUE;
}

/* Queues the upload of @n views that share their bytes, to @to. */
static gboolean
upload_views (CsCudaCopier * copier, GstShapesTransform * transform,
    CsImage * views, guint n, guint8 * to, gsize * used, GError ** error)
{
  const guint8 *begin = views[0].data, *end = begin;

  for (guint i = 0; i < n; i++) {
    const guint8 *data = views[i].data;

    begin = MIN (begin, data);
    end = MAX (end, data + view_extent (&views[i]));
  }
  *used = ((gsize) (end - begin) + 255) / 256 * 256;
  for (guint i = 0; to && i < n; i++) {
    views[i].data = to + ((const guint8 *) views[i].data - begin);
    views[i].memory = CS_MEMORY_DEVICE;
  }
  return !to || cs_cuda_copy_bytes (copier, to, begin, end - begin,
      transform->stream, error);
}

/* Brings red, green and blue to the GPU, which computes faster than one thread
 * of the CPU. The frame stays mapped until the stream has been waited for. */
static gboolean
upload_rgb (GstShapesGray * gray, GstShapesTransform * transform,
    CsImage rgb[3], GError ** error)
{
  const guint n = are_interleaved (rgb) ? 3 : 1;
  gsize size = 0, used;

  for (guint i = 0; i < 3; i += n) {
    upload_views (&gray->copier, transform, &rgb[i], n, NULL, &used, NULL);
    size += used;
  }
  guint8 *to = ensure_device_memory (transform, size, &gray->rgb_slab,
      &gray->rgb_device, &gray->rgb_size, error);
  for (guint i = 0; to && i < 3; i += n) {
    if (!upload_views (&gray->copier, transform, &rgb[i], n, to, &used, error))
      return FALSE;
    to += used;
  }
  return to != NULL;
}

#else

static gboolean
upload_rgb (GstShapesGray * gray, GstShapesTransform * transform,
    CsImage rgb[3], GError ** error)
{
  return TRUE;
}

#endif

static gboolean
compute_luma (GstShapesGray * gray, GstShapesTransform * transform,
    GstShapesFrame * frame, const GstShapesRegion * region, CsImage * image,
    GError ** error)
{
  const gsize row = sizeof (gfloat) * region->width;
  const gboolean on_device = transform->context != NULL;
  CsImage rgb[3];
  gfloat *luma;

  for (guint i = 0; i < 3; i++) {
    if (!gst_shapes_frame_get_component (frame, i, &rgb[i], error))
      return FALSE;
    rgb[i] = gst_shapes_region_crop (region, rgb[i]);
  }
  if (on_device && rgb[0].memory != CS_MEMORY_DEVICE &&
      !upload_rgb (gray, transform, rgb, error))
    return FALSE;
  luma = on_device ? ensure_device_memory (transform, row * region->height,
      &gray->slab, &gray->device, &gray->device_size, error) :
      cs_scratch_ensure (&gray->luma, row * region->height, error);
  if (!luma || !cs_luma_run (transform->executor, rgb, gray->red_weight,
          gray->blue_weight, luma, error))
    return FALSE;
  *image = cs_image_gray (luma, CS_SAMPLE_F32, region->width, region->height,
      row);
  image->memory = on_device ? CS_MEMORY_DEVICE : CS_MEMORY_HOST;
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
#ifdef HAVE_CUDA
  cs_cuda_copier_clear (&gray->copier);
#endif
  cs_scratch_clear (&gray->luma);
  g_clear_pointer (&gray->slab, gst_shapes_slab_free);
  g_clear_pointer (&gray->rgb_slab, gst_shapes_slab_free);
  gray->device_size = gray->rgb_size = 0;
}
