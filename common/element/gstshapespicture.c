/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapespicture.h"

#include <string.h>

#include "base/error.h"
#include "cuda/gstshapescompat.h"

/* Rows of staged planes begin at multiples of this. */
#define ROW_ALIGNMENT ((gsize) 256)

/* Caps to picture */

static void
describe_matrix (const GstVideoInfo * info, CsPicture * picture)
{
  const GstVideoColorimetry *c = &info->colorimetry;
  const gboolean gray = GST_VIDEO_INFO_IS_GRAY (info);

  if (!gst_video_color_matrix_get_Kr_Kb (c->matrix, &picture->kr,
          &picture->kb))
    gst_video_color_matrix_get_Kr_Kb (GST_VIDEO_INFO_HEIGHT (info) >= 720
        && !gray ? GST_VIDEO_COLOR_MATRIX_BT709 : GST_VIDEO_COLOR_MATRIX_BT601,
        &picture->kr, &picture->kb);
  picture->limited_range = c->range == GST_VIDEO_COLOR_RANGE_16_235
      || (c->range != GST_VIDEO_COLOR_RANGE_0_255 && !gray);
}

/* All components of a picture have the same depth, and both of chroma the same
 * size. */
static gboolean
components_agree (const GstVideoFormatInfo * finfo)
{
  guint i;

  for (i = 1; i < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (finfo); i++) {
    if (GST_VIDEO_FORMAT_INFO_DEPTH (finfo, i) !=
        GST_VIDEO_FORMAT_INFO_DEPTH (finfo, 0) ||
        GST_VIDEO_FORMAT_INFO_SHIFT (finfo, i) !=
        GST_VIDEO_FORMAT_INFO_SHIFT (finfo, 0))
      return FALSE;
  }
  return TRUE;
}

gboolean
gst_shapes_picture_describe (const GstVideoInfo * info, CsPicture * picture)
{
  const GstVideoFormatInfo *finfo = info->finfo;
  const guint depth = GST_VIDEO_FORMAT_INFO_DEPTH (finfo, 0);

  memset (picture, 0, sizeof (*picture));
  if (GST_VIDEO_INFO_WIDTH (info) < 1 || GST_VIDEO_INFO_HEIGHT (info) < 1 ||
      depth < 8 || depth > 16 || !components_agree (finfo))
    return FALSE;
  if (GST_VIDEO_INFO_IS_GRAY (info))
    picture->model = CS_PICTURE_GRAY;
  else if (GST_VIDEO_INFO_IS_YUV (info))
    picture->model = CS_PICTURE_YUV;
  else if (GST_VIDEO_INFO_IS_RGB (info))
    picture->model = CS_PICTURE_RGB;
  else
    return FALSE;

  picture->type = depth > 8 ? CS_SAMPLE_U16 : CS_SAMPLE_U8;
  picture->width = (guint) GST_VIDEO_INFO_WIDTH (info);
  picture->height = (guint) GST_VIDEO_INFO_HEIGHT (info);
  picture->depth = depth;
  picture->shift = GST_VIDEO_FORMAT_INFO_SHIFT (finfo, 0);
  if (picture->model == CS_PICTURE_YUV) {
    picture->sub_x = (guint) GST_VIDEO_FORMAT_INFO_W_SUB (finfo, 1);
    picture->sub_y = (guint) GST_VIDEO_FORMAT_INFO_H_SUB (finfo, 1);
  }
  if (picture->model != CS_PICTURE_RGB)
    describe_matrix (info, picture);
  picture->premultiplied = (GST_VIDEO_INFO_FLAGS (info) &
      GST_VIDEO_FLAG_PREMULTIPLIED_ALPHA) != 0;
  return picture->sub_x <= 1 && picture->sub_y <= 1;
}

/* Where component @c begins in a pixel of its plane. GStreamer says that the V
 * of P010 is at byte 1, which is half of U. */
static gsize
component_offset (const GstVideoFormatInfo * finfo, guint c)
{
  const gsize offset = GST_VIDEO_FORMAT_INFO_POFFSET (finfo, c);

  return GST_VIDEO_FORMAT_INFO_DEPTH (finfo, c) > 8 && offset % 2 != 0 ?
      2 * offset : offset;
}

static void
fill_in_planes (GstShapesPicture * self)
{
  const GstVideoFormatInfo *finfo = self->frame.info->finfo;
  CsPicture *picture = &self->picture;
  guint i;

  for (i = 0; i < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (finfo); i++) {
    const guint plane = GST_VIDEO_FORMAT_INFO_PLANE (finfo, i);
    const gboolean staged = self->staged[plane] != NULL;

    picture->data[i] = (staged ? self->staged[plane] :
        self->planes[plane].data) + component_offset (finfo, i);
    picture->row_stride[i] = staged ? self->staged_stride[plane] :
        self->planes[plane].stride;
    picture->pixel_stride[i] = GST_VIDEO_FORMAT_INFO_PSTRIDE (finfo, i);
  }
  picture->memory = self->stage->context ? CS_MEMORY_DEVICE : CS_MEMORY_HOST;
}

/* The stage */

void
gst_shapes_picture_stage_init (GstShapesPictureStage * stage,
    GstShapesSlabPool * slabs, gpointer context, gpointer stream)
{
  memset (stage, 0, sizeof (*stage));
  stage->slabs = slabs;
  stage->context = context;
  stage->stream = stream;
}

void
gst_shapes_picture_stage_clear (GstShapesPictureStage * stage)
{
  g_clear_pointer (&stage->slab, gst_shapes_slab_free);
  memset (stage, 0, sizeof (*stage));
}

#ifdef HAVE_CUDA

static gsize
staged_stride (const GstShapesFramePlane * plane)
{
  return (plane->row_size + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
}

static gboolean
stage_ensure (GstShapesPictureStage * stage, gsize size, GError ** error)
{
  if (stage->size >= size)
    return TRUE;
  if (!stage->slab)
    stage->slab = gst_shapes_slab_new (stage->slabs, stage->stream);
  stage->device = gst_shapes_slab_alloc (stage->slab, size, FALSE);
  stage->size = stage->device ? size : 0;
  if (!stage->device)
    g_set_error (error, CS_ERROR, CS_ERROR_NO_MEMORY,
        "the GPU has no memory for a frame of %" G_GSIZE_FORMAT " bytes",
        size);
  return stage->device != NULL;
}

/* Queues the copy of a plane to its place on the GPU, or back. */
static gboolean
copy_plane (GstShapesPicture * self, guint index, gboolean back,
    GError ** error)
{
  const GstShapesFramePlane *plane = &self->planes[index];
  const CUdeviceptr device = (CUdeviceptr) (guintptr) self->staged[index];
  CUDA_MEMCPY2D copy = { 0, };

  if (back) {
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = device;
    copy.srcPitch = self->staged_stride[index];
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = plane->data;
    copy.dstPitch = plane->stride;
  } else {
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = plane->data;
    copy.srcPitch = plane->stride;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = device;
    copy.dstPitch = self->staged_stride[index];
  }
  copy.WidthInBytes = plane->row_size;
  copy.Height = plane->rows;
  if (CuMemcpy2DAsync (&copy, self->stage->stream) == CUDA_SUCCESS)
    return TRUE;
  g_set_error (error, CS_ERROR, CS_ERROR_DEVICE,
      "a frame cannot be copied %s the GPU", back ? "from" : "to");
  return FALSE;
}

static gboolean
wait_for_stream (GstShapesPicture * self, GError ** error)
{
  if (CuStreamSynchronize (self->stage->stream) == CUDA_SUCCESS)
    return TRUE;
  g_set_error (error, CS_ERROR, CS_ERROR_DEVICE,
      "the GPU reported an error while it painted");
  return FALSE;
}

/* Whether every byte of a plane's pixels belongs to a component: then one who
 * writes all components leaves nothing that was there before. */
static gboolean
is_written_in_full (const GstVideoFormatInfo * finfo, guint plane)
{
  gsize bytes = 0, pixel = 0;
  guint i;

  for (i = 0; i < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (finfo); i++) {
    if (GST_VIDEO_FORMAT_INFO_PLANE (finfo, i) != plane)
      continue;
    bytes += GST_VIDEO_FORMAT_INFO_DEPTH (finfo, i) > 8 ? 2 : 1;
    pixel = GST_VIDEO_FORMAT_INFO_PSTRIDE (finfo, i);
  }
  return bytes == pixel;
}

/* Gives planes on the host a place on the GPU, and copies them there unless
 * they are to be written in full. */
static gboolean
stage_planes (GstShapesPicture * self, GstMapFlags flags, GError ** error)
{
  const GstVideoInfo *info = self->frame.info;
  gsize offsets[GST_VIDEO_MAX_PLANES], size = 0;
  guint i;

  for (i = 0; i < GST_VIDEO_INFO_N_PLANES (info); i++) {
    offsets[i] = size;
    if (self->planes[i].memory != CS_MEMORY_DEVICE)
      size += staged_stride (&self->planes[i]) * self->planes[i].rows;
  }
  if (size == 0)
    return TRUE;
  if (!stage_ensure (self->stage, size, error))
    return FALSE;
  for (i = 0; i < GST_VIDEO_INFO_N_PLANES (info); i++) {
    if (self->planes[i].memory == CS_MEMORY_DEVICE)
      continue;
    self->staged[i] = self->stage->device + offsets[i];
    self->staged_stride[i] = staged_stride (&self->planes[i]);
    if (!(flags & GST_MAP_READ) && is_written_in_full (info->finfo, i))
      continue;
    if (!copy_plane (self, i, FALSE, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
unstage_planes (GstShapesPicture * self, GError ** error)
{
  gboolean any = FALSE;
  guint i;

  for (i = 0; i < GST_VIDEO_MAX_PLANES; i++) {
    if (!self->staged[i])
      continue;
    any = TRUE;
    if (!copy_plane (self, i, TRUE, error))
      return FALSE;
  }
  return !any || wait_for_stream (self, error);
}

/* The host's memory is not to be touched any more by what is queued. */
static void
give_up_staging (GstShapesPicture * self)
{
  guint i;

  for (i = 0; i < GST_VIDEO_MAX_PLANES; i++) {
    if (self->staged[i]) {
      wait_for_stream (self, NULL);
      return;
    }
  }
}

#else

static gboolean
stage_planes (GstShapesPicture * self, GstMapFlags flags, GError ** error)
{
  return TRUE;
}

static gboolean
unstage_planes (GstShapesPicture * self, GError ** error)
{
  return TRUE;
}

static void
give_up_staging (GstShapesPicture * self)
{
}

#endif

static gboolean
map_planes (GstShapesPicture * self, GstMapFlags flags, GError ** error)
{
  const GstVideoInfo *info = self->frame.info;
  guint i;

  for (i = 0; i < GST_VIDEO_INFO_N_PLANES (info); i++) {
    if (!gst_shapes_frame_get_plane (&self->frame, i, &self->planes[i], error))
      return FALSE;
  }
  return !self->stage->context || stage_planes (self, flags, error);
}

gboolean
gst_shapes_picture_map (GstShapesPicture * self, GstShapesPictureStage * stage,
    const GstVideoInfo * info, GstBuffer * buffer, GstMapFlags flags,
    GError ** error)
{
  gboolean ok;

  memset (self, 0, sizeof (*self));
  self->stage = stage;
  self->writable = (flags & GST_MAP_WRITE) != 0;
  if (!gst_shapes_picture_describe (info, &self->picture)) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID,
        "frames of the format %s cannot be painted on",
        GST_VIDEO_INFO_NAME (info));
    return FALSE;
  }
  ok = self->writable ?
      gst_shapes_frame_init_writable (&self->frame, info, buffer,
      stage->context, stage->stream, error) :
      gst_shapes_frame_init (&self->frame, info, buffer, stage->context,
      stage->stream, error);
  if (!ok)
    return FALSE;
  if (!map_planes (self, flags, error)) {
    give_up_staging (self);
    gst_shapes_frame_unmap (&self->frame);
    return FALSE;
  }
  fill_in_planes (self);
  return TRUE;
}

gboolean
gst_shapes_picture_unmap (GstShapesPicture * self, gboolean painted,
    GError ** error)
{
  gboolean ok = TRUE;

  if (self->writable && painted)
    ok = unstage_planes (self, error);
  if (!ok || !self->writable || !painted)
    give_up_staging (self);
  if (!gst_shapes_frame_unmap (&self->frame) && ok) {
    g_set_error (error, CS_ERROR, CS_ERROR_DEVICE,
        "the GPU reported an error while it painted");
    ok = FALSE;
  }
  return ok;
}
